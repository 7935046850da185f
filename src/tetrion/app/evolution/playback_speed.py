"""How fast games go on that are watched, and whether they do; a person changes it while others play."""

import math
import threading
import time
from collections.abc import Callable
from enum import Enum

UNLIMITED_SPEED = math.inf  # moves a second: as many as the machine can
_MIN_SPEED = 1.0
_CATCH_UP_SECONDS = 0.05  # seconds: what was missed is made good within so many, and forgotten beyond


class PlaybackStep(Enum):
    """What whoever plays does next."""

    ONE_PIECE = "one piece"
    FAST_FORWARD = "as much as can be"
    STOP = "nothing more"


class PlaybackSpeed:
    """Moves a second, pauses, haste and the end. Every part may be called from any thread."""

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
        """Moves a second."""
        return self._speed

    @speed.setter
    def speed(self, moves: float) -> None:
        with self.condition:
            self._speed = max(_MIN_SPEED, moves)
            self.condition.notify_all()

    @property
    def is_paused(self) -> bool:
        """Whether nothing goes on."""
        return self._is_paused

    @is_paused.setter
    def is_paused(self, paused: bool) -> None:
        with self.condition:
            self._is_paused = paused
            self.condition.notify_all()

    @property
    def is_fast_forward(self) -> bool:
        """Whether the games of now are to be brought to their ends as fast as can be."""
        return self._is_fast_forward

    @is_fast_forward.setter
    def is_fast_forward(self, hasty: bool) -> None:
        with self.condition:
            self._is_fast_forward = hasty
            self._is_paused = self._is_paused and not hasty
            self.condition.notify_all()

    @property
    def is_stopped(self) -> bool:
        """Whether the games of now are given up."""
        return self._is_stopped

    @is_stopped.setter
    def is_stopped(self, stopped: bool) -> None:
        with self.condition:
            self._is_stopped = stopped
            self.condition.notify_all()

    def wait_for_step(self, before_wait: Callable[[], None] = lambda: None) -> PlaybackStep:
        """Wait until it is time and say for what; `rest` is called before a wait."""
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
        """How long it is to the next piece; None for as long as nobody goes on."""
        now = time.monotonic()
        passed, self.last_update = now - self.last_update, now
        if self._is_paused:
            return None
        speed = min(self._speed, 1e9)
        self.due_moves = min(self.due_moves + passed * speed, 1 + _CATCH_UP_SECONDS * speed)
        return max(0.0, (1 - self.due_moves) / speed)

    def wait_while_paused(self) -> bool:
        """Wait while there is a pause; tells whether to stop."""
        with self.condition:
            while self._is_paused and not self._is_stopped:
                self.condition.wait()
            return self._is_stopped
