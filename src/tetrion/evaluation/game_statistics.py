"""Results of many games: statistics with intervals, corrected for capped games; comparisons, tables and files."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import numpy as np

from tetrion.engine.batch_play import get_record_type
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import (
    FULL_SPIN,
    MAX_CLEARED_ROWS,
    MINI_SPIN,
    NO_SPIN,
    ClearNumbers,
    FullGameRecord,
    GameColumn,
    GameRecords,
    Int64,
    Int64Array,
    Record,
    Records,
)
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError, describe_value
from tetrion.evaluation.confidence_intervals import (
    MIN_SAMPLE_SIZE,
    NORMAL_QUANTILE,
    UNKNOWN_INTERVAL,
    Interval,
    SampleArray,
    compute_censored_interval,
    compute_difference_interval,
    compute_mean_interval,
    get_student_quantile,
)
from tetrion.evaluation.number_format import (
    MILLIONS_THRESHOLD,
    choose_decimals,
    format_count,
    format_mean_interval,
    format_number,
    format_range,
)
from tetrion.extras import require
from tetrion.notebook_display import make_short_repr, render_html_table
from tetrion.position import get_engine_settings

if TYPE_CHECKING:
    from tetrion.lab.distribution_plot import DistributionPlot

GAME_STATUS_NAMES = {STATUS_OVER: "over", STATUS_CAPPED: "capped", STATUS_PLAYING: "stopped"}
_COUNTER_COLUMNS: tuple[GameColumn, ...] = ("pieces", "lines", "score", "frames")
_CLEAR_COLUMNS = ("singles", "doubles", "triples", "tetrises")
GAME_COLUMNS = ("agent", "rules", "seed", "game", "status", "pieces", "lines", "score", *_CLEAR_COLUMNS, "frames")
_ATTACK_COLUMNS: tuple[GameColumn, ...] = (
    "attack",
    "sent",
    "received",
    "back_to_backs",
    "longest_combo",
    "perfect_clears",
)
_SPIN_COLUMNS = tuple(  # spins by kind and cleared rows, such as mini_spins_1
    (f"{name}_{rows}", kind, rows)
    for name, kind in (("mini_spins", MINI_SPIN), ("spins", FULL_SPIN))
    for rows in range(MAX_CLEARED_ROWS)
)
_GAMES_PER_PART = 10_000  # converted to Python's numbers at a time
_RATE_PIECES = 1000  # rates of events are per this number of pieces
STATISTICS_HEADINGS = ("", "mean", "median", "quartiles", "min", "max")
_LINES_SCORING = "lines"  # the scoring system with one point per line
ESTIMATE_MARK = " *"  # after means that are estimated from capped games
MAX_SUGGESTED_GAMES = 10**7
POWER_STANDARD_ERRORS = NORMAL_QUANTILE + 0.8416  # a difference this large is detected with a power of 80 %

RowSelection = slice | SampleArray


class GameResult(Record[GameColumn]):
    """The result of a game: the fields of its record that statistics and files need."""

    pieces: Int64
    lines: Int64
    score: Int64
    frames: Int64
    clears: Annotated[Int64Array, 4]
    status: Int64  # as wide as the other fields, so that there are no gaps, and equal results have equal bytes


class FullGameResult(GameResult):
    """The result of a game with hold, spins, attack or garbage."""

    attack: Int64
    sent: Int64
    received: Int64
    clears_by_spin: ClearNumbers
    back_to_backs: Int64
    longest_combo: Int64
    perfect_clears: Int64


GameResults = Records[GameResult]


def get_result_type(rules: Rules) -> type[GameResult]:
    """Return the type of the results of games under these rules: full, if games in bulk have full records."""
    return FullGameResult if get_record_type(get_engine_settings(rules)) is FullGameRecord else GameResult


def has_attack(results: GameResults) -> bool:
    """Return whether results have the columns of attack and spins."""
    return bool(results.dtype == FullGameResult.dtype)


def copy_results(games: GameRecords | GameResults, results: GameRecords | GameResults) -> None:
    """Copy the results of games into an array of the same length, in one step that Ctrl-C cannot interrupt."""
    results[:] = games[list(results.dtype.names or ())]


def as_results(games: GameRecords | GameResults, rules: Rules) -> GameResults:
    """Return the results of games under these rules; an array of results is returned as it is."""
    if games.dtype in (GameResult.dtype, FullGameResult.dtype):
        return cast(GameResults, games)
    results = get_result_type(rules).make_array(len(games))
    copy_results(games, results)
    return results


@dataclass(frozen=True)
class PairedDifference:
    """Mean difference in lines per game between `agent` and `other`; `capped` if some of the games were capped.

    >>> import tetrion
    >>> du, lee = (tetrion.evaluate(name, "standard-10x10", games=50, seed=1) for name in ("du", "lee"))
    >>> du.compare_to(lee)
    <PairedDifference du − lee: lines per game +3,494 ± 1,024, games 50>
    """

    agent: str
    other: str
    mean: float
    ci95: Interval | None
    games: int
    capped: bool

    @classmethod
    def from_lines(
        cls, agent: str, other: str, lines: SampleArray, other_lines: SampleArray, *, capped: bool
    ) -> "PairedDifference":
        """Compare the lines of two agents in the same games, given in the same order."""
        differences = lines - other_lines
        interval = compute_difference_interval(differences)
        return cls(agent, other, float(differences.mean()), interval, len(differences), capped)

    def describe(self) -> str:
        """Describe the difference in a sentence."""
        suffix = " in capped games" if self.capped else ""
        if self.ci95 is None:
            return (
                f"{self.agent} and {self.other} have one game in common ({self.format_mean()} lines{suffix}): too few "
                "games to compare them."
            )
        if self.ci95 == (0, 0):
            return f"{self.agent} clears exactly as many lines as {self.other} in each of {self.games:,} games."
        sign, decimals = math.copysign(1, self.mean), choose_decimals(self.mean)
        low, high = sorted(sign * end for end in self.ci95)
        interval = f"(95 % interval {format_number(low, decimals)} to {format_number(high, decimals)})"
        comparison = "more" if sign > 0 else "fewer"
        amount = f"{format_number(abs(self.mean))} {comparison} lines per game than {self.other}{suffix}"
        return f"{self.agent} clears {amount} {interval}: {self.describe_significance(low)}"

    def list_facts(self) -> list[tuple[str, str]]:
        """Return names and values that describe the difference."""
        lines = ("+" if self.mean > 0 else "") + format_mean_interval(self.mean, self.ci95)
        return [("lines per game", lines), ("games", f"{self.games:,}{', some of them capped' if self.capped else ''}")]

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self.list_facts())
        return make_short_repr("PairedDifference", f"{self.agent} − {self.other}: {facts}")

    def _repr_html_(self) -> str:
        title = f"{self.agent} − {self.other}"
        return render_html_table(title, [], self.list_facts(), note=self.describe(), text_columns=2)

    def format_mean(self) -> str:
        """Format the mean with its sign."""
        return ("+" if self.mean >= 0 else "") + format_number(self.mean, 0)

    def describe_significance(self, low: float) -> str:
        """Describe whether the difference is significant, given the end of the interval that is closer to 0."""
        if low > 0:
            return "the difference is statistically significant."
        games = self.estimate_games_needed()
        if games is None:
            return f"not statistically significant; even {MAX_SUGGESTED_GAMES:,} games might not be enough."
        return f"not statistically significant; about {games:,} games would be needed."

    def estimate_games_needed(self) -> int | None:
        """Estimate how many games detect a difference of this size with a power of 80 %; None if too many to play."""
        if self.ci95 is None or not self.mean:
            return None
        error = (self.ci95[1] - self.ci95[0]) / 2 / get_student_quantile(self.games - 1)
        games = max(self.games * (POWER_STANDARD_ERRORS * error / self.mean) ** 2, self.games + 1)
        if games > MAX_SUGGESTED_GAMES:
            return None
        step = int(10 ** max(math.floor(math.log10(games)) - 1, 0))  # two significant digits
        return math.ceil(games / step) * step


@dataclass(frozen=True)
class SummaryStatistics:
    """Summary of one number per game.

    The mean is an estimate for games without a cap, the other numbers are uncorrected.

    `ci95` is the 95 % confidence interval of the mean; its ends are NaN for fewer than three games if none is capped.
    With capped games both are estimated from the total and the number of deaths; without a death the mean and the upper
    end of the interval are infinite.

    >>> import tetrion
    >>> lines = tetrion.evaluate("dellacherie", "standard-10x10", games=100, seed=1).lines
    >>> low, high = lines.ci95
    >>> low < lines.mean < high, lines.min, lines.max
    (True, 22, 14320)
    """

    mean: float
    ci95: Interval
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
        return cls(mean, interval or UNKNOWN_INTERVAL, median, q1, q3, int(numbers.min()), int(numbers.max()))

    @property
    def precision(self) -> float | None:
        """Half the width of the confidence interval as a share of the mean; None if either is unknown."""
        return compute_relative_half_width(self.mean, self.ci95)

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as JSON data, with null for unknown and infinite values."""
        mean, *ends = (number if math.isfinite(number) else None for number in (self.mean, *self.ci95))
        return asdict(self) | {"mean": mean, "ci95": ends if self.has_interval else None}

    @property
    def has_interval(self) -> bool:
        """Whether the confidence interval is known."""
        return not math.isnan(self.ci95[0])


