"""Games in environments and the same games in `Game`, for comparison."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

from tetrion import Game

PLACEMENT_RULES = (
    "standard",
    "standard:height=6,preview=3,randomiser=bag",
    "standard:height=6,movement=reach",
    "gavrilov:height=5",
    "becker:height=6,movement=timed",
    "hindi:height=6",
    "medico:height=8",
    "nes:height=8,start_level=12",
    "standard:height=6,randomiser=adversary",
)
KEY_RULES = (
    "standard:height=5",
    "standard:height=5,randomiser=adversary",
    "gavrilov:height=5",
    "becker:height=5",
    "hindi:height=6",
    "nes:height=6",
)
MODERN_PLACEMENT_RULES = (
    "guideline",
    "tetrio",
    "guideline:garbage_rows=1,garbage_interval=2,garbage_messiness=50",
    "tetrio:spins=all,garbage_rows=3,garbage_delay=3,garbage_interval=4,garbage_cap=2",
    "jstris:hold=0,garbage_rows=2,garbage_interval=3,start_garbage=2",
    "standard:height=8,hold=1,preview=1",
    "standard:height=6,hold=1",
    "standard:height=8,movement=reach,hold=1,preview=2,attack=libtetris",
)
MODERN_KEY_RULES = (
    "guideline:height=8,hidden_rows=4",
    "jstris:garbage_rows=2,garbage_interval=2",
    "tetrio:height=10,hidden_rows=4,spawn_delay=3,garbage_rows=1,garbage_interval=3",
    "standard:height=6,hold=1,lock_delay=0",
)
ENVIRONMENT_IDS = ("tetrion/Placement-v0", "tetrion/Keys-v0", "tetrion/Afterstates-v0")
OBSERVATION_NAMES = ("planes", "columns", "features", "dict")


def make_env(environment_id: str, **options: Any) -> Any:
    """Return a single environment without wrappers."""
    return gymnasium.make(environment_id, **options).unwrapped


def make_vector_env(environment_id: str, games: int, **options: Any) -> Any:
    return gymnasium.make_vec(environment_id, num_envs=games, vectorization_mode="vector_entry_point", **options)


def assert_same_data(first: Any, second: Any) -> None:
    """Compare observations, rewards or infos: arrays, numbers, or dictionaries, tuples or arrays of them."""
    assert type(first) is type(second)
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for name, value in first.items():
            assert_same_data(value, second[name])
    elif isinstance(first, tuple) or getattr(first, "dtype", None) == np.dtype(object):
        for one, other in zip(first, second, strict=True):
            assert_same_data(one, other)
    else:
        np.testing.assert_array_equal(first, second)
        assert np.asarray(first).dtype == np.asarray(second).dtype


def step_together(envs: Any, singles: Any, seed: int) -> Iterator[Any]:
    """Start two vector environments, take the same 60 actions in both, compare all results and yield each one."""
    assert_same_data(envs.reset(seed=seed), singles.reset(seed=seed))
    envs.action_space.seed(seed)
    for number in range(60):
        actions = envs.sample_actions() if number % 3 else envs.action_space.sample()
        result = envs.step(actions)
        assert_same_data(result, singles.step(actions))
        yield result


def assert_same_state(env: Any, game: Game) -> None:
    """Compare the position of an environment with that of a game."""
    assert env.position == game.position
    assert env._batch.episodes["is_terminated"][0] == game.is_over
