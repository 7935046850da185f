"""How crowds fare beside their experts, and Table III, for the reproduction of Hindi et al."""

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_percent
from tetrion.lab.papers.hindi.hindi_findings import DECENT_SCORE
from tetrion.lab.papers.hindi.hindi_measurements import (
    CROWDS_TRAINING,
    EXPERT_SELECTIONS,
    HIGH_CROWD_SCORE,
    WITHOUT_CROWDS_TRAINING,
)
from tetrion.lab.papers.hindi.hindi_statistics import compute_central_range, compute_mean_over_runs, get_metric
from tetrion.lab.reproduction.measured_values import ValueReader
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

_FREQUENT_SHARE = 0.25  # the share of games from which on something happens frequently


def make_table_iii_reader(metric: str, generation: int) -> ValueReader:
    """A column of a generation, over our runs with crowds."""

    def found(results: MeasurementResults) -> MeasuredValue:
        numbers = np.array([get_metric(run, metric)[generation] for run in results[CROWDS_TRAINING]["runs"]])
        return compute_central_range(numbers, f"middle and 95 % of {format_count(len(numbers), 'run')}")

    return found


def compute_highest_score(results: MeasurementResults) -> MeasuredValue:
    """The highest score of any generation, over our runs with crowds."""
    numbers = np.array([get_metric(run, "max").max() for run in results[CROWDS_TRAINING]["runs"]])
    return compute_central_range(numbers, f"middle and 95 % of {format_count(len(numbers), 'run')}")


def make_crowd_difference_reader(other: str, kind: str = "crowd (mean)") -> ValueReader:
    """How much more a crowd scores than another, over runs."""

    def found(results: MeasurementResults) -> MeasuredValue:
        runs = results[CROWDS_TRAINING]["runs"]
        known = [{"population": run["metrics"]["mean"][-1], **run["result"]["crowd"]} for run in runs]
        gain = np.array([scores[kind] - scores[other] for scores in known])
        return compute_mean_over_runs(gain, compute_difference_interval, "run")

    return found


def make_crowd_better_check(other: str) -> ValueReader:
    """Whether the crowd surely scores more than another."""

    def found(results: MeasurementResults) -> MeasuredValue:
        gain = make_crowd_difference_reader(other)(results)
        words = f"the crowd scores {gain.formatted} points a game more"
        return MeasuredValue(
            holds=gain.interval[0] > 0, text=words, basis=gain.basis, evidence="the interval is above 0"
        )

    return found


def check_experts_ahead(results: MeasurementResults) -> MeasuredValue:
    """How often a single expert is better than the crowd."""
    told = [run["result"]["crowd"] for run in results[CROWDS_TRAINING]["runs"]]
    ahead = sum(crowd["best expert"] > crowd["crowd (mean)"] for crowd in told)
    words = f"the best expert beats the crowd in {ahead} of {format_count(len(told), 'run')}"
    return MeasuredValue(holds=ahead > 0, text=words, evidence="so it happens here")


def check_crowd_affects_generations(results: MeasurementResults) -> MeasuredValue:
    """Whether the generations of a run differ if a crowd is formed in the end."""
    pairs = list(zip(results[WITHOUT_CROWDS_TRAINING]["runs"], results[CROWDS_TRAINING]["runs"], strict=False))
    same = sum(alone["metrics"]["mean"] == crowd["metrics"]["mean"] for alone, crowd in pairs)
    words = f"the generations are the same with and without a crowd in {same} of {format_count(len(pairs), 'run')}"
    return MeasuredValue(holds=same < len(pairs), text=words)


def check_crowds_are_strong(results: MeasurementResults) -> MeasuredValue:
    """How many crowds are decent agents."""
    scores = np.array(results["choices"][EXPERT_SELECTIONS[0]])
    share = float((scores >= DECENT_SCORE).mean())
    words = f"{format_percent(share)} of the crowds score {DECENT_SCORE:,} or more a game, on average {compute_mean_over_runs(scores).formatted}"
    return MeasuredValue(
        holds=share >= 0.9, text=words, basis=format_count(len(scores), "run"), evidence="nine of ten and more do"
    )


def check_crowds_reach_high_scores(results: MeasurementResults) -> MeasuredValue:
    """How many games of a crowd have more than 100,000 points."""
    told = compute_mean_over_runs(np.array(results["choices"]["high"]))
    words = f"{format_percent(told.value or 0)} of the crowds' games have more than {HIGH_CROWD_SCORE:,} points"
    return MeasuredValue(
        holds=(told.value or 0) >= _FREQUENT_SHARE,
        text=words,
        basis=told.basis,
        evidence="that is every fourth or more",
    )
