"""The named sets of rules, read from `presets.toml`."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple


class Preset(NamedTuple):
    """A named set of rules: its source, its differences from `standard`, and our decisions.

    Decisions are made where a source gives no rule or contradicts itself.
    """

    source: str
    rules: dict[str, Any]
    decisions: tuple[str, ...]


def _load_presets() -> dict[str, Preset]:
    tables = tomllib.loads(Path(__file__).with_name("presets.toml").read_text(encoding="utf-8"))
    presets = {}
    for name, table in tables.items():
        base = tables[table["based_on"]]["rules"] if "based_on" in table else {}
        presets[name] = Preset(table["source"], base | table.get("rules", {}), tuple(table.get("decisions", ())))
    return presets


PRESETS = _load_presets()
