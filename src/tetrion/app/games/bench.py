"""A test bench: a board that is drawn by hand, a piece that is moved freely, and every step can be taken back.

What the rules say is asked of the engine: where a piece enters, how it moves and turns, what comes next.
"""

from dataclasses import dataclass, replace

import numpy as np

from tetrion.app.games.follower import Lock
from tetrion.board import EMPTY, Board, Placement
from tetrion.drawing.scenes import fits
from tetrion.drawing.stack import NOTHING, UNKNOWN, Stack
from tetrion.engine.motion import DOWN, DROP, KEYS, moved
from tetrion.engine.pieces import PIECES, WIDTH
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position, setting_of

UP = "up"  # a key that games do not have
FULL_ROW = "A full row would be cleared at once: leave a gap in it."
STICKS_OUT = "The piece would stick out at the top. Erase some cells, move it, or choose another one."
NO_ENTRY = "{piece} cannot enter: its way in is blocked. Erase some cells, or take a step back."
MOST_STEPS = 1000  # that can be taken back


@dataclass(frozen=True)
class Bench:
    """What stands on the bench: the stack, the current and the known next pieces, and what was counted so far."""

    rules: Rules
    stack: Stack
    piece: str
    next: str
    lines: int = 0
    pieces: int = 0

    @classmethod
    def empty(cls, rules: Rules, seed: int = 0) -> "Bench":
        """An empty board with the pieces that a game of that seed begins with."""
        game = Game(rules, seed)
        return cls(rules, Stack(height=rules.height), game.piece, game.next[: rules.preview])

    @classmethod
    def of(cls, position: Position) -> "Bench":
        """A bench on which a position stands."""
        stack, rules = Stack.of(position.board, position.rules.height), position.rules
        return cls(rules, stack, position.piece or PIECES[0], position.next, position.lines, position.pieces)

    @property
    def board(self) -> Board:
        """The board."""
        rows = self.stack.rows[: self.rules.rows]
        columns = tuple(sum((row[x] != EMPTY) << y for y, row in enumerate(rows)) for x in range(WIDTH))
        return Board(columns, self.rules.rows)

    @property
    def position(self) -> Position:
        """What a player sees."""
        return Position.of(self.board, self.piece, self.next, self.rules, lines=self.lines)

    def with_rules(self, rules: Rules) -> "Bench":
        """The same under other rules; what does not fit is left out."""
        stack = Stack(self.stack.rows[: rules.rows], rules.height)
        return replace(self, rules=rules, stack=stack, next=dealt(rules, self.piece, self.next, 0))

    def filled(self, column: int, row: int, on: bool) -> "Bench":
        """The same with a cell drawn or erased; a `TetrionError` says why not."""
        rows = list(self.stack.rows) + [NOTHING] * (row + 1 - len(self.stack.rows))
        known = rows[row][column]
        letter = (known if known != EMPTY else UNKNOWN) if on else EMPTY
        rows[row] = rows[row][:column] + letter + rows[row][column + 1 :]
        if EMPTY not in rows[row]:
            raise TetrionError(FULL_ROW)
        while rows and rows[-1] == NOTHING:
            rows.pop()
        return replace(self, stack=Stack(tuple(rows), self.stack.height))

    def cleared(self) -> "Bench":
        """The same with nothing on the board."""
        return replace(self, stack=Stack(height=self.stack.height))

    def fits(self, placement: Placement) -> bool:
        """Whether nothing stands where a piece would be."""
        return fits(self.stack, placement)

    def placed(self, placement: Placement, seed: int) -> tuple["Bench", Lock]:
        """What stands after the piece has come to rest there, and the lock; a `TetrionError` if it sticks out."""
        if max(row for _, row in placement.cells) >= self.rules.rows:
            raise TetrionError(STICKS_OUT)
        lying = self.stack.with_piece(placement)
        lock = Lock(placement, lying, lying.full_rows)
        coming = self.next or dealt(self.rules.with_(preview=1), self.piece, "", seed)
        after = replace(
            self,
            stack=lying.cleared() if lock.full else lying,
            piece=coming[0],
            next=dealt(self.rules, coming[0], coming[1:], seed + 1),
            lines=self.lines + lock.lines,
            pieces=self.pieces + 1,
        )
        return after, lock


