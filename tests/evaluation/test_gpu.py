"""Games on the device cuda: with CUDA's simulator, and error messages without a usable GPU."""

from typing import Any

import pytest

import tetrion
from tests.simulator import fake_gpu, run_on_simulator
from tetrion.engine.gpu import play
from tetrion.errors import AgentError, DeviceError, RulesError, TetrionError
from tetrion.evaluation import evaluate, open_gpu, start_threads

PROGRAM = """
from tetrion.evaluation import evaluate, gpu, open_gpu

play.MAX_SHARED_GAMES = 0
gpu.FIRST_SLICE_PIECES = 5
gpu.compute_next_budget = lambda budget, seconds: 5
options = {"rules": "standard:height=6", "games": 8, "seed": 3, "max_pieces": 12, "max_lines": 2}
reports = []
cpu_result = evaluate("lee", **options)
gpu_result = evaluate("lee", **options, device="cuda", on_progress=reports.append)
assert cpu_result.per_game.tobytes() == gpu_result.per_game.tobytes()
last = reports[-1]
assert (last.done, last.planned, last.pieces) == (8, 8, cpu_result.per_game["pieces"].sum())
assert not gpu_result.was_stopped


def stop(progress):
    if progress.done:
        raise KeyboardInterrupt


partial_result = evaluate("lee", **options, executor=open_gpu(), on_progress=stop)
assert partial_result.was_stopped and 3 <= partial_result.games < 8, partial_result
for record in partial_result.per_game:
    assert cpu_result.per_game["pieces"].max() >= record["pieces"] > 0
assert evaluate("lee", games=1, device="cuda", max_pieces=1).deaths == 0
print(open_gpu().description)
"""


def test_simulated_gpu_plays_the_same_games_with_progress_and_ctrl_c() -> None:
    assert run_on_simulator(PROGRAM) == "GPU of CUDA's simulator\n"


@pytest.fixture
def available_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpu(monkeypatch, gpu=True)


class FirstPlacement:
    def choose(self, position: tetrion.Position) -> tetrion.Placement:
        return position.placements()[0]


@pytest.mark.usefixtures("available_gpu")
def test_agents_and_rules_that_need_the_cpu() -> None:
    assert open_gpu().description == "GPU Fast"
    for agent in (FirstPlacement(), "random-keys"):
        message = r"only play on the CPU of this machine; given GPU Fast\. Use threads: omit .* the device"
        with pytest.raises(AgentError, match=message):
            evaluate(agent, "gavrilov", games=1, device="cuda")
    with pytest.raises(AgentError, match=r"one or two known pieces in one mode; .* Use the CPU"):
        evaluate("du:depth=3", "standard:preview=2", games=1, device="cuda")
    with pytest.raises(RulesError, match=r"given movement=reach\. Use the CPU"):
        evaluate("du", "standard:movement=reach", games=1, device="cuda")


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            "CUDA driver library cannot be found.\nTry this.\n",
            r"NVIDIA GPU.*used: CUDA driver library cannot be found\. C",
        ),
        ("CUDA_ERROR_NO_DEVICE (100)", r"no GPU can be used: CUDA_ERROR_NO_DEVICE \(100\)\. Check .* `nvidia-smi`"),
        (None, r'CUDA\'s compiler, which is not installed\. Install it: pip install "tetrion\[gpu\]"'),
    ],
)
def test_machine_without_a_gpu(monkeypatch: pytest.MonkeyPatch, problem: str | None, message: str) -> None:
    fake_gpu(monkeypatch, gpu=False, problem=problem)
    with pytest.raises(DeviceError, match=message):
        evaluate("du", games=1, device="cuda")


class CudaAPIError(Exception):
    """An error that looks like one of CUDA."""

    __module__ = "numba.cuda.cudadrv.driver"

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"[{code}] {text}")
        self.code = code


@pytest.mark.usefixtures("available_gpu")
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (CudaAPIError(222, "UNSUPPORTED_PTX_VERSION"), r"CUDA error: \[222\] UNSUPPORTED.*may not match.*CPU"),
        (CudaAPIError(2, "CUDA_ERROR_OUT_OF_MEMORY"), r"memory of the GPU is full: play fewer games.*CPU"),
    ],
)
def test_cuda_error_is_translated(monkeypatch: pytest.MonkeyPatch, error: Exception, message: str) -> None:
    def fail(*arguments: Any) -> None:
        raise error

    monkeypatch.setattr(play, "GpuGames", fail)
    with pytest.raises(DeviceError, match=message):
        evaluate("du", games=1, device="cuda")


def test_gpu_cannot_be_combined_with_workers() -> None:
    with pytest.raises(TetrionError, match=r"cannot be combined .*; also given workers 2"):
        evaluate("du", games=1, device="cuda", workers=2)
    with start_threads(1) as threads, pytest.raises(TetrionError, match=r"cannot be combined .*; also given 1 thread"):
        evaluate("du", games=1, device="cuda", executor=threads)
