"""Training from a recipe into the folder of a run, and resuming a stopped run."""

import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from tetrion.agents.run_folders import CONFIG_FILE, is_run_folder
from tetrion.atomic_files import PART_SUFFIX
from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.records import GameRecords
from tetrion.errors import AgentError, RunError, TetrionError, VersionError
from tetrion.evaluation.worker_selection import open_workers
from tetrion.evaluation.workers import Workers
from tetrion.progress import Observer, Progress
from tetrion.training.checkpoint import CHECKPOINT_FILES
from tetrion.training.fitness import CandidateGames, TrainingWorkers
from tetrion.training.folder_locks import FolderLocks, lock_folder, lock_folders
from tetrion.training.history_files import HISTORY_FILES, count_saved_steps
from tetrion.training.learner import Learner
from tetrion.training.recipe import Changes, Recipe, list_changes
from tetrion.training.run import META_FILE, METRICS_FILE, POPULATION_FOLDER, Run
from tetrion.training.run_changes import change_end, restore_learner
from tetrion.training.run_writer import (
    RunWriter,
    describe_saved_steps,
    explain_new_folder_errors,
    format_resume_call,
)
from tetrion.training.versions import describe_differences

_RECENT_STEPS = 10  # used to estimate the remaining time
_REPORT_SECONDS = 0.1  # between two reports within a step


@dataclass(frozen=True, kw_only=True)
class TrainingProgress(Progress):
    """The progress of a run, whose units are generations or episodes that have been saved."""

    learner: Learner
    """The learner, with the recipe, the metrics and the incumbents of the run."""
    workers: str
    """Description of the workers that play the games."""
    seconds_per_step: float | None
    """Mean time of the last generations or episodes; None before the end of the first one."""

    @property
    def seconds_left(self) -> float | None:
        """Estimated time until the last generation or episode; None if unknown."""
        if self.pieces_left is not None:
            return super().seconds_left
        return None if self.seconds_per_step is None else (self.planned - self.done) * self.seconds_per_step


def train(
    recipe: Recipe | str | Path,
    out: str | Path,
    *,
    seed: int | None = None,
    changes: Changes = (),
    first_population: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | Workers | None = None,
    device: str = "cpu",
    on_progress: Observer[TrainingProgress] | None = None,
    **settings: Any,
) -> Run:
    """Train with a recipe, given as an object, a name or a TOML file, and write the run into the new folder `out`.

    Further keyword arguments and `changes` are other settings of the recipe, such as `generations=5`; `Recipe.load`
    describes them. `first_population` is a folder of Gavrilov's text files; its last population becomes the first
    generation. `workers`, `executor` and `device` have the same meaning as for `evaluate`: the games are played by
    threads (default: one per core), by an executor or a cluster, or by the GPU. The run is bit-identical in all cases.

    Ctrl-C, a killed process or a full disk lose no finished generation: `resume` continues, with the same result as an
    uninterrupted run. `on_progress` is called with a `TrainingProgress` several times per second and after each
    generation.

    >>> import tempfile, tetrion
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tetrion.train("gavrilov", f"{folder}/run", generations=1, population=10, workers=1).recipe.seed
    0
    """
    recipe = load_recipe(recipe, seed, changes, settings)
    with (
        open_workers(executor, workers, device) as opened_workers,
        create_locked_runs({Path(out): recipe}, first_population=first_population, workers=opened_workers),
    ):
        return resume_locked_run(Path(out), opened_workers, on_progress=on_progress)


def create_run(
    recipe: Recipe | str | Path,
    out: str | Path,
    *,
    seed: int | None = None,
    changes: Changes = (),
    first_population: str | Path | None = None,
    workers: Workers | None = None,
    **settings: Any,
) -> Path:
    """Create the folder of a new run, which `resume` then trains from its first generation; return its path.

    Nothing is created if `workers` cannot play the games of the recipe.
    """
    recipe = load_recipe(recipe, seed, changes, settings)
    with create_locked_runs({Path(out): recipe}, first_population=first_population, workers=workers):
        return Path(out)


def load_recipe(recipe: Recipe | str | Path, seed: int | None, changes: Changes, settings: Mapping[str, Any]) -> Recipe:
    """Return a recipe, given as an object, a name or a TOML file, with other settings."""
    if not isinstance(recipe, Recipe):
        recipe = Recipe.load(recipe, changes, **settings)
    elif changes or settings:
        recipe = recipe.change(changes, **settings)
    return recipe if seed is None else recipe.replace(seed=validate_seed(seed))


