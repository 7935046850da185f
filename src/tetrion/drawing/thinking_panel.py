"""The reasons of an agent: the best placements on the board, and a panel with the contribution of each feature."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

import pygame

from tetrion.agents import Candidate, Explanation
from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Cell, Placement
from tetrion.drawing.board_drawing import (
    PixelPoint,
    clip_to,
    compute_board_size,
    draw_board,
    draw_contour,
    get_cell_position,
)
from tetrion.drawing.cells import MIN_ROUNDED_CELL_SIZE, Contour
from tetrion.drawing.layout import Box, flexible, inset, place, split_column
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    ON_ACCENT,
    PANEL,
    RAISED_PANEL,
    STRONG_TEXT,
    BoardStyle,
    get_outline_colour,
    get_piece_colours,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_PADDING, Pen
from tetrion.drawing.shapes import blit_picture, render_overlay, render_rounded_rect
from tetrion.drawing.text_drawing import draw_text, measure_text
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.stack import Stack

MAX_SHADED_PLACEMENTS = 12
# opacity of a shade by rank: see compute_shade
_SHADE_RANGE = 0.34
_MIN_SHADE = 0.02
_SHADE_EXPONENT = 1.6
_MAX_NUMBERED_PLACEMENTS = 5
# shares of the cell size
_NUMBER_RADIUS = 9 / 32
_NUMBER_FONT_SIZE = 13 / 32
_SHADE_CORNER_RADIUS = 4 / 32
_LABEL_FONT_SIZE = 14 / 32
_DASH_LENGTH = 4 / 32  # equal to the gap between dashes
_MIN_NUMBER_CELL_SIZE = 18  # smaller cells have no numbers
_MIN_LABEL_CELL_SIZE = 20  # smaller cells have no labels
_CHOICE_CONTOUR = Contour(ACCENT)

_DANGER_ALPHA = 0.07
_OPEN_COLUMN_ALPHA = 0.035
_DANGER_COLUMNS = range(3, 7)
_DANGER_ROWS = 4
_CACHE_SIZE = 32


class KeepClearZones(NamedTuple):
    """The zones that an agent keeps clear: the middle columns from `danger_row` up, and a whole column."""

    danger_row: int | None = None
    open_column: int | None = None


def find_keep_clear_zones(contributions: Mapping[str, float], rows: int) -> KeepClearZones:
    """Return the zones that an agent keeps clear, by the features it uses; `rows` includes hidden rows."""
    return KeepClearZones(
        danger_row=rows - _DANGER_ROWS if "danger" in contributions else None,
        open_column=BOARD_WIDTH - 1 if "last_column_cells" in contributions else None,
    )


def compute_shade(rank: int) -> float:
    """Return the opacity of a placement's shade; the best placement has rank 0."""
    return _MIN_SHADE + _SHADE_RANGE * math.pow(1 - rank / (MAX_SHADED_PLACEMENTS + 1), _SHADE_EXPONENT)


@lru_cache(_CACHE_SIZE)
def rank_cells(stack: Stack, placements: tuple[Placement, ...]) -> dict[Cell, int]:
    """Return, for each empty visible cell that placements cover, the rank of the best of them. The result is cached."""
    ranks: dict[Cell, int] = {}
    for rank, placement in enumerate(placements):
        for column, row in placement.cells:
            if row < stack.height and stack.get_cell(column, row) == EMPTY_CELL:
                ranks.setdefault((column, row), rank)
    return ranks


def place_rank_numbers(stack: Stack, placements: Sequence[Placement]) -> dict[int, Cell]:
    """Return the cell of each rank number: the highest cell of the placement that no better placement covers."""
    ranks = rank_cells(stack, tuple(placements[:MAX_SHADED_PLACEMENTS]))
    number_cells: dict[int, Cell] = {}
    for rank, placement in enumerate(placements[:_MAX_NUMBERED_PLACEMENTS]):
        if free_cells := [cell for cell in placement.cells if ranks.get(cell) == rank]:
            number_cells[rank] = min(free_cells, key=lambda cell: (-cell[1], cell[0]))
    return number_cells


