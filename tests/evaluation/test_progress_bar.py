"""Progress bars in terminals, notebooks and files."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import tetrion
from tests.training.small_recipes import make_small_recipe
from tetrion.board import Placement
from tetrion.engine import compile_notice
from tetrion.evaluation.progress_bar import observe_progress, show_progress
from tetrion.position import Position
from tetrion.progress import Progress

HALF = Progress(task="lee\x1b[2J", done=3, planned=6, seconds=4)


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal with 80 columns. A fixture cannot: pytest replaces the stream after it."""
    for name, value in {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TTY_COMPATIBLE", raising=False)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run in a notebook; the list has the outputs below its cell, one after another."""
    outputs: list[str] = []

    def display(content: str, **options: object) -> SimpleNamespace:
        outputs.append(content)
        return SimpleNamespace(update=outputs.append)

    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    return outputs


def test_bar_in_a_terminal_is_removed_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with show_progress("before") as update:
        update(HALF)
        update(HALF)
    text = terminal.getvalue()
    assert "before" in text
    assert "3 of 6 games  0:04 left" in text
    assert "lee\ufffd[2J" in text, "a name cannot control the terminal"
    assert text.endswith("\x1b[2K"), "the line is erased"


def test_compilation_is_shown_in_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(compile_notice, "measure_slowness", lambda: 1.0)
    monkeypatch.setattr(compile_notice, "_slowness", [])
    with show_progress("lee"):
        compile_notice.start_compilation("some part", 40)
        compile_notice.end_compilation("some part")
    assert "Compiling, first use only: about 40 s left" in terminal.getvalue()
    assert "Compiling the engine" not in terminal.getvalue()


def test_one_bar_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with show_progress("outer"), show_progress("inner") as update:
        update(Progress(task="inner"))
    assert "outer" in terminal.getvalue()
    assert "inner" not in terminal.getvalue()


def test_bar_in_a_notebook(cell: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("before") as update:
        update(HALF)
        with compile_notice.display_compilation(lambda: None):
            pass
    assert cell == [
        "<div>before <progress></progress> </div>",
        '<div>lee\ufffd[2J <progress value="0.5000"></progress> 3 of 6 games  0:04 left</div>',
        "",
    ]
    assert capsys.readouterr() == ("", "")


def test_an_error_removes_the_bar_from_a_notebook(cell: list[str]) -> None:
    with pytest.raises(tetrion.TetrionError, match="Failing"):
        tetrion.evaluate(Failing(), games=1)
    assert cell[0].startswith("<div>Failing <progress>")
    assert cell[-1] == ""


class Failing:
    def choose(self, position: Position) -> Placement:
        raise ZeroDivisionError


def test_python_shows_progress_where_it_can_be_seen(
    cell: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tetrion.evaluate("du", games=3, max_pieces=50)
    assert "3 of 3 games" in cell[-2]
    run = tetrion.train(make_small_recipe("genetic"), tmp_path / "run")
    assert f"{run.generation_count} of {run.generation_count} generations" in cell[-2]
    cell.clear()
    tetrion.evaluate("du", games=3, max_pieces=50, progress=False)
    reports: list[Progress] = []
    tetrion.evaluate("du", games=3, max_pieces=50, on_progress=reports.append)
    assert reports, "the caller shows the progress"
    assert cell == []
    monkeypatch.delitem(sys.modules, "IPython")
    tetrion.evaluate("du", games=3, max_pieces=50)
    assert capsys.readouterr() == ("", ""), "standard error is not a terminal"
    tetrion.evaluate("du", games=3, max_pieces=50, progress=True, on_progress=reports.append)
    assert "3 of 3 games" in capsys.readouterr().err
    assert reports[-1].done == 3


def test_without_a_bar_the_caller_observes_directly() -> None:
    with observe_progress("lee", None, print) as observer:
        assert observer is print
    with observe_progress("lee", None, None) as nothing:
        assert nothing is None
