"""Full reproductions and their pages in the documentation: python -m benchmarks.papers [NAME...].

A paper is measured into its folder under runs/papers, where an interrupted reproduction is resumed; its pages and
figures are written to docs/papers and its values to benchmarks/results/papers. `--measure` needs no plotting library.
`--pages` writes the pages again from the saved values, after a change of a text.
"""

import argparse
import json
import shutil
from pathlib import Path

from tetrion.evaluation import start_threads
from tetrion.papers import PAPERS
from tetrion.papers.report import FIGURES_FOLDER, JSON_REPORT_FILE, render_index, render_pages, write_report
from tetrion.papers.reproduction import Reproduction, reproduce

ROOT = Path(__file__).parents[1]
DEFAULT_FOLDER = ROOT / "runs" / "papers"
PAGES_FOLDER = ROOT / "docs" / "papers"
RESULTS_FOLDER = ROOT / "benchmarks" / "results" / "papers"


def load_saved(name: str) -> Reproduction:
    """Return the full reproduction of a paper from its saved values."""
    content = json.loads((RESULTS_FOLDER / f"{name}.json").read_text("utf-8"))
    return Reproduction.from_json(PAPERS[name], content)


def publish_report(name: str, folder: Path) -> None:
    """Copy the figures of a report into the documentation, and its values to the results."""
    (PAGES_FOLDER / FIGURES_FOLDER).mkdir(parents=True, exist_ok=True)
    RESULTS_FOLDER.mkdir(parents=True, exist_ok=True)
    for old_figure in (PAGES_FOLDER / FIGURES_FOLDER).glob(f"{name}-*.svg"):
        old_figure.unlink()
    for figure in (folder / FIGURES_FOLDER).glob(f"{name}-*.svg"):
        shutil.copy(figure, PAGES_FOLDER / FIGURES_FOLDER)
    shutil.copy(folder / JSON_REPORT_FILE, RESULTS_FOLDER / f"{name}.json")


def make_pages() -> dict[Path, str]:
    """Return the text of every page, made from the saved values."""
    saved = {name: load_saved(name) for name in PAPERS}
    texts = {PAGES_FOLDER / "index.md": render_index(list(saved.values()))}
    for name, reproduction in saved.items():
        pages = render_pages(reproduction)
        texts[PAGES_FOLDER / f"{name}.md"] = pages.page
        texts[PAGES_FOLDER / f"{name}-results.md"] = pages.appendix
    return texts


def main() -> None:
    """Reproduce the given papers, or all, and publish the reports."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PAPERS))
    parser.add_argument("--out", type=Path, default=DEFAULT_FOLDER, help="folder of the measurements")
    parser.add_argument("--workers", type=int, help="number of threads (default: all cores)")
    parser.add_argument("--measure", action="store_true", help="measure only, without reports")
    parser.add_argument("--pages", action="store_true", help="measure nothing; write the pages from the saved values")
    options = parser.parse_args()
    names = () if options.pages else options.names or PAPERS
    with start_threads(options.workers) as threads:
        for name in names:
            folder = options.out / name
            reproduction = reproduce(PAPERS[name], folder, threads)
            print(f"{name}: measured", flush=True)
            if not options.measure:
                write_report(reproduction, folder)
                publish_report(name, folder)
    if not options.measure:
        for path, text in make_pages().items():
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
