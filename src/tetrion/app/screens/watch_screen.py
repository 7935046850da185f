"""Watch screen: an agent plays and shows how it decides."""

import threading
from contextlib import nullcontext
from pathlib import Path

from tetrion.agents.code_consent import CodeConsentError
from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import save_game, should_save
from tetrion.app.games.agent_game import DEFAULT_AGENT_SPEED, MAX_ANIMATED_SPEED, MAX_SAVED_PIECES, AgentGame
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.watch_board import draw_agent_game
from tetrion.app.screens.watch_controls import WatchChip, draw_watch_footer, draw_watch_header
from tetrion.app.screens.watch_panels import WATCH_STRIP_HEIGHT, WatchPanels
from tetrion.app.screens.watch_setup import WatchOptions, WatchSetup, parse_dropped_agent
from tetrion.app.toolkit.header_footer import ScreenArea, draw_header_footer, draw_overlay
from tetrion.app.toolkit.seed_field import compute_next_seed
from tetrion.app.toolkit.speed_slider import change_speed
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.app.window_settings import WindowSettings
from tetrion.app.window_words import translate_to_window
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.candidate_overlay import MAX_SHADED_PLACEMENTS
from tetrion.drawing.pen import Box
from tetrion.drawing.side_panels import draw_action_on_board, draw_garbage_meter
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.game import Game
from tetrion.replay import Replay
from tetrion.stack import Stack

_SIDE_COLUMN_WIDTH = 200  # units
_SHOW_WAITING_AFTER_SECONDS = 0.5  # after this time, the elapsed thinking time is shown
_BACKGROUND_SAVE_PIECES = 2000  # longer games are saved in a background thread
_ERROR_WIDTH = 520  # units
_ERROR_BUTTONS = (("Choose another agent", "A"), ("Restart", "R"), ("Menu", "Esc"))
_END_BUTTONS = (("Next game", "N"), ("Restart", "R"), ("Review", "V"), ("Menu", "Esc"))
_LONG_GAME_BUTTONS = tuple(button for button in _END_BUTTONS if button[0] != "Review")  # a game that is not saved


