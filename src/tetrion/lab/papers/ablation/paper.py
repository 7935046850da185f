"""What each feature is worth: taken out of published weights, left out of training, and added one by one."""

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.agents import DataAgent, data_agent
from tetrion.evaluation.intervals import of_mean
from tetrion.evaluation.words import counted, figure, in_words
from tetrion.lab.reproduction.figures import Entry, forest
from tetrion.lab.reproduction.findings import Found, listed, mean, over_seeds, over_seeds_in, ratio, times
from tetrion.lab.reproduction.measuring import Calculation, Laboratory, Play, Training, told_of
from tetrion.lab.reproduction.paper import Claim, Drawing, Paper, Question, Results, ResultTable
from tetrion.lab.reproduction.published import Ahead, Ours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.charts import Size

CONTROLLERS = ("dt20", "du")  # whose weights lose one feature at a time
NINE = tuple(data_agent("dt20").weights)
SIX = tuple(data_agent("dellacherie").weights)
SETS = {
    "nine": NINE,
    **{f"without-{feature}": tuple(name for name in NINE if name != feature) for feature in NINE},
    "six": SIX,
    "four": tuple(data_agent("lee").weights),
    "bertsekas": tuple(data_agent("ce-bertsekas").weights),
}
SET_WORDS = {
    "nine": "the nine of Gabillon et al. 2013",
    "without-diversity": "the eight of Thiery and Scherrer 2009",
    "six": "the six of Dellacherie 2003",
    "four": "the four of Lee 2013",
    "bertsekas": "the 21 of Bertsekas and Ioffe 1996",
}
BUDGET = ("stop.pieces=10000000", "judge.games=60", "judge.finalists=2", "judge.final=400")
TRIAL = ("stop.pieces=2000000", "games.count=5", "judge.games=60", "judge.finalists=2", "judge.final=200")
SMALL = ("games.count=2", "games.races=1", "judge.every=3", "judge.games=10", "judge.finalists=2")
QUICK = ("stop.pieces=300000", *SMALL, "judge.final=60")
QUICK_TRIAL = ("stop.pieces=100000", "stop.generations=12", *SMALL, "judge.final=30")
SEEDS, QUICK_SEEDS, TRIAL_SEEDS = 3, 3, 2
FRESH = 100  # added to seeds, so that what was chosen for its luck is measured without it
OTHER_BOARD = "10×20, where games are too long to train on; ours are on 10×10"


def of_features(features: Sequence[str]) -> str:
    """The change of a recipe that gives weights to these features."""
    return f"agent.features={json.dumps(list(features))}"


def without(controller: str, feature: str) -> DataAgent:
    """A published controller whose weight for a feature is 0."""
    weights = {name: weight for name, weight in data_agent(controller).weights.items() if name != feature}
    return DataAgent(f"{controller} without {feature}", weights)


def greedily(laboratory: Laboratory) -> dict[str, Any]:
    """Features added one by one, each time the one with which most is learnt in a small budget of pieces.

    Every step is then trained again with other seeds and the whole budget.
    """
    trial, whole = (QUICK_TRIAL, (*BUDGET, *QUICK)) if laboratory.quick else (TRIAL, BUDGET)
    trials, seeds = (1, QUICK_SEEDS) if laboratory.quick else (TRIAL_SEEDS, SEEDS)
    chosen: list[str] = []
    steps: list[dict[str, Any]] = []
    while len(chosen) < len(NINE):
        laboratory.watcher.trains(len(chosen), len(NINE))
        left = [feature for feature in NINE if feature not in chosen]
        tried = {feature: learnt(laboratory, "trial", (*chosen, feature), 0, trials, trial) for feature in left}
        chosen.append(max(left, key=lambda feature: float(np.mean(tried[feature]))))
        again = learnt(laboratory, "step", chosen, FRESH, seeds, whole)
        steps.append({"feature": chosen[-1], "tried": tried, "lines": again})
    return {"steps": steps}


def learnt(
    laboratory: Laboratory, name: str, features: Sequence[str], first: int, seeds: int, changes: Sequence[str]
) -> list[float]:
    """What every seed's training of these features comes to in held-out games."""
    changed = (of_features(features), *changes)
    folder = f"{name}-{'+'.join(features)}"
    first += laboratory.seed
    runs = [told_of(laboratory.train("cma-dt", folder, seed, changed)) for seed in range(first, first + seeds)]
    return [float(run["result"]["as_played"]["lines"]["mean"]) for run in runs]


def kept(controller: str, feature: str) -> Found:
    """How many times the whole controller's lines are left without a feature, the other weights as they are."""
    return times(mean(f"{controller}-without-{feature}"), mean(controller))


