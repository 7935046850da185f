"""Files that commands write: checked before the work, and never left half written."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from tetrion.atomic_files import get_part_path, write_atomically
from tetrion.errors import TetrionError

STANDARD_OUTPUT = "-"


def validate_output_files(files: Mapping[str, str | None]) -> None:
    """Make sure, before the work that they are for, that the files of these options can be written, one a file."""
    given = {option: file for option, file in files.items() if file is not None}
    for option, file in given.items():
        check_writable(option, file)
    places: dict[str, str] = {}
    for option, file in given.items():
        place = file if file == STANDARD_OUTPUT else str(Path(file).resolve())
        if place in places:
            where = "to the standard output" if file == STANDARD_OUTPUT else f"into {file}"
            raise TetrionError(f"{places[place]} and {option} both write {where}. Give one of them another file.")
        places[place] = option


def check_writable(option: str, file: str) -> None:
    """Make sure that a file can be written, without leaving one behind."""
    if file == STANDARD_OUTPUT:
        return
    with explain_write_errors(option, file):
        path = Path(file).resolve()
        if path.exists():
            path.open("ab").close()
        if not path.exists() or path.is_file():
            part = get_part_path(path)
            part.touch()
            part.unlink()


def write_text(option: str, file: str, text: str) -> None:
    """Write a text into a file, or to the standard output if its name is -."""
    if file == STANDARD_OUTPUT:
        click.echo(text, nl=False)
    else:
        write_bytes(option, file, text.encode())


def write_bytes(option: str, file: str, content: bytes) -> None:
    """Write a file as a whole: whatever happens, it holds either what it held before or all of this."""
    with explain_write_errors(option, file):
        path = Path(file).resolve()
        if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
            path.write_bytes(content)
            return
        write_atomically(path, content)


@contextmanager
def explain_write_errors(option: str, file: str) -> Iterator[None]:
    """Say it in our words if a file cannot be written."""
    try:
        yield
    except TetrionError:  # which is a ValueError, and says it already
        raise
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise TetrionError(f"{file!r} cannot be written: {reason}. Give another place to {option}.") from None
