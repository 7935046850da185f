"""Lookahead over the known next pieces, optionally followed by the expectation over the next unknown piece.

The value of a variation is the sum of the additive features of its placements and the points of its final board. A
variation in which the game ends has a lower value than any other; the earlier it ends, the lower its value.

With hold, the search is done once for each sequence of pieces that hold allows. Ties go to the first sequence, where
those that start without hold come first. Agents with attack features have a search of their own, `beam_search`.
"""

from collections.abc import Callable
from typing import Annotated

import numpy as np

from tetrion.engine.agent_records import MAX_DEPTH, compute_score, measure_selector
from tetrion.engine.bitboard import make_board_outcome, place_piece_on_columns, remove_full_rows
from tetrion.engine.columns import write_columns
from tetrion.engine.compiler import compile_entry, compile_inline, compile_separate
from tetrion.engine.feature_registry import MAX_FEATURES, SECOND_MASK_START
from tetrion.engine.local_evaluation import find_best_local_drops
from tetrion.engine.piece_motion import MOVEMENT_ROWS, PieceOnBoard
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_OF_ORIENTATION, PIECES
from tetrion.engine.placement_choice import SimdScratch, find_best_placements, is_blocked_out
from tetrion.engine.placements import (
    NO_CHOICE,
    NO_PLACEMENT,
    WORST_POINTS,
    Choice,
    OrientedPlacement,
    ScoredLanePlacements,
    Search,
    decode_location,
    encode_location,
    make_choice,
)
from tetrion.engine.placing import NO_PIECE, find_rotation
from tetrion.engine.records import (
    MAX_KNOWN_PIECES,
    MAX_ROTATION_STATES,
    NO_SPIN,
    SPIN_KINDS,
    AgentRecord,
    AgentRecords,
    FullGameRecord,
    GameRecord,
    Int32Array,
    Int64Array,
    Records,
    RulesRecord,
    RulesRecords,
)
from tetrion.engine.scalar_or_simd import Array, find_lowest_bit, load_value, to_int, where
from tetrion.engine.simd_lanes import LANES, any_lane_set, reduce_max, store
from tetrion.engine.spins import KINDS_OFFSET, SpinScratch, find_spin_placements, has_spins

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


class SpinSearchScratch(SearchScratch, SpinScratch):
    """Working memory of a search with hold and spins."""

    queue: Annotated[Int64Array, MAX_KNOWN_PIECES]  # a copy of the game's queue


FindBestPoints = Callable[[Array, int, Search[SearchScratch], int], int]  # of a board, a piece, a search and a depth


@compile_inline
def store_placements(scratch: SearchScratch, depth: int, lanes: ScoredLanePlacements, gains: int) -> None:
    """Store sixteen placements of a piece in the scratch, if any is possible; a negative depth stores nothing."""
    if depth >= 0 and any_lane_set(to_int(lanes.possible)):
        offset = depth * MAX_PLACEMENTS_PER_DEPTH + scratch.count[depth]
        store(scratch.points, offset, where(lanes.possible, lanes.points, WORST_POINTS))
        store(scratch.gains, offset, gains)
        store(scratch.placements, offset, encode_location(lanes.rotation, lanes.column, lanes.row))
        scratch.count[depth] += LANES


@compile_inline
def store_measured_placements(search: Search[SearchScratch], depth: int, lanes: ScoredLanePlacements) -> None:
    """Store sixteen placements whose feature values are in the scratch; a negative depth stores nothing."""
    if depth >= 0:
        agent = search.agent
        gains = compute_score(agent, agent.additive_mask, search.tables, search.scratch.values, lanes.column)
        store_placements(search.scratch, depth, lanes, gains)


@compile_separate
def prune_beam(scratch: SearchScratch, depth: int, beam: int) -> None:
    """Reduce the stored placements of a depth to the best ones; ties go to the first ones."""
    offset = depth * MAX_PLACEMENTS_PER_DEPTH
    count = scratch.count[depth]
    for rank in range(min(beam, count)):
        best = rank
        for other in range(rank + 1, count):
            # As 64-bit numbers: the difference of two 32-bit ones can be larger than 32 bits.
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
    rotation, x, row = decode_location(int(scratch.placements[index]))
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
def choose_with_lookahead(game: GameRecord, search: Search[SearchScratch]) -> Choice:
    """Choose the first placement of the best variation, under any rules, without hold."""
    return search_best_variation(find_best_points, game, search)[1]


@compile_inline
def choose_local_drop_with_lookahead(game: GameRecord, search: Search[SearchScratch]) -> Choice:
    """Choose the first straight drop of the best variation, by local evaluation."""
    return search_best_variation(find_best_local_drop_points, game, search)[1]


