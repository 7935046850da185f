"""Straight drops looked at one after another, as a thread of a GPU does it: for one piece, or with the next one known.

There are two ways to judge them: by all features, or by the neighbourhood. Each is a handful of functions.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tetrion.engine.agents import score
from tetrion.engine.ahead import LOST, STEP
from tetrion.engine.board import both, cells_at, fits, landing_row, raised, settle, without_full_rows
from tetrion.engine.choose import judge, situation, survives
from tetrion.engine.columns import each, each2, each3, each_with, joined, largest, numbered
from tetrion.engine.compiler import compiled
from tetrion.engine.drops import less
from tetrion.engine.features.dellacherie import holes_in
from tetrion.engine.lanes import LANES
from tetrion.engine.leaders import NO_PLACEMENT, WORST, Choice
from tetrion.engine.motion import enters
from tetrion.engine.narrow import index, narrow, wide
from tetrion.engine.near import (
    Scratch,
    near,
    points_alone,
    points_beside,
    points_of_holed,
    points_of_landing,
    points_of_lines,
)
from tetrion.engine.pieces import PLACES, WIDTH
from tetrion.engine.rules import NO_ENTRY, TOP_ROW
from tetrion.engine.words import LEFT_WALL, ROW, Array, anywhere, height, lowest, maximum, seen

NOWHERE = -1
Drop = tuple[int, int, int]  # points, the place (turn and column in one number), row


@compiled
def placement_of(rules: Any, piece: int, place: int, row: int) -> Choice:
    """A place and a row as orientation, column and row."""
    if place == NOWHERE:
        return NO_PLACEMENT, 0, 0
    return int(rules.turned[piece, place // LANES]), place % LANES, row


# By all features.


@compiled
def prepared(board: Array, rules: Any, agent: Any, scratch: Scratch) -> Any:
    """What must be known of a board before a piece is placed."""
    return situation(board, rules.rows, agent.mask, scratch.heights)


@compiled
def measured(
    now: Any, rules: Any, agent: Any, tables: Array, orientation: int, x: int, row: int, scratch: Scratch
) -> tuple[int, int]:
    """The points of a drop, and those of them that add up over several pieces."""
    points = judge(now, agent, tables, True, orientation, x, row, scratch)
    return points, score(agent, agent.added, tables, scratch.values, x)


@compiled
def row_measured(now: Any, rules: Any, orientation: int, x: int) -> int:
    """The row in which a piece comes to rest."""
    return landing_row(now.heights, orientation, x)


@compiled
def best_measured(board: Array, rules: Any, piece: int, agent: Any, tables: Array, scratch: Scratch) -> Drop:
    """The best drop that the game survives."""
    now, best, place, depth = prepared(board, rules, agent, scratch), WORST, NOWHERE, 0
    for turn in range(rules.turns[piece]):
        orientation = int(rules.turned[piece, turn])
        for x in range(PLACES[orientation]):
            row = row_measured(now, rules, orientation, x)
            if fits(orientation, x, row, rules.rows) and (
                rules.over < TOP_ROW or survives(board, rules, orientation, x, row)
            ):
                points = judge(now, agent, tables, True, orientation, x, row, scratch)
                if points > best:
                    best, place, depth = points, turn * LANES + x, row
    return best, place, depth


# By the neighbourhood.


class Light(NamedTuple):
    """Of an agent what the neighbourhood asks for: kept at hand, and in 32 bits."""

    weight: tuple[int, ...]  # of the first features
    removed: bool


@compiled
def _weight(agent: Any, number: int, x: int) -> int:
    return narrow(agent.weight[number])


@compiled
def light(agent: Any) -> Light:
    """An agent at hand."""
    return Light(numbered(_weight, agent, 0), agent.removed != 0)


ROWS = np.dtype(
    [
        ("columns", np.int32, ROW),
        ("tops", np.int32, ROW),  # their heights
        ("alone", np.int32, ROW),  # the points of all columns up to this one, by themselves
        ("beside", np.int32, ROW),  # and beside their neighbours
        ("full", np.int32, ROW),  # the rows that are full but for the four columns from this one on
        ("holed", np.int32, ROW),  # the rows with holes elsewhere
    ]
)


@compiled
def surveyed(board: Array, rules: Any, agent: Any, scratch: Scratch) -> Scratch:
    """What all drops on a board have in common, written into the scratch."""
    hand, wall = light(agent), (1 << rules.rows) - 1
    for place in range(ROW):
        scratch.columns[place], scratch.tops[place] = wall, rules.rows
    for column in range(WIDTH):
        bits = int(board[column])
        scratch.columns[LEFT_WALL + column], scratch.tops[LEFT_WALL + column] = bits, height(bits)
    alone, beside, full, holed = narrow(0), narrow(0), narrow(-1), narrow(0)
    scratch.beside[0] = 0
    for place in range(1, ROW - 1):
        column = _column(scratch, place)
        holes = holes_in(column, narrow(scratch.tops[place]))
        alone = alone + points_alone(hand, (column,), (holes,))
        beside = beside + points_beside(hand, _column(scratch, place - 1), (column,), _column(scratch, place + 1))
        scratch.alone[place], scratch.beside[place] = wide(alone), wide(beside)
        scratch.full[place], scratch.holed[place] = wide(full), wide(holed)
        full, holed = full & column, holed | holes
    full, holed = narrow(-1), narrow(0)
    for place in range(LEFT_WALL + WIDTH - 1, LEFT_WALL - 1, -1):
        scratch.full[place] = wide(narrow(scratch.full[place]) & full)
        scratch.holed[place] = wide(narrow(scratch.holed[place]) | holed)
        column = _column(scratch, place + 3)
        full, holed = full & column, holed | holes_in(column, narrow(scratch.tops[place + 3]))
    return scratch


@compiled
def _column(scratch: Scratch, place: int) -> int:
    return narrow(scratch.columns[place])


@compiled
def _untouched(ground: Scratch, x: int) -> int:
    """The points of all columns but the four from x on, and of how all but those and two more stand beside others."""
    alone, beside, last = seen(ground.alone, x), seen(ground.beside, x), LEFT_WALL + WIDTH
    every = narrow(ground.alone[last - 1]) - narrow(ground.alone[LEFT_WALL - 1]) + narrow(ground.beside[last])
    return every - (alone[5] - alone[1]) - (beside[6] - beside[0])


class Piece(NamedTuple):
    """An orientation at hand: a GPU's threads would have to wait for each other to look it up for every drop."""

    box: tuple[int, ...]
    bottoms: tuple[int, ...]
    peaks: tuple[int, ...]  # the heights of its columns, above the floor of its box
    tall: int


