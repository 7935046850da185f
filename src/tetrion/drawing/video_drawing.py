"""A game as a video shows it: the board, the next pieces, the numbers and who plays, and if wanted what it thinks."""

from collections.abc import Sequence
from dataclasses import dataclass

from tetrion.agents import Explanation
from tetrion.board import Placement
from tetrion.drawing.board_animation import AnimatedBoard, draw_animated_board
from tetrion.drawing.board_drawing import compute_board_size
from tetrion.drawing.candidate_overlay import (
    KeepClearZones,
    draw_best_candidates,
    draw_candidate_shades,
    draw_keep_clear_zones,
)
from tetrion.drawing.palette import ACCENT, BACKGROUND, DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, FittedBoard, Pen
from tetrion.drawing.stack import Stack
from tetrion.drawing.surface_charts import ChartLine, draw_chart
from tetrion.drawing.thinking_panel import draw_thinking_panel
from tetrion.evaluation.number_format import format_count

_MARGIN = 24
_COMPACT_MARGIN = 16
_PANEL_GAP = 16
_VIDEO_HEIGHT, _SIDE_PANEL_WIDTH = 720, 200  # units: of a whole video, and the width of the panels beside the board
_MIN_WIDE_WIDTH, _MIN_COMPACT_WIDTH = 1180, 800  # the least width with thoughts, beside panels or with them in a strip
_COMPACT_HEIGHT, _MAX_COMPACT_ASPECT_RATIO = 700, 1.4  # the latter below such a width, as a share of the height
# of the next pieces, while they are so few
_NEXT_CELL_SIZE = 24
_NEXT_PIECE_GAP = 12
_MAX_LARGE_PIECES = 2
_SMALL_NEXT_CELL_SIZE = 16
_ROW_HEIGHT, _SCORE_FONT_SIZE = 28, 34
# heights of panels
_AGENT_HEIGHT = 108
_SCORE_HEIGHT = 74
_MODE_HEIGHT = 88
_STRIP_HEIGHT = 74
_NAME_HEIGHT = 40
_MIN_THINKING_HEIGHT = 560  # height of thoughts and chart, where the board is lower
_CHART_HEIGHT_SHARE = 0.27  # the share of the height that the chart has
_CHART_PIECES = 120  # pieces that it goes back
_GAME_OVER_SIZE = (240, 84)
_GAME_OVER_ALPHA = 0.7


@dataclass(frozen=True)
class VideoCaption:
    """What stands beside a board; it changes once a piece. `numbers` are words with their figures."""

    name: str
    rules: str
    seed: int | None
    score: int
    pieces: int
    numbers: tuple[tuple[str, int], ...]
    next: str = ""
    preview: int = 0
    mode: str = ""
    is_second_mode: bool = False
    has_thinking: bool = False
    explanation: Explanation | None = None
    explained_stack: Stack | None = None  # that the explanation is of
    heights: tuple[int, ...] = ()


@dataclass(frozen=True)
class VideoFrame:
    """A picture of a video: the board as it moves, what stands beside it, and the placements that are considered."""

    board: AnimatedBoard
    caption: VideoCaption
    ranked_placements: tuple[Placement, ...] = ()
    zones: KeepClearZones | None = None
    end_message: str = ""  # what is said when the game is over


@dataclass(frozen=True)
class VideoLayout:
    """Where everything is, in units of a pen; what there is no place for is not shown."""

    board: FittedBoard
    column: Box | None
    strip: Box | None
    thinking: Box | None
    chart: Box | None


def compute_video_scale(size: tuple[int, int], has_thinking: bool) -> float:
    """How many pixels a unit has in a video of such a size."""
    wide, high = size
    if not has_thinking:
        return min(
            high / _VIDEO_HEIGHT, wide / (2 * _MARGIN + _PANEL_GAP + _SIDE_PANEL_WIDTH + compute_board_size(33)[0])
        )
    if wide < _MAX_COMPACT_ASPECT_RATIO * high:
        return min(high / _COMPACT_HEIGHT, wide / _MIN_COMPACT_WIDTH)
    return min(high / _VIDEO_HEIGHT, wide / _MIN_WIDE_WIDTH)


def make_video_layout(pen: Pen, rows: int, has_thinking: bool) -> VideoLayout:
    """The layout for boards with so many visible rows."""
    inside = pen.area.inflate(-2 * _MARGIN, -2 * _MARGIN)
    if not has_thinking:
        return make_plain_layout(pen, inside, rows)
    if pen.width < _MAX_COMPACT_ASPECT_RATIO * pen.height:
        return make_compact_layout(pen, pen.area.inflate(-2 * _COMPACT_MARGIN, -2 * _COMPACT_MARGIN), rows)
    board = pen.fit_board(
        Box(inside.left + _SIDE_PANEL_WIDTH + _PANEL_GAP, inside.top, compute_board_size(34)[0], inside.height), rows, 0
    )
    column = Box(inside.left, inside.top, _SIDE_PANEL_WIDTH, inside.height)
    left = board.box.right + _PANEL_GAP
    rest = Box(left, inside.top, inside.right - left, max(board.box.height, _MIN_THINKING_HEIGHT))
    return VideoLayout(board, column, None, *split_thinking_and_chart(rest))


