"""A reproduction as Markdown, for the documentation."""

from collections.abc import Sequence

from tetrion.lab.reproduction.measuring import Training
from tetrion.lab.reproduction.paper import Drawing, Paper
from tetrion.lab.reproduction.reproducing import Reproduction
from tetrion.training.recipe import Recipe

HEADS = ("claim", "where", "published", "ours", "verdict", "why")


def markdown(reproduction: Reproduction) -> str:
    """The page: claims, answers, figures, tables, and how it was made."""
    paper = reproduction.paper
    parts = [f"# {paper.title}", paper.source + ".", paper.about, f"Rules: {paper.rules}.", *claims(reproduction)]
    if reproduction.answers:
        rows = [[asked, where, answer] for asked, where, answer in reproduction.answers]
        told = table(("question", "where", "answer"), rows)
        parts += ["## What the document left open", *stacked("told", told)]
    if paper.figures:
        parts += ["## Figures", "Drawn from our data."]
        parts += [part for drawing in paper.figures for part in picture(paper, drawing)]
    for more in paper.tables:
        parts += [f"## {more.title}", more.about, table(more.heads, more.rows(reproduction.results))]
    if paper.notes:
        parts += ["## What had to be decided", "\n".join(f"- {note}" for note in paper.notes)]
    return "\n\n".join([*parts, *making(reproduction)]) + "\n"


def claims(reproduction: Reproduction) -> list[str]:
    """Every claim with its verdict."""
    rows = reproduction.rows
    agreeing = sum(row.agrees for row in rows)
    told = f"{agreeing} of {len(rows)} rows agree with the document; where one differs, the cause stands beside it."
    cells = [
        [row.claim, row.where, row.published, with_basis(row.ours, row.basis), f"**{row.verdict}**", row.reason]
        for row in rows
    ]
    shown = table(HEADS, cells)
    for verdict in {row.verdict for row in rows}:
        shown = shown.replace(f"| **{verdict}** |", f'| <strong class="{verdict}">{verdict}</strong> |')
    return ["## Claims", told, *stacked("verdicts", shown)]


def stacked(kind: str, shown: str) -> list[str]:
    """A table whose rows the site stacks on a narrow screen; elsewhere it is a table as any."""
    return [f'<div class="{kind}" markdown>', shown, "</div>"]


def with_basis(ours: str, basis: str) -> str:
    """A figure, and what it is from."""
    return f"{ours} ({basis})" if basis else ours


def picture(paper: Paper, drawing: Drawing) -> list[str]:
    """A figure with its title and caption."""
    return [f"### {drawing.title}", f"![{drawing.title}]({file_of(paper, drawing)})", drawing.caption]


def file_of(paper: Paper, drawing: Drawing) -> str:
    """Where a figure is, seen from the page."""
    return f"figures/{paper.name}-{drawing.name}.svg"


def making(reproduction: Reproduction) -> list[str]:
    """The command that measures it all, and where it was run."""
    made = reproduction.made
    varying = ["times"] if any(row.varies for row in reproduction.rows) else []
    trained = [part.recipe for part in reproduction.paper.measurements if isinstance(part, Training)]
    if any(Recipe.load(recipe).learner == "cma" for recipe in trained):
        varying.append("what CMA-ES learns, which depends on the last bits of a processor's arithmetic")
    same = "the same on every machine" + (f", but for {' and '.join(varying)}" if varying else "")
    return ["## Measured by", f"`{reproduction.command}` ({same}; {made['processor']}, {made['date']})"]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [[*map(escaped, heads)], ["---"] * len(heads), *([*map(escaped, row)] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def escaped(words: str) -> str:
    """Words that stay what they are in a cell of a table: on one line, without bars or tags of their own."""
    return " ".join(words.split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
