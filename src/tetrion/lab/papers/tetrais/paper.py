"""TetrAIs, by Brahmbhatt and Patel: five agents from random to Q-learning, with averages of 10, 100 and 1,000 runs."""

from functools import partial

from tetrion.lab.papers.tetrais import findings as found
from tetrion.lab.papers.tetrais.figures import AGENTS, FIGURES, TABLES, published
from tetrion.lab.papers.tetrais.findings import MEAN, VARIANCE
from tetrion.lab.papers.tetrais.measuring import MEASUREMENTS, RUNS
from tetrion.lab.reproduction.findings import best
from tetrion.lab.reproduction.paper import Claim, Paper, Question
from tetrion.lab.reproduction.published import Around, More, Range, Statement

FIGURE = {MEAN: ("average score", "Figure 13"), VARIANCE: ("normalised variance", "Figure 14")}
CAUSE = {
    "random": "the report's actions are a turn and a column, whatever the piece; if one that would leave the board is "
    "pushed back to the wall, as in rows below, more pieces lie there and games last longer (two more rows at the top "
    "would explain it too, but not the minimum height agent's score)",
    "min-height": "1,000 of the same games agree, and of eighteen cells one may well lie outside by chance",
    "greedy": "whole weights tie often, and which of equals is taken is not said: if it is the one that comes to rest "
    "higher, as in the rows below, the mean is the report's",
}
OTHER_READINGS = {
    "forty": ("random", "random agent that draws one of ten columns and is pushed back to the wall"),
    "edge": ("random", "random agent that draws one of the columns 0 to 10 (section 5.1) and is pushed back"),
    "greedy-higher": ("greedy", "greedy agent that takes the higher of equals"),
}
GROWTH = "the lives of an agent that plays well end at any piece alike, and then the normalised variance is about 1"

CELLS = [
    *(
        Claim(
            f"{FIGURE[of][0]} of the {label} agent",
            FIGURE[of][1] if runs < RUNS[-1] else f"{FIGURE[of][1]}; section 6",
            published(name, runs, of),
            found.cell(name, runs, of),
            cause=CAUSE[name],
        )
        for of in (MEAN, VARIANCE)
        for name, label in AGENTS.items()
        for runs in RUNS
    ),
    *(
        Claim(
            f"{FIGURE[of][0]} of a {label}",
            FIGURE[of][1],
            published(agent, RUNS[-1], of),
            found.cell(name, RUNS[-1], of),
            cause="this reading alone is not the whole cause",
        )
        for name, (agent, label) in OTHER_READINGS.items()
        for of in (MEAN, VARIANCE)
    ),
]

EXPECTED = [
    Claim(
        "expected: the random agent never has more than 40 points",
        "section 7",
        Statement("never above 40"),
        found.share_is("random", "score", 40, lambda part: not part, "no game has more"),
        cause="a line is worth 40 by itself, and some games have one, as the report's own variance of 10 runs shows",
    ),
    Claim(
        "for the random agent it is nearly impossible to clear a line",
        "section 7",
        Statement("nearly impossible"),
        found.share_is("random", "lines", 0, lambda part: part < 0.05, "fewer than 5 % of games have a line"),
    ),
    Claim(
        "expected: the minimum height agent is unlikely to get above 100",
        "section 7",
        Statement("unlikely above 100"),
        found.share_is("min-height", "score", 100, lambda part: part < 0.5, "most games stay below"),
    ),
    Claim(
        "the minimum height agent clears more than five lines in exceptional games",
        "section 7",
        Statement("more than five lines"),
        found.exceptional,
        cause="so many lines are rarer than that here",
    ),
    Claim(
        "the lowest score of the minimum height agent",
        "section 7; Figure 7",
        Around("about 20", value=20, share=0.1),
        found.extreme("min-height", "lowest"),
    ),
    Claim(
        "the highest score of the minimum height agent",
        "section 7; Figure 7",
        Around("about 300", value=300, share=0.1),
        found.extreme("min-height", "highest"),
    ),
    Claim(
        "the highest score of the greedy agent",
        "section 7; Figure 9",
        Around("one sample of 30,000", value=30_000, share=0.05),
        found.extreme("greedy", "highest"),
    ),
    Claim(
        "the greedy agent scores between 20,000 and 30,000 in the majority of games",
        "section 7",
        Statement("most of 20,000 to 30,000"),
        found.share_is("greedy", "score", 20_000, lambda part: part > 0.5, "most games do", 30_000),
        cause="it contradicts the report's own mean of 6,883; only the best games go so far",
    ),
    Claim(
        "the minimum height agent constantly beats the random agent over ten runs",
        "section 6.2",
        Statement("constantly beaten"),
        found.series_won,
    ),
    Claim(
        "from agent to agent the score rises",
        "sections 6 and 7",
        Statement("random < minimum height < greedy < depth-limited"),
        partial(found.in_order, ("random", "minimum height", "greedy", "depth-limited")),
    ),
    Claim(
        "the normalised variance is least for random, then greedy, then minimum height",
        "Figure 14, 1,000 runs",
        Statement("0.097 < 0.318 < 0.334"),
        found.variances_in_order,
    ),
]

