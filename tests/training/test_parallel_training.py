"""Training seeds in parallel: the runs equal those trained alone, and can be resumed."""

import json
from pathlib import Path

import pytest

from tests.training.small_recipes import make_small_recipe
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.errors import VersionError
from tetrion.progress import Progress
from tetrion.training import resume_runs
from tetrion.training.folder_locks import lock_folder
from tetrion.training.run import META_FILE, METRICS_FILE, RESULT_FILE, Run
from tetrion.training.trainer import create_run


def read_run_files(runs: list[Run]) -> list[bytes]:
    return [(run.folder / name).read_bytes() for run in runs for name in (CONFIG_FILE, METRICS_FILE, RESULT_FILE)]


def create_two_runs(folder: Path, learner: str, *changes: str) -> list[Path]:
    return [create_run(make_small_recipe(learner, *changes, seed=seed), folder / f"seed-{seed}") for seed in (4, 5)]


@pytest.mark.parametrize("learner", ["genetic", "q-learning"])  # in threads, and in processes
def test_parallel_runs_equal_runs_trained_alone(tmp_path: Path, learner: str) -> None:
    alone = resume_runs(create_two_runs(tmp_path / "alone", learner), workers=1)
    together = resume_runs(create_two_runs(tmp_path / "together", learner), workers=2)
    assert read_run_files(together) == read_run_files(alone)
    assert [run.recipe.seed for run in together] == [4, 5]
    assert len(set(read_run_files(together))) == 6
    with lock_folder(together[0].folder):  # the child processes have ended, and their locks with them
        pass


def test_interrupted_runs_are_resumed_with_the_same_result(tmp_path: Path) -> None:

    def interrupt(progress: Progress) -> None:
        if progress.done:
            raise KeyboardInterrupt

    folders = create_two_runs(tmp_path / "stopped", "genetic", "generations=40")
    with pytest.raises(KeyboardInterrupt):
        resume_runs(folders, workers=2, on_progress=interrupt)
    assert not any(Run(folder).is_finished for folder in folders)
    reports = list[Progress]()
    runs = resume_runs(folders, workers=2, on_progress=reports.append)
    assert read_run_files(runs) == read_run_files(
        resume_runs(create_two_runs(tmp_path / "whole", "genetic", "generations=40"), workers=2)
    )
    assert reports[0].done == reports[0].done_before >= 1  # it was resumed, not restarted
    assert reports[0].planned == 2 * runs[0].recipe.planned_steps
    assert reports[0].unit == runs[0].step_name
    assert reports[0].details == ("0 of 2 seeds finished",)


def test_error_of_one_run_is_raised(tmp_path: Path) -> None:
    folders = create_two_runs(tmp_path, "genetic")
    meta = json.loads((folders[1] / META_FILE).read_text("utf-8"))
    meta["versions"]["numpy"] = "1.0"
    (folders[1] / META_FILE).write_text(json.dumps(meta), encoding="utf-8")
    with pytest.raises(VersionError, match=r"seed-5 was trained with other versions: numpy was 1\.0"):
        resume_runs(folders, workers=2)
    assert all(run.is_finished for run in resume_runs(folders, workers=2, allow_other_versions=True))
