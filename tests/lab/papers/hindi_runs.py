"""Results of training runs for the tests of the reproduction of Hindi et al."""

from collections.abc import Mapping, Sequence
from typing import Any

Scores = Sequence[float]
OUTCOMES = [True, False, None]  # a statement holds, does not hold, is undecided
FLAT: Scores = [1.0] * 25
RISING: Scores = list(range(25))
FALLING: Scores = list(range(25, 0, -1))


def make_run(scores: Any, held_out: float = 1000.0, crowd: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Return a run whose generations have these averages and best scores."""
    result = {"uncorrected": {"score": {"mean": held_out, "ci95": [held_out, held_out]}}, "crowd": dict(crowd or {})}
    return {"metrics": {"mean": list(scores), "max": list(scores)}, "result": result}


def add_lines(results: dict[str, Any]) -> dict[str, Any]:
    """Add lines to results; the answer takes the number of seeds from them."""
    for training in results.values():
        for training_run in training["runs"]:
            training_run["result"]["uncorrected"]["lines"] = {"mean": 1.0, "ci95": [1.0, 1.0]}
    return results


def make_runs(held_out: Scores, curve: Scores = (0, 1)) -> dict[str, Any]:
    """Return a training whose runs have these held-out scores and the same generations."""
    return {"runs": [make_run(curve, score) for score in held_out]}


def make_curves(curves: Sequence[Scores]) -> dict[str, Any]:
    """Return a training whose runs have these averages."""
    return {"runs": [make_run(curve) for curve in curves]}


def spread(centre: float, count: int = 16) -> list[float]:
    """Return numbers around a centre, with a standard deviation of a few per cent."""
    return [centre * (1 + 0.1 * (number / (count - 1) - 0.5)) for number in range(count)]
