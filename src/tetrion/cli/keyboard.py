"""Keys from a terminal, whose settings are always restored.

Most terminals send a character or an escape sequence for a pressed key, again and again while it is held, and nothing
when it is released. Those with the kitty keyboard protocol report releases, too, if they are asked for:
https://sw.kovidgoyal.net/kitty/keyboard-protocol/
"""

import codecs
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from tetrion.interrupts import exit_on_termination

ASK_FOR_RELEASES = "\x1b[?u"  # the reply, if the terminal knows the protocol, begins with CSI ?
REPORT_RELEASES = "\x1b[>15u"  # all keys as escape sequences, with repeats, releases and the character that is typed
END_REPORTS = "\x1b[<u"
FOCUS_LOST = "focus lost"  # the name of an event that is no key
_ESCAPE = "\x1b"
_CTRL_C = "\x03"
_HANG_UP_KEY = "q"  # returned when the terminal has been closed
_ESCAPE_SECONDS = 0.05  # after a lone Esc; a sequence may arrive in two parts
# The limits keep the beginning of a sequence short, whatever is pasted: it is searched again with each further part.
_SEQUENCE = re.compile(r"\x1b\[([<=>?]?)([0-9:;]{0,40})[ -/]{0,8}([@-~])|\x1bO([ -~])")
_BEGUN_SEQUENCE = re.compile(r"\x1b(\[[<=>?]?[0-9:;]{0,40}[ -/]{0,8}|O)?")
_NUMBERED_KEYS = {
    **dict(enumerate(("home", "insert", "delete", "end", "page up", "page down", "home", "end"), 1)),
    **dict(enumerate(("f1", "f2", "f3", "f4", "f5"), 11)),
    **dict(enumerate(("f6", "f7", "f8", "f9", "f10"), 17)),
    **{23: "f11", 24: "f12"},
}
_LETTERED_KEYS = dict(
    zip("ABCDHFPQRS", ("up", "down", "right", "left", "home", "end", "f1", "f2", "f3", "f4"), strict=True)
)
_CHARACTER_KEYS = {" ": "space", "\r": "return", "\n": "return", "\t": "tab", "\x7f": "backspace", _ESCAPE: "escape"}
_FIRST_PRIVATE_CODE, _LAST_PRIVATE_CODE = 0xE000, 0xF8FF  # keys without a character in the kitty protocol
_PRIVATE_KEYS = {  # Ctrl alone is no key here, because Ctrl-C and Ctrl-Z keep their meaning
    **{57399 + number: f"[{number}]" for number in range(10)},
    **dict(enumerate(("left", "right", "up", "down"), 57417)),
    **{57441: "left shift", 57443: "left alt", 57447: "right shift", 57449: "right alt"},
}
_CTRL = 4  # bit of the modifiers
_SHIFT = 1

if sys.platform == "win32":
    import msvcrt

    _POLL_SECONDS = 0.005
    _SPECIAL_KEY_PREFIXES = ("\x00", "\xe0")
    _SPECIAL_KEYS = {"H": "\x1b[A", "P": "\x1b[B", "M": "\x1b[C", "K": "\x1b[D", "G": "\x1b[H", "O": "\x1b[F"}

    def read_input(seconds: float) -> str:
        """Wait up to `seconds` for input and return it; arrow keys are escape sequences, as on other systems."""
        deadline = time.monotonic() + seconds
        typed = ""
        while not typed:
            while msvcrt.kbhit():
                character = msvcrt.getwch()
                is_special = character in _SPECIAL_KEY_PREFIXES
                typed += _SPECIAL_KEYS.get(msvcrt.getwch(), "") if is_special else character
            if time.monotonic() >= deadline:
                break
            time.sleep(_POLL_SECONDS)
        if _CTRL_C in typed:
            raise KeyboardInterrupt
        return typed

    def write_terminal(text: str) -> None:
        """Write escape sequences and text to the terminal."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def can_write() -> bool:
        """Return whether the terminal accepts text without waiting; a Windows console always does."""
        return True

    @contextmanager
    def disable_echo() -> Iterator[None]:
        """Let the console interpret escape sequences inside this context; it does not echo these keys."""
        os.system("")  # turns escape sequences on, as a side effect that all versions of Windows have
        yield

else:
    import select
    import termios
    import tty

    _decoder = codecs.getincrementaldecoder("utf-8")("ignore")

    def read_input(seconds: float) -> str:
        """Wait up to `seconds` for input and return it; raise an EOFError if the terminal has been closed."""
        descriptor = sys.stdin.fileno()
        if not select.select([descriptor], [], [], seconds)[0]:
            return ""
        try:
            typed = os.read(descriptor, 1024)
        except OSError:
            typed = b""
        if not typed:
            raise EOFError
        return _decoder.decode(typed)

    def write_terminal(text: str) -> None:
        """Write escape sequences and text to the terminal."""
        content = text.encode(sys.stdout.encoding, "replace")
        while content:  # without Python's buffer, which would be written once more at the end of the program
            content = content[os.write(sys.stdout.fileno(), content) :]

    def can_write() -> bool:
        """Return whether the terminal accepts text without waiting, which it does not on a slow connection."""
        return bool(select.select([], [sys.stdout.fileno()], [], 0)[1])

    @contextmanager
    def disable_echo() -> Iterator[None]:
        """Deliver keys immediately and without echo inside this context; Ctrl-C still interrupts."""
        descriptor = sys.stdin.fileno()
        settings = termios.tcgetattr(descriptor)
        try:
            tty.setcbreak(descriptor)
            yield
        finally:
            with suppress(termios.error):  # the terminal may have been closed
                termios.tcsetattr(descriptor, termios.TCSAFLUSH, settings)


def read_keys(seconds: float) -> str:
    """Wait up to `seconds` for keys and return them; ignore keys such as arrows, which send escape sequences.

    Without a keyboard, only wait.
    """
    if not has_keyboard():
        time.sleep(seconds)
        return ""
    try:
        typed = read_input(seconds)
    except EOFError:
        return _HANG_UP_KEY
    return "" if typed.startswith(_ESCAPE) else typed


def has_keyboard() -> bool:
    """Return whether standard input is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


