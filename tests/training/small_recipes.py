"""Recipes that train in a few seconds, stopped runs, and the files of a run for comparison."""

import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tetrion.training.recipe import Recipe, apply_changes
from tetrion.training.run import META_FILE
from tetrion.training.trainer import train
from tetrion.training.training_progress import TrainingProgress

AGENT = {"features": ["holes", "bumpiness", "lines", "aggregate_height"]}
LEARNERS: dict[str, dict[str, Any]] = {
    "genetic": {"population": 6, "initial_range": 1, "tournament_size": 2, "mutation_step": 0.5},
    "cross-entropy": {"population": 8, "elite_share": 0.5, "initial_deviation": 1},
    "cma": {"population": 6},
    "harmony": {"memory_size": 4, "improvisations": 3, "initial_range": 1},
}
TD = {"iterations": 5, "updates": 3, "games": 5, "pieces": 10, "patterns": ["column_tops", "hole_rows_and_free_rows"]}


_TEMPORARY_FOLDER = tempfile.TemporaryDirectory(prefix="tetrion-stopped-runs-")  # removed at exit
_STOPPED_RUNS = Path(_TEMPORARY_FOLDER.name)


def get_length_setting(learner: str) -> str:
    return {"q-learning": "q-learning.episodes", "td": "td.iterations"}.get(learner, "stop.generations")


def make_small_recipe(learner: str = "genetic", *changes: str, seed: int = 1) -> Recipe:
    """Return a recipe of a few generations of short games, with changes such as `population=8`."""
    content: dict[str, Any] = {"format": 1, "name": "small", "learner": learner, "rules": "standard", "seed": seed}
    if learner == "td":
        content |= {"td": TD, "rules": "standard:height=8"}
    elif learner == "q-learning":
        content |= {"q-learning": {"episodes": 5, "max_pieces": 40}, "rules": "tetrais"}
    else:
        content |= {learner: LEARNERS[learner], "agent": AGENT, "stop": {"generations": 5}}
        content |= {"games": {"count": 2, "max_pieces": [40, 80], "raise_share": 0.3, "halving_rounds": 1}}
    validation = {"games": 2, "max_pieces": 60, "final_games": 4}
    content |= {"validation": validation if learner == "td" else validation | {"finalists": 2}}
    return Recipe.from_mapping(apply_changes(content, changes), "small")


def interrupt_after_three(progress: TrainingProgress) -> None:
    """Interrupt training after three generations, as Ctrl-C does."""
    if progress.done == 3:
        raise KeyboardInterrupt


@cache
def train_until_stopped(learner: str, *changes: str) -> Path:
    """Return the folder of a run that was stopped after three steps; it must not be changed."""
    folder = _STOPPED_RUNS / "-".join([str(len(list(_STOPPED_RUNS.iterdir()))), learner])
    with suppress(KeyboardInterrupt):
        train(make_small_recipe(learner, *changes), folder, workers=1, on_progress=interrupt_after_three)
    return folder


def make_stopped_run(folder: Path, learner: str = "genetic", *changes: str) -> Path:
    """Return a copy of a run that was stopped after three steps."""
    return Path(shutil.copytree(train_until_stopped(learner, *changes), folder))


def read_run_files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a run except `meta.json`, which depends on the time and the machine."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != META_FILE]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(paths)}
