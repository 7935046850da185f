"""Python agents: they play in a separate process, within their deadline, and the process always ends."""

import copy
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.agents.example_agents import get_first_position, is_running, wait_until_ended
from tetrion import Board, Game, Position, Rules
from tetrion.agents import load_agent
from tetrion.agents.python_agent.agent_process import (
    AgentProcess,
    PythonAgent,
    decode_message,
    encode_message,
    is_python_agent_name,
    position_from_json,
    position_to_json,
)
from tetrion.engine.rules import PRESETS
from tetrion.errors import AgentError, PositionError, TetrionError


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


@pytest.mark.parametrize("text", ["mine.py", "mine.py:", "a b:Mine", ":Mine", "mine.py:My Class", "mine.py:Mine:x=1"])
def test_invalid_class_path(text: str) -> None:
    with pytest.raises(TetrionError):
        load_agent(text)


@pytest.mark.parametrize("deadline", ["x", "0", "-1", "nan", "inf", "", "1e9"])
def test_invalid_deadline(deadline: str) -> None:
    with pytest.raises(AgentError, match=r"number|Options"):
        load_agent(f"mine.py:Mine:deadline={deadline}")


def test_invalid_argument_types(folder: Path) -> None:
    for name in (None, 7, b"mine.py:Mine"):
        with pytest.raises(AgentError):
            load_agent(name)  # type: ignore[arg-type]
    with pytest.raises(AgentError):
        PythonAgent("mine.py:Mine", deadline=True)
    agent = PythonAgent("mine.py:First")
    with pytest.raises(PositionError):
        agent.choose("T")  # type: ignore[arg-type]
    agent.close()


def test_is_python_agent_name() -> None:
    for text in ("mine.py:Mine", "mine:Mine", "package.mine:Mine", "mine.py", "C:\\x\\mine.py:Mine"):
        assert is_python_agent_name(text)
    for text in ("dellacherie", "dellacherie:depth=2", "mine.json", "C:\\agents\\mine.json", "runs/one"):
        assert not is_python_agent_name(text)
