"""The page of the settings screen with the keys and gamepad buttons of each action."""

from collections.abc import Mapping

import pygame

from tetrion.app.toolkit.controls import compute_button_width, draw_button
from tetrion.app.toolkit.ui import Ui, format_key_label, get_key_name
from tetrion.app.window import Window
from tetrion.app.window_settings import DEFAULT_KEYS, MAX_KEYS_PER_ACTION
from tetrion.drawing.palette import DIM_TEXT, NEGATIVE, STRONG_TEXT
from tetrion.drawing.pen import ARROW_DIRECTIONS, Box, Pen

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
_TITLE_HEIGHT = 60
_MAX_ROW_HEIGHT = 52
_BUTTON_HEIGHT = 32
_ACTION_NAME_WIDTH = 104
_KEY_PADDING = 34  # of the button of a key, with its cross
_KEY_PREFIX = "set key "
ADD_PREFIX = "set add "


class KeysPage:
    """Adds and removes keys; a key that another action uses moves to the new action."""

    def __init__(self, window: Window) -> None:
        self.window = window
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

    def reset(self, focus: str) -> bool:
        """Reset the focused action to its default; return whether it belongs to this page."""
        action = focus.removeprefix("set ").removeprefix("add ").removeprefix("key ").partition(" ")[0]
        if not focus.startswith((_KEY_PREFIX, ADD_PREFIX)) or action not in DEFAULT_KEYS:
            return False
        defaults = DEFAULT_KEYS[action]
        keys = {other: without_keys(names, defaults) for other, names in self.window.settings.keys.items()}
        self.window.change_settings(keys={**keys, action: defaults})
        self.window.show_message(f"{ACTION_NAMES[action]} has its default keys again.")
        return True

    # Changes

    def _add_key(self, action: str, name: str) -> None:
        keys = dict(self.window.settings.keys)
        if name in keys[action]:
            return
        if len(keys[action]) >= MAX_KEYS_PER_ACTION:
            self.window.show_message(
                f"{ACTION_NAMES[action]} already has {MAX_KEYS_PER_ACTION} keys. Remove one first."
            )
            return
        former = next((other for other, names in keys.items() if name in names), "")
        if former:
            keys[former] = without_keys(keys[former], (name,))
            self.window.show_message(describe_moved_key(name, former, action, keys))
        keys[action] = (*keys[action], name)
        self.window.change_settings(keys=keys)

    def _remove_key(self, action: str, name: str) -> None:
        keys = dict(self.window.settings.keys)
        keys[action] = without_keys(keys[action], (name,))
        self.window.change_settings(keys=keys)
        rest = "has no key now" if not keys[action] else "has other keys"
        label = format_key_label(name)
        self.window.show_message(f"{label} was removed; {ACTION_NAMES[action]} {rest}. Backspace restores its keys.")
        self.window.ui.focus = f"{ADD_PREFIX}{action}"

    # Drawing

    def draw(self, ui: Ui, box: Box) -> None:
        """Draw one row per action, and the button that resets all keys."""
        label = "Reset all keys"
        width = compute_button_width(ui.pen, label)
        button_box = Box(box.right - width, box.top + 16, width, 36)
        row_height = min(_MAX_ROW_HEIGHT, (box.bottom - 8 - box.top - _TITLE_HEIGHT) // len(ACTION_NAMES))
        for number, action in enumerate(ACTION_NAMES):
            top = box.top + _TITLE_HEIGHT + number * row_height
            ui.pen.draw_separator(box.left, top, box.width)
            self._draw_action(ui, Box(box.left, top, box.width, row_height), action)
        if draw_button(ui, "set reset keys", button_box, label):
            self.window.change_settings(keys=dict(DEFAULT_KEYS))
            self.window.show_message("All keys have their default again.")

    def _draw_action(self, ui: Ui, row: Box, action: str) -> None:
        pen = ui.pen
        height = min(_BUTTON_HEIGHT, row.height - 6)
        names = self.window.settings.keys[action]
        pen.draw_text(ACTION_NAMES[action], (row.left, row.centery), 16, True, STRONG_TEXT)
        is_awaiting = self.action_awaiting_key == action
        label = "Press a key" if is_awaiting else "Add"
        width = compute_button_width(pen, label)
        add_box = Box(row.right - width, row.centery - height // 2, width, height)
        space = add_box.left - row.left - _ACTION_NAME_WIDTH
        widths = [compute_key_width(pen, name) for name in names]
        if sum(width + 8 for width in widths) > space:
            widths = [min(width, space // len(names) - 8) for width in widths]
        left = add_box.left - sum(width + 8 for width in widths)
        if not names:
            pen.draw_text("No key", (add_box.left - 16, row.centery), 16, False, NEGATIVE, align=1)
        for name, width in zip(names, widths, strict=True):
            key_box = Box(left, add_box.top, width, height)
            self._draw_key(ui, key_box, action, name)
            left = key_box.right + 8
        if draw_button(ui, f"{ADD_PREFIX}{action}", add_box, label, is_primary=is_awaiting, group=f"keys of {action}"):
            self.action_awaiting_key = action

    def _draw_key(self, ui: Ui, box: Box, action: str, name: str) -> None:
        """Draw a key with a cross; using it, or Del, removes the key."""
        control = f"{_KEY_PREFIX}{action} {name}"
        is_used = draw_button(ui, control, box, "", group=f"keys of {action}")
        label = format_key_label(name)
        if label in ARROW_DIRECTIONS:
            ui.pen.draw_arrow((box.left + 18, box.centery), ARROW_DIRECTIONS[label], STRONG_TEXT)
        else:
            text = ui.pen.truncate_text(label, box.width - _KEY_PADDING, 15, True)
            ui.pen.draw_text(text, (box.left + 10, box.centery), 15, True, STRONG_TEXT)
        ui.pen.draw_text("×", (box.right - 8, box.centery), 15, False, DIM_TEXT, align=1)
        is_deleted = ui.focus == control and ui.is_key_pressed("Del")
        if is_used or is_deleted:
            self._remove_key(action, name)


def compute_key_width(pen: Pen, name: str) -> int:
    """Return the width of the button of a key with its whole label."""
    label = format_key_label(name)
    return _KEY_PADDING + (16 if label in ARROW_DIRECTIONS else pen.measure_text(label, 15, True))


def without_keys(names: tuple[str, ...], removed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of an action without some of them."""
    return tuple(name for name in names if name not in removed)


def describe_moved_key(name: str, former: str, action: str, keys: Mapping[str, tuple[str, ...]]) -> str:
    """Return a sentence about a key that was taken from another action; `keys` are those after that."""
    left = [format_key_label(other) for other in keys[former]]
    rest = f"still has {', '.join(left)}" if left else "has no key now"
    return f"{format_key_label(name)} now means {ACTION_NAMES[action]}; {ACTION_NAMES[former]} {rest}."
