"""Lookahead over the known next pieces, optionally followed by the expectation over the next unknown piece.

The value of a variation is the sum of the additive features of its placements and the points of its final board. A
variation in which the game ends has a lower value than any other; the earlier it ends, the lower its value.
"""

from collections.abc import Callable
from typing import Annotated

import numpy as np

from tetrion.engine.agent_records import MAX_DEPTH, compute_score, measure_selector
from tetrion.engine.best_placements import (
    NO_PLACEMENT,
    WORST_POINTS,
    ChosenPlacement,
    PlacementLanes,
    Search,
    decode_placement,
    encode_placement,
)
from tetrion.engine.bitboard import make_board_outcome, place_piece_on_columns, remove_full_rows
from tetrion.engine.columns import write_columns
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placement_choice import SimdScratch, find_best_placements, is_blocked_out
from tetrion.engine.records import MAX_ROTATION_STATES, AgentRecord, GameRecord, Int32Array, Int64Array, RulesRecord
from tetrion.engine.scalar_or_simd import Array, find_lowest_bit, to_int, where
from tetrion.engine.simd_drops import find_best_local_drops
from tetrion.engine.simd_lanes import LANES, any_lane_set, reduce_max, store

# A piece cannot rest in two adjacent rows of the same column, so at most every second row has a placement.
MAX_PLACEMENTS_PER_DEPTH = MAX_ROTATION_STATES * MOVEMENT_ROWS // 2 * LANES
SURVIVAL_BONUS = 2**40  # value of each piece that the game survives: more than all points of a variation
NO_VARIATION_VALUE = -(2**62)


class SearchScratch(SimdScratch):
    """Working memory of a search: for each depth, the board and all placements on it."""

    boards: Annotated[Int32Array, (MAX_DEPTH + 1, BOARD_WIDTH)]
    points: Annotated[Int32Array, MAX_DEPTH * MAX_PLACEMENTS_PER_DEPTH]
    gains: Annotated[Int32Array, MAX_DEPTH * MAX_PLACEMENTS_PER_DEPTH]  # additive points
    placements: Annotated[Int32Array, MAX_DEPTH * MAX_PLACEMENTS_PER_DEPTH]  # encoded
    count: Annotated[Int64Array, MAX_DEPTH]  # number of these placements
    next_index: Annotated[Int64Array, MAX_DEPTH]  # index of the next placement to search
    gains_so_far: Annotated[Int64Array, MAX_DEPTH + 1]  # additive points of the placements before this depth
    # The best variation of each placement of the current piece: its value, the number of its stored placements, and
    # these placements.
    variation_values: Annotated[Int64Array, MAX_PLACEMENTS_PER_DEPTH]
    variation_lengths: Annotated[Int64Array, MAX_PLACEMENTS_PER_DEPTH]
    variations: Annotated[Int32Array, (MAX_PLACEMENTS_PER_DEPTH, MAX_DEPTH)]


FindBestPoints = Callable[[Array, int, Search[SearchScratch], int], int]  # of a board, a piece, a search and a depth


@compile_inline
def store_placements(scratch: SearchScratch, depth: int, lanes: PlacementLanes, gains: int) -> None:
    """Store sixteen placements of a piece in the scratch, if any is possible; a negative depth stores nothing."""
    if depth >= 0 and any_lane_set(to_int(lanes.possible)):
        offset = depth * MAX_PLACEMENTS_PER_DEPTH + scratch.count[depth]
        store(scratch.points, offset, where(lanes.possible, lanes.points, WORST_POINTS))
        store(scratch.gains, offset, gains)
        store(scratch.placements, offset, encode_placement(lanes.rotation, lanes.column, lanes.row))
        scratch.count[depth] += LANES


@compile_inline
def store_measured_placements(search: Search[SearchScratch], depth: int, lanes: PlacementLanes) -> None:
    """Store sixteen placements whose feature values are in the scratch; a negative depth stores nothing."""
    if depth >= 0:
        agent = search.agent
        gains = compute_score(agent, agent.additive_mask, search.tables, search.scratch.values, lanes.column)
        store_placements(search.scratch, depth, lanes, gains)


