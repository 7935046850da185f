"""Errors of Python calls name Python arguments; the command line translates them to options."""

import ast
import re
from pathlib import Path

import pytest

import tetrion
from tests.cli.command_runner import tetrion_here
from tetrion.agents import load_weighted_agent
from tetrion.cli.console_output import translate_to_options

PACKAGE = Path(tetrion.__file__).parent
PROGRAM_FOLDERS = ("cli", "app")  # texts for people who type commands
OPTION = re.compile(r"(?<![\w-])--[a-z]|`tetrion [a-z]")


@pytest.mark.parametrize(
    ("message", "translated"),
    [
        ("Choose another folder for `out`.", "Choose another folder for --out."),
        ("for example `rules='standard:height=14'`.", "for example --rules standard:height=14."),
        ("or give `allow_other_versions=True` to", "or give --allow-other-versions to"),
        ("with `tetrion.resume('runs/my run')`.", "with `tetrion train --resume 'runs/my run'`."),
        ("with `tetrion.resume('runs/x/seed-3')`.", "with `tetrion train --resume runs/x`."),
        ("`tetrion.RECIPES` lists all", "`tetrion list recipes` lists all"),
        ("the output of `nvidia-smi`, and `unknown=1`", "the output of `nvidia-smi`, and `unknown=1`"),
    ],
)
def test_arguments_become_options(message: str, translated: str) -> None:
    assert translate_to_options(message) == translated


def find_raised_texts(source: str) -> list[str]:
    """Return the literal texts within the `raise` statements of a program."""
    raises = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise)]
    return [
        node.value
        for statement in raises
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_errors_below_the_command_line_name_no_options() -> None:
    paths = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in PROGRAM_FOLDERS]
    texts = {path: find_raised_texts(path.read_text("utf-8")) for path in paths}
    assert sum(map(len, texts.values())) > 200
    assert [f"{path}: {text}" for path, found in texts.items() for text in found if OPTION.search(text)] == []


def test_same_error_in_python_and_on_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(tetrion.TetrionError, match=r"^games must be a whole number from 1 to 10,000,000; given 0"):
        tetrion.evaluate("du", games=0)
    with pytest.raises(tetrion.TetrionError, match=r"known\. Give the next pieces: `next='L'`\.$"):
        load_weighted_agent("du:depth=2").explain(tetrion.Position.from_board(tetrion.Board(), "T"))
    assert "Give the next pieces: --next L." in tetrion_here("explain", "du:depth=2", "--piece", "T", expect=2).stderr
    error = tetrion_here("bench", "modern-1", "medico", expect=2).stderr
    assert re.search(r"for example --rules \w+\.", error)
    (tmp_path / "file").write_text("", encoding="utf-8")
    error = tetrion_here("train", "gavrilov", "--out", str(tmp_path / "file"), expect=2).stderr
    assert "is a file. Choose another folder." in error
