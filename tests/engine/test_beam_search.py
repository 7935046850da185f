"""The beam search of agents with attack features, and its layers, against the slow reference."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.engine.test_attack import build_board
from tests.game.reference_comparison import (
    make_random_modern_rules,
    to_engine_board,
    to_slow_board,
    to_slow_placement,
    to_slow_rules,
)
from tests.game.test_games import choose_placement
from tests.reference.features import ATTACK_FEATURES
from tests.reference.game import Game as SlowGame
from tests.reference.search import KnownState, Plan, make_outcome, search_paths
from tetrion import Game, Placement, evaluate
from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, PositionError
from tetrion.position import Position

PRESETS = ("guideline", "jstris", "tetrio")
WEAK_HASH_PROGRAM = """
from tetrion.engine import beam_search

beam_search._HASH_MULTIPLIER = 0  # every state has the hash 0
from tetrion import Game
game = Game("guideline", seed=3)
game.play("modern-1:depth=3,beam=30", 40)
print(game.placements_made)
"""
OTHER_FEATURES = ("holes", "landing_height", "aggregate_height", "eroded_cells", "bumpiness")
OPTIONS: dict[str, list[Any]] = {
    "hold": [0, 1, 1],
    "spins": ["none", "t", "all-mini", "all"],
    "attack": ["libtetris", "guideline", "jstris", "tetrio", "tetrio-s1"],
    "game_over": ["entry", "lock-out", "top-row", "room"],
    "height": [6, 8],
    "hidden_rows": [3, 4],
    "garbage_rows": [0, 2],
    "preview": [1, 2, 4],
}


def draw_position(random: Random, preset: str) -> Position:
    """Return a random position of a low board, on which T-slots, clears and the end of the game are near."""
    rules = Rules.parse(preset).replace(**{name: random.choice(values) for name, values in OPTIONS.items()})
    board = build_board(random)[: random.randrange(rules.height + 1)]
    pieces = "".join(random.choice(PIECES + "TI") for _ in range(rules.preview + 1))
    position = Position.from_board(
        to_engine_board(board + [[False] * 10] * (rules.rows - len(board))),
        pieces[0],
        pieces[1:],
        rules,
        hold=random.choice(["", random.choice(PIECES)]) if rules.hold else "",
        combo=random.choice([0, 0, 2]),
        back_to_back=random.choice([0, 1, 6]),
    )
    garbage = random.choice([(), ((2, 0),), ((1, 0), (3, 1))])
    return replace(position, can_hold=bool(rules.hold and random.random() < 0.8), garbage=garbage)


def to_known_state(position: Position) -> KnownState:
    pieces = (position.piece or "") + position.next
    hold = position.hold, position.can_hold
    return KnownState(to_slow_board(position.board), pieces, *hold, position.combo, position.back_to_back)


def draw_weights(random: Random) -> dict[str, int]:
    """Return small whole weights, which make ties."""
    names = [*random.sample(list(ATTACK_FEATURES), 6), *random.sample(OTHER_FEATURES, 2)]
    return {name: random.randrange(-3, 4) for name in names}


def compare_choice(random: Random, preset: str, depth: int, beam: int) -> int:
    """Compare the choice and the value of the best variation; return the number of its placements."""
    position = draw_position(random, preset)
    while not position.can_spawn:
        position = draw_position(random, preset)
    depth = min(depth, position.rules.preview + 1 + position.rules.hold)
    weights = draw_weights(random)
    agent = WeightedAgent("test", {name: float(weight) for name, weight in weights.items()}, depth=depth, beam=beam)
    paths = search_paths(to_known_state(position), to_slow_rules(position.rules), Plan(weights, depth=depth, beam=beam))
    if not paths:
        with pytest.raises(PositionError, match="The game is over"):
            agent.choose(position)
        return 0
    assert to_slow_placement(agent.choose(position)) == paths[0].placements[0], str(position)
    best = agent.explain(position, 1).candidates[0]
    assert (best.placement, best.score) == (agent.choose(position), paths[0].value)
    assert len(best.variation) == len(paths[0].placements)
    assert depth > 1
    return len(best.variation)


@pytest.mark.parametrize("seed", range(3))
def test_one_piece_is_searched_completely(seed: int) -> None:
    """Ties, which small whole weights make, go to the first placement."""
    random = Random(seed)
    rules = make_random_modern_rules(random).replace(game_over="entry")
    weights = {name: float(random.randrange(-3, 4)) for name in random.sample(list(ATTACK_FEATURES), 6)}
    agent = WeightedAgent("test", weights, rules=str(rules))
    game, slow = Game(rules, seed), SlowGame.from_seed(to_slow_rules(rules), seed)
    while not slow.is_over and slow.pieces < 15:
        points = []
        for placement in slow.placements:
            outcome = make_outcome(KnownState.from_game(slow), placement, slow.rules)
            points.append(sum(weight * ATTACK_FEATURES[name](outcome) for name, weight in weights.items()))
        expected = list(slow.placements)[points.index(max(points))]
        assert to_slow_placement(agent.choose(game.position)) == expected
        choice = choose_placement(random, slow)
        game.place(game.placements()[list(slow.placements).index(choice)])
        slow.place(choice)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(1))
def test_two_pieces_are_searched_completely(preset: str, seed: int) -> None:
    compare_choice(Random(seed), preset, depth=2, beam=0)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(2))
def test_a_beam_keeps_the_best_states_of_each_layer(preset: str, seed: int) -> None:
    random = Random(100 + seed)
    compare_choice(random, preset, depth=random.choice([2, 3, 4, 6]), beam=random.choice([1, 2, 3, 6]))


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_many_positions_are_searched_as_in_the_reference(preset: str) -> None:
    random = Random(7)
    lengths = {compare_choice(random, preset, 2, 0) for _ in range(15)}
    lengths |= {compare_choice(random, preset, random.randrange(2, 7), random.randrange(1, 12)) for _ in range(60)}
    assert lengths >= {1, 2, 3, 4}


def test_the_variations_of_all_placements() -> None:
    """Every placement has its own best variation, whose value is the sum of its contributions."""
    random = Random(3)
    weights = {"attack": 3, "holes": -2, "landing_height": -1, "t_slots_ready": 2, "combo": 1}
    agent = WeightedAgent("test", {name: float(weight) for name, weight in weights.items()}, depth=2)
    position = draw_position(random, "guideline")
    paths = search_paths(to_known_state(position), to_slow_rules(position.rules), Plan(weights, depth=2))
    by_slow_placement = {to_slow_placement(placement): placement for placement in position.placements()}
    best = dict[Placement, int]()
    for path in paths:
        first = by_slow_placement[path.placements[0]]
        best[first] = max(best.get(first, path.value), path.value)
    candidates = agent.explain(position, 1000).candidates
    scores = {candidate.placement: candidate.score for candidate in candidates if candidate.survives}
    assert scores.items() >= best.items()  # the reference merges states that several placements lead to
    assert [candidate.score for candidate in candidates if candidate.survives] == sorted(scores.values(), reverse=True)


def test_the_last_known_piece_is_the_one_in_the_hold_box() -> None:
    """With an unknown current piece, the held one can still be placed; more pieces are not known."""
    agent = load_weighted_agent("modern-1:depth=7,beam=3")
    game = Game("guideline", seed=2)
    for _ in range(12):
        variation = agent.explain(game.position, 1).candidates[0].variation
        position = game.position
        known = f"{position.piece}{position.next}{position.hold}"
        assert sorted(placement.piece for placement in variation) == sorted(known)
        assert variation[0] == agent.choose(game.position)
        game.place(variation[0])


def test_an_agent_plays_as_it_chooses() -> None:
    agent = load_weighted_agent("modern-1:depth=3,beam=8")
    game = Game("jstris:garbage_rows=1,garbage_interval=6", seed=5)
    placements = list[Placement]()
    while not game.is_over and len(placements) < 60:
        placements.append(agent.choose(game.position))
        game.place(placements[-1])
    played = Game("jstris:garbage_rows=1,garbage_interval=6", seed=5)
    played.play(agent, 60)
    assert played.placements_made == placements


@pytest.mark.slow  # compiles the search again
def test_states_with_equal_hashes_are_not_merged(tmp_path: Path) -> None:
    game = Game("guideline", seed=3)
    game.play("modern-1:depth=3,beam=30", 40)
    environment = os.environ | {"TETRION_CACHE_DIR": str(tmp_path)}
    program = [sys.executable, "-c", WEAK_HASH_PROGRAM]
    done = subprocess.run(program, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout == f"{game.placements_made}\n"


def test_unsuitable_searches_get_helpful_errors() -> None:
    def play(rules: str, **options: Any) -> None:
        evaluate(WeightedAgent("test", {"attack": 1.0}, **options), rules, games=1)

    with pytest.raises(AgentError, match=r"depth=3 needs a beam.* Use, for example, beam=50"):
        play("guideline", depth=3)
    with pytest.raises(AgentError, match=r"depth=8 needs 8 known pieces; guideline shows 7: .* Use depth=7"):
        play("guideline", depth=8, beam=5)
    with pytest.raises(AgentError, match=r"depth=3 needs 3 known pieces; guideline:preview=1,.*hold=0 shows 2"):
        play("guideline:hold=0,preview=1", depth=3, beam=5)
    with pytest.raises(AgentError, match="search known pieces only; given expect=1"):
        play("guideline", expect=1)
    with pytest.raises(AgentError, match=r"depth must be a whole number from 1 to 3; given 4"):
        WeightedAgent("test", {"holes": -1.0}, depth=4)
    position = Position.from_board(Game("guideline").board, "T", "I", "guideline")
    agent = load_weighted_agent("modern-1:depth=4,beam=2")
    with pytest.raises(PositionError, match="depth=4 needs 4 known pieces, but only 2 are known"):
        agent.choose(position)
    assert agent.choose(replace(position, next="IO", hold="S")) in replace(position, next="IO", hold="S").placements()
