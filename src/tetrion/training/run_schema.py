"""The fields of `meta.json` and `result.json`, and what each of them may contain.

Both files may come from anyone. The rest of the package relies on the keys and types that are checked here.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tetrion.data_files import DataFileError, check_values, parse_json
from tetrion.text_cleaning import clean_name, clean_text
from tetrion.training.former_names import update_metadata_names, update_result_names

STATUS_CREATED = "created"
STATUS_RUNNING = "running"
STATUS_STOPPED = "stopped"
STATUS_FINISHED = "finished"
MAX_MEASURED_NUMBER = 1e100  # larger numbers do not occur, and would overflow in calculations with them
_MAX_ENTRIES = 2000  # of a table or a list, such as the finalists
_MAX_GIVEN_LENGTH = 60  # characters of an invalid value in a message

Check = Callable[[Any, str], Any]
"""Returns a valid value, cleaned; raises ValueError with the place and what was expected for an invalid one."""


def make_check(
    expected: str, is_valid: Callable[[Any], bool], clean: Callable[[Any], Any] = lambda value: value
) -> Check:
    """Return a check of a single value; `expected` describes the valid ones."""

    def check(value: Any, place: str) -> Any:
        if not is_valid(value):
            raise ValueError(f"{place} must be {expected}; given {clean_text(repr(value), _MAX_GIVEN_LENGTH)}")
        return clean(value)

    return check


def is_number(value: Any) -> bool:
    """Return whether a value is a number that calculations can use."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_MEASURED_NUMBER


check_number = make_check("a number", is_number)
check_time = make_check("a number of seconds", lambda value: is_number(value) and 0 <= value <= 1e12)
check_count = make_check("a whole number from 0", lambda value: type(value) is int and 0 <= value < 2**63)
check_label = make_check("a text", lambda value: isinstance(value, str), clean_name)
check_description = make_check("a text", lambda value: isinstance(value, str), clean_text)
check_status = make_check(
    "one of created, running, stopped, finished",
    lambda value: isinstance(value, str) and value in (STATUS_CREATED, STATUS_RUNNING, STATUS_STOPPED, STATUS_FINISHED),
)
_check_table = make_check("a table", lambda value: isinstance(value, Mapping) and len(value) <= _MAX_ENTRIES)
_check_list = make_check("a list", lambda value: isinstance(value, list) and len(value) <= _MAX_ENTRIES)


def allow_null(check: Check) -> Check:
    """Return a check that also allows null."""
    return lambda value, place: None if value is None else check(value, place)


def make_list_check(check: Check) -> Check:
    """Return a check of a list whose elements pass a check."""
    return lambda value, place: [
        check(part, f"{place}[{index}]") for index, part in enumerate(_check_list(value, place))
    ]


def make_pair_check(first: Check, second: Check) -> Check:
    """Return a check of a list of two values."""

    def check(value: Any, place: str) -> list[Any]:
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError(f"{place} must be a list of two numbers")
        return [first(value[0], f"{place}[0]"), second(value[1], f"{place}[1]")]

    return check


def make_table_check(check: Check, min_entries: int = 0) -> Check:
    """Return a check of a table with any names, whose values pass a check."""

    def check_table(value: Any, place: str) -> dict[str, Any]:
        table = {
            clean_name(name): check(part, f"{place}.{clean_name(name)}")
            for name, part in _check_table(value, place).items()
        }
        if len(table) < min_entries:
            raise ValueError(f"{place} must have at least {min_entries} entry")
        return table

    return check_table


def make_fields_check(fields: Mapping[str, Check], optional: Mapping[str, Check] = MappingProxyType({})) -> Check:
    """Return a check of a table with these fields; all but the optional ones are required, and others are ignored."""

    def check(value: Any, place: str) -> dict[str, Any]:
        table = _check_table(value, place)
        prefix = f"{place}." if place != _WHOLE_FILE else ""
        if missing := [name for name in fields if name not in table]:
            raise ValueError(f"the key {prefix}{missing[0]} is missing")
        present = {**fields, **{name: part_check for name, part_check in optional.items() if name in table}}
        return {name: part_check(table[name], f"{prefix}{name}") for name, part_check in present.items()}

    return check


