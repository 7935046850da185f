"""TetrAIs' figures and tables, from our games."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import get_series_colour
from tetrion.evaluation.number_format import format_count, format_name, format_number
from tetrion.lab.papers.tetrais.tetrais_findings import (
    MEAN_STATISTIC,
    VARIANCE_DECIMALS,
    VARIANCE_STATISTIC,
    PublishedRunStatistic,
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

TETRAIS_AGENT_LABELS = {"random": "random", "min-height": "minimum height", "greedy": "greedy"}
TETRAIS_PUBLISHED_VALUES = {  # Figures 13 and 14: agent, runs
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
    "greedy-higher": ("greedy", "greedy, the higher of equals"),
}
_FIGURE_12_WEIGHTS = (  # lines cleared, total height, maximum height, holes, deltas
    ("the report, to begin with", (4, -2, -1, -1, -1)),
    ("the report, episode 1", (3.881490037, 5.149721621, 6.587757221, -35.66024158, 0.635713852)),
    ("the report, episode 5", (1.05e59, 1.21e120, -1.30e121, 4.38e121, -5.46e122)),
)


def make_published_statistic(agent: str, runs: int, statistic: str) -> PublishedRunStatistic:
    """A cell of Figure 13 or 14."""
    value = TETRAIS_PUBLISHED_VALUES[statistic][agent][runs]
    digits = VARIANCE_DECIMALS if statistic == VARIANCE_STATISTIC else None
    return PublishedRunStatistic(
        f"{value:,}".removesuffix(".0") if statistic == MEAN_STATISTIC else format_number(value, digits),
        value=value,
        runs=runs,
        digits=digits,
    )


def make_run_statistics_table(statistic: str, results: MeasurementResults) -> list[list[str]]:
    """Figure 13 or 14: the published figure, and what so many of our games have."""
    rows = []
    readings = {**{name: (name, label) for name, label in TETRAIS_AGENT_LABELS.items()}, **_OTHER_INTERPRETATIONS}
    for name, (agent, label) in readings.items():
        for runs in RUN_COUNTS:
            ours, theirs = (
                compute_statistic(results[name], runs, statistic),
                make_published_statistic(agent, runs, statistic),
            )
            low, high = (format_number(end, theirs.digits) for end in ours.interval)
            inside = "within" if theirs.compare(ours).agrees else "outside"
            rows.append([label, f"{runs:,}", theirs.text, ours.formatted, f"{low} to {high}", inside])
    return rows


def draw_mean_scores(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Figure 13 as a chart of rows, each by our own mean, so that all of them can be compared."""
    entries = []
    for name, label in TETRAIS_AGENT_LABELS.items():
        for runs in RUN_COUNTS:
            ours = compute_statistic(results[name], runs, MEAN_STATISTIC)
            mean = ours.value or 1.0
            low, high = (end / mean for end in ours.interval)
            place = TETRAIS_PUBLISHED_VALUES[MEAN_STATISTIC][name][runs] / mean
            entries.append(
                ForestRow(f"{label}, {runs:,}", MeasuredValue(1.0, (low, high), text=ours.text), (place, place))
            )
    return draw_forest_plot(size, "Average score", "as a share of our mean", entries, _RUN_STATISTICS_LEGEND)


