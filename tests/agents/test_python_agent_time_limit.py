"""Time limits of agents: time in which Tetrion is stopped, such as by Ctrl-Z, does not count."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest

from tests.cli.command_runner import PROGRAM
from tetrion.agents.python_agent import agent_process
from tetrion.agents.python_agent.agent_process import TimeLimit

THINKING_AGENT = """
import time
from pathlib import Path

class Thinks:
    def choose(self, position):
        if position.pieces == 1:
            Path("thinking").touch()
            time.sleep(0.5)
        return position.placements()[0]
"""


class StoppedQueue:
    """A queue without an item, until this process has been stopped for a number of seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, stop_after: float, stopped_seconds: float) -> None:
        self.now = 0.0
        self.stop_after = stop_after
        self.stopped_seconds = stopped_seconds
        self.has_stopped = False
        monkeypatch.setattr(agent_process, "monotonic", lambda: self.now)

    def get(self, timeout: float) -> str:
        if self.has_stopped:
            return "item"
        self.now += timeout
        if self.now > self.stop_after:
            self.now += self.stopped_seconds
            self.has_stopped = True
        raise Empty


@pytest.mark.parametrize("stop_after", [0.0, 0.45, 0.95])
def test_stopped_time_does_not_count(monkeypatch: pytest.MonkeyPatch, stop_after: float) -> None:
    items = StoppedQueue(monkeypatch, stop_after, 3600.0)
    limit = TimeLimit(1.0)
    assert limit.wait_for_item(items) == "item"  # type: ignore[arg-type]
    assert limit.seconds_left > 0


def test_time_limit_counts_the_time_of_waiting() -> None:
    items: SimpleQueue[str] = SimpleQueue()
    limit = TimeLimit(0.25)
    start = time.monotonic()
    with pytest.raises(Empty):
        limit.wait_for_item(items)
    assert time.monotonic() - start >= 0.25
    items.put("late")
    assert limit.wait_for_item(items) == "late"  # an item that has come is preferred to the end of the time


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot stop processes")
def test_stopped_bench_does_not_blame_the_agent(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(THINKING_AGENT, encoding="utf-8")
    command = [*PROGRAM, "bench", "mine.py:Thinks:deadline=2", "--games", "1", "--pieces", "3"]
    bench = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (tmp_path / "thinking").exists():
        assert bench.poll() is None
        time.sleep(0.01)
    os.killpg(bench.pid, signal.SIGSTOP)  # as Ctrl-Z in a terminal; the agent is in a session of its own
    time.sleep(2.5)
    os.killpg(bench.pid, signal.SIGCONT)
    _, errors = bench.communicate(timeout=60)
    assert bench.returncode == 0, errors
