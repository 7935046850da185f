"""Measurements for Hindi et al.: all their configurations, their agents, and their open questions."""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.engine.rules import Rules
from tetrion.evaluation.agent_games import AgentGames
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.stepped_games import GameLimits
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

HINDI_RULES_NAME = "hindi"
HINDI_MAX_PIECES = 500
_VALIDATION_CHANGES = ("validation.games=10", "validation.final_games=100")
_ONE_GAME_CHANGES = (
    "games.count=1",
    *_VALIDATION_CHANGES,
)  # a score in the tables is that of one game; see `check_scores_are_sums`
_RECIPES_BY_KIND = {"one-gene": "hindi", "signed": "hindi-signed", "swap": "hindi-swap", "look": "hindi-lookahead"}
_KIND_LABELS = {
    "one-gene": "",
    "signed": ", signed mutation",
    "swap": ", swap mutation",
    "look": ", with the next piece",
}


class GeneticConfiguration(NamedTuple):
    """A configuration: population size, mutation rate and elitism in percent, kind of run, and generations.

    `kind` is one of the keys of `_KIND_LABELS`.
    """

    population: int
    mutation: int
    elitism: int
    kind: str = "one-gene"
    generations: int = 25

    @property
    def name(self) -> str:
        """The measurement name."""
        return f"{self.kind}-{self.population}-{self.mutation}-{self.elitism}"

    @property
    def description(self) -> str:
        """The label in tables and sentences."""
        settings = f"population {self.population}, mutation {self.mutation} %, elitism {self.elitism} %"
        return f"{settings}{_KIND_LABELS[self.kind]}"

    def make_training(self, seeds: int, quick_seeds: int) -> TrainingMeasurement:
        """Return a training with the given number of seeds, for a full and a quick reproduction."""
        changes = (
            *_ONE_GAME_CHANGES,
            f"genetic.population={self.population}",
            f"genetic.mutation_rate={self.mutation / 100}",
            f"genetic.elitism={self.elitism / 100}",
            f"stop.generations={self.generations}",
        )
        return TrainingMeasurement(
            self.name,
            _RECIPES_BY_KIND[self.kind],
            seed_count=seeds,
            quick_seed_count=quick_seeds,
            changes=changes,
            quick_changes=("validation.games=3", "validation.final_games=30") if self.kind == "look" else (),
        )


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
_SEED_COUNT = 16  # default number of seeds per configuration
_SEED_COUNTS_BY_NAME = {  # in a full and in a quick reproduction
    MAIN_CONFIGURATION.name: (200, 10),
    **dict.fromkeys(_COMPARED_CONFIGURATION_NAMES, (_SEED_COUNT, 4)),
}

SUMMED_GAME_COUNTS = (1, 2, 3, 5)  # tested numbers of summed games
_SAMPLED_GENERATIONS = 1000  # generations sampled from an agent's games

CROWDS_TRAINING, WITHOUT_CROWDS_TRAINING = "crowds", "without-crowds"
TABLE_III_VARIANTS = {  # interpretations that may explain the low end of Table III
    "without elitism": "genetic.elitism=0.0",
    "with the signed mutation": "genetic.mutation=signed",
    "with the swap mutation": "genetic.mutation=swap",
    "with the same pieces for a whole generation": "games.piece_seed=generation",
}
EXPERT_SELECTIONS = ("all", "the later half", "the better half", "all, by score")  # experts in a crowd
HIGH_CROWD_SCORE = 100_000  # according to the paper, frequently surpassed by crowds

