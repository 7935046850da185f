"""README and docs keep their word: programs run, commands exist, links lead somewhere, no figure is typed."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import click
import pytest
from benchmarks import pages, tutorials
from benchmarks.pages import ROOT

from tetrion.agents import load_weighted_agent
from tetrion.agents.agent_files import agent_from_json
from tetrion.cli import tetrion as program
from tetrion.evaluation import evaluate
from tetrion.training import Recipe

PAGE_TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages.list_pages()}
CODE_BLOCK = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
PAGES_WITH_PYTHON = [name for name, text in PAGE_TEXTS.items() if "```python" in text and name != "docs/cluster.md"]
TUTORIALS = [path.stem for path in tutorials.list_tutorials()]


def find_code_blocks(text: str, language: str) -> list[str]:
    return [content for name, content in CODE_BLOCK.findall(text) if name == language]


def test_pages_are_found() -> None:
    assert len(PAGE_TEXTS) > 30
    assert len(PAGES_WITH_PYTHON) > 8
    assert len(TUTORIALS) == 6


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON)
def test_python_on_pages_runs(page: str, tmp_path: Path) -> None:
    tutorials.copy_tutorial_files(PAGE_TEXTS[page], tmp_path)
    for block in find_code_blocks(PAGE_TEXTS[page], "python"):
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert bool(done.stdout) == ("print" in block)


def test_agent_files_on_pages_play() -> None:
    found = find_code_blocks(PAGE_TEXTS["docs/agents.md"], "json")
    assert len(found) == 2
    for block in found:
        assert (
            evaluate(agent_from_json(json.loads(block), "of the page"), "standard-10x10", games=20)
            .per_game["lines"]
            .mean()
            > 5
        )


@pytest.mark.parametrize("page", TUTORIALS)
def test_files_of_tutorials_are_whole(page: str, tmp_path: Path) -> None:
    text = PAGE_TEXTS[f"docs/tutorials/{page}.md"]
    tutorials.copy_tutorial_files(text, tmp_path)
    for name in tutorials.find_files(text):
        if name.endswith(".json"):
            load_weighted_agent(tmp_path / name)
        if name.endswith(".toml"):
            Recipe.load(tmp_path / name)


@pytest.mark.parametrize("page", TUTORIALS)
def test_output_in_tutorials_is_what_was_printed(page: str) -> None:
    text, known = PAGE_TEXTS[f"docs/tutorials/{page}.md"], tutorials.load_outputs()
    again = f"python -m benchmarks.tutorials {page}"
    commands = [command for place in tutorials.find_commands(text) for command in place]
    assert commands == [command for command, _ in known.get(page, [])], again
    assert pages.find_marked_sections(tutorials.OUTPUT_MARKER, text) == tutorials.render_sections(
        text, known.get(page, [])
    ), again


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS)
def test_commands_of_tutorials_print_the_same_again(page: str, tmp_path: Path) -> None:
    assert (
        list(tutorials.run_commands(PAGE_TEXTS[f"docs/tutorials/{page}.md"], tmp_path))
        == tutorials.load_outputs()[page]
    )


def lines_of_commands(text: str) -> Iterator[list[str]]:
    """The words of every `tetrion ...` on a page, in blocks and in the middle of a sentence, without remarks."""
    typed = [line for name, block in CODE_BLOCK.findall(text) if name in ("", "sh") for line in block.splitlines()]
    typed += re.findall(r"(?<!`)`(tetrion [^`\n]+)`", CODE_BLOCK.sub("", text))
    for line in typed:
        if found := re.match(r" *(?:\$ )?tetrion(?: (?! )(.*))?$", line):
            remark = re.search(r" {2,}| [|>#(]", found[1] or "")
            words = (found[1] or "")[: remark.start() if remark else None]
            yield shlex.split(words.replace("[", "").replace("]", ""))


def mistake_in(words: list[str]) -> str:
    """What is wrong with a command: a name that is not one, or an option that it does not have."""
    command: click.Command = program
    context = click.Context(program)
    names = list(takewhile(lambda word: not word.startswith("-"), words))
    while isinstance(command, click.Group) and names:
        if (inner := command.get_command(context, names[0])) is None:
            return f"there is no {names[0]}"
        command, names = inner, names[1:]
    known = {option for parameter in command.params for option in parameter.opts} | {"-h", "--help", "--version"}
    unknown = [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]
    return f"there is no {unknown[0]}" if unknown else ""


@pytest.mark.parametrize("page", PAGE_TEXTS)
def test_commands_on_pages_exist(page: str) -> None:
    for words in lines_of_commands(PAGE_TEXTS[page]):
        assert mistake_in(words) == "", f"{page}: tetrion {' '.join(words)}"


def test_commands_are_found_and_mistakes_are_seen() -> None:
    page = "Try `tetrion bench du --game 3`.\n\n```\n$ tetrion list rulez | head\ntetrion          the menu\n```\n"
    found = list(lines_of_commands(page))
    assert found == [["list", "rulez"], ["bench", "du", "--game", "3"]]
    assert [mistake_in(words) for words in found] == ["there is no rulez", "there is no --game"]
    assert sum(len(list(lines_of_commands(text))) for text in PAGE_TEXTS.values()) > 100


@pytest.mark.parametrize("page", PAGE_TEXTS)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", PAGE_TEXTS[page]):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_tables_of_results_are_those_of_the_result_files() -> None:
    """No figure is typed: what README and docs show between marks is what the named command wrote."""
    for name in pages.TABLE_NAMES:
        for page, text in PAGE_TEXTS.items():
            for shown in pages.find_marked_sections(name, text):
                assert shown == pages.render_table(name), f"{page} is older than {name}: python -m benchmarks.pages"
