"""An agent at a game: the same game at any speed, whoever plays, and nobody who waits for it."""

import threading
import time
from collections.abc import Callable
from itertools import pairwise
from math import inf
from pathlib import Path

import pytest

from tetrion.agents import AnyAgent, load_agent, load_weighted_agent
from tetrion.app.games import fast_play
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.games.background_agent import BackgroundAgent
from tetrion.app.games.game_tracker import GameTracker
from tetrion.board import Placement
from tetrion.drawing.stack import Stack
from tetrion.engine.rules import Rules
from tetrion.evaluation.agent_evaluation import evaluate
from tetrion.game import Game
from tetrion.position import Position

GAMBLER = """
import random
class Gambler:
    def __init__(self):
        self.moves = 0
    def choose(self, position):
        self.moves += 1
        assert self.moves == position.pieces + 1, "asked twice"
        return random.choice(position.placements())
"""
SLEEPER = """
import time
class Sleeper:
    def choose(self, position):
        time.sleep(600)
"""
POOR = "lowest"  # a player whose games are short


def until(happened: Callable[[], object], seat: AgentGame, seconds: float = 1 / 60) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        seat.update(seconds)
        time.sleep(0.0005)


def played(seat: AgentGame, speeds: tuple[float, ...]) -> Game:
    """The game to its end, with another speed after every few frames."""
    frame = 0
    while not seat.game.is_over:
        assert not seat.problem
        seat.speed = speeds[frame // 5 % len(speeds)]
        seat.update(0.5)
        time.sleep(0.0005)
        frame += 1
    seat.update(0)
    seat.close()
    return seat.game


def expected(agent: AnyAgent | str, rules: str, seed: int) -> tuple[int, int, int]:
    result = evaluate(agent, rules, 1, seed, workers=1)
    return result.pieces.min, result.lines.min, result.score.min


def reached(game: Game) -> tuple[int, int, int]:
    return game.pieces, game.lines, game.score


@pytest.mark.parametrize("speeds", [(inf,), (1000,), (4, inf, 12, 300, 2)])
@pytest.mark.parametrize(("agent", "rules"), [("random", "tetrais"), ("random-keys", "gavrilov")])
def test_the_game_is_the_one_that_is_counted_at_any_speed(agent: str, rules: str, speeds: tuple[float, ...]) -> None:
    game = played(AgentGame(agent, Rules.parse(rules), 3), speeds)
    assert reached(game) == expected(agent, rules, 3)
    assert len(game.placements_made) == game.pieces


def test_an_agent_of_ones_own_is_asked_once_a_move_at_any_speed(tmp_path: Path) -> None:
    (tmp_path / "gambler.py").write_text(GAMBLER)
    agent = load_agent(f"{tmp_path / 'gambler.py'}:Gambler")
    game = played(AgentGame(agent, Rules.from_preset("standard"), 7), (4, inf, 12))
    assert reached(game) == expected(agent, "standard", 7)


class Idle(BackgroundAgent):
    """Somebody who must not be asked; what is to be run is left to the test."""

    def __init__(self) -> None:
        self.agent = None
        self.asked = 0

    def run_job(self, job: Callable[[], None]) -> None:
        self.thread = threading.Thread(target=job)

    def choose(self, position: Position, seed: int = 0) -> Placement:
        self.asked += 1
        return position.placements()[0]


def test_a_sprint_that_is_stopped_while_it_is_held_asks_nobody() -> None:
    game, idle = Game("standard"), Idle()
    held = fast_play.FastPlay(idle, game, GameTracker(game), inf, None)
    held.set_held(True)
    idle.thread.start()
    time.sleep(0.02)  # it waits now
    assert held.stop() is None
    idle.thread.join(10)
    assert (idle.asked, game.pieces) == (0, 0)


def test_moves_are_steps_until_autoplay_is_on() -> None:
    seat = AgentGame("dellacherie", Rules.from_preset("standard"), 0, autoplay=False, explained_count=5)
    until(lambda: seat.current_decision, seat)
    for _ in range(60):
        seat.update(1 / 60)
    assert seat.game.pieces == 0
    assert seat.last_explained
    assert seat.last_explained.decision.explanation
    seat.step()
    until(lambda: seat.game.pieces == 1, seat)
    until(lambda: seat.current_decision, seat)
    for _ in range(60):
        seat.update(1 / 60)
    assert seat.game.pieces == 1
    seat.autoplay = True
    until(lambda: seat.game.pieces == 3, seat)
    seat.close()


def test_half_a_second_a_move_and_a_pause_before_a_clear() -> None:
    seat, seconds = AgentGame("dellacherie", Rules.from_preset("standard"), 0), 0.0
    until(lambda: seat.current_decision, seat, 0.0)
    while seat.game.pieces < 30 or seat.clearing_lock:
        until(lambda: not seat.is_thinking, seat, 0.0)
        seat.update(0.01)
        seconds += 0.01
    cleared = sum(seat.tracker.clear_counts)
    assert cleared > 3
    assert seconds == pytest.approx(30 * 0.5 + 0.3 * cleared, abs=0.8)
    seat.close()


def test_a_speed_that_changes_in_the_middle_of_a_clear() -> None:
    seat = AgentGame("dellacherie", Rules.from_preset("standard"), 0, speed=8)
    until(lambda: seat.clearing_lock, seat)
    seat.autoplay = False
    before = seat.clear_milliseconds
    for speed in (0.5, 1000, inf):
        seat.speed = speed
        assert seat.clear_milliseconds == before, "it lasts as long as it was to"
    until(lambda: not seat.clearing_lock, seat)
    seat.close()


def test_a_piece_goes_by_its_keys_to_where_it_rests() -> None:
    seat = AgentGame("dellacherie", Rules.from_preset("standard"), 0, autoplay=False, speed=2)
    until(lambda: seat.current_decision, seat)
    seat.step()
    seen, made = [], []
    while seat.game.pieces == 0:
        if seat.active_piece:
            seen.append((seat.active_piece.column + seat.offset[0], seat.active_piece.row + seat.offset[1]))
            made.append(seat.keys_pressed)
        seat.update(1 / 120)
    decision = seat.decision
    assert decision is not None
    assert made == sorted(made)
    assert made[-1] == len(decision.steps)
    assert decision.steps[-1].key == "drop"
    heights = [row for _, row in seen]
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] - decision.placement.row < 3, "it has nearly arrived"
    assert max(first - second for first, second in pairwise(heights)) < 3, "it falls smoothly"
    assert seat.game.placements_made == [decision.placement]
    seat.close()


