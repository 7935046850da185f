"""Numbers and texts about a training run, shared by plots and reports."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tetrion.evaluation.confidence_intervals import Interval, compute_mean_interval
from tetrion.evaluation.game_statistics import RatioEstimate, format_attack_rates
from tetrion.evaluation.number_format import format_count, format_duration, format_mean_interval, format_number
from tetrion.training.fitness import FITNESS_DESCRIPTIONS, FITNESS_FIELDS, MIN_DEATHS, RATIOS, GamesSettings
from tetrion.training.folder_locks import is_folder_locked
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.run import STATUS_CREATED, STATUS_FINISHED, STATUS_RUNNING, STATUS_STOPPED, Run

RESULT_UNITS = {"lines": "lines", "score": "points", "pieces": "pieces"}  # metric of a game: its unit
STATUS_LABELS = {
    STATUS_CREATED: "not started",
    STATUS_RUNNING: "interrupted",  # unless it is being trained
    STATUS_STOPPED: "stopped",
    STATUS_FINISHED: "finished",
}


def format_number_or_dash(number: float, digits: int | None = None) -> str:
    """Format a number, or return a dash if it is not finite."""
    return format_number(number, digits) if np.isfinite(number) else "–"


def get_final_result(run: Run) -> dict[str, Any] | None:
    """Return the result of a finished run; None while it trains, also after it was resumed."""
    return run.result if run.meta.get("status", STATUS_FINISHED) == STATUS_FINISHED else None


def describe_status(run: Run) -> str:
    """Return the status of a run as text."""
    if run.meta.get("status") == STATUS_RUNNING and is_folder_locked(run.folder):
        return "training"
    return STATUS_LABELS.get(run.meta.get("status", ""), "–")


def format_training_time(run: Run) -> str:
    """Format the training time, or return a dash if it is unknown."""
    seconds = run.meta.get("seconds")
    return format_duration(seconds) if isinstance(seconds, int | float) else "–"


def get_games_settings(run: Run) -> GamesSettings:
    """Return the settings of the games of a run, among them the fitness."""
    return run.recipe.learner_type.get_games_settings(run.recipe)


def describe_fitness(run: Run) -> str:
    """Describe what the fitness of a run counts."""
    games = get_games_settings(run)
    return FITNESS_DESCRIPTIONS[games.fitness] + (", summed over all games" if games.sum_games else "")


def describe_validation_score(run: Run) -> str:
    """Describe the validation score: the fitness per game."""
    fitness = get_games_settings(run).fitness
    description = FITNESS_DESCRIPTIONS[fitness]
    return description if fitness in RATIOS else f"{description} per game"


def find_best_step(run: Run) -> int:
    """Return the step (from 0) whose incumbent has the best validation score so far, or the last step."""
    scores = run.metrics["validation"]
    return int(np.nanargmax(scores)) if np.isfinite(scores).any() else run.generation_count - 1


def get_best_parameters(run: Run) -> dict[str, float]:
    """Return the best agent's parameters: those of the result, or of the best incumbent so far."""
    if result := get_final_result(run):
        return dict(result["parameters"])
    return dict(zip(run.parameter_names, run.incumbents[find_best_step(run)].tolist(), strict=True))


def format_held_out_mean(result: Mapping[str, Any], metric: str) -> str:
    """Format the uncorrected mean per game of the held-out games with its interval."""
    uncorrected = result["uncorrected"][metric]
    return format_mean_interval(uncorrected["mean"], uncorrected["ci95"])


def describe_held_out_games(run: Run, result: Mapping[str, Any]) -> str:
    """Describe the held-out games, and estimate the result without a cap."""
    held_out, validation = result["held_out"], run.recipe.validation
    cap = f" of at most {validation.max_pieces:,} pieces" if validation.max_pieces else ""
    games = f"{held_out['games']:,} held-out games{cap} under the rules {held_out['rules']}"
    description = f"{games}, not used for training or selection."
    return f"{description} {describe_capped_games(held_out) or 'No game was capped.'}"


def describe_capped_games(held_out: Mapping[str, Any]) -> str:
    """Say how many of the held-out games were capped, and estimate the result without the cap; nothing without any."""
    if not held_out["capped"]:
        return ""
    verb = "was" if held_out["capped"] == 1 else "were"
    capped = f"{held_out['capped']:,} of them {verb} capped; the mean is not corrected for this."
    return f"{capped} Estimate without the cap: {format_uncapped_estimate(held_out, 'lines')} lines per game."


