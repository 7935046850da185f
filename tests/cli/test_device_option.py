"""`--device` of `tetrion bench` and `tetrion train`, as a person types it."""

from pathlib import Path

import pytest

from cli.command_runner import tetrion_here
from simulator import fake_gpu, run_on_simulator

GAMES = ["bench", "lee", "--rules", "standard:height=4", "--games", "4", "--pieces", "6", "--csv", "-"]
PROGRAM = """
import sys
from tetrion.cli import main

sys.argv[0] = "tetrion"
main()
"""


def test_a_gpu_measures_the_same() -> None:
    assert run_on_simulator(PROGRAM, *GAMES, "--device", "cuda") == tetrion_here(*GAMES, "--device", "cpu").stdout


def test_without_a_gpu_the_message_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpu(monkeypatch, gpu=False, problem="CUDA driver library cannot be found.")
    for command in (["bench", "du"], ["train", "gavrilov", "--out", str(tmp_path / "run")]):
        told = tetrion_here(*command, "--device", "cuda", expect=2).stderr
        assert "The device cuda is an NVIDIA GPU with its driver; none can be used here: CUDA driver library" in told
        assert told.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_what_only_the_cpu_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpu(monkeypatch, gpu=True)
    bench = ["bench", "--device", "cuda", "--games", "1"]
    assert "given movement=reach. Use the CPU" in tetrion_here(*bench, "du", "--rules", "medico", expect=2).stderr
    told = tetrion_here(*bench, "du:depth=3", "random-keys", "--rules", "gavrilov:preview=2", expect=2).stderr
    assert "Error: du:depth=3: The GPU looks at one or two known pieces in one mode" in told
    assert "Error: random-keys: An agent that is code or presses keys plays on this machine's CPU alone" in told
    train = ["train", "medico-tuned", "--out", str(tmp_path / "run"), "--device", "cuda"]
    assert "given movement=reach. Use the CPU" in tetrion_here(*train, expect=2).stderr
    assert not (tmp_path / "run").exists()


def test_options_that_do_not_fit_together() -> None:
    assert "given workers 2 too" in tetrion_here("bench", "du", "--device", "cuda", "--workers", "2", expect=2).stderr
    for other in ("--workers", "--cluster"):
        told = tetrion_here("train", "gavrilov", "--device", "cuda", other, "2", expect=2).stderr
        assert "--device cuda plays all games itself; leave out --workers and --cluster." in told
    for command in (["bench", "du"], ["train", "gavrilov"]):
        told = tetrion_here(*command, "--device", "cud", expect=2).stderr
        assert "'cud' is not one of 'cpu', 'cuda'" in told
