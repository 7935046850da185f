"""Priority for drawing: background threads wait while the window draws, so that frames are on time on a single core."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_MAX_WAIT_SECONDS = 0.05

_not_drawing = threading.Event()
_not_drawing.set()


@contextmanager
def draw_with_priority() -> Iterator[None]:
    """Make background threads wait inside this context."""
    _not_drawing.clear()
    try:
        yield
    finally:
        _not_drawing.set()


def wait_while_drawing() -> None:
    """Block while the window draws, at most 0.05 seconds."""
    _not_drawing.wait(_MAX_WAIT_SECONDS)


def is_drawing() -> bool:
    """Return whether the window draws at this moment."""
    return not _not_drawing.is_set()
