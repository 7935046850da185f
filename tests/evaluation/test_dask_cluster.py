"""Games on a real cluster of processes: the same games as here, whoever dies, and help where it cannot be."""

import os
import subprocess
import sys
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
from evaluation.local_cluster import running_cluster, scheduler, worker
from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.engine.batch_play import STATUS_PLAYING, EngineSettings, GameRecords, make_games
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError
from tetrion.evaluation import (
    EvaluationProgress,
    Workers,
    connect_cluster,
    dask_cluster,
    evaluate,
    parallel_play,
    start_threads,
    worker_tasks,
)
from tetrion.position import Position

distributed = dask_cluster.import_distributed()

TABLE = WeightedAgent("table", {"holes": [0, -4, -8, -11], "landing_height": -1.0, "row_transitions": -1.5}, "before")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="module")
def workers(address: str) -> Iterator[Workers]:
    with distributed.Client(address) as client:
        client.wait_for_workers(2, timeout=60)
    with connect_cluster(address) as found:
        yield found


def population(most_pieces: int, games: int = 5) -> tuple[GameRecords, EngineSettings]:
    agents = [load_weighted_agent(name) for name in ("dellacherie", "gavrilov", "lowest", "becker")] + [TABLE]
    records = make_games(games * len(agents), seed=5)
    records["agent"] = np.tile(np.arange(len(agents)), games)
    return records, EngineSettings.from_agents(
        [agent.compile() for agent in agents], Rules.from_preset("gavrilov"), most_pieces
    )


def played_here(most_pieces: int, games: int = 5) -> bytes:
    records, setting = population(most_pieces, games)
    with start_threads(2) as here:
        assert not here.play(records, setting)
    assert (records["status"] != STATUS_PLAYING).all()
    return records.tobytes()


def test_workers_and_words(address: str, workers: Workers) -> None:
    assert (workers.count, workers.description) == (2, f"cluster {address} with 2 threads")
    with start_threads(1) as one, start_threads(3) as three:
        assert (one.count, one.description, three.count, three.description) == (1, "1 thread", 3, "3 threads")


@pytest.mark.parametrize("agent", ["dellacherie", TABLE])
def test_an_agent_plays_the_same_games(workers: Workers, agent: str | WeightedAgent) -> None:
    here, there = (evaluate(agent, "standard-10x10", 60, seed=3, executor=who) for who in (None, workers))
    assert here.per_game.tobytes() == there.per_game.tobytes()
    assert not there.was_stopped


def test_rounds_of_a_precision_are_the_same(workers: Workers) -> None:
    here, there = (evaluate("lowest", precision=0.05, seed=3, executor=who) for who in (None, workers))
    assert here.per_game.tobytes() == there.per_game.tobytes()


@pytest.mark.parametrize("seconds", [2.0, 1e-6])
def test_a_population_plays_the_same_games_in_any_turns(
    workers: Workers, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(parallel_play, "TASK_SECONDS", seconds)
    monkeypatch.setattr(worker_tasks, "TASK_SECONDS", seconds)
    for team in (workers, start_threads(2)):
        records, setting = population(2000)
        assert not team.play(records, setting)
        monkeypatch.undo()
        assert records.tobytes() == played_here(2000)


def test_what_arrives_needs_no_second_compile(workers: Workers) -> None:
    records, setting = population(50)
    workers.prepare(setting)
    workers.play(records, setting)
    assert isinstance(workers, dask_cluster.ClusterWorkers)

    def signatures() -> int:
        from tetrion.engine.batch_play import play_drops_simd

        return len(play_drops_simd.dispatcher.signatures)

    assert set(workers.client.run(signatures).values()) == {1}


def test_other_executors_play_the_same_games(address: str) -> None:
    here = evaluate("dellacherie", "standard-10x10", 20)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert (
            evaluate("dellacherie", "standard-10x10", 20, executor=pool).per_game.tobytes() == here.per_game.tobytes()
        )
    with distributed.Client(address) as client:
        there = evaluate("dellacherie", "standard-10x10", 20, executor=client.get_executor())
        assert client.status == "running"
    assert there.per_game.tobytes() == here.per_game.tobytes()


def test_a_worker_that_dies_changes_nothing(
    address: str, workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_play, "TASK_SECONDS", 0.2)
    records, setting = population(100_000)
    with worker(address, tmp_path) as doomed:
        wait_until(lambda: workers.count == 3)
        alive: list[bool] = []

        def kill(games: GameRecords) -> None:
            if games["pieces"].any() and not alive:
                alive.append(bool((games["status"] == STATUS_PLAYING).any()) and doomed.poll() is None)
                doomed.kill()

        assert not workers.play(records, setting, kill)
        assert alive == [True]
    assert records.tobytes() == played_here(100_000)
    wait_until(lambda: workers.count == 2)


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_ctrl_c_keeps_what_has_come_back(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_play, "TASK_SECONDS", 0.2)

    def interrupt(standing: EvaluationProgress) -> None:
        if standing.pieces:
            raise KeyboardInterrupt

    result = evaluate("du", games=50, seed=1, executor=workers, on_progress=interrupt)
    assert result.was_stopped
    assert (result.per_game["status"] == STATUS_PLAYING).any()
    whole = evaluate("du", games=50, seed=1, max_pieces=20)
    assert (result.per_game["key"] == whole.per_game["key"][result.game_numbers]).all()
    assert evaluate("lowest", games=5, executor=workers).games == 5  # and the workers can be used again


def test_games_that_lose_worker_after_worker(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    deaths = iter([True, True, False, True, True, True])
    play = Workers.play

    def die(team: Workers, *arguments: Any) -> bool:
        if next(deaths):
            raise distributed.KilledWorker("play_for", None, 3)
        return play(team, *arguments)

    monkeypatch.setattr(Workers, "play", die)
    records, setting = population(50)
    assert not workers.play(records, setting)
    assert (records["status"] != STATUS_PLAYING).all()
    with pytest.raises(TetrionError, match=r"Worker after worker of tcp:.* dies.*out of memory"):
        workers.play(*population(50))


def test_a_scheduler_that_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_play, "TASK_SECONDS", 0.1)
    monkeypatch.setattr(dask_cluster, "CONNECT_TIMEOUT_SECONDS", 5)
    gone = "is gone. Start `dask scheduler` and its workers again."
    with ExitStack() as ending:
        address = ending.enter_context(scheduler(tmp_path))
        ending.enter_context(worker(address, tmp_path))
        with connect_cluster(address) as workers:
            with pytest.raises(TetrionError, match=f"{address} {gone}"):
                workers.play(*population(10**9), lambda games: ending.close())
            with pytest.raises(TetrionError, match=gone):
                workers.play(*population(50))


def test_a_mistake_of_whoever_watches_is_told_as_it_is(workers: Workers) -> None:
    def fail(games: GameRecords) -> None:
        raise FileNotFoundError("mine")

    with pytest.raises(FileNotFoundError, match="mine"):
        workers.play(*population(50), fail)


def test_no_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_TIMEOUT_SECONDS", 1)
    with scheduler(tmp_path) as address, pytest.raises(TetrionError, match=f"no workers.*dask worker {address}"):
        connect_cluster(address)


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_TIMEOUT_SECONDS", 1)
    with pytest.raises(
        TetrionError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:1, after 1 second.*firewall"
    ):
        connect_cluster("tcp://127.0.0.1:1")


@pytest.mark.parametrize("wrong", ["", "tcp://", "8786", "scheduler", "tcp://host", "http://host:80", "a b:1", None, 7])
def test_what_is_no_address(wrong: Any) -> None:
    with pytest.raises(TetrionError, match=r"such as tcp://10\.0\.0\.5:8786; given "):
        connect_cluster(wrong)


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TetrionError, match=r'pip install "tetrion\[cluster\]"'):
        connect_cluster("tcp://127.0.0.1:8786")


