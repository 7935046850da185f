"""Output on terminals of 40 to 120 columns: lines fit, and words and numbers are never split."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.command_runner import tetrion_here
from tetrion.cli import speed_command
from tetrion.cli.console_output import print_notice, wrap_text

REPLAY = str(Path(__file__).parents[2] / "docs" / "replays" / "medico.json")
WIDTHS = (40, 80)
VARIABLES = {"TTY_COMPATIBLE": "1", "TERM": "dumb", "COLUMNS": "", "LINES": "24"}
WIDE = 1000  # columns; nothing is wrapped
COMMANDS = {
    "list features": ["list", "features"],
    "list agents": ["list", "agents"],
    "list agents tetrion-1": ["list", "agents", "tetrion-1"],
    "list recipes": ["list", "recipes"],
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
    for name, value in {**VARIABLES, "COLUMNS": str(columns)}.items():
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
    for variable in VARIABLES:
        monkeypatch.delenv(variable)
    piped = tetrion_here(*COMMANDS[name]).stdout.splitlines()
    assert [line for line in piped if line != line.rstrip()] == [], "no trailing blanks in a pipe"
    for columns in WIDTHS:
        set_width(monkeypatch, columns)
        printed = tetrion_here(*COMMANDS[name]).stdout
        assert find_wide_lines(printed, columns) == [], columns
        assert numbers == find_numbers(printed), columns


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "no-such-agent", "du:depth=none", "--games", "1"],
        ["explain", "du", "--piece", "T", "--rules", "nez:height=14"],
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
