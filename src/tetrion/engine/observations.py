"""Observations of many games at once, written into arrays: boards as planes or columns, features, and afterstates.

In planes, row 0 is the top row. The first index of every array is the game.
"""

from typing import Annotated, NamedTuple

import numpy as np

from tetrion.engine.attack import compute_garbage_bonus, count_due_rows, count_waiting_rows
from tetrion.engine.beam_search import (
    ClearScratch,
    PlacedKind,
    count_back_to_backs,
    make_attack_outcome,
    tabulate_clears,
)
from tetrion.engine.bitboard import BoardBefore, Outcome, compute_outcome, make_board_outcome
from tetrion.engine.columns import store_ten_values
from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline
from tetrion.engine.episodes import DROP_ACTIONS
from tetrion.engine.feature_registry import (
    BOARD_FEATURE,
    FEATURES,
    FURTHER_POINTS_MASK,
    MAX_FEATURES,
    SECOND_MASK_START,
    compile_measure,
)
from tetrion.engine.features import measure_features, measure_further_features
from tetrion.engine.features.attack_features import measure_attack_features
from tetrion.engine.pieces import BOARD_WIDTH, CELL_OFFSETS, ORIENTATION_HEIGHTS, PIECES
from tetrion.engine.placement_choice import (
    ALL,
    BasicScratch,
    FoundPlacements,
    LanePlacements,
    examine_board,
    visit_placements,
)
from tetrion.engine.placements import NO_CODE, decode_placement, encode_location, encode_placement
from tetrion.engine.placing import NO_PIECE, STATUS_PLAYING, compute_gravity_interval, get_placed_piece
from tetrion.engine.real_time import FallingRecord, FallingRecords
from tetrion.engine.records import (
    DROP_MOVEMENT,
    MAX_ATTACK_FEATURES,
    MAX_CLEARED_ROWS,
    MAX_COUNTED_BACK_TO_BACK,
    MAX_COUNTED_COMBO,
    MAX_ROTATION_STATES,
    NO_SPIN,
    FullGameRecord,
    FullGameRecords,
    Int32Array,
    Records,
    RulesRecord,
    RulesRecords,
)
from tetrion.engine.scalar_or_simd import Array, minimum, popcount, to_int, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, load, store
from tetrion.engine.spins import KINDS_OFFSET, SpinScratch, count_spin_kinds, find_spin_placements

_BOARD_FEATURES = [name for name, feature in FEATURES.items() if feature.kind == BOARD_FEATURE]
measure_board_features = compile_measure(_BOARD_FEATURES)
measure_further_board_features = compile_measure(_BOARD_FEATURES, SECOND_MASK_START)

# What a player sees of a game besides the board and the known pieces, by its number.
HOLD_STATE, CAN_HOLD_STATE, COMBO_STATE, BACK_TO_BACK_STATE, GARBAGE_STATE, DUE_GARBAGE_STATE = range(6)
STATE_NAMES = ("hold", "can_hold", "combo", "back_to_back", "garbage", "garbage_due")


@compile_inline
def write_board_plane(board: Array, plane: Array) -> None:
    """Write the cells of a board, 0 or 1, as rows from the top."""
    for row in range(plane.shape[0]):
        shift = np.int32(plane.shape[0] - 1 - row)  # of 32 bits, as the columns: without conversion to 64
        for x in range(BOARD_WIDTH):
            plane[row, x] = np.uint8((board[x] >> shift) & np.int32(1))


@compile_inline
def write_piece_plane(orientation: int, x: int, top: int, plane: Array) -> None:
    """Write a piece alone; `top` is the plane's row of its highest cells. Cells above the plane are not written."""
    for row in range(plane.shape[0]):
        for column in range(BOARD_WIDTH):
            plane[row, column] = 0
    lowest = top + int(ORIENTATION_HEIGHTS[orientation]) - 1
    for cell in range(4):
        row = lowest - int(CELL_OFFSETS[orientation, cell, 1])
        if row >= 0:
            plane[row, x + int(CELL_OFFSETS[orientation, cell, 0])] = 1


@compile_inline
def write_known_pieces(game: FullGameRecord, rules: RulesRecord, planes: Array) -> None:
    """Write each known piece into a plane of its own, at the top and in the columns in which it spawns."""
    for index in range(planes.shape[0]):
        piece = int(game.queue[index])
        write_piece_plane(int(rules.orientation_of_state[piece, 0]), int(rules.spawn_left[piece]), 0, planes[index])


