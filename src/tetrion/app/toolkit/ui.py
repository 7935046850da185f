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

RING = 0.12  # seconds in which the ring of the focus moves
CLEAR = 2  # units between a control and its ring
FIRST_REPEAT, REPEAT = 0.35, 0.06  # seconds
KEY_NAMES = {
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
CAPTIONS = {code: name for name, code in KEY_NAMES.items()}
ARROWS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}
ENTERS = (pygame.K_RETURN, pygame.K_KP_ENTER)


def key_code(label: str) -> int:
    """The key that a keycap stands for."""
    return KEY_NAMES.get(label) or pygame.key.key_code(label.lower())


def key_name(code: int) -> str:
    """A key's name, by which it is found again; nothing for a key that has none."""
    return pygame.key.name(code) or pygame.key.name(code, use_compat=False)  # the former knows no ä or é


def caption(code: int) -> str:
    """What stands on the keycap of a key."""
    name = CAPTIONS.get(code) or key_name(code)
    large = name[:1].upper()
    return large + name[1:] if len(large) == 1 else name


class Control(NamedTuple):
    """A control as it was last drawn."""

    name: str
    box: Box
    radius: float
    depth: int
    key: int
    group: str
    arrows: bool  # whether it takes left and right itself
    behind: bool  # whether it can be clicked alone, never focused


class Touch(NamedTuple):
    """What a person does with a control just now."""

    focused: bool
    hovered: bool
    pressed: bool
    activated: bool
    steps: int  # arrows to the right, less those to the left


@dataclass
class Repeat:
    """A key that is held."""

    event: pygame.event.Event
    left: float = FIRST_REPEAT


