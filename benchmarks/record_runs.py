"""Collect training runs of the record recipes for their page.

    python -m benchmarks.record_runs RUN... [--out FILE]

Each run is a folder that `tetrion train record --seed 2 --out RUN --device cuda` and the like wrote.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from tetrion.lab.papers.record.record_measurements import TRAINING_RUNS_FILE
from tetrion.training import Recipe, Run

DEFAULT_FILE = Path("src/tetrion/lab/papers/record") / TRAINING_RUNS_FILE
_SHOWN_SETTINGS = ("iterations", "garbage", "episode_pieces")


def summarise_run(folder: Path) -> dict[str, Any]:
    """Return the command, the learning curve and the held-out result of a run."""
    run = Run(folder)
    recipe = run.recipe
    name = "record-10x10" if recipe.rules == Recipe.load("record-10x10").rules else "record"
    defaults = Recipe.load(name).settings
    changes = {
        key: getattr(recipe.settings, key)
        for key in _SHOWN_SETTINGS
        if getattr(recipe.settings, key) != getattr(defaults, key)
    }
    options = "".join(f" --set td.{key}={value}" for key, value in changes.items())
    if run.result is None:
        raise SystemExit(f"{folder} is not finished. Resume it with: tetrion train --resume {folder}")
    held_out = run.result["held_out"]
    return {
        "recipe": name,
        "seed": recipe.seed,
        "changes": changes,
        "command": f"tetrion train {name} --seed {recipe.seed}{options} --device cuda",
        "pieces": int(run.metrics["pieces"].sum()),
        "seconds": run.meta.get("seconds", 0.0),
        "lines_per_death": [round(float(value), 1) for value in run.metrics["lines_per_death"]],
        "held_out": {
            "mean": held_out["lines"]["mean"],
            "ci95": held_out["lines"]["ci95"],
            "deaths": held_out["deaths"],
        },
    }


def main() -> None:
    """Write the summaries of all given runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, default=DEFAULT_FILE, metavar="FILE")
    options = parser.parse_args()
    runs = [summarise_run(folder) for folder in options.runs]
    options.out.write_text(json.dumps({"runs": runs}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
