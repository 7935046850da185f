"""Gymnasium's own checks, for every environment and every option; warnings count as errors."""

import copy
import itertools
import re
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.envs.env_games import ENVIRONMENT_IDS, OBSERVATION_NAMES, make_env, make_vector_env
from tetrion.engine.episodes import REWARD_KINDS
from tetrion.engine.rotation_systems import ROTATION_SYSTEMS
from tetrion.engine.rules import PRESETS
from tetrion.envs import REGISTERED_ENVIRONMENTS, AfterstatesEnv, KeysEnv, PlacementEnv
from tetrion.envs.options import ILLEGAL_ACTIONS, RENDER_MODES, get_default_options

MODERN_RULES = "guideline:garbage_rows=1,garbage_interval=2"
OPTIONS: list[dict[str, Any]] = [
    *({"rules": rules, "observation": kind} for rules, kind in zip(PRESETS, itertools.cycle(OBSERVATION_NAMES))),
    *({"reward": reward} for reward in ("lines", "score", "survival", "shaped", lambda step: step.lines - 1)),
    *({"rules": MODERN_RULES, "reward": reward} for reward in REWARD_KINDS),
    *({"rules": MODERN_RULES, "observation": kind} for kind in OBSERVATION_NAMES),
    {"features": ["holes"], "observation": "features"},
    {"max_episode_steps": 5},
    {"illegal_action": "ignore"},
    {"illegal_action": "terminate"},
]
PLACEMENT_OPTIONS: list[dict[str, Any]] = [
    {"rules": "standard:movement=reach", "max_placements": 20},
    {"rules": "tetrio", "max_placements": 20},
    {"rules": "standard:hold=1"},
]
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def _hidden_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.parametrize("name", REGISTERED_ENVIRONMENTS)
def test_registered_environments_pass_all_checks(name: str) -> None:
    check_env(make_env(name))


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
def test_every_option_passes_the_checks(environment_id: str) -> None:
    options = OPTIONS if environment_id == "tetrion/Keys-v0" else OPTIONS + PLACEMENT_OPTIONS
    for choice in options:
        check_env(make_env(environment_id, **choice), skip_render_check=True)
    if environment_id == "tetrion/Keys-v0":
        check_env(make_env(environment_id, frames_per_step=7), skip_render_check=True)


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
@pytest.mark.parametrize("rules", ["standard:height=6", "tetrio:height=6,garbage_rows=1,garbage_interval=2"])
def test_render_modes_show_the_game(environment_id: str, rules: str) -> None:
    for mode in ("rgb_array", "ansi"):
        env = make_env(environment_id, render_mode=mode, rules=rules)
        env.reset(seed=1)
        first = env.render()
        while not env.step(env.unwrapped.sample_action())[2]:
            pass
        last = env.render()
        assert mode != "ansi" or "over" in last.lower()
        assert not np.array_equal(first, last)
        env.close()
        env.close()


def test_actions_have_meanings() -> None:
    env = make_env("tetrion/Placement-v0")
    assert env.get_action_meanings() == [
        f"rotation {rotation}, column {column}" for rotation in range(4) for column in range(10)
    ]
    keys = make_env("tetrion/Keys-v0", rules="nes")
    assert keys.get_action_meanings() == ["none", "left", "right", "rotate", "back", "down"]
    assert make_vector_env("tetrion/Keys-v0", 2).get_action_meanings() == [
        *("none", "left", "right", "rotate", "back", "down", "drop")
    ]


@pytest.mark.parametrize(("rotation_system", "piece"), zip(ROTATION_SYSTEMS, itertools.cycle("TSI"), strict=False))
def test_action_is_rotation_times_ten_plus_column(rotation_system: str, piece: str) -> None:
    env = make_env("tetrion/Placement-v0", rules=f"standard:rotation={rotation_system},randomiser=only-{piece}")
    env.reset(seed=1)
    legal = np.flatnonzero(env.action_masks()).tolist()
    assert len(legal) == len(env.position.placements())
    for action in legal:
        placement = env.get_placement(action)
        assert (placement.rotation, placement.column) == divmod(action, 10)
        assert env.find_action(placement) == action
        after = copy.deepcopy(env)
        after.step(action)
        assert after.position.board == env.position.after(placement).board


@pytest.mark.parametrize("environment", [PlacementEnv, KeysEnv, AfterstatesEnv])
def test_docstring_is_the_specification(environment: type[Any]) -> None:
    """The docstring has the headings of Gymnasium and describes every option, reward and observation."""
    text = str(environment.__doc__)
    titles = ("Description", "Action Space", "Observation Space", "Rewards", "Starting State", "Episode End")
    for title in (*titles, "Information", "Arguments", "Vector Environment", "Version History"):
        assert f"## {title}\n" in text
    for name, default in get_default_options(environment).items():
        assert re.search(rf"`{name}(=[^`]*)?`(:|,|\s)", text)
        if isinstance(default, str):
            assert f'`{name}="{default}"`' in text
    for name in (*REWARD_KINDS, *ILLEGAL_ACTIONS, *OBSERVATION_NAMES, *RENDER_MODES):
        assert f"`{name}`" in text
