"""What there is to choose from: agents, runs that were trained, rules."""

from contextlib import suppress
from functools import cache
from pathlib import Path

from tetrion.agents import zoo
from tetrion.agents.names import BEST
from tetrion.app.shelf import run_folder
from tetrion.app.toolkit.picker import Option
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules

MOST_CHANGES = 2  # of rules that are named


def agent_options() -> list[Option]:
    """The named agents, and the runs of the window and of the working folder."""
    return [Option(path, "trained here") for path in trained_runs()] + named_agents()


@cache
def named_agents() -> list[Option]:
    """The named agents with where they come from."""
    return [Option(name, short(agent.source)) for name, agent in zoo().items()]


def short(source: str) -> str:
    """The beginning of a source, up to its first comma or bracket."""
    return source.partition(",")[0].partition(" (")[0]


def trained_runs() -> list[str]:
    """The folders of runs that have an agent, the newest first."""
    found: list[tuple[float, Path]] = []
    for folder in (run_folder(), Path("runs")):
        with suppress(OSError):
            for path in folder.glob(f"*/{BEST}"):
                with suppress(OSError):  # it may just be gone
                    found.append((path.parent.stat().st_mtime, path.parent))
    return [str(path) for _, path in sorted(found, reverse=True)]


@cache
def rules_options() -> list[Option]:
    """The named rules with where they come from."""
    return [Option(name, short(preset.source)) for name, preset in PRESETS.items()]


@cache
def rules_words(rules: Rules) -> str:
    """Rules as a chip shows them."""
    names = {"nes": "NES", "standard": "Standard", "standard-10x10": "10×10", "tetrais": "TetrAIs"}
    changes = [
        change.replace("=", " ").replace("_", " ") for change in str(rules).partition(":")[2].split(",") if change
    ]
    more = ", …" if len(changes) > MOST_CHANGES else ""
    return ", ".join([f"{names.get(rules.name, rules.name.capitalize())} rules", *changes[:MOST_CHANGES]]) + more
