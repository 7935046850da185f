"""Cleaning of texts that come from files and from the system, so that every output can show them; printed commands.

Names, messages and paths may contain characters that no terminal, font or file format accepts, or more of them than any
output can draw. They are cleaned once, where they enter.
"""

import codecs
import re
import shlex
import sys
from collections.abc import Sequence
from itertools import count

MAX_NAME_LENGTH = 100  # characters of a name, such as that of an agent
MAX_DESCRIPTION_LENGTH = 1000  # characters of a longer text, such as the summary of a recipe
_MAX_MESSAGE_LENGTH = 2000  # characters of an error message
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Control characters, surrogates, line separators, characters that change the direction of text or are invisible, and
# the two that XML forbids.
_UNSAFE_CHARACTERS = (
    "\x00-\x1f\x7f-\x9f\xad\ud800-\udfff\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
)
_ASCII_SIGNS = {"−": "-", "±": "+-", "×": "x", "→": "->", "…": "...", "·": "|", "–": "-", "“": '"', "”": '"'}
UNENCODABLE_AS_ASCII = "tetrion-ascii"  # an error handler of encoders: `text.encode("cp1252", UNENCODABLE_AS_ASCII)`
_UNSAFE_IN_FILE_NAMES = re.compile(r"[^\w .=+-]+")
_UNSAFE = re.compile(f"[{_UNSAFE_CHARACTERS}]")
_UNSAFE_IN_LINES = re.compile(f"(?!\n)[{_UNSAFE_CHARACTERS}]")


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII for the characters that an encoding lacks, such as "-" for the minus sign."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = [_ASCII_SIGNS.get(sign, sign) for sign in error.object[error.start : error.end]]
    return "".join(signs).encode("ascii", "replace").decode(), error.end


codecs.register_error(UNENCODABLE_AS_ASCII, _replace_unencodable)


def make_printable(text: str) -> str:
    """Return a text that can be printed: output redirected to a file on Windows lacks the minus sign, for example."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, UNENCODABLE_AS_ASCII).decode(encoding)


def join_command(*words: str) -> str:
    """Return words as a command line, quoted where necessary for the shells of this system."""
    if sys.platform == "win32":
        from subprocess import list2cmdline

        return list2cmdline(words)
    return shlex.join(words)


def clean_name(text: str) -> str:
    """Return a name of at most `MAX_NAME_LENGTH` printable characters."""
    return clean_text(text, MAX_NAME_LENGTH)


def clean_text(text: str, max_length: int = MAX_DESCRIPTION_LENGTH) -> str:
    """Return a text on one line, shortened to `max_length` characters, with unprintable characters replaced."""
    shortened = text if len(text) <= max_length else f"{text[: max_length - 1]}…"
    return _UNSAFE.sub(_REPLACEMENT, shortened)


def number_duplicate_names(names: Sequence[str]) -> list[str]:
    """Return unique names: the second and later occurrences of a name get a number."""
    unique: list[str] = []
    for name in names:
        candidates = (name if number == 1 else f"{name} ({number})" for number in count(1))
        unique.append(next(candidate for candidate in candidates if candidate not in unique))
    return unique


def make_file_name(text: str, default: str) -> str:
    """Return a text as the name of a file or folder, without separators and without dots at its ends.

    `default` is for a text without letters and digits.
    """
    return _UNSAFE_IN_FILE_NAMES.sub("-", clean_name(text)).strip(" .-") or default


def clean_message(text: str) -> str:
    """Return a message, which may have several lines, with its middle left out if it is very long."""
    if len(text) > _MAX_MESSAGE_LENGTH:
        half = _MAX_MESSAGE_LENGTH // 2  # the beginning names the place, the end has the remedy
        text = f"{text[:half]} … {text[-half:]}"
    return clean_lines(text)


def clean_lines(text: str) -> str:
    """Return a text of any length and several lines, such as a whole page, with unprintable characters replaced."""
    return _UNSAFE_IN_LINES.sub(_REPLACEMENT, text)
