"""The figures of Gavrilov's report, drawn from our data."""

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
    """Ten games of each hand-made agent."""
    lines = {
        label: get_sample_lines(results, name)[:GAMES_PER_SERIES].tolist() for label, name in _HAND_MADE_AGENTS.items()
    }
    return draw_generation_curves(
        size, "Lines a game", lines, "The first ten games of each; at the right the tenth", "by game"
    )


def draw_hand_made_agents(results: MeasurementResults, size: FigureSize) -> "Figure":
    """The mean of each hand-made agent beside the published one."""
    entries = [ForestRow("random keys", compute_mean(results["random-keys"]), (1, 2))]
    entries += [
        ForestRow(label, compute_mean(results[name]), _PUBLISHED_LINES[name])
        for label, name in _HAND_MADE_AGENTS.items()
    ]
    return draw_forest_plot(size, "Lines a game", _RULES_LABEL, entries)


def draw_weightings(results: MeasurementResults, size: FigureSize) -> "Figure":
    """What equal weights cost."""
    entries = [
        ForestRow(f"holes 1, bumpiness {value}", compute_mean(results[format_weighting_name(f"bumpiness-{value}")]))
        for value in BUMPINESS_WEIGHTS
    ]
    entries += [
        ForestRow(f"holes {value}, bumpiness 1", compute_mean(results[format_weighting_name(f"holes-{value}")]))
        for value in HOLES_WEIGHTS
    ]
    return draw_forest_plot(size, "Lines a game", "height 1", entries)


def draw_candidates(results: MeasurementResults, size: FigureSize) -> "Figure":
    """Every individual of a run."""
    fitness = np.array(results["individuals"]["fitness"], float)
    key = f"Point: one of {fitness.shape[1]} individuals · line: their mean"
    chart = Chart(size, "Lines", "by generation", len(fitness), key)
    steps = np.repeat(np.arange(len(fitness)) + 1, fitness.shape[1])
    chart.draw_points(steps, fitness.ravel(), ACCENT)
    best = float(fitness[-1].max())
    chart.line_labels.append(LineLabel("Best", format_number(best), best, ACCENT))
    chart.draw_line("Mean", fitness.mean(axis=1), SECOND_ACCENT)
    return chart.finish()


def draw_generation_means(results: MeasurementResults, size: FigureSize) -> "Figure":
    """The mean of every generation, of one run and of all."""
    means = get_metric(results, "mean")
    run = np.array(results["individuals"]["fitness"], float).mean(axis=1)
    lines = {"9 in 10": np.percentile(means, 90, axis=0), "mean": means.mean(axis=0), "one seed": run}
    lines["1 in 10"] = np.percentile(means, 10, axis=0)
    key = "Mean lines of a generation: all seeds, where 9 and 1 in 10 of them are below, and the seed of Figure 68"
    return draw_generation_curves(size, "Mean lines", {name: line.tolist() for name, line in lines.items()}, key)


def draw_weight_history(results: MeasurementResults, size: FigureSize) -> "Figure":
    """The best individual's weights in a run."""
    place = results["individuals"]["run"]
    lines = {
        GAVRILOV_FEATURE_LABELS[name]: to_float_array(get_incumbent_weights(results, name)[place]).tolist()
        for name in GAVRILOV_FEATURE_NAMES
    }
    return draw_generation_curves(size, "Weights of the best", lines, "The same seed as in Figure 68")


def draw_final_weights(results: MeasurementResults, size: FigureSize) -> "Figure":
    """The weights at generation 14 over seeds, beside his."""
    entries = [
        ForestRow(
            GAVRILOV_FEATURE_LABELS[name],
            compute_final_weight(name, results),
            (GAVRILOV_TRAINED_WEIGHTS[name] - 0.05, GAVRILOV_TRAINED_WEIGHTS[name] + 0.05),
        )
        for name in GAVRILOV_FEATURE_NAMES
    ]
    key = "Dot: median over seeds, between where 95 % lie · bar: published"
    return draw_forest_plot(size, "Weights at generation 14", _RULES_LABEL, entries, key)


def draw_trained_agent(results: MeasurementResults, size: FigureSize) -> "Figure":
    """How the trained agent's games end."""
    samples = {
        "by drops": get_sample_lines(results, "gavrilov"),
        "every end position": get_sample_lines(results, "reach"),
    }
    return draw_ridgeline_plot(
        size, "Lines a game", _RULES_LABEL, {name: lines.tolist() for name, lines in samples.items()}
    )


def draw_added_features(results: MeasurementResults, size: FigureSize) -> "Figure":
    """What more features come to."""
    entries = [ForestRow("the four", compute_mean_over_seeds(results["evolution"]))]
    entries += [
        ForestRow(
            f"+ {format_name(added[0])}" if len(added) == 1 else "+ wells and both heights",
            compute_mean_over_seeds(results[name]),
        )
        for name, added in ADDED_FEATURES.items()
    ]
    entries += [ForestRow("the four, every end position", compute_mean_over_seeds(results["evolution-reach"]))]
    key = "Lines a held-out game of at most 4,000 pieces; dot: mean over seeds, with its 95 % interval"
    return draw_forest_plot(size, "The recipe with more", "same budget", entries, key)


def draw_randomisers(results: MeasurementResults, size: FigureSize) -> "Figure":
    """The trained agent by every randomiser."""
    entries = [
        ForestRow(kind, compute_mean(results[format_randomiser_measurement_name("gavrilov", kind)]))
        for kind in GAVRILOV_RANDOMISERS
    ]
    return draw_forest_plot(size, "Lines a game of the trained agent", "by randomiser", entries)


GAVRILOV_FIGURES = [
    PaperFigure(
        "ten-games",
        "Figures 47, 50, 55, 58 and 59: ten games of four agents",
        "One feature after another is added, all with weight one; his four single plots are the lines of this one.",
        draw_ten_games,
    ),
    PaperFigure(
        "agents",
        "Figure 59 with all games",
        "The means of many games, beside what the text says.",
        draw_hand_made_agents,
    ),
    PaperFigure(
        "weighings",
        "Why bumpiness lowers the lines",
        "Height always weighs 1; holes and bumpiness weigh as much as is said.",
        draw_weightings,
    ),
    PaperFigure(
        "individuals",
        "Figure 68: every individual across generations",
        "The run that is the median of all seeds in held-out games. His generation 0 is 1 here.",
        draw_candidates,
    ),
    PaperFigure(
        "averages",
        "Figure 69: the mean of each generation",
        "460 lines are the most in 1,150 moves.",
        draw_generation_means,
    ),
    PaperFigure(
        "weights",
        "Section 9.1: the weights of each generation's best",
        "His figure has no number.",
        draw_weight_history,
    ),
    PaperFigure("finals", "The weights where he halted", "His weights among those of many seeds.", draw_final_weights),
    PaperFigure(
        "trained",
        "Figure 70: the trained agent",
        "Games played to their ends, the first thousand at most.",
        draw_trained_agent,
    ),
    PaperFigure(
        "features", "Future work: more features, every end position", "Each over several seeds.", draw_added_features
    ),
    PaperFigure("sequences", "Multiple sequence styles", "His agents are dealt from a bag.", draw_randomisers),
]
