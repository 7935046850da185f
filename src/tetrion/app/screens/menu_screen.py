"""Menu screen: a list of screens next to a demo game."""

from functools import cache
from typing import NamedTuple

from tetrion.app.engine_loading import DEMO_AGENT, LOADING_ENGINE, describe_compilation, get_engine_loader
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.screen import Screen
from tetrion.app.screens.watch_screen import draw_agent_game
from tetrion.app.toolkit.header_footer import draw_key_legend, draw_logo
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import ACTIVE_CELL, LOCKED_CELL
from tetrion.drawing.palette import (
    BACKGROUND,
    DIM_TEXT,
    FAINT_TEXT,
    HEADER_SEPARATOR,
    NORMAL_TEXT,
    RAISED_PANEL,
    STRONG_TEXT,
    mix_colours,
)
from tetrion.drawing.pen import Box
from tetrion.engine.rules import Rules
from tetrion.evaluation.number_format import format_count
from tetrion.stack import Stack

_MIN_WIDTH_FOR_BOARD = 1080  # units of window width
_LIST_WIDTH = 600
_ROW_HEIGHT = 56
_ROW_SPACING = 62
_MENU_HEIGHT = 740  # units
_MIN_MARGIN = 12  # units between the last row and the footer
_MAX_SHRINK = 90  # units by which the menu may be lower in a small window
_STATUS_TEXT_WIDTH = 480  # units, below the board until the demo game starts
_FOOTER_HEIGHT = 60
_DEMO_RULES = Rules.from_preset(DEMO_AGENT)


class MenuItem(NamedTuple):
    """One line of the menu."""

    piece: str  # its sign; "" for none
    label: str
    description: str
    screen: str


MENU_ITEMS = (
    MenuItem("T", "Play", "Play a game yourself", "play"),
    MenuItem("S", "Watch", "Watch an agent and how it decides", "watch"),
    MenuItem("O", "Versus", "Two players on the same pieces", "versus"),
    MenuItem("L", "Evolution", "Train agents, generation by generation", "evolution"),
    MenuItem("I", "Practice", "Try placements freely and ask an agent", "practice"),
    MenuItem("J", "Replays", "Saved games", "replays"),
    MenuItem("Z", "Settings", "Colours, keys, sound, motion", "settings"),
    MenuItem("", "Quit", "", ""),
)


