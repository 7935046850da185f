"""Visible games of agents: the same game at any speed, pieces that fall meanwhile, no call that waits for the agent."""

import threading
import time
from collections.abc import Callable
from itertools import cycle, pairwise
from math import inf
from pathlib import Path
from typing import Any

import pytest

from tetrion.agents import Agent, as_agent, load_agent
from tetrion.app.games.agent_game import AgentGame, merge_soft_drops
from tetrion.board import Placement
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
FRAME_SECONDS = 0.125


def start_game(agent: Agent | str, rules: str = "standard", seed: int = 0, **options: Any) -> AgentGame:
    return AgentGame(agent, Rules.parse(rules), seed, **options)


def update_until(condition: Callable[[], object], agent_game: AgentGame, seconds: float = 1 / 60) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "condition not met"
        agent_game.update(seconds)
        time.sleep(0.0005)


def play_and_check(agent_game: AgentGame, agent: Agent | str, speeds: tuple[float, ...]) -> None:
    """Play a game to its end, changing the speed every five frames; check its figures and its result.

    The result must be that of the evaluation of the agent, without a window.
    """
    game, tracker = agent_game.game, agent_game.tracker
    for speed in cycle(speeds):
        for _ in range(5):
            assert not agent_game.problem
            agent_game.speed = speed
            agent_game.update(0.5)
            time.sleep(0.0005)
        if game.is_over:
            break
    agent_game.update(0)
    agent_game.close()
    assert sum(tracker.piece_counts.values()) == game.pieces == len(game.placements_made)
    assert sum(lines * count for lines, count in enumerate(tracker.clear_counts, 1)) == game.lines
    assert tracker.stack.rows == game.stack.rows
    result = evaluate(agent, str(game.rules), 1, game.seed, workers=1)
    assert (game.pieces, game.lines, game.score) == (result.pieces.min, result.lines.min, result.score.min)


@pytest.mark.parametrize(("agent", "rules"), [("random", "tetrais"), ("random-keys", "gavrilov")])
def test_game_equals_evaluated_game_at_any_speed(agent: str, rules: str) -> None:
    for speeds in ((inf,), (4, inf, 12, 300, 2)):
        play_and_check(start_game(agent, rules, 3), agent, speeds)


def test_python_agent_is_asked_once_per_move_at_any_speed(tmp_path: Path) -> None:
    (tmp_path / "gambler.py").write_text(GAMBLER)
    agent = load_agent(f"{tmp_path / 'gambler.py'}:Gambler")
    play_and_check(start_game(agent, seed=7), agent, (4, inf, 12))


def test_piece_moves_by_its_keys_to_its_target() -> None:
    agent_game = start_game("dellacherie", autoplay=False)
    update_until(lambda: agent_game.current_decision, agent_game)
    agent_game.step()
    heights: list[float] = []
    keys_pressed: list[int] = []
    while agent_game.game.pieces == 0:
        drawn = agent_game.drawn_piece
        assert drawn.placement
        heights.append(drawn.placement.row + drawn.offset[1])
        keys_pressed.append(drawn.keys_pressed)
        agent_game.update(1 / 120)
    (placement,) = agent_game.game.placements_made
    decision = agent_game.decision
    assert decision
    assert sorted(set(keys_pressed)) == list(range(len(merge_soft_drops(decision.find_keys())) + 1))
    assert keys_pressed == sorted(keys_pressed)
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] - placement.row < 3, "the piece has not nearly arrived"
    assert max(first - second for first, second in pairwise(heights)) < 3, "the piece does not fall smoothly"
    agent_game.close()


# The piece falls while its agent decides, and the game stays the one without a window.


class Scattering:
    """Chooses from all parts of the list of placements."""

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


def play_until(agent_game: AgentGame, pieces: int) -> None:
    """Update until a number of pieces have been placed."""
    update_until(lambda: agent_game.position.pieces == pieces, agent_game, FRAME_SECONDS)


def wait_for_decision(agent_game: AgentGame) -> None:
    """Update until the agent is deciding; the new piece does not fall yet."""
    update_until(lambda: not agent_game.clearing_lock, agent_game, FRAME_SECONDS)
    update_until(lambda: agent_game.background_agent.agent and agent_game.is_thinking, agent_game, 0.0)


def get_row(agent_game: AgentGame) -> int:
    assert agent_game.active_piece
    return agent_game.active_piece.row


def test_keys_start_where_the_piece_has_fallen_to() -> None:
    chooser = Waiting()
    agent_game = start_game(as_agent(chooser), "becker", 4)
    for number in range(3):
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
    assert agent_game.game.placements_made == play_without_window("becker", 4, 3).placements_made
    agent_game.close()


def test_decision_takes_the_thinking_frames_of_timed_rules() -> None:
    rules = "becker:movement=timed,thinking_frames=3200"
    expected = Game(rules, 3)
    expected.play("becker", 4)
    agent_game = start_game("becker", rules, 3)
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
