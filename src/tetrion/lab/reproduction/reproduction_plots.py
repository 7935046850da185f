"""The figures of a reproduction as pictures."""

from tetrion.lab.reproduction.paper_definition import PaperFigure
from tetrion.lab.reproduction.reproduction import Reproduction
from tetrion.lab.training_plots import Plot


def make_figure_plot(reproduction: Reproduction, figure: PaperFigure) -> Plot:
    """A figure that can be drawn in any size."""
    words = f"{figure.title}. {figure.caption}"
    return Plot(figure.name, words, lambda size: figure.draw(reproduction.results, size))
