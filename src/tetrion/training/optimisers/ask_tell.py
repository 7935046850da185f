"""What the optimisers have in common: ask and tell take turns, and a state is a few arrays and a generator."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from tetrion.errors import RunError, TetrionError
from tetrion.training.optimisers.candidate_operations import validate_fitness
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays, restore_generator, save_generator


class AskTellOptimiser(ABC):
    """An optimiser whose child says how to `propose` candidates, how to `learn`, and which arrays it has to keep."""

    state_attributes: ClassVar[tuple[str, ...]]  # attributes that, with the generator, are all that changes

    def __init__(self, dimension: int, seed: int) -> None:
        if dimension < 1:
            raise TetrionError(f"A candidate has at least one number; given {dimension}.")
        self.dimension = dimension
        self.generator = np.random.default_rng(seed)
        self.pending_candidates: NumpyArray | None = None  # candidates asked for and not yet judged

    @abstractmethod
    def propose(self) -> NumpyArray:
        """The next candidates, one a row."""

    @abstractmethod
    def learn(self, candidates: NumpyArray, fitness: NumpyArray) -> None:
        """Take in how fit the candidates are."""

    @abstractmethod
    def get_incumbent(self) -> NumpyArray:
        """The candidate that it would put forward now."""

    def ask(self) -> NumpyArray:
        """Candidates to try, one a row."""
        if self.pending_candidates is not None:
            raise TetrionError("The last candidates wait for their fitness: call tell(fitness) before the next ask().")
        self.pending_candidates = self.propose()
        return self.pending_candidates.copy()

    def tell(self, fitness: NumpyArray) -> None:
        """Learn how fit the candidates of the last `ask` are; more is better."""
        if self.pending_candidates is None:
            raise TetrionError("No candidates wait for their fitness: call ask() before each tell(fitness).")
        self.learn(self.pending_candidates, validate_fitness(fitness, len(self.pending_candidates)))
        self.pending_candidates = None

    def get_state(self) -> StateArrays:
        """Everything that it needs to go on after a `tell`, its generator included."""
        if self.pending_candidates is not None:
            raise TetrionError("Candidates wait for their fitness: a state is taken after tell(fitness), before ask().")
        return self.get_state_arrays()

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Go on from a state."""
        expected, given = get_shapes(self.get_state_arrays()), get_shapes(state)
        for name in sorted(expected.keys() | given.keys()):
            if expected.get(name) != given.get(name):
                raise RunError(
                    f"This state is not one of {type(self).__name__} with these settings: expected "
                    f"{describe_array(name, expected)}; given {describe_array(name, given)}. "
                    "Use the settings that it was made with."
                )
        for name in self.state_attributes:
            setattr(self, name, np.array(state[name]))
        restore_generator(self.generator, state["generator"])
        self.pending_candidates = None

    def get_state_arrays(self) -> StateArrays:
        """Copies of what is kept, and the generator's state."""
        kept = {name: np.array(getattr(self, name)) for name in self.state_attributes}
        return kept | {"generator": save_generator(self.generator)}


def get_shapes(state: Mapping[str, NumpyArray]) -> dict[str, tuple[int, ...]]:
    """The shape of every array of a state."""
    return {name: np.shape(state[name]) for name in state}


def describe_array(name: str, shape: Mapping[str, tuple[int, ...]]) -> str:
    """An array of a state in words."""
    return f"'{name}' of shape {shape[name]}" if name in shape else f"no '{name}'"
