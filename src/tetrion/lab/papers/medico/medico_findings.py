"""Findings about Medico's bot: checks of the report's claims, and answers to its open questions."""

import math
from collections.abc import Mapping
from itertools import pairwise

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.papers.medico.medico_figures import (
    COMPARED_SCORING_WEIGHTS,
    FULLNESS_LABELS,
    MEDICO_THRESHOLD,
    MODE_THRESHOLDS,
    format_whole_percent,
    get_fullness_data,
    get_threshold_data,
)
from tetrion.lab.papers.medico.medico_published_runs import (
    MEDICO_RUNS,
    UNLIKELY_SHARE,
    compute_normalised_variance,
    compute_points_per_line,
    compute_share_below,
    fits_published_runs,
)
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_difference,
    compute_mean,
    compute_mean_over_seeds,
    compute_ratio,
    describe_difference,
    describe_games,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

MEDICO_MAX_PIECES = 5000  # cap of games with learnt weights
_MOVE_DELAY_SECONDS = 0.5  # the report's game waits this long for a move
_EXPONENTIAL_VARIANCE = 1.0  # normalised variance of games that end with the same probability at each piece


def check_ratio_above_one(first: MeasuredValue, second: MeasuredValue, unit: str, evidence: str) -> MeasuredValue:
    """Check whether the whole interval of a ratio is above 1; `unit` names the denominator."""
    ratio = compute_ratio(first, second)
    return MeasuredValue(holds=ratio.interval[0] > 1, text=f"{ratio.formatted} times {unit}", evidence=evidence)


def compute_mean_score(results: MeasurementResults, name: str) -> MeasuredValue:
    """Return the mean score of a measurement."""
    return compute_mean(results[name], "score")


# The ten runs.


def check_each_run(results: MeasurementResults) -> MeasuredValue:
    """Check whether each of the ten runs lies within the distribution of our games.

    The tails are chosen so that one of ten runs falls into them with a probability of 5 %.
    """
    below = [compute_share_below(results["medico"], run.score) for run in MEDICO_RUNS]
    tail = UNLIKELY_SHARE / len(MEDICO_RUNS) / 2
    low, high = format_whole_percent(min(below)), format_whole_percent(max(below))
    text = f"depending on the run, {low} to {high} of our games score less"
    evidence = f"none is among the lowest or highest {100 * tail:.2g} % of our games"
    return MeasuredValue(holds=all(tail <= share <= 1 - tail for share in below), text=text, evidence=evidence)


