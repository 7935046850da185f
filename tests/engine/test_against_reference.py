"""Tests of the compiled engine against the slow reference: placements, boards and features."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.game.reference_comparison import to_columns
from tests.reference import board as slow, features as slow_features
from tests.reference.board import Board, Placement, picture
from tests.reference.pieces import ORIENTATIONS, PIECES, WIDTH
from tests.reference.random_boards import random_board
from tetrion.engine.bitboard import compute_outcome, find_landing_row, fits
from tetrion.engine.columns import write_columns
from tetrion.engine.compiler import compile_entry
from tetrion.engine.feature_registry import FEATURES, MAX_FEATURES
from tetrion.engine.features import measure_features
from tetrion.engine.pieces import FIRST_ORIENTATION, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import PADDED_HEIGHTS_SIZE, examine_board
from tetrion.engine.scalar_or_simd import Array, store_value, to_int, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, load

NAMES = list(FEATURES)
ALL_FEATURES_MASK = (1 << len(FEATURES)) - 1
MAX_DROPS = 34


class Results(NamedTuple):
    """Arrays with one row per placement of a piece, in the order of the placements."""

    placements: Array  # orientation within the piece, column, row
    boards: Array  # ten columns of bits
    values: Array  # the features


# The engine's results.


@compile_entry(seconds=10, allocates=True)
def write_scalar_results(board: Array, rows: int, piece: int, after_clear: bool, results: Results) -> int:
    """Write placement, board and features of each drop, computed in scalar code; return the number of drops."""
    heights = np.zeros(PADDED_HEIGHTS_SIZE, np.int32)
    count = 0
    before = examine_board(board, rows, ALL_FEATURES_MASK, heights)
    for orientation in range(FIRST_ORIENTATION[piece], FIRST_ORIENTATION[piece + 1]):
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_landing_row(heights, orientation, x)
            if fits(orientation, x, row, rows):
                after = compute_outcome(before, after_clear, orientation, x, row)
                measure_features(ALL_FEATURES_MASK, after, results.values[count])
                write_columns(results.boards[count], after.columns)
                results.placements[count, 0] = orientation
                results.placements[count, 1] = x
                results.placements[count, 2] = row
                count += 1
    return count


@compile_entry(seconds=10, allocates=True)
def write_simd_results(board: Array, rows: int, piece: int, after_clear: bool, results: Results) -> None:
    """Write row, possibility, board and features of each orientation, computed with one column per SIMD lane."""
    heights = np.zeros(PADDED_HEIGHTS_SIZE, np.int32)
    before = examine_board(board, rows, ALL_FEATURES_MASK, heights)
    x: Any = load(LANE_NUMBERS, 0)
    for k in range(FIRST_ORIENTATION[piece + 1] - FIRST_ORIENTATION[piece]):
        orientation = FIRST_ORIENTATION[piece] + k
        row = find_landing_row(heights, orientation, x)
        possible = fits(orientation, x, row, rows)
        row = where(possible, row, x & 0)
        after = compute_outcome(before, after_clear, orientation, x, row)
        measure_features(ALL_FEATURES_MASK, after, results.values[k])
        for column in range(WIDTH):
            store_value(results.boards[k], column, after.columns[column])
        store_value(results.placements[k], 0, row)
        store_value(results.placements[k], 1, to_int(possible))


Engine = Callable[[Board, str, bool], Results]


def compute_scalar_results(board: Board, piece: str, after_clear: bool) -> Results:
    results = Results(
        np.zeros((MAX_DROPS, 3), np.int32),
        np.zeros((MAX_DROPS, WIDTH), np.int32),
        np.zeros((MAX_DROPS, MAX_FEATURES), np.int32),
    )
    number = PIECES.index(piece)
    count = write_scalar_results(np.array(to_columns(board), np.int32), len(board), number, after_clear, results)
    results.placements[:, 0] -= FIRST_ORIENTATION[number]
    return Results(results.placements[:count], results.boards[:count], results.values[:count, : len(NAMES)])


def compute_simd_results(board: Board, piece: str, after_clear: bool) -> Results:
    number, rotations = PIECES.index(piece), len(ORIENTATIONS[piece])
    results = Results(
        np.zeros((rotations, 2 * LANES), np.int32),
        np.zeros((rotations, WIDTH * LANES), np.int32),
        np.zeros((rotations, MAX_FEATURES * LANES), np.int32),
    )
    write_simd_results(np.array(to_columns(board), np.int32), len(board), number, after_clear, results)
    rows, possible = results.placements.reshape(rotations, 2, LANES).transpose(1, 0, 2)
    orientation, column = np.nonzero(possible)
    return Results(
        np.stack([orientation, column, rows[orientation, column]], axis=1),
        results.boards.reshape(rotations, WIDTH, LANES)[orientation, :, column],
        results.values.reshape(rotations, MAX_FEATURES, LANES)[orientation, : len(NAMES), column],
    )


ENGINES: dict[str, Engine] = {"scalar": compute_scalar_results, "SIMD": compute_simd_results}


# The reference's results, and the comparison.


def compute_reference_results(board: Board, piece: str) -> dict[bool, Results]:
    """Return the reference's results, by whether features are measured after full rows are removed."""
    before, placements = slow_features.MeasuredBoard(board), slow.find_drops(board, piece)
    boards: dict[bool, list[list[int]]] = {False: [], True: []}
    values: dict[bool, list[list[int]]] = {False: [], True: []}
    for placement in placements:
        with_piece = slow.place(board, piece, placement)
        for after_clear in (False, True):
            if after_clear and not slow.full_rows(with_piece):  # the results are identical
                boards[True].append(boards[False][-1])
                values[True].append(values[False][-1])
                continue
            measured = slow_features.features(before, piece, placement, after_clear)
            boards[after_clear].append(to_columns(slow.remove_full_rows(with_piece) if after_clear else with_piece))
            values[after_clear].append([measured[name] for name in NAMES])
    return {
        after_clear: Results(
            np.array([placement[:3] for placement in placements], np.int32).reshape(-1, 3),
            np.array(boards[after_clear], np.int32).reshape(-1, WIDTH),
            np.array(values[after_clear], np.int32).reshape(-1, len(NAMES)),
        )
        for after_clear in (False, True)
    }


