"""A game as a video shows it: the board, the next pieces, the numbers and who plays, and if wanted what it thinks."""

from collections.abc import Sequence
from dataclasses import dataclass

from tetrion.agents import Explanation
from tetrion.board import Placement
from tetrion.drawing.boards import board_size
from tetrion.drawing.candidates import Marks, draw_choice, draw_considered, draw_marks
from tetrion.drawing.charts import Series, draw_chart
from tetrion.drawing.motion import Moving, draw_moving
from tetrion.drawing.palette import ACCENT, DIM, GROUND, STRONG
from tetrion.drawing.pen import PADDING, Box, Fitted, Pen
from tetrion.drawing.stack import Stack
from tetrion.drawing.thinking import draw_thinking
from tetrion.evaluation.words import counted

MARGIN, COMPACT_MARGIN, GAP = 24, 16, 16
HEIGHT, COLUMN = 720, 200  # units: of a whole video, and the width of the panels beside the board
WIDE, COMPACT = 1180, 800  # the least width with thoughts, beside panels or with them in a strip
COMPACT_HEIGHT, COMPACT_BELOW = 700, 1.4  # the latter below such a width, as a share of the height
NEXT_CELL, NEXT_GAP, FEW = 24, 12, 2  # of the next pieces, while they are so few
SMALL_CELL = 16
ROW, HERO = 28, 34
AGENT, SCORE, MODE, STRIP, NAME = 108, 74, 88, 74, 40  # heights of panels
LOWEST = 560  # height of thoughts and chart, where the board is lower
CHART = 0.27  # the share of the height that the chart has
LAST = 120  # pieces that it goes back
OVER = (240, 84)
VEILED = 0.7


@dataclass(frozen=True)
class Told:
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
    recovers: bool = False
    thinks: bool = False
    explanation: Explanation | None = None
    stack: Stack | None = None  # that the explanation is of
    heights: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sight:
    """A picture of a video: the board as it moves, what stands beside it, and the placements that are considered."""

    moving: Moving
    told: Told
    ranked: tuple[Placement, ...] = ()
    marks: Marks | None = None
    ends: str = ""  # what is said when the game is over


@dataclass(frozen=True)
class Layout:
    """Where everything is, in units of a pen; what there is no place for is not shown."""

    board: Fitted
    column: Box | None
    strip: Box | None
    thinking: Box | None
    chart: Box | None


def scale_for(size: tuple[int, int], thinks: bool) -> float:
    """How many pixels a unit has in a video of such a size."""
    wide, high = size
    if not thinks:
        return min(high / HEIGHT, wide / (2 * MARGIN + GAP + COLUMN + board_size(33)[0]))
    if wide < COMPACT_BELOW * high:
        return min(high / COMPACT_HEIGHT, wide / COMPACT)
    return min(high / HEIGHT, wide / WIDE)


def layout_of(pen: Pen, rows: int, thinks: bool) -> Layout:
    """The layout for boards with so many visible rows."""
    inside = pen.area.inflate(-2 * MARGIN, -2 * MARGIN)
    if not thinks:
        return plain_layout(pen, inside, rows)
    if pen.width < COMPACT_BELOW * pen.height:
        return compact_layout(pen, pen.area.inflate(-2 * COMPACT_MARGIN, -2 * COMPACT_MARGIN), rows)
    board = pen.fitted(Box(inside.left + COLUMN + GAP, inside.top, board_size(34)[0], inside.height), rows, 0)
    column = Box(inside.left, inside.top, COLUMN, inside.height)
    left = board.box.right + GAP
    rest = Box(left, inside.top, inside.right - left, max(board.box.height, LOWEST))
    return Layout(board, column, None, *parted(rest))


def plain_layout(pen: Pen, inside: Box, rows: int) -> Layout:
    """The board and a column, in the middle."""
    board = pen.fitted(Box(inside.left, inside.top, inside.width - GAP - COLUMN, inside.height), rows, 0)
    wide = board.box.width + GAP + COLUMN
    left, top = inside.left + (inside.width - wide) // 2, inside.top + max(0, inside.height - board.box.height) // 2
    moved = Fitted(board.cell, Box(left, top, *board.box.size))
    column = Box(left + board.box.width + GAP, top, COLUMN, inside.bottom - top)
    return Layout(moved, column, None, None, None)


