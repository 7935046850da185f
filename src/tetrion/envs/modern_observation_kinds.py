"""The kinds of observations of modern games: those of other games, and what a player sees of hold and garbage.

`ModernStates` holds the numbers that are added; the first ones are the held piece and whether hold is available.
"""

from abc import abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tetrion.engine.features.attack_features import ATTACK_FEATURES, FIRST_ATTACK_VALUE
from tetrion.engine.observations import (
    CAN_HOLD_STATE,
    DUE_GARBAGE_STATE,
    GARBAGE_STATE,
    HOLD_STATE,
    STATE_NAMES,
    AfterstateArrays,
    make_masks,
    write_afterstates,
    write_planes,
    write_states,
)
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import ATTACK_BITS, FULL_SPIN, MAX_COUNTED_BACK_TO_BACK, MAX_COUNTED_COMBO
from tetrion.envs.game_batch import GameBatch
from tetrion.envs.observation_kinds import (
    AfterstatesObservation,
    ColumnsObservation,
    DictObservation,
    FeaturesObservation,
    ObservationKind,
    PlanesObservation,
)


class ModernStates:
    """What a player sees of modern games beside boards and known pieces: the numbers that the rules have.

    `values` has one row per game and one column per element of `STATE_NAMES`; `numbers` are the columns in use.
    """

    def __init__(self, batch: GameBatch) -> None:
        rules = batch.rules
        unused = [] if rules.hold else [HOLD_STATE, CAN_HOLD_STATE]
        unused += [] if rules.garbage_rows else [GARBAGE_STATE, DUE_GARBAGE_STATE]
        self._batch = batch
        self._rules_record: Any = batch.settings.engine.rules
        self.limits = (len(PIECES), 1, MAX_COUNTED_COMBO, MAX_COUNTED_BACK_TO_BACK, rules.rows, rules.rows)
        self.numbers = np.array([number for number in range(len(STATE_NAMES)) if number not in unused], np.int64)
        self.values: NDArray[np.int32] = np.zeros((batch.count, len(STATE_NAMES)), np.int32)

    @property
    def has_hold(self) -> bool:
        """Whether the held piece is among the numbers."""
        return HOLD_STATE in self.numbers

    def list_limits(self) -> list[int]:
        """Return the largest value of each number in use."""
        return [self.limits[number] for number in self.numbers]

    def update(self) -> None:
        """Write the numbers of all games into `values`."""
        games: Any = self._batch.games
        write_states(games, self._rules_record, self.values)


class ModernPlanesObservation(PlanesObservation):
    """Planes of cells, and one for each number: the held piece, a full or empty plane, or as many rows as it counts."""

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        self.states = ModernStates(batch)
        planes, *cells = self.arrays.shape[1:]
        shape = (planes + len(self.states.numbers), *cells)
        self.space = spaces.Box(0, 1, shape, np.uint8)
        self.arrays = np.zeros((batch.count, *shape), np.uint8)

    def write(self) -> None:
        """Write the planes of all games."""
        self.states.update()
        games: Any = self.batch.games
        falls: Any = self.batch.falls
        rules: Any = self.rules_record
        write_planes(games, falls, rules, (self.states.values, self.states.numbers), self.arrays)


class ModernNumbersObservation(ObservationKind):
    """An observation that is a row of numbers: those of another kind, followed by what modern games add."""

    base_kind: type[ColumnsObservation | FeaturesObservation]

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        self.base = self.base_kind(batch)
        self.states = ModernStates(batch)
        self.base_length = self.base.arrays.shape[1]
        dtype = self.base.arrays.dtype
        base_space: Any = self.base.space
        high = np.concatenate([base_space.high, np.array(self.list_added_limits(), dtype)])
        self.space = spaces.Box(np.zeros_like(high), high, dtype=dtype.type)
        self.arrays: NDArray[Any] = np.zeros((batch.count, len(high)), dtype)

    def write(self) -> None:
        """Write the numbers of all games."""
        self.states.update()
        self.base.write_to(self.arrays[:, : self.base_length])
        self.write_added(self.arrays[:, self.base_length :])

    @abstractmethod
    def list_added_limits(self) -> list[int]:
        """Return the largest values of the added numbers."""

    @abstractmethod
    def write_added(self, arrays: NDArray[Any]) -> None:
        """Write the added numbers of all games."""


class ModernColumnsObservation(ModernNumbersObservation):
    """Columns and pieces as integers, then the numbers; the held piece is its number in `IOTSZJL` + 1, or 0."""

    base_kind = ColumnsObservation

    def list_added_limits(self) -> list[int]:
        """Return the limits of the numbers."""
        return self.states.list_limits()

    def write_added(self, arrays: NDArray[Any]) -> None:
        """Write the numbers."""
        arrays[:] = self.states.values[:, self.states.numbers]


