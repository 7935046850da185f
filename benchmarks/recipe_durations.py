"""How long the recipes take, for `tetrion list recipes`: python -m benchmarks.recipe_durations.

The unit is seconds of one core. They follow from the results of `benchmarks.training`; a recipe that is not among these
is trained for a minute of one core, and its duration extrapolated from the share that is done.
"""

import json
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.training import RESULTS_FILE
from tetrion.training.recipe import list_recipes
from tetrion.training.recipe_durations import DURATIONS_FILE
from tetrion.training.trainer import TrainingProgress, train

TRIAL_SECONDS = 60


def main() -> None:
    """Write the durations of all recipes to the file that is part of the package."""
    measured = read_measured_durations()
    durations = {name: measured.get(name) or estimate_duration(name) for name in list_recipes()}
    rounded = {name: float(f"{seconds:.2g}") for name, seconds in durations.items()}
    DURATIONS_FILE.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")


def read_measured_durations() -> dict[str, float]:
    """Return the seconds of one core for each recipe that was trained in full, by its first trial."""
    durations: dict[str, float] = {}
    for trial in json.loads(RESULTS_FILE.read_text(encoding="utf-8")).values():
        seconds = trial["threads"] * median(seed["seconds"] for seed in trial["seeds"])
        durations.setdefault(trial["recipe"], seconds)
    return durations


def estimate_duration(name: str) -> float:
    """Train with a recipe for some time, and return the seconds of one core that the whole run would take."""
    start: list[float] = []
    shares: list[tuple[float, float]] = []

    def observe(progress: TrainingProgress) -> None:
        start.append(time.process_time())  # the first one after compilation
        share = progress.done / progress.planned
        if progress.pieces_left is not None and progress.pieces:
            share = progress.pieces / (progress.pieces + progress.pieces_left)
        shares.append((time.process_time() - start[0], share))
        if shares[-1][0] > TRIAL_SECONDS:
            raise KeyboardInterrupt

    with TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        train(name, Path(folder) / "run", workers=2, on_progress=observe)
    seconds, share = shares[-1]
    return seconds / max(share, 1e-6)


if __name__ == "__main__":
    main()
