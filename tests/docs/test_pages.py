"""README and docs: programs run, commands exist, links are valid, and all numbers come from result files."""

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
from tetrion.cli import tetrion as tetrion_command
from tetrion.evaluation import evaluate
from tetrion.evaluation.game_statistics import list_game_columns
from tetrion.training import Recipe

PAGE_TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages.list_pages()}
CODE_BLOCK = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
PAGES_WITH_PYTHON = [name for name, text in PAGE_TEXTS.items() if "```python" in text and name != "docs/cluster.md"]
RUN_BLOCKS = """
import io, json, sys
from contextlib import redirect_stdout
outputs = []
for block in json.loads(sys.argv.pop()):
    with redirect_stdout(io.StringIO()) as output:
        exec(compile(block, "<block of the page>", "exec"), {"__name__": "__main__"})
    outputs.append(output.getvalue())
print(json.dumps(outputs))
"""  # each block with variables of its own, in one process, because loading the engine takes most of the time
TUTORIALS = [path.stem for path in tutorials.list_tutorials()]


def find_code_blocks(text: str, language: str) -> list[str]:
    return [content for name, content in CODE_BLOCK.findall(text) if name == language]


def find_new_runs(text: str) -> list[str]:
    """Return the folders of the runs that the commands and programs of a page create."""
    by_commands = re.findall(r"^tetrion (?:train|evolve) .*--out (\S+)", text, re.MULTILINE)
    return by_commands + re.findall(r"tetrion\.train\(\"[^\"]+\", \"([^\"]+)\"", text)


def test_pages_can_be_followed_one_after_another() -> None:
    folders = [folder for text in PAGE_TEXTS.values() for folder in find_new_runs(text)]
    assert {"runs/mine", "runs/first", "runs/in-python"} <= set(folders)
    assert sorted(folders) == sorted(set(folders))


def test_readme_is_short_and_leads_to_the_documentation_before_results() -> None:
    text = PAGE_TEXTS["README.md"]
    assert len(text.splitlines()) <= 150
    assert text.index("## Documentation") < text.index("<!-- papers-short -->")
    assert "![" in text.partition("\n## ")[0]


def test_pages_are_found() -> None:
    assert len(PAGE_TEXTS) > 30
    assert len(PAGES_WITH_PYTHON) > 8
    assert len(TUTORIALS) == 7


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON)
def test_python_on_pages_runs(page: str, tmp_path: Path) -> None:
    tutorials.copy_tutorial_files(PAGE_TEXTS[page], tmp_path)
    blocks = find_code_blocks(PAGE_TEXTS[page], "python")
    command = [sys.executable, "-c", RUN_BLOCKS, json.dumps(blocks)]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    outputs = json.loads(process.stdout)
    assert [bool(output) for output in outputs] == ["print" in block for block in blocks]


def test_agent_files_on_pages_play() -> None:
    blocks = find_code_blocks(PAGE_TEXTS["docs/agents.md"], "json")
    assert len(blocks) == 2
    for block in blocks:
        assert (
            evaluate(agent_from_json(json.loads(block), "of the page"), "standard-10x10", games=20)
            .per_game["lines"]
            .mean()
            > 5
        )


@pytest.mark.parametrize("page", TUTORIALS)
def test_tutorial_files_are_valid(page: str, tmp_path: Path) -> None:
    text = PAGE_TEXTS[f"docs/tutorials/{page}.md"]
    tutorials.copy_tutorial_files(text, tmp_path)
    for name in tutorials.find_files(text):
        if name.endswith(".json"):
            load_weighted_agent(tmp_path / name, allow_code=True)
        if name.endswith(".toml"):
            Recipe.load(tmp_path / name)


@pytest.mark.parametrize("page", TUTORIALS)
def test_output_in_tutorials_equals_the_saved_output(page: str) -> None:
    text, saved = PAGE_TEXTS[f"docs/tutorials/{page}.md"], tutorials.load_outputs()
    update_command = f"python -m benchmarks.tutorials {page}"
    commands = [command for section in tutorials.find_commands(text) for command in section]
    assert commands == [command for command, _ in saved.get(page, [])], update_command
    assert pages.find_marked_sections(tutorials.OUTPUT_MARKER, text) == tutorials.render_sections(
        text, saved.get(page, [])
    ), update_command


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS)
def test_tutorial_commands_print_the_saved_output(page: str, tmp_path: Path) -> None:
    assert (
        list(tutorials.run_commands(PAGE_TEXTS[f"docs/tutorials/{page}.md"], tmp_path))
        == tutorials.load_outputs()[page]
    )


