"""Whole games under every named set of rules against the reference: by placements, by keys in time, and by agents."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest

from game.reference_comparison import any_rules, filled_cells, seen, slow_rules
from reference.board import Board as SlowBoard
from reference.board import Placement as SlowPlacement
from reference.board import picture
from reference.full_game import FullGame
from tetrion import Board, Game, Position, Rules, evaluate
from tetrion.agents import load_weighted_agent
from tetrion.engine.agent_records import Playable, quantise
from tetrion.engine.batch_play import (
    STATUS_CAPPED,
    STATUS_OVER,
    STATUS_PLAYING,
    UNLIMITED,
    EngineSettings,
    make_games,
    play_any_movement,
    play_drops_scalar,
    play_drops_simd,
)
from tetrion.engine.pieces import SHAPES
from tetrion.engine.rules import PRESETS

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
    "nes:start_level=9,level_system=tens,randomiser=only-I,hidden_rows=0,lock_delay=0",
]
RULES = [*PRESETS, *OVERRIDES]


def compare(about: str, slow: FullGame, fast: Game) -> None:
    """Everything that can be seen of a game."""
    names = ("over", "pieces", "lines", "score", "level", "frames")
    expected = {name: getattr(slow, name) for name in names}
    got = {name: getattr(fast, name) for name in names}
    if not slow.is_over:
        expected |= {"piece": slow.piece, "next": slow.next}
        got |= {"piece": fast.piece, "next": fast.next}
    if expected != got:
        pytest.fail(f"{about}expected {expected}\ngot {got}")
    if slow.board != filled_cells(fast.board):
        pytest.fail(f"{about}expected\n{picture(slow.board)}\ngot\n{fast.board}")


def tidy(board: SlowBoard, cells: list[tuple[int, int]]) -> int:
    """How bad a place to rest is at a glance: how high, and over how many gaps."""
    gaps = sum(row > 0 and (column, row - 1) not in cells and not board[row - 1][column] for column, row in cells)
    return sum(row for _, row in cells) + 6 * gaps


def some_place(random: Random, game: FullGame, places: list[SlowPlacement]) -> SlowPlacement:
    """One of the places to rest; mostly a good one, so that rows are cleared."""
    if random.random() < 0.15:
        return random.choice(places)
    return min(places, key=lambda place: tidy(game.board, game.cells(place)))


# By placements.


def compare_game_by_placements(rules: Rules, seed: int, most_pieces: int) -> int:
    """Play a game side by side, piece by piece; tells how many lines were cleared."""
    random = Random(f"{rules}, seed {seed}")
    slow, fast = FullGame.from_seed(slow_rules(rules), seed, 3), Game(rules, seed=seed, number=3)
    for _ in range(most_pieces):
        about = f"{rules}, seed {seed}, piece {slow.pieces} ({slow.piece}), on\n{picture(slow.board)}\n"
        compare(about, slow, fast)
        if slow.is_over:
            break
        places = list(slow.places())
        by_place = {seen(place): place for place in fast.placements()}
        assert list(by_place) == places, about
        chosen = some_place(random, slow, places)
        assert set(by_place[chosen].cells) == set(slow.cells(chosen)), about
        slow.place(chosen)
        fast.place(by_place[chosen])
    return slow.lines


@pytest.mark.parametrize("rules", RULES)
def test_games_by_placements(rules: str) -> None:
    lines = sum(compare_game_by_placements(Rules.parse(rules), seed, most_pieces=60) for seed in range(3))
    assert lines > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 13))
@pytest.mark.parametrize("rules", RULES)
def test_many_games_by_placements(rules: str, seed: int) -> None:
    compare_game_by_placements(Rules.parse(rules), seed, most_pieces=1_000)


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_games_by_placements_under_any_rules(first: int) -> None:
    for number in range(first, first + 15):
        compare_game_by_placements(any_rules(Random(f"any rules {number}")), number, most_pieces=40)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(60, 2_060, 50))
def test_games_by_placements_under_many_rules(first: int) -> None:
    for number in range(first, first + 50):
        compare_game_by_placements(any_rules(Random(f"any rules {number}")), number, most_pieces=40)


# By keys.


def some_action(random: Random, keys: list[str], gravity: int) -> tuple[str, str, int]:
    """What a player does next: a word, a key and a number of frames."""
    what = random.choice(["press", "press", "press", "hold", "release", "tick", "tick"])
    return what, random.choice(keys), random.choice([1, 1, 2, 3, 10, gravity // 2 + 1, gravity])


def do(game: FullGame | Game, what: str, key: str, frames: int) -> None:
    if what == "tick":
        for _ in range(frames):
            game.tick()
    else:
        {"press": game.press, "hold": game.key_down, "release": game.key_up}[what](key)


def compare_game_by_keys(rules: Rules, seed: int, most_actions: int) -> None:
    """Let the same keys act on both, and fail where they differ."""
    random = Random(f"{rules}, seed {seed}, keys")
    slow, fast = FullGame.from_seed(slow_rules(rules), seed, 0), Game(rules, seed=seed)
    done: list[tuple[str, str, int]] = []
    for _ in range(most_actions):
        about = f"{rules}, seed {seed}, after {done[-12:]}, on\n{picture(slow.board)}\n"
        compare(about, slow, fast)
        falling = None if fast.falling_piece is None else seen(fast.falling_piece)
        assert falling == slow.falling, about
        if slow.is_over:
            break
        done.append(some_action(random, rules.keys.split("+"), slow.gravity))
        do(slow, *done[-1])
        do(fast, *done[-1])


@pytest.mark.parametrize("rules", RULES)
def test_games_by_keys(rules: str) -> None:
    for seed in range(4):
        compare_game_by_keys(Rules.parse(rules), seed, most_actions=1_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 24))
@pytest.mark.parametrize("rules", RULES)
def test_many_games_by_keys(rules: str, seed: int) -> None:
    compare_game_by_keys(Rules.parse(rules), seed, most_actions=100_000)


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_games_by_keys_under_any_rules(first: int) -> None:
    for number in range(first, first + 25):
        compare_game_by_keys(any_rules(Random(f"any rules {number}")), number, most_actions=600)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 4_100, 100))
def test_games_by_keys_under_many_rules(first: int) -> None:
    for number in range(first, first + 100):
        compare_game_by_keys(any_rules(Random(f"any rules {number}")), number, most_actions=2_000)


def test_rest_counts_on_when_a_piece_comes_to_rest_no_lower() -> None:
    """A turn lifts the piece, and it falls back to the same row: after ten frames of rest in all it locks."""
    rules = Rules.parse("standard:height=8,lock_delay=10,gravity=2,lock_keys=none,randomiser=only-T")
    game = Game(rules)
    game.press("rotate")
    game.press("drop")
    game.tick(6)
    game.press("rotate")
    assert game.falling_piece is not None
    assert game.falling_piece.row == 1
    game.tick(5)
    assert (game.falling_piece.row, game.pieces) == (0, 0)
    game.tick(1)
    assert game.pieces == 1


@pytest.mark.parametrize("act", [lambda game: game.tick(), lambda game: game.press("left")], ids=["tick", "press"])
def test_a_piece_that_cannot_enter_can_be_placed_but_not_played_by_keys(act: Callable[[Game], None]) -> None:
    position = Position.from_board(
        Board.from_text(["....#....."] * 6, rows=6), "O", rules="standard:height=6,spawn_height=0"
    )
    game = Game.from_position(position)
    assert not game.is_over
    assert game.falling_piece is None
    assert game.placements()
    act(game)
    assert game.is_over


# By agents made of data.


def compare_games_of_agents(rules: Rules, agents: Sequence[Playable], seed: int, most_pieces: int) -> None:
    """Let the engine and the reference choose, piece by piece, and fail where they differ."""
    wholes = [quantise(agent[0])[0] for agent in agents]
    by_drops = rules.movement == "drop" and rules.randomiser != "adversary"
    ways = [play_any_movement, play_drops_simd, play_drops_scalar] if by_drops else [play_any_movement]
    played = [make_games(len(agents), seed) for _ in ways]
    for games in played:
        games["agent"] = np.arange(len(agents))
    slow = [FullGame.from_seed(slow_rules(rules), seed, number) for number in range(len(agents))]
    setting = EngineSettings.from_agents(agents, rules)
    for cap in range(1, most_pieces + 1):
        for way, games in zip(ways, played, strict=True):
            games["status"][games["status"] == STATUS_CAPPED] = STATUS_PLAYING
            way(games, setting._replace(max_pieces=cap), UNLIMITED)
        for number, reference in enumerate(slow):
            if reference.is_over:
                continue
            board, piece = reference.board, reference.piece
            placement = reference.choose(wholes[number], agents[number][1])
            cells = sorted(reference.cells(placement))
            reference.place(placement)
            about = f"{rules}, seed {seed}, agent {number}, piece {cap} ({piece}) on\n{picture(board)}\n"
            for games in played:
                compare_agent_game(about, reference, cells, games[number])


def compare_agent_game(about: str, slow: FullGame, cells: list[tuple[int, int]], game: np.void) -> None:
    expected = {name: getattr(slow, name) for name in ("pieces", "lines", "score", "frames")}
    got = {name: int(game[name]) for name in expected}
    if got != expected:
        pytest.fail(f"{about}expected {expected}\ngot {got}")
    orientation, left, bottom = game["placement"].tolist()
    columns = SHAPES[orientation]
    filled = [(left + x, bottom + y) for x, column in enumerate(columns) for y in range(4) if column >> y & 1]
    assert sorted(filled) == cells, f"{about}expected {cells}\ngot {filled}"
    board = [sum(row[column] << y for y, row in enumerate(slow.board)) for column in range(10)]
    assert game["board"].tolist() == board, about
    ended_by_piece = slow.is_over and game["status"] == STATUS_OVER
    assert ended_by_piece or game["status"] == STATUS_CAPPED, about


@pytest.mark.parametrize("rules", RULES)
def test_games_of_agents(rules: str) -> None:
    agents = [load_weighted_agent("du").compile(), load_weighted_agent("dellacherie").compile()]
    compare_games_of_agents(Rules.parse(rules), agents, seed=5, most_pieces=30)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_long_games_of_agents(rules: str) -> None:
    agents = [load_weighted_agent(name).compile() for name in ("du", "dellacherie", "lee", "el-tetris", "bdu")]
    compare_games_of_agents(Rules.parse(rules), agents, seed=6, most_pieces=500)


@pytest.mark.parametrize("rules", PRESETS)
def test_evaluate(rules: str) -> None:
    agent = load_weighted_agent("dellacherie")
    played = evaluate(agent, rules, games=2, seed=7, max_pieces=15).per_game
    terms, removed = quantise(agent.weights)[0], agent.measured == "after"
    for number in range(2):
        slow = FullGame.from_seed(slow_rules(Rules.parse(rules)), 7, number)
        while slow.pieces < 15:
            slow.place(slow.choose(terms, removed))
        for name in ("pieces", "lines", "score", "frames"):
            assert played[name][number] == getattr(slow, name)
