"""The compared learners: their recipes, feature sets and budgets, and the trainings with the same settings for all."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.lab.papers.comparison.comparison_findings import ComparedLearner, LearnerComparison
from tetrion.lab.reproduction.measurements import TrainingMeasurement

COMPARISON_RULES = "standard-10x10"  # on 10×20, games with the eight features would last for weeks
_SEED_COUNT, _QUICK_SEED_COUNT = 5, 3  # an interval over seeds needs at least three
_CANDIDATES_PER_VALIDATION = 100  # one incumbent is validated per this many candidates, for every population size
_FOUR_FEATURES = ("max_height", "holes", "lines", "bumpiness")
_EIGHT_FEATURES = (
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions"),
    *("holes", "wells", "hole_depth", "rows_with_holes"),
)
_BERTSEKAS_FEATURES = (  # of Bertsekas and Ioffe; Szita and Lőrincz tested noise with these features
    *(f"height_{column}" for column in range(1, 11)),
    *(f"difference_{column}" for column in range(1, 10)),
    *("max_height", "holes"),
)


class ComparedRecipe(NamedTuple):
    """A recipe, the number of candidates per generation, and the changes to the recipe."""

    recipe: str
    population: int
    changes: Sequence[str] = ()


_Q_LEARNING_TRAINING = "q-learning"
_COMPARED_RECIPES = {
    **{
        f"genetic-{crossover}": ComparedRecipe("flom-robinson", 50, (f"crossover={crossover}",))
        for crossover in ("one-point", "two-point", "uniform", "hux", "average")
    },
    "crowds": ComparedRecipe("hindi-crowds", 50, ("crowd.kind=both",)),
    **{
        f"cross-entropy-{noise}": ComparedRecipe("cross-entropy", 100, (f"noise={noise}",))
        for noise in ("none", "constant", "decreasing")
    },
    "cma": ComparedRecipe("cma-dt", 24),
    "harmony": ComparedRecipe("harmony", 40),
}

GENETIC_ONE_POINT_LABEL, GENETIC_TWO_POINT_LABEL, GENETIC_UNIFORM_LABEL, GENETIC_HUX_LABEL, GENETIC_AVERAGE_LABEL = (
    f"genetic ({crossover})" for crossover in ("one-point", "two-point", "uniform", "HUX", "average")
)
BEST_EXPERT_LABEL = "genetic (Hindi et al.)"
MEAN_CROWD_LABEL = "crowd (mean)"
CONSENSUS_CROWD_LABEL = "crowd (consensus)"
NO_NOISE_LABEL, CONSTANT_NOISE_LABEL, DECREASING_NOISE_LABEL = (
    f"cross-entropy ({noise} noise)" for noise in ("no", "constant", "decreasing")
)
CMA_ES_LABEL = "CMA-ES"
HARMONY_SEARCH_LABEL = "harmony search"
Q_LEARNING_LABEL = "Q-learning"

_COMPARED_LEARNERS = {
    GENETIC_ONE_POINT_LABEL: ComparedLearner("genetic-one-point"),
    GENETIC_TWO_POINT_LABEL: ComparedLearner("genetic-two-point"),
    GENETIC_UNIFORM_LABEL: ComparedLearner("genetic-uniform"),
    GENETIC_HUX_LABEL: ComparedLearner("genetic-hux"),
    GENETIC_AVERAGE_LABEL: ComparedLearner("genetic-average"),
    BEST_EXPERT_LABEL: ComparedLearner("crowds", "best expert"),
    MEAN_CROWD_LABEL: ComparedLearner("crowds", "crowd (mean)"),
    CONSENSUS_CROWD_LABEL: ComparedLearner("crowds", "crowd (consensus)"),
    NO_NOISE_LABEL: ComparedLearner("cross-entropy-none"),
    CONSTANT_NOISE_LABEL: ComparedLearner("cross-entropy-constant"),
    DECREASING_NOISE_LABEL: ComparedLearner("cross-entropy-decreasing"),
    CMA_ES_LABEL: ComparedLearner("cma"),
    HARMONY_SEARCH_LABEL: ComparedLearner("harmony"),
}
_NOISE_LABELS = (NO_NOISE_LABEL, CONSTANT_NOISE_LABEL, DECREASING_NOISE_LABEL)
FOUR_FEATURE_COMPARISON = LearnerComparison(
    "four",
    "four features",
    _FOUR_FEATURES,
    500_000,
    80_000,
    {**_COMPARED_LEARNERS, Q_LEARNING_LABEL: ComparedLearner(_Q_LEARNING_TRAINING)},
)
EIGHT_FEATURE_COMPARISON = LearnerComparison(
    "eight", "eight features", _EIGHT_FEATURES, 20_000_000, 2_000_000, _COMPARED_LEARNERS
)
BERTSEKAS_COMPARISON = LearnerComparison(
    "many",
    "21 features",
    _BERTSEKAS_FEATURES,
    10_000_000,
    200_000,
    {noise: _COMPARED_LEARNERS[noise] for noise in _NOISE_LABELS},
)
LEARNER_COMPARISONS = (FOUR_FEATURE_COMPARISON, EIGHT_FEATURE_COMPARISON, BERTSEKAS_COMPARISON)
_FINAL_GAMES = {  # validation games of finalists and held-out games, in a full and in a quick reproduction
    "four": (1000, 300),
    "eight": (200, 60),
    "many": (1000, 300),
}


def make_validation_changes(comparison: LearnerComparison, every: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the recipe changes for validation, for a full and for a quick reproduction."""
    full, quick = _FINAL_GAMES[comparison.name]
    full_changes = (
        f"validation.every={every}",
        "validation.games=100",
        "validation.max_pieces=0",
        "validation.finalists=5",
        f"validation.final_games={full}",
    )
    quick_changes = (
        f"validation.every={max(1, every // 2)}",
        "validation.games=30",
        f"validation.final_games={quick}",
    )
    return full_changes, quick_changes


