"""Versus screen: the setup of a match, and the match of two players on the same pieces."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pygame

from tetrion.app.background_task import BackgroundTask
from tetrion.app.game_storage import HUMAN_PLAYER, should_save
from tetrion.app.games.agent_game import MAX_STEPPED_SPEED
from tetrion.app.games.human_rules import count_entry_rows
from tetrion.app.games.key_input import GAME_OVER_KEY_DELAY, HeldKeyFilter, is_key_of_action
from tetrion.app.games.match import (
    AgentPlayer,
    HumanPlayer,
    Match,
    MatchPlayer,
    MatchSettings,
    MatchSetup,
    describe_lead,
    describe_result,
    make_match_setup,
)
from tetrion.app.picker_options import format_rules, list_agent_options, list_rules_options
from tetrion.app.screen import Screen
from tetrion.app.toolkit.controls import compute_segments_width, draw_segments
from tetrion.app.toolkit.form import FORM_KEY_LEGEND, Form, SeedChoice, compute_next_seed, draw_seed_field
from tetrion.app.toolkit.frame import Chip, Frame, draw_frame, draw_key_legend, draw_overlay
from tetrion.app.toolkit.picker import PickerOption, draw_picker
from tetrion.app.toolkit.speed_slider import change_speed, draw_speed_slider
from tetrion.app.toolkit.ui import Ui, format_key_label
from tetrion.app.window import Window
from tetrion.app.window_settings import WindowSettings, get_main_key
from tetrion.app.window_words import translate_to_window
from tetrion.drawing.board_animation import AnimatedBoard, draw_animated_board
from tetrion.drawing.board_drawing import draw_board, draw_contour
from tetrion.drawing.candidate_overlay import draw_candidate_shades
from tetrion.drawing.cells import ACTIVE_CELL, GAME_OVER_CELL
from tetrion.drawing.contours import PLAN_CONTOUR
from tetrion.drawing.entry_rows import draw_entry_rows
from tetrion.drawing.game_facts import has_attack_layout
from tetrion.drawing.layout import Box, Part, flexible, inset, list_rows, place, split_column, split_row
from tetrion.drawing.line_charts import draw_stack_heights
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    NORMAL_TEXT,
    PANEL,
    RAISED_PANEL,
    STRONG_TEXT,
    WHITE,
    get_series_colour,
    mix_colours,
)
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.side_panels import draw_garbage_meter, draw_statistics_row
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number

_SCREEN_NAME = "versus"  # in the choices of the session
_DEFAULT_SPEED = 4.0  # moves per second
_DEFAULT_SPEED_WITH_PERSON = 1.0  # a beginner places about one piece per second
_AGENTS_RULES = "the agents' rules"
_TIMINGS = ("Same speed", "Own speed")
_LEAD_BAR_SECONDS = 0.12  # animation time of the lead bar
_FULL_ROW_BRIGHTNESS = 0.5  # share of white in full rows without animation
_CHART_PIECES = 160  # pieces whose stack heights the chart shows
_LEGEND_ACTIONS = ("Pause", "Restart", "Next game", "Thinking")  # can be clicked
_PERSON_KEYS = (
    (("left", "right"), "Move"),
    (("rotate", "back"), "Rotate"),
    (("half",), "Half turn"),
    (("down",), "Soft drop"),
    (("drop",), "Hard drop"),
    (("hold",), "Hold"),
)

# units
_LEAD_BAR_HEIGHT = 64
_HOLD_ROW_HEIGHT = 44  # above each board of a match with the attack layout
_SIDE_PANEL = Part(216, minimum=150)
_STATISTICS_HEIGHT = 244
_MIN_CHART_HEIGHT = 140
_MIN_BOARD_WIDTH = 120
_MIN_QUEUE_HEIGHT = 242  # next to lower boards
_MAX_SPACE_BELOW_BOARD = 40  # with more, the side panels are higher than the boards


# The setup.


class VersusChoices(NamedTuple):
    """The choices of a setup, with which the next setup of the same session begins."""

    players: tuple[str, ...] = (HUMAN_PLAYER, "lee")
    rules: str = ""  # "": those that the agents were made for
    chosen_speed: float | None = None  # moves per second; None: the default
    chosen_timing: bool | None = None  # whether the players place each piece together; None: the default

    @property
    def speed(self) -> float:
        """Moves per second of the agents."""
        return self.chosen_speed or (_DEFAULT_SPEED_WITH_PERSON if HUMAN_PLAYER in self.players else _DEFAULT_SPEED)

    @property
    def is_synchronised(self) -> bool:
        """Whether the players place each piece together."""
        return HUMAN_PLAYER not in self.players if self.chosen_timing is None else self.chosen_timing

    @property
    def timing_note(self) -> str:
        """What the timing means."""
        if self.is_synchronised:
            return "Players wait for each other after each piece"
        return "You play in real time" if HUMAN_PLAYER in self.players else "Players do not wait for each other"


class MatchValidation(BackgroundTask):
    """Background check whether two players can play together; their files may be large or invalid."""

    def __init__(self, players: tuple[str, ...], rules: str) -> None:
        super().__init__()
        self.request = players, rules
        self.result: MatchSetup | None = None
        self.start()

    def run(self) -> None:
        """Check the players and the rules."""
        self.result = make_match_setup(*self.request)


class VersusSetup:
    """The form before a match; its choices are preserved for the next match."""

    def __init__(self, choices: VersusChoices, seed: int | None = None, *, starts_when_valid: bool = False) -> None:
        self.choices = choices
        self.seed = SeedChoice.from_seed(seed)
        self.starts_when_valid = starts_when_valid
        self.validation = MatchValidation(choices.players, choices.rules)

    def validate_again(self) -> None:
        """Repeat the check, after code of a player was allowed."""
        self.validation = MatchValidation(self.choices.players, self.choices.rules)

    def draw(self, ui: Ui, content: Box) -> MatchSettings | None:
        """Draw the form; return the settings when the match should start."""
        choices, validation = self.choices, self.validation
        is_valid = validation.result is not None
        players = list(choices.players)
        with Form(ui, place(content, min(680, content.width), 480, y=0.3), label_width=128) as form:
            for number, name in enumerate(("player 1", "player 2")):
                field = form.add_field(name.capitalize())
                ui.pen.draw_disc((field.left - 24, field.centery), 6, get_series_colour(number))
                hint = "a file, class or folder"
                players[number] = draw_picker(
                    ui, name, field, players[number], list_player_options, free_text_hint=hint
                )
            form.add_separator()
            agents_rules = f"{_AGENTS_RULES}: {validation.result.rules}" if validation.result else _AGENTS_RULES
            rules = draw_picker(
                ui,
                "rules",
                form.add_field("Rules"),
                choices.rules or agents_rules,
                list_match_rules_options,
                free_text_hint="rules such as nes:start_level=9",
            )
            self.seed = draw_seed_field(ui, form.add_field("Seed"), self.seed)
            timing, note = split_row(
                form.add_field("Timing"), [compute_segments_width(ui.pen, _TIMINGS), flexible()], 16
            )
            is_synchronised = draw_segments(ui, "timing", timing, _TIMINGS, int(not choices.is_synchronised)) == 0
            ui.pen.draw_text(
                ui.pen.truncate_text(choices.timing_note, note.width, 14), note.midleft, 14, False, FAINT_TEXT
            )
            speed = draw_speed_slider(
                ui, form.add_field("Speed"), choices.speed, max_speed=MAX_STEPPED_SPEED, with_label=False
            )
            problem = translate_to_window(validation.problem)
            other_focus = "player 1" if problem else ""
            is_started = form.draw_start(is_enabled=is_valid, problem=problem, other_focus=other_focus) == "start"
        if ui.files:  # a dropped file is the focused player, or the second one
            players[0 if ui.focus == "player 1" else 1] = ui.files[-1]
        self.choices = choices._replace(
            players=tuple(players),
            rules="" if rules.startswith(_AGENTS_RULES) else rules,
            chosen_timing=choices.chosen_timing if is_synchronised == choices.is_synchronised else is_synchronised,
            chosen_speed=choices.chosen_speed if speed == choices.speed else speed,
        )
        if validation.request != (self.choices.players, self.choices.rules):
            self.validate_again()
        elif (is_started or self.starts_when_valid) and validation.result:
            self.starts_when_valid = False
            seed = self.seed.choose_seed()
            return MatchSettings(
                choices.players, validation.result, seed, self.choices.is_synchronised, self.choices.speed
            )
        self.starts_when_valid = self.starts_when_valid and not problem
        return None


def list_player_options() -> list[PickerOption]:
    """Return the players to choose from."""
    return [PickerOption(HUMAN_PLAYER, "a human at the keyboard"), *list_agent_options()]


def list_match_rules_options() -> list[PickerOption]:
    """Return the rules to choose from."""
    return [PickerOption(_AGENTS_RULES, "the rules that both players were made for"), *list_rules_options()]


# The screen.


class VersusScreen(Screen):
    """Screen with the setup and the match; if players are given, the match starts immediately."""

    title = "Versus"
    has_music = True

    def __init__(
        self,
        window: Window,
        players: Sequence[str] = (),
        rules: str = "",
        seed: int | None = None,
        speed: float | None = None,
    ) -> None:
        super().__init__(window)
        choices = window.last_choices.get(_SCREEN_NAME) or VersusChoices()
        if players:
            choices = VersusChoices(tuple(players))
        choices = choices._replace(rules=rules or choices.rules, chosen_speed=speed or choices.chosen_speed)
        self.setup = VersusSetup(choices, seed, starts_when_valid=bool(players))
        self.match: Match | None = None
        self.shows_thinking = False
        self._lead_share = 0.5  # of the first player, as it is drawn
        self._held_keys = HeldKeyFilter()
        self._had_overlay = False

    def start_match(self, match_settings: MatchSettings) -> None:
        """Start a match and end the previous one."""
        self._end_match()
        settings = self.window.settings
        self.match = Match(match_settings, settings.controls, self.window.sound.play, settings.has_animation)
        self.match.set_explanations(self.shows_thinking)
        self._lead_share = 0.5
        self.window.ui.focus = ""

    def restart(self) -> None:
        """Start a match with the same players and the same pieces."""
        if self.match:
            self.start_match(self.match.settings._replace(speed=self.match.speed))

    def start_next_game(self) -> None:
        """Start a match with the same players and the next seed."""
        if self.match:
            seed = compute_next_seed(self.match.settings.seed)
            self.start_match(self.match.settings._replace(seed=seed, speed=self.match.speed))

    def _end_match(self) -> None:
        if self.match:
            for message in self.match.close():
                self.window.show_message(message)
        self.match = None

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Pause and resume, and pass key events to the person; key releases are also passed to the controls."""
        self._follow_overlay()
        match = self.match
        if self._held_keys.handle_event(event):
            return True
        if match is None or event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        if is_key_of_action(event, self.window.settings.keys, "pause"):
            # Esc leads from a match of agents to the menu, as from Watch.
            is_meant = match.person is not None or event.key != pygame.K_ESCAPE
            if match.is_paused or (match.is_running and is_meant):
                match.set_paused(not match.is_paused)
                return True
        person = match.person
        if person is None or person.is_out or match.is_paused or match.has_result:
            return False
        return person.handle_event(event) and event.type == pygame.KEYDOWN

    def _follow_overlay(self) -> None:
        """Ignore the keys that are down when the match is paused or has a result, until they are released."""
        match = self.match
        has_overlay = match is not None and (match.is_paused or match.has_result)
        if match and has_overlay and not self._had_overlay:
            self._held_keys.begin(GAME_OVER_KEY_DELAY if match.has_result and match.person else 0.0)
        elif not has_overlay:
            self._held_keys.end()
        self._had_overlay = has_overlay

    @property
    def is_moving(self) -> bool:
        """Whether a match is running, or the chosen players are being checked."""
        match = self.match
        if match is None:
            return not self.setup.validation.is_done
        if match.is_paused:
            return False
        return not match.has_result or any(player.action.lines for player in match.players)

    def update(self, seconds: float) -> None:
        """Advance the match."""
        self._held_keys.update(seconds)
        match = self.match
        if match is None:
            self.window.ask_about_code(self.setup.validation.take_code_file(), self.setup.validate_again)
            return
        for message in match.update(seconds):
            self.window.show_message(message)
        self._follow_overlay()
        progress = min(1.0, seconds / _LEAD_BAR_SECONDS) if self.window.settings.has_animation else 1.0
        self._lead_share += progress * (compute_score_share(match) - self._lead_share)

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        self._held_keys.release_all()
        if self.match and self.match.is_running:
            self.match.set_paused(True)

    def on_leave(self) -> None:
        """End the match and save the games, including unfinished ones."""
        self._end_match()
        self.window.last_choices[_SCREEN_NAME] = self.setup.choices

    def draw(self, ui: Ui) -> None:
        """Draw the setup or the match."""
        if self.match:
            should_close = self._draw_match(ui, self.match)
        else:
            frame = draw_frame(ui, self.title)
            draw_key_legend(ui, frame.footer, FORM_KEY_LEGEND)
            should_close = frame.is_closed
            if match_settings := self.setup.draw(ui, frame.content):
                self.window.sound.play("choose")
                self.start_match(match_settings)
        if should_close:
            self.window.close_screen()

    def _draw_match(self, ui: Ui, match: Match) -> bool:
        """Draw the match with its overlay; return whether the screen should be closed."""
        chips = [Chip(format_rules(match.rules)), Chip("Same pieces"), Chip(f"Seed {match.settings.seed}")]
        has_pause = match.person is not None and match.is_running
        frame = draw_frame(ui, self.title, chips, back_label="Pause" if has_pause else "")
        area = draw_match(ui.pen, frame, match, self.window.settings, self._lead_share)
        self._draw_footer(ui, frame, match)
        if frame.is_closed and has_pause:
            match.set_paused(True)
            return False
        return self._draw_overlay(ui, area, match) or frame.is_closed

    def _draw_overlay(self, ui: Ui, area: Box, match: Match) -> bool:
        """Draw the pause or the result over the boards; return whether the screen should be closed."""
        if not (match.is_paused or match.has_result):
            return False
        person = match.person
        again = [("Next game", "N"), ("Restart", self._format_key_label("restart"))]
        review = [("Review", "")] if person and person.saved_file else []
        saving = ["Leaving saves the games in Replays."] if any(map(is_worth_saving, match.players)) else []
        if match.has_result:
            headline, lines = describe_result(match)
            play_on = "Keep playing" if person and not person.is_out else "Keep watching"
            further = [] if match.is_over else [(play_on, "")]
            buttons = [*again, *further, *review, ("Change players", ""), ("Menu", "Esc")]
            saving = [] if match.is_over else saving
        else:
            headline, lines = "Paused", []
            buttons = [("Continue", "Esc"), again[1], *review, ("Change players", ""), ("Menu", "Q")]
        action = draw_overlay(ui, area, headline, [*lines, *saving], buttons, width=340)
        if action == "Next game":
            self.start_next_game()
        elif action == "Restart":
            self.restart()
        elif action == "Continue":
            match.set_paused(False)
        elif action.startswith("Keep"):
            match.plays_on = True
        elif action == "Review" and person:
            self.window.open_screen_by_name("review", file=str(person.saved_file))
        elif action == "Change players":
            self._end_match()
            ui.request_focus("start")
        return action == "Menu"

    def _format_key_label(self, action: str) -> str:
        return format_key_label(get_main_key(self.window.settings.keys[action]))

    def _format_move_keys(self, actions: Sequence[str]) -> list[str]:
        """Return the labels of the keys of actions, those of the gamepad if it was used last."""
        keys = self.window.settings.keys
        is_gamepad = self.window.gamepads.was_used_last
        names = [get_main_key(keys[action], prefers_gamepad=is_gamepad) for action in actions]
        return [format_key_label(name) for name in names if name]

    def _draw_footer(self, ui: Ui, frame: Frame, match: Match) -> None:
        """Draw the key legend with clickable actions, and a speed slider if only agents play."""
        is_person_playing = match.person is not None and not match.person.is_out
        available_keys = match.rules.keys.split("+")
        entries = [
            (self._format_move_keys([action for action in actions if action in available_keys]), label)
            for actions, label in (_PERSON_KEYS if is_person_playing else ())
            if any(action in available_keys for action in actions)
        ]
        pause, restart = self._format_key_label("pause"), self._format_key_label("restart")
        entries += [
            ([pause] if pause else [], "Pause"),
            ([restart] if restart else [], "Restart"),
            (["N"], "Next game"),
            (["T"], "Thinking"),
        ]
        legend_box = frame.footer
        if not is_person_playing:
            legend_box, slider_box = split_row(frame.footer, [flexible(), 404 if frame.is_wide else 284], gap=16)
            steps = ui.is_key_pressed("+", "=") - ui.is_key_pressed("-")
            speed = min(MAX_STEPPED_SPEED, change_speed(match.speed, steps)) if steps else match.speed
            match.speed = draw_speed_slider(
                ui, slider_box, speed, short=not frame.is_wide, with_label=frame.is_wide, max_speed=MAX_STEPPED_SPEED
            )
            if match.speed != self.setup.choices.speed:
                self.setup.choices = self.setup.choices._replace(chosen_speed=match.speed)
        action = draw_key_legend(ui, legend_box, entries, 0.5 if is_person_playing else 0.0, _LEGEND_ACTIONS)
        if action == "Pause" and match.is_running:
            match.set_paused(True)
        elif action == "Restart":
            self.restart()
        elif action == "Next game":
            self.start_next_game()
        elif action == "Thinking":
            self.shows_thinking = not self.shows_thinking
            match.set_explanations(self.shows_thinking)


