"""Games of Python agents: the same games as in the engine, with one call of the agent per placement."""

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
from tetrion.engine.realtime import FallingRecord, prepare_next_piece
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError
from tetrion.evaluation.worker_tasks import PROGRESS_INTERVAL_SECONDS, GamesObserver
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
    """Play games `first`, `first + 1`, … of a seed to their ends in place; return whether Ctrl-C stopped them.

    A `PythonAgent` plays in one process per worker, with a new agent of its class for every game; the result does not
    depend on the number of workers. Any other agent plays in this process, one game after another, and keeps its state.
    """
    settings = EngineSettings.from_agents([], rules, max_pieces, max_lines)
    try:
        warm_up_engine(settings, rules)
        if isinstance(agent, PythonAgent):
            play_in_subprocesses(
                games, agent, settings, rules, seed=seed, first=first, workers=workers, on_progress=on_progress
            )
        else:
            play_in_process(games, agent, settings, rules, on_progress)
    except KeyboardInterrupt:
        pass
    return bool((games["status"] == STATUS_PLAYING).any())


def play_one_game(
    game: GameRecords,
    settings: EngineSettings,
    rules: Rules,
    choose: ChoosePlacement,
    should_continue: Callable[[], bool],
) -> None:
    """Play a game, given as an array of one record, until it is over or capped or `should_continue` returns false."""
    falling = FallingRecord.make_array(1)
    record = game[0]
    while record.status == STATUS_PLAYING and should_continue():
        if record.pieces >= settings.max_pieces or record.lines >= settings.max_lines:
            record.status = STATUS_CAPPED
            return
        prepare_next_piece(game, falling, settings)
        if record.status == STATUS_PLAYING:
            placement = choose(make_position(game, rules))
            place_piece(game, settings, (placement.orientation, placement.column, placement.row))


def make_position(game: GameRecords, rules: Rules) -> Position:
    """Return what a player can see of a game, which is given as an array of one record."""
    record = game[0]
    known = "".join(PIECES[number] for number in record.queue[: record.known].tolist())
    return Position(
        Board(tuple(record.board.tolist()), rules.rows),
        known[0],
        known[1:],
        rules,
        pieces=int(record.pieces),
        lines=int(record.lines),
        score=int(record.score),
        frames=int(record.frames),
    )


def warm_up_engine(settings: EngineSettings, rules: Rules) -> None:
    """Compile or load the engine by placing one piece, so that agent processes can load the compiled code."""
    calls = count()
    play_one_game(make_games(1, 0), settings, rules, lambda position: position.placements()[0], lambda: not next(calls))


def play_in_process(
    games: GameRecords, agent: Chooser, settings: EngineSettings, rules: Rules, on_progress: GamesObserver | None
) -> None:
    """Play one game after another in this process."""
    name = type(agent).__name__
    last_report = monotonic()

    def choose(position: Position) -> Placement:
        try:
            return validate_choice(call_choose(agent, position), position)
        except AgentError as error:
            raise AgentError(f"{name}: {error}") from None

    def report_progress() -> bool:
        nonlocal last_report
        if on_progress and monotonic() - last_report >= PROGRESS_INTERVAL_SECONDS:
            on_progress(games)
            last_report = monotonic()
        return True

    for index in range(len(games)):
        play_one_game(games[index : index + 1], settings, rules, choose, report_progress)
    if on_progress:
        on_progress(games)


def play_in_subprocesses(
    games: GameRecords,
    agent: PythonAgent,
    settings: EngineSettings,
    rules: Rules,
    *,
    seed: int,
    first: int,
    workers: int,
    on_progress: GamesObserver | None,
) -> None:
    """Play games in several agent processes, each controlled by a thread; an error ends all processes."""
    stop = threading.Event()
    indices = SimpleQueue[int]()
    for index in np.flatnonzero(games["status"] == STATUS_PLAYING).tolist():
        indices.put(index)

    def play_with(process: AgentProcess) -> None:
        with process:
            while not stop.is_set():
                try:
                    index = indices.get_nowait()
                except Empty:
                    return
                process.begin_game(seed, first + index)
                play_one_game(games[index : index + 1], settings, rules, process.choose, lambda: not stop.is_set())

    process_count = min(workers, indices.qsize())
    if not process_count:
        return
    with ThreadPoolExecutor(process_count) as executor, ExitStack() as exit_stack:
        processes = [exit_stack.enter_context(agent.start_process()) for _ in range(process_count)]
        exit_stack.callback(stop.set)  # before the processes end, so that their end is not reported as an error
        wait_for_games([executor.submit(play_with, process) for process in processes], games, on_progress)


def wait_for_games(tasks: list[Future[None]], games: GameRecords, on_progress: GamesObserver | None) -> None:
    """Wait for tasks and report progress; the first error of a task is raised."""
    is_waiting = True
    while is_waiting:
        done, pending = wait(tasks, timeout=PROGRESS_INTERVAL_SECONDS, return_when=FIRST_EXCEPTION)
        for task in done:
            task.result()
        if on_progress:
            on_progress(games)
        is_waiting = bool(pending)
