"""How a run is kept on disk: whole files only, after every generation, so that nothing finished is ever lost."""

import csv
import io
import json
import math
import os
import platform
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from tetrion.agents.agent_files import encode_agent
from tetrion.agents.agent_loading import BEST_AGENT_FILE
from tetrion.atomic_files import PART_SUFFIX, write_atomically
from tetrion.errors import RunError
from tetrion.evaluation.machine import get_processor_name
from tetrion.training.checkpoint import CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE, write_checkpoint
from tetrion.training.learner import GenerationTable, Learner
from tetrion.training.run import (
    CANDIDATE_COLUMNS,
    CONFIG_FILE,
    GENERATION_FILE_PATTERN,
    META_FILE,
    METRICS_FILE,
    POPULATION_FOLDER,
    RESULT_FILE,
    SEED_FOLDER_PREFIX,
    STATUS_BEGUN,
    STATUS_FINISHED,
    STATUS_RUNNING,
    STATUS_STOPPED,
    get_generation_file,
)
from tetrion.training.validation import TrainingResult
from tetrion.training.versions import get_commit, get_versions

RUN_FORMAT = 1


class RunWriter:
    """Writes a run's folder while its learner learns."""

    def __init__(
        self, folder: Path, learner: Learner, meta: dict[str, Any] | None = None, workers_description: str = ""
    ) -> None:
        self.folder = folder
        self.learner = learner
        self.workers_description = workers_description
        self.meta: dict[str, Any] = {"format": RUN_FORMAT, "started": format_current_time(), **(meta or {})}
        seconds, earlier = self.meta.get("seconds"), self.meta.get("earlier_versions")
        self.start_time = time.perf_counter()
        self.earlier_seconds = seconds if isinstance(seconds, int | float) else 0.0
        if (made_with := self.meta.get("versions", get_versions())) != get_versions():
            self.meta["earlier_versions"] = [*(earlier if isinstance(earlier, list) else []), made_with]
        self.metrics_lines = [",".join(learner.columns), *(self.format_metrics_row(row) for row in learner.metric_rows)]

    def create_folder(self) -> None:
        """Make the folder of a new run, from which it can be resumed at once."""
        with translate_write_errors(self.folder):
            (self.folder / POPULATION_FOLDER).mkdir(parents=True, exist_ok=True)
            for left_over in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):  # by a run that was killed while it was begun
                (self.folder / left_over).unlink(missing_ok=True)
            self.write_metrics()
            self.write_meta(STATUS_BEGUN)
            self.write_checkpoint()
            write_atomically(self.folder / CONFIG_FILE, self.learner.recipe.to_toml().encode())  # last: now it is a run

    def prepare_resume(self) -> None:
        """Bring the folder of a run that goes on to its last checkpoint."""
        with translate_write_errors(self.folder, len(self.learner.metric_rows)):
            (self.folder / POPULATION_FOLDER).mkdir(exist_ok=True)
            for part in [*self.folder.rglob(f".*{PART_SUFFIX}")]:
                part.unlink()
            for path in (self.folder / POPULATION_FOLDER).iterdir():
                if (match := GENERATION_FILE_PATTERN.fullmatch(path.name)) and int(match[1]) > len(
                    self.learner.metric_rows
                ):
                    path.unlink()
            self.write_metrics()
            self.write_meta(STATUS_RUNNING)

    def write_generation(self, table: GenerationTable | None) -> None:
        """Keep a generation; the checkpoint comes last."""
        number = len(self.learner.metric_rows) - 1
        self.metrics_lines.append(self.format_metrics_row(self.learner.metric_rows[-1]))
        with translate_write_errors(self.folder, number):
            if table is not None:
                write_atomically(get_generation_file(self.folder, number), self.encode_candidates(table), durable=True)
            self.write_metrics()
            write_atomically(self.folder / BEST_AGENT_FILE, encode_agent(self.learner.make_best_agent()))
            self.write_meta(STATUS_RUNNING)
            self.write_checkpoint()

    def write_result(self, result: TrainingResult) -> None:
        """Keep what the run came to."""
        with translate_write_errors(self.folder, len(self.learner.metric_rows)):
            write_atomically(self.folder / BEST_AGENT_FILE, encode_agent(result.best_finalist.agent))
            content = json.dumps({"format": RUN_FORMAT, **result.to_json()}, indent=2, ensure_ascii=False)
            write_atomically(self.folder / RESULT_FILE, f"{content}\n".encode())
            self.write_meta(STATUS_FINISHED)

    def mark_stopped(self) -> None:
        """Note that somebody stopped it."""
        with translate_write_errors(self.folder, len(self.learner.metric_rows)):
            self.write_meta(STATUS_STOPPED)

    def write_checkpoint(self) -> None:
        """Keep all that is needed to go on, the recipe included."""
        recipe = self.learner.recipe.to_toml().encode()
        write_checkpoint(self.folder, self.learner.get_state() | {"recipe": np.frombuffer(recipe, np.uint8)})

    def write_metrics(self) -> None:
        """Keep a row a generation."""
        write_atomically(self.folder / METRICS_FILE, ("\n".join(self.metrics_lines) + "\n").encode())

    def write_meta(self, status: str) -> None:
        """Keep what depends on when and where."""
        self.meta |= {
            "status": status,
            "recipe": self.learner.recipe.name,
            "seed": self.learner.recipe.seed,
            "generations": len(self.learner.metric_rows),
            "workers": self.workers_description,
            "seconds": round(self.earlier_seconds + time.perf_counter() - self.start_time, 3),
            "updated": format_current_time(),
            "host": platform.node(),
            "system": platform.platform(),
            "processor": get_processor_name(),
            "commit": get_commit(),
            "versions": get_versions(),
        }
        write_atomically(self.folder / META_FILE, (json.dumps(self.meta, indent=2, ensure_ascii=False) + "\n").encode())

    def format_metrics_row(self, row: Any) -> str:
        """A row of the metrics; what is not known is left empty."""
        return ",".join(
            "" if math.isnan(value) else str(int(value)) if name in self.learner.integer_metrics else repr(float(value))
            for name, value in zip(self.learner.columns, row, strict=True)
        )

    def encode_candidates(self, table: GenerationTable) -> bytes:
        """Every candidate of a generation as a file."""
        file = io.StringIO()
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*CANDIDATE_COLUMNS, *self.learner.parameter_names])
        for number, (candidate, fitness, games) in enumerate(zip(*table, strict=True)):
            rows.writerow([number, repr(float(fitness)), int(games), *map(repr, candidate.tolist())])
        return file.getvalue().encode()


@contextmanager
def translate_write_errors(folder: Path, number: int | None = None) -> Iterator[None]:
    """Say it in our words if a run cannot be written, and what is safe."""
    try:
        yield
    except OSError as problem:
        reason = problem.strerror or problem
        if number is None:
            raise RunError(f"{folder} cannot be written: {reason}. Give another place to --out.") from None
        kept = f"{number:,} finished generation{'s'[: number != 1]} {'are' if number != 1 else 'is'} kept"
        raise RunError(
            f"{folder} cannot be written: {reason}. {kept}. When it can be, go on: {format_resume_command(folder)}"
        ) from None


def format_resume_command(folder: Path) -> str:
    """The command that goes on with a run, or with all of several seeds."""
    together = folder.parent if folder.name.startswith(SEED_FOLDER_PREFIX) else folder
    return shlex.join(["tetrion", "train", "--resume", str(together)])


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Make sure that nobody else works in a folder; where the system has no such locks, trust that nobody does."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # of a file system without locks
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RunError(f"{folder} is in use by another process. Wait for it.") from None
        yield
    finally:
        os.close(handle)


def format_current_time() -> str:
    """The time, as people in all places read it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
