"""Tests of runs: interrupted at any moment and resumed, they end with the same files as uninterrupted runs."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tetrion
from tests.training.small_recipes import (
    get_length_setting,
    interrupt_after_three,
    make_small_recipe,
    make_stopped_run,
    read_run_files,
)
from tetrion.agents import WeightedAgent
from tetrion.agents.run_folders import BEST_AGENT_FILE, CONFIG_FILE
from tetrion.atomic_files import write_atomically
from tetrion.errors import RecipeError, RunError, TetrionError
from tetrion.evaluation.workers import start_threads
from tetrion.training import checkpoint, run_writer
from tetrion.training.checkpoint import CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE, write_checkpoint_file
from tetrion.training.folder_locks import lock_folder
from tetrion.training.optimisers.optimiser import StateArrays
from tetrion.training.optimisers.wisdom_of_crowds import make_mean_crowd
from tetrion.training.run import META_FILE, METRICS_FILE, RESULT_FILE, Run
from tetrion.training.trainer import create_run, resume, train
from tetrion.training.training_progress import TrainingProgress

LEARNER_NAMES = ("genetic", "cross-entropy", "cma", "harmony", "q-learning", "td")
PROGRAM = """
import sys
from tetrion.training.trainer import resume

printed = {0}

def print_generation(progress):
    if progress.done not in printed:
        printed.add(progress.done)
        print(progress.done, flush=True)

