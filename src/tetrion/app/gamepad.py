"""Gamepads: their buttons and directions become keys of their own, and in menus arrow keys, Enter and Esc."""

from collections.abc import Iterable, Mapping, Sequence

import pygame
from pygame._sdl2 import controller

_FIRST_PAD_CODE = 0x40000000 + 420  # SDL reserves these key codes; no keyboard uses them
PAD_LABELS = {  # the name of each button or direction in the settings, and its label
    "pad left": "Pad left",
    "pad right": "Pad right",
    "pad up": "Pad up",
    "pad down": "Pad down",
    "pad a": "Pad A",
    "pad b": "Pad B",
    "pad x": "Pad X",
    "pad y": "Pad Y",
    "pad left shoulder": "Pad LB",
    "pad right shoulder": "Pad RB",
    "pad left trigger": "Pad LT",
    "pad right trigger": "Pad RT",
    "pad left stick": "Pad LS",
    "pad right stick": "Pad RS",
    "pad back": "Pad back",
    "pad start": "Pad start",
}
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
_CONTROLLER_BUTTONS = {  # A is the lowest of the four buttons at the right (south), B the rightmost (east)
    pygame.CONTROLLER_BUTTON_A: "pad a",
    pygame.CONTROLLER_BUTTON_B: "pad b",
    pygame.CONTROLLER_BUTTON_X: "pad x",
    pygame.CONTROLLER_BUTTON_Y: "pad y",
    pygame.CONTROLLER_BUTTON_BACK: "pad back",
    pygame.CONTROLLER_BUTTON_START: "pad start",
    pygame.CONTROLLER_BUTTON_LEFTSTICK: "pad left stick",
    pygame.CONTROLLER_BUTTON_RIGHTSTICK: "pad right stick",
    pygame.CONTROLLER_BUTTON_LEFTSHOULDER: "pad left shoulder",
    pygame.CONTROLLER_BUTTON_RIGHTSHOULDER: "pad right shoulder",
    pygame.CONTROLLER_BUTTON_DPAD_UP: "pad up",
    pygame.CONTROLLER_BUTTON_DPAD_DOWN: "pad down",
    pygame.CONTROLLER_BUTTON_DPAD_LEFT: "pad left",
    pygame.CONTROLLER_BUTTON_DPAD_RIGHT: "pad right",
}
_JOYSTICK_BUTTONS = (  # the usual order on devices for which SDL has no mapping
    "pad a",
    "pad b",
    "pad x",
    "pad y",
    "pad left shoulder",
    "pad right shoulder",
    "pad back",
    "pad start",
    "pad left stick",
    "pad right stick",
)
_TRIGGERS = {
    pygame.CONTROLLER_AXIS_TRIGGERLEFT: "pad left trigger",
    pygame.CONTROLLER_AXIS_TRIGGERRIGHT: "pad right trigger",
}
_STICK_AXES = (0, 1)  # of the left stick: x and y, on controllers and on joysticks
_AXIS_RANGE = 32768  # controllers report whole numbers, joysticks shares
_PRESS_SHARE = 0.6  # of the full deflection, from which a stick or a trigger counts as pressed
_RELEASE_SHARE = 0.4


