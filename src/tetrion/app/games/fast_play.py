"""Moves too fast to be seen: an agent plays on in its own thread, and looks every few milliseconds what is wanted."""

import threading
from collections.abc import Iterator
from math import inf
from time import perf_counter, sleep, thread_time
from typing import NamedTuple

from tetrion.agents import RandomKeysAgent, WeightedAgent
from tetrion.app.games.background_agent import AgentDecision, BackgroundAgent
from tetrion.app.games.game_tracker import GameTracker
from tetrion.drawing.stack import Stack
from tetrion.engine.batch_play import EngineSettings
from tetrion.game import Game
from tetrion.position import Position

MAX_SAVED_PIECES = 200_000  # pieces of a game that is kept
_SLICE_SECONDS = 0.003  # seconds between looks at what the person wants
_IDLE_SECONDS = 0.002  # seconds, where nothing is due
_MOVES_PER_CALL = 16  # moves between looks at the clock
_MAX_HOLD_SECONDS = 0.1  # seconds
_MAX_DELAY_SECONDS = 0.25  # seconds; what has been missed by more is not made up for
_SLOW_MOVE_SECONDS = 0.004  # seconds of work a move, from which on nobody waits for one
EXPLANATION_SECONDS = 0.1  # seconds


class ExplainedDecision(NamedTuple):
    """A decision and the stack that it was made on."""

    decision: AgentDecision
    stack: Stack


class FastPlay:
    """Makes many moves a second in a game, in the thread of who decides.

    `position` and `thought` are what is seen of it meanwhile; the game itself may only be touched again after `stop`.
    """

    def __init__(
        self, decider: BackgroundAgent, game: Game, follower: GameTracker, speed: float, presses: Iterator[None] | None
    ) -> None:
        self.background_agent = decider
        self.game = game
        self.tracker = follower
        self.speed = speed
        self.explained_count = 0
        self.position = game.position
        self.is_complete = True
        self.last_explained: ExplainedDecision | None = None
        self.pending_position: Position | None = None  # what the agent is being asked
        self._key_presses = presses
        self._lock = threading.Lock()
        self._is_stopped = False
        self._setting: EngineSettings | None = None
        self._last_explained_at = 0.0
        self._not_held = threading.Event()
        self._not_held.set()
        decider.run_job(self._run)

    def set_held(self, held: bool) -> None:
        """Let it wait while something more urgent is done, such as drawing; or go on."""
        if held:
            self._not_held.clear()
        else:
            self._not_held.set()

    def stop(self) -> Position | None:
        """End it within milliseconds; tells what the agent is still being asked, its answer then being told."""
        self._is_stopped = True
        self._not_held.set()
        with self._lock:
            self.tracker.catch_up()
            return self.pending_position

    def _run(self) -> None:
        begun = perf_counter()
        made = 0
        speed = self.speed
        while not self._is_stopped and not self.game.is_over:
            self._not_held.wait(_MAX_HOLD_SECONDS)
            now = perf_counter()
            if speed != self.speed or (speed < inf and (now - begun) * speed - made > _MAX_DELAY_SECONDS * speed):
                begun = now
                made = 0
                speed = self.speed
            due = _MOVES_PER_CALL if speed == inf else int((now - begun) * speed) - made
            if due > 0:
                made += self._make_moves(due)
            else:
                sleep(_IDLE_SECONDS)
            self._update_explanation()

    def _make_moves(self, due: int) -> int:
        """Make moves for a slice of time, and no more than are due if that is counted; tells how many."""
        agent = self.background_agent.agent
        if isinstance(agent, WeightedAgent) and self._setting is not None:
            return self._make_engine_moves(self._setting, due)
        if isinstance(agent, RandomKeysAgent):
            return self._press_keys()
        return self._make_chosen_move()

    def _make_chosen_move(self) -> int:
        """One move of an agent that may take its time: nobody waits for it."""
        with self._lock:
            if self._is_stopped:  # while it was held: whoever stopped it asks the agent himself
                return 0
            position = self.pending_position = self.game.position
        begun = thread_time()
        placement = position.validate_placement(self.background_agent.choose(position, self.game.seed))
        taken, agent = thread_time() - begun, self.background_agent.agent
        with self._lock:
            placed = not self._is_stopped
            if placed:
                self.pending_position = None
                self.game.place(placement)
                self._update_tracker()
        if not placed:
            self.background_agent.publish_decision(
                self.background_agent.explain_decision(position, placement, 0, taken)
            )
        elif isinstance(agent, WeightedAgent) and taken < _SLOW_MOVE_SECONDS:
            self._setting = agent.get_engine_settings(self.game.rules)
        return int(placed)

    def _make_engine_moves(self, setting: EngineSettings, due: int) -> int:
        """Moves of an agent that takes hardly any time."""
        made = 0
        end = perf_counter() + _SLICE_SECONDS
        unlimited = self.speed == inf
        with self._lock:
            if self._is_stopped:
                return 0
            while self._can_continue(end) and (unlimited or made < due):
                made += self.game.play(setting, _MOVES_PER_CALL if unlimited else min(due - made, _MOVES_PER_CALL))
            if isinstance(self.background_agent.agent, WeightedAgent):
                self.background_agent.agent.raise_feature_errors()
            self._update_tracker()
        return made

    def _press_keys(self) -> int:
        """Keys until a piece locks, or for a slice of time."""
        with self._lock:
            if self._is_stopped:
                return 0
            pieces, end = self.game.pieces, perf_counter() + _SLICE_SECONDS
            while self._can_continue(end) and self.game.pieces == pieces:
                next(self._key_presses or iter(()), None)
            self._update_tracker()
            return self.game.pieces - pieces

    def _can_continue(self, end: float) -> bool:
        return not self._is_stopped and self._not_held.is_set() and not self.game.is_over and perf_counter() < end

    def _update_tracker(self) -> None:
        self.tracker.catch_up()
        if len(self.game.placements_made) >= MAX_SAVED_PIECES:
            self.is_complete = False
            self.tracker.forget_placements()
        self.position = self.game.position

    def _update_explanation(self) -> None:
        """Tell why, now and then; not of a person's own agent, which is asked once a move."""
        agent, now = self.background_agent.agent, perf_counter()
        if (
            self.explained_count
            and isinstance(agent, WeightedAgent)
            and now - self._last_explained_at >= EXPLANATION_SECONDS
            and not self.game.is_over
        ):
            self._last_explained_at = now
            position = self.position
            stack = self.tracker.stack
            begun = perf_counter()
            placement = position.validate_placement(agent.choose(position))
            decision = self.background_agent.explain_decision(
                position, placement, self.explained_count, perf_counter() - begun
            )
            self.last_explained = ExplainedDecision(decision, stack)
