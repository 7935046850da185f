"""Measurements for Medico's report: changed parameters, fill levels and danger zones, and games piece by piece."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.agents import SecondMode, WeightedAgent, load_weighted_agent
from tetrion.board import Board, Placement
from tetrion.engine.bitboard import Outcome
from tetrion.engine.custom_features import CustomFeature
from tetrion.engine.feature_registry import BOARD_FEATURE, PLACEMENT_FEATURE
from tetrion.evaluation.confidence_intervals import (
    NORMAL_QUANTILE,
    SampleArray,
    compute_mean_interval,
    get_student_quantile,
)
from tetrion.game import Game
from tetrion.papers.measured_values import UNKNOWN, MeasuredValue, describe_games
from tetrion.papers.measurements import (
    CustomMeasurement,
    GameMeasurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.position import Position

MEDICO_BOT = load_weighted_agent("medico")
_SECOND_MODE = MEDICO_BOT.second_mode or SecondMode({})
_THRESHOLD = 100  # sum of heights from which on our agent is in recovery mode
_MAX_PIECES = 5000  # cap of games that could be long
_UNLIKELY = 0.05  # significance level of the comparison with the ten runs
_PIECES_PER_EXAMINATION = 5  # all placements of one decision in this many are examined
_ABOVE, _ABOVE_DROP = "medico:spawn_height=4", "medico:spawn_height=4,movement=drop"  # pieces spawn above the board

RUNS = np.array(  # score and lines of the ten runs of the report
    [
        *((27_200, 288), (5680, 60), (6400, 59), (6440, 56), (12_120, 98)),
        *((38_620, 330), (2780, 24), (1580, 12), (5480, 60), (36_740, 315)),
    ]
)
_FEW_LINES = ("one_line", "two_lines", "three_lines")
_ALL_LINES = (*_FEW_LINES, "four_lines")
_PARAMETERS = {  # name in the report: features
    "holes": ("holes",),
    "evenness": ("bumpiness",),
    "board fill": ("aggregate_height",),
    "1 line": ("one_line",),
    "2 lines": ("two_lines",),
    "3 lines": ("three_lines",),
    "1, 2 and 3 lines": _FEW_LINES,
    "4 lines": ("four_lines",),
    "last column": ("last_column_cells",),
    "danger zone": ("danger",),
}
THRESHOLDS = (0, 20, 40, 60, 70, 80, 90, 100, 110, 120, 140, 160, 200)  # of the sum of heights
_OTHER_FILL_LEVELS = {"max_height": (8, 10, 12, 14, 16), "filled_cells": (60, 80, 100, 120)}
_DANGER_ZONES = {  # rows from the top, first and end column, and whether all cells of the board count, not only placed
    "two rows": (2, 3, 7, False),
    "six rows": (6, 3, 7, False),
    "two columns": (4, 4, 6, False),
    "six columns": (4, 2, 8, False),
    "any cell": (4, 3, 7, True),
}
_TRAINING = TrainingMeasurement(
    "tuned",
    "medico-tuned",
    seed_count=8,
    quick_changes=("generations=5", "games.count=4", "validation.games=4", "validation.final_games=40"),
)

# The bot with other parameters


def change_weights(name: str, change: Callable[[str, float], float | None]) -> WeightedAgent:
    """Return the bot with the weight of each feature, in both modes, replaced by `change`, or removed if it is None."""
    scoring, recovery = (
        {
            feature: new
            for feature, weight in weights.items()
            if isinstance(weight, int | float) and (new := change(feature, weight)) is not None
        }
        for weights in (MEDICO_BOT.weights, _SECOND_MODE.weights)
    )
    return replace(MEDICO_BOT, name=name, weights=scoring, second_mode=replace(_SECOND_MODE, weights=recovery))


def remove_parameters(*features: str) -> WeightedAgent:
    """Return the bot without some features."""
    name = f"medico without {', '.join(features)}"
    return change_weights(name, lambda feature, weight: None if feature in features else weight)


def replace_board_fill() -> WeightedAgent:
    """Return a bot without board fill in which every hole costs 1 point more and every line gives 10 points more.

    The sum of heights is the number of filled cells plus the holes, every piece adds four cells, and every line removes
    ten, so this bot should make the same decisions as the report's bot.
    """
    surplus = {"holes": -1, **{name: 10 * lines for lines, name in enumerate(_ALL_LINES, 1)}}
    return change_weights(
        "medico, equivalent without board fill",
        lambda feature, weight: None if feature == "aggregate_height" else weight + surplus.get(feature, 0),
    )


def make_variants() -> dict[str, WeightedAgent]:
    """Return the bot without single parameters and with other weights, by name."""
    changes: dict[str, Callable[[str, float], float]] = {
        "low weight of holes": lambda feature, weight: weight / 50 if feature == "holes" else weight,
        "low weights of lines": lambda feature, weight: weight / 100 if feature in _ALL_LINES else weight,
    }
    weights = {**MEDICO_BOT.weights, **dict.fromkeys(_FEW_LINES, 0)}
    return {
        **{f"without {label}": remove_parameters(*features) for label, features in _PARAMETERS.items()},
        **{label: change_weights(f"medico, {label}", change) for label, change in changes.items()},
        "scoring mode without 1, 2 and 3 lines": replace(
            MEDICO_BOT, name="medico, no few lines in scoring mode", weights=weights
        ),
    }


def change_fill_level(feature: str, threshold: int) -> WeightedAgent:
    """Return the bot whose mode depends on another feature and threshold."""
    second = replace(_SECOND_MODE, selector=feature, threshold=threshold)
    return replace(MEDICO_BOT, name=f"medico by {feature} from {threshold}", second_mode=second)


def make_danger_zone(rows: int, first_column: int, end_column: int, counts_board: bool = False) -> CustomFeature:
    """Return the feature that is 1 if a placed cell, or any cell of the board, lies in a zone below the top."""

    def danger_zone(outcome: Outcome) -> int:
        cells = 0
        for column in range(first_column, end_column):
            cells |= outcome.columns[column] if counts_board else outcome.piece_columns[column]
        return 1 if cells >> max(outcome.rows - rows, 0) else 0

    return CustomFeature(danger_zone, 1, BOARD_FEATURE if counts_board else PLACEMENT_FEATURE)


def change_danger_zone(zone: CustomFeature) -> WeightedAgent:
    """Return the bot with another danger zone."""
    scoring, recovery = (
        {zone.name if feature == "danger" else feature: weight for feature, weight in weights.items()}
        for weights in (MEDICO_BOT.weights, _SECOND_MODE.weights)
    )
    second = replace(_SECOND_MODE, weights=recovery)
    return replace(MEDICO_BOT, weights=scoring, second_mode=second, features={zone.name: zone})


def measure_danger_zones(context: MeasurementContext) -> dict[str, Any]:
    """Play games with each of the danger zones."""
    agents = {name: change_danger_zone(make_danger_zone(*zone)) for name, zone in _DANGER_ZONES.items()}
    games = 60 if context.is_quick else 3000
    return {name: summarise_games(context.play(agent, games=games)) for name, agent in agents.items()}


def measure_learned_weights(context: MeasurementContext) -> dict[str, Any]:
    """Play games with the learned weights and the threshold of our agent, for each seed of the training."""
    games = 20 if context.is_quick else 200
    runs = []
    for run in _TRAINING.train(context):
        agent = run.best_agent.with_options(threshold=_THRESHOLD)
        scores = context.play(agent, games=games, max_pieces=_MAX_PIECES).per_game["score"]
        summary = {"mean": float(scores.mean()), "ci95": compute_mean_interval(scores)}
        runs.append({"result": {"uncorrected": {"score": summary}}})
    return {"runs": runs}


# Games piece by piece


def is_tuck(board: Board, placement: Placement) -> bool:
    """Return whether a piece rests below filled cells, where a hard drop cannot place it."""
    return any(row < board.heights[column] for column, row in placement.cells)


def is_flat(placement: Placement) -> bool:
    """Return whether a piece occupies fewer rows than columns."""
    columns, rows = (set(numbers) for numbers in zip(*placement.cells, strict=True))
    return len(rows) < len(columns)


def can_clear_line(position: Position) -> bool:
    """Return whether a placement of the current piece completes a row."""
    columns = position.board.columns
    missing = [sum(not column >> row & 1 for column in columns) for row in range(position.board.rows)]
    return any(
        cells == missing[row]
        for placement in position.placements()
        for row, cells in Counter(row for _, row in placement.cells).items()
        if row < len(missing)
    )


def count_events(
    agent: WeightedAgent, seed: int, number: int, others: Mapping[str, WeightedAgent] | None = None
) -> dict[str, int]:
    """Count events in a game: changes of the mode, tucks, flat pieces, holes made and filled.

    Bumpiness and low space are summed over the boards after each placement; low space is the number of cells above the
    columns and below the level of the highest one. With `others`, also count decisions in which a line can be cleared,
    what these bots would do in the same positions, and placements with at most two holes more than the best one.
    """
    counts = Counter[str]()
    game = Game("medico", seed, number)
    covered: int | None = None  # holes before the last placement, if that placement made a hole
    mode = ""
    while not game.is_over:
        position = game.position
        chosen = agent.choose(position)
        previous_mode, mode = mode, agent.get_mode_name(position)
        lines = game.lines
        holes = position.board.measure_features()["holes"]
        tuck = is_tuck(position.board, chosen)
        for name, other in (others or {}).items():
            choice = other.choose(position)
            counts[name] += choice != chosen
            counts[f"{name} tucks"] += is_tuck(position.board, choice)
            counts[f"{name} flat"] += is_flat(choice)
        if others and counts["pieces"] % _PIECES_PER_EXAMINATION == 0:
            all_holes = [
                position.after(placement).board.measure_features()["holes"] for placement in position.placements()
            ]
            counts["placements"] += len(all_holes)
            counts["placements with few holes"] += sum(number <= min(all_holes) + 2 for number in all_holes)
        clearable = bool(others) and can_clear_line(position)
        game.place(chosen)
        after = game.board.measure_features()
        counts["pieces"] += 1
        counts["orientable"] += chosen.piece != "O"
        counts["flat"] += is_flat(chosen)
        counts["tucks"] += tuck
        counts["filled"] += covered is not None and tuck and after["holes"] <= covered
        covered = holes if after["holes"] > holes and game.lines == lines else None
        counts["covering"] += covered is not None
        counts["new holes"] += after["holes"] > holes
        counts["bumpiness"] += after["bumpiness"]
        counts["low space"] += len(game.board.columns) * after["max_height"] - after["aggregate_height"]
        counts["troubles"] += (previous_mode, mode) == ("scoring", "recovery")
        counts["recoveries"] += (previous_mode, mode) == ("recovery", "scoring")
        counts[f"{mode} clearable"] += clearable
        counts[f"{mode} cleared"] += clearable and game.lines > lines
    return dict(counts)


def measure_followed_games(context: MeasurementContext) -> dict[str, list[dict[str, int]]]:
    """Count events in games of the bot, of the bot without the next piece, and without single parameters."""
    others = {
        "one piece": MEDICO_BOT.with_options(depth=1),
        "fearless": remove_parameters("danger"),
        "unfilled": remove_parameters("aggregate_height"),
        "equivalent": replace_board_fill(),
    }
    agents = {
        "one": others["one piece"],
        "unholed": remove_parameters("holes"),
        "uneven": remove_parameters("bumpiness"),
    }
    seed, numbers = context.seed, range(4 if context.is_quick else 80)
    return {
        "both": [count_events(MEDICO_BOT, seed, number, others) for number in numbers],
        **{name: [count_events(agent, seed, number) for number in numbers] for name, agent in agents.items()},
    }


# Functions of expressions


def total(games: Sequence[Mapping[str, int]], event: str) -> int:
    """Return how often an event happened in all followed games."""
    return sum(game.get(event, 0) for game in games)


def rate(games: Sequence[Mapping[str, int]], event: str, per: str) -> MeasuredValue:
    """Return one count of events divided by another, with an interval over games (by the delta method)."""
    parts, totals = (np.array([game.get(key, 0) for game in games], float) for key in (event, per))
    if not totals.sum():
        return replace(UNKNOWN, basis=f"no {per}")
    value = float(parts.sum() / totals.sum())
    deviation = float((parts - value * totals).std(ddof=1)) / float(totals.mean())
    margin = get_student_quantile(len(games) - 1) * deviation / math.sqrt(len(games))
    return MeasuredValue(value, (max(0.0, value - margin), value + margin), basis=f"{len(games)} games, piece by piece")


def percentage(games: Sequence[Mapping[str, int]], event: str, per: str) -> MeasuredValue:
    """Return one count of events in percent of another."""
    return rate([{**game, event: 100 * game.get(event, 0)} for game in games], event, per)


def points_per_line(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the points per line over all games, with an interval by the delta method."""
    scores, lines = (np.array(data["sample"][name], float) for name in ("score", "lines"))
    value = data["points_per_line"]
    if value is None:
        return UNKNOWN
    deviation = float((scores - value * lines).std(ddof=1)) / float(lines.mean())
    margin = NORMAL_QUANTILE * deviation / math.sqrt(data["games"])
    return MeasuredValue(value, (value - margin, value + margin), basis=describe_games(data))


