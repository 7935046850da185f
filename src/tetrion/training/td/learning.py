"""Learning of patterns by temporal differences, in whole numbers, so that all processors learn the same tables.

A table entry of the weights is a share of u, the logarithm of how near a board is to death: exp(u) is the expected
discounted death, E[γ^pieces], between 0 and 1. Points are −u, so that an agent that maximises points lives longest.
After each piece, the entries of the board before it move so that exp(u) approaches γ exp(u′) of the board after it, or
1 if the game is over. The error is relative, γ exp(u′ − u) − 1: it matters as much in safe positions, where exp(u) is
tiny, as close to death.

With depth 2, learning uses the boards at the end of the best variation, after both pieces. These are the boards that
the search evaluates, and the piece that follows them is unknown. The boards of the game were chosen for the next piece
that follows them; values learned from them are too optimistic for boards whose next piece is unknown.

Sources: Sutton 1988 (temporal differences), Sutton and Barto 2018, section 6.8 (afterstates), Baxter, Tridgell and
Weaver 2000, "Learning to play chess using temporal differences" (learning from the ends of variations), Beal and Smith
1999, "Temporal coherence and prediction decay in TD learning", and Jaśkowski 2016, arXiv 1604.05085 (temporal coherence
for n-tuple networks in 2048).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tetrion.engine.batch_play import PlaySlice, place_simd, play_game
from tetrion.engine.bitboard import compute_heights, load_columns, place_piece_on_columns, remove_full_rows
from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline
from tetrion.engine.gpu.int32 import to_index
from tetrion.engine.lookahead import SearchScratch, choose_with_lookahead
from tetrion.engine.patterns import (
    HOLE_ROW_CLASSES,
    PATTERNS,
    STAGES,
    PatternBoard,
    examine_patterns,
    score_patterns,
    visit_patterns,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import (
    SimdScratch,
    choose_pattern_drop_simd,
    ends_game,
    is_blocked_out,
)
from tetrion.engine.placements import NO_PLACEMENT, Choice, ScratchT, Search
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING, deal_preview
from tetrion.engine.randomisers import draw_below
from tetrion.engine.records import GameRecord, GameRecords, Records, RulesRecord
from tetrion.engine.scalar_or_simd import Array

POINTS_PER_UNIT = 1024  # points for a change of u by 1
WEIGHT_BITS = 10  # fractional bits of a weight below one point
ERROR_BITS = 16  # an error of 1 is 2^16
MAX_POINTS = 2**15 - 1  # of an entry: a GPU stores its tables in 16 bits, so that the caches hold more of them
START_VALUE = -307  # u of a board whose entries are all 0, in points: −0.3, close to death
_MIN_EXPONENT = -8 * POINTS_PER_UNIT
_MAX_EXPONENT = round(np.log(9) * POINTS_PER_UNIT)  # errors are limited to 8, because few boards have larger ones

COUNT_NAMES = ("lines", "deaths")
SPACE_ABOVE_GARBAGE = 6  # rows that garbage leaves free at least
_GARBAGE_NUMBERS = 128  # random numbers per start
_FIRST_GARBAGE_NUMBER = 1 << 40  # the lower ones are those of pieces

# exp(u′ − u) as integers with ERROR_BITS fractional bits.
EXPONENTIALS = np.round(
    np.exp(np.arange(_MIN_EXPONENT, _MAX_EXPONENT + 1) / POINTS_PER_UNIT) * (1 << ERROR_BITS)
).astype(np.int32)


class LearningSettings(NamedTuple):
    """What learning needs beside the settings of the games."""

    exponentials: Array  # EXPONENTIALS
    discount: int  # γ with ERROR_BITS fractional bits
    garbage_share: int  # share of the games that begin on a board with garbage, with ERROR_BITS fractional bits
    episode_pieces: int  # number of pieces after which a new game starts; 0: never


class LearningTotals(NamedTuple):
    """What games add up while they are played with fixed tables."""

    errors: Array  # by table entry: the sum of the errors of the boards with this entry
    visits: Array  # by table entry: the number of these boards
    counts: Array  # see COUNT_NAMES


class ErrorTarget(NamedTuple):
    """Where the error of one board is added."""

    totals: LearningTotals
    error: int


@compile_inline
def add_error(target: ErrorTarget, start: int, index: int) -> int:
    """Add an error to an entry, for a single thread."""
    entry = to_index(start + index)
    target.totals.errors[entry] += target.error
    target.totals.visits[entry] += 1
    return index * 0  # no points


@compile_inline
def add_count(counts: Array, index: int, number: int) -> None:
    """Add to one of the counts, for a single thread."""
    counts[index] += number


@compile_inline
def examine_game(game: GameRecord, play_slice: PlaySlice[ScratchT]) -> tuple[PatternBoard, bool]:
    """Compute the values of a game's board that the patterns need, and whether the game is over."""
    columns = load_columns(game.board, 0)
    rows = play_slice.settings.rules[0].rows
    return examine_patterns(columns, compute_heights(columns), rows), game.status == STATUS_OVER


