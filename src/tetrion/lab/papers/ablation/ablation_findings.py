"""The value of each feature: ratios of lines, answers, figures and tables."""

from typing import TYPE_CHECKING

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_name, format_number
from tetrion.lab.papers.ablation.ablation_measurements import FEATURE_SET_LABELS, FEATURE_SETS, GABILLON_FEATURES
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_mean_over_seeds,
    compute_ratio,
    join_names,
    make_mean_reader,
    make_ratio_reader,
    make_seed_mean_reader,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.reproduction_figures import ForestRow, draw_forest_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize


def make_removal_reader(controller: str, feature: str) -> ValueReader:
    """Return a reader of the share of the lines that is left without a feature, other weights unchanged."""
    return make_ratio_reader(make_mean_reader(f"{controller}-without-{feature}"), make_mean_reader(controller))


def make_retraining_reader(feature: str) -> ValueReader:
    """Return a reader of the lines learnt without a feature, as a ratio to those learnt with all nine."""
    return make_ratio_reader(make_seed_mean_reader(f"without-{feature}"), make_seed_mean_reader("nine"))


def compute_step_means(results: MeasurementResults) -> list[MeasuredValue]:
    """Return the mean lines over seeds after each added feature."""
    means = []
    for step in results["greedy"]["steps"]:
        lines = np.array(step["lines"])
        means.append(
            MeasuredValue(float(lines.mean()), compute_mean_interval(lines), basis=format_count(len(lines), "seed"))
        )
    return means


def describe_dispensable_features(results: MeasurementResults) -> str:
    """Describe which features can be left out if the other weights are retrained."""
    ratios = {feature: make_retraining_reader(feature)(results) for feature in GABILLON_FEATURES}
    needed = sorted(
        (name for name in GABILLON_FEATURES if ratios[name].interval[1] < 1), key=lambda name: ratios[name].value or 0
    )
    spare = [format_name(name) for name in GABILLON_FEATURES if name not in needed]
    losses = ", ".join(f"{format_name(name)} ({ratios[name].formatted} the lines)" for name in needed)
    first = f"Lines are lost without these, even after retraining: {losses}" if needed else "No loss is certain"
    return f"{first}. " + (f"Without {join_names(spare)}, no loss was found." if spare else "None can be left out.")


def describe_weight_adaptation(results: MeasurementResults) -> str:
    """Describe whether retraining the other weights compensates for a missing feature."""
    pairs = {
        feature: (make_removal_reader("dt20", feature)(results), make_retraining_reader(feature)(results))
        for feature in GABILLON_FEATURES
    }
    better = [name for name, (fixed, retrained) in pairs.items() if retrained.interval[0] > fixed.interval[1]]
    worst = min(GABILLON_FEATURES, key=lambda name: pairs[name][0].value or 0)
    fixed, retrained = pairs[worst]
    if not better:
        return "For no feature does retraining the other weights give more lines than leaving them unchanged."
    return (
        f"For {len(better)} of {len(GABILLON_FEATURES)} features, retraining the other weights gives more lines "
        "than leaving them unchanged (the intervals do not overlap). With the other weights unchanged, dt20 loses "
        f"most without {format_name(worst)} ({fixed.formatted} the lines); retrained, it reaches "
        f"{retrained.formatted} the lines of all nine features. So neither the size of a weight nor the loss "
        "when it is set to 0 measures the value of its feature."
    )


def describe_sufficient_features(results: MeasurementResults) -> str:
    """Describe after how many features further ones no longer help."""
    means = compute_step_means(results)
    names = [format_name(step["feature"]) for step in results["greedy"]["steps"]]
    gaps = [compute_ratio(means[-1], mean) for mean in means]
    count = next(number for number, gap in enumerate(gaps, 1) if gap.interval[0] <= 1)
    text = f"With {join_names(names[:count])}, training reaches {means[count - 1].formatted} lines"
    if count == len(means):
        return f"{text}: with one feature fewer it reaches less, so all of them contribute."
    return f"{text}; with all {len(names)}, {means[-1].formatted}: beyond {count} features, no further gain was found."


def describe_hole_weights(results: MeasurementResults) -> str:
    """Describe the value of the holes feature, whose weight is positive in the DT controllers."""
    weights = {name: float(np.asarray(load_weighted_agent(name).weights["holes"])) for name in ("dt10", "dt20")}
    retrained, fixed = make_retraining_reader("holes")(results), make_removal_reader("dt20", "holes")(results)
    weight_list = ", ".join(f"{name} {weight:+g}" for name, weight in weights.items()).replace("-", "−")
    is_less = retrained.interval[1] < 1
    verdict = "less than with holes" if is_less else "not measurably less than with holes"
    return (
        f"Their weights per hole are {weight_list}. Without this weight, dt20 clears {fixed.formatted} its lines; "
        f"retrained without holes, the other features reach {retrained.formatted} the lines of all nine, {verdict}. "
        "Rows with holes, hole depth and column transitions also depend on holes, so this weight may only correct "
        "theirs."
    )


def draw_feature_removal(controller: str, results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the lines of a controller without each of its features, relative to the whole controller."""
    features = load_weighted_agent(controller).weights
    entries = [
        ForestRow(format_name(feature), make_removal_reader(controller, feature)(results)) for feature in features
    ]
    entries.sort(key=lambda entry: entry.measured.value or 0)
    return draw_forest_plot(size, f"Lines relative to {controller}", "10×10", entries)


def draw_retraining(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the lines learnt without each feature, relative to all nine features."""
    entries = [
        ForestRow(format_name(feature), make_retraining_reader(feature)(results)) for feature in GABILLON_FEATURES
    ]
    entries.sort(key=lambda entry: entry.measured.value or 0)
    return draw_forest_plot(size, "Lines relative to all nine features", "10×10", entries)


def draw_greedy_steps(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game after each added feature."""
    names = [format_name(step["feature"]) for step in results["greedy"]["steps"]]
    labels = [f"{number}: {'+ ' if number > 1 else ''}{name}" for number, name in enumerate(names, 1)]
    entries = [ForestRow(label, ours) for label, ours in zip(labels, compute_step_means(results), strict=True)]
    return draw_forest_plot(size, "Lines per game", "10×10", entries)


def make_feature_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per feature: lines without it, with unchanged and with retrained weights."""
    du = load_weighted_agent("du").weights
    return [
        [
            format_name(feature),
            make_removal_reader("dt20", feature)(results).formatted,
            make_removal_reader("du", feature)(results).formatted if feature in du else "not used",
            make_retraining_reader(feature)(results).formatted,
        ]
        for feature in GABILLON_FEATURES
    ]


def make_feature_set_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per feature set of the literature, all trained with the same budget."""
    rows = []
    for name, label in FEATURE_SET_LABELS.items():
        ours = compute_mean_over_seeds(results[name])
        best = max(run["result"]["uncorrected"]["lines"]["mean"] for run in results[name]["runs"])
        rows.append([label, str(len(FEATURE_SETS[name])), ours.formatted, format_number(best), ours.basis])
    return rows


def make_greedy_step_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per step of the greedy selection, with the second choice."""
    rows, means = [], compute_step_means(results)
    for number, (step, ours) in enumerate(zip(results["greedy"]["steps"], means, strict=True), 1):
        others = [feature for feature in step["tried"] if feature != step["feature"]]
        second = max(others, key=lambda feature: float(np.mean(step["tried"][feature])), default="")
        gap = compute_ratio(ours, means[number - 2]).formatted if number > 1 else "–"
        rows.append([str(number), format_name(step["feature"]), ours.formatted, gap, format_name(second) or "–"])
    return rows
