"""Menu screen: a list of screens next to a demo game; and the screen that waits until another one can be opened."""

from importlib.metadata import version
from typing import Any, NamedTuple

from tetrion.app.engine_loading import DEMO_AGENT, describe_compilation, get_engine_loader
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.launcher import make_screen
from tetrion.app.screens.watch_screen import draw_agent_game
from tetrion.app.toolkit.frame import MIN_WIDE_WIDTH, draw_frame, draw_key_legend, draw_logo
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen, Window
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import ACTIVE_CELL, LOCKED_CELL
from tetrion.drawing.layout import Box, Part, flexible, inset, place, split_column, split_row
from tetrion.drawing.palette import (
    BACKGROUND,
    DIM_TEXT,
    FAINT_TEXT,
    HEADER_SEPARATOR,
    NEGATIVE,
    NORMAL_TEXT,
    RAISED_PANEL,
    STRONG_TEXT,
    mix_colours,
)
from tetrion.engine.rules import Rules
from tetrion.evaluation.number_format import format_count
from tetrion.stack import Stack

_LIST_WIDTH = 604
_ROW_PADDING = 20  # so that the signs of the rows stand below the logo
_DEMO_RULES = Rules(DEMO_AGENT)
_VERSION = ".".join(version("tetrion").split(".")[:2])


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
        self.selected_label = MENU_ITEMS[0].label

    @property
    def is_moving(self) -> bool:
        """Whether the engine is being loaded or the demo game is visible."""
        if get_engine_loader().problem:
            return False
        return not get_engine_loader().is_ready_for("menu") or self.window.ui.pen.width >= MIN_WIDE_WIDTH

    def update(self, seconds: float) -> None:
        """Advance the demo game, and restart it with the next seed when it is over."""
        if self.demo_game is None:
            if self.window.frame_count and get_engine_loader().is_ready_for("menu"):  # loaded after the first frame
                self.demo_game = AgentGame(DEMO_AGENT, _DEMO_RULES, 0)
            return
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
        is_wide = pen.width >= MIN_WIDE_WIDTH
        margin = round(0.075 * pen.width) if is_wide else (pen.width - _LIST_WIDTH) // 2 + _ROW_PADDING
        content, footer = split_column(inset(pen.area, margin - _ROW_PADDING, 0), [flexible(), 60])
        list_box, board_box = split_row(content, [_LIST_WIDTH, flexible()])
        parts = [Part(72, minimum=64), Part(72, minimum=44), *[Part(62, minimum=50)] * len(MENU_ITEMS)]
        _, title, subtitle, *row_boxes, _ = split_column(list_box, [flexible(12), *parts, flexible(12)])
        draw_logo(pen, (title.left + _ROW_PADDING, title.centery + 1), 13)
        pen.draw_text("Tetrion", (title.left + _ROW_PADDING + 62, title.centery), 56, True, STRONG_TEXT)
        slogan = "Play Tetris. Watch machines learn it."
        pen.draw_text(slogan, (subtitle.left + _ROW_PADDING, subtitle.top + 20), 20, False, DIM_TEXT)
        for number, (item, box) in enumerate(zip(MENU_ITEMS, row_boxes, strict=True), 1):
            self._draw_item(ui, place(box, box.width, min(56, box.height - 5)), str(number), item)
        if is_wide:
            self._draw_demo(ui, inset(board_box, _ROW_PADDING, 0))
        pen.draw_separator(0, footer.top, pen.width, HEADER_SEPARATOR)
        ui.notice_area = place(footer, pen.width - 48, 36)
        if not self.window.notice:  # which has its place here
            keys = [(["↑", "↓"], "Choose"), (["Enter"], "Open"), (["F11"], "Full screen")]
            draw_key_legend(ui, footer, keys, align=0)
            position = (footer.right - _ROW_PADDING, footer.centery)
            pen.draw_text(_VERSION, position, 14, False, FAINT_TEXT, align=1)
        if not ui.focus:
            ui.request_focus(self.selected_label)

    def _draw_item(self, ui: Ui, box: Box, key: str, item: MenuItem) -> None:
        pen = ui.pen
        control = ui.add_control(item.label, box, radius=8, group="menu", key=key)
        if control.is_focused or control.is_hovered:
            fill = RAISED_PANEL if control.is_focused else mix_colours(BACKGROUND, RAISED_PANEL, 0.5)
            pen.fill_rounded(box, 8, fill)
        sign, label, description, enter = split_row(
            inset(box, _ROW_PADDING, 0), [80, 124, flexible(), pen.measure_keycap("Enter")]
        )
        if item.piece:
            state = ACTIVE_CELL if control.is_focused else LOCKED_CELL
            pen.draw_piece((sign.left + 24, sign.centery), 13, item.piece, state)
        label_colour, colour = (STRONG_TEXT, NORMAL_TEXT) if control.is_focused else (NORMAL_TEXT, FAINT_TEXT)
        pen.draw_text(item.label, label.midleft, 22, True, label_colour)
        pen.draw_text(item.description, (description.left, description.centery + 1), 16, False, colour)
        if control.is_focused:
            pen.draw_keycap(enter.midleft, "Enter")
        if control.is_activated:
            self.selected_label = item.label
            self.window.sound.play("choose")
            if item.screen:
                self.window.open_screen_by_name(item.screen)
            else:
                self.window.close_screen()

    def _draw_demo(self, ui: Ui, box: Box) -> None:
        """Draw the board of the demo game, and below it what happens."""
        pen, agent_game = ui.pen, self.demo_game
        _, board_area, below = split_column(box, [40, flexible(), 52])
        fitted = pen.fit_board(board_area, _DEMO_RULES.height, align=1)
        if agent_game:
            draw_agent_game(pen, fitted, agent_game, self.window.settings, show_thinking=False)
        else:
            origin = pen.to_pixel_point(fitted.box.topleft)
            draw_board(pen.surface, origin, fitted.cell_size, Stack(height=_DEMO_RULES.height), style=pen.style)
        left, right = fitted.box.left + 2, fitted.box.right - 2
        middle = below.top + 16
        if agent_game and agent_game.decision:
            pen.draw_text(f"{agent_game.name} is playing", (left, middle), 14, False, DIM_TEXT)
            lines = format_count(agent_game.game.lines, "line")
            pen.draw_text(lines, (right, middle), 14, False, DIM_TEXT, align=1)
        elif self.window.frame_count:
            text = (agent_game or get_engine_loader()).problem or describe_compilation()
            pen.draw_paragraph(text, (left, middle), right - left, max_lines=2)


