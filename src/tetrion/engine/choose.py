"""The best placement of a piece for an agent.

Straight drops are looked at all columns at once on lanes, or one after another; places of any movement on lanes.
All take the first best one in the order orientation, column from the left, row from the top, and one that ends the game
only if all do.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tetrion.engine.agents import score
from tetrion.engine.board import (
    Before,
    Situation,
    columns_of,
    fits,
    heights_of,
    landing_row,
    outcome,
    placed,
    standing,
    without_full_rows,
)
from tetrion.engine.columns import largest, write
from tetrion.engine.compiler import compiled, compiled_apart, entry_with
from tetrion.engine.features import LOTS, LOWEST, measure
from tetrion.engine.features.boards import bumpiness, max_height
from tetrion.engine.features.dellacherie import holes
from tetrion.engine.lanes import LANE_NUMBERS, LANES, any_set, load, store
from tetrion.engine.lanes import largest as largest_lane
from tetrion.engine.leaders import NO_PLACEMENT, WORST, Choice, Leaders, first_best, improved, nobody
from tetrion.engine.motion import SKY
from tetrion.engine.near import Scratch
from tetrion.engine.own import BLOCK, COMPARED, OWN, measure_own
from tetrion.engine.pieces import PLACES, TALL, WIDTH
from tetrion.engine.reach import RESTS, ROOM, reach, reach_in_time
from tetrion.engine.registry import MOST_FEATURES
from tetrion.engine.rules import ABOVE, REACHED, TIMED, TOP_ROW
from tetrion.engine.words import Array, anywhere, height, maximum, spread, truth, where

HEIGHTS = LANES + 3  # room for the heights: sixteen columns are looked at from each of the first four

# Memory to work in, made once for many games: heights, the values of the features, room to tell a person's features of
# an outcome, room for floods, and what is known of the placements of each piece while looking ahead. It is a record,
# because Numba would count references to arrays whenever a function takes them.
Fields = list[tuple[Any, ...]]
BARE_FIELDS: Fields = [("heights", np.int32, HEIGHTS), ("values", np.int32, MOST_FEATURES)]
SIXTEEN_FIELDS: Fields = [
    ("heights", np.int32, HEIGHTS),
    ("values", np.int32, MOST_FEATURES * LANES),
    ("block", np.int32, BLOCK * LANES),
    ("room", np.int32, ROOM),
]
BARE = np.dtype(BARE_FIELDS)
ONE = np.dtype([*BARE_FIELDS, ("block", np.int32, BLOCK)])
SIXTEEN = np.dtype(SIXTEEN_FIELDS)


@compiled
def situation(board: Array, rows: int, mask: int, heights: Array) -> Situation:
    """What must be known before placing; what is known of the board before it only if a feature wants that."""
    now = standing(board, rows)
    write(heights, now.heights)
    highest, bumps, gaps, lowest, lot = 0, 0, 0, 0, 0
    if mask & COMPARED:
        highest, bumps, gaps = max_height(now), bumpiness(now), holes(now)
    if mask & LOWEST:
        for column in range(1, WIDTH):
            if heights[column] < heights[lowest]:
                lowest = column
    if mask & LOTS:
        for column in range(WIDTH):
            lot = ((lot ^ int(board[column])) * 0x01000193 + 0x9E3779B1) & 0xFFFFFFFF
    return Situation(board, heights, rows, now.cells, Before(highest, bumps, gaps, lowest, lot))


@compiled
def judge(
    now: Situation, agent: Any, tables: Array, possible: bool, orientation: int, x: int, row: int, scratch: Scratch
) -> int:
    """An agent's score of a placement, if it is possible; its features are left in the scratch's values."""
    after = outcome(now, agent.removed != 0, orientation, x, row)
    measure(agent.mask, after, scratch.values)
    if agent.mask & OWN:
        measure_own(agent, after, possible, scratch)
    return score(agent, agent.mask, tables, scratch.values, x)


@compiled
def survives(board: Array, rules: Any, orientation: int, x: int, row: int) -> bool:
    """Whether the game goes on after a placement that fits."""
    top = row + int(TALL[orientation])
    if rules.over == ABOVE:
        return top <= int(rules.height)
    if rules.over == TOP_ROW and anywhere(truth(top >= int(rules.height))):
        columns, _, full = placed(board, orientation, x, row)
        return maximum(largest(heights_of(without_full_rows(columns, full))), 0) < int(rules.height)
    return top < SKY


@compiled
def choose_one_by_one(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> Choice:
    """The agent's choice (orientation, column, row) of all straight drops, looked at one after another."""
    board, piece = game.board, int(game.queue[0])
    now = situation(board, rules.rows, agent.mask, scratch.heights)
    best, choice, turns = WORST, (NO_PLACEMENT, 0, 0), int(rules.turns[piece])
    careful, turn = rules.over >= TOP_ROW, 0
    while turn < turns:
        orientation = int(rules.turned[piece, turn])
        for x in range(PLACES[orientation]):
            row = landing_row(scratch.heights, orientation, x)
            possible = fits(orientation, x, row, rules.rows)
            if possible and (not careful or survives(board, rules, orientation, x, row)):
                points = judge(now, agent, tables, possible, orientation, x, row, scratch)
                if points > best:
                    best, choice = points, (orientation, x, row)
        turn += 1
        if careful and turn == turns and best == WORST:
            careful, turn = False, 0
    return choice


