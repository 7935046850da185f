"""Games in bulk, on any executor: a few at a time for a turn, so that progress shows and Ctrl-C is heard at once."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait

import numpy as np

from tetrion.engine.batch_play import STATUS_PLAYING, EngineSettings, GameRecords
from tetrion.engine.custom_features import CUSTOM_FEATURES_MASK
from tetrion.errors import AgentError
from tetrion.evaluation.games_observer import PROGRESS_INTERVAL_SECONDS, GamesObserver
from tetrion.evaluation.worker_tasks import TASK_SECONDS, get_engine_version, play_for_seconds, play_until_stopped

MAX_GAMES_PER_TASK = 1000  # games: what travels in one message
TASKS_PER_WORKER = 4  # begun at a time, so that there is work for workers that come later


def play_in_parallel(
    games: GameRecords,
    setting: EngineSettings,
    executor: Executor,
    workers: int,
    on_progress: GamesObserver | None = None,
) -> bool:
    """Play all games to their ends, in place; tells whether Ctrl-C stopped them.

    `workers` is how many tasks the executor works on at a time. Threads play in this memory; any other executor gets
    copies, and what it has not sent back when Ctrl-C comes is lost. A record holds all of a game, so whoever plays it,
    in however many turns, plays the same game; after an error too the records can be played on.
    """
    here, stop = isinstance(executor, ThreadPoolExecutor), threading.Event()
    if not here:
        check_no_custom_features(setting)

    def begun(part: slice) -> Future[GameRecords]:
        if here:
            return executor.submit(play_until_stopped, games[part], setting, stop)
        return executor.submit(play_for_seconds, games[part], setting, TASK_SECONDS, get_engine_version())

    waiting = deque(split_into_tasks(games, workers))
    running = dict[Future[GameRecords], slice]()
    shown = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < TASKS_PER_WORKER * workers:
                part = waiting.popleft()
                running[begun(part)] = part
            for task in wait(running, timeout=PROGRESS_INTERVAL_SECONDS, return_when=FIRST_COMPLETED).done:
                games[running[task]] = task.result()
                waiting.extend(split_unfinished(games, running.pop(task)))
            if on_progress and time.monotonic() - shown >= PROGRESS_INTERVAL_SECONDS:
                on_progress(games)
                shown = time.monotonic()
        if on_progress:
            on_progress(games)
    except KeyboardInterrupt:
        return True
    finally:
        stop.set()  # whatever went wrong, the others must not play on for hours
        known = [task for task in running if not task.cancel() and (here or task.done())]
        for task in wait(known).done:
            if not task.exception():
                games[running[task]] = task.result()
    return False


def split_into_tasks(games: GameRecords, workers: int) -> Iterator[slice]:
    """Where the games of one task lie: a worker's share of those left, ever fewer, so that all workers end together."""
    start, total = 0, len(games)
    while start < total:
        size = min(max(1, (total - start) // workers), MAX_GAMES_PER_TASK)
        if (games["status"][start : start + size] == STATUS_PLAYING).any():
            yield slice(start, start + size)
        start += size


def split_unfinished(games: GameRecords, part: slice) -> list[slice]:
    """What is left of a part, in two halves: games behind a long one need not wait for it."""
    places = part.start + np.flatnonzero(games["status"][part] == STATUS_PLAYING)
    middle = len(places) // 2
    return [slice(int(half[0]), int(half[-1]) + 1) for half in (places[:middle], places[middle:]) if len(half)]


def check_no_custom_features(setting: EngineSettings) -> None:
    """Make sure that no agent has a feature whose code lies in the memory of this process alone."""
    if (setting.agents["mask"] & CUSTOM_FEATURES_MASK).any():
        raise AgentError(
            "An agent with features of your own plays in this process alone; given another place to play. Use threads: "
            "leave the cluster or the executor away."
        )
