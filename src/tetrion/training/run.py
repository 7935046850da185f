"""A run: the folder written by training, opened for reading. Its files may come from anyone and are checked."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
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
from tetrion.data_files import MAX_DATA_FILE_BYTES, DataFileError, check_values, parse_json, parse_toml, read_data_file
from tetrion.errors import RunError, TetrionError, describe_value
from tetrion.evaluation.number_format import format_mean_interval
from tetrion.notebook_display import make_short_repr
from tetrion.text_cleaning import clean_name, clean_text
from tetrion.training.learner import INCUMBENT_PREFIX, MAX_STEPS, GenerationTable
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe import Recipe

STATUS_CREATED = "created"
STATUS_RUNNING = "running"
STATUS_STOPPED = "stopped"
STATUS_FINISHED = "finished"
MAX_MEASURED_NUMBER = 1e100  # larger numbers do not occur, and would overflow in calculations with them
_MAX_ENTRIES = 2000  # of a table or a list, such as the finalists
_MAX_GIVEN_LENGTH = 60  # characters of an invalid value in a message

Check = Callable[[Any, str], Any]
"""Returns a valid value, cleaned; raises ValueError with the place and what was expected for an invalid one."""


def make_check(
    expected: str, is_valid: Callable[[Any], bool], clean: Callable[[Any], Any] = lambda value: value
) -> Check:
    """Return a check of a single value; `expected` describes the valid ones."""

    def check(value: Any, place: str) -> Any:
        if not is_valid(value):
            raise ValueError(f"{place} must be {expected}; given {clean_text(repr(value), _MAX_GIVEN_LENGTH)}")
        return clean(value)

    return check


def is_number(value: Any) -> bool:
    """Return whether a value is a number that calculations can use."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_MEASURED_NUMBER


check_number = make_check("a number", is_number)
check_time = make_check("a number of seconds", lambda value: is_number(value) and 0 <= value <= 1e12)
check_count = make_check("a whole number from 0", lambda value: type(value) is int and 0 <= value < 2**63)
check_label = make_check("a text", lambda value: isinstance(value, str), clean_name)
check_description = make_check("a text", lambda value: isinstance(value, str), clean_text)
check_status = make_check(
    "one of created, running, stopped, finished",
    lambda value: isinstance(value, str) and value in (STATUS_CREATED, STATUS_RUNNING, STATUS_STOPPED, STATUS_FINISHED),
)
_check_table = make_check("a table", lambda value: isinstance(value, Mapping) and len(value) <= _MAX_ENTRIES)
_check_list = make_check("a list", lambda value: isinstance(value, list) and len(value) <= _MAX_ENTRIES)


def allow_null(check: Check) -> Check:
    """Return a check that also allows null."""
    return lambda value, place: None if value is None else check(value, place)


def make_list_check(check: Check) -> Check:
    """Return a check of a list whose elements pass a check."""
    return lambda value, place: [
        check(part, f"{place}[{index}]") for index, part in enumerate(_check_list(value, place))
    ]


def make_pair_check(first: Check, second: Check) -> Check:
    """Return a check of a list of two values."""

    def check(value: Any, place: str) -> list[Any]:
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError(f"{place} must be a list of two numbers")
        return [first(value[0], f"{place}[0]"), second(value[1], f"{place}[1]")]

    return check


def make_table_check(check: Check, min_entries: int = 0) -> Check:
    """Return a check of a table with any names, whose values pass a check."""

    def check_table(value: Any, place: str) -> dict[str, Any]:
        table = {
            clean_name(name): check(part, f"{place}.{clean_name(name)}")
            for name, part in _check_table(value, place).items()
        }
        if len(table) < min_entries:
            raise ValueError(f"{place} must have at least {min_entries} entry")
        return table

    return check_table


def make_fields_check(fields: Mapping[str, Check], optional: Mapping[str, Check] = MappingProxyType({})) -> Check:
    """Return a check of a table with these fields; all but the optional ones are required, and others are ignored."""

    def check(value: Any, place: str) -> dict[str, Any]:
        table = _check_table(value, place)
        prefix = f"{place}." if place != _WHOLE_FILE else ""
        if missing := [name for name in fields if name not in table]:
            raise ValueError(f"the key {prefix}{missing[0]} is missing")
        present = {**fields, **{name: part_check for name, part_check in optional.items() if name in table}}
        return {name: part_check(table[name], f"{prefix}{name}") for name, part_check in present.items()}

    return check


_WHOLE_FILE = "the content"
_METRICS = ("lines", "score", "pieces")  # of a game
_check_versions = make_table_check(check_label)
_check_statistics = make_fields_check(
    {
        "mean": allow_null(check_number),  # null if no game ended
        "ci95": allow_null(make_pair_check(check_number, allow_null(check_number))),  # null: fewer than three games
        **dict.fromkeys(("median", "q1", "q3", "min", "max"), check_number),
    }
)
_check_uncorrected_mean = make_fields_check(
    {"mean": check_number, "ci95": allow_null(make_pair_check(check_number, check_number))}
)

