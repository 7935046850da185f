"""Watch screen: an agent plays and shows how it decides."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Self

from tetrion.agents import Agent, Decision, choose_rules, load_agent
from tetrion.agents.code_consent import CodeConsentError
from tetrion.agents.weighted_agent import SecondMode
from tetrion.app.background_task import BackgroundTask, leave_out_commands
from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import save_game, should_save
from tetrion.app.games.agent_game import (
    DEFAULT_AGENT_SPEED,
    MAX_ANIMATED_SPEED,
    MAX_SAVED_PIECES,
    AgentGame,
    ExplainedDecision,
)
from tetrion.app.games.background_agent import check_agent_code
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.picker_options import draw_agent_picker, draw_rules_picker, format_rules, list_agent_rules_options
from tetrion.app.screens.game_panels import draw_keys_panel, draw_mode_panel, draw_pieces_column, split_around_board
from tetrion.app.toolkit.controls import ButtonSpec, change_speed, compute_button_width, draw_buttons, draw_speed_slider
from tetrion.app.toolkit.form import Form, SeedChoice, compute_next_seed, draw_seed_field
from tetrion.app.toolkit.frame import Chip, Frame, draw_frame, draw_key_legend, draw_overlay, measure_key_legend
from tetrion.app.toolkit.picker import open_picker
from tetrion.app.toolkit.surface_cache import CachedPanel, SurfaceCache
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen, Window
from tetrion.app.window_settings import WindowSettings
from tetrion.board import Placement
from tetrion.data_files import DataFileError, read_data_file
from tetrion.drawing.board_animation import LOCK_MILLISECONDS, AnimatedBoard, draw_animated_board, draw_entry_rows
from tetrion.drawing.board_drawing import draw_board, draw_contour
from tetrion.drawing.cells import Contour
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
from tetrion.drawing.thinking_panel import (
    MAX_SHADED_PLACEMENTS,
    KeepClearZones,
    draw_best_candidates,
    draw_candidate_shades,
    draw_keep_clear_zones,
    draw_thinking_panel,
    find_keep_clear_zones,
)
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number
from tetrion.game import Game
from tetrion.game_facts import VisiblePieces, has_attack_layout, list_attack_figures
from tetrion.replay import Replay
from tetrion.stack import Stack

_BACKGROUND_SAVE_PIECES = 2000  # longer games are saved in a background thread
_STATIC_CLEAR_MILLISECONDS = 60  # the moment of a line clear that is shown without animation: bright rows
_HEIGHT_HISTORY_LENGTH = 120  # pieces
_FAST_UPDATE_FRAMES = 6  # frames between updates at high speed, so that numbers stay readable
_ERROR_BUTTONS = [("Choose another agent", "A"), ("Restart", "R"), ("Menu", "Esc")]
_END_BUTTONS = [("Next game", "N"), ("Restart", "R"), ("Review", "V"), ("Menu", "Esc")]
_WATCH_KEYS = ((("T",), "Thinking"), (("A",), "Agent"), (("+", "-"), "Speed"))
_COMPACT_KEYS = ((("R",), "Restart"), *_WATCH_KEYS[:2])  # in two rows, instead of a button
_COMPACT_KEYS_WIDTH = 180


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


class GameSaver(BackgroundTask):
    """Saves a long game while the window continues."""

    must_finish = True

    def __init__(self, save: Callable[[], None]) -> None:
        super().__init__()
        self._save = save

    def run(self) -> None:
        """Save the game."""
        self._save()


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
        self._milliseconds_since_lock = 0.0
        self._waited_seconds = 0.0
        self._last_headline = ""  # of the overlay
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
            pass
        except TetrionError:
            default = WindowSettings().watch_agent
            choice = f"{options.agent} with the rules {options.rules}" if options.rules else options.agent
            self.window.show_message(f"{choice} cannot be loaded, so {default} plays. Press A to choose another agent.")
            self.window.change_settings(watch_agent=default, watch_rules="")
            return WatchOptions(default, "", options.seed)
        return options

    def _start_game(self) -> None:
        self._end_game()
        self.problem = ""
        self.panels = WatchPanels()
        try:
            agent, rules = self.options.load()
            self.agent_game = AgentGame(agent, rules, self.options.seed)
            self.window.change_settings(watch_seed=self.options.seed)
        except TetrionError as error:
            self.problem = leave_out_commands(str(error))
            self._code_file = error.path if isinstance(error, CodeConsentError) else None

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
            GameSaver(partial(self._write_game, game, agent_game.name)).start()

    def _write_game(self, game: Game, player: str) -> None:
        path, message = save_game(game, player)
        if game is self._saved_game:
            self._saved_file = path
        if message:
            self.window.show_message(message)

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
        self.window.ask_about_code(self._code_file, lambda: self.choose_options(self.options))
        self._code_file = None
        self._milliseconds_since_lock += 1000 * seconds
        if (agent_game := self.agent_game) is None:
            return
        agent_game.explained_count = MAX_SHADED_PLACEMENTS if self.shows_thinking else 0
        agent_game.speed = self.speed
        agent_game.autoplay = self.autoplay and self.setup is None
        agent_game.update(seconds)
        is_waiting = agent_game.is_thinking and not agent_game.problem and not agent_game.background_agent.is_compiling
        self._waited_seconds = self._waited_seconds + seconds if is_waiting else 0.0
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
            used = self.setup.draw(ui)
            if used == "start":
                self._try_options(self.setup)
            elif used == "cancel":
                self.setup = None
            return
        self._handle_input(ui, frame.used_chip)
        self._run_action(ui, action)
        if can_move and not ui.focus:
            ui.request_focus("auto" if self.autoplay else "next")
        is_left = frame.is_closed or action == "Menu" or ui.is_key_pressed("Q")  # Q, as in Medico's game
        if is_left and self.window.screen is self:
            self.window.close_screen()

    def _try_options(self, setup: "WatchSetup") -> None:
        """Use the options of the setup if they can be loaded; otherwise it shows the reason."""
        options = setup.options._replace(seed=setup.seed.choose_seed())
        try:
            options.load()
        except TetrionError as error:
            setup.problem = leave_out_commands(str(error))
            if isinstance(error, CodeConsentError):
                self.window.ask_about_code(error.path, lambda: self._try_options(setup))
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
        side, fitted, right = split_around_board(pen, frame, rows)
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
        self.panels.draw(pen, (side, right), frame, agent_game, round(self._waited_seconds))
        return fitted.box

    def _draw_footer(self, ui: Ui, frame: Frame, *, can_move: bool) -> str:
        """Draw the buttons, the speed and the keys; return the button that was used, or ""."""
        # Wide enough for both labels, so that nothing moves when autoplay changes.
        auto_width = max(compute_button_width(ui.pen, label, "Space", "play") for label in ("Autoplay", "Pause")) + 8
        label, icon = ("Pause", "pause") if self.autoplay else ("Autoplay", "play")
        next_label = "Next move" if frame.is_wide else "Next"
        buttons = [
            ButtonSpec("next", next_label, "N", "step", not self.autoplay, can_move and not self.autoplay),
            ButtonSpec("auto", label, "Space", icon, self.autoplay, can_move, auto_width),
        ]
        if frame.is_wide:
            buttons.append(ButtonSpec("restart", "Restart", "R"))
        used, rest = draw_buttons(ui, frame.footer, buttons)
        keys = _WATCH_KEYS if frame.is_wide else _COMPACT_KEYS
        legend_width = measure_key_legend(ui.pen, keys)
        if not frame.is_wide:
            legend_width = min(legend_width, max(_COMPACT_KEYS_WIDTH, rest.width - 260))
        slider, legend = split_row(rest, [flexible(346 if frame.is_wide else 220), Part(legend_width, rank=1)], 24)
        slider = slider.inflate(-24, 0)
        self.speed = draw_speed_slider(ui, slider, self.speed, short=not frame.is_wide, with_label=frame.is_wide)
        if legend:
            used = draw_key_legend(ui, legend, keys, align=1, clickable=["Restart"]) or used
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
        agent_game, last_headline = self.agent_game, self._last_headline
        self._last_headline = ""
        if problem := self.problem or (agent_game.problem if agent_game else ""):
            headline, buttons = "An error occurred", _ERROR_BUTTONS
        elif agent_game and agent_game.game.is_over:
            headline = "Game over"
            buttons = [button for button in _END_BUTTONS if agent_game.is_complete or button[0] != "Review"]
        else:
            if agent_game and agent_game.background_agent.is_compiling:
                draw_overlay(ui, board, "Please wait", [describe_compilation()], [])
            return ""
        if headline != last_headline or not ui.focus:
            ui.request_focus(f"overlay {buttons[0][0]}")
        self._last_headline = headline
        if problem or agent_game is None:
            return draw_overlay(ui, content, headline, [problem], buttons, width=520, is_modal=False)
        game = agent_game.game
        result = f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}"
        return draw_overlay(ui, board, headline, [result], buttons, is_modal=False)


# Setup


class WatchSetup:
    """Panel with the fields agent, rules and seed; the choices are used only when Start is pressed."""

    def __init__(self, options: WatchOptions) -> None:
        self.problem = ""  # why the choices cannot be used
        self.options = options
        self.seed = SeedChoice(True, options.seed)

    def draw(self, ui: Ui) -> str:
        """Draw the panel over the screen; return "start" or "cancel" if that was used, otherwise ""."""
        pen, before = ui.pen, self.options
        pen.draw_overlay(pen.area, 0, BACKGROUND, 0.5)
        with ui.modal_layer(), Form(ui, place(pen.area, 520, 390), "Agent and game", label_width=84) as form:
            agent = draw_agent_picker(ui, "agent", form.add_field("Agent"), before.agent)
            own_rules = list_agent_rules_options()[0].value
            rules_box = form.add_field("Rules")
            rules = draw_rules_picker(ui, rules_box, before.rules or own_rules, list_agent_rules_options)
            self.seed = draw_seed_field(ui, form.add_field("Seed"), self.seed)
            if ui.files:
                agent = parse_dropped_agent(ui.files[-1])
            used = form.draw_start(problem=self.problem, buttons=[ButtonSpec("cancel", "Cancel", "Esc")])
        self.options = WatchOptions(agent, "" if rules == own_rules else rules, before.seed)
        if self.options != before:
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
    heights: tuple[int, ...]
    explained: ExplainedDecision | None

    @classmethod
    def from_game(cls, agent_game: AgentGame) -> Self:
        """Return the current view of a game."""
        game = agent_game.game
        active = agent_game.active_piece if not agent_game.is_fast_playing else None
        return cls(
            f"{game.score:,}",
            (("Lines", f"{game.lines:,}"), ("Pieces", f"{game.pieces:,}"), *list_figures(agent_game)),
            VisiblePieces.from_position(agent_game.position, active),
            agent_game.mode,
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

    def draw(self, pen: Pen, boxes: tuple[Box, Box], frame: Frame, agent_game: AgentGame, waited_seconds: int) -> None:
        """Draw the panels left of the board, if there is a box for them, and right of it; `boxes` are both areas.

        At high speed, the numbers change at most ten times per second, and only one panel is redrawn per frame.
        """
        self._frame_count += 1
        side, right = boxes
        rules, second = agent_game.rules, get_second_mode(agent_game)
        is_fast = agent_game.autoplay and agent_game.speed > MAX_ANIMATED_SPEED and not agent_game.game.is_over
        view = self._view
        if view is None or not is_fast or self._frame_count % _FAST_UPDATE_FRAMES == 0 or view.explained is None:
            view = self._view = WatchView.from_game(agent_game)
        if side:
            top = draw_pieces_column(pen, side, rules, view.pieces, gap=frame.gap, next_height=104)
            side = Box(side.left, top, side.width, side.bottom - top)
            keys = agent_game.key_steps if agent_game.speed <= MAX_ANIMATED_SPEED else None
            pressed = agent_game.drawn_piece.keys_pressed
            panels = [
                CachedPanel("score", flexible(254), draw_score_panel, (view.score, view.statistics)),
                CachedPanel("keys", flexible(104, rank=2), draw_keys_panel, (keys, pressed)),
            ]
            if second:
                panels.append(CachedPanel("mode", Part(132, 92, rank=1), draw_mode_panel, (second, view.mode)))
            self._pictures.draw_column(pen, side, frame.gap, panels, one_per_frame=is_fast)
            panels = []
        else:
            numbers = view._replace(heights=(), explained=None)
            panels = [CachedPanel("strip", 76, draw_watch_strip, (numbers, rules.preview, second))]
        if agent_game.explained_count:
            thinking = view.explained, waited_seconds, view.explained is None and agent_game.is_thinking
            panels.append(CachedPanel("thinking", flexible(share=0.73), draw_thinking, thinking))
        heights = view.heights, rules.height, second
        panels.append(CachedPanel("heights", flexible(share=0.27) if frame.is_wide else 120, draw_heights, heights))
        self._pictures.draw_column(pen, right, frame.gap, panels, one_per_frame=is_fast)


def draw_thinking(
    pen: Pen, box: Box, explained: ExplainedDecision | None, waited_seconds: int, is_waiting: bool
) -> None:
    """Draw the thinking panel of the last decision; before the first one, the agent may still be thinking."""
    time = ""
    if waited_seconds:
        time = f"deciding for {waited_seconds} s"
    elif explained:
        seconds = explained.decision.seconds
        time = f"{format_number(seconds, 1)} s" if seconds >= 1 else f"{format_number(1000 * seconds, 1)} ms"
    explanation = explained.decision.explanation if explained else None
    stack = explained.stack if explained else Stack(height=20)
    draw_thinking_panel(pen, box, explanation, stack, time_text=time, is_waiting=is_waiting)


def draw_heights(pen: Pen, box: Box, heights: Sequence[int], rows: int, second: SecondMode | None) -> None:
    """Draw the chart of the stack height, with the height at which the agent changes its mode."""
    threshold = second.threshold if second and second.selector == "max_height" else None
    text = f"Last {_HEIGHT_HISTORY_LENGTH} pieces" + (" · dashed: change of mode" if threshold is not None else "")
    text = text if box.width >= 480 else ""
    draw_stack_heights(pen, box, heights, rows, threshold=threshold, right_text=text)


def draw_watch_strip(pen: Pen, box: Box, view: WatchView, preview: int, second: SecondMode | None) -> None:
    """Draw statistics, mode, held piece and next pieces in one row; statistics that do not fit are left out."""
    pen.draw_panel(box)
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
    plan: Contour | None = None,
) -> None:
    """Draw the board of an agent's game with its candidates; the last piece locked `milliseconds_since_lock` ago.

    With `plan`, the outline of the chosen placement replaces the ranks of the candidates and the zones that are kept
    clear.
    """
    origin = pen.to_pixel_point(fitted.box.topleft)
    cell = fitted.cell_size
    clearing_lock, last_lock = agent_game.clearing_lock, agent_game.tracker.last_lock
    stack = clearing_lock.stack_before_clear if clearing_lock else agent_game.tracker.stack
    decision = agent_game.current_decision
    candidates = list_considered_placements(decision) if show_thinking and settings.candidates else ()
    has_animation = settings.has_animation

    def draw_below() -> None:
        if show_thinking and not plan:
            zones = find_agent_zones(agent_game)
            draw_keep_clear_zones(pen.surface, origin, cell, stack.height, zones, label="Danger zone")
        draw_candidate_shades(pen.surface, origin, cell, stack, candidates)

    def draw_above() -> None:
        if not plan:
            draw_best_candidates(pen.surface, origin, cell, stack, candidates)
        elif decision and decision.placement:
            draw_contour(pen.surface, origin, cell, stack.height, decision.placement.cells, contour=plan)

    is_locking = has_animation and not agent_game.is_fast_playing and milliseconds_since_lock < LOCK_MILLISECONDS
    clear_milliseconds = agent_game.clear_milliseconds if has_animation else _STATIC_CLEAR_MILLISECONDS
    drawn_piece = agent_game.drawn_piece
    active_piece = drawn_piece.placement
    # With a clock, it falls into view, as in Play.
    if active_piece and not agent_game.fall.has_clock and not fitted.entry_rows:
        active_piece = stack.lower_into_view(active_piece)
    animated_board = AnimatedBoard(
        stack,
        active_piece,
        drawn_piece.offset if has_animation else (0.0, 0.0),
        last_lock.placement if last_lock and is_locking and not last_lock.full_rows else None,
        lock_elapsed=milliseconds_since_lock,
        clear_elapsed=clear_milliseconds if clearing_lock else None,
        is_over=agent_game.game.is_over,
        ghost=decision.placement if decision and settings.ghost and not candidates and not plan else None,
    )
    draw_animated_board(
        pen.surface, origin, cell, animated_board, style=pen.style, draw_below=draw_below, draw_above=draw_above
    )
    if fitted.entry_rows:
        draw_entry_rows(pen, fitted, stack, active=active_piece, offset=animated_board.active_offset)


def list_considered_placements(decision: Decision | None) -> Sequence[Placement]:
    """Return the candidate placements of a decision, the best one first."""
    if decision and decision.explanation:
        return [candidate.placement for candidate in decision.explanation.candidates]
    return [decision.placement] if decision and decision.placement else []


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
