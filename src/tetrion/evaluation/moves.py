"""A replay move by move: what the player saw, what was done, and what it led to."""

from collections.abc import Iterator
from typing import NamedTuple

from tetrion.board import Placement
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Event, Replay


class Step(NamedTuple):
    """A move: the position before it, the placement, the position after it, and the keys, if it was in real time.

    The keys are those between the lock before and this one, each with its frame. What is known of the position after
    it are the board, the counters and the next pieces that the player had seen.
    """

    number: int
    before: Position
    placement: Placement
    after: Position
    keys: tuple[Event, ...]


class Told(Game):
    """A game that keeps what every lock led to."""

    def __init__(self, replay: Replay) -> None:
        self.afters: list[Position] = []
        super().__init__(replay.rules, replay.seed, replay.number)

    def _note(self, placement: Placement) -> None:
        super()._note(placement)
        seen = self._known[: self.rules.preview]  # a new piece may have been dealt already
        counters = self.pieces, self.lines, self.score, self.frames
        self.afters.append(Position(self.board, seen[:1] or None, seen[1:], self.rules, *counters))


def steps(replay: Replay) -> Iterator[Step]:
    """The moves of a replay, one after another; what is wrong with it is `Replay.play`'s to tell."""
    game = Told(replay)
    before, keys = game.position, list[Event]()
    for event in played(game, replay):
        if event is not None:
            keys.append(event)
        while before.pieces < len(game.afters):
            number = before.pieces
            placement, after = game.placements_made[number], game.afters[number]
            seen = Position(
                before.board,
                placement.piece,
                (after.piece or "") + after.next,
                replay.rules,
                *(before.pieces, before.lines, before.score, before.frames),
            )
            yield Step(number + 1, seen, placement, after, tuple(keys))
            before, keys = after, []


def played(game: Game, replay: Replay) -> Iterator[Event | None]:
    """Play a replay in a game, and tell after everything that happens which key it was; None if it was none."""
    if replay.keys is None:
        for placement in replay.placements:
            game.place(placement)
            yield None
        return
    for frame, action, what in replay.keys:
        game.tick(frame - game.frames)
        yield None
        if action == "place":
            turn, column, row = map(int, what.split())
            game.place(Placement(game.piece, turn, column, row, replay.rules.rotation))
        else:
            getattr(game, action)(what)
        yield frame, action, what
    game.tick(int(replay.result["frames"]) - game.frames)
    yield None
