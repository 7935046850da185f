"""TetrAIs' figures and tables, from our games."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import series
from tetrion.evaluation.words import counted, figure, in_words
from tetrion.lab.papers.tetrais.findings import MEAN, OF_THREE, VARIANCE, OfRuns, cell_in, largest, power
from tetrion.lab.papers.tetrais.measuring import (
    ENDINGS,
    EPISODES,
    FALLING,
    FALLS,
    FIRST_ALPHA,
    READINGS,
    RUNS,
    TIES,
    falling,
)
from tetrion.lab.reproduction.figures import Entry, Places, against, forest, hills
from tetrion.lab.reproduction.findings import mean_in, over_seeds_in, ratio
from tetrion.lab.reproduction.paper import Drawing, Results, ResultTable
from tetrion.lab.reproduction.published import Ours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.charts import Size

AGENTS = {"random": "random", "min-height": "minimum height", "greedy": "greedy"}
PUBLISHED = {  # Figures 13 and 14: agent, runs
    MEAN: {
        "random": {10: 24.0, 100: 25.93, 1000: 24.756},
        "min-height": {10: 51.6, 100: 56.92, 1000: 58.705},
        "greedy": {10: 7143.3, 100: 7473.21, 1000: 6883.101},
    },
    VARIANCE: {
        "random": {10: 0.25347222, 100: 0.142430249, 1000: 0.09662975},
        "min-height": {10: 0.163316507, 100: 0.463788158, 1000: 0.334299294},
        "greedy": {10: 0.108576377, 100: 0.336619846, 1000: 0.317827668},
    },
}
OTHERS = {
    "forty": ("random", "random, ten columns"),
    "edge": ("random", "random, eleven columns"),
    "greedy-higher": ("greedy", "greedy, the higher of equals"),
}
FIGURE_12 = (  # lines cleared, total height, maximum height, holes, deltas
    ("the report, to begin with", (4, -2, -1, -1, -1)),
    ("the report, episode 1", (3.881490037, 5.149721621, 6.587757221, -35.66024158, 0.635713852)),
    ("the report, episode 5", (1.05e59, 1.21e120, -1.30e121, 4.38e121, -5.46e122)),
)


def published(agent: str, runs: int, of: str) -> OfRuns:
    """A cell of Figure 13 or 14."""
    value = PUBLISHED[of][agent][runs]
    digits = OF_THREE if of == VARIANCE else None
    return OfRuns(
        f"{value:,}".removesuffix(".0") if of == MEAN else figure(value, digits), value=value, runs=runs, digits=digits
    )


def cells(of: str, results: Results) -> list[list[str]]:
    """Figure 13 or 14: the published figure, and what so many of our games have."""
    rows = []
    readings = {**{name: (name, label) for name, label in AGENTS.items()}, **OTHERS}
    for name, (agent, label) in readings.items():
        for runs in RUNS:
            ours, theirs = cell_in(results[name], runs, of), published(agent, runs, of)
            low, high = (figure(end, theirs.digits) for end in ours.interval)
            inside = "within" if theirs.verdict(ours).agrees else "outside"
            rows.append([label, f"{runs:,}", theirs.words, ours.shown, f"{low} to {high}", inside])
    return rows


def averages_drawing(results: Results, size: "Size") -> "Figure":
    """Figure 13 as a chart of rows, each by our own mean, so that all of them can be compared."""
    entries = []
    for name, label in AGENTS.items():
        for runs in RUNS:
            ours = cell_in(results[name], runs, MEAN)
            mean = ours.value or 1.0
            low, high = (end / mean for end in ours.interval)
            place = PUBLISHED[MEAN][name][runs] / mean
            entries.append(Entry(f"{label}, {runs:,}", Ours(1.0, (low, high), words=ours.words), (place, place)))
    return forest(size, "Average score", "as a share of our mean", entries, CELLS_KEY)


def variances_drawing(results: Results, size: "Size") -> "Figure":
    """Figure 14 as a chart of rows."""
    entries = [
        Entry(f"{label}, {runs:,}", cell_in(results[name], runs, VARIANCE), (PUBLISHED[VARIANCE][name][runs],) * 2)
        for name, label in AGENTS.items()
        for runs in RUNS
    ]
    return forest(size, "Normalised variance", "by agent and number of games", entries, CELLS_KEY)


CELLS_KEY = "Line: where 95 of 100 series of so many games of ours lie · dot: all of ours · mark: published"


def distributions(title: str, names: dict[str, str]) -> "Any":
    """A score distribution."""

    def draw(results: Results, size: "Size") -> "Figure":
        return hills(size, title, "score", {label: results[name]["sample"]["score"] for name, label in names.items()})

    return draw


def divergence_drawing(results: Results, size: "Size") -> "Figure":
    """How large the largest weight becomes."""
    key = "α: the learning rate, which the report does not give"
    places = ["start", *(f"{episode}" for episode in range(1, EPISODES + 1))]
    chart = Places(size, "The largest weight, in powers of ten", "by episode", places, key)
    number = 0
    for features in ("raw", "differences"):
        for alpha in ("0.002", "0.05"):
            start = max(map(abs, results["divergence"][features][alpha]["start"]))
            sizes = [largest(results, features, episode, float(alpha))[1] for episode in range(1, EPISODES + 1)]
            powers = np.log10([start, *sizes])
            chart.holds(*powers)
            chart.line(f"{features}, α {alpha}", powers, series(number))
            number += 1
    return chart.finished()


def falling_drawing(results: Results, size: "Size") -> "Figure":
    """Score against the time that a row takes, as a share of the score at the lowest speed."""
    lines = {}
    for agent in FALLING:
        found = [mean_in(results[falling(agent, time)], "score", played=True) for time in FALLS]
        lines[agent] = [Ours(1.0, (1.0, 1.0)), *(ratio(ours, found[0]) for ours in found[1:])]
    places, aside = [f"{time:,}" for time in FALLS], "by milliseconds a row"
    return against(size, "Score, as a share of that at 1,000 ms a row", aside, places, lines)


def soft_drawing(results: Results, size: "Size") -> "Figure":
    """Lines by where a piece may go."""
    entries = []
    for label, name, drop in (("greedy", "greedy", "greedy"), ("Q-learning", "q", "q-drop"), ("depth-2", "depth2", "")):
        entries += [
            Entry(f"{label}, from above", mean_in(results[drop or "depth2"])),
            Entry(f"{label}, locks at once", mean_in(results[f"{name}-stiff"])),
            Entry(f"{label}, soft drop", mean_in(results[f"{name}-soft"])),
        ]
    return forest(size, "Lines by where a piece may go", "lines a game", entries)


def agents_drawing(results: Results, size: "Size") -> "Figure":
    """All agents, and the genetic ones that were left for later."""
    games = results["genetic-games"]
    entries = [
        *(Entry(label, mean_in(results[name], "score")) for name, label in AGENTS.items()),
        Entry("Q-learning", over_seeds_in(results["q"], "score")),
        Entry("genetic", mean_in(games["depth-1"], "score")),
        Entry("depth-2", mean_in(results["depth2"], "score")),
        Entry("genetic, depth 2", mean_in(games["looking-ahead"], "score")),
        Entry("learnt at depth 2", mean_in(games["learnt-ahead"], "score")),
    ]
    return forest(size, "Score a game", "rules tetrais", entries)


def weights_table(results: Results) -> Sequence[Sequence[str]]:
    """Figure 12 beside ours."""
    order = ("lines", "aggregate_height", "max_height", "holes", "bumpiness")
    rows = [[label, *(power(weight) for weight in weights)] for label, weights in FIGURE_12]
    for alpha in (f"{FIRST_ALPHA:g}", "0.05"):
        learnt = results["divergence"]["raw"][alpha]
        for episode in (1, EPISODES):
            weights = dict(zip(learnt["names"], learnt["weights"][episode - 1], strict=True))
            rows.append([f"ours, α {alpha}, episode {episode}", *(power(weights[name]) for name in order)])
    return rows


def rates_table(results: Results) -> Sequence[Sequence[str]]:
    """How large weights become by learning rate."""
    return [
        [alpha, *(f"{power(size)} ({in_words(name)})" for name, size in pair)]
        for alpha in results["divergence"]["raw"]
        for pair in [[largest(results, features, EPISODES, float(alpha)) for features in ("raw", "differences")]]
    ]


def reading_row(label: str, data: Any) -> list[str]:
    """What a reading makes."""
    return [
        label,
        mean_in(data, "score").shown,
        figure(float(data[VARIANCE]), OF_THREE),
        counted(data["games"], "game"),
    ]


def random_table(results: Results) -> Sequence[Sequence[str]]:
    """Readings of the random agent."""
    return [
        reading_row("every placement alike; over when a new piece finds no room", results["random"]),
        reading_row(
            "four turns and ten columns (section 6.4), pushed back to the wall; the same end", results["forty"]
        ),
        reading_row("four turns and columns 0 to 10 (section 5.1), pushed back; the same end", results["edge"]),
        *(reading_row(label, results[name]) for name, (label, _) in ENDINGS.items()),
    ]


def above_table(results: Results) -> Sequence[Sequence[str]]:
    """The three agents where pieces enter above the 22 rows."""
    return [
        [label, f"{PUBLISHED[MEAN][name][RUNS[-1]]:,}", *(mean_in(results[key], "score").shown for key in keys)]
        for name, label in AGENTS.items()
        for keys in [(name, f"{name}-above")]
    ]


def height_table(results: Results) -> Sequence[Sequence[str]]:
    """Readings of minimum height."""
    return [
        *(reading_row(label, results[name]) for name, (label, _) in READINGS.items()),
        reading_row("left edge nearest to the lowest column, any turn, as everywhere here", results["min-height"]),
    ]


def ties_table(results: Results) -> Sequence[Sequence[str]]:
    """Which of equals the greedy agent takes."""
    return [
        reading_row("the first by turn and column, as everywhere here", results["greedy"]),
        *(reading_row(label, results[name]) for name, (label, _) in TIES.items()),
        reading_row("the one that comes to rest higher", results["greedy-higher"]),
    ]


READ = ("Reading", "Score a game", "Normalised variance", "From")
CELLS = ("Agent", "Games", "Published", "Ours", "So many of ours", "Published is")
SPAN = "What so many of our games have 95 times in 100, drawn a thousand times from all of them."

TABLES = [
    ResultTable("Figure 13: the agents' average score", SPAN, CELLS, lambda results: cells(MEAN, results)),
    ResultTable("Figure 14: the agents' normalised variance", SPAN, CELLS, lambda results: cells(VARIANCE, results)),
    ResultTable(
        "Figure 12: weights of raw features",
        "By the report's formula alone, from its own first weights; α is the learning rate, which it does not give.",
        ("Weights", "Lines", "Total height", "Maximum height", "Holes", "Deltas"),
        weights_table,
    ),
    ResultTable(
        "Raw features, differences, and the learning rate",
        f"The largest weight after {EPISODES} episodes: differences cure the growth as long as the rate is small.",
        ("Learning rate", "Raw features", "Differences"),
        rates_table,
    ),
    ResultTable(
        "Random: how it draws, and when a game ends",
        "The report does not say when a game ends. Its actions are a turn and a column, whatever the piece: if one "
        "that would leave the board is pushed back to the wall, more pieces lie there and games last longer.",
        READ,
        random_table,
    ),
    ResultTable(
        "If pieces entered above the 22 rows",
        "Two more rows at the top let random and greedy games last about as long as the report's, and those of the "
        "minimum height agent longer.",
        ("Agent", "Published, 1,000 games", "Ours", "Ours, entering above"),
        above_table,
    ),
    ResultTable(
        "Minimum height: readings",
        "A scan of rows from top to bottom and from left to right leaves open what it then does.",
        READ,
        height_table,
    ),
    ResultTable(
        "Greedy: which of equals it takes",
        "Whole weights tie often, and which of equals is taken is not said; that alone moves the mean across the "
        "published one.",
        READ,
        ties_table,
    ),
]

FIGURES = [
    Drawing(
        "random",
        "Figure 5: score distribution of the random agent",
        "The small hill at the right is games with a line, which is worth forty points.",
        distributions("Random", {"random": "all alike", "edge": "pushed back"}),
    ),
    Drawing(
        "min-height",
        "Figure 7: score distribution of the minimum height agent",
        "Each hill to the right is another line cleared.",
        distributions("Minimum height", {"min-height": "minimum height"}),
    ),
    Drawing(
        "greedy",
        "Figure 9: score distribution of the greedy agent",
        "By which of equally good placements it takes.",
        distributions("Greedy", {"greedy": "the first of equals", "greedy-higher": "the higher of equals"}),
    ),
    Drawing(
        "divergence",
        "Figure 12: Q-learning's weights",
        "The largest weight after each episode, on raw features and on differences.",
        divergence_drawing,
    ),
    Drawing(
        "averages",
        "Figure 13: the agents' average score",
        "What 10, 100 and 1,000 of our games leave open, and what the report has.",
        averages_drawing,
    ),
    Drawing(
        "variances",
        "Figure 14: the agents' normalised variance",
        "The variance of scores that are divided by their mean.",
        variances_drawing,
    ),
    Drawing(
        "agents",
        "The agents of the report, and genetic ones",
        "Score a game; for games that were cut short an estimate.",
        agents_drawing,
    ),
    Drawing(
        "soft-drop",
        "With and without soft drop",
        "From above: the report's rule. The others start where a piece enters.",
        soft_drawing,
    ),
    Drawing(
        "falling",
        "As pieces fall faster",
        "Ten keys a second; every game is cut at the same number of pieces.",
        falling_drawing,
    ),
]
