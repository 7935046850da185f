"""The value of each feature: removed from published weights, left out of training, and added one by one."""

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

ABLATED_CONTROLLERS = ("dt20", "du")  # one feature at a time is removed from their weights
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
_FRESH_SEED_OFFSET = 100  # added to seeds, so that the final training does not reuse the seeds of the selection
_BOARD_DIFFERENCE = "10×20, where games are too long to train on; ours are on 10×10"


def format_features_change(features: Sequence[str]) -> str:
    """Return the recipe change that sets the features of the agent."""
    return f"agent.features={json.dumps(list(features))}"


def remove_feature(controller: str, feature: str) -> WeightedAgent:
    """Return a published controller without one of its features."""
    weights = {name: weight for name, weight in load_weighted_agent(controller).weights.items() if name != feature}
    return WeightedAgent(f"{controller} without {feature}", weights)


def measure_greedy_selection(context: MeasurementContext) -> dict[str, Any]:
    """Add features one by one, each time the one that gives the most lines after a short training.

    Every step is then trained again with other seeds and the full budget.
    """
    quick = context.is_quick
    trial_budget = _QUICK_TRIAL_BUDGET if quick else _TRIAL_BUDGET
    full_budget = (*_FULL_BUDGET, *_QUICK_BUDGET) if quick else _FULL_BUDGET
    trial_seeds = range(1 if quick else _TRIAL_SEED_COUNT)
    first_seed = _FRESH_SEED_OFFSET
    step_seeds = range(first_seed, first_seed + (_QUICK_SEED_COUNT if quick else _SEED_COUNT))
    chosen: list[str] = []
    steps: list[dict[str, Any]] = []
    while len(chosen) < len(GABILLON_FEATURES):
        remaining = [feature for feature in GABILLON_FEATURES if feature not in chosen]
        trials = {
            feature: train_with_features(context, "trial", (*chosen, feature), trial_seeds, trial_budget)
            for feature in remaining
        }
        chosen.append(max(remaining, key=lambda feature: float(np.mean(trials[feature]))))
        lines = train_with_features(context, "step", chosen, step_seeds, full_budget)
        steps.append({"feature": chosen[-1], "tried": trials, "lines": lines})
    return {"steps": steps}


def train_with_features(
    context: MeasurementContext, name: str, features: Sequence[str], seeds: range, changes: Sequence[str]
) -> list[float]:
    """Train weights for the features and return the mean lines in held-out games, one per seed.

    `seeds` are added to the seed of the context.
    """
    all_changes = (format_features_change(features), *changes)
    folder = f"{name}-{'+'.join(features)}"
    runs = [summarise_run(context.train("cma-dt", folder, context.seed + seed, all_changes)) for seed in seeds]
    return [float(run["result"]["uncorrected"]["lines"]["mean"]) for run in runs]


def make_removal_reader(controller: str, feature: str) -> ValueReader:
    """Return a reader of the share of the lines that is left without a feature, other weights unchanged."""
    return make_ratio_reader(make_mean_reader(f"{controller}-without-{feature}"), make_mean_reader(controller))


def make_retraining_reader(feature: str) -> ValueReader:
    """Return a reader of the lines learnt without a feature, as a ratio to those learnt with all nine."""
    return make_ratio_reader(make_seed_mean_reader(f"without-{feature}"), make_seed_mean_reader("nine"))


def compute_step_means(results: MeasurementResults) -> list[MeasuredValue]:
    """Return the mean lines over seeds after each added feature."""
    means = []
    for step in results["greedy"]["steps"]:
        lines = np.array(step["lines"])
        means.append(
            MeasuredValue(float(lines.mean()), compute_mean_interval(lines), basis=format_count(len(lines), "seed"))
        )
    return means


def describe_dispensable_features(results: MeasurementResults) -> str:
    """Describe which features can be left out if the other weights are retrained."""
    ratios = {feature: make_retraining_reader(feature)(results) for feature in GABILLON_FEATURES}
    needed = sorted(
        (name for name in GABILLON_FEATURES if ratios[name].interval[1] < 1), key=lambda name: ratios[name].value or 0
    )
    spare = [format_name(name) for name in GABILLON_FEATURES if name not in needed]
    losses = ", ".join(f"{format_name(name)} ({ratios[name].formatted} the lines)" for name in needed)
    first = f"Lines are lost without these, even after retraining: {losses}" if needed else "No loss is certain"
    return f"{first}. " + (f"Without {join_names(spare)}, no loss was found." if spare else "None can be left out.")


