"""The figures and tables of Hindi et al., drawn from our runs."""

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

_TYPICAL_RUN_CAPTION = "Of our runs the one whose last average is the middle one."
HINDI_PUBLISHED_FIGURES = {  # the number of a figure, its configuration, and whether it shows the average alone
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
TABLE_III_GENERATIONS = (  # median, quartiles, least, most and average of each generation
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
    """The run whose last generation's average is the middle one."""
    last = np.array([get_metric(run, "mean")[-1] for run in runs])
    return runs[int(np.argsort(last, kind="stable")[(len(runs) - 1) // 2])]


def make_evolution_figure(place: int) -> PaperFigure:
    """A figure of average and quartiles by generation, or of the average alone."""
    setup, alone = HINDI_PUBLISHED_FIGURES[place]

    def draw(results: MeasurementResults, size: "FigureSize") -> "Figure":
        run = find_typical_run(get_runs(results, setup))
        if alone:
            return draw_generation_curves(size, "Score of a generation", {"Mean": run["metrics"]["mean"]})
        return draw_quartile_curves(size, "Score of a generation", run)

    caption = f"{'The average' if alone else 'Average and quartiles'} over {setup.generations} generations. {_TYPICAL_RUN_CAPTION}"
    return PaperFigure(f"figure-{place}", f"Figure {place}: {setup.description}", caption, draw)


def draw_published_scores(rows: Sequence[PublishedAgent], results: MeasurementResults, size: "FigureSize") -> "Figure":
    """The published scores, the published weights as the best of a generation, and the best of our last ones."""
    entries = []
    for row in rows:
        theirs = (row.score, row.score)
        entries += [
            ForestRow(
                f"{row.agent}, best of {row.configuration.population}",
                make_best_of_generation_reader(row)(results),
                theirs,
            ),
            ForestRow("our runs, best at the end", make_last_generation_reader(row)(results), theirs),
        ]
    return draw_forest_plot(
        size, "Score of the best", "one game each", entries, "Dot: middle, line: 95 % of ours · mark: published"
    )


def draw_table_i(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Table I, which the paper calls Figure 8."""
    return draw_published_scores(TABLE_I_AGENTS, results, size)


def draw_table_ii(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Table II, which the paper calls Figure 9."""
    return draw_published_scores(TABLE_II_AGENTS, results, size)


def draw_crowds(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Crowds beside their experts and the population."""
    runs = results[CROWDS_TRAINING]["runs"]
    names = {
        "average of the last generation": [run["metrics"]["mean"][-1] for run in runs],
        "average expert": [run["result"]["crowd"]["average expert"] for run in runs],
        "crowd (mean)": [run["result"]["crowd"]["crowd (mean)"] for run in runs],
        "crowd (consensus)": [run["result"]["crowd"]["crowd (consensus)"] for run in runs],
        "best expert": [run["result"]["crowd"]["best expert"] for run in runs],
    }
    entries = [ForestRow(name, compute_mean_over_runs(np.array(values))) for name, values in names.items()]
    return draw_forest_plot(size, "Points a game", format_count(len(runs), "run"), entries)


def draw_feature_counts(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """The number of features against what is learnt."""
    lines = {
        name: list(compute_scores_by_feature_count(results, learner).values())
        for learner, name in HINDI_LEARNER_LABELS.items()
    }
    return draw_parameter_sweep(
        size, "Points a game", "by number of features", [str(count) for count in FEATURE_COUNTS], lines
    )


def draw_first_generation_effect(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """What runs come to by how their first generation fared."""
    runs = get_runs(results, MAIN_CONFIGURATION)
    order = np.argsort([get_metric(run, "mean")[0] for run in runs], kind="stable")
    quarters = [get_held_out_means([runs[place] for place in part]) for part in np.array_split(order, 4)]
    words = ["poorest quarter", "second", "third", "best quarter"]
    entries = [ForestRow(word, compute_mean_over_runs(quarter)) for word, quarter in zip(words, quarters, strict=True)]
    return draw_forest_plot(size, "Points a game at the end", "by the first generation's average", entries)


def draw_game_lengths(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """How long agents live by what they were bred for, and the published ones."""
    bred = [ForestRow(f"bred for {words}", compute_trained_game_length(results, words)) for words in FITNESS_VARIANTS]
    known = [ForestRow(name, age) for name, age in compute_agent_game_lengths(results).items()]
    return draw_forest_plot(size, "Pieces a game", "games without a limit", [*bred, *known])


def make_agents_table(results: MeasurementResults) -> list[list[str]]:
    """Tables I and II beside ours."""
    told, rows = results["published"], []
    for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS):
        agent = told[row.agent]
        weights = [
            format_number(to_number(load_weighted_agent(row.agent).weights[feature]), 3) for feature in HINDI_FEATURES
        ]
        mean = f"{format_number(agent['mean'])} ({format_count(agent['games'], 'game')})"
        best, end = (
            make_best_of_generation_reader(row)(results).formatted,
            make_last_generation_reader(row)(results).formatted,
        )
        rows.append([f"{row.location}: {row.configuration.description}", *weights, f"{row.score:,}", mean, best, end])
    return rows


def make_generation_table(results: MeasurementResults) -> list[list[str]]:
    """Table III beside the middle of our runs."""
    runs = results[CROWDS_TRAINING]["runs"]
    ours = {name: np.median([get_metric(run, name) for run in runs], axis=0) for name in TABLE_III_COLUMNS}
    return [
        [
            str(place + 1),
            *(
                f"{format_number(value, 0)} · {format_number(float(ours[name][place]), 0)}"
                for name, value in zip(TABLE_III_COLUMNS, theirs, strict=True)
            ),
        ]
        for place, theirs in enumerate(TABLE_III_GENERATIONS)
    ]


def make_configuration_table(results: MeasurementResults) -> list[list[str]]:
    """Every configuration."""
    rows = []
    for setup in (*CONFIGURATION_GRID, *SIGNED_CONFIGURATIONS, *SWAP_CONFIGURATIONS, *LOOKAHEAD_CONFIGURATIONS):
        runs = get_runs(results, setup)
        best = np.array([get_metric(run, "max")[-1] for run in runs])
        steady = compute_mean_over_runs(np.array([compute_trend(run) for run in runs]), compute_difference_interval)
        drops = float(np.mean([count_score_drops(run) for run in runs]))
        cells = [
            compute_mean_over_runs(get_held_out_means(runs)).formatted,
            format_number(float(np.median(best))),
            steady.formatted,
            format_number(drops, 1),
        ]
        rows.append([setup.description, str(len(runs)), *cells])
    return rows


def make_game_count_table(results: MeasurementResults) -> list[list[str]]:
    """How many scores of the tables fit, by how many games a score is the sum of."""
    rows = []
    for count in SUMMED_GAME_COUNTS:
        middles = [
            results["published"][row.agent]["best"][str(count)]["middle"] for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS)
        ]
        cells = [
            f"{format_number(min(middles))} to {format_number(max(middles))}",
            f"{count_fitting_scores(results, count)} of {len(middles)}",
        ]
        rows.append([format_count(count, "game"), *cells])
    return rows


def make_variant_table(results: MeasurementResults) -> list[list[str]]:
    """What the last generation averages, as described and otherwise."""
    end = TABLE_III_GENERATIONS[-1][-1]
    names = {"as described": CROWDS_TRAINING} | {words: format_variant_name(words) for words in TABLE_III_VARIANTS}
    rows = []
    for words, name in names.items():
        last = np.array([get_metric(run, "mean")[-1] for run in results[name]["runs"]])
        low, middle = float(last.min()), float(np.median(last))
        share = format_percent(float((last <= end).mean()))
        rows.append([words, str(len(last)), format_number(middle), format_number(low), share])
    return rows


def make_expert_selection_table(results: MeasurementResults) -> list[list[str]]:
    """Crowds by who is in them."""
    told = results["choices"]
    return [
        [name, compute_mean_over_runs(np.array(told[name])).formatted] for name in (*EXPERT_SELECTIONS, "consensus")
    ]


HINDI_FIGURES = [
    *(make_evolution_figure(place) for place in (1, 2, 3, 4, 5, 6, 7)),
    PaperFigure(
        "table-1",
        "Table I (Figure 8): the best at the end",
        "Beside agents of the same weights, and runs of ours.",
        draw_table_i,
    ),
    PaperFigure(
        "table-2",
        "Table II (Figure 9): with the next piece",
        "Beside agents of the same weights, and runs of ours.",
        draw_table_ii,
    ),
    *(make_evolution_figure(place) for place in (10, 11)),
    PaperFigure(
        "figure-12",
        "Figure 12: crowds and experts",
        "Held-out games of at most 500 pieces; experts are the best of each generation.",
        draw_crowds,
    ),
    PaperFigure("features", "More heuristics", "The same number of games for every point.", draw_feature_counts),
    PaperFigure(
        "early",
        "Poor beginnings",
        f"Runs with {MAIN_CONFIGURATION.description}, in four parts.",
        draw_first_generation_effect,
    ),
    PaperFigure("lives", "How long agents play", "Mean pieces a game, nobody stops a game.", draw_game_lengths),
]
HINDI_TABLES = [
    ResultTable(
        "Tables I and II",
        "Weights and scores as published; then ours: a game's mean with these weights, the best of a generation "
        "of such agents, and the best of the last generation of our runs (middle, and where 95 % lie), one game each.",
        ("Row", "Bumpiness", "Holes", "Height", "Lines", "Published", "A game", "Best of such", "Our runs' best"),
        make_agents_table,
    ),
    ResultTable(
        "Table III",
        "Theirs · the middle of our runs, generation by generation.",
        ("Generation", *TABLE_III_COLUMNS.values()),
        make_generation_table,
    ),
    ResultTable(
        "Of how many games a score is the sum",
        "The best of a generation of agents with the published weights, and how many of the published scores lie where "
        "95 % of such bests do.",
        ("Summed", "Best of a generation", "Scores that fit"),
        make_game_count_table,
    ),
    ResultTable(
        "What would end as low as Table III",
        f"The last generation's average, {TABLE_III_GENERATIONS[-1][-1]:,} in the paper, as it is described and otherwise.",
        ("Runs", "Number", "Middle", "Lowest", "As low as theirs"),
        make_variant_table,
    ),
    ResultTable(
        "Every configuration",
        "Points a game of the agent that a run ends with (held-out games), the middle of the best scores of the last "
        "generation, how steadily the average rises (rank correlation), and how often the best score halves.",
        ("Configuration", "Runs", "Held-out", "Best at the end", "Trend", "Drops a run"),
        make_configuration_table,
    ),
    ResultTable("Crowds by who is in them", "Points a game.", ("Experts", "Points"), make_expert_selection_table),
]
