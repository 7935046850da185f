"""Games of any agent: in the compiled engine if the agent is made of data, else stepped piece by piece."""

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from time import monotonic
from typing import NamedTuple

import numpy as np

from tetrion.agents.agent import Agent, Player
from tetrion.agents.stepped_game import PlacementEvent, step_game
from tetrion.agents.weighted_agent import WeightedAgent, as_weighted_agent, get_agent_settings, raise_feature_errors
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, get_record_type, make_full_games, make_games_for
from tetrion.engine.placing import STATUS_CAPPED, STATUS_PLAYING
from tetrion.engine.records import FullGameRecord, FullGameRecords, GameRecord, GameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError
from tetrion.evaluation.game_statistics import copy_results
from tetrion.evaluation.workers import PROGRESS_INTERVAL_SECONDS, GamesObserver, Workers
from tetrion.game import Game, copy_game_record
from tetrion.position import get_engine_settings


class GameLimits(NamedTuple):
    """The largest numbers of pieces and lines of a game; a game that reaches one of them is capped."""

    max_pieces: int = UNLIMITED
    max_lines: int = UNLIMITED


class SteppedGames:
    """A batch of games of an agent, given by their records, which are updated at every lock."""

    def __init__(self, records: FullGameRecords, rules: Rules, seed: int, first: int, limits: GameLimits) -> None:
        self.records = records
        self.rules = rules
        self.seed = seed
        self.first = first
        self.limits = limits

    def play_game(self, player: Player, index: int, should_continue: Callable[[], bool]) -> None:
        """Play a game until it is over or capped, or `should_continue` returns false."""
        game = Game(self.rules, self.seed, self.first + index)
        for event in step_game(player, game, *self.limits):
            if isinstance(event, PlacementEvent):
                self.records[index] = event.record
            if not should_continue():
                return
        record = self.records[index]
        if record.pieces < self.limits.max_pieces and record.lines < self.limits.max_lines:
            self.records[index] = copy_game_record(game)
        elif record.status == STATUS_PLAYING:
            record.status = STATUS_CAPPED

    def play(self, agent: Agent, worker_count: int, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends, in parallel if the agent allows it; return whether Ctrl-C stopped them.

        Every worker has its own player. The result does not depend on the number of workers.
        """
        try:
            player = agent.start_player()
            if player.is_exclusive or worker_count == 1:
                with player:
                    self.play_one_by_one(player, on_progress)
            else:
                self.play_in_threads(agent, player, worker_count, on_progress)
        except KeyboardInterrupt:
            return True
        return False

    def play_one_by_one(self, player: Player, on_progress: GamesObserver | None) -> None:
        """Play one game after another in this thread."""
        last_report = monotonic()

        def report_progress() -> bool:
            nonlocal last_report
            if on_progress and monotonic() - last_report >= PROGRESS_INTERVAL_SECONDS:
                on_progress(self.records)
                last_report = monotonic()
            return True

        for index in self._list_unfinished():
            self.play_game(player, index, report_progress)
        if on_progress:
            on_progress(self.records)

    def play_in_threads(
        self, agent: Agent, first_player: Player, worker_count: int, on_progress: GamesObserver | None
    ) -> None:
        """Play games in several threads, each with its own player, and close the players; an error ends all games."""
        stop = threading.Event()
        indices = SimpleQueue[int]()
        for index in self._list_unfinished():
            indices.put(index)

        def play_with(player: Player) -> None:
            while not stop.is_set():
                try:
                    index = indices.get_nowait()
                except Empty:
                    return
                self.play_game(player, index, lambda: not stop.is_set())

        further_players = max(0, min(worker_count, indices.qsize()) - 1)
        with ThreadPoolExecutor(further_players + 1) as executor, ExitStack() as exit_stack:
            players = [exit_stack.enter_context(first_player)]
            players += [exit_stack.enter_context(agent.start_player()) for _ in range(further_players)]
            exit_stack.callback(stop.set)  # before the players end, so that their end is not reported as an error
            wait_for_games([executor.submit(play_with, player) for player in players], self.records, on_progress)

    def _list_unfinished(self) -> list[int]:
        indices: list[int] = np.flatnonzero(self.records["status"] == STATUS_PLAYING).tolist()
        return indices


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


def warm_up_stepping(rules: Rules) -> None:
    """Compile or load the engine by placing one piece and by one frame, so that agent processes find it compiled."""
    game = Game(rules)
    game.place(game.placements()[0])
    Game(rules).tick()


class AgentGames:
    """The numbered games of a seed, played by an agent under given rules and limits."""

    def __init__(self, agent: Agent, rules: Rules, seed: int, workers: Workers, limits: GameLimits) -> None:
        self.agent = agent
        self.rules = rules
        self.seed = seed
        self.workers = workers
        self.limits = limits
        agent.check_rules(rules)
        self._compiled_agent = as_weighted_agent(agent)

    def warm_up(self) -> None:
        """Compile or load the engine, so that this does not count as playing time."""
        if self._compiled_agent:
            self.workers.prepare(self._make_engine_settings(self._compiled_agent))
        elif self.workers.is_local:
            warm_up_stepping(self.rules)
        else:
            raise AgentError(
                "Python agents and agents that press keys can only play on the CPU of this machine; given "
                f"{self.workers.description}. Use threads: omit the cluster, the executor or the device."
            )

    def play(self, first: int, count: int, on_progress: GamesObserver | None = None) -> tuple[GameRecords, bool]:
        """Play games `first`, `first + 1`, …; return their records and whether Ctrl-C stopped them."""
        agent = self._compiled_agent
        if agent is None:
            stepped = make_full_games(count, self.seed, first)
            games = SteppedGames(stepped, self.rules, self.seed, first, self.limits)
            was_stopped = games.play(self.agent, self.workers.count, on_progress)
            return self._as_bulk_records(stepped), was_stopped
        settings = self._make_engine_settings(agent)
        records = make_games_for(settings, count, self.seed, first)

        def check_and_report(current: GameRecords) -> None:
            raise_feature_errors(agent)
            if on_progress:
                on_progress(current)

        return records, self.workers.play(records, settings, check_and_report)

    def _as_bulk_records(self, games: FullGameRecords) -> GameRecords:
        """Return games with the records that compiled agents' games have, so that both are saved in the same way."""
        if get_record_type(get_engine_settings(self.rules)) is FullGameRecord:
            return games
        small = GameRecord.make_array(len(games))
        copy_results(games, small)
        return small

    def _make_engine_settings(self, agent: WeightedAgent) -> EngineSettings:
        return get_agent_settings(agent, self.rules)._replace(**self.limits._asdict())