class WaitingScreen(Screen):
    """Screen that waits for the engine and then opens the requested screen."""

    def __init__(self, window: Window, screen: str, options: dict[str, Any]) -> None:
        super().__init__(window)
        self.target_screen = screen
        self.target_options = options
        self.title = screen.capitalize()
        get_engine_loader().load_first_for(screen)

    @property
    def is_moving(self) -> bool:
        """Whether the engine is being loaded."""
        return not get_engine_loader().problem

    def update(self, seconds: float) -> None:
        """Open the requested screen as soon as the parts of the engine that it needs are loaded."""
        if get_engine_loader().is_ready_for(self.target_screen):
            self.window.replace_screen(make_screen(self.window, self.target_screen, **self.target_options))

    def draw(self, ui: Ui) -> None:
        """Draw what is being loaded, or an error."""
        pen, loader = ui.pen, get_engine_loader()
        frame = draw_frame(ui, self.title)
        headline, text, bar = split_column(place(frame.content, 560, 128), [32, 32, 32])
        if loader.problem:
            pen.draw_text("The engine cannot be loaded.", headline.center, 18, True, NEGATIVE, align=0.5)
            pen.draw_paragraph(loader.problem, text.midleft, text.width, 15)
        else:
            pen.draw_text(f"{self.title} opens soon.", headline.center, 18, True, STRONG_TEXT, align=0.5)
            pen.draw_text(describe_compilation(), text.center, 15, False, DIM_TEXT, align=0.5)
            pen.draw_bar(place(bar, 320, 6), loader.compute_share(self.target_screen))
        if frame.is_closed:
            self.window.close_screen()
