"""The public names: documentation, executed examples, completion, types, round trips, and names in messages."""

import ast
import builtins
import doctest
import importlib
import inspect
import pickle
import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import jedi
import pytest
from mypy import api as mypy

import tetrion
from tetrion.engine.rules import RuleChanges
from tetrion.errors import UnknownNameError
from tetrion.position import PositionChanges

SOURCE = Path(tetrion.__file__).parent
ROOT = Path(__file__).parents[1]
PUBLIC = {name: getattr(tetrion, name) for name in tetrion.__all__}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
REGISTRIES = {name: value for name, value in PUBLIC.items() if isinstance(value, tetrion.Registry)}
NO_EXAMPLE = {"connect_cluster", "evaluate_by_splitting", "resume"}  # functions that the examples of others show


# Names.


def test_public_names_are_listed_and_have_types() -> None:
    assert dir(tetrion) == tetrion.__all__
    imports = [
        node
        for node in ast.walk(ast.parse(Path(tetrion.__file__).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
    ]
    typed = {(str(node.module), alias.name) for node in imports for alias in node.names if alias.asname}
    assert typed == {(module, name) for module, names in tetrion._PUBLIC_NAMES.items() for name in names.split()}


def test_public_names_are_documented() -> None:
    pages = "\n".join(path.read_text("utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    documented = set(re.findall(r"^::: tetrion\.(\w+)$", pages, re.MULTILINE))
    assert set(tetrion.__all__) <= documented


@pytest.mark.parametrize("name", sorted({**CLASSES, **FUNCTIONS}.keys() - NO_EXAMPLE))
def test_example_of_a_public_name_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    value = PUBLIC[name]
    finder = doctest.DocTestFinder(recurse=False)
    names = dict(vars(importlib.import_module(value.__module__)))
    (example,) = finder.find(value, name, globs=names)
    assert example.examples, f"{name} has no example in its docstring"
    output: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=output.append)
    assert not output, "".join(output)


# Registries.


def test_registries_are_alike() -> None:
    assert set(REGISTRIES) == {"AGENTS", "FEATURES", "LEARNERS", "PAPERS", "PRESETS", "RECIPES"}


@pytest.mark.parametrize("name", REGISTRIES)
def test_registry_is_a_mapping_that_suggests_names(name: str) -> None:
    registry = REGISTRIES[name]
    first = next(iter(registry))
    misspelled = first[:-1] + "ß"
    assert first in registry
    assert registry[first] is not None
    assert misspelled not in registry
    assert registry.get(misspelled) is None
    with pytest.raises(UnknownNameError, match=rf"Did you mean '{first}'\?"):
        registry[misspelled]
    assert len(repr(registry)) <= 160
    assert first in repr(registry)
    assert registry._repr_html_().count("<tr>") == len(registry) == len(list(registry))
    assert not hasattr(registry, "__setitem__")


# Values.


def make_values() -> dict[str, Any]:
    """Return values of every public class that is one, by a name."""
    values: dict[str, Any] = {}
    for rules in ("nes:preview=2", "guideline", "gavrilov:movement=steered"):
        game = tetrion.Game(rules, seed=3)
        game.play("modern-1" if rules == "guideline" else "dellacherie", 25)
        values |= {
            f"position, {rules}": game.position,
            f"replay, {rules}": tetrion.Replay.from_game(game, "me", "sprint"),
        }
        values[f"placement, {rules}"] = game.placements_made[-1]
        values[f"board, {rules}"] = game.board
    game = tetrion.Game("nes")
    game.tick(5000)
    values["replay with keys"] = tetrion.Replay.from_game(game)
    values["position after its known pieces"] = values["position, guideline"].after(
        values["position, guideline"].placements()[0]
    )
    values |= {f"agent {name}": tetrion.AGENTS[name] for name in ("medico", "becker", "modern-1", "hindi-look-1")}
    values["agent with a table"] = tetrion.WeightedAgent("mine", {"holes": [0, -1.5], "lines": 2}, rules="nes", depth=2)
    values["placement with hold"] = tetrion.Placement("T", 1, 2, 3, "srs", "mini", hold=True)
    return values


VALUES = make_values()


@pytest.mark.parametrize("name", VALUES)
def test_value_round_trips_and_is_hashable(name: str) -> None:
    value = VALUES[name]
    public = {each: getattr(tetrion, each) for each in tetrion.__all__}
    copies = [eval(repr(value), dict(public)), pickle.loads(pickle.dumps(value))]
    assert {value, *copies} == {value}
    assert "\n" not in repr(value)


def test_documented_values_have_a_typed_replace() -> None:
    assert {name for name, value in CLASSES.items() if hasattr(value, "replace")} == {"Rules", "Position", "Recipe"}
    assert ["name", *RuleChanges.__annotations__] == [field.name for field in fields(tetrion.Rules)]
    assert [*PositionChanges.__annotations__] == [field.name for field in fields(tetrion.Position)]


# Editors and type checkers.


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("tetrion.ev", {"evaluate", "evaluate_by_splitting"}),
        ("game = tetrion.Game('nes')\ngame.position.", {"board", "piece", "placements", "after"}),
        ("tetrion.evaluate('du').lines.", {"ci95", "mean", "median"}),
        ("tetrion.PRESETS['nes'].he", {"height"}),
        ("tetrion.AGENTS['du'].", {"name", "rules", "check_rules"}),
    ],
)
def test_names_are_completed_by_jedi(code: str, expected: set[str]) -> None:
    completions = {each.name for each in jedi.Script(f"import tetrion\n{code}").complete()}
    assert expected <= completions


def test_examples_of_the_readme_pass_strict_type_checks(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    for number, block in enumerate(block for block in blocks if "gymnasium" not in block):
        (tmp_path / f"block{number}.py").write_text(block, "utf-8")
    assert len(list(tmp_path.iterdir())) >= 1
    options = ["--strict", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache' / 'users'}"]
    report, errors, status = mypy.run([*options, *map(str, tmp_path.iterdir())])
    assert status == 0, report + errors


# Names in messages, help texts and docstrings.


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
    assert {"Game", "Position.from_board", "evaluate", "position.placements"} <= checked
