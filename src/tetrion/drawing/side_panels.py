"""Panels next to a board: score, hold, next pieces, action text, garbage and attack; and the end of the game on it."""

from collections.abc import Iterable, Sequence

from tetrion.drawing.cells import ACTIVE_CELL, GAME_OVER_CELL
from tetrion.drawing.game_facts import ActionText, VisiblePieces, list_attack_figures
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    BOARD_BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    PANEL,
    STRONG_TEXT,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.evaluation.number_format import NO_VALUE, format_number
from tetrion.game import Game
from tetrion.position import Position

# units
_SCORE_ROWS_TOP = 80
_SCORE_ROW_HEIGHT = 28
_SCORE_BOTTOM_PADDING = 12
_MIN_SCORE_BOTTOM_PADDING = 4
_SCORE_SIZE = 34
_SMALL_SCORE_SIZE = 24  # of scores that are too wide otherwise
_FIGURE_WIDTH = 68  # of a figure in a row, at least
_FIGURE_GAP = 24
HOLD_PANEL_HEIGHT = 136
LOW_HOLD_PANEL_HEIGHT = 104  # in narrow columns
_HOLD_SHARE = 0.4  # of the panel's width, for the piece; the action text has the rest
_MIN_WIDTH_WITH_TEXT = 180  # a narrower hold panel shows the piece alone
_MAX_CELL_SIZE = 22
_ACTION_LINE_HEIGHT = 21
_ACTION_SIZES = (18, 15)  # the first one that fits; further lines are smaller than the first
_MIN_ACTION_SIZE = 13
_BOARD_TEXT_MARGIN = 8  # between the board and the action text on it
_BOARD_TEXT_TOP = 0.16  # of the height of the board
_BOARD_TEXT_ALPHA = 0.88
_QUEUE_SLOT_HEIGHT = 54
_LOW_QUEUE_SLOT_HEIGHT = 36
_QUEUE_TOP = 42
_QUEUE_BOTTOM_PADDING = 10
_PREVIEW_TOP = 44  # of the first piece
_PREVIEW_CELL_SIZE = 24
_SMALL_PREVIEW_CELL_SIZE = 14
_MAX_LARGE_PIECES = 2  # longer previews use the small cell size
_PREVIEW_GAP = 10
_PREVIEW_BOTTOM_PADDING = 8
_STRIP_SLOT_WIDTH = 42
_TINY_CELL_SIZE = 6
_METER_WIDTH = 8
_METER_GAP = 4  # between the meter and the board
_WAITING_SHARE = 0.45  # colour of the rows that cannot rise yet
_FIGURES_TOP = 40
_FIGURES_ROW_HEIGHT = 26
_MIN_FIGURES_ROW_HEIGHT = 20  # in low panels
_MIN_WIDTH_WITH_ATTACK = 240  # of the row of speeds
_GAME_OVER_SIZE = (240, 84)
_GAME_OVER_ALPHA = 0.7

_SHORT_LABELS = {"Points per line": "Points/line", "Pieces per second": "Pieces/s"}


def compute_score_panel_height(row_count: int) -> int:
    """Return the height of a panel with `row_count` rows below the score, in units."""
    return _SCORE_ROWS_TOP + _SCORE_ROW_HEIGHT * row_count + _SCORE_BOTTOM_PADDING


def draw_score_panel(pen: Pen, box: Box, score: str, labelled_rows: Iterable[tuple[str, str]]) -> None:
    """Draw the score, and below it labels and numbers, as many as fit."""
    inside = pen.draw_panel(box, "Score")
    size = _SCORE_SIZE if pen.measure_text(score, _SCORE_SIZE, True) <= inside.width else _SMALL_SCORE_SIZE
    pen.draw_text(score, (inside.left, box.top + 52), size, True, STRONG_TEXT)
    row_box = Box(inside.left, box.top + _SCORE_ROWS_TOP, inside.width, _SCORE_ROW_HEIGHT)
    for label, number in labelled_rows:
        if row_box.bottom + _MIN_SCORE_BOTTOM_PADDING <= box.bottom:
            draw_statistics_row(pen, row_box, label, number)
            row_box.top += _SCORE_ROW_HEIGHT


