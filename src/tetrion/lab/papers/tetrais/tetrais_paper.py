"""TetrAIs by Brahmbhatt and Patel: five agents from random to Q-learning, with averages of 10, 100 and 1,000 games."""

from functools import partial

from tetrion.lab.papers.tetrais import tetrais_findings
from tetrion.lab.papers.tetrais.tetrais_figures import (
    TETRAIS_AGENT_LABELS,
    TETRAIS_FIGURES,
    TETRAIS_TABLES,
    make_published_statistic,
)
from tetrion.lab.papers.tetrais.tetrais_findings import MEAN_STATISTIC, VARIANCE_STATISTIC, ValueRange
from tetrion.lab.papers.tetrais.tetrais_measurements import RUN_COUNTS, TETRAIS_MEASUREMENTS
from tetrion.lab.reproduction.measured_values import make_best_game_reader
from tetrion.lab.reproduction.paper_definition import Claim, OpenQuestion, Paper
from tetrion.lab.reproduction.published_values import (
    PublishedLowerBound,
    PublishedRange,
    PublishedStatement,
    PublishedWithMargin,
)

_FIGURE_LABELS = {
    MEAN_STATISTIC: ("average score", "Figure 13"),
    VARIANCE_STATISTIC: ("normalised variance", "Figure 14"),
}
_CAUSES = {
    "random": "the report's actions are an orientation and a column for every piece; if a piece that would leave the "
    "board is pushed back to the wall, as in rows below, more pieces lie at the wall and games last longer (two more "
    "rows at the top would also explain it, but not the score of the minimum height agent)",
    "min-height": "the value for 1,000 games agrees, and one of eighteen cells may lie outside by chance",
    "greedy": "with integer weights, ties are frequent, and the report does not give the tie-breaking rule: if the "
    "placement that rests higher is preferred, as in the rows below, the mean is that of the report",
}
_OTHER_INTERPRETATIONS = {
    "forty": ("random", "random agent that draws one of ten columns and is pushed back to the wall"),
    "edge": ("random", "random agent that draws one of the columns 0 to 10 (section 5.1) and is pushed back"),
    "greedy-higher": ("greedy", "greedy agent that prefers the higher of equally good placements"),
}
_VARIANCE_CAUSE = (
    "the games of a good agent end with the same probability at each piece, so the normalised variance is about 1"
)

_RUN_STATISTICS_CLAIMS = [
    *(
        Claim(
            f"{_FIGURE_LABELS[statistic][0]} of the {label} agent",
            _FIGURE_LABELS[statistic][1] if runs < RUN_COUNTS[-1] else f"{_FIGURE_LABELS[statistic][1]}; section 6",
            make_published_statistic(name, runs, statistic),
            tetrais_findings.make_statistic_reader(name, runs, statistic),
            difference_cause=_CAUSES[name],
        )
        for statistic in (MEAN_STATISTIC, VARIANCE_STATISTIC)
        for name, label in TETRAIS_AGENT_LABELS.items()
        for runs in RUN_COUNTS
    ),
    *(
        Claim(
            f"{_FIGURE_LABELS[statistic][0]} of a {label}",
            _FIGURE_LABELS[statistic][1],
            make_published_statistic(agent, RUN_COUNTS[-1], statistic),
            tetrais_findings.make_statistic_reader(name, RUN_COUNTS[-1], statistic),
            difference_cause="this interpretation alone does not explain the difference",
        )
        for name, (agent, label) in _OTHER_INTERPRETATIONS.items()
        for statistic in (MEAN_STATISTIC, VARIANCE_STATISTIC)
    ),
]

