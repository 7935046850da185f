"""Agents read from files: JSON or TOML with a format, a kind, and weights or tables."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from tetrion.engine.agents import CompiledAgent, Terms, checked_terms
from tetrion.errors import AgentError, UnknownNameError

FORMAT = 1
LARGEST_FILE = 1_000_000  # bytes; an agent takes a few hundred
MEASURED = ("after", "before")
SMALLEST = '{"format": 1, "kind": "linear", "weights": {"holes": -4, "lines": 1}}'
KEYS = ("format", "kind", "name", "source", "measured", "weights", "tables")
KINDS = ("linear", "table")
READERS = {".json": ("JSON", json.loads), ".toml": ("TOML", tomllib.loads)}


@dataclass(frozen=True)
class DataAgent:
    """An agent that is numbers alone: for each feature a weight, or a table from its value to points.

    A table starts at the feature's smallest value (0 for all but the changes) and its last entry holds for every
    larger one. `measured` tells whether features see the board before or after full rows are removed.
    """

    name: str
    weights: Terms
    measured: str = "after"
    source: str = ""

    def __post_init__(self) -> None:
        checked_terms(self.weights)
        if self.measured not in MEASURED:
            raise UnknownNameError("moment to measure", self.measured, MEASURED)

    def compiled(self) -> CompiledAgent:
        """What the engine plays: the terms, and whether they are measured after full rows are removed."""
        return self.weights, self.measured == "after"


def published() -> dict[str, Path]:
    """The published agents that come with Tetrion: their names and files."""
    folder = Path(str(files("tetrion.agents") / "published"))
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def load(name: str | Path) -> DataAgent:
    """An agent by its published name, or from a JSON or TOML file."""
    if not isinstance(name, str | Path):
        raise AgentError(
            f"An agent is named by a text or a path, such as 'dellacherie' or 'mine.json'; given {name!r}."
        )
    path = published().get(str(name), Path(name))
    if path.suffix.lower() not in READERS:
        raise UnknownNameError("agent", name, published(), listing="A file of your own ends in .json or .toml.")
    try:
        return read(_parsed(path), default_name=path.stem)
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


def read(content: object, default_name: str) -> DataAgent:
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
    if content["kind"] not in KINDS:
        raise UnknownNameError("kind of agent", content["kind"], KINDS)
    return DataAgent(
        _text(content, "name", default_name),
        _terms(content),
        _text(content, "measured", MEASURED[0]),
        _text(content, "source", ""),
    )


def _text(content: Mapping[str, Any], key: str, default: str) -> str:
    value = content.get(key, default)
    if not isinstance(value, str):
        raise AgentError(f'"{key}" is a text; given {value!r}.')
    return value


def _terms(content: Mapping[str, Any]) -> Terms:
    weights, tables = (content.get(key, {}) for key in ("weights", "tables"))
    for key, part, kind in (("weights", weights, "a number"), ("tables", tables, "a list of numbers")):
        if not isinstance(part, Mapping):
            raise AgentError(f'"{key}" is an object from feature to {kind}; given {part!r}.')
        for name, term in part.items():
            if isinstance(term, list) != (key == "tables"):
                raise AgentError(f"In \"{key}\", '{name}' has {kind}; given {term!r}.")
    if tables and content["kind"] == "linear":
        raise AgentError('"tables" belong to an agent of kind "table"; this one is "linear".')
    if both := set(weights) & set(tables):
        raise AgentError(f"A feature has a weight or a table, not both; given both for {', '.join(sorted(both))}.")
    return {**weights, **tables}
