"""Tests of training on a cluster of processes: bit-identical runs, even if a worker is killed."""

import signal
from pathlib import Path

import pytest

from tests.evaluation.local_cluster import start_scheduler, start_worker
from tests.training.small_recipes import make_small_recipe, read_run_files
from tetrion.evaluation import connect_cluster
from tetrion.evaluation.dask_cluster import import_distributed
from tetrion.training import TrainingProgress, train


@pytest.mark.slow
def test_killed_worker_does_not_change_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = make_small_recipe("genetic", "games.count=12000", "halving_rounds=0", "generations=3")
    train(recipe, tmp_path / "local", workers=2)
    monkeypatch.setattr("tetrion.evaluation.workers.TASK_SECONDS", 0.05)  # several tasks per generation
    folder = tmp_path / "dask"
    folder.mkdir()
    with start_scheduler(folder) as address, start_worker(address, folder), start_worker(address, folder) as victim:
        with import_distributed().Client(address) as client:
            client.wait_for_workers(2, timeout=60)

        pieces = list[int]()  # at the kill and later, in the second generation

        def kill_during_second_generation(progress: TrainingProgress) -> None:
            if progress.done == 1 and progress.pieces > sum(progress.learner.get_column("pieces")) + 20_000:
                pieces.append(progress.pieces)
                if victim.poll() is None:
                    victim.send_signal(signal.SIGKILL)

        with connect_cluster(address) as workers:
            train(recipe, tmp_path / "cluster", executor=workers, on_progress=kill_during_second_generation)
        assert victim.poll() == -signal.SIGKILL
        assert len(pieces) > 1, "the worker was killed at the end of the generation"
    assert read_run_files(tmp_path / "local") == read_run_files(tmp_path / "cluster")
