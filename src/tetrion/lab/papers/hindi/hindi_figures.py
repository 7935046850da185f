"""Figures and tables of Hindi et al., from our runs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.evaluation.confidence_intervals import compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.lab.papers.hindi.hindi_answers import (
    HINDI_LEARNER_LABELS,
    compute_agent_game_lengths,
    compute_scores_by_feature_count,
    compute_trained_game_length,
)
from tetrion.lab.papers.hindi.hindi_findings import (
    count_fitting_scores,
    get_held_out_means,
    get_runs,
    make_best_of_generation_reader,
    make_last_generation_reader,
    to_number,
)
from tetrion.lab.papers.hindi.hindi_measurements import (
    CONFIGURATION_GRID,
    CROWDS_TRAINING,
    EXPERT_SELECTIONS,
    FEATURE_COUNTS,
    FIGURE_7_CONFIGURATION,
    FITNESS_VARIANTS,
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    SIGNED_CONFIGURATIONS,
    SUMMED_GAME_COUNTS,
    SWAP_CONFIGURATIONS,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    TABLE_III_VARIANTS,
    GeneticConfiguration,
    PublishedAgent,
    format_variant_name,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_mean_over_runs,
    compute_trend,
    count_score_drops,
    get_metric,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults, PaperFigure, ResultTable
from tetrion.lab.reproduction.reproduction_figures import (
    ForestRow,
    draw_forest_plot,
    draw_generation_curves,
    draw_parameter_sweep,
    draw_quartile_curves,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

_TYPICAL_RUN_CAPTION = "The run whose last average is the median of our runs."
HINDI_PUBLISHED_FIGURES = {  # figure number: configuration, and whether only the average is shown
    1: (GeneticConfiguration(50, 1, 10), False),
    2: (GeneticConfiguration(50, 1, 10), True),
    3: (GeneticConfiguration(100, 1, 10), False),
    4: (MAIN_CONFIGURATION, True),
    5: (SIGNED_CONFIGURATIONS[2], False),
    6: (SIGNED_CONFIGURATIONS[1], False),
    7: (FIGURE_7_CONFIGURATION, False),
    10: (LOOKAHEAD_CONFIGURATIONS[2], False),
    11: (LOOKAHEAD_CONFIGURATIONS[3], False),
}
TABLE_III_COLUMNS = {
    "median": "Median",
    "q1": "1st quartile",
    "q3": "3rd quartile",
    "min": "Min",
    "max": "Max",
    "mean": "Average",
}
TABLE_III_GENERATIONS = (  # median, quartiles, minimum, maximum and average of each generation
    (0, 0, 120, 0, 20320, 851.2),
    (0, 0, 5335, 0, 122920, 10362.4),
    (0, 0, 70, 0, 6300, 395.2),
    (180, 0, 835, 0, 93480, 3940.8),
    (370, 40, 6110, 0, 138660, 10764.8),
    (180, 0, 1065, 0, 132260, 7030.4),
    (320, 0, 930, 0, 126520, 6006),
    (750, 0, 1755, 0, 63320, 2826.8),
    (1050, 55, 3370, 0, 138740, 5224.4),
    (790, 405, 1505, 0, 48440, 2582.4),
    (1510, 615, 3380, 0, 26660, 3327.2),
    (1450, 605, 4510, 0, 20560, 3381.2),
    (1260, 545, 3130, 40, 14260, 2708.4),
    (3120, 1370, 7455, 80, 33800, 5848.4),
    (2000, 990, 4080, 0, 16160, 3422.8),
    (1990, 590, 3810, 0, 17520, 2690),
    (3550, 1970, 8785, 120, 54180, 7226.4),
    (2710, 890, 9090, 80, 23700, 5520.4),
    (1990, 1120, 3605, 0, 10000, 2631.6),
    (2830, 1240, 4265, 40, 32320, 3960),
    (3880, 2155, 8050, 0, 26860, 5856.8),
    (2210, 810, 4380, 0, 18580, 3382.8),
    (4550, 2290, 9405, 180, 37160, 6777.6),
    (4110, 2205, 7430, 180, 21060, 5146.8),
    (2280, 760, 5310, 0, 19960, 3643.2),
    (3510, 2120, 7280, 160, 22940, 5404.4),
)


def find_typical_run(runs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the run whose last average is the median."""
    last = np.array([get_metric(run, "mean")[-1] for run in runs])
    return runs[int(np.argsort(last, kind="stable")[(len(runs) - 1) // 2])]


def make_evolution_figure(number: int) -> PaperFigure:
    """Return a figure of the average by generation, with or without quartiles."""
    configuration, average_only = HINDI_PUBLISHED_FIGURES[number]

    def draw(results: MeasurementResults, size: "FigureSize") -> "Figure":
        run = find_typical_run(get_runs(results, configuration))
        if average_only:
            return draw_generation_curves(size, "Score of a generation", {"Mean": run["metrics"]["mean"]})
        return draw_quartile_curves(size, "Score of a generation", run)

    content = "The average" if average_only else "Average and quartiles"
    caption = f"{content} over {configuration.generations} generations. {_TYPICAL_RUN_CAPTION}"
    return PaperFigure(f"figure-{number}", f"Figure {number}: {configuration.description}", caption, draw)


def draw_published_scores(rows: Sequence[PublishedAgent], results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the published scores, the best of a generation with the published weights, and the best of our runs."""
    entries = []
    for row in rows:
        published = (row.score, row.score)
        entries += [
            ForestRow(
                f"{row.agent}, best of {row.configuration.population}",
                make_best_of_generation_reader(row)(results),
                published,
            ),
            ForestRow("our runs, best at the end", make_last_generation_reader(row)(results), published),
        ]
    legend = "Dot: median of ours · line: 95 % range of ours · mark: published"
    return draw_forest_plot(size, "Best score", "one game each", entries, legend)


def draw_table_i(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw Table I, which the paper calls Figure 8."""
    return draw_published_scores(TABLE_I_AGENTS, results, size)


def draw_table_ii(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw Table II, which the paper calls Figure 9."""
    return draw_published_scores(TABLE_II_AGENTS, results, size)


def draw_crowds(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the scores of crowds, their experts and the population."""
    runs = results[CROWDS_TRAINING]["runs"]
    scores = {
        "average of the last generation": [run["metrics"]["mean"][-1] for run in runs],
        "average expert": [run["result"]["crowd"]["average expert"] for run in runs],
        "crowd (mean)": [run["result"]["crowd"]["crowd (mean)"] for run in runs],
        "crowd (consensus)": [run["result"]["crowd"]["crowd (consensus)"] for run in runs],
        "best expert": [run["result"]["crowd"]["best expert"] for run in runs],
    }
    entries = [ForestRow(name, compute_mean_over_runs(np.array(values))) for name, values in scores.items()]
    return draw_forest_plot(size, "Points per game", format_count(len(runs), "run"), entries)


def draw_feature_counts(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the learnt score against the number of features."""
    curves = {
        label: list(compute_scores_by_feature_count(results, learner).values())
        for learner, label in HINDI_LEARNER_LABELS.items()
    }
    categories = [str(count) for count in FEATURE_COUNTS]
    return draw_parameter_sweep(size, "Points per game", "by number of features", categories, curves)


def draw_first_generation_effect(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the held-out scores of runs, grouped by the average of their first generation."""
    runs = get_runs(results, MAIN_CONFIGURATION)
    order = np.argsort([get_metric(run, "mean")[0] for run in runs], kind="stable")
    quarters = [get_held_out_means([runs[index] for index in part]) for part in np.array_split(order, 4)]
    labels = ["poorest quarter", "second quarter", "third quarter", "best quarter"]
    entries = [
        ForestRow(label, compute_mean_over_runs(quarter)) for label, quarter in zip(labels, quarters, strict=True)
    ]
    return draw_forest_plot(size, "Final points per game", "by average of the first generation", entries)


def draw_game_lengths(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the pieces per game of agents trained with each kind of fitness and of the published agents."""
    trained = [
        ForestRow(f"trained for {variant}", compute_trained_game_length(results, variant))
        for variant in FITNESS_VARIANTS
    ]
    agents = [ForestRow(name, length) for name, length in compute_agent_game_lengths(results).items()]
    return draw_forest_plot(size, "Pieces per game", "games without a limit", [*trained, *agents])


def make_agents_table(results: MeasurementResults) -> list[list[str]]:
    """Return the rows of Tables I and II with our scores."""
    rows = []
    for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS):
        agent = results["published"][row.agent]
        weights = [
            format_number(to_number(load_weighted_agent(row.agent).weights[feature]), 3) for feature in HINDI_FEATURES
        ]
        mean = f"{format_number(agent['mean'])} ({format_count(agent['games'], 'game')})"
        best = make_best_of_generation_reader(row)(results).formatted
        last = make_last_generation_reader(row)(results).formatted
        rows.append([f"{row.location}: {row.configuration.description}", *weights, f"{row.score:,}", mean, best, last])
    return rows


def make_generation_table(results: MeasurementResults) -> list[list[str]]:
    """Return Table III with the median of our runs."""
    runs = results[CROWDS_TRAINING]["runs"]
    ours = {name: np.median([get_metric(run, name) for run in runs], axis=0) for name in TABLE_III_COLUMNS}
    return [
        [
            str(generation + 1),
            *(
                f"{format_number(value, 0)} · {format_number(float(ours[name][generation]), 0)}"
                for name, value in zip(TABLE_III_COLUMNS, published, strict=True)
            ),
        ]
        for generation, published in enumerate(TABLE_III_GENERATIONS)
    ]


def make_configuration_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per configuration."""
    rows = []
    for configuration in (*CONFIGURATION_GRID, *SIGNED_CONFIGURATIONS, *SWAP_CONFIGURATIONS, *LOOKAHEAD_CONFIGURATIONS):
        runs = get_runs(results, configuration)
        best = np.array([get_metric(run, "max")[-1] for run in runs])
        trend = compute_mean_over_runs(np.array([compute_trend(run) for run in runs]), compute_difference_interval)
        drops = float(np.mean([count_score_drops(run) for run in runs]))
        cells = [
            compute_mean_over_runs(get_held_out_means(runs)).formatted,
            format_number(float(np.median(best))),
            trend.formatted,
            format_number(drops, 1),
        ]
        rows.append([configuration.description, str(len(runs)), *cells])
    return rows


def make_game_count_table(results: MeasurementResults) -> list[list[str]]:
    """Return the number of published scores that fit, one row per number of summed games."""
    rows = []
    for count in SUMMED_GAME_COUNTS:
        medians = [
            results["published"][row.agent]["best"][str(count)]["middle"] for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS)
        ]
        cells = [
            f"{format_number(min(medians))} to {format_number(max(medians))}",
            f"{count_fitting_scores(results, count)} of {len(medians)}",
        ]
        rows.append([format_count(count, "game"), *cells])
    return rows


def make_variant_table(results: MeasurementResults) -> list[list[str]]:
    """Return the average of the last generation, one row per variant of Table III."""
    published = TABLE_III_GENERATIONS[-1][-1]
    names = {"as described": CROWDS_TRAINING}
    names |= {variant: format_variant_name(variant) for variant in TABLE_III_VARIANTS}
    rows = []
    for label, name in names.items():
        last = np.array([get_metric(run, "mean")[-1] for run in results[name]["runs"]])
        lowest, median = float(last.min()), float(np.median(last))
        share = format_percent(float((last <= published).mean()))
        rows.append([label, str(len(last)), format_number(median), format_number(lowest), share])
    return rows


def make_expert_selection_table(results: MeasurementResults) -> list[list[str]]:
    """Return the scores of crowds, one row per selection of experts."""
    scores = results["choices"]
    return [
        [name, compute_mean_over_runs(np.array(scores[name])).formatted] for name in (*EXPERT_SELECTIONS, "consensus")
    ]


HINDI_FIGURES = [
    *(make_evolution_figure(number) for number in (1, 2, 3, 4, 5, 6, 7)),
    PaperFigure(
        "table-1",
        "Table I (Figure 8): best score at the end",
        "Compared with agents with the same weights, and with our runs.",
        draw_table_i,
    ),
    PaperFigure(
        "table-2",
        "Table II (Figure 9): with the next piece",
        "Compared with agents with the same weights, and with our runs.",
        draw_table_ii,
    ),
    *(make_evolution_figure(number) for number in (10, 11)),
    PaperFigure(
        "figure-12",
        "Figure 12: crowds and experts",
        "Held-out games of at most 500 pieces; experts are the best of each generation.",
        draw_crowds,
    ),
    PaperFigure("features", "More heuristics", "All points have the same number of games.", draw_feature_counts),
    PaperFigure(
        "early",
        "Effect of the first generation",
        f"Runs with {MAIN_CONFIGURATION.description}, in quarters by the average of the first generation.",
        draw_first_generation_effect,
    ),
    PaperFigure("lives", "Length of games", "Mean pieces per game, in games without a limit.", draw_game_lengths),
]
HINDI_TABLES = [
    ResultTable(
        "Tables I and II",
        "Published weights and scores, followed by ours: the mean score with these weights, the best of a generation "
        "of such agents, and the best of the last generation of our runs (median and 95 % range), one game each.",
        (
            "Row",
            "Bumpiness",
            "Holes",
            "Height",
            "Lines",
            "Published",
            "Mean score",
            "Best of a generation",
            "Best of our runs",
        ),
        make_agents_table,
    ),
    ResultTable(
        "Table III",
        "The published value · the median of our runs, for each generation.",
        ("Generation", *TABLE_III_COLUMNS.values()),
        make_generation_table,
    ),
    ResultTable(
        "Number of games summed in a score",
        "The best score of a generation of agents with the published weights, and the number of published scores "
        "within the 95 % range of such best scores.",
        ("Summed games", "Best of a generation", "Scores that fit"),
        make_game_count_table,
    ),
    ResultTable(
        "Variants of the runs of Table III",
        f"The average of the last generation, {TABLE_III_GENERATIONS[-1][-1]:,} in the paper, for runs as described "
        "and for variants.",
        ("Variant", "Runs", "Median", "Lowest", "As low as theirs"),
        make_variant_table,
    ),
    ResultTable(
        "All configurations",
        "Points per held-out game of the agent of a run, the median of the best scores of the last generation, how "
        "steadily the average rises (rank correlation), and how often the best score halves.",
        ("Configuration", "Runs", "Held-out score", "Best at the end", "Trend", "Drops per run"),
        make_configuration_table,
    ),
    ResultTable(
        "Crowds by selection of experts",
        "Mean points per game of the crowds.",
        ("Experts", "Points"),
        make_expert_selection_table,
    ),
]
