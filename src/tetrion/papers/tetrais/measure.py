"""Measurements for the TetrAIs report: games, readings of its agents, Q-learning, genetic weights and narrow wells."""

import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent, as_agent, load_weighted_agent
from tetrion.board import Placement
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.records import FullGameRecord
from tetrion.engine.rules import Rules
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.game_statistics import Evaluation
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.game import Game, copy_game_record
from tetrion.papers.measured_values import MeasuredValue, compute_mean, describe_games, share, share_above
from tetrion.papers.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.papers.tetrais.wells import endless_alternation, measure_wells, unwinnable_wells, winning_strategies
from tetrion.position import Position
from tetrion.training.q_learning import INITIAL_WEIGHTS, QLearning, QLearningSettings
from tetrion.training.recipe import Recipe

PUBLISHED = {  # Figures 13 and 14, by agent and number of games
    "mean": {
        "random": {10: 24.0, 100: 25.93, 1000: 24.756},
        "min-height": {10: 51.6, 100: 56.92, 1000: 58.705},
        "greedy": {10: 7143.3, 100: 7473.21, 1000: 6883.101},
    },
    "normalised_variance": {
        "random": {10: 0.25347222, 100: 0.142430249, 1000: 0.09662975},
        "min-height": {10: 0.163316507, 100: 0.463788158, 1000: 0.334299294},
        "greedy": {10: 0.108576377, 100: 0.336619846, 1000: 0.317827668},
    },
}
REPORT_SIZES = (35.66024158, 1e10, 5.46e122)  # largest weight after episodes 1, 3 and 5 (Figure 12, section 6.5)
_FIGURE_12_FEATURES = ("lines", "aggregate_height", "max_height", "holes", "bumpiness")
_FIRST_EPISODE_FACTOR = 5  # our threshold; unchanged weights do not fit, because 4 × 5 is less than 35.7
_FIFTH_EPISODE_EXPONENT = 20  # our threshold, in powers of ten
_SUPERSCRIPTS = str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_RULES = "tetrais"
_SERIES_LENGTHS = (10, 100, 1000)  # numbers of games in Figures 13 and 14
_RESAMPLE_COUNT = 1000  # series drawn from our games per number of games
_MANY_LINES = 5  # "exceptional instances" have more lines
_ENTRY_ABOVE_RULES = "tetrais:hidden_rows=2,spawn_height=2"
_SOFT_DROP_RULES = "tetrais:movement=reach,lock_delay=gravity"
_NO_SOFT_DROP_RULES = "tetrais:movement=reach"
_RANDOM_AGENT_ENDINGS = {"random-room": "tetrais:game_over=room", "random-top-row": "tetrais:game_over=top-row"}

# Readings of the agents: weights; a small additional weight of the greedy agent decides between equal placements.
_MIN_HEIGHT_READINGS: Mapping[str, Mapping[str, float]] = {
    "lowest-top": {"piece_top": 1.0},
    "lowest-middle": {"landing_height": -1.0},
    "unturned-cell": {"turns": -100.0, "piece_bottom": -1.0},
    "unturned-column": {"turns": -100.0, "lowest_column_distance": -1.0},
}
_GREEDY_WEIGHTS = dict(load_weighted_agent("tetrais-greedy").weights)
_RIGHTMOST_WEIGHTS = {f"height_{column}": 0.001 * column for column in range(1, BOARD_WIDTH + 1)}
_TIE_BREAKS: Mapping[str, Mapping[str, float]] = {
    "last": {**_RIGHTMOST_WEIGHTS, "turns": 0.125},
    "lower-top": {"piece_top": 0.01},
    "higher-top": {"piece_top": -0.01},
    "farther": {"lowest_column_distance": 0.01},
}
_HIGHER_LANDING_WEIGHTS = {**_GREEDY_WEIGHTS, "landing_height": 0.01}  # a further tie-break, with series of games

