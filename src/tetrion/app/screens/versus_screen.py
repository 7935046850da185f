"""Versus screen: two to four players on the same pieces."""

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
from tetrion.app.toolkit.ui import Ui, format_key_label
from tetrion.app.window import Window
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import MAX_SEED

_LEAD_BAR_SECONDS = 0.12  # animation time of the lead bar
_SPEED_SLIDER_WIDTH = 420  # units in the footer
_RESULT_WIDTH = 340
_PLAYER_KEY_LEGEND = (  # keys of the human player
    (("left", "right"), "Move"),
    (("rotate", "back"), "Rotate"),
    (("down",), "Soft drop"),
    (("drop",), "Hard drop"),
)


class VersusScreen(Screen):
    """Screen with the setup and the match; if players are given, the match starts immediately."""

    title = "Versus"
    has_music = True

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

    # Match

    def start_match(self, match_settings: MatchSettings) -> None:
        """Start a match and end the previous one."""
        self._end_match()
        self.match = VersusMatch(
            match_settings, self.window.settings.keys, self.window.sound.play, self.window.settings.has_animation
        )
        self.match.set_explanations(self.shows_thinking)
        self._score_shares = compute_score_shares(self.match)
        self.window.ui.focus = ""

    def rematch(self) -> None:
        """Start a match with the same players and the next seed."""
        if self.match:
            seed = (self.match.settings.seed + 1) % (MAX_SEED + 1)
            self.start_match(self.match.settings._replace(seed=seed, speed=self.match.speed))

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Pass key events to the human player; key releases are also passed to the controls."""
        match = self.match
        human_player = match.human_player if match and not match.is_paused else None
        if human_player is None or human_player.is_out or event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        return human_player.handle_event(event) and event.type == pygame.KEYDOWN

    @property
    def is_moving(self) -> bool:
        """Whether a match is running, or the chosen players are being checked."""
        if self.match is None:
            return not self.setup.validation.is_done
        return not self.match.is_over and not self.match.is_paused

    def update(self, seconds: float) -> None:
        """Advance the match."""
        if self.match is None:
            return
        for message in self.match.update(seconds):
            self.window.show_message(message)
        share = min(1.0, seconds / _LEAD_BAR_SECONDS) if self.window.settings.has_animation else 1.0
        targets = compute_score_shares(self.match)
        self._score_shares = [
            current + (target - current) * share for current, target in zip(self._score_shares, targets, strict=True)
        ]

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        if self.match and not self.match.is_over and not self.match.waiting_message:
            self.match.set_paused()

    def on_leave(self) -> None:
        """End the match and save all games, including unfinished ones."""
        self._end_match()

    def _end_match(self) -> None:
        if self.match:
            for message in self.match.close():
                self.window.show_message(message)
        self.match = None

    def _toggle_thinking(self) -> None:
        self.shows_thinking = not self.shows_thinking
        if self.match:
            self.match.set_explanations(self.shows_thinking)

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the setup or the match."""
        match = self.match
        if match is None:
            screen_area, should_close = draw_header_footer(ui, self.title)
            if match_settings := self.setup.draw(ui, screen_area):
                self.window.sound.play("choose")
                self.start_match(match_settings)
        else:
            chips = [format_rules(match.rules), "Same pieces", f"Seed {match.settings.seed}"]
            screen_area, should_close = draw_header_footer(ui, self.title, chips)
            layout = compute_match_layout(ui.pen, screen_area, match.rules.height, len(match.players))
            draw_match(ui.pen, screen_area, layout, match, settings=self.window.settings, shares=self._score_shares)
            self._draw_footer(ui, screen_area.footer, match)
            should_close = self._draw_overlay(ui, layout, match) or should_close
        if should_close:
            self.window.close_screen()

    def _draw_overlay(self, ui: Ui, layout: MatchLayout, match: VersusMatch) -> bool:
        """Draw the pause or the result over the boards; return whether the screen should be closed."""
        action, restart = "", self._format_key_label("restart")
        if match.is_over:
            headline, lines = describe_result(match)
            action = draw_overlay(
                ui, layout.boards_area, headline, lines, [("Rematch", restart), ("Menu", "Esc")], width=_RESULT_WIDTH
            )
        elif match.is_paused:
            buttons = [("Continue", self._format_key_label("pause")), ("Change players", "")]
            action = draw_overlay(ui, layout.boards_area, "Paused", [], buttons)
            if ui.is_key_pressed("Esc"):
                return True
            if ui.is_key_pressed(restart):
                action = "Rematch"
        if action == "Rematch":
            self.rematch()
        elif action == "Continue":
            match.set_paused(False)
        elif action == "Change players":
            self._end_match()
            ui.request_focus("start")
        return action == "Menu"

    def _format_key_label(self, action: str) -> str:
        return format_key_label(self.window.settings.keys[action])

    def _draw_footer(self, ui: Ui, footer: Box, match: VersusMatch) -> None:
        """Draw the key legend with clickable actions, and a speed slider if only agents play."""
        is_human_playing = match.human_player is not None and not match.human_player.is_out
        available_keys = match.rules.keys.split("+")
        entries = [
            ([self._format_key_label(action) for action in keys if action in available_keys], label)
            for keys, label in (_PLAYER_KEY_LEGEND if is_human_playing else ())
            if any(action in available_keys for action in keys)
        ]
        entries += [
            ([self._format_key_label("pause")], "Pause"),
            ([self._format_key_label("restart")], "Rematch"),
            (["T"], "Thinking"),
        ]
        legend_box = footer.copy()
        if not is_human_playing:
            legend_box.width -= _SPEED_SLIDER_WIDTH
            slider_box = Box(legend_box.right + 16, footer.top, _SPEED_SLIDER_WIDTH - 16, footer.height)
            steps = ui.is_key_pressed("+", "=") - ui.is_key_pressed("-")
            speed = min(MAX_STEPPED_SPEED, change_speed(match.speed, steps)) if steps else match.speed
            match.speed = self.setup.speed = draw_speed_slider(ui, slider_box, speed, max_speed=MAX_STEPPED_SPEED)
        action = draw_key_legend(
            ui, legend_box, entries, 0.5 if is_human_playing else 0.0, ["Pause", "Rematch", "Thinking"]
        )
        if action == "Pause" and not match.is_over and not match.waiting_message:
            match.set_paused()
        elif action == "Rematch":
            self.rematch()
        elif action:
            self._toggle_thinking()
