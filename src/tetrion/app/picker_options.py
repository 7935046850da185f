"""The options of the pickers: agents, trained runs and rules."""

from functools import cache

from tetrion.agents.run_folders import BEST_AGENT_FILE
from tetrion.app.game_storage import list_run_folders
from tetrion.app.games.human_rules import FIRST_PLAY_RULES
from tetrion.app.toolkit.picker import PickerOption
from tetrion.app.window_settings import AUTOMATIC_AGENT
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.evaluation.agent_strengths import format_strength, group_agents_by_rules, load_strengths
from tetrion.evaluation.replay_review import choose_grader


def list_hint_agent_options() -> list[PickerOption]:
    """Return the agents that can give hints; the first option is an agent that suits the rules."""
    return [PickerOption(AUTOMATIC_AGENT, "an agent for the rules"), *list_agent_options()]


def choose_hint_agent(name: str, rules: Rules) -> str:
    """Return the agent that gives hints under the rules, given the one that was chosen."""
    return choose_grader(rules) if name == AUTOMATIC_AGENT else name


def list_agent_options() -> list[PickerOption]:
    """Return the runs of the window and of the working folder, followed by the named agents."""
    trained_runs = [PickerOption(str(folder), "trained run") for folder in list_run_folders(BEST_AGENT_FILE)]
    return trained_runs + list_named_agent_options()


@cache
def list_named_agent_options() -> list[PickerOption]:
    """Return the named agents with their sources and strengths, in the order of `tetrion list agents`."""
    strengths = load_strengths()
    return [
        PickerOption(agent.name, shorten_source(agent.source), format_strength(strengths.get(agent.name)))
        for group in group_agents_by_rules().values()
        for agent in group
    ]


def shorten_source(source: str) -> str:
    """Return a source up to its first comma or bracket."""
    return source.partition(",")[0].partition(" (")[0]


@cache
def list_rules_options() -> list[PickerOption]:
    """Return the named rules with their sources."""
    return [PickerOption(name, shorten_source(preset.source)) for name, preset in PRESETS.items()]


@cache
def list_play_rules_options() -> list[PickerOption]:
    """Return the named rules for human players: the default ones first."""
    options = {option.value: option for option in list_rules_options()}
    return [options.pop(name) for name in FIRST_PLAY_RULES] + list(options.values())


@cache
def format_rules(rules: Rules) -> str:
    """Return the text that a chip shows for rules, with all changes; the chip is cut where space is missing."""
    names = {"nes": "NES", "standard": "Standard", "standard-10x10": "10×10", "tetrais": "TetrAIs", "tetrio": "TETR.IO"}
    changes = [
        change.replace("=", " ").replace("_", " ") for change in str(rules).partition(":")[2].split(",") if change
    ]
    title = f"{names.get(rules.name, rules.name.capitalize())} rules"
    return ", ".join([title, *changes])
