"""Tests of every paper: its quick reproduction is complete, and its pages show the saved values."""

import re
from pathlib import Path

import pytest

from benchmarks.papers import load_saved, make_pages
from tetrion.evaluation import start_threads
from tetrion.papers import DOCUMENT_NAMES, PAPERS
from tetrion.papers.judging import Verdict
from tetrion.papers.report import write_report
from tetrion.papers.reproduction import reproduce

ROOT = Path(__file__).parents[2]
MAX_PAGE_WORDS = 1000
MAX_CELL_WORDS = 10


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_quick_reproduction_gives_complete_report(name: str, tmp_path: Path) -> None:
    with start_threads() as workers:
        reproduction = reproduce(PAPERS[name], tmp_path / name, workers, quick=True)
    for row in reproduction.rows:
        assert row.measured
        assert row.reason.endswith(".")
        assert not row.reason[0].islower()
    assert write_report(reproduction, tmp_path / name).exists()


def test_pages_in_the_docs_show_the_saved_values() -> None:
    for path, text in make_pages().items():
        assert path.read_text("utf-8") == text, "python -m benchmarks.papers --pages"


@pytest.mark.parametrize("name", PAPERS)
def test_page_begins_with_the_verdict_and_is_short(name: str) -> None:
    reproduction = load_saved(name)
    page = (ROOT / "docs" / "papers" / f"{name}.md").read_text("utf-8")
    assert reproduction.rows
    assert len(page.split()) < MAX_PAGE_WORDS
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert headings[:2] == ["Verdict" if name in DOCUMENT_NAMES else "Finding", "Central results"]
    assert headings[-1] == "All results"
    for row in reproduction.central_rows:
        assert len(row.central) == 3
        assert all(len(cell.split()) <= MAX_CELL_WORDS for cell in row.central), row.name
    for figure in re.findall(r"!\[[^]]*\]\((figures/[^)]+)\)", page):
        assert (ROOT / "docs" / "papers" / figure).exists()


def test_one_fact_has_one_verdict() -> None:
    """A claim of two papers that is measured by the same agent has the same verdict on both pages."""
    verdicts: dict[tuple[str, str], set[Verdict]] = {}
    for name in PAPERS:
        for row in load_saved(name).rows:
            verdicts.setdefault((row.statement, row.published), set()).add(row.verdict)
    assert [fact for fact, found in verdicts.items() if len(found) > 1] == []
