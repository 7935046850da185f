"""Pieces: counted, repeatable, and fair."""

from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest

from tetrion.engine.pieces import PIECES
from tetrion.engine.randomisers import GOLDEN, Randomiser, checked_seed, deal, keys, mixed
from tetrion.errors import RulesError, SeedError, UnknownNameError


@numba.njit  # type: ignore[untyped-decorator]
def dealt(kind: int, sequence: Any, key: Any, count: int) -> Any:
    pieces, bag = np.empty(count, np.int64), 0
    for number in range(count):
        pieces[number], bag = deal(kind, sequence, key, number, bag)
    return pieces


def pieces(randomiser: str, count: int, seed: int = 0, game: int = 0) -> str:
    chosen = Randomiser(randomiser)
    numbers = dealt(chosen.parts()[0], chosen.sequence(), keys(seed, game, 1)[0], count)
    return "".join(PIECES[number] for number in numbers)


def test_a_game_gets_its_pieces_whatever_runs_beside_it() -> None:
    assert keys(7, 0, 1000)[41] == keys(7, 41, 1)[0]
    assert len(set(keys(0, 0, 1000)) | set(keys(1, 0, 1000))) == 2000


def test_pinned_pieces() -> None:
    """Same seed, same game, in every version of the rules' behaviour."""
    assert pieces("uniform", 20, seed=7) == "ZTLISJSOJJOSJSJJLSZO"
    assert pieces("bag", 21, seed=7) == "ZTLISJOOLZISJTJZLTOIS"


def test_numbers_are_those_of_splitmix64() -> None:
    """The first three outputs for the state 1234567, as published with the algorithm on Rosetta Code."""
    states = np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * GOLDEN
    assert [mixed(state) for state in states.reshape(3, 1)] == [
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


@pytest.mark.parametrize("name", ["unifrom", "only-", "only-TT", "only-X", "script-", "script-tij", "", "bag-T"])
def test_wrong_names(name: str) -> None:
    with pytest.raises((UnknownNameError, RulesError)):
        Randomiser(name)


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'uniform'"):
        Randomiser("unifrom")


@pytest.mark.parametrize("seed", [1.5, "7", None, True, -1, 2**63, np.float64(3)])
def test_wrong_seeds(seed: object) -> None:
    with pytest.raises(SeedError):
        checked_seed(seed)


def test_numpy_seeds_are_seeds() -> None:
    assert checked_seed(np.int32(5)) == 5
