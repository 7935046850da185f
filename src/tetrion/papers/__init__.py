"""Documents and studies, one folder each: claims as data, pages as templates, measurements and figures."""

from importlib import import_module
from pathlib import Path

from tetrion.errors import UnknownNameError
from tetrion.papers.definition import CLAIMS_FILE, Paper

DOCUMENT_NAMES = ("gavrilov", "becker", "hindi", "tetrais", "medico", "literature")
STUDY_NAMES = ("comparison", "ablation", "record")
PAPER_NAMES = (*DOCUMENT_NAMES, *STUDY_NAMES)


def load_paper(name: str) -> Paper:
    """Return a document or a study by its name."""
    if name not in PAPER_NAMES:
        raise UnknownNameError("paper", name, PAPER_NAMES, listing="`tetrion.papers.PAPER_NAMES` lists all papers.")
    folder = Path(__file__).parent / name
    measure = import_module(f"tetrion.papers.{name}.measure")
    figures = import_module(f"tetrion.papers.{name}.figures")
    return Paper.from_toml(
        name,
        (folder / CLAIMS_FILE).read_text("utf-8"),
        measure.MEASUREMENTS,
        measure.FUNCTIONS,
        figures.DRAWINGS,
        folder=folder,
    )