def make_examine_variation(
    choose: Callable[[GameRecord, Search[ScratchT]], Choice],
) -> Callable[[GameRecord, PlaySlice[ScratchT]], tuple[PatternBoard, bool]]:
    """Return a compiled function that examines the board at the end of a variation; `choose` places its last piece."""

    def examine_variation(game: GameRecord, play_slice: PlaySlice[ScratchT]) -> tuple[PatternBoard, bool]:
        """Compute the values of the board after the best placement of the next piece, and whether the game is over.

        The game also counts as over if it would not survive the next piece. Before the first piece of all, no next
        piece is known, and the values are those of the empty board.
        """
        settings = play_slice.settings
        rules = settings.rules[0]
        columns = load_columns(game.board, 0)
        is_dead = game.status == STATUS_OVER
        if game.known > 0 and not is_dead:
            search = Search(rules, 0, settings.agents[0], settings.agents, settings.tables, play_slice.scratch)
            placement = choose(game, search).placement
            orientation, x, row = placement
            is_dead = (
                orientation == NO_PLACEMENT
                or is_blocked_out(game.board, rules, int(game.queue[0]))
                or ends_game(game.board, rules, placement)
            )
            if not is_dead:
                columns, _, full = place_piece_on_columns(game.board, orientation, x, row)
                columns = remove_full_rows(columns, full)
        return examine_patterns(columns, compute_heights(columns), rules.rows), is_dead

    return compile_inline(examine_variation)


@compile_inline
def compute_value_from_points(points: int) -> int:
    """Return the value of a board, which is u in points."""
    return min(START_VALUE - points, 0)


@compile_inline
def compute_value(board: PatternBoard, play_slice: PlaySlice[object]) -> int:
    """Return the value of a board."""
    settings = play_slice.settings
    return compute_value_from_points(score_patterns(settings.agents[0], settings.tables, board))


@compile_inline
def _compute_error(learning: LearningSettings, change: int, is_dead: bool) -> int:
    """Return the error for a change of the value, in points."""
    index = min(max(change, _MIN_EXPONENT), _MAX_EXPONENT) - _MIN_EXPONENT
    ratio = int(learning.exponentials[index])
    if not is_dead:
        ratio = (ratio * learning.discount) >> ERROR_BITS
    return ratio - (1 << ERROR_BITS)


@compile_inline
def start_game(game: GameRecord, rules: RulesRecord, learning: LearningSettings) -> None:
    """Start a new game, on an empty board or on rows of garbage, which show boards that good games rarely reach."""
    number = _FIRST_GARBAGE_NUMBER + int(game.pieces) * _GARBAGE_NUMBERS
    game.status = STATUS_PLAYING
    for column in range(BOARD_WIDTH):
        game.board[column] = 0
    if draw_below(1 << ERROR_BITS, game.key, number) >= learning.garbage_share:
        return
    gaps = 0
    max_rows = max(rules.height - SPACE_ABOVE_GARBAGE, 0)
    for row in range(draw_below(max_rows + 1, game.key, number + 1)):
        choice = draw_below(16, game.key, number + 2 + 4 * row)
        if row == 0 or choice < 8:  # else the gaps of the row below
            gaps = 1 << draw_below(BOARD_WIDTH, game.key, number + 3 + 4 * row)
            if choice % 2 == 0:
                gaps |= 1 << draw_below(BOARD_WIDTH, game.key, number + 4 + 4 * row)
            if choice % 8 < 2:
                gaps |= 1 << draw_below(BOARD_WIDTH, game.key, number + 5 + 4 * row)
        for column in range(BOARD_WIDTH):
            game.board[column] |= (1 - ((gaps >> column) & 1)) << row


