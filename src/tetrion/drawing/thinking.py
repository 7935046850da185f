"""The thinking panel: the best placements, and what each feature adds to their scores."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import pygame

from tetrion.agents import Candidate, Explanation
from tetrion.board import Cell, Placement
from tetrion.drawing.boards import board_size, clipped, draw_board, draw_contour
from tetrion.drawing.contours import Contour
from tetrion.drawing.look import Look
from tetrion.drawing.palette import ACCENT, BAD, DIM, FAINT, OUTLINE, PANEL, RAISED, RULE, STRONG, mixed, pieces_of
from tetrion.drawing.pen import PADDING, Box, Pen
from tetrion.drawing.shapes import put
from tetrion.drawing.stack import Stack
from tetrion.drawing.thoughts import (
    NO_PLACE,
    NO_REASONS,
    cells_of_next,
    digits_for,
    grey,
    headline,
    lowest_shown,
    number_words,
    standing_words,
    terms_of,
)

WIDE_FROM = 520  # units, from which on features are columns
TITLE, TITLE_GAP = 26, 12
HEADS, LEADING, WIDE_TOP = 62, 14, 80  # heights of the columns' names, between two lines of them, and of all of that
MOST, LEAST_ROW = 5, 66  # placements, and how high each of them is at least
COMPACT_MOST, COMPACT_TOP, COMPACT_ROW, LEAST_COMPACT_ROW = 3, 50, 96, 78
CELL, ROWS = 6, 10  # of the tiny boards
NEXT = 0.6  # how strong the next piece's outline is
KEPT = 64  # tiny boards
NUMBER, BOARD = 14, 32  # where they are, from the left of what is inside
SCORE_TYPE, TYPE, SMALL, HEAD = 20, 16, 14, 13
COLUMN, BESIDE = 76, 20  # how wide a column is at least, and what its bar leaves free
LONGEST_BAR, SHORTEST_BAR, BAR, SHORTEST_LABEL = 120, 12, 4, 48
COMPACT_BARS, COMPACT_LINE = 3, 24


class Row(NamedTuple):
    """A placement of the panel: its rank, the candidate, and the units that it covers."""

    rank: int
    candidate: Candidate
    box: Box

    @property
    def chosen(self) -> bool:
        """Whether it is the best one."""
        return self.rank == 0


def draw_thinking(pen: Pen, box: Box, explanation: Explanation | None, stack: Stack, *, time: str = "") -> None:
    """Draw the panel into a box: what an agent thinks of the current piece on a stack; None if it does not tell.

    Whether features are columns, and how many placements and features there are, depends on the room. `time` is how
    long it took, in words.
    """
    pen.panel(box)
    with clipped(pen.surface, pen.rect(box)):
        draw_inside(pen, box, explanation, stack, time)


def draw_inside(pen: Pen, box: Box, explanation: Explanation | None, stack: Stack, time: str) -> None:
    """What stands in the panel."""
    inside = Box(box.left + PADDING, box.top, box.width - 2 * PADDING, box.height)
    if explanation is None or not explanation.candidates:
        draw_title(pen, inside, "", time)
        words = NO_REASONS if explanation is None else NO_PLACE
        pen.paragraph(words, (inside.left, box.top + TITLE + 36), inside.width, TYPE, DIM)
        return
    wide = box.width >= WIDE_FROM
    top = WIDE_TOP if wide else COMPACT_TOP
    most, least = (MOST, LEAST_ROW) if wide else (COMPACT_MOST, LEAST_COMPACT_ROW)
    room = max(least, box.height - top - 4)
    shown = explanation.candidates[: max(1, min(most, room // least))]
    if not wide:
        room = min(room, COMPACT_ROW * most)
    high = room // max(len(shown), most if room // least >= most else room // least, 1)
    draw_title(pen, inside, headline(explanation, len(shown), short=not wide), time)
    rows = [
        Row(rank, candidate, Box(inside.left, box.top + top + rank * high, inside.width, high))
        for rank, candidate in enumerate(shown)
    ]
    for row in rows:
        draw_ground(pen, row)
        draw_tiny(pen, row, stack)
    if wide:
        draw_columns(pen, rows)
    else:
        draw_bars(pen, rows)


def draw_title(pen: Pen, inside: Box, words: str, time: str) -> None:
    """The headline; what there is no room for is left out, the time first."""
    height, left = inside.top + TITLE, inside.left + pen.width_of("Thinking", 18, True) + TITLE_GAP
    pen.text("Thinking", (inside.left, height), 18, True, STRONG)
    used, aside = pen.width_of(words, TYPE) + TITLE_GAP, pen.width_of(time, SMALL)
    if left + used <= inside.right + TITLE_GAP:
        pen.text(words, (left, height), TYPE, False, DIM)
    if left + used + aside <= inside.right:
        pen.text(time, (inside.right, height), SMALL, False, FAINT, align=1)


def draw_ground(pen: Pen, row: Row) -> None:
    """What lies below a placement: a frame around the choice, a line between others; and its number."""
    if row.chosen:
        frame = row.box.inflate(PADDING, -4)
        pen.rounded(frame, 8, mixed(PANEL, ACCENT, 0.09), mixed(PANEL, ACCENT, 0.35))
    elif row.rank > 1:
        pen.rule(row.box.left, row.box.top, row.box.width, RULE)
    place = row.box.left + NUMBER, row.box.centery
    pen.text(str(row.rank + 1), place, TYPE, True, ACCENT if row.chosen else DIM, align=0.5)


def draw_tiny(pen: Pen, row: Row, stack: Stack) -> None:
    """A tiny board with the placement in colour, and an outline where the next piece would go that it counts on."""
    candidate, cell = row.candidate, pen.pixels(CELL)
    low = lowest_shown(stack, candidate, ROWS)
    placed = replace(candidate.placement, row=candidate.placement.row - low)
    coming = tuple((x, y - low) for x, y in cells_of_next(stack, candidate) if y >= low)
    letter = candidate.line[1].piece if coming else ""
    picture = tiny_picture(cell, grey(stack, low, ROWS), placed, coming, letter, pen.look)
    left, middle = pen.point((row.box.left + BOARD, row.box.centery))
    put(pen.surface, picture, (left, middle - picture.height // 2))


@lru_cache(KEPT)
def tiny_picture(
    cell: int, stack: Stack, placed: Placement, coming: tuple[Cell, ...], letter: str, look: Look
) -> pygame.Surface:
    """A tiny board with a piece, and the outline of the next one. Do not draw on it: it is shared."""
    surface = pygame.Surface(board_size(cell, stack.height), pygame.SRCALPHA, 32)

    def draw_next() -> None:
        if coming:
            contour = Contour(pieces_of(look.palette)[letter], NEXT)
            draw_contour(surface, (0, 0), cell, stack.height, coming, contour)

    draw_board(surface, (0, 0), cell, stack, active=placed, look=look, over=draw_next)
    return surface


def tiny_width(pen: Pen) -> int:
    """How many units a tiny board is wide."""
    return round(board_size(pen.pixels(CELL), ROWS)[0] / pen.scale)


def draw_score(pen: Pen, rows: Sequence[Row], right: float, digits: int) -> None:
    """The scores, each with its distance to the best below."""
    candidates = [row.candidate for row in rows]
    for row in rows:
        words = standing_words(candidates, row.rank, digits)
        ink = ACCENT if row.chosen else STRONG
        pen.text(number_words(row.candidate.score, digits), (right, row.box.centery - 8), SCORE_TYPE, True, ink, 1)
        below = BAD if not row.candidate.survives else ACCENT if row.chosen else DIM
        pen.text(words, (right, row.box.centery + 14), SMALL, False, below, align=1)


def score_width(pen: Pen, rows: Sequence[Row], digits: int) -> int:
    """How much room the scores need, in steps, so that columns do not move with every digit."""
    candidates = [row.candidate for row in rows]
    scores = [pen.width_of(number_words(c.score, digits), SCORE_TYPE, True) for c in candidates]
    below = [pen.width_of(standing_words(candidates, row.rank, digits), SMALL) for row in rows]
    return 16 * -(-max(48, *(wide + 4 for wide in scores + below)) // 16)


def draw_columns(pen: Pen, rows: Sequence[Row]) -> None:
    """A column a feature: its share in each score as a number, and as a bar from the right."""
    candidates, area = [row.candidate for row in rows], rows[0].box
    digits, top = digits_for(candidates), area.top - WIDE_TOP
    score = area.left + BOARD + tiny_width(pen) + score_width(pen, rows, digits)
    pen.rule(area.left, area.top - 2, area.width, OUTLINE)
    pen.text("Placement", (area.left, top + HEADS), HEAD, False, DIM)
    pen.text("Score", (score, top + HEADS), HEAD, False, DIM, align=1)
    draw_score(pen, rows, score, digits)
    room = area.right - score - 8
    terms = terms_of(candidates, max(1, room // COLUMN), rest=True)
    wide = room / max(1, len(terms))
    for place, term in enumerate(terms):
        right = area.right - (len(terms) - 1 - place) * wide
        long, whole = round(min(wide - BESIDE, LONGEST_BAR)), term.scale
        draw_head(pen, term.name, (right, top + HEADS), wide - 8)
        for row in rows:
            draw_share(pen, term.shares[row.rank], (right, row.box.centery - 8), digits)
            box = Box(round(right) - long, row.box.centery + 11, long, BAR)
            draw_bar(pen, box, term.shares[row.rank] / whole)


def draw_head(pen: Pen, name: str, place: tuple[float, float], wide: float) -> None:
    """A column's name, in two lines where one has no room for it."""
    lines = pen.wrapped(name.capitalize(), wide, HEAD)
    if len(lines) > 2:
        lines = [lines[0], pen.cut(" ".join(lines[1:]), wide, HEAD)]
    for number, line in enumerate(reversed(lines)):
        shift = LEADING * number - (3 if len(lines) > 1 else 0)
        pen.text(line, (place[0], place[1] - shift), HEAD, False, DIM, align=1)


