"""The claims of Gavrilov's report about games of its agents, and where its text allows other readings."""

from functools import partial

from tetrion.lab.papers.gavrilov import gavrilov_findings
from tetrion.lab.papers.gavrilov.gavrilov_findings import format_randomiser_measurement_name
from tetrion.lab.papers.gavrilov.gavrilov_games import format_key_rate
from tetrion.lab.papers.gavrilov.gavrilov_real_time import REAL_TIME_KEY_RATES
from tetrion.lab.reproduction.measured_values import make_mean_reader
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import (
    PublishedMean,
    PublishedRange,
    PublishedStatement,
    PublishedWithMargin,
)

_LOSS_CRITERION = f"at least {gavrilov_findings.IMPORTANT_LOSS:.0%} fewer lines without it".replace("%", " %")
_SERIES_CRITERION = (
    "in fewer than half of our series of ten games of each, the 95 % interval of the difference of the two means is "
    "above 0"
)
_REAL_TIME = "the game runs in real time and the agent presses {} keys per second (Sections 4.15 and 7.2)"

_HAND_MADE_CLAIMS = [
    Claim(
        "random keys: lines per game",
        "Section 7.1.1",
        PublishedRange("“only 1-2 lines”", low=1, high=2),
        make_mean_reader("random-keys"),
        difference_cause="the report does not give the keys per second, only that keys are pressed “too rapidly”; ours "
        f"are {format_key_rate(60)}",
        readings=[
            Reading(
                f"{format_key_rate(int(rate))} keys are pressed per second",
                partial(gavrilov_findings.read_key_rate, rate),
            )
            for rate in gavrilov_findings.RANDOM_KEY_RATES[1:]
        ],
    ),
    Claim(
        "lowest point: lines per game",
        "Section 7.2.1, Figure 47; ten games by Section 7.6",
        PublishedMean("“7-8 lines on average”", 7.5, 10),
        make_mean_reader("lowest"),
    ),
    Claim(
        "lowest point beats random keys",
        "Section 7.2.1",
        PublishedStatement(
            "“outperformed the random player agent noticeably”",
            criterion=f"more than {gavrilov_findings.NOTICEABLE_FACTOR} times as many lines, at every key rate",
        ),
        partial(gavrilov_findings.check_beats_random_keys, "lowest", factor=gavrilov_findings.NOTICEABLE_FACTOR),
    ),
    Claim(
        "holes added: lines per game",
        "Section 7.3.1, Figure 50; ten games by Section 7.6",
        PublishedMean("“on average around 60-70 lines”", 65, 10),
        make_mean_reader("gavrilov-2"),
    ),
    Claim(
        "holes added: impact",
        "Sections 7.3.1 and 7.6",
        PublishedStatement(
            "“The hole parameter produced a significant impact on the agent's performance”",
            criterion=f"more than {gavrilov_findings.NOTICEABLE_FACTOR} times as many lines as with height alone",
        ),
        partial(gavrilov_findings.check_more_lines, "gavrilov-2", "lowest", factor=gavrilov_findings.NOTICEABLE_FACTOR),
    ),
    Claim(
        "bumpiness added: most lines in ten games",
        "Section 7.4.1, Figure 55",
        PublishedRange(
            "“During the ten-run episode, the agent barely cleared more than 15 lines”",
            low=15,
            high=18,
            criterion="15 to 18 lines in the best of ten games, compared with the 95 % range of our best of ten",
        ),
        partial(gavrilov_findings.compute_best_of_ten, "gavrilov-3"),
        difference_cause="the cause is not known",
    ),
    Claim(
        "bumpiness reduces the lines: factor",
        "Section 7.4.1",
        PublishedRange("“nearly 6 times”", low=5.4, high=6, criterion="a factor of 5.4 to 6, at most 10 % less than 6"),
        partial(gavrilov_findings.compute_lines_ratio, "gavrilov-2", "gavrilov-3"),
        difference_cause="the cause is not known",
    ),
    Claim(
        "bumpiness reduces the lines because holes and bumpiness have equal weights",
        "Section 7.4.1",
        PublishedStatement(
            "“could be rationalised by the fact that the hole and bumpiness characteristics both diminish a position's "
            "rating equally”",
            criterion="adding bumpiness lowers the lines if its weight equals that of holes, and raises them if the "
            "weight of holes is ten times as large",
        ),
        gavrilov_findings.check_equal_weights_cause,
    ),
    Claim(
        "clearing added: lines per game",
        "Section 7.5.1, Figure 58; ten games by Section 7.6",
        PublishedMean("“on average with 20 cleared lines”", 20, 10),
        make_mean_reader("gavrilov-4"),
    ),
    Claim(
        "the agent with height and holes is the best of the four",
        "Section 7.6, Figure 59",
        PublishedStatement("“outperformed the others”"),
        partial(gavrilov_findings.check_rank, "gavrilov-2", ()),
    ),
    Claim(
        "the agent with all four features is the second best",
        "Section 7.6, Figure 59",
        PublishedStatement("“the second-best performance”"),
        partial(gavrilov_findings.check_rank, "gavrilov-4", ("gavrilov-2",)),
    ),
    Claim(
        "more features give more lines",
        "Section 7.6, Figure 59",
        PublishedStatement(
            "“a modest improvement as the number of features increased”",
            criterion="each agent clears more lines than the one before it with fewer features, by less than a factor "
            f"of {gavrilov_findings.MODEST_FACTOR}",
        ),
        partial(gavrilov_findings.check_modest_improvement, gavrilov_findings.AGENTS_BY_FEATURE_COUNT),
        difference_cause="as in the report, the agent with two features is far above the others",
        readings=[
            Reading(
                "the agent with two features, which “outperformed the others”, is left out, so that the first step "
                "adds two features",
                partial(gavrilov_findings.check_modest_improvement, ("lowest", "gavrilov-3", "gavrilov-4")),
            )
        ],
    ),
    Claim(
        "all four features are not significantly above three",
        "Section 7.6, Figure 59",
        PublishedStatement("“not significantly higher”", criterion=_SERIES_CRITERION),
        partial(gavrilov_findings.check_significance_in_ten_games, "gavrilov-4", "gavrilov-3"),
    ),
    Claim(
        "all four features are not significantly above one",
        "Section 7.6, Figure 59",
        PublishedStatement("“not significantly higher”", criterion=_SERIES_CRITERION),
        partial(gavrilov_findings.check_significance_in_ten_games, "gavrilov-4", "lowest"),
        difference_cause="the cause is not known; the report gives no test of significance",
    ),
]

