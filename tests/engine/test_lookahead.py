"""Looking ahead, modes and explanations against the slow reference that tries every line of play."""

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from game.reference_comparison import fast_board, seen, slow_rules
from reference.features import FEATURES as SLOW_FEATURES
from reference.lookahead import BOARD_FEATURES_READ_AT_THE_END, Plan, choose_ahead
from reference.random_boards import board_to_move_in
from tetrion.agents import SecondMode, WeightedAgent, load_weighted_agent
from tetrion.engine.agent_records import CompiledAgent, quantise
from tetrion.engine.batch_play import (
    EngineSettings,
    make_games,
    play_any_movement,
    play_drops_simd,
    play_with_lookahead,
)
from tetrion.engine.features import FEATURES
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, PositionError, TetrionError
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


def random_agent(random: Random, **options: Any) -> WeightedAgent:
    """A few features of every kind with small whole weights, so that there are ties."""
    names = random.sample(sorted(FEATURES), 6)
    weights: dict[str, Any] = {name: random.choice([-3, -2, -1, 1, 2]) for name in names}
    weights |= {"holes": -5, "lines": random.choice([-2, 1, 3]), "landing_height": random.choice([-1, 0, 1])}
    if random.random() < 0.3:
        weights["max_height"] = [random.randint(-9, 9) for _ in range(12)]
    weights.pop("chance", None)  # its size would drown the others
    return WeightedAgent("some", weights, random.choice(["after", "before"]), **options)


def random_position(random: Random, rules: Rules, known: int) -> tuple[Any, str, Position]:
    """The slow board, the known pieces, and the same for the engine."""
    pieces = "".join(random.choice(PIECES) for _ in range(known))
    board = board_to_move_in(random, rules.height + rules.hidden_rows, pieces[0])
    if rules.game_over == "top-row":  # the game would be over already
        board = [row if number < rules.height - 1 else [False] * 10 for number, row in enumerate(board)]
    return board, pieces, Position.from_board(fast_board(board), pieces[0], pieces[1:], rules)


def compare(random: Random, rules: Rules, agent: WeightedAgent) -> None:
    """Engine, explanation and reference choose the same."""
    board, pieces, position = random_position(random, rules, agent.depth)
    plan = Plan(quantise(agent.weights)[0], agent.measured == "after", agent.depth, bool(agent.expect), agent.beam)
    slow = slow_rules(rules)
    expected = choose_ahead(board, pieces, slow, slow.frames_per_row(rules.start_level, 0), plan)
    about = f"{rules} {pieces} {agent}\n{position.board}"
    if expected is None:
        with pytest.raises(PositionError, match="game is over"):
            agent.choose(position)
        assert agent.explain(position).candidates == ()
        return
    assert seen(agent.choose(position)) == expected, about
    explained = agent.explain(position, max_candidates=1000)
    assert seen(explained.candidates[0].placement) == expected, about
    best = explained.candidates[0]
    assert sum(best.contributions.values()) == pytest.approx(best.score)
    assert len(best.variation) <= agent.depth


@pytest.mark.parametrize("rules", RULES)
def test_two_pieces(rules: str) -> None:
    random = Random(rules)
    for _ in range(6):
        beam = random.choice([0, 0, 0, 1, 4])
        compare(random, Rules.parse(rules).with_(preview=1), random_agent(random, depth=2, beam=beam))


@pytest.mark.parametrize("rules", ["standard:height=6", "hindi:height=5", "medico:height=6"])
def test_the_seven_pieces_that_may_come(rules: str) -> None:
    random = Random(rules)
    for _ in range(3):
        compare(random, Rules.parse(rules), random_agent(random, expect=1))
    compare(random, Rules.parse(rules).with_(preview=1), random_agent(random, depth=2, expect=1, beam=2))


@pytest.mark.parametrize("rules", ["standard:height=5", "gavrilov:height=5", "medico:height=6"])
def test_three_pieces(rules: str) -> None:
    random = Random(rules)
    compare(random, Rules.parse(rules).with_(preview=2), random_agent(random, depth=3))
    compare(random, Rules.parse(rules).with_(preview=2), random_agent(random, depth=3, beam=3))


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_many_positions(rules: str) -> None:
    random = Random(rules + "many")
    for _ in range(60):
        compare(random, Rules.parse(rules).with_(preview=1), random_agent(random, depth=2, beam=random.choice([0, 3])))
    for _ in range(5):
        compare(random, Rules.parse(rules), random_agent(random, expect=1))
        compare(random, Rules.parse(rules).with_(preview=2), random_agent(random, depth=3, beam=4))


def test_reference_knows_what_adds_up() -> None:
    assert set(SLOW_FEATURES) == set(FEATURES)
    at_the_end = {name for name, feature in FEATURES.items() if feature.kind == "board"}
    assert at_the_end == BOARD_FEATURES_READ_AT_THE_END


def test_one_piece_is_the_same_by_every_way() -> None:
    rules, agent = Rules.from_preset("standard-10x10"), load_weighted_agent("du").compile()
    played = []
    for way in (play_drops_simd, play_any_movement, play_with_lookahead):
        games = make_games(20, 3)
        way(games, EngineSettings.from_agents([agent], rules), 10**9)
        played.append(games[["lines", "pieces", "board", "clears"]].tobytes())
    assert played[0] == played[1] == played[2]


