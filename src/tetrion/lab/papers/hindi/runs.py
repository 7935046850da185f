"""What is measured for Hindi et al.: every configuration that they name, their agents, and what they left open."""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import DataAgent, data_agent
from tetrion.agents.zoo.hindi import FEATURES
from tetrion.engine.play import UNLIMITED
from tetrion.engine.rules import Rules
from tetrion.evaluation.games import play_games
from tetrion.evaluation.intervals import of_mean
from tetrion.lab.reproduction.measuring import Calculation, Laboratory, Measurement, Play, Training, summed_up
from tetrion.training.optimisers.crowds import consensus_crowd, mean_crowd
from tetrion.training.run import Run
from tetrion.training.settings import written

RULES, PIECES = "hindi", 500
JUDGED = ("judge.games=10", "judge.final=100")
ONE_GAME = ("games.count=1", *JUDGED)  # what the tables' scores are sums of; see `how_many_games`
RECIPES = {"one-gene": "hindi", "signed": "hindi-signed", "swap": "hindi-swap", "look": "hindi-lookahead"}
KINDS = {"one-gene": "", "signed": ", signed mutation", "swap": ", swap mutation", "look": ", with the next piece"}


class Setup(NamedTuple):
    """A configuration: how large a population, how many percent mutate and are carried over, and which mutation."""

    population: int
    mutation: int
    elitism: int
    kind: str = "one-gene"
    generations: int = 25

    @property
    def name(self) -> str:
        """Its name among the measurements."""
        return f"{self.kind}-{self.population}-{self.mutation}-{self.elitism}"

    @property
    def words(self) -> str:
        """Its name as a person reads it."""
        return f"population {self.population}, mutation {self.mutation} %, elitism {self.elitism} %{KINDS[self.kind]}"

    def training(self, seeds: int, quick: int) -> Training:
        """So many runs of it."""
        changes = (
            *ONE_GAME,
            f"genetic.population={self.population}",
            f"genetic.mutation_rate={self.mutation / 100}",
            f"genetic.elitism={self.elitism / 100}",
            f"stop.generations={self.generations}",
        )
        fewer = ("judge.games=3", "judge.final=30") if self.kind == "look" else ()
        return Training(self.name, RECIPES[self.kind], seeds, quick, changes, fewer)


class Row(NamedTuple):
    """A row of Table I or II: the configuration, the agent with its weights, and its score."""

    place: str
    setup: Setup
    agent: str
    score: int


GRID = [Setup(*numbers) for numbers in product((20, 50, 100), (1, 2, 5), (10, 15, 20))]
MAIN = Setup(20, 2, 15)
SIGNED = [Setup(20, mutation, elitism, "signed") for mutation, elitism in product((1, 2), (15, 20))]
SWAP = Setup(20, 1, 20, "swap")
SWAPS = [SWAP, Setup(20, 1, 15, "swap")]
LOOKING = [
    Setup(20, 2, 15, "look", 14),
    Setup(20, 2, 20, "look", 14),
    Setup(20, 5, 15, "look", 14),
    Setup(20, 1, 20, "look", 15),
]
TABLE_I = [
    Row("Table I, row 1", SWAPS[1], "hindi-1", 73_800),
    Row("Table I, row 2", Setup(20, 1, 20), "hindi-2", 26_260),
    Row("Table I, row 3", MAIN, "hindi-3", 103_220),
    Row("Table I, row 4", Setup(100, 1, 10), "hindi-4", 69_240),
]
TABLE_II = [
    Row("Table II, row 1", LOOKING[0], "hindi-look-1", 103_400),
    Row("Table II, row 2", LOOKING[1], "hindi-look-2", 109_540),
    Row("Table II, row 3", LOOKING[2], "hindi-look-3", 107_660),
]
COMPARED = ("one-gene-20-1-10", "one-gene-20-1-20", "one-gene-50-1-10", "one-gene-100-1-10")
SEEDS = 16  # of a configuration
MANY = {MAIN.name: (200, 10), **dict.fromkeys(COMPARED, (SEEDS, 4))}  # full and quick

COUNTS = (1, 2, 3, 5)  # games that "several" may be
DRAWN = 1000  # generations that are put together from an agent's games

CROWDS, WITHOUT = "crowds", "without-crowds"
VARIANTS = {  # of the runs of Table III, to see what would end as low as it does
    "without elitism": "genetic.elitism=0.0",
    "with the signed mutation": "genetic.mutation=signed",
    "with the swap mutation": "genetic.mutation=swap",
    "with the same pieces for a whole generation": "games.deal=generation",
}
CHOICES = ("all", "the later half", "the better half", "all, by score")  # whose mean a crowd is
HIGH = 100_000  # which games of a crowd frequently surpass

