"""CMA-ES: a normal distribution whose covariance and step size are adapted; implemented by the package `cmaes`.

Hansen: "The CMA Evolution Strategy: A Tutorial", 2016. The source of the package refers to its equations.

A checkpoint contains the private attributes of the package's object, because its public interface (pickling) makes the
covariance symmetric, and a resumed run would differ. Therefore pyproject.toml limits the version of the package.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from tetrion.errors import AgentError, RecipeError, RunError
from tetrion.training.optimisers.optimiser import NumpyArray, Optimiser, StateArrays, check_numbers
from tetrion.training.recipe_settings import float_setting, integer_setting, parse_settings

MIN_CMA_POPULATION = 4  # with fewer candidates, the package divides by zero
_CHANGING_ATTRIBUTES = ("_g", "_mean", "_sigma", "_C", "_p_sigma", "_pc", "_funhist_values")  # others are constant
_DERIVED_ATTRIBUTES = ("_B", "_D")  # decomposition of the covariance, which the package computes again if it is None


@dataclass(frozen=True)
class CmaSettings:
    """Settings of [cma]."""

    population: int = integer_setting(
        0, 0, 100_000, "candidates per generation; 0: 4 + 3 log(number of parameters), rounded down"
    )
    sigma: float = float_setting(1.0, 1e-9, 1e9, "initial standard deviation")


class CmaEs(Optimiser):
    """CMA-ES; the incumbent is the mean of the distribution, which begins at 0."""

    state_attributes = ()  # the state is that of the package's object

    def __init__(self, settings: CmaSettings, dimension: int, seed: int) -> None:
        super().__init__(dimension, seed)
        self.settings = settings = parse_settings(CmaSettings, "cma", vars(settings))
        if 0 < settings.population < MIN_CMA_POPULATION:
            raise RecipeError(
                f"cma.population must be 0 or at least {MIN_CMA_POPULATION}; given {settings.population}."
            )
        cmaes = import_module("cmaes")  # takes long to import, and only CMA-ES needs it
        self.cma: Any = cmaes.CMA(np.zeros(dimension), settings.sigma, population_size=settings.population or None)
        self.cma._funhist_values.fill(0)  # created by numpy.empty: its content is undefined

    def propose(self) -> NumpyArray:
        """Return candidates drawn from the distribution."""
        # The package does not save its generator, so it receives a new seed from ours in each generation.
        self.cma.reseed_rng(int(self.generator.integers(2**32)))
        return np.array([self.cma.ask() for _ in range(self.cma.population_size)])

    def learn(self, candidates: NumpyArray, fitness: NumpyArray) -> None:
        """Update the mean, the covariance and the step size of the distribution."""
        if np.abs(candidates).max() >= 1e32:  # limit of the package
            raise AgentError(
                "The candidates have grown beyond 1e32. Use a fitness that does not keep growing with the size of the "
                "candidates' numbers."
            )
        self.cma.tell(
            [(candidate, -value) for candidate, value in zip(candidates, fitness, strict=True)]
        )  # cmaes minimises

    def get_incumbent(self) -> NumpyArray:
        """Return the mean of the distribution."""
        return np.array(self.cma.mean)

    def get_state_arrays(self) -> StateArrays:
        """Return all arrays and numbers of the package's object, and the state of the generator."""
        arrays = {name: np.array(value) for name, value in get_numeric_attributes(self.cma).items()}
        return arrays | super().get_state_arrays()

    def restore_arrays(self, arrays: StateArrays) -> None:
        """Set the attributes of the package's object; raise RunError for numbers that do not follow from the settings.

        Constants are compared with a tolerance, because another processor may have rounded them differently.
        """
        attributes = get_numeric_attributes(self.cma)
        for name, value in attributes.items():
            if name not in _CHANGING_ATTRIBUTES and not np.allclose(arrays[name], value, rtol=1e-9, atol=0):
                given = f"{arrays[name].item()}; expected {value}" if arrays[name].ndim == 0 else "other numbers"
                raise RunError(f"The state of CmaEs has another {name}: {given}.")
        check_numbers(type(self).__name__, "_sigma", arrays["_sigma"] > 0)
        check_numbers(type(self).__name__, "_C", np.diag(arrays["_C"]) > 0)
        for name, value in attributes.items():
            setattr(self.cma, name, arrays[name] if isinstance(value, np.ndarray) else arrays[name].item())
        for name in _DERIVED_ATTRIBUTES:
            setattr(self.cma, name, None)


def get_numeric_attributes(cma: Any) -> dict[str, Any]:
    """Return the attributes that are arrays or numbers, except those derived from others."""
    return {
        name: value
        for name, value in vars(cma).items()
        if name not in _DERIVED_ATTRIBUTES and isinstance(value, int | float | np.ndarray)
    }
