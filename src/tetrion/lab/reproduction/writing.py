"""A reproduction written down: a page, Markdown with its figures, and JSON."""

from pathlib import Path

from tetrion.files import write_whole
from tetrion.lab.charts import Size
from tetrion.lab.reproduction.markdown import file_of, markdown
from tetrion.lab.reproduction.page import html
from tetrion.lab.reproduction.plotting import plot_of
from tetrion.lab.reproduction.reproducing import Reproduction, plain, write_json

PAGE, MARKDOWN, JSON, FIGURES = "report.html", "report.md", "report.json", "figures"
SIZE = Size(760, 420)


def write_report(reproduction: Reproduction, folder: Path) -> Path:
    """Write everything into a folder; the page's place is returned."""
    (folder / FIGURES).mkdir(parents=True, exist_ok=True)
    for drawing in reproduction.paper.figures:
        write_whole(folder / file_of(reproduction.paper, drawing), plot_of(reproduction, drawing).content("svg", SIZE))
    write_whole(folder / MARKDOWN, markdown(reproduction).encode())
    write_json(folder / JSON, plain(reproduction.to_json()))
    write_whole(folder / PAGE, html(reproduction))
    return folder / PAGE
