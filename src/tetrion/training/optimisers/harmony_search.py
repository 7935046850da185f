"""Harmony search: new candidates (harmonies) are improvised from a memory of the best ones.

Geem, Kim and Loganathan: "A New Heuristic Optimization Algorithm: Harmony Search", 2001. Romero, Tomes and Yusiong
used it in "Tetris Agent Optimization Using Harmony Search Algorithm", 2011.
"""

from dataclasses import dataclass

import numpy as np

from tetrion.training.optimisers.optimiser import NumpyArray, Optimiser, rank_best_first
from tetrion.training.recipe_settings import float_setting, integer_setting, parse_settings


@dataclass(frozen=True)
class HarmonySettings:
    """Settings of [harmony]; the abbreviations in brackets are those of the papers."""

    memory_size: int = integer_setting(20, 1, 100_000, "harmonies in the memory (HMS)")
    improvisations: int = integer_setting(20, 1, 100_000, "new harmonies per generation, in addition to the memory")
    memory_rate: float = float_setting(0.9, 0.0, 1.0, "probability that a number is taken from the memory (HMCR)")
    adjust_rate: float = float_setting(0.3, 0.0, 1.0, "probability that a number from the memory is adjusted (PAR)")
    bandwidth: float = float_setting(1.0, 1e-9, 1e9, "maximum size of an adjustment")
    initial_range: float = float_setting(10.0, 1e-9, 1e9, "random numbers lie between −initial_range and initial_range")


class HarmonySearch(Optimiser):
    """Harmony search; the incumbent is the best harmony in the memory.

    The fitness of a harmony is random and depends on the generation, so the memory is evaluated again together with the
    new harmonies. Otherwise, as in the original method, a harmony that was lucky once could stay in the memory forever.
    """

    state_attributes = ("memory",)

    def __init__(self, settings: HarmonySettings, dimension: int, seed: int) -> None:
        super().__init__(dimension, seed)
        self.settings = settings = parse_settings(HarmonySettings, "harmony", vars(settings))
        self.memory: NumpyArray = self.draw_random(settings.memory_size)

    def draw_random(self, count: int) -> NumpyArray:
        """Return uniformly distributed harmonies."""
        return self.generator.uniform(
            -self.settings.initial_range, self.settings.initial_range, (count, self.dimension)
        )

    def propose(self) -> NumpyArray:
        """Return the memory, followed by the new harmonies."""
        return np.concatenate([self.memory, self.improvise()])

    def improvise(self) -> NumpyArray:
        """Return new harmonies: each number is from the memory, possibly adjusted, or random (Geem et al., step 2)."""
        settings = self.settings
        generator = self.generator
        random_harmonies = self.draw_random(settings.improvisations)
        members = generator.integers(settings.memory_size, size=random_harmonies.shape)
        remembered = self.memory[members, np.arange(self.dimension)]
        from_memory = generator.random(random_harmonies.shape) < settings.memory_rate
        adjusted = generator.random(random_harmonies.shape) < settings.adjust_rate
        change = adjusted * generator.uniform(-settings.bandwidth, settings.bandwidth, random_harmonies.shape)
        return np.where(from_memory, remembered + change, random_harmonies)

    def learn(self, candidates: NumpyArray, fitness: NumpyArray) -> None:
        """Keep the best harmonies; a new one must be better than the one that it replaces (Geem et al., step 3)."""
        self.memory = candidates[rank_best_first(fitness)[: self.settings.memory_size]]

    def get_incumbent(self) -> NumpyArray:
        """Return the best harmony of the memory; an arbitrary one before the first `tell`."""
        return np.array(self.memory[0])
