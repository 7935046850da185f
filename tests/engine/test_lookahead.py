"""Tests of lookahead, second modes and explanations against the slow reference, which tries every variation."""

from random import Random
from typing import Any

import pytest

from tests.game.reference_comparison import to_engine_board, to_slow_placement, to_slow_rules
from tests.reference.features import FEATURES as SLOW_FEATURES
from tests.reference.random_boards import board_to_move_in
from tests.reference.search import BOARD_FEATURES_READ_AT_THE_END, Plan, choose_placement
from tetrion.agents import SecondMode, WeightedAgent, load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.agent_records import quantise
from tetrion.engine.batch_play import EngineSettings, make_games, play_with_lookahead
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import PositionError
from tetrion.game import Game
from tetrion.position import Position

RULES = (
    "standard",
    "standard-10x10",
    "gavrilov",
    "hindi",
    "tetrais",
    "medico",
    "standard:height=8,movement=reach",
    "gavrilov:height=6,hidden_rows=2,movement=reach,game_over=top-row",
    "hindi:height=6,game_over=above",
    "medico:height=8",
    "nes:height=8,start_level=15",
)


def make_random_agent(random: Random, **options: Any) -> WeightedAgent:
    """Return an agent with a few features of all kinds and small integer weights, so that there are ties."""
    names = random.sample(sorted(FEATURES), 6)
    weights: dict[str, Any] = {name: random.choice([-3, -2, -1, 1, 2]) for name in names}
    weights |= {"holes": -5, "lines": random.choice([-2, 1, 3]), "landing_height": random.choice([-1, 0, 1])}
    if random.random() < 0.3:
        weights["max_height"] = [random.randint(-9, 9) for _ in range(12)]
    weights.pop("chance", None)  # its values are so large that the other features would not matter
    return WeightedAgent("some", weights, random.choice(["after", "before"]), **options)


def make_random_position(random: Random, rules: Rules, piece_count: int) -> tuple[Any, str, Position]:
    """Return a board for the reference, the known pieces, and the position for the engine."""
    pieces = "".join(random.choice(PIECES) for _ in range(piece_count))
    board = board_to_move_in(random, rules.height + rules.hidden_rows, pieces[0])
    if rules.game_over == "top-row":  # with a cell in the top row the game would already be over
        board = [row if number < rules.height - 1 else [False] * 10 for number, row in enumerate(board)]
    return board, pieces, Position.from_board(to_engine_board(board), pieces[0], pieces[1:], rules)


def compare(random: Random, rules: Rules, agent: WeightedAgent) -> None:
    """Check that engine, explanation and reference choose the same placement in a random position."""
    board, pieces, position = make_random_position(random, rules, agent.depth)
    plan = Plan(
        quantise(agent.weights)[0],
        agent.measured == "after",
        agent.depth,
        bool(agent.expect),
        agent.beam,
        agent.view_rows,
    )
    slow = to_slow_rules(rules)
    expected = choose_placement(board, pieces, slow, int(slow.compute_gravity(rules.start_level, 0)), plan)
    description = f"{rules} {pieces} {agent}\n{position.board}"
    if expected is None:
        with pytest.raises(PositionError, match="game is over"):
            agent.choose(position)
        assert agent.explain(position).candidates == ()
        return
    assert to_slow_placement(agent.choose(position)) == expected, description
    best = agent.explain(position, max_candidates=1000).candidates[0]
    assert to_slow_placement(best.placement) == expected, description
    assert sum(best.contributions.values()) == pytest.approx(best.score)
    assert len(best.variation) <= agent.depth


@pytest.mark.parametrize("rules", RULES)
def test_depth_two_matches_the_reference(rules: str) -> None:
    random = Random(rules)
    for _ in range(4):
        beam = random.choice([0, 0, 0, 1, 4])
        compare(random, Rules.parse(rules).replace(preview=1), make_random_agent(random, depth=2, beam=beam))


@pytest.mark.parametrize("rules", ["standard:height=6", "medico:height=5"])
def test_expectation_matches_the_reference(rules: str) -> None:
    random = Random(rules)
    for _ in range(2):
        compare(random, Rules.parse(rules), make_random_agent(random, expect=1))
    compare(random, Rules.parse(rules).replace(preview=1), make_random_agent(random, depth=2, expect=1, beam=2))


