"""The base class of all optimisers, and operations on candidates."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from tetrion.errors import RunError, TetrionError, describe_value

_MAX_GENERATOR_TEXT = 1000  # characters
_GENERATOR_BITS = (128, 128, 1, 32)  # of the numbers in the state of NumPy's default generator, PCG64
MAX_STATE_NUMBER = 1e64  # of a state: the square of the largest number of a candidate that CMA-ES allows
_KIND_NAMES = {"b": "booleans", "i": "integers", "f": "floats", "U": "texts"}

NumpyArray = np.ndarray[Any, Any]
StateArrays = dict[str, NumpyArray]  # plain arrays, which are saved without pickling


def save_generator(generator: np.random.Generator) -> NumpyArray:
    """Return the state of a random generator as an array of text."""
    return np.array(json.dumps(generator.bit_generator.state, sort_keys=True))


def restore_generator(generator: np.random.Generator, saved: NumpyArray) -> None:
    """Set a random generator to a saved state; raise RunError if the state is not that of such a generator."""
    current = generator.bit_generator.state
    try:
        state = json.loads(str(saved)[:_MAX_GENERATOR_TEXT])
        numbers = [*map(state["state"].pop, current["state"]), state.pop("has_uint32"), state.pop("uinteger")]
        is_valid = state == {"bit_generator": current["bit_generator"], "state": {}} and all(
            type(number) is int and 0 <= number < 2**bits for number, bits in zip(numbers, _GENERATOR_BITS, strict=True)
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_valid = False
    if not is_valid:
        raise RunError("The state of the random generator is damaged.")
    generator.bit_generator.state = json.loads(str(saved))


def check_state(owner: str, expected: Mapping[str, NumpyArray], state: Mapping[str, NumpyArray]) -> StateArrays:
    """Return a state in the number types of `expected`; raise RunError unless it has those arrays and valid numbers.

    `owner` is what is restored, such as the name of an optimiser. Integers count something and are not negative.
    """
    arrays: StateArrays = {}
    for name in sorted(expected.keys() | state.keys()):
        if describe_array(name, expected) != describe_array(name, state):
            raise RunError(
                f"The state does not match {owner} with these settings: expected {describe_array(name, expected)}; "
                f"given {describe_array(name, state)}. Use the settings with which the state was saved."
            )
        array = state[name]
        kind = array.dtype.kind
        if kind == "U":
            arrays[name] = array
            continue
        with np.errstate(all="ignore"):  # a number that does not fit into the type differs afterwards
            arrays[name] = array.astype(expected[name].dtype)
        check_numbers(owner, name, arrays[name] == array)  # False for NaN
        if kind == "f":
            check_numbers(owner, name, np.abs(arrays[name]) <= MAX_STATE_NUMBER)
        elif kind == "i":
            check_numbers(owner, name, array >= 0)
    return arrays


def check_numbers(owner: str, name: str, is_valid: NumpyArray | bool) -> None:
    """Raise RunError about an array of a state unless all its numbers are valid."""
    if not np.all(is_valid):
        raise RunError(f"The state of {owner} is damaged: '{name}' has an invalid number.")


def describe_array(name: str, state: Mapping[str, NumpyArray]) -> str:
    """Return the name, the type and the shape of an array of a state, for an error message."""
    if name not in state:
        return f"no '{name}'"
    return f"'{name}' of {_KIND_NAMES.get(state[name].dtype.kind, 'other values')}, of shape {state[name].shape}"


_MAX_COUNT = 2**62  # of generations in a state; more do not occur, and would overflow


class Optimiser(ABC):
    """Searches for candidates (vectors of numbers) with large fitness, independently of what the fitness measures.

    `ask` and `tell` are called alternately. A state is taken between a `tell` and the next `ask`. Subclasses define
    `propose`, `learn`, `get_incumbent` and `state_attributes`.
    """

    state_attributes: ClassVar[tuple[str, ...]]  # names of all attributes that change, except the random generator

    def __init__(self, dimension: int, seed: int) -> None:
        if dimension < 1:
            raise TetrionError(f"A candidate must have at least one number; given {dimension}.")
        self.dimension = dimension
        self.generator = np.random.default_rng(seed)
        self.pending_candidates: NumpyArray | None = None  # candidates whose fitness is not yet known

    @abstractmethod
    def propose(self) -> NumpyArray:
        """Return the next candidates, one per row."""

    @abstractmethod
    def learn(self, candidates: NumpyArray, fitness: NumpyArray) -> None:
        """Update the optimiser with the fitness of the candidates."""

    @abstractmethod
    def get_incumbent(self) -> NumpyArray:
        """Return the current best estimate, which need not have been evaluated."""

    def ask(self) -> NumpyArray:
        """Return candidates to evaluate, one per row."""
        if self.pending_candidates is not None:
            raise TetrionError(
                "The fitness of the last candidates is missing: call tell(fitness) before the next ask()."
            )
        self.pending_candidates = self.propose()
        return self.pending_candidates.copy()

    def tell(self, fitness: NumpyArray) -> None:
        """Receive the fitness of the candidates of the last `ask`; more is better."""
        if self.pending_candidates is None:
            raise TetrionError("No candidates are waiting for a fitness: call ask() before each tell(fitness).")
        self.learn(self.pending_candidates, validate_fitness(fitness, len(self.pending_candidates)))
        self.pending_candidates = None

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue after a `tell`, including the random generator."""
        if self.pending_candidates is not None:
            raise TetrionError(
                "The fitness of the last candidates is missing: take a state after tell(fitness), before ask()."
            )
        return self.get_state_arrays()

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""
        owner = type(self).__name__
        arrays = check_state(owner, self.get_state_arrays(), state)
        for name, array in arrays.items():
            check_numbers(owner, name, array.dtype.kind != "i" or array <= _MAX_COUNT)
        self.restore_arrays(arrays)
        restore_generator(self.generator, arrays["generator"])
        self.pending_candidates = None

    def restore_arrays(self, arrays: StateArrays) -> None:
        """Set the state attributes; a subclass raises RunError for numbers that it cannot reach by itself."""
        for name in self.state_attributes:
            setattr(self, name, arrays[name])

    def get_state_arrays(self) -> StateArrays:
        """Return copies of the state attributes, and the state of the generator."""
        arrays = {name: np.array(getattr(self, name)) for name in self.state_attributes}
        return arrays | {"generator": save_generator(self.generator)}


