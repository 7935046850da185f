"""A run: the folder written by training, opened for reading."""

import re
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
from tetrion.data_files import MAX_DATA_FILE_BYTES, DataFileError, parse_toml, read_data_file
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation.number_format import format_mean_interval
from tetrion.notebook_display import make_short_repr
from tetrion.training.former_names import update_column_name
from tetrion.training.learner import INCUMBENT_PREFIX, MAX_STEPS, GenerationTable
from tetrion.training.number_tables import MAX_TABLE_BYTES, parse_number_table
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe import Recipe
from tetrion.training.run_schema import STATUS_FINISHED, parse_meta, parse_result

META_FILE = "meta.json"
METRICS_FILE = "metrics.csv"
RESULT_FILE = "result.json"
POPULATION_FOLDER = "population"
PLOTS_FOLDER = "plots"
REPORT_FILE = "report.html"

GENERATION_FILE_PATTERN = re.compile(r"generation_(\d+)\.csv", re.ASCII)
_MAX_CANDIDATES = 200_000  # of a generation; the settings of all learners allow fewer or as many
CANDIDATE_COLUMNS = ("candidate", "fitness", "games")  # columns of a generation file before the parameters


def get_generation_file(folder: Path, number: int) -> Path:
    """Return the path of the candidates of a generation; `number` counts from 0, the file name from 1."""
    return folder / POPULATION_FOLDER / f"generation_{number + 1:05}.csv"


def convert_number(value: float, *, is_integer: bool) -> int | float | None:
    """Return a number of `metrics.csv` as an int or a float; None for an empty cell (NaN)."""
    if np.isnan(value):
        return None
    return int(value) if is_integer else value


def check_whole_numbers(name: str, column: NumpyArray) -> None:
    """Raise ValueError if a column has other numbers than whole numbers from 0."""
    if ((column < 0) | (column >= 2.0**63) | (column != np.floor(column))).any():
        raise ValueError(f"the column {name} must have whole numbers")


def read_meta(folder: Path) -> dict[str, Any]:
    """Return the valid fields of the `meta.json` of a run; none if it is missing or damaged."""
    try:
        return parse_meta(read_data_file(folder / META_FILE))
    except (FileNotFoundError, DataFileError):
        return {}


class Run:
    """Read access to the folder of a run; `recipe` is the recipe of its training.

    >>> import tempfile, tetrion
    >>> recipe = tetrion.Recipe.load("cma-dt", generations=2, population=4, games={"count": 2, "max_pieces": 50})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = tetrion.train(recipe, f"{folder}/run", workers=1)
    ...     tetrion.load_agent(f"{folder}/run").name, len(run.metrics["generation"])
    ('run', 2)
    """

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
            self.recipe = Recipe.from_mapping(parse_toml(self.read_file(CONFIG_FILE)), self.folder.name)

    def read_file(self, name: str, max_bytes: int = MAX_DATA_FILE_BYTES) -> bytes:
        """Return the content of a file of the run."""
        try:
            return read_data_file(self.folder / name, max_bytes)
        except FileNotFoundError as error:
            raise RunError(f"{self.folder / name} cannot be read: {error.strerror}.") from None
        except DataFileError as error:
            raise RunError(f"{self.folder / name}: {error}") from None

    @contextmanager
    def translate_read_errors(self, name: str) -> Iterator[None]:
        """Raise a RunError that names the file if its content is invalid."""
        try:
            yield
        except RunError:
            raise
        except TetrionError as error:
            is_content_invalid = isinstance(error, DataFileError)
            raise RunError(f"{self.folder / name}{' is damaged' * is_content_invalid}: {error}") from None
        except ValueError as error:
            raise RunError(f"{self.folder / name} is damaged: {str(error).rstrip('.')}.") from None

    @cached_property
    def meta(self) -> dict[str, Any]:
        """Versions, host, status and times, as far as they are valid; the file is not essential."""
        return read_meta(self.folder)

    @cached_property
    def result(self) -> dict[str, Any] | None:
        """Result of the run; None before it has finished."""
        if not (self.folder / RESULT_FILE).exists():
            return None
        with self.translate_read_errors(RESULT_FILE):
            return parse_result(self.read_file(RESULT_FILE))

    @property
    def is_finished(self) -> bool:
        """Whether training has finished and all files of the result can be read."""
        is_complete = all((self.folder / name).exists() for name in (BEST_AGENT_FILE, POPULATION_FOLDER))
        with suppress(RunError):
            is_marked = self.meta.get("status") == STATUS_FINISHED
            return is_complete and is_marked and self.result is not None and self.generation_count > 0
        return False

    @cached_property
    def metrics(self) -> dict[str, NumpyArray]:
        """Columns of `metrics.csv` by name; empty cells are NaN."""
        with self.translate_read_errors(METRICS_FILE):
            header, table = parse_number_table(self.read_file(METRICS_FILE, MAX_TABLE_BYTES), MAX_STEPS)
            numbers = {update_column_name(name): table[:, index] for index, name in enumerate(header)}
            if missing := [name for name in self.columns if name not in numbers]:
                raise ValueError(f"the column {missing[0]} is missing; resuming the run writes the file again")
            for name in (self.step_name, *self.recipe.learner_type.integer_metrics):
                check_whole_numbers(name, numbers[name])
            for name in (*self.recipe.learner_type.curves.values(), *self.incumbent_columns):
                if np.isnan(numbers[name]).any():
                    raise ValueError(f"the column {name} has an empty cell")
            return {name: numbers[name] for name in self.columns}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of `metrics.csv`."""
        return self.recipe.learner_type(self.recipe).columns

    @property
    def incumbent_columns(self) -> list[str]:
        """Names of the columns of `metrics.csv` that have the parameters of the incumbent."""
        return [name for name in self.columns if name.startswith(INCUMBENT_PREFIX)]

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
        from tetrion.lab.training_plots import render_run  # imported late: plots are drawn by a package above this one

        return render_run(self)

    @property
    def incumbents(self) -> NumpyArray:
        """Parameters of the incumbent, one row per generation or episode; TD learning has none."""
        columns = [self.metrics[name] for name in self.incumbent_columns]
        return np.column_stack(columns) if columns else np.zeros((self.generation_count, 0))

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
        return tuple(name.removeprefix(INCUMBENT_PREFIX) for name in self.incumbent_columns)

    def load_population(self, number: int) -> GenerationTable:
        """Return the candidates of a generation; `number` counts from 0."""
        path = self.find_generation_file(number)
        name = f"{POPULATION_FOLDER}/{path.name}"
        with self.translate_read_errors(name):
            header, table = parse_number_table(self.read_file(name, MAX_TABLE_BYTES), _MAX_CANDIDATES)
            expected = len(CANDIDATE_COLUMNS) + len(self.parameter_names)
            if len(header) != expected or not len(table) or np.isnan(table).any():
                raise ValueError(f"expected one or more rows of {expected} numbers")
            check_whole_numbers(CANDIDATE_COLUMNS[2], table[:, 2])
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
