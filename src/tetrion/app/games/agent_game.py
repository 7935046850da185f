"""A visible game of an agent: pieces that fall while it decides, moves key by key, and fast play in the background."""

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from time import perf_counter, sleep
from typing import NamedTuple

from tetrion.agents import Agent, Decision, Player
from tetrion.agents.agent import (
    KeyStep,
    find_keys_after_decision,
    is_decision_in_time,
)
from tetrion.agents.named.baseline_agents import KEYS_PER_SECOND
from tetrion.agents.stepped_game import DecisionEvent, ExplanationRequest, PlacementEvent, PlayEvent, step_game
from tetrion.agents.weighted_agent import WeightedAgent, as_weighted_agent, get_agent_settings, raise_feature_errors
from tetrion.app.background_task import is_drawing, wait_while_drawing
from tetrion.app.games.background_agent import BackgroundAgent
from tetrion.app.games.game_tracker import GameTracker
from tetrion.board import Placement
from tetrion.drawing.board_animation import CLEAR_MILLISECONDS, SLIDE_MILLISECONDS, ease_out
from tetrion.engine.rules import Rules
from tetrion.game import Game, play_compiled
from tetrion.game_facts import ActionText
from tetrion.position import Position
from tetrion.stack import LockedPiece, Stack

DEFAULT_AGENT_SPEED = 2.0  # moves per second (Medico: half a second each)
CLEAR_PAUSE_SECONDS = 0.3  # at the default speed
MAX_ANIMATED_SPEED = 8.0  # moves per second; at higher speeds, the path of a piece is not animated
MAX_STEPPED_SPEED = 30.0  # moves per second; at higher speeds, moves are made in the background
MAX_SAVED_PIECES = 200_000  # longer games are not saved
_FALL_SHARE = 0.35  # the part of a move in which the piece falls after a hard drop
_LAST_KEY_SHARE = 0.92  # the time of the last key if it is not a hard drop
_MAX_WAIT_SHARE = 0.1  # the part of a move that may pass while waiting for the decision
_SPEED_WINDOW_SECONDS = 2.0  # for measuring moves per second; longer if there are few moves
_MIN_SPEED_SAMPLES = 4
_EXPLANATION_SECONDS = 0.1  # between two explanations
_SLICE_SECONDS = 0.003  # of fast play, between two checks for a stop
_IDLE_SECONDS = 0.002  # to sleep while no move is due
_MOVES_PER_CALL = 16  # between two checks of the clock
_MAX_FAST_SPEED = 1e9  # moves per second, as if the speed were unlimited
_MAX_DELAY_SECONDS = 0.25  # a longer delay is not caught up
_SLOW_MOVE_SECONDS = 0.004  # agents that take longer per move are asked one move at a time


class ExplainedDecision(NamedTuple):
    """A decision and the stack that it was made on."""

    decision: Decision
    stack: Stack


