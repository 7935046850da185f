"""Named agents: they play as their publication describes, and can be saved."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion import Board, Position, evaluate
from tetrion.agents import AGENTS, RandomKeysAgent, WeightedAgent, load_agent, load_weighted_agent, save_agent
from tetrion.agents.named.becker_agents import BECKER_CURVES, BECKER_WEIGHTS
from tetrion.errors import TetrionError


@pytest.mark.parametrize("name", AGENTS)
def test_agent_plays_by_its_own_rules(name: str) -> None:
    agent = AGENTS[name]
    assert agent.name == name
    assert agent.family
    assert agent.source
    result = evaluate(agent, agent.rules, games=2, max_pieces=25)
    assert result.pieces.min > 5


@pytest.mark.parametrize("name", [name for name in AGENTS if name != "random-keys"])
def test_saved_agent_loads_again(name: str, tmp_path: Path) -> None:
    save_agent(load_weighted_agent(name), tmp_path / "saved.json")
    assert load_agent(tmp_path / "saved.json") == AGENTS[name]


def test_becker_score_of_the_board_in_the_slides() -> None:
    """The board has the heights of the slides, 3 5 5 5 6 6 5 4 4 5, with three holes so that no row is full."""
    becker = load_weighted_agent("becker")
    columns = [(1 << height) - 1 for height in (3, 5, 5, 5, 6, 6, 5, 4, 4, 5)]
    columns[0], columns[8] = 0b100, 0b1011
    position = Position.from_board(Board(tuple(columns), 20), "O", rules="becker")
    best = becker.explain(position).candidates[0]
    after = position.after(best.placement).board.measure_features()
    expected = sum(weight * BECKER_CURVES[name](after[name]) for name, weight in BECKER_WEIGHTS.items())
    assert best.score == pytest.approx(expected, abs=1e-6)
    assert all(0 <= points <= BECKER_WEIGHTS[name] for name, points in best.contributions.items())


def test_gavrilov_score_by_hand() -> None:
    """An upright I in a well of depth four: its top is row 16 of 20, counted from the top and 0; four rows are full."""
    board = Board((15,) * 9 + (0,), 24)
    position = Position.from_board(board, "I", rules="gavrilov")
    candidates = load_weighted_agent("gavrilov-4").explain(position, 100).candidates
    well = next(c for c in candidates if {column for column, _ in c.placement.cells} == {9})
    assert well.values == {"piece_top": 20, "holes": 0, "bumpiness": 0, "lines": 4}  # counted with the four hidden rows
    assert candidates[0] == well
    assert well.score == 20 + 4


def measure_hindi_score(row: int, measured: str, games: int) -> float:
    """Return the mean score of the agent of a row of Table I in games of 500 pieces."""
    records = evaluate(f"hindi-{row}:measured={measured}", "hindi", games, seed=1, max_pieces=500).per_game
    return float(records["score"].mean())


@pytest.mark.slow
def test_hindi_agents_have_the_order_of_table_one() -> None:
    """The paper has the scores 73,800 · 26,260 · 103,220 · 69,240; rows 1 and 4 differ only over many games."""
    first, fourth = measure_hindi_score(1, "before", 40_000), measure_hindi_score(4, "before", 40_000)
    assert 1 < first / fourth < 1.01
    assert measure_hindi_score(3, "before", 4000) > 2 * first > 4 * measure_hindi_score(2, "before", 4000)


def test_random_agent_chooses_all_placements_equally_often() -> None:
    random = load_weighted_agent("random")
    generator = np.random.default_rng(1)
    counts: dict[tuple[int, int], int] = {}
    for _ in range(1700):
        heights = generator.integers(0, 8, 10)
        columns = tuple((1 << int(height)) - 1 for height in heights)
        if all(heights):
            columns = (0, *columns[1:])  # no row is full
        placement = random.choose(Position.from_board(Board(columns, 20), "I"))
        counts[placement.rotation, placement.column] = counts.get((placement.rotation, placement.column), 0) + 1
    assert len(counts) == 17
    chi_squared = sum((count - 100) ** 2 / 100 for count in counts.values())
    assert chi_squared < 39.25  # 99.9 % quantile for 16 degrees of freedom


def test_random_keys_games_are_reproducible() -> None:
    keys = load_agent("random-keys")
    assert isinstance(keys, RandomKeysAgent)
    first, again, other = (evaluate("random-keys", "gavrilov", 3, seed=seed, max_pieces=40) for seed in (1, 1, 2))
    assert first.per_game.tobytes() == again.per_game.tobytes() != other.per_game.tobytes()


def test_medico_switches_modes() -> None:
    medico = load_weighted_agent("medico")
    low = Position.from_board(Board((0b11,) * 9 + (0,), 20), "T", "L", "medico")
    high = Position.from_board(Board((0b111111111111,) * 9 + (0,), 20), "T", "L", "medico")
    assert (medico.get_mode_name(low), medico.get_mode_name(high)) == ("scoring", "recovery")
    assert medico.explain(high).mode == "recovery"
    assert "last_column_cells" in medico.explain(low).candidates[0].contributions
    assert "last_column_cells" not in medico.explain(high).candidates[0].contributions


def test_min_height_agent_uses_the_leftmost_lowest_column() -> None:
    def choose(piece: str, *heights: int) -> tuple[int, int]:
        board = Board(tuple((1 << height) - 1 for height in heights), 22)
        placement = load_weighted_agent("min-height").choose(Position.from_board(board, piece, "L", "tetrais"))
        return placement.rotation, placement.column

    assert choose("T", 3, 2, 4, 0, 0, 5, 6, 0, 2, 2) == (0, 3)
    assert choose("I", 3, 2, 4, 1, 1, 5, 6, 1, 2, 0) == (1, 9)  # rotated because of the wall
    assert choose("O", 3, 2, 4, 1, 1, 5, 6, 1, 2, 0) == (0, 8)  # as close as the wall allows


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": ""},
        {"weights": 5},
        {"second_mode": 5},
        {"rules": "nonsense"},
    ],
)
def test_invalid_agent_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(TetrionError):
        WeightedAgent(**{"name": "mine", "weights": {"holes": -1}, **arguments})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("du:expect=yes", "as in du:expect=1"),
        ("du:depth=2,depth=3", "occurs twice"),
    ],
)
def test_invalid_names_and_options(name: str, message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        load_agent(name)
