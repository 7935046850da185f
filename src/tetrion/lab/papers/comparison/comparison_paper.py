"""All learners on the same budget of pieces: genetic, crowds, cross-entropy, CMA-ES, harmony search, Q-learning."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from tetrion.lab.papers.comparison.comparison_findings import (
    ComparedLearner,
    LearnerComparison,
    describe_best_learner,
    describe_crowd_difference,
    describe_order_change,
    describe_seed_variation,
    draw_learners,
    draw_learning_curves,
    make_better_check,
    make_crowd_beaten_check,
    make_crowd_better_check,
    make_learner_table,
    make_not_worse_check,
    make_unlearning_check,
)
from tetrion.lab.reproduction.measurements import TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import (
    Claim,
    MeasurementResults,
    OpenQuestion,
    Paper,
    PaperFigure,
    ResultTable,
)
from tetrion.lab.reproduction.published_values import PublishedStatement

_COMPARISON_RULES = "standard-10x10"  # on 10×20, games with the eight features would last for weeks
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
_BERTSEKAS_COMPARISON = LearnerComparison(
    "many",
    "21 features",
    _BERTSEKAS_FEATURES,
    10_000_000,
    200_000,
    {noise: _COMPARED_LEARNERS[noise] for noise in _NOISE_LABELS},
)
LEARNER_COMPARISONS = (FOUR_FEATURE_COMPARISON, EIGHT_FEATURE_COMPARISON, _BERTSEKAS_COMPARISON)
_FINAL_GAMES = {  # validation games of finalists and held-out games, in a full and in a quick reproduction
    "four": (1000, 300),
    "eight": (200, 60),
    "many": (1000, 300),
}
_DRAWN_LEARNERS = (GENETIC_UNIFORM_LABEL, BEST_EXPERT_LABEL, DECREASING_NOISE_LABEL, CMA_ES_LABEL, HARMONY_SEARCH_LABEL)


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
        f"rules={_COMPARISON_RULES}",
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
        f"rules={_COMPARISON_RULES}",
        "features=differences",
        "episodes=1000000",
        f"total_pieces={comparison.piece_budget}",
        *validation,
    )
    quick = (f"total_pieces={comparison.quick_piece_budget}", *quick_validation)
    return TrainingMeasurement(
        f"{comparison.name}-{_Q_LEARNING_TRAINING}", "tetrais-q", _SEED_COUNT, _QUICK_SEED_COUNT, changes, quick
    )


def describe_both_feature_sets(
    describe: Callable[[LearnerComparison, MeasurementResults], str], results: MeasurementResults
) -> str:
    """Return the answer for four features followed by the answer for eight features."""
    return f"{describe(FOUR_FEATURE_COMPARISON, results)} {describe(EIGHT_FEATURE_COMPARISON, results)}"


def describe_consensus(results: MeasurementResults) -> str:
    """Describe whether the consensus that Hindi et al. propose is better than the mean of the experts."""
    return " ".join(
        describe_crowd_difference(comparison, results, CONSENSUS_CROWD_LABEL, MEAN_CROWD_LABEL)
        for comparison in (FOUR_FEATURE_COMPARISON, EIGHT_FEATURE_COMPARISON)
    )


_FLOM_SOURCE = "Flom and Robinson, in Hindi et al., section II B"
_SZITA_SOURCE = "Szita and Lőrincz 2006"
_OTHER_PROGRAM_RULES = "10×20, the authors' own program and features"
_CROSSOVER_CAUSE = (
    "seeds of the same crossover differ as much as the crossovers do, so single runs can put the crossovers in any "
    "order"
)
_NOISE_CAUSE = (
    "no gain is visible with this budget and these seeds; noise prevents the search distribution from narrowing too "
    "early, but also from narrowing as far as it could"
)


def make_claims(comparison: LearnerComparison) -> list[Claim]:
    """Return the literature's claims about learners, for one feature set."""
    suffix = f", {comparison.label}"
    return [
        Claim(
            f"uniform and HUX are the best of four crossovers{suffix}",
            _FLOM_SOURCE,
            PublishedStatement("they performed best"),
            make_better_check(
                comparison,
                (GENETIC_UNIFORM_LABEL, GENETIC_HUX_LABEL),
                (GENETIC_ONE_POINT_LABEL, GENETIC_TWO_POINT_LABEL),
            ),
            difference_cause=_CROSSOVER_CAUSE,
            published_rules="the authors' own program; the board size is not given",
        ),
        Claim(
            f"one-point is the worst of four crossovers{suffix}",
            _FLOM_SOURCE,
            PublishedStatement("it performed the worst"),
            make_better_check(
                comparison,
                (GENETIC_TWO_POINT_LABEL, GENETIC_UNIFORM_LABEL, GENETIC_HUX_LABEL),
                (GENETIC_ONE_POINT_LABEL,),
            ),
            difference_cause=_CROSSOVER_CAUSE,
            published_rules="the authors' own program; the board size is not given",
        ),
        Claim(
            f"a crowd is better than its average expert{suffix}",
            "Hindi et al., sections IV and V",
            PublishedStatement("crowds performed better than the average agent"),
            make_crowd_better_check(comparison, MEAN_CROWD_LABEL, "average expert"),
            difference_cause="a population of this algorithm soon consists of near copies, so its experts are almost "
            "identical and their mean plays like each of them",
            published_rules="10×20, points, 500 pieces per game",
        ),
        Claim(
            f"in some runs an expert is better than the crowd{suffix}",
            "Hindi et al., section IV",
            PublishedStatement("there are cases in which the genetic algorithm alone scored higher"),
            make_crowd_beaten_check(comparison, MEAN_CROWD_LABEL, "best expert"),
            published_rules="10×20, points, 500 pieces per game",
        ),
        *make_noise_claims(comparison),
        Claim(
            f"CMA-ES is as good as cross-entropy{suffix}",
            "Boumaza 2013, abstract",
            PublishedStatement("players trained by CMA-ES are among the best"),
            make_not_worse_check(comparison, CMA_ES_LABEL, DECREASING_NOISE_LABEL),
            difference_cause="its small generations select by two games per candidate, which is little for such long "
            "games",
            published_rules=_OTHER_PROGRAM_RULES,
        ),
        Claim(
            f"harmony search finds efficient agents{suffix}",
            "Romero et al. 2011, in Hindi et al., section II B",
            PublishedStatement("quite efficient; our criterion: as many lines as the genetic algorithm"),
            make_not_worse_check(comparison, HARMONY_SEARCH_LABEL, GENETIC_UNIFORM_LABEL),
            difference_cause="half of the candidates of each generation are those in its memory, which play again",
            published_rules=_OTHER_PROGRAM_RULES,
        ),
    ]


