"""Figures and tables of the TetrAIs report, from our games."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import get_series_colour
from tetrion.evaluation.number_format import format_count, format_name, format_number
from tetrion.lab.papers.tetrais.tetrais_findings import (
    MEAN_STATISTIC,
    VARIANCE_DECIMALS,
    VARIANCE_STATISTIC,
    compute_statistic,
    find_largest_weight,
    format_power_of_ten,
)
from tetrion.lab.papers.tetrais.tetrais_measurements import (
    DIVERGENCE_EPISODES,
    FALL_SPEED_GAMES,
    FALL_SPEED_LEVELS,
    GREEDY_TIE_BREAKS,
    MIN_HEIGHT_INTERPRETATIONS,
    RANDOM_AGENT_ENDINGS,
    RECIPE_LEARNING_RATE,
    RUN_COUNTS,
    format_fall_speed_name,
)
from tetrion.lab.reproduction.measured_values import compute_mean, compute_mean_over_seeds, compute_ratio
from tetrion.lab.reproduction.paper_definition import MeasurementResults, PaperFigure, ResultTable
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedSample, Verdict
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

TETRAIS_AGENT_LABELS = {"random": "random", "min-height": "minimum height", "greedy": "greedy"}
TETRAIS_PUBLISHED_VALUES = {  # Figures 13 and 14, by agent and number of games
    MEAN_STATISTIC: {
        "random": {10: 24.0, 100: 25.93, 1000: 24.756},
        "min-height": {10: 51.6, 100: 56.92, 1000: 58.705},
        "greedy": {10: 7143.3, 100: 7473.21, 1000: 6883.101},
    },
    VARIANCE_STATISTIC: {
        "random": {10: 0.25347222, 100: 0.142430249, 1000: 0.09662975},
        "min-height": {10: 0.163316507, 100: 0.463788158, 1000: 0.334299294},
        "greedy": {10: 0.108576377, 100: 0.336619846, 1000: 0.317827668},
    },
}
_OTHER_INTERPRETATIONS = {
    "forty": ("random", "random, ten columns"),
    "edge": ("random", "random, eleven columns"),
    "greedy-higher": ("greedy", "greedy, higher of equals"),
}
_FIGURE_12_WEIGHTS = (  # lines cleared, total height, maximum height, holes, deltas
    ("the report, initial", (4, -2, -1, -1, -1)),
    ("the report, episode 1", (3.881490037, 5.149721621, 6.587757221, -35.66024158, 0.635713852)),
    ("the report, episode 5", (1.05e59, 1.21e120, -1.30e121, 4.38e121, -5.46e122)),
)


def make_published_statistic(agent: str, runs: int, statistic: str) -> PublishedSample:
    """Return a cell of Figure 13 or 14."""
    value = TETRAIS_PUBLISHED_VALUES[statistic][agent][runs]
    digits = VARIANCE_DECIMALS if statistic == VARIANCE_STATISTIC else None
    return PublishedSample(
        f"{value:,}".removesuffix(".0") if statistic == MEAN_STATISTIC else format_number(value, digits),
        value=value,
        sample=format_count(runs, "game"),
        decimals=digits,
    )


def make_run_statistics_table(statistic: str, results: MeasurementResults) -> list[list[str]]:
    """Return the rows of Figure 13 or 14 with the 95 % range of as many of our games."""
    rows = []
    agents = {**{name: (name, label) for name, label in TETRAIS_AGENT_LABELS.items()}, **_OTHER_INTERPRETATIONS}
    for name, (agent, label) in agents.items():
        for runs in RUN_COUNTS:
            ours = compute_statistic(results[name], runs, statistic)
            published = make_published_statistic(agent, runs, statistic)
            low, high = (format_number(end, published.decimals) for end in ours.interval)
            verdict = "outside" if published.compare(ours).verdict == Verdict.DIFFERS else "within"
            rows.append([label, f"{runs:,}", published.text, ours.formatted, f"{low} to {high}", verdict])
    return rows


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
        for alpha in ("0.002", "0.05"):
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
    for label, name, drop in (("greedy", "greedy", "greedy"), ("Q-learning", "q", "q-drop"), ("depth-2", "depth2", "")):
        entries += [
            ForestRow(f"{label}, hard drop", compute_mean(results[drop or "depth2"])),
            ForestRow(f"{label}, no lock delay", compute_mean(results[f"{name}-stiff"])),
            ForestRow(f"{label}, moves after landing", compute_mean(results[f"{name}-soft"])),
        ]
    return draw_forest_plot(size, "Lines by movement rule", "lines per game", entries)


def draw_agents(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the scores of all agents, including the genetic ones that the report leaves for future work."""
    games = results["genetic-games"]
    entries = [
        *(ForestRow(label, compute_mean(results[name], "score")) for name, label in TETRAIS_AGENT_LABELS.items()),
        ForestRow("Q-learning", compute_mean_over_seeds(results["q"], "score")),
        ForestRow("genetic", compute_mean(games["depth-1"], "score")),
        ForestRow("depth-2", compute_mean(results["depth2"], "score")),
        ForestRow("genetic, depth 2", compute_mean(games["looking-ahead"], "score")),
        ForestRow("learnt at depth 2", compute_mean(games["learnt-ahead"], "score")),
    ]
    return draw_forest_plot(size, "Score per game", "rules tetrais", entries)


