"""A drop-down list that is filtered by typing; where allowed, the typed text itself can be chosen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest

import pygame

from tetrion.app.toolkit.controls import CONTROL_RADIUS, draw_shortened_text, read_row_steps, scroll_to_row
from tetrion.app.toolkit.ui import ENTER_KEYS, Ui
from tetrion.drawing.layout import Box, Part, flexible, inset, list_rows, split_column, split_row
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NORMAL_TEXT,
    PANEL,
    RAISED_PANEL,
    STRONG_TEXT,
    WHITE,
    mix_colours,
)
from tetrion.drawing.pen import Pen

_ROW_HEIGHT = 36
_ROWS_SHOWN = 10  # options and headings
_MIN_LIST_WIDTH = 280
_COLUMN_GAP = 24  # between value, description and figure
_FIELD_GAP = 6  # between the field and the list
_WINDOW_MARGIN = 8
_LIST_COLOUR = mix_colours(PANEL, RAISED_PANEL, 0.5)  # brighter than the panels that the list covers
_LIST_OUTLINE = mix_colours(BOARD_OUTLINE, WHITE, 0.16)
_HIGHLIGHT_COLOUR = mix_colours(RAISED_PANEL, WHITE, 0.06)
_MEASURED_OPTIONS = 300  # at most, to find the width of the list


@dataclass(frozen=True)
class PickerOption:
    """An option of a picker, its short description, and a figure such as the strength of an agent.

    Options of a `group` stand below its heading.
    """

    value: str
    description: str = ""
    figure: str = ""
    group: str = ""


def draw_picker(
    ui: Ui,
    name: str,
    box: Box,
    chosen: str,
    list_options: Callable[[], Sequence[PickerOption]],
    *,
    free_text_hint: str = "",
) -> str:
    """Draw a field with the chosen value, which opens a list of options; return the value that is chosen from now on.

    `list_options` is called when the list opens, because it may read files. `free_text_hint` says what else may be
    typed; without it, only listed options can be chosen. The window draws the open list after the screen.
    """
    state = ui.add_control(name, box, radius=CONTROL_RADIUS, is_field=True)
    colour = mix_colours(RAISED_PANEL, WHITE, 0.06) if state.is_hovered else RAISED_PANEL
    ui.pen.fill_rounded(box, CONTROL_RADIUS, colour, BOARD_OUTLINE)
    text_box, arrow = split_row(inset(box, 14, 0), [flexible(), 12], 8)
    draw_shortened_text(
        ui, chosen, text_box.midleft, text_box.width, semibold=True, colour=STRONG_TEXT, is_focused=state.is_focused
    )
    x, y = arrow.center
    ui.pen.draw_lines([(x - 4, y - 2), (x, y + 2), (x + 4, y - 2)], DIM_TEXT)
    if (state.is_activated and ui.popup is None) or ui.choices.get(_OPEN_KEY) == name:
        ui.choices.pop(_OPEN_KEY, None)
        ui.popup = PickerList(name, chosen, list_options(), free_text_hint)
    if isinstance(ui.popup, PickerList) and ui.popup.name == name:
        ui.popup.field_box = box.copy()
    return ui.choices.pop(name, chosen)


_OPEN_KEY = "open picker"  # among the choices: the name of the picker whose list is to be opened


def open_picker(ui: Ui, name: str) -> None:
    """Open the list of a picker as soon as it is drawn."""
    ui.choices[_OPEN_KEY] = name


@dataclass
class PickerList:
    """The open list of a picker; the chosen value is put into `Ui.choices`."""

    name: str
    chosen: str
    options: Sequence[PickerOption]
    free_text_hint: str = ""
    typed_text: str = ""
    highlighted: int = -1  # among the matching options; −1: not yet set
    first_shown: int = 0  # among the rows
    field_box: Box = field(default_factory=lambda: Box(0, 0, 0, 0))
    _last_focus: str = ""

    def draw(self, ui: Ui) -> bool:
        """Draw the list below or above its field; return whether it stays open."""
        pen = ui.pen
        if self.highlighted < 0:
            values = [option.value for option in self.options]
            self.highlighted = values.index(self.chosen) if self.chosen in values else 0
            self.first_shown = max(0, self.rows.index(self.options[self.highlighted]) - 4) if values else 0
        self._handle_input(ui)
        options = self.matching_options
        self.highlighted = max(0, min(self.highlighted, len(options) - 1))
        rows = self.rows
        box, row_count = self._place(ui, len(rows))
        row = rows.index(options[self.highlighted]) if options else 0
        self.first_shown = max(0, min(scroll_to_row(self.first_shown, row_count, row), len(rows) - row_count))
        if self.first_shown == 1:
            self.first_shown = 0  # so that the first heading is visible above the first option
        outside = ui.add_control(f"{self.name} outside", pen.area, key="Esc", is_background=True)
        pen.fill_rounded(box, 12, _LIST_COLOUR, _LIST_OUTLINE)
        search, below = split_column(inset(box, 6), [_ROW_HEIGHT - 2, flexible()])
        self._draw_search_line(pen, inset(search, 8, 0))
        pen.draw_separator(box.left, search.bottom, box.width)
        used = self._draw_rows(ui, below, rows[self.first_shown : self.first_shown + row_count])
        if not options:
            pen.draw_text("No option matches.", (below.left + 8, below.top + _ROW_HEIGHT // 2), 14, False, DIM_TEXT)
        if used:
            ui.choices[self.name] = used
        is_left = outside.is_activated and (ui.is_keyboard_used or not box.collidepoint(ui.pointer))
        if used or is_left:
            ui.request_focus(self.name)
        return not (used or is_left)

    @property
    def matching_options(self) -> list[PickerOption]:
        """The options that match the typed text."""
        search = self.typed_text.strip().lower()
        if not search:
            return list(self.options)
        options = [option for option in self.options if search in f"{option.value} {option.description}".lower()]
        options.sort(key=lambda option: (option.value != search, not option.value.lower().startswith(search)))
        has_exact_match = any(option.value == self.typed_text.strip() for option in options)
        if self.free_text_hint and not has_exact_match:
            options.append(PickerOption(self.typed_text.strip(), "as typed"))
        return options

    @property
    def rows(self) -> list[str | PickerOption]:
        """The matching options, with the headings of groups unless a text was typed."""
        rows: list[str | PickerOption] = []
        group = ""
        for option in self.matching_options:
            if option.group != group and not self.typed_text.strip():
                rows.append(option.group)
            group = option.group
            rows.append(option)
        return rows

    @cached_property
    def _has_figures(self) -> bool:
        return any(option.figure for option in self.options)

    def _place(self, ui: Ui, row_count: int) -> tuple[Box, int]:
        """Return the box of the list, below the field or above it where more rows fit, and their number."""
        pen, field_box = ui.pen, self.field_box
        area = inset(pen.area, _WINDOW_MARGIN)
        wanted = max(1, min(_ROWS_SHOWN, row_count))
        below, above = (
            max(1, (space - _FIELD_GAP - 12) // _ROW_HEIGHT - 1)
            for space in (area.bottom - field_box.bottom, field_box.top - area.top)
        )
        is_below = below >= min(wanted, above)
        row_count = min(wanted, below if is_below else above)
        width = min(max(field_box.width, self._measure_width(pen)), area.width)
        height = _ROW_HEIGHT * (row_count + 1) + 12
        top = field_box.bottom + _FIELD_GAP if is_below else field_box.top - _FIELD_GAP - height
        return Box(field_box.left, top, width, height).clamp(area), row_count

    @property
    def _search_hint(self) -> str:
        return f"Type to search, or enter {self.free_text_hint}" if self.free_text_hint else "Type to search"

    def _draw_search_line(self, pen: Pen, box: Box) -> None:
        text = pen.truncate_text(self.typed_text or self._search_hint, box.width)
        pen.draw_text(text, box.midleft, 16, False, NORMAL_TEXT if self.typed_text else FAINT_TEXT)
        if self.typed_text:
            pen.fill(Box(box.left + 1 + pen.measure_text(text), box.centery - 9, 1, 18), ACCENT)

    def _draw_rows(self, ui: Ui, box: Box, rows: Sequence[str | PickerOption]) -> str:
        """Draw headings and options; return the value of the option that was used, or ""."""
        used = ""
        options = self.matching_options
        for row, row_box in zip(rows, list_rows(box, _ROW_HEIGHT), strict=False):
            inside = inset(row_box, 8, 0)
            if isinstance(row, str):
                ui.pen.draw_text(row, (inside.left, inside.centery + 4), 13, True, DIM_TEXT)
                continue
            state = ui.add_control(f"{self.name} {row.value}", row_box, radius=CONTROL_RADIUS)
            is_highlighted = row is options[self.highlighted] or row == options[self.highlighted]
            if is_highlighted or state.is_hovered:
                colour = _HIGHLIGHT_COLOUR if is_highlighted else RAISED_PANEL
                ui.pen.fill_rounded(row_box, CONTROL_RADIUS, colour)
            self._draw_option(ui.pen, inside, row, STRONG_TEXT if is_highlighted else NORMAL_TEXT)
            if is_highlighted:
                ui.focus = self._last_focus = f"{self.name} {row.value}"
            used = row.value if state.is_activated else used
        return used

    def _draw_option(self, pen: Pen, box: Box, option: PickerOption, colour: str) -> None:
        """Draw the value at the left, the figure at the right, and the description before the figures."""
        figures_width = Part(self._measure_figures(pen) if self._has_figures else 0)
        texts, figure = split_row(box, [flexible(), figures_width], _COLUMN_GAP)
        value = pen.truncate_text(option.value, texts.width, 16, True)
        pen.draw_text(value, texts.midleft, 16, True, colour)
        pen.draw_text(option.figure, figure.midright, 14, False, colour, align=1)
        width = texts.width - pen.measure_text(value, 16, True) - _COLUMN_GAP
        pen.draw_text(pen.truncate_text(option.description, width, 14), texts.midright, 14, False, DIM_TEXT, align=1)

    def _measure_width(self, pen: Pen) -> int:
        """Return the width at which all options and the search line are shown in full."""
        longest = nlargest(_MEASURED_OPTIONS, self.options, key=lambda option: len(option.value))
        texts = [
            pen.measure_text(option.value, 16, True) + _COLUMN_GAP + pen.measure_text(option.description, 14)
            for option in longest
        ]
        figures = self._measure_figures(pen) + _COLUMN_GAP if self._has_figures else 0
        return max(_MIN_LIST_WIDTH, pen.measure_text(self._search_hint) + 28, figures + max(texts, default=0) + 28)

    def _measure_figures(self, pen: Pen) -> int:
        return max(pen.measure_text(option.figure, 14) for option in self.options if option.figure)

    def _handle_input(self, ui: Ui) -> None:
        options = self.matching_options
        if ui.focus != self._last_focus:  # an option has just received the focus by Tab or by the mouse
            names = [f"{self.name} {option.value}" for option in options]
            self.highlighted = names.index(ui.focus) if ui.focus in names else self.highlighted
        self.highlighted -= ui.wheel
        for step in read_row_steps(ui, _ROWS_SHOWN):
            self.highlighted = max(0, min(len(options) - 1, self.highlighted + step))
        for event in ui.keys:
            if event.key == pygame.K_BACKSPACE:
                self.typed_text = self.typed_text[:-1]
            elif (
                event.key not in ENTER_KEYS and (character := getattr(event, "unicode", "")) and character.isprintable()
            ):
                self.typed_text += character
            else:
                continue
            self.highlighted = 0
        for path in ui.files:
            self.typed_text = path
