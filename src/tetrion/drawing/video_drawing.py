"""Frames of videos: the board, the preview, the counters, the agent and optionally the thinking panel."""

from dataclasses import dataclass
from typing import NamedTuple

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
from tetrion.drawing.game_facts import NO_VISIBLE_PIECES, VisiblePieces
from tetrion.drawing.line_charts import draw_stack_heights
from tetrion.drawing.palette import ACCENT, BACKGROUND, DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, FittedBoard, Pen
from tetrion.drawing.side_panels import (
    compute_piece_strip_width,
    compute_preview_height,
    compute_queue_height,
    compute_score_panel_height,
    draw_action_on_board,
    draw_figures_row,
    draw_game_over,
    draw_garbage_meter,
    draw_hold_panel,
    draw_piece_strip,
    draw_preview_panel,
    draw_queue_column,
    draw_score_panel,
)
from tetrion.drawing.thinking_panel import draw_thinking_panel
from tetrion.position import Position
from tetrion.stack import Stack

# units
_MARGIN = 24
_COMPACT_MARGIN = 16
_PANEL_GAP = 16
_VIDEO_HEIGHT = 720
_SIDE_PANEL_WIDTH = 200
# minimum widths with the thinking panel: with side panels (wide) or with a strip of counters (compact)
_MIN_WIDE_WIDTH = 1180
_MIN_COMPACT_WIDTH = 800
_COMPACT_HEIGHT = 700
_MAX_COMPACT_ASPECT_RATIO = 1.4  # width / height; wider videos use the wide layout
_AGENT_HEIGHT = 108
_MODE_HEIGHT = 88
_HOLD_HEIGHT = 88
_SLOT_HEIGHT = 30  # of a piece in the queue
_LOW_SLOT_HEIGHT = 26
_STRIP_HEIGHT = 74
_NAME_HEIGHT = 40
_MIN_THINKING_HEIGHT = 560  # of the thinking panel and the chart together
_CHART_HEIGHT_SHARE = 0.27  # of that height
_CHART_PIECES = 120  # number of pieces that the chart goes back
_MAX_SMALL_HEIGHT = 600  # pixels; up to this height, panels are larger compared with the board, to stay readable


@dataclass(frozen=True)
class VideoCaption:
    """The content next to the board, which changes once per piece; `numbers` are labelled counters."""

    name: str
    rules: str
    seed: int
    score: int
    pieces: int
    numbers: tuple[tuple[str, int], ...]
    next: str = ""
    preview: int = 0
    mode: str = ""
    is_second_mode: bool = False
    has_thinking: bool = False
    explanation: Explanation | None = None
    explained_stack: Stack | None = None  # the stack that `explanation` is about
    heights: tuple[int, ...] = ()
    position: Position | None = None  # None: the video shows the preview without hold, garbage and action text
    visible_pieces: VisiblePieces = NO_VISIBLE_PIECES
    action: tuple[str, ...] = ()  # the lines of the action text


@dataclass(frozen=True)
class VideoFrame:
    """A frame of a video: the animated board, the caption, and the candidate placements from best to worst."""

    board: AnimatedBoard
    caption: VideoCaption
    ranked_placements: tuple[Placement, ...] = ()
    zones: KeepClearZones | None = None
    end_message: str = ""  # shown when the game is over


@dataclass(frozen=True)
class VideoLayout:
    """The boxes of a frame in units; parts without a box are not shown."""

    board: FittedBoard
    column: Box | None
    strip: Box | None
    thinking: Box | None
    chart: Box | None


class PlainMeasures(NamedTuple):
    """Measures of a video without the thinking panel, in units."""

    min_width: int
    min_height: int
    margin: int
    column_width: int


_SMALL_MEASURES = PlainMeasures(min_width=420, min_height=480, margin=_COMPACT_MARGIN, column_width=144)
_LARGE_MEASURES = PlainMeasures(602, _VIDEO_HEIGHT, _MARGIN, _SIDE_PANEL_WIDTH)


def get_plain_measures(size: tuple[int, int]) -> PlainMeasures:
    """Return the measures of a video of `size` pixels without the thinking panel."""
    return _SMALL_MEASURES if size[1] <= _MAX_SMALL_HEIGHT else _LARGE_MEASURES


def compute_video_scale(size: tuple[int, int], has_thinking: bool) -> float:
    """Return the number of pixels per unit for a video of `size` pixels."""
    width, height = size
    if not has_thinking:
        measures = get_plain_measures(size)
        return min(height / measures.min_height, width / measures.min_width)
    if width < _MAX_COMPACT_ASPECT_RATIO * height:
        return min(height / _COMPACT_HEIGHT, width / _MIN_COMPACT_WIDTH)
    return min(height / _VIDEO_HEIGHT, width / _MIN_WIDE_WIDTH)


