"""Medico's bot: two modes with a set of weights each, all reachable placements, and the next piece.

The report switches modes "based on how full the board currently is" and measures that by the sum of the column heights,
but it does not give the threshold. Tetrion uses 100, half of the cells of the board.
"""

from tetrion.agents.weighted_agent import SecondMode, WeightedAgent

COMMON_WEIGHTS = {"four_lines": 10_000, "holes": -50, "bumpiness": -1, "aggregate_height": -1, "danger": -1000}
SCORING_WEIGHTS = {"one_line": -100, "two_lines": -80, "three_lines": -50, **COMMON_WEIGHTS, "last_column_cells": -1000}
RECOVERY_WEIGHTS = {"one_line": 100, "two_lines": 400, "three_lines": 900, **COMMON_WEIGHTS}

MEDICO_AGENTS = (
    WeightedAgent(
        "medico",
        SCORING_WEIGHTS,
        source="Medico, Tetris bot project report",
        family="medico",
        rules="medico",
        depth=2,
        second_mode=SecondMode(RECOVERY_WEIGHTS, "aggregate_height", 100, ("scoring", "recovery")),
    ),
)
