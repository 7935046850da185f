"""Games in bulk, on any executor: a few at a time for a turn, so that progress shows and Ctrl-C is heard at once."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait

import numpy as np

from tetrion.engine.own import OWN
from tetrion.engine.play import PLAYING, Games, Setting
from tetrion.errors import AgentError
from tetrion.evaluation.turns import TURN_SECONDS, play_for, play_here, this_engine
from tetrion.evaluation.watching import SLICE_SECONDS, Watch

LARGEST_PART = 1000  # games: what travels in one message
TASKS_A_WORKER = 4  # begun at a time, so that there is work for workers that come later


def play(games: Games, setting: Setting, executor: Executor, workers: int, progress: Watch | None = None) -> bool:
    """Play all games to their ends, in place; tells whether Ctrl-C stopped them.

    `workers` is how many tasks the executor works on at a time. Threads play in this memory; any other executor gets
    copies, and what it has not sent back when Ctrl-C comes is lost. A record holds all of a game, so whoever plays it,
    in however many turns, plays the same game; after an error too the records can be played on.
    """
    here, stop = isinstance(executor, ThreadPoolExecutor), threading.Event()
    if not here:
        check_own_features(setting)

    def begun(part: slice) -> Future[Games]:
        if here:
            return executor.submit(play_here, games[part], setting, stop)
        return executor.submit(play_for, games[part], setting, TURN_SECONDS, this_engine())

    waiting, running, shown = deque(parts(games, workers)), dict[Future[Games], slice](), time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < TASKS_A_WORKER * workers:
                part = waiting.popleft()
                running[begun(part)] = part
            for task in wait(running, timeout=SLICE_SECONDS, return_when=FIRST_COMPLETED).done:
                games[running[task]] = task.result()
                waiting.extend(unfinished(games, running.pop(task)))
            if progress and time.monotonic() - shown >= SLICE_SECONDS:
                progress(games)
                shown = time.monotonic()
        if progress:
            progress(games)
    except KeyboardInterrupt:
        return True
    finally:
        stop.set()  # whatever went wrong, the others must not play on for hours
        known = [task for task in running if not task.cancel() and (here or task.done())]
        for task in wait(known).done:
            if not task.exception():
                games[running[task]] = task.result()
    return False


def parts(games: Games, workers: int) -> Iterator[slice]:
    """Where the games of one task lie: a worker's share of those left, ever fewer, so that all workers end together."""
    start, total = 0, len(games)
    while start < total:
        size = min(max(1, (total - start) // workers), LARGEST_PART)
        if (games["status"][start : start + size] == PLAYING).any():
            yield slice(start, start + size)
        start += size


def unfinished(games: Games, part: slice) -> list[slice]:
    """What is left of a part, in two halves: games behind a long one need not wait for it."""
    places = part.start + np.flatnonzero(games["status"][part] == PLAYING)
    middle = len(places) // 2
    return [slice(int(half[0]), int(half[-1]) + 1) for half in (places[:middle], places[middle:]) if len(half)]


def check_own_features(setting: Setting) -> None:
    """Make sure that no agent has a feature whose code lies in the memory of this process alone."""
    if (setting.agents["mask"] & OWN).any():
        raise AgentError(
            "An agent with features of your own plays in this process alone; given another place to play. Use threads: "
            "leave the cluster or the executor away."
        )
