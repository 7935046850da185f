"""The end of games: block out, lock out, and piece sequences that end every game."""

import numpy as np
import pytest

from tetrion import Board, Game, Placement, Position
from tetrion.agents import AGENTS, WeightedAgent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.batch_play import EngineSettings, make_games, play_any_movement
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.rules import Rules

BURGIEL_MAX_PIECES = 70_000  # alternating S and Z end every game within this many pieces (Burgiel 1997)


def make_tower(height: int, columns: str) -> Board:
    return Board.from_text([columns] * height, rows=28)


def test_block_out() -> None:
    """A new piece that overlaps the stack ends the game, whatever placements it would have."""
    for game_over in ("entry", "lock-out"):
        rules = f"perft:game_over={game_over}"
        assert Position.from_board(make_tower(19, "....#....."), "T", rules=rules).can_spawn
        assert not Position.from_board(make_tower(20, "....#....."), "T", rules=rules).can_spawn


@pytest.mark.parametrize(("game_over", "is_over"), [("entry", False), ("lock-out", True), ("above", True)])
def test_lock_out(game_over: str, is_over: bool) -> None:
    """A piece that locks wholly above the visible rows ends the game."""
    rules = f"perft:game_over={game_over},spawn_height=1"
    position = Position.from_board(make_tower(20, "##........"), "O", "T", rules)
    game = Game.from_position(position)
    game.place(Placement("O", 0, 0, 20, "srs"))
    assert game.is_over == is_over
    assert game.pieces == 1


@pytest.mark.parametrize("rules", ["standard", "nes"])
def test_alternating_s_and_z_end_every_game(rules: str) -> None:
    weighted = [agent for agent in AGENTS.values() if isinstance(agent, WeightedAgent)]
    agents = [agent for agent in weighted if agent.depth == 1 and agent.family != "modern"]
    settings = EngineSettings.from_agents(
        [make_engine_agent(a) for a in agents],
        Rules(rules).replace(randomiser="alternating-sz"),
        BURGIEL_MAX_PIECES,
    )
    games = make_games(len(agents), 1)
    games["agent"] = np.arange(len(agents))
    play_any_movement(games, settings, BURGIEL_MAX_PIECES * len(agents))
    assert (games["status"] == STATUS_OVER).all()
    assert games["pieces"].max() < BURGIEL_MAX_PIECES
