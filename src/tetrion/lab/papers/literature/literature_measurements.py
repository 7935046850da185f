"""Measurements of the controllers of the literature: games on several boards, tie-breaking rules and trainings."""

from tetrion.agents import WeightedAgent
from tetrion.lab.papers.literature.capped_games import CappedGameMeasurement
from tetrion.lab.papers.literature.cross_entropy_runs import CROSS_ENTROPY_TRAININGS
from tetrion.lab.papers.literature.literature_answers import BURGIEL_MAX_PIECES
from tetrion.lab.papers.literature.literature_controllers import (
    CONTROLLER_NAMES,
    DELLACHERIE_WEIGHTS,
    LITERATURE_CONTROLLERS,
    TIE_BREAKS,
    TIE_MEASUREMENTS,
)
from tetrion.lab.reproduction.measurements import GameMeasurement, Measurement

_ENTRY_RULES = "standard:spawn_height=0,game_over=entry"  # a new piece must fit into the middle of the top rows

LITERATURE_MEASUREMENTS: list[Measurement] = [
    *(
        GameMeasurement(f"{name}-10x10", name, games=12_000, quick_games=1500, rules="standard-10x10")
        for name in CONTROLLER_NAMES
    ),
    *(
        CappedGameMeasurement(
            f"{controller.name}-10x20",
            controller.name,
            games=controller.games,
            quick_games=controller.quick_budget[0],
            rules="standard",
            max_pieces=controller.max_pieces,
            quick_max_pieces=controller.quick_budget[1],
            batch_count=1 if controller.is_long else 20,
            is_long=controller.is_long,
        )
        for controller in LITERATURE_CONTROLLERS
    ),
    GameMeasurement(
        "dellacherie-entry",
        "dellacherie",
        games=200,
        quick_games=60,
        rules=_ENTRY_RULES,
        max_pieces=1_000_000,
        quick_max_pieces=300_000,
        batch_count=8,
    ),
    *(
        GameMeasurement(
            f"dellacherie-10x{rows}",
            "dellacherie",
            games=games,
            quick_games=quick_games,
            rules=f"standard:height={rows}",
            max_pieces=max_pieces,
            batch_count=4,
        )
        for rows, games, quick_games, max_pieces in (
            (12, 3000, 200, 10_000_000),
            (14, 800, 40, 10_000_000),
            (16, 160, 10, 2_000_000),
            (18, 160, 10, 1_000_000),
        )
    ),
    *(
        GameMeasurement(
            TIE_MEASUREMENTS[label],
            WeightedAgent(f"dellacherie, {label}", {**DELLACHERIE_WEIGHTS, **weights}),
            games=4000,
            quick_games=800,
            rules="standard-10x10",
        )
        for label, weights in TIE_BREAKS.items()
    ),
    *(
        GameMeasurement(
            f"{name}-alternating", name, 1, 1, "standard:randomiser=alternating-sz", max_pieces=BURGIEL_MAX_PIECES
        )
        for name in CONTROLLER_NAMES
    ),
    *(GameMeasurement(f"{name}-sz", name, 10_000, 500, "standard:randomiser=sz") for name in CONTROLLER_NAMES),
    *CROSS_ENTROPY_TRAININGS,
]
