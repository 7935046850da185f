"""Games under any rules, played by placements or in real time."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

from tests.reference.attack import Clear, compute_attack, compute_guideline_points, is_back_to_back, is_difficult
from tests.reference.board import (
    Board,
    Placement,
    clear_hanging,
    empty_board,
    fill_cells,
    full_rows,
    get_cells,
    remove_full_rows,
)
from tests.reference.garbage import Batch, GarbageQueue, push_up
from tests.reference.movement import TURNS, PieceMotion, State, find_placements, steer
from tests.reference.pieces import Cell
from tests.reference.randomisers import Dealer
from tests.reference.rules import Rules

SIDEWAYS = ("left", "right")
KEY_GROUPS = (SIDEWAYS, tuple(TURNS))  # of the keys of a group that are down, the one that was pressed last counts
NO_REST_ROW = 10**6  # above all rows

Deal = Callable[[Board], str]


class Game:
    """A game, played with `place`, or with `press`, `key_down`, `key_up` and `tick` in real time.

    `deal` returns the next piece, given the board; `key` is the random key of the game, for garbage. The game starts on
    an empty board unless one is given.
    """

    def __init__(self, rules: Rules, deal: Deal, key: int = 0, board: Board | None = None) -> None:
        self.rules = rules
        self.deal = deal
        self.garbage = GarbageQueue(rules, key)
        self.board = [list(row) for row in board or empty_board(rules.rows)]
        self.is_garbage = [False] * rules.rows  # of each row of the board
        self.known_pieces = ""  # the current piece, then the preview
        self.hold = ""  # the piece in the hold box; empty: none
        self.has_used_hold = False  # whether the current piece comes from hold
        self.is_over = False
        # Counters.
        self.frames = 0
        self.pieces = 0
        self.lines = 0
        self.score = 0
        self.combo = 0  # consecutive placements with a clear
        self.back_to_back = 0  # consecutive difficult clears
        self.clears: Counter[tuple[str, int]] = Counter()  # by spin and rows, except placements with neither
        self.back_to_backs = 0
        self.longest_combo = 0
        self.perfect_clears = 0
        self.attack = 0
        self.sent = 0
        # Real time.
        self.wait_frames = 0  # until the next piece spawns
        self.keys_down: dict[str, int] = {}  # number of frames since the key went down
        self.raise_start_garbage()
        self.deal_preview()
        self.start_piece()

    @classmethod
    def from_seed(cls, rules: Rules, seed: int, number: int = 0) -> "Game":
        dealer = Dealer(rules.randomiser, seed, number)
        return cls(rules, dealer.deal, dealer.key)

    @property
    def piece(self) -> str:
        return self.known_pieces[0]

    @property
    def next(self) -> str:
        return self.known_pieces[1:]

    @property
    def piece_from_hold(self) -> str:
        """The piece that is placed with hold: the one in the box, else the next one; empty if there is none."""
        return (self.hold or self.next[:1]) if self.rules.hold and not self.has_used_hold else ""

    @property
    def level(self) -> int:
        return self.rules.compute_level(self.lines)

    @property
    def received(self) -> int:
        """The number of rows of garbage that have risen."""
        return self.garbage.risen

    @property
    def falling_cells(self) -> list[Cell]:
        """The cells of the piece in play, sorted; none while no piece is in play."""
        return [] if self.state is None else sorted(self.motion.cells(self.state))

    # Pieces

    def deal_preview(self) -> None:
        while len(self.known_pieces) < 1 + self.rules.preview:
            self.known_pieces += self.deal(self.board)

    def start_piece(self) -> None:
        """Spawn the current piece; the game is over if it does not come into play, or if nothing can be placed.

        A straight drop needs no spawn position unless `game_over` does; all other placements start there.
        """
        self.spawn()
        needs_spawn = self.rules.movement != "drop" or self.rules.requires_spawn
        if (needs_spawn and self.state is None) or not self.placements:
            self.end()

    def spawn(self) -> None:
        """Put the current piece at its spawn position if it fits there, and restart gravity and the lock delay."""
        self.motion = PieceMotion(self.board, self.piece, self.rules)
        self.gravity = self.rules.compute_gravity(self.level, self.frames)
        self.fall_time = Fraction(0)  # frames since gravity last moved the piece
        self.rest_frames = 0
        self.restarts = 0  # of the lock delay
        self.wait_frames = 0
        self.lowest_rest_row = NO_REST_ROW
        self.cached_placements: dict[Placement, int] | None = None
        self.state: State | None = None
        if self.motion.can_spawn:
            self.state = self.motion.spawn_state
            if self.rests():
                self.lowest_rest_row = self.find_row()

    def end(self) -> None:
        self.is_over = True
        self.state = None
        self.cached_placements = {}

    def exchange(self) -> None:
        """Put the current piece into the hold box and take out the piece there, or the next one if it is empty."""
        self.has_used_hold = True
        taken, self.hold = self.hold, self.piece
        self.known_pieces = taken + self.next
        self.deal_preview()

    # Games by placements

    @property
    def placements(self) -> dict[Placement, int]:
        """Every placement, those with hold last, with the number of frames until the earliest lock there."""
        if self.cached_placements is None:
            self.cached_placements = dict(find_placements(self.motion, int(self.gravity)))
            if self.piece_from_hold:
                held = PieceMotion(self.board, self.piece_from_hold, self.rules)
                found = {} if held.is_blocked else find_placements(held, int(self.gravity))
                for placement, frames in found.items():
                    self.cached_placements[placement._replace(with_hold=True)] = frames
        return self.cached_placements

    def cells(self, placement: Placement) -> list[Cell]:
        """Return the cells of a placement of the current piece, or of the swapped-in piece."""
        piece = self.piece_from_hold if placement.with_hold else self.piece
        return get_cells(piece, placement, self.rules.rotation)

    def find_lock(self, placement: Placement) -> tuple[list[Cell], int]:
        """Return the cells where a piece locks and after how many frames; a steered piece can miss its target."""
        if self.rules.movement == "steered":
            return steer(self.motion, int(self.gravity), placement)
        return self.cells(placement), self.placements[placement]

    def place(self, placement: Placement) -> None:
        """Place the current piece or, with hold, the piece for which it is exchanged."""
        cells, frames = self.find_lock(placement)
        if self.rules.movement == "steered" and any(row >= self.rules.rows for _, row in cells):
            self.end()
            return
        if placement.with_hold:
            self.exchange()
        delay = self.lock(cells, placement.spin)
        if not self.is_over:
            self.advance_clock(self.rules.placement_frames)
        if self.rules.movement in ("timed", "steered"):
            self.frames += frames + delay
        if not self.is_over:
            self.start_piece()

    # Locking

    def lock(self, cells: list[Cell], spin: str) -> int:
        """Lock the current piece, and deal the next one; return the number of frames until that one spawns.

        Full rows are removed, their attack cancels garbage, and garbage rises.
        """
        with_piece = fill_cells(self.board, cells)
        cleared = full_rows(with_piece)
        self.board = clear_hanging(with_piece) if self.rules.clearing == "hanging" else remove_full_rows(with_piece)
        self.state = None
        time_before = self.garbage_time
        self.pieces += 1
        is_perfect = len(cleared) > 0 and not any(any(row) for row in self.board)
        clear = Clear(spin, len(cleared), self.combo, self.back_to_back, is_perfect)
        self.count_clear(clear)
        attack = compute_attack(self.rules.attack, clear, self.rules.compute_multiplier(self.frames))
        attack += self.remove_garbage(clear, cleared)
        self.attack += attack
        is_doubled = self.pieces <= self.rules.opener_pieces and self.garbage.rows >= self.sent
        self.sent += self.garbage.cancel(attack, attack if is_doubled else 0)
        self.finish_lock(cells, clear.rows, time_before)
        self.known_pieces = self.next
        self.has_used_hold = False
        self.deal_preview()
        return self.rules.compute_spawn_delay(min(row for _, row in cells), clear.rows)

    def count_clear(self, clear: Clear) -> None:
        """Count a clear for the score, the statistics, the combo and the chain of back-to-backs."""
        level_before = self.level
        self.lines += clear.rows
        if self.rules.scoring == "guideline":
            self.score += compute_guideline_points(self.rules.attack, clear, level_before)
        else:
            self.score += self.rules.compute_points(clear.rows, self.level)
        if clear.rows or clear.spin != "none":
            self.clears[clear.spin, min(clear.rows, 4)] += 1
        if not clear.rows:
            self.combo = 0
            return
        self.longest_combo = max(self.longest_combo, clear.combo)
        self.combo += 1
        self.back_to_backs += is_back_to_back(self.rules.attack, clear)
        self.back_to_back = self.back_to_back + 1 if is_difficult(self.rules.attack, clear) else 0
        self.perfect_clears += clear.is_perfect

    def remove_garbage(self, clear: Clear, cleared: list[int]) -> int:
        """Forget the rows that were cleared; return the attack that they add if some of them were garbage."""
        has_garbage = any(self.is_garbage[row] for row in cleared)
        left = [kind for row, kind in enumerate(self.is_garbage) if row not in cleared]
        self.is_garbage = left + [False] * len(cleared)
        return self.rules.garbage_clear_bonus if has_garbage and (clear.rows == 4 or clear.spin != "none") else 0

    def finish_lock(self, cells: list[Cell], rows: int, time_before: int) -> None:
        """End the game if the lock ends it; else let garbage rise, and queue the batch of the solo source.

        `time_before` is the time of garbage before the lock: a batch waits for the pieces that lock after its arrival,
        without the one with which it rises.
        """
        if self.rules.ends_game(cells, self.board):
            self.end()
        if not self.is_over and (not rows or self.rules.garbage_blocking == "none"):
            self.raise_garbage(time_before)
        if not self.is_over and self.rules.garbage_interval_unit == "pieces":
            self.add_solo_batch(self.pieces)

    def raise_start_garbage(self) -> None:
        """Let the rows rise with which the game starts, unless the board is given."""
        if self.rules.start_garbage and not any(map(any, self.board)):
            self.garbage.add_batch(self.rules.start_garbage, 0)
            for _ in range(self.rules.start_garbage):
                self.raise_row(self.garbage.batches[0])

    def raise_row(self, batch: Batch) -> None:
        self.board = push_up(self.board, self.garbage.take_row(batch))
        self.is_garbage = [True, *self.is_garbage[:-1]]

    def raise_garbage(self, time: int) -> None:
        """Let the due rows rise one by one; the first that would push a cell out of the board ends the game."""
        for batch in self.garbage.list_due_rows(time):
            if any(self.board[-1]):
                self.end()
                return
            self.raise_row(batch)

    @property
    def garbage_time(self) -> int:
        """The time in the unit in which garbage travels."""
        return self.frames if self.rules.garbage_delay_unit == "frames" else self.pieces

    def add_solo_batch(self, time: int) -> None:
        """Queue a batch of the solo source if the time is a multiple of its interval."""
        if self.rules.garbage_rows and time % self.rules.garbage_interval == 0:
            self.garbage.add_batch(self.rules.garbage_rows, self.garbage_time + self.rules.garbage_delay)

    def advance_clock(self, frames: int) -> None:
        """Advance the clock, and queue the batches of a solo source that counts frames."""
        for _ in range(frames):
            self.frames += 1
            if self.rules.garbage_interval_unit == "frames":
                self.add_solo_batch(self.frames)

    # Real time: keys

    def key_down(self, key: str) -> None:
        """Press a key and keep it down; of the keys of a group, only the last one pressed stays down."""
        for group in KEY_GROUPS:
            for other in group if key in group else ():
                self.keys_down.pop(other, None)
        if key != "hold":
            self.keys_down[key] = 0
        self.press(key)
        self.keys_down[key] = 0

    def key_up(self, key: str) -> None:
        self.keys_down.pop(key, None)

    def press(self, key: str) -> None:
        if self.state is None:
            self.spawn_if_due()
        elif key == "hold":
            if not self.has_used_hold:
                self.exchange_in_play()
                self.rotate_initially()
        elif key == "drop":
            must_lock = self.drop()
            if must_lock or self.rules.locks_with("drop"):
                self.lock_in_place()
            else:
                self.lock_without_delay()
        else:
            self.press_step(key)

    def press_step(self, key: str) -> None:
        assert self.state is not None
        after = self.motion.move(self.state, key)
        if after is not None:
            self.score += self.rules.get_points_per_row(key)
            self.move_to(after)
        elif key == "down" and self.rules.locks_with("down"):
            self.lock_in_place()

    def drop(self) -> bool:
        """Move the piece down as far as it can go; return whether it must lock at once.

        A piece that has no row to fall keeps its last action.
        """
        assert self.state is not None
        lowest = self.motion.drop(self.state)
        rows = self.state.top - lowest.top
        self.score += rows * self.rules.get_points_per_row("drop")
        return rows > 0 and self.settle(lowest)

    def exchange_in_play(self) -> None:
        """Exchange the piece in play for the one in the hold box, which spawns or ends the game."""
        if self.rules.hold and not self.has_used_hold:
            self.exchange()
            self.spawn_or_end()

    def rests(self) -> bool:
        assert self.state is not None
        return self.motion.rests(self.state)

    def find_row(self) -> int:
        """Return the lowest row of the piece in play."""
        return min(row for _, row in self.falling_cells)

    def move_to(self, after: State) -> None:
        """Move the piece, and lock it if it rests and its lock delay is over or 0."""
        if self.settle(after):
            self.lock_in_place()
        else:
            self.lock_without_delay()

    def settle(self, after: State) -> bool:
        """Move the piece and count the restarts of its lock delay; return whether it must lock at once.

        The delay starts again, with all its restarts, when the piece rests lower than ever before.
        """
        limit = self.rules.lock_resets
        has_no_restarts = 0 < limit == self.restarts
        if self.rests() and limit and not has_no_restarts:
            self.restarts += 1
            self.rest_frames = 0
        self.state = after
        if self.rests() and self.find_row() < self.lowest_rest_row:
            self.lowest_rest_row = self.find_row()
            self.restarts = 0
            self.rest_frames = 0
            return False
        return self.rests() and has_no_restarts

    def lock_without_delay(self) -> None:
        if self.rules.lock_delay == 0 and self.rests():
            self.lock_in_place()

    def lock_in_place(self) -> None:
        assert self.state is not None
        if any(row >= self.rules.rows for _, row in self.falling_cells):
            self.end()
            return
        self.wait_frames = self.lock(self.motion.cells(self.state), self.motion.lock(self.state).spin)
        self.spawn_if_due()

    # Real time: the clock

    def spawn_if_due(self) -> None:
        """Spawn the next piece if its delay is over, and apply the keys that act at once."""
        if self.is_over or self.wait_frames:
            return
        self.spawn_or_end()
        if not self.is_over and self.rules.initial_hold and "hold" in self.keys_down:
            self.exchange_in_play()
        self.rotate_initially()

    def spawn_or_end(self) -> None:
        self.spawn()
        if self.state is None:
            self.end()

    def rotate_initially(self) -> None:
        """Apply the key for a rotation that is down when a piece spawns, and lock the piece if it has no lock delay."""
        pieces = self.pieces
        if self.state is not None and self.rules.initial_rotation:
            for key in TURNS:
                if key in self.keys_down:
                    self.press_step(key)
        if self.state is not None and self.pieces == pieces:
            self.lock_without_delay()

    def tick(self) -> None:
        """Advance the game by one frame: repeat keys that are down, then apply gravity and the lock delay.

        A frame in which a piece spawns does not count for the gravity of that piece.
        """
        if self.is_over:
            return
        self.advance_clock(1)
        was_waiting = self.state is None
        pieces = self.pieces
        for key in (*SIDEWAYS, "down"):
            if key in self.keys_down:
                self.keys_down[key] += 1
                if self.state is not None and self.pieces == pieces:
                    self.repeat(key)
        if was_waiting:
            self.wait_frames = max(0, self.wait_frames - 1)
            self.spawn_if_due()
        elif self.state is not None and self.pieces == pieces:
            self.count_frame()

    def repeat(self, key: str) -> None:
        """Let a key that is down act again if it is due."""
        interval = self.rules.arr if key in SIDEWAYS else self.rules.soft_drop_interval
        delay = self.rules.das if key in SIDEWAYS else 0
        frames = self.keys_down[key] - delay
        if interval == "instant" and frames >= 0:
            self.shift(key)
        elif interval != "instant" and int(interval) > 0 and frames >= 0 and frames % int(interval) == 0:
            self.press(key)

    def shift(self, key: str) -> None:
        """Move the piece as far as a key can; all its steps are one move."""
        assert self.state is not None
        furthest = self.state
        steps = 0
        while (following := self.motion.move(furthest, key)) is not None:
            furthest = following
            steps += 1
        if steps:
            self.score += steps * self.rules.get_points_per_row(key)
            self.move_to(furthest)
        else:
            self.press(key)

    def count_frame(self) -> None:
        """Count one frame for gravity and for the lock delay, and apply them."""
        was_resting = self.rests()
        pieces = self.pieces
        if self.gravity:
            self.fall_time += 1
            rows = self.fall_time // self.gravity
            self.fall_time -= rows * self.gravity
            if rows and was_resting and self.rules.lock_delay == "gravity":
                self.lock_in_place()
                return
            if rows and not was_resting:
                self.fall(rows)
        if was_resting and self.pieces == pieces and self.rules.lock_delay != "gravity":
            self.rest_frames += 1
            if self.rest_frames >= int(self.rules.lock_delay):
                self.lock_in_place()

    def fall(self, rows: int) -> None:
        assert self.state is not None
        state = self.state
        for _ in range(min(rows, self.rules.rows + 8)):
            if not self.motion.rests(state):
                state = state.lowered
        self.move_to(state)
