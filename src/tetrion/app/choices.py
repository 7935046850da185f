"""What there is to choose from: agents, runs that were trained, rules."""

from functools import cache
from pathlib import Path

from tetrion.agents import zoo
from tetrion.app.shelf import run_folder
from tetrion.app.toolkit.picker import Option
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError

BEST = "best.json"  # of a run


def agent_options() -> list[Option]:
    """The named agents, and the runs of the window and of the working folder."""
    return [Option(path, "trained here") for path in trained_runs()] + named_agents()


@cache
def named_agents() -> list[Option]:
    """The named agents with where they come from."""
    return [Option(name, short(agent.source)) for name, agent in zoo().items()]


def short(source: str) -> str:
    """The beginning of a source, up to its first comma."""
    return source.partition(",")[0]


def trained_runs() -> list[str]:
    """The folders of runs that have an agent, the newest first."""
    found = []
    for folder in (run_folder(), Path("runs")):
        try:
            found += [path.parent for path in folder.glob(f"*/{BEST}")]
        except OSError:
            continue
    return [str(path) for path in sorted(found, key=lambda path: -path.stat().st_mtime)]


@cache
def rules_options() -> list[Option]:
    """The named rules with where they come from."""
    return [Option(name, short(preset.source)) for name, preset in PRESETS.items()]


def rules_for(agent_rules: str, chosen: str) -> Rules:
    """The rules that a person has chosen, or the agent's own, or `standard`."""
    return Rules.parse(chosen or agent_rules or "standard")


def rules_words(rules: Rules) -> str:
    """Rules as a chip shows them."""
    names = {"nes": "NES", "standard": "Standard", "standard-10x10": "10×10", "tetrais": "TetrAIs"}
    words = f"{names.get(rules.name, rules.name.capitalize())} rules"
    return words if str(rules) == rules.name else f"{words}, changed"


def checked_rules_text(text: str) -> str:
    """What is wrong with rules as they are typed, else nothing."""
    try:
        Rules.parse(text)
    except TetrionError as mistake:
        return str(mistake)
    return ""
