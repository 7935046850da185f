"""The agent of the practice screen, which can be asked for advice and can make moves."""

from tetrion.app.engine_loading import COMPILING_SHORT
from tetrion.app.games.adviser import Adviser, describe_advice
from tetrion.app.games.practice_board import PracticeBoard
from tetrion.app.picker_options import list_agent_options
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, draw_button, draw_stepper
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.board import Placement
from tetrion.drawing.palette import DIM_TEXT, NEGATIVE
from tetrion.drawing.pen import PANEL_PADDING, Box
from tetrion.drawing.thinking_panel import draw_thinking_panel

_EXPLAINED_PLACEMENTS = 5
_MOVE_SHOWN_SECONDS = 0.25  # before it is made
_MAX_MOVES = 999
MIN_WIDE_PANEL_WIDTH = 440
WIDE_PANEL_HEIGHT = 148
NARROW_PANEL_HEIGHT = 198
STATUS_LINE_HEIGHT = 32  # included in the heights above; the line is optional
_ASK_HELP = "Ask the agent to see its best placements and the contribution of each feature to their scores."


class PracticeAgent:
    """The agent that is asked, the board it was asked about, and the number of moves it still makes."""

    def __init__(self, agent: str) -> None:
        self.adviser = Adviser(agent)
        self._requested_agent = agent
        self.moves = 10
        self.moves_left = 0
        self.picker = Picker("agent", free_text_hint="a file, class or folder")
        self._asked_board: PracticeBoard | None = None
        self._shown_seconds = 0.0

    def ask(self, board: PracticeBoard) -> None:
        """Ask the agent about a board."""
        self._asked_board = board
        self._shown_seconds = 0.0
        self.adviser.ask(board.position, _EXPLAINED_PLACEMENTS, force=True)

    def get_advice(self, board: PracticeBoard) -> Placement | None:
        """Return the choice of the agent on this board; None if it was not asked or is still thinking."""
        decision = self.adviser.decision
        return decision.placement if decision and self._asked_board is board else None

    def stop(self) -> None:
        """Stop making moves."""
        self.moves_left = 0

    def close(self) -> None:
        """Stop the agent; it starts again when it is asked."""
        self.stop()
        self._asked_board = None
        self.adviser.close()

    def request_agent(self, agent: str) -> None:
        """Change to an agent that is asked for, unless it was also the last one asked for: a choice made here stays."""
        if agent != self._requested_agent:
            self._requested_agent = agent
            self._change_agent(agent)

    def _change_agent(self, agent: str) -> None:
        self.adviser.change_agent(agent)
        self._asked_board = None
        self.stop()

    def update(self, seconds: float, board: PracticeBoard) -> Placement | None:
        """Advance by `seconds`; return the move to make now, or None."""
        if not self.moves_left:
            return None
        if self._asked_board is not board:
            self.ask(board)
        elif self.adviser.problem:
            self.stop()
        elif (advice := self.get_advice(board)) is not None:
            self._shown_seconds += seconds
            if self._shown_seconds >= _MOVE_SHOWN_SECONDS:
                self.moves_left -= 1
                return advice
        return None

    # Drawing.

    def draw(self, ui: Ui, box: Box, board: PracticeBoard, *, with_status: bool) -> Placement | None:
        """Draw the panel with the agent and its buttons; return the move to make now, or None."""
        pen = ui.pen
        inside = box.inflate(-2 * PANEL_PADDING, -2 * PANEL_PADDING)
        pen.draw_panel(box)
        is_wide = box.width >= MIN_WIDE_PANEL_WIDTH
        half_width = (inside.width - 8) // 2
        ask_width = 96 if is_wide else half_width
        place_width = 128 if is_wide else half_width
        field_width = inside.width - (ask_width + place_width + 16 if is_wide else 0)
        field = Box(inside.left, inside.top, field_width, BUTTON_HEIGHT)
        self.picker.draw(ui, field, self.adviser.agent)
        top = inside.top if is_wide else field.bottom + 10
        left = field.right + 8 if is_wide else inside.left
        ask_box = Box(left, top, ask_width, BUTTON_HEIGHT)
        if draw_button(ui, "ask", ask_box, "Ask", key="A", is_primary=True, is_enabled=not self.moves_left):
            self.ask(board)
        advice = self.get_advice(board)
        can_place = advice is not None and not self.moves_left
        place_box = Box(left + ask_width + 8, top, place_width, BUTTON_HEIGHT)
        is_used = draw_button(ui, "place", place_box, "Place it", key="P", is_enabled=can_place)
        self._draw_move_controls(ui, Box(inside.left, top + BUTTON_HEIGHT + 10, inside.width, BUTTON_HEIGHT))
        if with_status:
            text, colour = self.describe_status(board)
            text = pen.truncate_text(text, inside.width, 14)
            pen.draw_text(text, (inside.left, inside.bottom - 6), 14, False, colour)
        return advice if is_used else None

    def draw_agent_list(self, ui: Ui) -> None:
        """Draw the list of agents if it is open."""
        if agent := self.picker.draw_list(ui, list_agent_options):
            self._change_agent(agent)

    def _draw_move_controls(self, ui: Ui, box: Box) -> None:
        stepper_box = Box(box.left, box.top, 120, BUTTON_HEIGHT)
        self.moves = draw_stepper(ui, "moves", stepper_box, self.moves, min_value=1, max_value=_MAX_MOVES)
        button_box = Box(box.left + 128, box.top, min(200, box.width - 128), BUTTON_HEIGHT)
        label = "Stop" if self.moves_left else "Let it play"
        if draw_button(ui, "let it play", button_box, label, icon="pause" if self.moves_left else "play"):
            self.moves_left = 0 if self.moves_left else self.moves
            self._asked_board = None

    def describe_status(self, board: PracticeBoard) -> tuple[str, str]:
        """Return the status line and its colour."""
        adviser = self.adviser
        if self._asked_board is not None and adviser.problem:
            return adviser.problem, NEGATIVE
        if self.moves_left:
            return f"{self.moves_left} of {self.moves} moves left", DIM_TEXT
        if self._asked_board is not None and adviser.is_thinking:
            return COMPILING_SHORT if adviser.is_compiling else "Thinking…", DIM_TEXT
        if advice := self.get_advice(board):
            return describe_advice(adviser.name, advice), DIM_TEXT
        return "You can undo the moves of the agent.", DIM_TEXT

    def draw_thinking(self, ui: Ui, box: Box, board: PracticeBoard) -> None:
        """Draw the explanation of the agent, or how to get it."""
        decision = self.adviser.decision
        if decision and self.get_advice(board):
            time = f"{1000 * decision.seconds:,.0f} ms" if decision.seconds >= 0.001 else "under 1 ms"
            draw_thinking_panel(ui.pen, box, decision.explanation, board.stack, time_text=time)
            return
        inside = ui.pen.draw_panel(box, "Thinking")
        has_status = self._asked_board is not None and (self.adviser.problem or self.adviser.is_thinking)
        text = self.describe_status(board)[0] if has_status else _ASK_HELP
        ui.pen.draw_paragraph(text, (inside.left, inside.top + 12), inside.width, 16, DIM_TEXT)
