"""Versus screen: two to four players on the same pieces."""

from collections.abc import Sequence

import pygame

from tetrion.app.games.agent_game import MAX_STEPPED_SPEED
from tetrion.app.games.human_rules import count_entry_rows
from tetrion.app.games.key_input import GAME_OVER_KEY_DELAY, HeldKeyFilter, is_key_of_action
from tetrion.app.games.versus_match import MatchSettings, VersusMatch, describe_result
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.versus_layout import compute_match_layout
from tetrion.app.screens.versus_panels import compute_score_shares, draw_match
from tetrion.app.screens.versus_setup import MatchChoices, VersusSetup
from tetrion.app.toolkit.header_footer import (
    compute_key_legend_width,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.seed_field import compute_next_seed
from tetrion.app.toolkit.speed_slider import change_speed, draw_speed_slider
from tetrion.app.toolkit.ui import Ui, format_key_label
from tetrion.app.window import Window
from tetrion.app.window_settings import get_main_key
from tetrion.drawing.game_facts import has_attack_layout
from tetrion.drawing.pen import Box

_LEAD_BAR_SECONDS = 0.12  # animation time of the lead bar
_SPEED_SLIDER_WIDTH = 420  # units in the footer
_SHORT_SPEED_SLIDER_WIDTH = 300  # without its label
_RESULT_WIDTH = 340
_NEXT_GAME_KEY = "N"
_SCREEN_NAME = "versus"  # in the choices of the session
_LEGEND_ACTIONS = ("Pause", "Restart", "Next game", "Thinking")  # can be clicked
_PLAYER_KEY_LEGEND = (  # keys of the human player
    (("left", "right"), "Move"),
    (("rotate", "back"), "Rotate"),
    (("half",), "Half turn"),
    (("down",), "Soft drop"),
    (("drop",), "Hard drop"),
    (("hold",), "Hold"),
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
        choices = window.last_choices.get(_SCREEN_NAME) or MatchChoices()
        if players:
            choices = MatchChoices(tuple(players))
        choices = choices._replace(rules=rules or choices.rules, speed=speed or choices.speed)
        self.setup = VersusSetup(choices, seed, starts_when_valid=bool(players))
        self.match: VersusMatch | None = None
        self.shows_thinking = False
        self._score_shares: list[float] = []
        self._held_keys = HeldKeyFilter()
        self._had_overlay = False

    # Match

    def start_match(self, match_settings: MatchSettings) -> None:
        """Start a match and end the previous one."""
        self._end_match()
        self.match = VersusMatch(
            match_settings, self.window.settings.controls, self.window.sound.play, self.window.settings.has_animation
        )
        self.match.set_explanations(self.shows_thinking)
        self._score_shares = compute_score_shares(self.match)
        self.window.ui.focus = ""

    def restart(self) -> None:
        """Start a match with the same players and the same pieces."""
        if self.match:
            self.start_match(self.match.settings._replace(speed=self.match.speed))

    def start_next_game(self) -> None:
        """Start a match with the same players and the next seed."""
        if self.match:
            seed = compute_next_seed(self.match.settings.seed)
            self.start_match(self.match.settings._replace(seed=seed, speed=self.match.speed))

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Pass key events to the human player; key releases are also passed to the controls."""
        self._follow_overlay()
        match = self.match
        if self._held_keys.handle_event(event):
            return True
        human_player = match.human_player if match and not match.is_paused else None
        if match and self._is_human_playing(match) and is_key_of_action(event, self.window.settings.keys, "pause"):
            match.set_paused()
            return True
        if human_player is None or human_player.is_out or event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        return human_player.handle_event(event) and event.type == pygame.KEYDOWN

    def _is_human_playing(self, match: VersusMatch) -> bool:
        """Return whether a human player takes part in the match and it is in progress, so that its pause keys apply."""
        return match.human_player is not None and not (match.is_paused or match.is_over or match.waiting_message)

    def _follow_overlay(self) -> None:
        """Ignore the keys that are down when the match is paused or over, until they are released."""
        match = self.match
        has_overlay = match is not None and (match.is_paused or match.is_over)
        if match and has_overlay and not self._had_overlay:
            self._held_keys.begin(GAME_OVER_KEY_DELAY if match.is_over and match.human_player else 0.0)
        elif not has_overlay:
            self._held_keys.end()
        self._had_overlay = has_overlay

    @property
    def is_moving(self) -> bool:
        """Whether a match is running, or the chosen players are being checked."""
        if self.match is None:
            return not self.setup.validation.is_done
        is_running = not self.match.is_over or any(player.action.lines for player in self.match.players)
        return is_running and not self.match.is_paused

    def update(self, seconds: float) -> None:
        """Advance the match."""
        self._held_keys.update(seconds)
        if self.match is None:
            self.window.ask_about_code(self.setup.validation.take_code_file(), self.setup.validate_again)
            return
        for message in self.match.update(seconds):
            self.window.show_message(message)
        self._follow_overlay()
        share = min(1.0, seconds / _LEAD_BAR_SECONDS) if self.window.settings.has_animation else 1.0
        targets = compute_score_shares(self.match)
        self._score_shares = [
            current + (target - current) * share for current, target in zip(self._score_shares, targets, strict=True)
        ]

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        self._held_keys.release_all()
        if self.match and not self.match.is_over and not self.match.waiting_message:
            self.match.set_paused()

    def on_leave(self) -> None:
        """End the match and save all games, including unfinished ones."""
        self._end_match()

        self.window.last_choices[_SCREEN_NAME] = self.setup.choices

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
            match_settings = self.setup.draw(ui, screen_area)
            if notice := self.setup.take_notice():
                self.window.show_message(notice)
            if match_settings:
                self.window.sound.play("choose")
                self.start_match(match_settings)
        else:
            chips = [format_rules(match.rules), "Same pieces", f"Seed {match.settings.seed}"]
            escape_pauses = self._is_human_playing(match) and "escape" in self.window.settings.keys["pause"]
            back_label = "Pause" if escape_pauses else ""
            screen_area, should_close = draw_header_footer(ui, self.title, chips, back_label=back_label)
            entry_rows = count_entry_rows(match.rules) if match.human_player else 0
            layout = compute_match_layout(
                ui.pen,
                screen_area,
                match.rules.height,
                len(match.players),
                entry_rows=entry_rows,
                has_hold_rows=has_attack_layout(match.rules),
            )
            draw_match(ui.pen, screen_area, layout, match, settings=self.window.settings, shares=self._score_shares)
            self._draw_footer(ui, screen_area.footer, match)
            if should_close and escape_pauses:
                match.set_paused()
                should_close = False
            overlay_area = layout.boards_area.copy()
            overlay_area.height = screen_area.content.bottom - overlay_area.top  # low boards would not contain it
            should_close = self._draw_overlay(ui, overlay_area, match) or should_close
        if should_close:
            self.window.close_screen()

    def _draw_overlay(self, ui: Ui, area: Box, match: VersusMatch) -> bool:
        """Draw the pause or the result over the boards; return whether the screen should be closed."""
        restart = self._format_key_label("restart")
        change_and_close = [("Change players", ""), ("Menu", "Esc")]
        human_player = match.human_player
        review = [("Review", "")] if human_player and human_player.saved_file else []
        action = ""
        if match.is_over:
            headline, lines = describe_result(match)
            again = "Play again" if human_player else "Restart"
            buttons = [("Next game", _NEXT_GAME_KEY), (again, restart), *review, *change_and_close]
            action = draw_overlay(ui, area, headline, lines, buttons, width=_RESULT_WIDTH)
        elif match.is_paused:
            continue_button = ("Continue", self._format_key_label("pause"))
            buttons = [continue_button, ("Restart", restart), *review, *change_and_close]
            action = draw_overlay(ui, area, "Paused", [], buttons)
        if action == "Next game":
            self.start_next_game()
        elif action in ("Restart", "Play again"):
            self.restart()
        elif action == "Continue":
            match.set_paused(False)
        elif action == "Review" and human_player:
            self.window.open_screen_by_name("review", file=str(human_player.saved_file))
        elif action == "Change players":
            self._end_match()
            ui.request_focus("start")
        return action == "Menu"

    def _format_key_label(self, action: str) -> str:
        return format_key_label(get_main_key(self.window.settings.keys[action]))

    def _format_move_keys(self, actions: Sequence[str]) -> list[str]:
        """Return the labels of the keys of actions, those of the gamepad if it was used last."""
        keys = self.window.settings.keys
        is_gamepad = self.window.gamepads.was_used_last
        names = [get_main_key(keys[action], prefers_gamepad=is_gamepad) for action in actions]
        return [format_key_label(name) for name in names if name]

    def _draw_footer(self, ui: Ui, footer: Box, match: VersusMatch) -> None:
        """Draw the key legend with clickable actions, and a speed slider if only agents play."""
        is_human_playing = match.human_player is not None and not match.human_player.is_out
        available_keys = match.rules.keys.split("+")
        pause = self._format_key_label("pause")
        restart = self._format_key_label("restart")
        entries = [
            (self._format_move_keys([action for action in keys if action in available_keys]), label)
            for keys, label in (_PLAYER_KEY_LEGEND if is_human_playing else ())
            if any(action in available_keys for action in keys)
        ]
        entries += [
            ([pause] if pause else [], "Pause"),
            ([restart] if restart else [], "Restart"),
            ([_NEXT_GAME_KEY], "Next game"),
            (["T"], "Thinking"),
        ]
        legend_box = footer.copy()
        if not is_human_playing:
            is_short = compute_key_legend_width(ui.pen, entries, True) > footer.width - _SPEED_SLIDER_WIDTH
            slider_width = _SHORT_SPEED_SLIDER_WIDTH if is_short else _SPEED_SLIDER_WIDTH
            legend_box.width -= slider_width
            slider_box = Box(legend_box.right + 16, footer.top, slider_width - 16, footer.height)
            steps = ui.is_key_pressed("+", "=") - ui.is_key_pressed("-")
            speed = min(MAX_STEPPED_SPEED, change_speed(match.speed, steps)) if steps else match.speed
            match.speed = self.setup.speed = draw_speed_slider(
                ui, slider_box, speed, short=is_short, with_label=not is_short, max_speed=MAX_STEPPED_SPEED
            )
        action = draw_key_legend(ui, legend_box, entries, 0.5 if is_human_playing else 0.0, _LEGEND_ACTIONS)
        if action == "Pause" and not match.is_over and not match.waiting_message:
            match.set_paused()
        elif action == "Restart":
            self.restart()
        elif action == "Next game":
            self.start_next_game()
        elif action == "Thinking":
            self._toggle_thinking()
