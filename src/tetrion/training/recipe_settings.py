"""Settings as checked data: what a recipe may say, which values are possible, and what each means."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tetrion.errors import RecipeError, UnknownNameError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SettingsType = TypeVar("SettingsType", bound="DataclassInstance")
LIMITS_KEY = "limits"


class SettingLimits(NamedTuple):
    """What a value may be: its kind and meaning, the numbers it lies between, or the names that it is one of."""

    kind: type
    meaning: str
    minimum: float = -math.inf
    maximum: float = math.inf
    choices: tuple[str, ...] = ()
    is_list: bool = False


def integer_setting(default: int, minimum: int, maximum: int, meaning: str) -> Any:
    """A setting that is a whole number."""
    return field(default=default, metadata={LIMITS_KEY: SettingLimits(int, meaning, minimum, maximum)})


def float_setting(default: float, minimum: float, maximum: float, meaning: str) -> Any:
    """A setting that is a number."""
    return field(default=float(default), metadata={LIMITS_KEY: SettingLimits(float, meaning, minimum, maximum)})


def choice_setting(default: str, choices: Sequence[str], meaning: str) -> Any:
    """A setting that is one of some names."""
    return field(default=default, metadata={LIMITS_KEY: SettingLimits(str, meaning, choices=tuple(choices))})


def boolean_setting(default: bool, meaning: str) -> Any:
    """A setting that is on or off."""
    return field(default=default, metadata={LIMITS_KEY: SettingLimits(bool, meaning)})


def text_setting(default: str, meaning: str) -> Any:
    """A setting that is a text."""
    return field(default=default, metadata={LIMITS_KEY: SettingLimits(str, meaning)})


def list_setting(
    default: tuple[Any, ...], kind: type, meaning: str, minimum: float = -math.inf, maximum: float = math.inf
) -> Any:
    """A setting that is a list."""
    return field(default=default, metadata={LIMITS_KEY: SettingLimits(kind, meaning, minimum, maximum, is_list=True)})


def parse_settings(settings: type[SettingsType], section: str, table: object) -> SettingsType:
    """Settings from a table of a file, or the error that says what is wrong with it; `section` is the table's name."""
    if not isinstance(table, Mapping):
        raise RecipeError(f"[{section}] is a table of settings; given {table!r}.")
    known = {part.name: part for part in fields(settings)}
    for key in table:
        if key not in known:
            raise UnknownNameError(f"key of [{section}]", key, known)
    return settings(**{key: validate_setting(f"{section}.{key}", known[key], value) for key, value in table.items()})


def validate_setting(name: str, setting: "Field[Any]", value: object) -> Any:
    """A value that a setting may have, or the error that says why not."""
    limits: SettingLimits = setting.metadata[LIMITS_KEY]
    if not limits.is_list:
        return validate_value(name, limits, value)
    if limits.kind is not str and isinstance(value, int | float):
        value = [value]
    if not isinstance(value, Sequence) or isinstance(value, str):
        example = format_default(setting) if setting.default else '["holes", "lines"]'
        raise RecipeError(f"{name} is a list, such as {example}; given {value!r}.")
    return tuple(validate_value(name, limits, part) for part in value)


def validate_value(name: str, limits: SettingLimits, value: object) -> Any:
    """One value of the right kind and within its limits."""
    if limits.choices and value not in limits.choices:
        raise UnknownNameError(f"{name}", value, limits.choices)
    if limits.kind is bool and not isinstance(value, bool):
        raise RecipeError(f"{name} is true or false; given {value!r}.")
    if limits.kind is str and not isinstance(value, str):
        raise RecipeError(f"{name} is a text; given {value!r}.")
    return value if limits.kind in (bool, str) else validate_number(name, limits, value)


def validate_number(name: str, limits: SettingLimits, value: object) -> float:
    """A number of the right kind and within its limits."""
    right = isinstance(value, int | float) and not isinstance(value, bool) and limits.minimum <= value <= limits.maximum
    if isinstance(value, int | float) and right and limits.kind(value) == value:
        return float(value) if limits.kind is float else int(value)
    what = "a whole number" if limits.kind is int else "a number"
    raise RecipeError(f"{name} is {what} from {limits.minimum:,} to {limits.maximum:,}; given {value!r}.")


def format_default(setting: "Field[Any]") -> str:
    """A setting's usual value, as a recipe writes it."""
    return "–" if setting.default is MISSING else format_toml_value(setting.default)


def format_toml_value(value: object) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(format_toml_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML's texts are JSON's but for that
    return repr(value)
