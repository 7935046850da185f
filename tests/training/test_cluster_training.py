"""Training on a cluster of processes: the same run to the bit, whoever dies."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.command_runner import tetrion_here
from evaluation.local_cluster import running_cluster, scheduler, worker
from tetrion.engine.batch_play import STATUS_PLAYING, GameRecords
from tetrion.evaluation import connect_cluster, parallel_play
from tetrion.evaluation.dask_cluster import import_distributed
from tetrion.training import TrainingObserver, train
from training.small_recipes import make_small_recipe, read_run_files


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def test_a_run_is_the_same_on_a_cluster(address: str, tmp_path: Path) -> None:
    train(make_small_recipe(), tmp_path / "here", workers=2)
    (tmp_path / "small.toml").write_text(make_small_recipe().to_toml(), encoding="utf-8")
    tetrion_here("train", str(tmp_path / "small.toml"), "--cluster", address, "--out", str(tmp_path / "there"))
    assert read_run_files(tmp_path / "here") == read_run_files(tmp_path / "there")


def test_nobody_at_an_address(tmp_path: Path) -> None:
    said = tetrion_here("train", "gavrilov", "--cluster", "here", "--out", str(tmp_path / "run"), expect=2).stderr
    assert "tcp://10.0.0.5:8786" in said
    assert not (tmp_path / "run").exists()


def test_a_worker_that_is_killed_in_a_generation_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = make_small_recipe("genetic", "games.count=4000", "races=0", "generations=3")
    train(recipe, tmp_path / "here", workers=2)
    monkeypatch.setattr(parallel_play, "TASK_SECONDS", 0.05)  # so that there are turns in the middle of a generation
    (tmp_path / "dask").mkdir()
    dask = tmp_path / "dask"
    with scheduler(dask) as address, worker(address, dask), worker(address, dask) as victim:
        with import_distributed().Client(address) as client:
            client.wait_for_workers(2, timeout=60)

        class Killer(TrainingObserver):
            generation, playing = False, 0

            def learned(self, learner: object) -> None:
                self.generation = True

            def plays(self, games: GameRecords) -> None:
                if self.generation and victim.poll() is None and (games["status"] == STATUS_PLAYING).any():
                    self.playing = int((games["status"] == STATUS_PLAYING).sum())
                    victim.send_signal(signal.SIGKILL)

        killer = Killer()
        with connect_cluster(address) as team:
            train(recipe, tmp_path / "there", workers=team, observer=killer)
        assert victim.poll() == -signal.SIGKILL
        assert killer.playing
    assert read_run_files(tmp_path / "here") == read_run_files(tmp_path / "there")
