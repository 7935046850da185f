"""How objects are shown at the Python prompt and in notebooks: one line of text, and tables and pictures in HTML."""

import base64
from collections.abc import Sequence
from html import escape

from tetrion.text_cleaning import clean_lines

MAX_REPR_CHARACTERS = 200
_LINE = "1px solid rgba(128, 128, 128, 0.4)"  # visible on light and dark notebooks
_CELL_STYLE = f"padding: 2px 10px; border: none; border-bottom: {_LINE}; vertical-align: top"
_TABLE_STYLE = "border-collapse: collapse; margin: 4px 0; font-variant-numeric: tabular-nums"


def make_short_repr(name: str, description: str) -> str:
    """Return one line such as `<Run runs/a: 3 generations>`, shortened to 200 characters."""
    text = f"<{name} {' '.join(description.split())}"
    return f"{text}>" if len(text) < MAX_REPR_CHARACTERS else f"{text[: MAX_REPR_CHARACTERS - 2]}…>"


def render_html_table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    note: str = "",
    text_columns: int = 1,
) -> str:
    """Return a table as HTML that needs no style sheet and inherits the colours of the notebook.

    The first `text_columns` columns are aligned to the left, the others to the right.
    """
    lines = [
        f"<tr>{''.join(render_cell('td', cell, column >= text_columns) for column, cell in enumerate(row))}</tr>"
        for row in rows
    ]
    heading_cells = "".join(
        render_cell("th", heading, column >= text_columns) for column, heading in enumerate(headings)
    )
    head = f"<thead><tr>{heading_cells}</tr></thead>" if any(headings) else ""
    return clean_lines(
        f"<div><div style='font-weight: 600'>{escape(title)}</div>"
        f"<table style='{_TABLE_STYLE}'>{head}<tbody>{''.join(lines)}</tbody></table>"
        f"{render_note(note)}</div>"
    )


def render_cell(tag: str, content: object, is_right_aligned: bool) -> str:
    """Return a cell of a table; `tag` is th or td."""
    side = "right" if is_right_aligned else "left"
    return f"<{tag} style='{_CELL_STYLE}; text-align: {side}'>{escape(str(content))}</{tag}>"


def render_note(text: str) -> str:
    """Return a note in smaller text; nothing for an empty text."""
    return f"<div style='opacity: 0.75; font-size: 0.9em'>{escape(text)}</div>" if text else ""


def render_board(svg: str, facts: Sequence[str]) -> str:
    """Return the picture of a board with facts below it."""
    return f"<div>{svg}{render_note(' · '.join(filter(None, facts)))}</div>"


def render_beside(picture: str, table: str) -> str:
    """Return a picture with a table at its right, or below it where the page is narrow."""
    return f"<div style='display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start'>{picture}{table}</div>"


def render_picture(svg: bytes, description: str, width: int) -> str:
    """Return an SVG file as an HTML picture of a width in pixels."""
    data = base64.b64encode(svg).decode()
    style = f"width: {width}px; max-width: 100%; border-radius: 8px"
    return f"<img style='{style}' alt='{escape(description)}' src='data:image/svg+xml;base64,{data}'>"


def format_four_digits(value: float) -> str:
    """Return a number with four significant digits, or all digits before the point, and a true minus sign."""
    is_whole = value == round(value) or abs(value) >= 1000
    return (f"{value:,.0f}" if is_whole else f"{value:.4g}").replace("-", "−")


def format_count(number: int, noun: str) -> str:
    """Format a count with its noun: "1 line", "2,000 lines"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
