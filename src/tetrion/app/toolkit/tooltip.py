"""Tooltips: the full text of a shortened one, below the text that the pointer rests on or that has the focus."""

from dataclasses import dataclass

from tetrion.drawing.palette import BOARD_OUTLINE, RAISED_PANEL, STRONG_TEXT
from tetrion.drawing.pen import Box, Pen
from tetrion.text_cleaning import clean_message

_DELAY_SECONDS = 0.4  # until a tooltip appears
_MAX_TEXT_WIDTH = 460  # units
_TEXT_SIZE = 14
_LINE_HEIGHT = 20
_PADDING = 10
_GAP = 6  # between a text and its tooltip
_WINDOW_MARGIN = 8


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
        return bool(self.text) and self._age < _DELAY_SECONDS

    @property
    def is_visible(self) -> bool:
        """Whether the tooltip is shown."""
        return bool(self.text) and self._age >= _DELAY_SECONDS

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
        lines = wrap_long_text(pen, self.text, min(_MAX_TEXT_WIDTH, pen.width - 2 * (_PADDING + _WINDOW_MARGIN)))
        width = max(pen.measure_text(line, _TEXT_SIZE) for line in lines) + 2 * _PADDING
        box = Box(self._box.left, self._box.bottom + _GAP, width, _LINE_HEIGHT * len(lines) + _PADDING)
        if box.bottom > pen.height - _WINDOW_MARGIN:
            box.bottom = self._box.top - _GAP
        box.clamp_ip(pen.area.inflate(-2 * _WINDOW_MARGIN, -2 * _WINDOW_MARGIN))
        pen.fill_rounded(box, 8, RAISED_PANEL, BOARD_OUTLINE)
        for number, line in enumerate(lines):
            middle = box.top + (_LINE_HEIGHT + _PADDING) // 2 + _LINE_HEIGHT * number
            pen.draw_text(line, (box.left + _PADDING, middle), _TEXT_SIZE, False, STRONG_TEXT)


def wrap_long_text(pen: Pen, text: str, width: float, size: float = _TEXT_SIZE) -> list[str]:
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
