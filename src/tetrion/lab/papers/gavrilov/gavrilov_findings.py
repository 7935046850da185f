"""How the figures of Gavrilov's agents are read from games, and what he left open is answered."""

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

GAMES_PER_SERIES = 10  # games of his tests (section 7.6)
GAVRILOV_TRAINED_WEIGHTS = {
    name: float(str(weight)) for name, weight in load_weighted_agent("gavrilov").weights.items()
}  # section 9.2
GAVRILOV_FEATURE_NAMES = tuple(GAVRILOV_TRAINED_WEIGHTS)
GAVRILOV_FEATURE_LABELS = dict(
    zip(GAVRILOV_FEATURE_NAMES, ("height", "holes", "bumpiness", "clearing"), strict=True)
)  # his names
BUMPINESS_WEIGHTS, HOLES_WEIGHTS = ("0", "0.1", "0.25", "0.5", "1"), ("2", "3", "5", "10")  # weights that are tried
GAVRILOV_RANDOMISERS = ("bag", "uniform", "nes", "nes-counts", "sz", "alternating-sz", "adversary")
_HARDEST_RANDOMISERS = GAVRILOV_RANDOMISERS[-3:]
GAVRILOV_AGENT_NAMES = ("random-keys", "lowest", "gavrilov-2", "gavrilov-3", "gavrilov-4", "gavrilov")
ADDED_FEATURES = {  # features that are added to his four, by the name of the training
    "with-wells": ("wells",),
    "with-number-of-wells": ("number_of_wells",),
    "with-aggregate-height": ("aggregate_height",),
    "with-weighted-cells": ("weighted_filled_cells",),
    "with-three": ("wells", "aggregate_height", "weighted_filled_cells"),
}


def get_sample_lines(results: MeasurementResults, name: str) -> FloatArray:
    """The first games of a measurement, in lines."""
    return np.array(results[name]["sample"]["lines"], float)