def make_training(comparison: LearnerComparison, name: str) -> TrainingMeasurement:
    """Return the training of a learner with the features, games, budget and validation of a comparison."""
    learner = _COMPARED_RECIPES[name]
    validation, quick_validation = make_validation_changes(comparison, _CANDIDATES_PER_VALIDATION // learner.population)
    changes = (
        f"rules={COMPARISON_RULES}",
        f"agent.features={[*comparison.features]}",
        *("agent.measured=after", "agent.depth=1"),
        *(
            "games.fitness=lines",
            "games.sum_games=false",
            "games.count=2",
            "games.halving_rounds=0",
            "games.piece_seed=generation",
        ),
        *("games.max_pieces=[0]", "games.max_lines=0"),
        *("stop.generations=1000000", "stop.patience=0", f"stop.total_pieces={comparison.piece_budget}"),
        *validation,
        *learner.changes,
    )
    quick = (f"stop.total_pieces={comparison.quick_piece_budget}", *quick_validation)
    return TrainingMeasurement(
        f"{comparison.name}-{name}", learner.recipe, _SEED_COUNT, _QUICK_SEED_COUNT, changes, quick
    )


def make_q_learning_training(comparison: LearnerComparison) -> TrainingMeasurement:
    """Return the training of Q-learning with the budget of a comparison.

    Differences of the four features choose the same placements as the features themselves.
    """
    validation, quick_validation = make_validation_changes(comparison, 50)  # as in its recipe
    changes = (
        f"rules={COMPARISON_RULES}",
        "features=differences",
        "episodes=1000000",
        f"total_pieces={comparison.piece_budget}",
        *validation,
    )
    quick = (f"total_pieces={comparison.quick_piece_budget}", *quick_validation)
    return TrainingMeasurement(
        f"{comparison.name}-{_Q_LEARNING_TRAINING}", "tetrais-q", _SEED_COUNT, _QUICK_SEED_COUNT, changes, quick
    )


COMPARISON_TRAININGS = [
    *(make_training(FOUR_FEATURE_COMPARISON, name) for name in _COMPARED_RECIPES),
    make_q_learning_training(FOUR_FEATURE_COMPARISON),
    *(make_training(EIGHT_FEATURE_COMPARISON, name) for name in _COMPARED_RECIPES),
    *(
        make_training(BERTSEKAS_COMPARISON, BERTSEKAS_COMPARISON.learners[noise].training_name)
        for noise in _NOISE_LABELS
    ),
]
