"""Straight drops judged by their neighbourhood, sixteen at a time: the shortest way to a choice.

A piece in three columns has eight places, so lanes try two of its orientations at once: lanes 0 to 7 the one, lanes 8
to 15 the other. That is a sixth less to do than one orientation after another.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from tetrion.engine.best_placements import (
    BestPlacements,
    ChosenPlacement,
    choose_first_best,
    make_empty_best,
    update_best,
)
from tetrion.engine.bitboard import shift_up
from tetrion.engine.columns import map_columns2, map_columns3, map_columns_with, max_column
from tetrion.engine.compiler import compile_inline
from tetrion.engine.local_evaluation import (
    HALF_LANES,
    ORIENTATION_WIDTHS,
    PrecomputedBoard,
    Scratch,
    broadcast_piece_columns,
    precompute_board,
    rescore_cleared_boards,
    score_four_columns,
    score_landing_height,
    score_lines,
    score_three_columns,
    score_two_columns,
)
from tetrion.engine.pieces import COLUMN_BOTTOMS, ORIENTATION_HEIGHTS, PLACEMENT_COLUMNS
from tetrion.engine.scalar_or_simd import Array, any_bit_set, broadcast, get_column_window, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, load, make_lane_rotation

(
    _half_window_0,
    _half_window_1,
    _half_window_2,
    _half_window_3,
    _half_window_4,
    _half_window_5,
    _half_window_6,
    _half_window_7,
) = (make_lane_rotation(right, HALF_LANES) for right in range(-2, 6))


@compile_inline
def get_half_lane_window(row: Any, x: Any) -> Any:
    """What `seen` tells, for the columns 0 to 7 and then for the same again."""
    return (
        _half_window_0(row),
        _half_window_1(row),
        _half_window_2(row),
        _half_window_3(row),
        _half_window_4(row),
        _half_window_5(row),
        _half_window_6(row),
        _half_window_7(row),
    )


class DropLanes(NamedTuple):
    """Sixteen drops at once: of one orientation, or of one in the first eight lanes and of another in the others."""

    first_orientation: int
    second_orientation: int
    rotation: Any  # of every lane
    column: Any  # its column
    exists: Any  # whether there is such a drop
    rows: int  # of the board


@compile_inline
def subtract(a: Any, b: Any) -> Any:
    """The difference."""
    return a - b


@compile_inline
def broadcast_column_bottoms(orientation: int, x: Any) -> Any:
    """How far above its box's floor a piece begins in each of four columns."""
    first, second = broadcast(int(COLUMN_BOTTOMS[orientation, 0]), x), broadcast(int(COLUMN_BOTTOMS[orientation, 1]), x)
    return (
        first,
        second,
        broadcast(int(COLUMN_BOTTOMS[orientation, 2]), x),
        broadcast(int(COLUMN_BOTTOMS[orientation, 3]), x),
    )


@compile_inline
def _update_best_drops(
    score_board: Callable[..., Any],
    get_window: Callable[..., Any],
    ground: PrecomputedBoard,
    agent: Any,
    drops: DropLanes,
    heights: Any,
    box: Any,
    bottoms: Any,
    best_by_lane: BestPlacements,
    scratch: Scratch,
    store_placements: Callable[..., None],
    depth: int,
) -> BestPlacements:
    """The leaders after sixteen drops."""
    row, tall = max_column(map_columns2(subtract, heights, bottoms)), int(ORIENTATION_HEIGHTS[drops.first_orientation])
    possible = drops.exists & (row <= drops.rows - tall)
    row = where(possible, row, 0)  # else a height could reach 32, by which a column must not be shifted
    landed = map_columns_with(shift_up, box, row)
    points, full = score_board(get_window, ground, agent, drops.column, landed)
    gains, full = score_landing_height(agent, tall, row), where(possible, full, 0)
    if any_bit_set(full):
        gains = gains + score_lines(agent, landed, full)
        if agent.removed:
            points = rescore_cleared_boards(
                ground.columns, agent, drops.first_orientation, drops.second_orientation, row, full, points
            )
    store_placements(scratch, depth, possible, points + gains, gains, drops.rotation, drops.column, row)
    return update_best(best_by_lane, possible, points + gains, drops.rotation, drops.column, row)


