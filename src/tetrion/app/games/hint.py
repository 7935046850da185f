"""Hints: the placement that an agent would choose for the current piece of a human player."""

from typing import NamedTuple

from tetrion.app.engine_loading import COMPILING_SHORT
from tetrion.app.games.adviser import Adviser
from tetrion.app.toolkit.ui import Ui
from tetrion.board import Placement
from tetrion.drawing.palette import ACCENT, DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT
from tetrion.drawing.pen import Box
from tetrion.game import Game


class HintText(NamedTuple):
    """The texts and colours of the hint panel."""

    dot_colour: str
    line_colour: str
    line: str
    explanation: str


class HintProvider:
    """Asks an agent about each new piece while hints are on; the game never waits for it."""

    def __init__(self, agent: str) -> None:
        self.adviser = Adviser(agent)
        self.is_on = False
        self._asked_piece: tuple[int, int, str] | None = None

    @property
    def problem(self) -> str:
        """The error message of the agent, or ""."""
        return self.adviser.problem

    def begin_game(self, agent: str) -> None:
        """Prepare for a new game with an agent."""
        self.adviser.change_agent(agent)
        if self.adviser.problem:
            self.restart()
        self._asked_piece = None

    def restart(self) -> None:
        """Ask the agent again about the current piece, after an error."""
        self.adviser.close()
        self._asked_piece = None

    def update(self, game: Game, is_running: bool) -> None:
        """Ask about a new piece while the game is running, and take the answer of the agent."""
        piece = identify_piece(game)
        if self.is_on and is_running and piece != self._asked_piece:
            self._asked_piece = piece
            self.adviser.ask(game.position)

    def get_placement(self, game: Game) -> Placement | None:
        """Return the placement that the agent would choose; None while it is unknown or hints are off."""
        decision = self.adviser.decision
        is_current = self.is_on and self._asked_piece == identify_piece(game)
        return decision.placement if decision and is_current else None

    def close(self) -> None:
        """Stop the agent."""
        self.adviser.close()

    def draw(self, ui: Ui, box: Box, game: Game, key: str, *, with_explanation: bool) -> None:
        """Draw the panel with the key that turns hints on and off; `with_explanation` adds a second line."""
        pen = ui.pen
        inside = pen.draw_panel(box, "Hint")
        key_width = pen.measure_keycap(key)
        key_box = Box(inside.right - key_width, box.top + 11, key_width, 24)
        pen.draw_keycap((key_box.left, box.top + 23), key)
        if ui.add_control("hint", key_box, radius=6).is_activated:
            self.is_on = not self.is_on
        is_narrow = pen.measure_text(f"{self.adviser.name} would play here") + 20 > inside.width
        text = self._describe(game, is_narrow)
        pen.draw_disc((inside.left + 6, box.top + 56), 4, text.dot_colour)
        left = inside.left + 20
        y = box.top + 56
        width = inside.width - 20
        if self.is_on and self.problem:
            max_lines = 3 if with_explanation else 2
            pen.draw_paragraph(text.line, (left, y), width, 14, text.line_colour, max_lines=max_lines)
            return
        pen.draw_text(pen.truncate_text(text.line, width), (left, y), 16, False, text.line_colour)
        if with_explanation:
            pen.draw_text(pen.truncate_text(text.explanation, width, 14), (left, y + 26), 14, False, DIM_TEXT)

    def _describe(self, game: Game, is_narrow: bool) -> HintText:
        name = self.adviser.name
        if not self.is_on:
            return HintText(FAINT_TEXT, DIM_TEXT, "Off", f"Ask {name} where to play.")
        if self.problem:
            return HintText(NEGATIVE, NORMAL_TEXT, self.problem, "")
        if self.get_placement(game) is None:
            explanation = COMPILING_SHORT if self.adviser.is_compiling else f"{name} is deciding."
            return HintText(FAINT_TEXT, DIM_TEXT, "Thinking…", explanation)
        line = name if is_narrow else f"{name} would play here"
        placement = self.get_placement(game)
        where = "Hold, then the dotted outline." if placement and placement.hold else "The dotted outline on the board."
        return HintText(ACCENT, NORMAL_TEXT, line, where)


def identify_piece(game: Game) -> tuple[int, int, str]:
    """Return what identifies the current piece of a game: also its letter, which changes when hold is used."""
    return id(game), game.pieces, game.piece
