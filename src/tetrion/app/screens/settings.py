"""Settings: how things look, sound and are played, with what they do to a board beside them."""

from collections.abc import Callable
from typing import NamedTuple

import pygame

from tetrion.app.choices import agent_options, rules_options
from tetrion.app.folders import config_folder, data_folder
from tetrion.app.screen import Screen
from tetrion.app.settings import ACTIONS, MOTIONS, SCALES, Settings
from tetrion.app.toolkit.chrome import Room, frame, legend
from tetrion.app.toolkit.controls import button, row, segments, slider, stepper, toggle
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui, caption, key_name
from tetrion.app.window import Window
from tetrion.board import Placement
from tetrion.drawing.boards import draw_board
from tetrion.drawing.cells import ACTIVE, cell_picture
from tetrion.drawing.palette import ACCENT, DIM, PALETTES, STRONG
from tetrion.drawing.pen import Box
from tetrion.drawing.shapes import put
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import PIECES

TABS = ("Display", "Play", "Keys", "Sound", "About")
ROW = 64
HIGHEST_LEVEL = 29
TAB_WIDTH, PREVIEW = 200, 336
ACTION_WORDS = {
    "left": "Move left",
    "right": "Move right",
    "rotate": "Rotate",
    "back": "Rotate back",
    "down": "Soft drop",
    "drop": "Hard drop",
    "hint": "Hint",
    "pause": "Pause",
    "restart": "Restart",
}
SAMPLE = """
..J.......
.TJJJ.....
TTTIII....
OOOOJJJ...
OOOOZZJI..
TTTT.ZZI..
TTTOOOOIS.
IZZLZZLZZ.
"""


class Line(NamedTuple):
    """A setting: its name, what it means, and how it is drawn and changed in the room that is left for it."""

    words: str
    about: str
    change: Callable[[Ui, Box], None]


