"""Attack of agents in modern games: python -m benchmarks.modern (a few minutes on two cores).

The rules are those of the measurements of Cold Clear 2 that are published with its name: 7-bag, hold, five previews, no
garbage, and the attack of libtetris.
"""

from collections.abc import Sequence
from time import process_time
from typing import Any

from benchmarks.common import RESULTS_FOLDER, format_table, make_result, save_result
from tetrion.evaluation import evaluate
from tetrion.evaluation.number_format import format_mean_interval

RULES = "guideline:attack=libtetris"
AGENTS = (
    "modern-1",
    "modern-1:depth=2",
    "modern-1:depth=5,beam=50",
    "modern-1:depth=6,beam=400",
    "dellacherie",
    "dellacherie:depth=2",
)
GAMES, MAX_PIECES, SEED = 100, 1000, 1
SEARCH_GAMES = 20  # of agents with a beam, which are slower
SHOWN_RATES = ("attack per piece", "attack per line", "tetrises", "spin doubles", "back-to-backs", "perfect clears")


def format_modern(result: Any) -> str:
    """Return the table of the agents' rates."""
    return format_rates(result, SHOWN_RATES)


def format_modern_short(result: Any) -> str:
    """Return the table of the agents' attack per piece."""
    return format_rates(result, SHOWN_RATES[:1])


def format_rates(result: Any, names: Sequence[str]) -> str:
    """Return the table of some rates of the agents."""
    headers = [name if name.startswith("attack") else f"{name} per 1,000 pieces" for name in names]
    rows = []
    for row in result["rows"]:
        rates = [row["modern"][name] for name in names]
        cells = [format_mean_interval(rate["mean"], rate["ci95"] and tuple(rate["ci95"])) for rate in rates]
        time = f"{row['ms_per_piece']:.2g}"
        rows.append([f"`{row['agent']}`", *cells, time, f"{row['deaths']} of {row['games']}"])
    table = format_table(["agent", *headers, "ms per piece", "deaths"], rows)
    games = f"Games of at most {MAX_PIECES:,} pieces under `{RULES}`; processor time"
    return f"{table}\n{games}. Measured with `{result['command']}` ({result['date']})\n"


def measure_agent(agent: str) -> dict[str, Any]:
    """Return the results of an agent's games, and the processor time for each piece."""
    evaluate(agent, RULES, 1, SEED, max_pieces=1)  # loads the compiled functions
    start = process_time()
    evaluation = evaluate(agent, RULES, SEARCH_GAMES if "beam" in agent else GAMES, SEED, max_pieces=MAX_PIECES)
    seconds = process_time() - start
    pieces = evaluation.pieces_per_second * evaluation.seconds
    return {**evaluation.to_json(), "ms_per_piece": 1000 * seconds / pieces}


def main() -> None:
    """Measure all agents and write the results."""
    rows = [measure_agent(agent) for agent in AGENTS]
    result = make_result("python -m benchmarks.modern", processor=None, rows=rows)
    save_result(RESULTS_FOLDER / "modern.json", result, prints=False)
    print(format_modern(result))


if __name__ == "__main__":
    main()
