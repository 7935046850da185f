"""Randomisers: the rules by which pieces are dealt, reproducible from a seed and a game number.

There is no shared random state: piece k of game g with seed s is a function of (s, g, k) and of the pieces already
dealt in the same game.
"""

import re
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import MAX_SCRIPT_LENGTH, RulesRecord
from tetrion.engine.scalar_or_simd import popcount
from tetrion.errors import RulesError, SeedError, UnknownNameError, describe_value

UNIFORM_DRAW, BAG, SCRIPTED, NES_REGISTER, NES_COUNTS, ADVERSARY = range(6)
NES_PIECES = "TJZOSLI"
NAMED_RANDOMISERS = {
    "uniform": (UNIFORM_DRAW, PIECES),
    "bag": (BAG, PIECES),
    "sz": (UNIFORM_DRAW, "SZ"),
    "alternating-sz": (SCRIPTED, "SZ"),
    "nes": (NES_REGISTER, NES_PIECES),
    "nes-counts": (NES_COUNTS, NES_PIECES),
    "adversary": (ADVERSARY, PIECES),
}
RANDOMISER_PATTERNS = {
    "only-T": "always this piece",
    "script-TIJ": "these pieces in this order, repeated",
    "nes-8988": "the NES register, started at this hexadecimal number and advanced by one step per piece",
}
_MIN_REGISTER = 2  # the lowest bit is shifted out at once, and a register of zeros never changes
MAX_SEED = 2**63 - 1

# SplitMix64 (Steele, Lea and Flood 2014): a counter multiplied by the golden ratio, with its bits mixed.
SPLITMIX_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_UInt64OrArray = TypeVar("_UInt64OrArray", np.uint64, NDArray[np.uint64])


@dataclass(frozen=True)
class Randomiser:
    """A randomiser, identified by its name on the command line, such as `uniform`, `bag`, `only-T` or `script-TIJ`."""

    name: str

    def __post_init__(self) -> None:
        self.parse_name()

    def parse_name(self) -> tuple[int, str]:
        """Return the kind of randomiser and the pieces that it deals; raise an error for an unknown name."""
        if self.name in list(NAMED_RANDOMISERS):
            return NAMED_RANDOMISERS[self.name]
        if not isinstance(self.name, str):
            raise UnknownNameError("randomiser", self.name, [*NAMED_RANDOMISERS, *RANDOMISER_PATTERNS])
        kind, dash, letters = self.name.partition("-")
        if dash and kind == "nes":
            self.get_start_register()
            return NES_REGISTER, NES_PIECES
        if not dash or kind not in ("only", "script"):
            raise UnknownNameError("randomiser", self.name, [*NAMED_RANDOMISERS, *RANDOMISER_PATTERNS])
        if kind == "only" and len(letters) != 1:
            raise RulesError(f"'only-' must be followed by one piece of {PIECES}, as in 'only-T'; given '{self.name}'.")
        if not letters or set(letters) - set(PIECES):
            raise RulesError(
                f"'{kind}-' must be followed by pieces of {PIECES} in capitals, as in 'script-TIJ'; "
                f"given '{self.name}'."
            )
        if len(letters) > MAX_SCRIPT_LENGTH:
            raise RulesError(f"A script may have at most {MAX_SCRIPT_LENGTH} pieces; given {len(letters)}.")
        return SCRIPTED, letters

    def get_start_register(self) -> int:
        """Return the start of the NES register, or 0 if it is derived from the seed."""
        kind, dash, number = str(self.name).partition("-")
        if self.name in list(NAMED_RANDOMISERS) or not dash or kind != "nes":
            return 0
        if not re.fullmatch("[0-9a-fA-F]{4}", number, re.ASCII) or int(number, 16) < _MIN_REGISTER:
            raise RulesError(
                "'nes-' must be followed by four hexadecimal digits from 0002 to ffff, as in 'nes-8988'; "
                f"given '{self.name}'."
            )
        return int(number, 16)

    def compute_bag_after(self, pieces: str, key: np.uint64) -> int:
        """Return the randomiser's state (the field `bag` of a game) after known pieces that it did not draw."""
        kind, letters = self.parse_name()
        if kind == NES_REGISTER:
            with np.errstate(over="ignore"):
                return int(get_first_register(self.get_start_register(), key)) | (letters.index(pieces[-1]) + 1) << 16
        if kind == NES_COUNTS:
            return letters.index(pieces[-1])
        bag = 0
        for letter in pieces if kind == BAG else "":
            drawn = 1 << letters.index(letter)
            bag = (bag if bag & drawn else (1 << len(letters)) - 1) ^ drawn
        return bag

    def write_to(self, record: RulesRecord) -> None:
        """Write the randomiser into the record of the rules."""
        kind, letters = self.parse_name()
        record.randomiser = kind
        record.register = self.get_start_register()
        record.sequence_length = len(letters)
        record.sequence[: len(letters)] = [PIECES.index(letter) for letter in letters]


def validate_seed(seed: object) -> int:
    """Return the seed as an int, or raise a SeedError if it is not an integer from 0 to MAX_SEED."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise SeedError(
            f"A seed must be a whole number, such as 7; given {describe_value(seed)} ({type(seed).__name__})."
        )
    if not 0 <= seed <= MAX_SEED:
        raise SeedError(f"A seed must be a whole number from 0 to {MAX_SEED}; given {describe_value(seed)}.")
    return int(seed)


@compile_inline
def mix_bits(number: _UInt64OrArray) -> _UInt64OrArray:
    """Return the number with its bits mixed: each bit of the result depends on all bits of the number."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


