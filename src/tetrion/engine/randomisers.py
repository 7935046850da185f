"""Which piece comes next: drawn, out of a bag or from a script, and always the same for the same seed and game.

Randomness is counted, not shared: piece k of game g of seed s is a function of (s, g, k) and of the game's own past.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.pieces import PIECES
from tetrion.engine.scalar_or_simd import popcount
from tetrion.errors import RulesError, SeedError, UnknownNameError

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
    "only-T": "always the same piece",
    "script-TIJ": "these pieces in this order, over and over",
    "nes-8988": "the console's register from that hexadecimal start, a step a piece",
}
MAX_SCRIPT_LENGTH = 1024
RANDOMISER_FIELDS = [
    ("randomiser", np.int64),  # its kind
    ("register", np.int64),
    ("deals", np.int64),  # how many pieces it has to deal,
    ("dealt", np.int64, MAX_SCRIPT_LENGTH),  # and which
]
_MIN_REGISTER = 2  # the lowest bit falls out at once, and all zeros would stay so
MAX_SEED = 2**63 - 1

# SplitMix64 (Steele, Lea and Flood 2014): a counter times the golden ratio, then a mix of its bits.
SPLITMIX_INCREMENT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Randomiser:
    """A way to deal pieces, by its name on the command line, such as `uniform`, `bag`, `only-T` or `script-TIJ`."""

    name: str

    def __post_init__(self) -> None:
        self.parse_name()

    def parse_name(self) -> tuple[int, str]:
        """The kind of randomiser and the pieces it deals."""
        if self.name in list(NAMED_RANDOMISERS):
            return NAMED_RANDOMISERS[self.name]
        kind, dash, letters = str(self.name).partition("-")
        if dash and kind == "nes":
            self.get_start_register()
            return NES_REGISTER, NES_PIECES
        if not dash or kind not in ("only", "script"):
            raise UnknownNameError("randomiser", self.name, [*NAMED_RANDOMISERS, *RANDOMISER_PATTERNS])
        if kind == "only" and len(letters) != 1:
            raise RulesError(f"'only-' takes one piece of {PIECES}, as in 'only-T'; given '{self.name}'.")
        if not letters or set(letters) - set(PIECES):
            raise RulesError(
                f"'{kind}-' takes pieces of {PIECES} in capitals, as in 'script-TIJ'; given '{self.name}'."
            )
        if len(letters) > MAX_SCRIPT_LENGTH:
            raise RulesError(f"A script has at most {MAX_SCRIPT_LENGTH} pieces; given {len(letters)}.")
        return SCRIPTED, letters

    def get_start_register(self) -> int:
        """What the console's register starts with; 0 if the seed decides."""
        kind, dash, number = str(self.name).partition("-")
        if self.name in list(NAMED_RANDOMISERS) or not dash or kind != "nes":
            return 0
        if not re.fullmatch("[0-9a-fA-F]{4}", number, re.ASCII) or int(number, 16) < _MIN_REGISTER:
            raise RulesError(
                f"'nes-' takes four hexadecimal digits from 0002 to ffff, as in 'nes-8988'; given '{self.name}'."
            )
        return int(number, 16)

    def compute_bag_after(self, known: str, key: np.uint64) -> int:
        """What it remembers when a game begins with pieces that somebody else has dealt."""
        kind, letters = self.parse_name()
        if kind == NES_REGISTER:
            with np.errstate(over="ignore"):
                return int(get_first_register(self.get_start_register(), key)) | (letters.index(known[-1]) + 1) << 16
        if kind == NES_COUNTS:
            return letters.index(known[-1])
        bag = 0
        for letter in known if kind == BAG else "":
            drawn = 1 << letters.index(letter)
            bag = (bag if bag & drawn else (1 << len(letters)) - 1) ^ drawn
        return bag

    def write_to(self, record: Any) -> None:
        """Write it into a record that has the fields of `RANDOMISER`."""
        record["randomiser"], letters = self.parse_name()
        record["register"], record["deals"] = self.get_start_register(), len(letters)
        record["dealt"][: len(letters)] = [PIECES.index(letter) for letter in letters]


