"""Functions and classes that messages, help texts and docstrings mention exist where they say."""

import ast
import builtins
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tetrion

SOURCE = Path(tetrion.__file__).parent
OTHER_LIBRARIES = ("Client", "get_executor", "copy", "ravel", "make", "make_vec")  # Dask, NumPy and Gymnasium
DOTTED_NAME = re.compile(r"(?<![\w./-])tetrion(?:\.[A-Za-z_]\w*)+")
MEMBER = re.compile(r"\b([A-Z]\w+)\.([a-z_]\w*)\b")
CALL = re.compile(r"(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\(")
QUOTED_NAME = re.compile(r"`([A-Z][A-Z_]+)`")


class Text(NamedTuple):
    """A string literal of the package; values of f-strings are left out."""

    text: str
    path: Path
    line: int
    is_message: bool  # of an error


def find_texts() -> Iterator[Text]:
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        messages = {part for node in ast.walk(tree) if is_error(node) for part in ast.walk(node)}
        inner = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
                yield Text("".join(parts), path, node.lineno, node in messages)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inner:
                yield Text(node.value, path, node.lineno, node in messages)


def is_error(node: ast.AST) -> bool:
    """Return whether a node raises an error, or prepares a part of its message."""
    names = ("listing", "remedy", "message", "hint")
    is_part = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in names
    return isinstance(node, ast.Raise) or is_part


TEXTS = [text for text in find_texts() if SOURCE / "papers" not in text.path.parents]


@cache
def resolve(name: str) -> Any:
    """Return the object with a dotted name, which starts with a module; raise an error if there is none."""
    module = name
    while find_module(module) is None:
        module = module.rpartition(".")[0]
    found = importlib.import_module(module)
    for part in name.removeprefix(module).split(".")[1:]:
        found = getattr(found, part)
    return found


def find_module(name: str) -> object:
    try:
        return find_spec(name)
    except ModuleNotFoundError:
        return None


@cache
def list_methods(path: Path) -> set[str]:
    """Return the methods of the classes that a module defines."""
    classes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ClassDef)]
    return {node.name for each in classes for node in each.body if isinstance(node, ast.FunctionDef)}


@cache
def list_public_members() -> set[str]:
    """Return the members of the public classes."""
    classes = [value for name in tetrion.__all__ if inspect.isclass(value := getattr(tetrion, name))]
    return {member for public_class in classes for member in dir(public_class)}


def is_known_call(name: str, path: Path) -> bool:
    """Return whether a call in a message names something that its reader can call."""
    *owners, last = name.split(".")
    if not owners:
        known = {*tetrion.__all__, *dir(builtins), *OTHER_LIBRARIES}
        return last in known or last in list_methods(path) or last in list_public_members()
    if owners[0] == "tetrion":
        return True  # checked as a dotted name
    if owners[0] in tetrion.__all__:
        return hasattr(getattr(tetrion, owners[0]), last)
    return last in list_public_members() or last in list_methods(path) or last in OTHER_LIBRARIES


@pytest.mark.parametrize("name", sorted({match[0] for text in TEXTS for match in DOTTED_NAME.finditer(text.text)}))
def test_dotted_name_exists(name: str) -> None:
    resolve(name)


def test_members_of_public_classes_exist() -> None:
    for text in TEXTS:
        for class_name, member in MEMBER.findall(text.text):
            if class_name in tetrion.__all__:
                public = getattr(tetrion, class_name)
                annotated = inspect.get_annotations(public)
                is_assigned = re.search(rf"\bself\.{member}(: .+)? = ", inspect.getsource(public))
                assert hasattr(public, member) or member in annotated or is_assigned, (
                    class_name,
                    member,
                    text.path,
                    text.line,
                )


def test_calls_and_constants_in_error_messages_exist() -> None:
    checked = set()
    for text in TEXTS:
        if text.is_message:
            for name in CALL.findall(text.text):
                assert is_known_call(name, text.path), (name, text.path, text.line)
                checked.add(name)
            for name in QUOTED_NAME.findall(text.text):
                assert name in tetrion.__all__, (name, text.path, text.line)
    assert {"Game", "Position.from_board", "tetrion.RECIPES", "position.placements"} <= checked


@pytest.mark.parametrize("name", ["load_agent", "RECIPES", "resume", "Rules.parse", "papers.PAPERS", "FEATURES"])
def test_existing_names_are_found(name: str) -> None:
    assert resolve(f"tetrion.{name}") is not None


@pytest.mark.parametrize("name", ["tetrion.load_agnet", "tetrion.Rules.prase", "tetrion.no_module.name"])
def test_unknown_names_are_found(name: str) -> None:
    with pytest.raises(AttributeError):
        resolve(name)
