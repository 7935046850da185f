"""Figures for Hindi et al.: tables of scores, populations, crowds, and numbers of features."""

from dataclasses import replace

import numpy as np

from tetrion.evaluation.number_format import format_count, format_number
from tetrion.papers.charts import (
    Figure,
    FigureSize,
    ForestRow,
    Results,
    draw_forest_plot,
    draw_generation_curves,
    draw_parameter_sweep,
)
from tetrion.papers.hindi.measure import (
    FEATURE_COUNTS,
    POPULATION_SIZES,
    TABLE_III,
    TABLE_III_COLUMNS,
    at_end,
    gain,
    held_out,
    in_generation,
    over_generations,
    per_game,
    run_range,
    select,
)
from tetrion.papers.measured_values import compute_mean_over_seeds

_TABLE_ROWS = (  # label, published score, measurements with sums of five games and with one game, and settings of grids
    ("Table I, row 1", 73_800, "swap", "one-game-swap", "1-15"),
    ("Table I, row 2", 26_260, "population-20", "one-game", "1-20"),
    ("Table I, row 3", 103_220, "population-20", "one-game", "2-15"),
    ("Table I, row 4", 69_240, "large", "one-game-large", ""),
    ("Table II, row 1", 103_400, "ahead", "one-game-ahead", "2-15"),
    ("Table II, row 2", 109_540, "ahead", "one-game-ahead", "2-20"),
    ("Table II, row 3", 107_660, "ahead", "one-game-ahead", "5-15"),
)


def draw_scores(results: Results, size: FigureSize) -> Figure:
    """Draw the best scores of the last generations of our runs with the published scores."""
    rows = []
    for label, score, summed, single, settings in _TABLE_ROWS:
        for name, series in ((summed, "sum of five games"), (single, "one game")):
            result = results[name]
            runs = select(result, settings) if "settings" in result["runs"][0] else result
            best = run_range(at_end(runs, "max"))
            shown = replace(best, text=format_number(best.value or 0, 0))
            rows.append(ForestRow(label, shown, (score, score), series))
    legend = "Dot: median of our runs, with their 95 % range · vertical line: published"
    return draw_forest_plot(size, "Best score of the last generation", "Tables I and II", rows, legend)


def draw_table_iii(results: Results, size: FigureSize) -> Figure:
    """Draw average and best score of each generation in Table III, and in the median of our runs."""
    curves: dict[str, list[float]] = {}
    for metric, label in (("mean", "average"), ("max", "best")):
        curves[f"ours, {label}"] = np.median([run["metrics"][metric] for run in results["crowds"]["runs"]], 0).tolist()
        curves[f"Table III, {label}"] = TABLE_III[:, TABLE_III_COLUMNS.index(metric)].tolist()
    return draw_generation_curves(size, "Score", curves, "Ours: sum of five games, median of the runs")


def draw_populations(results: Results, size: FigureSize) -> Figure:
    """Draw the average of each generation for each population size."""
    curves: dict[str, list[float]] = {}
    for population in POPULATION_SIZES:
        data = results[f"population-{population}"]
        generations = range(1, len(data["runs"][0]["metrics"]["mean"]) + 1)
        curves[f"population {population}"] = [float(np.mean(in_generation(data, number))) for number in generations]
    legend = "Sum of five games · mean over mutation 1 and 2 %, elitism 15 and 20 %, with the same seeds"
    return draw_generation_curves(size, "Average score", curves, legend)


def draw_crowds(results: Results, size: FigureSize) -> Figure:
    """Draw the differences that are judged between crowds and other agents, paired by run."""
    games, training = results["crowd-games"], results["crowds"]
    compared = {
        "average agent of all generations": per_game(over_generations(training)),
        "average agent of the last generation": per_game(at_end(training)),
        "average expert": games["average_expert"]["mean"],
        "best expert": games["best_expert"]["mean"],
        "agent of the genetic algorithm": held_out(training),
    }
    rows = [
        ForestRow(label, gain(games[kind]["mean"], values), series=f"{kind} crowd")
        for label, values in compared.items()
        for kind in ("plain", "weighted")
    ]
    runs = format_count(len(held_out(training)), "run")
    legend = "Dot: mean difference of crowd and agent in the same run, with 95 % confidence interval"
    return draw_forest_plot(size, "Points per game of the crowd, minus those of …", runs, rows, legend)


def draw_features(results: Results, size: FigureSize) -> Figure:
    """Draw points per held-out game against the number of features."""
    labels = {"genetic": "their algorithm", "entropy": "cross-entropy method"}
    curves = {
        label: [compute_mean_over_seeds(results[f"{learner}-{count}"], "score") for count in FEATURE_COUNTS]
        for learner, label in labels.items()
    }
    return draw_parameter_sweep(size, "Points per game", "by number of features", [*map(str, FEATURE_COUNTS)], curves)


DRAWINGS = (draw_scores, draw_table_iii, draw_populations, draw_crowds, draw_features)
