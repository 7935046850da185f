"""The agent design `tables`: functions with knots, slopes of a base agent, comparable units."""

from typing import Any

import numpy as np
import pytest

from tetrion import FEATURES, evaluate
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import get_agent_settings
from tetrion.engine.batch_play import EngineSettings, make_games, select_fastest_play
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.lookahead import PlacementValuesRecord, evaluate_placements
from tetrion.engine.piece_motion import PieceOnBoard
from tetrion.engine.pieces import PIECES
from tetrion.engine.placements import WORST_POINTS
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.training.agent_designs import FEATURE_SPREADS, AgentSettings, FeatureSlopes, make_design

RULES = "standard-10x10"
DT_FEATURES = tuple(load_weighted_agent("dt20").weights)


def make_settings(**changes: Any) -> AgentSettings:
    return AgentSettings(**({"design": "tables", "features": DT_FEATURES, "base": "dt20"} | changes))


def test_function_of_a_feature_is_piecewise_linear() -> None:
    table = FeatureSlopes("holes", (1, 3)).make_term([10, 1, -2])
    assert isinstance(table, np.ndarray)
    assert table[:7].tolist() == [0, 10, 11, 12, 10, 8, 6]
    assert len(table) == FEATURES["holes"].max_value + 1
    assert FeatureSlopes("holes", ()).make_term([3]) == 3.0


def test_candidate_of_zeros_is_the_base_agent() -> None:
    design = make_design(make_settings(knots=("holes 1 3", "wells 2")), RULES)
    agent = design.make_agent([0.0] * len(design.parameter_names), "start")
    assert design.parameter_names[4:7] == ("holes", "holes from 1", "holes from 3")
    assert agent.weights["landing_height"] == load_weighted_agent("dt20").weights["landing_height"]
    ours = evaluate(agent, RULES, games=20, seed=1, max_pieces=300).per_game["lines"]
    base = evaluate("dt20", RULES, games=20, seed=1, max_pieces=300).per_game["lines"]
    assert np.mean(ours == base) > 0.8  # weights are rounded differently, which can break a tie differently


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"knots": ("hole 1",)}, "agent.knots must begin with one of agent.features, each once; given 'hole 1'"),
        ({"knots": ("holes 1", "holes 2")}, "each once; given 'holes 2'"),
        ({"knots": ("holes 3 1",)}, "increasing values between 0 and 270"),
        ({"knots": ("holes 1 x",)}, "increasing values"),
        ({"base": "medico"}, "medico has two modes"),
        ({"base": "becker"}, "becker has a table for"),
        ({"base": "bdu"}, "bdu has a weight for"),
        ({"features": (*DT_FEATURES, "chance")}, "cannot use the feature 'chance'"),
        ({"design": "weights", "base": "", "knots": ("holes 1",)}, "agent.knots requires agent.design = tables"),
        ({"design": "curves", "base": ""}, "agent.features requires agent.design = weights or tables"),
    ],
)
def test_wrong_settings_raise_errors(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TetrionError) as error:
        make_design(make_settings(**changes), RULES)
    assert message in str(error.value)


def test_spreads_are_those_of_the_features() -> None:
    """The constants equal the measured standard deviations over the placements of a position."""
    agent = load_weighted_agent("dt20")
    settings = get_agent_settings(agent, Rules.parse(RULES))
    measuring = EngineSettings.from_agents([(dict.fromkeys(FEATURE_SPREADS, 1.0), True)], Rules.parse(RULES))
    numbers = [FEATURES[name].number for name in FEATURE_SPREADS]
    games = make_games(200, 20_131)
    spreads = []
    for number in range(len(games)):
        select_fastest_play(settings)(games[number : number + 1], settings, 100)
        game = games[number]
        records = PlacementValuesRecord.make_array(1)
        on_board = PieceOnBoard(game.board, measuring.rules, number % len(PIECES))
        if evaluate_placements(on_board, 0, measuring.agents, measuring.tables, records):
            count = int(records[0].count[0])
            values = records[0].feature_values.reshape(MAX_FEATURES, -1)[numbers, :count]
            spreads.append(values[:, records[0].points[:count] != WORST_POINTS].std(axis=1))
    expected = np.array(list(FEATURE_SPREADS.values()))
    assert set(FEATURE_SPREADS) == set(FEATURES) - {"chance"}
    np.testing.assert_allclose(np.maximum(0.05, np.mean(spreads, axis=0)), expected, rtol=0.15)
