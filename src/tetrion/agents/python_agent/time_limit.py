"""Waiting with a time limit that does not count the time in which this process was stopped."""

from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypeVar

_SLICE_SECONDS = 0.1
_MIN_GAP_SECONDS = 0.5  # a slice that takes so much longer than asked for shows that this process was stopped

_T = TypeVar("_T")


class TimeLimit:
    """A number of seconds for waiting, which is counted in short slices.

    No slice counts for more than its length, so that hardly any time passes while this process is stopped, such as by
    Ctrl-Z or while the computer sleeps.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.seconds_left = seconds

    def extend(self, seconds: float) -> None:
        """Allow more time."""
        self.seconds += seconds
        self.seconds_left += seconds

    def wait_for_item(self, items: "SimpleQueue[_T]") -> _T:
        """Return the next item of a queue; raise `Empty` if there is none when the time is over."""
        while True:
            pause = min(max(self.seconds_left, 0.0), _SLICE_SECONDS)
            start = monotonic()
            try:
                return items.get(timeout=pause)
            except Empty:
                if monotonic() - start > pause + _MIN_GAP_SECONDS:
                    # The item may have come meanwhile: another slice remains to receive it.
                    self.seconds_left = max(self.seconds_left, pause + _SLICE_SECONDS)
                elif self.seconds_left <= pause:
                    raise
            finally:
                self.seconds_left -= min(monotonic() - start, pause)
