"""Commands that are printed to be copied: they start the program in the shell in which it was started."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tetrion.cli.console_output import find_program, name_program

SCRIPT = Path(sys.executable).with_name("tetrion")
needs_script = pytest.mark.skipif(not SCRIPT.exists() or os.name != "posix", reason="needs the installed program")


@pytest.fixture(autouse=True)
def forget_program() -> None:
    find_program.cache_clear()


@needs_script
@pytest.mark.parametrize("start", ["relative script", "module"])
def test_printed_command_works_when_pasted(start: str, tmp_path: Path) -> None:
    link = tmp_path / "environment"
    link.symlink_to(SCRIPT.parent.parent, target_is_directory=True)
    script = f"environment/{SCRIPT.parent.name}/tetrion"
    program = script if start == "relative script" else f"{sys.executable} -m tetrion"

    def run_in_shell(command: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PATH": "/usr/bin:/bin"}
        return subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, shell=True)

    printed = run_in_shell(f"{program} evolv").stderr
    assert printed == f"Error: Unknown command 'evolv'. Did you mean 'evolve'? `{program} --help` lists all commands.\n"
    pasted = run_in_shell(printed.split("`")[1])
    assert (pasted.returncode, "Commands:" in pasted.stdout) == (0, True)


def test_only_commands_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["my environment/bin/tetrion"])
    assert name_program("tetrion bench lee") == "'my environment/bin/tetrion' bench lee"
    assert name_program("Run `tetrion list agents`.") == "Run `'my environment/bin/tetrion' list agents`."
    for text in ("tetrion needs Python", "runs/tetrion bench", "python -m tetrion", "tetrion-1"):
        assert name_program(text) == text
