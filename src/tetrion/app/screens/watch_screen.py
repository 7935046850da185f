"""Watch screen: an agent plays and shows how it decides."""

import threading
from contextlib import nullcontext

from tetrion.app.engine_loading import COMPILING_ENGINE
from tetrion.app.game_storage import save_game
from tetrion.app.games.agent_game import DEFAULT_AGENT_SPEED, MAX_ANIMATED_SPEED, MAX_SAVED_PIECES, AgentGame
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.watch_board import draw_agent_game
from tetrion.app.screens.watch_panels import WATCH_STRIP_HEIGHT, WatchPanels
from tetrion.app.screens.watch_setup import WatchOptions, WatchSetup, parse_dropped_agent
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button
from tetrion.app.toolkit.header_footer import (
    OVERLAY_WIDTH,
    ScreenArea,
    compute_key_legend_width,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.speed_slider import change_speed, draw_speed_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.candidate_overlay import MAX_SHADED_PLACEMENTS
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, DIM_TEXT, FAINT_TEXT, NORMAL_TEXT, WHITE, mix_colours
from tetrion.drawing.pen import Box, Pen
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.game import Game
from tetrion.stack import Stack

_SIDE_COLUMN_WIDTH = 200  # units
_SHOW_WAITING_AFTER_SECONDS = 0.5  # after this time, the elapsed thinking time is shown
_BACKGROUND_SAVE_PIECES = 2000  # longer games are saved in a background thread
_MAX_ERROR_WIDTH = 420  # units
_MAX_CHIP_WIDTH = 240  # units
_HEADER_SPACE = 160  # units for the logo, the state of autoplay and gaps


class WatchScreen(Screen):
    """Screen with the game of an agent, in single moves or at any speed; `agent` and `rules` are as typed."""

    title = "Watch"
    has_music = True

    def __init__(
        self, window: Window, agent: str = "", rules: str = "", seed: int | None = None, auto: bool = False
    ) -> None:
        super().__init__(window)
        settings = window.settings
        options = (
            WatchOptions(agent, rules, 0)
            if agent
            else WatchOptions(settings.watch_agent, rules or settings.watch_rules, settings.watch_seed)
        )
        self.options = options if seed is None else options._replace(seed=int(seed))
        self.setup = WatchSetup()
        self.shows_thinking = True
        self.speed = DEFAULT_AGENT_SPEED
        self.autoplay = auto
        self.agent_game: AgentGame | None = None
        self.problem = ""
        self._saved_game: Game | None = None
        self._milliseconds_since_lock = 0.0
        self._waited_seconds = 0.0
        self.panels = WatchPanels()
        self._start_game()

    # Game

    def _start_game(self) -> None:
        """Start a game with the chosen options."""
        self._end_game()
        self.problem = ""
        self.panels = WatchPanels()
        try:
            agent, rules = self.options.load()
            self.agent_game = AgentGame(
                agent,
                rules,
                self.options.seed,
                explained_count=self._candidate_count,
                speed=self.speed,
                autoplay=self.autoplay,
            )
        except TetrionError as error:
            self.problem = str(error)

    def _end_game(self) -> None:
        if self.agent_game is not None:
            self.agent_game.close()
            self._save_game(self.agent_game)
            self.agent_game = None

    def _save_game(self, agent_game: AgentGame) -> None:
        """Save a game once; a long game is saved in a background thread."""
        game = agent_game.game
        if game is self._saved_game or not game.pieces:
            return
        self._saved_game = game
        if not agent_game.is_complete:
            self.window.show_message(f"Games of more than {MAX_SAVED_PIECES:,} pieces are not saved.")
        elif game.pieces < _BACKGROUND_SAVE_PIECES:
            self._write_game(game, agent_game.name)
        else:
            threading.Thread(target=self._write_game, args=(game, agent_game.name), name="tetrion-save-game").start()

    def _write_game(self, game: Game, player: str) -> None:
        if message := save_game(game, player)[1]:
            self.window.show_message(message)

    @property
    def _candidate_count(self) -> int:
        return MAX_SHADED_PLACEMENTS if self.shows_thinking else 0

    def restart(self) -> None:
        """Restart the game."""
        if self.agent_game is None:
            self._start_game()
            return
        self.agent_game.stop_fast_play()
        self._save_game(self.agent_game)
        self.agent_game.restart()
        self.panels = WatchPanels()

    def choose_options(self, options: WatchOptions) -> None:
        """Use other options immediately and save them."""
        if options != self.options:
            self.options = options
            self.window.change_settings(watch_agent=options.agent, watch_rules=options.rules, watch_seed=options.seed)
            self._start_game()

    @property
    def is_moving(self) -> bool:
        """Whether the agent decides, a piece moves or rows are cleared."""
        return self.agent_game is not None and self.agent_game.is_moving

    def update(self, seconds: float) -> None:
        """Advance the game."""
        self._milliseconds_since_lock += 1000 * seconds
        if (agent_game := self.agent_game) is None:
            return
        agent_game.explained_count = self._candidate_count
        agent_game.speed = self.speed
        agent_game.autoplay = self.autoplay and not self.setup.is_open
        agent_game.update(seconds)
        self._waited_seconds = self._waited_seconds + seconds if agent_game.is_thinking else 0.0
        if agent_game.locks:
            self._milliseconds_since_lock = 0.0
            if self.speed <= MAX_ANIMATED_SPEED:
                self.window.sound.play(get_lock_sound(agent_game.locks[-1].lines))
            agent_game.locks.clear()
        if agent_game.game.is_over and self._saved_game is not agent_game.game:
            self.window.sound.play("over")
            self._save_game(agent_game)

    def on_leave(self) -> None:
        """End the game and save it."""
        self._end_game()

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the board, its panels and the controls."""
        with self.agent_game.pause_for_drawing() if self.agent_game else nullcontext():
            self._draw_screen(ui)

    def _draw_screen(self, ui: Ui) -> None:
        screen_area, closed_in_header = draw_header_footer(ui, self.title)
        self._draw_chips(ui, screen_area)
        board = self._draw_content(ui, screen_area)
        self._draw_footer(ui, screen_area)
        closed_in_overlay = self._draw_overlays(ui, board)
        if self.setup.is_open:
            self.choose_options(self.setup.draw(ui, self.options))
        if ui.files and not self.setup.is_picking:
            self.choose_options(self.options._replace(agent=parse_dropped_agent(ui.files[-1])))
        self._handle_keys(ui)
        if not ui.focus:
            ui.request_focus("auto" if self.autoplay else "next")
        if closed_in_header or closed_in_overlay:
            self.window.close_screen()
        elif ui.is_key_pressed("Q") and not self.setup.is_open:
            self.window.close()

    def _handle_keys(self, ui: Ui) -> None:
        """Handle keys that have no button, unless the setup is open."""
        if self.setup.is_open:
            return
        for event in ui.keys:
            character = getattr(event, "unicode", "")
            self.speed = change_speed(self.speed, {"+": 1, "=": 1, "-": -1, "−": -1}.get(character, 0))
        if ui.is_key_pressed("T"):
            self.shows_thinking = not self.shows_thinking
        if ui.is_key_pressed("A"):
            self.setup.open(ui)

    def _draw_chips(self, ui: Ui, screen_area: ScreenArea) -> None:
        """Draw autoplay, agent, rules and seed in the header; a click on one of the last three opens the setup.

        Seed and rules are left out if there is too little space.
        """
        pen, middle = ui.pen, 28
        rules = format_rules(self.agent_game.rules) if self.agent_game else self.options.rules or "Rules"
        chips = [("agent", self.agent_name), ("rules", rules), ("seed", f"Seed {self.options.seed}")]
        right = screen_area.content.right - pen.measure_keycap("Esc") - 8 - pen.measure_text("Menu", 14) - 16
        if screen_area.is_compact:
            chip_left = screen_area.content.left + 34 + pen.measure_text(self.title, 17, True) + 16
            self._draw_chip(ui, *chips[0], chip_left + compute_chip_width(pen, *chips[0]), 24)
            draw_autoplay_state(pen, right, 24, self.autoplay)
            return
        space = right - screen_area.content.left - pen.measure_text(f"Tetrion / {self.title}", 17, True)
        space -= _HEADER_SPACE
        while sum(compute_chip_width(pen, *chip) + 8 for chip in chips) > space and len(chips) > 1:
            chips.pop()
        left = right - sum(compute_chip_width(pen, *chip) + 8 for chip in chips) + 8
        draw_autoplay_state(pen, left - 16, middle, self.autoplay)
        for name, text in chips:
            left += compute_chip_width(pen, name, text)
            self._draw_chip(ui, name, text, left, middle)
            left += 8

    def _draw_chip(self, ui: Ui, name: str, text: str, right: int, middle: int) -> None:
        pen, has_dot = ui.pen, name == "agent"
        width = compute_chip_width(pen, name, text)
        shown = pen.truncate_text(text, _MAX_CHIP_WIDTH - 24 - 14 * has_dot, 14)
        box = Box(right - width, middle - 14, width, 28)
        control = ui.add_control(f"{name} chip", box, radius=14)
        pen.draw_chip(right, middle, shown, has_dot)
        if shown != text:
            ui.add_tooltip(box, text, control.is_focused)
        if control.is_hovered:
            pen.draw_outline(box, 14, mix_colours(BOARD_OUTLINE, WHITE, 0.3), 1)
        if control.is_activated:
            self.setup.open(ui, name)

    @property
    def agent_name(self) -> str:
        """Name of the agent."""
        return self.agent_game.name if self.agent_game else self.options.agent

    def _draw_content(self, ui: Ui, screen_area: ScreenArea) -> Box:
        """Draw the content between header and footer; return the box of the board."""
        pen = ui.pen
        content = screen_area.content
        gap = screen_area.gap
        is_wide = screen_area.layout_size == "wide"
        rules = self.agent_game.rules if self.agent_game else Rules.from_preset("standard")
        left = content.left + (_SIDE_COLUMN_WIDTH + gap if is_wide else 0)
        fitted = pen.fit_board(Box(left, content.top, content.right - left - 300, content.height), rules.height, 0)
        if self.agent_game:
            draw_agent_game(
                pen,
                fitted,
                self.agent_game,
                self.window.settings,
                show_thinking=self.shows_thinking,
                milliseconds_since_lock=self._milliseconds_since_lock,
            )
        else:
            draw_board(
                pen.surface, pen.to_pixel_point(fitted.box.topleft), fitted.cell_size, Stack(height=20), style=pen.style
            )
        right_box = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, content.height)
        if self.agent_game is None:
            pen.draw_panel(right_box, "Thinking")
            return fitted.box
        self.panels.update(self.agent_game)
        if is_wide:
            side_box = Box(content.left, content.top, _SIDE_COLUMN_WIDTH, content.height)
            self.panels.draw_side_column(pen, side_box, gap, self.agent_game, self.speed <= MAX_ANIMATED_SPEED)
        else:
            self.panels.draw_strip(
                pen, Box(right_box.left, right_box.top, right_box.width, WATCH_STRIP_HEIGHT), self.agent_game
            )
            right_box = Box(
                right_box.left,
                right_box.top + WATCH_STRIP_HEIGHT + gap,
                right_box.width,
                right_box.height - WATCH_STRIP_HEIGHT - gap,
            )
        time = self._format_thinking_time() if self.shows_thinking else None
        self.panels.draw_thinking_and_heights(pen, right_box, gap, self.agent_game, is_wide=is_wide, thinking_time=time)
        return fitted.box

    def _format_thinking_time(self) -> str:
        """Format how long the agent needed for its decision, or has been deciding."""
        agent_game = self.agent_game
        if agent_game is None or agent_game.problem or agent_game.background_agent.is_compiling:
            return ""
        if self._waited_seconds > _SHOW_WAITING_AFTER_SECONDS:
            return f"deciding for {self._waited_seconds:.0f} s"
        if (seconds := self.panels.thinking_seconds) is None:
            return ""
        return f"{format_number(seconds, 1)} s" if seconds >= 1 else f"{format_number(1000 * seconds, 1)} ms"

    def _draw_footer(self, ui: Ui, screen_area: ScreenArea) -> None:
        """Draw the buttons, the speed slider and the key legend."""
        pen = ui.pen
        footer = screen_area.footer
        is_auto = self.autoplay
        is_over = (
            self.agent_game is None or self.agent_game.game.is_over or bool(self.problem or self.agent_game.problem)
        )
        gap, left = 12, footer.left
        auto_width = max(compute_button_width(pen, label, "Space", "play") for label in ("Autoplay", "Pause")) + 8
        for name, label, key, icon, width in (
            ("next", "Next move", "N", "step", compute_button_width(pen, "Next move", "N", "step") + 8),
            ("auto", "Pause" if is_auto else "Autoplay", "Space", "pause" if is_auto else "play", auto_width),
            ("restart", "Restart", "R", "", compute_button_width(pen, "Restart", "R") + 8),
        ):
            button_box = Box(left, footer.centery - BUTTON_HEIGHT // 2, width, BUTTON_HEIGHT)
            is_enabled = name == "restart" or (not is_over and not (is_auto and name == "next"))
            is_primary = name == ("auto" if is_auto else "next")
            if draw_button(
                ui, name, button_box, label, key=key, icon=icon, is_primary=is_primary, is_enabled=is_enabled
            ):
                self._run_action(name)
            left = button_box.right + gap
        keys = [(["T"], "Thinking"), (["A"], "Agent"), (["Q"], "Quit")]
        min_slider_space = 56 + 120 + 170
        has_legend = (
            not screen_area.is_compact
            and compute_key_legend_width(pen, keys, True) + min_slider_space + 48 <= footer.right - left
        )
        right = footer.right - (compute_key_legend_width(pen, keys, True) + 24 if has_legend else 0)
        slider_box = Box(
            left + (58 if has_legend else 12), footer.top, right - left - (58 if has_legend else 12), footer.height
        )
        self.speed = draw_speed_slider(
            ui, slider_box, self.speed, short=screen_area.is_compact, with_label=not screen_area.is_compact
        )
        if has_legend:
            draw_key_legend(ui, footer, keys, align=1)

    def _run_action(self, name: str) -> None:
        if name == "restart":
            self.restart()
        elif name == "auto":
            self.autoplay = not self.autoplay
        elif self.agent_game is not None:
            self.agent_game.step()

    def _draw_overlays(self, ui: Ui, board: Box) -> bool:
        """Draw an error, the end of the game or a waiting message; return whether to close the screen."""
        agent_game, action = self.agent_game, ""
        problem = self.problem or (agent_game.problem if agent_game else "")
        if self.setup.is_open:
            return False
        if problem:
            lines = [problem, "Press A to choose another agent or other rules."]
            width = max(OVERLAY_WIDTH, min(_MAX_ERROR_WIDTH, board.width - 8))
            action = draw_overlay(ui, board, "An error occurred", lines, [("Restart", "R"), ("Menu", "")], width=width)
        elif agent_game and agent_game.game.is_over:
            game = agent_game.game
            result = f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}"
            action = draw_overlay(ui, board, "Game over", [result], [("Restart", "R"), ("Menu", "")])
        elif agent_game and agent_game.background_agent.is_compiling:
            draw_overlay(ui, board, "Please wait", [COMPILING_ENGINE], [])
        if action == "Restart":
            self.restart()
        return action == "Menu" or ui.is_key_pressed("Esc")


def draw_autoplay_state(pen: Pen, right: int, middle: int, is_on: bool) -> None:
    """Draw whether autoplay is on (Medico's game displays the same), so that the text ends at `right`."""
    text = "Autoplay on" if is_on else "Autoplay off"
    pen.draw_text(text, (right, middle), 14, False, NORMAL_TEXT if is_on else DIM_TEXT, align=1)
    pen.draw_disc((right - pen.measure_text(text, 14) - 12, middle), 4, ACCENT if is_on else FAINT_TEXT)


def compute_chip_width(pen: Pen, name: str, text: str) -> int:
    """Return the width of a header chip."""
    has_dot = name == "agent"
    return pen.measure_chip(pen.truncate_text(text, _MAX_CHIP_WIDTH - 24 - 14 * has_dot, 14), has_dot)
