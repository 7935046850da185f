"""Play screen: the setup and the game of a human player, with the panels next to the board."""

from collections.abc import Sequence
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
from tetrion.app.games.human_game import HeldKeyFilter, HumanGame, is_key_of_action
from tetrion.app.games.human_rules import (
    MARATHON,
    MODES,
    GameMode,
    can_have_garbage,
    count_entry_rows,
    describe_unusual_controls,
    get_min_level,
    reset_handling,
)
from tetrion.app.games.played_game import GAME_OVER_KEY_DELAY, describe_result, format_time
from tetrion.app.picker_options import (
    choose_hint_agent,
    draw_agent_picker,
    draw_rules_picker,
    format_rules,
    list_hint_agent_options,
)
from tetrion.app.screens.game_panels import draw_next_panel
from tetrion.app.toolkit.controls import ButtonSpec, compute_segments_width, draw_segments, draw_stepper, draw_toggle
from tetrion.app.toolkit.form import FORM_KEY_LEGEND, Form, SeedChoice, draw_seed_field
from tetrion.app.toolkit.frame import OVERLAY_WIDTH, Chip, Frame, draw_frame, draw_key_legend, draw_overlay
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen, Window
from tetrion.app.window_settings import AUTOMATIC_AGENT
from tetrion.board import Placement
from tetrion.drawing.cells import HINT_CONTOUR
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
)
from tetrion.engine.rules import INTEGER_FIELDS, PRESET_DEFINITIONS, Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_duration, format_number
from tetrion.game import Game, copy_game_record
from tetrion.game_facts import CLEAR_NAMES, VisiblePieces, has_attack_layout
from tetrion.position import uses_levels