@dataclass
class Ui:
    """The controls of a window; `pen` draws the frame that is under way."""

    pen: Pen
    moves: bool = True  # whether the ring of the focus moves
    over_menu: bool = True  # whether the menu lies below the screen
    now: float = 0.0
    focus: str = ""
    pointer: tuple[float, float] = (-1, -1)
    wheel: int = 0
    holding: bool = False  # the left button of the mouse
    keys: list[pygame.event.Event] = field(default_factory=list)  # pressed and not yet used by a control
    files: list[str] = field(default_factory=list)  # dropped onto the window
    depth: int = 0
    _top: int = 0
    _wanted: str = ""
    _pressed: str = ""
    _activated: set[str] = field(default_factory=set)
    _steps: dict[str, int] = field(default_factory=dict)
    _known: dict[str, Control] = field(default_factory=dict)
    _drawn: dict[str, Control] = field(default_factory=dict)
    _ring_from: Box | None = None
    _ring_to: Box | None = None
    _ring_age: float = RING
    _repeat: Repeat | None = None

    # A frame.

    def begin(self, pen: Pen, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Begin a frame with what has happened since the last one."""
        self.pen, self.now = pen, self.now + seconds
        self.keys, self.files, self.wheel, self.depth = [], [], 0, 0
        self._activated, self._steps, self._drawn = set(), {}, {}
        self._ring_age += seconds
        for event in events:
            self._hear(event)
        self._hold_on(seconds)

    def end(self) -> None:
        """End a frame: what was drawn is what can be used, and the focus gets its ring."""
        self._known, self._top = self._drawn, max((each.depth for each in self._drawn.values()), default=0)
        if self._wanted in self._usable:
            self.focus, self._wanted = self._wanted, ""
        if (control := self._usable.get(self.focus)) is None:
            self.focus = next(iter(self.names), "") if self._top else ""
            control = self._usable.get(self.focus)
        self._draw_ring(control)

    def forget(self) -> None:
        """Another screen comes: nothing of this one is known any more."""
        self._known, self._drawn, self.focus, self._pressed, self._wanted = {}, {}, "", "", ""
        self._ring_to, self._top, self._repeat = None, 0, None

    def want(self, name: str) -> None:
        """Give the focus to a control as soon as it is drawn."""
        self._wanted = name

    @contextmanager
    def layer(self) -> Iterator[None]:
        """What is drawn meanwhile lies on top: nothing below it can be used."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    # What controls ask.

    def control(
        self,
        name: str,
        box: Box,
        *,
        radius: float = 8,
        key: str = "",
        group: str = "",
        arrows: bool = False,
        enabled: bool = True,
        behind: bool = False,
    ) -> Touch:
        """Say that there is a control in a box, and hear what a person does with it.

        `key` is its shortcut; arrows move between the controls of a group, or with `arrows` change the control itself;
        one that lies `behind` others is clicked and never focused.
        """
        if not enabled:
            return Touch(False, False, False, False, 0)
        code = key_code(key) if key else 0
        self._drawn[name] = Control(name, box.copy(), radius, self.depth, code, group, arrows, behind)
        on_top = self.depth >= self._top
        hovered = on_top and box.collidepoint(self.pointer)
        pressed = hovered and self.holding and self._pressed == name
        return Touch(
            on_top and self.focus == name,
            hovered,
            pressed,
            on_top and name in self._activated,
            self._steps.get(name, 0) if on_top else 0,
        )

    def pressed(self, *labels: str) -> bool:
        """Whether one of these keys was pressed and no control has used it."""
        codes = [key_code(label) for label in labels]
        return any(event.key in codes for event in self.keys)

    def box_of(self, name: str) -> Box:
        """Where a control was last drawn."""
        return self._known[name].box

    @property
    def names(self) -> list[str]:
        """The controls that can have the focus, in order."""
        return [name for name, control in self._usable.items() if not control.behind]

    # What a person does.

    @property
    def _usable(self) -> dict[str, Control]:
        return {name: control for name, control in self._known.items() if control.depth == self._top}

    def _hear(self, event: pygame.event.Event) -> None:
        if event.type == pygame.MOUSEMOTION:
            self._point(event.pos)
        elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            self._point(event.pos)
            self._click(event)
        elif event.type == pygame.MOUSEWHEEL:
            self.wheel += event.y
        elif event.type == pygame.KEYDOWN:
            self._type(event)
        elif event.type == pygame.KEYUP and self._repeat and self._repeat.event.key == event.key:
            self._repeat = None
        elif event.type == pygame.DROPFILE:
            self.files.append(event.file)

    def _point(self, place: tuple[int, int]) -> None:
        self.pointer = place[0] / self.pen.scale, place[1] / self.pen.scale

    def _click(self, event: pygame.event.Event) -> None:
        down = event.type == pygame.MOUSEBUTTONDOWN
        if event.button != pygame.BUTTON_LEFT:
            return
        self.holding = down
        under = [control for control in self._usable.values() if control.box.collidepoint(self.pointer)]
        name = under[-1].name if under else ""
        if down:
            self._pressed = name
            self.focus = name if name in self.names else self.focus
        elif name and name == self._pressed:
            self._activated.add(name)
        if not down:
            self._pressed = ""

    def _type(self, event: pygame.event.Event) -> None:
        usable, key = self._usable, event.key
        plain = not getattr(event, "mod", 0) & (pygame.KMOD_CTRL | pygame.KMOD_ALT | pygame.KMOD_META)
        shortcut = next((control.name for control in usable.values() if control.key and control.key == key), "")
        control = usable.get(self.focus)
        self._repeat = Repeat(event) if key in ARROWS or key == pygame.K_TAB else None
        if shortcut and plain:
            self._activated.add(shortcut)
        elif key == pygame.K_TAB and usable:
            self._next(-1 if getattr(event, "mod", 0) & pygame.KMOD_SHIFT else 1)
        elif control and (key in ENTERS or key == pygame.K_SPACE):
            self._activated.add(control.name)
        elif control and key in ARROWS and self._arrow(control, *ARROWS[key]):
            return
        else:
            self.keys.append(event)

    def _next(self, step: int) -> None:
        names = self.names
        if not names:
            return
        self.focus = (
            names[(names.index(self.focus) + step) % len(names)] if self.focus in names else names[min(step, 0)]
        )

    def _arrow(self, control: Control, dx: int, dy: int) -> bool:
        """Move within a group, or change what takes arrows itself; tells whether anything did."""
        if dx and control.arrows:
            self._steps[control.name] = self._steps.get(control.name, 0) + dx
            return True
        if not control.group:
            return False
        here, others = control.box, [c for c in self._usable.values() if c.group == control.group]
        ahead = [c for c in others if (c.box.centerx - here.centerx) * dx + (c.box.centery - here.centery) * dy > 0]
        if not ahead:
            return bool(others)
        self.focus = min(ahead, key=lambda c: distance(here, c.box, dx)).name
        return True

    def _hold_on(self, seconds: float) -> None:
        if self._repeat:
            self._repeat.left -= seconds
            if self._repeat.left <= 0:
                again = self._repeat.event
                self._type(again)
                self._repeat = Repeat(again, REPEAT)

    # The ring.

    def _draw_ring(self, control: Control | None) -> None:
        if control is None:
            self._ring_to = None
            return
        target = control.box.inflate(4 * CLEAR, 4 * CLEAR)
        if self._ring_to != target:
            same = self._ring_to is not None and self._ring_to.size == target.size
            self._ring_from, self._ring_to = self._ring_to if same else None, target
            self._ring_age = 0
        share = min(1.0, self._ring_age / RING) if self.moves and self._ring_from else 1.0
        eased = 1 - (1 - share) ** 2
        begin = self._ring_from or target
        shown = target.move(round((begin.x - target.x) * (1 - eased)), round((begin.y - target.y) * (1 - eased)))
        self.pen.ring(shown, control.radius + 2 * CLEAR, ACCENT, 2)


def distance(here: Box, there: Box, dx: int) -> int:
    """How far away a control is for somebody who moves in a direction: what lies aside counts more."""
    across, along = abs(there.centerx - here.centerx), abs(there.centery - here.centery)
    return across + 4 * along if dx else along + 4 * across
