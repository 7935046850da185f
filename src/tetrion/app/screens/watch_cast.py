"""Choosing who plays, by which rules and with which pieces."""

from pathlib import Path
from typing import NamedTuple

from tetrion.agents import AnyAgent, DataAgent, load
from tetrion.app.choices import agent_options, rules_options
from tetrion.app.toolkit.controls import BUTTON, button, stepper
from tetrion.app.toolkit.picker import Option, Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM, GROUND, OUTLINE, PANEL, STRONG
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import LARGEST_SEED
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError

OWN = "the agent's own"
SIZE = (440, 300)
FIELD = 44


class Cast(NamedTuple):
    """Who plays: an agent as it is typed, rules (nothing: the agent's own), and a seed."""

    agent: str
    rules: str
    seed: int

    def loaded(self) -> tuple[AnyAgent, Rules]:
        """The agent and the rules, or the error that says why not."""
        try:
            agent = load(self.agent)
        except OSError as problem:
            raise TetrionError(f"{self.agent} cannot be read: {problem.strerror}.") from None
        rules = Rules.parse(self.rules or getattr(agent, "rules", "") or "standard")
        if isinstance(agent, DataAgent):
            agent.setting(rules)  # says if it looks further ahead than these show
        return agent, rules


def dropped(path: str) -> str:
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


def own_or_others() -> list[Option]:
    """The rules to choose from."""
    return [Option(OWN, "else standard"), *rules_options()]


class Casting:
    """A panel with three fields, while it is open."""

    def __init__(self) -> None:
        self.is_open = False
        self._agent, self._rules = (
            Picker("agent", free="a file, class or folder"),
            Picker("rules", free="rules such as nes:level=9"),
        )

    @property
    def picking(self) -> bool:
        """Whether a list is open, in which one types."""
        return self._agent.is_open or self._rules.is_open

    def open(self, ui: Ui, field: str = "agent") -> None:
        """Open it with the focus on one of its fields: agent, rules or seed."""
        self.is_open = True
        ui.want(field)

    def draw(self, ui: Ui, cast: Cast) -> Cast:
        """Draw it over everything; gives back what is chosen now."""
        pen = ui.pen
        picked = self.picking  # before this frame's keys are heard
        box = Box(0, 0, *SIZE)
        box.center = pen.area.center
        pen.veil(pen.area, 0, GROUND, 0.5)
        pen.rounded(box, 12, PANEL, OUTLINE)
        pen.text("Who plays", (box.left + 24, box.top + 34), 18, True, STRONG)
        with ui.layer():
            places = []
            for number, label in enumerate(("Agent", "Rules", "Seed")):
                line = Box(box.left + 24, box.top + 62 + (FIELD + 8) * number, box.width - 48, FIELD)
                pen.text(label, (line.left, line.centery), 16, False, DIM)
                places.append(Box(line.left + 84, line.top, line.width - 84, FIELD))
            self._agent.draw(ui, places[0], cast.agent)
            self._rules.draw(ui, places[1], cast.rules or OWN)
            seed = stepper(ui, "seed", places[2], cast.seed, 0, LARGEST_SEED)
            done = Box(box.left + 24, box.bottom - 24 - BUTTON, box.width - 48, BUTTON)
            closed = button(ui, "done", done, "Done", primary=True)
            agent = self._agent.draw_list(ui, agent_options) or cast.agent
            rules = self._rules.draw_list(ui, own_or_others) or cast.rules
        if closed or (not picked and ui.pressed("Esc")):
            self.is_open = False
        return Cast(agent, "" if rules == OWN else rules, seed)
