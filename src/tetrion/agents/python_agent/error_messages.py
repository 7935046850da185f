"""Error messages about Python agents, with the line of the agent's source, and checks of the chosen placement."""

import sys
from pathlib import Path
from traceback import walk_tb
from typing import Any

from tetrion.board import Placement
from tetrion.errors import AgentError, TetrionError
from tetrion.position import Position

MAX_MESSAGE_LENGTH = 500  # characters of a message from the agent's code


def describe_exception(error: BaseException, files: set[str]) -> str:
    """Return the type of an exception, its message, and the last line of its traceback that is in one of `files`."""
    type_name = type(error).__name__
    text = shorten_text(error)
    traceback = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    source_lines = [(Path(file).name, line) for file, line in traceback if file in files]
    if source_lines and not isinstance(error, SyntaxError):  # its message has the line already
        text += f" ({source_lines[-1][0]}, line {source_lines[-1][1]})"
    return f"{type_name}: {text}" if text else type_name


def shorten_text(value: object) -> str:
    """Return a value as a text on one line, of at most `MAX_MESSAGE_LENGTH` characters."""
    try:
        text = " ".join(str(value).split())
    except Exception:
        text = "(no message: its __str__ failed)"
    return text if len(text) <= MAX_MESSAGE_LENGTH else f"{text[:MAX_MESSAGE_LENGTH]}…"


def find_source_files(agent_class: type) -> set[str]:
    """Return the source files of a class and its base classes, without the standard library."""
    names = {parent.__module__ for parent in agent_class.__mro__}
    modules = (sys.modules.get(name) for name in names if name.split(".")[0] not in sys.stdlib_module_names)
    return {str(module.__file__) for module in modules if module and getattr(module, "__file__", None)}


def call_choose(agent: Any, position: Position) -> Placement:
    """Call an agent's `choose` and return its placement; an `AgentError` describes an exception or a wrong type."""
    try:
        choice = agent.choose(position)
    except (Exception, SystemExit) as error:
        raise AgentError(f"choose raised {describe_exception(error, find_source_files(type(agent)))}.") from None
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