def derive_random_keys(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """Return the keys of the random numbers of `count` games of a seed, starting with game number `first`."""
    games = np.arange(first, first + count, dtype=np.uint64)
    start = mix_bits(np.array([validate_seed(seed)], np.uint64) + SPLITMIX_INCREMENT)
    return mix_bits(start + (games + np.uint64(1)) * SPLITMIX_INCREMENT)


@compile_inline
def draw_below(bound: int, key: np.uint64, number: int) -> int:
    """Return random number `number` of a key: an integer from 0 to `bound` − 1."""
    # The upper 32 bits as a fraction of 2**32, times the bound: without a division, with a bias below bound / 2**32.
    random = mix_bits(key + np.uint64(number + 1) * SPLITMIX_INCREMENT)
    return int(np.int64(((random >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)))


# One row per previous piece (T, J, Z, O, S, L, I): the expected counts of the seven pieces among 64 next pieces, if all
# states of the NES register and of its spawn counter are equally likely.
NES_TRANSITIONS = np.array(
    [
        [2, 10, 12, 10, 10, 10, 10],
        [12, 2, 10, 10, 10, 10, 10],
        [10, 12, 2, 10, 10, 10, 10],
        [10, 10, 10, 4, 10, 10, 10],
        [10, 10, 10, 10, 4, 10, 10],
        [12, 10, 10, 10, 10, 2, 10],
        [10, 10, 10, 10, 12, 10, 2],
    ],
    np.int32,
)
NES_SPAWN_IDS = np.array([2, 7, 8, 10, 11, 14, 18], np.int32)
NES_REGISTER_MASK = 0xFFFF  # of the state `bag`
_MAX_REGISTER_STEPS = 64  # between two pieces, if the start is derived from the seed


@compile_inline
def step_register(register: int, steps: int) -> int:
    """Return the NES register after some steps."""
    for _ in range(steps):
        register = (register >> 1) | ((((register >> 1) ^ (register >> 9)) & 1) << 15)
    return register


@compile_inline
def get_first_register(start: int, key: np.uint64) -> int:
    """Return the first content of the NES register: `start`, or a random one if `start` is 0."""
    return start if start else 2 * (1 + draw_below(2**15 - 1, key, 0))


@compile_separate
def deal_by_register(start: int, key: np.uint64, number: int, bag: int) -> tuple[int, int]:
    """Deal piece `number` as NES Tetris does; return its index in NES_PIECES and the new state.

    The state `bag` holds the register in its lower 16 bits and the previous index + 1 above them.
    """
    register = bag & NES_REGISTER_MASK
    previous = (bag >> 16) - 1
    if number == 0:
        register, previous = get_first_register(start, key), -1
    register = step_register(register, 1 if start else 1 + draw_below(_MAX_REGISTER_STEPS, key, number + 1))
    index = ((register >> 8) + number + 1) & 7
    if index in (7, previous):
        register = step_register(register, 1)
        index = (((register >> 8) & 7) + (int(NES_SPAWN_IDS[previous]) if previous >= 0 else 0)) % 7
    return index, register | ((index + 1) << 16)


@compile_separate
def deal_by_counts(key: np.uint64, number: int, bag: int) -> tuple[int, int]:
    """Deal piece `number` with the transition probabilities of NES Tetris.

    Return its index in NES_PIECES, which is also the new state. The state `bag` is the index of the previous piece.
    """
    if number == 0:
        index = draw_below(7, key, 0)
        return index, index
    remainder, index = draw_below(64, key, number), 0
    while remainder >= NES_TRANSITIONS[bag, index]:
        remainder -= int(NES_TRANSITIONS[bag, index])
        index += 1
    return index, index


def is_valid_bag(rules: RulesRecord, bag: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each state `bag` of games whether the randomiser of the rules can have it; others are no indices."""
    ends = {BAG: 1 << int(rules.sequence_length), NES_REGISTER: 8 << 16, NES_COUNTS: len(NES_TRANSITIONS)}
    return (bag >= 0) & (bag < ends.get(int(rules.randomiser), 1))


@compile_inline
def deal_piece(rules: RulesRecord, key: np.uint64, number: int, bag: int) -> tuple[int, int]:
    """Return piece `number` of a game and the randomiser's new state `bag`.

    For the adversary this is only used for its first piece.
    """
    kind = rules.randomiser
    count = int(rules.sequence_length)
    sequence = rules.sequence
    if kind == SCRIPTED:
        return int(sequence[number % count]), bag
    if kind in (UNIFORM_DRAW, ADVERSARY):
        return int(sequence[draw_below(count, key, number)]), bag
    if kind == NES_REGISTER:
        index, bag = deal_by_register(int(rules.register), key, number, bag)
        return int(sequence[index]), bag
    if kind == NES_COUNTS:
        index, bag = deal_by_counts(key, number, bag)
        return int(sequence[index]), bag
    # The bag is a bit mask of the pieces that are left in it. Draw the number of the piece among them, and clear that
    # many of the lowest bits: the lowest one that remains is the piece.
    if bag == 0:
        bag = (1 << count) - 1
    remaining = bag
    for _ in range(draw_below(popcount(bag), key, number)):
        remaining &= remaining - 1
    drawn = remaining & -remaining
    return int(sequence[popcount(drawn - 1)]), bag ^ drawn
