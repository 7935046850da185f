"""What all training has in common: steps that can be written down, favourites that are judged, and a result."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.rules import Rules
from tetrion.training.fitness import GamesSettings, Team
from tetrion.training.judging import Finalist, Judge, Result
from tetrion.training.optimisers.protocol import Numbers, State
from tetrion.training.recipe import Recipe

JUDGED = "judged"
FAVOURITE = "favourite "  # before the name of a number of the favourite


class Table(NamedTuple):
    """Every candidate of a generation: its numbers, its fitness, how many games it played."""

    candidates: Numbers
    fitness: Numbers
    games: Numbers


class Learner(ABC):
    """Training step by step: a row of figures each, its favourite, and now and then the favourite judged."""

    figures: tuple[str, ...]
    """What a row says, besides how the favourite was judged and its numbers."""
    whole: frozenset[str]
    """Those of them that are whole numbers."""

    def __init__(self, recipe: Recipe, games: GamesSettings, names: tuple[str, ...]) -> None:
        self.recipe, self.names, self.rules = recipe, names, Rules.parse(recipe.rules)
        self.judge = Judge(recipe.judge, games, self.rules, recipe.seed)
        self.rows: list[Sequence[float]] = []
        self.favourites: list[Numbers] = []

    @property
    def columns(self) -> tuple[str, ...]:
        """What the rows of `metrics.csv` say."""
        return (*self.figures, JUDGED, *(f"{FAVOURITE}{name}" for name in self.names))

    @property
    def judged(self) -> Numbers:
        """How the favourites were judged; not a number where they were not."""
        return np.array([row[len(self.figures)] for row in self.rows])

    @abstractmethod
    def agent(self, numbers: Numbers, name: str) -> DataAgent:
        """The agent that some numbers make."""

    def parameters(self, numbers: Numbers) -> list[float]:
        """What some numbers come to in the agent, in the order of the names."""
        return [float(number) for number in numbers]

    @property
    @abstractmethod
    def planned(self) -> int:
        """How many steps there are at most."""

    @abstractmethod
    def done(self) -> bool:
        """Whether training has come to its end."""

    @abstractmethod
    def step(self, team: Team) -> Table | None:
        """Go one generation or episode on; every candidate, where there are several."""

    @abstractmethod
    def restore(self, state: Mapping[str, Numbers]) -> None:
        """Go on from a state."""

    def state(self) -> State:
        """Everything that is needed to go on."""
        rows = np.array(self.rows, np.float64).reshape(len(self.rows), len(self.columns))
        favourites = np.array(self.favourites, np.float64).reshape(len(self.rows), len(self.names))
        return {"rows": rows, "favourites": favourites}

    def restore_history(self, state: Mapping[str, Numbers]) -> None:
        """Take up the part of a state that all learners have."""
        self.rows = [tuple(row) for row in state["rows"].tolist()]
        self.favourites = list(state["favourites"])

    def keep(self, figures: Sequence[float], favourite: Numbers, team: Team) -> None:
        """Add a row, with the favourite judged if it is its turn."""
        every, number = self.recipe.judge.every, len(self.rows) + 1
        judged = np.nan
        if every and number % every == 0:
            judged = self.judge.score(self.agent(favourite, self.recipe.name), team)
        self.favourites.append(np.array(favourite, np.float64))
        self.rows.append((*figures, judged, *self.parameters(favourite)))

    def ranked(self) -> list[int]:
        """The steps by how their favourites were judged, the best and earliest first; the last one if none was.

        A favourite that stays the same for many steps, as elites do, is judged alike and stands here once.
        """
        judged, earliest = self.judged, dict[float, int]()
        for step in np.argsort(-judged, kind="stable")[: int(np.isfinite(judged).sum())].tolist():
            earliest.setdefault(judged[step], step)
        return list(earliest.values()) or [len(self.rows) - 1]

    def best(self) -> DataAgent:
        """The best judged favourite so far."""
        return self.agent(self.favourites[self.ranked()[0]], self.recipe.name)

    def finish(self, team: Team) -> Result:
        """Let the best favourites and the crowd play for the first place, and judge the winner."""
        last = len(self.rows) - 1
        steps = self.ranked()[: self.recipe.judge.finalists]
        steps += [last] if np.isnan(self.judged[last]) and last not in steps else []
        finalists = [self.finalist(f"{self.figures[0]} {step + 1}", self.favourites[step]) for step in steps]
        crowd = [self.finalist(origin, numbers) for origin, numbers in self.crowds().items()]
        experts = [self.agent(favourite, self.recipe.name) for favourite in self.favourites] if crowd else []
        return replace(self.judge.decide([*finalists, *crowd], experts, crowd, team), note=self.note)

    def finalist(self, origin: str, numbers: Numbers) -> Finalist:
        """Somebody who may be the result."""
        named = dict(zip(self.names, self.parameters(numbers), strict=True))
        return Finalist(origin, self.agent(numbers, self.recipe.name), named)

    @property
    def note(self) -> str:
        """What a person must know of how training ended; empty if nothing."""
        return ""

    def crowds(self) -> dict[str, Numbers]:
        """The numbers that favourites come to together, by the kind of crowd."""
        return {}
