"""Many games on any executor, in short tasks, so that progress is shown and Ctrl-C takes effect immediately."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait

import numpy as np

from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.placing import STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.evaluation.feature_transfer import pack_features
from tetrion.evaluation.worker_tasks import (
    PROGRESS_INTERVAL_SECONDS,
    TASK_SECONDS,
    GamesObserver,
    get_engine_version,
    play_for_seconds,
    play_until_stopped,
)

MAX_GAMES_PER_TASK = 1000  # limits the size of a message
TASKS_PER_WORKER = 4  # submitted at a time, so that there is work for workers that join later


def play_in_parallel(
    games: GameRecords,
    settings: EngineSettings,
    executor: Executor,
    workers: int,
    on_progress: GamesObserver | None = None,
) -> bool:
    """Play all games to their ends in place; return whether Ctrl-C stopped them.

    `workers` is the number of tasks that the executor runs at a time. Threads play in the memory of this process; any
    other executor receives copies; progress that it has not returned when Ctrl-C is pressed is lost. A record holds the
    whole state of a game, so the games do not depend on the workers or on the number of tasks, and can be continued
    after an error.
    """
    is_local = isinstance(executor, ThreadPoolExecutor)
    stop = threading.Event()
    features = b"" if is_local else pack_features(settings)

    def submit(part: slice) -> Future[GameRecords]:
        if is_local:
            return executor.submit(play_until_stopped, games[part], settings, stop)
        return executor.submit(play_for_seconds, games[part], settings, TASK_SECONDS, get_engine_version(), features)

    waiting = deque(split_into_tasks(games, workers))
    running = dict[Future[GameRecords], slice]()
    last_report = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < TASKS_PER_WORKER * workers:
                part = waiting.popleft()
                running[submit(part)] = part
            for task in wait(running, timeout=PROGRESS_INTERVAL_SECONDS, return_when=FIRST_COMPLETED).done:
                games[running[task]] = task.result()
                waiting.extend(split_unfinished(games, running.pop(task)))
            if on_progress and time.monotonic() - last_report >= PROGRESS_INTERVAL_SECONDS:
                on_progress(games)
                last_report = time.monotonic()
        if on_progress:
            on_progress(games)
    except KeyboardInterrupt:
        return True
    finally:
        stop.set()  # after an error the other tasks must not run for hours
        collectable = [task for task in running if not task.cancel() and (is_local or task.done())]
        for task in wait(collectable).done:
            if not task.exception():
                games[running[task]] = task.result()
    return False


def split_into_tasks(games: GameRecords, workers: int) -> Iterator[slice]:
    """Yield the slice of each task: a worker's share of the remaining games, so that all workers end together."""
    start, total = 0, len(games)
    while start < total:
        size = min(max(1, (total - start) // workers), MAX_GAMES_PER_TASK)
        if (games["status"][start : start + size] == STATUS_PLAYING).any():
            yield slice(start, start + size)
        start += size


def split_unfinished(games: GameRecords, part: slice) -> list[slice]:
    """Return the unfinished games of a slice as up to two slices, so that games need not wait for a long one."""
    indices = part.start + np.flatnonzero(games["status"][part] == STATUS_PLAYING)
    middle = len(indices) // 2
    return [slice(int(half[0]), int(half[-1]) + 1) for half in (indices[:middle], indices[middle:]) if len(half)]
