"""Watch: an agent plays and shows its reasons."""

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
from tetrion.drawing.palette import BOARD_OUTLINE, WHITE, mix_colours
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.stack import Stack
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.game import Game

_SIDE_COLUMN_WIDTH = 200  # units
_SHOW_WAITING_AFTER_SECONDS = 0.5  # seconds after which an agent that still decides is spoken of
_BACKGROUND_SAVE_PIECES = 2000  # pieces, from which on a game is written beside the window
_MAX_ERROR_WIDTH, _MAX_CHIP_WIDTH = 420, 240  # units


class WatchScreen(Screen):
    """An agent's game, move by move or by thousands; `agent` and `rules` are as a person types them."""

    title = "Watch"
    has_music = True

    def __init__(
        self, window: Window, agent: str = "", rules: str = "", seed: int | None = None, auto: bool = False
    ) -> None:
        super().__init__(window)
        chosen = window.settings
        known = (
            WatchOptions(agent, rules, 0)
            if agent
            else WatchOptions(chosen.watch_agent, rules or chosen.watch_rules, chosen.watch_seed)
        )
        self.options = known if seed is None else known._replace(seed=int(seed))
        self.setup = WatchSetup()
        self.shows_thinking = True
        self.speed = DEFAULT_AGENT_SPEED
        self.autoplay = auto
        self.agent_game: AgentGame | None = None
        self.problem = ""
        self._saved_game: Game | None = None
        self._milliseconds_since_lock = self._waited_seconds = 0.0
        self.panels = WatchPanels()
        self._start_game()

    # The game.

    def _start_game(self) -> None:
        """Begin a game with who is chosen."""
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
        except TetrionError as mistake:
            self.problem = str(mistake)

    def _end_game(self) -> None:
        if self.agent_game is not None:
            self.agent_game.close()
            self._save_game(self.agent_game)
            self.agent_game = None

    def _save_game(self, agent_game: AgentGame) -> None:
        """Keep a game once, as far as it has come; a long one is written by somebody else."""
        game = agent_game.game
        if game is self._saved_game or not game.pieces:
            return
        self._saved_game = game
        if not agent_game.is_complete:
            self.window.show_message(f"A game of more than {MAX_SAVED_PIECES:,} pieces is not kept.")
        elif game.pieces < _BACKGROUND_SAVE_PIECES:
            self._write_game(game, agent_game.name)
        else:
            threading.Thread(target=self._write_game, args=(game, agent_game.name), name="tetrion-save-game").start()

    def _write_game(self, game: Game, player: str) -> None:
        if told := save_game(game, player)[1]:
            self.window.show_message(told)

    @property
    def _candidate_count(self) -> int:
        return MAX_SHADED_PLACEMENTS if self.shows_thinking else 0

    def restart(self) -> None:
        """Begin the game anew."""
        if self.agent_game is None:
            self._start_game()
            return
        self.agent_game.stop_fast_play()
        self._save_game(self.agent_game)
        self.agent_game.restart()
        self.panels = WatchPanels()

    def choose_options(self, options: WatchOptions) -> None:
        """Let somebody else play, at once; who it is is remembered."""
        if options != self.options:
            self.options = options
            self.window.change_settings(watch_agent=options.agent, watch_rules=options.rules, watch_seed=options.seed)
            self._start_game()

    def update(self, seconds: float) -> None:
        """Let the game go on."""
        self._milliseconds_since_lock += 1000 * seconds
        if (seat := self.agent_game) is None:
            return
        seat.explained_count = self._candidate_count
        seat.speed = self.speed
        seat.autoplay = self.autoplay and not self.setup.is_open
        seat.update(seconds)
        self._waited_seconds = self._waited_seconds + seconds if seat.is_thinking else 0.0
        if seat.locks:
            self._milliseconds_since_lock = 0.0
            if self.speed <= MAX_ANIMATED_SPEED:
                self.window.sound.play(get_lock_sound(seat.locks[-1].lines))
            seat.locks.clear()
        if seat.game.is_over and self._saved_game is not seat.game:
            self.window.sound.play("over")
            self._save_game(seat)

    def on_leave(self) -> None:
        """End the game, and keep it."""
        self._end_game()

    # What is seen.

    def draw(self, ui: Ui) -> None:
        """Draw the board, the panels around it and the controls."""
        with self.agent_game.pause_for_drawing() if self.agent_game else nullcontext():
            self._draw_screen(ui)

    def _draw_screen(self, ui: Ui) -> None:
        room, leave = draw_header_footer(ui, self.title)
        self._draw_chips(ui, room)
        board = self._draw_content(ui, room)
        self._draw_footer(ui, room)
        left = self._draw_overlays(ui, board)
        if self.setup.is_open:
            self.choose_options(self.setup.draw(ui, self.options))
        if ui.files and not self.setup.is_picking:
            self.choose_options(self.options._replace(agent=parse_dropped_agent(ui.files[-1])))
        self._handle_keys(ui)
        if not ui.focus:
            ui.request_focus("auto" if self.autoplay else "next")
        if leave or left:
            self.window.close_screen()
        elif ui.is_key_pressed("Q") and not self.setup.is_open:
            self.window.close()

    def _handle_keys(self, ui: Ui) -> None:
        """Keys that have no button, while nobody types."""
        if self.setup.is_open:
            return
        for event in ui.keys:
            sign = getattr(event, "unicode", "")
            self.speed = change_speed(self.speed, {"+": 1, "=": 1, "-": -1, "−": -1}.get(sign, 0))
        if ui.is_key_pressed("T"):
            self.shows_thinking = not self.shows_thinking
        if ui.is_key_pressed("A"):
            self.setup.open(ui)

    def _draw_chips(self, ui: Ui, room: ScreenArea) -> None:
        """Who plays, by which rules, with which pieces: in the header, to be changed by a click."""
        pen, middle = ui.pen, 28
        rules = format_rules(self.agent_game.rules) if self.agent_game else self.options.rules or "Rules"
        chips = [("agent", self.agent_name), ("rules", rules), ("seed", f"Seed {self.options.seed}")]
        if room.is_compact:
            place = room.content.left + 34 + pen.measure_text(self.title, 17, True) + 16
            self._draw_chip(ui, *chips[0], place + compute_chip_width(pen, *chips[0]), 24)
            return
        right = room.content.right - pen.measure_keycap("Esc") - 8 - pen.measure_text("Menu", 14) - 16
        left = right - sum(compute_chip_width(pen, *chip) + 8 for chip in chips) + 8
        for name, words in chips:
            left += compute_chip_width(pen, name, words)
            self._draw_chip(ui, name, words, left, middle)
            left += 8

    def _draw_chip(self, ui: Ui, name: str, words: str, right: int, middle: int) -> None:
        pen, dot = ui.pen, name == "agent"
        wide = compute_chip_width(pen, name, words)
        words = pen.truncate_text(words, _MAX_CHIP_WIDTH - 24 - 14 * dot, 14)
        box = Box(right - wide, middle - 14, wide, 28)
        touch = ui.add_control(f"{name} chip", box, radius=14)
        pen.draw_chip(right, middle, words, dot)
        if touch.is_hovered:
            pen.draw_outline(box, 14, mix_colours(BOARD_OUTLINE, WHITE, 0.3), 1)
        if touch.is_activated:
            self.setup.open(ui, name)

    @property
    def agent_name(self) -> str:
        """The agent's name."""
        return self.agent_game.name if self.agent_game else self.options.agent

    def _draw_content(self, ui: Ui, room: ScreenArea) -> Box:
        """Draw what lies between header and footer; gives back where the board is."""
        pen = ui.pen
        content = room.content
        gap = room.gap
        wide = room.layout_size == "wide"
        rules = self.agent_game.rules if self.agent_game else Rules.from_preset("standard")
        left = content.left + (_SIDE_COLUMN_WIDTH + gap if wide else 0)
        fitted = pen.fit_board(Box(left, content.top, content.right - left - 300, content.height), rules.height, 0)
        if self.agent_game:
            draw_agent_game(
                pen, fitted, self.agent_game, self.window.settings, self.shows_thinking, self._milliseconds_since_lock
            )
        else:
            draw_board(
                pen.surface, pen.to_pixel_point(fitted.box.topleft), fitted.cell_size, Stack(height=20), style=pen.style
            )
        rest = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, content.height)
        if self.agent_game is None:
            pen.draw_panel(rest, "Thinking")
            return fitted.box
        self.panels.update(self.agent_game)
        if wide:
            side = Box(content.left, content.top, _SIDE_COLUMN_WIDTH, content.height)
            self.panels.draw_side_column(pen, side, gap, self.agent_game, self.speed <= MAX_ANIMATED_SPEED)
        else:
            self.panels.draw_strip(pen, Box(rest.left, rest.top, rest.width, WATCH_STRIP_HEIGHT), self.agent_game)
            rest = Box(
                rest.left, rest.top + WATCH_STRIP_HEIGHT + gap, rest.width, rest.height - WATCH_STRIP_HEIGHT - gap
            )
        time = self._format_thinking_time() if self.shows_thinking else None
        self.panels.draw_thinking_and_heights(pen, rest, gap, wide, self.agent_game, time)
        return fitted.box

    def _format_thinking_time(self) -> str:
        """How long the agent has thought, or still does."""
        seat = self.agent_game
        if seat is None or seat.problem or seat.background_agent.is_compiling:
            return ""
        if self._waited_seconds > _SHOW_WAITING_AFTER_SECONDS:
            return f"deciding since {self._waited_seconds:.0f} s"
        if (seconds := self.panels.thinking_seconds) is None:
            return ""
        return f"{format_number(seconds, 1)} s" if seconds >= 1 else f"{format_number(1000 * seconds, 1)} ms"

    def _draw_footer(self, ui: Ui, room: ScreenArea) -> None:
        """Buttons, the speed, and keys without a button."""
        pen = ui.pen
        footer = room.footer
        auto = self.autoplay
        over = self.agent_game is None or self.agent_game.game.is_over or bool(self.problem or self.agent_game.problem)
        gap, left = 12, footer.left
        autoplay = max(compute_button_width(pen, words, "Space", "play") for words in ("Autoplay", "Pause")) + 8
        for name, words, key, sign, wide in (
            ("next", "Next move", "N", "step", compute_button_width(pen, "Next move", "N", "step") + 8),
            ("auto", "Pause" if auto else "Autoplay", "Space", "pause" if auto else "play", autoplay),
            ("restart", "Restart", "R", "", compute_button_width(pen, "Restart", "R") + 8),
        ):
            place = Box(left, footer.centery - BUTTON_HEIGHT // 2, wide, BUTTON_HEIGHT)
            enabled = name == "restart" or (not over and not (auto and name == "next"))
            primary = name == ("auto" if auto else "next")
            if draw_button(ui, name, place, words, key=key, icon=sign, is_primary=primary, is_enabled=enabled):
                self._run_action(name)
            left = place.right + gap
        keys = [(["T"], "Thinking"), (["A"], "Agent"), (["Q"], "Quit")]
        need = 56 + 120 + 170
        shown = not room.is_compact and compute_key_legend_width(pen, keys, True) + need + 48 <= footer.right - left
        right = footer.right - (compute_key_legend_width(pen, keys, True) + 24 if shown else 0)
        speed = Box(left + (58 if shown else 12), footer.top, right - left - (58 if shown else 12), footer.height)
        self.speed = draw_speed_slider(ui, speed, self.speed, short=room.is_compact)
        if shown:
            draw_key_legend(ui, footer, keys, align=1)

    def _run_action(self, name: str) -> None:
        if name == "restart":
            self.restart()
        elif name == "auto":
            self.autoplay = not self.autoplay
        elif self.agent_game is not None:
            self.agent_game.step()

    def _draw_overlays(self, ui: Ui, board: Box) -> bool:
        """What lies over the board: a mistake, the end, or why one waits; tells whether the person leaves."""
        seat, used = self.agent_game, ""
        problem = self.problem or (seat.problem if seat else "")
        if self.setup.is_open:
            return False
        if problem:
            lines = [problem, "A chooses another agent or other rules."]
            wide = max(OVERLAY_WIDTH, min(_MAX_ERROR_WIDTH, board.width - 8))
            used = draw_overlay(ui, board, "This does not work", lines, [("Restart", "R"), ("Menu", "")], wide)
        elif seat and seat.game.is_over:
            game = seat.game
            told = f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}"
            used = draw_overlay(ui, board, "Game over", [told], [("Restart", "R"), ("Menu", "")])
        elif seat and seat.background_agent.is_compiling:
            draw_overlay(ui, board, "One moment", [COMPILING_ENGINE], [])
        if used == "Restart":
            self.restart()
        return used == "Menu" or ui.is_key_pressed("Esc")


def compute_chip_width(pen: Pen, name: str, words: str) -> int:
    """How wide a chip of the header is."""
    dot = name == "agent"
    return pen.measure_chip(pen.truncate_text(words, _MAX_CHIP_WIDTH - 24 - 14 * dot, 14), dot)
