"""A reproduction as one HTML page that needs nothing else."""

from collections.abc import Sequence
from html import escape

from tetrion.lab.charts import Size
from tetrion.lab.html import MARK, page, section, table, tag, words
from tetrion.lab.report import chart
from tetrion.lab.reproduction.markdown import with_basis
from tetrion.lab.reproduction.paper import Drawing
from tetrion.lab.reproduction.plotting import plot_of
from tetrion.lab.reproduction.reproducing import Reproduction

SIZE = Size(560, 360)
STYLE = """
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


def html(reproduction: Reproduction) -> bytes:
    """The page."""
    paper = reproduction.paper
    drawn = [figure_of(reproduction, drawing) for drawing in paper.figures]
    answers = listed(("Question", "Where", "Answer"), reproduction.answers, "panel told") if paper.questions else ""
    parts = [
        head(reproduction),
        section("Claims", tag("div", claims(reproduction), class_="panel verdicts")),
        section("What the document left open", answers),
        section("Figures, drawn from our data", tag("div", "\n".join(drawn), class_="grid two")) if drawn else "",
        *(
            section(
                more.title,
                words("p", more.about, class_="aside"),
                listed(more.heads, more.rows(reproduction.results), "panel listed"),
            )
            for more in paper.tables
        ),
        section("What had to be decided", tag("ul", "".join(words("li", note) for note in paper.notes)))
        if paper.notes
        else "",
        words("footer", "Made by tetrion reproduce. All figures are read from what it measured."),
    ]
    return page(f"{paper.name}: reproduction", [part for part in parts if part], STYLE)


def head(reproduction: Reproduction) -> str:
    """Which document, and how it was reproduced."""
    paper, rows = reproduction.paper, reproduction.rows
    chips = {
        "rules": paper.rules,
        "agree": f"{sum(row.agrees for row in rows)} of {len(rows)} claims",
        "seed": str(reproduction.seed),
        "budget": "quick" if reproduction.quick else "full",
        "on": f"{reproduction.made['processor']}, {reproduction.made['date']}",
    }
    shown = "".join(tag("li", f"{words('span', name)} {escape(value)}") for name, value in chips.items())
    return tag(
        "header",
        tag("p", f"{MARK}Tetrion / Reproduction", class_="brand")
        + words("h1", paper.title)
        + words("p", f"{paper.source}. {paper.about}", class_="summary")
        + tag("ul", shown, class_="chips")
        + tag("pre", escape(reproduction.command), class_="command", tabindex="0"),
    )


def claims(reproduction: Reproduction) -> str:
    """Every claim with its verdict."""
    rows = [
        [
            *(escape(part) for part in (row.claim, row.where, row.published, with_basis(row.ours, row.basis))),
            words("span", row.verdict, class_=row.verdict),
            escape(row.reason),
        ]
        for row in reproduction.rows
    ]
    return table(["Claim", "Where", "Published", "Ours", "Verdict", "Why"], rows)


def listed(heads: Sequence[str], rows: Sequence[Sequence[str]], kind: str) -> str:
    """A table of words in a panel of its kind."""
    return tag("div", table(heads, [[escape(cell) for cell in row] for row in rows]), class_=kind)


def figure_of(reproduction: Reproduction, drawing: Drawing) -> str:
    """A figure with its title and caption."""
    shown = chart(plot_of(reproduction, drawing), SIZE)
    return tag("div", words("h3", drawing.title) + shown + words("p", drawing.caption, class_="aside"))
