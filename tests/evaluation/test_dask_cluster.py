"""Games on a real Dask cluster: identical to local games even if workers die, and errors of unusable clusters."""

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tetrion
from tests.evaluation.game_checks import check_game_numbers
from tests.evaluation.local_cluster import start_cluster, start_scheduler, start_worker
from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.batch_play import EngineSettings, make_games
from tetrion.engine.placing import STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError
from tetrion.evaluation import Workers, connect_cluster, dask_cluster, evaluate, start_threads
from tetrion.position import Position
from tetrion.progress import Progress

distributed = dask_cluster.import_distributed()

TABLE = WeightedAgent("table", {"holes": [0, -4, -8, -11], "landing_height": -1.0, "row_transitions": -1.5}, "before")


@pytest.fixture(scope="module", autouse=True)
def _patient_client() -> Iterator[None]:
    """Wait longer for replies: on a busy machine, processes need many seconds to start."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(dask_cluster, "CONNECT_TIMEOUT_SECONDS", 60)
        yield


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with start_cluster(tmp_path_factory.mktemp("cluster")) as cluster_address:
        yield cluster_address


@pytest.fixture(scope="module")
def workers(address: str) -> Iterator[Workers]:
    with distributed.Client(address) as client:
        client.wait_for_workers(2, timeout=60)
    with connect_cluster(address) as cluster_workers:
        yield cluster_workers


def make_population(max_pieces: int, games: int = 5) -> tuple[GameRecords, EngineSettings]:
    agents = [load_weighted_agent(name) for name in ("dellacherie", "gavrilov", "lowest", "becker")] + [TABLE]
    records = make_games(games * len(agents), seed=5)
    records["agent"] = np.tile(np.arange(len(agents)), games)
    return records, EngineSettings.from_agents(
        [make_engine_agent(agent) for agent in agents], Rules("gavrilov"), max_pieces
    )


def play_locally(max_pieces: int, games: int = 5) -> bytes:
    records, settings = make_population(max_pieces, games)
    with start_threads(2) as threads:
        assert not threads.play(records, settings)
    assert (records["status"] != STATUS_PLAYING).all()
    return records.tobytes()


def test_agent_plays_the_same_games_as_locally(workers: Workers) -> None:
    local, remote = (evaluate(TABLE, "standard-10x10", 60, seed=3, executor=executor) for executor in (None, workers))
    assert local.per_game.tobytes() == remote.per_game.tobytes()
    assert not remote.was_stopped


def test_games_do_not_depend_on_the_length_of_tasks(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = play_locally(500)
    monkeypatch.setattr("tetrion.evaluation.workers.TASK_SECONDS", 1e-6)
    with start_threads(2) as threads:
        for current_workers in (workers, threads):
            records, settings = make_population(500)
            assert not current_workers.play(records, settings)
            assert records.tobytes() == expected


@pytest.mark.slow
def test_other_executors_play_the_same_games(address: str) -> None:
    expected = evaluate("dellacherie", "standard-10x10", 20).per_game.tobytes()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert evaluate("dellacherie", "standard-10x10", 20, executor=pool).per_game.tobytes() == expected
    with distributed.Client(address) as client:
        result = evaluate("dellacherie", "standard-10x10", 20, executor=client.get_executor())
        assert client.status == "running"
    assert result.per_game.tobytes() == expected


def test_death_of_a_worker_does_not_change_the_games(
    address: str, workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrion.evaluation.workers.TASK_SECONDS", 0.2)
    records, settings = make_population(100_000)
    with start_worker(address, tmp_path) as third_worker:
        wait_until(lambda: workers.count == 3)
        was_alive: list[bool] = []

        def kill(games: GameRecords) -> None:
            if games["pieces"].any() and not was_alive:
                was_alive.append(bool((games["status"] == STATUS_PLAYING).any()) and third_worker.poll() is None)
                third_worker.kill()

        assert not workers.play(records, settings, kill)
        assert was_alive == [True]
    assert records.tobytes() == play_locally(100_000)
    wait_until(lambda: workers.count == 2)


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_ctrl_c_keeps_returned_games(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrion.evaluation.workers.TASK_SECONDS", 0.2)

    def interrupt(progress: Progress) -> None:
        if progress.pieces:
            raise KeyboardInterrupt

    result = evaluate("du", games=50, seed=1, executor=workers, on_progress=interrupt)
    assert result.was_stopped
    assert (result.per_game["status"] == STATUS_PLAYING).any()
    check_game_numbers(result)
    assert evaluate("lowest", games=5, executor=workers).games == 5  # the workers can be used again


def test_repeated_worker_deaths_raise_an_error(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    deaths = iter([True, True, False, True, True, True])
    play = Workers.play

    def die(current_workers: Workers, *arguments: Any) -> bool:
        if next(deaths):
            raise distributed.KilledWorker("play_copies", None, 3)
        return play(current_workers, *arguments)

    monkeypatch.setattr(Workers, "play", die)
    records, settings = make_population(50)
    assert not workers.play(records, settings)
    assert (records["status"] != STATUS_PLAYING).all()
    with pytest.raises(TetrionError, match=r"Several workers of tcp:.* were lost while playing.*out of memory"):
        workers.play(*make_population(50))


@pytest.mark.slow
def test_scheduler_that_ends_during_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrion.evaluation.workers.TASK_SECONDS", 0.1)
    monkeypatch.setattr(dask_cluster, "CONNECT_TIMEOUT_SECONDS", 5)
    message = "no longer replies. Start `dask scheduler` and its workers again, then run the command again."
    with ExitStack() as cluster:
        address = cluster.enter_context(start_scheduler(tmp_path))
        cluster.enter_context(start_worker(address, tmp_path))
        with connect_cluster(address) as workers:
            with pytest.raises(TetrionError, match=f"{address} {message}"):
                workers.play(*make_population(10**9), lambda games: cluster.close())
            with pytest.raises(TetrionError, match=message):
                workers.play(*make_population(50))


@pytest.mark.slow
def test_loss_of_all_workers_is_announced_until_a_worker_connects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message says that all workers are gone, and the games continue with a new worker."""
    monkeypatch.setattr(dask_cluster, "WATCH_INTERVAL_SECONDS", 0.2)
    records, settings = make_population(100_000)
    messages = list[str]()
    with ExitStack() as cluster, ExitStack() as last_worker:
        address = cluster.enter_context(start_scheduler(tmp_path))
        last_worker.enter_context(start_worker(address, tmp_path))

        def handle_message(message: str) -> None:
            messages.append(message)
            if "are gone" in message:
                cluster.enter_context(start_worker(address, tmp_path))

        with connect_cluster(address, handle_message) as workers:
            assert not workers.play(records, settings, lambda games: last_worker.close())
    assert messages == [
        f"All workers of {address} are gone. The games continue if a worker connects within 60 seconds: "
        f"dask worker {address}",
        f"A worker has connected to {address}. The games continue.",
    ]
    assert records.tobytes() == play_locally(100_000)


