"""Whose turn it is: while the window draws, whoever can rest does, so that frames come in time on one core too."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_MAX_WAIT_SECONDS = 0.05  # seconds that anybody rests; nothing depends on it

_not_drawing = threading.Event()
_not_drawing.set()


@contextmanager
def draw_with_priority() -> Iterator[None]:
    """Others rest meanwhile."""
    _not_drawing.clear()
    try:
        yield
    finally:
        _not_drawing.set()


def wait_while_drawing() -> None:
    """Wait until nothing is drawn."""
    _not_drawing.wait(_MAX_WAIT_SECONDS)
