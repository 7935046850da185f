"""Tests of training by temporal differences: results, checkpoints, and mistakes in recipes."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tetrion
from tests.cli.command_runner import tetrion_here
from tests.training.small_recipes import interrupt_after_three, make_small_recipe, make_stopped_run, read_run_files
from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.cli.train_command import render_weights
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation import start_threads
from tetrion.lab.run_summary import describe_best_in_training, describe_fitness
from tetrion.training import training_progress
from tetrion.training.checkpoint import CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE, restore_learner
from tetrion.training.fitness import SeedPurpose, TrainingWorkers, derive_seed
from tetrion.training.recipe import Recipe
from tetrion.training.run import RESULT_FILE, Run
from tetrion.training.td_learning import PatternTables, TdLearner
from tetrion.training.trainer import resume, train
from tetrion.training.training_progress import TrainingProgress


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
    report = json.loads((run.folder / RESULT_FILE).read_text("utf-8"))
    assert report["held_out"]["rules"] == "standard:height=8"


def test_best_tables_are_kept_and_restored(tmp_path: Path) -> None:
    """The agent with the best validation score is stored in the checkpoint, not in the history."""
    recipe = make_small_recipe("td", "validation.every=1", "validation.games=20", "td.first_discount=0.9")
    run = train(recipe, tmp_path / "run", workers=1)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, tmp_path / "stopped", workers=1, on_progress=interrupt_after_three)
    resume(tmp_path / "stopped", workers=2)
    assert read_run_files(tmp_path / "stopped") == read_run_files(run.folder)


def test_progress_is_reported_within_an_iteration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An iteration may take minutes; the time that is left is known from its first pieces on."""
    monkeypatch.setattr(training_progress, "_REPORT_SECONDS", 0.0)
    seen: list[TrainingProgress] = []
    train(make_small_recipe("td"), tmp_path / "run", workers=1, on_progress=seen.append)
    within = [progress for progress in seen if progress.done == 0 and progress.pieces][:2]
    assert [progress.pieces for progress in within] == [50, 100]
    assert all(progress.pieces_left == 5 * 150 - progress.pieces for progress in within)
    assert all(progress.seconds_left for progress in within)


def test_best_in_training_is_described_by_its_fitness_and_its_games(tmp_path: Path) -> None:
    run = train(make_small_recipe("td"), tmp_path / "run", workers=1)
    assert run.result
    description = describe_best_in_training(run, run.result)
    assert "lines per death in iteration " in description
    assert "measured on all its games" in description
    assert describe_fitness(run) == "lines per death"


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


def test_recipes_have_no_number_of_finalists(tmp_path: Path) -> None:
    """The setting would have no effect."""
    recipe = make_small_recipe("td")
    text = recipe.to_toml()
    assert "finalists" not in text
    assert "validation.finalists" not in [name for name, _, _ in recipe.list_settings()]
    path = tmp_path / "recipe.toml"
    path.write_text(text.replace("final_games", "finalists = 3\nfinal_games"), encoding="utf-8")
    with pytest.raises(TetrionError, match=r"learner td have no validation\.finalists"):
        Recipe.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("patterns=['row_cell']", r"Unknown pattern 'row_cell'\. Did you mean 'row_cells'\?"),
        ("patterns=['row_cells','row_cells']", r"td\.patterns must be one or more different patterns; given \['row_c"),
        ("patterns=[]", r"td\.patterns must be one or more different patterns"),
        ("rules=medico", r"learner td supports movement=drop without .*; given movement=reach"),
        ("rules=standard:randomiser=adversary", r"and the adversary; given randomiser=adversary\. Use other rules"),
        ("rules=guideline", r"supports movement=drop without hold, spins, .*; given movement=reach"),
        ("td.games=0", r"td\.games must be an integer from 1 to 1,048,576; given 0"),
        ("td.discount=2", r"td\.discount must be .* given 2"),
        ("td.first_discount=0.999", r"at most td\.discount, .* given first_discount = 0\.999, discount = 0\.99\."),
        ("iteratons=3", "Did you mean 'iterations'"),
        ("finalists=3", r"learner td have no validation\.finalists: the finalists are the last agent and .* Remove"),
        ("validation.finalists=5", r"learner td have no validation\.finalists"),
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
        ("iterations=2", "cannot become longer or shorter"),
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


def change_checkpoints(folder: Path, changes: dict[str, Any]) -> None:
    """Replace arrays of both checkpoints of a run; None removes an array."""
    for name in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):
        with np.load(folder / name) as content:
            arrays = dict(content)
        for key, value in changes.items():
            original = arrays.pop(key)
            if value is not None:
                arrays[key] = value(original.copy())
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        (folder / name).write_bytes(buffer.getvalue())


def fill(number: int) -> Any:
    return lambda array: np.full_like(array, number)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("learner.best_tables", None),
        ("learner.games", None),
        ("learner.weights", lambda array: array[:-8]),
        ("learner.best_tables", lambda array: array[:-4]),
        ("learner.tables", lambda array: array.astype(np.int64)),
        ("learner.step_sizes", fill(-1)),
        ("learner.games", fill(120)),
        ("learner.games", fill(1)),
    ],
)
def test_damaged_checkpoints_raise_error(key: str, value: Any, tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run", "td")
    change_checkpoints(folder, {key: value})
    with pytest.raises(RunError, match=r"cannot be resumed: checkpoint\.npz"):
        resume(folder, workers=1)


def test_damaged_result_and_agent_raise_error(tmp_path: Path) -> None:
    folder = train(make_small_recipe("td"), tmp_path / "run", workers=1).folder
    (folder / RESULT_FILE).write_text('{"held_out": 1', encoding="utf-8")
    with pytest.raises(RunError, match=RESULT_FILE):
        print(Run(folder).result)
    path = next(folder.glob("*best*.json"))
    path.write_text(path.read_text("utf-8").replace("[ 0,", "[", 1), encoding="utf-8")
    with pytest.raises(TetrionError, match="needs a table of"):
        load_weighted_agent(str(folder))


def test_agent_of_a_run_can_be_saved_and_loaded(tmp_path: Path) -> None:
    agent = load_weighted_agent(str(train(make_small_recipe("td"), tmp_path / "run", workers=1).folder))
    tetrion.save_agent(agent, tmp_path / "mine.json")
    loaded = load_weighted_agent(str(tmp_path / "mine.json"))
    assert isinstance(loaded, WeightedAgent)
    assert loaded.weights == agent.weights
    assert loaded.view_rows == 8


def test_commands_show_a_run_without_parameters(tmp_path: Path) -> None:
    """The tables have too many numbers for the history, so there are no columns of incumbents."""
    recipe = tmp_path / "small.toml"
    recipe.write_text(make_small_recipe("td").to_toml(), encoding="utf-8")
    folder = tmp_path / "run"
    shown = tetrion_here("train", str(recipe), "--out", str(folder), "--workers", "1")
    assert "Weights of the best agent" not in shown.stdout
    assert Run(folder).incumbents.shape == (5, 0)
    tetrion_here("report", str(folder))
    assert "Best agent</h" not in (folder / "report.html").read_text("utf-8")
    tetrion_here("plot", str(folder))
    assert sorted(path.name for path in (folder / "plots").iterdir()) == ["held-out.png", "lines.png"]
    mistake = tetrion_here("plot", str(folder), "--only", "weights", expect=2).stderr
    assert "no plot weights here, only lines, held-out." in mistake
    panel = render_weights(restore_learner(Run(folder), Run(folder).recipe).learner)
    assert panel
    assert "To train longer" not in tetrion_here("train", "--resume", str(folder)).stdout
