"""What several screens show of a game: the board between its panels, next pieces, keys and the mode of an agent."""

from tetrion.agents.agent import KeyStep
from tetrion.agents.weighted_agent import SecondMode
from tetrion.app.toolkit.frame import Frame
from tetrion.drawing.layout import Box, flexible, place, split_column, split_row
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.side_panels import draw_hold_and_queue
from tetrion.engine.rules import Rules
from tetrion.evaluation.number_format import format_count, format_name, format_number
from tetrion.game_facts import VisiblePieces, has_attack_layout

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


def split_around_board(pen: Pen, frame: Frame, rows: int) -> tuple[Box, FittedBoard, Box]:
    """Return the box left of the board, empty in the compact arrangement, the board, and the box right of it."""
    side, rest = split_row(frame.content, [200 if frame.is_wide else 0, flexible()], frame.gap)
    board_space, _ = split_row(rest, [flexible(), 300], frame.gap)
    fitted = pen.fit_board(board_space, rows, 0)
    return side, fitted, split_row(rest, [fitted.box.width, flexible()], frame.gap)[1]


def draw_pieces_column(pen: Pen, box: Box, rules: Rules, pieces: VisiblePieces, *, gap: int, next_height: int) -> int:
    """Draw the held and the next pieces at the top of a column; return the next free row.

    `gap` is the distance between panels, and `next_height` the height of the panel without the attack layout.
    """
    if has_attack_layout(rules):
        return draw_hold_and_queue(pen, box, gap, pieces, rules.preview)
    draw_next_panel(pen, Box(box.left, box.top, box.width, next_height), pieces.next)
    return box.top + next_height + gap


def draw_next_panel(pen: Pen, box: Box, pieces: str) -> None:
    """Draw the visible next pieces side by side."""
    inside = pen.draw_panel(box, "Next").move(0, -4)
    shown = pieces[:_MAX_NEXT_PIECES]
    if not shown:
        pen.draw_text("Not shown", inside.center, 14, False, FAINT_TEXT, align=0.5)
    for letter, slot in zip(shown, split_row(inside, [flexible()] * len(shown)), strict=True):
        pen.draw_piece(slot.center, 24 if len(shown) == 1 else max(6, min(20, slot.width // 4 - 1)), letter)


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
        state = "pressed" if number == pressed_count else "" if number < pressed_count else "dim"
        pen.draw_keycap((left, top), label, state)
        left += width + 6
    if key_steps == ():
        pen.draw_text("Not reachable by keys", (inside.left, top), 14, False, FAINT_TEXT)


def describe_mode_switch(second: SecondMode) -> str:
    """Describe when an agent changes to its second mode."""
    name, value = second.names[1].capitalize(), second.threshold
    if second.selector == "max_height":
        return f"{name} above {format_count(value - 1, 'row')}"
    return f"{name} if {format_name(second.selector)} is {format_number(value, 0)} or more"


def draw_mode_panel(pen: Pen, box: Box, second: SecondMode, mode: str) -> None:
    """Draw the current mode of an agent and when it changes."""
    badge, text = split_column(pen.draw_panel(box, "Mode"), [34, flexible()], 10)
    if mode:
        pen.draw_badge(place(badge, badge.width, 32, 0, 0), mode.capitalize(), is_negative=mode == second.names[1])
    if text.height >= 16:
        lines = (text.height + 8) // 20
        pen.draw_paragraph(
            describe_mode_switch(second), (text.left, text.top + 8), text.width, 14, DIM_TEXT, max_lines=lines
        )
