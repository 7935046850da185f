"""Gabe Becker's slides: a static evaluation of four sigmoid curves, which clears twenty to thirty lines a game."""

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.agents import data_agent
from tetrion.evaluation.words import figure, in_words
from tetrion.game import Game
from tetrion.lab.papers.figures import Entry, forest, hills, over_generations
from tetrion.lab.papers.findings import mean, mean_in, over_seeds_in, ratio
from tetrion.lab.papers.measuring import Calculation, Laboratory, Play, Training
from tetrion.lab.papers.paper import Claim, Drawing, Paper, Question, Results
from tetrion.lab.papers.published import Ours, Range, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.charts import Size

BEFORE = "becker-before"
DECISIONS = 300  # that are timed
SERIES = 20  # games whose best is looked at; the slides do not say how many there were
SHOWN = {"holes": 24, "aggregate_height": 200, "bumpiness": 24, "max_height": 20}  # up to where a curve is drawn
SLIDES = {  # what the slides say of each curve: the value of its feature, and what it comes to
    "holes": {0: 1, 8: 0.5, 20: 0},
    "aggregate_height": {0: 1, 100: 0.5, 200: 0},
    "bumpiness": {0: 1, 8: 0.5, 20: 0},
    "max_height": {0: 1, 8: 0.5, 20: 0},
}
NEAR = 0.02  # that "basically 0" and "about 0.5" leave open


def curve(feature: str) -> Sequence[float]:
    """What a feature comes to between 0 and 1, before its weight."""
    table = data_agent("becker").weights[feature]
    points = [float(value) for value in table] if isinstance(table, Sequence) else []
    return [value / points[0] for value in points]


def decisions(laboratory: Laboratory) -> dict[str, Any]:
    """How long one decision takes, piece after piece of a game."""
    agent, seconds, placements = data_agent("becker"), [], 0
    game = Game(rules="becker", seed=laboratory.seed)
    for number in range(DECISIONS + 1):
        if game.over:
            game = Game(rules="becker", seed=laboratory.seed + number)
        position = game.position
        start = time.perf_counter()
        chosen = agent.choose(position)
        seconds.append(time.perf_counter() - start)
        placements += len(position.placements())
        game.place(chosen)
    return {"placements": placements / len(seconds), "time": {"decision": float(np.median(seconds[1:]))}}


def follows(feature: str, results: Results) -> Ours:
    """Whether our curve goes through the points of the slides."""
    points = curve(feature)
    found = {value: points[value] for value in SLIDES[feature]}
    holds = all(abs(found[value] - wanted) <= NEAR for value, wanted in SLIDES[feature].items())
    words = "; ".join(f"{value}: {figure(point, 3)}" for value, point in found.items())
    return Ours(holds=holds, words=words, because=f"ours are within {NEAR} of the slides' values")