def split_into_series(lines: FloatArray) -> FloatArray:
    """Games in series of ten, as many as there are."""
    return lines[: len(lines) // GAMES_PER_SERIES * GAMES_PER_SERIES].reshape(-1, GAMES_PER_SERIES)


def compute_best_of_ten(name: str, results: MeasurementResults) -> MeasuredValue:
    """The best of ten games, over and over."""
    series = split_into_series(get_sample_lines(results, name))
    return compute_median(series.max(axis=1), f"the best of ten games, {len(series):,} times")


def compute_lines_ratio(first: str, second: str, results: MeasurementResults) -> MeasuredValue:
    """How many times the lines of the second the first clears."""
    return compute_ratio(compute_mean(results[first]), compute_mean(results[second]))


def check_more_lines(first: str, second: str, results: MeasurementResults) -> MeasuredValue:
    """Whether the first clears more lines than the second, beyond doubt."""
    more, less = compute_mean(results[first]), compute_mean(results[second])
    holds = compute_difference(more, less).interval[0] > 0
    return MeasuredValue(
        holds=holds,
        text=f"{more.formatted} against {less.formatted} lines",
        evidence="the interval of the difference is above 0",
    )


def check_significance_in_ten_games(first: str, second: str, results: MeasurementResults) -> MeasuredValue:
    """In how many series of ten games each the first is significantly above the second."""
    pairs = list(
        zip(
            split_into_series(get_sample_lines(results, first)),
            split_into_series(get_sample_lines(results, second)),
            strict=False,
        )
    )
    found = [
        more.mean() - less.mean() > float(np.hypot(compute_student_margin(more), compute_student_margin(less)))
        for more, less in pairs
    ]
    share = float(np.mean(found))
    more, less = compute_mean(results[first]), compute_mean(results[second])
    words = f"{more.formatted} against {less.formatted}; ten games each show it in {format_percent(share)} of tries"
    because = "ten games of each do not show it as a rule"
    return MeasuredValue(holds=share < 0.5, text=words, basis=f"{len(pairs):,} tries", evidence=because)


def format_weighting_name(name: str) -> str:
    """The name of the measurement of another weighing."""
    return f"weighed-{name}"


def check_equal_weights_cause(results: MeasurementResults) -> MeasuredValue:
    """Whether bumpiness helps once holes weigh more than it does."""
    equal, plain = compute_mean(results["gavrilov-3"]), compute_mean(results["gavrilov-2"])
    heavy = compute_mean(results[format_weighting_name("holes-10")])
    holds = compute_difference(heavy, plain).interval[0] > 0 > compute_difference(equal, plain).interval[1]
    words = f"{equal.formatted} lines with equal weights, {heavy.formatted} with holes ten times as heavy"
    return MeasuredValue(
        holds=holds, text=words, evidence=f"without bumpiness there are {plain.formatted}, between the two"
    )


def format_ablation_name(feature: str) -> str:
    """The name of the measurement of the trained agent without a feature."""
    return f"without-{feature}"


def compute_lines_without_features(results: MeasurementResults) -> dict[str, MeasuredValue]:
    """What the trained agent clears without each of its features."""
    return {feature: compute_mean(results[format_ablation_name(feature)]) for feature in GAVRILOV_FEATURE_NAMES}


def check_holes_most_important(results: MeasurementResults) -> MeasuredValue:
    """Whether holes are the feature without which the fewest lines are left."""
    left = compute_lines_without_features(results)
    others = [
        compute_difference(left[name], left["holes"]).interval[0] > 0
        for name in GAVRILOV_FEATURE_NAMES
        if name != "holes"
    ]
    words = "; ".join(f"without {GAVRILOV_FEATURE_LABELS[name]} {ours.formatted}" for name, ours in left.items())
    return MeasuredValue(holds=all(others), text=words, evidence="without holes the fewest lines are left")


def check_feature_matters(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Whether the trained agent clears fewer lines without a feature."""
    whole, less = compute_mean(results["gavrilov"]), compute_lines_without_features(results)[feature]
    words = f"{less.formatted} lines without it, {whole.formatted} with it"
    return MeasuredValue(
        holds=compute_difference(whole, less).interval[0] > 0, text=words, evidence="it is worth lines"
    )


def check_every_game_above_1500(results: MeasurementResults) -> MeasuredValue:
    """How likely ten games in a row are above 1,500 lines."""
    share = float((get_sample_lines(results, "gavrilov") > 1500).mean())
    words = f"{format_percent(share)} of games; ten in a row with {format_percent(share**GAMES_PER_SERIES)}"
    because = "ten in a row, as many as he played elsewhere, are more likely than not"
    return MeasuredValue(holds=share**GAMES_PER_SERIES > 0.5, text=words, evidence=because)


def check_bug_is_rare(results: MeasurementResults) -> MeasuredValue:
    """How many lines are cleared for each time that a row is left hanging."""
    lines = results["hanging-rows"]["lines_a_bug"]
    return MeasuredValue(holds=lines > 100, text=f"once in {format_number(lines, 0)} lines", evidence="that is rare")


def check_bug_is_harmless(results: MeasurementResults) -> MeasuredValue:
    """Whether rows that hang cost lines."""
    found = {kind: compute_mean(results["hanging-rows"][kind]) for kind in ("with", "without")}
    apart = compute_difference(found["with"], found["without"]).interval
    words = f"{found['with'].formatted} lines with the bug, {found['without'].formatted} without"
    basis = found["with"].basis
    return MeasuredValue(holds=apart[1] >= 0, text=words, basis=basis, evidence="no loss was found")


def check_bag_deals_evenly(results: MeasurementResults) -> MeasuredValue:
    """Whether one waits shorter, and gets shorter streaks, from a bag."""
    bag, uniform = (results["sequences"][name] for name in ("bag", "uniform"))
    words = (
        f"longest wait {bag['wait']} pieces and streak {bag['streak']}, drawn uniformly {uniform['wait']} and "
        f"{uniform['streak']}"
    )
    holds = bag["wait"] < uniform["wait"] and bag["streak"] < uniform["streak"]
    return MeasuredValue(
        holds=holds, text=words, basis=format_count(bag["pieces"], "piece"), evidence="both are shorter"
    )


def format_randomiser_measurement_name(agent: str, randomiser: str) -> str:
    """The name of the measurement of an agent by a randomiser; his own is the bag."""
    return agent if randomiser == "bag" else f"{agent}-by-{randomiser}"


def make_randomiser_table(results: MeasurementResults) -> list[list[str]]:
    """Every agent by every randomiser."""
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
    """In words whether ours is more than a base, by the interval of the difference."""
    low, high = compute_difference(ours, base).interval
    return "more" if low > 0 else "fewer" if high < 0 else "no difference was found"


def describe_added_features(results: MeasurementResults) -> str:
    """What more features are worth at the same budget."""
    base = compute_mean_over_seeds(results["evolution"])
    found = {
        ", ".join(map(format_name, added)): compute_mean_over_seeds(results[name])
        for name, added in ADDED_FEATURES.items()
    }
    parts = [
        f"with {added} {ours.formatted} ({describe_lines_difference(ours, base)})" for added, ours in found.items()
    ]
    better = [added for added, ours in found.items() if describe_lines_difference(ours, base) == "more"]
    verdict = f"better than the four for certain: {'; '.join(better)}" if better else "none is better for certain"
    return (
        f"By the same recipe and budget the four features end at {base.formatted} lines a held-out game of at most 4,000 "
        f"pieces, in which 1,600 are possible ({base.basis}); {'; '.join(parts)}. Of these sets, {verdict}."
    )


def describe_reachable_placements(results: MeasurementResults) -> str:
    """What tucks are worth, to the trained agent and to one trained with them."""
    drop, reach = compute_mean(results["gavrilov"]), compute_mean(results["reach"])
    plain, anew = compute_mean_over_seeds(results["evolution"]), compute_mean_over_seeds(results["evolution-reach"])
    return (
        f"With every end position that has a path the trained agent clears {reach.formatted} lines a game, by straight "
        f"drops {drop.formatted}: {describe_lines_difference(reach, drop)}. Trained anew with them the recipe ends at {anew.formatted} lines a "
        f"held-out game of at most 4,000 pieces, by drops at {plain.formatted}: {describe_lines_difference(anew, plain)}. T-spins have no "
        "place in his rules: a turn never kicks a piece aside and earns no points, so that only tucks remain."
    )


def describe_randomisers(results: MeasurementResults) -> str:
    """What the order of pieces does to the agents."""
    lines = {
        kind: compute_mean(results[format_randomiser_measurement_name("gavrilov", kind)])
        for kind in GAVRILOV_RANDOMISERS
    }
    trained = compute_ratio(lines["bag"], lines["uniform"])
    plain = compute_ratio(
        compute_mean(results["gavrilov-2"]),
        compute_mean(results[format_randomiser_measurement_name("gavrilov-2", "uniform")]),
    )
    hardest = max(
        compute_mean(results[format_randomiser_measurement_name(agent, kind)]).value or 0
        for agent in GAVRILOV_AGENT_NAMES
        for kind in _HARDEST_RANDOMISERS
    )
    if trained.interval[0] > max(1, plain.interval[1]):
        verdict = "how evenly pieces come matters the more, the better an agent plays"
    elif trained.interval[0] > 1:
        verdict = "how evenly pieces come matters"
    else:
        verdict = "that evenness matters was not found"
    return (
        f"The trained agent clears {lines['bag'].formatted} lines from his bag, {lines['uniform'].formatted} from uniform "
        f"draws and {lines['nes'].formatted} from the console's randomiser. The bag is worth {trained.formatted} times the "
        f"lines to it and {plain.formatted} times to the agent of height and holes: {verdict}. "
        "Where S and Z alone are dealt, or the worst piece each time, no agent clears more than "
        f"{format_number(hardest)} lines a game on average."
    )


def make_key_rate_table(results: MeasurementResults) -> list[list[str]]:
    """The random player by its key rate."""
    return [[rate, compute_mean(played).formatted] for rate, played in results["key-rates"].items()]


def describe_weight_optimality(results: MeasurementResults) -> str:
    """Whether the trained weights are the best of their kind."""
    whole, less = compute_mean(results["gavrilov"]), compute_lines_without_features(results)["piece_top"]
    verdict = {
        "more": "the weights are not optimal, this one costs lines",
        "fewer": "that weight has its use",
    }.get(describe_lines_difference(less, whole), "no difference was found")
    return f"Without height the trained agent clears {less.formatted} lines, with it {whole.formatted}: {verdict}."
