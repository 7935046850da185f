"""Transitional: the former picker, until all screens use `draw_picker`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

import pygame

from tetrion.app.toolkit.controls import CONTROL_RADIUS, draw_shortened_text
from tetrion.app.toolkit.picker import PickerOption
from tetrion.app.toolkit.ui import ENTER_KEYS, Ui
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
from tetrion.drawing.pen import Box

_OPTION_HEIGHT = 36
_OPTIONS_SHOWN = 9
_MIN_LIST_WIDTH = 280
_COLUMN_GAP = 24  # between value, description and figure
_FIELD_GAP = 6  # between the field and the list
_WINDOW_MARGIN = 8
_LIST_COLOUR = mix_colours(PANEL, RAISED_PANEL, 0.5)  # brighter than the panels that the list covers
_LIST_OUTLINE = mix_colours(BOARD_OUTLINE, WHITE, 0.16)
_HIGHLIGHT_COLOUR = mix_colours(RAISED_PANEL, WHITE, 0.06)
_MEASURED_OPTIONS = 300  # at most, to find the width of the list
_FIGURE_HEADING = "Mean per game under its own rules"


@dataclass
class Picker:
    """A field that shows the chosen value, with a list of options while it is open."""

    name: str
    free_text_hint: str = ""  # what else may be typed; "" if only listed options can be chosen
    is_open: bool = False
    typed_text: str = ""
    selected_value: str = ""
    highlighted: int = 0
    first_shown: int = 0
    field_box: Box = field(default_factory=lambda: Box(0, 0, 0, 0))
    options: Sequence[PickerOption] = ()  # loaded when the list opens
    _last_focus: str = ""
    _matching_options: tuple[str, list[PickerOption]] | None = None  # the typed text and its options
    _widths: dict[float, tuple[int, int]] = field(default_factory=dict)  # of the list and the figures, by scale

    def draw(self, ui: Ui, box: Box, chosen: str) -> None:
        """Draw the field with the chosen value; call `draw_list` after everything else is drawn."""
        self.field_box = box.copy()
        state = ui.add_control(self.name, box, radius=CONTROL_RADIUS)
        ui.pen.fill_rounded(
            box,
            CONTROL_RADIUS,
            mix_colours(RAISED_PANEL, WHITE, 0.06) if state.is_hovered else RAISED_PANEL,
            BOARD_OUTLINE,
        )
        left = box.left + 14
        draw_shortened_text(
            ui,
            chosen,
            (left, box.centery),
            box.right - 30 - left,
            semibold=True,
            colour=STRONG_TEXT,
            is_focused=state.is_focused,
        )
        x, y = box.right - 18, box.centery
        ui.pen.draw_lines([(x - 4, y - 2), (x, y + 2), (x + 4, y - 2)], DIM_TEXT)
        if state.is_activated and not self.is_open:
            self.open(chosen)

    def open(self, chosen: str) -> None:
        """Open the list with a value selected."""
        self.is_open = True
        self.typed_text = ""
        self.selected_value = chosen
        self.highlighted = -1

    def draw_list(self, ui: Ui, options: Callable[[], Sequence[PickerOption]]) -> str:
        """Draw the list on top, if it is open; return the value that was just chosen, or "".

        `options` is called once when the list opens, because it may read files.
        """
        if not self.is_open:
            return ""
        if self.highlighted < 0:  # the list has just opened
            self.options = options()
            self._matching_options = None
            self._widths = {}
        with ui.modal_layer():
            return self._draw_open_list(ui)

    def _draw_open_list(self, ui: Ui) -> str:
        pen = ui.pen
        options = self._filter_options()
        if self.highlighted < 0:
            self.highlighted = next(
                (number for number, option in enumerate(options) if option.value == self.selected_value), 0
            )
            self.first_shown = max(0, self.highlighted - _OPTIONS_SHOWN // 2)
        self._handle_input(ui, options)
        self._follow_focus(ui, options)
        options = self._filter_options()
        self.highlighted = max(0, min(self.highlighted, len(options) - 1))
        box, row_count = self._place_list(ui, len(options))
        first = min(self.first_shown, self.highlighted, len(options) - row_count)
        self.first_shown = max(first, self.highlighted - row_count + 1, 0)
        shown = options[self.first_shown : self.first_shown + row_count]
        outside = ui.add_control(f"{self.name} outside", pen.area, key="Esc", is_background=True)
        pen.fill_rounded(box, 12, _LIST_COLOUR, _LIST_OUTLINE)
        self._draw_search_line(ui, Box(box.left + 14, box.top + 6, box.width - 28, _OPTION_HEIGHT))
        pen.draw_separator(box.left, box.top + 4 + _OPTION_HEIGHT, box.width)
        used = self._draw_options(ui, box, shown)
        if not options:
            pen.draw_text(
                "No option matches.",
                (box.left + 14, box.top + 8 + _OPTION_HEIGHT + _OPTION_HEIGHT // 2),
                14,
                False,
                DIM_TEXT,
            )
        if used or (outside.is_activated and (ui.is_keyboard_used or not box.collidepoint(ui.pointer))):
            self.is_open = False
            ui.request_focus(self.name)
        ui.keys.clear()
        return used

    def _place_list(self, ui: Ui, option_count: int) -> tuple[Box, int]:
        """Return the box of the list, below the field or above it where more options fit, and their number."""
        pen, field_box = ui.pen, self.field_box
        below = pen.height - _WINDOW_MARGIN - field_box.bottom - _FIELD_GAP
        above = field_box.top - _FIELD_GAP - _WINDOW_MARGIN
        wanted = max(1, min(_OPTIONS_SHOWN, option_count))
        rows_below, rows_above = (max(1, (space - 12) // _OPTION_HEIGHT - 1) for space in (below, above))
        is_below = rows_below >= min(wanted, rows_above)
        row_count = min(wanted, rows_below if is_below else rows_above)
        width = min(max(field_box.width, self._compute_list_width(ui)), pen.width - 3 * _WINDOW_MARGIN)
        box = Box(field_box.left, field_box.bottom + _FIELD_GAP, width, _OPTION_HEIGHT * (row_count + 1) + 12)
        if not is_below:
            box.bottom = field_box.top - _FIELD_GAP
        box.clamp_ip(pen.area.inflate(-2 * _WINDOW_MARGIN, -2 * _WINDOW_MARGIN))
        return box, row_count

    @property
    def _search_hint(self) -> str:
        return f"Type to search, or enter {self.free_text_hint}" if self.free_text_hint else "Type to search"

    def _draw_search_line(self, ui: Ui, box: Box) -> None:
        """Draw the typed text or a hint, and the heading of the figures, if the options have any."""
        pen = ui.pen
        text_width = box.width
        if self._measure_figures(ui):
            pen.draw_text(_FIGURE_HEADING, (box.right, box.centery), 13, False, FAINT_TEXT, align=1)
            text_width -= pen.measure_text(_FIGURE_HEADING, 13) + _COLUMN_GAP
        text = pen.truncate_text(self.typed_text or self._search_hint, text_width)
        pen.draw_text(text, (box.left, box.centery), 16, False, NORMAL_TEXT if self.typed_text else FAINT_TEXT)
        if self.typed_text:
            pen.fill(Box(box.left + 1 + pen.measure_text(text), box.centery - 9, 1, 18), ACCENT)

    def _draw_options(self, ui: Ui, box: Box, shown: Sequence[PickerOption]) -> str:
        used = ""
        for number, option in enumerate(shown):
            row = Box(box.left + 6, box.top + 8 + _OPTION_HEIGHT * (number + 1), box.width - 12, _OPTION_HEIGHT)
            state = ui.add_control(f"{self.name} {option.value}", row, radius=CONTROL_RADIUS)
            is_highlighted = self.first_shown + number == self.highlighted
            if is_highlighted or state.is_hovered:
                ui.pen.fill_rounded(row, CONTROL_RADIUS, _HIGHLIGHT_COLOUR if is_highlighted else RAISED_PANEL)
            self._draw_option_texts(ui, row.inflate(-16, 0), option, is_highlighted)
            if is_highlighted:
                ui.focus = self._last_focus = f"{self.name} {option.value}"
            used = option.value if state.is_activated else used
        return used

    def _draw_option_texts(self, ui: Ui, box: Box, option: PickerOption, is_highlighted: bool) -> None:
        """Draw the value at the left, the figure at the right, and the description before the figures."""
        pen = ui.pen
        text_colour = STRONG_TEXT if is_highlighted else NORMAL_TEXT
        figures_width = self._measure_figures(ui)
        right = box.right - (figures_width + _COLUMN_GAP if figures_width else 0)
        value = pen.truncate_text(option.value, right - box.left, 16, True)
        pen.draw_text(value, (box.left, box.centery), 16, True, text_colour)
        pen.draw_text(option.figure, (box.right, box.centery), 14, False, text_colour, align=1)
        description_width = right - box.left - pen.measure_text(value, 16, True) - _COLUMN_GAP
        description = pen.truncate_text(option.description, description_width, 14)
        pen.draw_text(description, (right, box.centery), 14, False, DIM_TEXT, align=1)

    def _compute_list_width(self, ui: Ui) -> int:
        """Return the width at which all options and the search line are shown in full."""
        pen = ui.pen
        options_width, figures_width = self._measure_options(ui)
        width = _COLUMN_GAP + options_width
        search_line_width = pen.measure_text(self._search_hint)
        if figures_width:
            width += figures_width + _COLUMN_GAP
            search_line_width += pen.measure_text(_FIGURE_HEADING, 13) + _COLUMN_GAP
        return max(_MIN_LIST_WIDTH, max(width, search_line_width) + 28)

    def _measure_figures(self, ui: Ui) -> int:
        """Return the width of the widest figure, 0 if the options have none."""
        return self._measure_options(ui)[1]

    def _measure_options(self, ui: Ui) -> tuple[int, int]:
        """Return the width of the widest option, without the gap, and of the widest figure; of many, the longest."""
        pen = ui.pen
        if pen.scale not in self._widths:
            longest = nlargest(_MEASURED_OPTIONS, self.options, key=lambda option: len(option.value))
            texts = (
                pen.measure_text(option.value, 16, True) + pen.measure_text(option.description, 14)
                for option in longest
            )
            figures = (pen.measure_text(option.figure, 14) for option in self.options if option.figure)
            self._widths[pen.scale] = max(texts, default=0), max(figures, default=0)
        return self._widths[pen.scale]

    def _filter_options(self) -> list[PickerOption]:
        """Return the options that match the typed text."""
        if self._matching_options is None or self._matching_options[0] != self.typed_text:
            self._matching_options = self.typed_text, self._find_matching_options()
        return self._matching_options[1]

    def _find_matching_options(self) -> list[PickerOption]:
        search = self.typed_text.strip().lower()
        options = [option for option in self.options if search in f"{option.value} {option.description}".lower()]
        options.sort(key=lambda option: (option.value != search, not option.value.lower().startswith(search)))
        has_exact_match = any(option.value == self.typed_text.strip() for option in options)
        if self.free_text_hint and search and not has_exact_match:
            options.append(PickerOption(self.typed_text.strip(), "as typed"))
        return options

    def _follow_focus(self, ui: Ui, options: Sequence[PickerOption]) -> None:
        """Highlight the option that has just received the focus by Tab or by the mouse."""
        if ui.focus != self._last_focus:
            names = [f"{self.name} {option.value}" for option in options]
            self.highlighted = names.index(ui.focus) if ui.focus in names else self.highlighted

    def _handle_input(self, ui: Ui, options: Sequence[PickerOption]) -> None:
        self.highlighted -= ui.wheel
        moves = {pygame.K_UP: -1, pygame.K_DOWN: 1, pygame.K_PAGEUP: -_OPTIONS_SHOWN, pygame.K_PAGEDOWN: _OPTIONS_SHOWN}
        for event in ui.keys:
            if event.key in moves:
                self.highlighted = max(0, min(len(options) - 1, self.highlighted + moves[event.key]))
            elif event.key == pygame.K_BACKSPACE:
                self.typed_text = self.typed_text[:-1]
                self.highlighted = 0
            elif (
                event.key not in ENTER_KEYS and (character := getattr(event, "unicode", "")) and character.isprintable()
            ):
                self.typed_text = self.typed_text + character
                self.highlighted = 0
        for path in ui.files:
            self.typed_text = path
