"""Names that earlier versions wrote into recipes and run folders, with their replacements. They can still be read."""

from collections.abc import Mapping, Sequence
from typing import Any

FORMER_SECTIONS = {"judge": "validation"}

FORMER_SETTINGS = {
    "games.summed": "sum_games",
    "games.races": "halving_rounds",
    "games.deal": "piece_seed",
    "games.pieces": "max_pieces",
    "games.rise": "raise_share",
    "games.lines": "max_lines",
    "stop.pieces": "total_pieces",
    "validation.pieces": "max_pieces",
    "validation.final": "final_games",
    "crowd.share": "agreement",
    "genetic.start": "initial_weights",
    "genetic.spread": "initial_range",
    "genetic.tournament": "tournament_size",
    "cross-entropy.spread": "initial_deviation",
    "cross-entropy.noise_steps": "noise_generations",
    "harmony.memory": "memory_size",
    "harmony.consider": "memory_rate",
    "harmony.adjust": "adjust_rate",
    "harmony.spread": "initial_range",
    "q-learning.pieces": "max_pieces",
    "q-learning.budget": "total_pieces",
    "q-learning.trace": "trace_decay",
    "q-learning.constant": "bias",
    "q-learning.alive": "initial_bias",
    "q-learning.limit": "divergence_factor",
}

FORMER_VALUES = {("games", "fitness", "lines-a-piece"): "lines-per-piece"}

FORMER_COLUMNS = {"judged": "validation", "most_pieces": "max_pieces", "error": "mean_abs_error"}  # of metrics.csv
FORMER_COLUMN_PREFIXES = {"favourite ": "incumbent "}
FORMER_RESULT_KEYS = {"numbers": "parameters", "as_played": "uncorrected"}
FORMER_STATUSES = {"begun": "created"}  # of meta.json


def update_recipe_names(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a recipe with every former name replaced."""
    updated: dict[str, Any] = {}
    for key, value in content.items():
        section = FORMER_SECTIONS.get(key, key)
        updated[section] = _update_section(section, value) if isinstance(value, Mapping) else value
    return updated


def update_setting_name(path: str, sections: Mapping[str, Sequence[str]]) -> str:
    """Return the current name of a setting such as `judge.final`, or of `final` if only one of the sections had it."""
    section, dot, key = path.rpartition(".")
    if dot:
        section = FORMER_SECTIONS.get(section, section)
        return f"{section}.{FORMER_SETTINGS.get(f'{section}.{key}', key)}"
    if any(key in keys for keys in sections.values()):
        return path
    matches = [
        f"{table}.{FORMER_SETTINGS[f'{table}.{key}']}" for table in sections if f"{table}.{key}" in FORMER_SETTINGS
    ]
    return matches[0] if len(matches) == 1 else path


def _update_section(section: str, table: Mapping[str, Any]) -> dict[str, Any]:
    updated = {}
    for key, value in table.items():
        name = FORMER_SETTINGS.get(f"{section}.{key}", key)
        updated[name] = FORMER_VALUES.get((section, name, value), value) if isinstance(value, str) else value
    return updated


def update_column_name(name: str) -> str:
    """Return the current name of a column of `metrics.csv`."""
    for former, prefix in FORMER_COLUMN_PREFIXES.items():
        if name.startswith(former):
            return prefix + name.removeprefix(former)
    return FORMER_COLUMNS.get(name, name)


def update_result_names(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a `result.json` with every former key replaced."""
    return {FORMER_RESULT_KEYS.get(key, key): value for key, value in result.items()}


def update_metadata_names(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a `meta.json` with a former status replaced."""
    updated = dict(metadata)
    if isinstance(status := metadata.get("status"), str):
        updated["status"] = FORMER_STATUSES.get(status, status)
    return updated


def is_run_summary(content: object) -> bool:
    """Return whether a part of a measurement in a reproduction folder is the summary of a run."""
    return isinstance(content, Mapping) and isinstance(content.get("metrics"), Mapping) and "result" in content


def update_run_summary_names(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of a run in a reproduction folder with every former name of metrics and result replaced."""
    metrics = {update_column_name(name): column for name, column in summary["metrics"].items()}
    result = summary["result"]
    return {**summary, "metrics": metrics, "result": update_result_names(result) if result else result}
