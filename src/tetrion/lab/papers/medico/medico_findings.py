"""Checks of the claims of Medico's report on its ten runs, the two modes and the next piece."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_share_interval, get_student_quantile
from tetrion.evaluation.number_format import format_number
from tetrion.lab.papers.medico.medico_figures import (
    MODE_THRESHOLDS,
    format_whole_percent,
    get_fullness_data,
    get_threshold_data,
)
from tetrion.lab.papers.medico.medico_published_runs import (
    MEDICO_RUNS,
    MEDICO_SCORES,
    MEDICO_TETRIS_SHARES,
    UNLIKELY_SHARE,
    compute_distance_p_value,
    compute_normalised_variance,
    compute_p_value,
    compute_points_per_line,
)
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_difference,
    compute_mean,
    compute_ratio,
    describe_games,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

LARGE_DEVIATION_SHARE = 0.5  # of the mean: from this standard deviation on, results vary quite a bit
REPORT_DELAY_SECONDS = 0.5  # the report's delay before a move of its bot
TETRIS_SHARE_TOLERANCE = 0.005  # differences of shares below half a percentage point are not counted


def describe_position(holds: bool | None, bound: str) -> str:
    """Describe whether an interval lies above a bound, as decided by `decide_above`."""
    if holds is None:
        return f"the interval contains {bound}"
    return f"the whole interval is {'above' if holds else 'below'} {bound}"


def check_ratio(
    first: MeasuredValue, second: MeasuredValue, description: str, *, bound: float = 1, basis: str = ""
) -> MeasuredValue:
    """Check whether the interval of a ratio lies above a bound; `description` completes "… times"."""
    ratio = compute_ratio(first, second)
    text = f"{ratio.formatted} times {description}"
    if ratio.value is None:
        return MeasuredValue(text="–", basis=ratio.basis, evidence=ratio.basis)
    holds = decide_above(ratio.interval, bound)
    evidence = f"{describe_position(holds, f'{bound:g}')} ({first.formatted} against {second.formatted})"
    return MeasuredValue(holds=holds, text=text, basis=basis, evidence=evidence)


def compute_mean_score(results: MeasurementResults, name: str) -> MeasuredValue:
    """Return the mean score of a measurement."""
    return compute_mean(results[name], "score")


# The ten runs.


def make_ten_runs_reader(read_measured: ValueReader, statistic: str) -> ValueReader:
    """Return a reader that adds how many readings of the fill level, which is not given, fit a statistic."""

    def read(results: MeasurementResults) -> MeasuredValue:
        measured = read_measured(results)
        readings = get_fullness_data(results).values()
        fitting = sum(compute_p_value(data, statistic) >= UNLIKELY_SHARE for data in readings)
        basis = (
            f"{measured.basis}; the report does not give the fill level from which on recovery mode plays: "
            f"{fitting} of the {len(readings)} in the table of its interpretations have a p-value of "
            f"{100 * UNLIKELY_SHARE:.0f} % or more"
        )
        return MeasuredValue(measured.value, measured.ci95, standard_deviation=measured.standard_deviation, basis=basis)

    return read


def check_score_distribution(results: MeasurementResults) -> MeasuredValue:
    """Check whether the ten scores are at a distance from our games that is usual for ten of our games."""
    data = results["medico"]
    distance, more_extreme, sets = compute_distance_p_value(data)
    share = more_extreme / sets
    return MeasuredValue(
        holds=decide_above(compute_share_interval(more_extreme, sets), UNLIKELY_SHARE),
        text=f"distance {format_number(distance)} from our games; {format_whole_percent(share)} of sets of ten of our "
        "games are at least as far",
        basis=f"{sets:,} sets of ten out of {len(data['sample']['score']):,} games",
        evidence=f"p-value {format_number(share)}, against a significance level of {UNLIKELY_SHARE:g}",
    )


def check_table_averages(results: MeasurementResults) -> MeasuredValue:
    """Check whether the numbers of the report's table are consistent."""
    consistent = sum(run.score // run.lines == run.points_per_line for run in MEDICO_RUNS)
    possible = sum(bool(run.possible_tetrises) for run in MEDICO_RUNS)
    text = (
        f"{consistent} of {len(MEDICO_RUNS)} averages are score divided by lines, rounded down; {possible} scores are "
        "possible sums of line clears"
    )
    is_consistent = consistent == possible == len(MEDICO_RUNS)
    evidence = f"{'all' if is_consistent else 'not all'} rows of the table are consistent"
    return MeasuredValue(holds=is_consistent, text=text, evidence=evidence)


def check_tetris_share(results: MeasurementResults) -> MeasuredValue:
    """Check whether our share of lines from tetrises is possible for the ten runs."""
    data = results["medico"]
    low, high = MEDICO_TETRIS_SHARES
    is_possible = low <= data["tetris_rate"] <= high
    return MeasuredValue(
        holds=is_possible,
        text=format_whole_percent(data["tetris_rate"]),
        basis=f"all lines of {describe_games(data)}",
        evidence=f"our share, which has no interval, is {'between' if is_possible else 'not between'} the two ends",
    )


def check_variation(results: MeasurementResults) -> MeasuredValue:
    """Check whether the standard deviation of the score is a large share of its mean."""
    variance = compute_normalised_variance(results["medico"])
    low, high = (math.sqrt(max(0.0, end)) for end in variance.interval)
    holds = decide_above((low, high), LARGE_DEVIATION_SHARE)
    deviation, mean = (format_number(results["medico"]["score"][name], 0) for name in ("deviation", "mean"))
    return MeasuredValue(
        holds=holds,
        text=f"standard deviation {deviation}, mean {mean}: {format_number(math.sqrt(variance.value or 0))} times the "
        "mean; only the pieces differ between games. The report's ten runs: "
        f"{format_number(MEDICO_SCORES.std(), 0)}, {format_number(MEDICO_SCORES.mean(), 0)}: "
        f"{format_number(MEDICO_SCORES.std() / MEDICO_SCORES.mean())} times",
        basis=variance.basis,
        evidence=f"95 % interval of the ratio: {format_number(low)} to {format_number(high)}",
    )


def check_points_rise_with_tetrises(results: MeasurementResults) -> MeasuredValue:
    """Check whether more points per line go with more lines from tetrises, over all thresholds."""
    games = [get_threshold_data(results, threshold) for threshold in MODE_THRESHOLDS]
    pairs = sorted((data["points_per_line"] or 0, data["tetris_rate"] or 0) for data in games)
    falls = sum(first > second + TETRIS_SHARE_TOLERANCE for (_, first), (_, second) in pairwise(pairs))
    (lowest, first_share), (highest, last_share) = pairs[0], pairs[-1]
    text = f"from {format_whole_percent(first_share)} of the lines at {format_number(lowest)} points per line to "
    text += f"{format_whole_percent(last_share)} at {format_number(highest)}"
    evidence = f"with rising points per line, the share falls {falls} times in {len(pairs) - 1} steps"
    return MeasuredValue(holds=falls == 0, text=text, basis=f"bots with {len(pairs)} thresholds", evidence=evidence)


# Events of games that were followed piece by piece.


def sum_events(results: MeasurementResults, name: str, event: str) -> int:
    """Return how often an event happened in all followed games of a bot."""
    return sum(game.get(event, 0) for game in results["followed"][name])


def compute_event_ratio(
    results: MeasurementResults, name: str, event: str, total: str, *, subtracted: str = ""
) -> MeasuredValue:
    """Return one count of events divided by another, with an interval over games (by the delta method).

    With `subtracted`, the count of that event is subtracted from the first one, game by game.
    """
    games = results["followed"][name]
    counts, totals, fewer = (
        np.array([game.get(key, 0) for game in games], float) for key in (event, total, subtracted)
    )
    parts = counts - fewer
    if not totals.sum():
        return MeasuredValue(basis=f"no {total}")
    ratio = float(parts.sum() / totals.sum())
    interval = None
    if len(games) > 1:
        deviation = float((parts - ratio * totals).std(ddof=1)) / float(totals.mean())
        margin = get_student_quantile(len(games) - 1) * deviation / math.sqrt(len(games))
        interval = (ratio - margin if subtracted else max(0.0, ratio - margin), ratio + margin)
    return MeasuredValue(ratio, interval, basis=format_followed_games(results))


def format_followed_games(results: MeasurementResults) -> str:
    """Return the number of games whose events were counted, as text."""
    return f"{len(results['followed']['both']):,} games of each bot, piece by piece"


def scale_to_percent(share: MeasuredValue) -> MeasuredValue:
    """Return a share and its interval in percent; a share that is not known is unchanged."""
    if share.value is None:
        return share
    low, high = share.interval
    return MeasuredValue(100 * share.value, (100 * low, 100 * high))


def format_share(share: MeasuredValue) -> str:
    """Return a share in percent with its interval, as text."""
    return "–" if share.value is None else f"{scale_to_percent(share).formatted} %"


# The two modes and the next piece.


def check_scoring_mode_points(results: MeasurementResults) -> MeasuredValue:
    """Check whether scoring mode alone has more points per line than recovery mode alone."""
    scoring, recovery = (compute_points_per_line(results[name]) for name in ("threshold-200", "threshold-0"))
    rates = [format_whole_percent(results[name]["tetris_rate"]) for name in ("threshold-200", "threshold-0")]
    basis = f"each mode alone; {rates[0]} and {rates[1]} of the lines come from four-line clears"
    return check_ratio(scoring, recovery, "the points per line of recovery mode", basis=basis)


def check_recovery_mode_clears(results: MeasurementResults) -> MeasuredValue:
    """Check whether recovery mode clears a possible line more often than scoring mode."""
    shares = {
        mode: compute_event_ratio(results, "both", f"{mode} cleared", f"{mode} clearable")
        for mode in ("recovery", "scoring")
    }
    recovery = shares["recovery"]
    text = (
        f"in recovery mode, {format_share(recovery)} of the decisions in which a line can be cleared clear one; in "
        f"scoring mode, {format_share(shares['scoring'])}"
    )
    checked = check_share_difference(recovery, shares["scoring"], text, format_followed_games(results))
    if not recovery.value:
        return checked
    evidence = (
        f"{checked.evidence}. In recovery mode, {100 * (1 - recovery.value):.0f} % of these decisions clear no "
        "line, so “as fast as possible” is not literally true"
    )
    return replace(checked, evidence=evidence)


def check_scoring_mode_risk(results: MeasurementResults) -> MeasuredValue:
    """Check whether games without scoring mode last longer."""
    recovery, both = compute_mean(results["threshold-0"]), compute_mean(results["medico"])
    basis = f"{both.basis}, {recovery.basis} of recovery mode alone"
    return check_ratio(recovery, both, "the lines per game if scoring mode is removed", basis=basis)


def check_planned_tucks(results: MeasurementResults) -> MeasuredValue:
    """Check whether the next piece is tucked into a new hole more often if the bot sees the next piece."""
    shares = [compute_event_ratio(results, name, "filled", "covering") for name in ("both", "one")]
    text = (
        f"after {format_share(shares[0])} of the placements that make a hole, the next piece is tucked into it; "
        f"{format_share(shares[1])} if the bot does not see the next piece"
    )
    return check_share_difference(shares[0], shares[1], text, format_followed_games(results))


def check_share_difference(first: MeasuredValue, second: MeasuredValue, text: str, basis: str) -> MeasuredValue:
    """Check whether a share is higher than another; the difference is shown in percentage points."""
    points = [scale_to_percent(part) for part in (first, second)]
    return check_difference(points[0], points[1], text, basis, unit=" percentage points")


def check_difference(
    first: MeasuredValue, second: MeasuredValue, text: str, basis: str, *, unit: str = ""
) -> MeasuredValue:
    """Check whether a value is higher than another, by the interval of their difference."""
    difference = compute_difference(first, second)
    if difference.value is None:
        return MeasuredValue(text=text, basis=basis, evidence=difference.basis)
    holds = decide_above(difference.interval, 0)
    evidence = f"difference {difference.formatted}{unit}: {describe_position(holds, '0')}"
    return MeasuredValue(holds=holds, text=text, basis=basis, evidence=evidence)


def check_search_time(results: MeasurementResults) -> MeasuredValue:
    """Check whether every decision without pruning takes less than the report's delay before a move."""
    decisions = results["decisions"]
    median, longest = (1000 * decisions["time"][name] for name in ("decision", "longest"))
    text = (
        f"{median:.2f} ms per decision (median), {longest:.1f} ms at most; {format_number(decisions['placements'], 0)} "
        f"placements and {format_number(decisions['leaves'], 0)} boards on average, at most "
        f"{format_number(decisions['most'], 0)} boards"
    )
    return MeasuredValue(
        holds=longest < 1000 * REPORT_DELAY_SECONDS,
        text=text,
        basis=f"placements and boards of {decisions['looked']:,} decisions, times of all decisions of these games",
        evidence="our program is compiled, that of the report is written in Python, and the machines differ",
        is_machine_dependent=True,
    )
