"""Parts of the replays screen: rows of the list, and the preview of a game."""

from datetime import datetime

from tetrion.app.replays.replay_library import ReplaySummary
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.palette import (
    ACCENT,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    NORMAL_TEXT,
    STRONG_TEXT,
)
from tetrion.drawing.pen import Box, Pen
from tetrion.evaluation.number_format import format_count, format_duration
from tetrion.stack import Stack

LIST_HEADER_HEIGHT = 28
_RULES_COLUMN = 0.25  # shares of the width
_FIRST_NUMBER_COLUMN = 0.48  # columns from here on are right-aligned numbers
_LIST_COLUMNS = (
    ("Player", 0.0),
    ("Rules", _RULES_COLUMN),
    ("Score", _FIRST_NUMBER_COLUMN),
    ("Lines", 0.575),
    ("Pieces", 0.67),
    ("Duration", 0.765),
)
_PREVIEW_ROW_HEIGHT = 28
_COMPACT_BOARD_WIDTH = 90
_COMPACT_ROWS = 4  # in each of two columns


def draw_column_headers(pen: Pen, box: Box) -> None:
    """Draw the headers of the list at the top of a box."""
    middle = box.top + LIST_HEADER_HEIGHT // 2 + 2
    for label, share in _LIST_COLUMNS:
        is_right_aligned = share >= _FIRST_NUMBER_COLUMN
        left = compute_column_x(box, share, is_right_aligned)
        pen.draw_text(label, (left, middle), 13, False, FAINT_TEXT, align=float(is_right_aligned))
    pen.draw_text("Ended", (box.right - 8, middle), 13, False, FAINT_TEXT, align=1)


def draw_game_preview(
    pen: Pen, box: Box, summary: ReplaySummary, stack: Stack | str | None, *, is_compact: bool
) -> None:
    """Draw the final board of a game (an error message, or None while it is loaded) and its result."""
    title = "Damaged" if summary.problem else "Final position" if summary.is_over else "Last position"
    inside = pen.draw_panel(box, title)
    if summary.problem:
        pen.draw_text("This file cannot be played.", (inside.left, inside.top + 16), 16, True, STRONG_TEXT)
        text_position = inside.left, inside.top + 44
        pen.draw_paragraph(summary.problem, text_position, inside.width, 14, NORMAL_TEXT, max_lines=12)
        return
    rows = make_preview_rows(summary)
    if is_compact:
        draw_final_board(pen, Box(inside.left, inside.top, _COMPACT_BOARD_WIDTH, inside.height), summary, stack)
        left = inside.left + _COMPACT_BOARD_WIDTH + 24
        width = (inside.right - left - 32) // 2
        for number, (label, value) in enumerate(rows):
            column, row = divmod(number, _COMPACT_ROWS)
            top = inside.top + _PREVIEW_ROW_HEIGHT * row
            draw_preview_row(pen, Box(left + column * (width + 32), top, width, _PREVIEW_ROW_HEIGHT), label, value)
        return
    rows_height = _PREVIEW_ROW_HEIGHT * len(rows)
    board = Box(inside.left, inside.top + 4, inside.width, inside.height - rows_height - 20)
    draw_final_board(pen, board, summary, stack, align=0.5)
    for number, (label, value) in enumerate(rows):
        top = inside.bottom - rows_height + 8 + _PREVIEW_ROW_HEIGHT * number
        draw_preview_row(pen, Box(inside.left, top, inside.width, _PREVIEW_ROW_HEIGHT), label, value)


def draw_preview_row(pen: Pen, box: Box, label: str, value: str) -> None:
    """Draw a label and its value, which is truncated if it is too long."""
    pen.draw_row(box, label, pen.truncate_text(value, box.width - 80, 16, True))


