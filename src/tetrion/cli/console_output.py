"""How commands print: tables, paragraphs, messages and JSON.

Everything that a command prints goes through `echo` or `CleanConsole`: names and paths may contain characters that
would control the terminal, or that cannot be encoded.
"""

import ast
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import click
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tetrion.cli import COMMANDS
from tetrion.text_cleaning import clean_lines, join_command

_FILE_WIDTH = 160  # characters per line where the output is not a terminal
_COLUMN_GAP = 2  # characters
_UNBREAKABLE_SPACE = "\N{NO-BREAK SPACE}"
_UNIT_GAP = re.compile(r"(?<=\d) (?=%|M\b)")  # between a number and its unit
_MAX_SHORT_WIDTH = 24  # characters; a column with longer texts is read as text
_MIN_SHORT_WIDTH = 16  # characters of a column of short texts, which may be wrapped
_MIN_TEXT_WIDTH = 30  # characters of a column of text; narrower ones are hard to read
_TRAILING_SPACES = re.compile(r" +$", re.MULTILINE)


class CleanConsole(Console):
    """A console that replaces the unprintable characters of every text."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Yield the segments of an object; those that control the terminal are not texts and stay as they are."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=clean_lines(segment.text))


def echo(text: object = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text with its unprintable characters replaced, to standard output or standard error."""
    click.echo(clean_lines(str(text)), nl=nl, err=err)


@contextmanager
def continue_without_output(consequence: str) -> Iterator[None]:
    """If standard output cannot be written in this context, say so on standard error and print nothing from then on.

    `consequence` is the end of the message, such as "Training continues without output".
    """
    try:
        yield
    except OSError as error:
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, sys.stdout.fileno())
        os.close(null_device)
        with suppress(OSError):
            print_notice(f"Standard output cannot be written: {error.strerror}. {consequence}.")


