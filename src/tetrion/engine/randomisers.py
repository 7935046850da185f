"""Which piece comes next: drawn, out of a bag or from a script, and always the same for the same seed and game.

Randomness is counted, not shared: piece k of game g of seed s is a function of (s, g, k) and of the game's own past.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tetrion.engine.compiler import compiled
from tetrion.engine.pieces import PIECES
from tetrion.engine.words import Array, popcount
from tetrion.errors import RulesError, SeedError, UnknownNameError

DRAW, BAG, SCRIPT = range(3)
NAMED = {
    "uniform": (DRAW, PIECES),
    "bag": (BAG, PIECES),
    "sz": (DRAW, "SZ"),
    "alternating-sz": (SCRIPT, "SZ"),
}
PATTERNS = {
    "only-T": "always the same piece",
    "script-TIJ": "these pieces in this order, over and over",
}
LARGEST_SEED = 2**63 - 1

# SplitMix64 (Steele, Lea and Flood 2014): a counter times the golden ratio, then a mix of its bits.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Randomiser:
    """A way to deal pieces, by its name on the command line, such as `uniform`, `bag`, `only-T` or `script-TIJ`."""

    name: str

    def __post_init__(self) -> None:
        self.parts()

    def parts(self) -> tuple[int, str]:
        """The kind of randomiser and the pieces it deals."""
        if self.name in NAMED:
            return NAMED[self.name]
        kind, dash, letters = str(self.name).partition("-")
        if not dash or kind not in ("only", "script"):
            raise UnknownNameError("randomiser", self.name, [*NAMED, *PATTERNS])
        if kind == "only" and len(letters) != 1:
            raise RulesError(f"'only-' takes one piece of {PIECES}, as in 'only-T'; given '{self.name}'.")
        if not letters or set(letters) - set(PIECES):
            raise RulesError(
                f"'{kind}-' takes pieces of {PIECES} in capitals, as in 'script-TIJ'; given '{self.name}'."
            )
        return SCRIPT, letters

    def sequence(self) -> np.ndarray[Any, np.dtype[np.int8]]:
        """The pieces it deals, as numbers for the engine."""
        return np.array([PIECES.index(letter) for letter in self.parts()[1]], np.int8)


def checked_seed(seed: object) -> int:
    """A seed that may be used, or the error that says why not."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise SeedError(f"A seed is a whole number, such as 7; given {seed!r} ({type(seed).__name__}).")
    if not 0 <= seed <= LARGEST_SEED:
        raise SeedError(f"A seed lies between 0 and {LARGEST_SEED}; given {seed}.")
    return int(seed)


@compiled
def mixed(number: Any) -> Any:
    """Every bit of the result depends on every bit of the number."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


def keys(seed: int, first: int, count: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The random keys of the games `first`, `first + 1`, … of a seed."""
    games = np.arange(first, first + count, dtype=np.uint64)
    start = mixed(np.array([checked_seed(seed)], np.uint64) + GOLDEN)
    found: np.ndarray[Any, np.dtype[np.uint64]] = mixed(start + (games + np.uint64(1)) * GOLDEN)
    return found


@compiled
def below(bound: int, key: np.uint64, number: int) -> int:
    """The random number so and so of a key, from 0 up to but not including `bound`."""
    random = mixed(key + np.uint64(number + 1) * GOLDEN)
    return int(((random >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@compiled
def deal(kind: int, sequence: Array, key: np.uint64, number: int, bag: int) -> tuple[int, int]:
    """The piece so and so of a game and what is left in the bag after it."""
    count = len(sequence)
    if kind == SCRIPT:
        return int(sequence[number % count]), bag
    if kind == DRAW:
        return int(sequence[below(count, key, number)]), bag
    if bag == 0:
        bag = (1 << count) - 1
    rest = bag
    for _ in range(below(popcount(bag), key, number)):
        rest &= rest - 1
    drawn = rest & -rest
    return int(sequence[popcount(drawn - 1)]), bag ^ drawn
