"""Results of the recipes over seeds: python -m benchmarks.training [NAME...] [--workers N] [--file FILE].

All results are from held-out games (not used for training or selection). They are the same on every machine, except for
CMA-ES, which depends on the rounding of the processor; the seconds are those of the named machine.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import (
    RESULTS_FOLDER,
    describe_measurement,
    format_left_aligned_table,
    format_table,
    save_result,
)
from tetrion.evaluation import evaluate
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number
from tetrion.training.run import Run
from tetrion.training.trainer import train

RESULTS_FILE = RESULTS_FOLDER / "training.json"
GOAL_LINES = 1500  # Gavrilov's trained agent cleared more lines "every game"
GOAL_GAMES = 10
MAX_GOAL_PIECES = 4000
LINE_LIMITS = (100, 1000, None)  # the environments of Shahar and West
LIMITED_GAMES = 200


class Trial(NamedTuple):
    """A recipe, the number of seeds, the reported metric, changes to the recipe, and the first seed.

    With `compares_line_limits`, each trained agent also plays games with each of the three limits of lines.
    """

    recipe: str
    seed_count: int
    metric: str = "lines"
    changes: Sequence[str] = ()
    first_seed: int = 0
    compares_line_limits: bool = False


SMALL_BOARD = "rules=standard-10x10"
PIECE_REGIMES = {  # the three settings of Flom and Robinson
    "random": (),
    "fixed": ("games.piece_seed=fixed",),
    "unlimited": ("games.max_pieces=[0]",),
}
CROSSOVER_CHANGES = {
    f"{crossover}, {pieces} pieces": (f"genetic.crossover={crossover}", *changes)
    for pieces, changes in PIECE_REGIMES.items()
    for crossover in ("one-point", "two-point", "uniform", "hux")
}
TRIALS = {
    "gavrilov": Trial("gavrilov", 20),
    "gavrilov-plus": Trial("gavrilov-plus", 5),
    # The seeds of docs/papers/hindi.md, so that both pages show the same figures.
    "hindi": Trial("hindi", 40, "score", first_seed=1),
    "hindi-one-game": Trial("hindi-one-game", 200, "score", first_seed=1),
    "hindi-signed": Trial("hindi-signed", 5, "score"),
    "hindi-swap": Trial("hindi-swap", 5, "score"),
    "hindi-crowds": Trial("hindi-crowds", 20, "score", first_seed=1),
    "hindi-crowds-one-game": Trial("hindi-crowds-one-game", 60, "score", first_seed=1),
    "hindi-lookahead": Trial("hindi-lookahead", 40, "score", first_seed=1),
    "hindi-lookahead-one-game": Trial("hindi-lookahead-one-game", 40, "score", first_seed=1),
    "becker-tuned": Trial("becker-tuned", 5),
    "medico-tuned": Trial("medico-tuned", 3, "score"),
    "tetrais-q": Trial("tetrais-q", 5),
    **{
        f"flom-robinson, {kind}": Trial("flom-robinson", 5, changes=changes)
        for kind, changes in CROSSOVER_CHANGES.items()
    },
    "harmony": Trial("harmony", 3),
    "cma-dt": Trial("cma-dt", 3),
    "cross-entropy": Trial("cross-entropy", 3),
    "cross-entropy, short": Trial("cross-entropy", 5, changes=(SMALL_BOARD,)),
    "cross-entropy, constant noise": Trial("cross-entropy", 5, changes=(SMALL_BOARD, "cross-entropy.noise=constant")),
    "cross-entropy, no noise": Trial("cross-entropy", 5, changes=(SMALL_BOARD, "cross-entropy.noise=none")),
    "tsitsiklis": Trial("tsitsiklis", 10),
    **{
        f"shahar-west, {limit or 'unlimited'}": Trial(
            "shahar-west", 5, "score", (f"games.max_lines={limit or 0}",), compares_line_limits=True
        )
        for limit in LINE_LIMITS
    },
}


def run_trial(trial: Trial, seed: int, folder: Path, workers: int | None) -> dict[str, Any]:
    """Train with one seed and return the result."""
    run = train(trial.recipe, folder / str(seed), seed=seed, changes=trial.changes, workers=workers)
    result = run.result or {}
    held_out = result["held_out"]
    return {
        **{"seed": seed, "mean": result["uncorrected"][trial.metric]["mean"]},
        **{"capped": held_out["capped"], "games": held_out["games"]},
        **{"goal": count_goal_games(run), "generations": run.generation_count},
        **{"origin": result["origin"], "crowd": result["crowd"], "note": result["note"]},
        "seconds": round(run.meta["seconds"], 1),
        **({"line_limits": compare_line_limits(run)} if trial.compares_line_limits else {}),
    }


def count_goal_games(run: Run) -> int:
    """Return how many of ten held-out games of at most 4,000 pieces reach Gavrilov's goal."""
    held_out = (run.result or {})["held_out"]
    games = evaluate(
        run.best_agent, held_out["rules"], GOAL_GAMES, held_out["seed"], max_pieces=MAX_GOAL_PIECES
    ).per_game
    return int((games["lines"] >= GOAL_LINES).sum())


