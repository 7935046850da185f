"""A document reproduced: measured into a folder, from which a stopped reproduction goes on, and compared row by row."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tetrion.atomic_files import write_atomically
from tetrion.engine.rules import RULES_VERSION
from tetrion.errors import RunError
from tetrion.evaluation.machine import get_processor_name
from tetrion.evaluation.workers import Workers
from tetrion.lab.reproduction.measurements import Measurement, MeasurementContext
from tetrion.lab.reproduction.paper_definition import Claim, MeasurementResults, Paper
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver
from tetrion.training.former_names import is_run_summary, update_run_summary_names
from tetrion.training.run_writer import lock_folder
from tetrion.training.versions import get_versions

REPRODUCTION_FORMAT = 1
DEFAULT_REPRODUCTION_SEED = 1  # if nobody says otherwise
_METADATA_FILE, _MEASUREMENTS_FOLDER = "reproduction.json", "measurements"


class ClaimRow(NamedTuple):
    """A claim, what we find, and whether the two agree; what `varies` is another time on another machine."""

    claim: str
    where: str
    published: str
    ours: str
    basis: str
    agrees: bool
    reason: str
    varies: bool

    @property
    def verdict(self) -> str:
        """The verdict in a word."""
        return "agrees" if self.agrees else "differs"


@dataclass(frozen=True)
class Reproduction:
    """A document and everything that was measured for it."""

    paper: Paper
    seed: int
    is_quick: bool
    results: MeasurementResults
    metadata: Mapping[str, Any]  # when, where and by which version

    @property
    def rows(self) -> list[ClaimRow]:
        """Every claim beside what we find."""
        return [compare_claim(claim, self.results) for claim in self.paper.claims]

    @property
    def answers(self) -> list[tuple[str, str, str]]:
        """What the document left open, where, and our answer."""
        return [(asked.text, asked.location, asked.make_answer(self.results)) for asked in self.paper.questions]

    @property
    def command(self) -> str:
        """What a person types to measure it all again."""
        options = (" --quick" if self.is_quick else "") + (
            "" if self.seed == DEFAULT_REPRODUCTION_SEED else f" --seed {self.seed}"
        )
        return f"tetrion reproduce {self.paper.name}{options}"

    def to_json(self) -> dict[str, Any]:
        """Rows, answers, tables, and how they were made."""
        return {
            "format": REPRODUCTION_FORMAT,
            "paper": self.paper.name,
            "title": self.paper.title,
            "command": self.command,
            "made": dict(self.metadata),
            "rows": [row._asdict() | {"verdict": row.verdict} for row in self.rows],
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
    """A claim compared."""
    ours = claim.read_measured(results)
    verdict = claim.published.compare(ours)
    reason = (
        verdict.reason
        if verdict.agrees or not claim.difference_cause
        else f"{verdict.reason}: {claim.difference_cause}"
    )
    if claim.published_rules:
        reason = f"{reason}; published under other rules ({claim.published_rules})"
    sentence = f"{reason[0].upper()}{reason[1:].removesuffix('.')}."
    shown = claim.published.formatted
    return ClaimRow(
        claim.statement,
        claim.location,
        shown,
        ours.formatted,
        ours.basis,
        verdict.agrees,
        sentence,
        ours.is_machine_dependent,
    )


def reproduce(
    paper: Paper,
    folder: Path,
    workers: Workers,
    *,
    quick: bool = False,
    seed: int = DEFAULT_REPRODUCTION_SEED,
    observer: ReproductionObserver | None = None,
) -> Reproduction:
    """Measure what a paper says into its folder; what is there already, by the same settings, is not measured again."""
    observer = observer or ReproductionObserver()
    made = load_or_create_metadata(folder, paper, seed, quick)
    home = folder / _MEASUREMENTS_FOLDER
    home.mkdir(parents=True, exist_ok=True)
    laboratory = MeasurementContext(home, seed, quick, workers, observer)
    results: dict[str, Any] = {}
    with lock_folder(folder):
        for number, measurement in enumerate(paper.measurements):
            observer.on_measurement_begin(paper.name, measurement.name, number, len(paper.measurements))
            results[measurement.name] = load_or_measure(measurement, laboratory)
    observer.on_finish(paper.name)
    return Reproduction(paper, seed, quick, results, made)


def load_or_create_metadata(folder: Path, paper: Paper, seed: int, quick: bool) -> dict[str, Any]:
    """When and where a reproduction was made, or the error that says that another one lives in the folder."""
    wanted = {"paper": paper.name, "seed": seed, "quick": quick}
    file = folder / _METADATA_FILE
    if file.exists():
        kept = read_json(file) or {}
        if any(kept.get(key) != value for key, value in wanted.items()):
            raise RunError(
                f"{folder} holds another reproduction: {describe_reproduction(kept)}; given {describe_reproduction(wanted)}. Give another --out, "
                "or remove the folder."
            )
        return kept
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunError(f"{folder} is not empty and no reproduction. Give another place to --out.")
    date = datetime.now(UTC).date().isoformat()
    made = {**wanted, "versions": get_versions(), "processor": get_processor_name(), "date": date}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(file, made)
    except OSError as problem:
        raise RunError(f"{folder} cannot be written: {problem.strerror}. Give another place to --out.") from None
    return made


def describe_reproduction(metadata: Mapping[str, Any]) -> str:
    """Which reproduction it is."""
    kind = "quick" if metadata.get("quick") else "full"
    return f"{metadata.get('paper', 'unknown')}, {kind}, seed {metadata.get('seed', 'unknown')}"


def load_or_measure(measurement: Measurement, context: MeasurementContext) -> dict[str, Any]:
    """What a measurement finds, or found before by the same settings."""
    file = context.folder / f"{measurement.name}.json"
    by = {"seed": context.seed, "rules_version": RULES_VERSION, **measurement.settings(context.is_quick)}
    by = to_json_value(by)
    kept = read_json(file)
    if kept is None or kept.get("format") != REPRODUCTION_FORMAT or kept.get("by") != by or "found" not in kept:
        kept = to_json_value({"format": REPRODUCTION_FORMAT, "by": by, "found": measurement.measure(context)})
        write_json(file, kept)
        for part in context.folder.glob(f"{measurement.name}.*.games-*.npy"):
            part.unlink()
    found: dict[str, Any] = kept["found"]
    if isinstance(runs := found.get("runs"), list):
        found["runs"] = [update_run_summary_names(run) if is_run_summary(run) else run for run in runs]
    return found


def read_json(file: Path) -> dict[str, Any] | None:
    """The content of a file of ours; None if there is none, or it is damaged."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def write_json(file: Path, content: Any) -> None:
    """Keep it as a whole."""
    write_atomically(file, (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def to_json_value(value: Any) -> Any:
    """The same as JSON has it: numbers that are none, or infinite, are not there."""
    if isinstance(value, Mapping):
        return {str(key): to_json_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_json_value(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
