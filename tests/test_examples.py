"""The examples run, and the README keeps its word."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tetrion.agents import data_agent
from tetrion.agents.files import read
from tetrion.agents.own.agent import OwnAgent
from tetrion.cli import COMMANDS
from tetrion.evaluation import evaluate

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


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
    OwnAgent(f"{ROOT / 'examples' / 'own_agent.py'}:Careful").check()


def test_example_agents_play() -> None:
    for path in (ROOT / "examples").glob("*.json"):
        assert evaluate(data_agent(path), "standard-10x10", games=20).per_game["lines"].mean() > 5


@pytest.mark.parametrize("page", ["README.md", "docs/agents.md", "docs/engine.md", "docs/game.md", "docs/training.md"])
def test_python_on_pages_runs(page: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert bool(done.stdout) == ("print" in block)


def test_agent_files_on_pages_play() -> None:
    page = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        assert evaluate(read(json.loads(block), "of the page"), "standard-10x10", games=20).per_game["lines"].mean() > 5


def test_own_feature() -> None:
    done = subprocess.run([sys.executable, "examples/own_feature.py"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("lines a game") == 2


def test_readme_commands_exist() -> None:
    named = re.findall(r"^tetrion (\w+)", README, re.MULTILINE)
    assert named
    assert set(named) <= set(COMMANDS)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_tables_of_results_are_those_of_the_result_files() -> None:
    """No figure is typed: what README and docs show between marks is what the named command wrote."""
    from benchmarks.pages import RESULTS, rendered

    for name in RESULTS:
        for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
            for shown in re.findall(
                rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", page.read_text(encoding="utf-8"), re.DOTALL
            ):
                assert shown == rendered(name), f"{page.name} is older than {name}: python -m benchmarks.pages"