_EXPECTATION_CLAIMS = [
    Claim(
        "expected: the random agent never has more than 40 points",
        "section 7",
        PublishedStatement("never above 40"),
        tetrais_findings.make_share_check(
            "random", "score", ValueRange(40), lambda share: not share, "no game has more"
        ),
        difference_cause="a single line gives 40 points, and some games have one, as the report's own variance of 10 "
        "runs shows",
    ),
    Claim(
        "for the random agent it is nearly impossible to clear a line",
        "section 7",
        PublishedStatement("nearly impossible"),
        tetrais_findings.make_share_check(
            "random", "lines", ValueRange(0), lambda share: share < 0.05, "fewer than 5 % of games have a line"
        ),
    ),
    Claim(
        "expected: the minimum height agent is unlikely to score above 100",
        "section 7",
        PublishedStatement("unlikely above 100"),
        tetrais_findings.make_share_check(
            "min-height", "score", ValueRange(100), lambda share: share < 0.5, "most games score less"
        ),
    ),
    Claim(
        "the minimum height agent clears more than five lines in exceptional games",
        "section 7",
        PublishedStatement("more than five lines"),
        tetrais_findings.check_exceptional_games,
        difference_cause="such games are rarer here",
    ),
    Claim(
        "the lowest score of the minimum height agent",
        "section 7; Figure 7",
        PublishedWithMargin("about 20", value=20, margin_share=0.1),
        tetrais_findings.make_extreme_reader("min-height", "lowest"),
    ),
    Claim(
        "the highest score of the minimum height agent",
        "section 7; Figure 7",
        PublishedWithMargin("about 300", value=300, margin_share=0.1),
        tetrais_findings.make_extreme_reader("min-height", "highest"),
    ),
    Claim(
        "the highest score of the greedy agent",
        "section 7; Figure 9",
        PublishedWithMargin("one sample of 30,000", value=30_000, margin_share=0.05),
        tetrais_findings.make_extreme_reader("greedy", "highest"),
    ),
    Claim(
        "the greedy agent scores between 20,000 and 30,000 in the majority of games",
        "section 7",
        PublishedStatement("most games between 20,000 and 30,000"),
        tetrais_findings.make_share_check(
            "greedy", "score", ValueRange(20_000, 30_000), lambda share: share > 0.5, "this holds for most games"
        ),
        difference_cause="it contradicts the report's own mean of 6,883; only the best games score that much",
    ),
    Claim(
        "the minimum height agent constantly beats the random agent over ten runs",
        "section 6.2",
        PublishedStatement("constantly beaten"),
        tetrais_findings.check_series_won,
    ),
    Claim(
        "the score rises from agent to agent",
        "sections 6 and 7",
        PublishedStatement("random < minimum height < greedy < depth-limited"),
        partial(tetrais_findings.check_score_order, ("random", "minimum height", "greedy", "depth-limited")),
    ),
    Claim(
        "the normalised variance is smallest for random, then greedy, then minimum height",
        "Figure 14, 1,000 runs",
        PublishedStatement("0.097 < 0.318 < 0.334"),
        tetrais_findings.check_variance_order,
    ),
]

_LOOKAHEAD_CLAIMS = [
    Claim(
        "the depth-limited agent has cleared more than 10,000 lines",
        "sections 7 and 8",
        PublishedLowerBound("> 10,000 lines", bound=10_000),
        make_best_game_reader("depth2"),
    ),
    Claim(
        "the depth-limited agent can play indefinitely",
        "abstract; section 6.4",
        PublishedStatement("indefinitely"),
        partial(tetrais_findings.check_endless, "depth2"),
        difference_cause="its games last for hundreds of thousands of lines, many times the length observed in the "
        "report, but they end",
    ),
    Claim(
        "games of the depth-limited agent eventually end",
        "section 7",
        PublishedStatement("eventually dies"),
        tetrais_findings.check_games_end,
        difference_cause="no game was long enough",
    ),
    Claim(
        "every state has 40 actions",
        "section 6.4",
        PublishedRange("40", low=40, high=40),
        tetrais_findings.compute_placement_counts,
        difference_cause="the report counts four orientations and ten columns, including identical orientations and "
        "columns beyond the wall",
    ),
    Claim(
        "each additional piece multiplies the time per decision by 40",
        "section 6.4",
        PublishedStatement("O(K × 40ᴺ)"),
        tetrais_findings.check_time_growth,
        difference_cause="without identical orientations and columns beyond the wall, a piece has 23 placements on "
        "average",
    ),
    Claim(
        "with three pieces a decision takes less than a second",
        "section 6.4",
        PublishedStatement("< 1 s"),
        partial(tetrais_findings.check_decision_time, 3, 1.0),
        difference_cause="this machine was busy",
    ),
    Claim(
        "at 100 ms per row, all agents except the depth-limited one play as well as before",
        "section 10",
        PublishedStatement("the highest degree of competence"),
        tetrais_findings.check_scores_at_high_speed,
        difference_cause="even with one key per millisecond, some columns cannot be reached in time",
    ),
    Claim(
        "at 100 ms per row, the depth-limited agent needs a better processor",
        "section 10",
        PublishedStatement("not in a reasonable time"),
        tetrais_findings.check_depth_two_too_slow,
        difference_cause="the report's agent is interpreted Python, ours is compiled",
    ),
    Claim(
        "a genetic agent needs far less running time than the depth-limited one",
        "section 10",
        PublishedStatement("significantly less"),
        tetrais_findings.check_genetic_speed,
        difference_cause="this machine was busy",
    ),
    Claim(
        "a genetic agent on the same features beats the depth-limited one",
        "section 10",
        PublishedStatement("outperforms it"),
        tetrais_findings.check_genetic_lines,
        difference_cause="at depth one the same features clear far fewer lines with any weights; it is faster, and the "
        "answer below compares the two at depth two",
    ),
]

