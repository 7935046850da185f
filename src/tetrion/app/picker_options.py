"""The pickers of agents and of rules, and their options."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from tetrion.agents.run_folders import BEST_AGENT_FILE
from tetrion.app.game_storage import list_run_folders
from tetrion.app.games.human_rules import PLAY_PRESETS
from tetrion.app.toolkit.picker import PickerOption, draw_picker
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window_settings import AUTOMATIC_AGENT
from tetrion.drawing.layout import Box
from tetrion.engine.rules import PRESET_DEFINITIONS, PRESETS, Rules
from tetrion.evaluation.agent_strengths import format_strength, group_agents_by_rules, load_strengths
from tetrion.evaluation.replay_review import choose_grader
from tetrion.registry import find_name


def list_hint_agent_options() -> list[PickerOption]:
    """Return the agents that can give hints; the first option is an agent that suits the rules."""
    return [PickerOption(AUTOMATIC_AGENT, "an agent for the rules"), *list_agent_options()]


def choose_hint_agent(name: str, rules: Rules) -> str:
    """Return the agent that gives hints under the rules, given the one that was chosen."""
    return choose_grader(rules) if name == AUTOMATIC_AGENT else name


def list_agent_options() -> list[PickerOption]:
    """Return the runs of the window and of the working folder, followed by the named agents."""
    folders = list_run_folders(BEST_AGENT_FILE)
    return [PickerOption(str(folder), "trained run", group="Trained runs") for folder in folders] + _list_named_agents()


@cache
def _list_named_agents() -> list[PickerOption]:
    """Return the named agents with their sources and strengths, grouped by the rules under which they were measured."""
    strengths = load_strengths()
    return [
        PickerOption(
            agent.name,
            shorten_source(agent.source),
            format_strength(strengths.get(agent.name)),
            f"{format_rules(Rules.parse(rules))}: mean per game",
        )
        for rules, group in group_agents_by_rules().items()
        for agent in group
    ]


def shorten_source(source: str) -> str:
    """Return a source up to its first comma or bracket."""
    return source.partition(",")[0].partition(" (")[0]


@cache
def list_rules_options() -> list[PickerOption]:
    """Return the named rules with their sources: first those of games that people play."""
    options = {
        name: PickerOption(name, shorten_source(preset.source), group="Research")
        for name, preset in PRESET_DEFINITIONS.items()
    }
    played = [replace(options.pop(name), group="Games that people play") for name in PLAY_PRESETS]
    return [*played, *options.values()]


def list_agent_rules_options() -> list[PickerOption]:
    """Return the rules for an agent: first those that it was made for."""
    return [PickerOption("the agent's rules", "standard if it has none"), *list_rules_options()]


@cache
def format_rules(rules: Rules) -> str:
    """Return the text that a chip shows for rules, with all changes; the chip is cut where space is missing."""
    names = {"nes": "NES", "standard": "Standard", "standard-10x10": "10×10", "tetrais": "TetrAIs", "tetrio": "TETR.IO"}
    changes = [
        change.replace("=", " ").replace("_", " ") for change in str(rules).partition(":")[2].split(",") if change
    ]
    title = f"{names.get(rules.name, rules.name.capitalize())} rules"
    return ", ".join([title, *changes])


def draw_agent_picker(
    ui: Ui, name: str, box: Box, chosen: str, list_options: Callable[[], Sequence[PickerOption]] = list_agent_options
) -> str:
    """Draw a picker of agents, into which other agents can be typed; return the chosen agent."""
    return draw_picker(ui, name, box, chosen, list_options, free_text_hint="a file, class or folder")


def draw_rules_picker(
    ui: Ui, box: Box, chosen: str, list_options: Callable[[], Sequence[PickerOption]] = list_rules_options
) -> str:
    """Draw the picker of rules, into which changed rules can be typed; return the chosen rules."""
    hint = "rules such as nes:start_level=9"
    return find_name(draw_picker(ui, "rules", box, chosen, list_options, free_text_hint=hint), PRESETS)
