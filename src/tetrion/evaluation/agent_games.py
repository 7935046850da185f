"""The games of any agent on any workers: in the compiled engine if the agent is made of data, else stepped."""

from tetrion.agents.agent import Agent
from tetrion.agents.weighted_agent import WeightedAgent, as_weighted_agent, get_agent_settings, raise_feature_errors
from tetrion.engine.batch_play import EngineSettings, get_record_type, make_full_games, make_games_for
from tetrion.engine.records import FullGameRecord, FullGameRecords, GameRecord, GameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError
from tetrion.evaluation.game_results import copy_results
from tetrion.evaluation.stepped_games import GameLimits, SteppedGames, warm_up_stepping
from tetrion.evaluation.worker_tasks import GamesObserver
from tetrion.evaluation.workers import Workers
from tetrion.position import get_engine_settings


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
