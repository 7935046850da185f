"""The page of the settings screen with the handling: key repeat, soft drop, initial rotation and hold."""

from collections.abc import Callable

from tetrion.app.games.human_rules import (
    DEFAULT_PLAY_RULES,
    INSTANT,
    MAX_ARR_MILLISECONDS,
    MAX_DAS_MILLISECONDS,
    MAX_SOFT_DROP_MILLISECONDS,
    has_full_handling,
    list_handling_fields,
    to_milliseconds,
)
from tetrion.app.screens.settings_rows import SettingRow, draw_setting_rows
from tetrion.app.toolkit.controls import compute_button_width, draw_button, draw_stepper, draw_toggle
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.palette import DIM_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError

_TITLE_HEIGHT = 68
_NOTE_HEIGHT = 92
_STEPPER_WIDTH = 148
_STEP = 10  # milliseconds
_RULE_FIELDS = {  # the field of the rules of each setting
    "das": "das",
    "arr": "arr",
    "soft_drop": "soft_drop_interval",
    "initial_rotation": "initial_rotation",
    "initial_hold": "initial_hold",
}
_LIMITS = {"das": MAX_DAS_MILLISECONDS, "arr": MAX_ARR_MILLISECONDS, "soft_drop": MAX_SOFT_DROP_MILLISECONDS}


class HandlingPage:
    """Sets the handling; a setting that was not changed has the value of the rules for new games."""

    def __init__(self, window: Window) -> None:
        self.window = window

    def draw(self, ui: Ui, box: Box) -> None:
        """Draw one row per setting, where they apply, and the button that resets all of them."""
        label = "Reset handling"
        width = compute_button_width(ui.pen, label)
        if draw_button(ui, "set reset handling", Box(box.right - width, box.top + 16, width, 36), label):
            self.window.change_settings(**dict.fromkeys(_RULE_FIELDS))
            self.window.show_message("The handling is that of the rules again.")
        rules = self._get_reference_rules()
        rows_box = Box(box.left, box.top + _TITLE_HEIGHT, box.width, box.height - _TITLE_HEIGHT - _NOTE_HEIGHT)
        bottom = draw_setting_rows(ui, rows_box, self._make_rows(rules), _STEPPER_WIDTH + 16)
        ui.pen.draw_separator(box.left, bottom, box.width)
        note = describe_use(rules, parse_rules_or_default(self.window.settings.play_rules))
        ui.pen.draw_paragraph(note, (box.left, bottom + 20), box.width, 14, DIM_TEXT, max_lines=4)

    def _get_reference_rules(self) -> Rules:
        """Return the rules for new games if they allow the full handling, else the default ones."""
        rules = parse_rules_or_default(self.window.settings.play_rules)
        return rules if has_full_handling(rules) else Rules.parse(DEFAULT_PLAY_RULES)

    def _make_rows(self, rules: Rules) -> list[SettingRow]:
        return [
            SettingRow("Repeat delay (DAS)", "Until a held key repeats.", self._make_stepper("das", rules)),
            SettingRow("Repeat interval (ARR)", "Between two repeats.", self._make_stepper("arr", rules)),
            SettingRow("Soft drop", "Per row while the key is held.", self._make_stepper("soft_drop", rules)),
            SettingRow(
                "Initial rotation",
                "A rotation key that is down turns a new piece.",
                self._make_switch("initial_rotation", rules),
            ),
            SettingRow(
                "Initial hold",
                "A hold key that is down exchanges a new piece.",
                self._make_switch("initial_hold", rules),
            ),
        ]

    def _make_stepper(self, name: str, rules: Rules) -> Callable[[Ui, Box], None]:
        def draw_control(ui: Ui, box: Box) -> None:
            stepper_box = Box(box.right - _STEPPER_WIDTH, box.centery - 18, _STEPPER_WIDTH, 36)
            before = self._get_value(name, rules)
            zero_text = "" if name == "das" else INSTANT.capitalize()
            value = draw_stepper(
                ui,
                f"set {name}",
                stepper_box,
                before,
                max_value=_LIMITS[name],
                step=_STEP,
                unit=" ms",
                zero_text=zero_text,
            )
            if value != before:
                self.window.change_settings(**{name: value})

        return draw_control

    def _make_switch(self, name: str, rules: Rules) -> Callable[[Ui, Box], None]:
        def draw_control(ui: Ui, box: Box) -> None:
            before = bool(self._get_value(name, rules))
            if (value := draw_toggle(ui, f"set {name}", box, before)) != before:
                self.window.change_settings(**{name: value})

        return draw_control

    def _get_value(self, name: str, rules: Rules) -> int:
        """Return the value of a setting: milliseconds, or 1 for a switch that is on."""
        chosen: int | None = getattr(self.window.settings, name)
        if chosen is not None:
            return chosen
        value: str | int = getattr(rules, _RULE_FIELDS[name])
        if isinstance(value, str):
            return 0
        return to_milliseconds(rules, value) if name in _LIMITS else value


def describe_use(reference: Rules, play_rules: Rules) -> str:
    """Return the sentences about where the handling applies; `reference` are the rules with the values shown."""
    own = "" if list_handling_fields(play_rules) else f" The rules {play_rules.name} set their own key repeat."
    return (
        f"Values that you have not changed are those of {reference.name}. The handling applies to modern rules and "
        f"becomes part of the rules of a game, and so of its replay; best scores are shared.{own} DAS and ARR also "
        "apply to older rules that set neither."
    )


def parse_rules_or_default(text: str) -> Rules:
    """Return rules from the settings, or the standard rules if they are invalid."""
    try:
        return Rules.parse(text)
    except TetrionError:
        return Rules()
