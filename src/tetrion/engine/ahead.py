"""Looking ahead: over the known next pieces, and then over all that may come.

A line of play is worth what its placements bring (the features that add up) and the board it ends on. A line that dies
is worth less than every other, and the less the earlier it dies.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tetrion.engine.agents import DEEPEST, measure_selector, score
from tetrion.engine.board import placed, standing, without_full_rows
from tetrion.engine.choose import SIXTEEN_FIELDS, Fields, leaders_of
from tetrion.engine.columns import write
from tetrion.engine.compiler import compiled, compiled_apart
from tetrion.engine.drops import leading_drops
from tetrion.engine.lanes import LANES, any_set, store
from tetrion.engine.lanes import largest as largest_lane
from tetrion.engine.leaders import NO_PLACEMENT, WORST, Choice
from tetrion.engine.motion import SKY, enters
from tetrion.engine.near import Scratch
from tetrion.engine.pieces import PIECES, WIDTH
from tetrion.engine.rotations import MOST_STATES
from tetrion.engine.rules import NO_ENTRY
from tetrion.engine.words import Array, lowest, truth, where

ROOM_A_PLY = MOST_STATES * SKY // 2 * LANES  # places in a column have an empty cell between them
STEP = 2**40  # more than all points of a line: what another piece survived is worth
LOST = -(2**62)

# Of every piece that is listed: the board on which it comes, what its placements are worth and bring, where they are.
SEARCH_FIELDS: Fields = [
    *SIXTEEN_FIELDS,
    ("boards", np.int32, (DEEPEST + 1, WIDTH)),
    ("points", np.int32, DEEPEST * ROOM_A_PLY),
    ("gains", np.int32, DEEPEST * ROOM_A_PLY),
    ("places", np.int32, DEEPEST * ROOM_A_PLY),
    ("count", np.int64, DEEPEST),
    ("at", np.int64, DEEPEST),
    ("sum", np.int64, DEEPEST + 1),  # what the placements before bring
    ("worth", np.int64, ROOM_A_PLY),  # of the best line of each placement of the current piece
    ("length", np.int64, ROOM_A_PLY),  # of that line, as far as it is listed
    ("line", np.int32, (ROOM_A_PLY, DEEPEST)),  # its placements
]
SEARCH = np.dtype(SEARCH_FIELDS, align=True)


@compiled
def place_of(turn: int, x: Any, row: Any) -> Any:
    """A placement as one number, the smaller the earlier in the order that breaks ties."""
    return (x + turn * LANES) * SKY + (SKY - 1 - row)


@compiled
def parts_of(place: int) -> tuple[int, int, int]:
    """Turn, column and row of a placement that is one number."""
    return place // (LANES * SKY), place // SKY % LANES, SKY - 1 - place % SKY


@compiled
def note_place(scratch: Scratch, ply: int, possible: Any, points: Any, gains: Any, turn: Any, x: Any, row: Any) -> None:
    """Keep sixteen placements of a piece, if it is not the last one and some of them are possible."""
    if ply >= 0 and any_set(truth(possible)):
        offset = ply * ROOM_A_PLY + scratch.count[ply]
        store(scratch.points, offset, where(possible, points, WORST))
        store(scratch.gains, offset, gains)
        store(scratch.places, offset, place_of(turn, x, row))
        scratch.count[ply] += LANES


@compiled
def note_measured(
    scratch: Scratch, ply: int, agent: Any, tables: Array, possible: Any, points: Any, turn: int, x: Any, row: Any
) -> None:
    """The same for placements whose features have been measured."""
    if ply >= 0:
        gains = score(agent, agent.added, tables, scratch.values, x)
        note_place(scratch, ply, possible, points, gains, turn, x, row)


@compiled_apart
def narrow(scratch: Scratch, ply: int, beam: int) -> None:
    """Keep only the best placements of a ply, the first of equals."""
    offset, count = ply * ROOM_A_PLY, scratch.count[ply]
    for kept in range(min(beam, count)):
        best = kept
        for other in range(kept + 1, count):
            ahead = scratch.points[offset + other] - np.int64(scratch.points[offset + best])
            first = scratch.places[offset + other] < scratch.places[offset + best]
            if ahead > 0 or (ahead == 0 and first):
                best = other
        one, two = offset + kept, offset + best
        scratch.points[one], scratch.points[two] = scratch.points[two], scratch.points[one]
        scratch.gains[one], scratch.gains[two] = scratch.gains[two], scratch.gains[one]
        scratch.places[one], scratch.places[two] = scratch.places[two], scratch.places[one]
    scratch.count[ply] = min(beam, count)


@compiled
def best_anywhere(
    board: Array, rules: Any, piece: int, interval: int, agent: Any, tables: Array, scratch: Scratch, ply: int
) -> int:
    """The points of the best of all places that the game survives, or the worst if there is none."""
    leaders, alive = leaders_of(board, rules, piece, interval, agent, tables, scratch, note_measured, ply)
    return int(largest_lane(leaders.points)) if alive else WORST


@compiled
def best_drop(
    board: Array, rules: Any, piece: int, interval: int, agent: Any, tables: Array, scratch: Scratch, ply: int
) -> int:
    """The same of straight drops that can be judged by their neighbourhood."""
    return int(largest_lane(leading_drops(board, rules, piece, agent, scratch, note_place, ply).points))


@compiled_apart
def look(
    best: Callable[..., int],
    scratch: Scratch,
    ply: int,
    listed: bool,
    rules: Any,
    piece: int,
    interval: int,
    agent: Any,
    tables: Array,
) -> int:
    """The points of a piece's best placement that survives, or the worst if none does; listed if that is wanted."""
    number, board = ply if listed else -1, scratch.boards[ply]
    if listed:
        scratch.count[ply], scratch.at[ply] = 0, 0
    if rules.over == NO_ENTRY and not enters(board, rules, piece):
        return WORST
    points = best(board, rules, piece, interval, agent, tables, scratch, number)
    if listed and agent.beam:
        narrow(scratch, ply, agent.beam)
    return points