def make_video_layout(pen: Pen, rows: int, has_thinking: bool) -> VideoLayout:
    """Return the layout for boards with `rows` visible rows."""
    if not has_thinking:
        return make_plain_layout(pen, rows)
    inside = pen.area.inflate(-2 * _MARGIN, -2 * _MARGIN)
    if pen.width < _MAX_COMPACT_ASPECT_RATIO * pen.height:
        return make_compact_layout(pen, pen.area.inflate(-2 * _COMPACT_MARGIN, -2 * _COMPACT_MARGIN), rows)
    board_left = inside.left + _SIDE_PANEL_WIDTH + _PANEL_GAP
    board = pen.fit_board(Box(board_left, inside.top, compute_board_size(34)[0], inside.height), rows, 0)
    column = Box(inside.left, inside.top, _SIDE_PANEL_WIDTH, inside.height)
    left = board.box.right + _PANEL_GAP
    remaining = Box(left, inside.top, inside.right - left, max(board.box.height, _MIN_THINKING_HEIGHT))
    return VideoLayout(board, column, None, *split_thinking_and_chart(remaining))


def make_plain_layout(pen: Pen, rows: int) -> VideoLayout:
    """Return a layout with the board and the side panels, centred."""
    measures = get_plain_measures(pen.surface.size)
    column_width = measures.column_width
    inside = pen.area.inflate(-2 * measures.margin, -2 * measures.margin)
    max_board_width = inside.width - _PANEL_GAP - column_width
    board = pen.fit_board(Box(inside.left, inside.top, max_board_width, inside.height), rows, 0)
    width = board.box.width + _PANEL_GAP + column_width
    left = inside.left + (inside.width - width) // 2
    top = inside.top + max(0, inside.height - board.box.height) // 2
    centred = FittedBoard(board.cell_size, Box(left, top, *board.box.size))
    column = Box(left + board.box.width + _PANEL_GAP, top, column_width, inside.bottom - top)
    return VideoLayout(centred, column, None, None, None)


