"""How commands print tables and JSON."""

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_FILE_WIDTH = 160  # columns, where no terminal says otherwise


def make_console() -> Console:
    """The standard output; a file or pipe has room for whole lines."""
    here = Console()
    return here if here.is_terminal else Console(width=_FILE_WIDTH)


def print_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], right_aligned: bool = False, *, wrap_first_column: bool = False
) -> None:
    """Print a plain table; with `numbers` all columns but the first stand to the right and nothing is ever cut.

    With `wrapped` the first column takes several lines too, where it is long.
    """
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for place, head in enumerate(heads):
        right, whole = right_aligned and place > 0, place == 0 and not wrap_first_column
        table.add_column(head, justify="right" if right else "left", no_wrap=whole or right, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    here = make_console()
    if right_aligned:
        here.width = max(here.width, Measurement.get(here, here.options.update(max_width=10_000), table).maximum)
    here.print(table)


def print_blocks(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows too wide for a terminal one below another: the first cell, then the others with their heads."""
    here, wide = make_console(), max(map(len, heads))
    for row in rows:
        here.print(Text(row[0], "bold"))
        for head, cell in zip(heads[1:], row[1:], strict=True):
            here.print(Text(indent_text(cell, f"  {head:{wide}}  ", here.width)))
        here.print()


def print_indented(head: str, words: str) -> None:
    """Print a line and what belongs to it below, set in."""
    here = make_console()
    here.print(Text(f"{head}\n{indent_text(words, '  ', here.width)}"))


def indent_text(words: str, before: str, width: int) -> str:
    """Words as a paragraph that begins with something, below which all further lines begin."""
    return textwrap.fill(words, max(width, 2 * len(before)), initial_indent=before, subsequent_indent=" " * len(before))


def format_json(content: Any) -> str:
    """JSON as commands write it."""
    return json.dumps(content, indent=2) + "\n"
