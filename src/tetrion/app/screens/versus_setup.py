"""Setup of the versus screen: players, rules, seed and speed."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.app.background_task import BackgroundTask
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.agent_game import MAX_STEPPED_SPEED
from tetrion.app.games.match_setup import MAX_PLAYERS, MIN_PLAYERS, MatchSetup, make_match_setup
from tetrion.app.games.versus_match import MatchSettings
from tetrion.app.picker_options import list_agent_options, list_rules_options
from tetrion.app.screens.setup_footer import (
    SETUP_KEY_LEGEND,
    compute_start_box,
    draw_problem,
    draw_start_button,
    measure_problem,
)
from tetrion.app.toolkit.controls import (
    BUTTON_HEIGHT,
    compute_button_width,
    compute_segments_width,
    draw_button,
    draw_segments,
)
from tetrion.app.toolkit.header_footer import ScreenArea, draw_key_legend
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.picker import PickerOption
from tetrion.app.toolkit.seed_field import SeedChoice, draw_seed_field
from tetrion.app.toolkit.speed_slider import draw_speed_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window_words import translate_to_window
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, get_series_colour
from tetrion.drawing.pen import PANEL_PADDING, Box
from tetrion.errors import DifferentRulesError

_PANEL_WIDTH = 680
_PADDING_HEIGHT = 14 + 2 * PANEL_PADDING + 24  # of the panel, including the spaces around the options
_LABEL_WIDTH = 128
_ROW_HEIGHT = 50
_MIN_ROW_HEIGHT = 44
_AGENTS_RULES_OPTION = "the agents' rules"
_DEFAULT_SPEED = 4.0  # moves per second
_DEFAULT_SPEED_WITH_HUMAN = 1.0  # a beginner places about one piece per second
_DEFAULT_PLAYERS = (HUMAN_PLAYER, "lee")
_SPEED_MODES = ("Same speed", "Own speed")


class MatchChoices(NamedTuple):
    """The choices of a setup, with which the next setup of the same session begins."""

    players: tuple[str, ...] = _DEFAULT_PLAYERS
    rules: str = ""  # "": the agents' rules
    speed: float | None = None  # moves per second; None: the default speed
    speed_mode: int | None = None  # index in _SPEED_MODES; None: same speed, unless a human plays


class MatchValidation(BackgroundTask):
    """Background check whether the chosen players can play together; their files may be large or invalid.

    `previous_players` are the players before one was added. Their rules are kept for all players, as `kept_rules`, if
    the added player was made for other rules.
    """

    def __init__(self, players: Sequence[str], rules: str, previous_players: Sequence[str] = ()) -> None:
        super().__init__()
        self.request = tuple(players), rules
        self.previous_players = tuple(previous_players)
        self.kept_rules = ""
        self.result: MatchSetup | None = None
        self.start()

    def run(self) -> None:
        """Check the players and the rules."""
        players, rules = self.request
        try:
            self.result = make_match_setup(players, rules)
        except DifferentRulesError:
            if not self.previous_players:
                raise
            kept_rules = str(make_match_setup(self.previous_players).rules)
            self.result = make_match_setup(players, kept_rules)
            self.kept_rules = kept_rules

    @property
    def shown_problem(self) -> str:
        """The error message in the words of the window, or ""."""
        return translate_to_window(self.problem)


def make_player_options() -> list[PickerOption]:
    """Return the players to choose from."""
    return [PickerOption(HUMAN_PLAYER, "a human at the keyboard"), *list_agent_options()]


def make_match_rules_options() -> list[PickerOption]:
    """Return the rules to choose from."""
    return [PickerOption(_AGENTS_RULES_OPTION, "the rules that all agents were made for"), *list_rules_options()]


class VersusSetup:
    """Choices before a match; they are preserved for the next match."""

    def __init__(self, choices: MatchChoices, seed: int | None = None, *, starts_when_valid: bool = False) -> None:
        self.players = list(choices.players)
        self.rules = choices.rules
        self.seed = SeedChoice.from_seed(seed)
        self.speed_mode = choices.speed_mode
        self.starts_when_valid = starts_when_valid
        self._chosen_speed = choices.speed
        self._notice = ""
        self._players_before_addition: tuple[str, ...] = ()
        self.player_pickers = [
            Picker(f"player {number + 1}", free_text_hint="a file, class or folder") for number in range(MAX_PLAYERS)
        ]
        self.rules_picker = Picker("rules", free_text_hint="rules such as nes:start_level=9")
        self._removed_player: int | None = None  # in this frame
        self._row_height = _ROW_HEIGHT
        self.validation = MatchValidation(self.players, self.rules)

    @property
    def choices(self) -> MatchChoices:
        """The choices for the next setup of the session."""
        return MatchChoices(tuple(self.players), self.rules, self._chosen_speed, self.speed_mode)

    @property
    def speed(self) -> float:
        """Moves per second of the agents: the chosen speed, or a default, which is lower if a human plays."""
        default = _DEFAULT_SPEED_WITH_HUMAN if HUMAN_PLAYER in self.players else _DEFAULT_SPEED
        return self._chosen_speed or default

    @speed.setter
    def speed(self, speed: float) -> None:
        if speed != self.speed:
            self._chosen_speed = speed

    def take_notice(self) -> str:
        """Return the notice about a choice that the setup has made, once, or ""."""
        notice = self._notice
        self._notice = ""
        return notice

    @property
    def is_synchronised(self) -> bool:
        """Whether all players place each piece at the same time."""
        return HUMAN_PLAYER not in self.players if self.speed_mode is None else self.speed_mode == 0

    def make_match_settings(self) -> MatchSettings | None:
        """Return the match settings, or None if the setup is not valid yet."""
        match_setup = self.validation.result
        if match_setup is None:
            return None
        seed = self.seed.choose_seed()
        return MatchSettings(tuple(self.players), match_setup, seed, self.is_synchronised, self.speed)

    def validate_changes(self) -> None:
        """Start a new check if the players or the rules have changed, and keep the rules if a player was added."""
        validation = self.validation
        if validation.request != (tuple(self.players), self.rules):
            self.validation = MatchValidation(self.players, self.rules, self._players_before_addition)
            self._players_before_addition = ()
        elif validation.is_done and validation.kept_rules:
            self.rules = validation.kept_rules
            self._notice = f"Rules: {self.rules} for all players. {self.players[-1]} was made for other rules."
            self.validation = MatchValidation(self.players, self.rules)

    def validate_again(self) -> None:
        """Repeat the last check, after code of a player was allowed."""
        self.validation = MatchValidation(self.players, self.rules, self.validation.previous_players)

    def draw(self, ui: Ui, screen_area: ScreenArea) -> MatchSettings | None:
        """Draw the setup; return the match settings when the match should start."""
        draw_key_legend(ui, screen_area.footer, SETUP_KEY_LEGEND)
        panel, problem_box = self._lay_out(ui, screen_area.content)
        ui.pen.draw_panel(panel)
        box = Box(
            panel.left + 2 * PANEL_PADDING, panel.top + PANEL_PADDING, panel.width - 4 * PANEL_PADDING, self._row_height
        )
        for number in range(len(self.players)):
            self._draw_player(ui, box, number)
            box = box.move(0, self._row_height)
        if len(self.players) < MAX_PLAYERS:
            self._draw_add_button(ui, box)
            box = box.move(0, self._row_height)
        ui.pen.draw_separator(box.left, box.top + 6, box.width)
        self._draw_options(ui, box.move(0, 14))
        last_row = panel.inflate(-4 * PANEL_PADDING, -2 * PANEL_PADDING)
        draw_problem(ui, self._problem, problem_box)
        other_focus = "player 1" if self._problem else ""
        is_started = draw_start_button(ui, last_row, is_enabled=self._can_start, other_focus=other_focus)
        for number in range(len(self.players)):
            self._draw_player_list(ui, number)
        self._accept_dropped_file(ui)
        if self._removed_player is not None:
            del self.players[self._removed_player]
            ui.request_focus(f"player {min(self._removed_player + 1, len(self.players))}")
            self._removed_player = None
        if picked := self.rules_picker.draw_list(ui, make_match_rules_options):
            self.rules = "" if picked == _AGENTS_RULES_OPTION else picked
        self.validate_changes()
        if is_started or (self.starts_when_valid and self._can_start):
            self.starts_when_valid = False
            return self.make_match_settings()
        self.starts_when_valid = self.starts_when_valid and not self.validation.problem
        return None

    @property
    def _can_start(self) -> bool:
        return self.validation.result is not None and self.validation.request == (tuple(self.players), self.rules)

    @property
    def _problem(self) -> str:
        """Why the match cannot start, or ""."""
        return self.validation.shown_problem

    @property
    def _row_count(self) -> int:
        """The number of rows above the last one, which has the Start button and the problem."""
        return min(MAX_PLAYERS, len(self.players) + 1) + 4

    def _lay_out(self, ui: Ui, content: Box) -> tuple[Box, Box]:
        """Return the box of the panel and that of the problem, and set the height of the rows.

        The problem is to the left of the Start button. The panel grows with it; in low windows, the rows are lower.
        """
        panel = Box(0, content.top, min(_PANEL_WIDTH, content.width), 0)
        panel.centerx = content.centerx
        last_row = panel.inflate(-4 * PANEL_PADDING, 0)
        problem_width = compute_start_box(ui, last_row).left - last_row.left - 16
        last_height = max(BUTTON_HEIGHT, measure_problem(ui, self._problem, problem_width))
        rows_height = content.height - last_height - _PADDING_HEIGHT
        self._row_height = max(_MIN_ROW_HEIGHT, min(_ROW_HEIGHT, rows_height // self._row_count))
        above_height = self._row_count * self._row_height + _PADDING_HEIGHT - PANEL_PADDING
        panel.height = min(above_height + last_height + PANEL_PADDING, content.height)
        panel.top += (content.height - panel.height) // 3
        height = panel.height - above_height - PANEL_PADDING
        return panel, Box(last_row.left, panel.top + above_height, problem_width, height)

    def _draw_player(self, ui: Ui, box: Box, number: int) -> None:
        ui.pen.draw_disc((box.left + 6, box.centery), 6, get_series_colour(number))
        ui.pen.draw_text(f"Player {number + 1}", (box.left + 24, box.centery), 16, False, DIM_TEXT)
        remove_width = compute_button_width(ui.pen, "Remove") + 8
        field = Box(
            box.left + _LABEL_WIDTH,
            box.centery - BUTTON_HEIGHT // 2,
            box.width - _LABEL_WIDTH - remove_width - 12,
            BUTTON_HEIGHT,
        )
        self.player_pickers[number].draw(ui, field, self.players[number])
        button_box = Box(box.right - remove_width, field.top, remove_width, BUTTON_HEIGHT)
        if draw_button(ui, f"remove {number + 1}", button_box, "Remove", is_enabled=len(self.players) > MIN_PLAYERS):
            self._removed_player = number

    def _draw_player_list(self, ui: Ui, number: int) -> None:
        self.players[number] = self.player_pickers[number].draw_list(ui, make_player_options) or self.players[number]

    def _draw_add_button(self, ui: Ui, box: Box) -> None:
        width = compute_button_width(ui.pen, "Add player") + 8
        button_box = Box(box.left + _LABEL_WIDTH, box.centery - BUTTON_HEIGHT // 2, width, BUTTON_HEIGHT)
        if draw_button(ui, "add", button_box, "Add player"):
            is_still_checked = not self.validation.is_done and bool(self.validation.previous_players)
            self._players_before_addition = (
                self.validation.previous_players if is_still_checked else tuple(self.players)
            )
            names = [option.value for option in list_agent_options()]
            self.players.append(next(name for name in ("dellacherie", "gavrilov", *names) if name not in self.players))
            ui.request_focus(f"player {len(self.players)}")

    def _draw_options(self, ui: Ui, box: Box) -> None:
        match_setup = self.validation.result
        right = Box(box.left + _LABEL_WIDTH, box.top, box.width - _LABEL_WIDTH, self._row_height)
        self._draw_label(ui, box, "Rules")
        shown = self.rules or (f"{_AGENTS_RULES_OPTION}: {match_setup.rules}" if match_setup else _AGENTS_RULES_OPTION)
        self.rules_picker.draw(ui, right.inflate(0, BUTTON_HEIGHT - self._row_height), shown)
        box, right = box.move(0, self._row_height), right.move(0, self._row_height)
        self._draw_seed(ui, box, right)
        box, right = box.move(0, self._row_height), right.move(0, self._row_height)
        self._draw_label(ui, box, "Timing")
        width = compute_segments_width(ui.pen, _SPEED_MODES)
        chosen = draw_segments(
            ui,
            "timing",
            Box(right.left, right.top, width, self._row_height),
            _SPEED_MODES,
            0 if self.is_synchronised else 1,
        )
        if chosen != (0 if self.is_synchronised else 1):
            self.speed_mode = chosen
        text = "Players wait for each other after each piece" if self.is_synchronised else self._describe_own_speed()
        ui.pen.draw_text(
            ui.pen.truncate_text(text, right.width - width - 16, 14),
            (right.left + width + 16, right.centery),
            14,
            False,
            FAINT_TEXT,
        )
        box, right = box.move(0, self._row_height), right.move(0, self._row_height)
        self._draw_label(ui, box, "Speed")
        self.speed = draw_speed_slider(ui, right, self.speed, max_speed=MAX_STEPPED_SPEED, with_label=False)

    def _describe_own_speed(self) -> str:
        return "You play in real time" if HUMAN_PLAYER in self.players else "Players do not wait for each other"

    def _draw_seed(self, ui: Ui, box: Box, right: Box) -> None:
        self._draw_label(ui, box, "Seed")
        self.seed = draw_seed_field(ui, right, self.seed)

    def _draw_label(self, ui: Ui, box: Box, label: str) -> None:
        ui.pen.draw_text(label, (box.left, box.centery), 16, False, DIM_TEXT)

    def _accept_dropped_file(self, ui: Ui) -> None:
        """Use a dropped file as the focused player, or as the last one."""
        if ui.files and not any(picker.is_open for picker in self.player_pickers):
            names = [picker.name for picker in self.player_pickers[: len(self.players)]]
            number = names.index(ui.focus) if ui.focus in names else len(self.players) - 1
            self.players[number] = ui.files[-1]
