"""Measurements of the controllers of the literature: games on several boards, causes of differences, trainings."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.engine.bitboard import Outcome
from tetrion.engine.custom_features import CUSTOM_FEATURES, feature
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, compute_mean_interval
from tetrion.evaluation.number_format import format_count
from tetrion.papers.measured_values import MeasuredValue, mean_lines, ratio, restore_lines
from tetrion.papers.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    SplittingMeasurement,
    TrainingMeasurement,
)

_CHANCE = 0.2  # of a mean of about 100 games, or of a number of games that is not known


class PublishedMean(NamedTuple):
    """A published mean of lines per game and its margin relative to it."""

    lines: float
    margin: float

    @property
    def range(self) -> tuple[float, float]:
        """The mean with its margin."""
        return self.lines * (1 - self.margin), self.lines * (1 + self.margin)


class OlderResult(NamedTuple):
    """A result of an agent whose weights are not available, as cited by Thiery and Scherrer 2009."""

    authors: str
    method: str
    lines: float
    rules: str = "simplified"


TABLE_MARGIN = 0.035  # Scherrer et al. 2015: 2 % for chance in 10,000 games, 1.5 % for rounding to two digits
PUBLISHED_MEANS = {  # on 10×20
    "dellacherie": PublishedMean(5.2e6, _CHANCE),
    "el-tetris": PublishedMean(16e6, _CHANCE),
    "du": PublishedMean(31e6, TABLE_MARGIN),
    "bdu": PublishedMean(36e6, TABLE_MARGIN),
    "dt10": PublishedMean(29e6, TABLE_MARGIN),
    "dt20": PublishedMean(51e6, TABLE_MARGIN),
}
PUBLISHED_MEANS_ON_TEN_ROWS = {
    "du": PublishedMean(3800, TABLE_MARGIN),
    "bdu": PublishedMean(4200, TABLE_MARGIN),
    "dt10": PublishedMean(5000, TABLE_MARGIN),
    "dt20": PublishedMean(4300, TABLE_MARGIN),
}
OLDER_RESULTS = (
    OlderResult("Tsitsiklis and Van Roy 1996", "value iteration, two features", 30),
    OlderResult("Ramon and Driessens 2004", "relational reinforcement learning", 50),
    OlderResult("Lagoudakis et al. 2002", "least-squares policy iteration, up to", 3000),
    OlderResult("Bertsekas and Tsitsiklis 1996", "λ-policy iteration, 10×19", 3200),
    OlderResult("Farias and Van Roy 2006", "linear programming", 4700),
    OlderResult("Kakade 2001", "natural policy gradient", 6800),
    OlderResult("Llima 2005", "genetic algorithm", 50_000, "close to the original game"),
    OlderResult("Szita and Lőrincz 2006", "noisy cross-entropy", 350_000),
    OlderResult("Dellacherie in Fahey 2003", "hand-chosen weights", 660_000, "original game"),
)
MDP_TETRIS_MEANS = {  # of 4,000 games of the simulator of MdpTetris with seed 1 on 10×10, and their 95 % intervals
    "ce-bertsekas": (817.2, (793.3, 841.8)),
    "dellacherie": (2376.0, (2303.7, 2450.7)),
    "el-tetris": (3036.2, (2944.4, 3130.9)),
    "du": (3865.2, (3746.4, 3987.9)),
    "dt10": (5189.1, (5027.0, 5356.4)),
    "bdu": (4343.4, (4211.4, 4479.4)),
    "dt20": (4420.0, (4281.9, 4562.6)),
}


BURGIEL_MAX_PIECES = 70_000  # alternating S and Z pieces end every game within this many pieces (Burgiel 1997)
_ENTRY_RULES = "standard:spawn_height=0,game_over=entry"  # a new piece must fit into the middle of the top rows
_LOGGED_GENERATIONS = 80  # of the logs of MdpTetris
WEAK_CONTROLLERS = {"lee": (20_000, 2000), "ce-bertsekas": (1000, 80)}  # games on 10×20, full and quick
STRONG_CONTROLLERS = {  # precision on 10×20; that of Dellacherie's is compared with a published value
    "dellacherie": 0.05,
    "el-tetris": 0.1,
    "du": 0.1,
    "dt10": 0.1,
    "bdu": 0.1,
    "dt20": 0.1,
}
CONTROLLERS = (*WEAK_CONTROLLERS, *STRONG_CONTROLLERS)
TIE_BREAKS = {  # label: weights that choose among equally good placements of controllers with integer weights
    "first by orientation and column (default)": {},
    "more quarter turns": {"turns": 0.01},
    "lower highest cell": {"piece_top": 0.01},
    "higher highest cell": {"piece_top": -0.01},
    "nearer to the lowest column": {"lowest_column_distance": -0.01},
    "farther from the lowest column": {"lowest_column_distance": 0.01},
}
FIRST_POLICY = {"lines": 1, "max_height": -10, "holes": -1}  # with which λ-policy iteration starts
SEED_COUNTS = {"none": 10, "constant": 10, "decreasing": 5}  # noise; runs with decreasing noise play the longest games
PRINTED_AGENTS = ("dt10", "dt20")  # whose weights are known as printed, with two decimals
_PRINTED_DECIMALS = 2


# Possible causes of a difference: another definition of wells, and weights that were rounded before they were printed.


def wells_with_all_cells_below(outcome: Outcome) -> int:
    """Return the sum over wells of 1 + 2 + … + depth; all empty cells below a well cell belong to its well.

    This is feature −6 of MdpTetris. Dellacherie's feature, number 6 there, sums over well cells only.
    """
    total = 0
    wall = (1 << (outcome.rows + 4)) - 1
    for column in range(BOARD_WIDTH):
        filled = outcome.columns[column]
        left = wall if column == 0 else outcome.columns[max(column - 1, 0)]
        right = wall if column == BOARD_WIDTH - 1 else outcome.columns[min(column + 1, BOARD_WIDTH - 1)]
        cells = ~filled & left & right
        below = (cells >> 1) & ~filled & ~cells
        while below:
            cells |= below
            below = (below >> 1) & ~filled & ~cells
        while cells:
            rest = cells
            while rest:  # count the cells
                total += 1
                rest &= rest - 1
            cells = (cells >> 1) & ~filled
    return total


def make_fast_wells_agent(name: str) -> WeightedAgent:
    """Return a controller with MdpTetris' feature −6 instead of Dellacherie's wells."""
    if wells_with_all_cells_below.__name__ not in CUSTOM_FEATURES:
        feature(max_value=4000)(wells_with_all_cells_below)
    weights = dict(load_weighted_agent(name).weights)
    weights[wells_with_all_cells_below.__name__] = weights.pop("wells")
    return WeightedAgent(f"{name}, feature −6", weights, rules="standard")


def make_rounding_agents(name: str, count: int) -> list[WeightedAgent]:
    """Return controllers whose weights are drawn from all that give the printed ones when rounded."""
    agent = load_weighted_agent(name)
    generator = np.random.default_rng(1)
    margin = 0.5 * 10**-_PRINTED_DECIMALS
    agents = []
    for number in range(count):
        # the weight of `landing_height` is per half row
        margins = {
            feature_name: margin / 2 if feature_name == "landing_height" else margin for feature_name in agent.weights
        }
        weights = {
            feature_name: float(weight) + float(generator.uniform(-margins[feature_name], margins[feature_name]))
            for feature_name, weight in agent.weights.items()
            if isinstance(weight, int | float)
        }
        agents.append(WeightedAgent(f"{name}, before rounding {number}", weights, rules="standard"))
    return agents


def split(context: MeasurementContext, agent: WeightedAgent, rules: str, precision: float) -> dict[str, Any]:
    """Return the mean lines of an agent by splitting."""
    summary = context.split(agent, rules, precision).to_json()
    return {key: summary[key] for key in ("method", "lines", "pieces_played")}


def measure_fast_wells(context: MeasurementContext) -> dict[str, Any]:
    """Measure the controllers of Scherrer et al. with the feature that they used, and with Dellacherie's."""
    small, large = (0.2, 0.5) if context.is_quick else (0.02, 0.05)
    return {
        name: {
            f"{kind}_{board}": split(context, agent, rules, precision)
            for kind, agent in (("fast", make_fast_wells_agent(name)), ("own", load_weighted_agent(name)))
            for board, rules, precision in (("10x10", "standard-10x10", small), ("10x20", "standard", large))
        }
        for name in PRINTED_AGENTS
    }


