"""Settings screen: pages with display, game, key, handling and sound settings, and a preview of a board."""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import pygame

from tetrion.app.games.human_rules import (
    DEFAULT_PLAY_RULES,
    INSTANT,
    has_full_handling,
    list_handling_fields,
    to_milliseconds,
)
from tetrion.app.picker_options import list_agent_options, list_hint_agent_options, list_rules_options
from tetrion.app.toolkit.controls import (
    ButtonSpec,
    compute_button_width,
    compute_segments_width,
    draw_button,
    draw_segments,
    draw_selectable_row,
    draw_shortened_text,
    draw_slider,
    draw_stepper,
    draw_toggle,
)
from tetrion.app.toolkit.frame import draw_frame, draw_key_legend
from tetrion.app.toolkit.picker import PickerOption, draw_picker
from tetrion.app.toolkit.ui import Ui, format_key_label, get_key_name
from tetrion.app.window import Screen, Window
from tetrion.app.window_settings import ALLOWED_VALUES, DEFAULT_KEYS, MAX_KEYS_PER_ACTION, MAX_VALUES, WindowSettings
from tetrion.board import Placement
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import ACTIVE_CELL, render_cell
from tetrion.drawing.layout import Box, Part, flexible, inset, place, split_column, split_row
from tetrion.drawing.palette import ACCENT, DIM_TEXT, NEGATIVE, STRONG_TEXT
from tetrion.drawing.pen import ARROW_DIRECTIONS, Pen
from tetrion.drawing.shapes import blit_picture
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.stack import Stack
from tetrion.user_folders import get_config_folder, get_data_folder


class Setting(NamedTuple):
    """A row of a page: a setting, its texts, and the kind of its control, a key of `_CONTROL_WIDTHS` or "choice"."""

    name: str  # of a field of WindowSettings
    label: str
    description: str
    kind: str


PAGES = {
    "Display": (
        Setting("palette", "Palette", "", "choice"),
        Setting("marks", "Piece marks", "Marks each cell, so that pieces differ without colour.", "switch"),
        Setting("scale", "Scale", "Auto: follows the window size.", "choice"),
        Setting("motion", "Motion", "Reduced: no slides and no flashes.", "choice"),
        Setting("ghost", "Ghost", "Shows where the piece will land.", "switch"),
        Setting("grid", "Grid lines", "Shows faint lines on the board.", "switch"),
        Setting("candidates", "Candidate shading", "Shades where an agent would place the piece.", "switch"),
        Setting("full_screen", "Full screen", "Key F11 on every screen.", "switch"),
    ),
    "Play": (
        Setting("play_rules", "Rules", "Rule set for new games.", "picker"),
        Setting("hint_agent", "Hint agent", "Agent that suggests placements.", "picker"),
        Setting("watch_agent", "Watched agent", "Agent on the Watch screen.", "picker"),
    ),
    "Keys": (),
    "Handling": (
        Setting("das", "Repeat delay (DAS)", "Until a held key repeats.", "number"),
        Setting("arr", "Repeat interval (ARR)", "Between two repeats.", "number"),
        Setting("soft_drop", "Soft drop", "Per row while the key is held.", "number"),
        Setting("initial_rotation", "Initial rotation", "Holding a rotation key turns each new piece.", "switch"),
        Setting("initial_hold", "Initial hold", "Holding the hold key swaps each new piece.", "switch"),
    ),
    "Sound": (
        Setting("sounds", "Sound volume", "Moves, locks, line clears.", "volume"),
        Setting("music", "Music", "Korobeiniki, during games and in Evolution.", "switch"),
        Setting("music_volume", "Music volume", "", "volume"),
    ),
    "About": (),
}
SETTINGS_TABS = tuple(PAGES)
ACTION_NAMES = {
    "left": "Move left",
    "right": "Move right",
    "rotate": "Rotate",
    "back": "Rotate back",
    "half": "Half turn",
    "down": "Soft drop",
    "drop": "Hard drop",
    "hold": "Hold",
    "hint": "Hint",
    "pause": "Pause",
    "restart": "Restart",
}
_CONTROL_WIDTHS = {"switch": 48, "number": 148, "picker": 280, "volume": 304}
_CHOICE_LABELS = {"safe": "Colour-blind safe"}  # the others are the values with a capital
_PALETTE_DESCRIPTIONS = {
    "tetrion": "Tetrion's default colours.",
    "safe": "Distinct for all common types of colour blindness.",
    "gavrilov": "The colours of Gavrilov's game.",
}
_PICKER_OPTIONS: Mapping[str, Callable[[], Sequence[PickerOption]]] = {
    "play_rules": list_rules_options,
    "hint_agent": list_hint_agent_options,
    "watch_agent": list_agent_options,
}
_RESETS: dict[str, tuple[str, Mapping[str, object]]] = {  # the label of the button of a page, and what it changes
    "Keys": ("Reset all keys", {"keys": dict(DEFAULT_KEYS)}),
    "Handling": ("Reset handling", dict.fromkeys(setting.name for setting in PAGES["Handling"])),
}
_MIN_HEIGHT_WITH_DESCRIPTION = 46
_KEY_PADDING = 34  # of the button of a key, with its cross
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


