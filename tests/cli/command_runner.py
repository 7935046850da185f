"""Commands run as a person types them: in a process of their own, or here where that is not the point."""

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from tetrion.cli import main

PROGRAM = [sys.executable, "-c", "from tetrion.cli import main; main()"]


class Done(NamedTuple):
    """What a command printed and how it ended."""

    stdout: str
    stderr: str
    returncode: int


def tetrion(*arguments: str, expect: int = 0) -> Done:
    """Run a command in a process of its own."""
    done = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == expect, done.stderr
    assert "Traceback" not in done.stderr
    return Done(done.stdout, done.stderr, done.returncode)


def tetrion_here(*arguments: str, expect: int = 0) -> Done:
    """Run a command in this process: quicker, and what it calls can be patched."""
    printed, beside = io.StringIO(), io.StringIO()
    code = 0
    with patch.object(sys, "argv", ["tetrion", *arguments]), redirect_stdout(printed), redirect_stderr(beside):
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    assert code == expect, beside.getvalue()
    return Done(printed.getvalue(), beside.getvalue(), code)
