"""Tables of the TetrAIs page: strategies with one piece, Q-learning, and interpretations of the agents."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.tetrais.single_piece_strategies import SINGLE_PIECES, WELL_WIDTHS
from tetrion.lab.papers.tetrais.tetrais_measurements import (
    GREEDY_TIE_BREAKS,
    MIN_HEIGHT_INTERPRETATIONS,
    RANDOM_AGENT_ENDINGS,
    RUN_COUNTS,
)
from tetrion.lab.papers.tetrais.tetrais_q_learning_findings import (
    FIGURE_12_FEATURES,
    FIGURE_12_WEIGHTS,
    describe_largest_weight,
    format_power_of_ten,
    judge_scan_run,
)
from tetrion.lab.papers.tetrais.tetrais_q_learning_measurements import (
    DIVERGENCE_EPISODES,
    Q_LEARNING_VARIANTS,
    RECIPE_LEARNING_RATE,
)
from tetrion.lab.papers.tetrais.tetrais_score_claims import (
    OTHER_AGENT_READINGS,
    STATISTIC_LABELS,
    TETRAIS_AGENT_LABELS,
    make_published_statistic,
)
from tetrion.lab.papers.tetrais.tetrais_score_findings import (
    MEAN_STATISTIC,
    TETRAIS_PUBLISHED_VALUES,
    VARIANCE_DECIMALS,
    VARIANCE_STATISTIC,
    compute_statistic,
    format_value_range,
)
from tetrion.lab.reproduction.measured_values import compute_mean, compute_mean_over_seeds
from tetrion.lab.reproduction.paper_definition import MeasurementResults, ResultTable
from tetrion.lab.reproduction.published_values import MeasuredValue

_SHOWN_RATE_COUNT = 4  # learning rates in the table of the scan: those that fit first, and those that fit later
_NO_ENTRY = "–"


def make_cells_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return one row per cell of Figures 13 and 14."""
    return [
        make_cell_row(results, agent, runs, statistic)
        for statistic in (MEAN_STATISTIC, VARIANCE_STATISTIC)
        for agent in TETRAIS_AGENT_LABELS
        for runs in RUN_COUNTS
    ]


def make_cell_row(results: MeasurementResults, agent: str, runs: int, statistic: str) -> list[str]:
    """Return a published cell, our value, the 95 % range of as many of our games, and the other readings."""
    value = TETRAIS_PUBLISHED_VALUES[statistic][agent][runs]
    ours = compute_statistic(results[agent], runs, statistic)
    digits = VARIANCE_DECIMALS if statistic == VARIANCE_STATISTIC else None
    readings = {
        reading.label: compute_statistic(results[name], runs, statistic)
        for name, reading in OTHER_AGENT_READINGS.items()
        if reading.agent == agent
    }
    return [
        f"{STATISTIC_LABELS[statistic]}, {TETRAIS_AGENT_LABELS[agent]}, {format_count(runs, 'game')}",
        make_published_statistic(agent, runs, statistic).text,
        ours.formatted,
        format_value_range(*ours.interval, digits),
        describe_cell(value, ours),
        "; ".join(f"{label}: {other.formatted}, {describe_cell(value, other)}" for label, other in readings.items()),
    ]


def describe_cell(published: float, ours: MeasuredValue) -> str:
    """Return whether a published value lies within our range."""
    low, high = ours.interval
    return "within" if low <= published <= high else "outside"