LIMITS = {  # what the fitness counts, and whether a game ends with its 500th piece
    "points, 500 pieces": ("games.fitness=score", f"games.pieces=[{PIECES}]"),
    "points, no limit": ("games.fitness=score", "games.pieces=[0]"),
    "length, 500 pieces": ("games.fitness=survival", f"games.pieces=[{PIECES}]"),
    "length, no limit": ("games.fitness=survival", "games.pieces=[0]"),
}
MORE = (  # features in the order in which they are added
    *("aggregate_height", "holes", "bumpiness", "full_rows"),  # theirs
    "max_height",  # Demaine, Hohenberger and Liben-Nowell's, which they want next
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions", "wells"),  # Dellacherie's
    *("hole_depth", "rows_with_holes", "diversity"),  # Thiery and Scherrer's, Gabillon's
    *(f"height_{column}" for column in range(1, 11)),  # Bertsekas and Ioffe's
)
STEPS = (2, 3, 4, 5, 6, 8, 10, 13, 23)  # how many of them
WITHOUT_ONE = {feature: f"without-{feature}" for feature in FEATURES}
CROSSOVERS = ("uniform", "one-point")
SAME_GAMES = (  # what another learner needs to play as theirs does
    "rules=hindi",
    "agent.measured=before",
    "games.fitness=score",
    "games.summed=true",
    f"games.pieces=[{PIECES}]",
    "games.deal=candidate",
    "stop.generations=25",
    "judge.every=1",
    f"judge.pieces={PIECES}",
    *ONE_GAME,
)


def features_of(names: Sequence[str]) -> str:
    """The change of a recipe that gives weights to these features."""
    return f"agent.features={written(tuple(names))}"


def scores_of(agent: DataAgent, games: int, laboratory: Laboratory) -> "np.ndarray[Any, Any]":
    """The score of every game of at most 500 pieces."""
    caps = {"most_pieces": PIECES, "most_lines": UNLIMITED}
    played, stopped = play_games(agent, Rules.parse(RULES), 0, games, laboratory.seed, caps, laboratory.workers)
    if stopped:
        raise KeyboardInterrupt
    return np.asarray(played["score"], float)


def published_agents(laboratory: Laboratory) -> dict[str, Any]:
    """What the agents of the tables score: a game, and as the best of a generation, by how many games are added up."""
    told: dict[str, Any] = {}
    for row in (*TABLE_I, *TABLE_II):
        few, many = (300, 3000) if row.setup.kind == "look" else (2000, 40_000)
        scores = scores_of(data_agent(row.agent), few if laboratory.quick else many, laboratory)
        told[row.agent] = {
            "games": len(scores),
            "mean": float(scores.mean()),
            "ci95": of_mean(scores),
            "deviation": float(scores.std()),
            "most": float(scores.max()),
            "best": {str(count): best_of(scores, row, count, laboratory.seed) for count in COUNTS},
        }
    return told


def best_of(scores: "np.ndarray[Any, Any]", row: Row, count: int, seed: int) -> dict[str, float]:
    """The best of a generation of such agents, each with so many games added up: middle, 95 %, and how many are below.

    Generations are drawn from the games that were played.
    """
    generator = np.random.default_rng([seed, count])
    best = np.array(
        [
            generator.choice(scores, (row.setup.population, count)).sum(axis=1).max()  # a generation at a time
            for _ in range(DRAWN)
        ]
    )
    low, middle, high = np.percentile(best, [2.5, 50, 97.5])
    return {"low": float(low), "middle": float(middle), "high": float(high), "below": float((best < row.score).mean())}


def crowds_of_choices(laboratory: Laboratory) -> dict[str, Any]:
    """Crowds of some of the experts, or by their scores, beside that of all, for every run with crowds."""
    plan = crowds_training()
    seeds, changes = plan.plan(laboratory.quick)
    games = 100 if laboratory.quick else 500
    told: dict[str, list[float]] = {name: [] for name in (*CHOICES, "consensus", "high", "most")}
    for number in range(seeds):
        run = laboratory.train(plan.recipe, plan.name, laboratory.seed + number, changes)
        for name, numbers in chosen_crowds(run).items():
            agent = DataAgent(name, dict(zip(FEATURES, numbers.tolist(), strict=True)), "before", rules=RULES)
            scores = scores_of(agent, games, laboratory)
            told[name].append(float(scores.mean()))
            if name == CHOICES[0]:
                told["high"].append(float((scores > HIGH).mean()))
                told["most"].append(float(scores.max()))
    return {**told, "games": games}


def chosen_crowds(run: Run) -> "dict[str, np.ndarray[Any, Any]]":
    """The crowds that a run's favourites can form."""
    experts, scores, judged = run.favourites, run.metrics["max"], run.metrics["judged"]
    half = len(experts) // 2
    better = np.sort(np.argsort(-judged, kind="stable")[:half])
    return {
        CHOICES[0]: mean_crowd(experts),
        CHOICES[1]: mean_crowd(experts[half:]),
        CHOICES[2]: mean_crowd(experts[better]),
        CHOICES[3]: mean_crowd(np.average(experts, axis=0, weights=np.maximum(scores, 1))[np.newaxis]),
        "consensus": consensus_crowd(experts, judged),
    }


