"""The option `--device` of `tetrion bench` and `tetrion train`."""

from pathlib import Path

import pytest

from tests.cli.command_runner import tetrion_here
from tests.simulator import fake_gpu, run_on_simulator

GAMES = ["bench", "lee", "--rules", "standard:height=4", "--games", "4", "--pieces", "6", "--csv", "-"]
PROGRAM = """
import sys
from tetrion.cli import main

sys.argv[0] = "tetrion"
main()
"""


def test_gpu_and_cpu_results_are_identical() -> None:
    assert run_on_simulator(PROGRAM, *GAMES, "--device", "cuda") == tetrion_here(*GAMES, "--device", "cpu").stdout


def test_missing_gpus_and_unknown_devices_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpu(monkeypatch, gpu=False, problem="CUDA driver library cannot be found.")
    for command in (["bench", "du"], ["train", "gavrilov", "--out", str(tmp_path / "run")]):
        error = tetrion_here(*command, "--device", "cuda", expect=2).stderr
        assert "The device cuda needs an NVIDIA GPU with its driver; no GPU can be used: CUDA driver library" in error
        assert error.count("\n") == 1
        error = tetrion_here(*command, "--device", "gpu", expect=2).stderr
        assert error.startswith("Error: Unknown device 'gpu'. Use 'cuda' for an NVIDIA GPU")
    assert not (tmp_path / "run").exists()


def test_rules_agents_and_options_that_need_the_cpu_are_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gpu(monkeypatch, gpu=True)
    bench = ["bench", "--device", "cuda", "--games", "1"]
    error = tetrion_here(*bench, "du:depth=3", "random-keys", "--rules", "gavrilov:preview=2", expect=2).stderr
    assert "Error: du:depth=3: The GPU supports agents that search one or two known pieces in one mode" in error
    assert "Error: random-keys: Python agents and agents that press keys can only play on the CPU" in error
    assert "also given workers 2" in tetrion_here(*bench, "du", "--workers", "2", expect=2).stderr
    train = ["train", "medico-tuned", "--out", str(tmp_path / "run"), "--device", "cuda"]
    assert "given movement=reach. Use the CPU" in tetrion_here(*train, expect=2).stderr
    error = tetrion_here(*train, "--cluster", "2", expect=2).stderr
    assert "--device cuda uses neither threads nor a cluster; omit --workers and --cluster." in error
    assert not (tmp_path / "run").exists()
