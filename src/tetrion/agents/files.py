"""Agents in files: JSON or TOML with a format, a kind, and weights, tables or modes."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tetrion.agents.data import DataAgent, SecondMode
from tetrion.agents.own.loading import load_file as load_python
from tetrion.engine.agents import Terms
from tetrion.engine.own import OwnFeature
from tetrion.errors import AgentError, UnknownNameError
from tetrion.files import write_whole

FORMAT = 1
LARGEST_FILE = 1_000_000  # bytes; an agent takes a few hundred
SMALLEST = '{"format": 1, "kind": "linear", "weights": {"holes": -4, "lines": 1}}'
TEXTS = ("name", "measured", "source", "family", "rules")
NUMBERS = ("depth", "expect", "beam")
TERMS = ("weights", "tables")
OF_MODES = ("modes", "selector", "threshold")
KEYS = ("format", "kind", *TEXTS, *NUMBERS, *TERMS, *OF_MODES, "features")
KINDS = {"linear": ("weights",), "table": TERMS, "modes": OF_MODES}  # and which keys hold their numbers
READERS = {".json": ("JSON", json.loads), ".toml": ("TOML", tomllib.loads)}


def load_file(path: Path) -> DataAgent:
    """The agent of a JSON or TOML file."""
    try:
        return read(_parsed(path), path.stem, path.parent)
    except (AgentError, UnknownNameError) as mistake:
        raise AgentError(f"{path}: {mistake}") from None


def _parsed(path: Path) -> object:
    kind, parse = READERS[path.suffix.lower()]
    try:
        if not path.is_file():
            raise AgentError("this is not a file." if path.exists() else "there is no such file.")
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as problem:
        raise AgentError(f"the file cannot be read: {problem.strerror}.") from None
    if len(content) > LARGEST_FILE:
        raise AgentError(f"an agent file is at most {LARGEST_FILE:,} bytes; this is longer.")
    try:
        return parse(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise AgentError(f"the file is not {kind}: {problem}.") from None


def read(content: object, default_name: str, folder: Path = Path()) -> DataAgent:
    """The agent that a file's content describes, or the error that says what is wrong with it."""
    if not isinstance(content, Mapping):
        raise AgentError(f"an agent is an object with format, kind and weights; given {type(content).__name__}.")
    for key in content:
        if key not in KEYS:
            raise UnknownNameError("key of an agent file", key, KEYS)
    for key in ("format", "kind"):
        if key not in content:
            raise AgentError(f'"{key}" is missing; the smallest file is {SMALLEST}.')
    if content["format"] != FORMAT or isinstance(content["format"], bool):
        raise AgentError(f'"format" is {FORMAT}; given {content["format"]!r}. A newer Tetrion may read it.')
    kind = content["kind"]
    if kind not in tuple(KINDS):  # it may be anything, and of no kind that a dictionary takes
        raise UnknownNameError("kind of agent", kind, KINDS)
    for key in (*TERMS, *OF_MODES):
        if key in content and key not in KINDS[kind]:
            owner = next(name for name, keys in KINDS.items() if key in keys)
            raise AgentError(f'"{key}" belong to an agent of kind "{owner}"; this one is "{kind}".')
    texts = {key: _text(content, key) for key in TEXTS if key in content}
    numbers = {key: content[key] for key in NUMBERS if key in content}
    features = _features(content, folder)
    weights, second = _modes(content) if kind == "modes" else (_terms(content), None)
    return DataAgent(**{"name": default_name, **texts, **numbers}, weights=weights, second=second, features=features)


def _text(content: Mapping[str, Any], key: str) -> str:
    if not isinstance(content[key], str):
        raise AgentError(f'"{key}" is a text; given {content[key]!r}.')
    return str(content[key])


