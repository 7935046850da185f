"""Python classes as agents: loading a class, calling its `choose`, and describing its mistakes.

A class is given by its path, `file.py:Class` or `module:Class`. Error messages name the line of its source.
"""

import ast
import importlib.util
import inspect
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from linecache import getline
from pathlib import Path
from traceback import walk_tb
from types import FunctionType, ModuleType
from typing import Any, ClassVar

from tetrion.agents.agent import Chooser, Player
from tetrion.board import Placement
from tetrion.data_files import read_data_file
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError, UnknownNameError
from tetrion.notebook_display import make_short_repr
from tetrion.position import Position, validate_placement
from tetrion.text_cleaning import clean_name, clean_text

CLASS_PATH_FORM = "a class must be given as file.py:Class or module:Class"
_EXPECTED_CLASS = "a class with the method choose(self, position)"
MAX_MESSAGE_LENGTH = 500  # characters of a message from the agent's code


# The class.


def is_file_path(source: str) -> bool:
    """Return whether the part of a class path before the colon is a file rather than a module."""
    return source.lower().endswith(".py") or "/" in source or "\\" in source


def find_class_file(class_path: str) -> Path | None:
    """Return the Python file of a class path without importing it; None for a module that is not in this folder."""
    source, _, _ = class_path.rpartition(":")
    if not source:  # a file without a class, which loading reports
        return None
    if is_file_path(source):
        return Path(source)
    module = Path(*source.split("."))
    with suppress(OSError):  # the name is too long for a file name
        return next((path for path in (module.with_suffix(".py"), module / "__init__.py") if path.is_file()), None)
    return None


def list_class_paths(file: str) -> list[str]:
    """Return the class paths of the agents that a Python file defines, without running it."""
    with suppress(OSError, ValueError, SyntaxError, RecursionError, MemoryError):  # loading the class reports these
        return [
            f"{file}:{part.name}"
            for part in ast.parse(read_data_file(Path(file))).body
            if isinstance(part, ast.ClassDef)
            and any(isinstance(method, ast.FunctionDef) and method.name == "choose" for method in part.body)
        ]
    return []


def load_class(class_path: str) -> type:
    """Import and return the class of a class path; an `AgentError` describes what is wrong with it."""
    source, _, name = class_path.rpartition(":")
    if is_file_path(source):
        sys.path.insert(0, str(Path(source).absolute().parent))
        module = load_python_file(Path(source))
    else:
        module = load_module(source)
    classes = [key for key, value in vars(module).items() if inspect.isclass(value) and hasattr(value, "choose")]
    if not hasattr(module, name):
        if classes:
            raise AgentError(str(UnknownNameError("class", name, classes)))
        raise AgentError(f"'{source}' has no class named '{name}' and no other agent class. Define {_EXPECTED_CLASS}.")
    value = getattr(module, name)
    if not inspect.isclass(value):
        raise AgentError(
            f"an agent must be {_EXPECTED_CLASS}; '{name}' has the type {shorten_text(type(value).__name__)}."
        )
    if not callable(getattr(value, "choose", None)):
        raise AgentError(f"an agent must be {_EXPECTED_CLASS}, which returns a Placement; '{name}' has no such method.")
    return value


def load_python_file(path: Path, module_prefix: str = "") -> ModuleType:
    """Import a Python file as a module; `module_prefix` comes before its name among the imported modules."""
    try:
        if path.is_dir():
            raise AgentError("expected a Python file; this is a folder.")
        if path.exists() and not path.is_file():
            raise AgentError("expected a Python file; this is not a regular file.")
        if not path.is_file():
            raise AgentError(describe_missing_file("file", path.name, path.parent))
    except OSError as error:  # such as a name that is too long
        raise AgentError(f"the file cannot be read: {error.strerror}.") from None
    path = path.absolute()
    name = f"{module_prefix}{path.stem}"
    name = name if name not in sys.modules else f"own_{name}"  # a file may have the name of a library
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AgentError("the name of a Python file must end in .py.")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    writes_bytecode = not sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # compiled files would hide an edit within the same second
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise AgentError(f"importing the file raised {describe_exception(error, {str(path)})}.") from None
    finally:
        sys.dont_write_bytecode = not writes_bytecode
    return module


