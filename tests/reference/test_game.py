"""Games of the reference: published counts, hold, combos, back-to-backs, garbage, game over."""

from random import Random

import pytest

from tests.engine.test_perft import BENCHMARK_BOARDS, PUBLISHED_COUNTS
from tests.reference.board import Board, Placement, fill_cells, full_rows, is_free, picture, remove_full_rows
from tests.reference.game import Game
from tests.reference.movement import PieceMotion, find_placements
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


@pytest.mark.parametrize("queue", PUBLISHED_COUNTS)
def test_published_counts(queue: str) -> None:
    """The counts of depths 1 and 2; with SRS, spins not told apart."""
    game = start_game(make_rules(), queue)
    assert len(game.placements) == PUBLISHED_COUNTS[queue][0]
    boards = [remove_full_rows(fill_cells(game.board, game.cells(each))) for each in game.placements]
    counts = [len(find_placements(PieceMotion(board, queue[1], game.rules), 0)) for board in boards]
    assert sum(counts) == PUBLISHED_COUNTS[queue][1]


@pytest.mark.parametrize("text", BENCHMARK_BOARDS)
def test_boards_of_cold_clear_2(text: str) -> None:
    board = fill_board(list(reversed(text.split())))
    counts = {
        piece: len(find_placements(PieceMotion(board, piece, make_rules()), 0)) for piece in BENCHMARK_BOARDS[text]
    }
    assert counts == BENCHMARK_BOARDS[text]


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


def make_random_game_rules(random: Random) -> Rules:
    return make_rules(
        height=8,
        hidden_rows=2,
        hold=random.choice([0, 1]),
        preview=random.choice([0, 1, 5]),
        rotation=random.choice(["srs", "srs+"]),
        half_turn_kicks=random.choice(["none", "tetrio"]),
        movement=random.choice(["reach", "reach", "drop"]),
        spins=random.choice(["none", "t", "all-mini", "all"]),
        attack=random.choice(["none", "libtetris", "guideline", "jstris", "tetrio", "tetrio-s1"]),
        game_over=random.choice(["room", "entry", "lock-out", "top-row", "above"]),
        garbage_rows=random.choice([0, 1, 3]),
        garbage_interval=random.choice([1, 2, 5]),
        garbage_delay=random.choice([0, 2, 12]),
        garbage_cap=random.choice([1, 4, 8]),
        garbage_messiness=random.choice([0, 30, 100]),
    )


def choose_placement(game: Game, random: Random) -> Placement:
    """Return a placement that clears rows, covers few empty cells and lies low, in this order of importance."""

    def rank(placement: Placement) -> tuple[int, int, int, float]:
        cells = game.cells(placement)
        rows = len(full_rows(fill_cells(game.board, cells)))
        covered = sum(is_free(game.board, (x, y - 1)) and (x, y - 1) not in cells for x, y in cells)
        return -rows, covered, placement.row, random.random()

    return min(game.placements, key=rank)


def play_game(number: int, pieces: int) -> Game:
    """Play a game with random rules and check the conservation of garbage after each piece."""
    random = Random(f"modern game, {number}")
    game = Game.from_seed(make_random_game_rules(random), seed=3, number=number)
    while not game.is_over and game.pieces < pieces:
        game.place(choose_placement(game, random))
        garbage = game.garbage
        assert garbage.queued == garbage.cancelled + garbage.risen + garbage.rows
        assert game.attack == game.sent + garbage.cancelled
        assert len(garbage.batches) <= 8
        assert all(batch.rows > 0 for batch in garbage.batches)
        assert not any(all(row) for row in game.board)
    return game


def describe(game: Game) -> tuple[object, ...]:
    return (picture(game.board), game.known_pieces, game.hold, game.score, game.clears, game.attack, game.sent)


def test_random_games() -> None:
    """Rows of garbage are conserved, and the same seed gives the same game."""
    games = [play_game(number, pieces=25) for number in range(20)]
    again = [play_game(number, pieces=25) for number in range(20)]
    assert [describe(game) for game in again] == [describe(game) for game in games]
    assert sum(game.lines for game in games) > 50
    assert sum(game.received for game in games) > 20
    assert sum(game.garbage.cancelled for game in games) > 0
    assert any(game.is_over for game in games)
    assert any(game.hold for game in games)
    for game in games:
        assert sum(rows * count for (_, rows), count in game.clears.items()) == game.lines
