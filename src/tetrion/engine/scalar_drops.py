"""Straight drops looked at one after another, as a thread of a GPU does it: for one piece, or with the next one known.

There are two ways to judge them: by all features, or by the neighbourhood. Each is a handful of functions.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tetrion.engine.agent_records import compute_score
from tetrion.engine.best_placements import NO_PLACEMENT, WORST_POINTS, ChosenPlacement
from tetrion.engine.bitboard import (
    combine_columns,
    find_landing_row,
    fits,
    get_piece_cells_in_column,
    lock_piece,
    remove_full_rows,
    shift_up,
)
from tetrion.engine.columns import (
    map_column_numbers,
    map_columns,
    map_columns2,
    map_columns3,
    map_columns_with,
    max_column,
    or_columns,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.features.dellacherie_features import find_holes
from tetrion.engine.int32 import to_index, to_int32, to_int64
from tetrion.engine.local_evaluation import (
    Scratch,
    score_landing_height,
    score_lines,
    score_local_board,
    score_neighbouring_columns,
    score_rows_with_holes,
    score_single_columns,
)
from tetrion.engine.lookahead import NO_VARIATION_VALUE, SURVIVAL_BONUS
from tetrion.engine.piece_motion import can_spawn
from tetrion.engine.pieces import BOARD_WIDTH, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import examine_board, score_placement, survives
from tetrion.engine.rules import END_SPAWN_BLOCKED, END_TOP_ROW
from tetrion.engine.scalar_or_simd import (
    LEFT_WALL_COLUMNS,
    PADDED_COLUMNS,
    Array,
    any_bit_set,
    bit_length,
    find_lowest_bit,
    get_column_window,
    maximum,
)
from tetrion.engine.simd_drops import subtract
from tetrion.engine.simd_lanes import LANES

NO_DROP = -1
ScoredDrop = tuple[int, int, int]  # points, the place (turn and column in one number), row


@compile_inline
def decode_drop(rules: Any, piece: int, place: int, row: int) -> ChosenPlacement:
    """A place and a row as orientation, column and row."""
    if place == NO_DROP:
        return NO_PLACEMENT, 0, 0
    return int(rules.turned[piece, place // LANES]), place % LANES, row


# By all features.


@compile_inline
def prepare_board(board: Array, rules: Any, agent: Any, scratch: Scratch) -> Any:
    """What must be known of a board before a piece is placed."""
    return examine_board(board, rules.rows, agent.mask, scratch.heights)


@compile_inline
def score_drop(
    now: Any, rules: Any, agent: Any, tables: Array, orientation: int, x: int, row: int, scratch: Scratch
) -> tuple[int, int]:
    """The points of a drop, and those of them that add up over several pieces."""
    points = score_placement(now, agent, tables, True, orientation, x, row, scratch)
    return points, compute_score(agent, agent.added, tables, scratch.values, x)


@compile_inline
def find_drop_row(now: Any, rules: Any, orientation: int, x: int) -> int:
    """The row in which a piece comes to rest."""
    return find_landing_row(now.heights, orientation, x)


@compile_inline
def find_best_drop(board: Array, rules: Any, piece: int, agent: Any, tables: Array, scratch: Scratch) -> ScoredDrop:
    """The best drop that the game survives."""
    now = prepare_board(board, rules, agent, scratch)
    best = WORST_POINTS
    place = NO_DROP
    depth = 0
    for turn in range(rules.turns[piece]):
        orientation = int(rules.turned[piece, turn])
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_drop_row(now, rules, orientation, x)
            if fits(orientation, x, row, rules.rows) and (
                rules.game_over < END_TOP_ROW or survives(board, rules, orientation, x, row)
            ):
                points = score_placement(now, agent, tables, True, orientation, x, row, scratch)
                if points > best:
                    best = points
                    place = turn * LANES + x
                    depth = row
    return best, place, depth


# By the neighbourhood.


class AgentWeights(NamedTuple):
    """Of an agent what the neighbourhood asks for: kept at hand, and in 32 bits."""

    weight: tuple[int, ...]  # of the first features
    removed: bool


@compile_inline
def _load_weight(agent: Any, number: int, x: int) -> int:
    return to_int32(agent.weight[number])


@compile_inline
def load_weights(agent: Any) -> AgentWeights:
    """An agent at hand."""
    return AgentWeights(map_column_numbers(_load_weight, agent, 0), agent.removed != 0)


LOCAL_SCRATCH_DTYPE = np.dtype(
    [
        ("columns", np.int32, PADDED_COLUMNS),
        ("tops", np.int32, PADDED_COLUMNS),  # their heights
        ("alone", np.int32, PADDED_COLUMNS),  # the points of all columns up to this one, by themselves
        ("beside", np.int32, PADDED_COLUMNS),  # and beside their neighbours
        ("full", np.int32, PADDED_COLUMNS),  # the rows that are full but for the four columns from this one on
        ("holed", np.int32, PADDED_COLUMNS),  # the rows with holes elsewhere
    ]
)


@compile_inline
def precompute_board_scalar(board: Array, rules: Any, agent: Any, scratch: Scratch) -> Scratch:
    """What all drops on a board have in common, written into the scratch."""
    hand, wall = load_weights(agent), (1 << rules.rows) - 1
    for place in range(PADDED_COLUMNS):
        scratch.columns[place], scratch.tops[place] = wall, rules.rows
    for column in range(BOARD_WIDTH):
        bits = int(board[column])
        scratch.columns[LEFT_WALL_COLUMNS + column], scratch.tops[LEFT_WALL_COLUMNS + column] = bits, bit_length(bits)
    alone = to_int32(0)
    beside = to_int32(0)
    full = to_int32(-1)
    holed = to_int32(0)
    scratch.beside[0] = 0
    for place in range(1, PADDED_COLUMNS - 1):
        column = _load_padded_column(scratch, place)
        holes = find_holes(column, to_int32(scratch.tops[place]))
        alone = alone + score_single_columns(hand, (column,), (holes,))
        beside = beside + score_neighbouring_columns(
            hand, _load_padded_column(scratch, place - 1), (column,), _load_padded_column(scratch, place + 1)
        )
        scratch.alone[place], scratch.beside[place] = to_int64(alone), to_int64(beside)
        scratch.full[place], scratch.holed[place] = to_int64(full), to_int64(holed)
        full, holed = full & column, holed | holes
    full, holed = to_int32(-1), to_int32(0)
    for place in range(LEFT_WALL_COLUMNS + BOARD_WIDTH - 1, LEFT_WALL_COLUMNS - 1, -1):
        scratch.full[place] = to_int64(to_int32(scratch.full[place]) & full)
        scratch.holed[place] = to_int64(to_int32(scratch.holed[place]) | holed)
        column = _load_padded_column(scratch, place + 3)
        full, holed = full & column, holed | find_holes(column, to_int32(scratch.tops[place + 3]))
    return scratch


@compile_inline
def _load_padded_column(scratch: Scratch, place: int) -> int:
    return to_int32(scratch.columns[place])


@compile_inline
def _sum_untouched_points(ground: Scratch, x: int) -> int:
    """The points of all columns but the four from x on, and of how all but those and two more stand beside others."""
    alone = get_column_window(ground.alone, x)
    beside = get_column_window(ground.beside, x)
    last = LEFT_WALL_COLUMNS + BOARD_WIDTH
    every = (
        to_int32(ground.alone[last - 1]) - to_int32(ground.alone[LEFT_WALL_COLUMNS - 1]) + to_int32(ground.beside[last])
    )
    return every - (alone[5] - alone[1]) - (beside[6] - beside[0])


class OrientationShape(NamedTuple):
    """An orientation at hand: a GPU's threads would have to wait for each other to look it up for every drop."""

    columns: tuple[int, ...]
    bottoms: tuple[int, ...]
    peaks: tuple[int, ...]  # the heights of its columns, above the floor of its box
    height: int