def find_command_lines(text: str) -> Iterator[list[str]]:
    """Yield the words of all `tetrion ...` commands in the sentences of a page; test_shell_blocks checks its blocks."""
    for line in re.findall(r"(?<!`)`tetrion ([^`\n]+)`", CODE_BLOCK.sub("", text)):
        pipe = re.search(r" [|>(]", line)
        words = line[: pipe.start() if pipe else None]
        yield shlex.split(words.replace("[", "").replace("]", ""))


def find_error(words: list[str]) -> str:
    """Return what is wrong with a command: an unknown name or option; an empty string if nothing."""
    command: click.Command = tetrion_command
    context = click.Context(tetrion_command)
    names = list(takewhile(lambda word: not word.startswith("-"), words))
    while isinstance(command, click.Group) and names:
        if (inner := command.get_command(context, names[0])) is None:
            return f"unknown: {names[0]}"
        command, names = inner, names[1:]
    options = [option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)]
    known = {*options, "-h", "--help", "--version"}
    unknown = [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]
    return f"unknown: {unknown[0]}" if unknown else ""


@pytest.mark.parametrize("page", PAGE_TEXTS)
def test_commands_on_pages_exist(page: str) -> None:
    for words in find_command_lines(PAGE_TEXTS[page]):
        assert find_error(words) == "", f"{page}: tetrion {' '.join(words)}"


def test_commands_are_found_and_errors_detected() -> None:
    page = "Try `tetrion bench du --game 3` or `tetrion list rulez | head`.\n\n```sh\ntetrion speed\n```\n"
    commands = list(find_command_lines(page))
    assert commands == [["bench", "du", "--game", "3"], ["list", "rulez"]]
    assert [find_error(words) for words in commands] == ["unknown: --game", "unknown: rulez"]
    assert sum(len(list(find_command_lines(text))) for text in PAGE_TEXTS.values()) > 50


@pytest.mark.parametrize("page", PAGE_TEXTS)
def test_link_targets_exist(page: str) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", PAGE_TEXTS[page]):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_tables_equal_the_result_files() -> None:
    """Tables between markers in README and docs must equal those made from the result files."""
    for name in pages.TABLE_NAMES:
        for page, text in PAGE_TEXTS.items():
            for section in pages.find_marked_sections(name, text):
                assert section == pages.render_table(name), (
                    f"{page} has an outdated table {name}: run python -m benchmarks.pages"
                )


def find_agent_lines(page: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield (agent, rules) and the number of lines of each agent in the tables of a page."""
    rules_of_columns = {"lines on 10×10": "standard-10x10", "lines on 10×20": "standard"}
    headers = list[str]()
    for line in PAGE_TEXTS[page].splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and cells[0] == "agent":
            headers = cells
        for header, cell in zip(headers, cells, strict=False):
            if header in rules_of_columns and cell not in (header, "–"):
                yield (cells[0], rules_of_columns[header]), cell
            elif header == "strength" and cell.endswith(" lines"):
                yield (cells[0], cells[-1]), cell.removesuffix(" lines")


def test_each_agent_has_one_number_of_lines() -> None:
    numbers = dict[tuple[str, str], set[str]]()
    pages_of = dict[tuple[str, str], list[str]]()
    for page in ("docs/results.md", "docs/agents.md"):
        for key, number in find_agent_lines(page):
            numbers.setdefault(key, set()).add(number)
            pages_of.setdefault(key, []).append(page)
    assert sum(len(found) > 1 for found in pages_of.values()) >= 5
    assert {key: found for key, found in numbers.items() if len(found) > 1} == {}


def test_map_of_the_engine_lists_every_file_once() -> None:
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*\.(?:py|toml)`) \|", page, re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`([^`]*)`", row)]
    engine = ROOT / "src" / "tetrion" / "engine"
    files = [path for path in engine.rglob("*") if path.suffix in (".py", ".toml")]
    assert sorted(listed) == sorted(path.relative_to(engine).as_posix() for path in files)


def test_pages_that_are_generated_from_docstrings_say_how() -> None:
    generated = [page for page, text in PAGE_TEXTS.items() if re.search(r"^::: ", text, re.MULTILINE)]
    assert len(generated) > 10
    for page in generated:
        assert "generated by `make docs`" in PAGE_TEXTS[page].partition("::: ")[0], page


def test_all_columns_and_rates_of_games_are_described() -> None:
    page = " ".join(PAGE_TEXTS["docs/bench.md"].split())
    evaluation = evaluate("lowest", "guideline", games=1, max_pieces=1)
    names = [*list_game_columns(evaluation), *evaluation.attack_rates]
    assert len(names) > 30
    assert [name for name in names if f"`{name}`" not in page] == []