def make_strategies_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return one row per kind of piece and width of the well."""
    return [
        [kind, f"{width}", *describe_strategy(results["single-piece"][kind][str(width)])]
        for kind in SINGLE_PIECES
        for width in WELL_WIDTHS
    ]


def describe_strategy(data: Mapping[str, Any]) -> list[str]:
    """Return the published height and number of states, the smallest height, and the shortest strategy found."""
    smallest = data["smallest_height"]
    if data["published"] is None:
        found = f"none up to {data['searched_height']}" if smallest is None else f"{smallest}"
        return ["no winning strategy", _NO_ENTRY, found, _NO_ENTRY]
    height, state_count = data["published"]
    shortest = _NO_ENTRY if data["state_count"] is None else f"{data['state_count']} (height {data['state_height']})"
    return [f"{height}", f"{state_count}", "undecided" if smallest is None else f"{smallest}", shortest]


def make_variants_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return one row per variant of Q-learning, after the initial weights."""
    start = compute_mean(results["q-start"], "score")
    rows = [["initial weights, without training", start.formatted, _NO_ENTRY, _NO_ENTRY, _NO_ENTRY]]
    for name, variant in Q_LEARNING_VARIANTS.items():
        runs = results[name]["runs"]
        scores = [run["result"]["uncorrected"]["score"]["mean"] for run in runs]
        diverged = sum(bool(run["result"]["note"]) for run in runs)
        rows.append(
            [
                variant.label,
                compute_mean_over_seeds(results[name], "score").formatted,
                f"{format_number(min(scores))} to {format_number(max(scores))}",
                f"{len(runs)}",
                f"{diverged}",
            ]
        )
    return rows


def make_scan_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return the learning rates that fit the report best after the first episode, and after the later ones."""
    groups: dict[tuple[float, float], list[Mapping[str, Any]]] = {}
    for run in results["growth-scan"]["scan"]:
        groups.setdefault((run["rate"], run["discount"]), []).append(run)
    counts = {key: np.sum([judge_scan_run(run) for run in runs], axis=0) for key, runs in groups.items()}
    early = sorted(groups, key=lambda key: -int(counts[key][0]))[:_SHOWN_RATE_COUNT]
    late = sorted(groups, key=lambda key: -int(counts[key][1:].sum()))[:_SHOWN_RATE_COUNT]
    sizes = [max(map(abs, FIGURE_12_WEIGHTS[name])) for name in ("episode 1", "episode 5")]
    rows = [["the report", _NO_ENTRY, format_number(sizes[0]), "1.0E+10", format_power_of_ten(sizes[1]), _NO_ENTRY]]
    for rate, discount in sorted({*early, *late}):
        runs = groups[rate, discount]
        medians = [float(np.median(column)) for column in zip(*(run["sizes"] for run in runs), strict=True)]
        fits = ", ".join(f"{count}" for count in counts[rate, discount])
        rows.append(
            [f"{rate:.2g}", f"{discount:g}", *map(format_power_of_ten, medians), f"{fits} of {len(runs)} seeds"]
        )
    return rows


def make_weights_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return the weights of Figure 12 and ours."""
    rows = [
        [f"the report, {label}", *(format_power_of_ten(weight) for weight in weights)]
        for label, weights in FIGURE_12_WEIGHTS.items()
    ]
    for alpha in (f"{RECIPE_LEARNING_RATE:g}", "0.01"):
        data = results["divergence"]["raw"][alpha]
        for episode in (1, DIVERGENCE_EPISODES):
            weights = dict(zip(data["names"], data["weights"][episode - 1], strict=True))
            texts = [format_power_of_ten(weights[name]) for name in FIGURE_12_FEATURES]
            rows.append([f"ours, α {alpha}, episode {episode}", *texts])
    return rows


def make_learning_rate_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return the largest weights, one row per learning rate."""
    return [
        [alpha, *(describe_largest_weight(results, features, float(alpha)) for features in ("raw", "differences"))]
        for alpha in results["divergence"]["raw"]
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
    labels = {
        "random": "uniform placements; game over when a new piece does not fit (default)",
        "forty": "four orientations and ten columns (section 6.4), pushed back to the wall; the same game over",
        "edge": "four orientations and columns 0 to 10 (section 5.1), pushed back; the same game over",
        "random-above": "uniform placements; pieces spawn in two rows above the 22, game over when they do not fit",
        **{name: label for name, (label, _) in RANDOM_AGENT_ENDINGS.items()},
    }
    return [make_interpretation_row(label, results[name]) for name, label in labels.items()]


def make_min_height_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return one row per interpretation of "minimum height"."""
    labels = {
        "min-height-plain": "lowest bottom cell; of equals fewest rotations, then leftmost (`tetrais-min-height`, "
        "default)",
        "lowest-leftmost": "lowest bottom cell; of equals leftmost, then fewest rotations",
        **{name: label for name, (label, _) in MIN_HEIGHT_INTERPRETATIONS.items()},
        "min-height": "left edge on the leftmost of the lowest columns, with any rotation (`min-height`)",
    }
    return [make_interpretation_row(label, results[name]) for name, label in labels.items()]


