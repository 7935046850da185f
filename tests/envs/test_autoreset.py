"""The autoreset modes of vector environments, and what an environment returns when an episode has ended."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.envs.env_games import (
    ENVIRONMENT_IDS,
    OBSERVATION_NAMES,
    assert_same_data,
    make_env,
    make_vector_env,
    step_together,
)
from tetrion.errors import ActionError, TetrionError, UnknownNameError

GAMES = 5
SEED = 7
LOW_RULES = "standard:height=4"
MODERN_RULES = "tetrio:height=6,hidden_rows=2,garbage_rows=1,garbage_interval=2"
RULES = (LOW_RULES, MODERN_RULES)


def make_pair(environment_id: str, mode: AutoresetMode, **options: Any) -> tuple[Any, Any]:
    """Return a vector environment and single ones in Gymnasium's `SyncVectorEnv`."""
    singles = gymnasium.make_vec(
        environment_id,
        num_envs=GAMES,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **options,
    )
    return make_vector_env(environment_id, GAMES, autoreset_mode=mode, **options), singles


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
@pytest.mark.parametrize(
    ("mode", "observation"),
    [
        *((AutoresetMode.NEXT_STEP, observation) for observation in OBSERVATION_NAMES),
        (AutoresetMode.SAME_STEP, "dict"),
        (AutoresetMode.DISABLED, "dict"),
    ],
)
@pytest.mark.parametrize("rules", RULES)
def test_vector_environment_equals_single_ones(
    environment_id: str, mode: AutoresetMode, observation: str, rules: str
) -> None:
    options = {"rules": rules, "observation": observation, "reward": "shaped", "max_episode_steps": 9}
    envs, singles = make_pair(environment_id, mode, **options)
    assert envs.observation_space == singles.observation_space
    assert envs.action_space == singles.action_space
    ends = 0
    for _, _, terminated, truncated, infos in step_together(envs, singles, SEED):
        ended = terminated | truncated
        ends += int(ended.sum())
        if mode is AutoresetMode.DISABLED and ended.any():
            compare_restart(envs, singles, ended, infos)
    assert ends > 10
    compare_restart(envs, singles, np.array([True, False, False, True, False]), {})
    assert_same_data(envs.reset(), singles.reset())
    assert_same_data(envs.reset(seed=[3, 1, 4, 1, 5]), singles.reset(seed=[3, 1, 4, 1, 5]))


def compare_restart(envs: Any, singles: Any, chosen: Any, infos_before: dict[str, Any]) -> None:
    """Restart some games in both vector environments; Gymnasium's own has zeros for games that continue."""
    observations, infos = envs.reset(options={"reset_mask": chosen})
    others, other_infos = singles.reset(options={"reset_mask": chosen})
    assert_same_data(observations, others)
    assert infos.keys() == other_infos.keys()
    for name, values in infos.items():
        np.testing.assert_array_equal(values[chosen], other_infos[name][chosen])
        if name in infos_before:
            np.testing.assert_array_equal(values[~chosen], infos_before[name][~chosen])


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_rewards_of_functions_and_pictures_equal_those_of_single_environments(mode: AutoresetMode) -> None:
    options: dict[str, Any] = {"rules": LOW_RULES, "render_mode": "ansi"}
    options["reward"] = lambda step: step.lines - step.is_terminated + step.board.sum(-1) - step.board_before[..., 0]
    envs, singles = make_pair("tetrion/Placement-v0", mode, **options)
    for _ in step_together(envs, singles, SEED):
        assert envs.render() == singles.render()


def test_ended_games_must_be_restarted_if_autoreset_is_disabled() -> None:
    envs = make_vector_env("tetrion/Placement-v0", 3, max_episode_steps=2, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=SEED)
    envs.step(envs.sample_actions())
    envs.reset(options={"reset_mask": np.array([True, False, True])})
    *_, is_truncated, _ = envs.step(envs.sample_actions())
    assert is_truncated.tolist() == [False, True, False]
    before = envs.action_masks()
    with pytest.raises(ActionError, match=r"The episode of game 1 has ended\. Before the next step, call reset"):
        envs.step(envs.sample_actions())
    np.testing.assert_array_equal(envs.action_masks(), before)
    envs.reset(options={"reset_mask": is_truncated})
    *_, is_truncated, infos = envs.step(envs.sample_actions())
    assert is_truncated.tolist() == [True, False, True]
    assert infos["pieces"].tolist() == [2, 1, 2]


