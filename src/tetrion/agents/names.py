"""Agents by what a person types: a name, a file or a class, with options after the last colon."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tetrion.agents.data import OPTIONS, DataAgent
from tetrion.agents.files import READERS, load_file
from tetrion.agents.keys import RandomKeys
from tetrion.agents.own.agent import OPTIONS as OWN_OPTIONS
from tetrion.agents.own.agent import OwnAgent, names_own
from tetrion.agents.zoo import zoo
from tetrion.errors import AgentError, UnknownNameError

EXAMPLES = {
    **{"depth": "depth=2", "expect": "expect=1", "beam": "beam=8", "threshold": "threshold=80"},
    "deadline": "deadline=2",
}

BEST = "best.json"  # of a run

AnyAgent = DataAgent | OwnAgent | RandomKeys


def load(name: str | Path) -> AnyAgent:
    """An agent by its name, its JSON or TOML file, its class (`file.py:Class`) or its run's folder.

    Options stand behind a colon, as in `dellacherie:depth=2`.
    """
    if not isinstance(name, str | Path):
        raise AgentError(
            f"An agent is named by a text or a path, such as 'dellacherie' or 'mine.json'; given {name!r}."
        )
    text, options = split(str(name))
    agent = _found(text)
    if not options:
        return agent
    if isinstance(agent, RandomKeys):
        raise AgentError(f"{agent.name} has no options; given {', '.join(options)}.")
    known = OPTIONS if isinstance(agent, DataAgent) else OWN_OPTIONS
    return agent.with_(**{key: _value(text, key, value, known) for key, value in options.items()})


def data_agent(name: str | Path) -> DataAgent:
    """The same, if it is one made of numbers."""
    agent = load(name)
    if not isinstance(agent, DataAgent):
        raise AgentError(f"{name} is not made of numbers. Take one that is, such as du or a JSON file.")
    return agent


def _found(text: str) -> AnyAgent:
    if named := zoo().get(text):
        return named
    path = Path(text)
    if path.suffix.lower() in READERS:
        return load_file(path)
    if text and _is_folder(path):
        return _of_run(path)
    if names_own(text):
        return OwnAgent(text)
    listing = "A file of yours ends in .json or .toml, a class of yours is file.py:Class, a run is its folder."
    raise UnknownNameError("agent", text, zoo(), listing=listing)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that is too long for any file
        return False


def _of_run(folder: Path) -> DataAgent:
    """The best agent of a run, which is called by the folder's name."""
    if not (folder / BEST).is_file():
        reason = f"the folder has no {BEST}, so it is not a run, or one whose first generation has not ended"
        raise AgentError(f"There is no agent named '{folder}': {reason}.")
    return replace(load_file(folder / BEST), name=folder.resolve().name)


def split(text: str) -> tuple[str, dict[str, str]]:
    """A text before its last colon and the options behind it; without a = there are none."""
    before, colon, behind = text.rpartition(":")
    if not colon or "=" not in behind:
        return text, {}
    options = {}
    for part in behind.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise AgentError(f"Options follow {before}: as name=value, with commas between them; given '{part}'.")
        if key.strip() in options:
            raise AgentError(f"An option is given once; {key.strip()} stands twice in '{behind}'.")
        options[key.strip()] = value.strip()
    return before, options


def _value(agent: str, key: str, value: str, known: dict[str, Any]) -> Any:
    if key not in known:
        raise UnknownNameError(f"option of {agent}", key, known)
    try:
        return known[key](value)
    except ValueError:
        whole = "a whole number" if known[key] is int else "a number"
        raise AgentError(f"{key} is {whole}, as in {agent}:{EXAMPLES[key]}; given '{value}'.") from None
