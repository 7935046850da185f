"""Practice is played by the rules of the engine: placements, spins, combos, back-to-backs and hold."""

from dataclasses import replace
from random import Random

import pytest

from tests.app.drawn_texts import check_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.games.adviser import describe_advice
from tetrion.app.games.practice_board import FreePiece, PracticeBoard
from tetrion.app.screens.practice_screen import PracticeScreen
from tetrion.board import Board, Placement
from tetrion.engine.piece_motion import PieceState
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.presets import PRESETS
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


def list_fitting_placements(board: PracticeBoard) -> list[Placement]:
    """Return all placements of the current piece on empty cells, most of which float or cannot be reached."""
    placements = [
        Placement(board.piece, rotation, column, row, board.rules.rotation)
        for rotation in range(len({each.rotation for each in Position.from_board(Board(), board.piece).placements()}))
        for column in range(BOARD_WIDTH - 3)
        for row in range(board.rules.rows - 3)
    ]
    return [placement for placement in placements if board.fits(placement)]


@pytest.mark.parametrize("rules", PRESETS)
def test_placements_that_no_game_allows_are_locked_by_the_engine(rules: str) -> None:
    random = Random(1)
    board = PracticeBoard.empty(Rules.parse(rules), seed=2)
    for number in range(60):
        nearly_full = Board.from_text(["####...###", "####.#####"], 4) if number % 3 == 0 else board.board
        board = PracticeBoard.from_position(
            Position.from_board(nearly_full, random.choice(PIECES), board.next, rules, lines=board.lines)
        )
        placement = random.choice(list_fitting_placements(board))
        locked = board.position.lock(placement)
        after, lock = board.place_piece(placement, seed=number)
        assert after.board == locked.board
        assert after.lines == board.lines + lock.lines
        assert after.pieces == board.pieces + 1
        board = after


def test_combos_are_counted_over_floating_placements() -> None:
    board = PracticeBoard.from_position(
        Position.from_board(Board.from_text(["#########."] * 2 + [".........."] * 4), "O", rules="guideline", combo=2)
    )
    floating, _ = board.place_piece(Placement("O", 0, 0, 1, "srs"), seed=1)
    assert (floating.combo, floating.lines, floating.board.heights[:2]) == (0, 0, (6, 6))
    clearing, lock = replace(board, piece="I").place_piece(Placement("I", 1, 9, 3, "srs"), seed=1)
    assert (clearing.combo, clearing.lines, lock.full_rows) == (3, 2, (4, 5))


@pytest.mark.parametrize("hold", ["", "L"])
def test_placement_with_hold_is_that_of_the_game(hold: str) -> None:
    position = Position.from_board(Board.from_text(T_SPIN_DOUBLE), "T", "IOSZJ", "guideline", hold=hold, combo=1)
    board = PracticeBoard.from_position(position)
    placements = [placement for placement in position.placements() if placement.hold]
    assert placements
    for placement in placements:
        after, _ = board.place_piece(placement, seed=1)
        expected = position.after(placement)
        assert (after.board, after.piece, after.hold) == (expected.board, expected.piece, expected.hold)
        assert after.next.startswith(expected.next)
        assert (after.lines, after.combo, after.back_to_back) == (expected.lines, expected.combo, expected.back_to_back)


def test_hold_can_be_used_again_and_again() -> None:
    board = PracticeBoard.from_position(Position.from_board(Board(), "T", "IOSZJ", "guideline"))
    swapped = board.with_held_piece(seed=1)
    assert (swapped.piece, swapped.hold, swapped.next[:4]) == ("I", "T", "OSZJ")
    again = swapped.with_held_piece(seed=1)
    assert (again.piece, again.hold, again.next) == ("T", "I", swapped.next)


def test_other_rules_end_combos_and_hold() -> None:
    position = Position.from_board(Board(), "T", next="IOSZJ", rules="guideline", hold="L", combo=3, back_to_back=2)
    board = PracticeBoard.from_position(position)
    assert board.with_rules(Rules.parse("jstris")).combo == 3
    research = board.with_rules(Rules.parse("standard"))
    assert (research.hold, research.combo, research.back_to_back) == ("", 0, 0)
    assert research.position.piece == "T"
    with_hold = board.with_rules(Rules.parse("standard:hold=1"))
    assert (with_hold.hold, with_hold.combo, with_hold.back_to_back) == ("L", 0, 0)
    without_hold = board.with_rules(Rules.parse("guideline:hold=0"))
    assert (without_hold.hold, without_hold.combo, without_hold.back_to_back) == ("", 3, 2)


def test_tetris_and_perfect_clear(driver: WindowDriver) -> None:
    screen = open_position(driver, TETRIS, "I")
    position = screen.practice_board.position
    play_placement(screen, next(each for each in position.placements() if position.after(each).lines == 4))
    assert screen.practice_game.action.lines == ("Tetris", "Perfect clear")


def test_advice_names_hold() -> None:
    placement = Placement("L", 0, 3, 0, "srs", hold=True)
    assert describe_advice("lee", placement) == "lee would use hold and play L at the dotted outline."
    assert describe_advice("lee", Placement("L", 0, 3, 0)) == "lee would play at the dotted outline."
