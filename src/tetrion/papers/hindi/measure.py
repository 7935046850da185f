"""Measurements for Hindi et al.: their configurations, their agents, crowds, and the open questions of the paper.

A score of training is the sum of five games, because section III B sums "a set number" of games; measurements with one
game per candidate are called so.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import pairwise, product
from statistics import NormalDist
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.evaluation.confidence_intervals import MIN_SAMPLE_SIZE, NORMAL_QUANTILE, SampleArray
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.papers.judging import is_decisive
from tetrion.papers.measured_values import (
    MeasuredValue,
    median,
    number,
    paired_difference,
    rank_correlation,
    share,
    uncorrected,
)
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
TABLE_AGENTS = {**TABLE_I, **TABLE_II}  # population and score
_CONTENT = json.loads(files(__package__).joinpath("table_iii.json").read_text("utf-8"))
TABLE_III_COLUMNS: list[str] = _CONTENT["columns"]
TABLE_III = np.array(_CONTENT["generations"], float)
_EQUAL_WEIGHTS = 0.018  # largest difference of the weights of bumpiness, holes and lines in rows 1, 2 and 4 of Table I
_CHANCE = 0.05
_TABLE_SEEDS = 40
_MIN_RANGE_RUNS = 39  # the chance that one further run is the lowest or highest of 40 is 5 %
_FINAL_GENERATIONS = 5  # first and last generations that are averaged
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
        found = {name: training.measure(context) for name, training in self.trainings.items()}
        runs = [{"settings": name, **run} for name, data in found.items() for run in data["runs"]]
        return {"runs": runs, "time": {name: data["time"] for name, data in found.items()}}


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
_ONE_GAME_CROWDS = make_crowds_training("one-game-crowds", _TABLE_SEEDS, _ONE_GAME)


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
        decent[kind][str(population)] = [count_decent(recipe.replace(seed=seed), workers) for seed in seeds]
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


def measure_crowds(context: MeasurementContext, training: TrainingMeasurement = _CROWDS) -> dict[str, Any]:
    """Measure crowds and their experts in games that were not used for training or selection, one value per run.

    "mean" is the mean score of a game; "strong" and "high" are the shares of games with the two scores.
    """
    games, expert_games = (50, 10) if context.is_quick else (500, 100)
    found: dict[str, Any] = {"games": games}
    for run in training.train(context):
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
    results = [run.result for run in make_fitness_training("length-unlimited").train(context) if run.result]
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


# Functions of expressions. Data is the result of a training; a score is the sum of five games.


def select(grid: Mapping[str, Any], *settings: str) -> dict[str, Any]:
    """Return the runs of a grid with one or several mutation rates and elitisms, such as "2-15"."""
    return {"runs": [run for run in grid["runs"] if run["settings"] in settings]}


def table_i(swap: Mapping[str, Any], small: Mapping[str, Any], large: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the runs with the settings of each row of Table I."""
    return [select(swap, "1-15"), select(small, "1-20"), select(small, "2-15"), large]