_WHOLE_FILE = "the content"
_METRICS = ("lines", "score", "pieces")  # of a game
_check_versions = make_table_check(check_label)
_check_statistics = make_fields_check(
    {
        "mean": allow_null(check_number),  # null if no game ended
        "ci95": allow_null(make_pair_check(check_number, allow_null(check_number))),  # null: fewer than three games
        **dict.fromkeys(("median", "q1", "q3", "min", "max"), check_number),
    }
)
_check_uncorrected_mean = make_fields_check(
    {"mean": check_number, "ci95": allow_null(make_pair_check(check_number, check_number))}
)

_check_rate = make_fields_check(
    {"mean": allow_null(check_number), "ci95": allow_null(make_pair_check(check_number, check_number))}
)

_META_FIELDS: dict[str, Check] = {
    "format": check_count,
    "started": check_label,
    "first_population": check_description,
    "earlier_versions": make_list_check(_check_versions),
    "status": check_status,
    "recipe": check_label,
    "seed": check_count,
    "generations": check_count,
    "workers": check_label,
    "seconds": check_time,
    **dict.fromkeys(("updated", "host", "system", "processor", "commit"), check_label),
    "versions": _check_versions,
}
_HELD_OUT_FIELDS: dict[str, Check] = {
    "agent": check_label,
    "rules": check_description,
    **dict.fromkeys(("rules_version", "seed", "games", "deaths", "capped"), check_count),
    **dict.fromkeys(_METRICS, _check_statistics),
    **dict.fromkeys(("points_per_line", "normalised_variance", "tetris_rate"), allow_null(check_number)),
}
_RESULT_FIELDS: dict[str, Check] = {
    "origin": check_label,
    "parameters": make_table_check(check_number, 0),
    "uncorrected": make_fields_check(dict.fromkeys(_METRICS, _check_uncorrected_mean)),
    "held_out": make_fields_check(_HELD_OUT_FIELDS, {"modern": make_table_check(_check_rate)}),
    "finalists": make_table_check(check_number, 1),
    "crowd": make_table_check(check_number),
    "note": check_description,
}
_CROWD_EXPERTS = {
    "experts",
    "average expert",
    "best expert",
}  # in a crowd that is not empty, with the crowds themselves


def parse_meta(content: bytes) -> dict[str, Any]:
    """Return the valid fields of a `meta.json`; the others are left out, because none of them is essential."""
    try:
        meta = parse_json(content, check_numbers=False)
    except DataFileError:
        return {}
    if not isinstance(meta, dict):
        return {}
    valid: dict[str, Any] = {}
    for name, value in update_metadata_names(meta).items():
        try:
            check_values(value)
            valid[name] = _META_FIELDS[name](value, name)
        except (KeyError, ValueError):
            continue
    return valid


def parse_result(content: bytes) -> dict[str, Any]:
    """Return the content of a `result.json`; raise ValueError if it is invalid."""
    table = _check_table(parse_json(content), _WHOLE_FILE)
    result: dict[str, Any] = make_fields_check(_RESULT_FIELDS)(update_result_names(table), _WHOLE_FILE)
    for metric in _METRICS:
        check_estimate(result["held_out"], metric)
    crowd = result["crowd"]
    if crowd and not crowd.keys() > _CROWD_EXPERTS:
        raise ValueError(f"crowd must have {', '.join(sorted(_CROWD_EXPERTS))} and a crowd, or be empty")
    return result


def check_estimate(held_out: Mapping[str, Any], metric: str) -> None:
    """Raise ValueError if the mean of capped games and its interval do not fit together."""
    interval = held_out[metric]["ci95"]
    is_open = interval is not None and interval[1] is None
    if (interval is None and held_out["capped"]) or is_open != (held_out[metric]["mean"] is None):
        raise ValueError(f"held_out.{metric} must have an interval, without an upper end only if the mean is null")
