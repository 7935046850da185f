"""Immediate-mode controls: focus, mouse and keyboard input, and modal layers.

A screen declares its controls in every frame and gets the input since the last frame as the result of each call.
Only the controls of the topmost layer can be used; `modal_layer` opens a layer. Names are unique within a screen.
Tab stops once at each group of controls, and the arrow keys move within a group, as in tab lists and radio groups of
web pages. If a layer has nothing but one group, Tab moves within it too. In a form, the arrow keys move between all
controls, and Enter uses the button with that key unless another button has the focus.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import pygame

from tetrion.app.gamepad import PAD_CODES, PAD_LABELS, PAD_NAMES
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, RAISED_PANEL, STRONG_TEXT
from tetrion.drawing.pen import Box, Pen
from tetrion.text_cleaning import clean_message

_RING_MOVE_SECONDS = 0.12
_RING_GAP = 2  # between a control and its ring
_TOOLTIP_DELAY_SECONDS = 0.4  # until a tooltip appears
_MAX_TOOLTIP_WIDTH = 460  # units
_TOOLTIP_TEXT_SIZE = 14
_TOOLTIP_LINE_HEIGHT = 20
_TOOLTIP_PADDING = 10
_TOOLTIP_GAP = 6  # between a text and its tooltip
_TOOLTIP_MARGIN = 8
_FIRST_REPEAT_SECONDS = 0.35
_REPEAT_SECONDS = 0.06
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
    **{label: PAD_CODES[name] for name, label in PAD_LABELS.items()},
}
_KEY_LABELS_BY_CODE = {code: label for label, code in _KEY_CODES_BY_LABEL.items()}
ARROW_KEY_DIRECTIONS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}
ENTER_KEYS = (pygame.K_RETURN, pygame.K_KP_ENTER)


@dataclass
class FocusRing:
    """The position of the ring and the time since it started to move."""

    _start: Box | None = None
    _target: Box | None = None
    _age: float = _RING_MOVE_SECONDS

    @property
    def is_moving(self) -> bool:
        """Whether the ring is on its way to another control."""
        return self._age < _RING_MOVE_SECONDS

    def update(self, seconds: float) -> None:
        """Advance the movement by `seconds`."""
        self._age += seconds

    def draw(self, pen: Pen, box: Box | None, radius: float, has_animation: bool) -> None:
        """Draw the ring around the box of a control with rounded corners; no ring if the box is None."""
        if box is None:
            self._target = None
            return
        target = box.inflate(4 * _RING_GAP, 4 * _RING_GAP)
        if self._target != target:
            has_same_size = self._target is not None and self._target.size == target.size
            self._start = self._target if has_same_size else None
            self._target = target
            self._age = 0
        is_animated = has_animation and self._start is not None
        remaining = (1 - min(1.0, self._age / _RING_MOVE_SECONDS)) ** 2 if is_animated else 0.0
        start = self._start or target
        ring = target.move(round((start.x - target.x) * remaining), round((start.y - target.y) * remaining))
        pen.draw_outline(ring, radius + 2 * _RING_GAP, ACCENT, 2)


@dataclass
class Tooltip:
    """The text that is offered in this frame, and for how long it has been offered."""

    text: str = ""
    _box: Box | None = None
    _age: float = 0.0
    _is_offered: bool = False  # in this frame

    @property
    def is_waiting(self) -> bool:
        """Whether a tooltip is about to appear."""
        return bool(self.text) and self._age < _TOOLTIP_DELAY_SECONDS

    @property
    def is_visible(self) -> bool:
        """Whether the tooltip is shown."""
        return bool(self.text) and self._age >= _TOOLTIP_DELAY_SECONDS

    def begin_frame(self, seconds: float) -> None:
        """Begin a frame, in which the text must be offered again."""
        self._age += seconds
        self._is_offered = False

    def offer(self, box: Box, text: str) -> None:
        """Offer a text for a box; it appears after a short delay."""
        if text != self.text or box != self._box:
            self.text = text
            self._box = box.copy()
            self._age = 0.0
        self._is_offered = True

    def draw(self, pen: Pen) -> None:
        """Draw the tooltip if it is due, below its box, or above it at the lower edge of the window."""
        if not self._is_offered or self._box is None:
            self.text = ""
            return
        if not self.is_visible:
            return
        lines = wrap_long_text(
            pen, self.text, min(_MAX_TOOLTIP_WIDTH, pen.width - 2 * (_TOOLTIP_PADDING + _TOOLTIP_MARGIN))
        )
        width = max(pen.measure_text(line, _TOOLTIP_TEXT_SIZE) for line in lines) + 2 * _TOOLTIP_PADDING
        box = Box(
            self._box.left, self._box.bottom + _TOOLTIP_GAP, width, _TOOLTIP_LINE_HEIGHT * len(lines) + _TOOLTIP_PADDING
        )
        if box.bottom > pen.height - _TOOLTIP_MARGIN:
            box.bottom = self._box.top - _TOOLTIP_GAP
        box.clamp_ip(pen.area.inflate(-2 * _TOOLTIP_MARGIN, -2 * _TOOLTIP_MARGIN))
        pen.fill_rounded(box, 8, RAISED_PANEL, BOARD_OUTLINE)
        for number, line in enumerate(lines):
            middle = box.top + (_TOOLTIP_LINE_HEIGHT + _TOOLTIP_PADDING) // 2 + _TOOLTIP_LINE_HEIGHT * number
            pen.draw_text(line, (box.left + _TOOLTIP_PADDING, middle), _TOOLTIP_TEXT_SIZE, False, STRONG_TEXT)


def wrap_long_text(pen: Pen, text: str, width: float, size: float = _TOOLTIP_TEXT_SIZE) -> list[str]:
    """Break a text into lines of at most `width` units; words that are longer, such as paths, are broken too."""
    lines = [""]
    for word in clean_message(text).split():
        longer = f"{lines[-1]} {word}".strip()
        if pen.measure_text(longer, size) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if pen.measure_text(lines[-1] + character, size) > width:
                lines.append("")
            lines[-1] += character
    return lines


def get_key_code(label: str) -> int:
    """Return the pygame code of the key with a label."""
    return _KEY_CODES_BY_LABEL.get(label) or pygame.key.key_code(label.lower())


def get_key_name(code: int) -> str:
    """Return the pygame name of a key or the name of a gamepad button, or "" if it has none."""
    if code in PAD_NAMES:
        return PAD_NAMES[code]
    return pygame.key.name(code) or pygame.key.name(code, use_compat=False)  # only the latter names ä or é


def get_key_label(code: int) -> str:
    """Return the label of a key on its keycap."""
    name = _KEY_LABELS_BY_CODE.get(code) or get_key_name(code)
    initial = name[:1].upper()
    return initial + name[1:] if len(initial) == 1 else name


def get_named_key_code(name: str) -> int:
    """Return the code of a key by its pygame name or of a gamepad button by its name; raise ValueError if unknown."""
    return PAD_CODES.get(name) or pygame.key.key_code(name)


def format_key_label(name: str) -> str:
    """Return the keycap label of a key or gamepad button by its name; "" for no key."""
    return get_key_label(get_named_key_code(name)) if name else ""


class Control(NamedTuple):
    """A control of the current or the last frame."""

    name: str
    box: Box
    radius: float
    layer_depth: int
    key: int
    group: str
    form: str
    is_field: bool  # whether Enter is left to a button with that key
    uses_arrows: bool  # whether left and right change its value
    is_selected: bool  # whether Tab goes to it first when it enters the group
    is_background: bool  # whether it can be clicked but not focused


class ControlState(NamedTuple):
    """The input of a control in this frame."""

    is_focused: bool
    is_hovered: bool
    is_pressed: bool
    is_activated: bool
    arrow_steps: int  # presses of the right arrow minus those of the left arrow


class Popup(Protocol):
    """A list that is drawn on top of a screen and receives its keys."""

    def draw(self, ui: "Ui") -> bool:
        """Draw the list and handle its input; return whether it stays open."""


@dataclass
class Ui:
    """The controls of a window; `pen` draws the current frame."""

    pen: Pen
    has_animation: bool = True  # whether the focus ring moves smoothly
    edited_number: str = ""  # the number field whose digits are being typed
    notice_area: Box | None = None  # where this screen has space for a notice, without a control
    is_above_menu: bool = True  # whether the menu is the screen below
    time: float = 0.0
    focus: str = ""
    pointer: tuple[float, float] = (-1, -1)
    wheel: int = 0
    is_mouse_down: bool = False  # the left button
    is_keyboard_used: bool = False  # whether the last key press or click was a key press
    keys: list[pygame.event.Event] = field(default_factory=list)  # pressed and not used by a control
    files: list[str] = field(default_factory=list)  # dropped onto the window
    layer_depth: int = 0
    popup: Popup | None = None
    choices: dict[str, str] = field(default_factory=dict)  # from popups, by the name of the control that opened them
    _popup_input: tuple[list[pygame.event.Event], list[str], int] = ([], [], 0)
    _form: str = ""  # to which the added controls belong
    _top_depth: int = 0
    _requested_focus: str = ""
    _pressed_name: str = ""
    _activated_names: set[str] = field(default_factory=set)
    _arrow_steps: dict[str, int] = field(default_factory=dict)
    _previous_controls: dict[str, Control] = field(default_factory=dict)
    _current_controls: dict[str, Control] = field(default_factory=dict)
    _group_entries: dict[str, str] = field(default_factory=dict)  # the control of each group that last had the focus
    _focus_ring: FocusRing = field(default_factory=FocusRing)
    _tooltip: Tooltip = field(default_factory=Tooltip)
    _held_key: pygame.event.Event | None = None
    _seconds_to_repeat: float = 0.0

    # Frames.

    def begin_frame(self, pen: Pen, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Begin a frame and handle the events since the last one."""
        self.pen = pen
        self.time = self.time + seconds
        self.keys = []
        self.files = []
        self.wheel = 0
        self.layer_depth = 0
        self._activated_names = set()
        self._arrow_steps = {}
        self._current_controls = {}
        self.notice_area = None
        self._focus_ring.update(seconds)
        self._tooltip.begin_frame(seconds)
        for event in events:
            self._handle_event(event)
        self._repeat_held_key(seconds)
        if self.popup:
            self._popup_input = self.keys, self.files, self.wheel
            self.keys, self.files = [], []
            self.wheel = 0

    def draw_popup(self) -> None:
        """Draw the popup on top of the screen, with the input that the screen did not receive."""
        if self.popup:
            self.keys, self.files, self.wheel = self._popup_input
            self._popup_input = [], [], 0
            with self.top_layer(), self.modal_layer():
                self.popup = self.popup if self.popup.draw(self) else None
            self.keys.clear()

    def end_frame(self) -> None:
        """End a frame: its controls receive the next input, and the focus ring and the tooltip are drawn."""
        self._previous_controls = self._current_controls
        self._top_depth = max((control.layer_depth for control in self._current_controls.values()), default=0)
        if self._requested_focus in self.usable_controls:
            self.focus = self._requested_focus
            self._requested_focus = ""
        if (control := self.usable_controls.get(self.focus)) is None:
            self.focus = next(iter(self.focusable_names), "") if self._top_depth else ""
            control = self.usable_controls.get(self.focus)
        if control and control.group:
            self._group_entries[control.group] = control.name
        self.edited_number = self.edited_number if self.edited_number == self.focus else ""
        self._focus_ring.draw(
            self.pen, control.box if control else None, control.radius if control else 0, self.has_animation
        )
        self._tooltip.draw(self.pen)

    @property
    def is_moving(self) -> bool:
        """Whether a key repeats, the focus ring moves or a tooltip is about to appear."""
        return self._held_key is not None or self._focus_ring.is_moving or self._tooltip.is_waiting

    def reset(self) -> None:
        """Forget all controls and the focus, before another screen is shown."""
        self._previous_controls = {}
        self._current_controls = {}
        self.popup = None
        self.choices = {}
        self.focus = ""
        self._pressed_name = ""
        self._requested_focus = ""
        self._group_entries = {}
        self._focus_ring = FocusRing()
        self._tooltip = Tooltip()
        self._top_depth = 0
        self._held_key = None

    def request_focus(self, name: str) -> None:
        """Focus a control as soon as it is drawn."""
        self._requested_focus = name

    @contextmanager
    def modal_layer(self) -> Iterator[None]:
        """Put the controls that are added inside this context on top; those below cannot be used."""
        self.layer_depth += 1
        try:
            yield
        finally:
            self.layer_depth -= 1

    @contextmanager
    def top_layer(self) -> Iterator[None]:
        """Put the controls that are added inside this context into the topmost layer of this frame."""
        before = self.layer_depth
        self.layer_depth = max((control.layer_depth for control in self._current_controls.values()), default=before)
        try:
            yield
        finally:
            self.layer_depth = before

    @contextmanager
    def form(self, name: str) -> Iterator[None]:
        """Let the arrow keys move between the controls that are added inside this context."""
        self._form = name
        try:
            yield
        finally:
            self._form = ""

    # Controls.

    def add_control(
        self,
        name: str,
        box: Box,
        *,
        radius: float = 8,
        key: str = "",
        group: str = "",
        is_field: bool = False,
        uses_arrows: bool = False,
        is_selected: bool = False,
        is_enabled: bool = True,
        is_background: bool = False,
    ) -> ControlState:
        """Add a control to this frame and return its input.

        `key` is the label of its shortcut. Arrow keys move the focus within a `group`, at which Tab stops once: at the
        control with `is_selected`, or where the focus was last. A control with `is_field` leaves Enter to a button with
        that key. With `uses_arrows`, left and right change the control itself, which then is a field, too. A control
        with `is_background` can be clicked but not focused, and `key` does what a click does.
        """
        if not is_enabled:
            return ControlState(False, False, False, False, 0)
        code = get_key_code(key) if key else 0
        self._current_controls[name] = Control(
            name=name,
            box=box.copy(),
            radius=radius,
            layer_depth=self.layer_depth,
            key=code,
            group=group,
            form=self._form,
            is_field=is_field or uses_arrows,
            uses_arrows=uses_arrows,
            is_selected=is_selected,
            is_background=is_background,
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
        """Return whether one of these keys was pressed and not used by a control."""
        codes = [get_key_code(label) for label in labels]
        return any(event.key in codes for event in self.keys)

    def get_box(self, name: str) -> Box:
        """Return the box of a control in the last frame."""
        return self._previous_controls[name].box

    def add_tooltip(self, box: Box, text: str, is_focused: bool = False) -> None:
        """Show a text below a box while the pointer rests on it, or with `is_focused`; only on the topmost layer."""
        is_on_top = self.layer_depth >= self._top_depth
        if is_on_top and (is_focused or box.collidepoint(self.pointer)):
            self._tooltip.offer(box, text)

    @property
    def focusable_names(self) -> list[str]:
        """The controls that can be focused, in drawing order."""
        return [name for name, control in self.usable_controls.items() if not control.is_background]

    # Input.

    @property
    def usable_controls(self) -> dict[str, Control]:
        """The controls of the topmost layer in the last frame, by name."""
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
        elif event.type == pygame.KEYUP and self._held_key and self._held_key.key == event.key:
            self._held_key = None
        elif event.type == pygame.WINDOWLEAVE:
            self.pointer = (-1, -1)
        elif event.type == pygame.DROPFILE:
            self.files.append(event.file)

    def _move_pointer(self, pixel: tuple[int, int]) -> None:
        self.pointer = pixel[0] / self.pen.scale, pixel[1] / self.pen.scale

    def _handle_click(self, event: pygame.event.Event) -> None:
        if event.button != pygame.BUTTON_LEFT:
            return
        self.is_mouse_down = event.type == pygame.MOUSEBUTTONDOWN
        self.is_keyboard_used = False
        hovered = [control for control in self.usable_controls.values() if control.box.collidepoint(self.pointer)]
        name = hovered[-1].name if hovered else ""
        if self.is_mouse_down:
            self._pressed_name = name
            self.focus = name if name in self.focusable_names else self.focus
            return
        if name and name == self._pressed_name:
            self._activated_names.add(name)
        self._pressed_name = ""

    def _handle_key(self, event: pygame.event.Event) -> None:
        usable = self.usable_controls
        self.is_keyboard_used = True
        key = event.key
        has_no_modifier = not getattr(event, "mod", 0) & (pygame.KMOD_CTRL | pygame.KMOD_ALT | pygame.KMOD_META)
        shortcut = next(
            (control.name for control in reversed(usable.values()) if control.key and control.key == key), ""
        )
        control = usable.get(self.focus)
        self._held_key = event if key in ARROW_KEY_DIRECTIONS or key == pygame.K_TAB else None
        self._seconds_to_repeat = _FIRST_REPEAT_SECONDS
        uses_enter = control is not None and key in ENTER_KEYS and not control.is_field
        uses_arrow = control is not None and key in (pygame.K_LEFT, pygame.K_RIGHT) and control.uses_arrows
        if shortcut and has_no_modifier and not (uses_enter or uses_arrow):
            self._activated_names.add(shortcut)
        elif key == pygame.K_TAB and usable:
            self._move_focus(-1 if getattr(event, "mod", 0) & pygame.KMOD_SHIFT else 1)
        elif control and (key in ENTER_KEYS or key == pygame.K_SPACE):
            self._activated_names.add(control.name)
        elif control and key in ARROW_KEY_DIRECTIONS and self._handle_arrow(control, *ARROW_KEY_DIRECTIONS[key]):
            return
        else:
            self.keys.append(event)

    @property
    def _tab_stops(self) -> list[str]:
        """The controls at which Tab stops, in drawing order: those without a group, and one of each group."""
        stops: dict[str, str] = {}  # by group, or by name without a group
        for name in self.focusable_names:
            control = self.usable_controls[name]
            stop = control.group or name
            if stop not in stops or self._get_entry_rank(control) > self._get_entry_rank(
                self.usable_controls[stops[stop]]
            ):
                stops[stop] = name
        return list(stops.values()) if len(stops) > 1 else self.focusable_names

    def _get_entry_rank(self, control: Control) -> int:
        """Return the priority of a control when Tab enters its group."""
        if control.name == self.focus:
            return 3
        return 2 if control.is_selected else int(self._group_entries.get(control.group) == control.name)

    def _move_focus(self, step: int) -> None:
        names = self._tab_stops
        if not names:
            return
        self.focus = (
            names[(names.index(self.focus) + step) % len(names)] if self.focus in names else names[min(step, 0)]
        )

    def _handle_arrow(self, control: Control, dx: int, dy: int) -> bool:
        """Change the value of a control or move the focus within its group or form; return whether the key was used."""
        if dx and control.uses_arrows:
            self._arrow_steps[control.name] = self._arrow_steps.get(control.name, 0) + dx
            return True
        if not control.group and not control.form:
            return False
        box = control.box
        group = [c for c in self.usable_controls.values() if c.group == control.group and c.form == control.form]
        ahead = [c for c in group if (c.box.centerx - box.centerx) * dx + (c.box.centery - box.centery) * dy > 0]
        if not ahead:
            return False  # a screen may scroll its list, or move the focus out of the group
        self.focus = min(ahead, key=lambda c: measure_focus_distance(box, c.box, dx, by_rows=bool(control.form))).name
        return True

    def _repeat_held_key(self, seconds: float) -> None:
        self._seconds_to_repeat -= seconds
        if self._held_key and self._seconds_to_repeat <= 0:
            self._handle_key(self._held_key)
            self._seconds_to_repeat = _REPEAT_SECONDS


def measure_focus_distance(start: Box, target: Box, dx: int, *, by_rows: bool) -> tuple[int, int]:
    """Return the distance between two controls for a move of the focus, as a sort key.

    With `by_rows`, as in forms, the nearest row counts first; otherwise, sideways distance counts four times.
    """
    x_distance = abs(target.centerx - start.centerx)
    y_distance = abs(target.centery - start.centery)
    if by_rows:
        return y_distance, x_distance
    return (x_distance + 4 * y_distance if dx else y_distance + 4 * x_distance), 0
