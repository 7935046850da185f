"""Tests of the estimate of the time left: it includes the growth of the games and the final games."""

import pytest

from tests.training.small_recipes import make_small_recipe
from tetrion.evaluation import start_threads
from tetrion.training.fitness import TrainingWorkers
from tetrion.training.recipe import Recipe
from tetrion.training.training_progress import TrainingProgress, TrainingReporter


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


def test_pieces_left_are_known_within_a_factor_of_two() -> None:
    changes = ["games.max_pieces=[400]", "validation.max_pieces=400", "validation.games=5", "validation.final_games=60"]
    estimates, truth, _ = train_and_estimate(Recipe.load("gavrilov-plus", changes))
    for estimated, left in zip(estimates[1:], truth[1:], strict=True):
        assert left / 2 < estimated < left * 2


@pytest.mark.parametrize("learner", ["genetic", "td"])
def test_final_games_are_counted(learner: str) -> None:
    _, _, reports = train_and_estimate(make_small_recipe(learner, "validation.final_games=40"))
    numbers = [report.task.partition("(")[2].rstrip(")").split(" of ") for report in reports]
    done = [int(number[0].replace(",", "")) for number in numbers]
    planned = {number[1] for number in numbers}
    assert done == sorted(done)
    assert done[0] == 0
    assert planned == {str(done[-1])}
    assert reports[0].seconds_left
