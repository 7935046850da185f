"""Watch screen: an agent plays and shows how it decides."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from tetrion.agents import Agent, choose_rules, load_agent
from tetrion.agents.code_consent import CodeConsentError
from tetrion.agents.weighted_agent import SecondMode
from tetrion.app.agent_code import check_agent_code
from tetrion.app.crash_log import translate_to_window
from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import save_game, should_save
from tetrion.app.games.agent_game import DEFAULT_AGENT_SPEED, MAX_ANIMATED_SPEED, MAX_SAVED_PIECES, AgentGame
from tetrion.app.games.fast_play import ExplainedDecision
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.picker_options import format_rules, list_agent_options, list_agent_rules_options
from tetrion.app.screen import Screen
from tetrion.app.screens.game_panels import draw_keys_panel, draw_mode_panel, draw_pieces_column
from tetrion.app.toolkit.controls import ButtonSpec, change_speed, compute_button_width, draw_buttons, draw_speed_slider
from tetrion.app.toolkit.form import Form, SeedChoice, compute_next_seed, draw_seed_field
from tetrion.app.toolkit.frame import Chip, Frame, draw_frame, draw_key_legend, draw_overlay, measure_key_legend
from tetrion.app.toolkit.picker import draw_picker, open_picker
from tetrion.app.toolkit.surface_cache import CachedPanel, SurfaceCache
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.app.window_settings import WindowSettings
from tetrion.board import Placement
from tetrion.data_files import DataFileError, read_data_file
from tetrion.drawing.board_animation import LOCK_MILLISECONDS, AnimatedBoard, draw_animated_board
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.candidate_overlay import (
    MAX_SHADED_PLACEMENTS,
    KeepClearZones,
    draw_best_candidates,
    draw_candidate_shades,
    draw_keep_clear_zones,
    find_keep_clear_zones,
)
from tetrion.drawing.layout import Box, Part, flexible, inset, place, split_row
from tetrion.drawing.line_charts import draw_stack_heights
from tetrion.drawing.palette import BACKGROUND
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.side_panels import (
    compute_piece_strip_width,
    draw_action_on_board,
    draw_figures_row,
    draw_garbage_meter,
    draw_piece_strip,
    draw_score_panel,
)
from tetrion.drawing.thinking_panel import draw_thinking_panel
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number
from tetrion.game import Game
from tetrion.game_facts import VisiblePieces, has_attack_layout, list_attack_figures
from tetrion.replay import Replay
from tetrion.stack import Stack

_WAITING_IS_SHOWN_AFTER = 0.5  # seconds
_BACKGROUND_SAVE_PIECES = 2000  # longer games are saved in a background thread
_FULL_ROW_BRIGHTNESS = 0.5  # share of white in full rows without animation
_HEIGHT_HISTORY_LENGTH = 120  # pieces
_FAST_UPDATE_FRAMES = 6  # frames between updates at high speed, so that numbers stay readable
_ERROR_BUTTONS = (("Choose another agent", "A"), ("Restart", "R"), ("Menu", "Esc"))
_END_BUTTONS = (("Next game", "N"), ("Restart", "R"), ("Review", "V"), ("Menu", "Esc"))
_LONG_GAME_BUTTONS = tuple(button for button in _END_BUTTONS if button[0] != "Review")  # a game that is not saved
_WATCH_KEYS = ((("T",), "Thinking"), (("A",), "Agent"), (("+", "-"), "Speed"))


class WatchOptions(NamedTuple):
    """Agent as typed, rules as typed (empty: the rules of the agent), and seed."""

    agent: str
    rules: str
    seed: int

    def load(self) -> tuple[Agent, Rules]:
        """Load the agent and parse the rules."""
        try:
            check_agent_code(self.agent)
            agent = load_agent(self.agent)
        except OSError as error:
            raise TetrionError(f"Cannot read {self.agent}: {error.strerror}.") from None
        rules = choose_rules([agent], self.rules)
        agent.check_rules(rules)
        return agent, rules


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
        self.setup: WatchSetup | None = None
        self.shows_thinking = True
        self.speed = DEFAULT_AGENT_SPEED
        self.autoplay = auto
        self.agent_game: AgentGame | None = None
        self.problem = ""
        self.panels = WatchPanels()
        self._code_file: Path | None = None  # that the user must allow before the agent can be loaded
        self._saved_game: Game | None = None
        self._saved_file: Path | None = None
        self._notice = ""  # shown as soon as the screen is in front
        self._milliseconds_since_lock = 0.0
        self._waited_seconds = 0.0
        self._last_overlay = ""
        self.options = WatchOptions(agent or settings.watch_agent, rules, seed)
        if not agent:
            self.options = self._find_stored_options(self.options._replace(rules=rules or settings.watch_rules))
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
        self._end_game()
        self.problem = ""
        self.panels = WatchPanels()
        try:
            agent, rules = self.options.load()
            self.agent_game = AgentGame(
                agent,
                rules,
                self.options.seed,
                explained_count=self._explained_count,
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
    def _explained_count(self) -> int:
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
        agent_game.explained_count = self._explained_count
        agent_game.speed = self.speed
        agent_game.autoplay = self.autoplay and self.setup is None
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
        agent_game = self.agent_game
        rules = format_rules(agent_game.rules) if agent_game else self.options.rules or "Rules"
        chips = [
            Chip(f"Autoplay {'on' if self.autoplay else 'off'}", has_dot=self.autoplay),
            Chip(agent_game.name if agent_game else self.options.agent, has_dot=True, name="agent"),
            Chip(f"Seed {self.options.seed}", name="seed"),
            Chip(rules, name="rules"),
        ]
        frame = draw_frame(ui, self.title, chips)
        board = self._draw_content(ui, frame)
        can_move = agent_game is not None and not agent_game.game.is_over and not agent_game.problem
        action = self._draw_footer(ui, frame, can_move=can_move)
        action = self._draw_overlays(ui, board, frame.content) or action
        if self.setup:
            self._draw_setup(ui, self.setup)
            return
        self._handle_input(ui, frame.used_chip)
        self._run_action(ui, action)
        if can_move and not ui.focus:
            ui.request_focus("auto" if self.autoplay else "next")
        is_left = frame.is_closed or action == "Menu" or ui.is_key_pressed("Q")  # Q, as in Medico's game
        if is_left and self.window.screen is self:
            self.window.close_screen()

    def _draw_setup(self, ui: Ui, setup: "WatchSetup") -> None:
        used = setup.draw(ui)
        if used == "start":
            self._try_options(setup)
        elif used == "cancel":
            self.setup = None

    def _try_options(self, setup: "WatchSetup") -> None:
        """Use the options of the setup if they can be loaded; otherwise it shows the reason."""
        options = setup.options
        try:
            options.load()
        except CodeConsentError as error:
            setup.problem = translate_to_window(str(error))
            self.window.ask_about_code(error.path, lambda: self._try_options(setup))
        except TetrionError as error:
            setup.problem = str(error)
        else:
            self.setup = None
            self.choose_options(options)

    def open_setup(self, ui: Ui, field: str = "agent") -> None:
        """Open the setup with the current choices and the focus on a field: agent, rules or seed."""
        self.setup = WatchSetup(self.options)
        ui.request_focus(field)

    def _handle_input(self, ui: Ui, chip: str) -> None:
        """Handle a used chip, keys that have no button, and dropped files."""
        for event in ui.keys:
            character = getattr(event, "unicode", "")
            self.speed = change_speed(self.speed, {"+": 1, "=": 1, "-": -1, "−": -1}.get(character, 0))
        if ui.is_key_pressed("T"):
            self.shows_thinking = not self.shows_thinking
        if chip or ui.is_key_pressed("A"):
            self.open_setup(ui, chip or "agent")
        elif ui.files:
            self.choose_options(self.options._replace(agent=parse_dropped_agent(ui.files[-1])))

    def _draw_content(self, ui: Ui, frame: Frame) -> Box:
        """Draw the board and the panels next to it; return the box of the board."""
        pen, agent_game = ui.pen, self.agent_game
        rows = agent_game.rules.height if agent_game else 20
        side, rest = split_row(frame.content, [200 if frame.is_wide else 0, flexible()], frame.gap)
        board_space, _ = split_row(rest, [flexible(), 300], frame.gap)
        fitted = pen.fit_board(board_space, rows, 0)
        _, right = split_row(rest, [fitted.box.width, flexible()], frame.gap)
        if agent_game is None:
            origin = pen.to_pixel_point(fitted.box.topleft)
            draw_board(pen.surface, origin, fitted.cell_size, Stack(height=rows), style=pen.style)
            pen.draw_panel(right)
            return fitted.box
        draw_garbage_meter(pen, fitted.box, fitted.cell_size, agent_game.position)
        draw_agent_game(
            pen,
            fitted,
            agent_game,
            self.window.settings,
            show_thinking=self.shows_thinking,
            milliseconds_since_lock=self._milliseconds_since_lock,
        )
        strength = agent_game.action.get_strength(self.window.settings.has_animation)
        draw_action_on_board(pen, fitted.box, agent_game.action.lines, strength)
        time = self._format_thinking_time(agent_game) if self.shows_thinking else None
        self.panels.draw(pen, (side, right), frame, agent_game, time)
        return fitted.box

    def _format_thinking_time(self, agent_game: AgentGame) -> str:
        """Format how long the agent needed for its decision, or has been deciding."""
        if agent_game.problem or agent_game.background_agent.is_compiling:
            return ""
        if self._waited_seconds > _WAITING_IS_SHOWN_AFTER:
            return f"deciding for {self._waited_seconds:.0f} s"
        if (seconds := self.panels.thinking_seconds) is None:
            return ""
        return f"{format_number(seconds, 1)} s" if seconds >= 1 else f"{format_number(1000 * seconds, 1)} ms"

    def _draw_footer(self, ui: Ui, frame: Frame, *, can_move: bool) -> str:
        """Draw the buttons, the speed and the keys; return the button that was used, or ""."""
        # Wide enough for both labels, so that nothing moves when autoplay changes.
        auto_width = max(compute_button_width(ui.pen, label, "Space", "play") for label in ("Autoplay", "Pause")) + 8
        label, icon = ("Pause", "pause") if self.autoplay else ("Autoplay", "play")
        buttons = [
            ButtonSpec("next", "Next move", "N", "step", not self.autoplay, can_move and not self.autoplay),
            ButtonSpec("auto", label, "Space", icon, self.autoplay, can_move, auto_width),
            ButtonSpec("restart", "Restart", "R"),
        ]
        used, rest = draw_buttons(ui, frame.footer, buttons)
        legend_width = Part(measure_key_legend(ui.pen, _WATCH_KEYS), rank=1)
        slider, legend = split_row(rest, [flexible(346 if frame.is_wide else 200), legend_width], 24)
        slider = slider.inflate(-24, 0)
        self.speed = draw_speed_slider(ui, slider, self.speed, short=not frame.is_wide, with_label=frame.is_wide)
        if legend:
            draw_key_legend(ui, legend, _WATCH_KEYS, align=1)
        return used

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
            self.open_setup(ui)
            open_picker(ui, "agent")
        elif action == "auto":
            self.autoplay = not self.autoplay
        elif action == "next" and self.agent_game is not None:
            self.agent_game.step()

    def _draw_overlays(self, ui: Ui, board: Box, content: Box) -> str:
        """Draw an error, the end of the game or a waiting message; return the label of the used button, or ""."""
        agent_game = self.agent_game
        if problem := self.problem or (agent_game.problem if agent_game else ""):
            self._focus_overlay(ui, problem, _ERROR_BUTTONS[0][0])
            return draw_overlay(ui, content, "An error occurred", [problem], _ERROR_BUTTONS, width=520, is_modal=False)
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


# Setup


class WatchSetup:
    """Panel with the fields agent, rules and seed; the choices are used only when Start is pressed."""

    def __init__(self, options: WatchOptions) -> None:
        self.problem = ""  # why the choices cannot be used
        self._choices = options
        self._seed = SeedChoice(True, options.seed)

    @property
    def options(self) -> WatchOptions:
        """The chosen options, with a new seed if it is random."""
        return self._choices._replace(seed=self._seed.choose_seed())

    def draw(self, ui: Ui) -> str:
        """Draw the panel over the screen; return "start" or "cancel" if that was used, otherwise ""."""
        pen, before = ui.pen, self._choices
        pen.draw_overlay(pen.area, 0, BACKGROUND, 0.5)
        with ui.modal_layer(), Form(ui, place(pen.area, 520, 390), "Agent and game", label_width=84) as form:
            agent = draw_picker(
                ui,
                "agent",
                form.add_field("Agent"),
                before.agent,
                list_agent_options,
                free_text_hint="a file, class or folder",
            )
            own_rules = list_agent_rules_options()[0].value
            rules = draw_picker(
                ui,
                "rules",
                form.add_field("Rules"),
                before.rules or own_rules,
                list_agent_rules_options,
                free_text_hint="rules such as nes:start_level=9",
            )
            self._seed = draw_seed_field(ui, form.add_field("Seed"), self._seed)
            if ui.files:
                agent = parse_dropped_agent(ui.files[-1])
            used = form.draw_start(problem=self.problem, buttons=[ButtonSpec("cancel", "Cancel", "Esc")])
        self._choices = WatchOptions(agent, "" if rules == own_rules else rules, before.seed)
        if self._choices != before:
            self.problem = ""
        return used


def parse_dropped_agent(path: str) -> str:
    """Return the agent name of a dropped file; a Python file gets its last class with a `choose` method."""
    if not path.lower().endswith(".py"):
        return path
    try:
        lines = read_data_file(Path(path)).decode().splitlines()
    except (FileNotFoundError, DataFileError, UnicodeDecodeError):
        return path
    class_name, agent_classes = "", []
    for line in lines:
        if line.startswith("class "):
            class_name = line[6:].split("(")[0].split(":")[0].strip()
        elif line.strip().startswith("def choose(") and class_name:
            agent_classes.append(class_name)
    return f"{path}:{agent_classes[-1]}" if agent_classes else path


# Panels


class WatchView(NamedTuple):
    """What the panels show of a game at one moment."""

    score: str
    statistics: tuple[tuple[str, str], ...]  # labels and values
    pieces: VisiblePieces
    mode: str
    second_mode: SecondMode | None
    heights: tuple[int, ...]
    explained: ExplainedDecision | None

    @classmethod
    def from_game(cls, agent_game: AgentGame) -> Self:
        """Return the current view of a game."""
        game, position = agent_game.game, agent_game.position
        active = agent_game.active_piece if not agent_game.is_fast_playing else None
        return cls(
            f"{game.score:,}",
            (("Lines", f"{game.lines:,}"), ("Pieces", f"{game.pieces:,}"), *list_figures(agent_game)),
            VisiblePieces.from_position(position, active),
            agent_game.mode,
            get_second_mode(agent_game),
            tuple(agent_game.tracker.heights[-_HEIGHT_HISTORY_LENGTH:]),
            agent_game.last_explained,
        )


def list_figures(agent_game: AgentGame) -> Sequence[tuple[str, str]]:
    """Return further statistics with their labels: attack and clears if the rules have them."""
    game, tracker = agent_game.game, agent_game.tracker
    if has_attack_layout(game.rules):
        return list_attack_figures(game)
    rate = agent_game.moves_per_second if agent_game.autoplay else None
    points = tracker.points_per_line
    return [
        ("Points per line", NO_VALUE if points is None else format_number(points, 0)),
        ("Tetrises", f"{tracker.clear_counts[3]:,}"),
        ("Holes", f"{agent_game.position.board.holes:,}"),
        ("Pieces per second", NO_VALUE if rate is None else format_number(rate, 1 if rate < 10 else 0)),
    ]


class WatchPanels:
    """Panels next to the board of an agent's game; a panel is one entry in one of the two lists of `draw`."""

    def __init__(self) -> None:
        self._pictures = SurfaceCache()
        self._frame_count = 0
        self._view: WatchView | None = None

    @property
    def thinking_seconds(self) -> float | None:
        """Time of the shown decision in seconds, or None before the first one."""
        return self._view.explained.decision.seconds if self._view and self._view.explained else None

    def draw(
        self,
        pen: Pen,
        boxes: tuple[Box, Box],
        frame: Frame,
        agent_game: AgentGame,
        thinking_time: str | None,
    ) -> None:
        """Draw the panels left of the board, if there is a box for them, and right of it; `boxes` are both areas.

        At high speed, the numbers change at most ten times per second, and only one panel is redrawn per frame.
        """
        self._frame_count += 1
        side, right = boxes
        rules = agent_game.rules
        is_fast = agent_game.autoplay and agent_game.speed > MAX_ANIMATED_SPEED and not agent_game.game.is_over
        view = self._view
        if view is None or not is_fast or self._frame_count % _FAST_UPDATE_FRAMES == 0 or view.explained is None:
            view = self._view = WatchView.from_game(agent_game)
        if side:
            top = draw_pieces_column(pen, side, rules, view.pieces, gap=frame.gap, next_height=104)
            side = Box(side.left, top, side.width, side.bottom - top)
            keys = agent_game.key_steps if agent_game.speed <= MAX_ANIMATED_SPEED else None
            panels = [
                CachedPanel("score", flexible(254), draw_score_panel, (view.score, view.statistics)),
                CachedPanel("keys", flexible(104, rank=2), draw_keys_panel, (keys, agent_game.keys_pressed)),
            ]
            if second := view.second_mode:
                panels.append(CachedPanel("mode", Part(132, 92, rank=1), draw_mode_panel, (second, view.mode)))
            self._pictures.draw_column(pen, side, frame.gap, panels, one_per_frame=is_fast)
            panels = []
        else:
            numbers = view._replace(heights=(), explained=None)
            panels = [CachedPanel("strip", 76, draw_watch_strip, (numbers, rules.preview))]
        if thinking_time is not None:
            is_waiting = view.explained is None and agent_game.is_thinking
            thinking = view.explained, thinking_time, is_waiting
            panels.append(CachedPanel("thinking", flexible(share=0.73), draw_thinking, thinking))
        heights = view.heights, rules.height, view.second_mode
        panels.append(CachedPanel("heights", flexible(share=0.27) if frame.is_wide else 120, draw_heights, heights))
        self._pictures.draw_column(pen, right, frame.gap, panels, one_per_frame=is_fast)