def make_weights_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return the weights of Figure 12 and ours."""
    order = ("lines", "aggregate_height", "max_height", "holes", "bumpiness")
    rows = [[label, *(format_power_of_ten(weight) for weight in weights)] for label, weights in _FIGURE_12_WEIGHTS]
    for alpha in (f"{RECIPE_LEARNING_RATE:g}", "0.05"):
        data = results["divergence"]["raw"][alpha]
        for episode in (1, DIVERGENCE_EPISODES):
            weights = dict(zip(data["names"], data["weights"][episode - 1], strict=True))
            rows.append(
                [f"ours, α {alpha}, episode {episode}", *(format_power_of_ten(weights[name]) for name in order)]
            )
    return rows


def make_learning_rate_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return the largest weights, one row per learning rate."""
    return [
        [alpha, *(f"{format_power_of_ten(size)} ({format_name(name)})" for name, size in pair)]
        for alpha in results["divergence"]["raw"]
        for pair in [
            [
                find_largest_weight(results, features, DIVERGENCE_EPISODES, float(alpha))
                for features in ("raw", "differences")
            ]
        ]
    ]


def make_interpretation_row(label: str, data: Any) -> list[str]:
    """Return the table row of an interpretation."""
    return [
        label,
        compute_mean(data, "score").formatted,
        format_number(float(data[VARIANCE_STATISTIC]), VARIANCE_DECIMALS),
        format_count(data["games"], "game"),
    ]


def make_random_agent_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return one row per interpretation of the random agent."""
    return [
        make_interpretation_row("uniform placements; game over when a new piece does not fit", results["random"]),
        make_interpretation_row(
            "four orientations and ten columns (section 6.4), pushed back to the wall; the same game over",
            results["forty"],
        ),
        make_interpretation_row(
            "four orientations and columns 0 to 10 (section 5.1), pushed back; the same game over", results["edge"]
        ),
        *(make_interpretation_row(label, results[name]) for name, (label, _) in RANDOM_AGENT_ENDINGS.items()),
    ]


def make_entry_above_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return the scores of three agents with the default spawn and with a spawn above the 22 rows."""
    return [
        [
            label,
            f"{TETRAIS_PUBLISHED_VALUES[MEAN_STATISTIC][name][RUN_COUNTS[-1]]:,}",
            compute_mean(results[name], "score").formatted,
            compute_mean(results[f"{name}-above"], "score").formatted,
        ]
        for name, label in TETRAIS_AGENT_LABELS.items()
    ]


