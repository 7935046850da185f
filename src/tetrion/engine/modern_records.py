"""The records of the modern game: rules and games with hold, spins, attack and garbage.

They extend the records of the research game, which stay as small as they were.
"""

from typing import Annotated

from tetrion.engine.records import (
    MAX_KICK_TESTS,
    MAX_ROTATION_STATES,
    TURN_COUNT,
    GameRecord,
    Int32Array,
    Int64,
    Int64Array,
    Records,
    RulesRecord,
)

NO_SPIN, MINI_SPIN, FULL_SPIN = range(3)
SPIN_KINDS = ("none", "mini", "full")
MAX_CLEARED_ROWS = 4
MAX_BASE_ATTACK = 6
ATTACK_BITS = 10  # attack is computed in 1,024ths of a row
MAX_COUNTED_BACK_TO_BACK = 63  # larger values count as these
MAX_COUNTED_COMBO = 31
MAX_GARBAGE_BATCHES = 8
PIECES_UNIT, FRAMES_UNIT = range(2)

ClearNumbers = Annotated[Int64Array, (len(SPIN_KINDS), MAX_CLEARED_ROWS + 1)]  # by spin and cleared rows


class ModernRulesRecord(RulesRecord):
    """The rules of a modern game."""

    hold: Int64  # 1: the current piece can be exchanged for the one in the hold box
    spins: Int64  # which spins there are
    promotes: Annotated[Int64Array, (MAX_ROTATION_STATES, TURN_COUNT, MAX_KICK_TESTS)]  # 1: this kick makes a mini full
    base_attack: ClearNumbers
    # In 1,024ths of a row, by base attack, back-to-back and combo: the attack of a difficult clear, and of any other.
    difficult_attack: Annotated[Int32Array, (MAX_BASE_ATTACK + 1, MAX_COUNTED_BACK_TO_BACK + 1, MAX_COUNTED_COMBO + 1)]
    simple_attack: Annotated[Int32Array, (MAX_BASE_ATTACK + 1, MAX_COUNTED_BACK_TO_BACK + 1, MAX_COUNTED_COMBO + 1)]
    surges: Annotated[Int64Array, MAX_COUNTED_BACK_TO_BACK + 1]  # the part of it in `simple_attack`, in rows
    perfect_clear_attack: Annotated[Int64Array, MAX_COUNTED_COMBO + 1]  # in rows, by combo
    perfect_clear_replaces: Int64  # 1: its attack replaces that of the clear, 0: it is added
    perfect_clear_is_difficult: Int64
    spin_points: ClearNumbers  # score by spin and cleared rows; 0 in all of them: the score of the research game
    perfect_clear_points: Annotated[Int64Array, MAX_CLEARED_ROWS + 2]  # by rows; the last one: back-to-back with four
    combo_points: Int64
    points_per_hard_drop_row: Int64
    garbage_rows: Int64
    garbage_interval: Int64
    garbage_delay: Int64
    garbage_cap: Int64
    garbage_messiness: Int64
    garbage_interval_unit: Int64  # PIECES_UNIT or FRAMES_UNIT, like the next one
    garbage_delay_unit: Int64
    garbage_blocking: Int64  # 1: no garbage rises when a piece clears rows
    garbage_clear_bonus: Int64  # attack that a difficult clear with rows of garbage adds
    opener_pieces: Int64  # the number of pieces in which attack may cancel twice its rows
    attack_growth: Int64  # thousandths by which the multiplier of attack grows per second
    attack_growth_start: Int64  # frames after which it grows
    frames_per_1000_seconds: Int64
    placement_frames: Int64  # frames that pass after a placement in games without a clock
    # In real time.
    lock_resets: Int64  # how often moves and rotations restart the lock delay of a piece; 0: they do not
    initial_rotation: Int64  # 1: a rotation key that is down when a piece spawns acts at once
    initial_hold: Int64  # 1: so does the key for hold


class ModernGameRecord(GameRecord):
    """A modern game."""

    hold: Int64  # the piece in the hold box + 1; 0: it is empty
    used_hold: Int64  # 1: the current piece came from hold
    placed_from_hold: Int64  # 1: so did the last piece that was placed
    combo: Int64  # consecutive placements with a clear
    back_to_back: Int64  # consecutive difficult clears
    spin: Int64  # of the last placement
    attack: Int64  # rows of garbage made
    sent: Int64  # those that did not cancel rows of the queue
    received: Int64  # rows of garbage that have risen
    clears_by_spin: ClearNumbers
    back_to_backs: Int64  # difficult clears that followed another
    longest_combo: Int64
    perfect_clears: Int64
    # The queue of garbage, oldest batch first.
    batch_count: Int64
    batch_rows: Annotated[Int64Array, MAX_GARBAGE_BATCHES]
    batch_due: Annotated[Int64Array, MAX_GARBAGE_BATCHES]  # the pieces or frames after which the batch may rise
    batch_gap: Annotated[Int64Array, MAX_GARBAGE_BATCHES]  # the column of the gap of its next row
    batch_is_new: Annotated[Int64Array, MAX_GARBAGE_BATCHES]  # 1: none of its rows has risen
    gaps_decided: Int64  # rows of garbage whose gap was decided
    garbage_mask: Int64  # one bit per row of the board: 1 if it is a row of garbage


ModernRulesRecords = Records[ModernRulesRecord]
ModernGameRecords = Records[ModernGameRecord]
