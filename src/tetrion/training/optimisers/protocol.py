"""What every optimiser can do: propose candidates, learn from their fitness, be written down and taken up again."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

Numbers = np.ndarray[Any, Any]
State = dict[str, Numbers]  # plain arrays, which a file holds without pickling


class Optimiser(Protocol):
    """Looks for numbers of large fitness; what they are the fitness of, it does not know.

    `ask` and `tell` take turns, and the state is that between a `tell` and the next `ask`.
    """

    def ask(self) -> Numbers:
        """Candidates to try, one a row."""

    def tell(self, fitness: Numbers) -> None:
        """Learn how fit the candidates of the last `ask` are; more is better."""

    def favourite(self) -> Numbers:
        """The candidate that it would put forward now; it need not have been tried."""

    def state(self) -> State:
        """Everything that it needs to go on, its generator included."""

    def restore(self, state: Mapping[str, Numbers]) -> None:
        """Go on from a state."""


def generator_state(generator: np.random.Generator) -> Numbers:
    """The state of a generator as an array of text."""
    return np.array(json.dumps(generator.bit_generator.state, sort_keys=True))


def restore_generator(generator: np.random.Generator, saved: Numbers) -> None:
    """Take up the state of a generator."""
    generator.bit_generator.state = json.loads(str(saved))
