"""What an agent would do with the piece that a person has: asked for each new one, and shown beside the board."""

from tetrion.app.games.adviser import Adviser
from tetrion.app.readiness import PREPARING_FOR_IT
from tetrion.app.toolkit.ui import Ui
from tetrion.board import Placement
from tetrion.drawing.palette import ACCENT, BAD, DIM, FAINT, TEXT
from tetrion.drawing.pen import Box
from tetrion.game import Game


class Hinting:
    """A hint that can be turned on and off; it never keeps the game waiting."""

    def __init__(self, agent: str) -> None:
        self.adviser = Adviser(agent)
        self.on = False
        self._asked: tuple[int, int] | None = None

    @property
    def problem(self) -> str:
        """What has gone wrong with the agent, else nothing."""
        return self.adviser.problem

    def begin(self, agent: str) -> None:
        """Another game begins, perhaps with another agent to ask."""
        self.adviser.change(agent)
        if self.adviser.problem:
            self.adviser.close()
        self._asked = None

    def update(self, game: Game, going: bool) -> None:
        """Ask about a new piece while the game goes on, and hear what is told."""
        self.adviser.update()
        here = id(game), game.pieces
        if self.on and going and here != self._asked:
            self._asked = here
            self.adviser.ask(game.position)

    def place(self, game: Game) -> Placement | None:
        """Where the agent would play the current piece; None while that is not known or not wanted."""
        decision = self.adviser.decision
        asked = self.on and self._asked == (id(game), game.pieces)
        return decision.placement if decision and asked else None

    def close(self) -> None:
        """Ask nothing more."""
        self.adviser.close()

    def draw(self, ui: Ui, box: Box, game: Game, key: str, *, explained: bool) -> None:
        """Draw the panel, with the key that turns the hint on; where there is little room, nothing is explained."""
        pen, inside = ui.pen, ui.pen.panel(box, "Hint")
        wide = pen.keycap_width(key)
        switch = Box(inside.right - wide, box.top + 11, wide, 24)
        touch = ui.control("hint", switch, radius=6)
        pen.keycap((switch.left, box.top + 23), key)
        if touch.activated:
            self.on = not self.on
        short = pen.width_of(f"{self.adviser.name} would play here") + 20 > inside.width
        dot, line, below, ink = self._words(game, short)
        pen.disc((inside.left + 6, box.top + 56), 4, dot)
        place, room = (inside.left + 20, box.top + 56), inside.width - 20
        if self.on and self.problem:
            pen.paragraph(line, place, room, 14, ink, most=3 if explained else 2)
            return
        pen.text(pen.cut(line, room), place, 16, False, ink)
        if explained:
            pen.text(pen.cut(below, room, 14), (place[0], place[1] + 26), 14, False, DIM)

    def _words(self, game: Game, short: bool) -> tuple[str, str, str, str]:
        """The colour of the dot, the line, what stands below it, and the line's colour."""
        name = self.adviser.name
        if not self.on:
            return FAINT, "Off", f"Ask {name} where to play.", DIM
        if self.problem:
            return BAD, self.problem, "", TEXT
        if self.place(game) is None:
            below = PREPARING_FOR_IT if self.adviser.preparing else f"{name} decides."
            return FAINT, "Thinking…", below, DIM
        return ACCENT, name if short else f"{name} would play here", "The dotted outline on the board.", TEXT