class SettingsScreen(Screen):
    """Screen with all settings; changes are applied and saved immediately."""

    title = "Settings"
    is_moving = False

    def __init__(self, window: Window, tab: str = "Display") -> None:
        super().__init__(window)
        self.tab = tab
        self.action_awaiting_key = ""  # the next pressed key or button is added to this action

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Add the pressed key or gamepad button to the action that awaits one; Esc cancels."""
        if not self.action_awaiting_key or event.type != pygame.KEYDOWN:
            return False
        action = self.action_awaiting_key
        self.action_awaiting_key = ""
        if event.key in (pygame.K_ESCAPE, pygame.K_F11):
            return True
        if name := get_key_name(event.key):
            self._add_key(action, name)
        else:
            self.window.show_message("This key cannot be used. Press another one.")
        return True

    def draw(self, ui: Ui) -> None:
        """Draw the tabs, the settings of the selected tab and, in a wide window, a preview board."""
        frame = draw_frame(ui, self.title)
        preview = Box(0, 0, 0, 0)
        if frame.is_wide:
            tabs, page, preview = split_row(frame.content, [200, flexible(600), Part(336, rank=1)], frame.gap)
        else:
            tabs, page = split_column(frame.content, [56, flexible()], frame.gap)
        is_page_entered = self._draw_tabs(ui, tabs, is_column=frame.is_wide)
        ui.pen.draw_panel(page)
        self._draw_page(ui, inset(page, 24, 8))
        if preview:
            self._draw_preview(ui.pen, preview)
        keys = [(["↑", "↓"], "Choose"), (["←", "→"], "Change"), (["Tab"], "Next control"), (["Backspace"], "Reset")]
        if self.tab == "Keys":
            keys = [(["↑", "↓", "←", "→"], "Choose"), (["Enter"], "Add or remove"), (["Backspace"], "Reset")]
        draw_key_legend(ui, frame.footer, keys)
        if ui.is_key_pressed("Backspace"):
            self._reset_to_default(ui.focus.removeprefix("set ").partition(" ")[0])
        is_page_entered |= ui.is_key_pressed("→" if frame.is_wide else "↓")
        self._move_focus(ui, is_page_entered=is_page_entered, is_page_left=frame.is_wide and ui.is_key_pressed("←"))
        if frame.is_closed:
            self.window.close_screen()

    def _move_focus(self, ui: Ui, *, is_page_entered: bool, is_page_left: bool) -> None:
        """Move the focus with the arrow keys that no control has used: between rows, and from and to the tab."""
        names = [name for name in ui.focusable_names if name.startswith("set ")]
        step = ui.is_key_pressed("↓") - ui.is_key_pressed("↑")
        if not ui.focus:
            ui.request_focus(f"tab {self.tab}")
        elif ui.focus.startswith("tab ") and is_page_entered:
            names.sort(key=lambda name: " key " in name)  # which would be removed
            ui.focus = next(iter(names), ui.focus)
        elif ui.focus in names and is_page_left:
            ui.focus = f"tab {self.tab}"
        elif ui.focus in names and step:
            x, y = ui.get_box(ui.focus).center
            centres = {name: ui.get_box(name).center for name in names}
            ahead = [name for name in names if (centres[name][1] - y) * step > 0]
            last = ui.focus if step > 0 else f"tab {self.tab}"
            ui.focus = min(ahead, key=lambda name: (abs(centres[name][1] - y), abs(centres[name][0] - x)), default=last)

    def _reset_to_default(self, name: str) -> None:
        """Reset a setting, or the keys of an action."""
        if defaults := DEFAULT_KEYS.get(name):
            before = self.window.settings.keys
            keys = {action: without_keys(names, defaults) for action, names in before.items()}
            freed = without_keys(before[name], defaults)  # they return to the actions that have them by default
            for action, own in DEFAULT_KEYS.items():
                keys[action] += tuple(key for key in own if key in freed)
            keys[name] = defaults
            self.window.change_settings(keys=keys)
            if without := [ACTION_NAMES[action] for action, names in keys.items() if not names]:
                self.window.show_message(f"No key: {', '.join(without)}. Add one, or press Backspace on the row.")
        elif hasattr(WindowSettings(), name):
            self.window.change_settings(**{name: getattr(WindowSettings(), name)})

    # Tabs and pages

    def _draw_tabs(self, ui: Ui, box: Box, *, is_column: bool) -> bool:
        """Draw the tabs and select the one with the focus; return whether one was used by keyboard."""
        is_used = False
        ui.pen.draw_panel(box)
        equal = [flexible()] * len(SETTINGS_TABS)
        boxes = split_column(inset(box, 8), [40] * len(equal), 8) if is_column else split_row(inset(box, 8), equal)
        for tab, tab_box in zip(SETTINGS_TABS, boxes, strict=True):
            is_selected = tab == self.tab
            control = draw_selectable_row(ui, f"tab {tab}", tab_box, is_selected=is_selected, group="tabs")
            if control.is_activated or (control.is_focused and not is_selected):
                self.tab = tab
                self.action_awaiting_key = ""
                is_used |= control.is_activated and ui.is_keyboard_used
            if is_selected and is_column:
                ui.pen.fill_rounded(place(tab_box, 3, 20, 0), 1.5, ACCENT)
            position = (tab_box.left + 20, tab_box.centery) if is_column else tab_box.center
            colour = STRONG_TEXT if is_selected else DIM_TEXT
            ui.pen.draw_text(tab, position, 16, is_selected, colour, align=0 if is_column else 0.5)
        return is_used

    def _draw_page(self, ui: Ui, box: Box) -> None:
        title, page = split_column(box, [56, flexible()])
        ui.pen.draw_text(self.tab, title.midleft, 22, True, STRONG_TEXT)
        if self.tab == "About":
            draw_about(ui, page)
        elif self.tab == "Keys":
            self._draw_keys(ui, page)
        else:
            rows, note = split_column(page, [flexible(), 92 if self.tab == "Handling" else 0])
            boxes = draw_rows(ui.pen, rows, len(PAGES[self.tab]))
            for setting, row in zip(PAGES[self.tab], boxes, strict=True):
                self._draw_setting(ui, setting, row)
            if note:
                bottom = boxes[-1].bottom
                ui.pen.draw_separator(note.left, bottom, note.width)
                text = describe_use(self.window.settings)
                ui.pen.draw_paragraph(text, (note.left, bottom + 20), note.width, max_lines=4)
        if self.tab in _RESETS:
            label, changes = _RESETS[self.tab]
            button = place(title, compute_button_width(ui.pen, label), 36, 1)
            if draw_button(ui, button, ButtonSpec(f"set reset {self.tab.lower()}", label)):
                self.window.change_settings(**changes)

    def _draw_setting(self, ui: Ui, row: Setting, box: Box) -> None:
        pen = ui.pen
        description = row.description
        if row.name == "palette":
            description = _PALETTE_DESCRIPTIONS[self.window.settings.palette]
        elif self.tab == "Sound" and self.window.sound.is_silent:
            description = "This machine has no sound device."
        width = _CONTROL_WIDTHS.get(row.kind) or compute_segments_width(pen, list_choice_labels(row.name))
        texts, control = split_row(box, [flexible(), width], 16)
        has_description = bool(description) and box.height >= _MIN_HEIGHT_WITH_DESCRIPTION
        middle = texts.centery - (10 if has_description else 0)
        pen.draw_text(row.label, (texts.left, middle), 16, True, STRONG_TEXT)
        if row.name == "palette":
            left = texts.left + pen.measure_text(row.label, 16, True) + 16
            for number, letter in enumerate(PIECES):
                picture = render_cell(pen.to_pixels(18), letter, ACTIVE_CELL, self.window.settings.board_style)
                blit_picture(pen.surface, picture, pen.to_pixel_point((left + 22 * number, middle - 9)))
        if has_description:
            position = (texts.left, texts.centery + 12)
            draw_shortened_text(ui, description, position, texts.width, size=14, colour=DIM_TEXT)
        before = self._get_value(row.name)
        value = self._draw_control(ui, row, control, before)
        if value != before:
            self.window.change_settings(**{row.name: value})
            if row.name == "sounds":
                self.window.sound.play("rotate")

    def _draw_control(self, ui: Ui, row: Setting, box: Box, value: Any) -> Any:
        """Draw the control of a setting and return its new value."""
        name = f"set {row.name}"
        if row.kind == "switch":
            return draw_toggle(ui, name, box, value)
        if row.kind == "choice":
            options = ALLOWED_VALUES[row.name]
            return options[draw_segments(ui, name, box, list_choice_labels(row.name), options.index(value))]
        if row.kind == "picker":
            return draw_picker(ui, name, place(box, box.width, 40), value, _PICKER_OPTIONS[row.name])
        if row.kind == "volume":
            track, _, figure = split_row(box, [240, flexible(), 48])
            value = round(draw_slider(ui, name, track, value), 2)
            ui.pen.draw_text(f"{round(100 * value)} %", figure.midright, 16, True, STRONG_TEXT, align=1)
            return value
        is_time = self.tab == "Handling"
        return draw_stepper(
            ui,
            name,
            place(box, box.width, 36),
            value,
            max_value=MAX_VALUES[row.name],
            step=10 if is_time else 1,
            unit=" ms" if is_time else "",
            zero_text=INSTANT.capitalize() if row.name in ("arr", "soft_drop") else "",
        )

    def _get_value(self, name: str) -> Any:
        """Return the value of a setting; a part of the handling that was not changed has the value of the rules."""
        value = getattr(self.window.settings, name)
        if value is not None:
            return value
        rules = get_reference_rules(self.window.settings)
        rules_value = getattr(rules, "soft_drop_interval" if name == "soft_drop" else name)
        if name not in MAX_VALUES:
            return bool(rules_value)
        return 0 if rules_value == INSTANT else to_milliseconds(rules, rules_value)

    # Keys

    def _add_key(self, action: str, name: str) -> None:
        """Add a key to an action; a key that another action uses moves to this one."""
        keys = dict(self.window.settings.keys)
        if name in keys[action]:
            return
        if len(keys[action]) >= MAX_KEYS_PER_ACTION:
            self.window.show_message(f"{ACTION_NAMES[action]} already has {len(keys[action])} keys. Remove one first.")
            return
        if former := next((other for other, names in keys.items() if name in names), ""):
            keys[former] = without_keys(keys[former], (name,))
            left = ", ".join(map(format_key_label, keys[former]))
            rest = f"{ACTION_NAMES[former]} {f'still has {left}' if left else 'has no key now'}"
            self.window.show_message(f"{format_key_label(name)} now means {ACTION_NAMES[action]}; {rest}.")
        self.window.change_settings(keys={**keys, action: (*keys[action], name)})

    def _remove_key(self, action: str, name: str) -> None:
        names = without_keys(self.window.settings.keys[action], (name,))
        self.window.change_settings(keys={**self.window.settings.keys, action: names})
        rest = f"{ACTION_NAMES[action]} has {'other keys' if names else 'no key now'}"
        self.window.show_message(f"{format_key_label(name)} was removed; {rest}. Backspace restores its keys.")
        self.window.ui.focus = f"set {action} add"

    def _draw_keys(self, ui: Ui, box: Box) -> None:
        """Draw one row per action, with a button for each of its keys, which removes it, and one to add a key."""
        pen = ui.pen
        rows = draw_rows(pen, box, len(ACTION_NAMES), 52)
        for (action, label), row in zip(ACTION_NAMES.items(), rows, strict=True):
            pen.draw_text(label, row.midleft, 16, True, STRONG_TEXT)
            is_awaiting = self.action_awaiting_key == action
            add_label = "Press a key" if is_awaiting else "Add"
            names = self.window.settings.keys[action]
            widths = [Part(measure_key(pen, name), minimum=40) for name in names]
            parts = [Part(104), flexible(), *widths, Part(compute_button_width(pen, add_label))]
            _, rest, *keys, add = split_row(inset(row, 0, max(3, (row.height - 32) / 2)), parts, 8)
            if not names:
                pen.draw_text("No key", (rest.right - 8, rest.centery), 16, False, NEGATIVE, align=1)
            for name, key_box in zip(names, keys, strict=True):
                self._draw_key(ui, key_box, action, name)
            add_button = ButtonSpec(f"set {action} add", add_label, is_primary=is_awaiting)
            if draw_button(ui, add, add_button, f"keys of {action}"):
                self.action_awaiting_key = action

    def _draw_key(self, ui: Ui, box: Box, action: str, name: str) -> None:
        control = f"set {action} key {name}"
        is_used = draw_button(ui, box, ButtonSpec(control, ""), f"keys of {action}")
        label = format_key_label(name)
        if label in ARROW_DIRECTIONS:
            ui.pen.draw_arrow((box.left + 18, box.centery), ARROW_DIRECTIONS[label], STRONG_TEXT)
        else:
            text = ui.pen.truncate_text(label, box.width - _KEY_PADDING, 15, True)
            ui.pen.draw_text(text, (box.left + 10, box.centery), 15, True, STRONG_TEXT)
        ui.pen.draw_text("×", (box.right - 8, box.centery), 15, False, DIM_TEXT, align=1)
        if is_used or (ui.focus == control and ui.is_key_pressed("Del")):
            self._remove_key(action, name)

    # Preview

    def _draw_preview(self, pen: Pen, box: Box) -> None:
        inside = pen.draw_panel(box, "Preview")
        fitted = pen.fit_board(inside, 20)
        draw_board(
            pen.surface,
            pen.to_pixel_point(fitted.box.topleft),
            fitted.cell_size,
            Stack.from_text(_PREVIEW_BOARD),
            active=Placement("L", 3, 7, 13),
            ghost=Placement("L", 3, 7, 2) if self.window.settings.ghost else None,
            style=self.window.settings.board_style,
        )


def list_choice_labels(name: str) -> list[str]:
    """Return the labels of the values of a setting."""
    return [_CHOICE_LABELS.get(value, value.capitalize()) for value in ALLOWED_VALUES[name]]


def draw_rows(pen: Pen, box: Box, count: int, height: int = 64) -> list[Box]:
    """Draw the lines above the rows of a page, which are lower if they do not fit; return the rows."""
    rows = split_column(box, [Part(height, minimum=32)] * count)
    for row in rows:
        pen.draw_separator(row.left, row.top, row.width)
    return rows


def draw_about(ui: Ui, box: Box) -> None:
    """Draw the version, the folders and the licences."""
    entries = {
        "Version": version("tetrion"),
        "Settings folder": str(get_config_folder()),
        "Folder of games, scores and runs": str(get_data_folder()),
        "Licence": "MIT; font: Source Sans Pro, SIL Open Font License 1.1",
        "Music": "Korobeiniki, a folk song, arranged and synthesised for Tetrion",
    }
    for (label, value), row in zip(entries.items(), draw_rows(ui.pen, box, len(entries)), strict=True):
        ui.pen.draw_text(label, (row.left, row.centery - 10), 14, False, DIM_TEXT)
        draw_shortened_text(ui, value, (row.left, row.centery + 12), row.width, colour=STRONG_TEXT)


def measure_key(pen: Pen, name: str) -> int:
    """Return the width of the button of a key with its whole label."""
    label = format_key_label(name)
    return _KEY_PADDING + (16 if label in ARROW_DIRECTIONS else pen.measure_text(label, 15, True))


def without_keys(names: tuple[str, ...], removed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of an action without some of them."""
    return tuple(name for name in names if name not in removed)


def get_reference_rules(settings: WindowSettings) -> Rules:
    """Return the rules for new games if they allow the full handling, else the default ones."""
    rules = parse_play_rules(settings)
    return rules if has_full_handling(rules) else Rules.parse(DEFAULT_PLAY_RULES)


def describe_use(settings: WindowSettings) -> str:
    """Return the sentences about where the handling applies."""
    rules = parse_play_rules(settings)
    own = "" if list_handling_fields(rules) else f" The rules {rules.name} set their own key repeat."
    return (
        f"Values that you have not changed are those of {get_reference_rules(settings).name}. The handling applies to "
        f"modern rules and becomes part of the rules of a game, and so of its replay; best scores are shared.{own} DAS "
        "and ARR also apply to older rules that set neither."
    )


def parse_play_rules(settings: WindowSettings) -> Rules:
    """Return the rules for new games, or the default ones if they are invalid."""
    try:
        return Rules.parse(settings.play_rules)
    except TetrionError:
        return Rules.parse(DEFAULT_PLAY_RULES)
