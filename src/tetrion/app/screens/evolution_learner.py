"""A Q-learner's board: one learner, no population."""

from tetrion.app.stage import Boards
from tetrion.drawing.boards import draw_board
from tetrion.drawing.palette import DIM, STRONG
from tetrion.drawing.pen import PADDING, Box, Pen

TRAINS = (
    "Q-learning has no population. There is one learner: it plays episode after episode, and after each piece its "
    "weights move a little."
)
PLAYS = (
    "Q-learning has no population. There is one learner; here it plays a game by what it had learnt after episode {}."
)
LEAST = 150  # units of width for the words


def draw_learner(pen: Pen, box: Box, boards: Boards, again: bool, episode: int) -> None:
    """Draw its board and say what is seen."""
    pen.panel(box)
    room = Box(box.left + PADDING, box.top + PADDING, box.width - 3 * PADDING - LEAST, box.height - 2 * PADDING)
    fitted = pen.fitted(room, boards.height, align=0)
    over = not boards.playing[0]
    stack = boards.stack(0)
    draw_board(pen.surface, pen.point(fitted.box.topleft), fitted.cell, stack, out=over, look=pen.look)
    left = fitted.box.right + 20
    width = box.right - PADDING - left
    words = PLAYS.format(f"{episode:,}") if again else TRAINS
    pen.text("One learner", (left, box.top + 30), 18, True, STRONG)
    pen.paragraph(words, (left, box.top + 62), width, 15, DIM, most=14)
