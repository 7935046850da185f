"""How commands print tables and write files."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tetrion.errors import TetrionError

WIDTH_OF_A_FILE = 160  # columns, where no terminal says otherwise


def console() -> Console:
    """The standard output; a file or pipe has room for whole lines."""
    here = Console()
    return here if here.is_terminal else Console(width=WIDTH_OF_A_FILE)


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = False) -> None:
    """Print a plain table; with `numbers` all columns but the first stand to the right and nothing is ever cut."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for place, head in enumerate(heads):
        right = numbers and place > 0
        table.add_column(head, justify="right" if right else "left", no_wrap=place == 0 or right, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    here = console()
    if numbers:
        here.width = max(here.width, Measurement.get(here, here.options.update(max_width=10_000), table).maximum)
    here.print(table)


def check_writable(file: str) -> None:
    """Make sure, before the work that it is for, that a file can be written."""
    if file != "-":
        with writing(file), Path(file).open("a", encoding="utf-8"):
            pass


def write_json(file: str, content: Any) -> None:
    """Write JSON into a file, or to the standard output if its name is -."""
    text = json.dumps(content, indent=2)
    if file == "-":
        click.echo(text)
        return
    with writing(file):
        Path(file).write_text(text + "\n", encoding="utf-8")


@contextmanager
def writing(file: str) -> Iterator[None]:
    """Say it in our words if a file cannot be written."""
    try:
        yield
    except OSError as problem:
        raise TetrionError(f"{file} cannot be written: {problem.strerror}. Give another place to --json.") from None
