"""Claims of the TetrAIs report about the scores of its agents: Figures 13 and 14, and sections 6 and 7."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.tetrais.tetrais_measurements import RUN_COUNTS
from tetrion.lab.papers.tetrais.tetrais_score_findings import (
    EXCEPTIONAL_SHARE,
    FEW_GAMES_SHARE,
    LARGE_FACTOR,
    MEAN_STATISTIC,
    NEARLY_ALL_SHARE,
    TETRAIS_PUBLISHED_VALUES,
    VARIANCE_DECIMALS,
    VARIANCE_STATISTIC,
    ValueRange,
    check_score_order,
    check_series_won,
    check_weights_impact,
    decide_below,
    make_exceptional_games_check,
    make_extreme_reader,
    make_increase_check,
    make_share_check,
    make_statistic_reader,
)
from tetrion.lab.reproduction.paper_definition import Claim, Reading
from tetrion.lab.reproduction.published_values import (
    PublishedSample,
    PublishedStatement,
    PublishedWithMargin,
    decide_above,
)

TETRAIS_AGENT_LABELS = {"random": "random", "min-height-plain": "minimum height", "greedy": "greedy"}


class AgentReading(NamedTuple):
    """Another reading of an agent or of its rules: the agent's measurement, a label for tables, and a description."""

    agent: str
    label: str
    description: str


MIN_HEIGHT_READING = (
    "the left edge of a piece goes on the leftmost of the lowest columns (agent `min-height`, chosen by its fit)"
)
OTHER_AGENT_READINGS = {  # by the name of the measurement
    "forty": AgentReading(
        "random", "ten columns", "a random piece is moved to one of ten columns and pushed back if it crosses the wall"
    ),
    "edge": AgentReading(
        "random",
        "columns 0 to 10",
        "the columns are 0 to 10 (section 5.1) and a piece that crosses the wall is pushed back",
    ),
    "random-above": AgentReading("random", "spawn above", "pieces spawn in two rows above the 22"),
    "min-height": AgentReading("min-height-plain", "`min-height`", MIN_HEIGHT_READING),
    "greedy-higher": AgentReading(
        "greedy", "higher landing height", "ties of the greedy agent are broken by the higher landing height"
    ),
    "greedy-above": AgentReading("greedy", "spawn above", "pieces spawn in two rows above the 22"),
}
STATISTIC_LABELS = {MEAN_STATISTIC: "average score", VARIANCE_STATISTIC: "normalised variance"}
_FIGURES = {MEAN_STATISTIC: "Figure 13", VARIANCE_STATISTIC: "Figure 14"}
_SECTIONS = {"random": "section 6.1", "min-height-plain": "section 6.2", "greedy": "section 6.3"}
_CAUSES = {
    (MEAN_STATISTIC, "random"): "the report gives neither the end of the game nor what happens at the wall, and the "
    "table of interpretations shows that both change the average",
    (MEAN_STATISTIC, "min-height-plain"): "the report does not define where a piece is as low as feasible, and the "
    "table of interpretations shows that the average depends on it",
    (MEAN_STATISTIC, "greedy"): "the report does not give its tie-breaking rule, and the table of tie-breaking rules "
    "shows that the average depends on it",
}
_UNKNOWN_CAUSE = "the cause is not known"
_FITTED_END = (
    "the end of the game, which the report does not give, was chosen by this agent's fit: of the three game-over "
    "conditions in the table of interpretations, ours comes closest to its average and variance (a spawn two rows "
    "higher comes closer still to the average)"
)


def make_published_statistic(agent: str, runs: int, statistic: str) -> PublishedSample:
    """Return a cell of Figure 13 or 14."""
    value = TETRAIS_PUBLISHED_VALUES[statistic][agent][runs]
    digits = VARIANCE_DECIMALS if statistic == VARIANCE_STATISTIC else None
    return PublishedSample(
        f"{value:,}".removesuffix(".0") if statistic == MEAN_STATISTIC else format_number(value, digits),
        value=value,
        sample=format_count(runs, "game"),
        decimals=digits,
    )


def make_statistic_claim(agent: str, statistic: str) -> Claim:
    """Return the claim of a cell of 1,000 games in Figure 13 or 14, with its other readings.

    The cells of 10 and 100 games are smaller samples of the same experiment: a table shows them, and they are no
    claims.
    """
    runs = RUN_COUNTS[-1]
    readings = [
        Reading(reading.description, make_statistic_reader(name, runs, statistic))
        for name, reading in OTHER_AGENT_READINGS.items()
        if reading.agent == agent
    ]
    is_headline = agent == "greedy" and statistic == MEAN_STATISTIC
    return Claim(
        f"{STATISTIC_LABELS[statistic]} of the {TETRAIS_AGENT_LABELS[agent]} agent in {format_count(runs, 'game')}",
        f"{_FIGURES[statistic]}; {_SECTIONS[agent]}",
        make_published_statistic(agent, runs, statistic),
        make_statistic_reader(agent, runs, statistic),
        difference_cause=_CAUSES.get((statistic, agent), _UNKNOWN_CAUSE),
        readings=readings,
        fitted_reading=_FITTED_END if agent == "random" else "",
        headline="6,883 points by the greedy agent, the mean of 1,000 games" if is_headline else "",
    )


