"""Measurements for Gavrilov's report: hand-made agents, his program with its keys and its bug, and the evolution."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.agents import RandomKeysAgent, WeightedAgent, load_weighted_agent
from tetrion.agents.weighted_agent import get_agent_settings
from tetrion.engine.batch_play import UNLIMITED, make_games, select_fastest_play
from tetrion.engine.pieces import SHAPES
from tetrion.engine.placing import STATUS_CAPPED, STATUS_PLAYING
from tetrion.engine.rules import Rules
from tetrion.evaluation.confidence_intervals import (
    NORMAL_QUANTILE,
    SampleArray,
    compute_difference_interval,
    compute_share_interval,
)
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.papers.measured_values import MeasuredValue, compute_mean, median
from tetrion.papers.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.training.learner import INCUMBENT_PREFIX

TRAINED_WEIGHTS = {name: float(str(weight)) for name, weight in load_weighted_agent("gavrilov").weights.items()}
FEATURE_LABELS = {
    "piece_top": "height",
    "holes": "holes",
    "bumpiness": "bumpiness",
    "lines": "clearing",
}  # of the report
_AGENT_NAMES = ("random-keys", "lowest", "gavrilov-2", "gavrilov-3", "gavrilov-4", "gavrilov")
RANDOMISERS = ("bag", "uniform", "nes", "nes-counts", "sz", "alternating-sz", "adversary")
RANDOM_KEY_RATES = (15, 100, 111, 125, 143, 167, 200, 250, 333, 500)  # per second; `random-keys` presses 59
REAL_TIME_KEY_RATES = (8, 15, 30, 60, 120, 200, 400)  # of the trained agent; at 8 it presses about one per row
BUMPINESS_WEIGHTS, HOLES_WEIGHTS = ("0", "0.1", "0.25", "0.5", "1"), ("2", "3", "5", "10")
ADDED_FEATURES = {  # measurement: features added to the four of the report
    "with-wells": ("wells",),
    "with-number-of-wells": ("number_of_wells",),
    "with-aggregate-height": ("aggregate_height",),
    "with-weighted-cells": ("weighted_filled_cells",),
    "with-three": ("wells", "aggregate_height", "weighted_filled_cells"),
}
LAST_GENERATION = 14  # where he stopped; generations count from 0, as in his code
_GOOD_LINES = 400  # mean lines of generation 8 of a run that is as good as his (450)
_FULL_GAME_LINES = 330  # 850 pieces fill 340 lines; a game that is not over still has a few rows on the board
_LINES_PER_PIECE = 0.4  # four cells per piece, ten columns
_SECONDS_PER_DAY = 86_400
_TRAINING_PIECES = 1150  # of the longest games of the training
_BUG_RULES = "gavrilov:clearing=hanging"
_PROGRAM_RULES = "gavrilov:movement=steered,frames_per_key=17,clearing=hanging"  # his keys, 59 per second, and his bug
_SHORT_TRAINING = ("generations=15", "validation.final_games=20")
_EVOLUTION = TrainingMeasurement("evolution", "gavrilov", seed_count=100, quick_seed_count=6)
_PROGRAM_EVOLUTION = TrainingMeasurement(
    "evolution-program", "gavrilov", 40, 2, (f'rules="{_PROGRAM_RULES}"',), _SHORT_TRAINING
)

# Measurements


def measure_weighting(name: str, holes: float, bumpiness: float) -> GameMeasurement:
    """Return the games of an agent with other weights of holes and bumpiness; long games are capped."""
    weights = {"piece_top": 1.0, "holes": -holes, "bumpiness": -bumpiness}
    agent = WeightedAgent(f"weighed-{name}", weights, "before", rules="gavrilov")
    return GameMeasurement(agent.name, agent, games=2000, quick_games=200, max_pieces=50_000, quick_max_pieces=5000)


def remove_feature(feature: str) -> GameMeasurement:
    """Return the games of the trained agent without a feature."""
    weights = {name: weight for name, weight in TRAINED_WEIGHTS.items() if name != feature}
    agent = WeightedAgent(f"without-{feature}", weights, "before", rules="gavrilov")
    return GameMeasurement(agent.name, agent, 1000, 60, max_pieces=200_000, quick_max_pieces=20_000)


def change_randomiser(agent: str, randomiser: str) -> GameMeasurement:
    """Return the games of an agent with another randomiser."""
    games, quick_games = (500, 20) if agent == "random-keys" else (4000, 200)
    return GameMeasurement(
        f"{agent}-by-{randomiser}", agent, games, quick_games, rules=f"gavrilov:randomiser={randomiser}"
    )


def change_training(name: str, change: str, seed_count: int) -> TrainingMeasurement:
    """Return the training with one change of the recipe."""
    return TrainingMeasurement(name, "gavrilov", seed_count, 2, (change,), _SHORT_TRAINING)


def measure_key_rates(context: MeasurementContext) -> dict[str, Any]:
    """Measure games of the random player, by keys per second."""
    games = 10 if context.is_quick else 300
    agents = {rate: RandomKeysAgent(f"random-keys-{rate}", keys_per_second=rate) for rate in RANDOM_KEY_RATES}
    return {str(rate): summarise_games(context.play(agent, "gavrilov", games)) for rate, agent in agents.items()}


def measure_real_time(context: MeasurementContext) -> dict[str, Any]:
    """Measure games of the trained agent with the keys of the report, by keys per second, and their time per piece."""
    games, max_pieces = (20, 20_000) if context.is_quick else (1000, 100_000)
    measured = {}
    for rate in REAL_TIME_KEY_RATES:
        rules = f"gavrilov:movement=steered,frames_per_key={round(1000 / rate)}"
        played, short = (context.play("gavrilov", rules, games, pieces) for pieces in (max_pieces, _TRAINING_PIECES))
        seconds, training_seconds = (
            float(result.per_game["frames"].sum() / result.per_game["pieces"].sum() / 1000)
            for result in (played, short)
        )
        measured[str(rate)] = {
            **summarise_games(played),
            "cap": max_pieces,
            "seconds_per_piece": seconds,
            "training_seconds_per_piece": training_seconds,
        }
    return measured


def count_hanging_clears(agent: str, games: int, seed: int, max_pieces: int) -> dict[str, int]:
    """Count the line clears of an agent in which the bug leaves a row hanging, and the lines, in games with the bug."""
    settings = get_agent_settings(load_weighted_agent(agent), Rules.parse(_BUG_RULES))
    records = make_games(games, seed)
    count = 0
    for pieces in range(1, max_pieces + 1):
        before = records.copy()
        limited = settings._replace(max_pieces=pieces)
        select_fastest_play(limited)(records, limited, UNLIMITED)
        for number in np.flatnonzero(records["lines"] - before["lines"] >= 2):
            count += leaves_hanging_row(before["board"][number].tolist(), records["placement"][number].tolist())
        records["status"][records["status"] == STATUS_CAPPED] = STATUS_PLAYING
        if not (records["status"] == STATUS_PLAYING).any():
            break
    return {"games": games, "lines": int(records["lines"].sum()), "bugs": count}


def leaves_hanging_row(columns: Sequence[int], placement: Sequence[int]) -> bool:
    """Return whether the full rows after a placement (orientation, column, row) are not adjacent."""
    orientation, left, row = placement
    filled = list(columns)
    for column, bits in enumerate(SHAPES[orientation], left):
        filled[column] |= bits << row
    full = int(np.bitwise_and.reduce(filled))
    return bool(full) and full.bit_count() < (full // (full & -full)).bit_length()


def measure_bugs(context: MeasurementContext) -> dict[str, Any]:
    """Count the bugs of the agent with which he found it, of height and holes, and of the trained agent."""
    budgets = {"gavrilov-2": (4000, 1_000_000), "gavrilov": (1000, 20_000)}
    quick_budgets = {"gavrilov-2": (200, 1_000_000), "gavrilov": (100, 1000)}
    return {
        agent: count_hanging_clears(agent, games, context.seed, max_pieces)
        for agent, (games, max_pieces) in (quick_budgets if context.is_quick else budgets).items()
    }


def measure_candidates(context: MeasurementContext) -> dict[str, Any]:
    """Return the lines of every candidate in the run whose held-out result is the median of all seeds."""
    runs = _EVOLUTION.train(context)
    means = [run.result["uncorrected"]["lines"]["mean"] if run.result else 0.0 for run in runs]
    index = int(np.argsort(means, kind="stable")[len(means) // 2])
    generations = range(runs[index].generation_count)
    return {"run": index, "fitness": [runs[index].load_population(number).fitness.tolist() for number in generations]}


def measure_best_candidates(context: MeasurementContext) -> dict[str, Any]:
    """Play long games with the best candidate of a generation of every seed, under the rules of its training."""
    games = 20 if context.is_quick else 200
    measured: dict[str, list[dict[str, Any]]] = {}
    trainings = {"14": (_EVOLUTION, LAST_GENERATION), "29": (_EVOLUTION, 29), "program": (_PROGRAM_EVOLUTION, 14)}
    for name, (training, generation) in trainings.items():
        measured[name] = []
        for run in training.train(context):
            weights = dict(zip(run.parameter_names, run.incumbents[generation].tolist(), strict=True))
            agent = WeightedAgent(f"generation-{generation}", weights, "before", rules="gavrilov")
            played = context.play(agent, run.recipe.rules, games, max_pieces=20_000)
            lines = played.per_game["lines"]
            measured[name].append(
                {"games": games, "lines": int(lines.sum()), "deaths": played.deaths, "fewest": int(lines.min())}
            )
    return measured


def _list_measurements() -> list[Measurement]:
    """Return all measurements; those that are needed by several others come first."""
    extended = {
        name: f"agent.features={json.dumps([*FEATURE_LABELS, *added])}" for name, added in ADDED_FEATURES.items()
    }
    return [
        GameMeasurement("random-keys", "random-keys", games=2000, quick_games=60),
        *(GameMeasurement(name, name, games=20_000, quick_games=2000) for name in _AGENT_NAMES[1:5]),
        GameMeasurement("gavrilov", "gavrilov", 2000, 60, quick_max_pieces=50_000),
        GameMeasurement(
            "lowest-cell", WeightedAgent("lowest-cell", {"piece_bottom": -1}, "before", rules="gavrilov"), 20_000, 500
        ),
        GameMeasurement("reach", "gavrilov", 1000, 30, rules="gavrilov:movement=reach", quick_max_pieces=20_000),
        GameMeasurement(
            "low-entry", "gavrilov", 500, 30, rules="gavrilov:movement=reach,spawn_height=0", quick_max_pieces=20_000
        ),
        *(measure_weighting(f"bumpiness-{weight}", 1, float(weight)) for weight in BUMPINESS_WEIGHTS),
        *(measure_weighting(f"holes-{weight}", float(weight), 1) for weight in HOLES_WEIGHTS),
        measure_weighting("holes-10-bumpiness-0", 10, 0),
        *(remove_feature(feature) for feature in TRAINED_WEIGHTS),
        CustomMeasurement("key-rates", measure_key_rates),
        CustomMeasurement("real-time", measure_real_time),
        *(GameMeasurement(f"program-{agent}", agent, 20_000, 500, rules=_PROGRAM_RULES) for agent in _AGENT_NAMES[1:5]),
        GameMeasurement("program", "gavrilov", 1000, 30, _PROGRAM_RULES, 100_000, 20_000),
        GameMeasurement("hanging-rows", "gavrilov", 4000, 60, _BUG_RULES, 60_000, 10_000),
        GameMeasurement("hanging-rows-gavrilov-2", "gavrilov-2", 20_000, 1000, _BUG_RULES),
        CustomMeasurement("bugs", measure_bugs),
        *(change_randomiser(agent, randomiser) for randomiser in RANDOMISERS[1:] for agent in _AGENT_NAMES),
        _EVOLUTION,
        _PROGRAM_EVOLUTION,
        CustomMeasurement("individuals", measure_candidates),
        CustomMeasurement("long-games", measure_best_candidates),
        change_training("normal-start", 'genetic.initial_weights="normal"', 40),
        change_training("best-two", 'genetic.selection="best-two"', 40),
        *(change_training(name, change, 20) for name, change in extended.items()),
        change_training("evolution-reach", 'rules="gavrilov:movement=reach"', 20),
    ]


# Functions of expressions


def key_rates_within(key_rates: Mapping[str, Any], low: float, high: float) -> tuple[int, int]:
    """Return the lowest and the highest key rate whose interval of the mean lines overlaps a range."""
    lines = {int(rate): compute_mean(games).interval for rate, games in key_rates.items()}
    rates = [rate for rate, (start, end) in lines.items() if start <= high and end >= low]
    return min(rates, default=0), max(rates, default=0)


def best_of_series(values: Sequence[float], length: int) -> list[float]:
    """Return the largest number of each series of a length."""
    return [max(values[start : start + length]) for start in range(0, len(values) - length + 1, length)]


def chance_of_every_game(values: Sequence[float], bound: float) -> MeasuredValue:
    """Return the probability that every game is above a bound; the interval is that for 100 to 10 games."""
    share = sum(value > bound for value in values) / len(values)
    few, many = share**10, share**100
    text = f"{format_percent(few)} for ten games, {format_percent(many)} for 100"
    return MeasuredValue(few, (many, few), text=text, interval_kind="range from 100 to 10 games")


def bug_rate(bugs: Mapping[str, Any]) -> MeasuredValue:
    """Return the bugs per line; the interval extends over the agents."""
    intervals = [compute_share_interval(counts["bugs"], counts["lines"]) for counts in bugs.values()]
    total = sum(counts["bugs"] for counts in bugs.values()) / sum(counts["lines"] for counts in bugs.values())
    ends = (min(low for low, _ in intervals), max(high for _, high in intervals))
    return MeasuredValue(total, ends, interval_kind="range of both agents")


def lines_per_bug(counts: Mapping[str, int]) -> float:
    """Return the number of lines per bug."""
    return counts["lines"] / max(counts["bugs"], 1)


def metric(training: Mapping[str, Any], name: str) -> SampleArray:
    """Return a metric of a training: one row per seed, one column per generation."""
    return np.array([run["metrics"][name] for run in training["runs"]], float)


def generation_lines(training: Mapping[str, Any], generation: int) -> list[float]:
    """Return the mean lines of a generation, one number per seed."""
    return list(metric(training, "mean")[:, generation])


def line_shares(training: Mapping[str, Any], generation: int) -> list[float]:
    """Return the mean lines of a generation as a share of those that its limit of moves allows."""
    shares = metric(training, "mean") / (_LINES_PER_PIECE * metric(training, "max_pieces"))
    return list(shares[:, generation])


def first_full_generation(training: Mapping[str, Any], statistic: str) -> MeasuredValue:
    """Return the first generation in which a statistic reaches the lines of 850 moves: median and range over seeds."""
    is_reached = metric(training, statistic) >= _FULL_GAME_LINES
    never = is_reached.shape[1]
    first = np.where(is_reached.any(axis=1), is_reached.argmax(axis=1), never)
    low, middle, high = (float(end) for end in np.percentile(first, [2.5, 50, 97.5], method="inverted_cdf"))
    texts = ["never" if end == never else f"{end:.0f}" for end in (middle, low, high)]
    basis = f"median of {format_count(len(first), 'seed')}, with the range of 95 % of them"
    return MeasuredValue(middle, (low, high), text=f"generation {texts[0]} ({texts[1]} to {texts[2]})", basis=basis)


def interquartile_shares(training: Mapping[str, Any], first: int, last: int) -> list[float]:
    """Return the interquartile range relative to the mean, averaged over generations, one number per seed."""
    shares = (metric(training, "q3") - metric(training, "q1")) / np.maximum(metric(training, "mean"), 1)
    return list(shares[:, first : last + 1].mean(axis=1))


def training_gain(training: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean lines of the last three generations relative to those around generation 14."""
    means = metric(training, "mean")
    stop = means[:, LAST_GENERATION - 1 : LAST_GENERATION + 2].mean(axis=1)
    gains = (means[:, -3:].mean(axis=1) - stop) / stop.mean()
    low, high = compute_difference_interval(gains) or (-np.inf, np.inf)
    return MeasuredValue(1 + float(gains.mean()), (1 + low, 1 + high), basis=format_count(len(means), "seed"))