def draw_thinking(pen: Pen, box: Box, explained: ExplainedDecision | None, time: str, is_waiting: bool) -> None:
    """Draw the thinking panel of the last decision; before the first one, the agent may still be thinking."""
    explanation = explained.decision.explanation if explained else None
    stack = explained.stack if explained else Stack(height=20)
    draw_thinking_panel(pen, box, explanation, stack, time_text=time, is_waiting=is_waiting)


def draw_heights(pen: Pen, box: Box, heights: Sequence[int], rows: int, second: SecondMode | None) -> None:
    """Draw the chart of the stack height, with the height at which the agent changes its mode."""
    threshold = second.threshold if second and second.selector == "max_height" else None
    text = f"Last {_HEIGHT_HISTORY_LENGTH} pieces" + (" · dashed: change of mode" if threshold is not None else "")
    text = text if box.width >= 480 else ""
    draw_stack_heights(pen, box, heights, rows, threshold=threshold, right_text=text)


def draw_watch_strip(pen: Pen, box: Box, view: WatchView, preview: int) -> None:
    """Draw statistics, mode, held piece and next pieces in one row; statistics that do not fit are left out."""
    pen.draw_panel(box)
    second = view.second_mode
    has_queue = view.pieces.has_hold or preview > 1
    badge_width = 44 + max(pen.measure_text(name.capitalize(), 16, True) for name in second.names) if second else 0
    pieces_width = compute_piece_strip_width(view.pieces, preview) if has_queue else 64
    figures, badge, pieces = split_row(inset(box, 16, 0), [flexible(), badge_width, pieces_width if preview else 0], 12)
    draw_figures_row(pen, figures, [("Score", view.score), *view.statistics])
    if has_queue:
        draw_piece_strip(pen, pieces.move(16, 0), view.pieces, preview)
    elif view.pieces.next:
        pen.draw_text("Next", (pieces.centerx, box.top + 20), 14, align=0.5)
        pen.draw_piece((pieces.centerx, box.top + 48), 15, view.pieces.next[0])
    if second and view.mode:
        badge = place(badge, badge.width, 32)
        pen.draw_badge(badge, view.mode.capitalize(), is_negative=view.mode == second.names[1])


