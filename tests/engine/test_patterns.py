"""Tests of the patterns against the slow reference, which reads them cell by cell."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.engine.test_lookahead import compare, make_random_position
from tests.game.reference_comparison import to_engine_board, to_slow_rules
from tests.reference import patterns as slow_patterns
from tests.reference.board import Board, Placement, find_drops, get_cells, picture
from tests.reference.features import MeasuredBoard
from tests.reference.game import Game
from tests.reference.pieces import PIECES, WIDTH
from tests.reference.random_boards import random_board
from tests.reference.search import Plan, Terms, choose_in_game, list_points
from tetrion.agents import SecondMode, WeightedAgent
from tetrion.engine.agent_records import EngineAgent, FeatureTerms, quantise
from tetrion.engine.batch_play import (
    UNLIMITED,
    EngineSettings,
    make_games,
    play_any_movement,
    play_drops_scalar,
    play_pattern_drops,
    play_with_lookahead,
)
from tetrion.engine.bitboard import find_landing_row, fits
from tetrion.engine.compiler import compile_entry_with_memory
from tetrion.engine.lookahead import PlacementValuesRecord, evaluate_placements
from tetrion.engine.patterns import PATTERNS, VIEW_FREE_ROWS
from tetrion.engine.piece_motion import PieceOnBoard
from tetrion.engine.pieces import PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import ScalarScratch, examine_board, score_placement
from tetrion.engine.placements import WORST_POINTS, OrientedPlacement, Search, decode_location
from tetrion.engine.records import Records, RulesRecords
from tetrion.engine.rules import Rules, make_rules_record
from tetrion.engine.scalar_or_simd import Array
from tetrion.position import Position

MAX_DROPS = 34
DELLACHERIE = {"landing_height": -500, "row_transitions": -1000, "column_transitions": -1000, "holes": -4000}
VIEWS = (0, 0, 1, 3, 4, 5, 8, 12, 20, 28)


def make_table(name: str, seed: int, size: int = 1000) -> list[int]:
    """Return a random table of points for a pattern."""
    numbers = np.random.default_rng([PATTERNS[name].number, seed]).integers(-size, size + 1, PATTERNS[name].size)
    return list(map(int, numbers))


def make_tables(names: Sequence[str] = tuple(PATTERNS), seed: int = 0) -> dict[str, list[int]]:
    return {name: make_table(name, seed) for name in names}


@compile_entry_with_memory(ScalarScratch.dtype, seconds=10)
def score_drops_scalar(
    memory: Records[ScalarScratch], piece_on_board: PieceOnBoard[RulesRecords], settings: EngineSettings, drops: Array
) -> int:
    """Write rotation, column, row and points of each straight drop, computed in scalar code; return their number."""
    board, all_rules, piece = piece_on_board
    rules = all_rules[0]
    search = Search(rules, 0, settings.agents[0], settings.agents, settings.tables, memory[0])
    before = examine_board(board, rules.rows, search.agent.mask, memory[0].heights)
    count = 0
    for rotation in range(rules.rotation_count[piece]):
        orientation = int(rules.orientations[piece, rotation])
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_landing_row(before.heights, orientation, x)
            if fits(orientation, x, row, rules.rows):
                drops[count, 0] = rotation
                drops[count, 1] = x
                drops[count, 2] = row
                drops[count, 3] = score_placement(before, search, True, OrientedPlacement(orientation, x, row))
                count += 1
    return count


Scores = dict[Placement, int]


def score_in_scalar_code(piece_on_board: PieceOnBoard[Any], settings: EngineSettings) -> Scores:
    drops = np.zeros((MAX_DROPS, 4), np.int64)
    count = score_drops_scalar(piece_on_board, settings, drops)
    return {Placement(*drop[:3]): drop[3] for drop in drops[:count].tolist()}


def score_in_lanes(piece_on_board: PieceOnBoard[Any], settings: EngineSettings) -> Scores:
    records = PlacementValuesRecord.make_array(1)
    evaluate_placements(piece_on_board, 0, settings.agents, settings.tables, records)
    count = int(records[0].count[0])
    codes, points = records[0].placements[:count].tolist(), records[0].points[:count].tolist()
    scores = dict(zip(codes, points, strict=True))
    return {Placement(*decode_location(code)): scores[code] for code in codes if scores[code] != WORST_POINTS}


def place_on_board(board: Board, piece: str) -> PieceOnBoard[Any]:
    rules = make_rules_record(Rules.parse(f"standard:height={len(board)}"))
    return PieceOnBoard(np.array(to_engine_board(board).columns, np.int32), rules, PIECES.index(piece))


def score_in_reference(board: Board, piece: str, agent: EngineAgent, terms: Terms) -> Scores:
    before = MeasuredBoard(board)
    return {
        placement: sum(
            list_points(
                before, piece, get_cells(piece, placement), agent.measures_after_clear, terms, agent.view_rows
            ).values()
        )
        for placement in find_drops(board, piece)
    }


def compare_scores(terms: FeatureTerms, seed: str, count: int) -> None:
    """Compare the points of all placements on random boards in scalar code, SIMD lanes and the reference."""
    random = Random(seed)
    integer_terms = quantise(terms)[0]
    settings = EngineSettings.from_agents([(terms, True)], Rules("standard"))
    for case in range(count):
        piece = PIECES[case % len(PIECES)]
        board = random_board(random, piece)
        agent = EngineAgent(terms, measures_after_clear=random.random() < 0.7, view_rows=random.choice(VIEWS))
        settings.agents[0].measures_after_clear = agent.measures_after_clear
        settings.agents[0].view_rows = agent.view_rows
        expected = score_in_reference(board, piece, agent, integer_terms)
        for score in (score_in_scalar_code, score_in_lanes):
            actual = score(place_on_board(board, piece), settings)
            description = f"{seed}, case {case}, {score.__name__}, view {agent.view_rows}, {piece} on\n{picture(board)}"
            assert actual == expected, description


def test_engine_and_reference_have_the_same_patterns() -> None:
    assert {name: pattern.size for name, pattern in PATTERNS.items()} == slow_patterns.TABLE_SIZES
    assert list(PATTERNS) == list(slow_patterns.PATTERNS)
    assert slow_patterns.FREE_ROWS_OF_VIEW == VIEW_FREE_ROWS


def test_number_of_places() -> None:
    """The largest score, and with it the scale of an agent, depends on it."""
    random = Random(5)
    boards = [random_board(random, "T") for _ in range(60)]
    full = [[column > 0 for column in range(WIDTH)] for _ in range(28)]
    for name, find_entries in slow_patterns.PATTERNS.items():
        counts = {len(find_entries(MeasuredBoard(board))) for board in [*boards, full]}
        assert max(counts) == PATTERNS[name].places


@pytest.mark.parametrize("name", PATTERNS)
def test_points_of_each_pattern_match_the_reference(name: str) -> None:
    compare_scores({name: make_table(name, 1)}, name, count=14)


def test_points_of_all_patterns_and_features_match_the_reference() -> None:
    compare_scores(make_tables(), "all patterns", count=20)
    table = {"holes": [0, -3, -7, -20], "max_height_change": list(range(57))}
    compare_scores({**DELLACHERIE, **table, **make_tables()}, "patterns and features", count=20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_points_of_many_boards_match_the_reference(seed: int) -> None:
    compare_scores({**DELLACHERIE, **make_tables(seed=seed)}, f"seed {seed}", count=2_000)


@pytest.mark.parametrize("rules_text", ["standard", "standard:height=7", "standard:height=28"])
def test_games_match_the_reference(rules_text: str) -> None:
    """Scalar code, SIMD lanes, lookahead and any movement play the games of the reference, with and without a view."""
    rules = Rules.parse(rules_text)
    names = ("column_tops", "row_cells", "hole_rows_and_free_rows")
    agents = [
        EngineAgent(make_tables()),
        EngineAgent({**DELLACHERIE, **make_tables(names)}, measures_after_clear=False),
        EngineAgent({**DELLACHERIE, **make_tables(names, 1)}, view_rows=6),
    ]
    settings = EngineSettings.from_agents(agents, rules, max_pieces=40)
    results = []
    for play in (play_pattern_drops, play_drops_scalar, play_any_movement, play_with_lookahead):
        games = make_games(len(agents), 3)
        games["agent"] = np.arange(len(agents))
        play(games, settings, UNLIMITED)
        results.append(games)
        assert games.tobytes() == results[0].tobytes()
    for number, agent in enumerate(agents):
        plan = Plan(quantise(agent.terms)[0], agent.measures_after_clear, view_rows=agent.view_rows)
        reference = Game.from_seed(to_slow_rules(rules), 3, number)
        while reference.pieces < 40 and not reference.is_over:
            reference.place(choose_in_game(reference, plan))
        assert results[0]["pieces"][number] == reference.pieces
        assert results[0]["board"][number].tolist() == list(to_engine_board(reference.board).columns)


def make_pattern_agent(random: Random, **options: Any) -> WeightedAgent:
    """Return an agent with a few patterns and features."""
    names = random.sample(["column_tops", "row_cells", "hole_rows_and_free_rows", "hole_rows_and_free_cells"], 2)
    terms: FeatureTerms = {name: make_table(name, random.randrange(100), 3) for name in names}
    weights = {"holes": -5, "lines": random.choice([-2, 1, 3]), "landing_height": random.choice([-1, 0, 1])}
    measured = random.choice(["after", "before"])
    return WeightedAgent("some", {**terms, **weights}, measured, view_rows=random.choice([0, 0, 5, 7]), **options)


@pytest.mark.parametrize(
    "rules", ["standard-10x10", "medico", "standard:height=8,movement=reach", "nes:height=8,start_level=15"]
)
def test_lookahead_matches_the_reference(rules: str) -> None:
    """The points of patterns are those of the last board of a variation, and their sum is the explained score."""
    random = Random(rules)
    for _ in range(2):
        compare(random, Rules.parse(rules), make_pattern_agent(random))
        beam = random.choice([0, 1, 4])
        compare(random, Rules.parse(rules).replace(preview=1), make_pattern_agent(random, depth=2, beam=beam))
    low = Rules.parse(rules).replace(height=6)
    compare(random, low, make_pattern_agent(random, expect=1))


def test_second_mode_has_tables_of_its_own() -> None:
    random = Random(8)
    low, high = (make_tables(["column_tops", "hole_rows_and_free_rows"], seed) for seed in (1, 2))
    both = WeightedAgent("both", low, view_rows=8, second_mode=SecondMode(high, threshold=60))
    singles = [WeightedAgent("single", terms, view_rows=8) for terms in (low, high)]
    modes = set()
    for _ in range(12):
        position: Position = make_random_position(random, Rules("standard"), 1)[2]
        is_high = position.board.measure_features()["aggregate_height"] >= 60
        modes.add(is_high)
        assert both.choose(position) == singles[is_high].choose(position)
        assert both.explain(position).candidates == singles[is_high].explain(position).candidates
    assert modes == {False, True}
