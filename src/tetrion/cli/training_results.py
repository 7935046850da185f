"""What `tetrion train` says in the end: the held-out figure, how to see more, and how seeds differ."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import click

from tetrion.cli.output import console, print_table
from tetrion.evaluation.words import figure
from tetrion.lab.run_words import MEASURED, in_words, measured, over_seeds, time_taken
from tetrion.training.run import Run

MOST_NUMBERS = 12  # of the best agent, that fit on a screen


def print_result(run: Run) -> None:
    """Print what a run came to."""
    result = run.result
    if result is None:
        return
    click.echo()
    say(result["note"])
    held_out = result["held_out"]
    rows = [[words, *summary(held_out[name])] for name, words in MEASURED.items()]
    print_table(["held-out games", "mean", "median", "quartiles", "min", "max"], rows, numbers=True)
    click.echo()
    say(games_words(run, result))
    say(crowd_words(result["crowd"]))
    numbers = list(result["numbers"].items())
    more = f" and {len(numbers) - MOST_NUMBERS} more" if len(numbers) > MOST_NUMBERS else ""
    shown = ", ".join(f"{in_words(name)} {figure(number, 2)}" for name, number in numbers[:MOST_NUMBERS])
    say(f"The best: {shown}{more}.")
    say(f"Play it with `tetrion bench {run.folder}`; see its training with `tetrion report {run.folder}`.")


def say(words: str) -> None:
    """Print a paragraph, if there is something to say."""
    if words:
        click.echo(fill(words, console().width, break_long_words=False, break_on_hyphens=False))


def summary(figures: Mapping[str, Any]) -> list[str]:
    """A mean with its interval and the spread of the games."""
    quartiles = f"{figure(figures['q1'])}–{figure(figures['q3'])}"
    spread = (figure(figures["min"], 0), figure(figures["max"], 0))
    return [measured(figures), figure(figures["median"]), quartiles, *spread]


def games_words(run: Run, result: Mapping[str, Any]) -> str:
    """Which games the figures are of, and who played them."""
    held_out, cap = result["held_out"], run.recipe.judge.pieces
    capped = f" of at most {cap:,} pieces, {held_out['capped']:,} of which reached them" if cap else ""
    estimated = " Means are estimates for games without an end." if held_out["capped"] else ""
    return (
        f"{held_out['games']:,} games under {held_out['rules']}{capped}, which neither trained nor chose anybody."
        f"{estimated} The best is of {result['origin']}; training took {time_taken(run)}."
    )


def crowd_words(crowd: Mapping[str, float]) -> str:
    """How a crowd fares beside its experts."""
    if not crowd:
        return ""
    parts = [f"{name} {figure(value)}" for name, value in crowd.items() if name != "experts"]
    return f"The crowd of {crowd['experts']:,.0f} experts, fitness on the held-out games: {', '.join(parts)}."


def print_seeds(runs: Sequence[Run]) -> None:
    """Print how the seeds of a recipe differ."""
    finished = [(run, run.result["held_out"]) for run in runs if run.result]
    rows = [
        [
            f"seed {run.recipe.seed}",
            *(measured(held_out[name]) for name in MEASURED),
            f"{run.generations:,}",
            time_taken(run),
        ]
        for run, held_out in finished
    ]
    means = [over_seeds([held_out[name]["mean"] for _, held_out in finished]) for name in MEASURED]
    click.echo()
    steps = "generations" if runs[0].has_population else "episodes"
    rows.append([f"{len(finished)} seeds", *means, "", ""])
    print_table(["", *(f"{words} a game" for words in MEASURED.values()), steps, "time"], rows, numbers=True)
