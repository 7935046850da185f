"""Points, levels, and how long things take; all of it data of the rules."""

from typing import Any

import numpy as np

from tetrion.engine.compiler import compiled

# How the level rises.
FIXED, TENS, NES_LEVELS = range(3)
LEVELS = {"fixed": FIXED, "tens": TENS, "nes": NES_LEVELS}

# How many frames a row takes: always the same, or by one of these.
CONSTANT, GAVRILOV, TETRAIS, NES_GRAVITY = range(4)
GRAVITIES = {"gavrilov": GAVRILOV, "tetrais": TETRAIS, "nes": NES_GRAVITY}
NES_FRAMES = np.array([48, 43, 38, 33, 28, 23, 18, 13, 8, 6] + [5] * 3 + [4] * 3 + [3] * 3 + [2] * 10 + [1], np.int32)

# Points for one to four lines, for each piece, for a row by the key down, and whether lines count level + 1 times.
FLAT = (40, 100, 300, 1200)
SCORINGS = {
    "lines": ((1, 2, 3, 4), 0, 0, False),
    "flat": (FLAT, 0, 0, False),
    "tetrais": (FLAT, 1, 0, False),
    "nes": (FLAT, 0, 1, True),
}

BY_HEIGHT = -1  # an entry delay as the console has it


@compiled
def level_of(rules: Any, lines: int) -> int:
    """The level that so many lines lead to."""
    start = int(rules.level)
    if rules.levels == TENS:
        return start + lines // 10
    if rules.levels == NES_LEVELS:
        first = min(10 * start + 10, max(100, 10 * start - 50))
        return start if lines < first else start + 1 + (lines - first) // 10
    return start


@compiled
def points_of(rules: Any, lines: int, level: int) -> int:
    """What a piece earns that clears so many lines, with the level after the clear."""
    points = int(rules.points_a_piece)
    if lines:
        points += int(rules.points[lines - 1]) * (level + 1 if rules.points_by_level else 1)
    return points


@compiled
def frames_a_row(rules: Any, level: int, frames: int) -> int:
    """How long a piece takes for a row that enters at this level when the game has lasted so many frames."""
    if rules.gravity_by == GAVRILOV:
        return max(370 - 5 * (frames // 5000), 120)
    if rules.gravity_by == TETRAIS:
        return 1000 - 100 * min(level, 9)
    if rules.gravity_by == NES_GRAVITY:
        return int(NES_FRAMES[min(level, len(NES_FRAMES) - 1)])
    return int(rules.gravity)


@compiled
def frames_to_entry(rules: Any, row: int, lines: int) -> int:
    """How long it takes from a lock, with the piece's lowest cell in that row, until the next piece enters."""
    frames = int(rules.clear_delay) if lines else 0
    if rules.entry_delay == BY_HEIGHT:
        return frames + min(10 + 2 * ((row + 2) // 4), 18)
    return frames + int(rules.entry_delay)