def compare_line_limits(run: Run) -> dict[str, Any]:
    """Return results of a trained agent in games with each of the limits of lines, by limit."""
    held_out = (run.result or {})["held_out"]
    games = {
        str(limit or "unlimited"): evaluate(
            run.best_agent, held_out["rules"], LIMITED_GAMES, held_out["seed"], max_lines=limit
        )
        for limit in LINE_LIMITS
    }
    return {
        limit: {
            "games": result.games,
            "lines": float(result.per_game["lines"].mean()),
            "score": float(result.per_game["score"].mean()),
            "points_per_line": result.points_per_line,
            "tetris_rate": result.tetris_rate,
        }
        for limit, result in games.items()
    }


def summarise_trial(
    trial: Trial, seed_results: list[dict[str, Any]], max_pieces: int, thread_count: int
) -> dict[str, Any]:
    """Return the result of a recipe over its seeds."""
    means = np.array([seed["mean"] for seed in seed_results])
    return {
        **{"recipe": trial.recipe, "changes": list(trial.changes), "counted": trial.metric, "cap": max_pieces},
        "threads": thread_count,
        **{"mean": float(means.mean()), "ci95": compute_mean_interval(means), "seeds": seed_results},
        **describe_measurement(),
    }


# The tables of the documentation.

CROSSOVER_PREFIX = "flom-robinson, "  # of the names of crossover trials
SHOWN_CROWDS = 5  # seeds with a row of their own
LINE_LIMIT_PREFIX = "shahar-west, "  # followed by the limit of lines in training
PIECE_SETTING_LABELS = {"unlimited pieces": "random pieces, no piece limit"}


def format_training(results: Any) -> str:
    """Return the table of training results over seeds."""
    rows = [
        [format_trial_name(trial), *make_trial_row(trial)]
        for name, trial in results.items()
        if not name.startswith(CROSSOVER_PREFIX)
    ]
    headers = [
        "recipe",
        "metric",
        "held-out games",
        "mean over seeds",
        "worst to best seed",
        "seeds",
        "training time",
    ]
    machines = sorted({f"{trial['processor']}, {trial['date']}" for trial in results.values()})
    return (
        format_table(headers, rows)
        + f"\nMeasured with `python -m benchmarks.training` ({'; '.join(machines)}). Means are not corrected for "
        "capped games.\n"
    )


def format_training_short(results: Any) -> str:
    """Return the table of a few training results."""
    names = (
        *("gavrilov", "gavrilov-plus", "hindi-crowds", "hindi-crowds-one-game", "tetrais-q"),
        *("becker-tuned", "medico-tuned", "cma-dt"),
    )
    rows = [[format_trial_name(results[name]), *make_trial_row(results[name])[:-3]] for name in names]
    table = format_table(["recipe", "metric", "held-out games", "mean over seeds"], rows)
    return f"{table}\nMeasured with `python -m benchmarks.training`. Means are not corrected for capped games.\n"


def format_goal(results: Any) -> str:
    """Return the table of how many of ten games reach Gavrilov's published result."""
    names = ("gavrilov", "gavrilov-plus")
    rows = [[f"`{name}`", ", ".join(str(seed["goal"]) for seed in results[name]["seeds"])] for name in names]
    return (
        format_left_aligned_table(["recipe", "games of ten that reach the goal, by seed"], rows)
        + f"\nMeasured with `python -m benchmarks.training {' '.join(names)}`\n"
    )


def format_crossovers(results: Any) -> str:
    """Return the table of Flom and Robinson's four crossovers for three settings of the pieces."""
    trials = {
        tuple(name.split(", ")[1:]): trial for name, trial in results.items() if name.startswith(CROSSOVER_PREFIX)
    }
    piece_settings, crossovers = (list(dict.fromkeys(key[index] for key in trials)) for index in (1, 0))
    rows = [
        [
            crossover,
            *(
                format_mean_interval(trials[crossover, piece_setting]["mean"], trials[crossover, piece_setting]["ci95"])
                for piece_setting in piece_settings
            ),
        ]
        for crossover in crossovers
    ]
    seeds = len(next(iter(trials.values()))["seeds"])
    return (
        format_table(["crossover", *(PIECE_SETTING_LABELS.get(name, name) for name in piece_settings)], rows)
        + f"\nMeasured with `python -m benchmarks.training` (lines per game, mean over {seeds} seeds)\n"
    )


