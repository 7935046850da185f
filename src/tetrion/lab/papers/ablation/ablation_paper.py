"""What each feature is worth: taken out of published weights, left out of training, and added one by one."""

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_name, format_number
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_mean_over_seeds,
    compute_ratio,
    join_names,
    make_mean_reader,
    make_ratio_reader,
    make_seed_mean_reader,
)
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_run,
)
from tetrion.lab.reproduction.paper_definition import (
    Claim,
    MeasurementResults,
    OpenQuestion,
    Paper,
    PaperFigure,
    ResultTable,
)
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedOrdering
from tetrion.lab.reproduction.reproduction_figures import ForestRow, draw_forest_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

ABLATED_CONTROLLERS = ("dt20", "du")  # whose weights lose one feature at a time
GABILLON_FEATURES = tuple(load_weighted_agent("dt20").weights)
_DELLACHERIE_FEATURES = tuple(load_weighted_agent("dellacherie").weights)
FEATURE_SETS = {
    "nine": GABILLON_FEATURES,
    **{
        f"without-{feature}": tuple(name for name in GABILLON_FEATURES if name != feature)
        for feature in GABILLON_FEATURES
    },
    "six": _DELLACHERIE_FEATURES,
    "four": tuple(load_weighted_agent("lee").weights),
    "bertsekas": tuple(load_weighted_agent("ce-bertsekas").weights),
}
FEATURE_SET_LABELS = {
    "nine": "the nine of Gabillon et al. 2013",
    "without-diversity": "the eight of Thiery and Scherrer 2009",
    "six": "the six of Dellacherie 2003",
    "four": "the four of Lee 2013",
    "bertsekas": "the 21 of Bertsekas and Ioffe 1996",
}
_FULL_BUDGET = (
    "stop.total_pieces=10000000",
    "validation.games=60",
    "validation.finalists=2",
    "validation.final_games=400",
)
_TRIAL_BUDGET = (
    "stop.total_pieces=2000000",
    "games.count=5",
    "validation.games=60",
    "validation.finalists=2",
    "validation.final_games=200",
)
_QUICK_SETTINGS = (
    "games.count=2",
    "games.halving_rounds=1",
    "validation.every=3",
    "validation.games=10",
    "validation.finalists=2",
)
_QUICK_BUDGET = ("stop.total_pieces=300000", *_QUICK_SETTINGS, "validation.final_games=60")
_QUICK_TRIAL_BUDGET = ("stop.total_pieces=100000", "stop.generations=12", *_QUICK_SETTINGS, "validation.final_games=30")
_SEED_COUNT = 3
_QUICK_SEED_COUNT = 3
_TRIAL_SEED_COUNT = 2
_FRESH_SEED_OFFSET = 100  # added to seeds, so that what was chosen for its luck is measured without it
_BOARD_DIFFERENCE = "10×20, where games are too long to train on; ours are on 10×10"


def format_features_change(features: Sequence[str]) -> str:
    """The change of a recipe that gives weights to these features."""
    return f"agent.features={json.dumps(list(features))}"


def remove_feature(controller: str, feature: str) -> WeightedAgent:
    """A published controller whose weight for a feature is 0."""
    weights = {name: weight for name, weight in load_weighted_agent(controller).weights.items() if name != feature}
    return WeightedAgent(f"{controller} without {feature}", weights)


def measure_greedy_selection(laboratory: MeasurementContext) -> dict[str, Any]:
    """Features added one by one, each time the one with which most is learnt in a small budget of pieces.

    Every step is then trained again with other seeds and the whole budget.
    """
    trial, whole = (
        (_QUICK_TRIAL_BUDGET, (*_FULL_BUDGET, *_QUICK_BUDGET)) if laboratory.is_quick else (_TRIAL_BUDGET, _FULL_BUDGET)
    )
    trials, seeds = (1, _QUICK_SEED_COUNT) if laboratory.is_quick else (_TRIAL_SEED_COUNT, _SEED_COUNT)
    chosen: list[str] = []
    steps: list[dict[str, Any]] = []
    while len(chosen) < len(GABILLON_FEATURES):
        laboratory.observer.on_seed_begin(len(chosen), len(GABILLON_FEATURES))
        left = [feature for feature in GABILLON_FEATURES if feature not in chosen]
        tried = {
            feature: train_with_features(laboratory, "trial", (*chosen, feature), 0, trials, trial) for feature in left
        }
        chosen.append(max(left, key=lambda feature: float(np.mean(tried[feature]))))
        again = train_with_features(laboratory, "step", chosen, _FRESH_SEED_OFFSET, seeds, whole)
        steps.append({"feature": chosen[-1], "tried": tried, "lines": again})
    return {"steps": steps}


