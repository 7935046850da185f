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

from tetrion.agents import WeightedAgent
from tetrion.agents.agent_files import load_agent_file
from tetrion.agents.agent_loading import BEST_AGENT_FILE
from tetrion.errors import RunError, TetrionError
from tetrion.training.evolutionary_learner import EvolutionaryLearner
from tetrion.training.learner import INCUMBENT_PREFIX, VALIDATION_COLUMN, GenerationTable
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.q_learner import QLearner
from tetrion.training.recipe import Q_LEARNING_NAME, Recipe, parse_toml_file

CONFIG_FILE = "config.toml"
META_FILE = "meta.json"
METRICS_FILE = "metrics.csv"
RESULT_FILE = "result.json"
POPULATION_FOLDER = "population"
PLOTS_FOLDER = "plots"
REPORT_FILE = "report.html"
# what a run may be
STATUS_BEGUN = "begun"
STATUS_RUNNING = "running"
STATUS_STOPPED = "stopped"
STATUS_FINISHED = "finished"
SEED_FOLDER_PREFIX = "seed-"  # how the folders of several seeds begin
RESULT_KEYS = ("origin", "numbers", "as_played", "held_out", "finalists", "crowd", "note")
GENERATION_FILE_PATTERN = re.compile(r"generation_(\d+)\.csv")
CANDIDATE_COLUMNS = ("candidate", "fitness", "games")  # what a row of a generation says before the numbers


def is_run_folder(folder: Path) -> bool:
    """Whether a folder is a run."""
    return (folder / CONFIG_FILE).is_file()


def find_run_folders(folder: Path) -> list[Path]:
    """The runs that a person means: one, or those of several seeds within a folder."""
    if is_run_folder(folder) or not folder.is_dir():
        return [folder]
    within = [
        path
        for path in folder.glob(f"{SEED_FOLDER_PREFIX}*")
        if is_run_folder(path) and path.name.removeprefix(SEED_FOLDER_PREFIX).isdigit()
    ]
    return sorted(within, key=lambda path: int(path.name.removeprefix(SEED_FOLDER_PREFIX))) or [folder]


def get_metric_columns(recipe: Recipe) -> tuple[str, ...]:
    """The figures that the metrics of a recipe have."""
    return (
        *(QLearner.metric_names if recipe.learner == Q_LEARNING_NAME else EvolutionaryLearner.metric_names),
        VALIDATION_COLUMN,
    )


def get_generation_file(folder: Path, number: int) -> Path:
    """Where every candidate of a generation stands; they are counted from 0 here and from 1 in files."""
    return folder / POPULATION_FOLDER / f"generation_{number + 1:05}.csv"


class Run:
    """What a run's folder says; nothing in it is changed. `recipe` is what it was made by."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not is_run_folder(self.folder):
            there = "has no config.toml" if self.folder.is_dir() else "is no folder"
            raise RunError(f"A run is a folder made by `tetrion train`; {self.folder} {there}.")
        with self.translate_read_errors(CONFIG_FILE):
            self.recipe = Recipe.from_mapping(parse_toml_file(self.folder / CONFIG_FILE), self.folder.name)

    @contextmanager
    def translate_read_errors(self, name: str) -> Iterator[None]:
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
            content = json.loads((self.folder / META_FILE).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    @cached_property
    def result(self) -> dict[str, Any] | None:
        """What the run came to; None while it has not finished."""
        if not (self.folder / RESULT_FILE).exists():
            return None
        with self.translate_read_errors(RESULT_FILE):
            content: dict[str, Any] = json.loads((self.folder / RESULT_FILE).read_text("utf-8"))
            return {name: content[name] for name in RESULT_KEYS}

    @property
    def is_finished(self) -> bool:
        """Whether it has come to its end, and all of that is kept and can be read."""
        whole = all((self.folder / name).exists() for name in (BEST_AGENT_FILE, METRICS_FILE, POPULATION_FOLDER))
        with suppress(RunError):
            return whole and self.result is not None and self.meta.get("status") == STATUS_FINISHED
        return False

    @cached_property
    def metrics(self) -> dict[str, NumpyArray]:
        """The columns of the metrics by name; what is not known is not a number."""
        with (
            self.translate_read_errors(METRICS_FILE),
            (self.folder / METRICS_FILE).open(encoding="utf-8", newline="") as file,
        ):
            heads, *rows = csv.reader(file)
            values = [[float(cell) if cell else np.nan for cell in row] for row in rows]
            table = np.array(values, np.float64).reshape(len(rows), len(heads))
            if missing := [name for name in get_metric_columns(self.recipe) if name not in heads]:
                raise RunError(f"the column {missing[0]} is missing; `tetrion train --resume` writes the file anew.")
            return {head: table[:, place] for place, head in enumerate(heads)}

    @property
    def incumbents(self) -> NumpyArray:
        """The numbers of every generation's or episode's favourite, a row each."""
        return np.column_stack([self.metrics[f"{INCUMBENT_PREFIX}{name}"] for name in self.parameter_names])

    @property
    def generation_count(self) -> int:
        """How many generations or episodes there are."""
        return len(next(iter(self.metrics.values())))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """What the numbers of a candidate are."""
        return tuple(head.removeprefix(INCUMBENT_PREFIX) for head in self.metrics if head.startswith(INCUMBENT_PREFIX))

    def load_population(self, number: int) -> GenerationTable:
        """Every candidate of a generation, counted from 0."""
        path = get_generation_file(self.folder, number)
        with (
            self.translate_read_errors(f"{POPULATION_FOLDER}/{path.name}"),
            path.open(encoding="utf-8", newline="") as file,
        ):
            _, *rows = csv.reader(file)
            table = np.array([[float(cell) for cell in row] for row in rows])
            return GenerationTable(table[:, len(CANDIDATE_COLUMNS) :], table[:, 1], table[:, 2].astype(np.int64))

    @property
    def has_population(self) -> bool:
        """Whether there are candidates; Q-learning has none."""
        return get_generation_file(self.folder, 0).exists()

    @property
    def best_agent(self) -> WeightedAgent:
        """The best agent so far, and in the end the result."""
        if not (self.folder / BEST_AGENT_FILE).exists():
            ended = self.generation_count > 0
            reason = (
                f"{BEST_AGENT_FILE} is gone; --resume makes it again" if ended else "its first generation has not ended"
            )
            raise RunError(f"{self.folder} has no agent: {reason}.")
        return load_agent_file(self.folder / BEST_AGENT_FILE)
