"""Boards as SVG pictures for notebooks and pages. Imports no pygame and no board, because boards draw themselves."""

from collections.abc import Iterable, Sequence

from tetrion.drawing.palette import (
    BOARD_BACKGROUND,
    BOARD_OUTLINE,
    DEFAULT_PIECE_COLOURS,
    GRID_LINE_COLOUR,
    UNKNOWN_PIECE_COLOUR,
)
from tetrion.engine.pieces import BOARD_WIDTH

SVG_CELL_SIZE = 18


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
