"""A game under any rules, by placements or in real time."""

from collections.abc import Callable

from reference.board import Board, Placement, empty_board, filled, full_rows, remove_full_rows
from reference.features import MeasuredBoard, features_of_cells
from reference.movement import STEPS, State, Well, cells_at, resting_places
from reference.pieces import Cell
from reference.randomisers import Dealer
from reference.rules import Rules
from reference.simple_game import Terms, points

KEYS = (*STEPS, "drop")

Deal = Callable[[Board], str]


class FullGame:
    """A game with all of its rules; `place` plays it by placements, `press`, `hold`, `release` and `tick` by keys."""

    def __init__(
        self, rules: Rules, deal: Deal, board: Board | None = None, known: str = "", lines: int = 0, frames: int = 0
    ) -> None:
        self.rules = rules
        self.deal = deal
        self.board = empty_board(rules.rows) if board is None else board
        self.known = known  # the piece in play or about to be, and the next ones that the player knows
        while len(self.known) < 1 + rules.preview:
            self.known += deal(self.board)
        self.lines = lines
        self.frames = frames
        self.score = 0
        self.pieces = 0
        self.is_over = False
        self.held: dict[str, int] = {}  # for how many frames a key has been held
        self.appear()
        self.end_without_places()

    @classmethod
    def from_seed(cls, rules: Rules, seed: int, number: int) -> "FullGame":
        return cls(rules, Dealer(rules.randomiser, seed, number).deal)

    @property
    def level(self) -> int:
        return self.rules.level_after(self.lines)

    @property
    def piece(self) -> str:
        return self.known[0]

    @property
    def next(self) -> str:
        return self.known[1:]

    @property
    def falling(self) -> Placement | None:
        """Where the piece is, as what can be seen of it."""
        return None if self.state is None else self.well.placement(self.state)

    # A piece comes and goes.

    def appear(self) -> None:
        """The piece is where it enters, if there is room for it, and gravity begins to count."""
        self.well = Well(self.board, self.piece, self.rules)
        self.gravity = self.rules.frames_per_row(self.level, self.frames)
        self.counted = 0
        self.rested = 0
        self.lowest_rest: int | None = None
        self.wait = 0
        self.found: dict[Placement, int] | None = None
        self.state: State | None = None
        if self.well.fits(self.well.entrance):
            self.state = self.well.entrance
            self.note_rest(self.state)

    def end_without_places(self) -> None:
        """The game is over if the piece has no place to rest, or none to enter where the rules ask for one."""
        if (self.rules.game_over == "entry" and self.state is None) or not self.places():
            self.end()

    def end(self) -> None:
        self.is_over = True
        self.state = None

    def lock(self, cells: list[Cell]) -> int:
        """The piece comes to rest for good; tells how many frames pass until the next one enters."""
        if any(row >= self.rules.rows for _, row in cells):
            self.end()
            return 0
        with_piece = filled(self.board, cells)
        lines = len(full_rows(with_piece))
        self.board = remove_full_rows(with_piece)
        self.pieces += 1
        self.lines += lines
        self.score += self.rules.points(lines, self.level)
        self.known = self.known[1:] + self.deal(self.board)
        self.state = None
        if self.is_over_after(cells, self.board):
            self.end()
        return self.rules.delay(min(row for _, row in cells), lines)

    def is_over_after(self, cells: list[Cell], board: Board) -> bool:
        """Whether a piece on these cells, which leads to this board, has ended the game by itself."""
        if self.rules.game_over == "top-row":
            return any(any(row) for row in board[self.rules.height - 1 :])
        return self.rules.game_over == "above" and any(row >= self.rules.height for _, row in cells)

    # By placements.

    def places(self) -> dict[Placement, int]:
        """Every place to rest, with the frames until the earliest lock there."""
        if self.found is None:
            self.found = resting_places(self.well, self.gravity)
        return self.found

    def cells(self, placement: Placement) -> list[Cell]:
        return cells_at(self.rules.rotation, self.piece, placement)

    def place(self, placement: Placement) -> None:
        taken = self.places()[placement]
        wait = self.lock(self.cells(placement))
        if self.rules.movement == "timed":
            self.frames += taken + wait
        if not self.is_over:
            self.appear()
            self.end_without_places()

    def choose(self, terms: Terms, removed: bool) -> Placement:
        """The first placement with the most points, of those that do not end the game if there are any."""
        before = MeasuredBoard(self.board)
        scores: dict[Placement, int] = {}
        ends: dict[Placement, bool] = {}
        for placement in self.places():
            cells = self.cells(placement)
            values = features_of_cells(before, self.piece, cells, removed, terms)
            scores[placement] = sum(points(name, values[name], term) for name, term in terms.items())
            ends[placement] = self.is_over_after(cells, remove_full_rows(filled(self.board, cells)))
        harmless = [placement for placement in scores if not ends[placement]]
        return max(harmless or scores, key=lambda placement: scores[placement])

    # By keys.

    def key_down(self, key: str) -> None:
        """A key goes down and stays there; of left and right only the last one counts."""
        if key in ("left", "right"):
            self.held.pop("left", None)
            self.held.pop("right", None)
        self.held[key] = 0
        self.press(key)

    def key_up(self, key: str) -> None:
        self.held.pop(key, None)

    def press(self, key: str) -> None:
        if self.state is None:
            self.enter_if_due()
        elif key == "drop":
            self.state = self.well.dropped(self.state)
            if self.rules.locks_by("drop"):
                self.lock_here()
            else:
                self.move_to(self.state)
        elif key == "down" and self.well.rests(self.state):
            if self.rules.locks_by("down"):
                self.lock_here()
        else:
            after = self.well.moved(self.state, key)
            if after is not None:
                self.score += key == "down" and self.rules.scoring == "nes"
                self.move_to(after)

    def move_to(self, state: State) -> None:
        """The piece is somewhere else now, and perhaps rests there."""
        self.state = state
        self.note_rest(state)
        if self.rules.lock_delay == 0 and self.well.rests(state):
            self.lock_here()

    def note_rest(self, state: State) -> None:
        """The frames of rest begin anew when a piece comes to rest lower than before."""
        row = self.well.placement(state).row
        if self.well.rests(state) and (self.lowest_rest is None or row < self.lowest_rest):
            self.lowest_rest = row
            self.rested = 0

    def lock_here(self) -> None:
        assert self.state is not None
        self.wait = self.lock(self.well.cells(self.state))
        self.enter_if_due()

    def enter_if_due(self) -> None:
        if not self.is_over and self.wait == 0:
            self.enter()

    def enter(self) -> None:
        """The piece enters in real time, where one that overlaps cannot."""
        self.appear()
        if self.state is None:
            self.end()
        else:
            self.move_to(self.state)

    def tick(self) -> None:
        """A frame passes: held keys repeat, then gravity counts it; a piece that enters in it is not counted yet."""
        if self.is_over:
            return
        self.frames += 1
        waited, pieces = self.state is None, self.pieces
        for key in KEYS:
            if key in self.held:
                self.held[key] += 1
                if self.repeats(key) and self.pieces == pieces:
                    self.press(key)
        if waited:
            self.wait = max(0, self.wait - 1)
            self.enter_if_due()
        elif self.state is not None and self.pieces == pieces:
            self.count_frame(self.state)

    def repeats(self, key: str) -> bool:
        """Whether a held key acts again in this frame."""
        if key in ("left", "right"):
            since = self.held[key] - self.rules.das
            return self.rules.arr > 0 and since >= 0 and since % self.rules.arr == 0
        return (
            key == "down" and self.rules.soft_drop_interval > 0 and self.held[key] % self.rules.soft_drop_interval == 0
        )

    def count_frame(self, state: State) -> None:
        """Gravity counts the frame; so does rest, where it makes a piece lock."""
        rested_before = self.well.rests(state)
        self.counted += 1
        if self.counted == self.gravity:
            self.counted = 0
            if not rested_before:
                self.move_to(state._replace(top=state.top - 1))
            elif self.rules.lock_delay == "gravity":
                self.lock_here()
                return
        if rested_before and self.rules.lock_delay != "gravity":
            self.rested += 1
            if self.rested >= int(self.rules.lock_delay):
                self.lock_here()
