"""The progress of long work, such as evaluation, training, reproduction or recording, and its observers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far long work is: `done` of `planned` units, such as games or generations; `planned` is 0 if unknown.

    >>> Progress(task="dellacherie", done=50, planned=200, seconds=10.0).seconds_left
    30.0
    """

    task: str
    """What is being done, such as the name of the agent that plays."""
    done: int = 0
    planned: int = 0
    unit: str = "game"
    seconds: float = 0.0
    """Elapsed time."""
    done_before: int = 0
    """Units that were done before this time, by work that was stopped and is now resumed."""
    pieces: int = 0
    """Pieces placed in this time; 0 if they are not counted."""
    pieces_left: float | None = None
    """Estimated number of pieces still to be placed; None if unknown."""
    details: tuple[str, ...] = ()
    """Further information as short texts, such as "± 5 %"."""

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the end, from the pieces that are left or else from the units; None if unknown."""
        if self.pieces_left is not None and self.pieces:
            return self.seconds * self.pieces_left / self.pieces
        newly_done = self.done - self.done_before
        return self.seconds * max(0, self.planned - self.done) / newly_done if newly_done > 0 else None


ProgressType = TypeVar("ProgressType", bound=Progress)
Observer = Callable[[ProgressType], object]
"""Called several times per second while long work runs; it stops the work, as Ctrl-C does, by raising
KeyboardInterrupt."""
