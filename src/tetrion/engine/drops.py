"""Straight drops judged by their neighbourhood, sixteen at a time: the shortest way to a choice.

A piece in three columns has eight places, so lanes try two of its orientations at once: lanes 0 to 7 the one, lanes 8
to 15 the other. That is a sixth less to do than one orientation after another.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from tetrion.engine.board import raised
from tetrion.engine.columns import each2, each3, each_with, largest
from tetrion.engine.compiler import compiled
from tetrion.engine.lanes import LANE_NUMBERS, load, seen_from
from tetrion.engine.leaders import Choice, Leaders, first_best, improved, nobody
from tetrion.engine.near import (
    EIGHT,
    WIDTHS,
    Ground,
    Scratch,
    box_of,
    near_four,
    near_three,
    near_two,
    points_cleared_on_lanes,
    points_of_landing,
    points_of_lines,
    survey,
)
from tetrion.engine.pieces import BOTTOMS, PLACES, TALL
from tetrion.engine.words import Array, anywhere, seen, spread, where

_F0, _F1, _F2, _F3, _F4, _F5, _F6, _F7 = (seen_from(right, EIGHT) for right in range(-2, 6))


@compiled
def seen_twice(row: Any, x: Any) -> Any:
    """What `seen` tells, for the columns 0 to 7 and then for the same again."""
    return _F0(row), _F1(row), _F2(row), _F3(row), _F4(row), _F5(row), _F6(row), _F7(row)


class Drops(NamedTuple):
    """Sixteen drops at once: of one orientation, or of one in the first eight lanes and of another in the others."""

    first: int
    second: int
    turn: Any  # of every lane
    x: Any  # its column
    here: Any  # whether there is such a drop
    rows: int  # of the board


@compiled
def less(a: Any, b: Any) -> Any:
    """The difference."""
    return a - b


@compiled
def bottoms_of(orientation: int, x: Any) -> Any:
    """How far above its box's floor a piece begins in each of four columns."""
    first, second = spread(int(BOTTOMS[orientation, 0]), x), spread(int(BOTTOMS[orientation, 1]), x)
    return first, second, spread(int(BOTTOMS[orientation, 2]), x), spread(int(BOTTOMS[orientation, 3]), x)


@compiled
def _tried(
    near: Callable[..., Any],
    look: Callable[..., Any],
    ground: Ground,
    agent: Any,
    drops: Drops,
    tops: Any,
    box: Any,
    bottoms: Any,
    leaders: Leaders,
    scratch: Scratch,
    note: Callable[..., None],
    ply: int,
) -> Leaders:
    """The leaders after sixteen drops."""
    row, tall = largest(each2(less, tops, bottoms)), int(TALL[drops.first])
    possible = drops.here & (row <= drops.rows - tall)
    row = where(possible, row, 0)  # else a height could reach 32, by which a column must not be shifted
    landed = each_with(raised, box, row)
    points, full = near(look, ground, agent, drops.x, landed)
    gains, full = points_of_landing(agent, tall, row), where(possible, full, 0)
    if anywhere(full):
        gains = gains + points_of_lines(agent, landed, full)
        if agent.removed:
            points = points_cleared_on_lanes(ground.columns, agent, drops.first, drops.second, row, full, points)
    note(scratch, ply, possible, points + gains, gains, drops.turn, drops.x, row)
    return improved(leaders, possible, points + gains, drops.turn, drops.x, row)


@compiled
def leading_drops(
    board: Array, rules: Any, piece: int, agent: Any, scratch: Scratch, note: Callable[..., None], ply: int
) -> Leaders:
    """The best straight drop of every lane; each drop is told to `note`.

    There is no loop over all turns, because the compiler would prepare for every width before it.
    """
    lanes, rows, wide = load(LANE_NUMBERS, 0), int(rules.rows), int(rules.wide[piece])
    ground, leaders = survey(agent, board, rows, lanes), nobody(lanes)
    if wide >= 0:
        first = int(rules.turned[piece, wide])
        box, bottoms, here = box_of(first, lanes), bottoms_of(first, lanes), lanes < int(PLACES[first])
        if WIDTHS[first] == 3:
            second, turn = first, spread(wide, lanes)
            if wide + 2 < rules.turns[piece]:  # between the two it stands upright
                second, here = int(rules.turned[piece, wide + 2]), lanes >= 0
            later = lanes >= EIGHT
            drops = Drops(first, second, turn + where(later, 2, 0), lanes & (EIGHT - 1), here, rows)
            box = each3(where, (later, later, later), box_of(second, lanes)[:3], box[:3])
            bottoms = each3(where, (later, later, later), bottoms_of(second, lanes)[:3], bottoms[:3])
            tops = seen_twice(ground.tops, lanes)[2:5]
            leaders = _tried(
                near_three, seen_twice, ground, agent, drops, tops, box, bottoms, leaders, scratch, note, ply
            )
        else:
            drops, tops = Drops(first, first, spread(wide, lanes), lanes, here, rows), seen(ground.tops, lanes)[2:6]
            leaders = _tried(near_four, seen, ground, agent, drops, tops, box, bottoms, leaders, scratch, note, ply)
    for number in range(rules.narrows[piece]):
        turn = int(rules.narrow[piece, number])
        first = int(rules.turned[piece, turn])
        here, tops = lanes < int(PLACES[first]), seen(ground.tops, lanes)[2:4]
        box, bottoms = box_of(first, lanes)[:2], bottoms_of(first, lanes)[:2]
        drops = Drops(first, first, spread(turn, lanes), lanes, here, rows)
        leaders = _tried(near_two, seen, ground, agent, drops, tops, box, bottoms, leaders, scratch, note, ply)
    return leaders


@compiled
def note_nothing(
    scratch: Scratch, ply: int, possible: Any, points: Any, gains: Any, turn: Any, x: Any, row: Any
) -> None:
    """Nobody wants to know."""


@compiled
def choose_drop(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> Choice:
    """The agent's choice (orientation, column, row) of all straight drops, sixteen at a time."""
    piece = int(game.queue[0])
    return first_best(rules, piece, leading_drops(game.board, rules, piece, agent, scratch, note_nothing, 0))