def test_what_is_followed_is_the_board_whether_pieces_are_told_or_not() -> None:
    told, untold = Game("gavrilov", 4), Game("gavrilov", 4)
    one, many = GameTracker(told), GameTracker(untold)
    setting = load_weighted_agent(POOR).get_engine_settings(told.rules)
    locks = []
    while not told.is_over:
        told.play(setting)
        locks += one.process_new_locks()
    while not untold.is_over:
        untold.play(setting, 7)
        many.catch_up()
    assert len(locks) == told.pieces
    assert sum(lock.lines for lock in locks) == told.lines
    assert one.stack == many.stack
    assert one.heights == many.heights
    assert (one.clear_counts, one.clear_points, one.piece_counts) == (
        many.clear_counts,
        many.clear_points,
        many.piece_counts,
    )
    assert sum(one.clear_points) == told.score
    known = Stack.from_board(told.board, told.rules.height).rows
    assert tuple("".join("#" if cell != "." else "." for cell in row) for row in one.stack.rows) == known


def test_a_hanging_agent_is_left_at_once_and_restarted_at_once(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    seat = AgentGame(load_agent(f"{tmp_path / 'sleeper.py'}:Sleeper"), Rules.from_preset("standard"), 0, speed=inf)
    until(lambda: seat.background_agent.agent and (seat.is_thinking or seat.is_fast_playing), seat)
    begun = time.perf_counter()
    seat.update(1 / 60)
    seat.restart()
    seat.update(1 / 60)
    seat.close()
    assert time.perf_counter() - begun < 0.5
    assert not seat.problem


def test_an_agent_that_is_too_late_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    seat = AgentGame(
        load_agent(f"{tmp_path / 'sleeper.py'}:Sleeper:deadline=0.2"), Rules.from_preset("standard"), 0, speed=inf
    )
    until(lambda: seat.problem, seat)
    assert "0.2 seconds" in seat.problem
    seat.restart()
    assert not seat.problem
    seat.close()


def test_a_game_without_end_forgets_what_nobody_will_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_play, "MAX_SAVED_PIECES", 500)
    seat = AgentGame("dellacherie", Rules.from_preset("standard"), 0, speed=inf)
    until(lambda: seat.game.pieces > 2000, seat)
    seat.autoplay = False
    seat.update(0)
    assert not seat.is_complete
    assert len(seat.game.placements_made) < 1000
    assert (seat.moves_per_second or 0) > 100
    seat.close()