def validate_seed(seed: object) -> int:
    """A seed that may be used, or the error that says why not."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise SeedError(f"A seed is a whole number, such as 7; given {seed!r} ({type(seed).__name__}).")
    if not 0 <= seed <= MAX_SEED:
        raise SeedError(f"A seed lies between 0 and {MAX_SEED}; given {seed}.")
    return int(seed)


@compile_inline
def mix_bits(number: Any) -> Any:
    """Every bit of the result depends on every bit of the number."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


def make_game_keys(seed: int, first: int, count: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The random keys of the games `first`, `first + 1`, … of a seed."""
    games = np.arange(first, first + count, dtype=np.uint64)
    start = mix_bits(np.array([validate_seed(seed)], np.uint64) + SPLITMIX_INCREMENT)
    found: np.ndarray[Any, np.dtype[np.uint64]] = mix_bits(start + (games + np.uint64(1)) * SPLITMIX_INCREMENT)
    return found


@compile_inline
def draw_below(bound: int, key: np.uint64, number: int) -> int:
    """The random number so and so of a key, from 0 up to but not including `bound`."""
    random = mix_bits(key + np.uint64(number + 1) * SPLITMIX_INCREMENT)
    return int(np.int64(((random >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)))


# Of 64 pieces after T, J, Z, O, S, L or I (a row each), how many are which, if every state of the console's register
# and spawn count is as likely as the others.
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
_MAX_REGISTER_STEPS = 64  # of the register between two pieces


@compile_inline
def step_register(register: int, steps: int) -> int:
    """The console's register after some steps."""
    for _ in range(steps):
        register = (register >> 1) | ((((register >> 1) ^ (register >> 9)) & 1) << 15)
    return register


@compile_inline
def get_first_register(start: int, key: np.uint64) -> int:
    """What the register begins with: as the rules say, or else as the seed does."""
    return start if start else 2 * (1 + draw_below(2**15 - 1, key, 0))


@compile_separate
def deal_by_register(start: int, key: np.uint64, number: int, bag: int) -> tuple[int, int]:
    """The next of the console's pieces by its place in T J Z O S L I; `bag` is the register, then that place + 1."""
    register, before = bag & 0xFFFF, (bag >> 16) - 1
    if number == 0:
        register, before = get_first_register(start, key), -1
    register = step_register(register, 1 if start else 1 + draw_below(_MAX_REGISTER_STEPS, key, number + 1))
    place = ((register >> 8) + number + 1) & 7
    if place in (7, before):
        register = step_register(register, 1)
        place = (((register >> 8) & 7) + (int(NES_SPAWN_IDS[before]) if before >= 0 else 0)) % 7
    return place, register | ((place + 1) << 16)


@compile_separate
def deal_by_counts(key: np.uint64, number: int, bag: int) -> tuple[int, int]:
    """A piece with the console's chances; `bag` is the place of the piece before."""
    if number == 0:
        place = draw_below(7, key, 0)
        return place, place
    left, place = draw_below(64, key, number), 0
    while left >= NES_TRANSITIONS[bag, place]:
        left -= int(NES_TRANSITIONS[bag, place])
        place += 1
    return place, place


@compile_inline
def deal_piece(rules: Any, key: np.uint64, number: int, bag: int) -> tuple[int, int]:
    """The piece so and so of a game and what is left in the bag after it; the adversary's first one too."""
    kind = rules.randomiser
    count = int(rules.deals)
    sequence = rules.dealt
    if kind == SCRIPTED:
        return int(sequence[number % count]), bag
    if kind in (UNIFORM_DRAW, ADVERSARY):
        return int(sequence[draw_below(count, key, number)]), bag
    if kind == NES_REGISTER:
        place, bag = deal_by_register(int(rules.register), key, number, bag)
        return int(sequence[place]), bag
    if kind == NES_COUNTS:
        place, bag = deal_by_counts(key, number, bag)
        return int(sequence[place]), bag
    if bag == 0:
        bag = (1 << count) - 1
    rest = bag
    for _ in range(draw_below(popcount(bag), key, number)):
        rest &= rest - 1
    drawn = rest & -rest
    return int(sequence[popcount(drawn - 1)]), bag ^ drawn