_check_rate = make_fields_check(
    {"mean": allow_null(check_number), "ci95": allow_null(make_pair_check(check_number, check_number))}
)

_META_FIELDS: dict[str, Check] = {
    "format": check_count,
    "started": check_label,
    "earlier_versions": make_list_check(_check_versions),
    "status": check_status,
    "recipe": check_label,
    "seed": check_count,
    "generations": check_count,
    "workers": check_label,
    "seconds": check_time,
    **dict.fromkeys(("updated", "host", "system", "processor", "commit"), check_label),
    "versions": _check_versions,
}
_HELD_OUT_FIELDS: dict[str, Check] = {
    "agent": check_label,
    "rules": check_description,
    **dict.fromkeys(("rules_version", "seed", "games", "deaths", "capped"), check_count),
    **dict.fromkeys(_METRICS, _check_statistics),
    **dict.fromkeys(("points_per_line", "normalised_variance", "tetris_rate"), allow_null(check_number)),
}
_RESULT_FIELDS: dict[str, Check] = {
    "origin": check_label,
    "parameters": make_table_check(check_number, 0),
    "uncorrected": make_fields_check(dict.fromkeys(_METRICS, _check_uncorrected_mean)),
    "held_out": make_fields_check(_HELD_OUT_FIELDS, {"modern": make_table_check(_check_rate)}),
    "finalists": make_table_check(check_number, 1),
    "crowd": make_table_check(check_number),
    "note": check_description,
}
_CROWD_EXPERTS = {
    "experts",
    "average expert",
    "best expert",
}  # in a crowd that is not empty, with the crowds themselves


def parse_meta(content: bytes) -> dict[str, Any]:
    """Return the valid fields of a `meta.json`; the others are left out, because none of them is essential."""
    try:
        meta = parse_json(content, check_numbers=False)
    except DataFileError:
        return {}
    if not isinstance(meta, dict):
        return {}
    valid: dict[str, Any] = {}
    for name, value in meta.items():
        try:
            check_values(value)
            valid[name] = _META_FIELDS[name](value, name)
        except (KeyError, ValueError):
            continue
    return valid


def parse_result(content: bytes) -> dict[str, Any]:
    """Return the content of a `result.json`; raise ValueError if it is invalid."""
    table = _check_table(parse_json(content), _WHOLE_FILE)
    result: dict[str, Any] = make_fields_check(_RESULT_FIELDS)(table, _WHOLE_FILE)
    for metric in _METRICS:
        check_estimate(result["held_out"], metric)
    crowd = result["crowd"]
    if crowd and not crowd.keys() > _CROWD_EXPERTS:
        raise ValueError(f"crowd must have {', '.join(sorted(_CROWD_EXPERTS))} and a crowd, or be empty")
    return result


def check_estimate(held_out: Mapping[str, Any], metric: str) -> None:
    """Raise ValueError if the mean of capped games and its interval do not fit together."""
    interval = held_out[metric]["ci95"]
    is_open = interval is not None and interval[1] is None
    if (interval is None and held_out["capped"]) or is_open != (held_out[metric]["mean"] is None):
        raise ValueError(f"held_out.{metric} must have an interval, without an upper end only if the mean is null")


MAX_TABLE_BYTES = 256_000_000
_MAX_COLUMNS = 1000


def parse_number_table(content: bytes, max_rows: int) -> tuple[list[str], NumpyArray]:
    """Return the names of the columns and the numbers of a CSV file, one row per line; empty cells are NaN.

    A last line without a line end is ignored, because a process may be writing it. ValueError says what is wrong.
    """
    text = content[: content.rfind(b"\n") + 1].decode()
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = next(reader, [])
        if not 0 < len(header) <= _MAX_COLUMNS:
            raise ValueError(f"expected 1 to {_MAX_COLUMNS:,} columns; given {len(header):,}")
        rows: list[list[float]] = []
        for row in reader:
            if len(rows) == max_rows:
                raise ValueError(f"expected at most {max_rows:,} rows")
            rows.append(parse_row(row, header, reader.line_num))
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None
    table = np.array(rows, np.float64).reshape(len(rows), len(header))
    too_large = np.abs(table) > MAX_MEASURED_NUMBER
    if too_large.any():
        row, column = np.argwhere(too_large)[0]
        raise ValueError(
            f"line {row + 2}: expected a finite number up to {MAX_MEASURED_NUMBER:g} in the column "
            f"{clean_name(header[column])}; given {table[row, column]}"
        )
    return header, table


def parse_row(row: list[str], header: list[str], line: int) -> list[float]:
    """Return the numbers of a row; raise ValueError if one is missing or invalid."""
    if len(row) != len(header):
        raise ValueError(f"line {line}: expected {len(header):,} cells; given {len(row):,}")
    try:
        return [float(cell) if cell else np.nan for cell in row]
    except ValueError:
        raise ValueError(f"line {line}: expected numbers; given '{clean_name(','.join(row))}'") from None


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
            numbers = {name: table[:, index] for index, name in enumerate(header)}
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
            f"{self.generation_count - 1:,}; given {describe_value(number)}."
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
