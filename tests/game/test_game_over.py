"""Piece sequences that end every game: Burgiel's alternating S and Z, and the adversary."""

import numpy as np
import pytest

from tetrion import evaluate
from tetrion.agents import WeightedAgent, named_agents
from tetrion.engine.batch_play import EngineSettings, make_games, play_any_movement
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.rules import Rules

BURGIEL_MAX_PIECES = 70_000  # alternating S and Z end every game within this many pieces (Burgiel 1997)


@pytest.mark.parametrize("rules", ["standard", "gavrilov", "becker", "hindi", "tetrais", "medico", "nes"])
def test_alternating_s_and_z_end_every_game(rules: str) -> None:
    weighted = [agent for agent in named_agents.values() if isinstance(agent, WeightedAgent)]
    agents = [agent for agent in weighted if agent.depth == 1 and agent.family != "modern"]
    settings = EngineSettings.from_agents(
        [a.to_engine_agent() for a in agents],
        Rules.from_preset(rules).with_(randomiser="alternating-sz"),
        BURGIEL_MAX_PIECES,
    )
    games = make_games(len(agents), 1)
    games["agent"] = np.arange(len(agents))
    play_any_movement(games, settings, BURGIEL_MAX_PIECES * len(agents))
    assert (games["status"] == STATUS_OVER).all()
    assert games["pieces"].max() < BURGIEL_MAX_PIECES


def test_adversary_ends_games_sooner_than_random_s_and_z() -> None:
    adversary = evaluate("du", "standard:randomiser=adversary", games=20, max_pieces=1000)
    random_sz = evaluate("du", "standard:randomiser=sz", games=20, max_pieces=100_000)
    assert adversary.deaths == random_sz.deaths == 20
    assert adversary.pieces.max < random_sz.pieces.median
