"""Drops judged by their neighbourhood: the same games as by looking at whole boards, and as the slow reference's."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from game.comparison import filled_cells, slow_rules
from reference.ahead import Plan
from reference.ahead import choose_ahead as slow_choice_ahead
from reference.boards import random_board
from reference.games import choose as slow_choice
from tetrion import Board
from tetrion.agents import DataAgent, data_agent, zoo
from tetrion.engine.agents import CompiledAgent, Terms, quantise
from tetrion.engine.compiler import Entry, entry_with
from tetrion.engine.near import NAMES
from tetrion.engine.pieces import FIRST, PIECES, PLACES
from tetrion.engine.play import (
    CAPPED,
    OVER,
    PLAYING,
    UNLIMITED,
    Games,
    Setting,
    drops_nearby,
    fastest,
    new_games,
    play_ahead,
    play_any,
    play_drops,
    play_drops_ahead,
    play_on_lanes,
    play_one_by_one,
)
from tetrion.engine.rules import Rules
from tetrion.engine.singly import ROWS, choose_drop_one_by_one, choose_two_nearby
from tetrion.engine.words import Array

Way = Entry[[Games, Setting, int], int]
RANDOMISERS = ("uniform", "bag", "sz", "alternating-sz", "nes", "nes-8988", "nes-counts", "only-I", "script-ITLOZJS")
ROTATIONS = ("top-left", "tutorial", "nes")
GENERAL = Rules.parse("standard:preview=6")
NEARBY = {
    name: agent
    for name, agent in zoo().items()
    if isinstance(agent, DataAgent) and drops_nearby(Setting.of([agent.compiled()], GENERAL))
}


def some_terms(random: Random) -> Terms:
    """Wells and some more features; often with small whole weights, so that there are many ties."""
    names = {"wells", *random.sample(NAMES, random.randint(0, len(NAMES)))}
    if random.random() < 0.6:
        return {name: random.choice([-2, -1, -1, 0, 1]) for name in sorted(names)}
    du = {name: weight for name, weight in data_agent("du").weights.items() if isinstance(weight, int | float)}
    return {name: du.get(name, 0) + random.gauss(0, 0.5) for name in sorted(names)}


def some_agents(random: Random, count: int, **options: Any) -> list[CompiledAgent]:
    return [CompiledAgent(some_terms(random), random.random() < 0.5, **options) for _ in range(count)]


def some_rules(random: Random, **changes: Any) -> Rules:
    """Straight drops by all that they depend on."""
    height = changes.get("height", random.choice([*range(4, 29), 4, 5, 6]))
    some: dict[str, Any] = {
        "height": height,
        "hidden": min(random.choice([0, 0, 1, 2, 4]), 28 - height),
        "entry": random.randint(0, 4),
        "preview": random.choice([0, 0, 1, 2, 6]),
        "randomiser": random.choice(RANDOMISERS),
        "rotation": random.choice(ROTATIONS),
        "over": random.choice(["room", "room", "entry"]),
    }
    return Rules.preset("standard").with_(**some | changes)


def mixed_games(agents: int, count: int, seed: int) -> Games:
    games = new_games(count, seed)
    games["agent"] = np.arange(count) % agents
    return games


def compare(ways: Sequence[Way], games: Games, setting: Setting, pieces: int) -> Games:
    """Play the same games by several ways piece by piece, and fail where they differ; gives back how they stand."""
    played = [games.copy() for _ in ways]
    for cap in range(1, pieces + 1):
        for way, these in zip(ways, played, strict=True):
            these["status"][these["status"] == CAPPED] = PLAYING
            way(these, setting._replace(most_pieces=cap), UNLIMITED)
        for way, these in zip(ways[1:], played[1:], strict=True):
            different = np.flatnonzero(played[0] != these)
            if len(different):
                game = different[0]
                about = f"{way.dispatcher.__name__}, piece {cap}, {setting.agents[games['agent'][game]]}"
                pytest.fail(f"{about}\nexpected {played[0][game]}\ngot {these[game]}")
        if (played[0]["status"] == OVER).all():
            break
    return played[0]


def bits(board: list[list[bool]]) -> list[int]:
    return [sum(row[column] << y for y, row in enumerate(board)) for column in range(10)]


def games_on_boards(random: Random, agents: int, count: int, rows: int) -> Games:
    """Games that begin in the midst, with a piece known: on boards of all kinds, some with rows full before."""
    games = mixed_games(agents, count, 1)
    for game in games:
        piece = random.choice(PIECES)
        board = random_board(random, piece)[:rows]
        if random.random() < 0.1:
            board[random.randrange(len(board))] = [True] * 10
        game["board"], game["queue"][0], game["known"] = bits(board), PIECES.index(piece), 1
    return games


@pytest.mark.parametrize("name", sorted(NEARBY))
def test_agents_of_the_zoo(name: str) -> None:
    for rules in ("standard", "standard-10x10", "standard:height=28,randomiser=bag", "hindi", "standard:height=4"):
        setting = Setting.of([NEARBY[name].compiled()], Rules.parse(rules))
        compare([play_one_by_one, play_on_lanes, play_drops], new_games(20, 5), setting, 150)


def test_the_zoo_has_such_agents() -> None:
    assert {"dellacherie", "du", "el-tetris"} <= set(NEARBY)


def test_games_of_any_weights_under_any_rules() -> None:
    random, ends = Random(1), set()
    for seed in range(100):
        rules = some_rules(random, height=4 + seed % 25)
        setting = Setting.of(some_agents(random, 12), rules)
        after = compare([play_one_by_one, play_on_lanes, play_drops], mixed_games(12, 24, seed), setting, 40)
        ends |= set(after["status"].tolist())
    assert ends == {OVER, CAPPED}


@entry_with(ROWS, seconds=8)
def choose_one_by_one(memory: Array, games: Games, setting: Setting) -> None:
    """Write what `choose_drop_one_by_one` chooses where a placement is noted."""
    for g in range(len(games)):
        game, agent = games[g], setting.agents[games[g].agent]
        choice = choose_drop_one_by_one(game, setting.rules[0], 0, agent, setting.agents, setting.tables, memory[0])
        game.placement[0], game.placement[1], game.placement[2] = choice


def test_single_choices_on_boards_of_every_kind() -> None:
    random, chosen, ended = Random(2), set(), 0
    for _ in range(60):
        rules = some_rules(random, over="room", preview=0)
        setting = Setting.of(some_agents(random, 10), rules)
        games = games_on_boards(random, 10, 60, rules.rows)
        after = compare([play_one_by_one, play_on_lanes, play_drops], games, setting, 1)
        choose_one_by_one(games, setting)
        over = after["status"] == OVER
        assert (games["placement"][over, 0] == -1).all()
        assert games["placement"][~over].tolist() == after["placement"][~over].tolist()
        chosen |= set(map(tuple, after["placement"][~over, :2].tolist()))
        ended += over.sum()
    assert chosen == {(turn, x) for turn, places in enumerate(PLACES) for x in range(places)}  # both walls, all turns
    assert ended > 20


def test_choices_against_the_reference() -> None:
    random = Random(3)
    for case in range(250):
        agent, piece = some_agents(random, 1)[0], random.choice(PIECES)
        board = random_board(random, piece)
        setting = Setting.of([agent], Rules.parse(f"standard:height={len(board)}"))
        games = new_games(1, case)
        games["board"], games["queue"][0, 0], games["known"] = bits(board), PIECES.index(piece), 1
        play_drops(games, setting, 1)
        expected = slow_choice(board, piece, quantise(agent.terms)[0], agent.removed)
        if expected is None:
            assert games["status"][0] == OVER
        else:
            turn, x, row = expected
            assert games["placement"][0].tolist() == [FIRST[PIECES.index(piece)] + turn, x, row], (agent, board)


SEARCHES: list[dict[str, Any]] = [
    {"depth": 2},
    {"depth": 2, "beam": 3},
    {"depth": 3, "beam": 2},
    {"expect": True},
    {"expect": True, "beam": 4},
    {"depth": 2, "expect": True, "beam": 2},
]


@pytest.mark.parametrize("options", SEARCHES, ids=str)
def test_games_that_look_ahead(options: dict[str, Any]) -> None:
    random, ends = Random(str(options)), set()
    for seed in range(12):
        rules = some_rules(random, preview=options.get("depth", 1) - 1, height=random.choice([4, 5, 8, 20, 26]))
        setting = Setting.of(some_agents(random, 4, **options), rules)
        ends |= set(compare([play_ahead, play_drops_ahead], mixed_games(4, 4, seed), setting, 12)["status"].tolist())
    assert ends == {OVER, CAPPED}


def test_three_pieces_and_those_that_may_come() -> None:
    random = Random(6)
    for options in ({"depth": 3}, {"depth": 3, "expect": True, "beam": 3}):
        setting = Setting.of(some_agents(random, 2, **options), some_rules(random, height=9, preview=2, over="room"))
        games = games_on_boards(random, 2, 4, 9)
        games["known"] = 0
        compare([play_ahead, play_drops_ahead], games, setting, 2)


@entry_with(np.dtype([("mine", ROWS), ("others", ROWS), ("after", np.int32, 10)]), seconds=15)
def choose_two_one_by_one(memory: Array, games: Games, setting: Setting) -> None:
    """Write what `choose_two_nearby` chooses where a placement is noted."""
    scratch = memory[0].mine, memory[0].others, memory[0].after
    for g in range(len(games)):
        game, agent = games[g], setting.agents[games[g].agent]
        choice = choose_two_nearby(game, setting.rules[0], 0, agent, setting.agents, setting.tables, scratch)
        game.placement[0], game.placement[1], game.placement[2] = choice


@pytest.mark.slow
def test_two_pieces_one_by_one() -> None:
    random = Random(7)
    for _ in range(20):
        rules = some_rules(random, over="room", preview=1)
        setting = Setting.of(some_agents(random, 10, depth=2), rules)
        games = games_on_boards(random, 10, 60, rules.rows)
        games["queue"][:, 1], games["known"] = np.arange(60) % 7, 2
        after = compare([play_ahead, play_drops_ahead], games, setting, 1)
        choose_two_one_by_one(games, setting)
        over = after["status"] == OVER
        assert (games["placement"][over, 0] == -1).all()
        assert games["placement"][~over].tolist() == after["placement"][~over].tolist()


def test_looking_ahead_with_modes_and_with_those_who_do_not() -> None:
    random = Random(4)
    for seed in range(10):
        rules = some_rules(random, preview=1)
        agents = some_agents(random, 2)
        agents += some_agents(random, 2, depth=2)
        agents += some_agents(random, 2, other=some_terms(random), selector="max_height", threshold=rules.height // 2)
        setting = Setting.of(agents, rules)
        compare([play_ahead, play_drops_ahead], mixed_games(6, 12, seed), setting, 15)


def test_choices_ahead_against_the_reference() -> None:
    random = Random(5)
    for number in range(8):
        options: dict[str, Any] = [{"depth": 2}, {"depth": 2, "beam": 3}, {"expect": True, "beam": 4}][number % 3]
        agent = some_agents(random, 1, **options)[0]
        rules = Rules.parse(f"standard:height={random.randint(4, 7)},preview={agent.depth - 1}")
        games = games_on_boards(random, 1, 1, rules.rows)
        pieces = [random.randrange(7) for _ in range(agent.depth)]
        games["queue"][0, : agent.depth], games["known"] = pieces, agent.depth
        board = filled_cells(Board(games["board"][0].tolist(), rules.rows))
        play_drops_ahead(games, Setting.of([agent], rules), 1)
        plan = Plan(quantise(agent.terms)[0], agent.removed, agent.depth, agent.expect, agent.beam)
        expected = slow_choice_ahead(board, "".join(PIECES[piece] for piece in pieces), slow_rules(rules), 0, plan)
        if expected is None:
            assert games["status"][0] == OVER
        else:
            turn, x, row = expected
            assert games["placement"][0].tolist() == [FIRST[pieces[0]] + turn, x, row], (agent, board)


def test_the_first_of_equals_in_the_order_of_orientation_then_column() -> None:
    """On the empty board all drops without a well are equals; a T with its nose up has one in columns 0 and 1."""
    for piece, place in (("O", [0, 0]), ("I", [0, 0]), ("T", [0, 2]), ("L", [0, 0])):
        setting = Setting.of([({"wells": -1.0}, True)], Rules.parse(f"standard:randomiser=only-{piece}"))
        games = new_games(1, 1)
        play_drops(games, setting, 1)
        orientation, x, row = games["placement"][0].tolist()
        assert ([orientation - FIRST[PIECES.index(piece)], x], row) == (place, 0), piece


def test_the_fastest_way_is_one_that_can_play() -> None:
    du, lee, deep = data_agent("du").compiled(), data_agent("lee").compiled(), data_agent("du:depth=2").compiled()
    table = CompiledAgent({"wells": [0.0, -1.0, -3.0], "holes": -1.0})
    modes = CompiledAgent({"wells": -1.0}, other={"wells": -1.0, "bumpiness": -1.0}, selector="holes", threshold=3)
    near_modes = modes._replace(other={"wells": -2.0, "holes": -1.0})
    expected: list[tuple[list[CompiledAgent], str, Way]] = [
        ([du], "standard", play_drops),
        ([du, data_agent("dellacherie").compiled()], "standard:over=entry", play_drops),
        ([du, lee], "standard", play_on_lanes),
        ([lee], "standard", play_on_lanes),
        ([table], "standard", play_on_lanes),
        ([CompiledAgent({"holes": -1.0})], "standard", play_on_lanes),
        ([du], "standard:over=top-row", play_on_lanes),
        ([du], "standard:over=above,hidden=2", play_on_lanes),
        ([du], "standard:movement=reach", play_any),
        ([du], "standard:randomiser=adversary", play_any),
        ([deep], "standard:preview=1", play_drops_ahead),
        ([data_agent("du:expect=1").compiled()], "standard", play_drops_ahead),
        ([near_modes], "standard", play_drops_ahead),
        ([du, deep], "standard:preview=1", play_drops_ahead),
        ([modes], "standard", play_ahead),
        ([deep, lee], "standard:preview=1", play_ahead),
        ([deep], "standard:preview=1,over=top-row", play_ahead),
        ([deep], "standard:preview=1,movement=reach", play_ahead),
        ([deep], "standard:preview=1,randomiser=adversary", play_ahead),
    ]
    for agents, rules, way in expected:
        assert fastest(Setting.of(agents, Rules.parse(rules))) is way, (agents, rules)
