"""What is measured for Hindi et al.: every configuration that they name, their agents, and what they left open."""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.rules import Rules
from tetrion.evaluation.agent_evaluation import play_agent_games
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.training.optimisers.wisdom_of_crowds import make_consensus_crowd, make_mean_crowd
from tetrion.training.recipe_settings import format_toml_value
from tetrion.training.run import Run

HINDI_RULES_NAME, HINDI_MAX_PIECES = "hindi", 500
_VALIDATION_CHANGES = ("validation.games=10", "validation.final_games=100")
_ONE_GAME_CHANGES = ("games.count=1", *_VALIDATION_CHANGES)  # what the tables' scores are sums of; see `how_many_games`
_RECIPES_BY_KIND = {"one-gene": "hindi", "signed": "hindi-signed", "swap": "hindi-swap", "look": "hindi-lookahead"}
_KIND_LABELS = {
    "one-gene": "",
    "signed": ", signed mutation",
    "swap": ", swap mutation",
    "look": ", with the next piece",
}


class GeneticConfiguration(NamedTuple):
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
    def description(self) -> str:
        """Its name as a person reads it."""
        return f"population {self.population}, mutation {self.mutation} %, elitism {self.elitism} %{_KIND_LABELS[self.kind]}"

    def make_training(self, seeds: int, quick: int) -> TrainingMeasurement:
        """So many runs of it."""
        changes = (
            *_ONE_GAME_CHANGES,
            f"genetic.population={self.population}",
            f"genetic.mutation_rate={self.mutation / 100}",
            f"genetic.elitism={self.elitism / 100}",
            f"stop.generations={self.generations}",
        )
        fewer = ("validation.games=3", "validation.final_games=30") if self.kind == "look" else ()
        return TrainingMeasurement(self.name, _RECIPES_BY_KIND[self.kind], seeds, quick, changes, fewer)


class PublishedAgent(NamedTuple):
    """A row of Table I or II: the configuration, the agent with its weights, and its score."""

    location: str
    configuration: GeneticConfiguration
    agent: str
    score: int


CONFIGURATION_GRID = [GeneticConfiguration(*numbers) for numbers in product((20, 50, 100), (1, 2, 5), (10, 15, 20))]
MAIN_CONFIGURATION = GeneticConfiguration(20, 2, 15)
SIGNED_CONFIGURATIONS = [
    GeneticConfiguration(20, mutation, elitism, "signed") for mutation, elitism in product((1, 2), (15, 20))
]
FIGURE_7_CONFIGURATION = GeneticConfiguration(20, 1, 20, "swap")
SWAP_CONFIGURATIONS = [FIGURE_7_CONFIGURATION, GeneticConfiguration(20, 1, 15, "swap")]
LOOKAHEAD_CONFIGURATIONS = [
    GeneticConfiguration(20, 2, 15, "look", 14),
    GeneticConfiguration(20, 2, 20, "look", 14),
    GeneticConfiguration(20, 5, 15, "look", 14),
    GeneticConfiguration(20, 1, 20, "look", 15),
]
TABLE_I_AGENTS = [
    PublishedAgent("Table I, row 1", SWAP_CONFIGURATIONS[1], "hindi-1", 73_800),
    PublishedAgent("Table I, row 2", GeneticConfiguration(20, 1, 20), "hindi-2", 26_260),
    PublishedAgent("Table I, row 3", MAIN_CONFIGURATION, "hindi-3", 103_220),
    PublishedAgent("Table I, row 4", GeneticConfiguration(100, 1, 10), "hindi-4", 69_240),
]
TABLE_II_AGENTS = [
    PublishedAgent("Table II, row 1", LOOKAHEAD_CONFIGURATIONS[0], "hindi-look-1", 103_400),
    PublishedAgent("Table II, row 2", LOOKAHEAD_CONFIGURATIONS[1], "hindi-look-2", 109_540),
    PublishedAgent("Table II, row 3", LOOKAHEAD_CONFIGURATIONS[2], "hindi-look-3", 107_660),
]
_COMPARED_CONFIGURATION_NAMES = ("one-gene-20-1-10", "one-gene-20-1-20", "one-gene-50-1-10", "one-gene-100-1-10")
_SEED_COUNT = 16  # of a configuration
_SEED_COUNTS_BY_NAME = {
    MAIN_CONFIGURATION.name: (200, 10),
    **dict.fromkeys(_COMPARED_CONFIGURATION_NAMES, (_SEED_COUNT, 4)),
}  # full and quick

