"""Measurements of the controllers of the literature: games on several boards, causes of differences, trainings."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.evaluation import evaluate_by_splitting
from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, compute_mean_interval
from tetrion.evaluation.number_format import format_count
from tetrion.papers.literature.published_results import MDP_TETRIS_MEANS
from tetrion.papers.literature.wells import make_fast_wells_agent
from tetrion.papers.measured_values import MeasuredValue, mean_lines, ratio, restore_lines
from tetrion.papers.measurements import (
    QUICK_REPLICATES,
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    SplittingMeasurement,
    TrainingMeasurement,
)

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
    result = evaluate_by_splitting(
        agent,
        rules,
        context.seed,
        precision=precision,
        replicates=QUICK_REPLICATES if context.is_quick else None,
        executor=context.workers,
        on_progress=context.on_progress,
    )
    if result.was_stopped:
        raise KeyboardInterrupt
    summary = result.to_json()
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
            f"tie-{number}",
            WeightedAgent(f"dellacherie, {label}", {**load_weighted_agent("dellacherie").weights, **weights}),
            games=4000,
            quick_games=800,
            rules="standard-10x10",
        )
        for number, (label, weights) in enumerate(TIE_BREAKS.items())
    ),
    *(
        GameMeasurement(
            f"start-{number}",
            WeightedAgent(f"first policy, {label}", {**FIRST_POLICY, **weights}),
            games=20_000,
            quick_games=2000,
            rules="standard",
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