# Q-learning: the grid of learning rates and lengths of training, and variants of the recipes.
_REPORT_RECIPE = "tetrais-q-report"
_OWN_RECIPE = "tetrais-q"
_RATES = (0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01)
_QUICK_RATES = (0.0001, 0.001, 0.01)
_LENGTHS = (15, 50, 150, 500, 1500)  # episodes; the recipe has 1,500
_QUICK_LENGTHS = (15, 50, 150)
_GRID_MAX_PIECES = 10_000  # per held-out game, as in the recipe
_CONSTANT_CHANGES = ("bias=true", "initial_bias=80")
_REPORT_VARIANTS: Mapping[str, tuple[str, ...]] = {
    "q-report": (),
    "q-report-constant": _CONSTANT_CHANGES,
    "q-report-traces": ("trace_decay=0.9",),
    "q-report-both": (*_CONSTANT_CHANGES, "trace_decay=0.9"),
    "q-report-greedy": ("epsilon=0", "epsilon_end=0"),
    "q-report-random": ("epsilon=0.2", "epsilon_end=0.2"),
    "q-report-discount": ("discount=0.8", "discount_end=0.8"),
    "q-report-average": ("average_from=501",),
    "q-report-selection": ("validation.every=50",),
}
_OWN_VARIANTS: Mapping[str, tuple[str, ...]] = {
    "q": (),
    "q-no-constant": ("bias=false",),
    "q-no-traces": ("trace_decay=0",),
    "q-no-additions": ("trace_decay=0", "bias=false"),
    "q-random": ("epsilon=0.05", "epsilon_end=0.05"),
}

# Figure 12: learning rates, eight per power of ten; above 0.1, weights exceed the range of floats.
_GROWTH_RATES = tuple(10 ** (exponent / 8) for exponent in range(-40, -7))
_GROWTH_EPISODES = 5
_GROWTH_FEATURES: Mapping[str, tuple[str, str]] = {  # features, and the one of them that is left out
    "raw": ("raw", ""),
    "without_height": ("raw", "aggregate_height"),
    "differences": ("differences", ""),
}

# Genetic training of weights for the greedy agent's five features, at depth 1 and at depth 2. At depth 2, games on 22
# rows are too long for training, so ten rows are used.
_FEATURES_CHANGE = 'agent.features=["max_height","aggregate_height","holes","lines","bumpiness"]'
_GENETIC_TRAINING = TrainingMeasurement(
    "genetic",
    "gavrilov-plus",
    seed_count=3,
    changes=("rules=tetrais", _FEATURES_CHANGE, "agent.measured=after"),
    quick_changes=("generations=8", "validation.final_games=50"),
)
_LOOKAHEAD_TRAINING = TrainingMeasurement(
    "genetic-ahead",
    "gavrilov-plus",
    seed_count=1,
    changes=(
        *("rules=tetrais:height=10", _FEATURES_CHANGE, "agent.measured=after", "agent.depth=2"),
        *("population=30", "generations=15", "games.count=1", "games.max_pieces=[1000,4000]"),
        *("validation.games=10", "validation.max_pieces=10000", "validation.final_games=50"),
    ),
    quick_changes=("population=16", "generations=4", "validation.games=2", "validation.final_games=10"),
)

FALL_SPEED_LEVELS = {1000: 0, 700: 3, 500: 5, 300: 7, 200: 8, 100: 9}  # milliseconds per row: level
FALL_SPEED_GAMES = {  # agent: number of games, and number in a quick reproduction
    "random": (2000, 100),
    "tetrais-min-height": (2000, 30),
    "tetrais-greedy": (2000, 20),
    "tetrais-q-report": (2000, 50),
    "tetrais-q": (400, 6),
    "tetrais-depth2": (40, 2),
}
_INSTANT_KEY_AGENTS = tuple(FALL_SPEED_GAMES)[:5]  # agents that also play with one key per millisecond


