"""Training from a recipe into the folder of a run, and resuming one or several runs."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tetrion.agents.compiled_parts import find_play
from tetrion.agents.run_folders import CONFIG_FILE, is_run_folder
from tetrion.atomic_files import PART_SUFFIX
from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import AgentError, RunError, TetrionError, VersionError
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.progress_bar import observe_progress
from tetrion.evaluation.worker_selection import open_workers
from tetrion.evaluation.workers import PROGRESS_INTERVAL_SECONDS, Workers, start_threads
from tetrion.progress import Observer, Progress
from tetrion.training.checkpoint import CHECKPOINT_FILES, HISTORY_FILES, change_end, count_saved_steps, restore_learner
from tetrion.training.fitness import CandidateGames, TrainingWorkers
from tetrion.training.folder_locks import FolderLocks, lock_folder, lock_folders
from tetrion.training.learner import Learner
from tetrion.training.recipe import Changes, Recipe, list_changes
from tetrion.training.run import META_FILE, METRICS_FILE, POPULATION_FOLDER, Run, read_meta
from tetrion.training.run_writer import (
    RunWriter,
    describe_differences,
    describe_saved_steps,
    explain_new_folder_errors,
    format_resume_call,
)
from tetrion.training.training_progress import TrainingProgress, TrainingReporter


def train(
    recipe: Recipe | str | Path,
    out: str | Path,
    *,
    seed: int | None = None,
    changes: Changes = (),
    workers: int | None = None,
    executor: Executor | Workers | None = None,
    device: str = "cpu",
    progress: bool | None = None,
    on_progress: Observer[TrainingProgress] | None = None,
    **settings: Any,
) -> Run:
    """Train with a recipe, given as an object, a name or a TOML file, and write the run into the new folder `out`.

    Further keyword arguments and `changes` are other settings of the recipe, such as `generations=5`; `Recipe.load`
    describes them. `workers`, `executor` and `device` have the same meaning as for `evaluate`: the games are
    played by threads (default: one per core), by an executor or a cluster, or by the GPU. The run is bit-identical in
    all cases.

    Ctrl-C, a killed process or a full disk lose no finished generation: `resume` continues, with the same result as an
    uninterrupted run. A bar shows the `progress` in notebooks and terminals, or everywhere with True and nowhere with
    False. `on_progress` is called with a `TrainingProgress` several times per second and after each generation, by
    default instead of the bar.

    >>> import tempfile, tetrion
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tetrion.train("gavrilov", f"{folder}/run", generations=1, population=10, workers=1).recipe.seed
    0
    """
    recipe = load_recipe(recipe, seed, changes, settings)
    with (
        open_workers(executor, workers, device) as opened_workers,
        create_locked_runs({Path(out): recipe}, workers=opened_workers),
        observe_progress(recipe.name, progress, on_progress) as observer,
    ):
        return resume_locked_run(Path(out), opened_workers, observer)


def create_run(recipe: Recipe | str | Path, out: str | Path) -> Path:
    """Create the folder of a new run, which `resume` then trains from its first generation; return its path."""
    with create_locked_runs({Path(out): load_recipe(recipe, None, (), {})}):
        return Path(out)


def load_recipe(recipe: Recipe | str | Path, seed: int | None, changes: Changes, settings: Mapping[str, Any]) -> Recipe:
    """Return a recipe, given as an object, a name or a TOML file, with other settings."""
    if not isinstance(recipe, Recipe):
        recipe = Recipe.load(recipe, changes, **settings)
    elif changes or settings:
        recipe = recipe.replace(changes, **settings)
    return recipe if seed is None else recipe.replace(seed=validate_seed(seed))


@contextmanager
def create_locked_runs(recipes: Mapping[Path, Recipe], workers: Workers | None = None) -> Iterator[FolderLocks]:
    """Create new runs, given by their folders, and keep the folders locked: all of them, or none if one is in use.

    The locks are held before a folder is checked, so that of several processes only one creates a run in it.
    """
    learners = {folder: make_first_learner(recipe, workers) for folder, recipe in recipes.items()}
    for folder in learners:
        check_new_folder(folder)
    with lock_folders(map(make_new_folder, learners)) as locks:
        for folder in learners:  # another process may have created a run meanwhile
            check_new_folder(folder)
        for folder, learner in learners.items():
            RunWriter(folder, learner).create_folder()
        yield locks


def make_new_folder(folder: Path) -> Path:
    """Make a folder if it does not exist, and return it."""
    with explain_new_folder_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def make_first_learner(recipe: Recipe, workers: Workers | None) -> Learner:
    """Return the learner of a new run; raise an error if `workers` cannot play its games."""
    learner = recipe.learner_type(recipe)
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
    progress: bool | None = None,
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
    with (
        lock_folder(folder),
        open_workers(executor, workers, device) as opened_workers,
        observe_progress(folder.name, progress, on_progress) as observer,
    ):
        all_changes = dict([*list_changes(changes), *list_changes(settings)])
        check_and_change_runs([Run(folder)], all_changes, allow_other_versions=allow_other_versions)
        return resume_locked_run(folder, opened_workers, observer)


def check_and_change_runs(runs: Sequence[Run], changes: Mapping[str, Any], *, allow_other_versions: bool) -> None:
    """Check the versions of runs that are resumed, and write a new end into their recipes if all of them allow it."""
    if not allow_other_versions:
        for run in runs:
            check_versions(run)
    if changes:
        recipes = [change_end(run, changes) for run in runs]
        for run, recipe in zip(runs, recipes, strict=True):
            RunWriter(run.folder, recipe.learner_type(recipe)).update_recipe()


def resume_locked_run(folder: Path, workers: Workers, on_progress: Observer[TrainingProgress] | None = None) -> Run:
    """Resume a run whose folder this process has locked; a finished run is left unchanged."""
    run = Run(folder)
    with explain_interrupts(folder, run.step_name):
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
    training_workers = TrainingWorkers(workers, reporter.report_games, reporter.report_pieces, reporter.add_games)
    is_resumed = bool(learner.metric_rows)
    try:
        with explain_number_errors(writer.folder, is_resumed=is_resumed):
            reporter.report("Playing")
            while not learner.is_done():
                writer.write_generation(learner.step(training_workers))
                reporter.report_step()
            reporter.begin_final_games()
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


def find_training_parts(recipe: Recipe) -> list[CompiledFunction[Any, Any]]:
    """Return the parts of the engine that training on the CPU needs, to announce their compilation in one notice."""
    learner = recipe.learner_type(recipe)
    return [find_play(make_first_engine_settings(learner)), *learner.compiled_parts]


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


_SAFE_PATH_VARIABLE = "PYTHONSAFEPATH"  # of Python itself


class StopSignal(Protocol):
    """An event that stops all training, in this process or in others."""

    def is_set(self) -> bool:
        """Return whether training should stop."""

    def set(self) -> None:
        """Stop all training."""


class ChildProcessState:
    """State of a child process: its stop signal, and the locks of the run folders, which end with the process."""

    stop_signal: StopSignal = threading.Event()
    locks = FolderLocks()


def resume_runs(
    folders: Sequence[Path],
    *,
    changes: Changes = (),
    workers: int | None = None,
    executor: Executor | Workers | None = None,
    device: str = "cpu",
    allow_other_versions: bool = False,
    on_progress: Observer[Progress] | None = None,
    locks: FolderLocks | None = None,
) -> list[Run]:
    """Resume several runs of one recipe, as many at a time as there are threads; finished runs are left unchanged.

    Threads share the workers: while one run creates candidates, writes files or waits for its last game, others play.
    A learner that runs in Python, where threads do not run in parallel, uses one process per run. One run, and all runs
    with a single thread, a cluster or a GPU, are trained one after another in the current thread; then `on_progress`
    is called with a `TrainingProgress`. `changes` are a new end of all runs, as for `resume`; nothing is changed if one
    of the runs does not allow them. All folders are locked first; `locks` are those of folders that are locked already.
    """
    for folder in folders:
        Run(folder)  # raises an error if it is not a run
    with ExitStack() as stack:
        locks = locks or stack.enter_context(lock_folders(folders))
        opened_workers = stack.enter_context(open_workers(executor, workers, device))
        changed_runs = [Run(folder) for folder in folders]
        check_and_change_runs(changed_runs, dict(list_changes(changes)), allow_other_versions=allow_other_versions)
        runs = [Run(folder) for folder in folders]
        parallel_count = min(len(runs), opened_workers.count) if opened_workers.is_local else 1
        resume_one = partial(resume_locked_run, workers=opened_workers)
        if parallel_count <= 1:
            return [resume_one(folder, on_progress=on_progress) for folder in folders]
        if any(run.recipe.learner_type.runs_in_python for run in runs):
            stack.enter_context(ignore_current_folder())
            context = get_context("spawn")
            stop_signal: StopSignal = context.Event()
            pool: Executor = ProcessPoolExecutor(parallel_count, context, initialise_child, (stop_signal, locks))
            train_one: Callable[..., object] = resume_in_child
        else:
            stop_signal = threading.Event()
            pool = ThreadPoolExecutor(parallel_count, "tetrion-train")
            train_one = partial(resume_one, on_progress=partial(raise_if_set, stop_signal))
        with pool:
            tasks: list[Future[object]] = []
            try:
                with defer_interrupts():
                    tasks += [pool.submit(train_one, folder) for folder in folders]
                wait_for_runs(tasks, folders, [run.recipe for run in runs], on_progress)
            finally:
                stop_signal.set()
                for task in tasks:
                    task.cancel()
        return [Run(folder) for folder in folders]


@contextmanager
def ignore_current_folder() -> Iterator[None]:
    """Let new Python processes import nothing from the current folder, which may come from anyone."""
    previous = os.environ.get(_SAFE_PATH_VARIABLE)
    os.environ[_SAFE_PATH_VARIABLE] = "1"
    try:
        yield
    finally:
        if previous is None:
            del os.environ[_SAFE_PATH_VARIABLE]
        else:
            os.environ[_SAFE_PATH_VARIABLE] = previous


def raise_if_set(stop_signal: StopSignal, progress: Progress) -> None:
    """Stop training in another thread or process like Ctrl-C if the signal is set (an observer of progress)."""
    if stop_signal.is_set():
        raise KeyboardInterrupt


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Defer Ctrl-C until the child processes have started; they inherit the blocked signal.

    Children stop by the stop signal instead. Another thread may still receive the interrupt, so it is also caught here.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)
        signal.signal(signal.SIGINT, handler)
    if interrupts:
        signal.raise_signal(signal.SIGINT)


def wait_for_runs(
    tasks: "Sequence[Future[object]]",
    folders: Sequence[Path],
    recipes: Sequence[Recipe],
    on_progress: Observer[Progress] | None,
) -> None:
    """Wait until all runs have finished, or raise the error of the first that fails; report the progress."""
    start = time.monotonic()
    step_counts = list(map(count_steps, folders))
    first_count = sum(step_counts)
    pending = set(tasks)
    while True:
        if on_progress:
            planned_counts = [
                count if task.done() else recipe.planned_steps
                for task, count, recipe in zip(tasks, step_counts, recipes, strict=True)
            ]
            on_progress(
                Progress(
                    task=recipes[0].name,
                    done=sum(step_counts),
                    planned=sum(planned_counts),
                    unit=recipes[0].learner_type.step_name,
                    seconds=time.monotonic() - start,
                    done_before=first_count,
                    details=(f"{len(tasks) - len(pending):,} of {format_count(len(tasks), 'seed')} finished",),
                )
            )
        if not pending:
            return
        done, pending = wait(pending, PROGRESS_INTERVAL_SECONDS, FIRST_EXCEPTION)
        for task in done:
            task.result()
        step_counts = list(map(count_steps, folders))


def count_steps(folder: Path) -> int:
    """Return the number of finished generations or episodes of a run, which may be trained in another process."""
    return int(read_meta(folder).get("generations", 0))


def initialise_child(stop_signal: StopSignal, locks: FolderLocks) -> None:
    """Prepare a child process: it ignores Ctrl-C, stops by the stop signal of its parent and shares its locks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ChildProcessState.stop_signal = stop_signal
    ChildProcessState.locks = locks
    threading.Thread(target=exit_with_parent, daemon=True).start()


def exit_with_parent() -> None:
    """Exit when the parent process ends, so that no process is left behind; run files are always complete."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def resume_in_child(folder: Path) -> None:
    """Train in a child process; the result is in the folder."""
    on_progress = partial(raise_if_set, ChildProcessState.stop_signal)
    with start_threads(1) as workers:
        resume_locked_run(folder, workers, on_progress)
