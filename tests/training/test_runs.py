"""Tests of runs: interrupted at any moment and resumed, they end with the same files as uninterrupted runs."""

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tetrion
from tests.training.small_recipes import interrupt_after_three, make_small_recipe, make_stopped_run, read_run_files
from tetrion.agents import WeightedAgent
from tetrion.agents.run_folders import BEST_AGENT_FILE, CONFIG_FILE
from tetrion.atomic_files import write_atomically
from tetrion.errors import RunError
from tetrion.training import checkpoint, run_writer
from tetrion.training.checkpoint import CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE, write_checkpoint_file
from tetrion.training.learner import LEARNERS
from tetrion.training.optimisers.optimiser import StateArrays
from tetrion.training.optimisers.wisdom_of_crowds import make_mean_crowd
from tetrion.training.run import META_FILE, METRICS_FILE, Run
from tetrion.training.trainer import create_run, resume, train
from tetrion.training.training_progress import TrainingProgress

LEARNER_NAMES = tuple(LEARNERS)  # without those that other tests register


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
    for failing_write in range(1, 40):
        write_count = 0
        folder = tmp_path / str(failing_write)
        try:
            train(recipe, folder, workers=1)
            break
        except KeyboardInterrupt:
            write_count = -1000
        if (folder / CONFIG_FILE).exists():
            resume(folder, workers=1)
        else:
            train(recipe, folder, workers=1)
        assert read_run_files(folder) == read_run_files(tmp_path / "uninterrupted"), (
            f"killed before write {failing_write}"
        )
    assert 12 < failing_write < 39


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


def test_two_damaged_checkpoints_raise_error(tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    for name in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):
        (folder / name).write_bytes(b"PK")
    before = read_run_files(folder)
    with pytest.raises(RunError, match=r"checkpoint\.npz is damaged; .* Its finished generations are in metrics\.csv"):
        resume(folder, workers=1)
    assert read_run_files(folder) == before
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "CHECKPOINT_FORMAT", 99)
        for name in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):
            write_checkpoint_file(folder / name, {})
    with pytest.raises(RunError, match=r"checkpoint\.npz was written by another version of Tetrion"):
        resume(folder, workers=1)


def test_invalid_config_raises_error(tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    content = (folder / CONFIG_FILE).read_text("utf-8")
    assert "population = 6" in content
    for population, message in (
        ("-6", "genetic.population must be an integer from 2 to 100,000; given -6"),
        ("8", "differs from the recipe of the run; only stop.generations, .* may change"),
        ("", "is not valid TOML"),
    ):
        edited = content.replace("population = 6", f"population = {population}")
        (folder / CONFIG_FILE).write_text(edited, encoding="utf-8")
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


@pytest.mark.parametrize(("package", "version"), [("numpy", "1.0"), ("rules", "0")])
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


def test_missing_files_of_a_finished_run_are_written_again(tmp_path: Path) -> None:
    train(make_small_recipe(), tmp_path / "run", workers=1)
    before = read_run_files(tmp_path / "run")
    for missing in (BEST_AGENT_FILE, METRICS_FILE):
        (tmp_path / "run" / missing).unlink()
    resume(tmp_path / "run", workers=1)
    assert read_run_files(tmp_path / "run") == before


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


def test_executor_can_be_passed(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        train(make_small_recipe(), tmp_path / "pool", executor=pool)
    train(make_small_recipe(), tmp_path / "threads", workers=1)
    assert read_run_files(tmp_path / "pool") == read_run_files(tmp_path / "threads")


def test_damaged_meta_file_counts_as_unknown_versions(tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run")
    (folder / META_FILE).write_text("{", encoding="utf-8")
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
    invalid_numbers: tuple[Any, ...] = (-1, 5, "1", 1.0, True)
    for invalid in invalid_numbers:
        with pytest.raises(RunError, match=r"whole number from 0 \(the first one\) to 4; given "):
            run.load_population(invalid)
    assert run.result
    assert set(run.result["finalists"]) > {"crowd (mean)", "crowd (consensus)"}
    assert run.result["crowd"]["best expert"] >= run.result["crowd"]["average expert"]


def test_runs_without_populations_say_so(tmp_path: Path) -> None:
    run = Run(create_run(make_small_recipe("q-learning"), tmp_path / "run"))
    with pytest.raises(RunError, match="has no populations: q-learning trains a single agent"):
        run.load_population(0)
    with pytest.raises(RunError, match="has no finished generation yet"):
        Run(create_run(make_small_recipe(), tmp_path / "new")).load_population(0)


def test_interrupt_says_how_to_resume(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt) as raised:
        train(make_small_recipe(), tmp_path / "run", workers=1, on_progress=interrupt_after_three)
    folder = str(tmp_path / "run")
    assert raised.value.__notes__ == [f"3 finished generations are saved. Resume with `tetrion.resume({folder!r})`."]


def test_crowd_can_be_weighted_by_score(tmp_path: Path) -> None:
    recipe = make_small_recipe("genetic", "crowd.kind=both", "crowd.weighting=score")
    run = train(recipe, tmp_path / "run", workers=1)
    assert run.result
    assert list(run.result["crowd"])[-2:] == ["crowd (weighted mean)", "crowd (consensus)"]
    crowd = make_mean_crowd(run.incumbents, run.metrics["max"])
    agent = WeightedAgent("crowd", dict(zip(run.parameter_names, crowd.tolist(), strict=True)), rules="standard")
    held_out = run.result["held_out"]
    evaluation = tetrion.evaluate(agent, held_out["rules"], held_out["games"], held_out["seed"], max_pieces=60)
    assert run.result["crowd"]["crowd (weighted mean)"] == pytest.approx(evaluation.per_game["lines"].mean())
