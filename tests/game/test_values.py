"""Boards and placements: text, pictures, features, and invalid values."""

from typing import Any
from xml.etree import ElementTree

import pytest

from tetrion import Board, Game, Placement, Position
from tetrion.errors import BoardError, PlacementError, PositionError, TetrionError, UnknownNameError

TEXT = """
..#.......
..........
.X########
"""


def test_text_round_trips() -> None:
    board = Board.from_text(TEXT)
    assert board.rows == 20
    assert board.heights == (0, 1, 3, 1, 1, 1, 1, 1, 1, 1)
    assert str(board).endswith("..#.......\n..........\n.#########")
    assert eval(repr(board)) == board
    assert Board.from_text(str(board)) == board
    assert Board.from_text(["..........", "#........."]) == Board((1, *(0,) * 9))
    assert Board.from_text("") == Board.from_text("\n") == Board()
    assert eval(repr(Board())) == Board()
    assert hash(board) == hash(Board.from_text(TEXT)) == hash(Board(list(board.columns)))  # type: ignore[arg-type]
    indented = Board.from_text("""
        ..#.......
        ..........
        .X########
        """)
    assert indented == board


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Board.from_text("...."), "row 1 from the top has 4"),
        (lambda: Board.from_text(".........#\n" * 5, rows=4), "5 are drawn"),
        (lambda: Board(rows=29), "4 to 28 rows"),
        (lambda: Board((1 << 20, *(0,) * 9)), "from 0 to 1048575"),
        (lambda: Board.from_text(None), "text or as a list of rows"),  # type: ignore[arg-type]
    ],
)
def test_invalid_boards(make: Any, message: str) -> None:
    with pytest.raises(BoardError, match=message):
        make()


def test_placements_with_the_same_cells_are_equal() -> None:
    up = Placement("T", 0, 3, 0)
    assert up.cells == ((3, 0), (4, 0), (4, 1), (5, 0))
    assert up == Placement("T", 2, 3, 0, "nes")  # where T spawns pointing down
    assert len({up, Placement("T", 2, 3, 0, "nes"), Placement("T", 2, 3, 0)}) == 2
    assert eval(repr(up)) == up
    assert eval(repr(Placement("T", 2, 3, 0, "nes"))) == up


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Placement("Q", 0, 0, 0), UnknownNameError),
        (lambda: Placement("O", 1, 0, 0), PlacementError),
        (lambda: Placement("I", 0, 7, 0), PlacementError),
        (lambda: Placement("I", 0, 0, 0, "nez"), UnknownNameError),
    ],
)
def test_invalid_placements(make: Any, error: type[TetrionError]) -> None:
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Position.from_board(Board(rows=22), "T"), "at most 20 rows; this one has 22"),
        (lambda: Position.from_board(Board(), "X"), "Unknown piece 'X'"),
        (lambda: Position.from_board(Board(), "T", frames=2**64), "whole number from 0"),
        (lambda: Game.from_position(None), "needs a position with a current piece"),  # type: ignore[arg-type]
        (
            lambda: Position.from_board(Board(), "O", rules="nes:gravity=0").find_timed_keys(Placement("O", 0, 0, 0)),
            "gravity=0",
        ),
        (lambda: Position.from_board(Board(), "T").find_timed_keys(Placement("T", 0, 0, 0)), "movement=drop"),
        (lambda: Position.from_board(Board(), "T").after(Placement("T", 0, 0, 0)).placements(), "piece is unknown"),
        (
            lambda: Game.from_position(Position.from_board(Board(), "T").after(Placement("T", 0, 0, 0))),
            "needs a position with a current piece",
        ),
    ],
)
def test_invalid_positions(make: Any, message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        make()


def test_position_after_a_placement() -> None:
    floor = Board.from_text("###.######")
    position = Position.from_board(floor, "T", next="LJ", rules="nes")
    assert position.board.rows == 22
    placement = Placement("T", 0, 2, 0, "nes")  # pointing down into the gap
    after = position.after(placement)
    assert (after.piece, after.next, after.lines, after.pieces, after.score) == ("L", "J", 1, 1, 40)
    assert str(after.board).endswith("\n..###.....")
    assert position.board.heights[3] == 0  # a position is a value


def test_pictures_are_well_formed() -> None:
    game = Game("gavrilov", seed=3)
    for _ in range(5):
        game.place(game.placements()[0])
    for drawable in (Board.from_text(TEXT), game.position, game):
        picture = ElementTree.fromstring(drawable._repr_svg_())
        assert picture.tag.endswith("svg")
    cells = sum(bin(column).count("1") for column in game.board.columns)
    assert game._repr_svg_().count("<rect") == 1 + cells + 4 * (game.falling_piece is not None)
    assert game.position._repr_svg_().count("<rect") == 1 + cells + 4
    assert Board(game.board.columns)._repr_svg_().count("<rect") == 1 + cells
    after = game.position.after(game.placements()[0])
    assert (after.spawn is None) == (after.piece is None)
    with pytest.raises(PositionError, match="piece is unknown"):
        Position.from_board(Board(), "O").after(Placement("O", 0, 0, 0)).placements()