def pieces_placed(laboratory: Laboratory) -> dict[str, Any]:
    """Whether games change if the number of pieces counts: cells before rows are removed are four for each piece."""
    agent = data_agent("hindi-3")
    more = DataAgent("hindi-3 and pieces", {**agent.weights, "filled_cells": 0.5}, "before", rules=RULES)
    games = 200 if laboratory.quick else 2000
    same = scores_of(agent, games, laboratory) == scores_of(more, games, laboratory)
    return {"games": games, "same": int(same.sum())}


def well_formed(laboratory: Laboratory) -> dict[str, Any]:
    """How long the longest living of the agents that were bred for length plays, alone and with the next piece."""
    plan = limit_training("length, no limit")
    seeds, changes = plan.plan(laboratory.quick)
    runs = [laboratory.train(plan.recipe, plan.name, laboratory.seed + number, changes) for number in range(seeds)]
    results = [run.result for run in runs if run.result]
    numbers = max(results, key=lambda result: float(result["as_played"]["pieces"]["mean"]))["numbers"]
    alone, ahead = (DataAgent("well-formed", numbers, "before", rules=RULES, depth=depth) for depth in (1, 2))
    games, looks, cap = (200, 8, 20_000) if laboratory.quick else (2000, 64, 100_000)
    return {
        "numbers": numbers,
        "alone": summed_up(laboratory.play(alone, RULES, games)),
        "ahead": summed_up(laboratory.play(ahead, RULES, looks, cap)) | {"cap": cap},
    }


def crowds_training() -> Training:
    """The runs of Table III."""
    return Training(CROWDS, "hindi-crowds", 60, 5, ONE_GAME)


def variant_name(words: str) -> str:
    """A training's name by what is otherwise in it than in the runs of Table III."""
    return f"crowds-{words.replace(' ', '-')}"


def limit_training(words: str) -> Training:
    """The runs in which that counts; all are judged in games without a limit."""
    return Training(limit_name(words), "hindi", 60, 4, (*ONE_GAME, "judge.pieces=0", *LIMITS[words]))


def limit_name(words: str) -> str:
    """A training's name by what counts in it."""
    return f"limit-{words.replace(', ', '-').replace(' ', '-')}"


def more_name(learner: str, count: int) -> str:
    """A training's name by who learns so many features."""
    return f"{learner}-{count}-features"


def more_trainings() -> list[Training]:
    """The curve of the number of features, learnt by theirs and by the cross-entropy method with as many games."""
    made = []
    for count in STEPS:
        chosen, fewer = features_of(MORE[:count]), ("stop.generations=12",)
        genetic = (*ONE_GAME, "genetic.population=50", "genetic.mutation_rate=0.01", "genetic.elitism=0.1", chosen)
        entropy = (*SAME_GAMES, "cross-entropy.population=50", chosen)
        made += [
            Training(more_name("genetic", count), "hindi", 24, 3, genetic, fewer),
            Training(more_name("entropy", count), "cross-entropy", 24, 3, entropy, fewer),
        ]
    return made


MEASUREMENTS: list[Measurement] = [
    Calculation("published", published_agents),
    *(setup.training(*MANY.get(setup.name, (SEEDS, 1))) for setup in GRID),
    *(setup.training(SEEDS, 3) for setup in SIGNED),
    SWAP.training(60, 5),
    SWAPS[1].training(SEEDS, 4),
    *(setup.training(SEEDS, 3) for setup in LOOKING),
    Training("luck", "hindi", 12, 3, ("games.count=20", *JUDGED)),
    crowds_training(),
    Training(WITHOUT, "hindi-crowds", 3, 1, (*ONE_GAME, "crowd.kind=none")),
    *(
        Training(variant_name(words), "hindi-crowds", 30, 2, (*ONE_GAME, "judge.every=5", "crowd.kind=none", change))
        for words, change in VARIANTS.items()
    ),
    Calculation("choices", crowds_of_choices),
    *map(limit_training, LIMITS),
    Calculation("well-formed", well_formed),
    *more_trainings(),
    Calculation("pieces-placed", pieces_placed),
    *(
        Training(name, "hindi", 40, 3, (*ONE_GAME, features_of([other for other in FEATURES if other != feature])))
        for feature, name in WITHOUT_ONE.items()
    ),
    *(Training(f"crossover-{name}", "hindi", 60, 3, (*ONE_GAME, f"genetic.crossover={name}")) for name in CROSSOVERS),
    Training(
        "harmony", "harmony", 40, 3, (*SAME_GAMES, features_of(FEATURES), "harmony.spread=1", "harmony.bandwidth=0.1")
    ),
    Play("reinforcement", "tetrais-q", games=4000, quick=400, rules=RULES, pieces=PIECES),
    *(Play(f"endless-{row.agent}", row.agent, games=1000, quick=100) for row in TABLE_I),
    *(Play(f"endless-{row.agent}", row.agent, games=100, quick=10, quick_pieces=20_000) for row in TABLE_II),
]
