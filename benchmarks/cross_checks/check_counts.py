"""What a cross-check counts."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_mean_interval

MOVES = "moves without a counterpart"
BOARDS = "boards"
GAINS = "rewards or lines"
ENDS = "ends of the game"
EXTRA_ACTIONS = "actions that only the environment allows"
MISSING_ACTIONS = "actions that only Tetrion allows"
LOCATIONS = "locations of the falling piece"


@dataclass
class CheckCounts:
    """The games and comparisons of a check: by kind, how many results were compared and how many of them differ."""

    returns: list[float] = field(default_factory=list)  # sum of the rewards, or of the lines, of each game
    compared: dict[str, int] = field(default_factory=dict)
    different: dict[str, int] = field(default_factory=dict)

    def compare(self, kind: str, theirs: object, ours: object) -> None:
        """Compare two results of a kind."""
        self.add(kind, 1, int(theirs != ours))

    def add(self, kind: str, compared: int, different: int) -> None:
        """Add comparisons of a kind."""
        self.compared[kind] = self.compared.get(kind, 0) + compared
        self.different[kind] = self.different.get(kind, 0) + different

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the mean return with its 95 % confidence interval, as JSON data."""
        counts = {"games": len(self.returns), "compared": self.compared, "different": self.different}
        return counts | summarise_returns(np.array(self.returns))


def summarise_returns(returns: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return the mean of one number per game, and its 95 % confidence interval, as JSON data."""
    interval = compute_mean_interval(returns)
    return {"mean": round(float(returns.mean()), 2), "ci95": interval and [round(end, 2) for end in interval]}
