"""What an agent would do with the piece that a person has: asked for each new one, and shown beside the board."""

from tetrion.app.engine_loading import COMPILING_SHORT
from tetrion.app.games.adviser import Adviser
from tetrion.app.toolkit.ui import Ui
from tetrion.board import Placement
from tetrion.drawing.palette import ACCENT, DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT
from tetrion.drawing.pen import Box
from tetrion.game import Game


class HintProvider:
    """A hint that can be turned on and off; it never keeps the game waiting."""

    def __init__(self, agent: str) -> None:
        self.adviser = Adviser(agent)
        self.is_on = False
        self._asked_piece: tuple[int, int] | None = None

    @property
    def problem(self) -> str:
        """What has gone wrong with the agent, else nothing."""
        return self.adviser.problem

    def begin_game(self, agent: str) -> None:
        """Another game begins, perhaps with another agent to ask."""
        self.adviser.change_agent(agent)
        if self.adviser.problem:
            self.adviser.close()
        self._asked_piece = None

    def update(self, game: Game, is_running: bool) -> None:
        """Ask about a new piece while the game goes on, and hear what is told."""
        self.adviser.update()
        here = id(game), game.pieces
        if self.is_on and is_running and here != self._asked_piece:
            self._asked_piece = here
            self.adviser.ask(game.position)

    def get_placement(self, game: Game) -> Placement | None:
        """Where the agent would play the current piece; None while that is not known or not wanted."""
        decision = self.adviser.decision
        asked = self.is_on and self._asked_piece == (id(game), game.pieces)
        return decision.placement if decision and asked else None

    def close(self) -> None:
        """Ask nothing more."""
        self.adviser.close()

    def draw(self, ui: Ui, box: Box, game: Game, key: str, *, with_explanation: bool) -> None:
        """Draw the panel, with the key that turns the hint on; where there is little room, nothing is explained."""
        pen, inside = ui.pen, ui.pen.draw_panel(box, "Hint")
        wide = pen.measure_keycap(key)
        switch = Box(inside.right - wide, box.top + 11, wide, 24)
        touch = ui.add_control("hint", switch, radius=6)
        pen.draw_keycap((switch.left, box.top + 23), key)
        if touch.is_activated:
            self.is_on = not self.is_on
        short = pen.measure_text(f"{self.adviser.name} would play here") + 20 > inside.width
        dot, line, below, ink = self._describe(game, short)
        pen.draw_disc((inside.left + 6, box.top + 56), 4, dot)
        place, room = (inside.left + 20, box.top + 56), inside.width - 20
        if self.is_on and self.problem:
            pen.draw_paragraph(line, place, room, 14, ink, max_lines=3 if with_explanation else 2)
            return
        pen.draw_text(pen.truncate_text(line, room), place, 16, False, ink)
        if with_explanation:
            pen.draw_text(pen.truncate_text(below, room, 14), (place[0], place[1] + 26), 14, False, DIM_TEXT)

    def _describe(self, game: Game, short: bool) -> tuple[str, str, str, str]:
        """The colour of the dot, the line, what stands below it, and the line's colour."""
        name = self.adviser.name
        if not self.is_on:
            return FAINT_TEXT, "Off", f"Ask {name} where to play.", DIM_TEXT
        if self.problem:
            return NEGATIVE, self.problem, "", NORMAL_TEXT
        if self.get_placement(game) is None:
            below = COMPILING_SHORT if self.adviser.is_compiling else f"{name} decides."
            return FAINT_TEXT, "Thinking…", below, DIM_TEXT
        return ACCENT, name if short else f"{name} would play here", "The dotted outline on the board.", NORMAL_TEXT
