"""Controls that exist while they are drawn: where the focus is, what was clicked and typed, and what lies on top.

A screen draws its controls anew in every frame and is told at once what a person did with them since the last one.
What is on top (an overlay) alone can be used; `layer` says so. Names must differ within a screen.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import pygame

from tetrion.drawing.palette import ACCENT
from tetrion.drawing.pen import Box, Pen

_FOCUS_RING_SECONDS = 0.12  # seconds in which the ring of the focus moves
_FOCUS_RING_GAP = 2  # units between a control and its ring
_FIRST_REPEAT_SECONDS, _REPEAT_SECONDS = 0.35, 0.06  # seconds
_KEY_CODES_BY_LABEL = {
    "Space": pygame.K_SPACE,
    "Enter": pygame.K_RETURN,
    "Esc": pygame.K_ESCAPE,
    "Tab": pygame.K_TAB,
    "Backspace": pygame.K_BACKSPACE,
    "Del": pygame.K_DELETE,
    "←": pygame.K_LEFT,
    "→": pygame.K_RIGHT,
    "↑": pygame.K_UP,
    "↓": pygame.K_DOWN,
    "PgUp": pygame.K_PAGEUP,
    "PgDn": pygame.K_PAGEDOWN,
    "Home": pygame.K_HOME,
    "End": pygame.K_END,
    "+": pygame.K_PLUS,
    "-": pygame.K_MINUS,
}
_KEY_LABELS_BY_CODE = {code: name for name, code in _KEY_CODES_BY_LABEL.items()}
ARROW_KEY_DIRECTIONS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}
ENTER_KEYS = (pygame.K_RETURN, pygame.K_KP_ENTER)


def get_key_code(label: str) -> int:
    """The key that a keycap stands for."""
    return _KEY_CODES_BY_LABEL.get(label) or pygame.key.key_code(label.lower())


def get_key_name(code: int) -> str:
    """A key's name, by which it is found again; nothing for a key that has none."""
    return pygame.key.name(code) or pygame.key.name(code, use_compat=False)  # the former knows no ä or é


def get_key_label(code: int) -> str:
    """What stands on the keycap of a key."""
    name = _KEY_LABELS_BY_CODE.get(code) or get_key_name(code)
    large = name[:1].upper()
    return large + name[1:] if len(large) == 1 else name


class Control(NamedTuple):
    """A control as it was last drawn."""

    name: str
    box: Box
    radius: float
    layer_depth: int
    key: int
    group: str
    uses_arrows: bool  # whether it takes left and right itself
    is_background: bool  # whether it can be clicked alone, never focused


class ControlState(NamedTuple):
    """What a person does with a control just now."""

    is_focused: bool
    is_hovered: bool
    is_pressed: bool
    is_activated: bool
    arrow_steps: int  # arrows to the right, less those to the left


@dataclass
class KeyRepeat:
    """A key that is held."""

    event: pygame.event.Event
    seconds_left: float = _FIRST_REPEAT_SECONDS


