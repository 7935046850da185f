"""An agent at the test bench: it is asked what it would do, and may do it, once or many times."""

from tetrion.app.choices import agent_options
from tetrion.app.games.adviser import Adviser
from tetrion.app.games.bench import Bench
from tetrion.app.readiness import PREPARING_FOR_IT
from tetrion.app.toolkit.controls import BUTTON, button, stepper
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.board import Placement
from tetrion.drawing.palette import BAD, DIM
from tetrion.drawing.pen import PADDING, Box
from tetrion.drawing.thinking import draw_thinking

BEST = 5  # placements that are explained
PACE = 0.25  # seconds that a move is seen before it is made
MOST_MOVES = 999
WIDE_FROM = 440  # units
HIGH, TALL, STATUS = 148, 198, 32  # of the panel: wide, narrow, and its last line, which may be left out
ASK = "Ask the agent, and its best placements appear here with what each feature adds to their scores."


class Asking:
    """Who is asked, about which bench, and how many moves are still to be made."""

    def __init__(self, agent: str) -> None:
        self.adviser = Adviser(agent)
        self.moves, self.left = 10, 0
        self.picker = Picker("agent", free="a file, class or folder")
        self._asked: Bench | None = None
        self._waited = 0.0

    def ask(self, bench: Bench) -> None:
        """Ask what it would do."""
        self._asked, self._waited = bench, 0.0
        self.adviser.ask(bench.position, BEST, afresh=True)

    def advice(self, bench: Bench) -> Placement | None:
        """What it would do on this very bench; None if it has not been asked or still thinks."""
        decision = self.adviser.decision
        return decision.placement if decision and self._asked is bench else None

    def stop(self) -> None:
        """Make no more moves."""
        self.left = 0

    def update(self, seconds: float, bench: Bench) -> Placement | None:
        """Let time pass; gives back a move that is due, where moves are to be made."""
        self.adviser.update()
        if not self.left:
            return None
        if self._asked is not bench:
            self.ask(bench)
        elif self.adviser.problem:
            self.stop()
        elif (advice := self.advice(bench)) is not None:
            self._waited += seconds
            if self._waited >= PACE:
                self.left -= 1
                return advice
        return None

    # What is seen.

    def draw(self, ui: Ui, box: Box, bench: Bench, *, status: bool) -> Placement | None:
        """Draw whom to ask, the question, and what to do with the answer; gives back a move that is to be made."""
        pen, inside = ui.pen, box.inflate(-2 * PADDING, -2 * PADDING)
        pen.panel(box)
        wide = box.width >= WIDE_FROM
        ask, place = (96, 128) if wide else ((inside.width - 8) // 2, (inside.width - 8) // 2)
        field = Box(inside.left, inside.top, inside.width - (ask + place + 16 if wide else 0), BUTTON)
        self.picker.draw(ui, field, self.adviser.agent)
        top, left = (inside.top, field.right + 8) if wide else (field.bottom + 10, inside.left)
        if button(ui, "ask", Box(left, top, ask, BUTTON), "Ask", key="A", primary=True, enabled=not self.left):
            self.ask(bench)
        advice = self.advice(bench)
        usable = advice is not None and not self.left
        used = button(ui, "place", Box(left + ask + 8, top, place, BUTTON), "Place it", key="P", enabled=usable)
        self._draw_moves(ui, Box(inside.left, top + BUTTON + 10, inside.width, BUTTON))
        if status:
            words, ink = self.status(bench)
            pen.text(pen.cut(words, inside.width, 14), (inside.left, inside.bottom - 6), 14, False, ink)
        return advice if used else None

    def draw_list(self, ui: Ui) -> None:
        """Draw the list of agents, while it is open."""
        if agent := self.picker.draw_list(ui, agent_options):
            self.adviser.change(agent)
            self._asked = None
            self.stop()

    def _draw_moves(self, ui: Ui, box: Box) -> None:
        self.moves = stepper(ui, "moves", Box(box.left, box.top, 120, BUTTON), self.moves, 1, MOST_MOVES)
        place = Box(box.left + 128, box.top, min(200, box.width - 128), BUTTON)
        words = "Stop" if self.left else "Let it play"
        if button(ui, "let it play", place, words, sign="pause" if self.left else "play"):
            self.left, self._asked = (0 if self.left else self.moves), None

    def status(self, bench: Bench) -> tuple[str, str]:
        """How it stands, and in which colour that is written."""
        adviser = self.adviser
        if self._asked is not None and adviser.problem:
            return adviser.problem, BAD
        if self.left:
            return f"{self.left} of {self.moves} moves left", DIM
        if self._asked is not None and adviser.thinking:
            return PREPARING_FOR_IT if adviser.preparing else "Thinking…", DIM
        if self.advice(bench):
            return f"{adviser.name} would play at the dotted outline.", DIM
        return "What it plays can be taken back.", DIM

    def draw_thinking(self, ui: Ui, box: Box, bench: Bench) -> None:
        """Draw its reasons, or how to get them."""
        decision = self.adviser.decision
        if decision and self.advice(bench):
            time = f"{1000 * decision.seconds:,.0f} ms" if decision.seconds >= 0.001 else "under 1 ms"
            draw_thinking(ui.pen, box, decision.explanation, bench.stack, time=time)
            return
        inside = ui.pen.panel(box, "Thinking")
        told = self._asked is not None and (self.adviser.problem or self.adviser.thinking)
        ui.pen.paragraph(self.status(bench)[0] if told else ASK, (inside.left, inside.top + 12), inside.width, 16, DIM)
