"""Modern features and the choices of agents that use them, against the slow reference."""

from random import Random

import pytest

from tests.game.test_modern_games import choose_placement, draw_rules, to_modern_rules, to_placement
from tests.reference.board import Board
from tests.reference.modern_features import ATTACK_FEATURES as SLOW_FEATURES, Outcome
from tests.reference.modern_game import ModernGame
from tests.reference.modern_search import ADDITIVE_MODERN_FEATURES, KnownState, make_outcome
from tetrion import Game, evaluate
from tetrion.agents import WeightedAgent
from tetrion.engine.bitboard import compute_heights
from tetrion.engine.features.attack_features import ATTACK_FEATURES, AttackOutcome
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import SPIN_KINDS
from tetrion.errors import AgentError


def test_each_feature_has_a_slow_double() -> None:
    assert list(ATTACK_FEATURES) == list(SLOW_FEATURES)
    assert [feature.number for feature in ATTACK_FEATURES.values()] == list(range(len(ATTACK_FEATURES)))
    assert {name for name, feature in ATTACK_FEATURES.items() if feature.is_additive} == ADDITIVE_MODERN_FEATURES


def to_columns(board: Board) -> tuple[int, ...]:
    """Return a slow board as columns of bits."""
    return tuple(sum(row[column] << number for number, row in enumerate(board)) for column in range(10))


def build_board(random: Random) -> Board:
    """Return a board whose rows are nearly full, so that T-slots and wells occur."""
    board = [[False] * 10 for _ in range(20)]
    for row in range(random.randrange(1, random.choice([4, 8, 19]))):
        gaps = random.sample(range(10), random.choice([1, 1, 2, 3]))
        start = random.randrange(8)
        gaps = random.choice([gaps, [start, start + 1, start + 2], [start + 1]])
        further = random.sample(range(10), random.choice([0, 0, 0, 1]))
        board[row] = [column not in (*gaps, *further) for column in range(10)]
    return board


def test_features_match_the_reference_on_random_boards() -> None:
    random = Random(5)
    totals = dict.fromkeys(ATTACK_FEATURES, 0)
    for _ in range(3000):
        board = build_board(random)
        piece, spin, lines = random.choice(PIECES), random.choice(SPIN_KINDS), random.randrange(5)
        counts = random.randrange(9), random.randrange(30)
        outcome = Outcome(board, 20, piece, spin, lines, *counts, random.random() < 0.5)
        columns = to_columns(board)
        fast = AttackOutcome(
            columns,  # type: ignore[arg-type]
            compute_heights(columns),  # type: ignore[arg-type]
            20,
            PIECES.index(piece),
            SPIN_KINDS.index(spin),
            lines,
            outcome.attack,
            outcome.combo,
            int(outcome.has_back_to_back),
        )
        for name, feature in ATTACK_FEATURES.items():
            value = feature.measure(fast)
            assert value == SLOW_FEATURES[name](outcome), (name, board)
            assert 0 <= value <= feature.max_value
            totals[name] += value
    assert [name for name, total in totals.items() if not total] == ["perfect_clear"]


@pytest.mark.parametrize("seed", range(12))
def test_agents_choose_the_best_placement(seed: int) -> None:
    """Of equal placements the first is chosen; small whole weights make ties."""
    random = Random(seed)
    rules = draw_rules(random).with_(game_over="entry")
    weights = {name: float(random.randrange(-3, 4)) for name in random.sample(list(ATTACK_FEATURES), 6)}
    agent = WeightedAgent("test", weights, rules=str(rules))
    game, slow = Game(rules, seed), ModernGame.from_seed(to_modern_rules(rules), seed, 0)
    while not slow.is_over and slow.pieces < 15:
        points = []
        for placement in slow.placements:
            outcome = make_outcome(KnownState.from_game(slow), placement, slow.rules)
            points.append(sum(weight * SLOW_FEATURES[name](outcome) for name, weight in weights.items()))
        expected = to_placement(slow.placements[points.index(max(points))], slow, rules)
        assert agent.choose(game.position) == expected
        choice = choose_placement(random, game.placements())
        slow.place(slow.placements[game.placements().index(choice)])
        game.place(choice)


def test_modern_features_need_modern_rules_and_weights() -> None:
    agent = WeightedAgent("test", {"attack": 1.0})
    with pytest.raises(AgentError, match="'attack' is for modern rules, such as guideline; given standard"):
        evaluate(agent, "standard", games=1)
    with pytest.raises(AgentError, match="'attack' needs a weight, not a table"):
        evaluate(WeightedAgent("test", {"attack": [1.0, 2.0]}), "guideline", games=1)
