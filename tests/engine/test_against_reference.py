"""The compiled engine against the slow, obvious reference: every placement, board, feature and game."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from reference import board as slow
from reference import features as slow_features
from reference.board import Board, Placement, picture
from reference.pieces import ORIENTATIONS, PIECES, WIDTH
from reference.random_boards import random_board
from reference.simple_game import Game
from tetrion.engine.agent_records import FeatureTerms, Playable, quantise
from tetrion.engine.batch_play import (
    STATUS_CAPPED,
    STATUS_OVER,
    STATUS_PLAYING,
    UNLIMITED,
    EngineSettings,
    make_games,
    play_drops_scalar,
    play_drops_simd,
)
from tetrion.engine.bitboard import compute_outcome, find_landing_row, fits
from tetrion.engine.columns import write_columns
from tetrion.engine.compiler import compile_entry
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.features import FEATURES, measure_features
from tetrion.engine.pieces import FIRST_ORIENTATION, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import PADDED_HEIGHTS_SIZE, examine_board
from tetrion.engine.rules import Rules
from tetrion.engine.scalar_or_simd import Array, store_value, to_int, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, load

NAMES = list(FEATURES)
ALL = (1 << len(FEATURES)) - 1
MOST_PLACEMENTS = 34

# The engine's answers for all placements of a piece, as arrays.


@compile_entry(seconds=10)
def every_placement(
    board: Array, rows: int, piece: int, removed: bool, places: Array, boards: Array, values: Array
) -> int:
    """Write place, board and features of one placement after another; tells how many there are."""
    heights, count = np.zeros(PADDED_HEIGHTS_SIZE, np.int32), 0
    now = examine_board(board, rows, ALL, heights)
    for orientation in range(FIRST_ORIENTATION[piece], FIRST_ORIENTATION[piece + 1]):
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_landing_row(heights, orientation, x)
            if fits(orientation, x, row, rows):
                after = compute_outcome(now, removed, orientation, x, row)
                measure_features(ALL, after, values[count])
                write_columns(boards[count], after.columns)
                places[count, 0], places[count, 1], places[count, 2] = orientation, x, row
                count += 1
    return count


@compile_entry(seconds=10)
def every_orientation(
    board: Array, rows: int, piece: int, removed: bool, places: Array, boards: Array, values: Array
) -> None:
    """Write for one orientation after another, in a lane for each column: row, whether it fits; board; features."""
    heights = np.zeros(PADDED_HEIGHTS_SIZE, np.int32)
    now = examine_board(board, rows, ALL, heights)
    x: Any = load(LANE_NUMBERS, 0)
    for k in range(FIRST_ORIENTATION[piece + 1] - FIRST_ORIENTATION[piece]):
        orientation = FIRST_ORIENTATION[piece] + k
        row = find_landing_row(heights, orientation, x)
        possible = fits(orientation, x, row, rows)
        row = where(possible, row, x & 0)
        after = compute_outcome(now, removed, orientation, x, row)
        measure_features(ALL, after, values[k])
        for column in range(WIDTH):
            store_value(boards[k], column, after.columns[column])
        store_value(places[k], 0, row)
        store_value(places[k], 1, to_int(possible))


class Answers(NamedTuple):
    """What somebody says of all placements of a piece: a row for each, in the order of the placements."""

    places: Array  # orientation within the piece, column, row
    boards: Array  # ten columns of bits
    values: Array  # the features


Asked = Callable[[Board, str, bool], Answers]


def bits(board: Board) -> list[int]:
    """The board as the engine has it: ten numbers, bit 0 for the floor."""
    return [sum(row[column] << y for y, row in enumerate(board)) for column in range(WIDTH)]


def asked_one_by_one(board: Board, piece: str, removed: bool) -> Answers:
    places = np.zeros((MOST_PLACEMENTS, 3), np.int32)
    boards = np.zeros((MOST_PLACEMENTS, WIDTH), np.int32)
    values = np.zeros((MOST_PLACEMENTS, MAX_FEATURES), np.int32)
    number = PIECES.index(piece)
    count = every_placement(np.array(bits(board), np.int32), len(board), number, removed, places, boards, values)
    places[:, 0] -= FIRST_ORIENTATION[number]
    return Answers(places[:count], boards[:count], values[:count, : len(NAMES)])


def asked_on_lanes(board: Board, piece: str, removed: bool) -> Answers:
    number, turns = PIECES.index(piece), len(ORIENTATIONS[piece])
    places = np.zeros((turns, 2 * LANES), np.int32)
    boards = np.zeros((turns, WIDTH * LANES), np.int32)
    values = np.zeros((turns, MAX_FEATURES * LANES), np.int32)
    every_orientation(np.array(bits(board), np.int32), len(board), number, removed, places, boards, values)
    rows, possible = places.reshape(turns, 2, LANES).transpose(1, 0, 2)
    orientation, column = np.nonzero(possible)
    return Answers(
        np.stack([orientation, column, rows[orientation, column]], axis=1),
        boards.reshape(turns, WIDTH, LANES)[orientation, :, column],
        values.reshape(turns, MAX_FEATURES, LANES)[orientation, : len(NAMES), column],
    )


ENGINES: dict[str, Asked] = {"one by one": asked_one_by_one, "on lanes": asked_on_lanes}


# The reference's answers, and the comparison.


def asked_reference(board: Board, piece: str) -> dict[bool, Answers]:
    """What the reference says, by whether full rows are removed before it measures."""
    before, places = slow_features.MeasuredBoard(board), slow.placements(board, piece)
    boards: dict[bool, list[list[int]]] = {False: [], True: []}
    values: dict[bool, list[list[int]]] = {False: [], True: []}
    for place in places:
        with_piece = slow.place(board, piece, place)
        for removed in (False, True):
            if removed and not slow.full_rows(with_piece):  # the very same board once more
                boards[True].append(boards[False][-1])
                values[True].append(values[False][-1])
                continue
            found = slow_features.features(before, piece, place, removed)
            boards[removed].append(bits(slow.remove_full_rows(with_piece) if removed else with_piece))
            values[removed].append([found[name] for name in NAMES])
    return {
        removed: Answers(
            np.array(places, np.int32).reshape(-1, 3),
            np.array(boards[removed], np.int32).reshape(-1, WIDTH),
            np.array(values[removed], np.int32).reshape(-1, len(NAMES)),
        )
        for removed in (False, True)
    }


def drawn(columns: Array, height: int) -> str:
    """A picture of the engine's board, with rows above its top that must not be there."""
    tall = max(height, *(int(column).bit_length() for column in columns))
    return picture([[bool(int(column) >> row & 1) for column in columns] for row in range(tall)])


