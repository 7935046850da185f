"""Play screen: the setup and the game of a human player, with the panels next to the board."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pygame

from tetrion.app.engine_loading import COMPILING_SHORT
from tetrion.app.game_storage import (
    HUMAN_PLAYER,
    BestScore,
    load_best_scores,
    save_best_score,
    save_game,
    select_best_scores,
    should_save,
)
from tetrion.app.games.background_agent import Adviser
from tetrion.app.games.game_tracker import STATISTICS_PIECE_ORDER
from tetrion.app.games.human_game import HumanGame
from tetrion.app.games.human_rules import (
    MARATHON,
    MAX_START_LEVEL,
    MODES,
    GameMode,
    can_have_garbage,
    count_entry_rows,
    describe_unusual_controls,
    get_min_level,
    reset_handling,
)
from tetrion.app.games.key_input import GAME_OVER_KEY_DELAY, HeldKeyFilter, is_key_of_action
from tetrion.app.picker_options import choose_hint_agent, format_rules, list_hint_agent_options, list_rules_options
from tetrion.app.screen import Screen
from tetrion.app.screens.game_panels import draw_next_panel
from tetrion.app.toolkit.controls import ButtonSpec, compute_segments_width, draw_segments, draw_stepper, draw_toggle
from tetrion.app.toolkit.form import FORM_KEY_LEGEND, Form, SeedChoice, draw_seed_field
from tetrion.app.toolkit.frame import OVERLAY_WIDTH, Chip, Frame, KeyLegend, draw_frame, draw_key_legend, draw_overlay
from tetrion.app.toolkit.picker import draw_picker
from tetrion.app.toolkit.ui import Ui, format_key_label
from tetrion.app.window import Window
from tetrion.app.window_settings import AUTOMATIC_AGENT, get_main_key
from tetrion.board import Placement
from tetrion.drawing.contours import HINT_CONTOUR, Contour
from tetrion.drawing.layout import (
    Box,
    Panel,
    Part,
    draw_column,
    flexible,
    inset,
    list_rows,
    place,
    split_column,
    split_row,
)
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    NORMAL_TEXT,
    RAISED_PANEL,
    STRONG_TEXT,
    get_piece_colours,
)
from tetrion.drawing.pen import PANEL_TITLE_OFFSET, FittedBoard
from tetrion.drawing.side_panels import (
    HOLD_PANEL_HEIGHT,
    compute_attack_figures_height,
    compute_queue_height,
    draw_action_on_board,
    draw_attack_figures,
    draw_garbage_meter,
    draw_hold_panel,
    draw_queue_column,
    draw_speed_figures,
)
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_duration
from tetrion.game import Game
from tetrion.game_facts import CLEAR_NAMES, VisiblePieces, describe_end, has_attack_layout
from tetrion.position import uses_levels

GAME_SETUP = "setup"
GAME_RUNNING = "running"
GAME_PAUSED = "paused"
GAME_OVER = "over"
_MIN_OVERLAY_WIDTH = 224  # an overlay is not wider than the board, except over a narrow board
_CLEARS_HEIGHT = 268
_FIGURES_HEIGHT = 84
NO_RESULTS_TEXT = "No finished game with these rules yet."
DrawPanel = Callable[[Box], object]
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

    `game` is a game of the mode to continue; with `start`, a new game with the given rules starts immediately.
    """

    title = "Play"

    def __init__(
        self,
        window: Window,
        *,
        rules: str = "",
        mode: str = "",
        seed: int | None = None,
        level: int | None = None,
        start: bool = False,
        game: Game | None = None,
    ) -> None:
        super().__init__(window)
        settings = window.settings
        self.setup = PlaySetup(
            str(reset_handling(game.rules)) if game else rules or settings.play_rules,
            MODES.get(mode or ("" if game else settings.play_mode), MARATHON),
            settings.level,
            settings.hint_agent,
            SeedChoice.from_seed(seed),
        )
        if level is not None:
            self.setup.level = level
        self.state = GAME_SETUP
        self.human_game: HumanGame | None = None
        self.hint_provider = HintProvider(settings.hint_agent)
        self.saved_file: Path | None = None
        self.rank = 0  # of the game among the best results, or 0
        self._scores: dict[str, list[BestScore]] | None = None
        self._held_keys = HeldKeyFilter()
        if game:
            self._start_game(game, started_here=False)
        elif start:
            self._start_new_game()

    # Game

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle the keys of the game, and those that pause, continue and restart it."""
        if self._held_keys.handle_event(event):
            return True
        if not self.human_game:
            return False
        if self._is_key_for(event, "pause") and self.state == GAME_RUNNING:
            self._pause()
        elif self._is_key_for(event, "pause") and self.state == GAME_PAUSED:
            self._continue()
        elif self._is_key_for(event, "restart"):
            self._restart()
        elif self._is_key_for(event, "hint") and self.state == GAME_RUNNING:
            self.hint_provider.is_on = not self.hint_provider.is_on
        else:
            return self.state == GAME_RUNNING and self.human_game.key_input.handle_event(event)
        return True

    def _is_key_for(self, event: pygame.event.Event, action: str) -> bool:
        return is_key_of_action(event, self.window.settings.keys, action)

    @property
    def is_moving(self) -> bool:
        """Whether a game is running."""
        return self.state == GAME_RUNNING

    def update(self, seconds: float) -> None:
        """Advance the game and the animations."""
        self._load_scores()
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
            if human_game.is_finished:
                self._end_game()
        else:
            human_game.update_animation(seconds)
        self.hint_provider.update(human_game.game, self.state == GAME_RUNNING)
        adviser = self.hint_provider.adviser
        self.window.ask_about_code(adviser.take_code_file(), lambda: self.hint_provider.begin_game(adviser.given_agent))

    @property
    def hint(self) -> Placement | None:
        """Placement that the hint agent recommends for the current piece, or None."""
        return self.hint_provider.get_placement(self.human_game.game) if self.human_game else None

    def _start_new_game(self) -> None:
        """Start a game with the chosen setup, and save the setup."""
        setup = self.setup
        if (rules := setup.rules) is None:
            return
        self.window.change_settings(
            play_rules=setup.rules_text, play_mode=setup.mode.name, level=setup.level, hint_agent=setup.hint_agent
        )
        self._start_game(Game(self.window.settings.controls.apply_to(rules), setup.seed.choose_seed()))

    def _start_game(self, game: Game, *, started_here: bool = True) -> None:
        settings = self.window.settings
        self.hint_provider.begin_game(choose_hint_agent(self.setup.hint_agent, game.rules))
        self.human_game = HumanGame(
            game, settings.keys, settings.has_animation, mode=self.setup.mode, is_started_by_human=started_here
        )
        self.state = GAME_RUNNING
        self.saved_file = None
        self.rank = 0
        self._held_keys.end()
        self._set_music(True)
        if self.human_game.is_finished:
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
        """Save the game once, and its result if it is finished; a game that is given up has none."""
        human_game = self.human_game
        if not human_game or human_game.is_saved:
            return
        human_game.is_saved = True
        message = ""
        if human_game.pieces_placed:
            self.saved_file, message = save_game(human_game.game, HUMAN_PLAYER, human_game.mode)
        if human_game.is_ranked:
            self.rank, score_message = save_best_score(human_game.game, human_game.mode)
            message = message or score_message
            self._scores = None
        if message:
            self.window.show_message(message)

    def _load_scores(self) -> dict[str, list[BestScore]]:
        """Return the best results; they are read again after a change."""
        if self._scores is None:
            self._scores, message = load_best_scores()
            if message:
                self.window.show_message(message)
        return self._scores

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        self._pause()
        self._held_keys.release_all()

    def on_return(self) -> None:
        """Read the best results again, which may have changed."""
        self._scores = None

    def on_leave(self) -> None:
        """Save the game."""
        if self.human_game:
            self.human_game.key_input.release_all()
        self._save_game()
        self.hint_provider.adviser.close()
        self.window.sound.resume()

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the setup or the game."""
        human_game, mode, rules = self.human_game, self.setup.mode, self.setup.own_rules
        chips = [Chip("" if mode is MARATHON else mode.label, has_dot=True), Chip(format_rules(rules) if rules else "")]
        if human_game:
            chips.append(Chip(f"Seed {human_game.game.seed}"))
        back_label = {GAME_RUNNING: "Pause", GAME_PAUSED: "Continue"}.get(self.state, "")
        frame = draw_frame(ui, self.title, chips, back_label)
        if human_game:
            self._draw_game(ui, frame, human_game)
        else:
            self._draw_setup(ui, frame)
        is_closed = frame.is_closed or ui.is_key_pressed("Esc")
        if is_closed and self.state == GAME_RUNNING:
            self._pause()
        elif is_closed and self.state == GAME_PAUSED:
            self._continue()
        elif is_closed and self.window.screen is self:
            self.window.close_screen()

    def _draw_setup(self, ui: Ui, frame: Frame) -> None:
        setup = self.setup
        width, height = (480, 336) if frame.is_wide else (440, frame.content.width - 440 - frame.gap)
        area = place(frame.content, width + frame.gap + height, min(540, frame.content.height), 0.5, 0.3)
        form, best = split_row(area, [width, flexible()], frame.gap)
        used = setup.draw(ui, form, is_wide=frame.is_wide)
        scores = select_best_scores(self._load_scores(), setup.rules, setup.mode) if setup.rules else []
        draw_best_results(ui, best, scores, setup.mode)
        draw_key_legend(ui, frame.footer, FORM_KEY_LEGEND)
        if used:
            self.window.sound.play("choose")
        if used == "start":
            self._start_new_game()
        elif used == "practice":
            rules = str(setup.rules or self.window.settings.play_rules)
            agent = "" if setup.hint_agent == AUTOMATIC_AGENT else setup.hint_agent
            self.window.open_screen_by_name("practice", rules=rules, agent=agent)

    def _draw_game(self, ui: Ui, frame: Frame, human_game: HumanGame) -> None:
        content, rules = frame.content, human_game.game.rules
        sides = [280 if frame.is_wide else 0, flexible(), 280 if frame.is_wide else 300]
        board_space = split_row(content, sides, frame.gap)[1]
        fitted = ui.pen.fit_board(board_space, rules.height, align=0, entry_rows=count_entry_rows(rules))
        scores = select_best_scores(self._load_scores(), rules, human_game.mode)
        hint_key = self._get_key_label("hint") or "Hint"
        draw_hint = partial(self.hint_provider.draw, ui, game=human_game.game, key=hint_key)
        panels = GamePanels(ui, human_game, draw_hint, scores, self.rank)
        if frame.is_wide:
            left, board, right = split_row(content, [280, fitted.box.width, 280], frame.gap, align=0.5)
            fitted = fitted._replace(box=fitted.box.move(board.left - fitted.box.left, 0))
            draw_column(left, frame.gap, panels.list_left())
            draw_column(right, frame.gap, panels.list_right(right.height - 2 * frame.gap))
        else:
            board, column = split_row(content, [fitted.box.width, flexible()], frame.gap)
            draw_column(column, frame.gap, panels.list_compact())
        self._draw_board(ui, fitted, human_game)
        draw_key_legend(ui, frame.footer, self._make_legend(rules.keys.split("+")))
        covered = Box(fitted.box.left, content.top, fitted.box.width, fitted.box.bottom - content.top)
        self._draw_overlay(ui, covered, human_game)

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

    def _draw_overlay(self, ui: Ui, board: Box, human_game: HumanGame) -> None:
        """Draw the menu of a paused or finished game, and act on its buttons."""
        restart, pause = self._get_key_label("restart"), self._get_key_label("pause")
        leave = "" if "Q" in (restart, pause) else "Q"
        if self.state == GAME_PAUSED:
            headline, lines = "Paused", [describe_keeping(human_game)]
            buttons = [("Continue", pause), ("Restart", restart), ("Leave", leave)]
        elif self.state == GAME_OVER:
            headline = "Game over" if human_game.game.is_over else "Finished"
            lines = describe_result(human_game, self.rank)
            review = [("Review", "V")] if self.saved_file else []
            buttons = [("Play again", restart), *review, ("Menu", "Esc")]
        else:
            return
        width = max(_MIN_OVERLAY_WIDTH, min(OVERLAY_WIDTH, board.width))
        action = draw_overlay(ui, board, headline, [line for line in lines if line], buttons, width=width)
        if action:
            self.window.sound.play("choose")
        if action == "Continue":
            self._continue()
        elif action in ("Restart", "Play again"):
            self._restart()
        elif action == "Review":
            self.window.open_screen_by_name("review", file=self.saved_file)
        elif action in ("Leave", "Menu"):
            self.window.close_screen()

    def _get_key_label(self, action: str) -> str:
        """Return the label of the key of an action, or of the gamepad button if the gamepad was used last."""
        names = self.window.settings.keys[action]
        return format_key_label(get_main_key(names, prefers_gamepad=self.window.gamepads.was_used_last))

    def _make_legend(self, allowed_actions: Sequence[str]) -> KeyLegend:
        groups = [(["left", "right"], "Move")]
        groups += [([action], label) for action, label in _ACTION_LABELS.items() if action in allowed_actions]
        groups += [(["hint"], "Hint"), (["pause"], "Pause"), (["restart"], "Restart")]
        entries = [([self._get_key_label(action) for action in actions], label) for actions, label in groups]
        return [(labels, text) for labels, text in entries if all(labels)]


