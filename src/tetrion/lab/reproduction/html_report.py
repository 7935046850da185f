"""A reproduction as a self-contained HTML page."""

from collections.abc import Sequence
from html import escape

from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.html_elements import (
    LOGO_SVG,
    read_page_file,
    render_element,
    render_page,
    render_section,
    render_table,
    render_text_element,
)
from tetrion.lab.reproduction.markdown_report import format_with_basis
from tetrion.lab.reproduction.paper_definition import PaperFigure
from tetrion.lab.reproduction.reproduction import Reproduction
from tetrion.lab.training_plots import Plot
from tetrion.lab.training_report import render_chart

_FIGURE_SIZE = FigureSize(560, 360)


def render_html(reproduction: Reproduction) -> bytes:
    """Return the HTML page of a reproduction."""
    paper = reproduction.paper
    figures = [render_figure_panel(reproduction, figure) for figure in paper.figures]
    answers = (
        render_text_table(("Question", "Location", "Answer"), reproduction.answers, "panel answers")
        if paper.questions
        else ""
    )
    parts = [
        render_header(reproduction),
        render_section("Claims", render_element("div", render_claims(reproduction), class_="panel claims")),
        render_section("Open questions of the document", answers),
        render_section("Figures from our data", render_element("div", "\n".join(figures), class_="grid two"))
        if figures
        else "",
        *(
            render_section(
                table.title,
                render_text_element("p", table.description, class_="aside"),
                render_text_table(table.headers, table.make_rows(reproduction.results), "panel text-table"),
            )
            for table in paper.tables
        ),
        render_section(
            "Decisions", render_element("ul", "".join(render_text_element("li", note) for note in paper.notes))
        )
        if paper.notes
        else "",
        render_text_element("footer", "Created by tetrion reproduce from its measurements."),
    ]
    return render_page(
        f"{paper.name}: reproduction",
        [part for part in parts if part],
        read_page_file("reproduction/reproduction_report.css"),
    )


def render_header(reproduction: Reproduction) -> str:
    """Return the header with the document, the settings and the command."""
    paper, rows = reproduction.paper, reproduction.rows
    chips = {
        "rules": paper.rules,
        "agree": f"{sum(row.agrees for row in rows)} of {len(rows)} claims",
        "seed": str(reproduction.seed),
        "budget": "quick" if reproduction.is_quick else "full",
        "measured on": f"{reproduction.metadata['processor']}, {reproduction.metadata['date']}",
    }
    items = "".join(
        render_element("li", f"{render_text_element('span', name)} {escape(value)}") for name, value in chips.items()
    )
    return render_element(
        "header",
        render_element("p", f"{LOGO_SVG}Tetrion / Reproduction", class_="brand")
        + render_text_element("h1", paper.title)
        + render_text_element("p", f"{paper.source}. {paper.description}", class_="summary")
        + render_element("ul", items, class_="chips")
        + render_element("pre", escape(reproduction.command), class_="command", tabindex="0"),
    )


def render_claims(reproduction: Reproduction) -> str:
    """Return the table of claims with their verdicts."""
    rows = [
        [
            *(
                escape(part)
                for part in (row.claim, row.location, row.published, format_with_basis(row.measured, row.basis))
            ),
            render_text_element("span", row.verdict, class_=row.verdict),
            escape(row.reason),
        ]
        for row in reproduction.rows
    ]
    return render_table(["Claim", "Location", "Published", "Measured", "Verdict", "Reason"], rows)


def render_text_table(headers: Sequence[str], rows: Sequence[Sequence[str]], css_class: str) -> str:
    """Return a table of plain texts in a panel with the given CSS class."""
    return render_element(
        "div", render_table(headers, [[escape(cell) for cell in row] for row in rows]), class_=css_class
    )


def render_figure_panel(reproduction: Reproduction, figure: PaperFigure) -> str:
    """Return a figure with its title and caption."""
    chart = render_chart(make_figure_plot(reproduction, figure), _FIGURE_SIZE)
    return render_element(
        "div",
        render_text_element("h3", figure.title) + chart + render_text_element("p", figure.caption, class_="aside"),
    )


def make_figure_plot(reproduction: Reproduction, figure: PaperFigure) -> Plot:
    """Return a figure as a plot that can be drawn in any size."""
    description = f"{figure.title}. {figure.caption}"
    return Plot(figure.name, description, lambda size: figure.draw(reproduction.results, size))
