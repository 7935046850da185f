"""The report files of a reproduction: HTML, Markdown with figures, and JSON."""

from pathlib import Path

from tetrion.atomic_files import write_atomically
from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.reproduction.html_report import make_figure_plot, render_html
from tetrion.lab.reproduction.markdown_report import get_figure_path, render_markdown
from tetrion.lab.reproduction.reproduction import Reproduction, to_json_value, write_json

HTML_REPORT_FILE = "report.html"
MARKDOWN_REPORT_FILE = "report.md"
JSON_REPORT_FILE = "report.json"
FIGURES_FOLDER = "figures"
_FIGURE_SIZE = FigureSize(760, 420)


def write_report(reproduction: Reproduction, folder: Path) -> Path:
    """Write all report files into a folder, and return the path of the HTML page."""
    (folder / FIGURES_FOLDER).mkdir(parents=True, exist_ok=True)
    for figure in reproduction.paper.figures:
        write_atomically(
            folder / get_figure_path(reproduction.paper, figure),
            make_figure_plot(reproduction, figure).render("svg", _FIGURE_SIZE),
        )
    write_atomically(folder / MARKDOWN_REPORT_FILE, render_markdown(reproduction).encode())
    write_json(folder / JSON_REPORT_FILE, to_json_value(reproduction.to_json()))
    write_atomically(folder / HTML_REPORT_FILE, render_html(reproduction))
    return folder / HTML_REPORT_FILE
