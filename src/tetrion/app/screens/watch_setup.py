"""Choosing who plays, by which rules and with which pieces."""

from pathlib import Path
from typing import NamedTuple

from tetrion.agents import AnyAgent, WeightedAgent, load_agent
from tetrion.app.picker_options import list_agent_options, list_rules_options
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, draw_button, draw_stepper
from tetrion.app.toolkit.picker import Picker, PickerOption
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import BACKGROUND, BOARD_OUTLINE, DIM_TEXT, PANEL, STRONG_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import MAX_SEED
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError

_AGENT_RULES_OPTION = "the agent's own"
_PANEL_SIZE = (440, 300)
_FIELD_HEIGHT = 44


class WatchOptions(NamedTuple):
    """Who plays: an agent as it is typed, rules (nothing: the agent's own), and a seed."""

    agent: str
    rules: str
    seed: int

    def load(self) -> tuple[AnyAgent, Rules]:
        """The agent and the rules, or the error that says why not."""
        try:
            agent = load_agent(self.agent)
        except OSError as problem:
            raise TetrionError(f"{self.agent} cannot be read: {problem.strerror}.") from None
        rules = Rules.parse(self.rules or getattr(agent, "rules", "") or "standard")
        if isinstance(agent, WeightedAgent):
            agent.get_engine_settings(rules)  # says if it looks further ahead than these show
        return agent, rules


def parse_dropped_agent(path: str) -> str:
    """A file that was dropped onto the window, as an agent is typed: a Python file by its only class with `choose`."""
    if not path.lower().endswith(".py"):
        return path
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return path
    classes, found = "", []
    for line in lines:
        if line.startswith("class "):
            classes = line[6:].split("(")[0].split(":")[0].strip()
        elif line.strip().startswith("def choose(") and classes:
            found.append(classes)
    return f"{path}:{found[-1]}" if found else path


def make_agent_rules_options() -> list[PickerOption]:
    """The rules to choose from."""
    return [PickerOption(_AGENT_RULES_OPTION, "else standard"), *list_rules_options()]


class WatchSetup:
    """A panel with three fields, while it is open."""

    def __init__(self) -> None:
        self.is_open = False
        self._agent_picker = Picker("agent", free_text_hint="a file, class or folder")
        self._rules_picker = Picker("rules", free_text_hint="rules such as nes:start_level=9")

    @property
    def is_picking(self) -> bool:
        """Whether a list is open, in which one types."""
        return self._agent_picker.is_open or self._rules_picker.is_open

    def open(self, ui: Ui, field: str = "agent") -> None:
        """Open it with the focus on one of its fields: agent, rules or seed."""
        self.is_open = True
        ui.request_focus(field)

    def draw(self, ui: Ui, options: WatchOptions) -> WatchOptions:
        """Draw it over everything; gives back what is chosen now."""
        pen = ui.pen
        picked = self.is_picking  # before this frame's keys are heard
        box = Box(0, 0, *_PANEL_SIZE)
        box.center = pen.area.center
        pen.draw_overlay(pen.area, 0, BACKGROUND, 0.5)
        pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
        pen.draw_text("Who plays", (box.left + 24, box.top + 34), 18, True, STRONG_TEXT)
        with ui.modal_layer():
            places = []
            for number, label in enumerate(("Agent", "Rules", "Seed")):
                line = Box(box.left + 24, box.top + 62 + (_FIELD_HEIGHT + 8) * number, box.width - 48, _FIELD_HEIGHT)
                pen.draw_text(label, (line.left, line.centery), 16, False, DIM_TEXT)
                places.append(Box(line.left + 84, line.top, line.width - 84, _FIELD_HEIGHT))
            self._agent_picker.draw(ui, places[0], options.agent)
            self._rules_picker.draw(ui, places[1], options.rules or _AGENT_RULES_OPTION)
            seed = draw_stepper(ui, "seed", places[2], options.seed, 0, MAX_SEED)
            done = Box(box.left + 24, box.bottom - 24 - BUTTON_HEIGHT, box.width - 48, BUTTON_HEIGHT)
            closed = draw_button(ui, "done", done, "Done", is_primary=True)
            agent = self._agent_picker.draw_list(ui, list_agent_options) or options.agent
            rules = self._rules_picker.draw_list(ui, make_agent_rules_options) or options.rules
        if closed or (not picked and ui.is_key_pressed("Esc")):
            self.is_open = False
        return WatchOptions(agent, "" if rules == _AGENT_RULES_OPTION else rules, seed)
