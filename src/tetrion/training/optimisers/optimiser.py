"""Interface of all optimisers, and saving and restoring of random generators."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from tetrion.errors import RunError

_MAX_GENERATOR_TEXT = 1000  # characters
_GENERATOR_BITS = (128, 128, 1, 32)  # of the numbers in the state of NumPy's default generator, PCG64
MAX_STATE_NUMBER = 1e64  # of a state: the square of the largest number of a candidate that CMA-ES allows
_KIND_NAMES = {"b": "booleans", "i": "integers", "f": "floats", "U": "texts"}

NumpyArray = np.ndarray[Any, Any]
StateArrays = dict[str, NumpyArray]  # plain arrays, which are saved without pickling


class Optimiser(Protocol):
    """Searches for candidates (vectors of numbers) with large fitness, independently of what the fitness measures.

    `ask` and `tell` are called alternately. A state is taken between a `tell` and the next `ask`.
    """

    def ask(self) -> NumpyArray:
        """Return candidates to evaluate, one per row."""

    def tell(self, fitness: NumpyArray) -> None:
        """Receive the fitness of the candidates of the last `ask`; more is better."""

    def get_incumbent(self) -> NumpyArray:
        """Return the current best estimate, which need not have been evaluated."""

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue, including the random generator."""

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""


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
