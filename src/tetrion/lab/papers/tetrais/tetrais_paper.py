"""TetrAIs, by Brahmbhatt and Patel: five agents from random to Q-learning, with averages of 10, 100 and 1,000 runs."""

from functools import partial

from tetrion.lab.papers.tetrais import tetrais_findings as found
from tetrion.lab.papers.tetrais.tetrais_figures import (
    TETRAIS_AGENT_LABELS,
    TETRAIS_FIGURES,
    TETRAIS_TABLES,
    make_published_statistic,
)
from tetrion.lab.papers.tetrais.tetrais_findings import MEAN_STATISTIC, VARIANCE_STATISTIC
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
    "random": "the report's actions are a turn and a column, whatever the piece; if one that would leave the board is "
    "pushed back to the wall, as in rows below, more pieces lie there and games last longer (two more rows at the top "
    "would explain it too, but not the minimum height agent's score)",
    "min-height": "1,000 of the same games agree, and of eighteen cells one may well lie outside by chance",
    "greedy": "whole weights tie often, and which of equals is taken is not said: if it is the one that comes to rest "
    "higher, as in the rows below, the mean is the report's",
}
_OTHER_INTERPRETATIONS = {
    "forty": ("random", "random agent that draws one of ten columns and is pushed back to the wall"),
    "edge": ("random", "random agent that draws one of the columns 0 to 10 (section 5.1) and is pushed back"),
    "greedy-higher": ("greedy", "greedy agent that takes the higher of equals"),
}
_VARIANCE_CAUSE = (
    "the lives of an agent that plays well end at any piece alike, and then the normalised variance is about 1"
)

_RUN_STATISTICS_CLAIMS = [
    *(
        Claim(
            f"{_FIGURE_LABELS[of][0]} of the {label} agent",
            _FIGURE_LABELS[of][1] if runs < RUN_COUNTS[-1] else f"{_FIGURE_LABELS[of][1]}; section 6",
            make_published_statistic(name, runs, of),
            found.make_statistic_reader(name, runs, of),
            difference_cause=_CAUSES[name],
        )
        for of in (MEAN_STATISTIC, VARIANCE_STATISTIC)
        for name, label in TETRAIS_AGENT_LABELS.items()
        for runs in RUN_COUNTS
    ),
    *(
        Claim(
            f"{_FIGURE_LABELS[of][0]} of a {label}",
            _FIGURE_LABELS[of][1],
            make_published_statistic(agent, RUN_COUNTS[-1], of),
            found.make_statistic_reader(name, RUN_COUNTS[-1], of),
            difference_cause="this reading alone is not the whole cause",
        )
        for name, (agent, label) in _OTHER_INTERPRETATIONS.items()
        for of in (MEAN_STATISTIC, VARIANCE_STATISTIC)
    ),
]