def retrained(feature: str) -> Found:
    """How many times the lines of all nine are learnt without a feature."""
    return times(over_seeds(f"without-{feature}"), over_seeds("nine"))


def steps_of(results: Results) -> list[Ours]:
    """Lines after each feature that was added, over seeds."""
    found = []
    for step in results["greedy"]["steps"]:
        lines = np.array(step["lines"])
        found.append(Ours(float(lines.mean()), of_mean(lines), basis=counted(len(lines), "seed")))
    return found


def spare_words(results: Results) -> str:
    """Which feature can be left out if the other weights are learnt anew."""
    found = {feature: retrained(feature)(results) for feature in NINE}
    missed = sorted((name for name in NINE if found[name].interval[1] < 1), key=lambda name: found[name].value or 0)
    spare = [in_words(name) for name in NINE if name not in missed]
    told = ", ".join(f"{in_words(name)} ({found[name].shown} the lines)" for name in missed)
    first = f"Missed, when all others are learnt anew: {told}" if missed else "No feature is missed beyond doubt"
    return f"{first}. " + (f"Without {listed(spare)} no loss was found." if spare else "None can be left out.")


def adapting_words(results: Results) -> str:
    """Whether weights that may adapt make up for a feature."""
    pairs = {feature: (kept("dt20", feature)(results), retrained(feature)(results)) for feature in NINE}
    better = [name for name, (fixed, new) in pairs.items() if new.interval[0] > fixed.interval[1]]
    worst = min(NINE, key=lambda name: pairs[name][0].value or 0)
    fixed, new = pairs[worst]
    return (
        f"For {len(better)} of {len(NINE)} features more is left, beyond both intervals, if the others are learnt "
        f"anew. With the others kept, dt20 misses {in_words(worst)} most ({fixed.shown} the lines); learnt anew it is "
        f"{new.shown}. So a weight's size, or what is lost when it is set to 0, is not what its feature is worth."
        if better
        else "For no feature is more left, beyond both intervals, if the other weights are learnt anew."
    )


def enough_words(results: Results) -> str:
    """From how many features on further ones no longer help."""
    found, names = steps_of(results), [in_words(step["feature"]) for step in results["greedy"]["steps"]]
    whole, gaps = found[-1], [ratio(found[-1], ours) for ours in found]
    number = next(place for place, gap in enumerate(gaps, 1) if gap.interval[0] <= 1)
    told = f"With {listed(names[:number])}, {found[number - 1].shown} lines are learnt"
    if number == len(found):
        return f"{told}: with one feature fewer it was less, so that none of them is idle."
    return f"{told}, with all {len(names)} {whole.shown}: from {number} on no further gain was found."


def holes_words(results: Results) -> str:
    """What holes are worth, which the DT weights reward."""
    weights = {name: float(np.asarray(data_agent(name).weights["holes"])) for name in ("dt10", "dt20")}
    anew, fixed = retrained("holes")(results), kept("dt20", "holes")(results)
    told = ", ".join(f"{name} {weight:+g}" for name, weight in weights.items()).replace("-", "−")
    verdict = "less than with them" if anew.interval[1] < 1 else "no less than with them, as far as the seeds can tell"
    return (
        f"Their weights for a hole are {told}. Without it, dt20 has {fixed.shown} its lines, and learnt anew without "
        f"holes the others reach {anew.shown} the lines of all nine, {verdict}. Rows with holes, hole depth and column "
        "transitions see holes too, so that this weight may only correct theirs."
    )


def kept_drawing(controller: str, results: Results, size: "Size") -> "Figure":
    """A controller without each of its features."""
    features = data_agent(controller).weights
    entries = [Entry(in_words(feature), kept(controller, feature)(results)) for feature in features]
    entries.sort(key=lambda entry: entry.ours.value or 0)
    return forest(size, f"Times {controller}'s lines", "10×10", entries)


def retrained_drawing(results: Results, size: "Size") -> "Figure":
    """What is learnt without each feature."""
    entries = [Entry(in_words(feature), retrained(feature)(results)) for feature in NINE]
    entries.sort(key=lambda entry: entry.ours.value or 0)
    return forest(size, "Times the lines of all nine", "10×10", entries)


def steps_drawing(results: Results, size: "Size") -> "Figure":
    """Lines after each feature that was added."""
    names = [in_words(step["feature"]) for step in results["greedy"]["steps"]]
    labels = [f"{number}: {'+ ' if number > 1 else ''}{name}" for number, name in enumerate(names, 1)]
    entries = [Entry(label, ours) for label, ours in zip(labels, steps_of(results), strict=True)]
    return forest(size, "Lines a game", "10×10", entries)