def measure_rounding(context: MeasurementContext) -> dict[str, Any]:
    """Measure controllers whose weights round to the printed ones, on 10×20."""
    count, precision = (1, 0.5) if context.is_quick else (16, 0.12)
    return {
        name: [
            split(context, agent, "standard", precision)["lines"]["mean"] for agent in make_rounding_agents(name, count)
        ]
        for name in PRINTED_AGENTS
    }


MEASUREMENTS: Sequence[Measurement] = [
    *(
        GameMeasurement(f"{name}-10x10", name, games=12_000, quick_games=1500, rules="standard-10x10")
        for name in CONTROLLERS
    ),
    *(
        GameMeasurement(f"{name}-10x20", name, games, quick_games, "standard")
        for name, (games, quick_games) in WEAK_CONTROLLERS.items()
    ),
    *(
        SplittingMeasurement(f"{name}-10x20", name, "standard:height=20", precision, 0.4)
        for name, precision in STRONG_CONTROLLERS.items()
    ),
    GameMeasurement("tsitsiklis-10x20", "tsitsiklis", games=20_000, quick_games=2000, rules="standard"),
    GameMeasurement(
        "dellacherie-entry",
        "dellacherie",
        games=200,
        quick_games=60,
        rules=_ENTRY_RULES,
        max_pieces=1_000_000,
        quick_max_pieces=300_000,
    ),
    *(
        GameMeasurement(
            f"dellacherie-10x{rows}",
            "dellacherie",
            games=games,
            quick_games=quick_games,
            rules=f"standard:height={rows}",
            max_pieces=max_pieces,
        )
        for rows, games, quick_games, max_pieces in (
            (12, 3000, 200, 10_000_000),
            (14, 800, 40, 10_000_000),
            (16, 160, 10, 2_000_000),
            (18, 160, 10, 1_000_000),
        )
    ),
    SplittingMeasurement("dellacherie-10x19", "dellacherie", "standard:height=19", 0.03, 0.4),
    SplittingMeasurement("du-10x16", "du", "standard:height=16", 0.03, 0.4),
    *(
        GameMeasurement(
            f"{prefix}-{number}",
            WeightedAgent(f"{title}, {label}", {**base, **weights}),
            games=games,
            quick_games=quick_games,
            rules=rules,
        )
        for prefix, title, base, games, quick_games, rules in (
            ("tie", "dellacherie", load_weighted_agent("dellacherie").weights, 4000, 800, "standard-10x10"),
            ("start", "first policy", FIRST_POLICY, 20_000, 2000, "standard"),
        )
        for number, (label, weights) in enumerate(TIE_BREAKS.items())
    ),
    *(
        GameMeasurement(
            f"{name}-alternating", name, 1, 1, "standard:randomiser=alternating-sz", max_pieces=BURGIEL_MAX_PIECES
        )
        for name in CONTROLLERS
    ),
    *(GameMeasurement(f"{name}-sz", name, 10_000, 500, "standard:randomiser=sz") for name in CONTROLLERS),
    *(
        TrainingMeasurement(
            f"cross-entropy-{noise}",
            "cross-entropy",
            seed_count=seed_count,
            quick_seed_count=3,
            changes=(f"cross-entropy.noise={noise}", "validation.every=10", "validation.final_games=30"),
            quick_changes=("generations=15", "validation.every=5"),
        )
        for noise, seed_count in SEED_COUNTS.items()
    ),
    CustomMeasurement("wells", measure_fast_wells),
    CustomMeasurement("rounding", measure_rounding),
]

