"""A reproduction as Markdown, for the documentation."""

from collections.abc import Sequence

from tetrion.lab.reproduction.measurements import TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import Paper, PaperFigure
from tetrion.lab.reproduction.reproduction import Reproduction
from tetrion.training.recipe import Recipe

_CLAIM_HEADERS = ("claim", "where", "published", "ours", "verdict", "why")


def render_markdown(reproduction: Reproduction) -> str:
    """The page: claims, answers, figures, tables, and how it was made."""
    paper = reproduction.paper
    parts = [
        f"# {paper.title}",
        paper.source + ".",
        paper.description,
        f"Rules: {paper.rules}.",
        *render_claims(reproduction),
    ]
    if reproduction.answers:
        rows = [[asked, where, answer] for asked, where, answer in reproduction.answers]
        told = render_markdown_table(("question", "where", "answer"), rows)
        parts += ["## What the document left open", *wrap_in_div("told", told)]
    if paper.figures:
        parts += ["## Figures", "Drawn from our data."]
        parts += [part for drawing in paper.figures for part in render_figure_section(paper, drawing)]
    for more in paper.tables:
        parts += [
            f"## {more.title}",
            more.description,
            render_markdown_table(more.headers, more.make_rows(reproduction.results)),
        ]
    if paper.notes:
        parts += ["## What had to be decided", "\n".join(f"- {note}" for note in paper.notes)]
    return "\n\n".join([*parts, *render_provenance(reproduction)]) + "\n"


def render_claims(reproduction: Reproduction) -> list[str]:
    """Every claim with its verdict."""
    rows = reproduction.rows
    agreeing = sum(row.agrees for row in rows)
    told = f"{agreeing} of {len(rows)} rows agree with the document; where one differs, the cause stands beside it."
    cells = [
        [row.claim, row.where, row.published, format_with_basis(row.ours, row.basis), f"**{row.verdict}**", row.reason]
        for row in rows
    ]
    shown = render_markdown_table(_CLAIM_HEADERS, cells)
    for verdict in {row.verdict for row in rows}:
        shown = shown.replace(f"| **{verdict}** |", f'| <strong class="{verdict}">{verdict}</strong> |')
    return ["## Claims", told, *wrap_in_div("verdicts", shown)]


def wrap_in_div(css_class: str, markdown: str) -> list[str]:
    """A table whose rows the site stacks on a narrow screen; elsewhere it is a table as any."""
    return [f'<div class="{css_class}" markdown>', markdown, "</div>"]


def format_with_basis(measured: str, basis: str) -> str:
    """A figure, and what it is from."""
    return f"{measured} ({basis})" if basis else measured


def render_figure_section(paper: Paper, figure: PaperFigure) -> list[str]:
    """A figure with its title and caption."""
    return [f"### {figure.title}", f"![{figure.title}]({get_figure_path(paper, figure)})", figure.caption]


def get_figure_path(paper: Paper, figure: PaperFigure) -> str:
    """Where a figure is, seen from the page."""
    return f"figures/{paper.name}-{figure.name}.svg"


def render_provenance(reproduction: Reproduction) -> list[str]:
    """The command that measures it all, and where it was run."""
    made = reproduction.metadata
    varying = ["times"] if any(row.varies for row in reproduction.rows) else []
    trained = [part.recipe for part in reproduction.paper.measurements if isinstance(part, TrainingMeasurement)]
    if any(Recipe.load(recipe).learner == "cma" for recipe in trained):
        varying.append("what CMA-ES learns, which depends on the last bits of a processor's arithmetic")
    same = "the same on every machine" + (f", but for {' and '.join(varying)}" if varying else "")
    return ["## Measured by", f"`{reproduction.command}` ({same}; {made['processor']}, {made['date']})"]


def render_markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [[*map(escape_cell, headers)], ["---"] * len(headers), *([*map(escape_cell, row)] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def escape_cell(text: str) -> str:
    """Words that stay what they are in a cell of a table: on one line, without bars or tags of their own."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
