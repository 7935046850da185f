"""The programs and agents in `examples` run."""

import ast
import subprocess
import sys
from pathlib import Path

from tetrion import check_agent, evaluate
from tetrion.agents import load_weighted_agent

ROOT = Path(__file__).parents[1]


def run_example(*arguments: str) -> str:
    """Run an example program and return its output."""
    result = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_play_in_terminal() -> None:
    output = run_example("examples/play_in_terminal.py", "dellacherie", "40")
    assert "dellacherie" in output
    assert "lines" in output


def test_python_agent() -> None:
    assert run_example("examples/python_agent.py").endswith("lines\n")
    check_agent(f"{ROOT / 'examples' / 'python_agent.py'}:Careful")


def test_examples_use_public_names_only() -> None:
    for path in (ROOT / "examples").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not str(node.module).startswith("tetrion."), path
            if isinstance(node, ast.Attribute):
                assert not node.attr.startswith("_"), path


def test_agent_files_play() -> None:
    for path in (ROOT / "examples").glob("*.json"):
        assert (
            evaluate(load_weighted_agent(path, allow_code=True), "standard-10x10", games=20).per_game["lines"].mean()
            > 5
        )


def test_custom_feature() -> None:
    assert run_example("examples/custom_feature.py").count("lines per game") == 2
