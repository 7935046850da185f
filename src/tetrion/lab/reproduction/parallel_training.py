"""Training with several seeds in parallel; each run is the same as if trained alone, and can be resumed."""

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Protocol

from tetrion.engine.batch_play import GameRecords
from tetrion.evaluation.worker_tasks import PROGRESS_INTERVAL_SECONDS
from tetrion.evaluation.workers import Workers
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver
from tetrion.training.learner import Learner
from tetrion.training.recipe import Q_LEARNING_NAME, Recipe
from tetrion.training.run import META_FILE, Run, is_run_folder
from tetrion.training.trainer import TrainingObserver, resume, train
from tetrion.training.versions import describe_differences


class StopSignal(Protocol):
    """An event that stops all training, in this process or in others."""

    def is_set(self) -> bool:
        """Return whether training should stop."""

    def set(self) -> None:
        """Stop all training."""


class StoppingObserver(TrainingObserver):
    """Stops training in another thread or process like Ctrl-C; no finished generation is lost."""

    def __init__(self, stop_signal: StopSignal) -> None:
        self.stop_signal = stop_signal

    def on_games(self, games: GameRecords) -> None:
        """Stop after a part of the games if the signal is set."""
        if self.stop_signal.is_set():
            raise KeyboardInterrupt

    def on_step(self, learner: Learner) -> None:
        """Stop after a generation or episode if the signal is set."""
        if self.stop_signal.is_set():
            raise KeyboardInterrupt


class ChildProcessState:
    """State of a child process: its stop signal."""

    stop_signal: StopSignal = threading.Event()


def train_or_resume(
    recipe: str | Path,
    folder: Path,
    seed: int,
    changes: Sequence[str],
    *,
    workers: Workers | int,
    observer: TrainingObserver,
) -> Run:
    """Train with a recipe, resume an unfinished run of it, or load a finished one."""
    expected = Recipe.load(recipe, changes).with_(seed=seed)
    if is_run_folder(folder) and (run := Run(folder)).recipe == expected:
        if run.is_finished:
            return run
        if not describe_differences(run.meta.get("versions")):
            return resume(folder, workers=workers, observer=observer)
    shutil.rmtree(folder, ignore_errors=True)  # another recipe or other versions would give another result
    return train(expected, folder, workers=workers, observer=observer)


def train_seeds(
    recipe: str | Path,
    folder: Path,
    seeds: Sequence[int],
    changes: Sequence[str],
    *,
    workers: Workers,
    observer: ReproductionObserver,
) -> list[Run]:
    """Train with all seeds, at most one per worker at a time.

    Threads share the workers: while one run creates candidates, writes files or waits for its last game, others play.
    Q-learning runs in Python itself, where threads do not run in parallel, so it uses one process per seed.
    """
    folders = [folder / f"seed-{seed}" for seed in seeds]
    parallel_count = max(1, min(len(seeds), workers.count))
    if parallel_count > 1 and Recipe.load(recipe, changes).learner == Q_LEARNING_NAME:
        context = get_context("spawn")
        stop_signal: StopSignal = context.Event()
        executor: Executor = ProcessPoolExecutor(parallel_count, context, initialise_child, (stop_signal,))
        train_one: Callable[..., object] = train_in_child
    else:
        stop_signal = threading.Event()
        executor = ThreadPoolExecutor(parallel_count, "tetrion-train")
        train_one = partial(train_or_resume, workers=workers, observer=StoppingObserver(stop_signal))
    with executor:
        pairs = zip(folders, seeds, strict=True)
        tasks: list[Future[object]] = []
        try:
            with defer_interrupts():
                tasks += [executor.submit(train_one, recipe, folder, seed, tuple(changes)) for folder, seed in pairs]
            wait_for_runs(tasks, folders, observer)
        finally:
            stop_signal.set()
            for task in tasks:
                task.cancel()
    return [Run(folder) for folder in folders]


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


def wait_for_runs(tasks: "Sequence[Future[object]]", folders: Sequence[Path], observer: ReproductionObserver) -> None:
    """Wait until all runs have finished, or raise the error of the first that fails; report the progress."""
    pending = set(tasks)
    while pending:
        observer.on_seed_begin(min(len(tasks) - len(pending), len(tasks) - 1), len(tasks))
        observer.on_step(sum(map(count_steps, folders)))
        done, pending = wait(pending, PROGRESS_INTERVAL_SECONDS, FIRST_EXCEPTION)
        for task in done:
            task.result()


def count_steps(folder: Path) -> int:
    """Return the number of generations or episodes of a run."""
    with suppress(OSError, ValueError, KeyError):
        return int(json.loads((folder / META_FILE).read_text("utf-8"))["generations"])
    return 0


def initialise_child(stop_signal: StopSignal) -> None:
    """Prepare a child process: it ignores Ctrl-C and stops by the stop signal of its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ChildProcessState.stop_signal = stop_signal
    threading.Thread(target=exit_with_parent, daemon=True).start()


def exit_with_parent() -> None:
    """Exit when the parent process ends, so that no process is left behind; run files are always complete."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def train_in_child(recipe: str | Path, folder: Path, seed: int, changes: Sequence[str]) -> None:
    """Train in a child process; the result is in the folder."""
    observer = StoppingObserver(ChildProcessState.stop_signal)
    train_or_resume(recipe, folder, seed, changes, workers=1, observer=observer)
