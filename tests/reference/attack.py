"""The rows of garbage that a clear sends, and its points in the guideline score.

Sources: libtetris of Cold Clear (lock_data.rs, board.rs) for `libtetris`; Triangle (damageCalc, engine/index.ts, room
presets) for `tetrio` and `tetrio-s1`; Jstris for `jstris`.
"""

from math import floor, log
from typing import NamedTuple

BASE = {  # by spin, then by rows
    "none": [0, 0, 1, 2, 4],
    "mini": [0, 0, 1, 2, 4],  # four rows with a spin do not occur: I shares a row with its position before a rotation
    "full": [0, 2, 4, 6, 4],
}
COMBOS = {
    "libtetris": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5],
    "jstris": [0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5],
}
MAX_BACK_TO_BACK = 63  # larger numbers count as these
MAX_COMBO = 31
FIRST_SURGE = 5  # difficult clears that a chain needs for a surge; TETR.IO calls this back-to-back x4

POINTS = {
    "none": [0, 100, 300, 500, 800],
    "mini": [100, 200, 400, 800, 800],  # three rows: TETR.IO
    "full": [400, 800, 1200, 1600, 800],
}
PERFECT_CLEAR_POINTS = [0, 800, 1200, 1800, 2000]
BACK_TO_BACK_TETRIS_PERFECT_CLEAR_POINTS = 3200


class Clear(NamedTuple):
    """What a placement cleared."""

    spin: str  # none, mini or full
    rows: int
    combo: int = 0  # consecutive placements with a clear before this one
    back_to_back: int = 0  # consecutive difficult clears before this one
    is_perfect: bool = False  # whether it leaves the board empty


def is_difficult(profile: str, clear: Clear) -> bool:
    """Return whether a clear continues a chain of back-to-backs: four rows, or a spin; for `tetrio` a perfect clear."""
    if clear.rows == 0:
        return False
    return clear.rows == 4 or clear.spin != "none" or (profile == "tetrio" and clear.is_perfect)


def is_back_to_back(profile: str, clear: Clear) -> bool:
    return is_difficult(profile, clear) and clear.back_to_back >= 1


def compute_attack(profile: str, clear: Clear) -> int:
    """Return the rows of garbage that a clear sends, before they cancel rows of the queue."""
    if profile == "none" or clear.rows == 0:
        return 0
    clear = clear._replace(combo=min(clear.combo, MAX_COMBO), back_to_back=min(clear.back_to_back, MAX_BACK_TO_BACK))
    if profile == "libtetris" and clear.is_perfect:
        return 10
    base = BASE[clear.spin][clear.rows]
    if profile in ("tetrio", "tetrio-s1"):
        return compute_tetrio_attack(profile, base, clear)
    attack = base + is_back_to_back(profile, clear)
    if profile in COMBOS:
        table = COMBOS[profile]
        attack += table[min(clear.combo, len(table) - 1)]
    if profile == "jstris" and clear.is_perfect:
        attack += 10
    return attack


def compute_tetrio_attack(profile: str, base: int, clear: Clear) -> int:
    """Return the attack by the formulas of TETR.IO, in its second season or its first (`tetrio-s1`)."""
    bonus = 0.0
    if is_back_to_back(profile, clear):
        bonus = 1.0 if profile == "tetrio" else compute_chain_bonus(clear.back_to_back)
    rows = (base + bonus) * (1 + 0.25 * clear.combo)
    if clear.combo >= 2:
        rows = max(rows, log(1 + 1.25 * clear.combo))
    attack = floor(rows)
    if clear.is_perfect:
        attack += 5 if profile == "tetrio" else 10
    if profile == "tetrio" and not is_difficult(profile, clear) and clear.back_to_back >= FIRST_SURGE:
        attack += clear.back_to_back - 1
    return attack


def compute_chain_bonus(back_to_back: int) -> float:
    """Return the rows that the first season of TETR.IO adds for a chain of back-to-backs."""
    growth = log(1 + 0.8 * back_to_back)
    fraction = growth - floor(growth)
    return floor(1 + growth) + (0 if back_to_back == 1 else (1 + fraction) / 3)


def compute_guideline_points(profile: str, clear: Clear, level: int) -> int:
    """Return the points of a placement in the guideline score; `level` is the level before the clear."""
    points = POINTS[clear.spin][clear.rows]
    if is_back_to_back(profile, clear):
        points += points // 2
    if clear.rows:
        points += 50 * clear.combo
    if clear.is_perfect:
        has_back_to_back_tetris = clear.rows == 4 and is_back_to_back(profile, clear)
        points += (
            BACK_TO_BACK_TETRIS_PERFECT_CLEAR_POINTS if has_back_to_back_tetris else PERFECT_CLEAR_POINTS[clear.rows]
        )
    return points * level
