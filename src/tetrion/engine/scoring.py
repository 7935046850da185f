"""Points, levels, gravity and delays, computed from the rules."""

from typing import NamedTuple

import numpy as np

from tetrion.engine.compiler import compile_inline
from tetrion.engine.records import RulesRecord

FIXED_LEVEL, LEVEL_PER_TEN_LINES, NES_LEVELS = range(3)
LEVEL_SYSTEMS = {"fixed": FIXED_LEVEL, "tens": LEVEL_PER_TEN_LINES, "nes": NES_LEVELS}

# Gravity, in frames per row: constant, or computed by one of these systems.
CONSTANT_GRAVITY, GAVRILOV_GRAVITY, TETRAIS_GRAVITY, NES_GRAVITY, GUIDELINE_GRAVITY, TETRIO_GRAVITY = range(6)
FIRST_FINE_GRAVITY = GUIDELINE_GRAVITY  # from here on gravity is a time, which may be less than a frame per row
GRAVITY_SYSTEMS = {
    "gavrilov": GAVRILOV_GRAVITY,
    "tetrais": TETRAIS_GRAVITY,
    "nes": NES_GRAVITY,
    "guideline": GUIDELINE_GRAVITY,
    "tetrio": TETRIO_GRAVITY,
}
FINE_GRAVITIES = [name for name, number in GRAVITY_SYSTEMS.items() if number >= FIRST_FINE_GRAVITY]
NES_FRAMES_PER_ROW = np.array(
    [48, 43, 38, 33, 28, 23, 18, 13, 8, 6] + [5] * 3 + [4] * 3 + [3] * 3 + [2] * 10 + [1], np.int32
)

# The guideline's gravity is a time per row, (0.8 − 0.007 (L − 1)) ** (L − 1) seconds at level L, until 20G: twenty rows
# in a sixtieth of a second. Level 0 is as slow as level 1.
_GUIDELINE_LEVELS = 20  # from 0 to 19, which reaches 20G
_MIN_NANOSECONDS_PER_ROW = 10**9 // (20 * 60)
GUIDELINE_NANOSECONDS_PER_ROW = np.array(
    [
        max(_MIN_NANOSECONDS_PER_ROW, round(10**9 * (0.8 - 0.007 * max(level - 1, 0)) ** max(level - 1, 0)))
        for level in range(_GUIDELINE_LEVELS)
    ]
)
FINE_FRAME = 10**12  # a frame, in nanoseconds × frames per 1,000 seconds

# TETR.IO's gravity is 0.02 rows in a sixtieth of a second, which is 1.2 rows per second; from the third minute on it
# grows by 0.0035 per second, which is 0.21 rows per second (source: Triangle).
_TETRIO_ROWS = 120_000  # per 100,000 seconds
_TETRIO_GROWTH = 21  # of these for each millisecond
_TETRIO_START = 120_000  # milliseconds


class ScoringSystem(NamedTuple):
    """The points that the rules award."""

    line_points: tuple[int, int, int, int]  # for one to four lines
    points_per_piece: int = 0
    points_per_soft_drop_row: int = 0
    points_per_hard_drop_row: int = 0
    points_by_level: bool = False  # line points are multiplied by level + 1
    # Multiplied by the level: by spin and rows; for a perfect clear by rows, and back-to-back; for a clear in a combo.
    spin_points: tuple[tuple[int, ...], ...] = ((0,) * 5,) * 3
    perfect_clear_points: tuple[int, ...] = (0,) * 6
    combo_points: int = 0

    def write_to(self, record: RulesRecord) -> None:
        """Write the points into the record of the rules."""
        for name, value in self._asdict().items():
            setattr(record, name, value)


_FLAT_POINTS = (40, 100, 300, 1200)
SCORING_SYSTEMS = {
    "lines": ScoringSystem((1, 2, 3, 4)),
    "flat": ScoringSystem(_FLAT_POINTS),
    "tetrais": ScoringSystem(_FLAT_POINTS, points_per_piece=1),
    "nes": ScoringSystem(_FLAT_POINTS, points_per_soft_drop_row=1, points_by_level=True),
    "guideline": ScoringSystem(
        (0, 0, 0, 0),
        points_per_soft_drop_row=1,
        points_per_hard_drop_row=2,
        spin_points=((0, 100, 300, 500, 800), (100, 200, 400, 800, 800), (400, 800, 1200, 1600, 800)),
        perfect_clear_points=(0, 800, 1200, 1800, 2000, 3200),
        combo_points=50,
    ),
}

NES_SPAWN_DELAY = -1  # a spawn delay that depends on the row, as in NES Tetris


@compile_inline
def compute_level(rules: RulesRecord, lines: int) -> int:
    """Return the level after `lines` cleared lines."""
    start = int(rules.start_level)
    if rules.level_system == LEVEL_PER_TEN_LINES:
        return start + lines // 10
    if rules.level_system == NES_LEVELS:
        first = min(10 * start + 10, max(100, 10 * start - 50))
        return start if lines < first else start + 1 + (lines - first) // 10
    return start


@compile_inline
def compute_points(rules: RulesRecord, lines: int, level: int) -> int:
    """Return the points for a piece that clears `lines` lines; `level` is the level after the clear."""
    points = int(rules.points_per_piece)
    if lines:
        points += int(rules.line_points[lines - 1]) * (level + 1 if rules.points_by_level else 1)
    return points


@compile_inline
def compute_frames_per_row(rules: RulesRecord, level: int, frames: int) -> int:
    """Return the frames per row of a piece that spawns at `level` after `frames` frames of the game."""
    if rules.gravity_system == GAVRILOV_GRAVITY:
        return max(370 - 5 * (frames // 5000), 120)
    if rules.gravity_system == TETRAIS_GRAVITY:
        return 1000 - 100 * min(level, 9)
    if rules.gravity_system == NES_GRAVITY:
        return int(NES_FRAMES_PER_ROW[min(level, len(NES_FRAMES_PER_ROW) - 1)])
    if rules.gravity_system >= FIRST_FINE_GRAVITY:
        return max(1, compute_fine_gravity(rules, level, frames) // FINE_FRAME)
    return int(rules.gravity)


@compile_inline
def compute_fine_gravity(rules: RulesRecord, level: int, frames: int) -> int:
    """Return the time per row of the guideline or of TETR.IO, where a frame is FINE_FRAME; it may be less than one."""
    if rules.gravity_system == TETRIO_GRAVITY:
        milliseconds = max(frames * 10**6 // int(rules.gravity) - _TETRIO_START, 0)
        nanoseconds = max(10**14 // (_TETRIO_ROWS + _TETRIO_GROWTH * milliseconds), _MIN_NANOSECONDS_PER_ROW)
    else:
        last = len(GUIDELINE_NANOSECONDS_PER_ROW) - 1
        nanoseconds = int(GUIDELINE_NANOSECONDS_PER_ROW[min(level, last)])
    return nanoseconds * int(rules.gravity)


@compile_inline
def compute_spawn_delay(rules: RulesRecord, row: int, lines: int) -> int:
    """Return the frames from a lock with the piece's lowest cell in `row` until the next piece spawns."""
    frames = int(rules.clear_delay) if lines else 0
    if rules.spawn_delay == NES_SPAWN_DELAY:
        return frames + min(10 + 2 * ((row + 2) // 4), 18)
    return frames + int(rules.spawn_delay)
