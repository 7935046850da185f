"""Findings about crowds and their experts for the reproduction of Hindi et al."""

from dataclasses import replace

import numpy as np

from tetrion.evaluation.confidence_intervals import SampleArray, compute_difference_interval, compute_share_interval
from tetrion.evaluation.number_format import format_count
from tetrion.lab.papers.hindi.hindi_configurations import STRONG_SCORE
from tetrion.lab.papers.hindi.hindi_games import EXPERT_SELECTIONS, HIGH_CROWD_SCORE
from tetrion.lab.papers.hindi.hindi_measurements import (
    CROWDS_TRAINING,
    FIVE_GAMES_CROWDS_TRAINING,
    TRAINED_GAME_COUNT,
    WEIGHTED_CROWDS_TRAINING,
    WITHOUT_CROWDS_TRAINING,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_mean_over_runs,
    compute_share_over_seeds,
    decide_difference,
    decide_share,
    describe_share,
    explain_doubt,
    get_metric,
    make_statement,
)
from tetrion.lab.papers.hindi.hindi_table_iii import TABLE_III_GENERATIONS
from tetrion.lab.reproduction.measured_values import ValueReader
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

CONSISTENT_SHARE = 0.9  # what happens in at least nine of ten games happens "consistently"
FREQUENT_SHARE = 0.25  # what happens in at least a quarter of the games happens "frequently"
MEAN_CROWD, WEIGHTED_CROWD = "crowd (mean)", "crowd (weighted mean)"
AVERAGE_EXPERT, BEST_EXPERT = "average expert", "best expert"
LAST_POPULATION, ALL_POPULATIONS = "last population", "all populations"
_TRAININGS = {WEIGHTED_CROWD: WEIGHTED_CROWDS_TRAINING}  # other kinds of crowds are those of `CROWDS_TRAINING`


def get_crowd_gains(results: MeasurementResults, kind: str, other: str, training: str = "") -> SampleArray:
    """Return the score of a crowd minus that of another agent, or of an average agent, per game, one number per run."""
    gains = []
    games = TRAINED_GAME_COUNT if training == FIVE_GAMES_CROWDS_TRAINING else 1
    for run in results[training or _TRAININGS.get(kind, CROWDS_TRAINING)]["runs"]:
        averages = get_metric(run, "mean") / games
        scores = {
            LAST_POPULATION: averages[-1],
            ALL_POPULATIONS: averages.mean(),
            **run["result"]["crowd"],
        }
        gains.append(scores[kind] - scores[other])
    return np.array(gains)


def make_crowd_difference_reader(other: str, kind: str = MEAN_CROWD) -> ValueReader:
    """Return a reader of the score difference between a crowd and another agent, over runs."""
    return lambda results: compute_mean_over_runs(
        get_crowd_gains(results, kind, other), compute_difference_interval, "run"
    )


def make_crowd_better_check(other: str, kind: str = MEAN_CROWD, training: str = "") -> ValueReader:
    """Return a check whether the crowd scores more than another agent on average."""

    def check(results: MeasurementResults) -> MeasuredValue:
        gains = get_crowd_gains(results, kind, other, training)
        gain = compute_mean_over_runs(gains, compute_difference_interval, "run")
        return make_statement(
            decide_difference(gains),
            ("the interval is above 0", "the interval is below 0", explain_doubt(gain.ci95, "the interval contains 0")),
            f"a difference of {gain.formatted} points per game",
            gain.basis,
        )

    return check


def check_crowd_against_experts(results: MeasurementResults) -> MeasuredValue:
    """Check whether the crowd of section III C beats its average expert; the text also shows the weighted crowd."""
    plain = make_crowd_better_check(AVERAGE_EXPERT)(results)
    weighted = make_crowd_better_check(AVERAGE_EXPERT, WEIGHTED_CROWD)(results)
    outcomes = {True: "there is a gain", False: "there is a loss", None: "it is undecided too"}
    return replace(
        plain,
        text=f"{plain.text} as the plain average of section III C; {weighted.text} if weighted by score",
        evidence=f"for the plain average, {plain.evidence}; for the average weighted by score, as the abstract and "
        f"section V describe it, {outcomes[weighted.holds]}: {weighted.evidence}",
    )


def check_experts_ahead(results: MeasurementResults) -> MeasuredValue:
    """Check whether the best expert is better than the crowd in most runs."""
    gains = get_crowd_gains(results, MEAN_CROWD, BEST_EXPERT)
    ahead = int((gains < 0).sum())
    return make_statement(
        decide_above(compute_share_interval(ahead, len(gains)), 0.5),
        (
            "it is in more than half of the runs",
            "it is in less than half of the runs",
            "the interval contains one half",
        ),
        describe_share(ahead, len(gains)),
    )


def check_crowd_affects_generations(results: MeasurementResults) -> MeasuredValue:
    """Check whether forming a crowd after the last generation changes the generations of a run."""
    pairs = list(zip(results[WITHOUT_CROWDS_TRAINING]["runs"], results[CROWDS_TRAINING]["runs"], strict=False))
    identical = sum(without["metrics"]["mean"] == crowd["metrics"]["mean"] for without, crowd in pairs)
    return make_statement(
        identical < len(pairs),
        ("the generations differ", "the generations are the same", ""),
        f"the generations are identical with and without a crowd in {identical} of {format_count(len(pairs), 'run')}",
    )


def make_game_share_check(score: str, selection: str = EXPERT_SELECTIONS[0]) -> ValueReader:
    """Return a check whether enough games of crowds are strong, or high: `score` is one of these two words."""
    bound = CONSISTENT_SHARE if score == "strong" else FREQUENT_SHARE
    last_maximum = f"{TABLE_III_GENERATIONS[-1][4]:,}"
    contrast = (
        "" if score == "strong" else f", though the maximum of the last generation of Table III is {last_maximum}"
    )
    limit = f"at least {STRONG_SCORE:,}" if score == "strong" else f"more than {HIGH_CROWD_SCORE:,}"

    def check(results: MeasurementResults) -> MeasuredValue:
        games = results["choices"]
        share = compute_share_over_seeds(np.array(games[score][selection]))
        runs = format_count(len(games[score][selection]), "run")
        return make_statement(
            decide_share(share, bound),
            (
                f"the interval is above the threshold{contrast}",
                f"the interval is below the threshold{contrast}",
                explain_doubt(share.ci95, "the interval contains the threshold") + contrast,
            ),
            f"{share.formatted} of the crowds' games have {limit} points",
            f"{runs}, {format_count(games['games'], 'game')} of each crowd",
        )

    return check
