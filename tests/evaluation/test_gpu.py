"""Games in bulk on the device cuda: on CUDA's simulator, and where there is none."""

import sys
from typing import Any

import pytest

import tetrion
from simulator import fake_gpu, run_on_simulator
from tetrion.engine import cuda
from tetrion.errors import AgentError, DeviceError, RulesError, TetrionError, UnknownNameError
from tetrion.evaluation import evaluate, open_gpu, start_threads

PROGRAM = """
from tetrion.evaluation import devices, evaluate, gpu

cuda.MAX_GAMES_PER_TEAM = 0
devices.FIRST_SLICE, devices.next_budget = 5, lambda budget, taken: 5
given = {"rules": "standard:height=6", "games": 8, "seed": 3, "max_pieces": 12, "max_lines": 2}
standings = []
here, there = evaluate("lee", **given), evaluate("lee", **given, device="cuda", progress=standings.append)
assert here.per_game.tobytes() == there.per_game.tobytes()
assert standings[-1][:3] == (8, 8, here.per_game["pieces"].sum())
assert not there.stopped


def stop(standing):
    if standing.done:
        raise KeyboardInterrupt


part = evaluate("lee", **given, executor=gpu(), progress=stop)
assert part.stopped and 3 <= part.games < 8, part
for played in part.per_game:
    assert here.per_game["pieces"].max() >= played["pieces"] > 0
assert evaluate("lee", games=1, device="cuda", max_pieces=1).deaths == 0
print(gpu().words)
"""


def test_the_same_games_in_slices_with_progress_and_ctrl_c() -> None:
    assert run_on_simulator(PROGRAM) == "GPU of CUDA's simulator\n"


@pytest.fixture
def there_is_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpu(monkeypatch, gpu=True)


class Mine:
    def choose(self, position: tetrion.Position) -> tetrion.Placement:
        return position.placements()[0]


@pytest.mark.usefixtures("there_is_a_gpu")
def test_what_only_the_cpu_plays() -> None:
    assert open_gpu().description == "GPU Fast"
    for agent in (Mine(), "random-keys"):
        with pytest.raises(AgentError, match=r"this machine's CPU alone; given GPU Fast\. Use threads: .* device away"):
            evaluate(agent, "gavrilov", games=1, device="cuda")
    with pytest.raises(AgentError, match=r"one or two known pieces in one mode; .* Use the CPU"):
        evaluate("du:depth=3", "standard:preview=2", games=1, device="cuda")
    with pytest.raises(RulesError, match=r"given movement=reach\. Use the CPU"):
        evaluate("du", "standard:movement=reach", games=1, device="cuda")


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (
            "CUDA driver library cannot be found.\nTry this.\n",
            r"NVIDIA GPU.*here: CUDA driver library cannot be found\. S",
        ),
        ("CUDA_ERROR_NO_DEVICE (100)", r"none can be used here: CUDA_ERROR_NO_DEVICE \(100\)\. See what `nvidia-smi`"),
        (None, r'CUDA\'s compiler, which is not installed here\. Install it: pip install "tetrion\[gpu\]"'),
    ],
)
def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch, problem: str | None, told: str) -> None:
    fake_gpu(monkeypatch, gpu=False, problem=problem)
    with pytest.raises(DeviceError, match=told):
        evaluate("du", games=1, device="cuda")


def test_without_numba_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tetrion.engine.cuda", None)
    with pytest.raises(DeviceError, match=r'needs numba-cuda, which cannot be loaded: .*pip install "tetrion\[gpu\]"'):
        open_gpu()


class CudaAPIError(Exception):
    """As CUDA's own."""

    __module__ = "numba.cuda.cudadrv.driver"


@pytest.mark.usefixtures("there_is_a_gpu")
@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (CudaAPIError("[222] UNSUPPORTED_PTX_VERSION"), r"refuses: \[222\] UNSUPPORTED.*Its driver may not fit.*CPU"),
        (CudaAPIError("[2] CUDA_ERROR_OUT_OF_MEMORY"), r"memory is full: play fewer games.*CPU"),
    ],
)
def test_a_gpu_that_refuses(monkeypatch: pytest.MonkeyPatch, problem: Exception, told: str) -> None:
    def refuse(*given: Any) -> None:
        raise problem

    monkeypatch.setattr(cuda, "GpuGames", refuse)
    with pytest.raises(DeviceError, match=told):
        evaluate("du", games=1, device="cuda")


@pytest.mark.usefixtures("there_is_a_gpu")
def test_mistakes_of_our_own_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "GpuGames", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        evaluate("du", games=1, device="cuda")


def test_a_device_that_nobody_has() -> None:
    with pytest.raises(UnknownNameError, match=r"no device named 'cud'\. Did you mean 'cuda'"):
        evaluate("du", games=1, device="cud")


def test_a_gpu_has_no_workers() -> None:
    with pytest.raises(TetrionError, match="plays all games itself; given workers 2 too"):
        evaluate("du", games=1, device="cuda", workers=2)
    with start_threads(1) as here, pytest.raises(TetrionError, match="plays all games itself; given 1 thread too"):
        evaluate("du", games=1, device="cuda", executor=here)
