"""TetrAIs by Brahmbhatt and Patel: five agents from random to Q-learning, with averages of 10, 100 and 1,000 games."""

from tetrion.lab.papers.tetrais import tetrais_answers
from tetrion.lab.papers.tetrais.tetrais_figures import TETRAIS_FIGURES
from tetrion.lab.papers.tetrais.tetrais_measurements import TETRAIS_MEASUREMENTS
from tetrion.lab.papers.tetrais.tetrais_q_learning_claims import Q_LEARNING_CLAIMS
from tetrion.lab.papers.tetrais.tetrais_score_claims import RESULT_CLAIMS, STATISTIC_CLAIMS
from tetrion.lab.papers.tetrais.tetrais_search_claims import LOOKAHEAD_CLAIMS, STRATEGY_CLAIMS
from tetrion.lab.papers.tetrais.tetrais_tables import TETRAIS_TABLES
from tetrion.lab.reproduction.paper_definition import OpenQuestion, Paper

TETRAIS_PAPER = Paper(
    name="tetrais",
    label="TetrAIs",
    title="TetrAIs",
    source="Pranit Brahmbhatt and Sachi Patel, report for CS 5100, Northeastern University, 2023",
    description="Five agents of increasing strength on 10×22: random, minimum height, greedy with five features, "
    "greedy with the next piece (depth-limited), and Q-learning of the weights. The score is one point per piece, and "
    "40, 100, 300 or 1,200 points for lines.",
    rules="tetrais: 10×22, pieces drawn uniformly, one next piece, hard drops only",
    measurements=TETRAIS_MEASUREMENTS,
    claims=[*STATISTIC_CLAIMS, *RESULT_CLAIMS, *STRATEGY_CLAIMS, *LOOKAHEAD_CLAIMS, *Q_LEARNING_CLAIMS],
    questions=[
        OpenQuestion("Does soft drop help?", "section 10; section 11", tetrais_answers.describe_soft_drop),
        OpenQuestion(
            "Does a genetic agent also clear more lines than the depth-limited one?",
            "section 10, which compares efficiency and running time",
            tetrais_answers.describe_genetic_agent,
        ),
        OpenQuestion(
            "How well do agents play when pieces fall faster, from 1,000 to 100 ms per row?",
            "section 10",
            tetrais_answers.describe_fall_speeds,
        ),
        OpenQuestion("What are the ideal features?", "section 10", tetrais_answers.describe_features),
    ],
    figures=TETRAIS_FIGURES,
    tables=TETRAIS_TABLES,
    notes=[
        "The minimum height agent of the claims is `tetrais-min-height`, which follows the words “positioned as low as "
        "feasible”. `min-height` is a reading that was found because it fits the published scores.",
        "Q-learning in the claims is the recipe `tetrais-q-report`: the report's formula on its four refined features, "
        "with a low learning rate and random exploration, and without additions. The recipe and agent `tetrais-q` add "
        "a constant feature, traces, averaged weights and selection by validation games, and do not explore.",
        "The report does not give the game-over condition. Our games end when a new piece does not fit into the "
        "middle of the top rows. Of the three game-over conditions in the table of interpretations, the random agent "
        "comes closest to its published values with this one; if pieces spawn two rows higher, its average comes "
        "closer still, which is a reading of its own.",
        "Section 6.1 calls the random agent's average that of 10 runs; the value is the one of 1,000 runs in Figure "
        "13.",
        "Figures 13 and 14 have the same experiment with 10, 100 and 1,000 games. Only the cells of 1,000 games are "
        "claims: one agrees if it lies within the 95 % range of as many of our games. A table has all 18 cells.",
        "Section 7 also lists expectations. Only what it reports as a result is a claim here; the one expectation "
        "about Q-learning is among our own comparisons.",
        "The learning rate of Q-learning is not in the report, so other rates are readings of its claims. Our "
        "additions are no readings of its formulas: the table of changes and our own comparisons have them.",
        "Section 10 says how agents play when pieces fall faster, but gives no key rate, so this cannot be tested. Our "
        "own comparison has ten keys per second, and one key per millisecond, which stands for no limit on keys: then "
        "nothing can be lost except by falling while a piece is moved.",
        "Times of single decisions include the fixed cost of a call, which exceeds the search itself at depth one and "
        "two. The growth with depth is therefore computed from whole games.",
        "A censored mean from few deaths has a wide interval. Where its ends differ by more than a factor of four, "
        "only the lower end is given (“>” or “more than”).",
        "Genetic agents are trained with the recipe gavrilov-plus and the greedy agent's five features; at depth two "
        "they are trained on ten rows, because on 22 rows hardly any game would end during training.",
    ],
    implemented="The rules `tetrais`, the agents `random`, `tetrais-min-height`, `tetrais-greedy`, `tetrais-depth2`, "
    "`tetrais-depth3` and `tetrais-q-report`, Q-learning (`tetrion train tetrais-q-report`), and a search for the "
    "strategies of Figure 2.",
    deviations="The end of the game, ties and the rates of Q-learning are not in the report. `min-height` is a reading "
    "that fits the published scores, and `tetrais-q` adds a constant feature, traces, averaged weights and validation.",
)
