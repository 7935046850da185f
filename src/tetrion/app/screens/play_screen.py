"""Play: a person's own game, with everything about it beside the board."""

from pathlib import Path

import pygame

from tetrion.app.game_storage import HUMAN_PLAYER, BestScore, save_best_score, save_game
from tetrion.app.games.hint import HintProvider
from tetrion.app.games.human_game import HumanGame
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.play_panels import (
    HINT_PANEL_HEIGHT,
    KEY_FIGURES_HEIGHT,
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
    draw_key_figures,
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
from tetrion.app.toolkit.ui import Ui, get_key_label
from tetrion.app.window import Window
from tetrion.board import Placement
from tetrion.drawing.contours import HINT_CONTOUR, Contour
from tetrion.drawing.pen import Box, FittedBoard
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game

_MIN_COLUMN_WIDTHS = {WIDE_LAYOUT: 280, MEDIUM_LAYOUT: 220, COMPACT_LAYOUT: 300}  # the least for the one column
GAME_OVER_KEY_DELAY = 0.5  # seconds after the end in which keys are still those of the game
GAME_SETUP = "choosing"
GAME_RUNNING = "going"
GAME_PAUSED = "paused"
GAME_OVER = "over"
_BAR_ANIMATION_SECONDS = 0.12  # seconds in which a bar reaches its length
_MIN_STATISTICS_HEIGHT, _MIN_CLEARS_HEIGHT = 270, 290  # heights below which panels hide
_MOVE_ACTIONS = ("left", "right", "rotate", "back", "down", "drop")
_ACTION_LABELS = {"rotate": "Rotate", "back": "Rotate back", "down": "Soft drop", "drop": "Hard drop"}


class PlayScreen(Screen):
    """A person's game: choices first, then the game, paused or over in between.

    `game` is one that goes on; with `start` a new game by the rules begins at once.
    """

    title = "Play"

    def __init__(
        self,
        window: Window,
        rules: str = "",
        seed: int | None = None,
        level: int | None = None,
        start: bool = False,
        game: Game | None = None,
    ) -> None:
        super().__init__(window)
        chosen, wanted = window.settings, str(game.rules) if game else rules
        self.setup = PlaySetup(wanted or chosen.play_rules, chosen.level, chosen.hint_agent, seed)
        if level is not None:
            self.setup.level = level
        self.state = GAME_SETUP
        self._seconds_since_over = 0.0
        self.human_game: HumanGame | None = None
        self.hint_provider = HintProvider(chosen.hint_agent)
        self.saved_file: Path | None = None
        self.rank = 0
        self._bar_shares: dict[str, float] = {}
        if game:
            self._start_game(game, started_here=False)
        elif start:
            self._start_new_game()

    # What happens.

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Take the keys of the game."""
        if self.state == GAME_OVER and event.type == pygame.KEYDOWN and self._seconds_since_over < GAME_OVER_KEY_DELAY:
            return True  # meant for the game
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

    def update(self, seconds: float) -> None:
        """Let the game go on."""
        if self.setup.scores_message:
            self.window.show_message(self.setup.scores_message)
            self.setup.scores_message = ""
        if self.state == GAME_PAUSED:
            self.window.sound.pause()
        playing = self.human_game
        if not playing:
            return
        playing.board_animator.has_animation = self.window.settings.has_animation
        if self.state == GAME_RUNNING:
            for sound in playing.update(seconds):
                self.window.sound.play(sound)
            if playing.game.is_over:
                self._end_game()
        else:
            self._seconds_since_over += seconds
            playing.board_animator.update(seconds)
        self._animate_bars(playing, seconds)
        self.hint_provider.update(playing.game, self.state == GAME_RUNNING)

    @property
    def hint(self) -> Placement | None:
        """Where the agent would play the current piece."""
        return self.hint_provider.get_placement(self.human_game.game) if self.human_game else None

    def _start_new_game(self) -> None:
        """Begin a game by what is chosen, and remember that."""
        if (rules := self.setup.rules) is None:
            return
        chosen = self.setup
        self.window.change_settings(play_rules=chosen.rules_text, level=chosen.level, hint_agent=chosen.hint_agent)
        self._start_game(Game(rules, chosen.choose_seed()), started_here=True)

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
        """Keep the game and its score, once."""
        playing = self.human_game
        if not playing or not playing.pieces_placed or playing.is_saved:
            return
        playing.is_saved = True
        self.saved_file, told = save_game(playing.game, HUMAN_PLAYER)
        if playing.is_started_by_human:
            self.rank, problem = save_best_score(playing.game)
            told = told or problem
            self.setup.reload_scores()
        if told:
            self.window.show_message(told)

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        self._pause()

    def on_return(self) -> None:
        """After practice or a review: scores and settings may have changed."""
        self.setup.reload_scores()

    def on_leave(self) -> None:
        """Keep the game."""
        if self.human_game:
            self.human_game.key_input.release_all()
        self._save_game()
        self.hint_provider.close()
        self.window.sound.resume()

    # What is seen.

    def draw(self, ui: Ui) -> None:
        """Draw the choices or the game."""
        playing = self.human_game
        rules = playing.game.rules if playing else self.setup.rules
        chips = [format_rules(rules)] if rules else []
        if playing:
            chips.append(f"Seed {playing.game.seed}")
        room, leave = draw_header_footer(ui, self.title, chips=chips)
        if playing:
            self._draw_game(ui, room, playing)
        else:
            self._draw_setup(ui, room)
        leave = leave or (self.state in (GAME_PAUSED, GAME_OVER) and ui.is_key_pressed("Esc"))
        if leave and self.window.screen is self:
            self.window.close_screen()

    def _draw_setup(self, ui: Ui, room: ScreenArea) -> None:
        used = self.setup.draw(ui, room)
        if self.setup.rules:
            draw_key_legend(ui, room.footer, self._make_legend(self.setup.rules.keys.split("+")))
        if used:
            self.window.sound.play("choose")
        if used == "start":
            self._start_new_game()
        elif used == "practice":
            rules = str(self.setup.rules or self.window.settings.play_rules)
            self.window.open_screen_by_name("practice", rules=rules, agent=self.setup.hint_agent)

    def _draw_game(self, ui: Ui, room: ScreenArea, human_game: HumanGame) -> None:
        content, rules = room.content, human_game.game.rules
        column, sides = _MIN_COLUMN_WIDTHS[room.layout_size], 1 if room.is_compact else 2
        space = content.width - sides * (column + room.gap)
        fitted = ui.pen.fit_board(Box(content.left, content.top, space, content.height), rules.height, align=0)
        if room.is_compact:
            self._draw_single_column(
                ui, room, Box(fitted.box.right + room.gap, content.top, 0, content.height), human_game
            )
        else:
            whole = fitted.box.width + 2 * (column + room.gap)
            left = Box(content.left + (content.width - whole) // 2, content.top, column, content.height)
            fitted = FittedBoard(fitted.cell_size, fitted.box.move(left.right + room.gap - fitted.box.left, 0))
            self._draw_left_column(ui, room, left, human_game)
            right = Box(fitted.box.right + room.gap, content.top, column, content.height)
            self._draw_right_column(ui, room, right, human_game)
        self._draw_board(ui, fitted, human_game)
        draw_key_legend(ui, room.footer, self._make_legend(rules.keys.split("+")))
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
            used = draw_overlay(ui, board, "Paused", [], [("Continue", pause), ("Restart", restart), ("Menu", "")])
        elif self.state == GAME_OVER:
            buttons = [("Play again", restart), *([("Review", "")] if self.saved_file else []), ("Menu", "")]
            used = draw_overlay(ui, board, "Game over", self._describe_result(human_game), buttons)
        else:
            return
        if used:
            self.window.sound.play("choose")
        if used == "Continue":
            self._continue()
        elif used in ("Restart", "Play again"):
            self._restart()
        elif used == "Review":
            self.window.open_screen_by_name("review", file=self.saved_file)
        elif used == "Menu":
            self.window.close_screen()

    def _describe_result(self, human_game: HumanGame) -> list[str]:
        game = human_game.game
        place = "Your best game" if self.rank == 1 else f"Number {self.rank} of your best games"
        return [
            f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}",
            *([place] if self.rank else []),
        ]

    # The columns beside the board.

    def _draw_left_column(self, ui: Ui, room: ScreenArea, box: Box, human_game: HumanGame) -> None:
        high = SCORE_PANEL_HEIGHT if human_game.level_progress else SCORE_PANEL_HEIGHT_WITHOUT_PROGRESS
        score = Box(box.left, box.top, box.width, high)
        draw_score_and_counters(
            ui.pen, score, human_game, human_game.game.level, self._get_best_score(), self._bar_shares.get("level", 0.0)
        )
        rest = Box(box.left, score.bottom + room.gap, box.width, box.bottom - score.bottom - room.gap)
        if rest.height >= _MIN_STATISTICS_HEIGHT:
            draw_piece_statistics(ui.pen, rest, human_game, self._bar_shares)

    def _draw_right_column(self, ui: Ui, room: ScreenArea, box: Box, human_game: HumanGame) -> None:
        top = box.top
        if self.state == GAME_OVER:
            best = Box(box.left, top, box.width, NEXT_PANEL_HEIGHT + room.gap + HINT_PANEL_HEIGHT)
            draw_best_scores(ui.pen, best, self._get_scores(human_game), self.rank)
            top = best.bottom + room.gap
        else:
            if human_game.game.rules.preview:
                draw_next_pieces(
                    ui.pen, Box(box.left, top, box.width, NEXT_PANEL_HEIGHT), self._get_next_pieces(human_game)
                )
                top += NEXT_PANEL_HEIGHT + room.gap
            high = HINT_PANEL_HEIGHT if room.layout_size == WIDE_LAYOUT else HINT_PANEL_HEIGHT - 26
            self._draw_hint(
                ui, Box(box.left, top, box.width, high), human_game, show_explanation=room.layout_size == WIDE_LAYOUT
            )
            top += high + room.gap
        if box.bottom - top >= _MIN_CLEARS_HEIGHT:
            draw_clears(ui.pen, Box(box.left, top, box.width, box.bottom - top), human_game)

    def _draw_single_column(self, ui: Ui, room: ScreenArea, box: Box, human_game: HumanGame) -> None:
        """Everything in one column, as far as there is room; its box has no width yet."""
        pen, left = ui.pen, box.left
        wide, top = room.content.right - left, box.top
        high = SCORE_STRIP_HEIGHT if human_game.level_progress else SCORE_STRIP_HEIGHT_WITHOUT_PROGRESS
        share = self._bar_shares.get("level", 0.0)
        draw_score_strip(
            pen, Box(left, top, wide, high), human_game, human_game.game.level, self._get_best_score(), share
        )
        top += high + room.gap
        if self.state == GAME_OVER:
            draw_best_scores(
                pen,
                Box(left, top, wide, NEXT_STRIP_HEIGHT + HINT_PANEL_HEIGHT + PIECE_COUNTS_HEIGHT),
                self._get_scores(human_game),
                self.rank,
            )
            return
        if human_game.game.rules.preview:
            draw_next_pieces(pen, Box(left, top, wide, NEXT_STRIP_HEIGHT), self._get_next_pieces(human_game))
            top += NEXT_STRIP_HEIGHT + room.gap
        draw_piece_counts(pen, Box(left, top, wide, PIECE_COUNTS_HEIGHT), human_game)
        top += PIECE_COUNTS_HEIGHT + room.gap
        self._draw_hint(ui, Box(left, top, wide, HINT_PANEL_HEIGHT - 26), human_game, show_explanation=False)
        top += HINT_PANEL_HEIGHT - 26 + room.gap
        if top + KEY_FIGURES_HEIGHT <= box.bottom:
            panel = Box(left, top, wide, KEY_FIGURES_HEIGHT)
            pen.draw_panel(panel)
            draw_key_figures(pen, panel.inflate(-32, -16), human_game)

    def _get_next_pieces(self, human_game: HumanGame) -> str:
        return human_game.game.next[: human_game.game.rules.preview]

    def _draw_hint(self, ui: Ui, box: Box, human_game: HumanGame, *, show_explanation: bool) -> None:
        key = format_key_label(self.window.settings.keys["hint"])
        self.hint_provider.draw(ui, box, human_game.game, key, with_explanation=show_explanation)

    def _get_best_score(self) -> int | None:
        playing = self.human_game
        if not playing or not playing.is_started_by_human:
            return None
        scores = self._get_scores(playing)
        return scores[0].score if scores else None

    def _get_scores(self, human_game: HumanGame) -> list[BestScore]:
        return self.setup.get_scores(human_game.game.rules)

    def _animate_bars(self, human_game: HumanGame, seconds: float) -> None:
        scale = compute_bar_scale(human_game)
        wanted = {letter: count / scale for letter, count in human_game.tracker.piece_counts.items()}
        if progress := human_game.level_progress:
            wanted["level"] = progress.lines_done / max(1, progress.lines_total)
        part = min(1.0, seconds / _BAR_ANIMATION_SECONDS) if self.window.settings.has_animation else 1.0
        for name, share in wanted.items():
            now = self._bar_shares.get(name, 0.0)
            self._bar_shares[name] = share if abs(share - now) < 0.004 else now + (share - now) * part

    def _make_legend(self, allowed_actions: list[str]) -> KeyLegend:
        keys = {action: format_key_label(name) for action, name in self.window.settings.keys.items()}
        entries: list[tuple[list[str], str]] = [([keys["left"], keys["right"]], "Move")]
        entries += [
            ([keys[action]], _ACTION_LABELS[action]) for action in _MOVE_ACTIONS[2:] if action in allowed_actions
        ]
        return [*entries, ([keys["hint"]], "Hint"), ([keys["pause"]], "Pause"), ([keys["restart"]], "Restart")]


def format_key_label(name: str) -> str:
    """What stands on the keycap of a key by its name."""
    return get_key_label(pygame.key.key_code(name))
