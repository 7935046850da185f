"""A game that an agent plays before a person's eyes: decision, keys, fall, clear; slowly, or as fast as it can."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from tetrion.agents import AnyAgent, PythonAgent, RandomKeysAgent, WeightedAgent
from tetrion.agents.random_keys import KEYS_PER_SECOND
from tetrion.app.games.background_agent import AgentDecision, BackgroundAgent
from tetrion.app.games.fast_play import EXPLANATION_SECONDS, MAX_SAVED_PIECES, ExplainedDecision, FastPlay
from tetrion.app.games.game_tracker import GameTracker, LockedPiece
from tetrion.app.games.move_animation import MoveAnimation
from tetrion.board import Placement
from tetrion.drawing.board_animation import CLEAR_MILLISECONDS
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position

__all__ = ["DEFAULT_AGENT_SPEED", "MAX_ANIMATED_SPEED", "MAX_SAVED_PIECES", "MAX_STEPPED_SPEED", "AgentGame"]

DEFAULT_AGENT_SPEED = 2.0  # moves a second (Medico: half a second each)
CLEAR_PAUSE_SECONDS = 0.3  # seconds at that speed
MAX_ANIMATED_SPEED = 8.0  # moves a second; above there is no way to be seen
MAX_STEPPED_SPEED = 30.0  # moves a second; above, moves are made beside the window
_MAX_WAIT_SHARE = 0.1  # of a move: so much of the wait for a decision counts as part of it
_SPEED_WINDOW_SECONDS = 2.0  # seconds over which moves a second are counted, or longer where they are few
_MIN_SPEED_SAMPLES = 4  # at least


class AgentGame:
    """An agent at a game. `auto` lets it go on by itself, `step` makes one move; `speed` is in moves a second.

    The same agent, rules and seed play the same game at any speed, and the same as when games are only counted.
    """

    def __init__(
        self,
        agent: AnyAgent | str,
        rules: Rules,
        seed: int,
        *,
        explained_count: int = 0,
        speed: float = DEFAULT_AGENT_SPEED,
        autoplay: bool = True,
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.explained_count = explained_count
        self.speed = speed
        self.autoplay = autoplay
        self._agent = agent
        self.background_agent = BackgroundAgent(agent)
        self._start_game()

    def _start_game(self) -> None:
        self.game = Game(self.rules, self.seed)
        self.tracker = GameTracker(self.game)
        self.decision: AgentDecision | None = None  # the last one
        self._is_decision_current = False  # whether it is about the piece in play
        self.last_explained: ExplainedDecision | None = None  # the last decision whose reasons are known
        self.locks: list[LockedPiece] = []  # since whoever watches has looked
        self.clearing_lock: LockedPiece | None = None
        self.is_complete = True  # whether all placements are known, so that the game can be kept
        self._move_seconds = 0.0
        self._clear_seconds_left = 0.0
        self._clear_seconds = 1.0
        self._requested_steps = 0
        self._asked_position: Position | None = None
        self._seconds_since_explanation = EXPLANATION_SECONDS
        self._fast_play: FastPlay | None = None
        self._key_presses: Iterator[None] | None = None
        self._speed_samples: deque[tuple[float, int]] = deque([(perf_counter(), 0)])

    # What is seen.

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.background_agent.agent.name if self.background_agent.agent else self.background_agent.name

    @property
    def problem(self) -> str:
        """What has gone wrong with the agent, else nothing."""
        return self.background_agent.problem

    @property
    def is_fast_playing(self) -> bool:
        """Whether moves are made too fast to be seen."""
        return self._fast_play is not None

    @property
    def position(self) -> Position:
        """The position, or while moves are made too fast to be seen, one of the last."""
        return self._fast_play.position if self._fast_play else self.game.position

    @property
    def moves_per_second(self) -> float | None:
        """How many moves a second were made of late; None before the first ones."""
        (first, fewer), (last, more) = self._speed_samples[0], self._speed_samples[-1]
        return (more - fewer) / (last - first) if more > fewer and last > first else None

    @property
    def move_progress(self) -> float:
        """How far the move is that is seen, from 0 to 1."""
        return min(1.0, self._move_seconds * self.speed) if self._is_move_running else 0.0

    @property
    def move_animation(self) -> MoveAnimation | None:
        """How the piece is seen to go where the agent has decided; None if it is not on its way."""
        decision = self.current_decision
        slow = self.speed <= MAX_ANIMATED_SPEED and not self.is_fast_playing and not self.clearing_lock
        return (
            MoveAnimation(decision, self.game.falling_piece, self.move_progress, self.speed)
            if decision and slow
            else None
        )

    @property
    def keys_pressed(self) -> int:
        """How many of the decision's steps have been made."""
        return self.move_animation.keys_pressed if self.move_animation and self._is_move_running else 0

    @property
    def active_piece(self) -> Placement | None:
        """Where the piece in play is seen; it is not while moves are made too fast."""
        if self.is_fast_playing or self.game.is_over or self.clearing_lock:
            return None
        if (decision := self.current_decision) is None or not self._is_move_running:
            return self.game.falling_piece
        return self.move_animation.placement if self.move_animation else decision.placement

    @property
    def offset(self) -> tuple[float, float]:
        """How many columns and rows the piece in play is seen away from there, on its way."""
        return self.move_animation.offset if self.move_animation and self._is_move_running else (0.0, 0.0)

    @property
    def target(self) -> Placement | None:
        """Where the agent has decided to go."""
        decision = self.current_decision
        return decision.placement if decision and not self.clearing_lock else None

    @property
    def clear_milliseconds(self) -> float:
        """Since how many milliseconds of the animation rows have been cleared."""
        return CLEAR_MILLISECONDS * (1 - self._clear_seconds_left / self._clear_seconds) if self.clearing_lock else 0.0

    @property
    def is_thinking(self) -> bool:
        """Whether the agent is still deciding, or not there yet."""
        return self.background_agent.agent is None or self._asked_position is not None

    @property
    def current_decision(self) -> AgentDecision | None:
        """The decision, if it is about the piece in play."""
        return self.decision if self._is_decision_current and not self.is_fast_playing else None

    @property
    def _is_move_running(self) -> bool:
        return self.current_decision is not None and (self.autoplay or self._requested_steps > 0)

    # What goes on.

    def step(self) -> None:
        """Make one move, whatever `auto` says."""
        if not self.autoplay and not self._requested_steps:
            self._requested_steps = 1
            self._move_seconds = 0.0

    def update(self, seconds: float) -> None:
        """Let time pass."""
        self._seconds_since_explanation += seconds
        self._sample_speed()
        self._take_decision()
        if self.game.is_over or self.problem:
            self._end_fast_play()
        elif self.autoplay and self.speed > MAX_STEPPED_SPEED:
            self._update_fast_play()
        else:
            self._end_fast_play()
            self._update_clear(seconds)
            if not self.clearing_lock:
                self._update_move(seconds)

    @contextmanager
    def pause_for_drawing(self) -> Iterator[None]:
        """Moves that are made beside the window wait meanwhile, so that drawing has the processor to itself."""
        sprint = self._fast_play
        if sprint:
            sprint.set_held(True)
        try:
            yield
        finally:
            if sprint:
                sprint.set_held(False)

    def restart(self, seed: int | None = None) -> None:
        """Begin anew, with other pieces if a seed is given; an agent that still thinks is left to itself."""
        self.stop_fast_play()
        self.seed = self.seed if seed is None else seed
        own = isinstance(self.background_agent.agent, PythonAgent) or self.background_agent.agent is None
        if self.problem or (own and self._asked_position is not None):
            self.background_agent.close()
            self.background_agent = BackgroundAgent(self._agent)
        self._start_game()

    def stop_fast_play(self) -> None:
        """Make no more moves beside the window until the next update: the game can be looked at and kept."""
        self._end_fast_play()

    def close(self) -> None:
        """End what goes on beside the window."""
        self.stop_fast_play()
        self.background_agent.close()

    def _sample_speed(self) -> None:
        """Note how many moves have been made by now."""
        now, pieces = perf_counter(), self.game.pieces
        if pieces != self._speed_samples[-1][1]:
            self._speed_samples.append((now, pieces))
        while len(self._speed_samples) > _MIN_SPEED_SAMPLES and now - self._speed_samples[0][0] > _SPEED_WINDOW_SECONDS:
            self._speed_samples.popleft()

    def _take_decision(self) -> None:
        """Take a decision that was asked for."""
        told = self.background_agent.take_decision()
        if told is not None and told.position is self._asked_position:
            self.decision = told
            self._asked_position = None
            self._is_decision_current = True
            self._move_seconds = (
                min(self._move_seconds, _MAX_WAIT_SHARE / self.speed)
                if self.speed <= MAX_ANIMATED_SPEED
                else self._move_seconds
            )
            if told.explanation or not isinstance(self.background_agent.agent, WeightedAgent):
                self.last_explained = ExplainedDecision(told, self.tracker.stack)

    def _request_decision(self) -> None:
        if self._asked_position is None and not self._is_decision_current and not self.game.is_over:
            reasons = self.explained_count if self._seconds_since_explanation >= EXPLANATION_SECONDS else 0
            self._seconds_since_explanation = 0.0 if reasons else self._seconds_since_explanation
            self._asked_position = self.game.position
            self.background_agent.ask(self._asked_position, reasons, self.seed)

    def _update_clear(self, seconds: float) -> None:
        if self.clearing_lock:
            self._clear_seconds_left -= seconds
            if self._clear_seconds_left <= 0:
                self.clearing_lock = None

    def _update_move(self, seconds: float) -> None:
        agent = self.background_agent.agent
        if isinstance(agent, RandomKeysAgent):
            self._press_keys(agent, seconds)
        if agent is None or isinstance(agent, RandomKeysAgent):  # nobody who decides, or not yet
            return
        if self.autoplay or self._requested_steps:
            self._move_seconds += seconds
        if self._is_move_running and self.move_progress >= 1:
            self._place_piece()
        if not self.clearing_lock:
            self._request_decision()

    def _place_piece(self) -> None:
        if self.decision is not None and self._is_decision_current:
            self.game.place(self.decision.placement)
            self._finish_move(max(0.0, self._move_seconds - 1 / self.speed))

    def _finish_move(self, leftover_seconds: float = 0.0) -> None:
        """A piece has come to rest; so much time is left over for the next one."""
        self._is_decision_current = False
        self._requested_steps = 0
        self._move_seconds = min(leftover_seconds, 1 / self.speed)
        new = self.tracker.process_new_locks()
        self.locks += new
        if new and new[-1].full_rows and self.speed <= MAX_ANIMATED_SPEED:
            self._clear_seconds = CLEAR_PAUSE_SECONDS * min(1.0, 2 * DEFAULT_AGENT_SPEED / self.speed)
            self.clearing_lock = new[-1]
            self._clear_seconds_left = self._clear_seconds

    def _press_keys(self, agent: RandomKeysAgent, seconds: float) -> None:
        """Let an agent that presses keys press as many as are due: sixty a second at the usual speed."""
        if not self.autoplay and not self._requested_steps:
            return
        self._move_seconds += seconds * KEYS_PER_SECOND * self.speed / DEFAULT_AGENT_SPEED
        while self._move_seconds >= 1 and not self.game.is_over:
            self._move_seconds -= 1
            pieces = self.game.pieces
            next(self.get_key_presses(agent), None)
            if self.game.pieces != pieces:
                self._finish_move()
                return

    def get_key_presses(self, agent: RandomKeysAgent) -> Iterator[None]:
        """The keys that an agent of keys presses in this game, one after another."""
        if self._key_presses is None:
            self._key_presses = agent.press_keys(self.game)
        return self._key_presses

    # As fast as it can.

    def _update_fast_play(self) -> None:
        """Let moves be made beside the window; what has been decided before comes first."""
        if self._fast_play is None:
            agent = self.background_agent.agent
            if agent is None or self._asked_position is not None:
                return
            self.clearing_lock = None
            self._place_piece()
            if self.game.is_over:
                return
            presses = self.get_key_presses(agent) if isinstance(agent, RandomKeysAgent) else None
            self._fast_play = FastPlay(self.background_agent, self.game, self.tracker, self.speed, presses)
        sprint = self._fast_play
        sprint.speed, sprint.explained_count = self.speed, self.explained_count
        self.last_explained = sprint.last_explained or self.last_explained

    def _end_fast_play(self) -> None:
        if self._fast_play is not None:
            self._asked_position = self._fast_play.stop()
            self.is_complete = self.is_complete and self._fast_play.is_complete
            self.last_explained = self._fast_play.last_explained or self.last_explained
            self._fast_play = None
            self._is_decision_current = False
            self._move_seconds = 0.0