FITNESS_VARIANTS = {  # measure of fitness and limit of a game: recipe changes
    "points, 500 pieces": ("games.fitness=score", f"games.max_pieces=[{HINDI_MAX_PIECES}]"),
    "points, no limit": ("games.fitness=score", "games.max_pieces=[0]"),
    "length, 500 pieces": ("games.fitness=survival", f"games.max_pieces=[{HINDI_MAX_PIECES}]"),
    "length, no limit": ("games.fitness=survival", "games.max_pieces=[0]"),
}
_FEATURE_ORDER = (  # features in the order in which they are added
    *("aggregate_height", "holes", "bumpiness", "full_rows"),  # theirs
    "max_height",  # of Demaine, Hohenberger and Liben-Nowell; proposed by the paper as the next feature
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions", "wells"),  # Dellacherie's
    *("hole_depth", "rows_with_holes", "diversity"),  # Thiery and Scherrer's, Gabillon's
    *(f"height_{column}" for column in range(1, 11)),  # Bertsekas and Ioffe's
)
FEATURE_COUNTS = (2, 3, 4, 5, 6, 8, 10, 13, 23)
FEATURE_REMOVAL_TRAININGS = {feature: f"without-{feature}" for feature in HINDI_FEATURES}
_OTHER_CROSSOVERS = ("uniform", "one-point")
_SAME_GAMES_CHANGES = (  # recipe changes that give another learner the games of theirs
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
    """Return the recipe change that sets the features of the agent."""
    return f"agent.features={format_toml_value(tuple(names))}"


def measure_game_scores(agent: WeightedAgent, games: int, context: MeasurementContext) -> "np.ndarray[Any, Any]":
    """Return the scores of games of at most 500 pieces, one per game."""
    rules = Rules.parse(HINDI_RULES_NAME)
    agent_games = AgentGames(agent, rules, context.seed, context.workers, GameLimits(HINDI_MAX_PIECES))
    records, stopped = agent_games.play(0, games)
    if stopped:
        raise KeyboardInterrupt
    return np.asarray(records["score"], float)


def measure_published_agents(context: MeasurementContext) -> dict[str, Any]:
    """Measure the published agents: score per game, and best of a generation for several numbers of summed games."""
    summaries: dict[str, Any] = {}
    for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS):
        quick_games, games = (300, 3000) if row.configuration.kind == "look" else (2000, 40_000)
        agent = load_weighted_agent(row.agent)
        scores = measure_game_scores(agent, quick_games if context.is_quick else games, context)
        summaries[row.agent] = {
            "games": len(scores),
            "mean": float(scores.mean()),
            "ci95": compute_mean_interval(scores),
            "deviation": float(scores.std()),
            "most": float(scores.max()),
            "best": {
                str(count): compute_best_of_generation(scores, row, count, context.seed) for count in SUMMED_GAME_COUNTS
            },
        }
    return summaries


def compute_best_of_generation(
    scores: "np.ndarray[Any, Any]", row: PublishedAgent, count: int, seed: int
) -> dict[str, float]:
    """Return the median and 95 % range of the best of a generation of equal agents, each with `count` games summed.

    Generations are sampled from the games played; "below" is the share that is below the published score.
    """
    generator = np.random.default_rng([seed, count])
    best = np.array(
        [
            generator.choice(scores, (row.configuration.population, count)).sum(axis=1).max()
            for _ in range(_SAMPLED_GENERATIONS)
        ]
    )
    low, median, high = np.percentile(best, [2.5, 50, 97.5])
    return {"low": float(low), "middle": float(median), "high": float(high), "below": float((best < row.score).mean())}


def measure_expert_selections(context: MeasurementContext) -> dict[str, Any]:
    """Measure crowds of different selections of experts, for every run with crowds."""
    training = make_crowds_training()
    seeds, changes = training.get_plan(context.is_quick)
    games = 100 if context.is_quick else 500
    values: dict[str, list[float]] = {name: [] for name in (*EXPERT_SELECTIONS, "consensus", "high", "most")}
    for number in range(seeds):
        run = context.train(training.recipe, training.name, context.seed + number, changes)
        for name, vector in make_crowds(run).items():
            weights = dict(zip(HINDI_FEATURES, vector.tolist(), strict=True))
            agent = WeightedAgent(name, weights, "before", rules=HINDI_RULES_NAME)
            scores = measure_game_scores(agent, games, context)
            values[name].append(float(scores.mean()))
            if name == EXPERT_SELECTIONS[0]:
                values["high"].append(float((scores > HIGH_CROWD_SCORE).mean()))
                values["most"].append(float(scores.max()))
    return {**values, "games": games}


def make_crowds(run: Run) -> "dict[str, np.ndarray[Any, Any]]":
    """Return the weights of the crowds that the incumbents of a run can form, by selection."""
    experts = run.incumbents
    scores = run.metrics["max"]
    validated = run.metrics["validation"]
    half = len(experts) // 2
    better = np.sort(np.argsort(-validated, kind="stable")[:half])
    return {
        EXPERT_SELECTIONS[0]: make_mean_crowd(experts),
        EXPERT_SELECTIONS[1]: make_mean_crowd(experts[half:]),
        EXPERT_SELECTIONS[2]: make_mean_crowd(experts[better]),
        EXPERT_SELECTIONS[3]: make_mean_crowd(np.average(experts, axis=0, weights=np.maximum(scores, 1))[np.newaxis]),
        "consensus": make_consensus_crowd(experts, validated),
    }


def measure_pieces_placed_effect(context: MeasurementContext) -> dict[str, Any]:
    """Measure whether a weight for the number of pieces changes games.

    Before full rows are removed, each piece adds four filled cells.
    """
    agent = load_weighted_agent("hindi-3")
    weights = {**agent.weights, "filled_cells": 0.5}
    changed_agent = WeightedAgent("hindi-3 and pieces", weights, "before", rules=HINDI_RULES_NAME)
    games = 200 if context.is_quick else 2000
    unchanged = measure_game_scores(agent, games, context) == measure_game_scores(changed_agent, games, context)
    return {"games": games, "same": int(unchanged.sum())}