@compile_inline
def find_best_local_drops(
    board: Array,
    rules: Any,
    piece: int,
    agent: Any,
    scratch: Scratch,
    store_placements: Callable[..., None],
    depth: int,
) -> BestPlacements:
    """The best straight drop of every lane; each drop is told to `note`.

    There is no loop over all turns, because the compiler would prepare for every width before it.
    """
    lanes = load(LANE_NUMBERS, 0)
    rows = int(rules.rows)
    wide = int(rules.wide[piece])
    ground, leaders = precompute_board(agent, board, rows, lanes), make_empty_best(lanes)
    if wide >= 0:
        first = int(rules.turned[piece, wide])
        box = broadcast_piece_columns(first, lanes)
        bottoms = broadcast_column_bottoms(first, lanes)
        here = lanes < int(PLACEMENT_COLUMNS[first])
        if ORIENTATION_WIDTHS[first] == 3:
            second, turn = first, broadcast(wide, lanes)
            if wide + 2 < rules.turns[piece]:  # between the two it stands upright
                second, here = int(rules.turned[piece, wide + 2]), lanes >= 0
            later = lanes >= HALF_LANES
            drops = DropLanes(first, second, turn + where(later, 2, 0), lanes & (HALF_LANES - 1), here, rows)
            box = map_columns3(where, (later, later, later), broadcast_piece_columns(second, lanes)[:3], box[:3])
            bottoms = map_columns3(
                where, (later, later, later), broadcast_column_bottoms(second, lanes)[:3], bottoms[:3]
            )
            tops = get_half_lane_window(ground.heights, lanes)[2:5]
            leaders = _update_best_drops(
                score_three_columns,
                get_half_lane_window,
                ground,
                agent,
                drops,
                tops,
                box,
                bottoms,
                leaders,
                scratch,
                store_placements,
                depth,
            )
        else:
            drops, tops = (
                DropLanes(first, first, broadcast(wide, lanes), lanes, here, rows),
                get_column_window(ground.heights, lanes)[2:6],
            )
            leaders = _update_best_drops(
                score_four_columns,
                get_column_window,
                ground,
                agent,
                drops,
                tops,
                box,
                bottoms,
                leaders,
                scratch,
                store_placements,
                depth,
            )
    for number in range(rules.narrows[piece]):
        turn = int(rules.narrow[piece, number])
        first = int(rules.turned[piece, turn])
        here, tops = lanes < int(PLACEMENT_COLUMNS[first]), get_column_window(ground.heights, lanes)[2:4]
        box, bottoms = broadcast_piece_columns(first, lanes)[:2], broadcast_column_bottoms(first, lanes)[:2]
        drops = DropLanes(first, first, broadcast(turn, lanes), lanes, here, rows)
        leaders = _update_best_drops(
            score_two_columns,
            get_column_window,
            ground,
            agent,
            drops,
            tops,
            box,
            bottoms,
            leaders,
            scratch,
            store_placements,
            depth,
        )
    return leaders


@compile_inline
def ignore_placements(
    scratch: Scratch, depth: int, possible: Any, points: Any, gains: Any, turn: Any, x: Any, row: Any
) -> None:
    """Nobody wants to know."""


@compile_inline
def choose_local_drop_simd(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> ChosenPlacement:
    """The agent's choice (orientation, column, row) of all straight drops, sixteen at a time."""
    piece = int(game.queue[0])
    return choose_first_best(
        rules, piece, find_best_local_drops(game.board, rules, piece, agent, scratch, ignore_placements, 0)
    )
