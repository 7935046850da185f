"""How the figures of Gavrilov's agents are read from games, and what he left open is answered."""

from typing import Any

import numpy as np

from tetrion.agents import data_agent
from tetrion.evaluation.intervals import student_margin
from tetrion.evaluation.words import counted, figure, in_words, percent
from tetrion.lab.reproduction.findings import difference, mean_in, middle, over_seeds_in, ratio
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

Array = np.ndarray[Any, Any]

SERIES = 10  # games of his tests (section 7.6)
NUMBERS = {name: float(str(weight)) for name, weight in data_agent("gavrilov").weights.items()}  # section 9.2
WEIGHTS = tuple(NUMBERS)
LABELS = dict(zip(WEIGHTS, ("height", "holes", "bumpiness", "clearing"), strict=True))  # his names
BUMPINESS, HOLES = ("0", "0.1", "0.25", "0.5", "1"), ("2", "3", "5", "10")  # weights that are tried
RANDOMISERS = ("bag", "uniform", "nes", "nes-counts", "sz", "alternating-sz", "adversary")
HARDEST = RANDOMISERS[-3:]
AGENTS = ("random-keys", "lowest", "gavrilov-2", "gavrilov-3", "gavrilov-4", "gavrilov")
MORE = {  # features that are added to his four, by the name of the training
    "with-wells": ("wells",),
    "with-number-of-wells": ("number_of_wells",),
    "with-aggregate-height": ("aggregate_height",),
    "with-weighted-cells": ("weighted_filled_cells",),
    "with-three": ("wells", "aggregate_height", "weighted_filled_cells"),
}


def sample(results: Results, name: str) -> Array:
    """The first games of a measurement, in lines."""
    return np.array(results[name]["sample"]["lines"], float)


