"""The best placement of a piece for an agent.

Straight drops are looked at all columns at once on lanes, or one after another; places of any movement on lanes.
All take the first best one in the order orientation, column from the left, row from the top, and one that ends the game
only if all do.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tetrion.engine.agent_records import compute_score
from tetrion.engine.best_placements import (
    NO_PLACEMENT,
    WORST_POINTS,
    BestPlacements,
    ChosenPlacement,
    choose_first_best,
    make_empty_best,
    update_best,
)
from tetrion.engine.bitboard import (
    BoardBefore,
    FeaturesBefore,
    compute_heights,
    compute_outcome,
    find_landing_row,
    fits,
    load_columns,
    make_board_outcome,
    place_piece_on_columns,
    remove_full_rows,
)
from tetrion.engine.columns import max_column, write_columns
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.custom_features import (
    BOARD_BEFORE_MASK,
    CUSTOM_FEATURES_MASK,
    OUTCOME_BLOCK_SIZE,
    measure_custom_features,
)
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.features import CHANCE_FEATURE_MASK, LOWEST_COLUMN_FEATURE_MASK, measure_features
from tetrion.engine.features.board_features import bumpiness, max_height
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.local_evaluation import Scratch
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH, ORIENTATION_HEIGHTS, PLACEMENT_COLUMNS
from tetrion.engine.reachable_placements import FLOOD_SIZE, RESTING_OFFSET, find_reachable, find_reachable_in_time
from tetrion.engine.rules import END_ABOVE_TOP, END_TOP_ROW, REACH_MOVEMENT, TIMED_MOVEMENT
from tetrion.engine.scalar_or_simd import Array, any_bit_set, bit_length, broadcast, maximum, to_int, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, any_lane_set, load, store
from tetrion.engine.simd_lanes import reduce_max as largest_lane

PADDED_HEIGHTS_SIZE = LANES + 3  # room for the heights: sixteen columns are looked at from each of the first four

# Memory to work in, made once for many games: heights, the values of the features, room to tell a person's features of
# an outcome, room for floods, and what is known of the placements of each piece while looking ahead. It is a record,
# because Numba would count references to arrays whenever a function takes them.
DtypeFields = list[tuple[Any, ...]]
BASIC_SCRATCH_FIELDS: DtypeFields = [("heights", np.int32, PADDED_HEIGHTS_SIZE), ("values", np.int32, MAX_FEATURES)]
SIMD_SCRATCH_FIELDS: DtypeFields = [
    ("heights", np.int32, PADDED_HEIGHTS_SIZE),
    ("values", np.int32, MAX_FEATURES * LANES),
    ("block", np.int32, OUTCOME_BLOCK_SIZE * LANES),
    ("room", np.int32, FLOOD_SIZE),
]
BASIC_SCRATCH_DTYPE = np.dtype(BASIC_SCRATCH_FIELDS)
SCALAR_SCRATCH_DTYPE = np.dtype([*BASIC_SCRATCH_FIELDS, ("block", np.int32, OUTCOME_BLOCK_SIZE)])
SIMD_SCRATCH_DTYPE = np.dtype(SIMD_SCRATCH_FIELDS)


@compile_inline
def examine_board(board: Array, rows: int, mask: int, heights: Array) -> BoardBefore:
    """What must be known before placing; what is known of the board before it only if a feature wants that."""
    now = make_board_outcome(board, rows)
    write_columns(heights, now.heights)
    highest = 0
    bumps = 0
    gaps = 0
    lowest = 0
    lot = 0
    if mask & BOARD_BEFORE_MASK:
        highest = max_height(now)
        bumps = bumpiness(now)
        gaps = holes(now)
    if mask & LOWEST_COLUMN_FEATURE_MASK:
        for column in range(1, BOARD_WIDTH):
            if heights[column] < heights[lowest]:
                lowest = column
    if mask & CHANCE_FEATURE_MASK:
        for column in range(BOARD_WIDTH):
            lot = ((lot ^ int(board[column])) * 0x01000193 + 0x9E3779B1) & 0xFFFFFFFF
    return BoardBefore(board, heights, rows, now.filled_cells, FeaturesBefore(highest, bumps, gaps, lowest, lot))


@compile_inline
def score_placement(
    before: BoardBefore, agent: Any, tables: Array, possible: bool, orientation: int, x: int, row: int, scratch: Scratch
) -> int:
    """An agent's score of a placement, if it is possible; its features are left in the scratch's values."""
    after = compute_outcome(before, agent.removed != 0, orientation, x, row)
    measure_features(agent.mask, after, scratch.values)
    if agent.mask & CUSTOM_FEATURES_MASK:
        measure_custom_features(agent, after, possible, scratch)
    return compute_score(agent, agent.mask, tables, scratch.values, x)


@compile_inline
def survives(board: Array, rules: Any, orientation: int, x: int, row: int) -> bool:
    """Whether the game goes on after a placement that fits."""
    top = row + int(ORIENTATION_HEIGHTS[orientation])
    if rules.game_over == END_ABOVE_TOP:
        return top <= int(rules.height)
    if rules.game_over == END_TOP_ROW and any_bit_set(to_int(top >= int(rules.height))):
        columns, _, full = place_piece_on_columns(board, orientation, x, row)
        return maximum(max_column(compute_heights(remove_full_rows(columns, full))), 0) < int(rules.height)
    return top < MOVEMENT_ROWS


@compile_inline
def choose_drop_scalar(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> ChosenPlacement:
    """The agent's choice (orientation, column, row) of all straight drops, looked at one after another."""
    board, piece = game.board, int(game.queue[0])
    now = examine_board(board, rules.rows, agent.mask, scratch.heights)
    best = WORST_POINTS
    choice = (NO_PLACEMENT, 0, 0)
    turns = int(rules.turns[piece])
    careful, turn = rules.game_over >= END_TOP_ROW, 0
    while turn < turns:
        orientation = int(rules.turned[piece, turn])
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_landing_row(scratch.heights, orientation, x)
            possible = fits(orientation, x, row, rules.rows)
            if possible and (not careful or survives(board, rules, orientation, x, row)):
                points = score_placement(now, agent, tables, possible, orientation, x, row, scratch)
                if points > best:
                    best, choice = points, (orientation, x, row)
        turn += 1
        if careful and turn == turns and best == WORST_POINTS:
            careful, turn = False, 0
    return choice