GAME_SETUP = "setup"
GAME_RUNNING = "running"
GAME_PAUSED = "paused"
GAME_OVER = "over"
_MIN_OVERLAY_WIDTH = 224  # an overlay is not wider than the board, except over a narrow board
_NO_RESULTS_TEXT = "No finished game with these rules yet."
_ACTIONS_OF_ALL_RULES = ("hint", "pause", "restart")
_KEY_LABELS = {
    "Move": ("left", "right"),
    "Rotate": ("rotate",),
    "Rotate back": ("back",),
    "Half turn": ("half",),
    "Soft drop": ("down",),
    "Hard drop": ("drop",),
    "Hold": ("hold",),
    "Hint": ("hint",),
    "Pause": ("pause",),
    "Restart": ("restart",),
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
            MODES.get(mode if game else mode or settings.play_mode, MARATHON),
            settings.hint_agent,
            SeedChoice.from_seed(seed),
        )
        if level is not None:
            self.setup.choose_level(level)
        self.state = GAME_SETUP
        self.human_game: HumanGame | None = None
        self.adviser = Adviser(settings.hint_agent)
        self.has_hints = False
        self.saved_file: Path | None = None
        self.rank = 0  # of the game among the best results, or 0
        self._asked_piece: tuple[int, str] | None = None  # its number and letter, which changes when hold is used
        self._held_keys = HeldKeyFilter()
        self._load_scores()
        if game:
            self._start_game(game)
        elif start:
            self._start_new_game()

    # Game

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle the keys of the game, and those that pause, continue and restart it."""
        if self._held_keys.handle_event(event):
            return True
        if not self.human_game:
            return False
        keys = self.window.settings.keys
        action = next((name for name in _ACTIONS_OF_ALL_RULES if is_key_of_action(event, keys, name)), "")
        if action == "restart":
            self._restart()
        elif action == "pause" and self.state == GAME_PAUSED:
            self._continue()
        elif self.state != GAME_RUNNING:
            return False
        elif action == "pause":
            self._pause()
        elif action == "hint":
            self.has_hints = not self.has_hints
        else:
            return self.human_game.key_input.handle_event(event)
        return True

    @property
    def is_moving(self) -> bool:
        """Whether a game is running."""
        return self.state == GAME_RUNNING

    def update(self, seconds: float) -> None:
        """Advance the game and the animations."""
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
            elif self.has_hints and self._asked_piece != human_game.current_piece:
                self._asked_piece = human_game.current_piece
                self.adviser.ask(human_game.game.position)
        else:
            human_game.update_animation(seconds)
        self.window.ask_about_code(
            self.adviser.take_code_file(), lambda: self._change_adviser(self.adviser.given_agent)
        )

    @property
    def hint(self) -> Placement | None:
        """Placement that the hint agent recommends for the current piece; None while it is unknown or hints are off."""
        is_current = self.human_game and self._asked_piece == self.human_game.current_piece
        decision = self.adviser.decision if self.has_hints and is_current else None
        return decision.placement if decision else None

    def _change_adviser(self, agent: str) -> None:
        """Take hints from an agent, which is started again after an error."""
        if agent != self.adviser.given_agent or self.adviser.problem:
            self.adviser.close()
            self.adviser = Adviser(agent)
        self._asked_piece = None

    def _start_new_game(self) -> None:
        """Start a game with the chosen setup, and save the setup."""
        setup = self.setup
        if setup.rules:
            self.window.change_settings(
                play_rules=setup.rules_text, play_mode=setup.mode.name, hint_agent=setup.hint_agent
            )
            rules = self.window.settings.controls.apply_to(setup.rules)
            self._start_game(Game(rules, setup.seed.choose_seed()))

    def _start_game(self, game: Game) -> None:
        self._change_adviser(choose_hint_agent(self.setup.hint_agent, game.rules))
        self.human_game = HumanGame(game, self.window.settings.keys, mode=self.setup.mode)
        self.saved_file = None
        self.rank = 0
        self._continue()
        self._set_music(True)
        if self.human_game.is_finished:
            self._end_game()

    def _set_music(self, is_on: bool) -> None:
        self.has_music = is_on
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
            self._load_scores()
        if message:
            self.window.show_message(message)

    def _load_scores(self) -> None:
        self.best_scores, message = load_best_scores()
        if message:
            self.window.show_message(message)

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        self._pause()
        self._held_keys.release_all()

    def on_return(self) -> None:
        """Read the best results again, which may have changed, and stay silent while the game is paused."""
        self._load_scores()
        if self.state == GAME_PAUSED:
            self.window.sound.pause()

    def on_leave(self) -> None:
        """Save the game."""
        if self.human_game:
            self.human_game.key_input.release_all()
        self._save_game()
        self.adviser.close()
        self.window.sound.resume()

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the setup or the game."""
        setup, human_game = self.setup, self.human_game
        chips = [
            Chip("" if setup.mode is MARATHON else setup.mode.label, has_dot=True),
            Chip(format_rules(setup.own_rules) if setup.own_rules else ""),
            Chip(f"Seed {human_game.game.seed}" if human_game else ""),
        ]
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
        scores = select_best_scores(self.best_scores, setup.rules, setup.mode) if setup.rules else []
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
        content, gap = frame.content, frame.gap
        rules = human_game.game.rules
        side = 280 if frame.is_wide else 0
        _, space, _ = split_row(content, [side, flexible(), side or 300], gap)
        fitted = ui.pen.fit_board(space, rules.height, align=0, entry_rows=count_entry_rows(rules))
        left, board, right = split_row(content, [side, fitted.box.width, side or flexible()], gap, align=0.5)
        fitted = fitted._replace(box=fitted.box.move(board.left - fitted.box.left, 0))
        panels = GamePanels(ui, self, human_game)
        if frame.is_wide:
            draw_column(left, gap, panels.list_left())
            draw_column(right, gap, panels.list_right())
        else:
            draw_column(right, gap, panels.list_compact())
        self._draw_board(ui, fitted, human_game)
        self._draw_key_legend(ui, frame.footer, rules)
        covered = Box(board.left, content.top, board.width, fitted.box.bottom - content.top)
        self._draw_overlay(ui, covered, human_game)

    def _draw_board(self, ui: Ui, fitted: FittedBoard, human_game: HumanGame) -> None:
        game, settings = human_game.game, self.window.settings
        active = None if game.is_over else game.falling_piece
        hint = self.hint if active else None
        ghost = game.ghost if active and settings.ghost else None
        draw_garbage_meter(ui.pen, fitted.box, fitted.cell_size, game.position)
        human_game.board_animator.draw(
            ui.pen,
            fitted,
            human_game.tracker.stack,
            active=active,
            ghost=None if ghost in (active, hint) else ghost,
            contours=[(hint, HINT_CONTOUR)] if hint else [],
        )
        if not game.rules.hold:  # otherwise the hold box shows the action text
            strength = human_game.action.get_strength(settings.has_animation)
            draw_action_on_board(ui.pen, fitted.box, human_game.action.lines, strength)

    def _draw_overlay(self, ui: Ui, board: Box, human_game: HumanGame) -> None:
        """Draw the menu of a paused or finished game, and act on its buttons."""
        restart, pause = self.window.get_key_label("restart"), self.window.get_key_label("pause")
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

    def _draw_key_legend(self, ui: Ui, box: Box, rules: Rules) -> None:
        allowed_actions = {*rules.keys, *_ACTIONS_OF_ALL_RULES}
        entries = [
            ([self.window.get_key_label(action) for action in actions], label)
            for label, actions in _KEY_LABELS.items()
            if allowed_actions.issuperset(actions)
        ]
        draw_key_legend(ui, box, [(keys, label) for keys, label in entries if all(keys)])

    def draw_hint(self, ui: Ui, box: Box) -> None:
        """Draw the panel with the key that turns hints on and off; a low panel has no explanation."""
        pen, adviser = ui.pen, self.adviser
        inside = pen.draw_panel(box, "Hint")
        key = self.window.get_key_label("hint") or "Hint"
        key_box = Box(inside.right - pen.measure_keycap(key), box.top + 12, pen.measure_keycap(key), 24)
        pen.draw_keycap(key_box.midleft, key)
        if ui.add_control("hint", key_box, radius=6).is_activated:
            self.has_hints = not self.has_hints
        text = Box(inside.left + 20, inside.top + 16, inside.width - 20, inside.height)
        if self.has_hints and adviser.problem:
            pen.draw_disc((inside.left + 6, text.top), 4, NEGATIVE)
            lines = 2 + text.height // 50
            pen.draw_paragraph(adviser.problem, text.topleft, text.width, 14, NORMAL_TEXT, max_lines=lines)
            return
        state = ("Off", f"Ask {adviser.name} where to play.")
        if self.hint:
            where = "Hold, then the dotted outline." if self.hint.hold else "The dotted outline on the board."
            state = (f"{adviser.name} would play here", where)
        elif self.has_hints:
            state = ("Thinking…", COMPILING_SHORT if adviser.is_compiling else f"{adviser.name} is deciding.")
        pen.draw_disc((inside.left + 6, text.top), 4, ACCENT if self.hint else FAINT_TEXT)
        colour = NORMAL_TEXT if self.hint else DIM_TEXT
        pen.draw_text(pen.truncate_text(state[0], text.width), text.topleft, 16, False, colour)
        if text.height >= 50:
            explanation = pen.truncate_text(state[1], text.width, 14)
            pen.draw_text(explanation, (text.left, text.top + 26), 14, False, DIM_TEXT)