def draw_columns(columns: Array, height: int) -> str:
    """Draw an engine board, including cells above its top, which would be an error."""
    rows = max(height, *(int(column).bit_length() for column in columns))
    return picture([[bool(int(column) >> row & 1) for column in columns] for row in range(rows)])


def describe_difference(board: Board, piece: str, expected: Results, actual: Results) -> str:
    """Describe the first difference between two results; an empty text if they agree."""
    case = f"piece {piece} on this board of {len(board)} rows:\n{picture(board)}\n"
    if not np.array_equal(expected.placements, actual.placements):
        lists = f"expected {expected.placements.tolist()}\ngot {actual.placements.tolist()}"
        return f"{case}placements (orientation, column, row)\n{lists}"
    for k, (orientation, column, row) in enumerate(expected.placements.tolist()):
        placed = f"{case}placed at orientation {orientation}, column {column}, row {row}: "
        if not np.array_equal(expected.boards[k], actual.boards[k]):
            boards = [draw_columns(results.boards[k], len(board)) for results in (expected, actual)]
            return f"{placed}board\nexpected\n{boards[0]}\ngot\n{boards[1]}"
        for name, value, other in zip(NAMES, expected.values[k], actual.values[k], strict=True):
            if value != other:
                return f"{placed}feature {name}\nexpected {value}, got {other}"
    return ""


def are_equal(expected: Results, actual: Results) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(expected, actual, strict=True))


MIN_VALUES = np.array([FEATURES[name].min_value for name in NAMES])
MAX_VALUES = np.array([FEATURES[name].max_value for name in NAMES])


class Coverage(NamedTuple):
    """The situations that occurred in random cases."""

    completed: set[tuple[int, ...]]  # the combinations of completed rows, relative to the piece's lowest row
    overflowed: set[str]  # pieces of which some placements fit and some do not
    ended: set[str]  # pieces of which no placement fits


def compare_cases(seed: int, count: int) -> Coverage:
    """Compare the engine with the reference in random cases, and fail if they differ."""
    coverage = Coverage(set(), set(), set())
    for case in range(count):
        random = Random(f"seed {seed}, case {case}")
        piece = PIECES[case % len(PIECES)]
        board = random_board(random, piece)
        expected = compute_reference_results(board, piece)
        for after_clear in (False, True):
            for name, engine in ENGINES.items():
                actual = engine(board, piece, after_clear)
                if not are_equal(expected[after_clear], actual):
                    when = "after" if after_clear else "before"
                    difference = describe_difference(board, piece, expected[after_clear], actual)
                    pytest.fail(f"seed {seed}, case {case}, {name}, measured {when} line clears: {difference}")
            values = expected[after_clear].values
            assert (values >= MIN_VALUES).all(), f"seed {seed}, case {case}: below the registry's smallest value"
            assert (values <= MAX_VALUES).all(), f"seed {seed}, case {case}: above the registry's largest value"
        update_coverage(coverage, board, piece, expected[False].placements)
    return coverage


def update_coverage(coverage: Coverage, board: Board, piece: str, placements: Array) -> None:
    for placement in placements.tolist():
        full = slow.full_rows(slow.place(board, piece, Placement(*placement)))
        coverage.completed.add(tuple(row - placement[2] for row in full))
    count_on_empty_board = len(slow.find_drops(slow.empty_board(4), piece))
    if len(placements) == 0:
        coverage.ended.add(piece)
    elif len(placements) < count_on_empty_board:
        coverage.overflowed.add(piece)


def test_engine_and_reference_have_the_same_features() -> None:
    assert set(NAMES) == set(slow_features.FEATURES)
    assert {name: FEATURES[name].min_value for name in NAMES if FEATURES[name].min_value} == slow_features.SMALLEST


def test_placements_of_random_cases_match_the_reference() -> None:
    coverage = compare_cases(seed=0, count=800)
    all_combinations = {tuple(row for row in range(4) if rows >> row & 1) for rows in range(16)}
    assert coverage.completed == all_combinations
    assert coverage.overflowed == set(PIECES)
    assert coverage.ended == set(PIECES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_placements_of_many_random_cases_match_the_reference(seed: int) -> None:
    compare_cases(seed, count=5_000)
