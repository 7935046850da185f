"""The rules of a game as one frozen value, and the named sets of them."""

import re
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from tetrion.engine.board import HIGHEST
from tetrion.engine.randomisers import Randomiser
from tetrion.errors import RulesError, UnknownNameError

VERSION = 1  # of the engine's behaviour: a result is comparable with those of the same version

RULES = np.dtype([("rows", np.int32), ("randomiser", np.int32)], align=True)


@dataclass(frozen=True)
class Rules:
    """What may be done and when it ends.

    `standard` is one-piece Tetris as research plays it (MdpTetris): a piece is turned, moved and dropped straight
    down; the game is over when no placement of the piece lies wholly on the board; every line scores one point.
    """

    name: str = "standard"
    height: int = 20
    randomiser: str = "uniform"

    def __post_init__(self) -> None:
        if self.name not in PRESETS:
            raise UnknownNameError("rule set", self.name, PRESETS)
        if isinstance(self.height, bool) or not isinstance(self.height, int) or not 4 <= self.height <= HIGHEST:
            raise RulesError(f"height is a whole number from 4 to {HIGHEST}; given {self.height!r}.")
        Randomiser(self.randomiser)

    @classmethod
    def preset(cls, name: str) -> Self:
        """The rules of that name."""
        return cls(name, **PRESETS.get(name, {}))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Rules as they are written on the command line: `standard`, or `standard:height=14,randomiser=bag`."""
        if not isinstance(text, str):
            raise RulesError(f"Rules are written as in 'standard:height=14'; given {text!r}.")
        name, colon, options = text.partition(":")
        rules = cls.preset(name)
        return rules.with_(**dict(_option(item) for item in options.split(","))) if colon else rules

    def with_(self, **changes: Any) -> Self:
        """The same rules but for these fields."""
        known = [field.name for field in fields(self) if field.name != "name"]
        for field in changes:
            if field not in known:
                raise UnknownNameError("rule", field, known)
        return replace(self, **changes)

    def __str__(self) -> str:
        preset = Rules.preset(self.name)
        changed = [f.name for f in fields(self) if getattr(self, f.name) != getattr(preset, f.name)]
        options = ",".join(f"{field}={getattr(self, field)}" for field in changed)
        return f"{self.name}:{options}" if options else self.name

    def compiled(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The rules for the engine: a record, and the pieces that the randomiser deals."""
        randomiser = Randomiser(self.randomiser)
        return np.array([(self.height, randomiser.parts()[0])], RULES), randomiser.sequence()


PRESETS: dict[str, dict[str, Any]] = {
    "standard": {},
    "standard-10x10": {"height": 10},
}


def _option(item: str) -> tuple[str, Any]:
    field, equals, value = item.partition("=")
    if not equals:
        raise RulesError(f"A rule is changed by name=value, as in 'standard:height=14'; given '{item}'.")
    return field.strip(), int(value) if re.fullmatch(r"\s*-?\d{1,9}\s*", value, re.ASCII) else value.strip()