def lines_of_seeds(long_games: Sequence[Mapping[str, int]]) -> list[float]:
    """Return the censored mean lines of each seed, sorted; if no game ended, as if one had."""
    return sorted(games["lines"] / max(games["deaths"], 1) for games in long_games)


def typical_lines(long_games: Sequence[Mapping[str, int]]) -> MeasuredValue:
    """Return the median over seeds of the mean lines, with its 95 % confidence interval from order statistics."""
    lines = lines_of_seeds(long_games)
    margin = NORMAL_QUANTILE * math.sqrt(len(lines)) / 2
    low = lines[max(math.floor(len(lines) / 2 - margin) - 1, 0)]
    high = lines[min(math.ceil(len(lines) / 2 + margin), len(lines) - 1)]
    return MeasuredValue(float(np.median(lines)), (low, high), basis=f"median of {format_count(len(lines), 'seed')}")


def quantile_of_seeds(long_games: Sequence[Mapping[str, int]], percent: float) -> float:
    """Return a percentile of the mean lines over seeds."""
    return float(np.percentile(lines_of_seeds(long_games), percent))


def long_gain(later: Sequence[Mapping[str, int]], earlier: Sequence[Mapping[str, int]]) -> MeasuredValue:
    """Return the geometric mean over seeds of the ratio of the mean lines of two generations."""
    first, second = ([games["lines"] / max(games["deaths"], 1) for games in part] for part in (later, earlier))
    logarithms = np.log(first) - np.log(second)
    low, high = compute_difference_interval(logarithms) or (-np.inf, np.inf)
    ci95 = (math.exp(low), math.exp(high))
    return MeasuredValue(math.exp(logarithms.mean()), ci95, basis=f"geometric mean of {len(first)} seeds")


