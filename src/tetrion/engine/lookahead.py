"""Looking ahead: over the known next pieces, and then over all that may come.

A line of play is worth what its placements bring (the features that add up) and the board it ends on. A line that dies
is worth less than every other, and the less the earlier it dies.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tetrion.engine.agent_records import MAX_DEPTH, compute_score, measure_selector
from tetrion.engine.best_placements import NO_PLACEMENT, WORST_POINTS, ChosenPlacement
from tetrion.engine.bitboard import make_board_outcome, place_piece_on_columns, remove_full_rows
from tetrion.engine.columns import write_columns
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.local_evaluation import Scratch
from tetrion.engine.piece_motion import MOVEMENT_ROWS, can_spawn
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placement_choice import SIMD_SCRATCH_FIELDS, DtypeFields, find_best_placements
from tetrion.engine.rotation_systems import MAX_ROTATION_STATES
from tetrion.engine.rules import END_SPAWN_BLOCKED
from tetrion.engine.scalar_or_simd import Array, find_lowest_bit, to_int, where
from tetrion.engine.simd_drops import find_best_local_drops
from tetrion.engine.simd_lanes import LANES, any_lane_set, store
from tetrion.engine.simd_lanes import reduce_max as largest_lane

MAX_PLACEMENTS_PER_DEPTH = (
    MAX_ROTATION_STATES * MOVEMENT_ROWS // 2 * LANES
)  # places in a column have an empty cell between them
SURVIVAL_BONUS = 2**40  # more than all points of a line: what another piece survived is worth
NO_VARIATION_VALUE = -(2**62)

# Of every piece that is listed: the board on which it comes, what its placements are worth and bring, where they are.
SEARCH_FIELDS: DtypeFields = [
    *SIMD_SCRATCH_FIELDS,
    ("boards", np.int32, (MAX_DEPTH + 1, BOARD_WIDTH)),
    ("points", np.int32, MAX_DEPTH * MAX_PLACEMENTS_PER_DEPTH),
    ("gains", np.int32, MAX_DEPTH * MAX_PLACEMENTS_PER_DEPTH),
    ("places", np.int32, MAX_DEPTH * MAX_PLACEMENTS_PER_DEPTH),
    ("count", np.int64, MAX_DEPTH),
    ("at", np.int64, MAX_DEPTH),
    ("sum", np.int64, MAX_DEPTH + 1),  # what the placements before bring
    ("worth", np.int64, MAX_PLACEMENTS_PER_DEPTH),  # of the best line of each placement of the current piece
    ("length", np.int64, MAX_PLACEMENTS_PER_DEPTH),  # of that line, as far as it is listed
    ("line", np.int32, (MAX_PLACEMENTS_PER_DEPTH, MAX_DEPTH)),  # its placements
]
SEARCH_DTYPE = np.dtype(SEARCH_FIELDS, align=True)


@compile_inline
def encode_placement(turn: int, x: Any, row: Any) -> Any:
    """A placement as one number, the smaller the earlier in the order that breaks ties."""
    return (x + turn * LANES) * MOVEMENT_ROWS + (MOVEMENT_ROWS - 1 - row)


@compile_inline
def decode_placement(code: int) -> tuple[int, int, int]:
    """Turn, column and row of a placement that is one number."""
    return code // (LANES * MOVEMENT_ROWS), code // MOVEMENT_ROWS % LANES, MOVEMENT_ROWS - 1 - code % MOVEMENT_ROWS


@compile_inline
def store_placements(
    scratch: Scratch, depth: int, possible: Any, points: Any, gains: Any, turn: Any, x: Any, row: Any
) -> None:
    """Keep sixteen placements of a piece, if it is not the last one and some of them are possible."""
    if depth >= 0 and any_lane_set(to_int(possible)):
        offset = depth * MAX_PLACEMENTS_PER_DEPTH + scratch.count[depth]
        store(scratch.points, offset, where(possible, points, WORST_POINTS))
        store(scratch.gains, offset, gains)
        store(scratch.places, offset, encode_placement(turn, x, row))
        scratch.count[depth] += LANES


@compile_inline
def store_measured_placements(
    scratch: Scratch, depth: int, agent: Any, tables: Array, possible: Any, points: Any, turn: int, x: Any, row: Any
) -> None:
    """The same for placements whose features have been measured."""
    if depth >= 0:
        gains = compute_score(agent, agent.added, tables, scratch.values, x)
        store_placements(scratch, depth, possible, points, gains, turn, x, row)


@compile_separate
def prune_beam(scratch: Scratch, depth: int, beam: int) -> None:
    """Keep only the best placements of a ply, the first of equals."""
    offset, count = depth * MAX_PLACEMENTS_PER_DEPTH, scratch.count[depth]
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
    scratch.count[depth] = min(beam, count)


@compile_inline
def find_best_points(
    board: Array, rules: Any, piece: int, interval: int, agent: Any, tables: Array, scratch: Scratch, depth: int
) -> int:
    """The points of the best of all places that the game survives, or the worst if there is none."""
    leaders, alive = find_best_placements(
        board, rules, piece, interval, agent, tables, scratch, store_measured_placements, depth
    )
    return int(largest_lane(leaders.points)) if alive else WORST_POINTS


@compile_inline
def find_best_local_drop_points(
    board: Array, rules: Any, piece: int, interval: int, agent: Any, tables: Array, scratch: Scratch, depth: int
) -> int:
    """The same of straight drops that can be judged by their neighbourhood."""
    return int(largest_lane(find_best_local_drops(board, rules, piece, agent, scratch, store_placements, depth).points))


@compile_separate
def evaluate_piece(
    find_best: Callable[..., int],
    scratch: Scratch,
    depth: int,
    stores_placements: bool,
    rules: Any,
    piece: int,
    interval: int,
    agent: Any,
    tables: Array,
) -> int:
    """The points of a piece's best placement that survives, or the worst if none does; listed if that is wanted."""
    number, board = depth if stores_placements else -1, scratch.boards[depth]
    if stores_placements:
        scratch.count[depth], scratch.at[depth] = 0, 0
    if rules.game_over == END_SPAWN_BLOCKED and not can_spawn(board, rules, piece):
        return WORST_POINTS
    points = find_best(board, rules, piece, interval, agent, tables, scratch, number)
    if stores_placements and agent.beam:
        prune_beam(scratch, depth, agent.beam)
    return points


