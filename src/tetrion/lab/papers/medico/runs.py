"""The ten runs of Medico's report, what can be read from them, and how ours compare: what ten games leave open."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tetrion.evaluation.intervals import NORMAL
from tetrion.evaluation.words import figure
from tetrion.lab.reproduction.findings import Found, games_words
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

Numbers = np.ndarray[Any, Any]
POINTS = (40, 100, 300, 1200)  # for one to four lines at once
TENS = 10_000  # sets of ten games that are drawn from ours
UNLIKELY = 0.05  # what fewer of ours do does not fit


class Run(NamedTuple):
    """A run of the report's table."""

    score: int
    lines: int
    average: int  # points a line, as printed

    @property
    def fours(self) -> list[int]:
        """How many four-line clears the run can have had: its points and lines leave only these."""
        return [fours for fours in range(self.lines // 4 + 1) if self.possible(fours)]

    def possible(self, fours: int) -> bool:
        """Whether clears of one to three lines make up what so many of four leave."""
        for threes in range((self.lines - 4 * fours) // 3 + 1):
            lines = self.lines - 4 * fours - 3 * threes
            more = self.score - POINTS[3] * fours - POINTS[2] * threes - POINTS[0] * lines  # than single lines bring
            twos, rest = divmod(more, POINTS[1] - 2 * POINTS[0])
            if not rest and 0 <= 2 * twos <= lines:
                return True
        return False


RUNS = (
    Run(27_200, 288, 94),
    Run(5680, 60, 94),
    Run(6400, 59, 108),
    Run(6440, 56, 115),
    Run(12_120, 98, 123),
    Run(38_620, 330, 117),
    Run(2780, 24, 115),
    Run(1580, 12, 131),
    Run(5480, 60, 91),
    Run(36_740, 315, 116),
)
SCORES, LINES = np.array([[run.score for run in RUNS]]), np.array([[run.lines for run in RUNS]])
FOURS = tuple(4 * sum(pick(run.fours) for run in RUNS) / int(LINES.sum()) for pick in (min, max))

# What ten games come to: from their scores and lines, a row of ten each.
OF_TEN: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "mean": lambda scores, lines: scores.mean(axis=1),
    "median": lambda scores, lines: np.median(scores, axis=1),
    "best": lambda scores, lines: scores.max(axis=1),
    "worst": lambda scores, lines: scores.min(axis=1),
    "points a line": lambda scores, lines: scores.sum(axis=1) / np.maximum(1, lines.sum(axis=1)),
    "normalised variance": lambda scores, lines: scores.var(axis=1) / np.maximum(1, scores.mean(axis=1)) ** 2,
}


def theirs(what: str) -> float:
    """What the report's ten runs come to."""
    return float(OF_TEN[what](SCORES, LINES)[0])


def tens(data: Mapping[str, Any], what: str) -> Numbers:
    """What sets of ten of our games come to; the same sets every time."""
    scores, lines = (np.array(data["sample"][name]) for name in ("score", "lines"))
    drawn = np.random.default_rng(0).integers(0, len(scores), (TENS, len(RUNS)))
    return OF_TEN[what](scores[drawn], lines[drawn])


def of_ten(what: str, name: str = "medico") -> Found:
    """The middle of what ten games come to, and between which ends 95 % of such sets lie."""

    def found(results: Results) -> Ours:
        low, middle, high = np.percentile(tens(results[name], what), [2.5, 50, 97.5])
        games = len(results[name]["sample"]["score"])
        basis = f"{TENS:,} sets of ten games out of {games:,}: the middle, and where 95 % lie"
        return Ours(float(middle), (float(low), float(high)), basis=basis)

    return found


def likeness(data: Mapping[str, Any], what: str) -> float:
    """The share of sets of ten of our games that are as far off as the report's ten, or farther, on either side."""
    ours, value = tens(data, what), theirs(what)
    return min(1.0, 2 * min(float((ours <= value).mean()), float((ours >= value).mean())))


def fits(data: Mapping[str, Any]) -> bool:
    """Whether the report's ten runs may well be such games: by their mean score and by their points a line."""
    return all(likeness(data, what) >= UNLIKELY for what in ("mean", "points a line"))


def share_below(data: Mapping[str, Any], score: int) -> float:
    """The share of our games that score less; of those that score the same, half."""
    ours = np.array(data["sample"]["score"])
    return float((ours < score).mean() + (ours == score).mean() / 2)


def points_a_line(data: Mapping[str, Any]) -> Ours:
    """Points for each line of all games together, with the interval of a ratio by the delta method."""
    scores, lines = (np.array(data["sample"][name], float) for name in ("score", "lines"))
    value = data["points_per_line"]
    if value is None or len(scores) < 2:
        return Ours(value, basis=games_words(data))
    margin = NORMAL * float((scores - value * lines).std(ddof=1)) / (float(lines.mean()) * data["games"] ** 0.5)
    return Ours(value, (value - margin, value + margin), basis=games_words(data))


def variance_of_games(data: Mapping[str, Any]) -> Ours:
    """The normalised variance of the score, with an interval from drawing the games anew."""
    scores = np.array(data["sample"]["score"], float)
    drawn = scores[np.random.default_rng(0).integers(0, len(scores), (1000, len(scores)))]
    low, high = np.percentile(OF_TEN["normalised variance"](drawn, drawn), [2.5, 97.5])
    value, own = data["normalised_variance"], float(scores.var() / max(1.0, scores.mean()) ** 2)
    narrower = (len(scores) / data["games"]) ** 0.5  # the sample is a part of the games
    ends = (value - narrower * (own - float(low)), value + narrower * (float(high) - own))
    return Ours(value, ends, basis=games_words(data))


def table_of_runs(results: Results) -> list[list[str]]:
    """The report's table, with what each run tells of four-line clears and how many of our games score less."""
    data = results["medico"]
    rows = []
    for number, run in enumerate(RUNS, 1):
        low, high = (4 * pick(run.fours) / run.lines for pick in (min, max))
        share = f"{100 * low:.0f}" if low == high else f"{100 * low:.0f} to {100 * high:.0f}"
        below = f"{100 * share_below(data, run.score):.0f} %"
        rows.append([str(number), figure(run.score, 0), str(run.lines), str(run.average), f"{share} %", below])
    low, high = FOURS
    shares = f"{100 * low:.0f} to {100 * high:.0f} %"
    return [
        *rows,
        ["all", figure(theirs("mean"), 0), figure(LINES.mean()), figure(theirs("points a line")), shares, ""],
    ]


def table_of_ours(results: Results) -> list[list[str]]:
    """Our games beside the report's ten."""
    data, low_high = results["medico"], [f"{100 * share:.0f}" for share in FOURS]
    lines = LINES[0]
    fours = f"{low_high[0]} to {low_high[1]} %"
    rows = [["mean", figure(theirs("mean"), 0), figure(data["score"]["mean"], 0), figure(lines.mean()), ""]]
    rows[0][4] = figure(data["lines"]["mean"])
    for name, share in (("min", 0), ("q1", 25), ("median", 50), ("q3", 75), ("max", 100)):
        score, line = np.percentile(SCORES[0], share), np.percentile(lines, share)
        words = {"min": "worst", "q1": "first quartile", "q3": "third quartile", "max": "best"}.get(name, name)
        ours = (figure(data["score"][name], 0), figure(data["lines"][name], 0))
        rows.append([words, figure(score, 0), ours[0], figure(line, 0), ours[1]])
    deviation = (figure(SCORES.std(), 0), figure(data["score"]["deviation"], 0))
    rows.append(["spread", *deviation, figure(LINES.std()), figure(data["lines"]["deviation"])])
    rows.append(["points a line", figure(theirs("points a line")), points_a_line(data).shown, "", ""])
    rows.append(["lines by fours", fours, f"{100 * data['tetris_rate']:.0f} %", "", ""])
    return rows
