"""What benchmarks share: options, result files with the command, the date and the machine, and tables in Markdown."""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tetrion.evaluation.machine import get_processor_name

ROOT = Path(__file__).parents[1]
RESULTS_FOLDER = ROOT / "benchmarks" / "results"


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the option --json."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to this file")
    return parser


def describe_measurement() -> dict[str, Any]:
    """Return the date and the processor of a measurement that is made now."""
    return {"date": datetime.now(UTC).date().isoformat(), "processor": get_processor_name()}


def make_result(command: str, **content: Any) -> dict[str, Any]:
    """Return the content of a result file; `processor=None` omits the processor, on which nothing depends."""
    result = {"command": command, **describe_measurement(), **content}
    return {name: value for name, value in result.items() if value is not None}


def save_result(file: Path | None, result: object, *, prints: bool = True) -> None:
    """Print a result and write it to a file, if one is given."""
    text = json.dumps(result, indent=2, ensure_ascii=False)
    if prints:
        print(text)
    if file:
        file.write_text(text + "\n", encoding="utf-8")


def load_result(name: str) -> Any:
    """Return the content of a result file."""
    return json.loads((RESULTS_FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def format_table(headers: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; all columns except the first are right-aligned."""
    lines = [headers, ["---", *["---:"] * (len(headers) - 1)], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def format_left_aligned_table(headers: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table of texts."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [headers, ["---"] * len(headers), *rows])