def make_min_height_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return one row per interpretation of "minimum height"."""
    return [
        *(make_interpretation_row(label, results[name]) for name, (label, _) in MIN_HEIGHT_INTERPRETATIONS.items()),
        make_interpretation_row(
            "left edge nearest to the lowest column, any orientation (our agent)", results["min-height"]
        ),
    ]


def make_tie_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return one row per tie-breaking rule of the greedy agent."""
    return [
        make_interpretation_row("first by orientation and column (default)", results["greedy"]),
        *(make_interpretation_row(label, results[name]) for name, (label, _) in GREEDY_TIE_BREAKS.items()),
        make_interpretation_row("higher landing height", results["greedy-higher"]),
    ]


_INTERPRETATION_HEADINGS = ("Interpretation", "Score per game", "Normalised variance", "Games")
_RUN_STATISTICS_HEADINGS = ("Agent", "Games", "Published", "Ours", "95 % range of as many games", "Published value is")
_RUN_STATISTICS_NOTE = "The 95 % range is that of a thousand series of as many games, drawn from all of our games."

TETRAIS_TABLES = [
    ResultTable(
        "Figure 13: the agents' average score",
        _RUN_STATISTICS_NOTE,
        _RUN_STATISTICS_HEADINGS,
        lambda results: make_run_statistics_table(MEAN_STATISTIC, results),
    ),
    ResultTable(
        "Figure 14: the agents' normalised variance",
        _RUN_STATISTICS_NOTE,
        _RUN_STATISTICS_HEADINGS,
        lambda results: make_run_statistics_table(VARIANCE_STATISTIC, results),
    ),
    ResultTable(
        "Figure 12: weights of raw features",
        "With the report's formula and its initial weights; α is the learning rate, which it does not give.",
        ("Weights", "Lines", "Total height", "Maximum height", "Holes", "Deltas"),
        make_weights_table,
    ),
    ResultTable(
        "Raw features, differences, and the learning rate",
        f"The largest weight after {DIVERGENCE_EPISODES} episodes. Differences prevent the growth if the learning "
        "rate is small.",
        ("Learning rate", "Raw features", "Differences"),
        make_learning_rate_table,
    ),
    ResultTable(
        "Interpretations of the random agent",
        "The report does not give the game-over condition. Its actions are an orientation and a column for every "
        "piece: if a piece that would leave the board is pushed back to the wall, more pieces lie at the wall and "
        "games last longer.",
        _INTERPRETATION_HEADINGS,
        make_random_agent_table,
    ),
    ResultTable(
        "Spawn above the 22 rows",
        "With two more rows at the top, random and greedy games last about as long as the report's, and those of the "
        "minimum height agent last longer.",
        ("Agent", "Published, 1,000 games", "Ours", "Ours, spawn above"),
        make_entry_above_table,
    ),
    ResultTable(
        "Interpretations of the minimum height agent",
        "The report describes a scan of rows from top to bottom and from left to right, but not what follows from it.",
        _INTERPRETATION_HEADINGS,
        make_min_height_table,
    ),
    ResultTable(
        "Tie-breaking rules of the greedy agent",
        "With integer weights, ties are frequent, and the report does not give the tie-breaking rule. The rule alone "
        "moves the mean from below to above the published value.",
        _INTERPRETATION_HEADINGS,
        make_tie_table,
    ),
]

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
        "Each peak further to the right corresponds to one more cleared line.",
        make_score_distribution_drawer("Minimum height", {"min-height": "minimum height"}),
    ),
    PaperFigure(
        "greedy",
        "Figure 9: score distribution of the greedy agent",
        "With two tie-breaking rules.",
        make_score_distribution_drawer("Greedy", {"greedy": "first of equals", "greedy-higher": "higher of equals"}),
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
        "Score per game; a censored mean where games were capped.",
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
