"""Features of a person's own: compiled alone, the same everywhere, and refused where they cannot be."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import tetrion
from tetrion.agents import WeightedAgent, load_agent
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
def no_features_left() -> Iterator[None]:
    yield
    CUSTOM_FEATURES.clear()


def own_bumpiness() -> CustomFeature:
    @tetrion.feature(max_value=9 * 28)
    def bumps(o: tetrion.Outcome) -> int:
        """Bumpiness once more, with loops and branches."""
        found = 0
        for column in range(9):
            step = o.heights[column] - o.heights[column + 1]
            found += step if step > 0 else -step
        return found

    return bumps


def own_lines() -> CustomFeature:
    @tetrion.feature(max_value=4, kind="placement")
    def cleared(o: tetrion.Outcome) -> int:
        return o.lines

    return cleared


def games_of(agent: WeightedAgent, play: Any, rules: str, pieces: int) -> bytes:
    games, setting = (
        make_games(6, 2),
        EngineSettings.from_agents([agent.compile()], Rules.parse(rules), max_pieces=pieces),
    )
    play(games, setting, 10**9)
    return bytes(games.tobytes())


@pytest.mark.parametrize("play", [play_drops_simd, play_drops_scalar, play_any_movement, play_with_lookahead])
def test_the_same_games_as_with_the_feature_that_it_copies(play: Any) -> None:
    own_bumpiness()
    copied = WeightedAgent("copied", {**WEIGHTS, "bumps": -1.0})
    original = WeightedAgent("original", {**WEIGHTS, "bumpiness": -1.0})
    assert games_of(copied, play, "standard-10x10", 300) == games_of(original, play, "standard-10x10", 300)


def test_tables_changes_and_look_ahead() -> None:
    own_bumpiness()
    own_lines()

    @tetrion.feature(max_value=300)
    def fewer_holes(o: tetrion.Outcome) -> int:
        return o.before.holes + 10

    table = [5.0, 3.0, 2.0, 0.0, -1.0, -4.0, -9.0]
    copied = WeightedAgent("copied", {"holes": -4.0, "bumps": table, "cleared": 3.0}, depth=2)
    original = WeightedAgent("original", {"holes": -4.0, "bumpiness": table, "lines": 3.0}, depth=2)
    assert games_of(copied, play_with_lookahead, "medico", 40) == games_of(original, play_with_lookahead, "medico", 40)
    assert WeightedAgent("before", {"fewer_holes": 1.0, **WEIGHTS}).choose(
        tetrion.Position.from_board(tetrion.Board(), "T")
    )


def number_of(o: tetrion.Outcome) -> int:
    """All that an outcome tells, each at a place of its own."""
    total = o.filled_cells + 3 * o.rows + 5 * o.piece + 7 * o.quarter_turns + 11 * o.left + 13 * o.bottom + 17 * o.top
    total += 19 * o.lines + 23 * o.full_rows + o.wall + 29 * o.before.max_height + 31 * o.before.bumpiness
    total += 37 * o.before.holes
    for column in range(10):
        total += (o.columns[column] + 41 * o.piece_columns[column] + 43 * o.heights[column]) * (column + 1)
    return total % 1_000_003


@pytest.mark.parametrize("rules", ["standard", "medico", "gavrilov:movement=reach"])
@pytest.mark.parametrize("measured", ["after", "before"])
def test_every_number_of_an_outcome_arrives(rules: str, measured: str) -> None:
    """What the engine hands over is what the outcome is in plain Python."""
    tetrion.feature(max_value=1_000_003)(number_of)
    agent = WeightedAgent("numbers", {"number_of": 1}, measured)
    chosen = Rules.parse(rules)
    random = Random(rules)
    for _ in range(5):
        piece = random.choice(PIECES)
        columns = (*(random.getrandbits(7) & random.getrandbits(7) for _ in range(9)), 0)
        position = tetrion.Position.from_board(tetrion.Board(columns, 20), piece, rules=chosen)
        board = np.array(columns, np.int32)
        now = make_board_outcome(board, chosen.rows)
        before = FeaturesBefore(int(max_height(now)), int(bumpiness(now)), int(holes(now)))
        here = BoardBefore(board, np.array([*now.heights, *[0] * 16]), chosen.rows, int(now.filled_cells), before)
        for candidate in agent.explain(position, 1000).candidates:
            place = candidate.placement
            plain = compute_outcome(here, measured == "after", place.orientation, place.column, place.row)
            assert candidate.values["number_of"] == number_of(plain), candidate.placement


def test_the_same_numbers_on_every_way() -> None:
    tetrion.feature(max_value=1_000_003)(number_of)
    agent = WeightedAgent("numbers", {"number_of": 1})
    kept = [
        games_of(agent, play, "standard", 100)
        for play in (play_drops_simd, play_drops_scalar, play_any_movement, play_with_lookahead)
    ]
    assert kept[0] == kept[1] == kept[2] == kept[3]


def test_only_placements_that_are_possible_are_measured() -> None:
    """A feature may look where the piece lies; beyond the wall there is nothing to look at."""

    @tetrion.feature(max_value=28)
    def height_under_the_piece(o: tetrion.Outcome) -> int:
        column = 0
        while o.piece_columns[column] == 0:
            column += 1
        return o.heights[o.left] if column == o.left else 28

    agent = WeightedAgent("careful", {"height_under_the_piece": -1.0, "holes": -2.0})
    kept = [
        games_of(agent, play, "standard-10x10", 100) for play in (play_drops_simd, play_drops_scalar, play_any_movement)
    ]
    assert kept[0] == kept[1] == kept[2]
    agent.raise_feature_errors()
    assert games_of(agent, play_any_movement, "medico", 60)
    agent.raise_feature_errors()


def test_a_feature_that_fails_only_now_and_then() -> None:
    """It passes the trial, and the game says so instead of going on with whatever was there before."""

    @tetrion.feature(max_value=10)
    def rarely_fails(o: tetrion.Outcome) -> int:
        if o.rows == 20 and o.filled_cells == 12 and o.before.max_height <= 3:
            raise ValueError("three pieces")
        return 0

    agent = WeightedAgent("rare", {"rarely_fails": 1.0, "holes": -1.0})
    with pytest.raises(AgentError, match="'rarely_fails' failed during a game"):
        tetrion.evaluate(agent, "standard", games=4, max_pieces=50)


def refused(function: Any, message: str, largest: int = 10) -> None:
    tetrion.feature(max_value=largest)(function)
    with pytest.raises(AgentError, match=message):
        WeightedAgent("it", {function.__name__: 1}).get_engine_settings(Rules())


def test_what_cannot_play() -> None:
    def too_large(o: tetrion.Outcome) -> int:
        return o.filled_cells

    def negative(o: tetrion.Outcome) -> int:
        return -o.filled_cells

    def a_float(o: tetrion.Outcome) -> float:
        return o.filled_cells / 100

    def nothing_there(o: tetrion.Outcome) -> int:
        return o.colour  # type: ignore[attr-defined, no-any-return]

    def divides(o: tetrion.Outcome) -> int:
        return 1 // o.lines

    def looks_beyond(o: tetrion.Outcome) -> int:
        if o.filled_cells > 3:
            raise ValueError("cannot count so far")
        return 1

    def of_another_kind(o: tetrion.Outcome) -> int:
        if o.filled_cells > 3:
            raise RuntimeError("no reason")
        return 1

    refused(of_another_kind, "'of_another_kind' fails: RuntimeError: no reason")
    refused(too_large, "from 0 to 10.*Raise `largest`")
    refused(negative, "from 0 to 10")
    refused(a_float, "whole number")
    refused(nothing_there, "'nothing_there' cannot be compiled: Unknown attribute 'colour'")
    refused(divides, "'divides' fails: ZeroDivisionError")
    refused(looks_beyond, "'looks_beyond' fails: ValueError: cannot count so far")


@pytest.mark.parametrize("largest", [0, -1, 2.5, "9", True, 2**31])
def test_a_largest_value_that_cannot_be(largest: Any) -> None:
    with pytest.raises(AgentError, match="largest value"):
        tetrion.feature(max_value=largest)


def test_slips_of_the_pen() -> None:
    with pytest.raises(AgentError, match="largest=10"):
        tetrion.feature(own_lines)
    with pytest.raises(AgentError, match="is a function"):
        tetrion.feature(max_value=5)(5)  # type: ignore[arg-type]

    def two_arguments(o: tetrion.Outcome, other: int) -> int:
        return other

    refused(two_arguments, "'two_arguments' fails: TypeError")


def test_names_and_numbers() -> None:
    with pytest.raises(UnknownNameError, match="kind of feature"):
        tetrion.feature(max_value=3, kind="boards")

    def holes(o: tetrion.Outcome) -> int:
        return 0

    with pytest.raises(AgentError, match="There is a feature 'holes' already"):
        tetrion.feature(max_value=3)(holes)
    for number in range(MAX_CUSTOM_FEATURES + 1):
        tetrion.feature(max_value=3)(_named(f"own_{number}"))
    with pytest.raises(AgentError, match=f"room for {MAX_CUSTOM_FEATURES}"):
        WeightedAgent("many", {f"own_{number}": 1 for number in range(MAX_CUSTOM_FEATURES + 1)})


def _named(name: str) -> Any:
    def function(o: tetrion.Outcome) -> int:
        return o.lines

    function.__name__ = name
    return function


def test_an_agent_with_features_of_its_own_is_not_written_without_them(tmp_path: Path) -> None:
    own_lines()
    with pytest.raises(AgentError, match="by hand"):
        tetrion.save_agent(WeightedAgent("own", {"cleared": 1}), tmp_path / "own.json")


def test_an_agent_keeps_the_feature_that_it_was_made_with() -> None:
    own_lines()
    agent = WeightedAgent("first", {"cleared": 1})
    own_lines()
    assert agent.features["cleared"] is not CUSTOM_FEATURES["cleared"]


def test_in_a_file(tmp_path: Path) -> None:
    content = {"format": 1, "kind": "linear", "features": "mine.py", "weights": {"gaps": -1}}
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(AgentError, match=r"agent.json: .*there is no .*mine.py"):
        load_agent(file)
    for text, message in (
        ("x = 1", "has no feature"),
        ("x = ", "SyntaxError"),
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("import sys\nsys.exit()", "SystemExit"),
        ("import tetrion\n@tetrion.feature(largest=0)\ndef gaps(o): return 0", "largest value"),
    ):
        (tmp_path / "mine.py").write_text(text, encoding="utf-8")
        with pytest.raises(TetrionError, match=message):
            load_agent(file)
    text = "import tetrion\n@tetrion.feature(largest=280)\ndef gaps(o):\n    return sum(o.heights) - o.cells\n"
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    agent = load_agent(file)
    assert isinstance(agent, WeightedAgent)
    position = tetrion.Position.from_board(tetrion.Board(), "Z")
    assert agent.choose(position) == WeightedAgent("same", {"holes": -1}).choose(position)
    assert agent.explain(position).candidates[0].values == {"gaps": 1}
