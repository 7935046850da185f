"""Versus screen: the setup of a match, and the match of two players on the same pieces."""

from collections.abc import Sequence
from typing import NamedTuple

import pygame

from tetrion.app.background_task import BackgroundTask, leave_out_commands
from tetrion.app.game_storage import HUMAN_PLAYER, should_save
from tetrion.app.games.agent_game import MAX_STEPPED_SPEED
from tetrion.app.games.human_game import HeldKeyFilter, is_key_of_action
from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES, count_entry_rows
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
from tetrion.app.games.played_game import GAME_OVER_KEY_DELAY
from tetrion.app.picker_options import (
    draw_agent_picker,
    draw_rules_picker,
    format_rules,
    list_agent_options,
    list_rules_options,
)
from tetrion.app.screens.watch_screen import draw_agent_game
from tetrion.app.toolkit.controls import change_speed, compute_segments_width, draw_segments, draw_speed_slider
from tetrion.app.toolkit.form import FORM_KEY_LEGEND, Form, SeedChoice, compute_next_seed, draw_seed_field
from tetrion.app.toolkit.frame import Chip, Frame, draw_frame, draw_key_legend, draw_overlay
from tetrion.app.toolkit.picker import PickerOption
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen, Window
from tetrion.app.window_settings import WindowSettings
from tetrion.drawing.board_animation import draw_entry_rows
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import ACTIVE_CELL, GAME_OVER_CELL, PLAN_CONTOUR
from tetrion.drawing.layout import Box, Part, flexible, inset, list_rows, place, split_column, split_row
from tetrion.drawing.line_charts import draw_stack_heights
from tetrion.drawing.palette import (
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    PANEL,
    RAISED_PANEL,
    STRONG_TEXT,
    WHITE,
    get_series_colour,
    mix_colours,
)
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.side_panels import draw_action_lines, draw_garbage_meter, draw_statistics_row
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number
from tetrion.game_facts import VisiblePieces, has_attack_layout

_SCREEN_NAME = "versus"  # in the choices of the session
_DEFAULT_SPEED = 4.0  # moves per second
_DEFAULT_SPEED_WITH_PERSON = 1.0  # a beginner places about one piece per second
_AGENTS_RULES = "the agents' rules"
_TIMINGS = ("Same speed", "Own speed")
_PERSON_KEYS = (
    (("left", "right"), "Move"),
    (("rotate", "back"), "Rotate"),
    (("half",), "Half turn"),
    (("down",), "Soft drop"),
    (("drop",), "Hard drop"),
    (("hold",), "Hold"),
)


# The setup.


class VersusChoices(NamedTuple):
    """The choices of a setup, with which the next setup of the same session begins."""

    players: tuple[str, ...] = (HUMAN_PLAYER, "lee")
    rules: str = DEFAULT_PLAY_RULES  # "": those that the agents were made for
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
        players = list(choices.players)
        with Form(ui, place(content, min(680, content.width), 464, y=0.3), label_width=128) as form:
            for number, name in enumerate(("player 1", "player 2")):
                field = form.add_field(name.capitalize())
                ui.pen.draw_disc((field.left - 24, field.centery), 6, get_series_colour(number))
                players[number] = draw_agent_picker(ui, name, field, players[number], list_player_options)
            form.add_separator()
            agents_rules = f"{_AGENTS_RULES}: {validation.result.rules}" if validation.result else _AGENTS_RULES
            rules_box = form.add_field("Rules")
            rules = draw_rules_picker(ui, rules_box, choices.rules or agents_rules, list_match_rules_options)
            self.seed = draw_seed_field(ui, form.add_field("Seed"), self.seed)
            timing_box = form.add_field("Timing")
            timing, note = split_row(timing_box, [compute_segments_width(ui.pen, _TIMINGS), flexible()], 16)
            is_synchronised = draw_segments(ui, "timing", timing, _TIMINGS, int(not choices.is_synchronised)) == 0
            text = f"Players {'wait' if is_synchronised else 'do not wait'} for each other."
            ui.pen.draw_text(ui.pen.truncate_text(text, note.width, 14), note.midleft, 14, False, FAINT_TEXT)
            speed_box = form.add_field("Speed")
            speed = draw_speed_slider(ui, speed_box, choices.speed, max_speed=MAX_STEPPED_SPEED, with_label=False)
            problem = leave_out_commands(validation.problem)
            used = form.draw_start(
                is_enabled=validation.result is not None, problem=problem, other_focus="player 1" if problem else ""
            )
        if ui.files:  # a dropped file is the focused player, or the second one
            players[0 if ui.focus == "player 1" else 1] = ui.files[-1]
        self.choices = choices._replace(
            players=tuple(players),
            rules="" if rules.startswith(_AGENTS_RULES) else rules,
            chosen_timing=choices.chosen_timing if is_synchronised == choices.is_synchronised else is_synchronised,
            chosen_speed=choices.chosen_speed if speed == choices.speed else speed,
        )
        # A match starts only with choices that have been checked as they are now.
        if validation.request != (self.choices.players, self.choices.rules):
            self.validate_again()
        elif (used or self.starts_when_valid) and validation.result:
            self.starts_when_valid = False
            seed = self.seed.choose_seed()
            return MatchSettings(choices.players, validation.result, seed, is_synchronised, speed)
        self.starts_when_valid = self.starts_when_valid and not problem
        return None


