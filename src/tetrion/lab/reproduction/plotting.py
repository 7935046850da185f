"""The figures of a reproduction as pictures."""

from tetrion.lab.reproduction.paper import Drawing
from tetrion.lab.reproduction.reproducing import Reproduction
from tetrion.lab.training_plots import Plot


def plot_of(reproduction: Reproduction, drawing: Drawing) -> Plot:
    """A figure that can be drawn in any size."""
    words = f"{drawing.title}. {drawing.caption}"
    return Plot(drawing.name, words, lambda size: drawing.draw(reproduction.results, size))
