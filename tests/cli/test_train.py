"""`tetrion train` as a person types it."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.command_runner import PROGRAM, tetrion, tetrion_here
from training.small_recipes import files_of, small

QUICK = (
    "--set",
    "population=6",
    "--set",
    "generations=3",
    "--set",
    "validation.final_games=5",
    "--set",
    "tournament=3",
)


def test_a_recipe_is_trained_and_its_folder_is_an_agent(tmp_path: Path) -> None:
    done = tetrion("train", "gavrilov", "--out", str(tmp_path / "run"), "--seed", "3", *QUICK)
    assert re.search(
        r"generation 1 of 3, best [\d.,]+, mean [\d.,]+, quartiles [\d.,]+ to [\d.,]+, judged", done.stdout
    )
    assert "neither trained nor chose anybody" in done.stdout
    assert "tetrion report" in done.stdout
    shown = tetrion_here("bench", str(tmp_path / "run"), "--rules", "gavrilov", "--games", "5", "--pieces", "100")
    assert shown.stdout.splitlines()[1] == "run"
    again = tetrion_here("train", "--resume", str(tmp_path / "run"))
    assert "has finished" in again.stdout
    explained = tetrion_here("explain", str(tmp_path / "run"), "--piece", "T", "--rules", "gavrilov")
    assert "holes" in explained.stdout


def test_the_same_run_from_its_own_config(tmp_path: Path) -> None:
    tetrion_here("train", "gavrilov", "--out", str(tmp_path / "one"), "--seed", "3", *QUICK)
    tetrion_here("train", str(tmp_path / "one" / "config.toml"), "--out", str(tmp_path / "two"), "--workers", "1")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_several_seeds_are_compared(tmp_path: Path) -> None:
    done = tetrion_here("train", "gavrilov", "--out", str(tmp_path / "runs"), "--seeds", "3", *QUICK)
    table = done.stdout[done.stdout.rindex("lines a game") :]
    assert [line.split("  ")[0] for line in table.splitlines()[1:5]] == ["seed 0", "seed 1", "seed 2", "3 seeds"]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["seed-0", "seed-1", "seed-2"]
    assert done.stdout.count("neither trained nor chose anybody") == 3
    again = tetrion_here("train", "--resume", str(tmp_path / "runs"))
    assert again.stdout.count("has finished") == 3


def test_ctrl_c_says_how_to_go_on_and_going_on_ends_the_same(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(small("genetic", "generations=400").to_toml(), encoding="utf-8")
    arguments = ["train", str(tmp_path / "long.toml"), "--workers", "1", "--out"]
    training = subprocess.Popen(
        [*PROGRAM, *arguments, str(tmp_path / "stopped")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert training.stdout
    training.stdout.readline()
    time.sleep(0.2)
    os.killpg(training.pid, signal.SIGINT)
    _, said = training.communicate(timeout=30)
    assert training.returncode == 130, said
    assert f"Go on with: tetrion train --resume {tmp_path / 'stopped'}" in said
    assert "Traceback" not in said
    tetrion_here("train", "--resume", str(tmp_path / "stopped"))
    tetrion_here(*arguments, str(tmp_path / "at once"))
    assert files_of(tmp_path / "stopped") == files_of(tmp_path / "at once")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give a recipe to train by, or --resume"),
        (["gavrilov", "--resume", "x"], "Give a recipe to train by, or --resume"),
        (["gavrilow"], "Did you mean 'gavrilov'"),
        (["mine.toml"], "mine.toml cannot be read: No such file or directory"),
        (["gavrilov", "--set", "genetic.populaton=3"], "Did you mean 'genetic.population'"),
        (["gavrilov", "--set", "population"], "key=value"),
        (["gavrilov", "--seed", "1", "--seeds", "3"], "leave out --seed"),
        (["gavrilov", "--seed", "-1"], "A seed lies between"),
        (["gavrilov", "--seed", "one"], "'one' is not a valid integer"),
        (["gavrilov", "--seeds", "0"], "0 is not in the range"),
        (["gavrilov", "--other-versions"], "belongs to --resume"),
        (["gavrilov", "--workers", "2", "--cluster", "tcp://here:1"], "give one of them"),
        (["gavrilov", "--import-text", "nowhere"], "nowhere is not a folder"),
        (["cma-dt", "--import-text", "."], "requires a genetic algorithm"),
        (["--resume", "nowhere"], "nowhere is not a folder"),
        (["--resume", ".", "--seed", "3"], "leave out --seed"),
        (["--resume", ".", "--set", "a=1", "--out", "x"], "leave out --out, --set"),
        (["gavrilov", "--out", "README"], "README is a file"),
    ],
)
def test_mistakes(arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README").write_text("", encoding="utf-8")
    assert message in tetrion_here("train", *arguments, expect=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["README"]


def test_recipes_are_listed() -> None:
    listed = tetrion_here("list", "recipes").stdout
    assert "gavrilov-plus" in listed
    assert "Szita and Lőrincz" in listed
    one = tetrion_here("list", "recipes", "hindi").stdout
    assert re.search(r"genetic\.mutation_step +0\.2 +change of a gene", one)
    assert "Did you mean 'hindi'" in tetrion_here("list", "recipes", "hindy", expect=2).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_panel_on_a_terminal(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    (tmp_path / "some.toml").write_text(small("genetic", "generations=50").to_toml(), encoding="utf-8")
    arguments = [*PROGRAM, "train", str(tmp_path / "some.toml"), "--out", str(tmp_path / "run")]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "90", "LINES": "40"}
    training = subprocess.Popen(arguments, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while part := read(ours):
        shown += part
    assert training.wait() == 0
    text = shown.decode()
    for words in ("Generation 50 of 50", "Best, lines cleared", "Quartiles", "aggregate height", "pieces/s", "left"):
        assert words in text


def read(terminal: int) -> bytes:
    """What a terminal has to say; nothing once its program has ended."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