class MenuScreen(Screen):
    """Title screen with the menu."""

    title = "Menu"

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.demo_game: AgentGame | None = None
        self.selected_label = "Watch"
        self.has_been_drawn = False  # the engine is loaded after the first frame

    @property
    def is_moving(self) -> bool:
        """Whether the engine is being loaded or the demo game is visible."""
        if get_engine_loader().problem:
            return False
        return not get_engine_loader().is_ready or self.window.ui.pen.width >= _MIN_WIDTH_FOR_BOARD

    def update(self, seconds: float) -> None:
        """Advance the demo game, and restart it with the next seed when it is over."""
        if self.demo_game is None:
            if not self.has_been_drawn or not get_engine_loader().is_ready:
                return
            self.demo_game = AgentGame(DEMO_AGENT, _DEMO_RULES, 0)
        self.demo_game.update(seconds)
        self.demo_game.locks.clear()
        if self.demo_game.game.is_over:
            self.demo_game.restart(self.demo_game.seed + 1)

    def on_leave(self) -> None:
        """Close the demo game."""
        if self.demo_game:
            self.demo_game.close()

    def draw(self, ui: Ui) -> None:
        """Draw the list and, in a wide window, the board."""
        pen = ui.pen
        with_board = pen.width >= _MIN_WIDTH_FOR_BOARD
        left = round(0.075 * pen.width) if with_board else (pen.width - _LIST_WIDTH) // 2
        available_height = pen.height - _FOOTER_HEIGHT
        offset = (
            (available_height - _MENU_HEIGHT) // 2
            if available_height >= _MENU_HEIGHT
            else max(-_MAX_SHRINK, available_height - _MENU_HEIGHT) // 2
        )
        draw_logo(pen, (left, 94 + offset), 13)
        pen.draw_text("Tetrion", (left + 62, 93 + offset), 56, True, STRONG_TEXT)
        pen.draw_text("Play Tetris. Watch machines learn it.", (left, 150 + offset), 20, False, DIM_TEXT)
        top = 198 + offset + min(0, offset) // 3
        step = min(_ROW_SPACING, (available_height - top - _MIN_MARGIN) // len(MENU_ITEMS))
        for number, item in enumerate(MENU_ITEMS):
            self._draw_item(
                ui, Box(left - 20, top + step * number, _LIST_WIDTH + 4, min(_ROW_HEIGHT, step - 4)), number, item
            )
        if with_board:
            self._draw_demo_board(ui)
        pen.draw_separator(0, pen.height - _FOOTER_HEIGHT, pen.width, HEADER_SEPARATOR)
        footer = Box(left - 20, pen.height - _FOOTER_HEIGHT, pen.width - 2 * left + 40, _FOOTER_HEIGHT)
        if not self.window.notice:  # which has its place here
            keys = [(["↑", "↓"], "Choose"), (["Enter"], "Open"), (["F11"], "Full screen")]
            draw_key_legend(ui, footer, keys, align=0)
            pen.draw_text(format_version(), (footer.right - 20, footer.centery), 14, False, FAINT_TEXT, align=1)
        ui.notice_area = Box(left - 20, footer.top + 12, pen.width - 2 * left + 40, _FOOTER_HEIGHT - 24)
        if not ui.focus:
            ui.request_focus(self.selected_label)
        self.has_been_drawn = True

    def _draw_item(self, ui: Ui, box: Box, number: int, item: MenuItem) -> None:
        control = ui.add_control(item.label, box, radius=8, group="menu", key=str(number + 1))
        if control.is_focused or control.is_hovered:
            ui.pen.fill_rounded(
                box, 8, RAISED_PANEL if control.is_focused else mix_colours(BACKGROUND, RAISED_PANEL, 0.5)
            )
        if item.piece:
            cell_style = ACTIVE_CELL if control.is_focused else LOCKED_CELL
            ui.pen.draw_piece((box.left + 44, box.centery), 13, item.piece, cell_style)
        ui.pen.draw_text(
            item.label, (box.left + 100, box.centery), 22, True, STRONG_TEXT if control.is_focused else NORMAL_TEXT
        )
        ui.pen.draw_text(
            item.description,
            (box.left + 224, box.centery + 1),
            16,
            False,
            NORMAL_TEXT if control.is_focused else FAINT_TEXT,
        )
        if control.is_focused:
            width = ui.pen.measure_keycap("Enter")
            ui.pen.draw_keycap((box.right - width - 20, box.centery), "Enter")
        if control.is_activated:
            self._open_item(item)

    def _open_item(self, item: MenuItem) -> None:
        self.selected_label = item.label
        self.window.sound.play("choose")
        if item.screen:
            self.window.open_screen_by_name(item.screen)
        else:
            self.window.close_screen()

    def _draw_demo_board(self, ui: Ui) -> None:
        pen, agent_game = ui.pen, self.demo_game
        right = round(0.925 * pen.width)
        board_area = Box(right - 460, 48, 460, pen.height - _FOOTER_HEIGHT - 48 - 40)
        fitted = pen.fit_board(board_area, _DEMO_RULES.height, align=1)
        if agent_game:
            draw_agent_game(pen, fitted, agent_game, self.window.settings, show_thinking=False)
        else:
            origin = pen.to_pixel_point(fitted.box.topleft)
            draw_board(pen.surface, origin, fitted.cell_size, Stack(height=_DEMO_RULES.height), style=pen.style)
        below = fitted.box.bottom + 23
        if agent_game and agent_game.decision:
            text = pen.truncate_text(f"{agent_game.name} is playing", fitted.box.width - 80, 14)
            pen.draw_text(text, (fitted.box.left + 2, below), 14, False, DIM_TEXT)
            lines = format_count(agent_game.game.lines, "line")
            pen.draw_text(lines, (fitted.box.right - 2, below), 14, False, DIM_TEXT, align=1)
        else:
            pen.draw_text(
                pen.truncate_text(self._describe_waiting(), _STATUS_TEXT_WIDTH, 14),
                (fitted.box.right - 2, below),
                14,
                False,
                DIM_TEXT,
                align=1,
            )

    def _describe_waiting(self) -> str:
        """Return why the demo game has not started yet."""
        if self.demo_game is None:
            return (get_engine_loader().problem or describe_compilation()) if self.has_been_drawn else LOADING_ENGINE
        return self.demo_game.problem or describe_compilation()


@cache
def format_version() -> str:
    """Return the installed version as major.minor."""
    from importlib.metadata import version

    return ".".join(version("tetrion").split(".")[:2])
