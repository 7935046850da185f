"""Attack and garbage: the rows that a clear sends, as tables for each profile, and the queue in which they wait.

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

from tetrion.engine.bitboard import load_columns
from tetrion.engine.columns import or_columns
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.randomisers import draw_below
from tetrion.engine.records import (
    ATTACK_BITS,
    FRAMES_UNIT,
    MAX_BASE_ATTACK,
    MAX_CLEARED_ROWS,
    MAX_COUNTED_BACK_TO_BACK,
    MAX_COUNTED_COMBO,
    MAX_GARBAGE_BATCHES,
    NO_SPIN,
    PIECES_UNIT,
    FullGameRecord,
    GameRecord,
    RulesRecord,
    compile_for_full_games,
)
from tetrion.engine.scalar_or_simd import Array, bit_length

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
        """Return the rows that a perfect clear sends besides or instead of the attack of the clear."""
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


# Garbage: batches of rows wait in a queue, are cancelled by attack, and rise with one gap per row.

_FIRST_GAP_NUMBER = 1 << 41  # the lower random numbers are those of pieces
_PERCENT = 100


@compile_inline
def queue_garbage(game: FullGameRecord, rows: int, due: int) -> None:
    """Add a batch to the queue; if the queue is full, its rows join the newest batch."""
    if rows <= 0:
        return
    if game.batch_count == MAX_GARBAGE_BATCHES:
        game.batch_rows[MAX_GARBAGE_BATCHES - 1] += rows
        return
    batch = int(game.batch_count)
    game.batch_rows[batch] = rows
    game.batch_due[batch] = due
    draw_first_gap(game, batch)
    game.batch_count += 1


@compile_inline
def draw_first_gap(game: FullGameRecord, batch: int) -> None:
    """Draw the column of the gap of the first row of a batch that has arrived."""
    game.batch_gap[batch] = draw_below(BOARD_WIDTH, game.key, _FIRST_GAP_NUMBER + 2 * int(game.gaps_decided) + 1)
    game.batch_is_new[batch] = 1
    game.gaps_decided += 1


@compile_inline
def remove_oldest_batch(game: FullGameRecord) -> None:
    """Remove the oldest batch from the queue."""
    game.batch_count -= 1
    for batch in range(game.batch_count):
        game.batch_rows[batch] = game.batch_rows[batch + 1]
        game.batch_due[batch] = game.batch_due[batch + 1]
        game.batch_gap[batch] = game.batch_gap[batch + 1]
        game.batch_is_new[batch] = game.batch_is_new[batch + 1]


@compile_inline
def count_waiting_rows(game: FullGameRecord) -> int:
    """Return the number of rows in the queue."""
    rows = 0
    for batch in range(game.batch_count):
        rows += int(game.batch_rows[batch])
    return rows


@compile_inline
def cancel_garbage(game: FullGameRecord, rules: RulesRecord, attack: int) -> int:
    """Let an attack cancel rows of the queue, the oldest first; return the rows that are left to send.

    In the first `opener_pieces` pieces each row cancels two, if at least as many rows wait as were sent.
    """
    is_doubled = game.pieces <= rules.opener_pieces and count_waiting_rows(game) >= game.sent
    strength = 2 * attack if is_doubled else attack
    while strength > 0 and game.batch_count > 0:
        cancelled = min(strength, int(game.batch_rows[0]))
        strength -= cancelled
        attack -= cancelled
        game.batch_rows[0] -= cancelled
        if game.batch_rows[0] == 0:
            remove_oldest_batch(game)
    return max(attack, 0)


@compile_inline
def count_cleared_garbage(game: FullGameRecord, full: int) -> int:
    """Remove full rows from the mask of the rows of garbage; return how many of them were garbage."""
    cleared = 0
    while full:
        row = bit_length(full) - 1  # from the top, so that the rows below keep their numbers
        full ^= 1 << row
        mask = int(game.garbage_mask)
        below = mask & ((1 << row) - 1)
        cleared += (mask >> row) & 1
        game.garbage_mask = below | ((mask >> (row + 1)) << row)
    return cleared


@compile_inline
def get_garbage_time(game: GameRecord, rules: RulesRecord) -> int:
    """Return the time in the unit of `garbage_delay`: the number of pieces, or of frames."""
    return int(game.frames) if rules.garbage_delay_unit == FRAMES_UNIT else int(game.pieces)


@compile_inline
def count_due_rows(game: FullGameRecord, rules: RulesRecord) -> int:
    """Return the rows of garbage that can rise now, when a piece locks that clears no line."""
    now = get_garbage_time(game, rules)
    due = 0
    for batch in range(game.batch_count):
        if game.batch_due[batch] > now:
            break
        due += int(game.batch_rows[batch])
    return min(due, int(rules.garbage_cap))


@compile_inline
def decide_gap(game: FullGameRecord, messiness: int) -> int:
    """Return the column of the gap of the oldest batch's next row."""
    gap = int(game.batch_gap[0])
    if game.batch_is_new[0]:
        game.batch_is_new[0] = 0
        return gap
    # Each row has two random numbers, whether or not it uses both, so that rows do not shift each other's numbers.
    number = _FIRST_GAP_NUMBER + 2 * int(game.gaps_decided)
    game.gaps_decided += 1
    if draw_below(_PERCENT, game.key, number) < messiness:
        other = draw_below(BOARD_WIDTH - 1, game.key, number + 1)
        gap = other + (other >= gap)
        game.batch_gap[0] = gap
    return gap


