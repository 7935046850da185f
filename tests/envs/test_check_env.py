"""Gymnasium's own checks, for every environment and every option; warnings count as errors."""

import itertools
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.envs.env_games import ENVIRONMENT_IDS, OBSERVATION_NAMES, make_env, make_vector_env
from tetrion.engine.presets import PRESETS
from tetrion.envs import AfterstatesEnv, KeysEnv, PlacementEnv
from tetrion.envs.registration import REGISTERED_ENVIRONMENTS

OPTIONS: list[dict[str, Any]] = [
    *({"rules": rules, "observation": kind} for rules, kind in itertools.product(PRESETS, OBSERVATION_NAMES)),
    *({"reward": reward} for reward in ("lines", "score", "survival", "shaped", lambda step: step.lines - 1)),
    {"features": ["holes"], "observation": "features"},
    {"max_episode_steps": 5},
]
PLACEMENT_OPTIONS: list[dict[str, Any]] = [
    {"illegal_action": "ignore"},
    {"illegal_action": "terminate"},
    {"rules": "standard:movement=reach", "max_placements": 20},
]
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def _hidden_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.parametrize("name", REGISTERED_ENVIRONMENTS)
def test_registered_environments_pass_all_checks(name: str) -> None:
    check_env(make_env(f"tetrion/{name}"))


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
def test_every_option_passes_the_checks(environment_id: str) -> None:
    options = OPTIONS if environment_id == "tetrion/Keys-v0" else OPTIONS + PLACEMENT_OPTIONS
    for choice in options:
        check_env(make_env(environment_id, **choice), skip_render_check=True)
    if environment_id == "tetrion/Keys-v0":
        check_env(make_env(environment_id, frames_per_step=7), skip_render_check=True)


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
@pytest.mark.parametrize("mode", ["rgb_array", "ansi", "human"])
def test_render_modes_show_the_game(environment_id: str, mode: str) -> None:
    env = make_env(environment_id, render_mode=mode, rules="standard:height=6")
    env.reset(seed=1)
    first = env.render()
    while not env.step(env.unwrapped.sample_action())[2]:
        pass
    last = env.render()
    if mode == "ansi":
        assert "over" in last.lower()
    if mode != "human":
        assert not np.array_equal(first, last)
    env.close()
    env.close()


def test_colours_of_vector_environments_are_those_of_single_ones() -> None:
    options: dict[str, Any] = {"render_mode": "rgb_array", "rules": "standard:height=5"}
    envs = make_vector_env("tetrion/Placement-v0", 2, **options)
    single = make_env("tetrion/Placement-v0", **options)
    envs.reset(seed=[3, 3])
    single.reset(seed=3)
    is_ended = False
    for _ in range(40):
        action = single.sample_action()
        envs.step([action, action])
        if is_ended:
            single.reset()
        else:
            is_ended = single.step(action)[2]
            for picture in envs.render():
                np.testing.assert_array_equal(picture, single.render())
            continue
        is_ended = False
    envs.close()


def test_actions_have_meanings() -> None:
    env = make_env("tetrion/Placement-v0")
    assert env.get_action_meanings() == [
        f"rotation {rotation}, column {column}" for rotation in range(4) for column in range(10)
    ]
    keys = make_env("tetrion/Keys-v0", rules="nes")
    assert keys.get_action_meanings() == ["none", "left", "right", "rotate", "back", "down"]
    reach = make_env("tetrion/Placement-v0", rules="standard:movement=reach")
    reach.reset(seed=1)
    meanings = reach.get_action_meanings()
    placements = reach.position.placements()
    assert meanings[: len(placements)] == [str(placement) for placement in placements]
    assert set(meanings[len(placements) :]) == {"illegal"}
    assert make_vector_env("tetrion/Keys-v0", 2).get_action_meanings() == [
        *("none", "left", "right", "rotate", "back", "down", "drop")
    ]


@pytest.mark.parametrize("environment", [PlacementEnv, KeysEnv, AfterstatesEnv])
def test_docstring_is_the_specification(environment: type[Any]) -> None:
    """The docstring has the headings of Gymnasium and describes every option, reward and observation."""
    text = str(environment.__doc__)
    titles = ("Description", "Action Space", "Observation Space", "Rewards", "Starting State", "Episode End")
    for title in (*titles, "Arguments", "Version History"):
        assert f"## {title}\n" in text
    if environment is not AfterstatesEnv:  # refers to PlacementEnv
        options = gymnasium.spec(f"tetrion/{environment.__name__.removesuffix('Env')}-v0")
        assert options is not None
        for name in ("rules", "observation", "features", "reward", "max_episode_steps", "render_mode"):
            assert f"- `{name}" in text
        for name in (*OBSERVATION_NAMES, "lines", "score", "survival", "shaped"):
            assert f"- `{name}`: " in text
