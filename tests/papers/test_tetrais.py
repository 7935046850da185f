"""The TetrAIs report: the constants of the report, its agents' readings, and the calculations of the paper."""

import math
from pathlib import Path
from typing import Any

import pytest

from tetrion.board import Placement
from tetrion.evaluation import start_threads
from tetrion.game import Game
from tetrion.papers.measurements import MeasurementContext
from tetrion.papers.tetrais import measure
from tetrion.papers.tetrais.measure import REPORT_SIZES


@pytest.fixture
def context(tmp_path: Path) -> Any:
    with start_threads(1) as workers:
        yield MeasurementContext(tmp_path, 1, True, workers)


def make_growth(*sizes: tuple[float, ...], rate: float = 0.01) -> dict[str, Any]:
    """Return runs with these largest weights after five episodes."""
    runs = [{"rate": rate, "seed": seed, "weights": [[size, -1] for size in run]} for seed, run in enumerate(sizes)]
    return {"features": ["lines", "holes"], "runs": runs}


FITTING, EARLY, LATE = (36, 1e3, 2e10, 1e50, 1e120), (36, 40, 1e3, 1e4, 1e5), (1e20, 1e40, 1e60, 1e80, 1e110)


def test_piece_is_pushed_back_to_the_right_wall() -> None:
    game = Game("tetrais:randomiser=only-I")
    horizontal = {placement.column: placement for placement in game.placements() if placement.rotation == 0}
    assert measure.count_wall_push_columns(horizontal[0], 10) == 1
    assert measure.count_wall_push_columns(horizontal[6], 10) == 4  # columns 6, 7, 8 and 9
    assert measure.count_wall_push_columns(horizontal[6], 11) == 5
    assert measure.count_wall_push_columns(Placement("I", 1, 9, 0), 10) == 1
    placements = Game("tetrais:randomiser=only-T").placements()
    assert sum(measure.count_wall_push_columns(placement, 10) for placement in placements) == 40  # as in the report


def test_raw_weights_diverge_and_differences_do_not(context: MeasurementContext) -> None:
    growth = measure.measure_growth(context)
    fast = {
        name: max(measure.list_sizes(run)[-1] for run in growth[name]["runs"] if math.isclose(run["rate"], 0.001))
        for name in ("raw", "differences")
    }
    assert fast["raw"] > 1e10
    assert fast["differences"] < 10
    assert "aggregate_height" not in growth["without_height"]["features"]
    keys = [[(run["rate"], run["seed"]) for run in growth[name]["runs"]] for name in growth]
    assert keys[0] == keys[1] == keys[2]


@pytest.mark.parametrize(
    ("sizes", "fits"),
    [
        (FITTING, (True, True, True)),
        ((4, 4, 4, 4, 4), (False, False, False)),  # weights that do not change
        (LATE, (False, True, True)),
        ((200, 200, 1e9, 1e9, 1e90), (False, False, False)),
    ],
)
def test_weights_fit_the_report_after_each_episode(sizes: tuple[float, ...], fits: tuple[bool, bool, bool]) -> None:
    assert measure.judge_run(make_growth(sizes)["runs"][0]) == fits


def test_growth_agrees_only_if_one_run_fits_after_all_episodes() -> None:
    assert REPORT_SIZES == (35.66024158, 1e10, 5.46e122)
    separate = measure.growth_fits(make_growth(EARLY, LATE))
    assert separate.holds is False
    assert separate.evidence.endswith("already have 1.00 × 10²⁰ after the first")
    assert measure.growth_fits(make_growth(EARLY, FITTING)).holds
    assert measure.growth_rows(make_growth(EARLY, LATE))[0][4] == "1, 1, 1 of 2"
    assert measure.rate_of_divergence(make_growth(LATE, FITTING)).text == "from a learning rate of 0.01 on"
    assert measure.rate_of_divergence(make_growth(LATE, EARLY)).holds is False
    only_first = measure.grown_only_in_first(make_growth(LATE, LATE, EARLY), make_growth(LATE, EARLY, EARLY))
    assert (only_first.value, only_first.text) == (1, "2 and 1 of 3 runs")


def test_cell_of_the_grid_is_chosen_and_measured_with_different_seeds() -> None:
    cells = [
        {"rate": 0.1, "episodes": 15, "scores": [9, 9, 1, 2], "capped": 0},
        {"rate": 0.2, "episodes": 50, "scores": [1, 1, 9, 9], "capped": 4},
    ]
    grid = {"seeds": 4, "games": 10, "cells": cells}
    assert measure.best_training(grid).value == 1.5
    assert measure.best_training(grid).basis.startswith("learning rate 0.1, 15 episodes, chosen with 2 seeds")
    assert measure.share_at_limit(grid).value == 0
