"""Measurements for Hindi et al.: their configurations, their agents, crowds, and the open questions of the paper.

A score of training is the sum of five games, because section III B sums "a set number" of games; measurements with one
game per candidate are called so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.evaluation.confidence_intervals import MIN_SAMPLE_SIZE, SampleArray, compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.papers.judging import is_decisive
from tetrion.papers.measured_values import MeasuredValue, mean, median, number, rank_correlation, share
from tetrion.papers.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.training.evolutionary_learner import GeneticLearner, play_generation
from tetrion.training.fitness import TrainingWorkers
from tetrion.training.learner import INCUMBENT_PREFIX
from tetrion.training.optimisers.wisdom_of_crowds import make_consensus_crowd, make_mean_crowd
from tetrion.training.recipe import Recipe
from tetrion.training.recipe_settings import format_toml_value
from tetrion.training.run import Run

POPULATION_SIZES = (20, 50, 100)
SETTINGS = ("1-15", "1-20", "2-15", "2-20")  # mutation rate and elitism in percent, section IV B
SUMMED_GAMES = 5  # "several" games (section III C) in the recipes
MAX_PIECES = 500
DECENT_SCORE = 10_000  # a tenth of the score of their strongest agent
STRONG_SCORE = 26_260  # the lowest score of Table I, whose agents the paper calls strong
HIGH_SCORE = 100_000  # surpassed frequently by crowds (section IV B)
TABLE_I = {"hindi-1": (20, 73_800), "hindi-2": (20, 26_260), "hindi-3": (20, 103_220), "hindi-4": (100, 69_240)}
TABLE_II = {"hindi-look-1": (20, 103_400), "hindi-look-2": (20, 109_540), "hindi-look-3": (20, 107_660)}
_TABLE_SEEDS = 40  # the 95 % range of runs needs at least 39
_MIN_RANGE_RUNS = 39  # the chance that one further run is the lowest or highest of 40 is 5 %
_FINAL_GENERATIONS = 5  # last generations that are averaged
_LATE_GENERATION = 9  # the averages of Figure 7 begin to climb between generations 9 and 11
_CLIMB_SHARE = 0.25  # averages of at most this share of the last ones are before the climb
_RESAMPLES = 1000
_ONE_GAME = "games.count=1"
_SAME_PIECES = "games.piece_seed=generation"
_QUICK_CHANGES = ("stop.generations=8", "validation.games=3", "validation.final_games=30")
_FEATURES = (  # in the order in which they are added
    *("aggregate_height", "holes", "bumpiness", "full_rows"),  # theirs
    "max_height",  # of Demaine, Hohenberger and Liben-Nowell; proposed by the paper as the next feature
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions", "wells"),  # Dellacherie's
    *("hole_depth", "rows_with_holes", "diversity"),  # Thiery and Scherrer's, Gabillon's
    *(f"height_{column}" for column in range(1, 11)),  # Bertsekas and Ioffe's
)
FEATURE_COUNTS = (3, 4, 5, 6, 8, 10, 13, 23)
_OTHER_LEARNER_CHANGES = (  # give the cross-entropy method the games of their algorithm
    *("rules=hindi", "agent.measured=before", "games.fitness=score", "games.sum_games=true", "games.count=5"),
    *("games.max_pieces=[500]", "games.piece_seed=candidate", "stop.generations=25", "validation.every=1"),
    *("validation.games=20", "validation.max_pieces=500", "validation.final_games=500"),
    "cross-entropy.population=50",
)
FITNESSES = {  # measure of fitness and limit of a game: recipe changes
    "points-500": ("games.fitness=score", "games.max_pieces=[500]"),
    "points-unlimited": ("games.fitness=score", "games.max_pieces=[0]"),
    "length-500": ("games.fitness=survival", "games.max_pieces=[500]"),
    "length-unlimited": ("games.fitness=survival", "games.max_pieces=[0]"),
}


@dataclass(frozen=True)
class GridMeasurement:
    """Trainings with several settings, whose runs are kept in one result; each run has its `settings`."""

    name: str
    trainings: Mapping[str, TrainingMeasurement]

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return the settings of all trainings."""
        return {name: training.get_settings(is_quick) for name, training in self.trainings.items()}

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Train with all settings."""
        runs = [
            {"settings": name, **run}
            for name, training in self.trainings.items()
            for run in training.measure(context)["runs"]
        ]
        return {"runs": runs}


def make_training(
    name: str, population: int, settings: str, seeds: int = 16, *changes: str, recipe: str = "hindi"
) -> TrainingMeasurement:
    """Return a training with a population size, a mutation rate and an elitism, such as "2-15" in percent."""
    mutation, elitism = (int(part) / 100 for part in settings.split("-"))
    values = {"population": population, "mutation_rate": mutation, "elitism": elitism}
    all_changes = (*(f"genetic.{key}={value}" for key, value in values.items()), *changes)
    return TrainingMeasurement(name, recipe, seeds, 3, all_changes, _QUICK_CHANGES)


def make_grid(
    name: str, population: int, seeds: Mapping[str, int], *changes: str, recipe: str = "hindi"
) -> GridMeasurement:
    """Return trainings of one population size with the numbers of seeds by mutation rate and elitism."""
    return GridMeasurement(
        name,
        {
            settings: make_training(f"{name}-{settings}", population, settings, count, *changes, recipe=recipe)
            for settings, count in seeds.items()
        },
    )


def make_crowds_training(name: str, seeds: int, *changes: str) -> TrainingMeasurement:
    """Return a training with the settings of Table III, without forming a crowd; all generations in a quick one."""
    all_changes = ("crowd.kind=none", "validation.final_games=200", *changes)
    return TrainingMeasurement(name, "hindi-crowds", seeds, 3, all_changes, ("validation.games=3",))


_CROWDS = make_crowds_training("crowds", 60)
_LENGTH_TRAINING = "fitness-length-unlimited"


def play_scores(context: MeasurementContext, agent: WeightedAgent, games: int) -> SampleArray:
    """Return the scores of single games of at most 500 pieces."""
    return np.asarray(context.play(agent, "hindi", games, MAX_PIECES).per_game["score"], float)


def make_agent(weights: Sequence[float]) -> WeightedAgent:
    """Return an agent with weights in the order of their features."""
    return WeightedAgent("evolved", dict(zip(HINDI_FEATURES, weights, strict=True)), "before", rules="hindi")


def measure_first_generations(context: MeasurementContext) -> dict[str, Any]:
    """Count the decent candidates of random first generations, by summed games and population size."""
    count = 10 if context.is_quick else 200
    workers = TrainingWorkers(context.workers)
    decent: dict[str, dict[str, list[int]]] = {"sum": {}, "one": {}}
    for (kind, games), population in product((("sum", SUMMED_GAMES), ("one", 1)), POPULATION_SIZES):
        recipe = Recipe.load("hindi", [f"genetic.population={population}", f"games.count={games}"])
        seeds = range(context.seed, context.seed + count)
        decent[kind][str(population)] = [count_decent(recipe.with_(seed=seed), workers) for seed in seeds]
    return decent


def count_decent(recipe: Recipe, workers: TrainingWorkers) -> int:
    """Return how many candidates of the first generation of a run are decent."""
    learner = GeneticLearner(recipe)
    agents = [learner.make_agent(candidate, recipe.name) for candidate in learner.optimiser.ask()]
    fitness = play_generation(agents, recipe, 0, MAX_PIECES, workers).fitness
    return int((fitness >= DECENT_SCORE).sum())


def make_crowds(run: Run) -> dict[str, SampleArray]:
    """Return the weights of the crowds that the best candidates of all generations can form, by kind."""
    experts = run.incumbents
    validated = run.metrics["validation"]
    half = len(experts) // 2
    better = np.sort(np.argsort(-validated, kind="stable")[:half])
    return {
        "plain": make_mean_crowd(experts),
        "weighted": make_mean_crowd(experts, run.metrics["max"]),
        "consensus": make_consensus_crowd(experts, validated),
        "later_half": make_mean_crowd(experts[half:]),
        "better_half": make_mean_crowd(experts[better]),
        "best_expert": experts[int(np.argmax(validated))],
    }


def measure_crowds(context: MeasurementContext) -> dict[str, Any]:
    """Measure crowds and their experts in games that were not used for training or selection, one value per run.

    "mean" is the mean score of a game; "strong" and "high" are the shares of games with the two scores.
    """
    seeds, changes = _CROWDS.get_plan(context.is_quick)
    games, expert_games = (50, 10) if context.is_quick else (500, 100)
    found: dict[str, Any] = {"games": games}
    for run in context.train_seeds(_CROWDS.recipe, _CROWDS.name, range(context.seed, context.seed + seeds), changes):
        for kind, weights in make_crowds(run).items():
            scores = play_scores(context, make_agent(weights.tolist()), games)
            values = {"mean": scores, "strong": scores >= STRONG_SCORE, "high": scores > HIGH_SCORE}
            for name, single in values.items():
                found.setdefault(kind, {}).setdefault(name, []).append(float(single.mean()))
        experts = [play_scores(context, make_agent(expert), expert_games).mean() for expert in run.incumbents.tolist()]
        found.setdefault("average_expert", {}).setdefault("mean", []).append(float(np.mean(experts)))
    return found


def measure_longest_games(context: MeasurementContext) -> dict[str, Any]:
    """Measure the longest-playing agent of those trained for length, without and with the next piece."""
    training = make_fitness_training("length-unlimited")
    seeds, changes = training.get_plan(context.is_quick)
    runs = context.train_seeds(training.recipe, training.name, range(context.seed, context.seed + seeds), changes)
    results = [run.result for run in runs if run.result]
    weights = max(results, key=lambda result: float(result["uncorrected"]["pieces"]["mean"]))["parameters"]
    agent = make_agent([weights[feature] for feature in HINDI_FEATURES])
    games, ahead_games, cap = (100, 4, 5000) if context.is_quick else (2000, 64, 100_000)
    ahead = summarise_games(context.play(replace(agent, depth=2), "hindi", ahead_games, cap)) | {"cap": cap}
    return {"alone": summarise_games(context.play(agent, "hindi", games)), "ahead": ahead}


def make_fitness_training(fitness: str) -> TrainingMeasurement:
    """Return the training with a kind of fitness; validation and held-out games have no limit."""
    changes = ("validation.max_pieces=0", *FITNESSES[fitness])
    return TrainingMeasurement(f"fitness-{fitness}", "hindi", 40, 3, changes, _QUICK_CHANGES)


def make_feature_training(learner: str, count: int) -> TrainingMeasurement:
    """Return a training of a learner with the first features, with the same number of games for both learners."""
    features = f"agent.features={format_toml_value(_FEATURES[:count])}"
    name = f"{learner}-{count}"
    if learner == "genetic":
        return replace(make_training(name, 50, "1-10", 16, features), quick_seed_count=1)
    return TrainingMeasurement(name, "cross-entropy", 16, 1, (*_OTHER_LEARNER_CHANGES, features), _QUICK_CHANGES)


MEASUREMENTS: list[Measurement] = [
    make_grid("population-20", 20, {"1-15": 16, "1-20": _TABLE_SEEDS, "2-15": 100, "2-20": 16}),
    make_grid("population-50", 50, dict.fromkeys(SETTINGS, 16)),
    make_grid("population-100", 100, dict.fromkeys(SETTINGS, 16)),
    make_training("large", 100, "1-10", _TABLE_SEEDS),
    make_grid("signed", 20, dict.fromkeys(SETTINGS, 16), "genetic.mutation=signed"),
    make_grid("swap", 20, {"1-15": _TABLE_SEEDS, "1-20": 100}, "genetic.mutation=swap"),
    make_grid("ahead", 20, dict.fromkeys(("2-15", "2-20", "5-15"), _TABLE_SEEDS), recipe="hindi-lookahead"),
    make_training("ahead-1-20", 20, "1-20", 16, "stop.generations=15", recipe="hindi-lookahead"),
    make_grid("one-game", 20, {"1-20": _TABLE_SEEDS, "2-15": _TABLE_SEEDS}, _ONE_GAME),
    make_training("one-game-swap", 20, "1-15", _TABLE_SEEDS, _ONE_GAME, "genetic.mutation=swap"),
    make_training("one-game-large", 100, "1-10", _TABLE_SEEDS, _ONE_GAME),
    make_grid(
        "one-game-ahead",
        20,
        dict.fromkeys(("2-15", "2-20", "5-15"), _TABLE_SEEDS),
        _ONE_GAME,
        recipe="hindi-lookahead",
    ),
    make_training("same-pieces", 20, "2-15", _TABLE_SEEDS, _SAME_PIECES),
    _CROWDS,
    make_crowds_training("one-game-crowds", _TABLE_SEEDS, _ONE_GAME),
    make_crowds_training("same-pieces-crowds", _TABLE_SEEDS, _SAME_PIECES),
    TrainingMeasurement("with-crowd", "hindi-crowds", 3, 1, ("validation.final_games=20",), ("validation.games=3",)),
    CustomMeasurement("crowd-games", measure_crowds),
    CustomMeasurement("first-generations", measure_first_generations),
    *(GameMeasurement(name, name, 20_000, 500, max_pieces=MAX_PIECES) for name in TABLE_I),
    *(GameMeasurement(name, name, 2000, 60, max_pieces=MAX_PIECES) for name in TABLE_II),
    *(GameMeasurement(f"endless-{name}", name, 1000, 100) for name in TABLE_I),
    *(GameMeasurement(f"endless-{name}", name, 100, 4, quick_max_pieces=5000) for name in TABLE_II),
    *map(make_fitness_training, FITNESSES),
    CustomMeasurement("longest", measure_longest_games),
    *(make_feature_training(learner, count) for learner in ("genetic", "entropy") for count in FEATURE_COUNTS),
    *(make_training(name, 20, "2-15", _TABLE_SEEDS, f"genetic.crossover={name}") for name in ("uniform", "one-point")),
]

FUNCTIONS: tuple[Callable[..., Any], ...] = ()
