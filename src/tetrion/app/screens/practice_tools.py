"""Tools of the practice screen: gravity, rules, undo, redo and clear, and the message about the last action."""

from tetrion.app.games.practice_agent import MIN_WIDE_PANEL_WIDTH
from tetrion.app.games.practice_game import MAX_GRAVITY, PracticeGame
from tetrion.app.picker_options import list_rules_options
from tetrion.app.screens.practice_keys import PracticeKeys
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, draw_button, draw_slider
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, NEGATIVE, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.evaluation.number_format import format_count

_CONTROLS_HEIGHT = 176  # in one column
_WIDE_CONTROLS_HEIGHT = 88  # with two controls per row
_LINE_HEIGHT = 20
_MAX_MESSAGE_LINES = 4
_FONT_SIZE = 14
_DRAWING_HELP = "Left mouse button or {key}: draw cells. Right mouse button: erase them."
_CURSOR_HELP = "Space fills or erases a cell; hold it and move to draw a line."


class PracticeTools:
    """Panel with the tools of a practice game."""

    def __init__(self, keys: PracticeKeys) -> None:
        self._keys = keys
        self.rules_picker = Picker("rules", free_text_hint="rules such as nes:start_level=9")

    def compute_height(self, pen: Pen, width: int, game: PracticeGame) -> int:
        """Return the height of the panel, which depends on the length of the message."""
        controls = _CONTROLS_HEIGHT if width < MIN_WIDE_PANEL_WIDTH else _WIDE_CONTROLS_HEIGHT
        return controls + _LINE_HEIGHT * len(self._wrap_message(pen, width, game)) + 2 * PANEL_PADDING + 4

    def draw(self, ui: Ui, box: Box, game: PracticeGame, rules_text: str) -> None:
        """Draw the panel, in one column or in two rows, and use its controls."""
        ui.pen.draw_panel(box)
        inside = box.inflate(-2 * PANEL_PADDING, -2 * PANEL_PADDING)
        if box.width < MIN_WIDE_PANEL_WIDTH:
            self._draw_gravity(ui, Box(inside.left, inside.top, inside.width, 64), game)
            self.rules_picker.draw(ui, Box(inside.left, inside.top + 80, inside.width, BUTTON_HEIGHT), rules_text)
            buttons_top = inside.top + 132
        else:
            half = (inside.width - PANEL_PADDING) // 2
            self._draw_gravity(ui, Box(inside.left, inside.top - 8, half, 48), game)
            self.rules_picker.draw(ui, Box(inside.right - half, inside.top - 4, half, BUTTON_HEIGHT), rules_text)
            buttons_top = inside.top + 44
        self._draw_history_buttons(ui, Box(inside.left, buttons_top, inside.width, BUTTON_HEIGHT), game)
        colour = NEGATIVE if game.problem else DIM_TEXT
        for number, line in enumerate(self._wrap_message(ui.pen, box.width, game)):
            middle = buttons_top + BUTTON_HEIGHT + 20 + _LINE_HEIGHT * number
            ui.pen.draw_text(line, (inside.left, middle), _FONT_SIZE, False, colour)

    def choose_rules(self, ui: Ui) -> str:
        """Draw the list of rules if it is open; return newly chosen rules or an empty text."""
        return self.rules_picker.draw_list(ui, list_rules_options) or ""

    def _wrap_message(self, pen: Pen, width: int, game: PracticeGame) -> list[str]:
        help_text = _CURSOR_HELP if game.is_drawing else _DRAWING_HELP.format(key=self._keys.draw_key_label)
        lines = pen.wrap_text(game.problem or help_text, width - 2 * PANEL_PADDING, _FONT_SIZE)
        return lines[:_MAX_MESSAGE_LINES]

    def _draw_gravity(self, ui: Ui, box: Box, game: PracticeGame) -> None:
        ui.pen.draw_text("Gravity", (box.left, box.top + 10), 14, True, DIM_TEXT)
        text = f"{format_count(game.gravity, 'row')} per second" if game.gravity else "Off"
        ui.pen.draw_text(text, (box.right, box.top + 10), 14, False, STRONG_TEXT if game.gravity else DIM_TEXT, align=1)
        track = Box(box.left + 8, box.bottom - 28, box.width - 16, 24)
        share = draw_slider(ui, "gravity", track, game.gravity / MAX_GRAVITY, step=1 / MAX_GRAVITY)
        game.gravity = round(share * MAX_GRAVITY)

    def _draw_history_buttons(self, ui: Ui, box: Box, game: PracticeGame) -> None:
        history = game.history
        width = (box.width - 16) // 3
        for number, (name, is_enabled) in enumerate(
            (("Undo", history.can_undo), ("Redo", history.can_redo), ("Clear", bool(game.practice_board.stack.rows)))
        ):
            button_box = Box(box.left + number * (width + 8), box.top, width, BUTTON_HEIGHT)
            if draw_button(ui, name.lower(), button_box, name, is_enabled=is_enabled):
                if name == "Clear":
                    game.clear_board()
                else:
                    game.undo_or_redo(name == "Undo")
