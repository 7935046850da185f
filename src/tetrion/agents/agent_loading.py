"""Load an agent by name, file, run folder or class, with options after the last colon."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from tetrion.agents.agent import Agent, Chooser
from tetrion.agents.agent_files import (
    AGENT_FILE_PARSERS,
    find_feature_module,
    load_agent_file,
    load_data_agent_file,
)
from tetrion.agents.named import AGENTS
from tetrion.agents.python_agent.agent_process import PythonAgent, is_python_agent_name
from tetrion.agents.python_agent.class_loader import ObjectAgent, find_class_file
from tetrion.agents.run_folders import BEST_AGENT_FILE, describe_missing_run, describe_seed_folders
from tetrion.agents.weighted_agent import WeightedAgent
from tetrion.errors import AgentError, UnknownNameError, describe_value
from tetrion.registry import find_name

_OPTION_EXAMPLES = {
    "depth": "depth=2",
    "expect": "expect=1",
    "beam": "beam=8",
    "view_rows": "view_rows=12",
    "threshold": "threshold=80",
    "deadline": "deadline=2",
}

_AGENT_FORMS = "An agent file ends in .json or .toml, a Python class is file.py:Class, a training run is its folder."
_PATH_MARKS = ("/", "\\", ".", "~")  # characters that occur in paths and not in the names of agents


@runtime_checkable
class AgentWithOptions(Agent, Protocol):
    """An agent whose options, such as `depth=2`, follow its name after a colon."""

    option_types: ClassVar[Mapping[str, Callable[[str], Any]]]

    def with_options(self, **options: Any) -> Agent:
        """Return a copy with changed options."""


def load_agent(name: str | Path, *, allow_code: bool = False) -> Agent:
    """Load an agent by its name, its JSON or TOML file, its class (`file.py:Class`) or the folder of its training run.

    Options follow a colon, as in `dellacherie:depth=2`. An agent file that names a Python module is loaded only if the
    user agrees to run that code: with `allow_code`, or if this was agreed before for the same code.

    >>> import tetrion
    >>> tetrion.load_agent("dellacherie:depth=2").name
    'dellacherie:depth=2'
    """
    if not isinstance(name, str | Path):
        raise AgentError(
            "An agent is given as a string or a path, such as 'dellacherie' or 'mine.json'; given "
            f"{describe_value(name)}."
        )
    text, options = split_options(str(name))
    agent = _find_agent(text, partial(load_agent_file, allow_code=allow_code))
    return _set_options(agent, text, options)


def load_named_agent(name: str) -> Agent:
    """Load an agent by its name, with options; files, folders and classes are not looked up."""
    text, options = split_options(name)
    return _set_options(AGENTS[text], text, options)


def load_data_agent(name: str) -> WeightedAgent:
    """Load an agent that a recipe names: a named agent, or an agent file or run; none of them can name code."""
    text, options = split_options(name)
    return _check_weighted(_set_options(_find_agent(text, load_data_agent_file), text, options), name)


def _set_options(agent: Agent, text: str, options: Mapping[str, str]) -> Agent:
    """Return an agent with options, which are still texts; `text` names it in error messages."""
    if not options:
        return agent
    if not isinstance(agent, AgentWithOptions):
        raise AgentError(f"{agent.name} has no options; given {', '.join(options)}.")
    option_types = agent.option_types
    return agent.with_options(**{key: _parse_option(text, key, value, option_types) for key, value in options.items()})


def find_code_file(name: str | Path) -> Path | None:
    """Return the Python file that an agent runs, without running it; None for an agent that is made of data.

    It is the file of a class, or the module that an agent file names.
    """
    text, _ = split_options(str(name))
    if text in AGENTS or _is_folder(Path(text)):
        return None
    if Path(text).suffix.lower() in AGENT_FILE_PARSERS:
        return find_feature_module(Path(text))
    return find_class_file(text) if is_python_agent_name(text) else None


def as_agent(agent: Agent | Chooser | str | Path) -> Agent:
    """Return an agent: itself, loaded by `load_agent`, or made of an object with a method `choose(position)`."""
    if isinstance(agent, str | Path):
        return load_agent(agent)
    if isinstance(agent, type):
        raise AgentError(f"Expected an agent object; given the class {agent.__name__}. Give {agent.__name__}().")
    if isinstance(agent, Agent):
        return agent
    if callable(getattr(agent, "choose", None)):
        return ObjectAgent(agent)
    raise AgentError(
        f"An agent must be a name, a file, or an object with a method choose(position); given {describe_value(agent)}."
    )


def load_weighted_agent(name: str | Path, *, allow_code: bool = False) -> WeightedAgent:
    """Load an agent as `load_agent` does, and raise an `AgentError` if it is not a `WeightedAgent`."""
    return _check_weighted(load_agent(name, allow_code=allow_code), name)


def _check_weighted(agent: Agent, name: str | Path) -> WeightedAgent:
    if not isinstance(agent, WeightedAgent):
        raise AgentError(f"{name} is not a weighted agent. Give a weighted agent, such as 'du', or a JSON file.")
    return agent


def _find_agent(text: str, load_file: Callable[[Path], WeightedAgent]) -> Agent:
    if named := AGENTS.get(text):
        return named
    path = Path(text)
    if path.suffix.lower() in AGENT_FILE_PARSERS:
        return load_file(path)
    if text and _is_folder(path):
        return _load_run_agent(path)
    if is_python_agent_name(text):
        return PythonAgent(text)
    if looks_like_path(text):
        raise AgentError(describe_missing_path(path))
    if named := AGENTS.get(find_name(text, AGENTS)):
        return named
    raise UnknownNameError("agent", text, AGENTS, listing=_AGENT_FORMS)


def looks_like_path(text: str) -> bool:
    """Return whether a text that was given as a name is rather the path of a file or a folder."""
    return any(mark in text for mark in _PATH_MARKS) or (bool(text) and _exists(Path(text)))


def describe_missing_path(path: Path) -> str:
    """Say that a path is not an agent, and what makes it or which files are agents."""
    if _exists(path):
        return f"{path} is not an agent. {_AGENT_FORMS}"
    if path.suffix:
        return f"No such file: {path}. {_AGENT_FORMS}"
    return describe_missing_run(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the name is too long for a file name
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # the name is too long for a file name, or contains a null character
        return False


def _load_run_agent(folder: Path) -> WeightedAgent:
    """Load the best agent of a training run and name it after the folder."""
    if seeds_message := describe_seed_folders(folder):
        raise AgentError(seeds_message)
    if not (folder / BEST_AGENT_FILE).is_file():
        raise AgentError(
            f"Unknown agent '{folder}': the folder has no {BEST_AGENT_FILE}. It is not a training run, or "
            "the first generation of the run is not finished."
        )
    return replace(load_data_agent_file(folder / BEST_AGENT_FILE), name=folder.resolve().name)


def split_options(text: str) -> tuple[str, dict[str, str]]:
    """Split a text at its last colon into the name and its options, which need a "=" after the colon.

    The path of an existing file or folder has no options, even if it contains a colon.
    """
    name, colon, options_text = text.rpartition(":")
    if not colon or "=" not in options_text or _exists(Path(text)):
        return text, {}
    options = {}
    for option in options_text.split(","):
        key, equals, value = option.partition("=")
        if not equals or not key or not value:
            raise AgentError(f"Options follow '{name}:' as key=value, separated by commas; given '{option}'.")
        if key.strip() in options:
            raise AgentError(f"An option can be given only once; {key.strip()} occurs twice in '{options_text}'.")
        options[key.strip()] = value.strip()
    return name, options


def _parse_option(agent: str, key: str, value: str, option_types: Mapping[str, Callable[[str], Any]]) -> Any:
    if key not in option_types:
        raise UnknownNameError(f"option of {agent}", key, option_types)
    try:
        return option_types[key](value)
    except ValueError:
        expected = "a whole number" if option_types[key] is int else "a number"
        raise AgentError(f"{key} must be {expected}, as in {agent}:{_OPTION_EXAMPLES[key]}; given '{value}'.") from None