def train_with_features(
    laboratory: MeasurementContext, name: str, features: Sequence[str], first: int, seeds: int, changes: Sequence[str]
) -> list[float]:
    """What every seed's training of these features comes to in held-out games."""
    changed = (format_features_change(features), *changes)
    folder = f"{name}-{'+'.join(features)}"
    first += laboratory.seed
    runs = [summarise_run(laboratory.train("cma-dt", folder, seed, changed)) for seed in range(first, first + seeds)]
    return [float(run["result"]["uncorrected"]["lines"]["mean"]) for run in runs]


def make_removal_reader(controller: str, feature: str) -> ValueReader:
    """How many times the whole controller's lines are left without a feature, the other weights as they are."""
    return make_ratio_reader(make_mean_reader(f"{controller}-without-{feature}"), make_mean_reader(controller))


def make_retraining_reader(feature: str) -> ValueReader:
    """How many times the lines of all nine are learnt without a feature."""
    return make_ratio_reader(make_seed_mean_reader(f"without-{feature}"), make_seed_mean_reader("nine"))


def compute_step_means(results: MeasurementResults) -> list[MeasuredValue]:
    """Lines after each feature that was added, over seeds."""
    found = []
    for step in results["greedy"]["steps"]:
        lines = np.array(step["lines"])
        found.append(
            MeasuredValue(float(lines.mean()), compute_mean_interval(lines), basis=format_count(len(lines), "seed"))
        )
    return found


def describe_dispensable_features(results: MeasurementResults) -> str:
    """Which feature can be left out if the other weights are learnt anew."""
    found = {feature: make_retraining_reader(feature)(results) for feature in GABILLON_FEATURES}
    missed = sorted(
        (name for name in GABILLON_FEATURES if found[name].interval[1] < 1), key=lambda name: found[name].value or 0
    )
    spare = [format_name(name) for name in GABILLON_FEATURES if name not in missed]
    told = ", ".join(f"{format_name(name)} ({found[name].formatted} the lines)" for name in missed)
    first = f"Missed, when all others are learnt anew: {told}" if missed else "No feature is missed beyond doubt"
    return f"{first}. " + (f"Without {join_names(spare)} no loss was found." if spare else "None can be left out.")


def describe_weight_adaptation(results: MeasurementResults) -> str:
    """Whether weights that may adapt make up for a feature."""
    pairs = {
        feature: (make_removal_reader("dt20", feature)(results), make_retraining_reader(feature)(results))
        for feature in GABILLON_FEATURES
    }
    better = [name for name, (fixed, new) in pairs.items() if new.interval[0] > fixed.interval[1]]
    worst = min(GABILLON_FEATURES, key=lambda name: pairs[name][0].value or 0)
    fixed, new = pairs[worst]
    return (
        f"For {len(better)} of {len(GABILLON_FEATURES)} features more is left, beyond both intervals, if the others are learnt "
        f"anew. With the others kept, dt20 misses {format_name(worst)} most ({fixed.formatted} the lines); learnt anew it is "
        f"{new.formatted}. So a weight's size, or what is lost when it is set to 0, is not what its feature is worth."
        if better
        else "For no feature is more left, beyond both intervals, if the other weights are learnt anew."
    )


