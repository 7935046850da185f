"""Ctrl-C at any moment: one line, exit code 130 and no traceback."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.command_runner import tetrion_here
from tetrion.cli import list_command
from tetrion.engine.feature_registry import FEATURES
from tetrion.interrupts import EXIT_STOPPED, STOP_MESSAGE, is_uninterruptible

# The first line appears when `main` has begun, which takes more or less time on different machines. It is printed
# inside `main`: Ctrl-C between the line and the call of `main` would end this program, not the command.
STARTED_PROGRAM = """
from tetrion import __main__ as command
run = command.run_in_process
command.run_in_process = lambda: (print("started", flush=True), run())
command.main()
"""
ENDED_PYTHON = -signal.SIGINT  # Ctrl-C after everything is printed, in the last moments of the interpreter
DELAYS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # seconds
COMMANDS = {
    "menu": [],
    "bench": ["bench", "du", "--games", "2000", "--workers", "2"],
    "Python agent": ["bench", str(Path(__file__).parents[2] / "examples" / "python_agent.py") + ":Careful"],
    "watch": ["watch", "du"],
    "watch --text": ["watch", "du", "--text", "--pieces", "1000000000"],
    "train": ["train", "gavrilov", "--out", "run"],
    "train --seeds": ["train", "gavrilov", "--seeds", "2", "--out", "runs"],
    "reproduce": ["reproduce", "becker", "--quick", "--out", "papers"],
}

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send Ctrl-C to one process")


def interrupt_after(arguments: list[str], delay: float, folder: Path, **variables: str) -> tuple[int, str, str]:
    """Start a command, press Ctrl-C after `delay` seconds, and return its exit code, its output and its errors.

    The whole process group receives the signal, as from a terminal.
    """
    environment = os.environ | {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"} | variables
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED_PROGRAM, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    try:
        assert process.stdout.readline() == "started\n"
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    return process.returncode, output, errors


@needs_signals
@pytest.mark.parametrize(
    ("name", "delays"),
    [
        *(("menu", DELAYS[1:2]), ("bench", DELAYS[-1:]), ("train --seeds", DELAYS[-2:-1])),
        *(pytest.param(name, DELAYS, marks=pytest.mark.slow) for name in COMMANDS),
    ],
)
def test_ctrl_c_at_any_moment(name: str, delays: Sequence[float], tmp_path: Path) -> None:
    """Stop a command after each of these delays, in seconds; it has its exit code, and one line of output."""
    for number, delay in enumerate(delays):
        folder = tmp_path / str(number)
        folder.mkdir()
        code, _, errors = interrupt_after(COMMANDS[name], delay, folder)
        assert "Traceback" not in errors, delay
        assert "Exception ignored" not in errors, delay
        assert code in (0, EXIT_STOPPED, ENDED_PYTHON), (delay, errors)
        if code == EXIT_STOPPED:
            assert errors.startswith(STOP_MESSAGE), (delay, errors)
            assert errors.count("\n") == 1, (delay, errors)


@needs_signals
def test_ctrl_c_while_the_engine_is_compiled(tmp_path: Path) -> None:
    code, _, errors = interrupt_after(["bench", "medico"], 3.0, tmp_path, TETRION_CACHE_DIR=str(tmp_path / "cache"))
    assert "Traceback" not in errors
    assert code == EXIT_STOPPED, errors
    assert errors.splitlines()[-1].startswith(STOP_MESSAGE)


@needs_signals
def test_ctrl_c_does_not_wait_for_a_long_search(tmp_path: Path) -> None:
    """Three pieces and an unknown fourth, without a beam on a board with many gaps, take more than a minute."""
    agent = {"format": 1, "kind": "linear", "weights": dict.fromkeys(FEATURES, -1), "depth": 3, "expect": 1}
    (tmp_path / "slow.json").write_text(json.dumps(agent), encoding="utf-8")
    rows = [*2 * [10 * "."], ".#...#...#", *2 * [10 * "."], "#...#...#."]
    (tmp_path / "gaps.txt").write_text("\n".join(4 * rows), encoding="utf-8")
    rules = "standard:preview=2,movement=reach,height=28"
    command = ["explain", "slow.json", "--rules", rules, "--board", "gaps.txt", "--piece", "T", "--next", "LJ"]
    code, output, errors = interrupt_after(command, 4.0, tmp_path)
    assert (code, output) == (EXIT_STOPPED, "")
    assert errors.endswith(f"{STOP_MESSAGE}\n")


@needs_signals
def test_ctrl_c_waits_for_the_end_of_an_import(tmp_path: Path) -> None:
    """An interrupt inside an import would leave a library half loaded."""
    (tmp_path / "slow_module.py").write_text(
        "import time\nfor _ in range(100):\n    time.sleep(0.01)\nis_loaded = True\n"
    )
    program = (
        "import signal, sys; from tetrion.interrupts import *; set_interrupt_handler(interrupt_after_import)\n"
        "print('started', flush=True)\n"
        "try:\n    import slow_module\n    import time; time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('interrupted', slow_module.is_loaded)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "started\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted True\n"


@needs_signals
def test_a_lost_interrupt_is_repeated() -> None:
    program = (
        "from tetrion.interrupts import *; repeat_lost_interrupts()\n"
        "class Interrupting:\n    def __del__(self):\n        raise KeyboardInterrupt\n"
        "import time\n"
        "try:\n    value = Interrupting(); del value; time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert (process.stdout, process.stderr) == ("interrupted\n", "")


@needs_signals
def test_an_interrupt_that_is_lost_in_the_first_import_is_repeated() -> None:
    """Python ignores exceptions in the callbacks of weak references, which imports use."""
    program = (
        "import signal, sys, weakref\n"
        "from tetrion.__main__ import main\n"
        "class Finder:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'tetrion.interrupts':\n"
        "            value = {1}\n"
        "            reference = weakref.ref(value, lambda _: signal.raise_signal(signal.SIGINT))\n"
        "            del value\n"
        "sys.meta_path.insert(0, Finder())\n"
        "main()\n"
    )
    process = subprocess.run([sys.executable, "-c", program, "--help"], capture_output=True, text=True, timeout=50)
    assert (process.returncode, process.stdout, process.stderr) == (EXIT_STOPPED, "", f"{STOP_MESSAGE}\n")


def test_commands_without_their_own_message_end_with_the_same_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def press_ctrl_c(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(list_command, "print_table", press_ctrl_c)
    tetrion_here("list", "papers", expect=EXIT_STOPPED)
    assert capfd.readouterr().err == f"{STOP_MESSAGE}\n"


def test_functions_of_llvm_are_not_interrupted() -> None:
    """An interrupt between a call of LLVM and the note that it owns a module made it free the module twice."""
    from llvmlite import binding

    class Source:
        """A source text that is read by a function of LLVM."""

        def encode(self, encoding: str) -> bytes:
            assert is_uninterruptible(sys._getframe())
            raise InterruptedError

    with pytest.raises(InterruptedError):
        binding.parse_assembly(Source())
