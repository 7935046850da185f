"""Setup of the watch screen: agent, rules and seed."""

from pathlib import Path
from typing import NamedTuple

from tetrion.agents import Agent, choose_rules, load_agent
from tetrion.app.picker_options import list_agent_options, list_rules_options
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, draw_button, draw_stepper
from tetrion.app.toolkit.picker import Picker, PickerOption
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import BACKGROUND, BOARD_OUTLINE, DIM_TEXT, PANEL, STRONG_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import MAX_SEED
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError

_AGENT_RULES_OPTION = "the agent's rules"
_PANEL_SIZE = (440, 300)
_FIELD_HEIGHT = 44


class WatchOptions(NamedTuple):
    """Agent as typed, rules as typed (empty: the rules of the agent), and seed."""

    agent: str
    rules: str
    seed: int

    def load(self) -> tuple[Agent, Rules]:
        """Load the agent and parse the rules."""
        try:
            agent = load_agent(self.agent)
        except OSError as error:
            raise TetrionError(f"Cannot read {self.agent}: {error.strerror}.") from None
        rules = choose_rules([agent], self.rules)
        agent.check_rules(rules)
        return agent, rules


def parse_dropped_agent(path: str) -> str:
    """Return the agent name of a dropped file; a Python file gets its last class with a `choose` method."""
    if not path.lower().endswith(".py"):
        return path
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return path
    class_name, agent_classes = "", []
    for line in lines:
        if line.startswith("class "):
            class_name = line[6:].split("(")[0].split(":")[0].strip()
        elif line.strip().startswith("def choose(") and class_name:
            agent_classes.append(class_name)
    return f"{path}:{agent_classes[-1]}" if agent_classes else path


def make_agent_rules_options() -> list[PickerOption]:
    """Return the rules to choose from."""
    return [PickerOption(_AGENT_RULES_OPTION, "standard if it has none"), *list_rules_options()]


class WatchSetup:
    """Panel with the fields agent, rules and seed."""

    def __init__(self) -> None:
        self.is_open = False
        self._agent_picker = Picker("agent", free_text_hint="a file, class or folder")
        self._rules_picker = Picker("rules", free_text_hint="rules such as nes:start_level=9")

    @property
    def is_picking(self) -> bool:
        """Whether a picker list is open."""
        return self._agent_picker.is_open or self._rules_picker.is_open

    def open(self, ui: Ui, field: str = "agent") -> None:
        """Open the panel with the focus on a field: agent, rules or seed."""
        self.is_open = True
        ui.request_focus(field)

    def draw(self, ui: Ui, options: WatchOptions) -> WatchOptions:
        """Draw the panel over the screen; return the current choices."""
        pen = ui.pen
        was_picking = self.is_picking  # before the keys of this frame are handled
        box = Box(0, 0, *_PANEL_SIZE)
        box.center = pen.area.center
        pen.draw_overlay(pen.area, 0, BACKGROUND, 0.5)
        pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
        pen.draw_text("Agent and game", (box.left + 24, box.top + 34), 18, True, STRONG_TEXT)
        with ui.modal_layer():
            fields = []
            for number, label in enumerate(("Agent", "Rules", "Seed")):
                row = Box(box.left + 24, box.top + 62 + (_FIELD_HEIGHT + 8) * number, box.width - 48, _FIELD_HEIGHT)
                pen.draw_text(label, (row.left, row.centery), 16, False, DIM_TEXT)
                fields.append(Box(row.left + 84, row.top, row.width - 84, _FIELD_HEIGHT))
            self._agent_picker.draw(ui, fields[0], options.agent)
            self._rules_picker.draw(ui, fields[1], options.rules or _AGENT_RULES_OPTION)
            seed = draw_stepper(ui, "seed", fields[2], options.seed, max_value=MAX_SEED)
            button_box = Box(box.left + 24, box.bottom - 24 - BUTTON_HEIGHT, box.width - 48, BUTTON_HEIGHT)
            is_done = draw_button(ui, "done", button_box, "Done", is_primary=True)
            agent = self._agent_picker.draw_list(ui, list_agent_options) or options.agent
            rules = self._rules_picker.draw_list(ui, make_agent_rules_options) or options.rules
        if is_done or (not was_picking and ui.is_key_pressed("Esc")):
            self.is_open = False
        return WatchOptions(agent, "" if rules == _AGENT_RULES_OPTION else rules, seed)
