"""An invented paper: two agents, a training run and a calculation, measured within seconds."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tetrion.agents import WeightedAgent
from tetrion.evaluation import start_threads
from tetrion.lab.figure_charts import FigureSize
from tetrion.papers.charts import ForestRow, draw_forest_plot
from tetrion.papers.definition import Paper
from tetrion.papers.measured_values import MeasuredValue, compute_mean
from tetrion.papers.measurements import CustomMeasurement, GameMeasurement, MeasurementContext, TrainingMeasurement
from tetrion.papers.reproduction import Reproduction, reproduce
from tetrion.progress import Observer, Progress

SHORT_TRAINING = (
    "population=6",
    "tournament_size=3",
    "generations=3",
    "games.max_pieces=[60]",
    "validation.games=2",
    "validation.max_pieces=200",
)
CLAIMS = """
title = "A small paper"
label = "Small"
source = "Invented"
description = "A short description."
rules = "standard"
summary = "It clears {{ value('flat.lines') }} lines."

[thresholds]
many = 1_000_000

[[claims]]
name = "flat"
statement = "lines, flat"
location = "page 1"
quotation = "“some”"
measured = "flat.lines"
above = 0
central = ["lines", "some"]

[[claims]]
name = "low"
statement = "lines, low"
location = "page 2"
criterion_text = "{{ many }} or more"
measured = "low.lines"
above = "many"
cause = "it is invented"
central = ["lines, low", "many", "few"]
readings = [
  { condition = "it is a million", measured = "number(2e6)" },
  { condition = "it was fitted", measured = "number(3e6)", is_fitted = true },
]

[[claims]]
name = "other"
statement = "lines, low, fitted"
location = "page 2"
measured = "low.lines"
between = [1e6, 1e7]
readings = [{ condition = "it was fitted", measured = "number(3e6)", is_fitted = true }]

[[claims]]
name = "fitted"
statement = "a default that fits"
location = "page 2"
measured = "number(5)"
between = [4, 6]
fitted = "the page was chosen to fit"

[[claims]]
name = "bred"
statement = "lines, bred"
location = "page 3"
measured = "bred.lines"
between = [0, 1]
published_rules = "a board of another size"

[[claims]]
name = "seed"
statement = "the seed | a bar"
location = "page 4"
measured = "check_seed(counted.seed)"
holds = true
is_own = true

[figures.lines]
title = "Figure 1: lines"
caption = "Both agents."
"""


def measure_seed(context: MeasurementContext) -> dict[str, Any]:
    return {"seed": context.seed, "time": {"seconds": 1.5}}


def check_seed(seed: int) -> MeasuredValue:
    return MeasuredValue(holds=seed == 1, text=f"seed {seed}")


def draw_lines(results: Mapping[str, Any], size: FigureSize) -> Any:
    rows = [ForestRow(name, compute_mean(results[name]), (1, 9)) for name in ("flat", "low")]
    return draw_forest_plot(size, "Lines per game", "rules standard", rows)


MEASUREMENTS = [
    GameMeasurement("flat", WeightedAgent("flat", {"bumpiness": -1.0}, rules="standard"), 40, 20),
    GameMeasurement("low", WeightedAgent("low", {"landing_height": -1.0}, rules="standard"), 40, 20),
    TrainingMeasurement("bred", "gavrilov", 2, 2, (*SHORT_TRAINING, "final_games=5")),
    CustomMeasurement("counted", measure_seed),
]


def make_paper(claims: str = CLAIMS, measurements: Sequence[Any] = MEASUREMENTS) -> Paper:
    """Return the paper with other claims or measurements; tests put it in the place of `becker`."""
    return Paper.from_toml("becker", claims, measurements, (check_seed,), (draw_lines,))


SMALL_PAPER = make_paper()


def ignore_progress(progress: Progress) -> None:
    """Do nothing."""


def reproduce_quickly(
    folder: Path, on_progress: Observer[Progress] = ignore_progress, paper: Paper = SMALL_PAPER, seed: int = 1
) -> Reproduction:
    with start_threads(2) as threads:
        return reproduce(paper, folder, threads, quick=True, seed=seed, on_progress=on_progress)