def best_of_a_series(results: Results) -> Ours:
    """The best of twenty games: half of all such series lie between, by the games that were played."""
    lines = np.array(results["becker"]["sample"]["lines"])
    whole = lines[: len(lines) // SERIES * SERIES].reshape(-1, SERIES).max(axis=1)
    low, middle, high = np.percentile(whole, [2.5, 50, 97.5])
    return Ours(float(middle), (float(low), float(high)), basis=f"the best of {SERIES} games, {len(whole):,} times")


def a_decision(results: Results) -> Ours:
    """The time of a decision, and of each placement that it looks at."""
    decision, placements = results["decisions"]["time"]["decision"], results["decisions"]["placements"]
    each = decision / placements
    words = f"{1e6 * each:.2g} µs a placement, {1e6 * decision:.2g} µs a decision"
    basis, because = f"the median of {DECISIONS:,} decisions", "a placement takes no longer here"
    return Ours(holds=each <= 0.0003, words=words, basis=basis, because=because, varies=True)


def gain(results: Results) -> Ours:
    """How many times the lines of the slides' numbers the learnt ones clear."""
    times = ratio(over_seeds_in(results["tuned"]), mean_in(results["becker"]))
    known = times.value is not None and times.interval[0] > 1
    words = f"{times.shown} times the lines"
    return Ours(holds=known, words=words, basis="games cut at 10,000 pieces", because="the whole interval is above 1")


def tuned_words(results: Results) -> str:
    """What learning makes of the same four curves."""
    tuned, plain = over_seeds_in(results["tuned"]), mean_in(results["becker"])
    weights = results["tuned"]["runs"][0]["result"]["numbers"]
    return (
        f"With weights, slopes and midpoints learnt by CMA-ES the same four curves clear {tuned.shown} lines a game "
        f"({tuned.basis}), with those of the slides {plain.shown}: the curves were not the limit, their "
        f"{len(weights)} numbers were."
    )


def curves_drawing(results: Results, size: "Size") -> "Figure":
    """The four curves, each from 0 to where it has ended."""
    steps = 101
    lines = {
        f"{in_words(name)}, to {most}": [curve(name)[round(most * step / (steps - 1))] for step in range(steps)]
        for name, most in SHOWN.items()
    }
    key = "From 0 at the left to the value that is named at the right; the weights are not in it"
    return over_generations(size, "What a board's attributes come to", lines, key, "percent of the way")


def games_drawing(results: Results, size: "Size") -> "Figure":
    """How many lines games have."""
    samples = {
        "becker": results["becker"]["sample"]["lines"],
        "becker, full rows seen": results[BEFORE]["sample"]["lines"],
    }
    return hills(size, "Lines a game", "rules becker", samples)


def learnt_drawing(results: Results, size: "Size") -> "Figure":
    """The slides' figure, our games, and what learning makes of it."""
    entries = [
        Entry("becker", mean_in(results["becker"]), (20, 30)),
        Entry("becker, full rows seen", mean_in(results[BEFORE]), (20, 30)),
        Entry("becker-tuned", over_seeds_in(results["tuned"])),
    ]
    return forest(size, "Lines a game", "rules becker", entries)


PAPER = Paper(
    name="becker",
    title="Tetris game playing AI using static evaluation function",
    source="Gabe Becker, slides",
    about="Four curves of the board, each between 0 and 1, are weighed and added up; the placement with the best sum "
    "is turned into key presses, and the decision is made beside the falling piece.",
    rules="becker: 10×20, pieces drawn uniformly, no next piece",
    measurements=[
        Play("becker", "becker", games=20_000, quick=2000),
        Play(BEFORE, "becker:measured=before", games=20_000, quick=2000),
        Training("tuned", "becker-tuned", seeds=5, quick_changes=("generations=15", "judge.final=100")),
        Calculation("decisions", decisions),
    ],
    claims=[
        Claim(
            "lines a game",
            "“It's pretty good!”",
            Range("20 to 30, about 23", low=20, high=30),
            mean("becker"),
            cause="the slides' code removes full rows before it looks, and so does ours; the figure fits an evaluation "
            "that still sees them, which is the next row",
        ),
        Claim(
            "lines a game, if the evaluation sees full rows before they are removed",
            "“It's pretty good!”",
            Range("20 to 30, about 23", low=20, high=30),
            mean(BEFORE),
        ),
        Claim(
            "the best game",
            "“It's pretty good!”",
            Range("90", low=90, high=90),
            best_of_a_series,
            cause="how many games were played is not said; the best of more games is higher",
        ),
        *(
            Claim(
                f"the curve of {in_words(feature)}",
                f"“{in_words(feature).capitalize()}”",
                Statement("; ".join(f"{value}: {share:g}" for value, share in points.items())),
                partial(follows, feature),
            )
            for feature, points in SLIDES.items()
        ),
        Claim(
            "an evaluation takes no time that one would notice",
            "“Multithreading”",
            Statement("about 0.0003 s each"),
            a_decision,
            cause="this machine was busy while it was timed",
        ),
        Claim(
            "machine learning is the way to a proper agent",
            "“It's pretty good!”",
            Statement("learnt weights and functions play better"),
            gain,
        ),
    ],
    questions=[
        Question("What does machine learning make of the same functions?", "“It's pretty good!”", tuned_words),
    ],
    figures=[
        Drawing("curves", "The four curves", "The sigmoids of the slides as our agent has them.", curves_drawing),
        Drawing("games", "How games end", "The lines of the first thousand games of each.", games_drawing),
        Drawing("learnt", "By hand and learnt", "The slides' range, our games, and the curves learnt.", learnt_drawing),
    ],
)
