"""Panels next to a board: score, hold, next pieces, action text, garbage and attack; and the end of the game on it."""

from collections.abc import Iterable, Sequence

from tetrion.drawing.cells import ACTIVE_CELL, GAME_OVER_CELL
from tetrion.drawing.layout import Box, Part, flexible, inset, list_rows, place, split_column
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
from tetrion.drawing.pen import PANEL_PADDING, Pen
from tetrion.evaluation.number_format import NO_VALUE
from tetrion.game import Game
from tetrion.game_facts import ActionText, VisiblePieces, list_attack_figures
from tetrion.position import Position

# units
_TITLE_HEIGHT = 40  # of a panel
_SCORE_ROWS_TOP = 80
_ROW_HEIGHT = 28
_MIN_ROW_HEIGHT = 20  # in low panels
_SCORE_SIZES = (34, 24)  # the second one if the score is too wide otherwise
HOLD_PANEL_HEIGHT = 136
LOW_HOLD_PANEL_HEIGHT = 104  # in narrow columns
_MIN_HOLD_PANEL_HEIGHT = 84  # in low ones
_HOLD_TEXT_HEIGHT = 48  # of the action text below the held piece
_MAX_CELL_SIZE = 22
_ACTION_LINE_HEIGHT = 21
_ACTION_SIZES = (18, 15)  # the first one that fits; further lines are smaller than the first
_MIN_ACTION_SIZE = 13
_QUEUE_SLOT_HEIGHT = 54
_LOW_QUEUE_SLOT_HEIGHT = 36
_MIN_QUEUE_SLOT_HEIGHT = 28
_QUEUE_BOTTOM_PADDING = 12
_STRIP_SLOT_WIDTH = 42
_TINY_CELL_SIZE = 6
_METER_WIDTH = 8
_METER_GAP = 4  # between the meter and the board
_WAITING_SHARE = 0.45  # colour of the rows that cannot rise yet
_FIGURES_ROW_HEIGHT = 26

_SHORT_LABELS = {"Points per line": "Points/line", "Pieces per second": "Pieces/s"}


def compute_score_panel_height(row_count: int, *, is_low: bool = False) -> int:
    """Return the height of a panel with `row_count` rows below the score, in units."""
    return _SCORE_ROWS_TOP + (_MIN_ROW_HEIGHT if is_low else _ROW_HEIGHT) * row_count + (4 if is_low else 12)


