"""Checks of the claims of Medico's report on the parameters of its evaluation function and their weights."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.papers.medico.medico_figures import COMPARED_SCORING_WEIGHTS, format_whole_percent
from tetrion.lab.papers.medico.medico_findings import (
    check_difference,
    check_ratio,
    check_share_difference,
    compute_event_ratio,
    compute_mean_score,
    describe_position,
    format_followed_games,
    format_share,
)
from tetrion.lab.papers.medico.medico_published_runs import compute_points_per_line
from tetrion.lab.papers.medico.medico_variants import MEDICO_MAX_PIECES, MEDICO_THRESHOLD, SPAWN_ZONE
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_mean,
    compute_mean_over_seeds,
    compute_ratio,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

IMPORTANT_GAIN = 1.1  # ratio from which a parameter that matters at all costs increases the score
BOARD_FILL_QUESTION = "What does board fill change?"


def check_hole_differences(results: MeasurementResults) -> MeasuredValue:
    """Check whether most placements leave at most two holes more than the best placement of the piece."""
    shares = np.array(results["decisions"]["near"])
    share = MeasuredValue(float(shares.mean()), compute_mean_interval(shares))
    holds = decide_above(share.interval, 0.5)
    text = f"{format_share(share)} of the placements leave at most two holes more than the best for the piece"
    basis = f"{len(shares):,} decisions"
    return MeasuredValue(holds=holds, text=text, basis=basis, evidence=describe_position(holds, "50 %"))


def check_new_holes(results: MeasurementResults) -> MeasuredValue:
    """Check whether the bot makes fewer new holes with the parameter holes."""
    shares = [compute_event_ratio(results, name, "new holes", "pieces") for name in ("both", "unholed")]
    text = f"{format_share(shares[0])} of the pieces make new holes; without the parameter, {format_share(shares[1])}"
    return check_share_difference(shares[1], shares[0], text, format_followed_games(results))


def check_evenness(results: MeasurementResults) -> MeasuredValue:
    """Check whether the board is more even with the parameter evenness."""
    means = [compute_event_ratio(results, name, "bumpiness", "pieces") for name in ("both", "uneven")]
    text = (
        f"sum of height differences after a placement {means[0].formatted}; without the parameter {means[1].formatted}"
    )
    return check_difference(means[1], means[0], text, format_followed_games(results))


def check_low_space(results: MeasurementResults) -> MeasuredValue:
    """Check whether less space below the level of the highest column stays empty with the parameter evenness."""
    means = [compute_event_ratio(results, name, "low space", "pieces") for name in ("both", "uneven")]
    text = (
        f"{means[0].formatted} cells above the columns and below the level of the highest one after a placement; "
        f"without the parameter {means[1].formatted}"
    )
    return check_difference(means[1], means[0], text, format_followed_games(results))


def make_board_fill_check(event: str, total: str, description: str) -> ValueReader:
    """Return a check whether something happens more often with board fill than without it, in the same positions."""

    def check(results: MeasurementResults) -> MeasuredValue:
        shares = [compute_event_ratio(results, "both", name, total) for name in (event, f"unfilled {event}")]
        difference = compute_event_ratio(results, "both", event, total, subtracted=f"unfilled {event}")
        text = f"{format_share(shares[0])} of {description}; without the parameter, in the same positions, "
        text += format_share(shares[1])
        if difference.value is None:
            return MeasuredValue(text=text, basis=difference.basis, evidence=difference.basis)
        holds = decide_above(difference.interval, 0)
        low, high = (format_number(100 * end, 3) for end in difference.interval)
        evidence = (
            f"95 % interval of the difference: {low} to {high} percentage points; the answer to "
            f"“{BOARD_FILL_QUESTION}” shows why it is small"
        )
        return MeasuredValue(holds=holds, text=text, basis=difference.basis, evidence=evidence)

    return check


def make_score_gain_check(changed: str, description: str) -> ValueReader:
    """Return a check whether the report's bot scores more than a changed bot; `description` completes "… times"."""

    def check(results: MeasurementResults) -> MeasuredValue:
        scores = compute_mean_score(results, "medico"), compute_mean_score(results, changed)
        basis = f"{scores[0].basis}, {scores[1].basis} with the change"
        checked = check_ratio(*scores, description, basis=basis)
        lines = [compute_mean(results[name]).formatted for name in ("medico", changed)]
        return replace(checked, text=f"{checked.text}; lines per game: {lines[0]}, and {lines[1]} with the change")

    return check


