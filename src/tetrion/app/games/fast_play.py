"""How an agent advances its game in its own thread: decision by decision, or too fast to be shown."""

import threading
from collections.abc import Iterator
from math import inf
from queue import Empty, SimpleQueue
from time import perf_counter, sleep
from typing import NamedTuple

from tetrion.agents import Agent, Decision, Player
from tetrion.agents.agent import CompiledAgent, as_compiled_agent
from tetrion.agents.stepped_game import DecisionEvent, ExplanationRequest, PlacementEvent, PlayEvent, step_game
from tetrion.app.background_task import is_drawing, wait_while_drawing
from tetrion.app.games.agent_piece import DecisionFall
from tetrion.app.games.game_tracker import GameTracker
from tetrion.game import Game
from tetrion.stack import Stack

MAX_SAVED_PIECES = 200_000  # longer games are not saved
_SLICE_SECONDS = 0.003  # between two checks for a stop
_IDLE_SECONDS = 0.002  # to sleep while no move is due
_MOVES_PER_CALL = 16  # between two checks of the clock
_MAX_DELAY_SECONDS = 0.25  # a longer delay is not caught up
_SLOW_MOVE_SECONDS = 0.004  # agents that take longer per move are asked one move at a time
EXPLANATION_SECONDS = 0.1  # between two explanations


class GameSteps:
    """Advances one game from decision to decision; `explained_count` placements are explained with the next one.

    `decide` runs in the background thread, and the other methods while no decision is being made.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._explanations = ExplanationRequest(0, wait_while_drawing)
        self._decisions: SimpleQueue[Decision] = SimpleQueue()
        self._events: Iterator[PlayEvent] = iter(())
        self._has_begun = False

    @property
    def explained_count(self) -> int:
        """The number of placements that are explained with the next decision."""
        return self._explanations.count

    @explained_count.setter
    def explained_count(self, count: int) -> None:
        self._explanations.count = count

    def decide(self, player: Player) -> None:
        """Advance to the next decision and publish it."""
        if decision := self.make_decision(player):
            decision.find_keys()  # here, so that the window does not wait for them
            self.publish_decision(decision)

    def make_decision(self, player: Player) -> Decision | None:
        """Advance to the next decision and return it; None if the game is over."""
        if not self._has_begun:
            self._has_begun = True
            self._events = step_game(player, self.game, explanations=self._explanations)
        return next((event.decision for event in self._events if isinstance(event, DecisionEvent)), None)

    def publish_decision(self, decision: Decision) -> None:
        """Make a decision available to `take_decision`."""
        self._decisions.put(decision)

    def take_decision(self) -> Decision | None:
        """Return the published decision; None if there is none."""
        try:
            return self._decisions.get_nowait()
        except Empty:
            return None

    def carry_out(self) -> None:
        """Carry out the last decision, until the piece locks or the game is over."""
        next((event for event in self._events if isinstance(event, PlacementEvent)), None)

    def press_key(self) -> bool:
        """Let the player press its next key; return whether the piece has locked."""
        return isinstance(next(self._events, None), PlacementEvent)


class ExplainedDecision(NamedTuple):
    """A decision and the stack that it was made on."""

    decision: Decision
    stack: Stack


class FastPlay:
    """Makes many moves per second in a game; `run` is a job for a background agent.

    `position`, `last_explained` and `decision_fall` can be used meanwhile; the game itself only after `stop`.
    A decision that comes after `stop` is published, so that the game continues with it.
    """

    def __init__(self, agent: Agent, tracker: GameTracker, speed: float, steps: GameSteps) -> None:
        self.tracker = tracker
        self.game = game = tracker.game
        self.speed = speed
        self.steps = steps
        self.explained_count = 0
        self.position = game.position
        self.is_complete = True
        self.last_explained: ExplainedDecision | None = None
        self.decision_fall: DecisionFall | None = None  # of the piece that the player is deciding about
        self._compiled_agent = as_compiled_agent(agent)
        self._is_fast = False  # whether the engine may make several moves between two checks of the clock
        self._is_deciding = False
        self._lock = threading.Lock()
        self._is_stopped = False
        self._last_explained_at = 0.0

    def stop(self) -> bool:
        """Stop within milliseconds; return whether the player is still deciding."""
        self._is_stopped = True
        with self._lock:
            self.tracker.process_new_locks()
            return self._is_deciding

    # In the background thread.

    def run(self, player: Player) -> None:
        """Make moves until the game is over or stopped."""
        start = perf_counter()
        moves_made = 0
        speed = self.speed
        while not self._is_stopped and not self.game.is_over:
            wait_while_drawing()
            now = perf_counter()
            if speed != self.speed or (speed < inf and (now - start) * speed - moves_made > _MAX_DELAY_SECONDS * speed):
                start = now
                moves_made = 0
                speed = self.speed
            due = _MOVES_PER_CALL if speed == inf else int((now - start) * speed) - moves_made
            if due > 0:
                moves_made += self._make_moves(player, due)
            else:
                sleep(_IDLE_SECONDS)

    def _make_moves(self, player: Player, due: int) -> int:
        """Make moves for a slice of time, at most `due` unless the speed is unlimited; return their number."""
        if self._compiled_agent is None or not self._is_fast:
            return self._make_decided_move(player)
        self._update_explanation(player)
        return self._make_engine_moves(self._compiled_agent, due)

    def _make_decided_move(self, player: Player) -> int:
        """Make one move of a player that may be slow; the lock is not held while it thinks."""
        with self._lock:
            if self._is_stopped:  # stopped while the window drew: the caller of `stop` asks the player itself
                return 0
            self._is_deciding = True
            self.decision_fall = DecisionFall(self.game)
        decision = self.steps.make_decision(player)
        with self._lock:
            if self._is_stopped and decision:
                self.steps.publish_decision(decision)
                return 0
            self._is_deciding = False
            self.decision_fall = None
            self._is_fast = decision is not None and decision.seconds < _SLOW_MOVE_SECONDS
            self.steps.carry_out()
            self._update_tracker()
        return 1

    def _make_engine_moves(self, agent: CompiledAgent, due: int) -> int:
        """Let the compiled engine make moves of a fast agent."""
        settings = agent.get_engine_settings(self.game.rules)
        moves_made = 0
        end = perf_counter() + _SLICE_SECONDS
        is_unlimited = self.speed == inf
        with self._lock:
            if self._is_stopped:
                return 0
            while self._can_continue(end) and (is_unlimited or moves_made < due):
                moves_made += self.game.play_compiled(
                    settings, _MOVES_PER_CALL if is_unlimited else min(due - moves_made, _MOVES_PER_CALL)
                )
            agent.raise_feature_errors()
            self._update_tracker()
        return moves_made

    def _can_continue(self, end: float) -> bool:
        return not (self._is_stopped or is_drawing() or self.game.is_over) and perf_counter() < end

    def _update_tracker(self) -> None:
        self.tracker.process_new_locks()
        if len(self.game.placements_made) >= MAX_SAVED_PIECES:
            self.is_complete = False
            self.tracker.forget_placements()
        self.position = self.game.position

    def _update_explanation(self, player: Player) -> None:
        """Explain the current position ten times per second, unless the agent is asked about every move anyway."""
        now = perf_counter()
        if self.explained_count and now - self._last_explained_at >= EXPLANATION_SECONDS and not self.game.is_over:
            self._last_explained_at = now
            stack = self.tracker.stack
            decision = player.decide(self.position, self.explained_count, wait_while_drawing)
            self.last_explained = ExplainedDecision(decision, stack)
