"""A Q-learner's board: one learner, no population."""

from tetrion.app.evolution.history import LATELY, History
from tetrion.app.evolution.session import Snapshot
from tetrion.drawing.boards import draw_board
from tetrion.drawing.palette import DIM, STRONG
from tetrion.drawing.pen import PADDING, Box, Pen
from tetrion.evaluation.words import figure

TRAINS = (
    "Q-learning has no population. There is one learner: it plays episode after episode, and after each piece its "
    "weights move a little."
)
PLAYS = (
    "Q-learning has no population. There is one learner; here it plays a game by what it had learnt after episode {}."
)
ROW = 28
LEAST = 150  # units of width for the words


def draw_learner(pen: Pen, box: Box, now: Snapshot, again: bool) -> None:
    """Draw its board and say what is seen."""
    boards = now.boards
    pen.panel(box)
    if boards is None:
        return
    room = Box(box.left + PADDING, box.top + PADDING, box.width - 3 * PADDING - LEAST, box.height - 2 * PADDING)
    fitted = pen.fitted(room, boards.height, align=0)
    over = not boards.playing[0]
    stack = boards.stack(0)
    draw_board(pen.surface, pen.point(fitted.box.topleft), fitted.cell, stack, out=over, look=pen.look)
    left = fitted.box.right + 20
    width = box.right - PADDING - left
    words = PLAYS.format(f"{now.step:,}") if again else TRAINS
    pen.text("One learner", (left, box.top + 30), 18, True, STRONG)
    top = box.top + 62 + pen.paragraph(words, (left, box.top + 62), width, 15, DIM, most=14) + 16
    for number, (name, value) in enumerate(facts_of(now.history)):
        pen.row(Box(left, top + number * ROW, width, ROW), name, value)


def facts_of(history: History) -> list[tuple[str, str]]:
    """The episodes so far, in lines."""
    if not len(history):
        return []
    lines, means = history.curves.values()
    numbers = {"Last episode": lines[-1], "Best episode": lines.max(), f"Mean of {LATELY}": means[-1]}
    return [(name, figure(float(number), 0)) for name, number in numbers.items()]
