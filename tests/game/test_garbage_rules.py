"""Attack and garbage by the clock and in the opener phase: cases that were computed by hand."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from tetrion import Board, Game, Placement, Position, Replay
from tetrion.game import copy_game_record
from tetrion.position import read_position

BY_TIME = "guideline:garbage_rows=1,garbage_interval=1,garbage_delay=100,garbage_delay_unit=frames,placement_frames=10"


def start_game(rules: str, board: Board, piece: str, **changes: Any) -> Game:
    position = Position.from_board(board, piece, "OOO", rules)
    return Game.from_position(replace(position, **changes))


def make_tetris(rules: str, **changes: object) -> Game:
    """Return a game in which an I has cleared the four rows and left the board with one further row."""
    board = Board.from_text(["....##....", *[".#########"] * 4])
    game = start_game(rules, board, "I", **changes)
    assert game.place(Placement("I", 1, 0, 0, "srs")) == 4
    return game


def get_counter(game: Game, name: str) -> int:
    return int(getattr(copy_game_record(game), name))


def test_garbage_travels_by_time() -> None:
    """A batch that arrives with the first piece may rise after 100 frames, whatever the number of pieces."""
    game = start_game(BY_TIME + ",garbage_interval=1000", Board(), "O", garbage=((2, 100),))
    game.tick(40)
    assert game.position.garbage == ((2, 60),)
    game.press("drop")
    assert get_counter(game, "received") == 0
    game.tick(59)
    assert game.position.garbage == ((2, 1),)
    game.tick(1)
    assert get_counter(game, "received") == 0  # rows rise when a piece locks
    game.press("drop")
    assert get_counter(game, "received") == 2
    assert not game.position.garbage


def test_attack_grows_with_time() -> None:
    """A tetris sends 4 rows; the multiplier is 1.5 when half a second is over that counts."""
    rules = "guideline:attack=guideline,attack_growth=1000,attack_growth_start=2000,placement_frames=1"
    assert [get_counter(make_tetris(rules, frames=frames), "attack") for frames in (0, 2000, 2249, 2250, 2500)] == [
        4,
        4,
        4,
        5,
        6,
    ]


def test_surge_and_perfect_clear_grow_one_by_one() -> None:
    """At a multiplier of 1.2 a single that ends a chain of six and clears the board sends 0 + 6 rows.

    The surge is 5 rows, times 1.2; a perfect clear counts as difficult, so that it has no surge.
    """
    rules = "tetrio:attack_growth=1000,attack_growth_start=0"
    board = Board.from_text([".........#", "....######"])
    game = start_game(rules, board, "I", back_to_back=6, frames=200)
    game.place(Placement("I", 0, 0, 0, "srs+"))
    assert get_counter(game, "attack") == 6
    perfect = start_game(rules, Board.from_text(["....######"]), "I", back_to_back=6, frames=500)
    perfect.place(Placement("I", 0, 0, 0, "srs+"))
    assert get_counter(perfect, "attack") == 8  # floor(1 × 1.5) for back-to-back and floor(5 × 1.5)


@pytest.mark.parametrize(
    ("opener", "waiting", "left", "sent"), [(14, 10, 2, 0), (14, 3, 0, 1), (0, 10, 6, 0), (14, 0, 0, 4)]
)
def test_opener_phase(opener: int, waiting: int, left: int, sent: int) -> None:
    """A tetris cancels four rows, and eight of the rows that wait in the opener phase."""
    garbage = ((waiting, 5),) if waiting else ()
    game = make_tetris(f"guideline:opener_pieces={opener}", garbage=garbage)
    assert sum(rows for rows, _ in game.position.garbage) == left
    assert get_counter(game, "sent") == sent


def test_bonus_for_garbage() -> None:
    """A tetris that clears garbage sends one row more; one of rows that were there before does not."""
    rules = "guideline:garbage_clear_bonus=1"
    assert get_counter(make_tetris(rules), "attack") == 4
    game = start_game(rules, Board(), "O", garbage=((4, 0),))
    game.place(Placement("O", 0, 8, 0, "srs"))
    gap = next(column for column, cells in enumerate(game.board.columns) if not cells & 1)
    record = copy_game_record(game)
    assert (record.received, record.garbage_mask) == (4, 0b1111)
    position = read_position(record, game.rules)
    while game.piece != "I":
        game.place(next(each for each in game.placements() if all(x not in (gap, 8, 9) for x, _ in each.cells)))
    assert position.board.columns[gap] == 0
    game.place(Placement("I", 1, gap, 0, "srs"))
    assert (get_counter(game, "attack"), get_counter(game, "garbage_mask")) == (5, 0)


def test_game_starts_with_garbage() -> None:
    """The gaps of a cheese race never lie above each other, and the same seed has the same rows."""
    rules = "jstris:start_garbage=10,garbage_messiness=100"
    game = Game(rules, 5)
    gaps = [row.index(".") for row in game.stack.rows]
    assert len(gaps) == game.position.garbage_height == 10
    assert all(below != above for below, above in pairwise(gaps))
    assert Game(rules, 5).board == game.board != Game(rules, 6).board
    for key in ("hold", "drop", "drop"):
        game.press(key)
    assert get_counter(game, "received") == 10
    assert game.stack.rows[:10] == game.garbage_rises[0]
    assert Replay.from_game(game).play().stack == game.stack