@pytest.mark.slow
def test_loss_of_all_workers_ends_the_games_if_none_connects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error is raised if no worker connects in time."""
    monkeypatch.setattr(dask_cluster, "WATCH_INTERVAL_SECONDS", 0.2)
    monkeypatch.setattr(dask_cluster, "WORKER_WAIT_SECONDS", 1)
    with ExitStack() as last_worker, start_scheduler(tmp_path) as address:
        last_worker.enter_context(start_worker(address, tmp_path))
        message = rf"All workers of {address} are gone, and none connected within 1 second.*\(dask worker {address}\)"
        with connect_cluster(address) as workers, pytest.raises(TetrionError, match=message):
            workers.play(*make_population(10**9), lambda games: last_worker.close())


@pytest.mark.parametrize("package", ["numpy", "tetrion"])
def test_worker_with_another_version(address: str, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    read_versions = dask_cluster.read_versions
    local_version = read_versions(distributed.versions.get_versions(["numpy", "numba", "tetrion"]))[package]
    reports: list[dict[str, Any]] = []

    def read_other_versions(report: dict[str, Any]) -> dict[str, str | None]:
        reports.append(report)
        if len(reports) == 1:  # this machine
            return read_versions(report)
        return read_versions(report) | {package: None if package == "tetrion" else "0.1"}

    monkeypatch.setattr(dask_cluster, "read_versions", read_other_versions)
    version = r"\(none\)" if package == "tetrion" else "0.1"
    message = rf"worker tcp://.* has {package} {version}; this machine has {package} {local_version}\. "
    with pytest.raises(TetrionError, match=message):
        connect_cluster(address)


def test_worker_with_another_engine(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "get_engine_version", lambda: f"the engine of process {os.getpid()}")
    with pytest.raises(
        TetrionError, match=r"worker tcp://.* has a different engine .*; this machine has the engine of process"
    ):
        connect_cluster(address)


FEATURE_MODULE = """
import numpy as np
import tetrion

SCALE = np.array([1, 2, 3])


def weigh(height, column):
    return height * SCALE[column % 3]


@tetrion.feature(max_value=2000)
def weighted_heights(outcome):
    total = 0
    for column in range(10):
        total += weigh(outcome.heights[column], column)
    return total
"""


def test_custom_features_play_on_workers(workers: Workers, tmp_path: Path) -> None:
    """A consent that was given here is valid for the workers, which receive the code with the games."""
    (tmp_path / "mine.py").write_text(FEATURE_MODULE, encoding="utf-8")
    content = {"format": 1, "kind": "linear", "features": "mine.py", "weights": {"weighted_heights": -1, "holes": -3}}
    (tmp_path / "mine.json").write_text(json.dumps(content), encoding="utf-8")
    agent = load_weighted_agent(tmp_path / "mine.json", allow_code=True)
    here, there = (
        evaluate(agent, "standard-10x10", games=20, max_pieces=200, executor=executor) for executor in (None, workers)
    )
    assert here.per_game.tobytes() == there.per_game.tobytes()


class FirstPlacement:
    def choose(self, position: Position) -> tetrion.Placement:
        return position.placements()[0]


@pytest.mark.parametrize("agent", [FirstPlacement(), "random-keys"])
def test_agents_without_weights_are_rejected(workers: Workers, agent: Any) -> None:
    with pytest.raises(AgentError, match=rf"only play on the CPU .*; given {workers.description}\. Use threads"):
        evaluate(agent, "gavrilov", games=2, max_pieces=10, executor=workers)
    with start_threads(1) as threads:
        assert evaluate(agent, "gavrilov", games=2, max_pieces=10, executor=threads).games == 2


def test_invalid_executor(workers: Workers) -> None:
    with pytest.raises(TetrionError, match=r"Expected an executor of concurrent\.futures.*given 7"):
        evaluate("lowest", games=2, executor=7)  # type: ignore[arg-type]
    with pytest.raises(TetrionError, match="also given workers 3"):
        evaluate("lowest", games=2, executor=workers, workers=3)
