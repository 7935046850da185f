"""Settings: how things look, sound and are played, with what they do to a board beside them."""

from collections.abc import Callable
from typing import NamedTuple

import pygame

from tetrion.app.picker_options import list_agent_options, list_rules_options
from tetrion.app.screen import Screen
from tetrion.app.toolkit.controls import (
    draw_button,
    draw_segments,
    draw_selectable_row,
    draw_slider,
    draw_stepper,
    draw_toggle,
)
from tetrion.app.toolkit.header_footer import ScreenArea, draw_header_footer, draw_key_legend
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui, get_key_label, get_key_name
from tetrion.app.user_folders import get_config_folder, get_data_folder
from tetrion.app.window import Window
from tetrion.app.window_settings import DEFAULT_KEYS, MOTION_CHOICES, SCALE_CHOICES, WindowSettings
from tetrion.board import Placement
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import ACTIVE_CELL, render_cell
from tetrion.drawing.palette import ACCENT, DIM_TEXT, PIECE_PALETTES, STRONG_TEXT
from tetrion.drawing.pen import Box
from tetrion.drawing.shapes import blit_picture
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import PIECES

_TABS = ("Display", "Play", "Keys", "Sound", "About")
_ROW_HEIGHT = 64
_MAX_START_LEVEL = 29
_TAB_WIDTH, _PREVIEW_WIDTH = 200, 336
_ACTION_LABELS = {
    "left": "Move left",
    "right": "Move right",
    "rotate": "Rotate",
    "back": "Rotate back",
    "down": "Soft drop",
    "drop": "Hard drop",
    "hint": "Hint",
    "pause": "Pause",
    "restart": "Restart",
}
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


class SettingRow(NamedTuple):
    """A setting: its name, what it means, and how it is drawn and changed in the room that is left for it."""

    label: str
    description: str
    draw_control: Callable[[Ui, Box], None]


