"""A replay move by move: what the player saw, what was done, and what it led to."""

from collections.abc import Iterator
from typing import NamedTuple

from tetrion.board import Placement
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import GameEvent, Replay


class ReplayStep(NamedTuple):
    """A move: the position before it, the placement, the position after it, and the keys, if it was in real time.

    The keys are those between the lock before and this one, each with its frame. What is known of the position after
    it are the board, the counters and the next pieces that the player had seen.
    """

    number: int
    before: Position
    placement: Placement
    after: Position
    keys: tuple[GameEvent, ...]


class RecordingGame(Game):
    """A game that keeps what every lock led to."""

    def __init__(self, replay: Replay) -> None:
        self.positions_after: list[Position] = []
        super().__init__(replay.rules, replay.seed, replay.number)

    def _record_placement(self, placement: Placement) -> None:
        super()._record_placement(placement)
        seen = self._known_pieces[: self.rules.preview]  # a new piece may have been dealt already
        counters = self.pieces, self.lines, self.score, self.frames
        self.positions_after.append(Position(self.board, seen[:1] or None, seen[1:], self.rules, *counters))


def iterate_steps(replay: Replay) -> Iterator[ReplayStep]:
    """The moves of a replay, one after another; a `ReplayError` names the first that comes out differently."""
    game = RecordingGame(replay)
    before, told = game.position, 0
    for _ in replay.play_steps(game):
        while before.pieces < len(game.positions_after):
            number = before.pieces
            placement, after = game.placements_made[number], game.positions_after[number]
            seen = Position(
                before.board,
                placement.piece,
                (after.piece or "") + after.next,
                replay.rules,
                *(before.pieces, before.lines, before.score, before.frames),
            )
            keys = tuple(game.events[told:]) if replay.key_events is not None else ()
            yield ReplayStep(number + 1, seen, placement, after, keys)
            before, told = after, len(game.events)
