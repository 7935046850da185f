"""Positions check themselves, continue as games with what they show, and have no placements once the game is over."""

import copy
import pickle
from dataclasses import replace
from typing import Any

import pytest

from tetrion import Board, Game, Placement, Position, Rules, WeightedAgent, load_agent
from tetrion.agents.weighted_agent import get_agent_settings
from tetrion.engine.batch_play import play_any_movement, play_drops_scalar, play_drops_simd
from tetrion.errors import PositionError, TetrionError
from tetrion.position import make_game_records

FULL_ROWS = Board((2**24 - 1,) * 10, 28)
BLOCKED_COLUMN = Board((0, 0, 0, 2**22 - 1, *(0,) * 6), 28)  # I and T overlap it where they spawn, O does not


def place_low(game: Game) -> None:
    """Place the current piece, without hold, as low as possible."""
    placements = [placement for placement in game.placements() if not placement.hold]
    game.place(min(placements, key=lambda placement: max(row for _, row in placement.cells)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rules": "guideline"}, "needs Rules, for example Rules.parse.'guideline'.; given 'guideline'"),
        ({"board": FULL_ROWS}, "Row 0 is full .* Leave one cell of it empty"),
        ({"piece": "X"}, "Unknown piece 'X'"),
        ({"piece": None}, "Next pieces need a current piece"),
        ({"next": "TLJSZIOT"}, "At most 7 next pieces"),
        ({"combo": -(10**9)}, "combo must be a whole number from 0 to 10,000; given -1000000000"),
        ({"lines": 10**15}, "lines must be a whole number from 0 to 1,000,000,000,000"),
        ({"garbage_height": 29}, "garbage_height must be a whole number from 0 to 28"),
        ({"garbage": ((1, 0),) * 9}, "at most 8 pairs"),
        ({"garbage": ((1, 2), (1, 1))}, "at least as long as the batch before it; given .1, 1."),
        ({"bag": "TT"}, "each piece at most once"),
        ({"bag": "T", "rules": Rules.parse("guideline:randomiser=uniform")}, "A bag needs rules with randomiser=bag"),
        ({"combo": 1, "rules": Rules(height=28)}, "combo needs modern rules, such as guideline"),
    ],
)
def test_replace_checks_every_field(changes: dict[str, Any], message: str) -> None:
    position = Game("guideline", seed=1).position
    if "rules" in changes and "bag" not in changes:
        position = replace(position, bag="")
    with pytest.raises(TetrionError, match=message):
        replace(position, **changes)


@pytest.mark.parametrize(
    "rules", ["standard", "gavrilov", "nes", "guideline:garbage_rows=2,garbage_interval=1", "tetrio"]
)
def test_positions_of_games_pass_their_own_checks(rules: str) -> None:
    game = Game(rules, seed=3)
    while game.pieces < 25 and not game.is_over:
        position = game.position
        assert replace(position) == position
        assert pickle.loads(pickle.dumps(position)) == position == copy.deepcopy(position)
        assert hash(replace(position)) == hash(position)
        assert replace(position.after(position.placements()[0])) == position.after(position.placements()[0])
        place_low(game)


def test_the_largest_counters_do_not_overflow() -> None:
    """The score grows and the attack stays plausible, even where the multiplier of attack has grown for years."""
    board = Board.from_text(["....##....", *[".#########"] * 4])
    rules = "tetrio:level_system=tens,attack_growth=1000,frames_per_second=1,attack_growth_start=0"
    position = replace(
        Position.from_board(board, "I", "OOO", rules, lines=10**12, frames=10**12, combo=10**4, back_to_back=10**6),
        score=10**18,
        pieces=10**12,
        attack=10**12,
        sent=10**12,
        garbage=((10**12, 10**12),),
    )
    after = position.after(Placement("I", 1, 0, 0, "srs+"))
    assert after.score > position.score
    assert 4 < after.attack - position.attack < 10**8
    game = Game.from_position(position)
    game.place(Placement("I", 1, 0, 0, "srs+"))
    assert (game.score, game.attack) == (after.score, after.attack)


@pytest.mark.parametrize("rules", ["guideline", "gavrilov", "standard:randomiser=bag,preview=3"])
def test_games_from_a_position_continue_its_bag(rules: str) -> None:
    for seed in range(20):
        original = Game(rules, seed)
        for _ in range(seed % 9):
            place_low(original)
        position = original.position
        game = Game.from_position(position, seed=100)
        assert game.position == position
        dealt = ""
        for _ in position.bag:
            place_low(game)
            dealt += game.next[-1]
        assert dealt
        assert sorted(dealt) == sorted(position.bag)


@pytest.mark.parametrize("game_over", ["entry", "lock-out", "room", "top-row", "above"])
@pytest.mark.parametrize("agent", ["dellacherie", "modern-1", "modern-1:depth=2"])
def test_hold_cannot_replace_a_piece_that_cannot_spawn(game_over: str, agent: str) -> None:
    position = Position.from_board(BLOCKED_COLUMN, "I", "OTL", f"guideline:game_over={game_over}", hold="O")
    assert position.placements() == []
    assert Game.from_position(position).is_over
    player = load_agent(agent)
    assert isinstance(player, WeightedAgent)
    assert player.explain(position).candidates == ()
    with pytest.raises(PositionError, match="The game is over"):
        player.choose(position)


@pytest.mark.parametrize(
    ("columns", "piece"),
    [
        ((0, 0, 0, 0, 8, 0, 0, 1 << 20, 0, 4), "S"),
        ((1 << 16, 0, 0, 26752, 0, 0, 0, 9 << 17, 0, 0), "I"),
        ((0, 1024, 1 << 19, 1081348, 0, 65536, 0, 256, 8, 0), "J"),
    ],
)
def test_backends_agree_where_the_stack_is_above_the_top(columns: tuple[int, ...], piece: str) -> None:
    """Under `top-row` a placement ends the game if any cell remains there, not only one of the placed piece."""
    rules = Rules.parse("hindi:preview=0,game_over=top-row")
    agent = WeightedAgent("eroded-holes", {"eroded_cells": 1, "holes": -1})
    position = Position(Board(columns, rules.rows), piece, "", rules)
    settings = get_agent_settings(agent, rules)
    chosen = []
    for play in (play_drops_scalar, play_drops_simd, play_any_movement):
        games = make_game_records(position)
        assert play(games, settings, 1) == 1
        chosen.append(games["placement"][0].tolist())
    assert chosen[0] == chosen[1] == chosen[2]
    assert agent.explain(position).candidates[0].placement == agent.choose(position)
