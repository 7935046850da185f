"""Features of a person's own: compiled alone, the same everywhere, and refused where they cannot be."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import tetrion
from tetrion.agents import DataAgent, load
from tetrion.engine.board import Before, Situation, outcome, standing
from tetrion.engine.features.boards import bumpiness, max_height
from tetrion.engine.features.dellacherie import holes
from tetrion.engine.own import OWN_FEATURES, OwnFeature
from tetrion.engine.pieces import PIECES
from tetrion.engine.play import Setting, new_games, play_ahead, play_any, play_on_lanes, play_one_by_one
from tetrion.engine.registry import MOST_OWN
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError, UnknownNameError

WEIGHTS = {"holes": -4.0, "max_height": -1.0, "lines": 1.0}


@pytest.fixture(autouse=True)
def no_features_left() -> Iterator[None]:
    yield
    OWN_FEATURES.clear()


def own_bumpiness() -> OwnFeature:
    @tetrion.feature(largest=9 * 28)
    def bumps(o: tetrion.Outcome) -> int:
        """Bumpiness once more, with loops and branches."""
        found = 0
        for column in range(9):
            step = o.heights[column] - o.heights[column + 1]
            found += step if step > 0 else -step
        return found

    return bumps


def own_lines() -> OwnFeature:
    @tetrion.feature(largest=4, of="placement")
    def cleared(o: tetrion.Outcome) -> int:
        return o.lines

    return cleared


def games_of(agent: DataAgent, play: Any, rules: str, pieces: int) -> bytes:
    games, setting = new_games(6, 2), Setting.of([agent.compiled()], Rules.parse(rules), most_pieces=pieces)
    play(games, setting, 10**9)
    return bytes(games.tobytes())


@pytest.mark.parametrize("play", [play_on_lanes, play_one_by_one, play_any, play_ahead])
def test_the_same_games_as_with_the_feature_that_it_copies(play: Any) -> None:
    own_bumpiness()
    copied = DataAgent("copied", {**WEIGHTS, "bumps": -1.0})
    original = DataAgent("original", {**WEIGHTS, "bumpiness": -1.0})
    assert games_of(copied, play, "standard-10x10", 300) == games_of(original, play, "standard-10x10", 300)


def test_tables_changes_and_look_ahead() -> None:
    own_bumpiness()
    own_lines()

    @tetrion.feature(largest=300)
    def fewer_holes(o: tetrion.Outcome) -> int:
        return o.before.holes + 10

    table = [5.0, 3.0, 2.0, 0.0, -1.0, -4.0, -9.0]
    copied = DataAgent("copied", {"holes": -4.0, "bumps": table, "cleared": 3.0}, depth=2)
    original = DataAgent("original", {"holes": -4.0, "bumpiness": table, "lines": 3.0}, depth=2)
    assert games_of(copied, play_ahead, "medico", 40) == games_of(original, play_ahead, "medico", 40)
    assert DataAgent("before", {"fewer_holes": 1.0, **WEIGHTS}).choose(tetrion.Position.of(tetrion.Board(), "T"))


def number_of(o: tetrion.Outcome) -> int:
    """All that an outcome tells, each at a place of its own."""
    total = o.cells + 3 * o.rows + 5 * o.piece + 7 * o.turns + 11 * o.left + 13 * o.bottom + 17 * o.top
    total += 19 * o.lines + 23 * o.full + o.wall + 29 * o.before.max_height + 31 * o.before.bumpiness
    total += 37 * o.before.holes
    for column in range(10):
        total += (o.columns[column] + 41 * o.landed[column] + 43 * o.heights[column]) * (column + 1)
    return total % 1_000_003


@pytest.mark.parametrize("rules", ["standard", "medico", "gavrilov:movement=reach"])
@pytest.mark.parametrize("measured", ["after", "before"])
def test_every_number_of_an_outcome_arrives(rules: str, measured: str) -> None:
    """What the engine hands over is what the outcome is in plain Python."""
    tetrion.feature(largest=1_000_003)(number_of)
    agent, chosen, random = DataAgent("numbers", {"number_of": 1}, measured), Rules.parse(rules), Random(rules)
    for _ in range(5):
        piece = random.choice(PIECES)
        columns = (*(random.getrandbits(7) & random.getrandbits(7) for _ in range(9)), 0)
        position = tetrion.Position.of(tetrion.Board(columns, 20), piece, rules=chosen)
        board = np.array(columns, np.int32)
        now = standing(board, chosen.rows)
        before = Before(int(max_height(now)), int(bumpiness(now)), int(holes(now)))
        here = Situation(board, np.array([*now.heights, *[0] * 16]), chosen.rows, int(now.cells), before)
        for candidate in agent.explain(position, 1000).candidates:
            place = candidate.placement
            plain = outcome(here, measured == "after", place.orientation, place.column, place.row)
            assert candidate.values["number_of"] == number_of(plain), candidate.placement


def test_the_same_numbers_on_every_way() -> None:
    tetrion.feature(largest=1_000_003)(number_of)
    agent = DataAgent("numbers", {"number_of": 1})
    kept = [games_of(agent, play, "standard", 100) for play in (play_on_lanes, play_one_by_one, play_any, play_ahead)]
    assert kept[0] == kept[1] == kept[2] == kept[3]


def test_only_placements_that_are_possible_are_measured() -> None:
    """A feature may look where the piece lies; beyond the wall there is nothing to look at."""

    @tetrion.feature(largest=28)
    def height_under_the_piece(o: tetrion.Outcome) -> int:
        column = 0
        while o.landed[column] == 0:
            column += 1
        return o.heights[o.left] if column == o.left else 28

    agent = DataAgent("careful", {"height_under_the_piece": -1.0, "holes": -2.0})
    kept = [games_of(agent, play, "standard-10x10", 100) for play in (play_on_lanes, play_one_by_one, play_any)]
    assert kept[0] == kept[1] == kept[2]
    agent.check_features()
    assert games_of(agent, play_any, "medico", 60)
    agent.check_features()


def test_a_feature_that_fails_only_now_and_then() -> None:
    """It passes the trial, and the game says so instead of going on with whatever was there before."""

    @tetrion.feature(largest=10)
    def rarely_fails(o: tetrion.Outcome) -> int:
        if o.rows == 20 and o.cells == 12 and o.before.max_height <= 3:
            raise ValueError("three pieces")
        return 0

    agent = DataAgent("rare", {"rarely_fails": 1.0, "holes": -1.0})
    with pytest.raises(AgentError, match="'rarely_fails' failed during a game"):
        tetrion.evaluate(agent, "standard", games=4, most_pieces=50)


def refused(function: Any, message: str, largest: int = 10) -> None:
    tetrion.feature(largest=largest)(function)
    with pytest.raises(AgentError, match=message):
        DataAgent("it", {function.__name__: 1}).setting(Rules())


def test_what_cannot_play() -> None:
    def too_large(o: tetrion.Outcome) -> int:
        return o.cells

    def negative(o: tetrion.Outcome) -> int:
        return -o.cells

    def a_float(o: tetrion.Outcome) -> float:
        return o.cells / 100

    def nothing_there(o: tetrion.Outcome) -> int:
        return o.colour  # type: ignore[attr-defined, no-any-return]

    def divides(o: tetrion.Outcome) -> int:
        return 1 // o.lines

    def looks_beyond(o: tetrion.Outcome) -> int:
        if o.cells > 3:
            raise ValueError("cannot count so far")
        return 1

    def of_another_kind(o: tetrion.Outcome) -> int:
        if o.cells > 3:
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
        tetrion.feature(largest=largest)


def test_slips_of_the_pen() -> None:
    with pytest.raises(AgentError, match="largest=10"):
        tetrion.feature(own_lines)
    with pytest.raises(AgentError, match="is a function"):
        tetrion.feature(largest=5)(5)  # type: ignore[arg-type]

    def two_arguments(o: tetrion.Outcome, other: int) -> int:
        return other

    refused(two_arguments, "'two_arguments' fails: TypeError")


def test_names_and_numbers() -> None:
    with pytest.raises(UnknownNameError, match="kind of feature"):
        tetrion.feature(largest=3, of="boards")

    def holes(o: tetrion.Outcome) -> int:
        return 0

    with pytest.raises(AgentError, match="There is a feature 'holes' already"):
        tetrion.feature(largest=3)(holes)
    for number in range(MOST_OWN + 1):
        tetrion.feature(largest=3)(_named(f"own_{number}"))
    with pytest.raises(AgentError, match=f"room for {MOST_OWN}"):
        DataAgent("many", {f"own_{number}": 1 for number in range(MOST_OWN + 1)})


def _named(name: str) -> Any:
    def function(o: tetrion.Outcome) -> int:
        return o.lines

    function.__name__ = name
    return function


def test_an_agent_with_features_of_its_own_is_not_written_without_them(tmp_path: Path) -> None:
    own_lines()
    with pytest.raises(AgentError, match="by hand"):
        tetrion.save(DataAgent("own", {"cleared": 1}), tmp_path / "own.json")


def test_an_agent_keeps_the_feature_that_it_was_made_with() -> None:
    own_lines()
    agent = DataAgent("first", {"cleared": 1})
    own_lines()
    assert agent.features["cleared"] is not OWN_FEATURES["cleared"]


def test_in_a_file(tmp_path: Path) -> None:
    content = {"format": 1, "kind": "linear", "features": "mine.py", "weights": {"gaps": -1}}
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(AgentError, match=r"agent.json: .*there is no .*mine.py"):
        load(file)
    for text, message in (
        ("x = 1", "has no feature"),
        ("x = ", "SyntaxError"),
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("import sys\nsys.exit()", "SystemExit"),
        ("import tetrion\n@tetrion.feature(largest=0)\ndef gaps(o): return 0", "largest value"),
    ):
        (tmp_path / "mine.py").write_text(text, encoding="utf-8")
        with pytest.raises(TetrionError, match=message):
            load(file)
    text = "import tetrion\n@tetrion.feature(largest=280)\ndef gaps(o):\n    return sum(o.heights) - o.cells\n"
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    agent = load(file)
    assert isinstance(agent, DataAgent)
    position = tetrion.Position.of(tetrion.Board(), "Z")
    assert agent.choose(position) == DataAgent("same", {"holes": -1}).choose(position)
    assert agent.explain(position).candidates[0].values == {"gaps": 1}