def estimate_mean(numbers: SampleArray, deaths: int) -> tuple[float, Interval | None]:
    """Return the estimated mean of games without a cap, and its 95 % confidence interval.

    The length of games is close to exponential. For that distribution the total divided by the number of deaths is the
    maximum likelihood estimate of the mean, even with capped games.
    """
    if deaths == len(numbers):
        return float(numbers.mean()), compute_mean_interval(numbers)
    total = float(numbers.sum())
    return (total / deaths if deaths else math.inf), compute_censored_interval(total, deaths)


def compute_relative_half_width(mean: float | None, interval: Interval | None) -> float | None:
    """Return half the width of an interval as a share of the mean, 0 if all games are equal, None if unknown."""
    if not mean or interval is None:
        return None
    width = interval[1] - interval[0]
    return (width / 2 / mean if width else 0.0) if math.isfinite(width) else None


def find_common_games(numbers: SampleArray, other_numbers: SampleArray) -> tuple[RowSelection, RowSelection]:
    """Return the rows of the games that two evaluations have in common, in the same order."""
    if np.array_equal(numbers, other_numbers):
        return slice(None), slice(None)  # needs no memory, unlike the general case
    _, rows, other_rows = np.intersect1d(numbers, other_numbers, assume_unique=True, return_indices=True)
    return rows, other_rows


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