@contextmanager
def open_keyboard() -> Iterator[None]:
    """Deliver keys to `read_keys` inside this context, if there is a keyboard."""
    if not has_keyboard():
        yield
        return
    with exit_on_termination(), disable_echo():
        yield


class TerminalKeyEvent(NamedTuple):
    """A key that was pressed or released; `name` is that of pygame ("left", "space", "x"), or FOCUS_LOST."""

    name: str
    is_pressed: bool = True
    is_repeat: bool = False  # known only where releases are reported
    has_ctrl: bool = False


class KeyDecoder:
    """Converts what a terminal sends to key events.

    `offers_releases` becomes True when the terminal replies to ASK_FOR_RELEASES.
    """

    def __init__(self) -> None:
        self.offers_releases = False
        self._rest = ""  # the beginning of a sequence
        self._rest_time = 0.0

    def decode(self, typed: str, now: float) -> list[TerminalKeyEvent]:
        """Return the events of the text that was read at the time `now`, in seconds; it may be empty."""
        events: list[TerminalKeyEvent | None] = []
        if self._rest and not typed and now - self._rest_time >= _ESCAPE_SECONDS:
            events += [TerminalKeyEvent("escape")]
            self._rest = ""
        if typed:
            typed = self._rest + typed
            self._rest = ""
        while typed:
            if match := _SEQUENCE.match(typed):
                events.append(self._decode_sequence(*match.groups(default="")))
                typed = typed[match.end() :]
            elif _BEGUN_SEQUENCE.fullmatch(typed):
                self._rest, self._rest_time = typed, now
                break
            else:
                events.append(name_character(typed[0]))
                typed = typed[1:]
        return [event for event in events if event]

    def _decode_sequence(self, private: str, parameters: str, final: str, lettered: str) -> TerminalKeyEvent | None:
        """Return the event of an escape sequence, or None if it is not one of a known key."""
        if private:
            self.offers_releases |= (private, final) == ("?", "u")
            return None
        if lettered:
            return TerminalKeyEvent(_LETTERED_KEYS[lettered]) if lettered in _LETTERED_KEYS else None
        if final == "O" and not parameters:
            return TerminalKeyEvent(FOCUS_LOST)
        numbers = [[int(number or 0) for number in field.split(":")] for field in parameters.split(";")]
        modifiers, kind = ([*numbers[1], 1] if len(numbers) > 1 else [1, 1])[:2]
        modifiers = max(0, modifiers - 1)
        if final == "u":
            name = name_code(numbers[0], has_shift=bool(modifiers & _SHIFT))
        elif final == "~":
            name = _NUMBERED_KEYS.get(numbers[0][0], "")
        else:
            name = _LETTERED_KEYS.get(final, "")
        return TerminalKeyEvent(name, kind != 3, kind == 2, bool(modifiers & _CTRL)) if name else None


def name_character(character: str) -> TerminalKeyEvent | None:
    """Return the event of a typed character; None for an unprintable one that is no key."""
    if name := _CHARACTER_KEYS.get(character):
        return TerminalKeyEvent(name)
    if "\x01" <= character <= "\x1a":
        return TerminalKeyEvent(chr(ord(character) + ord("a") - 1), has_ctrl=True)
    return TerminalKeyEvent(character.lower()) if character.isprintable() else None


def name_code(codes: list[int], *, has_shift: bool) -> str:
    """Return the name of a key of the kitty protocol, or "" for an unknown one.

    `codes` has the code of the key, the one with Shift (0 if there is none), and the one of that key on a US keyboard.
    """
    code, shifted, base = [*codes, 0, 0][:3]
    if _FIRST_PRIVATE_CODE <= code <= _LAST_PRIVATE_CODE:
        return _PRIVATE_KEYS.get(code, "")
    if code > 127 and base:  # a key of a keyboard with other letters, such as Cyrillic ones
        code, shifted = base, 0
    code = shifted if has_shift and shifted else code
    event = name_character(chr(code)) if 0 < code <= sys.maxunicode else None
    return event.name if event and not event.has_ctrl else ""
