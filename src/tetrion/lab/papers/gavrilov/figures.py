"""The figures of Gavrilov's report, drawn from our data."""

from typing import TYPE_CHECKING

import numpy as np

from tetrion.drawing.palette import ACCENT, SECOND
from tetrion.evaluation.words import figure, in_words
from tetrion.lab.charts import Chart, End, Size
from tetrion.lab.papers.gavrilov.evolution import column, favourites, final_weight
from tetrion.lab.papers.gavrilov.readings import (
    BUMPINESS,
    HOLES,
    LABELS,
    MORE,
    NUMBERS,
    RANDOMISERS,
    SERIES,
    WEIGHTS,
    cell,
    sample,
    weighing,
)
from tetrion.lab.reproduction.figures import Entry, forest, hills, known_numbers, over_generations
from tetrion.lab.reproduction.findings import mean_in, over_seeds_in
from tetrion.lab.reproduction.paper import Drawing, Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TESTED = {"height": "lowest", "+ holes": "gavrilov-2", "+ bumpiness": "gavrilov-3", "+ clearing": "gavrilov-4"}
PUBLISHED = {"lowest": (7, 8), "gavrilov-2": (60, 70), "gavrilov-3": (15, 15), "gavrilov-4": (20, 20)}
DEALS = "rules gavrilov"


def ten_games(results: Results, size: Size) -> "Figure":
    """Ten games of each hand-made agent."""
    lines = {label: sample(results, name)[:SERIES].tolist() for label, name in TESTED.items()}
    return over_generations(
        size, "Lines a game", lines, "The first ten games of each; at the right the tenth", "by game"
    )


def agents(results: Results, size: Size) -> "Figure":
    """The mean of each hand-made agent beside the published one."""
    entries = [Entry("random keys", mean_in(results["random-keys"]), (1, 2))]
    entries += [Entry(label, mean_in(results[name]), PUBLISHED[name]) for label, name in TESTED.items()]
    return forest(size, "Lines a game", DEALS, entries)


def weighings(results: Results, size: Size) -> "Figure":
    """What equal weights cost."""
    entries = [
        Entry(f"holes 1, bumpiness {value}", mean_in(results[weighing(f"bumpiness-{value}")])) for value in BUMPINESS
    ]
    entries += [Entry(f"holes {value}, bumpiness 1", mean_in(results[weighing(f"holes-{value}")])) for value in HOLES]
    return forest(size, "Lines a game", "height 1", entries)


def individuals(results: Results, size: Size) -> "Figure":
    """Every individual of a run."""
    fitness = np.array(results["individuals"]["fitness"], float)
    key = f"Point: one of {fitness.shape[1]} individuals · line: their mean"
    chart = Chart(size, "Lines", "by generation", len(fitness), key)
    steps = np.repeat(np.arange(len(fitness)) + 1, fitness.shape[1])
    chart.points(steps, fitness.ravel(), ACCENT)
    best = float(fitness[-1].max())
    chart.ends.append(End("Best", figure(best), best, ACCENT))
    chart.line("Mean", fitness.mean(axis=1), SECOND)
    return chart.finished()


def averages(results: Results, size: Size) -> "Figure":
    """The mean of every generation, of one run and of all."""
    means = column(results, "mean")
    run = np.array(results["individuals"]["fitness"], float).mean(axis=1)
    lines = {"9 in 10": np.percentile(means, 90, axis=0), "mean": means.mean(axis=0), "one seed": run}
    lines["1 in 10"] = np.percentile(means, 10, axis=0)
    key = "Mean lines of a generation: all seeds, where 9 and 1 in 10 of them are below, and the seed of Figure 68"
    return over_generations(size, "Mean lines", {name: line.tolist() for name, line in lines.items()}, key)


def history(results: Results, size: Size) -> "Figure":
    """The best individual's weights in a run."""
    place = results["individuals"]["run"]
    lines = {LABELS[name]: known_numbers(favourites(results, name)[place]).tolist() for name in WEIGHTS}
    return over_generations(size, "Weights of the best", lines, "The same seed as in Figure 68")


def finals(results: Results, size: Size) -> "Figure":
    """The weights at generation 14 over seeds, beside his."""
    entries = [
        Entry(LABELS[name], final_weight(name, results), (NUMBERS[name] - 0.05, NUMBERS[name] + 0.05))
        for name in WEIGHTS
    ]
    key = "Dot: median over seeds, between where 95 % lie · bar: published"
    return forest(size, "Weights at generation 14", DEALS, entries, key)


def trained(results: Results, size: Size) -> "Figure":
    """How the trained agent's games end."""
    samples = {"by drops": sample(results, "gavrilov"), "every end position": sample(results, "reach")}
    return hills(size, "Lines a game", DEALS, {name: lines.tolist() for name, lines in samples.items()})


def features(results: Results, size: Size) -> "Figure":
    """What more features come to."""
    entries = [Entry("the four", over_seeds_in(results["evolution"]))]
    entries += [
        Entry(
            f"+ {in_words(added[0])}" if len(added) == 1 else "+ wells and both heights", over_seeds_in(results[name])
        )
        for name, added in MORE.items()
    ]
    entries += [Entry("the four, every end position", over_seeds_in(results["evolution-reach"]))]
    key = "Lines a held-out game of at most 4,000 pieces; dot: mean over seeds, with its 95 % interval"
    return forest(size, "The recipe with more", "same budget", entries, key)


def sequences(results: Results, size: Size) -> "Figure":
    """The trained agent by every randomiser."""
    entries = [Entry(kind, mean_in(results[cell("gavrilov", kind)])) for kind in RANDOMISERS]
    return forest(size, "Lines a game of the trained agent", "by randomiser", entries)


FIGURES = [
    Drawing(
        "ten-games",
        "Figures 47, 50, 55, 58 and 59: ten games of four agents",
        "One feature after another is added, all with weight one; his four single plots are the lines of this one.",
        ten_games,
    ),
    Drawing("agents", "Figure 59 with all games", "The means of many games, beside what the text says.", agents),
    Drawing(
        "weighings",
        "Why bumpiness lowers the lines",
        "Height always weighs 1; holes and bumpiness weigh as much as is said.",
        weighings,
    ),
    Drawing(
        "individuals",
        "Figure 68: every individual across generations",
        "The run that is the median of all seeds in held-out games. His generation 0 is 1 here.",
        individuals,
    ),
    Drawing("averages", "Figure 69: the mean of each generation", "460 lines are the most in 1,150 moves.", averages),
    Drawing("weights", "Section 9.1: the weights of each generation's best", "His figure has no number.", history),
    Drawing("finals", "The weights where he halted", "His weights among those of many seeds.", finals),
    Drawing(
        "trained", "Figure 70: the trained agent", "Games played to their ends, the first thousand at most.", trained
    ),
    Drawing("features", "Future work: more features, every end position", "Each over several seeds.", features),
    Drawing("sequences", "Multiple sequence styles", "His agents are dealt from a bag.", sequences),
]