def make_extreme_claim(statistic: str, value: float, quote: str) -> Claim:
    """Return the claim of the lowest or highest score of the minimum height agent."""
    return Claim(
        f"the {statistic} score of the minimum height agent in 1,000 games",
        "section 7",
        PublishedWithMargin(
            quote,
            value=value,
            margin_share=0.1,
            criterion=f"{value:g} ± 10 % as the {statistic} of 1,000 games, a number that section 7 does not give",
        ),
        make_extreme_reader("min-height-plain", statistic),
        difference_cause=_CAUSES[MEAN_STATISTIC, "min-height-plain"].replace("average", "score"),
        readings=[Reading(MIN_HEIGHT_READING, make_extreme_reader("min-height", statistic))],
    )


STATISTIC_CLAIMS = [
    make_statistic_claim(agent, statistic)
    for statistic in (MEAN_STATISTIC, VARIANCE_STATISTIC)
    for agent in TETRAIS_AGENT_LABELS
]

RESULT_CLAIMS: Sequence[Claim] = [
    Claim(
        "the random agent hardly ever clears a line",
        "section 7",
        PublishedStatement(
            "“making it nearly impossible to clear a line”",
            criterion=f"fewer than {100 * FEW_GAMES_SHARE:g} % of games have a line",
        ),
        make_share_check("random", "lines", ValueRange(0), decide_below, FEW_GAMES_SHARE),
    ),
    Claim(
        "the minimum height agent clears more than five lines in some exceptional games",
        "section 7",
        PublishedStatement(
            "“more than five lines can be cleared in some exceptional instances”",
            criterion=f"{100 * EXCEPTIONAL_SHARE:g} % to {100 * FEW_GAMES_SHARE:g} % of games",
        ),
        make_exceptional_games_check("min-height-plain"),
        difference_cause=_UNKNOWN_CAUSE,
        readings=[Reading(MIN_HEIGHT_READING, make_exceptional_games_check("min-height"))],
    ),
    make_extreme_claim("lowest", 20, "“a score range of 20 to 300”: 20"),
    make_extreme_claim("highest", 300, "“a score range of 20 to 300”: 300"),
    Claim(
        "the highest score of the greedy agent",
        "section 7",
        PublishedSample(
            "“one outstanding sample received a score of 30000”",
            value=30_000,
            criterion="the highest of 1,000 games, a number that section 7 does not give; within the 95 % range",
        ),
        make_extreme_reader("greedy", "highest"),
        difference_cause=_UNKNOWN_CAUSE,
    ),
    Claim(
        "the greedy agent scores between 20,000 and 30,000",
        "section 7",
        PublishedStatement(
            "“produces scores between 20,000 and 30,000, indicating that it is competent in the majority of scenarios”",
            criterion="more than half of the games",
        ),
        make_share_check("greedy", "score", ValueRange(20_000, 30_000), decide_above, 0.5),
        difference_cause="the cause is not known; the report's own average of 6,883 (Figure 13) is also far below "
        "20,000",
    ),
    Claim(
        "the minimum height agent beats the random agent over ten runs",
        "section 6.2",
        PublishedStatement(
            "“constantly beaten by the Minimum Height Agent after ten runs”",
            criterion=f"higher mean in more than {100 * NEARLY_ALL_SHARE:g} % of series of ten games",
        ),
        check_series_won,
    ),
    Claim(
        "the greedy agent has a higher average and variance than the minimum height agent",
        "section 7",
        PublishedStatement(
            "“the greedy agent shows a significant increase in average and variance”",
            criterion="the 95 % ranges of 1,000 games do not overlap, for the average and for the normalised variance "
            "of Figure 14",
        ),
        make_increase_check("min-height-plain"),
        difference_cause=_UNKNOWN_CAUSE,
        readings=[Reading(MIN_HEIGHT_READING, make_increase_check("min-height"))],
    ),
    Claim(
        "the weights of the features have a large effect on the greedy agent",
        "section 8",
        PublishedStatement(
            "“the weights given to the various features have a significant impact on how effective the Greedy Agent "
            "is”",
            criterion=f"genetic weights multiply its score by more than {LARGE_FACTOR:g}",
        ),
        check_weights_impact,
        difference_cause=_UNKNOWN_CAUSE,
    ),
    Claim(
        "performance rises from agent to agent: random, minimum height, greedy, depth-limited",
        "section 7; Figure 13, which has the first three",
        PublishedStatement(
            "“a steady increase in the agent's performance, starting from the baseline and progressing through "
            "variants”",
            criterion="each scores significantly more than the one before",
        ),
        check_score_order,
        difference_cause=_UNKNOWN_CAUSE,
    ),
]
