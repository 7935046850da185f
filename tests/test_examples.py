"""The programs and agents in `examples` run."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tetrion import check_agent, evaluate
from tetrion.agents import load_weighted_agent

ROOT = Path(__file__).parents[1]


def run_example(*arguments: str) -> str:
    """Run an example program and return its output."""
    result = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_notebook_gives_the_stored_outputs(tmp_path: Path) -> None:
    """`python -m tests.notebook_runner examples/first_steps.ipynb --write` stores the outputs of a new version."""
    pytest.importorskip("IPython")
    path = ROOT / "examples" / "first_steps.ipynb"
    result = subprocess.run(
        [sys.executable, "-m", "tests.notebook_runner", path],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    notebook = json.loads(path.read_text(encoding="utf-8"))
    stored = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [list_texts(outputs) for outputs in stored] == [list_texts(outputs) for outputs in json.loads(result.stdout)]


def list_texts(outputs: list[dict[str, Any]]) -> list[Any]:
    """Return the texts of the outputs of a cell, and the kinds of their pictures."""
    return [output.get("text") or [output["data"]["text/plain"], sorted(output["data"])] for output in outputs]


def test_watch_in_terminal() -> None:
    output = run_example("examples/watch_in_terminal.py", "dellacherie", "40")
    assert "dellacherie" in output
    assert "lines" in output


def test_python_agent() -> None:
    assert run_example("examples/python_agent.py").endswith("lines\n")
    check_agent(f"{ROOT / 'examples' / 'python_agent.py'}:Careful")


def test_examples_use_public_names_only() -> None:
    for path in (ROOT / "examples").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.module == "tetrion.envs" or not str(node.module).startswith("tetrion."), path
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


def test_afterstate_td_learns_reproducibly(tmp_path: Path) -> None:
    arguments = ("--task", "standard-10x10", "--steps", "1600", "--seed", "5")
    first, second = (run_afterstate_td(tmp_path / f"{index}.json", *arguments) for index in range(2))
    assert first["mean"] == second["mean"]
    assert [first[name] for name in ("task", "metric", "seed", "steps")] == ["standard-10x10", "lines", 5, 1600]
    assert 0 < first["low"] < first["mean"] < first["high"]


@pytest.mark.slow
def test_afterstate_td_beats_simple_agents(tmp_path: Path) -> None:
    """Less than a minute of TD(λ) is enough to beat them clearly."""
    assert run_afterstate_td(tmp_path / "result.json", "--steps", "64000")["low"] > 10 * max(
        evaluate(agent, "standard-10x10:scoring=flat", games=100, max_pieces=400).score.max
        for agent in ("random", "lowest")
    )


def run_afterstate_td(file: Path, *arguments: str) -> dict[str, Any]:
    """Train the afterstate learner and return its result."""
    output = run_example("examples/afterstate_td.py", *arguments, "--games", "50", "--json", str(file))
    result: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert f"{result['mean']:,.1f} {result['metric']} per game" in output
    return result


def test_afterstate_td_explains_mistakes() -> None:
    command = [sys.executable, "examples/afterstate_td.py", "--steps", "0"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 2
    assert "--steps must be at least 1; given 0." in process.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("task", "metric"), [("jumanji", "score"), ("standard-10x10", "lines")])
def test_maskable_ppo_learns(task: str, metric: str, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    path = tmp_path / "result.json"
    options = ("--task", task, "--steps", "200000", "--games", "50", "--json", str(path))
    assert f"Mean {metric}" in run_example("examples/maskable_ppo.py", *options)
    result = json.loads(path.read_text(encoding="utf-8"))
    assert (result["learner"], result["task"], result["metric"]) == ("MaskablePPO", task, metric)
    assert result["low"] < result["mean"] < result["high"]
    assert result["mean"] > (400 if metric == "score" else 10)  # a random agent: 4 points, 0.1 lines
