"""What `tetrion train` says in the end: the held-out figure, how to see more, and how seeds differ."""

import shlex
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import click

from tetrion.cli.console_output import make_console, print_table
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.run_summary import (
    RESULT_UNITS,
    describe_crowd,
    describe_held_out_games,
    format_held_out_mean,
    format_mean_over_seeds,
    format_training_time,
    get_held_out_mean,
    get_step_name,
)
from tetrion.training.run import Run

_MAX_WEIGHTS = 12  # of the best agent, that fit on a screen


def print_training_result(run: Run) -> None:
    """Print what a run came to."""
    result = run.result
    if result is None:
        return
    click.echo()
    print_paragraph(result["note"])
    rows = [[words, *format_summary(result, name)] for name, words in RESULT_UNITS.items()]
    print_table(["held-out games", "mean", "median", "quartiles", "min", "max"], rows, right_aligned=True)
    click.echo()
    print_paragraph(
        f"{describe_held_out_games(run, result)} The best is of {result['origin']}; training took {format_training_time(run)}."
    )
    print_paragraph(describe_crowd(result["crowd"]) if result["crowd"] else "")
    numbers = list(result["parameters"].items())
    more = f" and {len(numbers) - _MAX_WEIGHTS} more" if len(numbers) > _MAX_WEIGHTS else ""
    shown = ", ".join(f"{format_name(name)} {format_number(number, 2)}" for name, number in numbers[:_MAX_WEIGHTS])
    print_paragraph(f"The best: {shown}{more}.")
    folder = shlex.quote(str(run.folder))
    rules = shlex.quote(run.recipe.rules)
    click.echo(f"\nMeasure it:          tetrion bench {folder} --rules {rules}")  # whole lines, to be copied
    click.echo(f"See how it trained:  tetrion report {folder}")


def print_paragraph(words: str) -> None:
    """Print a paragraph, if there is something to say."""
    if words:
        click.echo(fill(words, make_console().width, break_long_words=False, break_on_hyphens=False))


def format_summary(result: Mapping[str, Any], name: str) -> list[str]:
    """A mean with its interval and the spread of the games."""
    figures = result["held_out"][name]
    quartiles = f"{format_number(figures['q1'])}–{format_number(figures['q3'])}"
    spread = (format_number(figures["min"], 0), format_number(figures["max"], 0))
    return [format_held_out_mean(result, name), format_number(figures["median"]), quartiles, *spread]


def print_seed_comparison(runs: Sequence[Run]) -> None:
    """Print how the seeds of a recipe differ."""
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
    click.echo()
    steps = f"{get_step_name(runs[0])}s"
    rows.append([f"{len(finished)} seeds", *means, "", ""])
    print_table(["", *(f"{words} a game" for words in RESULT_UNITS.values()), steps, "time"], rows, right_aligned=True)
    click.echo(f"\nCompare them:  tetrion report {shlex.quote(str(runs[0].folder.parent))}")
