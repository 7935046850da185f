"""Python agents: their process and its end, deadlines, error messages, and replies of every kind."""

import copy
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.agents.example_agents import get_first_position, is_running, wait_until_ended
from tests.cli.command_runner import PROGRAM
from tetrion import Board, Game, Position, Rules
from tetrion.agents import load_agent
from tetrion.agents.python_agent import agent_process
from tetrion.agents.python_agent.agent_process import (
    AgentProcess,
    PythonAgent,
    ReplyReader,
    decode_message,
    encode_message,
    placement_to_json,
    position_from_json,
    position_to_json,
)
from tetrion.agents.python_agent.class_loader import call_choose, load_class, make_agent, validate_choice
from tetrion.engine.rules import PRESETS
from tetrion.errors import AgentError


@pytest.mark.parametrize("class_path", ["./mine.py:First", "mine:First"])
def test_agent_plays_until_its_process_is_closed(folder: Path, class_path: str) -> None:
    with PythonAgent(class_path).start_player() as process:
        process.create_agent(seed=5, number=2)
        game = Game("nes", seed=5, number=2)
        for _ in range(5):
            assert game.place(process.choose(game.position)) == 0
        assert all(placement.rotation == placement.column == 0 for placement in game.placements_made)
    assert not is_running(process.process_id)
    assert not process.is_alive
    with pytest.raises(AgentError, match="has ended"):
        process.choose(game.position)


def test_choose_reuses_its_process_and_starts_a_new_one_after_its_death(folder: Path) -> None:
    agent = PythonAgent("mine.py:Memory")
    position = get_first_position()
    later = Position(position.board, "T", "", position.rules, pieces=1)
    first = agent.choose(position)
    assert first == position.placements()[1]
    assert agent.choose(later) == later.placements()[2]
    assert agent.choose(position) == first  # no pieces placed: a new game
    process = agent._process_holder.process
    assert process is not None
    os.kill(process.process_id, signal.SIGKILL)
    wait_until_ended(process.process_id)
    with pytest.raises(AgentError, match=r"mine.py:Memory: .*SIGKILL"):
        agent.choose(later)
    assert agent.choose(later) == later.placements()[1]
    process = agent._process_holder.process
    assert process is not None
    agent.close()
    assert not is_running(process.process_id)


def test_every_game_has_a_new_agent_and_new_random_numbers(folder: Path) -> None:
    position = get_first_position()

    def play(process: AgentProcess, number: int) -> list[Any]:
        process.create_agent(9, number)
        return [process.choose(position) for _ in range(6)]

    agent = PythonAgent("mine.py:Random")
    with agent.start_player() as first_process, agent.start_player() as second_process:
        games = [play(first_process, number) for number in (0, 1, 2)]
        assert [play(second_process, number) for number in (2, 0)] == [games[2], games[0]]
        assert games[0] != games[1]