def weights(training: Mapping[str, Any], feature: str, generation: int = LAST_GENERATION) -> list[float]:
    """Return a weight of the best candidate of a generation, one number per seed."""
    return list(metric(training, f"{INCUMBENT_PREFIX}{feature}")[:, generation])


def relative_weights(training: Mapping[str, Any], feature: str) -> list[float]:
    """Return a weight divided by that of holes, one number per seed."""
    pairs = zip(weights(training, feature), weights(training, "holes"), strict=True)
    return [weight / holes for weight, holes in pairs]


def multiples(training: Mapping[str, Any], feature: str, reference: str = "") -> list[float]:
    """Return a weight divided by his, one number per seed; with a reference, as a multiple of that of the reference."""
    multiples = np.array(weights(training, feature)) / TRAINED_WEIGHTS[feature]
    return list(
        multiples / np.array(weights(training, reference)) * TRAINED_WEIGHTS[reference] if reference else multiples
    )


def size_leads(training: Mapping[str, Any], features: Sequence[str], others: Sequence[str]) -> list[float]:
    """Return the mean size of the weights of some features minus that of others, one number per seed."""
    first, second = (
        np.mean([np.abs(weights(training, name)) for name in names], axis=0) for names in (features, others)
    )
    return list(first - second)


def weight_changes(training: Mapping[str, Any], feature: str) -> list[float]:
    """Return the change of a weight of the best candidate from generation 0 to 14, one number per seed."""
    return list(np.subtract(weights(training, feature), weights(training, feature, 0)))


