"""A paper that nobody wrote: two agents, a training and a calculation, measured in a moment."""

from typing import Any

from tetrion.agents import DataAgent
from tetrion.lab.charts import Size
from tetrion.lab.reproduction.figures import Entry, forest
from tetrion.lab.reproduction.findings import mean, mean_in, over_seeds
from tetrion.lab.reproduction.measuring import Calculation, Laboratory, Play, Training
from tetrion.lab.reproduction.paper import Claim, Drawing, Paper, Question, Results
from tetrion.lab.reproduction.published import Ours, Range, Statement

SHORT = ("population=6", "tournament=3", "generations=3", "games.pieces=[60]", "judge.games=2", "judge.pieces=200")


def counted(laboratory: Laboratory) -> dict[str, Any]:
    return {"seed": laboratory.seed, "time": {"seconds": 1.5}}


def drawn(results: Results, size: Size) -> Any:
    entries = [Entry(name, mean_in(results[name]), (1, 9)) for name in ("flat", "low")]
    return forest(size, "Lines a game", "rules standard", entries)


SMALL = Paper(
    name="becker",  # whose place it takes
    title="A small paper | with a bar",
    source="Nobody",
    about="It says little.",
    rules="standard",
    measurements=[
        Play("flat", DataAgent("flat", {"bumpiness": -1.0}, rules="standard"), 40, 20),
        Play("low", DataAgent("low", {"landing_height": -1.0}, rules="standard"), 40, 20),
        Training("bred", "gavrilov", 2, 2, (*SHORT, "final=5")),
        Calculation("counted", counted),
    ],
    claims=[
        Claim("lines, flat", "page 1", Range(low=0, high=10**6), mean("flat")),
        Claim("lines, low", "page 2", Range(low=10**6, high=10**7), mean("low"), cause="it is made up"),
        Claim("lines, bred", "page 3", Range(low=0, high=1), over_seeds("bred"), rules="a board of another size"),
        Claim("the seed", "page 4", Statement("is one"), lambda results: Ours(holds=results["counted"]["seed"] == 1)),
    ],
    questions=[Question("Why?", "page 5", lambda results: f"Because of seed {results['counted']['seed']}.")],
    figures=[Drawing("lines", "Figure 1: lines", "Both agents.", drawn)],
    notes=["Nothing had to be decided."],
)
