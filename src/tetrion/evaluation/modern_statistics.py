"""Statistics of modern games: attack, spins, back-to-backs, combos and perfect clears, with confidence intervals."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tetrion.engine.records import FULL_SPIN, MINI_SPIN, NO_SPIN
from tetrion.evaluation.confidence_intervals import Interval, SampleArray, get_student_quantile
from tetrion.evaluation.game_results import GameResults
from tetrion.evaluation.number_format import format_mean_interval

_PIECES = 1000  # rates are per this number of pieces


class RatioEstimate(NamedTuple):
    """The ratio of two totals over all games, and its 95 % confidence interval (None for fewer than two games)."""

    ratio: float | None
    ci95: Interval | None

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as JSON data."""
        return {"mean": self.ratio, "ci95": self.ci95}


def estimate_ratio(numbers: SampleArray, sizes: SampleArray) -> RatioEstimate:
    """Return the ratio of the totals of two numbers per game; the interval is by the delta method."""
    total = float(sizes.sum())
    if not total:
        return RatioEstimate(None, None)
    ratio, count = float(numbers.sum()) / total, len(numbers)
    if count < 2:
        return RatioEstimate(ratio, None)
    deviation = float(np.sqrt(((numbers - ratio * sizes) ** 2).sum() / (count - 1)))
    margin = get_student_quantile(count - 1) * deviation / math.sqrt(count) / (total / count)
    return RatioEstimate(ratio, (max(ratio - margin, 0.0), ratio + margin))


def estimate_modern_rates(games: GameResults) -> dict[str, RatioEstimate]:
    """Return attack per piece and per line, and the other events per thousand pieces, by name."""
    results: Any = games
    pieces, clears = results["pieces"].astype(float), results["clears_by_spin"]
    full, mini = clears[:, FULL_SPIN], clears[:, MINI_SPIN]
    events: Mapping[str, SampleArray] = {
        "spin singles": full[:, 1],
        "spin doubles": full[:, 2],
        "spin triples": full[:, 3],
        "mini spins": mini.sum(axis=1),
        "spins without a clear": full[:, 0],
        "tetrises": clears[:, NO_SPIN, 4],
        "back-to-backs": results["back_to_backs"],
        "perfect clears": results["perfect_clears"],
        "garbage rows": results["received"],
    }
    return {
        "attack per piece": estimate_ratio(results["attack"], pieces),
        "attack per line": estimate_ratio(results["attack"], results["lines"].astype(float)),
        **{name: estimate_ratio(_PIECES * numbers, pieces) for name, numbers in events.items()},
        "longest combo": estimate_ratio(results["longest_combo"], np.ones(len(results))),
    }


def format_modern_rates(rates: Mapping[str, RatioEstimate]) -> list[list[str]]:
    """Return one row per rate that is not 0: its name, and the rate with its interval."""
    per_piece = ("attack per piece", "attack per line", "longest combo")
    return [
        [
            name if name in per_piece else f"{name} per {_PIECES:,} pieces",
            format_mean_interval(estimate.ratio, estimate.ci95),
        ]
        for name, estimate in rates.items()
        if estimate.ratio
    ]
