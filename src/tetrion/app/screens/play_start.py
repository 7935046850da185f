"""What is chosen before a game: the rules, the level, the pieces, who may be asked; beside it the best games."""

import random
from dataclasses import dataclass, field

from tetrion.app.choices import agent_options, rules_options
from tetrion.app.screens.play_panels import draw_best
from tetrion.app.shelf import Score, load_scores
from tetrion.app.toolkit.chrome import Room
from tetrion.app.toolkit.controls import BUTTON, button, segments, segments_width, stepper
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import BAD, DIM, STRONG
from tetrion.drawing.pen import Box
from tetrion.engine.presets import PRESETS
from tetrion.engine.randomisers import LARGEST_SEED
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.position import has_levels

WIDE, NARROW, BEST, HIGH = 480, 440, 336, 456
LABEL = 112  # the width of what stands before a choice
ROW = 56
RANDOM_SEEDS = 10**6  # how many different ones a person may get
HIGHEST_LEVEL, FASTEST_TETRAIS = 29, 9
SEEDS = ("Random", "Given")
NO_LEVELS = "These rules have no levels."


@dataclass
class Start:
    """The choices. `rules_text` is as typed, with the level apart where the rules have levels."""

    rules_text: str
    level: int
    hint_agent: str
    seed: int | None = None  # another one each game
    mistake: str = ""
    told: str = ""  # what a person should know about the best scores
    _rules: Rules | None = None
    _scores: dict[str, list[Score]] | None = None
    _given: int = 1
    _rules_picker: Picker = field(default_factory=lambda: Picker("rules", free="rules such as nes:level=9"))
    _hint_picker: Picker = field(default_factory=lambda: Picker("hint agent", free="a file, class or folder"))

    def __post_init__(self) -> None:
        if self.seed is not None:
            self._given = self.seed
        self.choose_rules(self.rules_text)

    @property
    def rules(self) -> Rules | None:
        """The rules with the level; None while they are mistaken."""
        if self._rules is None or not has_levels(self._rules):
            return self._rules
        return self._rules.with_(level=min(self.level, highest_level(self._rules)))

    def choose_rules(self, text: str) -> None:
        """Take rules as they are typed."""
        self.rules_text, self.mistake = text, ""
        try:
            rules = Rules.parse(text)
        except TetrionError as mistake:
            self._rules, self.mistake = None, str(mistake)
            return
        if has_levels(rules) and rules.level:
            self.level, rules = rules.level, rules.with_(level=0)
            self.rules_text = str(rules)
        self._rules = rules

    def next_seed(self) -> int:
        """The seed of the next game."""
        return random.randrange(RANDOM_SEEDS) if self.seed is None else self.seed

    def draw(self, ui: Ui, room: Room) -> str:
        """Draw everything; gives back `start` or `practice` when that is wanted."""
        wide = NARROW if room.compact else WIDE
        best = min(BEST, room.content.width - wide - room.gap)
        high = min(HIGH, room.content.height)
        left = room.content.left + (room.content.width - wide - best - room.gap) // 2
        top = room.content.top + max(0, (room.content.height - high) // 3)
        scores = self.scores_of(self.rules) if self.rules else []
        used = self._draw_choices(ui, Box(left, top, wide, high))
        draw_best(ui.pen, Box(left + wide + room.gap, top, best, high), scores)
        if rules := self._rules_picker.draw_list(ui, rules_options):
            self.choose_rules(rules)
        if agent := self._hint_picker.draw_list(ui, agent_options):
            self.hint_agent = agent
        return used

    def scores_of(self, rules: Rules) -> list[Score]:
        """The best games under rules."""
        if self._scores is None:
            self._scores, self.told = load_scores()
        return self._scores.get(str(rules), [])

    def scores_changed(self) -> None:
        """A game has ended: look at the best ones again."""
        self._scores = None

    def _draw_choices(self, ui: Ui, box: Box) -> str:
        pen, inside = ui.pen, box.inflate(-48, 0)
        pen.panel(box)
        pen.text("New game", (inside.left, box.top + 36), 18, True, STRONG)
        top = box.top + 64
        self._rules_picker.draw(ui, self._field(ui, inside, top, "Rules"), self.rules_text)
        top += BUTTON + 18
        words, ink = (self.mistake, BAD) if self.mistake else (about(self._rules), DIM)
        pen.paragraph(words, (inside.left + LABEL, top), inside.width - LABEL, 14, ink, most=4)
        top += 84
        place = self._field(ui, inside, top, "Start level")
        if self._rules and has_levels(self._rules):
            most = highest_level(self._rules)
            self.level = stepper(ui, "level", Box(place.left, place.top, 140, BUTTON), min(self.level, most), 0, most)
        else:
            pen.text(NO_LEVELS if self._rules else "–", (place.left, place.centery), 14, False, DIM)
        top += ROW
        self._draw_seed(ui, self._field(ui, inside, top, "Pieces"))
        top += ROW
        self._hint_picker.draw(ui, self._field(ui, inside, top, "Hint from"), self.hint_agent)
        return self._draw_buttons(ui, Box(inside.left, box.bottom - 24 - BUTTON, inside.width, BUTTON))

    def _field(self, ui: Ui, inside: Box, top: int, label: str) -> Box:
        ui.pen.text(label, (inside.left, top + BUTTON // 2), 16, False, DIM)
        return Box(inside.left + LABEL, top, inside.width - LABEL, BUTTON)

    def _draw_seed(self, ui: Ui, place: Box) -> None:
        wide = segments_width(ui.pen, SEEDS)
        given = segments(ui, "pieces", Box(place.left, place.top, wide, BUTTON), SEEDS, int(self.seed is not None))
        if not given:
            self.seed = None
            return
        beside = Box(place.left + wide + 12, place.top, place.width - wide - 12, BUTTON)
        self.seed = self._given = stepper(ui, "seed", beside, self._given, 0, LARGEST_SEED)

    def _draw_buttons(self, ui: Ui, box: Box) -> str:
        start = Box(box.left, box.top, round(box.width * 0.58), BUTTON)
        used = ""
        if button(ui, "start", start, "Start", primary=True, enabled=not self.mistake):
            used = "start"
        rest = Box(start.right + 12, box.top, box.right - start.right - 12, BUTTON)
        if button(ui, "practice", rest, "Practice"):
            used = "practice"
        if not ui.focus:
            ui.want("start" if not self.mistake else "rules")
        return used


def highest_level(rules: Rules) -> int:
    """The last start level that differs from the one before."""
    return FASTEST_TETRAIS if rules.gravity == "tetrais" and rules.levels == "fixed" else HIGHEST_LEVEL


def about(rules: Rules | None) -> str:
    """Rules in a sentence or two."""
    if rules is None:
        return ""
    source = PRESETS[rules.name].source
    seen = {0: "no next piece is shown", 1: "one next piece is shown"}
    shown = seen.get(rules.preview, f"{rules.preview} next pieces are shown")
    return f"{source[0].upper()}{source[1:]}. {rules.height} rows; {shown}."