def weight_steps(training: Mapping[str, Any], feature: str, first: int = 0, last: int = LAST_GENERATION) -> list[float]:
    """Return the mean size of the change of a weight per generation, one number per seed."""
    steps = np.abs(np.diff(metric(training, f"{INCUMBENT_PREFIX}{feature}"), axis=1))
    return list(steps[:, first:last].mean(axis=1))


def step_leads(training: Mapping[str, Any], feature: str, other: str) -> list[float]:
    """Return by how much more a weight changes per generation than another one, one number per seed."""
    return list(np.subtract(weight_steps(training, feature), weight_steps(training, other)))


def good_run_pieces(training: Mapping[str, Any]) -> float:
    """Return the median number of pieces until generation 14 of the seeds that are as good as his run."""
    return float(np.median(_list_pieces_of_good_runs(training)))


def _list_pieces_of_good_runs(training: Mapping[str, Any]) -> SampleArray:
    """Return the pieces until generation 14 of the seeds with at least 400 lines in generation 8.

    Runs that learn later play shorter games.
    """
    pieces = metric(training, "pieces")[:, : LAST_GENERATION + 1].sum(axis=1)
    return np.asarray(pieces[np.array(generation_lines(training, 8)) >= _GOOD_LINES])


def training_days(training: Mapping[str, Any], games: Mapping[str, Any]) -> MeasuredValue:
    """Return the days that the pieces until generation 14 take in real time, of the seeds as good as his run."""
    pieces = _list_pieces_of_good_runs(training)
    if not len(pieces):
        return MeasuredValue(basis=f"no seed with at least {_GOOD_LINES} lines in generation 8")
    seconds = games["training_seconds_per_piece"]
    measured = median(pieces * seconds / _SECONDS_PER_DAY, format_count(len(pieces), "seed"))
    days = f"{format_number(measured.value or 0, 1)} days ({measured.format_ends(1)})"
    return replace(measured, text=f"{days}: {np.median(pieces):,.0f} pieces of {seconds:.2f} s")


FUNCTIONS = (
    *(key_rates_within, best_of_series, chance_of_every_game, bug_rate, lines_per_bug, generation_lines, line_shares),
    *(
        first_full_generation,
        interquartile_shares,
        training_gain,
        lines_of_seeds,
        typical_lines,
        quantile_of_seeds,
        long_gain,
        weights,
    ),
    *(relative_weights, multiples, size_leads, weight_changes, weight_steps, step_leads, good_run_pieces),
    training_days,
)
MEASUREMENTS = _list_measurements()
