"""A person's own agent: it plays, and whatever is wrong with it is told in a sentence and leaves no process behind."""

import copy
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tetrion import Board, Game, Position, Rules
from tetrion.agents.loading import load_class, made
from tetrion.agents.mistakes import asked, possible
from tetrion.agents.own import OwnAgent, names_own
from tetrion.agents.running import Child
from tetrion.agents.wire import line_of, message_of, read_position, written_position
from tetrion.engine.presets import PRESETS
from tetrion.errors import AgentError, PositionError, TetrionError

AGENTS = """
import ctypes, os, random, subprocess, sys, time
import numpy as np
from helper import first

class First:
    def choose(self, position):
        return first(position)

class Chance:
    def choose(self, position):
        pick = random.random() + np.random.random()
        return position.placements()[int(pick / 2 * len(position.placements()))]

class Memory:
    def __init__(self):
        self.moves = 0
    def choose(self, position):
        self.moves += 1
        return position.placements()[self.moves % 3]

class Noisy:
    def choose(self, position):
        print("noise " * 20_000)
        os.write(1, b'{"placement": 1}\\n')
        subprocess.run(["echo", "more noise"])
        return position.placements()[0]

class Silent:
    pass

class Picky:
    def __init__(self, weights):
        pass
    def choose(self, position):
        pass

class Broken:
    def __init__(self):
        self.file = open("no such file")
    def choose(self, position):
        pass

class Wrong:
    def choose(self):
        pass

class Raises:
    def choose(self, position):
        return 1 // 0

class Nothing:
    def choose(self, position):
        position.placements()

class Nonsense:
    def choose(self, position):
        return "left"

class Impossible:
    def choose(self, position):
        return Position.of(Board(), "I" if position.piece != "I" else "O").placements()[0]

class Floating:
    def choose(self, position):
        p = position.placements()[0]
        return type(p)(p.piece, p.rotation, p.column, p.row + 9, p.system)

class Quits:
    def choose(self, position):
        sys.exit(3)

class Leaves:
    def choose(self, position):
        os._exit(7)

class Dies:
    def choose(self, position):
        os.kill(os.getpid(), 11)

class Interrupts:
    def choose(self, position):
        raise KeyboardInterrupt

class Asks:
    def choose(self, position):
        return position.placements()[int(input())]

class Hangs:
    def choose(self, position):
        self.other = subprocess.Popen(["sleep", "600"])
        print(f"started {self.other.pid}", flush=True)
        while True:
            pass

class Sleeps:
    def choose(self, position):
        ctypes.PyDLL(None).sleep(600)

class Unspeakable(Exception):
    def __str__(self):
        raise ValueError

class Unspoken:
    def choose(self, position):
        raise Unspeakable

from tetrion import Board, Position
number = 7
"""
MISTAKES = {
    "Silent": ["Silent' has no such method", "choose(self, position)"],
    "number": ["a class with the method choose", "'number' is int"],
    "Frist": ["no class named 'Frist'", "Did you mean 'First'?"],
    "Picky": ["Picky() raised TypeError", "'weights'", "give each a default"],
    "Broken": ["Broken() raised FileNotFoundError", "(mine.py, line 40)"],
    "Wrong": ["choose takes one position", "def choose(self, position)"],
    "Nothing": ["one of position.placements()", "it gave None", "return missing"],
    "Nonsense": ["one of position.placements()", "it gave 'left' (str)"],
    "Unspoken": ["choose raised Unspeakable: (it cannot be shown)"],
    "Floating": ["not possible", "position.placements() lists all"],
    "Quits": ["choose raised SystemExit: 3 (mine.py, line 71)"],
}
MISTAKES_OF_A_PROCESS = {
    "Broken": ["Broken() raised FileNotFoundError", "(mine.py, line 40)"],
    "Raises": ["choose raised ZeroDivisionError: integer division or modulo by zero (mine.py, line 50)."],
    "Impossible": ["not possible", "The current piece is"],
    "Leaves": ["while choosing", "ended by itself with exit code 7"],
    "Dies": ["while choosing", "ended by the signal SIGSEGV"],
    "Interrupts": ["KeyboardInterrupt"],
    "Asks": ["choose raised EOFError"],
}
BROKEN_FILES = {
    "syntax": ("class Mine:\n    def choose(self position):\n", ["importing it raised SyntaxError", "line 2"]),
    "import": ("import nonexistent_library\n", ["importing it raised ModuleNotFoundError", "line 1"]),
    "raises": ("\n\nvalue = {}['x']\n", ["importing it raised KeyError: 'x'", "line 3"]),
    "exits": ("import sys\nsys.exit('bye')\n", ["importing it raised SystemExit: bye", "line 2"]),
    "empty": ("", ["no class named 'Mine'", "Write one: a class with the method choose"]),
    "zeros": ("\0", ["importing it raised"]),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(AGENTS, encoding="utf-8")
    (tmp_path / "helper.py").write_text("def first(position):\n    return position.placements()[0]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def imported_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield folder
    for name in ("mine", "broken", "helper"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def start() -> Position:
    return Game("standard", seed=1).position


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text() if Path("/proc").is_dir() else True


def wait_until_ended(process: int) -> None:
    limit = time.monotonic() + 10
    while is_running(process) and time.monotonic() < limit:
        time.sleep(0.01)
    assert not is_running(process)


@pytest.mark.parametrize("place", ["./mine.py:First", "mine:First"])
def test_it_plays(folder: Path, place: str) -> None:
    with OwnAgent(place).start() as child:
        child.begin(seed=5, number=2)
        game = Game("nes", seed=5, number=2)
        for _ in range(5):
            assert game.place(child.choose(game.position)) == 0
        assert all(placement.rotation == placement.column == 0 for placement in game.placements_made)
    assert not is_running(child.process_id)
    assert not child.alive
    with pytest.raises(AgentError, match="has ended"):
        child.choose(game.position)


def test_choose_by_itself_keeps_a_process_and_starts_another_when_it_is_dead(folder: Path) -> None:
    agent = OwnAgent("mine.py:Memory")
    position = start()
    later = position.after(position.placements()[0])
    later = Position.of(later.board, "T")
    later = Position(later.board, "T", "", later.rules, pieces=1)
    first = agent.choose(position)
    assert first == position.placements()[1]
    assert agent.choose(later) == later.placements()[2]
    assert agent.choose(position) == first  # no pieces placed: a new game
    child = agent._held.child
    assert child is not None
    os.kill(child.process_id, signal.SIGKILL)
    with pytest.raises(AgentError, match=r"mine.py:Memory: .*SIGKILL"):
        agent.choose(later)
    assert agent.choose(later) == later.placements()[1]
    child = agent._held.child
    assert child is not None
    agent.close()
    assert not is_running(child.process_id)


def test_every_game_has_a_new_agent_and_chance_that_begins_anew(folder: Path) -> None:
    position = start()

    def choices(child: Child, number: int) -> list[Any]:
        child.begin(9, number)
        return [child.choose(position) for _ in range(6)]

    with OwnAgent("mine.py:Chance").start() as one, OwnAgent("mine.py:Chance").start() as other:
        played = [choices(one, number) for number in (0, 1, 2)]
        assert [choices(other, number) for number in (2, 0)] == [played[2], played[0]]
        assert played[0] != played[1]


def mistake_of(place: str) -> str:
    """What is said of a class, found out without a process."""
    with pytest.raises(AgentError) as caught:
        possible(asked(made(load_class(place)), start()), start())
    return str(caught.value)


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_the_class(imported_here: Path, name: str) -> None:
    said = mistake_of(f"mine.py:{name}")
    assert all(part in said for part in MISTAKES[name]), said


@pytest.mark.parametrize("name", MISTAKES_OF_A_PROCESS)
def test_mistakes_in_a_process(folder: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    child = OwnAgent(f"mine.py:{name}").start()
    with pytest.raises(AgentError) as caught:
        child.choose(start())
    assert str(caught.value).startswith(f"mine.py:{name}: ")
    assert all(part in str(caught.value) for part in MISTAKES_OF_A_PROCESS[name]), caught.value
    assert not is_running(child.process_id)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("name", BROKEN_FILES)
@pytest.mark.parametrize("place", ["broken.py:Mine", "broken:Mine"])
def test_mistakes_in_the_file(imported_here: Path, name: str, place: str) -> None:
    text, parts = BROKEN_FILES[name]
    (imported_here / "broken.py").write_text(text, encoding="utf-8")
    said = mistake_of(place)
    assert all(part in said for part in parts), said


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("mien.py:First", ["no file named 'mien.py'", "Did you mean 'mine.py'?"]),
        ("nowhere/x.py:First", ["no file named 'x.py'", "nowhere", "file.py:Class"]),
        ("mien:First", ["no module named 'mien'", "Did you mean 'mine'?"]),
        ("os.elsewhere:First", ["no module named 'os.elsewhere'"]),
        ("folder.py:First", ["folder"]),
    ],
)
def test_missing_files(imported_here: Path, place: str, parts: list[str]) -> None:
    (imported_here / "folder.py").mkdir()
    said = mistake_of(place)
    assert all(part in said for part in parts), said


def test_a_mistake_shows_by_a_check(folder: Path) -> None:
    (folder / "broken.py").write_text("class Mine:\n  def choose(self position):\n", encoding="utf-8")
    with pytest.raises(AgentError, match=r"^broken:Mine: importing it raised SyntaxError.*line 2"):
        OwnAgent("broken:Mine").check()


def test_prints_go_to_the_standard_error(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with OwnAgent("mine.py:Noisy").start() as child:
        for _ in range(3):
            assert child.choose(start()) == start().placements()[0]
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.count("more noise") == 3


def test_it_is_ended_with_all_that_it_started_when_it_takes_too_long(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    child = OwnAgent("mine.py:Hangs", deadline=0.4).start()
    child.begin()
    begun = time.monotonic()
    with pytest.raises(AgentError) as caught:
        child.choose(start())
    assert 0.4 <= time.monotonic() - begun < 3
    assert str(caught.value).startswith("mine.py:Hangs: choosing took more than 0.4 seconds")
    assert "deadline=1" in str(caught.value)
    wait_until_ended(child.process_id)
    wait_until_ended(int(capfd.readouterr().err.split("started ")[1].split()[0]))


def test_not_even_native_code_can_hang_it(folder: Path) -> None:
    child = OwnAgent("mine.py:Sleeps", deadline=0.2).start()
    with pytest.raises(AgentError, match=r"more than 0\.2 seconds"):
        child.choose(start())
    wait_until_ended(child.process_id)


def test_importing_has_a_deadline_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "slow.py").write_text("import time\ntime.sleep(600)\n", encoding="utf-8")
    monkeypatch.setattr("tetrion.agents.running.START_SECONDS", 1.0)
    with pytest.raises(AgentError, match=r"slow.py:Mine: importing the class took more than 1 seconds"):
        OwnAgent("slow.py:Mine").check()


PARENT = """
import sys
from tetrion import Game
from tetrion.agents.own import OwnAgent
child = OwnAgent("mine.py:Hangs", deadline=600).start()
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
    other = int(parent.stderr.readline().split()[-1])  # it hangs now
    os.killpg(parent.pid, sent)  # as a terminal does
    wait_until_ended(child)
    if sent == signal.SIGINT:
        wait_until_ended(other)
        assert parent.stderr.read() == b"stopped\n"
    else:
        os.kill(other, signal.SIGKILL)
    parent.stdout.close()
    parent.stderr.close()
    parent.wait()


def test_positions_travel_unchanged() -> None:
    for rules in (*PRESETS, "standard:height=14,preview=3", "medico:frames=59.94,randomiser=script-TIJ"):
        game = Game(rules, seed=4)
        for _ in range(12):
            position = game.position
            assert read_position(message_of(line_of(written_position(position)))) == position
            if not game.over:
                game.place(game.placements()[game.pieces % 2])
    unknown = Position(Board(), None, "", Rules())
    assert read_position(message_of(line_of(written_position(unknown)))) == unknown


def test_command_line_form() -> None:
    assert OwnAgent.parse("mine.py:Mine") == OwnAgent("mine.py:Mine", 5)
    assert OwnAgent.parse("a=b/mine.py:Mine") == OwnAgent("a=b/mine.py:Mine", 5)
    agent = OwnAgent.parse("C:\\games\\mine.py:Mine:deadline=2.5")
    assert (agent.place, agent.name, agent.deadline) == ("C:\\games\\mine.py:Mine", "Mine", 2.5)
    assert copy.deepcopy(agent) == agent


@pytest.mark.parametrize("text", ["mine.py", "mine.py:", "a b:Mine", ":Mine", "mine.py:My Class", "mine.py:Mine:x=1"])
def test_wrong_forms(text: str) -> None:
    with pytest.raises(TetrionError):
        OwnAgent.parse(text)


@pytest.mark.parametrize("deadline", ["x", "0", "-1", "nan", "inf", "", "1e9"])
def test_wrong_deadlines(deadline: str) -> None:
    with pytest.raises(AgentError, match="number of seconds"):
        OwnAgent.parse(f"mine.py:Mine:deadline={deadline}")


def test_wrong_types(folder: Path) -> None:
    for given in (None, 7, b"mine.py:Mine"):
        with pytest.raises(AgentError):
            OwnAgent.parse(given)  # type: ignore[arg-type]
    with pytest.raises(AgentError):
        OwnAgent("mine.py:Mine", deadline=True)
    agent = OwnAgent("mine.py:First")
    with pytest.raises(PositionError):
        agent.choose("T")  # type: ignore[arg-type]
    agent.close()


def test_what_means_a_class() -> None:
    for text in ("mine.py:Mine", "mine:Mine", "package.mine:Mine:deadline=2", "mine.py", "C:\\x\\mine.py:Mine"):
        assert names_own(text)
    for text in ("dellacherie", "dellacherie:depth=2", "mine.json", "C:\\agents\\mine.json", "runs/one"):
        assert not names_own(text)
