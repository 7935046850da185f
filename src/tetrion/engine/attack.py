"""Attack: the rows of garbage that a clear sends, as tables for each profile.

A clear is *difficult* if it has four rows or is a spin. Back-to-back counts the consecutive difficult clears before it,
the combo the consecutive placements with a clear before it. The formulas of TETR.IO have fractions, so all results are
computed here once, in 1,024ths of a row that are rounded down: the engine looks them up, and all processors agree.

Sources: libtetris (the library of Cold Clear); the 2009 guideline as read by the project intetrigence; Jstris; TETR.IO
by the engine Triangle. They differ in minis, combos, back-to-back and perfect clears. Jstris publishes no sources; its
values are those of user scripts that contain copies of its functions.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.records import (
    ATTACK_BITS,
    MAX_BASE_ATTACK,
    MAX_CLEARED_ROWS,
    MAX_COUNTED_BACK_TO_BACK,
    MAX_COUNTED_COMBO,
    NO_SPIN,
    FullGameRecord,
    RulesRecord,
)
from tetrion.engine.scalar_or_simd import Array

# By spin (none, mini, full) and cleared rows. No spin clears four rows: I keeps a row of its place before.
_BASE_ATTACK = ((0, 0, 1, 2, 4), (0, 0, 1, 2, 4), (0, 2, 4, 6, 4))
_JSTRIS_BASE_ATTACK = (_BASE_ATTACK[0], (0, 0, 4, 6, 4), _BASE_ATTACK[2])  # only a mini single is less than full
_LIBTETRIS_COMBOS = (0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5)
_JSTRIS_COMBOS = (0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5)


@dataclass(frozen=True)
class AttackProfile:
    """How much a clear sends."""

    description: str
    base_attack: tuple[tuple[int, ...], ...] = _BASE_ATTACK
    bonus_needs_base: bool = False  # Jstris: back-to-back adds nothing to a mini single, whose attack is 0
    combos: tuple[int, ...] = (0,)  # rows added by combo; larger combos add as much as the last
    multiplies_by_combo: bool = False  # TETR.IO: a combo multiplies instead
    chains: bool = False  # TETR.IO, season 1: back-to-back adds more the longer it lasts
    has_surge: bool = False  # TETR.IO, season 2: breaking a long back-to-back sends its length, less 1
    perfect_clear: int = 0
    perfect_clear_replaces: bool = False  # its attack replaces that of the clear
    perfect_clear_has_combo: bool = False  # Jstris: the combo is added to it nevertheless
    perfect_clear_is_difficult: bool = False

    def compute(self, base: int, back_to_back: int, combo: int, is_difficult: bool) -> float:
        """Return the attack of a clear that is not a perfect clear, in rows."""
        rows = float(base)
        if is_difficult and back_to_back and (base or not self.bonus_needs_base):
            rows += _compute_chain_bonus(back_to_back) if self.chains else 1
        if self.multiplies_by_combo:
            rows *= 1 + 0.25 * combo
            if combo >= _FIRST_LOGARITHMIC_COMBO:
                rows = max(rows, math.log(1 + 1.25 * combo))
        else:
            rows += self.get_combo_rows(combo)
        return rows if is_difficult else rows + self.compute_surge(back_to_back)

    def get_combo_rows(self, combo: int) -> int:
        """Return the rows that a combo adds."""
        return self.combos[min(combo, len(self.combos) - 1)]

    def compute_perfect_clear(self, combo: int) -> int:
        """Return the rows that a perfect clear sends beside or instead of the attack of the clear."""
        return self.perfect_clear + (self.get_combo_rows(combo) if self.perfect_clear_has_combo else 0)

    def compute_surge(self, back_to_back: int) -> int:
        """Return the rows that a clear adds which ends a chain of difficult clears."""
        return back_to_back - 1 if self.has_surge and back_to_back >= _FIRST_SURGE else 0

    def write_to(self, record: RulesRecord) -> None:
        """Write the profile into the record of the rules."""
        record.base_attack[:] = self.base_attack
        record.difficult_attack[:] = _tabulate_attack(self, is_difficult=True)
        record.simple_attack[:] = _tabulate_attack(self, is_difficult=False)
        record.surges[:] = [self.compute_surge(chain) for chain in range(MAX_COUNTED_BACK_TO_BACK + 1)]
        record.perfect_clear_attack[:] = [self.compute_perfect_clear(combo) for combo in range(MAX_COUNTED_COMBO + 1)]
        record.perfect_clear_replaces = self.perfect_clear_replaces
        record.perfect_clear_is_difficult = self.perfect_clear_is_difficult


@cache
def _tabulate_attack(profile: AttackProfile, *, is_difficult: bool) -> Array:
    """Return the attack in 1,024ths of a row by base attack, back-to-back and combo."""
    shape = (MAX_BASE_ATTACK + 1, MAX_COUNTED_BACK_TO_BACK + 1, MAX_COUNTED_COMBO + 1)
    rows = [profile.compute(base, chain, combo, is_difficult) for base, chain, combo in np.ndindex(shape)]
    return np.array([math.floor(number * (1 << ATTACK_BITS)) for number in rows], np.int32).reshape(shape)


_FIRST_LOGARITHMIC_COMBO = 2
_FIRST_SURGE = 5  # TETR.IO calls it back-to-back × 4


def _compute_chain_bonus(back_to_back: int) -> float:
    """Return what back-to-back adds in season 1 of TETR.IO."""
    logarithm = math.log(1 + 0.8 * back_to_back)
    fraction = 0.0 if back_to_back == 1 else (1 + logarithm % 1) / 3
    return math.floor(1 + logarithm) + fraction


ATTACK_PROFILES = {
    "libtetris": AttackProfile(
        "Cold Clear's library: a perfect clear sends 10 instead of everything else",
        combos=_LIBTETRIS_COMBOS,
        perfect_clear=10,
        perfect_clear_replaces=True,
    ),
    "guideline": AttackProfile("the guideline of 2009: no combos, no bonus for perfect clears"),
    "jstris": AttackProfile(
        "Jstris: a perfect clear sends 10 instead of the attack of the clear, and the combo; minis of two or three "
        "rows count as full spins",
        base_attack=_JSTRIS_BASE_ATTACK,
        bonus_needs_base=True,
        combos=_JSTRIS_COMBOS,
        perfect_clear=10,
        perfect_clear_replaces=True,
        perfect_clear_has_combo=True,
    ),
    "tetrio": AttackProfile(
        "TETR.IO since season 2: combos multiply, a broken back-to-back surges, a perfect clear adds 5",
        multiplies_by_combo=True,
        has_surge=True,
        perfect_clear=5,
        perfect_clear_is_difficult=True,
    ),
    "tetrio-s1": AttackProfile(
        "TETR.IO in season 1: combos multiply, back-to-back chains, a perfect clear adds 10",
        multiplies_by_combo=True,
        chains=True,
        perfect_clear=10,
    ),
}

_MILLION = 10**6
_MAX_MULTIPLIER = 10**12  # of attack, in millionths: a larger one could overflow


@compile_inline
def is_difficult(rules: RulesRecord, lines: int, spin: int, is_perfect: bool) -> bool:
    """Return whether a clear counts for back-to-back."""
    return lines == MAX_CLEARED_ROWS or spin != NO_SPIN or (is_perfect and rules.perfect_clear_is_difficult != 0)


@compile_separate
def multiply_attack(game: FullGameRecord, rules: RulesRecord, fraction: int, surge: int, perfect_clear: int) -> int:
    """Return an attack that grows with time; `fraction` is in 1,024ths and contains the surge."""
    frames = max(int(game.frames - rules.attack_growth_start), 0)
    milliseconds = frames * _MILLION // int(rules.frames_per_1000_seconds)
    multiplier = min(_MILLION + int(rules.attack_growth) * milliseconds, _MAX_MULTIPLIER)  # in millionths
    attack = (fraction - (surge << ATTACK_BITS)) * multiplier // (_MILLION << ATTACK_BITS)
    return attack + surge * multiplier // _MILLION + perfect_clear * multiplier // _MILLION


@compile_inline
def compute_attack(game: FullGameRecord, rules: RulesRecord, lines: int, spin: int, is_perfect: bool) -> int:
    """Return the attack of a clear without the bonus for rows of garbage; its parts are rounded down one by one."""
    base = int(rules.base_attack[spin, lines])
    back_to_back = min(int(game.back_to_back), MAX_COUNTED_BACK_TO_BACK)
    combo = min(int(game.combo), MAX_COUNTED_COMBO)
    perfect_clear = int(rules.perfect_clear_attack[combo]) if is_perfect else 0
    ends_chain = not is_difficult(rules, lines, spin, is_perfect)
    if is_perfect and rules.perfect_clear_replaces:
        fraction = 0
    elif ends_chain:
        fraction = int(rules.simple_attack[base, back_to_back, combo])
    else:
        fraction = int(rules.difficult_attack[base, back_to_back, combo])
    if rules.attack_growth == 0:
        return (fraction >> ATTACK_BITS) + perfect_clear
    surge = int(rules.surges[back_to_back]) if ends_chain and fraction > 0 else 0
    return multiply_attack(game, rules, fraction, surge, perfect_clear)


@compile_inline
def compute_garbage_bonus(rules: RulesRecord, lines: int, spin: int, cleared_garbage: int) -> int:
    """Return the attack that a tetris or a spin adds because it clears rows of garbage."""
    is_special = lines == MAX_CLEARED_ROWS or spin != NO_SPIN
    return int(rules.garbage_clear_bonus) if cleared_garbage > 0 and is_special else 0
