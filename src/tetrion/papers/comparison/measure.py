"""Measurements for the comparison of learners: every learner with the same features, games and budget of pieces."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.evaluation.number_format import format_count
from tetrion.papers.measured_values import MeasuredValue, mean, number, rank_correlation, ratio, to_identifier
from tetrion.papers.measurements import TrainingMeasurement

COMPARISON_RULES = "standard-10x10"  # on 10×20, games with the eight features would last for weeks
_SEED_COUNT, _QUICK_SEED_COUNT = 5, 3  # an interval over seeds needs at least three
_CANDIDATES_PER_VALIDATION = 100  # one incumbent is validated per this many candidates, for every population size

_CROSSOVERS = ("one-point", "two-point", "uniform", "hux", "average")

_Group = Mapping[str, Mapping[str, Any]]  # the trainings with one feature set, by their names in expressions


class FeatureSet(NamedTuple):
    """The features of a comparison, the pieces per learner, and the held-out games; budgets are full and quick."""

    label: str
    features: Sequence[str]
    pieces: tuple[int, int]
    final_games: tuple[int, int]  # also the validation games of finalists


FEATURE_SETS = {  # by the first word of the names of their measurements
    "four": FeatureSet("four features", ("max_height", "holes", "lines", "bumpiness"), (500_000, 80_000), (1000, 300)),
    "eight": FeatureSet("eight features", [*load_weighted_agent("du").weights], (20_000_000, 2_000_000), (200, 60)),
    "many": FeatureSet(  # Szita and Lőrincz tested noise with these features
        "21 features", [*load_weighted_agent("ce-bertsekas").weights], (10_000_000, 200_000), (1000, 300)
    ),
}
_TRAININGS: dict[str, tuple[str, int, Sequence[str]]] = {  # recipe, candidates per generation, changes to the recipe
    **{f"genetic-{crossover}": ("flom-robinson", 50, (f"crossover={crossover}",)) for crossover in _CROSSOVERS},
    "crowds": ("hindi-crowds", 50, ("crowd.kind=both",)),
    **{
        f"cross-entropy-{noise}": ("cross-entropy", 100, (f"noise={noise}",))
        for noise in ("none", "constant", "decreasing")
    },
    "cma": ("cma-dt", 24, ()),
    "harmony": ("harmony", 40, ()),
}

COMPARED_LEARNERS = {  # training, and the member of its crowd that is compared (empty: the result of the run)
    "CMA-ES": ("cma", ""),
    "cross-entropy (no noise)": ("cross_entropy_none", ""),
    **{f"cross-entropy ({noise} noise)": (f"cross_entropy_{noise}", "") for noise in ("constant", "decreasing")},
    "genetic (HUX)": ("genetic_hux", ""),
    **{f"genetic ({name})": (f"genetic_{to_identifier(name)}", "") for name in _CROSSOVERS if name != "hux"},
    "genetic (Hindi et al.)": ("crowds", "best expert"),
    "harmony search": ("harmony", ""),
    "Q-learning": ("q_learning", ""),
    "crowd (mean)": ("crowds", "crowd (mean)"),
    "crowd (consensus)": ("crowds", "crowd (consensus)"),
}


def make_training(set_name: str, name: str) -> TrainingMeasurement:
    """Return the training of a learner with the features, games, budget and validation of a comparison."""
    recipe, population, changes = _TRAININGS[name]
    features, (pieces, quick_pieces) = FEATURE_SETS[set_name][1:3]
    validation, quick_validation = _make_validation(set_name, _CANDIDATES_PER_VALIDATION // population)
    shared = (
        *(f"rules={COMPARISON_RULES}", f"agent.features={[*features]}", "agent.measured=after", "agent.depth=1"),
        *("games.fitness=lines", "games.sum_games=false", "games.count=2", "games.halving_rounds=0"),
        *("games.piece_seed=generation", "games.max_pieces=[0]", "games.max_lines=0"),
        *("stop.generations=1000000", "stop.patience=0", f"stop.total_pieces={pieces}"),
    )
    quick = (f"stop.total_pieces={quick_pieces}", *quick_validation)
    settings = (*shared, *validation, *changes)
    return TrainingMeasurement(f"{set_name}-{name}", recipe, _SEED_COUNT, _QUICK_SEED_COUNT, settings, quick)


def make_large_training() -> TrainingMeasurement:
    """Return the training of CMA-ES with four features and the budget of eight."""
    pieces, quick_pieces = FEATURE_SETS["eight"].pieces
    training = make_training("four", "cma")
    return replace(
        training,
        name="large-budget-cma",
        changes=(*training.changes, f"stop.total_pieces={pieces}"),
        quick_changes=(*training.quick_changes, f"stop.total_pieces={quick_pieces}"),
    )


def make_q_learning() -> TrainingMeasurement:
    """Return the training of Q-learning, whose differences of the four features choose as the features themselves."""
    pieces, quick_pieces = FEATURE_SETS["four"].pieces
    validation, quick_validation = _make_validation("four", every=50)  # episodes, as in its recipe
    settings = (
        f"rules={COMPARISON_RULES}",
        "features=differences",
        "episodes=1000000",
        f"total_pieces={pieces}",
        *validation,
    )
    quick = (f"total_pieces={quick_pieces}", *quick_validation)
    return TrainingMeasurement("four-q-learning", "tetrais-q", _SEED_COUNT, _QUICK_SEED_COUNT, settings, quick)


def _make_validation(set_name: str, every: int) -> tuple[Sequence[str], Sequence[str]]:
    """Return the recipe changes for validation, for a full and for a quick reproduction."""
    full, quick = FEATURE_SETS[set_name].final_games
    common = ("validation.games=100", "validation.max_pieces=0", "validation.finalists=5")
    return (
        (f"validation.every={every}", *common, f"validation.final_games={full}"),
        (f"validation.every={max(1, every // 2)}", "validation.games=30", f"validation.final_games={quick}"),
    )


def get_group(results: Mapping[str, Any], set_name: str) -> _Group:
    """Return the trainings with one feature set, as `four` does in expressions."""
    prefix = f"{set_name}-"
    return {to_identifier(name.removeprefix(prefix)): data for name, data in results.items() if name.startswith(prefix)}


# Functions of expressions


def feature_set(name: str) -> dict[str, Any]:
    """Return the label, the features and the budgets of a feature set."""
    return FEATURE_SETS[name]._asdict()


def seeds(group: _Group, learner: str) -> list[float]:
    """Return the mean lines per game in held-out games of every seed of a learner."""
    training, member = COMPARED_LEARNERS[learner]
    return crowd(group[training], member) if member else _get_lines(group[training])


def crowd(training: Mapping[str, Any], member: str) -> list[float]:
    """Return the lines of a crowd, or of one of its experts, in each run."""
    return [run["result"]["crowd"][member] for run in training["runs"]]


def _get_lines(training: Mapping[str, Any]) -> list[float]:
    return [run["result"]["uncorrected"]["lines"]["mean"] for run in training["runs"]]


def pool(*trainings: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean lines over the seeds of several trainings."""
    return mean([lines for training in trainings for lines in _get_lines(training)])


