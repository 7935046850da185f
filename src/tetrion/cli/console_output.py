"""Tables, paragraphs and JSON as commands print them."""

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_FILE_WIDTH = 160  # characters per line where the output is not a terminal
_MAX_TABLE_WIDTH = 10_000  # characters


def make_console() -> Console:
    """Return a console for standard output, as wide as the terminal; for a file or a pipe, wide enough for tables."""
    console = Console()
    return console if console.is_terminal else Console(width=_FILE_WIDTH)


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    right_aligned: bool = False,
    *,
    wrap_first_column: bool = False,
) -> None:
    """Print a table without lines.

    With `right_aligned`, all columns but the first are right-aligned and never wrapped. With `wrap_first_column`, long
    texts in the first column are wrapped too.
    """
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for number, heading in enumerate(headings):
        is_right_aligned = right_aligned and number > 0
        is_unwrapped_first = number == 0 and not wrap_first_column
        table.add_column(
            heading,
            justify="right" if is_right_aligned else "left",
            no_wrap=is_unwrapped_first or is_right_aligned,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    console = make_console()
    if right_aligned:
        needed_width = Measurement.get(console, console.options.update(max_width=_MAX_TABLE_WIDTH), table).maximum
        console.width = max(console.width, needed_width)
    console.print(table)


def print_blocks(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows that are too wide for a table as blocks: the first cell, then one line per heading and cell."""
    console = make_console()
    heading_width = max(map(len, headings))
    for row in rows:
        console.print(Text(row[0], "bold"))
        for heading, cell in zip(headings[1:], row[1:], strict=True):
            console.print(Text(indent_text(cell, f"  {heading:{heading_width}}  ", console.width)))
        console.print()


def print_indented(heading: str, text: str) -> None:
    """Print a heading and an indented paragraph below it."""
    console = make_console()
    console.print(Text(f"{heading}\n{indent_text(text, '  ', console.width)}"))


def indent_text(text: str, prefix: str, width: int) -> str:
    """Wrap a text to `width` characters; its first line begins with `prefix`, the others are indented as far."""
    return textwrap.fill(text, max(width, 2 * len(prefix)), initial_indent=prefix, subsequent_indent=" " * len(prefix))


def format_json(content: Any) -> str:
    """Return JSON in the form that commands write."""
    return json.dumps(content, indent=2) + "\n"
