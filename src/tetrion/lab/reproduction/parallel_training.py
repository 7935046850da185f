"""Training with several seeds at the same time: each comes to what it comes to alone, and can be gone on with."""

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
    """Something that is set when all shall stop, in this process or in others."""

    def is_set(self) -> bool:
        """Whether it is."""

    def set(self) -> None:
        """Stop all."""


class StoppingObserver(TrainingObserver):
    """Stops training in another thread or process, as Ctrl-C does here: no finished generation is lost."""

    def __init__(self, stop_signal: StopSignal) -> None:
        self.stop_signal = stop_signal

    def on_games(self, games: GameRecords) -> None:
        """Games go on, unless all shall stop."""
        if self.stop_signal.is_set():
            raise KeyboardInterrupt

    def on_step(self, learner: Learner) -> None:
        """A generation or an episode is kept, and the next one begins, unless all shall stop."""
        if self.stop_signal.is_set():
            raise KeyboardInterrupt


class ChildProcessState:
    """What a child process knows: when to stop."""

    stop_signal: StopSignal = threading.Event()


def train_or_resume(
    recipe: str | Path,
    folder: Path,
    seed: int,
    changes: Sequence[str],
    workers: Workers | int,
    observer: TrainingObserver,
) -> Run:
    """Train by a recipe, or go on with a run that was begun, or read one that has finished."""
    wanted = Recipe.load(recipe, changes).with_(seed=seed)
    if is_run_folder(folder) and (run := Run(folder)).recipe == wanted:
        if run.is_finished:
            return run
        if not describe_differences(run.meta.get("versions")):
            return resume(folder, workers=workers, observer=observer)
    shutil.rmtree(folder, ignore_errors=True)  # by another recipe, or by other versions it would end otherwise
    return train(wanted, folder, workers=workers, observer=observer)


def train_seeds(
    recipe: str | Path,
    folder: Path,
    seeds: Sequence[int],
    changes: Sequence[str],
    workers: Workers,
    observer: ReproductionObserver,
) -> list[Run]:
    """Train with every seed, as many at a time as there are workers.

    Threads share the workers: while one breeds, writes or waits for its last game, others play. Q-learning is work for
    Python itself, which threads cannot share, so each seed has a process.
    """
    folders = [folder / f"seed-{seed}" for seed in seeds]
    several = max(1, min(len(seeds), workers.count))
    if several > 1 and Recipe.load(recipe, changes).learner == Q_LEARNING_NAME:
        context = get_context("spawn")
        stop: StopSignal = context.Event()
        executor: Executor = ProcessPoolExecutor(several, context, initialise_child, (stop,))
        work: Callable[..., object] = train_in_child
    else:
        stop, executor = threading.Event(), ThreadPoolExecutor(several, "tetrion-train")
        work = partial(train_or_resume, workers=workers, observer=StoppingObserver(stop))
    with executor:
        pairs = zip(folders, seeds, strict=True)
        tasks: list[Future[object]] = []
        try:
            with defer_interrupts():
                tasks += [executor.submit(work, recipe, folder, seed, tuple(changes)) for folder, seed in pairs]
            wait_for_runs(tasks, folders, observer)
        finally:
            stop.set()
            for task in tasks:
                task.cancel()
    return [Run(folder) for folder in folders]


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait until processes are begun, and let it pass them by, who stop when they are told to.

    They inherit that it is blocked here. Another thread may still be given it, so that it is caught here too.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, handler)
    if caught:
        signal.raise_signal(signal.SIGINT)


def wait_for_runs(tasks: "Sequence[Future[object]]", folders: Sequence[Path], observer: ReproductionObserver) -> None:
    """Wait until all have trained, or one of them has an error to tell."""
    waiting = set(tasks)
    while waiting:
        observer.on_seed_begin(min(len(tasks) - len(waiting), len(tasks) - 1), len(tasks))
        observer.on_step(sum(map(count_steps, folders)))
        done, waiting = wait(waiting, PROGRESS_INTERVAL_SECONDS, FIRST_EXCEPTION)
        for task in done:
            task.result()


def count_steps(folder: Path) -> int:
    """How many generations or episodes a run has."""
    with suppress(OSError, ValueError, KeyError):
        return int(json.loads((folder / META_FILE).read_text("utf-8"))["generations"])
    return 0


def initialise_child(stop_signal: StopSignal) -> None:
    """Make a process ready to train: it stops when the one that began it says so, and not by itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ChildProcessState.stop_signal = stop_signal
    threading.Thread(target=exit_with_parent, daemon=True).start()


def exit_with_parent() -> None:
    """Nobody is left behind if the process that began this one is killed; a run's files are whole at any time."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def train_in_child(recipe: str | Path, folder: Path, seed: int, changes: Sequence[str]) -> None:
    """Train in a process of its own; what comes of it is in the folder."""
    train_or_resume(recipe, folder, seed, changes, 1, StoppingObserver(ChildProcessState.stop_signal))
