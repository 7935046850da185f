"""Single key presses from a terminal, whose settings are always restored."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tetrion.interrupts import exit_on_termination

ReadKeys = Callable[[float], str]  # waits at most this many seconds; returns the keys pressed, one character each
_ESCAPE = b"\x1b"
_CTRL_C = "\x03"
_HANG_UP_KEY = "q"  # returned when the terminal has been closed

if sys.platform == "win32":
    import msvcrt

    _POLL_SECONDS = 0.02

    def read_keys(seconds: float) -> str:
        """Wait up to `seconds` for keys and return them."""
        deadline = time.monotonic() + seconds
        pressed = ""
        while not pressed and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            while msvcrt.kbhit():
                pressed += msvcrt.getwch()
        if _CTRL_C in pressed:
            raise KeyboardInterrupt
        return pressed

    @contextmanager
    def disable_echo() -> Iterator[None]:
        """Do nothing: a Windows console does not echo these keys."""
        yield

else:
    import select
    import termios
    import tty

    def read_keys(seconds: float) -> str:
        """Wait up to `seconds` for keys and return them; ignore keys such as arrows, which send escape sequences."""
        descriptor = sys.stdin.fileno()
        if not select.select([descriptor], [], [], seconds)[0]:
            return ""
        try:
            pressed = os.read(descriptor, 1024)
        except OSError:
            return _HANG_UP_KEY
        if not pressed:
            return _HANG_UP_KEY
        return "" if pressed.startswith(_ESCAPE) else pressed.decode(errors="ignore")

    @contextmanager
    def disable_echo() -> Iterator[None]:
        """Deliver keys immediately and without echo inside this context; Ctrl-C still interrupts."""
        descriptor = sys.stdin.fileno()
        settings = termios.tcgetattr(descriptor)
        try:
            tty.setcbreak(descriptor)
            yield
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, settings)


def has_keyboard() -> bool:
    """Return whether standard input is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def wait_without_keys(seconds: float) -> str:
    """Wait and return no keys (where there is no keyboard)."""
    time.sleep(seconds)
    return ""


@contextmanager
def open_keyboard() -> Iterator[ReadKeys]:
    """Provide the function that reads keys; without a terminal it only waits."""
    if not has_keyboard():
        yield wait_without_keys
        return
    with exit_on_termination(), disable_echo():
        yield read_keys