AHEAD = [
    Claim(
        "the depth-limited agent has cleared more than 10,000 lines",
        "sections 7 and 8",
        More("> 10,000 lines", than=10_000),
        best("depth2"),
    ),
    Claim(
        "the depth-limited agent can go on indefinitely",
        "abstract; section 6.4",
        Statement("indefinitely"),
        partial(found.endless, "depth2"),
        cause="it lives for hundreds of thousands of lines, many times what the report has watched, and dies then",
    ),
    Claim(
        "the depth-limited agent dies in the end, if it is run for long",
        "section 7",
        Statement("eventually dies"),
        found.dies,
        cause="no game was long enough",
    ),
    Claim(
        "every state has 40 actions",
        "section 6.4",
        Range("40", low=40, high=40),
        found.actions,
        cause="the report counts four turns and ten columns, with those that look alike and those beyond the wall",
    ),
    Claim(
        "every further piece multiplies the time of a decision by 40",
        "section 6.4",
        Statement("O(K × 40ᴺ)"),
        found.growth,
        cause="without turns that look alike and places beyond the wall a piece has 23 placements on average",
    ),
    Claim(
        "with three pieces a decision takes less than a second",
        "section 6.4",
        Statement("< 1 s"),
        partial(found.decision, 3, 1.0),
        cause="this machine was busy",
    ),
    Claim(
        "at 100 ms a row, all agents but the depth-limited one are as good as ever",
        "section 10",
        Statement("the highest degree of competence"),
        found.as_good_when_fast,
        cause="even with a key every millisecond some columns are out of reach in time",
    ),
    Claim(
        "at 100 ms a row, the depth-limited agent needs a better processor",
        "section 10",
        Statement("not in a reasonable time"),
        found.too_slow,
        cause="the report's agent is interpreted Python, ours is compiled",
    ),
    Claim(
        "a genetic agent needs far less running time than the depth-limited one",
        "section 10",
        Statement("significantly less"),
        found.faster,
        cause="this machine was busy",
    ),
    Claim(
        "a genetic agent on the same features beats the depth-limited one",
        "section 10",
        Statement("outperforms it"),
        found.efficient,
        cause="with one piece in sight the same features clear far fewer lines, whoever finds the weights; it is "
        "faster, and at depth two the answer below compares them",
    ),
]

LEARNING = [
    Claim(
        "raw features: weights have grown to 10¹⁰ after three episodes",
        "section 6.5",
        Statement("1.0E+10"),
        found.grown,
    ),
    Claim(
        "raw features: weights after five episodes",
        "Figure 12",
        Statement("up to −5.46E+122"),
        found.beyond_all,
    ),
    Claim(
        "features like total height are to blame",
        "section 6.5",
        Statement("total height"),
        found.blamed,
    ),
    Claim(
        "the agent of such weights builds towers and clears no lines",
        "section 6.5",
        Statement("tower-like, no lines"),
        found.towers,
    ),
    Claim(
        "differences of features keep the weights small",
        "section 6.5",
        Statement("the refinement cures it"),
        found.cured,
    ),
    Claim(
        "Q-learning by the report's formula beats the greedy agent",
        "section 7",
        Statement("expected to outperform it"),
        partial(found.beats_greedy, "q-as-reported"),
        cause="on differences alone nothing tells that it is worth something to be alive, nor what a hole costs later: "
        "with a constant feature and traces, as in the next row, it learns",
    ),
    Claim(
        "Q-learning with a constant feature and traces beats the greedy agent",
        "section 7",
        Statement("expected to outperform it"),
        partial(found.beats_greedy, "q"),
    ),
    Claim(
        "expected: Q-learning has a steady variance",
        "section 7",
        Statement("steady"),
        found.q_steady,
        cause=GROWTH,
    ),
    Claim(
        "Q-learning plays without limit",
        "abstract; section 7",
        Statement("limitless gameplay"),
        found.q_endless,
        cause="four differences and one piece in sight do not lead farther; how long the report watched is not said",
    ),
]

PAPER = Paper(
    name="tetrais",
    title="TetrAIs",
    source="Pranit Brahmbhatt and Sachi Patel, report for CS 5100, Northeastern University, 2023",
    about="Five agents on 10×22, each a step further: random, minimum height, greedy on five features, the same with "
    "the next piece, and Q-learning of the weights. Score is one point a piece, and 40, 100, 300 or 1,200 for lines.",
    rules="tetrais: 10×22, pieces drawn uniformly, one next piece, straight drops",
    measurements=MEASUREMENTS,
    claims=[*CELLS, *EXPECTED, *AHEAD, *LEARNING],
    questions=[
        Question("Does soft drop help?", "section 10; section 11", found.soft_drop),
        Question("Does a genetic agent beat the depth-limited one?", "section 10", found.genetic),
        Question("How do agents fare as pieces fall faster, every 1,000 to 100 ms?", "section 10", found.speeds),
        Question("What are the ideal features?", "section 10", found.ideal),
    ],
    figures=FIGURES,
    tables=TABLES,
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