@dataclass
class Ui:
    """The controls of a window; `pen` draws the frame that is under way."""

    pen: Pen
    has_animation: bool = True  # whether the ring of the focus moves
    is_above_menu: bool = True  # whether the menu lies below the screen
    time: float = 0.0
    focus: str = ""
    pointer: tuple[float, float] = (-1, -1)
    wheel: int = 0
    is_mouse_down: bool = False  # the left button of the mouse
    keys: list[pygame.event.Event] = field(default_factory=list)  # pressed and not yet used by a control
    files: list[str] = field(default_factory=list)  # dropped onto the window
    layer_depth: int = 0
    _top_depth: int = 0
    _requested_focus: str = ""
    _pressed_name: str = ""
    _activated_names: set[str] = field(default_factory=set)
    _arrow_steps: dict[str, int] = field(default_factory=dict)
    _previous_controls: dict[str, Control] = field(default_factory=dict)
    _current_controls: dict[str, Control] = field(default_factory=dict)
    _focus_ring_from: Box | None = None
    _focus_ring_to: Box | None = None
    _focus_ring_age: float = _FOCUS_RING_SECONDS
    _key_repeat: KeyRepeat | None = None

    # A frame.

    def begin_frame(self, pen: Pen, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Begin a frame with what has happened since the last one."""
        self.pen = pen
        self.time = self.time + seconds
        self.keys = []
        self.files = []
        self.wheel = 0
        self.layer_depth = 0
        self._activated_names = set()
        self._arrow_steps = {}
        self._current_controls = {}
        self._focus_ring_age += seconds
        for event in events:
            self._handle_event(event)
        self._repeat_held_key(seconds)

    def end_frame(self) -> None:
        """End a frame: what was drawn is what can be used, and the focus gets its ring."""
        self._previous_controls = self._current_controls
        self._top_depth = max((each.layer_depth for each in self._current_controls.values()), default=0)
        if self._requested_focus in self._usable_controls:
            self.focus = self._requested_focus
            self._requested_focus = ""
        if (control := self._usable_controls.get(self.focus)) is None:
            self.focus = next(iter(self.focusable_names), "") if self._top_depth else ""
            control = self._usable_controls.get(self.focus)
        self._draw_focus_ring(control)

    def reset(self) -> None:
        """Another screen comes: nothing of this one is known any more."""
        self._previous_controls = {}
        self._current_controls = {}
        self.focus = ""
        self._pressed_name = ""
        self._requested_focus = ""
        self._focus_ring_to = None
        self._top_depth = 0
        self._key_repeat = None

    def request_focus(self, name: str) -> None:
        """Give the focus to a control as soon as it is drawn."""
        self._requested_focus = name

    @contextmanager
    def modal_layer(self) -> Iterator[None]:
        """What is drawn meanwhile lies on top: nothing below it can be used."""
        self.layer_depth += 1
        try:
            yield
        finally:
            self.layer_depth -= 1

    # What controls ask.

    def add_control(
        self,
        name: str,
        box: Box,
        *,
        radius: float = 8,
        key: str = "",
        group: str = "",
        uses_arrows: bool = False,
        is_enabled: bool = True,
        is_background: bool = False,
    ) -> ControlState:
        """Say that there is a control in a box, and hear what a person does with it.

        `key` is its shortcut; arrows move between the controls of a group, or with `arrows` change the control itself;
        one that lies `behind` others is clicked and never focused.
        """
        if not is_enabled:
            return ControlState(False, False, False, False, 0)
        code = get_key_code(key) if key else 0
        self._current_controls[name] = Control(
            name, box.copy(), radius, self.layer_depth, code, group, uses_arrows, is_background
        )
        on_top = self.layer_depth >= self._top_depth
        hovered = on_top and box.collidepoint(self.pointer)
        pressed = hovered and self.is_mouse_down and self._pressed_name == name
        return ControlState(
            on_top and self.focus == name,
            hovered,
            pressed,
            on_top and name in self._activated_names,
            self._arrow_steps.get(name, 0) if on_top else 0,
        )

    def is_key_pressed(self, *labels: str) -> bool:
        """Whether one of these keys was pressed and no control has used it."""
        codes = [get_key_code(label) for label in labels]
        return any(event.key in codes for event in self.keys)

    def get_box(self, name: str) -> Box:
        """Where a control was last drawn."""
        return self._previous_controls[name].box

    @property
    def focusable_names(self) -> list[str]:
        """The controls that can have the focus, in order."""
        return [name for name, control in self._usable_controls.items() if not control.is_background]

    # What a person does.

    @property
    def _usable_controls(self) -> dict[str, Control]:
        return {
            name: control for name, control in self._previous_controls.items() if control.layer_depth == self._top_depth
        }

    def _handle_event(self, event: pygame.event.Event) -> None:
        if event.type == pygame.MOUSEMOTION:
            self._move_pointer(event.pos)
        elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            self._move_pointer(event.pos)
            self._handle_click(event)
        elif event.type == pygame.MOUSEWHEEL:
            self.wheel += event.y
        elif event.type == pygame.KEYDOWN:
            self._handle_key(event)
        elif event.type == pygame.KEYUP and self._key_repeat and self._key_repeat.event.key == event.key:
            self._key_repeat = None
        elif event.type == pygame.DROPFILE:
            self.files.append(event.file)

    def _move_pointer(self, place: tuple[int, int]) -> None:
        self.pointer = place[0] / self.pen.scale, place[1] / self.pen.scale

    def _handle_click(self, event: pygame.event.Event) -> None:
        down = event.type == pygame.MOUSEBUTTONDOWN
        if event.button != pygame.BUTTON_LEFT:
            return
        self.is_mouse_down = down
        under = [control for control in self._usable_controls.values() if control.box.collidepoint(self.pointer)]
        name = under[-1].name if under else ""
        if down:
            self._pressed_name = name
            self.focus = name if name in self.focusable_names else self.focus
        elif name and name == self._pressed_name:
            self._activated_names.add(name)
        if not down:
            self._pressed_name = ""

    def _handle_key(self, event: pygame.event.Event) -> None:
        usable, key = self._usable_controls, event.key
        plain = not getattr(event, "mod", 0) & (pygame.KMOD_CTRL | pygame.KMOD_ALT | pygame.KMOD_META)
        shortcut = next((control.name for control in usable.values() if control.key and control.key == key), "")
        control = usable.get(self.focus)
        self._key_repeat = KeyRepeat(event) if key in ARROW_KEY_DIRECTIONS or key == pygame.K_TAB else None
        if shortcut and plain:
            self._activated_names.add(shortcut)
        elif key == pygame.K_TAB and usable:
            self._move_focus(-1 if getattr(event, "mod", 0) & pygame.KMOD_SHIFT else 1)
        elif control and (key in ENTER_KEYS or key == pygame.K_SPACE):
            self._activated_names.add(control.name)
        elif control and key in ARROW_KEY_DIRECTIONS and self._handle_arrow(control, *ARROW_KEY_DIRECTIONS[key]):
            return
        else:
            self.keys.append(event)

    def _move_focus(self, step: int) -> None:
        names = self.focusable_names
        if not names:
            return
        self.focus = (
            names[(names.index(self.focus) + step) % len(names)] if self.focus in names else names[min(step, 0)]
        )

    def _handle_arrow(self, control: Control, dx: int, dy: int) -> bool:
        """Move within a group, or change what takes arrows itself; tells whether anything did."""
        if dx and control.uses_arrows:
            self._arrow_steps[control.name] = self._arrow_steps.get(control.name, 0) + dx
            return True
        if not control.group:
            return False
        here, others = control.box, [c for c in self._usable_controls.values() if c.group == control.group]
        ahead = [c for c in others if (c.box.centerx - here.centerx) * dx + (c.box.centery - here.centery) * dy > 0]
        if not ahead:
            return bool(others)
        self.focus = min(ahead, key=lambda c: compute_focus_distance(here, c.box, dx)).name
        return True

    def _repeat_held_key(self, seconds: float) -> None:
        if self._key_repeat:
            self._key_repeat.seconds_left -= seconds
            if self._key_repeat.seconds_left <= 0:
                again = self._key_repeat.event
                self._handle_key(again)
                self._key_repeat = KeyRepeat(again, _REPEAT_SECONDS)

    # The ring.

    def _draw_focus_ring(self, control: Control | None) -> None:
        if control is None:
            self._focus_ring_to = None
            return
        target = control.box.inflate(4 * _FOCUS_RING_GAP, 4 * _FOCUS_RING_GAP)
        if self._focus_ring_to != target:
            same = self._focus_ring_to is not None and self._focus_ring_to.size == target.size
            self._focus_ring_from = self._focus_ring_to if same else None
            self._focus_ring_to = target
            self._focus_ring_age = 0
        share = (
            min(1.0, self._focus_ring_age / _FOCUS_RING_SECONDS)
            if self.has_animation and self._focus_ring_from
            else 1.0
        )
        eased = 1 - (1 - share) ** 2
        begin = self._focus_ring_from or target
        shown = target.move(round((begin.x - target.x) * (1 - eased)), round((begin.y - target.y) * (1 - eased)))
        self.pen.draw_outline(shown, control.radius + 2 * _FOCUS_RING_GAP, ACCENT, 2)


def compute_focus_distance(here: Box, there: Box, dx: int) -> int:
    """How far away a control is for somebody who moves in a direction: what lies aside counts more."""
    across, along = abs(there.centerx - here.centerx), abs(there.centery - here.centery)
    return across + 4 * along if dx else along + 4 * across