SUMMED_GAME_COUNTS = (1, 2, 3, 5)  # games that "several" may be
_SAMPLED_GENERATIONS = 1000  # generations that are put together from an agent's games

CROWDS_TRAINING, WITHOUT_CROWDS_TRAINING = "crowds", "without-crowds"
TABLE_III_VARIANTS = {  # of the runs of Table III, to see what would end as low as it does
    "without elitism": "genetic.elitism=0.0",
    "with the signed mutation": "genetic.mutation=signed",
    "with the swap mutation": "genetic.mutation=swap",
    "with the same pieces for a whole generation": "games.piece_seed=generation",
}
EXPERT_SELECTIONS = ("all", "the later half", "the better half", "all, by score")  # whose mean a crowd is
HIGH_CROWD_SCORE = 100_000  # which games of a crowd frequently surpass

FITNESS_VARIANTS = {  # what the fitness counts, and whether a game ends with its 500th piece
    "points, 500 pieces": ("games.fitness=score", f"games.max_pieces=[{HINDI_MAX_PIECES}]"),
    "points, no limit": ("games.fitness=score", "games.max_pieces=[0]"),
    "length, 500 pieces": ("games.fitness=survival", f"games.max_pieces=[{HINDI_MAX_PIECES}]"),
    "length, no limit": ("games.fitness=survival", "games.max_pieces=[0]"),
}
_FEATURE_ORDER = (  # features in the order in which they are added
    *("aggregate_height", "holes", "bumpiness", "full_rows"),  # theirs
    "max_height",  # Demaine, Hohenberger and Liben-Nowell's, which they want next
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions", "wells"),  # Dellacherie's
    *("hole_depth", "rows_with_holes", "diversity"),  # Thiery and Scherrer's, Gabillon's
    *(f"height_{column}" for column in range(1, 11)),  # Bertsekas and Ioffe's
)
FEATURE_COUNTS = (2, 3, 4, 5, 6, 8, 10, 13, 23)  # how many of them
FEATURE_REMOVAL_TRAININGS = {feature: f"without-{feature}" for feature in HINDI_FEATURES}
_OTHER_CROSSOVERS = ("uniform", "one-point")
_SAME_GAMES_CHANGES = (  # what another learner needs to play as theirs does
    "rules=hindi",
    "agent.measured=before",
    "games.fitness=score",
    "games.sum_games=true",
    f"games.max_pieces=[{HINDI_MAX_PIECES}]",
    "games.piece_seed=candidate",
    "stop.generations=25",
    "validation.every=1",
    f"validation.max_pieces={HINDI_MAX_PIECES}",
    *_ONE_GAME_CHANGES,
)


def format_features_change(names: Sequence[str]) -> str:
    """The change of a recipe that gives weights to these features."""
    return f"agent.features={format_toml_value(tuple(names))}"


def measure_game_scores(agent: WeightedAgent, games: int, laboratory: MeasurementContext) -> "np.ndarray[Any, Any]":
    """The score of every game of at most 500 pieces."""
    caps = {"max_pieces": HINDI_MAX_PIECES, "max_lines": UNLIMITED}
    played, stopped = play_agent_games(
        agent, Rules.parse(HINDI_RULES_NAME), 0, games, seed=laboratory.seed, caps=caps, workers=laboratory.workers
    )
    if stopped:
        raise KeyboardInterrupt
    return np.asarray(played["score"], float)


def measure_published_agents(laboratory: MeasurementContext) -> dict[str, Any]:
    """What the agents of the tables score: a game, and as the best of a generation, by how many games are added up."""
    told: dict[str, Any] = {}
    for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS):
        few, many = (300, 3000) if row.configuration.kind == "look" else (2000, 40_000)
        scores = measure_game_scores(load_weighted_agent(row.agent), few if laboratory.is_quick else many, laboratory)
        told[row.agent] = {
            "games": len(scores),
            "mean": float(scores.mean()),
            "ci95": compute_mean_interval(scores),
            "deviation": float(scores.std()),
            "most": float(scores.max()),
            "best": {
                str(count): compute_best_of_generation(scores, row, count, laboratory.seed)
                for count in SUMMED_GAME_COUNTS
            },
        }
    return told


