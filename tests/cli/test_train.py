"""`tetrion train`."""

import io
import os
import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from rich.console import Console

from tests.cli.command_runner import PROGRAM, tetrion_here
from tests.training.small_recipes import make_small_recipe, read_run_files
from tetrion.cli import list_command, train_command
from tetrion.cli.train_command import TrainingLog, format_sparkline, render_progress
from tetrion.progress import Progress
from tetrion.training.run import Run
from tetrion.training.trainer import train
from tetrion.training.training_progress import TrainingProgress

CHANGES = ("population=6", "generations=3", "validation.final_games=5", "tournament_size=3")
QUICK = [part for change in CHANGES for part in ("--set", change)]


def test_default_folder_takes_the_next_free_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for options in ([], ["--seeds", "2"]):
        name = "gavrilov-seeds" if options else "gavrilov-0"
        for folder in (name, f"{name}-2"):
            assert f"tetrion report runs/{folder}\n" in tetrion_here("train", "gavrilov", *QUICK, *options).stdout
        message = tetrion_here("train", "gavrilov", *QUICK, *options, "--out", f"runs/{name}", expect=2).stderr
        assert f"runs/{name}" in message
        assert "--resume" in message
        assert sorted(path.name for path in Path("runs").glob(f"{name}*")) == [name, f"{name}-2"]


def test_log_tells_the_time_left_if_the_first_iteration_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    log = TrainingLog()
    for done, seconds in ((0, 1.0), (0, 5.0), (0, 11.0), (0, 12.0), (0, 60.0), (1, 100.0)):
        pieces = round(seconds * 1e6)
        step = Progress(task="Playing", done=done, planned=10, unit="iteration", seconds=seconds, pieces=pieces)
        log(replace(step, pieces_left=1e9 - pieces))
    printed = capsys.readouterr().out.splitlines()
    assert printed == [
        "0 of 10 iterations, 1.0 M pieces/s, 16:29 left",
        "1 of 10 iterations, 1.0 M pieces/s, 15:00 left",
    ]


def test_panel_shows_the_newest_generations_at_every_width(tmp_path: Path) -> None:
    reports: list[TrainingProgress] = []
    train(make_small_recipe("genetic", "generations=70"), tmp_path / "run", on_progress=reports.append)
    title, column = next(iter(reports[-1].learner.curves.items()))
    newest = format_sparkline(reports[-1].learner.get_column(column, 70), 1000)[-1]
    for width in (60, 120):
        printed = io.StringIO()
        Console(width=width, file=printed).print(render_progress(reports[-1], width))
        curves = [line.rstrip() for line in printed.getvalue().splitlines() if "▁" in line or "█" in line]
        assert next(line for line in curves if line.startswith(title)).endswith(newest)
        assert max(map(len, curves)) <= width


def test_folder_of_a_trained_run_is_an_agent(tmp_path: Path) -> None:
    result = tetrion_here("train", "gavrilov", "--out", str(tmp_path / "run"), "--seed", "3", *QUICK)
    assert re.search(
        r"1 of 3 generations, .* best [\d.,]+, mean [\d.,]+, quartiles [\d.,]+ to [\d.,]+, validation", result.stdout
    )
    assert "not used for training or selection" in result.stdout
    assert "tetrion report" in result.stdout
    measured = tetrion_here("bench", str(tmp_path / "run"), "--rules", "gavrilov", "--games", "5", "--pieces", "100")
    assert measured.stdout.splitlines()[1] == "run"
    explained = tetrion_here("explain", str(tmp_path / "run"), "--piece", "T", "--rules", "gavrilov")
    assert "holes" in explained.stdout


def test_run_can_be_repeated_from_its_config(tmp_path: Path) -> None:
    tetrion_here("train", "gavrilov", "--out", str(tmp_path / "one"), "--seed", "3", *QUICK)
    tetrion_here("train", str(tmp_path / "one" / "config.toml"), "--out", str(tmp_path / "two"), "--workers", "1")
    assert read_run_files(tmp_path / "one") == read_run_files(tmp_path / "two")


def test_several_seeds_are_compared(tmp_path: Path) -> None:
    result = tetrion_here("train", "gavrilov", "--out", str(tmp_path / "runs"), "--seeds", "3", *QUICK)
    table = result.stdout[result.stdout.rindex("lines per game") :]
    assert [line.split("  ")[0] for line in table.splitlines()[1:5]] == ["seed 0", "seed 1", "seed 2", "3 seeds"]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["seed-0", "seed-1", "seed-2"]
    assert result.stdout.count("not used for training or selection") == 3
    again = tetrion_here("train", "--resume", str(tmp_path / "runs"))
    assert again.stdout.count("is already finished") == 3
    tetrion_here("train", "--resume", str(tmp_path / "runs"), "--set", "stop.generations=4")
    assert [Run(tmp_path / "runs" / f"seed-{seed}").generation_count for seed in range(3)] == [4, 4, 4]


