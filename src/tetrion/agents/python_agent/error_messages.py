"""Error messages about Python agents, with the line of the agent's source, and checks of the chosen placement."""

import sys
from linecache import getline
from pathlib import Path
from traceback import walk_tb
from types import FunctionType
from typing import Any

from tetrion.board import Placement
from tetrion.errors import AgentError, TetrionError
from tetrion.position import Position
from tetrion.text_cleaning import clean_name, clean_text

MAX_MESSAGE_LENGTH = 500  # characters of a message from the agent's code


def describe_exception(error: BaseException, files: set[str]) -> str:
    """Return the type of an exception, its message, and the last line of its traceback that is in one of `files`."""
    type_name = clean_name(type(error).__name__)
    text = shorten_text(error)
    traceback = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    source_lines = [(file, line) for file, line in traceback if file in files]
    if source_lines and not isinstance(error, SyntaxError):  # its message has the line already
        text += f" ({describe_source_line(*source_lines[-1])})"
    return f"{type_name}: {text}" if text else type_name


def describe_source_line(file: str, line: int) -> str:
    """Return the name of a file and a line number; for code without a file, such as a notebook cell, its line."""
    if Path(file).is_file():
        return f"{Path(file).name}, line {line}"
    source = shorten_text(getline(file, line))
    return f"line {line}: {source}" if source else f"line {line}"


def shorten_text(value: object) -> str:
    """Return a value as a text on one line, of at most `MAX_MESSAGE_LENGTH` printable characters."""
    try:
        text = " ".join(str(value).split())
    except Exception:
        text = "(no message: its __str__ failed)"
    return clean_text(text, MAX_MESSAGE_LENGTH)


def find_source_files(agent_class: type) -> set[str]:
    """Return the source files of a class and its base classes, without the standard library.

    The files of the methods are those of the code, also in a notebook, whose cells have no module with a file.
    """
    parents = [
        parent for parent in agent_class.__mro__ if parent.__module__.split(".")[0] not in sys.stdlib_module_names
    ]
    modules = [sys.modules.get(parent.__module__) for parent in parents]
    methods = [value for parent in parents for value in vars(parent).values() if isinstance(value, FunctionType)]
    module_files = {str(module.__file__) for module in modules if module and getattr(module, "__file__", None)}
    return module_files | {method.__code__.co_filename for method in methods}


def call_choose(agent: Any, position: Position) -> Placement:
    """Call an agent's `choose` and return its placement; an `AgentError` describes an exception or a wrong type."""
    try:
        choice = agent.choose(position)
    except (Exception, SystemExit) as error:
        raise AgentError(f"choose raised {describe_exception(error, find_source_files(type(agent)))}.") from error
    if isinstance(choice, Placement):
        return choice
    given = "None (is a return missing?)" if choice is None else f"{format_repr(choice)} ({type(choice).__name__})"
    raise AgentError(f"choose must return a Placement, one of position.placements(); it returned {given}.")


def format_repr(value: object) -> str:
    """Return the `repr` of a value on one line, even if its `__repr__` fails."""
    try:
        return shorten_text(repr(value))
    except Exception:
        return "a value whose __repr__ failed"


def validate_choice(placement: Placement, position: Position) -> Placement:
    """Return the chosen placement, or raise an `AgentError` if it is illegal in the position."""
    try:
        return position.validate_placement(placement)
    except TetrionError as error:
        raise AgentError(f"choose returned an illegal placement. {error}") from None
