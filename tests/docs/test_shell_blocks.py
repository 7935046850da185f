"""Shell blocks of README, CONTRIBUTING and the docs: every line can be pasted as it stands."""

import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.pages import ROOT
from tests.cli.command_runner import tetrion_here
from tests.docs.shell_blocks import (
    CodeBlock,
    find_blocks,
    find_line_error,
    list_all_blocks,
    list_shell_blocks,
    split_commands,
)

SHELL_BLOCKS = list_shell_blocks()
LANGUAGES = {"sh", "bat", "text", "python", "py", "json", "toml"}  # py: an excerpt, which is not run
CHEAP_COMMANDS = ("list", "explain", "replay")  # those whose output does not take games


def name_block(block: CodeBlock) -> str:
    return f"{block.page}:{block.line}"


def list_cheap_commands() -> list[list[str]]:
    """Return the commands that take less than a second and need no file of the reader."""
    lines = {line for block in SHELL_BLOCKS for line in block.content.splitlines()}
    commands = [words for line in sorted(lines) for words in split_commands(line)]
    cheap = [words[1:] for words in commands if words[0] == "tetrion" and words[1:2] and words[1] in CHEAP_COMMANDS]
    return [
        arguments
        for arguments in cheap
        if "--board" not in arguments
        and not any(argument.startswith("runs/") for argument in arguments)
        and (arguments[0] != "replay" or "--html" in arguments)
    ]


def test_blocks_are_found() -> None:
    assert len(SHELL_BLOCKS) > 40
    assert sum(len(block.content.splitlines()) for block in SHELL_BLOCKS) > 100


def test_every_block_says_what_it_is() -> None:
    """Commands are `sh`, what they print is `text`; a block without a language would be read as either."""
    unknown = [name_block(block) for block in list_all_blocks() if block.language not in LANGUAGES]
    assert unknown == []


def test_text_blocks_contain_no_prompt() -> None:
    """A command between its output and a prompt cannot be pasted."""
    text_blocks = [block for block in list_all_blocks() if block.language == "text"]
    assert [name_block(block) for block in text_blocks if block.content.lstrip().startswith("$ ")] == []


@pytest.mark.parametrize("block", SHELL_BLOCKS, ids=name_block)
def test_shell_blocks_can_be_pasted(block: CodeBlock) -> None:
    if bash := shutil.which("bash"):
        process = subprocess.run([bash, "-n"], input=block.content, capture_output=True, text=True)
        assert process.stderr == ""
    errors = [error for line in block.content.splitlines() if (error := find_line_error(line))]
    assert bool(errors) == block.output.startswith("Error:"), errors


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("make demo     sets up", "make has no target sets"),
        ("make demo  # sets up", ""),
        ("tetrion          the menu", "Unknown command 'the'"),
        ("tetrion          # the menu", ""),
        ("python examples/python_agent.py", ""),
        ("python examples/missing.py", "no file examples/missing.py"),
        ("tetrion bench du --gmaes 3", "No such option"),
        ("tetrion bench dux", "Unknown agent 'dux'"),
        ("tetrion bench AGENT", "Unknown agent 'AGENT'"),
        ("tetrion bench du --games N", "'N' is not a valid"),
        ("tetrion bench du --rules standrad", "Unknown rules 'standrad'"),
        ("tetrion bench examples/none.json mine.py:Mine runs/mine --games 3 | tail -n 1", ""),
        ("tetrion train RECIPE [--out DIR]", "unexpected extra argument"),
        ("tetrion train gavrilo", "Unknown recipe 'gavrilo'"),
        ("tetrion reproduce bekcer", "Unknown paper 'bekcer'"),
        ("tetrion replay", "Missing argument"),
        ("tetrion watch du --text > game.txt", ""),
        ("The agent plays.", "The is not a known program"),
        ("pip it up", "expected one of"),
    ],
)
def test_mistakes_are_found(line: str, message: str) -> None:
    error = find_line_error(line)
    assert message in error
    assert bool(message) == bool(error)


def test_output_belongs_to_the_block_above_it() -> None:
    page = "```sh\nmake test\n```\n\n```text\nfine\n```\n\nA table:\n\n```text\n1 2\n```\n"
    assert [block.output for block in find_blocks(page)] == ["fine\n", "", ""]


@pytest.mark.parametrize("arguments", list_cheap_commands(), ids=" ".join)
def test_cheap_commands_run(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("examples", "docs/replays"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    assert tetrion_here(*arguments).stdout
