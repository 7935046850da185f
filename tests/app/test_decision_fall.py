"""The piece falls while its agent decides, and the game stays the one without a window."""

import threading
import time
from collections.abc import Callable
from itertools import pairwise
from math import inf
from pathlib import Path

import pygame
import pytest

from tests.app.window_driver import WindowDriver
from tetrion.agents import as_agent
from tetrion.agents.agent import is_decision_in_time
from tetrion.agents.code_consent import consent_to_path
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.games.decision_fall import DecisionFall
from tetrion.app.screens.watch_screen import WatchScreen
from tetrion.board import Placement
from tetrion.drawing.palette import get_piece_colours
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position

SLOW_AGENT = """
import time
class Slow:
    def choose(self, position):
        time.sleep(0.3)
        placements = position.placements()
        return placements[7 * position.pieces % len(placements)]
"""
FRAME_SECONDS = 0.125


class Scattering:
    """Chooses the placements of `SLOW_AGENT`, without delay."""

    def choose(self, position: Position) -> Placement:
        placements = position.placements()
        return placements[7 * position.pieces % len(placements)]


class Waiting(Scattering):
    """Decides only after `let_decide`, once per call."""

    def __init__(self) -> None:
        self._permits = threading.Semaphore(0)

    def let_decide(self) -> None:
        self._permits.release()

    def choose(self, position: Position) -> Placement:
        self._permits.acquire()
        return super().choose(position)


def play_without_window(rules: str, seed: int, pieces: int) -> Game:
    game = Game(rules, seed)
    game.play(Scattering(), pieces)
    return game


@pytest.mark.parametrize("rules", ["guideline", "jstris", "tetrio"])
def test_piece_of_a_modern_game_waits_for_a_slow_decision(rules: str) -> None:
    game = Game(rules, 3)
    fall = DecisionFall(game)
    fall.update(60.0)
    assert fall.piece == game.falling_piece
    assert fall.is_complete


def update_until(condition: Callable[[], object], agent_game: AgentGame, seconds: float = FRAME_SECONDS) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "condition not met"
        agent_game.update(seconds)
        time.sleep(0.0005)


def play_until(agent_game: AgentGame, pieces: int) -> None:
    """Update until a number of pieces have been placed."""
    update_until(lambda: agent_game.position.pieces == pieces, agent_game)


def wait_for_decision(agent_game: AgentGame) -> None:
    """Update until the agent is deciding; the new piece does not fall yet."""
    update_until(lambda: not agent_game.clearing_lock, agent_game)
    update_until(lambda: agent_game.background_agent.agent and agent_game.is_thinking, agent_game, 0.0)


def get_row(agent_game: AgentGame) -> int:
    assert agent_game.active_piece
    return agent_game.active_piece.row


def find_drawn_bottom(driver: WindowDriver, piece: str) -> int:
    """Return the lowest pixel of a falling piece; locked cells are darker."""
    colour = pygame.Color(get_piece_colours("tetrion")[piece])
    mask = pygame.mask.from_threshold(driver.window.surface, colour, (2, 2, 2, 255))
    return max((box.bottom for box in mask.get_bounding_rects()), default=0)


def test_slow_agent_in_the_window_plays_the_same_game_while_pieces_fall(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW_AGENT)
    consent_to_path(tmp_path / "slow.py")
    screen = driver.open_screen("watch", agent=f"{tmp_path / 'slow.py'}:Slow", rules="becker:gravity=100", seed=4)
    assert isinstance(screen, WatchScreen)
    agent_game = screen.agent_game
    assert agent_game
    driver.press("T")
    falling_rows = dict[int, list[int]]()
    drawn_bottoms = dict[int, list[int]]()
    driver.run_until(lambda: agent_game.background_agent.agent)
    while agent_game.game.pieces < 5:
        driver.run_frames(1, 0.05)
        time.sleep(0.001)
        if agent_game.is_thinking and not agent_game.clearing_lock:
            falling_rows.setdefault(agent_game.game.pieces, []).append(get_row(agent_game))
            drawn_bottoms.setdefault(agent_game.game.pieces, []).append(
                find_drawn_bottom(driver, agent_game.game.piece)
            )
    for number in range(1, 5):
        assert falling_rows[number] == sorted(falling_rows[number], reverse=True)
        assert drawn_bottoms[number] == sorted(drawn_bottoms[number])
        assert drawn_bottoms[number][-1] > drawn_bottoms[number][0] > 0, "the piece did not fall before the decision"
    assert agent_game.game.placements_made == play_without_window("becker:gravity=100", 4, 5).placements_made


