"""Output on terminals of 40 to 120 columns: lines fit, and words and numbers are never split."""

import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.command_runner import tetrion_here
from tetrion.cli import speed_command
from tetrion.cli.console_output import print_notice, print_table, wrap_text
from tetrion.cli.reproduce_command import print_reproduction
from tetrion.papers.judging import DocumentVerdict, Verdict
from tetrion.papers.reproduction import ClaimRow

REPLAY = str(Path(__file__).parents[2] / "docs" / "replays" / "medico.json")
WIDTHS = (40, 60, 80, 120)
WIDE = 1000  # columns; nothing is wrapped
COMMANDS = {
    "list features": ["list", "features"],
    "list agents": ["list", "agents"],
    "list papers": ["list", "papers"],
    "list features holes": ["list", "features", "holes"],
    "list agents tetrion-1": ["list", "agents", "tetrion-1"],
    "list agents medico": ["list", "agents", "medico"],
    "list papers becker": ["list", "papers", "becker"],
    "list recipes": ["list", "recipes"],
    "list recipes gavrilov": ["list", "recipes", "gavrilov"],
    "list rules": ["list", "rules"],
    "list rules --table": ["list", "rules", "--table"],
    "list rules nes": ["list", "rules", "nes"],
    "explain": ["explain", "medico", "--piece", "T", "--next", "L"],
    "bench": ["bench", "lee", "du", "--rules", "gavrilov", "--games", "4", "--pieces", "2000"],
    "review": ["review", REPLAY, "--agent", "dellacherie", "--worst", "1"],
    "speed": ["speed"],
}
SPEEDS = {"scalar": 599_499.0, "SIMD": 6_148_873.0, "medico (depth 2, all reachable placements)": 79_052.0}


def set_width(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Let commands believe that standard output is a terminal with this many columns."""
    variables = {"TTY_COMPATIBLE": "1", "TERM": "dumb", "COLUMNS": str(columns), "LINES": "24"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def find_numbers(text: str) -> set[str]:
    """Return the different numbers in a text, except the speeds, which vary."""
    return set(re.findall(r"\d(?:[\d,.]*\d)?", re.sub(r"[\d,.]+( M)? pieces/s", "", text)))


def find_wide_lines(text: str, columns: int) -> list[str]:
    """Return the lines that are wider than the terminal, although they have more than one word."""
    return [line for line in text.splitlines() if len(line.rstrip()) > columns and len(line.split()) > 1]


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_fit_the_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_command, "measure_speeds", lambda on_progress: SPEEDS)
    set_width(monkeypatch, WIDE)
    numbers = find_numbers(tetrion_here(*COMMANDS[name]).stdout)
    assert numbers
    for columns in WIDTHS:
        set_width(monkeypatch, columns)
        printed = tetrion_here(*COMMANDS[name]).stdout
        assert find_wide_lines(printed, columns) == [], columns
        assert numbers == find_numbers(printed), columns


def test_reproductions_fit_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    row = ClaimRow(
        name="lines",
        statement="the mean number of lines per game",
        location="page 1",
        published="better approximation: 20-30 lines per game, at most 12,345,678",
        measured="36.7 −0.9 +1.1",
        basis="2,000 games",
        verdict=Verdict.FITTED,
        reason="Our value is above the published range, because a piece falls one row in 0.6 key presses.",
        is_machine_dependent=False,
        is_own=False,
        central=("lines per game", "20-30", "36.7"),
    )
    reproduction = SimpleNamespace(
        paper=SimpleNamespace(name="becker", title="Static evaluation", subject="document", is_study=False),
        verdict=DocumentVerdict.IN_PART,
        summary="A speed of 0.6, or 1,000 frames.",
        rows=[row],
        claim_rows=[row],
        central_rows=[row],
    )
    for columns in WIDTHS:
        set_width(monkeypatch, columns)
        print_reproduction(reproduction)  # type: ignore[arg-type]
        printed = capsys.readouterr().out
        assert find_wide_lines(printed, columns) == []
        assert {"20-30", "12,345,678", "2,000", "1,000"} <= set(re.findall(r"[\d,-]*\d", printed))


def test_tables_with_long_texts_become_blocks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [["holes", "0 to 280", "The number of empty cells with a filled cell above them", "Dellacherie 2003"]]
    headings = ["feature", "values", "meaning", "source"]
    set_width(monkeypatch, 40)
    print_table(headings, rows)
    assert "holes\n  values   0 to 280\n  meaning  The number of empty cells\n" in capsys.readouterr().out
    set_width(monkeypatch, 80)
    print_table(headings, rows)
    assert capsys.readouterr().out.startswith("feature  values")


def test_text_columns_are_not_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    set_width(monkeypatch, 80)
    features = tetrion_here("list", "features").stdout
    assert "\n  values   0 to " in features
    assert max(map(len, features.splitlines())) > 70
    set_width(monkeypatch, 140)
    assert tetrion_here("list", "features").stdout.startswith("feature ")


@pytest.mark.parametrize("name", COMMANDS)
def test_piped_output_has_no_trailing_blanks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_command, "measure_speeds", lambda on_progress: SPEEDS)
    lines = tetrion_here(*COMMANDS[name]).stdout.splitlines()
    assert lines
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "no-such-agent", "du:depth=none", "--games", "1"],
        ["explain", "du", "--piece", "T", "--rules", "nez:height=14"],
        ["bench", "du", "--games", "none"],
        ["plot", "runs/no such folder, and a rather long name of it"],
    ],
)
def test_errors_fit_the_terminal(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = tetrion_here(*arguments, expect=2).stderr.split()
    for columns in (40, 60):
        set_width(monkeypatch, columns)
        printed = tetrion_here(*arguments, expect=2).stderr
        assert find_wide_lines(printed, columns) == []
        assert printed.split() == words


def test_commands_in_notices_are_not_wrapped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "tetrion train --resume runs/a-rather-long-name-of-a-folder"
    print_notice("Stopped. 3 finished generations are saved. Resume with:", command)
    assert capsys.readouterr().err == f"Stopped. 3 finished generations are saved. Resume with: {command}\n"
    set_width(monkeypatch, 40)
    print_notice("Stopped. 3 finished generations are saved. Resume with:", command)
    assert capsys.readouterr().err == f"Stopped. 3 finished generations are\nsaved. Resume with:\n{command}\n"


def test_units_stay_with_their_number() -> None:
    wrapped = wrap_text("an interval of 95 % and 1.5 M pieces", 17)
    assert wrapped == "an interval of\n95 % and 1.5 M\npieces"
    assert Counter(wrapped)["\N{NO-BREAK SPACE}"] == 0
