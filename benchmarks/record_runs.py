"""Collect training runs of the record recipes for their page.

    python -m benchmarks.record_runs RUN... [--out FILE]

Each run is a folder that `tetrion train record --seed 2 --out RUN --device cuda` and the like wrote. Runs that were
collected before stay, except those with the same command. Runs with the recipe's own settings come first.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from shlex import quote
from typing import Any

from tetrion.papers.record.measure import TRAINING_RUNS_FILE
from tetrion.training import Recipe, Run

DEFAULT_FILE = Path("src/tetrion/papers/record") / TRAINING_RUNS_FILE
RECIPE_NAMES = ("record-10x10", "record", "record-two-pieces", "record-expect")


def find_recipe_name(recipe: Recipe) -> str:
    """Return the name of the recipe of the package whose rules a run has."""
    return next(name for name in RECIPE_NAMES if Recipe.load(name).rules == recipe.rules)


def find_changes(recipe: Recipe, name: str) -> dict[str, Any]:
    """Return the settings of the learner in which a run differs from the recipe of the package."""
    defaults = Recipe.load(name).settings
    changes = {}
    for field in fields(defaults):
        value = getattr(recipe.settings, field.name)
        if value != getattr(defaults, field.name):
            changes[field.name] = list(value) if isinstance(value, tuple) else value
    return changes


def summarise_run(folder: Path) -> dict[str, Any]:
    """Return the command and the held-out result of a run, and its learning curve if it has the recipe's settings."""
    run = Run(folder)
    recipe = run.recipe
    name = find_recipe_name(recipe)
    changes = find_changes(recipe, name)
    options = "".join(f" --set {quote(f'td.{key}={json.dumps(value)}')}" for key, value in changes.items())
    if run.result is None:
        raise SystemExit(f"{folder} is not finished. Resume it with: tetrion train --resume {folder}")
    held_out = run.result["held_out"]
    column = run.metrics["lines_per_death" if recipe.learner == "td" else "max"]
    curve = {"lines_per_death": [float(f"{value:.4g}") for value in column]}
    device = " --device cuda" if run.meta["workers"].startswith("GPU") else ""
    return {
        "recipe": name,
        "seed": recipe.seed,
        "changes": changes,
        "command": f"tetrion train {name} --seed {recipe.seed}{options}{device}",
        "pieces": int(run.metrics["pieces"].sum()),
        "seconds": round(run.meta.get("seconds", 0.0)),
        "held_out": {
            "mean": round(held_out["lines"]["mean"], 1),
            "ci95": [round(end, 1) for end in held_out["lines"]["ci95"]],
            "deaths": held_out["deaths"],
        },
        **({} if changes else curve),
    }


def format_runs(runs: Iterable[Mapping[str, Any]]) -> str:
    """Return the runs as JSON, one per line; those with the recipe's own settings come first."""
    ordered = sorted(runs, key=lambda run: (RECIPE_NAMES.index(run["recipe"]), bool(run["changes"])))
    lines = ",\n".join(f" {json.dumps(run)}" for run in ordered)
    return f'{{"runs": [\n{lines}\n]}}\n'


def main() -> None:
    """Write the summaries of all given runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, default=DEFAULT_FILE, metavar="FILE")
    options = parser.parse_args()
    runs = {run["command"]: run for run in json.loads(options.out.read_text("utf-8"))["runs"]}
    runs |= {run["command"]: run for run in map(summarise_run, options.runs)}
    options.out.write_text(format_runs(runs.values()), encoding="utf-8")


if __name__ == "__main__":
    main()