def describe_keeping(human_game: HumanGame) -> str:
    """Return a sentence that says whether the game is kept when the player leaves it."""
    if not human_game.pieces_placed:
        return ""
    if should_save(human_game.game, HUMAN_PLAYER):
        return "If you leave, the game is kept in Replays; continue there."
    return "If you leave, the game is lost: it began with a position."


def describe_result(human_game: HumanGame, rank: int) -> list[str]:
    """Return why a game has ended, its result, and its rank among the best."""
    game, mode = human_game.game, human_game.mode
    points = f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}"
    progress = human_game.progress
    if not human_game.is_goal_reached and mode.ranks_times and progress:
        return [describe_end(game), f"{mode.label} not finished: {progress.words}"]
    kind = "time" if mode.ranks_times else "game"
    rank_text = f"Your best {kind}" if rank == 1 else f"Rank {rank} of your best {kind}s"
    result = f"{format_time(human_game.seconds)}, {format_count(game.pieces, 'piece')}" if mode.ranks_times else points
    return [describe_end(game), result, rank_text if rank else ""]


def format_time(seconds: float, decimals: int = 2) -> str:
    """Return a time as "0:58.31", rounded down."""
    units = 10**decimals
    minutes, rest = divmod(int(seconds * units + 1e-6), 60 * units)
    return f"{minutes}:{rest // units:02}.{rest % units:0{decimals}}"


