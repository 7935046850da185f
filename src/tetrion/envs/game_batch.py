"""Games that are played step by step in one compiled call: the common core of single and vector environments."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetrion.board import Placement
from tetrion.engine.batch_play import make_full_games
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.episodes import (
    LINES_REWARD,
    REWARD_KINDS,
    EpisodeBatch,
    EpisodeRecord,
    EpisodeRecords,
    EpisodeSettings,
    mix_seeds,
    sample_actions,
    start_key_episodes,
    start_placement_episodes,
    step_keys,
    step_placements,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placements import NO_CODE
from tetrion.engine.randomisers import NES_REGISTER_MASK, get_first_register, validate_seed
from tetrion.engine.real_time import FallingRecord, FallingRecords
from tetrion.engine.records import MAX_ROTATION_STATES, FullGameRecords
from tetrion.engine.scalar_or_simd import Array
from tetrion.envs.options import EnvOptions
from tetrion.errors import TetrionError
from tetrion.game import locate_falling_piece, read_last_placement
from tetrion.position import Position, decode_legal_placement, get_engine_settings, read_position

RANDOM_SEED_LIMIT = 2**62
NOT_SEEDED = -1
STEPS_PER_SECOND = 10  # shown in the render mode `human`; keys are shown in real time
_DROP_MEANINGS = [
    f"{hold}rotation {rotation}, column {column}"
    for hold in ("", "hold, ")
    for rotation in range(MAX_ROTATION_STATES)
    for column in range(BOARD_WIDTH)
]

EpisodeFunction = CompiledFunction[[EpisodeBatch, Array], None]


class Transition(NamedTuple):
    """A step, from which a function of your own computes the reward.

    In a single environment the fields are numbers, and the boards arrays of ten columns (bit 0 is the lowest row). In a
    vector environment they are arrays with one element per game, also for games that have just started their next
    episode: these have placed no piece, and their reward is 0 whatever the function returns.

    The last four fields are 0 unless the rules are modern.
    """

    pieces: Any  # placed in this step
    lines: Any  # cleared in this step
    points: Any  # scored in this step
    is_legal: Any  # False: the action was illegal
    is_terminated: Any  # True: the game is over
    board_before: Any
    board: Any
    attack: Any  # rows of garbage made in this step
    received: Any  # rows of garbage that have risen in this step
    spin: Any  # of the piece placed in this step: 0 none, 1 mini, 2 full
    perfect_clears: Any  # 1: the step has left the board empty


class GameBatch:
    """A number of games under the same options; actions are placements."""

    start_function: ClassVar[EpisodeFunction] = start_placement_episodes
    step_function: ClassVar[EpisodeFunction] = step_placements

    def __init__(self, options: EnvOptions, count: int) -> None:
        self.options = options
        self.rules = options.rules
        self.parts = options.parts
        self.count = count
        self.games: FullGameRecords = make_full_games(count, 0)
        self.episodes: EpisodeRecords = EpisodeRecord.make_array(count)
        self.actions: NDArray[np.int64] = np.zeros(count, np.int64)
        self.action_count = self._count_actions()
        reward = options.reward if isinstance(options.reward, str) else None
        self.settings = EpisodeSettings(
            get_engine_settings(options.rules).rules,
            REWARD_KINDS[reward] if reward else LINES_REWARD,
            int(options.illegal_action == "terminate"),
            options.max_steps,
            options.frames_per_step,
        )
        self.falls: FallingRecords = FallingRecord.make_array(self._count_falling_pieces())
        self.codes: NDArray[np.int32] = np.full((count, self.action_count), NO_CODE, np.int32)
        self.mask: NDArray[np.int8] = np.zeros((count, self.action_count), np.int8)
        self._batch = EpisodeBatch(self.games, self.falls, self.episodes, self.codes, self.mask, self.settings)
        self._sampler_key = np.uint64(0)
        self._samples_drawn = 0
        self.seeds: NDArray[np.int64] = np.full(count, NOT_SEEDED, np.int64)
        self._view_columns()

    def _view_columns(self) -> None:
        """Keep views of some columns of the records, because access to the fields of a single record is slow.

        `info` shows the counters.
        """
        self.counters: dict[str, NDArray[np.int64]] = {name: self.games[name] for name in self.parts.counters}
        if self.parts.has_attack:
            self.counters["spin"] = self.episodes["spin"]
        self.rewards: NDArray[np.float64] = self.episodes["reward"]
        self.is_legal: NDArray[np.int32] = self.episodes["is_legal"]
        self.is_terminated: NDArray[np.int32] = self.episodes["is_terminated"]
        self.is_truncated: NDArray[np.int32] = self.episodes["is_truncated"]
        self.is_ended: NDArray[np.int32] = self.episodes["is_ended"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._view_columns()  # a copied or unpickled view would be an array of its own

    def _count_actions(self) -> int:
        return self.options.max_actions

    def _count_falling_pieces(self) -> int:
        return 0

    @property
    def steps_per_second(self) -> float:
        """The pace at which people can follow the game."""
        return STEPS_PER_SECOND

    def select_games(
        self, seeds: Sequence[int | None], chosen: NDArray[np.bool_], generator: np.random.Generator
    ) -> None:
        """Select the game that each chosen one starts: game 0 of its seed or, if that is None, the next of its seed.

        Games that never had a seed get a random one.
        """
        for index in np.flatnonzero(chosen).tolist():
            seed = seeds[index]
            if seed is None and self.seeds[index] != NOT_SEEDED:
                self.episodes["number"][index] += 1
            else:
                random = generator.integers(RANDOM_SEED_LIMIT) if seed is None else seed
                self.seeds[index] = validate_seed(random)
                self.episodes["number"][index] = 0
        self.episodes["key_start"] = mix_seeds(self.seeds)

    def seed_sampler(self, generator: np.random.Generator) -> None:
        """Derive the random numbers of `sample_actions` from a generator."""
        self._sampler_key = generator.integers(2**64, dtype=np.uint64)
        self._samples_drawn = 0

    def redraw_futures(self, generator: np.random.Generator) -> None:
        """Replace what is not yet known in any game, such as the pieces after the preview, by another random draw."""
        games = self.games
        games["key"] = generator.integers(2**64, size=self.count, dtype=np.uint64)
        if self.rules.randomiser == "nes":  # the register determines the next pieces; the bits above it are visible
            with np.errstate(over="ignore"):
                registers = [get_first_register(0, key) for key in games["key"]]
            games["bag"] = (games["bag"] & ~NES_REGISTER_MASK) | registers
        if self.parts.has_attack:  # rows of a batch of which one has risen have a gap that can be seen
            gaps = games["batch_gap"]
            games["batch_gap"] = np.where(games["batch_is_new"], generator.integers(BOARD_WIDTH, size=gaps.shape), gaps)

    def start(self, chosen: NDArray[np.bool_]) -> None:
        """Start new episodes in the chosen games."""
        self.start_function(self._batch, chosen)

    def step(self) -> None:
        """Take the step `actions` in all games."""
        self.step_function(self._batch, self.actions)

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for each game."""
        sampled = np.empty(self.count, np.int64)
        sample_actions(self.mask, self._sampler_key, self._samples_drawn, sampled)
        self._samples_drawn += 1
        return sampled

    def compute_rewards(self, boards_before: NDArray[np.int32] | None) -> NDArray[np.float64]:
        """Return the rewards of the last step; a function of the user needs the boards before the step."""
        rewards: NDArray[np.float64] = self.rewards.copy()
        if boards_before is not None and callable(self.options.reward):
            has_started = self.episodes["steps"] == 0  # these games have only started a new episode
            returned = self.options.reward(self.get_transitions(boards_before))
            rewards = parse_rewards(returned, rewards.shape, ignored=has_started)
        return rewards

    def get_transitions(self, boards_before: NDArray[np.int32]) -> Transition:
        """Return the last step of all games."""
        episodes = self.episodes
        return Transition(
            episodes["pieces"].copy(),
            episodes["lines"].copy(),
            episodes["points"].copy(),
            self.is_legal == 1,
            self.is_terminated == 1,
            boards_before,
            self.games["board"].copy(),
            episodes["attack"].copy(),
            episodes["received"].copy(),
            episodes["spin"].copy(),
            episodes["perfect_clears"].copy(),
        )

    def get_position(self, index: int) -> Position:
        """Return what a player can see of a game."""
        return read_position(self.games[index], self.rules, self.rules.preview + 1)

    def get_placement(self, index: int, action: int) -> Placement | None:
        """Return the placement of an action; None if it is illegal."""
        code = int(self.codes[index, action])
        return None if code == NO_CODE else decode_legal_placement(self.get_position(index), code)

    def list_placements(self, index: int) -> list[Placement | None]:
        """Return the placement of each action; None for those that are illegal."""
        position = self.get_position(index)
        codes = self.codes[index].tolist()
        return [None if code == NO_CODE else decode_legal_placement(position, code) for code in codes]

    def get_last_placement(self, index: int) -> Placement:
        """Return the last placement of a game."""
        return read_last_placement(self.games[index], self.rules)

    def get_falling_piece(self, index: int) -> Placement | None:
        """Return the falling piece; None, because pieces do not fall here."""
        return None

    def list_action_meanings(self, index: int) -> list[str]:
        """Return what each action means, in words."""
        if self.rules.movement == "drop":
            return _DROP_MEANINGS[: self.action_count]
        return ["illegal" if placement is None else str(placement) for placement in self.list_placements(index)]


