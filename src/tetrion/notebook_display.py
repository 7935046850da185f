"""How objects are shown at the Python prompt and in notebooks: one line of text, and tables and pictures in HTML."""

import base64
from collections.abc import Iterable, Sequence
from html import escape

from tetrion.drawing.palette import (
    BOARD_BACKGROUND,
    BOARD_OUTLINE,
    DEFAULT_PIECE_COLOURS,
    GRID_LINE_COLOUR,
    UNKNOWN_PIECE_COLOUR,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.text_cleaning import clean_lines, make_printable

MAX_REPR_CHARACTERS = 200
SVG_CELL_SIZE = 18
_LINE = "1px solid rgba(128, 128, 128, 0.4)"  # visible on light and dark notebooks
_CELL_STYLE = f"padding: 2px 10px; border: none; border-bottom: {_LINE}; vertical-align: top"
_TABLE_STYLE = "border-collapse: collapse; margin: 4px 0; font-variant-numeric: tabular-nums"


def make_short_repr(name: str, description: str) -> str:
    """Return one line such as `<Run runs/a: 3 generations>`, shortened to 200 characters."""
    text = f"<{name} {' '.join(description.split())}"
    return make_printable(f"{text}>" if len(text) < MAX_REPR_CHARACTERS else f"{text[: MAX_REPR_CHARACTERS - 2]}…>")


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


def draw_svg(rows: Sequence[str], height: int, piece: str = "", cells: Iterable[tuple[int, int]] = ()) -> str:
    """Draw a board of `height` rows as SVG.

    `rows` lists the rows from the floor up, each with ten cells: a piece letter, `#` for an unknown piece, or `.` for
    empty. `piece` is the falling piece, and `cells` its cells as (column, row); a piece above the board is drawn there.
    """
    piece_cells = list(cells)
    width, svg_height = BOARD_WIDTH * SVG_CELL_SIZE, height * SVG_CELL_SIZE
    top = SVG_CELL_SIZE * max([0, *(row + 1 - height for _, row in piece_cells)])
    total_height = top + svg_height + 10
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width + 10} {total_height}' width='{width + 10}'>"
        f"<rect x='1' y='{top + 1}' width='{width + 8}' height='{svg_height + 8}' rx='10' "
        f"fill='{BOARD_BACKGROUND}' stroke='{BOARD_OUTLINE}'/>"
        f"<g transform='translate(5 {top + 5})'>{draw_svg_cells(rows, height, piece, piece_cells)}</g></svg>"
    )


def draw_svg_cells(rows: Sequence[str], height: int, piece: str = "", cells: Iterable[tuple[int, int]] = ()) -> str:
    """Draw the grid lines and the cells of a board as SVG elements."""
    size = SVG_CELL_SIZE
    lines = [f"M{x * size} 0v{height * size}" for x in range(1, BOARD_WIDTH)]
    lines += [f"M0 {y * size}h{BOARD_WIDTH * size}" for y in range(1, height)]
    down = range(len(rows) - 1, -1, -1)
    filled = [(x, y, letter) for y in down for x, letter in enumerate(rows[y]) if letter != "." and y < height]
    filled += [(x, y, piece) for x, y in cells]
    squares = [
        f"<rect x='{x * size + 0.5:g}' y='{(height - 1 - y) * size + 0.5:g}' width='{size - 1}' height='{size - 1}' "
        f"rx='2.5' fill='{DEFAULT_PIECE_COLOURS.get(letter, UNKNOWN_PIECE_COLOUR)}'/>"
        for x, y, letter in filled
    ]
    return f"<path d='{''.join(lines)}' stroke='{GRID_LINE_COLOUR}'/>" + "".join(squares)