def is_worth_saving(player: MatchPlayer) -> bool:
    """Return whether the game of a player will be saved."""
    return should_save(player.game, player.name)


def compute_score_share(match: Match) -> float:
    """Return the first player's share of the points; a half while there are no points."""
    first, second = (player.game.score for player in match.players)
    return first / (first + second) if first + second else 0.5


# The boards of a match.


def draw_match(pen: Pen, frame: Frame, match: Match, settings: WindowSettings, share: float) -> Box:
    """Draw the lead bar, and below it two boards with the queue between them, in wide windows with side panels.

    `share` is the part of the lead bar that belongs to the first player. Return the area of the boards.
    """
    rules, is_wide, gap = match.rules, frame.is_wide, frame.gap
    lead_box, area = split_column(frame.content, [_LEAD_BAR_HEIGHT, flexible()], gap)
    hold_height = _HOLD_ROW_HEIGHT if has_attack_layout(rules) else 0
    entry_rows = count_entry_rows(rules) if match.person else 0
    sides = [_SIDE_PANEL] if is_wide else []
    board_width = area.width
    for _ in range(3):  # for the widest boards, for those that fit next to the panels, and around these
        board_part = Part(board_width + 1, minimum=_MIN_BOARD_WIDTH)
        row = split_row(area, [*sides, board_part, 160 if is_wide else 120, board_part, *sides], gap, align=0.5)
        columns = row[len(sides) : len(sides) + 3]
        spaces = [Box(box.left, area.top + hold_height, box.width, area.height - hold_height) for box in columns[::2]]
        boards = [pen.fit_board(space, rules.height, entry_rows=entry_rows) for space in spaces]
        board_width = boards[0].box.width
    bottom = boards[0].box.bottom
    for number, (player, board) in enumerate(zip(match.players, boards, strict=True)):
        draw_player_board(pen, board, player, get_series_colour(number), settings)
        draw_garbage_meter(pen, board.box, board.cell_size, player.game.position)
        if note := make_note(player, match):
            draw_note(pen, board.box, *note)
        if hold_height:
            hold_row = Box(board.box.left, area.top, board.box.width, hold_height)
            draw_hold_row(pen, hold_row, player, has_animation=settings.has_animation)
        if is_wide:
            side = row[-1 if number else 0]
            side.height = (bottom if area.bottom - bottom <= _MAX_SPACE_BELOW_BOARD else area.bottom) - area.top
            draw_side_panel(pen, side, gap, match, number)
    columns[1].height = max(bottom - area.top, _MIN_QUEUE_HEIGHT)
    draw_queue(pen, columns[1], match)
    draw_lead_bar(
        pen,
        lead_box if not is_wide else Box(row[0].left, lead_box.top, row[-1].right - row[0].left, lead_box.height),
        match,
        share,
        is_compact=not is_wide,
    )
    return Box(columns[0].left, area.top, columns[2].right - columns[0].left, area.height)


