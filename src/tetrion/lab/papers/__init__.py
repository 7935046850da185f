"""Reproduced documents: one folder each, whose `<name>_paper.py` holds the claims and how each is measured."""

from importlib import import_module

from tetrion.errors import UnknownNameError
from tetrion.lab.reproduction.paper_definition import Paper

PAPER_NAMES = ("gavrilov", "becker", "hindi", "tetrais", "medico", "literature", "comparison", "ablation", "record")


def load_paper(name: str) -> Paper:
    """Return the reproduction definition of a document by its name."""
    if name not in PAPER_NAMES:
        raise UnknownNameError("paper", name, PAPER_NAMES, listing="`tetrion.lab.papers.PAPER_NAMES` lists all papers.")
    paper: Paper = getattr(import_module(f"tetrion.lab.papers.{name}.{name}_paper"), f"{name.upper()}_PAPER")
    return paper
