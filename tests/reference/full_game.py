"""Games under any rules, played by placements or in real time."""

from collections.abc import Callable

from tests.reference.board import Board, Placement, empty_board, fill_cells, full_rows, remove_full_rows
from tests.reference.features import MeasuredBoard
from tests.reference.movement import STEPS, PieceMotion, State, find_placements, get_rotated_cells
from tests.reference.pieces import Cell
from tests.reference.randomisers import Dealer
from tests.reference.rules import Rules
from tests.reference.simple_game import Terms, list_points

KEYS = (*STEPS, "drop")

Deal = Callable[[Board], str]


def ends_game(rules: Rules, cells: list[Cell], board: Board) -> bool:
    """Return whether a piece that locks on these cells, with this board as the result, ends the game."""
    if rules.game_over == "top-row":
        return any(any(row) for row in board[rules.height - 1 :])
    if rules.game_over == "lock-out":
        return all(row >= rules.height for _, row in cells)
    return rules.game_over == "above" and any(row >= rules.height for _, row in cells)


class FullGame:
    """A game with all its rules, played with `place`, or with `press`, `key_down`, `key_up` and `tick` in real time."""

    def __init__(self, rules: Rules, deal: Deal) -> None:
        self.rules = rules
        self.deal = deal
        self.board = empty_board(rules.rows)
        self.known_pieces = ""  # the current piece, then the preview
        while len(self.known_pieces) < 1 + rules.preview:
            self.known_pieces += deal(self.board)
        self.lines = 0
        self.frames = 0
        self.score = 0
        self.pieces = 0
        self.is_over = False
        self.keys_down: dict[str, int] = {}  # number of frames since the key went down
        self.spawn()
        self.end_if_no_placement()

    @classmethod
    def from_seed(cls, rules: Rules, seed: int, number: int) -> "FullGame":
        return cls(rules, Dealer(rules.randomiser, seed, number).deal)

    @property
    def level(self) -> int:
        return self.rules.compute_level(self.lines)

    @property
    def piece(self) -> str:
        return self.known_pieces[0]

    @property
    def next(self) -> str:
        return self.known_pieces[1:]

    @property
    def falling_piece(self) -> Placement | None:
        """The piece in play at its present position; None while no piece is in play."""
        return None if self.state is None else self.motion.to_placement(self.state)

    def spawn(self) -> None:
        """Put the current piece at its spawn position if it fits there, and restart gravity."""
        self.motion = PieceMotion(self.board, self.piece, self.rules)
        self.gravity = self.rules.frames_per_row(self.level, self.frames)
        self.gravity_frames = 0
        self.rest_frames = 0
        self.lowest_rest_row: int | None = None
        self.wait_frames = 0
        self.cached_placements: dict[Placement, int] | None = None
        self.state: State | None = None
        if self.motion.fits(self.motion.spawn_state):
            self.state = self.motion.spawn_state
            self.update_rest(self.state)

    def end_if_no_placement(self) -> None:
        """End the game if the piece has no placement, or cannot spawn where `game_over` requires that."""
        is_blocked = self.rules.game_over in ("entry", "lock-out") and self.state is None
        if is_blocked or not self.placements():
            self.end()

    def end(self) -> None:
        self.is_over = True
        self.state = None

    def lock(self, cells: list[Cell]) -> int:
        """Lock the piece on these cells and return the number of frames until the next piece spawns."""
        if any(row >= self.rules.rows for _, row in cells):
            self.end()
            return 0
        with_piece = fill_cells(self.board, cells)
        lines = len(full_rows(with_piece))
        self.board = remove_full_rows(with_piece)
        self.pieces += 1
        self.lines += lines
        self.score += self.rules.compute_points(lines, self.level)
        self.known_pieces = self.known_pieces[1:] + self.deal(self.board)
        self.state = None
        if ends_game(self.rules, cells, self.board):
            self.end()
        return self.rules.compute_spawn_delay(min(row for _, row in cells), lines)

    def placements(self) -> dict[Placement, int]:
        """Return every placement, with the number of frames until the earliest lock there."""
        if self.cached_placements is None:
            self.cached_placements = find_placements(self.motion, self.gravity)
        return self.cached_placements

    def cells(self, placement: Placement) -> list[Cell]:
        return get_rotated_cells(self.rules.rotation, self.piece, placement)

    def place(self, placement: Placement) -> None:
        frames = self.placements()[placement]
        delay = self.lock(self.cells(placement))
        if self.rules.movement == "timed":
            self.frames += frames + delay
        if not self.is_over:
            self.spawn()
            self.end_if_no_placement()

    def choose(self, terms: Terms, removed: bool) -> Placement:
        """Return the first placement with the most points; one that ends the game only if all do.

        `removed`: whether features are measured after full rows are removed.
        """
        before = MeasuredBoard(self.board)
        scores: dict[Placement, int] = {}
        survivors: list[Placement] = []
        for placement in self.placements():
            cells = self.cells(placement)
            scores[placement] = sum(list_points(before, self.piece, cells, removed, terms).values())
            if not ends_game(self.rules, cells, remove_full_rows(fill_cells(self.board, cells))):
                survivors.append(placement)
        return max(survivors or scores, key=lambda placement: scores[placement])

    def key_down(self, key: str) -> None:
        """Press a key and keep it down; of left and right, only the last one pressed stays down."""
        if key in ("left", "right"):
            self.keys_down.pop("left", None)
            self.keys_down.pop("right", None)
        self.keys_down[key] = 0
        self.press(key)

    def key_up(self, key: str) -> None:
        self.keys_down.pop(key, None)

    def press(self, key: str) -> None:
        if self.state is None:
            self.spawn_if_due()
        elif key == "drop":
            self.state = self.motion.drop(self.state)
            if self.rules.locks_with("drop"):
                self.lock_in_place()
            else:
                self.move_to(self.state)
        elif key == "down" and self.motion.rests(self.state):
            if self.rules.locks_with("down"):
                self.lock_in_place()
        else:
            after = self.motion.move(self.state, key)
            if after is not None:
                self.score += key == "down" and self.rules.scoring == "nes"
                self.move_to(after)

    def move_to(self, state: State) -> None:
        """Move the piece to a state, and lock it there if it rests and `lock_delay` is 0."""
        self.state = state
        self.update_rest(state)
        if self.rules.lock_delay == 0 and self.motion.rests(state):
            self.lock_in_place()

    def update_rest(self, state: State) -> None:
        """Restart the lock delay if the piece rests lower than ever before."""
        row = self.motion.to_placement(state).row
        if self.motion.rests(state) and (self.lowest_rest_row is None or row < self.lowest_rest_row):
            self.lowest_rest_row = row
            self.rest_frames = 0

    def lock_in_place(self) -> None:
        assert self.state is not None
        self.wait_frames = self.lock(self.motion.cells(self.state))
        self.spawn_if_due()

    def spawn_if_due(self) -> None:
        if not self.is_over and self.wait_frames == 0:
            self.spawn_in_real_time()

    def spawn_in_real_time(self) -> None:
        """Spawn the piece, or end the game if it does not fit."""
        self.spawn()
        if self.state is None:
            self.end()
        else:
            self.move_to(self.state)

    def tick(self) -> None:
        """Advance the game by one frame: repeat keys that are down, then apply gravity.

        A frame in which a piece spawns does not count for the gravity of that piece.
        """
        if self.is_over:
            return
        self.frames += 1
        was_waiting = self.state is None
        pieces = self.pieces
        for key in KEYS:
            if key in self.keys_down:
                self.keys_down[key] += 1
                if self.repeats(key) and self.pieces == pieces:
                    self.press(key)
        if was_waiting:
            self.wait_frames = max(0, self.wait_frames - 1)
            self.spawn_if_due()
        elif self.state is not None and self.pieces == pieces:
            self.count_frame(self.state)

    def repeats(self, key: str) -> bool:
        """Return whether a key that is down acts again in this frame."""
        if key in ("left", "right"):
            after_das = self.keys_down[key] - self.rules.das
            interval = int(self.rules.arr)
            return interval > 0 and after_das >= 0 and after_das % interval == 0
        interval = int(self.rules.soft_drop_interval)
        return key == "down" and interval > 0 and self.keys_down[key] % interval == 0

    def count_frame(self, state: State) -> None:
        """Count one frame for gravity and for the lock delay, and apply them."""
        was_resting = self.motion.rests(state)
        self.gravity_frames += 1
        if self.gravity_frames == self.gravity:
            self.gravity_frames = 0
            if not was_resting:
                self.move_to(state._replace(top=state.top - 1))
            elif self.rules.lock_delay == "gravity":
                self.lock_in_place()
                return
        if was_resting and self.rules.lock_delay != "gravity":
            self.rest_frames += 1
            if self.rest_frames >= int(self.rules.lock_delay):
                self.lock_in_place()
