"""Full reproductions and their pages in the documentation: python -m benchmarks.papers [NAME...].

A paper is measured into its folder under runs/papers, where an interrupted reproduction is resumed; its page and
figures are copied to docs/papers and its rows to benchmarks/results/papers. `--measure` needs no plotting library.
"""

import argparse
import shutil
from contextlib import nullcontext
from pathlib import Path

from tetrion.evaluation import open_gpu, start_threads
from tetrion.evaluation.gpu import DEVICES
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.report_files import FIGURES_FOLDER, JSON_REPORT_FILE, MARKDOWN_REPORT_FILE, write_report
from tetrion.lab.reproduction.reproduction import describe_verdicts, reproduce

ROOT = Path(__file__).parents[1]
DEFAULT_FOLDER = ROOT / "runs" / "papers"
PAGES_FOLDER = ROOT / "docs" / "papers"
RESULTS_FOLDER = ROOT / "benchmarks" / "results" / "papers"


def publish_report(name: str, folder: Path) -> None:
    """Copy a report into the documentation, and its rows to the results."""
    (PAGES_FOLDER / FIGURES_FOLDER).mkdir(parents=True, exist_ok=True)
    RESULTS_FOLDER.mkdir(parents=True, exist_ok=True)
    for old_figure in (PAGES_FOLDER / FIGURES_FOLDER).glob(f"{name}-*.svg"):
        old_figure.unlink()
    for figure in (folder / FIGURES_FOLDER).glob(f"{name}-*.svg"):
        shutil.copy(figure, PAGES_FOLDER / FIGURES_FOLDER)
    shutil.copy(folder / MARKDOWN_REPORT_FILE, PAGES_FOLDER / f"{name}.md")
    shutil.copy(folder / JSON_REPORT_FILE, RESULTS_FOLDER / f"{name}.json")


def main() -> None:
    """Reproduce the given papers, or all, and publish the reports."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PAPER_NAMES))
    parser.add_argument("--out", type=Path, default=DEFAULT_FOLDER, help="folder of the measurements")
    parser.add_argument("--workers", type=int, help="number of threads (default: all cores)")
    parser.add_argument("--measure", action="store_true", help="measure only, without reports")
    parser.add_argument("--device", choices=DEVICES, default="cpu", help="device that plays the longest games")
    options = parser.parse_args()
    with start_threads(options.workers) as threads, open_gpu() if options.device == "cuda" else nullcontext() as gpu:
        for name in options.names or PAPER_NAMES:
            folder = options.out / name
            reproduction = reproduce(load_paper(name), folder, threads, gpu=gpu)
            print(f"{name}: {describe_verdicts(reproduction.rows)}", flush=True)
            if not options.measure:
                write_report(reproduction, folder)
                publish_report(name, folder)


if __name__ == "__main__":
    main()
