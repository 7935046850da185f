"""All learners on the same budget of pieces: genetic, crowds, cross-entropy, CMA-ES, harmony search, Q-learning."""

from collections.abc import Callable
from functools import partial

from tetrion.lab.papers.comparison.comparison_claims import COMPARISON_CLAIMS
from tetrion.lab.papers.comparison.comparison_findings import (
    LearnerComparison,
    describe_best_learner,
    describe_crowd_difference,
    describe_order_change,
    describe_seed_variation,
    draw_learners,
    draw_learning_curves,
    make_learner_table,
)
from tetrion.lab.papers.comparison.comparison_learners import (
    BEST_EXPERT_LABEL,
    CMA_ES_LABEL,
    COMPARISON_RULES,
    COMPARISON_TRAININGS,
    CONSENSUS_CROWD_LABEL,
    DECREASING_NOISE_LABEL,
    EIGHT_FEATURE_COMPARISON,
    FOUR_FEATURE_COMPARISON,
    GENETIC_UNIFORM_LABEL,
    HARMONY_SEARCH_LABEL,
    LEARNER_COMPARISONS,
    MEAN_CROWD_LABEL,
    Q_LEARNING_LABEL,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults, OpenQuestion, Paper, PaperFigure, ResultTable

_DRAWN_LEARNERS = (GENETIC_UNIFORM_LABEL, BEST_EXPERT_LABEL, DECREASING_NOISE_LABEL, CMA_ES_LABEL, HARMONY_SEARCH_LABEL)


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
    label="Learners compared",
    title="All learners on the same budget",
    source="A study of our own; the statements come from the literature",
    description="Every learner gets the same features, games and budget of pieces for training, and is measured in "
    "held-out games (not used for training or selection). None of the documents compares more than two of them in this "
    "way.",
    rules=f"{COMPARISON_RULES}: pieces drawn uniformly, hard drops only, no next piece",
    measurements=COMPARISON_TRAININGS,
    claims=COMPARISON_CLAIMS,
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
        "Intervals of ratios are over seeds. If the interval contains 1, no difference was found, and a statement that "
        "one learner is better is undecided.",
    ],
    implemented="Every learner of Tetrion with the same features, games and budget of pieces: genetic algorithms, "
    "crowds, cross-entropy, CMA-ES, harmony search and Q-learning.",
    deviations="The board is 10×10, and features, games and budget differ from those of the documents.",
)