def check_table_averages(results: MeasurementResults) -> MeasuredValue:
    """Check whether the numbers of the report's table are consistent."""
    consistent = sum(run.score // run.lines == run.points_per_line for run in MEDICO_RUNS)
    possible = sum(bool(run.possible_tetrises) for run in MEDICO_RUNS)
    text = (
        f"{consistent} of {len(MEDICO_RUNS)} averages are score divided by lines, rounded down; {possible} scores are "
        "possible sums of line clears"
    )
    return MeasuredValue(
        holds=consistent == possible == len(MEDICO_RUNS), text=text, evidence="all rows of the table are consistent"
    )


def compute_tetris_percentage(results: MeasurementResults) -> MeasuredValue:
    """Return the share of lines from tetrises, in percent."""
    data = results["medico"]
    return MeasuredValue(
        100 * data["tetris_rate"], text=f"{100 * data['tetris_rate']:.0f} %", basis=describe_games(data)
    )


def check_luck(results: MeasurementResults) -> MeasuredValue:
    """Check whether games vary about as much as games with a constant risk per piece."""
    variance = compute_normalised_variance(results["medico"])
    reference = format_number(_EXPONENTIAL_VARIANCE, 0)
    return MeasuredValue(
        holds=variance.interval[0] > _EXPONENTIAL_VARIANCE / 2,
        text=f"normalised variance {variance.formatted}; {reference} for games with a constant risk per piece",
        basis=variance.basis,
        evidence="a single game carries little information",
    )


def check_points_rise_with_tetrises(results: MeasurementResults) -> MeasuredValue:
    """Check whether more points per line go with more lines from tetrises, over all thresholds."""
    games = [get_threshold_data(results, threshold) for threshold in MODE_THRESHOLDS]
    pairs = [(data["points_per_line"] or 0, data["tetris_rate"] or 0) for data in games]
    ordered = [tetris_rate for _, tetris_rate in sorted(pairs)]
    text = f"from {format_whole_percent(ordered[0])} of the lines at {format_number(min(pairs)[0])} points per line to "
    text += f"{format_whole_percent(ordered[-1])} at {format_number(max(pairs)[0])}"
    rising = all(first <= second + 0.005 for first, second in pairwise(ordered))
    return MeasuredValue(holds=rising, text=text, basis=f"{len(pairs)} thresholds", evidence="they rise together")


# The two modes and the next piece.


def check_scoring_mode_risk(results: MeasurementResults) -> MeasuredValue:
    """Check whether games without scoring mode last longer."""
    return check_ratio_above_one(
        compute_mean(results["threshold-0"]),
        compute_mean(results["medico"]),
        "the lines if scoring mode is removed",
        "without scoring mode games last longer",
    )


def compute_ratio_by_mode(results: MeasurementResults, numerator: str, denominator: str) -> dict[str, float]:
    """Return a ratio of event counts for each mode."""
    counts = results["followed"]["both"]
    return {
        mode: counts.get(f"{mode} {numerator}", 0) / max(1, counts.get(f"{mode} {denominator}", 0))
        for mode in ("scoring", "recovery")
    }


def check_scoring_mode_points(results: MeasurementResults) -> MeasuredValue:
    """Check whether scoring mode has more points per line than recovery mode."""
    ratios = compute_ratio_by_mode(results, "points", "lines")
    scoring, recovery = format_number(ratios["scoring"]), format_number(ratios["recovery"])
    return MeasuredValue(
        holds=ratios["scoring"] > ratios["recovery"],
        text=f"{scoring} points per line in scoring mode, {recovery} in recovery mode",
        basis=format_followed_games(results),
        evidence="lines give more points in scoring mode",
    )


def check_recovery_mode_lines(results: MeasurementResults) -> MeasuredValue:
    """Check whether recovery mode clears more lines per piece than scoring mode."""
    ratios = compute_ratio_by_mode(results, "lines", "pieces")
    scoring, recovery = format_number(ratios["scoring"]), format_number(ratios["recovery"])
    return MeasuredValue(
        holds=ratios["recovery"] > ratios["scoring"],
        text=f"{recovery} lines per piece in recovery mode, {scoring} in scoring mode",
        basis=format_followed_games(results),
        evidence="recovery mode clears more lines per piece",
    )


def format_followed_games(results: MeasurementResults) -> str:
    """Return the number of games whose events were counted, as text."""
    return f"{results['followed']['games']:,} games, piece by piece"


def check_next_piece_gain(results: MeasurementResults) -> MeasuredValue:
    """Check whether the next piece increases the score."""
    return check_ratio_above_one(
        compute_mean_score(results, "medico"),
        compute_mean_score(results, "one piece"),
        "the score without it",
        "the score is higher with it",
    )


def compute_share(counts: Mapping[str, int], part: str, total: str) -> float:
    """Return one count divided by another."""
    return counts.get(part, 0) / max(1, counts.get(total, 0))


def compute_share_deviation(counts: Mapping[str, int], part: str, total: str) -> float:
    """Return the standard deviation of a share of counts, by the binomial distribution."""
    share = compute_share(counts, part, total)
    return math.sqrt(share * (1 - share) / max(1, counts.get(total, 0)))


def check_planned_tucks(results: MeasurementResults) -> MeasuredValue:
    """Check whether the bot plans to tuck the next piece into a hole that a placement makes."""
    both, one = results["followed"]["both"], results["followed"]["one"]
    with_next, without_next = compute_share(both, "filled", "covering"), compute_share(one, "filled", "covering")
    text = (
        f"after {format_whole_percent(with_next)} of the placements that make a hole, the next piece is tucked into "
        f"it; {format_whole_percent(without_next)} if the bot does not see the next piece"
    )
    return MeasuredValue(
        holds=with_next > 2 * without_next,
        text=text,
        basis=format_followed_games(results),
        evidence="it is planned, not chance",
    )


def check_board_fill_tucks(results: MeasurementResults) -> MeasuredValue:
    """Check whether the bot tucks more pieces with the board fill parameter than without it."""
    labels = {"both": "with all parameters", "unfilled": "without board fill", "unholed": "without holes"}
    shares = {name: compute_share(results["followed"][name], "tucks", "pieces") for name in labels}
    text = "; ".join(f"{100 * shares[name]:.1f} % of the pieces are tucked {label}" for name, label in labels.items())
    both, without = results["followed"]["both"], results["followed"]["unfilled"]
    deviation = math.hypot(
        compute_share_deviation(both, "tucks", "pieces"), compute_share_deviation(without, "tucks", "pieces")
    )
    return MeasuredValue(
        holds=shares["both"] - shares["unfilled"] > NORMAL_QUANTILE * deviation,
        text=text,
        basis=format_followed_games(results),
        evidence="the bot tucks significantly more pieces with it",
    )


def check_search_size(results: MeasurementResults) -> MeasuredValue:
    """Check whether the slowest decision is faster than the delay between moves of the report's game."""
    decisions = results["decisions"]
    seconds = decisions["time"]
    text = (
        f"{format_number(decisions['placements'], 0)} placements and {format_number(decisions['leaves'], 0)} boards "
        f"per decision, at most {format_number(decisions['most'], 0)}; {format_number(1e6 * seconds['decision'], 0)} "
        "µs"
    )
    delay = f"{1000 * _MOVE_DELAY_SECONDS:.0f} ms"
    return MeasuredValue(
        holds=seconds["slowest"] < _MOVE_DELAY_SECONDS,
        text=text,
        basis=f"{decisions['looked']:,} decisions",
        evidence=f"the slowest decision takes less than the {delay} that the game waits for a move",
        is_machine_dependent=True,
    )


# The parameters.


def check_hole_differences(results: MeasurementResults) -> MeasuredValue:
    """Check whether most placements leave at most two holes more than the best placement of the piece."""
    differences = {int(holes): count for holes, count in results["decisions"]["differences"].items()}
    near = sum(count for holes, count in differences.items() if holes <= 2) / sum(differences.values())
    text = f"{format_whole_percent(near)} of all placements leave at most two holes more than the best for the piece"
    basis = f"{results['decisions']['looked']:,} decisions"
    return MeasuredValue(holds=near > 0.5, text=text, basis=basis, evidence="this holds for most placements")


def check_danger_zone(results: MeasurementResults) -> MeasuredValue:
    """Check whether the danger zone increases the score, and how often it changes decisions."""
    counts = results["followed"]["both"]
    changed, left = compute_share(counts, "fearless", "pieces"), compute_share(counts, "fearless, left", "fearless")
    gain = make_parameter_gain_check("danger zone")(results)
    text = f"{gain.text}; it changes {100 * changed:.1f} % of the decisions"
    text += f", on average {format_number(left, 0)} pieces before the end" if changed else ""
    return MeasuredValue(holds=gain.holds, text=text, evidence=gain.evidence)


def check_weights_follow_values(results: MeasurementResults) -> MeasuredValue:
    """Check whether parameters with smaller values have higher weights."""
    values = results["decisions"]["values"]
    order = sorted(COMPARED_SCORING_WEIGHTS, key=lambda name: -values[name])
    text = "; ".join(
        f"{format_name(name)} {format_number(values[name])} (weight {COMPARED_SCORING_WEIGHTS[name]:,})"
        for name in order
    )
    holds = all(
        COMPARED_SCORING_WEIGHTS[first] <= COMPARED_SCORING_WEIGHTS[second] for first, second in pairwise(order)
    )
    return MeasuredValue(
        holds=holds, text=text, basis="means after a placement", evidence="the weights rise as the values fall"
    )


def make_parameter_gain_check(parameter: str) -> ValueReader:
    """Return a check whether a parameter increases the score."""

    def check(results: MeasurementResults) -> MeasuredValue:
        scores = compute_mean_score(results, "medico"), compute_mean_score(results, f"without {parameter}")
        return check_ratio_above_one(*scores, "the score without it", "the score is higher with it")

    return check


def make_points_per_line_check(parameter: str) -> ValueReader:
    """Return a check whether a parameter increases the points per line."""

    def check(results: MeasurementResults) -> MeasuredValue:
        gain = compute_difference(
            compute_points_per_line(results["medico"]), compute_points_per_line(results[f"without {parameter}"])
        )
        text = f"{gain.formatted} points per line more with it"
        return MeasuredValue(holds=gain.interval[0] > 0, text=text, evidence="lines give more points with it")

    return check


def check_learnt_weights(results: MeasurementResults) -> MeasuredValue:
    """Check whether learnt weights increase the score."""
    learnt = compute_mean_over_seeds(results["tuned"], "score")
    gain = check_ratio_above_one(
        learnt, compute_mean_score(results, "medico"), "the score", "the whole interval is above 1"
    )
    basis = f"{learnt.basis}, games capped at {MEDICO_MAX_PIECES:,} pieces"
    return MeasuredValue(holds=gain.holds, text=gain.text, basis=basis, evidence=gain.evidence)


# What the report left open.


def describe_modes(results: MeasurementResults) -> str:
    """Describe the scores of both modes together and of each mode alone."""
    both, recovery, scoring = (compute_mean_score(results, name) for name in ("medico", "threshold-0", "threshold-200"))
    gain = {
        "more": "scoring mode gains points per line but loses more because games are shorter",
        "less": "scoring mode gains more from points per line than it loses because games are shorter",
    }.get(describe_difference(recovery, both), "the gain and the loss of scoring mode do not differ measurably")
    counts = results["followed"]["both"]
    back, full = compute_share(counts, "recoveries", "troubles"), counts.get("troubles", 0)
    points = [format_points_per_line(results, name) for name in ("medico", "threshold-0", "threshold-200")]
    return (
        f"Both modes together score {both.formatted}, recovery mode alone {recovery.formatted} "
        f"({describe_difference(recovery, both)}) and scoring mode alone {scoring.formatted} "
        f"({describe_difference(scoring, both)}). The points per line are {points[0]}, {points[1]} and {points[2]}: "
        f"{gain}. In {results['followed']['games']:,} games, the bot entered recovery mode {full:,} times, and "
        f"returned to scoring mode in {format_whole_percent(back)} of them."
    )


def format_points_per_line(results: MeasurementResults, name: str) -> str:
    """Return the points per line of a measurement, as text."""
    return compute_points_per_line(results[name]).formatted


def describe_thresholds(results: MeasurementResults) -> str:
    """Describe which mode threshold is best, and which interpretations fit the report's ten runs."""
    scores = {threshold: compute_mean(get_threshold_data(results, threshold), "score") for threshold in MODE_THRESHOLDS}
    best = max(scores, key=lambda threshold: scores[threshold].value or 0)
    verdict = describe_difference(scores[best], scores[MEDICO_THRESHOLD])
    fitting = {
        measure: [
            str(threshold)
            for (data_measure, threshold), data in get_fullness_data(results).items()
            if data_measure == measure and fits_published_runs(data)
        ]
        for measure in FULLNESS_LABELS
    }
    parts = [
        f"{FULLNESS_LABELS[measure]} from {', '.join(thresholds)}"
        for measure, thresholds in fitting.items()
        if thresholds
    ]
    best_text = "recovery mode alone is best" if best == 0 else f"the best threshold is {best}"
    return (
        f"The report does not give it. Of the thresholds tested, {best_text}, with {scores[best].formatted} points "
        f"against {scores[MEDICO_THRESHOLD].formatted} with a threshold of {MEDICO_THRESHOLD} ({verdict}). "
        "Interpretations that fit the mean score and the points per line of the ten runs: "
        f"{'; '.join(parts) or 'none'}."
    )


def describe_tucks(results: MeasurementResults) -> str:
    """Describe how much tucks help, and where the difference comes from."""
    tucks, drops, above, straight = (
        compute_mean_score(results, name) for name in ("medico", "drop", "above", "above, drop")
    )
    verdict = describe_difference(drops, tucks)
    text = f"With hard drops only, the bot scores {drops.formatted} ({verdict}); with tucks, {tucks.formatted}."
    text += (
        " A hard drop needs no path along the top of the board; a tuck and any other reachable placement does. If "
        f"pieces spawn above the board, so that all columns can be reached, the bot scores {straight.formatted} with "
        f"hard drops only ({describe_difference(straight, above)}) and {above.formatted} with tucks."
    )
    if verdict == "more" and describe_difference(straight, above) != "more":
        text += " So the loss comes from the path along the top and not from the tucks."
    return f"{text} {describe_tucks_by_mode(results)}"


def describe_tucks_by_mode(results: MeasurementResults) -> str:
    """Describe how much tucks help in each mode alone, and how often the bot is in scoring mode with them."""
    parts = []
    for mode in ("scoring", "recovery"):
        tucks, drops = (
            compute_mean_score(results, f"{mode}, above"),
            compute_mean_score(results, f"{mode}, above, drop"),
        )
        parts.append(
            f"{tucks.formatted} against {drops.formatted} without in {mode} mode alone "
            f"({describe_difference(tucks, drops)})"
        )
    shares = [compute_share(results["followed"][name], "scoring pieces", "pieces") for name in ("above", "above, drop")]
    return (
        f"With that spawn, the scores with tucks are {' and '.join(parts)}. With both modes, the bot places "
        f"{format_whole_percent(shares[0])} of its pieces in scoring mode with tucks and "
        f"{format_whole_percent(shares[1])} without."
    )


def describe_next_piece(results: MeasurementResults) -> str:
    """Describe how much the next piece changes scores and decisions."""
    both, one = compute_mean_score(results, "medico"), compute_mean_score(results, "one piece")
    changed = compute_share(results["followed"]["both"], "one piece", "pieces")
    return (
        f"With the next piece the bot scores {both.formatted}, without it {one.formatted} "
        f"({describe_difference(both, one)} with it). The next piece changes {format_whole_percent(changed)} of the "
        "decisions."
    )


def describe_learnt_weights(results: MeasurementResults) -> str:
    """Describe the score with learnt weights and threshold."""
    original = compute_mean_score(results, "medico")
    learnt = compute_mean_over_seeds(results["tuned"], "score")
    recovery = compute_mean(results["recovery, cut"], "score", uncorrected=True)
    points = [run["result"]["held_out"]["points_per_line"] or 0 for run in results["tuned"]["runs"]]
    points_range = " to ".join(dict.fromkeys(format_number(end) for end in (min(points), max(points))))
    return (
        f"With both tables and the threshold learnt by CMA-ES, the bot scores {learnt.formatted} ({learnt.basis}, "
        f"games capped at {MEDICO_MAX_PIECES:,} pieces); with those of the report, {original.formatted}; and with "
        f"recovery mode alone and the same cap, {recovery.formatted} (learnt compared with recovery mode alone: "
        f"{describe_difference(learnt, recovery)}). Learnt weights score {points_range} points per line."
    )


def describe_other_parameters(results: MeasurementResults) -> str:
    """Describe the score with Dellacherie's features instead of the report's."""
    data = results["dellacherie"]
    dellacherie = compute_mean(data, "score", uncorrected=True)
    original = compute_mean_score(results, "medico")
    return (
        f"Dellacherie's six features with the next piece score {dellacherie.formatted} in games capped at "
        f"{MEDICO_MAX_PIECES:,} pieces, and the report's parameters {original.formatted} "
        f"({describe_difference(dellacherie, original)}); {data['capped']:,} of {data['games']:,} games reached the "
        f"cap. Dellacherie's features ignore points: they score {format_points_per_line(results, 'dellacherie')} "
        "points per line."
    )
