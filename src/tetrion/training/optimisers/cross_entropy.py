"""The cross-entropy method: draw candidates from a normal distribution, and fit the distribution to the best of them.

Szita and Lőrincz: "Learning Tetris Using the Noisy Cross-Entropy Method", 2006. Thiery and Scherrer: "Improvements on
Learning Tetris with Cross Entropy", 2009.
"""

from dataclasses import dataclass

import numpy as np

from tetrion.errors import RecipeError
from tetrion.training.optimisers.optimiser import (
    NumpyArray,
    Optimiser,
    StateArrays,
    check_numbers,
    count_share,
    rank_best_first,
)
from tetrion.training.recipe_settings import choice_setting, float_setting, integer_setting, parse_settings


@dataclass(frozen=True)
class CrossEntropySettings:
    """Settings of [cross-entropy]; the defaults are those of the papers."""

    population: int = integer_setting(100, 2, 100_000, "candidates per generation")
    elite_share: float = float_setting(
        0.1, 0.0, 1.0, "share of the best candidates to which the distribution is fitted"
    )
    initial_deviation: float = float_setting(10.0, 1e-9, 1e9, "initial standard deviation, around a mean of 0")
    noise: str = choice_setting(
        "none",
        ("none", "constant", "decreasing"),
        "noise added to each variance after each fit, against early convergence",
    )
    noise_level: float = float_setting(4.0, 0.0, 1e9, "amount of constant noise")
    noise_start: float = float_setting(5.0, 0.0, 1e9, "amount of decreasing noise after the first generation")
    noise_generations: float = float_setting(10.0, 1e-9, 1e9, "generations in which decreasing noise falls by 1")


class CrossEntropy(Optimiser):
    """The cross-entropy method with an independent normal distribution per number; the incumbent is the mean."""

    state_attributes = ("generation", "mean", "variance")

    def __init__(self, settings: CrossEntropySettings, dimension: int, seed: int) -> None:
        super().__init__(dimension, seed)
        self.settings = settings = parse_settings(CrossEntropySettings, "cross-entropy", vars(settings))
        self.elite_count = count_share(settings.population, settings.elite_share)
        if self.elite_count < 2:
            raise RecipeError(
                "cross-entropy.elite_share must be at least two candidates, because one has no variance; given "
                f"{settings.elite_share} of {settings.population}, which is {self.elite_count}. Raise one of them."
            )
        self.generation = np.array(0)
        self.mean = np.zeros(dimension)
        self.variance = np.full(dimension, settings.initial_deviation**2)

    def restore_arrays(self, arrays: StateArrays) -> None:
        """Set the distribution; raise RunError if a variance is negative."""
        check_numbers(type(self).__name__, "variance", arrays["variance"] >= 0)
        super().restore_arrays(arrays)

    def propose(self) -> NumpyArray:
        """Return candidates drawn from the distribution."""
        return self.generator.normal(self.mean, np.sqrt(self.variance), (self.settings.population, self.dimension))

    def learn(self, candidates: NumpyArray, fitness: NumpyArray) -> None:
        """Fit the distribution to the best candidates and add the noise (Szita and Lőrincz, section 2)."""
        best = candidates[rank_best_first(fitness)[: self.elite_count]]
        self.mean = best.mean(axis=0)
        self.variance = best.var(axis=0) + self.compute_noise(int(self.generation))
        self.generation = self.generation + 1

    def compute_noise(self, generation: int) -> float:
        """Return the noise that is added to each variance after a generation, counted from 0."""
        # Generations are counted as in MdpTetris, the program of Thiery and Scherrer.
        if self.settings.noise == "constant":
            return self.settings.noise_level
        if self.settings.noise == "decreasing":
            return max(self.settings.noise_start - generation / self.settings.noise_generations, 0.0)
        return 0.0

    def get_incumbent(self) -> NumpyArray:
        """Return the mean of the distribution."""
        return self.mean.copy()