@pytest.mark.parametrize("package", ["python", "numpy", "numba", "tetrion"])
def test_other_versions(address: str, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    versions = dask_cluster.read_versions
    ours = versions(distributed.versions.get_versions(["numpy", "numba", "tetrion"]))[package]
    asked: list[dict[str, Any]] = []

    def others(told: dict[str, Any]) -> dict[str, str | None]:
        asked.append(told)
        return versions(told) | ({} if len(asked) == 1 else {package: None if package == "tetrion" else "0.1"})

    monkeypatch.setattr(dask_cluster, "read_versions", others)
    theirs = r"\(none\)" if package == "tetrion" else "0.1"
    with pytest.raises(TetrionError, match=rf"worker tcp://.* has {package} {theirs}; here it is {package} {ours}\. "):
        connect_cluster(address)


def test_another_engine(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "get_engine_version", lambda: f"the engine of process {os.getpid()}")
    with pytest.raises(TetrionError, match=r"worker tcp://.* has another engine .*; here it is the engine of process"):
        connect_cluster(address)


def test_a_worker_that_comes_later_with_another_engine(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_play, "get_engine_version", lambda: "rules version 0, sources 0")
    records, setting = population(50)
    with pytest.raises(TetrionError, match=r"A worker has another engine: rules version .* here it is rules version 0"):
        workers.play(records, setting)


def test_features_of_ones_own_stay_here(workers: Workers) -> None:
    @tetrion.feature(max_value=1)
    def nothing_at_all(outcome: tetrion.Outcome) -> int:
        return 0

    mine = WeightedAgent("mine", {"nothing_at_all": 1.0, "holes": -1.0})
    with pytest.raises(AgentError, match=r"features of your own.*Use threads"):
        evaluate(mine, games=2, max_pieces=10, executor=workers)


class Mine:
    def choose(self, position: Position) -> tetrion.Placement:
        return position.placements()[0]


@pytest.mark.parametrize("agent", [Mine(), "random-keys"])
def test_agents_that_are_code_stay_here(workers: Workers, agent: Any) -> None:
    with pytest.raises(AgentError, match=rf"CPU alone; given {workers.description}\. Use threads"):
        evaluate(agent, "gavrilov", games=2, max_pieces=10, executor=workers)
    with start_threads(1) as here:
        assert evaluate(agent, "gavrilov", games=2, max_pieces=10, executor=here).games == 2


def test_a_pool_that_breaks() -> None:
    broken = ProcessPoolExecutor(1, get_context("spawn"), os._exit, (1,))
    with broken, pytest.raises(TetrionError, match=r"your executor has ended before its games.*Give a new executor"):
        evaluate("lowest", games=2, executor=broken)


def test_what_is_no_executor(workers: Workers) -> None:
    with pytest.raises(TetrionError, match=r"An executor is one of concurrent\.futures.*given 7"):
        evaluate("lowest", games=2, executor=7)  # type: ignore[arg-type]
    with pytest.raises(TetrionError, match="given workers 3 too"):
        evaluate("lowest", games=2, executor=workers, workers=3)


def test_the_terminal_stays_clean(address: str, workers: Workers) -> None:
    program = (
        "import tetrion\n"
        "from tetrion.evaluation import cluster\n"
        f"with cluster('{address}') as workers:\n"
        "    print(tetrion.evaluate('lowest', games=3, executor=workers).games)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "3\n"
    assert done.stderr.startswith("Preparing the engine on the workers.")
    assert done.stderr.count("\n") == 1
