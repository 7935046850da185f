"""Claims of the TetrAIs report about Q-learning: sections 6.5, 7 and 8, and Figure 12."""

from tetrion.lab.papers.tetrais.tetrais_q_learning_findings import (
    FEW_LINES,
    FIFTH_EPISODE_EXPONENT,
    FIGURE_12_WEIGHTS,
    FIRST_EPISODE_FACTOR,
    HALF_BOARD_CELLS,
    REPORT_GREEDY_WEIGHTS,
    SMALL_WEIGHT,
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
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import PublishedStatement

_OWN_RECIPE_READING = "Q-learning has our additions (recipe `tetrais-q`)"

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
        difference_cause="the report does not give its learning rate; a rate that changes was not tested",
    ),
    Claim(
        "raw features: features such as total height are the cause of the growth",
        "section 6.5",
        PublishedStatement(
            "“Features like total heights […] were blamed for this phenomenon”",
            criterion="without total height, significantly fewer runs reach 10¹⁰ in three episodes",
        ),
        check_height_is_cause,
    ),
    Claim(
        "raw features: the trained agent builds a tower and clears no lines",
        "section 6.5",
        PublishedStatement(
            "“arranged in a tower-like pattern without clearing any lines”",
            criterion=f"less than {FEW_LINES:g} lines per game, and fewer than {HALF_BOARD_CELLS} filled cells at its "
            "end",
        ),
        check_towers,
    ),
    Claim(
        "differences of features instead of raw features prevent the growth of weights",
        "section 6.5",
        PublishedStatement(
            "“To tackle these issues […] Delta Maximum Height […] Delta Holes”",
            criterion=f"no weight above {SMALL_WEIGHT}, ten times the largest initial one, at the end of training",
        ),
        check_refinement,
    ),
    Claim(
        "Q-learning outperforms the greedy agent (an expectation of the report, not a result)",
        "section 7",
        PublishedStatement("“expected to outperform the greedy search”"),
        make_better_than_greedy_check("q-report"),
        readings=[Reading(_OWN_RECIPE_READING, make_better_than_greedy_check("q"))],
    ),
    Claim(
        "practice improves the Q-learning agent",
        "section 8",
        PublishedStatement(
            "“After enough practice, it achieves competitive game-play and high scores”",
            criterion="it scores more than with its initial weights",
        ),
        make_practice_check("q-report"),
        readings=[Reading(_OWN_RECIPE_READING, make_practice_check("q"))],
    ),
    Claim(
        "Q-learning plays without limit",
        "abstract; section 7",
        PublishedStatement("“limitless gameplay”", criterion="no game ends before our limit of pieces"),
        make_limitless_check("q-report"),
        difference_cause="the report does not state how long its games were",
        readings=[Reading(_OWN_RECIPE_READING, make_limitless_check("q"))],
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