@compile_inline
def write_falling_piece(game: FullGameRecord, fall: FallingRecord, rules: RulesRecord, plane: Array) -> None:
    """Write the falling piece where it is; nothing between two pieces."""
    state, x, row = fall.piece_state
    orientation = int(rules.orientation_of_state[game.queue[0], state])
    top = plane.shape[0] - int(row) - int(ORIENTATION_HEIGHTS[orientation]) if fall.is_active else -plane.shape[0]
    write_piece_plane(orientation, int(x), top, plane)


@compile_entry(seconds=1)
def write_states(games: FullGameRecords, rules: RulesRecords, states: Array) -> None:
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
def write_held_piece(rules: RulesRecord, hold: int, plane: Array) -> None:
    """Write the held piece at the top of a plane, as the pieces of the preview; nothing if the hold box is empty."""
    piece = max(hold - 1, 0)
    top = 0 if hold else -plane.shape[0]
    write_piece_plane(int(rules.orientation_of_state[piece, 0]), int(rules.spawn_left[piece]), top, plane)


@compile_inline
def write_state_plane(number: int, value: int, rules: RulesRecord, plane: Array) -> None:
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
def write_planes(
    games: FullGameRecords, falls: FallingRecords, rules: RulesRecords, states: tuple[Array, Array], planes: Array
) -> None:
    """Write the board, the current piece, the preview and some states of each game, one plane each.

    The current piece is written where it falls, or at the top if `falls` is empty. `states` are the states of the
    games, and the numbers of those that are written.
    """
    values, numbers = states
    known = planes.shape[1] - 1 - len(numbers)
    for g in range(len(games)):
        game = games[g]
        write_board_plane(game.board, planes[g, 0])
        write_known_pieces(game, rules[0], planes[g, 1 : 1 + known])
        if len(falls) > 0:
            write_falling_piece(game, falls[g], rules[0], planes[g, 1])
        for index in range(len(numbers)):
            number = int(numbers[index])
            write_state_plane(number, int(values[g, number]), rules[0], planes[g, 1 + known + index])


@compile_inline
def make_masks(numbers: Array) -> tuple[int, int]:
    """Return the two masks of an agent that uses the features with these numbers."""
    mask = 0
    second_mask = 0
    for number in numbers:
        if number < SECOND_MASK_START:
            mask |= 1 << number
        else:
            mask |= FURTHER_POINTS_MASK
            second_mask |= 1 << (number - SECOND_MASK_START)
    return mask, second_mask


@compile_entry_with_memory(BasicScratch.dtype, seconds=5)
def write_board_features(
    memory: Records[BasicScratch], games: FullGameRecords, rules: RulesRecords, numbers: Array, features: Array
) -> None:
    """Write board features of each game by their numbers, then its known pieces, seven numbers (0 or 1) each."""
    mask, second_mask = make_masks(numbers)
    values = memory[0].values
    for g in range(len(games)):
        game = games[g]
        outcome = make_board_outcome(game.board, rules[0].rows)
        measure_board_features(mask, outcome, values)
        measure_further_board_features(second_mask, outcome, values)
        for index in range(len(numbers)):
            features[g, index] = values[numbers[index]]
        for index in range(len(numbers), features.shape[1]):
            known, piece = divmod(index - len(numbers), len(PIECES))
            features[g, index] = game.queue[known] == piece


class AfterstateScratch(SpinScratch, ClearScratch):
    """Working memory for sixteen afterstates."""

    values: Annotated[Int32Array, (MAX_FEATURES + MAX_ATTACK_FEATURES) * LANES]
    columns: Annotated[Int32Array, BOARD_WIDTH * LANES]  # of the boards, by column and lane
    codes: Annotated[Int32Array, LANES]  # of the placements; NO_CODE without one
    lines: Annotated[Int32Array, LANES]
    attacks_by_lane: Annotated[Int32Array, LANES]
    combos: Annotated[Int32Array, LANES]
    back_to_backs: Annotated[Int32Array, LANES]
    first_actions: Annotated[Int32Array, MAX_ROTATION_STATES * LANES]  # of a piece, by rotation and column


