"""Games for Hindi et al. that are not training runs: first generations, published agents, weights set to 0, crowds."""

from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.engine.rules import Rules
from tetrion.evaluation.agent_games import AgentGames
from tetrion.evaluation.confidence_intervals import SampleArray, compute_mean_interval
from tetrion.evaluation.stepped_games import GameLimits
from tetrion.lab.papers.hindi.hindi_configurations import (
    DECENT_SCORE,
    ONE_GAME_RECIPE,
    POPULATION_SIZES,
    STRONG_SCORE,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    PublishedAgent,
)
from tetrion.lab.reproduction.measurements import MeasurementContext, TrainingMeasurement
from tetrion.training.evolutionary_learner import GeneticLearner, play_generation
from tetrion.training.fitness import TrainingWorkers
from tetrion.training.optimisers.wisdom_of_crowds import make_consensus_crowd, make_mean_crowd
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run

HINDI_RULES_NAME = "hindi"
HINDI_MAX_PIECES = 500
SUMMED_GAME_COUNTS = (1, 2, 3, 5)  # tested numbers of summed games
_SAMPLED_GENERATIONS = 1000  # generations sampled from an agent's games
_SAMPLED_SUMS = 10_000  # sums of one agent's games
EXPERT_SELECTIONS = ("all", "the later half", "the better half", "all, by score")  # experts in a crowd
CONSENSUS_CROWD = "consensus"
HIGH_CROWD_SCORE = 100_000  # according to the paper, frequently surpassed by crowds
REMOVED_WEIGHTS = ("aggregate_height", "full_rows")  # weights that are set to 0, one at a time


def measure_game_scores(agent: WeightedAgent, games: int, context: MeasurementContext) -> SampleArray:
    """Return the scores of games of at most 500 pieces, one per game."""
    rules = Rules.parse(HINDI_RULES_NAME)
    agent_games = AgentGames(agent, rules, context.seed, context.workers, GameLimits(HINDI_MAX_PIECES))
    records, stopped = agent_games.play(0, games)
    if stopped:
        raise KeyboardInterrupt
    return np.asarray(records["score"], float)


def measure_first_generations(context: MeasurementContext) -> dict[str, Any]:
    """Measure how many agents of random first generations are decent, one game each, by population size."""
    count = 20 if context.is_quick else 300
    workers = TrainingWorkers(context.workers)
    decent: dict[str, list[int]] = {}
    for population in POPULATION_SIZES:
        recipe = Recipe.load(ONE_GAME_RECIPE, [f"genetic.population={population}"])
        decent[str(population)] = [
            count_decent_agents(recipe.with_(seed=seed), workers) for seed in range(context.seed, context.seed + count)
        ]
    return {"decent": decent}


def count_decent_agents(recipe: Recipe, workers: TrainingWorkers) -> int:
    """Return how many candidates of the first generation of a run score at least `DECENT_SCORE`."""
    learner = GeneticLearner(recipe)
    agents = [learner.make_agent(candidate, recipe.name) for candidate in learner.optimiser.ask()]
    fitness = play_generation(agents, recipe, 0, HINDI_MAX_PIECES, workers).fitness
    return int((fitness >= DECENT_SCORE).sum())


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


def compute_best_of_generation(scores: SampleArray, row: PublishedAgent, count: int, seed: int) -> dict[str, float]:
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


def measure_single_agent_sums(context: MeasurementContext) -> dict[str, Any]:
    """Measure the 95 % range of the sum of several games of one agent with the published weights, by agent and count.

    Sums are sampled from the games played.
    """
    ranges: dict[str, Any] = {}
    for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS):
        quick_games, games = (100, 1000) if row.configuration.kind == "look" else (500, 5000)
        scores = measure_game_scores(
            load_weighted_agent(row.agent), quick_games if context.is_quick else games, context
        )
        ranges[row.agent] = {}
        for count in SUMMED_GAME_COUNTS:
            sums = np.random.default_rng([context.seed, count]).choice(scores, (_SAMPLED_SUMS, count)).sum(axis=1)
            low, high = np.percentile(sums, [2.5, 97.5])
            ranges[row.agent][str(count)] = {"low": float(low), "high": float(high)}
    return ranges


def measure_weight_removal(context: MeasurementContext) -> dict[str, Any]:
    """Measure the agents of Table I with one weight set to 0: the mean change of the score in the same games.

    A change is counted as positive if the score falls on average; "changes" has one list per weight, with the mean over
    the four agents for each game.
    """
    games = 200 if context.is_quick else 4000
    means: dict[str, dict[str, float]] = {}
    changes = {name: np.zeros(games) for name in REMOVED_WEIGHTS}
    for row in TABLE_I_AGENTS:
        agent = load_weighted_agent(row.agent)
        complete = measure_game_scores(agent, games, context)
        means[row.agent] = {"all": float(complete.mean())}
        for name in REMOVED_WEIGHTS:
            scores = measure_game_scores(replace(agent, weights={**agent.weights, name: 0.0}), games, context)
            means[row.agent][name] = float(scores.mean())
            direction = 1 if complete.mean() >= scores.mean() else -1
            changes[name] += direction * (complete - scores) / len(TABLE_I_AGENTS)
    return {"games": games, "means": means, "changes": {name: values.tolist() for name, values in changes.items()}}


def measure_expert_selections(context: MeasurementContext, training: TrainingMeasurement) -> dict[str, Any]:
    """Measure crowds of different selections of experts, for every run with crowds.

    "strong" and "high" are the shares of games that reach the two scores, for the plain and the weighted mean.
    """
    seeds, changes = training.get_plan(context.is_quick)
    games = 50 if context.is_quick else 500
    means: dict[str, list[float]] = {name: [] for name in (*EXPERT_SELECTIONS, CONSENSUS_CROWD)}
    strong: dict[str, list[float]] = {name: [] for name in means}
    high: dict[str, list[float]] = {name: [] for name in means}
    for run in context.train_seeds(training.recipe, training.name, range(context.seed, context.seed + seeds), changes):
        for name, vector in make_crowds(run).items():
            weights = dict(zip(HINDI_FEATURES, vector.tolist(), strict=True))
            agent = WeightedAgent(name, weights, "before", rules=HINDI_RULES_NAME)
            scores = measure_game_scores(agent, games, context)
            means[name].append(float(scores.mean()))
            strong[name].append(float((scores >= STRONG_SCORE).mean()))
            high[name].append(float((scores > HIGH_CROWD_SCORE).mean()))
    return {"means": means, "strong": strong, "high": high, "games": games}


def make_crowds(run: Run) -> dict[str, SampleArray]:
    """Return the weights of the crowds that the incumbents of a run can form, by selection."""
    experts = run.incumbents
    validated = run.metrics["validation"]
    half = len(experts) // 2
    better = np.sort(np.argsort(-validated, kind="stable")[:half])
    return {
        EXPERT_SELECTIONS[0]: make_mean_crowd(experts),
        EXPERT_SELECTIONS[1]: make_mean_crowd(experts[half:]),
        EXPERT_SELECTIONS[2]: make_mean_crowd(experts[better]),
        EXPERT_SELECTIONS[3]: make_mean_crowd(experts, run.metrics["max"]),
        CONSENSUS_CROWD: make_consensus_crowd(experts, validated),
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
