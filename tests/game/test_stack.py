"""Stacks: the piece that fills each cell, before and after full rows are removed."""

import pytest

from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import get_agent_settings
from tetrion.board import Board, Placement
from tetrion.engine.rules import PRESETS
from tetrion.errors import TetrionError
from tetrion.game import Game, play_compiled
from tetrion.position import Position
from tetrion.stack import Stack


@pytest.mark.parametrize("rules", list(PRESETS))
def test_stack_of_a_game_matches_its_placements_and_the_engine(rules: str) -> None:
    game = Game(rules, 3)
    agent = load_weighted_agent("dellacherie")
    settings = get_agent_settings(agent, game.rules)
    rows = list[dict[int, str]]()  # from the floor up, the letters by column
    while not game.is_over and game.pieces < 150:
        play_compiled(game, settings, 1) if game.pieces % 2 else game.place(agent.choose(game.position))
        for column, row in game.placements_made[-1].cells:
            rows += [{} for _ in range(row + 1 - len(rows))]
            rows[row][column] = game.placements_made[-1].piece
        rows = [letters for letters in rows if len(letters) < 10]
        assert game.stack.rows == tuple("".join(letters.get(x, ".") for x in range(10)) for letters in rows)
        assert Board.from_text(game.stack.to_text(game.rules.rows), game.rules.rows) == game.board
    assert game.lines > 0
    assert game.stack.height == game.rules.height


def test_cells_of_the_starting_position_are_unknown() -> None:
    board = Board.from_text(["####.#####"])
    game = Game.from_position(Position.from_board(board, "O"))
    copied = game.copy()
    game.place(Placement("O", 0, 0, 1))
    assert game.stack.rows == ("####.#####", "OO........", "OO........")
    assert copied.stack.rows == ("####.#####",)


@pytest.mark.parametrize("rows", [("I",), ("IIIIIIIIIx",), (7,)])
def test_invalid_stacks_are_rejected(rows: tuple[str, ...]) -> None:
    with pytest.raises(TetrionError, match="10 cells"):
        Stack(rows)
    with pytest.raises(TetrionError, match="at least one row"):
        Stack(height=0)


def test_locked_piece_has_the_stacks_before_and_after_the_clear() -> None:
    stack = Stack(("IIII.IIIII", "O........."), height=18)
    lock = stack.lock_piece(Placement("I", 1, 4, 0))
    assert lock.stack_before_clear == Stack(("IIIIIIIIII", "O...I.....", "....I.....", "....I....."), 18)
    assert (lock.full_rows, lock.lines) == ((0,), 1)
    after_clear = Stack(lock.stack_before_clear.rows[1:], 18)
    assert lock.stack_after_clear == lock.stack_before_clear.without_full_rows() == after_clear
    assert stack.after_placement(lock.placement) == after_clear


def test_pieces_are_lowered_until_they_are_visible_or_blocked() -> None:
    stack = Stack(("IIII......",) * 3, height=4)
    assert stack.lower_into_view(Placement("O", 0, 4, 7)) == Placement("O", 0, 4, 2)
    assert stack.lower_into_view(Placement("O", 0, 3, 7)) == Placement("O", 0, 3, 3), "blocked by the stack"
    assert stack.lower_into_view(Placement("O", 0, 8, 1)) == Placement("O", 0, 8, 1), "already visible"