_Q_LEARNING_CLAIMS = [
    Claim(
        "raw features: weights grow to 10¹⁰ after three episodes",
        "section 6.5",
        PublishedStatement("1.0E+10"),
        tetrais_findings.check_weights_explode,
    ),
    Claim(
        "raw features: weights after five episodes",
        "Figure 12",
        PublishedStatement("up to −5.46E+122"),
        tetrais_findings.check_weights_reach_figure_12,
    ),
    Claim(
        "features such as total height are the cause",
        "section 6.5",
        PublishedStatement("total height"),
        tetrais_findings.check_height_weight_largest,
    ),
    Claim(
        "an agent with such weights builds towers and clears no lines",
        "section 6.5",
        PublishedStatement("tower-like, no lines"),
        tetrais_findings.check_towers,
    ),
    Claim(
        "differences of features keep the weights small",
        "section 6.5",
        PublishedStatement("the refinement solves it"),
        tetrais_findings.check_difference_weights_bounded,
    ),
    Claim(
        "Q-learning with the report's formula beats the greedy agent",
        "section 7",
        PublishedStatement("expected to outperform it"),
        partial(tetrais_findings.check_q_learning_beats_greedy, "q-as-reported"),
        difference_cause="differences alone represent neither the value of a game that goes on nor the later cost of "
        "a hole; with a constant feature and eligibility traces, as in the next row, it learns",
    ),
    Claim(
        "Q-learning with a constant feature and eligibility traces beats the greedy agent",
        "section 7",
        PublishedStatement("expected to outperform it"),
        partial(tetrais_findings.check_q_learning_beats_greedy, "q"),
    ),
    Claim(
        "expected: Q-learning has a steady variance",
        "section 7",
        PublishedStatement("steady"),
        tetrais_findings.check_q_learning_variance,
        difference_cause=_VARIANCE_CAUSE,
    ),
    Claim(
        "Q-learning plays without limit",
        "abstract; section 7",
        PublishedStatement("limitless gameplay"),
        tetrais_findings.check_q_learning_endless,
        difference_cause="an agent with four differences at depth one does not play longer; the report does not state "
        "how long its games were observed",
    ),
]

TETRAIS_PAPER = Paper(
    name="tetrais",
    title="TetrAIs",
    source="Pranit Brahmbhatt and Sachi Patel, report for CS 5100, Northeastern University, 2023",
    description="Five agents of increasing strength on 10×22: random, minimum height, greedy with five features, "
    "greedy with the next piece (depth-limited), and Q-learning of the weights. The score is one point per piece, and "
    "40, 100, 300 or 1,200 points for lines.",
    rules="tetrais: 10×22, pieces drawn uniformly, one next piece, hard drops only",
    measurements=TETRAIS_MEASUREMENTS,
    claims=[*_RUN_STATISTICS_CLAIMS, *_EXPECTATION_CLAIMS, *_LOOKAHEAD_CLAIMS, *_Q_LEARNING_CLAIMS],
    questions=[
        OpenQuestion("Does soft drop help?", "section 10; section 11", tetrais_findings.describe_soft_drop),
        OpenQuestion(
            "Does a genetic agent beat the depth-limited one?", "section 10", tetrais_findings.describe_genetic_agent
        ),
        OpenQuestion(
            "How well do agents play when pieces fall faster, from 1,000 to 100 ms per row?",
            "section 10",
            tetrais_findings.describe_fall_speeds,
        ),
        OpenQuestion("What are the ideal features?", "section 10", tetrais_findings.describe_features),
    ],
    figures=TETRAIS_FIGURES,
    tables=TETRAIS_TABLES,
    notes=[
        "The report does not give the game-over condition. Our games end when a new piece does not fit into the "
        "middle of the top rows.",
        "Section 6.1 calls the random agent's average that of 10 runs; the value is the one of 1,000 runs in Figure "
        "13.",
        "A cell of Figures 13 and 14 agrees if it lies within the 95 % range of as many of our games; one of 18 cells "
        "may lie outside by chance.",
        "The constant feature and the eligibility traces of Q-learning are our additions; the rows name the variant.",
        "Genetic agents are trained with the recipe gavrilov-plus and the greedy agent's five features; at depth two "
        "they are trained on ten rows, because on 22 rows hardly any game would end during training.",
    ],
)