def tens(lines: Array) -> Array:
    """Games in series of ten, as many as there are."""
    return lines[: len(lines) // SERIES * SERIES].reshape(-1, SERIES)


def best_of_ten(name: str, results: Results) -> Ours:
    """The best of ten games, over and over."""
    series = tens(sample(results, name))
    return middle(series.max(axis=1), f"the best of ten games, {len(series):,} times")


def times(first: str, second: str, results: Results) -> Ours:
    """How many times the lines of the second the first clears."""
    return ratio(mean_in(results[first]), mean_in(results[second]))


def above(first: str, second: str, results: Results) -> Ours:
    """Whether the first clears more lines than the second, beyond doubt."""
    more, less = mean_in(results[first]), mean_in(results[second])
    holds = difference(more, less).interval[0] > 0
    return Ours(
        holds=holds,
        words=f"{more.shown} against {less.shown} lines",
        because="the interval of the difference is above 0",
    )


def found_in_ten(first: str, second: str, results: Results) -> Ours:
    """In how many series of ten games each the first is significantly above the second."""
    pairs = list(zip(tens(sample(results, first)), tens(sample(results, second)), strict=False))
    found = [
        more.mean() - less.mean() > float(np.hypot(student_margin(more), student_margin(less))) for more, less in pairs
    ]
    share = float(np.mean(found))
    more, less = mean_in(results[first]), mean_in(results[second])
    words = f"{more.shown} against {less.shown}; ten games each show it in {percent(share)} of tries"
    because = "ten games of each do not show it as a rule"
    return Ours(holds=share < 0.5, words=words, basis=f"{len(pairs):,} tries", because=because)


def weighing(name: str) -> str:
    """The name of the measurement of another weighing."""
    return f"weighed-{name}"


def equal_weights(results: Results) -> Ours:
    """Whether bumpiness helps once holes weigh more than it does."""
    equal, plain = mean_in(results["gavrilov-3"]), mean_in(results["gavrilov-2"])
    heavy = mean_in(results[weighing("holes-10")])
    holds = difference(heavy, plain).interval[0] > 0 > difference(equal, plain).interval[1]
    words = f"{equal.shown} lines with equal weights, {heavy.shown} with holes ten times as heavy"
    return Ours(holds=holds, words=words, because=f"without bumpiness there are {plain.shown}, between the two")


def without(feature: str) -> str:
    """The name of the measurement of the trained agent without a feature."""
    return f"without-{feature}"


def left_over(results: Results) -> dict[str, Ours]:
    """What the trained agent clears without each of its features."""
    return {feature: mean_in(results[without(feature)]) for feature in WEIGHTS}


def most_crucial(results: Results) -> Ours:
    """Whether holes are the feature without which the fewest lines are left."""
    left = left_over(results)
    others = [difference(left[name], left["holes"]).interval[0] > 0 for name in WEIGHTS if name != "holes"]
    words = "; ".join(f"without {LABELS[name]} {ours.shown}" for name, ours in left.items())
    return Ours(holds=all(others), words=words, because="without holes the fewest lines are left")


def matters(feature: str, results: Results) -> Ours:
    """Whether the trained agent clears fewer lines without a feature."""
    whole, less = mean_in(results["gavrilov"]), left_over(results)[feature]
    words = f"{less.shown} lines without it, {whole.shown} with it"
    return Ours(holds=difference(whole, less).interval[0] > 0, words=words, because="it is worth lines")


def every_game(results: Results) -> Ours:
    """How likely ten games in a row are above 1,500 lines."""
    share = float((sample(results, "gavrilov") > 1500).mean())
    words = f"{percent(share)} of games; ten in a row with {percent(share**SERIES)}"
    because = "ten in a row, as many as he played elsewhere, are more likely than not"
    return Ours(holds=share**SERIES > 0.5, words=words, because=because)


def rare(results: Results) -> Ours:
    """How many lines are cleared for each time that a row is left hanging."""
    lines = results["hanging-rows"]["lines_a_bug"]
    return Ours(holds=lines > 100, words=f"once in {figure(lines, 0)} lines", because="that is rare")


def harmless(results: Results) -> Ours:
    """Whether rows that hang cost lines."""
    found = {kind: mean_in(results["hanging-rows"][kind]) for kind in ("with", "without")}
    apart = difference(found["with"], found["without"]).interval
    words = f"{found['with'].shown} lines with the bug, {found['without'].shown} without"
    basis = found["with"].basis
    return Ours(holds=apart[1] >= 0, words=words, basis=basis, because="no loss was found")


def bag_deals(results: Results) -> Ours:
    """Whether one waits shorter, and gets shorter streaks, from a bag."""
    bag, uniform = (results["sequences"][name] for name in ("bag", "uniform"))
    words = (
        f"longest wait {bag['wait']} pieces and streak {bag['streak']}, drawn uniformly {uniform['wait']} and "
        f"{uniform['streak']}"
    )
    holds = bag["wait"] < uniform["wait"] and bag["streak"] < uniform["streak"]
    return Ours(holds=holds, words=words, basis=counted(bag["pieces"], "piece"), because="both are shorter")


def cell(agent: str, randomiser: str) -> str:
    """The name of the measurement of an agent by a randomiser; his own is the bag."""
    return agent if randomiser == "bag" else f"{agent}-by-{randomiser}"


def randomiser_rows(results: Results) -> list[list[str]]:
    """Every agent by every randomiser."""
    return [
        [agent, *(mean_in(results[cell(agent, randomiser)]).shown for randomiser in RANDOMISERS)] for agent in AGENTS
    ]


# Answers


def beside(ours: Ours, base: Ours) -> str:
    """In words whether ours is more than a base, by the interval of the difference."""
    low, high = difference(ours, base).interval
    return "more" if low > 0 else "fewer" if high < 0 else "no difference was found"


def features_words(results: Results) -> str:
    """What more features are worth at the same budget."""
    base = over_seeds_in(results["evolution"])
    found = {", ".join(map(in_words, added)): over_seeds_in(results[name]) for name, added in MORE.items()}
    parts = [f"with {added} {ours.shown} ({beside(ours, base)})" for added, ours in found.items()]
    better = [added for added, ours in found.items() if beside(ours, base) == "more"]
    verdict = f"better than the four for certain: {'; '.join(better)}" if better else "none is better for certain"
    return (
        f"By the same recipe and budget the four features end at {base.shown} lines a held-out game of at most 4,000 "
        f"pieces, in which 1,600 are possible ({base.basis}); {'; '.join(parts)}. Of these sets, {verdict}."
    )


def reach_words(results: Results) -> str:
    """What tucks are worth, to the trained agent and to one trained with them."""
    drop, reach = mean_in(results["gavrilov"]), mean_in(results["reach"])
    plain, anew = over_seeds_in(results["evolution"]), over_seeds_in(results["evolution-reach"])
    return (
        f"With every end position that has a path the trained agent clears {reach.shown} lines a game, by straight "
        f"drops {drop.shown}: {beside(reach, drop)}. Trained anew with them the recipe ends at {anew.shown} lines a "
        f"held-out game of at most 4,000 pieces, by drops at {plain.shown}: {beside(anew, plain)}. T-spins have no "
        "place in his rules: a turn never kicks a piece aside and earns no points, so that only tucks remain."
    )


def randomisers_words(results: Results) -> str:
    """What the order of pieces does to the agents."""
    lines = {kind: mean_in(results[cell("gavrilov", kind)]) for kind in RANDOMISERS}
    trained = ratio(lines["bag"], lines["uniform"])
    plain = ratio(mean_in(results["gavrilov-2"]), mean_in(results[cell("gavrilov-2", "uniform")]))
    hardest = max(mean_in(results[cell(agent, kind)]).value or 0 for agent in AGENTS for kind in HARDEST)
    if trained.interval[0] > max(1, plain.interval[1]):
        verdict = "how evenly pieces come matters the more, the better an agent plays"
    elif trained.interval[0] > 1:
        verdict = "how evenly pieces come matters"
    else:
        verdict = "that evenness matters was not found"
    return (
        f"The trained agent clears {lines['bag'].shown} lines from his bag, {lines['uniform'].shown} from uniform "
        f"draws and {lines['nes'].shown} from the console's randomiser. The bag is worth {trained.shown} times the "
        f"lines to it and {plain.shown} times to the agent of height and holes: {verdict}. "
        "Where S and Z alone are dealt, or the worst piece each time, no agent clears more than "
        f"{figure(hardest)} lines a game on average."
    )


def rate_rows(results: Results) -> list[list[str]]:
    """The random player by its key rate."""
    return [[rate, mean_in(played).shown] for rate, played in results["key-rates"].items()]


def optimum_words(results: Results) -> str:
    """Whether the trained weights are the best of their kind."""
    whole, less = mean_in(results["gavrilov"]), left_over(results)["piece_top"]
    verdict = {
        "more": "the weights are not optimal, this one costs lines",
        "fewer": "that weight has its use",
    }.get(beside(less, whole), "no difference was found")
    return f"Without height the trained agent clears {less.shown} lines, with it {whole.shown}: {verdict}."
