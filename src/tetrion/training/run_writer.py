"""Writing the folder of a run after each generation, with the versions of everything that its numbers depend on."""

import csv
import hashlib
import io
import json
import math
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import tetrion
from tetrion.agents.agent_files import encode_agent
from tetrion.agents.run_folders import BEST_AGENT_FILE, CONFIG_FILE, SEED_FOLDER_PREFIX, find_free_folder
from tetrion.atomic_files import PART_SUFFIX, write_atomically
from tetrion.data_files import refuse_link
from tetrion.engine.rules import RULES_VERSION
from tetrion.errors import RunError
from tetrion.evaluation.machine import get_processor_name
from tetrion.evaluation.number_format import format_count
from tetrion.text_cleaning import join_command
from tetrion.training.checkpoint import (
    CHECKPOINT_FILE,
    CHECKPOINT_FILES,
    PREVIOUS_CHECKPOINT_FILE,
    HistoryWriter,
    count_saved_steps,
    encode_recipe,
    update_checkpoint_recipe,
    write_checkpoint,
)
from tetrion.training.learner import GenerationTable, Learner
from tetrion.training.run import (
    CANDIDATE_COLUMNS,
    GENERATION_FILE_PATTERN,
    META_FILE,
    METRICS_FILE,
    POPULATION_FOLDER,
    RESULT_FILE,
    STATUS_CREATED,
    STATUS_FINISHED,
    STATUS_RUNNING,
    STATUS_STOPPED,
    Run,
    get_generation_file,
)
from tetrion.training.validation import TrainingResult

VERSIONED_PACKAGES = ("tetrion", "numpy", "numba", "cmaes")
HASHED_FOLDERS = ("engine", "agents", "evaluation", "training")  # folders whose code affects the result of a run
VERSION_LABELS = {"arithmetic": "linear algebra results (BLAS/LAPACK)"}  # how messages name a key of the versions
PACKAGE_FOLDER = Path(tetrion.__file__).parent


@cache
def get_versions() -> Mapping[str, str]:
    """Return the versions of everything that the numbers of a run depend on."""
    return {
        "python": platform.python_version(),
        **{name: get_version(name) for name in VERSIONED_PACKAGES},
        "rules": str(RULES_VERSION),
        "code": compute_code_hash(),
        "arithmetic": compute_arithmetic_hash(),
    }


