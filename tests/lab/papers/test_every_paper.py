"""Tests of every paper: its quick reproduction has complete rows, and its page shows the saved results."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tetrion.evaluation import start_threads
from tetrion.lab.page_templates import render_template
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.paper_definition import ResultTable
from tetrion.lab.reproduction.report_files import collect_report_values, write_report
from tetrion.lab.reproduction.reproduction import ClaimRow, reproduce

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPER_NAMES)
def test_quick_reproduction_gives_complete_report(name: str, tmp_path: Path) -> None:
    with start_threads() as workers:
        reproduction = reproduce(load_paper(name), tmp_path / name, workers, quick=True)
    assert reproduction.rows
    for row in reproduction.rows:
        assert row.measured
        assert row.reason.endswith(".")
        assert not row.reason[0].islower()
    assert all(answer for _, _, answer in reproduction.answers)
    assert write_report(reproduction, tmp_path / name).exists()


def set_rows(table: ResultTable, rows: list[list[str]]) -> ResultTable:
    """Return a table with these rows, whatever the results are."""
    return replace(table, make_rows=lambda results: rows)


def load_saved_reproduction(name: str) -> Any:
    """Return what the pages of a paper need of its reproduction, from the saved results."""
    saved = json.loads((ROOT / "benchmarks" / "results" / "papers" / f"{name}.json").read_text("utf-8"))
    paper = load_paper(name)
    saved_rows = {table["title"]: table["rows"] for table in saved["tables"]}
    tables = [set_rows(table, saved_rows[table.title]) for table in paper.tables]
    return SimpleNamespace(
        paper=replace(paper, tables=tables),
        seed=1,
        is_quick=False,
        results={},
        command=saved["command"],
        metadata=saved["made"],
        rows=[ClaimRow.from_json(row) for row in saved["rows"]],
        answers=[(answer["asked"], answer["where"], answer["answer"]) for answer in saved["answers"]],
    )


@pytest.mark.parametrize("name", PAPER_NAMES)
def test_page_in_the_docs_shows_the_saved_results(name: str) -> None:
    reproduction = load_saved_reproduction(name)
    figures = [
        {"title": figure.title, "caption": figure.caption, "path": f"figures/{name}-{figure.name}.svg"}
        for figure in reproduction.paper.figures
    ]
    page = render_template("reproduction.md.jinja", **collect_report_values(reproduction), figures=figures)
    assert page == (ROOT / "docs" / "papers" / f"{name}.md").read_text("utf-8"), f"python -m benchmarks.papers {name}"