def describe_weight_adaptation(results: MeasurementResults) -> str:
    """Describe whether retraining the other weights compensates for a missing feature."""
    pairs = {
        feature: (make_removal_reader("dt20", feature)(results), make_retraining_reader(feature)(results))
        for feature in GABILLON_FEATURES
    }
    better = [name for name, (fixed, retrained) in pairs.items() if retrained.interval[0] > fixed.interval[1]]
    worst = min(GABILLON_FEATURES, key=lambda name: pairs[name][0].value or 0)
    fixed, retrained = pairs[worst]
    if not better:
        return "For no feature does retraining the other weights give more lines than leaving them unchanged."
    return (
        f"For {len(better)} of {len(GABILLON_FEATURES)} features, retraining the other weights gives more lines "
        "than leaving them unchanged (the intervals do not overlap). With the other weights unchanged, dt20 loses "
        f"most without {format_name(worst)} ({fixed.formatted} the lines); retrained, it reaches "
        f"{retrained.formatted} the lines of all nine features. So neither the size of a weight nor the loss "
        "when it is set to 0 measures the value of its feature."
    )


def describe_sufficient_features(results: MeasurementResults) -> str:
    """Describe after how many features further ones no longer help."""
    means = compute_step_means(results)
    names = [format_name(step["feature"]) for step in results["greedy"]["steps"]]
    gaps = [compute_ratio(means[-1], mean) for mean in means]
    count = next(number for number, gap in enumerate(gaps, 1) if gap.interval[0] <= 1)
    text = f"With {join_names(names[:count])}, training reaches {means[count - 1].formatted} lines"
    if count == len(means):
        return f"{text}: with one feature fewer it reaches less, so all of them contribute."
    return f"{text}; with all {len(names)}, {means[-1].formatted}: beyond {count} features, no further gain was found."


def describe_hole_weights(results: MeasurementResults) -> str:
    """Describe the value of the holes feature, whose weight is positive in the DT controllers."""
    weights = {name: float(np.asarray(load_weighted_agent(name).weights["holes"])) for name in ("dt10", "dt20")}
    retrained, fixed = make_retraining_reader("holes")(results), make_removal_reader("dt20", "holes")(results)
    weight_list = ", ".join(f"{name} {weight:+g}" for name, weight in weights.items()).replace("-", "−")
    is_less = retrained.interval[1] < 1
    verdict = "less than with holes" if is_less else "not measurably less than with holes"
    return (
        f"Their weights per hole are {weight_list}. Without this weight, dt20 clears {fixed.formatted} its lines; "
        f"retrained without holes, the other features reach {retrained.formatted} the lines of all nine, {verdict}. "
        "Rows with holes, hole depth and column transitions also depend on holes, so this weight may only correct "
        "theirs."
    )


