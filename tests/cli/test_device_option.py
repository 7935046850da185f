"""The option `--device` of `tetrion bench` and `tetrion train`."""

from pathlib import Path

import pytest

from tests.cli.command_runner import tetrion_here
from tests.simulator import fake_gpu, run_on_simulator
from tetrion import evaluate
from tetrion.errors import DeviceError

GAMES = ["bench", "lee", "--rules", "standard:height=4", "--games", "4", "--pieces", "6", "--csv", "-"]
PROGRAM = """
import sys
from tetrion.cli import main

sys.argv[0] = "tetrion"
main()
"""


def test_gpu_and_cpu_results_are_identical() -> None:
    assert run_on_simulator(PROGRAM, *GAMES, "--device", "cuda") == tetrion_here(*GAMES, "--device", "cpu").stdout


def test_missing_gpu_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpu(monkeypatch, gpu=False, problem="CUDA driver library cannot be found.")
    folder = str(tmp_path / "run")
    for command in (["bench", "du"], ["train", "gavrilov", "--out", folder]):
        error = tetrion_here(*command, "--device", "cuda", expect=2).stderr
        assert "The device cuda needs an NVIDIA GPU with its driver; no GPU can be used: CUDA driver library" in error
        assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_the_name_of_the_gpu_is_explained() -> None:
    for command in (["bench", "du"], ["train", "gavrilov"]):
        error = tetrion_here(*command, "--device", "gpu", expect=2).stderr
        assert error.startswith("Error: Unknown device 'gpu'. Use 'cuda' for an NVIDIA GPU")
    with pytest.raises(DeviceError, match="Use 'cuda' for an NVIDIA GPU"):
        evaluate("du", games=1, device="gpu")


def test_rules_and_agents_that_need_the_cpu_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpu(monkeypatch, gpu=True)
    bench = ["bench", "--device", "cuda", "--games", "1"]
    assert "given movement=reach. Use the CPU" in tetrion_here(*bench, "du", "--rules", "medico", expect=2).stderr
    error = tetrion_here(*bench, "du:depth=3", "random-keys", "--rules", "gavrilov:preview=2", expect=2).stderr
    assert "Error: du:depth=3: The GPU supports agents that search one or two known pieces in one mode" in error
    assert "Error: random-keys: Python agents and agents that press keys can only play on the CPU" in error
    train = ["train", "medico-tuned", "--out", str(tmp_path / "run"), "--device", "cuda"]
    assert "given movement=reach. Use the CPU" in tetrion_here(*train, expect=2).stderr
    assert not (tmp_path / "run").exists()


def test_conflicting_options_are_rejected() -> None:
    assert "also given workers 2" in tetrion_here("bench", "du", "--device", "cuda", "--workers", "2", expect=2).stderr
    for other in ("--workers", "--cluster"):
        error = tetrion_here("train", "gavrilov", "--device", "cuda", other, "2", expect=2).stderr
        assert "--device cuda uses neither threads nor a cluster; omit --workers and --cluster." in error
    for command in (["bench", "du"], ["train", "gavrilov"]):
        error = tetrion_here(*command, "--device", "cud", expect=2).stderr
        assert "Unknown device 'cud'. Did you mean 'cuda'?" in error