@compiled
def _four(table: Array, orientation: int) -> tuple[int, int, int, int]:
    return (
        narrow(table[orientation, 0]),
        narrow(table[orientation, 1]),
        narrow(table[orientation, 2]),
        narrow(table[orientation, 3]),
    )


@compiled
def piece_of(rules: Any, orientation: int) -> Piece:
    """An orientation at hand."""
    box, bottoms, peaks = (
        _four(rules.box, orientation),
        _four(rules.bottoms, orientation),
        _four(rules.peaks, orientation),
    )
    return Piece(box, bottoms, peaks, narrow(rules.tall[orientation]))


@compiled
def row_nearby(ground: Scratch, piece: Piece, x: int) -> int:
    """The row in which a piece comes to rest."""
    return wide(largest(each2(less, seen(ground.tops, narrow(x))[2:6], piece.bottoms)))


@compiled
def _raised_top(top: int, peak: int, row: int) -> int:
    return maximum(top, peak + row)


@compiled
def nearby(ground: Scratch, agent: Light, piece: Piece, x: int, row: int) -> tuple[int, int, int]:
    """The points of a drop's board as long as full rows stay there, those of the drop itself, and the full rows.

    All pieces are taken to be four columns wide, so that neighbouring threads, with other pieces, go in step.
    """
    landed, place, here = each_with(raised, piece.box, narrow(row)), index(LEFT_WALL + x), narrow(row)
    tops = each3(_raised_top, seen(ground.tops, narrow(x))[2:6], piece.peaks, (here, here, here, here))
    columns, full, holed = seen(ground.columns, narrow(x)), narrow(ground.full[place]), narrow(ground.holed[place])
    points, full = near(agent, columns, landed, tops, _untouched(ground, narrow(x)), full, holed)
    gains = points_of_landing(agent, piece.tall, here)
    if anywhere(full):
        gains = gains + points_of_lines(agent, landed, full)
    return points, gains, full


@compiled
def _column_of(scratch: Scratch, column: int, x: int) -> int:
    return _column(scratch, LEFT_WALL + column)


@compiled
def _cells_at(orientation: int, column: int, x: int) -> int:
    return narrow(cells_at(orientation, column, wide(x)))


@compiled
def points_cleared(ground: Scratch, agent: Light, rows: int, orientation: int, x: int, row: int, full: int) -> Any:
    """The points of the board after a drop whose full rows are removed, looked at anew."""
    wall, landed = narrow((1 << rows) - 1), each_with(raised, numbered(_cells_at, orientation, x), row)
    columns = without_full_rows(each2(both, numbered(_column_of, ground, x), landed), full)
    holes = each2(holes_in, columns, each(height, columns))
    points = points_alone(agent, columns, holes) + points_beside(agent, wall, (wall, *columns), wall)
    return points + points_of_holed(agent, joined(holes))


