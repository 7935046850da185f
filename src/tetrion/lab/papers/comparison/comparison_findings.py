"""What the comparison of learners comes to: rows over seeds, ratios with intervals, sentences, and figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import get_series_colour
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_name, format_number, format_percent
from tetrion.lab.reproduction.measured_values import ValueReader, compute_ratio, join_names
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.rank_correlation import compute_rank_correlation
from tetrion.lab.reproduction.reproduction_figures import CategoryChart, ForestRow, draw_forest_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

_CURVE_POINTS = 24  # at which a learning curve is read
_MIN_SEEDS = 3  # seeds that tell how far apart seeds are
_UNLEARNT_SHARE = 0.5  # of the best judged lines: who ends with less has unlearnt

_FloatArray = np.ndarray[Any, Any]


class ComparedLearner(NamedTuple):
    """A learner as it stands in a table: its training, and whom of that run it puts forward; nobody is the result."""

    training_name: str
    crowd_member: str = ""


class LearnerComparison(NamedTuple):
    """A set of features and the budget of everybody who learns with it."""

    name: str  # how its measurements begin
    label: str
    features: Sequence[str]
    piece_budget: int
    quick_piece_budget: int
    learners: Mapping[str, ComparedLearner]

    @property
    def feature_list(self) -> str:
        """The features in words."""
        return ", ".join(map(format_name, self.features))

    def get_data(self, results: MeasurementResults, learner: str) -> Mapping[str, Any]:
        """What was measured of a learner."""
        found: Mapping[str, Any] = results[f"{self.name}-{self.learners[learner].training_name}"]
        return found

    def get_lines(self, results: MeasurementResults, *learners: str) -> _FloatArray:
        """The lines a game of every seed of one learner, or of several together, in held-out games."""
        return np.concatenate([self.get_seed_lines(results, learner) for learner in learners])

    def get_seed_lines(self, results: MeasurementResults, learner: str) -> _FloatArray:
        """The lines a game of every seed of a learner."""
        member, runs = (
            self.learners[learner].crowd_member,
            [run["result"] for run in self.get_data(results, learner)["runs"]],
        )
        return np.array([run["crowd"][member] if member else run["uncorrected"]["lines"]["mean"] for run in runs])

    def find_budget(self, results: MeasurementResults) -> int:
        """The budget that everybody had: the full one if anybody has used it up, else that of a quick reproduction."""
        every = [
            run["metrics"]["pieces"] for learner in self.learners for run in self.get_data(results, learner)["runs"]
        ]
        return self.piece_budget if max(map(sum, every)) >= self.piece_budget else self.quick_piece_budget

    def compute_mean(self, results: MeasurementResults, learner: str) -> MeasuredValue:
        """The mean over a learner's seeds."""
        return compute_seed_mean(self.get_lines(results, learner))


def compute_seed_mean(values: _FloatArray) -> MeasuredValue:
    """The mean of seeds and its interval, which two seeds cannot tell."""
    return MeasuredValue(
        float(values.mean()),
        compute_mean_interval(values),
        standard_deviation=float(values.std()),
        basis=format_count(len(values), "seed"),
    )


def compute_learner_ratio(first: _FloatArray, second: _FloatArray) -> MeasuredValue:
    """How many times the lines of the second the first have; the interval is not known if one has too few seeds."""
    basis = f"{len(first):,} seeds against {len(second):,}"
    found = compute_ratio(compute_seed_mean(first), compute_seed_mean(second))
    known = min(len(first), len(second)) >= _MIN_SEEDS
    return MeasuredValue(found.value, found.ci95 if known else None, basis=basis)


def compute_paired_ratio(first: _FloatArray, second: _FloatArray) -> MeasuredValue:
    """The same for two members of the same runs: the ratios of single runs, and their mean."""
    if not second.all():
        return MeasuredValue(basis="unknown: one of them clears no lines")
    return MeasuredValue(
        float((first / second).mean()), compute_mean_interval(first / second), basis=format_count(len(first), "run")
    )


def is_above_one(found: MeasuredValue) -> bool:
    """Whether it is known to be more than one."""
    return found.ci95 is not None and found.ci95[0] > 1


def is_below_one(found: MeasuredValue) -> bool:
    """Whether it is known to be less than one."""
    return found.ci95 is not None and found.ci95[1] < 1


def describe_ratio(found: MeasuredValue) -> str:
    """What a ratio says in words."""
    if found.value is None or found.ci95 is None:
        return "the difference is not known"
    return "more" if is_above_one(found) else "fewer" if is_below_one(found) else "no difference found"


def make_ratio_statement(found: MeasuredValue, holds: bool, because: str) -> MeasuredValue:
    """A ratio as evidence."""
    words = f"{found.formatted} times the lines: {describe_ratio(found)}"
    return MeasuredValue(holds=holds, text=words, basis=found.basis, evidence=because)


