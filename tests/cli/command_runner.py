"""Run commands with command-line arguments, in a new process, on a pseudo-terminal or in this process."""

import io
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

import pytest

from tetrion.cli import main
from tetrion.cli.keyboard import END_REPORTS, REPORT_RELEASES

PROGRAM = [sys.executable, "-c", "from tetrion.__main__ import main; main()"]
needs_pseudo_terminal = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")


class CommandResult(NamedTuple):
    """The output and exit code of a command."""

    stdout: str
    stderr: str
    returncode: int


def tetrion(*arguments: str, expect: int = 0) -> CommandResult:
    """Run a command in a new process."""
    process = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True)
    assert process.returncode == expect, process.stderr
    assert "Traceback" not in process.stderr
    return CommandResult(process.stdout, process.stderr, process.returncode)


def tetrion_here(*arguments: str, expect: int = 0) -> CommandResult:
    """Run a command in this process, which is faster and allows patching."""
    stdout, stderr = io.StringIO(), io.StringIO()
    code = 0
    with patch.object(sys, "argv", ["tetrion", *arguments]), redirect_stdout(stdout), redirect_stderr(stderr):
        try:
            main()
        except SystemExit as error:
            code = int(error.code or 0)
    assert code == expect, stderr.getvalue()
    return CommandResult(stdout.getvalue(), stderr.getvalue(), code)


class Terminal:
    """A command in a process on a pseudo-terminal."""

    def __init__(self, arguments: tuple[str, ...]) -> None:
        import pty
        import termios

        self.master, self.slave = pty.openpty()
        self.resize(80, 24)
        self.settings = termios.tcgetattr(self.slave)
        hidden = ("NO_COLOR", "COLORTERM", "COLUMNS", "LINES")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=environment | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
            process_group=0,
        )
        self.output = ""

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the terminal."""
        import fcntl
        import termios

        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def send(self, typed: str, expected: str) -> None:
        """Send characters and wait until the program writes a text."""
        start = len(self.output)
        os.write(self.master, typed.encode())
        deadline = time.monotonic() + 120  # the engine may have to be compiled
        while expected not in self.output[start:]:
            assert time.monotonic() < deadline, self.output[-3000:]
            if select.select([self.master], [], [], 1)[0]:
                self.output += os.read(self.master, 65536).decode(errors="replace")

    @property
    def is_restored(self) -> bool:
        """Whether the terminal has its settings, its cursor and its first screen again."""
        import termios

        counts = [self.output.count(f"\x1b[?{mode}") for mode in ("1049h", "1049l", "25l", "25h", "1004h", "1004l")]
        same_settings = termios.tcgetattr(self.slave) == self.settings
        same_reports = self.output.count(REPORT_RELEASES) == self.output.count(END_REPORTS)
        is_visible = self.output.rfind("\x1b[?25h") > self.output.rfind("\x1b[?25l")
        return same_settings and same_reports and is_visible and counts[0] == counts[1] and counts[4] == counts[5]


@contextmanager
def open_terminal(*arguments: str) -> Iterator[Terminal]:
    """Start a command on a pseudo-terminal, and end its process after the test."""
    terminal = Terminal(arguments)
    try:
        yield terminal
    finally:
        terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.slave)
        os.close(terminal.master)
