"""Names and phrases: the glossary of CONTRIBUTING.md, unique names, and phrases that the project avoids."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import tetrion

ROOT = Path(__file__).parents[1]
PACKAGE = Path(tetrion.__file__).parent
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MAX_POSITIONAL = 5
SUFFIXES = (".py", ".md", ".toml", ".js", ".css", ".jinja")


def read_table(title: str) -> list[tuple[str, str]]:
    """Return the rows of the two-column table below a title of CONTRIBUTING.md."""
    section = CONTRIBUTING.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:3] for line in section.splitlines() if line.startswith("|")]
    return [(left.strip(), right.strip()) for left, right in rows[2:]]


def list_modules(package: Path) -> list[Path]:
    return sorted(path for path in package.rglob("*.py"))


def list_assigned_names(statement: ast.stmt) -> Iterator[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                yield node.id


CONTRACT_OF_PAPERS = {"DRAWINGS", "FUNCTIONS", "MEASUREMENTS"}  # what the modules of each paper define


def find_shared_names(package: Path) -> dict[str, list[str]]:
    """Return every public class or constant name that occurs more than once."""
    places = defaultdict(list)
    for path in list_modules(package):
        place = path.relative_to(package).as_posix()
        for statement in ast.parse(path.read_text("utf-8")).body:
            names = [statement.name] if isinstance(statement, ast.ClassDef) else list(list_assigned_names(statement))
            for name in names:
                if not name.startswith("_") and name != "TYPE_CHECKING":
                    places[name].append(place)
    return {name: found for name, found in places.items() if len(found) > 1}


def find_crowded_assignments(path: Path) -> list[str]:
    """Return the places where one statement assigns three or more names; elements of one array do not count."""
    return [
        f"{path}:{node.lineno}"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
        if sum(isinstance(target, ast.Name | ast.Attribute) for target in node.targets[0].elts) > 2
    ]


def find_long_signatures(path: Path) -> list[str]:
    """Return the functions that take more than five positional parameters."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            if len([name for name in names if name not in ("self", "cls")]) > MAX_POSITIONAL:
                found.append(f"{path}:{node.lineno} {node.name}")
    return found


def list_texts() -> list[Path]:
    folders = [ROOT / name for name in ("src", "tests", "benchmarks", "examples", "docs", "packaging")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in SUFFIXES]
    skipped = (ROOT / "tests" / "samples", ROOT / "docs" / "replays")
    files = [path for path in files if not any(path.is_relative_to(folder) for folder in skipped)]
    return [ROOT / "README.md", *files]


def test_glossary_defines_each_term_once_in_alphabetical_order() -> None:
    terms = [term for term, meaning in read_table("Glossary") if meaning]
    assert len(terms) > 40
    assert terms == sorted(set(terms), key=str.lower)


def test_public_names_are_unique() -> None:
    assert set(find_shared_names(PACKAGE)) == CONTRACT_OF_PAPERS


def test_no_statement_assigns_many_names() -> None:
    assert [place for path in list_modules(PACKAGE) for place in find_crowded_assignments(path)] == []


def test_functions_take_at_most_five_positional_parameters() -> None:
    assert [place for path in list_modules(PACKAGE) for place in find_long_signatures(path)] == []


@pytest.mark.parametrize("phrase", [phrase for phrase, _ in read_table("Phrases to avoid")])
def test_phrases_to_avoid_do_not_occur(phrase: str) -> None:
    pattern = re.compile(phrase.strip("`").replace("\\|", "|"))
    assert pattern.pattern
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in list_texts()
        for match in pattern.finditer(path.read_text("utf-8"))
        if path != Path(__file__)
    ]
    assert found == []