def test_modes() -> None:
    """From the threshold on an agent plays exactly as one that has the second mode alone."""
    low, high = {"holes": -1.0, "max_height": -1.0}, {"lines": 1.0, "bumpiness": -2.0, "holes": -1.0}
    rules, random = Rules.from_preset("standard"), Random(4)
    for threshold in (0, 40, 10**6):
        both = WeightedAgent("both", low, second_mode=SecondMode(high, "aggregate_height", threshold, ("low", "high")))
        for _ in range(10):
            _, _, position = random_position(random, rules, 1)
            is_high = position.board.measure_features()["aggregate_height"] >= threshold
            alone = WeightedAgent("alone", high if is_high else low)
            assert both.get_mode_name(position) == ("high" if is_high else "low")
            assert both.choose(position) == alone.choose(position)
            assert both.explain(position).candidates == alone.explain(position).candidates


def test_whole_games_look_ahead_as_single_choices_do() -> None:
    """The engine's games are those that come from asking for one choice after another."""
    for name, rules in (("medico", "medico"), ("hindi-look-2", "hindi"), ("tetrais-depth2", "tetrais")):
        agent, chosen = load_weighted_agent(name), Rules.from_preset(rules)
        assert isinstance(agent, WeightedAgent)
        games, setting = make_games(1, 5), EngineSettings.from_agents([agent.compile()], chosen, max_pieces=60)
        play_with_lookahead(games, setting, 10**9)
        game = Game(chosen, 5)
        while game.pieces < 60 and not game.is_over:
            game.place(agent.choose(game.position))
        assert list(game.board.columns) == games["board"][0].tolist()
        assert game.lines == games["lines"][0]


def test_mixed_agents_play_as_alone() -> None:
    rules = Rules.from_preset("tetrais").with_(preview=1)
    agents = [load_weighted_agent(name).compile() for name in ("du", "medico", "tetrais-depth2")]
    together = EngineSettings.from_agents(agents, rules, max_pieces=80)
    games = np.concatenate([make_games(2, 1, agent=number) for number in range(3)])
    play_with_lookahead(games, together, 10**9)
    for number, agent in enumerate(agents):
        alone = make_games(2, 1)
        play_with_lookahead(alone, EngineSettings.from_agents([agent], rules, max_pieces=80), 10**9)
        assert games["board"][2 * number : 2 * number + 2].tolist() == alone["board"].tolist()


def test_depth_beyond_the_preview() -> None:
    with pytest.raises(AgentError, match=r"Use standard:preview=1"):
        EngineSettings.from_agents([CompiledAgent({"holes": -1.0}, depth=2)], Rules.from_preset("standard"))
    with pytest.raises(PositionError, match="Give the next pieces"):
        load_weighted_agent("tetrais-depth2").choose(
            Position.from_board(fast_board([[False] * 10] * 22), "T", rules="tetrais")
        )


@pytest.mark.parametrize("options", [{"depth": 0}, {"depth": 4}, {"expect": 2}, {"beam": -1}, {"depth": "2"}])
def test_impossible_options(options: dict[str, Any]) -> None:
    with pytest.raises(AgentError, match="whole number from"):
        WeightedAgent("some", {"holes": -1}, **options)


def test_options_in_the_name() -> None:
    agent = load_weighted_agent("dellacherie:depth=2,beam=4")
    assert isinstance(agent, WeightedAgent)
    assert (agent.name, agent.depth, agent.beam) == ("dellacherie:depth=2,beam=4", 2, 4)
    assert replace(agent, name="dellacherie", depth=1, beam=0) == load_weighted_agent("dellacherie")
    for wrong in ("du:deep=2", "du:depth=x", "du:depth", "du:threshold=3", "du:depth=2,", "random-keys:depth=2"):
        with pytest.raises(TetrionError):
            load_weighted_agent(wrong)


def test_a_board_with_more_places_than_any_game_has() -> None:
    """Shelves one above the other, each with places on it: listing all of them needs its whole room."""
    rules = Rules.parse("gavrilov:height=24,hidden_rows=4,movement=reach,game_over=top-row,preview=1")
    shelves = [[(number % 2 == 0) and column % 9 != 0 for column in range(10)] for number in range(22)]
    board = shelves + [[False] * 10 for _ in range(6)]
    for piece in PIECES:
        position = Position.from_board(fast_board(board), piece, "I", rules)
        agent = WeightedAgent("some", {"piece_bottom": -1.0, "holes": -1.0, "turns": 1.0}, depth=2)
        assert agent.choose(position) == agent.explain(position).candidates[0].placement
        lowest = WeightedAgent("low", {"height_1": -1.0, "height_10": -1.0}, depth=2, beam=1000)
        assert lowest.choose(position) == lowest.explain(position).candidates[0].placement


def test_a_piece_that_cannot_enter() -> None:
    """Under straight drops there would be places, but the rules end the game first."""
    board = fast_board([[0 < column < 9 for column in range(10)] for _ in range(22)])
    for agent in (load_weighted_agent("lowest"), load_weighted_agent("tetrais-depth2")):
        position = Position.from_board(board, "T", "L", "tetrais")
        assert agent.explain(position).candidates == ()
        with pytest.raises(PositionError, match="game is over"):
            agent.choose(position)


def test_the_speed_of_the_first_piece_holds_for_the_line() -> None:
    """The next level would leave less time, but a line of play is looked at with the speed of now."""
    columns = (65535, 32767, 32767, 65535, 16383, 16383, 4095, 32767, 2047, 0)
    rules = Rules.parse("nes:preview=2,start_level=18")
    position = Position.from_board(fast_board(_rows(columns, rules)), "S", "IL", rules, lines=129)
    agent = load_weighted_agent("dellacherie:depth=3,beam=3")
    assert agent.explain(position).candidates[0].placement == agent.choose(position)


def _rows(columns: tuple[int, ...], rules: Rules) -> list[list[bool]]:
    return [[bool(column >> row & 1) for column in columns] for row in range(rules.rows)]
