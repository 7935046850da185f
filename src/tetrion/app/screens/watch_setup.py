"""Setup of the watch screen: agent, rules and seed."""

from pathlib import Path
from typing import NamedTuple

from tetrion.agents import Agent, choose_rules, load_agent
from tetrion.app.agent_code import check_agent_code
from tetrion.app.picker_options import list_agent_options, list_rules_options
from tetrion.app.screens.setup_footer import compute_start_box, draw_start_button
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button
from tetrion.app.toolkit.picker import Picker, PickerOption
from tetrion.app.toolkit.seed_field import SeedChoice, draw_seed_field
from tetrion.app.toolkit.ui import Ui
from tetrion.data_files import DataFileError, read_data_file
from tetrion.drawing.palette import BACKGROUND, BOARD_OUTLINE, DIM_TEXT, NEGATIVE, PANEL, STRONG_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError

_AGENT_RULES_OPTION = "the agent's rules"
_FIELD_LABELS = ("Agent", "Rules", "Seed")
_PANEL_SIZE = (520, 390)
_FIELD_HEIGHT = 44
_LABEL_WIDTH = 84


class WatchOptions(NamedTuple):
    """Agent as typed, rules as typed (empty: the rules of the agent), and seed."""

    agent: str
    rules: str
    seed: int

    def load(self) -> tuple[Agent, Rules]:
        """Load the agent and parse the rules."""
        try:
            check_agent_code(self.agent)
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
        lines = read_data_file(Path(path)).decode().splitlines()
    except (FileNotFoundError, DataFileError, UnicodeDecodeError):
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
    """Panel with the fields agent, rules and seed; the choices are used only when Start is pressed."""

    def __init__(self) -> None:
        self.is_open = False
        self.problem = ""  # why the choices cannot be used
        self._agent = ""
        self._rules = ""
        self._seed = SeedChoice(True, 0)
        self._agent_picker = Picker("agent", free_text_hint="a file, class or folder")
        self._rules_picker = Picker("rules", free_text_hint="rules such as nes:start_level=9")

    @property
    def is_picking(self) -> bool:
        """Whether a picker list is open."""
        return self._agent_picker.is_open or self._rules_picker.is_open

    def open(self, ui: Ui, options: WatchOptions, field: str = "agent") -> None:
        """Open the panel with the current choices and the focus on a field: agent, rules or seed."""
        self.is_open = True
        self.problem = ""
        self._agent = options.agent
        self._rules = options.rules
        self._seed = SeedChoice(True, options.seed)
        ui.request_focus(field)

    def open_agent_list(self, ui: Ui, options: WatchOptions) -> None:
        """Open the panel with the list of agents in front."""
        self.open(ui, options)
        self._agent_picker.open(options.agent)

    def draw(self, ui: Ui) -> WatchOptions | None:
        """Draw the panel over the screen; return the choices when Start is pressed, otherwise None."""
        pen = ui.pen
        box = Box(0, 0, *_PANEL_SIZE)
        box.center = pen.area.center
        pen.draw_overlay(pen.area, 0, BACKGROUND, 0.5)
        pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
        pen.draw_text("Agent and game", (box.left + 24, box.top + 34), 18, True, STRONG_TEXT)
        with ui.modal_layer():
            fields = [self._draw_label(ui, box, number, label) for number, label in enumerate(_FIELD_LABELS)]
            self._agent_picker.draw(ui, fields[0], self._agent)
            self._rules_picker.draw(ui, fields[1], self._rules or _AGENT_RULES_OPTION)
            self._seed = draw_seed_field(ui, fields[2], self._seed)
            text_top = fields[2].bottom + 20
            pen.draw_paragraph(self.problem, (box.left + 24, text_top), box.width - 48, 14, NEGATIVE, max_lines=4)
            is_started = self._draw_buttons(ui, box)
            if ui.files and not self.is_picking:
                self._agent = parse_dropped_agent(ui.files[-1])
            self._draw_lists(ui)
        return WatchOptions(self._agent, self._rules, self._seed.choose_seed()) if is_started else None

    def _draw_label(self, ui: Ui, box: Box, number: int, label: str) -> Box:
        """Draw the label of a field; return the box of the field."""
        top = box.top + 62 + (_FIELD_HEIGHT + 8) * number
        ui.pen.draw_text(label, (box.left + 24, top + _FIELD_HEIGHT // 2), 16, False, DIM_TEXT)
        return Box(box.left + 24 + _LABEL_WIDTH, top, box.width - 48 - _LABEL_WIDTH, _FIELD_HEIGHT)

    def _draw_buttons(self, ui: Ui, box: Box) -> bool:
        """Draw Cancel and Start at the bottom right; return whether Start was pressed."""
        inside = box.inflate(-48, -48)
        start_box = compute_start_box(ui, inside)
        cancel_width = compute_button_width(ui.pen, "Cancel", "Esc") + 8
        cancel_box = Box(start_box.left - 12 - cancel_width, start_box.top, cancel_width, BUTTON_HEIGHT)
        if draw_button(ui, "cancel", cancel_box, "Cancel", key="Esc"):
            self.is_open = False
        return draw_start_button(ui, inside)

    def _draw_lists(self, ui: Ui) -> None:
        """Draw the open list, if there is one, and use what was picked."""
        if agent := self._agent_picker.draw_list(ui, list_agent_options):
            self._agent = agent
            self.problem = ""
        if rules := self._rules_picker.draw_list(ui, make_agent_rules_options):
            self._rules = "" if rules == _AGENT_RULES_OPTION else rules
            self.problem = ""
