"""The cross-entropy method: draw candidates from a normal distribution, and fit it to the best of them.

Szita and Lőrincz: "Learning Tetris Using the Noisy Cross-Entropy Method", 2006. Thiery and Scherrer: "Improvements on
Learning Tetris with Cross Entropy", 2009.
"""

from dataclasses import dataclass

import numpy as np

from tetrion.errors import RecipeError
from tetrion.training.optimisers.candidates import best_first, share_of
from tetrion.training.optimisers.protocol import Numbers
from tetrion.training.optimisers.turns import Turns
from tetrion.training.settings import one_of, read, real, whole


@dataclass(frozen=True)
class CrossEntropySettings:
    """How the distribution begins, narrows and is kept from narrowing too early; the usual values are the papers'."""

    population: int = whole(100, 2, 100_000, "how many candidates a generation has")
    elite_share: float = real(0.1, 0.0, 1.0, "the share of the best, to which the distribution is fitted")
    spread: float = real(10.0, 1e-9, 1e9, "the standard deviation at the start, around 0")
    noise: str = one_of("none", ("none", "constant", "decreasing"), "what is added to every variance after each fit")
    noise_level: float = real(4.0, 0.0, 1e9, "how much constant noise adds")
    noise_start: float = real(5.0, 0.0, 1e9, "how much decreasing noise adds after the first generation")
    noise_steps: float = real(10.0, 1e-9, 1e9, "in how many generations decreasing noise falls by 1")


class CrossEntropy(Turns):
    """Fits an independent normal distribution for each number; its favourite is the mean."""

    kept = ("generation", "mean", "variance")

    def __init__(self, settings: CrossEntropySettings, dimension: int, seed: int) -> None:
        super().__init__(dimension, seed)
        self.settings = settings = read(CrossEntropySettings, "cross-entropy", vars(settings))
        self.elite = share_of(settings.population, settings.elite_share)
        if self.elite < 2:
            raise RecipeError(
                f"cross-entropy.elite_share is at least two candidates, since one has no variance; given "
                f"{settings.elite_share} of {settings.population}, which is {self.elite}. Raise one of them."
            )
        self.generation = np.array(0)
        self.mean = np.zeros(dimension)
        self.variance = np.full(dimension, settings.spread**2)

    def propose(self) -> Numbers:
        """Candidates drawn from the distribution."""
        return self.generator.normal(self.mean, np.sqrt(self.variance), (self.settings.population, self.dimension))

    def learn(self, candidates: Numbers, fitness: Numbers) -> None:
        """Fit the distribution to the best candidates, and widen it by the noise (Szita and Lőrincz, section 2)."""
        best = candidates[best_first(fitness)[: self.elite]]
        self.mean = best.mean(axis=0)
        self.variance = best.var(axis=0) + self.noise(int(self.generation))
        self.generation = self.generation + 1

    def noise(self, generation: int) -> float:
        """What is added to every variance after a generation; the first is number 0."""
        # So counts MdpTetris, Thiery and Scherrer's program.
        if self.settings.noise == "constant":
            return self.settings.noise_level
        if self.settings.noise == "decreasing":
            return max(self.settings.noise_start - generation / self.settings.noise_steps, 0.0)
        return 0.0

    def favourite(self) -> Numbers:
        """The mean of the distribution."""
        return self.mean.copy()
