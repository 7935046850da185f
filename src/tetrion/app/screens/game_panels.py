"""Panels about a running game: next pieces, keys and mode; and the statistics of a game."""

from typing import NamedTuple

from tetrion.agents import Agent
from tetrion.agents.agent import KeyStep
from tetrion.agents.weighted_agent import SecondMode
from tetrion.app.games.agent_game import AgentGame
from tetrion.board import Board
from tetrion.drawing.game_facts import VisiblePieces, has_attack_layout, list_attack_figures
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.side_panels import draw_hold_and_queue
from tetrion.engine.rules import Rules
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_name, format_number

KEYCAP_LABELS = {
    "left": "←",
    "right": "→",
    "rotate": "↑",
    "down": "↓",
    "drop": "Drop",
    "back": "Z",
    "half": "180°",
    "hold": "Hold",
}
_MAX_NEXT_PIECES = 6


class GameStatistics(NamedTuple):
    """Statistics of a game as formatted texts."""

    score: str
    lines: str
    pieces: str
    points_per_line: str
    tetrises: str
    holes: str
    pieces_per_second: str
    attack_figures: tuple[tuple[str, str], ...] = ()  # instead of the points per line and what follows it

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
            tuple(list_attack_figures(game)) if has_attack_layout(game.rules) else (),
        )

    @property
    def labelled_rows(self) -> list[tuple[str, str]]:
        """All statistics except the score, with their labels."""
        if self.attack_figures:
            return [("Lines", self.lines), ("Pieces", self.pieces), *self.attack_figures]
        names = ("Lines", "Pieces", "Points per line", "Tetrises", "Holes", "Pieces per second")
        return list(zip(names, self[1:7], strict=True))


def draw_pieces_column(pen: Pen, box: Box, rules: Rules, pieces: VisiblePieces, *, gap: int, next_height: int) -> int:
    """Draw the held and the next pieces at the top of a column; return the next free row.

    `gap` is the distance between panels, and `next_height` the height of the panel without the attack layout.
    """
    if has_attack_layout(rules):
        return draw_hold_and_queue(pen, box, gap, pieces, rules.preview)
    draw_next_panel(pen, Box(box.left, box.top, box.width, next_height), pieces.next)
    return box.top + next_height + gap


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


def draw_keys_panel(pen: Pen, box: Box, key_steps: tuple[KeyStep, ...] | None, pressed_count: int) -> None:
    """Draw the keys of the current placement (None: not decided yet): pressed, current and remaining."""
    steps = key_steps or ()
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
    if key_steps == ():
        pen.draw_text("Not reachable by keys", (inside.left, top), 14, False, FAINT_TEXT)


def get_second_mode(agent: Agent | None) -> SecondMode | None:
    """Return the second mode of an agent that has two modes, or None."""
    return getattr(agent, "second_mode", None)


def describe_mode_switch(second: SecondMode) -> str:
    """Describe when an agent changes to its second mode."""
    name, value = second.names[1].capitalize(), second.threshold
    if second.selector == "max_height":
        return f"{name} above {format_count(value - 1, 'row')}"
    return f"{name} if {format_name(second.selector)} is {format_number(value, 0)} or more"


def get_height_threshold(second: SecondMode | None) -> float | None:
    """Return the stack height at which an agent changes its mode, or None if another feature decides."""
    return second.threshold if second and second.selector == "max_height" else None


def draw_mode_panel(pen: Pen, box: Box, second: SecondMode, mode: str) -> None:
    """Draw the current mode of an agent and when it changes."""
    inside = pen.draw_panel(box, "Mode")
    badge = Box(inside.left, box.top + 42, inside.width, 32)
    if mode:
        pen.draw_badge(badge, mode.capitalize(), is_negative=mode == second.names[1])
    text_height = box.bottom - badge.bottom - 12
    if text_height >= 20:
        pen.draw_paragraph(
            describe_mode_switch(second),
            (inside.left, badge.bottom + 18),
            inside.width,
            14,
            DIM_TEXT,
            max_lines=text_height // 20,
        )