def _terms(content: Mapping[str, Any]) -> Terms:
    weights, tables = (content.get(key, {}) for key in TERMS)
    for key, part, kind in (("weights", weights, "a number"), ("tables", tables, "a list of numbers")):
        if not isinstance(part, Mapping):
            raise AgentError(f'"{key}" is an object from feature to {kind}; given {part!r}.')
        for name, term in part.items():
            if isinstance(term, list) != (key == "tables"):
                raise AgentError(f"In \"{key}\", '{name}' has {kind}; given {term!r}.")
    if both := set(weights) & set(tables):
        raise AgentError(f"A feature has a weight or a table, not both; given both for {', '.join(sorted(both))}.")
    return {**weights, **tables}


def _modes(content: Mapping[str, Any]) -> tuple[Terms, SecondMode]:
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
            if key not in TERMS:
                raise UnknownNameError("key of a mode", key, TERMS)
    for key in ("selector", "threshold"):
        if key not in content:
            raise AgentError(f'"{key}" is missing; it decides when the agent changes to its second mode.')
    (first, one), (second, other) = modes.items()
    return _terms(one), SecondMode(_terms(other), _text(content, "selector"), content["threshold"], (first, second))


def _features(content: Mapping[str, Any], folder: Path) -> dict[str, OwnFeature]:
    """The features of a person's own, from the Python file that an agent file names."""
    if "features" not in content:
        return {}
    path = folder / _text(content, "features")
    if path.suffix != ".py" or not path.is_file():
        raise AgentError(f'"features" is a Python file beside this one; there is no {path}.')
    try:
        module = load_python(path)
    except AgentError as mistake:
        raise AgentError(f"{path}: {mistake}") from None
    found = {part.name: part for part in vars(module).values() if isinstance(part, OwnFeature)}
    if not found:
        raise AgentError(f"{path} has no feature. Write one under @tetrion.feature(largest=…).")
    return found


def written(agent: DataAgent) -> dict[str, Any]:
    """What a file says of an agent."""
    second = agent.second
    kind = "modes" if second else "table" if _split(agent.weights)["tables"] else "linear"
    content: dict[str, Any] = {"format": FORMAT, "kind": kind}
    content |= {key: getattr(agent, key) for key in TEXTS if getattr(agent, key)}
    content |= {
        key: getattr(agent, key)
        for key, default in zip(NUMBERS, (1, 0, 0), strict=True)
        if getattr(agent, key) != default
    }
    if second:
        modes = dict(zip(second.names, (agent.weights, second.weights), strict=True))
        content |= {"selector": second.selector, "threshold": second.threshold}
        return content | {"modes": {name: _filled(terms) for name, terms in modes.items()}}
    return content | _filled(agent.weights)


def as_bytes(agent: DataAgent) -> bytes:
    """An agent's whole file."""
    return (json.dumps(written(agent), indent=2, ensure_ascii=False) + "\n").encode()


def _split(terms: Terms) -> dict[str, dict[str, Any]]:
    tables = {name: list(term) for name, term in terms.items() if not isinstance(term, int | float)}
    return {"weights": {name: term for name, term in terms.items() if name not in tables}, "tables": tables}


def _filled(terms: Terms) -> dict[str, dict[str, Any]]:
    return {key: part for key, part in _split(terms).items() if part}


def save(agent: DataAgent, path: str | Path) -> None:
    """Write an agent into a JSON file, as a start for one of your own."""
    if not isinstance(agent, DataAgent):
        raise AgentError(f"An agent of numbers can be written down; given {agent!r}.")
    if agent.features:
        raise AgentError(
            f"{agent.name} uses features of your own ({', '.join(agent.features)}), which live in a Python file. Write "
            'the agent file by hand and name it there: "features": "file.py".'
        )
    if not isinstance(path, str | Path) or Path(path).suffix.lower() != ".json":
        raise AgentError(f"An agent is written into a file that ends in .json; given {path!r}.")
    try:
        write_whole(Path(path), as_bytes(agent))
    except OSError as problem:
        raise AgentError(f"{path} cannot be written: {problem.strerror}. Give another place.") from None
