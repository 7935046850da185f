"""Observations of many games at once, written into arrays: boards as planes or columns, features, and afterstates.

In planes, row 0 is the top row. The first index of every array is the game.
"""

from typing import Annotated, NamedTuple

import numpy as np

from tetrion.engine.batch_play import STATUS_PLAYING, compute_gravity_interval
from tetrion.engine.bitboard import compute_outcome, make_board_outcome
from tetrion.engine.columns import store_ten_values
from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline
from tetrion.engine.feature_registry import (
    BOARD_FEATURE,
    FEATURES,
    FIRST_FURTHER_FEATURE,
    FURTHER_POINTS_MASK,
    compile_measure,
)
from tetrion.engine.features import measure_features, measure_further_features
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH, CELL_OFFSETS, ORIENTATION_HEIGHTS, PIECES
from tetrion.engine.placement_choice import BasicScratch, SimdScratch, examine_board, find_placements
from tetrion.engine.reachable_placements import RESTING_OFFSET
from tetrion.engine.realtime import FallingRecord
from tetrion.engine.records import GameRecord, GameRecords, Int32Array, Records, RulesRecord, RulesRecords
from tetrion.engine.rules import DROP_MOVEMENT
from tetrion.engine.scalar_or_simd import Array, bit_length, popcount, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, any_lane_set, load, store

_BOARD_FEATURES = [name for name, feature in FEATURES.items() if feature.kind == BOARD_FEATURE]
measure_board_features = compile_measure(_BOARD_FEATURES)
measure_further_board_features = compile_measure(_BOARD_FEATURES, FIRST_FURTHER_FEATURE)


class AfterstateScratch(SimdScratch):
    """Working memory for sixteen afterstates."""

    columns: Annotated[Int32Array, BOARD_WIDTH * LANES]  # of the boards, by column and lane
    lines: Annotated[Int32Array, LANES]
    row_bits: Annotated[Int32Array, LANES]  # by column: the row of its placement as a bit; 0 if it has none
    actions: Annotated[Int32Array, LANES]  # by column: the action of its next placement


class AfterstateArrays(NamedTuple):
    """What is written of each afterstate, by game and action; arrays of length 0 are not written."""

    numbers: Array  # of the features that are written
    lines: Array
    boards: Array
    columns: Array
    features: Array


@compile_inline
def write_board_plane(board: Array, plane: Array) -> None:
    """Write the cells of a board, 0 or 1, as rows from the top."""
    last = plane.shape[0] - 1
    for row in range(plane.shape[0]):
        for x in range(BOARD_WIDTH):
            plane[last - row, x] = np.uint8((board[x] >> row) & 1)


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
def write_known_pieces(game: GameRecord, rules: RulesRecord, planes: Array) -> None:
    """Write each known piece into a plane of its own, at the top and in the columns in which it spawns."""
    for index in range(planes.shape[0]):
        piece = int(game.queue[index])
        write_piece_plane(int(rules.orientation_of_state[piece, 0]), int(rules.spawn_left[piece]), 0, planes[index])


@compile_entry(seconds=2)
def write_planes(games: GameRecords, rules: RulesRecords, planes: Array) -> None:
    """Write the board, the current piece and the preview of each game, one plane each."""
    for g in range(len(games)):
        write_board_plane(games[g].board, planes[g, 0])
        write_known_pieces(games[g], rules[0], planes[g, 1:])


@compile_inline
def write_falling_piece(game: GameRecord, fall: FallingRecord, rules: RulesRecord, plane: Array) -> None:
    """Write the falling piece where it is; nothing between two pieces."""
    state, x, row = fall.piece_state
    orientation = int(rules.orientation_of_state[game.queue[0], state])
    top = plane.shape[0] - int(row) - int(ORIENTATION_HEIGHTS[orientation])
    if fall.is_active:
        write_piece_plane(orientation, int(x), top, plane)
    else:
        write_piece_plane(orientation, 0, -4, plane)  # no piece


@compile_entry(seconds=2)
def write_falling_planes(games: GameRecords, falls: Records[FallingRecord], rules: RulesRecords, planes: Array) -> None:
    """Write the board, the falling piece where it is, and the preview of each game, one plane each."""
    for g in range(len(games)):
        write_board_plane(games[g].board, planes[g, 0])
        write_known_pieces(games[g], rules[0], planes[g, 1:])
        write_falling_piece(games[g], falls[g], rules[0], planes[g, 1])


@compile_inline
def make_masks(numbers: Array) -> tuple[int, int]:
    """Return the two masks of an agent that uses the features with these numbers."""
    mask = 0
    further_mask = 0
    for number in numbers:
        if number < FIRST_FURTHER_FEATURE:
            mask |= 1 << number
        else:
            mask |= FURTHER_POINTS_MASK
            further_mask |= 1 << (number - FIRST_FURTHER_FEATURE)
    return mask, further_mask


