"""Interface of all optimisers, and saving and restoring of random generators."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

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
    """Set a random generator to a saved state."""
    generator.bit_generator.state = json.loads(str(saved))
