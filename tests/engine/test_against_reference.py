"""Tests of the compiled engine against the slow reference: placements, boards, features and games."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.game.reference_comparison import to_columns, to_slow_rules
from tests.reference import board as slow, features as slow_features
from tests.reference.board import Board, Placement, picture
from tests.reference.game import Game
from tests.reference.pieces import ORIENTATIONS, PIECES, WIDTH
from tests.reference.random_boards import random_board
from tests.reference.search import Plan, choose_in_game
from tetrion.engine.agent_records import EngineAgentOrTerms, FeatureTerms, quantise
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, make_games, play_drops_scalar, play_drops_simd
from tetrion.engine.bitboard import compute_outcome, find_landing_row, fits
from tetrion.engine.columns import write_columns
from tetrion.engine.compiler import compile_entry
from tetrion.engine.feature_registry import FEATURES, MAX_FEATURES
from tetrion.engine.features import measure_features
from tetrion.engine.pieces import FIRST_ORIENTATION, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import PADDED_HEIGHTS_SIZE, examine_board
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.rules import Rules
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


@pytest.mark.parametrize(
    ("piece", "count"), [("O", 9), ("I", 17), ("S", 17), ("Z", 17), ("T", 34), ("J", 34), ("L", 34)]
)
@pytest.mark.parametrize("height", [4, 10, 20, 28])
def test_number_of_placements_on_the_empty_board(piece: str, count: int, height: int) -> None:
    board = slow.empty_board(height)
    assert len(slow.find_drops(board, piece)) == count
    for engine in ENGINES.values():
        assert len(engine(board, piece, True).placements) == count


def test_placements_of_random_cases_match_the_reference() -> None:
    coverage = compare_cases(seed=0, count=1_500)
    all_combinations = {tuple(row for row in range(4) if rows >> row & 1) for rows in range(16)}
    assert coverage.completed == all_combinations
    assert coverage.overflowed == set(PIECES)
    assert coverage.ended == set(PIECES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_placements_of_many_random_cases_match_the_reference(seed: int) -> None:
    compare_cases(seed, count=5_000)


DELLACHERIE: dict[str, float] = {
    "landing_height": -0.5,
    "eroded_cells": 1,
    "row_transitions": -1,
    "column_transitions": -1,
    "holes": -4,
    "wells": -1,
}
LEE: dict[str, float] = {"aggregate_height": -0.510066, "lines": 0.760666, "holes": -0.35663, "bumpiness": -0.184483}
RULES = [
    "standard",
    "standard-10x10",
    "standard:height=6",
    "standard:height=28",
    "standard:randomiser=bag",
    "standard-10x10:randomiser=only-I",
    "standard-10x10:randomiser=sz",
    "standard:randomiser=alternating-sz",
    "standard:height=4,randomiser=only-{piece}",
    "standard:height=14,randomiser=script-{script}",
]


def make_agents(random: Random) -> list[EngineAgentOrTerms]:
    """Return ten strong and weak agents: their terms, and whether they measure after full rows are removed."""

    def make_random_weights(size: float) -> dict[str, float]:
        return {name: random.gauss(0, size) / FEATURES[name].max_value for name in NAMES}

    def make_table(name: str, slope: float) -> list[float]:
        feature = FEATURES[name]
        length = random.choice([2, 5, 40]) - feature.min_value
        return [slope * (value + feature.min_value) + random.gauss(0, 0.2) for value in range(length)]

    strong = {name: DELLACHERIE.get(name, 0) + weight for name, weight in make_random_weights(20).items()}
    tables: FeatureTerms = {
        "landing_height": make_table("landing_height", -0.5),
        "holes_change": make_table("holes_change", -4),
        "max_height_change": make_table("max_height_change", -1),
        "row_transitions": -1,
        "column_transitions": make_table("column_transitions", -1),
        "wells": make_table("wells", -1),
    }
    few_tables: FeatureTerms = {
        "bumpiness_change": make_table("bumpiness_change", -1),
        "holes": make_table("holes", -2),
        "lines": [0, -4, -2, 4, 40],
    }
    return [
        (make_random_weights(1), True),
        (make_random_weights(1), False),
        (strong, random.random() < 0.5),
        (DELLACHERIE, True),
        (DELLACHERIE, False),
        (LEE, True),
        (tables, True),
        (few_tables, False),
        ({random.choice(NAMES): random.choice([-1, 1])}, random.random() < 0.5),
        ({name: random.randint(-2, 2) for name in random.sample(NAMES, 3)}, random.random() < 0.5),
    ]


def compare_games(rules_text: str, seed: int, max_pieces: int) -> None:
    """Play ten games piece by piece with the engine and the reference, and fail if they differ."""
    random = Random(f"{rules_text}, seed {seed}")
    script = "".join(random.choices(PIECES, k=5))
    rules = Rules.parse(rules_text.format(piece=random.choice(PIECES), script=script))
    agents = make_agents(random)
    integer_terms = [quantise(agent[0])[0] for agent in agents]
    settings = EngineSettings.from_agents(agents, rules)
    play_functions = {"SIMD": play_drops_simd, "scalar": play_drops_scalar}
    games_by_engine = {name: make_games(len(agents), seed) for name in play_functions}
    for games in games_by_engine.values():
        games["agent"] = np.arange(len(agents))
    references = [Game.from_seed(to_slow_rules(rules), seed, number) for number in range(len(agents))]
    ended: set[int] = set()

    for cap in range(1, max_pieces + 1):
        for name, play in play_functions.items():
            games = games_by_engine[name]
            games["status"][games["status"] == STATUS_CAPPED] = STATUS_PLAYING
            play(games, settings._replace(max_pieces=cap), UNLIMITED)
        for number, reference in enumerate(references):
            if number in ended:
                continue
            move = play_piece(reference, Plan(integer_terms[number], agents[number][1]))
            case = f"{rules}, seed {seed}, game {number}, piece {cap} ({move.piece})"
            for name, games in games_by_engine.items():
                compare_game(f"{case}, {name}, on\n{picture(move.board)}\n", reference, move, games[number])
            if move.placement is None:
                ended.add(number)
            else:
                compare_features(case, move, agents[number][1])
        if len(ended) == len(references):
            break


class Move(NamedTuple):
    """A board, a piece, and its placement; None if there is none."""

    board: Board
    piece: str
    placement: Placement | None


def play_piece(game: Game, plan: Plan) -> Move:
    """Play a piece in the reference if the game is not over."""
    move = Move(game.board, game.piece, None if game.is_over else choose_in_game(game, plan))
    if move.placement is not None:
        game.place(move.placement)
    return move


def compare_game(case: str, reference: Game, move: Move, game: Any) -> None:
    """Compare the counters, the board and the last placement of a game with the reference."""
    expected = {
        "status": STATUS_OVER if move.placement is None else STATUS_CAPPED,
        "pieces": reference.pieces,
        "lines": reference.lines,
        "clears": [reference.clears["none", rows] for rows in range(1, 5)],
    }
    if move.placement is not None:
        orientation, column, row, *_ = move.placement
        expected["placement"] = [int(FIRST_ORIENTATION[PIECES.index(move.piece)]) + orientation, column, row]
    actual = {name: game[name].tolist() for name in expected}
    if actual != expected:
        pytest.fail(f"{case}expected {expected}\ngot {actual}")
    if game["board"].tolist() != to_columns(reference.board):
        pytest.fail(f"{case}expected\n{picture(reference.board)}\ngot\n{draw_columns(game['board'], len(move.board))}")


def compare_features(case: str, move: Move, after_clear: bool) -> None:
    """Compare all features of the chosen placement with the reference."""
    board, piece, placement = move
    assert placement is not None
    expected = slow_features.features(board, piece, placement, after_clear)
    for name, engine in ENGINES.items():
        results = engine(board, piece, after_clear)
        k = results.placements.tolist().index(list(placement[:3]))
        actual = dict(zip(NAMES, results.values[k].tolist(), strict=True))
        if actual != expected:
            wrong = {name: (expected[name], actual[name]) for name in NAMES if expected[name] != actual[name]}
            pytest.fail(f"{case}, {name}, at {placement} on\n{picture(board)}\nfeatures (expected, got): {wrong}")


@pytest.mark.parametrize("rules", RULES)
def test_games_match_the_reference(rules: str) -> None:
    compare_games(rules, seed=0, max_pieces=30)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
@pytest.mark.parametrize("rules", RULES)
def test_many_long_games_match_the_reference(rules: str, seed: int) -> None:
    compare_games(rules, seed, max_pieces=500)
