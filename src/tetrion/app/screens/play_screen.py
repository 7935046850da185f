"""Play screen: a game of a human player with statistics next to the board."""

from pathlib import Path

import pygame

from tetrion.app.game_storage import HUMAN_PLAYER, BestScore, save_best_score, save_game
from tetrion.app.games.hint import HintProvider
from tetrion.app.games.human_game import HumanGame
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.play_panels import (
    FURTHER_FIGURES_HEIGHT,
    HINT_PANEL_HEIGHT,
    NEXT_PANEL_HEIGHT,
    NEXT_STRIP_HEIGHT,
    PIECE_COUNTS_HEIGHT,
    SCORE_PANEL_HEIGHT,
    SCORE_PANEL_HEIGHT_WITHOUT_PROGRESS,
    SCORE_STRIP_HEIGHT,
    SCORE_STRIP_HEIGHT_WITHOUT_PROGRESS,
    compute_bar_scale,
    draw_best_scores,
    draw_clears,
    draw_further_figures,
    draw_next_pieces,
    draw_piece_counts,
    draw_piece_statistics,
    draw_score_and_counters,
    draw_score_strip,
)
from tetrion.app.screens.play_setup import PlaySetup
from tetrion.app.toolkit.header_footer import (
    COMPACT_LAYOUT,
    MEDIUM_LAYOUT,
    WIDE_LAYOUT,
    KeyLegend,
    ScreenArea,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.ui import Ui, format_key_label
from tetrion.app.window import Window
from tetrion.board import Placement
from tetrion.drawing.contours import HINT_CONTOUR, Contour
from tetrion.drawing.pen import Box, FittedBoard
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game

_COLUMN_WIDTHS = {
    WIDE_LAYOUT: 280,
    MEDIUM_LAYOUT: 220,
    COMPACT_LAYOUT: 300,
}  # units; a minimum in the compact layout
GAME_OVER_KEY_DELAY = 0.5  # seconds after the end of a game in which key presses are ignored
GAME_SETUP = "setup"
GAME_RUNNING = "running"
GAME_PAUSED = "paused"
GAME_OVER = "over"
_BAR_ANIMATION_SECONDS = 0.12
_MIN_STATISTICS_HEIGHT = 270  # below these heights, the panels are hidden
_MIN_CLEARS_HEIGHT = 290
_MOVE_ACTIONS = ("left", "right", "rotate", "back", "down", "drop")
_ACTION_LABELS = {"rotate": "Rotate", "back": "Rotate back", "down": "Soft drop", "drop": "Hard drop"}


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
        initial_rules = str(game.rules) if game else rules or settings.play_rules
        self.setup = PlaySetup(initial_rules, settings.level, settings.hint_agent, seed)
        if level is not None:
            self.setup.level = level
        self.state = GAME_SETUP
        self._seconds_since_over = 0.0
        self.human_game: HumanGame | None = None
        self.hint_provider = HintProvider(settings.hint_agent)
        self.saved_file: Path | None = None
        self.rank = 0
        self._bar_shares: dict[str, float] = {}
        if game:
            self._start_game(game, started_here=False)
        elif start:
            self._start_new_game()

    # Game

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle the keys of the game."""
        if self.state == GAME_OVER and event.type == pygame.KEYDOWN and self._seconds_since_over < GAME_OVER_KEY_DELAY:
            return True  # still intended for the game
        if self.state != GAME_RUNNING or not self.human_game:
            return False
        if event.type == pygame.KEYDOWN:
            if self._is_key_for(event, "pause"):
                self._pause()
                return True
            if self._is_key_for(event, "restart"):
                self._restart()
                return True
            if self._is_key_for(event, "hint"):
                self.hint_provider.is_on = not self.hint_provider.is_on
                return True
        return self.human_game.key_input.handle_event(event)

    def _is_key_for(self, event: pygame.event.Event, action: str) -> bool:
        return bool(event.key == pygame.key.key_code(self.window.settings.keys[action]))

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
            self._seconds_since_over += seconds
            human_game.board_animator.update(seconds)
        self._animate_bars(human_game, seconds)
        self.hint_provider.update(human_game.game, self.state == GAME_RUNNING)

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
        self._start_game(Game(rules, setup.choose_seed()), started_here=True)

    def _start_game(self, game: Game, *, started_here: bool) -> None:
        settings = self.window.settings
        self.hint_provider.begin_game(self.setup.hint_agent)
        self.human_game = HumanGame(game, settings.keys, settings.has_animation, is_started_by_human=started_here)
        self.state = GAME_RUNNING
        self.saved_file = None
        self.rank = 0
        self._bar_shares = {}
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
            self.state = GAME_PAUSED
            self.window.sound.pause()

    def _continue(self) -> None:
        self.state = GAME_RUNNING
        self.window.sound.resume()

    def _restart(self) -> None:
        self._save_game()
        self._start_new_game()

    def _end_game(self) -> None:
        self.state = GAME_OVER
        self._seconds_since_over = 0.0
        self._set_music(False)
        self._save_game()

    def _save_game(self) -> None:
        """Save the game and its score, once."""
        human_game = self.human_game
        if not human_game or not human_game.pieces_placed or human_game.is_saved:
            return
        human_game.is_saved = True
        self.saved_file, message = save_game(human_game.game, HUMAN_PLAYER)
        if human_game.is_started_by_human:
            self.rank, score_message = save_best_score(human_game.game)
            message = message or score_message
            self.setup.reload_scores()
        if message:
            self.window.show_message(message)

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        self._pause()

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
        chips = [format_rules(rules)] if rules else []
        if human_game:
            chips.append(f"Seed {human_game.game.seed}")
        screen_area, should_close = draw_header_footer(ui, self.title, chips=chips)
        if human_game:
            self._draw_game(ui, screen_area, human_game)
        else:
            self._draw_setup(ui, screen_area)
        should_close = should_close or (self.state in (GAME_PAUSED, GAME_OVER) and ui.is_key_pressed("Esc"))
        if should_close and self.window.screen is self:
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
            self.window.open_screen_by_name("practice", rules=rules, agent=self.setup.hint_agent)

    def _draw_game(self, ui: Ui, screen_area: ScreenArea, human_game: HumanGame) -> None:
        content, rules = screen_area.content, human_game.game.rules
        column, sides = _COLUMN_WIDTHS[screen_area.layout_size], 1 if screen_area.is_compact else 2
        space = content.width - sides * (column + screen_area.gap)
        fitted = ui.pen.fit_board(Box(content.left, content.top, space, content.height), rules.height, align=0)
        if screen_area.is_compact:
            self._draw_single_column(
                ui, screen_area, Box(fitted.box.right + screen_area.gap, content.top, 0, content.height), human_game
            )
        else:
            total_width = fitted.box.width + 2 * (column + screen_area.gap)
            left = Box(content.left + (content.width - total_width) // 2, content.top, column, content.height)
            fitted = FittedBoard(fitted.cell_size, fitted.box.move(left.right + screen_area.gap - fitted.box.left, 0))
            self._draw_left_column(ui, screen_area, left, human_game)
            right = Box(fitted.box.right + screen_area.gap, content.top, column, content.height)
            self._draw_right_column(ui, screen_area, right, human_game)
        self._draw_board(ui, fitted, human_game)
        draw_key_legend(ui, screen_area.footer, self._make_legend(rules.keys.split("+")))
        self._draw_overlays(ui, fitted.box, human_game)

    def _draw_board(self, ui: Ui, fitted: FittedBoard, human_game: HumanGame) -> None:
        game, settings = human_game.game, self.window.settings
        active = None if game.is_over else game.falling_piece
        ghost = game.ghost if active and settings.ghost else None
        contours: list[tuple[Placement, Contour]] = []
        if self.hint and active:
            contours.append((self.hint, HINT_CONTOUR))
        if ghost in (active, self.hint):
            ghost = None
        human_game.board_animator.draw(
            ui.pen, fitted, human_game.tracker.stack, active=active, ghost=ghost, contours=contours
        )

    def _draw_overlays(self, ui: Ui, board: Box, human_game: HumanGame) -> None:
        keys = self.window.settings.keys
        restart, pause = format_key_label(keys["restart"]), format_key_label(keys["pause"])
        if self.state == GAME_PAUSED:
            action = draw_overlay(ui, board, "Paused", [], [("Continue", pause), ("Restart", restart), ("Menu", "")])
        elif self.state == GAME_OVER:
            buttons = [("Play again", restart), *([("Review", "")] if self.saved_file else []), ("Menu", "")]
            action = draw_overlay(ui, board, "Game over", self._describe_result(human_game), buttons)
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
            f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}",
            *([rank_text] if self.rank else []),
        ]

    # Columns next to the board

    def _draw_left_column(self, ui: Ui, screen_area: ScreenArea, box: Box, human_game: HumanGame) -> None:
        height = SCORE_PANEL_HEIGHT if human_game.level_progress else SCORE_PANEL_HEIGHT_WITHOUT_PROGRESS
        score = Box(box.left, box.top, box.width, height)
        level_share = self._bar_shares.get("level", 0.0)
        draw_score_and_counters(ui.pen, score, human_game, self._get_best_score(), level_share)
        remaining = Box(
            box.left, score.bottom + screen_area.gap, box.width, box.bottom - score.bottom - screen_area.gap
        )
        if remaining.height >= _MIN_STATISTICS_HEIGHT:
            draw_piece_statistics(ui.pen, remaining, human_game, self._bar_shares)

    def _draw_right_column(self, ui: Ui, screen_area: ScreenArea, box: Box, human_game: HumanGame) -> None:
        top = box.top
        if self.state == GAME_OVER:
            best_box = Box(box.left, top, box.width, NEXT_PANEL_HEIGHT + screen_area.gap + HINT_PANEL_HEIGHT)
            draw_best_scores(ui.pen, best_box, self._get_scores(human_game), self.rank)
            top = best_box.bottom + screen_area.gap
        else:
            if human_game.game.rules.preview:
                draw_next_pieces(
                    ui.pen, Box(box.left, top, box.width, NEXT_PANEL_HEIGHT), self._get_next_pieces(human_game)
                )
                top += NEXT_PANEL_HEIGHT + screen_area.gap
            height = HINT_PANEL_HEIGHT if screen_area.layout_size == WIDE_LAYOUT else HINT_PANEL_HEIGHT - 26
            self._draw_hint(
                ui,
                Box(box.left, top, box.width, height),
                human_game,
                show_explanation=screen_area.layout_size == WIDE_LAYOUT,
            )
            top += height + screen_area.gap
        if box.bottom - top >= _MIN_CLEARS_HEIGHT:
            draw_clears(ui.pen, Box(box.left, top, box.width, box.bottom - top), human_game)

    def _draw_single_column(self, ui: Ui, screen_area: ScreenArea, box: Box, human_game: HumanGame) -> None:
        """Draw as many panels as fit in one column, from the left edge of the box."""
        pen, left = ui.pen, box.left
        width, top = screen_area.content.right - left, box.top
        height = SCORE_STRIP_HEIGHT if human_game.level_progress else SCORE_STRIP_HEIGHT_WITHOUT_PROGRESS
        share = self._bar_shares.get("level", 0.0)
        draw_score_strip(pen, Box(left, top, width, height), human_game, self._get_best_score(), share)
        top += height + screen_area.gap
        if self.state == GAME_OVER:
            draw_best_scores(
                pen,
                Box(left, top, width, NEXT_STRIP_HEIGHT + HINT_PANEL_HEIGHT + PIECE_COUNTS_HEIGHT),
                self._get_scores(human_game),
                self.rank,
            )
            return
        if human_game.game.rules.preview:
            draw_next_pieces(pen, Box(left, top, width, NEXT_STRIP_HEIGHT), self._get_next_pieces(human_game))
            top += NEXT_STRIP_HEIGHT + screen_area.gap
        draw_piece_counts(pen, Box(left, top, width, PIECE_COUNTS_HEIGHT), human_game)
        top += PIECE_COUNTS_HEIGHT + screen_area.gap
        self._draw_hint(ui, Box(left, top, width, HINT_PANEL_HEIGHT - 26), human_game, show_explanation=False)
        top += HINT_PANEL_HEIGHT - 26 + screen_area.gap
        if top + FURTHER_FIGURES_HEIGHT <= box.bottom:
            panel = Box(left, top, width, FURTHER_FIGURES_HEIGHT)
            pen.draw_panel(panel)
            draw_further_figures(pen, panel.inflate(-32, -16), human_game)

    def _get_next_pieces(self, human_game: HumanGame) -> str:
        return human_game.game.next[: human_game.game.rules.preview]

    def _draw_hint(self, ui: Ui, box: Box, human_game: HumanGame, *, show_explanation: bool) -> None:
        key = format_key_label(self.window.settings.keys["hint"])
        self.hint_provider.draw(ui, box, human_game.game, key, with_explanation=show_explanation)

    def _get_best_score(self) -> int | None:
        human_game = self.human_game
        if not human_game or not human_game.is_started_by_human:
            return None
        scores = self._get_scores(human_game)
        return scores[0].score if scores else None

    def _get_scores(self, human_game: HumanGame) -> list[BestScore]:
        return self.setup.get_scores(human_game.game.rules)

    def _animate_bars(self, human_game: HumanGame, seconds: float) -> None:
        scale = compute_bar_scale(human_game)
        targets = {letter: count / scale for letter, count in human_game.tracker.piece_counts.items()}
        if progress := human_game.level_progress:
            targets["level"] = progress.lines_done / max(1, progress.lines_total)
        fraction = min(1.0, seconds / _BAR_ANIMATION_SECONDS) if self.window.settings.has_animation else 1.0
        for name, share in targets.items():
            current = self._bar_shares.get(name, 0.0)
            self._bar_shares[name] = share if abs(share - current) < 0.004 else current + (share - current) * fraction

    def _make_legend(self, allowed_actions: list[str]) -> KeyLegend:
        keys = {action: format_key_label(name) for action, name in self.window.settings.keys.items()}
        entries: list[tuple[list[str], str]] = [([keys["left"], keys["right"]], "Move")]
        entries += [
            ([keys[action]], _ACTION_LABELS[action]) for action in _MOVE_ACTIONS[2:] if action in allowed_actions
        ]
        return [*entries, ([keys["hint"]], "Hint"), ([keys["pause"]], "Pause"), ([keys["restart"]], "Restart")]
