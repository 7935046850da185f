"""Rows of the settings screen: a label, a description and a control."""

from collections.abc import Callable
from typing import NamedTuple

from tetrion.app.toolkit.controls import draw_shortened_text
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Box

SETTING_ROW_HEIGHT = 64
_MIN_HEIGHT_WITH_DESCRIPTION = 52


class SettingRow(NamedTuple):
    """One setting: its label, its description, and a function that draws its control at the right of a box.

    `extra_height` is the space below the row that its control uses, too.
    """

    label: str
    description: str
    draw_control: Callable[[Ui, Box], None]
    extra_height: int = 0


def draw_setting_rows(ui: Ui, box: Box, rows: list[SettingRow], control_width: int = 60) -> int:
    """Draw rows from the top of a box, lower ones if they do not fit; return the end of the last one.

    Descriptions leave `control_width` units at the right.
    """
    top = box.top
    extra_height = sum(row.extra_height for row in rows)
    row_height = min(SETTING_ROW_HEIGHT, (box.height - extra_height) // len(rows))
    for row in rows:
        ui.pen.draw_separator(box.left, top, box.width)
        row_box = Box(box.left, top, box.width, row_height)
        has_description = bool(row.description) and row_height >= _MIN_HEIGHT_WITH_DESCRIPTION
        middle = row_box.centery - (10 if has_description else 0)
        ui.pen.draw_text(row.label, (row_box.left, middle), 16, True, STRONG_TEXT)
        if has_description:
            position = (row_box.left, row_box.centery + 12)
            draw_shortened_text(ui, row.description, position, box.width - control_width, size=14, colour=DIM_TEXT)
        row.draw_control(ui, row_box)
        top += row_height + row.extra_height
    return top
