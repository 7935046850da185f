"""Placements judged by their neighbourhood: what a piece cannot touch is counted once a board, not once a placement.

The features here look at a column and its neighbours alone. So a placement that fills no row changes the points of the
columns that it stands in and of those beside them, and nothing else. Where rows are removed, the whole board is looked
at anew. What a `Row` is stands at `seen`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tetrion.engine.board import both, without_full_rows
from tetrion.engine.columns import before, behind, bits_in, each, each2, each3, each_with, joined, shared, total
from tetrion.engine.compiler import compiled
from tetrion.engine.features import FEATURES, mask_of
from tetrion.engine.features.dellacherie import (
    changes,
    changes_upwards,
    common,
    holes_in,
    stacked_on_a_hole,
    well_cells,
    well_depths,
)
from tetrion.engine.lanes import LANE_NUMBERS, LANES, bits_of, lane, load, load_first, seen_from, store_first
from tetrion.engine.lanes import joined as joined_lanes
from tetrion.engine.lanes import shared as shared_lanes
from tetrion.engine.lanes import total as total_lanes
from tetrion.engine.pieces import BOXES, SHAPES, WIDTH
from tetrion.engine.words import Array, Row, height, lowest, popcount, seen, spread, where

NAMES = (
    "landing_height",
    "eroded_cells",
    "lines",
    "row_transitions",
    "column_transitions",
    "holes",
    "wells",
    "hole_depth",
    "rows_with_holes",
)
NEAR = mask_of(*NAMES)
LANDING, ERODED, LINES, ROWS, COLUMNS, HOLES, WELLS, DEPTH, HOLED_ROWS = (FEATURES[name].number for name in NAMES)

Scratch = Any  # memory to work in, a record
Look = Callable[[Row, Any], Any]  # how lanes see a row; such as `seen`


def judged_near(mask: int) -> bool:
    """Whether some features can be judged by the neighbourhood, and it pays: wells are what takes time elsewhere."""
    return not mask & ~NEAR and mask & mask_of("wells") != 0


def _rows_of_cells() -> Any:
    """For every orientation and every column of its left edge the cells that it has in each column of the board."""
    table = np.zeros((len(SHAPES), WIDTH, LANES), np.int32)
    for orientation, shape in enumerate(SHAPES):
        for x in range(WIDTH + 1 - len(shape)):
            table[orientation, x, x : x + len(shape)] = shape
    return table.reshape(-1)


EIGHT = 8  # places that a piece in three columns has
WIDTHS = np.array([len(shape) for shape in SHAPES], np.int32)
ROWS_OF_CELLS = _rows_of_cells()


class Ground(NamedTuple):
    """A board before a piece is placed: all that its placements have in common."""

    columns: Row
    tops: Row  # the columns' heights
    alone: Row  # the points of every column for what it is by itself
    beside: Row  # and for how it stands beside its neighbours
    full_before: Row  # the rows that are full but for the columns of a piece: a column's own entry says it of all
    full_behind: Row  # columns left of it, the entry right of the piece of the rest
    holed_before: Row  # the rows with a hole, in the same way
    holed_behind: Row
    points: int  # of all columns, without those for rows with holes


@compiled
def points_alone(agent: Any, columns: Any, holes: Any) -> Any:
    """What some columns are worth for what each is by itself."""
    points = bits_in(each(changes_upwards, columns)) * agent.weight[COLUMNS]
    points = points + bits_in(each(stacked_on_a_hole, columns)) * agent.weight[DEPTH]
    return points + bits_in(holes) * agent.weight[HOLES]


@compiled
def points_beside(agent: Any, left: int, columns: Any, right: int) -> Any:
    """What neighbouring columns between two others are worth: as wells, and for their changes to the right."""
    after = behind(columns, right)
    wells = well_depths(each3(well_cells, before(columns, left), columns, after), columns)
    return bits_in(each2(changes, columns, after)) * agent.weight[ROWS] + wells * agent.weight[WELLS]


@compiled
def points_of_holed(agent: Any, holed: int) -> Any:
    """What the rows with holes are worth."""
    return popcount(holed) * agent.weight[HOLED_ROWS]


# What is known of a board, for sixteen placements at once.

load_columns, store_columns = load_first(WIDTH), store_first(WIDTH)
_one_further, _two_further, _four_further, _opposite = (seen_from(right) for right in (1, 2, 4, 8))


@compiled
def _rows_of_points(agent: Any, columns: Any, tops: Any, x: Any) -> tuple[Any, Any, Any]:
    """The points of every column alone and beside its neighbours, and its holes."""
    around, holes = seen(columns, x), holes_in(columns, tops)
    alone = points_alone(agent, (columns,), (holes,))
    return alone, points_beside(agent, around[1], (columns,), around[3]), holes


@compiled
def _sum_of_points(alone: Any, beside: Any, x: Any) -> int:
    return int(total_lanes(where(x < WIDTH, alone, 0) + beside))


@compiled
def survey(agent: Any, board: Array, rows: int, x: Any) -> Ground:
    """What sixteen placements have in common. Eight neighbours and the eight opposite them are all columns."""
    columns = load_columns(board, (1 << rows) - 1)
    tops = height(columns)
    alone, beside, holes = _rows_of_points(agent, columns, tops, x)
    full, holed = columns & _one_further(columns), holes | _one_further(holes)
    full, holed = full & _two_further(full), holed | _two_further(holed)
    full, holed = full & _four_further(full), holed | _four_further(holed)
    points = _sum_of_points(alone, beside, x)
    return Ground(columns, tops, alone, beside, _opposite(full), full, _opposite(holed), holed, points)


@compiled
def cells_by_column(orientation: int, x: int, row: int) -> Any:
    """The cells of one placement, a column a lane."""
    return load(ROWS_OF_CELLS, (orientation * WIDTH + x) * LANES) << row


@compiled
def settle_on_lanes(board: Array, orientation: int, x: int, row: int) -> int:
    """Place a piece on a board for good and remove full rows; tells which they were."""
    columns = load_columns(board, -1) | cells_by_column(orientation, x, row)
    full = shared_lanes(columns)
    store_columns(board, without_full_rows((columns,), full)[0])
    return int(full)


@compiled
def points_cleared_on_lanes(before: Any, agent: Any, first: int, second: int, row: Any, full: Any, points: Any) -> Any:
    """The points of boards, with those looked at anew that have full rows to remove.

    `before` are the columns as they stood. Lanes stand for the columns of one orientation's left edge, or for the first
    eight of one and of another.
    """
    left, lanes = bits_of(full != 0), load(LANE_NUMBERS, 0)
    while left:
        place = lowest(left)
        left &= left - 1
        orientation, x = first, place
        if second != first:
            orientation, x = second if place >= EIGHT else first, place % EIGHT
        landed = cells_by_column(orientation, x, lane(row, place))
        after = without_full_rows((before | landed,), lane(full, place))[0]
        columns = where(lanes < WIDTH, after, before)
        alone, beside, holes = _rows_of_points(agent, columns, height(columns), lanes)
        worth = _sum_of_points(alone, beside, lanes) + points_of_holed(agent, joined_lanes(holes))
        points = where(lanes == place, spread(worth, lanes), points)
    return points


# The neighbourhood itself.


@compiled
def box_of(orientation: int, x: int) -> Any:
    """The columns of a piece alone, from its left edge on."""
    return (
        spread(int(BOXES[orientation, 0]), x),
        spread(int(BOXES[orientation, 1]), x),
        spread(int(BOXES[orientation, 2]), x),
        spread(int(BOXES[orientation, 3]), x),
    )


@compiled
def near(
    agent: Any, columns: Any, landed: Any, tops: Any, untouched: int, others_full: int, others_holed: int
) -> tuple[int, int]:
    """Points of the board, and its full rows.

    `columns` are those in which the piece has landed and two more on either side, `tops` the heights of the former.
    """
    own = each2(both, columns[2:-2], landed)
    holes, full = each2(holes_in, own, tops), others_full & shared(own)
    points = untouched + points_alone(agent, own, holes)
    points = points + points_beside(agent, columns[0], (columns[1], *own, columns[-2]), columns[-1])
    return points + points_of_holed(agent, others_holed | joined(holes)), full


@compiled
def _near(
    agent: Any, columns: Any, landed: Any, untouched: int, others_full: int, others_holed: int
) -> tuple[int, int]:
    tops = each(height, each2(both, columns[2:-2], landed))
    return near(agent, columns, landed, tops, untouched, others_full, others_holed)


@compiled
def near_two(look: Look, ground: Ground, agent: Any, x: int, landed: Any) -> tuple[int, int]:
    """The board's points and its full rows after a piece in one or two columns, `look`ed at from `x`."""
    alone, beside = look(ground.alone, x), look(ground.beside, x)
    rest = ground.points - total(alone[2:4]) - total(beside[1:5])
    full = look(ground.full_before, x)[2] & look(ground.full_behind, x)[4]
    holed = look(ground.holed_before, x)[2] | look(ground.holed_behind, x)[4]
    return _near(agent, look(ground.columns, x)[:6], landed[:2], rest, full, holed)


