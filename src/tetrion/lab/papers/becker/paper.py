"""Gabe Becker's slides: a static evaluation of four sigmoid curves, which clears twenty to thirty lines a game."""

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.agents import DataAgent, data_agent
from tetrion.agents.zoo.becker import MIDDLES, SLOPES, WEIGHTS
from tetrion.board import Board
from tetrion.evaluation.words import figure, in_words
from tetrion.game import Game
from tetrion.lab.reproduction.figures import Entry, against, forest, hills, over_generations
from tetrion.lab.reproduction.findings import mean, mean_in, middle, more_or_less, over_seeds_in, ratio
from tetrion.lab.reproduction.measuring import Calculation, Laboratory, Play, Training
from tetrion.lab.reproduction.paper import Claim, Drawing, Paper, Question, Results, ResultTable
from tetrion.lab.reproduction.published import Ours, Range, Statement

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
LINES = (20, 30)  # a game
READINGS = {  # what the slides leave open, as rules
    "over when a new piece finds no room in the top rows": "becker:entry=0,over=entry",
    "over when something rests in the top row": "becker:over=top-row",
}
THINKING = (1, 1000, 2000, 3000, 4000, 5000, 6000)  # milliseconds of a decision while the piece falls
FALLING = (500, 200, 100, 75, 60, 50)  # milliseconds a row; a key takes 100
NUMBERS = {
    **{f"{feature} weight": value for feature, value in WEIGHTS.items()},
    **{f"{feature} slope": value for feature, value in SLOPES.items()},
    **{f"{feature} middle": value for feature, value in MIDDLES.items()},
}
STRAIGHT = {"holes": 16, "aggregate_height": 200, "bumpiness": 16, "max_height": 20}  # where straight lines reach 0


def variants() -> dict[str, DataAgent]:
    """The slides' function changed in one thing each."""
    agent = data_agent("becker")
    changed = {
        f"without {in_words(feature)}": {name: table for name, table in agent.weights.items() if name != feature}
        for feature in WEIGHTS
    }
    changed["with a term for lines"] = {**agent.weights, "lines": 0.1}
    changed["straight lines for curves"] = {name: -WEIGHTS[name] / most for name, most in STRAIGHT.items()}
    return {name: DataAgent(f"becker {name}", weights, rules="becker") for name, weights in changed.items()}


def evaluation(board: Board) -> float:
    """E of a board, by the weighted curves."""
    features = board.features()
    return sum(WEIGHTS[feature] * curve(feature)[features[feature]] for feature in WEIGHTS)


def curve(feature: str) -> Sequence[float]:
    """What a feature comes to between 0 and 1, before its weight."""
    table = data_agent("becker").weights[feature]
    points = [float(value) for value in table] if isinstance(table, Sequence) else []
    return [value / points[0] for value in points]


def decisions(laboratory: Laboratory) -> dict[str, Any]:
    """How long one decision takes, piece after piece of a game."""
    agent, seconds, placements, found = data_agent("becker"), [], 0, []
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
        found.append(evaluation(game.board))
    ends = {"least": min(found), "most": max(found), "empty": evaluation(Board())}
    return {"placements": placements / len(seconds), **ends, "time": {"decision": float(np.median(seconds[1:]))}}


def follows(feature: str, results: Results) -> Ours:
    """Whether our curve goes through the points of the slides."""
    points = curve(feature)
    found = {value: points[value] for value in SLIDES[feature]}
    holds = all(abs(found[value] - wanted) <= NEAR for value, wanted in SLIDES[feature].items())
    words = "; ".join(f"{value}: {figure(point, 3)}" for value, point in found.items())
    return Ours(holds=holds, words=words, because=f"ours are within {NEAR} of the slides' values")


