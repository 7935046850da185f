"""Points, levels, and how long things take; all of it data of the rules."""

from typing import Any

import numpy as np

from tetrion.engine.compiler import compile_inline

# How the level rises.
FIXED_LEVEL, LEVEL_PER_TEN_LINES, NES_LEVELS = range(3)
LEVEL_SYSTEMS = {"fixed": FIXED_LEVEL, "tens": LEVEL_PER_TEN_LINES, "nes": NES_LEVELS}

# How many frames a row takes: always the same, or by one of these.
CONSTANT_GRAVITY, GAVRILOV_GRAVITY, TETRAIS_GRAVITY, NES_GRAVITY = range(4)
GRAVITY_SYSTEMS = {"gavrilov": GAVRILOV_GRAVITY, "tetrais": TETRAIS_GRAVITY, "nes": NES_GRAVITY}
NES_FRAMES_PER_ROW = np.array(
    [48, 43, 38, 33, 28, 23, 18, 13, 8, 6] + [5] * 3 + [4] * 3 + [3] * 3 + [2] * 10 + [1], np.int32
)

# Points for one to four lines, for each piece, for a row by the key down, and whether lines count level + 1 times.
_FLAT_POINTS = (40, 100, 300, 1200)
SCORING_SYSTEMS = {
    "lines": ((1, 2, 3, 4), 0, 0, False),
    "flat": (_FLAT_POINTS, 0, 0, False),
    "tetrais": (_FLAT_POINTS, 1, 0, False),
    "nes": (_FLAT_POINTS, 0, 1, True),
}

NES_ENTRY_DELAY = -1  # an entry delay as the console has it


@compile_inline
def compute_level(rules: Any, lines: int) -> int:
    """The level that so many lines lead to."""
    start = int(rules.start_level)
    if rules.level_system == LEVEL_PER_TEN_LINES:
        return start + lines // 10
    if rules.level_system == NES_LEVELS:
        first = min(10 * start + 10, max(100, 10 * start - 50))
        return start if lines < first else start + 1 + (lines - first) // 10
    return start


@compile_inline
def compute_points(rules: Any, lines: int, level: int) -> int:
    """What a piece earns that clears so many lines, with the level after the clear."""
    points = int(rules.points_a_piece)
    if lines:
        points += int(rules.points[lines - 1]) * (level + 1 if rules.points_by_level else 1)
    return points


@compile_inline
def compute_frames_per_row(rules: Any, level: int, frames: int) -> int:
    """How long a piece takes for a row that enters at this level when the game has lasted so many frames."""
    if rules.gravity_by == GAVRILOV_GRAVITY:
        return max(370 - 5 * (frames // 5000), 120)
    if rules.gravity_by == TETRAIS_GRAVITY:
        return 1000 - 100 * min(level, 9)
    if rules.gravity_by == NES_GRAVITY:
        return int(NES_FRAMES_PER_ROW[min(level, len(NES_FRAMES_PER_ROW) - 1)])
    return int(rules.gravity)


@compile_inline
def compute_entry_delay(rules: Any, row: int, lines: int) -> int:
    """How long it takes from a lock, with the piece's lowest cell in that row, until the next piece enters."""
    frames = int(rules.clear_delay) if lines else 0
    if rules.spawn_delay == NES_ENTRY_DELAY:
        return frames + min(10 + 2 * ((row + 2) // 4), 18)
    return frames + int(rules.spawn_delay)
