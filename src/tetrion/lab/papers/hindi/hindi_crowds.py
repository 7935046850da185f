"""Findings about crowds and their experts, and about Table III, for the reproduction of Hindi et al."""

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

_FREQUENT_SHARE = 0.25  # smallest share of games that counts as frequent


def make_table_iii_reader(metric: str, generation: int) -> ValueReader:
    """Return a reader of a metric of a generation over our runs with crowds."""

    def read(results: MeasurementResults) -> MeasuredValue:
        values = np.array([get_metric(run, metric)[generation] for run in results[CROWDS_TRAINING]["runs"]])
        return compute_central_range(values, f"median and 95 % range of {format_count(len(values), 'run')}")

    return read


def compute_highest_score(results: MeasurementResults) -> MeasuredValue:
    """Return the highest score of any generation, over our runs with crowds."""
    values = np.array([get_metric(run, "max").max() for run in results[CROWDS_TRAINING]["runs"]])
    return compute_central_range(values, f"median and 95 % range of {format_count(len(values), 'run')}")


def make_crowd_difference_reader(other: str, kind: str = "crowd (mean)") -> ValueReader:
    """Return a reader of the score difference between a crowd and another agent, over runs."""

    def read(results: MeasurementResults) -> MeasuredValue:
        runs = results[CROWDS_TRAINING]["runs"]
        scores = [{"population": run["metrics"]["mean"][-1], **run["result"]["crowd"]} for run in runs]
        gain = np.array([run_scores[kind] - run_scores[other] for run_scores in scores])
        return compute_mean_over_runs(gain, compute_difference_interval, "run")

    return read


def make_crowd_better_check(other: str) -> ValueReader:
    """Return a check whether the crowd scores significantly more than another agent."""

    def check(results: MeasurementResults) -> MeasuredValue:
        gain = make_crowd_difference_reader(other)(results)
        text = f"difference of {gain.formatted} points per game"
        return MeasuredValue(
            holds=gain.interval[0] > 0, text=text, basis=gain.basis, evidence="the interval is above 0"
        )

    return check


def check_experts_ahead(results: MeasurementResults) -> MeasuredValue:
    """Check whether a single expert is better than the crowd in some runs."""
    crowds = [run["result"]["crowd"] for run in results[CROWDS_TRAINING]["runs"]]
    ahead = sum(crowd["best expert"] > crowd["crowd (mean)"] for crowd in crowds)
    text = f"the best expert beats the crowd in {ahead} of {format_count(len(crowds), 'run')}"
    return MeasuredValue(holds=ahead > 0, text=text, evidence="it also happens here")


def check_crowd_affects_generations(results: MeasurementResults) -> MeasuredValue:
    """Check whether forming a crowd after the last generation changes the generations of a run."""
    pairs = list(zip(results[WITHOUT_CROWDS_TRAINING]["runs"], results[CROWDS_TRAINING]["runs"], strict=False))
    identical = sum(without["metrics"]["mean"] == crowd["metrics"]["mean"] for without, crowd in pairs)
    text = f"the generations are identical with and without a crowd in {identical} of {format_count(len(pairs), 'run')}"
    return MeasuredValue(holds=identical < len(pairs), text=text)


def check_crowds_are_strong(results: MeasurementResults) -> MeasuredValue:
    """Check whether at least nine of ten crowds are decent agents."""
    scores = np.array(results["choices"][EXPERT_SELECTIONS[0]])
    share = float((scores >= DECENT_SCORE).mean())
    text = (
        f"{format_percent(share)} of the crowds score {DECENT_SCORE:,} or more per game; their mean is "
        f"{compute_mean_over_runs(scores).formatted}"
    )
    return MeasuredValue(
        holds=share >= 0.9,
        text=text,
        basis=format_count(len(scores), "run"),
        evidence="this holds for at least nine of ten crowds",
    )


def check_crowds_reach_high_scores(results: MeasurementResults) -> MeasuredValue:
    """Check whether at least a quarter of the crowds' games have more than 100,000 points."""
    share = compute_mean_over_runs(np.array(results["choices"]["high"]))
    text = f"{format_percent(share.value or 0)} of the crowds' games have more than {HIGH_CROWD_SCORE:,} points"
    return MeasuredValue(
        holds=(share.value or 0) >= _FREQUENT_SHARE,
        text=text,
        basis=share.basis,
        evidence="this is at least a quarter of the games",
    )
