"""Straight drops scored by all features in scalar code, for the GPU, and the choice with depth 2."""

from collections.abc import Callable
from typing import TypeVar

from tetrion.engine.agent_records import compute_score
from tetrion.engine.bitboard import BoardBefore, fits, lock_piece
from tetrion.engine.compiler import compile_inline
from tetrion.engine.lookahead import NO_VARIATION_VALUE, SURVIVAL_BONUS
from tetrion.engine.pieces import BOARD_WIDTH, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import (
    ALL,
    NO_DROP,
    SURVIVORS,
    BasicScratch,
    BestDrop,
    Drops,
    choose_ordered,
    examine_board,
    find_drop_row,
    improve_drop,
    is_blocked_out,
    reaches_top_row,
    score_placement,
    survives,
    visit_drops,
)
from tetrion.engine.placements import WORST_POINTS, Choice, OrientedPlacement, ScratchT, Search
from tetrion.engine.records import END_LOCK_OUT, GameRecord, RulesRecord
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LANES

_BoardT = TypeVar("_BoardT")


@compile_inline
def prepare_board(board: Array, search: Search[BasicScratch]) -> BoardBefore:
    """Compute the values of a board that the scores of its drops need."""
    return examine_board(board, search.rules.rows, search.agent.mask, search.scratch.heights)


@compile_inline
def score_drop(before: BoardBefore, search: Search[BasicScratch], placement: OrientedPlacement) -> tuple[int, int]:
    """Return the points of a drop, and its additive points, which are summed over a variation."""
    agent = search.agent
    points = score_placement(before, search, True, placement)
    return points, compute_score(agent, agent.additive_mask, search.tables, search.scratch.values, placement.column)


@compile_inline
def find_best_drop(board: Array, piece: int, search: Search[BasicScratch]) -> BestDrop:
    """Return the best drop that the game survives."""
    rules = search.rules
    before = prepare_board(board, search)
    which = SURVIVORS if rules.game_over >= END_LOCK_OUT else ALL
    return visit_drops(improve_drop, (before, search), Drops(before, rules, piece), which, NO_DROP)


def make_choose_depth_two(
    prepare: Callable[[Array, Search[ScratchT]], _BoardT],
    find_row: Callable[[_BoardT, RulesRecord, int, int], int],
    score: Callable[[_BoardT, Search[ScratchT], OrientedPlacement], tuple[int, int]],
    find_best: Callable[[Array, int, Search[ScratchT]], BestDrop],
) -> Callable[[GameRecord, Search[tuple[ScratchT, ScratchT, Array]]], Choice]:
    """Return a compiled function that chooses the placement that `choose_with_lookahead` chooses for depth 2.

    The given functions score drops by all features or by local evaluation.
    """

    def choose(game: GameRecord, search: Search[tuple[ScratchT, ScratchT, Array]]) -> Choice:
        """Choose the first drop of the best variation of two pieces.

        The scratch of the search holds one record for each of the two pieces, and an array for the board between them.
        If every drop ends the game, the next piece does not count.
        """
        rules = search.rules
        first_scratch, second_scratch, board_after = search.scratch
        first = Search(rules, search.interval, search.agent, search.agents, search.tables, first_scratch)
        second = Search(rules, search.interval, search.agent, search.agents, search.tables, second_scratch)
        piece = int(game.queue[0])
        next_piece = int(game.queue[1])
        prepared = prepare(game.board, first)
        best_value = NO_VARIATION_VALUE
        best_order = NO_DROP.order
        best_row = 0
        must_survive = rules.game_over >= END_LOCK_OUT
        is_too_high = reaches_top_row(game.board, rules)
        uses_next_piece = True
        rotation_count = int(rules.rotation_count[piece])
        rotation = 0
        while rotation < rotation_count:  # instead of `visit_drops`, with which a GPU is 27 % slower
            orientation = int(rules.orientations[piece, rotation])
            for x in range(PLACEMENT_COLUMNS[orientation]):
                row = find_row(prepared, rules, orientation, x)
                placement = OrientedPlacement(orientation, x, row)
                if fits(orientation, x, row, rules.rows) and (
                    not must_survive or survives(game.board, rules, is_too_high, placement)
                ):
                    points, gains = score(prepared, first, placement)
                    value = int(points)
                    if uses_next_piece:
                        for column in range(BOARD_WIDTH):
                            board_after[column] = game.board[column]
                        lock_piece(board_after, orientation, x, row)
                        last_points = WORST_POINTS
                        if not is_blocked_out(board_after, rules, next_piece):
                            last_points = find_best(board_after, next_piece, second).points
                        value = (
                            SURVIVAL_BONUS + int(points)
                            if last_points == WORST_POINTS
                            else 2 * SURVIVAL_BONUS + int(gains) + int(last_points)
                        )
                    if value > best_value:
                        best_value = value
                        best_order = rotation * LANES + x
                        best_row = row
            rotation += 1
            if must_survive and rotation == rotation_count and best_order == NO_DROP.order:
                must_survive = False
                uses_next_piece = False
                rotation = 0
        return choose_ordered(rules, piece, best_order, best_row)

    return compile_inline(choose)


choose_drop_depth_two = make_choose_depth_two(prepare_board, find_drop_row, score_drop, find_best_drop)