def draw_player_board(pen: Pen, board: FittedBoard, player: MatchPlayer, colour: str, settings: WindowSettings) -> None:
    """Draw a board with the current piece and its target: a ghost for a person, a plan for an agent."""
    if isinstance(player, HumanPlayer) and not player.is_out:
        ghost = player.ghost if settings.ghost else None
        player.human_game.board_animator.draw(pen, board, player.tracker.stack, active=player.active_piece, ghost=ghost)
    elif isinstance(player, AgentPlayer) and not player.is_out:
        draw_agent_board(pen, board, player, colour, settings.has_animation)
    else:
        origin = pen.to_pixel_point(board.box.topleft)
        draw_board(pen.surface, origin, board.cell_size, player.tracker.stack, is_over=True, style=pen.style)
        draw_entry_rows(pen, board, player.tracker.stack)


def draw_agent_board(pen: Pen, board: FittedBoard, player: AgentPlayer, colour: str, has_animation: bool) -> None:
    """Draw the board of an agent with its candidates, its plan and the moving piece."""
    game = player.agent_game
    clearing_lock = game.clearing_lock
    stack = clearing_lock.stack_before_clear if clearing_lock else game.tracker.stack
    surface, cell, origin = pen.surface, board.cell_size, pen.to_pixel_point(board.box.topleft)
    if clearing_lock and not has_animation:
        flash = dict.fromkeys(clearing_lock.full_rows, _FULL_ROW_BRIGHTNESS)
        draw_board(surface, origin, cell, stack, flash=flash, style=pen.style)
        return

    def draw_candidates() -> None:
        draw_candidate_shades(surface, origin, cell, stack, player.candidate_placements)

    def draw_plan() -> None:
        if game.target:
            contour = PLAN_CONTOUR._replace(colour=colour)
            draw_contour(surface, origin, cell, stack.height, game.target.cells, contour=contour)

    offset = game.offset if has_animation else (0.0, 0.0)
    active = game.active_piece
    if active and not board.entry_rows and not game.has_clock:
        active = stack.lower_into_view(active)
    clear_elapsed = game.clear_milliseconds if clearing_lock else None
    animated = AnimatedBoard(stack, active, offset, clear_elapsed=clear_elapsed)
    draw_animated_board(
        surface, origin, cell, animated, style=pen.style, draw_below=draw_candidates, draw_above=draw_plan
    )
    draw_entry_rows(pen, board, game.tracker.stack, active=game.active_piece, offset=offset)