def ranking(group: _Group) -> list[dict[str, Any]]:
    """Return all learners with lines and effort, best first; `is_worse` if significantly worse than the first."""
    rows: list[dict[str, Any]] = []
    for learner, (training, _) in COMPARED_LEARNERS.items():
        if training in group:
            lines = seeds(group, learner)
            generations = [run["metrics"]["pieces"] for run in group[training]["runs"]]
            effort = {
                "pieces": float(np.mean([sum(pieces) for pieces in generations])),
                "generations": float(np.mean([len(pieces) for pieces in generations])),
            }
            rows.append({"learner": learner, "lines": mean(lines), "worst": min(lines), "best": max(lines), **effort})
    rows.sort(key=lambda row: -row["lines"].value)
    return [{**row, "is_worse": ratio(row["lines"], rows[0]["lines"]).interval[1] < 1} for row in rows]


def best_to_worst(group: _Group) -> MeasuredValue:
    """Return the mean lines of the best learner divided by those of the worst, crowds aside."""
    rows = [row for row in ranking(group) if not row["learner"].startswith("crowd")]
    return ratio(rows[0]["lines"], rows[-1]["lines"])


def best_other(group: _Group, learner: str) -> MeasuredValue:
    """Return the mean lines of a learner divided by those of the best other one."""
    first = next(row["lines"] for row in ranking(group) if row["learner"] != learner)
    return ratio(mean(seeds(group, learner)), first)