def test_keys_start_where_the_piece_has_fallen_to() -> None:
    chooser = Waiting()
    agent_game = AgentGame(as_agent(chooser), Rules.parse("becker"), 4)
    for number in range(6):
        wait_for_decision(agent_game)
        start = get_row(agent_game)
        rows = []
        for _ in range(18):
            agent_game.update(FRAME_SECONDS)
            rows.append(get_row(agent_game))
        assert rows[-1] <= 20 - 4 - 2, "two seconds are four rows, from the top rows of the board"
        assert rows[0] == start
        assert set(pairwise(rows)) >= {(row, row - 1) for row in range(rows[-1] + 1, rows[5])}, "not row by row"
        chooser.let_decide()
        update_until(lambda: agent_game.current_decision, agent_game, 0.0)
        fallen = get_row(agent_game)
        assert fallen == rows[-1]
        assert agent_game.key_steps
        first_step = agent_game.key_steps[0]
        assert first_step.piece
        assert first_step.key == "drop" or fallen - 1 <= first_step.piece.row <= fallen
        play_until(agent_game, number + 1)
    assert agent_game.game.placements_made == play_without_window("becker", 4, 6).placements_made
    agent_game.close()


@pytest.mark.parametrize("rules", ["becker", "gavrilov", "medico", "nes", "tetrais", "hindi"])
def test_piece_stops_where_every_placement_is_still_in_time(rules: str) -> None:
    game = play_without_window(rules, 2, 7)
    fall = DecisionFall(game)
    spawn = game.falling_piece
    assert spawn
    assert fall.piece == spawn
    fall.update(600)
    frames = fall.rows * game.position.frames_per_row
    assert fall.rows > 2
    assert is_decision_in_time(game.position, frames)
    assert not is_decision_in_time(game.position, frames + game.position.frames_per_row)
    assert fall.piece
    assert (fall.piece.rotation, fall.piece.column, fall.piece.row) == (0, spawn.column, spawn.row - fall.rows)
    assert game.falling_piece == spawn, "the game has changed"


def test_piece_does_not_fall_without_gravity_or_while_paused() -> None:
    for rules, autoplay in (("becker:gravity=0", True), ("becker", False)):
        chooser = Waiting()
        agent_game = AgentGame(as_agent(chooser), Rules.parse(rules), 0, autoplay=autoplay)
        wait_for_decision(agent_game)
        start = get_row(agent_game)
        for _ in range(30):
            agent_game.update(FRAME_SECONDS)
        assert get_row(agent_game) == start
        agent_game.step()
        agent_game.update(1.0)
        assert (get_row(agent_game) < start) == (rules == "becker"), "a single move has a running clock"
        chooser.let_decide()
        agent_game.close()


def test_decision_takes_the_thinking_frames_of_timed_rules() -> None:
    rules = "becker:movement=timed,thinking_frames=3200"
    expected = Game(rules, 3)
    expected.play("becker", 4)
    agent_game = AgentGame("becker", Rules.parse(rules), 3)
    for number in range(4):
        wait_for_decision(agent_game)
        start = get_row(agent_game)
        seconds = 0.0
        while agent_game.is_thinking:
            assert number == 0 or abs(start - get_row(agent_game) - seconds / 0.5) < 1
            time.sleep(0.01)
            agent_game.update(FRAME_SECONDS)
            seconds += FRAME_SECONDS
        assert seconds > 3.2
        assert number == 0 or seconds < 4, "the agent itself is fast, except for its first decision"
        assert number == 0 or get_row(agent_game) == start - 6
        play_until(agent_game, number + 1)
    assert agent_game.game.placements_made == expected.placements_made
    agent_game.close()


def test_slow_agent_is_shown_falling_at_unlimited_speed() -> None:
    chooser = Waiting()
    agent_game = AgentGame(as_agent(chooser), Rules.parse("becker"), 4, speed=inf)
    for number in range(3):
        update_until(lambda: agent_game.active_piece and get_row(agent_game) < 16, agent_game)
        chooser.let_decide()
        play_until(agent_game, number + 1)
        assert agent_game.active_piece is None
    assert agent_game.is_fast_playing
    agent_game.speed = 2.0
    agent_game.update(0.0)
    assert not agent_game.is_fast_playing
    chooser.let_decide()
    play_until(agent_game, 4)
    assert agent_game.game.placements_made == play_without_window("becker", 4, 4).placements_made
    agent_game.close()
