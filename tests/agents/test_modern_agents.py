"""Agents in modern games: their choice, its explanation and its review know hold and spins."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tetrion.agents import load_weighted_agent
from tetrion.agents.agent import find_key_steps
from tetrion.agents.placement_ranking import PlacementRanking, list_sequences
from tetrion.agents.python_agent.agent_process import (
    decode_message,
    encode_message,
    placement_from_json,
    placement_to_json,
    position_from_json,
    position_to_json,
)
from tetrion.board import Board
from tetrion.engine.features.attack_features import ATTACK_FEATURES
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


@pytest.mark.parametrize("name", ["modern-1", "modern-1:depth=3,beam=20"])
def test_features_have_the_order_of_the_weights(name: str) -> None:
    agent = load_weighted_agent(name)
    position = Position.from_board(Board(rows=28), "L", "IOSZJ", "guideline", hold="T")
    candidate = agent.explain(position, 1).candidates[0]
    modern = [name for name in agent.weights if name in ATTACK_FEATURES]
    assert len(modern) > 5
    for numbers in (candidate.contributions, candidate.values):
        assert [name for name in numbers if name in ATTACK_FEATURES] == modern


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


def test_sequences_of_pieces_with_hold() -> None:
    position = Position.from_board(Board(rows=28), "T", "IO", "guideline", hold="S")
    assert [sequence.pieces for sequence in list_sequences(position, 2)] == ["TI", "TS", "SI", "ST"]
    empty = replace(position, hold="")
    assert [sequence.pieces for sequence in list_sequences(empty, 2)] == ["TI", "TO", "IO", "IT"]
    used = replace(position, can_hold=False)
    assert [sequence.pieces for sequence in list_sequences(used, 2)] == ["TI", "TS"]


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


def test_reviews_of_games_by_keys() -> None:
    game = Game(GARBAGE_RULES, seed=3)
    game.play("random-keys", 10)
    replay = Replay.from_game(game, "random-keys")
    assert any(placement.hold for placement in replay.placements)
    steps = list(iterate_steps(replay))
    assert all(step.placement in step.before.placements() for step in steps)
    assert len(review_replay(replay, load_weighted_agent("dellacherie")).scored_moves) >= len(steps) - 1


@pytest.mark.parametrize("rules", ["guideline", "jstris", "tetrio"])
def test_keys_of_a_decision_end_where_it_places(rules: str) -> None:
    choice = random.Random(0)
    for position in generate_positions(rules, count=10):
        for placement in choice.sample(position.placements(), 5):
            steps = find_key_steps(position, placement)
            assert (steps[0].key == "hold") == placement.hold if steps else not placement.hold
            if steps and steps[-1].piece is not None:
                assert replace(steps[-1].piece, spin=placement.spin, hold=placement.hold) == placement


@pytest.mark.parametrize("rules", MODERN_RULES)
def test_positions_and_placements_as_messages(rules: str) -> None:
    for position in generate_positions(rules, count=12):
        message = decode_message(encode_message({"position": position_to_json(position)}))
        assert position_from_json(message["position"]) == position
        for placement in position.placements()[::7]:
            assert placement_from_json(placement_to_json(placement)) == placement
