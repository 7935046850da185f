"""Statements of the literature about learners, each compared under the equal conditions of our own study."""

from tetrion.evaluation.number_format import format_percent
from tetrion.lab.papers.comparison.comparison_findings import (
    EQUAL_LINES_SHARE,
    LearnerComparison,
    make_better_check,
    make_crowd_beaten_check,
    make_crowd_better_check,
    make_not_worse_check,
    make_unlearning_check,
)
from tetrion.lab.papers.comparison.comparison_learners import (
    BERTSEKAS_COMPARISON,
    CMA_ES_LABEL,
    CONSTANT_NOISE_LABEL,
    DECREASING_NOISE_LABEL,
    EIGHT_FEATURE_COMPARISON,
    FOUR_FEATURE_COMPARISON,
    GENETIC_HUX_LABEL,
    GENETIC_ONE_POINT_LABEL,
    GENETIC_TWO_POINT_LABEL,
    GENETIC_UNIFORM_LABEL,
    HARMONY_SEARCH_LABEL,
    MEAN_CROWD_LABEL,
    NO_NOISE_LABEL,
    Q_LEARNING_LABEL,
)
from tetrion.lab.reproduction.measured_values import ValueReader
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind
from tetrion.lab.reproduction.published_values import PublishedStatement

_FLOM_SOURCE = "Flom and Robinson 2004, in Hindi et al., section II B"
_FLOM_RULES = "the authors' own program; the board size is not given"
_CROWD_RULES = "10×20, points, 500 pieces per game"
_OTHER_PROGRAM_RULES = "the authors' own program and features"
_MORE_LINES = "more lines per game"
_NOT_WORSE = f"at least {format_percent(EQUAL_LINES_SHARE)} of the lines of"


def make_statement(
    statement: str, location: str, published: PublishedStatement, check: ValueReader, *, rules: str
) -> Claim:
    """Return a statement of the literature, compared under other conditions than those of its document."""
    return Claim(
        statement,
        location,
        published,
        check,
        difference_cause="the cause was not tested",
        published_rules=rules,
        kind=ClaimKind.OWN,
    )


def make_claims(comparison: LearnerComparison) -> list[Claim]:
    """Return the literature's statements about learners, for one feature set."""
    suffix = f", {comparison.label}"
    return [
        make_statement(
            f"uniform and HUX are better than the other two of four crossovers{suffix}",
            _FLOM_SOURCE,
            PublishedStatement("“uniform and HUX performed best of the four”", criterion=_MORE_LINES),
            make_better_check(
                comparison,
                (GENETIC_UNIFORM_LABEL, GENETIC_HUX_LABEL),
                (GENETIC_ONE_POINT_LABEL, GENETIC_TWO_POINT_LABEL),
            ),
            rules=_FLOM_RULES,
        ),
        make_statement(
            f"one-point is worse than the other three of four crossovers{suffix}",
            _FLOM_SOURCE,
            PublishedStatement("“one-point performed the worst”", criterion=f"{_MORE_LINES} with the other three"),
            make_better_check(
                comparison,
                (GENETIC_TWO_POINT_LABEL, GENETIC_UNIFORM_LABEL, GENETIC_HUX_LABEL),
                (GENETIC_ONE_POINT_LABEL,),
            ),
            rules=_FLOM_RULES,
        ),
        make_statement(
            f"a crowd is better than its average expert{suffix}",
            "Hindi et al., section IV",
            PublishedStatement(
                "“agents that performed better than the average agent that utilized the genetic algorithm approach "
                "alone”",
                criterion=_MORE_LINES,
            ),
            make_crowd_better_check(comparison, MEAN_CROWD_LABEL, "average expert"),
            rules=_CROWD_RULES,
        ),
        make_statement(
            f"in some runs an expert is better than the crowd{suffix}",
            "Hindi et al., section IV",
            PublishedStatement(
                "“there are cases in which the genetic algorithm alone produced higher-scoring agents”",
                criterion="a higher mean of the held-out games in at least one run",
            ),
            make_crowd_beaten_check(comparison, MEAN_CROWD_LABEL, "best expert"),
            rules=_CROWD_RULES,
        ),
        *make_noise_claims(comparison),
        make_statement(
            f"CMA-ES is as good as cross-entropy{suffix}",
            "Boumaza 2013, “How to design good Tetris players”, abstract",
            PublishedStatement(
                "“The learned strategies are among the best performing players at this time”",
                criterion=f"{_NOT_WORSE} cross-entropy with decreasing noise",
            ),
            make_not_worse_check(comparison, CMA_ES_LABEL, DECREASING_NOISE_LABEL),
            rules=_OTHER_PROGRAM_RULES,
        ),
        make_statement(
            f"harmony search finds efficient agents{suffix}",
            "Romero et al. 2011, in Hindi et al., section II C",
            PublishedStatement(
                "“Tetris intelligent agents which were quite efficient”",
                criterion=f"{_NOT_WORSE} the genetic algorithm with uniform crossover",
            ),
            make_not_worse_check(comparison, HARMONY_SEARCH_LABEL, GENETIC_UNIFORM_LABEL),
            rules=_OTHER_PROGRAM_RULES,
        ),
    ]


def make_noise_claims(comparison: LearnerComparison) -> list[Claim]:
    """Return the statements about noise in cross-entropy, for one feature set."""
    return [
        make_statement(
            f"{noise} noise makes cross-entropy better, {comparison.label}",
            "Szita and Lőrincz 2006, “Learning Tetris Using the Noisy Cross-Entropy Method”, abstract",
            PublishedStatement(
                "“We apply noise for preventing early convergence of the cross-entropy method”",
                criterion=f"{_MORE_LINES} than without noise",
            ),
            make_better_check(comparison, (learner,), (NO_NOISE_LABEL,)),
            rules="10×20; ours is 10×10",
        )
        for noise, learner in {"constant": CONSTANT_NOISE_LABEL, "decreasing": DECREASING_NOISE_LABEL}.items()
    ]


COMPARISON_CLAIMS = [
    *make_claims(FOUR_FEATURE_COMPARISON),
    make_statement(
        "Q-learning is competitive, four features",
        "TetrAIs, section 8",
        PublishedStatement(
            "“After enough practice, it achieves competitive game-play and high scores”",
            criterion=f"{_NOT_WORSE} the genetic algorithm with uniform crossover",
        ),
        make_not_worse_check(FOUR_FEATURE_COMPARISON, Q_LEARNING_LABEL, GENETIC_UNIFORM_LABEL),
        rules="10×22 and points, the authors' own program",
    ),
    make_statement(
        "reinforcement learning may unlearn, four features",
        "Carr 2005, in Hindi et al., section II C",
        PublishedStatement(
            "“at one point unlearning its policy unexpectedly”",
            criterion="in at least one run the last incumbent clears less than half of the lines of the best",
        ),
        make_unlearning_check(FOUR_FEATURE_COMPARISON, Q_LEARNING_LABEL),
        rules=_OTHER_PROGRAM_RULES,
    ),
    *make_claims(EIGHT_FEATURE_COMPARISON),
    *make_noise_claims(BERTSEKAS_COMPARISON),
]
