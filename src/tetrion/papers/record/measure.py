"""The agents of the record: whole games on low boards, splitting on high ones, and results that a GPU measured."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

from tetrion.engine.patterns import PATTERNS
from tetrion.evaluation.confidence_intervals import compute_censored_interval
from tetrion.papers.measured_values import MeasuredValue, mean_lines, ratio, restore_lines
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
TETR_AI = "tetr-ai"  # the best open program known to us
TRAINING_RUNS_FILE = "training_runs.json"  # `python -m benchmarks.record_runs` collects them
_GAMES_FILE, _PRIOR_WORK_FILE = "whole_games.json", "prior_work.json"
_ABLATION_SETTINGS = frozenset({"patterns", "stages"})
_STAGES = {"space": "free rows", "holes": "rows with holes"}
_SEARCH_RULES = f"standard:height={SEARCH_HEIGHT}"


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


def load_saved_results(file_name: str) -> dict[str, Any]:
    """Return results that a GPU measured, such as training runs or whole games, or the work of others."""
    results: dict[str, Any] = json.loads(files(__package__).joinpath(file_name).read_text("utf-8"))
    return results


def find_published_lines(board: str) -> dict[str, float]:
    """Return the published means on a board, by agent."""
    lines: dict[str, float] = load_saved_results(_PRIOR_WORK_FILE)["published"][board]
    return lines


def is_ablation(run: Mapping[str, Any]) -> bool:
    """Return whether a run was trained without some of the patterns or stages."""
    return not _ABLATION_SETTINGS.isdisjoint(run["changes"])


def describe_ablation(run: Mapping[str, Any]) -> str:
    """Describe what a run was trained without."""
    changes = run["changes"]
    if "patterns" in changes:
        return " and ".join(f"`{name}`" for name in PATTERNS if name not in changes["patterns"])
    return "stages by " + " and ".join(text for name, text in _STAGES.items() if name not in changes["stages"])


# Functions of expressions


def games_on_gpu(agent: str = "") -> list[dict[str, Any]]:
    """Return the runs of capped games on 10×20 that a GPU has played, of all agents or of one."""
    runs = load_saved_results(_GAMES_FILE)["runs"]
    return [{**run, "lines": restore_lines(run)} for run in runs if agent in ("", run["agent"])]


def whole_games(agent: str) -> MeasuredValue:
    """Return the lines per death of an agent in all these games."""
    runs = games_on_gpu(agent)
    deaths = sum(run["deaths"] for run in runs)
    lines = sum(run["mean"] * run["deaths"] for run in runs)
    saved = {"mean": lines / deaths, "ci95": compute_censored_interval(lines, deaths)}
    return restore_lines(saved, f"{deaths} deaths; censored mean")


def independent_games(agent: str, board: str) -> MeasuredValue:
    """Return the lines per death of an agent in the games of the independent program, or of another learner of ours."""
    games_of_all = load_saved_results(_PRIOR_WORK_FILE)["games"]
    found = next(games for games in games_of_all if (games["agent"], games["board"]) == (agent, board))
    return restore_lines(found, f"{found['deaths']:,} deaths" if "deaths" in found else "")


def prior_works() -> list[dict[str, str]]:
    """Return the works of others: game, lines, method, and what of the work we have read."""
    works: list[dict[str, str]] = load_saved_results(_PRIOR_WORK_FILE)["works"]
    return works


def training_runs(recipe: str = "") -> list[dict[str, Any]]:
    """Return the training runs of all recipes, or of one recipe with its own settings, with their held-out lines."""
    return [
        {key: run[key] for key in ("command", "pieces", "seconds")}
        | {"lines": restore_lines(run["held_out"], f"{run['held_out']['deaths']:,} deaths")}
        for run in load_saved_results(TRAINING_RUNS_FILE)["runs"]
        if (run["recipe"] == recipe and not run["changes"] if recipe else not is_ablation(run))
    ]


def ablations() -> list[dict[str, Any]]:
    """Return the runs without a pattern or stages, each with its ratio to the run that has all of them."""
    runs = load_saved_results(TRAINING_RUNS_FILE)["runs"]
    without = [run for run in runs if is_ablation(run)]
    settings = {key: value for key, value in without[0]["changes"].items() if key not in _ABLATION_SETTINGS}
    searched = without[0]["recipe"], without[0]["seed"], settings
    complete = next(run for run in runs if (run["recipe"], run["seed"], run["changes"]) == searched)
    whole = restore_lines(complete["held_out"])
    rows = [{"without": "–", "lines": whole, "ratio": "1"}]
    for run in without:
        lines = restore_lines(run["held_out"])
        rows.append({"without": describe_ablation(run), "lines": lines, "ratio": factor(lines, whole)})
    return rows


def trials(recipe: str = "") -> list[dict[str, Any]]:
    """Return the measured runs with other seeds and settings, of all recipes or of one."""
    rows = load_saved_results(_GAMES_FILE)["trials"]
    return [{**row, "lines": restore_lines(row)} for row in rows if recipe in ("", row["recipe"])]


def factor(lines: MeasuredValue, reference: MeasuredValue) -> MeasuredValue:
    """Return lines divided by others, as “2.1 ± 0.1”, or “1” if they are the same."""
    return MeasuredValue(1, text="1") if lines == reference else replace(ratio(lines, reference), text="")


def agents(tetrion_1: Mapping[str, Any], **published: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one row per agent: lines on both boards and in games on a GPU, with factors relative to dt20."""
    groups = {
        RECORD_10X10: {"10x10": tetrion_1["10x10_10x10"]},
        RECORD_10X20: {"10x20": tetrion_1["10x20"]},
        **published,
    }
    columns = {
        "ten": {name: mean_lines(group["10x10"]) for name, group in groups.items() if "10x10" in group},
        "twenty": {name: mean_lines(group["10x20"]) for name, group in groups.items() if "10x20" in group},
        "games": {name: whole_games(name) for name in (RECORD_10X20, "dt20")},
    }
    rows: list[dict[str, Any]] = []
    for agent in groups:
        rows.append({"agent": agent, "deaths": sum(run["deaths"] for run in games_on_gpu(agent)) or "–"})
        for key, lines in columns.items():
            found = lines.get(agent)
            rows[-1] |= {key: found or "–", f"{key}_factor": factor(found, lines["dt20"]) if found else "–"}
    return rows


def beside_tetr_ai() -> list[dict[str, Any]]:
    """Return one row per board: lines of ours and of tetr-ai in the games of the independent program."""
    rows = []
    for agent, board in ((RECORD_10X10, "10x10"), (RECORD_10X20, "10x20")):
        ours, theirs = (independent_games(name, board) for name in (agent, TETR_AI))
        deaths = f"{ours.basis} and {theirs.basis}".replace(" deaths", "")
        row = {"board": board.replace("x", "×"), "agent": agent, "deaths": deaths}
        rows.append({**row, "ours": ours, "theirs": theirs, "factor": factor(ours, theirs)})
    return rows


FUNCTIONS: Sequence[Callable[..., Any]] = (
    *(games_on_gpu, whole_games, independent_games, prior_works, training_runs),
    *(ablations, trials, factor, agents, beside_tetr_ai),
)
