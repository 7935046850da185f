"""Write the example output and plot of `tetrion bench` for the documentation: python -m benchmarks.example."""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.common import RESULTS_FOLDER, ROOT, make_result, save_result

PLOT_FILE = "docs/pictures/distributions.svg"
ARGUMENTS = "bench ce-bertsekas el-tetris dt10 --rules standard-10x10 --precision 5% --lines 20000"


def main() -> None:
    """Run the command in a terminal of 80 columns and save its output."""
    command = [sys.executable, "-m", "tetrion", *ARGUMENTS.split(), "--plot", PLOT_FILE]
    environment = os.environ | {"TTY_COMPATIBLE": "1", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    result = make_result(f"tetrion {ARGUMENTS} --plot {Path(PLOT_FILE).name}", printed=done.stdout)
    save_result(RESULTS_FOLDER / "bench.json", result, prints=False)


if __name__ == "__main__":
    main()
