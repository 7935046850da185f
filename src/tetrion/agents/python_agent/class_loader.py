"""A person's class, found by its place: `file.py:Class` or `module:Class`."""

import importlib.util
import inspect
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from tetrion.agents.python_agent.error_messages import describe_exception, find_source_files, shorten_text
from tetrion.errors import AgentError, UnknownNameError

CLASS_PATH_FORM = "a class is named as file.py:Class or module:Class"
_EXPECTED_CLASS = "a class with the method choose(self, position)"


def is_file_path(home: str) -> bool:
    """Whether the part of a place before its colon means a file rather than a module."""
    return home.lower().endswith(".py") or "/" in home or "\\" in home


def load_class(class_path: str) -> type:
    """The class of a place, imported; the error says what is wrong with it."""
    home, _, name = class_path.rpartition(":")
    module = load_python_file(Path(home)) if is_file_path(home) else load_module(home)
    classes = [key for key, value in vars(module).items() if inspect.isclass(value) and hasattr(value, "choose")]
    if not hasattr(module, name):
        no_such_class = f"There is no class named '{name}' in it, nor another agent. Write one: {_EXPECTED_CLASS}."
        raise AgentError(str(UnknownNameError("class", name, classes)) if classes else no_such_class)
    found = getattr(module, name)
    if not inspect.isclass(found):
        raise AgentError(f"an agent is {_EXPECTED_CLASS}; '{name}' is {shorten_text(type(found).__name__)}.")
    if not callable(getattr(found, "choose", None)):
        raise AgentError(f"an agent is {_EXPECTED_CLASS}, which gives back a Placement; '{name}' has no such method.")
    return found


def load_python_file(path: Path) -> ModuleType:
    """The module that a file makes; its folder is searched first for what it imports."""
    if not path.is_file():
        if path.exists():
            raise AgentError("an agent is written in a Python file; this is a folder.")
        raise AgentError(describe_missing_file("file", path.name, path.parent))
    path = path.absolute()
    sys.path.insert(0, str(path.parent))
    name = path.stem if path.stem not in sys.modules else f"own_{path.stem}"  # a file may be named as a library is
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AgentError("the name of a Python file ends in .py; this one does not.")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        raise AgentError(f"importing it raised {describe_exception(problem, {str(path)})}.") from None
    return module


def load_module(name: str) -> ModuleType:
    """The module of that name; the current folder is searched first."""
    here = Path.cwd()
    sys.path.insert(0, str(here))
    try:
        return import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name and (name == problem.name or name.startswith(f"{problem.name}.")):
            raise AgentError(describe_missing_file("module", problem.name, here)) from None
        raise AgentError(f"importing it raised {describe_exception(problem, find_module_files(name))}.") from None
    except (Exception, SystemExit) as problem:
        raise AgentError(f"importing it raised {describe_exception(problem, find_module_files(name))}.") from None


def find_module_files(name: str) -> set[str]:
    """The file of a module that could not be imported, if it has one."""
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # a package above it could not be imported either
        return set()
    return {spec.origin} if spec and spec.origin else set()


def describe_missing_file(kind: str, given: str, folder: Path) -> str:
    """That there is no such file or module in a folder, and the nearest that there is."""
    files = [path.name if kind == "file" else path.stem for path in folder.glob("*.py")]
    if near := get_close_matches(given, files, n=1, cutoff=0.5):
        return str(UnknownNameError(kind, given, near))
    return (
        f"There is no {kind} named '{given}' in {folder.absolute()}. {CLASS_PATH_FORM[0].upper()}{CLASS_PATH_FORM[1:]}."
    )


def make_agent(kind: type) -> Any:
    """A new agent of a class; the error says why there can be none."""
    try:
        agent: Any = kind()
    except (Exception, SystemExit) as problem:
        hint = " It is made without arguments: give each a default." if isinstance(problem, TypeError) else ""
        raise AgentError(
            f"{kind.__name__}() raised {describe_exception(problem, find_source_files(kind))}.{hint}"
        ) from None
    try:
        inspect.signature(agent.choose).bind(None)
    except TypeError as problem:
        raise AgentError(f"choose takes one position, as in `def choose(self, position)`; here {problem}.") from None
    except ValueError:  # a method that Python knows no signature of
        pass
    return agent
