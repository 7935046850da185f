"""Measurements of the controllers of the literature: games on several boards, causes of differences, trainings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.engine.bitboard import Outcome
from tetrion.engine.custom_features import CUSTOM_FEATURES, feature
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placing import STATUS_OVER
from tetrion.evaluation import evaluate_by_splitting
from tetrion.evaluation.confidence_intervals import (
    SampleArray,
)
from tetrion.papers.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    SplittingMeasurement,
    TrainingMeasurement,
    summarise_games,
)

BURGIEL_MAX_PIECES = 70_000  # alternating S and Z pieces end every game within this many pieces (Burgiel 1997)
CAP_SHARES = (0.1, 0.25, 0.5, 1.0)  # earlier caps, as shares of the cap
_LINES_PER_PIECE = 0.4  # four cells per piece, ten cells per line
_ENTRY_RULES = "standard:spawn_height=0,game_over=entry"  # a new piece must fit into the middle of the top rows
_GPU_GAMES = 262_144  # games at a time that keep a large GPU busy; their caps are chosen for 400 deaths or more
_LOGGED_GENERATIONS = 80  # of the logs of MdpTetris


class BoardBudget(NamedTuple):
    """Games on 10×20 and their limit of pieces, in a full and in a quick reproduction."""

    games: int
    max_pieces: int
    quick_games: int = 75
    quick_max_pieces: int = 200_000


CONTROLLERS = {
    "lee": BoardBudget(20_000, 10_000_000, 2000, 10_000_000),
    "ce-bertsekas": BoardBudget(1000, 10_000_000, 80, 10_000_000),
    "dellacherie": BoardBudget(_GPU_GAMES, 120_000, 100, 400_000),
    "el-tetris": BoardBudget(_GPU_GAMES, 90_000),
    "du": BoardBudget(_GPU_GAMES, 150_000),
    "dt10": BoardBudget(_GPU_GAMES, 175_000),
    "bdu": BoardBudget(_GPU_GAMES, 175_000),
    "dt20": BoardBudget(_GPU_GAMES, 260_000),
}
TIE_BREAKS = {  # label: weights that choose among equally good placements of Dellacherie's controller
    "first by orientation and column (default)": {},
    "more quarter turns": {"turns": 0.01},
    "lower highest cell": {"piece_top": 0.01},
    "higher highest cell": {"piece_top": -0.01},
    "nearer to the lowest column": {"lowest_column_distance": -0.01},
    "farther from the lowest column": {"lowest_column_distance": 0.01},
}
SEED_COUNTS = {"none": 10, "constant": 10, "decreasing": 5}  # noise; runs with decreasing noise play the longest games
PRINTED_AGENTS = ("dt10", "dt20")  # whose weights are known as printed, with two decimals
_PRINTED_DECIMALS = 2


@dataclass(frozen=True)
class CappedGameMeasurement(GameMeasurement):
    """Capped games, with what they would have shown under earlier caps."""

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Play the games and return their summary with the deaths under each cap."""
        result = self.play(context)
        cap = self.get_limits(context.is_quick)[1]
        workers = context.gpu if self.is_long and context.gpu else context.workers
        summary = summarise_games(result) | {"cap": cap}
        summary["time"] |= {"device": workers.description}
        if cap is not None:
            is_dead = result.per_game["status"] == STATUS_OVER
            summary["earlier_caps"] = count_deaths_under_caps(result.per_game["pieces"], is_dead, cap)
        return summary


def count_deaths_under_caps(pieces: SampleArray, is_dead: SampleArray, cap: int) -> list[dict[str, float]]:
    """Return the number of deaths and of pieces of the same games under earlier caps."""
    return [
        {
            "cap": earlier,
            "deaths": int(np.sum(is_dead & (pieces <= earlier))),
            "pieces": float(np.minimum(pieces, earlier).sum()),
        }
        for earlier in (int(share * cap) for share in CAP_SHARES)
    ]


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
    result = evaluate_by_splitting(
        agent, rules, context.seed, precision=precision, executor=context.workers, on_progress=context.on_progress
    )
    if result.was_stopped:
        raise KeyboardInterrupt
    summary = result.to_json()
    return {key: summary[key] for key in ("method", "lines", "pieces_played")}


def measure_fast_wells(context: MeasurementContext) -> dict[str, Any]:
    """Measure the controllers of Scherrer et al. with the feature that they used, and with Dellacherie's."""
    small, large = (0.2, 0.5) if context.is_quick else (0.02, 0.06)
    return {
        name: {
            f"{kind}_{board}": split(context, agent, rules, precision)
            for kind, agent in (("fast", make_fast_wells_agent(name)), ("own", load_weighted_agent(name)))
            for board, rules, precision in (("10x10", "standard-10x10", small), ("10x20", "standard", large))
        }
        for name in PRINTED_AGENTS
    }


def measure_rounding(context: MeasurementContext) -> dict[str, Any]:
    """Measure controllers whose weights would have been printed alike, on 10×20."""
    count, precision = (2, 0.5) if context.is_quick else (12, 0.12)
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
        CappedGameMeasurement(
            f"{name}-10x20",
            name,
            games=budget.games,
            quick_games=budget.quick_games,
            rules="standard",
            max_pieces=budget.max_pieces,
            quick_max_pieces=budget.quick_max_pieces,
            is_long=budget.games == _GPU_GAMES,
        )
        for name, budget in CONTROLLERS.items()
    ),
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
    SplittingMeasurement("dellacherie-10x19", "dellacherie", "standard:height=19", 0.05, 0.4),
    SplittingMeasurement("du-10x16", "du", "standard:height=16", 0.05, 0.4),
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

FUNCTIONS: Sequence[Callable[..., Any]] = ()
