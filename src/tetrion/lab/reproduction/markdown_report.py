"""A reproduction as Markdown, for the documentation."""

from collections.abc import Sequence

from tetrion.lab.reproduction.measurements import TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import Paper, PaperFigure
from tetrion.lab.reproduction.reproduction import Reproduction
from tetrion.training.recipe import Recipe

_CLAIM_HEADERS = ("claim", "location", "published", "measured", "verdict", "reason")


def render_markdown(reproduction: Reproduction) -> str:
    """Return the page: claims, answers, figures, tables and provenance."""
    paper = reproduction.paper
    parts = [
        f"# {paper.title}",
        paper.source + ".",
        paper.description,
        f"Rules: {paper.rules}.",
        *render_claims(reproduction),
    ]
    if reproduction.answers:
        answers = render_markdown_table(("question", "location", "answer"), reproduction.answers)
        parts += ["## Open questions of the document", *wrap_in_div("answers", answers)]
    if paper.figures:
        parts += ["## Figures", "Drawn from our data."]
        parts += [part for figure in paper.figures for part in render_figure_section(paper, figure)]
    for table in paper.tables:
        parts += [
            f"## {table.title}",
            table.description,
            render_markdown_table(table.headers, table.make_rows(reproduction.results)),
        ]
    if paper.notes:
        parts += ["## Decisions", "\n".join(f"- {note}" for note in paper.notes)]
    return "\n\n".join([*parts, *render_provenance(reproduction)]) + "\n"


def render_claims(reproduction: Reproduction) -> list[str]:
    """Return the section of claims with their verdicts."""
    rows = reproduction.rows
    agreeing = sum(row.agrees for row in rows)
    summary = f"{agreeing} of {len(rows)} claims agree with our measurements; for the others, the reason is given."
    cells = [
        [
            row.claim,
            row.location,
            row.published,
            format_with_basis(row.measured, row.basis),
            f"**{row.verdict}**",
            row.reason,
        ]
        for row in rows
    ]
    table = render_markdown_table(_CLAIM_HEADERS, cells)
    for verdict in {row.verdict for row in rows}:
        table = table.replace(f"| **{verdict}** |", f'| <strong class="{verdict}">{verdict}</strong> |')
    return ["## Claims", summary, *wrap_in_div("claims", table)]


def wrap_in_div(css_class: str, markdown: str) -> list[str]:
    """Wrap a table in a div, so that the site can stack its rows on narrow screens."""
    return [f'<div class="{css_class}" markdown>', markdown, "</div>"]


def format_with_basis(measured: str, basis: str) -> str:
    """Format a measured value with what it is based on."""
    return f"{measured} ({basis})" if basis else measured


def render_figure_section(paper: Paper, figure: PaperFigure) -> list[str]:
    """Return a figure with its title and caption."""
    return [f"### {figure.title}", f"![{figure.title}]({get_figure_path(paper, figure)})", figure.caption]


def get_figure_path(paper: Paper, figure: PaperFigure) -> str:
    """Return the path of a figure, relative to the page."""
    return f"figures/{paper.name}-{figure.name}.svg"


def render_provenance(reproduction: Reproduction) -> list[str]:
    """Return the command, the machine and the date of the measurement."""
    metadata = reproduction.metadata
    exceptions = ["times"] if any(row.is_machine_dependent for row in reproduction.rows) else []
    recipes = [part.recipe for part in reproduction.paper.measurements if isinstance(part, TrainingMeasurement)]
    dependences = [Recipe.load(recipe).learner_type.machine_dependence for recipe in recipes]
    exceptions += dict.fromkeys(filter(None, dependences))
    validity = "the same results on every machine" + (f", except for {' and '.join(exceptions)}" if exceptions else "")
    return ["## Measured by", f"`{reproduction.command}` ({validity}; {metadata['processor']}, {metadata['date']})"]


def render_markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [[*map(escape_cell, headers)], ["---"] * len(headers), *([*map(escape_cell, row)] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def escape_cell(text: str) -> str:
    """Escape a text for a table cell: one line, without unescaped bars or tags."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