def make_plain_layout(pen: Pen, inside: Box, rows: int) -> VideoLayout:
    """The board and a column, in the middle."""
    board = pen.fit_board(
        Box(inside.left, inside.top, inside.width - _PANEL_GAP - _SIDE_PANEL_WIDTH, inside.height), rows, 0
    )
    wide = board.box.width + _PANEL_GAP + _SIDE_PANEL_WIDTH
    left, top = inside.left + (inside.width - wide) // 2, inside.top + max(0, inside.height - board.box.height) // 2
    moved = FittedBoard(board.cell_size, Box(left, top, *board.box.size))
    column = Box(left + board.box.width + _PANEL_GAP, top, _SIDE_PANEL_WIDTH, inside.bottom - top)
    return VideoLayout(moved, column, None, None, None)


def make_compact_layout(pen: Pen, inside: Box, rows: int) -> VideoLayout:
    """The board, and beside it the numbers in a strip, the thoughts and the chart."""
    board = pen.fit_board(Box(inside.left, inside.top, inside.width // 2, inside.height), rows, 0)
    left = board.box.right + _PANEL_GAP
    strip = Box(left, inside.top + _NAME_HEIGHT, inside.right - left, _STRIP_HEIGHT)
    rest = Box(left, strip.bottom + _PANEL_GAP, strip.width, inside.bottom - strip.bottom - _PANEL_GAP)
    return VideoLayout(board, None, strip, *split_thinking_and_chart(rest))


def split_thinking_and_chart(rest: Box) -> tuple[Box, Box]:
    """Where the thoughts are, and the chart below them."""
    high = max(110, round(_CHART_HEIGHT_SHARE * rest.height) - _PANEL_GAP // 2)
    upper = Box(rest.left, rest.top, rest.width, rest.height - high - _PANEL_GAP)
    return upper, Box(rest.left, upper.bottom + _PANEL_GAP, rest.width, high)


def draw_video_frame(pen: Pen, frame: VideoFrame, previous: VideoFrame | None = None) -> None:
    """Draw a picture of a video; what is the same as in the one before, which the surface shows, stays as it is."""
    told, stack = frame.caption, frame.board.stack
    layout = make_video_layout(pen, stack.height, told.has_thinking)
    if previous is None or previous.caption is not told:
        pen.surface.fill(BACKGROUND)
        draw_caption(pen, layout, told)
    elif previous == frame:
        return
    pen.fill(layout.board.box, BACKGROUND)
    place = pen.to_pixel_point(layout.board.box.topleft)
    cell = layout.board.cell_size
    surface = pen.surface

    def draw_under() -> None:
        if frame.zones:
            draw_keep_clear_zones(surface, place, cell, stack.height, frame.zones, "Danger zone")
        draw_candidate_shades(surface, place, cell, stack, frame.ranked_placements)

    def draw_over() -> None:
        draw_best_candidates(surface, place, cell, stack, frame.ranked_placements)

    draw_animated_board(surface, place, cell, frame.board, style=pen.style, draw_below=draw_under, draw_above=draw_over)
    if frame.end_message:
        draw_game_over(pen, layout.board.box, frame.end_message)


def draw_game_over(pen: Pen, board: Box, words: str) -> None:
    """Cover a board, and say that the game is over."""
    pen.draw_overlay(board.inflate(-2, -2), 9, BACKGROUND, _GAME_OVER_ALPHA)
    box = Box(0, 0, min(_GAME_OVER_SIZE[0], board.width - 24), _GAME_OVER_SIZE[1])
    box.center = board.center
    pen.draw_panel(box)
    pen.draw_text("Game over", (box.centerx, box.top + 30), 18, True, STRONG_TEXT, align=0.5)
    pen.draw_text(
        pen.truncate_text(words, box.width - 2 * PANEL_PADDING, 14),
        (box.centerx, box.top + 56),
        14,
        False,
        DIM_TEXT,
        align=0.5,
    )


def draw_caption(pen: Pen, layout: VideoLayout, caption: VideoCaption) -> None:
    """Draw what stands beside the board."""
    if layout.column:
        draw_side_panels(pen, layout.column, caption)
    if layout.strip:
        draw_strip(pen, layout.strip, caption)
    if layout.thinking and caption.explained_stack:
        draw_thinking_panel(pen, layout.thinking, caption.explanation, caption.explained_stack)
    if layout.chart and caption.explained_stack:
        draw_heights(pen, layout.chart, caption.heights, caption.explained_stack.height)


def draw_side_panels(pen: Pen, column: Box, caption: VideoCaption) -> None:
    """Who plays, the next pieces, the numbers and the mode, each in a panel, as far as there is room."""
    top = column.top
    panels = (
        [(_AGENT_HEIGHT, draw_agent), (compute_next_height(caption.preview), draw_next)]
        if caption.preview
        else [(_AGENT_HEIGHT, draw_agent)]
    )
    panels += [(_SCORE_HEIGHT + _ROW_HEIGHT * len(caption.numbers) + 8, draw_numbers)]
    panels += [(_MODE_HEIGHT, draw_mode)] if caption.mode else []
    for high, draw in panels:
        if top + high <= column.bottom:
            draw(pen, Box(column.left, top, column.width, high), caption)
            top += high + _PANEL_GAP


def draw_agent(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """Who plays, by which rules."""
    inside = pen.draw_panel(box, "Agent")
    pen.draw_text(
        pen.truncate_text(caption.name, inside.width, 18, True), (inside.left, box.top + 50), 18, True, ACCENT
    )
    words = caption.rules if caption.seed is None else f"{caption.rules}, seed {caption.seed}"
    pen.draw_text(pen.truncate_text(words, inside.width, 14), (inside.left, box.top + 80), 14, False, DIM_TEXT)


def compute_next_height(pieces: int) -> int:
    """How high the panel of so many next pieces is."""
    cell = _NEXT_CELL_SIZE if pieces <= _MAX_LARGE_PIECES else _SMALL_NEXT_CELL_SIZE
    return 44 + pieces * (2 * cell + _NEXT_PIECE_GAP) + 8


def draw_next(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """The pieces that are known to come."""
    pen.draw_panel(box, "Next")
    cell = _NEXT_CELL_SIZE if caption.preview <= _MAX_LARGE_PIECES else _SMALL_NEXT_CELL_SIZE
    for number, letter in enumerate(caption.next):
        pen.draw_piece((box.centerx, box.top + 44 + cell + number * (2 * cell + _NEXT_PIECE_GAP)), cell, letter)


def draw_numbers(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """The score and other numbers."""
    inside = pen.draw_panel(box, "Score")
    pen.draw_text(f"{caption.score:,}", (inside.left, box.top + 52), _SCORE_FONT_SIZE, True, STRONG_TEXT)
    for number, (words, figure) in enumerate(caption.numbers):
        pen.draw_row(
            Box(inside.left, box.top + _SCORE_HEIGHT + _ROW_HEIGHT * number, inside.width, _ROW_HEIGHT),
            words,
            f"{figure:,}",
        )


def draw_mode(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """In which of its modes an agent is."""
    inside = pen.draw_panel(box, "Mode")
    pen.draw_badge(Box(inside.left, box.top + 40, inside.width, 32), caption.mode.capitalize(), caption.is_second_mode)


def draw_strip(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """The name above a strip with the numbers and the next piece."""
    middle = box.top - _NAME_HEIGHT // 2 - 4
    right = box.right
    for words in ([caption.mode] if caption.mode else []) + [caption.rules]:
        right -= pen.draw_chip(right, middle, words, words == caption.mode, max_width=box.width / 2) + 8
    pen.draw_text(
        pen.truncate_text(caption.name, right - box.left - 8, 18, True), (box.left, middle), 18, True, STRONG_TEXT
    )
    pen.draw_panel(box)
    numbers = (("Score", caption.score), *((words, number) for words, number in caption.numbers))
    right = box.right - (84 if caption.next else PANEL_PADDING)
    for place, (words, number) in enumerate(numbers):
        x = box.left + PANEL_PADDING + place * (right - box.left - PANEL_PADDING) / len(numbers)
        pen.draw_number((x, box.top + 22), words, f"{number:,}", 20)
    if caption.next:
        pen.draw_text("Next", (box.right - 46, box.top + 22), 14, False, DIM_TEXT, align=0.5)
        pen.draw_piece((box.right - 46, box.top + 48), 13, caption.next[0])


def draw_heights(pen: Pen, box: Box, heights: Sequence[int], rows: int) -> None:
    """How high the stack was after each of the last pieces."""
    inside = pen.draw_panel(box, "Stack height")
    now = heights[-1] if heights else 0
    pen.draw_text(format_count(now, "row"), (box.right - PANEL_PADDING, box.top + 24), 14, True, STRONG_TEXT, align=1)
    line = ChartLine("", heights[-_CHART_PIECES:])
    draw_chart(
        pen, inside, [line], low=0, high=rows, show_end_labels=False, empty_message="Appears after the second piece."
    )