def make_console() -> Console:
    """Return a console for standard output, as wide as the terminal; for a file or a pipe, wide enough for tables."""
    console = CleanConsole()
    return console if console.is_terminal else CleanConsole(width=_FILE_WIDTH)


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    right_aligned: bool = False,
    *,
    wrap_first_column: bool = False,
) -> None:
    """Print a table without lines, or blocks if it is too wide for the terminal.

    With `right_aligned`, all columns but the first are right-aligned and never wrapped. With `wrap_first_column`, long
    texts in the first column are wrapped too. Words and numbers are never split.
    """
    console = make_console()
    columns = [list(column) for column in zip(headings, *rows, strict=True)]
    wrapped = [not right_aligned if number else wrap_first_column for number in range(len(columns))]
    min_widths = [
        measure_min_width(column) if is_wrapped else measure_natural_width(column)
        for column, is_wrapped in zip(columns, wrapped, strict=True)
    ]
    if compute_table_width(min_widths) > console.width:
        print_blocks(headings, rows)
        return
    widths = fit_widths(columns, min_widths, console.width)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _COLUMN_GAP, 0, 0))
    for number, (heading, width) in enumerate(zip(headings, widths, strict=True)):
        table.add_column(heading, justify="right" if right_aligned and number else "left", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    print_without_padding(console, table, max(console.width, compute_table_width(widths)))


def print_without_padding(console: Console, table: Table, width: int) -> None:
    """Print a table; in a file or a pipe, its lines do not end with the spaces that fill the last column."""
    if console.is_terminal:
        console.print(table, width=width, crop=False)
        return
    with console.capture() as capture:
        console.print(table, width=width, crop=False)
    echo(_TRAILING_SPACES.sub("", capture.get()), nl=False)


def measure_natural_width(column: Sequence[str]) -> int:
    """Return the number of characters of the longest line in a column."""
    return max(cell_len(line) for cell in column for line in cell.split("\n"))


def measure_min_width(column: Sequence[str]) -> int:
    """Return the smallest readable width of a column that is wrapped: no word is split, and texts have some room."""
    natural_width = measure_natural_width(column)
    longest_word = max((cell_len(word) for cell in column for word in cell.split()), default=0)
    min_width = _MIN_TEXT_WIDTH if natural_width > _MAX_SHORT_WIDTH else _MIN_SHORT_WIDTH
    return max(longest_word, min(natural_width, min_width))


def compute_table_width(widths: Sequence[int]) -> int:
    """Return the number of characters of a table with columns of these widths."""
    return sum(widths) + _COLUMN_GAP * (len(widths) - 1)


def fit_widths(columns: Sequence[Sequence[str]], min_widths: Sequence[int], width: int) -> list[int]:
    """Return the widths of columns in a table of at most `width` characters: the widest columns are made narrower."""
    widths = list(map(measure_natural_width, columns))
    while compute_table_width(widths) > width:
        slack = [number for number, size in enumerate(widths) if size > min_widths[number]]
        if not slack:
            break
        widths[max(slack, key=lambda number: widths[number])] -= 1
    return widths


def print_blocks(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows that are too wide for a table as blocks: the first cell, then one line per heading and cell."""
    console = make_console()
    heading_width = max(map(len, headings))
    for row in rows:
        console.print(Text(row[0], "bold"))
        for heading, cell in zip(headings[1:], row[1:], strict=True):
            console.print(Text(indent_text(cell, f"  {heading:{heading_width}}  ", console.width)))
        console.print()


def indent_text(text: str, prefix: str, width: int) -> str:
    """Wrap a text to `width` characters; its first line begins with `prefix`, the others are indented as far."""
    return wrap_text(text, max(width, 2 * len(prefix)), prefix)


def wrap_text(text: str, width: int, prefix: str = "") -> str:
    """Wrap a text to `width` characters between words, after a prefix; words and numbers are never split."""
    wrapped = textwrap.fill(
        _UNIT_GAP.sub(_UNBREAKABLE_SPACE, text),
        width,
        initial_indent=prefix,
        subsequent_indent=" " * len(prefix),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.replace(_UNBREAKABLE_SPACE, " ")


def print_wrapped(text: str, prefix: str = "") -> None:
    """Print a paragraph, wrapped to the width of the terminal; its first line begins with `prefix`."""
    console = make_console()
    console.print(Text(indent_text(name_program(text), prefix, console.width)), soft_wrap=True)


def print_notice(text: str, command: str = "") -> None:
    """Print an error or a hint to standard error; on a terminal, it is wrapped between words.

    `command` follows the text and is never wrapped, so that it can be copied.
    """
    text, command = name_program(text), name_program(command)
    echo(wrap_notice(f"{text} {command.replace(' ', _UNBREAKABLE_SPACE)}" if command else text), err=True)


def wrap_notice(text: str) -> str:
    """Return a text wrapped to the width of the terminal, or unchanged if standard error is not a terminal."""
    console = CleanConsole(stderr=True)
    if not console.is_terminal:
        return text.replace(_UNBREAKABLE_SPACE, " ")
    return "\n".join(wrap_text(line, console.width) for line in text.split("\n"))


def format_json(content: Any) -> str:
    """Return JSON in the form that commands write; it has no surrogates, which strict readers do not accept."""
    return json.dumps(clean_values(content), indent=2) + "\n"


def clean_values(content: Any) -> Any:
    """Return JSON values with the unprintable characters of all texts replaced."""
    if isinstance(content, str):
        return clean_lines(content)
    if isinstance(content, Mapping):
        return {clean_values(key): clean_values(value) for key, value in content.items()}
    return [clean_values(value) for value in content] if isinstance(content, list | tuple) else content


_NAME = "tetrion"
_COMMAND = re.compile(rf"(?<![\w./-]){_NAME} (?=--help|(?:{'|'.join(COMMANDS)})\b)")


def name_program(text: str) -> str:
    """Return a text whose commands begin with what starts this program in the user's shell.

    Without an activated environment, the shell may not find `tetrion`.
    """
    return _COMMAND.sub(lambda _: f"{find_program(sys.argv[0])} ", text)


@cache
def find_program(started: str) -> str:
    """Return the words that start the program again, given the first argument of its process."""
    path = Path(started)
    if path.name == "__main__.py":
        name = Path(sys.executable).name
        return f"{name if _is_found(name, Path(sys.executable)) else join_command(sys.executable)} -m {_NAME}"
    if path.stem != _NAME or path.parent == Path():
        return _NAME
    return _NAME if _is_found(_NAME, path) else join_command(started)


def _is_found(name: str, program: Path) -> bool:
    """Return whether the shell finds this program by its name; links are programs of their own, as in environments."""
    found = shutil.which(name)
    return found is not None and Path(found).absolute() == program.absolute().with_suffix(Path(found).suffix)


_OPTIONS = {  # Python argument: option of the commands
    "allow_code": "--allow-code",
    "allow_other_versions": "--allow-other-versions",
    "device": "--device",
    "executor": "--cluster",
    "folder": "--out",
    "next": "--next",
    "out": "--out",
    "rules": "--rules",
    "workers": "--workers",
}
_COMMANDS = {  # Python name: command that shows the same
    "tetrion.FEATURES": "tetrion list features",
    "tetrion.RECIPES": "tetrion list recipes",
    "tetrion.PAPERS": "tetrion list papers",
}
_QUOTED_CODE = re.compile(r"`([^`]+)`")
_ARGUMENT = re.compile(r"(\w+)(?:=(.+))?")
_RESUME_CALL = re.compile(r"tetrion\.resume\((.+)\)")


def translate_to_options(message: str) -> str:
    """Replace the Python arguments and calls in backticks of an error message by options and commands."""
    return _QUOTED_CODE.sub(lambda match: translate_code(match[1]) or match[0], message)


def translate_code(code: str) -> str:
    """Return the option or command for Python code such as `out` or `rules='nes'`; empty if there is none."""
    if code in _COMMANDS:
        return f"`{_COMMANDS[code]}`"
    if match := _RESUME_CALL.fullmatch(code):
        from tetrion.training.run_writer import format_resume_command  # not for other errors, such as a missing engine

        return f"`{format_resume_command(Path(ast.literal_eval(match[1])))}`"
    if (match := _ARGUMENT.fullmatch(code)) and match[1] in _OPTIONS:
        value = ast.literal_eval(match[2]) if match[2] else True
        return _OPTIONS[match[1]] + ("" if value is True else f" {join_command(str(value))}")
    return ""