def differences(board: Board, piece: str, expected: Answers, got: Answers) -> str:
    """The first thing in which two answers differ, in words; nothing where they agree."""
    about = f"piece {piece} on this board of {len(board)} rows:\n{picture(board)}\n"
    if not np.array_equal(expected.places, got.places):
        wanted, found = expected.places.tolist(), got.places.tolist()
        return f"{about}placements (orientation, column, row)\nexpected {wanted}\ngot {found}"
    for k, place in enumerate(expected.places.tolist()):
        about_place = f"{about}placed at orientation {place[0]}, column {place[1]}, row {place[2]}: "
        if not np.array_equal(expected.boards[k], got.boards[k]):
            boards = [drawn(answers.boards[k], len(board)) for answers in (expected, got)]
            return f"{about_place}board\nexpected\n{boards[0]}\ngot\n{boards[1]}"
        for name, value, other in zip(NAMES, expected.values[k], got.values[k], strict=True):
            if value != other:
                return f"{about_place}feature {name}\nexpected {value}, got {other}"
    return ""


def agree(expected: Answers, got: Answers) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(expected, got, strict=True))


SMALLEST = np.array([FEATURES[name].min_value for name in NAMES])
LARGEST = np.array([FEATURES[name].max_value for name in NAMES])


class Seen(NamedTuple):
    """What the random cases have met."""

    completed: set[tuple[int, ...]]  # the combinations of completed rows, counted from the piece's lowest
    overflowed: set[str]  # pieces of which some placement did not fit, and some did
    ended: set[str]  # pieces of which no placement fitted


