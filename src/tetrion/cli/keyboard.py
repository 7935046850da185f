"""Keys of a terminal as they are pressed; whatever happens, the terminal is left as it was."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Read = Callable[[float], str]  # waits for so many seconds at most and tells what was pressed, a letter each
ESCAPE, CTRL_C = "\x1b", "\x03"
HUNG_UP = "q"  # what a terminal that is gone is taken to say
TERMINATED = 143  # exit code: ended by a request of the system

if sys.platform == "win32":
    import msvcrt

    POLL = 0.02  # seconds between two looks

    def read_keys(seconds: float) -> str:
        """What was pressed."""
        end, pressed = time.monotonic() + seconds, ""
        while not pressed and time.monotonic() < end:
            time.sleep(POLL)
            while msvcrt.kbhit():
                pressed += msvcrt.getwch()
        if CTRL_C in pressed:
            raise KeyboardInterrupt
        return pressed

    @contextmanager
    def unechoed() -> Iterator[None]:
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
            return HUNG_UP
        return "" if pressed.startswith(ESCAPE) else pressed or HUNG_UP

    @contextmanager
    def unechoed() -> Iterator[None]:
        """Let keys arrive at once and unseen, and Ctrl-C as ever."""
        place = sys.stdin.fileno()
        before = termios.tcgetattr(place)
        try:
            tty.setcbreak(place)
            yield
        finally:
            termios.tcsetattr(place, termios.TCSADRAIN, before)


def there_are_keys() -> bool:
    """Whether somebody can press keys."""
    return sys.stdin is not None and sys.stdin.isatty()


def wait(seconds: float) -> str:
    """Let time pass where nobody can press anything."""
    time.sleep(seconds)
    return ""


@contextmanager
def keyboard() -> Iterator[Read]:
    """What to call for keys; where the standard input is no terminal, nothing is ever pressed."""
    if not there_are_keys():
        yield wait
        return
    with ended_properly(), unechoed():
        yield read_keys


@contextmanager
def ended_properly() -> Iterator[None]:
    """Let a request to end, as by `kill`, unwind like any other end."""

    def end(number: int, frame: object) -> None:
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
