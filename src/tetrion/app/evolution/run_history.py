"""How a run went so far, read from its files while somebody may be writing them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tetrion.errors import RunError
from tetrion.lab.run_summary import compute_running_mean
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.run import Run

MOVING_MEAN_EPISODES = 50  # episodes, over which their mean is taken


@dataclass(frozen=True)
class RunHistory:
    """A run's steps so far: curves by name, and the mean weights of everybody, a row a step."""

    curves: dict[str, NumpyArray]
    weight_names: tuple[str, ...]
    mean_weights: NumpyArray
    max_pieces: NumpyArray  # of a game

    def __len__(self) -> int:
        return len(self.mean_weights)


EMPTY_RUN_HISTORY = RunHistory({}, (), np.zeros((0, 0)), np.zeros(0, np.int64))


def load_run_history(folder: Path, previous: RunHistory = EMPTY_RUN_HISTORY) -> RunHistory:
    """What the files of a run tell; `known` is what was read before, and need not be read again."""
    run = Run(folder)
    metrics = run.metrics
    if "mean" not in metrics:  # Q-learning
        lines = metrics["lines"]
        curves = {
            "Episode": lines,
            f"Mean of {MOVING_MEAN_EPISODES}": compute_running_mean(lines, MOVING_MEAN_EPISODES),
        }
        return RunHistory(curves, run.parameter_names, run.incumbents, np.full(len(lines), run.recipe.settings.pieces))
    begun = (
        previous.mean_weights
        if previous.weight_names == run.parameter_names and len(previous) <= run.generation_count
        else np.zeros((0, 0))
    )
    means = [compute_mean_weights(run, number) for number in range(len(begun), run.generation_count)]
    weights = np.array([*begun, *means]).reshape(run.generation_count, len(run.parameter_names))
    curves = {"Best": metrics["max"], "Mean": metrics["mean"]}
    return RunHistory(curves, run.parameter_names, weights, metrics["max_pieces"].astype(np.int64))


def compute_mean_weights(run: Run, number: int) -> NumpyArray:
    """The mean of a generation's weights; not a number where its file is lost."""
    try:
        return np.asarray(run.load_population(number).candidates.mean(axis=0))
    except RunError:
        return np.full(len(run.parameter_names), np.nan)