def better_learners(learner: str, *groups: _Group) -> MeasuredValue:
    """Return how many other learners clear significantly more lines than a learner, in all groups together."""
    ratios = [
        ratio(row["lines"], mean(seeds(group, learner)))
        for group in groups
        for row in ranking(group)
        if row["learner"] != learner
    ]
    return number(sum(quotient.interval[0] > 1 for quotient in ratios), f"of {len(ratios)} comparisons")


def same_order(first: _Group, second: _Group) -> MeasuredValue:
    """Return the rank correlation of the learners that both groups have."""
    one, other = ({row["learner"]: row["lines"].value for row in ranking(group)} for group in (first, second))
    shared = [learner for learner in one if learner in other]
    basis = format_count(len(shared), "learner")
    return rank_correlation([one[learner] for learner in shared], [other[learner] for learner in shared], basis)


def seed_spread(group: _Group) -> MeasuredValue:
    """Return the lines of the best seed divided by those of the worst: the median over learners, and the range."""
    spreads = [row["best"] / max(row["worst"], 1e-9) for row in ranking(group)]
    return MeasuredValue(float(np.median(spreads)), (min(spreads), max(spreads)))


def paired_ratio(first: Sequence[float], second: Sequence[float]) -> MeasuredValue:
    """Return the mean over runs of the ratio of the lines of two agents from the same run."""
    if not all(second):
        return MeasuredValue(basis="one of them clears no lines")
    quotients = mean([one / other for one, other in zip(first, second, strict=True)])
    return replace(quotients, text=f"{quotients} times", basis=format_count(len(first), "run"))


def wins(first: Sequence[float], second: Sequence[float]) -> MeasuredValue:
    """Return in how many runs the first agent clears more lines than the second."""
    count = sum(one > other for one, other in zip(first, second, strict=True))
    return MeasuredValue(count, text=f"in {count} of {format_count(len(first), 'run')}")


def unlearned(training: Mapping[str, Any]) -> MeasuredValue:
    """Return in how many runs the last validated incumbent clears less than half of the lines of the best."""
    scores = [
        [score for score in run["metrics"]["validation"] if score is not None and np.isfinite(score)]
        for run in training["runs"]
    ]
    count = sum(bool(values) and values[-1] < max(values) / 2 for values in scores)
    return MeasuredValue(count, text=f"in {count} of {format_count(len(scores), 'run')}", basis="validation games")


def compute_learning_curve(metrics: Mapping[str, Sequence[float | None]], grid: Sequence[float]) -> list[float]:
    """Return the lines of the last validated incumbent at each number of pieces; NaN before the first validation."""
    placed = np.cumsum([pieces or 0 for pieces in metrics["pieces"]])
    validated = [
        (pieces, value)
        for pieces, value in zip(placed, metrics["validation"], strict=True)
        if value is not None and np.isfinite(value)
    ]
    return [next((value for pieces, value in reversed(validated) if pieces <= point), np.nan) for point in grid]


FUNCTIONS = (
    *(feature_set, seeds, ranking, best_to_worst, best_other, better_learners, same_order, seed_spread),
    *(pool, crowd, paired_ratio, wins, unlearned),
)

MEASUREMENTS = [
    *(make_training("four", name) for name in _TRAININGS),
    make_q_learning(),
    make_large_training(),
    *(make_training("eight", name) for name in _TRAININGS),
    *(make_training("many", f"cross-entropy-{noise}") for noise in ("none", "constant", "decreasing")),
]
