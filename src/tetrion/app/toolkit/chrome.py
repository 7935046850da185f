"""What stands around every screen: the header, the footer, and overlays in the middle of a board."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.app.toolkit.controls import BUTTON, button, button_width
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import ACCENT, BAR_RULE, DIM, FAINT, GROUND, OUTLINE, PANEL, STRONG, TEXT
from tetrion.drawing.pen import Box, Pen

WIDE, MEDIUM, COMPACT = "wide", "medium", "compact"
WIDE_FROM, MEDIUM_FROM = 1180, 960
OVERLAY = 264
SPARE = 30  # units that a board may leave below it
MARK = ((0, 0), (1, 0), (2, 0), (1, 1))

Legend = Sequence[tuple[Sequence[str], str]]  # keys and what they do


class Room(NamedTuple):
    """What a screen may fill: the content between header and footer, the footer, and the form of the layout."""

    content: Box
    footer: Box
    form: str
    gap: int

    @property
    def compact(self) -> bool:
        """Whether the window is small."""
        return self.form == COMPACT


def form_of(pen: Pen) -> str:
    """How much room a layout has."""
    return WIDE if pen.width >= WIDE_FROM else MEDIUM if pen.width >= MEDIUM_FROM else COMPACT


def room_of(pen: Pen) -> Room:
    """The room between header and footer."""
    form = form_of(pen)
    compact = form == COMPACT
    margin, head, foot = (16, 48, 56) if compact else (24, 56, 60)
    above, below = (14, 14) if compact else (20, 16)
    top, bottom = head + above, pen.height - foot - below
    content = Box(margin, top, pen.width - 2 * margin, bottom - top)
    return Room(content, Box(margin, pen.height - foot, pen.width - 2 * margin, foot), form, 12 if compact else 16)


def beside(board: Box, content: Box) -> int:
    """How high what stands beside a board is: as high as the board, unless that leaves much of the content empty."""
    return board.height if content.height - board.height < SPARE else content.height


def frame(ui: Ui, title: str, chips: Sequence[str] = (), agent: str = "") -> tuple[Room, bool]:
    """Draw header and footer lines; gives back the room between them, and whether the person wants to go back.

    Chips stand at the right, the agent's with a dot first; those that do not fit hide from the left.
    """
    pen, room, back = ui.pen, room_of(ui.pen), "Menu" if ui.over_menu else "Back"
    head = 48 if room.compact else 56
    pen.rule(0, head, pen.width, BAR_RULE)
    pen.rule(0, room.footer.top, pen.width, BAR_RULE)
    left = room.content.left
    draw_mark(pen, (left, head // 2), 7)
    left += 34
    if not room.compact:
        pen.text("Tetrion", (left, head // 2), 17, True, DIM)
        left += pen.width_of("Tetrion", 17, True) + 10
        pen.text("/", (left, head // 2), 17, False, FAINT)
        left += 15
    pen.text(title, (left, head // 2), 17, True, STRONG)
    left += pen.width_of(title, 17, True) + 16
    wide = pen.keycap_width("Esc") + 8 + pen.width_of(back, 14)
    leave = Box(room.content.right - wide, head // 2 - 14, wide, 28)
    touch = ui.control("back", leave, radius=6, key="Esc")
    pen.keycap((leave.left, head // 2), "Esc")
    pen.text(back, (leave.right, head // 2), 14, False, TEXT if touch.hovered else DIM, align=1)
    draw_chips(pen, left, leave.left - 16, head // 2, chips, agent)
    return room, touch.activated


def draw_chips(pen: Pen, left: int, right: int, middle: int, chips: Sequence[str], agent: str) -> None:
    """Draw chips up to a place at the right, as many as there is room for; the agent's stays longest."""
    every = ([(agent, True)] if agent else []) + [(chip, False) for chip in chips if chip]
    shown: list[tuple[str, bool]] = []
    room = right - left
    for chip in every:
        wide = min(pen.chip_width(*chip), 260) + 8
        if wide <= room:
            shown.append(chip)
            room -= wide
    for words, dot in reversed(shown):
        right -= pen.chip(right, middle, words, dot, most=260) + 8


