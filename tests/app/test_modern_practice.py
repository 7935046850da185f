"""Practice under modern rules: spins, combos and back-to-backs are counted, and advice may use hold."""

import pytest

from tests.app.drawn_texts import check_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.games.adviser import describe_advice
from tetrion.app.games.practice_board import FreePiece, PracticeBoard
from tetrion.app.screens.practice_screen import PracticeScreen
from tetrion.board import Board, Placement
from tetrion.engine.piece_motion import PieceState
from tetrion.engine.rules import Rules
from tetrion.position import Position

T_SPIN_DOUBLE = ["..#.......", "##...#####", "###.######"]
TETRIS = ["#########."] * 4


def open_position(driver: WindowDriver, board: list[str], piece: str, **fields: int) -> PracticeScreen:
    position = Position.from_board(Board.from_text(board), piece, next="IOSZJ", rules="guideline", hold="L", **fields)
    screen = driver.open_screen("practice", position=position)
    assert isinstance(screen, PracticeScreen)
    return screen


def play_placement(screen: PracticeScreen, placement: Placement) -> None:
    """Press the keys that lead to a placement, then drop the piece."""
    for key in (*screen.practice_board.position.find_keys(placement), "drop"):
        screen.practice_game.perform_action(key)


def test_keys_make_a_spin_and_its_text_is_shown(driver: WindowDriver) -> None:
    screen = open_position(driver, T_SPIN_DOUBLE, "T", combo=2, back_to_back=1)
    position = screen.practice_board.position
    spin = next(each for each in position.placements() if each.spin == "full" and each.row == 0)
    play_placement(screen, spin)
    expected = position.after(spin)
    board = screen.practice_board
    assert (board.combo, board.back_to_back) == (expected.combo, expected.back_to_back) == (3, 2)
    assert screen.practice_game.action.lines == ("T-spin double", "Back-to-back", "2 combo")
    texts = check_texts(driver)
    assert "T-spin double" in texts
    assert screen.is_moving
    driver.run_frames(150)
    assert not screen.is_moving
    screen.practice_game.undo_or_redo(undo=True)
    assert screen.practice_board.combo == 2


@pytest.mark.parametrize("rules", ["guideline", "jstris", "tetrio"])
def test_every_placement_of_practice_has_the_spin_of_the_game(rules: str) -> None:
    position = Position.from_board(Board.from_text(T_SPIN_DOUBLE), "T", next="IOSZJ", rules=rules)
    board = PracticeBoard.from_position(position)
    for placement in position.placements():
        if placement.hold:
            continue
        spawn = position.spawn
        assert spawn is not None
        piece = FreePiece(board, PieceState(0, spawn.column, spawn.row))
        for key in position.find_keys(placement):
            moved = piece.move_by_key(key)
            assert moved is not None
            piece = moved
        assert piece.locked_placement == placement
        after, _ = board.place_piece(piece.locked_placement, seed=1)
        expected = position.after(placement)
        assert (after.combo, after.back_to_back) == (expected.combo, expected.back_to_back)
        assert after.board == expected.board


def test_other_rules_end_combos_and_hold() -> None:
    position = Position.from_board(Board(), "T", next="IOSZJ", rules="guideline", hold="L", combo=3, back_to_back=2)
    board = PracticeBoard.from_position(position)
    assert board.with_rules(Rules.parse("jstris")).combo == 3
    research = board.with_rules(Rules.parse("standard"))
    assert (research.hold, research.combo, research.back_to_back) == ("", 0, 0)
    assert research.position.piece == "T"


def test_tetris_and_perfect_clear(driver: WindowDriver) -> None:
    screen = open_position(driver, TETRIS, "I")
    position = screen.practice_board.position
    play_placement(screen, next(each for each in position.placements() if position.after(each).lines == 4))
    assert screen.practice_game.action.lines == ("Tetris", "Perfect clear")


def test_advice_names_hold() -> None:
    placement = Placement("L", 0, 3, 0, "srs", hold=True)
    assert describe_advice("lee", placement) == "lee would use hold and play L at the dotted outline."
    assert describe_advice("lee", Placement("L", 0, 3, 0)) == "lee would play at the dotted outline."
