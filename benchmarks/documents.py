"""What the documents publish of their agents, and what we measure: python -m benchmarks.documents [NAME...].

Every claim is measured under the document's own rules and kept in benchmarks/results/documents.json; a name measures
the claims of one document anew. The figures are the same on every machine.
"""

import json
import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import AnyAgent, DataAgent, data_agent, load
from tetrion.engine.agents import Terms
from tetrion.evaluation import Evaluation, evaluate
from tetrion.evaluation.intervals import of_mean

FILE = Path(__file__).parent / "results" / "documents.json"
SEED = 1
READ_GAMES = 20_000  # for each reading


class Claim(NamedTuple):
    """What a document says of an agent: the published figure, the mean of how many games it is, why ours differs."""

    agent: str
    what: str  # lines, score or points a line
    published: str
    value: float | None = None  # the published mean as a number, where there is one
    of_games: int | None = None
    between: tuple[float, float] | None = None  # or the range that the document gives
    rules: str | None = None  # the agent's own if not given
    games: int = 2000
    pieces: int | None = None  # the cap of a game
    whole: bool = False  # whether the mean of whole games is wanted all the same
    why: str = ""


BEST = "a table's score is that of the best of a generation, summed over its games: an extreme, not a mean"

CLAIMS = {
    "gavrilov": [
        Claim(
            "random-keys",
            "lines",
            "1–2",
            1.5,
            10,
            games=500,
            why="how fast keys are pressed is not given, nor whether 1–2 is the mean; ours presses sixty a second",
        ),
        Claim("lowest", "lines", "7–8", 7.5, 10),
        Claim("gavrilov-2", "lines", "60–70", 65, 10),
        Claim("gavrilov-3", "lines", "about 15", 15, 10),
        Claim("gavrilov-4", "lines", "about 20", 20, 10),
        Claim("gavrilov", "lines", "> 1,500", games=300),
    ],
    "becker": [
        Claim(
            "becker",
            "lines",
            "20–30, best 90",
            between=(20, 30),
            why="the slides' code removes full rows before it looks, and so does ours; the row below fits the figure",
        ),
        Claim("becker:measured=before", "lines", "(the same, measured before rows are removed)", between=(20, 30)),
    ],
    "hindi": [
        *(
            Claim(f"hindi-{row}", "score", f"{best:,} (Table I)", games=40_000, pieces=500, why=BEST)
            for row, best in enumerate((73_800, 26_260, 103_220, 69_240), 1)
        ),
        *(
            Claim(f"hindi-look-{row}", "score", f"{best:,} (Table II)", pieces=500, why=BEST)
            for row, best in enumerate((103_400, 109_540, 107_660), 1)
        ),
    ],
    "tetrais": [
        Claim(
            "random",
            "score",
            "24.756",
            24.756,
            1000,
            games=20_000,
            why="how a game ends is not said; of the endings that the rules can have, ours is the nearest",
        ),
        Claim("min-height", "score", "58.705", 58.705, 1000, games=20_000),
        Claim(
            "tetrais-greedy",
            "score",
            "6,883.101",
            6883.101,
            1000,
            games=20_000,
            why="whole weights tie often, and which of equals is taken is not said: see below",
        ),
        Claim("tetrais-depth2", "lines", "> 10,000", games=60, pieces=1_000_000, whole=True),
    ],
    "medico": [
        Claim("medico", "score", "14,304 (mean of the ten runs)", 14_304, 10),
        Claim("medico", "lines", "130.2", 130.2, 10),
        Claim("medico", "points a line", "110"),
        Claim("medico:threshold=1000", "score", "(scoring mode alone)"),
        Claim("medico:threshold=0", "score", "(recovery mode alone)", games=200),
        Claim("medico:depth=1", "score", "(without the next piece)"),
        Claim("medico", "score", "(without tucks)", rules="medico:movement=drop"),
    ],
}

# Other readings of "minimum height", by the features that they go by.
READINGS = {
    "lowest cell lowest, any turn": {"piece_bottom": -1.0},
    "highest cell lowest, any turn": {"piece_top": 1.0},
    "middle lowest, any turn": {"landing_height": -1.0},
    "lowest cell lowest, as the piece comes": {"turns": -100.0, "piece_bottom": -1.0},
    "left edge nearest to the lowest column, as the piece comes": {"turns": -100.0, "lowest_column_distance": -1.0},
    "left edge nearest to the lowest column, any turn (`min-height`)": data_agent("min-height").weights,
}

# Which of equally good placements the greedy agent takes.
GREEDY = dict(data_agent("tetrais-greedy").weights)
TIES = {
    "the first by turn and column, as everywhere here": GREEDY,
    "the one whose highest cell is lower": {**GREEDY, "piece_top": 0.01},
    "the one whose highest cell is higher": {**GREEDY, "piece_top": -0.01},
    "the one farther from the lowest column": {**GREEDY, "lowest_column_distance": 0.01},
}