class AgentGame:
    """A game of an agent. With `autoplay` it plays by itself, `step` makes one move; `speed` is in moves per second.

    The game depends only on the agent, the rules and the seed, not on the speed; `tetrion bench` plays the same game.
    While the agent decides, the piece is drawn falling.
    """

    def __init__(
        self, agent: Agent | str, rules: Rules, seed: int, *, speed: float = DEFAULT_AGENT_SPEED, autoplay: bool = True
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.explained_count = 0  # placements that are explained with a decision
        self.speed = speed
        self.autoplay = autoplay
        self.background_agent = BackgroundAgent(agent)
        self._start_game()

    def _start_game(self) -> None:
        self.game = Game(self.rules, self.seed)
        self.tracker = GameTracker(self.game)
        self.steps = GameSteps(self.game)
        self.fall = DecisionFall(self.game)
        self.action = ActionText()
        self.decision: Decision | None = None  # the last one
        self._is_decision_current = False  # whether it is about the current piece
        self._is_asked = False  # whether the agent is deciding about the current piece
        self.last_explained: ExplainedDecision | None = None
        self.locks: list[LockedPiece] = []  # since the screen last cleared the list
        self.clearing_lock: LockedPiece | None = None
        self.clear_milliseconds = 0.0  # of the animation of `clearing_lock`
        self.is_complete = True  # whether all placements are recorded, so that the game can be saved
        self._move_seconds = 0.0
        self._is_step_requested = False
        self._seconds_since_explanation = _EXPLANATION_SECONDS
        self._fast_play: FastPlay | None = None
        self._speed_samples: deque[tuple[float, int]] = deque([(perf_counter(), 0)])

    # Current state.

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.background_agent.name

    @property
    def problem(self) -> str:
        """The error message of the agent, or ""."""
        return self.background_agent.problem

    @property
    def is_fast_playing(self) -> bool:
        """Whether moves are made in the background, too fast to be shown."""
        return self._fast_play is not None

    @property
    def position(self) -> Position:
        """The current position; during fast play, a recent one."""
        return self._fast_play.position if self._fast_play else self.game.position

    @property
    def mode(self) -> str:
        """The mode that the agent uses in the current position; "" for an agent without modes."""
        agent = self.background_agent.agent
        return agent.get_mode_name(self.position) if isinstance(agent, WeightedAgent) else ""

    @property
    def moves_per_second(self) -> float | None:
        """The measured speed of the last moves; None before the first ones."""
        start_time, start_pieces = self._speed_samples[0]
        end_time, end_pieces = self._speed_samples[-1]
        return (end_pieces - start_pieces) / (end_time - start_time) if end_time > start_time else None

    @property
    def key_steps(self) -> tuple[KeyStep, ...] | None:
        """The steps of the current decision from where the piece is, in display form; None if there is no decision."""
        decision = self.current_decision
        return merge_soft_drops(self.fall.find_key_steps(decision)) if decision else None

    @property
    def drawn_piece(self) -> "DrawnPiece":
        """Where the current piece is drawn: nowhere during fast play, unless the agent takes long to decide."""
        if self._fast_play:
            fall = self._fast_play.decision_fall
            return DrawnPiece(fall.piece if fall and fall.rows else None)
        if self.game.is_over or self.clearing_lock:
            return DrawnPiece(None)
        if (decision := self.current_decision) and not decision.placement:  # its keys move the piece in the game
            return DrawnPiece(self.game.falling_piece)
        if decision is None or not self._is_clock_running:
            return DrawnPiece(self.fall.piece)
        if self.speed > MAX_ANIMATED_SPEED:
            return DrawnPiece(decision.placement)
        progress = min(1.0, self._move_seconds * self.speed)
        steps = self.fall.find_key_steps(decision)
        return animate_move(steps, self.fall.piece, decision.placement, progress, self.speed)

    @property
    def active_piece(self) -> Placement | None:
        """The placement of `drawn_piece`."""
        return self.drawn_piece.placement

    @property
    def is_thinking(self) -> bool:
        """Whether the agent is loading or deciding."""
        return self.background_agent.agent is None or self._is_asked

    @property
    def is_moving(self) -> bool:
        """Whether the game changes by itself: the agent decides, a piece moves, rows are cleared or a text fades."""
        if self.action.lines:
            return True
        if self.game.is_over or self.problem:
            return False
        return self._is_clock_running or self.is_thinking or self.clearing_lock is not None

    @property
    def current_decision(self) -> Decision | None:
        """The decision about the current piece, or None."""
        return self.decision if self._is_decision_current and not self.is_fast_playing else None

    @property
    def _is_clock_running(self) -> bool:
        return self.autoplay or self._is_step_requested

    @property
    def _has_thinking_time_left(self) -> bool:
        """Whether the decision time of the rules still runs; it is not shown if moves are not animated."""
        return self._is_clock_running and not self.fall.is_complete and self.speed <= MAX_ANIMATED_SPEED

    # Playing.

    def step(self) -> None:
        """Make one move while `autoplay` is off."""
        if not self._is_clock_running:
            self._is_step_requested = True
            self._move_seconds = 0.0

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`."""
        self._seconds_since_explanation += seconds
        self.action.update(seconds)
        self._sample_speed()
        self._take_decision()
        if self.game.is_over or self.problem:
            self.stop_fast_play()
        elif self.autoplay and self.speed > MAX_STEPPED_SPEED and self.background_agent.agent:
            self._update_fast_play(seconds)
        else:
            self.stop_fast_play()
            self._update_clear(seconds)
            if not self.clearing_lock:
                self._update_move(seconds)

    def restart(self, seed: int | None = None) -> None:
        """Start a new game, with other pieces if a seed is given; an agent that is still thinking is restarted."""
        self.stop_fast_play()
        self.seed = self.seed if seed is None else seed
        if self.problem or self._is_asked:
            self.background_agent.close()
            self.background_agent = BackgroundAgent(self.background_agent.agent or self.background_agent.given_agent)
        self._start_game()

    def close(self) -> None:
        """Stop fast play and the agent."""
        self.stop_fast_play()
        self.background_agent.close()

    def _sample_speed(self) -> None:
        """Record the time of new pieces for `moves_per_second`."""
        samples, now = self._speed_samples, perf_counter()
        if self.game.pieces != samples[-1][1]:
            samples.append((now, self.game.pieces))
            while len(samples) > _MIN_SPEED_SAMPLES and now - samples[0][0] > _SPEED_WINDOW_SECONDS:
                samples.popleft()

    def _take_decision(self) -> None:
        """Take the decision about the current piece, if the agent has made it and its time has passed."""
        decision = self.steps.decision
        if decision is None or self._has_thinking_time_left:
            return
        self.decision = decision
        self.steps.decision = None
        self._is_asked = False
        self._is_decision_current = True
        if self.speed <= MAX_ANIMATED_SPEED:
            # The clock ran during the wait. Counting all of it would skip the animation after a slow decision.
            self._move_seconds = min(self._move_seconds, _MAX_WAIT_SHARE / self.speed)
        if decision.placement and (decision.explanation or self.steps.explanations.count):
            self.last_explained = ExplainedDecision(decision, self.tracker.stack)

    def _request_decision(self) -> None:
        if not self._is_asked and not self._is_decision_current and not self.game.is_over:
            is_due = self.explained_count and self._seconds_since_explanation >= _EXPLANATION_SECONDS
            self.steps.explanations.count = self.explained_count if is_due else 0
            self._seconds_since_explanation = 0.0 if is_due else self._seconds_since_explanation
            self._is_asked = True
            self.background_agent.run_job(self.steps.decide)

    def _update_clear(self, seconds: float) -> None:
        if self.clearing_lock:
            speed = max(1.0, min(self.speed, MAX_STEPPED_SPEED) / (2 * DEFAULT_AGENT_SPEED))
            self.clear_milliseconds += CLEAR_MILLISECONDS / CLEAR_PAUSE_SECONDS * speed * seconds
            if self.clear_milliseconds >= CLEAR_MILLISECONDS:
                self.clearing_lock = None

    def _update_move(self, seconds: float) -> None:
        """Let the piece fall while the agent decides, then move it; place it at the end of the move."""
        if self._is_clock_running and self.background_agent.agent:
            decision = self.current_decision
            if decision and not decision.placement:
                self._press_keys(seconds)
            else:
                if self._is_asked or self._has_thinking_time_left:
                    self._update_fall(self.fall, seconds)
                if not (decision and self._has_thinking_time_left):
                    self._move_seconds += seconds
                    if self._move_seconds * self.speed >= 1:
                        self._place_piece()
        if not self.clearing_lock:
            self._request_decision()

    def _update_fall(self, fall: "DecisionFall", seconds: float) -> None:
        """Let a piece fall while the agent decides: at the default speed, as fast as the rules say."""
        if not self.background_agent.is_compiling:
            fall.update(seconds * min(self.speed, MAX_ANIMATED_SPEED) / DEFAULT_AGENT_SPEED)

    def _place_piece(self) -> None:
        """Carry out the current decision, if there is one."""
        if self._is_decision_current:
            self.steps.carry_out()
            self._finish_move(max(0.0, self._move_seconds - 1 / self.speed))

    def _finish_move(self, leftover_seconds: float = 0.0) -> None:
        """Prepare for the next piece after a lock; `leftover_seconds` count for the next move."""
        self._is_decision_current = False
        self._is_step_requested = False
        self._move_seconds = min(leftover_seconds, 1 / self.speed)
        self.fall = DecisionFall(self.game)
        locks = self.tracker.process_new_locks()
        self.locks += locks
        if locks and self.speed <= MAX_ANIMATED_SPEED:
            self.action.add_lock(locks[-1], self.game.position)
            self.clearing_lock = locks[-1] if locks[-1].full_rows else None
            self.clear_milliseconds = 0.0

    def _press_keys(self, seconds: float) -> None:
        """Press the keys that are due, for a player without a target: 60 per second at the default speed."""
        self._move_seconds += seconds * KEYS_PER_SECOND * self.speed / DEFAULT_AGENT_SPEED
        while self._move_seconds >= 1 and self._is_decision_current:
            self._move_seconds -= 1
            if self.steps.press_key():
                self._finish_move()

    def _update_fast_play(self, seconds: float) -> None:
        """Start or update fast play; a move that is already decided is made first."""
        if self._is_asked:
            self._update_fall(self.fall, seconds)
        elif self._fast_play is None:
            self.clearing_lock = None
            self._place_piece()
            if not self.game.is_over:
                self._fast_play = FastPlay(self)
                self.background_agent.run_job(self._fast_play.run)
        elif fall := self._fast_play.decision_fall:
            self._update_fall(fall, seconds)

    def stop_fast_play(self) -> None:
        """Stop fast play until the next update, so that the game can be read and saved."""
        if self._fast_play is not None:
            self._is_asked = self._fast_play.stop()
            self.fall = self._fast_play.decision_fall or DecisionFall(self.game)
            self._fast_play = None
            self._is_decision_current = False
            self._move_seconds = 0.0


# The piece: it falls while the agent decides, and then moves key by key to its target.


@lru_cache(maxsize=32)
def merge_soft_drops(steps: tuple[KeyStep, ...]) -> tuple[KeyStep, ...]:
    """Return keys in display form: soft drops in a row are one step, and at the end they become a hard drop."""
    merged: list[KeyStep] = []
    for step in steps:
        if step.key == "down" and merged and merged[-1].key == "down":
            merged.pop()
        merged.append(step)
    if merged and merged[-1].key == "down":
        merged[-1] = merged[-1]._replace(key="drop")
    return tuple(merged)


class DrawnPiece(NamedTuple):
    """A piece that is drawn `offset` columns and rows from `placement`, after a number of the keys of its move."""

    placement: Placement | None
    offset: tuple[float, float] = (0.0, 0.0)
    keys_pressed: int = 0


def animate_move(
    key_steps: tuple[KeyStep, ...], start: Placement | None, target: Placement | None, progress: float, speed: float
) -> DrawnPiece:
    """Return where a piece is in its move from `start` to `target`, at `progress` from 0 to 1.

    The keys are pressed at equal intervals; `speed` is in moves per second.
    """
    steps = merge_soft_drops(key_steps)
    if not steps:  # no path is known: the piece jumps to its target
        return DrawnPiece(target if progress > 1 - _FALL_SHARE else start)
    last_key = 1 - _FALL_SHARE if steps[-1].key == "drop" else _LAST_KEY_SHARE
    interval = last_key / len(steps)
    keys_pressed = min(len(steps), int(progress / interval))
    if not keys_pressed:
        return DrawnPiece(start)
    key, after = steps[keys_pressed - 1]
    before = steps[keys_pressed - 2].piece if keys_pressed > 1 else start
    columns = rows = 0.0  # between the piece and where it is drawn
    if before and after:
        elapsed = progress - keys_pressed * interval
        if key in ("left", "right"):
            slide = ease_out(1000 * elapsed / speed / SLIDE_MILLISECONDS)
            columns = (before.column - after.column) * (1 - slide)
        elif key in ("down", "drop"):
            duration = interval if keys_pressed < len(steps) else 1 - last_key
            rows = (before.row - after.row) * (1 - min(1.0, elapsed / duration) ** 2)
    return DrawnPiece(after, (columns, rows), keys_pressed)


class DecisionFall:
    """Lets the current piece of a game fall by gravity while its player decides; the game itself does not change.

    Under `timed` movement a decision takes `thinking_frames`, and the piece falls for this time in any case. Otherwise
    the time of a decision must not change the game: the piece falls only while every placement could still be reached
    by the rules of `timed` movement. Without a clock (`drop` and `reach` movement) the fall starts in the top rows,
    where a piece above the board is drawn. Under modern rules and `steered` movement it waits where it spawns.
    """

    def __init__(self, game: Game) -> None:
        self._position = position = game.position
        self._spawn = spawn = game.falling_piece
        rules = game.rules
        self._frames_per_row = position.frames_per_row if spawn else 0
        self.has_clock = rules.movement == "timed" and self._frames_per_row > 0
        self._hidden_rows = 0
        self._max_rows = 0  # until the piece rests
        if spawn and (landing := game.ghost):
            self._hidden_rows = 0 if self.has_clock else spawn.row - game.stack.lower_into_view(spawn).row
            self._max_rows = spawn.row - landing.row
        frames_until_rest = self._max_rows * self._frames_per_row
        self._thinking_frames = min(rules.thinking_frames, frames_until_rest) if self.has_clock else 0
        self._frames = 0.0  # so far
        self._rows = 0  # without the hidden rows
        self._is_blocked = not self._frames_per_row or rules.is_modern or rules.movement == "steered"
        self._key_steps: tuple[KeyStep, ...] = ()
        self._key_steps_for: tuple[int, Decision] | None = None  # the frames and the decision of `_key_steps`

    @property
    def piece(self) -> Placement | None:
        """The current location of the piece as a placement; None if there is no falling piece."""
        return replace(self._spawn, row=self._spawn.row - self.rows) if self._spawn else None

    @property
    def rows(self) -> int:
        """The number of rows from the spawn to the piece."""
        return self._rows + self._hidden_rows if self._rows else 0

    @property
    def is_complete(self) -> bool:
        """Whether the time that the rules set for a decision has passed."""
        return self._frames >= self._thinking_frames

    def update(self, seconds: float) -> None:
        """Let the piece fall for `seconds`."""
        self._frames += seconds * self._position.rules.frames_per_second
        while not self._is_blocked and self._frames >= (self._rows + 1) * self._frames_per_row:
            rows = self._hidden_rows + self._rows + 1
            frames = rows * self._frames_per_row
            is_in_time = frames <= self._thinking_frames or is_decision_in_time(self._position, frames)
            self._is_blocked = rows > self._max_rows or not is_in_time
            self._rows += not self._is_blocked

    def find_key_steps(self, decision: Decision) -> tuple[KeyStep, ...]:
        """Return the steps from where the piece is now to the placement of a decision; they are computed once."""
        frames = max(self._thinking_frames, self.rows * self._frames_per_row)
        if decision.placement is None or (frames == 0 and not self.has_clock):
            return decision.find_keys()
        if self._key_steps_for != (frames, decision):
            self._key_steps_for = frames, decision
            self._key_steps = find_keys_after_decision(self._position, decision.placement, frames)
        return self._key_steps


# Playing in the background.


class GameSteps:
    """Advances one game from decision to decision.

    `decide` runs in the background thread, and the other methods while no decision is being made.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.explanations = ExplanationRequest(0, wait_while_drawing)  # how many placements the next decision explains
        self.decision: Decision | None = None  # until it is taken
        self._events: Iterator[PlayEvent] | None = None

    def decide(self, player: Player) -> None:
        """Advance to the next decision and publish it."""
        if decision := self.make_decision(player):
            decision.find_keys()  # here, so that the window does not wait for them
            self.decision = decision

    def make_decision(self, player: Player) -> Decision | None:
        """Advance to the next decision and return it; None if the game is over."""
        self._events = self._events or step_game(player, self.game, explanations=self.explanations)
        return next((event.decision for event in self._events if isinstance(event, DecisionEvent)), None)

    def carry_out(self) -> None:
        """Carry out the last decision, until the piece locks or the game is over."""
        next((event for event in self._events or () if isinstance(event, PlacementEvent)), None)

    def press_key(self) -> bool:
        """Let the player press its next key; return whether the piece has locked."""
        return isinstance(next(self._events or iter(()), None), PlacementEvent)


class FastPlay:
    """Makes many moves per second in an agent's game; `run` is a job for its background agent.

    `position` and `decision_fall` can be used meanwhile; the game itself only after `stop`. A decision that comes after
    `stop` is published, so that the game continues with it.
    """

    def __init__(self, agent_game: AgentGame) -> None:
        agent = agent_game.background_agent.agent
        self.agent_game = agent_game
        self.game = agent_game.game
        self.tracker = agent_game.tracker
        self.steps = agent_game.steps
        self.steps.explanations.count = 0  # `_update_explanation` asks for them
        self.position = self.game.position
        self.decision_fall: DecisionFall | None = None  # of the piece that the player is deciding about
        self._compiled_agent = as_weighted_agent(agent) if agent else None
        self._is_fast = False  # whether the engine may make several moves between two checks of the clock
        self._lock = threading.Lock()
        self._is_stopped = False
        self._last_explained_at = 0.0

    def stop(self) -> bool:
        """Stop within milliseconds; return whether the player is still deciding."""
        self._is_stopped = True
        with self._lock:  # it is held for a slice of moves at most, never while a player thinks
            self.tracker.process_new_locks()
            return self.decision_fall is not None

    # In the background thread.

    def run(self, player: Player) -> None:
        """Make moves until the game is over or stopped."""
        last = perf_counter()
        due = 0.0
        while not self._is_stopped and not self.game.is_over:
            wait_while_drawing()
            now = perf_counter()
            speed = min(self.agent_game.speed, _MAX_FAST_SPEED)
            due = min(due + (now - last) * speed, _MAX_DELAY_SECONDS * speed)
            last = now
            if due < 1:
                sleep(_IDLE_SECONDS)
            elif self._compiled_agent and self._is_fast:
                self._update_explanation(player)
                due -= self._make_engine_moves(self._compiled_agent, int(due))
            else:
                due -= self._make_decided_move(player)

    def _make_decided_move(self, player: Player) -> int:
        """Make one move of a player that may be slow; the lock is not held while it thinks."""
        with self._lock:
            if self._is_stopped:  # stopped while the window drew: the caller of `stop` asks the player itself
                return 0
            self.decision_fall = DecisionFall(self.game)
        decision = self.steps.make_decision(player)
        with self._lock:
            if self._is_stopped and decision:
                self.steps.decision = decision
                return 0
            self.decision_fall = None
            self._is_fast = decision is not None and decision.seconds < _SLOW_MOVE_SECONDS
            self.steps.carry_out()
            self._update_tracker()
        return 1

    def _make_engine_moves(self, agent: WeightedAgent, due: int) -> int:
        """Let the compiled engine make up to `due` moves of a fast agent, for a slice of time; return their number."""
        settings = get_agent_settings(agent, self.game.rules)
        moves_made = 0
        end = perf_counter() + _SLICE_SECONDS
        with self._lock:
            if self._is_stopped:
                return 0
            while moves_made < due and self._can_continue(end):
                moves_made += play_compiled(self.game, settings, min(due - moves_made, _MOVES_PER_CALL))
            raise_feature_errors(agent)
            self._update_tracker()
        return moves_made

    def _can_continue(self, end: float) -> bool:
        return not (self._is_stopped or is_drawing() or self.game.is_over) and perf_counter() < end

    def _update_tracker(self) -> None:
        self.tracker.process_new_locks()
        if len(self.game.placements_made) >= MAX_SAVED_PIECES:
            self.agent_game.is_complete = False
            self.tracker.forget_placements()
        self.position = self.game.position

    def _update_explanation(self, player: Player) -> None:
        """Explain the current position ten times per second, unless the agent is asked about every move anyway."""
        now, count = perf_counter(), self.agent_game.explained_count
        if count and now - self._last_explained_at >= _EXPLANATION_SECONDS and not self.game.is_over:
            self._last_explained_at = now
            stack = self.tracker.stack
            decision = player.decide(self.position, count, wait_while_drawing)
            with self._lock:
                if not self._is_stopped:
                    self.agent_game.last_explained = ExplainedDecision(decision, stack)
