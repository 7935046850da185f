"""Mistakes: each gets an error that says what was expected, and names the closest correct value."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.envs.env_games import ENVIRONMENT_IDS, make_env, make_vector_env
from tetrion.envs import PlacementEnv, PlacementVectorEnv
from tetrion.envs.options import get_default_options
from tetrion.errors import ActionError, PlacementError, SeedError, TetrionError

PLACEMENT = "tetrion/Placement-v0"
KEYS = "tetrion/Keys-v0"
AFTERSTATES = "tetrion/Afterstates-v0"


@pytest.mark.parametrize(
    ("environment_id", "options", "message"),
    [
        (PLACEMENT, {"rule": "nes"}, "Unknown option 'rule'. Did you mean 'rules'?"),
        (PLACEMENT, {"frames_per_step": 2}, "frames_per_step is an option of tetrion/Keys-v0. Omit it."),
        (KEYS, {"max_placements": 9}, "max_placements is an option of tetrion/Placement-v0 and tetrion/Afterstates-v0"),
        (PLACEMENT, {"rules": "standrad"}, "Unknown rules 'standrad'. Did you mean 'standard'?"),
        (PLACEMENT, {"rules": 3}, "rules must be a name such as 'standard'"),
        (PLACEMENT, {"observation": "plane"}, "Unknown observation 'plane'. Did you mean 'planes'?"),
        (PLACEMENT, {"reward": "scores"}, "Unknown reward 'scores'. Did you mean 'score'?"),
        (PLACEMENT, {"features": ["landing_height"]}, "'landing_height' belongs to a placement"),
        (PLACEMENT, {"features": ["holes"]}, "features is for observation='features'; given observation='planes'"),
        (AFTERSTATES, {"features": ["holes"], "observation": "columns"}, "observation='features' or 'dict'"),
        (AFTERSTATES, {"features": "holes"}, "features must be a list of names"),
        (AFTERSTATES, {"features": ["holes", "holes"]}, "must not contain a name twice"),
        (PLACEMENT, {"max_placements": 50}, "Omit max_placements"),
        (PLACEMENT, {"rules": "medico", "max_placements": 5.0}, "max_placements must be a whole number from 1"),
        (KEYS, {"frames_per_step": 0}, "frames_per_step must be a whole number from 1"),
        (PLACEMENT, {"reward": "attack"}, "reward='attack' needs rules with attack, such as 'guideline'"),
        (AFTERSTATES, {"features": ["t_slots_ready"]}, "'t_slots_ready' is for modern rules, such as guideline; given"),
    ],
)
def test_wrong_options_get_the_closest_correct_one(environment_id: str, options: dict[str, Any], message: str) -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(TetrionError) as error:
            make(environment_id, **options)
        assert message in str(error.value)


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
def test_unknown_options_are_type_errors_in_the_words_of_python(environment_id: str) -> None:
    """TorchRL passes `frameskip` to every environment, and omits it after this error."""
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'") as error:
            make(environment_id, frameskip=4)
        assert isinstance(error.value, TetrionError)
        assert "Unknown option 'frameskip'. " in str(error.value)


@pytest.mark.parametrize("name", [*get_default_options(PlacementEnv), "num_envs", "copy", "autoreset_mode"])
def test_arrays_and_nan_as_options_are_rejected(name: str) -> None:
    values: list[Any] = [np.array([1, 2]), np.array(["planes", "lines"]), np.array([]), np.nan, [np.ones(2)]]
    for value in values:
        for make in (PlacementVectorEnv, PlacementEnv):
            with pytest.raises(TetrionError):
                make(**{name: value})


def test_wrong_options_of_vector_environments() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"num_envs": 0}, "num_envs must be a whole number from 1"),
        ({"num_envs": 2, "copys": True}, "Did you mean 'copy'"),
        ({"num_envs": 2, "copy": "no"}, "copy must be True or False"),
        ({"num_envs": 2, "render_mode": "human"}, "has no render mode 'human'"),
    ]
    for options, message in cases:
        with pytest.raises(TetrionError, match=message):
            gymnasium.make_vec(PLACEMENT, **options)


@pytest.mark.filterwarnings("ignore:.*render_mode")
def test_wrong_render_mode() -> None:
    with pytest.raises(TetrionError, match="Did you mean 'rgb_array'"):
        gymnasium.make(PLACEMENT, render_mode="rgb")
    env = make_env(PLACEMENT)
    env.reset()
    with pytest.raises(TetrionError, match="render needs a render mode"):
        env.render()


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
def test_wrong_actions(environment_id: str) -> None:
    env = make_env(environment_id)
    env.reset(seed=1)
    for action in (-1, 1000, 1.5, True, "3", None, [1], np.array([1, 2]), np.float32(2)):
        with pytest.raises(ActionError, match="An action must be a whole number from 0 to"):
            env.step(action)
    env.step(np.int32(1))
    env.step(np.array(1))


def test_wrong_actions_of_vector_environments() -> None:
    envs = make_vector_env(PLACEMENT, 3)
    envs.reset(seed=1)
    for actions in ([0, 1], [0.0, 1.0, 2.0], 1, [[0, 1, 2]], ["a", "b", "c"], [0, [1], 2]):
        with pytest.raises(ActionError, match="Actions must be an array of 3 whole numbers"):
            envs.step(actions)
    for actions in ([0, 1, 40], [0, -1, 2]):
        with pytest.raises(ActionError, match=f"given {actions[1] if actions[1] < 0 else 40} for game"):
            envs.step(actions)
    envs.step([0, 0, 0])


@pytest.mark.parametrize("illegal_action", ["ignore", "terminate", "error"])
def test_illegal_actions(illegal_action: str) -> None:
    rules = "standard:randomiser=only-O"
    env = make_env(PLACEMENT, rules=rules, illegal_action=illegal_action, reward="survival")
    envs = make_vector_env(PLACEMENT, 2, rules=rules, illegal_action=illegal_action)
    env.reset(seed=1)
    envs.reset(seed=1)
    assert np.flatnonzero(env.action_masks()).tolist() == list(range(9))
    if illegal_action == "error":
        with pytest.raises(ActionError, match=r"19 \(rotation 1, column 9\) is illegal for piece O\. .* 8 \(rot"):
            env.step(19)
        with pytest.raises(ActionError, match="in game 1"):
            envs.step([0, 39])
        assert env.step(0)[4]["is_legal"]
        return
    observation, reward, is_terminated, _, info = env.step(19)
    assert (reward, is_terminated, info["is_legal"], info["pieces"]) == (0, illegal_action == "terminate", False, 0)
    assert not observation[0].any()
    _, _, is_terminations, _, infos = envs.step([0, 39])
    assert is_terminations.tolist() == [False, illegal_action == "terminate"]
    assert infos["is_legal"].tolist() == [True, False]


def test_steps_out_of_order() -> None:
    env = make_env(PLACEMENT, rules="standard:height=4")
    envs = make_vector_env(PLACEMENT, 2)
    calls: list[tuple[Any, str, list[Any]]] = [
        *((env, "step", [0]), (env, "sample_action", []), (env, "render", []), (env, "action_masks", [])),
        (env, "get_placement", [0]),
        *((envs, "step", [[0, 0]]), (envs, "sample_actions", []), (envs, "render", []), (envs, "action_masks", [])),
    ]
    for environment, name, arguments in calls:
        with pytest.raises(ActionError, match="has not been reset"):
            getattr(environment, name)(*arguments)
    env.reset(seed=1)
    while not env.step(env.sample_action())[2]:
        pass
    with pytest.raises(ActionError, match=r"The episode has ended. Call reset\(\)"):
        env.step(0)


def test_wrong_seeds_and_reset_options() -> None:
    env = make_env(PLACEMENT)
    envs = make_vector_env(PLACEMENT, 2)
    for seed in (-1, 2**63, 1.5, "1"):
        for reset in (env.reset, envs.reset):
            with pytest.raises(SeedError):
                reset(seed=seed)
    for seeds in ([1], [1, 2, 3], 2**63 - 1, np.array(5)):
        with pytest.raises(SeedError):
            envs.reset(seed=seeds)
    with pytest.raises(TetrionError, match="Did you mean 'number'"):
        env.reset(options={"numbr": 1})
    for reset in (env.reset, envs.reset):
        with pytest.raises(TetrionError, match="The game number must be"):
            reset(options={"number": -1})
        with pytest.raises(TetrionError, match="must be a dictionary"):
            reset(options=["number"])
    with pytest.raises(TetrionError, match="Did you mean 'reset_mask'"):
        envs.reset(options={"reset_masks": 1})
    with pytest.raises(TetrionError, match="The first reset must start all games"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset()
    for mask in ([True, False], np.array([1, 0]), np.array([True])):
        with pytest.raises(TetrionError, match="reset_mask must be an array of 2 booleans"):
            envs.reset(options={"reset_mask": mask})


def test_placements_without_an_action() -> None:
    env = make_env(PLACEMENT, rules="standard:movement=reach", max_placements=5)
    env.reset(seed=1)
    placements = env.position.placements()
    assert env.find_action(placements[4]) == 4
    with pytest.raises(ActionError, match="Give a larger max_placements"):
        env.find_action(placements[5])
    env.step(0)
    wrong = next(placement for placement in placements if placement.piece != env.position.piece)
    with pytest.raises(PlacementError):
        env.find_action(wrong)


@pytest.mark.parametrize("returned", [None, [1, 2, 3], float("nan")])
def test_wrong_results_of_a_reward_function(returned: Any) -> None:
    env = make_env(PLACEMENT, reward=lambda step: returned)
    env.reset(seed=1)
    with pytest.raises(TetrionError, match="The reward function must return a number; it returned"):
        env.step(0)
    envs = make_vector_env(PLACEMENT, 2, reward=lambda step: returned)
    envs.reset(seed=1)
    with pytest.raises(TetrionError, match="must return an array of 2 numbers, one per game; it returned"):
        envs.step([0, 0])


def test_reward_of_a_restarted_game_is_ignored() -> None:
    envs = make_vector_env(PLACEMENT, 2, rules="standard:height=4", reward=lambda step: step.lines / step.pieces)
    envs.reset(seed=1)
    with np.errstate(invalid="ignore"):
        for _ in range(30):
            rewards = envs.step(envs.sample_actions())[1]
            assert np.isfinite(rewards).all()
    assert envs._batch.episodes["number"].min() > 0
