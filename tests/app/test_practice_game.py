"""Practice is played by the engine: keys, spins, hold and garbage are those of a game, and steps are positions."""

from random import Random
from typing import Any

import pytest

from tetrion.app.games.adviser import describe_advice
from tetrion.app.games.human_rules import HumanControls
from tetrion.app.games.practice_game import MAX_GRAVITY, PracticeGame, free_rules
from tetrion.app.window_settings import DEFAULT_KEYS
from tetrion.board import Board, Placement
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position

T_SPIN_DOUBLE = ("..#.......", "##...#####", "###.######")
TETRIS = ("#########.",) * 4


def make_game(*board: str, piece: str = "T", rules: str = "guideline", **fields: Any) -> PracticeGame:
    parsed = Rules.parse(rules)
    next_pieces = "IOSZJ"[: parsed.preview]
    position = Position.from_board(Board.from_text(board, parsed.rows), piece, next_pieces, parsed, **fields)
    return PracticeGame(position, "dellacherie", HumanControls(dict.fromkeys(DEFAULT_KEYS, ())), lambda name: None)


def press(game: PracticeGame, *keys: str) -> None:
    for key in keys:
        game.human_game.game.press(key)
    game.update(0.0)


# Playing.


@pytest.mark.parametrize("rules", ["guideline", "jstris", "tetrio"])
def test_keys_lead_to_every_placement_with_its_spin(rules: str) -> None:
    game = make_game(*T_SPIN_DOUBLE, rules=rules, combo=1)
    position = game.position
    for placement in position.placements():
        if placement.hold:
            continue
        press(game, *position.find_keys(placement), "drop")
        assert game.human_game.game.placements_made[-1] == placement
        after, expected = game.position, position.after(placement)
        for name in ("board", "piece", "lines", "combo", "back_to_back", "attack"):
            assert getattr(after, name) == getattr(expected, name)
        game.go_to_step(-1)
        assert game.position == position


@pytest.mark.parametrize("rules", PRESETS)
def test_nothing_falls_or_locks_without_gravity_or_a_hard_drop(rules: str) -> None:
    game = make_game(rules=rules)
    start = game.piece
    game.update(10.0)
    assert game.piece == start
    press(game, *["down"] * 40)
    game.update(10.0)
    assert game.piece == game.human_game.game.ghost, "the piece rests"
    assert game.position.pieces == 0
    press(game, "drop")
    assert game.position.pieces == 1
    assert sum(row.count("T") for row in game.stack.rows) == 4
    game.set_gravity(MAX_GRAVITY)
    for _ in range(40):
        game.update(0.1)
    assert game.position.pieces > 1


@pytest.mark.parametrize("rules", [*PRESETS, "gavrilov:movement=steered", "becker:movement=timed"])
def test_every_placement_of_an_agent_is_legal_in_practice(rules: str) -> None:
    random, game = Random(1), Game(rules, 5)
    free = free_rules(game.rules, 0)
    while not game.is_over and game.pieces < 15:
        position = game.position
        free_position = Position.from_board(
            position.board, position.piece or "", position.next, free, hold=position.hold, combo=position.combo
        )
        assert set(game.placements()) <= set(free_position.placements())
        game.place(random.choice(game.placements()))


def test_hold_and_garbage_follow_the_game() -> None:
    game = make_game()
    press(game, "hold")
    assert (game.position.piece, game.position.hold, game.position.next[:4]) == ("I", "T", "OSZJ")
    press(game, "hold")
    assert game.position.hold == "T", "once per piece"
    game.go_to_step(-1)
    assert (game.position.piece, game.position.hold) == ("T", "")
    game.choose_rules("guideline:garbage_rows=1,garbage_interval=1")
    press(game, "drop", "drop")
    assert game.position.garbage_height > 0
    assert sum(row.count("#") for row in game.stack.rows) == 9 * game.position.garbage_height


# Steps.


def test_steps_are_undone_and_redone_with_the_pieces_of_their_cells() -> None:
    game = make_game()
    press(game, "drop")
    first = game.stack
    press(game, "left", "drop")
    second = game.position
    game.go_to_step(-1)
    assert game.stack == first
    game.go_to_step(1)
    assert game.position == second
    assert not game.has_step(1)
    game.go_to_step(-1)
    game.go_to_step(-1)
    assert (game.has_step(-1), game.stack.rows) == (False, ())
    game.choose_piece("O")
    game.choose_piece("S", as_next=True)
    assert (game.position.piece, game.position.next, game.has_step(1)) == ("O", "SOSZJ", False)
    game.restart_piece()
    game.go_to_step(-1)
    assert game.position.next == "IOSZJ", "the piece that starts again is no step"


def test_other_rules_keep_what_they_allow() -> None:
    game = make_game(*TETRIS, hold="L", combo=3)
    game.choose_rules("nes:height=8,preview=2")
    assert (game.position.piece, game.position.next, game.position.hold) == ("T", "IO", "")
    assert game.position.board == Board.from_text(TETRIS, 10)
    game.choose_rules("standard:height=99")
    assert "height" in game.problem
    game.choose_rules("medico", keeps_board=False)
    assert (game.position.rules.name, game.stack.rows, game.problem) == ("medico", (), "")
    game.choose_rules("medico", keeps_board=False)
    game.go_to_step(-1)
    assert str(game.position.rules) == "nes:height=8,preview=2"


# Boards.


def test_board_is_copied_and_pasted_as_text() -> None:
    game = make_game()
    press(game, "drop")
    text = game.format_board()
    assert text == "....T.....\n...TTT...."
    game = make_game(rules="nes")
    assert game.format_board() == ".........."
    game.load_board(f"\n{text}\n#########.\n")
    assert game.format_board() == f"{text}\n#########."
    game.go_to_step(-1)
    texts = {
        "There is no board": " ",
        "10 cells": "hello",
        "Row 0 is full": "##########",
        "30 are": "#.........\n" * 30,
    }
    for problem, text in texts.items():
        game.load_board(text)
        assert problem in game.problem
    assert not game.has_step(-1)


def test_stroke_is_one_step_and_leaves_a_gap_in_each_row() -> None:
    game = make_game()
    game.begin_stroke((0, 0), True)
    game.continue_stroke((2, 2))
    assert game.stack.rows == ("#.........", ".#........", "..#.......")
    assert game.end_stroke()
    assert not game.end_stroke()
    game.begin_stroke((0, 0), False)
    game.continue_stroke((2, 0))
    game.end_stroke()
    assert game.stack.rows[0] == ".........."
    game.begin_stroke((0, 0), True)
    game.continue_stroke((9, 0))
    game.end_stroke()
    assert game.stack.rows[0] == "#########."
    assert "Leave one cell of it empty" in game.problem
    for _ in range(3):
        game.go_to_step(-1)
    assert (game.stack.rows, game.problem) == ((), "")


def test_advice_names_hold() -> None:
    placement = Placement("L", 0, 3, 0, "srs", hold=True)
    assert describe_advice("lee", placement) == "lee would use hold and play L at the dotted outline."
    assert describe_advice("lee", Placement("L", 0, 3, 0)) == "lee would play at the dotted outline."