def make_better_check(contest: LearnerComparison, first: Sequence[str], second: Sequence[str]) -> ValueReader:
    """Whether some learners clear more lines than others."""

    def found(results: MeasurementResults) -> MeasuredValue:
        ours = compute_learner_ratio(contest.get_lines(results, *first), contest.get_lines(results, *second))
        return make_ratio_statement(ours, is_above_one(ours), "the whole interval is above 1")

    return found


def make_not_worse_check(contest: LearnerComparison, first: str, second: str) -> ValueReader:
    """Whether a learner clears as many lines as another, as far as seeds can tell."""

    def found(results: MeasurementResults) -> MeasuredValue:
        ours = compute_learner_ratio(contest.get_lines(results, first), contest.get_lines(results, second))
        because = "the whole interval is above 1" if is_above_one(ours) else "the interval does not lie below 1"
        return make_ratio_statement(ours, ours.ci95 is not None and not is_below_one(ours), because)

    return found


def make_crowd_better_check(contest: LearnerComparison, crowd: str, member: str) -> ValueReader:
    """Whether a crowd clears more lines than a member of it, run by run."""

    def found(results: MeasurementResults) -> MeasuredValue:
        ours = compute_paired_ratio(
            contest.get_lines(results, crowd), get_member_lines(contest, results, crowd, member)
        )
        return make_ratio_statement(ours, is_above_one(ours), "the whole interval is above 1")

    return found


def make_crowd_beaten_check(contest: LearnerComparison, crowd: str, member: str) -> ValueReader:
    """Whether a member is better than the crowd in some runs."""

    def found(results: MeasurementResults) -> MeasuredValue:
        beaten = int((get_member_lines(contest, results, crowd, member) > contest.get_lines(results, crowd)).sum())
        runs = len(contest.get_lines(results, crowd))
        words = f"in {beaten} of {format_count(runs, 'run')}"
        return MeasuredValue(holds=beaten > 0, text=words, evidence="it happens here too")

    return found


def make_unlearning_check(contest: LearnerComparison, learner: str) -> ValueReader:
    """Whether the last favourite of a run is much worse than the best one that was judged."""

    def found(results: MeasurementResults) -> MeasuredValue:
        shares = [
            compute_last_to_best_ratio(run["metrics"]["validation"]) for run in contest.get_data(results, learner)["runs"]
        ]
        forgot = sum(share < _UNLEARNT_SHARE for share in shares)
        words = (
            f"in {forgot} of {format_count(len(shares), 'run')} the last favourite clears less than half of the best"
        )
        return MeasuredValue(
            holds=forgot > 0, text=words, basis="both by the games that judge", evidence="it happens here too"
        )

    return found


def compute_last_to_best_ratio(judged: Sequence[float | None]) -> float:
    """The last judged favourite beside the best; 1 if nobody was judged."""
    known = [value for value in judged if value is not None and np.isfinite(value)]
    return known[-1] / max(known) if known and max(known) > 0 else 1.0


def get_member_lines(contest: LearnerComparison, results: MeasurementResults, crowd: str, member: str) -> _FloatArray:
    """The lines of a member of a crowd, run by run."""
    return np.array([run["result"]["crowd"][member] for run in contest.get_data(results, crowd)["runs"]])


def rank_learners(contest: LearnerComparison, results: MeasurementResults) -> list[str]:
    """The learners, the most lines first."""
    return sorted(contest.learners, key=lambda learner: -float(contest.get_lines(results, learner).mean()))


def describe_best_learner(contest: LearnerComparison, results: MeasurementResults) -> str:
    """Which learner clears the most lines, and which ones cannot be told from it."""
    first, *others = rank_learners(contest, results)
    compared = {
        learner: compute_learner_ratio(contest.get_lines(results, learner), contest.get_lines(results, first))
        for learner in others
    }
    alike = [learner for learner, found in compared.items() if not is_below_one(found)]
    below = [learner for learner, found in compared.items() if is_below_one(found)]
    ours = contest.compute_mean(results, first)
    said = f"With {contest.label} {first} clears the most lines ({ours.formatted} a game, {ours.basis})"
    if not alike:
        return f"{said}, more than every other."
    same = f"{said}; no difference to it was found for {join_names(alike)}"
    return (
        f"{same}, while {join_names(below)} {'clears' if len(below) == 1 else 'clear'} fewer." if below else f"{same}."
    )


def describe_seed_variation(contest: LearnerComparison, results: MeasurementResults) -> str:
    """How far apart the seeds of a learner are, beside how far apart learners are."""
    spreads = [compute_seed_spread(contest.get_lines(results, learner)) for learner in contest.learners]
    order = rank_learners(contest, results)
    best, worst = (float(contest.get_lines(results, learner).mean()) for learner in (order[0], order[-1]))
    return (
        f"With {contest.label} the best seed of a learner clears {format_number(float(np.median(spreads)))} times the lines "
        f"of its worst (the median over learners; {format_number(min(spreads))} to {format_number(max(spreads))}), and the best "
        f"learner's mean is {format_number(best / max(worst, 1e-9))} times that of the worst."
    )