def describe_sufficient_features(results: MeasurementResults) -> str:
    """From how many features on further ones no longer help."""
    found, names = compute_step_means(results), [format_name(step["feature"]) for step in results["greedy"]["steps"]]
    whole, gaps = found[-1], [compute_ratio(found[-1], ours) for ours in found]
    number = next(place for place, gap in enumerate(gaps, 1) if gap.interval[0] <= 1)
    told = f"With {join_names(names[:number])}, {found[number - 1].formatted} lines are learnt"
    if number == len(found):
        return f"{told}: with one feature fewer it was less, so that none of them is idle."
    return f"{told}, with all {len(names)} {whole.formatted}: from {number} on no further gain was found."


def describe_hole_weights(results: MeasurementResults) -> str:
    """What holes are worth, which the DT weights reward."""
    weights = {name: float(np.asarray(load_weighted_agent(name).weights["holes"])) for name in ("dt10", "dt20")}
    anew, fixed = make_retraining_reader("holes")(results), make_removal_reader("dt20", "holes")(results)
    told = ", ".join(f"{name} {weight:+g}" for name, weight in weights.items()).replace("-", "−")
    verdict = "less than with them" if anew.interval[1] < 1 else "no less than with them, as far as the seeds can tell"
    return (
        f"Their weights for a hole are {told}. Without it, dt20 has {fixed.formatted} its lines, and learnt anew without "
        f"holes the others reach {anew.formatted} the lines of all nine, {verdict}. Rows with holes, hole depth and column "
        "transitions see holes too, so that this weight may only correct theirs."
    )


def draw_feature_removal(controller: str, results: MeasurementResults, size: "FigureSize") -> "Figure":
    """A controller without each of its features."""
    features = load_weighted_agent(controller).weights
    entries = [
        ForestRow(format_name(feature), make_removal_reader(controller, feature)(results)) for feature in features
    ]
    entries.sort(key=lambda entry: entry.measured.value or 0)
    return draw_forest_plot(size, f"Times {controller}'s lines", "10×10", entries)


