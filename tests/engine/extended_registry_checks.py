"""Tests with a full registry of features, which `test_feature_registry.py` runs in a process of their own."""

from random import Random
from typing import Any

import numpy as np
import pytest

from tests.engine.extended_registry import PREFIX, copy_feature  # must be imported before the engine
from tests.game.reference_comparison import to_engine_board
from tests.reference import board as slow, features as slow_features
from tests.reference.random_boards import random_board
from tetrion import Position
from tetrion.agents import WeightedAgent
from tetrion.agents.weighted_agent import SecondMode, make_engine_agent
from tetrion.engine.agent_records import FeatureTerm, quantise
from tetrion.engine.batch_play import (
    EngineSettings,
    make_games,
    play_any_movement,
    play_drops_between_heights,
    play_drops_scalar,
    play_drops_simd,
    play_with_lookahead,
)
from tetrion.engine.feature_registry import BOARD_FEATURE, FEATURES, FIRST_FURTHER_FEATURE
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.envs import AfterstatesEnv, PlacementEnv
from tetrion.errors import TetrionError

NAMES = list(slow_features.FEATURES)
BOARD_NAMES = [name for name in NAMES if FEATURES[name].kind == BOARD_FEATURE]


def make_terms(random: Random, copied_share: float) -> dict[str, FeatureTerm]:
    """Return a term for each feature or its copy, one of them a table."""
    terms: dict[str, FeatureTerm] = {name: random.gauss(0, 1) / FEATURES[name].max_value for name in NAMES}
    terms |= {"holes": [-0.1 * min(value, 9) for value in range(30)], "aggregate_height": -1.0}
    choice = Random(5)
    return {PREFIX * (choice.random() < copied_share) + name: term for name, term in terms.items()}


def compute_score(terms: dict[str, Any], values: dict[str, int]) -> int:
    """Return the score by integer terms of the copied features."""
    return sum(
        term[min(values[name], len(term) - 1)] if isinstance(term, list) else term * values[name]
        for name, term in terms.items()
    )


def test_registry_has_room_for_120_features() -> None:
    assert len(FEATURES) == 120
    assert max(feature.number for feature in FEATURES.values()) > FIRST_FURTHER_FEATURE
    with pytest.raises(TetrionError, match=r"registry is full \(120 features\)"):
        copy_feature("one_too_many", FEATURES["holes"])


@pytest.mark.parametrize("measured", ["before", "after"])
def test_values_and_chosen_placement_equal_the_reference(measured: str) -> None:
    random = Random(measured)
    for piece in PIECES * 3:
        board = random_board(random, piece)
        agent = WeightedAgent("copied", make_terms(random, 1), measured)
        integers, _ = quantise(agent.weights)
        rules = Rules.parse(f"standard:height={len(board)}")
        position = Position.from_board(to_engine_board(board), piece, rules=rules)
        expected = {}
        for placement in slow.find_drops(board, piece):
            values = slow_features.features(board, piece, placement, measured == "after")
            expected[placement[:3]] = {PREFIX + name: value for name, value in values.items()}
        candidates = {
            (shown.placement.rotation, shown.placement.column, shown.placement.row): shown.values
            for shown in agent.explain(position, 1000).candidates
        }
        assert candidates == expected
        if expected:
            best = max(expected, key=lambda placement: compute_score(integers, expected[placement]))
            assert next(iter(candidates)) == best


def play_games(play: Any, rules: str, pieces: int, agents: list[WeightedAgent]) -> bytes:
    """Return the records of six games as bytes."""
    games = make_games(6, 2)
    games["agent"] = np.arange(6) % len(agents)
    engine_agents = [make_engine_agent(agent) for agent in agents]
    play(games, EngineSettings.from_agents(engine_agents, Rules.parse(rules), max_pieces=pieces), 10**9)
    return bytes(games.tobytes())


@pytest.mark.parametrize(
    ("play", "rules", "pieces", "options"),
    [
        pytest.param(play_drops_simd, "standard-10x10", 300, {}, id="simd"),
        pytest.param(play_drops_scalar, "standard-10x10", 300, {}, id="scalar"),
        pytest.param(play_drops_between_heights, "standard-10x10", 300, {}, id="heights"),
        pytest.param(play_any_movement, "gavrilov:movement=reach", 200, {}, id="reach"),
        pytest.param(play_with_lookahead, "medico", 30, {"depth": 2}, id="depth"),
        pytest.param(play_with_lookahead, "standard-10x10", 20, {"expect": True}, id="expect"),
    ],
)
def test_copies_play_identical_games(play: Any, rules: str, pieces: int, options: dict[str, Any]) -> None:
    results = set()
    for copied_share in (0, 0.5, 1):
        random = Random(3)
        agents = [WeightedAgent("agent", make_terms(random, copied_share), **options) for _ in range(3)]
        if options:
            mode = SecondMode(make_terms(random, copied_share), "max_height", 3)
            agents.append(WeightedAgent("modes", make_terms(random, copied_share), second_mode=mode, **options))
        results.add(play_games(play, rules, pieces, agents))
    assert len(results) == 1


@pytest.mark.parametrize(("env_class", "names"), [(PlacementEnv, BOARD_NAMES), (AfterstatesEnv, NAMES)])
def test_environments_observe_identical_values(env_class: Any, names: list[str]) -> None:
    environments = [
        env_class(rules="standard", observation="features", features=[prefix + name for name in names])
        for prefix in ("", PREFIX)
    ]
    for env in environments:
        env.reset(seed=4)
    for step in range(15):
        legal = np.flatnonzero(environments[0].action_masks())
        observations = [env.step(int(legal[7 * step % len(legal)]))[0] for env in environments]
        if env_class is AfterstatesEnv:
            observations = [observation["features"] for observation in observations]
        assert observations[0].any()
        assert np.array_equal(*observations)
