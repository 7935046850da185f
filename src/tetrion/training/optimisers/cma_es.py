"""CMA-ES: a normal distribution that learns its shape and its step size; the work is done by the package `cmaes`.

Hansen: "The CMA Evolution Strategy: A Tutorial", 2016, whose equations the package's source names line by line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from tetrion.errors import RecipeError, TetrionError
from tetrion.training.optimisers.ask_tell import AskTellOptimiser
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays
from tetrion.training.recipe_settings import float_setting, integer_setting, parse_settings

MIN_CMA_POPULATION = 4  # candidates: with fewer, the package divides by zero
_DERIVED_ATTRIBUTES = ("_B", "_D")  # the covariance's decomposition, which the package makes anew where it is None


@dataclass(frozen=True)
class CmaSettings:
    """How many candidates are drawn, and how far apart at first."""

    population: int = integer_setting(
        0, 0, 100_000, "how many candidates a generation has; 0: 4 + 3 log(numbers), rounded down"
    )
    sigma: float = float_setting(1.0, 1e-9, 1e9, "the standard deviation at the start")


class CmaEs(AskTellOptimiser):
    """Draws candidates around a mean, which is 0 at first unless given; its favourite is the mean."""

    state_attributes = ()  # what changes is the package's

    def __init__(self, settings: CmaSettings, dimension: int, seed: int, *, mean: NumpyArray | None = None) -> None:
        super().__init__(dimension, seed)
        self.settings = settings = parse_settings(CmaSettings, "cma", vars(settings))
        if 0 < settings.population < MIN_CMA_POPULATION:
            raise RecipeError(f"cma.population is 0 or at least {MIN_CMA_POPULATION}; given {settings.population}.")
        start = np.zeros(dimension) if mean is None else np.array(mean, dtype=np.float64)
        if start.shape != (dimension,) or not np.isfinite(start).all():
            raise RecipeError(f"The mean to start from has {dimension} finite numbers; given {mean!r}.")
        self.cma: Any = import_cmaes().CMA(start, settings.sigma, population_size=settings.population or None)
        self.cma._funhist_values.fill(0)  # made with numpy.empty: a state would hold what happened to be in memory

    def propose(self) -> NumpyArray:
        """Candidates drawn from the distribution."""
        # The package forgets its generator when it is saved, so each generation it gets a new seed from ours.
        self.cma.reseed_rng(int(self.generator.integers(2**32)))
        return np.array([self.cma.ask() for _ in range(self.cma.population_size)])

    def learn(self, candidates: NumpyArray, fitness: NumpyArray) -> None:
        """Move and reshape the distribution."""
        if np.abs(candidates).max() >= 1e32:  # the package's own limit
            raise TetrionError("The candidates have grown beyond 1e32: the fitness has to end growing with them.")
        self.cma.tell([(candidate, -value) for candidate, value in zip(candidates, fitness, strict=True)])  # minimises

    def get_incumbent(self) -> NumpyArray:
        """The mean of the distribution."""
        return np.array(self.cma.mean)

    def get_state_arrays(self) -> StateArrays:
        """Every array and number of the package's object, and the generator's state."""
        return {
            name: np.array(value) for name, value in get_numeric_attributes(self.cma).items()
        } | super().get_state_arrays()

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Go on from a state."""
        super().restore(state)
        for name, value in get_numeric_attributes(self.cma).items():
            saved = np.array(state[name])
            setattr(self.cma, name, saved if isinstance(value, np.ndarray) else saved.item())
        self.cma._B = self.cma._D = None


def import_cmaes() -> Any:
    """The package `cmaes`, or the error that says how to get it."""
    try:
        return import_module("cmaes")
    except ImportError:
        raise TetrionError('The optimiser "cma" needs the package cmaes. Run: pip install cmaes') from None


def get_numeric_attributes(cma: Any) -> dict[str, Any]:
    """The attributes that are arrays or numbers, but for those that follow from others."""
    kept = {name: value for name, value in vars(cma).items() if name not in _DERIVED_ATTRIBUTES}
    return {name: value for name, value in kept.items() if isinstance(value, int | float | np.ndarray)}
