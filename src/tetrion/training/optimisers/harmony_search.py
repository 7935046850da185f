"""Harmony search: new harmonies are improvised from remembered ones, and the best are remembered.

Geem, Kim and Loganathan: "A New Heuristic Optimization Algorithm: Harmony Search", 2001. Romero, Tomes and Yusiong
used it in "Tetris Agent Optimization Using Harmony Search Algorithm", 2011.
"""

from dataclasses import dataclass

import numpy as np

from tetrion.training.optimisers.ask_tell import AskTellOptimiser
from tetrion.training.optimisers.candidate_operations import rank_best_first
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe_settings import float_setting, integer_setting, parse_settings


@dataclass(frozen=True)
class HarmonySettings:
    """How many harmonies are remembered, and how new ones are improvised; in brackets what the papers call them."""

    memory_size: int = integer_setting(20, 1, 100_000, "how many harmonies are remembered (HMS)")
    improvisations: int = integer_setting(20, 1, 100_000, "how many new harmonies a generation tries beside the memory")
    memory_rate: float = float_setting(0.9, 0.0, 1.0, "the probability that a number is taken from the memory (HMCR)")
    adjust_rate: float = float_setting(0.3, 0.0, 1.0, "the probability that a number so taken is then adjusted (PAR)")
    bandwidth: float = float_setting(1.0, 1e-9, 1e9, "how far an adjustment goes at most")
    initial_range: float = float_setting(
        10.0, 1e-9, 1e9, "numbers not taken from the memory lie between −spread and spread"
    )


class HarmonySearch(AskTellOptimiser):
    """Remembers the best harmonies; its favourite is the best of them.

    A harmony's fitness may depend on luck and on the generation, so the memory is tried again beside the new harmonies:
    one that was once lucky does not stay for ever, as it could in the original.
    """

    state_attributes = ("memory",)

    def __init__(self, settings: HarmonySettings, dimension: int, seed: int) -> None:
        super().__init__(dimension, seed)
        self.settings = settings = parse_settings(HarmonySettings, "harmony", vars(settings))
        self.memory: NumpyArray = self.draw_random(settings.memory_size)

    def draw_random(self, count: int) -> NumpyArray:
        """Harmonies that owe nothing to the memory."""
        return self.generator.uniform(
            -self.settings.initial_range, self.settings.initial_range, (count, self.dimension)
        )

    def propose(self) -> NumpyArray:
        """The memory, then the new harmonies."""
        return np.concatenate([self.memory, self.improvise()])

    def improvise(self) -> NumpyArray:
        """New harmonies: each number from the memory, perhaps adjusted, or at random (Geem et al., the second step)."""
        settings = self.settings
        generator = self.generator
        invented = self.draw_random(self.settings.improvisations)
        member = generator.integers(settings.memory_size, size=invented.shape)
        remembered = self.memory[member, np.arange(self.dimension)]
        considered = generator.random(invented.shape) < settings.memory_rate
        adjusted = generator.random(invented.shape) < settings.adjust_rate
        change = adjusted * generator.uniform(-settings.bandwidth, settings.bandwidth, invented.shape)
        return np.where(considered, remembered + change, invented)

    def learn(self, candidates: NumpyArray, fitness: NumpyArray) -> None:
        """Remember the best; a new harmony has to be better than the one that it replaces (the third step)."""
        self.memory = candidates[rank_best_first(fitness)[: self.settings.memory_size]]

    def get_incumbent(self) -> NumpyArray:
        """The best that is remembered; before the first is told, any."""
        return np.array(self.memory[0])
