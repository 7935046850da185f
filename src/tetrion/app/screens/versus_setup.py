"""Setup of the versus screen: players, rules, seed and speed."""

from collections.abc import Sequence

from tetrion.app.background_task import BackgroundTask
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.agent_game import MAX_STEPPED_SPEED
from tetrion.app.games.match_setup import MAX_PLAYERS, MIN_PLAYERS, MatchSetup, make_match_setup
from tetrion.app.games.versus_match import MatchSettings
from tetrion.app.picker_options import list_agent_options, list_rules_options
from tetrion.app.screens.setup_footer import SETUP_KEY_LEGEND, compute_start_box, draw_start_button
from tetrion.app.toolkit.controls import (
    BUTTON_HEIGHT,
    compute_button_width,
    compute_segments_width,
    draw_button,
    draw_segments,
)
from tetrion.app.toolkit.header_footer import ScreenArea, draw_key_legend
from tetrion.app.toolkit.picker import Picker, PickerOption
from tetrion.app.toolkit.seed_field import SeedChoice, draw_seed_field
from tetrion.app.toolkit.speed_slider import draw_speed_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, NEGATIVE, get_series_colour
from tetrion.drawing.pen import PANEL_PADDING, Box

_PANEL_WIDTH = 680
_LABEL_WIDTH = 128
_ROW_HEIGHT = 50
_AGENTS_RULES_OPTION = "the agents' rules"
_DEFAULT_SPEED = 4.0
_DEFAULT_PLAYERS = (HUMAN_PLAYER, "lee")
_SPEED_MODES = ("Same speed", "Own speed")


class MatchValidation(BackgroundTask):
    """Background check whether the chosen players can play together; their files may be large or invalid."""

    def __init__(self, players: Sequence[str], rules: str) -> None:
        super().__init__()
        self.request = tuple(players), rules
        self.result: MatchSetup | None = None
        self.start()

    def run(self) -> None:
        """Check the players and the rules."""
        self.result = make_match_setup(*self.request)


def make_player_options() -> list[PickerOption]:
    """Return the players to choose from."""
    return [PickerOption(HUMAN_PLAYER, "a human at the keyboard"), *list_agent_options()]


def make_match_rules_options() -> list[PickerOption]:
    """Return the rules to choose from."""
    return [PickerOption(_AGENTS_RULES_OPTION, "rules of the first agent that defines rules"), *list_rules_options()]


class VersusSetup:
    """Choices before a match; they are preserved for the next match."""

    def __init__(self, players: Sequence[str] = (), rules: str = "", seed: int | None = None) -> None:
        self.players = list(players or _DEFAULT_PLAYERS)
        self.rules = rules
        self.seed = SeedChoice.from_seed(seed)
        self.speed = _DEFAULT_SPEED
        self.speed_mode: int | None = None  # None: same speed, unless a human plays
        self.starts_when_valid = bool(players)
        self.player_pickers = [
            Picker(f"player {number + 1}", free_text_hint="a file, class or folder") for number in range(MAX_PLAYERS)
        ]
        self.rules_picker = Picker("rules", free_text_hint="rules such as nes:start_level=9")
        self._removed_player: int | None = None  # in this frame
        self.validation = MatchValidation(self.players, self.rules)

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
        """Start a new check if the players or the rules have changed."""
        if self.validation.request != (tuple(self.players), self.rules):
            self.validation = MatchValidation(self.players, self.rules)

    def draw(self, ui: Ui, screen_area: ScreenArea) -> MatchSettings | None:
        """Draw the setup; return the match settings when the match should start."""
        draw_key_legend(ui, screen_area.footer, SETUP_KEY_LEGEND)
        panel = Box(0, screen_area.content.top, min(_PANEL_WIDTH, screen_area.content.width), self._panel_height)
        panel.centerx = screen_area.content.centerx
        panel.top += max(0, (screen_area.content.height - panel.height) // 3)
        ui.pen.draw_panel(panel)
        box = Box(
            panel.left + 2 * PANEL_PADDING, panel.top + PANEL_PADDING, panel.width - 4 * PANEL_PADDING, _ROW_HEIGHT
        )
        for number in range(len(self.players)):
            self._draw_player(ui, box, number)
            box = box.move(0, _ROW_HEIGHT)
        if len(self.players) < MAX_PLAYERS:
            self._draw_add_button(ui, box)
            box = box.move(0, _ROW_HEIGHT)
        ui.pen.draw_separator(box.left, box.top + 6, box.width)
        self._draw_options(ui, box.move(0, 14))
        last_row = panel.inflate(-4 * PANEL_PADDING, -2 * PANEL_PADDING)
        self._draw_problem(ui, last_row)
        is_started = draw_start_button(ui, last_row, is_enabled=self._can_start)
        for number in range(len(self.players)):
            self._draw_player_list(ui, number)
        self._accept_dropped_file(ui)
        if self._removed_player is not None:
            del self.players[self._removed_player]
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
    def _panel_height(self) -> int:
        rows = min(MAX_PLAYERS, len(self.players) + 1) + 4
        return rows * _ROW_HEIGHT + 14 + 2 * PANEL_PADDING + 24 + BUTTON_HEIGHT

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
            if self.validation.result:  # a further player does not change the rules
                self.rules = str(self.validation.result.rules)
            names = [option.value for option in list_agent_options()]
            self.players.append(next(name for name in ("dellacherie", "gavrilov", *names) if name not in self.players))

    def _draw_options(self, ui: Ui, box: Box) -> None:
        match_setup = self.validation.result
        right = Box(box.left + _LABEL_WIDTH, box.top, box.width - _LABEL_WIDTH, _ROW_HEIGHT)
        self._draw_label(ui, box, "Rules")
        shown = self.rules or (f"{_AGENTS_RULES_OPTION}: {match_setup.rules}" if match_setup else _AGENTS_RULES_OPTION)
        self.rules_picker.draw(ui, right.inflate(0, BUTTON_HEIGHT - _ROW_HEIGHT), shown)
        box, right = box.move(0, _ROW_HEIGHT), right.move(0, _ROW_HEIGHT)
        self._draw_seed(ui, box, right)
        box, right = box.move(0, _ROW_HEIGHT), right.move(0, _ROW_HEIGHT)
        self._draw_label(ui, box, "Timing")
        width = compute_segments_width(ui.pen, _SPEED_MODES)
        chosen = draw_segments(
            ui, "timing", Box(right.left, right.top, width, _ROW_HEIGHT), _SPEED_MODES, 0 if self.is_synchronised else 1
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
        box, right = box.move(0, _ROW_HEIGHT), right.move(0, _ROW_HEIGHT)
        self._draw_label(ui, box, "Speed")
        self.speed = draw_speed_slider(ui, right, self.speed, max_speed=MAX_STEPPED_SPEED, with_label=False)

    def _draw_problem(self, ui: Ui, box: Box) -> None:
        """Draw the reason why the match cannot start, to the left of the Start button."""
        if self.validation.problem:
            start = compute_start_box(ui, box)
            position = (box.left, start.top + 10)
            ui.pen.draw_paragraph(
                self.validation.problem, position, start.left - box.left - 16, 14, NEGATIVE, max_lines=2
            )

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