def draw_candidate_shades(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, placements: Sequence[Placement]
) -> None:
    """Shade the cells of placements, which are listed from best to worst, on the board at `top_left`."""
    if ranks := rank_cells(stack, tuple(placements[:MAX_SHADED_PLACEMENTS])):
        top = max(row for _, row in ranks)
        picture = render_shades(cell_size, tuple(ranks.items()), top)
        blit_picture(surface, picture, get_cell_position(top_left, cell_size, stack.height, 0, top))


@lru_cache(_CACHE_SIZE)
def render_shades(cell_size: int, shaded: tuple[tuple[Cell, int], ...], top: int) -> pygame.Surface:
    """Render shaded cells (with their ranks) up to the row `top`. The result is cached: do not draw on it."""
    surface = pygame.Surface((BOARD_WIDTH * cell_size, (top + 1) * cell_size), pygame.SRCALPHA, 32)
    is_round = cell_size >= MIN_ROUNDED_CELL_SIZE
    radius = max(1, round(cell_size * _SHADE_CORNER_RADIUS)) if is_round else 0
    side = cell_size - (2 if is_round else 1)
    for (column, row), rank in shaded:
        picture = render_rounded_rect((side, side), radius, ACCENT, alpha=round(compute_shade(rank), 3))
        blit_picture(surface, picture, (column * cell_size + is_round, (top - row) * cell_size + is_round))
    return surface


def draw_best_candidates(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, placements: Sequence[Placement]
) -> None:
    """Outline the first placement, and number the five best ones if the cells are large enough."""
    if not placements:
        return
    draw_contour(surface, top_left, cell_size, stack.height, placements[0].cells, contour=_CHOICE_CONTOUR)
    if cell_size < _MIN_NUMBER_CELL_SIZE:
        return
    radius = round(cell_size * _NUMBER_RADIUS)
    font_size = round(cell_size * _NUMBER_FONT_SIZE)
    for rank, (column, row) in place_rank_numbers(stack, placements).items():
        x, y = get_cell_position(top_left, cell_size, stack.height, column, row)
        centre = x + cell_size // 2, y + cell_size // 2
        background = mix_colours(BOARD_BACKGROUND, ACCENT, 0.18) if rank else ACCENT
        disc = render_rounded_rect((2 * radius, 2 * radius), radius, background)
        blit_picture(surface, disc, (centre[0] - radius, centre[1] - radius))
        colour = ACCENT if rank else ON_ACCENT
        draw_text(surface, str(rank + 1), centre, font_size, True, colour=colour, align=0.5)


def draw_keep_clear_zones(
    surface: pygame.Surface,
    top_left: PixelPoint,
    cell_size: int,
    height: int,
    zones: KeepClearZones,
    *,
    label: str = "",
) -> None:
    """Shade the zones that an agent keeps clear, on a board of `height` visible rows; `label` names the danger zone."""
    get_position = partial(get_cell_position, top_left, cell_size, height)
    if zones.open_column is not None:
        picture = render_overlay((cell_size, height * cell_size), 0, ACCENT, _OPEN_COLUMN_ALPHA)
        blit_picture(surface, picture, get_position(zones.open_column, height - 1))
    if zones.danger_row is None or zones.danger_row >= height:
        return
    size = len(_DANGER_COLUMNS) * cell_size, (height - zones.danger_row) * cell_size
    area = pygame.Rect(get_position(_DANGER_COLUMNS.start, height - 1), size)
    blit_picture(surface, render_overlay(area.size, 0, NEGATIVE, _DANGER_ALPHA), area.topleft)
    dash = max(2, round(cell_size * _DASH_LENGTH))
    colour = mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.7)
    for start in range(area.left, area.right, 2 * dash):
        surface.fill(colour, (start, area.bottom - 1, min(dash, area.right - start), 1))
    font_size = round(cell_size * _LABEL_FONT_SIZE)
    if label and cell_size >= _MIN_LABEL_CELL_SIZE and measure_text(label, font_size) <= area.width - cell_size // 2:
        draw_text(surface, label, (area.centerx, area.bottom - font_size), font_size, colour=colour, align=0.5)