def compute_best_of_generation(
    scores: "np.ndarray[Any, Any]", row: PublishedAgent, count: int, seed: int
) -> dict[str, float]:
    """The best of a generation of such agents, each with so many games added up: middle, 95 %, and how many are below.

    Generations are drawn from the games that were played.
    """
    generator = np.random.default_rng([seed, count])
    best = np.array(
        [
            generator.choice(scores, (row.configuration.population, count)).sum(axis=1).max()  # a generation at a time
            for _ in range(_SAMPLED_GENERATIONS)
        ]
    )
    low, middle, high = np.percentile(best, [2.5, 50, 97.5])
    return {"low": float(low), "middle": float(middle), "high": float(high), "below": float((best < row.score).mean())}


def measure_expert_selections(laboratory: MeasurementContext) -> dict[str, Any]:
    """Crowds of some of the experts, or by their scores, beside that of all, for every run with crowds."""
    plan = make_crowds_training()
    seeds, changes = plan.get_plan(laboratory.is_quick)
    games = 100 if laboratory.is_quick else 500
    told: dict[str, list[float]] = {name: [] for name in (*EXPERT_SELECTIONS, "consensus", "high", "most")}
    for number in range(seeds):
        run = laboratory.train(plan.recipe, plan.name, laboratory.seed + number, changes)
        for name, numbers in make_crowds(run).items():
            agent = WeightedAgent(
                name, dict(zip(HINDI_FEATURES, numbers.tolist(), strict=True)), "before", rules=HINDI_RULES_NAME
            )
            scores = measure_game_scores(agent, games, laboratory)
            told[name].append(float(scores.mean()))
            if name == EXPERT_SELECTIONS[0]:
                told["high"].append(float((scores > HIGH_CROWD_SCORE).mean()))
                told["most"].append(float(scores.max()))
    return {**told, "games": games}


def make_crowds(run: Run) -> "dict[str, np.ndarray[Any, Any]]":
    """The crowds that a run's favourites can form."""
    experts = run.incumbents
    scores = run.metrics["max"]
    judged = run.metrics["validation"]
    half = len(experts) // 2
    better = np.sort(np.argsort(-judged, kind="stable")[:half])
    return {
        EXPERT_SELECTIONS[0]: make_mean_crowd(experts),
        EXPERT_SELECTIONS[1]: make_mean_crowd(experts[half:]),
        EXPERT_SELECTIONS[2]: make_mean_crowd(experts[better]),
        EXPERT_SELECTIONS[3]: make_mean_crowd(np.average(experts, axis=0, weights=np.maximum(scores, 1))[np.newaxis]),
        "consensus": make_consensus_crowd(experts, judged),
    }


def measure_pieces_placed_effect(laboratory: MeasurementContext) -> dict[str, Any]:
    """Whether games change if the number of pieces counts: cells before rows are removed are four for each piece."""
    agent = load_weighted_agent("hindi-3")
    more = WeightedAgent("hindi-3 and pieces", {**agent.weights, "filled_cells": 0.5}, "before", rules=HINDI_RULES_NAME)
    games = 200 if laboratory.is_quick else 2000
    same = measure_game_scores(agent, games, laboratory) == measure_game_scores(more, games, laboratory)
    return {"games": games, "same": int(same.sum())}


def measure_longest_playing_agent(laboratory: MeasurementContext) -> dict[str, Any]:
    """How long the longest living of the agents that were bred for length plays, alone and with the next piece."""
    plan = make_fitness_training("length, no limit")
    seeds, changes = plan.get_plan(laboratory.is_quick)
    runs = [laboratory.train(plan.recipe, plan.name, laboratory.seed + number, changes) for number in range(seeds)]
    results = [run.result for run in runs if run.result]
    numbers = max(results, key=lambda result: float(result["uncorrected"]["pieces"]["mean"]))["parameters"]
    alone, ahead = (
        WeightedAgent("well-formed", numbers, "before", rules=HINDI_RULES_NAME, depth=depth) for depth in (1, 2)
    )
    games, looks, cap = (200, 8, 20_000) if laboratory.is_quick else (2000, 64, 100_000)
    return {
        "numbers": numbers,
        "alone": summarise_games(laboratory.play(alone, HINDI_RULES_NAME, games)),
        "ahead": summarise_games(laboratory.play(ahead, HINDI_RULES_NAME, looks, cap)) | {"cap": cap},
    }


def make_crowds_training() -> TrainingMeasurement:
    """The runs of Table III."""
    return TrainingMeasurement(CROWDS_TRAINING, "hindi-crowds", 60, 5, _ONE_GAME_CHANGES)


def format_variant_name(words: str) -> str:
    """A training's name by what is otherwise in it than in the runs of Table III."""
    return f"crowds-{words.replace(' ', '-')}"


