"""Training of several runs in parallel; each run is the same as if trained alone, and can be resumed."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Protocol

from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.worker_selection import open_workers
from tetrion.evaluation.workers import PROGRESS_INTERVAL_SECONDS, Workers, start_threads
from tetrion.progress import Observer, Progress
from tetrion.training.folder_locks import FolderLocks, lock_folders
from tetrion.training.recipe import Changes, Recipe, list_changes
from tetrion.training.run import Run, read_meta
from tetrion.training.run_changes import change_end
from tetrion.training.run_writer import RunWriter
from tetrion.training.trainer import check_versions, resume_locked_run

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
        runs = [Run(folder) for folder in folders]
        if not allow_other_versions:
            for run in runs:
                check_versions(run)
        if changes:
            change_runs(runs, dict(list_changes(changes)))
        parallel_count = min(len(runs), opened_workers.count) if opened_workers.is_local else 1
        resume_one = partial(resume_locked_run, workers=opened_workers, allow_other_versions=allow_other_versions)
        if parallel_count <= 1:
            return [resume_one(folder, on_progress=on_progress) for folder in folders]
        if any(run.recipe.learner_type.runs_in_python for run in runs):
            stack.enter_context(ignore_current_folder())
            context = get_context("spawn")
            stop_signal: StopSignal = context.Event()
            pool: Executor = ProcessPoolExecutor(parallel_count, context, initialise_child, (stop_signal, locks))
            train_one: Callable[..., object] = partial(resume_in_child, allow_other_versions=allow_other_versions)
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


def change_runs(runs: Sequence[Run], changes: Mapping[str, Any]) -> None:
    """Write a new end into the recipes of several runs, after checking that all of them allow it."""
    recipes = [change_end(run, changes) for run in runs]
    for run, recipe in zip(runs, recipes, strict=True):
        run.recipe = recipe
        RunWriter(run.folder, recipe.learner_type(recipe)).update_recipe()


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


def resume_in_child(folder: Path, *, allow_other_versions: bool) -> None:
    """Train in a child process; the result is in the folder."""
    on_progress = partial(raise_if_set, ChildProcessState.stop_signal)
    with start_threads(1) as workers:
        resume_locked_run(folder, workers, allow_other_versions=allow_other_versions, on_progress=on_progress)
