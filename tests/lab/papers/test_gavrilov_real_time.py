"""Tests of the real-time games of Gavrilov's trained agent."""

import pytest

from tetrion import Board, Game, Placement, Position
from tetrion.lab.papers.gavrilov import gavrilov_answers, gavrilov_real_time


def play_on_board(height: int, column: int, rate: int = 15) -> Game:
    """Play an O piece with keys to a column, behind a wall in column 2 of a given height."""
    board = Board((0, 0, (1 << height) - 1) + (0,) * 7, 24)
    position = Position.from_board(board, "O", "T", gavrilov_real_time.make_real_time_rules(rate), frames=10**6)
    game = Game.from_position(position)
    gavrilov_real_time.play_piece_by_keys(game, Placement("O", 0, column, 0, position.rules.rotation))
    return game


def test_piece_reaches_its_target_over_a_low_wall() -> None:
    game = play_on_board(10, 0)
    assert (game.placements_made[0].column, game.placements_made[0].row) == (0, 0)


def test_piece_misses_its_target_behind_a_high_wall() -> None:
    assert play_on_board(18, 0).placements_made[0].column == 3


def test_slow_keys_let_the_piece_fall_below_the_wall() -> None:
    assert play_on_board(16, 0, 60).placements_made[0].column == 0
    assert play_on_board(16, 0, 5).placements_made[0].column == 2, "it rests on the wall"


def test_blocking_height_falls_with_the_time_per_key() -> None:
    heights = [
        gavrilov_real_time.compute_blocking_height(gavrilov_real_time.make_real_time_rules(rate))
        for rate in gavrilov_real_time.REAL_TIME_KEY_RATES
    ]
    assert heights == [10, 13, 15, 16]


def test_lower_boards_need_no_keys() -> None:
    lines = [gavrilov_real_time.play_by_keys(15, 10, 2, 1500, height)["lines"].tolist() for height in (13, 9)]
    assert lines[0] == lines[1]


def test_more_keys_per_second_take_less_time() -> None:
    slow, fast = (gavrilov_real_time.time_key_game(rate, 1, 0, 30) for rate in (15, 60))
    assert len(slow) == len(fast) == 30
    assert slow[-1] > fast[-1] > 30 * 3 * 0.3
    assert slow == sorted(slow)


def test_time_per_piece_is_that_of_the_first_pieces() -> None:
    assert gavrilov_real_time.compute_seconds_per_piece([[1.0, 2.0, 9.0], [3.0]], 2) == pytest.approx(5 / 3)


def test_table_of_real_time_games() -> None:
    summary = {"mean": 3000.0, "ci95": [2900.0, 3100.0], "deviation": 1.0}
    data = {
        "lines": {"games": 10, "capped": 0, "lines": summary},
        "seconds_per_piece": 0.96,
        "training_seconds_per_piece": 1.0,
    }
    rates = list(map(str, gavrilov_real_time.REAL_TIME_KEY_RATES))
    fast_rates = list(map(str, gavrilov_real_time.FAST_KEY_RATES))
    metrics = {"pieces": [8640.0] * 20, "mean": [450.0] * 20}
    results = {
        "real-time": dict.fromkeys(rates, data),
        "real-time-fast": dict.fromkeys(fast_rates, data),
        "evolution": {"runs": [{"metrics": metrics}]},
    }
    texts = ["3,000 ± 100 (10 games)", "0.96 s", "1.0 hours", "2.0 hours", "1.5 days (1.5 to 1.5)"]
    assert gavrilov_answers.make_real_time_table(results) == [
        [rate, *texts] for rate in ("8", "15", "30", "59", "125", "200", "500")
    ]


def test_time_per_piece_has_a_lower_bound_of_four_rows() -> None:
    fast, fastest = (gavrilov_real_time.time_key_game(rate, 1, 0, 20) for rate in (200, 400))
    assert fast == fastest, "all keys are pressed within one row of the fall"
