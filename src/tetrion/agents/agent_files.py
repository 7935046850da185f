"""Agents in files: JSON or TOML with a format, a kind, and weights, tables or modes."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tetrion.agents.python_agent.class_loader import load_python_file as load_python
from tetrion.agents.weighted_agent import SecondMode, WeightedAgent
from tetrion.atomic_files import write_atomically
from tetrion.engine.agent_records import FeatureTerms
from tetrion.engine.custom_features import CustomFeature
from tetrion.errors import AgentError, UnknownNameError

AGENT_FORMAT = 1
MAX_AGENT_FILE_BYTES = 1_000_000  # bytes; an agent takes a few hundred
MINIMAL_AGENT_FILE = '{"format": 1, "kind": "linear", "weights": {"holes": -4, "lines": 1}}'
_TEXT_KEYS = ("name", "measured", "source", "family", "rules")
_NUMBER_KEYS = ("depth", "expect", "beam")
_TERM_KEYS = ("weights", "tables")
_MODE_KEYS = ("modes", "selector", "threshold")
_ALL_KEYS = ("format", "kind", *_TEXT_KEYS, *_NUMBER_KEYS, *_TERM_KEYS, *_MODE_KEYS, "features")
AGENT_KINDS = {"linear": ("weights",), "table": _TERM_KEYS, "modes": _MODE_KEYS}  # and which keys hold their numbers
AGENT_FILE_PARSERS = {".json": ("JSON", json.loads), ".toml": ("TOML", tomllib.loads)}


def load_agent_file(path: Path) -> WeightedAgent:
    """The agent of a JSON or TOML file."""
    try:
        return agent_from_json(_parse_file(path), path.stem, path.parent)
    except (AgentError, UnknownNameError) as mistake:
        raise AgentError(f"{path}: {mistake}") from None


def _parse_file(path: Path) -> object:
    kind, parse = AGENT_FILE_PARSERS[path.suffix.lower()]
    try:
        if not path.is_file():
            raise AgentError("this is not a file." if path.exists() else "there is no such file.")
        with path.open("rb") as file:
            content = file.read(MAX_AGENT_FILE_BYTES + 1)
    except OSError as problem:
        raise AgentError(f"the file cannot be read: {problem.strerror}.") from None
    if len(content) > MAX_AGENT_FILE_BYTES:
        raise AgentError(f"an agent file is at most {MAX_AGENT_FILE_BYTES:,} bytes; this is longer.")
    try:
        return parse(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise AgentError(f"the file is not {kind}: {problem}.") from None


def agent_from_json(content: object, default_name: str, folder: Path = Path()) -> WeightedAgent:
    """The agent that a file's content describes, or the error that says what is wrong with it."""
    if not isinstance(content, Mapping):
        raise AgentError(f"an agent is an object with format, kind and weights; given {type(content).__name__}.")
    for key in content:
        if key not in _ALL_KEYS:
            raise UnknownNameError("key of an agent file", key, _ALL_KEYS)
    for key in ("format", "kind"):
        if key not in content:
            raise AgentError(f'"{key}" is missing; the smallest file is {MINIMAL_AGENT_FILE}.')
    if content["format"] != AGENT_FORMAT or isinstance(content["format"], bool):
        raise AgentError(f'"format" is {AGENT_FORMAT}; given {content["format"]!r}. A newer Tetrion may read it.')
    kind = content["kind"]
    if kind not in tuple(AGENT_KINDS):  # it may be anything, and of no kind that a dictionary takes
        raise UnknownNameError("kind of agent", kind, AGENT_KINDS)
    for key in (*_TERM_KEYS, *_MODE_KEYS):
        if key in content and key not in AGENT_KINDS[kind]:
            owner = next(name for name, keys in AGENT_KINDS.items() if key in keys)
            raise AgentError(f'"{key}" belong to an agent of kind "{owner}"; this one is "{kind}".')
    texts = {key: _read_text(content, key) for key in _TEXT_KEYS if key in content}
    numbers = {key: content[key] for key in _NUMBER_KEYS if key in content}
    features = _load_custom_features(content, folder)
    weights, second = _read_modes(content) if kind == "modes" else (_read_terms(content), None)
    return WeightedAgent(
        **{"name": default_name, **texts, **numbers}, weights=weights, second_mode=second, features=features
    )


def _read_text(content: Mapping[str, Any], key: str) -> str:
    if not isinstance(content[key], str):
        raise AgentError(f'"{key}" is a text; given {content[key]!r}.')
    return str(content[key])