class WatchScreen(Screen):
    """Screen with the game of an agent, in single moves or at any speed; `agent` and `rules` are as typed.

    Without an agent, the last chosen one plays; without a seed, the seed after the last one that was watched is used.
    """

    title = "Watch"
    has_music = True

    def __init__(
        self, window: Window, agent: str = "", rules: str = "", seed: int | None = None, auto: bool = True
    ) -> None:
        super().__init__(window)
        settings = window.settings
        seed = compute_next_seed(settings.watch_seed) if seed is None else int(seed)
        self.setup = WatchSetup()
        self.shows_thinking = True
        self.speed = DEFAULT_AGENT_SPEED
        self.autoplay = auto
        self.agent_game: AgentGame | None = None
        self.problem = ""
        self._code_file: Path | None = None  # that the user must allow before the agent can be loaded
        self._saved_game: Game | None = None
        self._saved_file: Path | None = None
        self._notice = ""  # shown as soon as the screen is in front
        self._milliseconds_since_lock = 0.0
        self._waited_seconds = 0.0
        self._last_overlay = ""
        self.panels = WatchPanels()
        self.options = (
            WatchOptions(agent, rules, seed)
            if agent
            else self._find_stored_options(WatchOptions(settings.watch_agent, rules or settings.watch_rules, seed))
        )
        self._start_game()

    # Game

    def _find_stored_options(self, options: WatchOptions) -> WatchOptions:
        """Return stored options, or those of the default agent, with a notice, if the stored ones cannot be loaded."""
        try:
            options.load()
        except CodeConsentError:  # the user is asked as soon as the screen is in front
            return options
        except TetrionError:
            default = WatchOptions(WindowSettings().watch_agent, "", options.seed)
            choice = f"{options.agent} with the rules {options.rules}" if options.rules else options.agent
            self._notice = f"{choice} cannot be loaded, so {default.agent} plays. Press A to choose another agent."
            self.window.change_settings(watch_agent=default.agent, watch_rules=default.rules)
            return default
        return options

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
            self.window.change_settings(watch_seed=self.options.seed)
        except CodeConsentError as error:
            self.problem = translate_to_window(str(error))
            self._code_file = error.path
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
        if game is self._saved_game or not should_save(game, agent_game.name):
            return
        self._saved_game = game
        self._saved_file = None
        if not agent_game.is_complete:
            self.window.show_message(f"Games of more than {MAX_SAVED_PIECES:,} pieces are not saved.")
        elif game.pieces < _BACKGROUND_SAVE_PIECES:
            self._write_game(game, agent_game.name)
        else:
            threading.Thread(target=self._write_game, args=(game, agent_game.name), name="tetrion-save-game").start()

    def _write_game(self, game: Game, player: str) -> None:
        path, message = save_game(game, player)
        if game is self._saved_game:
            self._saved_file = path
        if message:
            self.window.show_message(message)

    @property
    def _candidate_count(self) -> int:
        return MAX_SHADED_PLACEMENTS if self.shows_thinking else 0

    def restart(self, seed: int | None = None) -> None:
        """Restart the game, with other pieces if a seed is given."""
        if seed is not None:
            self.options = self.options._replace(seed=seed)
            self.window.change_settings(watch_seed=seed)
        if self.agent_game is None:
            self._start_game()
            return
        self.agent_game.stop_fast_play()
        self._save_game(self.agent_game)
        self.agent_game.restart(seed)
        self.panels = WatchPanels()

    def choose_options(self, options: WatchOptions) -> None:
        """Start a game with other options; they are saved if they can be loaded."""
        self.options = options
        self._start_game()
        if not self.problem:
            self.window.change_settings(watch_agent=options.agent, watch_rules=options.rules)

    @property
    def is_moving(self) -> bool:
        """Whether the agent decides, a piece moves or rows are cleared."""
        return self.agent_game is not None and self.agent_game.is_moving

    def update(self, seconds: float) -> None:
        """Advance the game."""
        if self._notice:
            self.window.show_message(self._notice)
            self._notice = ""
        self.window.ask_about_code(self._code_file, lambda: self.choose_options(self.options))
        self._code_file = None
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
            agent_game.stop_fast_play()
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
        screen_area, should_close = draw_header_footer(ui, self.title)
        chip = draw_watch_header(ui, screen_area, self.title, self._make_chips(), autoplay=self.autoplay)
        board = self._draw_content(ui, screen_area)
        can_move = self.agent_game is not None and not self.agent_game.game.is_over and not self.agent_game.problem
        action, self.speed = draw_watch_footer(ui, screen_area, self.speed, autoplay=self.autoplay, can_move=can_move)
        action = self._draw_overlays(ui, board, screen_area.content) or action
        if self.setup.is_open:
            self._draw_setup(ui)
        else:
            self._handle_input(ui, chip)
            self._run_action(ui, action)
        if can_move and not self.setup.is_open and not ui.focus:
            ui.request_focus("auto" if self.autoplay else "next")
        has_quit = ui.is_key_pressed("Q") and not self.setup.is_open
        if (should_close or has_quit or action == "Menu") and self.window.screen is self:
            self.window.close_screen()

    def _draw_setup(self, ui: Ui) -> None:
        """Draw the setup; options that cannot be loaded are not used, and the setup shows the reason."""
        options = self.setup.draw(ui)
        if options is not None:
            self._try_options(options)

    def _try_options(self, options: WatchOptions) -> None:
        """Use the options of the setup if they can be loaded."""
        try:
            options.load()
        except CodeConsentError as error:
            self.setup.problem = translate_to_window(str(error))
            self.window.ask_about_code(error.path, lambda: self._try_options(options))
        except TetrionError as error:
            self.setup.problem = str(error)
        else:
            self.setup.is_open = False
            self.choose_options(options)

    def _handle_input(self, ui: Ui, chip: str) -> None:
        """Handle a used chip, keys that have no button, and dropped files."""
        for event in ui.keys:
            character = getattr(event, "unicode", "")
            self.speed = change_speed(self.speed, {"+": 1, "=": 1, "-": -1, "−": -1}.get(character, 0))
        if ui.is_key_pressed("T"):
            self.shows_thinking = not self.shows_thinking
        if chip or ui.is_key_pressed("A"):
            self.setup.open(ui, self.options, chip or "agent")
        elif ui.files:
            self.choose_options(self.options._replace(agent=parse_dropped_agent(ui.files[-1])))

    def _make_chips(self) -> list[WatchChip]:
        """Return the chips of the header: agent, rules and seed."""
        rules = format_rules(self.agent_game.rules) if self.agent_game else self.options.rules or "Rules"
        return [
            WatchChip("agent", self.agent_name),
            WatchChip("rules", rules),
            WatchChip("seed", f"Seed {self.options.seed}"),
        ]

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
            draw_garbage_meter(pen, fitted.box, fitted.cell_size, self.agent_game.position)
            draw_agent_game(
                pen,
                fitted,
                self.agent_game,
                self.window.settings,
                show_thinking=self.shows_thinking,
                milliseconds_since_lock=self._milliseconds_since_lock,
            )
            action = self.agent_game.action
            draw_action_on_board(pen, fitted.box, action.lines, action.get_strength(self.window.settings.has_animation))
        else:
            draw_board(
                pen.surface, pen.to_pixel_point(fitted.box.topleft), fitted.cell_size, Stack(height=20), style=pen.style
            )
        right_box = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, content.height)
        if self.agent_game is None:
            pen.draw_panel(right_box)
            return fitted.box
        self.panels.update(self.agent_game)
        if is_wide:
            side_box = Box(content.left, content.top, _SIDE_COLUMN_WIDTH, content.height)
            self.panels.draw_side_column(
                pen,
                side_box,
                gap,
                self.agent_game,
                show_keys=self.speed <= MAX_ANIMATED_SPEED,
            )
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

    def _run_action(self, ui: Ui, action: str) -> None:
        """Run the action of a button of the footer or of an overlay."""
        if action in ("restart", "Restart"):
            self.restart()
        elif action == "Next game":
            self.restart(compute_next_seed(self.options.seed))
        elif action == "Review" and self.agent_game is not None:
            replay = Replay.from_game(self.agent_game.game, self.agent_game.name)
            self.window.open_screen_by_name("review", file=str(self._saved_file or ""), replay=replay)
        elif action == "Choose another agent":
            self.setup.open_agent_list(ui, self.options)
        elif action == "auto":
            self.autoplay = not self.autoplay
        elif action == "next" and self.agent_game is not None:
            self.agent_game.step()

    def _draw_overlays(self, ui: Ui, board: Box, content: Box) -> str:
        """Draw an error, the end of the game or a waiting message; return the label of the used button, or ""."""
        agent_game = self.agent_game
        problem = self.problem or (agent_game.problem if agent_game else "")
        if problem:
            self._focus_overlay(ui, problem, _ERROR_BUTTONS[0][0])
            return draw_overlay(
                ui, content, "An error occurred", [problem], _ERROR_BUTTONS, width=_ERROR_WIDTH, is_modal=False
            )
        if agent_game and agent_game.game.is_over:
            game = agent_game.game
            result = f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}"
            buttons = _END_BUTTONS if agent_game.is_complete else _LONG_GAME_BUTTONS
            self._focus_overlay(ui, "Game over", buttons[0][0])
            return draw_overlay(ui, board, "Game over", [result], buttons, is_modal=False)
        self._last_overlay = ""
        if agent_game and agent_game.background_agent.is_compiling:
            draw_overlay(ui, board, "Please wait", [describe_compilation()], [])
        return ""

    def _focus_overlay(self, ui: Ui, overlay: str, button: str) -> None:
        """Focus the first button of an overlay when it appears."""
        if overlay != self._last_overlay or not ui.focus:
            self._last_overlay = overlay
            ui.request_focus(f"overlay {button}")
