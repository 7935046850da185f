"""Harmony search: new harmonies are improvised from remembered ones, and the best are remembered.

Geem, Kim and Loganathan: "A New Heuristic Optimization Algorithm: Harmony Search", 2001. Romero, Tomes and Yusiong
used it in "Tetris Agent Optimization Using Harmony Search Algorithm", 2011.
"""

from dataclasses import dataclass

import numpy as np

from tetrion.training.optimisers.candidates import best_first
from tetrion.training.optimisers.protocol import Numbers
from tetrion.training.optimisers.turns import Turns
from tetrion.training.settings import read, real, whole


@dataclass(frozen=True)
class HarmonySettings:
    """How many harmonies are remembered, and how new ones are improvised; in brackets what the papers call them."""

    memory: int = whole(20, 1, 100_000, "how many harmonies are remembered (HMS)")
    improvisations: int = whole(20, 1, 100_000, "how many new harmonies a generation tries beside the memory")
    consider: float = real(0.9, 0.0, 1.0, "the probability that a number is taken from the memory (HMCR)")
    adjust: float = real(0.3, 0.0, 1.0, "the probability that a number so taken is then adjusted (PAR)")
    bandwidth: float = real(1.0, 1e-9, 1e9, "how far an adjustment goes at most")
    spread: float = real(10.0, 1e-9, 1e9, "numbers not taken from the memory lie between −spread and spread")


class HarmonySearch(Turns):
    """Remembers the best harmonies; its favourite is the best of them.

    A harmony's fitness may depend on luck and on the generation, so the memory is tried again beside the new harmonies:
    one that was once lucky does not stay for ever, as it could in the original.
    """

    kept = ("memory",)

    def __init__(self, settings: HarmonySettings, dimension: int, seed: int) -> None:
        super().__init__(dimension, seed)
        self.settings = settings = read(HarmonySettings, "harmony", vars(settings))
        self.memory: Numbers = self.random(settings.memory)

    def random(self, count: int) -> Numbers:
        """Harmonies that owe nothing to the memory."""
        return self.generator.uniform(-self.settings.spread, self.settings.spread, (count, self.dimension))

    def propose(self) -> Numbers:
        """The memory, then the new harmonies."""
        return np.concatenate([self.memory, self.improvised()])

    def improvised(self) -> Numbers:
        """New harmonies: each number from the memory, perhaps adjusted, or at random (Geem et al., the second step)."""
        settings, generator, invented = self.settings, self.generator, self.random(self.settings.improvisations)
        member = generator.integers(settings.memory, size=invented.shape)
        remembered = self.memory[member, np.arange(self.dimension)]
        considered = generator.random(invented.shape) < settings.consider
        adjusted = generator.random(invented.shape) < settings.adjust
        change = adjusted * generator.uniform(-settings.bandwidth, settings.bandwidth, invented.shape)
        return np.where(considered, remembered + change, invented)

    def learn(self, candidates: Numbers, fitness: Numbers) -> None:
        """Remember the best; a new harmony has to be better than the one that it replaces (the third step)."""
        self.memory = candidates[best_first(fitness)[: self.settings.memory]]

    def favourite(self) -> Numbers:
        """The best that is remembered; before the first is told, any."""
        return np.array(self.memory[0])