def make_note(player: MatchPlayer, match: Match) -> tuple[str, str, str] | None:
    """Return the headline, the text and the colour of the message on the board of a player, if there is one."""
    if player.problem:
        return f"{player.name} cannot continue", player.problem, NEGATIVE
    if player.is_out:
        return None if match.has_result else ("Out", format_count(player.game.lines, "line"), STRONG_TEXT)
    return (player.name, player.waiting_message, STRONG_TEXT) if player.waiting_message else None


def draw_note(pen: Pen, board: Box, headline: str, text: str, colour: str) -> None:
    """Draw a message in the middle of a board."""
    width = min(240, board.width - 16)
    lines = pen.wrap_text(text, width - 24, 14)[: max(1, (board.height - 80) // 20)]
    box = place(board, width, 52 + 20 * len(lines))
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    headline = pen.truncate_text(headline, width - 24, 16, True)
    pen.draw_text(headline, (box.centerx, box.top + 24), 16, True, colour, align=0.5)
    for number, line in enumerate(lines):
        pen.draw_text(line, (box.centerx, box.top + 48 + 20 * number), 14, False, NORMAL_TEXT, align=0.5)


def draw_hold_row(pen: Pen, box: Box, player: MatchPlayer, *, has_animation: bool) -> None:
    """Draw the held piece of a player, quieter while it cannot be taken, and the action text at the right."""
    pieces = player.visible_pieces
    label_width = pen.measure_text("Hold", 14) + 8 if pieces.has_hold and box.width >= 200 else 0
    label, held, text_box = split_row(inset(box, 4, 0), [label_width or 1, 36 if pieces.has_hold else 1, flexible()], 4)
    if label_width:
        pen.draw_text("Hold", (label.left, box.centery), 14, False, DIM_TEXT)
    if pieces.hold:
        pen.draw_piece(held.center, 9, pieces.hold, ACTIVE_CELL if pieces.can_hold else GAME_OVER_CELL)
    elif pieces.has_hold:
        pen.draw_text(NO_VALUE, held.center, 14, False, FAINT_TEXT, align=0.5)
    # The clear, and below it as many of its details as fit.
    first, *details = player.action.lines or ("",)
    shown = ""
    for detail in details:
        longer = f"{shown} · {detail}" if shown else detail
        shown = longer if pen.measure_text(longer, 13, True) <= text_box.width else shown
    strength = player.action.get_strength(has_animation)
    size = 16 if pen.measure_text(first, 16, True) <= text_box.width else 13
    position = text_box.right, box.centery - (10 if shown else 0)
    first = pen.truncate_text(first, text_box.width, size, True)
    pen.draw_text(first, position, size, True, mix_colours(BACKGROUND, STRONG_TEXT, strength), align=1)
    position = text_box.right, box.centery + 9
    pen.draw_text(shown, position, 13, True, mix_colours(BACKGROUND, ACCENT, strength), align=1)


# The panels of a match.


def draw_lead_bar(pen: Pen, box: Box, match: Match, share: float, *, is_compact: bool) -> None:
    """Draw the names and points of the players, and between them the lead in words and as a bar."""
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    left, middle, right = split_row(inset(box, 16, 8), [flexible(share=3), flexible(share=4), flexible(share=3)], 20)
    for number, (player, side) in enumerate(zip(match.players, (left, right), strict=True)):
        detail = f"{format_count(player.game.lines, 'line')}, {describe_attack_or_holes(player)}"
        kind = "Human player" if player is match.person else "Agent"
        draw_name_and_points(pen, side, player, number, detail if is_compact else kind)
    title = pen.truncate_text(describe_lead(match), middle.width, 15, True)
    pen.draw_text(title, (middle.centerx, box.top + 20), 15, True, STRONG_TEXT, align=0.5)
    bar = Box(middle.left, box.top + 38, middle.width, 8)
    first_width = min(bar.width - 3, round(share * bar.width))
    for number, part in enumerate(split_row(bar, [first_width, flexible()], gap=3)):
        if part.width > 0:
            pen.fill_rounded(
                part, min(8, part.width) / 2, mix_colours(PANEL, get_series_colour(number), 1 - number / 4)
            )
    pen.fill(Box(bar.centerx, bar.top - 4, 1, 16), WHITE)


def draw_name_and_points(pen: Pen, box: Box, player: MatchPlayer, number: int, detail: str) -> None:
    """Draw the name of a player above a detail at the outer end of a box, and its points at the inner end."""
    colour = get_series_colour(number)
    outer, inner, inward = (box.right, box.left, -1) if number else (box.left, box.right, 1)
    points = format_number(player.game.score, 0)
    pen.draw_disc((outer + 8 * inward, box.centery), 6, colour)
    pen.draw_text(points, (inner, box.centery), 28, True, colour, align=1 - number)
    width = box.width - pen.measure_text(points, 28, True) - 36
    x = outer + 24 * inward
    name = pen.truncate_text(player.title, width, 20, True)
    pen.draw_text(name, (x, box.centery - 10), 20, True, STRONG_TEXT, align=number)
    pen.draw_text(pen.truncate_text(detail, width, 14), (x, box.centery + 13), 14, False, DIM_TEXT, align=number)


def describe_attack_or_holes(player: MatchPlayer) -> str:
    """Return the attack of a player as text, or the holes under rules without attack."""
    return format_count(player.holes, "hole") if player.attack is None else f"attack {player.attack:,}"


class MatchStatistic(NamedTuple):
    """A figure of both players; the better one is drawn in the colour of its player."""

    label: str
    get_value: Callable[[MatchPlayer], float | None]
    sign: int = 1  # −1 if the lower value is better, 0 if neither is


_LINES = MatchStatistic("Lines", lambda player: player.game.lines)
_POINTS_PER_LINE = MatchStatistic("Points per line", lambda player: player.tracker.points_per_line)
_ATTACK = MatchStatistic("Attack", lambda player: player.attack)


def list_statistics(match: Match) -> list[MatchStatistic]:
    """Return the statistics below the lines."""
    return [
        MatchStatistic("Pieces", lambda player: player.game.pieces, sign=0),
        MatchStatistic("Tetrises", lambda player: player.tracker.clear_counts[3]),
        _POINTS_PER_LINE if match.players[0].attack is None else _ATTACK,
        MatchStatistic("Height", lambda player: player.height, sign=-1),
        MatchStatistic("Holes", lambda player: player.holes, sign=-1),
    ]


def draw_side_panel(pen: Pen, box: Box, gap: int, match: Match, number: int) -> None:
    """Draw the statistics of a player and its stack height."""
    player, other = match.players[number], match.players[1 - number]
    colour = get_series_colour(number)

    def choose_colour(statistic: MatchStatistic) -> str:
        value, other_value = statistic.get_value(player), statistic.get_value(other)
        if value is None:
            return STRONG_TEXT
        return colour if other_value is None or statistic.sign * value > statistic.sign * other_value else STRONG_TEXT

    panel, chart = split_column(box, [_STATISTICS_HEIGHT, flexible(minimum=_MIN_CHART_HEIGHT, rank=1)], gap)
    inside = pen.draw_panel(panel, "Lines")
    lines_box, rows_box = split_column(inside, [48, flexible()])
    lines = format_number(player.game.lines, 0)
    pen.draw_text(lines, (lines_box.left, lines_box.top + 12), 34, True, choose_colour(_LINES))
    for statistic, row in zip(list_statistics(match), list_rows(rows_box, 28), strict=False):
        value = statistic.get_value(player)
        text = NO_VALUE if value is None else format_number(value, 0)
        draw_statistics_row(pen, row, statistic.label, text, choose_colour(statistic))
    if chart:
        draw_stack_heights(pen, chart, player.tracker.heights[-_CHART_PIECES:], match.rules.height, colour)


def list_queue_slots(match: Match, count: int) -> list[tuple[str, list[int]]]:
    """Return `count` pieces from the slower player's on, each with the indices of the players who have it.

    A piece that no player can see yet is an empty text. A player beyond the last slot is shown in the last slot, whose
    text is then the distance, such as `+6`, instead of a piece.
    """
    first = match.first_piece_number
    slots: list[tuple[str, list[int]]] = [(letter, []) for letter in match.get_pieces(first, count)]
    ahead = {number: player.queue_number - first for number, player in enumerate(match.players) if not player.is_out}
    if (farthest := max(ahead.values(), default=0)) >= count:
        slots[-1] = f"+{farthest:,}", []
    for number, distance in ahead.items():
        slots[min(count - 1, distance)][1].append(number)
    return slots


def draw_queue(pen: Pen, box: Box, match: Match) -> None:
    """Draw the shared queue, and below it the number of pieces that each player has placed."""
    inside = pen.draw_panel(box, "Shared queue" if box.width >= 140 else "Queue")
    slots_box, counts_box = split_column(inside, [flexible(), 28])
    rows = list_rows(slots_box.inflate(12, 0), 48, gap=10)
    for row, (letter, numbers) in zip(rows, list_queue_slots(match, len(rows)), strict=True):
        draw_queue_slot(pen, row, letter, numbers)
    pen.draw_separator(counts_box.left, counts_box.top, counts_box.width)
    middle = counts_box.bottom - 8
    for number, (player, x) in enumerate(zip(match.players, (counts_box.left, counts_box.right), strict=True)):
        count = format_number(player.game.pieces, 0)
        pen.draw_text(count, (x, middle), 14, True, get_series_colour(number), align=number)
    pen.draw_text("pieces", (counts_box.centerx, middle), 14, False, FAINT_TEXT, align=0.5)


def draw_queue_slot(pen: Pen, slot: Box, letter: str, numbers: Sequence[int]) -> None:
    """Draw a piece of the queue, tinted for the player who has it; unseen pieces are question marks."""
    if len(numbers) == 1:
        colour = get_series_colour(numbers[0])
        pen.fill_rounded(slot, 8, mix_colours(PANEL, colour, 0.16), mix_colours(PANEL, colour, 0.55))
    elif numbers:
        pen.fill_rounded(slot, 8, RAISED_PANEL, BOARD_OUTLINE)
    for number in numbers:
        x, y, outward = (slot.right - 12, slot.centery, 1) if number else (slot.left + 12, slot.centery, -1)
        arrow = [(x - 4 * outward, y - 5), (x - 4 * outward, y + 5), (x + 4 * outward, y)]
        pen.fill_polygon(arrow, get_series_colour(number))
    if letter.startswith("+"):
        pen.draw_text(letter, slot.center, 16, True, STRONG_TEXT, align=0.5)
    elif letter:
        pen.draw_piece(slot.center, 14, letter)
    else:
        pen.fill_rounded(place(slot, 52, 28), 8, PANEL, BOARD_OUTLINE)
        pen.draw_text("?", slot.center, 14, False, FAINT_TEXT, align=0.5)
