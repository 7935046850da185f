"""How well the recipes train, over seeds: python -m benchmarks.training [NAME...] [--workers N] [--file FILE].

Every figure is of held-out games, which neither trained nor chose anybody. All but those of CMA-ES, which depends on
the last bits of a processor's arithmetic, are the same on every machine; the seconds are of the one that is named.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tetrion.evaluation import evaluate
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.machine import get_processor_name
from tetrion.training.run import Run
from tetrion.training.trainer import train

RESULTS_FILE = Path(__file__).parent / "results" / "training.json"
GOAL_LINES = 1500  # lines, of which Gavrilov's trained agent cleared more "every game"
GOAL_GAMES, MAX_GOAL_PIECES = 10, 4000  # games, and pieces after which they end


class Trial(NamedTuple):
    """A recipe, how many seeds to try it with, what is counted, and how it is changed."""

    recipe: str
    seed_count: int
    metric: str = "lines"
    changes: Sequence[str] = ()


SMALL_BOARD = "rules=standard-10x10"
PIECE_REGIMES = {  # the three regimes of Flom and Robinson
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
    "hindi": Trial("hindi", 5, "score"),
    "hindi-signed": Trial("hindi-signed", 5, "score"),
    "hindi-swap": Trial("hindi-swap", 5, "score"),
    "hindi-crowds": Trial("hindi-crowds", 5, "score"),
    "hindi-lookahead": Trial("hindi-lookahead", 5, "score"),
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
}


def run_trial(trial: Trial, seed: int, folder: Path, workers: int | None) -> dict[str, Any]:
    """What a recipe comes to with a seed."""
    run = train(trial.recipe, folder / str(seed), seed=seed, changes=trial.changes, workers=workers)
    result = run.result or {}
    told = result["held_out"]
    return {
        **{"seed": seed, "mean": result["uncorrected"][trial.metric]["mean"]},
        **{"capped": told["capped"], "games": told["games"]},
        **{"goal": count_goal_games(run), "generations": run.generation_count},
        **{"origin": result["origin"], "crowd": result["crowd"], "note": result["note"]},
        "seconds": round(run.meta["seconds"], 1),
    }


def count_goal_games(run: Run) -> int:
    """In how many of ten held-out games, cut at 4,000 pieces, more lines were cleared than Gavrilov's goal."""
    told = (run.result or {})["held_out"]
    games = evaluate(run.best_agent, told["rules"], GOAL_GAMES, told["seed"], max_pieces=MAX_GOAL_PIECES).per_game
    return int((games["lines"] >= GOAL_LINES).sum())


def summarise_trial(
    trial: Trial, seed_results: list[dict[str, Any]], max_pieces: int, thread_count: int
) -> dict[str, Any]:
    """What a recipe comes to over its seeds."""
    means = np.array([seed["mean"] for seed in seed_results])
    return {
        **{"recipe": trial.recipe, "changes": list(trial.changes), "counted": trial.metric, "cap": max_pieces},
        "threads": thread_count,
        **{"mean": float(means.mean()), "ci95": compute_mean_interval(means), "seeds": seed_results},
        **{"processor": get_processor_name(), "date": datetime.now(UTC).date().isoformat()},
    }


def main() -> None:
    """Try what is asked for, and keep each figure beside the rest as soon as it is known."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TRIALS))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--file", type=Path, default=RESULTS_FILE)
    given = parser.parse_args()
    for name in given.names or TRIALS:
        trial = TRIALS[name]
        with tempfile.TemporaryDirectory() as folder:
            seeds = [run_trial(trial, seed, Path(folder), given.workers) for seed in range(trial.seed_count)]
            cap = Run(Path(folder) / "0").recipe.validation.max_pieces
        kept = json.loads(given.file.read_text(encoding="utf-8")) if given.file.exists() else {}
        kept[name] = summarise_trial(trial, seeds, cap, given.workers or os.cpu_count() or 1)
        kept = {known: kept[known] for known in TRIALS if known in kept}
        given.file.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{name}: {kept[name]['mean']:,.1f} {trial.metric} a game over {trial.seed_count} seeds", flush=True)


if __name__ == "__main__":
    main()
