"""The ten runs of Medico's report, statistics of ten games, and the comparison with our games."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE
from tetrion.evaluation.number_format import format_number
from tetrion.lab.reproduction.measured_values import ValueReader, describe_games
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

_FloatArray = np.ndarray[Any, Any]
_POINTS_PER_CLEAR = (40, 100, 300, 1200)  # for one to four lines at once
_SAMPLED_SETS = 10_000  # number of sets of ten games that are drawn from ours
UNLIKELY_SHARE = 0.05  # significance level


class PublishedRun(NamedTuple):
    """A game of the report's table, which calls it a run."""

    score: int
    lines: int
    points_per_line: int  # as printed

    @property
    def possible_tetrises(self) -> list[int]:
        """The numbers of tetrises that are possible with the run's points and lines."""
        return [tetrises for tetrises in range(self.lines // 4 + 1) if self.can_have_tetrises(tetrises)]

    def can_have_tetrises(self, tetrises: int) -> bool:
        """Return whether clears of one to three lines can give the points and lines left after the tetrises."""
        for threes in range((self.lines - 4 * tetrises) // 3 + 1):
            lines = self.lines - 4 * tetrises - 3 * threes
            surplus = (  # points beyond those of single lines
                self.score
                - _POINTS_PER_CLEAR[3] * tetrises
                - _POINTS_PER_CLEAR[2] * threes
                - _POINTS_PER_CLEAR[0] * lines
            )
            twos, remainder = divmod(surplus, _POINTS_PER_CLEAR[1] - 2 * _POINTS_PER_CLEAR[0])
            if not remainder and 0 <= 2 * twos <= lines:
                return True
        return False


MEDICO_RUNS = (
    PublishedRun(27_200, 288, 94),
    PublishedRun(5680, 60, 94),
    PublishedRun(6400, 59, 108),
    PublishedRun(6440, 56, 115),
    PublishedRun(12_120, 98, 123),
    PublishedRun(38_620, 330, 117),
    PublishedRun(2780, 24, 115),
    PublishedRun(1580, 12, 131),
    PublishedRun(5480, 60, 91),
    PublishedRun(36_740, 315, 116),
)
MEDICO_SCORES = np.array([[run.score for run in MEDICO_RUNS]])
MEDICO_LINES = np.array([[run.lines for run in MEDICO_RUNS]])
MEDICO_TETRIS_SHARES = tuple(
    4 * sum(pick(run.possible_tetrises) for run in MEDICO_RUNS) / int(MEDICO_LINES.sum()) for pick in (min, max)
)

# Statistics of sets of ten games; scores and lines have one row per set.
_TEN_GAME_STATISTICS: dict[str, Callable[[_FloatArray, _FloatArray], _FloatArray]] = {
    "mean": lambda scores, lines: scores.mean(axis=1),
    "mean lines": lambda scores, lines: lines.mean(axis=1),
    "points per line": lambda scores, lines: scores.sum(axis=1) / np.maximum(1, lines.sum(axis=1)),
    "normalised variance": lambda scores, lines: scores.var(axis=1) / np.maximum(1, scores.mean(axis=1)) ** 2,
}


def compute_published_statistic(statistic: str) -> float:
    """Return a statistic of the report's ten runs."""
    return float(_TEN_GAME_STATISTICS[statistic](MEDICO_SCORES, MEDICO_LINES)[0])


def sample_statistic(data: Mapping[str, Any], statistic: str) -> _FloatArray:
    """Return a statistic of many random sets of ten of our games; the sets are the same in every call."""
    scores, lines = (np.array(data["sample"][name]) for name in ("score", "lines"))
    indices = draw_sets(len(scores))
    return _TEN_GAME_STATISTICS[statistic](scores[indices], lines[indices])


def draw_sets(game_count: int) -> _FloatArray:
    """Return the numbers of the games in many random sets of ten games, one row per set."""
    return np.random.default_rng(0).integers(0, game_count, (_SAMPLED_SETS, len(MEDICO_RUNS)))


def compute_distances(scores: _FloatArray, reference: _FloatArray) -> _FloatArray:
    """Return the Kolmogorov–Smirnov distance of each row of scores from reference scores.

    It is the largest difference between the shares of scores up to any number, in the row and in the reference.
    """
    ordered, sorted_reference = np.sort(scores, axis=1), np.sort(reference)
    count = scores.shape[1]
    up_to = np.searchsorted(sorted_reference, ordered, side="right") / len(reference)
    below = np.searchsorted(sorted_reference, ordered, side="left") / len(reference)
    above_share = np.arange(1, count + 1) / count - up_to
    below_share = below - np.arange(count) / count
    distances: _FloatArray = np.maximum(above_share, below_share).max(axis=1)
    return distances


def compute_distance_p_value(data: Mapping[str, Any]) -> tuple[float, int, int]:
    """Return the distance of the ten scores from our games, how many sets of ten of ours are as far, and of how many.

    The distance is that of Kolmogorov and Smirnov, which compares whole distributions.
    """
    scores = np.array(data["sample"]["score"])
    published = float(compute_distances(MEDICO_SCORES, scores)[0])
    ours = compute_distances(scores[draw_sets(len(scores))], scores)
    return published, int((ours >= published).sum()), len(ours)


def make_ten_game_reader(statistic: str, name: str = "medico") -> ValueReader:
    """Return a reader of the median and the 95 % range of a statistic over sets of ten games."""

    def read(results: MeasurementResults) -> MeasuredValue:
        low, median, high = np.percentile(sample_statistic(results[name], statistic), [2.5, 50, 97.5])
        games = len(results[name]["sample"]["score"])
        basis = f"{_SAMPLED_SETS:,} sets of ten games out of {games:,}: the median and the 95 % range"
        return MeasuredValue(float(median), (float(low), float(high)), basis=basis)

    return read


def compute_p_value(data: Mapping[str, Any], statistic: str) -> float:
    """Return the two-sided share of sets of ten of our games that are at least as extreme as the report's ten."""
    ours, value = sample_statistic(data, statistic), compute_published_statistic(statistic)
    return min(1.0, 2 * min(float((ours <= value).mean()), float((ours >= value).mean())))


def fits_published_runs(data: Mapping[str, Any]) -> bool:
    """Return whether the report's ten runs are compatible with these games in mean score and points per line."""
    return all(compute_p_value(data, statistic) >= UNLIKELY_SHARE for statistic in ("mean", "points per line"))


def compute_share_below(data: Mapping[str, Any], score: int) -> float:
    """Return the share of our games that score less, plus half of those with the same score."""
    ours = np.array(data["sample"]["score"])
    return float((ours < score).mean() + (ours == score).mean() / 2)


def compute_points_per_line(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the points per line over all games, with an interval by the delta method."""
    scores, lines = (np.array(data["sample"][name], float) for name in ("score", "lines"))
    value = data["points_per_line"]
    if value is None or len(scores) < 2:
        return MeasuredValue(value, basis=describe_games(data))
    margin = (
        NORMAL_QUANTILE * float((scores - value * lines).std(ddof=1)) / (float(lines.mean()) * data["games"] ** 0.5)
    )
    return MeasuredValue(value, (value - margin, value + margin), basis=describe_games(data))


def compute_normalised_variance(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the normalised variance of the score, with a bootstrap interval."""
    scores = np.array(data["sample"]["score"], float)
    resampled = scores[np.random.default_rng(0).integers(0, len(scores), (1000, len(scores)))]
    low, high = np.percentile(_TEN_GAME_STATISTICS["normalised variance"](resampled, resampled), [2.5, 97.5])
    value, sample_value = data["normalised_variance"], float(scores.var() / max(1.0, scores.mean()) ** 2)
    shrinkage = (len(scores) / data["games"]) ** 0.5  # the sample is a part of the games
    interval = (value - shrinkage * (sample_value - float(low)), value + shrinkage * (float(high) - sample_value))
    return MeasuredValue(value, interval, basis=describe_games(data))


def make_published_runs_table(results: MeasurementResults) -> list[list[str]]:
    """Return the report's table, with the possible share of lines from tetrises and the share of our lower games."""
    data = results["medico"]
    rows = []
    for number, run in enumerate(MEDICO_RUNS, 1):
        low, high = (4 * pick(run.possible_tetrises) / run.lines for pick in (min, max))
        share = f"{100 * low:.0f}" if low == high else f"{100 * low:.0f} to {100 * high:.0f}"
        below = f"{100 * compute_share_below(data, run.score):.0f} %"
        rows.append(
            [str(number), format_number(run.score, 0), str(run.lines), str(run.points_per_line), f"{share} %", below]
        )
    low, high = MEDICO_TETRIS_SHARES
    shares = f"{100 * low:.0f} to {100 * high:.0f} %"
    return [
        *rows,
        [
            "all",
            format_number(compute_published_statistic("mean"), 0),
            format_number(MEDICO_LINES.mean()),
            format_number(compute_published_statistic("points per line")),
            shares,
            "",
        ],
    ]


def make_our_games_table(results: MeasurementResults) -> list[list[str]]:
    """Return a table of statistics of the report's ten runs and of our games."""
    data = results["medico"]
    lines = MEDICO_LINES[0]
    low, high = (f"{100 * share:.0f}" for share in MEDICO_TETRIS_SHARES)
    rows = [
        [
            "mean",
            format_number(compute_published_statistic("mean"), 0),
            format_number(data["score"]["mean"], 0),
            format_number(lines.mean()),
            format_number(data["lines"]["mean"]),
        ]
    ]
    for name, share in (("min", 0), ("q1", 25), ("median", 50), ("q3", 75), ("max", 100)):
        score, line = np.percentile(MEDICO_SCORES[0], share), np.percentile(lines, share)
        label = {"min": "worst", "q1": "first quartile", "q3": "third quartile", "max": "best"}.get(name, name)
        ours = (format_number(data["score"][name], 0), format_number(data["lines"][name], 0))
        rows.append([label, format_number(score, 0), ours[0], format_number(line, 0), ours[1]])
    deviation = (format_number(MEDICO_SCORES.std(), 0), format_number(data["score"]["deviation"], 0))
    lines_deviation = (format_number(MEDICO_LINES.std()), format_number(data["lines"]["deviation"]))
    rows.append(["standard deviation", *deviation, *lines_deviation])
    rows.append(
        [
            "points per line",
            format_number(compute_published_statistic("points per line")),
            compute_points_per_line(data).formatted,
            "",
            "",
        ]
    )
    rows.append(["lines from tetrises", f"{low} to {high} %", f"{100 * data['tetris_rate']:.0f} %", "", ""])
    return rows