def dealt(rules: Rules, piece: str, known: str, seed: int) -> str:
    """The next pieces as far as the rules show them: the known ones, and others by the seed."""
    start = Position.of(Board(height=rules.rows), piece, known[: rules.preview], rules)
    return Game.from_position(start, seed).next[: rules.preview]


@dataclass(frozen=True)
class Free:
    """A piece in the air: a state of its rotation system, its leftmost column and lowest row."""

    bench: Bench
    place: tuple[int, int, int]

    @classmethod
    def entering(cls, bench: Bench) -> "Free | None":
        """The piece where it enters, let down until it is seen; None if it cannot enter."""
        position = bench.position
        game = Game.from_position(replace(position, board=Board(height=position.rules.rows)))
        if (falling := game.falling) is None:
            return None
        free = cls(bench, (0, falling.column, falling.row))
        if not bench.fits(free.placement):
            return None
        return free.seen()

    def seen(self) -> "Free":
        """The same let down until all of it is seen, as far as nothing is in the way."""
        free = self
        while free.top >= self.bench.rules.height and (lower := free.after("down")) is not None:
            free = lower
        return free

    @property
    def placement(self) -> Placement:
        """Where it is."""
        state, column, row = self.place
        turn = setting_of(self.bench.rules).rules["turn"][0][PIECES.index(self.bench.piece), state]
        return Placement(self.bench.piece, int(turn), column, row, self.bench.rules.rotation)

    @property
    def top(self) -> int:
        """The row of its highest cell."""
        return max(row for _, row in self.placement.cells)

    def after(self, key: str) -> "Free | None":
        """Where a key takes it; None if something is in the way."""
        state, column, row = self.place
        if key == UP:
            higher = Free(self.bench, (state, column, row + 1))
            free = self.top + 1 < self.bench.rules.height and self.bench.fits(higher.placement)
            return higher if free else None
        bench = self.bench
        record = setting_of(bench.rules).rules.view(np.recarray)[0]
        columns = np.array(bench.board.columns, np.int32)
        place = moved(columns, record, PIECES.index(bench.piece), self.place, KEYS.index(key))
        now = Free(bench, (int(place[0]), int(place[1]), int(place[2])))
        return now if now.place != self.place else None

    @property
    def landed(self) -> "Free":
        """Where it would come to rest if it fell straight down."""
        return self.after(KEYS[DROP]) or self

    @property
    def rests(self) -> bool:
        """Whether it cannot fall any further."""
        return self.after(KEYS[DOWN]) is None

    def on(self, bench: Bench) -> "Free | None":
        """The same piece on another board, if nothing is in its way there."""
        same = Free(bench, self.place)
        known = bench.piece == self.bench.piece and bench.rules == self.bench.rules
        return same.seen() if known and bench.fits(same.placement) else None


class History:
    """Benches one after another, each of which can be gone back to."""

    def __init__(self, bench: Bench) -> None:
        self.now = bench
        self._before: list[Bench] = []
        self._after: list[Bench] = []

    def take(self, bench: Bench) -> None:
        """Go on to another bench."""
        if bench != self.now:
            self._before = [*self._before[1 - MOST_STEPS :], self.now]
            self._after.clear()
            self.now = bench

    def undo(self) -> bool:
        """Take the last step back; tells whether there was one."""
        return self._move(self._before, self._after)

    def redo(self) -> bool:
        """Make the step again that was taken back last."""
        return self._move(self._after, self._before)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether there is one to make again."""
        return bool(self._after)

    def _move(self, source: list[Bench], target: list[Bench]) -> bool:
        if not source:
            return False
        target.append(self.now)
        self.now = source.pop()
        return True