# Setup


class PlaySetup:
    """The choices before a game; `rules_text` is as typed, except that a start level is moved to `level`."""

    def __init__(self, rules_text: str, mode: GameMode, level: int, hint_agent: str, seed: SeedChoice) -> None:
        self.mode = mode
        self.level = level
        self.hint_agent = hint_agent
        self.seed = seed
        self.rules_text = ""
        self.rules_error = ""
        self._rules: Rules | None = None
        self.choose_rules(rules_text)

    @property
    def rules(self) -> Rules | None:
        """The rules of the game, with what the mode adds; None if they are invalid."""
        return self.mode.apply_to(self.own_rules) if self.own_rules and not self.rules_error else None

    @property
    def own_rules(self) -> Rules | None:
        """The rules without the mode, or None if they are invalid."""
        if self._rules is None or not uses_levels(self._rules):
            return self._rules
        return self._rules.with_(start_level=self.start_level)

    @property
    def start_level(self) -> int:
        """The chosen level, within the limits of the rules."""
        if self._rules is None:
            return self.level
        return max(get_min_level(self._rules), self.level)

    def choose_rules(self, text: str, mode: GameMode | None = None) -> None:
        """Parse typed rules and choose a mode; sets `rules_error` if the rules are invalid or the mode needs others."""
        self.rules_text = text
        self.mode = mode or self.mode
        self.rules_error = ""
        self._rules = None
        try:
            rules = Rules.parse(text)
            if uses_levels(rules) and rules.start_level != get_min_level(rules):
                self.level, rules = rules.start_level, rules.with_(start_level=get_min_level(rules))
                self.rules_text = str(rules)
            self._rules = rules
            self.mode.apply_to(rules)
        except TetrionError as error:
            self.rules_error = str(error)

    def draw(self, ui: Ui, box: Box, *, is_wide: bool) -> str:
        """Draw the form; return "start" or "practice" when that button is used."""
        with Form(ui, box) as form:
            modes = list(MODES.values())
            labels = [mode.label for mode in modes]
            row = form.skip(52)
            row = Box(row.left, row.top, compute_segments_width(ui.pen, labels), 40)
            mode = modes[draw_segments(ui, "mode", row, labels, modes.index(self.mode))]
            form.add_text(mode.description, STRONG_TEXT, lines=1, is_indented=False)
            rules = draw_picker(
                ui,
                "rules",
                form.add_field("Rules"),
                self.rules_text,
                list_rules_options,
                free_text_hint="rules such as nes:start_level=9",
            )
            text = self.rules_error or describe_rules(self._rules)
            form.add_text(text, NEGATIVE if self.rules_error else DIM_TEXT, lines=5, is_indented=is_wide)
            level_box, garbage_box = split_row(form.add_field("Start level"), [140, flexible()], 24)
            self._draw_level(ui, level_box)
            rules = self._draw_garbage(ui, garbage_box, rules)
            self.seed = draw_seed_field(ui, form.add_field("Seed"), self.seed)
            self.hint_agent = draw_picker(
                ui,
                "hint agent",
                form.add_field("Hint from"),
                self.hint_agent,
                list_hint_agent_options,
                free_text_hint="a file, class or folder",
            )
            used = form.draw_start(
                is_enabled=not self.rules_error, buttons=[ButtonSpec("practice", "Practice")], other_focus="rules"
            )
        if rules != self.rules_text or mode is not self.mode:
            self.choose_rules(rules, mode)
        return used

    def _draw_level(self, ui: Ui, box: Box) -> None:
        if self._rules is None or not uses_levels(self._rules):
            ui.pen.draw_text("No levels" if self._rules else NO_VALUE, box.midleft, 14, False, DIM_TEXT)
            return
        min_level = get_min_level(self._rules)
        level = draw_stepper(ui, "level", box, self.start_level, min_value=min_level, max_value=MAX_START_LEVEL)
        self.level = level if level != self.start_level else self.level

    def _draw_garbage(self, ui: Ui, box: Box, rules_text: str) -> str:
        """Draw the switch for garbage, for rules that can have it; return the rules with or without garbage."""
        if self._rules is None or not can_have_garbage(self._rules):
            return rules_text
        ui.pen.draw_text("Garbage", box.midleft, 16, False, DIM_TEXT)
        has_garbage = self._rules.garbage_rows > 0
        if draw_toggle(ui, "garbage", box, has_garbage) == has_garbage:
            return rules_text
        return str(self._rules.with_(garbage_rows=int(not has_garbage)))


