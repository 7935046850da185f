"""Settings as checked data: what a recipe may say, which values are possible, and what each means."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tetrion.errors import RecipeError, UnknownNameError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")
LIMITS = "limits"


class Limits(NamedTuple):
    """What a value may be: its kind and meaning, the numbers it lies between, or the names that it is one of."""

    kind: type
    meaning: str
    least: float = -math.inf
    most: float = math.inf
    names: tuple[str, ...] = ()
    several: bool = False


def whole(default: int, least: int, most: int, meaning: str) -> Any:
    """A setting that is a whole number."""
    return field(default=default, metadata={LIMITS: Limits(int, meaning, least, most)})


def real(default: float, least: float, most: float, meaning: str) -> Any:
    """A setting that is a number."""
    return field(default=float(default), metadata={LIMITS: Limits(float, meaning, least, most)})


def one_of(default: str, names: Sequence[str], meaning: str) -> Any:
    """A setting that is one of some names."""
    return field(default=default, metadata={LIMITS: Limits(str, meaning, names=tuple(names))})


def switch(default: bool, meaning: str) -> Any:
    """A setting that is on or off."""
    return field(default=default, metadata={LIMITS: Limits(bool, meaning)})


def text(default: str, meaning: str) -> Any:
    """A setting that is a text."""
    return field(default=default, metadata={LIMITS: Limits(str, meaning)})


def several(
    default: tuple[Any, ...], kind: type, meaning: str, least: float = -math.inf, most: float = math.inf
) -> Any:
    """A setting that is a list."""
    return field(default=default, metadata={LIMITS: Limits(kind, meaning, least, most, several=True)})


def read(settings: type[Settings], section: str, table: object) -> Settings:
    """Settings from a table of a file, or the error that says what is wrong with it; `section` is the table's name."""
    if not isinstance(table, Mapping):
        raise RecipeError(f"[{section}] is a table of settings; given {table!r}.")
    known = {part.name: part for part in fields(settings)}
    for key in table:
        if key not in known:
            raise UnknownNameError(f"key of [{section}]", key, known)
    return settings(**{key: checked(f"{section}.{key}", known[key], value) for key, value in table.items()})


def checked(name: str, setting: "Field[Any]", value: object) -> Any:
    """A value that a setting may have, or the error that says why not."""
    limits: Limits = setting.metadata[LIMITS]
    if not limits.several:
        return checked_value(name, limits, value)
    if limits.kind is not str and isinstance(value, int | float):
        value = [value]
    if not isinstance(value, Sequence) or isinstance(value, str):
        example = shown(setting) if setting.default else '["holes", "lines"]'
        raise RecipeError(f"{name} is a list, such as {example}; given {value!r}.")
    return tuple(checked_value(name, limits, part) for part in value)


def checked_value(name: str, limits: Limits, value: object) -> Any:
    """One value of the right kind and within its limits."""
    if limits.names and value not in limits.names:
        raise UnknownNameError(f"{name}", value, limits.names)
    if limits.kind is bool and not isinstance(value, bool):
        raise RecipeError(f"{name} is true or false; given {value!r}.")
    if limits.kind is str and not isinstance(value, str):
        raise RecipeError(f"{name} is a text; given {value!r}.")
    return value if limits.kind in (bool, str) else checked_number(name, limits, value)


def checked_number(name: str, limits: Limits, value: object) -> float:
    """A number of the right kind and within its limits."""
    right = isinstance(value, int | float) and not isinstance(value, bool) and limits.least <= value <= limits.most
    if isinstance(value, int | float) and right and limits.kind(value) == value:
        return float(value) if limits.kind is float else int(value)
    what = "a whole number" if limits.kind is int else "a number"
    raise RecipeError(f"{name} is {what} from {limits.least:,} to {limits.most:,}; given {value!r}.")


def shown(setting: "Field[Any]") -> str:
    """A setting's usual value, as a recipe writes it."""
    return "–" if setting.default is MISSING else written(setting.default)


def written(value: object) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML's texts are JSON's but for that
    return repr(value)
