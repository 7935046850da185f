"""The menu: what there is to do, beside a game that plays itself."""

from functools import cache
from typing import NamedTuple

from tetrion.app.games.seat import Seat
from tetrion.app.readiness import LOADING, PREPARING, engine
from tetrion.app.screen import Screen
from tetrion.app.screens.watch_board import draw_seat
from tetrion.app.toolkit.chrome import draw_mark, legend
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.boards import draw_board
from tetrion.drawing.cells import ACTIVE, LOCKED
from tetrion.drawing.palette import BAR_RULE, DIM, FAINT, GROUND, RAISED, STRONG, TEXT, mixed
from tetrion.drawing.pen import Box
from tetrion.drawing.stack import Stack
from tetrion.engine.rules import Rules

SHOWN_FROM = 1080  # units of width from which on the board is seen
LIST, ROW, STEP = 600, 64, 70
WHOLE, TIGHT = 740, 90  # units: what the menu takes, and by how much less it can do
WORDS = 480  # units, for why nobody plays yet
FOOTER = 60
RULES = Rules.preset("medico")


class Item(NamedTuple):
    """A line of the menu."""

    piece: str
    words: str
    about: str
    screen: str


ITEMS = (
    Item("T", "Play", "You against gravity", "play"),
    Item("S", "Watch", "An agent plays and shows its reasons", "watch"),
    Item("O", "Versus", "You or an agent against another, same pieces", "versus"),
    Item("L", "Evolution", "A population learns, generation by generation", "evolution"),
    Item("J", "Replays", "Games you kept", "replays"),
    Item("Z", "Settings", "Colours, keys, sound, motion", "settings"),
    Item("I", "Quit", "", ""),
)


class MenuScreen(Screen):
    """The title screen."""

    title = "Menu"

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.seat: Seat | None = None
        self.chosen = "Watch"
        self.drawn = False  # the engine begins to load when something is seen

    def update(self, seconds: float) -> None:
        """Let the game beside the menu go on, and begin another one after it."""
        if self.seat is None:
            if not self.drawn or not engine().ready:
                return
            self.seat = Seat("medico", RULES, 0)
        self.seat.update(seconds)
        self.seat.locks.clear()
        if self.seat.game.over:
            self.seat.restart(self.seat.seed + 1)

    def leave(self) -> None:
        """End the game beside the menu."""
        if self.seat:
            self.seat.close()

    def draw(self, ui: Ui) -> None:
        """Draw the list and, where there is room, the board."""
        pen = ui.pen
        with_board = pen.width >= SHOWN_FROM
        left = round(0.075 * pen.width) if with_board else (pen.width - LIST) // 2
        room = pen.height - FOOTER
        spare = (room - WHOLE) // 2 if room >= WHOLE else max(-TIGHT, room - WHOLE) // 2
        draw_mark(pen, (left, 94 + spare), 13)
        pen.text("Tetrion", (left + 62, 93 + spare), 56, True, STRONG)
        pen.text("Play Tetris. Watch machines learn it.", (left, 150 + spare), 20, False, DIM)
        top = 198 + spare + min(0, spare) // 3
        step = min(STEP, (room - top - 4) // len(ITEMS))
        for number, item in enumerate(ITEMS):
            self._item(ui, Box(left - 20, top + step * number, LIST + 4, min(ROW, step - 4)), number, item)
        if with_board:
            self._board(ui)
        pen.rule(0, pen.height - FOOTER, pen.width, BAR_RULE)
        footer = Box(left - 20, pen.height - FOOTER, pen.width - 2 * left + 40, FOOTER)
        legend(ui, footer, [(["↑", "↓"], "Choose"), (["Enter"], "Open"), (["F11"], "Full screen")], align=0)
        pen.text(version(), (footer.right - 20, footer.centery), 14, False, FAINT, align=1)
        if not ui.focus:
            ui.want(self.chosen)
        self.drawn = True

    def _item(self, ui: Ui, box: Box, number: int, item: Item) -> None:
        touch = ui.control(item.words, box, radius=8, group="menu", key=str(number + 1))
        if touch.focused or touch.hovered:
            ui.pen.rounded(box, 8, RAISED if touch.focused else mixed(GROUND, RAISED, 0.5))
        ui.pen.piece((box.left + 44, box.centery), 13, item.piece, ACTIVE if touch.focused else LOCKED)
        ui.pen.text(item.words, (box.left + 100, box.centery), 22, True, STRONG if touch.focused else TEXT)
        ui.pen.text(item.about, (box.left + 224, box.centery + 1), 16, False, TEXT if touch.focused else FAINT)
        if touch.focused:
            wide = ui.pen.keycap_width("Enter")
            ui.pen.keycap((box.right - wide - 20, box.centery), "Enter")
        if touch.activated:
            self._open(item)

    def _open(self, item: Item) -> None:
        self.chosen = item.words
        self.window.sound.play("choose")
        if item.screen:
            self.window.go(item.screen)
        else:
            self.window.back()

    def _board(self, ui: Ui) -> None:
        pen, seat = ui.pen, self.seat
        right = round(0.925 * pen.width)
        room = Box(right - 460, 48, 460, pen.height - FOOTER - 48 - 40)
        fitted = pen.fitted(room, RULES.height, align=1)
        if seat:
            draw_seat(pen, fitted, seat, self.window.settings, thinking=False)
        else:
            place = pen.point(fitted.box.topleft)
            draw_board(pen.surface, place, fitted.cell, Stack(height=RULES.height), look=pen.look)
        below = fitted.box.bottom + 23
        if seat and seat.decision:
            words = pen.cut(f"{seat.name} is playing", fitted.box.width - 80, 14)
            pen.text(words, (fitted.box.left + 2, below), 14, False, DIM)
            pen.text(f"{seat.game.lines:,} lines", (fitted.box.right - 2, below), 14, False, DIM, align=1)
        else:
            pen.text(pen.cut(self._waiting(), WORDS, 14), (fitted.box.right - 2, below), 14, False, DIM, align=1)

    def _waiting(self) -> str:
        """Why nobody plays yet, in words."""
        if self.seat is None:
            return (engine().problem or engine().words) if self.drawn else LOADING
        return self.seat.problem or (PREPARING if self.seat.decider.preparing else LOADING)


@cache
def version() -> str:
    """The version as the menu shows it."""
    from importlib.metadata import version as installed

    return ".".join(installed("tetrion").split(".")[:2])