def make_tie_table(results: MeasurementResults) -> Sequence[Sequence[str]]:
    """Return one row per tie-breaking rule of the greedy agent."""
    labels = {
        "greedy": "first by orientation and column (default)",
        **{name: label for name, (label, _) in GREEDY_TIE_BREAKS.items()},
        "greedy-higher": "higher landing height",
    }
    return [make_interpretation_row(label, results[name]) for name, label in labels.items()]


_INTERPRETATION_HEADINGS = ("Interpretation", "Score per game", "Normalised variance", "Games")

TETRAIS_TABLES = [
    ResultTable(
        "Figures 13 and 14: all cells",
        "The same experiment with 10, 100 and 1,000 games: the published value, ours (of all our games), the 95 % "
        "range of as many of our games, and whether the published value lies within it. By chance, one of 20 cells "
        "lies outside even if the agents are the same. Within a wide range, agreement says little. Only the cells of "
        "1,000 games are claims; their other readings are in the last column.",
        ("Cell", "Published", "Ours", "95 % range", "Published value", "Other readings"),
        make_cells_table,
    ),
    ResultTable(
        "Figure 2: strategies for a single kind of piece",
        "A strategy can be repeated for ever with hard drops; its states are the different wells after each piece, "
        "including the empty well, and its height is that of the highest of them after full rows are removed. At "
        "smaller heights than the smallest, an exhaustive search found no strategy. The strategy with the number of "
        "states in the last column lies within the published height. The report does not claim that its strategies "
        "are the shortest.",
        ("Piece", "Width", "Published height", "Published states", "Smallest height", "States of a strategy found"),
        make_strategies_table,
    ),
    ResultTable(
        "Q-learning: one change at a time",
        "Score per game (held-out games of at most 10,000 pieces): the mean over the seeds with its 95 % interval, and "
        "the range over the seeds. The changes are made to the recipe `tetrais-q-report`, and below to `tetrais-q`. "
        "The agents of these names that come with the program are one further seed each (0), so their scores elsewhere "
        "on this page differ from these means.",
        ("Variant", "Score per game", "Lowest and highest seed", "Seeds", "Seeds whose weights diverged"),
        make_variants_table,
    ),
    ResultTable(
        "Figure 12: the largest weight of raw features by learning rate",
        "Medians over the seeds. The last column counts the seeds that fit the report after episode 1, 3 and 5, by the "
        "criteria of the claim. Shown are the four learning rates with most fits after episode 1, and the four with "
        "most fits after episodes 3 and 5.",
        ("Learning rate", "Discount factor", "Episode 1", "Episode 3", "Episode 5", "Fit after episode 1, 3, 5"),
        make_scan_table,
    ),
    ResultTable(
        "Figure 12: weights of raw features",
        "With the report's formula and its initial weights; α is the learning rate, which it does not give.",
        ("Weights", "Lines", "Total height", "Maximum height", "Holes", "Deltas"),
        make_weights_table,
    ),
    ResultTable(
        "Raw features, differences, and the learning rate",
        f"The largest weight after {DIVERGENCE_EPISODES} episodes of the recipe `tetrais-q-report`, one seed.",
        ("Learning rate", "Raw features", "Differences"),
        make_learning_rate_table,
    ),
    ResultTable(
        "Interpretations of the random agent",
        "The report does not give the game-over condition. Its actions are an orientation and a column for every "
        "piece; what happens to a piece that would cross the wall is not said.",
        _INTERPRETATION_HEADINGS,
        make_random_agent_table,
    ),
    ResultTable(
        "Interpretations of the minimum height agent",
        "The report describes a scan of rows from top to bottom and from left to right, but not what follows from it; "
        "each piece “is positioned as low as feasible”.",
        _INTERPRETATION_HEADINGS,
        make_min_height_table,
    ),
    ResultTable(
        "Tie-breaking rules of the greedy agent",
        "With integer weights, ties are frequent, and the report does not give the tie-breaking rule.",
        _INTERPRETATION_HEADINGS,
        make_tie_table,
    ),
]