# units; in a box of at least this size, features are columns, otherwise they are bars next to each placement
_MIN_WIDE_WIDTH = 520
_MIN_WIDE_HEIGHT = 228  # two rows; bars have space for more rows below
_TITLE_HEIGHT = 52
_TITLE_GAP = 12
_HEADING_HEIGHT = 28
_HEADING_LINE_HEIGHT = 14
_MAX_ROWS, _MAX_COMPACT_ROWS = 5, 3
_MIN_ROW_HEIGHT = 72  # a small board and the frame of the best placement
_COMPACT_ROW_HEIGHT = 96
_RANK_WIDTH = 32
# small boards
_CELL_SIZE = 6
_BOARD_ROWS = 10
_NEXT_PIECE_ALPHA = 0.6
_CACHE_SIZE = 64
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
_SCORE_GAP = 5  # left of the scores, and twice as much right of them

_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five")
_SCALE_STEPS = (1, 3, 10, 100)  # bar scales are one of these times a power of ten
_NO_PLACEMENT_MESSAGE = "The piece cannot be placed: the game is over."
_NO_EXPLANATION_MESSAGE = "This agent gives no explanations. Only agents with weights can be explained."


class FeatureContributions(NamedTuple):
    """A feature of the panel: its display name and its contribution to the score of each placement."""

    name: str
    contributions: tuple[float, ...]

    @property
    def bar_scale(self) -> float:
        """The contribution of a full bar: a round number, so that the scale rarely changes between moves."""
        largest = max(map(abs, self.contributions))
        order = 10.0 ** math.floor(math.log10(largest)) if largest else 1.0
        return next(step * order for step in _SCALE_STEPS if largest <= step * order * (1 + 1e-9))


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
    is_wide = box.width >= _MIN_WIDE_WIDTH and box.height >= _MIN_WIDE_HEIGHT
    heading_height = _HEADING_HEIGHT if is_wide else 0
    title, heading, area = split_column(inset(box, PANEL_PADDING, 0), [_TITLE_HEIGHT, heading_height, flexible()])
    with clip_to(pen.surface, pen.to_pixel_rect(box)):
        if is_waiting or explanation is None or not explanation.candidates:
            draw_title(pen, title, "", time_text)
            message = _NO_EXPLANATION_MESSAGE if explanation is None else _NO_PLACEMENT_MESSAGE
            if not is_waiting:
                pen.draw_paragraph(message, (area.left, box.top + 62), area.width, _FONT_SIZE, DIM_TEXT)
            return
        available = max(_MIN_ROW_HEIGHT, area.height - 4)
        row_count = min(_MAX_ROWS if is_wide else _MAX_COMPACT_ROWS, available // _MIN_ROW_HEIGHT)
        candidates = explanation.candidates[:row_count]
        row_height = available // row_count if is_wide else min(available // row_count, _COMPACT_ROW_HEIGHT)
        rows = [Box(area.left, area.top + rank * row_height, area.width, row_height) for rank in range(len(candidates))]
        draw_title(pen, title, describe_selection(explanation, len(candidates), short=not is_wide), time_text)
        draw_placements(pen, rows, candidates, stack)
        if is_wide:
            draw_feature_columns(pen, heading, rows, candidates)
        else:
            draw_feature_bars(pen, rows, candidates)


def draw_title(pen: Pen, box: Box, selection: str, time_text: str) -> None:
    """Draw the title line; parts that do not fit are left out, the time first."""
    left = box.left + pen.measure_text("Thinking", 18, True) + _TITLE_GAP
    pen.draw_text("Thinking", box.midleft, 18, True, STRONG_TEXT)
    right = left + pen.measure_text(selection, _FONT_SIZE)
    if right <= box.right:
        pen.draw_text(selection, (left, box.centery), _FONT_SIZE, False, DIM_TEXT)
    if right + _TITLE_GAP + pen.measure_text(time_text, _SMALL_FONT_SIZE) <= box.right:
        pen.draw_text(time_text, box.midright, _SMALL_FONT_SIZE, False, FAINT_TEXT, align=1)


def draw_placements(pen: Pen, rows: Sequence[Box], candidates: Sequence[Candidate], stack: Stack) -> None:
    """Draw rank and small board of each placement; the best one has a frame, the others separators."""
    for rank, (row, candidate) in enumerate(zip(rows, candidates, strict=True)):
        if not rank:
            frame = row.inflate(PANEL_PADDING, -4)
            pen.fill_rounded(frame, 8, mix_colours(PANEL, ACCENT, 0.09), mix_colours(PANEL, ACCENT, 0.35))
        elif rank > 1:
            pen.draw_separator(row.left, row.top, row.width)
        colour = DIM_TEXT if rank else ACCENT
        pen.draw_text(str(rank + 1), (row.left + 14, row.centery), _FONT_SIZE, True, colour, align=0.5)
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
        left, middle = pen.to_pixel_point((row.left + _RANK_WIDTH, row.centery))
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
            contour = Contour(get_outline_colour(get_piece_colours(style.palette)[next_piece]), _NEXT_PIECE_ALPHA)
            draw_contour(surface, (0, 0), cell_size, stack.height, next_cells, contour=contour)

    draw_board(surface, (0, 0), cell_size, stack, active=placement, style=style, draw_above=draw_next)
    return surface


def draw_scores(pen: Pen, rows: Sequence[Box], candidates: Sequence[Candidate], decimals: int, gap: int) -> int:
    """Draw the scores, and below each its difference from the best, right of the small boards; return the right end."""
    board_width = round(compute_board_size(pen.to_pixels(_CELL_SIZE), _BOARD_ROWS)[0] / pen.scale)
    scores = [format_rounded(candidate.score, decimals) for candidate in candidates]
    descriptions = [describe_score(candidates, rank, decimals) for rank in range(len(candidates))]
    widths = [pen.measure_text(score, _SCORE_FONT_SIZE, True) for score in scores]
    widths += [pen.measure_text(description, _SMALL_FONT_SIZE) for description in descriptions]
    width = 16 * -(-max(48, max(widths) + 4) // 16)  # rounded up so that columns do not move with every digit
    right = rows[0].left + _RANK_WIDTH + board_width + gap + width
    for rank, (row, candidate) in enumerate(zip(rows, candidates, strict=True)):
        colour = STRONG_TEXT if rank else ACCENT
        pen.draw_text(scores[rank], (right, row.centery - 8), _SCORE_FONT_SIZE, True, colour, align=1)
        colour = NEGATIVE if not candidate.survives else DIM_TEXT if rank else ACCENT
        pen.draw_text(descriptions[rank], (right, row.centery + 14), _SMALL_FONT_SIZE, False, colour, align=1)
    return right


def draw_feature_columns(pen: Pen, heading: Box, rows: Sequence[Box], candidates: Sequence[Candidate]) -> None:
    """Draw one column per feature: its contribution to each score as a number and as a bar."""
    decimals = choose_panel_decimals(candidates)
    baseline = heading.top + 10
    pen.draw_separator(heading.left, heading.bottom - 2, heading.width, BOARD_OUTLINE)
    score_right = draw_scores(pen, rows, candidates, decimals, 0)
    pen.draw_text("Placement", (heading.left, baseline), _HEADING_FONT_SIZE, False, DIM_TEXT)
    pen.draw_text("Score", (score_right, baseline), _HEADING_FONT_SIZE, False, DIM_TEXT, align=1)
    available = heading.right - score_right - 8
    features = select_features(candidates, max(1, available // _MIN_COLUMN_WIDTH), add_rest=True)
    column_width = available / max(1, len(features))
    bar_length = round(min(column_width - _COLUMN_GAP, _MAX_BAR_LENGTH))
    for number, feature in enumerate(features):
        right = heading.right - (len(features) - 1 - number) * column_width
        lines = pen.wrap_text(feature.name.capitalize(), column_width - 8, _HEADING_FONT_SIZE)
        if len(lines) > 2:
            lines = [lines[0], pen.truncate_text(" ".join(lines[1:]), column_width - 8, _HEADING_FONT_SIZE)]
        for line_number, line in enumerate(reversed(lines)):
            y = baseline - _HEADING_LINE_HEIGHT * line_number + 3 * (len(lines) > 1)
            pen.draw_text(line, (right, y), _HEADING_FONT_SIZE, False, DIM_TEXT, align=1)
        for row, contribution in zip(rows, feature.contributions, strict=True):
            bar = Box(round(right) - bar_length, row.centery + 11, bar_length, _BAR_HEIGHT)
            text = format_rounded(contribution, decimals)
            draw_contribution(pen, (right, row.centery - 8), bar, text, contribution / feature.bar_scale)


def draw_feature_bars(pen: Pen, rows: Sequence[Box], candidates: Sequence[Candidate]) -> None:
    """Draw the most important features next to each placement, one below another."""
    decimals = choose_panel_decimals(candidates)
    features = select_features(candidates, _COMPACT_FEATURES)
    numbers = [format_rounded(number, decimals) for feature in features for number in feature.contributions]
    number_width = max(pen.measure_text(number, _FONT_SIZE, True) for number in numbers)
    left, right = draw_scores(pen, rows, candidates, decimals, _SCORE_GAP) + 2 * _SCORE_GAP, rows[0].right - 4
    widths = [pen.measure_text(feature.name.capitalize(), _SMALL_FONT_SIZE) + 16 for feature in features]
    name_width = min(max(_MIN_COLUMN_WIDTH, *widths), right - left - number_width)
    if name_width <= _MIN_LABEL_WIDTH:
        return
    bar_length = round(min(_MAX_BAR_LENGTH, right - left - name_width - number_width - 12))
    line_height = min(_COMPACT_LINE_HEIGHT, (rows[0].height - 8) // _COMPACT_FEATURES)
    for rank, row in enumerate(rows):
        for number, feature in enumerate(features):
            y = row.centery + round(line_height * (number - (len(features) - 1) / 2))
            label = pen.truncate_text(feature.name.capitalize(), name_width - 8, _SMALL_FONT_SIZE)
            pen.draw_text(label, (left, y), _SMALL_FONT_SIZE, False, DIM_TEXT)
            bar = Box(round(left + name_width), y - _BAR_HEIGHT // 2, bar_length, _BAR_HEIGHT)
            contribution = feature.contributions[rank]
            text = format_rounded(contribution, decimals)
            draw_contribution(pen, (right, y), bar, text, contribution / feature.bar_scale)


def draw_contribution(pen: Pen, position: tuple[float, float], bar: Box, text: str, share: float) -> None:
    """Draw a contribution as a number, zero faint, and as a bar that grows leftwards, if there is space for a bar.

    `share` (−1 to 1) is the filled part of the bar, negative in the negative colour.
    """
    is_zero = text == "0"
    pen.draw_text(text, position, _FONT_SIZE, not is_zero, FAINT_TEXT if is_zero else STRONG_TEXT, align=1)
    if bar.width <= _MIN_BAR_LENGTH:
        return
    pen.fill_rounded(bar, _BAR_HEIGHT / 2, RAISED_PANEL)
    if length := round(bar.width * min(1.0, abs(share))):
        filled = place(bar, max(length, _BAR_HEIGHT), _BAR_HEIGHT, x=1)
        pen.fill_rounded(filled, _BAR_HEIGHT / 2, ACCENT if share > 0 else NEGATIVE)


def select_features(
    candidates: Sequence[Candidate], max_features: int, add_rest: bool = False
) -> list[FeatureContributions]:
    """Return the features of placements in the agent's order, at most `max_features`: those that differ most.

    With `add_rest`, the last one is the sum of all features that are left out, so that the contributions add up to the
    scores.
    """
    names = dict.fromkeys(name for candidate in candidates for name in candidate.contributions)
    features = [
        FeatureContributions(format_name(name), tuple(c.contributions.get(name, 0.0) for c in candidates))
        for name in names
    ]
    if len(features) <= max_features:
        return features
    has_rest = add_rest and max_features > 1

    def rate(index: int) -> tuple[float, float]:
        numbers = features[index].contributions
        return max(numbers) - min(numbers), max(map(abs, numbers))

    order = sorted(range(len(features)), key=rate, reverse=True)
    shown = [features[i] for i in sorted(order[: max_features - has_rest])]
    hidden = [features[i].contributions for i in order[max_features - has_rest :]]
    rest = FeatureContributions(f"{len(hidden)} others", tuple(map(sum, zip(*hidden, strict=True))))
    return [*shown, rest] if has_rest else shown


def choose_panel_decimals(candidates: Sequence[Candidate]) -> int:
    """Return the number of decimals for all numbers of the panel, no more than needed to see that they add up."""
    numbers = [number for c in candidates for number in (c.score, *c.contributions.values())]
    largest = max(map(abs, numbers), default=0.0)
    max_decimals = 0 if largest >= 1000 else 1 if largest >= 100 else 2 if largest >= 0.1 else 4
    exact = (d for d in range(max_decimals) if all(math.isclose(n, round(n, d), abs_tol=1e-6) for n in numbers))
    return next(exact, max_decimals)


def format_rounded(number: float, decimals: int) -> str:
    """Return a number with `decimals` decimals; a number that rounds to zero becomes "0"."""
    text = format_number(number, decimals)
    return text if text.strip("−0.") else "0"


def describe_score(candidates: Sequence[Candidate], rank: int, decimals: int) -> str:
    """Return the text below a score: "best", the difference from the best, or that the game ends."""
    if not candidates[rank].survives:
        return "game ends"
    if not rank:
        return "best"
    score, best = candidates[rank].score, candidates[0].score
    # The difference of the rounded scores, so that it matches the numbers in the panel.
    difference = format_rounded(round(score, decimals) - round(best, decimals), decimals)
    if difference == "0" and not math.isclose(score, best, rel_tol=1e-9):
        return f"{score - best:.1g}".replace("-", "−")
    return "equal" if difference == "0" else difference


def describe_selection(explanation: Explanation, shown: int, short: bool = False) -> str:
    """Return a heading such as "The three best of 34 placements"."""
    total = max(explanation.placement_count, len(explanation.candidates))
    if total <= shown:
        return "The only placement" if total == 1 else "Both placements" if total == 2 else f"All {total} placements"
    best = "The best" if shown == 1 else f"The {_NUMBER_WORDS[shown]} best"
    return f"{best} of {total}" if short else f"{best} of {total} placements"


def make_grey_stack(stack: Stack, low: int, rows: int) -> Stack:
    """Return `rows` rows of a stack, from the row `low` up, in one colour."""
    grey_rows = (
        "".join(UNKNOWN_CELL if cell != EMPTY_CELL else EMPTY_CELL for cell in row)
        for row in stack.rows[low : low + rows]
    )
    return Stack(tuple(grey_rows), rows)


def find_lowest_row(stack: Stack, candidate: Candidate, rows: int) -> int:
    """Return the lowest of `rows` rows to show: they include the placement, and the top of the stack if it fits."""
    piece_rows = [row for _, row in candidate.placement.cells]
    top = max(len(stack.rows), 1 + max(piece_rows))
    return max(0, min(top - rows, min(piece_rows)))


def find_next_cells(stack: Stack, candidate: Candidate) -> list[Cell]:
    """Return the cells of the expected next placement, in rows as they are before full rows are removed."""
    if len(candidate.variation) < 2:
        return []
    locked = stack.with_locked_piece(candidate.placement)
    full = set(locked.full_rows)
    remaining = [row for row in range(len(locked.rows)) if row not in full]
    return [(x, remaining[y] if y < len(remaining) else y + len(full)) for x, y in candidate.variation[1].cells]