@compile_separate
def advance_board(scratch: Scratch, depth: int, index: int, rules: Any, piece: int) -> None:
    """Make the board of the next ply: a listed placement made, full rows removed."""
    turn, x, row = decode_placement(int(scratch.places[index]))
    columns, _, full = place_piece_on_columns(scratch.boards[depth], int(rules.turned[piece, turn]), x, row)
    write_columns(scratch.boards[depth + 1], remove_full_rows(columns, full))
    scratch.sum[depth + 1] = scratch.sum[depth] + scratch.gains[index]


@compile_inline
def compute_variation_value(agent: Any, depth: int, before: int, points: int, last: int) -> int:
    """What a line is worth: `last` is the best of the last piece, or the sum over the seven pieces that may come."""
    if agent.expect:
        return (depth + 2) * SURVIVAL_BONUS + len(PIECES) * before + last
    if last == WORST_POINTS:
        return (depth + 1) * SURVIVAL_BONUS + points
    return (depth + 2) * SURVIVAL_BONUS + before + last


@compile_inline
def store_variation(scratch: Scratch, depth: int, value: int) -> None:
    """Keep the line of play that has just been followed, if it is the best of its first placement."""
    root = scratch.at[0] - 1
    if value > scratch.worth[root]:
        scratch.worth[root], scratch.length[root] = value, depth + 1
        for number in range(depth + 1):
            scratch.line[root, number] = scratch.places[number * MAX_PLACEMENTS_PER_DEPTH + scratch.at[number] - 1]


@compile_inline
def select_mode(board: Array, rules: Any, number: int, agent: Any, scratch: Scratch) -> int:
    """The number of the record to play by: the agent's own, or that of its second mode."""
    if agent.other == 0:
        return number
    measure_selector(agent.selector, make_board_outcome(board, rules.rows), scratch.block)
    value = scratch.block[find_lowest_bit(agent.selector)]
    return int(agent.other) if value >= agent.threshold else number


@compile_inline
def choose_with_lookahead(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> ChosenPlacement:
    """The first placement (orientation, column, row) of the best line of play."""
    return search_best_placement(find_best_points, game, rules, interval, agent, agents, tables, scratch)


@compile_inline
def choose_local_drop_with_lookahead(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> ChosenPlacement:
    """The same where all are straight drops that can be judged by their neighbourhood."""
    return search_best_placement(find_best_local_drop_points, game, rules, interval, agent, agents, tables, scratch)


@compile_inline
def search_best_placement(
    find_best: Callable[..., int],
    game: Any,
    rules: Any,
    interval: int,
    agent: Any,
    agents: Array,
    tables: Array,
    scratch: Scratch,
) -> ChosenPlacement:
    """The first placement of the best line of play, of equals the first in order; `best_of` judges those of a piece."""
    mode = agents[select_mode(game.board, rules, int(game.agent), agent, scratch)]
    listed = mode.depth - 1 + mode.expect
    best = NO_VARIATION_VALUE
    choice = NO_PLACEMENT
    root = NO_PLACEMENT
    ply = 0
    shares = len(PIECES) if mode.expect else 1  # points are sums over the pieces that may come
    for column in range(BOARD_WIDTH):
        scratch.boards[0, column] = game.board[column]
    scratch.sum[0] = 0
    hopeful = (
        evaluate_piece(find_best, scratch, 0, True, rules, int(game.queue[0]), interval, mode, tables) != WORST_POINTS
    )
    for index in range(scratch.count[0]):
        scratch.worth[index] = NO_VARIATION_VALUE
    while ply >= 0:
        if scratch.at[ply] == scratch.count[ply]:
            ply -= 1
            continue
        index = ply * MAX_PLACEMENTS_PER_DEPTH + scratch.at[ply]
        scratch.at[ply] += 1
        points = np.int64(scratch.points[index])
        if points == WORST_POINTS:
            continue
        if ply == 0:
            root = int(np.int64(scratch.places[index]))
        value = points = (points + scratch.sum[ply]) * shares
        if hopeful and listed:
            advance_board(scratch, ply, index, rules, int(game.queue[ply]))
            leaf = ply + 1 == listed
            first, last = int(game.queue[ply + 1]), 0
            behind = first + 1
            if leaf and mode.expect:
                first, behind = 0, len(PIECES)
            for piece in range(first, behind):
                last += evaluate_piece(find_best, scratch, ply + 1, not leaf, rules, piece, interval, mode, tables)
            if not leaf and last != WORST_POINTS:
                ply += 1
                continue
            value = (
                compute_variation_value(mode, ply, scratch.sum[ply + 1], points, last)
                if leaf
                else (ply + 1) * SURVIVAL_BONUS + points
            )
        store_variation(scratch, ply, value)
        if value > best or (value == best and root < choice):
            best, choice = value, root
    if choice == NO_PLACEMENT:
        return NO_PLACEMENT, 0, 0
    turn, x, row = decode_placement(choice)
    return int(rules.turned[int(game.queue[0]), turn]), x, row
