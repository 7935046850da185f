"""The final output of `tetrion train`: results on held-out games, further commands, and a comparison of seeds."""

import shlex
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from tetrion.cli.console_output import echo, make_console, print_table
from tetrion.cli.program_name import name_program
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.run_summary import (
    RESULT_UNITS,
    describe_best_in_training,
    describe_crowd,
    describe_held_out_games,
    describe_selection,
    format_held_out_mean,
    format_mean_over_seeds,
    format_training_time,
    get_held_out_mean,
    list_attack_rates,
)
from tetrion.training.run import Run

_MAX_WEIGHTS = 12  # of the best agent, printed in one paragraph


def print_training_result(run: Run) -> None:
    """Print the result of a finished run."""
    result = run.result
    if result is None:
        return
    echo()
    print_paragraph(result["note"])
    rows = [[unit, *format_summary(result, name)] for name, unit in RESULT_UNITS.items()]
    print_table(["held-out games", "mean", "median", "quartiles", "min", "max"], rows, right_aligned=True)
    rates = ", ".join(f"{name} {rate}" for name, rate in list_attack_rates(result).items())
    echo()
    print_paragraph(f"{rates.capitalize()}." if rates else "")
    print_paragraph(f"Result on {describe_held_out_games(run, result)}")
    reasons = f"{describe_selection(run, result)} {describe_best_in_training(run, result)}"
    print_paragraph(f"{reasons} Training took {format_training_time(run)}.")
    print_paragraph(describe_crowd(result["crowd"]) if result["crowd"] else "")
    weights = list(result["parameters"].items())
    more = f" and {len(weights) - _MAX_WEIGHTS} more" if len(weights) > _MAX_WEIGHTS else ""
    listed = ", ".join(f"{format_name(name)} {format_number(weight, 2)}" for name, weight in weights[:_MAX_WEIGHTS])
    print_paragraph(f"Weights of the best agent: {listed}{more}." if weights else "")
    folder = shlex.quote(str(run.folder))
    rules = shlex.quote(run.recipe.rules)
    # not wrapped, so that they can be copied
    echo(name_program(f"\nMeasure the agent:  tetrion bench {folder} --rules {rules}"))
    echo(name_program(f"Write a report:     tetrion report {folder}"))


def print_paragraph(text: str) -> None:
    """Print a paragraph wrapped to the width of the console; print nothing for an empty text."""
    if text:
        echo(fill(text, make_console().width, break_long_words=False, break_on_hyphens=False))


def format_summary(result: Mapping[str, Any], name: str) -> list[str]:
    """Return the table cells of a quantity: mean with interval, median, quartiles, minimum and maximum."""
    statistics = result["held_out"][name]
    quartiles = f"{format_number(statistics['q1'])}–{format_number(statistics['q3'])}"
    extremes = (format_number(statistics["min"], 0), format_number(statistics["max"], 0))
    return [format_held_out_mean(result, name), format_number(statistics["median"]), quartiles, *extremes]


def print_seed_comparison(runs: Sequence[Run]) -> None:
    """Print a table that compares the runs of several seeds."""
    finished = [(run, run.result) for run in runs if run.result]
    rows = [
        [
            f"seed {run.recipe.seed}",
            *(format_held_out_mean(result, name) for name in RESULT_UNITS),
            f"{run.generation_count:,}",
            format_training_time(run),
        ]
        for run, result in finished
    ]
    means = [
        format_mean_over_seeds([get_held_out_mean(result, name) for _, result in finished]) for name in RESULT_UNITS
    ]
    echo()
    rows.append([f"{len(finished)} seeds", *means, "", ""])
    units = [f"{unit} per game" for unit in RESULT_UNITS.values()]
    print_table(["", *units, f"{runs[0].step_name}s", "time"], rows, right_aligned=True)
    folder = shlex.quote(str(runs[0].folder.parent))
    echo(name_program(f"\nWrite a report that compares them:  tetrion report {folder}"))
