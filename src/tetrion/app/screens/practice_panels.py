"""Panels of the practice screen: piece choice, board features, warnings."""

from tetrion.app.games.practice_board import PracticeBoard
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.cells import ACTIVE_CELL, LOCKED_CELL
from tetrion.drawing.palette import BOARD_OUTLINE, DIM_TEXT, FAINT_TEXT, PANEL, RAISED_PANEL, STRONG_TEXT, mix_colours
from tetrion.drawing.pen import PANEL_PADDING, PANEL_TITLE_OFFSET, Box, Pen
from tetrion.engine.pieces import PIECES
from tetrion.evaluation.number_format import format_name

_PIECE_BUTTON_HEIGHT = 36
_PIECE_CELL_SIZE = 7
_SMALL_PIECE_CELL_SIZE = 6
_TINY_CELL_SIZE = 5  # of the held piece and of the pieces after the next one
_TINY_PIECE_WIDTH = 26
PIECE_PANEL_HEIGHT = 92
PIECE_PANEL_HEIGHT_WITH_NEXT = 156
PIECE_PANEL_HEIGHT_SIDE_BY_SIDE = 82
_SHOWN_FEATURES = (
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
_FEATURE_ROW_HEIGHT = 26


def draw_piece_panel(ui: Ui, box: Box, practice_board: PracticeBoard, *, side_by_side: bool) -> tuple[str, str]:
    """Draw the choice of the current piece and of the next piece; return the newly chosen letters."""
    has_hold = bool(practice_board.rules.hold)
    inside = ui.pen.draw_panel(box, "Piece", "" if side_by_side or has_hold else "Keys 1 to 7")
    half = (inside.width - PANEL_PADDING) // 2
    width = half if side_by_side else inside.width
    current = draw_piece_choice(
        ui, Box(inside.left, box.top + 42, width, _PIECE_BUTTON_HEIGHT), "piece", practice_board.piece
    )
    if has_hold:
        draw_held_piece(ui.pen, (inside.left + width, box.top + PANEL_TITLE_OFFSET), practice_board.hold)
    if not practice_board.next:
        return current, ""
    left, top = (inside.right - half, box.top) if side_by_side else (inside.left, box.top + 68)
    ui.pen.draw_text("Next", (left, top + PANEL_TITLE_OFFSET), 14, True, DIM_TEXT)
    for number, letter in enumerate(reversed(practice_board.next[1:])):
        right = left + width - number * _TINY_PIECE_WIDTH
        ui.pen.draw_piece((right - _TINY_PIECE_WIDTH // 2, top + PANEL_TITLE_OFFSET), _TINY_CELL_SIZE, letter)
    return current, draw_piece_choice(
        ui, Box(left, top + 42, width, _PIECE_BUTTON_HEIGHT), "next", practice_board.next[0]
    )


def draw_held_piece(pen: Pen, right: tuple[int, int], letter: str) -> None:
    """Draw the held piece with its label, so that it ends at a point."""
    x, y = right
    if letter:
        pen.draw_piece((x - _TINY_PIECE_WIDTH // 2, y), _TINY_CELL_SIZE, letter)
    label_right = x - _TINY_PIECE_WIDTH - 4 if letter else x
    pen.draw_text("Hold" if letter else "Hold: empty", (label_right, y), 14, False, DIM_TEXT, align=1)


def draw_piece_choice(ui: Ui, box: Box, name: str, chosen: str) -> str:
    """Draw one row of pieces; return the newly chosen letter or an empty text."""
    picked, slot_width = "", box.width / len(PIECES)
    for number, letter in enumerate(PIECES):
        slot = Box(box.left + round(number * slot_width), box.top, round(slot_width) - 2, box.height)
        control = ui.add_control(f"{name} {letter}", slot, radius=8, group=name, is_selected=letter == chosen)
        if letter == chosen or control.is_hovered:
            edge = BOARD_OUTLINE if letter == chosen else None
            ui.pen.fill_rounded(
                slot, 8, RAISED_PANEL if letter == chosen else mix_colours(PANEL, RAISED_PANEL, 0.5), edge
            )
        cell = _PIECE_CELL_SIZE if slot.width > 4 * _PIECE_CELL_SIZE + 2 else _SMALL_PIECE_CELL_SIZE
        ui.pen.draw_piece(slot.center, cell, letter, ACTIVE_CELL if letter == chosen else LOCKED_CELL)
        picked = letter if control.is_activated else picked
    return picked


def draw_features_panel(pen: Pen, box: Box, practice_board: PracticeBoard) -> None:
    """Draw the features of the board, as many as fit."""
    inside = pen.draw_panel(box, "Board features", f"{practice_board.pieces:,} placed" if practice_board.pieces else "")
    values = practice_board.board.measure_features()
    for number, name in enumerate(_SHOWN_FEATURES[: max(0, (inside.height + 12) // _FEATURE_ROW_HEIGHT)]):
        row = Box(inside.left, inside.top + number * _FEATURE_ROW_HEIGHT, inside.width, _FEATURE_ROW_HEIGHT)
        value = values[name]
        pen.draw_text(format_name(name).capitalize(), (row.left, row.centery), 14, False, DIM_TEXT)
        pen.draw_text(f"{value:,}", (row.right, row.centery), 16, True, STRONG_TEXT if value else FAINT_TEXT, align=1)


def draw_warning(pen: Pen, board: Box, message: str) -> None:
    """Draw a message at the top of a board."""
    lines = pen.wrap_text(message, board.width - 40, 14)
    box = Box(board.left + 10, board.top + 10, board.width - 20, 20 * len(lines) + 14)
    pen.fill_rounded(box, 8, PANEL, BOARD_OUTLINE)
    for number, line in enumerate(lines):
        pen.draw_text(line, (box.centerx, box.top + 17 + 20 * number), 14, False, STRONG_TEXT, align=0.5)
