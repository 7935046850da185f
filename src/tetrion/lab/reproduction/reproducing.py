"""A document reproduced: measured into a folder, from which a stopped reproduction goes on, and compared row by row."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tetrion.engine.rules import VERSION
from tetrion.errors import RunError
from tetrion.evaluation.machine import processor
from tetrion.evaluation.workers import Workers
from tetrion.files import write_whole
from tetrion.lab.reproduction.measuring import Laboratory, Measurement
from tetrion.lab.reproduction.paper import Claim, Paper, Results
from tetrion.lab.reproduction.watching import Watcher
from tetrion.training.keeping import locked
from tetrion.training.versions import versions

FORMAT = 1
SEED = 1  # if nobody says otherwise
ABOUT, MEASUREMENTS = "reproduction.json", "measurements"


class Row(NamedTuple):
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
    quick: bool
    results: Results
    made: Mapping[str, Any]  # when, where and by which version

    @property
    def rows(self) -> list[Row]:
        """Every claim beside what we find."""
        return [row_of(claim, self.results) for claim in self.paper.claims]

    @property
    def answers(self) -> list[tuple[str, str, str]]:
        """What the document left open, where, and our answer."""
        return [(asked.asked, asked.where, asked.answer(self.results)) for asked in self.paper.questions]

    @property
    def command(self) -> str:
        """What a person types to measure it all again."""
        options = (" --quick" if self.quick else "") + ("" if self.seed == SEED else f" --seed {self.seed}")
        return f"tetrion reproduce {self.paper.name}{options}"

    def to_json(self) -> dict[str, Any]:
        """Rows, answers, tables, and how they were made."""
        return {
            "format": FORMAT,
            "paper": self.paper.name,
            "title": self.paper.title,
            "command": self.command,
            "made": dict(self.made),
            "rows": [row._asdict() | {"verdict": row.verdict} for row in self.rows],
            "answers": [dict(zip(("asked", "where", "answer"), answer, strict=True)) for answer in self.answers],
            "tables": [
                {
                    "title": table.title,
                    "heads": list(table.heads),
                    "rows": [list(row) for row in table.rows(self.results)],
                }
                for table in self.paper.tables
            ],
        }


def row_of(claim: Claim, results: Results) -> Row:
    """A claim compared."""
    ours = claim.ours(results)
    verdict = claim.published.verdict(ours)
    reason = verdict.reason if verdict.agrees or not claim.cause else f"{verdict.reason}: {claim.cause}"
    if claim.rules:
        reason = f"{reason}; published under other rules ({claim.rules})"
    sentence = f"{reason[0].upper()}{reason[1:].removesuffix('.')}."
    shown = claim.published.shown
    return Row(claim.what, claim.where, shown, ours.shown, ours.basis, verdict.agrees, sentence, ours.varies)


def reproduce(
    paper: Paper,
    folder: Path,
    workers: Workers,
    *,
    quick: bool = False,
    seed: int = SEED,
    watcher: Watcher | None = None,
) -> Reproduction:
    """Measure what a paper says into its folder; what is there already, by the same settings, is not measured again."""
    watcher = watcher or Watcher()
    made = made_here(folder, paper, seed, quick)
    home = folder / MEASUREMENTS
    home.mkdir(parents=True, exist_ok=True)
    laboratory = Laboratory(home, seed, quick, workers, watcher)
    results: dict[str, Any] = {}
    with locked(folder):
        for number, measurement in enumerate(paper.measurements):
            watcher.begins(paper.name, measurement.name, number, len(paper.measurements))
            results[measurement.name] = measured(measurement, laboratory)
    watcher.ends(paper.name)
    return Reproduction(paper, seed, quick, results, made)


def made_here(folder: Path, paper: Paper, seed: int, quick: bool) -> dict[str, Any]:
    """When and where a reproduction was made, or the error that says that another one lives in the folder."""
    wanted = {"paper": paper.name, "seed": seed, "quick": quick}
    file = folder / ABOUT
    if file.exists():
        kept = read(file) or {}
        if any(kept.get(key) != value for key, value in wanted.items()):
            raise RunError(
                f"{folder} holds another reproduction: {in_words(kept)}; given {in_words(wanted)}. Give another --out, "
                "or remove the folder."
            )
        return kept
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunError(f"{folder} is not empty and no reproduction. Give another place to --out.")
    date = datetime.now(UTC).date().isoformat()
    made = {**wanted, "versions": versions(), "processor": processor(), "date": date}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(file, made)
    except OSError as problem:
        raise RunError(f"{folder} cannot be written: {problem.strerror}. Give another place to --out.") from None
    return made


def in_words(about: Mapping[str, Any]) -> str:
    """Which reproduction it is."""
    kind = "quick" if about.get("quick") else "full"
    return f"{about.get('paper', 'unknown')}, {kind}, seed {about.get('seed', 'unknown')}"


def measured(measurement: Measurement, laboratory: Laboratory) -> dict[str, Any]:
    """What a measurement finds, or found before by the same settings."""
    file = laboratory.folder / f"{measurement.name}.json"
    by = {"seed": laboratory.seed, "rules_version": VERSION, **measurement.settings(laboratory.quick)}
    by = plain(by)
    kept = read(file)
    if kept is None or kept.get("format") != FORMAT or kept.get("by") != by or "found" not in kept:
        kept = plain({"format": FORMAT, "by": by, "found": measurement.take(laboratory)})
        write_json(file, kept)
        for part in laboratory.folder.glob(f"{measurement.name}.*.games-*.npy"):
            part.unlink()
    found: dict[str, Any] = kept["found"]
    return found


def read(file: Path) -> dict[str, Any] | None:
    """The content of a file of ours; None if there is none, or it is damaged."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def write_json(file: Path, content: Any) -> None:
    """Keep it as a whole."""
    write_whole(file, (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def plain(value: Any) -> Any:
    """The same as JSON has it: numbers that are none, or infinite, are not there."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
