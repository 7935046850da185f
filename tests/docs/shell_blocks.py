"""The code blocks of the documentation, and a check that a line of a shell block can be pasted as it stands."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click

from benchmarks.pages import ROOT
from tetrion.agents import load_agent
from tetrion.agents.agent_loading import looks_like_path, split_options
from tetrion.agents.python_agent.agent_process import is_python_agent_name
from tetrion.cli import tetrion as tetrion_command
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.papers import PAPERS
from tetrion.training import Recipe

SHELL_LANGUAGE = "sh"
OUTPUT_LANGUAGE = "text"
_FENCE = re.compile(r"^ *```(\w*)([^\n]*)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_MAKE_TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)
_PERSON = "you"  # a player of `tetrion versus`
_ALL_PAPERS = "all"


class CodeBlock(NamedTuple):
    """A fenced code block of a page; `output` is the text block directly below a shell block, else empty."""

    page: str
    line: int
    language: str
    content: str
    output: str = ""


def list_documented_pages() -> list[Path]:
    """Return the pages whose blocks are checked."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def find_blocks(text: str, page: str = "") -> list[CodeBlock]:
    """Return the code blocks of a page."""
    blocks = list[CodeBlock]()
    last_end = 0
    for match in _FENCE.finditer(text):
        is_directly_below = not text[last_end : match.start()].strip()
        if blocks and match[1] == OUTPUT_LANGUAGE and is_directly_below:
            blocks[-1] = blocks[-1]._replace(output=match[3])
        blocks.append(CodeBlock(page, text.count("\n", 0, match.start()) + 1, match[1], match[3]))
        last_end = match.end()
    return blocks


def list_all_blocks() -> list[CodeBlock]:
    """Return the code blocks of all pages."""
    return [
        block
        for page in list_documented_pages()
        for block in find_blocks(page.read_text(encoding="utf-8"), str(page.relative_to(ROOT)))
    ]


def list_shell_blocks() -> list[CodeBlock]:
    """Return the shell blocks of all pages."""
    return [block for block in list_all_blocks() if block.language == SHELL_LANGUAGE]


def split_commands(line: str) -> Iterator[list[str]]:
    """Yield the words of each command of a shell line, without comments and redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    words = list[str]()
    is_file = False
    for token in lexer:
        if token == "|":
            yield words
            words = []
        elif token != ">" and not is_file:
            words.append(token)
        is_file = token == ">"
    if words:
        yield words


def find_line_error(line: str) -> str:
    """Return what is wrong with a line of a shell block; an empty string if it can be pasted as it stands."""
    errors = (find_command_error(words) for words in split_commands(line))
    return next(filter(None, errors), "")


def find_command_error(words: list[str]) -> str:
    """Return what is wrong with a command; an empty string if nothing."""
    check = _PROGRAM_CHECKS.get(Path(words[0]).name)
    return check(words[1:]) if check else f"{words[0]} is not a known program"


def find_make_error(arguments: list[str]) -> str:
    """Return which argument of `make` is not a target."""
    targets = _MAKE_TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))
    unknown = [word for word in arguments if word not in targets]
    return f"make has no target {unknown[0]}" if unknown else ""


def find_python_error(arguments: list[str]) -> str:
    """Return what is wrong with the arguments of `python`: a program after -c must compile, modules and files exist."""
    if arguments[:1] == ["-c"] and len(arguments) == 2:
        compile(arguments[1], "page", "exec")
        return ""
    if arguments[:1] == ["-m"]:
        return "" if (ROOT / f"{arguments[1].replace('.', '/')}.py").is_file() else f"no module {arguments[1]}"
    if arguments[0].endswith(".py"):
        return "" if (ROOT / arguments[0]).is_file() else f"no file {arguments[0]}"
    return "python needs a file, -c or -m"


def find_tetrion_error(arguments: list[str]) -> str:
    """Return what is wrong with a `tetrion` command, which is parsed but not run."""
    try:
        context = parse_command(arguments)
        check_names(context.params)
    except click.exceptions.Exit:  # --help
        return ""
    except click.ClickException as error:
        return error.format_message()
    except TetrionError as error:
        return str(error)
    return ""


def parse_command(arguments: list[str]) -> click.Context:
    """Return the context of a command with its parsed arguments."""
    command: click.Command = tetrion_command
    context = click.Context(tetrion_command)
    remaining = arguments
    while isinstance(command, click.Group) and remaining and not remaining[0].startswith("-"):
        _, inner, remaining = command.resolve_command(context, remaining)
        assert inner
        command = inner
    return command.make_context(command.name, list(remaining), parent=context)


def check_names(parameters: Mapping[str, object]) -> None:
    """Raise an error for the first agent, recipe, paper or rule set that does not exist."""
    for key, value in parameters.items():
        check = _NAME_CHECKS.get(key)
        if check and value:
            for name in value if isinstance(value, tuple) else (value,):
                check(str(name))


def check_agent_name(name: str) -> None:
    """Load an agent; the files and folders of a reader cannot be checked."""
    text, _ = split_options(name)
    is_file_of_reader = looks_like_path(text) and not (ROOT / text).exists()
    if name != _PERSON and not is_file_of_reader and not is_python_agent_name(text):
        load_agent(ROOT / text if looks_like_path(text) else name, allow_code=True)


def check_recipe_name(name: str) -> None:
    """Load a recipe; the files and folders of a reader cannot be checked."""
    if not looks_like_path(name):
        Recipe.load(name)


def check_paper_name(name: str) -> None:
    """Load a paper."""
    if name != _ALL_PAPERS:
        PAPERS[name]


_NAME_CHECKS: dict[str, Callable[[str], object]] = {
    "agent": check_agent_name,
    "agents": check_agent_name,
    "players": check_agent_name,
    "recipe": check_recipe_name,
    "recipe_or_run": check_recipe_name,
    "names": check_paper_name,
    "rules": Rules.parse,
}


def check_first_word(*known: str) -> Callable[[list[str]], str]:
    """Return a check that the first argument of a program is one of the known ones."""
    return lambda arguments: "" if arguments[:1] and arguments[0] in known else f"expected one of {known}: {arguments}"


_PROGRAM_CHECKS: dict[str, Callable[[list[str]], str]] = {
    "tetrion": find_tetrion_error,
    "make": find_make_error,
    "python": find_python_error,
    "pip": check_first_word("install"),
    "jupyter": check_first_word("lab"),
    "dask": check_first_word("scheduler", "worker"),
    "openssl": check_first_word("req"),
    "export": lambda arguments: "" if all("=" in word for word in arguments) else "export needs NAME=VALUE",
    "head": check_first_word("-n"),
    "tail": check_first_word("-n"),
    "cat": lambda arguments: " ".join(arguments),
}
