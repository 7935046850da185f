"""Tests of TD learning against the slow reference, and on several threads and the CUDA simulator."""

from math import ceil
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.game.reference_comparison import to_engine_board, to_slow_rules
from tests.reference import patterns as slow_patterns
from tests.reference.pattern_learning import PatternLearning, Settings, list_sharers as list_slow_sharers
from tests.simulator import run_on_simulator
from tetrion.engine.patterns import PATTERNS
from tetrion.engine.rules import Rules
from tetrion.training.td_gpu_learning import VISIT_BITS, count_copies
from tetrion.training.td_learning import EXPONENTIALS, MAX_POINTS, WEIGHT_BITS, PatternTables, TdSettings, list_sharers

SEED = 11


def make_rules(settings: TdSettings, height: int, game_over: str = "room") -> Rules:
    """Return the standard rules with this height and end, and with the preview that the settings need."""
    return Rules.parse(f"standard:height={height},preview={settings.depth - 1},game_over={game_over}")


def learn(settings: TdSettings, rules: Rules, rates: list[int], threads: int = 1) -> tuple[PatternTables, list[int]]:
    """Return tables that were updated once per rate, and the numbers of lines and deaths."""
    tables = PatternTables(settings, rules, SEED)
    counts = np.zeros(2, np.int64)
    tables.learn_on_cpu(rates, counts, threads)
    return tables, counts.tolist()


def list_numbers(tables: PatternTables) -> list[np.ndarray]:
    """Return all arrays that change in learning."""
    return [tables.tables, *tables.learned[:3], tables.games]


@pytest.mark.parametrize(
    ("patterns", "height", "options"),
    [
        (("row_cells", "hole_rows_and_free_rows"), 6, {}),
        (("surface_of_four", "row_cells"), 12, {"garbage": 0.7, "episode_pieces": 5, "discount": 0.9}),
        (("hole_rows_and_free_cells", "column_tops"), 9, {"garbage": 1.0, "episode_pieces": 9}),
        (tuple(PATTERNS), 28, {"garbage": 1.0, "episode_pieces": 4, "discount": 0.5}),
        (("row_cells", "surface_of_four"), 6, {"stages": ("holes",)}),
        (("row_cells", "column_tops"), 7, {"stages": ()}),
        pytest.param(("hole_rows_and_free_cells", "surface_of_four"), 4, {"depth": 2}, marks=pytest.mark.slow),
        *(
            pytest.param(("hole_rows_and_free_cells",), 5, {"depth": 2, "game_over": rule}, marks=pytest.mark.slow)
            for rule in ("entry", "above", "top-row")
        ),
        pytest.param(("row_cells",), 10, {"depth": 2, "garbage": 0.7, "episode_pieces": 5}, marks=pytest.mark.slow),
    ],
)
def test_learning_matches_the_reference(patterns: tuple[str, ...], height: int, options: dict[str, Any]) -> None:
    options = dict(options)
    game_over = options.pop("game_over", "room")
    settings = TdSettings(games=3, pieces=6, patterns=patterns, **options)
    rates = [40_000, 20_000, 65_536, 3_000, 2_000, 1]
    rules = make_rules(settings, height, game_over)
    tables, counts = learn(settings, rules, rates)
    slow_settings = Settings(
        patterns,
        height,
        round(settings.discount * 2**16),
        round(settings.garbage * 2**16),
        settings.episode_pieces,
        settings.stages,
        to_slow_rules(rules) if settings.depth == 2 else None,
    )
    slow = PatternLearning(slow_settings, SEED, settings.games)
    for rate in rates:
        slow.update(settings.pieces, rate)
    assert tables.get_terms(tables.tables) == slow.tables
    start = 0
    for name in patterns:
        for numbers, expected in zip(tables.learned, (slow.weights, slow.step_sums, slow.step_sizes), strict=False):
            part = numbers[start : start + PATTERNS[name].size]
            entries = np.flatnonzero(part).tolist()
            nonzero = {entry for (owner, entry), number in expected.items() if owner == name and number}
            assert {entry: int(part[entry]) for entry in entries} == {entry: expected[name, entry] for entry in nonzero}
        start += PATTERNS[name].size
    for game, slow_game in zip(tables.games, slow.games, strict=True):
        assert (game.pieces, game.lines) == (slow_game.pieces, slow_game.lines)
        assert game.board.tolist() == list(to_engine_board(slow_game.board).columns)
    lines, deaths = (sum(getattr(game, name) for game in slow.games) for name in ("lines", "deaths"))
    assert counts == [lines, deaths]
    assert (deaths > 0) == (height < 9)