def format_line_limits(results: Any) -> str:
    """Return the table of Shahar and West's three limits of lines: trained with one of them, measured with each."""
    trials = {name.removeprefix(LINE_LIMIT_PREFIX): results[name] for name in results if LINE_LIMIT_PREFIX in name}
    headers = [
        "limit in training",
        "lines, unlimited games",
        "worst to best seed",
        "points per line",
        "share of lines from tetrises",
        *(f"points, {'unlimited games' if limit == 'unlimited' else f'{int(limit):,} lines'}" for limit in trials),
    ]
    rows = []
    for limit, trial in trials.items():
        unlimited = [seed["line_limits"]["unlimited"] for seed in trial["seeds"]]
        lines = [result["lines"] for result in unlimited]
        rows.append(
            [
                limit if limit == "unlimited" else f"{int(limit):,} lines",
                format_mean_over_seeds(lines),
                f"{format_number(min(lines))} to {format_number(max(lines))}",
                format_mean_over_seeds([result["points_per_line"] for result in unlimited]),
                format_number(100 * np.mean([result["tetris_rate"] for result in unlimited])) + " %",
                *(
                    format_mean_over_seeds([seed["line_limits"][measured]["score"] for seed in trial["seeds"]])
                    for measured in trials
                ),
            ]
        )
    seeds = next(iter(trials.values()))["seeds"]
    names = " ".join(f'"{LINE_LIMIT_PREFIX}{limit}"' for limit in trials)
    return (
        format_table(headers, rows)
        + f"\nMeasured with `python -m benchmarks.training {names}` (mean over {len(seeds)} seeds, "
        f"{seeds[0]['line_limits']['unlimited']['games']} games each)\n"
    )


def format_mean_over_seeds(values: list[float]) -> str:
    """Format the mean of the results of all seeds with its confidence interval."""
    numbers = np.array(values)
    return format_mean_interval(float(numbers.mean()), compute_mean_interval(numbers))


def format_crowds(results: Any) -> str:
    """Return the table of crowds compared with their experts: the first seeds, and the mean of all."""
    seeds = results["hindi-crowds"]["seeds"]
    headers = [header for header in seeds[0]["crowd"] if header != "experts"]
    crowds = {str(seed["seed"]): seed["crowd"] for seed in seeds[:SHOWN_CROWDS]}
    crowds[f"mean of {len(seeds)} seeds"] = {
        header: sum(seed["crowd"][header] for seed in seeds) / len(seeds) for header in headers
    }
    rows = [[name, *(format_number(crowd[header], 0) for header in headers)] for name, crowd in crowds.items()]
    return format_table(["seed", *headers], rows) + "\nMeasured with `python -m benchmarks.training hindi-crowds`\n"


def format_trial_name(trial: Any) -> str:
    """Return the recipe and its changes as typed on the command line."""
    return f"`{trial['recipe']}`" + "".join(f" `{change}`" for change in trial["changes"])


def make_trial_row(trial: Any) -> list[str]:
    """Return the table cells of a trial."""
    seeds, means = trial["seeds"], [seed["mean"] for seed in trial["seeds"]]
    cap = f" of at most {trial['cap']:,} pieces" if trial["cap"] else ""
    seconds = sorted(seed["seconds"] for seed in seeds)
    return [
        {"lines": "lines per game", "score": "points per game"}[trial["counted"]],
        f"{seeds[0]['games']:,}{cap}",
        format_mean_interval(trial["mean"], trial["ci95"]),
        f"{format_number(min(means))} to {format_number(max(means))}",
        str(len(seeds)),
        f"{format_number(seconds[len(seconds) // 2])} s on {format_count(trial['threads'], 'thread')}",
    ]


def main() -> None:
    """Run the given trials, or all, and save each result as soon as it is available."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TRIALS))
    parser.add_argument("--workers", type=int, help="number of threads (default: all cores)")
    parser.add_argument("--file", type=Path, default=RESULTS_FILE, help="result file to update")
    options = parser.parse_args()
    for name in options.names or TRIALS:
        trial = TRIALS[name]
        with tempfile.TemporaryDirectory() as folder:
            numbers = range(trial.first_seed, trial.first_seed + trial.seed_count)
            seeds = [run_trial(trial, seed, Path(folder), options.workers) for seed in numbers]
            cap = Run(Path(folder) / str(trial.first_seed)).recipe.validation.max_pieces
        results = json.loads(options.file.read_text(encoding="utf-8")) if options.file.exists() else {}
        results[name] = summarise_trial(trial, seeds, cap, options.workers or os.cpu_count() or 1)
        results = {trial_name: results[trial_name] for trial_name in TRIALS if trial_name in results}
        save_result(options.file, results, prints=False)
        print(f"{name}: {results[name]['mean']:,.1f} {trial.metric} per game over {trial.seed_count} seeds", flush=True)


if __name__ == "__main__":
    main()
