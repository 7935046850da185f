"""Agents of the research literature: current piece only, straight drops, weights as published.

`landing_height` is measured in half rows, so a weight published per row is halved. The weights of `tsitsiklis`, which
are not known to us, were learned by the recipe of the same name.
"""

from tetrion.agents.weighted_agent import WeightedAgent

THIERY_SCHERRER_FEATURES = (
    "landing_height",
    "eroded_cells",
    "row_transitions",
    "column_transitions",
    "holes",
    "wells",
    "hole_depth",
    "rows_with_holes",
)
COLUMN_HEIGHT_FEATURES = [f"height_{column}" for column in range(1, 11)]
HEIGHT_DIFFERENCE_FEATURES = [f"difference_{column}" for column in range(1, 10)]


def make_literature_agent(name: str, source: str, weights: dict[str, float], rules: str = "standard") -> WeightedAgent:
    """Create an agent; the weight of `landing_height` is given per row, as published."""
    if "landing_height" in weights:
        weights = {**weights, "landing_height": weights["landing_height"] / 2}
    return WeightedAgent(name, weights, source=source, family="literature", rules=rules)


def name_weights(names: list[str], weights: tuple[float, ...]) -> dict[str, float]:
    """Return a mapping from feature name to weight."""
    return dict(zip(names, weights, strict=True))


LITERATURE_AGENTS = (
    make_literature_agent(
        "dellacherie",
        "Dellacherie 2003, in Fahey, Tetris AI",
        dict(zip(THIERY_SCHERRER_FEATURES[:6], (-1.0, 1, -1, -1, -4, -1), strict=True)),  # Dellacherie's six features
    ),
    make_literature_agent(
        "du",
        "Thiery and Scherrer 2009, DU (BCTS)",
        dict(
            zip(
                THIERY_SCHERRER_FEATURES,
                (-12.629, 6.601974, -9.215815, -19.77356, -13.08335, -10.48747, -1.611863, -24.04087),
                strict=True,
            )
        ),
    ),
    make_literature_agent(
        "bdu",
        "Thiery and Scherrer 2009, BDU",
        {
            **name_weights(
                COLUMN_HEIGHT_FEATURES,
                (
                    -13.18725,
                    -7.652075,
                    7.622007,
                    -9.044294,
                    -1.747279,
                    -7.569865,
                    -5.221819,
                    -0.6874555,
                    -6.4831,
                    -16.01383,
                ),
            ),
            **name_weights(
                HEIGHT_DIFFERENCE_FEATURES,
                (2.356909, 2.143912, -7.351929, 1.558139, 0.433698, 3.655922, -4.673708, -1.997187, 9.122675),
            ),
            "max_height": 12.36382,
            "holes": -40.64,
            "landing_height": -43.27153,
            "eroded_cells": -1.036039,
            "row_transitions": -36.93346,
            "column_transitions": -81.00232,
            "wells": -41.17906,
            "hole_depth": -13.27585,
            "rows_with_holes": -75.47524,
        },
    ),
    make_literature_agent(
        "dt10",
        "Gabillon, Ghavamzadeh and Scherrer 2013, DT-10",
        {
            **dict(zip(THIERY_SCHERRER_FEATURES, (-2.18, 2.42, -2.17, -3.31, 0.95, -2.22, -0.81, -9.65), strict=True)),
            "diversity": 1.27,
        },
    ),
    make_literature_agent(
        "dt20",
        "Gabillon, Ghavamzadeh and Scherrer 2013, DT-20",
        {
            **dict(zip(THIERY_SCHERRER_FEATURES, (-2.68, 1.38, -2.41, -6.32, 2.03, -2.71, -0.43, -9.48), strict=True)),
            "diversity": 0.89,
        },
    ),
    make_literature_agent(
        "el-tetris",
        "El-Ashi 2011, El-Tetris",
        {
            "landing_height": -4.500158825082766,
            "lines": 3.4181268101392694,
            "row_transitions": -3.2178882868487753,
            "column_transitions": -9.348695305445199,
            "holes": -7.899265427351652,
            "wells": -3.3855972247263626,
        },
    ),
    make_literature_agent(
        "ce-bertsekas",
        "Szita and Lőrincz 2006, Thiery and Scherrer 2009: cross-entropy on Bertsekas' features",
        {
            **name_weights(
                COLUMN_HEIGHT_FEATURES,
                (31.791, -26.81008, -1.92745, -7.703548, -8.963847, -1.165515, -8.452893, -3.272765, -30.711, 33.21558),
            ),
            **name_weights(
                HEIGHT_DIFFERENCE_FEATURES,
                (-52.004, -30.31576, -46.973, -40.59127, -39.49936, -34.69435, -45.43003, -31.68468, -51.88506),
            ),
            "max_height": -10.68478,
            "holes": -211.1157,
        },
    ),
    make_literature_agent(
        "lee",
        "Lee 2013, Tetris AI: the (near) perfect bot",
        {"aggregate_height": -0.510066, "lines": 0.760666, "holes": -0.35663, "bumpiness": -0.184483},
        "standard:randomiser=bag,preview=1",
    ),
    make_literature_agent(
        "tsitsiklis",
        "Tsitsiklis and Van Roy 1996: two features; trained with the recipe tsitsiklis, seed 0",
        {"lines": 1.0, "max_height": -1.203633874334674, "holes": -0.8162203276633864},
    ),
)
