"""How a run went so far, read from its files while somebody may be writing them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tetrion.errors import RunError
from tetrion.lab.run_words import running_mean
from tetrion.training.optimisers.protocol import Numbers
from tetrion.training.run import Run

LATELY = 50  # episodes, over which their mean is taken


@dataclass(frozen=True)
class History:
    """A run's steps so far: curves by name, and the mean weights of everybody, a row a step."""

    curves: dict[str, Numbers]
    names: tuple[str, ...]
    weights: Numbers
    most_pieces: Numbers  # of a game

    def __len__(self) -> int:
        return len(self.weights)


NOTHING = History({}, (), np.zeros((0, 0)), np.zeros(0, np.int64))


def read_history(folder: Path, known: History = NOTHING) -> History:
    """What the files of a run tell; `known` is what was read before, and need not be read again."""
    run = Run(folder)
    metrics = run.metrics
    if "mean" not in metrics:  # Q-learning
        lines = metrics["lines"]
        curves = {"Episode": lines, f"Mean of {LATELY}": running_mean(lines, LATELY)}
        return History(curves, run.names, run.favourites, np.full(len(lines), run.recipe.settings.pieces))
    begun = known.weights if known.names == run.names and len(known) <= run.generations else np.zeros((0, 0))
    means = [mean_weights(run, number) for number in range(len(begun), run.generations)]
    weights = np.array([*begun, *means]).reshape(run.generations, len(run.names))
    curves = {"Best": metrics["max"], "Mean": metrics["mean"]}
    return History(curves, run.names, weights, metrics["most_pieces"].astype(np.int64))


def mean_weights(run: Run, number: int) -> Numbers:
    """The mean of a generation's weights; not a number where its file is lost."""
    try:
        return np.asarray(run.population(number).candidates.mean(axis=0))
    except RunError:
        return np.full(len(run.names), np.nan)