@compile_separate
def prune_beam(scratch: SearchScratch, depth: int, beam: int) -> None:
    """Reduce the stored placements of a depth to the best ones; of placements with equal scores the first ones."""
    offset = depth * MAX_PLACEMENTS_PER_DEPTH
    count = scratch.count[depth]
    for rank in range(min(beam, count)):
        best = rank
        for other in range(rank + 1, count):
            difference = scratch.points[offset + other] - np.int64(scratch.points[offset + best])
            is_first = scratch.placements[offset + other] < scratch.placements[offset + best]
            if difference > 0 or (difference == 0 and is_first):
                best = other
        a, b = offset + rank, offset + best
        scratch.points[a], scratch.points[b] = scratch.points[b], scratch.points[a]
        scratch.gains[a], scratch.gains[b] = scratch.gains[b], scratch.gains[a]
        scratch.placements[a], scratch.placements[b] = scratch.placements[b], scratch.placements[a]
    scratch.count[depth] = min(beam, count)


@compile_inline
def find_best_points(board: Array, piece: int, search: Search[SearchScratch], depth: int) -> int:
    """Return the points of the best placement that the game survives, or WORST_POINTS if there is none."""
    best, survives = find_best_placements(board, piece, search, store_measured_placements, depth)
    return int(reduce_max(best.points)) if survives else WORST_POINTS


@compile_inline
def find_best_local_drop_points(board: Array, piece: int, search: Search[SearchScratch], depth: int) -> int:
    """Return the points of the best straight drop by local evaluation, or WORST_POINTS if there is none."""
    return int(reduce_max(find_best_local_drops(board, piece, search, store_placements, depth).points))


@compile_separate
def evaluate_piece(
    find_best: FindBestPoints, search: Search[SearchScratch], depth: int, piece: int, stores_placements: bool
) -> int:
    """Return the points of a piece's best placement on the board of a depth, or WORST_POINTS if none survives.

    With `stores_placements` the placements are stored for the search of the next depth.
    """
    rules = search.rules
    agent = search.agent
    scratch = search.scratch
    board = scratch.boards[depth]
    storage_depth = depth if stores_placements else -1
    if stores_placements:
        scratch.count[depth] = 0
        scratch.next_index[depth] = 0
    if is_blocked_out(board, rules, piece):
        return WORST_POINTS
    points = find_best(board, piece, search, storage_depth)
    if stores_placements and agent.beam:
        prune_beam(scratch, depth, agent.beam)
    return points


@compile_separate
def advance_board(scratch: SearchScratch, depth: int, index: int, rules: RulesRecord, piece: int) -> None:
    """Write the board of the next depth: a stored placement is made and full rows are removed."""
    rotation, x, row = decode_placement(int(scratch.placements[index]))
    columns, _, full = place_piece_on_columns(scratch.boards[depth], int(rules.orientations[piece, rotation]), x, row)
    write_columns(scratch.boards[depth + 1], remove_full_rows(columns, full))
    scratch.gains_so_far[depth + 1] = scratch.gains_so_far[depth] + scratch.gains[index]


@compile_inline
def compute_variation_value(agent: AgentRecord, depth: int, before: int, points: int, last: int) -> int:
    """Return the value of a variation whose last stored placement is at `depth`.

    `before` are the additive points so far and `points` those of the stored placements with their board; `last` are the
    points of the best placement of the last piece, or with expectation their sum over the seven pieces.
    """
    if agent.expect:
        return (depth + 2) * SURVIVAL_BONUS + len(PIECES) * before + last
    if last == WORST_POINTS:
        return (depth + 1) * SURVIVAL_BONUS + points
    return (depth + 2) * SURVIVAL_BONUS + before + last


@compile_inline
def store_variation(scratch: SearchScratch, depth: int, value: int) -> None:
    """Store the current variation if it is the best one that starts with its first placement."""
    root = scratch.next_index[0] - 1
    if value > scratch.variation_values[root]:
        scratch.variation_values[root] = value
        scratch.variation_lengths[root] = depth + 1
        for number in range(depth + 1):
            index = number * MAX_PLACEMENTS_PER_DEPTH + scratch.next_index[number] - 1
            scratch.variations[root, number] = scratch.placements[index]


