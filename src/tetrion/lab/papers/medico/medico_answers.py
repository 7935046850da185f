"""Answers to the questions that Medico's report leaves open."""

from tetrion.evaluation.number_format import format_number
from tetrion.lab.papers.medico.medico_figures import (
    FULLNESS_LABELS,
    MODE_THRESHOLDS,
    format_whole_percent,
    get_fullness_data,
    get_threshold_data,
)
from tetrion.lab.papers.medico.medico_findings import compute_event_ratio, compute_mean_score, sum_events
from tetrion.lab.papers.medico.medico_published_runs import compute_points_per_line, fits_published_runs
from tetrion.lab.papers.medico.medico_variants import MEDICO_MAX_PIECES, MEDICO_THRESHOLD
from tetrion.lab.reproduction.measured_values import compute_mean, compute_mean_over_seeds, describe_difference
from tetrion.lab.reproduction.paper_definition import MeasurementResults


def describe_modes(results: MeasurementResults) -> str:
    """Describe the scores of both modes together and of each mode alone."""
    both, recovery, scoring = (compute_mean_score(results, name) for name in ("medico", "threshold-0", "threshold-200"))
    gain = {
        "more": "scoring mode gains points per line but loses more because games are shorter",
        "less": "scoring mode gains more from points per line than it loses because games are shorter",
    }.get(describe_difference(recovery, both), "the gain and the loss of scoring mode do not differ measurably")
    returned, full = (sum_events(results, "both", event) for event in ("recoveries", "troubles"))
    points = [format_points_per_line(results, name) for name in ("medico", "threshold-0", "threshold-200")]
    return (
        f"Both modes together score {both.formatted}, recovery mode alone {recovery.formatted} "
        f"({describe_difference(recovery, both)}) and scoring mode alone {scoring.formatted} "
        f"({describe_difference(scoring, both)}). The points per line are {points[0]}, {points[1]} and {points[2]}: "
        f"{gain}. In {len(results['followed']['both']):,} games, the bot entered recovery mode {full:,} times, and "
        f"returned to scoring mode in {format_whole_percent(returned / max(1, full))} of them."
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


def describe_board_fill(results: MeasurementResults) -> str:
    """Describe what board fill changes, by comparison with a bot that has other weights instead of it."""
    unfilled, equivalent, pieces = (sum_events(results, "both", name) for name in ("unfilled", "equivalent", "pieces"))
    return (
        f"Removing it changes {unfilled:,} of {pieces:,} decisions. The sum of heights is the number of filled cells "
        "plus the holes, and all placements of a piece add as many cells, so the parameter can only add 1 point to the "
        "penalty of 50 for a hole and 10 points to each line: a bot with these weights instead of the parameter "
        f"differs in {equivalent:,} of {pieces:,} decisions."
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
    shares = [compute_event_ratio(results, name, "scoring pieces", "pieces").value for name in ("above", "above, drop")]
    return (
        f"With that spawn, the scores with tucks are {' and '.join(parts)}. With both modes, the bot places "
        f"{format_whole_percent(shares[0])} of its pieces in scoring mode with tucks and "
        f"{format_whole_percent(shares[1])} without."
    )


def describe_next_piece(results: MeasurementResults) -> str:
    """Describe how much the next piece changes scores and decisions."""
    both, one = compute_mean_score(results, "medico"), compute_mean_score(results, "one piece")
    changed = compute_event_ratio(results, "both", "one piece", "pieces").value
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
