"""How figures of Gavrilov's evolution are read: he ran it once, we with many seeds. Generations count from 0."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tetrion.evaluation.intervals import of_difference
from tetrion.evaluation.words import counted, figure, percent
from tetrion.lab.papers.gavrilov.readings import LABELS, NUMBERS, WEIGHTS, Array
from tetrion.lab.reproduction.findings import middle
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours
from tetrion.training.learner import FAVOURITE

REACHED = 330  # of the 340 lines that 850 pieces fill: whoever lives on has a few rows on the board still
GIVEN_UP = 0.1  # of the possible lines: less is "not satisfying"
FALL = -9.32 + 3  # of the weight of holes, as he tells it
LINES_A_PIECE = 0.4  # that its four cells come to, of ten columns


def runs_of(results: Results, name: str = "evolution") -> list[Mapping[str, Any]]:
    """The runs of a training."""
    return list(results[name]["runs"])


def column(results: Results, metric: str, name: str = "evolution") -> Array:
    """A metric of every run, a row each; generations are counted from 0 as his code counts them."""
    return np.array([run["metrics"][metric] for run in runs_of(results, name)], float)


def first_where(reached: Array) -> Array:
    """The first generation of each run where something holds; behind the last one if nowhere."""
    found: Array = np.where(reached.any(axis=1), reached.argmax(axis=1), reached.shape[1])
    return found


def generation_of_the_first(results: Results) -> Ours:
    """When the best of a generation reaches the most that 850 moves allow."""
    reached = first_where(column(results, "max") >= REACHED)
    return middle(reached, counted(len(reached), "seed"))


def generation_of_half(results: Results) -> Ours:
    """When half of a generation reaches it, so that the next one may make more moves."""
    reached = first_where(column(results, "median") >= REACHED)
    return middle(reached, counted(len(reached), "seed"))


def mean_at(generation: int, results: Results, name: str = "evolution") -> Ours:
    """The mean lines of a generation, over seeds."""
    means = column(results, "mean", name)[:, generation]
    return middle(means, counted(len(means), "seed"))


def first_generation(results: Results) -> Ours:
    """How little the first generation clears of what is possible."""
    means = column(results, "mean")[:, 0]
    most = column(results, "most_pieces")[:, 0].mean() * LINES_A_PIECE
    words = f"{figure(float(means.mean()))} lines a game of {figure(most, 0)} that are possible"
    return Ours(holds=float(means.mean()) < GIVEN_UP * most, words=words, because="that is next to nothing")


def gains(results: Results) -> Ours:
    """Whether the mean rises with the generations."""
    means = column(results, "mean").mean(axis=0)
    looked = [means[generation] for generation in (0, 4, 8, 14)]
    words = ", ".join(figure(float(value)) for value in looked) + " lines in generations 0, 4, 8, 14"
    return Ours(holds=bool((np.diff(looked) > 0).all()), words=words, because="each is more than the one before")


def steadier(results: Results) -> Ours:
    """Whether the spread of a generation becomes smaller beside its mean."""
    spread = column(results, "q3") - column(results, "q1")
    share = (spread.mean(axis=0) / column(results, "mean").mean(axis=0)).tolist()
    early, late = float(np.mean(share[1:5])), float(np.mean(share[10:15]))
    words = f"the middle half is {percent(early)} of the mean wide in generations 1 to 4, {percent(late)} in 10 to 14"
    return Ours(holds=late < early, words=words, because="it becomes narrower")


def after_the_halt(results: Results) -> Ours:
    """Whether the mean rises after generation 14, by the runs that went on to 30."""
    means = column(results, "mean")
    at, end = means[:, 13:16].mean(axis=1), means[:, -3:].mean(axis=1)
    low, high = of_difference(end - at) or (-np.inf, np.inf)
    gain = float((end - at).mean())
    words = f"{figure(gain)} lines more by generation {means.shape[1] - 1} ({figure(low)} to {figure(high)})"
    return Ours(holds=low <= 0, words=words, basis=counted(len(means), "seed"), because="the interval contains 0")


def favourites(results: Results, feature: str) -> Array:
    """A weight of every generation's best, a row a run."""
    return column(results, f"{FAVOURITE}{feature}")