@dataclass(frozen=True)
class SeriesMeasurement(GameMeasurement):
    """Games with the 95 % ranges of statistics of series of 10, 100 and 1,000 of them."""

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Play the games and resample them."""
        result = self.play(context)
        return {
            **summarise_games(result),
            "cap": None,
            "runs": resample_statistics(result.per_game["score"], context.seed),
            "many_lines": float((result.per_game["lines"] > _MANY_LINES).mean()),
        }

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return the settings of the games and of the resampling."""
        return {**super().get_settings(is_quick), "draws": _RESAMPLE_COUNT, "many_lines": _MANY_LINES}


def resample_statistics(scores: Any, seed: int) -> dict[str, Any]:
    """Return the 95 % ranges and medians of the statistics of series of 10, 100 and 1,000 games.

    Each series is drawn from a bootstrap sample of our games, so that the range also reflects the number of our games.
    """
    generator = np.random.default_rng(seed)
    games = len(scores)
    samples: dict[int, list[tuple[float, ...]]] = {length: [] for length in _SERIES_LENGTHS}
    for _ in range(_RESAMPLE_COUNT):
        pool = scores[generator.integers(games, size=games)]
        for length in _SERIES_LENGTHS:
            series = pool[generator.integers(games, size=length)]
            mean = float(series.mean())
            samples[length].append((mean, float(series.var()) / mean**2, float(series.min()), float(series.max())))
    names = ("mean", "normalised_variance", "lowest", "highest")
    return {
        str(length): {
            name: np.percentile(column, [2.5, 50, 97.5]).tolist()
            for name, column in zip(names, zip(*statistics, strict=True), strict=True)
        }
        for length, statistics in samples.items()
    }


# Readings of the random and the minimum height agent


def count_wall_push_columns(placement: Placement, columns: int) -> int:
    """Return how many of the given columns lead to a placement, if pieces beyond the wall are pushed back to it."""
    occupied = [column for column, _ in placement.cells]
    return columns - min(occupied) if max(occupied) == BOARD_WIDTH - 1 else 1


def measure_wall_push_games(columns: int, context: MeasurementContext) -> dict[str, Any]:
    """Measure a random agent that draws an orientation and one of the columns, and is pushed back to the wall."""
    generator = random.Random(context.seed)
    records = FullGameRecord.make_array(60 if context.is_quick else 4000)
    for number in range(len(records)):
        game = Game(_RULES, context.seed, number)
        while not game.is_over:
            placements = game.placements()
            weights = [count_wall_push_columns(placement, columns) for placement in placements]
            game.place(generator.choices(placements, weights)[0])
        records[number] = copy_game_record(game)
    result = Evaluation.from_games("random", Rules.parse(_RULES), context.seed, records, seconds=0.0)
    runs = resample_statistics(result.per_game["score"], context.seed)
    return {**remove_time(summarise_games(result)), "cap": None, "runs": runs}


class LeftmostLowestAgent:
    """Minimum height as in `tetrais-min-height`, but ties go to the leftmost placement."""

    def choose(self, position: Position) -> Placement:
        """Return the placement with the lowest row, then the leftmost column, then the fewest rotations."""
        return min(position.placements(), key=lambda placement: (placement.row, placement.column, placement.rotation))


def measure_leftmost_games(context: MeasurementContext) -> dict[str, Any]:
    """Measure the minimum height agent with the other tie-breaking rule."""
    result = context.play(as_agent(LeftmostLowestAgent()), _RULES, 2 if context.is_quick else 300)
    return remove_time(summarise_games(result)) | {"cap": None}


