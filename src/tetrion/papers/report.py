"""The report files of a reproduction: its page and its appendix in Markdown, both in one HTML page, and JSON."""

import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

from tetrion.atomic_files import write_atomically
from tetrion.data_files import refuse_link
from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.page_templates import make_data_url, render_template
from tetrion.lab.training_plots import Plot
from tetrion.papers.definition import PaperFigure
from tetrion.papers.measurements import TrainingMeasurement
from tetrion.papers.reproduction import Reproduction, explain_damaged_measurements, to_json_value, write_json
from tetrion.text_cleaning import clean_lines
from tetrion.training.recipe import Recipe

HTML_REPORT_FILE = "report.html"
MARKDOWN_REPORT_FILE = "report.md"
APPENDIX_FILE = "results.md"  # docs/papers/NAME-results.md in the documentation
JSON_REPORT_FILE = "report.json"
FIGURES_FOLDER = "figures"
PAGE_TEMPLATE = "page.md.jinja"
_APPENDIX_TEMPLATE = "appendix.md.jinja"
_FIGURE_SIZE = FigureSize(760, 420)
_LINE_WIDTH = 120
_FILL_OPTIONS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
_PLAIN_PAGE = '{% extends "base.md.jinja" %}{% block body %}{% endblock %}'  # of a paper without a folder


class ReportFigure(NamedTuple):
    """A figure with the path of its file, relative to the page; `is_on_page` is false for those of the appendix."""

    name: str
    title: str
    caption: str
    path: str
    is_on_page: bool = False


class ReportPages(NamedTuple):
    """The page and its appendix in Markdown."""

    page: str
    appendix: str


def write_report(reproduction: Reproduction, folder: Path) -> Path:
    """Write all report files into the folder of a reproduction, and return the path of the HTML page."""
    refuse_link(folder / FIGURES_FOLDER)
    (folder / FIGURES_FOLDER).mkdir(parents=True, exist_ok=True)
    with explain_damaged_measurements(folder):
        for figure in reproduction.paper.figures:
            write_figure(reproduction, figure, folder)
        pages = render_pages(reproduction)
        write_json(folder / JSON_REPORT_FILE, to_json_value(reproduction.to_json()))
    write_atomically(folder / MARKDOWN_REPORT_FILE, pages.page.encode())
    write_atomically(folder / APPENDIX_FILE, pages.appendix.encode())
    write_atomically(folder / HTML_REPORT_FILE, render_html(reproduction, pages, folder).encode())
    return folder / HTML_REPORT_FILE


def get_figure_path(reproduction: Reproduction, name: str) -> str:
    """Return the path of a figure relative to the page."""
    return f"{FIGURES_FOLDER}/{reproduction.paper.name}-{name}.svg"


def write_figure(reproduction: Reproduction, figure: PaperFigure, folder: Path) -> None:
    """Draw a figure into its file in a folder."""
    plot = Plot(figure.name, f"{figure.title}. {figure.caption}", lambda size: figure.draw(reproduction.results, size))
    write_atomically(folder / get_figure_path(reproduction, figure.name), plot.render("svg", _FIGURE_SIZE))


def render_pages(reproduction: Reproduction) -> ReportPages:
    """Return the page, from the template of the paper, and its appendix."""
    environment = reproduction.environment
    figures = {
        figure.name: ReportFigure(
            figure.name,
            figure.title,
            reproduction.render_text(figure.caption),
            get_figure_path(reproduction, figure.name),
        )
        for figure in reproduction.paper.figures
    }
    shown: list[str] = []

    def show_figure(name: str) -> str:
        figure = figures[name]
        shown.append(name)
        return f"![{figure.title}]({figure.path})\n\n*{figure.title}.* {figure.caption}"

    values: dict[str, Any] = {"validity": describe_validity(reproduction), "figure": show_figure}
    has_page = reproduction.paper.folder is not None
    template = environment.get_template(PAGE_TEMPLATE) if has_page else environment.from_string(_PLAIN_PAGE)
    page = template.render(values)
    listed: Sequence[ReportFigure] = [figure._replace(is_on_page=name in shown) for name, figure in figures.items()]
    appendix = environment.get_template(_APPENDIX_TEMPLATE).render(values, figures=listed)
    return ReportPages(tidy_markdown(page), tidy_markdown(appendix))


def render_index(reproductions: Sequence[Reproduction]) -> str:
    """Return the page that lists all papers with their verdicts and says how they are judged."""
    documents = [reproduction for reproduction in reproductions if not reproduction.paper.is_study]
    template = reproductions[0].environment.get_template("index.md.jinja")
    text = template.render(
        documents=documents,
        studies=[reproduction for reproduction in reproductions if reproduction.paper.is_study],
        claim_count=sum(len(reproduction.claim_rows) for reproduction in documents),
    )
    return tidy_markdown(text)


def tidy_markdown(text: str) -> str:
    """Return Markdown whose paragraphs are wrapped again with their values, without repeated blank lines."""
    parts = re.split(r"\n{2,}", clean_lines(text).strip())
    return (
        "\n\n".join(part if part[0] in "#|<!-`" else fill(part, _LINE_WIDTH, **_FILL_OPTIONS) for part in parts) + "\n"
    )


def render_html(reproduction: Reproduction, pages: ReportPages, folder: Path) -> str:
    """Return the page and the appendix as one self-contained HTML page, in which no script can run."""
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    body = "\n".join(MarkdownIt("commonmark", {"html": True}).enable("table").render(text) for text in pages)
    body = re.sub(
        r'src="(figures/[\w.-]+\.svg)"', lambda match: f'src="{make_data_url((folder / match[1]).read_bytes())}"', body
    )
    body = re.sub(r'<a href="[\w./-]+\.md(#[\w-]+)?">(.*?)</a>', r"\2", body)  # pages of the documentation
    return render_template(
        "reproduction.html.jinja", reproduction=reproduction, paper=reproduction.paper, body=Markup(body)
    )


def describe_validity(reproduction: Reproduction) -> str:
    """Describe which results are the same on every machine."""
    exceptions = ["times"] if any(claim.is_machine_dependent for claim in reproduction.paper.claims) else []
    recipes = [part.recipe for part in reproduction.paper.measurements if isinstance(part, TrainingMeasurement)]
    dependences = [Recipe.load(recipe).learner_type.machine_dependence for recipe in recipes]
    exceptions += dict.fromkeys(filter(None, dependences))
    return "the same results on every machine" + (f", except for {' and '.join(exceptions)}" if exceptions else "")
