"""Figures of the TetrAIs report, from our games."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import get_series_colour
from tetrion.lab.papers.tetrais.tetrais_measurements import (
    FALL_SPEED_GAMES,
    FALL_SPEED_LEVELS,
    RUN_COUNTS,
    format_fall_speed_name,
)
from tetrion.lab.papers.tetrais.tetrais_q_learning_findings import find_largest_weight
from tetrion.lab.papers.tetrais.tetrais_q_learning_measurements import DIVERGENCE_EPISODES
from tetrion.lab.papers.tetrais.tetrais_score_claims import TETRAIS_AGENT_LABELS
from tetrion.lab.papers.tetrais.tetrais_score_findings import (
    MEAN_STATISTIC,
    TETRAIS_PUBLISHED_VALUES,
    VARIANCE_STATISTIC,
    compute_statistic,
    read_mean,
)
from tetrion.lab.reproduction.measured_values import compute_mean, compute_mean_over_seeds, compute_ratio
from tetrion.lab.reproduction.paper_definition import MeasurementResults, PaperFigure
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.reproduction_figures import (
    CategoryChart,
    ForestRow,
    draw_forest_plot,
    draw_parameter_sweep,
    draw_ridgeline_plot,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize


def draw_mean_scores(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw Figure 13 with one row per cell, relative to our own mean."""
    entries = []
    for name, label in TETRAIS_AGENT_LABELS.items():
        for runs in RUN_COUNTS:
            ours = compute_statistic(results[name], runs, MEAN_STATISTIC)
            mean = ours.value or 1.0
            low, high = (end / mean for end in ours.interval)
            published = TETRAIS_PUBLISHED_VALUES[MEAN_STATISTIC][name][runs] / mean
            entries.append(
                ForestRow(f"{label}, {runs:,}", MeasuredValue(1.0, (low, high), text=ours.text), (published, published))
            )
    return draw_forest_plot(size, "Average score", "as a share of our mean", entries, _RUN_STATISTICS_LEGEND)


