"""Settings screen: display, game, key and sound settings with a preview."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pygame

from tetrion.app.picker_options import list_agent_options, list_hint_agent_options, list_rules_options
from tetrion.app.screen import Screen
from tetrion.app.screens.play_setup import MAX_START_LEVEL
from tetrion.app.screens.settings_handling import HandlingPage
from tetrion.app.screens.settings_keys import ADD_PREFIX, KeysPage
from tetrion.app.screens.settings_rows import SETTING_ROW_HEIGHT, SettingRow, draw_setting_rows
from tetrion.app.toolkit.controls import (
    draw_segments,
    draw_selectable_row,
    draw_shortened_text,
    draw_slider,
    draw_stepper,
    draw_toggle,
)
from tetrion.app.toolkit.header_footer import ScreenArea, draw_header_footer, draw_key_legend
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.picker import PickerOption
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.app.window_settings import (
    MOTION_CHOICES,
    PALETTE_CHOICES,
    SCALE_CHOICES,
    WindowSettings,
)
from tetrion.board import Placement
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import ACTIVE_CELL, render_cell
from tetrion.drawing.palette import ACCENT, DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Box
from tetrion.drawing.shapes import blit_picture
from tetrion.engine.pieces import PIECES
from tetrion.stack import Stack
from tetrion.user_folders import get_config_folder, get_data_folder

SETTINGS_TABS = ("Display", "Play", "Keys", "Handling", "Sound", "About")
_PICKER_OPTIONS: Mapping[str, Callable[[], Sequence[PickerOption]]] = {
    "play_rules": list_rules_options,
    "hint_agent": list_hint_agent_options,
    "watch_agent": list_agent_options,
}
_TAB_WIDTH = 200
_PREVIEW_WIDTH = 336
_PREVIEW_BOARD = """
..J.......
.TJJJ.....
TTTIII....
OOOOJJJ...
OOOOZZJI..
TTTT.ZZI..
TTTOOOOIS.
IZZLZZLZZ.
"""


class PaletteText(NamedTuple):
    """The texts for a palette."""

    label: str
    description: str


_PALETTE_TEXTS = {
    "tetrion": PaletteText("Tetrion", "Tetrion's default colours."),
    "safe": PaletteText("Colour-blind safe", "Distinct for all common types of colour blindness."),
    "gavrilov": PaletteText("Gavrilov", "The colours of Gavrilov's game."),
}


def find_next_row(ui: Ui, names: Sequence[str], step: int) -> str:
    """Return the nearest control below the focus (`step` 1) or above it (−1); "" above the first row.

    `names` are the controls to choose from. The last row keeps the focus.
    """
    x, y = ui.get_box(ui.focus).center
    boxes = {name: ui.get_box(name) for name in names}
    ahead = [name for name, box in boxes.items() if (box.centery - y) * step > 0]
    if not ahead:
        return "" if step < 0 else ui.focus
    return min(ahead, key=lambda name: (abs(boxes[name].centery - y), abs(boxes[name].centerx - x)))


class SettingsScreen(Screen):
    """Screen with all settings; changes are applied and saved immediately."""

    title = "Settings"
    is_moving = False

    def __init__(self, window: Window, tab: str = "Display") -> None:
        super().__init__(window)
        self.tab = tab
        self.keys_page = KeysPage(window)
        self.handling_page = HandlingPage(window)
        self._enters_page = False  # whether the focus moves from the tab to the first setting of its page
        self.pickers = {name: Picker(f"set {name}") for name in _PICKER_OPTIONS}

    @property
    def settings(self) -> WindowSettings:
        """Current settings."""
        return self.window.settings

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Pass the pressed key to the action that awaits one."""
        return self.keys_page.handle_event(event)

    def draw(self, ui: Ui) -> None:
        """Draw the tabs, the settings of the selected tab and, in a wide window, a preview board."""
        screen_area, should_close = draw_header_footer(ui, self.title)
        content, gap = screen_area.content, screen_area.gap
        if screen_area.is_compact:
            tabs = Box(content.left, content.top, content.width, 56)
            page = Box(content.left, tabs.bottom + gap, content.width, content.bottom - tabs.bottom - gap)
        else:
            tabs = Box(content.left, content.top, _TAB_WIDTH, content.height)
            preview_width = _PREVIEW_WIDTH + gap if screen_area.layout_size == "wide" else 0
            page = Box(tabs.right + gap, content.top, content.right - tabs.right - gap - preview_width, content.height)
        self._draw_tabs(ui, tabs, screen_area.is_compact)
        self._draw_page(ui, page)
        if screen_area.layout_size == "wide":
            self._draw_preview(ui, Box(page.right + gap, content.top, _PREVIEW_WIDTH, content.height))
        self._draw_footer(ui, screen_area)
        self._move_focus(ui, screen_area.is_compact)
        self._draw_picker_lists(ui)
        if should_close:
            self.window.close_screen()

    def _draw_footer(self, ui: Ui, screen_area: ScreenArea) -> None:
        keys = [(["↑", "↓"], "Choose"), (["←", "→"], "Change"), (["Tab"], "Next control"), (["Backspace"], "Reset")]
        if self.tab == "Keys":
            keys = [(["↑", "↓", "←", "→"], "Choose"), (["Enter"], "Add or remove"), (["Backspace"], "Reset")]
        draw_key_legend(ui, screen_area.footer, keys)
        if ui.is_key_pressed("Backspace"):
            self._reset_to_default(ui.focus)

    def _move_focus(self, ui: Ui, has_tabs_on_top: bool) -> None:
        """Move the focus with the arrows: through the settings of a page, and between the page and its tab."""
        step = ui.is_key_pressed("↓") - ui.is_key_pressed("↑")
        names = [name for name in ui.focusable_names if name.startswith("set ")]
        if not ui.focus:
            ui.request_focus(f"tab {self.tab}")
        elif ui.focus.startswith("tab "):
            is_entered = step > 0 if has_tabs_on_top else ui.is_key_pressed("→")
            if names and (is_entered or self._enters_page):
                ui.focus = next(
                    (name for name in names if name.startswith(ADD_PREFIX)), names[0]
                )  # not on a key to remove
        elif ui.focus in names:
            target = find_next_row(ui, names, step) if step else ui.focus
            is_left = not target or (ui.is_key_pressed("←") and not has_tabs_on_top)
            ui.focus = f"tab {self.tab}" if is_left else target
        self._enters_page = False

    def _reset_to_default(self, focus: str) -> None:
        name = focus.removeprefix("set ")
        if not self.keys_page.reset(focus) and hasattr(WindowSettings(), name):
            self.window.change_settings(**{name: getattr(WindowSettings(), name)})

    # Tabs and pages

    def _draw_tabs(self, ui: Ui, box: Box, horizontal: bool) -> None:
        ui.pen.draw_panel(box)
        width = (box.width - 16) // len(SETTINGS_TABS)
        for number, tab in enumerate(SETTINGS_TABS):
            if horizontal:
                tab_box = Box(box.left + 8 + width * number, box.top + 8, width, 40)
            else:
                tab_box = Box(box.left + 8, box.top + 12 + 48 * number, box.width - 16, 40)
            is_selected = tab == self.tab
            control = draw_selectable_row(ui, f"tab {tab}", tab_box, is_selected=is_selected, group="tabs")
            if control.is_activated or (control.is_focused and not is_selected):
                self.tab = tab
                self.keys_page.action_awaiting_key = ""
                self._enters_page = control.is_activated and ui.is_keyboard_used
            if is_selected and not horizontal:
                ui.pen.fill_rounded(Box(tab_box.left, tab_box.top + 10, 3, 20), 1.5, ACCENT)
            left = tab_box.left + 20 if not horizontal else tab_box.centerx
            align = 0.5 if horizontal else 0
            ui.pen.draw_text(
                tab, (left, tab_box.centery), 16, is_selected, STRONG_TEXT if is_selected else DIM_TEXT, align=align
            )

    def _draw_page(self, ui: Ui, box: Box) -> None:
        pen = ui.pen
        pen.draw_panel(box)
        inside = box.inflate(-48, 0)
        pen.draw_text(self.tab, (inside.left, box.top + 34), 22, True, STRONG_TEXT)
        if self.tab == "About":
            self._draw_about(ui, inside)
            return
        if self.tab == "Keys":
            self.keys_page.draw(ui, inside)
            return
        if self.tab == "Handling":
            self.handling_page.draw(ui, inside)
            return
        rows = {
            "Display": self._make_display_rows,
            "Play": self._make_play_rows,
            "Sound": self._make_sound_rows,
        }[self.tab]()
        top = box.top + 68
        draw_setting_rows(ui, Box(inside.left, top, inside.width, box.bottom - 8 - top), rows)

    def _make_display_rows(self) -> list[SettingRow]:
        return [
            SettingRow("Palette", _PALETTE_TEXTS[self.settings.palette].description, self._draw_palette, 48),
            SettingRow(
                "Piece marks",
                "Marks each cell, so that pieces differ without colour.",
                self._make_switch_control("marks"),
            ),
            SettingRow("Scale", "Auto: follows the window size.", self._make_choice_control("scale", SCALE_CHOICES)),
            SettingRow(
                "Motion",
                "Reduced: no slides and no flashes.",
                self._make_choice_control("motion", MOTION_CHOICES),
            ),
            SettingRow("Ghost", "Shows where the piece will land.", self._make_switch_control("ghost")),
            SettingRow("Grid lines", "Shows faint lines on the board.", self._make_switch_control("grid")),
            SettingRow(
                "Candidate shading",
                "Shades where an agent would place the piece.",
                self._make_switch_control("candidates"),
            ),
            SettingRow("Full screen", "Key F11 on every screen.", self._make_switch_control("full_screen")),
        ]

    def _draw_palette(self, ui: Ui, box: Box) -> None:
        labels = [_PALETTE_TEXTS[palette].label for palette in PALETTE_CHOICES]
        chosen = draw_segments(ui, "set palette", box, labels, PALETTE_CHOICES.index(self.settings.palette))
        self.window.change_settings(palette=PALETTE_CHOICES[chosen])
        for number, letter in enumerate(PIECES):
            picture = render_cell(ui.pen.to_pixels(24), letter, ACTIVE_CELL, self.settings.board_style)
            blit_picture(ui.pen.surface, picture, ui.pen.to_pixel_point((box.left + 28 * number, box.bottom + 4)))

    def _make_play_rows(self) -> list[SettingRow]:
        return [
            SettingRow("Rules", "Rule set for new games.", self._make_picker_control("play_rules")),
            SettingRow("Start level", "Used if the rules have levels.", self._draw_level),
            SettingRow("Hint agent", "Agent that suggests placements.", self._make_picker_control("hint_agent")),
            SettingRow("Watched agent", "Agent on the Watch screen.", self._make_picker_control("watch_agent")),
        ]

    def _draw_level(self, ui: Ui, box: Box) -> None:
        stepper_box = Box(box.right - 140, box.centery - 18, 140, 36)
        self.window.change_settings(
            level=draw_stepper(ui, "set level", stepper_box, self.settings.level, max_value=MAX_START_LEVEL)
        )

    def _make_picker_control(self, name: str) -> Callable[[Ui, Box], None]:
        def draw_control(ui: Ui, box: Box) -> None:
            width = min(280, box.width // 2)
            picker = self.pickers[name]
            picker.draw(ui, Box(box.right - width, box.centery - 20, width, 40), getattr(self.settings, name))

        return draw_control

    def _draw_picker_lists(self, ui: Ui) -> None:
        """Draw the list of an open picker over everything else."""
        for name, picker in self.pickers.items():
            if picked := picker.draw_list(ui, _PICKER_OPTIONS[name]):
                self.window.change_settings(**{name: picked})

    def _make_sound_rows(self) -> list[SettingRow]:
        no_device_message = "This machine has no sound device." if self.window.sound.is_silent else ""
        return [
            SettingRow(
                "Sound volume", no_device_message or "Moves, locks, line clears.", self._make_volume_control("sounds")
            ),
            SettingRow(
                "Music",
                no_device_message or "Korobeiniki, during games and in Evolution.",
                self._make_switch_control("music"),
            ),
            SettingRow("Music volume", "", self._make_volume_control("music_volume")),
        ]

    def _draw_about(self, ui: Ui, box: Box) -> None:
        from importlib.metadata import version

        entries = (
            ("Version", version("tetrion")),
            ("Settings folder", str(get_config_folder())),
            ("Folder of games, scores and runs", str(get_data_folder())),
            ("Licence", "MIT; font: Source Sans Pro, SIL Open Font License 1.1"),
            ("Music", "Korobeiniki, a folk song, arranged and synthesised for Tetrion"),
        )
        for number, (label, value) in enumerate(entries):
            top = box.top + 68 + SETTING_ROW_HEIGHT * number
            ui.pen.draw_separator(box.left, top, box.width)
            ui.pen.draw_text(label, (box.left, top + 22), 14, False, DIM_TEXT)
            draw_shortened_text(ui, value, (box.left, top + 44), box.width, colour=STRONG_TEXT)

    # Controls

    def _make_switch_control(self, name: str) -> Callable[[Ui, Box], None]:
        def draw_control(ui: Ui, box: Box) -> None:
            self.window.change_settings(**{name: draw_toggle(ui, f"set {name}", box, getattr(self.settings, name))})

        return draw_control

    def _make_choice_control(self, name: str, options: tuple[str, ...]) -> Callable[[Ui, Box], None]:
        def draw_control(ui: Ui, box: Box) -> None:
            labels = [option.capitalize() for option in options]
            chosen = draw_segments(ui, f"set {name}", box, labels, options.index(getattr(self.settings, name)))
            self.window.change_settings(**{name: options[chosen]})

        return draw_control

    def _make_volume_control(self, name: str) -> Callable[[Ui, Box], None]:
        def draw_control(ui: Ui, box: Box) -> None:
            before = getattr(self.settings, name)
            width = min(240, box.width // 2)
            track = Box(box.right - width - 64, box.top, width, box.height)
            value = round(draw_slider(ui, f"set {name}", track, before), 2)
            ui.pen.draw_text(f"{round(100 * value)} %", (box.right, box.centery), 16, True, STRONG_TEXT, align=1)
            if value != before:
                self.window.change_settings(**{name: value})
                if name == "sounds":
                    self.window.sound.play("rotate")

        return draw_control

    # Preview

    def _draw_preview(self, ui: Ui, box: Box) -> None:
        pen = ui.pen
        inside = pen.draw_panel(box, "Preview")
        fitted = pen.fit_board(Box(inside.left, inside.top + 8, inside.width, inside.height), 20)
        piece = Placement("L", 3, 7, 13)
        draw_board(
            pen.surface,
            pen.to_pixel_point(fitted.box.topleft),
            fitted.cell_size,
            Stack.from_text(_PREVIEW_BOARD),
            active=piece,
            ghost=Placement("L", 3, 7, 2) if self.settings.ghost else None,
            style=self.settings.board_style,
        )