_TRAINED_AGENT_CLAIMS = [
    Claim(
        "trained agent: over 1,500 lines in every game",
        "Section 9.2, Figure 70",
        PublishedStatement(
            "“cleared over 1,500 lines every game”",
            criterion="every one of as many games as he played, a number that is not given",
        ),
        partial(gavrilov_findings.check_every_game_above, 1500),
    ),
    Claim(
        "trained agent: lines per game",
        "Section 9.3",
        PublishedWithMargin(
            "“clearing about 1,500 lines every game”", value=1500, margin_share=0.2, criterion="1,500 ± 20 %"
        ),
        make_mean_reader("gavrilov"),
        difference_cause="the cause is not known. In real time, with the keys of the report, it clears fewer lines, "
        "but more than three times as many as published even with about one key per row (8 per second), the fewest "
        "that his program allows; with the line-clearing bug it clears more than twenty times as many (other "
        "readings). In real time, 1,500 lines take half an hour to one and a half hours, depending on the keys per "
        "second, and a whole game several hours (table of real-time games); the report does not say whether games were "
        "stopped",
        readings=[
            *(
                Reading(_REAL_TIME.format(format_key_rate(rate)), partial(gavrilov_findings.read_real_time_lines, rate))
                for rate in REAL_TIME_KEY_RATES
            ),
            Reading(
                "the line-clearing bug of his program is part of the game (Section 7.3.2)",
                gavrilov_findings.read_lines_with_bug,
            ),
            Reading(
                "pieces spawn in the top rows and move within the board (Figure 45)", make_mean_reader("low-entry")
            ),
        ],
        headline="about 1,500 lines per game by the trained agent",
    ),
    Claim(
        "trained weights beat equal ones",
        "Section 7.6",
        PublishedStatement(
            "“suboptimal performance may be attributed to the evaluation function treating all four features equally”",
            criterion="the trained weights clear more lines",
        ),
        partial(gavrilov_findings.check_more_lines, "gavrilov", "gavrilov-4"),
    ),
    Claim(
        "the weights of generation 14 are optimal",
        "Section 9.1",
        PublishedStatement(
            "“I thought that the agents had achieved the optimal weights”",
            criterion="fewer lines if any one of the weights is set to 0",
        ),
        gavrilov_findings.check_weights_optimal,
    ),
    Claim(
        "the line-clearing bug is rare",
        "Section 7.3.2; Section 11.1: “emerged several times during the project development”",
        PublishedStatement(
            "“the bug occurrence was rare”", criterion=f"less than once per {gavrilov_findings.RARE_LINES} lines"
        ),
        gavrilov_findings.check_bug_is_rare,
        difference_cause="the report does not say how often it was seen, and the cause is not known",
    ),
    Claim(
        "the line-clearing bug does little harm",
        "Section 7.3.2",
        PublishedStatement(
            "“did not cause any serious problems with gameplay”",
            criterion=f"less than {gavrilov_findings.IMPORTANT_LOSS:.0%} fewer lines with it".replace("%", " %"),
        ),
        gavrilov_findings.check_bug_is_harmless,
    ),
    Claim(
        "a bag deals more evenly, a property of its definition",
        "Section 4.7",
        PublishedStatement("“reducing long streaks of the same piece or excessive waiting times for a certain piece”"),
        gavrilov_findings.check_bag_deals_evenly,
        kind=ClaimKind.TRANSCRIPTION,
    ),
    Claim(
        "a bag helps the agent",
        "Section 4.7",
        PublishedStatement(
            "“could be beneficial for the future AI agent”", criterion="more lines than with uniform draws"
        ),
        partial(
            gavrilov_findings.check_more_lines, "gavrilov", format_randomiser_measurement_name("gavrilov", "uniform")
        ),
    ),
]


# The report infers the importance of a feature from the size of its weight. Removing the feature is our own test.
GAVRILOV_REMOVAL_TESTS = [
    Claim(
        "trained agent: without holes",
        "Section 9.1",
        PublishedStatement(
            "“the most crucial of all features”, by its weight",
            criterion="fewer lines without it than without any other",
        ),
        partial(gavrilov_findings.check_most_important, "holes"),
        kind=ClaimKind.OWN,
    ),
    *(
        Claim(
            f"trained agent: without {label}",
            "Section 9.1",
            PublishedStatement(f"{words}, by its weight", criterion=_LOSS_CRITERION),
            partial(gavrilov_findings.check_feature_matters, feature),
            kind=ClaimKind.OWN,
        )
        for label, feature, words in (
            ("bumpiness", "bumpiness", "“influential”"),
            ("clearing", "lines", "“important for the agent's performance”"),
            ("height", "piece_top", "“less critical, but still retained a positive value”"),
        )
    ),
]

GAVRILOV_GAME_CLAIMS = [*_HAND_MADE_CLAIMS, *_TRAINED_AGENT_CLAIMS]
