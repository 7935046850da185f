"""The name by which the user can start the program again, in the commands that are printed to be copied."""

import re
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

from tetrion.cli import COMMANDS

_NAME = "tetrion"
_COMMAND = re.compile(rf"(?<![\w./-]){_NAME} (?=--help|(?:{'|'.join(COMMANDS)})\b)")


def name_program(text: str) -> str:
    """Return a text whose commands begin with what starts this program in the user's shell.

    Without an activated environment, the shell may not find `tetrion`.
    """
    return _COMMAND.sub(lambda _: f"{find_program(sys.argv[0])} ", text)


@cache
def find_program(started: str) -> str:
    """Return the words that start the program again, given the first argument of its process."""
    path = Path(started)
    if path.name == "__main__.py":
        name = Path(sys.executable).name
        return f"{name if _is_found(name, Path(sys.executable)) else shlex.quote(sys.executable)} -m {_NAME}"
    if path.stem != _NAME or path.parent == Path():
        return _NAME
    return _NAME if _is_found(_NAME, path) else shlex.quote(started)


def _is_found(name: str, program: Path) -> bool:
    """Return whether the shell finds this program by its name; links are programs of their own, as in environments."""
    found = shutil.which(name)
    return found is not None and Path(found).absolute() == program.absolute().with_suffix(Path(found).suffix)