@compile_entry_with_memory(BasicScratch.dtype, seconds=5)
def write_board_features(
    memory: Records[BasicScratch], games: GameRecords, rules: RulesRecords, numbers: Array, features: Array
) -> None:
    """Write board features of each game by their numbers, then its known pieces, seven numbers (0 or 1) each."""
    mask, further_mask = make_masks(numbers)
    values = memory[0].values
    for g in range(len(games)):
        game = games[g]
        outcome = make_board_outcome(game.board, rules[0].rows)
        measure_board_features(mask, outcome, values)
        measure_further_board_features(further_mask, outcome, values)
        for index in range(len(numbers)):
            features[g, index] = values[numbers[index]]
        for index in range(len(numbers), features.shape[1]):
            known, piece = divmod(index - len(numbers), len(PIECES))
            features[g, index] = game.queue[known] == piece


@compile_inline
def prepare_afterstate_actions(rules: RulesRecord, rotation: int, first: int, scratch: AfterstateScratch) -> int:
    """Write the first action of each column in a rotation whose first action is `first`; return the next one's."""
    for x in range(BOARD_WIDTH):
        scratch.actions[x] = first
        if rules.movement == DROP_MOVEMENT:
            first += 1
        else:
            first += popcount(int(scratch.flood[RESTING_OFFSET + rotation * LANES + x]) & 0xFFFFFFFF)
    return first


@compile_inline
def copy_afterstate(arrays: AfterstateArrays, g: int, x: int, scratch: AfterstateScratch) -> None:
    """Copy the afterstate in lane `x` from the scratch to the row of its action."""
    action = int(scratch.actions[x])
    scratch.actions[x] += 1
    if action >= arrays.lines.shape[1]:
        return
    arrays.lines[g, action] = scratch.lines[x]
    if len(arrays.columns):
        for column in range(BOARD_WIDTH):
            arrays.columns[g, action, column] = scratch.columns[column * LANES + x]
    if len(arrays.boards):
        board = arrays.boards[g, action]
        last = board.shape[0] - 1
        for row in range(board.shape[0]):
            for column in range(BOARD_WIDTH):
                board[last - row, column] = np.uint8((scratch.columns[column * LANES + x] >> row) & 1)
    if len(arrays.features):
        for index in range(len(arrays.numbers)):
            arrays.features[g, action, index] = scratch.values[arrays.numbers[index] * LANES + x]


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


@compile_inline
def write_game_afterstates(
    game: GameRecord, rules: RulesRecord, arrays: AfterstateArrays, g: int, scratch: AfterstateScratch
) -> None:
    """Write the afterstates of all placements of a game's current piece."""
    piece = int(game.queue[0])
    mask, further_mask = make_masks(arrays.numbers)
    find_placements(game.board, rules, piece, compute_gravity_interval(game, rules), scratch)
    before = examine_board(game.board, rules.rows, mask, scratch.heights)
    x = load(LANE_NUMBERS, 0)
    first = 0
    for rotation in range(rules.rotation_count[piece]):
        orientation = int(rules.orientations[piece, rotation])
        first = prepare_afterstate_actions(rules, rotation, first, scratch)
        remaining = load(scratch.flood, RESTING_OFFSET + rotation * LANES)
        while any_lane_set(remaining):
            topmost = remaining & (0 - remaining)
            remaining = remaining ^ topmost
            row = where(topmost != 0, MOVEMENT_ROWS - bit_length(topmost), 0)
            outcome = compute_outcome(before, True, orientation, x, row)
            measure_features(mask, outcome, scratch.values)
            measure_further_features(further_mask, outcome, scratch.values)
            store(scratch.lines, 0, outcome.lines)
            store_ten_values(scratch.columns, 0, outcome.columns)
            store(scratch.row_bits, 0, topmost)
            for column in range(BOARD_WIDTH):
                if scratch.row_bits[column]:
                    copy_afterstate(arrays, g, column, scratch)


@compile_entry_with_memory(AfterstateScratch.dtype, seconds=10)
def write_afterstates(
    memory: Records[AfterstateScratch], games: GameRecords, rules: RulesRecords, arrays: AfterstateArrays
) -> None:
    """Write the afterstates of all placements of each game's current piece; zeros for all other actions."""
    for g in range(len(games)):
        clear_afterstates(arrays, g)
        if games[g].status == STATUS_PLAYING:
            write_game_afterstates(games[g], rules[0], arrays, g, memory[0])