def draw_variances(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw Figure 14 with one row per cell."""
    entries = [
        ForestRow(
            f"{label}, {runs:,}",
            compute_statistic(results[name], runs, VARIANCE_STATISTIC),
            (TETRAIS_PUBLISHED_VALUES[VARIANCE_STATISTIC][name][runs],) * 2,
        )
        for name, label in TETRAIS_AGENT_LABELS.items()
        for runs in RUN_COUNTS
    ]
    return draw_forest_plot(
        size, "Normalised variance", "by agent and number of games", entries, _RUN_STATISTICS_LEGEND
    )


_RUN_STATISTICS_LEGEND = "Line: 95 % range of as many of our games · dot: all of our games · mark: published"


def make_score_distribution_drawer(title: str, names: dict[str, str]) -> "Any":
    """Return a function that draws the score distributions of the named measurements."""

    def draw(results: MeasurementResults, size: "FigureSize") -> "Figure":
        return draw_ridgeline_plot(
            size, title, "score", {label: results[name]["sample"]["score"] for name, label in names.items()}
        )

    return draw


def draw_divergence(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the largest weight after each episode."""
    legend = "α: learning rate, not given in the report"
    categories = ["start", *(f"{episode}" for episode in range(1, DIVERGENCE_EPISODES + 1))]
    chart = CategoryChart(size, "Largest weight, as a power of ten", "by episode", categories, legend)
    number = 0
    for features in ("raw", "differences"):
        for alpha in ("0.001", "0.01"):
            start = max(map(abs, results["divergence"][features][alpha]["start"]))
            sizes = [
                find_largest_weight(results, features, episode, float(alpha))[1]
                for episode in range(1, DIVERGENCE_EPISODES + 1)
            ]
            powers = np.log10([start, *sizes])
            chart.include_values(*powers)
            chart.draw_line(f"{features}, α {alpha}", powers, get_series_colour(number))
            number += 1
    return chart.finish()


def draw_fall_speeds(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the score against the time per row, relative to the score at the lowest speed."""
    curves = {}
    for agent in FALL_SPEED_GAMES:
        scores = [
            compute_mean(results[format_fall_speed_name(agent, milliseconds)], "score", uncorrected=True)
            for milliseconds in FALL_SPEED_LEVELS
        ]
        curves[agent] = [MeasuredValue(1.0, (1.0, 1.0)), *(compute_ratio(score, scores[0]) for score in scores[1:])]
    categories = [f"{milliseconds:,}" for milliseconds in FALL_SPEED_LEVELS]
    title = "Score relative to 1,000 ms per row"
    return draw_parameter_sweep(size, title, "by milliseconds per row", categories, curves)


def draw_soft_drop(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game with and without moves after landing."""
    entries = []
    for label, name, drop in (
        ("greedy", "greedy", "greedy"),
        ("tetrais-q", "q", "q-drop"),
        ("depth-2", "depth2", "depth2"),
    ):
        entries += [
            ForestRow(f"{label}, hard drop", read_mean(results[drop])),
            ForestRow(f"{label}, no lock delay", read_mean(results[f"{name}-stiff"])),
            ForestRow(f"{label}, moves after landing", read_mean(results[f"{name}-soft"])),
        ]
    return draw_forest_plot(size, "Lines by movement rule", "lines per game", entries)


def draw_agents(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the scores of all agents, including the genetic ones that the report leaves for future work."""
    games = results["genetic-games"]
    entries = [
        *(ForestRow(label, compute_mean(results[name], "score")) for name, label in TETRAIS_AGENT_LABELS.items()),
        ForestRow("Q-learning", compute_mean_over_seeds(results["q-report"], "score")),
        ForestRow("tetrais-q", compute_mean_over_seeds(results["q"], "score")),
        ForestRow("genetic", compute_mean(games["depth-1"], "score")),
        ForestRow("depth-2", read_mean(results["depth2"], "score")),
        ForestRow("genetic, depth 2", read_mean(games["looking-ahead"], "score")),
        ForestRow("learnt at depth 2", read_mean(games["learnt-ahead"], "score")),
    ]
    return draw_forest_plot(size, "Score per game", "rules tetrais", entries)


TETRAIS_FIGURES = [
    PaperFigure(
        "random",
        "Figure 5: score distribution of the random agent",
        "The small peak at the right consists of games with a cleared line, which gives forty points.",
        make_score_distribution_drawer("Random", {"random": "uniform", "edge": "pushed back"}),
    ),
    PaperFigure(
        "min-height",
        "Figure 7: score distribution of the minimum height agent",
        "As low as feasible (`tetrais-min-height`), and on the leftmost of the lowest columns (`min-height`).",
        make_score_distribution_drawer(
            "Minimum height", {"min-height-plain": "as low as feasible", "min-height": "lowest column"}
        ),
    ),
    PaperFigure(
        "greedy",
        "Figure 9: score distribution of the greedy agent",
        "With two tie-breaking rules: the first by orientation and column, and the higher landing height.",
        make_score_distribution_drawer(
            "Greedy", {"greedy": "first by orientation and column", "greedy-higher": "higher landing height"}
        ),
    ),
    PaperFigure(
        "divergence",
        "Figure 12: weights of Q-learning",
        "The largest weight after each episode, for raw features and for differences.",
        draw_divergence,
    ),
    PaperFigure(
        "averages",
        "Figure 13: the agents' average score",
        "The 95 % ranges of 10, 100 and 1,000 of our games, and the published values.",
        draw_mean_scores,
    ),
    PaperFigure(
        "variances",
        "Figure 14: the agents' normalised variance",
        "The variance of the scores after division by their mean.",
        draw_variances,
    ),
    PaperFigure(
        "agents",
        "The agents of the report and genetic agents",
        "Score per game; a censored mean where games were capped. Q-learning: the recipe tetrais-q-report.",
        draw_agents,
    ),
    PaperFigure(
        "soft-drop",
        "With and without soft drop",
        "Hard drop: the report's rule. In the other two, a piece moves from its spawn.",
        draw_soft_drop,
    ),
    PaperFigure(
        "falling",
        "Scores as pieces fall faster",
        "Ten keys per second; all games are capped at the same number of pieces.",
        draw_fall_speeds,
    ),
]
