"""Fast play: an agent makes moves in its own thread, too fast to be shown."""

import threading
from collections.abc import Iterator
from math import inf
from time import perf_counter, sleep, thread_time
from typing import NamedTuple

from tetrion.agents import RandomKeysAgent, WeightedAgent
from tetrion.app.games.background_agent import AgentDecision, BackgroundAgent
from tetrion.app.games.game_tracker import GameTracker
from tetrion.engine.batch_play import EngineSettings
from tetrion.game import Game
from tetrion.position import Position
from tetrion.stack import Stack

MAX_SAVED_PIECES = 200_000  # longer games are not saved
_SLICE_SECONDS = 0.003  # between two checks for a stop
_IDLE_SECONDS = 0.002  # to sleep while no move is due
_MOVES_PER_CALL = 16  # between two checks of the clock
_MAX_SUSPEND_SECONDS = 0.1
_MAX_DELAY_SECONDS = 0.25  # a longer delay is not caught up
_SLOW_MOVE_SECONDS = 0.004  # agents that take longer per move are asked one move at a time
EXPLANATION_SECONDS = 0.1  # between two explanations


class ExplainedDecision(NamedTuple):
    """A decision and the stack that it was made on."""

    decision: AgentDecision
    stack: Stack


class FastPlay:
    """Makes many moves per second in a game, in the thread of a background agent.

    `position` and `last_explained` can be read meanwhile; the game itself may only be used again after `stop`.
    """

    def __init__(
        self,
        background_agent: BackgroundAgent,
        game: Game,
        tracker: GameTracker,
        speed: float,
        key_presses: Iterator[None] | None,
    ) -> None:
        self.background_agent = background_agent
        self.game = game
        self.tracker = tracker
        self.speed = speed
        self.explained_count = 0
        self.position = game.position
        self.is_complete = True
        self.last_explained: ExplainedDecision | None = None
        self.pending_position: Position | None = None  # the position that the agent is deciding about
        self._key_presses = key_presses
        self._lock = threading.Lock()
        self._is_stopped = False
        self._engine_settings: EngineSettings | None = None
        self._last_explained_at = 0.0
        self._not_suspended = threading.Event()
        self._not_suspended.set()
        background_agent.run_job(self._run)

    def set_suspended(self, is_suspended: bool) -> None:
        """Suspend the moves, for example while the window draws, or resume them."""
        if is_suspended:
            self._not_suspended.clear()
        else:
            self._not_suspended.set()

    def stop(self) -> Position | None:
        """Stop within milliseconds; return the position that the agent is still deciding about, or None.

        The decision about that position is published by the background agent.
        """
        self._is_stopped = True
        self._not_suspended.set()
        with self._lock:
            self.tracker.process_new_locks()
            return self.pending_position

    def _run(self) -> None:
        start = perf_counter()
        moves_made = 0
        speed = self.speed
        while not self._is_stopped and not self.game.is_over:
            self._not_suspended.wait(_MAX_SUSPEND_SECONDS)
            now = perf_counter()
            if speed != self.speed or (speed < inf and (now - start) * speed - moves_made > _MAX_DELAY_SECONDS * speed):
                start = now
                moves_made = 0
                speed = self.speed
            due = _MOVES_PER_CALL if speed == inf else int((now - start) * speed) - moves_made
            if due > 0:
                moves_made += self._make_moves(due)
            else:
                sleep(_IDLE_SECONDS)
            self._update_explanation()

    def _make_moves(self, due: int) -> int:
        """Make moves for a slice of time, at most `due` unless the speed is unlimited; return their number."""
        agent = self.background_agent.agent
        if isinstance(agent, WeightedAgent) and self._engine_settings is not None:
            return self._make_engine_moves(self._engine_settings, due)
        if isinstance(agent, RandomKeysAgent):
            return self._press_keys()
        return self._make_chosen_move()

    def _make_chosen_move(self) -> int:
        """Make one move of an agent that may be slow; the lock is not held while it thinks."""
        with self._lock:
            if self._is_stopped:  # stopped while suspended: the caller of `stop` asks the agent itself
                return 0
            position = self.pending_position = self.game.position
        start = thread_time()
        placement = position.validate_placement(self.background_agent.choose(position, self.game.seed))
        seconds = thread_time() - start
        agent = self.background_agent.agent
        with self._lock:
            is_placed = not self._is_stopped
            if is_placed:
                self.pending_position = None
                self.game.place(placement)
                self._update_tracker()
        if not is_placed:
            decision = self.background_agent.explain_decision(position, placement, 0, seconds)
            self.background_agent.publish_decision(decision)
        elif isinstance(agent, WeightedAgent) and seconds < _SLOW_MOVE_SECONDS:
            self._engine_settings = agent.get_engine_settings(self.game.rules)
        return int(is_placed)

    def _make_engine_moves(self, settings: EngineSettings, due: int) -> int:
        """Let the engine make moves of a fast agent."""
        moves_made = 0
        end = perf_counter() + _SLICE_SECONDS
        is_unlimited = self.speed == inf
        with self._lock:
            if self._is_stopped:
                return 0
            while self._can_continue(end) and (is_unlimited or moves_made < due):
                moves_made += self.game.play(
                    settings, _MOVES_PER_CALL if is_unlimited else min(due - moves_made, _MOVES_PER_CALL)
                )
            if isinstance(self.background_agent.agent, WeightedAgent):
                self.background_agent.agent.raise_feature_errors()
            self._update_tracker()
        return moves_made

    def _press_keys(self) -> int:
        """Press keys until a piece locks or the time slice ends."""
        with self._lock:
            if self._is_stopped:
                return 0
            pieces = self.game.pieces
            end = perf_counter() + _SLICE_SECONDS
            while self._can_continue(end) and self.game.pieces == pieces:
                next(self._key_presses or iter(()), None)
            self._update_tracker()
            return self.game.pieces - pieces

    def _can_continue(self, end: float) -> bool:
        return not self._is_stopped and self._not_suspended.is_set() and not self.game.is_over and perf_counter() < end

    def _update_tracker(self) -> None:
        self.tracker.process_new_locks()
        if len(self.game.placements_made) >= MAX_SAVED_PIECES:
            self.is_complete = False
            self.tracker.forget_placements()
        self.position = self.game.position

    def _update_explanation(self) -> None:
        """Explain the current position ten times per second; not for Python agents, which are asked once per move."""
        agent = self.background_agent.agent
        now = perf_counter()
        is_due = now - self._last_explained_at >= EXPLANATION_SECONDS
        if not self.explained_count or not isinstance(agent, WeightedAgent) or not is_due or self.game.is_over:
            return
        self._last_explained_at = now
        position = self.position
        stack = self.tracker.stack
        start = perf_counter()
        placement = position.validate_placement(agent.choose(position))
        seconds = perf_counter() - start
        decision = self.background_agent.explain_decision(position, placement, self.explained_count, seconds)
        self.last_explained = ExplainedDecision(decision, stack)
