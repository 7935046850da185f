"""Every learner on the same budget of pieces: genetic, crowds, cross-entropy, CMA-ES, harmony search, Q-learning."""

from collections.abc import Sequence
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

_COMPARISON_RULES = "standard-10x10"  # where games end: on 10×20 the eight features play for weeks
_SEED_COUNT, _QUICK_SEED_COUNT = 5, 3  # three are the fewest that tell a spread
_CANDIDATES_PER_VALIDATION = 100  # of how many one favourite is judged, whatever the population
_FOUR_FEATURES = ("max_height", "holes", "lines", "bumpiness")
_EIGHT_FEATURES = (
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions"),
    *("holes", "wells", "hole_depth", "rows_with_holes"),
)
_BERTSEKAS_FEATURES = (  # Bertsekas and Ioffe's, with which Szita and Lőrincz tried their noise
    *(f"height_{column}" for column in range(1, 11)),
    *(f"difference_{column}" for column in range(1, 10)),
    *("max_height", "holes"),
)


class ComparedRecipe(NamedTuple):
    """A recipe, what is changed in it, and how many candidates a generation has."""

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
BEST_EXPERT_LABEL = "genetic as Hindi et al."
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
_FINAL_GAMES = {
    "four": (1000, 300),
    "eight": (200, 60),
    "many": (1000, 300),
}  # games that decide and tell, in full and quick
_DRAWN_LEARNERS = (GENETIC_UNIFORM_LABEL, BEST_EXPERT_LABEL, DECREASING_NOISE_LABEL, CMA_ES_LABEL, HARMONY_SEARCH_LABEL)


