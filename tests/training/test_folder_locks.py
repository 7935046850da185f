"""Tests of several processes that use one run folder at the same moment."""

import shutil
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.training.small_recipes import make_small_recipe, read_run_files
from tetrion.errors import RunError
from tetrion.training import resume_runs
from tetrion.training.checkpoint import CHECKPOINT_FILE, read_checkpoint_file, read_recipe
from tetrion.training.folder_locks import lock_folder
from tetrion.training.run import Run
from tetrion.training.trainer import create_locked_runs, create_run, resume, train

PROCESSES = 2
ROUNDS = 3
SHORT = ("generations=1", "validation.games=1", "final_games=3")


def start_train(folder: Path, number: int) -> None:
    train(make_small_recipe("genetic", *SHORT, seed=number), folder, workers=1)


def start_resume(folder: Path, number: int) -> None:
    resume(folder, workers=1)


def start_seeds(folder: Path, number: int) -> None:
    recipes = {folder / f"seed-{seed}": make_small_recipe("genetic", *SHORT, seed=seed) for seed in range(2 + number)}
    with create_locked_runs(recipes) as locks:
        resume_runs(list(recipes), workers=2, locks=locks)


STARTS = (start_resume, start_train, start_seeds)  # one after another in the rounds


def compete(folder: Path, number: int, barrier: Any, outcomes: Any) -> None:
    """Call a function in each round at the same moment as the other processes; report who fails and why."""
    for round_number in range(ROUNDS):
        barrier.wait()
        try:
            STARTS[round_number % len(STARTS)](folder / str(round_number), number)
            outcomes.put((round_number, number, ""))
        except Exception as error:
            outcomes.put((round_number, number, f"{type(error).__name__}: {error}"))


def start_processes(folder: Path) -> list[dict[int, str]]:
    """Return the error messages of each round by the number of the process; empty for success."""
    context = get_context("spawn")
    barrier = context.Barrier(PROCESSES)
    outcomes: Any = context.Queue()
    processes = [
        context.Process(target=compete, args=(folder, number, barrier, outcomes)) for number in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    results: list[dict[int, str]] = [{} for _ in range(ROUNDS)]
    for _ in range(PROCESSES * ROUNDS):
        round_number, number, message = outcomes.get(timeout=300)
        results[round_number][number] = message
    for process in processes:
        process.join(60)
    return results


def check_losers(messages: dict[int, str]) -> list[int]:
    """Return the processes that succeeded; the others must have a clear error."""
    for message in filter(None, messages.values()):
        assert message.startswith("RunError: ")
        assert "is in use by another process" in message or "is a run already" in message
    return [number for number, message in messages.items() if not message]


def test_of_several_processes_that_use_a_folder_one_trains(tmp_path: Path) -> None:
    """They start a run, start runs of several seeds, or resume a run."""
    alone = [tmp_path / "alone" / str(number) for number in range(PROCESSES)]
    for number, folder in enumerate(alone):
        start_train(folder, number)
    for round_number in range(0, ROUNDS, len(STARTS)):
        create_run(make_small_recipe("genetic", *SHORT, seed=0), tmp_path / str(round_number))
    for round_number, messages in enumerate(start_processes(tmp_path)):
        folder = tmp_path / str(round_number)
        winners = check_losers(messages)
        assert winners
        if STARTS[round_number % len(STARTS)] is start_resume:
            assert read_run_files(folder) == read_run_files(alone[0])  # a later process finds a finished run
            continue
        (winner,) = winners
        if STARTS[round_number % len(STARTS)] is start_train:
            assert read_run_files(folder) == read_run_files(alone[winner])
            run = Run(folder)
            saved_recipe = read_recipe(read_checkpoint_file(folder / CHECKPOINT_FILE))
            assert saved_recipe
            assert run.recipe.seed == run.meta["seed"] == saved_recipe.seed == winner
        else:
            runs = [Run(path) for path in folder.iterdir()]
            assert len(runs) == 2 + winner, "the others create nothing"
            assert all(run.is_finished and run.folder.name == f"seed-{run.recipe.seed}" for run in runs)


def test_locked_seeds_are_not_changed(tmp_path: Path) -> None:
    folders = [create_run(make_small_recipe(seed=seed), tmp_path / f"seed-{seed}") for seed in range(3)]
    before = [read_run_files(folder) for folder in folders]
    with lock_folder(folders[2]), pytest.raises(RunError, match=r"seed-2 is in use by another process"):
        resume_runs(folders, workers=1)
    assert [read_run_files(folder) for folder in folders] == before


def test_folder_that_was_replaced_while_it_was_locked_is_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()

    def replace_folder(handle: int) -> bool:
        shutil.rmtree(folder)
        folder.mkdir()
        return True

    monkeypatch.setattr("tetrion.training.folder_locks.try_lock", replace_folder)
    with pytest.raises(RunError, match="in use by another process"), lock_folder(folder):
        pass