class KeyBatch(GameBatch):
    """A number of games whose actions are keys."""

    start_function: ClassVar[EpisodeFunction] = start_key_episodes
    step_function: ClassVar[EpisodeFunction] = step_keys

    def _count_falling_pieces(self) -> int:
        return self.count

    @property
    def steps_per_second(self) -> float:
        """The pace of the game in real time."""
        return self.rules.frames_per_second / self.options.frames_per_step

    def _count_actions(self) -> int:
        return len(self.list_action_meanings(0))

    def get_falling_piece(self, index: int) -> Placement | None:
        """Return the falling piece where it is, written as a placement; None between two pieces."""
        rotations_by_state = self.settings.rules[0].rotation_of_state.tolist()
        piece = int(self.games["queue"][index, 0])
        return locate_falling_piece(self.falls[index], piece, rotations_by_state, self.rules.rotation)

    def list_action_meanings(self, index: int) -> list[str]:
        """Return the key of each action."""
        return ["none", *self.rules.keys]


def parse_rewards(
    returned: object, shape: tuple[int, ...], ignored: NDArray[np.bool_] | bool = False
) -> NDArray[np.float64]:
    """Return what a reward function of the user has returned, as an array of this shape; 0 where it is ignored."""
    try:
        rewards = np.array(returned, np.float64)
    except (TypeError, ValueError):
        rewards = np.array(np.nan)
    rewards = np.where(ignored, 0.0, rewards) if rewards.shape == shape else np.array(np.nan)
    if np.isnan(rewards).any():
        expected = f"an array of {shape[0]} numbers, one per game" if shape else "a number"
        raise TetrionError(f"The reward function must return {expected}; it returned {returned!r:.80}.")
    return rewards
