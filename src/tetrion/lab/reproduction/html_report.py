"""A reproduction as one HTML page that needs nothing else."""

from collections.abc import Sequence
from html import escape

from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.html_elements import LOGO_SVG, render_page, render_section, render_table, tag, text_tag
from tetrion.lab.reproduction.markdown_report import format_with_basis
from tetrion.lab.reproduction.paper_definition import PaperFigure
from tetrion.lab.reproduction.reproduction import Reproduction
from tetrion.lab.reproduction.reproduction_plots import make_figure_plot
from tetrion.lab.training_report import render_chart

_FIGURE_SIZE = FigureSize(560, 360)
_REPORT_STYLE = """
.verdicts td, .verdicts th, .told td, .told th, .listed td, .listed th {
  height: auto; padding-block: 6px; text-align: left; vertical-align: top; white-space: normal; min-width: 88px;
}
.verdicts td:nth-child(6), .told td:last-child { min-width: 220px; }
.verdicts td:nth-child(4) { color: var(--strong); }
.chart + .aside { margin-top: 8px; }
.agrees { color: var(--accent); font-weight: 600; }
.differs { color: var(--second); font-weight: 600; }
@media (max-width: 700px) {
  .verdicts thead, .told thead { display: none; }
  .verdicts tr, .told tr { border-bottom: 1px solid var(--rule); display: block; padding: 8px 0; }
  .verdicts th, .verdicts td, .told th, .told td { border: 0; display: block; padding: 2px 0; }
  .verdicts tbody th, .told tbody th { color: var(--strong); font-weight: 600; }
  .verdicts td:nth-child(2), .told td:nth-child(2) { color: var(--dim); }
  .verdicts td:nth-child(3)::before { color: var(--dim); content: "published "; }
  .verdicts td:nth-child(4)::before { color: var(--dim); content: "ours "; }
}
"""


def render_html(reproduction: Reproduction) -> bytes:
    """The page."""
    paper = reproduction.paper
    drawn = [render_figure_panel(reproduction, drawing) for drawing in paper.figures]
    answers = (
        render_text_table(("Question", "Where", "Answer"), reproduction.answers, "panel told")
        if paper.questions
        else ""
    )
    parts = [
        render_header(reproduction),
        render_section("Claims", tag("div", render_claims(reproduction), class_="panel verdicts")),
        render_section("What the document left open", answers),
        render_section("Figures, drawn from our data", tag("div", "\n".join(drawn), class_="grid two"))
        if drawn
        else "",
        *(
            render_section(
                more.title,
                text_tag("p", more.description, class_="aside"),
                render_text_table(more.headers, more.make_rows(reproduction.results), "panel listed"),
            )
            for more in paper.tables
        ),
        render_section("What had to be decided", tag("ul", "".join(text_tag("li", note) for note in paper.notes)))
        if paper.notes
        else "",
        text_tag("footer", "Made by tetrion reproduce. All figures are read from what it measured."),
    ]
    return render_page(f"{paper.name}: reproduction", [part for part in parts if part], _REPORT_STYLE)


def render_header(reproduction: Reproduction) -> str:
    """Which document, and how it was reproduced."""
    paper, rows = reproduction.paper, reproduction.rows
    chips = {
        "rules": paper.rules,
        "agree": f"{sum(row.agrees for row in rows)} of {len(rows)} claims",
        "seed": str(reproduction.seed),
        "budget": "quick" if reproduction.is_quick else "full",
        "on": f"{reproduction.metadata['processor']}, {reproduction.metadata['date']}",
    }
    shown = "".join(tag("li", f"{text_tag('span', name)} {escape(value)}") for name, value in chips.items())
    return tag(
        "header",
        tag("p", f"{LOGO_SVG}Tetrion / Reproduction", class_="brand")
        + text_tag("h1", paper.title)
        + text_tag("p", f"{paper.source}. {paper.description}", class_="summary")
        + tag("ul", shown, class_="chips")
        + tag("pre", escape(reproduction.command), class_="command", tabindex="0"),
    )


def render_claims(reproduction: Reproduction) -> str:
    """Every claim with its verdict."""
    rows = [
        [
            *(escape(part) for part in (row.claim, row.where, row.published, format_with_basis(row.ours, row.basis))),
            text_tag("span", row.verdict, class_=row.verdict),
            escape(row.reason),
        ]
        for row in reproduction.rows
    ]
    return render_table(["Claim", "Where", "Published", "Ours", "Verdict", "Why"], rows)


def render_text_table(headers: Sequence[str], rows: Sequence[Sequence[str]], css_class: str) -> str:
    """A table of words in a panel of its kind."""
    return tag("div", render_table(headers, [[escape(cell) for cell in row] for row in rows]), class_=css_class)


def render_figure_panel(reproduction: Reproduction, figure: PaperFigure) -> str:
    """A figure with its title and caption."""
    shown = render_chart(make_figure_plot(reproduction, figure), _FIGURE_SIZE)
    return tag("div", text_tag("h3", figure.title) + shown + text_tag("p", figure.caption, class_="aside"))