def make_compact_layout(pen: Pen, inside: Box, rows: int) -> VideoLayout:
    """Return a layout with the board at the left; counters in a strip, thinking panel and chart at the right."""
    board = pen.fit_board(Box(inside.left, inside.top, inside.width // 2, inside.height), rows, 0)
    left = board.box.right + _PANEL_GAP
    strip = Box(left, inside.top + _NAME_HEIGHT, inside.right - left, _STRIP_HEIGHT)
    remaining = Box(left, strip.bottom + _PANEL_GAP, strip.width, inside.bottom - strip.bottom - _PANEL_GAP)
    return VideoLayout(board, None, strip, *split_thinking_and_chart(remaining))


def split_thinking_and_chart(box: Box) -> tuple[Box, Box]:
    """Split a box into the thinking panel and the chart below it."""
    chart_height = max(110, round(_CHART_HEIGHT_SHARE * box.height) - _PANEL_GAP // 2)
    thinking = Box(box.left, box.top, box.width, box.height - chart_height - _PANEL_GAP)
    return thinking, Box(box.left, thinking.bottom + _PANEL_GAP, box.width, chart_height)


def draw_video_frame(pen: Pen, frame: VideoFrame, previous: VideoFrame | None = None) -> None:
    """Draw a frame; parts that are equal to the `previous` frame, which the surface shows, are not redrawn."""
    caption, stack = frame.caption, frame.board.stack
    layout = make_video_layout(pen, stack.height, caption.has_thinking)
    if previous is None or previous.caption is not caption:
        pen.surface.fill(BACKGROUND)
        draw_caption(pen, layout, caption)
    elif previous == frame:
        return
    top_left = pen.to_pixel_point(layout.board.box.topleft)
    cell_size = layout.board.cell_size
    surface = pen.surface
    surface.fill(BACKGROUND, (top_left, compute_board_size(cell_size, stack.height)))

    def draw_under() -> None:
        if frame.zones:
            draw_keep_clear_zones(surface, top_left, cell_size, stack.height, frame.zones, label="Danger zone")
        draw_candidate_shades(surface, top_left, cell_size, stack, frame.ranked_placements)

    def draw_over() -> None:
        draw_best_candidates(surface, top_left, cell_size, stack, frame.ranked_placements)

    draw_animated_board(
        surface,
        top_left,
        cell_size,
        frame.board,
        style=pen.style,
        draw_below=draw_under,
        draw_above=draw_over,
    )
    draw_action_on_board(pen, layout.board.box, caption.action)
    if frame.end_message:
        draw_game_over(pen, layout.board.box, frame.end_message)


def draw_caption(pen: Pen, layout: VideoLayout, caption: VideoCaption) -> None:
    """Draw everything except the board."""
    if caption.position:
        draw_garbage_meter(pen, layout.board.box, layout.board.cell_size, caption.position)
    if layout.column:
        draw_side_panels(pen, layout.column, caption)
    if layout.strip:
        draw_strip(pen, layout.strip, caption)
    if layout.thinking and caption.explained_stack:
        draw_thinking_panel(pen, layout.thinking, caption.explanation, caption.explained_stack)
    if layout.chart and caption.explained_stack:
        draw_stack_heights(pen, layout.chart, caption.heights[-_CHART_PIECES:], caption.explained_stack.height)


def draw_side_panels(pen: Pen, column: Box, caption: VideoCaption) -> None:
    """Draw the panels for the agent, the preview, the counters and the mode, without some if not all fit."""
    heights = {draw_agent: _AGENT_HEIGHT}
    heights |= {draw_hold: _HOLD_HEIGHT} if caption.visible_pieces.has_hold else {}
    heights |= {draw_next: compute_next_height(caption, column.width)} if caption.preview else {}
    heights |= {draw_counters: compute_score_panel_height(len(caption.numbers))}
    heights |= {draw_mode: _MODE_HEIGHT} if caption.mode else {}
    removable = [draw_mode, draw_agent, *([] if caption.position else [draw_next])]
    while removable and sum(heights.values()) + _PANEL_GAP * (len(heights) - 1) > column.height:
        heights.pop(removable.pop(0), None)
    excess = sum(heights.values()) + _PANEL_GAP * (len(heights) - 1) - column.height
    heights[draw_counters] -= max(0, excess)
    top = column.top
    for draw_panel, height in heights.items():
        draw_panel(pen, Box(column.left, top, column.width, height), caption)
        top += height + _PANEL_GAP


def draw_agent(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """Draw the panel with the agent, the rules and the seed."""
    inside = pen.draw_panel(box, "Agent")
    name = pen.truncate_text(caption.name, inside.width, 18, True)
    pen.draw_text(name, (inside.left, box.top + 50), 18, True, ACCENT)
    rules = f"{caption.rules}, seed {caption.seed}"
    if pen.measure_text(rules, 14) > inside.width:
        rules = pen.truncate_text(caption.rules, inside.width, 14)
    pen.draw_text(rules, (inside.left, box.top + 80), 14, False, DIM_TEXT)


def compute_next_height(caption: VideoCaption, width: int) -> int:
    """Return the height of the panel with the next pieces, in units."""
    if caption.position:
        return compute_queue_height(caption.preview, _SLOT_HEIGHT if width >= _SIDE_PANEL_WIDTH else _LOW_SLOT_HEIGHT)
    return compute_preview_height(caption.preview, width)


def draw_hold(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """Draw the hold box."""
    draw_hold_panel(pen, box, caption.visible_pieces)


def draw_next(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """Draw the next pieces."""
    if caption.position:
        draw_queue_column(pen, box, caption.visible_pieces.next, caption.preview)
    else:
        draw_preview_panel(pen, box, caption.next, caption.preview)


def draw_counters(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """Draw the panel with the score and the other counters."""
    draw_score_panel(pen, box, f"{caption.score:,}", [(label, f"{number:,}") for label, number in caption.numbers])


def draw_mode(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """Draw the panel with the agent's mode."""
    inside = pen.draw_panel(box, "Mode")
    pen.draw_badge(Box(inside.left, box.top + 40, inside.width, 32), caption.mode.capitalize(), caption.is_second_mode)


def draw_strip(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """Draw the agent's name, and below it a strip with the counters and the next piece."""
    middle = box.top - _NAME_HEIGHT // 2 - 4
    right = box.right
    for text in ([caption.mode] if caption.mode else []) + [caption.rules]:
        right -= pen.draw_chip(right, middle, text, text == caption.mode, max_width=box.width / 2) + 8
    name = pen.truncate_text(caption.name, right - box.left - 8, 18, True)
    pen.draw_text(name, (box.left, middle), 18, True, STRONG_TEXT)
    pen.draw_panel(box)
    numbers = (("Score", caption.score), *caption.numbers)
    if caption.position:
        pieces = caption.visible_pieces
        width = box.width - PANEL_PADDING - compute_piece_strip_width(pieces, caption.preview)
        row = Box(box.left + PANEL_PADDING, box.top, width, box.height)
        draw_figures_row(pen, row, [(label, f"{number:,}") for label, number in numbers])
        draw_piece_strip(pen, box, pieces, caption.preview)
        return
    right = box.right - (84 if caption.next else PANEL_PADDING)
    for column, (label, number) in enumerate(numbers):
        x = box.left + PANEL_PADDING + column * (right - box.left - PANEL_PADDING) / len(numbers)
        pen.draw_number((x, box.top + 22), label, f"{number:,}", 20)
    if caption.next:
        pen.draw_text("Next", (box.right - 46, box.top + 22), 14, False, DIM_TEXT, align=0.5)
        pen.draw_piece((box.right - 46, box.top + 48), 13, caption.next[0])
