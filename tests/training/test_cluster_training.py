"""Tests of training on a cluster of processes: bit-identical runs, even if a worker is killed."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command_runner import tetrion_here
from tests.evaluation.local_cluster import start_cluster, start_scheduler, start_worker
from tests.training.small_recipes import make_small_recipe, read_run_files
from tetrion.errors import TetrionError
from tetrion.evaluation import connect_cluster, dask_cluster
from tetrion.evaluation.dask_cluster import import_distributed
from tetrion.training import TrainingProgress, resume, train


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with start_cluster(tmp_path_factory.mktemp("cluster")) as scheduler_address:
        yield scheduler_address


@pytest.mark.slow
def test_run_on_a_cluster_is_bit_identical(address: str, tmp_path: Path) -> None:
    train(make_small_recipe(), tmp_path / "local", workers=2)
    (tmp_path / "small.toml").write_text(make_small_recipe().to_toml(), encoding="utf-8")
    tetrion_here("train", str(tmp_path / "small.toml"), "--cluster", address, "--out", str(tmp_path / "cluster"))
    assert read_run_files(tmp_path / "local") == read_run_files(tmp_path / "cluster")


def test_invalid_address_raises_error(tmp_path: Path) -> None:
    message = tetrion_here("train", "gavrilov", "--cluster", "here", "--out", str(tmp_path / "run"), expect=2).stderr
    assert "tcp://10.0.0.5:8786" in message
    assert not (tmp_path / "run").exists()


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


@pytest.mark.slow
def test_run_that_lost_all_workers_can_be_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All workers end in the second generation, and none comes back."""
    monkeypatch.setattr(dask_cluster, "WATCH_INTERVAL_SECONDS", 0.1)
    monkeypatch.setattr(dask_cluster, "WORKER_WAIT_SECONDS", 0.5)
    monkeypatch.setattr("tetrion.evaluation.workers.TASK_SECONDS", 0.05)  # several tasks per generation
    recipe = make_small_recipe("genetic", "games.count=4000", "halving_rounds=0", "generations=3")
    train(recipe, tmp_path / "local", workers=2)
    folder = tmp_path / "dask"
    folder.mkdir()
    with start_scheduler(folder) as address, start_worker(address, folder) as worker:

        def end_worker_in_second_generation(progress: TrainingProgress) -> None:
            if progress.done == 1:
                worker.kill()

        with connect_cluster(address) as workers, pytest.raises(TetrionError, match=r"All workers of .* are gone"):
            train(recipe, tmp_path / "cluster", executor=workers, on_progress=end_worker_in_second_generation)
    resume(tmp_path / "cluster", workers=2)
    assert read_run_files(tmp_path / "local") == read_run_files(tmp_path / "cluster")