@compiled_apart
def advance(scratch: Scratch, ply: int, index: int, rules: Any, piece: int) -> None:
    """Make the board of the next ply: a listed placement made, full rows removed."""
    turn, x, row = parts_of(int(scratch.places[index]))
    columns, _, full = placed(scratch.boards[ply], int(rules.turned[piece, turn]), x, row)
    write(scratch.boards[ply + 1], without_full_rows(columns, full))
    scratch.sum[ply + 1] = scratch.sum[ply] + scratch.gains[index]


@compiled
def worth(agent: Any, ply: int, before: int, points: int, last: int) -> int:
    """What a line is worth: `last` is the best of the last piece, or the sum over the seven pieces that may come."""
    if agent.expect:
        return (ply + 2) * STEP + len(PIECES) * before + last
    if last == WORST:
        return (ply + 1) * STEP + points
    return (ply + 2) * STEP + before + last


@compiled
def keep_line(scratch: Scratch, ply: int, value: int) -> None:
    """Keep the line of play that has just been followed, if it is the best of its first placement."""
    root = scratch.at[0] - 1
    if value > scratch.worth[root]:
        scratch.worth[root], scratch.length[root] = value, ply + 1
        for number in range(ply + 1):
            scratch.line[root, number] = scratch.places[number * ROOM_A_PLY + scratch.at[number] - 1]


@compiled
def mode_of(board: Array, rules: Any, number: int, agent: Any, scratch: Scratch) -> int:
    """The number of the record to play by: the agent's own, or that of its second mode."""
    if agent.other == 0:
        return number
    measure_selector(agent.selector, standing(board, rules.rows), scratch.block)
    value = scratch.block[lowest(agent.selector)]
    return int(agent.other) if value >= agent.threshold else number


@compiled
def choose_ahead(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> Choice:
    """The first placement (orientation, column, row) of the best line of play."""
    return choose_by(best_anywhere, game, rules, interval, agent, agents, tables, scratch)


@compiled
def choose_drop_ahead(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> Choice:
    """The same where all are straight drops that can be judged by their neighbourhood."""
    return choose_by(best_drop, game, rules, interval, agent, agents, tables, scratch)


@compiled
def choose_by(
    best_of: Callable[..., int],
    game: Any,
    rules: Any,
    interval: int,
    agent: Any,
    agents: Array,
    tables: Array,
    scratch: Scratch,
) -> Choice:
    """The first placement of the best line of play, of equals the first in order; `best_of` judges those of a piece."""
    mode = agents[mode_of(game.board, rules, int(game.agent), agent, scratch)]
    listed, best, choice, root, ply = mode.depth - 1 + mode.expect, LOST, NO_PLACEMENT, NO_PLACEMENT, 0
    shares = len(PIECES) if mode.expect else 1  # points are sums over the pieces that may come
    for column in range(WIDTH):
        scratch.boards[0, column] = game.board[column]
    scratch.sum[0] = 0
    hopeful = look(best_of, scratch, 0, True, rules, int(game.queue[0]), interval, mode, tables) != WORST
    for index in range(scratch.count[0]):
        scratch.worth[index] = LOST
    while ply >= 0:
        if scratch.at[ply] == scratch.count[ply]:
            ply -= 1
            continue
        index = ply * ROOM_A_PLY + scratch.at[ply]
        scratch.at[ply] += 1
        points = np.int64(scratch.points[index])
        if points == WORST:
            continue
        if ply == 0:
            root = int(np.int64(scratch.places[index]))
        value = points = (points + scratch.sum[ply]) * shares
        if hopeful and listed:
            advance(scratch, ply, index, rules, int(game.queue[ply]))
            leaf = ply + 1 == listed
            first, last = int(game.queue[ply + 1]), 0
            behind = first + 1
            if leaf and mode.expect:
                first, behind = 0, len(PIECES)
            for piece in range(first, behind):
                last += look(best_of, scratch, ply + 1, not leaf, rules, piece, interval, mode, tables)
            if not leaf and last != WORST:
                ply += 1
                continue
            value = worth(mode, ply, scratch.sum[ply + 1], points, last) if leaf else (ply + 1) * STEP + points
        keep_line(scratch, ply, value)
        if value > best or (value == best and root < choice):
            best, choice = value, root
    if choice == NO_PLACEMENT:
        return NO_PLACEMENT, 0, 0
    turn, x, row = parts_of(choice)
    return int(rules.turned[int(game.queue[0]), turn]), x, row
