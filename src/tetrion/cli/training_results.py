"""What `tetrion train` says in the end: the held-out figure, how to see more, and how seeds differ."""

import shlex
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import click

from tetrion.cli.output import console, print_table
from tetrion.evaluation.words import figure, in_words
from tetrion.lab.run_words import (
    MEASURED,
    as_played,
    crowd_words,
    games_words,
    measured,
    over_seeds,
    step_of,
    time_taken,
)
from tetrion.training.run import Run

MOST_NUMBERS = 12  # of the best agent, that fit on a screen


def print_result(run: Run) -> None:
    """Print what a run came to."""
    result = run.result
    if result is None:
        return
    click.echo()
    say(result["note"])
    rows = [[words, *summary(result, name)] for name, words in MEASURED.items()]
    print_table(["held-out games", "mean", "median", "quartiles", "min", "max"], rows, numbers=True)
    click.echo()
    say(f"{games_words(run, result)} The best is of {result['origin']}; training took {time_taken(run)}.")
    say(crowd_words(result["crowd"]) if result["crowd"] else "")
    numbers = list(result["numbers"].items())
    more = f" and {len(numbers) - MOST_NUMBERS} more" if len(numbers) > MOST_NUMBERS else ""
    shown = ", ".join(f"{in_words(name)} {figure(number, 2)}" for name, number in numbers[:MOST_NUMBERS])
    say(f"The best: {shown}{more}.")
    folder = shlex.quote(str(run.folder))
    rules = shlex.quote(run.recipe.rules)
    click.echo(f"\nMeasure it:          tetrion bench {folder} --rules {rules}")  # whole lines, to be copied
    click.echo(f"See how it trained:  tetrion report {folder}")


def say(words: str) -> None:
    """Print a paragraph, if there is something to say."""
    if words:
        click.echo(fill(words, console().width, break_long_words=False, break_on_hyphens=False))


def summary(result: Mapping[str, Any], name: str) -> list[str]:
    """A mean with its interval and the spread of the games."""
    figures = result["held_out"][name]
    quartiles = f"{figure(figures['q1'])}–{figure(figures['q3'])}"
    spread = (figure(figures["min"], 0), figure(figures["max"], 0))
    return [measured(result, name), figure(figures["median"]), quartiles, *spread]


def print_seeds(runs: Sequence[Run]) -> None:
    """Print how the seeds of a recipe differ."""
    finished = [(run, run.result) for run in runs if run.result]
    rows = [
        [
            f"seed {run.recipe.seed}",
            *(measured(result, name) for name in MEASURED),
            f"{run.generations:,}",
            time_taken(run),
        ]
        for run, result in finished
    ]
    means = [over_seeds([as_played(result, name) for _, result in finished]) for name in MEASURED]
    click.echo()
    steps = f"{step_of(runs[0])}s"
    rows.append([f"{len(finished)} seeds", *means, "", ""])
    print_table(["", *(f"{words} a game" for words in MEASURED.values()), steps, "time"], rows, numbers=True)
    click.echo(f"\nCompare them:  tetrion report {shlex.quote(str(runs[0].folder.parent))}")
