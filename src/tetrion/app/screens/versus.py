"""Versus: two to four players on the same pieces, side by side."""

from collections.abc import Sequence

import pygame

from tetrion.app.choices import rules_words
from tetrion.app.games.match import Match, Terms, result_words
from tetrion.app.games.seat import STEPS_UP_TO
from tetrion.app.screen import Screen
from tetrion.app.screens.versus_layout import Layout, layout_of
from tetrion.app.screens.versus_setup import Setup
from tetrion.app.screens.versus_view import draw_match, shares_of
from tetrion.app.toolkit.chrome import frame, legend, overlay
from tetrion.app.toolkit.speeds import changed, speed_slider
from tetrion.app.toolkit.ui import Ui, caption
from tetrion.app.window import Window
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import LARGEST_SEED

SETTLES = 0.12  # seconds in which the lead bar follows the points
SPEED = 420  # units of the footer that the slider needs
RESULT = 340  # how wide the result is
PLAYED_BY = (  # keys that a person plays with, and what they do
    (("left", "right"), "Move"),
    (("rotate", "back"), "Rotate"),
    (("down",), "Soft drop"),
    (("drop",), "Drop"),
)


class VersusScreen(Screen):
    """A match, and before it what it is played by; with players it begins at once."""

    title, music = "Versus", True

    def __init__(
        self,
        window: Window,
        players: Sequence[str] = (),
        rules: str = "",
        seed: int | None = None,
        speed: float | None = None,
    ) -> None:
        super().__init__(window)
        self.setup = Setup(players, rules, seed)
        self.setup.speed = speed or self.setup.speed
        self.match: Match | None = None
        self.thinking = False
        self._shares: list[float] = []

    # What goes on.

    def begin(self, terms: Terms) -> None:
        """Begin a match, after whatever has been before."""
        self._end()
        self.match = Match(terms, self.window.settings.keys, self.window.sound.play, self.window.settings.moves)
        self.match.think(self.thinking)
        self._shares = shares_of(self.match)
        self.window.ui.focus = ""

    def rematch(self) -> None:
        """The same players again, on other pieces."""
        if self.match:
            seed = (self.match.terms.seed + 1) % (LARGEST_SEED + 1)
            self.begin(self.match.terms._replace(seed=seed, speed=self.match.speed))

    def handle(self, event: pygame.event.Event) -> bool:
        """Let a person play; letting go of a key is for the controls too."""
        match = self.match
        person = match.person if match and not match.paused else None
        if person is None or person.out or event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        return person.hear(event) and event.type == pygame.KEYDOWN

    def update(self, seconds: float) -> None:
        """Let time pass in the match."""
        if self.match is None:
            return
        for told in self.match.update(seconds):
            self.window.tell(told)
        share = min(1.0, seconds / SETTLES) if self.window.settings.moves else 1.0
        targets = shares_of(self.match)
        self._shares = [now + (to - now) * share for now, to in zip(self._shares, targets, strict=True)]

    def rest(self) -> None:
        """Pause when the window loses the focus."""
        if self.match and not self.match.over and not self.match.waits_for:
            self.match.pause()

    def leave(self) -> None:
        """Keep the games, also those that have not ended."""
        self._end()

    def _end(self) -> None:
        if self.match:
            for told in self.match.close():
                self.window.tell(told)
        self.match = None

    def _think(self) -> None:
        self.thinking = not self.thinking
        if self.match:
            self.match.think(self.thinking)

    # What is seen.

    def draw(self, ui: Ui) -> None:
        """Draw the choices or the match."""
        match = self.match
        if match is None:
            room, leave = frame(ui, self.title)
            if terms := self.setup.draw(ui, room):
                self.window.sound.play("choose")
                self.begin(terms)
        else:
            chips = [rules_words(match.rules), "Same pieces", f"Seed {match.terms.seed}"]
            room, leave = frame(ui, self.title, chips)
            layout = layout_of(ui.pen, room, match.rules.height, len(match.players))
            draw_match(ui.pen, room, layout, match, self.window.settings, self._shares)
            self._footer(ui, room.footer, match)
            leave = self._overlay(ui, layout, match) or leave
        if leave:
            self.window.back()

    def _overlay(self, ui: Ui, layout: Layout, match: Match) -> bool:
        """What lies over the boards: a pause, or the result; tells whether the person wants to the menu."""
        used, restart = "", self._key("restart")
        if match.over:
            headline, lines = result_words(match)
            used = overlay(ui, layout.area, headline, lines, [("Rematch", restart), ("Menu", "Esc")], width=RESULT)
        elif match.paused:
            buttons = [("Go on", self._key("pause")), ("Change players", "")]
            used = overlay(ui, layout.area, "Paused", ["Everybody waits."], buttons)
            if ui.pressed("Esc"):
                return True
            if ui.pressed(restart):
                used = "Rematch"
        if used == "Rematch":
            self.rematch()
        elif used == "Go on":
            match.pause(False)
        elif used == "Change players":
            self._end()
            ui.want("start")
        return used == "Menu"

    def _key(self, action: str) -> str:
        return caption(pygame.key.key_code(self.window.settings.keys[action]))

    def _footer(self, ui: Ui, footer: Box, match: Match) -> None:
        """The keys and what they do; those that are not for the game can be clicked. Agents alone get a slider."""
        playing = match.person is not None and not match.person.out
        there = match.rules.keys.split("+")
        entries = [
            ([self._key(action) for action in keys if action in there], words)
            for keys, words in (PLAYED_BY if playing else ())
            if any(action in there for action in keys)
        ]
        think = "Hide thinking" if self.thinking else "Show thinking"
        entries += [([self._key("pause")], "Pause"), ([self._key("restart")], "Rematch"), (["T"], think)]
        room = footer.copy()
        if not playing:
            room.width -= SPEED
            place = Box(room.right + 16, footer.top, SPEED - 16, footer.height)
            steps = ui.pressed("+", "=") - ui.pressed("-")
            speed = min(STEPS_UP_TO, changed(match.speed, steps)) if steps else match.speed
            match.speed = self.setup.speed = speed_slider(ui, place, speed, fastest=STEPS_UP_TO)
        used = legend(ui, room, entries, 0.5 if playing else 0.0, ["Pause", "Rematch", think])
        if used == "Pause" and not match.over and not match.waits_for:
            match.pause()
        elif used == "Rematch":
            self.rematch()
        elif used:
            self._think()
