"""Versus: two to four players on the same pieces, side by side."""

from collections.abc import Sequence

import pygame

from tetrion.app.games.agent_game import MAX_STEPPED_SPEED
from tetrion.app.games.versus_match import MatchSettings, VersusMatch, describe_result
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.versus_layout import MatchLayout, compute_match_layout
from tetrion.app.screens.versus_panels import compute_score_shares, draw_match
from tetrion.app.screens.versus_setup import VersusSetup
from tetrion.app.toolkit.header_footer import draw_header_footer, draw_key_legend, draw_overlay
from tetrion.app.toolkit.speed_slider import change_speed, draw_speed_slider
from tetrion.app.toolkit.ui import Ui, get_key_label
from tetrion.app.window import Window
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import MAX_SEED

_LEAD_BAR_SECONDS = 0.12  # seconds in which the lead bar follows the points
_SPEED_SLIDER_WIDTH = 420  # units of the footer that the slider needs
_RESULT_WIDTH = 340  # how wide the result is
_PLAYER_KEY_LEGEND = (  # keys that a person plays with, and what they do
    (("left", "right"), "Move"),
    (("rotate", "back"), "Rotate"),
    (("down",), "Soft drop"),
    (("drop",), "Drop"),
)


class VersusScreen(Screen):
    """A match, and before it what it is played by; with players it begins at once."""

    title, has_music = "Versus", True

    def __init__(
        self,
        window: Window,
        players: Sequence[str] = (),
        rules: str = "",
        seed: int | None = None,
        speed: float | None = None,
    ) -> None:
        super().__init__(window)
        self.setup = VersusSetup(players, rules, seed)
        self.setup.speed = speed or self.setup.speed
        self.match: VersusMatch | None = None
        self.shows_thinking = False
        self._score_shares: list[float] = []

    # What goes on.

    def start_match(self, terms: MatchSettings) -> None:
        """Begin a match, after whatever has been before."""
        self._end_match()
        self.match = VersusMatch(
            terms, self.window.settings.keys, self.window.sound.play, self.window.settings.has_animation
        )
        self.match.set_explanations(self.shows_thinking)
        self._score_shares = compute_score_shares(self.match)
        self.window.ui.focus = ""

    def rematch(self) -> None:
        """The same players again, on other pieces."""
        if self.match:
            seed = (self.match.settings.seed + 1) % (MAX_SEED + 1)
            self.start_match(self.match.settings._replace(seed=seed, speed=self.match.speed))

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Let a person play; letting go of a key is for the controls too."""
        match = self.match
        person = match.human_player if match and not match.is_paused else None
        if person is None or person.is_out or event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        return person.handle_event(event) and event.type == pygame.KEYDOWN

    def update(self, seconds: float) -> None:
        """Let time pass in the match."""
        if self.match is None:
            return
        for told in self.match.update(seconds):
            self.window.show_message(told)
        share = min(1.0, seconds / _LEAD_BAR_SECONDS) if self.window.settings.has_animation else 1.0
        targets = compute_score_shares(self.match)
        self._score_shares = [now + (to - now) * share for now, to in zip(self._score_shares, targets, strict=True)]

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        if self.match and not self.match.is_over and not self.match.waiting_message:
            self.match.set_paused()

    def on_leave(self) -> None:
        """Keep the games, also those that have not ended."""
        self._end_match()

    def _end_match(self) -> None:
        if self.match:
            for told in self.match.close():
                self.window.show_message(told)
        self.match = None

    def _toggle_thinking(self) -> None:
        self.shows_thinking = not self.shows_thinking
        if self.match:
            self.match.set_explanations(self.shows_thinking)

    # What is seen.

    def draw(self, ui: Ui) -> None:
        """Draw the choices or the match."""
        match = self.match
        if match is None:
            room, leave = draw_header_footer(ui, self.title)
            if terms := self.setup.draw(ui, room):
                self.window.sound.play("choose")
                self.start_match(terms)
        else:
            chips = [format_rules(match.rules), "Same pieces", f"Seed {match.settings.seed}"]
            room, leave = draw_header_footer(ui, self.title, chips)
            layout = compute_match_layout(ui.pen, room, match.rules.height, len(match.players))
            draw_match(ui.pen, room, layout, match, self.window.settings, self._score_shares)
            self._draw_footer(ui, room.footer, match)
            leave = self._draw_overlay(ui, layout, match) or leave
        if leave:
            self.window.close_screen()

    def _draw_overlay(self, ui: Ui, layout: MatchLayout, match: VersusMatch) -> bool:
        """What lies over the boards: a pause, or the result; tells whether the person wants to the menu."""
        used, restart = "", self._format_key_label("restart")
        if match.is_over:
            headline, lines = describe_result(match)
            used = draw_overlay(
                ui, layout.boards_area, headline, lines, [("Rematch", restart), ("Menu", "Esc")], width=_RESULT_WIDTH
            )
        elif match.is_paused:
            buttons = [("Go on", self._format_key_label("pause")), ("Change players", "")]
            used = draw_overlay(ui, layout.boards_area, "Paused", ["Everybody waits."], buttons)
            if ui.is_key_pressed("Esc"):
                return True
            if ui.is_key_pressed(restart):
                used = "Rematch"
        if used == "Rematch":
            self.rematch()
        elif used == "Go on":
            match.set_paused(False)
        elif used == "Change players":
            self._end_match()
            ui.request_focus("start")
        return used == "Menu"

    def _format_key_label(self, action: str) -> str:
        return get_key_label(pygame.key.key_code(self.window.settings.keys[action]))

    def _draw_footer(self, ui: Ui, footer: Box, match: VersusMatch) -> None:
        """The keys and what they do; those that are not for the game can be clicked. Agents alone get a slider."""
        playing = match.human_player is not None and not match.human_player.is_out
        there = match.rules.keys.split("+")
        entries = [
            ([self._format_key_label(action) for action in keys if action in there], words)
            for keys, words in (_PLAYER_KEY_LEGEND if playing else ())
            if any(action in there for action in keys)
        ]
        think = "Hide thinking" if self.shows_thinking else "Show thinking"
        entries += [
            ([self._format_key_label("pause")], "Pause"),
            ([self._format_key_label("restart")], "Rematch"),
            (["T"], think),
        ]
        room = footer.copy()
        if not playing:
            room.width -= _SPEED_SLIDER_WIDTH
            place = Box(room.right + 16, footer.top, _SPEED_SLIDER_WIDTH - 16, footer.height)
            steps = ui.is_key_pressed("+", "=") - ui.is_key_pressed("-")
            speed = min(MAX_STEPPED_SPEED, change_speed(match.speed, steps)) if steps else match.speed
            match.speed = self.setup.speed = draw_speed_slider(ui, place, speed, max_speed=MAX_STEPPED_SPEED)
        used = draw_key_legend(ui, room, entries, 0.5 if playing else 0.0, ["Pause", "Rematch", think])
        if used == "Pause" and not match.is_over and not match.waiting_message:
            match.set_paused()
        elif used == "Rematch":
            self.rematch()
        elif used:
            self._toggle_thinking()
