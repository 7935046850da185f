"""What every optimiser can do: propose candidates, learn from their fitness, be written down and taken up again."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

NumpyArray = np.ndarray[Any, Any]
StateArrays = dict[str, NumpyArray]  # plain arrays, which a file holds without pickling


class Optimiser(Protocol):
    """Looks for numbers of large fitness; what they are the fitness of, it does not know.

    `ask` and `tell` take turns, and the state is that between a `tell` and the next `ask`.
    """

    def ask(self) -> NumpyArray:
        """Candidates to try, one a row."""

    def tell(self, fitness: NumpyArray) -> None:
        """Learn how fit the candidates of the last `ask` are; more is better."""

    def get_incumbent(self) -> NumpyArray:
        """The candidate that it would put forward now; it need not have been tried."""

    def get_state(self) -> StateArrays:
        """Everything that it needs to go on, its generator included."""

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Go on from a state."""


def save_generator(generator: np.random.Generator) -> NumpyArray:
    """The state of a generator as an array of text."""
    return np.array(json.dumps(generator.bit_generator.state, sort_keys=True))


def restore_generator(generator: np.random.Generator, saved: NumpyArray) -> None:
    """Take up the state of a generator."""
    generator.bit_generator.state = json.loads(str(saved))