def describe_keeping(human_game: HumanGame) -> str:
    """Return a sentence that says whether the game is kept when the player leaves it."""
    if not human_game.pieces_placed:
        return ""
    if should_save(human_game.game, HUMAN_PLAYER):
        return "If you leave, the game is kept in Replays; continue there."
    return "If you leave, the game is lost: it began with a position."


# Setup


class PlaySetup:
    """The choices before a game; if `rules` is None, `rules_error` is the reason."""

    def __init__(self, rules_text: str, mode: GameMode, hint_agent: str, seed: SeedChoice) -> None:
        self.hint_agent = hint_agent
        self.seed = seed
        self.choose_rules(rules_text, mode)

    def choose_rules(self, text: str, mode: GameMode) -> None:
        """Choose rules as they are typed, and a mode, which may need other rules."""
        self.rules_text = text
        self.mode = mode
        self.rules_error = ""
        self.own_rules: Rules | None = None  # without what the mode adds
        self.rules: Rules | None = None
        try:
            self.own_rules = Rules.parse(text)
            self.rules = mode.apply_to(self.own_rules)
        except TetrionError as error:
            self.rules_error = str(error)

    def choose_level(self, level: int) -> None:
        """Choose the start level, if the rules have levels."""
        if self.own_rules and uses_levels(self.own_rules):
            level = max(level, get_min_level(self.own_rules))
            self.choose_rules(str(self.own_rules.replace(start_level=level)), self.mode)

    def draw(self, ui: Ui, box: Box, *, is_wide: bool) -> str:
        """Draw the form; return "start" or "practice" when that button is used."""
        with Form(ui, box) as form:
            modes = list(MODES.values())
            labels = [mode.label for mode in modes]
            row = form.skip(52)
            row = Box(row.left, row.top, compute_segments_width(ui.pen, labels), 40)
            mode = modes[draw_segments(ui, "mode", row, labels, modes.index(self.mode))]
            form.add_text(mode.description, STRONG_TEXT, lines=1, is_indented=False)
            rules_text = draw_rules_picker(ui, form.add_field("Rules"), self.rules_text)
            text = self.rules_error or (describe_rules(self.own_rules) if self.own_rules else "")
            form.add_text(text, NEGATIVE if self.rules_error else DIM_TEXT, lines=5, is_indented=is_wide)
            level_box, garbage_box = split_row(form.add_field("Start level"), [140, flexible()], 24)
            changed_rules = self._draw_rule_controls(ui, level_box, garbage_box)
            self.seed = draw_seed_field(ui, form.add_field("Seed"), self.seed)
            hint_box = form.add_field("Hint from")
            self.hint_agent = draw_agent_picker(ui, "hint agent", hint_box, self.hint_agent, list_hint_agent_options)
            used = form.draw_start(
                is_enabled=not self.rules_error, buttons=[ButtonSpec("practice", "Practice")], other_focus="rules"
            )
        if changed_rules != self.own_rules:
            rules_text = str(changed_rules)
        if rules_text != self.rules_text or mode is not self.mode:
            self.choose_rules(rules_text, mode)
        return used

    def _draw_rule_controls(self, ui: Ui, level_box: Box, garbage_box: Box) -> Rules | None:
        """Draw the start level and the switch for garbage, if the rules can have them; return the chosen rules."""
        rules = self.own_rules
        if rules and uses_levels(rules):
            min_level = min(rules.start_level, get_min_level(rules))
            max_level = INTEGER_FIELDS["start_level"][1]
            level = draw_stepper(ui, "level", level_box, rules.start_level, min_value=min_level, max_value=max_level)
            rules = rules.replace(start_level=level)
        else:
            ui.pen.draw_text("No levels" if rules else NO_VALUE, level_box.midleft, 14, False, DIM_TEXT)
        if rules and can_have_garbage(rules):
            ui.pen.draw_text("Garbage", garbage_box.midleft, 16, False, DIM_TEXT)
            has_garbage = rules.garbage_rows > 0
            if draw_toggle(ui, "garbage", garbage_box, has_garbage) != has_garbage:
                rules = rules.replace(garbage_rows=int(not has_garbage))
        return rules


