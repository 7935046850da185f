"""Whole games under every preset and under random rules compared with the reference: by placements, keys and agents."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest

from tests.game.reference_comparison import (
    make_random_key_rules,
    make_random_modern_rules,
    make_random_research_rules,
    to_columns,
    to_slow_board,
    to_slow_placement,
    to_slow_rules,
)
from tests.reference.board import Placement as SlowPlacement, picture
from tests.reference.game import Game as SlowGame
from tests.reference.search import Plan, choose_in_game
from tetrion import Board, Game, Position, Rules
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.agent_records import EngineAgentOrTerms, FeatureTerms, quantise
from tetrion.engine.batch_play import (
    UNLIMITED,
    EngineSettings,
    make_games,
    play_any_movement,
    play_drops_scalar,
    play_drops_simd,
)
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.pieces import SHAPES
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import SPIN_KINDS, GameRecord
from tetrion.engine.rules import PRESETS
from tetrion.game import copy_game_record

OVERRIDES = [
    "standard:height=6,preview=6,randomiser=nes",
    "standard:height=8,movement=reach,spawn_height=0,randomiser=nes-8988",
    "standard:height=8,hidden_rows=2,randomiser=adversary,preview=1,scoring=tetrais",
    "standard:height=6,hidden_rows=1,randomiser=nes-counts,game_over=top-row,rotation=tutorial",
    "standard:height=5,game_over=above,hidden_rows=3,spawn_height=2,randomiser=script-IIOIJLIOT",
    "standard:height=6,game_over=entry,spawn_height=0,randomiser=only-O",
    "standard:height=6,spawn_height=0",
    "becker:height=6,spawn_height=0",
    "standard:height=10,lock_delay=30,randomiser=bag,level_system=tens,gravity=tetrais,start_level=4,spawn_delay=3",
    "standard:height=9,lock_delay=3,gravity=5,clear_delay=4,das=4,arr=2,soft_drop_interval=1",
    "gavrilov:height=8,movement=timed,frames_per_key=40,thinking_frames=300",
    "becker:movement=timed,height=8,gravity=60,frames_per_key=25,thinking_frames=40",
    "hindi:height=9,movement=reach,randomiser=sz",
    "tetrais:movement=timed,level_system=tens,start_level=7,height=14,randomiser=only-I",
    "medico:movement=timed,gravity=30,frames_per_key=20,randomiser=alternating-sz",
    "nes:start_level=18,height=12,thinking_frames=3",
    "nes:start_level=29,height=12,randomiser=nes-counts",
    "perft:height=8,game_over=lock-out,spawn_height=1,randomiser=bag,preview=5,lock_delay=30,gravity=20",
    "perft:height=6,game_over=lock-out,keys=left+right+rotate+back+half+down+drop,half_turn_kicks=jstris",
    "perft:height=5,rotation=srs+,keys=left+right+rotate+back+half+down+drop,half_turn_kicks=tetrio,movement=timed",
    "standard:height=6,hidden_rows=4,game_over=lock-out,rotation=srs,spawn_height=3,preview=1",
    "gavrilov:clearing=hanging,height=10",
    "gavrilov:movement=steered,height=8,frames_per_key=90",
    "gavrilov:movement=steered,clearing=hanging,height=9,hidden_rows=2,spawn_height=2,frames_per_key=200",
    "becker:movement=steered,height=14,gravity=60,frames_per_key=25,thinking_frames=40",
    "standard:movement=steered,height=12,rotation=srs,spawn_height=1,gravity=5,frames_per_key=2,randomiser=bag",
    "standard:clearing=hanging,height=8,movement=reach,spawn_height=0,randomiser=script-IJLTIO",
    "nes:start_level=9,level_system=tens,randomiser=only-I,hidden_rows=0,lock_delay=0",
]
RESEARCH_PRESETS = [name for name in PRESETS if not Rules(name).is_modern]
RULES = [*RESEARCH_PRESETS, *OVERRIDES]
MODERN_PRESETS = ("guideline", "jstris", "tetrio")
COUNTERS = (
    "pieces",
    "lines",
    "score",
    "frames",
    "combo",
    "back_to_back",
    "back_to_backs",
    "longest_combo",
    "perfect_clears",
    "attack",
    "sent",
    "received",
)


# Research games do not count these.
MODERN_FACTS = ("clears", "combo", "back_to_back", "back_to_backs", "longest_combo", "perfect_clears")


def describe(game: Game) -> dict[str, object]:
    """Return everything that can be seen of a game, and its statistics."""
    record = copy_game_record(game)
    clears = {
        (spin, rows): int(record.clears_by_spin[number, rows])
        for number, spin in enumerate(SPIN_KINDS)
        for rows in range(5)
    }
    falling = game.falling_piece
    state: dict[str, object] = {
        "is_over": game.is_over,
        "level": game.level,
        "falling": [] if falling is None else sorted(falling.cells),
        "clears": {key: count for key, count in clears.items() if count},
        "garbage_mask": int(record.garbage_mask),
        **{name: int(getattr(record, name)) for name in COUNTERS},
    }
    if not game.is_over:
        state |= {"piece": game.piece, "next": game.next, "hold": game.position.hold, "garbage": game.position.garbage}
    return state


def describe_slow(game: SlowGame) -> dict[str, object]:
    """Return the same of a game of the reference."""
    state: dict[str, object] = {
        "is_over": game.is_over,
        "level": game.level,
        "falling": game.falling_cells,
        "clears": dict(game.clears),
        "garbage_mask": sum(is_garbage << row for row, is_garbage in enumerate(game.is_garbage)),
        **{name: getattr(game, name) for name in COUNTERS},
    }
    if not game.is_over:
        waiting = tuple((batch.rows, max(batch.due - game.garbage_time, 0)) for batch in game.garbage.batches)
        state |= {"piece": game.piece, "next": game.next, "hold": game.hold, "garbage": waiting}
    return state


def compare(context: str, slow: SlowGame, fast: Game) -> None:
    expected, got = describe_slow(slow), describe(fast)
    if not fast.rules.is_modern:
        for name in MODERN_FACTS:
            del expected[name], got[name]
    if expected != got:
        different = {name: (expected[name], got.get(name)) for name in expected if expected[name] != got.get(name)}
        pytest.fail(f"{context}expected and got: {different}")
    if slow.board != to_slow_board(fast.board):
        pytest.fail(f"{context}expected\n{picture(slow.board)}\ngot\n{fast.board}")


# Games by placements.


def choose_placement(random: Random, game: SlowGame) -> SlowPlacement:
    """Choose a placement: often a spin, mostly a low one without gaps, so that rows are cleared, or any."""

    def rate(placement: SlowPlacement) -> int:
        cells = game.cells(placement)
        gaps = [(x, y - 1) for x, y in cells if y > 0 and (x, y - 1) not in cells and not game.board[y - 1][x]]
        return sum(row for _, row in cells) + 6 * len(gaps)

    placements = list(game.placements)
    spins = [placement for placement in placements if placement.spin != "none"]
    if spins and random.random() < 0.7:
        return random.choice(spins)
    return random.choice(placements) if random.random() < 0.15 else min(placements, key=rate)


def compare_game_by_placements(rules: Rules, seed: int, max_pieces: int) -> int:
    """Play the same placements in both engines, compare after each, and return the lines cleared."""
    random = Random(f"{rules}, seed {seed}")
    slow, fast = SlowGame.from_seed(to_slow_rules(rules), seed, 3), Game(rules, seed=seed, number=3)
    for _ in range(max_pieces):
        context = f"{rules}, seed {seed}, piece {slow.pieces} ({slow.piece}), on\n{picture(slow.board)}\n"
        compare(context, slow, fast)
        if slow.is_over:
            break
        by_placement = {to_slow_placement(placement): placement for placement in fast.placements()}
        assert list(by_placement) == list(slow.placements), context
        chosen = choose_placement(random, slow)
        placement = by_placement[chosen]
        assert set(placement.cells) == set(slow.cells(chosen)), context
        after = fast.position.after(placement)
        slow.place(chosen)
        fast.place(placement)
        if rules.movement != "steered":
            assert fast.placements_made[-1] == placement, context
        for name in ("pieces", "lines", "score", "attack", "sent", *(("combo", "back_to_back") * rules.is_modern)):
            assert getattr(after, name) == getattr(slow, name), f"{context}{name}"
    return slow.lines


@pytest.mark.parametrize("rules", RULES)
def test_games_by_placements(rules: str) -> None:
    # Another game only if no row was cleared.
    assert any(compare_game_by_placements(Rules.parse(rules), seed, max_pieces=70) for seed in range(3))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 13))
@pytest.mark.parametrize("rules", RULES)
def test_many_games_by_placements(rules: str, seed: int) -> None:
    compare_game_by_placements(Rules.parse(rules), seed, max_pieces=1_000)


MAKE_RULES = {"research": make_random_research_rules, "modern": make_random_modern_rules}


@pytest.mark.parametrize("kind", MAKE_RULES)
def test_games_by_placements_under_any_rules(kind: str) -> None:
    for number in range(24):
        compare_game_by_placements(MAKE_RULES[kind](Random(f"any rules {number}")), number, max_pieces=40)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(24, 2_024, 50))
@pytest.mark.parametrize("kind", MAKE_RULES)
def test_games_by_placements_under_many_rules(kind: str, first: int) -> None:
    for number in range(first, first + 50):
        compare_game_by_placements(MAKE_RULES[kind](Random(f"any rules {number}")), number, max_pieces=60)


# Games by keys.


def choose_action(random: Random, keys: Sequence[str], gravity: int) -> tuple[str, str, int]:
    """Return a random action: its name, a key and a number of frames."""
    action = random.choice(["press", "press", "press", "key_down", "key_up", "tick", "tick"])
    return action, random.choice(keys), random.choice([1, 1, 2, 3, 10, gravity // 2 + 1, gravity])


def perform(game: SlowGame | Game, action: str, key: str, frames: int) -> None:
    if action == "tick":
        for _ in range(frames):
            game.tick()
    else:
        {"press": game.press, "key_down": game.key_down, "key_up": game.key_up}[action](key)


def compare_game_by_keys(rules: Rules, seed: int, max_actions: int) -> int:
    """Perform the same random actions in both engines and compare after each; return the number of pieces."""
    random = Random(f"{rules}, seed {seed}, keys")
    slow, fast = SlowGame.from_seed(to_slow_rules(rules), seed), Game(rules, seed=seed)
    actions: list[tuple[str, str, int]] = []
    for _ in range(max_actions):
        compare(f"{rules}, seed {seed}, after {actions[-12:]}, on\n{picture(slow.board)}\n", slow, fast)
        if slow.is_over:
            break
        actions.append(choose_action(random, rules.keys, int(slow.gravity)))
        perform(slow, *actions[-1])
        perform(fast, *actions[-1])
    return slow.pieces


@pytest.mark.parametrize("rules", [*RULES, "standard:height=6,randomiser=adversary"])
def test_games_by_keys(rules: str) -> None:
    compare_game_by_keys(Rules.parse(rules), 0, max_actions=600)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 22))
@pytest.mark.parametrize("rules", RULES)
def test_many_games_by_keys(rules: str, seed: int) -> None:
    compare_game_by_keys(Rules.parse(rules), seed, max_actions=100_000)


def test_games_by_keys_under_any_rules() -> None:
    for number in range(30):
        compare_game_by_keys(make_random_research_rules(Random(f"any rules {number}")), number, max_actions=400)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(30, 4_030, 100))
def test_games_by_keys_under_many_rules(first: int) -> None:
    for number in range(first, first + 100):
        compare_game_by_keys(make_random_research_rules(Random(f"any rules {number}")), number, max_actions=2_000)


def compare_modern_game_by_keys(seed: int, max_actions: int) -> int:
    """Compare the modern presets in turn, with low boards so that games end, and random rules for most seeds."""
    presets = dict(enumerate(MODERN_PRESETS))
    if seed % 12 in presets:
        rules = Rules.parse(f"{presets[seed % 12]}:height=8")
    else:
        rules = make_random_key_rules(Random(f"modern rules, seed {seed}"))
    return compare_game_by_keys(rules, seed, max_actions)


def test_modern_games_by_keys() -> None:
    assert sum(compare_modern_game_by_keys(seed, 300) for seed in range(60)) > 200


@pytest.mark.slow
@pytest.mark.parametrize("group", range(20))
def test_many_modern_games_by_keys(group: int) -> None:
    for seed in range(1_000 + 100 * group, 1_100 + 100 * group):
        compare_modern_game_by_keys(seed, 1_000)


@pytest.mark.parametrize("act", [lambda game: game.tick(), lambda game: game.press("left")], ids=["tick", "press"])
def test_piece_that_cannot_spawn_can_be_placed_but_not_moved_by_keys(act: Callable[[Game], None]) -> None:
    position = Position.from_board(
        Board.from_text(["....#....."] * 6, rows=6), "O", rules="standard:height=6,spawn_height=0"
    )
    game = Game.from_position(position)
    assert not game.is_over
    assert game.falling_piece is None
    assert game.placements()
    act(game)
    assert game.is_over


# Games by agents.


def compare_agent_games(rules: Rules, agents: Sequence[EngineAgentOrTerms], seed: int, max_pieces: int) -> None:
    """Compare the placements that the engine and the reference choose, piece by piece."""
    weights = [quantise(agent[0])[0] for agent in agents]
    drops_only = rules.movement == "drop" and rules.randomiser != "adversary"
    play_functions = [play_any_movement, play_drops_simd, play_drops_scalar] if drops_only else [play_any_movement]
    played = [make_games(len(agents), seed) for _ in play_functions]
    for games in played:
        games["agent"] = np.arange(len(agents))
    slow = [SlowGame.from_seed(to_slow_rules(rules), seed, number) for number in range(len(agents))]
    settings = EngineSettings.from_agents(agents, rules)
    for cap in range(1, max_pieces + 1):
        for play, games in zip(play_functions, played, strict=True):
            games["status"][games["status"] == STATUS_CAPPED] = STATUS_PLAYING
            play(games, settings._replace(max_pieces=cap), UNLIMITED)
        for number, reference in enumerate(slow):
            if reference.is_over:
                continue
            board, piece = reference.board, reference.piece
            placement = choose_in_game(reference, Plan(weights[number], agents[number][1]))
            pieces_before = reference.pieces
            cells = sorted(reference.find_lock(placement)[0])
            reference.place(placement)
            if reference.pieces == pieces_before:  # a steered piece that would lock above the board ends the game
                cells = []
            context = f"{rules}, seed {seed}, agent {number}, piece {cap} ({piece}) on\n{picture(board)}\n"
            for games in played:
                compare_agent_game(context, reference, cells, games[number])


def compare_agent_game(context: str, slow: SlowGame, cells: list[tuple[int, int]], game: GameRecord) -> None:
    expected = {name: getattr(slow, name) for name in ("pieces", "lines", "score", "frames")}
    got = {name: int(getattr(game, name)) for name in expected}
    if got != expected:
        pytest.fail(f"{context}expected {expected}\ngot {got}")
    orientation, left, bottom = game.placement.tolist()
    columns = SHAPES[orientation]
    filled = [(left + x, bottom + y) for x, column in enumerate(columns) for y in range(4) if column >> y & 1]
    if cells:
        assert sorted(filled) == cells, f"{context}expected {cells}\ngot {filled}"
    assert game.board.tolist() == to_columns(slow.board), context
    ended_by_piece = slow.is_over and game.status == STATUS_OVER
    assert ended_by_piece or game.status == STATUS_CAPPED, context


def make_agents(random: Random) -> list[EngineAgentOrTerms]:
    """Return agents with weights on all features, weak and strong, and with tables, which also measure changes."""
    weak, strong = ({name: random.gauss(0, 1) / FEATURES[name].max_value for name in FEATURES} for _ in range(2))
    for name, weight in load_weighted_agent("dellacherie").weights.items():
        strong[name] += float(weight)  # type: ignore[arg-type]
    tables: FeatureTerms = {
        name: [slope * (value + FEATURES[name].min_value) + random.gauss(0, 0.2) for value in range(length)]
        for name, slope, length in [("holes_change", -4, 300), ("max_height_change", -1, 33), ("wells", -1, 5)]
    }
    return [(weak, False), (strong, True), ({"landing_height": -1, "lines": [0, -4, -2, 4, 40], **tables}, True)]


@pytest.mark.parametrize("rules", RULES)
def test_agent_games(rules: str) -> None:
    agents = [make_engine_agent(load_weighted_agent("du")), *make_agents(Random(rules))]
    compare_agent_games(Rules.parse(rules), agents, seed=5, max_pieces=12)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_long_agent_games(rules: str) -> None:
    agents = [make_engine_agent(load_weighted_agent(name)) for name in ("du", "dellacherie", "lee", "el-tetris", "bdu")]
    compare_agent_games(Rules.parse(rules), agents + make_agents(Random(f"long, {rules}")), seed=6, max_pieces=500)