@pytest.mark.parametrize(
    ("learner", "step", "seeds", "is_killed"),
    [
        ("genetic", "generation", 1, False),
        ("genetic", "generation", 2, True),
        pytest.param("q-learning", "episode", 2, False, marks=pytest.mark.slow),
    ],
)
def test_resumed_runs_are_identical_to_uninterrupted_ones(
    learner: str, step: str, seeds: int, is_killed: bool, tmp_path: Path
) -> None:
    recipe = make_small_recipe(learner, f"{step}s=100", "validation.every=0")
    (tmp_path / "long.toml").write_text(recipe.to_toml(), encoding="utf-8")
    several = ["--seeds", str(seeds)] if seeds > 1 else []
    arguments = ["train", str(tmp_path / "long.toml"), *several, "--workers", str(seeds), "--out"]
    stopped = tmp_path / "stopped"
    training = subprocess.Popen(
        [*PROGRAM, *arguments, str(stopped)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert training.stdout
    assert f" of {seeds * 100} {step}s, " in training.stdout.readline()
    if is_killed:
        training.kill()
    else:
        os.killpg(training.pid, signal.SIGINT)
    _, stderr = training.communicate(timeout=30)  # child processes end with their parent
    assert training.returncode == (-signal.SIGKILL if is_killed else 130), stderr
    if not is_killed:
        assert re.fullmatch(rf"Stopped\. \d+ finished {step}s? (?:is|are) saved\. Resume with: (.*)\n", stderr), stderr
        assert stderr.endswith(f"tetrion train --resume {stopped}\n")
    assert len(list(stopped.rglob("result.json"))) < seeds
    tetrion_here("train", "--resume", str(stopped), "--workers", str(seeds))
    tetrion_here(*arguments, str(tmp_path / "uninterrupted"))
    assert read_run_files(stopped) == read_run_files(tmp_path / "uninterrupted")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gavrilov", "--resume", "x"], "Give either a recipe"),
        (["gavrilow"], "Did you mean 'gavrilov'"),
        (["gavrilov", "--set", "genetic.populaton=3"], "Did you mean 'genetic.population'"),
        (["gavrilov", "--seed", "1", "--seeds", "3"], "omit --seed"),
        (["gavrilov", "--workers", "2", "--cluster", "tcp://here:1"], "give only one"),
        (["--resume", "nowhere"], "No such folder: nowhere. `tetrion train RECIPE --out nowhere` makes it."),
        (["--resume", ".", "--seed", "3"], "omit --seed"),
        (["gavrilov", "--out", "README"], "README is a file"),
    ],
)
def test_mistakes_are_explained(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README").write_text("", encoding="utf-8")
    assert message in tetrion_here("train", *arguments, expect=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["README"]


def test_recipes_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_command, "estimate_seconds", {"gavrilov": 1.3, "record": 32_000.0}.get)
    printed = tetrion_here("list", "recipes").stdout
    durations = {line.split()[0]: line for line in printed.splitlines() if line.startswith(("gavrilov", "record"))}
    assert re.match(r"gavrilov +1 second +Four weights", durations["gavrilov"])
    assert re.match(r"record +9 hours +Patterns", durations["record"])
    assert "Szita and Lőrincz" in tetrion_here("list", "recipes", "cross-entropy").stdout
    recipe = tetrion_here("list", "recipes", "hindi").stdout
    assert re.search(r"genetic\.mutation_step +0\.2 +change of a gene", recipe)
    assert "Did you mean 'hindi'" in tetrion_here("list", "recipes", "hindy", expect=2).stderr


def test_panel_is_shown_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"TTY_COMPATIBLE": "1", "TERM": "xterm", "COLUMNS": "90", "LINES": "40"}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "some.toml").write_text(make_small_recipe("genetic").to_toml(), encoding="utf-8")
    printed = tetrion_here("train", str(tmp_path / "some.toml"), "--out", str(tmp_path / "run")).stderr
    for label in ("generations", "Fitness: lines cleared", "Quartiles", "aggregate height", "pieces/s"):
        assert label in printed


def test_finished_run_is_trained_longer(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    tetrion_here("train", "gavrilov", "--out", folder, "--seed", "3", *QUICK)
    hint = tetrion_here("train", "--resume", folder).stdout
    assert f"To train longer: tetrion train --resume {folder} --set stop.generations=6" in hint
    with patch("tetrion.lab.video.render_gif", return_value=b"GIF89a"):
        tetrion_here("report", folder)
        longer = tetrion_here("train", "--resume", folder, "--set", "stop.generations=5").stdout
    assert "5 of 5 generations" in longer
    assert f"Writing the report again:\n{tmp_path / 'run' / 'report.html'}" in longer
    assert "generations = 5" in (tmp_path / "run" / "report.html").read_text("utf-8")
    (tmp_path / "run" / "report.html").unlink()
    tetrion_here("train", "gavrilov", "--out", str(tmp_path / "five"), "--seed", "3", *QUICK, "--set", "generations=5")
    assert read_run_files(tmp_path / "run") == read_run_files(tmp_path / "five")
    error = tetrion_here("train", "--resume", folder, "--set", "population=7", expect=2).stderr
    assert "stop.generations, stop.total_pieces, stop.patience; and --workers, --cluster and --device, which" in error
    assert "Given genetic.population." in error
    assert "Finished generations are saved" not in error


def test_training_continues_if_its_output_cannot_be_written(tmp_path: Path) -> None:
    """No generation is lost, and the run does not count as running afterwards."""
    recipe = tmp_path / "small.toml"
    recipe.write_text(make_small_recipe("genetic").to_toml(), encoding="utf-8")
    command = [*PROGRAM, "train", str(recipe), "--out", str(tmp_path / "run"), "--workers", "1"]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        process = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    assert process.stderr == "Standard output cannot be written: Broken pipe. Training continues without output.\n"
    assert process.returncode == 0
    assert Run(tmp_path / "run").meta["status"] == "finished"


def test_compilation_of_all_parts_is_announced_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    planned: list[str] = []
    monkeypatch.setattr(train_command, "plan_compilation", lambda parts: planned.extend(part.name for part in parts))
    (tmp_path / "some.toml").write_text(make_small_recipe("q-learning", "episodes=1").to_toml(), encoding="utf-8")
    tetrion_here("train", str(tmp_path / "some.toml"), "--out", str(tmp_path / "run"))
    assert planned == ["play drops simd", "prepare next piece", "evaluate placements"]
