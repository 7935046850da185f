"""A run: the folder that training makes, to be read, resumed and shown."""

import csv
import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tetrion.agents import DataAgent
from tetrion.agents.files import load_file
from tetrion.agents.names import BEST
from tetrion.errors import RunError, TetrionError
from tetrion.training.evolution import Evolution
from tetrion.training.learner import FAVOURITE, JUDGED, Table
from tetrion.training.optimisers.protocol import Numbers
from tetrion.training.q_training import QTraining
from tetrion.training.recipe import Q_LEARNING, Recipe, parsed

CONFIG, META, METRICS, RESULT = "config.toml", "meta.json", "metrics.csv", "result.json"
POPULATION, PLOTS, REPORT = "population", "plots", "report.html"
BEGUN, RUNNING, STOPPED, FINISHED = "begun", "running", "stopped", "finished"  # what a run may be
SEED = "seed-"  # how the folders of several seeds begin
IN_RESULT = ("origin", "numbers", "as_played", "held_out", "finalists", "crowd", "note")
GENERATION = re.compile(r"generation_(\d+)\.csv")
CANDIDATE = ("candidate", "fitness", "games")  # what a row of a generation says before the numbers


def is_run(folder: Path) -> bool:
    """Whether a folder is a run."""
    return (folder / CONFIG).is_file()


def folders_of(folder: Path) -> list[Path]:
    """The runs that a person means: one, or those of several seeds within a folder."""
    if is_run(folder) or not folder.is_dir():
        return [folder]
    within = [path for path in folder.glob(f"{SEED}*") if is_run(path) and path.name.removeprefix(SEED).isdigit()]
    return sorted(within, key=lambda path: int(path.name.removeprefix(SEED))) or [folder]


def columns_of(recipe: Recipe) -> tuple[str, ...]:
    """The figures that the metrics of a recipe have."""
    return (*(QTraining.figures if recipe.learner == Q_LEARNING else Evolution.figures), JUDGED)


def generation_file(folder: Path, number: int) -> Path:
    """Where every candidate of a generation stands; they are counted from 0 here and from 1 in files."""
    return folder / POPULATION / f"generation_{number + 1:05}.csv"


class Run:
    """What a run's folder says; nothing in it is changed. `recipe` is what it was made by."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not is_run(self.folder):
            there = "has no config.toml" if self.folder.is_dir() else "is no folder"
            raise RunError(f"A run is a folder made by `tetrion train`; {self.folder} {there}.")
        with self.reading(CONFIG):
            self.recipe = Recipe.read(parsed(self.folder / CONFIG), self.folder.name)

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Say which file of which run is broken, and how."""
        try:
            yield
        except (TetrionError, tomllib.TOMLDecodeError) as mistake:
            raise RunError(f"{self.folder / name}: {mistake}") from None
        except OSError as problem:
            raise RunError(f"{self.folder / name} cannot be read: {problem.strerror}.") from None
        except (ValueError, KeyError, TypeError, IndexError, StopIteration) as problem:
            raise RunError(f"{self.folder / name} is damaged: {problem}.") from None

    @cached_property
    def meta(self) -> dict[str, Any]:
        """Versions, host, status and times; nothing where the file is lost or damaged, since a run does without."""
        try:
            content = json.loads((self.folder / META).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    @cached_property
    def result(self) -> dict[str, Any] | None:
        """What the run came to; None while it has not finished."""
        if not (self.folder / RESULT).exists():
            return None
        with self.reading(RESULT):
            content: dict[str, Any] = json.loads((self.folder / RESULT).read_text("utf-8"))
            return {name: content[name] for name in IN_RESULT}

    @property
    def finished(self) -> bool:
        """Whether it has come to its end, and all of that is kept and can be read."""
        whole = all((self.folder / name).exists() for name in (BEST, METRICS, POPULATION))
        with suppress(RunError):
            return whole and self.result is not None and self.meta.get("status") == FINISHED
        return False

    @cached_property
    def metrics(self) -> dict[str, Numbers]:
        """The columns of the metrics by name; what is not known is not a number."""
        with self.reading(METRICS), (self.folder / METRICS).open(encoding="utf-8", newline="") as file:
            heads, *rows = csv.reader(file)
            values = [[float(cell) if cell else np.nan for cell in row] for row in rows]
            table = np.array(values, np.float64).reshape(len(rows), len(heads))
            if missing := [name for name in columns_of(self.recipe) if name not in heads]:
                raise RunError(f"the column {missing[0]} is missing; `tetrion train --resume` writes the file anew.")
            return {head: table[:, place] for place, head in enumerate(heads)}

    @property
    def favourites(self) -> Numbers:
        """The numbers of every generation's or episode's favourite, a row each."""
        return np.column_stack([self.metrics[f"{FAVOURITE}{name}"] for name in self.names])

    @property
    def generations(self) -> int:
        """How many generations or episodes there are."""
        return len(next(iter(self.metrics.values())))

    @property
    def names(self) -> tuple[str, ...]:
        """What the numbers of a candidate are."""
        return tuple(head.removeprefix(FAVOURITE) for head in self.metrics if head.startswith(FAVOURITE))

    def population(self, number: int) -> Table:
        """Every candidate of a generation, counted from 0."""
        path = generation_file(self.folder, number)
        with self.reading(f"{POPULATION}/{path.name}"), path.open(encoding="utf-8", newline="") as file:
            _, *rows = csv.reader(file)
            table = np.array([[float(cell) for cell in row] for row in rows])
            return Table(table[:, len(CANDIDATE) :], table[:, 1], table[:, 2].astype(np.int64))

    @property
    def has_population(self) -> bool:
        """Whether there are candidates; Q-learning has none."""
        return generation_file(self.folder, 0).exists()

    @property
    def best(self) -> DataAgent:
        """The best agent so far, and in the end the result."""
        if not (self.folder / BEST).exists():
            ended = self.generations > 0
            reason = f"{BEST} is gone; --resume makes it again" if ended else "its first generation has not ended"
            raise RunError(f"{self.folder} has no agent: {reason}.")
        return load_file(self.folder / BEST)