def test_output_of_an_agent_goes_to_standard_error(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with PythonAgent("mine.py:Noisy").start_player() as process:
        for _ in range(3):
            assert process.choose(get_first_position()) == get_first_position().placements()[0]
    output = capfd.readouterr()
    assert output.out == ""
    assert output.err.count("more noise") == 3
    assert (folder / "notes.txt").read_text() == "noted noted noted "  # it had time to close its files


def test_deadline_ends_the_process_and_its_subprocesses(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    process = PythonAgent("mine.py:Hangs", deadline=0.4).start_player()
    process.create_agent()
    start = time.monotonic()
    with pytest.raises(AgentError) as raised:
        process.choose(get_first_position())
    assert 0.4 <= time.monotonic() - start < 3
    assert str(raised.value).startswith("mine.py:Hangs: choosing took more than 0.4 seconds")
    assert "deadline=1" in str(raised.value)
    wait_until_ended(process.process_id)
    for process_id in capfd.readouterr().err.split("started ")[1].split():  # also in another session
        wait_until_ended(int(process_id))


def test_deadline_interrupts_native_code(folder: Path) -> None:
    process = PythonAgent("mine.py:Sleeps", deadline=0.2).start_player()
    with pytest.raises(AgentError, match=r"more than 0\.2 seconds"):
        process.choose(get_first_position())
    wait_until_ended(process.process_id)


def test_compiling_does_not_count_towards_the_deadline(folder: Path) -> None:
    with PythonAgent("mine.py:Compiles", deadline=0.3).start_player() as process:
        assert process.choose(get_first_position()) == get_first_position().placements()[0]


def test_importing_has_a_time_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "slow.py").write_text("import time\ntime.sleep(600)\n", encoding="utf-8")
    monkeypatch.setattr("tetrion.agents.python_agent.agent_process.START_TIMEOUT_SECONDS", 1.0)
    with pytest.raises(AgentError, match=r"slow.py:Mine: importing the class took more than 1 second,"):
        PythonAgent("slow.py:Mine").start_player().create_agent()


PARENT_PROGRAM = """
import sys
from tetrion import Game
from tetrion.agents.python_agent.agent_process import PythonAgent
process = PythonAgent("mine.py:Hangs", deadline=600).start_player()
print(process.process_id, flush=True)
try:
    process.choose(Game().position)
except KeyboardInterrupt:
    sys.exit("stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently on Windows")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_agent_process_ends_with_the_program(folder: Path, sent: signal.Signals) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", PARENT_PROGRAM]
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, start_new_session=True) as parent:
        try:
            assert parent.stdout is not None
            assert parent.stderr is not None
            process_id = int(parent.stdout.readline())
            line = next(line for line in parent.stderr if line.startswith(b"started"))  # now the agent hangs
            os.killpg(parent.pid, sent)  # as a terminal does
            wait_until_ended(process_id)
            for grandchild_id in line.split()[1:]:
                wait_until_ended(int(grandchild_id))
            assert parent.stderr.read() == (b"stopped\n" if sent == signal.SIGINT else b"")
        finally:
            parent.kill()  # otherwise, its agent would occupy a processor for ten minutes after a failure


def test_positions_survive_the_json_round_trip() -> None:
    for rules in (*PRESETS, "standard:height=14,preview=3", "medico:frames_per_second=59.94,randomiser=script-TIJ"):
        game = Game(rules, seed=4)
        for _ in range(12):
            position = game.position
            assert position_from_json(decode_message(encode_message(position_to_json(position)))) == position
            if not game.is_over:
                game.place(game.placements()[game.pieces % 2])
    unknown = Position(Board(), None, "", Rules())
    assert position_from_json(decode_message(encode_message(position_to_json(unknown)))) == unknown


def test_class_paths_and_options_are_parsed() -> None:
    assert load_agent("mine.py:Mine") == PythonAgent("mine.py:Mine", 5)
    assert load_agent("a=b/mine.py:Mine") == PythonAgent("a=b/mine.py:Mine", 5)
    agent = load_agent("C:\\games\\mine.py:Mine:deadline=2.5")
    assert isinstance(agent, PythonAgent)
    assert (agent.class_path, agent.name, agent.deadline) == ("C:\\games\\mine.py:Mine", "Mine", 2.5)
    assert copy.deepcopy(agent) == agent


# Errors: the message names what was expected, what was given, and what to do.


CLASS_ERRORS = {
    "NoMethod": ["NoMethod' has no such method", "choose(self, position)"],
    "NeedsArgument": ["NeedsArgument() raised TypeError", "'weights'", "give each parameter a default"],
    "FailingInit": ["FailingInit() raised FileNotFoundError", "(mine.py, line 43)"],
    "WrongSignature": ["choose must take one argument", "def choose(self, position)"],
    "ReturnsNone": ["one of position.placements()", "it returned None", "return missing"],
    "RaisesUnprintable": ["choose raised UnprintableError: (no message: its __str__ failed)"],
    "Floating": ["illegal placement", "position.placements() lists the"],
}
PROCESS_ERRORS = {
    "FailingInit": ["FailingInit() raised FileNotFoundError", "(mine.py, line 43)"],
    "Raises": ["choose raised ZeroDivisionError: integer division or modulo by zero (mine.py, line 53)."],
    "WrongPiece": ["illegal placement", "The current piece is"],
    "EndsProcess": ["while choosing", "the agent process ended with exit code 7"],
    "Crashes": ["while choosing", "the agent process was ended by signal SIGSEGV"],
    "WritesReplies": ["the agent process sent an invalid reply: more than 65,536 bytes"],
}
BROKEN_FILES = {
    "syntax": ("class Mine:\n    def choose(self position):\n", ["importing the", "raised SyntaxError", "line 2"]),
    "raises": ("\n\nvalue = {}['x']\n", ["importing the", "raised KeyError: 'x'", "line 3"]),
    "exits": ("import sys\nsys.exit('bye')\n", ["importing the", "raised SystemExit: bye", "line 2"]),
    "empty": ("", ["no class named 'Mine'", "Define a class with the method choose"]),
}


@pytest.fixture
def import_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of agents; imports from it into this process are undone after the test."""
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield folder
    for name in ("mine", "broken", "helper"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def get_error_message(class_path: str) -> str:
    """Return the error message of a class that is loaded in this process."""
    with pytest.raises(AgentError) as raised:
        validate_choice(call_choose(make_agent(load_class(class_path)), get_first_position()), get_first_position())
    return str(raised.value)


@pytest.mark.parametrize("name", CLASS_ERRORS)
def test_error_in_the_class(import_folder: Path, name: str) -> None:
    message = get_error_message(f"mine.py:{name}")
    assert all(part in message for part in CLASS_ERRORS[name]), message


@pytest.mark.parametrize("name", PROCESS_ERRORS)
def test_error_in_the_process_ends_it(folder: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    process = PythonAgent(f"mine.py:{name}").start_player()
    with pytest.raises(AgentError) as raised:
        process.choose(get_first_position())
    assert str(raised.value).startswith(f"mine.py:{name}: ")
    assert all(part in str(raised.value) for part in PROCESS_ERRORS[name]), raised.value
    assert not is_running(process.process_id)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("name", BROKEN_FILES)
@pytest.mark.parametrize("class_path", ["broken.py:Mine", "broken:Mine"])
def test_error_in_the_file(import_folder: Path, name: str, class_path: str) -> None:
    text, parts = BROKEN_FILES[name]
    (import_folder / "broken.py").write_text(text, encoding="utf-8")
    message = get_error_message(class_path)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("class_path", "parts"),
    [
        ("mien.py:First", ["Unknown file 'mien.py'", "Did you mean 'mine.py'?"]),
        ("nowhere/x.py:First", ["no file named 'x.py'", "nowhere", "file.py:Class"]),
        ("mien:First", ["Unknown module 'mien'", "Did you mean 'mine'?"]),
        ("os.elsewhere:First", ["no module named 'os.elsewhere'"]),
        ("folder.py:First", ["folder"]),
    ],
)
def test_missing_file(import_folder: Path, class_path: str, parts: list[str]) -> None:
    (import_folder / "folder.py").mkdir()
    message = get_error_message(class_path)
    assert all(part in message for part in parts), message


# Replies: the agent's code can write anything to their stream.


LEGAL_PLACEMENT = placement_to_json(get_first_position().placements()[0])
# The beginning of a process that starts quickly because it has no agent; each test continues it.
PROCESS_START = f"""
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
    "deep nesting in the result": b'{"request": %d, "result": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    "error as an object": b'{"request": %d, "error": {"a": 1}}',
    "infinity": b'{"request": %d, "result": ["T", 0, 1e999, 0, "top-left"]}',
    "5,000 digits": b'{"request": %d, "result": ["T", 0, ' + b"7" * 5000 + b', 0, "top-left"]}',
    "invalid UTF-8": b'{"request": %d, "error": "\xff\xfe"}',
    "other request": b'{"request": 1, "result": ' + PLACEMENT + b"}",
    "too long": b" " * 65_537 + b'{"request": %d, "result": ' + PLACEMENT + b"}",
}
EXTRA_REPLIES = {
    "with a guessed number": "number += 1\nreply_placement()\nread_request()\nreply_placement()\n",
    "after the reply": "read_request()\nreply_placement()\nreply_placement()\nread_request()\nreply_placement()\n",
    "endless line before the request": "while True: os.write(1, b'[' * 100_000)\n",
    "endless lines": "read_request()\nwhile True: os.write(1, b'\\n' * 100_000)\n",
}
FAKED_REPORTS = """
read_request()
while True:
    reply("compiling")
    time.sleep(0.05)
"""

ProgramStarter = Callable[..., AgentProcess]


@pytest.fixture
def start_program(monkeypatch: pytest.MonkeyPatch) -> ProgramStarter:
    """A function that starts a program instead of the process of an agent."""

    def start(program: str, deadline: float = 60) -> AgentProcess:
        command = [sys.executable, "-I", "-S", "-c", f"{PROCESS_START}{program}\nsys.stdin.read()"]
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


def test_memory_of_the_reader_is_limited() -> None:
    source, target = os.pipe()

    def write_endlessly() -> None:
        with suppress(BrokenPipeError), os.fdopen(target, "wb", buffering=0) as file:
            while True:
                file.write(b"{}\n" * 20_000)

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


# Time limits: time in which Tetrion is stopped, such as by Ctrl-Z, does not count.


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


@pytest.mark.slow
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