def get_version(package: str) -> str:
    """Return the version of a package, or "not installed"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def compute_arithmetic_hash() -> str:
    """Return a short hash of an eigendecomposition on this machine; CMA-ES depends on it to the last bit."""
    matrix = np.sin(np.arange(400.0)).reshape(20, 20)
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    return hashlib.sha256(values.tobytes() + vectors.tobytes()).hexdigest()[:16]


@cache
def compute_code_hash() -> str:
    """Return a short hash of the code that affects the result of a run."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in HASHED_FOLDERS for path in (PACKAGE_FOLDER / folder).rglob("*.py")):
        digest.update(path.relative_to(PACKAGE_FOLDER).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def describe_differences(run_versions: object) -> list[str]:
    """Return one phrase per difference between the versions of a run and the current ones."""
    if not isinstance(run_versions, Mapping):
        return ["the versions of the run are unknown"]
    return [
        f"{VERSION_LABELS.get(name, name)} was {run_versions.get(name)}, now {current}"
        for name, current in get_versions().items()
        if run_versions.get(name) != current
    ]


@cache
def get_commit() -> str:
    """Return the git commit of the source tree; empty if it is not a repository."""
    if not (PACKAGE_FOLDER.parent.parent / ".git").exists():
        return ""
    try:
        process = subprocess.run(
            ["git", "-C", str(PACKAGE_FOLDER), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return process.stdout.strip()


RUN_FORMAT = 1


class RunWriter:
    """Writes the folder of a run during training."""

    def __init__(
        self, folder: Path, learner: Learner, meta: dict[str, Any] | None = None, workers_description: str = ""
    ) -> None:
        self.folder = folder
        self.learner = learner
        self.workers_description = workers_description
        self.meta: dict[str, Any] = {"format": RUN_FORMAT, "started": format_current_time(), **(meta or {})}
        self.start_time = time.perf_counter()
        self.earlier_seconds = self.meta.get("seconds", 0.0)
        if (last_versions := self.meta.get("versions", get_versions())) != get_versions():
            self.meta["earlier_versions"] = [*self.meta.get("earlier_versions", []), last_versions]
        self.history = HistoryWriter(folder, learner)

    def create_folder(self) -> None:
        """Create the folder of a new run, from which training can be resumed."""
        refuse_link(self.folder / POPULATION_FOLDER)
        with explain_new_folder_errors(self.folder):
            (self.folder / POPULATION_FOLDER).mkdir(parents=True, exist_ok=True)
            for name in CHECKPOINT_FILES:  # left by a process killed while creating a run
                (self.folder / name).unlink(missing_ok=True)
            self.history.write_files()
            self.write_metrics()
            self.write_meta(STATUS_CREATED)
            self.write_checkpoint()
            # The config file is written last, because it makes the folder a run.
            write_atomically(self.folder / CONFIG_FILE, self.learner.recipe.to_toml().encode())

    def update_recipe(self) -> None:
        """Write the recipe of the learner to `config.toml` and to the checkpoints that have another one."""
        recipe = self.learner.recipe
        with self.translate_write_errors():
            if Run(self.folder).recipe != recipe:
                write_atomically(self.folder / CONFIG_FILE, recipe.to_toml().encode(), durable=True)
            for name in CHECKPOINT_FILES:
                update_checkpoint_recipe(self.folder / name, recipe)

    def prepare_resume(self, *, is_from_last_checkpoint: bool = True) -> None:
        """Reset the folder of a run to the state of its learner; the result of a run that becomes longer is removed."""
        generations = len(self.learner.metric_rows)
        refuse_link(self.folder / POPULATION_FOLDER)
        with self.translate_write_errors():
            (self.folder / POPULATION_FOLDER).mkdir(exist_ok=True)
            for partial_file in [*self.folder.rglob(f".*{PART_SUFFIX}")]:
                partial_file.unlink()
            for path in (self.folder / POPULATION_FOLDER).iterdir():
                if (match := GENERATION_FILE_PATTERN.fullmatch(path.name)) and int(match[1]) > generations:
                    path.unlink()
            if not is_from_last_checkpoint:  # an unusable file must not replace the previous one
                (self.folder / CHECKPOINT_FILE).unlink(missing_ok=True)
            self.history.write_files()
            self.write_metrics()
            self.write_meta(STATUS_RUNNING)
            if not self.learner.is_done():
                (self.folder / RESULT_FILE).unlink(missing_ok=True)

    def write_generation(self, table: GenerationTable | None) -> None:
        """Write the files of a generation, with the checkpoint last.

        The history and the metrics grow by a row; a row that is written without its checkpoint is removed by
        `prepare_resume`.
        """
        number = len(self.learner.metric_rows) - 1
        with self.translate_write_errors():
            if table is not None:
                write_atomically(get_generation_file(self.folder, number), self.encode_candidates(table), durable=True)
            self.history.append_steps()
            with (self.folder / METRICS_FILE).open("ab") as file:
                file.write(self.encode_metrics(self.learner.metric_rows[-1:]))
            write_atomically(self.folder / BEST_AGENT_FILE, encode_agent(self.learner.make_best_agent()))
            self.write_meta(STATUS_RUNNING)
            self.write_checkpoint()

    def write_result(self, result: TrainingResult) -> None:
        """Write the result of the run."""
        with self.translate_write_errors():
            write_atomically(self.folder / BEST_AGENT_FILE, encode_agent(result.best_finalist.agent))
            content = json.dumps({"format": RUN_FORMAT, **result.to_json()}, indent=2, ensure_ascii=False)
            write_atomically(self.folder / RESULT_FILE, f"{content}\n".encode())
            self.write_meta(STATUS_FINISHED)

    def mark_stopped(self) -> None:
        """Write the status "stopped"."""
        with self.translate_write_errors():
            self.write_meta(STATUS_STOPPED)

    @contextmanager
    def translate_write_errors(self) -> Iterator[None]:
        """Raise a RunError if the folder of the run cannot be written: why, what is saved, and how to resume."""
        try:
            yield
        except OSError as error:
            problem = f"{self.folder} cannot be written: {error.strerror or error}."
            saved = count_saved_steps(self.folder)
            if saved is None:
                raise RunError(
                    f"{problem} It was moved, deleted or damaged during training, so that its finished "
                    f"{self.learner.step_name}s cannot be resumed. Put it back, or start a new run."
                ) from None
            description = describe_saved_steps(saved, self.learner.step_name)
            call = format_resume_call(self.folder)
            raise RunError(f"{problem} {description}. Fix this and resume with `{call}`.") from None

    def write_checkpoint(self) -> None:
        """Write the state of the learner and the recipe, from which training can be resumed."""
        state = self.learner.get_state() | self.history.get_state() | encode_recipe(self.learner.recipe)
        write_checkpoint(self.folder, state)

    def write_metrics(self) -> None:
        """Write `metrics.csv`, with one row per generation or episode."""
        header = f"{','.join(self.learner.columns)}\n".encode()
        write_atomically(self.folder / METRICS_FILE, header + self.encode_metrics(self.learner.metric_rows))

    def write_meta(self, status: str) -> None:
        """Write `meta.json`: status, times, machine and versions."""
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

    def encode_metrics(self, rows: Sequence[Sequence[float]]) -> bytes:
        """Return rows of `metrics.csv`; NaN becomes an empty cell."""
        integers = {self.learner.step_name, *self.learner.integer_metrics}
        columns = self.learner.columns
        lines = [
            ",".join(
                "" if math.isnan(value) else str(int(value)) if name in integers else repr(float(value))
                for name, value in zip(columns, row, strict=True)
            )
            for row in rows
        ]
        return "".join(f"{line}\n" for line in lines).encode()

    def encode_candidates(self, table: GenerationTable) -> bytes:
        """Return the content of the CSV file with the candidates of a generation."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*CANDIDATE_COLUMNS, *self.learner.parameter_names])
        for number, (candidate, fitness, games) in enumerate(zip(*table, strict=True)):
            writer.writerow([number, repr(float(fitness)), int(games), *map(repr, candidate.tolist())])
        return file.getvalue().encode()


@contextmanager
def explain_new_folder_errors(folder: Path) -> Iterator[None]:
    """Raise a RunError if the folder of a new run cannot be written."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{folder} cannot be written: {error.strerror or error}. Choose another folder.") from None


def describe_saved_steps(count: int, step_name: str) -> str:
    """Return a sentence part about saved steps, such as "2 finished generations are saved"."""
    return f"{format_count(count, f'finished {step_name}')} {'is' if count == 1 else 'are'} saved"


def format_resume_call(folder: Path) -> str:
    """Return the Python call that resumes a run."""
    return f"tetrion.resume({str(folder)!r})"


def format_resume_command(folder: Path) -> str:
    """Return the command that resumes a run, or all runs of a folder of several seeds."""
    target = folder.parent if folder.name.startswith(SEED_FOLDER_PREFIX) else folder
    return join_command("tetrion", "train", "--resume", str(target))


def format_current_time() -> str:
    """Return the current time in UTC, in ISO 8601 format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def copy_run(folder: Path) -> Path:
    """Copy a run to a folder next to it, named after its number of generations, and return that folder.

    A copy that exists already is not made again. The checkpoint is copied first and the configuration last, so that the
    copy can be resumed from its checkpoint even if the run is written to at the same time.
    """
    copy = folder.with_name(f"{folder.name}-after-{Run(folder).generation_count}")
    if (copy / CONFIG_FILE).exists():
        return copy
    copy = find_free_folder(copy.parent, copy.name)  # an existing one may have links to other files
    ignored = shutil.ignore_patterns(PREVIOUS_CHECKPOINT_FILE, CHECKPOINT_FILE, CONFIG_FILE, "*.part")
    try:
        copy.mkdir()
        for name in (PREVIOUS_CHECKPOINT_FILE, CHECKPOINT_FILE):
            if (folder / name).exists():
                shutil.copy2(folder / name, copy / name, follow_symlinks=False)
        # Links stay links: one may lead to a device that never ends.
        shutil.copytree(folder, copy, symlinks=True, dirs_exist_ok=True, ignore=ignored)
        shutil.copy2(folder / CONFIG_FILE, copy / CONFIG_FILE, follow_symlinks=False)
    except (OSError, shutil.Error) as error:
        raise RunError(f"{folder} cannot be copied to {copy}: {error}") from None
    return copy
