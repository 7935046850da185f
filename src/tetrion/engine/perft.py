"""Perft: the number of sequences of placements of a queue of pieces, which checks and measures the movement.

The search goes through the sequences depth first. The placements of the last piece are not made but counted, sixteen
columns at a time. Under rules with spins, the same cells with another spin are another placement.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Never

import numpy as np

from tetrion.engine.bitboard import load_columns_simd, store_columns_simd
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline
from tetrion.engine.local_evaluation import lock_piece_simd
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placement_choice import FoundPlacements, ends_game, is_blocked_out
from tetrion.engine.placements import OrientedPlacement, decode_placement
from tetrion.engine.records import (
    MAX_ROTATION_STATES,
    SPIN_KINDS,
    Int32Array,
    Int64,
    Int64Array,
    Record,
    Records,
    RulesRecord,
    RulesRecords,
)
from tetrion.engine.rules import CLOCKED_MOVEMENTS, Rules, make_rules_record
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LANES, broadcast_lanes, load, popcount, reduce_sum
from tetrion.engine.spins import KINDS_OFFSET, SpinScratch, count_spin_kinds, encode_placements, find_spin_placements
from tetrion.errors import RulesError

MAX_PERFT_DEPTH = 16
_SLICE_BOARDS = 200_000  # boards that one compiled call searches, about a tenth of a second


class PerftRecord(Record[Never]):
    """A search that can be continued: the boards and placements of each level, and what was counted so far."""

    depth: Int64  # the number of pieces
    queue: Annotated[Int64Array, MAX_PERFT_DEPTH]
    level: Int64  # the piece whose placements are tried next, counted from 0; −1 at the end
    boards: Annotated[Int32Array, (MAX_PERFT_DEPTH, BOARD_WIDTH)]  # before each piece
    codes: Annotated[Int32Array, (MAX_PERFT_DEPTH, len(SPIN_KINDS) * MAX_PLACEMENTS_PER_DEPTH)]  # of each piece
    code_count: Annotated[Int64Array, MAX_PERFT_DEPTH]
    next_code: Annotated[Int64Array, MAX_PERFT_DEPTH]  # the first placement that was not tried
    sequences: Int64  # counted so far
    searched_boards: Int64  # boards whose placements were found so far


@compile_inline
def find_moves(board: Array, rules: RulesRecord, piece: int, codes: Array, scratch: SpinScratch) -> int:
    """Write the codes of the placements of a piece and return their number; without room for any, only count them."""
    find_spin_placements(board, rules, piece, 0, scratch)
    if len(codes) > 0:
        found = FoundPlacements(board, rules, piece, scratch.spins, KINDS_OFFSET)
        return encode_placements(found, count_spin_kinds(rules, piece), 0, codes)
    counts = broadcast_lanes(0)
    for kind in range(count_spin_kinds(rules, piece)):
        for rotation in range(rules.rotation_count[piece]):
            offset = KINDS_OFFSET + (kind * MAX_ROTATION_STATES + rotation) * LANES
            counts = counts + popcount(load(scratch.spins, offset))
    return int(reduce_sum(counts))


@compile_inline
def enter_level(search: PerftRecord, rules: RulesRecord, level: int, scratch: SpinScratch) -> None:
    """Find the placements of a level's piece; those of the last piece are counted, the others listed."""
    board = search.boards[level]
    piece = int(search.queue[level])
    search.searched_boards += 1
    if is_blocked_out(board, rules, piece):
        return
    if level == search.depth - 1:
        search.sequences += find_moves(board, rules, piece, search.codes[level, :0], scratch)
    else:
        search.code_count[level] = find_moves(board, rules, piece, search.codes[level], scratch)
        search.next_code[level] = 0
        search.level = level


@compile_inline
def try_next_placement(search: PerftRecord, rules: RulesRecord, scratch: SpinScratch) -> None:
    """Make the next placement of the current level and enter the level after it; placements can end the game."""
    level = int(search.level)
    if search.next_code[level] == search.code_count[level]:
        search.level -= 1
        return
    rotation, x, row = decode_placement(int(search.codes[level, search.next_code[level]])).rotated
    search.next_code[level] += 1
    orientation = int(rules.orientations[search.queue[level], rotation])
    placement = OrientedPlacement(orientation, x, row)
    before = search.boards[level]
    if ends_game(before, rules, placement):
        return
    board = search.boards[level + 1]
    store_columns_simd(board, load_columns_simd(before, 0))
    lock_piece_simd(board, orientation, x, row, rules.clearing)
    enter_level(search, rules, level + 1, scratch)


@compile_entry_with_memory(SpinScratch.dtype, seconds=8)
def continue_perft(
    memory: Records[SpinScratch], searches: Records[PerftRecord], rules: RulesRecords, max_boards: int
) -> None:
    """Continue a search until it ends, or until about `max_boards` boards are searched."""
    search = searches[0]
    limit = search.searched_boards + max_boards
    if search.searched_boards == 0:
        search.level = -1
        enter_level(search, rules[0], 0, memory[0])
    while search.level >= 0 and search.searched_boards < limit:
        try_next_placement(search, rules[0], memory[0])


def start_perft(columns: Sequence[int], queue: str, rules: Rules) -> Iterator[PerftRecord]:
    """Count the sequences of placements of all pieces of a queue, in slices; yield the search after each slice.

    `columns` are those of the board. The last search that is yielded has the result.
    """
    if rules.movement in CLOCKED_MOVEMENTS:
        raise RulesError(
            f"perft requires movement=drop or movement=reach; given {rules}, with movement={rules.movement}."
        )
    searches = PerftRecord.make_array(1)
    search = searches[0]
    search.depth = len(queue)
    search.queue[: len(queue)] = [PIECES.index(letter) for letter in queue]
    search.boards[0] = np.array(columns, np.int32)
    rules_record = make_rules_record(rules)
    while search.searched_boards == 0 or search.level >= 0:
        continue_perft(searches, rules_record, _SLICE_BOARDS)
        yield search
