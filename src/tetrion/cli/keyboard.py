"""Keys of a terminal as they are pressed; whatever happens, the terminal is left as it was."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ReadKeys = Callable[[float], str]  # waits for so many seconds at most and tells what was pressed, a letter each
_ESCAPE, _CTRL_C = "\x1b", "\x03"
_HANG_UP_KEY = "q"  # what a terminal that is gone is taken to say
_EXIT_TERMINATED = 143  # exit code: ended by a request of the system

if sys.platform == "win32":
    import msvcrt

    _POLL_SECONDS = 0.02  # seconds between two looks

    def read_keys(seconds: float) -> str:
        """What was pressed."""
        end, pressed = time.monotonic() + seconds, ""
        while not pressed and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
            while msvcrt.kbhit():
                pressed += msvcrt.getwch()
        if _CTRL_C in pressed:
            raise KeyboardInterrupt
        return pressed

    @contextmanager
    def disable_echo() -> Iterator[None]:
        """A console shows no keys that are read so."""
        yield

else:
    import select
    import termios
    import tty

    def read_keys(seconds: float) -> str:
        """What was pressed; arrows and the like, which begin with an escape, are nothing."""
        place = sys.stdin.fileno()
        if not select.select([place], [], [], seconds)[0]:
            return ""
        try:
            pressed = os.read(place, 1024).decode(errors="ignore")
        except OSError:
            return _HANG_UP_KEY
        return "" if pressed.startswith(_ESCAPE) else pressed or _HANG_UP_KEY

    @contextmanager
    def disable_echo() -> Iterator[None]:
        """Let keys arrive at once and unseen, and Ctrl-C as ever."""
        place = sys.stdin.fileno()
        before = termios.tcgetattr(place)
        try:
            tty.setcbreak(place)
            yield
        finally:
            termios.tcsetattr(place, termios.TCSADRAIN, before)


def has_keyboard() -> bool:
    """Whether somebody can press keys."""
    return sys.stdin is not None and sys.stdin.isatty()


def wait_without_keys(seconds: float) -> str:
    """Let time pass where nobody can press anything."""
    time.sleep(seconds)
    return ""


@contextmanager
def open_keyboard() -> Iterator[ReadKeys]:
    """What to call for keys; where the standard input is no terminal, nothing is ever pressed."""
    if not has_keyboard():
        yield wait_without_keys
        return
    with exit_on_sigterm(), disable_echo():
        yield read_keys


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Let a request to end, as by `kill`, unwind like any other end."""

    def end(number: int, frame: object) -> None:
        raise SystemExit(_EXIT_TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
