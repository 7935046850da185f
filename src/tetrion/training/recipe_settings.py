"""Fields of settings classes with a meaning and limits, and their validation."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tetrion.errors import RecipeError, UnknownNameError
from tetrion.text_cleaning import clean_name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SettingsType = TypeVar("SettingsType", bound="DataclassInstance")
DEFINITION_KEY = "definition"
_MAX_LIST_LENGTH = 1000


class SettingDefinition(NamedTuple):
    """Type, meaning and limits of a setting: a range of numbers or a set of names."""

    kind: type
    meaning: str
    minimum: float = -math.inf
    maximum: float = math.inf
    choices: tuple[str, ...] = ()
    is_list: bool = False


def integer_setting(default: int, minimum: int, maximum: int, meaning: str) -> Any:
    """Return a field for an integer setting."""
    return field(default=default, metadata={DEFINITION_KEY: SettingDefinition(int, meaning, minimum, maximum)})


def float_setting(default: float, minimum: float, maximum: float, meaning: str) -> Any:
    """Return a field for a float setting."""
    return field(default=float(default), metadata={DEFINITION_KEY: SettingDefinition(float, meaning, minimum, maximum)})


def choice_setting(default: str, choices: Sequence[str], meaning: str) -> Any:
    """Return a field for a setting that is one of several names."""
    return field(default=default, metadata={DEFINITION_KEY: SettingDefinition(str, meaning, choices=tuple(choices))})


def boolean_setting(default: bool, meaning: str) -> Any:
    """Return a field for a boolean setting."""
    return field(default=default, metadata={DEFINITION_KEY: SettingDefinition(bool, meaning)})


def text_setting(default: str, meaning: str) -> Any:
    """Return a field for a string setting."""
    return field(default=default, metadata={DEFINITION_KEY: SettingDefinition(str, meaning)})


def list_setting(
    default: tuple[Any, ...], kind: type, meaning: str, minimum: float = -math.inf, maximum: float = math.inf
) -> Any:
    """Return a field for a list setting; `kind`, `minimum` and `maximum` apply to its elements."""
    return field(
        default=default, metadata={DEFINITION_KEY: SettingDefinition(kind, meaning, minimum, maximum, is_list=True)}
    )


def parse_settings(settings: type[SettingsType], section: str, table: object) -> SettingsType:
    """Return the settings of a section of a recipe; raise an error if a key or value is invalid."""
    if not isinstance(table, Mapping):
        raise RecipeError(f"[{section}] must be a table of settings; given {describe_given(table)}.")
    known_fields = {setting.name: setting for setting in fields(settings)}
    for key in table:
        if key not in known_fields:
            raise UnknownNameError(f"key of [{section}]", key, known_fields)
    values = {key: validate_setting(f"{section}.{key}", known_fields[key], value) for key, value in table.items()}
    return settings(**values)


def validate_setting(name: str, setting: "Field[Any]", value: object) -> Any:
    """Return the validated value of a setting; raise an error if it is invalid."""
    definition: SettingDefinition = setting.metadata[DEFINITION_KEY]
    if not definition.is_list:
        return validate_value(name, definition, value)
    if definition.kind is not str and isinstance(value, int | float):
        value = [value]
    if not isinstance(value, Sequence) or isinstance(value, str):
        example = format_default(setting) if setting.default else '["holes", "lines"]'
        raise RecipeError(f"{name} must be a list, such as {example}; given {describe_given(value)}.")
    if len(value) > _MAX_LIST_LENGTH:
        raise RecipeError(f"{name} must have at most {_MAX_LIST_LENGTH:,} elements; given {len(value):,}.")
    return tuple(validate_value(name, definition, element) for element in value)


def validate_value(name: str, definition: SettingDefinition, value: object) -> Any:
    """Return a single value; raise an error if it has the wrong type or is out of range."""
    if definition.kind is bool and not isinstance(value, bool):
        raise RecipeError(f"{name} must be true or false; given {describe_given(value)}.")
    if definition.kind is str and not isinstance(value, str):
        raise RecipeError(f"{name} must be a string; given {describe_given(value)}.")
    if definition.choices and value not in definition.choices:
        raise UnknownNameError(name, value, definition.choices)
    return value if definition.kind in (bool, str) else validate_number(name, definition, value)


def validate_number(name: str, definition: SettingDefinition, value: object) -> float:
    """Return a number; raise an error if it has the wrong type or is out of range."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        is_in_range = definition.minimum <= value <= definition.maximum
        if is_in_range and definition.kind(value) == value:
            return float(value) if definition.kind is float else int(value)
    kind = "an integer" if definition.kind is int else "a number"
    raise RecipeError(
        f"{name} must be {kind} from {definition.minimum:,} to {definition.maximum:,}; given {describe_given(value)}."
    )


def describe_given(value: object) -> str:
    """Return an invalid value for an error message, shortened if it is long."""
    try:
        return clean_name(repr(value))
    except (ValueError, RecursionError):  # an integer of thousands of digits, or a deeply nested list
        return f"a value of type {type(value).__name__}"


def format_default(setting: "Field[Any]") -> str:
    """Return the default value of a setting in TOML notation."""
    return "–" if setting.default is MISSING else format_toml_value(setting.default)


def format_toml_value(value: object) -> str:
    """Return a value in TOML notation."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(format_toml_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace(
            "\x7f", "\\u007f"
        )  # TOML strings are JSON strings, except for DEL
    return repr(value)
