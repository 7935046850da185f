"""Figures of the record."""

from collections.abc import Mapping

from tetrion.papers.charts import Figure, FigureSize, ForestRow, Results, draw_forest_plot, draw_generation_curves
from tetrion.papers.measured_values import MeasuredValue, mean_lines
from tetrion.papers.record.measure import (
    PUBLISHED_AGENTS,
    RECORD_10X10,
    RECORD_10X20,
    TETR_AI,
    TRAINING_RUNS_FILE,
    find_published_lines,
    independent_games,
    load_saved_results,
    whole_games,
)

_SILU_NETWORK = "SiLU network"


def draw_twenty(results: Results, size: FigureSize) -> Figure:
    """Draw the lines on 10×20, by splitting and in games, with published means."""
    split = {agent: mean_lines(results[f"{agent}-10x20"]) for agent in (RECORD_10X20, *PUBLISHED_AGENTS)}
    games = {agent: whole_games(agent) for agent in (RECORD_10X20, "dt20")}
    games[TETR_AI] = independent_games(TETR_AI, "10x20")
    rows = make_rows("10x20", split, "by splitting") + make_rows("10x20", games, "in games")
    rows.sort(key=lambda row: -(games.get(row.label, row.measured).value or 0))
    return draw_forest_plot(size, "Lines per game", "10×20", rows)


def draw_ten(results: Results, size: FigureSize) -> Figure:
    """Draw the lines on 10×10 with published means."""
    lines = {agent: mean_lines(results[f"{agent}-10x10"]) for agent in (RECORD_10X10, *PUBLISHED_AGENTS)}
    lines |= {agent: independent_games(agent, "10x10") for agent in (TETR_AI, _SILU_NETWORK)}
    return draw_forest_plot(size, "Lines per game", "10×10", make_rows("10x10", lines))


def make_rows(board: str, lines: Mapping[str, MeasuredValue], series: str = "") -> list[ForestRow]:
    """Return the rows of agents with their published means, the longest games first."""
    published = find_published_lines(board)
    return [
        ForestRow(agent, lines[agent], (published[agent],) * 2 if agent in published else None, series)
        for agent in sorted(lines, key=lambda agent: -(lines[agent].value or 0))
    ]


def draw_learning_10x10(results: Results, size: FigureSize) -> Figure:
    """Draw the learning curves of the recipe for 10×10."""
    return draw_learning_curves("record-10x10", size)


def draw_learning(results: Results, size: FigureSize) -> Figure:
    """Draw the learning curves of the recipe for 10×20."""
    return draw_learning_curves("record", size)


def draw_learning_curves(recipe: str, size: FigureSize) -> Figure:
    """Draw the lines per death during the training runs of a recipe with its own settings."""
    runs = [run for run in load_saved_results(TRAINING_RUNS_FILE)["runs"] if run["recipe"] == recipe]
    curves = {f"seed {run['seed']}": run["lines_per_death"] for run in runs if not run["changes"]}
    return draw_generation_curves(size, "Lines per death in training", curves, subtitle="by iteration")


DRAWINGS = (draw_twenty, draw_ten, draw_learning_10x10, draw_learning)