def feature_rows(results: Results) -> list[list[str]]:
    """Every feature: kept weights and weights learnt anew."""
    du = data_agent("du").weights
    return [
        [
            in_words(feature),
            kept("dt20", feature)(results).shown,
            kept("du", feature)(results).shown if feature in du else "not in it",
            retrained(feature)(results).shown,
        ]
        for feature in NINE
    ]


def set_rows(results: Results) -> list[list[str]]:
    """Sets of features of the literature, learnt with the same budget."""
    rows = []
    for name, words in SET_WORDS.items():
        ours = over_seeds_in(results[name])
        best = max(run["result"]["as_played"]["lines"]["mean"] for run in results[name]["runs"])
        rows.append([words, str(len(SETS[name])), ours.shown, figure(best), ours.basis])
    return rows


def step_rows(results: Results) -> list[list[str]]:
    """Every step, and what had been the second choice."""
    rows, found = [], steps_of(results)
    for number, (step, ours) in enumerate(zip(results["greedy"]["steps"], found, strict=True), 1):
        others = [feature for feature in step["tried"] if feature != step["feature"]]
        second = max(others, key=lambda feature: float(np.mean(step["tried"][feature])), default="")
        gap = ratio(ours, found[number - 2]).shown if number > 1 else "–"
        rows.append([str(number), in_words(step["feature"]), ours.shown, gap, in_words(second) or "–"])
    return rows


CLAIMS = [
    (
        "hole depth and rows with holes improve on Dellacherie's six features",
        "Thiery and Scherrer 2009",
        ("without-diversity", "six"),
    ),
    ("diversity improves on these eight", "Gabillon et al. 2013", ("nine", "without-diversity")),
    ("Dellacherie's six do better than Bertsekas' 21", "Thiery and Scherrer 2009", ("six", "bertsekas")),
    ("Dellacherie's six do better than four simple ones", "our own comparison", ("six", "four")),
]

PAPER = Paper(
    name="ablation",
    title="What each feature is worth",
    source="Our own question, on the features of the literature",
    about="A controller weighs features of the board. Each is taken out of published weights, left out of training, "
    "and added one by one, always with the same budget of pieces.",
    rules="standard-10x10: pieces drawn uniformly, straight drops, ten rows, so that every game ends",
    measurements=[
        *(Play(name, name, games=6000, quick=400, rules="standard-10x10") for name in CONTROLLERS),
        *(
            Play(f"{name}-without-{feature}", without(name, feature), games=4000, quick=150, rules="standard-10x10")
            for name in CONTROLLERS
            for feature in data_agent(name).weights
        ),
        *(
            Training(name, "cma-dt", SEEDS, QUICK_SEEDS, (of_features(features), *BUDGET), QUICK)
            for name, features in SETS.items()
        ),
        Calculation("greedy", greedily),
    ],
    claims=[
        Claim(
            what,
            where,
            Ahead("better"),
            times(over_seeds(first), over_seeds(second)),
            cause="published is what weights clear on twenty rows, ours what one learner makes of the features on ten",
            rules=OTHER_BOARD,
        )
        for what, where, (first, second) in CLAIMS
    ],
    questions=[
        Question("Which feature can be left out?", "learnt anew without each", spare_words),
        Question("Do weights that adapt make up for a missing feature?", "kept and learnt anew", adapting_words),
        Question("When do further features stop helping?", "added one by one", enough_words),
        Question("Why do the DT weights reward holes?", "Gabillon et al. 2013", holes_words),
    ],
    figures=[
        *(
            Drawing(
                f"kept-{name}",
                f"{name} without a feature",
                "One weight is set to 0 and the others stay as published.",
                partial(kept_drawing, name),
            )
            for name in CONTROLLERS
        ),
        Drawing("anew", "Learnt without a feature", "All other weights are learnt anew by CMA-ES.", retrained_drawing),
        Drawing("steps", "Features added one by one", "Each step adds what a short training chose.", steps_drawing),
    ],
    tables=[
        ResultTable(
            "Every feature",
            "Lines without it, as a share of the whole.",
            ("Feature", "dt20, others kept", "du, others kept", "Learnt anew"),
            feature_rows,
        ),
        ResultTable(
            "Sets of features",
            "The same learner and budget for each.",
            ("Features", "Number", "Lines a game", "The best seed", "Over"),
            set_rows,
        ),
        ResultTable(
            "Added one by one",
            "Which comes next is chosen by short trainings; the lines are those of longer ones with other seeds.",
            ("Step", "Added", "Lines a game", "Times the step before", "Second choice"),
            step_rows,
        ),
    ],
    notes=[
        "Intervals of what is learnt are over seeds, of published weights over games.",
        "Training stops after the generation with which so many pieces have been placed, so that features with which "
        "games are short get more generations for them, up to a hundred.",
    ],
)