@pytest.mark.parametrize("rules", ["standard:height=5", "medico:height=5"])
def test_depth_three_matches_the_reference(rules: str) -> None:
    random = Random(rules)
    compare(random, Rules.parse(rules).replace(preview=2), make_random_agent(random, depth=3))
    compare(random, Rules.parse(rules).replace(preview=2), make_random_agent(random, depth=3, beam=3))


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_many_positions_match_the_reference(rules: str) -> None:
    random = Random(rules + "many")
    for _ in range(60):
        compare(
            random,
            Rules.parse(rules).replace(preview=1),
            make_random_agent(random, depth=2, beam=random.choice([0, 3])),
        )
    for _ in range(5):
        compare(random, Rules.parse(rules), make_random_agent(random, expect=1))
        compare(random, Rules.parse(rules).replace(preview=2), make_random_agent(random, depth=3, beam=4))


def test_reference_has_the_same_board_features() -> None:
    assert set(SLOW_FEATURES) == set(FEATURES)
    board_features = {name for name, feature in FEATURES.items() if feature.kind == "board"}
    assert board_features == BOARD_FEATURES_READ_AT_THE_END


def test_second_mode_is_used_from_the_threshold_on() -> None:
    """Compare an agent with two modes with agents that have only one of them."""
    low, high = {"holes": -1.0, "max_height": -1.0}, {"lines": 1.0, "bumpiness": -2.0, "holes": -1.0}
    rules, random = Rules("standard"), Random(4)
    for threshold in (0, 40, 10**6):
        both = WeightedAgent("both", low, second_mode=SecondMode(high, "aggregate_height", threshold, ("low", "high")))
        for _ in range(10):
            _, _, position = make_random_position(random, rules, 1)
            is_high = position.board.measure_features()["aggregate_height"] >= threshold
            single = WeightedAgent("single", high if is_high else low)
            assert both.get_mode_name(position) == ("high" if is_high else "low")
            assert both.choose(position) == single.choose(position)
            assert both.explain(position).candidates == single.explain(position).candidates


def test_whole_games_equal_sequences_of_single_choices() -> None:
    for name, preset in (("medico", "medico"), ("hindi-look-2", "hindi"), ("tetrais-depth2", "tetrais")):
        agent, rules = load_weighted_agent(name), Rules(preset)
        assert isinstance(agent, WeightedAgent)
        games = make_games(1, 5)
        play_with_lookahead(games, EngineSettings.from_agents([make_engine_agent(agent)], rules, max_pieces=60), 10**9)
        game = Game(rules, 5)
        while game.pieces < 60 and not game.is_over:
            game.place(agent.choose(game.position))
        assert list(game.board.columns) == games["board"][0].tolist()
        assert game.lines == games["lines"][0]


def test_board_with_the_largest_number_of_placements() -> None:
    """On shelves one above the other, the placements fill the whole memory of a search."""
    rules = Rules.parse("gavrilov:height=24,hidden_rows=4,movement=reach,game_over=top-row,preview=1")
    shelves = [[(number % 2 == 0) and column % 9 != 0 for column in range(10)] for number in range(22)]
    board = shelves + [[False] * 10 for _ in range(6)]
    for piece in PIECES:
        position = Position.from_board(to_engine_board(board), piece, "I", rules)
        agent = WeightedAgent("some", {"piece_bottom": -1.0, "holes": -1.0, "turns": 1.0}, depth=2)
        assert agent.choose(position) == agent.explain(position).candidates[0].placement
        lowest = WeightedAgent("low", {"height_1": -1.0, "height_10": -1.0}, depth=2, beam=1000)
        assert lowest.choose(position) == lowest.explain(position).candidates[0].placement


def test_blocked_spawn_ends_the_game() -> None:
    """There are straight drops, but under these rules the game ends when a piece cannot spawn."""
    board = to_engine_board([[0 < column < 9 for column in range(10)] for _ in range(22)])
    for agent in (load_weighted_agent("lowest"), load_weighted_agent("tetrais-depth2")):
        position = Position.from_board(board, "T", "L", "tetrais")
        assert agent.explain(position).candidates == ()
        with pytest.raises(PositionError, match="game is over"):
            agent.choose(position)


def test_search_uses_the_current_speed_for_all_pieces() -> None:
    """The next level would leave less time, but a variation is searched with the speed of the first piece."""
    columns = (65535, 32767, 32767, 65535, 16383, 16383, 4095, 32767, 2047, 0)
    rules = Rules.parse("nes:preview=2,start_level=18")
    board = [[bool(column >> row & 1) for column in columns] for row in range(rules.rows)]
    position = Position.from_board(to_engine_board(board), "S", "IL", rules, lines=129)
    agent = load_weighted_agent("dellacherie:depth=3,beam=3")
    assert agent.explain(position).candidates[0].placement == agent.choose(position)
