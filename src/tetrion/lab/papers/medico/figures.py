"""The figures and tables of Medico's report, and those of what it left open."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import SECOND, STRONG, series
from tetrion.evaluation.intervals import of_mean
from tetrion.evaluation.words import figure, in_words
from tetrion.lab.charts import A_PIXEL
from tetrion.lab.papers.medico.followed import BOT, MODES
from tetrion.lab.papers.medico.runs import RUNS, SCORES, fits, likeness, points_a_line, theirs
from tetrion.lab.reproduction.figures import BINS, Entry, Rows, against, forest
from tetrion.lab.reproduction.findings import mean_in, over_seeds_in, ratio
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.charts import Size

OWN_THRESHOLD = 100  # of our agent
THRESHOLDS = (0, 20, 40, 60, 70, 80, 90, 100, 110, 120, 140, 160, 200)
MEASURES = {"max_height": (8, 10, 12, 14, 16), "filled_cells": (60, 80, 100, 120)}  # other ways to say how full it is
MEASURE_WORDS = {"aggregate_height": "sum of heights", "max_height": "highest column", "filled_cells": "filled cells"}
PARAMETERS = {  # as the report calls them, and the features that they are
    "holes": ("holes",),
    "evenness": ("bumpiness",),
    "board fill": ("aggregate_height",),
    "1 line": ("one_line",),
    "2 lines": ("two_lines",),
    "3 lines": ("three_lines",),
    "1, 2 and 3 lines": ("one_line", "two_lines", "three_lines"),
    "4 lines": ("four_lines",),
    "last column": ("last_column_cells",),
    "danger zone": ("danger",),
}
WEIGHTS = {"aggregate_height": 1, "bumpiness": 1, "holes": 50, "last_column_cells": 1000}  # of scoring mode
VARIANTS = {
    "both modes, as the report": "medico",
    "recovery mode alone": "threshold-0",
    "scoring mode alone": "threshold-200",
    "without the next piece": "one piece",
    "straight drops": "drop",
    "entering above": "above",
    "entering above, straight drops": "above, drop",
}


def reading(results: Results, threshold: int) -> Mapping[str, Any]:
    """The games with a threshold."""
    found: Mapping[str, Any] = results["medico" if threshold == OWN_THRESHOLD else f"threshold-{threshold}"]
    return found


def readings(results: Results) -> dict[tuple[str, int], Mapping[str, Any]]:
    """The games of every reading of how full the board is, by measure and threshold."""
    own = {("aggregate_height", threshold): reading(results, threshold) for threshold in THRESHOLDS}
    others = {
        (measure, threshold): results[f"{measure}-{threshold}"]
        for measure, thresholds in MEASURES.items()
        for threshold in thresholds
    }
    return own | others


def scores_drawing(results: Results, size: "Size") -> "Figure":
    """How our games' scores are distributed, and where the ten runs lie."""
    ours, his = np.array(results["medico"]["sample"]["score"]), np.array([run.score for run in RUNS])
    key = f"Hill: {len(ours):,} of our games · circles: the report's ten runs · dot: the mean"
    chart = Rows(size, "Points a game", "rules medico", ["Ours", "Report"], key)
    chart.values = [figure(float(scores.mean())) for scores in (ours, his)]
    chart.holds(0.0, ours)
    counts, edges = np.histogram(ours, np.linspace(0, chart.most, BINS + 1))
    tops = 0.35 - 0.9 * counts / max(1, counts.max())
    style: dict[str, Any] = {"baseline": 0.35, "color": series(0)}
    chart.axes.stairs(tops, edges, fill=True, alpha=0.35, linewidth=0, zorder=2, **style)
    chart.axes.stairs(tops, edges, linewidth=1.2 * A_PIXEL, zorder=3, **style)
    ring: dict[str, Any] = {"marker": "o", "markersize": 9 * A_PIXEL, "linestyle": "none", "zorder": 4}
    chart.axes.plot(his, np.ones(len(his)), color=SECOND, markerfacecolor="none", **ring)
    dot: dict[str, Any] = {"color": STRONG, "marker": "o", "markersize": 6 * A_PIXEL, "zorder": 5}
    chart.axes.plot([float(ours.mean())], [0.35], **dot)
    chart.axes.plot([float(his.mean())], [1], **dot)
    return chart.finished()


