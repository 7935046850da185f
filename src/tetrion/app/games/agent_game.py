"""A visible game of an agent, animated key by key or played as fast as possible."""

from collections import deque
from time import perf_counter

from tetrion.agents import Agent, Decision, WeightedAgent
from tetrion.agents.agent import KeyStep
from tetrion.agents.named.baseline_agents import KEYS_PER_SECOND
from tetrion.app.games.agent_piece import DecisionFall, MoveAnimation, merge_soft_drops
from tetrion.app.games.background_agent import BackgroundAgent
from tetrion.app.games.fast_play import EXPLANATION_SECONDS, MAX_SAVED_PIECES, ExplainedDecision, FastPlay, GameSteps
from tetrion.app.games.game_tracker import GameTracker
from tetrion.board import Placement
from tetrion.drawing.board_animation import CLEAR_MILLISECONDS
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.game_facts import ActionText
from tetrion.position import Position
from tetrion.stack import LockedPiece

__all__ = ["DEFAULT_AGENT_SPEED", "MAX_ANIMATED_SPEED", "MAX_SAVED_PIECES", "MAX_STEPPED_SPEED", "AgentGame"]

DEFAULT_AGENT_SPEED = 2.0  # moves per second (Medico: half a second each)
CLEAR_PAUSE_SECONDS = 0.3  # at the default speed
MAX_ANIMATED_SPEED = 8.0  # moves per second; at higher speeds, the path of a piece is not animated
MAX_STEPPED_SPEED = 30.0  # moves per second; at higher speeds, moves are made in the background
_MAX_WAIT_SHARE = 0.1  # the part of a move that may pass while waiting for the decision
_SPEED_WINDOW_SECONDS = 2.0  # for measuring moves per second; longer if there are few moves
_MIN_SPEED_SAMPLES = 4


