"""Pieces: counted, repeatable, and fair."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import pytest

from tetrion.engine.pieces import PIECES
from tetrion.engine.randomisers import (
    NES_PIECES,
    NES_SPAWN_IDS,
    NES_TRANSITIONS,
    SPLITMIX_INCREMENT,
    Randomiser,
    deal_piece,
    make_game_keys,
    mix_bits,
    step_register,
    validate_seed,
)
from tetrion.engine.rules import Rules
from tetrion.errors import RulesError, SeedError, UnknownNameError

FIRST_FIFTY = "LSSTOISTJILSLISTLSSJLSZJSZLTLZLTLOLJLTITISTIZTZTJZ"


@numba.njit  # type: ignore[untyped-decorator]
def dealt(rules: Any, key: Any, count: int) -> Any:
    pieces, bag = np.empty(count, np.int64), 0
    for number in range(count):
        pieces[number], bag = deal_piece(rules[0], key, number, bag)
    return pieces


def pieces(randomiser: str, count: int, seed: int = 0, game: int = 0) -> str:
    rules = Rules.from_preset("standard").with_(randomiser=randomiser).to_record()
    return "".join(PIECES[number] for number in dealt(rules, make_game_keys(seed, game, 1)[0], count))


def test_a_game_gets_its_pieces_whatever_runs_beside_it() -> None:
    assert make_game_keys(7, 0, 1000)[41] == make_game_keys(7, 41, 1)[0]
    assert len(set(make_game_keys(0, 0, 1000)) | set(make_game_keys(1, 0, 1000))) == 2000


def test_pinned_pieces() -> None:
    """Same seed, same game, in every version of the rules' behaviour."""
    assert pieces("uniform", 20, seed=7) == "ZTLISJSOJJOSJSJJLSZO"
    assert pieces("bag", 21, seed=7) == "ZTLISJOOLZISJTJZLTOIS"


def test_numbers_are_those_of_splitmix64() -> None:
    """The first three outputs for the state 1234567, as published with the algorithm on Rosetta Code."""
    states = np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * SPLITMIX_INCREMENT
    assert [mix_bits(state) for state in states.reshape(3, 1)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_uniform_is_fair() -> None:
    counts = Counter(pieces("uniform", 70_000))
    assert all(abs(counts[piece] - 10_000) < 4 * 93 for piece in PIECES)  # four standard deviations
    following = Counter(zip(pieces("uniform", 49_000), pieces("uniform", 49_001)[1:], strict=True))
    assert all(abs(following[a, b] - 1000) < 5 * 32 for a in PIECES for b in PIECES)


def test_every_bag_holds_all_seven_and_all_orders_occur() -> None:
    dealt_pieces = pieces("bag", 7 * 3000, seed=2)
    bags = [dealt_pieces[start : start + 7] for start in range(0, len(dealt_pieces), 7)]
    assert all(sorted(bag) == sorted(PIECES) for bag in bags)
    for place in range(7):
        counts = Counter(bag[place] for bag in bags)
        assert all(abs(counts[piece] - 3000 / 7) < 4 * 19.2 for piece in PIECES)


def test_scripts_and_snakes() -> None:
    assert pieces("alternating-sz", 5) == "SZSZS"
    assert pieces("only-T", 3) == "TTT"
    assert pieces("script-TIJ", 7) == "TIJTIJT"
    assert set(pieces("sz", 100)) == {"S", "Z"}


def test_the_register_of_the_console() -> None:
    """Bit 1 xor bit 9 comes in at the top, and all states but zero follow one another."""
    assert step_register(0x8988, 1) == 0x44C4
    assert step_register(0x8988, 2) == 0x2262
    assert step_register(0x0202, 1) == 0x0101
    assert step_register(0x0002, 1) == 0x8001
    register, seen = 2, set()
    while register & ~1 not in seen:
        seen.add(register & ~1)
        register = step_register(register, 1)
    assert len(seen) == 2**15 - 1


def test_the_first_pieces_of_the_consoles_own_seed() -> None:
    """Fifty pieces from $89 $88 with a step a piece, worked out by hand from the published algorithm."""
    register = 0x8988
    before = ""
    expected = ""
    ids = dict(zip("TJZOSLI", (2, 7, 8, 10, 11, 14, 18), strict=True))
    for count in range(1, 51):
        register = register >> 1 | (register >> 1 ^ register >> 9) % 2 << 15
        index = ((register >> 8) + count) % 8
        if index == 7 or "TJZOSLI"[index] == before:
            register = register >> 1 | (register >> 1 ^ register >> 9) % 2 << 15
            index = (register // 256 % 8 + ids.get(before, 0)) % 7
        before = "TJZOSLI"[index]
        expected += before
    assert pieces("nes-8988", 50) == expected == FIRST_FIFTY


def test_transition_counts_are_those_of_the_register() -> None:
    """Over all high bytes, their successors and all spawn counts, as often as the table of 64ths says."""
    for before in range(7):
        counts = Counter[int]()
        for register in range(0, 2**16, 2):
            for spawned in range(8):
                index = ((register >> 8) + spawned) & 7
                if index in (7, before):
                    index = ((step_register(register, 1) >> 8 & 7) + int(NES_SPAWN_IDS[before])) % 7
                counts[index] += 1
        assert [counts[index] / 2**12 for index in range(7)] == NES_TRANSITIONS[before].tolist()


@pytest.mark.parametrize("randomiser", ["nes", "nes-counts"])
def test_the_consoles_chances(randomiser: str) -> None:
    dealt_pieces = pieces(randomiser, 200_000, seed=5)
    pairs = Counter(pairwise(dealt_pieces))
    for row, before in enumerate(NES_PIECES):
        total = sum(pairs[before, after] for after in NES_PIECES)
        for column, after in enumerate(NES_PIECES):
            share = NES_TRANSITIONS[row, column] / 64
            assert abs(pairs[before, after] - share * total) < 5 * (share * total) ** 0.5


def test_games_of_the_console_differ() -> None:
    assert len({pieces("nes", 12, seed=1, game=game) for game in range(300)}) == 300


@pytest.mark.parametrize(
    "name",
    [
        "unifrom",
        "only-",
        "only-TT",
        "only-X",
        "script-",
        "script-tij",
        "",
        "bag-T",
        "nes-",
        "nes-0001",
        "nes-89",
        "nes-wxyz",
    ],
)
def test_wrong_names(name: str) -> None:
    with pytest.raises((UnknownNameError, RulesError)):
        Randomiser(name)


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'uniform'"):
        Randomiser("unifrom")


@pytest.mark.parametrize("seed", [1.5, "7", None, True, -1, 2**63, np.float64(3)])
def test_wrong_seeds(seed: object) -> None:
    with pytest.raises(SeedError):
        validate_seed(seed)


def test_numpy_seeds_are_seeds() -> None:
    assert validate_seed(np.int32(5)) == 5