@compile_inline
def is_episode_over(game: GameRecord, learning: LearningSettings) -> bool:
    """Return whether a new game starts now; games do so at different times, which depend on their keys."""
    phase = int(game.key & np.uint64(0xFFFF))
    return learning.episode_pieces > 0 and (game.pieces + phase) % learning.episode_pieces == 0


def make_play_piece(
    choose: Callable[[GameRecord, Search[ScratchT]], Choice],
    place: Callable[[GameRecord, RulesRecord, Choice, ScratchT], None],
) -> Callable[[GameRecord, PlaySlice[ScratchT]], None]:
    """Return a compiled function that plays one piece of a game, by these functions."""

    def play_piece(game: GameRecord, play_slice: PlaySlice[ScratchT]) -> None:
        play_game(deal_preview, choose, place, game, PlaySlice(play_slice.settings, 1, play_slice.scratch))

    return compile_inline(play_piece)


@compile_inline
def learn_from_game(
    functions: Any,
    game: GameRecord,
    play_slice: PlaySlice[ScratchT],
    learning: LearningSettings,
    totals: LearningTotals,
) -> None:
    """Play pieces of a game and add up the errors of its boards; after a death a new game starts.

    `functions` are: play a piece, examine the board to learn from, compute its value, visit an entry, add a count.
    Nothing is learned from a capped game: a thread of a GPU that only helps others has one.
    """
    play_piece, examine, compute_value_after_piece, visit, count = functions
    settings, budget, _ = play_slice
    rules = settings.rules[0]
    agent = settings.agents[0]
    board, _ = examine(game, play_slice)
    value = compute_value(board, play_slice)
    lines = game.lines
    deaths = 0
    for _ in range(budget):
        play_piece(game, play_slice)
        if game.status != STATUS_CAPPED:
            next_board, is_dead = examine(game, play_slice)
            next_value = 0 if is_dead else compute_value_after_piece(next_board, play_slice)
            error = _compute_error(learning, next_value - value, is_dead)
            visit_patterns(visit, ErrorTarget(totals, error), agent, board)
            if is_dead or is_episode_over(game, learning):
                deaths += is_dead
                start_game(game, rules, learning)
                next_board, _ = examine(game, play_slice)
                next_value = compute_value(next_board, play_slice)
            board, value = next_board, next_value
    count(totals.counts, 0, game.lines - lines)
    count(totals.counts, 1, deaths)


@compile_inline
def _learn_from_each(
    functions: Any,
    games: GameRecords,
    play_slice: PlaySlice[ScratchT],
    learning: LearningSettings,
    totals: LearningTotals,
) -> None:
    for g in range(len(games)):
        learn_from_game(functions, games[g], play_slice, learning, totals)


_play_piece_simd = make_play_piece(choose_pattern_drop_simd, place_simd)
_play_piece_with_lookahead = make_play_piece(choose_with_lookahead, place_simd)
_examine_variation = make_examine_variation(choose_pattern_drop_simd)


@compile_entry_with_memory(SimdScratch.dtype, seconds=20)
def learn_from_games(
    memory: Records[SimdScratch],
    games: GameRecords,
    play_slice: PlaySlice[int],
    learning: LearningSettings,
    totals: LearningTotals,
) -> None:
    """Play `play_slice.budget` pieces of each game, in SIMD lanes, and add up the errors of their boards."""
    settings, budget, _ = play_slice
    functions = _play_piece_simd, examine_game, compute_value, add_error, add_count
    _learn_from_each(functions, games, PlaySlice(settings, budget, memory[0]), learning, totals)


@compile_entry_with_memory(SearchScratch.dtype, seconds=20)
def learn_with_lookahead(
    memory: Records[SearchScratch],
    games: GameRecords,
    play_slice: PlaySlice[int],
    learning: LearningSettings,
    totals: LearningTotals,
) -> None:
    """Learn from games of agents with depth 2, from the boards at the end of their variations."""
    settings, budget, _ = play_slice
    functions = _play_piece_with_lookahead, _examine_variation, compute_value, add_error, add_count
    _learn_from_each(functions, games, PlaySlice(settings, budget, memory[0]), learning, totals)