class Gamepads:
    """All connected gamepads; they can be connected and removed at any time."""

    def __init__(self) -> None:
        self.was_used_last = False  # rather than the keyboard
        self._devices: dict[int, controller.Controller | pygame.joystick.JoystickType] = {}  # by instance
        self._mapped_instances: set[int] = set()  # devices whose buttons SDL knows
        self._sources: dict[str, set[tuple[int, str]]] = {name: set() for name in PAD_LABELS}  # what holds a key down
        self._stick_axes: dict[int, list[float]] = {}
        self._hats: dict[int, set[str]] = {}
        try:
            pygame.joystick.init()
            controller.init()
        except pygame.error:
            return  # the window works without gamepads

    def close(self) -> None:
        """Close all devices."""
        self._devices.clear()
        controller.quit()
        pygame.joystick.quit()

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
        if event.type == pygame.JOYDEVICEADDED:
            self._open_device(event.device_index)
            return []
        if event.type == pygame.JOYDEVICEREMOVED:
            return self._remove_device(event.instance_id)
        if event.type in (pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP):
            name = _CONTROLLER_BUTTONS.get(event.button, "")
            return self._set_key(name, event, "button", event.type == pygame.CONTROLLERBUTTONDOWN)
        if event.type == pygame.CONTROLLERAXISMOTION:
            return self._move_axis(event, event.value / _AXIS_RANGE, has_triggers=True)
        return self._handle_joystick_event(event)

    def _handle_joystick_event(self, event: pygame.event.Event) -> list[pygame.event.Event] | None:
        if event.type not in (
            pygame.JOYBUTTONDOWN,
            pygame.JOYBUTTONUP,
            pygame.JOYAXISMOTION,
            pygame.JOYHATMOTION,
        ):
            return None
        if event.instance_id in self._mapped_instances:
            return []  # the same input also comes as an event of the controller
        if event.type == pygame.JOYAXISMOTION:
            return self._move_axis(event, event.value, has_triggers=False)
        if event.type == pygame.JOYHATMOTION:
            return self._move_hat(event)
        name = dict(enumerate(_JOYSTICK_BUTTONS)).get(event.button, "")
        return self._set_key(name, event, "button", event.type == pygame.JOYBUTTONDOWN)

    def _open_device(self, index: int) -> None:
        try:
            joystick = pygame.joystick.Joystick(index)
            instance = joystick.get_instance_id()
            if controller.is_controller(index):
                self._devices[instance] = controller.Controller(index)
                self._mapped_instances.add(instance)
            else:
                self._devices[instance] = joystick
        except pygame.error:
            return  # it has already been removed

    def _remove_device(self, instance: int) -> list[pygame.event.Event]:
        self._devices.pop(instance, None)
        self._mapped_instances.discard(instance)
        self._stick_axes.pop(instance, None)
        self._hats.pop(instance, None)
        released: list[pygame.event.Event] = []
        for name, sources in self._sources.items():
            for source in [source for source in sources if source[0] == instance]:
                released += self._set_source(name, source, False)
        return released

    def _move_axis(self, event: pygame.event.Event, value: float, *, has_triggers: bool) -> list[pygame.event.Event]:
        if event.axis in _STICK_AXES:
            axes = self._stick_axes.setdefault(event.instance_id, [0.0, 0.0])
            axes[event.axis] = value
            source = event.instance_id, "stick"
            held = next((name for name, sources in self._sources.items() if source in sources), "")
            direction = find_stick_direction(*axes, is_held=bool(held))
            if direction == held:
                return []
            return self._set_source(held, source, False) + self._set_source(direction, source, True)
        if not has_triggers or event.axis not in _TRIGGERS:
            return []
        name = _TRIGGERS[event.axis]
        is_held = (event.instance_id, "trigger") in self._sources[name]
        return self._set_key(name, event, "trigger", value >= (_RELEASE_SHARE if is_held else _PRESS_SHARE))

    def _move_hat(self, event: pygame.event.Event) -> list[pygame.event.Event]:
        x, y = event.value
        names = {1: "pad right", -1: "pad left"}.get(x, ""), {1: "pad up", -1: "pad down"}.get(y, "")
        pressed = {name for name in names if name}
        before = self._hats.get(event.instance_id, set())
        self._hats[event.instance_id] = pressed
        changes = [(name, False) for name in sorted(before - pressed)] + [(name, True) for name in pressed - before]
        return [key for name, is_down in changes for key in self._set_key(name, event, "hat", is_down)]

    def _set_key(self, name: str, event: pygame.event.Event, part: str, is_down: bool) -> list[pygame.event.Event]:
        return self._set_source(name, (event.instance_id, part), is_down)

    def _set_source(self, name: str, source: tuple[int, str], is_down: bool) -> list[pygame.event.Event]:
        """Record that a part of a gamepad holds a key down, or no longer does; return the key events."""
        if not name:
            return []
        sources = self._sources[name]
        was_down = bool(sources)
        if is_down:
            sources.add(source)
        else:
            sources.discard(source)
        if was_down == bool(sources):
            return []
        return [make_key_event(pygame.KEYDOWN if is_down else pygame.KEYUP, PAD_CODES[name])]


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