@compiled
def choose_on_lanes(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> Choice:
    """The agent's choice (orientation, column, row) of all straight drops, looked at all columns at once."""
    board, piece = game.board, int(game.queue[0])
    now = situation(board, rules.rows, agent.mask, scratch.heights)
    x = load(LANE_NUMBERS, 0)
    leaders, turns = nobody(x), int(rules.turns[piece])
    careful, turn = rules.over >= TOP_ROW, 0
    while turn < turns:
        orientation = int(rules.turned[piece, turn])
        row = landing_row(scratch.heights, orientation, x)
        possible = fits(orientation, x, row, rules.rows)
        row = where(possible, row, 0)  # else a height could reach 32, by which a column must not be shifted
        if careful:
            possible = possible & survives(board, rules, orientation, x, row)
        points = judge(now, agent, tables, possible, orientation, x, row, scratch)
        leaders = improved(leaders, possible, points, turn, x, row)
        turn += 1
        if careful and turn == turns and largest_lane(leaders.points) == WORST:
            careful, turn = False, 0
    return first_best(rules, piece, leaders)


@compiled_apart
def find_places(board: Array, rules: Any, piece: int, interval: int, scratch: Scratch) -> None:
    """Note in the flood's room all places to rest, by whatever movement the rules have."""
    if rules.movement == TIMED:
        reach_in_time(board, rules, piece, interval, scratch.room, -1, 0, 0)
    elif rules.movement == REACHED:
        reach(board, rules, piece, scratch.room)
    else:
        write(scratch.heights, heights_of(columns_of(board, 0)))
        x = load(LANE_NUMBERS, 0)
        for turn in range(rules.turns[piece]):
            orientation = int(rules.turned[piece, turn])
            row = landing_row(scratch.heights, orientation, x)
            possible = fits(orientation, x, row, rules.rows)
            place = spread(1, x) << (SKY - 1 - where(possible, row, 0))
            store(scratch.room, RESTS + turn * LANES, where(possible, place, 0))


@compiled
def has_place(board: Array, rules: Any, piece: int, interval: int, scratch: Scratch) -> bool:
    """Whether there is any place to rest."""
    find_places(board, rules, piece, interval, scratch)
    found = load(scratch.room, RESTS)
    for turn in range(1, rules.turns[piece]):
        found = found | load(scratch.room, RESTS + turn * LANES)
    return bool(any_set(found))


@entry_with(SIXTEEN, seconds=4)
def list_places(memory: Array, board: Array, rule: Array, piece: int, interval: int, places: Array) -> int:
    """Write every placement of a piece as turn, column, row; tells how many there are."""
    rules, scratch, count = rule[0], memory[0], 0
    find_places(board, rules, piece, interval, scratch)
    for turn in range(rules.turns[piece]):
        for x in range(WIDTH):
            left = int(scratch.room[RESTS + turn * LANES + x]) & 0xFFFFFFFF
            while left:
                topmost = left & -left
                left ^= topmost
                places[count, 0], places[count, 1], places[count, 2] = turn, x, SKY - height(topmost)
                count += 1
    return count


@compiled
def leaders_of(
    board: Array,
    rules: Any,
    piece: int,
    interval: int,
    agent: Any,
    tables: Array,
    scratch: Scratch,
    note: Callable[..., None],
    ply: int,
) -> tuple[Leaders, bool]:
    """The best of all places in every column, and whether the game goes on after them; each is told to `note`."""
    find_places(board, rules, piece, interval, scratch)
    now = situation(board, rules.rows, agent.mask, scratch.heights)
    x = load(LANE_NUMBERS, 0)
    leaders, turns = nobody(x), int(rules.turns[piece])
    careful, alive, turn = rules.over >= TOP_ROW, True, 0
    left = load(scratch.room, RESTS)
    while turn < turns:
        if any_set(left):
            topmost = left & (0 - left)  # floods stand upside down
            left, possible = left ^ topmost, topmost != 0
            orientation, row = int(rules.turned[piece, turn]), where(possible, SKY - height(topmost), 0)
            if careful:
                possible = possible & survives(board, rules, orientation, x, row)
            points = judge(now, agent, tables, possible, orientation, x, row, scratch)
            leaders = improved(leaders, possible, points, turn, x, row)
            note(scratch, ply, agent, tables, possible, points, turn, x, row)
        else:
            turn += 1
            if careful and turn == turns and largest_lane(leaders.points) == WORST:
                careful, alive, turn = False, False, 0
            left = load(scratch.room, RESTS + turn * LANES)  # behind the last turn there is room for this
    return leaders, alive


@compiled
def note_nothing(
    scratch: Scratch, ply: int, agent: Any, tables: Array, possible: Any, points: Any, turn: int, x: Any, row: Any
) -> None:
    """Nobody wants to know."""


@compiled
def choose_any(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> Choice:
    """The agent's choice (orientation, column, row) of all places, looked at all columns at once."""
    piece = int(game.queue[0])
    leaders, _ = leaders_of(game.board, rules, piece, interval, agent, tables, scratch, note_nothing, 0)
    return first_best(rules, piece, leaders)