def draw_variances(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Figure 14 as a chart of rows."""
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


_RUN_STATISTICS_LEGEND = (
    "Line: where 95 of 100 series of so many games of ours lie · dot: all of ours · mark: published"
)


def make_score_distribution_drawer(title: str, names: dict[str, str]) -> "Any":
    """A score distribution."""

    def draw(results: MeasurementResults, size: "FigureSize") -> "Figure":
        return draw_ridgeline_plot(
            size, title, "score", {label: results[name]["sample"]["score"] for name, label in names.items()}
        )

    return draw


def draw_divergence(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """How large the largest weight becomes."""
    key = "α: the learning rate, which the report does not give"
    places = ["start", *(f"{episode}" for episode in range(1, DIVERGENCE_EPISODES + 1))]
    chart = CategoryChart(size, "The largest weight, in powers of ten", "by episode", places, key)
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
    """Score against the time that a row takes, as a share of the score at the lowest speed."""
    lines = {}
    for agent in FALL_SPEED_GAMES:
        found = [
            compute_mean(results[format_fall_speed_name(agent, time)], "score", uncorrected=True)
            for time in FALL_SPEED_LEVELS
        ]
        lines[agent] = [MeasuredValue(1.0, (1.0, 1.0)), *(compute_ratio(ours, found[0]) for ours in found[1:])]
    places, aside = [f"{time:,}" for time in FALL_SPEED_LEVELS], "by milliseconds a row"
    return draw_parameter_sweep(size, "Score, as a share of that at 1,000 ms a row", aside, places, lines)


def draw_soft_drop(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Lines by where a piece may go."""
    entries = []
    for label, name, drop in (("greedy", "greedy", "greedy"), ("Q-learning", "q", "q-drop"), ("depth-2", "depth2", "")):
        entries += [
            ForestRow(f"{label}, from above", compute_mean(results[drop or "depth2"])),
            ForestRow(f"{label}, locks at once", compute_mean(results[f"{name}-stiff"])),
            ForestRow(f"{label}, soft drop", compute_mean(results[f"{name}-soft"])),
        ]
    return draw_forest_plot(size, "Lines by where a piece may go", "lines a game", entries)


def draw_agents(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """All agents, and the genetic ones that were left for later."""
    games = results["genetic-games"]
    entries = [
        *(ForestRow(label, compute_mean(results[name], "score")) for name, label in TETRAIS_AGENT_LABELS.items()),
        ForestRow("Q-learning", compute_mean_over_seeds(results["q"], "score")),
        ForestRow("genetic", compute_mean(games["depth-1"], "score")),
        ForestRow("depth-2", compute_mean(results["depth2"], "score")),
        ForestRow("genetic, depth 2", compute_mean(games["looking-ahead"], "score")),
        ForestRow("learnt at depth 2", compute_mean(games["learnt-ahead"], "score")),
    ]
    return draw_forest_plot(size, "Score a game", "rules tetrais", entries)


def make_weights_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Figure 12 beside ours."""
    order = ("lines", "aggregate_height", "max_height", "holes", "bumpiness")
    rows = [[label, *(format_power_of_ten(weight) for weight in weights)] for label, weights in _FIGURE_12_WEIGHTS]
    for alpha in (f"{RECIPE_LEARNING_RATE:g}", "0.05"):
        learnt = results["divergence"]["raw"][alpha]
        for episode in (1, DIVERGENCE_EPISODES):
            weights = dict(zip(learnt["names"], learnt["weights"][episode - 1], strict=True))
            rows.append(
                [f"ours, α {alpha}, episode {episode}", *(format_power_of_ten(weights[name]) for name in order)]
            )
    return rows


def make_learning_rate_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """How large weights become by learning rate."""
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
    """What a reading makes."""
    return [
        label,
        compute_mean(data, "score").formatted,
        format_number(float(data[VARIANCE_STATISTIC]), VARIANCE_DECIMALS),
        format_count(data["games"], "game"),
    ]


def make_random_agent_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Readings of the random agent."""
    return [
        make_interpretation_row("every placement alike; over when a new piece finds no room", results["random"]),
        make_interpretation_row(
            "four turns and ten columns (section 6.4), pushed back to the wall; the same end", results["forty"]
        ),
        make_interpretation_row(
            "four turns and columns 0 to 10 (section 5.1), pushed back; the same end", results["edge"]
        ),
        *(make_interpretation_row(label, results[name]) for name, (label, _) in RANDOM_AGENT_ENDINGS.items()),
    ]


def make_entry_above_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """The three agents where pieces enter above the 22 rows."""
    return [
        [
            label,
            f"{TETRAIS_PUBLISHED_VALUES[MEAN_STATISTIC][name][RUN_COUNTS[-1]]:,}",
            *(compute_mean(results[key], "score").formatted for key in keys),
        ]
        for name, label in TETRAIS_AGENT_LABELS.items()
        for keys in [(name, f"{name}-above")]
    ]


def make_min_height_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Readings of minimum height."""
    return [
        *(make_interpretation_row(label, results[name]) for name, (label, _) in MIN_HEIGHT_INTERPRETATIONS.items()),
        make_interpretation_row(
            "left edge nearest to the lowest column, any turn, as everywhere here", results["min-height"]
        ),
    ]


def make_tie_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Which of equals the greedy agent takes."""
    return [
        make_interpretation_row("the first by turn and column, as everywhere here", results["greedy"]),
        *(make_interpretation_row(label, results[name]) for name, (label, _) in GREEDY_TIE_BREAKS.items()),
        make_interpretation_row("the one that comes to rest higher", results["greedy-higher"]),
    ]


_INTERPRETATION_HEADINGS = ("Reading", "Score a game", "Normalised variance", "From")
_RUN_STATISTICS_HEADINGS = ("Agent", "Games", "Published", "Ours", "So many of ours", "Published is")
_RUN_STATISTICS_NOTE = "What so many of our games have 95 times in 100, drawn a thousand times from all of them."

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
        "By the report's formula alone, from its own first weights; α is the learning rate, which it does not give.",
        ("Weights", "Lines", "Total height", "Maximum height", "Holes", "Deltas"),
        make_weights_table,
    ),
    ResultTable(
        "Raw features, differences, and the learning rate",
        f"The largest weight after {DIVERGENCE_EPISODES} episodes: differences cure the growth as long as the rate is small.",
        ("Learning rate", "Raw features", "Differences"),
        make_learning_rate_table,
    ),
    ResultTable(
        "Random: how it draws, and when a game ends",
        "The report does not say when a game ends. Its actions are a turn and a column, whatever the piece: if one "
        "that would leave the board is pushed back to the wall, more pieces lie there and games last longer.",
        _INTERPRETATION_HEADINGS,
        make_random_agent_table,
    ),
    ResultTable(
        "If pieces entered above the 22 rows",
        "Two more rows at the top let random and greedy games last about as long as the report's, and those of the "
        "minimum height agent longer.",
        ("Agent", "Published, 1,000 games", "Ours", "Ours, entering above"),
        make_entry_above_table,
    ),
    ResultTable(
        "Minimum height: readings",
        "A scan of rows from top to bottom and from left to right leaves open what it then does.",
        _INTERPRETATION_HEADINGS,
        make_min_height_table,
    ),
    ResultTable(
        "Greedy: which of equals it takes",
        "Whole weights tie often, and which of equals is taken is not said; that alone moves the mean across the "
        "published one.",
        _INTERPRETATION_HEADINGS,
        make_tie_table,
    ),
]

