"""Agent files: JSON or TOML with a format, a kind, and weights, tables or modes."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tetrion.agents.code_consent import CodeConsentError, remember_consent, require_consent
from tetrion.agents.python_agent.class_loader import load_python_file
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.agents.weighted_agent import SecondMode, WeightedAgent
from tetrion.atomic_files import write_atomically
from tetrion.data_files import parse_json, parse_toml, read_data_file
from tetrion.engine.agent_records import FeatureTerms
from tetrion.engine.custom_features import CustomFeature
from tetrion.errors import AgentError, TetrionError, UnknownNameError, describe_value
from tetrion.text_cleaning import join_command

AGENT_FORMAT = 1
MINIMAL_AGENT_FILE = '{"format": 1, "kind": "linear", "weights": {"holes": -4, "lines": 1}}'
_TEXT_KEYS = ("name", "measured", "source", "family", "rules")
_NUMBER_KEYS = ("depth", "expect", "beam", "view_rows")
_TERM_KEYS = ("weights", "tables")
_MODE_KEYS = ("modes", "selector", "threshold")
_ALL_KEYS = ("format", "kind", *_TEXT_KEYS, *_NUMBER_KEYS, *_TERM_KEYS, *_MODE_KEYS, "features")
AGENT_KINDS = {"linear": ("weights",), "table": _TERM_KEYS, "modes": _MODE_KEYS}  # kind -> keys that hold its numbers
_MODULE_PREFIX = "tetrion_features_"  # of the names of imported modules with custom features
_LINE_BREAKS_IN_LISTS = re.compile(r"(?<=[\d,\[])\n +(?=[-\d\]])")
MAX_AGENT_FILE_BYTES = 5_000_000  # tables of patterns have many numbers
AGENT_FILE_PARSERS = {".json": parse_json, ".toml": parse_toml}


def load_agent_file(path: Path, *, allow_code: bool = False) -> WeightedAgent:
    """Load an agent from a JSON or TOML file; an error message starts with the path.

    If the file names a Python module with custom features, the module runs only if the user has agreed: raise
    CodeConsentError unless `allow_code` is true or the consent was given before.
    """
    with _add_path_to_errors(path):
        content = _parse_agent_file(path)
        return agent_from_json(content, path.stem, _load_custom_features(content, path.parent, allow_code=allow_code))


def find_feature_module(path: Path) -> Path | None:
    """Return the Python module that an agent file names, without running it; None if it names none."""
    with _add_path_to_errors(path):
        content = _parse_agent_file(path)
        return _get_module_path(content, path.parent) if "features" in content else None


def load_data_agent_file(path: Path) -> WeightedAgent:
    """Load an agent from a file that belongs to other data, such as a run, and cannot name a Python module."""
    with _add_path_to_errors(path):
        content = _parse_agent_file(path)
        if "features" in content:
            raise AgentError(
                '"features" names a Python module, which the agent of a run or a recipe cannot do. Give the agent file '
                "itself if you want to use it."
            )
        return agent_from_json(content, path.stem)


@contextmanager
def _add_path_to_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except CodeConsentError as error:
        error.args = (f"{path}: {error}",)
        raise
    except TetrionError as error:
        raise AgentError(str(error), agent=str(path)) from None


def _describe_other_kind(content: Mapping[str, Any], path: Path) -> str:
    """Say which other file of Tetrion this is, a saved game or a recipe, and how it is used; empty if it is none."""
    if "placements" in content:
        return f"this is a saved game, not an agent. `{join_command('tetrion', 'replay', str(path))}` shows it."
    if "learner" not in content:
        return ""
    if path.name == CONFIG_FILE:
        return f"these are the settings of a training run, not an agent. Give the folder of the run: {path.parent}."
    return f"this is a recipe, not an agent. `{join_command('tetrion', 'train', str(path))}` trains an agent with it."


def _parse_agent_file(path: Path) -> Mapping[str, Any]:
    try:
        content = AGENT_FILE_PARSERS[path.suffix.lower()](read_data_file(path, MAX_AGENT_FILE_BYTES))
    except FileNotFoundError:
        raise AgentError("there is no such file.") from None
    if not isinstance(content, Mapping):
        raise AgentError(
            f"an agent file holds an object with format, kind and weights; given {type(content).__name__}."
        )
    if other_kind := _describe_other_kind(content, path):
        raise AgentError(other_kind)
    return content


def agent_from_json(
    content: Mapping[str, Any], default_name: str, features: Mapping[str, CustomFeature] | None = None
) -> WeightedAgent:
    """Create the agent that the parsed content of an agent file describes.

    `default_name` is used if the content has no name; `features` are its custom features.
    """
    for key in content:
        if key not in _ALL_KEYS:
            raise UnknownNameError("key of an agent file", key, _ALL_KEYS)
    for key in ("format", "kind"):
        if key not in content:
            raise AgentError(f'"{key}" is missing. A minimal agent file is {MINIMAL_AGENT_FILE}.')
    if content["format"] != AGENT_FORMAT or isinstance(content["format"], bool):
        raise AgentError(
            f'"format" must be {AGENT_FORMAT}; given {describe_value(content["format"])}. Try a newer version of '
            "Tetrion."
        )
    kind = content["kind"]
    if kind not in tuple(AGENT_KINDS):  # a tuple, because the value may be unhashable
        raise UnknownNameError("kind of agent", kind, AGENT_KINDS)
    for key in (*_TERM_KEYS, *_MODE_KEYS):
        if key in content and key not in AGENT_KINDS[kind]:
            owners = " or ".join(f'"{name}"' for name, keys in AGENT_KINDS.items() if key in keys)
            raise AgentError(f'The key "{key}" is only for agents of kind {owners}; this agent has the kind "{kind}".')
    texts = {key: _read_text(content, key) for key in _TEXT_KEYS if key in content}
    numbers = {key: content[key] for key in _NUMBER_KEYS if key in content}
    weights, second_mode = _read_modes(content) if kind == "modes" else (_read_terms(content), None)
    return WeightedAgent(
        **{"name": default_name, **texts, **numbers}, weights=weights, second_mode=second_mode, features=features or {}
    )


def _read_text(content: Mapping[str, Any], key: str) -> str:
    if not isinstance(content[key], str):
        raise AgentError(f'"{key}" must be a string; given {describe_value(content[key])}.')
    return str(content[key])


def _read_terms(content: Mapping[str, Any]) -> FeatureTerms:
    """Return the weights and tables of an agent or a mode as one mapping from feature to term."""
    weights, tables = (content.get(key, {}) for key in _TERM_KEYS)
    for key, terms, term_type in (("weights", weights, "a number"), ("tables", tables, "a list of numbers")):
        if not isinstance(terms, Mapping):
            raise AgentError(
                f'"{key}" must be an object that maps each feature to {term_type}; given {describe_value(terms)}.'
            )
        for name, term in terms.items():
            if isinstance(term, list) != (key == "tables"):
                given = f"a list of {len(term):,} values" if isinstance(term, list) else repr(term)
                raise AgentError(f"In \"{key}\", '{name}' must have {term_type}; given {given}.")
    if duplicates := set(weights) & set(tables):
        raise AgentError(
            f"A feature must have a weight or a table, not both; given both for {', '.join(sorted(duplicates))}."
        )
    return {**weights, **tables}


def _read_modes(content: Mapping[str, Any]) -> tuple[FeatureTerms, SecondMode]:
    """Return the terms of the first mode, and the second mode."""
    modes = content.get("modes")
    if (
        not isinstance(modes, Mapping)
        or len(modes) != 2
        or not all(isinstance(mode, Mapping) for mode in modes.values())
    ):
        raise AgentError('"modes" must be an object with two entries: name of the mode -> its weights and tables.')
    for mode in modes.values():
        for key in mode:
            if key not in _TERM_KEYS:
                raise UnknownNameError("key of a mode", key, _TERM_KEYS)
    for key in ("selector", "threshold"):
        if key not in content:
            raise AgentError(f'"{key}" is missing; it determines when the agent switches to its second mode.')
    (first_name, first_mode), (second_name, second_mode) = modes.items()
    return _read_terms(first_mode), SecondMode(
        _read_terms(second_mode), _read_text(content, "selector"), content["threshold"], (first_name, second_name)
    )


def _load_custom_features(content: Mapping[str, Any], folder: Path, *, allow_code: bool) -> dict[str, CustomFeature]:
    """Load the custom features from the Python module that an agent file names under `features`."""
    if "features" not in content:
        return {}
    path = _get_module_path(content, folder)
    if allow_code:
        remember_consent(path)
    require_consent(path)
    try:
        with _import_neighbours_last(folder):
            module = load_python_file(path, _MODULE_PREFIX)
    except AgentError as error:
        raise AgentError(f"{path}: {error}") from None
    features = {value.name: value for value in vars(module).values() if isinstance(value, CustomFeature)}
    if not features:
        raise AgentError(f"{path} defines no feature. Decorate a function with @tetrion.feature(max_value=…).")
    return features


def _get_module_path(content: Mapping[str, Any], folder: Path) -> Path:
    name = _read_text(content, "features")
    if not name.endswith(".py") or any(mark in name for mark in "/\\:\0"):
        raise AgentError(
            f'"features" must be the name of a Python file in the folder of the agent file, such as "mine.py"; given '
            f"'{name}'. Put the Python file beside the agent file."
        )
    path = folder / name
    with suppress(OSError):  # the name is too long for a file name
        if path.is_file():
            return path
    raise AgentError(f'"features" names the Python file {path}, which does not exist.')


@contextmanager
def _import_neighbours_last(folder: Path) -> Iterator[None]:
    """Let a module import the files beside it, which do not hide libraries, and only while it is loaded itself.

    They are forgotten then, because the module of another agent may import other files of the same name.
    """
    entry = str(folder.absolute())
    libraries = set(sys.modules)
    sys.path.append(entry)
    try:
        yield
    finally:
        sys.path.remove(entry)
        for name in set(sys.modules) - libraries:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(entry) and _MODULE_PREFIX not in name:
                del sys.modules[name]


def agent_to_json(agent: WeightedAgent) -> dict[str, Any]:
    """Return an agent as the content of an agent file; default values are left out."""
    second = agent.second_mode
    kind = "modes" if second else "table" if _split_terms(agent.weights)["tables"] else "linear"
    content: dict[str, Any] = {"format": AGENT_FORMAT, "kind": kind}
    content |= {key: getattr(agent, key) for key in _TEXT_KEYS if getattr(agent, key)}
    content |= {
        key: getattr(agent, key)
        for key, default in zip(_NUMBER_KEYS, (1, 0, 0, 0), strict=True)
        if getattr(agent, key) != default
    }
    if second:
        modes = dict(zip(second.names, (agent.weights, second.weights), strict=True))
        content |= {"selector": second.selector, "threshold": second.threshold}
        return content | {"modes": {name: _terms_to_json(terms) for name, terms in modes.items()}}
    return content | _terms_to_json(agent.weights)


def encode_agent(agent: WeightedAgent) -> bytes:
    """Return an agent as the bytes of a JSON agent file."""
    text = json.dumps(agent_to_json(agent), indent=2, ensure_ascii=False)
    return (_LINE_BREAKS_IN_LISTS.sub(" ", text) + "\n").encode()


def _split_terms(terms: FeatureTerms) -> dict[str, dict[str, Any]]:
    tables = {name: list(term) for name, term in terms.items() if not isinstance(term, int | float)}
    return {"weights": {name: term for name, term in terms.items() if name not in tables}, "tables": tables}


def _terms_to_json(terms: FeatureTerms) -> dict[str, dict[str, Any]]:
    return {key: group for key, group in _split_terms(terms).items() if group}


def save_agent(agent: WeightedAgent, path: str | Path) -> None:
    """Save a weighted agent as a JSON file, which can be edited and loaded again.

    >>> import tempfile, tetrion
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tetrion.save_agent(tetrion.WeightedAgent("mine", {"holes": -1}), f"{folder}/mine.json")
    ...     tetrion.load_agent(f"{folder}/mine.json")
    WeightedAgent('mine', {'holes': -1})
    """
    if not isinstance(agent, WeightedAgent):
        raise AgentError(f"Only a WeightedAgent can be saved; given {describe_value(agent)}.")
    if agent.features:
        raise AgentError(
            f"{agent.name} uses custom features ({', '.join(agent.features)}), which are defined in a Python file, so "
            'it cannot be saved. Write the agent file in an editor and name that Python file: "features": "file.py".'
        )
    if not isinstance(path, str | Path) or Path(path).suffix.lower() != ".json":
        raise AgentError(f"An agent is saved to a file whose name ends in .json; given {describe_value(path)}.")
    try:
        write_atomically(Path(path), encode_agent(agent))
    except OSError as error:
        raise AgentError(f"The agent cannot be saved to {path}: {error.strerror}. Choose another path.") from None
