"""Hindi, Kinney, Morris and Reilly 2018: four weights bred by a genetic algorithm, and a crowd of its best."""

from tetrion.lab.papers.hindi.answers import (
    choice_words,
    consensus_words,
    early_words,
    length_words,
    limit_words,
    long_words,
    more_words,
    stop_words,
)
from tetrion.lab.papers.hindi.crowds import (
    crowd_better,
    crowds_high,
    crowds_strong,
    experts_ahead,
    highest,
    same_generations,
    table_iii,
)
from tetrion.lab.papers.hindi.figures import COLUMNS, DRAWINGS, TABLE_III, TABLES
from tetrion.lab.papers.hindi.findings import (
    as_the_best,
    at_the_end,
    best_before_the_end,
    crossover_role,
    first_generations,
    harmony,
    heights_or_lines,
    how_many_games,
    improving,
    larger_populations,
    late_risers,
    looking,
    looking_weights,
    luck,
    negative_lines,
    order_of_the_table,
    published_weights,
    reinforcement,
    settings_role,
    signed_strength,
    signed_trend,
    steadiest,
    strongest_weight,
    variability,
    weight,
)
from tetrion.lab.papers.hindi.runs import GRID, MEASUREMENTS, SIGNED, TABLE_I, TABLE_II
from tetrion.lab.papers.hindi.statistics import OneRun, spikes
from tetrion.lab.reproduction.paper import Claim, Paper, Question
from tetrion.lab.reproduction.published import Range, Statement