TETRAIS_FIGURES = [
    PaperFigure(
        "random",
        "Figure 5: score distribution of the random agent",
        "The small hill at the right is games with a line, which is worth forty points.",
        make_score_distribution_drawer("Random", {"random": "all alike", "edge": "pushed back"}),
    ),
    PaperFigure(
        "min-height",
        "Figure 7: score distribution of the minimum height agent",
        "Each hill to the right is another line cleared.",
        make_score_distribution_drawer("Minimum height", {"min-height": "minimum height"}),
    ),
    PaperFigure(
        "greedy",
        "Figure 9: score distribution of the greedy agent",
        "By which of equally good placements it takes.",
        make_score_distribution_drawer(
            "Greedy", {"greedy": "the first of equals", "greedy-higher": "the higher of equals"}
        ),
    ),
    PaperFigure(
        "divergence",
        "Figure 12: Q-learning's weights",
        "The largest weight after each episode, on raw features and on differences.",
        draw_divergence,
    ),
    PaperFigure(
        "averages",
        "Figure 13: the agents' average score",
        "What 10, 100 and 1,000 of our games leave open, and what the report has.",
        draw_mean_scores,
    ),
    PaperFigure(
        "variances",
        "Figure 14: the agents' normalised variance",
        "The variance of scores that are divided by their mean.",
        draw_variances,
    ),
    PaperFigure(
        "agents",
        "The agents of the report, and genetic ones",
        "Score a game; for games that were cut short an estimate.",
        draw_agents,
    ),
    PaperFigure(
        "soft-drop",
        "With and without soft drop",
        "From above: the report's rule. The others start where a piece enters.",
        draw_soft_drop,
    ),
    PaperFigure(
        "falling",
        "As pieces fall faster",
        "Ten keys a second; every game is cut at the same number of pieces.",
        draw_fall_speeds,
    ),
]
