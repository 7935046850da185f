"""What a run has measured, in figures and words that plots and reports share."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import Interval, compute_mean_interval
from tetrion.evaluation.number_format import format_duration, format_mean_interval, format_number
from tetrion.training.fitness import FITNESS_DESCRIPTIONS, FITNESS_FIELDS
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe import Q_LEARNING_NAME
from tetrion.training.run import STATUS_CREATED, STATUS_FINISHED, STATUS_RUNNING, STATUS_STOPPED, Run

RESULT_UNITS = {"lines": "lines", "score": "points", "pieces": "pieces"}  # of a game, and the words for it
STATUS_LABELS = {
    STATUS_CREATED: "not begun",
    STATUS_RUNNING: "training, or interrupted",
    STATUS_STOPPED: "stopped",
    STATUS_FINISHED: "finished",
}


def format_number_or_dash(number: float, digits: int | None = None) -> str:
    """A number, or a dash for what is not known."""
    return format_number(number, digits) if np.isfinite(number) else "–"


def get_final_result(run: Run) -> dict[str, Any] | None:
    """What a run came to; None while it trains, also if it was taken up again after an end."""
    return run.result if run.meta.get("status", STATUS_FINISHED) == STATUS_FINISHED else None


def describe_status(run: Run) -> str:
    """How far a run is, in words."""
    return STATUS_LABELS.get(run.meta.get("status", ""), "–")


def format_training_time(run: Run) -> str:
    """How long training took, as far as its notes are still there."""
    seconds = run.meta.get("seconds")
    return format_duration(seconds) if isinstance(seconds, int | float) else "–"


def get_step_name(run: Run) -> str:
    """What a run's steps are called."""
    return "episode" if run.recipe.learner == Q_LEARNING_NAME else "generation"


def get_planned_steps(run: Run) -> int:
    """How many steps a run has at most."""
    return int(run.recipe.settings.episodes if run.recipe.learner == Q_LEARNING_NAME else run.recipe.stop.generations)


def describe_fitness(run: Run) -> str:
    """What a run's fitness counts."""
    return FITNESS_DESCRIPTIONS[run.recipe.games.fitness] + (
        " in all games together" if run.recipe.games.sum_games else ""
    )


def describe_validation_score(run: Run) -> str:
    """What favourites are judged by: fitness, a game."""
    words = FITNESS_DESCRIPTIONS[run.recipe.games.fitness]
    return words if run.recipe.games.fitness == "lines-per-piece" else f"{words} a game"


def find_best_step(run: Run) -> int:
    """The step, from 0, whose favourite was judged best so far; the last one if none was."""
    judged = run.metrics["validation"]
    return int(np.nanargmax(judged)) if np.isfinite(judged).any() else run.generation_count - 1


def get_best_parameters(run: Run) -> dict[str, float]:
    """The best agent's numbers: the result's, or until there is one those of the best judged favourite."""
    if result := get_final_result(run):
        return dict(result["parameters"])
    return dict(zip(run.parameter_names, run.incumbents[find_best_step(run)].tolist(), strict=True))


def format_held_out_mean(result: Mapping[str, Any], metric: str) -> str:
    """The mean of a number a game in the held-out games as they were played, with its interval."""
    played = result["uncorrected"][metric]
    return format_mean_interval(played["mean"], played["ci95"])


def describe_held_out_games(run: Run, result: Mapping[str, Any]) -> str:
    """Which games the figures are of, and what they would be without a limit."""
    held_out, judge = result["held_out"], run.recipe.validation
    cap = f" of at most {judge.max_pieces:,} pieces" if judge.max_pieces else ""
    games = f"{held_out['games']:,} games{cap} under the rules {held_out['rules']}"
    told = f"{games}, which neither trained nor chose anybody."
    if not held_out["capped"]:
        return f"{told} Every game went on until it was lost."
    reached = f"{held_out['capped']:,} of them reached the limit and count as they were then."
    return f"{told} {reached} {describe_uncapped_estimate(held_out)}"


def describe_uncapped_estimate(held_out: Mapping[str, Any]) -> str:
    """How many lines there would be without a limit, by an estimate."""
    lines = held_out["lines"]
    low, high = lines["ci95"]
    estimate = format_mean_interval(lines["mean"], (low, float("inf") if high is None else high))
    return f"Without one, an estimate is {estimate} lines a game."


def describe_crowd(crowd: Mapping[str, float]) -> str:
    """How a crowd fares beside its experts."""
    parts = ", ".join(f"{name} {format_number(value)}" for name, value in crowd.items() if name != "experts")
    return f"The crowd of {crowd['experts']:,.0f} experts, fitness in the held-out games: {parts}."


def get_headline_metric(run: Run) -> str:
    """Which number of a game the run is about."""
    return FITNESS_FIELDS.get(run.recipe.games.fitness, "lines")


def get_held_out_mean(result: Mapping[str, Any], metric: str) -> float:
    """The mean of a number a game in the held-out games as they were played."""
    return float(result["uncorrected"][metric]["mean"])


def compute_held_out_fitness(run: Run, result: Mapping[str, Any]) -> float:
    """How the best fared in the held-out games, counted as favourites are judged."""
    if run.recipe.games.fitness == "lines-per-piece":
        return get_held_out_mean(result, "lines") / max(get_held_out_mean(result, "pieces"), 1e-9)
    return get_held_out_mean(result, get_headline_metric(run))


def compute_held_out_interval(run: Run, result: Mapping[str, Any]) -> Interval | None:
    """The interval of that, where it is known: for what is counted a game."""
    if run.recipe.games.fitness == "lines-per-piece" or result["uncorrected"][get_headline_metric(run)]["ci95"] is None:
        return None
    low, high = result["uncorrected"][get_headline_metric(run)]["ci95"]
    return low, high


def format_mean_over_seeds(means: Sequence[float]) -> str:
    """The mean over seeds with its interval; a dash without any."""
    return format_mean_interval(float(np.mean(means)), compute_mean_interval(np.array(means))) if means else "–"


def compute_running_mean(values: NumpyArray, window: int) -> NumpyArray:
    """The mean of so many numbers up to each; of fewer at the beginning."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - window, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))