def draw_share(pen: Pen, share: float, place: tuple[float, float], digits: int) -> None:
    """A share as a number; nothing is faint."""
    words = number_words(share, digits)
    pen.text(words, place, TYPE, words != "0", STRONG if words != "0" else FAINT, align=1)


def draw_bar(pen: Pen, box: Box, share: float) -> None:
    """A bar that grows leftwards: a gain in accent, a loss in the colour of loss."""
    pen.rounded(box, BAR / 2, RAISED)
    long = round(box.width * min(1.0, abs(share)))
    if long:
        long = max(long, BAR)
        pen.rounded(Box(box.right - long, box.top, long, box.height), BAR / 2, ACCENT if share > 0 else BAD)


def draw_bars(pen: Pen, rows: Sequence[Row]) -> None:
    """The features that matter most, one below another, beside each placement."""
    candidates, area = [row.candidate for row in rows], rows[0].box
    digits = digits_for(candidates)
    score = area.left + BOARD + tiny_width(pen) + 12 + score_width(pen, rows, digits)
    draw_score(pen, rows, score, digits)
    terms = terms_of(candidates, COMPACT_BARS)
    left, right = score + 24, area.right - 4
    numbers = max(pen.width_of(number_words(share, digits), TYPE, True) for term in terms for share in term.shares)
    label = min(max(76, *(pen.width_of(term.name.capitalize(), SMALL) + 16 for term in terms)), right - left - numbers)
    bar = Box(round(left + label), 0, round(min(LONGEST_BAR, right - left - label - numbers - 12)), BAR)
    for row in rows if label > SHORTEST_LABEL else ():
        for place, term in enumerate(terms):
            height = row.box.centery + round(COMPACT_LINE * (place - (len(terms) - 1) / 2))
            share = term.shares[row.rank]
            pen.text(pen.cut(term.name.capitalize(), label - 8, SMALL), (left, height), SMALL, False, DIM)
            draw_share(pen, share, (right, height), digits)
            if bar.width > SHORTEST_BAR:
                draw_bar(pen, bar.move(0, height - BAR // 2), share / term.scale)
