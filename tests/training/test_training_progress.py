"""Tests of the estimate of the time left: it includes the growth of the games and the final games."""

import numpy as np
import pytest

from tests.training.small_recipes import make_small_recipe
from tetrion.evaluation import start_threads
from tetrion.training.fitness import TrainingWorkers
from tetrion.training.recipe import Recipe
from tetrion.training.training_progress import TrainingProgress, TrainingReporter, forecast_growth


def train_and_estimate(recipe: Recipe) -> tuple[list[float], list[int], list[TrainingProgress]]:
    """Return the estimated number of pieces left after each step, the true one, and all reports of the final games."""
    reports: list[TrainingProgress] = []
    learner = recipe.learner_type(recipe)
    with start_threads(1) as threads:
        reporter = TrainingReporter(learner, "", reports.append)
        workers = TrainingWorkers(threads, reporter.report_games, reporter.report_pieces, reporter.add_games)
        estimates: list[float] = []
        placed: list[int] = []
        while not learner.is_done():
            learner.step(workers)
            reporter.report_step()
            estimates.append(reporter.estimator.estimate_pieces())
            placed.append(reporter.pieces)
        first = len(reports)
        reporter.begin_final_games()
        learner.select_result(workers)
    return estimates, [reporter.pieces - pieces for pieces in placed], reports[first:]


@pytest.mark.parametrize(
    ("recipe", "step"),
    [("gavrilov-plus", 2), ("gavrilov", 3), ("hindi-crowds", 3), ("becker-tuned", 3)],
)
def test_pieces_left_are_known_within_a_factor_of_two(recipe: str, step: int) -> None:
    changes = ["games.max_pieces=[400]", "validation.max_pieces=400", "validation.games=5", "validation.final_games=60"]
    estimates, truth, _ = train_and_estimate(Recipe.load(recipe, changes))
    for estimated, left in zip(estimates[step - 1 :], truth[step - 1 :], strict=True):
        assert left / 2 < estimated < left * 2


@pytest.mark.parametrize("learner", ["genetic", "q-learning", "td"])
def test_final_games_are_counted(learner: str) -> None:
    _, _, reports = train_and_estimate(make_small_recipe(learner, "validation.final_games=40"))
    numbers = [report.task.partition("(")[2].rstrip(")").split(" of ") for report in reports]
    done = [int(number[0].replace(",", "")) for number in numbers]
    planned = {number[1] for number in numbers}
    assert done == sorted(done)
    assert done[0] == 0
    assert planned == {str(done[-1])}
    assert reports[0].seconds_left


def test_growth_is_damped_and_never_negative() -> None:
    assert forecast_growth([100.0] * 20, 50) == pytest.approx(np.ones(50))
    assert forecast_growth([100.0, 50.0], 3) == pytest.approx(np.ones(3))
    doubling = forecast_growth([10.0, 20.0], 100)
    assert doubling[0] == pytest.approx(2**0.85)
    assert doubling[-1] == pytest.approx(2 ** (0.85 / 0.15), rel=1e-6)
