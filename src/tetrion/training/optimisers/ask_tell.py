"""Base class of the optimisers: the ask-tell protocol, and states made of arrays and a random generator."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from tetrion.errors import TetrionError
from tetrion.training.optimisers.candidate_operations import validate_fitness
from tetrion.training.optimisers.optimiser import (
    NumpyArray,
    StateArrays,
    check_numbers,
    check_state,
    restore_generator,
    save_generator,
)

_MAX_COUNT = 2**62  # of generations in a state; more do not occur, and would overflow


class AskTellOptimiser(ABC):
    """Optimiser whose subclasses define `propose`, `learn`, `get_incumbent` and `state_attributes`."""

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
        """Return the current best estimate."""

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
