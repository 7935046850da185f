"""What all training has in common: steps that can be written down, favourites that are judged, and a result."""

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

VALIDATION_COLUMN = "judged"
INCUMBENT_PREFIX = "favourite "  # before the name of a number of the favourite


class GenerationTable(NamedTuple):
    """Every candidate of a generation: its numbers, its fitness, how many games it played."""

    candidates: NumpyArray
    fitness: NumpyArray
    games: NumpyArray


class Learner(ABC):
    """Training step by step: a row of figures each, its favourite, and now and then the favourite judged."""

    metric_names: tuple[str, ...]
    """What a row says, besides how the favourite was judged and its numbers."""
    integer_metrics: frozenset[str]
    """Those of them that are whole numbers."""

    def __init__(self, recipe: Recipe, games: GamesSettings, parameter_names: tuple[str, ...]) -> None:
        self.recipe = recipe
        self.parameter_names = parameter_names
        self.rules = Rules.parse(recipe.rules)
        self.validator = Validator(recipe.validation, games, self.rules, recipe.seed)
        self.metric_rows: list[Sequence[float]] = []
        self.incumbents: list[NumpyArray] = []

    @property
    def columns(self) -> tuple[str, ...]:
        """What the rows of `metrics.csv` say."""
        return (*self.metric_names, VALIDATION_COLUMN, *(f"{INCUMBENT_PREFIX}{name}" for name in self.parameter_names))

    @property
    def validation_scores(self) -> NumpyArray:
        """How the favourites were judged; not a number where they were not."""
        return np.array([row[len(self.metric_names)] for row in self.metric_rows])

    @abstractmethod
    def make_agent(self, numbers: NumpyArray, name: str) -> WeightedAgent:
        """The agent that some numbers make."""

    def compute_parameters(self, numbers: NumpyArray) -> list[float]:
        """What some numbers come to in the agent, in the order of the names."""
        return [float(number) for number in numbers]

    @property
    @abstractmethod
    def max_steps(self) -> int:
        """How many steps there are at most."""

    @abstractmethod
    def is_done(self) -> bool:
        """Whether training has come to its end."""

    @abstractmethod
    def step(self, workers: TrainingWorkers) -> GenerationTable | None:
        """Go one generation or episode on; every candidate, where there are several."""

    @abstractmethod
    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Go on from a state."""

    def get_state(self) -> StateArrays:
        """Everything that is needed to go on."""
        rows = np.array(self.metric_rows, np.float64).reshape(len(self.metric_rows), len(self.columns))
        favourites = np.array(self.incumbents, np.float64).reshape(len(self.metric_rows), len(self.parameter_names))
        return {"rows": rows, "favourites": favourites}

    def restore_history(self, state: Mapping[str, NumpyArray]) -> None:
        """Take up the part of a state that all learners have."""
        self.metric_rows = [tuple(row) for row in state["rows"].tolist()]
        self.incumbents = list(state["favourites"])

    def record_step(self, metrics: Sequence[float], incumbent: NumpyArray, workers: TrainingWorkers) -> None:
        """Add a row, with the favourite judged if it is its turn."""
        every, number = self.recipe.validation.every, len(self.metric_rows) + 1
        judged = np.nan
        if every and number % every == 0:
            judged = self.validator.score_agent(self.make_agent(incumbent, self.recipe.name), workers)
        self.incumbents.append(np.array(incumbent, np.float64))
        self.metric_rows.append((*metrics, judged, *self.compute_parameters(incumbent)))

    def rank_steps(self) -> list[int]:
        """The steps by how their favourites were judged, the best and earliest first; the last one if none was.

        A favourite that stays the same for many steps, as elites do, is judged alike and stands here once.
        """
        judged, earliest = self.validation_scores, dict[float, int]()
        for step in np.argsort(-judged, kind="stable")[: int(np.isfinite(judged).sum())].tolist():
            earliest.setdefault(judged[step], step)
        return list(earliest.values()) or [len(self.metric_rows) - 1]

    def make_best_agent(self) -> WeightedAgent:
        """The best judged favourite so far."""
        return self.make_agent(self.incumbents[self.rank_steps()[0]], self.recipe.name)

    def select_result(self, workers: TrainingWorkers) -> TrainingResult:
        """Let the best favourites and the crowd play for the first place, and judge the winner."""
        last = len(self.metric_rows) - 1
        steps = self.rank_steps()[: self.recipe.validation.finalists]
        steps += [last] if np.isnan(self.validation_scores[last]) and last not in steps else []
        finalists = [self.make_finalist(f"{self.metric_names[0]} {step + 1}", self.incumbents[step]) for step in steps]
        crowd = [self.make_finalist(origin, numbers) for origin, numbers in self.make_crowds().items()]
        experts = [self.make_agent(favourite, self.recipe.name) for favourite in self.incumbents] if crowd else []
        return replace(self.validator.select_best([*finalists, *crowd], experts, crowd, workers), note=self.note)

    def make_finalist(self, origin: str, numbers: NumpyArray) -> Finalist:
        """Somebody who may be the result."""
        named = dict(zip(self.parameter_names, self.compute_parameters(numbers), strict=True))
        return Finalist(origin, self.make_agent(numbers, self.recipe.name), named)

    @property
    def note(self) -> str:
        """What a person must know of how training ended; empty if nothing."""
        return ""

    def make_crowds(self) -> dict[str, NumpyArray]:
        """The numbers that favourites come to together, by the kind of crowd."""
        return {}
