"""Games of agents that are Python rather than numbers: the same games as the engine deals, a placement at a time."""

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import count
from queue import Empty, SimpleQueue
from time import monotonic

import numpy as np

from tetrion.agents.own.agent import Chooser, OwnAgent
from tetrion.agents.own.mistakes import asked, possible
from tetrion.agents.own.running import Child
from tetrion.board import Board, Placement
from tetrion.engine.pieces import PIECES
from tetrion.engine.play import CAPPED, PLAYING, UNLIMITED, Games, Setting, new_games, place_piece
from tetrion.engine.realtime import FALLING, prepare_next
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError
from tetrion.evaluation.watching import SLICE_SECONDS, Watch
from tetrion.position import Position

Choose = Callable[[Position], Placement]


def play_own(
    games: Games,
    agent: Chooser,
    rules: Rules,
    *,
    seed: int,
    first: int = 0,
    most_pieces: int = UNLIMITED,
    most_lines: int = UNLIMITED,
    workers: int = 1,
    progress: Watch | None = None,
) -> bool:
    """Play games number `first`, `first + 1`, … of a seed to their ends, in place; tells whether Ctrl-C stopped them.

    An `OwnAgent` plays in a process for each worker, with a new agent of its class for every game, and the result does
    not depend on their number. Any other agent plays here, one game after another, and keeps what it remembers.
    """
    setting = Setting.of([], rules, most_pieces, most_lines)
    try:
        warm_up(setting, rules)
        if isinstance(agent, OwnAgent):
            play_in_children(games, agent, setting, rules, seed, first, workers, progress)
        else:
            play_here(games, agent, setting, rules, progress)
    except KeyboardInterrupt:
        pass
    return bool((games["status"] == PLAYING).any())


def play_game(game: Games, setting: Setting, rules: Rules, choose: Choose, goes_on: Callable[[], bool]) -> None:
    """Go on with the only one of some games until it is over or capped, as the engine does, or `goes_on` denies it."""
    falls, record = np.zeros(1, FALLING), game[0]
    while record["status"] == PLAYING and goes_on():
        if record["pieces"] >= setting.most_pieces or record["lines"] >= setting.most_lines:
            record["status"] = CAPPED
            return
        prepare_next(game, falls, setting)
        if record["status"] == PLAYING:
            chosen = choose(position_of(game, rules))
            place_piece(game, setting, chosen.orientation, chosen.column, chosen.row)


def position_of(game: Games, rules: Rules) -> Position:
    """All that a player may see of the only one of some games."""
    record = game[0]
    known = "".join(PIECES[number] for number in record["queue"][: record["known"]].tolist())
    counters = (int(record[name]) for name in ("pieces", "lines", "score", "frames"))
    return Position(Board(tuple(record["board"].tolist()), rules.rows), known[0], known[1:], rules, *counters)


def warm_up(setting: Setting, rules: Rules) -> None:
    """Compile or load the engine once, so that the processes find it compiled."""
    once = count()
    play_game(new_games(1, 0), setting, rules, lambda position: position.placements()[0], lambda: not next(once))


def play_here(games: Games, agent: Chooser, setting: Setting, rules: Rules, progress: Watch | None) -> None:
    """Play one game after another in this process."""
    name, shown = type(agent).__name__, monotonic()

    def choose(position: Position) -> Placement:
        try:
            return possible(asked(agent, position), position)
        except AgentError as mistake:
            raise AgentError(f"{name}: {mistake}") from None

    def show_progress() -> bool:
        nonlocal shown
        if progress and monotonic() - shown >= SLICE_SECONDS:
            progress(games)
            shown = monotonic()
        return True

    for place in range(len(games)):
        play_game(games[place : place + 1], setting, rules, choose, show_progress)
    if progress:
        progress(games)


def play_in_children(
    games: Games,
    agent: OwnAgent,
    setting: Setting,
    rules: Rules,
    seed: int,
    first: int,
    workers: int,
    progress: Watch | None,
) -> None:
    """Play in processes, a thread for each; whatever goes wrong ends all of them."""
    stop, places = threading.Event(), SimpleQueue[int]()
    for place in np.flatnonzero(games["status"] == PLAYING).tolist():
        places.put(place)

    def play_with(child: Child) -> None:
        with child:
            while not stop.is_set():
                try:
                    place = places.get_nowait()
                except Empty:
                    return
                child.begin(seed, first + place)
                play_game(games[place : place + 1], setting, rules, child.choose, lambda: not stop.is_set())

    count_of_children = min(workers, places.qsize())
    if not count_of_children:
        return
    with ThreadPoolExecutor(count_of_children) as executor, ExitStack() as ended_by_us:
        children = [ended_by_us.enter_context(agent.start()) for _ in range(count_of_children)]
        ended_by_us.callback(stop.set)  # before they end, so that nobody takes it for a mistake
        follow([executor.submit(play_with, child) for child in children], games, progress)


def follow(tasks: list[Future[None]], games: Games, progress: Watch | None) -> None:
    """Wait for tasks and show how far the games are; the first mistake is raised."""
    waiting = True
    while waiting:
        done, waiting_for = wait(tasks, timeout=SLICE_SECONDS, return_when=FIRST_EXCEPTION)
        for task in done:
            task.result()
        if progress:
            progress(games)
        waiting = bool(waiting_for)
