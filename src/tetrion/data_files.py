"""Reading of data files that may come from anyone: regular files of limited size, with strict JSON or TOML.

Each format has a reader of its own, which checks the content and adds the name of the file to these errors.
"""

import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tetrion.errors import RunError, TetrionError

MAX_DATA_FILE_BYTES = 1_000_000  # a typical file takes a few hundred
MAX_NESTING = 20  # levels of objects and lists
_MAX_VALUES = 1_000_000
_MAX_INTEGER = 2**63 - 1
_MAX_KEY_PARTS = 32
# TOML: the time to parse a key grows with the square of its parts.
_KEY_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_DOTTED_KEY = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_KEY_PART}){{{_MAX_KEY_PARTS}}}")


class DataFileError(TetrionError):
    """A file that cannot be read, or whose content is not valid JSON or TOML; the message does not name the file."""


def read_data_file(path: Path, max_bytes: int = MAX_DATA_FILE_BYTES) -> bytes:
    """Return the content of a regular file of at most `max_bytes` bytes; devices and pipes are not read.

    Raise FileNotFoundError if there is no such file, and DataFileError if it cannot be read.
    """
    try:
        with open_regular_file(path) as file:
            size = os.fstat(file.fileno()).st_size  # to read more at once would reserve memory for it
            content = file.read(min(size, max_bytes) + 1)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:  # a ValueError for a path with a null character
        reason = getattr(error, "strerror", None) or error
        raise DataFileError(f"the file cannot be read: {reason}.") from None
    if len(content) > max_bytes:
        raise DataFileError(f"such a file has at most {max_bytes:,} bytes; this file is larger.")
    return content


@contextmanager
def open_regular_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; raise an OSError at once for a folder, a device or a pipe, which could block."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(None, "it is not a regular file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(handle)


def refuse_link(folder: Path) -> None:
    """Raise RunError if a folder in which files are written or deleted is a link to another one."""
    if folder.is_symlink():
        raise RunError(f"{folder} is a link. Replace it by the folder to which it leads.")


def parse_json(
    content: bytes, *, max_values: int = _MAX_VALUES, max_nesting: int = MAX_NESTING, check_numbers: bool = True
) -> Any:
    """Return the value of a JSON text; raise DataFileError if it is invalid or exceeds the limits.

    Without `check_numbers`, the caller checks the parts that it uses with `check_values`.
    """
    if not content.strip():
        raise DataFileError("the file is empty.")
    if content.count(b",") + content.count(b"[") + content.count(b"{") > max_values:
        raise DataFileError(f"such a file has at most {max_values:,} values; this file has more.")
    value = _parse(json.loads, "JSON", content)
    if check_numbers:
        check_values(value, max_nesting)
    return value


def parse_toml(content: bytes) -> dict[str, Any]:
    """Return the table of a TOML text; raise DataFileError if it is invalid or exceeds the limits."""
    table: dict[str, Any] = _parse(_load_toml, "TOML", content)
    check_values(table)
    return table


def _load_toml(text: str) -> dict[str, Any]:
    if _LONG_DOTTED_KEY.search(text):
        raise ValueError(f"a key has at most {_MAX_KEY_PARTS} parts")
    return tomllib.loads(text)


def _parse(load: Callable[[str], Any], format_name: str, content: bytes) -> Any:
    try:
        return load(content.decode("utf-8-sig"))
    except RecursionError:
        raise DataFileError(f"the file is not valid {format_name}: it is nested too deeply.") from None
    except ValueError as error:
        raise DataFileError(f"the file is not valid {format_name}: {error}.") from None


def check_values(content: object, max_nesting: int = MAX_NESTING) -> None:
    """Raise DataFileError if parsed content is nested too deeply, or has a number that does not fit in 64 bits.

    Numbers must be finite.
    """
    level = [content]
    for _ in range(max_nesting + 1):
        for value in level:
            if isinstance(value, int) and not -_MAX_INTEGER <= value <= _MAX_INTEGER:
                raise DataFileError("a whole number is out of range; expected at most 2⁶³ − 1.")
            if isinstance(value, float) and not math.isfinite(value):
                raise DataFileError(f"a number must be finite; given {value}.")
        level = [part for value in level if isinstance(value, Mapping | list) for part in _list_parts(value)]
        if not level:
            return
    raise DataFileError(f"the content is nested more than {max_nesting} levels deep.")


def _list_parts(value: "Mapping[str, object] | list[object]") -> list[object]:
    return list(value.values()) if isinstance(value, Mapping) else value