resume(sys.argv[1], workers=1, on_progress=print_generation)
"""


@pytest.mark.parametrize("learner", LEARNER_NAMES)
def test_run_is_bit_identical_with_any_workers_and_after_a_stop(learner: str, tmp_path: Path) -> None:
    one = train(make_small_recipe(learner), tmp_path / "one", workers=1)
    train(make_small_recipe(learner), tmp_path / "two", workers=2)
    with pytest.raises(KeyboardInterrupt):
        train(make_small_recipe(learner), tmp_path / "stopped", workers=2, on_progress=interrupt_after_three)
    assert Run(tmp_path / "stopped").meta["status"] == "stopped"
    resume(tmp_path / "stopped", workers=1)
    assert read_run_files(tmp_path / "one") == read_run_files(tmp_path / "two") == read_run_files(tmp_path / "stopped")
    assert one.meta["status"] == "finished"
    assert one.generation_count == 5
    train(make_small_recipe(learner, seed=2), tmp_path / "other", workers=2)
    assert read_run_files(tmp_path / "other")[METRICS_FILE] != read_run_files(tmp_path / "one")[METRICS_FILE]


@pytest.mark.parametrize(("learner", "kills"), [("genetic", 2), ("td", 1)])
def test_killed_run_is_resumed_bit_identically(learner: str, kills: int, tmp_path: Path) -> None:
    """The other learners are killed at many moments by a slow test."""
    changes = [f"{get_length_setting(learner)}=30"]
    generator = random.Random(learner)
    train(make_small_recipe(learner, *changes), tmp_path / "uninterrupted", workers=1)
    folder = create_run(make_small_recipe(learner, *changes), tmp_path / "killed")
    for _ in range(kills):
        generation = generator.randrange(1, 14)
        pause = generator.random() / 50  # seconds
        training = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert training.stdout
        lines = [training.stdout.readline() for _ in range(generation)]
        assert all(lines), "training ended before it could be killed"
        time.sleep(pause)
        training.send_signal(signal.SIGKILL)
        training.wait()
        training.stdout.close()
        assert not (folder / RESULT_FILE).exists()
    resume(folder, workers=1)
    assert read_run_files(folder) == read_run_files(tmp_path / "uninterrupted")


def test_run_killed_before_any_write_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = make_small_recipe("genetic", "stop.generations=2")
    train(recipe, tmp_path / "uninterrupted", workers=1)
    write_count = 0
    failing_write = 0

    def write_or_fail(path: Path, content: bytes, *, durable: bool = False) -> None:
        nonlocal write_count
        write_count += 1
        if write_count == failing_write:
            path.with_name(f".{path.name}.1.part").write_bytes(content[: len(content) // 2])
            raise KeyboardInterrupt
        write_atomically(path, content, durable=durable)

    monkeypatch.setattr(run_writer, "write_atomically", write_or_fail)
    monkeypatch.setattr(checkpoint, "write_atomically", write_or_fail)
    failures = 0
    for failing_write in range(1, 40):
        write_count = 0
        folder = tmp_path / str(failing_write)
        try:
            train(recipe, folder, workers=1)
        except KeyboardInterrupt:
            failures += 1
            write_count = -1000
            if (folder / CONFIG_FILE).exists():
                resume(folder, workers=1)
            else:
                train(recipe, folder, workers=1)
        assert read_run_files(folder) == read_run_files(tmp_path / "uninterrupted"), (
            f"killed before write {failing_write}"
        )
    assert failures > 12


def test_full_disk_loses_no_finished_generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(make_small_recipe(), tmp_path / "uninterrupted", workers=1)
    count = 0

    def write_until_full(path: Path, state: StateArrays) -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_checkpoint_file(path, state)

    monkeypatch.setattr(checkpoint, "write_checkpoint_file", write_until_full)
    with pytest.raises(
        RunError, match=r"No space left on device\. 2 finished generations are saved\. Fix this and resume"
    ):
        train(make_small_recipe(), tmp_path / "full", workers=1)
    resume(tmp_path / "full", workers=1)
    assert read_run_files(tmp_path / "full") == read_run_files(tmp_path / "uninterrupted")


@pytest.mark.parametrize("damage", ["half", "empty", "missing", "text"])
def test_damaged_checkpoint_is_replaced_by_the_previous_one(damage: str, tmp_path: Path) -> None:
    train(make_small_recipe(), tmp_path / "uninterrupted", workers=1)
    path = make_stopped_run(tmp_path / "run") / CHECKPOINT_FILE
    content = path.read_bytes()
    path.write_bytes({"half": content[: len(content) // 2], "empty": b"", "missing": b"", "text": b"hello"}[damage])
    if damage == "missing":
        path.unlink()
    resume(tmp_path / "run", workers=1)
    assert read_run_files(tmp_path / "run") == read_run_files(tmp_path / "uninterrupted")


def test_two_damaged_checkpoints_raise_error(tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    for name in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):
        (folder / name).write_bytes(b"PK")
    before = read_run_files(folder)
    with pytest.raises(RunError, match=r"checkpoint\.npz is damaged; .* Its finished generations are in metrics\.csv"):
        resume(folder, workers=1)
    assert read_run_files(folder) == before


def test_checkpoints_of_another_format_raise_error(tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "CHECKPOINT_FORMAT", 99)
        for name in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):
            write_checkpoint_file(folder / name, {})
    with pytest.raises(RunError, match=r"checkpoint\.npz was written by another version of Tetrion"):
        resume(folder, workers=1)


def test_checkpoint_is_never_unpickled(tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    for name in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):
        np.savez(folder / name, format=np.array(1), rows=np.array([{"a": 1}], dtype=object))
    with pytest.raises(RunError, match="is damaged"):
        resume(folder, workers=1)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (("population = 6", "population = -6"), "genetic.population must be an integer from 2 to 100,000; given -6"),
        (("population = 6", "populaton = 6"), "Did you mean 'population'"),
        (
            ("population = 6", "population = 8"),
            "differs from the recipe of the run; only stop.generations, .* may change",
        ),
        (("population = 6", "population = "), "is not valid TOML"),
        (('learner = "genetic"', 'learner = "genetics"'), "Did you mean 'genetic'"),
        (('rules = "standard"', 'rules = "standart"'), "Did you mean 'standard'"),
        (("format = 1", "format = 2"), "format must be 1; given 2"),
        (('name = "small"', "\x00"), "is not valid TOML"),
    ],
)
def test_invalid_config_raises_error(edit: tuple[str, str], message: str, tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    content = (folder / CONFIG_FILE).read_text("utf-8")
    assert edit[0] in content
    (folder / CONFIG_FILE).write_text(content.replace(*edit), encoding="utf-8")
    before = read_run_files(folder)
    with pytest.raises(RunError, match=message):
        resume(folder, workers=1)
    assert read_run_files(folder) == before
    (folder / CONFIG_FILE).write_text(content, encoding="utf-8")
    resume(folder, workers=1)


def test_finished_run_continues_with_more_generations(tmp_path: Path) -> None:
    train(make_small_recipe(), tmp_path / "run", workers=1)
    before = read_run_files(tmp_path / "run")
    resume(tmp_path / "run", workers=1)
    assert read_run_files(tmp_path / "run") == before
    config = tmp_path / "run" / CONFIG_FILE
    config.write_text(config.read_text("utf-8").replace("generations = 5", "generations = 7"), encoding="utf-8")
    assert resume(tmp_path / "run", workers=1).generation_count == 7
    train(make_small_recipe("genetic", "stop.generations=7"), tmp_path / "at once", workers=1)
    assert read_run_files(tmp_path / "run") == read_run_files(tmp_path / "at once")


@pytest.mark.parametrize(("package", "version"), [("numpy", "1.0"), ("code", "abc"), ("rules", "0")])
def test_other_versions_raise_error(package: str, version: str, tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    meta = json.loads((folder / META_FILE).read_text("utf-8"))
    meta["versions"][package] = version
    (folder / META_FILE).write_text(json.dumps(meta), encoding="utf-8")
    with pytest.raises(RunError, match=f"{package} was {version}, now .*allow_other_versions=True"):
        resume(folder, workers=1)
    run = resume(folder, workers=1, allow_other_versions=True)
    assert run.meta["status"] == "finished"
    assert [earlier[package] for earlier in run.meta["earlier_versions"]] == [version]


def test_unexpected_metadata_and_files_do_not_stop_a_run(tmp_path: Path) -> None:
    train(make_small_recipe(), tmp_path / "uninterrupted", workers=1)
    folder = make_stopped_run(tmp_path / "run")
    meta = json.loads((folder / META_FILE).read_text("utf-8")) | {"seconds": None, "earlier_versions": None}
    (folder / META_FILE).write_text(json.dumps(meta), encoding="utf-8")
    (folder / "population" / "generation_notes.csv").write_text("mine", encoding="utf-8")
    resume(folder, workers=1)
    (folder / "population" / "generation_notes.csv").unlink()
    assert read_run_files(folder) == read_run_files(tmp_path / "uninterrupted")


@pytest.mark.parametrize("missing", [BEST_AGENT_FILE, METRICS_FILE])
def test_missing_file_of_a_finished_run_is_written_again(missing: str, tmp_path: Path) -> None:
    train(make_small_recipe(), tmp_path / "run", workers=1)
    before = read_run_files(tmp_path / "run")
    (tmp_path / "run" / missing).unlink()
    resume(tmp_path / "run", workers=1)
    assert read_run_files(tmp_path / "run") == before


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format": 1}'])
def test_damaged_result_raises_error_and_is_written_again(content: str, tmp_path: Path) -> None:
    train(make_small_recipe(), tmp_path / "run", workers=1)
    (tmp_path / "run" / RESULT_FILE).write_text(content, encoding="utf-8")
    with pytest.raises(RunError, match=r"result\.json is damaged"):
        assert Run(tmp_path / "run").result
    before = read_run_files(tmp_path / "run") | {RESULT_FILE: b""}
    resume(tmp_path / "run", workers=1)
    assert read_run_files(tmp_path / "run") | {RESULT_FILE: b""} == before
    assert Run(tmp_path / "run").result


def test_files_of_an_incomplete_run_do_not_affect_a_new_one(tmp_path: Path) -> None:
    folder = create_run(make_small_recipe(seed=5), tmp_path / "run")
    (folder / CONFIG_FILE).unlink()
    create_run(make_small_recipe(seed=6), folder)
    assert not (folder / PREVIOUS_CHECKPOINT_FILE).exists()
    (folder / CONFIG_FILE).unlink()
    (folder / PREVIOUS_CHECKPOINT_FILE).write_bytes(b"")
    train(make_small_recipe(), folder, workers=1)
    train(make_small_recipe(), tmp_path / "uninterrupted", workers=1)
    assert read_run_files(folder) == read_run_files(tmp_path / "uninterrupted")


def test_settings_can_be_keyword_arguments(tmp_path: Path) -> None:
    run = train(make_small_recipe(), tmp_path / "run", seed=3, workers=1, generations=2, games={"count": 1})
    assert run.recipe == make_small_recipe("genetic", "generations=2", "games.count=1", seed=3)
    assert run.generation_count == 2
    with pytest.raises(RecipeError, match=r"gavrilov: Unknown setting 'generatons'\. Did you mean 'generations'"):
        train("gavrilov", tmp_path / "other", generatons=3)
    assert not (tmp_path / "other").exists()


def test_progress_is_reported(tmp_path: Path) -> None:
    reports = list[TrainingProgress]()
    train(make_small_recipe(), tmp_path / "run", workers=2, on_progress=reports.append)
    assert [report.done for report in reports] == sorted(report.done for report in reports)
    tasks = list(dict.fromkeys(report.task for report in reports))
    assert [tasks[0], tasks[1], *tasks[-2:]] == [
        "Playing",
        "Playing the final games (0 of 12)",
        "Playing the final games (12 of 12)",
        "Finished",
    ]
    assert {(report.planned, report.unit, report.workers) for report in reports} == {(5, "generation", "2 threads")}
    assert reports[0].seconds_left is None
    assert reports[-1].seconds_left == 0
    assert reports[-1].details[0].startswith("best ")
    played = sum(reports[-1].learner.get_column("pieces"))
    assert reports[-1].pieces > played, "the validation games and the final games are counted too"


@pytest.mark.parametrize("function", [train, resume])
def test_workers_executor_and_device_are_those_of_evaluate(function: Any, tmp_path: Path) -> None:
    expected = {
        name: parameter
        for name, parameter in signature(tetrion.evaluate).parameters.items()
        if name in ("workers", "executor", "device")
    }
    assert expected.items() <= signature(function).parameters.items()
    folder = tmp_path / "run"
    arguments = (make_small_recipe(), folder) if function is train else (create_run(make_small_recipe(), folder),)
    with start_threads(2) as threads, pytest.raises(TetrionError, match="Give only one of them"):
        function(*arguments, workers=2, executor=threads)


def test_executor_can_be_passed(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        train(make_small_recipe(), tmp_path / "pool", executor=pool)
    train(make_small_recipe(), tmp_path / "threads", workers=1)
    assert read_run_files(tmp_path / "pool") == read_run_files(tmp_path / "threads")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}"])
def test_damaged_meta_file_counts_as_unknown_versions(content: str, tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    (folder / META_FILE).write_text(content, encoding="utf-8")
    with pytest.raises(RunError, match="the versions of the run are unknown"):
        resume(folder, workers=1)
    assert resume(folder, workers=1, allow_other_versions=True).meta["status"] == "finished"


def test_invalid_folders_raise_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match="is a file"):
        train(make_small_recipe(), tmp_path / "file", workers=1)
    with pytest.raises(RunError, match="cannot be written: Not a directory"):
        train(make_small_recipe(), tmp_path / "file" / "run", workers=1)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match="not empty and not a run"):
        train(make_small_recipe(), tmp_path / "full", workers=1)
    train(make_small_recipe(), tmp_path / "run", workers=1)
    with pytest.raises(RunError, match=r"is a run already\. Choose another folder, or .*`tetrion\.resume\("):
        train(make_small_recipe(), tmp_path / "run", workers=1)
    with pytest.raises(RunError, match=r"has no config\.toml"):
        resume(tmp_path / "full")
    with pytest.raises(RunError, match=r"No such folder: .*nowhere\. `tetrion train RECIPE --out .*nowhere` makes it"):
        resume(tmp_path / "nowhere")


def test_folder_is_locked_during_training(tmp_path: Path) -> None:
    folder = create_run(make_small_recipe(), tmp_path / "run")
    with lock_folder(folder), pytest.raises(RunError, match="by another process"):
        resume(folder, workers=1)


def test_run_can_be_read(tmp_path: Path) -> None:
    run = train(make_small_recipe("genetic", "crowd.kind=both"), tmp_path / "run", workers=1)
    assert run.parameter_names == ("holes", "bumpiness", "lines", "aggregate_height")
    for number in range(run.generation_count):
        candidates, fitness, games = run.load_population(number)
        assert candidates.shape == (6, 4)
        assert run.metrics["max"][number] == fitness.max()
        assert run.metrics["mean"][number] == fitness.mean()
        assert run.metrics["q1"][number] == np.percentile(fitness, 25)
        assert games.tolist().count(4) == 3  # the better half played a halving round
        best = candidates[fitness.argmax()]
        assert run.incumbents[number].tolist() == best.tolist()
    assert run.result
    assert set(run.result["finalists"]) > {"crowd (mean)", "crowd (consensus)"}
    assert run.result["crowd"]["best expert"] >= run.result["crowd"]["average expert"]


def test_crowd_can_be_weighted_by_score_and_resumed_bit_identically(tmp_path: Path) -> None:
    recipe = make_small_recipe("genetic", "crowd.kind=both", "crowd.weighting=score")
    run = train(recipe, tmp_path / "run", workers=1)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, tmp_path / "stopped", workers=2, on_progress=interrupt_after_three)
    resume(tmp_path / "stopped", workers=2)
    assert read_run_files(tmp_path / "run") == read_run_files(tmp_path / "stopped")
    assert run.result
    assert list(run.result["crowd"])[-2:] == ["crowd (weighted mean)", "crowd (consensus)"]
    crowd = make_mean_crowd(run.incumbents, run.metrics["max"])
    agent = WeightedAgent("crowd", dict(zip(run.parameter_names, crowd.tolist(), strict=True)), rules="standard")
    held_out = run.result["held_out"]
    evaluation = tetrion.evaluate(agent, held_out["rules"], held_out["games"], held_out["seed"], max_pieces=60)
    assert run.result["crowd"]["crowd (weighted mean)"] == pytest.approx(evaluation.per_game["lines"].mean())


def test_held_out_result_can_be_reproduced(tmp_path: Path) -> None:
    run = train(make_small_recipe(), tmp_path / "run", workers=1)
    assert run.result
    held_out = run.result["held_out"]
    evaluation = tetrion.evaluate(
        tmp_path / "run", held_out["rules"], held_out["games"], held_out["seed"], max_pieces=60
    )
    assert evaluation.lines.to_json() == held_out["lines"]
    assert evaluation.score.to_json() == held_out["score"]
    assert tetrion.load_agent(tmp_path / "run").name == "run"


def test_workers_can_be_passed(tmp_path: Path) -> None:
    with start_threads(2) as workers:
        train(make_small_recipe(), tmp_path / "one", executor=workers)
        train(make_small_recipe(), tmp_path / "two", executor=workers)
    assert read_run_files(tmp_path / "one") == read_run_files(tmp_path / "two")
