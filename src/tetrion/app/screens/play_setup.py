"""Setup of the play screen: rules, start level, seed and hint agent, next to the best scores."""

from dataclasses import dataclass, field

from tetrion.app.game_storage import BestScore, load_best_scores, select_best_scores
from tetrion.app.games.human_rules import describe_unusual_controls
from tetrion.app.picker_options import list_hint_agent_options, list_rules_options
from tetrion.app.screens.play_panels import draw_best_scores
from tetrion.app.screens.setup_footer import compute_start_box, draw_start_button
from tetrion.app.toolkit.controls import (
    BUTTON_HEIGHT,
    compute_button_width,
    draw_button,
    draw_stepper,
)
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.seed_field import SeedChoice, draw_seed_field
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, NEGATIVE, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.position import uses_levels

_PANEL_WIDTH = 480
_COMPACT_PANEL_WIDTH = 440
_MAX_BEST_SCORES_WIDTH = 336
_MAX_PANEL_HEIGHT = 500
_LABEL_WIDTH = 112
_DESCRIPTION_LINES = 6
_DESCRIPTION_HEIGHT = 124
_ROW_HEIGHT = 56
MAX_START_LEVEL = 29
_MAX_TETRAIS_LEVEL = 9
_MAX_GUIDELINE_LEVEL = 20  # 20 rows per frame
_NO_LEVELS_TEXT = "These rules have no levels."