def make_validation_changes(contest: LearnerComparison, every: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How everybody is judged: the same games, in full and in a quick reproduction."""
    full, quick = _FINAL_GAMES[contest.name]
    same = (
        f"validation.every={every}",
        "validation.games=100",
        "validation.max_pieces=0",
        "validation.finalists=5",
        f"validation.final_games={full}",
    )
    return same, (f"validation.every={max(1, every // 2)}", "validation.games=30", f"validation.final_games={quick}")


def make_training(contest: LearnerComparison, name: str) -> TrainingMeasurement:
    """A learner with the features, games, budget and judge that all of a contest have."""
    learner = _COMPARED_RECIPES[name]
    judge, quick_judge = make_validation_changes(contest, _CANDIDATES_PER_VALIDATION // learner.population)
    changes = (
        f"rules={_COMPARISON_RULES}",
        f"agent.features={[*contest.features]}",
        *("agent.measured=after", "agent.depth=1"),
        *(
            "games.fitness=lines",
            "games.sum_games=false",
            "games.count=2",
            "games.halving_rounds=0",
            "games.piece_seed=generation",
        ),
        *("games.max_pieces=[0]", "games.max_lines=0"),
        *("stop.generations=1000000", "stop.patience=0", f"stop.total_pieces={contest.piece_budget}"),
        *judge,
        *learner.changes,
    )
    quick = (f"stop.total_pieces={contest.quick_piece_budget}", *quick_judge)
    return TrainingMeasurement(f"{contest.name}-{name}", learner.recipe, _SEED_COUNT, _QUICK_SEED_COUNT, changes, quick)


def make_q_learning_training(contest: LearnerComparison) -> TrainingMeasurement:
    """Q-learning with the same budget; the differences of the four features choose as the four themselves do."""
    judge, quick_judge = make_validation_changes(contest, 50)  # as in its recipe
    changes = (
        f"rules={_COMPARISON_RULES}",
        "features=differences",
        "episodes=1000000",
        f"budget={contest.piece_budget}",
        *judge,
    )
    quick = (f"budget={contest.quick_piece_budget}", *quick_judge)
    return TrainingMeasurement(
        f"{contest.name}-{_Q_LEARNING_TRAINING}", "tetrais-q", _SEED_COUNT, _QUICK_SEED_COUNT, changes, quick
    )


def describe_both_feature_sets(question: str, results: MeasurementResults) -> str:
    """A sentence for each set of features."""
    say = {"choice": describe_best_learner, "luck": describe_seed_variation}[question]
    return f"{say(FOUR_FEATURE_COMPARISON, results)} {say(EIGHT_FEATURE_COMPARISON, results)}"


def describe_consensus(results: MeasurementResults) -> str:
    """Whether the consensus that Hindi et al. wish for is better than their mean."""
    return " ".join(
        describe_crowd_difference(contest, results, CONSENSUS_CROWD_LABEL, MEAN_CROWD_LABEL)
        for contest in (FOUR_FEATURE_COMPARISON, EIGHT_FEATURE_COMPARISON)
    )


_FLOM_SOURCE = "Flom and Robinson, in Hindi et al., section II B"
_SZITA_SOURCE = "Szita and Lőrincz 2006"
_OTHER_PROGRAM_RULES = "10×20, the authors' own program and features"
_CROSSOVER_CAUSE = (
    "the seeds of one crossover differ among themselves by as much as crossovers do, so that single runs can put them "
    "in any order"
)
_NOISE_CAUSE = (
    "no gain shows within this budget and over these seeds; noise keeps the method from narrowing too early, and from "
    "narrowing as far as it might"
)


def make_claims(contest: LearnerComparison) -> list[Claim]:
    """What the literature says of learners, with one set of features."""
    of = f", {contest.label}"
    return [
        Claim(
            f"uniform and HUX are the best of four crossovers{of}",
            _FLOM_SOURCE,
            PublishedStatement("they performed best"),
            make_better_check(
                contest, (GENETIC_UNIFORM_LABEL, GENETIC_HUX_LABEL), (GENETIC_ONE_POINT_LABEL, GENETIC_TWO_POINT_LABEL)
            ),
            difference_cause=_CROSSOVER_CAUSE,
            published_rules="the authors' own program; the board is not told",
        ),
        Claim(
            f"one-point is the worst of four crossovers{of}",
            _FLOM_SOURCE,
            PublishedStatement("it performed the worst"),
            make_better_check(
                contest, (GENETIC_TWO_POINT_LABEL, GENETIC_UNIFORM_LABEL, GENETIC_HUX_LABEL), (GENETIC_ONE_POINT_LABEL,)
            ),
            difference_cause=_CROSSOVER_CAUSE,
            published_rules="the authors' own program; the board is not told",
        ),
        Claim(
            f"a crowd is better than its average expert{of}",
            "Hindi et al., sections IV and V",
            PublishedStatement("crowds performed better than the average agent"),
            make_crowd_better_check(contest, MEAN_CROWD_LABEL, "average expert"),
            difference_cause="a population of this algorithm soon consists of near copies, so its experts are alike and the "
            "mean of them plays as they do",
            published_rules="10×20, points, 500 pieces a game",
        ),
        Claim(
            f"in some runs an expert is better than the crowd{of}",
            "Hindi et al., section IV",
            PublishedStatement("there are cases in which the genetic algorithm alone scored higher"),
            make_crowd_beaten_check(contest, MEAN_CROWD_LABEL, "best expert"),
            published_rules="10×20, points, 500 pieces a game",
        ),
        *make_noise_claims(contest),
        Claim(
            f"CMA-ES is as good as cross-entropy{of}",
            "Boumaza 2013, abstract",
            PublishedStatement("players made by CMA-ES are among the best"),
            make_not_worse_check(contest, CMA_ES_LABEL, DECREASING_NOISE_LABEL),
            difference_cause="its small generations choose by two games a candidate, which is little for such long games",
            published_rules=_OTHER_PROGRAM_RULES,
        ),
        Claim(
            f"harmony search makes efficient agents{of}",
            "Romero et al. 2011, in Hindi et al., section II B",
            PublishedStatement("quite efficient; we ask for as many lines as the genetic algorithm's"),
            make_not_worse_check(contest, HARMONY_SEARCH_LABEL, GENETIC_UNIFORM_LABEL),
            difference_cause="it tries half of its candidates, those that it remembers, again in every generation",
            published_rules=_OTHER_PROGRAM_RULES,
        ),
    ]


def make_noise_claims(contest: LearnerComparison) -> list[Claim]:
    """What is said of noise, with one set of features."""
    return [
        Claim(
            f"{noise} noise makes cross-entropy better, {contest.label}",
            _SZITA_SOURCE,
            PublishedStatement("noise keeps it from converging too early"),
            make_better_check(contest, (learner,), (NO_NOISE_LABEL,)),
            difference_cause=_NOISE_CAUSE,
            published_rules=_OTHER_PROGRAM_RULES,
        )
        for noise, learner in {"constant": CONSTANT_NOISE_LABEL, "decreasing": DECREASING_NOISE_LABEL}.items()
    ]


_TABLE_HEADINGS = (
    "learner",
    "lines a game",
    "worst seed",
    "best seed",
    "pieces",
    "over budget",
    "generations",
    "seconds",
)

COMPARISON_PAPER = Paper(
    name="comparison",
    title="Every learner on the same budget",
    source="Our own comparison; the claims are of the literature",
    description="Every learner gets the same features, games and number of pieces to learn from, and is judged on games that "
    "nobody was trained on. None of the documents compares more than two of them so.",
    rules=f"{_COMPARISON_RULES}: pieces drawn uniformly, dropped straight down, no next piece",
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
            difference_cause="it learns from what single placements cleared, and the others from whole games",
            published_rules="10×22 and points, the authors' own program",
        ),
        Claim(
            "reinforcement learning may unlearn, four features",
            "Carr 2005, in Hindi et al., section II B",
            PublishedStatement("at one point it unlearnt its policy unexpectedly"),
            make_unlearning_check(FOUR_FEATURE_COMPARISON, Q_LEARNING_LABEL),
            difference_cause="the average of its weights over many episodes does not forget what was good",
            published_rules=_OTHER_PROGRAM_RULES,
        ),
        *make_claims(EIGHT_FEATURE_COMPARISON),
        *make_noise_claims(_BERTSEKAS_COMPARISON),
    ],
    questions=[
        OpenQuestion(
            "Which learner should I use?", "none of the documents", partial(describe_both_feature_sets, "choice")
        ),
        OpenQuestion(
            "Does it depend on the features?",
            "Hindi et al., section V, on more heuristics",
            partial(describe_order_change, FOUR_FEATURE_COMPARISON, EIGHT_FEATURE_COMPARISON),
        ),
        OpenQuestion("How much is luck?", "none of the documents", partial(describe_both_feature_sets, "luck")),
        OpenQuestion(
            "Is a consensus of experts better than their mean?", "Hindi et al., section V", describe_consensus
        ),
    ],
    figures=[
        PaperFigure(
            "four",
            "Learners with four features",
            "Means of seeds, the best first.",
            partial(draw_learners, FOUR_FEATURE_COMPARISON),
        ),
        PaperFigure(
            "four-curves",
            "Learning with four features",
            "One learner of each kind. What a learner ends with may be an earlier favourite.",
            partial(draw_learning_curves, FOUR_FEATURE_COMPARISON, (*_DRAWN_LEARNERS, Q_LEARNING_LABEL)),
        ),
        PaperFigure(
            "eight",
            "Learners with eight features",
            "Means of seeds, the best first.",
            partial(draw_learners, EIGHT_FEATURE_COMPARISON),
        ),
        PaperFigure(
            "eight-curves",
            "Learning with eight features",
            "One learner of each kind. What a learner ends with may be an earlier favourite.",
            partial(draw_learning_curves, EIGHT_FEATURE_COMPARISON, _DRAWN_LEARNERS),
        ),
    ],
    tables=[
        ResultTable(
            f"All learners with {contest.label}",
            f"{contest.feature_list}; {contest.piece_budget:,} pieces each "
            f"({contest.quick_piece_budget:,} in a quick reproduction). Lines are of held-out games; generations are episodes for "
            "Q-learning; seconds are those of one run beside others, and of this machine.",
            _TABLE_HEADINGS,
            partial(make_learner_table, contest),
        )
        for contest in LEARNER_COMPARISONS
    ],
    notes=[
        "The board is 10×10, where the games of all these agents end: no game is cut short, neither while learning nor "
        "when judged.",
        "The same for everybody: features, measured after full rows are removed; two games a candidate, on pieces "
        "that all candidates of a generation share; the budget of pieces placed while learning; one favourite judged "
        "for every 100 candidates, in 100 games; five finalists. Population, spread, selection, mutation and noise are "
        "the recipe's own. Judging is outside the budget.",
        "A generation is always played to its end, so the budget is exceeded by a part of the last one; the tables "
        "say by how much.",
        "The four features are those of Flom and Robinson. Q-learning as in TetrAIs weighs how the same four change; "
        "since the board before is the same for all placements, that chooses as the four themselves do. It has no "
        "way to take other features, so it is not among the eight. Its favourite is judged every 50 episodes, as its "
        "recipe has it, which gives it more chances to put a good one forward than the others have.",
        "The budget of the eight features is larger because their games are many times as long; it allows about as "
        "many generations. With the 21 features of Bertsekas and Ioffe only the noise of cross-entropy is looked at.",
        "A crowd is made of the best of every generation of the run beside it, and costs nothing more. “Genetic as "
        "Hindi et al.” is the best of these experts by games that decide; it and the crowds are measured in others.",
        "Ratios have an interval over seeds: “no difference found” means that it holds 1.",
    ],
)