LEAST = 20  # candidates of a population
STRONGER = "with so many candidates our runs find stronger agents than theirs"
DROPS = spikes({"metrics": {"max": [generation[4] for generation in TABLE_III]}})  # of the best score in Table III
EVOLUTION = [
    Claim(
        "an agent's fitness is the sum of several games",
        "section III B",
        Statement("“a set number of times, returning the aggregate sum”"),
        how_many_games,
        cause="no score of the tables is more than one game of 500 pieces can bring, agents with the published weights "
        "score about that in one game, and all scores are multiples of 20, so that they are no means of several games",
    ),
    Claim(
        "most first generations have a few decent agents",
        "section III C",
        Statement("“most randomly generated initial populations”"),
        first_generations,
        cause="random weights are decent about once in some dozens of times, so that 20 of them often have none",
    ),
    Claim(
        "high scores spike and drop in most graphs",
        "section IV B",
        Statement("“under all experimental combinations”"),
        variability,
        cause=f"in Table III, the one run of theirs that has numbers, the best score halves {DROPS} times; in ours, "
        "where the best are carried over, many are soon about as good as the best, and it halves more rarely",
    ),
    Claim(
        "easy and difficult sequences of pieces explain the spikes",
        "section IV B",
        Statement("“could explain the spiking and dropping”"),
        luck,
        cause="more games a candidate make the swings smaller, but not surely so in these runs; candidates vary too",
    ),
    Claim(
        "larger populations have no positive effect",
        "section IV B, Figures 1 to 4",
        Statement("“higher scores were recorded for smaller populations”"),
        larger_populations,
        cause="they had one run of each, and now and then one of 20 candidates ends above one of 100; over many runs "
        "the larger population is the one setting that matters",
    ),
    Claim(
        "population 20, mutation 2 % and elitism 15 % improve most steadily",
        "section IV B, Figure 4",
        Statement("“the best example of … steady improvement over time”"),
        steadiest,
        cause="a single run looks steady by luck; over several runs the configurations hardly differ in it",
    ),
    Claim(
        "most other combinations improve over time",
        "section IV B, Figures 1 to 3",
        Statement("“tended to improve over time”"),
        improving(GRID, 0.5),
    ),
    Claim(
        "every trial with signed mutations trends stronger",
        "section IV B, Figures 5 and 6",
        Statement("“each trial … trended stronger overall”"),
        improving(SIGNED, 0.9),
        cause="runs that find no good agent at first end where they began, with any mutation",
    ),
    Claim(
        "with signed mutations, 1 % and elitism 20 % make stronger agents than 2 % and 15 %",
        "section IV B, Figures 5 and 6",
        Statement("“produced stronger agents”"),
        signed_strength,
        cause="they compare one run of each; runs of one configuration differ by more than the two configurations do",
    ),
    Claim(
        "with signed mutations, 2 % and elitism 15 % improve more distinctly than 1 % and 20 %",
        "section IV B, Figures 5 and 6",
        Statement("“a distinct trend of improvement”, the other “more stagnant”"),
        signed_trend,
        cause="they compare one run of each; runs of one configuration differ by more than the two configurations do",
    ),
    Claim(
        "with swap mutations, abysmal first generations are followed by a steady climb and a decent agent",
        "section IV B, Figure 7",
        Statement("“between generations 9 and 11 … began to climb steadily”"),
        late_risers,
        cause="in our runs the climb comes within the first generations or not at all, since averages of poor agents "
        "are poor ones",
    ),
    Claim(
        "earlier generations have higher scores than the last",
        "section IV B",
        Statement("“at different times during the evolution”"),
        best_before_the_end,
    ),
    Claim(
        "the agent is comparable to that of harmony search",
        "section IV",
        Statement("“comparable to the Harmony search algorithm”"),
        harmony,
        cause="with the same four features, games and number of candidates harmony search keeps what it has found and "
        "varies it further, while averages of parents soon have nothing left to vary",
        rules="harmony search was published on other boards; ours is trained and measured by these rules",
    ),
    Claim(
        "the agent outperforms reinforcement learning",
        "section IV",
        Statement("“outperformed the reinforcement learning approach”"),
        reinforcement,
        cause="the work that they mean had failed to learn; Q-learning on differences of features does learn",
        rules="another board and another learner; ours is that of TetrAIs, measured by these rules",
    ),
]
FIRST_TABLE = [
    *(
        claim
        for row in TABLE_I
        for claim in (
            Claim(
                f"the best of the last generation, {row.setup.words}",
                row.place,
                OneRun(value=row.score),
                at_the_end(row),
                cause=STRONGER if row.setup.population > LEAST else "runs of this configuration rarely end there",
            ),
            Claim(
                f"the weights of {row.agent} as the best of a generation",
                row.place,
                OneRun(value=row.score),
                as_the_best(row),
                cause="a generation is not made of copies of its best, so that fewer games made their best score",
            ),
        )
    ),
    Claim(
        "the weights rank as their scores: rows 3, 1, 4, 2",
        "Table I",
        Statement("103,220, 73,800, 69,240, 26,260"),
        order_of_the_table,
    ),
    Claim(
        "the strongest agent is the only one with a positive weight of lines",
        "section IV B, Table I",
        Statement("“the only positive lines cleared heuristic”"),
        strongest_weight,
    ),
    Claim(
        "strong agents: weight of bumpiness",
        "section IV B, Table I",
        Range("moderately negative, −0.41 to −0.32", *published_weights("bumpiness")),
        weight("bumpiness"),
        cause="agents that stay strong in games that did not choose them weigh bumpiness less, and height and holes "
        "more, than theirs, which were chosen by one lucky game",
    ),
    Claim(
        "strong agents: weights of holes and aggregate height together",
        "section IV B, Table I",
        Range("−1.14 to −1.12", *published_weights("holes", "aggregate_height")),
        weight("holes", "aggregate_height"),
        cause="as for bumpiness; only the sum of these two has a meaning, see what had to be decided",
    ),
    Claim(
        "strong agents have negative weights of lines",
        "section IV B, Table I",
        Statement("three of four"),
        negative_lines,
        cause="their agents of negative weights score less than half of the one with a positive weight, in games that "
        "did not choose them",
    ),
    Claim(
        "minimising aggregate height has far greater impact than lines cleared",
        "section IV B",
        Statement("“a far greater impact on a Tetris player's performance”"),
        heights_or_lines,
        cause="before full rows are removed, the aggregate height is the holes and the filled cells together, and the "
        "latter are the same wherever a piece is put: height and holes are one feature, and leaving out either changes "
        "nothing but the number of weights",
    ),
]
SECOND_TABLE = [
    Claim(
        "the next piece improves the average fitness markedly",
        "sections IV B and V, Figures 9 to 11",
        Statement("“markedly better scores”"),
        looking,
        cause="too few runs to tell",
    ),
    Claim(
        "the agents with the next piece are stronger",
        "Tables I and II",
        Statement("103,400 to 109,540 against 26,260 to 103,220"),
        looking_weights,
    ),
    *(
        claim
        for row in TABLE_II
        for claim in (
            Claim(
                f"the best of the last generation, {row.setup.words}",
                row.place,
                OneRun(value=row.score),
                at_the_end(row),
            ),
            Claim(
                f"the weights of {row.agent} as the best of a generation",
                row.place,
                OneRun(value=row.score),
                as_the_best(row),
                cause="a generation is not made of copies of its best, so that fewer games made their best score",
            ),
        )
    ),
]
LOW = (
    "their run loses what it has found (its best score falls from 122,920 to 6,300 in one generation, which an elite "
    "that is carried over prevents) and ends with a mediocre agent; no reading of the description that we tried "
    "usually ends so low, see the table of variants"
)
SAME = "the cause is that of the median of generation 26"
CROWDS = [
    *(
        Claim(
            f"generation {generation + 1}: {COLUMNS[name].lower()} of all scores",
            "Table III",
            OneRun(value=TABLE_III[generation][place]),
            table_iii(name, generation),
            cause=(LOW if name == "median" else SAME) if generation else "our first generations fare otherwise",
        )
        for generation in (0, 25)
        for place, name in enumerate(COLUMNS)
    ),
    Claim("the highest score of any generation", "Table III", OneRun(value=138_740), highest, cause=SAME),
    Claim(
        "the crowd is better than the average agent of the genetic algorithm",
        "section IV B, Figure 12",
        Statement("“performed better than the average agent”"),
        crowd_better("population"),
        cause="the crowd counts the poor agents of the first generations as much as the better ones of the last",
    ),
    Claim(
        "the crowd is better than the average of its experts",
        "section V",
        Statement("“improve on the average solution”"),
        crowd_better("average expert"),
        cause="some crowds are above and some below their average expert; over many runs it is not surely better",
    ),
    Claim(
        "in some cases the genetic algorithm alone is better than the crowd",
        "section IV B",
        Statement("“cases in which … alone produced higher-scoring agents”"),
        experts_ahead,
    ),
    Claim(
        "the crowd makes growth within the generations more stable",
        "section IV B",
        Statement("“a more stable growth within the generations”"),
        same_generations,
        cause="the crowd is formed after the last generation (section III C) and can have no influence on any",
    ),
    Claim(
        "crowds consistently lead to strong games",
        "section IV B",
        Statement("“consistently led to a strong simulated game”"),
        crowds_strong,
        cause="now and then a crowd of good and poor experts is a poor one",
    ),
    Claim(
        "a crowd's games frequently surpass 100,000 points",
        "section IV B",
        Statement("“frequently surpassing 100,000”"),
        crowds_high,
        cause="an average crowd's games end below that",
    ),
]
CONCLUSION = [
    Claim(
        "agents improve over time thanks to the averaging crossover",
        "section V",
        Statement("“due in large part to the crossover method”"),
        crossover_role,
        cause="an average lies between its parents, so that a population soon agrees, while an exchange of single "
        "weights goes on trying new ones",
    ),
    Claim(
        "mutation rate, population and elitism play a major role",
        "section V",
        Statement("“these factors play a major role”"),
        settings_role,
        cause="of the three only the population has much to do with it; the seed of a run has more",
    ),
]