class SettingsScreen(Screen):
    """Everything that a person can choose for the window; it holds and is kept at once."""

    title = "Settings"

    def __init__(self, window: Window, tab: str = "Display") -> None:
        super().__init__(window)
        self.tab = tab
        self.asking = ""  # the action whose key is asked for
        self.pickers = {name: Picker(f"set {name}") for name in ("play_rules", "hint_agent", "watch_agent")}

    @property
    def chosen(self) -> Settings:
        """What is chosen now."""
        return self.window.settings

    def handle(self, event: pygame.event.Event) -> bool:
        """Take the next key for an action that is being given one."""
        if not self.asking or event.type != pygame.KEYDOWN:
            return False
        if event.key not in (pygame.K_ESCAPE, pygame.K_F11):
            if name := key_name(event.key):
                self._give(self.asking, name)
            else:
                self.window.tell("This key has no name. Take another one.")
        self.asking = ""
        return True

    def _give(self, action: str, key: str) -> None:
        """Give an action a key; whoever had it gets the one that is free now."""
        keys = dict(self.chosen.keys)
        other = next((name for name, its in keys.items() if its == key and name != action), None)
        if other:
            keys[other] = keys[action]
            self.window.tell(f"{ACTION_WORDS[other]} has the key {self._cap(keys[action])} now.")
        keys[action] = key
        self.window.choose(keys=keys)

    def draw(self, ui: Ui) -> None:
        """Draw tabs, the settings of one of them, and where there is room a board that shows them."""
        room, leave = frame(ui, self.title)
        content, gap = room.content, room.gap
        if room.compact:
            tabs = Box(content.left, content.top, content.width, 56)
            page = Box(content.left, tabs.bottom + gap, content.width, content.bottom - tabs.bottom - gap)
        else:
            tabs = Box(content.left, content.top, TAB_WIDTH, content.height)
            beside = PREVIEW + gap if room.form == "wide" else 0
            page = Box(tabs.right + gap, content.top, content.right - tabs.right - gap - beside, content.height)
        self._tabs(ui, tabs, room.compact)
        self._page(ui, page)
        if room.form == "wide":
            self._preview(ui, Box(page.right + gap, content.top, PREVIEW, content.height))
        self._footer(ui, room)
        self._lists(ui)
        if leave:
            self.window.back()

    def _footer(self, ui: Ui, room: Room) -> None:
        keys = [(["↑", "↓"], "Choose"), (["←", "→"], "Change"), (["Tab"], "Next part"), (["Backspace"], "Default")]
        legend(ui, room.footer, keys)
        self._move(ui)
        if ui.pressed("Backspace"):
            self._default(ui.focus)

    def _move(self, ui: Ui) -> None:
        """Let the arrows up and down go through everything, whatever group it is in."""
        step = ui.pressed("↓") - ui.pressed("↑")
        names = ui.names
        if step and names:
            here = names.index(ui.focus) if ui.focus in names else -1
            ui.focus = names[max(0, min(len(names) - 1, here + step))]
        elif not ui.focus:
            ui.want(f"tab {self.tab}")

    def _default(self, focus: str) -> None:
        name = focus.removeprefix("set ")
        if name.startswith("key "):
            self._give(name.removeprefix("key "), ACTIONS[name.removeprefix("key ")])
        elif hasattr(Settings(), name):
            self.window.choose(**{name: getattr(Settings(), name)})

    # Parts.

    def _tabs(self, ui: Ui, box: Box, in_a_row: bool) -> None:
        ui.pen.panel(box)
        wide = (box.width - 16) // len(TABS)
        for number, tab in enumerate(TABS):
            if in_a_row:
                place = Box(box.left + 8 + wide * number, box.top + 8, wide, 40)
            else:
                place = Box(box.left + 8, box.top + 12 + 48 * number, box.width - 16, 40)
            here = tab == self.tab
            touch = row(ui, f"tab {tab}", place, selected=here, group="tabs")
            if touch.activated or (touch.focused and not here):
                self.tab, self.asking = tab, ""
            if here and not in_a_row:
                ui.pen.rounded(Box(place.left, place.top + 10, 3, 20), 1.5, ACCENT)
            left = place.left + 20 if not in_a_row else place.centerx
            align = 0.5 if in_a_row else 0
            ui.pen.text(tab, (left, place.centery), 16, here, STRONG if here else DIM, align=align)

    def _page(self, ui: Ui, box: Box) -> None:
        pen = ui.pen
        pen.panel(box)
        inside = box.inflate(-48, 0)
        pen.text(self.tab, (inside.left, box.top + 34), 22, True, STRONG)
        if self.tab == "About":
            self._about(ui, inside)
            return
        lines = {"Display": self._display, "Play": self._play, "Keys": self._keys, "Sound": self._sound}[self.tab]()
        top = box.top + 68
        high = min(ROW, (box.bottom - 8 - top - (48 if self.tab == "Display" else 0)) // len(lines))
        for line in lines:
            pen.rule(inside.left, top, inside.width)
            whole = high + (48 if line.words == "Palette" else 0)
            place = Box(inside.left, top, inside.width, high)
            if line.about and high >= 52:
                pen.text(line.words, (place.left, place.centery - 10), 16, True, STRONG)
                pen.text(pen.cut(line.about, inside.width - 60, 14), (place.left, place.centery + 12), 14, False, DIM)
            else:
                pen.text(line.words, (place.left, place.centery), 16, True, STRONG)
            line.change(ui, place)
            top += whole

    def _display(self) -> list[Line]:
        return [
            Line("Palette", self._palette_words(), self._palette),
            Line("Piece marks", "A small sign in every cell, so that colour is never needed.", self._switch("marks")),
            Line("Scale", "Automatic follows the window.", self._choice("scale", SCALES)),
            Line("Motion", "Reduced: no slides, no flashes; things appear.", self._choice("motion", MOTIONS)),
            Line("Ghost", "Shows where the piece will land.", self._switch("ghost")),
            Line("Grid lines", "Faint lines in the well.", self._switch("grid")),
            Line("Candidate shading", "Shades where an agent would place the piece.", self._switch("candidates")),
            Line("Full screen", "F11 does the same everywhere.", self._switch("full_screen")),
        ]

    def _palette_words(self) -> str:
        safe = self.chosen.palette == "safe"
        return "Distinct for protan, deutan and tritan vision." if safe else "The colours of the house."

    def _palette(self, ui: Ui, box: Box) -> None:
        names = list(PALETTES)
        chosen = segments(ui, "set palette", box, ("Tetrion", "Colour-blind safe"), names.index(self.chosen.palette))
        self.window.choose(palette=names[chosen])
        for number, letter in enumerate(PIECES):
            picture = cell_picture(ui.pen.pixels(24), letter, ACTIVE, self.chosen.look)
            put(ui.pen.surface, picture, ui.pen.point((box.left + 28 * number, box.bottom + 4)))

    def _play(self) -> list[Line]:
        return [
            Line("Rules", "That a game begins with.", self._pick("play_rules")),
            Line("Start level", "Where the rules have levels.", self._level),
            Line("Hint", "The agent that is asked what it would do.", self._pick("hint_agent")),
            Line("Watched agent", "That the screen Watch opens with.", self._pick("watch_agent")),
        ]

    def _level(self, ui: Ui, box: Box) -> None:
        place = Box(box.right - 140, box.centery - 18, 140, 36)
        self.window.choose(level=stepper(ui, "set level", place, self.chosen.level, 0, HIGHEST_LEVEL))

    def _pick(self, name: str) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            wide = min(280, box.width // 2)
            picker = self.pickers[name]
            picker.draw(ui, Box(box.right - wide, box.centery - 20, wide, 40), getattr(self.chosen, name))

        return change

    def _lists(self, ui: Ui) -> None:
        """The list of a picker that is open lies over everything."""
        for name, picker in self.pickers.items():
            options = rules_options if name == "play_rules" else agent_options
            if picked := picker.draw_list(ui, options):
                self.window.choose(**{name: picked})

    def _keys(self) -> list[Line]:
        return [Line(words, "", self._key(action)) for action, words in ACTION_WORDS.items()]

    def _sound(self) -> list[Line]:
        silent = "This machine has no sound device." if self.window.sound.silent else ""
        return [
            Line("Sounds", silent or "Moves, locks, lines.", self._volume("sounds")),
            Line("Music", silent or "Korobeiniki, while a game goes on.", self._switch("music")),
            Line("Volume of the music", "", self._volume("music_volume")),
        ]

    def _about(self, ui: Ui, box: Box) -> None:
        from importlib.metadata import version

        entries = (
            ("Version", version("tetrion")),
            ("Settings are kept in", str(config_folder())),
            ("Games, scores and runs in", str(data_folder())),
            ("Licence", "MIT; the type is Source Sans Pro, under the SIL Open Font License 1.1"),
            ("Music", "Korobeiniki, a folk song, arranged and synthesised here"),
        )
        for number, (words, value) in enumerate(entries):
            top = box.top + 68 + ROW * number
            ui.pen.rule(box.left, top, box.width)
            ui.pen.text(words, (box.left, top + 22), 14, False, DIM)
            ui.pen.text(ui.pen.cut(value, box.width), (box.left, top + 44), 16, False, STRONG)

    # How a setting is changed.

    def _switch(self, name: str) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            self.window.choose(**{name: toggle(ui, f"set {name}", box, getattr(self.chosen, name))})

        return change

    def _choice(self, name: str, options: tuple[str, ...]) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            words = [option.capitalize() for option in options]
            chosen = segments(ui, f"set {name}", box, words, options.index(getattr(self.chosen, name)))
            self.window.choose(**{name: options[chosen]})

        return change

    def _volume(self, name: str) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            before = getattr(self.chosen, name)
            wide = min(240, box.width // 2)
            track = Box(box.right - wide - 64, box.top, wide, box.height)
            value = round(slider(ui, f"set {name}", track, before), 2)
            ui.pen.text(f"{round(100 * value)} %", (box.right, box.centery), 16, True, STRONG, align=1)
            if value != before:
                self.window.choose(**{name: value})
                if name == "sounds":
                    self.window.sound.play("rotate")

        return change

    def _key(self, action: str) -> Callable[[Ui, Box], None]:
        def change(ui: Ui, box: Box) -> None:
            asked = self.asking == action
            words = "Press a key" if asked else self._cap(self.chosen.keys[action])
            place = Box(box.right - 160, box.centery - 18, 160, 36)
            if button(ui, f"set key {action}", place, words, primary=asked):
                self.asking = action

        return change

    def _cap(self, key: str) -> str:
        return caption(pygame.key.key_code(key))

    # The preview.

    def _preview(self, ui: Ui, box: Box) -> None:
        pen = ui.pen
        inside = pen.panel(box, "Preview")
        fitted = pen.fitted(Box(inside.left, inside.top + 8, inside.width, inside.height), 20)
        piece = Placement("L", 3, 7, 13)
        draw_board(
            pen.surface,
            pen.point(fitted.box.topleft),
            fitted.cell,
            Stack.from_text(SAMPLE),
            active=piece,
            ghost=Placement("L", 3, 7, 2) if self.chosen.ghost else None,
            look=self.chosen.look,
        )
