"""Errors of Python agents: the message names what was expected, what was given, and what to do."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.example_agents import get_first_position, is_running
from tetrion.agents.python_agent.agent_process import PythonAgent
from tetrion.agents.python_agent.class_loader import call_choose, load_class, make_agent, validate_choice
from tetrion.errors import AgentError

CLASS_ERRORS = {
    "NoMethod": ["NoMethod' has no such method", "choose(self, position)"],
    "number": ["a class with the method choose", "'number' has the type int"],
    "Frist": ["Unknown class 'Frist'", "Did you mean 'First'?"],
    "NeedsArgument": ["NeedsArgument() raised TypeError", "'weights'", "give each parameter a default"],
    "FailingInit": ["FailingInit() raised FileNotFoundError", "(mine.py, line 43)"],
    "WrongSignature": ["choose must take one argument", "def choose(self, position)"],
    "ReturnsNone": ["one of position.placements()", "it returned None", "return missing"],
    "ReturnsText": ["one of position.placements()", "it returned 'left' (str)"],
    "RaisesUnprintable": ["choose raised UnprintableError: (no message: its __str__ failed)"],
    "Floating": ["illegal placement", "position.placements() lists the"],
    "CallsExit": ["choose raised SystemExit: 3 (mine.py, line 74)"],
}
PROCESS_ERRORS = {
    "FailingInit": ["FailingInit() raised FileNotFoundError", "(mine.py, line 43)"],
    "Raises": ["choose raised ZeroDivisionError: integer division or modulo by zero (mine.py, line 53)."],
    "WrongPiece": ["illegal placement", "The current piece is"],
    "EndsProcess": ["while choosing", "the agent process ended with exit code 7"],
    "Crashes": ["while choosing", "the agent process was ended by signal SIGSEGV"],
    "Interrupts": ["the agent process failed with KeyboardInterrupt"],
    "ReadsInput": ["choose raised EOFError"],
    "WritesReplies": ["the agent process sent an invalid reply: more than 65,536 bytes"],
}
BROKEN_FILES = {
    "syntax": ("class Mine:\n    def choose(self position):\n", ["importing the", "raised SyntaxError", "line 2"]),
    "import": ("import nonexistent_library\n", ["importing the", "raised ModuleNotFoundError", "line 1"]),
    "raises": ("\n\nvalue = {}['x']\n", ["importing the", "raised KeyError: 'x'", "line 3"]),
    "exits": ("import sys\nsys.exit('bye')\n", ["importing the", "raised SystemExit: bye", "line 2"]),
    "empty": ("", ["no class named 'Mine'", "Define a class with the method choose"]),
    "zeros": ("\0", ["importing the", "raised"]),
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


@pytest.mark.parametrize(
    "class_path", [f"{10_000 * 'a'}.py:Mine", f"{10_000 * 'a/'}x.py:Mine", f"{10_000 * 'a'}:Mine", "\x1b[2J.py:Mine"]
)
def test_unusual_name(import_folder: Path, class_path: str) -> None:
    """Names that are too long or contain control characters."""
    assert get_error_message(class_path).isprintable()


@pytest.mark.parametrize("class_path", ["a\0.py:Mine", "\ud800.py:Mine", f"{300_000 * 'a'}.py:Mine"])
def test_name_that_no_command_can_have(class_path: str) -> None:
    with pytest.raises(AgentError, match="could not be started"):
        PythonAgent(class_path).start_player()


def test_check_class_raises_errors_in_the_file(folder: Path) -> None:
    (folder / "broken.py").write_text("class Mine:\n  def choose(self position):\n", encoding="utf-8")
    with pytest.raises(AgentError, match=r"^broken:Mine: importing the module raised SyntaxError.*line 2"):
        PythonAgent("broken:Mine").start_player().create_agent()
