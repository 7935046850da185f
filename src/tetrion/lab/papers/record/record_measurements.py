"""The agents of the record and how they are measured: whole games on low boards, splitting on high ones."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

from tetrion.evaluation.confidence_intervals import compute_censored_interval
from tetrion.evaluation.number_format import format_count, format_mean_interval
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_mean,
    compute_ratio,
    parse_interval,
)
from tetrion.lab.reproduction.measurements import GameMeasurement, Measurement, SplittingMeasurement
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

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
TRAINING_RUNS_FILE = "training_runs.json"
WHOLE_GAMES_FILE = "whole_games.json"
_MILLION_LINES = 1e6
_GAMES_10X10 = 20_000
_QUICK_GAMES_10X10 = 200
_SEARCH_RULES = f"standard:height={SEARCH_HEIGHT}"
_CHECK_GAMES = 400
_QUICK_CHECK_GAMES = 20


def get_standard_rules(rows: int) -> str:
    """Return the standard rules with another number of rows."""
    return f"standard:height={rows}"


def name_search(agent: str, search: str) -> str:
    """Return the name of the measurement of an agent with a search, such as two pieces."""
    return f"{agent}-{search}"


RECORD_MEASUREMENTS: Sequence[Measurement] = [
    *(
        GameMeasurement(f"{agent}-10x10", agent, _GAMES_10X10, _QUICK_GAMES_10X10, get_standard_rules(10))
        for agent in (RECORD_10X10, *PUBLISHED_AGENTS)
    ),
    GameMeasurement(
        f"{RECORD_10X20}-10x{CHECK_HEIGHT}-whole",
        RECORD_10X20,
        _CHECK_GAMES,
        _QUICK_CHECK_GAMES,
        get_standard_rules(CHECK_HEIGHT),
    ),
    SplittingMeasurement(
        f"{RECORD_10X20}-10x{CHECK_HEIGHT}-splitting", RECORD_10X20, get_standard_rules(CHECK_HEIGHT), 0.1, 0.3
    ),
    *(
        SplittingMeasurement(f"{agent}-10x{rows}", agent, get_standard_rules(rows), 0.1, 0.4)
        for agent in (RECORD_10X20, *PUBLISHED_AGENTS)
        for rows in (SPLITTING_HEIGHTS if agent in (RECORD_10X20, "dt20") else (20,))
    ),
    *(
        GameMeasurement(name_search(agent, "one-piece"), f"{agent}:depth=1", 2000, 50, _SEARCH_RULES)
        for agent in SEARCH_AGENTS
    ),
    *(
        GameMeasurement(name_search(agent, "expect"), f"{agent}:expect=1", 400, 8, _SEARCH_RULES)
        for agent in (*SEARCH_AGENTS, RETRAINED_AGENTS["expect"])
    ),
    *(
        SplittingMeasurement(
            name_search(agent, "two-pieces"), f"{agent}:depth=2", f"{_SEARCH_RULES},preview=1", 0.1, 0.4
        )
        for agent in (*SEARCH_AGENTS, RETRAINED_AGENTS["two-pieces"])
    ),
]


def compute_lines(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean lines per game of a measurement by whole games or by splitting."""
    if data.get("method") == "splitting":
        basis = (
            f"splitting, {format_count(data['replicates'], 'replicate')}, {data['pieces_played'] / 1e6:,.0f} M pieces"
        )
        measured = MeasuredValue(data["lines"]["mean"], parse_interval(data["lines"]["ci95"]), basis=basis)
    else:
        measured = compute_mean(data)
    text = format_mean_interval(measured.value, measured.ci95, millions_threshold=_MILLION_LINES)
    return replace(measured, text=text)


def make_lines_reader(measurement: str) -> ValueReader:
    """Return a reader of the mean lines per game of a measurement."""
    return lambda results: compute_lines(results[measurement])


def load_saved_results(file_name: str) -> dict[str, Any]:
    """Return results that a GPU measured: training runs or whole games."""
    results: dict[str, Any] = json.loads(files(__package__).joinpath(file_name).read_text("utf-8"))
    return results


def load_training_runs() -> list[dict[str, Any]]:
    """Return the training runs of the recipes, which `python -m benchmarks.record_runs` collects."""
    runs: list[dict[str, Any]] = load_saved_results(TRAINING_RUNS_FILE)["runs"]
    return runs


def load_whole_games(agent: str) -> list[dict[str, Any]]:
    """Return the runs of an agent's whole games on 10×20 that a GPU played."""
    return [run for run in load_saved_results(WHOLE_GAMES_FILE)["runs"] if run["agent"] == agent]


def sum_whole_games(agent: str) -> tuple[float, int]:
    """Return the numbers of lines and of deaths in all these games."""
    runs = load_whole_games(agent)
    return sum(run["lines"]["mean"] * run["deaths"] for run in runs), sum(run["deaths"] for run in runs)


def read_whole_games(agent: str) -> MeasuredValue:
    """Return the lines of an agent in these games: all lines divided by all deaths."""
    runs = load_whole_games(agent)
    lines, deaths = sum_whole_games(agent)
    mean, interval = lines / deaths, compute_censored_interval(lines, deaths)
    commands = " and ".join(f"`{run['command']}`" for run in runs)
    basis = f"{deaths} deaths; censored mean; {commands} on an {runs[0]['device']}"
    text = format_mean_interval(mean, interval, millions_threshold=_MILLION_LINES)
    return MeasuredValue(mean, interval, basis=basis, text=text)


def check_splitting(results: MeasurementResults) -> MeasuredValue:
    """Check that splitting and whole games of tetrion-1 agree on a board where both are possible."""
    whole, split = (
        compute_lines(results[f"{RECORD_10X20}-10x{CHECK_HEIGHT}-{method}"]) for method in ("whole", "splitting")
    )
    return compare_methods(split, whole)


def check_whole_games(results: MeasurementResults) -> MeasuredValue:
    """Check that splitting agrees with the whole games of tetrion-1 on 10×20 that a GPU has played."""
    return compare_methods(compute_lines(results[f"{RECORD_10X20}-10x20"]), read_whole_games(RECORD_10X20))


def check_two_pieces(results: MeasurementResults) -> MeasuredValue:
    """Check that splitting agrees with the held-out games of the run that trained tetrion-1-two-pieces."""
    agent = RETRAINED_AGENTS["two-pieces"]
    run = next(run for run in load_training_runs() if run["recipe"] == "record-two-pieces" and not run["changes"])
    mean, interval = run["held_out"]["mean"], parse_interval(run["held_out"]["ci95"])
    basis = f"{run['held_out']['deaths']} deaths; censored mean; held-out games of `{run['command']}`"
    held_out = MeasuredValue(mean, interval, basis=basis, text=format_mean_interval(mean, interval))
    return compare_methods(compute_lines(results[name_search(agent, "two-pieces")]), held_out)


def compare_methods(split: MeasuredValue, whole: MeasuredValue) -> MeasuredValue:
    """Compare the means of splitting and of games that were played without it."""
    low, high = compute_ratio(split, whole).interval
    evidence = f"splitting {split.formatted}, games {whole.formatted} lines per game"
    return MeasuredValue(holds=low <= 1 <= high, evidence=evidence, text=evidence, basis=whole.basis)
