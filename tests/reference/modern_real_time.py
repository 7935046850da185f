"""The modern game in real time: keys, gravity, lock delay with restarts, hold, initial rotation and initial hold."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from tests.reference.full_game import Deal
from tests.reference.modern_game import ModernGame
from tests.reference.modern_movement import ModernMotion, Situation
from tests.reference.modern_rules import ModernRules
from tests.reference.movement import TURNS

SIDEWAYS = ("left", "right")
GROUPS = (SIDEWAYS, tuple(TURNS))  # of the keys of a group that are down, the one that was pressed last counts
MAX_ROWS_PER_SECOND = 1200  # 20G: twenty rows in a sixtieth of a second
MAX_LEVEL = 20


@dataclass(frozen=True)
class RealTimeRules(ModernRules):
    """The rules of a modern game in real time; docs/rules.md explains the fields."""

    lock_resets: int = 0
    initial_rotation: int = 0
    initial_hold: int = 0

    def seconds_per_row(self, level: int) -> Fraction:
        """Return the gravity of the guideline, rounded to nanoseconds."""
        steps = min(max(level, 1), MAX_LEVEL) - 1
        seconds = max((Fraction(8, 10) - Fraction(7, 1000) * steps) ** steps, Fraction(1, MAX_ROWS_PER_SECOND))
        is_fastest = seconds == Fraction(1, MAX_ROWS_PER_SECOND)
        nanoseconds = int(10**9 * seconds) if is_fastest else round(10**9 * seconds)
        return Fraction(nanoseconds, 10**9)

    def seconds_per_row_in_tetrio(self, frames: int) -> Fraction:
        """Return the gravity of TETR.IO after whole milliseconds, rounded down to nanoseconds."""
        late = max(Fraction(floor(1000 * frames / self.exact_frames_per_second), 1000) - 120, Fraction(0))
        rows_per_second = 60 * (Fraction(2, 100) + Fraction(35, 10_000) * late)
        return Fraction(max(floor(10**9 / rows_per_second), 10**9 // MAX_ROWS_PER_SECOND), 10**9)

    def time_per_row(self, level: int, frames: int) -> Fraction:
        """Return the gravity in frames per row, which may be less than 1; 0: the piece does not fall."""
        if self.gravity == "guideline":
            return self.seconds_per_row(level) * self.exact_frames_per_second
        if self.gravity == "tetrio":
            return self.seconds_per_row_in_tetrio(frames) * self.exact_frames_per_second
        return Fraction(self.frames_per_row(level, frames))

    def points_per_row(self, key: str) -> int:
        """Return the points for each row by which a key moves a piece down."""
        if self.scoring == "guideline":
            return {"down": 1, "drop": 2}.get(key, 0)
        return int(self.scoring == "nes" and key == "down")


class ModernRealTimeGame(ModernGame):
    """A modern game that is played with `press`, `key_down`, `key_up` and `tick`."""

    def __init__(self, rules: RealTimeRules, deal: Deal, key: int) -> None:
        self.timing = rules
        self.wait_frames = 0
        self.keys_down: dict[str, int] = {}  # number of frames since the key went down
        self.has_used_hold = False
        self.situation: Situation | None = None
        super().__init__(rules, deal, key)

    def start_piece(self) -> None:
        """Spawn the current piece, or end the game if it is blocked."""
        self.motion = ModernMotion(self.board, self.piece, self.rules)
        self.situation = None
        if not self.motion.can_spawn:
            self.end()
            return
        self.time_per_row = self.timing.time_per_row(self.level, self.frames)
        self.fall_time = Fraction(0)
        self.rest_frames = 0
        self.restarts = 0
        self.situation = self.motion.spawn
        self.lowest_rest_row = self.find_row() if self.rests() else 10**6

    def spawn(self) -> None:
        """Spawn the next piece in real time, and apply the keys that act at once."""
        self.start_piece()
        if not self.is_over and self.timing.initial_hold and "hold" in self.keys_down:
            self.exchange_in_play()
        self.rotate_initially()

    def rotate_initially(self) -> None:
        pieces = self.pieces
        if self.situation is not None and self.timing.initial_rotation:
            for key in TURNS:
                if key in self.keys_down:
                    self.press_step(key)
        if self.situation is not None and self.pieces == pieces:
            self.lock_without_delay()

    def rests(self) -> bool:
        assert self.situation is not None
        return self.motion.motion.rests(self.situation.state)

    def find_row(self) -> int:
        assert self.situation is not None
        return min(row for _, row in self.motion.cells(self.situation))

    def exchange_in_play(self) -> None:
        if self.rules.hold and not self.has_used_hold:
            self.has_used_hold = True
            self.exchange()
            self.start_piece()

    def key_down(self, key: str) -> None:
        for group in GROUPS:
            for other in group if key in group else ():
                self.keys_down.pop(other, None)
        if key != "hold":
            self.keys_down[key] = 0
        self.press(key)
        self.keys_down[key] = 0

    def key_up(self, key: str) -> None:
        self.keys_down.pop(key, None)

    def press(self, key: str) -> None:
        if self.situation is None:
            return
        if key == "hold":
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
        assert self.situation is not None
        after = self.motion.press(self.situation, key)
        if after is not None:
            self.score += self.timing.points_per_row(key)
            self.move_to(after)
        elif key == "down" and self.rules.locks_with("down"):
            self.lock_in_place()

    def drop(self) -> bool:
        """Move the piece down as far as it can go; return whether it must lock at once.

        A piece that has no row to fall keeps its last action.
        """
        assert self.situation is not None
        lowest = self.motion.motion.drop(self.situation.state)
        rows = self.situation.state.top - lowest.top
        self.score += rows * self.timing.points_per_row("drop")
        return rows > 0 and self.settle(Situation(lowest, None))

    def move_to(self, after: Situation) -> None:
        """Move the piece, and lock it if it rests and its lock delay is over or 0."""
        if self.settle(after):
            self.lock_in_place()
        else:
            self.lock_without_delay()

    def settle(self, after: Situation) -> bool:
        """Move the piece and count the restarts of its lock delay; return whether it must lock at once."""
        limit = self.timing.lock_resets
        has_no_restarts = 0 < limit == self.restarts
        if self.rests() and limit and not has_no_restarts:
            self.restarts += 1
            self.rest_frames = 0
        self.situation = after
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
        assert self.situation is not None
        cells = self.motion.cells(self.situation)
        if any(row >= self.rules.rows for _, row in cells):
            self.end()
            self.situation = None
            return
        lines = self.lines
        self.lock(self.motion.lock(self.situation))
        self.situation = None
        self.has_used_hold = False
        self.known_pieces = self.next
        while len(self.known_pieces) < 1 + self.rules.preview:
            self.deal_piece()
        self.wait_frames = self.rules.compute_spawn_delay(min(row for _, row in cells), self.lines - lines)
        self.spawn_if_due()

    def spawn_if_due(self) -> None:
        if not self.is_over and self.wait_frames == 0:
            self.spawn()

    def tick(self) -> None:
        """Advance the game by one frame: repeat keys that are down, then apply gravity and the lock delay."""
        if self.is_over:
            return
        self.advance_clock(1)
        was_waiting = self.situation is None
        pieces = self.pieces
        for key in (*SIDEWAYS, "down"):
            if key in self.keys_down:
                self.keys_down[key] += 1
                if self.situation is not None and self.pieces == pieces:
                    self.repeat(key)
        if was_waiting:
            self.wait_frames = max(0, self.wait_frames - 1)
            self.spawn_if_due()
        elif self.situation is not None and self.pieces == pieces:
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
        assert self.situation is not None
        furthest = self.situation
        steps = 0
        while (following := self.motion.press(furthest, key)) is not None:
            furthest = following
            steps += 1
        if steps:
            self.score += steps * self.timing.points_per_row(key)
            self.move_to(furthest)
        else:
            self.press(key)

    def count_frame(self) -> None:
        """Count one frame for gravity and for the lock delay, and apply them."""
        was_resting = self.rests()
        pieces = self.pieces
        if self.time_per_row:
            self.fall_time += 1
            rows = self.fall_time // self.time_per_row
            self.fall_time -= rows * self.time_per_row
            if rows and was_resting and self.rules.lock_delay == "gravity":
                self.lock_in_place()
                return
            if rows and not was_resting:
                self.fall(int(rows))
        if was_resting and self.pieces == pieces and self.rules.lock_delay != "gravity":
            self.rest_frames += 1
            if self.rest_frames >= int(self.rules.lock_delay):
                self.lock_in_place()

    def fall(self, rows: int) -> None:
        assert self.situation is not None
        state = self.situation.state
        for _ in range(min(rows, self.rules.rows + 8)):
            if not self.motion.motion.rests(state):
                state = state.lowered
        self.move_to(Situation(state, None))