def draw_feature_removal(controller: str, results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the lines of a controller without each of its features, relative to the whole controller."""
    features = load_weighted_agent(controller).weights
    entries = [
        ForestRow(format_name(feature), make_removal_reader(controller, feature)(results)) for feature in features
    ]
    entries.sort(key=lambda entry: entry.measured.value or 0)
    return draw_forest_plot(size, f"Lines relative to {controller}", "10×10", entries)


def draw_retraining(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the lines learnt without each feature, relative to all nine features."""
    entries = [
        ForestRow(format_name(feature), make_retraining_reader(feature)(results)) for feature in GABILLON_FEATURES
    ]
    entries.sort(key=lambda entry: entry.measured.value or 0)
    return draw_forest_plot(size, "Lines relative to all nine features", "10×10", entries)


def draw_greedy_steps(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game after each added feature."""
    names = [format_name(step["feature"]) for step in results["greedy"]["steps"]]
    labels = [f"{number}: {'+ ' if number > 1 else ''}{name}" for number, name in enumerate(names, 1)]
    entries = [ForestRow(label, ours) for label, ours in zip(labels, compute_step_means(results), strict=True)]
    return draw_forest_plot(size, "Lines per game", "10×10", entries)


def make_feature_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per feature: lines without it, with unchanged and with retrained weights."""
    du = load_weighted_agent("du").weights
    return [
        [
            format_name(feature),
            make_removal_reader("dt20", feature)(results).formatted,
            make_removal_reader("du", feature)(results).formatted if feature in du else "not used",
            make_retraining_reader(feature)(results).formatted,
        ]
        for feature in GABILLON_FEATURES
    ]


def make_feature_set_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per feature set of the literature, all trained with the same budget."""
    rows = []
    for name, label in FEATURE_SET_LABELS.items():
        ours = compute_mean_over_seeds(results[name])
        best = max(run["result"]["uncorrected"]["lines"]["mean"] for run in results[name]["runs"])
        rows.append([label, str(len(FEATURE_SETS[name])), ours.formatted, format_number(best), ours.basis])
    return rows


def make_greedy_step_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per step of the greedy selection, with the second choice."""
    rows, means = [], compute_step_means(results)
    for number, (step, ours) in enumerate(zip(results["greedy"]["steps"], means, strict=True), 1):
        others = [feature for feature in step["tried"] if feature != step["feature"]]
        second = max(others, key=lambda feature: float(np.mean(step["tried"][feature])), default="")
        gap = compute_ratio(ours, means[number - 2]).formatted if number > 1 else "–"
        rows.append([str(number), format_name(step["feature"]), ours.formatted, gap, format_name(second) or "–"])
    return rows


_FEATURE_SET_CLAIMS = [
    (
        "hole depth and rows with holes improve on Dellacherie's six features",
        "Thiery and Scherrer 2009",
        ("without-diversity", "six"),
    ),
    ("diversity improves on these eight features", "Gabillon et al. 2013", ("nine", "without-diversity")),
    ("Dellacherie's six features do better than Bertsekas' 21", "Thiery and Scherrer 2009", ("six", "bertsekas")),
    ("Dellacherie's six features do better than four simple ones", "our own comparison", ("six", "four")),
]

ABLATION_PAPER = Paper(
    name="ablation",
    title="The value of each feature",
    source="Our own question about the features of the literature",
    description="A controller weights features of the board. Each feature is removed from published weights, left out "
    "of training, and added one by one, always with the same budget of pieces.",
    rules="standard-10x10: pieces drawn uniformly, hard drops only, ten rows, so that every game ends",
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
            statement,
            location,
            PublishedOrdering("better"),
            make_ratio_reader(make_seed_mean_reader(first), make_seed_mean_reader(second)),
            difference_cause="the published results are those of weights on twenty rows; ours are those of one learner "
            "that trains weights for these features on ten rows",
            published_rules=_BOARD_DIFFERENCE,
        )
        for statement, location, (first, second) in _FEATURE_SET_CLAIMS
    ],
    questions=[
        OpenQuestion("Which feature can be left out?", "retrained without each", describe_dispensable_features),
        OpenQuestion(
            "Can the other weights compensate for a missing feature?",
            "unchanged and retrained weights",
            describe_weight_adaptation,
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
            "anew", "Retrained without a feature", "All other weights are retrained by CMA-ES.", draw_retraining
        ),
        PaperFigure(
            "steps",
            "Features added one by one",
            "Each step adds the feature that was best in short training runs.",
            draw_greedy_steps,
        ),
    ],
    tables=[
        ResultTable(
            "All features",
            "Lines without the feature, as a multiple of the lines with all features.",
            ("Feature", "dt20, other weights unchanged", "du, other weights unchanged", "Retrained"),
            make_feature_table,
        ),
        ResultTable(
            "Feature sets",
            "All sets were trained by the same learner with the same budget.",
            ("Features", "Number", "Lines per game", "Best seed", "Seeds"),
            make_feature_set_table,
        ),
        ResultTable(
            "Added one by one",
            "The next feature is chosen by short training runs; the lines are those of longer runs with other seeds.",
            ("Step", "Added", "Lines per game", "Ratio to the previous step", "Second choice"),
            make_greedy_step_table,
        ),
    ],
    notes=[
        "Intervals of trained weights are over seeds; intervals of published weights are over games.",
        "Training stops after the generation in which the budget of pieces is used up. Feature sets with short games "
        "therefore get more generations, up to a hundred.",
    ],
)