@compile_inline
def _load_four(table: Array, orientation: int) -> tuple[int, int, int, int]:
    return (
        to_int32(table[orientation, 0]),
        to_int32(table[orientation, 1]),
        to_int32(table[orientation, 2]),
        to_int32(table[orientation, 3]),
    )


@compile_inline
def load_orientation_shape(rules: Any, orientation: int) -> OrientationShape:
    """An orientation at hand."""
    box = _load_four(rules.box, orientation)
    bottoms = _load_four(rules.bottoms, orientation)
    peaks = _load_four(rules.peaks, orientation)
    return OrientationShape(box, bottoms, peaks, to_int32(rules.tall[orientation]))


@compile_inline
def find_shape_row(ground: Scratch, piece: OrientationShape, x: int) -> int:
    """The row in which a piece comes to rest."""
    return to_int64(max_column(map_columns2(subtract, get_column_window(ground.tops, to_int32(x))[2:6], piece.bottoms)))


@compile_inline
def _raise_height(top: int, peak: int, row: int) -> int:
    return maximum(top, peak + row)


@compile_inline
def score_local_drop_before_clear(
    ground: Scratch, agent: AgentWeights, piece: OrientationShape, x: int, row: int
) -> tuple[int, int, int]:
    """The points of a drop's board as long as full rows stay there, those of the drop itself, and the full rows.

    All pieces are taken to be four columns wide, so that neighbouring threads, with other pieces, go in step.
    """
    landed = map_columns_with(shift_up, piece.columns, to_int32(row))
    place = to_index(LEFT_WALL_COLUMNS + x)
    here = to_int32(row)
    tops = map_columns3(
        _raise_height, get_column_window(ground.tops, to_int32(x))[2:6], piece.peaks, (here, here, here, here)
    )
    columns = get_column_window(ground.columns, to_int32(x))
    full = to_int32(ground.full[place])
    holed = to_int32(ground.holed[place])
    points, full = score_local_board(
        agent, columns, landed, tops, _sum_untouched_points(ground, to_int32(x)), full, holed
    )
    gains = score_landing_height(agent, piece.height, here)
    if any_bit_set(full):
        gains = gains + score_lines(agent, landed, full)
    return points, gains, full


