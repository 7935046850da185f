"""How commands print tables and JSON."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

WIDTH_OF_A_FILE = 160  # columns, where no terminal says otherwise


def console() -> Console:
    """The standard output; a file or pipe has room for whole lines."""
    here = Console()
    return here if here.is_terminal else Console(width=WIDTH_OF_A_FILE)


def print_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = False, *, wrapped: bool = False
) -> None:
    """Print a plain table; with `numbers` all columns but the first stand to the right and nothing is ever cut.

    With `wrapped` the first column takes several lines too, where it is long.
    """
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for place, head in enumerate(heads):
        right, whole = numbers and place > 0, place == 0 and not wrapped
        table.add_column(head, justify="right" if right else "left", no_wrap=whole or right, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    here = console()
    if numbers:
        here.width = max(here.width, Measurement.get(here, here.options.update(max_width=10_000), table).maximum)
    here.print(table)


def as_json(content: Any) -> str:
    """JSON as commands write it."""
    return json.dumps(content, indent=2) + "\n"