def draw_mark(pen: Pen, place: tuple[float, float], cell: float, colour: str = ACCENT) -> None:
    """Draw the mark: a T that hangs, its left edge and middle at a place."""
    for x, y in MARK:
        box = Box(round(place[0] + x * (cell + 1)), round(place[1] - cell + y * (cell + 1)), round(cell), round(cell))
        pen.rounded(box, cell / 4, colour)


def legend(ui: Ui, footer: Box, entries: Legend, align: float = 0.5, buttons: Sequence[str] = ()) -> str:
    """Draw keys and what they do in a row; where there is too little room, words hide first.

    Those whose words are among `buttons` can be clicked, and their key is heard; gives back the words of the one used.
    """
    pen, used = ui.pen, ""
    words = True
    if legend_width(pen, entries, words) > footer.width:
        words = False
    left = footer.left + round(align * (footer.width - legend_width(pen, entries, words)))
    for keys, meaning in entries:
        ink, wide = DIM, legend_width(pen, [(keys, meaning)], words)
        if meaning in buttons:
            touch = ui.control(meaning, Box(left - 4, footer.centery - 16, wide + 8, 32), radius=6, key=keys[0])
            ink, used = TEXT if touch.hovered else DIM, meaning if touch.activated else used
        for key in keys:
            left += pen.keycap((left, footer.centery), key) + 4
        left += 4
        if words:
            pen.text(meaning, (left, footer.centery), 14, False, ink)
            left += pen.width_of(meaning, 14)
        left += 24 if words else 8
    return used


def legend_width(pen: Pen, entries: Legend, words: bool) -> int:
    """How wide a legend is, with its words or without."""
    keys = sum(pen.keycap_width(key) + 4 for keys, _ in entries for key in keys) + 4 * len(entries)
    meanings = sum(pen.width_of(meaning, 14) for _, meaning in entries) if words else 0
    return keys + meanings + (24 if words else 8) * (len(entries) - 1)


def overlay(
    ui: Ui, board: Box, headline: str, lines: Sequence[str], buttons: Sequence[tuple[str, str]], width: int = OVERLAY
) -> str:
    """Cover a board with a panel in its middle; gives back the words of the button that was used, else nothing.

    Buttons are words and a key; the first one is the primary one and has the focus.
    """
    pen = ui.pen
    told = [part for line in lines for part in pen.wrapped(line, width - 40, 15)]
    high = 64 + 22 * len(told) + (BUTTON + 10) * len(buttons) + 14
    box = Box(0, 0, width, high)
    box.center = board.center
    box.clamp_ip(pen.area)
    pen.veil(board, 10, GROUND, 0.7)
    pen.rounded(box, 12, PANEL, OUTLINE)
    pen.text(headline, (box.centerx, box.top + 34), 18, True, STRONG, align=0.5)
    for number, line in enumerate(told):
        pen.text(line, (box.centerx, box.top + 64 + 22 * number), 15, False, TEXT, align=0.5)
    used = ""
    with ui.layer():
        for number, (words, key) in enumerate(buttons):
            top = box.top + 62 + 22 * len(told) + (BUTTON + 10) * number
            place = Box(box.left + 20, top, box.width - 40, BUTTON)
            if button(ui, f"overlay {words}", place, words, key=key, primary=number == 0, group="overlay"):
                used = words
    return used


class Action(NamedTuple):
    """A button of a footer."""

    name: str
    words: str
    key: str = ""
    sign: str = ""
    primary: bool = False
    enabled: bool = True


def actions(ui: Ui, footer: Box, buttons: Sequence[Action]) -> tuple[str, int]:
    """Draw a footer's buttons from its left; gives back the name of the one that was used, and where they end."""
    used, left = "", footer.left
    for name, words, key, sign, primary, enabled in buttons:
        place = Box(left, footer.centery - BUTTON // 2, button_width(ui.pen, words, key, sign) + 8, BUTTON)
        if button(ui, name, place, words, key=key, sign=sign, primary=primary, enabled=enabled):
            used = name
        left = place.right + 12
    return used, left