def compute_seed_spread(values: _FloatArray) -> float:
    """The best seed over the worst."""
    return float(values.max() / max(values.min(), 1e-9))


def describe_order_change(first: LearnerComparison, second: LearnerComparison, results: MeasurementResults) -> str:
    """Whether the order of learners is the same with other features, and what features are worth beside it."""
    shared = [learner for learner in first.learners if learner in second.learners]
    agreement = compute_rank_correlation(
        *(np.array([of.compute_mean(results, one).value or 0 for one in shared]) for of in (first, second))
    )
    best = [max(float(of.get_lines(results, one).mean()) for one in shared) for of in (first, second)]
    order = "much the same" if agreement > 0.7 else "turned round" if agreement < -0.7 else "another"
    return (
        f"The order of the {len(shared)} learners that took part in both is {order}: the rank correlation is "
        f"{format_number(agreement, 2)}, where 1 is the same order and 0 none in common. The best of them clears "
        f"{format_number(best[0])} lines with {first.label} and {format_number(best[1])} with {second.label}, "
        f"{format_number(best[1] / max(best[0], 1e-9))} times as many."
    )


def describe_crowd_difference(contest: LearnerComparison, results: MeasurementResults, first: str, second: str) -> str:
    """Whether one kind of crowd is better than another, run by run."""
    ours = compute_paired_ratio(contest.get_lines(results, first), contest.get_lines(results, second))
    if ours.ci95 is None or not (is_above_one(ours) or is_below_one(ours)):
        said = "no difference was found" if ours.ci95 is not None else "the difference is not known"
    else:
        said = f"it clears {describe_ratio(ours)} lines"
    return f"With {contest.label} {said}: {ours.formatted} times those of the mean ({ours.basis})."


def make_learner_table(contest: LearnerComparison, results: MeasurementResults) -> list[list[str]]:
    """Every learner, the most lines first."""
    return [make_learner_row(contest, results, learner) for learner in rank_learners(contest, results)]


def make_learner_row(contest: LearnerComparison, results: MeasurementResults, learner: str) -> list[str]:
    """A learner's figures."""
    data, lines = contest.get_data(results, learner), contest.get_lines(results, learner)
    steps = [run["metrics"]["pieces"] for run in data["runs"]]
    used = float(np.mean([sum(pieces) for pieces in steps]))
    return [
        learner,
        compute_seed_mean(lines).formatted,
        format_number(float(lines.min())),
        format_number(float(lines.max())),
        format_number(used, 0),
        format_percent(max(used / contest.find_budget(results) - 1, 0)),
        format_number(float(np.mean([len(pieces) for pieces in steps])), 0),
        format_number(float(np.mean(data["time"]["seconds"]))),
    ]


def draw_learners(contest: LearnerComparison, results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Every learner's lines with their interval over seeds."""
    entries = [
        ForestRow(learner, contest.compute_mean(results, learner)) for learner in rank_learners(contest, results)
    ]
    return draw_forest_plot(size, "Lines a game", contest.label, entries, "Dot: mean of seeds, with its 95 % interval")


def draw_learning_curves(
    contest: LearnerComparison, learners: Sequence[str], results: MeasurementResults, size: "FigureSize"
) -> "Figure":
    """Judged lines against pieces placed, the mean of seeds."""
    runs = {learner: contest.get_data(results, learner)["runs"] for learner in learners}
    budget = max(sum(run["metrics"]["pieces"]) for some in runs.values() for run in some)
    grid = [budget * (step + 1) / _CURVE_POINTS for step in range(_CURVE_POINTS)]
    digits = 1 if budget >= 5e6 else 2 if budget >= 5e5 else 3
    places = [f"{format_number(pieces / 1e6, digits)} M" for pieces in grid]
    key = "By pieces placed while learning: the favourite that was judged last, the mean of seeds"
    chart = CategoryChart(size, "Judged lines a game", contest.label, places, key)
    for place, learner in enumerate(learners):
        chart.draw_line(
            learner,
            np.mean([compute_learning_curve(run["metrics"], grid) for run in runs[learner]], axis=0),
            get_series_colour(place),
        )
    return chart.finish()


def compute_learning_curve(metrics: Mapping[str, Sequence[float | None]], grid: Sequence[float]) -> _FloatArray:
    """How the last favourite was judged when so many pieces had been placed; not a number before the first one."""
    placed = np.cumsum([pieces or 0 for pieces in metrics["pieces"]])
    judged = [(pieces, value) for pieces, value in zip(placed, metrics["validation"], strict=True) if value is not None]
    known = [(pieces, value) for pieces, value in judged if np.isfinite(value)]
    before = [[value for pieces, value in known if pieces <= point] for point in grid]
    return np.array([values[-1] if values else np.nan for values in before])
