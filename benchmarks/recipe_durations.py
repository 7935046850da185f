"""How long the recipes take, for `tetrion list recipes`: python -m benchmarks.recipe_durations.

The unit is seconds of one core. They follow from the results of `benchmarks.training`; a recipe that is not among these
is trained for some seconds of processor time, and the rest is what training itself estimates as the time left.
"""

import json
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.training import RESULTS_FILE, TRIALS
from tetrion.training.recipe import RECIPES, Recipe
from tetrion.training.recipe_durations import DURATIONS_FILE
from tetrion.training.trainer import train
from tetrion.training.training_progress import TrainingProgress

TRIAL_SECONDS = 30


def main() -> None:
    """Write the durations of all recipes to the file that is part of the package."""
    measured = read_measured_durations()
    durations = {name: measured.get(name) or estimate_duration(name) for name in RECIPES}
    rounded = {name: float(f"{seconds:.2g}") for name, seconds in durations.items()}
    DURATIONS_FILE.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")


def read_measured_durations() -> dict[str, float]:
    """Return the seconds of one core for each recipe that was trained in full with its own settings."""
    durations: dict[str, float] = {}
    for name, trial in json.loads(RESULTS_FILE.read_text(encoding="utf-8")).items():
        recipe = RECIPES[trial["recipe"]]
        if Recipe.load(recipe.name, TRIALS[name].changes) != recipe:
            continue
        threads = 1 if recipe.learner_type.runs_in_python else trial["threads"]
        durations.setdefault(recipe.name, threads * median(seed["seconds"] for seed in trial["seeds"]))
    return durations


def estimate_duration(name: str) -> float:
    """Train with a recipe for some time, and return the seconds of one core that the whole run would take."""
    start: list[float] = []
    durations = [0.0]

    def observe(progress: TrainingProgress) -> None:
        start.append(time.process_time())  # the first one after compilation
        processor_seconds = time.process_time() - start[0]
        if progress.seconds_left is not None and progress.seconds:
            durations.append(processor_seconds * (1 + progress.seconds_left / progress.seconds))
        elif progress.pieces:  # in the first generation: as if all games reached the piece limit
            recipe = progress.learner.recipe
            game_count = recipe.planned_steps * recipe.settings.population * recipe.games.count
            durations.append(processor_seconds * game_count * progress.learner.game_limit / progress.pieces)
        if processor_seconds > TRIAL_SECONDS and np.isfinite(durations[-1]):
            raise KeyboardInterrupt

    with TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        train(name, Path(folder) / "run", workers=2, on_progress=observe)
    return durations[-1]


if __name__ == "__main__":
    main()
