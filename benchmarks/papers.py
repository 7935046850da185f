"""The full reproductions, and their pages in the documentation: python -m benchmarks.papers [NAME...].

A paper is measured into its folder under runs/papers, where a stopped one goes on; then its page and figures go to
docs/papers and its rows to benchmarks/results/papers. `--measure` alone needs no library that draws.
"""

import argparse
import shutil
from pathlib import Path

from tetrion.evaluation import start_threads
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.report_files import FIGURES_FOLDER, JSON_REPORT_FILE, MARKDOWN_REPORT_FILE, write_report
from tetrion.lab.reproduction.reproduction import reproduce

ROOT = Path(__file__).parents[1]
DEFAULT_FOLDER = ROOT / "runs" / "papers"
PAGES_FOLDER = ROOT / "docs" / "papers"
RESULTS_FOLDER = ROOT / "benchmarks" / "results" / "papers"


def publish_report(name: str, folder: Path) -> None:
    """Copy a report into the documentation, and its rows to the results."""
    (PAGES_FOLDER / FIGURES_FOLDER).mkdir(parents=True, exist_ok=True)
    RESULTS_FOLDER.mkdir(parents=True, exist_ok=True)
    for old in (PAGES_FOLDER / FIGURES_FOLDER).glob(f"{name}-*.svg"):
        old.unlink()
    for figure in (folder / FIGURES_FOLDER).glob(f"{name}-*.svg"):
        shutil.copy(figure, PAGES_FOLDER / FIGURES_FOLDER)
    shutil.copy(folder / MARKDOWN_REPORT_FILE, PAGES_FOLDER / f"{name}.md")
    shutil.copy(folder / JSON_REPORT_FILE, RESULTS_FOLDER / f"{name}.json")


def main() -> None:
    """Measure what is asked for, and publish it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PAPER_NAMES))
    parser.add_argument("--out", type=Path, default=DEFAULT_FOLDER, help="where papers are measured")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--measure", action="store_true", help="measure and nothing else")
    given = parser.parse_args()
    with start_threads(given.workers) as team:
        for name in given.names or PAPER_NAMES:
            folder = given.out / name
            found = reproduce(load_paper(name), folder, team)
            print(f"{name}: {sum(row.agrees for row in found.rows)} of {len(found.rows)} rows agree", flush=True)
            if not given.measure:
                write_report(found, folder)
                publish_report(name, folder)


if __name__ == "__main__":
    main()
