"""What is chosen before a game: the rules, the level, the pieces, who may be asked; beside it the best games."""

import random
from dataclasses import dataclass, field

from tetrion.app.game_storage import BestScore, load_best_scores
from tetrion.app.picker_options import list_agent_options, list_rules_options
from tetrion.app.screens.play_panels import draw_best_scores
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_segments_width, draw_button, draw_segments, draw_stepper
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, NEGATIVE, STRONG_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.presets import PRESETS
from tetrion.engine.randomisers import MAX_SEED
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.position import uses_levels

_PANEL_WIDTH = 480
_COMPACT_PANEL_WIDTH = 440
_MAX_BEST_SCORES_WIDTH = 336
_MAX_PANEL_HEIGHT = 456
_LABEL_WIDTH = 112  # the width of what stands before a choice
_ROW_HEIGHT = 56
_RANDOM_SEED_COUNT = 10**6  # how many different ones a person may get
MAX_START_LEVEL, _MAX_TETRAIS_LEVEL = 29, 9
_SEED_MODES = ("Random", "Given")
_NO_LEVELS_TEXT = "These rules have no levels."


@dataclass
class PlaySetup:
    """The choices. `rules_text` is as typed, with the level apart where the rules have levels."""

    rules_text: str
    level: int
    hint_agent: str
    seed: int | None = None  # another one each game
    rules_error: str = ""
    scores_message: str = ""  # what a person should know about the best scores
    _rules: Rules | None = None
    _scores: dict[str, list[BestScore]] | None = None
    _given_seed: int = 1
    _rules_picker: Picker = field(
        default_factory=lambda: Picker("rules", free_text_hint="rules such as nes:start_level=9")
    )
    _hint_picker: Picker = field(default_factory=lambda: Picker("hint agent", free_text_hint="a file, class or folder"))

    def __post_init__(self) -> None:
        if self.seed is not None:
            self._given_seed = self.seed
        self.choose_rules(self.rules_text)

    @property
    def rules(self) -> Rules | None:
        """The rules with the level; None while they are mistaken."""
        if self._rules is None or not uses_levels(self._rules):
            return self._rules
        return self._rules.with_(start_level=min(self.level, get_max_level(self._rules)))

    def choose_rules(self, text: str) -> None:
        """Take rules as they are typed."""
        self.rules_text = text
        self.rules_error = ""
        try:
            rules = Rules.parse(text)
        except TetrionError as mistake:
            self._rules = None
            self.rules_error = str(mistake)
            return
        if uses_levels(rules) and rules.start_level:
            self.level, rules = rules.start_level, rules.with_(start_level=0)
            self.rules_text = str(rules)
        self._rules = rules

    def choose_seed(self) -> int:
        """The seed of the next game."""
        return random.randrange(_RANDOM_SEED_COUNT) if self.seed is None else self.seed

    def draw(self, ui: Ui, room: ScreenArea) -> str:
        """Draw everything; gives back `start` or `practice` when that is wanted."""
        wide = _COMPACT_PANEL_WIDTH if room.is_compact else _PANEL_WIDTH
        best = min(_MAX_BEST_SCORES_WIDTH, room.content.width - wide - room.gap)
        high = min(_MAX_PANEL_HEIGHT, room.content.height)
        left = room.content.left + (room.content.width - wide - best - room.gap) // 2
        top = room.content.top + max(0, (room.content.height - high) // 3)
        scores = self.get_scores(self.rules) if self.rules else []
        used = self._draw_choices(ui, Box(left, top, wide, high))
        draw_best_scores(ui.pen, Box(left + wide + room.gap, top, best, high), scores)
        if rules := self._rules_picker.draw_list(ui, list_rules_options):
            self.choose_rules(rules)
        if agent := self._hint_picker.draw_list(ui, list_agent_options):
            self.hint_agent = agent
        return used

    def get_scores(self, rules: Rules) -> list[BestScore]:
        """The best games under rules."""
        if self._scores is None:
            self._scores, self.scores_message = load_best_scores()
        return self._scores.get(str(rules), [])

    def reload_scores(self) -> None:
        """A game has ended: look at the best ones again."""
        self._scores = None

    def _draw_choices(self, ui: Ui, box: Box) -> str:
        pen, inside = ui.pen, box.inflate(-48, 0)
        pen.draw_panel(box)
        pen.draw_text("New game", (inside.left, box.top + 36), 18, True, STRONG_TEXT)
        top = box.top + 64
        self._rules_picker.draw(ui, self._draw_field_label(ui, inside, top, "Rules"), self.rules_text)
        top += BUTTON_HEIGHT + 18
        words, ink = (self.rules_error, NEGATIVE) if self.rules_error else (describe_rules(self._rules), DIM_TEXT)
        pen.draw_paragraph(words, (inside.left + _LABEL_WIDTH, top), inside.width - _LABEL_WIDTH, 14, ink, max_lines=4)
        top += 84
        place = self._draw_field_label(ui, inside, top, "Start level")
        if self._rules and uses_levels(self._rules):
            most = get_max_level(self._rules)
            self.level = draw_stepper(
                ui, "level", Box(place.left, place.top, 140, BUTTON_HEIGHT), min(self.level, most), 0, most
            )
        else:
            pen.draw_text(_NO_LEVELS_TEXT if self._rules else "–", (place.left, place.centery), 14, False, DIM_TEXT)
        top += _ROW_HEIGHT
        self._draw_seed(ui, self._draw_field_label(ui, inside, top, "Pieces"))
        top += _ROW_HEIGHT
        self._hint_picker.draw(ui, self._draw_field_label(ui, inside, top, "Hint from"), self.hint_agent)
        return self._draw_buttons(ui, Box(inside.left, box.bottom - 24 - BUTTON_HEIGHT, inside.width, BUTTON_HEIGHT))

    def _draw_field_label(self, ui: Ui, inside: Box, top: int, label: str) -> Box:
        ui.pen.draw_text(label, (inside.left, top + BUTTON_HEIGHT // 2), 16, False, DIM_TEXT)
        return Box(inside.left + _LABEL_WIDTH, top, inside.width - _LABEL_WIDTH, BUTTON_HEIGHT)

    def _draw_seed(self, ui: Ui, place: Box) -> None:
        wide = compute_segments_width(ui.pen, _SEED_MODES)
        given = draw_segments(
            ui, "pieces", Box(place.left, place.top, wide, BUTTON_HEIGHT), _SEED_MODES, int(self.seed is not None)
        )
        if not given:
            self.seed = None
            return
        beside = Box(place.left + wide + 12, place.top, place.width - wide - 12, BUTTON_HEIGHT)
        self.seed = self._given_seed = draw_stepper(ui, "seed", beside, self._given_seed, 0, MAX_SEED)

    def _draw_buttons(self, ui: Ui, box: Box) -> str:
        start = Box(box.left, box.top, round(box.width * 0.58), BUTTON_HEIGHT)
        used = ""
        if draw_button(ui, "start", start, "Start", is_primary=True, is_enabled=not self.rules_error):
            used = "start"
        rest = Box(start.right + 12, box.top, box.right - start.right - 12, BUTTON_HEIGHT)
        if draw_button(ui, "practice", rest, "Practice"):
            used = "practice"
        if not ui.focus:
            ui.request_focus("start" if not self.rules_error else "rules")
        return used


def get_max_level(rules: Rules) -> int:
    """The last start level that differs from the one before."""
    return _MAX_TETRAIS_LEVEL if rules.gravity == "tetrais" and rules.level_system == "fixed" else MAX_START_LEVEL


def describe_rules(rules: Rules | None) -> str:
    """Rules in a sentence or two."""
    if rules is None:
        return ""
    source = PRESETS[rules.name].source
    seen = {0: "no next piece is shown", 1: "one next piece is shown"}
    shown = seen.get(rules.preview, f"{rules.preview} next pieces are shown")
    return f"{source[0].upper()}{source[1:]}. {rules.height} rows; {shown}."
