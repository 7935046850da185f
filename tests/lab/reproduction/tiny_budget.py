"""Papers with a budget that is small enough for tests."""

from dataclasses import replace

from tetrion.lab.reproduction.measurements import GameMeasurement, Measurement, TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import Paper

SHORT_TRAINING = (
    "generations=2",
    "validation.games=3",
    "validation.final_games=10",
    "games.count=2",
    "validation.max_pieces=200",
    "games.max_pieces=[100]",
)


def shrink_paper(paper: Paper) -> Paper:
    """Return the paper with measurements of a few games and two generations."""
    return replace(paper, measurements=[shrink_measurement(measurement) for measurement in paper.measurements])


def shrink_measurement(measurement: Measurement) -> Measurement:
    """Return the measurement with a few games or two generations; calculations are unchanged."""
    if isinstance(measurement, GameMeasurement):
        return replace(measurement, games=40, quick_games=40, max_pieces=300, quick_max_pieces=300)
    if isinstance(measurement, TrainingMeasurement):
        return replace(measurement, seed_count=1, quick_seed_count=1, quick_changes=SHORT_TRAINING)
    return measurement