def load_module(name: str) -> ModuleType:
    """Import a module by name; the current folder comes first in the import path."""
    folder = Path.cwd()
    sys.path.insert(0, str(folder))
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise AgentError(describe_missing_file("module", error.name, folder)) from None
        raise AgentError(f"importing the module raised {describe_exception(error, find_module_files(name))}.") from None
    except (Exception, SystemExit) as error:
        raise AgentError(f"importing the module raised {describe_exception(error, find_module_files(name))}.") from None


def find_module_files(name: str) -> set[str]:
    """Return the file of a module that could not be imported, as a set; empty if there is none."""
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # its parent package cannot be imported either
        return set()
    return {spec.origin} if spec and spec.origin else set()


def describe_missing_file(kind: str, given: str, folder: Path) -> str:
    """Describe that a folder has no such file or module, and suggest the most similar name."""
    files = [path.name if kind == "file" else path.stem for path in folder.glob("*.py")]
    if similar := get_close_matches(given, files, n=1, cutoff=0.5):
        return str(UnknownNameError(kind, given, similar))
    return (
        f"There is no {kind} named '{given}' in {folder.absolute()}. {CLASS_PATH_FORM[0].upper()}{CLASS_PATH_FORM[1:]}."
    )


def make_agent(agent_class: type) -> Chooser:
    """Create an agent of a class and check the signature of its `choose` method."""
    agent: Chooser = create_instance(agent_class)
    try:
        inspect.signature(agent.choose).bind(None)
    except TypeError as error:
        raise AgentError(
            f"choose must take one argument, as in `def choose(self, position)`; calling it fails: {error}."
        ) from None
    except ValueError:  # Python cannot determine the signature
        pass
    return agent


def create_instance(agent_class: type) -> Any:
    """Call a class without arguments; an `AgentError` describes an exception."""
    try:
        return agent_class()
    except (Exception, SystemExit) as error:
        hint = ""
        if isinstance(error, TypeError):
            hint = " The class is called without arguments: give each parameter a default."
        description = describe_exception(error, find_source_files(agent_class))
        raise AgentError(f"{agent_class.__name__}() raised {description}.{hint}") from None


# Its choices and its mistakes.


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


def call_choose(agent: Chooser, position: Position) -> Placement:
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
        return validate_placement(position, placement)
    except TetrionError as error:
        raise AgentError(f"choose returned an illegal placement. {error}") from None


# Objects that play in this process.


class ObjectAgent:
    """An agent made of an object, named after its attribute `name` or its class."""

    rules: ClassVar[str] = ""  # an object plays under any rules

    def __init__(self, chooser: Chooser) -> None:
        self.chooser = chooser
        self.name = clean_name(str(getattr(chooser, "name", "") or type(chooser).__name__))

    def __repr__(self) -> str:
        return make_short_repr("ObjectAgent", f"{self.name}: {type(self.chooser).__qualname__}")

    def check_rules(self, rules: Rules) -> None:
        """Do nothing: an object plays under any rules."""

    def start_player(self) -> "ObjectPlayer":
        """Return a player that asks the object."""
        return ObjectPlayer(self.chooser)


class ObjectPlayer(Player):
    """Asks an object, which keeps its state from one game to the next."""

    is_exclusive = True

    def __init__(self, chooser: Chooser) -> None:
        self.chooser = chooser

    def choose(self, position: Position) -> Placement:
        """Return the placement that the object chooses; an `AgentError` describes an exception or an illegal choice."""
        try:
            return validate_choice(call_choose(self.chooser, position), position)
        except AgentError as error:
            raise AgentError(str(error), agent=type(self.chooser).__name__) from error.__cause__