def test_final_observations_stay_valid_without_copies() -> None:
    options = {"rules": LOW_RULES, "observation": "dict", "copy": False, "autoreset_mode": AutoresetMode.SAME_STEP}
    envs = make_vector_env("tetrion/Placement-v0", 2, **options)
    envs.reset(seed=SEED)
    infos: dict[str, Any] = {}
    while "final_obs" not in infos:
        *_, infos = envs.step(envs.sample_actions())
    index = int(np.flatnonzero(infos["_final_obs"])[0])
    board = infos["final_obs"][index]["board"]
    assert board.any()
    kept = board.copy()
    for _ in range(5):
        envs.step(envs.sample_actions())
    np.testing.assert_array_equal(board, kept)


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
@pytest.mark.parametrize("rules", RULES)
def test_mask_has_action_0_alone_after_the_end(environment_id: str, rules: str) -> None:
    """A policy needs an action with a positive probability also after the end, although it has no effect."""
    env = make_env(environment_id, rules=rules, observation="dict", illegal_action="error")
    for seed in range(3):
        env.reset(seed=seed)
        is_terminated = False
        while not is_terminated:
            observation, _, is_terminated, _, info = env.step(env.sample_action())
        for mask in (info["action_mask"], observation["action_mask"], env.action_masks()):
            assert np.flatnonzero(mask).tolist() == [0]
        assert env.sample_action() == env.action_space.sample(mask=info["action_mask"]) == 0
        assert env.observation_space.contains(observation)


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_masks_of_vector_environments_are_never_empty(environment_id: str, mode: AutoresetMode) -> None:
    options = {"rules": MODERN_RULES, "observation": "dict", "illegal_action": "error", "autoreset_mode": mode}
    envs = make_vector_env(environment_id, GAMES, **options)
    observations, infos = envs.reset(seed=SEED)
    ended = 0
    for number in range(150):
        for masks in (infos["action_mask"], observations["action_mask"], envs.action_masks()):
            assert masks.any(axis=1).all()
        actions = envs.action_space.sample(mask=tuple(infos["action_mask"])) if number % 2 else envs.sample_actions()
        observations, _, is_terminated, _, infos = envs.step(actions)
        if mode is AutoresetMode.SAME_STEP and is_terminated.any():
            for index in np.flatnonzero(is_terminated):
                assert np.flatnonzero(infos["final_obs"][index]["action_mask"]).tolist() == [0]
                assert np.flatnonzero(infos["final_info"]["action_mask"][index]).tolist() == [0]
        elif is_terminated.any():
            assert (infos["action_mask"][is_terminated].argmax(axis=1) == 0).all()
            assert (infos["action_mask"][is_terminated].sum(axis=1) == 1).all()
            if mode is AutoresetMode.DISABLED:
                observations, infos = envs.reset(options={"reset_mask": is_terminated})
        ended += int(is_terminated.sum())
    assert ended > 3


def test_mask_after_a_truncation_or_an_illegal_action_is_that_of_the_position() -> None:
    for options in ({"max_episode_steps": 1}, {"illegal_action": "terminate"}):
        envs = make_vector_env("tetrion/Placement-v0", 1, rules="standard:randomiser=only-O", **options)
        envs.reset(seed=SEED)
        *_, is_terminated, is_truncated, infos = envs.step([39])
        assert is_terminated[0] or is_truncated[0]
        assert np.flatnonzero(infos["action_mask"][0]).tolist() == list(range(9))


def test_mode_is_an_option_of_vector_environments() -> None:
    for given in (AutoresetMode.DISABLED, "Disabled"):
        envs: Any = gymnasium.make_vec("tetrion/Placement-v0", num_envs=2, autoreset_mode=given)
        assert envs.autoreset_mode is envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
        again: Any = gymnasium.make_vec(envs.spec)
        assert (again.autoreset_mode, again.num_envs) == (AutoresetMode.DISABLED, 2)
    for wrong in ("same_step", None):
        with pytest.raises(UnknownNameError, match=r"Unknown autoreset_mode '.*(SameStep)"):
            make_vector_env("tetrion/Placement-v0", 2, autoreset_mode=wrong)
    with pytest.raises(TetrionError, match=r"autoreset_mode is an option of vector environments.*make_vec.*Omit it"):
        make_env("tetrion/Placement-v0", autoreset_mode="SameStep")