@compile_inline
def choose_drop_simd(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> ChosenPlacement:
    """The agent's choice (orientation, column, row) of all straight drops, looked at all columns at once."""
    board, piece = game.board, int(game.queue[0])
    now = examine_board(board, rules.rows, agent.mask, scratch.heights)
    x = load(LANE_NUMBERS, 0)
    leaders, turns = make_empty_best(x), int(rules.turns[piece])
    careful, turn = rules.game_over >= END_TOP_ROW, 0
    while turn < turns:
        orientation = int(rules.turned[piece, turn])
        row = find_landing_row(scratch.heights, orientation, x)
        possible = fits(orientation, x, row, rules.rows)
        row = where(possible, row, 0)  # else a height could reach 32, by which a column must not be shifted
        if careful:
            possible = possible & survives(board, rules, orientation, x, row)
        points = score_placement(now, agent, tables, possible, orientation, x, row, scratch)
        leaders = update_best(leaders, possible, points, turn, x, row)
        turn += 1
        if careful and turn == turns and largest_lane(leaders.points) == WORST_POINTS:
            careful, turn = False, 0
    return choose_first_best(rules, piece, leaders)


@compile_separate
def find_placements(board: Array, rules: Any, piece: int, interval: int, scratch: Scratch) -> None:
    """Note in the flood's room all places to rest, by whatever movement the rules have."""
    if rules.movement == TIMED_MOVEMENT:
        find_reachable_in_time(board, rules, piece, interval, scratch.room, -1, 0, 0)
    elif rules.movement == REACH_MOVEMENT:
        find_reachable(board, rules, piece, scratch.room)
    else:
        write_columns(scratch.heights, compute_heights(load_columns(board, 0)))
        x = load(LANE_NUMBERS, 0)
        for turn in range(rules.turns[piece]):
            orientation = int(rules.turned[piece, turn])
            row = find_landing_row(scratch.heights, orientation, x)
            possible = fits(orientation, x, row, rules.rows)
            place = broadcast(1, x) << (MOVEMENT_ROWS - 1 - where(possible, row, 0))
            store(scratch.room, RESTING_OFFSET + turn * LANES, where(possible, place, 0))


@compile_inline
def has_placement(board: Array, rules: Any, piece: int, interval: int, scratch: Scratch) -> bool:
    """Whether there is any place to rest."""
    find_placements(board, rules, piece, interval, scratch)
    found = load(scratch.room, RESTING_OFFSET)
    for turn in range(1, rules.turns[piece]):
        found = found | load(scratch.room, RESTING_OFFSET + turn * LANES)
    return bool(any_lane_set(found))


@compile_entry_with_memory(SIMD_SCRATCH_DTYPE, seconds=4)
def list_placements(memory: Array, board: Array, rule: Array, piece: int, interval: int, placements: Array) -> int:
    """Write every placement of a piece as turn, column, row; tells how many there are."""
    rules = rule[0]
    scratch = memory[0]
    count = 0
    find_placements(board, rules, piece, interval, scratch)
    for turn in range(rules.turns[piece]):
        for x in range(BOARD_WIDTH):
            left = int(scratch.room[RESTING_OFFSET + turn * LANES + x]) & 0xFFFFFFFF
            while left:
                topmost = left & -left
                left ^= topmost
                placements[count, 0], placements[count, 1], placements[count, 2] = (
                    turn,
                    x,
                    MOVEMENT_ROWS - bit_length(topmost),
                )
                count += 1
    return count


@compile_inline
def find_best_placements(
    board: Array,
    rules: Any,
    piece: int,
    interval: int,
    agent: Any,
    tables: Array,
    scratch: Scratch,
    store_placements: Callable[..., None],
    depth: int,
) -> tuple[BestPlacements, bool]:
    """The best of all places in every column, and whether the game goes on after them; each is told to `note`."""
    find_placements(board, rules, piece, interval, scratch)
    now = examine_board(board, rules.rows, agent.mask, scratch.heights)
    x = load(LANE_NUMBERS, 0)
    leaders, turns = make_empty_best(x), int(rules.turns[piece])
    careful = rules.game_over >= END_TOP_ROW
    alive = True
    turn = 0
    left = load(scratch.room, RESTING_OFFSET)
    while turn < turns:
        if any_lane_set(left):
            topmost = left & (0 - left)  # floods stand upside down
            left, possible = left ^ topmost, topmost != 0
            orientation, row = int(rules.turned[piece, turn]), where(possible, MOVEMENT_ROWS - bit_length(topmost), 0)
            if careful:
                possible = possible & survives(board, rules, orientation, x, row)
            points = score_placement(now, agent, tables, possible, orientation, x, row, scratch)
            leaders = update_best(leaders, possible, points, turn, x, row)
            store_placements(scratch, depth, agent, tables, possible, points, turn, x, row)
        else:
            turn += 1
            if careful and turn == turns and largest_lane(leaders.points) == WORST_POINTS:
                careful = False
                alive = False
                turn = 0
            left = load(scratch.room, RESTING_OFFSET + turn * LANES)  # behind the last turn there is room for this
    return leaders, alive


@compile_inline
def ignore_measured_placements(
    scratch: Scratch, depth: int, agent: Any, tables: Array, possible: Any, points: Any, turn: int, x: Any, row: Any
) -> None:
    """Nobody wants to know."""


@compile_inline
def choose_any_placement(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> ChosenPlacement:
    """The agent's choice (orientation, column, row) of all places, looked at all columns at once."""
    piece = int(game.queue[0])
    leaders, _ = find_best_placements(
        game.board, rules, piece, interval, agent, tables, scratch, ignore_measured_placements, 0
    )
    return choose_first_best(rules, piece, leaders)