@compile_inline
def raise_row(game: FullGameRecord, rules: RulesRecord) -> None:
    """Let the next row of the oldest batch rise."""
    gap = decide_gap(game, int(rules.garbage_messiness))
    for column in range(BOARD_WIDTH):
        game.board[column] = (int(game.board[column]) << 1) | (column != gap)
    game.received += 1
    game.garbage_mask = (int(game.garbage_mask) << 1) | 1
    game.batch_rows[0] -= 1
    if game.batch_rows[0] == 0:
        remove_oldest_batch(game)


@compile_inline
def raise_garbage(game: FullGameRecord, rules: RulesRecord, now: int) -> bool:
    """Let the due rows rise, up to the cap; return False if one of them would push a cell out of the board.

    `now` is the time before the piece locked, so that a batch with a delay of one piece lets one piece lock first.
    """
    risen = 0
    while risen < rules.garbage_cap and game.batch_count > 0 and game.batch_due[0] <= now:
        if or_columns(load_columns(game.board, 0)) >> (int(rules.rows) - 1):
            return False
        raise_row(game, rules)
        risen += 1
    return True


@compile_for_full_games(default=None)
def raise_start_garbage(game: FullGameRecord, rules: RulesRecord) -> None:
    """Let the rows rise with which a game starts, before its first piece is dealt; other calls do nothing."""
    if rules.start_garbage > 0 and game.pieces == 0 and game.known == 0 and game.received == 0:
        queue_garbage(game, int(rules.start_garbage), 0)
        for _ in range(rules.start_garbage):
            raise_row(game, rules)


@compile_inline
def add_solo_garbage(game: FullGameRecord, rules: RulesRecord) -> None:
    """Queue the batch of a solo source that counts pieces, if it is its turn."""
    if (
        rules.garbage_rows > 0
        and rules.garbage_interval_unit == PIECES_UNIT
        and game.pieces % rules.garbage_interval == 0
    ):
        queue_garbage(game, int(rules.garbage_rows), get_garbage_time(game, rules) + int(rules.garbage_delay))


@compile_inline
def advance_clock(game: FullGameRecord, rules: RulesRecord, frames: int) -> None:
    """Advance the clock of a game, and queue the batches of a solo source that counts frames."""
    before = int(game.frames)
    game.frames += frames
    if rules.garbage_rows == 0 or rules.garbage_interval_unit == PIECES_UNIT:
        return
    interval = int(rules.garbage_interval)
    for number in range(before // interval + 1, int(game.frames) // interval + 1):
        arrival = number * interval if rules.garbage_delay_unit == FRAMES_UNIT else int(game.pieces)
        queue_garbage(game, int(rules.garbage_rows), arrival + int(rules.garbage_delay))
