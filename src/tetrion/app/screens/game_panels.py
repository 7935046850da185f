"""Panels about a running game: next pieces, statistics, keys, mode, stack height."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.agents import Agent, Decision
from tetrion.agents.weighted_agent import SecondMode
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.games.move_animation import merge_soft_drops
from tetrion.board import Board
from tetrion.drawing.line_charts import ChartLine, draw_chart
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_name, format_number

_ROW_HEIGHT = 28
HEIGHT_HISTORY_LENGTH = 120  # pieces
KEYCAP_LABELS = {"left": "←", "right": "→", "rotate": "↑", "down": "↓", "drop": "Drop", "back": "Z"}
_MAX_NEXT_PIECES = 6
_SHORT_LABELS = {"Points per line": "Points/line", "Pieces per second": "Pieces/s"}


class GameStatistics(NamedTuple):
    """Statistics of a game as formatted texts."""

    score: str
    lines: str
    pieces: str
    points_per_line: str
    tetrises: str
    holes: str
    pieces_per_second: str

    @classmethod
    def from_game(cls, agent_game: AgentGame, board: Board) -> "GameStatistics":
        """Format the current statistics of a game."""
        game = agent_game.game
        points_per_line = agent_game.tracker.points_per_line
        rate = agent_game.moves_per_second if agent_game.autoplay else None
        return cls(
            f"{game.score:,}",
            f"{game.lines:,}",
            f"{game.pieces:,}",
            NO_VALUE if points_per_line is None else format_number(points_per_line, 0),
            f"{agent_game.tracker.clear_counts[3]:,}",
            f"{board.holes:,}",
            NO_VALUE if rate is None else format_number(rate, 1 if rate < 10 else 0),
        )

    @property
    def labelled_rows(self) -> list[tuple[str, str]]:
        """All statistics except the score, with their labels."""
        names = ("Lines", "Pieces", "Points per line", "Tetrises", "Holes", "Pieces per second")
        return list(zip(names, self[1:], strict=True))


def draw_statistics_row(pen: Pen, box: Box, label: str, number: str, colour: str = STRONG_TEXT) -> None:
    """Draw a label and a number; the label is shortened if both do not fit."""
    fits = pen.measure_text(label) + pen.measure_text(number, 16, True) + 8 <= box.width
    pen.draw_row(box, label if fits else _SHORT_LABELS.get(label, label), number, colour)


def draw_next_panel(pen: Pen, box: Box, pieces: str) -> None:
    """Draw the visible next pieces, a single piece larger."""
    inside = pen.draw_panel(box, "Next")
    if not pieces:
        pen.draw_text("Not shown", (inside.centerx, inside.centery), 14, False, FAINT_TEXT, align=0.5)
        return
    shown, cell = pieces[:_MAX_NEXT_PIECES], 24
    if len(shown) == 1:
        pen.draw_piece((inside.centerx, inside.centery - 4), cell, shown)
        return
    slot_width = inside.width // len(shown)
    cell = max(6, min(20, slot_width // 4 - 1))
    for number, letter in enumerate(shown):
        pen.draw_piece((inside.left + slot_width // 2 + number * slot_width, inside.centery - 4), cell, letter)


def draw_score_panel(pen: Pen, box: Box, statistics: GameStatistics) -> None:
    """Draw the score, and as many other statistics as fit."""
    pen.draw_panel(box, "Score")
    left, width = box.left + PANEL_PADDING, box.width - 2 * PANEL_PADDING
    pen.draw_text(
        statistics.score,
        (left, box.top + 52),
        34 if pen.measure_text(statistics.score, 34, True) <= width else 24,
        True,
        STRONG_TEXT,
    )
    top = box.top + 80
    for label, number in statistics.labelled_rows[: max(0, (box.bottom - top - 4) // _ROW_HEIGHT)]:
        draw_statistics_row(pen, Box(left, top, width, _ROW_HEIGHT), label, number)
        top += _ROW_HEIGHT


def draw_keys_panel(pen: Pen, box: Box, decision: Decision | None, pressed_count: int) -> None:
    """Draw the keys of the current placement: pressed, current and remaining."""
    steps = merge_soft_drops(decision.find_keys()) if decision else ()
    inside = pen.draw_panel(box, "Keys", f"{pressed_count} of {len(steps)}" if steps else "")
    left, top = inside.left, inside.top + 20
    for number, step in enumerate(steps, 1):
        label = KEYCAP_LABELS[step.key]
        width = pen.measure_keycap(label)
        if left + width > inside.right:
            left, top = inside.left, top + 30
        if top + 12 > box.bottom - 8:
            break
        pen.draw_keycap(
            (left, top), label, "pressed" if number == pressed_count else "" if number < pressed_count else "dim"
        )
        left += width + 6
    if decision and not steps:
        pen.draw_text("Not reachable by keys", (inside.left, top), 14, False, FAINT_TEXT)


def get_second_mode(agent: Agent | None) -> SecondMode | None:
    """Return the second mode of an agent that has two modes, or None."""
    return getattr(agent, "second_mode", None)


def describe_mode_switch(second: SecondMode) -> str:
    """Describe when an agent changes to its second mode."""
    name, value = second.names[1].capitalize(), second.threshold
    if second.selector == "max_height":
        return f"{name} above {format_count(value - 1, 'row')}"
    measure = "board fill" if second.selector == "aggregate_height" else format_name(second.selector)
    return f"{name} if {measure} is {format_number(value, 0)} or more"


def get_height_threshold(second: SecondMode | None) -> float | None:
    """Return the stack height at which an agent changes its mode, or None if another feature decides."""
    return second.threshold if second and second.selector == "max_height" else None


def draw_mode_panel(pen: Pen, box: Box, second: SecondMode, mode: str) -> None:
    """Draw the current mode of an agent and when it changes."""
    inside = pen.draw_panel(box, "Mode")
    badge = Box(inside.left, box.top + 44, inside.width, 32)
    if mode:
        pen.draw_badge(badge, mode.capitalize(), is_negative=mode == second.names[1])
    text_height = box.bottom - badge.bottom - 12
    if text_height >= 20:
        pen.draw_paragraph(
            describe_mode_switch(second),
            (inside.left, badge.bottom + 20),
            inside.width,
            14,
            DIM_TEXT,
            max_lines=text_height // 20,
        )


def draw_height_panel(
    pen: Pen, box: Box, heights: Sequence[int], *, rows: int, threshold: float | None, compact: bool
) -> None:
    """Draw the stack height after each of the last pieces; `rows` is the height of the board."""
    current = format_count(heights[-1], "row") if heights else ""
    right_text = f"Last {HEIGHT_HISTORY_LENGTH} pieces" + (" · dashed: change of mode" if threshold is not None else "")
    inside = pen.draw_panel(box, "Stack height", "" if compact else right_text)
    if compact:
        pen.draw_text(current, (inside.right, box.top + 24), 14, True, STRONG_TEXT, align=1)
    chart = Box(inside.left, inside.top - 4, inside.width, inside.height + 8)
    series = [ChartLine("", heights, last_label=current)]
    empty_message = "Appears after the second piece."
    draw_chart(
        pen,
        chart,
        series,
        low=0,
        high=rows,
        threshold=threshold,
        show_end_labels=not compact,
        empty_message=empty_message,
    )
