"""A run: the folder written by training, opened for reading."""

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
from tetrion.agents.agent_files import load_data_agent_file
from tetrion.agents.run_folders import (
    BEST_AGENT_FILE,
    CONFIG_FILE,
    describe_missing_run,
    describe_seed_folders,
    is_run_folder,
)
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation.number_format import format_mean_interval
from tetrion.notebook_display import make_short_repr
from tetrion.training.former_names import update_column_name, update_metadata_names, update_result_names
from tetrion.training.learner import INCUMBENT_PREFIX, VALIDATION_COLUMN, GenerationTable
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe import Recipe, parse_toml_file

META_FILE = "meta.json"
METRICS_FILE = "metrics.csv"
RESULT_FILE = "result.json"
POPULATION_FOLDER = "population"
PLOTS_FOLDER = "plots"
REPORT_FILE = "report.html"

STATUS_CREATED = "created"
STATUS_RUNNING = "running"
STATUS_STOPPED = "stopped"
STATUS_FINISHED = "finished"

RESULT_KEYS = ("origin", "parameters", "uncorrected", "held_out", "finalists", "crowd", "note")
GENERATION_FILE_PATTERN = re.compile(r"generation_(\d+)\.csv")
CANDIDATE_COLUMNS = ("candidate", "fitness", "games")  # columns of a generation file before the parameters


def get_generation_file(folder: Path, number: int) -> Path:
    """Return the path of the candidates of a generation; `number` counts from 0, the file name from 1."""
    return folder / POPULATION_FOLDER / f"generation_{number + 1:05}.csv"


def convert_number(value: float, *, is_integer: bool) -> int | float | None:
    """Return a number of `metrics.csv` as an int or a float; None for an empty cell (NaN)."""
    if np.isnan(value):
        return None
    return int(value) if is_integer else value


