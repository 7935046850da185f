"""Gamepads: their buttons and directions become keys of their own, and in menus arrow keys, Enter and Esc."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import pygame
from pygame._sdl2 import controller

_FIRST_PAD_CODE = 0x40000000 + 420  # SDL reserves these key codes; no keyboard uses them
_BUTTON_LABELS = {  # A is the lowest of the four buttons at the right (south), B the rightmost (east)
    pygame.CONTROLLER_BUTTON_DPAD_LEFT: ("pad left", "Pad left"),
    pygame.CONTROLLER_BUTTON_DPAD_RIGHT: ("pad right", "Pad right"),
    pygame.CONTROLLER_BUTTON_DPAD_UP: ("pad up", "Pad up"),
    pygame.CONTROLLER_BUTTON_DPAD_DOWN: ("pad down", "Pad down"),
    pygame.CONTROLLER_BUTTON_A: ("pad a", "Pad A"),
    pygame.CONTROLLER_BUTTON_B: ("pad b", "Pad B"),
    pygame.CONTROLLER_BUTTON_X: ("pad x", "Pad X"),
    pygame.CONTROLLER_BUTTON_Y: ("pad y", "Pad Y"),
    pygame.CONTROLLER_BUTTON_LEFTSHOULDER: ("pad left shoulder", "Pad LB"),
    pygame.CONTROLLER_BUTTON_RIGHTSHOULDER: ("pad right shoulder", "Pad RB"),
    pygame.CONTROLLER_BUTTON_LEFTSTICK: ("pad left stick", "Pad LS"),
    pygame.CONTROLLER_BUTTON_RIGHTSTICK: ("pad right stick", "Pad RS"),
    pygame.CONTROLLER_BUTTON_BACK: ("pad back", "Pad back"),
    pygame.CONTROLLER_BUTTON_START: ("pad start", "Pad start"),
}
_TRIGGER_LABELS = {
    pygame.CONTROLLER_AXIS_TRIGGERLEFT: ("pad left trigger", "Pad LT"),
    pygame.CONTROLLER_AXIS_TRIGGERRIGHT: ("pad right trigger", "Pad RT"),
}
PAD_LABELS = dict([*_BUTTON_LABELS.values(), *_TRIGGER_LABELS.values()])  # by the names of the settings
PAD_CODES = {name: _FIRST_PAD_CODE + number for number, name in enumerate(PAD_LABELS)}
PAD_NAMES = {code: name for name, code in PAD_CODES.items()}
_MENU_KEYS = {
    "pad left": pygame.K_LEFT,
    "pad right": pygame.K_RIGHT,
    "pad up": pygame.K_UP,
    "pad down": pygame.K_DOWN,
    "pad a": pygame.K_RETURN,
    "pad b": pygame.K_ESCAPE,
}
_PRESS_SHARE = 0.6  # of the full deflection, from which a stick or a trigger counts as pressed
_RELEASE_SHARE = 0.4


class Gamepads:
    """All gamepads that SDL supports; they can be connected and removed at any time."""

    def __init__(self) -> None:
        self.was_used_last = False  # rather than the keyboard
        self._devices: list[controller.Controller] = []  # a device that is not open sends no events
        self._held_names: dict[tuple[int, str], str] = {}  # the key that a button, stick or trigger of a device holds
        self._stick_positions: dict[int, list[float]] = {}
        with suppress(pygame.error):  # the window works without gamepads
            controller.init()

    def close(self) -> None:
        """Close all devices."""
        self._devices.clear()
        controller.quit()

    def translate(self, events: Iterable[pygame.event.Event]) -> list[pygame.event.Event]:
        """Return the events with those of gamepads replaced by key events with codes of PAD_CODES."""
        translated: list[pygame.event.Event] = []
        for event in events:
            pad_keys = self._handle_event(event)
            translated += [event] if pad_keys is None else pad_keys
            if pad_keys:
                self.was_used_last = True
            elif event.type == pygame.KEYDOWN:
                self.was_used_last = False
        return translated

    def _handle_event(self, event: pygame.event.Event) -> list[pygame.event.Event] | None:
        """Return the key events that an event of a gamepad causes; None for other events."""
        if event.type == pygame.CONTROLLERDEVICEADDED:
            with suppress(pygame.error):  # it has already been removed
                self._devices.append(controller.Controller(event.device_index))
            return []
        if event.type == pygame.CONTROLLERDEVICEREMOVED:
            self._devices = [device for device in self._devices if device.attached()]
            self._stick_positions.pop(event.instance_id, None)
            sources = [source for source in self._held_names if source[0] == event.instance_id]
            return [key for source in sources for key in self._hold(source, "")]
        if event.type in (pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP):
            is_down = event.type == pygame.CONTROLLERBUTTONDOWN
            name = _BUTTON_LABELS.get(event.button, ("",))[0] if is_down else ""
            return self._hold((event.instance_id, f"button {event.button}"), name)
        if event.type == pygame.CONTROLLERAXISMOTION:
            return self._move_axis(event.instance_id, event.axis, event.value / 32768)
        return None

    def _move_axis(self, instance: int, axis: int, value: float) -> list[pygame.event.Event]:
        is_stick = axis in (pygame.CONTROLLER_AXIS_LEFTX, pygame.CONTROLLER_AXIS_LEFTY)
        source = instance, "stick" if is_stick else f"axis {axis}"
        is_held = source in self._held_names
        if axis in _TRIGGER_LABELS:
            is_pressed = value >= (_RELEASE_SHARE if is_held else _PRESS_SHARE)
            return self._hold(source, _TRIGGER_LABELS[axis][0] if is_pressed else "")
        if not is_stick:
            return []
        position = self._stick_positions.setdefault(instance, [0.0, 0.0])
        position[axis] = value
        return self._hold(source, find_stick_direction(*position, is_held=is_held))

    def _hold(self, source: tuple[int, str], name: str) -> list[pygame.event.Event]:
        """Record which key a part of a gamepad holds down, or "" for none; return the key events.

        Several parts may hold the same key, which is released with the last of them.
        """
        before = self._held_names.pop(source, "")
        others = set(self._held_names.values())
        if name:
            self._held_names[source] = name
        if name == before:
            return []
        changes = ((pygame.KEYUP, before), (pygame.KEYDOWN, name))
        return [make_key_event(kind, PAD_CODES[key]) for kind, key in changes if key and key not in others]


def find_stick_direction(x: float, y: float, *, is_held: bool) -> str:
    """Return the key of a stick's main direction, or "" near its centre; a held direction ends later than it begins."""
    if max(abs(x), abs(y)) < (_RELEASE_SHARE if is_held else _PRESS_SHARE):
        return ""
    if abs(x) >= abs(y):
        return "pad right" if x > 0 else "pad left"
    return "pad down" if y > 0 else "pad up"


def make_key_event(event_type: int, code: int) -> pygame.event.Event:
    """Return a key event without modifiers and without a character."""
    return pygame.event.Event(event_type, key=code, mod=0, unicode="")


def to_control_event(event: pygame.event.Event, keys: Mapping[str, Sequence[str]]) -> pygame.event.Event:
    """Return the event that controls receive: for a key of a gamepad, the key with the same effect.

    Directions become arrow keys, A becomes Enter and B becomes Esc; any other button becomes the first keyboard key of
    the action that has it in `keys`.
    """
    if event.type not in (pygame.KEYDOWN, pygame.KEYUP) or event.key not in PAD_NAMES:
        return event
    name = PAD_NAMES[event.key]
    if name in _MENU_KEYS:
        return make_key_event(event.type, _MENU_KEYS[name])
    for names in keys.values():
        if name in names and (keyboard := [key for key in names if key not in PAD_CODES]):
            return make_key_event(event.type, pygame.key.key_code(keyboard[0]))
    return event
