"""Play screen: a game of a human player with statistics next to the board."""

from pathlib import Path

import pygame

from tetrion.app.game_storage import HUMAN_PLAYER, save_best_score, save_game
from tetrion.app.games.hint import HintProvider
from tetrion.app.games.human_game import HumanGame
from tetrion.app.games.human_rules import count_entry_rows, reset_handling
from tetrion.app.games.key_input import GAME_OVER_KEY_DELAY, HeldKeyFilter, is_key_of_action
from tetrion.app.picker_options import choose_hint_agent, format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.play_columns import GameColumns, GameSummary
from tetrion.app.screens.play_setup import PlaySetup
from tetrion.app.toolkit.header_footer import (
    COMPACT_LAYOUT,
    MEDIUM_LAYOUT,
    OVERLAY_WIDTH,
    WIDE_LAYOUT,
    KeyLegend,
    ScreenArea,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.seed_field import SeedChoice
from tetrion.app.toolkit.ui import Ui, format_key_label
from tetrion.app.window import Window
from tetrion.app.window_settings import AUTOMATIC_AGENT, get_main_key
from tetrion.board import Placement
from tetrion.drawing.contours import HINT_CONTOUR, Contour
from tetrion.drawing.game_facts import describe_end
from tetrion.drawing.pen import Box, FittedBoard
from tetrion.drawing.side_panels import draw_action_on_board, draw_garbage_meter
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game

_COLUMN_WIDTHS = {
    WIDE_LAYOUT: 280,
    MEDIUM_LAYOUT: 220,
    COMPACT_LAYOUT: 300,
}  # units; a minimum in the compact layout
GAME_SETUP = "setup"
GAME_RUNNING = "running"
GAME_PAUSED = "paused"
GAME_OVER = "over"
_REVIEW_KEY = "V"  # after the end of a game
_MIN_OVERLAY_WIDTH = 224  # an overlay is not wider than the board, except over a narrow board
_ESC_KEY = "escape"  # the name of the key that leads back to the menu
_ACTION_LABELS = {
    "rotate": "Rotate",
    "back": "Rotate back",
    "half": "Half turn",
    "down": "Soft drop",
    "drop": "Hard drop",
    "hold": "Hold",
}


class PlayScreen(Screen):
    """Screen with the setup and the game of a human player.

    `game` is a game to continue; with `start`, a new game with the given rules starts immediately.
    """

    title = "Play"

    def __init__(
        self,
        window: Window,
        *,
        rules: str = "",
        seed: int | None = None,
        level: int | None = None,
        start: bool = False,
        game: Game | None = None,
    ) -> None:
        super().__init__(window)
        settings = window.settings
        initial_rules = str(reset_handling(game.rules)) if game else rules or settings.play_rules
        self.setup = PlaySetup(initial_rules, settings.level, settings.hint_agent, SeedChoice.from_seed(seed))
        if level is not None:
            self.setup.level = level
        self.state = GAME_SETUP
        self.human_game: HumanGame | None = None
        self._held_keys = HeldKeyFilter()
        self._columns = GameColumns()
        self.hint_provider = HintProvider(settings.hint_agent)
        self.saved_file: Path | None = None
        self.rank = 0
        if game:
            self._start_game(game, started_here=False)
        elif start:
            self._start_new_game()

    # Game

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle the keys of the game, and the keys of the overlays; Esc leads from an overlay to the menu."""
        if self._held_keys.handle_event(event):
            return True
        human_game = self.human_game
        if not human_game:
            return False
        if event.type == pygame.KEYDOWN and self._handle_action_key(event):
            return True
        return self.state == GAME_RUNNING and human_game.key_input.handle_event(event)

    def _handle_action_key(self, event: pygame.event.Event) -> bool:
        """Pause, continue, restart or turn hints on or off; return whether the key is used."""
        if self._is_key_for(event, "pause") and self.state == GAME_RUNNING:
            self._pause()
        elif self._is_key_for(event, "pause") and self.state == GAME_PAUSED and event.key != pygame.K_ESCAPE:
            self._continue()
        elif self._is_key_for(event, "restart"):
            self._restart()
        elif self._is_key_for(event, "hint") and self.state == GAME_RUNNING:
            self.hint_provider.is_on = not self.hint_provider.is_on
        else:
            return False
        return True

    def _is_key_for(self, event: pygame.event.Event, action: str) -> bool:
        return is_key_of_action(event, self.window.settings.keys, action)

    @property
    def is_moving(self) -> bool:
        """Whether a game is running."""
        return self.state == GAME_RUNNING

    def update(self, seconds: float) -> None:
        """Advance the game and the animations."""
        if self.setup.scores_message:
            self.window.show_message(self.setup.scores_message)
            self.setup.scores_message = ""
        if self.state == GAME_PAUSED:
            self.window.sound.pause()
        self._held_keys.update(seconds)
        human_game = self.human_game
        if not human_game:
            return
        human_game.board_animator.has_animation = self.window.settings.has_animation
        if self.state == GAME_RUNNING:
            for sound in human_game.update(seconds):
                self.window.sound.play(sound)
            if human_game.game.is_over:
                self._end_game()
        else:
            human_game.update_animation(seconds)
        self._columns.animate_bars(human_game, seconds, self.window.settings.has_animation)
        self.hint_provider.update(human_game.game, self.state == GAME_RUNNING)
        self.window.ask_about_code(self.hint_provider.adviser.take_code_file(), self.hint_provider.restart)

    @property
    def hint(self) -> Placement | None:
        """Placement that the hint agent recommends for the current piece, or None."""
        return self.hint_provider.get_placement(self.human_game.game) if self.human_game else None

    def _start_new_game(self) -> None:
        """Start a game with the chosen setup, and save the setup."""
        if (rules := self.setup.rules) is None:
            return
        setup = self.setup
        self.window.change_settings(play_rules=setup.rules_text, level=setup.level, hint_agent=setup.hint_agent)
        rules = self.window.settings.controls.apply_to(rules)
        self._start_game(Game(rules, setup.choose_seed()), started_here=True)

    def _start_game(self, game: Game, *, started_here: bool) -> None:
        settings = self.window.settings
        self.hint_provider.begin_game(choose_hint_agent(self.setup.hint_agent, game.rules))
        self.human_game = HumanGame(game, settings.keys, settings.has_animation, is_started_by_human=started_here)
        self.state = GAME_RUNNING
        self.saved_file = None
        self.rank = 0
        self._columns = GameColumns()
        self._held_keys.end()
        self._set_music(True)
        if game.is_over:
            self._end_game()

    def _set_music(self, on: bool) -> None:
        self.has_music = on
        self.window.sound.resume()
        self.window.apply_sound()

    def _pause(self) -> None:
        if self.state == GAME_RUNNING and self.human_game:
            self.human_game.key_input.release_all()
            self._held_keys.begin()
            self.state = GAME_PAUSED
            self.window.sound.pause()

    def _continue(self) -> None:
        self.state = GAME_RUNNING
        self._held_keys.end()
        self.window.sound.resume()

    def _restart(self) -> None:
        self._save_game()
        self._start_new_game()

    def _end_game(self) -> None:
        self.state = GAME_OVER
        self._held_keys.begin(GAME_OVER_KEY_DELAY)
        self._set_music(False)
        self._save_game()

    def _save_game(self) -> None:
        """Save the game once, and the score if it is finished; a game that is given up has no score."""
        human_game = self.human_game
        if not human_game or human_game.is_saved:
            return
        human_game.is_saved = True
        message = ""
        if human_game.pieces_placed:
            self.saved_file, message = save_game(human_game.game, HUMAN_PLAYER)
        if human_game.is_started_by_human and human_game.game.is_over:
            self.rank, score_message = save_best_score(human_game.game)
            message = message or score_message
            self.setup.reload_scores()
        if message:
            self.window.show_message(message)

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        self._pause()
        self._held_keys.release_all()

    def on_return(self) -> None:
        """Reload the best scores, which may have changed."""
        self.setup.reload_scores()

    def on_leave(self) -> None:
        """Save the game."""
        if self.human_game:
            self.human_game.key_input.release_all()
        self._save_game()
        self.hint_provider.close()
        self.window.sound.resume()

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the setup or the game."""
        human_game = self.human_game
        rules = human_game.game.rules if human_game else self.setup.rules
        chips = [format_rules(reset_handling(rules))] if rules else []
        if human_game:
            chips.append(f"Seed {human_game.game.seed}")
        escape_pauses = self.state == GAME_RUNNING and _ESC_KEY in self.window.settings.keys["pause"]
        back_label = "Pause" if escape_pauses else ""
        screen_area, should_close = draw_header_footer(ui, self.title, chips=chips, back_label=back_label)
        if human_game:
            self._draw_game(ui, screen_area, human_game)
        else:
            self._draw_setup(ui, screen_area)
        should_close = should_close or (self.state in (GAME_PAUSED, GAME_OVER) and ui.is_key_pressed("Esc"))
        if should_close and escape_pauses:
            self._pause()
        elif should_close and self.window.screen is self:
            self.window.close_screen()

    def _draw_setup(self, ui: Ui, screen_area: ScreenArea) -> None:
        action = self.setup.draw(ui, screen_area)
        if self.setup.rules:
            draw_key_legend(ui, screen_area.footer, self._make_legend(self.setup.rules.keys.split("+")))
        if action:
            self.window.sound.play("choose")
        if action == "start":
            self._start_new_game()
        elif action == "practice":
            rules = str(self.setup.rules or self.window.settings.play_rules)
            agent = "" if self.setup.hint_agent == AUTOMATIC_AGENT else self.setup.hint_agent
            self.window.open_screen_by_name("practice", rules=rules, agent=agent)

    def _draw_game(self, ui: Ui, screen_area: ScreenArea, human_game: HumanGame) -> None:
        content, rules = screen_area.content, human_game.game.rules
        column, sides = _COLUMN_WIDTHS[screen_area.layout_size], 1 if screen_area.is_compact else 2
        space = content.width - sides * (column + screen_area.gap)
        board_space = Box(content.left, content.top, space, content.height)
        fitted = ui.pen.fit_board(board_space, rules.height, align=0, entry_rows=count_entry_rows(rules))
        summary = self._make_summary(human_game)
        if screen_area.is_compact:
            column_box = Box(fitted.box.right + screen_area.gap, content.top, 0, content.height)
            self._columns.draw_single(ui, screen_area, column_box, summary)
        else:
            total_width = fitted.box.width + 2 * (column + screen_area.gap)
            left = Box(content.left + (content.width - total_width) // 2, content.top, column, content.height)
            fitted = fitted._replace(box=fitted.box.move(left.right + screen_area.gap - fitted.box.left, 0))
            self._columns.draw_left(ui, screen_area, left, summary)
            right = Box(fitted.box.right + screen_area.gap, content.top, column, content.height)
            self._columns.draw_right(ui, screen_area, right, summary)
        self._draw_board(ui, fitted, human_game)
        draw_key_legend(ui, screen_area.footer, self._make_legend(rules.keys.split("+")))
        covered = Box(fitted.box.left, content.top, fitted.box.width, fitted.box.bottom - content.top)
        self._draw_overlays(ui, covered, human_game)

    def _make_summary(self, human_game: HumanGame) -> GameSummary:
        return GameSummary(
            human_game,
            self.hint_provider,
            self._get_key_label("hint") or "Hint",
            self.setup.get_scores(human_game.game.rules),
            is_over=self.state == GAME_OVER,
            rank=self.rank,
        )

    def _draw_board(self, ui: Ui, fitted: FittedBoard, human_game: HumanGame) -> None:
        game, settings = human_game.game, self.window.settings
        active = None if game.is_over else game.falling_piece
        ghost = game.ghost if active and settings.ghost else None
        contours: list[tuple[Placement, Contour]] = []
        if self.hint and active:
            contours.append((self.hint, HINT_CONTOUR))
        if ghost in (active, self.hint):
            ghost = None
        draw_garbage_meter(ui.pen, fitted.box, fitted.cell_size, game.position)
        human_game.board_animator.draw(
            ui.pen, fitted, human_game.tracker.stack, active=active, ghost=ghost, contours=contours
        )
        if not game.rules.hold:  # otherwise the hold box shows the action text
            strength = human_game.action.get_strength(settings.has_animation)
            draw_action_on_board(ui.pen, fitted.box, human_game.action.lines, strength)

    def _draw_overlays(self, ui: Ui, board: Box, human_game: HumanGame) -> None:
        restart, pause = self._get_key_label("restart"), self._get_key_label("pause")
        width = max(_MIN_OVERLAY_WIDTH, min(OVERLAY_WIDTH, board.width))
        if self.state == GAME_PAUSED:
            buttons = [("Continue", "" if pause == "Esc" else pause), ("Restart", restart), ("Menu", "Esc")]
            action = draw_overlay(ui, board, "Paused", [], buttons, width=width)
        elif self.state == GAME_OVER:
            buttons = [
                ("Play again", restart),
                *([("Review", _REVIEW_KEY)] if self.saved_file else []),
                ("Menu", "Esc"),
            ]
            action = draw_overlay(ui, board, "Game over", self._describe_result(human_game), buttons, width=width)
        else:
            return
        if action:
            self.window.sound.play("choose")
        if action == "Continue":
            self._continue()
        elif action in ("Restart", "Play again"):
            self._restart()
        elif action == "Review":
            self.window.open_screen_by_name("review", file=self.saved_file)
        elif action == "Menu":
            self.window.close_screen()

    def _describe_result(self, human_game: HumanGame) -> list[str]:
        game = human_game.game
        rank_text = "Your best game" if self.rank == 1 else f"Rank {self.rank} of your best games"
        return [
            *([reason] if (reason := describe_end(game)) else []),
            f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}",
            *([rank_text] if self.rank else []),
        ]

    def _get_key_label(self, action: str) -> str:
        """Return the label of the key of an action, or of the gamepad button if the gamepad was used last."""
        names = self.window.settings.keys[action]
        return format_key_label(get_main_key(names, prefers_gamepad=self.window.gamepads.was_used_last))

    def _make_legend(self, allowed_actions: list[str]) -> KeyLegend:
        groups = [(["left", "right"], "Move")]
        groups += [([action], label) for action, label in _ACTION_LABELS.items() if action in allowed_actions]
        groups += [(["hint"], "Hint"), (["pause"], "Pause"), (["restart"], "Restart")]
        entries = [([self._get_key_label(action) for action in actions], label) for actions, label in groups]
        return [(labels, text) for labels, text in entries if all(labels)]