def variants_drawing(results: Results, size: "Size") -> "Figure":
    """The score of every variant beside the report's mean."""
    entries = [Entry(words, mean_in(results[name], "score")) for words, name in VARIANTS.items()]
    entries[0] = entries[0]._replace(published=of_mean(SCORES[0]))
    entries.append(Entry("weights learnt", over_seeds_in(results["tuned"], "score")))
    key = "Dot: ours, with its 95 % interval · bar: what the report's ten runs tell of their mean"
    return forest(size, "Points a game", "rules medico", entries, key)


def parameters_drawing(results: Results, size: "Size") -> "Figure":
    """The score without each parameter."""
    entries = [Entry("all parameters", mean_in(results["medico"], "score"))]
    entries += [Entry(f"without {words}", mean_in(results[f"without {words}"], "score")) for words in PARAMETERS]
    return forest(size, "Points a game", "rules medico", entries)


def threshold_drawing(results: Results, size: "Size") -> "Figure":
    """The score against the threshold."""
    lines = {
        "ours": [mean_in(reading(results, threshold), "score") for threshold in THRESHOLDS],
        "report": [Ours(theirs("mean"))] * len(THRESHOLDS),
    }
    key = "From which sum of heights on it is in recovery mode; the line across is the mean of the report's ten runs"
    return against(size, "Points a game", "by threshold", list(map(str, THRESHOLDS)), lines, key)


def points_drawing(results: Results, size: "Size") -> "Figure":
    """Points a line against the threshold."""
    lines = {
        "ours": [points_a_line(reading(results, threshold)) for threshold in THRESHOLDS],
        "report": [Ours(theirs("points a line"))] * len(THRESHOLDS),
    }
    key = "From which sum of heights on it is in recovery mode; the line across is the report's ten runs"
    return against(size, "Points a line", "by threshold", list(map(str, THRESHOLDS)), lines, key)


def percent_words(share: float | None) -> str:
    """A share in whole percent."""
    return "–" if share is None else f"{100 * share:.0f} %"


def games_row(data: Mapping[str, Any]) -> list[str]:
    """Score, lines, points a line, and the share of lines by fours."""
    fours = percent_words(data["tetris_rate"])
    return [mean_in(data, "score").shown, mean_in(data).shown, points_a_line(data).shown, fours]


def variants_table(results: Results) -> list[list[str]]:
    """Every variant in figures."""
    return [[words, *games_row(results[name])] for words, name in VARIANTS.items()]


def parameters_table(results: Results) -> list[list[str]]:
    """The bot without each of its parameters."""
    own = mean_in(results["medico"], "score")
    rows = [["none", *games_row(results["medico"]), ""]]
    for words in PARAMETERS:
        data = results[f"without {words}"]
        rows.append([words, *games_row(data), ratio(mean_in(data, "score"), own).shown])
    return rows


def readings_table(results: Results) -> list[list[str]]:
    """Which readings of how full the board is fit the ten runs."""
    return [
        [
            f"{MEASURE_WORDS[measure]}, from {threshold}",
            mean_in(data, "score").shown,
            points_a_line(data).shown,
            *(percent_words(likeness(data, what)) for what in ("mean", "points a line")),
            "yes" if fits(data) else "no",
        ]
        for (measure, threshold), data in readings(results).items()
    ]


def values_table(results: Results) -> list[list[str]]:
    """What the parameters come to after a placement, and what their weights make of that in scoring mode."""
    values = results["decisions"]["values"]
    return [[in_words(name), figure(values[name]), f"{weight:,}"] for name, weight in WEIGHTS.items()]


def learnt_table(results: Results) -> list[list[str]]:
    """The numbers of the report, and what learning makes of them: the middle of all seeds, least and most."""
    runs = [run["result"]["numbers"] for run in results["tuned"]["runs"]]
    his = {f"scoring {name}": weight for name, weight in BOT.weights.items()}
    his |= {f"recovery {name}": weight for name, weight in MODES.weights.items()} | {"threshold": MODES.threshold}
    rows = []
    for name, given in his.items():
        learnt = [run[name] for run in runs]
        ends = f"{figure(min(learnt))} to {figure(max(learnt))}"
        shown = [figure(float(given)) if isinstance(given, int | float) else "", figure(float(np.median(learnt))), ends]
        rows.append([in_words(name), *shown])
    return rows
