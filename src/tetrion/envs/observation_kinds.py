"""The kinds of observations: their Gymnasium spaces, and arrays that compiled code fills for all games at once.

Arrays are allocated once. `ObservationKind.write` fills them from the games; the environments return copies. Which
states an observation has beside boards and pieces, such as the held piece, depends on the rules.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.features.attack_features import ATTACK_FEATURES, FIRST_ATTACK_VALUE
from tetrion.engine.observations import (
    STATE_NAMES,
    AfterstateArrays,
    make_masks,
    write_afterstates,
    write_board_features,
    write_planes,
    write_states,
)
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.records import (
    ATTACK_BITS,
    FULL_SPIN,
    MAX_COUNTED_BACK_TO_BACK,
    MAX_COUNTED_COMBO,
    RulesRecord,
)
from tetrion.envs.game_batch import GameBatch

SPAWN_MARGIN = 4  # rows above the board in which pieces spawn and rotate

FALLING_LIMITS = [1, 3, BOARD_WIDTH - 1, MOVEMENT_ROWS - 1]  # falling or not, rotation state, column, row
CHOICE_STATES = ("hold", "can_hold")  # states that are one of several values; the others count something
NO_STATES = np.zeros(0, np.int64)

Arrays = NDArray[Any] | dict[str, NDArray[Any]]


class ObservationKind(ABC):
    """Observations of a batch of games.

    `states` has one row per game and one column per element of `STATE_NAMES`; `state_numbers` are those that the rules
    have.
    """

    def __init__(self, batch: GameBatch) -> None:
        self.batch = batch
        self.rules_record = batch.settings.rules
        self.known_pieces = batch.rules.preview + 1
        self.has_falling_pieces = len(batch.falls) > 0
        rows = batch.rules.rows
        self.plane_rows = min(rows + SPAWN_MARGIN, MOVEMENT_ROWS) if self.has_falling_pieces else rows
        self.states: NDArray[np.int32] = np.zeros((batch.count, len(STATE_NAMES)), np.int32)
        self.state_numbers = np.array([STATE_NAMES.index(name) for name in batch.parts.states], np.int64)
        limits = {
            "hold": len(PIECES),
            "can_hold": 1,
            "combo": MAX_COUNTED_COMBO,
            "back_to_back": MAX_COUNTED_BACK_TO_BACK,
            "garbage": rows,
            "garbage_due": rows,
        }
        self.state_limits = [limits[name] for name in batch.parts.states]  # the largest values

    space: spaces.Space[Any]  # of one game
    arrays: Arrays  # of all games

    @abstractmethod
    def write(self) -> None:
        """Write the observations of all games into `arrays`."""

    def write_states(self) -> None:
        """Write the states of all games into `states`."""
        write_states(self.batch.games, self.rules_record, self.states)

    def copy_one(self, index: int) -> Any:
        """Return a copy of the observation of one game."""
        if isinstance(self.arrays, dict):
            return {name: _copy_one(array, index) for name, array in self.arrays.items()}
        return self.arrays[index].copy()

    def copy_all(self) -> Arrays:
        """Return a copy of the observations of all games."""
        if isinstance(self.arrays, dict):
            return {name: array.copy() for name, array in self.arrays.items()}
        return self.arrays.copy()


def _copy_one(array: NDArray[Any], index: int) -> Any:
    return array[index].copy() if array.ndim > 1 else array[index]  # an element of an array is a copy


class PlanesObservation(ObservationKind):
    """The board, the current piece, each piece of the preview and each state as planes of cells that are 0 or 1.

    The plane of a state shows the held piece, is full or empty, or has as many filled rows as the state counts.
    """

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        shape = (1 + self.known_pieces + len(self.state_numbers), self.plane_rows, BOARD_WIDTH)
        self.space = spaces.Box(0, 1, shape, np.uint8)
        self.arrays: NDArray[np.uint8] = np.zeros((batch.count, *shape), np.uint8)

    def write(self) -> None:
        """Write the planes of all games."""
        if self.state_limits:
            self.write_states()
        batch = self.batch
        write_planes(batch.games, batch.falls, self.rules_record, (self.states, self.state_numbers), self.arrays)


class NumbersObservation(ObservationKind):
    """A row of numbers: the board and the known pieces, the falling piece if actions are keys, and the states.

    The falling piece has four numbers: whether it is falling, and its rotation state, column and row.
    """

    arrays: NDArray[Any]

    def _allocate(self, limits: list[int], state_limits: list[int], dtype: type[np.int32 | np.float32]) -> None:
        """Make the space and the arrays, given the largest values of board and pieces, and those of the states."""
        falling_limits = FALLING_LIMITS if self.has_falling_pieces else []
        high: NDArray[Any] = np.array(limits + falling_limits + state_limits, dtype)
        self.space = spaces.Box(np.zeros_like(high), high, dtype=high.dtype.type)
        self.arrays = np.zeros((self.batch.count, len(high)), dtype)
        self.falling_start = len(limits)
        self.states_start = self.falling_start + len(falling_limits)

    def write_falling_pieces(self) -> None:
        """Write the four numbers of the falling pieces; zeros between two pieces."""
        if self.has_falling_pieces:
            is_active = self.batch.falls["is_active"]
            self.arrays[:, self.falling_start] = is_active
            piece_states = self.batch.falls["piece_state"] * is_active[:, None]
            self.arrays[:, self.falling_start + 1 : self.states_start] = piece_states


class ColumnsObservation(NumbersObservation):
    """The ten columns as integers, whose bit 0 is the lowest row, and the numbers of the known pieces; then the rest.

    The held piece is its number + 1, or 0.
    """

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        limits = [2**batch.rules.rows - 1] * BOARD_WIDTH + [len(PIECES) - 1] * self.known_pieces
        self._allocate(limits, self.state_limits, np.int32)

    def write(self) -> None:
        """Write the columns, pieces and states of all games."""
        games, arrays = self.batch.games, self.arrays
        arrays[:, :BOARD_WIDTH] = games["board"]
        arrays[:, BOARD_WIDTH : self.falling_start] = games["queue"][:, : self.known_pieces]
        self.write_falling_pieces()
        if self.state_limits:
            self.write_states()
            arrays[:, self.states_start :] = self.states[:, self.state_numbers]


class FeaturesObservation(NumbersObservation):
    """Features of the board and the known pieces, seven numbers each: 1 for the piece, 0 for the others; then the rest.

    The held piece is seven numbers, too.
    """

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        names = batch.options.features
        self.numbers = np.array([FEATURES[name].number for name in names], np.int64)
        self.has_hold = "hold" in batch.parts.states
        limits = [FEATURES[name].max_value for name in names] + [1] * len(PIECES) * self.known_pieces
        state_limits = [1] * len(PIECES) + self.state_limits[1:] if self.has_hold else self.state_limits
        self._allocate(limits, state_limits, np.float32)

    def write(self) -> None:
        """Write the features, pieces and states of all games."""
        arrays = self.arrays
        write_board_features(self.batch.games, self.rules_record, self.numbers, arrays[:, : self.falling_start])
        self.write_falling_pieces()
        if self.state_limits:
            self.write_states()
            start, numbers = self.states_start, self.state_numbers
            if self.has_hold:
                held = self.states[:, numbers[:1]]
                arrays[:, start : start + len(PIECES)] = held == np.arange(1, len(PIECES) + 1)
                start, numbers = start + len(PIECES), numbers[1:]
            arrays[:, start:] = self.states[:, numbers]


class DictObservation(ObservationKind):
    """The board, the current piece, the preview, the legal actions and the states under names."""

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        cells = (self.plane_rows, BOARD_WIDTH)
        self.parts: dict[str, spaces.Space[Any]] = {
            "board": spaces.Box(0, 1, cells, np.uint8),
            "piece": spaces.Discrete(len(PIECES)),
            "action_mask": spaces.Box(0, 1, (batch.action_count,), np.int8),
        }
        if batch.rules.preview:
            self.parts["preview"] = spaces.MultiDiscrete([len(PIECES)] * batch.rules.preview)
        if self.has_falling_pieces:
            self.parts["falling"] = spaces.Box(0, 1, cells, np.uint8)
        for name, limit in zip(batch.parts.states, self.state_limits, strict=True):
            is_choice = name in CHOICE_STATES
            self.parts[name] = spaces.Discrete(limit + 1) if is_choice else spaces.Box(0, limit, (1,), np.int32)
        self.arrays: dict[str, NDArray[Any]] = allocate_parts(self.parts, batch.count)
        self.planes: NDArray[np.uint8] = np.zeros((batch.count, 1 + self.has_falling_pieces, *cells), np.uint8)
        self.space = spaces.Dict(self.parts)

    def write(self) -> None:
        """Write the board, the pieces, the legal actions and the states of all games."""
        arrays, batch = self.arrays, self.batch
        queue = batch.games["queue"]
        write_planes(batch.games, batch.falls, self.rules_record, (self.states, NO_STATES), self.planes)
        arrays["board"][:] = self.planes[:, 0]
        arrays["piece"][:] = queue[:, 0]
        arrays["action_mask"][:] = batch.mask
        if "preview" in arrays:
            arrays["preview"][:] = queue[:, 1 : self.known_pieces]
        if "falling" in arrays:
            arrays["falling"][:] = self.planes[:, 1]
        if self.state_limits:
            self.write_states()
            for name, number in zip(batch.parts.states, self.state_numbers, strict=True):
                arrays[name][:] = self.states[:, number].reshape(arrays[name].shape)


def allocate_parts(parts: dict[str, spaces.Space[Any]], count: int) -> dict[str, NDArray[Any]]:
    """Return an array for each part of an observation, with one row per game."""
    return {name: np.zeros((count, *(part.shape or ())), part.dtype) for name, part in parts.items()}


AFTERSTATE_PARTS = {
    "planes": ("boards",),
    "columns": ("columns",),
    "features": ("features",),
    "dict": ("boards", "columns", "features"),
}
ATTACK_PARTS = ("attacks", "spins", "holds", "combos", "back_to_backs")


class AfterstatesObservation(ObservationKind):
    """The afterstate of each placement: its board, columns or features, and the lines that it clears.

    Under modern rules also its attack, spin and hold, and combo and back-to-back after it. Rows of illegal actions
    contain zeros.
    """

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        self.current = DictObservation(batch)  # the position before the placement
        options = batch.options
        names = (*AFTERSTATE_PARTS[options.observation], "lines", *(ATTACK_PARTS if batch.parts.has_attack else ()))
        all_parts = self._make_parts()
        parts = {name: all_parts[name] for name in names}
        self.arrays: dict[str, NDArray[Any]] = allocate_parts(parts, batch.count)
        written = {name: np.zeros((0,) * (1 + len(part.shape or ())), part.dtype) for name, part in all_parts.items()}
        features = options.features if "features" in names else ()
        others = np.array([FEATURES[name].number for name in features if name in FEATURES], np.int64)
        attack_mask = sum(1 << ATTACK_FEATURES[name].number for name in features if name in ATTACK_FEATURES)
        self.afterstate_arrays = AfterstateArrays(
            np.array([find_feature_value(name) for name in features], np.int64),
            (*make_masks(others), attack_mask),
            **(written | self.arrays),
        )
        self.space = spaces.Dict({**parts, **self.current.parts})
        self.arrays |= self.current.arrays

    def _make_parts(self) -> dict[str, spaces.Space[Any]]:
        """Return the spaces of all parts that can describe afterstates."""
        actions, rows = self.batch.action_count, self.batch.rules.rows
        limits = [get_feature_limits(name) for name in self.batch.options.features]
        low = np.array([[smallest for smallest, _ in limits]] * actions, np.float32)
        high = np.array([[largest for _, largest in limits]] * actions, np.float32)
        return {
            "boards": spaces.Box(0, 1, (actions, rows, BOARD_WIDTH), np.uint8),
            "columns": spaces.Box(0, 2**rows - 1, (actions, BOARD_WIDTH), np.int32),
            "features": spaces.Box(low, high, dtype=np.float32),
            "lines": spaces.Box(0, 4, (actions,), np.int8),
            "attacks": spaces.Box(0, compute_max_attack(self.rules_record[0]), (actions,), np.int32),
            "spins": spaces.Box(0, FULL_SPIN, (actions,), np.int8),
            "holds": spaces.Box(0, 1, (actions,), np.int8),
            "combos": spaces.Box(0, MAX_COUNTED_COMBO, (actions,), np.int32),
            "back_to_backs": spaces.Box(0, MAX_COUNTED_BACK_TO_BACK, (actions,), np.int32),
        }

    def write(self) -> None:
        """Write the afterstates of all games, and what belongs to their current positions."""
        self.current.write()
        batch = self.batch
        write_afterstates(batch.games, self.rules_record, batch.codes, self.afterstate_arrays)


def find_feature_value(name: str) -> int:
    """Return the index of a feature among the values that are measured."""
    return FEATURES[name].number if name in FEATURES else FIRST_ATTACK_VALUE + ATTACK_FEATURES[name].number


def get_feature_limits(name: str) -> tuple[int, int]:
    """Return the smallest and the largest value of a feature."""
    if name in ATTACK_FEATURES:
        return 0, ATTACK_FEATURES[name].max_value
    return FEATURES[name].min_value, FEATURES[name].max_value


def compute_max_attack(rules: RulesRecord) -> int:
    """Return the largest attack of a placement under the rules, at least 1; attack that grows has no limit."""
    if rules.attack_growth:
        return int(np.iinfo(np.int32).max)
    highest = max(rules.difficult_attack.max(), rules.simple_attack.max()) >> ATTACK_BITS
    return max(1, int(highest + rules.perfect_clear_attack.max() + rules.garbage_clear_bonus))


_KINDS: dict[str, type[ObservationKind]] = {
    "planes": PlanesObservation,
    "columns": ColumnsObservation,
    "features": FeaturesObservation,
    "dict": DictObservation,
}


def make_observation(batch: GameBatch) -> ObservationKind:
    """Return the observations of a batch that its option selects."""
    return _KINDS[batch.options.observation](batch)
