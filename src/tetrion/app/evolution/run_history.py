"""The history of a run, read from its files, which may be written at the same time."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tetrion.errors import RunError
from tetrion.lab.run_summary import compute_running_mean
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.run import Run

MOVING_MEAN_EPISODES = 50


@dataclass(frozen=True)
class RunHistory:
    """Curves by name and mean weights of the population, one row per generation or episode."""

    curves: dict[str, NumpyArray]
    weight_names: tuple[str, ...]
    mean_weights: NumpyArray
    max_pieces: NumpyArray  # the cap on the pieces of a game

    def __len__(self) -> int:
        return len(self.mean_weights)


EMPTY_RUN_HISTORY = RunHistory({}, (), np.zeros((0, 0)), np.zeros(0, np.int64))


def load_run_history(folder: Path, previous: RunHistory = EMPTY_RUN_HISTORY) -> RunHistory:
    """Load the history of a run; generations in `previous` are not read again."""
    run = Run(folder)
    metrics = run.metrics
    curves = {title: metrics[name] for title, name in run.recipe.learner_type.curves.items()}
    if not run.has_population:
        values = next(iter(curves.values()))
        curves = {
            run.step_name.capitalize(): values,
            f"Mean of {MOVING_MEAN_EPISODES}": compute_running_mean(values, MOVING_MEAN_EPISODES),
        }
        max_pieces = np.full(len(values), getattr(run.recipe.settings, "max_pieces", 0))
        return RunHistory(curves, run.parameter_names, run.incumbents, max_pieces)
    is_same_run = previous.weight_names == run.parameter_names and len(previous) <= run.generation_count
    old_means = previous.mean_weights if is_same_run else np.zeros((0, 0))
    new_means = [compute_mean_weights(run, number) for number in range(len(old_means), run.generation_count)]
    weights = np.array([*old_means, *new_means]).reshape(run.generation_count, len(run.parameter_names))
    return RunHistory(curves, run.parameter_names, weights, metrics["max_pieces"].astype(np.int64))


def compute_mean_weights(run: Run, number: int) -> NumpyArray:
    """Return the mean weights of a generation, NaN if its file cannot be read."""
    try:
        return np.asarray(run.load_population(number).candidates.mean(axis=0))
    except RunError:
        return np.full(len(run.parameter_names), np.nan)
