"""Tests of Q-learning: updates computed by hand, the resulting agent, reproducibility, and divergence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tetrion
from tetrion.agents import WeightedAgent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.batch_play import EngineSettings, make_games, select_fastest_play
from tetrion.engine.rules import Rules
from tetrion.errors import RunError, TetrionError
from tetrion.training import train
from tetrion.training.q_learning import INITIAL_WEIGHTS, QLearning, QLearningSettings

TETRAIS = Rules.parse("tetrais")
ONLY_O_RULES = Rules.parse("tetrais:randomiser=only-O")
SIMPLE = QLearningSettings(
    max_pieces=1, learning_rate=0.1, discount=0.9, discount_end=0.9, trace_decay=0.5, initial_bias=10, average_from=0
)
WITHOUT_LEARNING = QLearningSettings(learning_rate=0, average_from=0, max_pieces=1500)


def make_learner_with_weights(settings: QLearningSettings, rules: Rules, *weights: float) -> QLearning:
    learner = QLearning(settings, rules, seed=7)
    learner.restore(learner.get_state() | {"weights": np.array(weights, np.float64)})
    return learner


def test_one_update() -> None:
    # The first O piece lies at the left wall: max height and bumpiness rise by 2, so Q = −2 − 2 + 10 = 6. The second
    # one next to it changes neither, so Q = 10. The error is 0 + 0.9 · 10 − 6 = 3, and the weights change by a tenth of
    # it times the features (0, 2, 0, 2, 1).
    episode = QLearning(SIMPLE, ONLY_O_RULES, seed=1).run_episode()
    assert (episode.number, episode.pieces, episode.lines) == (1, 1, 0)
    assert episode.mean_abs_error == pytest.approx(3)
    assert episode.weights == pytest.approx((4, -1 + 0.6, -1, -1 + 0.6))
    assert episode.bias == pytest.approx(10.3)


def test_trace_passes_an_error_to_the_previous_placement() -> None:
    # The second O piece lies next to the first: Q = 10.3 for it and for the third, so the error is
    # 0.9 · 10.3 − 10.3 = −1.03. The trace is (0, 0, 0, 0, 1) plus 0.9 · 0.5 times the earlier (0, 2, 0, 2, 1).
    episode = QLearning(replace(SIMPLE, max_pieces=2), ONLY_O_RULES, seed=1).run_episode()
    assert episode.mean_abs_error == pytest.approx((3 + 1.03) / 2)
    assert episode.weights == pytest.approx((4, -0.4 - 0.103 * 0.9, -1, -0.4 - 0.103 * 0.9))
    assert episode.bias == pytest.approx(10.3 - 0.103 * 1.45)


def test_formula_of_the_report_has_no_trace_and_no_bias() -> None:
    # Without the bias, Q is −4 and then 0: the error is 4. Then both are 0, and the weights do not change.
    episode = QLearning(replace(SIMPLE, max_pieces=2, trace_decay=0, bias=False), ONLY_O_RULES, seed=1).run_episode()
    assert episode.mean_abs_error == pytest.approx(4 / 2)
    assert episode.weights == pytest.approx((4, -1 + 0.8, -1, -1 + 0.8))
    assert episode.bias == 0


def test_lost_game_has_no_future_value() -> None:
    # With weights of 0, O pieces are stacked from the left. On four rows the sixth blocks the spawn: until then
    # R + Q′ − Q = 0, and then 0 + 0 − 10. It fills a step of two cells: max height, holes and bumpiness stay.
    settings = replace(SIMPLE, max_pieces=100, discount=1, discount_end=1, trace_decay=0)
    episode = make_learner_with_weights(
        settings, Rules.parse("tetrais:height=4,randomiser=only-O"), 0, 0, 0, 0, 10
    ).run_episode()
    assert episode.pieces == 6
    assert episode.mean_abs_error == pytest.approx(10 / 6)
    assert (*episode.weights, episode.bias) == pytest.approx((0, 0, 0, 0, 10 - 0.1 * 10))


def test_reward_is_the_number_of_cleared_lines() -> None:
    # The weights place five O pieces side by side, and the fifth clears two rows. With γ = 0, no bias and no learning,
    # an error is R − Q: 4 for the first piece, 0 for the next three. The fifth clears two lines (4 · 2) and leaves an
    # empty board: the max height falls by 2, and so does the bumpiness, which was the step after the fourth piece.
    settings = replace(SIMPLE, max_pieces=5, discount=0, discount_end=0, learning_rate=0, bias=False)
    episode = QLearning(settings, ONLY_O_RULES, seed=1).run_episode()
    assert episode.lines == 2
    assert episode.mean_abs_error == pytest.approx((4 + 0 + 0 + 0 + abs(2 - (4 * 2 + 2 + 2))) / 5)


def test_value_of_the_board_is_learned_beside_a_constant_reward() -> None:
    # V = −1 · max height − 1 · holes + 5 · 2, where 2 is the constant feature. The first O piece lies at the left wall:
    # V = 8. The second one next to it leaves 8, too, and no line, so that the error is 0.5 · 8 − 8 = −4.
    settings = replace(
        SIMPLE,
        features="height-and-holes",
        learn_lines=False,
        bias_feature=2,
        discount=0.5,
        discount_end=0.5,
        trace_decay=0,
    )
    episode = make_learner_with_weights(settings, ONLY_O_RULES, 1, -1, -1, 5).run_episode()
    assert episode.mean_abs_error == pytest.approx(4)
    assert episode.weights == pytest.approx((1, -1 - 0.1 * 4 * 2, -1))
    assert episode.bias == pytest.approx(5 - 0.1 * 4 * 2)


def test_reward_of_a_placement_is_not_an_error_if_it_is_known() -> None:
    # With V = 0, five O pieces side by side clear two rows. The fourth placement is followed by a reward of 2, and the
    # reward of the fifth itself is known, so that only the fourth has an error, 2.
    settings = replace(
        SIMPLE,
        features="height-and-holes",
        learn_lines=False,
        bias=False,
        max_pieces=5,
        discount=1,
        discount_end=1,
        learning_rate=0,
    )
    episode = make_learner_with_weights(settings, ONLY_O_RULES, 1, 0, 0, 0).run_episode()
    assert (episode.lines, episode.mean_abs_error) == (0, 0)  # V = 0 piles up the pieces at the wall
    episode = make_learner_with_weights(settings, ONLY_O_RULES, 1, -1e-6, 0, 0).run_episode()
    assert episode.lines == 2
    assert episode.mean_abs_error == pytest.approx(2 / 5, abs=1e-5)


@pytest.mark.parametrize(("rules", "pieces"), [("tetrais", 1000), ("gavrilov", 300), ("nes", 50)])
@pytest.mark.parametrize("features", INITIAL_WEIGHTS)
def test_agent_makes_the_same_placements_as_the_learner(rules: str, pieces: int, features: str) -> None:
    weights = (1.1, 0.07, -1.43, -0.29, -0.31, 60.0)[: len(INITIAL_WEIGHTS[features])]
    settings = replace(WITHOUT_LEARNING, features=features, max_pieces=pieces)
    learner = make_learner_with_weights(settings, Rules.parse(rules), *weights, 60.0)
    episode = learner.run_episode()
    engine_settings = EngineSettings.from_agents(
        [make_engine_agent(learner.make_agent("mine"))], Rules.parse(rules), pieces
    )
    games = make_games(1, learner.games_seed, episode.number)
    while select_fastest_play(engine_settings)(games, engine_settings, pieces):
        pass
    for name in ("pieces", "lines", "score"):
        assert getattr(episode, name) == games[name][0] > 0
    assert np.array_equal(learner.environment.game["board"], games["board"][0])


def test_equal_seeds_give_bit_identical_training() -> None:
    settings = QLearningSettings(max_pieces=100, epsilon=0.1, average_from=2)
    first, same, other = (QLearning(settings, TETRAIS, seed) for seed in (3, 3, 4))
    assert [first.run_episode() for _ in range(4)] == [same.run_episode() for _ in range(4)]
    assert first.get_weights() == same.get_weights()
    assert other.run_episode() != QLearning(settings, TETRAIS, 3).run_episode()


def test_weights_are_averaged_from_a_given_episode() -> None:
    learner = QLearning(QLearningSettings(max_pieces=1, average_from=2), TETRAIS, 5)
    first = learner.run_episode()
    assert tuple(learner.get_weights().values()) == first.weights
    later = [learner.run_episode().weights for _ in range(3)]
    assert tuple(learner.get_weights().values()) == pytest.approx(np.mean(later, axis=0))


def test_rates_change_linearly_and_then_stay() -> None:
    learner = QLearning(
        QLearningSettings(
            max_pieces=1,
            learning_rate=0.4,
            learning_rate_end=0.2,
            learning_rate_episodes=2,
            epsilon=1,
            epsilon_episodes=4,
        ),
        TETRAIS,
        0,
    )
    episodes = [learner.run_episode() for _ in range(6)]
    assert [episode.learning_rate for episode in episodes] == pytest.approx([0.4, 0.3, 0.2, 0.2, 0.2, 0.2])
    assert [episode.epsilon for episode in episodes] == pytest.approx([1, 0.75, 0.5, 0.25, 0, 0])


def test_epsilon_1_places_at_random() -> None:
    settings = QLearningSettings(epsilon=1, epsilon_end=1, learning_rate=0, average_from=0)
    learner = QLearning(settings, TETRAIS, 0)
    assert sum(learner.run_episode().lines for _ in range(20)) < 20  # the initial weights clear thirty lines per game


def test_divergence_of_raw_features_is_detected() -> None:
    settings = QLearningSettings(features="raw")
    learner = QLearning(settings, TETRAIS, 0)
    while not learner.divergence_message:
        episode = learner.run_episode()
    assert episode.number <= 3
    assert (
        f"diverged in episode {episode.number}, at piece {episode.pieces}: the weight of " in learner.divergence_message
    )
    assert "initially and would become" in learner.divergence_message
    assert 'Use features = "differences"' in learner.divergence_message
    assert all(abs(weight) <= settings.divergence_factor * 4 for weight in episode.weights)
    assert tuple(learner.get_weights().values()) == episode.weights
    assert tetrion.evaluate(learner.make_agent("diverged"), "tetrais", games=2).games == 2
    with pytest.raises(RunError, match="Training cannot continue"):
        learner.run_episode()


def test_differences_learn_within_seconds() -> None:
    settings = QLearningSettings(episodes=80, learning_rate_episodes=80, average_from=40, max_pieces=500)
    learner = QLearning(settings, TETRAIS, 2)
    initial_agent = learner.make_agent("initial")
    for _ in range(settings.episodes):
        learner.run_episode()
    initial_lines, trained_lines = (
        tetrion.evaluate(agent, "tetrais", games=50, max_pieces=2000, seed=17).lines.mean
        for agent in (initial_agent, learner.make_agent("trained"))
    )
    assert trained_lines > 4 * initial_lines


def test_training_stops_when_total_pieces_are_reached(tmp_path: Path) -> None:
    changes = (
        "q-learning.max_pieces=20",
        "total_pieces=50",
        "validation.every=0",
        "validation.max_pieces=20",
        "final_games=3",
    )
    pieces = train("tetrais-q", tmp_path / "run", seed=0, changes=changes, workers=1).metrics["pieces"]
    assert pieces.sum() >= 50 > pieces[:-1].sum()


def test_rules_with_hold_or_spins_raise_error(tmp_path: Path) -> None:
    with pytest.raises(TetrionError, match=r"does not support hold and spins; given the rules guideline\. Use other"):
        train("tetrais-q", tmp_path / "run", seed=0, changes=["rules=guideline"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("tetrais-q", 1000, 2000), ("tetrais-q-report", 1, 10), ("tsitsiklis", 40, 46)],
)
def test_named_agent_equals_the_result_of_the_recipe(name: str, low: float, high: float, tmp_path: Path) -> None:
    run = train(name, tmp_path / "run", seed=0)
    named_agent = tetrion.load_agent(name)
    assert isinstance(named_agent, WeightedAgent)
    assert run.best_agent.weights == named_agent.weights
    assert run.result
    assert low < run.result["uncorrected"]["lines"]["mean"] < high
