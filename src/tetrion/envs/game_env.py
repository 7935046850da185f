"""The base of the single environments: one game, in the interface of `gymnasium.Env`."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tetrion.board import Placement
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import Rules
from tetrion.envs.env_options import check_options_known, check_whole_number
from tetrion.envs.game_batch import STEPS_PER_SECOND, GameBatch, Transition, parse_rewards
from tetrion.envs.game_stacks import GameStacks
from tetrion.envs.observation_kinds import ObservationKind
from tetrion.envs.rendering import RENDER_MODES
from tetrion.errors import ActionError, TetrionError
from tetrion.game import MAX_GAME_NUMBER
from tetrion.position import Position

RESET_OPTIONS = ("number",)
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

    def __init__(self, batch: GameBatch, observation: ObservationKind) -> None:
        self._options = options = batch.options
        self._batch = batch
        self._observation = observation
        self._is_started = False
        self.render_mode = options.render_mode
        self.observation_space = observation.space
        self.action_space = spaces.Discrete(batch.action_count)
        self.metadata = {**self.metadata, "render_fps": batch.steps_per_second}
        self._stacks = GameStacks(batch, options.render_mode) if options.render_mode else None

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


class PlacementGameEnv(GameEnv):
    """One game whose actions are placements."""

    def get_placement(self, action: int) -> Placement | None:
        """Return the placement of an action; None if it is illegal."""
        self._check_started(may_be_over=True)
        return self._batch.get_placement(0, parse_action(action, self._batch.action_count))

    def find_action(self, placement: Placement) -> int:
        """Return the action of a legal placement, such as one that an agent has chosen."""
        legal = self.position.validate_placement(placement)
        placements = self._batch.list_placements(0)
        if legal in placements:
            return placements.index(legal)
        raise ActionError(
            f"{placement} is legal but has no action, because the position has more than {self._batch.action_count} "
            "placements. Give a larger max_placements."
        )


def parse_game_number(options: dict[str, Any] | None) -> int | None:
    """Return the game number in the options of `reset`; None if there is none."""
    number = parse_reset_options(options, RESET_OPTIONS).get("number")
    return None if number is None else check_whole_number("The game number", number, MAX_GAME_NUMBER, minimum=0)


def parse_reset_options(options: object, known: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of `reset`, or raise an error if they are not a dictionary of known names."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise TetrionError(f"The options of reset must be a dictionary such as {{'number': 5}}; given {options!r:.80}.")
    check_options_known([name for name in options if name not in known], known)
    return options


def parse_action(action: object, count: int) -> int:
    """Return an action as an int, or raise an ActionError."""
    if isinstance(action, np.ndarray) and action.shape == ():
        action = action[()]
    if isinstance(action, bool) or not isinstance(action, _WHOLE_NUMBERS):
        raise ActionError(
            f"An action must be a whole number from 0 to {count - 1}; given {action!r} ({type(action).__name__})."
        )
    if not 0 <= action < count:
        raise ActionError(f"An action must be a whole number from 0 to {count - 1}; given {action}.")
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