@compile_inline
def _load_board_column(scratch: Scratch, column: int, x: int) -> int:
    return _load_padded_column(scratch, LEFT_WALL_COLUMNS + column)


@compile_inline
def _load_piece_cells(orientation: int, column: int, x: int) -> int:
    return to_int32(get_piece_cells_in_column(orientation, column, to_int64(x)))


@compile_inline
def rescore_cleared_board(
    ground: Scratch, agent: AgentWeights, rows: int, orientation: int, x: int, row: int, full: int
) -> Any:
    """The points of the board after a drop whose full rows are removed, looked at anew."""
    wall, landed = (
        to_int32((1 << rows) - 1),
        map_columns_with(shift_up, map_column_numbers(_load_piece_cells, orientation, x), row),
    )
    columns = remove_full_rows(
        map_columns2(combine_columns, map_column_numbers(_load_board_column, ground, x), landed), full
    )
    holes = map_columns2(find_holes, columns, map_columns(bit_length, columns))
    points = score_single_columns(agent, columns, holes) + score_neighbouring_columns(
        agent, wall, (wall, *columns), wall
    )
    return points + score_rows_with_holes(agent, or_columns(holes))


@compile_inline
def find_local_drop_row(ground: Scratch, rules: Any, orientation: int, x: int) -> int:
    """The row in which an orientation comes to rest."""
    return find_shape_row(ground, load_orientation_shape(rules, orientation), x)


@compile_inline
def score_local_drop(
    ground: Scratch, rules: Any, agent: Any, tables: Array, orientation: int, x: int, row: int, scratch: Scratch
) -> tuple[int, int]:
    """The points of a drop, and those of them that add up over several pieces."""
    hand = load_weights(agent)
    points, gains, full = score_local_drop_before_clear(
        ground, hand, load_orientation_shape(rules, orientation), x, row
    )
    if any_bit_set(full) and hand.removed:
        points = rescore_cleared_board(ground, hand, rules.rows, orientation, to_int32(x), to_int32(row), full)
    return to_int64(points + gains), to_int64(gains)


