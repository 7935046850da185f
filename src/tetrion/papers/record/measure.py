"""The agents of the record and how they are measured: whole games on low boards, splitting on high ones."""

import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from tetrion.papers.measurements import GameMeasurement, Measurement, SplittingMeasurement

RECORD_10X10 = "tetrion-1-10x10"
RECORD_10X20 = "tetrion-1"
PUBLISHED_AGENTS = ("dt20", "dt10", "du", "dellacherie")
SPLITTING_HEIGHTS = (14, 16, 18, 20)
CHECK_HEIGHT = 12  # the board on which splitting is compared with whole games of tetrion-1
SEARCH_HEIGHT = 8  # a board on which games with a known next piece end
SEARCH_AGENTS = (RECORD_10X10, "dt20", "dellacherie")
RETRAINED_AGENTS = {
    "two-pieces": "tetrion-1-two-pieces",
    "expect": "tetrion-1-expect",
}  # by the search they learned with
TRAINING_RUNS_FILE = "training_runs.json"  # `python -m benchmarks.record_runs` collects them
_SEARCH_RULES = f"standard:height={SEARCH_HEIGHT}"


def load_saved_results(file_name: str) -> dict[str, Any]:
    """Return results that a GPU measured, such as training runs or whole games, or the work of others."""
    results: dict[str, Any] = json.loads(files(__package__).joinpath(file_name).read_text("utf-8"))
    return results


def sum_whole_games(agent: str) -> tuple[float, int]:
    """Return the numbers of lines and of deaths in all capped games of an agent on 10×20 that a GPU has played."""
    runs = [run for run in load_saved_results("whole_games.json")["runs"] if run["agent"] == agent]
    return sum(run["lines"]["mean"] * run["deaths"] for run in runs), sum(run["deaths"] for run in runs)


def get_precision(agent: str) -> float:
    """Return the precision of splitting on 10×20; that of Dellacherie is compared with a published value."""
    return 0.05 if agent == "dellacherie" else 0.1


MEASUREMENTS: Sequence[Measurement] = [
    *(
        GameMeasurement(f"{agent}-10x10", agent, 20_000, 200, "standard:height=10")
        for agent in (RECORD_10X10, *PUBLISHED_AGENTS)
    ),
    GameMeasurement(
        f"{RECORD_10X20}-10x{CHECK_HEIGHT}-whole", RECORD_10X20, 400, 20, f"standard:height={CHECK_HEIGHT}"
    ),
    SplittingMeasurement(
        f"{RECORD_10X20}-10x{CHECK_HEIGHT}-splitting", RECORD_10X20, f"standard:height={CHECK_HEIGHT}", 0.1, 0.3
    ),
    *(
        SplittingMeasurement(f"{agent}-10x{rows}", agent, f"standard:height={rows}", get_precision(agent), 0.4)
        for agent in (RECORD_10X20, *PUBLISHED_AGENTS)
        for rows in (SPLITTING_HEIGHTS if agent in (RECORD_10X20, "dt20") else (20,))
    ),
    *(GameMeasurement(f"{agent}-one-piece", f"{agent}:depth=1", 2000, 50, _SEARCH_RULES) for agent in SEARCH_AGENTS),
    *(
        GameMeasurement(f"{agent}-expect", f"{agent}:expect=1", 400, 8, _SEARCH_RULES)
        for agent in (*SEARCH_AGENTS, RETRAINED_AGENTS["expect"])
    ),
    *(
        SplittingMeasurement(f"{agent}-two-pieces", f"{agent}:depth=2", f"{_SEARCH_RULES},preview=1", 0.1, 0.4)
        for agent in (*SEARCH_AGENTS, RETRAINED_AGENTS["two-pieces"])
    ),
]

FUNCTIONS: Sequence[Callable[..., Any]] = ()
