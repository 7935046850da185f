"""Write the example output and plot of `tetrion bench` for the documentation: python -m benchmarks.example."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from tetrion.evaluation.machine import get_processor_name

ROOT = Path(__file__).parents[1]
PLOT_FILE = "docs/pictures/distributions.svg"
ARGUMENTS = "bench ce-bertsekas el-tetris dt10 --rules standard-10x10 --precision 5% --lines 20000"


def main() -> None:
    """Run the command in a terminal of 80 columns and save its output."""
    command = [sys.executable, "-m", "tetrion", *ARGUMENTS.split(), "--plot", PLOT_FILE]
    environment = os.environ | {"TTY_COMPATIBLE": "1", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    result = {
        "command": f"tetrion {ARGUMENTS} --plot {Path(PLOT_FILE).name}",
        "date": datetime.now(UTC).date().isoformat(),
        "processor": get_processor_name(),
        "printed": done.stdout,
    }
    file = ROOT / "benchmarks" / "results" / "bench.json"
    file.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