def remove_time(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary without its times, which depend on the machine."""
    return {key: value for key, value in summary.items() if key != "time"}


# Q-learning


def make_learner(
    learning_rate: float, seed: int, features: str = "differences", *, without: str = "", is_bounded: bool = True
) -> QLearning:
    """Return a learner with the settings of the report's recipe, but another learning rate and other features.

    Without bounds, it does not stop when its weights diverge.
    """
    settings: QLearningSettings = Recipe.load(_REPORT_RECIPE).settings
    settings = replace(settings, features=features, learning_rate=learning_rate, learning_rate_end=learning_rate)
    weights = {name: weight for name, weight in INITIAL_WEIGHTS[features].items() if name != without}
    learner = QLearning(settings, Rules.parse(_RULES), seed, weights)
    if not is_bounded:
        learner.weight_bounds = np.full_like(learner.weight_bounds, math.inf)
    return learner


def measure_grid(context: MeasurementContext) -> dict[str, Any]:
    """Measure the agents of the report's recipe after several lengths of training, for several learning rates.

    The recipe's rates do not change during training, so that a shorter training is the beginning of a longer one.
    Training whose weights diverge ends with the weights before. Half of the seeds serve to choose a cell of the grid,
    the other half to measure it.
    """
    rates = _QUICK_RATES if context.is_quick else _RATES
    lengths = _QUICK_LENGTHS if context.is_quick else _LENGTHS
    seeds = 6 if context.is_quick else 20
    games = 100 if context.is_quick else 400
    cells = []
    for rate in rates:
        learners = [make_learner(rate, context.seed + number) for number in range(seeds)]
        for length in lengths:
            results = []
            for learner in learners:
                while learner.episode_number < length and not learner.divergence_message:
                    learner.run_episode()
                results.append(context.play(learner.make_agent("q"), _RULES, games, _GRID_MAX_PIECES).per_game)
            cells.append(
                {
                    "rate": rate,
                    "episodes": length,
                    "scores": [float(result["score"].mean()) for result in results],
                    "lines": [float(result["lines"].mean()) for result in results],
                    "capped": sum(int((result["pieces"] >= _GRID_MAX_PIECES).sum()) for result in results),
                    "diverged": sum(bool(learner.divergence_message) for learner in learners),
                }
            )
    return {"games": games, "seeds": seeds, "cells": cells}


def measure_growth(context: MeasurementContext) -> dict[str, Any]:
    """Measure the weights after each of five episodes with the report's formula, by features and learning rate."""
    rates = _GROWTH_RATES[::8] if context.is_quick else _GROWTH_RATES
    growth: dict[str, Any] = {}
    for name, (features, without) in _GROWTH_FEATURES.items():
        runs = []
        for rate in rates:
            for seed in range(2 if context.is_quick else 5):
                learner = make_learner(rate, context.seed + seed, features, without=without, is_bounded=False)
                weights = [learner.run_episode().weights for _ in range(_GROWTH_EPISODES)]
                runs.append({"rate": rate, "seed": seed, "weights": weights})
        growth[name] = {"features": list(learner.feature_names), "runs": runs}
    return growth


def make_variant_measurement(name: str, recipe: str, seeds: int, changes: tuple[str, ...]) -> TrainingMeasurement:
    """Return the training of a variant of a recipe; a quick reproduction trains it for few episodes."""
    quick_changes = ["episodes=60", "validation.games=10", "validation.final_games=50"]
    if recipe == _OWN_RECIPE or "average_from=501" in changes:
        quick_changes.append("average_from=31")
    if recipe == _OWN_RECIPE:
        quick_changes.append("learning_rate_episodes=60")
    return TrainingMeasurement(name, recipe, seeds, changes=changes, quick_changes=quick_changes)


# Genetic weights, and times


def measure_genetic_games(context: MeasurementContext) -> dict[str, Any]:
    """Measure agents with learned weights in games that are as long as those of the depth-limited agent."""
    quick = context.is_quick
    max_pieces, depth_two_games = (10_000, 4) if quick else (200_000, 60)
    first, second = (train_best_weights(training, context) for training in (_GENETIC_TRAINING, _LOOKAHEAD_TRAINING))
    plans = {
        "depth-1": (WeightedAgent("genetic", first, rules=_RULES), 100 if quick else 2000),
        "looking-ahead": (WeightedAgent("genetic-2", first, depth=2, rules=_RULES), depth_two_games),
        "learned-ahead": (WeightedAgent("genetic-ahead", second, depth=2, rules=_RULES), depth_two_games),
        "by-hand": (load_weighted_agent("tetrais-depth2"), 4 if quick else 16),  # to compare its speed
    }
    summaries = {}
    times = {}
    for name, (agent, games) in plans.items():
        pieces = min(max_pieces, 20_000) if name == "by-hand" else max_pieces
        result = context.play(agent, _RULES, games, pieces)
        summaries[name] = remove_time(summarise_games(result)) | {"cap": pieces}
        times[name] = result.pieces_per_second
    return {**summaries, "weights": {"depth-1": first, "learned-ahead": second}, "time": times}


def train_best_weights(training: TrainingMeasurement, context: MeasurementContext) -> dict[str, float]:
    """Return the weights of the seed with the best validation result; finished runs are loaded."""
    best = max(
        (run.result or {} for run in training.train(context)), key=lambda result: max(result["finalists"].values())
    )
    return {name: float(weight) for name, weight in best["parameters"].items()}


def measure_thinking_time(context: MeasurementContext) -> dict[str, Any]:
    """Measure the time per decision at each depth, for single decisions and in whole games."""
    game = Game("tetrais:preview=2", context.seed)
    agents = {depth: load_weighted_agent("tetrais-greedy").with_options(depth=depth) for depth in (1, 2, 3)}
    times: dict[int, list[float]] = {depth: [] for depth in agents}
    for _ in range(20 if context.is_quick else 60):
        position = game.position
        for depth, agent in agents.items():
            start = time.perf_counter()
            chosen = agent.choose(position)
            times[depth].append(time.perf_counter() - start)
        game.place(chosen)
    max_pieces = 100 if context.is_quick else 500
    rates = {
        depth: context.play(agents[depth], "tetrais:preview=2", games, max_pieces).pieces_per_second
        for depth, games in {1: 2000, 2: 100, 3: 8}.items()
    }
    seconds = {str(depth): float(np.median(depth_times[1:])) for depth, depth_times in times.items()}
    return {"time": {"decision": seconds, "pieces_per_second": rates}}


# Functions of expressions


def published(statistic: str, agent: str, games: int) -> float:
    """Return a cell of Figure 13 or 14."""
    return PUBLISHED[statistic][agent][games]


def of_series(data: Mapping[str, Any], statistic: str, games: int = 1000) -> MeasuredValue:
    """Return a statistic of the scores of our games, with the 95 % range of series of a number of games.

    The lowest and the highest score are the median over the series.
    """
    low, middle, high = data["runs"][str(games)][statistic]
    decimals = 3 if statistic == "normalised_variance" else None
    values = {"mean": data["score"]["mean"], "normalised_variance": data["normalised_variance"]}
    value = values.get(statistic, middle)
    text = str(compute_mean(data, "score")) if statistic == "mean" else format_number(value, decimals)
    ends = f"{format_number(low, decimals)} to {format_number(high, decimals)}"
    basis = f"{describe_games(data)}; 95 % range of {games:,} games: {ends}"
    return MeasuredValue(value, (low, high), text=text, basis=basis)


def variance(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the variance of the scores, with the 95 % range of series of a thousand games."""
    scores = np.array(data["sample"]["score"], float)
    series = np.random.default_rng(0).integers(len(scores), size=(_RESAMPLE_COUNT, 1000))
    low, high = (float(end) for end in np.percentile(scores[series].var(axis=1), [2.5, 97.5]))
    return MeasuredValue(data["score"]["deviation"] ** 2, (low, high), basis=describe_games(data))


def share_with_many_lines(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the share of games with more than five lines."""
    return share(round(data["many_lines"] * data["games"]), data["games"])


def series_won(first: Mapping[str, Any], second: Mapping[str, Any], games: int) -> MeasuredValue:
    """Return the share of series of games in which the first agent has the higher mean score."""
    means = [np.array(data["sample"]["score"], float).reshape(-1, games).mean(axis=1) for data in (first, second)]
    return share(int((means[0] > means[1]).sum()), len(means[0]), "set")


def long_games(data: Mapping[str, Any], lines: int) -> MeasuredValue:
    """Return whether most games have more than a number of lines and some games end; undecided if none ended."""
    long_share = share_above(data["sample"]["lines"], lines)
    ended = data["games"] - data["capped"]
    low, high = long_share.interval
    holds = False if high < 0.5 else True if low > 0.5 and ended else None
    evidence = f"{ended} of {data['games']} games ended" + (
        ", so “indefinitely” is not literally true" if ended else ""
    )
    return MeasuredValue(holds=holds, text=f"{long_share} have more than {lines:,} lines", evidence=evidence)


def choose_cell(grid: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the cell of the grid with the highest mean score over the first half of the seeds."""
    cells: Sequence[Mapping[str, Any]] = grid["cells"]
    return max(cells, key=lambda cell: sum(cell["scores"][: grid["seeds"] // 2]))


def best_training(grid: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean score of the chosen cell over the other half of the seeds."""
    cell = choose_cell(grid)
    scores = np.array(cell["scores"][grid["seeds"] // 2 :])
    basis = (
        f"learning rate {format_rate(cell['rate'])}, {cell['episodes']} episodes, chosen with "
        f"{grid['seeds'] - len(scores)} seeds and measured with {len(scores)} others"
    )
    return MeasuredValue(float(scores.mean()), compute_mean_interval(scores), basis=basis)


def share_at_limit(grid: Mapping[str, Any]) -> MeasuredValue:
    """Return the share of games of the chosen cell that reach the limit of pieces."""
    return share(choose_cell(grid)["capped"], grid["games"] * grid["seeds"])


def list_sizes(run: Mapping[str, Any]) -> list[float]:
    """Return the largest absolute weight after each episode; infinity beyond all floats."""
    return [max(math.inf if weight is None else abs(weight) for weight in weights) for weights in run["weights"]]


def judge_run(run: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    """Return whether the largest weight fits the report after the first, the third and the fifth episode."""
    first, _, third, _, fifth = list_sizes(run)
    return (
        1 / _FIRST_EPISODE_FACTOR <= first / REPORT_SIZES[0] <= _FIRST_EPISODE_FACTOR,
        third >= REPORT_SIZES[1],
        abs(math.log10(fifth / REPORT_SIZES[2])) <= _FIFTH_EPISODE_EXPONENT,
    )


def growth_fits(growth: Mapping[str, Any]) -> MeasuredValue:
    """Return whether a run has the weights of the report after all three episodes."""
    fits = [judge_run(run) for run in growth["runs"]]
    joint = sum(map(all, fits))
    first, third, fifth = (sum(column) for column in zip(*fits, strict=True))
    late = [list_sizes(run)[0] for run, fit in zip(growth["runs"], fits, strict=True) if fit[2]]
    text = f"{joint} of {len(fits)} runs (after episode 1 alone: {first}, 3: {third}, 5: {fifth})"
    evidence = f"{format_count(joint, 'run')} of {len(fits)} fit all three"
    if late and not joint:
        evidence += f"; runs that fit after the fifth episode already have {format_power(min(late))} after the first"
    return MeasuredValue(holds=joint > 0, text=text, evidence=evidence)


def rate_of_divergence(growth: Mapping[str, Any]) -> MeasuredValue:
    """Return the learning rate from which on the weights of all runs reach 10¹⁰ in three episodes."""
    rates = sorted({run["rate"] for run in growth["runs"]}, reverse=True)
    diverging = []
    for rate in rates:
        if not all(judge_run(run)[1] for run in growth["runs"] if run["rate"] == rate):
            break
        diverging.append(rate)
    text = f"from a learning rate of {format_rate(diverging[-1])} on" if diverging else "at no learning rate"
    return MeasuredValue(holds=bool(diverging), text=text, basis=f"{len(growth['runs'])} runs")


def grown_only_in_first(first: Mapping[str, Any], second: Mapping[str, Any]) -> MeasuredValue:
    """Return, of the rates and seeds whose weights reach 10¹⁰ in one of two conditions only, the share of the first."""
    grown = [[judge_run(run)[1] for run in growth["runs"]] for growth in (first, second)]
    pairs = list(zip(*grown, strict=True))
    only_first = pairs.count((True, False))
    measured = share(only_first, only_first + pairs.count((False, True)), "run")
    return replace(measured, text=f"{sum(grown[0])} and {sum(grown[1])} of {format_count(len(pairs), 'run')}")


def format_rate(rate: float) -> str:
    """Format a learning rate with two digits, without a power of ten."""
    return np.format_float_positional(float(f"{rate:.2g}"), trim="-")


def format_power(number: float) -> str:
    """Format a number, with a power of ten if it is large."""
    if abs(number) < 1e5:
        return format_number(number)
    digits, _, exponent = f"{number:.2e}".replace("-", "−").partition("e")
    return f"{digits} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def weights_after(growth: Mapping[str, Any], rate: float, episode: int) -> list[str]:
    """Return the weights of the first run with a learning rate, in the order of Figure 12."""
    run = next(run for run in growth["runs"] if math.isclose(run["rate"], rate))
    weights = dict(zip(growth["features"], run["weights"][episode - 1], strict=True))
    return [format_power(weights[name]) for name in _FIGURE_12_FEATURES]


def growth_rows(growth: Mapping[str, Any]) -> list[list[str]]:
    """Return learning rate, median largest weights after episodes 1, 3 and 5, and fits, for every second rate."""
    rows = []
    for rate in sorted({run["rate"] for run in growth["runs"]})[::2]:
        runs = [run for run in growth["runs"] if run["rate"] == rate]
        medians = np.median([list_sizes(run)[::2] for run in runs], axis=0)
        fits = np.sum([judge_run(run) for run in runs], axis=0)
        fit_text = f"{', '.join(map(str, fits))} of {len(runs)}"
        rows.append([format_rate(rate), *(format_power(float(median)) for median in medians), fit_text])
    return rows


def time_factors(thinking: Mapping[str, Any]) -> list[MeasuredValue]:
    """Return the factors of the time per piece for the second and the third piece, with a margin of 10 %."""
    rates = thinking["time"]["pieces_per_second"]
    factors = (rates["1"] / rates["2"], rates["2"] / rates["3"])
    return [MeasuredValue(factor, (0.9 * factor, 1.1 * factor), text=f"{factor:.0f} times") for factor in factors]


def decision_time(thinking: Mapping[str, Any], depth: int) -> MeasuredValue:
    """Return the median time of a decision in seconds."""
    seconds = thinking["time"]["decision"][str(depth)]
    return MeasuredValue(
        seconds, text=f"{1000 * seconds:.2g} ms", basis="median of single calls, with their fixed cost"
    )


def speed_ratio(genetic_games: Mapping[str, Any], name: str) -> MeasuredValue:
    """Return the pieces per second of a genetic agent divided by those of the depth-limited agent."""
    factor = genetic_games["time"][name] / genetic_games["time"]["by-hand"]
    return MeasuredValue(factor, text=f"{format_number(factor)} times")


FUNCTIONS = (
    *(published, of_series, variance, share_with_many_lines, series_won, long_games),
    *(best_training, share_at_limit, growth_fits, rate_of_divergence, grown_only_in_first, weights_after, growth_rows),
    *(time_factors, decision_time, speed_ratio, winning_strategies, unwinnable_wells, endless_alternation),
)


def make_weights_measurement(name: str, weights: Mapping[str, Any]) -> GameMeasurement:
    """Return the games of an agent with the given weights."""
    return GameMeasurement(name, WeightedAgent(name, dict(weights), rules=_RULES), games=20_000, quick_games=500)


def make_fall_speed_measurement(name: str, agent: str, rules: str) -> GameMeasurement:
    """Return capped games of an agent with timed movement."""
    games, quick_games = FALL_SPEED_GAMES[agent]
    return GameMeasurement(name, agent, games, quick_games, rules, max_pieces=10_000, quick_max_pieces=1000)


MEASUREMENTS: list[Measurement] = [
    SeriesMeasurement("random", "random", games=20_000, quick_games=5000),
    SeriesMeasurement("min-height-plain", "tetrais-min-height", games=20_000, quick_games=1000),
    SeriesMeasurement("min-height", "min-height", games=20_000, quick_games=5000),
    SeriesMeasurement("greedy", "tetrais-greedy", games=20_000, quick_games=1000),
    SeriesMeasurement(
        "greedy-higher", WeightedAgent("greedy-higher", _HIGHER_LANDING_WEIGHTS, rules=_RULES), 20_000, quick_games=500
    ),
    CustomMeasurement("forty", partial(measure_wall_push_games, BOARD_WIDTH)),
    CustomMeasurement("edge", partial(measure_wall_push_games, BOARD_WIDTH + 1)),
    SeriesMeasurement("random-above", "random", games=20_000, quick_games=2000, rules=_ENTRY_ABOVE_RULES),
    *(GameMeasurement(name, "random", 20_000, 2000, rules) for name, rules in _RANDOM_AGENT_ENDINGS.items()),
    CustomMeasurement("lowest-leftmost", measure_leftmost_games),
    SeriesMeasurement("greedy-above", "tetrais-greedy", games=20_000, quick_games=500, rules=_ENTRY_ABOVE_RULES),
    *(make_weights_measurement(name, weights) for name, weights in _MIN_HEIGHT_READINGS.items()),
    *(make_weights_measurement(name, {**_GREEDY_WEIGHTS, **weights}) for name, weights in _TIE_BREAKS.items()),
    GameMeasurement("greedy-soft", "tetrais-greedy", 20_000, 200, _SOFT_DROP_RULES),
    GameMeasurement("greedy-stiff", "tetrais-greedy", 20_000, 200, _NO_SOFT_DROP_RULES),
    GameMeasurement("q-drop", "tetrais-q", 4000, 50),
    GameMeasurement("q-soft", "tetrais-q", 4000, 50, _SOFT_DROP_RULES),
    GameMeasurement("q-stiff", "tetrais-q", 4000, 50, _NO_SOFT_DROP_RULES),
    *(
        make_fall_speed_measurement(f"{agent}-{milliseconds}ms", agent, f"tetrais:movement=timed,start_level={level}")
        for agent in FALL_SPEED_GAMES
        for milliseconds, level in FALL_SPEED_LEVELS.items()
    ),
    *(
        make_fall_speed_measurement(
            f"{agent}-100ms-at-once", agent, "tetrais:movement=timed,start_level=9,frames_per_key=1"
        )
        for agent in _INSTANT_KEY_AGENTS
    ),
    CustomMeasurement("growth", measure_growth),
    TrainingMeasurement("raw", _REPORT_RECIPE, 5, quick_seed_count=2, changes=("q-learning.features=raw",)),
    GameMeasurement(
        "q-start", WeightedAgent("q-start", dict(INITIAL_WEIGHTS["differences"]), rules=_RULES), 4000, quick_games=200
    ),
    CustomMeasurement("grid", measure_grid),
    *(make_variant_measurement(name, _REPORT_RECIPE, 5, changes) for name, changes in _REPORT_VARIANTS.items()),
    *(make_variant_measurement(name, _OWN_RECIPE, 3, changes) for name, changes in _OWN_VARIANTS.items()),
    CustomMeasurement("wells", measure_wells),
    _GENETIC_TRAINING,
    _LOOKAHEAD_TRAINING,
    CustomMeasurement("genetic-games", measure_genetic_games),
    CustomMeasurement("thinking", measure_thinking_time, version=2),
    GameMeasurement("depth2", "tetrais-depth2", 80, 12, max_pieces=250_000, quick_max_pieces=40_000),
    GameMeasurement("depth2-soft", "tetrais-depth2", 40, 4, _SOFT_DROP_RULES, 100_000, quick_max_pieces=5000),
    GameMeasurement("depth2-stiff", "tetrais-depth2", 40, 4, _NO_SOFT_DROP_RULES, 100_000, quick_max_pieces=5000),
]
