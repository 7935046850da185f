"""The rule `clearing=hanging`: rows between full rows stay where they are, as in the program of Gavrilov's report."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from tests.game.reference_comparison import to_engine_board
from tests.reference.board import Board as SlowBoard, clear_hanging, full_rows, picture
from tests.reference.pieces import WIDTH
from tests.reference.random_boards import HEIGHTS
from tetrion import Board, Game, Position, Rules
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import get_agent_settings
from tetrion.engine.batch_play import (
    UNLIMITED,
    make_games,
    play_any_movement,
    play_drops_scalar,
    play_drops_simd,
    play_local_drops,
)
from tetrion.engine.rules import make_rules_record
from tetrion.game import copy_game_record
from tetrion.stack import Stack

HANGING = "standard:clearing=hanging,randomiser=only-I"


def place_upright(game: Game, column: int) -> int:
    """Place an upright I; return the number of cleared rows."""
    return game.place(next(each for each in game.placements() if (each.rotation, each.column) == (1, column)))


def draw_rows(game: Game, count: int) -> list[str]:
    """Return the lowest rows of a game, top to bottom."""
    return str(game.board).split("\n")[-count:]


def test_rows_between_full_rows_stay() -> None:
    board = Board.from_text(["#.........", "##...#....", "####.#####", "..##.###..", "####.#####"])
    game = Game.from_position(Position.from_board(board, "I", rules=HANGING))
    assert place_upright(game, 4) == 2
    # The two upper rows have moved down by two: the lower one of them into the row that stays (Figure 52).
    assert draw_rows(game, 4) == ["..........", "#.........", "########..", ".........."]
    assert game.stack.to_text(3) == "\n".join(["#.........", "####I###..", ".........."])


def test_a_row_that_becomes_full_by_merging_is_cleared_with_the_next_piece() -> None:
    board = Board.from_text(["#.........", "##........", "####.#####", ".###.#####", "####.#####"])
    game = Game.from_position(Position.from_board(board, "I", rules=HANGING))
    assert place_upright(game, 4) == 2
    assert draw_rows(game, 3) == ["#.........", "##########", ".........."]
    assert game.position.after(game.placements()[0]).lines == 3
    assert place_upright(game, 9) == 1
    assert draw_rows(game, 6) == ["..........", *[".........#"] * 3, "#........#", ".........."]


def test_five_rows_count_as_four_in_points_and_statistics() -> None:
    board = Board.from_text([*["####.#####"] * 4, "##########", ".........."])
    game = Game.from_position(Position.from_board(board, "I", rules=f"{HANGING},scoring=flat"))
    assert place_upright(game, 4) == 5
    record = copy_game_record(game)
    assert (game.lines, game.score, record.clears.tolist()) == (5, 1200, [0, 0, 0, 1])
    assert max(game.board.heights) == 0


def make_board_with_full_rows(random: Random) -> SlowBoard:
    """Return a random board of which up to four rows are full."""
    board = [[random.random() < 0.7 for _ in range(WIDTH)] for _ in range(random.choice(HEIGHTS))]
    for row in random.sample(board, random.randint(0, 4)):
        row[:] = [True] * WIDTH
    return board


def test_stacks_and_games_clear_like_the_reference_on_random_boards() -> None:
    counts = set()
    for case in range(500):
        random = Random(f"hanging clear, case {case}")
        board = make_board_with_full_rows(random)
        counts.add(len(full_rows(board)))
        after = to_engine_board(clear_hanging(board))
        stack = Stack.from_board(to_engine_board(board), clearing="hanging").without_full_rows()
        assert stack.to_text(len(board)) == str(after), picture(board)
    assert counts >= set(range(5))


PLAY_FUNCTIONS: list[Callable[..., int]] = [play_any_movement, play_drops_simd, play_drops_scalar, play_local_drops]


@pytest.mark.parametrize("height", [8, 20])
def test_all_functions_play_identical_games(height: int) -> None:
    settings = get_agent_settings(load_weighted_agent("du"), Rules.parse(f"{HANGING},height={height}"))
    settings = settings._replace(
        rules=make_rules_record(Rules("standard", clearing="hanging", height=height)), max_pieces=400
    )
    played = []
    for play in PLAY_FUNCTIONS:
        games = make_games(20, seed=5)
        play(games, settings, UNLIMITED)
        played.append(games)
    assert played[0]["lines"].sum() > 1_000 * (height == 20)
    for games in played[1:]:
        for name in ("board", "lines", "clears", "pieces"):
            np.testing.assert_array_equal(games[name], played[0][name])
