"""The movement and the end of the game under modern rules: spawn, half turns, block out and lock out."""

import pytest

from tetrion import Board, Game, Placement, Position, Rules

SRS_RULES = "perft:keys=left+right+rotate+back+half+down+drop"

# The cells of a new piece as (column, row), for a centre in column 4 of row 19.
SPAWN_CELLS = {
    "I": {(3, 19), (4, 19), (5, 19), (6, 19)},
    "O": {(4, 19), (5, 19), (4, 20), (5, 20)},
    "T": {(3, 19), (4, 19), (5, 19), (4, 20)},
    "S": {(3, 19), (4, 19), (4, 20), (5, 20)},
    "Z": {(4, 19), (5, 19), (3, 20), (4, 20)},
    "J": {(3, 19), (4, 19), (5, 19), (3, 20)},
    "L": {(3, 19), (4, 19), (5, 19), (5, 20)},
}


@pytest.mark.parametrize("piece", SPAWN_CELLS)
def test_spawn_cells(piece: str) -> None:
    """The spawn position of the published counts."""
    spawn = Position.from_board(Board(), piece, rules="perft").spawn
    assert spawn is not None
    assert set(spawn.cells) == SPAWN_CELLS[piece]


def get_cells_after(rules: str, piece: str, keys: str) -> list[tuple[int, int]]:
    """Return the cells of a piece on an empty board after some keys."""
    game = Game.from_position(Position.from_board(Board(), piece, "O", rules))
    for key in keys.split():
        game.press(key)
    assert game.falling_piece is not None
    return sorted(game.falling_piece.cells)


@pytest.mark.parametrize("piece", SPAWN_CELLS)
def test_half_turn_equals_two_rotations_in_the_open(piece: str) -> None:
    half = get_cells_after(SRS_RULES, piece, "half")
    assert half == get_cells_after(SRS_RULES, piece, "rotate rotate")
    assert half == get_cells_after(SRS_RULES, piece, "back back")


def test_half_turn_kicks() -> None:
    """A half turn against a wall is blocked without kicks; both tables move the piece to the right."""
    board = Board.from_text(["...#......"] * 3)
    cells = {}
    for kicks in ("none", "jstris", "tetrio"):
        position = Position.from_board(board, "T", "O", f"{SRS_RULES},half_turn_kicks={kicks}")
        game = Game.from_position(position)
        for key in ["rotate", *["down"] * 18]:
            game.press(key)
        game.press("half")
        assert game.falling_piece is not None
        cells[kicks] = sorted(game.falling_piece.cells)
    assert cells["none"] == [(4, 0), (4, 1), (4, 2), (5, 1)]  # blocked
    assert cells["jstris"] == cells["tetrio"] == [(4, 1), (5, 0), (5, 1), (5, 2)]


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


def test_partial_lock_out_does_not_end_the_game() -> None:
    """A piece with a cell in the top visible row is not locked out; `above` ends the game."""
    board = make_tower(19, "##........")
    for game_over, is_over in {"lock-out": False, "above": True}.items():
        game = Game.from_position(Position.from_board(board, "O", "T", f"perft:game_over={game_over},spawn_height=1"))
        game.place(Placement("O", 0, 0, 19, "srs"))
        assert game.is_over == is_over


def test_hidden_rows_hold_cells() -> None:
    rules = Rules.parse("perft")
    assert (rules.height, rules.rows) == (20, 28)
    after = Position.from_board(make_tower(20, "#........."), "I", rules=f"{rules}:spawn_height=2").placements()
    assert max(row for placement in after for _, row in placement.cells) >= 20
