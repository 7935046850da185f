"""Figures of the ablation of features."""

from tetrion.evaluation.number_format import format_name
from tetrion.papers.ablation.measure import NINE_FEATURES, added_features
from tetrion.papers.charts import Figure, FigureSize, ForestRow, Results, draw_forest_plot
from tetrion.papers.measured_values import compute_mean, compute_mean_over_seeds, ratio


def draw_removal(results: Results, size: FigureSize) -> Figure:
    """Draw the lines without each feature, with the other weights unchanged and retrained; the worst loss first."""
    dt20, nine = compute_mean(results["dt20"]), compute_mean_over_seeds(results["nine"])
    unchanged = {name: ratio(compute_mean(results[f"dt20-without-{name}"]), dt20) for name in NINE_FEATURES}
    retrained = {name: ratio(compute_mean_over_seeds(results[f"without-{name}"]), nine) for name in NINE_FEATURES}
    rows = [
        ForestRow(format_name(name), values[name], series=series)
        for name in sorted(NINE_FEATURES, key=lambda name: retrained[name].value or 0)
        for series, values in {"weight set to 0": unchanged, "others retrained": retrained}.items()
    ]
    return draw_forest_plot(size, "Lines without a feature, relative to all nine", "10×10", rows)


def draw_steps(results: Results, size: FigureSize) -> Figure:
    """Draw lines per game after each added feature."""
    steps = added_features(results["greedy"])
    labels = [f"{number}: {'+ ' * (number > 1)}{step['feature']}" for number, step in enumerate(steps, 1)]
    rows = [ForestRow(label, step["lines"]) for label, step in zip(labels, steps, strict=True)]
    return draw_forest_plot(size, "Lines per game", "10×10", rows)


DRAWINGS = (draw_removal, draw_steps)
