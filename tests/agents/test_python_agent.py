"""A person's own agent: it plays in a process of its own, in time, and never leaves that process behind."""

import copy
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agents.example_agents import is_running, start, wait_until_ended
from tetrion import Board, Game, Position, Rules
from tetrion.agents import load_agent
from tetrion.agents.python_agent.agent_process import AgentProcess
from tetrion.agents.python_agent.json_messages import (
    decode_message,
    encode_message,
    position_from_json,
    position_to_json,
)
from tetrion.agents.python_agent.python_agent import PythonAgent, is_python_agent_name
from tetrion.engine.presets import PRESETS
from tetrion.errors import AgentError, PositionError, TetrionError


@pytest.mark.parametrize("place", ["./mine.py:First", "mine:First"])
def test_it_plays(folder: Path, place: str) -> None:
    with PythonAgent(place).start_process() as child:
        child.begin_game(seed=5, number=2)
        game = Game("nes", seed=5, number=2)
        for _ in range(5):
            assert game.place(child.choose(game.position)) == 0
        assert all(placement.rotation == placement.column == 0 for placement in game.placements_made)
    assert not is_running(child.process_id)
    assert not child.is_alive
    with pytest.raises(AgentError, match="has ended"):
        child.choose(game.position)


def test_choose_by_itself_keeps_a_process_and_starts_another_when_it_is_dead(folder: Path) -> None:
    agent = PythonAgent("mine.py:Memory")
    position = start()
    later = Position(position.board, "T", "", position.rules, pieces=1)
    first = agent.choose(position)
    assert first == position.placements()[1]
    assert agent.choose(later) == later.placements()[2]
    assert agent.choose(position) == first  # no pieces placed: a new game
    child = agent._process_holder.process
    assert child is not None
    os.kill(child.process_id, signal.SIGKILL)
    with pytest.raises(AgentError, match=r"mine.py:Memory: .*SIGKILL"):
        agent.choose(later)
    assert agent.choose(later) == later.placements()[1]
    child = agent._process_holder.process
    assert child is not None
    agent.close()
    assert not is_running(child.process_id)


def test_every_game_has_a_new_agent_and_chance_that_begins_anew(folder: Path) -> None:
    position = start()

    def choices(child: AgentProcess, number: int) -> list[Any]:
        child.begin_game(9, number)
        return [child.choose(position) for _ in range(6)]

    with PythonAgent("mine.py:Chance").start_process() as one, PythonAgent("mine.py:Chance").start_process() as other:
        played = [choices(one, number) for number in (0, 1, 2)]
        assert [choices(other, number) for number in (2, 0)] == [played[2], played[0]]
        assert played[0] != played[1]


