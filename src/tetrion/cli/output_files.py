"""Files that commands write: checked before the work begins, and never left incomplete."""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tetrion.atomic_files import get_part_path, write_atomically
from tetrion.cli.console_output import echo
from tetrion.errors import TetrionError
from tetrion.text_cleaning import clean_lines

STANDARD_OUTPUT = "-"


def validate_output_files(files: Mapping[str, str | None]) -> None:
    """Check that the file of each option can be written, and that no two options write the same file."""
    given = {option: file for option, file in files.items() if file is not None}
    for option, file in given.items():
        check_writable(option, file)
    options_by_target: dict[str, str] = {}
    for option, file in given.items():
        target = file if file == STANDARD_OUTPUT else os.path.realpath(file)
        if target in options_by_target:
            where = "standard output" if file == STANDARD_OUTPUT else file
            other_option = options_by_target[target]
            raise TetrionError(f"{other_option} and {option} both write to {where}. Give one of them another file.")
        options_by_target[target] = option


def check_writable(option: str, file: str, *, follows_links: bool = True) -> None:
    """Check that a file can be written as `write_bytes` does, without changing or creating it."""
    if file == STANDARD_OUTPUT:
        return
    with explain_write_errors(option, file):
        path = follow_links(file) if follows_links else Path(file)
        if follows_links and path.exists():
            path.open("ab").close()
        if not follows_links or not path.exists() or path.is_file():
            part = get_part_path(path)
            part.unlink(missing_ok=True)
            part.touch(exist_ok=False)
            part.unlink()


def write_text(option: str, file: str, text: str) -> None:
    """Write a text to a file, or to standard output if `file` is -; unprintable characters are replaced."""
    write_text_parts(option, file, [text])


def write_text_parts(option: str, file: str, parts: Iterable[str]) -> None:
    """Write the parts of a text as `write_text` does, without holding all of them in memory."""
    if file == STANDARD_OUTPUT:
        for part in parts:
            echo(part, nl=False)
    else:
        write_bytes(option, file, (clean_lines(part).encode() for part in parts))


def write_bytes(option: str, file: str, content: bytes | Iterable[bytes], *, follows_links: bool = True) -> None:
    """Write a file atomically, given whole or in parts: if writing fails, the previous content remains.

    A file that the user names may be a link to a file or a device, which is followed. With `follows_links=False`, for a
    file in a folder that may come from anyone, whatever has its name is replaced.
    """
    with explain_write_errors(option, file):
        path = follow_links(file) if follows_links else Path(file)
        if follows_links and path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
            with path.open("wb") as device:
                device.writelines([content] if isinstance(content, bytes) else content)
            return
        write_atomically(path, content)


def follow_links(file: str) -> Path:
    """Return the path without links; raise an OSError for links that lead to themselves."""
    path = Path(os.path.realpath(file))
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), file)
    return path


@contextmanager
def explain_write_errors(option: str, file: str) -> Iterator[None]:
    """Raise errors of writing `file` as a TetrionError that names the option."""
    try:
        yield
    except TetrionError:  # is a ValueError with a complete message
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise TetrionError(f"{file!r} cannot be written: {reason}. Give another file to {option}.") from None
