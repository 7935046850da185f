"""Statistics of many games, with confidence intervals and corrected for capped games."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.confidence_intervals import (
    Interval,
    SampleArray,
    compute_censored_interval,
    compute_mean_interval,
)
from tetrion.evaluation.evaluation_table import (
    STATISTICS_HEADINGS,
    describe_intervals,
    format_statistics,
    iterate_game_records,
)
from tetrion.evaluation.game_results import GameResults, as_results
from tetrion.evaluation.modern_statistics import RatioEstimate, estimate_modern_rates
from tetrion.evaluation.number_format import format_count, format_mean_interval
from tetrion.evaluation.paired_difference import PairedDifference
from tetrion.notebook_display import make_short_repr, render_html_table

RowSelection = slice | SampleArray


@dataclass(frozen=True)
class SummaryStatistics:
    """Summary of one number per game.

    The mean is an estimate for games without a cap, the other numbers are uncorrected.

    `ci95` is the 95 % confidence interval of the mean, None for fewer than three games if none is capped. With capped
    games both are estimated from the total and the number of deaths; without a death the mean is None and the interval
    has no upper end (infinity).
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
        """Summarise one number per game; `deaths` games ended by the rules (default: all), the others were capped."""
        mean, interval = estimate_mean(numbers, len(numbers) if deaths is None else deaths)
        q1, median, q3 = (float(value) for value in np.percentile(numbers, [25, 50, 75]))
        return cls(mean, interval, median, q1, q3, int(numbers.min()), int(numbers.max()))

    @property
    def precision(self) -> float | None:
        """Half the width of the confidence interval as a share of the mean; None if either is unknown."""
        return compute_relative_half_width(self.mean, self.ci95)

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as JSON data, with null for unknown and infinite values."""
        ends = None if self.ci95 is None else [end if math.isfinite(end) else None for end in self.ci95]
        return asdict(self) | {"ci95": ends}


def estimate_mean(numbers: SampleArray, deaths: int) -> tuple[float | None, Interval | None]:
    """Return the estimated mean of games without a cap, and its 95 % confidence interval.

    The length of games is close to exponential. For that distribution the total divided by the number of deaths is the
    maximum likelihood estimate of the mean, even with capped games.
    """
    if deaths == len(numbers):
        return float(numbers.mean()), compute_mean_interval(numbers)
    total = float(numbers.sum())
    return (total / deaths if deaths else None), compute_censored_interval(total, deaths)


def compute_relative_half_width(mean: float | None, interval: Interval | None) -> float | None:
    """Return half the width of an interval as a share of the mean, 0 if all games are equal, None if unknown."""
    if not mean or interval is None:
        return None
    width = interval[1] - interval[0]
    return width / 2 / mean if width else 0.0


def find_common_games(numbers: SampleArray, other_numbers: SampleArray) -> tuple[RowSelection, RowSelection]:
    """Return the rows of the games that two evaluations have in common, in the same order."""
    if np.array_equal(numbers, other_numbers):
        return slice(None), slice(None)  # needs no memory, unlike the general case
    _, rows, other_rows = np.intersect1d(numbers, other_numbers, assume_unique=True, return_indices=True)
    return rows, other_rows


@dataclass(frozen=True)
class Evaluation:
    """The result of an agent's games: `deaths` games ended by the rules, `capped` games were stopped at a limit.

    `per_game` holds the results of each game as the columns `pieces`, `lines`, `score`, `frames`, `clears` (numbers of
    singles, doubles, triples and tetrises) and `status`, and `game_numbers` the number of each game within the seed.
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
    per_game: GameResults
    game_numbers: SampleArray

    @classmethod
    def from_games(
        cls,
        agent: str,
        rules: Rules,
        seed: int,
        games: GameRecords | GameResults,
        *,
        seconds: float,
        was_stopped: bool = False,
        game_numbers: SampleArray | None = None,
    ) -> "Evaluation":
        """Summarise played games; they have the numbers 0, 1, … unless `game_numbers` is given."""
        results = as_results(games)
        deaths = int((results["status"] == STATUS_OVER).sum())
        return cls(
            agent=agent,
            rules=rules,
            seed=seed,
            games=len(results),
            deaths=deaths,
            capped=len(results) - deaths,
            lines=SummaryStatistics.from_numbers(results["lines"], deaths),
            score=SummaryStatistics.from_numbers(results["score"], deaths),
            pieces=SummaryStatistics.from_numbers(results["pieces"], deaths),
            seconds=seconds,
            was_stopped=was_stopped,
            per_game=results,
            game_numbers=np.arange(len(results)) if game_numbers is None else game_numbers,
        )

    @property
    def points_per_line(self) -> float | None:
        """Points per cleared line (Medico); None if no line was cleared."""
        total = int(self.per_game["lines"].sum())
        return float(self.per_game["score"].sum()) / total if total else None

    @property
    def tetris_rate(self) -> float | None:
        """The share of lines from tetrises; None if no line was cleared."""
        total = int(self.per_game["lines"].sum())
        return 4 * int(self.per_game["clears"][:, 3].sum()) / total if total else None

    @property
    def modern_rates(self) -> dict[str, RatioEstimate]:
        """Attack, spins, back-to-backs, combos and perfect clears of modern games, by name; empty for other games."""
        return estimate_modern_rates(self.per_game) if self.rules.is_modern else {}

    @property
    def normalised_variance(self) -> float | None:
        """The variance of (score / mean score) over all games (TetrAIs, section 7); None for a single game."""
        mean = float(self.per_game["score"].mean())
        return float((self.per_game["score"] / mean).var()) if mean and self.games > 1 else None

    @property
    def pieces_per_second(self) -> float:
        """Pieces placed per second of playing time, over all games together."""
        return float(self.per_game["pieces"].sum()) / max(self.seconds, 1e-9)

    def compare_to(self, other: "Evaluation") -> PairedDifference | None:
        """Return the paired difference in lines to the evaluation of another agent, over the games that both played.

        It is None without common games, and if one evaluation was stopped: its finished games are mostly short ones,
        which would bias the difference.
        """
        if not isinstance(other, Evaluation):
            raise TetrionError(f"compare_to needs an Evaluation, which evaluate() returns; given {other!r}.")
        if (self.rules, self.seed) != (other.rules, other.seed) or self.was_stopped or other.was_stopped:
            return None
        rows, other_rows = find_common_games(self.game_numbers, other.game_numbers)
        lines, other_lines = self.per_game["lines"][rows], other.per_game["lines"][other_rows]
        if not len(lines):
            return None
        has_died = (self.per_game["status"][rows] == STATUS_OVER) & (
            other.per_game["status"][other_rows] == STATUS_OVER
        )
        return PairedDifference.from_lines(lines, other_lines, capped=not has_died.all())

    def to_records(self) -> list[dict[str, int | str]]:
        """Return one dictionary of plain numbers and texts per game, for `pandas.DataFrame` and the like.

        The keys are the columns of `tetrion bench --csv`: agent, rules, seed, game, status (over, capped or stopped),
        pieces, lines, score, singles, doubles, triples, tetrises, frames; in modern games also attack, sent, received,
        back_to_backs, longest_combo, perfect_clears, and the spins by kind and rows, such as spins_2.
        """
        return list(iterate_game_records(self))

    def __repr__(self) -> str:
        lines = f"{format_mean_interval(self.lines.mean, self.lines.ci95)} lines per game"
        games = f"{format_count(self.games, 'game')}, {self.capped:,} capped"
        return make_short_repr("Evaluation", f"{self.agent}: {lines}, {games}, rules {self.rules}, seed {self.seed}")

    def _repr_html_(self) -> str:
        games = f"{format_count(self.games, 'game')}, {format_count(self.deaths, 'death')}, {self.capped:,} capped"
        estimate = "; * estimated from capped games" if self.capped else ""
        note = f"{games} · rules {self.rules}, seed {self.seed} · means {describe_intervals([self])}{estimate}"
        return render_html_table(self.agent, STATISTICS_HEADINGS, format_statistics(self), note=note)

    def to_json(self, first: "Evaluation | None" = None) -> dict[str, Any]:
        """Return the evaluation as JSON data (`bench --json`); `first` is the evaluation to compare with."""
        difference = self.compare_to(first) if first else None
        return {
            "agent": self.agent,
            "rules": str(self.rules),
            "rules_version": self.rules.behaviour_version,
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
            **(
                {"modern": {name: rate.to_json() for name, rate in self.modern_rates.items()}}
                if self.modern_rates
                else {}
            ),
            "difference_to_first": {"mean": difference.mean, "ci95": difference.ci95} if difference else None,
            "pieces_per_second": self.pieces_per_second,
        }
