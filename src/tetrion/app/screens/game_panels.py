"""Panels about a game that is played: what comes next, numbers, keys, the mode, how high it stood."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.agents import AnyAgent, DataAgent
from tetrion.agents.data import SecondMode
from tetrion.app.games.deciding import Decision
from tetrion.app.games.seat import Seat
from tetrion.board import Board
from tetrion.drawing.charts import Series, draw_chart
from tetrion.drawing.palette import DIM, FAINT, STRONG
from tetrion.drawing.pen import PADDING, Box, Pen
from tetrion.evaluation.words import counted, figure, in_words

ROW = 28
HISTORY = 120  # pieces
UNKNOWN = "–"
CAPS = {"left": "←", "right": "→", "rotate": "↑", "down": "↓", "drop": "Drop", "back": "Z"}
SEVERAL = 6  # next pieces that are shown at most


class Numbers(NamedTuple):
    """What a game has come to, as words."""

    score: str
    lines: str
    pieces: str
    a_line: str
    tetrises: str
    holes: str
    a_second: str

    @classmethod
    def of(cls, seat: Seat, board: Board) -> "Numbers":
        """The numbers of a game now."""
        game, a_line, rate = seat.game, seat.follower.points_a_line, seat.rate if seat.auto else None
        return cls(
            f"{game.score:,}",
            f"{game.lines:,}",
            f"{game.pieces:,}",
            UNKNOWN if a_line is None else figure(a_line, 0),
            f"{seat.follower.clears[3]:,}",
            f"{holes_of(board):,}",
            UNKNOWN if rate is None else figure(rate, 1 if rate < 10 else 0),
        )

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The numbers but the score, with their names."""
        names = ("Lines", "Pieces", "Points a line", "Tetrises", "Holes", "Pieces a second")
        return list(zip(names, self[1:], strict=True))


def holes_of(board: Board) -> int:
    """How many empty cells have a filled one above them."""
    return sum(column.bit_length() - column.bit_count() for column in board.columns)


def draw_next(pen: Pen, box: Box, pieces: str) -> None:
    """The next pieces that are known, the first one large."""
    inside = pen.panel(box, "Next")
    if not pieces:
        pen.text("Not shown", (inside.centerx, inside.centery), 14, False, FAINT, align=0.5)
        return
    shown, cell = pieces[:SEVERAL], 24
    if len(shown) == 1:
        pen.piece((inside.centerx, inside.centery - 4), cell, shown)
        return
    wide = inside.width // len(shown)
    cell = max(6, min(20, wide // 4 - 1))
    for number, letter in enumerate(shown):
        pen.piece((inside.left + wide // 2 + number * wide, inside.centery - 4), cell, letter)


def draw_numbers(pen: Pen, box: Box, numbers: Numbers) -> None:
    """The score, and as many of the other numbers as there is room for."""
    pen.panel(box, "Score")
    left, wide = box.left + PADDING, box.width - 2 * PADDING
    pen.text(
        numbers.score, (left, box.top + 52), 34 if pen.width_of(numbers.score, 34, True) <= wide else 24, True, STRONG
    )
    top = box.top + 80
    for label, number in numbers.rows[: max(0, (box.bottom - top - 4) // ROW)]:
        pen.row(Box(left, top, wide, ROW), label, number)
        top += ROW


def draw_keys(pen: Pen, box: Box, decision: Decision | None, made: int) -> None:
    """The keys that bring the piece where it goes: those that were pressed, the one that is, those still to come."""
    steps = decision.steps if decision else ()
    inside = pen.panel(box, "Keys", f"{made} of {len(steps)}" if steps else "")
    left, top = inside.left, inside.top + 20
    for number, step in enumerate(steps, 1):
        label = CAPS[step.key]
        wide = pen.keycap_width(label)
        if left + wide > inside.right:
            left, top = inside.left, top + 30
        if top + 12 > box.bottom - 8:
            break
        pen.keycap((left, top), label, "pressed" if number == made else "" if number < made else "coming")
        left += wide + 6
    if decision and not steps:
        pen.text("No way by keys", (inside.left, top), 14, False, FAINT)


def second_mode(agent: AnyAgent | None) -> SecondMode | None:
    """The second mode of an agent that has modes."""
    return agent.second if isinstance(agent, DataAgent) else None


def mode_words(second: SecondMode) -> str:
    """When an agent changes to its second mode."""
    name, value = second.names[1].capitalize(), second.threshold
    if second.selector == "max_height":
        return f"{name} above {counted(value - 1, 'row')}"
    measure = "board fill" if second.selector == "aggregate_height" else in_words(second.selector)
    return f"{name} from {measure} {figure(value, 0)}"


def height_threshold(second: SecondMode | None) -> float | None:
    """The height of the stack from which on an agent changes its mode, where that is what decides."""
    return second.threshold if second and second.selector == "max_height" else None


def draw_mode(pen: Pen, box: Box, second: SecondMode, mode: str) -> None:
    """The mode that an agent is in, and when it changes."""
    inside = pen.panel(box, "Mode")
    badge = Box(inside.left, box.top + 44, inside.width, 32)
    if mode:
        pen.badge(badge, mode.capitalize(), bad=mode == second.names[1])
    room = box.bottom - badge.bottom - 12
    if room >= 20:
        pen.paragraph(mode_words(second), (inside.left, badge.bottom + 20), inside.width, 14, DIM, most=room // 20)


def draw_heights(pen: Pen, box: Box, heights: Sequence[int], rows: int, threshold: float | None, short: bool) -> None:
    """How high the stack stood after each of the last pieces."""
    now = counted(heights[-1], "row") if heights else ""
    aside = "Last 120 pieces" + (" · dashed: other mode" if threshold is not None else "")
    inside = pen.panel(box, "Stack height", "" if short else aside)
    if short:
        pen.text(now, (inside.right, box.top + 24), 14, True, STRONG, align=1)
    chart = Box(inside.left, inside.top - 4, inside.width, inside.height + 8)
    series = [Series("", heights, last=now)]
    nothing = "Appears after the second piece."
    draw_chart(pen, chart, series, low=0, high=rows, threshold=threshold, ends=not short, nothing=nothing)
