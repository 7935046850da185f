"""Whose turn it is: while the window draws, whoever can rest does, so that frames come in time on one core too."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 0.05  # seconds that anybody rests; nothing depends on it

_free = threading.Event()
_free.set()


@contextmanager
def drawing() -> Iterator[None]:
    """Others rest meanwhile."""
    _free.clear()
    try:
        yield
    finally:
        _free.set()


def rest() -> None:
    """Wait until nothing is drawn."""
    _free.wait(LONGEST)
