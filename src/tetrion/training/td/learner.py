"""Training by temporal differences: an agent with patterns learns from each piece of many games at once."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, cast

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, PlaySlice, is_valid_game, make_games
from tetrion.engine.patterns import PATTERNS, STAGE_NAMES
from tetrion.engine.placing import STATUS_PLAYING
from tetrion.engine.records import AgentRecord, GameRecord, GameRecords
from tetrion.engine.rules import Rules, check_simple_drops, make_rules_record
from tetrion.errors import RecipeError, RunError, UnknownNameError
from tetrion.evaluation.gpu import GpuWorkers, translate_cuda_errors
from tetrion.training.fitness import MIN_DEATHS, GamesSettings, TrainingWorkers
from tetrion.training.learner import Learner, register_learner
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays, check_numbers, check_state
from tetrion.training.recipe import Recipe
from tetrion.training.recipe_settings import float_setting, integer_setting, list_setting
from tetrion.training.seeds import SeedPurpose, derive_seed
from tetrion.training.td.learning import (
    COUNT_NAMES,
    ERROR_BITS,
    EXPONENTIALS,
    MAX_POINTS,
    LearningSettings,
    LearningTotals,
    PatternWeights,
    learn_from_games,
    learn_with_lookahead,
    list_sharers,
    update_weights,
)
from tetrion.training.validation import Finalist, TrainingResult

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
        STAGE_NAMES, str, "what tells the stages of the game apart, in which weights differ: space, holes"
    )
    depth: int = integer_setting(1, 1, 2, "pieces that the agent searches: the current one, and the next one")
    discount: float = float_setting(0.99, 0, 1, "discount factor (γ) per piece of the expected death")
    first_discount: float = float_setting(
        0.0, 0, 1, "discount factor of the first iteration, from which it rises to `discount`; 0: it is always the same"
    )
    learning_rate: float = float_setting(1.0, 0, 10, "share of a board's mean error that an update corrects")
    garbage: float = float_setting(0.0, 0, 1, "share of the games that begin on rows of garbage")
    episode_pieces: int = integer_setting(
        0, 0, UNLIMITED, "number of pieces after which a game begins anew; 0: only after a death"
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
                gpu_learning_type = import_module("tetrion.training.td.gpu_learning").GpuLearning
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

    def select_result(self, workers: TrainingWorkers) -> TrainingResult:
        """Evaluate the better of the best and the last agent on held-out games."""
        last = len(self.metric_rows)
        finalists = [Finalist(f"{self.step_name} {last}", self.make_agent(np.zeros(0), self.recipe.name), {})]
        if self.best_step is not None and self.best_step + 1 < last:
            finalists.append(Finalist(f"{self.step_name} {self.best_step + 1}", self.make_best_agent(), {}))
        return self.validator.select_best(finalists, [], [], workers)

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
