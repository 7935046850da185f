"""What a run has measured, in figures and words that plots and reports share."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.intervals import RULE_OF_THREE, Interval, of_mean
from tetrion.evaluation.words import clock, figure, with_interval
from tetrion.training.fitness import COUNTED, FITNESS
from tetrion.training.optimisers.protocol import Numbers
from tetrion.training.recipe import Q_LEARNING
from tetrion.training.run import BEGUN, FINISHED, RUNNING, STOPPED, Run

MEASURED = {"lines": "lines", "score": "points", "pieces": "pieces"}  # of a game, and the words for it
STATUS = {BEGUN: "not begun", RUNNING: "still training", STOPPED: "stopped", FINISHED: "finished"}


def in_words(name: str) -> str:
    """A feature's or number's name as a person reads it."""
    return name.replace("_", " ")


def known(number: float, digits: int | None = None) -> str:
    """A number, or a dash for what is not known."""
    return figure(number, digits) if np.isfinite(number) else "–"


def outcome(run: Run) -> dict[str, Any] | None:
    """What a run came to; None while it trains, also if it was taken up again after an end."""
    return run.result if run.meta.get("status", FINISHED) == FINISHED else None


def status_of(run: Run) -> str:
    """How far a run is, in words."""
    return STATUS.get(run.meta.get("status", ""), "–")


def time_taken(run: Run) -> str:
    """How long training took, as far as its notes are still there."""
    return clock(run.meta["seconds"]) if "seconds" in run.meta else "–"


def step_of(run: Run) -> str:
    """What a run's steps are called."""
    return "episode" if run.recipe.learner == Q_LEARNING else "generation"


def planned(run: Run) -> int:
    """How many steps a run has at most."""
    return int(run.recipe.settings.episodes if run.recipe.learner == Q_LEARNING else run.recipe.stop.generations)


def fitness_words(run: Run) -> str:
    """What a run's fitness counts."""
    return FITNESS[run.recipe.games.fitness] + (" in all games together" if run.recipe.games.summed else "")


def judged_words(run: Run) -> str:
    """What favourites are judged by: fitness, a game."""
    words = FITNESS[run.recipe.games.fitness]
    return words if run.recipe.games.fitness == "lines-a-piece" else f"{words} a game"


def best_step(run: Run) -> int:
    """The step, from 0, whose favourite was judged best so far; the last one if none was."""
    judged = run.metrics["judged"]
    return int(np.nanargmax(judged)) if np.isfinite(judged).any() else run.generations - 1


def best_numbers(run: Run) -> dict[str, float]:
    """The best agent's numbers: the result's, or until there is one those of the best judged favourite."""
    if result := outcome(run):
        return dict(result["numbers"])
    return dict(zip(run.names, run.favourites[best_step(run)].tolist(), strict=True))


def interval_of(summary: Mapping[str, Any]) -> Interval | None:
    """The interval of a mean; an end that a file leaves open is infinite."""
    if summary["ci95"] is None:
        return None
    low, high = summary["ci95"]
    return low, float("inf") if high is None else high


def measured(summary: Mapping[str, Any]) -> str:
    """A mean with its interval."""
    return with_interval(summary["mean"], interval_of(summary))


def headline(run: Run) -> str:
    """Which number of a game the run is about."""
    return COUNTED.get(run.recipe.games.fitness, "lines")


def as_played(held_out: Mapping[str, Any], name: str) -> float:
    """The plain mean of a number a game, games that were cut short as they were; the mean in a file is an estimate."""
    summary, deaths = held_out[name], held_out["deaths"]
    total = summary["mean"] * deaths if deaths else summary["ci95"][0] * RULE_OF_THREE
    return float(total / held_out["games"])


def final_fitness(run: Run, held_out: Mapping[str, Any]) -> float:
    """How the result fared in the held-out games, counted as favourites are judged."""
    if run.recipe.games.fitness == "lines-a-piece":
        return as_played(held_out, "lines") / max(as_played(held_out, "pieces"), 1e-9)
    return as_played(held_out, headline(run))


def final_interval(run: Run, held_out: Mapping[str, Any]) -> Interval | None:
    """The interval of that, where it is known: for whole games of what is counted a game."""
    if held_out["capped"] or run.recipe.games.fitness == "lines-a-piece":
        return None
    return interval_of(held_out[headline(run)])


def over_seeds(means: Sequence[float | None]) -> str:
    """The mean over seeds with its interval; unknown where a seed's mean is."""
    numbers = [mean for mean in means if mean is not None]
    if len(numbers) < len(means) or not numbers:
        return "–"
    return with_interval(float(np.mean(numbers)), of_mean(np.array(numbers)))


def running_mean(numbers: Numbers, width: int) -> Numbers:
    """The mean of so many numbers up to each; of fewer at the beginning."""
    sums = np.concatenate([[0.0], np.cumsum(numbers)])
    ends = np.arange(1, len(numbers) + 1)
    starts = np.maximum(ends - width, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))