def describe_rules(rules: Rules | None) -> str:
    """Describe rules, and what is unusual about their controls, in a few sentences."""
    if rules is None:
        return ""
    source = PRESETS[rules.name].source
    preview = {0: "no next piece is shown", 1: "one next piece is shown"}.get(
        rules.preview, f"{rules.preview} next pieces are shown"
    )
    text = f"{source[0].upper()}{source[1:]}. {rules.height} rows; {preview}. {describe_unusual_controls(rules)}"
    return text.strip()


# Hints


class HintProvider:
    """Asks an agent about each new piece while hints are on; the game never waits for it."""

    def __init__(self, agent: str) -> None:
        self.adviser = Adviser(agent)
        self.is_on = False
        self._asked_piece: tuple[int, int, str] | None = None

    def begin_game(self, agent: str) -> None:
        """Prepare for a new game with an agent, which is started again after an error."""
        if agent != self.adviser.given_agent or self.adviser.problem:
            self.adviser.close()
            self.adviser = Adviser(agent)
        self._asked_piece = None

    def update(self, game: Game, is_running: bool) -> None:
        """Ask about a new piece while the game is running."""
        piece = identify_piece(game)
        if self.is_on and is_running and piece != self._asked_piece:
            self._asked_piece = piece
            self.adviser.ask(game.position)

    def get_placement(self, game: Game) -> Placement | None:
        """Return the placement that the agent would choose; None while it is unknown or hints are off."""
        decision = self.adviser.decision
        is_current = self.is_on and self._asked_piece == identify_piece(game)
        return decision.placement if decision and is_current else None

    def draw(self, ui: Ui, box: Box, game: Game, key: str) -> None:
        """Draw the panel with the key that turns hints on and off; a low panel has no explanation."""
        pen = ui.pen
        inside = pen.draw_panel(box, "Hint")
        key_box = Box(inside.right - pen.measure_keycap(key), box.top + 12, pen.measure_keycap(key), 24)
        pen.draw_keycap(key_box.midleft, key)
        if ui.add_control("hint", key_box, radius=6).is_activated:
            self.is_on = not self.is_on
        dot, colour, line, explanation = self._describe(game)
        text = Box(inside.left + 20, inside.top + 16, inside.width - 20, inside.height)
        pen.draw_disc((inside.left + 6, text.top), 4, dot)
        if self.is_on and self.adviser.problem:
            pen.draw_paragraph(line, text.topleft, text.width, 14, colour, max_lines=2 + text.height // 50)
            return
        pen.draw_text(pen.truncate_text(line, text.width), text.topleft, 16, False, colour)
        if text.height >= 50:
            explanation = pen.truncate_text(explanation, text.width, 14)
            pen.draw_text(explanation, (text.left, text.top + 26), 14, False, DIM_TEXT)

    def _describe(self, game: Game) -> tuple[str, str, str, str]:
        """Return the colours of the dot and the line, the line, and an explanation."""
        name = self.adviser.name
        if not self.is_on:
            return FAINT_TEXT, DIM_TEXT, "Off", f"Ask {name} where to play."
        if self.adviser.problem:
            return NEGATIVE, NORMAL_TEXT, self.adviser.problem, ""
        if (placement := self.get_placement(game)) is None:
            explanation = COMPILING_SHORT if self.adviser.is_compiling else f"{name} is deciding."
            return FAINT_TEXT, DIM_TEXT, "Thinking…", explanation
        where = "Hold, then the dotted outline." if placement.hold else "The dotted outline on the board."
        return ACCENT, NORMAL_TEXT, f"{name} would play here", where


def identify_piece(game: Game) -> tuple[int, int, str]:
    """Return what identifies the current piece of a game: also its letter, which changes when hold is used."""
    return id(game), game.pieces, game.piece


# Panels


class GamePanels:
    """The panels next to a board: lists of panels, each with its height and the function that draws it."""

    def __init__(self, ui: Ui, human_game: HumanGame, draw_hint: DrawPanel, scores: list[BestScore], rank: int) -> None:
        self.ui = ui
        self.human_game = human_game
        self.game = human_game.game
        self.scores = scores
        self.rank = rank
        rules = self.game.rules
        self.is_modern = has_attack_layout(rules)
        self._hint = draw_hint
        self._next = self.game.next[: rules.preview]
        self._hold = Panel(HOLD_PANEL_HEIGHT if rules.hold else 0, self._draw_hold)
        self._attack = partial(draw_attack_figures, ui.pen, game=self.game)

    def list_left(self) -> list[Panel]:
        """Return the panels left of the board."""
        last = (100, self._attack) if self.is_modern else (270, self._draw_statistics)
        return [
            self._hold,
            Panel(230 if self.human_game.progress else 180, self._draw_score),
            Panel(flexible(last[0], rank=1), last[1]),
        ]

    def list_right(self, height: int) -> list[Panel]:
        """Return the panels at the right of the board, for `height` units without the gaps."""
        preview = self.game.rules.preview
        queue = Part(compute_queue_height(preview), compute_queue_height(preview, 36))
        next_panel = Panel(queue if self.is_modern else 148, self._draw_next)
        panels = [*([next_panel] if preview else []), Panel(112, self._hint)]
        if self.human_game.is_finished:
            panels = [Panel(flexible(276) if self.is_modern else 276, self._draw_best)]
        if self.is_modern or height < 260 + _CLEARS_HEIGHT:
            return [*panels, Panel(Part(_FIGURES_HEIGHT, rank=1), self._draw_figures)]
        return [*panels, Panel(flexible(_CLEARS_HEIGHT), self._draw_clears)]

    def list_compact(self) -> list[Panel]:
        """Return the panels of a single column."""
        score = Panel(128 if self.human_game.progress else 88, self._draw_score_strip)
        counts = Panel(Part(108, rank=1), self._draw_piece_counts)
        if self.human_game.is_finished:
            height = compute_attack_figures_height(self.game)
            attack = Panel(Part(height, minimum=0.8 * height), self._attack)
            return [score, Panel(flexible(100), self._draw_best), attack if self.is_modern else counts]
        return [
            score,
            Panel(108 if self._next else 0, partial(draw_next_panel, self.ui.pen, pieces=self._next)),
            self._hold if self.game.rules.hold else counts,
            Panel(86, self._hint),
            Panel(Part(_FIGURES_HEIGHT, rank=1), self._draw_figures),
        ]

    def _draw_hold(self, box: Box) -> None:
        pieces = VisiblePieces.from_position(self.game.position)
        has_animation = self.human_game.board_animator.has_animation
        draw_hold_panel(self.ui.pen, box, pieces, self.human_game.action, has_animation=has_animation)

    def _draw_next(self, box: Box) -> None:
        if self.is_modern:
            draw_queue_column(self.ui.pen, box, self._next, self.game.rules.preview)
        else:
            draw_next_panel(self.ui.pen, box, self._next)

    def _draw_best(self, box: Box) -> None:
        text = "The best scores cannot be read." if self.human_game.is_ranked else NO_RESULTS_TEXT
        if not self.human_game.is_started_by_human:
            text = "A continued game does not count as a best score."
        draw_best_results(self.ui, box, self.scores, self.human_game.mode, own_rank=self.rank, empty_text=text)

    def _list_counters(self) -> list[tuple[str, str]]:
        """Return the large number with its label, and the further ones."""
        game, human_game = self.game, self.human_game
        level = [("Level", f"{game.level}")] if uses_levels(game.rules) else []
        result = ("Score", f"{game.score:,}")
        if human_game.mode.ranks_times:
            result = ("Time", format_time(human_game.seconds, 2 if human_game.is_finished else 1))
        return [result, ("Lines", f"{game.lines:,}"), *level, ("Pieces", f"{game.pieces:,}")]

    def _format_best(self) -> str:
        """Return the best result, including this game; empty if there is none or if the game does not count."""
        if not self.scores or not self.human_game.is_started_by_human:
            return ""
        if self.human_game.mode.ranks_times:
            return f"Best {format_time(self.scores[0].seconds)}"
        return f"Best {max(self.scores[0].score, self.game.score):,}"

    def _draw_score(self, box: Box) -> None:
        """Draw the score or time, the counters below it, and the progress."""
        pen = self.ui.pen
        (label, hero), *counters = self._list_counters()
        inside = pen.draw_panel(box, label, self._format_best())
        top, numbers, progress = split_column(inside, [56, 68, flexible()])
        size = 48 if pen.measure_text(hero, 48, True) <= inside.width else 34
        pen.draw_text(hero, (top.left - 1, top.top + 20), size, True, STRONG_TEXT)
        pen.draw_separator(top.left, top.bottom, top.width)
        for (name, number), column in zip(counters, split_row(numbers, [88] * len(counters)), strict=True):
            pen.draw_number((column.left, column.top + 24), name, number)
        self._draw_progress(progress)

    def _draw_score_strip(self, box: Box) -> None:
        """Draw the score or time and the counters in one row, and the progress."""
        pen, best = self.ui.pen, self._format_best()
        (label, hero), *counters = self._list_counters()
        widths = [max(168, pen.measure_text(hero, 34, True) + 24), *[84] * len(counters)]
        first, *columns, rest = split_row(inset(box, 16), [*widths, flexible()])
        inside = pen.draw_panel(box, label, best if pen.measure_text(best, 14) <= rest.width else "")
        pen.draw_text(hero, (first.left - 1, first.top + 41), 34, True, STRONG_TEXT)
        for (name, number), column in zip(counters, columns, strict=True):
            pen.draw_number((column.left, column.top + 10), name, number, 22)
        self._draw_progress(inside)

    def _draw_progress(self, box: Box) -> None:
        if progress := self.human_game.progress:
            self.ui.pen.draw_progress(box, progress.words, progress.figures, progress.share)

    def _draw_statistics(self, box: Box) -> None:
        """Draw the number of each piece with bars; a full bar is a multiple of ten."""
        pen, counts = self.ui.pen, self.human_game.tracker.piece_counts
        inside = pen.draw_panel(box, "Piece statistics", format_count(self.game.pieces, "piece"))
        full = max(10, -(-max(counts.values(), default=0) // 10) * 10)
        rows = split_column(inside, [Part(62, 0)] * len(STATISTICS_PIECE_ORDER))
        for letter, row in zip(STATISTICS_PIECE_ORDER, rows, strict=True):
            piece, bar, count = split_row(row, [52, flexible(), 44], 24)
            pen.draw_piece(piece.center, 13, letter)
            pen.draw_bar(place(bar, bar.width, 6), counts[letter] / full, get_piece_colours(pen.style.palette)[letter])
            pen.draw_text(f"{counts[letter]:,}", count.midright, 16, True, STRONG_TEXT, align=1)

    def _draw_piece_counts(self, box: Box) -> None:
        """Draw the number of each piece in one row."""
        pen, counts = self.ui.pen, self.human_game.tracker.piece_counts
        inside = pen.draw_panel(box, "Piece statistics", format_count(self.game.pieces, "piece"))
        slots = split_row(inside, [flexible()] * len(STATISTICS_PIECE_ORDER))
        for letter, slot in zip(STATISTICS_PIECE_ORDER, slots, strict=True):
            pen.draw_piece((slot.centerx, slot.top + 16), 10, letter)
            pen.draw_text(f"{counts[letter]:,}", (slot.centerx, slot.top + 46), 16, True, STRONG_TEXT, align=0.5)

    def _draw_figures(self, box: Box) -> None:
        self.ui.pen.draw_panel(box)
        if self.is_modern:
            draw_speed_figures(self.ui.pen, inset(box, 16, 8), self.game, format_duration(int(self.human_game.seconds)))
        else:
            self._draw_further_figures(inset(box, 16, 8))

    def _draw_further_figures(self, box: Box) -> None:
        """Draw tetris rate, pieces since the last I, and time."""
        tracker = self.human_game.tracker
        figures = (
            ("Tetris rate", NO_VALUE if tracker.tetris_rate is None else f"{100 * tracker.tetris_rate:.0f} %"),
            ("Since last I", f"{tracker.pieces_since_i}" if self.game.pieces else NO_VALUE),
            ("Time", format_duration(int(self.human_game.seconds))),
        )
        columns = split_row(box, [flexible(share=0.355), flexible(share=0.403), flexible(share=0.242)])
        for (label, figure), column in zip(figures, columns, strict=True):
            self.ui.pen.draw_number((column.left, column.top + 22), label, figure)

    def _draw_clears(self, box: Box) -> None:
        """Draw the number and the points of line clears by size, and three further figures."""
        pen, tracker = self.ui.pen, self.human_game.tracker
        inside = pen.draw_panel(box, "Clears")
        rows = list(zip(CLEAR_NAMES, map(str, tracker.clear_counts), tracker.clear_points, strict=True))
        if other := {"nes": "Soft drop", "tetrais": "Pieces"}.get(self.game.rules.scoring):
            rows.append((other, "", self.human_game.non_clear_points))
        table, _, figures = split_column(inside, [Part(40 * len(rows), 28 * len(rows)), flexible(), 56])
        count_right, points_right = inside.right - 72, inside.right
        for title, right in (("Count", count_right), ("Points", points_right)):
            pen.draw_text(title, (right, box.top + PANEL_TITLE_OFFSET), 14, False, DIM_TEXT, align=1)
        for number, row in enumerate(split_column(table, [flexible()] * len(rows))):
            name, count, points = rows[number]
            colour = STRONG_TEXT if points else FAINT_TEXT
            for square in split_row(place(row, row.width, 7), [7] * (number + 1) if number < 4 else [], 2):
                pen.fill_rounded(square, 1.5, ACCENT if number == 3 else DIM_TEXT)  # one square per line
            pen.draw_text(name, (row.left + 48, row.centery), 16, False, NORMAL_TEXT)
            pen.draw_text(count, (count_right, row.centery), 16, True, colour, align=1)
            pen.draw_text(f"{points:,}", (points_right, row.centery), 16, True, colour, align=1)
        pen.draw_separator(figures.left, figures.top - 6, figures.width)
        self._draw_further_figures(figures.move(0, -6))


def draw_best_results(
    ui: Ui,
    box: Box,
    scores: Sequence[BestScore],
    mode: GameMode,
    *,
    own_rank: int = 0,
    empty_text: str = NO_RESULTS_TEXT,
) -> None:
    """Draw the best results, or `empty_text` without any; `own_rank` is the rank of the game that has ended, or 0."""
    pen = ui.pen
    inside = pen.draw_panel(box, "Best times" if mode.ranks_times else "Best scores")
    if not scores:
        pen.draw_paragraph(empty_text, (inside.left, inside.top + 14), inside.width, 14, DIM_TEXT)
        return
    inside = Box(inside.left, inside.top - 4, inside.width, inside.height + 12)
    rows = list_rows(inside, min(30, max(22, inside.height // 10)))
    for number, (score, row) in enumerate(zip(scores, rows, strict=False), 1):
        is_own = number == own_rank
        if is_own:
            pen.fill_rounded(row.inflate(16, 0), 6, RAISED_PANEL, BOARD_OUTLINE)
        rank, result, detail, date = split_row(row, [16, 88, flexible(90), Part(84, rank=1)], 8)
        figure = format_time(score.seconds) if mode.ranks_times else f"{score.score:,}"
        count = format_count(score.pieces, "piece") if mode.ranks_times else format_count(score.lines, "line")
        pen.draw_text(f"{number}", rank.midright, 14, False, ACCENT if is_own else FAINT_TEXT, align=1)
        pen.draw_text(figure, result.midright, 16, True, ACCENT if is_own else STRONG_TEXT, align=1)
        pen.draw_text(count, (detail.left + 8, detail.centery), 14, False, DIM_TEXT)
        if date:
            pen.draw_text(score.date, date.midright, 14, False, FAINT_TEXT, align=1)
