"""Games in bulk: played on all cores in slices, so that progress shows and Ctrl-C is heard at once."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np

from tetrion.agents import DataAgent, load
from tetrion.engine.play import PLAYING, UNLIMITED, Games, Setting, fastest, new_games
from tetrion.engine.randomisers import checked_seed
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.statistics import Evaluation

SLICE_SECONDS = 0.2
FIRST_SLICE = 2_000  # pieces
MOST_GAMES = 10**7  # each takes some hundred bytes of memory
BATCHES_A_WORKER = 16  # so that one worker with long games does not keep the others waiting

Progress = Callable[[Games], None]


def evaluate(
    agent: DataAgent | str | Path,
    rules: Rules | str = "standard",
    games: int = 100,
    seed: int = 0,
    *,
    most_pieces: int | None = None,
    most_lines: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Play games number 0, 1, … of a seed and sum them up; the result does not depend on the number of workers.

    `agent` is one, or the name or file of one; `rules` are some, or their form on the command line.
    Ctrl-C ends the games where they are: those that had not ended count as capped, those that had not begun do not
    count, and the result says that it was `stopped`.
    """
    agent = agent if hasattr(agent, "compiled") else load(agent)
    rules, seed = rules if isinstance(rules, Rules) else Rules.parse(rules), checked_seed(seed)
    workers = checked_count("workers", (os.cpu_count() or 1) if workers is None else workers)
    caps = {
        "most_pieces": UNLIMITED if most_pieces is None else checked_count("most_pieces", most_pieces),
        "most_lines": UNLIMITED if most_lines is None else checked_count("most_lines", most_lines),
    }
    setting = Setting.of([agent.compiled()], rules, **caps)
    played = new_games(checked_count("games", games, MOST_GAMES), seed)
    fastest(setting)(played[:0], setting, 0)  # compiled or loaded before the clock starts
    start = time.perf_counter()
    with ThreadPoolExecutor(workers) as executor:
        stopped = play(played, setting, executor, workers, progress)
    if stopped:
        played = played[played["pieces"] > 0]
        if not len(played):
            raise KeyboardInterrupt
    return Evaluation.of(agent.name, rules, seed, played, time.perf_counter() - start, stopped)


def checked_count(name: str, number: object, most: int = UNLIMITED) -> int:
    """A count that can be worked with, or the error that says why not."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 1 <= number <= most:
        raise TetrionError(f"{name} is a whole number from 1 to {most:,}; given {number!r}.")
    return int(number)


def play(games: Games, setting: Setting, executor: Executor, workers: int, progress: Progress | None = None) -> bool:
    """Play all games to their ends, in place, a batch of games a task; tells whether Ctrl-C stopped them."""
    stop = threading.Event()
    size = max(1, len(games) // (workers * BATCHES_A_WORKER))
    batches = [games[start : start + size] for start in range(0, len(games), size)]
    tasks: list[Future[None]] = []
    try:
        tasks += (executor.submit(play_batch, batch, setting, stop) for batch in batches)
        while wait(tasks, timeout=SLICE_SECONDS, return_when=FIRST_EXCEPTION).not_done:
            if progress:
                progress(games)
            for task in tasks:
                if task.done():
                    task.result()
        for task in tasks:
            task.result()
        if progress:
            progress(games)
    except KeyboardInterrupt:
        stop.set()
        wait(tasks)
    finally:
        stop.set()  # whatever went wrong, the others must not play on for hours
    return any((batch["status"] == PLAYING).any() for batch in batches)


def play_batch(games: Games, setting: Setting, stop: threading.Event) -> None:
    """Play some games in slices of a fifth of a second, until they have ended or somebody says stop."""
    budget = FIRST_SLICE
    while not stop.is_set() and (games["status"] == PLAYING).any():
        start = time.perf_counter()
        fastest(setting)(games, setting, budget)
        taken = max(time.perf_counter() - start, 1e-6)
        budget = max(FIRST_SLICE, int(budget * min(SLICE_SECONDS / taken, 10)))
