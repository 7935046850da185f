"""Games of agents that are Python rather than numbers: the same games as the engine deals, a placement at a time."""

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import count
from queue import Empty, SimpleQueue
from time import monotonic

import numpy as np

from tetrion.agents.python_agent.agent_process import AgentProcess
from tetrion.agents.python_agent.error_messages import call_choose, validate_choice
from tetrion.agents.python_agent.python_agent import Chooser, PythonAgent
from tetrion.board import Board, Placement
from tetrion.engine.batch_play import (
    STATUS_CAPPED,
    STATUS_PLAYING,
    UNLIMITED,
    EngineSettings,
    GameRecords,
    make_games,
    place_piece,
)
from tetrion.engine.pieces import PIECES
from tetrion.engine.realtime import FALLING_DTYPE, prepare_next_piece
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError
from tetrion.evaluation.games_observer import PROGRESS_INTERVAL_SECONDS, GamesObserver
from tetrion.position import Position

ChoosePlacement = Callable[[Position], Placement]


def play_python_agent(
    games: GameRecords,
    agent: Chooser,
    rules: Rules,
    *,
    seed: int,
    first: int = 0,
    max_pieces: int = UNLIMITED,
    max_lines: int = UNLIMITED,
    workers: int = 1,
    on_progress: GamesObserver | None = None,
) -> bool:
    """Play games number `first`, `first + 1`, … of a seed to their ends, in place; tells whether Ctrl-C stopped them.

    An `OwnAgent` plays in a process for each worker, with a new agent of its class for every game, and the result does
    not depend on their number. Any other agent plays here, one game after another, and keeps what it remembers.
    """
    setting = EngineSettings.from_agents([], rules, max_pieces, max_lines)
    try:
        warm_up_engine(setting, rules)
        if isinstance(agent, PythonAgent):
            play_in_subprocesses(games, agent, setting, rules, seed, first, workers, on_progress)
        else:
            play_in_process(games, agent, setting, rules, on_progress)
    except KeyboardInterrupt:
        pass
    return bool((games["status"] == STATUS_PLAYING).any())


def play_one_game(
    game: GameRecords,
    setting: EngineSettings,
    rules: Rules,
    choose: ChoosePlacement,
    should_continue: Callable[[], bool],
) -> None:
    """Go on with the only one of some games until it is over or capped, as the engine does, or `goes_on` denies it."""
    falls, record = np.zeros(1, FALLING_DTYPE), game[0]
    while record["status"] == STATUS_PLAYING and should_continue():
        if record["pieces"] >= setting.max_pieces or record["lines"] >= setting.max_lines:
            record["status"] = STATUS_CAPPED
            return
        prepare_next_piece(game, falls, setting)
        if record["status"] == STATUS_PLAYING:
            chosen = choose(make_position(game, rules))
            place_piece(game, setting, chosen.orientation, chosen.column, chosen.row)


def make_position(game: GameRecords, rules: Rules) -> Position:
    """All that a player may see of the only one of some games."""
    record = game[0]
    known = "".join(PIECES[number] for number in record["queue"][: record["known"]].tolist())
    counters = (int(record[name]) for name in ("pieces", "lines", "score", "frames"))
    return Position(Board(tuple(record["board"].tolist()), rules.rows), known[0], known[1:], rules, *counters)


def warm_up_engine(setting: EngineSettings, rules: Rules) -> None:
    """Compile or load the engine once, so that the processes find it compiled."""
    once = count()
    play_one_game(make_games(1, 0), setting, rules, lambda position: position.placements()[0], lambda: not next(once))


def play_in_process(
    games: GameRecords, agent: Chooser, setting: EngineSettings, rules: Rules, on_progress: GamesObserver | None
) -> None:
    """Play one game after another in this process."""
    name, shown = type(agent).__name__, monotonic()

    def choose(position: Position) -> Placement:
        try:
            return validate_choice(call_choose(agent, position), position)
        except AgentError as mistake:
            raise AgentError(f"{name}: {mistake}") from None

    def show_progress() -> bool:
        nonlocal shown
        if on_progress and monotonic() - shown >= PROGRESS_INTERVAL_SECONDS:
            on_progress(games)
            shown = monotonic()
        return True

    for place in range(len(games)):
        play_one_game(games[place : place + 1], setting, rules, choose, show_progress)
    if on_progress:
        on_progress(games)


def play_in_subprocesses(
    games: GameRecords,
    agent: PythonAgent,
    setting: EngineSettings,
    rules: Rules,
    seed: int,
    first: int,
    workers: int,
    on_progress: GamesObserver | None,
) -> None:
    """Play in processes, a thread for each; whatever goes wrong ends all of them."""
    stop, places = threading.Event(), SimpleQueue[int]()
    for place in np.flatnonzero(games["status"] == STATUS_PLAYING).tolist():
        places.put(place)

    def play_with(child: AgentProcess) -> None:
        with child:
            while not stop.is_set():
                try:
                    place = places.get_nowait()
                except Empty:
                    return
                child.begin_game(seed, first + place)
                play_one_game(games[place : place + 1], setting, rules, child.choose, lambda: not stop.is_set())

    count_of_children = min(workers, places.qsize())
    if not count_of_children:
        return
    with ThreadPoolExecutor(count_of_children) as executor, ExitStack() as ended_by_us:
        children = [ended_by_us.enter_context(agent.start_process()) for _ in range(count_of_children)]
        ended_by_us.callback(stop.set)  # before they end, so that nobody takes it for a mistake
        wait_for_games([executor.submit(play_with, child) for child in children], games, on_progress)


def wait_for_games(tasks: list[Future[None]], games: GameRecords, on_progress: GamesObserver | None) -> None:
    """Wait for tasks and show how far the games are; the first mistake is raised."""
    waiting = True
    while waiting:
        done, waiting_for = wait(tasks, timeout=PROGRESS_INTERVAL_SECONDS, return_when=FIRST_EXCEPTION)
        for task in done:
            task.result()
        if on_progress:
            on_progress(games)
        waiting = bool(waiting_for)
