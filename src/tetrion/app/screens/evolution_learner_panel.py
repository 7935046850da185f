"""A Q-learner's board: one learner, no population."""

from tetrion.app.evolution.evolution_session import SessionSnapshot
from tetrion.app.evolution.run_history import MOVING_MEAN_EPISODES, RunHistory
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.palette import DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.evaluation.number_format import format_number

_TRAINING_TEXT = (
    "Q-learning has no population. There is one learner: it plays episode after episode, and after each piece its "
    "weights move a little."
)
_REPLAY_TEXT = (
    "Q-learning has no population. There is one learner; here it plays a game by what it had learnt after episode {}."
)
_ROW_HEIGHT = 28
_MIN_TEXT_WIDTH = 150  # units of width for the words


def draw_learner(pen: Pen, box: Box, snapshot: SessionSnapshot, is_replay: bool) -> None:
    """Draw its board and say what is seen."""
    boards = snapshot.boards
    pen.draw_panel(box)
    if boards is None:
        return
    room = Box(
        box.left + PANEL_PADDING,
        box.top + PANEL_PADDING,
        box.width - 3 * PANEL_PADDING - _MIN_TEXT_WIDTH,
        box.height - 2 * PANEL_PADDING,
    )
    fitted = pen.fit_board(room, boards.height, align=0)
    over = not boards.is_playing[0]
    stack = boards.make_stack(0)
    draw_board(
        pen.surface, pen.to_pixel_point(fitted.box.topleft), fitted.cell_size, stack, is_over=over, style=pen.style
    )
    left = fitted.box.right + 20
    width = box.right - PANEL_PADDING - left
    words = _REPLAY_TEXT.format(f"{snapshot.generation:,}") if is_replay else _TRAINING_TEXT
    pen.draw_text("One learner", (left, box.top + 30), 18, True, STRONG_TEXT)
    top = box.top + 62 + pen.draw_paragraph(words, (left, box.top + 62), width, 15, DIM_TEXT, max_lines=14) + 16
    for number, (name, value) in enumerate(summarise_episodes(snapshot.history)):
        pen.draw_row(Box(left, top + number * _ROW_HEIGHT, width, _ROW_HEIGHT), name, value)


def summarise_episodes(history: RunHistory) -> list[tuple[str, str]]:
    """The episodes so far, in lines."""
    if not len(history):
        return []
    lines, means = history.curves.values()
    numbers = {"Last episode": lines[-1], "Best episode": lines.max(), f"Mean of {MOVING_MEAN_EPISODES}": means[-1]}
    return [(name, format_number(float(number), 0)) for name, number in numbers.items()]