class ModernFeaturesObservation(ModernNumbersObservation):
    """Features and pieces, then the numbers; the held piece as seven numbers that are 1 for the piece and 0 else."""

    base_kind = FeaturesObservation

    def list_added_limits(self) -> list[int]:
        """Return the limits of the numbers."""
        limits = self.states.list_limits()
        return [1] * len(PIECES) + limits[1:] if self.states.has_hold else limits

    def write_added(self, arrays: NDArray[Any]) -> None:
        """Write the numbers."""
        values, numbers = self.states.values, self.states.numbers
        if self.states.has_hold:
            arrays[:, : len(PIECES)] = values[:, [HOLD_STATE]] == np.arange(1, len(PIECES) + 1)
            arrays, numbers = arrays[:, len(PIECES) :], numbers[1:]
        arrays[:] = values[:, numbers]


class ModernDictObservation(DictObservation):
    """The board, the pieces, the legal actions and the numbers of a modern game under names."""

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        self.states = ModernStates(batch)
        for number in self.states.numbers:
            limit = self.states.limits[number]
            is_choice = number in (HOLD_STATE, CAN_HOLD_STATE)
            shape = (batch.count,) if is_choice else (batch.count, 1)
            part = spaces.Discrete(limit + 1) if is_choice else spaces.Box(0, limit, (1,), np.int32)
            self.parts[STATE_NAMES[number]] = part
            self.arrays[STATE_NAMES[number]] = np.zeros(shape, part.dtype)
        self.space = spaces.Dict(self.parts)

    def write(self) -> None:
        """Write the observations of all games."""
        super().write()
        self.states.update()
        for number in self.states.numbers:
            array = self.arrays[STATE_NAMES[number]]
            array[:] = self.states.values[:, number].reshape(array.shape)


class ModernAfterstatesObservation(AfterstatesObservation):
    """The afterstate of each placement, with its attack, spin and hold, and combo and back-to-back after it."""

    current_kind = ModernDictObservation

    def __init__(self, batch: GameBatch) -> None:
        super().__init__(batch)
        names = batch.options.features
        others = np.array([self.number_feature(name) for name in names if name not in ATTACK_FEATURES], np.int64)
        modern_mask = sum(1 << ATTACK_FEATURES[name].number for name in names if name in ATTACK_FEATURES)
        self.modern_arrays = AfterstateArrays(
            self.afterstate_arrays,
            (*make_masks(others), modern_mask),
            *(self.arrays[name] for name in ("attacks", "spins", "holds", "combos", "back_to_backs")),
        )
        self._memory = np.zeros(1, write_afterstates.memory_dtype)

    def number_feature(self, name: str) -> int:
        """Return the number of a feature among the values that are measured."""
        modern = ATTACK_FEATURES.get(name)
        return FIRST_ATTACK_VALUE + modern.number if modern else super().number_feature(name)

    def get_feature_limits(self, name: str) -> tuple[int, int]:
        """Return the smallest and the largest value of a feature."""
        modern = ATTACK_FEATURES.get(name)
        return (0, modern.max_value) if modern else super().get_feature_limits(name)

    def compute_max_attack(self) -> int:
        """Return the largest attack of a placement under the rules, at least 1; attack that grows has no limit."""
        rules: Any = self.rules_record[0]
        if rules.attack_growth:
            return int(np.iinfo(np.int32).max)
        highest = max(rules.difficult_attack.max(), rules.simple_attack.max()) >> ATTACK_BITS
        return max(1, int(highest + rules.perfect_clear_attack.max() + rules.garbage_clear_bonus))

    def make_afterstate_spaces(self) -> dict[str, spaces.Space[Any]]:
        """Return the spaces of the parts that describe afterstates."""
        shape = (self.batch.action_count,)
        return super().make_afterstate_spaces() | {
            "attacks": spaces.Box(0, self.compute_max_attack(), shape, np.int32),
            "spins": spaces.Box(0, FULL_SPIN, shape, np.int8),
            "holds": spaces.Box(0, 1, shape, np.int8),
            "combos": spaces.Box(0, MAX_COUNTED_COMBO, shape, np.int32),
            "back_to_backs": spaces.Box(0, MAX_COUNTED_BACK_TO_BACK, shape, np.int32),
        }

    def write(self) -> None:
        """Write the afterstates of all games, and what belongs to their current positions."""
        self.current.write()
        games: Any = self.batch.games
        rules: Any = self.rules_record
        write_afterstates.call_with_memory(self._memory, games, rules, self.batch.codes, self.modern_arrays)


_KINDS: dict[str, tuple[type[ObservationKind], type[ObservationKind]]] = {  # of other games, and of modern ones
    "planes": (PlanesObservation, ModernPlanesObservation),
    "columns": (ColumnsObservation, ModernColumnsObservation),
    "features": (FeaturesObservation, ModernFeaturesObservation),
    "dict": (DictObservation, ModernDictObservation),
}


def make_observation(batch: GameBatch) -> ObservationKind:
    """Return the observations of a batch that its option selects."""
    return _KINDS[batch.options.observation][batch.rules.is_modern](batch)


def make_afterstates_observation(batch: GameBatch) -> ObservationKind:
    """Return the observations of a batch that contain afterstates."""
    return ModernAfterstatesObservation(batch) if batch.rules.is_modern else AfterstatesObservation(batch)