def make_points_per_line_check(changed: str) -> ValueReader:
    """Return a check whether the report's bot has more points per line than a changed bot."""

    def check(results: MeasurementResults) -> MeasuredValue:
        points = [compute_points_per_line(results[name]) for name in ("medico", changed)]
        rates = [format_whole_percent(results[name]["tetris_rate"]) for name in ("medico", changed)]
        scores = [compute_mean_score(results, name) for name in (changed, "medico")]
        text = (
            f"{points[0].formatted} points per line, {points[1].formatted} with the change; lines from four-line "
            f"clears: {rates[0]} and {rates[1]}; the score per game is {compute_ratio(*scores).formatted} times as "
            "high with the change"
        )
        basis = f"{points[0].basis}, {points[1].basis} with the change"
        return check_difference(points[0], points[1], text, basis)

    return check


def make_danger_zone_check(zone: str = "") -> ValueReader:
    """Return a check whether a danger zone increases the score by a tenth; without a zone, that of our agent."""
    get_data: Callable[[MeasurementResults], MeasuredValue] = (
        (lambda results: compute_mean(results["zones"][zone], "score"))
        if zone
        else (lambda results: compute_mean_score(results, "medico"))
    )

    def check(results: MeasurementResults) -> MeasuredValue:
        without = compute_mean_score(results, "without danger zone")
        score = get_data(results)
        basis = f"{score.basis}, {without.basis} without it"
        return check_ratio(score, without, "the score without it", bound=IMPORTANT_GAIN, basis=basis)

    return check


def check_spawn_zone(results: MeasurementResults) -> MeasuredValue:
    """Check whether the report's danger zone, where the new piece appears, increases the score."""
    gain = make_danger_zone_check(SPAWN_ZONE)(results)
    return replace(gain, text=f"{gain.text}; {SPAWN_ZONE}")


def check_zone_of_agent(results: MeasurementResults) -> MeasuredValue:
    """Check whether our agent's danger zone increases the score, and how many decisions it changes."""
    gain = make_danger_zone_check()(results)
    changed = compute_event_ratio(results, "both", "fearless", "pieces")
    return replace(gain, text=f"{gain.text}; it changes {format_share(changed)} of the decisions")


def check_weights_follow_values(results: MeasurementResults) -> MeasuredValue:
    """Check whether parameters with smaller values have higher weights."""
    decisions = results["decisions"]
    values = decisions["values"]
    order = sorted(COMPARED_SCORING_WEIGHTS, key=lambda name: -values[name])
    text = "; ".join(
        f"{format_name(name)} {format_number(values[name])} (weight {COMPARED_SCORING_WEIGHTS[name]:,})"
        for name in order
    )
    falls = sum(COMPARED_SCORING_WEIGHTS[first] > COMPARED_SCORING_WEIGHTS[second] for first, second in pairwise(order))
    return MeasuredValue(
        holds=falls == 0,
        text=text,
        basis=f"means after {decisions['scoring_pieces']:,} placements in scoring mode in {decisions['games']} of our "
        "games; weights of scoring mode in the report",
        evidence=f"from the largest to the smallest value, the weight falls {falls} times",
    )


def check_learnt_weights(results: MeasurementResults) -> MeasuredValue:
    """Check whether learnt weights, with the threshold unchanged, increase the score."""
    original = compute_mean_score(results, "medico")
    learnt, with_threshold = (compute_mean_over_seeds(results[name], "score") for name in ("learnt weights", "tuned"))
    recovery = compute_mean(results["recovery, cut"], "score", uncorrected=True)
    gain = check_ratio(learnt, original, f"the score, with the threshold reset to {MEDICO_THRESHOLD} after learning")
    others = [compute_ratio(part, original).formatted for part in (with_threshold, recovery)]
    text = (
        f"{gain.text}; {others[0]} times with the learnt threshold; {others[1]} times with recovery mode alone and "
        "the report's weights"
    )
    basis = (
        f"all weights of both modes, learnt by CMA-ES together with the threshold, which was then reset to "
        f"{MEDICO_THRESHOLD}; {learnt.basis}, games capped at {MEDICO_MAX_PIECES:,} pieces"
    )
    return MeasuredValue(holds=gain.holds, text=text, basis=basis, evidence=gain.evidence)
