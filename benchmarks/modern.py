"""Attack of agents in modern games: python -m benchmarks.modern (a minute on two cores).

The rules are those of the measurements of Cold Clear 2 that are published with its name: 7-bag, hold, five previews, no
garbage, and the attack of libtetris.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.markdown_tables import format_table
from tetrion.evaluation import evaluate
from tetrion.evaluation.number_format import format_mean_interval

RESULT_FILE = Path(__file__).parent / "results" / "modern.json"
RULES = "guideline:attack=libtetris"
AGENTS = ("modern-1", "dellacherie", "dellacherie:depth=2")
GAMES, MAX_PIECES, SEED = 100, 1000, 1
SHOWN_RATES = ("attack per piece", "attack per line", "tetrises", "spin doubles", "back-to-backs", "perfect clears")


def format_modern(result: Any) -> str:
    """Return the table of the agents' rates."""
    headers = ["agent", *SHOWN_RATES[:2], *(f"{name} per 1,000 pieces" for name in SHOWN_RATES[2:]), "deaths"]
    rows = []
    for row in result["rows"]:
        rates = [row["modern"][name] for name in SHOWN_RATES]
        cells = [format_mean_interval(rate["mean"], rate["ci95"] and tuple(rate["ci95"])) for rate in rates]
        rows.append([f"`{row['agent']}`", *cells, f"{row['deaths']} of {row['games']}"])
    games = f"Games of at most {MAX_PIECES:,} pieces under `{RULES}`"
    return format_table(headers, rows) + f"\n{games}. Measured with `{result['command']}` ({result['date']})\n"


def main() -> None:
    """Measure all agents and write the results."""
    rows = [evaluate(agent, RULES, GAMES, SEED, max_pieces=MAX_PIECES).to_json() for agent in AGENTS]
    result = {"command": "python -m benchmarks.modern", "date": datetime.now(UTC).date().isoformat(), "rows": rows}
    RESULT_FILE.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(format_modern(result))


if __name__ == "__main__":
    main()
