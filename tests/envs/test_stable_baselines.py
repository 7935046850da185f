"""The vector environments as a `VecEnv` of Stable-Baselines3: the games of single environments, played together."""

import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

import tetrion.envs
from tetrion.errors import TetrionError

GAMES = 5
STEPS = 120
MODERN_RULES = "tetrio:height=6,hidden_rows=2,garbage_rows=1,garbage_interval=2"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment_id", "options"),
    [
        ("tetrion/Jumanji-v0", {"observation": "features"}),
        ("tetrion/Afterstates-v0", {"rules": "standard-10x10", "max_episode_steps": 20}),
        ("tetrion/Placement-v0", {"rules": MODERN_RULES, "observation": "dict", "reward": "survival"}),
        ("tetrion/Afterstates-v0", {"rules": MODERN_RULES, "reward": "attack", "max_placements": 64}),
        ("tetrion/Keys-v0", {"rules": MODERN_RULES, "max_episode_steps": 50}),
    ],
)
def test_games_are_those_of_single_environments(environment_id: str, options: dict[str, Any]) -> None:
    env_util = pytest.importorskip("stable_baselines3.common.env_util")
    from tetrion.envs import StableBaselinesVecEnv

    single = env_util.make_vec_env(environment_id, GAMES, seed=3, env_kwargs=options)
    batch = StableBaselinesVecEnv(gymnasium.make_vec(environment_id, GAMES, **options))
    batch.seed(3)
    generator = np.random.default_rng(1)
    observations = single.reset(), batch.reset()
    ended = 0
    for _ in range(STEPS):
        for name, array in as_dict(observations[0]).items():
            np.testing.assert_array_equal(array, as_dict(observations[1])[name])
        masks = np.stack(single.env_method("action_masks"))
        np.testing.assert_array_equal(masks, np.stack(batch.env_method("action_masks")))
        actions = (masks * generator.random(masks.shape)).argmax(1)
        one, other = single.step(actions), batch.step(actions)
        observations = one[0], other[0]
        np.testing.assert_array_equal(one[1], other[1])
        np.testing.assert_array_equal(one[2], other[2])
        for index in np.flatnonzero(one[2]):
            check_same_end(one[3][index], other[3][index])
            ended += 1
    assert ended > GAMES


def make_batch(**options: Any) -> Any:
    """Return two games of low boards as a `VecEnv`; skip the test if Stable-Baselines3 is not installed."""
    pytest.importorskip("stable_baselines3")
    from tetrion.envs import StableBaselinesVecEnv

    options = {"rules": "standard:height=5,preview=1", "observation": "columns", **options}
    return StableBaselinesVecEnv(gymnasium.make_vec("tetrion/Placement-v0", 2, **options))


@pytest.mark.slow
def test_options_select_the_next_games() -> None:
    batch = make_batch()
    single = gymnasium.make("tetrion/Placement-v0", rules="standard:height=5,preview=1", observation="columns")
    for options in ({"number": 5}, [{"number": 9}, {"number": 9}], {}, None):
        batch.seed(3)
        batch.set_options(options)
        chosen = options[0] if isinstance(options, list) else options
        for index, observation in enumerate(batch.reset()):
            np.testing.assert_array_equal(observation, single.reset(seed=3 + index, options=chosen)[0])
    for wrong in ([{"number": 1}, {"number": 2}], [{"number": 1}], []):
        with pytest.raises(TetrionError, match="The games have the options of reset in common"):
            batch.set_options(wrong)
    batch.set_options({"numbr": 1})
    with pytest.raises(TetrionError, match="Did you mean 'number'"):
        batch.reset()


@pytest.mark.slow
def test_pictures_are_those_of_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    batch = make_batch(render_mode="rgb_array")
    batch.seed(3)
    batch.reset()
    pictures = batch.get_images()
    assert len(pictures) == 2
    for picture, expected in zip(pictures, batch.games.render(), strict=True):
        np.testing.assert_array_equal(picture, expected)
    height, width, _ = pictures[0].shape
    assert batch.render().size == 2 * 3 * height * width  # both in one picture
    assert batch.metadata["render_fps"] == batch.games.metadata["render_fps"]
    with pytest.raises(TetrionError, match=r"Pictures need render_mode='rgb_array'.*given render_mode=None"):
        make_batch().get_images()


def as_dict(observations: Any) -> dict[str, Any]:
    """Return observations by name; those without names under an empty one."""
    return observations if isinstance(observations, dict) else {"": observations}


def check_same_end(info: dict[str, Any], other_info: dict[str, Any]) -> None:
    """Check that two steps that end an episode have the same information."""
    for name in other_info:
        if name != "terminal_observation":
            assert info[name] == other_info[name], name
    assert {"TimeLimit.truncated", "pieces", "lines", "score"} <= other_info.keys()
    assert ("attack" in other_info) == ("attack" in info)
    for name, array in as_dict(info["terminal_observation"]).items():
        np.testing.assert_array_equal(array, as_dict(other_info["terminal_observation"])[name])


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(ModuleNotFoundError, match=r"Stable-Baselines3 is needed.*pip install \"tetrion\[learning\]\""):
        _ = tetrion.envs.StableBaselinesVecEnv
