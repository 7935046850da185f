"""Compare `bench --splitting` with whole games: python -m benchmarks.splitting [AGENT...].

Splitting is repeated with other seeds, which shows how often its confidence intervals contain the mean. Whole games on
the small board are played here; those on the standard board were played on a GPU, and their result is in the package.
All agents take about 40 minutes on one core; if some are named, the results of the others stay.
"""

import argparse
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import RESULTS_FOLDER, format_table, load_result, make_result, save_result
from tetrion.evaluation import SplittingEvaluation, evaluate, evaluate_by_splitting
from tetrion.evaluation.confidence_intervals import compute_censored_interval, compute_mean_interval
from tetrion.evaluation.number_format import format_mean_interval, format_number
from tetrion.evaluation.splitting import MeanEstimate
from tetrion.papers.literature import measure as literature
from tetrion.papers.record import measure as record

SMALL_BOARD = "standard-10x10"
WHOLE_GAMES = 30_000
WHOLE_GAMES_SEED = 101
FIRST_SEED = 5000  # of the repetitions
PIECES_PER_LINE = 2.5
_MILLION = 10**6


class Case(NamedTuple):
    """An agent, its rules, and the number of repetitions of splitting."""

    agent: str
    rules: str
    repetitions: int


CASES = (
    Case("du", SMALL_BOARD, 100),
    Case("dt10", SMALL_BOARD, 100),
    Case("dt20", SMALL_BOARD, 100),
    Case("dellacherie", "standard", 60),
    Case("du", "standard", 30),
    Case("dt20", "standard", 20),
    Case("tetrion-1", "standard", 30),
)


class WholeGames(NamedTuple):
    """The mean number of lines in whole games, and the pieces that these took."""

    lines: MeanEstimate
    deaths: int
    pieces: float


def measure_whole_games(case: Case) -> WholeGames:
    """Play whole games on the small board, or return the result in the package."""
    if case.rules != SMALL_BOARD:
        paper = record if case.agent == record.RECORD_10X20 else literature
        runs = paper.games_on_gpu(case.agent)
        deaths = sum(run["deaths"] for run in runs)
        all_lines = sum(run["mean"] * run["deaths"] for run in runs)
        estimate = MeanEstimate(all_lines / deaths, compute_censored_interval(all_lines, deaths))
        return WholeGames(estimate, deaths, PIECES_PER_LINE * all_lines)
    result = evaluate(case.agent, case.rules, WHOLE_GAMES, WHOLE_GAMES_SEED)
    lines = MeanEstimate(result.lines.mean, result.lines.ci95)
    return WholeGames(lines, result.deaths, float(result.per_game["pieces"].sum()))


def summarise(case: Case, whole: WholeGames, repetitions: Sequence[SplittingEvaluation]) -> dict[str, Any]:
    """Return the comparison as JSON data."""
    rates = 1 / np.array([result.lines.mean for result in repetitions])
    low, high = compute_mean_interval(rates) or (0.0, 0.0)
    mean = 1 / float(rates.mean())
    precision = float(np.mean([result.lines.precision for result in repetitions]))
    pieces = float(np.mean([result.pieces_played for result in repetitions]))
    whole_cost = whole.pieces * whole.lines.precision**2
    return {
        "agent": case.agent,
        "rules": case.rules,
        "whole_games": {"mean": whole.lines.mean, "ci95": whole.lines.ci95, "deaths": whole.deaths},
        "whole_games_pieces": whole.pieces,
        "repetitions": len(repetitions),
        "mean": mean,
        "ci95": [1 / high, 1 / low],
        "precision": precision,
        "pieces": pieces,
        "cost_ratio": whole_cost / (pieces * precision**2),
        "contain_mean": sum(result.lines.ci95[0] <= mean <= result.lines.ci95[1] for result in repetitions),
    }


def format_splitting(result: Any) -> str:
    """Return the table that compares splitting with whole games."""
    headers = [
        "agent and rules",
        "whole games: lines per game",
        "deaths",
        "pieces",
        "splitting: lines per game, all repetitions",
        "interval of one",
        "pieces of one",
        "fewer pieces for equal intervals, factor",
        "intervals that contain the mean",
    ]
    rows = [
        [
            f"`{row['agent']}`, `{row['rules']}`",
            format_lines(row["whole_games"]),
            f"{row['whole_games']['deaths']:,}",
            format_number(row["whole_games_pieces"], millions_threshold=_MILLION),
            format_lines(row),
            f"± {100 * row['precision']:.1f} %",
            format_number(row["pieces"], millions_threshold=_MILLION),
            format_number(row["cost_ratio"], 0 if row["cost_ratio"] >= 10 else 1),
            f"{row['contain_mean']} of {row['repetitions']}",
        ]
        for row in result["rows"]
    ]
    return format_table(headers, rows) + f"\nMeasured with `{result['command']}` ({result['date']})\n"


def format_lines(row: Any) -> str:
    """Format a mean with its interval, large ones in millions."""
    return format_mean_interval(row["mean"], tuple(row["ci95"]), millions_threshold=_MILLION)


def main() -> None:
    """Measure all cases, or those of the given agents, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    agents = list(dict.fromkeys(case.agent for case in CASES))
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=", ".join(agents))
    chosen = parser.parse_args().agents or agents
    if unknown := set(chosen) - set(agents):
        parser.error(f"expected some of {', '.join(agents)}; given {', '.join(sorted(unknown))}")
    rows = {(row["agent"], row["rules"]): row for row in load_result("splitting")["rows"]}
    for case in CASES:
        if case.agent in chosen:
            repetitions = [
                evaluate_by_splitting(case.agent, case.rules, FIRST_SEED + number) for number in range(case.repetitions)
            ]
            rows[case.agent, case.rules] = summarise(case, measure_whole_games(case), repetitions)
            print(json.dumps(rows[case.agent, case.rules]), flush=True)
    result = make_result("python -m benchmarks.splitting", processor=None, rows=list(rows.values()))
    save_result(RESULTS_FOLDER / "splitting.json", result, prints=False)


if __name__ == "__main__":
    main()
