"""Tests of agents with patterns: their files, explanations and options, and the record agents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.command_runner import tetrion_here
from tetrion import Game
from tetrion.agents import WeightedAgent, load_agent, load_weighted_agent, save_agent
from tetrion.engine.patterns import PATTERNS
from tetrion.errors import AgentError
from tetrion.evaluation import evaluate

NAME = "hole_rows_and_free_rows"
SIZE = PATTERNS[NAME].size


def make_agent(**options: Any) -> WeightedAgent:
    table = list(range(-SIZE // 2, SIZE - SIZE // 2))
    return WeightedAgent("some", {"holes": -0.25, NAME: table, "lines": [0, 1.5]}, **options)


def test_agent_is_saved_and_loaded(tmp_path: Path) -> None:
    agent = make_agent(view_rows=12, measured="before", depth=2)
    save_agent(agent, tmp_path / "some.json")
    assert load_agent(tmp_path / "some.json") == agent
    lines = (tmp_path / "some.json").read_text("utf-8").splitlines()
    assert len([line for line in lines if NAME in line]) == 1
    assert len(lines) < 30  # a table is one line


def test_largest_agent_fits_into_a_file(tmp_path: Path) -> None:
    """All patterns, with points of nine digits and a sign."""
    agent = WeightedAgent("large", {name: [-123_456_789] * pattern.size for name, pattern in PATTERNS.items()})
    save_agent(agent, tmp_path / "large.json")
    assert (tmp_path / "large.json").stat().st_size < 5_000_000
    assert load_agent(tmp_path / "large.json") == agent


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1] * (SIZE - 1), rf"'{NAME}' needs a table of {SIZE} numbers; given {SIZE - 1} numbers"),
        ([1] * (SIZE - 1) + [float("nan")], "must be a finite number; given nan"),
        ([1] * (SIZE - 1) + [2**63], None),
        (3.5, r"needs a table of 464 numbers; given 3\.5"),
        (np.zeros(SIZE - 1), "needs a table of 464 numbers; given 463 numbers"),
        (np.arange(SIZE), None),
    ],
)
def test_invalid_tables_are_rejected(table: Any, message: str | None) -> None:
    if message is None:
        assert WeightedAgent("some", {NAME: table}).weights[NAME] == list(table)
        return
    with pytest.raises(AgentError, match=message):
        WeightedAgent("some", {NAME: table})


@pytest.mark.parametrize(
    ("name", "rules", "lines", "columns"),
    [
        ("tetrion-1", "standard", [158, 158, 159], [7, 3, 3, 0, 0, 1, 1, 1, 0, 0]),
        ("tetrion-1-10x10", "standard-10x10", [107, 159, 158], [3, 7, 7, 1, 0, 1, 15, 7, 63, 127]),
    ],
)
def test_record_agents_play_known_games(name: str, rules: str, lines: list[int], columns: list[int]) -> None:
    result = evaluate(name, rules, games=3, seed=1, max_pieces=400, workers=1)
    assert result.per_game["lines"].tolist() == lines
    game, agent = Game(rules, 5), load_weighted_agent(name)
    while game.pieces < 100:
        game.place(agent.choose(game.position))
    assert list(game.board.columns) == columns


@pytest.mark.parametrize("options", ["", ":measured=before", ":depth=2", ":expect=1"])
def test_contributions_of_patterns_sum_to_the_score(options: str) -> None:
    agent = load_weighted_agent(f"tetrion-1{options}")
    game = Game("standard:preview=1", 3)
    for _ in range(60):
        game.place(agent.choose(game.position))
    for candidate in agent.explain(game.position).candidates:
        assert set(candidate.contributions) == set(PATTERNS)
        assert sum(candidate.contributions.values()) == pytest.approx(candidate.score)
    assert agent.explain(game.position).candidates[0].placement == agent.choose(game.position)


def test_explanation_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("#########.\n" * 7 + "####.#####\n", encoding="utf-8")
    for agent in ("tetrion-1", "tetrion-1-10x10"):
        shown = tetrion_here("explain", agent, "--piece", "I", "--board", str(tmp_path / "board.txt"))
        for name in PATTERNS:
            assert name.replace("_", " ") in shown.stdout.replace("_", " ")
        assert "→" not in shown.stdout
        assert "Each pattern: its contribution to the score. Patterns that differ" in shown.stdout
