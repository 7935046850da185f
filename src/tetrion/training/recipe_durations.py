"""How long the recipes take, as measured by `benchmarks/recipe_durations.py`."""

import json
import os
from functools import cache
from pathlib import Path

from tetrion.training.recipe import Recipe

DURATIONS_FILE = Path(__file__).with_suffix(".json")


@cache
def load_durations() -> dict[str, float]:
    """Return the seconds that training takes on one core, by recipe name."""
    durations: dict[str, float] = json.loads(DURATIONS_FILE.read_text(encoding="utf-8"))
    return durations


def estimate_seconds(recipe: str, workers: int | None = None) -> float | None:
    """Return about how long training takes on this machine; None for a recipe that is not one of ours."""
    seconds = load_durations().get(recipe)
    if seconds is None:
        return None
    cores = 1 if Recipe.load(recipe).learner_type.runs_in_python else workers or os.cpu_count() or 1
    return seconds / cores
