"""Replies of agent processes: the agent's code can write anything to their stream."""

import os
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.agents.example_agents import get_first_position, is_running
from tetrion.agents.python_agent import agent_process
from tetrion.agents.python_agent.agent_process import AgentProcess, ReplyReader, placement_to_json
from tetrion.errors import AgentError

LEGAL_PLACEMENT = placement_to_json(get_first_position().placements()[0])
# The beginning of a process that starts quickly because it has no agent; each test continues it.
PROGRAM = f"""
import json, os, sys, time

def reply(kind="result", content=True):
    os.write(1, json.dumps({{"request": number, kind: content}}).encode() + b"\\n")

def read_request():
    global number
    number = json.loads(sys.stdin.readline())["request"]

def reply_placement():
    reply(content={LEGAL_PLACEMENT})

number = 0
reply()
read_request()
reply()
"""
PLACEMENT = b'["T", 0, 0, 0, "top-left"]'
INVALID_LINES = {
    "deep nesting": b"[" * 60_000,
    "deep nesting in the result": b'{"request": %d, "result": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    "error as an object": b'{"request": %d, "error": {"a": 1}}',
    "error as a number": b'{"request": %d, "error": 5}',
    "short placement": b'{"request": %d, "result": [1, 2]}',
    "placement as an object": b'{"request": %d, "result": {"a": 1}}',
    "placement as a text": b'{"request": %d, "result": "T0000"}',
    "no placement": b'{"request": %d, "result": true}',
    "infinity": b'{"request": %d, "result": ["T", 0, 1e999, 0, "top-left"]}',
    "not a number": b'{"request": %d, "result": ["T", 0, NaN, 0, "top-left"]}',
    "5,000 digits": b'{"request": %d, "result": ["T", 0, ' + b"7" * 5000 + b', 0, "top-left"]}',
    "4,000 digits": b'{"request": %d, "result": ["T", 0, ' + b"7" * 4000 + b', 0, "top-left"]}',
    "boolean as column": b'{"request": %d, "result": ["T", 0, true, 0, "top-left"]}',
    "unknown piece": b'{"request": %d, "result": ["' + b"x" * 50_000 + b'", 0, 0, 0, "top-left"]}',
    "list as piece": b'{"request": %d, "result": [["T"], 0, 0, 0, "top-left"]}',
    "invalid UTF-8": b'{"request": %d, "error": "\xff\xfe"}',
    "UTF-16": '{"request": 1}'.encode("utf-16"),
    "control characters": b"\x1b[2J\x07\x00",
    "number": b"7",
    "null": b"null",
    "empty line": b"",
    "other request": b'{"request": 1, "result": ' + PLACEMENT + b"}",
    "request as an object": b'{"request": {}, "result": ' + PLACEMENT + b"}",
    "no request": b'{"result": ' + PLACEMENT + b"}",
    "two kinds": b'{"request": %d, "error": "", "result": ' + PLACEMENT + b"}",
    "unknown kind": b'{"request": %d, "placement": ' + PLACEMENT + b"}",
    "no kind": b'{"request": %d}',
    "too long": b" " * 65_537 + b'{"request": %d, "result": ' + PLACEMENT + b"}",
}
EXTRA_REPLIES = {
    "before the request": "reply_placement()\nread_request()\nreply_placement()\n",
    "with a guessed number": "number += 1\nreply_placement()\nread_request()\nreply_placement()\n",
    "after the reply": "read_request()\nreply_placement()\nreply_placement()\nread_request()\nreply_placement()\n",
    "endless line": "read_request()\nwhile True: os.write(1, b'[' * 100_000)\n",
    "endless line before the request": "while True: os.write(1, b'[' * 100_000)\n",
    "endless lines": "read_request()\nwhile True: os.write(1, b'\\n' * 100_000)\n",
    "endless lines before the request": "while True: os.write(1, b'\\n' * 100_000)\n",
}
FAKED_REPORTS = """
read_request()
while True:
    reply("compiling")
    time.sleep(0.05)
"""
SLOW_COMPILATIONS = """
for seconds in (0.5, 600):
    read_request()
    reply("compiling")
    time.sleep(seconds)
    reply_placement()
"""

ProgramStarter = Callable[..., AgentProcess]


@pytest.fixture
def start_program(monkeypatch: pytest.MonkeyPatch) -> ProgramStarter:
    """A function that starts a program instead of the process of an agent."""

    def start(program: str, deadline: float = 60) -> AgentProcess:
        command = [sys.executable, "-I", "-S", "-c", f"{PROGRAM}{program}\nsys.stdin.read()"]
        monkeypatch.setattr(agent_process, "_COMMAND", command)
        return AgentProcess("mine.py:Mine", deadline)

    return start


def choose_twice(process: AgentProcess) -> None:
    for _ in range(2):
        process.choose(get_first_position())


def assert_invalid_reply(process: AgentProcess) -> None:
    """Check that the first or second choice reports an invalid reply and ends the process."""
    with pytest.raises(AgentError) as raised:
        choose_twice(process)
    assert str(raised.value).startswith("mine.py:Mine: the agent process sent an invalid reply: ")
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 700
    assert not is_running(process.process_id)


@pytest.mark.parametrize("name", INVALID_LINES)
def test_invalid_reply(start_program: ProgramStarter, name: str) -> None:
    assert_invalid_reply(
        start_program(
            f"read_request()\n"
            f"line = {INVALID_LINES[name]!r}.replace(b'%d', str(number).encode())\n"
            "os.write(1, line + b'\\n')"
        )
    )


@pytest.mark.parametrize("name", EXTRA_REPLIES)
def test_reply_without_a_request(start_program: ProgramStarter, name: str) -> None:
    assert_invalid_reply(start_program(EXTRA_REPLIES[name]))


def test_messages_of_errors_are_cleaned(start_program: ProgramStarter) -> None:
    process = start_program("read_request()\nreply('error', '\\x1b[2J' + 9000 * 'x' + '\\ud800 end.')")
    with pytest.raises(AgentError, match=r"mine.py:Mine: .*x … x.* end\.") as raised:
        process.choose(get_first_position())
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("block", [b"[" * 65_536, b"{}\n" * 20_000])
def test_memory_of_the_reader_is_limited(block: bytes) -> None:
    source, target = os.pipe()

    def write_endlessly() -> None:
        with suppress(BrokenPipeError), os.fdopen(target, "wb", buffering=0) as file:
            while True:
                file.write(block)

    tracemalloc.start()
    writer = threading.Thread(target=write_endlessly, daemon=True)
    writer.start()
    reader = ReplyReader(os.fdopen(source, "rb"))
    reader.wait_for_end(30)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000
    writer.join(30)
    assert not writer.is_alive()


def test_faked_reports_extend_the_deadline_within_a_bound(
    start_program: ProgramStarter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_process, "COMPILATION_SECONDS", 0.4)
    process = start_program(FAKED_REPORTS, deadline=0.25)
    process.create_agent()
    start = time.monotonic()
    with pytest.raises(AgentError, match=r"choosing took more than 0\.65 seconds"):
        process.choose(get_first_position())
    assert time.monotonic() - start < 20


def test_extra_time_for_compiling_is_limited_per_process(
    start_program: ProgramStarter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_process, "COMPILATION_SECONDS", 1.5)
    process = start_program(SLOW_COMPILATIONS, deadline=0.1)
    with pytest.raises(AgentError, match=r"choosing took more than (0|1\.[012])\.?\d* seconds"):
        choose_twice(process)