def list_player_options() -> list[PickerOption]:
    """Return the human player and the agents."""
    return [PickerOption(HUMAN_PLAYER, "a human at the keyboard"), *list_agent_options()]


def list_match_rules_options() -> list[PickerOption]:
    """Return the rules of the agents and the named rules."""
    return [PickerOption(_AGENTS_RULES, "those that both were made for"), *list_rules_options()]


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
            choices = VersusChoices(tuple(players), rules="")
        choices = choices._replace(rules=rules or choices.rules, chosen_speed=speed or choices.chosen_speed)
        self.setup = VersusSetup(choices, seed, starts_when_valid=bool(players))
        self.match: Match | None = None
        self.shows_thinking = False
        self._held_keys = HeldKeyFilter()
        self._had_overlay = False

    def start_match(self, match_settings: MatchSettings) -> None:
        """Start a match and end the previous one."""
        self._end_match()
        settings = self.window.settings
        self.match = Match(match_settings, settings.controls, self.window.sound.play, settings.has_animation)
        self.match.explains = self.shows_thinking
        self.window.ui.focus = ""

    def restart(self, *, with_next_seed: bool = False) -> None:
        """Start a match with the same players, and with the same pieces or those of the next seed."""
        if self.match:
            settings = self.match.settings
            seed = compute_next_seed(settings.seed) if with_next_seed else settings.seed
            self.start_match(settings._replace(seed=seed, speed=self.match.speed))

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
        if self.match is None:
            return not self.setup.validation.is_done
        has_text = any(player.action.lines for player in self.match.players)
        return not self.match.is_paused and (has_text or not self.match.has_result)

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
        back_label = "Pause" if has_pause else "Continue" if match.is_paused else ""
        frame = draw_frame(ui, self.title, chips, back_label=back_label)
        area = draw_match(ui, frame, match, self.window.settings)
        action = self._draw_footer(ui, frame, match)
        action = self._draw_overlay(ui, area, match) or action
        if action == "Pause" and match.is_running:
            match.set_paused(True)
        elif action == "Continue":
            match.set_paused(False)
        elif action in ("Restart", "Next game"):
            self.restart(with_next_seed=action == "Next game")
        elif action == "Thinking":
            self.shows_thinking = match.explains = not self.shows_thinking
        elif action in ("Keep playing", "Keep watching"):
            match.plays_on = True
        elif action == "Review" and match.person:
            self.window.open_screen_by_name("review", file=str(match.person.saved_file))
        elif action == "Change players":
            self._end_match()
            ui.request_focus("start")
        if frame.is_closed and has_pause:
            match.set_paused(True)
        return action == "Menu" or (frame.is_closed and not has_pause)

    def _draw_overlay(self, ui: Ui, area: Box, match: Match) -> str:
        """Draw the pause or the result over the boards; return the label of the used button, or ""."""
        person = match.person
        restart = ("Restart", "".join(self._format_keys("restart")))
        others = [("Review", "")] if person and person.saved_file else []
        others.append(("Change players", ""))
        is_saved = any(should_save(player.game, player.name) for player in match.players)
        saving = ["Leaving saves the games in Replays."] if is_saved else []
        if match.has_result:
            headline, lines = describe_result(match)
            if not match.is_over:
                others.insert(0, ("Keep playing" if person and not person.is_out else "Keep watching", ""))
                lines += saving
            buttons = [("Next game", "N"), restart, *others, ("Menu", "Esc")]
            return draw_overlay(ui, area, headline, lines, buttons, width=340)
        if match.is_paused:
            buttons = [("Continue", "Esc"), restart, *others, ("Menu", "Q")]
            return draw_overlay(ui, area, "Paused", saving, buttons, width=340)
        return ""

    def _format_keys(self, *actions: str, prefers_gamepad: bool = False) -> list[str]:
        """Return the labels of the main keys of actions that have one."""
        labels = [self.window.get_key_label(action, prefers_gamepad=prefers_gamepad) for action in actions]
        return [label for label in labels if label]

    def _draw_footer(self, ui: Ui, frame: Frame, match: Match) -> str:
        """Draw a key legend, and a speed slider if only agents play; return the label of the used action, or ""."""
        is_person_playing = match.person is not None and not match.person.is_out
        available_keys = match.rules.keys
        is_gamepad = self.window.gamepads.was_used_last
        entries = [
            (self._format_keys(*used, prefers_gamepad=is_gamepad), label)
            for actions, label in (_PERSON_KEYS if is_person_playing else ())
            if (used := [action for action in actions if action in available_keys])
        ]
        entries += [
            (self._format_keys("pause"), "Pause"),
            (self._format_keys("restart"), "Restart"),
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
        actions = [action for _, action in entries[-4:]]
        return draw_key_legend(ui, legend_box, entries, 0.5 if is_person_playing else 0.0, actions)


def draw_match(ui: Ui, frame: Frame, match: Match, settings: WindowSettings) -> Box:
    """Draw the lead bar, and below it two boards with the queue between them, in wide windows with side panels.

    Return the area of the boards.
    """
    pen, rules = ui.pen, match.rules
    is_wide, gap = frame.is_wide, frame.gap
    lead_box, area = split_column(frame.content, [64, flexible()], gap)
    hold_height = 44 if has_attack_layout(rules) else 0
    entry_rows = count_entry_rows(rules) if match.person else 0
    sides = [Part(216, minimum=150)] if is_wide else []
    board_width = area.width
    for _ in range(3):  # for the widest boards, for those that fit next to the panels, and around these
        board_part = Part(board_width + 1, minimum=120)
        row = split_row(area, [*sides, board_part, 160 if is_wide else 120, board_part, *sides], gap, align=0.5)
        columns = row[len(sides) : len(sides) + 3]
        spaces = [Box(box.left, area.top + hold_height, box.width, area.height - hold_height) for box in columns[::2]]
        boards = [pen.fit_board(space, rules.height, entry_rows=entry_rows) for space in spaces]
        board_width = boards[0].box.width
    bottom = boards[0].box.bottom
    for number, (player, board) in enumerate(zip(match.players, boards, strict=True)):
        draw_player_board(pen, board, player, get_series_colour(number), settings)
        draw_garbage_meter(pen, board.box, board.cell_size, player.game.position)
        draw_note(ui, board.box, player, match)
        if hold_height:
            hold_row = Box(board.box.left, area.top, board.box.width, hold_height)
            draw_hold_row(pen, hold_row, player, has_animation=settings.has_animation)
        if is_wide:
            side = row[-1 if number else 0]
            side.height = (bottom if area.bottom - bottom <= 40 else area.bottom) - area.top
            draw_side_panel(pen, side, gap, match, number)
    columns[1].height = max(bottom - area.top, 242)  # enough for two pieces
    draw_queue(pen, columns[1], match)
    if is_wide:
        lead_box.left, lead_box.width = row[0].left, row[-1].right - row[0].left
    draw_lead_bar(pen, lead_box, match)
    return Box(columns[0].left, area.top, columns[2].right - columns[0].left, area.height)


def draw_player_board(pen: Pen, board: FittedBoard, player: MatchPlayer, colour: str, settings: WindowSettings) -> None:
    """Draw a board with the current piece and its target: a ghost for a person, a plan for an agent."""
    if isinstance(player, HumanPlayer) and not player.is_out:
        animator = player.human_game.board_animator
        ghost = player.game.ghost if settings.ghost and not animator.is_clearing else None
        animator.draw(pen, board, player.tracker.stack, active=player.game.falling_piece, ghost=ghost)
    elif isinstance(player, AgentPlayer) and not player.is_out:
        game, plan = player.agent_game, PLAN_CONTOUR._replace(colour=colour)
        draw_agent_game(pen, board, game, settings, show_thinking=game.explained_count > 0, plan=plan)
    else:
        origin = pen.to_pixel_point(board.box.topleft)
        draw_board(pen.surface, origin, board.cell_size, player.tracker.stack, is_over=True, style=pen.style)
        draw_entry_rows(pen, board, player.tracker.stack)


def draw_note(ui: Ui, board: Box, player: MatchPlayer, match: Match) -> None:
    """Draw a message over the board of a player who is out, cannot continue or is loading."""
    headline, text = player.name, player.problem or player.waiting_message
    if player.problem:
        headline = f"{player.name} cannot continue"
    elif player.is_out:
        headline, text = "Out", format_count(player.game.lines, "line")
    if text and not match.has_result:
        draw_overlay(ui, board, headline, [text], [], width=min(240, board.width - 16))


def draw_hold_row(pen: Pen, box: Box, player: MatchPlayer, *, has_animation: bool) -> None:
    """Draw the held piece of a player, dimmed while hold cannot be used, and the action text at the right."""
    active = player.agent_game.active_piece if isinstance(player, AgentPlayer) else None
    pieces = VisiblePieces.from_position(player.game.position, active)
    label = "Hold" if pieces.has_hold and box.width >= 200 else ""
    label_box, held, text_box = split_row(inset(box, 4, 0), [pen.measure_text(label, 14) + 4, 36, flexible()], 4)
    pen.draw_text(label, label_box.midleft, 14, False, DIM_TEXT)
    if pieces.hold:
        pen.draw_piece(held.center, 9, pieces.hold, ACTIVE_CELL if pieces.can_hold else GAME_OVER_CELL)
    elif pieces.has_hold:
        pen.draw_text(NO_VALUE, held.midleft, 14, False, FAINT_TEXT)
    first, *details = player.action.lines or ("",)
    shown = pen.truncate_text(" · ".join(details), text_box.width, 13, True)
    lines = [line for line in (first, shown) if line]
    draw_action_lines(pen, text_box, lines, player.action.get_strength(has_animation), align=1)


def draw_lead_bar(pen: Pen, box: Box, match: Match) -> None:
    """Draw the names and points of the players, and between them the lead in words and the shares of the points."""
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    left, middle, right = split_row(inset(box, 16, 8), [flexible(share=3), flexible(share=4), flexible(share=3)], 20)
    for number, (player, side) in enumerate(zip(match.players, (left, right), strict=True)):
        draw_name_and_points(pen, side, player, number)
    title = pen.truncate_text(describe_lead(match), middle.width, 15, True)
    pen.draw_text(title, (middle.centerx, box.top + 20), 15, True, STRONG_TEXT, align=0.5)
    bar = Box(middle.left, box.top + 38, middle.width, 8)
    shares = [player.game.score for player in match.players] if any(p.game.score for p in match.players) else [1, 1]
    for number, part in enumerate(split_row(bar, [flexible(share=share) for share in shares], gap=3)):
        if part:
            colour = mix_colours(PANEL, get_series_colour(number), 1 - number / 4)
            pen.fill_rounded(part, min(8, part.width) / 2, colour)
    pen.fill(Box(bar.centerx, bar.top - 4, 1, 16), WHITE)


def draw_name_and_points(pen: Pen, box: Box, player: MatchPlayer, number: int) -> None:
    """Draw the name of a player above its lines and its attack or holes, and its points at the inner end of a box."""
    game, colour = player.game, get_series_colour(number)
    details = format_count(game.board.holes, "hole") if game.rules.attack == "none" else f"attack {game.attack:,}"
    details = f"{format_count(game.lines, 'line')}, {details}"
    outer, inner = (box.right, box.left) if number else (box.left, box.right)
    inward = -1 if number else 1
    points = format_number(game.score, 0)
    pen.draw_disc((outer + 8 * inward, box.centery), 6, colour)
    pen.draw_text(points, (inner, box.centery), 28, True, colour, align=1 - number)
    width = box.width - pen.measure_text(points, 28, True) - 36
    x = outer + 24 * inward
    name = pen.truncate_text(player.title, width, 20, True)
    pen.draw_text(name, (x, box.centery - 10), 20, True, STRONG_TEXT, align=number)
    pen.draw_text(pen.truncate_text(details, width, 14), (x, box.centery + 13), 14, False, DIM_TEXT, align=number)


def list_statistics(player: MatchPlayer) -> list[tuple[str, float | None, int]]:
    """Return label and value of the statistics of a player, and 1 if higher values are better, −1 if lower ones."""
    game, tracker = player.game, player.tracker
    has_attack = game.rules.attack != "none"
    return [
        ("Lines", game.lines, 1),
        ("Pieces", game.pieces, 0),
        ("Tetrises", tracker.clear_counts[3], 1),
        ("Attack", game.attack, 1) if has_attack else ("Points per line", tracker.points_per_line, 1),
        ("Height", len(tracker.stack.rows), -1),
        ("Holes", game.board.holes, -1),
    ]


def draw_side_panel(pen: Pen, box: Box, gap: int, match: Match, number: int) -> None:
    """Draw the statistics of a player, those that are better than the other's in its colour, and its stack height."""
    player, other = match.players[number], match.players[1 - number]
    series_colour = get_series_colour(number)
    panel, chart = split_column(box, [244, flexible(minimum=140, rank=1)], gap)
    lines_box, rows_box = split_column(pen.draw_panel(panel, "Lines"), [48, flexible()])
    pairs = zip(list_statistics(player), list_statistics(other), strict=True)
    for row, ((label, value, sign), (_, other_value, _)) in zip(
        [lines_box, *list_rows(rows_box, 28)], pairs, strict=False
    ):
        is_better = value is not None and (other_value is None or sign * value > sign * other_value)
        colour = series_colour if is_better else STRONG_TEXT
        text = NO_VALUE if value is None else format_number(value, 0)
        if row is lines_box:
            pen.draw_text(text, (row.left, row.top + 12), 34, True, colour)
        else:
            draw_statistics_row(pen, row, label, text, colour)
    if chart:
        draw_stack_heights(pen, chart, player.tracker.heights[-160:], match.rules.height, series_colour)


def draw_queue(pen: Pen, box: Box, match: Match) -> None:
    """Draw the shared queue, and below it the number of pieces that each player has placed."""
    inside = pen.draw_panel(box, "Shared queue" if box.width >= 140 else "Queue")
    _, slots_box, counts_box = split_column(inside, [8, flexible(), 28])
    rows = list_rows(slots_box.inflate(12, 0), 48, gap=10)
    for row, (letter, numbers) in zip(rows, match.list_queue(len(rows)), strict=True):
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
        tip = slot.right - 8 if number else slot.left + 8
        base = tip - 8 if number else tip + 8
        arrow = [(base, slot.centery - 5), (base, slot.centery + 5), (tip, slot.centery)]
        pen.fill_polygon(arrow, get_series_colour(number))
    if letter.startswith("+"):
        pen.draw_text(letter, slot.center, 16, True, STRONG_TEXT, align=0.5)
    elif letter:
        pen.draw_piece(slot.center, 14, letter)
    else:
        pen.fill_rounded(place(slot, 52, 28), 8, PANEL, BOARD_OUTLINE)
        pen.draw_text("?", slot.center, 14, False, FAINT_TEXT, align=0.5)
