"""The kinds of observations: their Gymnasium spaces, and arrays that compiled code fills for all games at once.

Arrays are allocated once. `ObservationKind.write` fills them from the games; the environments return copies.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.observation_arrays import write_falling_planes
from tetrion.engine.observations import AfterstateArrays, write_afterstates, write_board_features, write_planes
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.envs.game_batch import GameBatch

SPAWN_MARGIN = 4  # rows above the board in which pieces spawn and rotate

FALLING_STATE_LIMITS = [1, 3, BOARD_WIDTH - 1, MOVEMENT_ROWS - 1]  # falling or not, rotation state, column, row

Arrays = NDArray[Any] | dict[str, NDArray[Any]]


class ObservationKind(ABC):
    """Observations of a batch of games."""

    def __init__(self, batch: GameBatch) -> None:
        self.batch = batch
        self.rules_record = batch.settings.engine.rules
        self.known_pieces = batch.rules.preview + 1
        self.has_falling_pieces = batch.get_falling_states() is not None

    space: spaces.Space[Any]  # of one game
    arrays: Arrays  # of all games

    @abstractmethod
    def write(self) -> None:
        """Write the observations of all games into `arrays`."""

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
    """The board, the current piece and each piece of the preview as planes of cells that are 0 or 1."""

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        margin = SPAWN_MARGIN if self.has_falling_pieces else 0
        self.rows = min(batch.rules.rows + margin, MOVEMENT_ROWS)
        shape = (1 + self.known_pieces, self.rows, BOARD_WIDTH)
        self.space = spaces.Box(0, 1, shape, np.uint8)
        self.arrays: NDArray[np.uint8] = np.zeros((batch.count, *shape), np.uint8)

    def write(self) -> None:
        """Write the planes of all games."""
        batch = self.batch
        if self.has_falling_pieces:
            write_falling_planes(batch.games, batch.falls, self.rules_record, self.arrays)
        else:
            write_planes(batch.games, self.rules_record, self.arrays)


class ColumnsObservation(ObservationKind):
    """The ten columns as integers, whose bit 0 is the lowest row, then the numbers of the known pieces.

    With keys as actions, four numbers follow: whether a piece is falling, and its rotation state, column and row.
    """

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        highest = [2**batch.rules.rows - 1] * BOARD_WIDTH + [len(PIECES) - 1] * self.known_pieces
        if self.has_falling_pieces:
            highest += FALLING_STATE_LIMITS
        high = np.array(highest, np.int32)
        self.space = spaces.Box(np.zeros_like(high), high, dtype=np.int32)
        self.arrays: NDArray[np.int32] = np.zeros((batch.count, len(high)), np.int32)

    def write(self) -> None:
        """Write the columns and pieces of all games."""
        self.write_to(self.arrays)

    def write_to(self, arrays: NDArray[Any]) -> None:
        """Write the columns and pieces of all games into an array."""
        pieces_end = BOARD_WIDTH + self.known_pieces
        arrays[:, :BOARD_WIDTH] = self.batch.games["board"]
        arrays[:, BOARD_WIDTH:pieces_end] = self.batch.games["queue"][:, : self.known_pieces]
        falling = self.batch.get_falling_states()
        if falling is not None:
            arrays[:, pieces_end:] = falling


class FeaturesObservation(ObservationKind):
    """Features of the board, then the known pieces, seven numbers each: 1 for the piece and 0 for the others.

    With keys as actions, four numbers follow: whether a piece is falling, and its rotation state, column and row.
    """

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        names = batch.options.features
        self.numbers = np.array([FEATURES[name].number for name in names], np.int64)
        highest = [FEATURES[name].max_value for name in names] + [1] * len(PIECES) * self.known_pieces
        self.written = len(highest)
        if self.has_falling_pieces:
            highest += FALLING_STATE_LIMITS
        high = np.array(highest, np.float32)
        self.space = spaces.Box(np.zeros_like(high), high, dtype=np.float32)
        self.arrays: NDArray[np.float32] = np.zeros((batch.count, len(high)), np.float32)

    def write(self) -> None:
        """Write the features and pieces of all games."""
        self.write_to(self.arrays)

    def write_to(self, arrays: NDArray[Any]) -> None:
        """Write the features and pieces of all games into an array."""
        batch = self.batch
        write_board_features(batch.games, self.rules_record, self.numbers, arrays[:, : self.written])
        falling = batch.get_falling_states()
        if falling is not None:
            arrays[:, self.written :] = falling


class DictObservation(ObservationKind):
    """The board, the current piece, the preview and the legal actions under names."""

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        self.planes = PlanesObservation(batch)
        cells = (self.planes.rows, BOARD_WIDTH)
        self.parts: dict[str, spaces.Space[Any]] = {
            "board": spaces.Box(0, 1, cells, np.uint8),
            "piece": spaces.Discrete(len(PIECES)),
            "action_mask": spaces.Box(0, 1, (batch.action_count,), np.int8),
        }
        self.arrays: dict[str, NDArray[Any]] = {
            "board": np.zeros((batch.count, *cells), np.uint8),
            "piece": np.zeros(batch.count, np.int64),
            "action_mask": np.zeros_like(batch.mask),
        }
        if batch.rules.preview:
            self.parts["preview"] = spaces.MultiDiscrete([len(PIECES)] * batch.rules.preview)
            self.arrays["preview"] = np.zeros((batch.count, batch.rules.preview), np.int64)
        if self.has_falling_pieces:
            self.parts["falling"] = spaces.Box(0, 1, cells, np.uint8)
            self.arrays["falling"] = np.zeros((batch.count, *cells), np.uint8)
        self.space = spaces.Dict(self.parts)

    def write(self) -> None:
        """Write the board, the pieces and the legal actions of all games."""
        self.planes.write()
        self.arrays["action_mask"][:] = self.batch.mask
        queue = self.batch.games["queue"]
        self.arrays["board"][:] = self.planes.arrays[:, 0]
        self.arrays["piece"][:] = queue[:, 0]
        if "preview" in self.arrays:
            self.arrays["preview"][:] = queue[:, 1 : self.known_pieces]
        if "falling" in self.arrays:
            self.arrays["falling"][:] = self.planes.arrays[:, 1]


AFTERSTATE_PARTS = {
    "planes": ("boards",),
    "columns": ("columns",),
    "features": ("features",),
    "dict": ("boards", "columns", "features"),
}


class AfterstatesObservation(ObservationKind):
    """The afterstate of each placement: its board, columns or features, and the lines that it clears.

    Rows of illegal actions contain zeros.
    """

    current_kind = DictObservation  # of the position before the placement

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        parts = self.make_afterstate_spaces()
        self.arrays: dict[str, NDArray[Any]] = {
            name: np.zeros((batch.count, *(space.shape or ())), space.dtype) for name, space in parts.items()
        }
        self.afterstate_arrays = AfterstateArrays(
            np.array([self.number_feature(name) for name in batch.options.features], np.int64),
            self.arrays["lines"],
            self.arrays.get("boards", np.zeros((0, 0, 0, 0), np.uint8)),
            self.arrays.get("columns", np.zeros((0, 0, 0), np.int32)),
            self.arrays.get("features", np.zeros((0, 0, 0), np.float32)),
        )
        self.current = self.current_kind(batch)
        self.space = spaces.Dict({**parts, **self.current.parts})
        self.arrays |= self.current.arrays
        self._memory = np.zeros(1, write_afterstates.memory_dtype)

    def number_feature(self, name: str) -> int:
        """Return the number of a feature among the values that are measured."""
        return FEATURES[name].number

    def get_feature_limits(self, name: str) -> tuple[int, int]:
        """Return the smallest and the largest value of a feature."""
        return FEATURES[name].min_value, FEATURES[name].max_value

    def make_afterstate_spaces(self) -> dict[str, spaces.Space[Any]]:
        """Return the spaces of the parts that describe afterstates, by the option `observation`."""
        options = self.batch.options
        actions = self.batch.action_count
        limits = [self.get_feature_limits(name) for name in options.features]
        low = np.array([[smallest for smallest, _ in limits]] * actions, np.float32)
        high = np.array([[largest for _, largest in limits]] * actions, np.float32)
        parts: dict[str, spaces.Space[Any]] = {
            "boards": spaces.Box(0, 1, (actions, options.rules.rows, BOARD_WIDTH), np.uint8),
            "columns": spaces.Box(0, 2**options.rules.rows - 1, (actions, BOARD_WIDTH), np.int32),
            "features": spaces.Box(low, high, dtype=np.float32),
        }
        kept = AFTERSTATE_PARTS[options.observation]
        return {name: parts[name] for name in kept} | {"lines": spaces.Box(0, 4, (actions,), np.int8)}

    def write(self) -> None:
        """Write the afterstates of all games, and what belongs to their current positions."""
        self.current.write()
        write_afterstates.call_with_memory(self._memory, self.batch.games, self.rules_record, self.afterstate_arrays)
