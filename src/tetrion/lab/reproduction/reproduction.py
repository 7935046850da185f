"""Reproduction of a document: measured into a folder, resumable, and compared claim by claim."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, parse_json, read_data_file, refuse_link
from tetrion.engine.rules import RULES_VERSION
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation.machine import get_processor_name
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.workers import Workers
from tetrion.lab.reproduction.measurements import Measurement, MeasurementContext
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, MeasurementResults, Paper, Reading
from tetrion.lab.reproduction.published_values import Comparison, Verdict
from tetrion.progress import Observer, Progress
from tetrion.text_cleaning import clean_lines
from tetrion.training.folder_locks import lock_folder
from tetrion.training.former_names import is_run_summary, update_run_summary_names
from tetrion.training.versions import get_versions

REPRODUCTION_FORMAT = 1
DEFAULT_REPRODUCTION_SEED = 1
NO_CLAIMS_TEXT = "This is a study of our own, so it has no claims of a document to count."
_METADATA_FILE, _MEASUREMENTS_FOLDER = "reproduction.json", "measurements"
_METADATA_TEXTS = ("processor", "date")
# of the file of a measurement, which has the metrics of every generation of many runs
_MAX_BYTES = 200_000_000
_MAX_VALUES = 20_000_000


class ReadingRow(NamedTuple):
    """Another reading of a claim: its description, our value under it, and the verdict and reason under it alone.

    `published` is the published value with the criterion of the reading; reports of earlier versions have none.
    """

    description: str
    measured: str
    basis: str
    verdict: Verdict
    reason: str
    published: str = ""


class ClaimRow(NamedTuple):
    """A claim, the published and the measured value as text, the verdict with its reason, and the other readings."""

    claim: str
    location: str
    published: str
    measured: str
    basis: str
    verdict: Verdict
    reason: str
    is_machine_dependent: bool
    kind: ClaimKind
    readings: tuple[ReadingRow, ...] = ()
    headline: str = ""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return a row from its saved form."""
        readings = [
            ReadingRow(**{**reading, "verdict": Verdict(reading["verdict"])}) for reading in content.get("readings", ())
        ]
        return cls(
            claim=content["claim"],
            location=content["where"],
            published=content["published"],
            measured=content["ours"],
            basis=content["basis"],
            verdict=Verdict(content["verdict"]),
            reason=content["reason"],
            is_machine_dependent=content["varies"],
            kind=ClaimKind(content.get("kind", ClaimKind.DOCUMENT)),
            readings=tuple(readings),
            headline=content.get("headline", ""),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the row with the keys of the file format."""
        return {
            "claim": self.claim,
            "where": self.location,
            "published": self.published,
            "ours": self.measured,
            "basis": self.basis,
            "agrees": self.verdict == Verdict.AGREES,
            "reason": self.reason,
            "varies": self.is_machine_dependent,
            "verdict": self.verdict.value,
            "kind": self.kind.value,
            "headline": self.headline,
            "readings": [{**reading._asdict(), "verdict": reading.verdict.value} for reading in self.readings],
        }


def count_verdicts(rows: Iterable[ClaimRow]) -> dict[Verdict, int]:
    """Return how many claims of the document have each verdict; other kinds of rows are not counted."""
    verdicts = [row.verdict for row in rows if row.kind == ClaimKind.DOCUMENT]
    return {verdict: verdicts.count(verdict) for verdict in Verdict}


def describe_verdicts(rows: Iterable[ClaimRow]) -> str:
    """Return the verdicts as a sentence: "Of 12 claims, 3 agree, 5 differ, 3 are undecided …"."""
    counts = count_verdicts(rows)
    if not any(counts.values()):
        return NO_CLAIMS_TEXT
    phrases = {
        Verdict.AGREES: ("agrees", "agree"),
        Verdict.DIFFERS: ("differs", "differ"),
        Verdict.UNDECIDED: ("is undecided", "are undecided"),
        Verdict.CHOSEN_READING: ("agrees only under a chosen reading", "agree only under a chosen reading"),
    }
    parts = [f"{count} {phrases[verdict][count != 1]}" for verdict, count in counts.items()]
    return f"Of {format_count(sum(counts.values()), 'claim')}, {', '.join(parts[:-1])} and {parts[-1]}."


@dataclass(frozen=True)
class Reproduction:
    """A document and all results that were measured for it."""

    paper: Paper
    seed: int
    is_quick: bool
    results: MeasurementResults
    metadata: Mapping[str, Any]  # date, processor and versions

    @property
    def rows(self) -> list[ClaimRow]:
        """All claims compared with our results."""
        return [compare_claim(claim, self.results) for claim in self.paper.claims]

    @property
    def answers(self) -> list[tuple[str, str, str]]:
        """Open questions of the document: question, location and our answer."""
        return [
            (question.text, question.location, question.make_answer(self.results)) for question in self.paper.questions
        ]

    @property
    def command(self) -> str:
        """The command that repeats the reproduction."""
        options = (" --quick" if self.is_quick else "") + (
            "" if self.seed == DEFAULT_REPRODUCTION_SEED else f" --seed {self.seed}"
        )
        return f"tetrion reproduce {self.paper.name}{options}"

    def to_json(self) -> dict[str, Any]:
        """Return claims, answers, tables and metadata as JSON values."""
        return {
            "format": REPRODUCTION_FORMAT,
            "paper": self.paper.name,
            "title": self.paper.title,
            "command": self.command,
            "made": dict(self.metadata),
            "rows": [row.to_json() for row in self.rows],
            "answers": [dict(zip(("asked", "where", "answer"), answer, strict=True)) for answer in self.answers],
            "tables": [
                {
                    "title": table.title,
                    "heads": list(table.headers),
                    "rows": [list(row) for row in table.make_rows(self.results)],
                }
                for table in self.paper.tables
            ],
        }


def compare_claim(claim: Claim, results: MeasurementResults) -> ClaimRow:
    """Compare a claim with our results, under the default reading and under the other readings."""
    measured = claim.read_measured(results)
    readings = tuple(compare_reading(claim, reading, results) for reading in claim.readings)
    verdict, reason = judge_claim(claim, claim.published.compare(measured), readings)
    if claim.published_rules:
        reason = f"{reason}; published under other rules ({claim.published_rules})"
    return ClaimRow(
        claim=claim.statement,
        location=claim.location,
        published=claim.published.formatted,
        measured=measured.formatted,
        basis=measured.basis,
        verdict=verdict,
        reason=format_sentence(reason),
        is_machine_dependent=measured.is_machine_dependent,
        kind=claim.kind,
        readings=readings,
        headline=claim.headline,
    )


def compare_reading(claim: Claim, reading: Reading, results: MeasurementResults) -> ReadingRow:
    """Compare a claim with our results under another reading."""
    measured = reading.read_measured(results)
    verdict, reason = claim.published.compare(measured)
    criterion = reading.criterion or claim.published.criterion
    return ReadingRow(
        description=reading.description,
        measured=measured.formatted,
        basis=measured.basis,
        verdict=verdict,
        reason=format_sentence(reason),
        published=replace(claim.published, criterion=criterion).formatted,
    )


def judge_claim(claim: Claim, comparison: Comparison, readings: Sequence[ReadingRow]) -> Comparison:
    """Return the verdict on a claim from the comparison under the default reading and those under other readings."""
    verdict, reason = comparison
    if verdict == Verdict.AGREES:
        if claim.fitted_reading:
            return Comparison(Verdict.CHOSEN_READING, f"{reason}, but {claim.fitted_reading}")
        return comparison
    if verdict == Verdict.DIFFERS and claim.difference_cause:
        reason = f"{reason}: {claim.difference_cause}"
    fitting = [reading for reading in readings if reading.verdict == Verdict.AGREES]
    if verdict == Verdict.DIFFERS and fitting:
        descriptions = " or if ".join(f"{reading.description} ({reading.measured})" for reading in fitting)
        return Comparison(Verdict.CHOSEN_READING, f"{reason}; it agrees if {descriptions}")
    return Comparison(verdict, reason)


def format_sentence(text: str) -> str:
    """Return a text as a sentence, with a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


def reproduce(
    paper: Paper,
    folder: Path,
    workers: Workers,
    *,
    quick: bool = False,
    seed: int = DEFAULT_REPRODUCTION_SEED,
    on_progress: Observer[Progress] = lambda progress: None,
    gpu: Workers | None = None,
) -> Reproduction:
    """Measure all claims of a paper; results that the folder already has for the same settings are reused.

    `gpu` plays the games that are long; the results are identical.
    """
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
            context = MeasurementContext(measurements_folder, seed, quick, workers, report, gpu)
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
        or saved.get("format") != REPRODUCTION_FORMAT
        or saved.get("by") != settings
        or not isinstance(saved.get("found"), dict)
    ):
        saved = to_json_value({"format": REPRODUCTION_FORMAT, "by": settings, "found": measurement.measure(context)})
        write_json(file, saved)
        for batch_file in context.folder.glob(f"{measurement.name}.*.games-*.npy"):
            batch_file.unlink()
    result: dict[str, Any] = saved["found"]
    if isinstance(runs := result.get("runs"), list):
        with explain_damaged_measurements(context.folder.parent):
            result["runs"] = [update_run_summary_names(run) if is_run_summary(run) else run for run in runs]
    return result


@contextmanager
def explain_damaged_measurements(folder: Path) -> Iterator[None]:
    """Raise an error about results that do not have the expected structure as a RunError that names their folder.

    Each measurement has a structure of its own, and files can be edited, so that only its use finds what is missing.
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
