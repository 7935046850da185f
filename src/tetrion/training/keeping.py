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

from tetrion.agents.files import as_bytes
from tetrion.agents.names import BEST
from tetrion.errors import RunError
from tetrion.evaluation.machine import processor
from tetrion.files import PART, write_whole
from tetrion.training.checkpoint import BEFORE, CHECKPOINT, write_checkpoint
from tetrion.training.judging import Result
from tetrion.training.learner import Learner, Table
from tetrion.training.run import (
    BEGUN,
    CANDIDATE,
    CONFIG,
    FINISHED,
    GENERATION,
    META,
    METRICS,
    POPULATION,
    RESULT,
    RUNNING,
    SEED,
    STOPPED,
    generation_file,
)
from tetrion.training.versions import commit, versions

FORMAT = 1


class Keeper:
    """Writes a run's folder while its learner learns."""

    def __init__(self, folder: Path, learner: Learner, meta: dict[str, Any] | None = None, workers: str = "") -> None:
        self.folder, self.learner, self.workers = folder, learner, workers
        self.meta: dict[str, Any] = {"format": FORMAT, "started": now(), **(meta or {})}
        seconds, earlier = self.meta.get("seconds"), self.meta.get("earlier_versions")
        self.start, self.before = time.perf_counter(), seconds if isinstance(seconds, int | float) else 0.0
        if (made_with := self.meta.get("versions", versions())) != versions():
            self.meta["earlier_versions"] = [*(earlier if isinstance(earlier, list) else []), made_with]
        self.lines = [",".join(learner.columns), *(self.line(row) for row in learner.rows)]

    def begin(self) -> None:
        """Make the folder of a new run, from which it can be resumed at once."""
        with keeping(self.folder):
            (self.folder / POPULATION).mkdir(parents=True, exist_ok=True)
            for left_over in (CHECKPOINT, BEFORE):  # by a run that was killed while it was begun
                (self.folder / left_over).unlink(missing_ok=True)
            self.write_metrics()
            self.write_meta(BEGUN)
            self.write_checkpoint()
            write_whole(self.folder / CONFIG, self.learner.recipe.to_toml().encode())  # last: now it is a run

    def take_up(self) -> None:
        """Bring the folder of a run that goes on to its last checkpoint."""
        with keeping(self.folder, len(self.learner.rows)):
            (self.folder / POPULATION).mkdir(exist_ok=True)
            for part in [*self.folder.rglob(f".*{PART}")]:
                part.unlink()
            for path in (self.folder / POPULATION).iterdir():
                if (match := GENERATION.fullmatch(path.name)) and int(match[1]) > len(self.learner.rows):
                    path.unlink()
            self.write_metrics()
            self.write_meta(RUNNING)

    def keep(self, table: Table | None) -> None:
        """Keep a generation; the checkpoint comes last."""
        number = len(self.learner.rows) - 1
        self.lines.append(self.line(self.learner.rows[-1]))
        with keeping(self.folder, number):
            if table is not None:
                write_whole(generation_file(self.folder, number), self.candidates(table), durable=True)
            self.write_metrics()
            write_whole(self.folder / BEST, as_bytes(self.learner.best()))
            self.write_meta(RUNNING)
            self.write_checkpoint()

    def finish(self, result: Result) -> None:
        """Keep what the run came to."""
        with keeping(self.folder, len(self.learner.rows)):
            write_whole(self.folder / BEST, as_bytes(result.best.agent))
            content = json.dumps({"format": FORMAT, **result.to_json()}, indent=2, ensure_ascii=False)
            write_whole(self.folder / RESULT, f"{content}\n".encode())
            self.write_meta(FINISHED)

    def stop(self) -> None:
        """Note that somebody stopped it."""
        with keeping(self.folder, len(self.learner.rows)):
            self.write_meta(STOPPED)

    def write_checkpoint(self) -> None:
        """Keep all that is needed to go on, the recipe included."""
        recipe = self.learner.recipe.to_toml().encode()
        write_checkpoint(self.folder, self.learner.state() | {"recipe": np.frombuffer(recipe, np.uint8)})

    def write_metrics(self) -> None:
        """Keep a row a generation."""
        write_whole(self.folder / METRICS, ("\n".join(self.lines) + "\n").encode())

    def write_meta(self, status: str) -> None:
        """Keep what depends on when and where."""
        self.meta |= {
            "status": status,
            "recipe": self.learner.recipe.name,
            "seed": self.learner.recipe.seed,
            "generations": len(self.learner.rows),
            "workers": self.workers,
            "seconds": round(self.before + time.perf_counter() - self.start, 3),
            "updated": now(),
            "host": platform.node(),
            "system": platform.platform(),
            "processor": processor(),
            "commit": commit(),
            "versions": versions(),
        }
        write_whole(self.folder / META, (json.dumps(self.meta, indent=2, ensure_ascii=False) + "\n").encode())

    def line(self, row: Any) -> str:
        """A row of the metrics; what is not known is left empty."""
        return ",".join(
            "" if math.isnan(value) else str(int(value)) if name in self.learner.whole else repr(float(value))
            for name, value in zip(self.learner.columns, row, strict=True)
        )

    def candidates(self, table: Table) -> bytes:
        """Every candidate of a generation as a file."""
        file = io.StringIO()
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*CANDIDATE, *self.learner.names])
        for number, (candidate, fitness, games) in enumerate(zip(*table, strict=True)):
            rows.writerow([number, repr(float(fitness)), int(games), *map(repr, candidate.tolist())])
        return file.getvalue().encode()


@contextmanager
def keeping(folder: Path, number: int | None = None) -> Iterator[None]:
    """Say it in our words if a run cannot be written, and what is safe."""
    try:
        yield
    except OSError as problem:
        reason = problem.strerror or problem
        if number is None:
            raise RunError(f"{folder} cannot be written: {reason}. Give another place to --out.") from None
        kept = f"{number:,} finished generation{'s'[: number != 1]} {'are' if number != 1 else 'is'} kept"
        raise RunError(
            f"{folder} cannot be written: {reason}. {kept}. When it can be, go on: {resuming(folder)}"
        ) from None


def resuming(folder: Path) -> str:
    """The command that goes on with a run, or with all of several seeds."""
    together = folder.parent if folder.name.startswith(SEED) else folder
    return shlex.join(["tetrion", "train", "--resume", str(together)])


@contextmanager
def locked(folder: Path) -> Iterator[None]:
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


def now() -> str:
    """The time, as people in all places read it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