class SettingsScreen(Screen):
    """Everything that a person can choose for the window; it holds and is kept at once."""

    title = "Settings"

    def __init__(self, window: Window, tab: str = "Display") -> None:
        super().__init__(window)
        self.tab = tab
        self.action_awaiting_key = ""  # the action whose key is asked for
        self.pickers = {name: Picker(f"set {name}") for name in ("play_rules", "hint_agent", "watch_agent")}

    @property
    def settings(self) -> WindowSettings:
        """What is chosen now."""
        return self.window.settings

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Take the next key for an action that is being given one."""
        if not self.action_awaiting_key or event.type != pygame.KEYDOWN:
            return False
        if event.key not in (pygame.K_ESCAPE, pygame.K_F11):
            if name := get_key_name(event.key):
                self._assign_key(self.action_awaiting_key, name)
            else:
                self.window.show_message("This key has no name. Take another one.")
        self.action_awaiting_key = ""
        return True

    def _assign_key(self, action: str, key: str) -> None:
        """Give an action a key; whoever had it gets the one that is free now."""
        keys = dict(self.settings.keys)
        other = next((name for name, its in keys.items() if its == key and name != action), None)
        if other:
            keys[other] = keys[action]
            self.window.show_message(f"{_ACTION_LABELS[other]} has the key {self._format_key_label(keys[action])} now.")
        keys[action] = key
        self.window.change_settings(keys=keys)

    def draw(self, ui: Ui) -> None:
        """Draw tabs, the settings of one of them, and where there is room a board that shows them."""
        room, leave = draw_header_footer(ui, self.title)
        content, gap = room.content, room.gap
        if room.is_compact:
            tabs = Box(content.left, content.top, content.width, 56)
            page = Box(content.left, tabs.bottom + gap, content.width, content.bottom - tabs.bottom - gap)
        else:
            tabs = Box(content.left, content.top, _TAB_WIDTH, content.height)
            beside = _PREVIEW_WIDTH + gap if room.layout_size == "wide" else 0
            page = Box(tabs.right + gap, content.top, content.right - tabs.right - gap - beside, content.height)
        self._draw_tabs(ui, tabs, room.is_compact)
        self._draw_page(ui, page)
        if room.layout_size == "wide":
            self._draw_preview(ui, Box(page.right + gap, content.top, _PREVIEW_WIDTH, content.height))
        self._draw_footer(ui, room)
        self._draw_picker_lists(ui)
        if leave:
            self.window.close_screen()

    def _draw_footer(self, ui: Ui, room: ScreenArea) -> None:
        keys = [(["↑", "↓"], "Choose"), (["←", "→"], "Change"), (["Tab"], "Next part"), (["Backspace"], "Default")]
        draw_key_legend(ui, room.footer, keys)
        self._move_focus(ui)
        if ui.is_key_pressed("Backspace"):
            self._reset_to_default(ui.focus)

    def _move_focus(self, ui: Ui) -> None:
        """Let the arrows up and down go through everything, whatever group it is in."""
        step = ui.is_key_pressed("↓") - ui.is_key_pressed("↑")
        names = ui.focusable_names
        if step and names:
            here = names.index(ui.focus) if ui.focus in names else -1
            ui.focus = names[max(0, min(len(names) - 1, here + step))]
        elif not ui.focus:
            ui.request_focus(f"tab {self.tab}")

    def _reset_to_default(self, focus: str) -> None:
        name = focus.removeprefix("set ")
        if name.startswith("key "):
            self._assign_key(name.removeprefix("key "), DEFAULT_KEYS[name.removeprefix("key ")])
        elif hasattr(WindowSettings(), name):
            self.window.change_settings(**{name: getattr(WindowSettings(), name)})

    # Parts.

    def _draw_tabs(self, ui: Ui, box: Box, horizontal: bool) -> None:
        ui.pen.draw_panel(box)
        wide = (box.width - 16) // len(_TABS)
        for number, tab in enumerate(_TABS):
            if horizontal:
                place = Box(box.left + 8 + wide * number, box.top + 8, wide, 40)
            else:
                place = Box(box.left + 8, box.top + 12 + 48 * number, box.width - 16, 40)
            here = tab == self.tab
            touch = draw_selectable_row(ui, f"tab {tab}", place, is_selected=here, group="tabs")
            if touch.is_activated or (touch.is_focused and not here):
                self.tab = tab
                self.action_awaiting_key = ""
            if here and not horizontal:
                ui.pen.fill_rounded(Box(place.left, place.top + 10, 3, 20), 1.5, ACCENT)
            left = place.left + 20 if not horizontal else place.centerx
            align = 0.5 if horizontal else 0
            ui.pen.draw_text(tab, (left, place.centery), 16, here, STRONG_TEXT if here else DIM_TEXT, align=align)

    def _draw_page(self, ui: Ui, box: Box) -> None:
        pen = ui.pen
        pen.draw_panel(box)
        inside = box.inflate(-48, 0)
        pen.draw_text(self.tab, (inside.left, box.top + 34), 22, True, STRONG_TEXT)
        if self.tab == "About":
            self._draw_about(ui, inside)
            return
        lines = {
            "Display": self._make_display_rows,
            "Play": self._make_play_rows,
            "Keys": self._make_key_rows,
            "Sound": self._make_sound_rows,
        }[self.tab]()
        top = box.top + 68
        high = min(_ROW_HEIGHT, (box.bottom - 8 - top - (48 if self.tab == "Display" else 0)) // len(lines))
        for line in lines:
            pen.draw_separator(inside.left, top, inside.width)
            whole = high + (48 if line.label == "Palette" else 0)
            place = Box(inside.left, top, inside.width, high)
            if line.description and high >= 52:
                pen.draw_text(line.label, (place.left, place.centery - 10), 16, True, STRONG_TEXT)
                pen.draw_text(
                    pen.truncate_text(line.description, inside.width - 60, 14),
                    (place.left, place.centery + 12),
                    14,
                    False,
                    DIM_TEXT,
                )
            else:
                pen.draw_text(line.label, (place.left, place.centery), 16, True, STRONG_TEXT)
            line.draw_control(ui, place)
            top += whole

    def _make_display_rows(self) -> list[SettingRow]:
        return [
            SettingRow("Palette", self._describe_palette(), self._draw_palette),
            SettingRow(
                "Piece marks",
                "A small sign in every cell, so that colour is never needed.",
                self._make_switch_control("marks"),
            ),
            SettingRow("Scale", "Automatic follows the window.", self._make_choice_control("scale", SCALE_CHOICES)),
            SettingRow(
                "Motion",
                "Reduced: no slides, no flashes; things appear.",
                self._make_choice_control("motion", MOTION_CHOICES),
            ),
            SettingRow("Ghost", "Shows where the piece will land.", self._make_switch_control("ghost")),
            SettingRow("Grid lines", "Faint lines in the well.", self._make_switch_control("grid")),
            SettingRow(
                "Candidate shading",
                "Shades where an agent would place the piece.",
                self._make_switch_control("candidates"),
            ),
            SettingRow("Full screen", "F11 does the same everywhere.", self._make_switch_control("full_screen")),
        ]

    def _describe_palette(self) -> str:
        safe = self.settings.palette == "safe"
        return "Distinct for protan, deutan and tritan vision." if safe else "The colours of the house."

    def _draw_palette(self, ui: Ui, box: Box) -> None:
        names = list(PIECE_PALETTES)
        chosen = draw_segments(
            ui, "set palette", box, ("Tetrion", "Colour-blind safe"), names.index(self.settings.palette)
        )
        self.window.change_settings(palette=names[chosen])
        for number, letter in enumerate(PIECES):
            picture = render_cell(ui.pen.to_pixels(24), letter, ACTIVE_CELL, self.settings.board_look)
            blit_picture(ui.pen.surface, picture, ui.pen.to_pixel_point((box.left + 28 * number, box.bottom + 4)))

    def _make_play_rows(self) -> list[SettingRow]:
        return [
            SettingRow("Rules", "That a game begins with.", self._make_picker_control("play_rules")),
            SettingRow("Start level", "Where the rules have levels.", self._draw_level),
            SettingRow("Hint", "The agent that is asked what it would do.", self._make_picker_control("hint_agent")),
            SettingRow("Watched agent", "That the screen Watch opens with.", self._make_picker_control("watch_agent")),
        ]

    def _draw_level(self, ui: Ui, box: Box) -> None:
        place = Box(box.right - 140, box.centery - 18, 140, 36)
        self.window.change_settings(
            level=draw_stepper(ui, "set level", place, self.settings.level, 0, _MAX_START_LEVEL)
        )

    def _make_picker_control(self, name: str) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            wide = min(280, box.width // 2)
            picker = self.pickers[name]
            picker.draw(ui, Box(box.right - wide, box.centery - 20, wide, 40), getattr(self.settings, name))

        return change

    def _draw_picker_lists(self, ui: Ui) -> None:
        """The list of a picker that is open lies over everything."""
        for name, picker in self.pickers.items():
            options = list_rules_options if name == "play_rules" else list_agent_options
            if picked := picker.draw_list(ui, options):
                self.window.change_settings(**{name: picked})

    def _make_key_rows(self) -> list[SettingRow]:
        return [SettingRow(words, "", self._make_key_control(action)) for action, words in _ACTION_LABELS.items()]

    def _make_sound_rows(self) -> list[SettingRow]:
        silent = "This machine has no sound device." if self.window.sound.is_silent else ""
        return [
            SettingRow("Sounds", silent or "Moves, locks, lines.", self._make_volume_control("sounds")),
            SettingRow("Music", silent or "Korobeiniki, while a game goes on.", self._make_switch_control("music")),
            SettingRow("Volume of the music", "", self._make_volume_control("music_volume")),
        ]

    def _draw_about(self, ui: Ui, box: Box) -> None:
        from importlib.metadata import version

        entries = (
            ("Version", version("tetrion")),
            ("Settings are kept in", str(get_config_folder())),
            ("Games, scores and runs in", str(get_data_folder())),
            ("Licence", "MIT; the type is Source Sans Pro, under the SIL Open Font License 1.1"),
            ("Music", "Korobeiniki, a folk song, arranged and synthesised here"),
        )
        for number, (words, value) in enumerate(entries):
            top = box.top + 68 + _ROW_HEIGHT * number
            ui.pen.draw_separator(box.left, top, box.width)
            ui.pen.draw_text(words, (box.left, top + 22), 14, False, DIM_TEXT)
            ui.pen.draw_text(ui.pen.truncate_text(value, box.width), (box.left, top + 44), 16, False, STRONG_TEXT)

    # How a setting is changed.

    def _make_switch_control(self, name: str) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            self.window.change_settings(**{name: draw_toggle(ui, f"set {name}", box, getattr(self.settings, name))})

        return change

    def _make_choice_control(self, name: str, options: tuple[str, ...]) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            words = [option.capitalize() for option in options]
            chosen = draw_segments(ui, f"set {name}", box, words, options.index(getattr(self.settings, name)))
            self.window.change_settings(**{name: options[chosen]})

        return change

    def _make_volume_control(self, name: str) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            before = getattr(self.settings, name)
            wide = min(240, box.width // 2)
            track = Box(box.right - wide - 64, box.top, wide, box.height)
            value = round(draw_slider(ui, f"set {name}", track, before), 2)
            ui.pen.draw_text(f"{round(100 * value)} %", (box.right, box.centery), 16, True, STRONG_TEXT, align=1)
            if value != before:
                self.window.change_settings(**{name: value})
                if name == "sounds":
                    self.window.sound.play("rotate")

        return change

    def _make_key_control(self, action: str) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            asked = self.action_awaiting_key == action
            words = "Press a key" if asked else self._format_key_label(self.settings.keys[action])
            place = Box(box.right - 160, box.centery - 18, 160, 36)
            if draw_button(ui, f"set key {action}", place, words, is_primary=asked):
                self.action_awaiting_key = action

        return change

    def _format_key_label(self, key: str) -> str:
        return get_key_label(pygame.key.key_code(key))

    # The preview.

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
            style=self.settings.board_look,
        )
