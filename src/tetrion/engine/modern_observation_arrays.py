"""Observations of many modern games at once: hold, combo, back-to-back and garbage, and the afterstates.

The first index of every array is the game. Boards and known pieces are written by `observation_arrays`.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from tetrion.engine.best_placements import decode_placement
from tetrion.engine.bitboard import BoardBefore, Outcome, compute_outcome
from tetrion.engine.code_generation import define_function
from tetrion.engine.columns import or_columns, write_columns
from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.features import measure_features, measure_further_features
from tetrion.engine.garbage import count_waiting_rows, get_garbage_time
from tetrion.engine.modern_features import MODERN_FEATURES, ModernOutcome
from tetrion.engine.modern_play import compute_attack, compute_garbage_bonus, get_piece_from_hold, is_difficult
from tetrion.engine.modern_realtime import ModernFallingRecord
from tetrion.engine.modern_records import (
    MAX_COUNTED_BACK_TO_BACK,
    MAX_COUNTED_COMBO,
    ModernGameRecord,
    ModernGameRecords,
    ModernRulesRecord,
    ModernRulesRecords,
)
from tetrion.engine.observation_arrays import (
    AfterstateArrays,
    clear_afterstates,
    write_board_plane,
    write_falling_piece,
    write_known_pieces,
    write_piece_plane,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import BasicScratch, examine_board
from tetrion.engine.records import MAX_MODERN_FEATURES, Int32Array, Records
from tetrion.engine.scalar_or_simd import Array, popcount
from tetrion.engine.spins import decode_modern_placement

# What a player sees of a modern game beside the board and the known pieces, by its number.
HOLD_STATE, CAN_HOLD_STATE, COMBO_STATE, BACK_TO_BACK_STATE, GARBAGE_STATE, DUE_GARBAGE_STATE = range(6)
STATE_NAMES = ("hold", "can_hold", "combo", "back_to_back", "garbage", "garbage_due")

FIRST_MODERN_VALUE = MAX_FEATURES  # index of the first modern feature among the values of a placement's features


class ModernAfterstateScratch(BasicScratch):
    """Working memory for one afterstate."""

    values: Annotated[Int32Array, MAX_FEATURES + MAX_MODERN_FEATURES]
    columns: Annotated[Int32Array, BOARD_WIDTH]


class ModernAfterstateArrays(NamedTuple):
    """What is written of each afterstate of a modern game, by game and action."""

    shared: AfterstateArrays
    masks: tuple[int, int, int]  # of the features that are measured: the two masks of an agent, and modern features
    attacks: Array
    spins: Array
    holds: Array
    combos: Array
    back_to_backs: Array


class ModernAfterstate(NamedTuple):
    """The result of a placement in a modern game."""

    outcome: Outcome
    spin: int
    hold: int  # 1: the placement uses hold
    attack: int  # without the bonus for rows of garbage, as agents see it
    garbage_bonus: int
    combo: int  # after the placement, like the next one
    back_to_back: int


@compile_inline
def count_due_rows(game: ModernGameRecord, rules: ModernRulesRecord) -> int:
    """Return the rows of garbage that can rise now, when a piece locks that clears no line."""
    now = get_garbage_time(game, rules)
    due = 0
    for batch in range(game.batch_count):
        if game.batch_due[batch] > now:
            break
        due += int(game.batch_rows[batch])
    return min(due, int(rules.garbage_cap))


@compile_entry(seconds=1)
def write_modern_states(games: ModernGameRecords, rules: ModernRulesRecords, states: Array) -> None:
    """Write the numbers of STATE_NAMES: the held piece + 1 or 0, 1 if hold is available, the counters, and rows.

    Counters that are larger than those that attack depends on, and more rows than a board has, are written as these.
    """
    rows = int(rules[0].rows)
    for g in range(len(games)):
        game = games[g]
        states[g, HOLD_STATE] = game.hold
        states[g, CAN_HOLD_STATE] = rules[0].hold != 0 and game.used_hold == 0
        states[g, COMBO_STATE] = min(int(game.combo), MAX_COUNTED_COMBO)
        states[g, BACK_TO_BACK_STATE] = min(int(game.back_to_back), MAX_COUNTED_BACK_TO_BACK)
        states[g, GARBAGE_STATE] = min(count_waiting_rows(game), rows)
        states[g, DUE_GARBAGE_STATE] = min(count_due_rows(game, rules[0]), rows)


@compile_inline
def write_held_piece(rules: ModernRulesRecord, hold: int, plane: Array) -> None:
    """Write the held piece at the top of a plane, as the pieces of the preview; nothing if the hold box is empty."""
    piece = max(hold - 1, 0)
    top = 0 if hold else -plane.shape[0]
    write_piece_plane(int(rules.orientation_of_state[piece, 0]), int(rules.spawn_left[piece]), top, plane)


@compile_inline
def write_state_plane(number: int, value: int, rules: ModernRulesRecord, plane: Array) -> None:
    """Write the state with a number: the held piece, a plane full of a flag, or as many lowest rows as it counts."""
    if number == HOLD_STATE:
        write_held_piece(rules, value, plane)
        return
    rows = plane.shape[0]
    filled = value * rows if number == CAN_HOLD_STATE else value
    for row in range(rows):
        cell = np.uint8(row >= rows - filled)
        for column in range(BOARD_WIDTH):
            plane[row, column] = cell


@compile_entry(seconds=3)
def write_modern_planes(
    games: ModernGameRecords,
    falls: Records[ModernFallingRecord],
    rules: ModernRulesRecords,
    states: tuple[Array, Array],
    planes: Array,
) -> None:
    """Write the board, the current piece, the preview and some states of each game, one plane each.

    The current piece is written where it falls, or at the top if `falls` is empty. `states` are the states of the
    games, and the numbers of those that are written.
    """
    values, numbers = states
    known = planes.shape[1] - 1 - len(numbers)
    for g in range(len(games)):
        game: Any = games[g]
        write_board_plane(game.board, planes[g, 0])
        write_known_pieces(game, rules[0], planes[g, 1 : 1 + known])
        if len(falls) > 0:
            write_falling_piece(game, falls[g], rules[0], planes[g, 1])
        for index in range(len(numbers)):
            number = int(numbers[index])
            write_state_plane(number, int(values[g, number]), rules[0], planes[g, 1 + known + index])


def _compile_modern_measure() -> Callable[[int, ModernOutcome, Array], None]:
    """Generate a function that writes those modern features of one placement whose bit is set in a mask."""
    lines = ["def measure_modern_features(mask, o, values):", "    pass"]
    for feature in MODERN_FEATURES.values():
        lines.append(f"    if mask & {1 << feature.number}:")
        lines.append(f"        values[{FIRST_MODERN_VALUE + feature.number}] = {feature.name}(o)")
    measures = {name: feature.measure for name, feature in MODERN_FEATURES.items()}
    function: Callable[[int, ModernOutcome, Array], None] = compile_inline(
        define_function("measure_modern_features", "\n".join(lines), measures)
    )
    return function


measure_modern_features = _compile_modern_measure()


@compile_inline
def compute_modern_afterstate(
    game: ModernGameRecord, rules: ModernRulesRecord, before: BoardBefore, code: int
) -> ModernAfterstate:
    """Return the result of an encoded placement."""
    placement, spin, hold = decode_modern_placement(code)
    rotation, x, row = decode_placement(placement)
    piece = get_piece_from_hold(game, rules) if hold else int(game.queue[0])
    outcome = compute_outcome(before, True, int(rules.orientations[piece, rotation]), x, row)
    lines = int(outcome.lines)
    attack = 0
    bonus = 0
    combo = 0
    back_to_back = int(game.back_to_back)
    if lines > 0:
        is_perfect = or_columns(outcome.columns) == 0
        attack = compute_attack(game, rules, lines, spin, is_perfect)
        bonus = compute_garbage_bonus(rules, lines, spin, popcount(int(outcome.full_rows) & int(game.garbage_mask)))
        combo = int(game.combo) + 1
        back_to_back = back_to_back + 1 if is_difficult(rules, lines, spin, is_perfect) else 0
    return ModernAfterstate(outcome, spin, hold, attack, bonus, combo, back_to_back)


@compile_inline
def copy_modern_afterstate(arrays: AfterstateArrays, g: int, action: int, scratch: ModernAfterstateScratch) -> None:
    """Copy the board and the features in the scratch to the row of an action."""
    if len(arrays.columns):
        for column in range(BOARD_WIDTH):
            arrays.columns[g, action, column] = scratch.columns[column]
    if len(arrays.boards):
        write_board_plane(scratch.columns, arrays.boards[g, action])
    if len(arrays.features):
        for index in range(len(arrays.numbers)):
            arrays.features[g, action, index] = scratch.values[arrays.numbers[index]]


@compile_inline
def write_modern_afterstate(
    after: ModernAfterstate,
    height: int,
    arrays: ModernAfterstateArrays,
    place: tuple[int, int],
    scratch: ModernAfterstateScratch,
) -> None:
    """Write an afterstate; `height` is the number of visible rows, and `place` the game and the action."""
    g, action = place
    outcome, spin, hold, attack, bonus, combo, back_to_back = after
    lines = int(outcome.lines)
    mask, further_mask, modern_mask = arrays.masks
    measure_features(mask, outcome, scratch.values)
    measure_further_features(further_mask, outcome, scratch.values)
    kept = int(back_to_back > 0)
    measured = outcome.columns, outcome.heights, height, outcome.piece, spin, lines, attack, combo, kept
    measure_modern_features(modern_mask, ModernOutcome(*measured), scratch.values)
    write_columns(scratch.columns, outcome.columns)
    arrays.shared.lines[g, action] = lines
    copy_modern_afterstate(arrays.shared, g, action, scratch)
    arrays.attacks[g, action] = attack + bonus
    arrays.spins[g, action] = spin
    arrays.holds[g, action] = hold
    arrays.combos[g, action] = min(combo, MAX_COUNTED_COMBO)
    arrays.back_to_backs[g, action] = min(back_to_back, MAX_COUNTED_BACK_TO_BACK)


@compile_entry_with_memory(ModernAfterstateScratch.dtype, seconds=12)
def write_modern_afterstates(
    memory: Records[ModernAfterstateScratch],
    games: ModernGameRecords,
    rules: ModernRulesRecords,
    codes: Array,
    arrays: ModernAfterstateArrays,
) -> None:
    """Write the afterstates of all placements of each game, given by action; zeros for all other actions.

    No garbage rises in them, because its gaps are not known.
    """
    scratch: Any = memory[0]
    for g in range(len(games)):
        clear_afterstates(arrays.shared, g)
        arrays.attacks[g, :] = 0
        arrays.spins[g, :] = 0
        arrays.holds[g, :] = 0
        arrays.combos[g, :] = 0
        arrays.back_to_backs[g, :] = 0
        before = examine_board(games[g].board, int(rules[0].rows), arrays.masks[0], scratch.heights)
        for action in range(codes.shape[1]):
            if codes[g, action] >= 0:
                after = compute_modern_afterstate(games[g], rules[0], before, int(codes[g, action]))
                write_modern_afterstate(after, int(rules[0].height), arrays, (g, action), scratch)