def draw_final_board(
    pen: Pen, box: Box, summary: ReplaySummary, stack: Stack | str | None, *, align: float = 0.0
) -> None:
    """Draw the board at the end of a game, or an empty board and the reason why it is unknown."""
    height = summary.rules.height if summary.rules else 20
    fitted = pen.fit_board(box, height, align)
    shown_stack = stack if isinstance(stack, Stack) else Stack(height=height)
    origin = pen.to_pixel_point(fitted.box.topleft)
    draw_board(pen.surface, origin, fitted.cell_size, shown_stack, is_over=summary.is_over, style=pen.style)
    if isinstance(stack, str):
        pen.draw_paragraph(stack, (box.left, box.top + 12), box.width, 14, NEGATIVE)


def compute_column_x(box: Box, share: float, is_right_aligned: bool) -> int:
    """Return the left edge of a column, or the right edge of a right-aligned one."""
    return box.left + round(share * box.width) + (36 if is_right_aligned else 0)


def draw_game_row(pen: Pen, box: Box, summary: ReplaySummary, selected: bool) -> None:
    """Draw the columns of a game."""
    middle, colour = box.centery, STRONG_TEXT if selected else NORMAL_TEXT
    pen.draw_text(format_date(summary.date), (box.right - 8, middle), 14, False, DIM_TEXT, align=1)
    if summary.problem or summary.rules is None:
        pen.draw_text(
            pen.truncate_text(summary.path.name, 0.3 * box.width, 14), (box.left, middle), 14, False, DIM_TEXT
        )
        left = box.left + round(0.32 * box.width)
        pen.draw_text(
            pen.truncate_text(f"Damaged: {summary.problem}", box.right - 130 - left, 14),
            (left, middle),
            14,
            False,
            NEGATIVE,
        )
        return
    if summary.is_human:
        pen.draw_disc((box.left + 4, middle), 4, ACCENT)
    score = f"{summary.score:,}"
    rules_left = compute_column_x(box, _RULES_COLUMN, False)
    score_left = compute_column_x(box, _FIRST_NUMBER_COLUMN, True) - pen.measure_text(score, 16, True)
    name = pen.truncate_text(summary.player, rules_left - box.left - 28, 16, True)
    pen.draw_text(name, (box.left + (16 if summary.is_human else 0), middle), 16, True, colour)
    rules = pen.truncate_text(summary.rules_text, score_left - rules_left - 12)
    pen.draw_text(rules, (rules_left, middle), 16, False, colour)
    figures = (score, f"{summary.lines:,}", f"{summary.pieces:,}", format_game_duration(summary))
    for (_, share), figure in zip(_LIST_COLUMNS[2:], figures, strict=True):
        pen.draw_text(
            figure, (compute_column_x(box, share, True), middle), 16, share == _FIRST_NUMBER_COLUMN, colour, align=1
        )


def make_preview_rows(summary: ReplaySummary) -> list[tuple[str, str]]:
    """Return labels and values for the preview."""
    return [
        ("Player", summary.player),
        ("Rules", summary.rules_text),
        ("Score", f"{summary.score:,}"),
        ("Lines", f"{summary.lines:,}"),
        ("Pieces", f"{summary.pieces:,}"),
        ("Duration", format_game_duration(summary)),
        ("Seed", f"{summary.seed}"),
    ]


def format_game_duration(summary: ReplaySummary) -> str:
    """Format the duration of a game."""
    return "–" if summary.seconds is None else format_duration(summary.seconds)


def format_date(date: datetime) -> str:
    """Format the date when a game ended."""
    now = datetime.now()
    if date.date() == now.date():
        return f"Today {date:%H:%M}"
    return f"{date.day} {date:%b %H:%M}" if date.year == now.year else f"{date.day} {date:%b %Y}"


def describe_game(summary: ReplaySummary) -> str:
    """Describe a game in one line."""
    score, lines = format_count(summary.score, "point"), format_count(summary.lines, "line")
    return f"{summary.player}, {score}, {lines}, {format_date(summary.date)}."
