"""Games of the reference: published counts, hold, combos, back-to-backs, garbage, game over."""

from tests.reference.board import Board, Placement, picture
from tests.reference.game import Game
from tests.reference.rules import Rules, make_rules
from tests.reference.spin_cases import fill_board


def start_game(rules: Rules, pieces: str, board: Board | None = None) -> Game:
    """Return a game that deals these pieces and then O, on a board."""
    letters = iter(pieces + "O" * 100)
    return Game(rules, lambda board: next(letters), key=1, board=board)


def find_placement(game: Game, cells: str) -> Placement:
    """Return the placement of the current piece on cells that are given as column and row, such as "00 10 20 11"."""
    wanted = [(int(cell[0]), int(cell[1])) for cell in cells.split()]
    (found,) = (each for each in game.placements if sorted(game.cells(each)) == sorted(wanted))
    return found


def test_hold_with_an_empty_box_takes_the_next_piece() -> None:
    """Two pieces leave the queue; afterwards the box is exchanged."""
    game = start_game(make_rules(hold=1, preview=3), "TIJLSZ")
    without, with_hold = list(game.placements)[:34], list(game.placements)[34:]
    assert not any(each.with_hold for each in without)
    assert len(with_hold) == 17
    assert all(each.with_hold for each in with_hold)
    game.place(with_hold[0])
    assert (game.hold, game.piece, game.next) == ("T", "J", "LSZ")
    assert len(game.placements) == 34 + 34
    game.place(list(game.placements)[-1])
    assert (game.hold, game.piece, game.next) == ("J", "L", "SZO")
    game.place(next(iter(game.placements)))
    assert (game.hold, game.piece, game.next) == ("J", "S", "ZOO")


def test_hold_without_a_preview_needs_a_filled_box() -> None:
    game = start_game(make_rules(hold=1, preview=0), "TIJ")
    assert not any(each.with_hold for each in game.placements)
    game.hold = "O"
    game.start_piece()
    assert sum(each.with_hold for each in game.placements) == 9


def test_placements_are_ordered_and_unique() -> None:
    """Without hold first, then rotation, column, row from the top, spin."""
    board = fill_board([".#########", "...#######"])
    game = start_game(make_rules(hold=1, preview=1, spins="all"), "TJ", board)
    keys = [
        (each.with_hold, each.orientation, each.column, -each.row, ["none", "mini", "full"].index(each.spin))
        for each in game.placements
    ]
    assert keys == sorted(set(keys))
    assert {each.spin for each in game.placements} == {"none", "mini"}


def test_combo_and_back_to_back() -> None:
    """Three clears on prepared rows: a tetris, a back-to-back tetris, and a double that empties the board."""
    board = fill_board([".#########"] * 8 + ["..########"] * 2)
    game = start_game(make_rules(attack="libtetris", spins="t"), "IIO", board)
    game.place(find_placement(game, "00 01 02 03"))
    assert (game.lines, game.combo, game.back_to_back, game.attack, game.score) == (4, 1, 1, 4, 800)
    game.place(find_placement(game, "00 01 02 03"))
    assert (game.lines, game.combo, game.back_to_back, game.attack, game.score) == (8, 2, 2, 9, 2050)
    assert picture(game.board[:3]).split() == ["..........", "..########", "..########"]
    game.place(find_placement(game, "00 10 01 11"))
    assert (game.lines, game.combo, game.back_to_back, game.attack) == (10, 3, 0, 19)  # a perfect clear
    assert game.score == 2050 + 300 + 50 * 2 + 1200
    assert game.clears == {("none", 4): 2, ("none", 2): 1}
    assert (game.back_to_backs, game.longest_combo, game.perfect_clears, game.level) == (1, 2, 1, 2)
    game.place(next(iter(game.placements)))
    assert (game.combo, game.back_to_back, game.longest_combo) == (0, 0, 2)


def test_spin_without_a_row_keeps_the_chain_and_ends_the_combo() -> None:
    board = fill_board(["##.###.###", "#...###.##", "#..##.#..."])
    game = start_game(make_rules(attack="libtetris", spins="t"), "TO", board)
    game.combo, game.back_to_back = 3, 2
    game.place(next(each for each in game.placements if each.spin == "full"))
    assert (game.combo, game.back_to_back, game.attack, game.score) == (0, 2, 0, 400)
    assert game.clears == {("full", 0): 1}


def test_lock_out_comes_before_garbage() -> None:
    board = fill_board(["#........."] * 20)
    rules = make_rules(garbage_rows=1, garbage_interval=1, spawn_height=2, height=20)
    game = start_game(rules, "IO", board)
    game.garbage.add_batch(3, due=0)
    game.place(max(game.placements, key=lambda each: each.row))
    assert game.is_over
    assert (game.received, game.garbage.rows, game.pieces) == (0, 3, 1)


def test_garbage_tops_out_row_by_row() -> None:
    """A cell that would be pushed out of the board ends the game."""
    board = fill_board(["#........."] * 26)
    game = start_game(make_rules(), "OO", board)
    game.garbage.add_batch(5, due=0)
    game.place(list(game.placements)[-1])
    assert game.is_over
    assert game.received == 2
    assert game.board[27][0]


def test_clear_stops_garbage() -> None:
    """Due rows rise only when a piece clears nothing; the attack of a clear cancels rows that are not due."""
    board = fill_board([".#########"] * 4)
    game = start_game(make_rules(attack="guideline", garbage_cap=4), "IOO", board)
    game.garbage.add_batch(1, due=0)
    game.garbage.add_batch(5, due=9)
    game.place(find_placement(game, "00 01 02 03"))
    assert (game.attack, game.sent, game.received, game.garbage.rows) == (4, 0, 0, 2)
    game.place(next(iter(game.placements)))
    assert game.received == 0  # what is left is due after nine pieces
    game.pieces = 9
    game.place(next(iter(game.placements)))
    assert game.received == 2