def estimate_attack_rates(games: GameResults) -> dict[str, RatioEstimate]:
    """Return attack per piece and per line, and other events per thousand pieces, by name; empty without attack."""
    if not has_attack(games):
        return {}
    pieces, clears = games["pieces"].astype(float), games["clears_by_spin"]
    full, mini = clears[:, FULL_SPIN], clears[:, MINI_SPIN]
    events: Mapping[str, SampleArray] = {
        "spin singles": full[:, 1],
        "spin doubles": full[:, 2],
        "spin triples": full[:, 3],
        "mini spins": mini.sum(axis=1),
        "spins without a clear": full[:, 0],
        "tetrises": clears[:, NO_SPIN, 4],
        "back-to-backs": games["back_to_backs"],
        "perfect clears": games["perfect_clears"],
        "garbage rows": games["received"],
    }
    return {
        "attack per piece": estimate_ratio(games["attack"], pieces),
        "attack per line": estimate_ratio(games["attack"], games["lines"].astype(float)),
        **{name: estimate_ratio(_RATE_PIECES * numbers, pieces) for name, numbers in events.items()},
        "longest combo": estimate_ratio(games["longest_combo"], np.ones(len(games))),
    }


def format_attack_rates(rates: Mapping[str, RatioEstimate]) -> list[list[str]]:
    """Return one row per rate that is not 0: its name, and the rate with its interval."""
    per_piece = ("attack per piece", "attack per line", "longest combo")
    return [
        [
            name if name in per_piece else f"{name} per {_RATE_PIECES:,} pieces",
            format_mean_interval(estimate.ratio, estimate.ci95),
        ]
        for name, estimate in rates.items()
        if estimate.ratio
    ]