@pytest.mark.parametrize("games", [1, 7])
def test_learning_is_identical_in_any_number_of_threads(games: int) -> None:
    settings = TdSettings(games=games, pieces=30, patterns=("row_cells", "column_tops"), garbage=0.5, episode_pieces=20)
    rules = make_rules(settings, 8)
    one, one_counts = learn(settings, rules, [3000] * 20)
    assert one_counts[1] > 0
    for threads in (2, 3):
        other, counts = learn(settings, rules, [3000] * 20, threads)
        assert counts == one_counts
        for numbers, expected in zip(list_numbers(other), list_numbers(one), strict=True):
            assert numbers.tobytes() == expected.tobytes()


def test_points_of_an_entry_are_limited() -> None:
    """A GPU stores them in 16 bits."""
    tables = PatternTables(TdSettings(games=1, patterns=("hole_rows_and_free_rows",)), Rules.parse("standard"), SEED)
    tables.learned.weights[:3] = np.array([2**40, -(2**40), 5 << WEIGHT_BITS])
    tables.learn_on_cpu([0], np.zeros(2, np.int64), 1)
    assert tables.tables[:3].tolist() == [MAX_POINTS, -MAX_POINTS, 5]
    assert np.iinfo(np.int16).max == MAX_POINTS


def test_tables_learn_to_live_longer() -> None:
    settings = TdSettings(games=200, pieces=10, patterns=("surface_of_four", "hole_rows_and_free_rows"))
    tables = PatternTables(settings, Rules.parse("standard:height=8"), SEED)
    first, last = np.zeros(2, np.int64), np.zeros(2, np.int64)
    tables.learn_on_cpu([2000] * 10, first, 1)
    tables.learn_on_cpu([2000] * 100, np.zeros(2, np.int64), 1)
    tables.learn_on_cpu([2000] * 10, last, 1)
    assert last[1] < first[1] / 2


@pytest.mark.parametrize("stages", [("space", "holes"), ("holes",), ("space",), ()])
def test_sharers_are_those_of_the_reference(stages: tuple[str, ...]) -> None:
    names = ("hole_rows_and_free_rows", "row_cells", "column_tops")
    sharers = list_sharers(names, stages)
    starts = np.cumsum([0, *(PATTERNS[name].size for name in names)]).tolist()
    assert len(sharers) == starts[-1]
    random = Random(3)
    for name, start in zip(names, starts, strict=False):
        for entry in [0, 1024, 1, *random.sample(range(slow_patterns.TABLE_SIZES[name]), 100)]:
            if entry < PATTERNS[name].size:
                expected = {start + number for _, number in list_slow_sharers((name, entry), stages)}
                assert set(sharers[start + entry].tolist()) - {-1} == expected


PROGRAM = """
from tetrion.training import td_gpu_learning as gpu_learning
from tetrion.engine.rules import Rules
from tetrion.training.td_learning import PatternTables, TdSettings

def compare(rules, rate_lists, **options):
    settings = TdSettings(games=4, patterns=("hole_rows_and_free_rows",), **options)
    results = []
    for devices in ("cccc", "ggcg"):
        tables, counts = PatternTables(settings, Rules.parse(rules), 11), np.zeros(2, np.int64)
        for rates, device in zip(rate_lists, devices):
            if device == "c":
                tables.learn_on_cpu(rates, counts, 2)
            else:
                tables.learn_on_gpu(rates, counts)
        arrays = [tables.tables, *tables.learned[:3], tables.games, counts]
        results.append([array.tobytes() for array in arrays])
    assert results[0] == results[1]
    assert tables.tables.any()
    print(*counts, end=" ")

"""
ONE_PIECE = """
compare("standard:height=4", ([65536], [1], [2000], [300]), pieces=5, discount=0.9, episode_pieces=30)
"""
DEPTH_TWO = """
compare("standard:height=4,preview=1", ([65536, 3000],), pieces=8, depth=2, episode_pieces=11)
gpu_learning.count_copies = lambda *arguments: 3
compare("standard:height=8", ([3000, 65536],), pieces=4, garbage=0.9, episode_pieces=3)
"""


@pytest.mark.parametrize("comparisons", [ONE_PIECE, pytest.param(DEPTH_TWO, marks=pytest.mark.slow)])
def test_gpu_learns_the_same_tables(comparisons: str) -> None:
    """Tables are compared with one piece, with depth 2, and with garbage and several copies of the totals."""
    counts = run_on_simulator(PROGRAM + comparisons).split()
    assert int(counts[1]) > 0


@pytest.mark.parametrize(("games", "pieces", "rows"), [(1, 1, 4), (65536, 4, 12), (2**20, 16, 28), (16777, 1000, 28)])
def test_totals_do_not_overflow(games: int, pieces: int, rows: int) -> None:
    """Blocks of up to 32 games use the copies in turn; each row of each board may visit the same entry."""
    copies = count_copies(games, pieces, rows)
    blocks_per_copy = ceil(ceil(games / 32) / copies)
    visits = min(games, 32 * blocks_per_copy) * pieces * rows
    assert visits < 1 << VISIT_BITS
    assert visits * int(EXPONENTIALS[-1]) < 1 << (63 - VISIT_BITS)