class Run:
    """Read access to the folder of a run; `recipe` is the recipe of its training."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not is_run_folder(self.folder):
            if not self.folder.exists():
                raise RunError(describe_missing_run(self.folder))
            if seeds_message := describe_seed_folders(self.folder):
                raise RunError(seeds_message)
            reason = "has no config.toml" if self.folder.is_dir() else "is not a folder"
            raise RunError(f"Expected a run, a folder written by training; {self.folder} {reason}.")
        with self.translate_read_errors(CONFIG_FILE):
            self.recipe = Recipe.from_mapping(parse_toml_file(self.folder / CONFIG_FILE), self.folder.name)

    @contextmanager
    def translate_read_errors(self, name: str) -> Iterator[None]:
        """Raise a RunError that names the file if it cannot be read."""
        try:
            yield
        except (TetrionError, tomllib.TOMLDecodeError) as error:
            raise RunError(f"{self.folder / name}: {error}") from None
        except OSError as error:
            raise RunError(f"{self.folder / name} cannot be read: {error.strerror}.") from None
        except (ValueError, KeyError, TypeError, IndexError, StopIteration) as error:
            raise RunError(f"{self.folder / name} is damaged: {error}.") from None

    @cached_property
    def meta(self) -> dict[str, Any]:
        """Versions, host, status and times; empty if the file is missing or damaged, as it is not essential."""
        try:
            content = json.loads((self.folder / META_FILE).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return update_metadata_names(content) if isinstance(content, dict) else {}

    @cached_property
    def result(self) -> dict[str, Any] | None:
        """Result of the run; None before it has finished."""
        if not (self.folder / RESULT_FILE).exists():
            return None
        with self.translate_read_errors(RESULT_FILE):
            content = json.loads((self.folder / RESULT_FILE).read_text("utf-8"))
            if not isinstance(content, dict):
                raise ValueError("it is not a JSON object")
            content = update_result_names(content)
            if missing := [key for key in RESULT_KEYS if key not in content]:
                raise ValueError(f"the key {missing[0]} is missing")
            return {key: content[key] for key in RESULT_KEYS}

    @property
    def is_finished(self) -> bool:
        """Whether training has finished and all files of the result can be read."""
        is_complete = all((self.folder / name).exists() for name in (BEST_AGENT_FILE, METRICS_FILE, POPULATION_FOLDER))
        with suppress(RunError):
            return is_complete and self.result is not None and self.meta.get("status") == STATUS_FINISHED
        return False

    @cached_property
    def metrics(self) -> dict[str, NumpyArray]:
        """Columns of `metrics.csv` by name; empty cells are NaN."""
        with (
            self.translate_read_errors(METRICS_FILE),
            (self.folder / METRICS_FILE).open(encoding="utf-8", newline="") as file,
        ):
            header, *rows = csv.reader(file)
            columns = [update_column_name(name) for name in header]
            values = [[float(cell) if cell else np.nan for cell in row] for row in rows]
            table = np.array(values, np.float64).reshape(len(rows), len(columns))
            expected = (self.step_name, *self.recipe.learner_type.metric_names, VALIDATION_COLUMN)
            if missing := [name for name in expected if name not in columns]:
                raise RunError(f"the column {missing[0]} is missing; resuming the run writes the file again.")
            return {name: table[:, index] for index, name in enumerate(columns)}

    def to_records(self) -> list[dict[str, int | float | None]]:
        """Return one dictionary of plain numbers per generation or episode, for `pandas.DataFrame` and the like.

        The keys are the columns of `metrics.csv`; None is a number that was not measured, such as the validation score
        of a generation without validation games.
        """
        integers = {self.step_name, *self.recipe.learner_type.integer_metrics}
        columns = {
            name: [convert_number(value, is_integer=name in integers) for value in values.tolist()]
            for name, values in self.metrics.items()
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def list_facts(self) -> list[tuple[str, str]]:
        """Return names and values that describe the run: recipe, rules, seed, steps, status and result."""
        recipe = self.recipe
        facts = [("recipe", recipe.name), ("learner", recipe.learner), ("rules", recipe.rules)]
        facts += [("seed", str(recipe.seed)), (f"{self.step_name}s", f"{self.generation_count:,}")]
        facts += [("status", str(self.meta.get("status", "unknown")))]
        if self.is_finished and self.result:
            lines = self.result["uncorrected"]["lines"]
            held_out = self.result["held_out"]
            capped = f" ({held_out['capped']:,} of {held_out['games']:,} games capped)" if held_out["capped"] else ""
            facts.append(("held-out lines per game", format_mean_interval(lines["mean"], lines["ci95"]) + capped))
            facts.append(("best agent from", str(self.result["origin"])))
        return facts

    def __repr__(self) -> str:
        try:
            facts = ", ".join(f"{name} {value}" for name, value in self.list_facts())
        except RunError:  # a damaged file must not hide the run from a debugger
            facts = "damaged"
        return make_short_repr("Run", f"{self.folder}: {facts}")

    def _repr_html_(self) -> str:
        from tetrion.lab.run_display import render_run  # imported late: plots are drawn by a package above this one

        return render_run(self)

    @property
    def incumbents(self) -> NumpyArray:
        """Parameters of the incumbent, one row per generation or episode."""
        return np.column_stack([self.metrics[f"{INCUMBENT_PREFIX}{name}"] for name in self.parameter_names])

    @property
    def step_name(self) -> str:
        """Name of a training step: generation or episode."""
        return self.recipe.learner_type.step_name

    @property
    def generation_count(self) -> int:
        """Number of finished generations or episodes."""
        return len(self.metrics[self.step_name])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters of a candidate."""
        return tuple(name.removeprefix(INCUMBENT_PREFIX) for name in self.metrics if name.startswith(INCUMBENT_PREFIX))

    def load_population(self, number: int) -> GenerationTable:
        """Return the candidates of a generation; `number` counts from 0."""
        path = self.find_generation_file(number)
        with (
            self.translate_read_errors(f"{POPULATION_FOLDER}/{path.name}"),
            path.open(encoding="utf-8", newline="") as file,
        ):
            _, *rows = csv.reader(file)
            table = np.array([[float(cell) for cell in row] for row in rows])
            return GenerationTable(table[:, len(CANDIDATE_COLUMNS) :], table[:, 1], table[:, 2].astype(np.int64))

    def find_generation_file(self, number: int) -> Path:
        """Return the file of a generation; raise RunError if there is no such generation. `number` counts from 0."""
        if not self.has_population:
            raise RunError(f"{self.folder} has no populations: {self.recipe.learner} trains a single agent.")
        is_integer = isinstance(number, int | np.integer) and not isinstance(number, bool)
        path = get_generation_file(self.folder, number) if is_integer else None
        if path and (path.exists() or 0 <= number < self.generation_count):
            return path
        if not self.generation_count:
            raise RunError(f"{self.folder} has no finished {self.step_name} yet.")
        raise RunError(
            f"A {self.step_name} of {self.folder} is given by a whole number from 0 (the first one) to "
            f"{self.generation_count - 1:,}; given {number!r}."
        )

    def load_candidates(self, number: int) -> NumpyArray:
        """Return the parameters that played in a step: those of its population, or of its incumbent if it has none."""
        return self.load_population(number).candidates if self.has_population else self.incumbents[number : number + 1]

    @property
    def has_population(self) -> bool:
        """Whether each step of the run has a population; Q-learning has none."""
        return self.recipe.learner_type.has_population

    @property
    def best_agent(self) -> WeightedAgent:
        """Best agent so far; the result if training has finished."""
        if not (self.folder / BEST_AGENT_FILE).exists():
            if self.generation_count > 0:
                reason = f"{BEST_AGENT_FILE} is missing; resuming the run writes it again"
            else:
                reason = f"its first {self.step_name} has not finished"
            raise RunError(f"{self.folder} has no agent: {reason}.")
        return load_data_agent_file(self.folder / BEST_AGENT_FILE)
