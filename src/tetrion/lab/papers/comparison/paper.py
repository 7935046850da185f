"""Every learner on the same budget of pieces: genetic, crowds, cross-entropy, CMA-ES, harmony search, Q-learning."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from tetrion.lab.papers.comparison.findings import (
    Contest,
    Row,
    agreeing,
    better,
    better_than_members,
    choice,
    curves_of,
    forest_of,
    luck,
    moved,
    no_worse,
    sometimes_beaten,
    table_rows,
    unlearnt,
)
from tetrion.lab.reproduction.measuring import Training
from tetrion.lab.reproduction.paper import Claim, Drawing, Paper, Question, Results, ResultTable
from tetrion.lab.reproduction.published import Statement

RULES = "standard-10x10"  # where games end: on 10×20 the eight features play for weeks
SEEDS, QUICK_SEEDS = 5, 3  # three are the fewest that tell a spread
CANDIDATES = 100  # of how many one favourite is judged, whatever the population
FOUR = ("max_height", "holes", "lines", "bumpiness")
EIGHT = (
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions"),
    *("holes", "wells", "hole_depth", "rows_with_holes"),
)
MANY = (  # Bertsekas and Ioffe's, with which Szita and Lőrincz tried their noise
    *(f"height_{column}" for column in range(1, 11)),
    *(f"difference_{column}" for column in range(1, 10)),
    *("max_height", "holes"),
)


class Learner(NamedTuple):
    """A recipe, what is changed in it, and how many candidates a generation has."""

    recipe: str
    population: int
    changes: Sequence[str] = ()


Q = "q-learning"
LEARNERS = {
    **{
        f"genetic-{crossover}": Learner("flom-robinson", 50, (f"crossover={crossover}",))
        for crossover in ("one-point", "two-point", "uniform", "hux", "average")
    },
    "crowds": Learner("hindi-crowds", 50, ("crowd.kind=both",)),
    **{
        f"cross-entropy-{noise}": Learner("cross-entropy", 100, (f"noise={noise}",))
        for noise in ("none", "constant", "decreasing")
    },
    "cma": Learner("cma-dt", 24),
    "harmony": Learner("harmony", 40),
}

ONE_POINT, TWO_POINT, UNIFORM, HUX, AVERAGE = (
    f"genetic ({crossover})" for crossover in ("one-point", "two-point", "uniform", "HUX", "average")
)
EXPERT, CROWD, CONSENSUS = "genetic as Hindi et al.", "crowd (mean)", "crowd (consensus)"
NO_NOISE, CONSTANT, DECREASING = (f"cross-entropy ({noise} noise)" for noise in ("no", "constant", "decreasing"))
CMA, HARMONY, Q_LEARNING = "CMA-ES", "harmony search", "Q-learning"

ROWS = {
    ONE_POINT: Row("genetic-one-point"),
    TWO_POINT: Row("genetic-two-point"),
    UNIFORM: Row("genetic-uniform"),
    HUX: Row("genetic-hux"),
    AVERAGE: Row("genetic-average"),
    EXPERT: Row("crowds", "best expert"),
    CROWD: Row("crowds", "crowd (mean)"),
    CONSENSUS: Row("crowds", "crowd (consensus)"),
    NO_NOISE: Row("cross-entropy-none"),
    CONSTANT: Row("cross-entropy-constant"),
    DECREASING: Row("cross-entropy-decreasing"),
    CMA: Row("cma"),
    HARMONY: Row("harmony"),
}
NOISES = (NO_NOISE, CONSTANT, DECREASING)
ON_FOUR = Contest("four", "four features", FOUR, 500_000, 80_000, {**ROWS, Q_LEARNING: Row(Q)})
ON_EIGHT = Contest("eight", "eight features", EIGHT, 20_000_000, 2_000_000, ROWS)
ON_MANY = Contest("many", "21 features", MANY, 10_000_000, 200_000, {noise: ROWS[noise] for noise in NOISES})
CONTESTS = (ON_FOUR, ON_EIGHT, ON_MANY)
FINAL = {"four": (1000, 300), "eight": (200, 60), "many": (1000, 300)}  # games that decide and tell, in full and quick
CURVES = (UNIFORM, EXPERT, DECREASING, CMA, HARMONY)


def judging(contest: Contest, every: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How everybody is judged: the same games, in full and in a quick reproduction."""
    full, quick = FINAL[contest.name]
    same = (f"judge.every={every}", "judge.games=100", "judge.pieces=0", "judge.finalists=5", f"judge.final={full}")
    return same, (f"judge.every={max(1, every // 2)}", "judge.games=30", f"judge.final={quick}")


