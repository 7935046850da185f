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

from tetrion.engine.play import Games
from tetrion.evaluation.watching import SLICE_SECONDS
from tetrion.evaluation.workers import Workers
from tetrion.lab.reproduction.watching import Watcher
from tetrion.training.learner import Learner
from tetrion.training.recipe import Q_LEARNING, Recipe
from tetrion.training.run import META, Run, is_run
from tetrion.training.trainer import Spectator, resume, train
from tetrion.training.versions import differences


class Signal(Protocol):
    """Something that is set when all shall stop, in this process or in others."""

    def is_set(self) -> bool:
        """Whether it is."""

    def set(self) -> None:
        """Stop all."""


class Stopping(Spectator):
    """Stops training in another thread or process, as Ctrl-C does here: no finished generation is lost."""

    def __init__(self, stop: Signal) -> None:
        self.stop = stop

    def plays(self, games: Games) -> None:
        """Games go on, unless all shall stop."""
        if self.stop.is_set():
            raise KeyboardInterrupt

    def learned(self, learner: Learner) -> None:
        """A generation or an episode is kept, and the next one begins, unless all shall stop."""
        if self.stop.is_set():
            raise KeyboardInterrupt


class Child:
    """What a child process knows: when to stop."""

    stop: Signal = threading.Event()


def trained(
    recipe: str | Path, folder: Path, seed: int, changes: Sequence[str], workers: Workers | int, spectator: Spectator
) -> Run:
    """Train by a recipe, or go on with a run that was begun, or read one that has finished."""
    wanted = Recipe.load(recipe, changes).with_(seed=seed)
    if is_run(folder) and (run := Run(folder)).recipe == wanted:
        if run.finished:
            return run
        if not differences(run.meta.get("versions")):
            return resume(folder, workers=workers, spectator=spectator)
    shutil.rmtree(folder, ignore_errors=True)  # by another recipe, or by other versions it would end otherwise
    return train(wanted, folder, workers=workers, spectator=spectator)


def train_seeds(
    recipe: str | Path, home: Path, seeds: Sequence[int], changes: Sequence[str], workers: Workers, watcher: Watcher
) -> list[Run]:
    """Train with every seed, as many at a time as there are workers.

    Threads share the workers: while one breeds, writes or waits for its last game, others play. Q-learning is work for
    Python itself, which threads cannot share, so each seed has a process.
    """
    folders = [home / f"seed-{seed}" for seed in seeds]
    several = max(1, min(len(seeds), workers.count))
    if several > 1 and Recipe.load(recipe, changes).learner == Q_LEARNING:
        context = get_context("spawn")
        stop: Signal = context.Event()
        executor: Executor = ProcessPoolExecutor(several, context, begin_child, (stop,))
        work: Callable[..., object] = trained_in_child
    else:
        stop, executor = threading.Event(), ThreadPoolExecutor(several, "tetrion-train")
        work = partial(trained, workers=workers, spectator=Stopping(stop))
    with executor:
        pairs = zip(folders, seeds, strict=True)
        tasks: list[Future[object]] = []
        try:
            with interrupts_later():
                tasks += [executor.submit(work, recipe, folder, seed, tuple(changes)) for folder, seed in pairs]
            wait_for(tasks, folders, watcher)
        finally:
            stop.set()
            for task in tasks:
                task.cancel()
    return [Run(folder) for folder in folders]


@contextmanager
def interrupts_later() -> Iterator[None]:
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


def wait_for(tasks: "Sequence[Future[object]]", folders: Sequence[Path], watcher: Watcher) -> None:
    """Wait until all have trained, or one of them has an error to tell."""
    waiting = set(tasks)
    while waiting:
        watcher.trains(min(len(tasks) - len(waiting), len(tasks) - 1), len(tasks))
        watcher.learns(sum(map(steps_in, folders)))
        done, waiting = wait(waiting, SLICE_SECONDS, FIRST_EXCEPTION)
        for task in done:
            task.result()


def steps_in(folder: Path) -> int:
    """How many generations or episodes a run has."""
    with suppress(OSError, ValueError, KeyError):
        return int(json.loads((folder / META).read_text("utf-8"))["generations"])
    return 0


def begin_child(stop: Signal) -> None:
    """Make a process ready to train: it stops when the one that began it says so, and not by itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Child.stop = stop
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """Nobody is left behind if the process that began this one is killed; a run's files are whole at any time."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def trained_in_child(recipe: str | Path, folder: Path, seed: int, changes: Sequence[str]) -> None:
    """Train in a process of its own; what comes of it is in the folder."""
    trained(recipe, folder, seed, changes, 1, Stopping(Child.stop))
