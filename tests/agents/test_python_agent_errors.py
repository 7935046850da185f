"""Whatever is wrong with a person's own agent is told in a sentence: what was expected, what was given, what to do."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.example_agents import is_running, start
from tetrion.agents.python_agent.class_loader import load_class, make_agent
from tetrion.agents.python_agent.error_messages import call_choose, validate_choice
from tetrion.agents.python_agent.python_agent import PythonAgent
from tetrion.errors import AgentError

MISTAKES = {
    "Silent": ["Silent' has no such method", "choose(self, position)"],
    "number": ["a class with the method choose", "'number' is int"],
    "Frist": ["no class named 'Frist'", "Did you mean 'First'?"],
    "Picky": ["Picky() raised TypeError", "'weights'", "give each a default"],
    "Broken": ["Broken() raised FileNotFoundError", "(mine.py, line 43)"],
    "Wrong": ["choose takes one position", "def choose(self, position)"],
    "Nothing": ["one of position.placements()", "it gave None", "return missing"],
    "Nonsense": ["one of position.placements()", "it gave 'left' (str)"],
    "Unspoken": ["choose raised Unspeakable: (it cannot be shown)"],
    "Floating": ["not possible", "position.placements() lists all"],
    "Quits": ["choose raised SystemExit: 3 (mine.py, line 74)"],
}
MISTAKES_OF_A_PROCESS = {
    "Broken": ["Broken() raised FileNotFoundError", "(mine.py, line 43)"],
    "Raises": ["choose raised ZeroDivisionError: integer division or modulo by zero (mine.py, line 53)."],
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
def imported_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield folder
    for name in ("mine", "broken", "helper"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def mistake_of(place: str) -> str:
    """What is said of a class, found out without a process."""
    with pytest.raises(AgentError) as caught:
        validate_choice(call_choose(make_agent(load_class(place)), start()), start())
    return str(caught.value)


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_the_class(imported_here: Path, name: str) -> None:
    said = mistake_of(f"mine.py:{name}")
    assert all(part in said for part in MISTAKES[name]), said


@pytest.mark.parametrize("name", MISTAKES_OF_A_PROCESS)
def test_mistakes_in_a_process(folder: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    child = PythonAgent(f"mine.py:{name}").start_process()
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
        PythonAgent("broken:Mine").check_class()
