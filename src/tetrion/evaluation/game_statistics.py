"""What can be said of many games, with intervals and without hiding the ones that were cut short."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tetrion.engine.batch_play import STATUS_OVER, GameRecords
from tetrion.engine.rules import RULES_VERSION, Rules
from tetrion.evaluation.confidence_intervals import (
    Interval,
    SampleArray,
    compute_censored_interval,
    compute_mean_interval,
)
from tetrion.evaluation.paired_difference import PairedDifference


@dataclass(frozen=True)
class SummaryStatistics:
    """One number a game, in short: the mean of games without a cap, the rest of the games as they were.

    `ci95` is the interval of the mean, unknown for a single game. Where games were cut short, both are estimated from
    the total and the deaths; without a death the mean is None and the interval has no upper end (infinity).
    """

    mean: float | None
    ci95: Interval | None
    median: float
    q1: float
    q3: float
    min: int
    max: int

    @classmethod
    def from_numbers(cls, numbers: SampleArray, deaths: int | None = None) -> "SummaryStatistics":
        """Sum up a number a game; all games but `deaths` were cut short."""
        mean, interval = estimate_mean(numbers, len(numbers) if deaths is None else deaths)
        q1, median, q3 = (float(value) for value in np.percentile(numbers, [25, 50, 75]))
        return cls(mean, interval, median, q1, q3, int(numbers.min()), int(numbers.max()))

    @property
    def precision(self) -> float | None:
        """Half the width of the interval as a share of the mean; None where either is unknown."""
        return compute_relative_half_width(self.mean, self.ci95)

    def to_json(self) -> dict[str, Any]:
        """The same with null for what is not known."""
        ends = None if self.ci95 is None else [end if math.isfinite(end) else None for end in self.ci95]
        return asdict(self) | {"ci95": ends}


def estimate_mean(numbers: SampleArray, deaths: int) -> tuple[float | None, Interval | None]:
    """The mean of games without a cap, and its interval.

    The length of games is close to exponential, for which the total over the deaths is the likeliest mean although
    games were cut short.
    """
    if deaths == len(numbers):
        return float(numbers.mean()), compute_mean_interval(numbers)
    total = float(numbers.sum())
    return (total / deaths if deaths else None), compute_censored_interval(total, deaths)


def compute_relative_half_width(mean: float | None, interval: Interval | None) -> float | None:
    """Half the width of an interval as a share of the mean, 0 where all games are equal; None where there is none."""
    if not mean or interval is None:
        return None
    width = interval[1] - interval[0]
    return width / 2 / mean if width else 0.0


@dataclass(frozen=True)
class Evaluation:
    """How an agent fared: `deaths` are games that ended by the rules, `capped` ones were cut short.

    `per_game` holds a record a game and `numbers` tells which games of the seed these are.
    """

    agent: str
    rules: Rules
    seed: int
    games: int
    deaths: int
    capped: int
    lines: SummaryStatistics
    score: SummaryStatistics
    pieces: SummaryStatistics
    seconds: float
    was_stopped: bool
    per_game: GameRecords
    game_numbers: SampleArray

    @classmethod
    def from_games(
        cls,
        agent: str,
        rules: Rules,
        seed: int,
        played: GameRecords,
        seconds: float,
        stopped: bool,
        numbers: SampleArray | None = None,
    ) -> "Evaluation":
        """Sum up games that have been played; they are numbers 0, 1, … unless `numbers` tells otherwise."""
        deaths = int((played["status"] == STATUS_OVER).sum())
        lines, score, pieces = (
            SummaryStatistics.from_numbers(played[name], deaths) for name in ("lines", "score", "pieces")
        )
        capped = len(played) - deaths
        numbers = np.arange(len(played)) if numbers is None else numbers
        return cls(
            agent, rules, seed, len(played), deaths, capped, lines, score, pieces, seconds, stopped, played, numbers
        )

    @property
    def points_per_line(self) -> float | None:
        """Points for each line cleared (Medico); None if no line was."""
        total = int(self.per_game["lines"].sum())
        return float(self.per_game["score"].sum()) / total if total else None

    @property
    def tetris_rate(self) -> float | None:
        """The share of lines that came from clearing four at once; None if no line was cleared."""
        total = int(self.per_game["lines"].sum())
        return 4 * int(self.per_game["clears"][:, 3].sum()) / total if total else None

    @property
    def normalised_variance(self) -> float | None:
        """The variance of the score, every game's divided by the mean (TetrAIs, section 7); None for a single game."""
        mean = float(self.per_game["score"].mean())
        return float((self.per_game["score"] / mean).var()) if mean and self.games > 1 else None

    @property
    def pieces_per_second(self) -> float:
        """How fast the games were played."""
        return float(self.per_game["pieces"].sum()) / max(self.seconds, 1e-9)

    def compare_to(self, first: "Evaluation") -> PairedDifference | None:
        """Lines a game more than another agent in the games of both; None without any, or if one was stopped.

        When somebody stops them, the games that have ended are the short ones, and a difference of those misleads.
        """
        if (self.rules, self.seed) != (first.rules, first.seed) or self.was_stopped or first.was_stopped:
            return None
        _, own, other = np.intersect1d(self.game_numbers, first.game_numbers, assume_unique=True, return_indices=True)
        mine, theirs = self.per_game[own], first.per_game[other]
        if not len(mine):
            return None
        capped = bool(((mine["status"] != STATUS_OVER) | (theirs["status"] != STATUS_OVER)).any())
        return PairedDifference.from_lines(mine["lines"], theirs["lines"], capped)

    def to_json(self, first: "Evaluation | None" = None) -> dict[str, Any]:
        """What `--json` writes of this agent; `first` is the one that it is compared with."""
        difference = self.compare_to(first) if first else None
        return {
            "agent": self.agent,
            "rules": str(self.rules),
            "rules_version": RULES_VERSION,
            "seed": self.seed,
            "games": self.games,
            "deaths": self.deaths,
            "capped": self.capped,
            "lines": self.lines.to_json(),
            "score": self.score.to_json(),
            "pieces": self.pieces.to_json(),
            "points_per_line": self.points_per_line,
            "normalised_variance": self.normalised_variance,
            "tetris_rate": self.tetris_rate,
            "difference_to_first": {"mean": difference.mean, "ci95": difference.ci95} if difference else None,
            "pieces_per_second": self.pieces_per_second,
        }
