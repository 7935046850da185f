"""The thinking panel: the best placements, and what each feature adds to their scores."""

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
    get_piece_colours,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.shapes import blit_picture
from tetrion.drawing.stack import Stack
from tetrion.drawing.thinking_text import (
    NO_EXPLANATION_MESSAGE,
    NO_PLACEMENT_MESSAGE,
    choose_decimals,
    describe_score,
    describe_selection,
    find_lowest_row,
    find_next_cells,
    format_rounded,
    make_grey_stack,
    select_features,
)

_MIN_WIDE_WIDTH = 520  # units, from which on features are columns
_TITLE_OFFSET, _TITLE_GAP = 26, 12
# heights of the columns' names, between two lines of them, and of all of that
_HEADING_OFFSET = 62
_HEADING_LINE_HEIGHT = 14
_WIDE_TOP_HEIGHT = 80
_MAX_ROWS, _MIN_ROW_HEIGHT = 5, 66  # placements, and how high each of them is at least
_MAX_COMPACT_ROWS = 3
_COMPACT_TOP_HEIGHT = 50
_COMPACT_ROW_HEIGHT = 96
_MIN_COMPACT_ROW_HEIGHT = 78
_CELL_SIZE, _BOARD_ROWS = 6, 10  # of the tiny boards
_NEXT_PIECE_ALPHA = 0.6  # how strong the next piece's outline is
_CACHE_SIZE = 64  # tiny boards
_RANK_OFFSET, _BOARD_OFFSET = 14, 32  # where they are, from the left of what is inside
_SCORE_FONT_SIZE = 20
_FONT_SIZE = 16
_SMALL_FONT_SIZE = 14
_HEADING_FONT_SIZE = 13
_MIN_COLUMN_WIDTH, _COLUMN_GAP = 76, 20  # how wide a column is at least, and what its bar leaves free
_MAX_BAR_LENGTH = 120
_MIN_BAR_LENGTH = 12
_BAR_HEIGHT = 4
_MIN_LABEL_WIDTH = 48
_COMPACT_FEATURES, _COMPACT_LINE_HEIGHT = 3, 24


class PlacementRow(NamedTuple):
    """A placement of the panel: its rank, the candidate, and the units that it covers."""

    rank: int
    candidate: Candidate
    box: Box

    @property
    def is_chosen(self) -> bool:
        """Whether it is the best one."""
        return self.rank == 0


def draw_thinking_panel(
    pen: Pen, box: Box, explanation: Explanation | None, stack: Stack, *, time_text: str = ""
) -> None:
    """Draw the panel into a box: what an agent thinks of the current piece on a stack; None if it does not tell.

    Whether features are columns, and how many placements and features there are, depends on the room. `time` is how
    long it took, in words.
    """
    pen.draw_panel(box)
    with clip_to(pen.surface, pen.to_pixel_rect(box)):
        draw_panel_content(pen, box, explanation, stack, time_text)