PAPER = Paper(
    name="hindi",
    title="Tetris-playing agents generated by genetic algorithm with wisdom of artificial crowds",
    source="Balsam M. Hindi, John R. Kinney, Kelly A. Morris and Kevin C. Reilly, paper, 2018",
    about="Four weights of length one, for bumpiness, holes, aggregate height and full rows, are bred by a genetic "
    "algorithm whose fitness is the score in games of 500 pieces. The best of every generation then form a crowd, "
    "whose mean is one more agent.",
    rules="hindi: 10×20 and two hidden rows, pieces drawn uniformly, straight drops, the score of the NES",
    measurements=MEASUREMENTS,
    claims=[*EVOLUTION, *FIRST_TABLE, *SECOND_TABLE, *CROWDS, *CONCLUSION],
    questions=[
        Question("How would the removal of the limit of a game affect the agent?", "section V A", limit_words),
        Question("What if fitness is the length of a game?", "section V A", length_words),
        Question("How long could a well-formed agent play?", "section V A", long_words),
        Question(
            "Would the pieces placed and the tallest column, as further heuristics, make a stronger agent?",
            "section V A",
            more_words,
        ),
        Question("Is there a point where additional heuristics are no longer helpful?", "section V A", stop_words),
        Question("Do poor first generations end with stronger agents?", "section IV B", early_words),
        Question("What would a crowd of those who agree be?", "section V", consensus_words),
        Question("Can the choice of experts make a stronger crowd?", "section IV B", choice_words),
    ],
    figures=DRAWINGS,
    tables=TABLES,
    notes=(
        "A score is that of one game. Section III B says that several are added up, but the tables say otherwise: see "
        "the first claim.",
        "Table III had a population of 50, which is not said: all its averages are multiples of 0.4, a fiftieth of 20, "
        "and all scores are multiples of 20. Mutation rate and elitism are those of Figure 1.",
        "Lines are the full rows that are on the board when it is measured, before they are removed, as section III A "
        "says; only so does the order of Table I appear. On such a board the aggregate height is the number of holes "
        "plus the number of filled cells, and the latter does not depend on where the piece is put. So "
        "holes and aggregate height are one feature for an agent without the next piece: only the sum of their weights "
        "counts.",
        "A table's score is compared with the best of the last generation of our runs, and with the best of a "
        "generation made of agents with the published weights. A statement about one of their runs is compared with "
        "many of ours.",
        "A decent agent is one that scores 10,000 points, a tenth of their strongest.",
    ),
)