def best_of_a_series(results: Results) -> Ours:
    """The best of twenty games, over and over."""
    lines = np.array(results["becker"]["sample"]["lines"])
    whole = lines[: len(lines) // SERIES * SERIES].reshape(-1, SERIES).max(axis=1)
    return middle(whole, f"the best of {SERIES} games, {len(whole):,} times")


def a_decision(results: Results) -> Ours:
    """The time of a decision, and of each placement that it looks at."""
    decision, placements = results["decisions"]["time"]["decision"], results["decisions"]["placements"]
    each = decision / placements
    words = f"{figure(1e6 * each)} µs a placement, {figure(1e6 * decision)} µs a decision"
    basis, because = f"the median of {DECISIONS:,} decisions", "a placement takes no longer here"
    return Ours(holds=each <= 0.0003, words=words, basis=basis, because=because, varies=True)


def weights_add_up(results: Results) -> Ours:
    """Whether the weights are shares of one."""
    weights = list(WEIGHTS.values())
    words = f"{', '.join(f'{weight:g}' for weight in weights)}; together {sum(weights):g}"
    return Ours(holds=all(0 < weight < 1 for weight in weights) and abs(sum(weights) - 1) < 1e-9, words=words)


def within_one(results: Results) -> Ours:
    """Between which ends the evaluation lies."""
    least, most, empty = (results["decisions"][name] for name in ("least", "most", "empty"))
    words = f"{figure(least)} to {figure(most)} in games, {figure(empty)} for the empty board"
    return Ours(holds=0 <= least <= most <= empty <= 1 + 1e-9, words=words, because="so it is on every board of them")


def not_needed(results: Results) -> Ours:
    """Whether a decision while the piece falls costs lines."""
    found = ratio(mean_in(results["thinking-1"]), mean_in(results["becker"]))
    words = f"{found.shown} times the lines if a decision takes a millisecond of the fall"
    return Ours(holds=found.interval[1] >= 1, words=words, because="no loss can be seen")


def gain(results: Results) -> Ours:
    """How many times the lines of the slides' numbers the learnt ones clear."""
    times = ratio(over_seeds_in(results["tuned"]), mean_in(results["becker"]))
    known = times.value is not None and times.interval[0] > 1
    words = f"{times.shown} times the lines"
    return Ours(holds=known, words=words, basis="games cut at 10,000 pieces", because="the whole interval is above 1")


def tuned_words(results: Results) -> str:
    """What learning makes of the same four curves."""
    tuned, plain = over_seeds_in(results["tuned"]), mean_in(results["becker"])
    numbers = len(results["tuned"]["runs"][0]["result"]["numbers"])
    verdict = {
        "more": f"the curves were not the limit, their {numbers} numbers were",
        "less": "learning found no better numbers",
    }.get(more_or_less(tuned, plain), "no difference was found")
    return (
        f"With weights, slopes and midpoints learnt by CMA-ES the same four curves clear {tuned.shown} lines a game "
        f"({tuned.basis}), with those of the slides {plain.shown}: {verdict}."
    )


def limits_words(results: Results) -> str:
    """What holds the slides' function back."""
    plain = mean_in(results["becker"])
    told = [(name, mean_in(results[name])) for name in variants()]
    parts = [f"{name} {found.shown} ({more_or_less(found, plain)})" for name, found in told]
    best = max(told, key=lambda one: one[1].value or 0)
    most = f"The most comes from playing {best[0]}." if more_or_less(best[1], plain) == "more" else ""
    return f"It clears {plain.shown} lines as it is; {'; '.join(parts)}. {most}".strip()


def changes(results: Results) -> dict[str, tuple[float, list[float]]]:
    """Each number of the slides with what every seed made of it, as a multiple; what changed most first."""
    runs = [run["result"]["numbers"] for run in results["tuned"]["runs"]]
    times = {name: (given, [run[name] / given for run in runs]) for name, given in NUMBERS.items()}
    return dict(sorted(times.items(), key=lambda one: -abs(np.log(max(1e-12, float(np.median(one[1][1])))))))


def changed_words(results: Results) -> str:
    """Which of the numbers learning changed most, of those that it changed the same way with every seed."""
    told = changes(results)
    same = [name for name, (_, times) in told.items() if min(times) > 1 or max(times) < 1]
    parts = [
        f"{in_words(name)} (from {told[name][0]:g} to {number_words(told[name][0] * float(np.median(told[name][1])))})"
        for name in same[:3]
    ]
    unsure = [in_words(name) for name in told if name not in same]
    words = f"By the middle of {over_seeds_in(results['tuned']).basis}: {'; '.join(parts) or 'none'}."
    return f"{words} Not the same way with every seed: {', '.join(unsure)}." if unsure else words


def number_words(number: float) -> str:
    """A small number with three figures that say something."""
    return f"{number:.3g}" if 1e-4 <= number < 1000 else figure(number) if number >= 1000 else "almost 0"


def learnt_rows(results: Results) -> list[list[str]]:
    """The slides' numbers beside the learnt ones."""
    rows = []
    for name, (given, times) in changes(results).items():
        median, ends = given * float(np.median(times)), [number_words(given * end) for end in (min(times), max(times))]
        learnt = [number_words(median), " to ".join(dict.fromkeys(ends))]
        rows.append([in_words(name), f"{given:g}", *learnt, number_words(float(np.median(times)))])
    return rows


def reading_rows(results: Results) -> list[list[str]]:
    """What the slides leave open, tried: which of it comes to twenty to thirty lines."""
    found = {"as the slides' code": mean_in(results["becker"]), "full rows seen": mean_in(results[BEFORE])}
    found |= {words: mean_in(results[words]) for words in READINGS}
    found |= {f"a row takes {fall / 100:g} times as long as a key": falling(results, fall) for fall in FALLING}
    low, high = LINES
    return [
        [words, ours.shown, "yes" if ours.interval[0] <= high and ours.interval[1] >= low else "no"]
        for words, ours in found.items()
    ]


def falling(results: Results, fall: int) -> Ours:
    """The lines where a row takes so many milliseconds."""
    return mean_in(results["thinking-1" if fall == FALLING[0] else f"falling-{fall}"])


def thinking_words(results: Results) -> str:
    """How slow a decision may be beside a falling piece."""
    plain = mean_in(results["becker"])
    slow = [time for time in THINKING if more_or_less(mean_in(results[f"thinking-{time}"]), plain) == "less"]
    if not slow:
        return f"Even {THINKING[-1] / 1000:g} seconds cost no lines that these games can show."
    lines = mean_in(results[f"thinking-{slow[0]}"])
    return (
        f"Of the times tried, with a row every half second, {slow[0] / 1000:g} seconds are the first that cost lines: "
        f"{lines.shown} instead of {plain.shown}."
    )


def thinking_drawing(results: Results, size: "Size") -> "Figure":
    """Lines against the time of a decision."""
    lines = {"becker": [mean_in(results[f"thinking-{time}"]) for time in THINKING]}
    places = [f"{time / 1000:g} s" for time in THINKING]
    return against(size, "Lines a game", "by the time of a decision", places, lines)


def variants_drawing(results: Results, size: "Size") -> "Figure":
    """The slides' function, and with one thing changed."""
    entries = [Entry("as in the slides", mean_in(results["becker"]), LINES)]
    entries += [Entry(name, mean_in(results[name])) for name in variants()]
    return forest(size, "Lines a game", "rules becker", entries)


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
        Entry("becker", mean_in(results["becker"]), LINES),
        Entry("becker, full rows seen", mean_in(results[BEFORE]), LINES),
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
        *(
            Play(f"thinking-{time}", "becker", games=5000, quick=500, rules=f"becker:movement=timed,thinking={time}")
            for time in THINKING
        ),
        *(
            Play(f"falling-{fall}", "becker", games=5000, quick=500, rules=f"becker:movement=timed,gravity={fall}")
            for fall in FALLING[1:]
        ),
        *(Play(words, "becker", games=20_000, quick=1000, rules=rules) for words, rules in READINGS.items()),
        *(Play(name, agent, games=20_000, quick=1000) for name, agent in variants().items()),
        Calculation("decisions", decisions, version=2),
    ],
    claims=[
        Claim(
            "lines a game",
            "“It's pretty good!”",
            Range("20 to 30, about 23", low=20, high=30),
            mean("becker"),
            cause="the slides' code removes full rows before it looks, and so does ours; how a game ends hardly "
            "matters; an evaluation that still sees full rows (the next row) fits, and so does a piece that falls "
            "faster than keys can move it (readings below)",
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
        Claim("the weights", "“The function”", Statement("each between 0 and 1, together 1"), weights_add_up),
        Claim("the evaluation of a board", "“The function”", Statement("between 0 and 1"), within_one),
        Claim(
            "an evaluation takes no time that one would notice",
            "“Multithreading”",
            Statement("about 0.0003 s each"),
            a_decision,
            cause="this machine was busy while it was timed",
        ),
        Claim(
            "to decide beside the falling piece is probably not needed",
            "“Multithreading”",
            Statement("the decision costs nothing"),
            not_needed,
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
        Question("Which numbers does learning change most?", "“It's pretty good!”", changed_words),
        Question("What holds the slides' function back?", "“It's pretty good!”", limits_words),
        Question("How slow may a decision be while the piece falls?", "“Multithreading”", thinking_words),
    ],
    figures=[
        Drawing(
            "curves",
            "The four curves",
            "The curves of the slides as our agent has them; that of bumpiness covers that of holes, its equal.",
            curves_drawing,
        ),
        Drawing(
            "games", "Lines a game", "How many games have so many lines; the first thousand of each.", games_drawing
        ),
        Drawing("learnt", "By hand and learnt", "The slides' range, our games, and the curves learnt.", learnt_drawing),
        Drawing("variants", "One thing changed", "The slides' function without a curve, and others.", variants_drawing),
        Drawing("thinking", "Deciding while it falls", "A row falls every half second.", thinking_drawing),
    ],
    tables=[
        ResultTable(
            "Readings of what the slides leave open",
            "Lines a game, and whether they meet the slides' 20 to 30.",
            ("Reading", "Lines", "Fits"),
            reading_rows,
        ),
        ResultTable(
            "The slides' numbers and the learnt ones",
            "Learnt: the middle of all seeds, and the least and the most; the last column is the middle over the "
            "slides' number. What changed most comes first.",
            ("Number", "Slides", "Learnt", "Over seeds", "Times"),
            learnt_rows,
        ),
    ],
)