def variation(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the standard deviation of the score divided by its mean, with a bootstrap interval."""
    scores = np.array(data["sample"]["score"], float)
    resampled = scores[np.random.default_rng(0).integers(0, len(scores), (1000, len(scores)))]
    ratios = resampled.std(axis=1) / resampled.mean(axis=1)
    shrinkage = math.sqrt(len(scores) / data["games"])  # the sample is a part of the games
    low, high = shrinkage * (np.percentile(ratios, [2.5, 97.5]) - scores.std() / scores.mean())
    value = data["score"]["deviation"] / data["score"]["mean"]
    return MeasuredValue(value, (value + float(low), value + float(high)), basis=describe_games(data))


def agreeing_means(measured: MeasuredValue, games: int) -> MeasuredValue:
    """Return the interval of the means of some games that would agree with ours, and the ratio of its ends."""
    margin = NORMAL_QUANTILE * (measured.standard_deviation or 0) / math.sqrt(games)
    low, high = (measured.interval[0] - margin, measured.interval[1] + margin)
    return MeasuredValue(high / low if low > 0 else None, (low, high))


# Statistics of sets of games, whose last axes are the games, and their score and lines
_STATISTICS: dict[str, Callable[[SampleArray], SampleArray]] = {
    "mean": lambda games: games[..., 0].mean(axis=-1),
    "points per line": lambda games: games[..., 0].sum(axis=-1) / np.maximum(1, games[..., 1].sum(axis=-1)),
}


def sets_of_ten(data: Mapping[str, Any], statistic: str) -> SampleArray:
    """Return a statistic of 10,000 random sets of ten of our games; the sets are the same in every call."""
    games = np.array([data["sample"]["score"], data["sample"]["lines"]]).T
    return _STATISTICS[statistic](games[np.random.default_rng(0).integers(0, len(games), (10_000, len(RUNS)))])


def p_value(data: Mapping[str, Any], statistic: str) -> float:
    """Return the two-sided share of sets of ten of our games that are at least as extreme as the report's ten."""
    ours, value = sets_of_ten(data, statistic), _STATISTICS[statistic](RUNS)
    return min(1.0, 2 * min(float((ours <= value).mean()), float((ours >= value).mean())))


def fits(data: Mapping[str, Any]) -> bool:
    """Return whether the ten runs are compatible with these games in mean score and points per line."""
    return all(p_value(data, statistic) >= _UNLIKELY for statistic in _STATISTICS)


FUNCTIONS = (total, rate, percentage, points_per_line, variation, agreeing_means, sets_of_ten, p_value, fits)


MEASUREMENTS = [
    GameMeasurement("medico", "medico", 10_000, 600),
    *(
        GameMeasurement(
            f"threshold-{value}",
            f"medico:threshold={value}",
            games=500 if value < 40 else 2000,
            quick_games=50 if value < 40 else 100,
        )
        for value in THRESHOLDS
        if value != _THRESHOLD
    ),
    *(
        GameMeasurement(f"{feature}-{value}", change_fill_level(feature, value), 1000, 60)
        for feature, values in _OTHER_FILL_LEVELS.items()
        for value in values
    ),
    GameMeasurement("one piece", "medico:depth=1", 10_000, 400),
    GameMeasurement("drop", "medico", 8000, 150, "medico:movement=drop"),
    GameMeasurement("above", "medico", 8000, 150, _ABOVE),
    GameMeasurement("above, drop", "medico", 8000, 150, _ABOVE_DROP),
    GameMeasurement("recovery, above", "medico:threshold=0", 400, 30, _ABOVE),
    GameMeasurement("recovery, above, drop", "medico:threshold=0", 400, 30, _ABOVE_DROP),
    GameMeasurement("scoring, above", "medico:threshold=200", 10_000, 300, _ABOVE),
    GameMeasurement("scoring, above, drop", "medico:threshold=200", 10_000, 300, _ABOVE_DROP),
    *(GameMeasurement(name, agent, 3000, 150) for name, agent in make_variants().items()),
    GameMeasurement("recovery, cut", "medico:threshold=0", 400, 25, max_pieces=_MAX_PIECES),
    GameMeasurement("dellacherie", "dellacherie:depth=2", 100, 10, "medico", _MAX_PIECES),
    _TRAINING,
    CustomMeasurement("learned weights", measure_learned_weights),
    CustomMeasurement("zones", measure_danger_zones, version=2),
    CustomMeasurement("followed", measure_followed_games, version=4),
]