@compiled
def near_three(look: Look, ground: Ground, agent: Any, x: int, landed: Any) -> tuple[int, int]:
    """The same for a piece in three columns."""
    alone, beside = look(ground.alone, x), look(ground.beside, x)
    rest = ground.points - total(alone[2:5]) - total(beside[1:6])
    full = look(ground.full_before, x)[2] & look(ground.full_behind, x)[5]
    holed = look(ground.holed_before, x)[2] | look(ground.holed_behind, x)[5]
    return _near(agent, look(ground.columns, x)[:7], landed[:3], rest, full, holed)


@compiled
def near_four(look: Look, ground: Ground, agent: Any, x: int, landed: Any) -> tuple[int, int]:
    """The same for a piece in four columns."""
    alone, beside = look(ground.alone, x), look(ground.beside, x)
    rest = ground.points - total(alone[2:6]) - total(beside[1:7])
    full = look(ground.full_before, x)[2] & look(ground.full_behind, x)[6]
    holed = look(ground.holed_before, x)[2] | look(ground.holed_behind, x)[6]
    return _near(agent, look(ground.columns, x), landed, rest, full, holed)


@compiled
def points_of_landing(agent: Any, tall: int, row: int) -> Any:
    """What the row is worth in which a piece lands."""
    return (row + row + (tall - 1)) * agent.weight[LANDING]


@compiled
def points_of_lines(agent: Any, landed: Any, full: int) -> Any:
    """What full rows are worth, and the cells that the piece has in them."""
    lines = popcount(full)
    eroded = lines * bits_in(each_with(common, landed, full))
    return eroded * agent.weight[ERODED] + lines * agent.weight[LINES]
