"""Figures of Gavrilov's report, drawn from our data."""

from typing import TYPE_CHECKING

import numpy as np

from tetrion.drawing.palette import ACCENT, SECOND_ACCENT
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.figure_charts import Chart, FigureSize, LineLabel
from tetrion.lab.papers.gavrilov.gavrilov_evolution import compute_final_weight, get_incumbent_weights, get_metric
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    ADDED_FEATURES,
    BUMPINESS_WEIGHTS,
    GAMES_PER_SERIES,
    GAVRILOV_FEATURE_LABELS,
    GAVRILOV_FEATURE_NAMES,
    GAVRILOV_RANDOMISERS,
    GAVRILOV_TRAINED_WEIGHTS,
    HEAVY_HOLES_WITHOUT_BUMPINESS,
    HOLES_WEIGHTS,
    format_randomiser_measurement_name,
    format_weighting_name,
    get_sample_lines,
)
from tetrion.lab.reproduction.measured_values import compute_mean, compute_mean_over_seeds
from tetrion.lab.reproduction.paper_definition import MeasurementResults, PaperFigure
from tetrion.lab.reproduction.reproduction_figures import (
    ForestRow,
    draw_forest_plot,
    draw_generation_curves,
    draw_ridgeline_plot,
    to_float_array,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HAND_MADE_AGENTS = {
    "height": "lowest",
    "+ holes": "gavrilov-2",
    "+ bumpiness": "gavrilov-3",
    "+ clearing": "gavrilov-4",
}
_PUBLISHED_LINES = {"lowest": (7, 8), "gavrilov-2": (60, 70), "gavrilov-3": (15, 15), "gavrilov-4": (20, 20)}
_RULES_LABEL = "rules gavrilov"


def draw_ten_games(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw ten games of each agent with equal weights."""
    lines = {
        label: get_sample_lines(results, name)[:GAMES_PER_SERIES].tolist() for label, name in _HAND_MADE_AGENTS.items()
    }
    return draw_generation_curves(
        size,
        "Lines per game",
        lines,
        "The first ten games of each agent; the numbers at the right are the tenth",
        "by game",
    )


def draw_hand_made_agents(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the mean of each agent with equal weights and the published mean."""
    entries = [ForestRow("random keys", compute_mean(results["random-keys"]), (1, 2))]
    entries += [
        ForestRow(label, compute_mean(results[name]), _PUBLISHED_LINES[name])
        for label, name in _HAND_MADE_AGENTS.items()
    ]
    return draw_forest_plot(size, "Lines per game", _RULES_LABEL, entries)


def draw_weightings(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the lines with other weights of holes and bumpiness."""
    entries = [
        ForestRow(f"holes 1, bumpiness {value}", compute_mean(results[format_weighting_name(f"bumpiness-{value}")]))
        for value in BUMPINESS_WEIGHTS
    ]
    entries += [
        ForestRow(f"holes {value}, bumpiness 1", compute_mean(results[format_weighting_name(f"holes-{value}")]))
        for value in HOLES_WEIGHTS
    ]
    heavy = compute_mean(results[format_weighting_name(HEAVY_HOLES_WITHOUT_BUMPINESS)])
    entries.append(ForestRow("holes 10, bumpiness 0", heavy))
    return draw_forest_plot(size, "Lines per game", "weight of height: 1", entries)


def draw_candidates(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the lines of every candidate of a run."""
    fitness = np.array(results["individuals"]["fitness"], float)
    legend = f"Point: one of {fitness.shape[1]} candidates · line: their mean"
    chart = Chart(size, "Lines", "by generation", len(fitness), legend, first_step=0)
    steps = np.repeat(np.arange(len(fitness)) + 1, fitness.shape[1])
    chart.draw_points(steps, fitness.ravel(), ACCENT)
    best = float(fitness[-1].max())
    chart.line_labels.append(LineLabel("Best", format_number(best), best, ACCENT))
    chart.draw_line("Mean", fitness.mean(axis=1), SECOND_ACCENT)
    return chart.finish()


def draw_generation_means(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the mean of every generation, for one run and for all runs."""
    means = get_metric(results, "mean")
    run = np.array(results["individuals"]["fitness"], float).mean(axis=1)
    curves = {"90th percentile": np.percentile(means, 90, axis=0), "mean": means.mean(axis=0), "one seed": run}
    curves["10th percentile"] = np.percentile(means, 10, axis=0)
    legend = "Mean lines of a generation: mean and percentiles over all seeds, and the seed of Figure 68"
    lines = {name: curve.tolist() for name, curve in curves.items()}
    return draw_generation_curves(size, "Mean lines", lines, legend, first_step=0)


def draw_weight_history(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the weights of the best candidate in a run."""
    run = results["individuals"]["run"]
    curves = {
        GAVRILOV_FEATURE_LABELS[name]: to_float_array(get_incumbent_weights(results, name)[run]).tolist()
        for name in GAVRILOV_FEATURE_NAMES
    }
    legend = "The seed of Figure 68"
    return draw_generation_curves(size, "Weights of the best candidate", curves, legend, first_step=0)


def draw_final_weights(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the weights at generation 14 over seeds and the published weights."""
    entries = [
        ForestRow(
            GAVRILOV_FEATURE_LABELS[name],
            compute_final_weight(name, results),
            (GAVRILOV_TRAINED_WEIGHTS[name] - 0.05, GAVRILOV_TRAINED_WEIGHTS[name] + 0.05),
        )
        for name in GAVRILOV_FEATURE_NAMES
    ]
    legend = "Dot: median over seeds, with their 95 % range · bar: published"
    return draw_forest_plot(size, "Weights at generation 14", _RULES_LABEL, entries, legend)


def draw_trained_agent(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the distribution of lines of the trained agent."""
    samples = {
        "hard drops only": get_sample_lines(results, "gavrilov"),
        "all reachable placements": get_sample_lines(results, "reach"),
    }
    return draw_ridgeline_plot(
        size, "Lines per game", _RULES_LABEL, {name: lines.tolist() for name, lines in samples.items()}
    )


def draw_added_features(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the lines of the recipe with additional features."""
    entries = [ForestRow("four features", compute_mean_over_seeds(results["evolution"]))]
    entries += [
        ForestRow(
            f"+ {format_name(added[0])}" if len(added) == 1 else "+ wells, aggregate height and weighted filled cells",
            compute_mean_over_seeds(results[name]),
        )
        for name, added in ADDED_FEATURES.items()
    ]
    reach = compute_mean_over_seeds(results["evolution-reach"])
    entries.append(ForestRow("four features, all reachable placements", reach))
    legend = "Held-out games of at most 4,000 pieces; dot: mean over seeds, with its 95 % confidence interval"
    return draw_forest_plot(size, "Lines per game with more features", "same budget", entries, legend)


def draw_randomisers(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the lines of the trained agent with every randomiser."""
    entries = [
        ForestRow(kind, compute_mean(results[format_randomiser_measurement_name("gavrilov", kind)]))
        for kind in GAVRILOV_RANDOMISERS
    ]
    return draw_forest_plot(size, "Lines per game of the trained agent", "by randomiser", entries)


GAVRILOV_FIGURES = [
    PaperFigure(
        "ten-games",
        "Figures 47, 50, 55, 58 and 59: ten games of four agents",
        "Features are added one by one, all with weight one. The report has four separate plots; here they are one.",
        draw_ten_games,
    ),
    PaperFigure(
        "agents",
        "Figure 59 with all games",
        "The means of many games, compared with the values in the text.",
        draw_hand_made_agents,
    ),
    PaperFigure(
        "weighings",
        "Why bumpiness lowers the lines",
        "The weight of height is always 1; the labels give the weights of holes and bumpiness.",
        draw_weightings,
    ),
    PaperFigure(
        "individuals",
        "Figure 68: every candidate across generations",
        "The run whose held-out result is the median of all seeds. Generations count from 0.",
        draw_candidates,
    ),
    PaperFigure(
        "averages",
        "Figure 69: the mean of each generation",
        "1,150 moves allow at most 460 lines.",
        draw_generation_means,
    ),
    PaperFigure(
        "weights",
        "Section 9.1: the weights of the best candidate of each generation",
        "The figure in the report has no number.",
        draw_weight_history,
    ),
    PaperFigure("finals", "The weights where he stopped", "His weights and those of our seeds.", draw_final_weights),
    PaperFigure(
        "trained",
        "Figure 70: the trained agent",
        "Games played to their end; the first thousand at most.",
        draw_trained_agent,
    ),
    PaperFigure(
        "features",
        "Future work: more features, all reachable placements",
        "Each variant was trained with several seeds.",
        draw_added_features,
    ),
    PaperFigure("sequences", "Multiple sequence styles", "The report draws pieces from a bag.", draw_randomisers),
]
