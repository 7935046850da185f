"""What stands beside the test bench: pieces to choose, the board's numbers, and the agent that is asked."""

from tetrion.app.games.bench import Bench
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.cells import ACTIVE, LOCKED
from tetrion.drawing.palette import DIM, FAINT, OUTLINE, PANEL, RAISED, STRONG, mixed
from tetrion.drawing.pen import PADDING, Box, Pen
from tetrion.engine.pieces import PIECES
from tetrion.evaluation.words import in_words

CHOICE, CELL, SMALL_CELL = 36, 7, 6  # of a piece that can be chosen
PIECES_HIGH, WITH_NEXT, SIDE_BY_SIDE = 92, 156, 86
FEATURES = (
    "holes",
    "aggregate_height",
    "max_height",
    "bumpiness",
    "row_transitions",
    "column_transitions",
    "wells",
    "hole_depth",
    "rows_with_holes",
    "deepest_well",
    "filled_cells",
    "altitude_difference",
)
ROW = 26


def draw_pieces(ui: Ui, box: Box, bench: Bench, *, beside: bool) -> tuple[str, str]:
    """The seven pieces as the current one and, where the rules show one, as the next; gives back what was chosen."""
    inside = ui.pen.panel(box, "Piece", "" if beside else "Keys 1 to 7")
    half = (inside.width - PADDING) // 2
    wide = half if beside else inside.width
    current = choose_piece(ui, Box(inside.left, box.top + 42, wide, CHOICE), "piece", bench.piece)
    if not bench.next:
        return current, ""
    left, top = (inside.right - half, box.top) if beside else (inside.left, box.top + 68)
    ui.pen.text("Next", (left, top + 24), 14, True, DIM)
    return current, choose_piece(ui, Box(left, top + 42, wide, CHOICE), "next", bench.next[0])


def choose_piece(ui: Ui, box: Box, name: str, chosen: str) -> str:
    """A row of pieces; gives back the one that was just chosen, else nothing."""
    used, wide = "", box.width / len(PIECES)
    for number, letter in enumerate(PIECES):
        place = Box(box.left + round(number * wide), box.top, round(wide) - 2, box.height)
        touch = ui.control(f"{name} {letter}", place, radius=8, group=name)
        if letter == chosen or touch.hovered:
            edge = OUTLINE if letter == chosen else None
            ui.pen.rounded(place, 8, RAISED if letter == chosen else mixed(PANEL, RAISED, 0.5), edge)
        cell = CELL if place.width > 4 * CELL + 2 else SMALL_CELL
        ui.pen.piece(place.center, cell, letter, ACTIVE if letter == chosen else LOCKED)
        used = letter if touch.activated else used
    return used


def draw_features(pen: Pen, box: Box, bench: Bench) -> None:
    """The board as features measure it, as many as there is room for."""
    inside = pen.panel(box, "Board in numbers", f"{bench.pieces:,} placed" if bench.pieces else "")
    values = bench.board.features()
    for number, name in enumerate(FEATURES[: max(0, (inside.height + 12) // ROW)]):
        line = Box(inside.left, inside.top + number * ROW, inside.width, ROW)
        value = values[name]
        pen.text(in_words(name).capitalize(), (line.left, line.centery), 14, False, DIM)
        pen.text(f"{value:,}", (line.right, line.centery), 16, True, STRONG if value else FAINT, align=1)


def draw_warning(pen: Pen, board: Box, words: str) -> None:
    """A few words at the top of a board."""
    lines = pen.wrapped(words, board.width - 40, 14)
    box = Box(board.left + 10, board.top + 10, board.width - 20, 20 * len(lines) + 14)
    pen.rounded(box, 8, PANEL, OUTLINE)
    for number, line in enumerate(lines):
        pen.text(line, (box.centerx, box.top + 17 + 20 * number), 14, False, STRONG, align=0.5)