_EXPECTATION_CLAIMS = [
    Claim(
        "expected: the random agent never has more than 40 points",
        "section 7",
        PublishedStatement("never above 40"),
        found.make_share_check("random", "score", 40, lambda part: not part, "no game has more"),
        difference_cause="a line is worth 40 by itself, and some games have one, as the report's own variance of 10 runs shows",
    ),
    Claim(
        "for the random agent it is nearly impossible to clear a line",
        "section 7",
        PublishedStatement("nearly impossible"),
        found.make_share_check("random", "lines", 0, lambda part: part < 0.05, "fewer than 5 % of games have a line"),
    ),
    Claim(
        "expected: the minimum height agent is unlikely to get above 100",
        "section 7",
        PublishedStatement("unlikely above 100"),
        found.make_share_check("min-height", "score", 100, lambda part: part < 0.5, "most games stay below"),
    ),
    Claim(
        "the minimum height agent clears more than five lines in exceptional games",
        "section 7",
        PublishedStatement("more than five lines"),
        found.check_exceptional_games,
        difference_cause="so many lines are rarer than that here",
    ),
    Claim(
        "the lowest score of the minimum height agent",
        "section 7; Figure 7",
        PublishedWithMargin("about 20", value=20, margin_share=0.1),
        found.make_extreme_reader("min-height", "lowest"),
    ),
    Claim(
        "the highest score of the minimum height agent",
        "section 7; Figure 7",
        PublishedWithMargin("about 300", value=300, margin_share=0.1),
        found.make_extreme_reader("min-height", "highest"),
    ),
    Claim(
        "the highest score of the greedy agent",
        "section 7; Figure 9",
        PublishedWithMargin("one sample of 30,000", value=30_000, margin_share=0.05),
        found.make_extreme_reader("greedy", "highest"),
    ),
    Claim(
        "the greedy agent scores between 20,000 and 30,000 in the majority of games",
        "section 7",
        PublishedStatement("most of 20,000 to 30,000"),
        found.make_share_check("greedy", "score", 20_000, lambda part: part > 0.5, "most games do", 30_000),
        difference_cause="it contradicts the report's own mean of 6,883; only the best games go so far",
    ),
    Claim(
        "the minimum height agent constantly beats the random agent over ten runs",
        "section 6.2",
        PublishedStatement("constantly beaten"),
        found.check_series_won,
    ),
    Claim(
        "from agent to agent the score rises",
        "sections 6 and 7",
        PublishedStatement("random < minimum height < greedy < depth-limited"),
        partial(found.check_score_order, ("random", "minimum height", "greedy", "depth-limited")),
    ),
    Claim(
        "the normalised variance is least for random, then greedy, then minimum height",
        "Figure 14, 1,000 runs",
        PublishedStatement("0.097 < 0.318 < 0.334"),
        found.check_variance_order,
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
        "the depth-limited agent can go on indefinitely",
        "abstract; section 6.4",
        PublishedStatement("indefinitely"),
        partial(found.check_endless, "depth2"),
        difference_cause="it lives for hundreds of thousands of lines, many times what the report has watched, and dies then",
    ),
    Claim(
        "the depth-limited agent dies in the end, if it is run for long",
        "section 7",
        PublishedStatement("eventually dies"),
        found.check_games_end,
        difference_cause="no game was long enough",
    ),
    Claim(
        "every state has 40 actions",
        "section 6.4",
        PublishedRange("40", low=40, high=40),
        found.compute_placement_counts,
        difference_cause="the report counts four turns and ten columns, with those that look alike and those beyond the wall",
    ),
    Claim(
        "every further piece multiplies the time of a decision by 40",
        "section 6.4",
        PublishedStatement("O(K × 40ᴺ)"),
        found.check_time_growth,
        difference_cause="without turns that look alike and places beyond the wall a piece has 23 placements on average",
    ),
    Claim(
        "with three pieces a decision takes less than a second",
        "section 6.4",
        PublishedStatement("< 1 s"),
        partial(found.check_decision_time, 3, 1.0),
        difference_cause="this machine was busy",
    ),
    Claim(
        "at 100 ms a row, all agents but the depth-limited one are as good as ever",
        "section 10",
        PublishedStatement("the highest degree of competence"),
        found.check_scores_at_high_speed,
        difference_cause="even with a key every millisecond some columns are out of reach in time",
    ),
    Claim(
        "at 100 ms a row, the depth-limited agent needs a better processor",
        "section 10",
        PublishedStatement("not in a reasonable time"),
        found.check_depth_two_too_slow,
        difference_cause="the report's agent is interpreted Python, ours is compiled",
    ),
    Claim(
        "a genetic agent needs far less running time than the depth-limited one",
        "section 10",
        PublishedStatement("significantly less"),
        found.check_genetic_speed,
        difference_cause="this machine was busy",
    ),
    Claim(
        "a genetic agent on the same features beats the depth-limited one",
        "section 10",
        PublishedStatement("outperforms it"),
        found.check_genetic_lines,
        difference_cause="with one piece in sight the same features clear far fewer lines, whoever finds the weights; it is "
        "faster, and at depth two the answer below compares them",
    ),
]