def validate_fitness(fitness: NumpyArray, count: int) -> NumpyArray:
    """Return the fitness as an array with one number per candidate; raise TetrionError if it is invalid."""
    try:
        numbers = np.array(fitness, dtype=np.float64)
    except (TypeError, ValueError):
        raise TetrionError(f"Fitness must be a list of {count:,} numbers; given {describe_value(fitness)}.") from None
    if numbers.shape != (count,):
        raise TetrionError(
            f"Fitness must be one number for each of the {count:,} candidates; given an array of shape {numbers.shape}."
        )
    invalid = np.flatnonzero(np.isnan(numbers) | (numbers == np.inf))
    if invalid.size:
        index = invalid[0]
        raise TetrionError(
            f"Fitness must not be NaN or +inf; given {numbers[index]} for candidate {index} of {count:,}."
        )
    return numbers


def rank_best_first(fitness: NumpyArray) -> NumpyArray:
    """Return the indices of the candidates, best first; among equals the earlier one comes first."""
    return np.argsort(-fitness, kind="stable")


def compute_weighted_mean(candidates: NumpyArray, fitness: NumpyArray) -> NumpyArray:
    """Return the mean of candidates weighted by fitness; unweighted if a fitness is negative or all are zero."""
    if fitness.min() < 0 or fitness.max() == 0:
        return np.asarray(candidates.mean(axis=0))
    return np.asarray(np.average(candidates, axis=0, weights=fitness / fitness.max()))


def normalise_candidates(candidates: NumpyArray) -> NumpyArray:
    """Return the candidates scaled to unit length; a candidate of length zero is unchanged."""
    length = np.linalg.norm(candidates, axis=-1, keepdims=True)
    return np.asarray(candidates / np.where(length > 0, length, 1))


def count_share(count: int, share: float) -> int:
    """Return a share of `count`, rounded; at least 1 unless the share is 0."""
    return max(1, round(share * count)) if share else 0
