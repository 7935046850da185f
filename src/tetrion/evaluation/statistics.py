"""What can be said of many games, with intervals and without hiding the ones that were cut short."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tetrion.engine.play import OVER, Games
from tetrion.engine.rules import VERSION, Rules

NORMAL_95 = 1.96

Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Summary:
    """One number a game, in short; `ci95` is the interval of the mean, unknown for a single game."""

    mean: float
    ci95: tuple[float, float] | None
    median: float
    q1: float
    q3: float
    min: int
    max: int

    @classmethod
    def of(cls, numbers: Numbers) -> "Summary":
        """Sum up a number a game."""
        mean = float(numbers.mean())
        q1, median, q3 = (float(value) for value in np.percentile(numbers, [25, 50, 75]))
        return cls(mean, _interval(numbers), median, q1, q3, int(numbers.min()), int(numbers.max()))


def _interval(numbers: Numbers) -> tuple[float, float] | None:
    """The 95 % interval of the mean, from the spread of the sample."""
    if len(numbers) < 2:
        return None
    mean, margin = float(numbers.mean()), NORMAL_95 * float(numbers.std(ddof=1)) / math.sqrt(len(numbers))
    return mean - margin, mean + margin


@dataclass(frozen=True)
class Evaluation:
    """How an agent fared: `deaths` are games that ended by the rules, `capped` ones were cut short."""

    agent: str
    rules: Rules
    seed: int
    games: int
    deaths: int
    capped: int
    lines: Summary
    score: Summary
    pieces: Summary
    tetris_rate: float | None
    seconds: float
    stopped: bool
    per_game: Games

    @classmethod
    def of(cls, agent: str, rules: Rules, seed: int, played: Games, seconds: float, stopped: bool) -> "Evaluation":
        """Sum up games that have been played."""
        deaths = int((played["status"] == OVER).sum())
        lines = Summary.of(played["lines"])
        total = int(played["lines"].sum())
        return cls(
            agent,
            rules,
            seed,
            len(played),
            deaths,
            len(played) - deaths,
            lines,
            Summary.of(played["score"]),
            Summary.of(played["pieces"]),
            4 * int(played["clears"][:, 3].sum()) / total if total else None,
            seconds,
            stopped,
            played,
        )

    @property
    def lines_per_death(self) -> tuple[float, float] | None:
        """The mean lines of games without a cap, and its relative 95 % margin; None if no game ended by itself.

        The length of games is close to exponential, for which lines over deaths is the likeliest mean although games
        were cut short, with a margin of 1.96 / √deaths.
        """
        if not self.deaths:
            return None
        return float(self.per_game["lines"].sum()) / self.deaths, NORMAL_95 / math.sqrt(self.deaths)

    @property
    def normalised_variance(self) -> float | None:
        """The variance of the score once every game's is divided by the mean (TetrAIs, section 7)."""
        mean = self.score.mean
        return float((self.per_game["score"] / mean).var()) if mean else None

    @property
    def pieces_per_second(self) -> float:
        """How fast the games were played."""
        return float(self.per_game["pieces"].sum()) / self.seconds

    def difference_to(self, first: "Evaluation") -> dict[str, Any] | None:
        """Lines more or fewer than another agent cleared in the same games; None if they did not play the same ones."""
        if (
            self.stopped
            or first.stopped
            or (self.rules, self.seed, self.games) != (first.rules, first.seed, first.games)
        ):
            return None
        difference = self.per_game["lines"] - first.per_game["lines"]
        return {"mean": float(difference.mean()), "ci95": _interval(difference)}

    def to_json(self, first: "Evaluation | None" = None) -> dict[str, Any]:
        """What `--json` writes of this agent; `first` is the one that it is compared with."""
        total = int(self.per_game["lines"].sum())
        return {
            "agent": self.agent,
            "rules": str(self.rules),
            "rules_version": VERSION,
            "seed": self.seed,
            "games": self.games,
            "deaths": self.deaths,
            "capped": self.capped,
            "lines": asdict(self.lines),
            "score": asdict(self.score),
            "pieces": asdict(self.pieces),
            "points_per_line": self.score.mean * self.games / total if total else None,
            "normalised_variance": self.normalised_variance,
            "tetris_rate": self.tetris_rate,
            "difference_to_first": self.difference_to(first) if first else None,
            "pieces_per_second": self.pieces_per_second,
        }
