"""An agent at the test bench: it is asked what it would do, and may do it, once or many times."""

from tetrion.app.engine_loading import COMPILING_SHORT
from tetrion.app.games.adviser import Adviser
from tetrion.app.games.practice_board import PracticeBoard
from tetrion.app.picker_options import list_agent_options
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, draw_button, draw_stepper
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.board import Placement
from tetrion.drawing.palette import DIM_TEXT, NEGATIVE
from tetrion.drawing.pen import PANEL_PADDING, Box
from tetrion.drawing.thinking_panel import draw_thinking_panel

_EXPLAINED_PLACEMENTS = 5  # placements that are explained
_MOVE_SHOWN_SECONDS = 0.25  # seconds that a move is seen before it is made
_MAX_MOVES = 999
MIN_WIDE_PANEL_WIDTH = 440  # units
# of the panel: wide, narrow, and its last line, which may be left out
WIDE_PANEL_HEIGHT = 148
NARROW_PANEL_HEIGHT = 198
STATUS_LINE_HEIGHT = 32
_ASK_HELP = "Ask the agent, and its best placements appear here with what each feature adds to their scores."


class PracticeAgent:
    """Who is asked, about which bench, and how many moves are still to be made."""

    def __init__(self, agent: str) -> None:
        self.adviser = Adviser(agent)
        self.moves = 10
        self.moves_left = 0
        self.picker = Picker("agent", free_text_hint="a file, class or folder")
        self._asked_board: PracticeBoard | None = None
        self._shown_seconds = 0.0

    def ask(self, bench: PracticeBoard) -> None:
        """Ask what it would do."""
        self._asked_board = bench
        self._shown_seconds = 0.0
        self.adviser.ask(bench.position, _EXPLAINED_PLACEMENTS, force=True)

    def get_advice(self, bench: PracticeBoard) -> Placement | None:
        """What it would do on this very bench; None if it has not been asked or still thinks."""
        decision = self.adviser.decision
        return decision.placement if decision and self._asked_board is bench else None

    def stop(self) -> None:
        """Make no more moves."""
        self.moves_left = 0

    def update(self, seconds: float, bench: PracticeBoard) -> Placement | None:
        """Let time pass; gives back a move that is due, where moves are to be made."""
        self.adviser.update()
        if not self.moves_left:
            return None
        if self._asked_board is not bench:
            self.ask(bench)
        elif self.adviser.problem:
            self.stop()
        elif (advice := self.get_advice(bench)) is not None:
            self._shown_seconds += seconds
            if self._shown_seconds >= _MOVE_SHOWN_SECONDS:
                self.moves_left -= 1
                return advice
        return None

    # What is seen.

    def draw(self, ui: Ui, box: Box, bench: PracticeBoard, *, with_status: bool) -> Placement | None:
        """Draw whom to ask, the question, and what to do with the answer; gives back a move that is to be made."""
        pen, inside = ui.pen, box.inflate(-2 * PANEL_PADDING, -2 * PANEL_PADDING)
        pen.draw_panel(box)
        wide = box.width >= MIN_WIDE_PANEL_WIDTH
        ask, place = (96, 128) if wide else ((inside.width - 8) // 2, (inside.width - 8) // 2)
        field = Box(inside.left, inside.top, inside.width - (ask + place + 16 if wide else 0), BUTTON_HEIGHT)
        self.picker.draw(ui, field, self.adviser.agent)
        top, left = (inside.top, field.right + 8) if wide else (field.bottom + 10, inside.left)
        if draw_button(
            ui,
            "ask",
            Box(left, top, ask, BUTTON_HEIGHT),
            "Ask",
            key="A",
            is_primary=True,
            is_enabled=not self.moves_left,
        ):
            self.ask(bench)
        advice = self.get_advice(bench)
        usable = advice is not None and not self.moves_left
        used = draw_button(
            ui, "place", Box(left + ask + 8, top, place, BUTTON_HEIGHT), "Place it", key="P", is_enabled=usable
        )
        self._draw_move_controls(ui, Box(inside.left, top + BUTTON_HEIGHT + 10, inside.width, BUTTON_HEIGHT))
        if with_status:
            words, ink = self.describe_status(bench)
            pen.draw_text(pen.truncate_text(words, inside.width, 14), (inside.left, inside.bottom - 6), 14, False, ink)
        return advice if used else None

    def draw_agent_list(self, ui: Ui) -> None:
        """Draw the list of agents, while it is open."""
        if agent := self.picker.draw_list(ui, list_agent_options):
            self.adviser.change_agent(agent)
            self._asked_board = None
            self.stop()

    def _draw_move_controls(self, ui: Ui, box: Box) -> None:
        self.moves = draw_stepper(ui, "moves", Box(box.left, box.top, 120, BUTTON_HEIGHT), self.moves, 1, _MAX_MOVES)
        place = Box(box.left + 128, box.top, min(200, box.width - 128), BUTTON_HEIGHT)
        words = "Stop" if self.moves_left else "Let it play"
        if draw_button(ui, "let it play", place, words, icon="pause" if self.moves_left else "play"):
            self.moves_left = 0 if self.moves_left else self.moves
            self._asked_board = None

    def describe_status(self, bench: PracticeBoard) -> tuple[str, str]:
        """How it stands, and in which colour that is written."""
        adviser = self.adviser
        if self._asked_board is not None and adviser.problem:
            return adviser.problem, NEGATIVE
        if self.moves_left:
            return f"{self.moves_left} of {self.moves} moves left", DIM_TEXT
        if self._asked_board is not None and adviser.is_thinking:
            return COMPILING_SHORT if adviser.is_compiling else "Thinking…", DIM_TEXT
        if self.get_advice(bench):
            return f"{adviser.name} would play at the dotted outline.", DIM_TEXT
        return "What it plays can be taken back.", DIM_TEXT

    def draw_thinking(self, ui: Ui, box: Box, bench: PracticeBoard) -> None:
        """Draw its reasons, or how to get them."""
        decision = self.adviser.decision
        if decision and self.get_advice(bench):
            time = f"{1000 * decision.seconds:,.0f} ms" if decision.seconds >= 0.001 else "under 1 ms"
            draw_thinking_panel(ui.pen, box, decision.explanation, bench.stack, time_text=time)
            return
        inside = ui.pen.draw_panel(box, "Thinking")
        told = self._asked_board is not None and (self.adviser.problem or self.adviser.is_thinking)
        ui.pen.draw_paragraph(
            self.describe_status(bench)[0] if told else _ASK_HELP,
            (inside.left, inside.top + 12),
            inside.width,
            16,
            DIM_TEXT,
        )