OTHERS: dict[str, dict[str, Terms]] = {"readings": dict(READINGS), "ties": dict(TIES)}


class Controller(NamedTuple):
    """A controller of the literature on 10×20: its published mean lines and relative margin, and what we spend."""

    name: str
    published: float
    margin: float
    games: int
    pieces: int


LITERATURE = [
    Controller("ce-bertsekas", 138_654, 0.20, 1000, 10_000_000),
    Controller("dellacherie", 6.3e6, 0.09, 1600, 1_500_000),
    Controller("el-tetris", 16e6, 0.20, 800, 2_000_000),
    Controller("du", 32.9e6, 0.12, 1600, 2_000_000),
    Controller("bdu", 36e6, 0.20, 1600, 2_000_000),
    Controller("dt10", 34.7e6, 0.12, 1600, 2_000_000),
    Controller("dt20", 65e6, 0.12, 2400, 2_500_000),
    Controller("lee", 630, 0.09, 2000, 10_000_000),
]


def numbers_of(result: Evaluation, what: str) -> Any:
    """A number a game; points a line are those of all games together."""
    return result.per_game["score" if what == "score" else "lines"]


def published_interval(claim: Claim, deviation: float) -> tuple[float, float] | None:
    """What a document's games leave open: the range that it gives, or by their number and the spread that we see."""
    if claim.value is None or not claim.of_games:
        return claim.between
    margin = 1.96 * deviation / math.sqrt(claim.of_games)
    return claim.value - margin, claim.value + margin


def measured(claim: Claim) -> dict[str, Any]:
    """A claim and what we find."""
    agent: AnyAgent = load(claim.agent)
    rules = claim.rules or str(getattr(agent, "rules", "standard"))
    result = evaluate(agent, rules, claim.games, SEED, most_pieces=claim.pieces)
    numbers = numbers_of(result, claim.what)
    ours, interval = float(numbers.mean()), of_mean(numbers)
    if claim.whole and result.capped:
        summary = result.score if claim.what == "score" else result.lines
        ours, interval = float(summary.mean or 0), summary.ci95
    if claim.what == "points a line":
        ours, interval = float(result.points_per_line or 0), None
    found: dict[str, Any] = {
        **{"agent": claim.agent, "rules": rules, "what": claim.what, "published": claim.published, "why": claim.why},
        **{
            "games": result.games,
            "cap": claim.pieces,
            "capped": result.capped,
            "whole": claim.whole,
            "mean": ours,
            "ci95": interval,
        },
        **{"median": float(np.median(numbers)), "max": int(numbers.max())},
        "normalised_variance": result.normalised_variance,
    }
    if published := published_interval(claim, float(numbers.std())):
        low, high = interval or (ours, ours)
        found |= {"published_interval": published, "agrees": low <= published[1] and high >= published[0]}
    print(f"{claim.agent}: {claim.what} {ours:,.1f}, published {claim.published}", flush=True)
    return found


def reading(name: str, weights: Terms) -> dict[str, Any]:
    """The points that a reading makes."""
    score = evaluate(DataAgent(name, weights), "tetrais", READ_GAMES, SEED).score
    return {"reading": name, "games": READ_GAMES, "mean": score.mean, "ci95": score.ci95}


def controller(known: Controller) -> dict[str, Any]:
    """A controller of the literature on the standard board, with capped games."""
    result = evaluate(known.name, "standard", known.games, SEED, most_pieces=known.pieces)
    shown = {"agent": known.name, "published": known.published, "margin": known.margin, "cap": known.pieces}
    shown |= {"games": result.games, "deaths": result.deaths, "mean": result.lines.mean, "ci95": result.lines.ci95}
    print(shown, f"{result.pieces_per_second:,.0f} pieces/s", flush=True)
    return shown


def parts(name: str) -> list[Callable[[], dict[str, Any]]]:
    """What is to be measured under a name: a document, readings, literature, or one controller of it."""
    if name in CLAIMS:
        return [partial(measured, claim) for claim in CLAIMS[name]]
    if name in OTHERS:
        return [partial(reading, known, weights) for known, weights in OTHERS[name].items()]
    return [partial(controller, known) for known in LITERATURE if name in ("literature", known.name)]


def main(names: list[str]) -> None:
    """Measure what is asked for, and keep each figure beside the rest as soon as it is known."""
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    every = [*CLAIMS, *OTHERS, "literature"]
    for name in names or every:
        kept.pop(name, None)
        for measure in parts(name):
            found = measure()
            home = name if name in CLAIMS or name in OTHERS else "literature"
            others = [known for known in kept.get(home, []) if home != "literature" or known["agent"] != found["agent"]]
            kept[home] = [*others, found]
            kept = {place: kept[place] for place in every if place in kept}
            FILE.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
