"""Rewards: each kind, and functions of the user, in single and vector environments."""

from typing import Any

import pytest

from tests.envs.env_games import make_env
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.board import Board
from tetrion.engine.episodes import SHAPING_WEIGHTS
from tetrion.envs import AfterstatesEnv, PlacementEnv, Transition

SEED = 5


def evaluate_board(board: Board) -> float:
    features = board.measure_features()
    return sum(weight * features[name] for name, weight in SHAPING_WEIGHTS.items())


class LeeInEnvironment:
    """The agent `lee`, which chooses placements or, in the environment with keys, presses the keys to reach them."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.agent = load_weighted_agent("lee")
        self.keys: list[str] = []
        self.meanings = env.get_action_meanings()

    def choose_action(self) -> int:
        if self.keys:
            return int(self.meanings.index(self.keys.pop(0)))
        position = self.env.position
        placement = self.agent.choose(position)
        assert placement is not None
        if isinstance(self.env, PlacementEnv | AfterstatesEnv):
            return self.env.find_action(placement)
        self.keys = [*position.find_keys(placement), "drop"]
        return self.choose_action()


@pytest.mark.parametrize("environment_id", ["tetrion/Placement-v0", "tetrion/Keys-v0", "tetrion/Afterstates-v0"])
@pytest.mark.parametrize("reward", ["lines", "score", "survival", "shaped"])
def test_kinds_of_rewards(environment_id: str, reward: str) -> None:
    options = {"frames_per_step": 1} if environment_id == "tetrion/Keys-v0" else {}
    env = make_env(environment_id, rules="standard:height=6,scoring=nes", reward=reward, **options)
    env.reset(seed=SEED)
    player = LeeInEnvironment(env)
    given = set()
    for _ in range(120):
        before = env.position
        action = player.choose_action()
        _, value, is_terminated, _, _ = env.step(action)
        after = env.position
        expected = {
            "lines": after.lines - before.lines,
            "score": after.score - before.score,
            "survival": 0 if is_terminated else after.pieces - before.pieces,
            "shaped": after.lines - before.lines + evaluate_board(after.board) - evaluate_board(before.board),
        }
        assert isinstance(value, float)
        assert value == pytest.approx(expected[reward])
        given.add(value)
        if is_terminated:
            env.reset()
    assert len(given) > 1


def test_shaping_weights_are_those_of_lee() -> None:
    weights: dict[str, Any] = dict(make_engine_agent(load_weighted_agent("lee")).terms)
    for name, weight in SHAPING_WEIGHTS.items():
        assert weight == pytest.approx(weights[name] / weights["lines"])


@pytest.mark.parametrize("rules", ["nes:height=6", "tetrio:height=8,hidden_rows=2,garbage_rows=1,garbage_interval=2"])
def test_function_of_the_user_gets_numbers_in_a_single_environment(rules: str) -> None:
    steps: list[Transition] = []

    def reward(step: Transition) -> Any:
        steps.append(step)
        return step.lines * 10 - (5 if step.is_terminated else 0) - (0 if step.is_legal else 1)

    env = make_env("tetrion/Placement-v0", rules=rules, reward=reward)
    _, before_info = env.reset(seed=SEED)
    for number in range(100):
        before = env.position
        action = env.sample_action() if number % 4 else env.action_space.n - 1
        is_legal = bool(env.action_masks()[action])
        _, value, is_terminated, _, info = env.step(action)
        step = steps[-1]
        for name in ("attack", "received", "perfect_clears") if "attack" in info else ():
            assert getattr(step, name) == info[name] - before_info[name]
        assert step.spin == info.get("spin", 0)
        before_info = info
        lines = env.position.lines - before.lines
        assert value == lines * 10 - 5 * is_terminated - (not is_legal)
        assert (step.pieces, step.lines, step.points) == (is_legal, lines, env.position.score - before.score)
        assert (step.is_legal, step.is_terminated) == (is_legal, is_terminated)
        assert tuple(step.board_before) == before.board.columns
        assert tuple(step.board) == env.position.board.columns
        if is_terminated:
            _, before_info = env.reset()
