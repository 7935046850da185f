"""The bases of the environments: one game as a `gymnasium.Env`, many in one compiled call as a `VectorEnv`."""

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from tetrion.engine.randomisers import MAX_SEED, validate_seed
from tetrion.engine.rules import Rules
from tetrion.envs.game_batch import STEPS_PER_SECOND, GameBatch, Transition, parse_rewards
from tetrion.envs.observation_kinds import Arrays, ObservationKind, make_observation
from tetrion.envs.options import (
    RENDER_MODES,
    VECTOR_OPTIONS,
    check_options_known,
    check_whole_number,
    make_env_options,
    merge_options,
)
from tetrion.envs.rendering import GameStacks
from tetrion.errors import ActionError, SeedError, TetrionError, UnknownNameError, describe_value
from tetrion.game import MAX_GAME_NUMBER
from tetrion.position import Position

MAX_VECTOR_GAMES = 2**20
RESET_OPTIONS = ("number",)
RESET_MASK = "reset_mask"
ALL_GAMES = np.ones(1, np.bool_)
# Values in `info` have a dtype, which TorchRL needs. These are arrays without dimensions, because Gymnasium's vector
# environments collect booleans of NumPy in arrays of objects.
_BOOLEANS = np.array(False), np.array(True)
_WHOLE_NUMBERS = (int, np.integer)  # once, because `int | np.integer` in each step takes time


class GameEnv(gymnasium.Env[Any, Any]):
    """One game as an environment; subclasses define the actions and the observations."""

    metadata: dict[str, Any] = {  # noqa: RUF012 -- Gymnasium declares it so
        "render_modes": list(RENDER_MODES),
        "render_fps": STEPS_PER_SECOND,
    }

    _batch_type: ClassVar[type[GameBatch]] = GameBatch

    def __init__(self, given: dict[str, Any]) -> None:
        batch, observation = self._make_parts(1, given)
        self._options = options = batch.options
        self._batch = batch
        self._observation = observation
        self._is_started = False
        self.render_mode = options.render_mode
        self.observation_space = observation.space
        self.action_space = spaces.Discrete(batch.action_count)
        self.metadata = {**self.metadata, "render_fps": batch.steps_per_second}
        self._stacks = GameStacks(batch, options.render_mode) if options.render_mode else None

    @classmethod
    def _make_parts(
        cls, count: int, given: dict[str, Any], others: tuple[str, ...] = ()
    ) -> tuple[GameBatch, ObservationKind]:
        """Return a number of games under the given options, and their observations; `others` are known names."""
        batch = cls._batch_type(make_env_options(merge_options(cls, given, others)), count)
        return batch, make_observation(batch)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode: game 0 of the given seed or, without a seed, the next game of the current one.

        `options={"number": n}` selects game n.
        """
        number = parse_game_number(options)
        seed = None if seed is None else validate_seed(seed)
        super().reset(seed=seed)
        batch = self._batch
        batch.select_games([seed], ALL_GAMES, self.np_random)
        if seed is not None or not self._is_started:
            batch.seed_sampler(self.np_random)
        if number is not None:
            batch.episodes["number"] = number
        batch.start(ALL_GAMES)
        self._is_started = True
        if self._stacks:
            self._stacks.update()
            self._show()
        self._observation.write()
        return self._observation.copy_one(0), self._get_info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action."""
        batch = self._batch
        self._check_started()
        batch.actions[0] = self._validate_action(action)
        board_before = batch.games["board"].copy() if callable(self._options.reward) else None
        batch.step()
        if self._stacks:
            self._stacks.update()
            self._show()
        self._observation.write()
        reward = batch.rewards.item(0) if board_before is None else self._compute_own_reward(board_before)
        is_terminated, is_truncated = bool(batch.is_terminated.item(0)), bool(batch.is_truncated.item(0))
        return self._observation.copy_one(0), reward, is_terminated, is_truncated, self._get_info()

    def render(self) -> Any:
        """Return the picture or text of the game for the render mode; None for `human`."""
        self._check_started(may_be_over=True)
        if self._stacks is None:
            raise TetrionError(
                "render needs a render mode. Create the environment with render_mode='rgb_array', 'human' or 'ansi'."
            )
        return self._stacks.render(0)

    def close(self) -> None:
        """Close the window of the render mode `human`."""
        if self._stacks:
            self._stacks.close()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, as sb3-contrib's MaskablePPO needs it; action 0 if the game is over."""
        self._check_started(may_be_over=True)
        legal: NDArray[np.bool_] = self._batch.mask[0].astype(np.bool_)
        return legal

    def sample_action(self) -> int:
        """Return a random legal action, 0 if the game is over; `reset(seed=…)` makes it reproducible."""
        self._check_started(may_be_over=True)
        return int(self._batch.sample_actions()[0])

    def redraw_future(self, *, seed: int) -> None:
        """Keep everything that a player can see, and draw from the seed what is not yet known in this episode.

        This concerns the pieces after the preview, the gaps of waiting garbage and the actions of `sample_action`. A
        copy of the environment contains the future of the original, which a search must not see:

        `searched = copy.deepcopy(env); searched.unwrapped.redraw_future(seed=1)`

        Different seeds give different futures, each with the probability that the rules give it. Pieces that the rules
        determine, such as those of a script, stay the same, and so do the later episodes.
        """
        self._check_started(may_be_over=True)
        batch = self._batch
        generator = np.random.default_rng([validate_seed(seed), int(batch.games["key"][0])])
        batch.redraw_futures(generator)
        batch.seed_sampler(generator)

    def get_action_meanings(self) -> list[str]:
        """Return what each action means, in words."""
        return self._batch.list_action_meanings(0)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._batch.rules

    @property
    def position(self) -> Position:
        """Everything that a player can see now, for example for `agent.choose(env.unwrapped.position)`."""
        self._check_started(may_be_over=True)
        return self._batch.get_position(0)

    def _check_started(self, may_be_over: bool = False) -> None:
        if not self._is_started:
            raise ActionError("The environment has not been reset. Call reset() first.")
        if not may_be_over and self._batch.is_ended.item(0):
            raise ActionError("The episode has ended. Call reset() before the next step.")

    def _validate_action(self, action: object) -> int:
        number = parse_action(action, self._batch.action_count)
        if self._options.illegal_action == "error" and not self._batch.mask[0, number]:
            raise_illegal_action(self._batch, 0, number)
        return number

    def _compute_own_reward(self, board_before: NDArray[np.int32]) -> float:
        assert callable(self._options.reward)
        first = Transition(*(column[0] for column in self._batch.get_transitions(board_before)))
        return float(parse_rewards(self._options.reward(first), ()))

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _get_info(self) -> dict[str, Any]:
        batch = self._batch
        info = {"action_mask": batch.mask[0].copy(), "is_legal": _BOOLEANS[batch.is_legal.item(0)].copy()}
        for name, values in batch.counters.items():
            info[name] = values[0]
        return info


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
    _env_type: ClassVar[type[GameEnv]]  # whose games these are

    def __init__(
        self,
        num_envs: int = 1,
        *,
        copy: bool = True,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **given_options: Any,
    ) -> None:
        batch, observation = self._env_type._make_parts(check_game_count(num_envs), given_options, VECTOR_OPTIONS)
        options = batch.options
        if options.render_mode == "human":
            raise TetrionError("A vector environment has no render mode 'human'. Use 'rgb_array' or 'ansi'.")
        if not isinstance(copy, bool):
            raise TetrionError(f"copy must be True or False; given {describe_value(copy)}.")
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
            raise ActionError(
                f"Actions must be an array of {batch.count} whole numbers; given {describe_value(actions)}."
            )
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
            raise TetrionError(
                f"reset_mask must be an array of {self.num_envs} booleans; given {describe_value(mask)}."
            )
        if not self._is_started and not mask.all():
            raise TetrionError("The first reset must start all games. Omit reset_mask.")
        return mask, parse_game_number({name: values[name] for name in RESET_OPTIONS if name in values})