@dataclass(frozen=True)
class Evaluation:
    """The result of an agent's games: `deaths` games ended by the rules, `capped` games were stopped at a limit.

    `was_stopped` if Ctrl-C stopped them before `planned` games had finished.

    `per_game` holds the results of each game as the columns `pieces`, `lines`, `score`, `frames`, `clears` (numbers of
    singles, doubles, triples and tetrises) and `status`, and `game_numbers` the number of each game within the seed.

    >>> import tetrion
    >>> result = tetrion.evaluate("dellacherie", "standard-10x10", games=100, seed=1)
    >>> result
    <Evaluation dellacherie: 2,519 −439 +531 lines per game, 100 games, 0 capped, rules standard-10x10, seed 1>
    >>> result.to_records()[0]["lines"]
    1027
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
    planned: int
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
        planned: int | None = None,
        game_numbers: SampleArray | None = None,
    ) -> "Evaluation":
        """Summarise played games; they have the numbers 0, 1, … unless `game_numbers` is given."""
        results = as_results(games, rules)
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
            planned=len(results) if planned is None else planned,
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
    def attack_rates(self) -> dict[str, RatioEstimate]:
        """Attack, spins, back-to-backs, combos and perfect clears, by name; empty under rules without them."""
        return estimate_attack_rates(self.per_game)

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
            raise TetrionError(
                f"compare_to needs an Evaluation, which evaluate() returns; given {describe_value(other)}."
            )
        if (self.rules, self.seed) != (other.rules, other.seed) or self.was_stopped or other.was_stopped:
            return None
        rows, other_rows = find_common_games(self.game_numbers, other.game_numbers)
        lines, other_lines = self.per_game["lines"][rows], other.per_game["lines"][other_rows]
        if not len(lines):
            return None
        has_died = (self.per_game["status"][rows] == STATUS_OVER) & (
            other.per_game["status"][other_rows] == STATUS_OVER
        )
        return PairedDifference.from_lines(self.agent, other.agent, lines, other_lines, capped=not has_died.all())

    def plot(self, *others: "Evaluation") -> "DistributionPlot":
        """Return a plot of how the games are distributed, here and in other evaluations; notebooks show the picture.

        `render("pdf")` gives the content of a file. It needs Matplotlib: `pip install "tetrion[plots]"`.
        """
        from tetrion.lab.distribution_plot import DistributionPlot  # imported late: plots are in a package above this

        require("matplotlib", "plots")
        if unsuitable := [other for other in others if not isinstance(other, Evaluation)]:
            raise TetrionError(f"plot needs evaluations, which evaluate() returns; given {unsuitable[0]!r}.")
        return DistributionPlot((self, *others))

    def to_records(self) -> list[dict[str, int | str]]:
        """Return one dictionary of plain numbers and texts per game, for `pandas.DataFrame` and the like.

        The keys are the columns of `tetrion bench --csv`: agent, rules, seed, game, status (over, capped or stopped),
        pieces, lines, score, singles, doubles, triples, tetrises, frames; under rules with hold, spins,
        attack or garbage also attack, sent, received, back_to_backs, longest_combo, perfect_clears, and the spins by
        kind and rows, such as spins_2.
        """
        return list(iterate_game_records(self))

    def __repr__(self) -> str:
        lines = f"{format_mean_interval(self.lines.mean, self.lines.ci95)} lines per game"
        games = f"{self._describe_stop()}{format_count(self.games, 'game')}, {self.capped:,} capped"
        return make_short_repr("Evaluation", f"{self.agent}: {lines}, {games}, rules {self.rules}, seed {self.seed}")

    def _repr_html_(self) -> str:
        games = f"{format_count(self.games, 'game')}, {format_count(self.deaths, 'death')}, {self.capped:,} capped"
        estimate = "; * estimated from capped games" if self.capped else ""
        conditions = f"rules {self.rules}, seed {self.seed} · means {describe_intervals([self])}{estimate}"
        note = f"{self._describe_stop()}{games} · {conditions}"
        return render_html_table(self.agent, STATISTICS_HEADINGS, format_statistics(self), note=note)

    def _describe_stop(self) -> str:
        """Return how many games had finished when Ctrl-C stopped them; an empty text if it did not."""
        finished = int((self.per_game["status"] != STATUS_PLAYING).sum())
        return f"stopped, {finished:,} of {self.planned:,} games finished: " if self.was_stopped else ""

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
                {"modern": {name: rate.to_json() for name, rate in self.attack_rates.items()}}
                if self.attack_rates
                else {}
            ),
            "difference_to_first": {"mean": difference.mean, "ci95": difference.ci95} if difference else None,
            "pieces_per_second": self.pieces_per_second,
        }


def list_game_columns(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the columns of a game in files: `GAME_COLUMNS`, and those of attack and spins if the results have them."""
    spins = [name for name, *_ in _SPIN_COLUMNS]
    return (*GAME_COLUMNS, *_ATTACK_COLUMNS, *spins) if has_attack(evaluation.per_game) else GAME_COLUMNS


