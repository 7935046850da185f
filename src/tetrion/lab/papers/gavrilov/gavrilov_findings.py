"""Findings about Gavrilov's agents: checks of his claims about games, and answers to his open questions."""

from typing import Any

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.evaluation.confidence_intervals import compute_student_margin
from tetrion.evaluation.number_format import format_count, format_name, format_number, format_percent
from tetrion.lab.reproduction.measured_values import (
    compute_difference,
    compute_mean,
    compute_mean_over_seeds,
    compute_median,
    compute_ratio,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

FloatArray = np.ndarray[Any, Any]

GAMES_PER_SERIES = 10  # games per test in the report (section 7.6)
GAVRILOV_TRAINED_WEIGHTS = {  # section 9.2
    name: float(str(weight)) for name, weight in load_weighted_agent("gavrilov").weights.items()
}
GAVRILOV_FEATURE_NAMES = tuple(GAVRILOV_TRAINED_WEIGHTS)
GAVRILOV_FEATURE_LABELS = dict(  # names in the report
    zip(GAVRILOV_FEATURE_NAMES, ("height", "holes", "bumpiness", "clearing"), strict=True)
)
BUMPINESS_WEIGHTS = ("0", "0.1", "0.25", "0.5", "1")
HOLES_WEIGHTS = ("2", "3", "5", "10")
GAVRILOV_RANDOMISERS = ("bag", "uniform", "nes", "nes-counts", "sz", "alternating-sz", "adversary")
_HARDEST_RANDOMISERS = GAVRILOV_RANDOMISERS[-3:]
GAVRILOV_AGENT_NAMES = ("random-keys", "lowest", "gavrilov-2", "gavrilov-3", "gavrilov-4", "gavrilov")
ADDED_FEATURES = {  # training name: features added to the four of the report
    "with-wells": ("wells",),
    "with-number-of-wells": ("number_of_wells",),
    "with-aggregate-height": ("aggregate_height",),
    "with-weighted-cells": ("weighted_filled_cells",),
    "with-three": ("wells", "aggregate_height", "weighted_filled_cells"),
}


def get_sample_lines(results: MeasurementResults, name: str) -> FloatArray:
    """Return the lines of the first games of a measurement."""
    return np.array(results[name]["sample"]["lines"], float)


def split_into_series(lines: FloatArray) -> FloatArray:
    """Split games into series of ten, one row per series."""
    return lines[: len(lines) // GAMES_PER_SERIES * GAMES_PER_SERIES].reshape(-1, GAMES_PER_SERIES)


def compute_best_of_ten(name: str, results: MeasurementResults) -> MeasuredValue:
    """Return the median over series of ten games of the best game in each series."""
    series = split_into_series(get_sample_lines(results, name))
    return compute_median(series.max(axis=1), f"the best of ten games, {len(series):,} times")


def compute_lines_ratio(first: str, second: str, results: MeasurementResults) -> MeasuredValue:
    """Return the ratio of the lines of two measurements."""
    return compute_ratio(compute_mean(results[first]), compute_mean(results[second]))


def check_more_lines(first: str, second: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether the first clears significantly more lines than the second."""
    more, less = compute_mean(results[first]), compute_mean(results[second])
    holds = compute_difference(more, less).interval[0] > 0
    return MeasuredValue(
        holds=holds,
        text=f"{more.formatted} against {less.formatted} lines",
        evidence="the interval of the difference is above 0",
    )


def check_significance_in_ten_games(first: str, second: str, results: MeasurementResults) -> MeasuredValue:
    """Check that series of ten games usually show no significant lead of the first over the second."""
    pairs = list(
        zip(
            split_into_series(get_sample_lines(results, first)),
            split_into_series(get_sample_lines(results, second)),
            strict=False,
        )
    )
    is_significant = [
        more.mean() - less.mean() > float(np.hypot(compute_student_margin(more), compute_student_margin(less)))
        for more, less in pairs
    ]
    share = float(np.mean(is_significant))
    more, less = compute_mean(results[first]), compute_mean(results[second])
    text = f"{more.formatted} against {less.formatted}; significant in {format_percent(share)} of series of ten games"
    evidence = "ten games of each usually do not show a difference"
    return MeasuredValue(holds=share < 0.5, text=text, basis=f"{len(pairs):,} series", evidence=evidence)


def format_weighting_name(name: str) -> str:
    """Return the measurement name of an agent with other weights."""
    return f"weighed-{name}"


def check_equal_weights_cause(results: MeasurementResults) -> MeasuredValue:
    """Check whether bumpiness helps if holes have a larger weight."""
    equal, without = compute_mean(results["gavrilov-3"]), compute_mean(results["gavrilov-2"])
    heavy = compute_mean(results[format_weighting_name("holes-10")])
    holds = compute_difference(heavy, without).interval[0] > 0 > compute_difference(equal, without).interval[1]
    text = f"{equal.formatted} lines with equal weights, {heavy.formatted} with a ten times larger weight of holes"
    return MeasuredValue(
        holds=holds, text=text, evidence=f"without bumpiness it is {without.formatted}, between the two"
    )


def format_ablation_name(feature: str) -> str:
    """Return the measurement name of the trained agent without a feature."""
    return f"without-{feature}"


def compute_lines_without_features(results: MeasurementResults) -> dict[str, MeasuredValue]:
    """Return the lines of the trained agent without each of its features."""
    return {feature: compute_mean(results[format_ablation_name(feature)]) for feature in GAVRILOV_FEATURE_NAMES}


def check_holes_most_important(results: MeasurementResults) -> MeasuredValue:
    """Check whether removing holes leaves the fewest lines."""
    lines = compute_lines_without_features(results)
    holds = all(
        compute_difference(lines[name], lines["holes"]).interval[0] > 0
        for name in GAVRILOV_FEATURE_NAMES
        if name != "holes"
    )
    text = "; ".join(f"without {GAVRILOV_FEATURE_LABELS[name]} {ours.formatted}" for name, ours in lines.items())
    return MeasuredValue(holds=holds, text=text, evidence="removing holes leaves the fewest lines")


def check_feature_matters(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether the trained agent clears fewer lines without a feature."""
    complete, without = compute_mean(results["gavrilov"]), compute_lines_without_features(results)[feature]
    text = f"{without.formatted} lines without it, {complete.formatted} with it"
    return MeasuredValue(
        holds=compute_difference(complete, without).interval[0] > 0, text=text, evidence="removing it costs lines"
    )


def check_every_game_above_1500(results: MeasurementResults) -> MeasuredValue:
    """Check whether ten games in a row are above 1,500 lines with a probability of more than one half."""
    share = float((get_sample_lines(results, "gavrilov") > 1500).mean())
    probability = share**GAMES_PER_SERIES
    text = f"{format_percent(share)} of games; ten in a row with a probability of {format_percent(probability)}"
    evidence = "ten in a row, as many as in his other tests, are more likely than not"
    return MeasuredValue(holds=probability > 0.5, text=text, evidence=evidence)


def check_bug_is_rare(results: MeasurementResults) -> MeasuredValue:
    """Check whether the bug occurs less than once per 100 lines."""
    lines = results["hanging-rows"]["lines_a_bug"]
    return MeasuredValue(holds=lines > 100, text=f"once per {format_number(lines, 0)} lines", evidence="this is rare")


def check_bug_is_harmless(results: MeasurementResults) -> MeasuredValue:
    """Check that the bug does not significantly reduce the lines."""
    with_bug, without_bug = (compute_mean(results["hanging-rows"][kind]) for kind in ("with", "without"))
    difference = compute_difference(with_bug, without_bug).interval
    text = f"{with_bug.formatted} lines with the bug, {without_bug.formatted} without"
    return MeasuredValue(holds=difference[1] >= 0, text=text, basis=with_bug.basis, evidence="no loss was found")


def check_bag_deals_evenly(results: MeasurementResults) -> MeasuredValue:
    """Check whether a bag has shorter waits and shorter streaks than uniform draws."""
    bag, uniform = (results["sequences"][name] for name in ("bag", "uniform"))
    text = (
        f"longest wait {bag['wait']} pieces and longest streak {bag['streak']}; with uniform draws {uniform['wait']} "
        f"and {uniform['streak']}"
    )
    holds = bag["wait"] < uniform["wait"] and bag["streak"] < uniform["streak"]
    return MeasuredValue(
        holds=holds, text=text, basis=format_count(bag["pieces"], "piece"), evidence="both are shorter with a bag"
    )


def format_randomiser_measurement_name(agent: str, randomiser: str) -> str:
    """Return the measurement name of an agent with a randomiser; the report's own randomiser is the bag."""
    return agent if randomiser == "bag" else f"{agent}-by-{randomiser}"


def make_randomiser_table(results: MeasurementResults) -> list[list[str]]:
    """Return the lines of every agent with every randomiser, one row per agent."""
    return [
        [
            agent,
            *(
                compute_mean(results[format_randomiser_measurement_name(agent, randomiser)]).formatted
                for randomiser in GAVRILOV_RANDOMISERS
            ),
        ]
        for agent in GAVRILOV_AGENT_NAMES
    ]


# Answers


def describe_lines_difference(ours: MeasuredValue, base: MeasuredValue) -> str:
    """Describe whether a value is more or less than a base value, by the interval of the difference."""
    low, high = compute_difference(ours, base).interval
    return "more" if low > 0 else "fewer" if high < 0 else "no difference was found"


def describe_added_features(results: MeasurementResults) -> str:
    """Describe the lines with additional features, trained with the same budget."""
    base = compute_mean_over_seeds(results["evolution"])
    lines = {
        ", ".join(map(format_name, added)): compute_mean_over_seeds(results[name])
        for name, added in ADDED_FEATURES.items()
    }
    parts = [
        f"with {added} {ours.formatted} ({describe_lines_difference(ours, base)})" for added, ours in lines.items()
    ]
    better = [added for added, ours in lines.items() if describe_lines_difference(ours, base) == "more"]
    verdict = f"these are significantly better: {'; '.join(better)}" if better else "none is significantly better"
    return (
        f"With the same recipe and budget, the four features reach {base.formatted} lines per held-out game of at most "
        f"4,000 pieces, in which 1,600 lines are possible ({base.basis}); {'; '.join(parts)}. Of these sets, {verdict}."
    )


def describe_reachable_placements(results: MeasurementResults) -> str:
    """Describe how much all reachable placements help, without and with retraining."""
    drop, reach = compute_mean(results["gavrilov"]), compute_mean(results["reach"])
    trained = compute_mean_over_seeds(results["evolution"])
    retrained = compute_mean_over_seeds(results["evolution-reach"])
    return (
        f"With all reachable placements the trained agent clears {reach.formatted} lines per game, with hard drops "
        f"only {drop.formatted} (all reachable placements: {describe_lines_difference(reach, drop)}). "
        f"Retrained with all reachable placements, the recipe reaches {retrained.formatted} lines per held-out game of "
        f"at most 4,000 pieces, with hard drops only {trained.formatted} (all reachable placements: "
        f"{describe_lines_difference(retrained, trained)}). "
        "T-spins play no role in his rules: a rotation never kicks a piece and earns no points, so only tucks remain."
    )


def describe_randomisers(results: MeasurementResults) -> str:
    """Describe how the randomiser changes the lines of the agents."""
    lines = {
        kind: compute_mean(results[format_randomiser_measurement_name("gavrilov", kind)])
        for kind in GAVRILOV_RANDOMISERS
    }
    trained = compute_ratio(lines["bag"], lines["uniform"])
    two_features = compute_ratio(
        compute_mean(results["gavrilov-2"]),
        compute_mean(results[format_randomiser_measurement_name("gavrilov-2", "uniform")]),
    )
    hardest = max(
        compute_mean(results[format_randomiser_measurement_name(agent, kind)]).value or 0
        for agent in GAVRILOV_AGENT_NAMES
        for kind in _HARDEST_RANDOMISERS
    )
    if trained.interval[0] > max(1, two_features.interval[1]):
        verdict = "the better an agent plays, the more an even distribution of pieces matters"
    elif trained.interval[0] > 1:
        verdict = "an even distribution of pieces matters"
    else:
        verdict = "an effect of an even distribution was not found"
    return (
        f"The trained agent clears {lines['bag'].formatted} lines with his bag, {lines['uniform'].formatted} with "
        f"uniform draws and {lines['nes'].formatted} with the NES console's randomiser. The bag multiplies its lines "
        f"by {trained.formatted} compared with uniform draws, and those of the agent with height and holes by "
        f"{two_features.formatted}: {verdict}. If only S and Z come, or always the worst piece, no agent clears more "
        f"than {format_number(hardest)} lines per game on average."
    )


def make_key_rate_table(results: MeasurementResults) -> list[list[str]]:
    """Return the lines of the random player, one row per key rate."""
    return [[rate, compute_mean(data).formatted] for rate, data in results["key-rates"].items()]


def describe_weight_optimality(results: MeasurementResults) -> str:
    """Describe whether the trained weights are optimal, by the lines without the weight of height."""
    complete, without = compute_mean(results["gavrilov"]), compute_lines_without_features(results)["piece_top"]
    verdict = {
        "more": "the weights are not optimal, because this one costs lines",
        "fewer": "this weight helps",
    }.get(describe_lines_difference(without, complete), "no difference was found")
    return (
        f"Without height the trained agent clears {without.formatted} lines, with it {complete.formatted}: {verdict}."
    )
