"""Numba's internals: used in one module, within tested versions, with fallbacks and a message where one is missing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numba
import pytest

import tetrion
from tetrion.engine.numba_internals import FIRST_VERSION, LAST_VERSION

PACKAGE = Path(tetrion.__file__).parent
INTERNALS = re.compile(r"numba\.core|\b_nrt\b|\bdispatcher\._(?!_)|from numba\.(?!extending\b|cuda\b)")
PROGRAM = """
import sys
import numba, numba.core.event, numba.core.codegen, numba.core.options, numba.core.caching
{change}
try:
    from tetrion.engine.compiler import compile_entry, compile_inline
except Exception as error:
    sys.exit(f"{{type(error).__name__}}: {{error}}")

double = compile_inline(lambda number: 2 * number)

@compile_entry(seconds=1)
def quadruple(number):
    return double(double(number))

print(quadruple(5))
"""


def test_internals_are_used_in_one_module() -> None:
    users = {path.name for path in PACKAGE.rglob("*.py") if INTERNALS.search(path.read_text(encoding="utf-8"))}
    assert users == {"numba_internals.py"}


def test_tested_versions_are_those_that_are_installed() -> None:
    assert FIRST_VERSION <= numba.version_info.short <= LAST_VERSION
    project = PACKAGE.parents[1] / "pyproject.toml"
    dependencies = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    (first, second), (next_first, next_second) = FIRST_VERSION, (LAST_VERSION[0], LAST_VERSION[1] + 1)
    assert f"numba>={first}.{second},<{next_first}.{next_second}" in dependencies


@pytest.mark.parametrize(
    "change",
    ["del numba.core.options.DefaultOptions._nrt", "numba.version_info = numba.version_info._replace(short=(0, 61))"],
)
def test_what_saves_time_has_a_fallback(change: str, tmp_path: Path) -> None:
    assert run_with_changed_numba(change, tmp_path) == ("20\n", "")


@pytest.mark.parametrize("name", ["event.Listener"])
def test_missing_name_has_a_remedy(name: str, tmp_path: Path) -> None:
    module = name.partition(".")[0]
    change = f"del numba.core.{name}" if module == "caching" else f"sys.modules['numba.core.{module}'] = None"
    change += f"; del numba.core.{module}" if module == "event" else ""
    output, errors = run_with_changed_numba(change, tmp_path)
    assert output == ""
    assert re.match(
        rf"TetrionError: Tetrion works with Numba 0\.61 to 0\.\d+; installed is .*{module}.*\. Install another one: "
        r'pip install "numba>=0\.61,<0\.\d+"',
        errors,
    )


def run_with_changed_numba(change: str, folder: Path) -> tuple[str, str]:
    """Compile a function after a change of Numba; return the output and the errors of the process."""
    command = [sys.executable, "-c", PROGRAM.format(change=change)]
    program = folder / "program.py"  # only functions of a file have a cache
    program.write_text(command[2], encoding="utf-8")
    finished = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    return finished.stdout, finished.stderr
