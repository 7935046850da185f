"""The figures and tables of Hindi et al., drawn from our runs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.agents import data_agent
from tetrion.agents.zoo.hindi import FEATURES
from tetrion.evaluation.intervals import of_difference
from tetrion.evaluation.words import counted, figure, percent
from tetrion.lab.papers.hindi.answers import LEARNERS, ages, by_features, lives
from tetrion.lab.papers.hindi.findings import as_the_best, at_the_end, fitting, held_out, number, runs_of
from tetrion.lab.papers.hindi.runs import (
    CHOICES,
    COUNTS,
    CROWDS,
    GRID,
    LIMITS,
    LOOKING,
    MAIN,
    SIGNED,
    STEPS,
    SWAP,
    SWAPS,
    TABLE_I,
    TABLE_II,
    VARIANTS,
    Row,
    Setup,
    variant_name,
)
from tetrion.lab.papers.hindi.statistics import column, over, spikes, trend
from tetrion.lab.reproduction.figures import Entry, against, forest, over_generations, quartiles
from tetrion.lab.reproduction.paper import Drawing, Results, ResultTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.charts import Size

TYPICAL = "Of our runs the one whose last average is the middle one."
FIGURES = {  # the number of a figure, its configuration, and whether it shows the average alone
    1: (Setup(50, 1, 10), False),
    2: (Setup(50, 1, 10), True),
    3: (Setup(100, 1, 10), False),
    4: (MAIN, True),
    5: (SIGNED[2], False),
    6: (SIGNED[1], False),
    7: (SWAP, False),
    10: (LOOKING[2], False),
    11: (LOOKING[3], False),
}
COLUMNS = {
    "median": "Median",
    "q1": "1st quartile",
    "q3": "3rd quartile",
    "min": "Min",
    "max": "Max",
    "mean": "Average",
}
TABLE_III = (  # median, quartiles, least, most and average of each generation
    (0, 0, 120, 0, 20320, 851.2),
    (0, 0, 5335, 0, 122920, 10362.4),
    (0, 0, 70, 0, 6300, 395.2),
    (180, 0, 835, 0, 93480, 3940.8),
    (370, 40, 6110, 0, 138660, 10764.8),
    (180, 0, 1065, 0, 132260, 7030.4),
    (320, 0, 930, 0, 126520, 6006),
    (750, 0, 1755, 0, 63320, 2826.8),
    (1050, 55, 3370, 0, 138740, 5224.4),
    (790, 405, 1505, 0, 48440, 2582.4),
    (1510, 615, 3380, 0, 26660, 3327.2),
    (1450, 605, 4510, 0, 20560, 3381.2),
    (1260, 545, 3130, 40, 14260, 2708.4),
    (3120, 1370, 7455, 80, 33800, 5848.4),
    (2000, 990, 4080, 0, 16160, 3422.8),
    (1990, 590, 3810, 0, 17520, 2690),
    (3550, 1970, 8785, 120, 54180, 7226.4),
    (2710, 890, 9090, 80, 23700, 5520.4),
    (1990, 1120, 3605, 0, 10000, 2631.6),
    (2830, 1240, 4265, 40, 32320, 3960),
    (3880, 2155, 8050, 0, 26860, 5856.8),
    (2210, 810, 4380, 0, 18580, 3382.8),
    (4550, 2290, 9405, 180, 37160, 6777.6),
    (4110, 2205, 7430, 180, 21060, 5146.8),
    (2280, 760, 5310, 0, 19960, 3643.2),
    (3510, 2120, 7280, 160, 22940, 5404.4),
)


def typical(runs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The run whose last generation's average is the middle one."""
    last = np.array([column(run, "mean")[-1] for run in runs])
    return runs[int(np.argsort(last, kind="stable")[(len(runs) - 1) // 2])]


def evolution(place: int) -> Drawing:
    """A figure of average and quartiles by generation, or of the average alone."""
    setup, alone = FIGURES[place]

    def draw(results: Results, size: "Size") -> "Figure":
        run = typical(runs_of(results, setup))
        if alone:
            return over_generations(size, "Score of a generation", {"Mean": run["metrics"]["mean"]})
        return quartiles(size, "Score of a generation", run)

    caption = f"{'The average' if alone else 'Average and quartiles'} over {setup.generations} generations. {TYPICAL}"
    return Drawing(f"figure-{place}", f"Figure {place}: {setup.words}", caption, draw)


def scores(rows: Sequence[Row], results: Results, size: "Size") -> "Figure":
    """The published scores, the published weights as the best of a generation, and the best of our last ones."""
    entries = []
    for row in rows:
        theirs = (row.score, row.score)
        entries += [
            Entry(f"{row.agent}, best of {row.setup.population}", as_the_best(row)(results), theirs),
            Entry("our runs, best at the end", at_the_end(row)(results), theirs),
        ]
    return forest(
        size, "Score of the best", "one game each", entries, "Dot: middle, line: 95 % of ours · mark: published"
    )


def single_drawing(results: Results, size: "Size") -> "Figure":
    """Table I, which the paper calls Figure 8."""
    return scores(TABLE_I, results, size)


def looking_drawing(results: Results, size: "Size") -> "Figure":
    """Table II, which the paper calls Figure 9."""
    return scores(TABLE_II, results, size)


def crowd_drawing(results: Results, size: "Size") -> "Figure":
    """Crowds beside their experts and the population."""
    runs = results[CROWDS]["runs"]
    names = {
        "average of the last generation": [run["metrics"]["mean"][-1] for run in runs],
        "average expert": [run["result"]["crowd"]["average expert"] for run in runs],
        "crowd (mean)": [run["result"]["crowd"]["crowd (mean)"] for run in runs],
        "crowd (consensus)": [run["result"]["crowd"]["crowd (consensus)"] for run in runs],
        "best expert": [run["result"]["crowd"]["best expert"] for run in runs],
    }
    entries = [Entry(name, over(np.array(values))) for name, values in names.items()]
    return forest(size, "Points a game", counted(len(runs), "run"), entries)


def feature_drawing(results: Results, size: "Size") -> "Figure":
    """The number of features against what is learnt."""
    lines = {name: list(by_features(results, learner).values()) for learner, name in LEARNERS.items()}
    return against(size, "Points a game", "by number of features", [str(count) for count in STEPS], lines)


def early_drawing(results: Results, size: "Size") -> "Figure":
    """What runs come to by how their first generation fared."""
    runs = runs_of(results, MAIN)
    order = np.argsort([column(run, "mean")[0] for run in runs], kind="stable")
    quarters = [held_out([runs[place] for place in part]) for part in np.array_split(order, 4)]
    words = ["poorest quarter", "second", "third", "best quarter"]
    entries = [Entry(word, over(quarter)) for word, quarter in zip(words, quarters, strict=True)]
    return forest(size, "Points a game at the end", "by the first generation's average", entries)


def limit_drawing(results: Results, size: "Size") -> "Figure":
    """How long agents live by what they were bred for, and the published ones."""
    bred = [Entry(f"bred for {words}", lives(results, words)) for words in LIMITS]
    known = [Entry(name, age) for name, age in ages(results).items()]
    return forest(size, "Pieces a game", "games without a limit", [*bred, *known])


def table_rows(results: Results) -> list[list[str]]:
    """Tables I and II beside ours."""
    told, rows = results["published"], []
    for row in (*TABLE_I, *TABLE_II):
        agent = told[row.agent]
        weights = [figure(number(data_agent(row.agent).weights[feature]), 3) for feature in FEATURES]
        mean = f"{figure(agent['mean'])} ({counted(agent['games'], 'game')})"
        best, end = as_the_best(row)(results).shown, at_the_end(row)(results).shown
        rows.append([f"{row.place}: {row.setup.words}", *weights, f"{row.score:,}", mean, best, end])
    return rows


def generation_rows(results: Results) -> list[list[str]]:
    """Table III beside the middle of our runs."""
    runs = results[CROWDS]["runs"]
    ours = {name: np.median([column(run, name) for run in runs], axis=0) for name in COLUMNS}
    return [
        [
            str(place + 1),
            *(
                f"{figure(value, 0)} · {figure(float(ours[name][place]), 0)}"
                for name, value in zip(COLUMNS, theirs, strict=True)
            ),
        ]
        for place, theirs in enumerate(TABLE_III)
    ]


def setup_rows(results: Results) -> list[list[str]]:
    """Every configuration."""
    rows = []
    for setup in (*GRID, *SIGNED, *SWAPS, *LOOKING):
        runs = runs_of(results, setup)
        best = np.array([column(run, "max")[-1] for run in runs])
        steady = over(np.array([trend(run) for run in runs]), of_difference)
        drops = float(np.mean([spikes(run) for run in runs]))
        cells = [over(held_out(runs)).shown, figure(float(np.median(best))), steady.shown, figure(drops, 1)]
        rows.append([setup.words, str(len(runs)), *cells])
    return rows


def count_rows(results: Results) -> list[list[str]]:
    """How many scores of the tables fit, by how many games a score is the sum of."""
    rows = []
    for count in COUNTS:
        middles = [results["published"][row.agent]["best"][str(count)]["middle"] for row in (*TABLE_I, *TABLE_II)]
        cells = [f"{figure(min(middles))} to {figure(max(middles))}", f"{fitting(results, count)} of {len(middles)}"]
        rows.append([counted(count, "game"), *cells])
    return rows


def variant_rows(results: Results) -> list[list[str]]:
    """What the last generation averages, as described and otherwise."""
    end = TABLE_III[-1][-1]
    names = {"as described": CROWDS} | {words: variant_name(words) for words in VARIANTS}
    rows = []
    for words, name in names.items():
        last = np.array([column(run, "mean")[-1] for run in results[name]["runs"]])
        low, middle = float(last.min()), float(np.median(last))
        share = percent(float((last <= end).mean()))
        rows.append([words, str(len(last)), figure(middle), figure(low), share])
    return rows


def choice_rows(results: Results) -> list[list[str]]:
    """Crowds by who is in them."""
    told = results["choices"]
    return [[name, over(np.array(told[name])).shown] for name in (*CHOICES, "consensus")]


DRAWINGS = [
    *(evolution(place) for place in (1, 2, 3, 4, 5, 6, 7)),
    Drawing(
        "table-1",
        "Table I (Figure 8): the best at the end",
        "Beside agents of the same weights, and runs of ours.",
        single_drawing,
    ),
    Drawing(
        "table-2",
        "Table II (Figure 9): with the next piece",
        "Beside agents of the same weights, and runs of ours.",
        looking_drawing,
    ),
    *(evolution(place) for place in (10, 11)),
    Drawing(
        "figure-12",
        "Figure 12: crowds and experts",
        "Held-out games of at most 500 pieces; experts are the best of each generation.",
        crowd_drawing,
    ),
    Drawing("features", "More heuristics", "The same number of games for every point.", feature_drawing),
    Drawing("early", "Poor beginnings", f"Runs with {MAIN.words}, in four parts.", early_drawing),
    Drawing("lives", "How long agents play", "Mean pieces a game, nobody stops a game.", limit_drawing),
]
TABLES = [
    ResultTable(
        "Tables I and II",
        "Weights and scores as published; then ours: a game's mean with these weights, the best of a generation "
        "of such agents, and the best of the last generation of our runs (middle, and where 95 % lie), one game each.",
        ("Row", "Bumpiness", "Holes", "Height", "Lines", "Published", "A game", "Best of such", "Our runs' best"),
        table_rows,
    ),
    ResultTable(
        "Table III",
        "Theirs · the middle of our runs, generation by generation.",
        ("Generation", *COLUMNS.values()),
        generation_rows,
    ),
    ResultTable(
        "Of how many games a score is the sum",
        "The best of a generation of agents with the published weights, and how many of the published scores lie where "
        "95 % of such bests do.",
        ("Summed", "Best of a generation", "Scores that fit"),
        count_rows,
    ),
    ResultTable(
        "What would end as low as Table III",
        f"The last generation's average, {TABLE_III[-1][-1]:,} in the paper, as it is described and otherwise.",
        ("Runs", "Number", "Middle", "Lowest", "As low as theirs"),
        variant_rows,
    ),
    ResultTable(
        "Every configuration",
        "Points a game of the agent that a run ends with (held-out games), the middle of the best scores of the last "
        "generation, how steadily the average rises (rank correlation), and how often the best score halves.",
        ("Configuration", "Runs", "Held-out", "Best at the end", "Trend", "Drops a run"),
        setup_rows,
    ),
    ResultTable("Crowds by who is in them", "Points a game.", ("Experts", "Points"), choice_rows),
]
