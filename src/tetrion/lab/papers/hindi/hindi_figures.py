"""Figures and tables of Hindi et al., from our runs."""

import shlex
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
from tetrion.lab.papers.hindi.hindi_comparisons import make_summed_games_table
from tetrion.lab.papers.hindi.hindi_configurations import (
    CONFIGURATION_GRID,
    HINDI_PUBLISHED_FIGURES,
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    SIGNED_CONFIGURATIONS,
    SWAP_CONFIGURATIONS,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    PublishedAgent,
)
from tetrion.lab.papers.hindi.hindi_crowds import WEIGHTED_CROWD
from tetrion.lab.papers.hindi.hindi_games import CONSENSUS_CROWD, EXPERT_SELECTIONS, SUMMED_GAME_COUNTS
from tetrion.lab.papers.hindi.hindi_measurements import (
    CROWDS_TRAINING,
    FEATURE_COUNTS,
    FITNESS_VARIANTS,
    HINDI_MEASUREMENTS,
    TABLE_III_VARIANTS,
    WEIGHTED_CROWDS_TRAINING,
    format_variant_name,
)
from tetrion.lab.papers.hindi.hindi_published_agents import (
    collect_score_readings,
    compute_last_best,
    make_best_of_generation_reader,
    to_number,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_mean_over_runs,
    compute_trend,
    count_drops,
    get_held_out_means,
    get_metric,
    get_runs,
)
from tetrion.lab.papers.hindi.hindi_table_iii import (
    PUBLISHED_DROP_COUNTS,
    TABLE_III_COLUMNS,
    TABLE_III_GENERATIONS,
    make_table_iii_column_rows,
)
from tetrion.lab.reproduction.measurements import TrainingMeasurement
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
TRAININGS = {part.name: part for part in HINDI_MEASUREMENTS if isinstance(part, TrainingMeasurement)}
CONFIGURATION_PREFIXES = ("one-gene-", "signed-", "swap-", "look-")  # of the names of their configurations


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
        last = compute_last_best(get_runs(results, row.configuration), row.score)
        entries += [
            ForestRow(
                f"{row.agent}, best of {row.configuration.population}",
                make_best_of_generation_reader(row)(results),
                published,
            ),
            ForestRow("our runs, best at the end", last, published),
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
        WEIGHTED_CROWD: [run["result"]["crowd"][WEIGHTED_CROWD] for run in results[WEIGHTED_CROWDS_TRAINING]["runs"]],
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
        last = compute_last_best(get_runs(results, row.configuration), row.score).formatted
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
        cells = [
            compute_mean_over_runs(get_held_out_means(runs)).formatted,
            format_number(float(np.median(best))),
            trend.formatted,
            describe_drops(runs),
        ]
        rows.append([configuration.description, str(len(runs)), *cells, format_command(TRAININGS[configuration.name])])
    return rows


def describe_drops(runs: Sequence[Mapping[str, Any]]) -> str:
    """Describe how often the average and the best score halve per run."""
    means = [float(np.mean([count_drops(run, metric) for run in runs])) for metric in ("mean", "max")]
    return " · ".join(format_number(mean, 1) for mean in means)


def format_command(training: TrainingMeasurement) -> str:
    """Return the command that repeats one run of a training, without its seed."""
    changes = (argument for change in training.changes for argument in ("--set", change))
    return shlex.join(["tetrion", "train", training.recipe, *changes])


def make_training_table(results: MeasurementResults) -> list[list[str]]:
    """Return the commands of all trainings that are not configurations of the paper."""
    return [
        [name.replace("-", " "), str(len(results[name]["runs"])), format_command(training)]
        for name, training in TRAININGS.items()
        if not name.startswith(CONFIGURATION_PREFIXES)
    ]


def make_game_count_table(results: MeasurementResults) -> list[list[str]]:
    """Return the number of published scores that fit, one row per way of reading a score."""
    return [
        [
            reading.label,
            *(
                f"{reading.fits[count]} of {reading.score_count}" if count in reading.fits else "–"
                for count in SUMMED_GAME_COUNTS
            ),
        ]
        for reading in collect_score_readings(results)
    ]


def make_column_table(results: MeasurementResults) -> list[list[str]]:
    """Return how each column of Table III fits our runs."""
    return make_table_iii_column_rows(results, CROWDS_TRAINING)


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
        drops = describe_drops(results[name]["runs"])
        dropping = str(sum(count_drops(run, "mean") > 0 for run in results[name]["runs"]))
        rows.append([label, str(len(last)), format_number(median), format_number(lowest), share, drops, dropping])
    return rows


def make_expert_selection_table(results: MeasurementResults) -> list[list[str]]:
    """Return the scores of crowds, one row per selection of experts."""
    scores = results["choices"]["means"]
    return [
        [name, compute_mean_over_runs(np.array(scores[name])).formatted]
        for name in (*EXPERT_SELECTIONS, CONSENSUS_CROWD)
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
        "of such agents, and the best of the last generation of our runs (median; 95 % range from 39 runs on), one "
        "game each.",
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
        "Table III by column",
        "How many of the 26 published values lie within the 95 % range of our runs, how many values of one of our runs "
        "typically lie within the range of the others, how many of our runs fit the others as badly as theirs fits "
        "ours, and the value in generation 26: theirs, and the median of ours.",
        ("Column", "Within the range", "Ours, typically", "Runs as bad", "Theirs at the end", "Ours at the end"),
        make_column_table,
    ),
    ResultTable(
        "Number of games summed in a score",
        "How many published scores of Tables I and II lie within the 95 % range, for each way of reading a score and "
        "each number of summed games. Our runs have the settings of row 3 of Table I and of row 1 of Table II.",
        ("Score", *(format_count(count, "game") for count in SUMMED_GAME_COUNTS)),
        make_game_count_table,
    ),
    ResultTable(
        "Variants of the runs of Table III",
        f"The average of the last generation, {TABLE_III_GENERATIONS[-1][-1]:,} in the paper, and how often the "
        f"average · the best score halves, {PUBLISHED_DROP_COUNTS['mean']} · {PUBLISHED_DROP_COUNTS['max']} times in "
        "the paper, for runs as described and for variants, all with the settings of Figures 1 and 2. No elitism and "
        "the two other mutations contradict the text of section III C; they are only tried as possible causes.",
        ("Variant", "Runs", "Median", "Lowest", "As low as theirs", "Drops per run", "Runs whose average halves"),
        make_variant_table,
    ),
    ResultTable(
        "All configurations",
        "Points per held-out game of the agent of a run, the median of the best scores of the last generation, how "
        "steadily the average rises (rank correlation), how often the average · the best score halves, and the "
        "command. Our seeds begin with 1 (`--seed 1`). Mutation 5 % without the next piece is not in the paper and is "
        "left out of comparisons, except of those with the next piece.",
        ("Configuration", "Runs", "Held-out score", "Best at the end", "Trend", "Drops per run", "Command"),
        make_configuration_table,
    ),
    ResultTable(
        "The sum of five games, or one game",
        "Section III B sums several games. Points per held-out "
        "game of the agent of a run, and the medians of the best score and of the average of the last generation.",
        ("Recipe", "Runs", "Held-out score", "Best at the end", "Average at the end"),
        make_summed_games_table,
    ),
    ResultTable(
        "Crowds by selection of experts",
        "Mean points per game of the crowds.",
        ("Experts", "Points"),
        make_expert_selection_table,
    ),
    ResultTable(
        "Other trainings",
        "The commands of all trainings that are not in the table of configurations.",
        ("Training", "Runs", "Command"),
        make_training_table,
    ),
]