def parse_game_number(options: dict[str, Any] | None) -> int | None:
    """Return the game number in the options of `reset`; None if there is none."""
    number = parse_reset_options(options, RESET_OPTIONS).get("number")
    return None if number is None else check_whole_number("The game number", number, MAX_GAME_NUMBER, minimum=0)


def parse_reset_options(options: object, known: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of `reset`, or raise an error if they are not a dictionary of known names."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise TetrionError(
            f"The options of reset must be a dictionary such as {{'number': 5}}; given {describe_value(options)}."
        )
    check_options_known([name for name in options if name not in known], known)
    return options


def parse_action(action: object, count: int) -> int:
    """Return an action as an int, or raise an ActionError."""
    if isinstance(action, np.ndarray) and action.shape == ():
        action = action[()]
    if isinstance(action, bool) or not isinstance(action, _WHOLE_NUMBERS):
        raise ActionError(
            f"An action must be a whole number from 0 to {count - 1}; given {describe_value(action)} "
            f"({type(action).__name__})."
        )
    if not 0 <= action < count:
        raise ActionError(f"An action must be a whole number from 0 to {count - 1}; given {describe_value(action)}.")
    return int(action)


def raise_illegal_action(batch: GameBatch, index: int, action: int) -> None:
    """Raise an ActionError for an illegal action, which names the closest legal one."""
    meaning = batch.list_action_meanings(index)
    legal = np.flatnonzero(batch.mask[index])
    closest = int(legal[np.abs(legal - action).argmin()])
    game = f" in game {index}" if batch.count > 1 else ""
    piece = batch.get_position(index).piece
    raise ActionError(
        f"Action {action} ({meaning[action]}) is illegal for piece {piece}{game}. The closest legal one is {closest} "
        f"({meaning[closest]}); the action mask lists all {len(legal)}."
    )


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