def compact_layout(pen: Pen, inside: Box, rows: int) -> Layout:
    """The board, and beside it the numbers in a strip, the thoughts and the chart."""
    board = pen.fitted(Box(inside.left, inside.top, inside.width // 2, inside.height), rows, 0)
    left = board.box.right + GAP
    strip = Box(left, inside.top + NAME, inside.right - left, STRIP)
    rest = Box(left, strip.bottom + GAP, strip.width, inside.bottom - strip.bottom - GAP)
    return Layout(board, None, strip, *parted(rest))


def parted(rest: Box) -> tuple[Box, Box]:
    """Where the thoughts are, and the chart below them."""
    high = max(110, round(CHART * rest.height) - GAP // 2)
    upper = Box(rest.left, rest.top, rest.width, rest.height - high - GAP)
    return upper, Box(rest.left, upper.bottom + GAP, rest.width, high)


def draw_sight(pen: Pen, sight: Sight, before: Sight | None = None) -> None:
    """Draw a picture of a video; what is the same as in the one before, which the surface shows, stays as it is."""
    told, stack = sight.told, sight.moving.stack
    layout = layout_of(pen, stack.height, told.thinks)
    if before is None or before.told is not told:
        pen.surface.fill(GROUND)
        draw_told(pen, layout, told)
    elif before == sight:
        return
    pen.fill(layout.board.box, GROUND)
    place, cell, surface = pen.point(layout.board.box.topleft), layout.board.cell, pen.surface

    def draw_under() -> None:
        if sight.marks:
            draw_marks(surface, place, cell, stack.height, sight.marks, "Danger zone")
        draw_considered(surface, place, cell, stack, sight.ranked)

    def draw_over() -> None:
        draw_choice(surface, place, cell, stack, sight.ranked)

    draw_moving(surface, place, cell, sight.moving, look=pen.look, under=draw_under, over=draw_over)
    if sight.ends:
        draw_end(pen, layout.board.box, sight.ends)


def draw_end(pen: Pen, board: Box, words: str) -> None:
    """Cover a board, and say that the game is over."""
    pen.veil(board.inflate(-2, -2), 9, GROUND, VEILED)
    box = Box(0, 0, min(OVER[0], board.width - 24), OVER[1])
    box.center = board.center
    pen.panel(box)
    pen.text("Game over", (box.centerx, box.top + 30), 18, True, STRONG, align=0.5)
    pen.text(pen.cut(words, box.width - 2 * PADDING, 14), (box.centerx, box.top + 56), 14, False, DIM, align=0.5)


def draw_told(pen: Pen, layout: Layout, told: Told) -> None:
    """Draw what stands beside the board."""
    if layout.column:
        draw_column(pen, layout.column, told)
    if layout.strip:
        draw_strip(pen, layout.strip, told)
    if layout.thinking and told.stack:
        draw_thinking(pen, layout.thinking, told.explanation, told.stack)
    if layout.chart and told.stack:
        draw_heights(pen, layout.chart, told.heights, told.stack.height)


def draw_column(pen: Pen, column: Box, told: Told) -> None:
    """Who plays, the next pieces, the numbers and the mode, each in a panel, as far as there is room."""
    top = column.top
    panels = [(AGENT, draw_agent), (next_height(told.preview), draw_next)] if told.preview else [(AGENT, draw_agent)]
    panels += [(SCORE + ROW * len(told.numbers) + 8, draw_numbers)]
    panels += [(MODE, draw_mode)] if told.mode else []
    for high, draw in panels:
        if top + high <= column.bottom:
            draw(pen, Box(column.left, top, column.width, high), told)
            top += high + GAP


def draw_agent(pen: Pen, box: Box, told: Told) -> None:
    """Who plays, by which rules."""
    inside = pen.panel(box, "Agent")
    pen.text(pen.cut(told.name, inside.width, 18, True), (inside.left, box.top + 50), 18, True, ACCENT)
    words = told.rules if told.seed is None else f"{told.rules}, seed {told.seed}"
    pen.text(pen.cut(words, inside.width, 14), (inside.left, box.top + 80), 14, False, DIM)


def next_height(pieces: int) -> int:
    """How high the panel of so many next pieces is."""
    cell = NEXT_CELL if pieces <= FEW else SMALL_CELL
    return 44 + pieces * (2 * cell + NEXT_GAP) + 8


def draw_next(pen: Pen, box: Box, told: Told) -> None:
    """The pieces that are known to come."""
    pen.panel(box, "Next")
    cell = NEXT_CELL if told.preview <= FEW else SMALL_CELL
    for number, letter in enumerate(told.next):
        pen.piece((box.centerx, box.top + 44 + cell + number * (2 * cell + NEXT_GAP)), cell, letter)


def draw_numbers(pen: Pen, box: Box, told: Told) -> None:
    """The score and other numbers."""
    inside = pen.panel(box, "Score")
    pen.text(f"{told.score:,}", (inside.left, box.top + 52), HERO, True, STRONG)
    for number, (words, figure) in enumerate(told.numbers):
        pen.row(Box(inside.left, box.top + SCORE + ROW * number, inside.width, ROW), words, f"{figure:,}")


def draw_mode(pen: Pen, box: Box, told: Told) -> None:
    """In which of its modes an agent is."""
    inside = pen.panel(box, "Mode")
    pen.badge(Box(inside.left, box.top + 40, inside.width, 32), told.mode.capitalize(), told.recovers)


def draw_strip(pen: Pen, box: Box, told: Told) -> None:
    """The name above a strip with the numbers and the next piece."""
    middle = box.top - NAME // 2 - 4
    right = box.right
    for words in ([told.mode] if told.mode else []) + [told.rules]:
        right -= pen.chip(right, middle, words, words == told.mode, most=box.width / 2) + 8
    pen.text(pen.cut(told.name, right - box.left - 8, 18, True), (box.left, middle), 18, True, STRONG)
    pen.panel(box)
    numbers = (("Score", told.score), *((words, number) for words, number in told.numbers))
    right = box.right - (84 if told.next else PADDING)
    for place, (words, number) in enumerate(numbers):
        x = box.left + PADDING + place * (right - box.left - PADDING) / len(numbers)
        pen.figure((x, box.top + 22), words, f"{number:,}", 20)
    if told.next:
        pen.text("Next", (box.right - 46, box.top + 22), 14, False, DIM, align=0.5)
        pen.piece((box.right - 46, box.top + 48), 13, told.next[0])


def draw_heights(pen: Pen, box: Box, heights: Sequence[int], rows: int) -> None:
    """How high the stack was after each of the last pieces."""
    inside = pen.panel(box, "Stack height")
    now = heights[-1] if heights else 0
    pen.text(counted(now, "row"), (box.right - PADDING, box.top + 24), 14, True, STRONG, align=1)
    line = Series("", heights[-LAST:])
    draw_chart(pen, inside, [line], low=0, high=rows, ends=False, nothing="Appears after the second piece.")