@compiled
def row_looked_up(ground: Scratch, rules: Any, orientation: int, x: int) -> int:
    """The row in which an orientation comes to rest."""
    return row_nearby(ground, piece_of(rules, orientation), x)


@compiled
def judged_nearby(
    ground: Scratch, rules: Any, agent: Any, tables: Array, orientation: int, x: int, row: int, scratch: Scratch
) -> tuple[int, int]:
    """The points of a drop, and those of them that add up over several pieces."""
    hand = light(agent)
    points, gains, full = nearby(ground, hand, piece_of(rules, orientation), x, row)
    if anywhere(full) and hand.removed:
        points = points_cleared(ground, hand, rules.rows, orientation, narrow(x), narrow(row), full)
    return wide(points + gains), wide(gains)


@compiled
def best_nearby(board: Array, rules: Any, piece: int, agent: Any, tables: Array, scratch: Scratch) -> Drop:
    """The best drop.

    Drops that fill rows are put off until all others are looked at: neighbouring threads have theirs at other places,
    and each would wait for all.
    """
    ground, best, place, depth, later = surveyed(board, rules, agent, scratch), narrow(WORST), NOWHERE, 0, 0
    hand = light(agent)
    for turn in range(rules.turns[piece]):
        orientation = int(rules.turned[piece, turn])
        shape = piece_of(rules, orientation)
        highest = rules.rows - wide(shape.tall)
        for x in range(PLACES[orientation]):
            row = row_nearby(ground, shape, x)
            if row <= highest:
                points, gains, full = nearby(ground, hand, shape, x, row)
                if anywhere(full) and hand.removed:
                    later |= 1 << (turn * LANES + x)
                elif points + gains > best:
                    best, place, depth = points + gains, turn * LANES + x, row
    while later:
        number = lowest(later)
        later &= later - 1
        orientation, x = int(rules.turned[piece, number // LANES]), number % LANES
        row = row_nearby(ground, piece_of(rules, orientation), x)
        told, _ = judged_nearby(ground, rules, agent, tables, orientation, x, row, scratch)
        if told > wide(best) or (told == wide(best) and number < place):
            best, place, depth = narrow(told), number, row
    return wide(best), place, depth


@compiled
def choose_drop_one_by_one(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> Choice:
    """The agent's choice (orientation, column, row) of all straight drops, by the neighbourhood."""
    piece = int(game.queue[0])
    _, place, row = best_nearby(game.board, rules, piece, agent, tables, scratch)
    return placement_of(rules, piece, place, row)


# With the next piece known.


@compiled
def choose_two_measured(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Any
) -> Choice:
    """The first drop of the best two, by all features."""
    return _choose_two(prepared, row_measured, measured, best_measured, game, rules, agent, tables, scratch)


@compiled
def choose_two_nearby(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Any
) -> Choice:
    """The first drop of the best two, by the neighbourhood."""
    return _choose_two(surveyed, row_looked_up, judged_nearby, best_nearby, game, rules, agent, tables, scratch)


@compiled
def _choose_two(
    prepare: Callable[..., Any],
    row_of: Callable[..., int],
    judged: Callable[..., tuple[int, int]],
    best_of: Callable[..., Drop],
    game: Any,
    rules: Any,
    agent: Any,
    tables: Array,
    scratch: tuple[Scratch, Scratch, Array],
) -> Choice:
    """What `choose_ahead` chooses for a depth of two; `scratch` is one a piece, and room for a board."""
    mine, others, after = scratch
    piece, following, turns = int(game.queue[0]), int(game.queue[1]), int(rules.turns[int(game.queue[0])])
    view, best, place, depth = prepare(game.board, rules, agent, mine), LOST, NOWHERE, 0
    careful, hopeful, turn = rules.over >= TOP_ROW, True, 0
    while turn < turns:
        orientation = int(rules.turned[piece, turn])
        for x in range(PLACES[orientation]):
            row = row_of(view, rules, orientation, x)
            if fits(orientation, x, row, rules.rows) and (
                not careful or survives(game.board, rules, orientation, x, row)
            ):
                points, gains = judged(view, rules, agent, tables, orientation, x, row, mine)
                value = int(points)
                if hopeful:
                    for column in range(WIDTH):
                        after[column] = game.board[column]
                    settle(after, orientation, x, row)
                    last = WORST
                    if rules.over != NO_ENTRY or enters(after, rules, following):
                        last = best_of(after, rules, following, agent, tables, others)[0]
                    value = STEP + int(points) if last == WORST else 2 * STEP + int(gains) + int(last)
                if value > best:
                    best, place, depth = value, turn * LANES + x, row
        turn += 1
        if careful and turn == turns and place == NOWHERE:
            careful, hopeful, turn = False, False, 0
    return placement_of(rules, piece, place, depth)