# Board


def draw_agent_game(
    pen: Pen,
    fitted: FittedBoard,
    agent_game: AgentGame,
    settings: WindowSettings,
    *,
    show_thinking: bool,
    milliseconds_since_lock: float = LOCK_MILLISECONDS,
) -> None:
    """Draw the board of an agent's game with its candidates; the last piece locked `milliseconds_since_lock` ago."""
    origin = pen.to_pixel_point(fitted.box.topleft)
    cell = fitted.cell_size
    height = agent_game.rules.height
    clearing_lock, last_lock = agent_game.clearing_lock, agent_game.tracker.last_lock
    stack = clearing_lock.stack_before_clear if clearing_lock else agent_game.tracker.stack
    candidates = list_considered_placements(agent_game) if show_thinking and settings.candidates else ()
    zones = find_agent_zones(agent_game) if show_thinking else KeepClearZones()
    has_animation = settings.has_animation

    def draw_below() -> None:
        draw_keep_clear_zones(pen.surface, origin, cell, height, zones, label="Danger zone")
        draw_candidate_shades(pen.surface, origin, cell, stack, candidates)

    def draw_above() -> None:
        draw_best_candidates(pen.surface, origin, cell, stack, candidates)

    if clearing_lock and not has_animation:
        flash = dict.fromkeys(clearing_lock.full_rows, _FULL_ROW_BRIGHTNESS)
        draw_board(pen.surface, origin, cell, stack, flash=flash, style=pen.style, draw_below=draw_below)
        return
    is_locking = has_animation and not agent_game.is_fast_playing and milliseconds_since_lock < LOCK_MILLISECONDS
    active_piece = agent_game.active_piece
    if active_piece and not agent_game.has_clock:  # with a clock, it falls into view, as in Play
        active_piece = stack.lower_into_view(active_piece)
    animated_board = AnimatedBoard(
        stack,
        active_piece,
        agent_game.offset if has_animation else (0.0, 0.0),
        last_lock.placement if last_lock and is_locking and not last_lock.full_rows else None,
        None,
        milliseconds_since_lock,
        agent_game.clear_milliseconds if clearing_lock else None,
        is_over=agent_game.game.is_over,
        ghost=agent_game.target if settings.ghost and not candidates else None,
    )
    draw_animated_board(
        pen.surface, origin, cell, animated_board, style=pen.style, draw_below=draw_below, draw_above=draw_above
    )


def list_considered_placements(agent_game: AgentGame) -> Sequence[Placement]:
    """Return the candidate placements of the current piece, the best one first."""
    decision = agent_game.current_decision
    if decision is None or agent_game.clearing_lock:
        return ()
    if decision.explanation is None:
        return (decision.placement,) if decision.placement else ()
    return [candidate.placement for candidate in decision.explanation.candidates]


def get_second_mode(agent_game: AgentGame) -> SecondMode | None:
    """Return the second mode of an agent that has two modes, or None."""
    return getattr(agent_game.background_agent.agent, "second_mode", None)


def find_agent_zones(agent_game: AgentGame) -> KeepClearZones:
    """Return the zones that the agent keeps clear in its current mode."""
    second = get_second_mode(agent_game)
    weights = getattr(agent_game.background_agent.agent, "weights", {})
    if second and agent_game.mode == second.names[1]:
        weights = second.weights
    return find_keep_clear_zones(dict.fromkeys(weights, 0.0), agent_game.rules.rows)