def compare_cases(seed: int, count: int) -> Seen:
    """Let the engine and the reference answer random cases, and fail where they differ."""
    seen = Seen(set(), set(), set())
    for case in range(count):
        random = Random(f"seed {seed}, case {case}")
        piece = PIECES[case % len(PIECES)]
        board = random_board(random, piece)
        expected = asked_reference(board, piece)
        for removed in (False, True):
            for name, asked in ENGINES.items():
                got = asked(board, piece, removed)
                if not agree(expected[removed], got):
                    when = "after removal" if removed else "before removal"
                    what = differences(board, piece, expected[removed], got)
                    pytest.fail(f"seed {seed}, case {case}, {name}, measured {when}: {what}")
            values = expected[removed].values
            assert (values >= SMALLEST).all(), f"seed {seed}, case {case}: below the registry's smallest value"
            assert (values <= LARGEST).all(), f"seed {seed}, case {case}: above the registry's largest value"
        note(seen, board, piece, expected[False].places)
    return seen


def note(seen: Seen, board: Board, piece: str, places: Array) -> None:
    for place in places.tolist():
        full = slow.full_rows(slow.place(board, piece, Placement(*place)))
        seen.completed.add(tuple(row - place[2] for row in full))
    on_empty_board = len(slow.placements(slow.empty_board(4), piece))
    if len(places) == 0:
        seen.ended.add(piece)
    elif len(places) < on_empty_board:
        seen.overflowed.add(piece)


# Tests.


def test_both_know_the_same_features() -> None:
    assert set(NAMES) == set(slow_features.FEATURES)
    assert {name: FEATURES[name].min_value for name in NAMES if FEATURES[name].min_value} == slow_features.SMALLEST


@pytest.mark.parametrize(
    ("piece", "count"), [("O", 9), ("I", 17), ("S", 17), ("Z", 17), ("T", 34), ("J", 34), ("L", 34)]
)
@pytest.mark.parametrize("height", [4, 10, 20, 28])
def test_placements_on_the_empty_board(piece: str, count: int, height: int) -> None:
    board = slow.empty_board(height)
    assert len(slow.placements(board, piece)) == count
    for asked in ENGINES.values():
        assert len(asked(board, piece, True).places) == count


