"""Results of measurements for the tests of the reproduction of Medico's report."""

from typing import Any

import numpy as np

from tetrion.lab.papers.medico.medico_claims import MEDICO_CLAIMS
from tetrion.lab.papers.medico.medico_paper import MEDICO_PAPER
from tetrion.lab.papers.medico.medico_variants import (
    DANGER_ZONES,
)
from tetrion.lab.reproduction.reproduction import ClaimRow, compare_claim


def make_games(
    score: float, line: float = 110, spread: float = 0.02, number: int = 1000, deviation: float = 1
) -> dict[str, Any]:
    """Return the summary of games with exponentially distributed scores and the given points per line.

    `deviation` is the standard deviation of the scores divided by their mean, at most 1.
    """
    exponential = -np.log(1 - (np.arange(number) + 0.5) / number)
    scores = score * (1 - deviation + deviation * exponential)
    lines = scores / line

    def summarise(values: Any) -> dict[str, Any]:
        mean = float(values.mean())
        ends = (mean * (1 - spread), mean * (1 + spread))
        shape = dict(zip(("min", "q1", "median", "q3", "max"), np.percentile(values, range(0, 101, 25)), strict=True))
        return {
            "mean": mean,
            "ci95": ends,
            "played": mean,
            "played_ci95": ends,
            "deviation": float(values.std()),
            **shape,
        }

    return {
        "games": number,
        "capped": 0,
        "cap": None,
        "score": summarise(scores),
        "lines": summarise(lines),
        "points_per_line": line,
        "tetris_rate": (line - 40) / 260,
        "normalised_variance": float(scores.var() / scores.mean() ** 2),
        "sample": {"score": scores.tolist(), "lines": lines.tolist()},
    }


def make_training(score: float) -> dict[str, Any]:
    """Return the result of a training with one seed."""
    run = {
        "uncorrected": {"score": {"mean": score, "ci95": (0.9 * score, 1.1 * score)}},
        "held_out": {"points_per_line": 90.0},
    }
    return {"runs": [{"result": run}]}


EVENTS = {
    "pieces": 100,
    "scoring pieces": 60,
    "scoring clearable": 20,
    "scoring cleared": 2,
    "recovery clearable": 20,
    "recovery cleared": 15,
    "troubles": 10,
    "recoveries": 9,
    "tucks": 6,
    "orientable": 80,
    "flat": 40,
    "covering": 10,
    "filled": 4,
    "new holes": 12,
    "bumpiness": 1400,
    "low space": 3500,
    "one piece": 30,
    "fearless": 3,
    "unfilled": 2,
    "unfilled tucks": 6,
    "unfilled flat": 40,
    "equivalent": 0,
}


def make_events(**changes: int) -> list[dict[str, int]]:
    """Return the counts of twenty games that differ a little, with some events changed ("_" for a space)."""
    counts = EVENTS | {name.replace("_", " "): count for name, count in changes.items()}
    return [{name: count * size for name, count in counts.items()} for size in range(10, 30)]


def make_results(
    recovery: float = 70_000, drop: float = 16_000, straight: float = 15_500, learnt: float = 50_000
) -> Any:
    """Return results of all measurements with the given scores."""
    summaries: dict[str, Any] = {measurement.name: make_games(14_000) for measurement in MEDICO_PAPER.measurements}
    return summaries | {
        "threshold-0": make_games(recovery, 50),
        "recovery, cut": make_games(recovery),
        "drop": make_games(drop),
        "above": make_games(15_000),
        "above, drop": make_games(straight),
        "tuned": make_training(learnt),
        "learnt weights": make_training(learnt),
        "zones": {label: make_games(14_000) for label in DANGER_ZONES},
        "followed": {
            "both": make_events(),
            "one": make_events(filled=0),
            "unholed": make_events(new_holes=30),
            "uneven": make_events(bumpiness=2500, low_space=5000),
            "above": make_events(),
            "above, drop": make_events(),
        },
        "decisions": {
            "looked": 60,
            "placements": 23.0,
            "leaves": 551.0,
            "most": 1588,
            "time": {"decision": 0.0001, "longest": 0.004},
            "scoring_pieces": 2055,
            "games": 10,
            "near": [0.6, 0.7] * 30,
            "values": {"aggregate_height": 89.2, "bumpiness": 13.9, "holes": 4.9, "last_column_cells": 3.6},
        },
    }


def compare(statement: str, results: Any) -> ClaimRow:
    """Compare one claim of the report with results."""
    return compare_claim(next(claim for claim in MEDICO_CLAIMS if claim.statement == statement), results)


def change_events(name: str, **changes: int) -> Any:
    """Return results in which some events of one followed bot are changed."""
    results = make_results()
    return results | {"followed": results["followed"] | {name: make_events(**changes)}}


def change_games(name: str, score: float, line: float = 110) -> Any:
    """Return results in which one measurement has another score."""
    return make_results() | {name: make_games(score, line)}


def change_decisions(**changes: Any) -> Any:
    """Return results in which some values of the examined decisions are changed."""
    results = make_results()
    return results | {"decisions": results["decisions"] | changes}