def describe_repeated_measurement(result: Mapping[str, Any], metric: str) -> str:
    """Say which mean `tetrion bench` prints for the held-out games; nothing if no game was capped."""
    held_out = result["held_out"]
    mean = format_held_out_mean(result, metric)
    if not held_out["capped"]:
        return ""
    name = "" if metric == "pieces" else ", which the command prints as “uncorrected mean”"
    return (
        f"As the mean, this command prints the estimate without the cap, {format_uncapped_estimate(held_out, metric)} "
        f"{RESULT_UNITS[metric]} per game; the mean above, {mean}{name}, is lower because "
        f"it counts capped games ({held_out['capped']:,} of {held_out['games']:,}) as if they had ended at the limit."
    )


def find_kept_step(run: Run, result: Mapping[str, Any]) -> int | None:
    """Return the step, counted from 1, whose agent is the result of a run; None for another origin, such as a crowd."""
    name, _, number = str(result["origin"]).partition(" ")
    if name != run.step_name or not number.isdecimal() or not 0 < int(number) <= run.generation_count:
        return None
    return int(number)


def describe_kept_agent(run: Run, result: Mapping[str, Any]) -> str:
    """Say which agent is the result of a run, without a full stop."""
    origin = result["origin"]
    return f"The agent of {origin} is kept" if origin.startswith(run.step_name) else f"The {origin} is kept"


def describe_selection(run: Run, result: Mapping[str, Any]) -> str:
    """Say which agent is the result of a run, and why it was selected."""
    kept = describe_kept_agent(run, result)
    validation = run.recipe.validation
    if len(result["finalists"]) > 1:
        return (
            f"{kept}: of {len(result['finalists'])} finalists, selected by validation games, it scored best in "
            f"{validation.final_games:,} further games."
        )
    reason = "it scored best in the validation games" if validation.every else "there were no validation games"
    return f"{kept}: {reason}."


class BestInTraining(NamedTuple):
    """The highest fitness of a candidate, or of an episode, in the games of training."""

    fitness: float
    step: int  # generation or episode, counted from 1
    max_pieces: int  # cap on the pieces of its games; 0: unlimited


def find_best_in_training(run: Run) -> BestInTraining:
    """Return the highest fitness of all generations or episodes."""
    values = run.metrics[next(iter(run.recipe.learner_type.curves.values()))]
    index = int(np.nanargmax(values))
    if "max_pieces" in run.metrics:
        cap = int(run.metrics["max_pieces"][index])
    else:
        cap = int(getattr(run.recipe.settings, "max_pieces", 0))
    return BestInTraining(float(values[index]), index + 1, cap)


def format_fitness(value: float, settings: GamesSettings) -> str:
    """Format a fitness value without its unit; large ones are shortened to millions."""
    return format_number(value, 2 if settings.fitness == "lines-per-piece" else 0, millions_threshold=10**6)


def format_best_in_training(run: Run, best: BestInTraining) -> str:
    """Format the best fitness in training with its unit."""
    games = get_games_settings(run)
    if games.fitness in RATIOS:
        digits = 2 if games.fitness == "lines-per-piece" else 0
        return f"{format_number(best.fitness, digits)} {FITNESS_DESCRIPTIONS[games.fitness]}"
    unit = "rows of attack" if games.fitness == "attack" else RESULT_UNITS[get_headline_metric(run)]
    summed = f" in {format_count(games.count, 'game')}" if games.sum_games else ""
    return f"{format_number(best.fitness, 0)} {unit}{summed}"


def exceeds_result(run: Run, result: Mapping[str, Any], best: BestInTraining) -> bool:
    """Return whether the best fitness in training is higher than the fitness in the held-out games."""
    games = get_games_settings(run)
    fitness_per_game = best.fitness / games.count if games.sum_games else best.fitness
    return fitness_per_game > compute_held_out_fitness(run, result)


def describe_games_of_candidates(games: GamesSettings) -> str:
    """Say how many games each candidate plays; the better ones play more with halving rounds."""
    count = format_count(games.count, "game")
    return f"{games.count:,} to {games.count * 2**games.halving_rounds:,} games" if games.halving_rounds else count


def describe_best_in_training(run: Run, result: Mapping[str, Any], *, with_value: bool = True) -> str:
    """Describe the best fitness in training, and why it differs from the result on held-out games."""
    games, best = get_games_settings(run), find_best_in_training(run)
    value = f", {format_best_in_training(run, best)} in {run.step_name} {best.step:,}," if with_value else ""
    measured = describe_games_of_candidates(games) if run.has_population else run.recipe.learner_type.step_games
    if exceeds_result(run, result, best):
        subject = "candidates" if run.has_population else f"{run.step_name}s"
        return (
            f"The best in training{value} is the highest of all {subject}, each measured on {measured}, "
            "so it is partly luck."
        )
    cap = f", capped at {best.max_pieces:,} pieces" if best.max_pieces else ""
    return f"The best in training{value} was measured on {measured}{cap}."


