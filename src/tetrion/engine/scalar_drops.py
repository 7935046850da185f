"""Straight drops scored by all features in scalar code, for the GPU, and the choice with depth 2."""

from collections.abc import Callable
from typing import TypeVar

from tetrion.engine.agent_records import compute_score
from tetrion.engine.best_placements import NO_PLACEMENT, WORST_POINTS, ChosenPlacement, ScratchT, Search
from tetrion.engine.bitboard import (
    BoardBefore,
    find_landing_row,
    fits,
    lock_piece,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.lookahead import NO_VARIATION_VALUE, SURVIVAL_BONUS
from tetrion.engine.pieces import BOARD_WIDTH, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import (
    BasicScratch,
    examine_board,
    is_blocked_out,
    reaches_top_row,
    score_placement,
    survives,
)
from tetrion.engine.records import GameRecord, RulesRecord
from tetrion.engine.rules import END_LOCK_OUT
from tetrion.engine.scalar_or_simd import (
    Array,
)
from tetrion.engine.simd_lanes import LANES

NO_DROP = -1
ScoredDrop = tuple[int, int, int]  # points, order (rotation and column in one integer), row
_BoardT = TypeVar("_BoardT")


@compile_inline
def decode_drop(rules: RulesRecord, piece: int, order: int, row: int) -> ChosenPlacement:
    """Return a drop, given by its order and row, as orientation, column and row."""
    if order == NO_DROP:
        return NO_PLACEMENT, 0, 0
    return int(rules.orientations[piece, order // LANES]), order % LANES, row


@compile_inline
def prepare_board(board: Array, search: Search[BasicScratch]) -> BoardBefore:
    """Compute the values of a board that the scores of its drops need."""
    return examine_board(board, search.rules.rows, search.agent.mask, search.scratch.heights)


@compile_inline
def score_drop(before: BoardBefore, search: Search[BasicScratch], placement: ChosenPlacement) -> tuple[int, int]:
    """Return the points of a drop, and its additive points, which are summed over a variation."""
    agent = search.agent
    points = score_placement(before, search, True, placement)
    return points, compute_score(agent, agent.additive_mask, search.tables, search.scratch.values, placement[1])


@compile_inline
def find_drop_row(before: BoardBefore, rules: RulesRecord, orientation: int, x: int) -> int:
    """Return the row in which an orientation comes to rest."""
    return find_landing_row(before.heights, orientation, x)


@compile_inline
def find_best_drop(board: Array, piece: int, search: Search[BasicScratch]) -> ScoredDrop:
    """Return the best drop that the game survives."""
    rules = search.rules
    before = prepare_board(board, search)
    is_too_high = reaches_top_row(board, rules)
    best_points = WORST_POINTS
    best_order = NO_DROP
    best_row = 0
    for rotation in range(rules.rotation_count[piece]):
        orientation = int(rules.orientations[piece, rotation])
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_drop_row(before, rules, orientation, x)
            if fits(orientation, x, row, rules.rows) and (
                rules.game_over < END_LOCK_OUT or survives(board, rules, is_too_high, (orientation, x, row))
            ):
                points = score_placement(before, search, True, (orientation, x, row))
                if points > best_points:
                    best_points = points
                    best_order = rotation * LANES + x
                    best_row = row
    return best_points, best_order, best_row


def make_choose_depth_two(
    prepare: Callable[[Array, Search[ScratchT]], _BoardT],
    find_row: Callable[[_BoardT, RulesRecord, int, int], int],
    score: Callable[[_BoardT, Search[ScratchT], ChosenPlacement], tuple[int, int]],
    find_best: Callable[[Array, int, Search[ScratchT]], ScoredDrop],
) -> Callable[[GameRecord, Search[tuple[ScratchT, ScratchT, Array]]], ChosenPlacement]:
    """Return a compiled function that chooses the placement that `choose_with_lookahead` chooses for depth 2.

    The given functions score drops by all features or by local evaluation.
    """

    def choose(game: GameRecord, search: Search[tuple[ScratchT, ScratchT, Array]]) -> ChosenPlacement:
        """Choose the first drop of the best variation of two pieces.

        The scratch of the search holds one record for each of the two pieces, and an array for the board between them.
        """
        rules = search.rules
        first_scratch, second_scratch, board_after = search.scratch
        first_search = Search(rules, search.interval, search.agent, search.agents, search.tables, first_scratch)
        second_search = Search(rules, search.interval, search.agent, search.agents, search.tables, second_scratch)
        piece = int(game.queue[0])
        next_piece = int(game.queue[1])
        rotation_count = int(rules.rotation_count[int(game.queue[0])])
        before = prepare(game.board, first_search)
        best_value = NO_VARIATION_VALUE
        best_order = NO_DROP
        best_row = 0
        must_survive = rules.game_over >= END_LOCK_OUT
        is_too_high = reaches_top_row(game.board, rules)
        uses_next_piece = True
        rotation = 0
        while rotation < rotation_count:
            orientation = int(rules.orientations[piece, rotation])
            for x in range(PLACEMENT_COLUMNS[orientation]):
                row = find_row(before, rules, orientation, x)
                if fits(orientation, x, row, rules.rows) and (
                    not must_survive or survives(game.board, rules, is_too_high, (orientation, x, row))
                ):
                    points, gains = score(before, first_search, (orientation, x, row))
                    value = int(points)
                    if uses_next_piece:
                        for column in range(BOARD_WIDTH):
                            board_after[column] = game.board[column]
                        lock_piece(board_after, orientation, x, row)
                        last_points = WORST_POINTS
                        if not is_blocked_out(board_after, rules, next_piece):
                            last_points = find_best(board_after, next_piece, second_search)[0]
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
            if must_survive and rotation == rotation_count and best_order == NO_DROP:
                must_survive = False
                uses_next_piece = False
                rotation = 0
        return decode_drop(rules, piece, best_order, best_row)

    return compile_inline(choose)


choose_drop_depth_two = make_choose_depth_two(prepare_board, find_drop_row, score_drop, find_best_drop)
