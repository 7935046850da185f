"""Agents by what a person types: a name, a file or a class, with options after the last colon."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tetrion.agents.agent_files import AGENT_FILE_PARSERS, load_agent_file
from tetrion.agents.named import named_agents
from tetrion.agents.python_agent.python_agent import PYTHON_AGENT_OPTIONS as OWN_OPTIONS
from tetrion.agents.python_agent.python_agent import PythonAgent, is_python_agent_name
from tetrion.agents.random_keys import RandomKeysAgent
from tetrion.agents.weighted_agent import WEIGHTED_AGENT_OPTIONS, WeightedAgent
from tetrion.errors import AgentError, UnknownNameError

_OPTION_EXAMPLES = {
    **{"depth": "depth=2", "expect": "expect=1", "beam": "beam=8", "threshold": "threshold=80"},
    "deadline": "deadline=2",
}

BEST_AGENT_FILE = "best.json"  # of a run

AnyAgent = WeightedAgent | PythonAgent | RandomKeysAgent


def load_agent(name: str | Path) -> AnyAgent:
    """An agent by its name, its JSON or TOML file, its class (`file.py:Class`) or its run's folder.

    Options stand behind a colon, as in `dellacherie:depth=2`.
    """
    if not isinstance(name, str | Path):
        raise AgentError(
            f"An agent is named by a text or a path, such as 'dellacherie' or 'mine.json'; given {name!r}."
        )
    text, options = split_options(str(name))
    agent = _find_agent(text)
    if not options:
        return agent
    if isinstance(agent, RandomKeysAgent):
        raise AgentError(f"{agent.name} has no options; given {', '.join(options)}.")
    known = WEIGHTED_AGENT_OPTIONS if isinstance(agent, WeightedAgent) else OWN_OPTIONS
    return agent.with_(**{key: _parse_option(text, key, value, known) for key, value in options.items()})


def load_weighted_agent(name: str | Path) -> WeightedAgent:
    """The same, if it is one made of numbers."""
    agent = load_agent(name)
    if not isinstance(agent, WeightedAgent):
        raise AgentError(f"{name} is not made of numbers. Take one that is, such as du or a JSON file.")
    return agent


def _find_agent(text: str) -> AnyAgent:
    if named := named_agents().get(text):
        return named
    path = Path(text)
    if path.suffix.lower() in AGENT_FILE_PARSERS:
        return load_agent_file(path)
    if text and _is_folder(path):
        return _load_run_agent(path)
    if is_python_agent_name(text):
        return PythonAgent(text)
    listing = "A file of yours ends in .json or .toml, a class of yours is file.py:Class, a run is its folder."
    raise UnknownNameError("agent", text, named_agents(), listing=listing)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that is too long for any file
        return False


def _load_run_agent(folder: Path) -> WeightedAgent:
    """The best agent of a run, which is called by the folder's name."""
    if not (folder / BEST_AGENT_FILE).is_file():
        reason = f"the folder has no {BEST_AGENT_FILE}, so it is not a run, or one whose first generation has not ended"
        raise AgentError(f"There is no agent named '{folder}': {reason}.")
    return replace(load_agent_file(folder / BEST_AGENT_FILE), name=folder.resolve().name)


def split_options(text: str) -> tuple[str, dict[str, str]]:
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


def _parse_option(agent: str, key: str, value: str, known: dict[str, Any]) -> Any:
    if key not in known:
        raise UnknownNameError(f"option of {agent}", key, known)
    try:
        return known[key](value)
    except ValueError:
        whole = "a whole number" if known[key] is int else "a number"
        raise AgentError(f"{key} is {whole}, as in {agent}:{_OPTION_EXAMPLES[key]}; given '{value}'.") from None