class AfterstateArrays(NamedTuple):
    """What is written of each afterstate, by game and action; arrays of length 0 are not written."""

    numbers: Array  # of the features that are written
    masks: tuple[int, int, int]  # of these features: the two masks of an agent, and the attack features
    lines: Array
    boards: Array
    columns: Array
    features: Array
    attacks: Array
    spins: Array
    holds: Array
    combos: Array
    back_to_backs: Array


@compile_inline
def clear_afterstates(arrays: AfterstateArrays, g: int) -> None:
    """Write zeros into the rows of all actions of a game."""
    arrays.lines[g, :] = 0
    if len(arrays.columns):
        arrays.columns[g, :, :] = 0
    if len(arrays.boards):
        arrays.boards[g, :, :, :] = 0
    if len(arrays.features):
        arrays.features[g, :, :] = 0
    if len(arrays.attacks):
        arrays.attacks[g, :] = 0
        arrays.spins[g, :] = 0
        arrays.holds[g, :] = 0
        arrays.combos[g, :] = 0
        arrays.back_to_backs[g, :] = 0


@compile_inline
def index_actions(rules: RulesRecord, piece: int, first: int, scratch: AfterstateScratch) -> int:
    """Write the first action of each column in each rotation of a piece; its other actions follow it.

    `first` is the first action of the piece. Return the first action after those of the piece. Placements are only
    counted here, so none is visited.
    """
    kind_lanes = MAX_ROTATION_STATES * LANES
    for rotation in range(rules.rotation_count[piece]):
        offset = rotation * LANES
        if rules.movement == DROP_MOVEMENT:
            store(scratch.first_actions, offset, load(LANE_NUMBERS, 0) + (first + rotation * BOARD_WIDTH))
        else:
            counts = popcount(load(scratch.spins, KINDS_OFFSET + offset))
            for kind in range(1, count_spin_kinds(rules, piece)):
                counts = counts + popcount(load(scratch.spins, KINDS_OFFSET + kind * kind_lanes + offset))
            store(scratch.first_actions, offset, counts)
            for lane in range(offset, offset + BOARD_WIDTH):
                count = int(scratch.first_actions[lane])
                scratch.first_actions[lane] = first
                first += count
    return first + DROP_ACTIONS if rules.movement == DROP_MOVEMENT else first


@compile_inline
def find_action(codes: Array, first: int, code: int) -> int:
    """Return the action of a placement in a column whose first action is given; without room, the number of actions."""
    action = first
    while action < len(codes) and codes[action] != code:
        action += 1
    return min(action, len(codes))


@compile_inline
def copy_afterstate(arrays: AfterstateArrays, place: tuple[int, int], x: int, scratch: AfterstateScratch) -> None:
    """Copy the afterstate in lane `x` from the scratch to the row of its action; `place` is the game and the action."""
    g, action = place
    arrays.lines[g, action] = scratch.lines[x]
    if len(arrays.columns):
        for column in range(BOARD_WIDTH):
            arrays.columns[g, action, column] = scratch.columns[column * LANES + x]
    if len(arrays.boards):
        board = arrays.boards[g, action]
        for row in range(board.shape[0]):
            shift = np.int32(board.shape[0] - 1 - row)
            for column in range(BOARD_WIDTH):
                board[row, column] = np.uint8((scratch.columns[column * LANES + x] >> shift) & np.int32(1))
    if len(arrays.features):
        for index in range(len(arrays.numbers)):
            arrays.features[g, action, index] = scratch.values[arrays.numbers[index] * LANES + x]
    if len(arrays.attacks):
        _, spin, hold = decode_placement(int(scratch.codes[x]))
        arrays.attacks[g, action] = scratch.attacks_by_lane[x]
        arrays.spins[g, action] = spin
        arrays.holds[g, action] = hold
        arrays.combos[g, action] = scratch.combos[x]
        arrays.back_to_backs[g, action] = scratch.back_to_backs[x]


class AfterstateContext(NamedTuple):
    """The game and the kind of placements whose afterstates are written."""

    game: FullGameRecord
    rules: RulesRecord
    before: BoardBefore
    kind: PlacedKind
    arrays: AfterstateArrays
    g: int
    codes: Array  # of the game, by action
    scratch: AfterstateScratch


