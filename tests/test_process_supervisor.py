"""The supervisor of a process: no process that was started below it survives."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has child subreapers")

# Every process inherits the standard output, so that it is closed when no process is left.
PROGRAM = """
import os, signal, subprocess, sys, time

SLEEP = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]

def none():
    pass

def plain():
    subprocess.Popen(SLEEP)

def session():
    subprocess.Popen(SLEEP, start_new_session=True)

def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.execv(SLEEP[0], SLEEP)
    os.wait()

def tree():
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
    time.sleep(600)

def runner():
    if os.fork():
        return
    while True:  # a new process every few milliseconds, whose parent ends
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork():
            os._exit(0)
        time.sleep(0.003)

ENDS = {
    "sleep": lambda: time.sleep(600),
    "hold the GIL": lambda: __import__("ctypes").PyDLL(None).sleep(600),
    "exit": lambda: os._exit(7),
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "kill group": lambda: os.killpg(0, signal.SIGKILL),
    "return": lambda: None,
}

def main():
    kind, end = sys.argv[1:]
    if kind == "tree":
        if os.fork() == 0:
            tree()
    else:
        globals()[kind]()
    os.write(1, b"ready")
    ENDS[end]()
"""
KINDS = ["plain", "session", "daemon", "tree", "runner"]


def start(folder: Path, kind: str, end: str) -> "subprocess.Popen[bytes]":
    """Start a program below the supervisor and wait until it has started its processes."""
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "tetrion.process_supervisor", "program", kind, end]
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.read(5) == b"ready"
    return process


def wait_until_all_ended(process: "subprocess.Popen[bytes]") -> int:
    """Wait until no process has the output open, which the reading test notices; return the exit code."""
    process.communicate(timeout=30)
    return process.returncode


@pytest.mark.parametrize("kind", KINDS)
def test_sigterm_ends_all_processes(kind: str, tmp_path: Path) -> None:
    process = start(tmp_path, kind, "hold the GIL")
    process.terminate()
    assert wait_until_all_ended(process) == -signal.SIGKILL


@pytest.mark.parametrize("kind", KINDS)
def test_end_of_the_program_ends_all_processes(kind: str, tmp_path: Path) -> None:
    assert wait_until_all_ended(start(tmp_path, kind, "exit")) == 7


@pytest.mark.parametrize(("end", "code"), [("crash", -11), ("kill group", -9), ("return", 0)])
def test_exit_code_is_that_of_the_program(end: str, code: int, tmp_path: Path) -> None:
    assert wait_until_all_ended(start(tmp_path, "daemon", end)) == code


def test_end_of_the_input_ends_all_processes(tmp_path: Path) -> None:
    process = start(tmp_path, "daemon", "sleep")
    assert process.stdin
    process.stdin.close()
    process.stdin = None  # `communicate` would use it
    assert wait_until_all_ended(process) == -signal.SIGKILL


def test_program_ends_with_its_supervisor(tmp_path: Path) -> None:
    process = start(tmp_path, "none", "sleep")
    process.kill()
    assert wait_until_all_ended(process) == -signal.SIGKILL
