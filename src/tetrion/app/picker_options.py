"""What there is to choose from: agents, runs that were trained, rules."""

from contextlib import suppress
from functools import cache
from pathlib import Path

from tetrion.agents import named_agents
from tetrion.agents.agent_loading import BEST_AGENT_FILE
from tetrion.app.game_storage import get_run_folder
from tetrion.app.toolkit.picker import PickerOption
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules

MAX_RULE_CHANGES_SHOWN = 2  # of rules that are named


def list_agent_options() -> list[PickerOption]:
    """The named agents, and the runs of the window and of the working folder."""
    return [PickerOption(path, "trained here") for path in list_trained_runs()] + list_named_agent_options()


@cache
def list_named_agent_options() -> list[PickerOption]:
    """The named agents with where they come from."""
    return [PickerOption(name, shorten_source(agent.source)) for name, agent in named_agents().items()]


def shorten_source(source: str) -> str:
    """The beginning of a source, up to its first comma or bracket."""
    return source.partition(",")[0].partition(" (")[0]


def list_trained_runs() -> list[str]:
    """The folders of runs that have an agent, the newest first."""
    found: list[tuple[float, Path]] = []
    for folder in (get_run_folder(), Path("runs")):
        with suppress(OSError):
            for path in folder.glob(f"*/{BEST_AGENT_FILE}"):
                with suppress(OSError):  # it may just be gone
                    found.append((path.parent.stat().st_mtime, path.parent))
    return [str(path) for _, path in sorted(found, reverse=True)]


@cache
def list_rules_options() -> list[PickerOption]:
    """The named rules with where they come from."""
    return [PickerOption(name, shorten_source(preset.source)) for name, preset in PRESETS.items()]


@cache
def format_rules(rules: Rules) -> str:
    """Rules as a chip shows them."""
    names = {"nes": "NES", "standard": "Standard", "standard-10x10": "10×10", "tetrais": "TetrAIs"}
    changes = [
        change.replace("=", " ").replace("_", " ") for change in str(rules).partition(":")[2].split(",") if change
    ]
    more = ", …" if len(changes) > MAX_RULE_CHANGES_SHOWN else ""
    return (
        ", ".join([f"{names.get(rules.name, rules.name.capitalize())} rules", *changes[:MAX_RULE_CHANGES_SHOWN]]) + more
    )