def draw_score_panel(pen: Pen, box: Box, score: str, labelled_rows: Sequence[tuple[str, str]]) -> None:
    """Draw the score, and below it labels and numbers, as many as fit."""
    inside = pen.draw_panel(box, "Score")
    size = _SCORE_SIZES[pen.measure_text(score, _SCORE_SIZES[0], True) > inside.width]
    pen.draw_text(score, (inside.left, box.top + 52), size, True, STRONG_TEXT)
    space = Box(inside.left, box.top + _SCORE_ROWS_TOP, inside.width, box.height - _SCORE_ROWS_TOP - 4)
    height = max(_MIN_ROW_HEIGHT, min(_ROW_HEIGHT, space.height // max(1, len(labelled_rows))))
    for row, (label, number) in zip(list_rows(space, height), labelled_rows, strict=False):
        draw_statistics_row(pen, row, label, number)


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
        left += max(68, 8 * -(-(width + 24) // 8))


def draw_hold_panel(
    pen: Pen, box: Box, pieces: VisiblePieces, action: ActionText | None = None, *, has_animation: bool = True
) -> None:
    """Draw the held piece, quieter while it cannot be taken, and below it the action text, if it is given."""
    pen.draw_panel(box, "Hold", "" if pieces.can_hold else "Used")
    text_height = _HOLD_TEXT_HEIGHT if action else 0
    _, slot, text_box, _ = split_column(inset(box, PANEL_PADDING, 0), [32, flexible(), text_height, 8])
    if pieces.hold:
        cell = min(_MAX_CELL_SIZE, slot.width // 4, slot.height // 2)
        pen.draw_piece(slot.center, cell, pieces.hold, ACTIVE_CELL if pieces.can_hold else GAME_OVER_CELL)
    else:
        pen.draw_text("Empty", slot.center, 14, False, FAINT_TEXT, align=0.5)
    if action and action.lines:
        details = pen.wrap_text(" · ".join(action.lines[1:]), text_box.width, _MIN_ACTION_SIZE)
        lines = [line for line in (action.lines[0], *details) if line]
        draw_action_lines(pen, text_box, lines, action.get_strength(has_animation), align=0.5)


def draw_action_lines(pen: Pen, box: Box, lines: Sequence[str], strength: float, align: float) -> None:
    """Draw the lines of an action text one below the other, in the middle of a box; the first one is the strongest.

    `strength` is from 0 to 1, and `align` 0.5 or 1 for lines that are centred or end at the right.
    """
    line_height = min(_ACTION_LINE_HEIGHT, box.height / max(1, len(lines)))
    for number, line in enumerate(lines):
        sizes = [size for size in _ACTION_SIZES[number > 0 :] if pen.measure_text(line, size, True) <= box.width]
        size = next(iter(sizes), _MIN_ACTION_SIZE)
        text = pen.truncate_text(line, box.width, size, True)
        colour = mix_colours(PANEL, ACCENT if number else STRONG_TEXT, strength)
        position = box.left + align * box.width, box.centery + line_height * (number - (len(lines) - 1) / 2)
        pen.draw_text(text, position, size, True, colour, align=align)


def draw_action_on_board(pen: Pen, board: Box, lines: Sequence[str], strength: float = 1.0) -> None:
    """Draw an action text below the rows of a board in which pieces appear; the stack rarely is so high."""
    if lines:
        top, height = board.top + round(0.16 * board.height), _ACTION_LINE_HEIGHT * len(lines) + 12
        box = Box(board.left + 8, top, board.width - 16, height)
        pen.draw_overlay(box, 8, PANEL, 0.88 * strength)
        draw_action_lines(pen, inset(box, 8, 0), lines, strength, align=0.5)


def compute_queue_height(piece_count: int, slot_height: int = _QUEUE_SLOT_HEIGHT) -> int:
    """Return the height of a queue panel, in units; 0 without pieces."""
    return _TITLE_HEIGHT + piece_count * slot_height + _QUEUE_BOTTOM_PADDING if piece_count else 0


def draw_queue_column(pen: Pen, box: Box, pieces: str, piece_count: int) -> None:
    """Draw the next pieces one below the other, in a panel with space for `piece_count` pieces."""
    pen.draw_panel(box, "Next")
    _, queue, _ = split_column(box, [_TITLE_HEIGHT, flexible(), _QUEUE_BOTTOM_PADDING])
    slots = split_column(queue, [flexible()] * piece_count)
    cell = min(_MAX_CELL_SIZE, (slots[0].height - 8) // 2, (box.width - 32) // 4)
    for slot, letter in zip(slots, pieces, strict=False):
        pen.draw_piece(slot.center, cell, letter)


def draw_hold_and_queue(
    pen: Pen, box: Box, gap: int, pieces: VisiblePieces, preview: int, *, rest_height: int = 1
) -> int:
    """Draw the hold box and the queue from the top of a narrow column; return the next free row.

    They are lower where fewer than `rest_height` units would be left below them.
    """
    hold_part = Part(LOW_HOLD_PANEL_HEIGHT, _MIN_HOLD_PANEL_HEIGHT) if pieces.has_hold else 0
    queue_heights = (compute_queue_height(preview, slot) for slot in (_LOW_QUEUE_SLOT_HEIGHT, _MIN_QUEUE_SLOT_HEIGHT))
    hold, queue, rest = split_column(box, [hold_part, Part(*queue_heights), flexible(rest_height)], gap)
    if hold:
        draw_hold_panel(pen, hold, pieces)
    if queue:
        draw_queue_column(pen, queue, pieces.next, preview)
    return rest.top


def draw_piece_strip(pen: Pen, box: Box, pieces: VisiblePieces, preview: int) -> None:
    """Draw the hold box and the queue at the right of a row."""
    slots = [("", letter, True) for letter in pieces.next[:preview].ljust(preview)]
    if preview:
        slots[0] = ("Next", *slots[0][1:])
    if pieces.has_hold:
        slots.insert(0, ("Hold", pieces.hold, pieces.can_hold))
    for number, (label, letter, is_active) in enumerate(reversed(slots)):
        middle = box.right - 16 - _STRIP_SLOT_WIDTH // 2 - number * _STRIP_SLOT_WIDTH
        pen.draw_text(label, (middle, box.top + 24), 14, False, DIM_TEXT, align=0.5)
        if letter.strip():
            pen.draw_piece((middle, box.top + 50), 9, letter, ACTIVE_CELL if is_active else GAME_OVER_CELL)


def compute_piece_strip_width(pieces: VisiblePieces, preview: int) -> int:
    """Return the width of the hold box and the queue in a row, in units."""
    return _STRIP_SLOT_WIDTH * (preview + pieces.has_hold) + 16


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


def draw_garbage_meter(pen: Pen, board: Box, cell_size: int, position: Position) -> None:
    """Draw the rows of garbage that wait, left of a board: one batch above the other, the oldest at the floor.

    Rows that can rise at the next lock are bright. Nothing is drawn if the rules have no garbage.
    """
    if not position.rules.garbage_rows:
        return
    meter = Box(board.left - _METER_GAP - _METER_WIDTH, board.top, _METER_WIDTH, board.height)
    pen.fill_rounded(meter, 3, BOARD_BACKGROUND, BOARD_OUTLINE)
    bottom = float(meter.bottom - 1)
    due_rows = position.due_garbage
    for rows, _ in position.garbage:
        top = max(meter.top + 1.0, bottom - rows * cell_size / pen.scale)
        colour = NEGATIVE if due_rows > 0 else mix_colours(BOARD_BACKGROUND, NEGATIVE, _WAITING_SHARE)
        due_rows -= rows
        if bottom - top >= 3:
            pen.fill_rounded(Box(meter.left + 1, round(top) + 1, meter.width - 2, round(bottom - top) - 2), 2, colour)
        bottom = top


def compute_attack_figures_height(game: Game) -> int:
    """Return the height of a panel with all figures of attack and clears, in units."""
    return _TITLE_HEIGHT + len(list_attack_figures(game)) * _FIGURES_ROW_HEIGHT + 8


def draw_attack_figures(pen: Pen, box: Box, game: Game) -> None:
    """Draw the figures of attack and clears, as many as fit."""
    pen.draw_panel(box, "Clears")
    figures = list_attack_figures(game)
    _, space, _ = split_column(inset(box, PANEL_PADDING, 0), [_TITLE_HEIGHT, flexible(), 4])
    height = max(_MIN_ROW_HEIGHT, min(_FIGURES_ROW_HEIGHT, space.height // len(figures)))
    for row, (label, figure) in zip(list_rows(space, height), figures, strict=False):
        draw_statistics_row(pen, row, label, figure)


def draw_game_over(pen: Pen, board: Box, message: str) -> None:
    """Draw the message that the game is over on top of a board."""
    pen.draw_overlay(inset(board, 1), 9, BACKGROUND, 0.7)
    box = place(board, min(240, board.width - 24), 84)
    pen.draw_panel(box)
    pen.draw_text("Game over", (box.centerx, box.top + 30), 18, True, STRONG_TEXT, align=0.5)
    message = pen.truncate_text(message, box.width - 2 * PANEL_PADDING, 14)
    pen.draw_text(message, (box.centerx, box.top + 56), 14, False, DIM_TEXT, align=0.5)
