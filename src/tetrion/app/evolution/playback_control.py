"""The playback control of visible games: speed, pause, fast-forward and stop, shared between threads."""

import math
import threading
import time
from collections.abc import Callable
from enum import Enum

UNLIMITED_SPEED = math.inf  # moves per second
_MIN_SPEED = 1.0
_CATCH_UP_SECONDS = 0.05  # a longer delay is not caught up


class PlaybackStep(Enum):
    """The next action of the thread that plays."""

    ONE_PIECE = "one piece"
    FAST_FORWARD = "fast forward"
    STOP = "stop"


class PlaybackControl:
    """The speed, pause, fast-forward and stop state of a session; thread-safe."""

    def __init__(self, speed: float = 60.0) -> None:
        self.condition = threading.Condition()
        self._speed = speed
        self._is_paused = False
        self._is_fast_forward = False
        self._is_stopped = False
        self.due_moves = 1.0
        self.last_update = time.monotonic()

    @property
    def speed(self) -> float:
        """Moves per second."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        with self.condition:
            self._speed = max(_MIN_SPEED, speed)
            self.condition.notify_all()

    @property
    def is_paused(self) -> bool:
        """Whether playback is paused."""
        return self._is_paused

    @is_paused.setter
    def is_paused(self, is_paused: bool) -> None:
        with self.condition:
            self._is_paused = is_paused
            self.condition.notify_all()

    @property
    def is_fast_forward(self) -> bool:
        """Whether the current games are played to their ends as fast as possible; setting it ends a pause."""
        return self._is_fast_forward

    @is_fast_forward.setter
    def is_fast_forward(self, is_fast_forward: bool) -> None:
        with self.condition:
            self._is_fast_forward = is_fast_forward
            self._is_paused = self._is_paused and not is_fast_forward
            self.condition.notify_all()

    @property
    def is_stopped(self) -> bool:
        """Whether the current games are to be stopped."""
        return self._is_stopped

    @is_stopped.setter
    def is_stopped(self, is_stopped: bool) -> None:
        with self.condition:
            self._is_stopped = is_stopped
            self.condition.notify_all()

    def wait_for_step(self, before_wait: Callable[[], None] = lambda: None) -> PlaybackStep:
        """Wait until the next step is due and return it; `before_wait` is called before each wait."""
        with self.condition:
            while not self._is_stopped:
                if not self._is_paused and (self._is_fast_forward or self._speed == UNLIMITED_SPEED):
                    return PlaybackStep.FAST_FORWARD
                seconds = self.compute_wait_seconds()
                if seconds == 0:
                    self.due_moves -= 1
                    return PlaybackStep.ONE_PIECE
                before_wait()
                self.condition.wait(seconds)
            return PlaybackStep.STOP

    def compute_wait_seconds(self) -> float | None:
        """Return the time until the next piece is due; None while playback is paused."""
        now = time.monotonic()
        elapsed = now - self.last_update
        self.last_update = now
        if self._is_paused:
            return None
        speed = min(self._speed, 1e9)
        self.due_moves = min(self.due_moves + elapsed * speed, 1 + _CATCH_UP_SECONDS * speed)
        return max(0.0, (1 - self.due_moves) / speed)

    def wait_while_paused(self) -> bool:
        """Wait while playback is paused; return whether the games are to be stopped."""
        with self.condition:
            while self._is_paused and not self._is_stopped:
                self.condition.wait()
            return self._is_stopped