def draw_retraining(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """What is learnt without each feature."""
    entries = [
        ForestRow(format_name(feature), make_retraining_reader(feature)(results)) for feature in GABILLON_FEATURES
    ]
    entries.sort(key=lambda entry: entry.measured.value or 0)
    return draw_forest_plot(size, "Times the lines of all nine", "10×10", entries)


def draw_greedy_steps(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Lines after each feature that was added."""
    names = [format_name(step["feature"]) for step in results["greedy"]["steps"]]
    labels = [f"{number}: {'+ ' if number > 1 else ''}{name}" for number, name in enumerate(names, 1)]
    entries = [ForestRow(label, ours) for label, ours in zip(labels, compute_step_means(results), strict=True)]
    return draw_forest_plot(size, "Lines a game", "10×10", entries)


def make_feature_table(results: MeasurementResults) -> list[list[str]]:
    """Every feature: kept weights and weights learnt anew."""
    du = load_weighted_agent("du").weights
    return [
        [
            format_name(feature),
            make_removal_reader("dt20", feature)(results).formatted,
            make_removal_reader("du", feature)(results).formatted if feature in du else "not in it",
            make_retraining_reader(feature)(results).formatted,
        ]
        for feature in GABILLON_FEATURES
    ]


def make_feature_set_table(results: MeasurementResults) -> list[list[str]]:
    """Sets of features of the literature, learnt with the same budget."""
    rows = []
    for name, words in FEATURE_SET_LABELS.items():
        ours = compute_mean_over_seeds(results[name])
        best = max(run["result"]["uncorrected"]["lines"]["mean"] for run in results[name]["runs"])
        rows.append([words, str(len(FEATURE_SETS[name])), ours.formatted, format_number(best), ours.basis])
    return rows


def make_greedy_step_table(results: MeasurementResults) -> list[list[str]]:
    """Every step, and what had been the second choice."""
    rows, found = [], compute_step_means(results)
    for number, (step, ours) in enumerate(zip(results["greedy"]["steps"], found, strict=True), 1):
        others = [feature for feature in step["tried"] if feature != step["feature"]]
        second = max(others, key=lambda feature: float(np.mean(step["tried"][feature])), default="")
        gap = compute_ratio(ours, found[number - 2]).formatted if number > 1 else "–"
        rows.append([str(number), format_name(step["feature"]), ours.formatted, gap, format_name(second) or "–"])
    return rows


_FEATURE_SET_CLAIMS = [
    (
        "hole depth and rows with holes improve on Dellacherie's six features",
        "Thiery and Scherrer 2009",
        ("without-diversity", "six"),
    ),
    ("diversity improves on these eight", "Gabillon et al. 2013", ("nine", "without-diversity")),
    ("Dellacherie's six do better than Bertsekas' 21", "Thiery and Scherrer 2009", ("six", "bertsekas")),
    ("Dellacherie's six do better than four simple ones", "our own comparison", ("six", "four")),
]

ABLATION_PAPER = Paper(
    name="ablation",
    title="What each feature is worth",
    source="Our own question, on the features of the literature",
    description="A controller weighs features of the board. Each is taken out of published weights, left out of training, "
    "and added one by one, always with the same budget of pieces.",
    rules="standard-10x10: pieces drawn uniformly, straight drops, ten rows, so that every game ends",
    measurements=[
        *(
            GameMeasurement(name, name, games=6000, quick_games=400, rules="standard-10x10")
            for name in ABLATED_CONTROLLERS
        ),
        *(
            GameMeasurement(
                f"{name}-without-{feature}",
                remove_feature(name, feature),
                games=4000,
                quick_games=150,
                rules="standard-10x10",
            )
            for name in ABLATED_CONTROLLERS
            for feature in load_weighted_agent(name).weights
        ),
        *(
            TrainingMeasurement(
                name,
                "cma-dt",
                _SEED_COUNT,
                _QUICK_SEED_COUNT,
                (format_features_change(features), *_FULL_BUDGET),
                _QUICK_BUDGET,
            )
            for name, features in FEATURE_SETS.items()
        ),
        CustomMeasurement("greedy", measure_greedy_selection),
    ],
    claims=[
        Claim(
            what,
            where,
            PublishedOrdering("better"),
            make_ratio_reader(make_seed_mean_reader(first), make_seed_mean_reader(second)),
            difference_cause="published is what weights clear on twenty rows, ours what one learner makes of the features on ten",
            published_rules=_BOARD_DIFFERENCE,
        )
        for what, where, (first, second) in _FEATURE_SET_CLAIMS
    ],
    questions=[
        OpenQuestion("Which feature can be left out?", "learnt anew without each", describe_dispensable_features),
        OpenQuestion(
            "Do weights that adapt make up for a missing feature?", "kept and learnt anew", describe_weight_adaptation
        ),
        OpenQuestion("When do further features stop helping?", "added one by one", describe_sufficient_features),
        OpenQuestion("Why do the DT weights reward holes?", "Gabillon et al. 2013", describe_hole_weights),
    ],
    figures=[
        *(
            PaperFigure(
                f"kept-{name}",
                f"{name} without a feature",
                "One weight is set to 0 and the others stay as published.",
                partial(draw_feature_removal, name),
            )
            for name in ABLATED_CONTROLLERS
        ),
        PaperFigure(
            "anew", "Learnt without a feature", "All other weights are learnt anew by CMA-ES.", draw_retraining
        ),
        PaperFigure(
            "steps", "Features added one by one", "Each step adds what a short training chose.", draw_greedy_steps
        ),
    ],
    tables=[
        ResultTable(
            "Every feature",
            "Lines without it, as a share of the whole.",
            ("Feature", "dt20, others kept", "du, others kept", "Learnt anew"),
            make_feature_table,
        ),
        ResultTable(
            "Sets of features",
            "The same learner and budget for each.",
            ("Features", "Number", "Lines a game", "The best seed", "Over"),
            make_feature_set_table,
        ),
        ResultTable(
            "Added one by one",
            "Which comes next is chosen by short trainings; the lines are those of longer ones with other seeds.",
            ("Step", "Added", "Lines a game", "Times the step before", "Second choice"),
            make_greedy_step_table,
        ),
    ],
    notes=[
        "Intervals of what is learnt are over seeds, of published weights over games.",
        "Training stops after the generation with which so many pieces have been placed, so that features with which "
        "games are short get more generations for them, up to a hundred.",
    ],
)
