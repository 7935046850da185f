"""Words that earlier versions wrote into recipes and run folders, and what replaced them. The old words are still read."""

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


def update_recipe_names(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe's content with every former word replaced."""
    updated: dict[str, Any] = {}
    for key, value in content.items():
        section = FORMER_SECTIONS.get(key, key)
        updated[section] = _update_section(section, value) if isinstance(value, Mapping) else value
    return updated


def update_setting_name(path: str, sections: Mapping[str, Sequence[str]]) -> str:
    """Return the present name of a setting such as `judge.final`, or of `final` if one of the sections had it alone."""
    section, dot, key = path.rpartition(".")
    if dot:
        section = FORMER_SECTIONS.get(section, section)
        return f"{section}.{FORMER_SETTINGS.get(f'{section}.{key}', key)}"
    if any(key in keys for keys in sections.values()):
        return path
    former = [
        f"{table}.{FORMER_SETTINGS[f'{table}.{key}']}" for table in sections if f"{table}.{key}" in FORMER_SETTINGS
    ]
    return former[0] if len(former) == 1 else path


def _update_section(section: str, table: Mapping[str, Any]) -> dict[str, Any]:
    updated = {}
    for key, value in table.items():
        name = FORMER_SETTINGS.get(f"{section}.{key}", key)
        updated[name] = FORMER_VALUES.get((section, name, value), value) if isinstance(value, str) else value
    return updated
