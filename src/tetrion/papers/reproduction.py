"""Reproduction of a paper: measured into a folder, resumable, and compared claim by claim."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, parse_json, read_data_file, refuse_link
from tetrion.engine.rules import RULES_VERSION
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation.machine import get_processor_name
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.evaluation.workers import Workers
from tetrion.extras import require
from tetrion.papers.definition import Claim, Paper, Reading
from tetrion.papers.judging import Comparison, DocumentVerdict, Verdict, judge_document
from tetrion.papers.measured_values import (
    MeasuredValue,
    check_expression,
    evaluate_expression,
    parse_interval,
    to_identifier,
)
from tetrion.papers.measurements import Measurement, MeasurementContext
from tetrion.progress import Observer, Progress
from tetrion.text_cleaning import clean_lines
from tetrion.training.folder_locks import lock_folder
from tetrion.training.run_writer import get_versions

if TYPE_CHECKING:
    from jinja2 import Environment

_FORMAT = 1  # of the report, and of the file of a measurement
DEFAULT_REPRODUCTION_SEED = 1
_METADATA_FILE, _MEASUREMENTS_FOLDER = "reproduction.json", "measurements"
_METADATA_TEXTS = ("processor", "date")
# of the file of a measurement, which has the metrics of every generation of many runs
_MAX_BYTES = 200_000_000
_MAX_VALUES = 20_000_000
_MEASURED_KEY = "measured value"  # of a saved MeasuredValue


class ReadingRow(NamedTuple):
    """Another reading of a claim, our value under it, and the verdict and its reason under it alone."""

    condition: str
    measured: str
    basis: str
    verdict: Verdict
    reason: str
    is_fitted: bool
    criterion: str


class ClaimRow(NamedTuple):
    """A claim with the published and the measured value as text, the verdict with its reason, and other readings."""

    name: str
    statement: str
    location: str
    published: str
    measured: str
    basis: str
    verdict: Verdict
    reason: str
    is_machine_dependent: bool
    is_own: bool
    readings: tuple[ReadingRow, ...] = ()
    central: Sequence[str] = ()  # result, published and ours in a few words

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        return {**self._asdict(), "readings": [reading._asdict() for reading in self.readings]}


@dataclass(frozen=True)
class Reproduction:
    """A paper with the results of its measurements, or with saved values of all expressions of its texts.

    `values` collects the values of expressions, so that pages can be written again without the measurements.
    """

    paper: Paper
    seed: int
    is_quick: bool
    results: Mapping[str, Any]  # by the name of the measurement
    metadata: Mapping[str, Any]  # date, processor and versions
    values: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, paper: Paper, content: Mapping[str, Any]) -> "Reproduction":
        """Return a reproduction from its saved values, without measurements."""
        values = {text: restore_value(value) for text, value in content["values"].items()}
        return cls(paper, content["seed"], content["quick"], {}, content["made"], values)

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, such as `becker.lines`."""
        if expression not in self.values:
            if not self.results:
                raise RunError(
                    f"There is no saved value of {expression!r} of {self.paper.name}. `python -m benchmarks.papers "
                    f"{self.paper.name}` measures it."
                )
            names = {to_identifier(name): result for name, result in self.results.items()}
            check_expression(expression, names, self.paper.all_functions)
            self.values[expression] = evaluate_expression(expression, names, self.paper.all_functions)
        return self.values[expression]

    @cached_property
    def rows(self) -> list[ClaimRow]:
        """All claims compared with our results."""
        return [self._compare_claim(claim) for claim in self.paper.claims]

    def get_row(self, name: str) -> ClaimRow:
        """Return the row of a claim by its name."""
        return self.rows[self.paper.claims.index(self.paper.get_claim(name))]

    @property
    def claim_rows(self) -> list[ClaimRow]:
        """The rows of the document's own claims."""
        return [row for row in self.rows if not row.is_own]

    @property
    def central_rows(self) -> list[ClaimRow]:
        """The rows of the central results."""
        return [row for row in self.rows if row.central]

    @property
    def verdict(self) -> DocumentVerdict:
        """Whether the document holds up."""
        return judge_document([row.verdict for row in self.central_rows])

    @property
    def summary(self) -> str:
        """The verdict in a sentence."""
        return self.render_text(self.paper.summary)

    @property
    def command(self) -> str:
        """The command that repeats the reproduction."""
        options = (" --quick" if self.is_quick else "") + (
            "" if self.seed == DEFAULT_REPRODUCTION_SEED else f" --seed {self.seed}"
        )
        return f"tetrion reproduce {self.paper.name}{options}"

    def render_text(self, text: str) -> str:
        """Return a text with the values of its expressions in `{{ }}`."""
        return self.environment.from_string(text).render() if "{" in text else text

    @cached_property
    def environment(self) -> "Environment":
        """The settings of the templates of pages, with what they can use of the reproduction."""
        from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined

        own = [FileSystemLoader(self.paper.folder)] if self.paper.folder else []
        environment = Environment(
            loader=ChoiceLoader([*own, PackageLoader("tetrion.papers")]),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        environment.globals |= {name: format_number(value) for name, value in self.paper.thresholds.items()}
        environment.globals |= {"value": self.evaluate, "row": self.get_row, "reproduction": self, "paper": self.paper}
        environment.filters |= {"percent": format_percent, "number": format_number, "count": format_count}
        environment.filters |= {"cell": escape_cell}
        return environment

    def _compare_claim(self, claim: Claim) -> ClaimRow:
        """Compare a claim with our results, under the default reading and under the other readings."""
        measured = self._measure(claim.measured)
        readings = tuple(self._compare_reading(claim, reading) for reading in claim.readings)
        shown = self.render_text(claim.shown) or format_values(measured)
        cause = self.render_text(claim.cause)
        verdict, reason = judge_claim(claim, claim.criterion.compare(measured), readings, cause)
        if claim.published_rules:
            reason = f"{reason}; published under other rules ({claim.published_rules})"
        return ClaimRow(
            name=claim.name,
            statement=self.render_text(claim.statement),
            location=claim.location,
            published=self._describe_published(claim),
            measured=shown,
            basis="" if claim.shown else describe_basis(measured),
            verdict=verdict,
            reason=format_sentence(reason),
            is_machine_dependent=claim.is_machine_dependent,
            is_own=claim.is_own,
            readings=readings,
            central=[self.render_text(text) for text in (*claim.central, shown)[:3]] if claim.central else (),
        )

    def _compare_reading(self, claim: Claim, reading: Reading) -> ReadingRow:
        """Compare a claim with our results under another reading."""
        measured = self._measure(reading.measured)
        verdict, reason = claim.criterion.compare(measured)
        return ReadingRow(
            condition=self.render_text(reading.condition),
            measured=self.render_text(reading.shown) or format_values(measured),
            basis="" if reading.shown else describe_basis(measured),
            verdict=verdict,
            reason=format_sentence(reason),
            is_fitted=reading.is_fitted,
            criterion=self.render_text(reading.criterion_text),
        )

    def _measure(self, expressions: Sequence[str]) -> MeasuredValue | Sequence[MeasuredValue]:
        """Return the value of an expression, or the values of several; one expression can also give several."""
        if len(expressions) == 1:
            measured: MeasuredValue | Sequence[MeasuredValue] = self.evaluate(expressions[0])
            return measured
        return [self.evaluate(expression) for expression in expressions]

    def _describe_published(self, claim: Claim) -> str:
        """Return the published words with our criterion."""
        words = self.render_text(claim.quotation)
        if criterion := self.render_text(claim.criterion_text):
            words = f"{words}; our criterion: {criterion}" if words else f"our criterion: {criterion}"
        return words

    def to_json(self) -> dict[str, Any]:
        """Return verdict, rows, values and metadata as JSON values."""
        return {
            "format": _FORMAT,
            "paper": self.paper.name,
            "title": self.paper.title,
            "command": self.command,
            "seed": self.seed,
            "quick": self.is_quick,
            "verdict": "" if self.paper.is_study else self.verdict,
            "summary": self.summary,
            "made": dict(self.metadata),
            "rows": [row.to_json() for row in self.rows],
            "values": {text: save_value(value) for text, value in self.values.items()},
        }


def judge_claim(claim: Claim, comparison: Comparison, readings: Sequence[ReadingRow], cause: str = "") -> Comparison:
    """Return the verdict on a claim from the comparison under the default reading and those under other readings."""
    verdict, reason = comparison
    if verdict == Verdict.AGREES:
        return Comparison(Verdict.FITTED, f"{reason}, but {claim.fitted}") if claim.fitted else comparison
    if verdict == Verdict.DIFFERS and cause:
        reason = f"{reason}: {cause}"
    agreeing = [reading for reading in readings if reading.verdict == Verdict.AGREES]
    if verdict == Verdict.DIFFERS and agreeing:
        of_text = [reading for reading in agreeing if not reading.is_fitted]
        conditions = " or if ".join(f"{reading.condition} ({reading.measured})" for reading in of_text or agreeing)
        label = Verdict.OTHER_READING if of_text else Verdict.FITTED
        return Comparison(label, f"{reason}; it agrees if {conditions}")
    return Comparison(verdict, reason)


def format_values(measured: MeasuredValue | Sequence[MeasuredValue]) -> str:
    """Return one or several measured values as text."""
    return str(measured) if isinstance(measured, MeasuredValue) else ", ".join(map(str, measured))


def describe_basis(measured: MeasuredValue | Sequence[MeasuredValue]) -> str:
    """Return what one or several measured values are based on."""
    values = [measured] if isinstance(measured, MeasuredValue) else measured
    return "; ".join(dict.fromkeys(value.basis for value in values if value.basis))


def format_sentence(text: str) -> str:
    """Return a text as a sentence, with a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


def escape_cell(text: object) -> str:
    """Escape a text for a cell of a Markdown table: one line, without unescaped bars or tags."""
    return " ".join(str(text).split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")


def reproduce(
    paper: Paper,
    folder: Path,
    workers: Workers,
    *,
    quick: bool = False,
    seed: int = DEFAULT_REPRODUCTION_SEED,
    on_progress: Observer[Progress] = lambda progress: None,
) -> Reproduction:
    """Measure all claims of a paper; results that the folder already has for the same settings are reused."""
    for library in ("jinja2", "matplotlib"):  # now, not after hours of measuring
        require(library, "the report of a reproduction")
    metadata = load_or_create_metadata(folder, paper, seed, quick)
    measurements_folder = folder / _MEASUREMENTS_FOLDER
    refuse_link(measurements_folder)
    measurements_folder.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {}
    with lock_folder(folder):
        for number, measurement in enumerate(paper.measurements, 1):
            task = f"{paper.name} {number}/{len(paper.measurements)}  {measurement.name}"
            on_progress(Progress(task=task))
            report = partial(report_task, task, on_progress)
            context = MeasurementContext(measurements_folder, seed, quick, workers, report)
            results[measurement.name] = load_or_measure(measurement, context)
    return Reproduction(paper, seed, quick, results, metadata)


def report_task(task: str, on_progress: Observer[Progress], progress: Progress) -> None:
    """Report the progress of a part of a task under the name of the task."""
    on_progress(replace(progress, task=task))


def load_or_create_metadata(folder: Path, paper: Paper, seed: int, quick: bool) -> dict[str, Any]:
    """Return the metadata of the folder's reproduction; raise RunError if it belongs to another one."""
    expected = {"paper": paper.name, "seed": seed, "quick": quick}
    file = folder / _METADATA_FILE
    if file.exists():
        saved = read_json(file)
        if saved is None or not all(isinstance(saved.get(key), str) for key in _METADATA_TEXTS):
            raise RunError(f"{file} is damaged. Choose another `folder`, or delete this one.")
        if any(saved.get(key) != value for key, value in expected.items()):
            raise RunError(
                f"{folder} contains another reproduction: {describe_reproduction(saved)}; "
                f"given {describe_reproduction(expected)}. Choose another `folder`, or delete this one."
            )
        return saved
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunError(f"{folder} is not empty and is not a reproduction. Choose another `folder`.")
    date = datetime.now(UTC).date().isoformat()
    metadata = {**expected, "versions": get_versions(), "processor": get_processor_name(), "date": date}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(file, metadata)
    except OSError as error:
        raise RunError(f"{folder} cannot be written: {error.strerror}. Choose another `folder`.") from None
    return metadata


def describe_reproduction(metadata: Mapping[str, Any]) -> str:
    """Describe a reproduction: paper, budget and seed."""
    kind = "quick" if metadata.get("quick") else "full"
    return f"{metadata.get('paper', 'unknown')}, {kind}, seed {metadata.get('seed', 'unknown')}"


def load_or_measure(measurement: Measurement, context: MeasurementContext) -> dict[str, Any]:
    """Return the saved result of a measurement if its settings are the same, or measure it."""
    file = context.folder / f"{measurement.name}.json"
    settings = {"seed": context.seed, "rules_version": RULES_VERSION, **measurement.get_settings(context.is_quick)}
    settings = to_json_value(settings)
    saved = read_json(file)
    if (
        saved is None
        or saved.get("format") != _FORMAT
        or saved.get("by") != settings
        or not isinstance(saved.get("found"), dict)
    ):
        saved = to_json_value({"format": _FORMAT, "by": settings, "found": measurement.measure(context)})
        write_json(file, saved)
    result: dict[str, Any] = saved["found"]
    return result


@contextmanager
def explain_damaged_measurements(folder: Path) -> Iterator[None]:
    """Raise an error about results that do not have the expected structure as a RunError that names their folder.

    Each measurement has its own structure and users can edit the files, so missing parts are found only when used.
    """
    try:
        yield
    except TetrionError:  # is a ValueError with a complete message
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RunError(
            f"A measurement in {folder / _MEASUREMENTS_FOLDER} is damaged ({type(error).__name__}: {error}). Delete "
            "that folder; the same command measures again."
        ) from error


def read_json(file: Path) -> dict[str, Any] | None:
    """Return the object in a JSON file; None if the file is missing or damaged."""
    try:
        content = parse_json(read_data_file(file, _MAX_BYTES), max_values=_MAX_VALUES)
    except (FileNotFoundError, DataFileError):
        return None
    return content if isinstance(content, dict) else None


def write_json(file: Path, content: Any) -> None:
    """Write JSON into a file, atomically; unprintable characters of its texts are replaced."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomically(file, clean_lines(text).encode())


def to_json_value(value: Any) -> Any:
    """Convert a value to JSON types; numbers that are not finite become None."""
    if isinstance(value, Mapping):
        return {str(key): to_json_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_json_value(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def save_value(value: Any) -> Any:
    """Return the value of an expression as JSON values."""
    if isinstance(value, MeasuredValue):
        return {_MEASURED_KEY: to_json_value(asdict(value))}
    if isinstance(value, Mapping):
        return {str(key): save_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [save_value(part) for part in value]
    return to_json_value(value)


def restore_value(content: Any) -> Any:
    """Return the value of an expression from its saved form."""
    if isinstance(content, list):
        return [restore_value(part) for part in content]
    if not isinstance(content, dict):
        return content
    if set(content) != {_MEASURED_KEY}:
        return {key: restore_value(part) for key, part in content.items()}
    saved = content[_MEASURED_KEY]
    return MeasuredValue(**{**saved, "ci95": parse_interval(saved["ci95"])})
