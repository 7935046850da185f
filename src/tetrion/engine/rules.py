"""The rules of a game as one frozen value."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from tetrion.engine.board import HIGHEST
from tetrion.engine.motion import BACK, DOWN, DROP, KEYS
from tetrion.engine.presets import PRESETS as PRESETS
from tetrion.engine.randomisers import RANDOMISER, Randomiser
from tetrion.engine.rotations import ROTATION, SYSTEMS
from tetrion.engine.scoring import BY_HEIGHT, CONSTANT, GRAVITIES, LEVELS, SCORINGS
from tetrion.errors import RulesError, UnknownNameError

VERSION = 2  # of the engine's behaviour: a result is comparable with those of the same version

DROPPED, REACHED, TIMED = range(3)
MOVEMENTS = {"drop": DROPPED, "reach": REACHED, "timed": TIMED}

NO_ROOM, NO_ENTRY, TOP_ROW, ABOVE = range(4)
OVERS = {"room": NO_ROOM, "entry": NO_ENTRY, "top-row": TOP_ROW, "above": ABOVE}

BY_GRAVITY = -1  # a resting piece locks when gravity cannot move it

RULES = np.dtype(
    [
        ("rows", np.int64),  # in which pieces may rest, the hidden ones included
        ("height", np.int64),  # how many of them are visible
        ("entry", np.int64),
        ("preview", np.int64),
        ("movement", np.int64),
        ("key", np.int64, len(KEYS)),  # whether there is such a key
        ("locks", np.int64, len(KEYS)),  # whether it locks
        ("lock", np.int64),
        ("points", np.int64, 4),
        ("points_a_piece", np.int64),
        ("points_a_row", np.int64),
        ("points_by_level", np.int64),
        ("level", np.int64),
        ("levels", np.int64),
        ("gravity_by", np.int64),
        ("gravity", np.int64),
        ("entry_delay", np.int64),
        ("clear_delay", np.int64),
        ("repeat_delay", np.int64),
        ("repeat_every", np.int64),
        ("down_every", np.int64),
        ("thinking", np.int64),
        ("key_every", np.int64),
        ("over", np.int64),
        *RANDOMISER,
        *ROTATION,
    ],
    align=True,
)

LONGEST = 1_000_000  # frames
WHOLE = {  # fields that are whole numbers: the least and the most
    "height": (4, HIGHEST),
    "hidden": (0, 4),
    "entry": (0, 4),
    "preview": (0, 6),
    "level": (0, 29),
    "clear_delay": (0, LONGEST),
    "repeat_delay": (0, LONGEST),
    "repeat_every": (0, LONGEST),
    "down_every": (0, LONGEST),
    "thinking": (0, LONGEST),
    "key_every": (1, LONGEST),
}
NAMED: dict[str, Iterable[str]] = {  # fields that are a name
    "rotation": SYSTEMS,
    "movement": MOVEMENTS,
    "scoring": SCORINGS,
    "levels": LEVELS,
    "over": OVERS,
}
EITHER: dict[str, Iterable[str]] = {  # fields that are a name or a number of frames
    "lock": ["gravity"],
    "gravity": GRAVITIES,
    "entry_delay": ["nes"],
}


@dataclass(frozen=True)
class Rules:
    """What may be done, what it earns and when it ends; docs/rules.md defines every field.

    The defaults are `standard`, one-piece Tetris as research plays it (MdpTetris): a piece is turned, moved and dropped
    straight down; the game is over when no placement of the piece lies wholly on the board; a line scores a point.
    """

    name: str = "standard"
    height: int = 20
    hidden: int = 0
    entry: int = 4
    preview: int = 0
    randomiser: str = "uniform"
    rotation: str = "top-left"
    movement: str = "drop"
    keys: str = "left+right+rotate+back+down+drop"
    lock_keys: str = "drop"
    lock: str | int = "gravity"
    scoring: str = "lines"
    level: int = 0
    levels: str = "fixed"
    over: str = "room"
    gravity: str | int = 500
    frames: float = 1000
    entry_delay: str | int = 0
    clear_delay: int = 0
    repeat_delay: int = 170
    repeat_every: int = 50
    down_every: int = 50
    thinking: int = 0
    key_every: int = 100

    def __post_init__(self) -> None:
        if self.name not in list(PRESETS):
            raise UnknownNameError("rule set", self.name, PRESETS)
        for field in WHOLE:
            _check_whole(field, getattr(self, field))
        for field, names in NAMED.items():
            if getattr(self, field) not in list(names):
                raise UnknownNameError(field, getattr(self, field), names)
        for field, names in EITHER.items():
            _check_either(field, getattr(self, field), names)
        if not _is_number(self.frames) or not 1 <= self.frames <= LONGEST:
            raise RulesError(f"frames is a number of frames a second, from 1 to {LONGEST:,}; given {self.frames!r}.")
        Randomiser(self.randomiser)
        object.__setattr__(self, "keys", _joined("keys", self.keys, KEYS))
        object.__setattr__(self, "lock_keys", _joined("lock_keys", self.lock_keys, (KEYS[DOWN], KEYS[DROP])))
        self._check_together()

    def _check_together(self) -> None:
        if self.height + self.hidden > HIGHEST:
            raise RulesError(
                f"height and hidden are at most {HIGHEST} together; given {self.height} and {self.hidden}."
            )
        there = self.keys.split("+")
        if missing := [key for key in KEYS[:BACK] if key not in there]:
            raise RulesError(f"keys has left, right and rotate always; given keys={self.keys}, without {missing[0]}.")
        if missing := [key for key in self.lock_keys.split("+") if key not in [*there, "none"]]:
            raise RulesError(f"lock_keys is about keys that there are; {missing[0]} is not in keys={self.keys}.")
        if self.movement == "timed" and self.lock not in ("gravity", 0):
            raise RulesError(f"timed movement is for lock=gravity and lock=0; given lock={self.lock}.")

    @classmethod
    def preset(cls, name: str) -> Self:
        """The rules of that name."""
        if name not in list(PRESETS):
            raise UnknownNameError("rule set", name, PRESETS)
        return cls(name, **PRESETS[name].rules)

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

    @property
    def rows(self) -> int:
        """In how many rows pieces may rest, the hidden ones included."""
        return self.height + self.hidden

    def compiled(self) -> np.ndarray[Any, Any]:
        """The rules for the engine: an array of one record."""
        rules = np.zeros(1, RULES)
        record = rules[0]
        for field in (*WHOLE, "rows"):
            if field != "hidden":
                record[field] = getattr(self, field)
        record["movement"], record["over"] = MOVEMENTS[self.movement], OVERS[self.over]
        record["levels"] = LEVELS[self.levels]
        record["key"] = [key in self.keys.split("+") for key in KEYS]
        record["locks"] = [key in self.lock_keys.split("+") for key in KEYS]
        record["lock"] = BY_GRAVITY if self.lock == "gravity" else self.lock
        record["entry_delay"] = BY_HEIGHT if self.entry_delay == "nes" else self.entry_delay
        record["gravity_by"] = GRAVITIES.get(str(self.gravity), CONSTANT)
        record["gravity"] = self.gravity if isinstance(self.gravity, int) else 0
        points = "points", "points_a_piece", "points_a_row", "points_by_level"
        for field, value in zip(points, SCORINGS[self.scoring], strict=True):
            record[field] = value
        Randomiser(self.randomiser).written(record)
        SYSTEMS[self.rotation].written(record)
        return rules


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)


def _check_whole(field: str, value: object) -> None:
    least, most = WHOLE[field]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise RulesError(f"{field} is a whole number from {least} to {most:,}; given {value!r}.")


def _check_either(field: str, value: object, names: Iterable[str]) -> None:
    if isinstance(value, bool) or (isinstance(value, int) and not 0 <= value <= LONGEST) or isinstance(value, float):
        raise RulesError(f"{field} is a whole number of frames from 0 to {LONGEST:,}; given {value!r}.")
    if not isinstance(value, int) and value not in list(names):
        named = " or ".join(names)
        raise RulesError(f"{field} is {named}, or a whole number of frames; given {value!r}.")


def _joined(field: str, value: object, known: tuple[str, ...]) -> str:
    """Names joined by +, in their usual order."""
    if not isinstance(value, str):
        raise RulesError(f"{field} is made of {', '.join(known)}, joined by +; given {value!r}.")
    given = [] if value in ("", "none") else value.split("+")
    for key in given:
        if key not in known:
            raise UnknownNameError("key", key, known)
    return "+".join(key for key in known if key in given) or "none"


def _option(item: str) -> tuple[str, Any]:
    field, equals, value = item.partition("=")
    if not equals:
        raise RulesError(f"A rule is changed by name=value, as in 'standard:height=14'; given '{item}'.")
    return field.strip(), _value(value.strip())


def _value(text: str) -> Any:
    if re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    return float(text) if re.fullmatch(r"\d{1,18}\.\d{1,18}", text, re.ASCII) else text