def _read_terms(content: Mapping[str, Any]) -> FeatureTerms:
    weights, tables = (content.get(key, {}) for key in _TERM_KEYS)
    for key, part, kind in (("weights", weights, "a number"), ("tables", tables, "a list of numbers")):
        if not isinstance(part, Mapping):
            raise AgentError(f'"{key}" is an object from feature to {kind}; given {part!r}.')
        for name, term in part.items():
            if isinstance(term, list) != (key == "tables"):
                raise AgentError(f"In \"{key}\", '{name}' has {kind}; given {term!r}.")
    if both := set(weights) & set(tables):
        raise AgentError(f"A feature has a weight or a table, not both; given both for {', '.join(sorted(both))}.")
    return {**weights, **tables}


def _read_modes(content: Mapping[str, Any]) -> tuple[FeatureTerms, SecondMode]:
    """The terms of the first mode, and the second one."""
    modes = content.get("modes")
    if (
        not isinstance(modes, Mapping)
        or len(modes) != 2
        or not all(isinstance(mode, Mapping) for mode in modes.values())
    ):
        raise AgentError('"modes" is an object of two: the name of each, and its weights and tables.')
    for mode in modes.values():
        for key in mode:
            if key not in _TERM_KEYS:
                raise UnknownNameError("key of a mode", key, _TERM_KEYS)
    for key in ("selector", "threshold"):
        if key not in content:
            raise AgentError(f'"{key}" is missing; it decides when the agent changes to its second mode.')
    (first, one), (second, other) = modes.items()
    return _read_terms(one), SecondMode(
        _read_terms(other), _read_text(content, "selector"), content["threshold"], (first, second)
    )


def _load_custom_features(content: Mapping[str, Any], folder: Path) -> dict[str, CustomFeature]:
    """The features of a person's own, from the Python file that an agent file names."""
    if "features" not in content:
        return {}
    path = folder / _read_text(content, "features")
    if path.suffix != ".py" or not path.is_file():
        raise AgentError(f'"features" is a Python file beside this one; there is no {path}.')
    try:
        module = load_python(path)
    except AgentError as mistake:
        raise AgentError(f"{path}: {mistake}") from None
    found = {part.name: part for part in vars(module).values() if isinstance(part, CustomFeature)}
    if not found:
        raise AgentError(f"{path} has no feature. Write one under @tetrion.feature(largest=…).")
    return found


def agent_to_json(agent: WeightedAgent) -> dict[str, Any]:
    """What a file says of an agent."""
    second = agent.second_mode
    kind = "modes" if second else "table" if _split_terms(agent.weights)["tables"] else "linear"
    content: dict[str, Any] = {"format": AGENT_FORMAT, "kind": kind}
    content |= {key: getattr(agent, key) for key in _TEXT_KEYS if getattr(agent, key)}
    content |= {
        key: getattr(agent, key)
        for key, default in zip(_NUMBER_KEYS, (1, 0, 0), strict=True)
        if getattr(agent, key) != default
    }
    if second:
        modes = dict(zip(second.names, (agent.weights, second.weights), strict=True))
        content |= {"selector": second.selector, "threshold": second.threshold}
        return content | {"modes": {name: _terms_to_json(terms) for name, terms in modes.items()}}
    return content | _terms_to_json(agent.weights)


def encode_agent(agent: WeightedAgent) -> bytes:
    """An agent's whole file."""
    return (json.dumps(agent_to_json(agent), indent=2, ensure_ascii=False) + "\n").encode()


def _split_terms(terms: FeatureTerms) -> dict[str, dict[str, Any]]:
    tables = {name: list(term) for name, term in terms.items() if not isinstance(term, int | float)}
    return {"weights": {name: term for name, term in terms.items() if name not in tables}, "tables": tables}


def _terms_to_json(terms: FeatureTerms) -> dict[str, dict[str, Any]]:
    return {key: part for key, part in _split_terms(terms).items() if part}


def save_agent(agent: WeightedAgent, path: str | Path) -> None:
    """Write an agent into a JSON file, as a start for one of your own."""
    if not isinstance(agent, WeightedAgent):
        raise AgentError(f"An agent of numbers can be written down; given {agent!r}.")
    if agent.features:
        raise AgentError(
            f"{agent.name} uses features of your own ({', '.join(agent.features)}), which live in a Python file. Write "
            'the agent file by hand and name it there: "features": "file.py".'
        )
    if not isinstance(path, str | Path) or Path(path).suffix.lower() != ".json":
        raise AgentError(f"An agent is written into a file that ends in .json; given {path!r}.")
    try:
        write_atomically(Path(path), encode_agent(agent))
    except OSError as problem:
        raise AgentError(f"{path} cannot be written: {problem.strerror}. Give another place.") from None