def draw_panel_content(pen: Pen, box: Box, explanation: Explanation | None, stack: Stack, time_text: str) -> None:
    """What stands in the panel."""
    inside = Box(box.left + PANEL_PADDING, box.top, box.width - 2 * PANEL_PADDING, box.height)
    if explanation is None or not explanation.candidates:
        draw_title(pen, inside, "", time_text)
        words = NO_EXPLANATION_MESSAGE if explanation is None else NO_PLACEMENT_MESSAGE
        pen.draw_paragraph(words, (inside.left, box.top + _TITLE_OFFSET + 36), inside.width, _FONT_SIZE, DIM_TEXT)
        return
    wide = box.width >= _MIN_WIDE_WIDTH
    top = _WIDE_TOP_HEIGHT if wide else _COMPACT_TOP_HEIGHT
    most, least = (_MAX_ROWS, _MIN_ROW_HEIGHT) if wide else (_MAX_COMPACT_ROWS, _MIN_COMPACT_ROW_HEIGHT)
    room = max(least, box.height - top - 4)
    shown = explanation.candidates[: max(1, min(most, room // least))]
    if not wide:
        room = min(room, _COMPACT_ROW_HEIGHT * most)
    high = room // max(len(shown), most if room // least >= most else room // least, 1)
    draw_title(pen, inside, describe_selection(explanation, len(shown), short=not wide), time_text)
    rows = [
        PlacementRow(rank, candidate, Box(inside.left, box.top + top + rank * high, inside.width, high))
        for rank, candidate in enumerate(shown)
    ]
    for row in rows:
        draw_row_background(pen, row)
        draw_small_board(pen, row, stack)
    if wide:
        draw_feature_columns(pen, rows)
    else:
        draw_feature_bars(pen, rows)


def draw_title(pen: Pen, inside: Box, words: str, time_text: str) -> None:
    """The headline; what there is no room for is left out, the time first."""
    height, left = inside.top + _TITLE_OFFSET, inside.left + pen.measure_text("Thinking", 18, True) + _TITLE_GAP
    pen.draw_text("Thinking", (inside.left, height), 18, True, STRONG_TEXT)
    used, aside = pen.measure_text(words, _FONT_SIZE) + _TITLE_GAP, pen.measure_text(time_text, _SMALL_FONT_SIZE)
    if left + used <= inside.right + _TITLE_GAP:
        pen.draw_text(words, (left, height), _FONT_SIZE, False, DIM_TEXT)
    if left + used + aside <= inside.right:
        pen.draw_text(time_text, (inside.right, height), _SMALL_FONT_SIZE, False, FAINT_TEXT, align=1)


def draw_row_background(pen: Pen, row: PlacementRow) -> None:
    """What lies below a placement: a frame around the choice, a line between others; and its number."""
    if row.is_chosen:
        frame = row.box.inflate(PANEL_PADDING, -4)
        pen.fill_rounded(frame, 8, mix_colours(PANEL, ACCENT, 0.09), mix_colours(PANEL, ACCENT, 0.35))
    elif row.rank > 1:
        pen.draw_separator(row.box.left, row.box.top, row.box.width, SEPARATOR)
    place = row.box.left + _RANK_OFFSET, row.box.centery
    pen.draw_text(str(row.rank + 1), place, _FONT_SIZE, True, ACCENT if row.is_chosen else DIM_TEXT, align=0.5)


def draw_small_board(pen: Pen, row: PlacementRow, stack: Stack) -> None:
    """A tiny board with the placement in colour, and an outline where the next piece would go that it counts on."""
    candidate, cell = row.candidate, pen.to_pixels(_CELL_SIZE)
    low = find_lowest_row(stack, candidate, _BOARD_ROWS)
    placed = replace(candidate.placement, row=candidate.placement.row - low)
    coming = tuple((x, y - low) for x, y in find_next_cells(stack, candidate) if y >= low)
    letter = candidate.variation[1].piece if coming else ""
    picture = render_small_board(cell, make_grey_stack(stack, low, _BOARD_ROWS), placed, coming, letter, pen.style)
    left, middle = pen.to_pixel_point((row.box.left + _BOARD_OFFSET, row.box.centery))
    blit_picture(pen.surface, picture, (left, middle - picture.height // 2))


@lru_cache(_CACHE_SIZE)
def render_small_board(
    cell_size: int, stack: Stack, placement: Placement, next_cells: tuple[Cell, ...], next_piece: str, style: BoardStyle
) -> pygame.Surface:
    """A tiny board with a piece, and the outline of the next one. Do not draw on it: it is shared."""
    surface = pygame.Surface(compute_board_size(cell_size, stack.height), pygame.SRCALPHA, 32)

    def draw_next() -> None:
        if next_cells:
            contour = Contour(get_piece_colours(style.palette)[next_piece], _NEXT_PIECE_ALPHA)
            draw_contour(surface, (0, 0), cell_size, stack.height, next_cells, contour)

    draw_board(surface, (0, 0), cell_size, stack, active=placement, style=style, draw_above=draw_next)
    return surface


def measure_small_board(pen: Pen) -> int:
    """How many units a tiny board is wide."""
    return round(compute_board_size(pen.to_pixels(_CELL_SIZE), _BOARD_ROWS)[0] / pen.scale)


def draw_scores(pen: Pen, rows: Sequence[PlacementRow], right: float, digits: int) -> None:
    """The scores, each with its distance to the best below."""
    candidates = [row.candidate for row in rows]
    for row in rows:
        words = describe_score(candidates, row.rank, digits)
        ink = ACCENT if row.is_chosen else STRONG_TEXT
        pen.draw_text(
            format_rounded(row.candidate.score, digits), (right, row.box.centery - 8), _SCORE_FONT_SIZE, True, ink, 1
        )
        below = NEGATIVE if not row.candidate.survives else ACCENT if row.is_chosen else DIM_TEXT
        pen.draw_text(words, (right, row.box.centery + 14), _SMALL_FONT_SIZE, False, below, align=1)


def measure_scores(pen: Pen, rows: Sequence[PlacementRow], digits: int) -> int:
    """How much room the scores need, in steps, so that columns do not move with every digit."""
    candidates = [row.candidate for row in rows]
    scores = [pen.measure_text(format_rounded(c.score, digits), _SCORE_FONT_SIZE, True) for c in candidates]
    below = [pen.measure_text(describe_score(candidates, row.rank, digits), _SMALL_FONT_SIZE) for row in rows]
    return 16 * -(-max(48, *(wide + 4 for wide in scores + below)) // 16)


def draw_feature_columns(pen: Pen, rows: Sequence[PlacementRow]) -> None:
    """A column a feature: its share in each score as a number, and as a bar from the right."""
    candidates, area = [row.candidate for row in rows], rows[0].box
    digits, top = choose_decimals(candidates), area.top - _WIDE_TOP_HEIGHT
    score = area.left + _BOARD_OFFSET + measure_small_board(pen) + measure_scores(pen, rows, digits)
    pen.draw_separator(area.left, area.top - 2, area.width, BOARD_OUTLINE)
    pen.draw_text("Placement", (area.left, top + _HEADING_OFFSET), _HEADING_FONT_SIZE, False, DIM_TEXT)
    pen.draw_text("Score", (score, top + _HEADING_OFFSET), _HEADING_FONT_SIZE, False, DIM_TEXT, align=1)
    draw_scores(pen, rows, score, digits)
    room = area.right - score - 8
    terms = select_features(candidates, max(1, room // _MIN_COLUMN_WIDTH), add_rest=True)
    wide = room / max(1, len(terms))
    for place, term in enumerate(terms):
        right = area.right - (len(terms) - 1 - place) * wide
        long, whole = round(min(wide - _COLUMN_GAP, _MAX_BAR_LENGTH)), term.bar_scale
        draw_column_heading(pen, term.name, (right, top + _HEADING_OFFSET), wide - 8)
        for row in rows:
            draw_contribution(pen, term.contributions[row.rank], (right, row.box.centery - 8), digits)
            box = Box(round(right) - long, row.box.centery + 11, long, _BAR_HEIGHT)
            draw_contribution_bar(pen, box, term.contributions[row.rank] / whole)


def draw_column_heading(pen: Pen, name: str, place: tuple[float, float], wide: float) -> None:
    """A column's name, in two lines where one has no room for it."""
    lines = pen.wrap_text(name.capitalize(), wide, _HEADING_FONT_SIZE)
    if len(lines) > 2:
        lines = [lines[0], pen.truncate_text(" ".join(lines[1:]), wide, _HEADING_FONT_SIZE)]
    for number, line in enumerate(reversed(lines)):
        shift = _HEADING_LINE_HEIGHT * number - (3 if len(lines) > 1 else 0)
        pen.draw_text(line, (place[0], place[1] - shift), _HEADING_FONT_SIZE, False, DIM_TEXT, align=1)


def draw_contribution(pen: Pen, share: float, place: tuple[float, float], digits: int) -> None:
    """A share as a number; nothing is faint."""
    words = format_rounded(share, digits)
    pen.draw_text(words, place, _FONT_SIZE, words != "0", STRONG_TEXT if words != "0" else FAINT_TEXT, align=1)


def draw_contribution_bar(pen: Pen, box: Box, share: float) -> None:
    """A bar that grows leftwards: a gain in accent, a loss in the colour of loss."""
    pen.fill_rounded(box, _BAR_HEIGHT / 2, RAISED_PANEL)
    long = round(box.width * min(1.0, abs(share)))
    if long:
        long = max(long, _BAR_HEIGHT)
        pen.fill_rounded(
            Box(box.right - long, box.top, long, box.height), _BAR_HEIGHT / 2, ACCENT if share > 0 else NEGATIVE
        )


def draw_feature_bars(pen: Pen, rows: Sequence[PlacementRow]) -> None:
    """The features that matter most, one below another, beside each placement."""
    candidates, area = [row.candidate for row in rows], rows[0].box
    digits = choose_decimals(candidates)
    score = area.left + _BOARD_OFFSET + measure_small_board(pen) + 12 + measure_scores(pen, rows, digits)
    draw_scores(pen, rows, score, digits)
    terms = select_features(candidates, _COMPACT_FEATURES)
    left, right = score + 24, area.right - 4
    numbers = max(
        pen.measure_text(format_rounded(share, digits), _FONT_SIZE, True)
        for term in terms
        for share in term.contributions
    )
    label = min(
        max(76, *(pen.measure_text(term.name.capitalize(), _SMALL_FONT_SIZE) + 16 for term in terms)),
        right - left - numbers,
    )
    bar = Box(round(left + label), 0, round(min(_MAX_BAR_LENGTH, right - left - label - numbers - 12)), _BAR_HEIGHT)
    for row in rows if label > _MIN_LABEL_WIDTH else ():
        for place, term in enumerate(terms):
            height = row.box.centery + round(_COMPACT_LINE_HEIGHT * (place - (len(terms) - 1) / 2))
            share = term.contributions[row.rank]
            pen.draw_text(
                pen.truncate_text(term.name.capitalize(), label - 8, _SMALL_FONT_SIZE),
                (left, height),
                _SMALL_FONT_SIZE,
                False,
                DIM_TEXT,
            )
            draw_contribution(pen, share, (right, height), digits)
            if bar.width > _MIN_BAR_LENGTH:
                draw_contribution_bar(pen, bar.move(0, height - _BAR_HEIGHT // 2), share / term.bar_scale)
