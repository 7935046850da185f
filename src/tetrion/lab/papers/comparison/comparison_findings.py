"""Findings of the comparison of learners: means over seeds, ratios with intervals, answers, and figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import get_series_colour
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_name, format_number, format_percent
from tetrion.lab.reproduction.measured_values import ValueReader, compute_ratio, join_names
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above
from tetrion.lab.reproduction.rank_correlation import compute_rank_correlation
from tetrion.lab.reproduction.reproduction_figures import CategoryChart, ForestRow, draw_forest_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

_CURVE_POINTS = 24  # points per learning curve
_MIN_SEEDS = 3  # fewest seeds from which an interval is computed
EQUAL_LINES_SHARE = 0.9  # a learner with at least this share of the lines of another is as good
_UNLEARNT_SHARE = 0.5  # a run whose last validated lines are below this share of its best has unlearnt

_FloatArray = np.ndarray[Any, Any]


class ComparedLearner(NamedTuple):
    """A row of a comparison: a training, and the member of its crowd that is compared (empty: the run's result)."""

    training_name: str
    crowd_member: str = ""


class LearnerComparison(NamedTuple):
    """A feature set, the budget of pieces per learner, and the learners that are compared with it."""

    name: str  # prefix of its measurement names
    label: str
    features: Sequence[str]
    piece_budget: int
    quick_piece_budget: int
    learners: Mapping[str, ComparedLearner]

    @property
    def feature_list(self) -> str:
        """The feature names, separated by commas."""
        return ", ".join(map(format_name, self.features))

    def get_data(self, results: MeasurementResults, learner: str) -> Mapping[str, Any]:
        """Return the measured data of a learner."""
        data: Mapping[str, Any] = results[f"{self.name}-{self.learners[learner].training_name}"]
        return data

    def get_lines(self, results: MeasurementResults, *learners: str) -> _FloatArray:
        """Return the mean lines per game in held-out games of every seed of the given learners."""
        return np.concatenate([self.get_seed_lines(results, learner) for learner in learners])

    def get_seed_lines(self, results: MeasurementResults, learner: str) -> _FloatArray:
        """Return the mean lines per game in held-out games of every seed of one learner."""
        member = self.learners[learner].crowd_member
        runs = [run["result"] for run in self.get_data(results, learner)["runs"]]
        return np.array([run["crowd"][member] if member else run["uncorrected"]["lines"]["mean"] for run in runs])

    def find_budget(self, results: MeasurementResults) -> int:
        """Return the budget of pieces: the full one if a run has used it up, else that of a quick reproduction."""
        pieces = [
            run["metrics"]["pieces"] for learner in self.learners for run in self.get_data(results, learner)["runs"]
        ]
        return self.piece_budget if max(map(sum, pieces)) >= self.piece_budget else self.quick_piece_budget

    def compute_mean(self, results: MeasurementResults, learner: str) -> MeasuredValue:
        """Return the mean over the seeds of a learner."""
        return compute_seed_mean(self.get_lines(results, learner))


def compute_seed_mean(values: _FloatArray) -> MeasuredValue:
    """Return the mean over seeds with its interval; two seeds are too few for an interval."""
    return MeasuredValue(
        float(values.mean()),
        compute_mean_interval(values),
        standard_deviation=float(values.std()),
        basis=format_count(len(values), "seed"),
    )


def compute_learner_ratio(first: _FloatArray, second: _FloatArray) -> MeasuredValue:
    """Return the ratio of the mean lines of two learners; without an interval if one has too few seeds."""
    basis = f"{len(first):,} seeds against {len(second):,}"
    ratio = compute_ratio(compute_seed_mean(first), compute_seed_mean(second))
    has_interval = min(len(first), len(second)) >= _MIN_SEEDS
    return MeasuredValue(ratio.value, ratio.ci95 if has_interval else None, basis=basis)


def compute_paired_ratio(first: _FloatArray, second: _FloatArray) -> MeasuredValue:
    """Return the mean over runs of the ratio of the lines of two agents from the same run."""
    if not second.all():
        return MeasuredValue(basis="unknown: one of them clears no lines")
    return MeasuredValue(
        float((first / second).mean()), compute_mean_interval(first / second), basis=format_count(len(first), "run")
    )


def is_above_one(ratio: MeasuredValue) -> bool:
    """Return whether the whole interval is above 1."""
    return ratio.ci95 is not None and ratio.ci95[0] > 1


def is_below_one(ratio: MeasuredValue) -> bool:
    """Return whether the whole interval is below 1."""
    return ratio.ci95 is not None and ratio.ci95[1] < 1


def describe_ratio(ratio: MeasuredValue) -> str:
    """Describe whether a ratio means more lines, fewer lines or no difference."""
    if ratio.value is None or ratio.ci95 is None:
        return "the difference is not known"
    return "more" if is_above_one(ratio) else "fewer" if is_below_one(ratio) else "no difference found"


def make_ratio_statement(ratio: MeasuredValue, bound: float = 1) -> MeasuredValue:
    """Return a ratio of lines as the measured value of the statement that it is above a bound."""
    holds = None if ratio.ci95 is None else decide_above(ratio.ci95, bound)
    text = f"{ratio.formatted} times the lines: {describe_ratio(ratio)}"
    return MeasuredValue(holds=holds, text=text, basis=ratio.basis, evidence=describe_position(ratio, holds, bound))


def describe_position(ratio: MeasuredValue, holds: bool | None, bound: float) -> str:
    """Describe where the interval of a ratio lies relative to a bound."""
    if ratio.ci95 is None:
        return "there are too few seeds for a confidence interval"
    if holds is None:
        return f"the interval contains {bound:g}, so it does not decide"
    return f"the whole interval is {'above' if holds else 'below'} {bound:g}"


def make_better_check(comparison: LearnerComparison, first: Sequence[str], second: Sequence[str]) -> ValueReader:
    """Return a check whether the first learners clear more lines than the second."""

    def check(results: MeasurementResults) -> MeasuredValue:
        first_lines, second_lines = (comparison.get_lines(results, *learners) for learners in (first, second))
        return make_ratio_statement(compute_learner_ratio(first_lines, second_lines))

    return check


def make_not_worse_check(comparison: LearnerComparison, first: str, second: str) -> ValueReader:
    """Return a check whether a learner clears at least 90 % of the lines of another."""

    def check(results: MeasurementResults) -> MeasuredValue:
        ratio = compute_learner_ratio(comparison.get_lines(results, first), comparison.get_lines(results, second))
        return make_ratio_statement(ratio, EQUAL_LINES_SHARE)

    return check


def make_crowd_better_check(comparison: LearnerComparison, crowd: str, member: str) -> ValueReader:
    """Return a check whether a crowd clears more lines than one of its members, paired by run."""

    def check(results: MeasurementResults) -> MeasuredValue:
        crowd_lines = comparison.get_lines(results, crowd)
        member_lines = get_member_lines(comparison, results, crowd, member)
        return make_ratio_statement(compute_paired_ratio(crowd_lines, member_lines))

    return check


def make_crowd_beaten_check(comparison: LearnerComparison, crowd: str, member: str) -> ValueReader:
    """Return a check whether a member is better than the crowd in at least one run."""

    def check(results: MeasurementResults) -> MeasuredValue:
        beaten = int(
            (get_member_lines(comparison, results, crowd, member) > comparison.get_lines(results, crowd)).sum()
        )
        runs = len(comparison.get_lines(results, crowd))
        text = f"in {beaten} of {format_count(runs, 'run')}"
        evidence = "it also happens here" if beaten else "it does not happen in any run here"
        return MeasuredValue(holds=beaten > 0, text=text, evidence=evidence)

    return check


def make_unlearning_check(comparison: LearnerComparison, learner: str) -> ValueReader:
    """Return a check whether the last incumbent of a run is much worse than the best one that was validated."""

    def check(results: MeasurementResults) -> MeasuredValue:
        shares = [
            compute_last_to_best_ratio(run["metrics"]["validation"])
            for run in comparison.get_data(results, learner)["runs"]
        ]
        unlearnt = sum(share < _UNLEARNT_SHARE for share in shares)
        runs = format_count(len(shares), "run")
        text = f"in {unlearnt} of {runs} the last incumbent clears less than half of the lines of the best"
        evidence = "it also happens here" if unlearnt else "it does not happen in any run here"
        return MeasuredValue(holds=unlearnt > 0, text=text, basis="both in the validation games", evidence=evidence)

    return check


def compute_last_to_best_ratio(validation_scores: Sequence[float | None]) -> float:
    """Return the lines of the last validated incumbent divided by those of the best; 1 if none was validated."""
    known = [value for value in validation_scores if value is not None and np.isfinite(value)]
    return known[-1] / max(known) if known and max(known) > 0 else 1.0


def get_member_lines(
    comparison: LearnerComparison, results: MeasurementResults, crowd: str, member: str
) -> _FloatArray:
    """Return the lines of a member of a crowd, one value per run."""
    return np.array([run["result"]["crowd"][member] for run in comparison.get_data(results, crowd)["runs"]])


def rank_learners(comparison: LearnerComparison, results: MeasurementResults) -> list[str]:
    """Return the learners, sorted by mean lines, best first."""
    return sorted(comparison.learners, key=lambda learner: -float(comparison.get_lines(results, learner).mean()))


def describe_best_learner(comparison: LearnerComparison, results: MeasurementResults) -> str:
    """Describe which learner clears the most lines, and for which others no difference from it was found."""
    first, *others = rank_learners(comparison, results)
    compared = {
        learner: compute_learner_ratio(comparison.get_lines(results, learner), comparison.get_lines(results, first))
        for learner in others
    }
    equal = [learner for learner, ratio in compared.items() if not is_below_one(ratio)]
    worse = [learner for learner, ratio in compared.items() if is_below_one(ratio)]
    ours = comparison.compute_mean(results, first)
    text = f"With {comparison.label}, {first} clears the most lines ({ours.formatted} per game, {ours.basis})"
    if not equal:
        return f"{text}, more than all others."
    text = f"{text}; no difference from it was found for {join_names(equal)}"
    return (
        f"{text}, while {join_names(worse)} {'clears' if len(worse) == 1 else 'clear'} fewer." if worse else f"{text}."
    )


def describe_seed_variation(comparison: LearnerComparison, results: MeasurementResults) -> str:
    """Describe how much the seeds of one learner differ, compared with how much learners differ."""
    spreads = [compute_seed_spread(comparison.get_lines(results, learner)) for learner in comparison.learners]
    order = rank_learners(comparison, results)
    best, worst = (float(comparison.get_lines(results, learner).mean()) for learner in (order[0], order[-1]))
    return (
        f"With {comparison.label}, the best seed of a learner clears {format_number(float(np.median(spreads)))} times "
        f"the lines of its worst seed (median over learners; range {format_number(min(spreads))} to "
        f"{format_number(max(spreads))}). The mean of the best learner is {format_number(best / max(worst, 1e-9))} "
        "times that of the worst."
    )


def compute_seed_spread(values: _FloatArray) -> float:
    """Return the lines of the best seed divided by those of the worst."""
    return float(values.max() / max(values.min(), 1e-9))


def describe_order_change(first: LearnerComparison, second: LearnerComparison, results: MeasurementResults) -> str:
    """Describe whether two feature sets give the same order of learners, and how much the feature sets matter."""
    shared = [learner for learner in first.learners if learner in second.learners]
    correlation = compute_rank_correlation(
        *(
            np.array([comparison.compute_mean(results, learner).value or 0 for learner in shared])
            for comparison in (first, second)
        )
    )
    best = [
        max(float(comparison.get_lines(results, learner).mean()) for learner in shared)
        for comparison in (first, second)
    ]
    order = "nearly the same" if correlation > 0.7 else "reversed" if correlation < -0.7 else "different"
    return (
        f"The order of the {len(shared)} learners in both comparisons is {order}: the rank correlation is "
        f"{format_number(correlation, 2)} (1: the same order; 0: no relation). The best of them clears "
        f"{format_number(best[0])} lines with {first.label} and {format_number(best[1])} with {second.label}, "
        f"{format_number(best[1] / max(best[0], 1e-9))} times as many."
    )


def describe_crowd_difference(
    comparison: LearnerComparison, results: MeasurementResults, first: str, second: str
) -> str:
    """Describe whether one kind of crowd is better than another, paired by run."""
    ratio = compute_paired_ratio(comparison.get_lines(results, first), comparison.get_lines(results, second))
    if ratio.ci95 is None or not (is_above_one(ratio) or is_below_one(ratio)):
        verdict = "no difference was found" if ratio.ci95 is not None else "the difference is not known"
    else:
        verdict = f"the consensus clears {describe_ratio(ratio)} lines"
    return f"With {comparison.label}, {verdict}: {ratio.formatted} times the lines of the mean ({ratio.basis})."


def make_learner_table(comparison: LearnerComparison, results: MeasurementResults) -> list[list[str]]:
    """Return one row per learner, best first."""
    return [make_learner_row(comparison, results, learner) for learner in rank_learners(comparison, results)]


def make_learner_row(comparison: LearnerComparison, results: MeasurementResults, learner: str) -> list[str]:
    """Return the table row of a learner."""
    data, lines = comparison.get_data(results, learner), comparison.get_lines(results, learner)
    steps = [run["metrics"]["pieces"] for run in data["runs"]]
    used = float(np.mean([sum(pieces) for pieces in steps]))
    return [
        learner,
        compute_seed_mean(lines).formatted,
        format_number(float(lines.min())),
        format_number(float(lines.max())),
        format_number(used, 0),
        format_percent(max(used / comparison.find_budget(results) - 1, 0)),
        format_number(float(np.mean([len(pieces) for pieces in steps])), 0),
        format_number(float(np.mean(data["time"]["seconds"]))),
    ]


def draw_learners(comparison: LearnerComparison, results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the mean lines of every learner with the interval over seeds."""
    entries = [
        ForestRow(learner, comparison.compute_mean(results, learner)) for learner in rank_learners(comparison, results)
    ]
    legend = "Dot: mean over seeds, with its 95 % confidence interval"
    return draw_forest_plot(size, "Lines per game", comparison.label, entries, legend)


def draw_learning_curves(
    comparison: LearnerComparison, learners: Sequence[str], results: MeasurementResults, size: "FigureSize"
) -> "Figure":
    """Draw lines in validation games against pieces placed, as the mean over seeds."""
    runs = {learner: comparison.get_data(results, learner)["runs"] for learner in learners}
    budget = max(sum(run["metrics"]["pieces"]) for learner_runs in runs.values() for run in learner_runs)
    grid = [budget * (step + 1) / _CURVE_POINTS for step in range(_CURVE_POINTS)]
    digits = 1 if budget >= 5e6 else 2 if budget >= 5e5 else 3
    categories = [f"{format_number(pieces / 1e6, digits)} M" for pieces in grid]
    legend = "By pieces placed during training: the last validated incumbent, mean over seeds"
    chart = CategoryChart(size, "Lines per validation game", comparison.label, categories, legend)
    for number, learner in enumerate(learners):
        chart.draw_line(
            learner,
            np.mean([compute_learning_curve(run["metrics"], grid) for run in runs[learner]], axis=0),
            get_series_colour(number),
        )
    return chart.finish()


def compute_learning_curve(metrics: Mapping[str, Sequence[float | None]], grid: Sequence[float]) -> _FloatArray:
    """Return the lines of the last validated incumbent at each number of pieces; NaN before the first validation."""
    placed = np.cumsum([pieces or 0 for pieces in metrics["pieces"]])
    validated = [
        (pieces, value) for pieces, value in zip(placed, metrics["validation"], strict=True) if value is not None
    ]
    finite = [(pieces, value) for pieces, value in validated if np.isfinite(value)]
    earlier = [[value for pieces, value in finite if pieces <= point] for point in grid]
    return np.array([values[-1] if values else np.nan for values in earlier])
