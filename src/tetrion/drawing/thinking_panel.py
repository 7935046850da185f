"""The thinking panel: the best placements and the contribution of each feature to their scores."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import pygame

from tetrion.agents import Candidate, Explanation
from tetrion.board import Cell, Placement
from tetrion.drawing.board_drawing import clip_to, compute_board_size, draw_board, draw_contour
from tetrion.drawing.board_style import BoardStyle
from tetrion.drawing.contours import Contour
from tetrion.drawing.layout import inset
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    PANEL,
    RAISED_PANEL,
    SEPARATOR,
    STRONG_TEXT,
    get_outline_colour,
    get_piece_colours,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.shapes import blit_picture
from tetrion.drawing.thinking_text import (
    NO_EXPLANATION_MESSAGE,
    NO_PLACEMENT_MESSAGE,
    choose_panel_decimals,
    describe_score,
    describe_selection,
    find_lowest_row,
    find_next_cells,
    format_rounded,
    make_grey_stack,
    select_features,
)
from tetrion.stack import Stack

# units; in a box of at least this size, features are columns, otherwise they are bars next to each placement
_MIN_WIDE_WIDTH = 520
_TITLE_OFFSET = 26
_TITLE_GAP = 12
_HEADING_OFFSET = 62
_HEADING_LINE_HEIGHT = 14
_WIDE_TOP_HEIGHT = 80
_MAX_ROWS = 5
_MIN_ROW_HEIGHT = 72  # a small board and the frame of the best placement
_MIN_WIDE_HEIGHT = _WIDE_TOP_HEIGHT + 2 * _MIN_ROW_HEIGHT + 4  # bars have space for more rows below
_MAX_COMPACT_ROWS = 3
_COMPACT_TOP_HEIGHT = 50
_COMPACT_ROW_HEIGHT = 96
_MIN_COMPACT_ROW_HEIGHT = 72
# small boards
_CELL_SIZE = 6
_BOARD_ROWS = 10
_NEXT_PIECE_ALPHA = 0.6
_CACHE_SIZE = 64
# from the left edge of the content
_RANK_OFFSET = 14
_BOARD_OFFSET = 32
_SCORE_FONT_SIZE = 20
_FONT_SIZE = 16
_SMALL_FONT_SIZE = 14
_HEADING_FONT_SIZE = 13
_MIN_COLUMN_WIDTH = 76
_COLUMN_GAP = 20
_MAX_BAR_LENGTH = 120
_MIN_BAR_LENGTH = 12
_BAR_HEIGHT = 4
_MIN_LABEL_WIDTH = 48
_COMPACT_FEATURES = 3
_COMPACT_LINE_HEIGHT = 24
_SCORE_GAPS = (12, 24)  # left and right of the scores
_NARROW_SCORE_GAPS = (4, 12)  # where the names of the features need the space


class PlacementRow(NamedTuple):
    """A row of the panel: the rank of a placement (from 0), the candidate, and its box."""

    rank: int
    candidate: Candidate
    box: Box

    @property
    def is_chosen(self) -> bool:
        """Whether this is the best placement."""
        return self.rank == 0


def draw_thinking_panel(
    pen: Pen,
    box: Box,
    explanation: Explanation | None,
    stack: Stack,
    *,
    time_text: str = "",
    is_waiting: bool = False,
) -> None:
    """Draw the panel into a box.

    `explanation` is the agent's evaluation of the current piece on `stack`, or None if the agent gives none. The layout
    and the number of placements and features depend on the size of the box. `time_text` is the computation time. With
    `is_waiting`, the first decision has not been made yet.
    """
    pen.draw_panel(box)
    if is_waiting:
        draw_title(pen, inset(box, PANEL_PADDING, 0), "", time_text)
        return
    with clip_to(pen.surface, pen.to_pixel_rect(box)):
        draw_panel_content(pen, box, explanation, stack, time_text)


def draw_panel_content(pen: Pen, box: Box, explanation: Explanation | None, stack: Stack, time_text: str) -> None:
    """Draw the content of the panel."""
    inside = Box(box.left + PANEL_PADDING, box.top, box.width - 2 * PANEL_PADDING, box.height)
    if explanation is None or not explanation.candidates:
        draw_title(pen, inside, "", time_text)
        message = NO_EXPLANATION_MESSAGE if explanation is None else NO_PLACEMENT_MESSAGE
        pen.draw_paragraph(message, (inside.left, box.top + _TITLE_OFFSET + 36), inside.width, _FONT_SIZE, DIM_TEXT)
        return
    is_wide = box.width >= _MIN_WIDE_WIDTH and box.height >= _MIN_WIDE_HEIGHT
    top = _WIDE_TOP_HEIGHT if is_wide else _COMPACT_TOP_HEIGHT
    max_rows, min_height = (_MAX_ROWS, _MIN_ROW_HEIGHT) if is_wide else (_MAX_COMPACT_ROWS, _MIN_COMPACT_ROW_HEIGHT)
    available = max(min_height, box.height - top - 4)
    shown = explanation.candidates[: max(1, min(max_rows, available // min_height))]
    if not is_wide:
        available = min(available, _COMPACT_ROW_HEIGHT * max_rows)
    row_height = available // max(len(shown), min(max_rows, available // min_height), 1)
    draw_title(pen, inside, describe_selection(explanation, len(shown), short=not is_wide), time_text)
    rows = [
        PlacementRow(rank, candidate, Box(inside.left, box.top + top + rank * row_height, inside.width, row_height))
        for rank, candidate in enumerate(shown)
    ]
    for row in rows:
        draw_row_background(pen, row)
        draw_small_board(pen, row, stack)
    if is_wide:
        draw_feature_columns(pen, rows)
    else:
        draw_feature_bars(pen, rows)


def draw_title(pen: Pen, inside: Box, selection: str, time_text: str) -> None:
    """Draw the title line; parts that do not fit are left out, the time first."""
    height = inside.top + _TITLE_OFFSET
    left = inside.left + pen.measure_text("Thinking", 18, True) + _TITLE_GAP
    pen.draw_text("Thinking", (inside.left, height), 18, True, STRONG_TEXT)
    selection_width = pen.measure_text(selection, _FONT_SIZE) + _TITLE_GAP
    time_width = pen.measure_text(time_text, _SMALL_FONT_SIZE)
    if left + selection_width <= inside.right + _TITLE_GAP:
        pen.draw_text(selection, (left, height), _FONT_SIZE, False, DIM_TEXT)
    if left + selection_width + time_width <= inside.right:
        pen.draw_text(time_text, (inside.right, height), _SMALL_FONT_SIZE, False, FAINT_TEXT, align=1)


def draw_row_background(pen: Pen, row: PlacementRow) -> None:
    """Draw the background of a row: a frame for the best placement, a separator for others, and the rank."""
    if row.is_chosen:
        frame = row.box.inflate(PANEL_PADDING, -4)
        pen.fill_rounded(frame, 8, mix_colours(PANEL, ACCENT, 0.09), mix_colours(PANEL, ACCENT, 0.35))
    elif row.rank > 1:
        pen.draw_separator(row.box.left, row.box.top, row.box.width, SEPARATOR)
    position = row.box.left + _RANK_OFFSET, row.box.centery
    pen.draw_text(str(row.rank + 1), position, _FONT_SIZE, True, ACCENT if row.is_chosen else DIM_TEXT, align=0.5)


def draw_small_board(pen: Pen, row: PlacementRow, stack: Stack) -> None:
    """Draw a small board with the placement in colour and the outline of the expected next placement."""
    candidate = row.candidate
    low = find_lowest_row(stack, candidate, _BOARD_ROWS)
    next_cells = tuple((x, y - low) for x, y in find_next_cells(stack, candidate) if y >= low)
    picture = render_small_board(
        pen.to_pixels(_CELL_SIZE),
        make_grey_stack(stack, low, _BOARD_ROWS),
        replace(candidate.placement, row=candidate.placement.row - low),
        next_cells=next_cells,
        next_piece=candidate.variation[1].piece if next_cells else "",
        style=pen.style,
    )
    left, middle = pen.to_pixel_point((row.box.left + _BOARD_OFFSET, row.box.centery))
    blit_picture(pen.surface, picture, (left, middle - picture.height // 2))


@lru_cache(_CACHE_SIZE)
def render_small_board(
    cell_size: int,
    stack: Stack,
    placement: Placement,
    *,
    next_cells: tuple[Cell, ...],
    next_piece: str,
    style: BoardStyle,
) -> pygame.Surface:
    """Render a small board with a piece and the outline of the next one. The result is cached: do not draw on it."""
    surface = pygame.Surface(compute_board_size(cell_size, stack.height), pygame.SRCALPHA, 32)

    def draw_next() -> None:
        if next_cells:
            colour = get_outline_colour(get_piece_colours(style.palette)[next_piece])
            contour = Contour(colour, _NEXT_PIECE_ALPHA)
            draw_contour(surface, (0, 0), cell_size, stack.height, next_cells, contour=contour)

    draw_board(surface, (0, 0), cell_size, stack, active=placement, style=style, draw_above=draw_next)
    return surface


def measure_small_board(pen: Pen) -> int:
    """Return the width of a small board in units."""
    return round(compute_board_size(pen.to_pixels(_CELL_SIZE), _BOARD_ROWS)[0] / pen.scale)


def draw_scores(pen: Pen, rows: Sequence[PlacementRow], right: float, decimals: int) -> None:
    """Draw the scores, right-aligned at `right`, and below each score its difference from the best."""
    candidates = [row.candidate for row in rows]
    for row in rows:
        score = format_rounded(row.candidate.score, decimals)
        colour = ACCENT if row.is_chosen else STRONG_TEXT
        pen.draw_text(score, (right, row.box.centery - 8), _SCORE_FONT_SIZE, True, colour, align=1)
        description = describe_score(candidates, row.rank, decimals)
        colour = NEGATIVE if not row.candidate.survives else ACCENT if row.is_chosen else DIM_TEXT
        pen.draw_text(description, (right, row.box.centery + 14), _SMALL_FONT_SIZE, False, colour, align=1)


def measure_scores(pen: Pen, rows: Sequence[PlacementRow], decimals: int) -> int:
    """Return the width of the scores in units, rounded up so that columns do not move with every digit."""
    candidates = [row.candidate for row in rows]
    widths = [pen.measure_text(format_rounded(c.score, decimals), _SCORE_FONT_SIZE, True) for c in candidates]
    widths += [pen.measure_text(describe_score(candidates, row.rank, decimals), _SMALL_FONT_SIZE) for row in rows]
    return 16 * -(-max(48, *(width + 4 for width in widths)) // 16)


def draw_feature_columns(pen: Pen, rows: Sequence[PlacementRow]) -> None:
    """Draw one column per feature: its contribution to each score as a number and as a bar."""
    candidates = [row.candidate for row in rows]
    area = rows[0].box
    top = area.top - _WIDE_TOP_HEIGHT
    decimals = choose_panel_decimals(candidates)
    score_right = area.left + _BOARD_OFFSET + measure_small_board(pen) + measure_scores(pen, rows, decimals)
    pen.draw_separator(area.left, area.top - 2, area.width, BOARD_OUTLINE)
    pen.draw_text("Placement", (area.left, top + _HEADING_OFFSET), _HEADING_FONT_SIZE, False, DIM_TEXT)
    pen.draw_text("Score", (score_right, top + _HEADING_OFFSET), _HEADING_FONT_SIZE, False, DIM_TEXT, align=1)
    draw_scores(pen, rows, score_right, decimals)
    available = area.right - score_right - 8
    features = select_features(candidates, max(1, available // _MIN_COLUMN_WIDTH), add_rest=True)
    column_width = available / max(1, len(features))
    bar_length = round(min(column_width - _COLUMN_GAP, _MAX_BAR_LENGTH))
    for number, feature in enumerate(features):
        right = area.right - (len(features) - 1 - number) * column_width
        draw_column_heading(pen, feature.name, (right, top + _HEADING_OFFSET), column_width - 8)
        for row in rows:
            draw_contribution(pen, feature.contributions[row.rank], (right, row.box.centery - 8), decimals)
            box = Box(round(right) - bar_length, row.box.centery + 11, bar_length, _BAR_HEIGHT)
            draw_contribution_bar(pen, box, feature.contributions[row.rank] / feature.bar_scale)


def draw_column_heading(pen: Pen, name: str, position: tuple[float, float], width: float) -> None:
    """Draw the heading of a column, in two lines if it does not fit into one."""
    lines = pen.wrap_text(name.capitalize(), width, _HEADING_FONT_SIZE)
    if len(lines) > 2:
        lines = [lines[0], pen.truncate_text(" ".join(lines[1:]), width, _HEADING_FONT_SIZE)]
    for number, line in enumerate(reversed(lines)):
        shift = _HEADING_LINE_HEIGHT * number - (3 if len(lines) > 1 else 0)
        pen.draw_text(line, (position[0], position[1] - shift), _HEADING_FONT_SIZE, False, DIM_TEXT, align=1)


def draw_contribution(pen: Pen, contribution: float, position: tuple[float, float], decimals: int) -> None:
    """Draw a contribution as a number; zero is faint."""
    text = format_rounded(contribution, decimals)
    is_zero = text == "0"
    pen.draw_text(text, position, _FONT_SIZE, not is_zero, FAINT_TEXT if is_zero else STRONG_TEXT, align=1)


def draw_contribution_bar(pen: Pen, box: Box, share: float) -> None:
    """Draw a bar that grows leftwards; `share` (−1 to 1) is the filled part, negative in the negative colour."""
    pen.fill_rounded(box, _BAR_HEIGHT / 2, RAISED_PANEL)
    length = round(box.width * min(1.0, abs(share)))
    if length:
        length = max(length, _BAR_HEIGHT)
        filled = Box(box.right - length, box.top, length, box.height)
        pen.fill_rounded(filled, _BAR_HEIGHT / 2, ACCENT if share > 0 else NEGATIVE)


def draw_feature_bars(pen: Pen, rows: Sequence[PlacementRow]) -> None:
    """Draw the most important features next to each placement, one below another."""
    candidates = [row.candidate for row in rows]
    area = rows[0].box
    decimals = choose_panel_decimals(candidates)
    features = select_features(candidates, _COMPACT_FEATURES)
    right = area.right - 4
    numbers = [format_rounded(number, decimals) for feature in features for number in feature.contributions]
    number_width = max(pen.measure_text(number, _FONT_SIZE, True) for number in numbers)
    names = [feature.name.capitalize() for feature in features]
    name_width = max(76, *(pen.measure_text(name, _SMALL_FONT_SIZE) + 16 for name in names))
    score_left = area.left + _BOARD_OFFSET + measure_small_board(pen)
    score_width = measure_scores(pen, rows, decimals)
    has_space = score_left + score_width + sum(_SCORE_GAPS) + name_width + number_width <= right
    gaps = _SCORE_GAPS if has_space else _NARROW_SCORE_GAPS
    score_right = score_left + gaps[0] + score_width
    draw_scores(pen, rows, score_right, decimals)
    left = score_right + gaps[1]
    name_width = min(name_width, right - left - number_width)
    if name_width <= _MIN_LABEL_WIDTH:
        return
    bar_length = round(min(_MAX_BAR_LENGTH, right - left - name_width - number_width - 12))
    bar = Box(round(left + name_width), 0, bar_length, _BAR_HEIGHT)
    line_height = min(_COMPACT_LINE_HEIGHT, (area.height - 8) // _COMPACT_FEATURES)
    for row in rows:
        for number, (name, feature) in enumerate(zip(names, features, strict=True)):
            height = row.box.centery + round(line_height * (number - (len(features) - 1) / 2))
            contribution = feature.contributions[row.rank]
            label = pen.truncate_text(name, name_width - 8, _SMALL_FONT_SIZE)
            pen.draw_text(label, (left, height), _SMALL_FONT_SIZE, False, DIM_TEXT)
            draw_contribution(pen, contribution, (right, height), decimals)
            if bar.width > _MIN_BAR_LENGTH:
                bar_box = bar.move(0, height - _BAR_HEIGHT // 2)
                draw_contribution_bar(pen, bar_box, contribution / feature.bar_scale)
