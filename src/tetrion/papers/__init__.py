"""Documents and studies, one folder each: claims as data, pages as templates, measurements and figures."""

from importlib import import_module
from pathlib import Path

from tetrion.papers.definition import CLAIMS_FILE, Paper
from tetrion.registry import Registry

DOCUMENT_NAMES = ("gavrilov", "becker", "hindi", "tetrais", "medico", "literature")
STUDY_NAMES = ("comparison", "ablation", "record")


def _load_paper(name: str) -> Paper:
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


PAPERS: Registry[Paper] = Registry("paper", (*DOCUMENT_NAMES, *STUDY_NAMES), _load_paper, lambda paper: paper.title)
"""The documents that we reproduce, and our own studies: `tetrion.PAPERS["becker"]`."""
