"""What the optimisers have in common: ask and tell take turns, and a state is a few arrays and a generator."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from tetrion.errors import RunError, TetrionError
from tetrion.training.optimisers.candidates import checked_fitness
from tetrion.training.optimisers.protocol import Numbers, State, generator_state, restore_generator


class Turns(ABC):
    """An optimiser whose child says how to `propose` candidates, how to `learn`, and which arrays it has to keep."""

    kept: ClassVar[tuple[str, ...]]  # attributes that, with the generator, are all that changes

    def __init__(self, dimension: int, seed: int) -> None:
        if dimension < 1:
            raise TetrionError(f"A candidate has at least one number; given {dimension}.")
        self.dimension = dimension
        self.generator = np.random.default_rng(seed)
        self.waiting: Numbers | None = None  # candidates asked for and not yet judged

    @abstractmethod
    def propose(self) -> Numbers:
        """The next candidates, one a row."""

    @abstractmethod
    def learn(self, candidates: Numbers, fitness: Numbers) -> None:
        """Take in how fit the candidates are."""

    @abstractmethod
    def favourite(self) -> Numbers:
        """The candidate that it would put forward now."""

    def ask(self) -> Numbers:
        """Candidates to try, one a row."""
        if self.waiting is not None:
            raise TetrionError("The last candidates wait for their fitness: call tell(fitness) before the next ask().")
        self.waiting = self.propose()
        return self.waiting.copy()

    def tell(self, fitness: Numbers) -> None:
        """Learn how fit the candidates of the last `ask` are; more is better."""
        if self.waiting is None:
            raise TetrionError("No candidates wait for their fitness: call ask() before each tell(fitness).")
        self.learn(self.waiting, checked_fitness(fitness, len(self.waiting)))
        self.waiting = None

    def state(self) -> State:
        """Everything that it needs to go on after a `tell`, its generator included."""
        if self.waiting is not None:
            raise TetrionError("Candidates wait for their fitness: a state is taken after tell(fitness), before ask().")
        return self.arrays()

    def restore(self, state: Mapping[str, Numbers]) -> None:
        """Go on from a state."""
        expected, given = shapes(self.arrays()), shapes(state)
        for name in sorted(expected.keys() | given.keys()):
            if expected.get(name) != given.get(name):
                raise RunError(
                    f"This state is not one of {type(self).__name__} with these settings: expected "
                    f"{described(name, expected)}; given {described(name, given)}. "
                    "Use the settings that it was made with."
                )
        for name in self.kept:
            setattr(self, name, np.array(state[name]))
        restore_generator(self.generator, state["generator"])
        self.waiting = None

    def arrays(self) -> State:
        """Copies of what is kept, and the generator's state."""
        kept = {name: np.array(getattr(self, name)) for name in self.kept}
        return kept | {"generator": generator_state(self.generator)}


def shapes(state: Mapping[str, Numbers]) -> dict[str, tuple[int, ...]]:
    """The shape of every array of a state."""
    return {name: np.shape(state[name]) for name in state}


def described(name: str, shape: Mapping[str, tuple[int, ...]]) -> str:
    """An array of a state in words."""
    return f"'{name}' of shape {shape[name]}" if name in shape else f"no '{name}'"
