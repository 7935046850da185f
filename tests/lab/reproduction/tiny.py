"""A paper with so small a budget that a test can afford it."""

from dataclasses import replace

from tetrion.lab.reproduction.measuring import Measurement, Play, Training
from tetrion.lab.reproduction.paper import Paper

SHORT = ("generations=2", "judge.games=3", "judge.final=10", "games.count=2", "judge.pieces=200", "games.pieces=[100]")


def tiny(paper: Paper) -> Paper:
    """The same document, measured with a few games and two generations."""
    return replace(paper, measurements=[shrunk(measurement) for measurement in paper.measurements])


def shrunk(measurement: Measurement) -> Measurement:
    """A measurement of a few games, or of two generations; calculations stay as they are."""
    if isinstance(measurement, Play):
        return replace(measurement, games=40, quick=40, pieces=300, quick_pieces=300)
    if isinstance(measurement, Training):
        return replace(measurement, seeds=1, quick_seeds=1, quick_changes=SHORT)
    return measurement
