"""The examples run."""

import subprocess
import sys
from pathlib import Path

from tetrion.agents import load_weighted_agent
from tetrion.agents.python_agent.python_agent import PythonAgent
from tetrion.evaluation import evaluate

ROOT = Path(__file__).parents[1]


def test_play_in_terminal() -> None:
    command = [sys.executable, "examples/play_in_terminal.py", "dellacherie", "40"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "dellacherie" in done.stdout
    assert "lines" in done.stdout


def test_own_agent() -> None:
    done = subprocess.run([sys.executable, "examples/own_agent.py"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("lines\n")
    PythonAgent(f"{ROOT / 'examples' / 'own_agent.py'}:Careful").check_class()


def test_example_agents_play() -> None:
    for path in (ROOT / "examples").glob("*.json"):
        assert evaluate(load_weighted_agent(path), "standard-10x10", games=20).per_game["lines"].mean() > 5


def test_own_feature() -> None:
    done = subprocess.run([sys.executable, "examples/own_feature.py"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("lines a game") == 2