def make_fitness_training(words: str) -> TrainingMeasurement:
    """The runs in which that counts; all are judged in games without a limit."""
    return TrainingMeasurement(
        format_fitness_training_name(words),
        "hindi",
        60,
        4,
        (*_ONE_GAME_CHANGES, "validation.max_pieces=0", *FITNESS_VARIANTS[words]),
    )


def format_fitness_training_name(words: str) -> str:
    """A training's name by what counts in it."""
    return f"limit-{words.replace(', ', '-').replace(' ', '-')}"


def format_feature_count_name(learner: str, count: int) -> str:
    """A training's name by who learns so many features."""
    return f"{learner}-{count}-features"


def make_feature_count_trainings() -> list[TrainingMeasurement]:
    """The curve of the number of features, learnt by theirs and by the cross-entropy method with as many games."""
    made = []
    for count in FEATURE_COUNTS:
        chosen, fewer = format_features_change(_FEATURE_ORDER[:count]), ("stop.generations=12",)
        genetic = (
            *_ONE_GAME_CHANGES,
            "genetic.population=50",
            "genetic.mutation_rate=0.01",
            "genetic.elitism=0.1",
            chosen,
        )
        entropy = (*_SAME_GAMES_CHANGES, "cross-entropy.population=50", chosen)
        made += [
            TrainingMeasurement(format_feature_count_name("genetic", count), "hindi", 24, 3, genetic, fewer),
            TrainingMeasurement(format_feature_count_name("entropy", count), "cross-entropy", 24, 3, entropy, fewer),
        ]
    return made


HINDI_MEASUREMENTS: list[Measurement] = [
    CustomMeasurement("published", measure_published_agents),
    *(setup.make_training(*_SEED_COUNTS_BY_NAME.get(setup.name, (_SEED_COUNT, 1))) for setup in CONFIGURATION_GRID),
    *(setup.make_training(_SEED_COUNT, 3) for setup in SIGNED_CONFIGURATIONS),
    FIGURE_7_CONFIGURATION.make_training(60, 5),
    SWAP_CONFIGURATIONS[1].make_training(_SEED_COUNT, 4),
    *(setup.make_training(_SEED_COUNT, 3) for setup in LOOKAHEAD_CONFIGURATIONS),
    TrainingMeasurement("luck", "hindi", 12, 3, ("games.count=20", *_VALIDATION_CHANGES)),
    make_crowds_training(),
    TrainingMeasurement(WITHOUT_CROWDS_TRAINING, "hindi-crowds", 3, 1, (*_ONE_GAME_CHANGES, "crowd.kind=none")),
    *(
        TrainingMeasurement(
            format_variant_name(words),
            "hindi-crowds",
            30,
            2,
            (*_ONE_GAME_CHANGES, "validation.every=5", "crowd.kind=none", change),
        )
        for words, change in TABLE_III_VARIANTS.items()
    ),
    CustomMeasurement("choices", measure_expert_selections),
    *map(make_fitness_training, FITNESS_VARIANTS),
    CustomMeasurement("well-formed", measure_longest_playing_agent),
    *make_feature_count_trainings(),
    CustomMeasurement("pieces-placed", measure_pieces_placed_effect),
    *(
        TrainingMeasurement(
            name,
            "hindi",
            40,
            3,
            (*_ONE_GAME_CHANGES, format_features_change([other for other in HINDI_FEATURES if other != feature])),
        )
        for feature, name in FEATURE_REMOVAL_TRAININGS.items()
    ),
    *(
        TrainingMeasurement(f"crossover-{name}", "hindi", 60, 3, (*_ONE_GAME_CHANGES, f"genetic.crossover={name}"))
        for name in _OTHER_CROSSOVERS
    ),
    TrainingMeasurement(
        "harmony",
        "harmony",
        40,
        3,
        (
            *_SAME_GAMES_CHANGES,
            format_features_change(HINDI_FEATURES),
            "harmony.initial_range=1",
            "harmony.bandwidth=0.1",
        ),
    ),
    GameMeasurement(
        "reinforcement", "tetrais-q", games=4000, quick_games=400, rules=HINDI_RULES_NAME, max_pieces=HINDI_MAX_PIECES
    ),
    *(GameMeasurement(f"endless-{row.agent}", row.agent, games=1000, quick_games=100) for row in TABLE_I_AGENTS),
    *(
        GameMeasurement(f"endless-{row.agent}", row.agent, games=100, quick_games=10, quick_max_pieces=20_000)
        for row in TABLE_II_AGENTS
    ),
]