@dataclass
class PlaySetup:
    """Choices before a game.

    `rules_text` is as typed, except that a start level is moved to `level`.
    """

    rules_text: str
    level: int
    hint_agent: str
    seed: SeedChoice
    rules_error: str = ""
    scores_message: str = ""  # error message about the best scores file
    _rules: Rules | None = None
    _scores: dict[str, list[BestScore]] | None = None
    _rules_picker: Picker = field(
        default_factory=lambda: Picker("rules", free_text_hint="rules such as nes:start_level=9")
    )
    _hint_picker: Picker = field(default_factory=lambda: Picker("hint agent", free_text_hint="a file, class or folder"))

    def __post_init__(self) -> None:
        self.choose_rules(self.rules_text)

    @property
    def rules(self) -> Rules | None:
        """The rules with the start level, or None if they are invalid."""
        if self._rules is None or not uses_levels(self._rules):
            return self._rules
        return self._rules.with_(start_level=self.start_level)

    @property
    def start_level(self) -> int:
        """The chosen level, within the limits of the rules."""
        if self._rules is None:
            return self.level
        return max(get_min_level(self._rules), min(self.level, get_max_level(self._rules)))

    def choose_rules(self, text: str) -> None:
        """Parse typed rules; sets `rules_error` if they are invalid."""
        self.rules_text = text
        self.rules_error = ""
        try:
            rules = Rules.parse(text)
        except TetrionError as error:
            self._rules = None
            self.rules_error = str(error)
            return
        if uses_levels(rules) and rules.start_level != get_min_level(rules):
            self.level, rules = rules.start_level, rules.with_(start_level=get_min_level(rules))
            self.rules_text = str(rules)
        self._rules = rules

    def choose_seed(self) -> int:
        """Return the seed of the next game."""
        return self.seed.choose_seed()

    def draw(self, ui: Ui, screen_area: ScreenArea) -> str:
        """Draw the setup; return `start` or `practice` when that button is used."""
        width = _COMPACT_PANEL_WIDTH if screen_area.is_compact else _PANEL_WIDTH
        scores_width = min(_MAX_BEST_SCORES_WIDTH, screen_area.content.width - width - screen_area.gap)
        height = min(_MAX_PANEL_HEIGHT, screen_area.content.height)
        left = screen_area.content.left + (screen_area.content.width - width - scores_width - screen_area.gap) // 2
        top = screen_area.content.top + max(0, (screen_area.content.height - height) // 3)
        scores = self.get_scores(self.rules) if self.rules else []
        action = self._draw_choices(ui, Box(left, top, width, height))
        draw_best_scores(ui.pen, Box(left + width + screen_area.gap, top, scores_width, height), scores)
        if rules := self._rules_picker.draw_list(ui, list_rules_options):
            self.choose_rules(rules)
        if agent := self._hint_picker.draw_list(ui, list_hint_agent_options):
            self.hint_agent = agent
        return action

    def get_scores(self, rules: Rules) -> list[BestScore]:
        """Return the best scores with these rules."""
        if self._scores is None:
            self._scores, self.scores_message = load_best_scores()
        return select_best_scores(self._scores, rules)

    def reload_scores(self) -> None:
        """Forget the loaded best scores, so that they are read again."""
        self._scores = None

    def _draw_choices(self, ui: Ui, box: Box) -> str:
        pen, inside = ui.pen, box.inflate(-48, 0)
        pen.draw_panel(box)
        pen.draw_text("New game", (inside.left, box.top + 36), 18, True, STRONG_TEXT)
        top = box.top + 64
        self._rules_picker.draw(ui, self._draw_field_label(ui, inside, top, "Rules"), self.rules_text)
        top += BUTTON_HEIGHT + 18
        self._draw_description(ui, Box(inside.left + _LABEL_WIDTH, top, inside.width - _LABEL_WIDTH, 0))
        top += _DESCRIPTION_HEIGHT
        field_box = self._draw_field_label(ui, inside, top, "Start level")
        if self._rules and uses_levels(self._rules):
            level = draw_stepper(
                ui,
                "level",
                Box(field_box.left, field_box.top, 140, BUTTON_HEIGHT),
                self.start_level,
                min_value=get_min_level(self._rules),
                max_value=get_max_level(self._rules),
            )
            self.level = level if level != self.start_level else self.level
        else:
            pen.draw_text(
                _NO_LEVELS_TEXT if self._rules else "–", (field_box.left, field_box.centery), 14, False, DIM_TEXT
            )
        top += _ROW_HEIGHT
        self.seed = draw_seed_field(ui, self._draw_field_label(ui, inside, top, "Seed"), self.seed)
        top += _ROW_HEIGHT
        self._hint_picker.draw(ui, self._draw_field_label(ui, inside, top, "Hint from"), self.hint_agent)
        return self._draw_buttons(ui, Box(inside.left, box.bottom - 24 - BUTTON_HEIGHT, inside.width, BUTTON_HEIGHT))

    def _draw_description(self, ui: Ui, box: Box) -> None:
        """Draw what the rules are, and their unusual controls, or why the rules are invalid."""
        if self._rules is None:
            ui.pen.draw_paragraph(self.rules_error, box.topleft, box.width, 14, NEGATIVE, max_lines=_DESCRIPTION_LINES)
            return
        height = ui.pen.draw_paragraph(describe_rules(self._rules), box.topleft, box.width, 14, max_lines=3)
        controls = describe_unusual_controls(self._rules)
        ui.pen.draw_paragraph(controls, (box.left, box.top + height), box.width, 14, NORMAL_TEXT, max_lines=3)

    def _draw_field_label(self, ui: Ui, inside: Box, top: int, label: str) -> Box:
        ui.pen.draw_text(label, (inside.left, top + BUTTON_HEIGHT // 2), 16, False, DIM_TEXT)
        return Box(inside.left + _LABEL_WIDTH, top, inside.width - _LABEL_WIDTH, BUTTON_HEIGHT)

    def _draw_buttons(self, ui: Ui, box: Box) -> str:
        start_box = compute_start_box(ui, box)
        practice_width = compute_button_width(ui.pen, "Practice") + 16
        practice_box = Box(start_box.left - 12 - practice_width, box.top, practice_width, BUTTON_HEIGHT)
        action = ""
        if draw_button(ui, "practice", practice_box, "Practice"):
            action = "practice"
        if draw_start_button(ui, box, is_enabled=not self.rules_error):
            action = "start"
        if not ui.focus:
            ui.request_focus("start" if not self.rules_error else "rules")
        return action


def get_min_level(rules: Rules) -> int:
    """Return the lowest start level: the one of the preset."""
    return Rules.from_preset(rules.name).start_level


def get_max_level(rules: Rules) -> int:
    """Return the highest start level that differs from the level below it."""
    if rules.gravity == "guideline":
        return _MAX_GUIDELINE_LEVEL
    return _MAX_TETRAIS_LEVEL if rules.gravity == "tetrais" and rules.level_system == "fixed" else MAX_START_LEVEL


def describe_rules(rules: Rules | None) -> str:
    """Describe rules in one or two sentences."""
    if rules is None:
        return ""
    source = PRESETS[rules.name].source
    previews = {0: "no next piece is shown", 1: "one next piece is shown"}
    preview = previews.get(rules.preview, f"{rules.preview} next pieces are shown")
    return f"{source[0].upper()}{source[1:]}. {rules.height} rows; {preview}."
