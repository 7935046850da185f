"""Runs that are resumed with another end: the same files as a run that had this end from the start."""

from pathlib import Path

import numpy as np
import pytest

import tetrion
from tests.training.small_recipes import get_length_setting, make_small_recipe, make_stopped_run, read_run_files
from tests.training.test_runs import LEARNER_NAMES
from tetrion.errors import RunError
from tetrion.training import resume_runs
from tetrion.training.learner import LEARNERS
from tetrion.training.run import Run
from tetrion.training.trainer import create_run, resume, train

EXTENDABLE_LEARNER_NAMES = tuple(name for name in LEARNER_NAMES if not LEARNERS[name].length_dependence)


@pytest.mark.parametrize("learner", EXTENDABLE_LEARNER_NAMES)
def test_changed_run_is_bit_identical_to_one_of_this_length(learner: str, tmp_path: Path) -> None:
    """An unfinished run becomes shorter, and the finished one longer."""
    setting = get_length_setting(learner)
    folder = make_stopped_run(tmp_path / "changed", learner)
    for length in (4, 7):
        run = resume(folder, changes={setting: length}, workers=2)
        assert run.generation_count == run.recipe.planned_steps == length
        assert run.is_finished
        train(make_small_recipe(learner, f"{setting}={length}"), tmp_path / f"{length}", workers=1)
        assert read_run_files(folder) == read_run_files(tmp_path / f"{length}")


def test_patience_and_pieces_can_change(tmp_path: Path) -> None:
    long = "stop.generations=40"
    run = train(make_small_recipe("genetic", long, "stop.patience=1"), tmp_path / "patience", workers=1)
    assert run.generation_count < 40
    longer = resume(run.folder, patience=4, workers=1)
    assert longer.generation_count > run.generation_count
    train(make_small_recipe("genetic", long, "stop.patience=4"), tmp_path / "patience 4", workers=1)
    assert read_run_files(tmp_path / "patience") == read_run_files(tmp_path / "patience 4")
    run = train(make_small_recipe("genetic", "stop.total_pieces=1"), tmp_path / "pieces", workers=1)
    assert run.generation_count == 1
    resume(run.folder, stop={"total_pieces": 0}, workers=1)
    train(make_small_recipe(), tmp_path / "no limit", workers=1)
    assert read_run_files(tmp_path / "pieces") == read_run_files(tmp_path / "no limit")


def test_end_before_the_last_finished_generation_raises_error(tmp_path: Path) -> None:
    folder = train(make_small_recipe("genetic", "stop.generations=8"), tmp_path / "run", workers=1).folder
    before = read_run_files(folder)
    with pytest.raises(RunError, match=r"has 8 finished generations already; .* ended after 3 generations\."):
        resume(folder, generations=3, workers=1)
    scores = Run(folder).metrics["validation"]
    without_improvement = [count - 1 - int(np.argmax(scores[:count])) for count in range(1, 8)]
    assert max(without_improvement) >= 1
    with pytest.raises(RunError, match="with these settings it would have ended after"):
        resume(folder, patience=1, workers=1)
    assert read_run_files(folder) == before


@pytest.mark.parametrize(
    ("learner", "change", "message"),
    [
        ("genetic", "genetic.population=8", r"stop\.generations, stop\.total_pieces, stop\.patience; .*genetic\.popul"),
        ("genetic", "seed=3", "Given seed"),
        ("genetic", "generatons=3", "Did you mean 'generations'"),
        ("q-learning", "generations=9", r"Unknown setting 'generations'.* has q-learning\.episodes instead"),
    ],
)
def test_other_changes_raise_error(learner: str, change: str, message: str, tmp_path: Path) -> None:
    folder = create_run(make_small_recipe(learner), tmp_path / "run")
    before = read_run_files(folder)
    with pytest.raises(tetrion.TetrionError, match=message):
        resume(folder, changes=[change], workers=1)
    assert read_run_files(folder) == before


def test_several_runs_change_together_or_not_at_all(tmp_path: Path) -> None:
    folders = [train(make_small_recipe(seed=seed), tmp_path / f"seed-{seed}", workers=1).folder for seed in (0, 1)]
    folders.append(train(make_small_recipe("genetic", "generations=8", seed=2), tmp_path / "seed-2", workers=1).folder)
    before = [read_run_files(folder) for folder in folders]
    with pytest.raises(RunError, match=r"seed-2 has 8 finished generations already"):
        resume_runs(folders, changes=["generations=6"], workers=2)
    assert [read_run_files(folder) for folder in folders] == before
    runs = resume_runs(folders[:2], changes=["generations=6"], workers=2)
    assert [run.generation_count for run in runs] == [6, 6]
    train(make_small_recipe("genetic", "generations=6"), tmp_path / "at once", workers=1)
    assert read_run_files(folders[1]) == read_run_files(tmp_path / "at once")
