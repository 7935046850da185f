"""Tests of randomisers: reproducible, with the right probabilities."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import pytest

from tetrion.engine.pieces import PIECES
from tetrion.engine.randomisers import (
    NES_PIECES,
    NES_TRANSITIONS,
    SPLITMIX_INCREMENT,
    Randomiser,
    deal_piece,
    derive_random_keys,
    mix_bits,
    validate_seed,
)
from tetrion.engine.rules import Rules, make_rules_record
from tetrion.errors import RulesError, SeedError, UnknownNameError

FIRST_FIFTY_NES_PIECES = "LSSTOISTJILSLISTLSSJLSZJSZLTLZLTLOLJLTITISTIZTZTJZ"


@numba.njit
def deal_pieces_compiled(rules: Any, key: Any, count: int) -> Any:
    pieces, bag = np.empty(count, np.int64), 0
    for number in range(count):
        pieces[number], bag = deal_piece(rules[0], key, number, bag)
    return pieces


def deal_pieces(randomiser: str, count: int, seed: int = 0, game: int = 0) -> str:
    rules = make_rules_record(Rules("standard").replace(randomiser=randomiser))
    numbers = deal_pieces_compiled(rules, derive_random_keys(seed, game, 1)[0], count)
    return "".join(PIECES[number] for number in numbers)


def test_pieces_of_a_game_do_not_depend_on_other_games() -> None:
    assert derive_random_keys(7, 0, 1000)[41] == derive_random_keys(7, 41, 1)[0]
    assert len(set(derive_random_keys(0, 0, 1000)) | set(derive_random_keys(1, 0, 1000))) == 2000


def test_first_pieces_of_a_seed_do_not_change() -> None:
    """They must be identical in all releases with the same RULES_VERSION."""
    assert deal_pieces("uniform", 20, seed=7) == "ZTLISJSOJJOSJSJJLSZO"
    assert deal_pieces("bag", 21, seed=7) == "ZTLISJOOLZISJTJZLTOIS"


def test_random_numbers_are_those_of_splitmix64() -> None:
    """Compare the first three outputs for the state 1234567 with those published on Rosetta Code."""
    states = np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * SPLITMIX_INCREMENT
    assert [mix_bits(state) for state in states.reshape(3, 1)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_uniform_randomiser_has_equal_probabilities() -> None:
    counts = Counter(deal_pieces("uniform", 70_000))
    assert all(abs(counts[piece] - 10_000) < 4 * 93 for piece in PIECES)  # four standard deviations
    pairs = Counter(pairwise(deal_pieces("uniform", 49_001)))
    assert all(abs(pairs[a, b] - 1000) < 5 * 32 for a in PIECES for b in PIECES)


def test_each_bag_has_all_seven_pieces_in_random_order() -> None:
    pieces = deal_pieces("bag", 7 * 3000, seed=2)
    bags = [pieces[start : start + 7] for start in range(0, len(pieces), 7)]
    assert all(sorted(bag) == sorted(PIECES) for bag in bags)
    for position in range(7):
        counts = Counter(bag[position] for bag in bags)
        assert all(abs(counts[piece] - 3000 / 7) < 4 * 19.2 for piece in PIECES)


def test_scripted_randomisers() -> None:
    assert deal_pieces("alternating-sz", 5) == "SZSZS"
    assert deal_pieces("only-T", 3) == "TTT"
    assert deal_pieces("script-TIJ", 7) == "TIJTIJT"
    assert set(deal_pieces("sz", 100)) == {"S", "Z"}


def test_first_pieces_from_the_start_of_the_nes_register() -> None:
    """Compare fifty pieces from $89 $88, one step per piece, with the published algorithm."""
    register = 0x8988
    previous = ""
    expected = ""
    ids = dict(zip("TJZOSLI", (2, 7, 8, 10, 11, 14, 18), strict=True))
    for count in range(1, 51):
        register = register >> 1 | (register >> 1 ^ register >> 9) % 2 << 15
        index = ((register >> 8) + count) % 8
        if index == 7 or "TJZOSLI"[index] == previous:
            register = register >> 1 | (register >> 1 ^ register >> 9) % 2 << 15
            index = (register // 256 % 8 + ids.get(previous, 0)) % 7
        previous = "TJZOSLI"[index]
        expected += previous
    assert deal_pieces("nes-8988", 50) == expected == FIRST_FIFTY_NES_PIECES


@pytest.mark.parametrize("randomiser", ["nes", "nes-counts"])
def test_nes_transition_probabilities(randomiser: str) -> None:
    pairs = Counter(pairwise(deal_pieces(randomiser, 200_000, seed=5)))
    for row, first in enumerate(NES_PIECES):
        total = sum(pairs[first, second] for second in NES_PIECES)
        for column, second in enumerate(NES_PIECES):
            expected = NES_TRANSITIONS[row, column] / 64 * total
            assert abs(pairs[first, second] - expected) < 5 * expected**0.5


@pytest.mark.parametrize("name", ["unifrom", "only-TT", "script-", "bag-T", "nes-0001"])
def test_unknown_randomisers_are_rejected(name: str) -> None:
    with pytest.raises((UnknownNameError, RulesError)):
        Randomiser(name)


@pytest.mark.parametrize("seed", ["7", True, -1, 2**63])
def test_invalid_seeds_are_rejected(seed: object) -> None:
    with pytest.raises(SeedError):
        validate_seed(seed)
