"""Straight drops scored by all features in scalar code, for the GPU, and the choice with depth 2."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from tetrion.engine.agent_records import compute_score
from tetrion.engine.bitboard import BoardBefore, lock_piece
from tetrion.engine.compiler import compile_inline
from tetrion.engine.lookahead import NO_VARIATION_VALUE, SURVIVAL_BONUS
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import (
    NO_DROP,
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
    visit_surviving_drops,
)
from tetrion.engine.placements import WORST_POINTS, Choice, OrientedPlacement, ScratchT, Search
from tetrion.engine.records import END_LOCK_OUT, GameRecord, RulesRecord
from tetrion.engine.scalar_or_simd import Array

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
    drops = Drops(board, before, rules, piece, rules.game_over >= END_LOCK_OUT)
    return visit_drops(find_drop_row, improve_drop, (before, search), drops, NO_DROP)[0]


class TwoPieces(NamedTuple):
    """What the value of a drop of the first of two pieces depends on."""

    game: GameRecord
    prepared: Any  # the board of the game
    searches: tuple[Search[Any], Search[Any]]  # of the two pieces
    board_after: Array  # memory for the board between them
    is_too_high: bool  # see `survives`


def make_choose_depth_two(
    prepare: Callable[[Array, Search[ScratchT]], _BoardT],
    find_row: Callable[[_BoardT, RulesRecord, int, int], int],
    score: Callable[[_BoardT, Search[ScratchT], OrientedPlacement], tuple[int, int]],
    find_best: Callable[[Array, int, Search[ScratchT]], BestDrop],
) -> Callable[[GameRecord, Search[tuple[ScratchT, ScratchT, Array]]], Choice]:
    """Return a compiled function that chooses the placement that `choose_with_lookahead` chooses for depth 2.

    The given functions score drops by all features or by local evaluation.
    """

    @compile_inline
    def improve_variation(two: TwoPieces, placement: OrientedPlacement, order: int, best: BestDrop) -> BestDrop:
        """Return the better one of a variation that begins with a drop, and the best one so far."""
        game = two.game
        rules = two.searches[0].rules
        points, gains = score(two.prepared, two.searches[0], placement)
        value = int(points)
        if rules.game_over < END_LOCK_OUT or survives(game.board, rules, two.is_too_high, placement):
            next_piece = int(game.queue[1])
            for column in range(BOARD_WIDTH):
                two.board_after[column] = game.board[column]
            lock_piece(two.board_after, placement.orientation, placement.column, placement.row)
            last_points = WORST_POINTS
            if not is_blocked_out(two.board_after, rules, next_piece):
                last_points = find_best(two.board_after, next_piece, two.searches[1]).points
            value = (
                SURVIVAL_BONUS + int(points)
                if last_points == WORST_POINTS
                else 2 * SURVIVAL_BONUS + int(gains) + int(last_points)
            )
        return BestDrop(value, order, placement.row) if value > best.points else best

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
        prepared = prepare(game.board, first)
        two = TwoPieces(game, prepared, (first, second), board_after, reaches_top_row(game.board, rules))
        drops = Drops(game.board, prepared, rules, piece, False)
        start = BestDrop(NO_VARIATION_VALUE, NO_DROP.order, 0)
        best = visit_surviving_drops(find_row, improve_variation, two, drops, start)
        return choose_ordered(rules, piece, best.order, best.row)

    return compile_inline(choose)


choose_drop_depth_two = make_choose_depth_two(prepare_board, find_drop_row, score_drop, find_best_drop)