def training(contest: Contest, name: str) -> Training:
    """A learner with the features, games, budget and judge that all of a contest have."""
    learner = LEARNERS[name]
    judge, quick_judge = judging(contest, CANDIDATES // learner.population)
    changes = (
        f"rules={RULES}",
        f"agent.features={[*contest.features]}",
        *("agent.measured=after", "agent.depth=1"),
        *("games.fitness=lines", "games.summed=false", "games.count=2", "games.races=0", "games.deal=generation"),
        *("games.pieces=[0]", "games.lines=0"),
        *("stop.generations=1000000", "stop.patience=0", f"stop.pieces={contest.pieces}"),
        *judge,
        *learner.changes,
    )
    quick = (f"stop.pieces={contest.quick}", *quick_judge)
    return Training(f"{contest.name}-{name}", learner.recipe, SEEDS, QUICK_SEEDS, changes, quick)


def q_learning(contest: Contest) -> Training:
    """Q-learning with the same budget; the differences of the four features choose as the four themselves do."""
    judge, quick_judge = judging(contest, 50)  # as in its recipe
    changes = (f"rules={RULES}", "features=differences", "episodes=1000000", f"budget={contest.pieces}", *judge)
    quick = (f"budget={contest.quick}", *quick_judge)
    return Training(f"{contest.name}-{Q}", "tetrais-q", SEEDS, QUICK_SEEDS, changes, quick)


def both(words: str, results: Results) -> str:
    """A sentence for each set of features."""
    say = {"choice": choice, "luck": luck}[words]
    return f"{say(ON_FOUR, results)} {say(ON_EIGHT, results)}"


def consensus(results: Results) -> str:
    """Whether the consensus that Hindi et al. wish for is better than their mean."""
    return " ".join(agreeing(contest, results, CONSENSUS, CROWD) for contest in (ON_FOUR, ON_EIGHT))


OF_FLOM = "Flom and Robinson, in Hindi et al., section II B"
OF_SZITA = "Szita and Lőrincz 2006"
ELSEWHERE = "10×20, the authors' own program and features"
CLOSE = (
    "the seeds of one crossover differ among themselves by as much as crossovers do, so that single runs can put them "
    "in any order"
)
WITHOUT_NOISE = (
    "no gain shows within this budget and over these seeds; noise keeps the method from narrowing too early, and from "
    "narrowing as far as it might"
)


def claims(contest: Contest) -> list[Claim]:
    """What the literature says of learners, with one set of features."""
    of = f", {contest.words}"
    return [
        Claim(
            f"uniform and HUX are the best of four crossovers{of}",
            OF_FLOM,
            Statement("they performed best"),
            better(contest, (UNIFORM, HUX), (ONE_POINT, TWO_POINT)),
            cause=CLOSE,
            rules="the authors' own program; the board is not told",
        ),
        Claim(
            f"one-point is the worst of four crossovers{of}",
            OF_FLOM,
            Statement("it performed the worst"),
            better(contest, (TWO_POINT, UNIFORM, HUX), (ONE_POINT,)),
            cause=CLOSE,
            rules="the authors' own program; the board is not told",
        ),
        Claim(
            f"a crowd is better than its average expert{of}",
            "Hindi et al., sections IV and V",
            Statement("crowds performed better than the average agent"),
            better_than_members(contest, CROWD, "average expert"),
            cause="a population of this algorithm soon consists of near copies, so its experts are alike and the "
            "mean of them plays as they do",
            rules="10×20, points, 500 pieces a game",
        ),
        Claim(
            f"in some runs an expert is better than the crowd{of}",
            "Hindi et al., section IV",
            Statement("there are cases in which the genetic algorithm alone scored higher"),
            sometimes_beaten(contest, CROWD, "best expert"),
            rules="10×20, points, 500 pieces a game",
        ),
        *noise_claims(contest),
        Claim(
            f"CMA-ES is as good as cross-entropy{of}",
            "Boumaza 2013, abstract",
            Statement("players made by CMA-ES are among the best"),
            no_worse(contest, CMA, DECREASING),
            cause="its small generations choose by two games a candidate, which is little for such long games",
            rules=ELSEWHERE,
        ),
        Claim(
            f"harmony search makes efficient agents{of}",
            "Romero et al. 2011, in Hindi et al., section II B",
            Statement("quite efficient; we ask for as many lines as the genetic algorithm's"),
            no_worse(contest, HARMONY, UNIFORM),
            cause="it tries half of its candidates, those that it remembers, again in every generation",
            rules=ELSEWHERE,
        ),
    ]


def noise_claims(contest: Contest) -> list[Claim]:
    """What is said of noise, with one set of features."""
    return [
        Claim(
            f"{noise} noise makes cross-entropy better, {contest.words}",
            OF_SZITA,
            Statement("noise keeps it from converging too early"),
            better(contest, (learner,), (NO_NOISE,)),
            cause=WITHOUT_NOISE,
            rules=ELSEWHERE,
        )
        for noise, learner in {"constant": CONSTANT, "decreasing": DECREASING}.items()
    ]


TABLE = ("learner", "lines a game", "worst seed", "best seed", "pieces", "over budget", "generations", "seconds")

PAPER = Paper(
    name="comparison",
    title="Every learner on the same budget",
    source="Our own comparison; the claims are of the literature",
    about="Every learner gets the same features, games and number of pieces to learn from, and is judged on games that "
    "nobody was trained on. None of the documents compares more than two of them so.",
    rules=f"{RULES}: pieces drawn uniformly, dropped straight down, no next piece",
    measurements=[
        *(training(ON_FOUR, name) for name in LEARNERS),
        q_learning(ON_FOUR),
        *(training(ON_EIGHT, name) for name in LEARNERS),
        *(training(ON_MANY, ON_MANY.rows[noise].training) for noise in NOISES),
    ],
    claims=[
        *claims(ON_FOUR),
        Claim(
            "Q-learning is competitive, four features",
            "TetrAIs, section 8",
            Statement("competitive game-play after enough practice"),
            no_worse(ON_FOUR, Q_LEARNING, UNIFORM),
            cause="it learns from what single placements cleared, and the others from whole games",
            rules="10×22 and points, the authors' own program",
        ),
        Claim(
            "reinforcement learning may unlearn, four features",
            "Carr 2005, in Hindi et al., section II B",
            Statement("at one point it unlearnt its policy unexpectedly"),
            unlearnt(ON_FOUR, Q_LEARNING),
            cause="the average of its weights over many episodes does not forget what was good",
            rules=ELSEWHERE,
        ),
        *claims(ON_EIGHT),
        *noise_claims(ON_MANY),
    ],
    questions=[
        Question("Which learner should I use?", "none of the documents", partial(both, "choice")),
        Question(
            "Does it depend on the features?",
            "Hindi et al., section V, on more heuristics",
            partial(moved, ON_FOUR, ON_EIGHT),
        ),
        Question("How much is luck?", "none of the documents", partial(both, "luck")),
        Question("Is a consensus of experts better than their mean?", "Hindi et al., section V", consensus),
    ],
    figures=[
        Drawing("four", "Learners with four features", "Means of seeds, the best first.", partial(forest_of, ON_FOUR)),
        Drawing(
            "four-curves",
            "Learning with four features",
            "One learner of each kind. What a learner ends with may be an earlier favourite.",
            partial(curves_of, ON_FOUR, (*CURVES, Q_LEARNING)),
        ),
        Drawing(
            "eight", "Learners with eight features", "Means of seeds, the best first.", partial(forest_of, ON_EIGHT)
        ),
        Drawing(
            "eight-curves",
            "Learning with eight features",
            "One learner of each kind. What a learner ends with may be an earlier favourite.",
            partial(curves_of, ON_EIGHT, CURVES),
        ),
    ],
    tables=[
        ResultTable(
            f"All learners with {contest.words}",
            f"{contest.told}; {contest.pieces:,} pieces each "
            f"({contest.quick:,} in a quick reproduction). Lines are of held-out games; generations are episodes for "
            "Q-learning; seconds are those of one run beside others, and of this machine.",
            TABLE,
            partial(table_rows, contest),
        )
        for contest in CONTESTS
    ],
    notes=[
        "The board is 10×10, where the games of all these agents end: no game is cut short, neither while learning nor "
        "when judged.",
        "The same for everybody: features, measured after full rows are removed; two games a candidate, on pieces "
        "that all candidates of a generation share; the budget of pieces placed while learning; one favourite judged "
        "for every 100 candidates, in 100 games; five finalists. Population, spread, selection, mutation and noise are "
        "the recipe's own. Judging is outside the budget.",
        "A generation is always played to its end, so the budget is exceeded by a part of the last one; the tables "
        "say by how much.",
        "The four features are those of Flom and Robinson. Q-learning as in TetrAIs weighs how the same four change; "
        "since the board before is the same for all placements, that chooses as the four themselves do. It has no "
        "way to take other features, so it is not among the eight. Its favourite is judged every 50 episodes, as its "
        "recipe has it, which gives it more chances to put a good one forward than the others have.",
        "The budget of the eight features is larger because their games are many times as long; it allows about as "
        "many generations. With the 21 features of Bertsekas and Ioffe only the noise of cross-entropy is looked at.",
        "A crowd is made of the best of every generation of the run beside it, and costs nothing more. “Genetic as "
        "Hindi et al.” is the best of these experts by games that decide; it and the crowds are measured in others.",
        "Ratios have an interval over seeds: “no difference found” means that it holds 1.",
    ],
)