def test_prints_go_to_the_standard_error(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with PythonAgent("mine.py:Noisy").start_process() as child:
        for _ in range(3):
            assert child.choose(start()) == start().placements()[0]
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.count("more noise") == 3
    assert (folder / "notes.txt").read_text() == "noted noted noted "  # it had time to close its files


def test_it_is_ended_with_all_that_it_started_when_it_takes_too_long(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    child = PythonAgent("mine.py:Hangs", deadline=0.4).start_process()
    child.begin_game()
    begun = time.monotonic()
    with pytest.raises(AgentError) as caught:
        child.choose(start())
    assert 0.4 <= time.monotonic() - begun < 3
    assert str(caught.value).startswith("mine.py:Hangs: choosing took more than 0.4 seconds")
    assert "deadline=1" in str(caught.value)
    wait_until_ended(child.process_id)
    wait_until_ended(int(capfd.readouterr().err.split("started ")[1].split()[0]))


def test_not_even_native_code_can_hang_it(folder: Path) -> None:
    child = PythonAgent("mine.py:Sleeps", deadline=0.2).start_process()
    with pytest.raises(AgentError, match=r"more than 0\.2 seconds"):
        child.choose(start())
    wait_until_ended(child.process_id)


def test_compiling_is_not_thinking(folder: Path) -> None:
    with PythonAgent("mine.py:Compiles", deadline=0.3).start_process() as child:
        assert child.choose(start()) == start().placements()[0]


def test_importing_has_a_deadline_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "slow.py").write_text("import time\ntime.sleep(600)\n", encoding="utf-8")
    monkeypatch.setattr("tetrion.agents.python_agent.agent_process.START_TIMEOUT_SECONDS", 1.0)
    with pytest.raises(AgentError, match=r"slow.py:Mine: importing the class took more than 1 seconds"):
        PythonAgent("slow.py:Mine").check_class()


PARENT = """
import sys
from tetrion import Game
from tetrion.agents.python_agent.python_agent import PythonAgent
child = PythonAgent("mine.py:Hangs", deadline=600).start()
print(child.process_id, flush=True)
try:
    child.choose(Game().position)
except KeyboardInterrupt:
    sys.exit("stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_it_does_not_outlive_the_program(folder: Path, sent: signal.Signals) -> None:
    pipe = subprocess.PIPE
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=pipe, stderr=pipe, start_new_session=True)
    assert parent.stdout is not None
    assert parent.stderr is not None
    child = int(parent.stdout.readline())
    told = (line.split()[-1] for line in parent.stderr)  # an engine that is compiled first announces that
    other = next(int(word) for word in told if word.isdigit())  # it hangs now
    os.killpg(parent.pid, sent)  # as a terminal does
    wait_until_ended(child)
    wait_until_ended(other)
    assert parent.stderr.read() == (b"stopped\n" if sent == signal.SIGINT else b"")
    parent.stdout.close()
    parent.stderr.close()
    parent.wait()


def test_positions_travel_unchanged() -> None:
    for rules in (*PRESETS, "standard:height=14,preview=3", "medico:frames_per_second=59.94,randomiser=script-TIJ"):
        game = Game(rules, seed=4)
        for _ in range(12):
            position = game.position
            assert position_from_json(decode_message(encode_message(position_to_json(position)))) == position
            if not game.is_over:
                game.place(game.placements()[game.pieces % 2])
    unknown = Position(Board(), None, "", Rules())
    assert position_from_json(decode_message(encode_message(position_to_json(unknown)))) == unknown


def test_command_line_form() -> None:
    assert load_agent("mine.py:Mine") == PythonAgent("mine.py:Mine", 5)
    assert load_agent("a=b/mine.py:Mine") == PythonAgent("a=b/mine.py:Mine", 5)
    agent = load_agent("C:\\games\\mine.py:Mine:deadline=2.5")
    assert isinstance(agent, PythonAgent)
    assert (agent.class_path, agent.name, agent.deadline) == ("C:\\games\\mine.py:Mine", "Mine", 2.5)
    assert copy.deepcopy(agent) == agent


@pytest.mark.parametrize("text", ["mine.py", "mine.py:", "a b:Mine", ":Mine", "mine.py:My Class", "mine.py:Mine:x=1"])
def test_wrong_forms(text: str) -> None:
    with pytest.raises(TetrionError):
        load_agent(text)


@pytest.mark.parametrize("deadline", ["x", "0", "-1", "nan", "inf", "", "1e9"])
def test_wrong_deadlines(deadline: str) -> None:
    with pytest.raises(AgentError, match=r"number|Options"):
        load_agent(f"mine.py:Mine:deadline={deadline}")


def test_wrong_types(folder: Path) -> None:
    for given in (None, 7, b"mine.py:Mine"):
        with pytest.raises(AgentError):
            load_agent(given)  # type: ignore[arg-type]
    with pytest.raises(AgentError):
        PythonAgent("mine.py:Mine", deadline=True)
    agent = PythonAgent("mine.py:First")
    with pytest.raises(PositionError):
        agent.choose("T")  # type: ignore[arg-type]
    agent.close()


def test_what_means_a_class() -> None:
    for text in ("mine.py:Mine", "mine:Mine", "package.mine:Mine", "mine.py", "C:\\x\\mine.py:Mine"):
        assert is_python_agent_name(text)
    for text in ("dellacherie", "dellacherie:depth=2", "mine.json", "C:\\agents\\mine.json", "runs/one"):
        assert not is_python_agent_name(text)