@compile_inline
def store_attack(context: AfterstateContext, after: Outcome) -> None:
    """Measure the attack features of sixteen placements, and store their attack, combos and back-to-backs.

    Agents see the attack without the bonus for rows of garbage, environments with it.
    """
    game, kind = context.game, context.kind
    scratch = context.scratch
    placed = after.columns, after.heights, after.lines
    outcome = make_attack_outcome(game, int(context.rules.height), kind, placed, scratch)
    measure_attack_features(context.arrays.masks[2], outcome, scratch.values)
    most = compute_garbage_bonus(context.rules, MAX_CLEARED_ROWS, NO_SPIN, 1)
    other = compute_garbage_bonus(context.rules, 1, kind.spin, 1)
    bonus = where(after.lines == MAX_CLEARED_ROWS, most, other) * to_int(
        popcount(after.full_rows & int(game.garbage_mask)) > 0
    )
    store(scratch.attacks_by_lane, 0, outcome.attack + bonus)
    store(scratch.combos, 0, minimum(outcome.combo, MAX_COUNTED_COMBO))
    store(scratch.back_to_backs, 0, minimum(count_back_to_backs(game, outcome), MAX_COUNTED_BACK_TO_BACK))


@compile_inline
def write_lanes(context: AfterstateContext, lanes: LanePlacements, found: int) -> int:
    """Write the afterstates of sixteen placements."""
    scratch, kind = context.scratch, context.kind
    orientation, x, row = lanes.placement
    after = compute_outcome(context.before, True, orientation, x, row)
    mask, second_mask, _ = context.arrays.masks
    measure_features(mask, after, scratch.values)
    measure_further_features(second_mask, after, scratch.values)
    if len(context.arrays.attacks):
        store_attack(context, after)
    codes = encode_placement(encode_location(lanes.rotation, x, row), kind.spin, kind.hold)
    store(scratch.codes, 0, where(lanes.possible, codes, NO_CODE))
    store(scratch.lines, 0, after.lines)
    store_ten_values(scratch.columns, 0, after.columns)
    for column in range(BOARD_WIDTH):
        code = int(scratch.codes[column])
        if code != NO_CODE:
            action = find_action(context.codes, int(scratch.first_actions[lanes.rotation * LANES + column]), code)
            if action < len(context.codes):
                copy_afterstate(context.arrays, (context.g, action), column, scratch)
    return found


@compile_inline
def write_game_afterstates(
    game: FullGameRecord,
    rules: RulesRecord,
    codes: Array,
    arrays: AfterstateArrays,
    place: tuple[int, AfterstateScratch],
) -> None:
    """Write the afterstates of all placements of a game; `place` is its number and the working memory."""
    g, scratch = place
    first_action = 0
    before = examine_board(game.board, rules.rows, arrays.masks[0], scratch.heights)
    for hold in range(1 + int(rules.hold)):
        piece = get_placed_piece(game, rules, hold)
        if piece != NO_PIECE:
            find_spin_placements(game.board, rules, piece, compute_gravity_interval(game, rules), scratch)
            first_action = index_actions(rules, piece, first_action, scratch)
            for spin in range(count_spin_kinds(rules, piece)):
                if len(arrays.attacks):
                    tabulate_clears(game, rules, spin, scratch)
                kind = PlacedKind(piece, hold, spin, ALL)
                context = AfterstateContext(game, rules, before, kind, arrays, g, codes, scratch)
                offset = KINDS_OFFSET + spin * MAX_ROTATION_STATES * LANES
                placements = FoundPlacements(game.board, rules, piece, scratch.spins, offset)
                visit_placements(write_lanes, context, placements, ALL, 0)


@compile_entry_with_memory(AfterstateScratch.dtype, seconds=12)
def write_afterstates(
    memory: Records[AfterstateScratch],
    games: FullGameRecords,
    rules: RulesRecords,
    codes: Array,
    arrays: AfterstateArrays,
) -> None:
    """Write the afterstates of all placements of each game, given by action; zeros for all other actions.

    No garbage rises in them, because its gaps are not known.
    """
    for g in range(len(games)):
        clear_afterstates(arrays, g)
        if games[g].status == STATUS_PLAYING:
            write_game_afterstates(games[g], rules[0], codes[g], arrays, (g, memory[0]))
