"""A replay as a sequence of moves: the position before, the placement, and the position after."""

from collections.abc import Iterator
from typing import NamedTuple

from tetrion.board import Placement
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import GameEvent, Replay


class ReplayStep(NamedTuple):
    """A move: the position before it, the placement, the position after it, and its keys if it was in real time.

    The keys are those pressed since the previous lock, each with its frame. The position after the move has the board,
    the counters and the next pieces that the player had seen.
    """

    number: int
    before: Position
    placement: Placement
    after: Position
    keys: tuple[GameEvent, ...]


class RecordingGame(Game):
    """A game that records the position after every lock."""

    def __init__(self, replay: Replay) -> None:
        self.positions_after: list[Position] = []
        super().__init__(replay.rules, replay.seed, replay.number)

    def _record_placement(self, placement: Placement) -> None:
        super()._record_placement(placement)
        pieces = self._known_pieces[: self.rules.preview]  # another piece may already have been dealt
        counters = self.pieces, self.lines, self.score, self.frames
        self.positions_after.append(Position(self.board, pieces[:1] or None, pieces[1:], self.rules, *counters))


def iterate_steps(replay: Replay) -> Iterator[ReplayStep]:
    """Yield the moves of a replay; a `ReplayError` names the first move that does not match the recording."""
    game = RecordingGame(replay)
    before = game.position
    event_count = 0
    for _ in replay.play_steps(game):
        while before.pieces < len(game.positions_after):
            number = before.pieces
            placement, after = game.placements_made[number], game.positions_after[number]
            visible = Position(
                before.board,
                placement.piece,
                (after.piece or "") + after.next,
                replay.rules,
                pieces=before.pieces,
                lines=before.lines,
                score=before.score,
                frames=before.frames,
            )
            keys = tuple(game.events[event_count:]) if replay.key_events is not None else ()
            yield ReplayStep(number + 1, visible, placement, after, keys)
            before, event_count = after, len(game.events)