def draw_statistics_row(pen: Pen, box: Box, label: str, number: str, colour: str = STRONG_TEXT) -> None:
    """Draw a label and a number; the label is shortened if both do not fit."""
    fits = pen.measure_text(label) + pen.measure_text(number, 16, True) + 8 <= box.width
    pen.draw_row(box, label if fits else _SHORT_LABELS.get(label, label), number, colour)


def draw_figures_row(pen: Pen, box: Box, labelled_figures: Iterable[tuple[str, str]]) -> None:
    """Draw numbers below their labels from the left of a box; after the first one, only those that fit are drawn."""
    left = box.left
    for label, figure in labelled_figures:
        width = max(pen.measure_text(label, 14), pen.measure_text(figure, 22, True))
        if left + width > box.right and left > box.left:
            break
        pen.draw_text(label, (left, box.top + 24), 14, False, DIM_TEXT)
        pen.draw_text(figure, (left, box.top + 52), 22, True, STRONG_TEXT)
        left += max(_FIGURE_WIDTH, 8 * -(-(width + _FIGURE_GAP) // 8))


def draw_hold_panel(
    pen: Pen, box: Box, pieces: VisiblePieces, action: ActionText | None = None, *, has_animation: bool = True
) -> None:
    """Draw the held piece, quieter while it cannot be taken, and next to it the action text, if it is given."""
    inside = pen.draw_panel(box, "Hold", "" if pieces.can_hold else "Used")
    has_text = action is not None and inside.width >= _MIN_WIDTH_WITH_TEXT - 32
    width = round(_HOLD_SHARE * inside.width) if has_text else inside.width
    centre = (inside.left + width // 2, (inside.top + box.bottom - 8) // 2)
    if pieces.hold:
        cell = min(_MAX_CELL_SIZE, width // 4, inside.height // 2)
        pen.draw_piece(centre, cell, pieces.hold, ACTIVE_CELL if pieces.can_hold else GAME_OVER_CELL)
    else:
        pen.draw_text("Empty", centre, 14, False, FAINT_TEXT, align=0.5)
    if action and has_text:
        text_box = Box(inside.left + width + 8, inside.top, inside.width - width - 8, box.bottom - 12 - inside.top)
        draw_action_text(pen, text_box, action, has_animation=has_animation)


def draw_action_text(pen: Pen, box: Box, action: ActionText, *, has_animation: bool) -> None:
    """Draw the action text at the right of a box, on a panel."""
    draw_action_lines(pen, box, action.lines, action.get_strength(has_animation), align=1)


def draw_action_lines(pen: Pen, box: Box, lines: Sequence[str], strength: float, align: float) -> None:
    """Draw the lines of an action text one below the other, in the middle of a box; the first one is the strongest.

    `strength` is from 0 to 1, and `align` 0.5 or 1 for lines that are centred or end at the right.
    """
    top = box.centery - _ACTION_LINE_HEIGHT * (len(lines) - 1) / 2
    for number, line in enumerate(lines):
        sizes = [size for size in _ACTION_SIZES[number > 0 :] if pen.measure_text(line, size, True) <= box.width]
        size = next(iter(sizes), _MIN_ACTION_SIZE)
        text = pen.truncate_text(line, box.width, size, True)
        colour = mix_colours(PANEL, STRONG_TEXT if number == 0 else ACCENT, strength)
        x = box.left + align * box.width
        pen.draw_text(text, (x, top + _ACTION_LINE_HEIGHT * number), size, True, colour, align=align)


def draw_action_on_board(pen: Pen, board: Box, lines: Sequence[str], strength: float = 1.0) -> None:
    """Draw an action text below the rows of a board in which pieces appear; the stack rarely is so high."""
    if not lines:
        return
    box = board.inflate(-2 * _BOARD_TEXT_MARGIN, 0)
    box.top += round(_BOARD_TEXT_TOP * board.height)
    box.height = _ACTION_LINE_HEIGHT * len(lines) + 12
    pen.draw_overlay(box, 8, PANEL, _BOARD_TEXT_ALPHA * strength)
    draw_action_lines(pen, box.inflate(-16, 0), lines, strength, align=0.5)


def compute_queue_height(piece_count: int, slot_height: int = _QUEUE_SLOT_HEIGHT) -> int:
    """Return the height of a queue panel, in units."""
    return _QUEUE_TOP + piece_count * slot_height + _QUEUE_BOTTOM_PADDING


def draw_queue_column(pen: Pen, box: Box, pieces: str, piece_count: int) -> None:
    """Draw the next pieces one below the other, in a panel with space for `piece_count` pieces."""
    pen.draw_panel(box, "Next")
    slot_height = (box.height - _QUEUE_TOP - _QUEUE_BOTTOM_PADDING) / piece_count
    cell = min(_MAX_CELL_SIZE, int((slot_height - 8) / 2), (box.width - 32) // 4)
    for number, letter in enumerate(pieces[:piece_count]):
        middle = box.top + _QUEUE_TOP + round((number + 0.5) * slot_height)
        pen.draw_piece((box.centerx, middle), cell, letter, ACTIVE_CELL)


def draw_hold_and_queue(pen: Pen, box: Box, gap: int, pieces: VisiblePieces, preview: int) -> int:
    """Draw the hold box and the queue from the top of a narrow column; return the next free row."""
    top = box.top
    if pieces.has_hold:
        hold_box = Box(box.left, top, box.width, LOW_HOLD_PANEL_HEIGHT)
        draw_hold_panel(pen, hold_box, pieces)
        top = hold_box.bottom + gap
    if preview:
        queue_box = Box(box.left, top, box.width, compute_queue_height(preview, _LOW_QUEUE_SLOT_HEIGHT))
        draw_queue_column(pen, queue_box, pieces.next, preview)
        top = queue_box.bottom + gap
    return top


def draw_piece_strip(pen: Pen, box: Box, pieces: VisiblePieces, preview: int) -> None:
    """Draw the hold box and the queue at the right of a row."""
    right = box.right - 16
    slots = [
        ("Next" if number == 0 else "", letter) for number, letter in enumerate(pieces.next[:preview].ljust(preview))
    ]
    for label, letter in reversed([*([("Hold", pieces.hold)] if pieces.has_hold else []), *slots]):
        middle = right - _STRIP_SLOT_WIDTH // 2
        pen.draw_text(label, (middle, box.top + 24), 14, False, DIM_TEXT, align=0.5)
        if letter.strip():
            is_quiet = label == "Hold" and not pieces.can_hold
            pen.draw_piece((middle, box.top + 50), 9, letter, GAME_OVER_CELL if is_quiet else ACTIVE_CELL)
        right -= _STRIP_SLOT_WIDTH


def draw_tiny_pieces(pen: Pen, left_middle: tuple[int, int], pieces: VisiblePieces) -> None:
    """Draw the hold box and the queue in one line of text, from the middle of its left end."""
    left, middle = left_middle
    held = [("Hold", pieces.hold)] if pieces.has_hold else []
    for label, letters in [*held, ("Next", pieces.next)]:
        pen.draw_text(label, (left, middle), 14, False, DIM_TEXT)
        left += pen.measure_text(label, 14) + 8
        if not letters:
            pen.draw_text(NO_VALUE, (left, middle), 14, False, FAINT_TEXT)
        for letter in letters:
            pen.draw_piece((left + 2 * _TINY_CELL_SIZE, middle), _TINY_CELL_SIZE, letter)
            left += 4 * _TINY_CELL_SIZE + 8
        left += 24


def compute_piece_strip_width(pieces: VisiblePieces, preview: int) -> int:
    """Return the width of the hold box and the queue in a row, in units."""
    return _STRIP_SLOT_WIDTH * (preview + pieces.has_hold) + 16


def draw_garbage_meter(pen: Pen, board: Box, cell_size: int, position: Position) -> None:
    """Draw the rows of garbage that wait, left of a board: one batch above the other, the oldest at the floor.

    Rows that can rise at the next lock are bright. Nothing is drawn if the rules have no garbage.
    """
    if not position.rules.garbage_rows:
        return
    meter = Box(board.left - _METER_GAP - _METER_WIDTH, board.top, _METER_WIDTH, board.height)
    pen.fill_rounded(meter, 3, BOARD_BACKGROUND, BOARD_OUTLINE)
    row_height = cell_size / pen.scale
    bottom = float(meter.bottom - 1)
    due_rows = position.due_garbage
    for rows, _ in position.garbage:
        top = max(meter.top + 1.0, bottom - rows * row_height)
        colour = NEGATIVE if due_rows > 0 else mix_colours(BOARD_BACKGROUND, NEGATIVE, _WAITING_SHARE)
        due_rows -= rows
        if bottom - top >= 3:
            pen.fill_rounded(Box(meter.left + 1, round(top) + 1, meter.width - 2, round(bottom - top) - 2), 2, colour)
        bottom = top


def compute_attack_figures_height(game: Game) -> int:
    """Return the height of a panel with all figures of attack and clears, in units."""
    return _FIGURES_TOP + len(list_attack_figures(game)) * _FIGURES_ROW_HEIGHT + 8


def draw_attack_figures(pen: Pen, box: Box, game: Game) -> None:
    """Draw the figures of attack and clears, as many as fit."""
    inside = pen.draw_panel(box, "Clears")
    figures = list_attack_figures(game)
    height = max(_MIN_FIGURES_ROW_HEIGHT, min(_FIGURES_ROW_HEIGHT, (box.height - _FIGURES_TOP - 4) // len(figures)))
    for number, (label, figure) in enumerate(figures):
        row = Box(inside.left, box.top + _FIGURES_TOP + number * height, inside.width, height)
        if row.bottom + 4 <= box.bottom:
            draw_statistics_row(pen, row, label, figure)


def draw_speed_figures(pen: Pen, box: Box, game: Game, time: str) -> None:
    """Draw time, pieces per second and attack per minute in one row."""
    seconds = game.frames / game.rules.frames_per_second
    figures = [("Time", time)]
    figures.append(("Pieces/s", format_number(game.pieces / seconds, 2) if seconds >= 1 else NO_VALUE))
    if game.rules.attack != "none" and box.width >= _MIN_WIDTH_WITH_ATTACK:
        attack = int(game.copy_record().attack)
        figures.append(("Attack/min", format_number(60 * attack / seconds, 1) if seconds >= 1 else NO_VALUE))
    for number, (label, figure) in enumerate(figures):
        pen.draw_number((box.left + round(number * 0.37 * box.width), box.top + 22), label, figure, 22)


def get_preview_cell_size(piece_count: int, width: int) -> int:
    """Return the cell size in a preview panel for `piece_count` pieces, in units."""
    return min(width // 8, _PREVIEW_CELL_SIZE if piece_count <= _MAX_LARGE_PIECES else _SMALL_PREVIEW_CELL_SIZE)


def compute_preview_height(piece_count: int, width: int) -> int:
    """Return the height of a preview panel for `piece_count` pieces, in units."""
    piece_height = 2 * get_preview_cell_size(piece_count, width) + _PREVIEW_GAP
    return _PREVIEW_TOP + piece_count * piece_height + _PREVIEW_BOTTOM_PADDING


def draw_preview_panel(pen: Pen, box: Box, pieces: str, piece_count: int) -> None:
    """Draw the next pieces, one below the other, in a panel with space for `piece_count` pieces."""
    pen.draw_panel(box, "Next")
    cell_size = get_preview_cell_size(piece_count, box.width)
    for number, letter in enumerate(pieces):
        middle = box.top + _PREVIEW_TOP + cell_size + number * (2 * cell_size + _PREVIEW_GAP)
        pen.draw_piece((box.centerx, middle), cell_size, letter)


def draw_game_over(pen: Pen, board: Box, message: str) -> None:
    """Draw the message that the game is over on top of a board."""
    pen.draw_overlay(board.inflate(-2, -2), 9, BACKGROUND, _GAME_OVER_ALPHA)
    box = Box(0, 0, min(_GAME_OVER_SIZE[0], board.width - 24), _GAME_OVER_SIZE[1])
    box.center = board.center
    pen.draw_panel(box)
    pen.draw_text("Game over", (box.centerx, box.top + 30), 18, True, STRONG_TEXT, align=0.5)
    message = pen.truncate_text(message, box.width - 2 * PANEL_PADDING, 14)
    pen.draw_text(message, (box.centerx, box.top + 56), 14, False, DIM_TEXT, align=0.5)
