"""Agents in modern games: their choice, its explanation and its review know hold and spins."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tetrion.agents import load_weighted_agent
from tetrion.agents.placement_ranking import PlacementRanking
from tetrion.board import Board
from tetrion.evaluation.replay_review import iterate_steps, review_replay
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay

GARBAGE_RULES = "guideline:garbage_rows=2,garbage_interval=4,garbage_messiness=50"
MODERN_RULES = ("guideline:hold=0", "tetrio:preview=1", "standard:hold=1,preview=2", GARBAGE_RULES)


def generate_positions(rules: str, seed: int = 0, count: int = 30) -> Iterator[Position]:
    """Yield the positions of games of an agent that often makes a random placement."""
    agent = load_weighted_agent("dellacherie")
    choice = random.Random(seed)
    game = Game(rules, seed)
    for number in range(count):
        if game.is_over:
            game = Game(rules, seed, number)
        yield game.position
        placement = choice.choice(game.placements()) if choice.random() < 0.4 else agent.choose(game.position)
        game.place(placement)


@pytest.mark.parametrize("rules", MODERN_RULES)
@pytest.mark.parametrize("name", ["dellacherie", "dellacherie:depth=2", "modern-1", "modern-1:depth=2,beam=9"])
def test_the_first_candidate_is_the_choice(rules: str, name: str) -> None:
    agent = load_weighted_agent(name)
    for position in generate_positions(rules):
        explanation = agent.explain(position, 3)
        assert explanation.candidates[0].placement == agent.choose(position)
        assert explanation.placement_count == len(position.placements())
        for candidate in explanation.candidates:
            after = position
            for placement in candidate.variation:
                after = after.after(placement)  # raises an error if it is not legal


def test_the_ranking_has_every_placement_with_hold_and_spins() -> None:
    agent = load_weighted_agent("dellacherie")
    position = Position.from_board(
        Board.from_text(["##........", "#...######", "##.#######"], 28), "T", "IOLJS", "guideline", hold="S"
    )
    placements = [variation.placement for variation in PlacementRanking(agent, position).variations]
    assert set(placements) == set(position.placements())
    in_slot = [placement for placement in placements if placement.rotation == 2 and placement.row == 0]
    assert [placement.spin for placement in in_slot] == ["full"]
    records = agent.explain(position, 1000).to_records()
    assert {record["hold"] for record in records} == {False, True}
    assert "full" in {record["spin"] for record in records}


def test_explanations_do_not_depend_on_earlier_attack_or_on_garbage() -> None:
    agent = load_weighted_agent("modern-1")
    board = Board.from_text(["#.........", *["#########."] * 4], 28)
    position = Position.from_board(board, "I", "TOLJS", "tetrio")
    later = replace(position, attack=50, sent=40, garbage_height=4)
    records = agent.explain(position, 1000).to_records()
    assert any(record["attack_value"] for record in records)
    assert agent.explain(later, 1000).to_records() == records


def test_an_agent_prefers_any_placement_that_survives() -> None:
    """A placement that ends the game is chosen only if all do, also with hold."""
    rows = ["###.###.##", "####.####.", "##.#######", *["#########.", ".#########"] * 9]
    position = Position.from_board(Board.from_text(rows[:20], 28), "Z", "IOT", "guideline", hold="O")
    agent = load_weighted_agent("dellacherie")
    variations = PlacementRanking(agent, position).variations
    survivors = [variation.placement for variation in variations if variation.survives]
    assert survivors
    assert agent.choose(position) in survivors


@pytest.mark.parametrize("agent", ["dellacherie:depth=2", "lee:depth=3", "modern-1:depth=2"])
def test_variations_end_where_the_next_piece_cannot_spawn(agent: str) -> None:
    """Hold cannot save a piece that cannot spawn, so that no placement follows."""
    low_rows = ["##..#.#...", "##..#####.", "##..#####.", "##..######", *["###.######"] * 14]
    board = Board.from_text(["......#...", "....#.#...", *low_rows], 28)
    position = Position.from_board(board, "S", "ZJTSZ", "guideline", hold="Z", combo=2)
    explanation = load_weighted_agent(agent).explain(position, 100)
    for candidate in explanation.candidates:
        reached = position
        for placement in candidate.variation:
            assert placement in reached.placements()
            reached = reached.after(placement)
    assert explanation.candidates[0].placement == load_weighted_agent(agent).choose(position)


@pytest.mark.parametrize("rules", ["guideline", GARBAGE_RULES])
def test_an_agent_agrees_with_its_own_game(rules: str) -> None:
    agent = load_weighted_agent("dellacherie")
    game = Game(rules, seed=3)
    positions = []
    for _ in range(40):
        positions.append(game.position)
        game.place(agent.choose(game.position))
    replay = Replay.from_game(game, agent.name)
    assert any(placement.hold for placement in replay.placements)
    assert [step.before for step in iterate_steps(replay)] == positions
    review = review_replay(replay, agent)
    assert review.best_move_share == 1
    assert {move.verdict for move in review.moves} == {"listed"}