_Q_LEARNING_CLAIMS = [
    Claim(
        "raw features: weights have grown to 10¹⁰ after three episodes",
        "section 6.5",
        PublishedStatement("1.0E+10"),
        found.check_weights_explode,
    ),
    Claim(
        "raw features: weights after five episodes",
        "Figure 12",
        PublishedStatement("up to −5.46E+122"),
        found.check_weights_reach_figure_12,
    ),
    Claim(
        "features like total height are to blame",
        "section 6.5",
        PublishedStatement("total height"),
        found.check_height_weight_largest,
    ),
    Claim(
        "the agent of such weights builds towers and clears no lines",
        "section 6.5",
        PublishedStatement("tower-like, no lines"),
        found.check_towers,
    ),
    Claim(
        "differences of features keep the weights small",
        "section 6.5",
        PublishedStatement("the refinement cures it"),
        found.check_difference_weights_bounded,
    ),
    Claim(
        "Q-learning by the report's formula beats the greedy agent",
        "section 7",
        PublishedStatement("expected to outperform it"),
        partial(found.check_q_learning_beats_greedy, "q-as-reported"),
        difference_cause="on differences alone nothing tells that it is worth something to be alive, nor what a hole costs later: "
        "with a constant feature and traces, as in the next row, it learns",
    ),
    Claim(
        "Q-learning with a constant feature and traces beats the greedy agent",
        "section 7",
        PublishedStatement("expected to outperform it"),
        partial(found.check_q_learning_beats_greedy, "q"),
    ),
    Claim(
        "expected: Q-learning has a steady variance",
        "section 7",
        PublishedStatement("steady"),
        found.check_q_learning_variance,
        difference_cause=_VARIANCE_CAUSE,
    ),
    Claim(
        "Q-learning plays without limit",
        "abstract; section 7",
        PublishedStatement("limitless gameplay"),
        found.check_q_learning_endless,
        difference_cause="four differences and one piece in sight do not lead farther; how long the report watched is not said",
    ),
]

TETRAIS_PAPER = Paper(
    name="tetrais",
    title="TetrAIs",
    source="Pranit Brahmbhatt and Sachi Patel, report for CS 5100, Northeastern University, 2023",
    description="Five agents on 10×22, each a step further: random, minimum height, greedy on five features, the same with "
    "the next piece, and Q-learning of the weights. Score is one point a piece, and 40, 100, 300 or 1,200 for lines.",
    rules="tetrais: 10×22, pieces drawn uniformly, one next piece, straight drops",
    measurements=TETRAIS_MEASUREMENTS,
    claims=[*_RUN_STATISTICS_CLAIMS, *_EXPECTATION_CLAIMS, *_LOOKAHEAD_CLAIMS, *_Q_LEARNING_CLAIMS],
    questions=[
        OpenQuestion("Does soft drop help?", "section 10; section 11", found.describe_soft_drop),
        OpenQuestion("Does a genetic agent beat the depth-limited one?", "section 10", found.describe_genetic_agent),
        OpenQuestion(
            "How do agents fare as pieces fall faster, every 1,000 to 100 ms?", "section 10", found.describe_fall_speeds
        ),
        OpenQuestion("What are the ideal features?", "section 10", found.describe_features),
    ],
    figures=TETRAIS_FIGURES,
    tables=TETRAIS_TABLES,
    notes=[
        "When a game is over is not said. Ours ends when a new piece finds no room in the middle of the top rows.",
        "Section 6.1 calls the random agent's average that of 10 runs; the figure is the one of 1,000 in Figure 13.",
        "A cell of Figures 13 and 14 agrees if it lies where so many of our games lie 95 times in 100; of 18 cells one "
        "may well lie outside by chance.",
        "The constant feature and the traces of Q-learning are ours; the rows say which of the two was played.",
        "Genetic agents learn by the recipe gavrilov-plus on the greedy agent's five features; at depth two they learn "
        "on ten rows, since on 22 hardly a game ends while they do.",
    ],
)