def final_weight(feature: str, results: Results) -> Ours:
    """A weight where he halted, over seeds."""
    values = favourites(results, feature)[:, 14]
    return middle(values, counted(len(values), "seed"))


def same_signs(results: Results) -> Ours:
    """In how many seeds all four weights have his signs."""
    finals = np.column_stack([favourites(results, name)[:, 14] for name in WEIGHTS])
    same = (np.sign(finals) == np.sign(list(NUMBERS.values()))).mean(axis=0)
    words = ", ".join(f"{LABELS[name]} {percent(float(share))}" for name, share in zip(WEIGHTS, same, strict=True))
    holds = bool((same > 0.5).all())
    return Ours(holds=holds, words=f"the same sign: {words}", basis=seeds(results), because="most seeds have each sign")


def seeds(results: Results) -> str:
    """How many seeds evolution was tried with."""
    return counted(len(runs_of(results)), "seed")


def order_of(results: Results) -> Ours:
    """Which order of the weights by their sizes the seeds have most often."""
    finals = np.abs(np.column_stack([favourites(results, name)[:, 14] for name in WEIGHTS]))
    orders = [tuple(WEIGHTS[place] for place in row) for row in np.argsort(-finals, axis=1)]
    his = tuple(sorted(WEIGHTS, key=lambda name: -abs(NUMBERS[name])))
    often = max(sorted(set(orders)), key=orders.count)
    words = f"his order in {percent(orders.count(his) / len(orders))} of seeds"
    if often != his:
        usual = ", ".join(LABELS[name] for name in often)
        words += f"; most often ({percent(orders.count(often) / len(orders))}) {usual}"
    return Ours(holds=often == his, words=words, basis=seeds(results), because="no other order is more frequent")


def largest(feature: str, results: Results) -> Ours:
    """In how many seeds a weight is the largest of the four."""
    finals = np.abs(np.column_stack([favourites(results, name)[:, 14] for name in WEIGHTS]))
    share = float((finals.argmax(axis=1) == WEIGHTS.index(feature)).mean())
    return Ours(holds=share > 0.5, words=f"in {percent(share)} of seeds", basis=seeds(results), because="in most seeds")


def changes(results: Results, feature: str) -> tuple[float, float]:
    """How much a weight of the best changes from a generation to the next, until generation 3 and after it."""
    steps = np.abs(np.diff(favourites(results, feature)[:, :15], axis=1)).mean(axis=0)
    return float(steps[:3].mean()), float(steps[3:].mean())


def settled(feature: str, results: Results) -> Ours:
    """Whether a weight changes much less after generation 3."""
    early, late = changes(results, feature)
    words = f"it changes by {figure(early)} a generation until 3, by {figure(late)} after"
    return Ours(holds=late < early / 2, words=words, basis=seeds(results), because="less than half of it")


def steadiest(feature: str, results: Results) -> Ours:
    """Whether a weight is the one that changes least over the generations."""
    whole = {name: sum(changes(results, name)) / 2 for name in WEIGHTS}
    words = ", ".join(f"{LABELS[name]} {figure(value)}" for name, value in whole.items())
    holds = min(whole, key=lambda name: whole[name]) == feature
    words = f"mean change a generation: {words}"
    return Ours(holds=holds, words=words, basis=seeds(results), because="it changes least")


def fallen(results: Results) -> Ours:
    """How far the weight of holes goes from the first generation's best to where he halted."""
    weights = favourites(results, "holes")
    first, last = (float(np.median(weights[:, place])) for place in (0, 14))
    share = float((weights[:, 14] < weights[:, 0]).mean())
    low, high = (float(end) for end in np.percentile(weights[:, 14] - weights[:, 0], [2.5, 97.5]))
    words = f"from {figure(first)} to {figure(last)}; it falls in {percent(share)} of seeds"
    because = f"his fall lies where 95 % of seeds' changes do ({figure(low)} to {figure(high)})"
    holds = last < first and low <= FALL <= high
    return Ours(holds=holds, words=words, basis=f"the median of {seeds(results)}", because=because)


def days(results: Results) -> Ours:
    """How long half of the generations take now."""
    seconds = float(np.mean(results["evolution"]["time"]["seconds"]))
    words = f"{figure(seconds / 2, 1)} s for half of the generations"
    return Ours(seconds / 2 / 86_400, words=words, basis=f"the mean of {seeds(results)}", varies=True)