def measure_longest_playing_agent(context: MeasurementContext) -> dict[str, Any]:
    """Measure the longest-playing agent trained for length, without and with the next piece."""
    training = make_fitness_training("length, no limit")
    seeds, changes = training.get_plan(context.is_quick)
    numbers = range(context.seed, context.seed + seeds)
    runs = [context.train(training.recipe, training.name, seed, changes) for seed in numbers]
    results = [run.result for run in runs if run.result]
    weights = max(results, key=lambda result: float(result["uncorrected"]["pieces"]["mean"]))["parameters"]
    single, lookahead = (
        WeightedAgent("well-formed", weights, "before", rules=HINDI_RULES_NAME, depth=depth) for depth in (1, 2)
    )
    games, lookahead_games, cap = (200, 8, 20_000) if context.is_quick else (2000, 64, 100_000)
    return {
        "numbers": weights,
        "alone": summarise_games(context.play(single, HINDI_RULES_NAME, games)),
        "ahead": summarise_games(context.play(lookahead, HINDI_RULES_NAME, lookahead_games, cap)) | {"cap": cap},
    }


def make_crowds_training() -> TrainingMeasurement:
    """Return the training of Table III."""
    return TrainingMeasurement(CROWDS_TRAINING, "hindi-crowds", 60, 5, _ONE_GAME_CHANGES)


def format_variant_name(variant: str) -> str:
    """Return the measurement name of a variant of Table III."""
    return f"crowds-{variant.replace(' ', '-')}"


def make_fitness_training(variant: str) -> TrainingMeasurement:
    """Return the training with a kind of fitness; validation games have no limit."""
    return TrainingMeasurement(
        format_fitness_training_name(variant),
        "hindi",
        60,
        4,
        (*_ONE_GAME_CHANGES, "validation.max_pieces=0", *FITNESS_VARIANTS[variant]),
    )


def format_fitness_training_name(variant: str) -> str:
    """Return the measurement name of the training with a kind of fitness."""
    return f"limit-{variant.replace(', ', '-').replace(' ', '-')}"


def format_feature_count_name(learner: str, count: int) -> str:
    """Return the measurement name of a learner with the given number of features."""
    return f"{learner}-{count}-features"


def make_feature_count_trainings() -> list[TrainingMeasurement]:
    """Return trainings with different numbers of features, by their algorithm and by the cross-entropy method."""
    recipes = {
        "genetic": (
            "hindi",
            (*_ONE_GAME_CHANGES, "genetic.population=50", "genetic.mutation_rate=0.01", "genetic.elitism=0.1"),
        ),
        "entropy": ("cross-entropy", (*_SAME_GAMES_CHANGES, "cross-entropy.population=50")),
    }
    return [
        TrainingMeasurement(
            format_feature_count_name(learner, count),
            recipe,
            seed_count=24,
            quick_seed_count=3,
            changes=(*changes, format_features_change(_FEATURE_ORDER[:count])),
            quick_changes=("stop.generations=12",),
        )
        for count in FEATURE_COUNTS
        for learner, (recipe, changes) in recipes.items()
    ]


HINDI_MEASUREMENTS: list[Measurement] = [
    CustomMeasurement("published", measure_published_agents),
    *(
        configuration.make_training(*_SEED_COUNTS_BY_NAME.get(configuration.name, (_SEED_COUNT, 1)))
        for configuration in CONFIGURATION_GRID
    ),
    *(configuration.make_training(_SEED_COUNT, 3) for configuration in SIGNED_CONFIGURATIONS),
    FIGURE_7_CONFIGURATION.make_training(60, 5),
    SWAP_CONFIGURATIONS[1].make_training(_SEED_COUNT, 4),
    *(configuration.make_training(_SEED_COUNT, 3) for configuration in LOOKAHEAD_CONFIGURATIONS),
    TrainingMeasurement("luck", "hindi", 12, 3, ("games.count=20", *_VALIDATION_CHANGES)),
    make_crowds_training(),
    TrainingMeasurement(WITHOUT_CROWDS_TRAINING, "hindi-crowds", 3, 1, (*_ONE_GAME_CHANGES, "crowd.kind=none")),
    *(
        TrainingMeasurement(
            format_variant_name(variant),
            "hindi-crowds",
            30,
            2,
            (*_ONE_GAME_CHANGES, "validation.every=5", "crowd.kind=none", change),
        )
        for variant, change in TABLE_III_VARIANTS.items()
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
