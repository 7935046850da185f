"""Base class of all learners, and the registry in which recipes find them by name."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.evaluation.number_format import format_number
from tetrion.registry import Registry
from tetrion.training.fitness import GamesSettings, TrainingWorkers
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays
from tetrion.training.validation import Finalist, TrainingResult, Validator

if TYPE_CHECKING:
    from tetrion.training.recipe import Recipe

VALIDATION_COLUMN = "validation"
MAX_STEPS = 1_000_000  # of a run
MAX_TREND_STEPS = 20  # by which the growth of the games is measured
INCUMBENT_PREFIX = "incumbent "  # followed by the name of a parameter


class GenerationTable(NamedTuple):
    """Parameters, fitness and number of games of each candidate of a generation."""

    candidates: NumpyArray
    fitness: NumpyArray
    games: NumpyArray


class Learner(ABC):
    """Base class of the training algorithms. Each step adds a row of metrics and an incumbent.

    Every `validation.every` steps the incumbent plays validation games. A subclass states what is special about the
    algorithm in class attributes, sets `parameter_names` in its constructor, and is registered by `register_learner`.
    """

    settings_type: ClassVar[type[Any]]
    """Settings class of the recipe section that has the name of the learner."""
    section_names: ClassVar[tuple[str, ...]] = ("agent", "games", "stop", "validation", "crowd")
    """Other sections of its recipes."""
    omitted_settings: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Settings of those sections that its recipes do not have, such as `validation.finalists`, with the reason."""
    step_name: ClassVar[str] = "generation"
    """Name of one training step, which is also the first column of `metrics.csv`."""
    metric_names: ClassVar[tuple[str, ...]]
    """Metrics of a step, among them `pieces`, the number of pieces placed."""
    integer_metrics: ClassVar[frozenset[str]] = frozenset()
    """Names of the metrics that are integers."""
    curves: ClassVar[Mapping[str, str]]
    """Metrics that are displayed as curves: title and metric. A learner without a population has one."""
    step_games: ClassVar[str] = "1 game"
    """The games from which the metrics of a step are computed, for a learner without a population."""
    has_population: ClassVar[bool] = False
    """Whether each step has candidates, which are saved."""
    has_parameters: ClassVar[bool] = True
    """Whether candidates have parameters, whose values are recorded for every step."""
    runs_in_python: ClassVar[bool] = False
    """Whether steps run Python code for most of their time, so that parallel runs need separate processes."""
    end_settings: ClassVar[tuple[str, ...]] = ("stop.generations", "stop.total_pieces", "stop.patience")
    """Settings that only decide when training ends, so that they may change when a run is resumed."""
    length_dependence: ClassVar[str] = ""
    """Why the steps of a run depend on its planned number of steps, such as "the learning rate falls until the last
    generation"; empty if they do not. The end of such a run cannot change."""
    machine_dependence: ClassVar[str] = ""
    """Results that differ between machines, and the reason; empty if there are none."""

    parameter_names: tuple[str, ...]

    def __init__(self, recipe: "Recipe") -> None:
        self.recipe = recipe
        self.rules = Rules.parse(recipe.rules)
        self.validator = Validator(recipe.validation, self.get_games_settings(recipe), self.rules, recipe.seed)
        self.metric_rows: list[Sequence[float]] = []
        self.incumbents: list[NumpyArray] = []
        # What the rows add up to is updated with each step, so that a step does not take longer in a long run.
        self.total_pieces = 0.0
        self.best_step: int | None = None
        self.best_score = -np.inf

    @classmethod
    def check_recipe(cls, recipe: "Recipe") -> None:
        """Raise an error if the parts of a recipe do not fit together."""
        Rules.parse(recipe.rules)

    @classmethod
    def get_planned_steps(cls, recipe: "Recipe") -> int:
        """Return the maximum number of steps of a run."""
        return int(recipe.stop.generations)

    @classmethod
    def get_games_settings(cls, recipe: "Recipe") -> GamesSettings:
        """Return the settings of the games, among them the fitness."""
        return recipe.games

    def prepare(self, workers: TrainingWorkers) -> None:
        """Compile what only the steps of this learner need, before the time is measured."""
        return

    @property
    def compiled_parts(self) -> Sequence[CompiledFunction[Any, Any]]:
        """The entry points of the engine that the steps of this learner call, except those that play games."""
        return ()

    @property
    def pieces_per_step(self) -> int | None:
        """The number of pieces of every step; None if steps differ."""
        return None

    @property
    def game_limit(self) -> float:
        """The largest number of pieces of a game in training; infinite if there is none."""
        return np.inf

    def get_games_per_step(self) -> float:
        """Return the number of games of the last step."""
        return self.get_column("games", 1)[0] if "games" in self.metric_names else 1.0

    def get_mean_pieces(self) -> list[float]:
        """Return the mean number of pieces per game of each of the last steps."""
        pieces = self.get_column("pieces", MAX_TREND_STEPS)
        games = self.get_column("games", MAX_TREND_STEPS) if "games" in self.metric_names else [1.0] * len(pieces)
        return [count / game_count for count, game_count in zip(pieces, games, strict=True)]

    def count_final_games(self) -> int:
        """Return the number of final and held-out games after the last step; at most, if it has not ended."""
        validation = self.recipe.validation
        finalists = len(self.list_finalists()) if self.is_done() else validation.finalists + 1
        return (finalists + 1 + self.count_crowd_evaluations()) * validation.final_games

    def count_crowd_evaluations(self) -> int:
        """Return how many times an expert or a crowd plays the final or the held-out games to compare them."""
        return 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of `metrics.csv`."""
        incumbent_columns = (f"{INCUMBENT_PREFIX}{name}" for name in self.parameter_names)
        return (self.step_name, *self.metric_names, VALIDATION_COLUMN, *incumbent_columns)

    def get_column(self, name: str, max_steps: int = MAX_STEPS) -> list[float]:
        """Return a column of `metrics.csv`, with one value for each of the last `max_steps` steps."""
        index = self.columns.index(name)
        return [row[index] for row in self.metric_rows[-max_steps:]]

    @property
    def validation_scores(self) -> NumpyArray:
        """Validation score of the incumbent of each step; NaN where it played no validation games."""
        return np.array(self.get_column(VALIDATION_COLUMN))

    def describe_step(self) -> list[str]:
        """Return short texts about the last step; none before the first one."""
        if not self.metric_rows:
            return []
        row = dict(zip(self.columns, self.metric_rows[-1], strict=True))
        score = row[VALIDATION_COLUMN]
        return [*self.describe_metrics(row), *([] if np.isnan(score) else [f"validation {format_number(score)}"])]

    def describe_metrics(self, row: Mapping[str, float]) -> list[str]:
        """Return short texts about a row of metrics."""
        return [f"{title.lower()} {format_number(row[name])}" for title, name in self.curves.items()]

    @abstractmethod
    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent of a candidate."""

    def make_agent_from_parameters(self, parameters: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent with these parameters, as stored in the files of a run."""
        return self.make_agent(parameters, name)

    def compute_parameters(self, candidate: NumpyArray) -> list[float]:
        """Return the agent's parameters for a candidate, in the order of `parameter_names`."""
        return [float(number) for number in candidate]

    def is_done(self) -> bool:
        """Return whether training has ended."""
        return self.has_reached_limit()

    def has_reached_limit(self) -> bool:
        """Return whether the rows of metrics reach a limit that `end_settings` set."""
        return len(self.metric_rows) >= self.recipe.planned_steps

    @abstractmethod
    def step(self, workers: TrainingWorkers) -> GenerationTable | None:
        """Train for one step; return its candidates, or None for a learner without a population."""

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue training, apart from the rows of metrics and the incumbents."""
        return {}

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`; the rows and incumbents have been restored already."""
        if unknown := state.keys() - self.get_state().keys():
            raise RunError(f"The state has unknown arrays, such as '{min(unknown)}'.")

    def restore_history(self, rows: NumpyArray, incumbents: NumpyArray) -> None:
        """Restore the rows of metrics and the incumbents of all finished steps."""
        for row, incumbent in zip(rows.tolist(), incumbents, strict=True):
            self.add_step(tuple(row), incumbent)

    def add_step(self, row: Sequence[float], incumbent: NumpyArray) -> None:
        """Add the row of metrics and the incumbent of a step."""
        score = row[1 + len(self.metric_names)]  # in the order of `columns`
        if np.isfinite(score) and score > self.best_score:
            self.best_step = len(self.metric_rows)
            self.best_score = score
        self.total_pieces += row[1 + self.metric_names.index("pieces")]
        self.incumbents.append(incumbent)
        self.metric_rows.append(row)

    def record_step(self, metrics: Sequence[float], incumbent: NumpyArray, workers: TrainingWorkers) -> None:
        """Add a row of metrics; the incumbent plays validation games if this step is due for them."""
        interval = self.recipe.validation.every
        number = len(self.metric_rows) + 1
        score = np.nan
        if interval and number % interval == 0:
            score = self.validator.score_agent(self.make_agent(incumbent, self.recipe.name), workers)
        row = (number, *metrics, score, *self.compute_parameters(incumbent))
        self.add_step(row, np.array(incumbent, np.float64))

    def rank_steps(self) -> list[int]:
        """Return the steps by validation score, best and earliest first; the last step if none has a score.

        An incumbent that stays the same for several steps (elitism) has the same score each time and is listed once.
        """
        scores = self.validation_scores
        earliest: dict[float, int] = {}
        for step in np.argsort(-scores, kind="stable")[: int(np.isfinite(scores).sum())].tolist():
            earliest.setdefault(scores[step], step)
        return list(earliest.values()) or [len(self.metric_rows) - 1]

    def make_best_agent(self) -> WeightedAgent:
        """Return the agent of the incumbent with the best validation score so far."""
        return self.make_agent(self.incumbents[-1 if self.best_step is None else self.best_step], self.recipe.name)

    def select_result(self, workers: TrainingWorkers) -> TrainingResult:
        """Select the best of the finalists and crowds, and evaluate it on held-out games."""
        crowds = self.list_crowds()
        experts = [self.make_agent(incumbent, self.recipe.name) for incumbent in self.incumbents] if crowds else []
        return replace(self.validator.select_best(self.list_finalists(), experts, crowds, workers), note=self.note)

    def list_finalists(self) -> list[Finalist]:
        """Return the finalists of a run that has ended: the best incumbents, the last one, and the crowds."""
        last = len(self.metric_rows) - 1
        steps = self.rank_steps()[: self.recipe.validation.finalists]
        steps += [last] if np.isnan(self.validation_scores[last]) and last not in steps else []
        incumbents = [self.make_finalist(f"{self.step_name} {step + 1}", self.incumbents[step]) for step in steps]
        return [*incumbents, *self.list_crowds()]

    def list_crowds(self) -> list[Finalist]:
        """Return the crowds of a run that has ended."""
        return [self.make_finalist(origin, candidate) for origin, candidate in self.make_crowds().items()]

    def make_finalist(self, origin: str, candidate: NumpyArray) -> Finalist:
        """Return a candidate as a finalist; `origin` describes where it comes from."""
        parameters = dict(zip(self.parameter_names, self.compute_parameters(candidate), strict=True))
        return Finalist(origin, self.make_agent(candidate, self.recipe.name), parameters)

    @property
    def note(self) -> str:
        """Remark about how training ended; empty if it ended normally."""
        return ""

    def make_crowds(self) -> dict[str, NumpyArray]:
        """Return the candidates formed from all incumbents, by the kind of crowd."""
        return {}


_learners: dict[str, type[Learner]] = {}
LEARNERS: Registry[type[Learner]] = Registry(
    "learner", _learners, _learners.__getitem__, lambda learner: (inspect.getdoc(learner) or "").partition("\n")[0]
)
"""Learners by their names in recipes."""

LearnerType = TypeVar("LearnerType", bound=Learner)


def register_learner(name: str) -> Callable[[type[LearnerType]], type[LearnerType]]:
    """Return a class decorator that adds a learner to `LEARNERS`."""

    def register(learner: type[LearnerType]) -> type[LearnerType]:
        _learners[name] = learner
        return learner

    return register