def make_noise_claims(comparison: LearnerComparison) -> list[Claim]:
    """Return the literature's claims about noise in cross-entropy, for one feature set."""
    return [
        Claim(
            f"{noise} noise makes cross-entropy better, {comparison.label}",
            _SZITA_SOURCE,
            PublishedStatement("noise keeps it from converging too early"),
            make_better_check(comparison, (learner,), (NO_NOISE_LABEL,)),
            difference_cause=_NOISE_CAUSE,
            published_rules=_OTHER_PROGRAM_RULES,
        )
        for noise, learner in {"constant": CONSTANT_NOISE_LABEL, "decreasing": DECREASING_NOISE_LABEL}.items()
    ]


_TABLE_HEADINGS = (
    "learner",
    "lines per game",
    "worst seed",
    "best seed",
    "pieces",
    "over budget",
    "generations",
    "seconds",
)

COMPARISON_PAPER = Paper(
    name="comparison",
    title="All learners on the same budget",
    source="Our own comparison; the claims come from the literature",
    description="Every learner gets the same features, games and budget of pieces for training, and is measured in "
    "held-out games (not used for training or selection). None of the documents compares more than two of them in this "
    "way.",
    rules=f"{_COMPARISON_RULES}: pieces drawn uniformly, hard drops only, no next piece",
    measurements=[
        *(make_training(FOUR_FEATURE_COMPARISON, name) for name in _COMPARED_RECIPES),
        make_q_learning_training(FOUR_FEATURE_COMPARISON),
        *(make_training(EIGHT_FEATURE_COMPARISON, name) for name in _COMPARED_RECIPES),
        *(
            make_training(_BERTSEKAS_COMPARISON, _BERTSEKAS_COMPARISON.learners[noise].training_name)
            for noise in _NOISE_LABELS
        ),
    ],
    claims=[
        *make_claims(FOUR_FEATURE_COMPARISON),
        Claim(
            "Q-learning is competitive, four features",
            "TetrAIs, section 8",
            PublishedStatement("competitive game-play after enough practice"),
            make_not_worse_check(FOUR_FEATURE_COMPARISON, Q_LEARNING_LABEL, GENETIC_UNIFORM_LABEL),
            difference_cause="it learns from the lines of single placements, and the others from whole games",
            published_rules="10×22 and points, the authors' own program",
        ),
        Claim(
            "reinforcement learning may unlearn, four features",
            "Carr 2005, in Hindi et al., section II B",
            PublishedStatement("at one point it unlearnt its policy unexpectedly"),
            make_unlearning_check(FOUR_FEATURE_COMPARISON, Q_LEARNING_LABEL),
            difference_cause="its weights are averaged over many episodes, so good weights are not forgotten",
            published_rules=_OTHER_PROGRAM_RULES,
        ),
        *make_claims(EIGHT_FEATURE_COMPARISON),
        *make_noise_claims(_BERTSEKAS_COMPARISON),
    ],
    questions=[
        OpenQuestion(
            "Which learner should I use?",
            "not in the documents",
            partial(describe_both_feature_sets, describe_best_learner),
        ),
        OpenQuestion(
            "Does it depend on the features?",
            "Hindi et al., section V, on more heuristics",
            partial(describe_order_change, FOUR_FEATURE_COMPARISON, EIGHT_FEATURE_COMPARISON),
        ),
        OpenQuestion(
            "How much of the result is chance?",
            "not in the documents",
            partial(describe_both_feature_sets, describe_seed_variation),
        ),
        OpenQuestion(
            "Is a consensus of experts better than their mean?", "Hindi et al., section V", describe_consensus
        ),
    ],
    figures=[
        PaperFigure(
            "four",
            "Learners with four features",
            "Means over seeds, best first.",
            partial(draw_learners, FOUR_FEATURE_COMPARISON),
        ),
        PaperFigure(
            "four-curves",
            "Learning with four features",
            "One learner of each kind. The result of a learner may be an earlier incumbent than the last.",
            partial(draw_learning_curves, FOUR_FEATURE_COMPARISON, (*_DRAWN_LEARNERS, Q_LEARNING_LABEL)),
        ),
        PaperFigure(
            "eight",
            "Learners with eight features",
            "Means over seeds, best first.",
            partial(draw_learners, EIGHT_FEATURE_COMPARISON),
        ),
        PaperFigure(
            "eight-curves",
            "Learning with eight features",
            "One learner of each kind. The result of a learner may be an earlier incumbent than the last.",
            partial(draw_learning_curves, EIGHT_FEATURE_COMPARISON, _DRAWN_LEARNERS),
        ),
    ],
    tables=[
        ResultTable(
            f"All learners with {comparison.label}",
            f"Features: {comparison.feature_list}. Budget: {comparison.piece_budget:,} pieces per learner "
            f"({comparison.quick_piece_budget:,} in a quick reproduction). Lines are those of held-out games; "
            "generations are episodes for Q-learning; seconds are those of one run on this machine while other runs "
            "were active.",
            _TABLE_HEADINGS,
            partial(make_learner_table, comparison),
        )
        for comparison in LEARNER_COMPARISONS
    ],
    notes=[
        "The board is 10×10, where the games of all these agents end: no game is capped, neither in training nor in "
        "validation.",
        "All learners share these settings: the features, measured after full rows are removed; two games per "
        "candidate, with the same pieces for all candidates of a generation; the budget of pieces placed in training; "
        "one incumbent validated per 100 candidates, in 100 games; five finalists. Population, spread, selection, "
        "mutation and noise are those of each recipe. Validation games do not count towards the budget.",
        "A generation is always played to its end, so the budget is exceeded by a part of the last generation; the "
        "tables give by how much.",
        "The four features are those of Flom and Robinson. Q-learning as in TetrAIs weights the changes of the same "
        "four features; since the board before a placement is the same for all placements, this leads to the same "
        "choices as the four features themselves. It cannot use other features, so it is missing from the comparison "
        "with eight. Its incumbent is validated every 50 episodes, as in its recipe, so it has more chances to find a "
        "good candidate than the other learners.",
        "The budget for eight features is larger because their games are many times as long; it allows about as many "
        "generations. With the 21 features of Bertsekas and Ioffe, only the noise of cross-entropy is compared.",
        "A crowd consists of the best candidates of all generations of the same run, and needs no further games. "
        "“Genetic (Hindi et al.)” is the best of these experts in validation games; it and the crowds are measured in "
        "held-out games.",
        "Intervals of ratios are over seeds; “no difference found” means that the interval contains 1.",
    ],
)
