"""An invented paper: two agents, a training run and a calculation, measured within seconds."""

from typing import Any

from tetrion.agents import WeightedAgent
from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.reproduction.measured_values import compute_mean, make_mean_reader, make_seed_mean_reader
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    MeasurementContext,
    TrainingMeasurement,
)
from tetrion.lab.reproduction.paper_definition import (
    Claim,
    ClaimKind,
    MeasurementResults,
    OpenQuestion,
    Paper,
    PaperFigure,
    Reading,
)
from tetrion.lab.reproduction.published_values import (
    MeasuredValue,
    PublishedLowerBound,
    PublishedRange,
    PublishedStatement,
)
from tetrion.lab.reproduction.reproduction_figures import ForestRow, draw_forest_plot

SHORT_TRAINING = (
    "population=6",
    "tournament=3",
    "generations=3",
    "games.max_pieces=[60]",
    "validation.games=2",
    "validation.max_pieces=200",
)


def measure_seed(context: MeasurementContext) -> dict[str, Any]:
    return {"seed": context.seed, "time": {"seconds": 1.5}}


def draw_lines(results: MeasurementResults, size: FigureSize) -> Any:
    rows = [ForestRow(name, compute_mean(results[name]), (1, 9)) for name in ("flat", "low")]
    return draw_forest_plot(size, "Lines per game", "rules standard", rows)


SMALL_PAPER = Paper(
    name="becker",  # tests put it in the place of this paper
    title="A small paper | with a bar",
    source="Invented",
    description="A short description.",
    rules="standard",
    measurements=[
        GameMeasurement("flat", WeightedAgent("flat", {"bumpiness": -1.0}, rules="standard"), 40, 20),
        GameMeasurement("low", WeightedAgent("low", {"landing_height": -1.0}, rules="standard"), 40, 20),
        TrainingMeasurement("bred", "gavrilov", 2, 2, (*SHORT_TRAINING, "final=5")),
        CustomMeasurement("counted", measure_seed),
    ],
    claims=[
        Claim("lines, flat", "page 1", PublishedLowerBound(bound=0), make_mean_reader("flat")),
        Claim(
            "lines, low",
            "page 2",
            PublishedRange(low=10**6, high=10**7),
            make_mean_reader("low"),
            difference_cause="it is invented",
            readings=[Reading("it is a million", lambda results: MeasuredValue(2e6), criterion="another")],
        ),
        Claim(
            "lines, flat, fitted",
            "page 2",
            PublishedRange(low=4, high=6),
            lambda results: MeasuredValue(5.0),
            fitted_reading="the page was chosen to fit",
        ),
        Claim(
            "a constant",
            "page 2",
            PublishedRange(low=1, high=1),
            lambda results: MeasuredValue(1.0),
            kind=ClaimKind.TRANSCRIPTION,
        ),
        Claim(
            "lines, bred",
            "page 3",
            PublishedRange(low=0, high=1),
            make_seed_mean_reader("bred"),
            published_rules="a board of another size",
        ),
        Claim(
            "the seed",
            "page 4",
            PublishedStatement("is one"),
            lambda results: MeasuredValue(holds=results["counted"]["seed"] == 1),
        ),
    ],
    questions=[OpenQuestion("Why?", "page 5", lambda results: f"Because of seed {results['counted']['seed']}.")],
    figures=[PaperFigure("lines", "Figure 1: lines", "Both agents.", draw_lines)],
    notes=["There were no decisions."],
)