def test_every_placement_of_random_cases() -> None:
    seen = compare_cases(seed=0, count=3_000)
    every_combination = {tuple(row for row in range(4) if rows >> row & 1) for rows in range(16)}
    assert seen.completed == every_combination
    assert seen.overflowed == set(PIECES)
    assert seen.ended == set(PIECES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_every_placement_of_many_random_cases(seed: int) -> None:
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


def some_agents(random: Random) -> list[Playable]:
    """Ten agents, strong and weak, with whether they measure after full rows are removed."""

    def by_chance(size: float) -> dict[str, float]:
        return {name: random.gauss(0, size) / FEATURES[name].max_value for name in NAMES}

    def table(name: str, slope: float) -> list[float]:
        feature = FEATURES[name]
        length = random.choice([2, 5, 40]) - feature.min_value
        return [slope * (value + feature.min_value) + random.gauss(0, 0.2) for value in range(length)]

    well_played = {name: DELLACHERIE.get(name, 0) + weight for name, weight in by_chance(20).items()}
    tables: FeatureTerms = {
        "landing_height": table("landing_height", -0.5),
        "holes_change": table("holes_change", -4),
        "max_height_change": table("max_height_change", -1),
        "row_transitions": -1,
        "column_transitions": table("column_transitions", -1),
        "wells": table("wells", -1),
    }
    bumpy: FeatureTerms = {
        "bumpiness_change": table("bumpiness_change", -1),
        "holes": table("holes", -2),
        "lines": [0, -4, -2, 4, 40],
    }
    return [
        (by_chance(1), True),
        (by_chance(1), False),
        (well_played, random.random() < 0.5),
        (DELLACHERIE, True),
        (DELLACHERIE, False),
        (LEE, True),
        (tables, True),
        (bumpy, False),
        ({random.choice(NAMES): random.choice([-1, 1])}, random.random() < 0.5),
        ({name: random.randint(-2, 2) for name in random.sample(NAMES, 3)}, random.random() < 0.5),
    ]


def compare_games(rules_text: str, seed: int, most_pieces: int) -> None:
    """Play ten games side by side, piece by piece, and fail where the engine and the reference differ."""
    random = Random(f"{rules_text}, seed {seed}")
    script = "".join(random.choices(PIECES, k=5))
    rules = Rules.parse(rules_text.format(piece=random.choice(PIECES), script=script))
    agents = some_agents(random)
    wholes = [quantise(agent[0])[0] for agent in agents]
    uncapped = EngineSettings.from_agents(agents, rules)
    engines = {"on lanes": play_drops_simd, "one by one": play_drops_scalar}
    played = {name: make_games(len(agents), seed) for name in engines}
    for games in played.values():
        games["agent"] = np.arange(len(agents))
    references = [Game(rules.height, rules.randomiser, seed, number) for number in range(len(agents))]

    for cap in range(1, most_pieces + 1):
        for name, play in engines.items():
            played[name]["status"][played[name]["status"] == STATUS_CAPPED] = STATUS_PLAYING
            play(played[name], uncapped._replace(max_pieces=cap), UNLIMITED)
        for number, reference in enumerate(references):
            if reference.is_over:
                continue
            board, removed = reference.board, agents[number][1]
            reference.play_piece(wholes[number], removed)
            about = f"{rules}, seed {seed}, game {number}, piece {cap} ({reference.piece})"
            for name, games in played.items():
                compare_game(f"{about}, {name}, on\n{picture(board)}\n", reference, games[number], rules.height)
            if reference.placement is not None:
                compare_features(about, board, reference, removed)
        if all(reference.is_over for reference in references):
            break


def compare_game(about: str, reference: Game, game: Any, height: int) -> None:
    """The counters, the board and the last placement of a game."""
    expected = {
        "status": STATUS_OVER if reference.is_over else STATUS_CAPPED,
        "pieces": reference.pieces,
        "lines": reference.lines,
        "clears": reference.clears,
    }
    if reference.placement is not None:
        orientation, column, row = reference.placement
        expected["placement"] = [int(FIRST_ORIENTATION[PIECES.index(reference.piece)]) + orientation, column, row]
    got = {name: game[name].tolist() for name in expected}
    if got != expected:
        pytest.fail(f"{about}expected {expected}\ngot {got}")
    if game["board"].tolist() != bits(reference.board):
        pytest.fail(f"{about}expected\n{picture(reference.board)}\ngot\n{drawn(game['board'], height)}")


def compare_features(about: str, board: Board, reference: Game, removed: bool) -> None:
    """Every feature of the placement that was chosen."""
    assert reference.placement is not None
    expected = slow_features.features(board, reference.piece, reference.placement, removed)
    for name, asked in ENGINES.items():
        answers = asked(board, reference.piece, removed)
        k = answers.places.tolist().index(list(reference.placement))
        got = dict(zip(NAMES, answers.values[k].tolist(), strict=True))
        if got != expected:
            wrong = {name: (expected[name], got[name]) for name in NAMES if expected[name] != got[name]}
            pytest.fail(
                f"{about}, {name}, at {reference.placement} on\n{picture(board)}\nfeatures (expected, got): {wrong}"
            )


@pytest.mark.parametrize("rules", RULES)
def test_games(rules: str) -> None:
    compare_games(rules, seed=0, most_pieces=100)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
@pytest.mark.parametrize("rules", RULES)
def test_many_long_games(rules: str, seed: int) -> None:
    compare_games(rules, seed, most_pieces=500)
