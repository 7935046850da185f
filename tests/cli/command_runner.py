"""Run commands with command-line arguments, in a new process or in this one."""

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from tetrion.cli import main

PROGRAM = [sys.executable, "-c", "from tetrion.__main__ import main; main()"]


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
