"""Claims of the TetrAIs report about Q-learning: sections 6.5, 7 and 8, and Figure 12."""

from collections.abc import Callable

from tetrion.lab.papers.tetrais.tetrais_q_learning_findings import (
    FIFTH_EPISODE_EXPONENT,
    FIGURE_12_WEIGHTS,
    FIRST_EPISODE_FACTOR,
    NO_LINES_SHARE,
    REPORT_GREEDY_WEIGHTS,
    check_height_is_cause,
    check_refinement,
    check_towers,
    check_weight_growth,
    load_greedy_weights,
    load_initial_weights,
    make_better_than_greedy_check,
    make_limitless_check,
    make_practice_check,
    make_weights_check,
)
from tetrion.lab.papers.tetrais.tetrais_q_learning_measurements import RECIPE_LEARNING_RATE
from tetrion.lab.reproduction.measured_values import ValueReader
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import PublishedStatement

_Q_LEARNING_CAUSE = (
    "the cause is not known; the report gives neither the learning rate nor the length of training, and the table of "
    "changes shows what our additions change"
)


def make_rate_readings(make_check: Callable[[str], ValueReader]) -> list[Reading]:
    """Return the readings of a claim under which the learning rate, which the report does not give, is another one."""
    rates = {"q-report-fast": "0.01", "q-report-slow": "0.0001"}
    return [
        Reading(f"the learning rate is {rate} instead of {RECIPE_LEARNING_RATE:g}", make_check(name))
        for name, rate in rates.items()
    ]


Q_LEARNING_CLAIMS = [
    Claim(
        "raw features: the growth of the largest weight over five episodes",
        "Figure 12; section 6.5",
        PublishedStatement(
            "−35.7 after episode 1; “1.0E+10 after only three episodes”; −5.46E+122 after episode 5",
            criterion=f"in one run, within a factor of {FIRST_EPISODE_FACTOR} after episode 1, at least 10¹⁰ after "
            f"episode 3, and within {FIFTH_EPISODE_EXPONENT} powers of ten after episode 5",
        ),
        check_weight_growth,
        difference_cause="the cause is not known; the report does not give its learning rate, and a rate that changes "
        "was not tested",
    ),
    Claim(
        "raw features: features such as total height are the cause of the growth",
        "section 6.5",
        PublishedStatement(
            "“Features like total heights”, “were blamed for this phenomenon”",
            criterion="without total height, significantly fewer runs reach 10¹⁰ in three episodes",
        ),
        check_height_is_cause,
        difference_cause="the cause is not known",
    ),
    Claim(
        "raw features: the trained agent builds a tower and clears no lines",
        "section 6.5",
        PublishedStatement(
            "“arranged in a tower-like pattern without clearing any lines”",
            criterion="it places fewer pieces than the random agent, and more than "
            f"{100 * NO_LINES_SHARE:g} % of its games have no line",
        ),
        check_towers,
        difference_cause="the cause is not known",
    ),
    Claim(
        "practice improves the Q-learning agent",
        "section 8",
        PublishedStatement(
            "“After enough practice, it achieves competitive game-play and high scores”",
            criterion="it scores significantly more than with its initial weights",
        ),
        make_practice_check("q-report"),
        difference_cause=_Q_LEARNING_CAUSE,
        readings=make_rate_readings(make_practice_check),
    ),
    Claim(
        "Q-learning plays without limit",
        "abstract; section 7",
        PublishedStatement(
            "“satisfying limitless gameplay by optimizing weights” (section 7)",
            criterion="no game ends before our limit of pieces",
        ),
        make_limitless_check("q-report"),
        difference_cause=_Q_LEARNING_CAUSE,
        readings=make_rate_readings(make_limitless_check),
    ),
    Claim(
        "differences of features instead of raw features reduce the growth of weights",
        "section 6.5, which gives no outcome",
        PublishedStatement(
            "“To tackle these issues, a thorough reevaluation of every feature was carried out”",
            criterion="with differences, significantly fewer runs reach 10¹⁰ in three episodes",
        ),
        check_refinement,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "Q-learning as the report writes it outperforms the greedy agent",
        "section 7, an expectation and no result",
        PublishedStatement("“expected to outperform the greedy search”", criterion="it scores significantly more"),
        make_better_than_greedy_check("q-report"),
        kind=ClaimKind.OWN,
    ),
    Claim(
        "Q-learning with our additions (recipe `tetrais-q`) outperforms the greedy agent",
        "section 7, an expectation and no result",
        PublishedStatement("“expected to outperform the greedy search”", criterion="it scores significantly more"),
        make_better_than_greedy_check("q"),
        kind=ClaimKind.OWN,
    ),
    Claim(
        "initial weights of Q-learning: lines, total height, maximum height, holes, deltas",
        "Figure 12",
        PublishedStatement("4, −2, −1, −1, −1"),
        make_weights_check(FIGURE_12_WEIGHTS["initial"], load_initial_weights),
        kind=ClaimKind.TRANSCRIPTION,
    ),
    Claim(
        "weights of the greedy agent: maximum height, total height, holes, lines, delta",
        "section 6.3",
        PublishedStatement("−1, −1, −2, 2, −1"),
        make_weights_check(list(REPORT_GREEDY_WEIGHTS.values()), load_greedy_weights),
        kind=ClaimKind.TRANSCRIPTION,
    ),
]