class ResultTexts(NamedTuple):
    """Short texts about the result of a finished run, for a panel."""

    title: str
    number: str
    unit: str
    interval: str  # empty if it is unknown
    best_label: str  # of the best in training
    best: str
    reason: str  # which agent is kept, and why the best in training differs from the result
    short_reason: str


def describe_result(run: Run) -> ResultTexts | None:
    """Return the texts about the result of a finished run, or None."""
    result = run.result
    if not run.is_finished or result is None:
        return None
    best = find_best_in_training(run)
    if run.recipe.games.fitness == "attack":
        unit, summary = "attack per piece", result["held_out"]["modern"]["attack per piece"]
    else:
        metric = get_headline_metric(run)
        unit, summary = f"{RESULT_UNITS[metric]} per game", result["uncorrected"][metric]
    interval = summary["ci95"]
    luck = " The best in training is partly luck." if exceeds_result(run, result, best) else ""
    return ResultTexts(
        title=f"Result on {result['held_out']['games']:,} held-out games",
        number=format_number(summary["mean"]),
        unit=unit,
        interval=f"95 % interval {' to '.join(format_number(end) for end in interval)}" if interval else "",
        best_label=f"Best in training, {run.step_name} {best.step:,}",
        best=format_best_in_training(run, best),
        reason=f"{describe_selection(run, result)} {describe_best_in_training(run, result, with_value=False)}",
        short_reason=f"{describe_kept_agent(run, result)}.{luck}",
    )


def format_uncapped_estimate(held_out: Mapping[str, Any], metric: str) -> str:
    """Format the estimated mean per game without a cap with its interval."""
    summary = held_out[metric]
    low, high = summary["ci95"]
    return format_mean_interval(summary["mean"], (low, float("inf") if high is None else high))


def list_attack_rates(result: Mapping[str, Any]) -> dict[str, str]:
    """Return attack, spins and combos in the held-out games with their intervals, by name; empty without them."""
    stored = result["held_out"].get("modern", {})
    rates = {name: RatioEstimate(rate["mean"], rate["ci95"]) for name, rate in stored.items()}
    return dict(format_attack_rates(rates))


def describe_crowd(crowd: Mapping[str, float]) -> str:
    """Compare a crowd with its experts in one sentence."""
    parts = ", ".join(f"{name} {format_number(value)}" for name, value in crowd.items() if name != "experts")
    return f"Crowd of {crowd['experts']:,.0f} experts, fitness in the held-out games: {parts}."


def get_headline_metric(run: Run) -> str:
    """Return the metric of the results that the run optimises: lines, score or pieces; lines if it is another."""
    metric = FITNESS_FIELDS.get(get_games_settings(run).fitness, "lines")
    return metric if metric in RESULT_UNITS else "lines"


def get_held_out_mean(result: Mapping[str, Any], metric: str) -> float:
    """Return the uncorrected mean per game of the held-out games."""
    return float(result["uncorrected"][metric]["mean"])


def compute_held_out_fitness(run: Run, result: Mapping[str, Any]) -> float:
    """Return the fitness of the best agent in the held-out games."""
    fitness = get_games_settings(run).fitness
    if fitness == "lines-per-piece":
        return get_held_out_mean(result, "lines") / max(get_held_out_mean(result, "pieces"), 1e-9)
    if fitness == "hazard":
        games, deaths = float(result["held_out"]["games"]), float(result["held_out"]["deaths"])
        return get_held_out_mean(result, "lines") * games / max(deaths, MIN_DEATHS)
    if fitness == "attack":
        return get_held_out_mean(result, "pieces") * float(result["held_out"]["modern"]["attack per piece"]["mean"])
    return get_held_out_mean(result, get_headline_metric(run))


def compute_held_out_interval(run: Run, result: Mapping[str, Any]) -> Interval | None:
    """Return the confidence interval of the held-out fitness; None for lines per piece and attack."""
    fitness = get_games_settings(run).fitness
    if fitness == "hazard":  # the censored mean of the lines
        low, high = result["held_out"]["lines"]["ci95"]
        return low, float("inf") if high is None else high
    if fitness in ("lines-per-piece", "attack") or result["uncorrected"][get_headline_metric(run)]["ci95"] is None:
        return None
    low, high = result["uncorrected"][get_headline_metric(run)]["ci95"]
    return low, high


def format_mean_over_seeds(means: Sequence[float]) -> str:
    """Format the mean over seeds with its interval, or return a dash if there are none."""
    return format_mean_interval(float(np.mean(means)), compute_mean_interval(np.array(means))) if means else "–"


def compute_running_mean(values: NumpyArray, window: int) -> NumpyArray:
    """Return the mean of the last `window` values up to each value; of fewer at the start."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - window, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))
