"""The base of the vector environments: many games in one compiled call, in the interface of Gymnasium's `VectorEnv`."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from tetrion.engine.randomisers import MAX_SEED, validate_seed
from tetrion.envs.env_options import check_whole_number
from tetrion.envs.game_batch import STEPS_PER_SECOND, GameBatch
from tetrion.envs.game_env import RESET_OPTIONS, parse_game_number, parse_reset_options, raise_illegal_action
from tetrion.envs.game_stacks import GameStacks
from tetrion.envs.observation_kinds import Arrays, ObservationKind
from tetrion.envs.rendering import RENDER_MODES
from tetrion.errors import ActionError, SeedError, TetrionError, UnknownNameError

MAX_VECTOR_GAMES = 2**20
RESET_MASK = "reset_mask"


class GameVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """Many games as one environment; subclasses define the actions and the observations.

    Game i of `reset(seed=s)` is that of a single environment with seed s + i. `autoreset_mode` says when a game whose
    episode has ended starts its next one, as in Gymnasium's `SyncVectorEnv`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 -- Gymnasium declares it so
        "render_modes": [mode for mode in RENDER_MODES if mode != "human"],
        "render_fps": STEPS_PER_SECOND,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        copy: bool = True,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **given_options: Any,
    ) -> None:
        batch, observation = self.make_parts(check_game_count(num_envs), given_options)
        options = batch.options
        if options.render_mode == "human":
            raise TetrionError("A vector environment has no render mode 'human'. Use 'rgb_array' or 'ansi'.")
        if not isinstance(copy, bool):
            raise TetrionError(f"copy must be True or False; given {copy!r}.")
        self._options = options
        self._batch = batch
        self._observation = observation
        self.copy = copy
        self.autoreset_mode = parse_autoreset_mode(autoreset_mode)
        self._is_started = False
        self.num_envs = batch.count
        self.render_mode = options.render_mode
        self.single_observation_space = observation.space
        self.observation_space = batch_space(observation.space, batch.count)
        self.single_action_space = spaces.Discrete(batch.action_count)
        self.action_space = batch_space(self.single_action_space, batch.count)
        self.metadata = {
            **self.metadata,
            "render_fps": batch.steps_per_second,
            "autoreset_mode": self.autoreset_mode,
        }
        self._stacks = GameStacks(batch, options.render_mode) if options.render_mode else None
        self._present = np.ones(batch.count, np.bool_)

    @abstractmethod
    def make_parts(self, count: int, options: dict[str, Any]) -> tuple[GameBatch, ObservationKind]:
        """Return the games and their observations, given the options of the single environment."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start new episodes in all games, or in those of `options={"reset_mask": …}` only.

        Game i gets seed `seed` + i, or element i of a list of seeds; without a seed, the next game of its current one.
        `options={"number": n}` selects game n of each seed.
        """
        chosen, number = self._parse_reset_options(options)
        seeds = self._parse_seeds(seed)
        first_seed = next((number for number in seeds if number is not None), None)
        super().reset(seed=first_seed)
        self._batch.select_games(seeds, chosen, self.np_random)
        if first_seed is not None or not self._is_started:
            self._batch.seed_sampler(self.np_random)
        if number is not None:
            self._batch.episodes["number"][chosen] = number
        self._batch.start(chosen)
        self._is_started = True
        return self._observe(), self._get_infos()

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one action in each game; `autoreset_mode` says when the next episode of a game starts.

        With NEXT_STEP, a game whose episode has ended starts the next one instead, ignores its action and has reward 0.
        With SAME_STEP it starts the next one at the end of the step that ends the episode: the observation and the
        information are those of the new episode, `infos["final_obs"]` and `infos["final_info"]` those of the old one.
        With DISABLED, it must be restarted by `reset(options={"reset_mask": …})` before the next step.
        """
        self._check_started()
        batch = self._batch
        if self.autoreset_mode is AutoresetMode.DISABLED:
            self._check_no_game_has_ended()
        batch.actions[:] = self._validate_actions(actions)
        boards_before = batch.games["board"].copy() if callable(self._options.reward) else None
        batch.step()
        is_terminated, is_truncated = batch.is_terminated.astype(np.bool_), batch.is_truncated.astype(np.bool_)
        rewards = batch.compute_rewards(boards_before)
        finals = self._restart_ended_games() if self.autoreset_mode is AutoresetMode.SAME_STEP else {}
        infos = self._get_infos()
        infos.update(finals)
        return self._observe(), rewards, is_terminated, is_truncated, infos

    def render(self) -> tuple[Any, ...]:
        """Return the picture or text of each game."""
        self._check_started()
        if self._stacks is None:
            raise TetrionError(
                "render needs a render mode. Create the environment with render_mode='rgb_array' or 'ansi'."
            )
        return tuple(self._stacks.render(index) for index in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Release the renderer."""
        if self._stacks:
            self._stacks.close()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, one row per game; action 0 if the game is over."""
        self._check_started()
        return self._batch.mask.astype(np.bool_)

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for each game, drawn by compiled code; `reset(seed=…)` makes it reproducible."""
        self._check_started()
        return self._batch.sample_actions()

    def get_action_meanings(self, index: int = 0) -> list[str]:
        """Return what each action means in a game, in words."""
        return self._batch.list_action_meanings(index)

    def _observe(self) -> Arrays:
        if self._stacks:
            self._stacks.update()
        self._observation.write()
        return self._observation.copy_all() if self.copy else self._observation.arrays

    def _restart_ended_games(self) -> dict[str, Any]:
        """Start the next episode of each game whose episode has ended; return what Gymnasium keeps of the old ones."""
        batch = self._batch
        ended = batch.is_ended == 1
        if not ended.any():
            return {}
        self._observation.write()
        observations = np.full(self.num_envs, None, dtype=object)
        for index in np.flatnonzero(ended).tolist():
            observations[index] = self._observation.copy_one(index)
        infos = self._get_infos(ended)
        batch.episodes["number"][ended] += 1
        batch.start(ended)
        return {
            "final_obs": observations,
            "_final_obs": ended,
            "final_info": infos,
            "_final_info": ended.copy(),
        }

    def _check_no_game_has_ended(self) -> None:
        ended = np.flatnonzero(self._batch.is_ended).tolist()
        if ended:
            raise ActionError(
                f"The episode of game {ended[0]} has ended. Before the next step, call "
                "reset(options={'reset_mask': terminated | truncated}), or use another autoreset_mode."
            )

    def _get_infos(self, chosen: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """Return the information of all games, or of the chosen ones and zeros for the others.

        As in Gymnasium, `_name` says which games have `name`.
        """
        batch = self._batch
        infos: dict[str, Any] = {
            "action_mask": batch.mask.copy(),
            "is_legal": batch.is_legal.astype(np.bool_),
            **{name: column.copy() for name, column in batch.counters.items()},
        }
        if chosen is None:
            chosen = self._present
        else:
            for array in infos.values():
                array[~chosen] = 0
        for name in list(infos):
            infos[f"_{name}"] = chosen.copy()
        return infos

    def _check_started(self) -> None:
        if not self._is_started:
            raise ActionError("The environment has not been reset. Call reset() first.")

    def _validate_actions(self, actions: object) -> NDArray[Any]:
        batch = self._batch
        try:
            given = np.asarray(actions)
        except ValueError:  # lists of different lengths
            given = np.zeros(0)
        if given.dtype.kind not in "iu" or given.shape != (batch.count,):
            raise ActionError(f"Actions must be an array of {batch.count} whole numbers; given {actions!r:.80}.")
        if given.min() < 0 or given.max() >= batch.action_count:
            index = int(np.flatnonzero((given < 0) | (given >= batch.action_count))[0])
            raise ActionError(
                f"An action must be a whole number from 0 to {batch.action_count - 1}; given {given[index]} for game "
                f"{index}."
            )
        if self._options.illegal_action == "error":
            is_illegal = (batch.mask[np.arange(batch.count), given] == 0) & (batch.is_ended == 0)
            for index in np.flatnonzero(is_illegal).tolist():
                raise_illegal_action(batch, index, int(given[index]))
        return given

    def _parse_seeds(self, seed: object) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim):
            if len(seed) != self.num_envs:
                raise SeedError(f"A list of seeds must have {self.num_envs} elements; given {len(seed)}.")
            return [None if number is None else validate_seed(number) for number in seed]
        first = validate_seed(seed)
        if first > MAX_SEED + 1 - self.num_envs:
            raise SeedError(f"The seed must be at most {MAX_SEED + 1 - self.num_envs}, because game i gets seed + i.")
        return list(range(first, first + self.num_envs))

    def _parse_reset_options(self, options: object) -> tuple[NDArray[np.bool_], int | None]:
        values = parse_reset_options(options, (RESET_MASK, *RESET_OPTIONS))
        mask = values.get(RESET_MASK, self._present)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise TetrionError(f"reset_mask must be an array of {self.num_envs} booleans; given {mask!r:.80}.")
        if not self._is_started and not mask.all():
            raise TetrionError("The first reset must start all games. Omit reset_mask.")
        return mask, parse_game_number({name: values[name] for name in RESET_OPTIONS if name in values})


def parse_autoreset_mode(mode: object) -> AutoresetMode:
    """Return a mode of Gymnasium or the mode of its value, such as "SameStep"; raise an error for others."""
    modes = {known.value: known for known in AutoresetMode}
    if isinstance(mode, str) and mode in modes:
        return modes[mode]
    if not isinstance(mode, AutoresetMode):
        raise UnknownNameError("autoreset_mode", mode, modes)
    return mode


def check_game_count(num_envs: object) -> int:
    """Return the number of games, or raise an error."""
    return check_whole_number("num_envs", num_envs, MAX_VECTOR_GAMES)