@contextmanager
def create_locked_runs(
    recipes: Mapping[Path, Recipe], *, first_population: str | Path | None = None, workers: Workers | None = None
) -> Iterator[FolderLocks]:
    """Create new runs, given by their folders, and keep the folders locked: all of them, or none if one is in use.

    The locks are held before a folder is checked, so that of several processes only one creates a run in it.
    """
    learners = {folder: make_first_learner(recipe, first_population, workers) for folder, recipe in recipes.items()}
    for folder in learners:
        check_new_folder(folder)
    with lock_folders(map(make_new_folder, learners)) as locks:
        for folder in learners:  # another process may have created a run meanwhile
            check_new_folder(folder)
        meta = {} if first_population is None else {"first_population": str(first_population)}
        for folder, learner in learners.items():
            RunWriter(folder, learner, meta).create_folder()
        yield locks


def make_new_folder(folder: Path) -> Path:
    """Make a folder if it does not exist, and return it."""
    with explain_new_folder_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def make_first_learner(recipe: Recipe, first_population: str | Path | None, workers: Workers | None) -> Learner:
    """Return the learner of a new run; raise an error if `workers` cannot play its games."""
    learner = recipe.learner_type(recipe)
    if first_population is not None:
        learner.load_first_population(Path(first_population))
    if workers:
        workers.check_settings(make_first_engine_settings(learner))
    return learner


def resume(
    folder: str | Path,
    *,
    changes: Changes = (),
    workers: int | None = None,
    executor: Executor | Workers | None = None,
    device: str = "cpu",
    allow_other_versions: bool = False,
    on_progress: Observer[TrainingProgress] | None = None,
    **settings: Any,
) -> Run:
    """Resume a run with any number of workers on any device, as for `train`; a finished run is left unchanged.

    Further keyword arguments and `changes` are a new end of the run, such as `generations=60`: the result is
    bit-identical to a run that was started with it. These settings may change: `stop.generations`, `stop.total_pieces`
    and `stop.patience`; for Q-learning, `q-learning.episodes` and `q-learning.total_pieces`.

    Other versions of the code or the libraries may change the result, so they raise VersionError unless
    `allow_other_versions` is true.
    """
    folder = Run(folder).folder  # raises an error if it is not a run
    with lock_folder(folder), open_workers(executor, workers, device) as opened_workers:
        return resume_locked_run(
            folder,
            opened_workers,
            changes=dict([*list_changes(changes), *list_changes(settings)]),
            allow_other_versions=allow_other_versions,
            on_progress=on_progress,
        )


def resume_locked_run(
    folder: Path,
    workers: Workers,
    *,
    changes: Mapping[str, Any] = MappingProxyType({}),
    allow_other_versions: bool = False,
    on_progress: Observer[TrainingProgress] | None = None,
) -> Run:
    """Resume a run whose folder this process has locked; a finished run is left unchanged."""
    run = Run(folder)
    if not allow_other_versions:
        check_versions(run)
    with explain_interrupts(folder, run.step_name):
        if changes:
            run.recipe = change_end(run, changes)
        learner, is_from_last_checkpoint = restore_learner(run, run.recipe)
        writer = RunWriter(folder, learner, run.meta, workers.description)
        writer.update_recipe()
        if run.is_finished and learner.is_done():
            return Run(folder)
        workers.prepare(make_first_engine_settings(learner))  # compile before the time is measured
        learner.prepare(TrainingWorkers(workers))
        writer.prepare_resume(is_from_last_checkpoint=is_from_last_checkpoint)
        return run_training(learner, writer, workers, on_progress)