def describe_rules(rules: Rules) -> str:
    """Describe rules, and what is unusual about their controls, in a few sentences."""
    source = PRESET_DEFINITIONS[rules.name].source
    size = f"{rules.height} rows, {format_count(rules.preview, 'next piece')}."
    return f"{source[0].upper()}{source[1:]}. {size} {describe_unusual_controls(rules)}".strip()


# Panels


class GamePanels:
    """The panels next to a board: lists of panels, each with its height and the function that draws it."""

    def __init__(self, ui: Ui, screen: PlayScreen, human_game: HumanGame) -> None:
        self.ui = ui
        self.human_game = human_game
        self.game = human_game.game
        self.rank = screen.rank
        rules = self.game.rules
        self.scores = select_best_scores(screen.best_scores, rules, human_game.mode)
        self.is_modern = has_attack_layout(rules)
        self._next = self.game.next[: rules.preview]
        self._hold = Panel(HOLD_PANEL_HEIGHT if rules.hold else 0, self._draw_hold)
        self._figures = Panel(Part(84, rank=1), self._draw_figures)
        self._attack = partial(draw_attack_figures, ui.pen, game=self.game)
        self._draw_hint = partial(screen.draw_hint, ui)

    def list_left(self) -> list[Panel]:
        """Return the panels left of the board."""
        last = (100, self._attack) if self.is_modern else (270, self._draw_statistics)
        return [
            self._hold,
            Panel(230 if self.human_game.progress else 180, self._draw_score),
            Panel(flexible(last[0], rank=1), last[1]),
        ]

    def list_right(self) -> list[Panel]:
        """Return the panels at the right of the board."""
        preview = self.game.rules.preview
        queue = Part(compute_queue_height(preview), compute_queue_height(preview, 36)) if self.is_modern else 148
        panels = [Panel(queue if preview else 0, self._draw_next), Panel(112, self._draw_hint)]
        if self.human_game.is_finished:
            panels = [Panel(flexible(276) if self.is_modern else 276, self._draw_best)]
        return [*panels, self._figures if self.is_modern else Panel(flexible(268, rank=1), self._draw_clears)]

    def list_compact(self) -> list[Panel]:
        """Return the panels of a single column."""
        score = Panel(128 if self.human_game.progress else 88, self._draw_score)
        counts = Panel(Part(108, rank=1), self._draw_statistics)
        if self.human_game.is_finished:
            height = compute_attack_figures_height(self.game)
            attack = Panel(Part(height, minimum=0.8 * height), self._attack)
            return [score, Panel(flexible(100), self._draw_best), attack if self.is_modern else counts]
        return [
            score,
            Panel(108 if self._next else 0, partial(draw_next_panel, self.ui.pen, pieces=self._next)),
            self._hold if self.game.rules.hold else counts,
            Panel(86, self._draw_hint),
            self._figures,
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
        is_counted = self.human_game.is_started_by_human
        text = _NO_RESULTS_TEXT if is_counted else "A continued game does not count as a best score."
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
        """Draw the score or time, the counters below it or (in a low panel) at its right, and the progress."""
        pen, best = self.ui.pen, self._format_best()
        (label, hero), *counters = self._list_counters()
        is_low = box.height < 180
        inside = inset(box, 16)
        size = 34 if is_low or pen.measure_text(hero, 48, True) > inside.width else 48
        first, numbers = split_column(inside, [78, flexible()], 24)
        if is_low:
            first, numbers = split_row(inside, [max(168, pen.measure_text(hero, size, True) + 24), flexible()])
        *columns, rest = split_row(numbers, [*[84] * len(counters), flexible()])
        has_best = not is_low or pen.measure_text(best, 14) <= rest.width
        below_title = pen.draw_panel(box, label, best if has_best else "")
        pen.draw_text(hero, (first.left - 1, below_title.top + 20), size, True, STRONG_TEXT)
        if not is_low:
            pen.draw_separator(first.left, first.bottom, first.width)
        for (name, number), column in zip(counters, columns, strict=True):
            pen.draw_number((column.left, column.top + 10 * is_low), name, number, 22)
        if progress := self.human_game.progress:
            pen.draw_progress(below_title, progress.words, progress.figures, progress.share)

    def _draw_statistics(self, box: Box) -> None:
        """Draw the number of each piece: with bars (a full one is a multiple of ten), or in a low panel in a row."""
        pen, counts = self.ui.pen, self.human_game.tracker.piece_counts
        inside = pen.draw_panel(box, "Piece statistics", format_count(self.game.pieces, "piece"))
        full = max(10, -(-max(counts.values(), default=0) // 10) * 10)
        pieces = len(STATISTICS_PIECE_ORDER)
        is_low = box.height < 200
        slots = split_row(inside, [flexible()] * pieces) if is_low else split_column(inside, [Part(62, 0)] * pieces)
        for letter, slot in zip(STATISTICS_PIECE_ORDER, slots, strict=True):
            if is_low:
                piece, count = split_column(slot, [32, flexible()])
                pen.draw_text(f"{counts[letter]:,}", count.center, 16, True, STRONG_TEXT, align=0.5)
            else:
                piece, bar, count = split_row(slot, [52, flexible(), 44], 24)
                bar, colour = place(bar, bar.width, 6), get_piece_colours(pen.style.palette)[letter]
                pen.draw_bar(bar, counts[letter] / full, colour)
                pen.draw_text(f"{counts[letter]:,}", count.midright, 16, True, STRONG_TEXT, align=1)
            pen.draw_piece(piece.center, 10 if is_low else 13, letter)

    def _draw_figures(self, box: Box) -> None:
        self.ui.pen.draw_panel(box)
        self._draw_numbers(inset(box, 16, 8))

    def _draw_numbers(self, box: Box) -> None:
        """Draw three numbers: about the speed of a modern game, or about the pieces of another one."""
        game, tracker = self.game, self.human_game.tracker
        seconds = self.human_game.seconds
        time = ("Time", format_duration(int(seconds)))
        if self.is_modern:
            attack = int(copy_game_record(game).attack)
            numbers = [
                time,
                ("Pieces/s", format_number(game.pieces / seconds, 2) if seconds >= 1 else NO_VALUE),
                ("Attack/min", format_number(60 * attack / seconds, 1) if seconds >= 1 else NO_VALUE),
            ]
        else:
            rate = NO_VALUE if tracker.tetris_rate is None else f"{100 * tracker.tetris_rate:.0f} %"
            numbers = [("Tetris rate", rate), ("Since last I", f"{tracker.pieces_since_i}"), time]
        columns = split_row(box, [flexible(share=3), flexible(share=3), flexible(share=2)])
        for (label, number), column in zip(numbers, columns, strict=True):
            self.ui.pen.draw_number((column.left, column.top + 22), label, number, 22)

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
        self._draw_numbers(figures.move(0, -6))


def draw_best_results(
    ui: Ui,
    box: Box,
    scores: Sequence[BestScore],
    mode: GameMode,
    *,
    own_rank: int = 0,
    empty_text: str = _NO_RESULTS_TEXT,
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
