"""Rules, and the levels, gravity, points, delays and ends of games that they define."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from math import floor
from typing import Any, Self

from tests.reference.board import Board
from tests.reference.pieces import Cell

FLAT_POINTS = [0, 40, 100, 300, 1200]
NES_GRAVITY = [48, 43, 38, 33, 28, 23, 18, 13, 8, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3] + 10 * [2] + [1]
MAX_ROWS_PER_SECOND = 1200  # 20G: twenty rows in a sixtieth of a second
MAX_GUIDELINE_LEVEL = 20


@dataclass(frozen=True)
class Rules:
    """The rules of a game; docs/rules.md explains the fields.

    The defaults are SRS on a board of 20 visible and 8 hidden rows, with the spawn position of the published counts.
    """

    height: int = 20
    hidden_rows: int = 8
    spawn_height: int = 0
    preview: int = 0
    randomiser: str = "bag"
    rotation: str = "srs"
    half_turn_kicks: str = "none"
    movement: str = "reach"
    keys: tuple[str, ...] = ("left", "right", "rotate", "back", "down", "drop")
    lock_keys: tuple[str, ...] = ("drop",)
    lock_delay: str | int = "gravity"
    lock_resets: int = 0
    gravity: str | int = 500
    frames_per_second: float = 1000
    thinking_frames: int = 0
    frames_per_key: int = 100
    das: int = 170
    arr: str | int = 50
    soft_drop_interval: str | int = 50
    spawn_delay: str | int = 0
    clear_delay: int = 0
    scoring: str = "guideline"
    start_level: int = 1
    level_system: str = "tens"
    game_over: str = "lock-out"
    hold: bool = False  # the current piece can be exchanged for the one in the hold box
    initial_rotation: bool = False
    initial_hold: bool = False
    spins: str = "none"  # none, t, all-mini or all
    spin_kick: str = "any"  # which fifth kicks make a mini T-spin a full one: any, only the long ones, late, or none
    attack: str = "none"  # none, libtetris, guideline, jstris, tetrio or tetrio-s1
    garbage_rows: int = 0  # rows of each batch of the solo source; 0: no garbage
    garbage_interval: int = 1  # pieces or frames between two batches
    garbage_delay: int = 0  # pieces or frames from the arrival of a batch in the queue until it may rise
    garbage_interval_unit: str = "pieces"  # pieces or frames
    garbage_delay_unit: str = "pieces"
    garbage_cap: int = 8  # rows that rise at most when a piece locks
    start_garbage: int = 0  # rows of garbage at the start of a game
    garbage_messiness: int = 0  # chance in percent that the gap moves before a further row of a batch rises
    garbage_blocking: str = "combo"  # combo: no garbage rises when a piece clears rows; none: it always may
    garbage_clear_bonus: int = 0  # rows that a tetris or spin adds to its attack if it clears garbage
    opener_pieces: int = 0  # the first pieces, whose attack may cancel twice
    attack_growth: int = 0  # growth of the multiplier of attack, in thousandths per second
    attack_growth_start: int = 0  # the frame from which on it grows
    clearing: str = "standard"  # hanging: only the rows above the highest full row move down
    placement_frames: int = 0  # frames after a placement in a game by placements

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """Create rules from values by field name; other keys are ignored."""
        return cls(**{field.name: values[field.name] for field in fields(cls)})

    @property
    def rows(self) -> int:
        """Number of rows of the board, including hidden rows."""
        return self.height + self.hidden_rows

    @property
    def exact_frames_per_second(self) -> Fraction:
        return Fraction(round(1000 * self.frames_per_second), 1000)

    def has_key(self, key: str) -> bool:
        return key in self.keys

    def locks_with(self, key: str) -> bool:
        return key in self.lock_keys

    def compute_level(self, lines: int) -> int:
        """Return the level after this number of cleared lines."""
        if self.level_system == "fixed":
            return self.start_level
        if self.level_system == "tens":
            return self.start_level + lines // 10
        first_increase = min(10 * self.start_level + 10, max(100, 10 * self.start_level - 50))
        return self.start_level if lines < first_increase else self.start_level + 1 + (lines - first_increase) // 10

    def compute_gravity(self, level: int, frames: int) -> Fraction:
        """Return the gravity of a piece that spawns at this level and frame of the game.

        The unit is frames per row, which may be less than 1; 0: the piece does not fall.
        """
        if self.gravity == "guideline":
            return self._compute_guideline_gravity(level) * self.exact_frames_per_second
        if self.gravity == "tetrio":
            return self._compute_tetrio_gravity(frames) * self.exact_frames_per_second
        if self.gravity == "gavrilov":
            return Fraction(max(120, 370 - 5 * (frames // 5000)))
        if self.gravity == "tetrais":
            return Fraction(1000 - 100 * min(level, 9))
        if self.gravity == "nes":
            return Fraction(NES_GRAVITY[min(level, 29)])
        return Fraction(int(self.gravity))

    def _compute_guideline_gravity(self, level: int) -> Fraction:
        """Return the gravity of the guideline in seconds per row, rounded to nanoseconds."""
        steps = min(max(level, 1), MAX_GUIDELINE_LEVEL) - 1
        seconds = max((Fraction(8, 10) - Fraction(7, 1000) * steps) ** steps, Fraction(1, MAX_ROWS_PER_SECOND))
        is_fastest = seconds == Fraction(1, MAX_ROWS_PER_SECOND)
        nanoseconds = int(10**9 * seconds) if is_fastest else round(10**9 * seconds)
        return Fraction(nanoseconds, 10**9)

    def _compute_tetrio_gravity(self, frames: int) -> Fraction:
        """Return the gravity of TETR.IO in seconds per row after whole milliseconds, rounded down to nanoseconds."""
        late = max(Fraction(floor(1000 * frames / self.exact_frames_per_second), 1000) - 120, Fraction(0))
        rows_per_second = 60 * (Fraction(2, 100) + Fraction(35, 10_000) * late)
        return Fraction(max(floor(10**9 / rows_per_second), 10**9 // MAX_ROWS_PER_SECOND), 10**9)

    def compute_points(self, lines: int, level: int) -> int:
        """Return the points for a piece that clears this number of lines, except under the scoring of the guideline.

        `level` is the level after the clear.
        """
        lines = min(lines, 4)  # a hanging clear can leave a full row, which is cleared with those of the next piece
        if self.scoring == "lines":
            return lines
        if self.scoring == "tetrais":
            return FLAT_POINTS[lines] + 1
        if self.scoring == "nes":
            return FLAT_POINTS[lines] * (level + 1)
        return FLAT_POINTS[lines]

    def get_points_per_row(self, key: str) -> int:
        """Return the points for each row by which a key moves a piece down."""
        if self.scoring == "guideline":
            return {"down": 1, "drop": 2}.get(key, 0)
        return int(self.scoring == "nes" and key == "down")

    def compute_spawn_delay(self, lowest_row: int, lines: int) -> int:
        """Return the number of frames from a lock to the spawn of the next piece."""
        nes_delay = min(18, 10 + 2 * ((lowest_row + 2) // 4))
        delay = nes_delay if self.spawn_delay == "nes" else int(self.spawn_delay)
        return delay + self.clear_delay if lines else delay

    def compute_multiplier(self, frames: int) -> Fraction:
        """Return the factor of attack at a frame; it grows by whole milliseconds, up to a million."""
        seconds = Fraction(max(frames - self.attack_growth_start, 0)) / self.exact_frames_per_second
        return min(1 + Fraction(self.attack_growth, 1000) * Fraction(floor(1000 * seconds), 1000), Fraction(10**6))

    @property
    def requires_spawn(self) -> bool:
        """Whether the game ends when a piece does not fit at its spawn position, even if it has placements."""
        return self.game_over in ("entry", "lock-out")

    def ends_game(self, cells: list[Cell], board: Board) -> bool:
        """Return whether a piece that locks on these cells, with this board as the result, ends the game."""
        if self.game_over == "top-row":
            return any(any(row) for row in board[self.height - 1 :])
        if self.game_over == "lock-out":
            return all(row >= self.height for _, row in cells)
        return self.game_over == "above" and any(row >= self.height for _, row in cells)


def make_rules(**changes: Any) -> Rules:
    """Return the default rules with changes; with `half_turn_kicks` there is a key for half turns, too."""
    if "half_turn_kicks" in changes:
        changes = {"keys": "left+right+rotate+back+half+down+drop"} | changes
    return Rules(**changes)
