"""Tests of custom features: identical values in all play functions, and messages for invalid ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numba
import numpy as np
import pytest

import tetrion
from tetrion.agents import WeightedAgent, load_agent
from tetrion.agents.stepped_game import step_game
from tetrion.agents.weighted_agent import get_agent_settings, make_engine_agent, raise_feature_errors
from tetrion.engine.batch_play import (
    EngineSettings,
    make_games,
    play_any_movement,
    play_drops_scalar,
    play_drops_simd,
    play_with_lookahead,
)
from tetrion.engine.bitboard import BoardBefore, FeaturesBefore, compute_outcome, make_board_outcome
from tetrion.engine.custom_features import CUSTOM_FEATURES, CustomFeature
from tetrion.engine.feature_registry import MAX_CUSTOM_FEATURES
from tetrion.engine.features.board_features import bumpiness, max_height
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError, UnknownNameError

WEIGHTS = {"holes": -4.0, "max_height": -1.0, "lines": 1.0}


@pytest.fixture(autouse=True)
def remove_custom_features() -> Iterator[None]:
    yield
    CUSTOM_FEATURES.clear()


def define_bumpiness() -> CustomFeature:
    @tetrion.feature(max_value=9 * 28)
    def bumps(o: tetrion.Outcome) -> int:
        """A copy of bumpiness with loops and branches."""
        total = 0
        for column in range(9):
            step = o.heights[column] - o.heights[column + 1]
            total += step if step > 0 else -step
        return total

    return bumps


def define_lines() -> CustomFeature:
    @tetrion.feature(max_value=4, kind="placement")
    def cleared(o: tetrion.Outcome) -> int:
        return o.lines

    return cleared


def play_games(agent: WeightedAgent, play: Any, rules: str, pieces: int) -> bytes:
    """Return the records of six games as bytes."""
    games = make_games(6, 2)
    play(games, EngineSettings.from_agents([make_engine_agent(agent)], Rules.parse(rules), max_pieces=pieces), 10**9)
    return bytes(games.tobytes())


def test_tables_changes_and_lookahead() -> None:
    define_bumpiness()
    define_lines()

    @tetrion.feature(max_value=300)
    def fewer_holes(o: tetrion.Outcome) -> int:
        return o.before.holes + 10

    table = [5.0, 3.0, 2.0, 0.0, -1.0, -4.0, -9.0]
    copied = WeightedAgent("copied", {"holes": -4.0, "bumps": table, "cleared": 3.0}, depth=2)
    original = WeightedAgent("original", {"holes": -4.0, "bumpiness": table, "lines": 3.0}, depth=2)
    assert play_games(copied, play_with_lookahead, "medico", 40) == play_games(
        original, play_with_lookahead, "medico", 40
    )
    assert WeightedAgent("before", {"fewer_holes": 1.0, **WEIGHTS}).choose(
        tetrion.Position.from_board(tetrion.Board(), "T")
    )


def outcome_hash(o: tetrion.Outcome) -> int:
    """A hash of all numbers of an outcome."""
    total = o.filled_cells + 3 * o.rows + 5 * o.piece + 7 * o.quarter_turns + 11 * o.left + 13 * o.bottom + 17 * o.top
    total += 19 * o.lines + 23 * o.full_rows + o.wall + 29 * o.before.max_height + 31 * o.before.bumpiness
    total += 37 * o.before.holes
    for column in range(10):
        total += (o.columns[column] + 41 * o.piece_columns[column] + 43 * o.heights[column]) * (column + 1)
    return total % 1_000_003


def test_all_numbers_of_an_outcome_are_passed() -> None:
    """Compare the values of the engine with those computed in Python, and the games of all functions."""
    tetrion.feature(max_value=1_000_003)(outcome_hash)
    random = Random(1)
    for number in range(12):
        rules = Rules.parse(["standard", "medico", "gavrilov:movement=reach"][number % 3])
        measured = ["after", "before"][number % 2]
        agent = WeightedAgent("numbers", {"outcome_hash": 1}, measured)
        piece = random.choice(PIECES)
        columns = (*(random.getrandbits(7) & random.getrandbits(7) for _ in range(9)), 0)
        position = tetrion.Position.from_board(tetrion.Board(columns, 20), piece, rules=rules)
        board = np.array(columns, np.int32)
        current = make_board_outcome(board, rules.rows)
        features = FeaturesBefore(int(max_height(current)), int(bumpiness(current)), int(holes(current)))
        heights = np.array([*current.heights, *[0] * 16])
        before = BoardBefore(board, heights, rules.rows, int(current.filled_cells), features)
        for candidate in agent.explain(position, 1000).candidates:
            placement = candidate.placement
            outcome = compute_outcome(
                before, measured == "after", placement.orientation, placement.column, placement.row
            )
            assert candidate.values["outcome_hash"] == outcome_hash(outcome), placement
    results = [
        play_games(agent, play, "standard", 100)
        for play in (play_drops_simd, play_drops_scalar, play_any_movement, play_with_lookahead)
    ]
    assert results[0] == results[1] == results[2] == results[3]


def test_only_possible_placements_are_measured() -> None:
    """A feature may read the columns of the piece, which do not exist for lanes beyond the wall."""

    @tetrion.feature(max_value=28)
    def height_under_the_piece(o: tetrion.Outcome) -> int:
        column = 0
        while o.piece_columns[column] == 0:
            column += 1
        return o.heights[o.left] if column == o.left else 28

    agent = WeightedAgent("careful", {"height_under_the_piece": -1.0, "holes": -2.0})
    results = [
        play_games(agent, play, "standard-10x10", 100)
        for play in (play_drops_simd, play_drops_scalar, play_any_movement)
    ]
    assert results[0] == results[1] == results[2]
    raise_feature_errors(agent)
    assert play_games(agent, play_any_movement, "medico", 60)
    raise_feature_errors(agent)


def test_failure_during_a_game_is_reported_everywhere() -> None:
    """An index out of range that occurs only in games is not evaluated as arbitrary memory."""

    @tetrion.feature(max_value=10)
    def rarely_out_of_range(o: tetrion.Outcome) -> int:
        values = np.zeros(10, np.int64)
        is_rare = o.rows == 20 and o.filled_cells == 12 and o.before.max_height <= 3
        return int(values[10**9 if is_rare else 0])

    agent = WeightedAgent("rare", {"rarely_out_of_range": 1.0, "max_height": -10.0})
    message = "'rarely_out_of_range' failed during a game, for example because of an index out of range"
    position = tetrion.Position.from_board(tetrion.Board((3, 3, 3, 3, 0, 0, 0, 0, 0, 0), 20), "O")
    games = [tetrion.Game(seed=1, rules="standard") for _ in range(2)]
    with agent.start_player() as player:
        for action in (
            lambda: tetrion.evaluate(agent, "standard", games=4, max_pieces=50, workers=2),
            lambda: games[0].play(agent, 20),
            lambda: list(step_game(player, games[1], 20)),  # as `watch` plays
            lambda: agent.choose(position),
            lambda: agent.explain(position),
        ):
            with pytest.raises(AgentError, match=message):
                action()
            rarely_out_of_range._failure_flag[0] = 0


def test_features_with_helpers_and_tables_play_identical_games() -> None:
    """Two identical evaluations are identical, on any number of threads."""
    define_bumpiness()

    @tetrion.feature(max_value=9 * 28)
    def copied_bumps(o: tetrion.Outcome) -> int:
        heights = np.array(o.heights)
        total = 0
        for column in LEFT_COLUMNS:
            total += compute_step_compiled(heights, column)
        return total

    results = [
        tetrion.evaluate(
            WeightedAgent("helpers", {**WEIGHTS, name: -1.0}),
            "standard-10x10",
            games=60,
            max_pieces=200,
            workers=workers,
        ).per_game.tobytes()
        for name, workers in (("bumps", 1), ("copied_bumps", 1), ("copied_bumps", 1), ("copied_bumps", 3))
    ]
    assert results == results[:1] * 4


LEFT_COLUMNS = np.arange(9)


def compute_step(heights: Any, column: int) -> Any:
    return abs(heights[column] - heights[column + 1])


compute_step_compiled = numba.njit(compute_step)


def check_rejection(function: Any, message: str) -> None:
    tetrion.feature(max_value=10)(function)
    with pytest.raises(AgentError, match=message):
        get_agent_settings(WeightedAgent("invalid", {function.__name__: 1}), Rules())


def test_invalid_features_are_rejected() -> None:
    def too_large(o: tetrion.Outcome) -> int:
        return o.filled_cells

    def fractional(o: tetrion.Outcome) -> float:
        return o.filled_cells / 100

    def out_of_range_in_helper(o: tetrion.Outcome) -> int:
        return int(compute_step_compiled(np.array(o.heights), 10**9) % 3)

    def changes_table(o: tetrion.Outcome) -> int:
        LEFT_COLUMNS[0] += 1
        return int(LEFT_COLUMNS[0]) % 3

    def too_many_bits(o: tetrion.Outcome) -> int:
        return (o.filled_cells + 1) * 10**18 % 7

    def sometimes_none(o: tetrion.Outcome) -> int | None:
        return 1 if o.rows < 30 else None

    def misspelled(o: Any) -> Any:
        return max(o.heigths)

    check_rejection(out_of_range_in_helper, "'out_of_range_in_helper' failed: IndexError: index .*is out of bounds")
    check_rejection(changes_table, r"'changes_table' cannot be compiled.*a global array is constant.*table\.copy\(\)")
    check_rejection(too_many_bits, "'too_many_bits' returns . in compiled code, but . in Python, .*64 bits")
    check_rejection(sometimes_none, "'sometimes_none' must return a whole number in every case")
    check_rejection(too_large, "from 0 to 10.*Increase max_value")
    check_rejection(fractional, "whole number")
    check_rejection(misspelled, r"'misspelled' cannot be compiled\. Unknown attribute 'heigths'\. .* 'heights'\?$")


@pytest.mark.parametrize("max_value", [0, 2.5, True, 2**31])
def test_invalid_max_values_are_rejected(max_value: Any) -> None:
    with pytest.raises(AgentError, match="max_value of a feature must be a whole number"):
        tetrion.feature(max_value=max_value)


def test_kind_name_and_number_of_features_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="kind of feature"):
        tetrion.feature(max_value=3, kind="boards")

    def holes(o: tetrion.Outcome) -> int:
        return 0

    with pytest.raises(AgentError, match="A feature named 'holes' already exists"):
        tetrion.feature(max_value=3)(holes)
    for number in range(MAX_CUSTOM_FEATURES + 1):
        tetrion.feature(max_value=3)(make_function(f"custom_{number}"))
    with pytest.raises(AgentError, match=f"at most {MAX_CUSTOM_FEATURES} custom features"):
        WeightedAgent("many", {f"custom_{number}": 1 for number in range(MAX_CUSTOM_FEATURES + 1)})


def make_function(name: str) -> Any:
    def function(o: tetrion.Outcome) -> int:
        return o.lines

    function.__name__ = name
    return function


def test_agent_with_custom_features_cannot_be_saved(tmp_path: Path) -> None:
    define_lines()
    with pytest.raises(AgentError, match="in an editor"):
        tetrion.save_agent(WeightedAgent("own", {"cleared": 1}), tmp_path / "own.json")


def test_agent_file_with_a_feature_file(tmp_path: Path) -> None:
    content = {"format": 1, "kind": "linear", "features": "mine.py", "weights": {"gaps": -1}}
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(AgentError, match=r"agent.json: .*mine.py, which does not exist"):
        load_agent(file, allow_code=True)
    for text, message in (
        ("x = 1", "defines no feature"),
        ("x = ", "SyntaxError"),
        ("import missing_module", "ModuleNotFoundError"),
        ("import sys\nsys.exit()", "SystemExit"),
        ("import tetrion\n@tetrion.feature(max_value=0)\ndef gaps(o): return 0", "max_value of a feature"),
    ):
        (tmp_path / "mine.py").write_text(text, encoding="utf-8")
        with pytest.raises(TetrionError, match=message):
            load_agent(file, allow_code=True)
    text = "import tetrion\n@tetrion.feature(max_value=280)\ndef gaps(o):\n    return sum(o.heights) - o.filled_cells\n"
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    agent = load_agent(file, allow_code=True)
    assert isinstance(agent, WeightedAgent)
    position = tetrion.Position.from_board(tetrion.Board(), "Z")
    assert agent.choose(position) == WeightedAgent("same", {"holes": -1}).choose(position)
    assert agent.explain(position).candidates[0].values == {"gaps": 1}
