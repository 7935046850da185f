"""The vector environments in the interface of Stable-Baselines3, whose algorithms do not accept Gymnasium's."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from tetrion.envs.game_env import RESET_MASK
from tetrion.envs.options import MODERN_TOTALS, TOTALS
from tetrion.errors import TetrionError, describe_value


class StableBaselinesVecEnv(VecEnv):
    """A vector environment of Tetrion as a `VecEnv` of Stable-Baselines3, whose games are played in one compiled call.

    `StableBaselinesVecEnv(gymnasium.make_vec("tetrion/Jumanji-v0", 64))` plays the games of `make_vec_env` with 64
    single environments, many times faster.

    As Stable-Baselines3 expects it, a game whose episode has ended starts the next one in the same step. The `info` of
    that step contains `terminal_observation`, `TimeLimit.truncated` and the totals `pieces`, `lines` and `score`, under
    modern rules also `attack`, `sent`, `received` and `perfect_clears`; the `info` of other steps is empty.
    `env_method("action_masks")` gives MaskablePPO the legal actions.

    With `render_mode="rgb_array"`, `render()` returns the pictures of all games as one. `set_options` takes one
    dictionary for all games, such as `{"number": 5}`. The vector environment must have `copy=True`, its default, since
    Stable-Baselines3 keeps observations, and not the `autoreset_mode` SAME_STEP, since this class restarts the games.
    """

    def __init__(self, games: VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(games, VectorEnv):
            raise TetrionError(
                "StableBaselinesVecEnv needs a vector environment, such as "
                f"gymnasium.make_vec('tetrion/Placement-v0', num_envs=64); given {describe_value(games)}."
            )
        if not getattr(games.unwrapped, "copy", True):
            raise TetrionError(
                "StableBaselinesVecEnv needs a vector environment with copy=True, because Stable-Baselines3 keeps "
                "observations; given copy=False. Omit copy."
            )
        if games.metadata.get("autoreset_mode") is AutoresetMode.SAME_STEP:
            raise TetrionError(
                "StableBaselinesVecEnv restarts the games itself; given autoreset_mode=SAME_STEP. Omit autoreset_mode."
            )
        self.games = games
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)
        self.metadata: dict[str, Any] = games.metadata | self.metadata  # with `render_fps`

    def reset(self) -> Any:
        """Start new episodes in all games and return their observations.

        The seeds are those of `seed()`, the options those of `set_options()`; both are used once.
        """
        observations, _ = self.games.reset(seed=self._seeds, options=self._options[0])
        self._reset_seeds()
        self._reset_options()
        return observations

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next `reset`, which are the same for all games."""
        if isinstance(options, list) and (len(options) != self.num_envs or len(set(map(repr, options))) > 1):
            raise TetrionError(
                "The games have the options of reset in common. Give one dictionary such as {'number': 5}; given "
                f"{options!r:.80}."
            )
        super().set_options(options)

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
                infos[index] = {name: totals[name].item(index) for name in (*TOTALS, *MODERN_TOTALS) if name in totals}
                infos[index]["TimeLimit.truncated"] = bool(truncated[index] and not terminated[index])
                infos[index]["terminal_observation"] = _get_element(observations, index)
            observations, _ = self.games.reset(options={RESET_MASK: ended})
        return observations, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Close the environment."""
        self.games.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Return an attribute, which is the same for all games, once per game."""
        value = self._find_attribute(attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Raise an error: the games have their options in common."""
        raise TetrionError(f"The option '{attr_name}' cannot be changed. Give it when the environment is created.")

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method that returns one element per game, such as `action_masks`, and return those of the games."""
        elements = self._find_attribute(method_name)(*method_args, **method_kwargs)
        return [elements[index] for index in self._get_indices(indices)]

    def get_images(self) -> list[Any]:
        """Return the picture of each game."""
        if self.render_mode != "rgb_array":
            raise TetrionError(
                "Pictures need render_mode='rgb_array', an option of gymnasium.make_vec; given "
                f"render_mode={self.render_mode!r}."
            )
        return list(self.games.render() or ())

    def env_is_wrapped(self, wrapper_class: type, indices: int | Iterable[int] | None = None) -> list[bool]:
        """Return False for each game: the games have no wrappers."""
        return [False for _ in self._get_indices(indices)]

    def _find_attribute(self, name: str) -> Any:
        """Return an attribute, which wrappers of Gymnasium may hide."""
        return getattr(self.games if hasattr(self.games, name) else self.games.unwrapped, name)


def _get_element(observations: Any, index: int) -> Any:
    if isinstance(observations, dict):
        return {name: array[index].copy() for name, array in observations.items()}
    return observations[index].copy()
