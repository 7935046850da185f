"""Tests of local evaluation against evaluation of whole boards and against the slow reference."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.game.reference_comparison import to_columns
from tests.reference.random_boards import random_board
from tetrion.agents import AGENTS, WeightedAgent, load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.agent_records import EngineAgent, FeatureTerms
from tetrion.engine.batch_play import (
    UNLIMITED,
    EngineSettings,
    make_games,
    play_any_movement,
    play_drops_scalar,
    play_drops_simd,
    play_local_drops,
    play_local_drops_with_lookahead,
    play_with_lookahead,
    play_with_lookahead_against_adversary,
    select_fastest_play,
    supports_local_drops,
)
from tetrion.engine.compiler import CompiledFunction, compile_entry_with_memory
from tetrion.engine.gpu.drops import LocalScratch, choose_local_drop_depth_two, choose_local_drop_scalar
from tetrion.engine.local_evaluation import LOCAL_FEATURES
from tetrion.engine.pieces import PIECES, PLACEMENT_COLUMNS
from tetrion.engine.placements import Search
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import GameRecords, Records
from tetrion.engine.rules import Rules
from tetrion.engine.scalar_or_simd import Array

PlayFunction = CompiledFunction[[GameRecords, EngineSettings, int], int]
RANDOMISERS = ("uniform", "bag", "sz", "alternating-sz", "nes", "nes-8988", "nes-counts", "only-I", "script-ITLOZJS")
ROTATIONS = ("top-left", "tutorial", "nes")
LONG_PREVIEW = Rules.parse("standard:preview=6")
LOCAL_AGENTS = {
    name: agent
    for name, agent in AGENTS.items()
    if isinstance(agent, WeightedAgent)
    and agent.family != "modern"
    and supports_local_drops(EngineSettings.from_agents([make_engine_agent(agent)], LONG_PREVIEW))
}


def make_terms(random: Random) -> FeatureTerms:
    """Return weights of wells and some more features; often small integers, so that there are many ties."""
    names = {"wells", *random.sample(LOCAL_FEATURES, random.randint(0, len(LOCAL_FEATURES)))}
    if random.random() < 0.6:
        return {name: random.choice([-2, -1, -1, 0, 1]) for name in sorted(names)}
    du = {name: weight for name, weight in load_weighted_agent("du").weights.items() if isinstance(weight, int | float)}
    return {name: du.get(name, 0) + random.gauss(0, 0.5) for name in sorted(names)}


def make_agents(random: Random, count: int, **options: Any) -> list[EngineAgent]:
    return [EngineAgent(make_terms(random), random.random() < 0.5, **options) for _ in range(count)]


def make_rules(random: Random, **changes: Any) -> Rules:
    """Return rules with straight drops and random values of all fields that affect them."""
    height = changes.get("height", random.choice([*range(4, 29), 4, 5, 6]))
    fields: dict[str, Any] = {
        "height": height,
        "hidden_rows": min(random.choice([0, 0, 1, 2, 4]), 28 - height),
        "spawn_height": random.randint(0, 4),
        "preview": random.choice([0, 0, 1, 2, 6]),
        "randomiser": random.choice(RANDOMISERS),
        "rotation": random.choice(ROTATIONS),
        "game_over": random.choice(["room", "room", "entry"]),
    }
    return Rules("standard").replace(**fields | changes)


def make_mixed_games(agents: int, count: int, seed: int) -> GameRecords:
    games = make_games(count, seed)
    games["agent"] = np.arange(count) % agents
    return games


def compare(
    play_functions: Sequence[PlayFunction], games: GameRecords, settings: EngineSettings, pieces: int
) -> GameRecords:
    """Play games piece by piece with several functions and fail if they differ; return the games."""
    copies = [games.copy() for _ in play_functions]
    for cap in range(1, pieces + 1):
        for play, copy in zip(play_functions, copies, strict=True):
            copy["status"][copy["status"] == STATUS_CAPPED] = STATUS_PLAYING
            play(copy, settings._replace(max_pieces=cap), UNLIMITED)
        for play, copy in zip(play_functions[1:], copies[1:], strict=True):
            different = np.flatnonzero(copies[0] != copy)
            if len(different):
                game = different[0]
                case = f"{play.dispatcher.__name__}, piece {cap}, {settings.agents[games['agent'][game]]}"
                pytest.fail(f"{case}\nexpected {copies[0][game]}\ngot {copy[game]}")
        if (copies[0]["status"] == STATUS_OVER).all():
            break
    return copies[0]


def make_games_on_random_boards(random: Random, agents: int, count: int, rows: int) -> GameRecords:
    """Return games that start on random boards, some of which have full rows, with one known piece."""
    games = make_mixed_games(agents, count, 1)
    for game in games:
        piece = random.choice(PIECES)
        board = random_board(random, piece)[:rows]
        if random.random() < 0.1:
            board[random.randrange(len(board))] = [True] * 10
        game.board[:] = to_columns(board)
        game.queue[0] = PIECES.index(piece)
        game.known = 1
    return games


@pytest.mark.parametrize("rules", ["standard", "standard-10x10", "standard:height=28,randomiser=bag", "hindi"])
def test_named_agents_play_identical_games(rules: str) -> None:
    assert {"dellacherie", "du", "el-tetris"} <= set(LOCAL_AGENTS)
    agents = [make_engine_agent(agent) for agent in LOCAL_AGENTS.values()]
    games = make_mixed_games(len(agents), 5 * len(agents), 5)
    settings = EngineSettings.from_agents(agents, Rules.parse(rules))
    compare([play_drops_scalar, play_drops_simd, play_local_drops], games, settings, 150)


def test_random_agents_play_identical_games_under_random_rules() -> None:
    random, statuses = Random(1), set()
    for seed in range(25):
        rules = make_rules(random, height=4 + seed)
        setting = EngineSettings.from_agents(make_agents(random, 12), rules)
        games = make_mixed_games(12, 24, seed)
        after = compare([play_drops_scalar, play_drops_simd, play_local_drops], games, setting, 40)
        statuses |= set(after["status"].tolist())
    assert statuses == {STATUS_OVER, STATUS_CAPPED}


@compile_entry_with_memory(LocalScratch.dtype, seconds=8)
def write_scalar_choices(memory: Records[LocalScratch], games: GameRecords, setting: EngineSettings) -> None:
    """Write the choice of `choose_local_drop_scalar` into the last placement of each game."""
    for g in range(len(games)):
        game, agent = games[g], setting.agents[games[g].agent]
        search = Search(setting.rules[0], 0, agent, setting.agents, setting.tables, memory[0])
        choice = choose_local_drop_scalar(game, search)
        game.placement[0], game.placement[1], game.placement[2] = choice.placement


@pytest.mark.parametrize("is_scalar", [False, pytest.param(True, marks=pytest.mark.slow)])  # compiled for a GPU only
def test_choices_on_random_boards_are_identical(is_scalar: bool) -> None:
    random = Random(2)
    chosen = set()
    ended = 0
    for _ in range(60):
        rules = make_rules(random, game_over="room", preview=0)
        setting = EngineSettings.from_agents(make_agents(random, 10), rules)
        games = make_games_on_random_boards(random, 10, 60, rules.rows)
        after = compare([play_drops_scalar, play_drops_simd, play_local_drops], games, setting, 1)
        over = after["status"] == STATUS_OVER
        if is_scalar:
            write_scalar_choices(games, setting)
            assert (games["placement"][over, 0] == -1).all()
            assert games["placement"][~over].tolist() == after["placement"][~over].tolist()
        chosen |= set(map(tuple, after["placement"][~over, :2].tolist()))
        ended += over.sum()
    assert chosen == {(orientation, x) for orientation, count in enumerate(PLACEMENT_COLUMNS) for x in range(count)}
    assert ended > 20


SEARCH_OPTIONS: list[dict[str, Any]] = [
    {"depth": 2},
    {"depth": 2, "beam": 3},
    {"depth": 3, "beam": 2},
    {"expect": True},
    {"expect": True, "beam": 4},
    {"depth": 2, "expect": True, "beam": 2},
]


@pytest.mark.parametrize("options", SEARCH_OPTIONS, ids=str)
def test_games_with_lookahead_are_identical(options: dict[str, Any]) -> None:
    random, statuses = Random(str(options)), set()
    for seed in range(6):
        rules = make_rules(random, preview=options.get("depth", 1) - 1, height=random.choice([4, 5, 8, 20, 26]))
        setting = EngineSettings.from_agents(make_agents(random, 4, **options), rules)
        games = make_mixed_games(4, 4, seed)
        after = compare([play_with_lookahead, play_local_drops_with_lookahead], games, setting, 12)
        statuses |= set(after["status"].tolist())
    assert statuses == {STATUS_OVER, STATUS_CAPPED}


@compile_entry_with_memory(
    np.dtype([("first", LocalScratch.dtype), ("second", LocalScratch.dtype), ("board", np.int32, 10)]), seconds=15
)
def write_scalar_choices_depth_two(memory: Array, games: GameRecords, setting: EngineSettings) -> None:
    """Write the choice of `choose_local_drop_depth_two` into the last placement of each game."""
    scratch = memory[0].first, memory[0].second, memory[0].board
    for g in range(len(games)):
        game, agent = games[g], setting.agents[games[g].agent]
        search = Search(setting.rules[0], 0, agent, setting.agents, setting.tables, scratch)
        choice = choose_local_drop_depth_two(game, search)
        game.placement[0], game.placement[1], game.placement[2] = choice.placement


@pytest.mark.slow
def test_scalar_choices_of_depth_two_are_identical() -> None:
    random = Random(7)
    for _ in range(20):
        rules = make_rules(random, game_over="room", preview=1)
        setting = EngineSettings.from_agents(make_agents(random, 10, depth=2), rules)
        games = make_games_on_random_boards(random, 10, 60, rules.rows)
        games["queue"][:, 1] = np.arange(60) % 7
        games["known"] = 2
        after = compare([play_with_lookahead, play_local_drops_with_lookahead], games, setting, 1)
        write_scalar_choices_depth_two(games, setting)
        over = after["status"] == STATUS_OVER
        assert (games["placement"][over, 0] == -1).all()
        assert games["placement"][~over].tolist() == after["placement"][~over].tolist()


def test_mixed_agents_with_depth_and_second_modes_play_identical_games() -> None:
    random = Random(4)
    for seed in range(10):
        rules = make_rules(random, preview=1)
        agents = make_agents(random, 2)
        agents += make_agents(random, 2, depth=2)
        agents += make_agents(
            random, 2, second_terms=make_terms(random), selector="max_height", threshold=rules.height // 2
        )
        setting = EngineSettings.from_agents(agents, rules)
        compare([play_with_lookahead, play_local_drops_with_lookahead], make_mixed_games(6, 12, seed), setting, 15)


def test_selection_of_the_fastest_play_function() -> None:
    du = make_engine_agent(load_weighted_agent("du"))
    lee = make_engine_agent(load_weighted_agent("lee"))
    deep = make_engine_agent(load_weighted_agent("du:depth=2"))
    table = EngineAgent({"wells": [0.0, -1.0, -3.0], "holes": -1.0})
    modes = EngineAgent({"wells": -1.0}, second_terms={"wells": -1.0, "bumpiness": -1.0}, selector="holes", threshold=3)
    local_modes = modes._replace(second_terms={"wells": -2.0, "holes": -1.0})
    expected: list[tuple[list[EngineAgent], str, PlayFunction]] = [
        ([du], "standard", play_local_drops),
        ([du, make_engine_agent(load_weighted_agent("dellacherie"))], "standard:game_over=entry", play_local_drops),
        ([du, lee], "standard", play_drops_simd),
        ([lee], "standard", play_drops_simd),
        ([table], "standard", play_drops_simd),
        ([EngineAgent({"holes": -1.0})], "standard", play_drops_simd),
        ([du], "standard:game_over=top-row", play_drops_simd),
        ([du], "standard:game_over=above,hidden_rows=2", play_drops_simd),
        ([du], "standard:movement=reach", play_any_movement),
        ([du], "standard:randomiser=adversary", play_any_movement),
        ([deep], "standard:preview=1", play_local_drops_with_lookahead),
        ([make_engine_agent(load_weighted_agent("du:expect=1"))], "standard", play_local_drops_with_lookahead),
        ([local_modes], "standard", play_local_drops_with_lookahead),
        ([du, deep], "standard:preview=1", play_local_drops_with_lookahead),
        ([modes], "standard", play_with_lookahead),
        ([deep, lee], "standard:preview=1", play_with_lookahead),
        ([deep], "standard:preview=1,game_over=top-row", play_with_lookahead),
        ([deep], "standard:preview=1,movement=reach", play_with_lookahead),
        ([deep], "standard:preview=1,randomiser=adversary", play_with_lookahead_against_adversary),
    ]
    for agents, rules, play in expected:
        assert select_fastest_play(EngineSettings.from_agents(agents, Rules.parse(rules))) is play, (agents, rules)
