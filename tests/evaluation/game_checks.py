"""Checks of evaluated games."""

from tetrion.agents import load_agent
from tetrion.evaluation import Evaluation, start_threads
from tetrion.evaluation.agent_games import AgentGames, GameLimits


def check_game_numbers(result: Evaluation) -> None:
    """Check that the rows of a stopped evaluation have the right numbers, by playing some of its games again."""
    for row in (0, -1):
        pieces = int(result.per_game["pieces"][row])
        with start_threads(1) as threads:
            games = AgentGames(load_agent(result.agent), result.rules, result.seed, threads, GameLimits(pieces))
            again, _ = games.play(int(result.game_numbers[row]), 1)
        assert again["clears"].tolist() == [result.per_game["clears"][row].tolist()]
