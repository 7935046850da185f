"""A choice from a list that opens: typing finds, and where it is allowed, what was typed may be taken as it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pygame

from tetrion.app.toolkit.controls import RADIUS
from tetrion.app.toolkit.ui import ENTERS, Ui
from tetrion.drawing.palette import ACCENT, DIM, FAINT, OUTLINE, PANEL, RAISED, STRONG, TEXT, WHITE, mixed
from tetrion.drawing.pen import Box

ROW, SHOWN, LEAST = 36, 9, 280  # units, rows, units


@dataclass
class Option:
    """Something that can be chosen, and a few words about it."""

    value: str
    words: str = ""


@dataclass
class Picker:
    """A field that shows what is chosen, and a list while it is open. A screen keeps one for each of its choices."""

    name: str
    free: str = ""  # what else may be typed, in words; nothing if only what is listed can be taken
    is_open: bool = False
    typed: str = ""
    chosen: str = ""
    place: int = 0
    first: int = 0
    field: Box = field(default_factory=lambda: Box(0, 0, 0, 0))
    options: Sequence[Option] = ()  # as there were when it was opened

    def draw(self, ui: Ui, box: Box, chosen: str) -> None:
        """Draw the field with what is chosen; call `draw_list` when everything else is drawn."""
        self.field = box.copy()
        touch = ui.control(self.name, box, radius=RADIUS)
        ui.pen.rounded(box, RADIUS, mixed(RAISED, WHITE, 0.06) if touch.hovered else RAISED, OUTLINE)
        left = box.left + 14
        ui.pen.text(ui.pen.cut(chosen, box.right - 30 - left, 16, True), (left, box.centery), 16, True, STRONG)
        x, y = box.right - 18, box.centery
        ui.pen.lines([(x - 4, y - 2), (x, y + 2), (x + 4, y - 2)], DIM)
        if touch.activated and not self.is_open:
            self.is_open, self.typed, self.chosen, self.place = True, "", chosen, -1

    def draw_list(self, ui: Ui, options: Callable[[], Sequence[Option]]) -> str:
        """Draw the list over everything, if it is open; gives back what was just chosen, else nothing.

        What there is to choose from is asked for once, when the list opens: it may have to be looked for on the disk.
        """
        if not self.is_open:
            return ""
        if self.place < 0:  # it has just opened
            self.options = options()
        with ui.layer():
            return self._list(ui)

    def _list(self, ui: Ui) -> str:
        pen, field = ui.pen, self.field
        found = self._found()
        if self.place < 0:
            self.place = next((number for number, option in enumerate(found) if option.value == self.chosen), 0)
            self.first = max(0, self.place - SHOWN // 2)
        self._hear(ui, found)
        found = self._found()
        self.place = max(0, min(self.place, len(found) - 1))
        self.first = max(min(self.first, self.place), self.place - SHOWN + 1, 0)
        shown = found[self.first : self.first + SHOWN]
        wide = max(field.width, LEAST, *(self._width(ui, option) for option in found)) if found else LEAST
        box = Box(field.left, field.bottom + 6, min(wide, pen.width - 24), ROW * (max(1, len(shown)) + 1) + 12)
        if box.bottom > pen.height - 8:
            box.bottom = max(field.top - 6, box.height + 8)
        box.clamp_ip(pen.area.inflate(-16, -16))
        outside = ui.control(f"{self.name} outside", pen.area, behind=True)
        pen.rounded(box, 12, PANEL, OUTLINE)
        hint = f"Type to find, or {self.free}" if self.free else "Type to find"
        words = self.typed or hint
        pen.text(
            pen.cut(words, box.width - 28),
            (box.left + 14, box.top + 6 + ROW // 2),
            16,
            False,
            TEXT if self.typed else FAINT,
        )
        if self.typed:
            pen.fill(Box(box.left + 15 + pen.width_of(pen.cut(words, box.width - 28)), box.top + 15, 1, 18), ACCENT)
        pen.rule(box.left, box.top + 4 + ROW, box.width)
        used = self._rows(ui, box, shown)
        if not found:
            pen.text("Nothing has that name.", (box.left + 14, box.top + 8 + ROW + ROW // 2), 14, False, DIM)
        if used or ui.pressed("Esc") or (outside.activated and not box.collidepoint(ui.pointer)):
            self.is_open = False
            ui.want(self.name)
        ui.keys.clear()
        return used

    def _rows(self, ui: Ui, box: Box, shown: Sequence[Option]) -> str:
        used = ""
        for number, option in enumerate(shown):
            line = Box(box.left + 6, box.top + 8 + ROW * (number + 1), box.width - 12, ROW)
            touch = ui.control(f"{self.name} {option.value}", line, radius=RADIUS)
            here = self.first + number == self.place
            if here or touch.hovered:
                ui.pen.rounded(line, RADIUS, RAISED if here else mixed(PANEL, RAISED, 0.6))
            ui.pen.text(option.value, (line.left + 8, line.centery), 16, True, STRONG if here else TEXT)
            if option.words:
                ui.pen.text(option.words, (line.right - 8, line.centery), 14, False, DIM, align=1)
            if here:
                ui.focus = f"{self.name} {option.value}"
            used = option.value if touch.activated else used
        return used

    def _width(self, ui: Ui, option: Option) -> int:
        return ui.pen.width_of(option.value, 16, True) + ui.pen.width_of(option.words, 14) + 64

    def _found(self) -> list[Option]:
        wanted = self.typed.strip().lower()
        found = [option for option in self.options if wanted in f"{option.value} {option.words}".lower()]
        exact = any(option.value == self.typed.strip() for option in found)
        if self.free and wanted and not exact:
            found.append(Option(self.typed.strip(), "as typed"))
        return found

    def _hear(self, ui: Ui, found: Sequence[Option]) -> None:
        self.place -= ui.wheel
        moves = {pygame.K_UP: -1, pygame.K_DOWN: 1, pygame.K_PAGEUP: -SHOWN, pygame.K_PAGEDOWN: SHOWN}
        for event in ui.keys:
            if event.key in moves:
                self.place = max(0, min(len(found) - 1, self.place + moves[event.key]))
            elif event.key == pygame.K_BACKSPACE:
                self.typed, self.place = self.typed[:-1], 0
            elif event.key not in ENTERS and (sign := getattr(event, "unicode", "")) and sign.isprintable():
                self.typed, self.place = self.typed + sign, 0
        for path in ui.files:
            self.typed = path