@contextmanager
def explain_interrupts(folder: Path, step_name: str) -> Iterator[None]:
    """Add a note to a KeyboardInterrupt: what has been saved, and how to resume the run."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        saved = count_saved_steps(folder)
        if saved is not None:
            steps = describe_saved_steps(saved, step_name)
            interrupt.add_note(f"{steps}. Resume with `{format_resume_call(folder)}`.")
        raise


def check_versions(run: Run) -> None:
    """Raise VersionError if a run was trained with other versions of the code or the libraries."""
    if differences := describe_differences(run.meta.get("versions")):
        raise VersionError(
            f"{run.folder} was trained with other versions: {'; '.join(differences)}. Other versions may change the "
            "result. Install the earlier versions, or give `allow_other_versions=True` to resume anyway."
        )


def run_training(
    learner: Learner, writer: RunWriter, workers: Workers, on_progress: Observer[TrainingProgress] | None
) -> Run:
    """Train until the learner is done, saving each step, then select and save the result."""
    reporter = TrainingReporter(learner, workers.description, on_progress)
    training_workers = TrainingWorkers(workers, reporter.report_games, reporter.report_pieces)
    is_resumed = bool(learner.metric_rows)
    try:
        with explain_number_errors(writer.folder, is_resumed=is_resumed):
            reporter.report("Playing")
            while not learner.is_done():
                writer.write_generation(learner.step(training_workers))
                reporter.report_step()
            reporter.report("Playing the final games")
            writer.write_result(learner.select_result(training_workers))
    except BaseException:  # also one that an observer raises
        with suppress(RunError):  # the disk may be full
            writer.mark_stopped()
        raise
    reporter.report("Finished")
    return Run(writer.folder)


@contextmanager
def explain_number_errors(folder: Path, *, is_resumed: bool) -> Iterator[None]:
    """Raise errors about the numbers of a run as errors that name its folder.

    The numbers of a checkpoint are checked when it is read, but some are only invalid together, which calculations with
    them show. In a run that was not resumed, such an error is a mistake of the program and remains as it is.
    """
    try:
        yield
    except AgentError as error:
        raise AgentError(str(error), agent=str(folder)) from None
    except TetrionError:  # is a ValueError with a complete message
        raise
    except (ArithmeticError, ValueError) as error:
        if not is_resumed:
            raise
        raise RunError(
            f"{folder} cannot be trained further: its checkpoints have invalid numbers ({type(error).__name__}: "
            f"{error}). Start a new run with its config.toml as the recipe."
        ) from error


class TrainingReporter:
    """Reports the progress of a run to an observer."""

    def __init__(self, learner: Learner, workers: str, on_progress: Observer[TrainingProgress] | None) -> None:
        self.learner = learner
        self.workers = workers
        self.on_progress = on_progress
        self.task = ""
        self.pieces = 0  # in finished steps
        self.start_time = self.step_start_time = self.report_time = time.perf_counter()
        self.step_seconds = deque[float](maxlen=_RECENT_STEPS)

    def report_games(self, games: GameRecords) -> None:
        """Report the progress within a step."""
        self.report(self.task, int(games["pieces"].sum()))

    def report_pieces(self, pieces: int) -> None:
        """Report the number of pieces placed in a step so far; called as often as it changes."""
        if time.perf_counter() - self.report_time > _REPORT_SECONDS:
            self.report(self.task, pieces)

    def report_step(self) -> None:
        """Report the end of a step, which has been saved."""
        now = time.perf_counter()
        self.step_seconds.append(now - self.step_start_time)
        self.step_start_time = now
        self.pieces += int(self.learner.metric_rows[-1][self.learner.columns.index("pieces")])
        self.report(self.task)

    def report(self, task: str, pieces: int = 0) -> None:
        """Report what is being done, and the number of pieces placed since the last step."""
        self.task = task
        self.report_time = time.perf_counter()
        if not self.on_progress:
            return
        done = len(self.learner.metric_rows)
        planned = done if self.learner.is_done() else self.learner.recipe.planned_steps
        pieces_per_step = self.learner.pieces_per_step
        self.on_progress(
            TrainingProgress(
                task=task,
                done=done,
                planned=planned,
                unit=self.learner.step_name,
                seconds=time.perf_counter() - self.start_time,
                pieces=self.pieces + pieces,
                pieces_left=None if pieces_per_step is None else (planned - done) * pieces_per_step - pieces,
                details=tuple(self.learner.describe_step()),
                learner=self.learner,
                workers=self.workers,
                seconds_per_step=sum(self.step_seconds) / len(self.step_seconds) if self.step_seconds else None,
            )
        )


def make_first_engine_settings(learner: Learner) -> EngineSettings:
    """Return engine settings for the agent of an all-zero candidate, used to check and compile before training."""
    agent = learner.make_agent(np.zeros(len(learner.parameter_names)), learner.recipe.name)
    return CandidateGames([agent], learner.rules, 1).settings


def check_new_folder(folder: Path) -> None:
    """Raise RunError if a new run cannot be created in a folder."""
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file. Choose another folder.")
    files = list(folder.iterdir()) if folder.is_dir() else []  # read once: another process may be creating a run here
    if any(path.name == CONFIG_FILE for path in files) and is_run_folder(folder):
        raise RunError(
            f"{folder} is a run already. Choose another folder, or resume the run. `{format_resume_call(folder)}` "
            "resumes it."
        )
    # A process that is killed while it creates a run may leave these files.
    run_files = (POPULATION_FOLDER, METRICS_FILE, META_FILE, *HISTORY_FILES, *CHECKPOINT_FILES)
    if any(path.name not in run_files and path.suffix != PART_SUFFIX for path in files):
        raise RunError(f"{folder} is not empty and not a run. Choose another folder.")
