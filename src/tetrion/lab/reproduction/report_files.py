"""The report files of a reproduction: an HTML page, a Markdown page with figures for the documentation, and JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tetrion.atomic_files import write_atomically
from tetrion.data_files import refuse_link
from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.page_templates import render_template
from tetrion.lab.reproduction.measurements import TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import ClaimKind, PaperFigure
from tetrion.lab.reproduction.reproduction import (
    NO_CLAIMS_TEXT,
    ClaimRow,
    Reproduction,
    describe_verdicts,
    explain_damaged_measurements,
    to_json_value,
    write_json,
)
from tetrion.lab.training_plots import Plot
from tetrion.lab.training_report import ChartImages, draw_chart
from tetrion.training.recipe import Recipe

HTML_REPORT_FILE = "report.html"
MARKDOWN_REPORT_FILE = "report.md"
JSON_REPORT_FILE = "report.json"
FIGURES_FOLDER = "figures"
_PAGE_FIGURE_SIZE = FigureSize(560, 360)  # in the HTML page
_FILE_FIGURE_SIZE = FigureSize(760, 420)


_READINGS_DESCRIPTION = (
    "The same claims under other readings, where the document is incomplete or contradicts itself. They are not "
    "counted: a reading that was found by its fit confirms nothing."
)
_OWN_DESCRIPTION = "What the document does not claim or does not compare in this way; not counted."
_OWN_STUDY_DESCRIPTION = (
    f"{NO_CLAIMS_TEXT} The statements come from the documents named beside them, whose board, program or budget is "
    "another one."
)
_TRANSCRIPTION_DESCRIPTION = "Constants and definitions of the document compared with our copy of them; not counted."


class ClaimTable(NamedTuple):
    """A table of claims in a report: its title, a description, and its rows."""

    title: str
    description: str
    claims: list[dict[str, Any]]


class ReportFigure(NamedTuple):
    """A figure: its texts, the path of its file, and its images for the HTML page."""

    title: str
    caption: str
    path: str
    chart: ChartImages


def write_report(reproduction: Reproduction, folder: Path) -> Path:
    """Write all report files into the folder of a reproduction, and return the path of the HTML page."""
    refuse_link(folder / FIGURES_FOLDER)
    (folder / FIGURES_FOLDER).mkdir(parents=True, exist_ok=True)
    with explain_damaged_measurements(folder):
        values = collect_report_values(reproduction)
        figures = [write_figure(reproduction, figure, folder) for figure in reproduction.paper.figures]
    values |= {"figures": figures}
    for name, template in (
        (MARKDOWN_REPORT_FILE, "reproduction.md.jinja"),
        (HTML_REPORT_FILE, "reproduction.html.jinja"),
    ):
        write_atomically(folder / name, render_template(template, **values).encode())
    write_json(folder / JSON_REPORT_FILE, to_json_value(reproduction.to_json()))
    return folder / HTML_REPORT_FILE


def write_figure(reproduction: Reproduction, figure: PaperFigure, folder: Path) -> ReportFigure:
    """Write the file of a figure into a folder, and return what the pages need of it."""
    description = f"{figure.title}. {figure.caption}"
    plot = Plot(figure.name, description, lambda size: figure.draw(reproduction.results, size))
    path = f"{FIGURES_FOLDER}/{reproduction.paper.name}-{figure.name}.svg"
    write_atomically(folder / path, plot.render("svg", _FILE_FIGURE_SIZE))
    return ReportFigure(figure.title, figure.caption, path, draw_chart(plot, _PAGE_FIGURE_SIZE))


def collect_report_values(reproduction: Reproduction) -> dict[str, Any]:
    """Return the texts of the HTML page and the Markdown page, except the figures."""
    rows = reproduction.rows
    return {
        "paper": reproduction.paper,
        "seed": reproduction.seed,
        "is_quick": reproduction.is_quick,
        "command": reproduction.command,
        "metadata": reproduction.metadata,
        "validity": describe_validity(reproduction),
        "claim_tables": collect_claim_tables(rows),
        "questions_title": "Open questions of the document" if has_document_claims(rows) else "Questions",
        "answers": reproduction.answers,
        "tables": [
            {
                "title": table.title,
                "description": table.description,
                "headers": table.headers,
                "rows": table.make_rows(reproduction.results),
            }
            for table in reproduction.paper.tables
        ],
    }


def collect_claim_tables(rows: Sequence[ClaimRow]) -> list[ClaimTable]:
    """Return the tables of claims that have rows: those of the document, other readings, and what is not counted."""
    by_kind = {kind: [convert_row(row) for row in rows if row.kind == kind] for kind in ClaimKind}
    own_description = _OWN_DESCRIPTION if has_document_claims(rows) else _OWN_STUDY_DESCRIPTION
    tables = [
        ClaimTable("Claims", describe_verdicts(rows), by_kind[ClaimKind.DOCUMENT]),
        ClaimTable("Other readings", _READINGS_DESCRIPTION, [part for row in rows for part in convert_readings(row)]),
        ClaimTable("Our own comparisons", own_description, by_kind[ClaimKind.OWN]),
        ClaimTable("Checks of our transcription", _TRANSCRIPTION_DESCRIPTION, by_kind[ClaimKind.TRANSCRIPTION]),
    ]
    return [table for table in tables if table.claims]


def has_document_claims(rows: Sequence[ClaimRow]) -> bool:
    """Return whether a reproduction compares claims of a document, or is a study of our own."""
    return any(row.kind == ClaimKind.DOCUMENT for row in rows)


def convert_row(row: ClaimRow) -> dict[str, Any]:
    """Return a row with what its table shows."""
    return {**row._asdict(), "measured": format_with_basis(row.measured, row.basis)}


def convert_readings(row: ClaimRow) -> list[dict[str, Any]]:
    """Return one row for each other reading of a claim."""
    return [
        {
            **row._asdict(),
            **reading._asdict(),
            "claim": f"{row.claim}, if {reading.description}",
            "published": reading.published or row.published,
            "measured": format_with_basis(reading.measured, reading.basis),
        }
        for reading in row.readings
    ]


def format_with_basis(measured: str, basis: str) -> str:
    """Format a measured value with what it is based on."""
    return f"{measured} ({basis})" if basis else measured


def describe_validity(reproduction: Reproduction) -> str:
    """Describe which results are the same on every machine."""
    exceptions = ["times"] if any(row.is_machine_dependent for row in reproduction.rows) else []
    recipes = [part.recipe for part in reproduction.paper.measurements if isinstance(part, TrainingMeasurement)]
    dependences = [Recipe.load(recipe).learner_type.machine_dependence for recipe in recipes]
    exceptions += dict.fromkeys(filter(None, dependences))
    return "the same results on every machine" + (f", except for {' and '.join(exceptions)}" if exceptions else "")