@compile_inline
def select_mode(board: Array, rules: RulesRecord, number: int, agent: AgentRecord, scratch: SimdScratch) -> int:
    """Return the index of the agent record to use: `number`, or that of the agent's second mode."""
    if agent.second_mode == 0:
        return number
    measure_selector(agent.selector, make_board_outcome(board, rules.rows), scratch.outcome_block)
    value = scratch.outcome_block[find_lowest_bit(agent.selector)]
    return int(agent.second_mode) if value >= agent.threshold else number


@compile_inline
def choose_with_lookahead(game: GameRecord, search: Search[SearchScratch]) -> ChosenPlacement:
    """Choose the first placement (orientation, column, row) of the best variation, under any rules."""
    return search_best_variation(find_best_points, game, search)[1]


@compile_inline
def choose_local_drop_with_lookahead(game: GameRecord, search: Search[SearchScratch]) -> ChosenPlacement:
    """Choose the first straight drop (orientation, column, row) of the best variation, by local evaluation."""
    return search_best_variation(find_best_local_drop_points, game, search)[1]


@compile_inline
def search_best_variation(
    find_best: FindBestPoints, game: GameRecord, search: Search[SearchScratch]
) -> tuple[int, ChosenPlacement]:
    """Return the value of the best variation, and its first placement; of equal ones the first in order.

    `find_best` scores the placements of one piece.
    """
    rules = search.rules
    scratch = search.scratch
    mode = search.agents[select_mode(game.board, rules, int(game.agent), search.agent, scratch)]
    mode_search = Search(rules, search.interval, mode, search.agents, search.tables, scratch)
    stored_depths = mode.depth - 1 + mode.expect
    best_value = NO_VARIATION_VALUE
    choice = NO_PLACEMENT
    root = NO_PLACEMENT
    depth = 0
    scale = len(PIECES) if mode.expect else 1  # with expectation, values are sums over the seven pieces
    for column in range(BOARD_WIDTH):
        scratch.boards[0, column] = game.board[column]
    scratch.gains_so_far[0] = 0
    best_points = evaluate_piece(find_best, mode_search, 0, int(game.queue[0]), True)
    for index in range(scratch.count[0]):
        scratch.variation_values[index] = NO_VARIATION_VALUE
    while depth >= 0:
        if scratch.next_index[depth] == scratch.count[depth]:
            depth -= 1
            continue
        index = depth * MAX_PLACEMENTS_PER_DEPTH + scratch.next_index[depth]
        scratch.next_index[depth] += 1
        points = np.int64(scratch.points[index])
        if points == WORST_POINTS:
            continue
        if depth == 0:
            root = int(np.int64(scratch.placements[index]))
        value = points = (points + scratch.gains_so_far[depth]) * scale
        if best_points != WORST_POINTS and stored_depths:
            advance_board(scratch, depth, index, rules, int(game.queue[depth]))
            is_leaf = depth + 1 == stored_depths
            first_piece, end_piece = int(game.queue[depth + 1]), int(game.queue[depth + 1]) + 1
            if is_leaf and mode.expect:
                first_piece, end_piece = 0, len(PIECES)
            last = 0
            for piece in range(first_piece, end_piece):
                last += evaluate_piece(find_best, mode_search, depth + 1, piece, not is_leaf)
            if not is_leaf and last != WORST_POINTS:
                depth += 1
                continue
            value = (
                compute_variation_value(mode, depth, scratch.gains_so_far[depth + 1], points, last)
                if is_leaf
                else (depth + 1) * SURVIVAL_BONUS + points
            )
        elif best_points != WORST_POINTS:
            value += SURVIVAL_BONUS  # of other pieces that hold may bring, none may survive
        store_variation(scratch, depth, value)
        if value > best_value or (value == best_value and root < choice):
            best_value, choice = value, root
    if choice == NO_PLACEMENT:
        return best_value, (NO_PLACEMENT, 0, 0)
    rotation, x, row = decode_placement(choice)
    return best_value, (int(rules.orientations[int(game.queue[0]), rotation]), x, row)