@compile_inline
def find_best_local_drop(
    board: Array, rules: Any, piece: int, agent: Any, tables: Array, scratch: Scratch
) -> ScoredDrop:
    """The best drop.

    Drops that fill rows are put off until all others are looked at: neighbouring threads have theirs at other places,
    and each would wait for all.
    """
    ground = precompute_board_scalar(board, rules, agent, scratch)
    best = to_int32(WORST_POINTS)
    place = NO_DROP
    depth = 0
    later = 0
    hand = load_weights(agent)
    for turn in range(rules.turns[piece]):
        orientation = int(rules.turned[piece, turn])
        shape = load_orientation_shape(rules, orientation)
        highest = rules.rows - to_int64(shape.height)
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_shape_row(ground, shape, x)
            if row <= highest:
                points, gains, full = score_local_drop_before_clear(ground, hand, shape, x, row)
                if any_bit_set(full) and hand.removed:
                    later |= 1 << (turn * LANES + x)
                elif points + gains > best:
                    best = points + gains
                    place = turn * LANES + x
                    depth = row
    while later:
        number = find_lowest_bit(later)
        later &= later - 1
        orientation, x = int(rules.turned[piece, number // LANES]), number % LANES
        row = find_shape_row(ground, load_orientation_shape(rules, orientation), x)
        told, _ = score_local_drop(ground, rules, agent, tables, orientation, x, row, scratch)
        if told > to_int64(best) or (told == to_int64(best) and number < place):
            best = to_int32(told)
            place = number
            depth = row
    return to_int64(best), place, depth


@compile_inline
def choose_local_drop_scalar(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> ChosenPlacement:
    """The agent's choice (orientation, column, row) of all straight drops, by the neighbourhood."""
    piece = int(game.queue[0])
    _, place, row = find_best_local_drop(game.board, rules, piece, agent, tables, scratch)
    return decode_drop(rules, piece, place, row)


# With the next piece known.


@compile_inline
def choose_drop_depth_two(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Any
) -> ChosenPlacement:
    """The first drop of the best two, by all features."""
    return _choose_depth_two(
        prepare_board, find_drop_row, score_drop, find_best_drop, game, rules, agent, tables, scratch
    )


@compile_inline
def choose_local_drop_depth_two(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Any
) -> ChosenPlacement:
    """The first drop of the best two, by the neighbourhood."""
    return _choose_depth_two(
        precompute_board_scalar,
        find_local_drop_row,
        score_local_drop,
        find_best_local_drop,
        game,
        rules,
        agent,
        tables,
        scratch,
    )


@compile_inline
def _choose_depth_two(
    prepare: Callable[..., Any],
    find_row: Callable[..., int],
    score: Callable[..., tuple[int, int]],
    find_best: Callable[..., ScoredDrop],
    game: Any,
    rules: Any,
    agent: Any,
    tables: Array,
    scratch: tuple[Scratch, Scratch, Array],
) -> ChosenPlacement:
    """What `choose_ahead` chooses for a depth of two; `scratch` is one a piece, and room for a board."""
    mine, others, after = scratch
    piece = int(game.queue[0])
    following = int(game.queue[1])
    turns = int(rules.turns[int(game.queue[0])])
    view = prepare(game.board, rules, agent, mine)
    best = NO_VARIATION_VALUE
    place = NO_DROP
    depth = 0
    careful = rules.game_over >= END_TOP_ROW
    hopeful = True
    turn = 0
    while turn < turns:
        orientation = int(rules.turned[piece, turn])
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_row(view, rules, orientation, x)
            if fits(orientation, x, row, rules.rows) and (
                not careful or survives(game.board, rules, orientation, x, row)
            ):
                points, gains = score(view, rules, agent, tables, orientation, x, row, mine)
                value = int(points)
                if hopeful:
                    for column in range(BOARD_WIDTH):
                        after[column] = game.board[column]
                    lock_piece(after, orientation, x, row)
                    last = WORST_POINTS
                    if rules.game_over != END_SPAWN_BLOCKED or can_spawn(after, rules, following):
                        last = find_best(after, rules, following, agent, tables, others)[0]
                    value = (
                        SURVIVAL_BONUS + int(points)
                        if last == WORST_POINTS
                        else 2 * SURVIVAL_BONUS + int(gains) + int(last)
                    )
                if value > best:
                    best = value
                    place = turn * LANES + x
                    depth = row
        turn += 1
        if careful and turn == turns and place == NO_DROP:
            careful = False
            hopeful = False
            turn = 0
    return decode_drop(rules, piece, place, depth)