# Functions of expressions


def long_games(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean lines of long games, whose standard deviation is their mean, as that of exponential lengths."""
    measured = mean_lines(data)
    return replace(measured, standard_deviation=measured.value)


def games_on_gpu(agent: str = "") -> list[dict[str, Any]]:
    """Return the capped games on 10×20 that a GPU has played, of all controllers or of one."""
    runs = json.loads(files(__package__).joinpath("gpu_games.json").read_text("utf-8"))["runs"]
    return [{**run, "lines": restore_lines(run)} for run in runs if agent in ("", run["agent"])]


def splitting_to_games(*splittings: Mapping[str, Any]) -> list[MeasuredValue]:
    """Return the mean of each controller by splitting, divided by that of games on a GPU."""
    return [ratio(mean_lines(data), games_on_gpu(data["agent"])[0]["lines"]) for data in splittings]


def spread(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the standard deviation of the lines divided by their mean; 1 for an exponential distribution.

    For n exponentially distributed numbers, the logarithm of this ratio has a variance of about 1 / n (delta method).
    """
    value = data["lines"]["deviation"] / data["lines"]["played"]
    factor = math.exp(NORMAL_QUANTILE / math.sqrt(data["games"]))
    return MeasuredValue(value, (value / factor, value * factor), basis=format_count(data["games"], "game"))


def row_factor(more: MeasuredValue, fewer: MeasuredValue, rows: int) -> MeasuredValue:
    """Return the factor in lines per additional row, from two boards that differ by a number of rows."""
    whole = ratio(more, fewer)
    if whole.value is None:
        return whole
    low, high = (end ** (1 / rows) for end in whole.interval)
    return MeasuredValue(whole.value ** (1 / rows), (low, high), basis=whole.basis)


def last_generation(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean over runs of the lines of the mean weights after the last generation of the logs."""
    runs = [run["metrics"]["validation"] for run in data["runs"]]
    means = np.array([[lines for lines in run if lines is not None][-1] for run in runs])
    measured = MeasuredValue(float(means.mean()), compute_mean_interval(means), basis=format_count(len(runs), "run"))
    if len(runs[0]) < _LOGGED_GENERATIONS:
        reason = f"a quick reproduction ends after {len(runs[0])} of {_LOGGED_GENERATIONS} generations"
        return MeasuredValue(text=f"{measured} after {len(runs[0])} generations", basis=reason)
    return measured


def ratios_to_mdptetris(*games: Mapping[str, Any]) -> list[MeasuredValue]:
    """Return the ratio of our mean lines on 10×10 to the mean of MdpTetris, in the order of its means."""
    theirs = [MeasuredValue(mean, interval) for mean, interval in MDP_TETRIS_MEANS.values()]
    return [ratio(mean_lines(ours), mean) for ours, mean in zip(games, theirs, strict=True)]


FUNCTIONS: Sequence[Callable[..., Any]] = (
    *(long_games, games_on_gpu, splitting_to_games, spread, row_factor, last_generation, ratios_to_mdptetris),
)
