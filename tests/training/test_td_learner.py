"""Tests of training by temporal differences: results, checkpoints, and mistakes in recipes."""

from pathlib import Path

import numpy as np
import pytest

import tetrion
from tests.lab.small_runs import render_report_without_pictures
from tests.training.small_recipes import interrupt_after_three, make_small_recipe, make_stopped_run, read_run_files
from tetrion.agents import load_weighted_agent
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.cli.train_command import render_weights
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation import start_threads
from tetrion.lab.run_summary import describe_best_in_training
from tetrion.lab.training_plots import make_run_plots
from tetrion.training.checkpoint import restore_learner
from tetrion.training.fitness import SeedPurpose, TrainingWorkers, derive_seed
from tetrion.training.td_learning import PatternTables, TdLearner
from tetrion.training.trainer import resume, train


def test_run_has_metrics_and_a_result_but_no_parameters(tmp_path: Path) -> None:
    run = train(make_small_recipe("td", "validation.every=2"), tmp_path / "run", workers=1)
    assert run.parameter_names == ()
    assert list(run.metrics) == ["iteration", "pieces", "lines", "deaths", "lines_per_death", "validation"]
    assert run.metrics["pieces"].tolist() == [3 * 5 * 10] * 5
    assert np.isnan(run.metrics["validation"]).tolist() == [True, False, True, False, True]
    assert run.result
    assert set(run.result["finalists"]) <= {"iteration 2", "iteration 4", "iteration 5"}
    agent = load_weighted_agent(str(run.folder))
    assert set(agent.weights) == {"column_tops", "hole_rows_and_free_rows"}
    assert agent.view_rows == 8
    table = agent.weights["column_tops"]
    assert isinstance(table, list)
    assert all(isinstance(points, int) for points in table)
    tetrion.evaluate(agent, "standard", games=2, max_pieces=50)  # on a higher board, by its view
    assert run.result["held_out"]["rules"] == "standard:height=8"
    tetrion.save_agent(agent, tmp_path / "mine.json")
    loaded = load_weighted_agent(str(tmp_path / "mine.json"))
    assert (loaded.weights, loaded.view_rows) == (agent.weights, 8)


def test_best_tables_are_kept_and_restored(tmp_path: Path) -> None:
    """The agent with the best validation score is stored in the checkpoint, not in the history."""
    recipe = make_small_recipe("td", "validation.every=1", "validation.games=20", "td.first_discount=0.9")
    run = train(recipe, tmp_path / "run", workers=1)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, tmp_path / "stopped", workers=1, on_progress=interrupt_after_three)
    resume(tmp_path / "stopped", workers=2)
    assert read_run_files(tmp_path / "stopped") == read_run_files(run.folder)


def test_horizon_grows_until_the_middle_of_training() -> None:
    recipe = make_small_recipe("td", "td.iterations=4", "td.discount=0.99", "td.first_discount=0.9")
    learner = TdLearner(recipe)
    expected = PatternTables(recipe.settings, learner.rules, derive_seed(recipe.seed, SeedPurpose.TRAINING))
    with start_threads(1) as threads:
        workers = TrainingWorkers(threads)
        for horizon in (10, 55, 100, 100):
            assert learner.get_discount() == pytest.approx(1 - 1 / horizon)
            expected.learn(learner.get_rates(), 1 - 1 / horizon, workers)
            learner.step(workers)
            np.testing.assert_array_equal(learner.pattern_tables.tables, expected.tables)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("patterns=['row_cell']", r"Unknown pattern 'row_cell'\. Did you mean 'row_cells'\?"),
        ("patterns=['row_cells','row_cells']", r"td\.patterns must be one or more different patterns; given \['row_c"),
        ("rules=medico", r"learner td supports movement=drop without .*; given movement=reach"),
        ("td.first_discount=0.999", r"at most td\.discount, .* given first_discount = 0\.999, discount = 0\.99\."),
        ("finalists=3", r"learner td have no validation\.finalists: the finalists are the last agent and .* Remove"),
        ("generations=3", r"The learner td has td\.iterations instead, the number of iterations"),
    ],
)
def test_mistakes_in_recipes_are_explained(change: str, message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        make_small_recipe("td", change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("td.iterations=9", "cannot become longer or shorter: the learning rate falls until the last iteration"),
        ("td.games=9", r"can change when a run is resumed: `workers`, `executor` and `device`, .* Given td\.games\."),
    ],
)
def test_end_of_a_run_cannot_change(change: str, message: str, tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run", "td")
    before = read_run_files(folder)
    with pytest.raises(RunError, match=message):
        resume(folder, changes=[change], workers=1)
    assert read_run_files(folder) == before
    config = folder / CONFIG_FILE
    content = config.read_text("utf-8")
    config.write_text(content.replace("iterations = 5", "iterations = 9"), encoding="utf-8")
    with pytest.raises(RunError, match="differs from the recipe of the run; undo the changes, or start"):
        resume(folder, workers=1)


def test_run_without_parameters_is_shown(tmp_path: Path) -> None:
    """The tables have too many numbers for the history, so there are no columns of incumbents."""
    run = train(make_small_recipe("td"), tmp_path / "run", workers=1)
    assert run.incumbents.shape == (5, 0)
    assert b"Best agent</h" not in render_report_without_pictures(run)
    assert [plot.name for plot in make_run_plots(run)] == ["lines", "held-out"]
    assert render_weights(restore_learner(run, run.recipe).learner)
    assert run.result
    assert "lines per death in iteration " in describe_best_in_training(run, run.result)