@compile_inline
def search_best_variation(
    find_best: FindBestPoints, game: GameRecord, search: Search[SearchScratch]
) -> tuple[int, Choice]:
    """Return the value of the best variation, and its first placement; ties go to the first in order.

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
    # A depth-first search without recursion, which Numba cannot inline: `depth` goes up and down, and `next_index` is
    # where the search of each depth continues. The placements of the last piece are not stored: only the points of the
    # best one count.
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
            value += SURVIVAL_BONUS  # with hold, no placement may survive in another sequence of pieces
        store_variation(scratch, depth, value)
        if value > best_value or (value == best_value and root < choice):
            best_value, choice = value, root
    if choice == NO_PLACEMENT:
        return best_value, NO_CHOICE
    rotation, x, row = decode_location(choice)
    return best_value, make_choice(rules.orientations[int(game.queue[0]), rotation], x, row)


@compile_inline
def get_holds(number: int, depth: int) -> int:
    """Return which pieces of a sequence are placed with hold, given the number of the sequence.

    Bit i is 1 if piece i is placed with hold. Sequences that start without hold come first.
    """
    return number >> (depth - 1) | (number & ((1 << (depth - 1)) - 1)) << 1


@compile_inline
def arrange_queue(game: FullGameRecord, rules: RulesRecord, holds: int, depth: int, queue: Array) -> bool:
    """Write the pieces that are placed into the game's queue, where bit i of `holds` is 1 if piece i uses hold.

    `queue` is a copy of the game's queue. Return whether hold and the known pieces allow this.
    """
    held = int(game.hold) - 1
    index = 0
    for number in range(depth):
        if index >= game.known:
            return False
        piece = int(queue[index])
        index += 1
        if (holds >> number) & 1:
            if not rules.hold or (number == 0 and game.used_hold):
                return False
            if held != NO_PIECE:
                held, piece = piece, held
            elif index < game.known:
                held, piece = piece, int(queue[index])
                index += 1
            else:
                return False
        game.queue[number] = piece
    return True


@compile_separate
def find_first_spin(board: Array, rules: RulesRecord, placement: OrientedPlacement, scratch: SpinSearchScratch) -> int:
    """Return the first kind of spin that leads to a placement."""
    orientation, x, row = placement
    piece = int(np.int64(PIECE_OF_ORIENTATION[orientation]))  # a second type would be compiled again
    if not has_spins(rules, piece):
        return NO_SPIN
    rotation = find_rotation(rules, piece, orientation)
    find_spin_placements(board, rules, piece, 0, scratch)
    spin = NO_SPIN
    while spin < len(SPIN_KINDS) - 1:
        cells = int(scratch.spins[KINDS_OFFSET + (spin * MAX_ROTATION_STATES + rotation) * LANES + x])
        if (cells >> (MOVEMENT_ROWS - 1 - row)) & 1:
            break
        spin += 1
    return spin


@compile_separate
def choose_with_hold(game: FullGameRecord, search: Search[SpinSearchScratch]) -> Choice:
    """Choose the first placement of the best variation, under any rules, with or without hold."""
    rules = search.rules
    scratch = search.scratch
    depth = int(search.agent.depth)
    best_value = NO_VARIATION_VALUE
    best = NO_CHOICE
    best_hold = 0
    for index in range(MAX_KNOWN_PIECES):
        scratch.queue[index] = game.queue[index]
    for number in range(1 << depth if rules.hold else 1):
        holds = get_holds(number, depth)
        if arrange_queue(game, rules, holds, depth, scratch.queue) and not is_blocked_out(
            game.board, rules, int(game.queue[0])
        ):
            value, choice = search_best_variation(find_best_points, game, search)
            if value > best_value:
                best_value, best = value, choice
                best_hold = holds & 1
    for index in range(MAX_KNOWN_PIECES):
        game.queue[index] = scratch.queue[index]
    if best.placement.orientation == NO_PLACEMENT:
        return best
    return Choice(best.placement, find_first_spin(game.board[:], rules, best.placement, scratch), best_hold)


# The points and feature values of all placements of a piece, for explanations and for learning.


class PlacementValuesRecord(SearchScratch):
    """The placements of a piece and their feature values."""

    feature_values: Annotated[Int32Array, MAX_FEATURES * MAX_PLACEMENTS_PER_DEPTH]  # by feature number and placement


@compile_inline
def store_feature_values(search: Search[PlacementValuesRecord], depth: int, lanes: ScoredLanePlacements) -> None:
    """Store sixteen placements and their feature values in the scratch."""
    scratch = search.scratch
    offset = scratch.count[depth]
    store_measured_placements(search, depth, lanes)
    if scratch.count[depth] == offset:
        return
    for first, mask in ((0, search.agent.mask), (SECOND_MASK_START, search.agent.second_mask)):
        remaining = mask
        while remaining:
            number = first + find_lowest_bit(remaining)
            remaining &= remaining - 1
            index = number * MAX_PLACEMENTS_PER_DEPTH + offset
            store(scratch.feature_values, index, load_value(scratch.values, number, lanes.column))


@compile_entry(seconds=10)
def evaluate_placements(
    piece_on_board: PieceOnBoard[RulesRecords],
    interval: int,
    agents: AgentRecords,
    tables: Array,
    records: Records[PlacementValuesRecord],
) -> bool:
    """Write the placements of a piece and their feature values into the first of `records`.

    The first of `agents` scores them. Placements that end the game are written only if all do. Return whether the game
    continues after some placement.
    """
    board, rules, piece = piece_on_board
    search = Search(rules[0], interval, agents[0], agents, tables, records[0])
    best, survives = find_best_placements(board, piece, search, store_feature_values, 0)
    return bool(survives and reduce_max(best.points) != WORST_POINTS)
