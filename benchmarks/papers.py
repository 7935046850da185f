"""The full reproductions, and their pages in the documentation: python -m benchmarks.papers [NAME...].

A paper is measured into its folder under runs/papers, where a stopped one goes on; then its page and figures go to
docs/papers and its rows to benchmarks/results/papers. `--measure` alone needs no library that draws.
"""

import argparse
import shutil
from pathlib import Path

from tetrion.evaluation import threads
from tetrion.lab.papers import PAPERS, paper
from tetrion.lab.reproduction.reproducing import reproduce
from tetrion.lab.reproduction.writing import FIGURES, JSON, MARKDOWN, write_report

ROOT = Path(__file__).parents[1]
OUT, PAGES, RESULTS = ROOT / "runs" / "papers", ROOT / "docs" / "papers", ROOT / "benchmarks" / "results" / "papers"


def publish(name: str, folder: Path) -> None:
    """Copy a report into the documentation, and its rows to the results."""
    (PAGES / FIGURES).mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    for old in (PAGES / FIGURES).glob(f"{name}-*.svg"):
        old.unlink()
    for figure in (folder / FIGURES).glob(f"{name}-*.svg"):
        shutil.copy(figure, PAGES / FIGURES)
    shutil.copy(folder / MARKDOWN, PAGES / f"{name}.md")
    shutil.copy(folder / JSON, RESULTS / f"{name}.json")


def main() -> None:
    """Measure what is asked for, and publish it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PAPERS))
    parser.add_argument("--out", type=Path, default=OUT, help="where papers are measured")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--measure", action="store_true", help="measure and nothing else")
    given = parser.parse_args()
    with threads(given.workers) as team:
        for name in given.names or PAPERS:
            folder = given.out / name
            found = reproduce(paper(name), folder, team)
            print(f"{name}: {sum(row.agrees for row in found.rows)} of {len(found.rows)} rows agree", flush=True)
            if not given.measure:
                write_report(found, folder)
                publish(name, folder)


if __name__ == "__main__":
    main()
