"""How fast games go on that are watched, and whether they do; a person changes it while others play."""

import math
import threading
import time
from collections.abc import Callable
from enum import Enum

FASTEST = math.inf  # moves a second: as many as the machine can
SLOWEST = 1.0
CATCH_UP = 0.05  # seconds: what was missed is made good within so many, and forgotten beyond


class Turn(Enum):
    """What whoever plays does next."""

    STEP = "one piece"
    LEAP = "as much as can be"
    STOP = "nothing more"


class Pace:
    """Moves a second, pauses, haste and the end. Every part may be called from any thread."""

    def __init__(self, speed: float = 60.0) -> None:
        self.condition = threading.Condition()
        self._speed, self._paused, self._hasty, self._stopped = speed, False, False, False
        self.credit, self.moment = 1.0, time.monotonic()

    @property
    def speed(self) -> float:
        """Moves a second."""
        return self._speed

    @speed.setter
    def speed(self, moves: float) -> None:
        with self.condition:
            self._speed = max(SLOWEST, moves)
            self.condition.notify_all()

    @property
    def paused(self) -> bool:
        """Whether nothing goes on."""
        return self._paused

    @paused.setter
    def paused(self, paused: bool) -> None:
        with self.condition:
            self._paused = paused
            self.condition.notify_all()

    @property
    def hasty(self) -> bool:
        """Whether the games of now are to be brought to their ends as fast as can be."""
        return self._hasty

    @hasty.setter
    def hasty(self, hasty: bool) -> None:
        with self.condition:
            self._hasty = hasty
            self._paused = self._paused and not hasty
            self.condition.notify_all()

    @property
    def stopped(self) -> bool:
        """Whether the games of now are given up."""
        return self._stopped

    @stopped.setter
    def stopped(self, stopped: bool) -> None:
        with self.condition:
            self._stopped = stopped
            self.condition.notify_all()

    def turn(self, rest: Callable[[], None] = lambda: None) -> Turn:
        """Wait until it is time and say for what; `rest` is called before a wait."""
        with self.condition:
            while not self._stopped:
                if not self._paused and (self._hasty or self._speed == FASTEST):
                    return Turn.LEAP
                seconds = self.seconds_to_wait()
                if seconds == 0:
                    self.credit -= 1
                    return Turn.STEP
                rest()
                self.condition.wait(seconds)
            return Turn.STOP

    def seconds_to_wait(self) -> float | None:
        """How long it is to the next piece; None for as long as nobody goes on."""
        now = time.monotonic()
        passed, self.moment = now - self.moment, now
        if self._paused:
            return None
        speed = min(self._speed, 1e9)
        self.credit = min(self.credit + passed * speed, 1 + CATCH_UP * speed)
        return max(0.0, (1 - self.credit) / speed)

    def hold(self) -> bool:
        """Wait while there is a pause; tells whether to stop."""
        with self.condition:
            while self._paused and not self._stopped:
                self.condition.wait()
            return self._stopped
