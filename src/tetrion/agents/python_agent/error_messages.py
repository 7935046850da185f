"""What is said of a mistake in a person's own agent: what was raised, and at which of the person's lines."""

import sys
from pathlib import Path
from traceback import walk_tb
from typing import Any

from tetrion.board import Placement
from tetrion.errors import AgentError, TetrionError
from tetrion.position import Position

MAX_MESSAGE_LENGTH = 500  # characters of somebody else's message


def describe_exception(problem: BaseException, files: set[str]) -> str:
    """The kind of an exception, its message, and the last line in one of these files that led to it."""
    kind, text = type(problem).__name__, shorten_text(problem)
    lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(problem.__traceback__)]
    own = [(Path(file).name, line) for file, line in lines if file in files]
    if own and not isinstance(problem, SyntaxError):  # which tells its line itself
        text += f" ({own[-1][0]}, line {own[-1][1]})"
    return f"{kind}: {text}" if text else kind


def shorten_text(value: object) -> str:
    """A text for a value, whatever it is, on one line and not too long."""
    try:
        text = " ".join(str(value).split())
    except Exception:
        text = "(it cannot be shown)"
    return text if len(text) <= MAX_MESSAGE_LENGTH else f"{text[:MAX_MESSAGE_LENGTH]}…"


def find_source_files(kind: type) -> set[str]:
    """The files that a class and those that it inherits from are written in, Python's own left out."""
    names = {parent.__module__ for parent in kind.__mro__}
    modules = (sys.modules.get(name) for name in names if name.split(".")[0] not in sys.stdlib_module_names)
    return {str(module.__file__) for module in modules if module and getattr(module, "__file__", None)}


def call_choose(agent: Any, position: Position) -> Placement:
    """What an agent's `choose` answers, or the error that says why that is no answer."""
    try:
        answer = agent.choose(position)
    except (Exception, SystemExit) as problem:
        raise AgentError(f"choose raised {describe_exception(problem, find_source_files(type(agent)))}.") from None
    if isinstance(answer, Placement):
        return answer
    given = "None (is a return missing?)" if answer is None else f"{format_repr(answer)} ({type(answer).__name__})"
    raise AgentError(f"choose gives back one of position.placements(), a Placement; it gave {given}.")


def format_repr(value: object) -> str:
    """The `repr` of a value, if it has one."""
    try:
        return shorten_text(repr(value))
    except Exception:
        return "something"


def validate_choice(placement: Placement, position: Position) -> Placement:
    """The one of the position's placements that was chosen, or the error that says that none was."""
    try:
        return position.validate_placement(placement)
    except TetrionError as mistake:
        raise AgentError(f"choose gave a placement that is not possible. {mistake}") from None