class AgentGame:
    """A game of an agent. With `autoplay` it plays by itself, `step` makes one move; `speed` is in moves per second.

    The game depends only on the agent, the rules and the seed, not on the speed; `tetrion bench` plays the same game.
    While the agent decides, the piece is drawn falling.
    """

    def __init__(
        self,
        agent: Agent | str,
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
        self.background_agent = BackgroundAgent(agent)
        self._start_game()

    def _start_game(self) -> None:
        self.game = Game(self.rules, self.seed)
        self.tracker = GameTracker(self.game)
        self.action = ActionText()
        self.decision: Decision | None = None  # the last one
        self._is_decision_current = False  # whether it is about the current piece
        self._is_asked = False  # whether the agent is deciding about the current piece
        self._steps = GameSteps(self.game)
        self._fall = DecisionFall(self.game)
        self.last_explained: ExplainedDecision | None = None
        self.locks: list[LockedPiece] = []  # since the screen last cleared the list
        self.clearing_lock: LockedPiece | None = None
        self.is_complete = True  # whether all placements are recorded, so that the game can be saved
        self._move_seconds = 0.0
        self._clear_seconds_left = 0.0
        self._clear_seconds = 1.0
        self._requested_steps = 0
        self._seconds_since_explanation = EXPLANATION_SECONDS
        self._fast_play: FastPlay | None = None
        self._speed_samples: deque[tuple[float, int]] = deque([(perf_counter(), 0)])
        self._mode = (-1, "")  # the number of pieces and the mode in this position

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
        if not isinstance(agent, WeightedAgent) or agent.second_mode is None:
            return ""
        if self._mode[0] != (position := self.position).pieces:
            self._mode = position.pieces, agent.get_mode_name(position)
        return self._mode[1]

    @property
    def moves_per_second(self) -> float | None:
        """The measured speed of the last moves, at the end of the game if it is over; None before the first moves."""
        start_time, start_pieces = self._speed_samples[0]
        end_time, end_pieces = self._speed_samples[-1]
        if end_pieces <= start_pieces or end_time <= start_time:
            return None
        return (end_pieces - start_pieces) / (end_time - start_time)

    @property
    def move_progress(self) -> float:
        """The progress of the current move, from 0 to 1."""
        return min(1.0, self._move_seconds * self.speed) if self._is_move_running else 0.0

    @property
    def move_animation(self) -> MoveAnimation | None:
        """The animation of the current piece to its target; None if it is not animated."""
        decision = self.current_decision
        if not decision or not decision.placement or self.speed > MAX_ANIMATED_SPEED or self.clearing_lock:
            return None
        steps = self._fall.find_key_steps(decision)
        return MoveAnimation(steps, self._fall.piece, decision.placement, self.move_progress, self.speed)

    @property
    def key_steps(self) -> tuple[KeyStep, ...] | None:
        """The steps of the current decision from where the piece is, in display form; None if there is no decision."""
        if not (decision := self.current_decision):
            return None
        return merge_soft_drops(self._fall.find_key_steps(decision))

    @property
    def keys_pressed(self) -> int:
        """The number of steps of the decision that have been made."""
        return self.move_animation.keys_pressed if self.move_animation and self._is_move_running else 0

    @property
    def active_piece(self) -> Placement | None:
        """The current piece where it is drawn; None during fast play, unless the agent takes long to decide."""
        if self._fast_play:
            fall = self._fast_play.decision_fall
            return fall.piece if fall and fall.rows else None
        if self.game.is_over or self.clearing_lock:
            return None
        decision = self.current_decision
        if decision and not decision.placement:  # its keys move the piece in the game
            return self.game.falling_piece
        if decision is None or not self._is_move_running:
            return self._fall.piece
        return self.move_animation.placement if self.move_animation else decision.placement

    @property
    def has_clock(self) -> bool:
        """Whether the time of decisions and keys counts under the rules."""
        return self._fall.has_clock

    @property
    def offset(self) -> tuple[float, float]:
        """The columns and rows between `active_piece` and where it is drawn during its animation."""
        return self.move_animation.offset if self.move_animation and self._is_move_running else (0.0, 0.0)

    @property
    def target(self) -> Placement | None:
        """The placement that the agent has chosen."""
        decision = self.current_decision
        return decision.placement if decision and not self.clearing_lock else None

    @property
    def clear_milliseconds(self) -> float:
        """The elapsed time of the line clear animation in milliseconds."""
        return CLEAR_MILLISECONDS * (1 - self._clear_seconds_left / self._clear_seconds) if self.clearing_lock else 0.0

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
    def _is_move_running(self) -> bool:
        return self.current_decision is not None and self._is_clock_running

    @property
    def _is_clock_running(self) -> bool:
        return self.autoplay or self._requested_steps > 0

    @property
    def _has_thinking_time_left(self) -> bool:
        """Whether the decision time of the rules still runs; it is not shown if moves are not animated."""
        return not self._fall.is_complete and self.speed <= MAX_ANIMATED_SPEED

    # Playing.

    def step(self) -> None:
        """Make one move while `autoplay` is off."""
        if not self.autoplay and not self._requested_steps:
            self._requested_steps = 1
            self._move_seconds = 0.0

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`."""
        self._seconds_since_explanation += seconds
        self.action.update(seconds)
        self._sample_speed()
        self._take_decision()
        if self.game.is_over or self.problem:
            self.stop_fast_play()
        elif self.autoplay and self.speed > MAX_STEPPED_SPEED:
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
            self.background_agent = self.background_agent.restart()
        self._start_game()

    def close(self) -> None:
        """Stop fast play and the agent."""
        self.stop_fast_play()
        self.background_agent.close()

    def _sample_speed(self) -> None:
        """Record the number of pieces for `moves_per_second`, up to the last one."""
        now = perf_counter()
        pieces = self.game.pieces
        if self.game.is_over and pieces == self._speed_samples[-1][1]:
            return
        if pieces != self._speed_samples[-1][1]:
            self._speed_samples.append((now, pieces))
        while len(self._speed_samples) > _MIN_SPEED_SAMPLES and now - self._speed_samples[0][0] > _SPEED_WINDOW_SECONDS:
            self._speed_samples.popleft()

    def _take_decision(self) -> None:
        """Take the decision about the current piece, if the agent has made it and its time has passed."""
        if self._is_clock_running and self._has_thinking_time_left:
            return
        decision = self._steps.take_decision()
        if decision is None:
            return
        self.decision = decision
        self._is_asked = False
        self._is_decision_current = True
        if self.speed <= MAX_ANIMATED_SPEED:
            self._move_seconds = min(self._move_seconds, _MAX_WAIT_SHARE / self.speed)
        if decision.placement and (decision.explanation or self._steps.explained_count):
            self.last_explained = ExplainedDecision(decision, self.tracker.stack)

    def _request_decision(self) -> None:
        if not self._is_asked and not self._is_decision_current and not self.game.is_over:
            is_due = self._seconds_since_explanation >= EXPLANATION_SECONDS
            self._steps.explained_count = self.explained_count if is_due else 0
            self._seconds_since_explanation = 0.0 if self._steps.explained_count else self._seconds_since_explanation
            self._is_asked = True
            self.background_agent.run_job(self._steps.decide)

    def _update_clear(self, seconds: float) -> None:
        if self.clearing_lock:
            self._clear_seconds_left -= seconds
            if self._clear_seconds_left <= 0:
                self.clearing_lock = None

    def _update_move(self, seconds: float) -> None:
        if self._is_move_running and self.decision and not self.decision.placement:
            self._press_keys(seconds)
        elif self.background_agent.agent and self._is_clock_running:
            self._advance_move(seconds)
        if not self.clearing_lock:
            self._request_decision()

    def _advance_move(self, seconds: float) -> None:
        """Let the piece fall while the agent decides, then move it; place it at the end of the move."""
        if self._is_asked or self._has_thinking_time_left:
            self._update_fall(self._fall, seconds)
        if self._is_move_running and self._has_thinking_time_left:
            return
        self._move_seconds += seconds
        if self._is_move_running and self.move_progress >= 1:
            self._place_piece()

    def _update_fall(self, fall: DecisionFall, seconds: float) -> None:
        """Let a piece fall while the agent decides: at the default speed, as fast as the rules say."""
        if self.background_agent.agent and not self.background_agent.is_compiling:
            fall.update(seconds * min(self.speed, MAX_ANIMATED_SPEED) / DEFAULT_AGENT_SPEED)

    def _place_piece(self) -> None:
        """Carry out the current decision, if there is one."""
        if self._is_decision_current:
            self._steps.carry_out()
            self._finish_move(max(0.0, self._move_seconds - 1 / self.speed))

    def _finish_move(self, leftover_seconds: float = 0.0) -> None:
        """Prepare for the next piece after a lock; `leftover_seconds` count for the next move."""
        self._is_decision_current = False
        self._requested_steps = 0
        self._move_seconds = min(leftover_seconds, 1 / self.speed)
        self._fall = DecisionFall(self.game)
        locks = self.tracker.process_new_locks()
        self.locks += locks
        if locks and self.speed <= MAX_ANIMATED_SPEED:
            self.action.add_lock(locks[-1], self.game.position)
        if locks and locks[-1].full_rows and self.speed <= MAX_ANIMATED_SPEED:
            self._clear_seconds = CLEAR_PAUSE_SECONDS * min(1.0, 2 * DEFAULT_AGENT_SPEED / self.speed)
            self.clearing_lock = locks[-1]
            self._clear_seconds_left = self._clear_seconds

    def _press_keys(self, seconds: float) -> None:
        """Press the keys that are due, for a player without a target: 60 per second at the default speed."""
        self._move_seconds += seconds * KEYS_PER_SECOND * self.speed / DEFAULT_AGENT_SPEED
        while self._move_seconds >= 1 and self._is_decision_current:
            self._move_seconds -= 1
            if self._steps.press_key():
                self._finish_move()

    # Fast play.

    def _update_fast_play(self, seconds: float) -> None:
        """Start or update fast play; a move that is already decided is made first."""
        if self._fast_play is None:
            agent = self.background_agent.agent
            if agent is None or self._is_asked:
                self._update_fall(self._fall, seconds)
                return
            self.clearing_lock = None
            self._place_piece()
            if self.game.is_over:
                return
            self._fast_play = FastPlay(agent, self.tracker, self.speed, self._steps)
            self.background_agent.run_job(self._fast_play.run)
        self._fast_play.speed = self.speed
        self._fast_play.explained_count = self.explained_count
        if fall := self._fast_play.decision_fall:
            self._update_fall(fall, seconds)
        self.last_explained = self._fast_play.last_explained or self.last_explained

    def stop_fast_play(self) -> None:
        """Stop fast play until the next update, so that the game can be read and saved."""
        if self._fast_play is not None:
            self._is_asked = self._fast_play.stop()
            self.is_complete = self.is_complete and self._fast_play.is_complete
            self.last_explained = self._fast_play.last_explained or self.last_explained
            self._fall = self._fast_play.decision_fall or DecisionFall(self.game)
            self._fast_play = None
            self._is_decision_current = False
            self._move_seconds = 0.0