def iterate_game_records(evaluation: Evaluation) -> Iterator[dict[str, int | str]]:
    """Yield one dictionary of plain numbers and texts per game, with the keys of `list_game_columns`."""
    names = list_game_columns(evaluation)
    shared: dict[str, int | str] = {"agent": evaluation.agent, "rules": str(evaluation.rules), "seed": evaluation.seed}
    for start in range(0, evaluation.games, _GAMES_PER_PART):
        part = slice(start, start + _GAMES_PER_PART)
        games = evaluation.per_game[part]
        columns: dict[str, list[int]] = {name: games[name].tolist() for name in _COUNTER_COLUMNS}
        columns |= {name: games["clears"][:, index].tolist() for index, name in enumerate(_CLEAR_COLUMNS)}
        if has_attack(games):
            columns |= {name: games[name].tolist() for name in _ATTACK_COLUMNS}
            columns |= {name: games["clears_by_spin"][:, kind, rows].tolist() for name, kind, rows in _SPIN_COLUMNS}
        columns["game"] = evaluation.game_numbers[part].tolist()
        for index, status in enumerate(games["status"].tolist()):
            row = shared | {"status": GAME_STATUS_NAMES[status]}
            row |= {name: values[index] for name, values in columns.items()}
            yield {name: row[name] for name in names}


def list_measures(evaluation: Evaluation) -> dict[str, SummaryStatistics]:
    """Return the measures of an evaluation by name; the score is left out where it is the number of lines."""
    score = {} if scores_lines(evaluation) else {"score": evaluation.score}
    return {"lines": evaluation.lines, **score, "pieces": evaluation.pieces}


def scores_lines(evaluation: Evaluation) -> bool:
    """Return whether the rules give one point per line and nothing else."""
    return evaluation.rules.scoring == _LINES_SCORING


def format_statistics(evaluation: Evaluation, millions_from: float = MILLIONS_THRESHOLD) -> list[list[str]]:
    """Return the table rows, one per measure; numbers from `millions_from` on are in millions."""
    shorten = partial(format_number, millions_threshold=millions_from)
    mark = ESTIMATE_MARK if evaluation.capped else ""
    return [
        [
            name,
            format_mean_interval(summary.mean, summary.ci95, millions_threshold=millions_from) + mark,
            shorten(summary.median),
            format_range(summary.q1, summary.q3, millions_threshold=millions_from),
            shorten(summary.min, 0),
            shorten(summary.max, 0),
        ]
        for name, summary in list_measures(evaluation).items()
    ]


def describe_intervals(evaluations: Iterable[Evaluation]) -> str:
    """Return the words that follow "means" in the note of a table: with confidence intervals, or why there are none."""
    if any(evaluation.lines.has_interval for evaluation in evaluations):
        return "with 95 % confidence intervals"
    return f"without confidence intervals, which need at least {MIN_SAMPLE_SIZE} games"
