"""The rows of garbage that a clear sends, and its points in the guideline score.

Sources: libtetris of Cold Clear (lock_data.rs, board.rs) for `libtetris`; Triangle (damageCalc, engine/index.ts, room
presets) for `tetrio` and `tetrio-s1`; for `jstris` copies of Jstris' function for clears in user scripts.
"""

from fractions import Fraction
from math import floor, log
from typing import NamedTuple

BASE = {  # by spin, then by rows
    "none": [0, 0, 1, 2, 4],
    "mini": [0, 0, 1, 2, 4],  # four rows with a spin do not occur: I shares a row with its position before a rotation
    "full": [0, 2, 4, 6, 4],
}
COMBOS = {"libtetris": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5], "jstris": [0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5]}
TETRIO = ("tetrio", "tetrio-s1")
PERFECT_CLEARS = {"libtetris": 10, "tetrio": 5, "tetrio-s1": 10}  # rows; in libtetris instead of the others
JSTRIS_PERFECT_CLEAR = 10
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


def compute_attack(profile: str, clear: Clear, multiplier: Fraction = Fraction(1)) -> int:
    """Return the rows of garbage that a clear makes, before they cancel rows of the queue.

    The attack of the clear in 1,024ths of a row, the surge and the perfect clear are each multiplied and rounded down.
    """
    if profile == "none" or clear.rows == 0:
        return 0
    clear = clear._replace(combo=min(clear.combo, MAX_COMBO), back_to_back=min(clear.back_to_back, MAX_BACK_TO_BACK))
    if profile == "jstris":
        return floor(compute_jstris_rows(clear) * multiplier)
    perfect_clear = floor(PERFECT_CLEARS.get(profile, 0) * multiplier) if clear.is_perfect else 0
    if profile == "libtetris" and clear.is_perfect:
        return perfect_clear
    base = BASE[clear.spin][clear.rows]
    rows = compute_tetrio_rows(profile, base, clear) if profile in TETRIO else compute_table_rows(profile, base, clear)
    has_surge = profile == "tetrio" and not is_difficult(profile, clear) and clear.back_to_back >= FIRST_SURGE
    surge = floor((clear.back_to_back - 1) * multiplier) if has_surge else 0
    return floor(Fraction(floor(1024 * rows), 1024) * multiplier) + surge + perfect_clear


def compute_table_rows(profile: str, base: int, clear: Clear) -> int:
    """Return the rows of a clear with one row for back-to-back and a table for combos."""
    return base + is_back_to_back(profile, clear) + get_combo_rows(profile, clear)


def get_combo_rows(profile: str, clear: Clear) -> int:
    table = COMBOS.get(profile, [0])
    return table[min(clear.combo, len(table) - 1)]


def compute_jstris_rows(clear: Clear) -> int:
    """Return the rows of a clear in Jstris.

    A T-spin of two or three rows is a double or triple, mini or not; a mini single gets no row for back-to-back; the
    rows of a perfect clear take the place of all these, and the combo comes last.
    """
    is_mini_single = clear.spin == "mini" and clear.rows == 1
    spin = "full" if clear.spin == "mini" and not is_mini_single else clear.spin
    rows = BASE[spin][clear.rows]
    if is_back_to_back("jstris", clear) and not is_mini_single:
        rows += 1
    if clear.is_perfect:
        rows = JSTRIS_PERFECT_CLEAR
    return rows + get_combo_rows("jstris", clear)


def compute_tetrio_rows(profile: str, base: int, clear: Clear) -> float:
    """Return the rows of a clear by the formulas of TETR.IO, in its second season or its first (`tetrio-s1`)."""
    bonus = 0.0
    if is_back_to_back(profile, clear):
        bonus = 1.0 if profile == "tetrio" else compute_chain_bonus(clear.back_to_back)
    rows = (base + bonus) * (1 + 0.25 * clear.combo)
    return max(rows, log(1 + 1.25 * clear.combo)) if clear.combo >= 2 else rows


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
