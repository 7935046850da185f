"""Q-learning: its sums by hand, the agent that plays as it does, sameness to the bit, and divergence that is caught."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tetrion
from tetrion.agents import WeightedAgent
from tetrion.engine.batch_play import EngineSettings, make_games, select_fastest_play
from tetrion.engine.rules import Rules
from tetrion.errors import RunError, TetrionError
from tetrion.training import train
from tetrion.training.q_learning import INITIAL_WEIGHTS, QLearning, QLearningSettings

TETRAIS = Rules.parse("tetrais")
SQUARES = Rules.parse("tetrais:randomiser=only-O")
BY_HAND = QLearningSettings(
    max_pieces=1, alpha=0.1, gamma=0.9, gamma_end=0.9, trace_decay=0.5, initial_bias=10, average_from=0
)
AS_REPORTED = QLearningSettings(trace_decay=0, bias=False, average_from=0)
STILL = QLearningSettings(alpha=0, average_from=0, max_pieces=1500)


def with_weights(settings: QLearningSettings, rules: Rules, *weights: float) -> QLearning:
    learner = QLearning(settings, rules, seed=7)
    learner.restore(learner.get_state() | {"weights": np.array(weights)})
    return learner


def through_a_file(learner: QLearning, path: Path) -> QLearning:
    np.savez(path, **dict[str, Any](learner.get_state()))
    later = QLearning(learner.settings, learner.rules, seed=99)
    with np.load(path, allow_pickle=False) as saved:
        later.restore(saved)
    return later


def test_one_update_by_hand() -> None:
    # A square goes to the left wall: max height and bumpiness rise by 2, so Q = −2 − 2 + 10 = 6. The next one changes
    # neither beside it, Q = 10. The error is 0 + 0.9 · 10 − 6 = 3, and a tenth of it times (0, 2, 0, 2, 1) is learnt.
    episode = QLearning(BY_HAND, SQUARES, seed=1).run_episode()
    assert (episode.number, episode.pieces, episode.lines) == (1, 1, 0)
    assert episode.error == pytest.approx(3)
    assert episode.weights == pytest.approx((4, -1 + 0.6, -1, -1 + 0.6))
    assert episode.constant == pytest.approx(10.3)


def test_an_error_reaches_the_placement_before() -> None:
    # The second square lies beside the first: Q = 10.3, the next one's as well, and the error is 0.9 · 10.3 −
    # 10.3 = −1.03. It is put down to (0, 0, 0, 0, 1) and, 0.9 · 0.5 as much, to the (0, 2, 0, 2, 1) before.
    episode = QLearning(replace(BY_HAND, max_pieces=2), SQUARES, seed=1).run_episode()
    assert episode.error == pytest.approx((3 + 1.03) / 2)
    assert episode.weights == pytest.approx((4, -0.4 - 0.103 * 0.9, -1, -0.4 - 0.103 * 0.9))
    assert episode.constant == pytest.approx(10.3 - 0.103 * 1.45)


def test_the_reports_own_formula_has_neither() -> None:
    # Without the constant Q = −4 and then 0: the error is 4. Then both are 0, and nothing more is learnt.
    episode = QLearning(replace(BY_HAND, max_pieces=2, trace_decay=0, bias=False), SQUARES, seed=1).run_episode()
    assert episode.error == pytest.approx(4 / 2)
    assert episode.weights == pytest.approx((4, -1 + 0.8, -1, -1 + 0.8))
    assert episode.constant == 0


def test_nothing_comes_after_the_end() -> None:
    # Weights of 0 pile squares up from the left. On four rows the sixth blocks the entrance: until then R + Q′ − Q = 0,
    # and now 0 + 0 − 10. It fills a step of two cells: max height, holes and bumpiness stay.
    settings = replace(BY_HAND, max_pieces=100, gamma=1, gamma_end=1, trace_decay=0)
    episode = with_weights(settings, Rules.parse("tetrais:height=4,randomiser=only-O"), 0, 0, 0, 0, 10).run_episode()
    assert episode.pieces == 6
    assert episode.error == pytest.approx(10 / 6)
    assert (*episode.weights, episode.constant) == pytest.approx((0, 0, 0, 0, 10 - 0.1 * 10))


def test_cleared_lines_are_the_reward() -> None:
    # The weights lay five squares side by side, and the fifth clears two rows. Without a discount, a constant and
    # learning, an error is R − Q: 4 for the first square, 0 for the next three. The last one clears two lines, 4 · 2,
    # and leaves an empty board: its max height was 2, and the step down behind the fourth square was 2 as well.
    settings = replace(BY_HAND, max_pieces=5, gamma=0, gamma_end=0, alpha=0, bias=False)
    episode = QLearning(settings, SQUARES, seed=1).run_episode()
    assert episode.lines == 2
    assert episode.error == pytest.approx((4 + 0 + 0 + 0 + abs(2 - (4 * 2 + 2 + 2))) / 5)


@pytest.mark.parametrize(
    ("rules", "pieces"), [("tetrais", 5000), ("hindi", 300), ("gavrilov", 300), ("medico", 300), ("nes", 50)]
)
@pytest.mark.parametrize("features", INITIAL_WEIGHTS)
def test_the_agent_plays_as_the_learner_does(rules: str, pieces: int, features: str) -> None:
    weights = (1.1, 0.07, -1.43, -0.29, -0.31, 60.0)[: len(INITIAL_WEIGHTS[features])]
    settings = replace(STILL, features=features, max_pieces=pieces)
    learner = with_weights(settings, Rules.parse(rules), *weights, 60.0)
    episode = learner.run_episode()
    setting = EngineSettings.from_agents([learner.make_agent("mine").compile()], Rules.parse(rules), pieces)
    games = make_games(1, learner.games_seed, episode.number)
    while select_fastest_play(setting)(games, setting, pieces):
        pass
    for name in ("pieces", "lines", "score"):
        assert getattr(episode, name) == games[name][0] > 0
    assert np.array_equal(learner.environment.game["board"], games["board"][0])


def test_equal_seeds_learn_the_same_to_the_bit_and_others_do_not() -> None:
    settings = QLearningSettings(max_pieces=100, epsilon=0.1, average_from=2)
    first, same, other = (QLearning(settings, TETRAIS, seed) for seed in (3, 3, 4))
    assert [first.run_episode() for _ in range(4)] == [same.run_episode() for _ in range(4)]
    assert first.get_weights() == same.get_weights()
    assert other.run_episode() != QLearning(settings, TETRAIS, 3).run_episode()


def test_a_state_in_a_file_goes_on_to_the_bit(tmp_path: Path) -> None:
    settings = QLearningSettings(max_pieces=100, epsilon=0.1, average_from=2)
    whole, half = QLearning(settings, TETRAIS, 3), QLearning(settings, TETRAIS, 3)
    for _ in range(3):
        whole.run_episode(), half.run_episode()
    later = through_a_file(half, tmp_path / "state.npz")
    assert [later.run_episode() for _ in range(3)] == [whole.run_episode() for _ in range(3)]
    assert later.get_weights() == whole.get_weights()


def test_a_state_of_other_features_is_refused() -> None:
    raw = QLearning(QLearningSettings(features="raw"), TETRAIS, 0)
    with pytest.raises(RunError, match=r'"differences" there are 5 weights, and this state has 6\. Go on with'):
        QLearning(QLearningSettings(), TETRAIS, 0).restore(raw.get_state())


def test_weights_are_averaged_from_an_episode_on() -> None:
    learner = QLearning(QLearningSettings(max_pieces=1, average_from=2), TETRAIS, 5)
    first = learner.run_episode()
    assert tuple(learner.get_weights().values()) == first.weights
    later = [learner.run_episode().weights for _ in range(3)]
    assert tuple(learner.get_weights().values()) == pytest.approx(np.mean(later, axis=0))


def test_rates_move_in_a_line_and_then_stay() -> None:
    learner = QLearning(
        QLearningSettings(max_pieces=1, alpha=0.4, alpha_end=0.2, alpha_episodes=2, epsilon=1, epsilon_episodes=4),
        TETRAIS,
        0,
    )
    episodes = [learner.run_episode() for _ in range(6)]
    assert [episode.alpha for episode in episodes] == pytest.approx([0.4, 0.3, 0.2, 0.2, 0.2, 0.2])
    assert [episode.epsilon for episode in episodes] == pytest.approx([1, 0.75, 0.5, 0.25, 0, 0])


def test_random_placements_are_random() -> None:
    settings = QLearningSettings(epsilon=1, epsilon_end=1, alpha=0, average_from=0)
    learner = QLearning(settings, TETRAIS, 0)
    assert sum(learner.run_episode().lines for _ in range(20)) < 20  # the start clears thirty a game


@pytest.mark.parametrize("settings", [QLearningSettings(features="raw"), replace(AS_REPORTED, features="raw")])
def test_raw_features_diverge_and_are_caught(settings: QLearningSettings, tmp_path: Path) -> None:
    learner = QLearning(settings, TETRAIS, 0)
    while not learner.divergence_message:
        episode = learner.run_episode()
    assert episode.number <= 3
    assert f"diverged in episode {episode.number}, at piece {episode.pieces}: that of " in learner.divergence_message
    assert "to begin with and would now be" in learner.divergence_message
    assert 'Use features = "differences"' in learner.divergence_message
    assert all(abs(weight) <= settings.divergence_factor * 4 for weight in episode.weights)
    assert tuple(learner.get_weights().values()) == episode.weights
    assert tetrion.evaluate(learner.make_agent("lost"), "tetrais", games=2).games == 2
    with pytest.raises(RunError, match="nothing more to learn"):
        learner.run_episode()
    assert through_a_file(learner, tmp_path / "state.npz").divergence_message == learner.divergence_message


def test_differences_that_diverge_are_told_something_else() -> None:
    learner = QLearning(QLearningSettings(alpha=1), TETRAIS, 0)
    learner.run_episode()
    assert "diverged in episode 1" in learner.divergence_message
    assert learner.divergence_message.endswith("Use a smaller alpha or trace.")
    assert np.isfinite(list(learner.get_weights().values())).all()


def test_differences_learn_much_in_seconds() -> None:
    settings = QLearningSettings(episodes=80, alpha_episodes=80, average_from=40, max_pieces=500)
    learner = QLearning(settings, TETRAIS, 2)
    before = learner.make_agent("start")
    for _ in range(settings.episodes):
        learner.run_episode()
    started, learnt = (
        tetrion.evaluate(agent, "tetrais", games=50, max_pieces=2000, seed=17).lines.mean or np.inf
        for agent in (before, learner.make_agent("learnt"))
    )
    assert learnt > 4 * started


def test_it_ends_with_the_episode_that_uses_up_its_pieces(tmp_path: Path) -> None:
    changes = ("q-learning.max_pieces=20", "budget=50", "validation.every=0", "validation.max_pieces=20", "final=3")
    pieces = train("tetrais-q", tmp_path / "run", seed=0, changes=changes, workers=1).metrics["pieces"]
    assert pieces.sum() >= 50 > pieces[:-1].sum()


def test_a_wrong_seed_is_refused() -> None:
    with pytest.raises(TetrionError, match="A seed"):
        QLearning(QLearningSettings(), TETRAIS, -1)


@pytest.mark.slow
def test_the_named_agent_is_what_the_recipe_makes(tmp_path: Path) -> None:
    run, named = train("tetrais-q", tmp_path / "run", seed=0), tetrion.load_agent("tetrais-q")
    assert isinstance(named, WeightedAgent)
    assert run.best_agent.weights == named.weights
    assert run.result
    assert run.result["held_out"]["lines"]["ci95"][0] > 1000
