"""What a run has measured, in figures and words that plots and reports share."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.intervals import Interval, of_mean
from tetrion.evaluation.words import clock, figure, with_interval
from tetrion.training.fitness import COUNTED, FITNESS
from tetrion.training.optimisers.protocol import Numbers
from tetrion.training.recipe import Q_LEARNING
from tetrion.training.run import BEGUN, FINISHED, RUNNING, STOPPED, Run

MEASURED = {"lines": "lines", "score": "points", "pieces": "pieces"}  # of a game, and the words for it
STATUS = {BEGUN: "not begun", RUNNING: "training, or interrupted", STOPPED: "stopped", FINISHED: "finished"}


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
    seconds = run.meta.get("seconds")
    return clock(seconds) if isinstance(seconds, int | float) else "–"


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


def measured(result: Mapping[str, Any], name: str) -> str:
    """The mean of a number a game in the held-out games as they were played, with its interval."""
    played = result["as_played"][name]
    return with_interval(played["mean"], played["ci95"])


def games_words(run: Run, result: Mapping[str, Any]) -> str:
    """Which games the figures are of, and what they would be without a limit."""
    held_out, judge = result["held_out"], run.recipe.judge
    cap = f" of at most {judge.pieces:,} pieces" if judge.pieces else ""
    games = f"{held_out['games']:,} games{cap} under the rules {held_out['rules']}"
    told = f"{games}, which neither trained nor chose anybody."
    if not held_out["capped"]:
        return f"{told} Every game went on until it was lost."
    reached = f"{held_out['capped']:,} of them reached the limit and count as they were then."
    return f"{told} {reached} {endless(held_out)}"


def endless(held_out: Mapping[str, Any]) -> str:
    """How many lines there would be without a limit, by an estimate."""
    lines = held_out["lines"]
    low, high = lines["ci95"]
    estimate = with_interval(lines["mean"], (low, float("inf") if high is None else high))
    return f"Without one, an estimate is {estimate} lines a game."


def crowd_words(crowd: Mapping[str, float]) -> str:
    """How a crowd fares beside its experts."""
    parts = ", ".join(f"{name} {figure(value)}" for name, value in crowd.items() if name != "experts")
    return f"The crowd of {crowd['experts']:,.0f} experts, fitness in the held-out games: {parts}."


def headline(run: Run) -> str:
    """Which number of a game the run is about."""
    return COUNTED.get(run.recipe.games.fitness, "lines")


def as_played(result: Mapping[str, Any], name: str) -> float:
    """The mean of a number a game in the held-out games as they were played."""
    return float(result["as_played"][name]["mean"])


def final_fitness(run: Run, result: Mapping[str, Any]) -> float:
    """How the best fared in the held-out games, counted as favourites are judged."""
    if run.recipe.games.fitness == "lines-a-piece":
        return as_played(result, "lines") / max(as_played(result, "pieces"), 1e-9)
    return as_played(result, headline(run))


def final_interval(run: Run, result: Mapping[str, Any]) -> Interval | None:
    """The interval of that, where it is known: for what is counted a game."""
    if run.recipe.games.fitness == "lines-a-piece" or result["as_played"][headline(run)]["ci95"] is None:
        return None
    low, high = result["as_played"][headline(run)]["ci95"]
    return low, high


def over_seeds(means: Sequence[float]) -> str:
    """The mean over seeds with its interval; a dash without any."""
    return with_interval(float(np.mean(means)), of_mean(np.array(means))) if means else "–"


def running_mean(numbers: Numbers, width: int) -> Numbers:
    """The mean of so many numbers up to each; of fewer at the beginning."""
    sums = np.concatenate([[0.0], np.cumsum(numbers)])
    ends = np.arange(1, len(numbers) + 1)
    starts = np.maximum(ends - width, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))