def graphs(small: Mapping[str, Any], signed: Mapping[str, Any], *others: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the runs with the settings of the graphs of single runs."""
    return [select(small, "2-15"), select(signed, "2-15"), select(signed, "1-20"), *others]


def other_combinations(population: Mapping[str, Any], *others: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the runs of each combination of settings except population 20, mutation 2 %, elitism 15 %."""
    grid = [(size, settings) for size in population for settings in SETTINGS if (size, settings) != ("20", "2-15")]
    return [*(select(population[size], settings) for size, settings in grid), *others]


def by_seed(data: Mapping[str, Any], get: Callable[[Mapping[str, Any]], float]) -> list[float]:
    """Return a value for each seed, the mean over the settings; runs with the same seed begin alike."""
    values: dict[int, list[float]] = {}
    for run in data["runs"]:
        values.setdefault(run["seed"], []).append(get(run))
    most = max(map(len, values.values()))
    return [float(np.mean(values[seed])) for seed in sorted(values) if len(values[seed]) == most]


def in_generation(data: Mapping[str, Any], generation: int, metric: str = "mean") -> list[float]:
    """Return a metric of a generation, by seed; of the last one, if there are fewer."""
    return by_seed(data, lambda run: run["metrics"][metric][:generation][-1])


def at_end(data: Mapping[str, Any], metric: str = "mean") -> list[float]:
    """Return a metric of the last generation, by seed."""
    return by_seed(data, lambda run: run["metrics"][metric][-1])


def over_generations(data: Mapping[str, Any], metric: str = "mean") -> list[float]:
    """Return the mean of a metric over all generations, by seed."""
    return by_seed(data, lambda run: float(np.mean(run["metrics"][metric])))


def held_out(data: Mapping[str, Any], metric: str = "score") -> list[float]:
    """Return the mean of the agent in games that were not used for training or selection, by seed."""
    return by_seed(data, lambda run: run["result"]["uncorrected"][metric]["mean"])


def trends(data: Mapping[str, Any]) -> list[float]:
    """Return the rank correlation of generation and average, by seed; 1 if the average always rises."""
    return by_seed(
        data, lambda run: rank_correlation(range(len(run["metrics"]["mean"])), run["metrics"]["mean"]).value or 0
    )


def per_game(values: Sequence[float]) -> list[float]:
    """Return sums of five games as points per game."""
    return [value / SUMMED_GAMES for value in values]


def gain(first: Sequence[float], second: Sequence[float]) -> MeasuredValue:
    """Return the mean difference of values by seed, for the seeds that both have."""
    count = min(len(first), len(second))
    return paired_difference(first[:count], second[:count], f"{format_count(count, 'seed')}, paired by seed")


def leads(first: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> list[MeasuredValue]:
    """Return the lead in steadiness over each of several others, with intervals that hold for all (Bonferroni)."""
    factor = NormalDist().inv_cdf(1 - 0.025 / len(others)) / NORMAL_QUANTILE
    found = []
    for lead in (gain(trends(first), trends(other)) for other in others):
        low, high = ((lead.value or 0) + factor * (end - (lead.value or 0)) for end in lead.interval)
        found.append(replace(lead, ci95=lead.ci95 and (low, high)))
    return found


def run_range(values: Sequence[float]) -> MeasuredValue:
    """Return the median and the 95 % range of runs; with fewer than 39 runs the range is unknown."""
    if len(values) >= _MIN_RANGE_RUNS:
        return show_range(median(values))
    return MeasuredValue(ci95=(np.nan, np.nan), text=format_number(float(np.median(values))), basis="too few runs")


def show_range(measured: MeasuredValue) -> MeasuredValue:
    """Return a value whose text shows both ends of its range."""
    return replace(measured, text=f"{format_number(measured.value or 0, 0)} ({measured.format_ends()})")


def pairs_above(first: Sequence[float], second: Sequence[float]) -> MeasuredValue:
    """Return the share of pairs of single runs in which the first is above the second."""
    above = np.greater.outer(np.asarray(first), np.asarray(second)).mean()
    basis = f"all pairs of {format_count(len(first), 'run')} and {format_count(len(second), 'run')}"
    return replace(number(float(above), basis), text=f"{100 * above:.2g} %")


def share_of_runs(condition: str, *data: Any) -> MeasuredValue:
    """Return the share of runs that satisfy one of `CONDITIONS`, with equally many runs of each training."""
    trainings = flatten(data)
    count = min(len(each["runs"]) for each in trainings)
    found = [CONDITIONS[condition](run) for each in trainings for run in each["runs"][:count]]
    return share(sum(found), len(found), "run")


def flatten(data: Sequence[Any]) -> list[Mapping[str, Any]]:
    """Return trainings from trainings and lists of them."""
    return [training for each in data for training in ([each] if isinstance(each, Mapping) else each)]


def improves(run: Mapping[str, Any]) -> bool:
    """Return whether a run finds another agent than the best of its first generation, and a better one.

    The agent is measured in held-out games, the best of the first generation in validation games.
    """
    metrics, result = run["metrics"], run["result"]
    is_other = any(metrics[f"{INCUMBENT_PREFIX}{name}"][0] != value for name, value in result["parameters"].items())
    return is_other and bool(result["uncorrected"]["score"]["mean"] > metrics["validation"][0])


def rises(run: Mapping[str, Any]) -> bool:
    """Return whether the average is higher in the last five generations than in the first five."""
    averages = run["metrics"]["mean"]
    return float(np.mean(averages[-_FINAL_GENERATIONS:])) > float(np.mean(averages[:_FINAL_GENERATIONS]))


def count_drops(values: Sequence[float]) -> int:
    """Return how often a value is less than half of the one before."""
    return sum(second < first / 2 for first, second in pairwise(values))


def climbs_late(run: Mapping[str, Any]) -> bool:
    """Return whether a run is like Figure 7: poor averages before generation 9, and a decent agent at the end."""
    averages = run["metrics"]["mean"]
    bound = _CLIMB_SHARE * float(np.mean(averages[-_FINAL_GENERATIONS:]))
    return bool(max(averages[: _LATE_GENERATION - 1]) <= bound and run["metrics"]["max"][-1] >= DECENT_SCORE)


CONDITIONS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "improves": improves,
    "rises": rises,
    "average spikes": lambda run: count_drops(run["metrics"]["mean"]) > 0,
    "best score spikes": lambda run: count_drops(run["metrics"]["max"]) > 0,
    "earlier best": lambda run: max(run["metrics"]["max"][:-1]) > run["metrics"]["max"][-1],
    "climbs late": climbs_late,
}


def explained_variance(population: Mapping[str, Any], *factors: str) -> MeasuredValue:
    """Return the share of the variance of held-out scores that settings explain, by default all three.

    The interval is computed from resampled seeds.
    """
    cells = {
        (int(size), *map(int, settings.split("-"))): held_out(select(population[size], settings))
        for size, settings in product(population, SETTINGS)
    }
    seeds = min(map(len, cells.values()))
    table = np.array([values[:seeds] for values in cells.values()])
    names = ("population", "mutation", "elitism")
    columns = [names.index(factor) for factor in factors or names]
    groups = [np.repeat([cell[column] for cell in cells], seeds) for column in columns]
    explained = compute_explained_variance(table.ravel(), groups)
    generator = np.random.default_rng(1)
    samples = [
        compute_explained_variance(table[:, generator.integers(seeds, size=seeds)].ravel(), groups)
        for _ in range(_RESAMPLES)
    ]
    low, high = (max(float(end), 0) for end in np.percentile(samples, [2.5, 97.5]))
    text = f"{format_percent(explained)} ({format_percent(low)} to {format_percent(high)})"
    interval = (low, high) if seeds >= MIN_SAMPLE_SIZE else None
    return MeasuredValue(explained, interval, text=text, basis=format_count(table.size, "run"))


def compute_explained_variance(values: SampleArray, groups: Sequence[SampleArray]) -> float:
    """Return the share of the variance that settings explain additively, adjusted for chance; at least 0."""
    levels = [np.equal(group, level) for group in groups for level in np.unique(group)[1:]]
    design = np.column_stack([np.ones(len(values)), *levels])
    residuals = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    degrees_of_freedom = len(values) - design.shape[1]
    return max(0.0, float(1 - (residuals**2).sum() / degrees_of_freedom / (values.var(ddof=1) or 1)))


def strong_weights(data: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return the weights of the best agents of the last generations that have a strong score."""
    return [
        {feature: run["metrics"][f"{INCUMBENT_PREFIX}{feature}"][-1] for feature in HINDI_FEATURES}
        for run in data["runs"]
        if run["metrics"]["max"][-1] >= STRONG_SCORE
    ]


def height_lowest(*data: Any) -> MeasuredValue:
    """Return the share of strong agents whose weight of height is negative and below those of holes and bumpiness."""
    agents = [weights for each in flatten(data) for weights in strong_weights(each)]
    lowest = [agent["aggregate_height"] < min(0, agent["holes"], agent["bumpiness"]) for agent in agents]
    return share(sum(lowest), len(lowest), "strong agent")


def equal_weights(*data: Any) -> MeasuredValue:
    """Return the share of strong agents whose weights of bumpiness, holes and lines are as equal as in Table I."""
    agents = [weights for each in flatten(data) for weights in strong_weights(each)]
    spreads = [np.ptp([agent[name] for name in ("bumpiness", "holes", "full_rows")]) for agent in agents]
    return share(sum(bool(spread <= _EQUAL_WEIGHTS) for spread in spreads), len(spreads), "strong agent")


def negative_lines(*data: Any) -> MeasuredValue:
    """Return how many strong agents, one drawn from each training, have negative weights for lines."""
    trainings = flatten(data)
    negative = [[agent["full_rows"] < 0 for agent in strong_weights(each)] for each in trainings]
    if min(len(each["runs"]) for each in trainings) < _MIN_RANGE_RUNS or not all(negative):
        return MeasuredValue(ci95=(np.nan, np.nan), text="unknown", basis="too few runs")
    parts = ", ".join(f"{sum(each)} of {len(each)}" for each in negative)
    basis = f"median and 95 % range of the number among four; negative by row of Table I: {parts}"
    generator = np.random.default_rng(1)
    drawn = np.sum([generator.choice(each, 10_000) for each in negative], axis=0)
    return replace(show_range(median(drawn)), basis=basis)


def table_mean(games: Mapping[str, Any], table: str) -> MeasuredValue:
    """Return the mean points per game over the published agents of Table I or II."""
    means = [uncorrected(get_games(games, name), "score") for name in (TABLE_I if table == "I" else TABLE_II)]
    value = float(np.mean([each.value or 0 for each in means]))
    margin = math.hypot(*((each.interval[1] - each.interval[0]) / 2 for each in means)) / len(means)
    return MeasuredValue(value, (value - margin, value + margin), basis=f"agents of Table {table}")


def get_games(games: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the games of a published agent from the group `hindi` of measurements."""
    found: Mapping[str, Any] = games[name.removeprefix("hindi-").replace("-", "_")]
    return found


def best_of_generation(scores: Sequence[float], population: int, games: int) -> MeasuredValue:
    """Return the best sum of several games in a generation of equal agents, sampled from single games of one."""
    generator = np.random.default_rng([population, games])
    sums = [generator.choice(np.asarray(scores), (population, games)).sum(axis=1).max() for _ in range(_RESAMPLES)]
    return show_range(median(sums, f"generations of {population} such agents"))


def fitting_scores(games: Mapping[str, Any], count: int) -> int:
    """Return how many published scores lie in the 95 % range of generations of such agents with summed games."""
    fitting = 0
    for name, (population, score) in TABLE_AGENTS.items():
        low, high = best_of_generation(get_games(games, name)["sample"]["score"], population, count).interval
        fitting += low <= score <= high
    return fitting


def fit_curve(curve: SampleArray, curves: SampleArray) -> tuple[int, float]:
    """Return how a curve fits others: number of values within their 95 % range, and minus the mean distance.

    The distance from the median is measured in widths of the range. Larger fits are better.
    """
    low, middle, high = np.percentile(curves, [2.5, 50, 97.5], axis=0)
    distance = np.abs(curve - middle) / np.maximum(high - low, 1)
    return int(((low <= curve) & (curve <= high)).sum()), -float(distance.mean())


def table_iii_likelihood(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the share of runs that fit our other runs as badly as Table III does, with Table III among them.

    If Table III were one of our runs, each would have the same chance of fitting worst. A good fit confirms nothing if
    most ranges are too wide. Only as many generations are compared as the runs have.
    """
    curves = np.array(
        [np.concatenate([run["metrics"][name] for name in TABLE_III_COLUMNS]) for run in data["runs"]], float
    )
    table = TABLE_III[: curves.shape[1] // len(TABLE_III_COLUMNS)]
    published = fit_curve(table.T.ravel(), curves)
    own = [fit_curve(curve, np.delete(curves, index, axis=0)) for index, curve in enumerate(curves)]
    likelihood = (1 + sum(fit <= published for fit in own)) / (1 + len(own))
    ranges = np.percentile(curves, [2.5, 97.5], axis=0).T
    typical = np.median([fit[0] for fit in own])
    basis = f"{published[0]} of {table.size} values within our range; {typical:.0f} for a typical run of {len(own)}"
    is_wide = 2 * sum(is_decisive((low, high)) for low, high in ranges.tolist()) < len(ranges)
    if len(curves) < 1 / _CHANCE - 1 or (likelihood > _CHANCE and is_wide):
        return MeasuredValue(ci95=(np.nan, np.nan), text="unknown", basis=f"{basis}; the ranges are too wide")
    return MeasuredValue(likelihood, text=f"{likelihood:.3f}", basis=basis)


def compare_generations(data: Mapping[str, Any]) -> list[tuple[list[float], list[float]]]:
    """Return the row of Table III and the medians of our runs, for each generation."""
    ours = [np.median([run["metrics"][name] for run in data["runs"]], axis=0) for name in TABLE_III_COLUMNS]
    return list(zip(TABLE_III.tolist(), np.transpose(ours).tolist(), strict=True))


def speed_ratio(first: Mapping[str, Any], second: Mapping[str, Any]) -> MeasuredValue:
    """Return how many times as many pieces per second the first games had."""
    value = first["time"]["pieces_per_second"] / second["time"]["pieces_per_second"]
    return MeasuredValue(value, text=f"{format_number(value)} times", is_machine_dependent=True)


def changed_runs(first: Mapping[str, Any], second: Mapping[str, Any]) -> MeasuredValue:
    """Return in how many runs with the same seeds the averages of the generations differ."""
    pairs = list(zip(first["runs"], second["runs"], strict=False))
    changed = sum(one["metrics"]["mean"] != other["metrics"]["mean"] for one, other in pairs)
    return replace(number(changed), text=f"{changed} of {format_count(len(pairs), 'run')}")


def best_feature_count(trainings: Mapping[str, Any]) -> str:
    """Return the number of features with the highest mean score in held-out games."""
    return max(trainings, key=lambda count: float(np.mean(held_out(trainings[count]))))


FUNCTIONS = (
    *(select, table_i, graphs, other_combinations, in_generation, at_end, over_generations, held_out, trends),
    *(per_game, gain, leads, run_range, pairs_above, share_of_runs, explained_variance, height_lowest, equal_weights),
    *(negative_lines, table_mean, best_of_generation, fitting_scores, table_iii_likelihood, compare_generations),
    *(speed_ratio, changed_runs, best_feature_count),
)


MEASUREMENTS: list[Measurement] = [
    make_grid("population-20", 20, {"1-15": 16, "1-20": _TABLE_SEEDS, "2-15": 200, "2-20": 200}),
    make_grid("population-50", 50, dict.fromkeys(SETTINGS, 16)),
    make_grid("population-100", 100, dict.fromkeys(SETTINGS, 16)),
    make_training("large", 100, "1-10", _TABLE_SEEDS),
    make_grid("signed", 20, dict.fromkeys(SETTINGS, 16), "genetic.mutation=signed"),
    make_grid("swap", 20, {"1-15": _TABLE_SEEDS, "1-20": 200}, "genetic.mutation=swap"),
    make_grid("ahead", 20, {"2-15": 100, "2-20": 100, "5-15": _TABLE_SEEDS}, recipe="hindi-lookahead"),
    make_training("ahead-1-20", 20, "1-20", 16, "stop.generations=15", recipe="hindi-lookahead"),
    make_grid("one-game", 20, {"1-20": _TABLE_SEEDS, "2-15": _TABLE_SEEDS}, _ONE_GAME),
    make_training("one-game-swap", 20, "1-15", _TABLE_SEEDS, _ONE_GAME, "genetic.mutation=swap"),
    make_training("one-game-large", 100, "1-10", _TABLE_SEEDS, _ONE_GAME),
    make_grid(
        "one-game-ahead", 20, dict.fromkeys(("2-15", "2-20", "5-15"), _TABLE_SEEDS), _ONE_GAME, recipe="hindi-lookahead"
    ),
    make_grid("same-pieces-20", 20, {"2-15": 16}, _SAME_PIECES),
    make_training("same-pieces-large", 100, "1-10", 16, _SAME_PIECES),
    make_grid("same-pieces-signed", 20, {"2-15": 16, "1-20": 16}, _SAME_PIECES, "genetic.mutation=signed"),
    make_training("same-pieces-swap", 20, "1-20", 16, _SAME_PIECES, "genetic.mutation=swap"),
    _CROWDS,
    _ONE_GAME_CROWDS,
    make_crowds_training("same-pieces-crowds", _TABLE_SEEDS, _SAME_PIECES),
    make_crowds_training("one-game-same-pieces", _TABLE_SEEDS, _ONE_GAME, _SAME_PIECES),
    TrainingMeasurement("with-crowd", "hindi-crowds", 3, 1, ("validation.final_games=20",), ("validation.games=3",)),
    CustomMeasurement("crowd-games", measure_crowds),
    CustomMeasurement("one-game-crowd-games", partial(measure_crowds, training=_ONE_GAME_CROWDS)),
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
