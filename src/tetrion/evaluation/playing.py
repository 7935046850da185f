"""Games in bulk: played on all cores in slices, so that progress shows and Ctrl-C is heard at once."""

import threading
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, ThreadPoolExecutor, wait

from tetrion.agents import AnyAgent, Chooser, DataAgent, RandomKeys
from tetrion.engine.play import PLAYING, Games, Setting, fastest, new_games
from tetrion.engine.rules import Rules
from tetrion.evaluation.key_games import play_keys
from tetrion.evaluation.own_games import play_own
from tetrion.evaluation.watching import SLICE_SECONDS, Watch

FIRST_SLICE = 100  # pieces
BATCHES_A_WORKER = 16  # so that one worker with long games does not keep the others waiting


def play_games(
    agent: AnyAgent | Chooser,
    rules: Rules,
    first: int,
    count: int,
    seed: int,
    caps: Mapping[str, int],
    workers: int,
    progress: Watch | None = None,
) -> tuple[Games, bool]:
    """Play games number `first`, `first + 1`, … of a seed: their records, and whether Ctrl-C stopped them.

    With a count of 0 the engine is compiled or loaded and nothing else happens.
    """
    games = new_games(count, seed, first)
    if isinstance(agent, RandomKeys):
        return games, play_keys(games, agent, rules, seed, first, **caps, progress=progress)
    if not isinstance(agent, DataAgent):
        return games, play_own(games, agent, rules, seed=seed, first=first, **caps, workers=workers, progress=progress)
    setting = Setting.of([agent.compiled()], rules, **caps)
    fastest(setting)(games[:0], setting, 0)

    def watch(present: Games) -> None:
        agent.check_features()
        if progress:
            progress(present)

    with ThreadPoolExecutor(workers) as executor:
        return games, play(games, setting, executor, workers, watch)


def play(games: Games, setting: Setting, executor: Executor, workers: int, progress: Watch | None = None) -> bool:
    """Play all games to their ends, in place, a batch of games a task; tells whether Ctrl-C stopped them."""
    stop, stopped = threading.Event(), False
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
        stopped = True
        stop.set()
        wait(tasks)
    finally:
        stop.set()  # whatever went wrong, the others must not play on for hours
    return stopped


def play_batch(games: Games, setting: Setting, stop: threading.Event) -> None:
    """Play some games in slices of a fifth of a second, until they have ended or somebody says stop."""
    budget = FIRST_SLICE
    while not stop.is_set() and (games["status"] == PLAYING).any():
        start = time.perf_counter()
        fastest(setting)(games, setting, budget)
        taken = max(time.perf_counter() - start, 1e-6)
        budget = max(1, int(budget * min(SLICE_SECONDS / taken, 10)))
