"""Base class of all learners: training steps, their metrics, validation of incumbents, and the result."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.training.fitness import GamesSettings, TrainingWorkers
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays
from tetrion.training.recipe import Recipe
from tetrion.training.validation import Finalist, TrainingResult, Validator

VALIDATION_COLUMN = "validation"
INCUMBENT_PREFIX = "incumbent "  # followed by the name of a parameter


class GenerationTable(NamedTuple):
    """Parameters, fitness and number of games of each candidate of a generation."""

    candidates: NumpyArray
    fitness: NumpyArray
    games: NumpyArray


class Learner(ABC):
    """Base class of the training algorithms. Each step adds a row of metrics and an incumbent.

    Every `validation.every` steps the incumbent plays validation games.
    """

    metric_names: tuple[str, ...]
    """Columns of a row of metrics, before the validation score and the parameters of the incumbent."""
    integer_metrics: frozenset[str]
    """Names of the metrics that are integers."""

    def __init__(self, recipe: Recipe, games: GamesSettings, parameter_names: tuple[str, ...]) -> None:
        self.recipe = recipe
        self.parameter_names = parameter_names
        self.rules = Rules.parse(recipe.rules)
        self.validator = Validator(recipe.validation, games, self.rules, recipe.seed)
        self.metric_rows: list[Sequence[float]] = []
        self.incumbents: list[NumpyArray] = []

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of `metrics.csv`."""
        return (*self.metric_names, VALIDATION_COLUMN, *(f"{INCUMBENT_PREFIX}{name}" for name in self.parameter_names))

    @property
    def validation_scores(self) -> NumpyArray:
        """Validation score of the incumbent of each step; NaN where it played no validation games."""
        return np.array([row[len(self.metric_names)] for row in self.metric_rows])

    @abstractmethod
    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent of a candidate."""

    def compute_parameters(self, candidate: NumpyArray) -> list[float]:
        """Return the agent's parameters for a candidate, in the order of `parameter_names`."""
        return [float(number) for number in candidate]

    @property
    @abstractmethod
    def max_steps(self) -> int:
        """Maximum number of steps."""

    @abstractmethod
    def is_done(self) -> bool:
        """Return whether training has ended."""

    @abstractmethod
    def step(self, workers: TrainingWorkers) -> GenerationTable | None:
        """Train for one generation or episode; return its candidates, or None for a learner without a population."""

    @abstractmethod
    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue training."""
        rows = np.array(self.metric_rows, np.float64).reshape(len(self.metric_rows), len(self.columns))
        incumbents = np.array(self.incumbents, np.float64).reshape(len(self.metric_rows), len(self.parameter_names))
        return {"rows": rows, "favourites": incumbents}  # "favourites": the stored name of the incumbents

    def restore_history(self, state: Mapping[str, NumpyArray]) -> None:
        """Restore metrics and incumbents, the part of a state that all learners share."""
        self.metric_rows = [tuple(row) for row in state["rows"].tolist()]
        self.incumbents = list(state["favourites"])

    def record_step(self, metrics: Sequence[float], incumbent: NumpyArray, workers: TrainingWorkers) -> None:
        """Add a row of metrics; the incumbent plays validation games if this step is due for them."""
        interval = self.recipe.validation.every
        number = len(self.metric_rows) + 1
        score = np.nan
        if interval and number % interval == 0:
            score = self.validator.score_agent(self.make_agent(incumbent, self.recipe.name), workers)
        self.incumbents.append(np.array(incumbent, np.float64))
        self.metric_rows.append((*metrics, score, *self.compute_parameters(incumbent)))

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
        return self.make_agent(self.incumbents[self.rank_steps()[0]], self.recipe.name)

    def select_result(self, workers: TrainingWorkers) -> TrainingResult:
        """Select the best of the finalists and crowds, and evaluate it on held-out games."""
        last = len(self.metric_rows) - 1
        steps = self.rank_steps()[: self.recipe.validation.finalists]
        steps += [last] if np.isnan(self.validation_scores[last]) and last not in steps else []
        finalists = [self.make_finalist(f"{self.metric_names[0]} {step + 1}", self.incumbents[step]) for step in steps]
        crowds = [self.make_finalist(origin, candidate) for origin, candidate in self.make_crowds().items()]
        experts = [self.make_agent(incumbent, self.recipe.name) for incumbent in self.incumbents] if crowds else []
        return replace(self.validator.select_best([*finalists, *crowds], experts, crowds, workers), note=self.note)

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