class PatternWeights(NamedTuple):
    """The weights of all table entries, and the state of their learning; all of them are integers.

    The weights are −u in points with WEIGHT_BITS fractional bits. Temporal coherence reduces the steps of an entry
    whose steps cancel out: it multiplies them by |sum of the steps| / sum of their absolute values.
    """

    weights: Array
    step_sums: Array
    step_sizes: Array
    sharers: Array  # by entry: all entries that share its weight, followed by −1; no entries if the weight is constant


@compile_inline
def read_totals(totals: LearningTotals, entry: int) -> tuple[int, int]:
    """Return the error and the visits of an entry."""
    return int(totals.errors[entry]), int(totals.visits[entry])


@compile_inline
def update_entry(
    read: Callable[[LearningTotals, int], tuple[int, int]],
    entry: int,
    learned: PatternWeights,
    totals: LearningTotals,
    rate: int,
) -> int:
    """Change the weight of an entry by its mean error × rate (with ERROR_BITS fractional bits); return its points."""
    error = 0
    visits = 0
    for number in range(learned.sharers.shape[1]):
        sharer = int(learned.sharers[entry, number])
        if sharer < 0:
            break
        sharer_error, sharer_visits = read(totals, sharer)
        error += sharer_error
        visits += sharer_visits
    if visits > 0:
        step = ((error * rate) >> (2 * ERROR_BITS - WEIGHT_BITS - 10)) // (visits + 1)
        size = int(learned.step_sizes[entry])
        total = int(learned.step_sums[entry])
        learned.step_sums[entry] = total + step
        learned.step_sizes[entry] = size + abs(step)
        if size > 0:
            step = step * abs(total) // size
        learned.weights[entry] -= step
    points = (int(learned.weights[entry]) + (1 << (WEIGHT_BITS - 1))) >> WEIGHT_BITS
    return min(max(points, -MAX_POINTS), MAX_POINTS)


@compile_entry(seconds=3)
def update_weights(learned: PatternWeights, totals: LearningTotals, rate: int, tables: Array) -> None:
    """Change all weights by their mean errors, write their points into `tables`, and reset the totals."""
    for entry in range(len(learned.weights)):
        tables[entry] = update_entry(read_totals, entry, learned, totals, rate)
    totals.errors[:] = 0
    totals.visits[:] = 0


def list_sharers(names: tuple[str, ...], stages: tuple[str, ...]) -> Array:
    """Return the array `PatternWeights.sharers` for the tables of some patterns, one after another.

    A weight is shared by mirrored rows, and by the stages that `stages` does not tell apart.
    """
    starts = np.cumsum([0, *(PATTERNS[name].size for name in names)])
    groups = np.concatenate(
        [_number_groups(name, int(start), stages) for name, start in zip(names, starts[:-1], strict=True)]
    )
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(groups, kind="stable")
    ranks = np.arange(len(groups)) - (np.cumsum(counts) - counts)[inverse[order]]
    members = np.full((len(counts), int(counts.max())), -1, np.int32)
    members[inverse[order], ranks] = order
    sharers: Array = members[inverse]
    sharers[groups < 0] = -1
    return sharers


def _number_groups(name: str, start: int, stages: tuple[str, ...]) -> Array:
    """Return a number for each entry of a pattern's table: the same for shared weights, negative for constant ones."""
    entries = np.arange(PATTERNS[name].size)
    if not PATTERNS[name].has_stages:
        return start + entries
    codes = PATTERNS[name].size // STAGES
    stage, code = np.divmod(entries, codes)
    space, hole_rows = np.divmod(stage, HOLE_ROW_CLASSES)
    shared_code = code
    if name == "row_cells":
        mirrored = np.zeros_like(code)
        for column in range(BOARD_WIDTH):
            mirrored |= ((code >> column) & 1) << (BOARD_WIDTH - 1 - column)
        shared_code = np.minimum(code, mirrored)
    shared_stage = space * HOLE_ROW_CLASSES * ("space" in stages) + hole_rows * ("holes" in stages)
    groups = start + shared_stage * codes + shared_code
    return np.where((name == "row_cells") & (code == 0), -1 - start - entries, groups)  # an empty row has no points
