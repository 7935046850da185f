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

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.batch_play import (
    UNLIMITED,
    EngineSettings,
    PlaySlice,
    is_valid_game,
    make_games,
    place_simd,
    play_game,
)
from tetrion.engine.bitboard import compute_heights, load_columns, place_piece_on_columns, remove_full_rows
from tetrion.engine.compiler import CompiledFunction, compile_entry, compile_entry_with_memory, compile_inline
from tetrion.engine.gpu.int32 import to_index
from tetrion.engine.lookahead import SearchScratch, choose_with_lookahead
from tetrion.engine.patterns import (
    HOLE_ROW_CLASSES,
    PATTERNS,
    STAGE_NAMES,
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
from tetrion.engine.records import AgentRecord, GameRecord, GameRecords, Records, RulesRecord
from tetrion.engine.rules import Rules, check_simple_drops, make_rules_record
from tetrion.engine.scalar_or_simd import Array
from tetrion.errors import RecipeError, RunError, UnknownNameError
from tetrion.evaluation.gpu import GpuWorkers, translate_cuda_errors
from tetrion.training.fitness import MIN_DEATHS, GamesSettings, SeedPurpose, TrainingWorkers, derive_seed
from tetrion.training.learner import Learner, register_learner
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays, check_numbers, check_state
from tetrion.training.recipe import Recipe
from tetrion.training.recipe_settings import float_setting, integer_setting, list_setting
from tetrion.training.validation import Finalist

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


_MAX_GAMES = 2**20
_MAX_PIECES_PER_UPDATE = 2**24
_STATE_OWNER = "TD learning"
TYPICAL_ENTRIES = 33  # table entries of a typical board, which share its error


@dataclass(frozen=True)
class TdSettings:
    """Settings of [td].

    With `first_discount`, the horizon 1 / (1 − γ) grows linearly in the first half of training: a long horizon is
    learned faster from the values of a short one (see François-Lavet, Fonteneau and Ernst 2015, arXiv 1512.02011). The
    learning rate falls linearly to 0 in the second half.
    """

    iterations: int = integer_setting(50, 1, 10**6, "number of iterations")
    updates: int = integer_setting(100, 1, 10**6, "updates of the tables per iteration")
    games: int = integer_setting(4096, 1, _MAX_GAMES, "games that are played at the same time")
    pieces: int = integer_setting(4, 1, 1000, "pieces per game between two updates")
    patterns: tuple[str, ...] = list_setting(tuple(PATTERNS), str, "patterns that the agent uses")
    stages: tuple[str, ...] = list_setting(
        STAGE_NAMES, str, "properties of the board that select the stage of a weight: space, holes"
    )
    depth: int = integer_setting(1, 1, 2, "pieces that the agent searches: the current one, and the next one")
    discount: float = float_setting(0.99, 0, 1, "discount factor (γ) per piece of the expected death")
    first_discount: float = float_setting(
        0.0, 0, 1, "discount factor of the first iteration, from which it rises to `discount`; 0: it is always the same"
    )
    learning_rate: float = float_setting(1.0, 0, 10, "share of a board's mean error that an update corrects")
    garbage: float = float_setting(0.0, 0, 1, "share of the games that begin on rows of garbage")
    episode_pieces: int = integer_setting(
        0, 0, UNLIMITED, "number of pieces after which a new game starts; 0: only after a death"
    )

    @property
    def pieces_per_update(self) -> int:
        """The number of pieces of all games between two updates."""
        return self.games * self.pieces

    def check(self) -> None:
        """Raise an error if patterns or stages are unknown or repeated, or an update has too many pieces."""
        for name in self.patterns:
            if name not in PATTERNS:
                raise UnknownNameError("pattern", name, PATTERNS)
        if not self.patterns or len(set(self.patterns)) < len(self.patterns):
            raise RecipeError(f"td.patterns must be one or more different patterns; given {list(self.patterns)}.")
        if self.pieces_per_update > _MAX_PIECES_PER_UPDATE:
            raise RecipeError(
                f"td.games × td.pieces may be at most {_MAX_PIECES_PER_UPDATE:,}; given {self.pieces_per_update:,}."
            )
        if self.first_discount > self.discount or (self.first_discount and self.discount == 1):
            raise RecipeError(
                "td.first_discount must be at most td.discount, which must then be less than 1; given first_discount = "
                f"{self.first_discount:g}, discount = {self.discount:g}."
            )
        if not set(self.stages) <= set(STAGE_NAMES) or len(set(self.stages)) < len(self.stages):
            raise RecipeError(f"td.stages may have {' and '.join(STAGE_NAMES)}; given {list(self.stages)}.")


def to_error_units(number: float) -> int:
    """Return a number with ERROR_BITS fractional bits."""
    return round(number * (1 << ERROR_BITS))


def view_points(name: str, state: Mapping[str, NumpyArray]) -> NumpyArray:
    """Return the points of table entries from their bytes in a state; raise RunError if they are out of range."""
    points = state[name].view(np.int32)
    check_numbers(_STATE_OWNER, name, (points >= -MAX_POINTS) & (points <= MAX_POINTS))
    return points


class PatternTables:
    """The tables of an agent with patterns during training, and the games from which it learns."""

    def __init__(self, settings: TdSettings, rules: Rules, seed: int) -> None:
        self.settings = settings
        size = sum(PATTERNS[name].size for name in settings.patterns)
        weights, step_sums, step_sizes = (np.zeros(size, np.int64) for _ in range(3))
        self.learned = PatternWeights(weights, step_sums, step_sizes, list_sharers(settings.patterns, settings.stages))
        self.gpu_learning: Any = None  # the copy of games and tables on a GPU, if there is one
        self.games = make_games(settings.games, seed)
        agents = AgentRecord.make_array(1)
        agents[0].depth, agents[0].measures_after_clear = settings.depth, 1
        start = 0
        for name in settings.patterns:
            agents[0].pattern_mask |= 1 << PATTERNS[name].number
            agents[0].pattern_start[PATTERNS[name].number] = start
            start += PATTERNS[name].size
        self.engine_settings = EngineSettings(
            agents, np.zeros(size, np.int32), make_rules_record(rules), UNLIMITED, UNLIMITED
        )
        self.play_slice = PlaySlice(self.engine_settings, settings.pieces, 0)
        self.learning = LearningSettings(
            EXPONENTIALS,
            to_error_units(settings.discount),
            to_error_units(settings.garbage),
            settings.episode_pieces,
        )

    @property
    def tables(self) -> NumpyArray:
        """The points of all table entries."""
        return self.engine_settings.tables

    def get_terms(self, tables: NumpyArray) -> dict[str, list[int]]:
        """Return the tables of an agent by the names of the patterns."""
        ends = np.cumsum([PATTERNS[name].size for name in self.settings.patterns])
        parts = np.split(tables, ends[:-1])
        return {name: part.tolist() for name, part in zip(self.settings.patterns, parts, strict=True)}

    def learn(self, rates: list[int], discount: float, workers: TrainingWorkers) -> NumpyArray:
        """Update the tables once per rate; return the numbers of pieces, lines and deaths."""
        self.learning = self.learning._replace(discount=to_error_units(discount))
        counts = np.zeros(len(COUNT_NAMES), np.int64)
        if isinstance(workers.workers, GpuWorkers):
            self.learn_on_gpu(rates, counts)
        else:
            thread_count = workers.workers.count if workers.workers.is_local else 1
            self.learn_on_cpu(rates, counts, thread_count, workers.on_pieces)
        return np.array([self.settings.pieces_per_update * len(rates), *counts])

    def learn_on_gpu(self, rates: list[int], counts: NumpyArray) -> None:
        """Update the tables once per rate, with games on the GPU, where they stay for the next call."""
        gpu_learning, self.gpu_learning = self.gpu_learning, None  # None if the updates are interrupted
        with translate_cuda_errors():
            if gpu_learning is None:
                gpu_learning_type = import_module("tetrion.training.td_gpu_learning").GpuLearning
                gpu_learning = gpu_learning_type(self.games, self.play_slice, self.learning, self.learned)
            for rate in rates:
                gpu_learning.learn(rate, self.learning.discount)
            gpu_learning.copy_to_host(counts)
        self.gpu_learning = gpu_learning

    def compile_for_cpu(self) -> None:
        """Compile the functions that `learn_on_cpu` uses."""
        totals = self.make_totals()
        self.cpu_function(self.games[:0], self.play_slice, self.learning, totals)
        update_weights(self.learned, totals, 0, self.tables)  # changes nothing without visits

    @property
    def cpu_function(self) -> Any:
        """The compiled function that learns from games."""
        return learn_from_games if self.settings.depth == 1 else learn_with_lookahead

    def make_totals(self) -> LearningTotals:
        """Return totals without any errors."""
        errors, visits = (np.zeros(len(self.tables), np.int64) for _ in range(2))
        return LearningTotals(errors, visits, np.zeros(len(COUNT_NAMES), np.int64))

    def learn_on_cpu(
        self,
        rates: list[int],
        counts: NumpyArray,
        thread_count: int,
        on_pieces: Callable[[int], object] | None = None,
    ) -> None:
        """Update the tables once per rate, with games in threads; the sum of the threads' totals is always the same."""
        self.gpu_learning = None
        totals = [self.make_totals() for _ in range(thread_count)]
        parts = np.array_split(np.arange(len(self.games)), thread_count)
        games = [self.games[part[0] : part[-1] + 1] for part in parts if len(part)]
        with ThreadPoolExecutor(thread_count) as executor:
            for number, rate in enumerate(rates):
                if on_pieces:
                    on_pieces(number * self.settings.pieces_per_update)
                tasks = [
                    executor.submit(self.cpu_function, part, self.play_slice, self.learning, total)
                    for part, total in zip(games, totals, strict=False)
                ]
                for task in tasks:
                    task.result()
                for total in totals[1:]:
                    totals[0].errors[:] += total.errors
                    totals[0].visits[:] += total.visits
                    total.errors[:] = total.visits[:] = 0
                update_weights(self.learned, totals[0], rate, self.tables)
        counts += sum(total.counts for total in totals)

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue; weights may be negative, so they are stored as bytes."""
        arrays = {"weights": self.learned.weights, "step_sums": self.learned.step_sums, "tables": self.tables}
        return {
            **{name: array.view(np.uint8).copy() for name, array in arrays.items()},
            "step_sizes": self.learned.step_sizes.copy(),
            "games": self.games.view(np.uint8).copy(),
        }

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""
        games = cast("GameRecords", state["games"].view(GameRecord.dtype))
        is_valid = is_valid_game(games, self.engine_settings.rules[0]) & (games["status"] == STATUS_PLAYING)
        if not is_valid.all():
            raise RunError("The state of TD learning is damaged: 'games' has an invalid game.")
        weights, step_sums = (state[name].view(np.int64) for name in ("weights", "step_sums"))
        step_sizes = state["step_sizes"]
        check_numbers(_STATE_OWNER, "step_sizes", step_sizes <= UNLIMITED)
        for name, numbers in (("weights", weights), ("step_sums", step_sums)):  # both change by steps of these sizes
            check_numbers(_STATE_OWNER, name, (numbers >= -step_sizes) & (numbers <= step_sizes))
        self.gpu_learning = None
        self.learned.weights[:] = weights
        self.learned.step_sums[:] = step_sums
        self.learned.step_sizes[:] = step_sizes
        self.tables[:] = view_points("tables", state)
        self.games[:] = games


@register_learner("td")
class TdLearner(Learner):
    """Learner whose steps are iterations of TD learning.

    Its tables have too many numbers for the history of a run: the checkpoint has the current tables and those with the
    best validation score.
    """

    settings_type = TdSettings
    section_names = ("validation",)
    omitted_settings: ClassVar[Mapping[str, str]] = {
        "validation.finalists": "the finalists are the last agent and the one with the best validation score"
    }
    step_name = "iteration"
    metric_names = ("pieces", "lines", "deaths", "lines_per_death")
    integer_metrics = frozenset(metric_names[:3])
    has_parameters = False
    step_games = "all its games"
    curves: ClassVar[Mapping[str, str]] = {"Lines per death": "lines_per_death"}
    end_settings = ("td.iterations",)
    length_dependence = "the learning rate falls until the last iteration"

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.parameter_names = ()
        self.pattern_tables = PatternTables(recipe.settings, self.rules, derive_seed(recipe.seed, SeedPurpose.TRAINING))
        self.best_tables = self.pattern_tables.tables.copy()

    @classmethod
    def check_recipe(cls, recipe: Recipe) -> None:
        """Raise an error if the patterns are unknown, or the rules have other placements than straight drops."""
        super().check_recipe(recipe)
        recipe.settings.check()
        rules = Rules.parse(recipe.rules)
        check_simple_drops(
            make_rules_record(rules)[0], "The learner td", "Use other rules, or another learner, such as cma."
        )
        if rules.preview < recipe.settings.depth - 1:
            raise RecipeError(f"td.depth = 2 requires rules with preview=1; given the rules {recipe.rules}.")

    @classmethod
    def get_planned_steps(cls, recipe: Recipe) -> int:
        """Return the number of iterations."""
        return int(recipe.settings.iterations)

    @classmethod
    def get_games_settings(cls, recipe: Recipe) -> GamesSettings:
        """Return settings with the fitness that TD learning estimates; its recipes have no settings of games."""
        return GamesSettings(fitness="hazard")

    @property
    def compiled_parts(self) -> Sequence[CompiledFunction[Any, Any]]:
        """Learning from games on the CPU."""
        return self.pattern_tables.cpu_function, update_weights

    def prepare(self, workers: TrainingWorkers) -> None:
        """Compile the functions of the CPU by learning from no games; a GPU compiles its kernels in the first step."""
        if not isinstance(workers.workers, GpuWorkers):
            self.pattern_tables.compile_for_cpu()

    @property
    def pieces_per_step(self) -> int:
        """The number of pieces of an iteration."""
        settings: TdSettings = self.recipe.settings
        return settings.updates * settings.pieces_per_update

    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent with the current tables; a candidate has no numbers of its own."""
        return self.make_agent_from_tables(self.pattern_tables.tables, name)

    def make_agent_from_tables(self, tables: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent with these tables."""
        terms = self.pattern_tables.get_terms(tables)
        view_rows = int(self.pattern_tables.engine_settings.rules[0].rows)  # for games on higher boards
        return WeightedAgent(
            name, terms, rules=self.recipe.rules, view_rows=view_rows, depth=self.recipe.settings.depth
        )

    def make_best_agent(self) -> WeightedAgent:
        """Return the agent with the best validation score so far, or the current one if none has a score."""
        tables = self.pattern_tables.tables if self.best_step is None else self.best_tables
        return self.make_agent_from_tables(tables, self.recipe.name)

    def get_rates(self) -> list[int]:
        """Return the learning rates of the updates of the next iteration, as integers."""
        settings = self.recipe.settings
        done = len(self.metric_rows) + np.arange(settings.updates) / settings.updates
        rates = settings.learning_rate / TYPICAL_ENTRIES * np.minimum(1, 2 - 2 * done / settings.iterations)
        return [int(rate) for rate in np.round(rates * (1 << ERROR_BITS))]

    def get_discount(self) -> float:
        """Return the discount factor of the next iteration; only operations that are the same on all processors."""
        settings: TdSettings = self.recipe.settings
        if not settings.first_discount:
            return settings.discount
        first, last = (1 / (1 - discount) for discount in (settings.first_discount, settings.discount))
        done = min(1, 2 * len(self.metric_rows) / settings.iterations)
        return 1 - 1 / (first + (last - first) * done)

    def step(self, workers: TrainingWorkers) -> None:
        """Learn for one iteration."""
        pieces, lines, deaths = self.pattern_tables.learn(self.get_rates(), self.get_discount(), workers).tolist()
        best_step = self.best_step
        self.record_step((pieces, lines, deaths, lines / max(deaths, MIN_DEATHS)), np.zeros(0), workers)
        if self.best_step != best_step:
            self.best_tables = self.pattern_tables.tables.copy()

    def list_finalists(self) -> list[Finalist]:
        """Return the last agent and, if it is another one, the agent with the best validation score."""
        last = len(self.metric_rows)
        finalists = [Finalist(f"{self.step_name} {last}", self.make_agent(np.zeros(0), self.recipe.name), {})]
        if self.best_step is not None and self.best_step + 1 < last:
            finalists.append(Finalist(f"{self.step_name} {self.best_step + 1}", self.make_best_agent(), {}))
        return finalists

    def count_final_games(self) -> int:
        """Return the number of final and held-out games; before the end, that of two finalists."""
        finalists = len(self.list_finalists()) if self.is_done() else 2
        return (finalists + 1) * int(self.recipe.validation.final_games)

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue training."""
        state = {f"learner.{key}": value for key, value in self.pattern_tables.get_state().items()}
        return super().get_state() | state | {"learner.best_tables": self.best_tables.view(np.uint8).copy()}

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""
        super().restore(state)
        checked = check_state(_STATE_OWNER, self.get_state(), state)
        arrays = {key.removeprefix("learner."): value for key, value in checked.items()}
        self.best_tables = view_points("best_tables", arrays)
        self.pattern_tables.restore(arrays)
