"""The vector environments in the interface of Stable-Baselines3, whose algorithms do not accept Gymnasium's."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from tetrion.envs.game_vector_env import RESET_MASK
from tetrion.envs.modern_game_batch import ALL_TOTALS
from tetrion.errors import TetrionError


class StableBaselinesVecEnv(VecEnv):
    """A vector environment of Tetrion as a `VecEnv` of Stable-Baselines3, whose games are played in one compiled call.

    `StableBaselinesVecEnv(gymnasium.make_vec("tetrion/Jumanji-v0", 64))` plays the games of `make_vec_env` with 64
    single environments, many times faster.

    As Stable-Baselines3 expects it, a game whose episode has ended starts the next one in the same step. The `info` of
    that step contains `terminal_observation`, `TimeLimit.truncated` and the totals `pieces`, `lines` and `score`, under
    modern rules also `attack`, `sent`, `received` and `perfect_clears`; the `info` of other steps is empty.
    `env_method("action_masks")` gives MaskablePPO the legal actions.
    """

    def __init__(self, games: VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(games, VectorEnv):
            raise TetrionError(
                "StableBaselinesVecEnv needs a vector environment, such as "
                f"gymnasium.make_vec('tetrion/Placement-v0', num_envs=64); given {games!r}."
            )
        self.games = games
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)

    def reset(self) -> Any:
        """Start new episodes in all games and return their observations; the seeds are those of `seed()`."""
        observations, _ = self.games.reset(seed=self._seeds)
        self._reset_seeds()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Receive the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Take the step, and start new episodes in the games whose episode has ended."""
        observations, rewards, terminated, truncated, totals = self.games.step(self._actions)
        ended = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            for index in np.flatnonzero(ended).tolist():
                infos[index] = {name: totals[name].item(index) for name in ALL_TOTALS if name in totals}
                infos[index]["TimeLimit.truncated"] = bool(truncated[index] and not terminated[index])
                infos[index]["terminal_observation"] = _get_element(observations, index)
            observations, _ = self.games.reset(options={RESET_MASK: ended})
        return observations, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Close the environment."""
        self.games.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Return an attribute, which is the same for all games, once per game."""
        value = getattr(self.games, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Raise an error: the games have their options in common."""
        raise TetrionError(f"The option '{attr_name}' cannot be changed. Give it when the environment is created.")

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method that returns one element per game, such as `action_masks`, and return those of the games."""
        elements = getattr(self.games, method_name)(*method_args, **method_kwargs)
        return [elements[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: int | Iterable[int] | None = None) -> list[bool]:
        """Return False for each game: the games have no wrappers."""
        return [False for _ in self._get_indices(indices)]


def _get_element(observations: Any, index: int) -> Any:
    if isinstance(observations, dict):
        return {name: array[index].copy() for name, array in observations.items()}
    return observations[index].copy()
