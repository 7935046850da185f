"""Numba's internals: used in one module, within tested versions, with fallbacks and a message where one is missing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numba
import pytest
from numba.core.codegen import JITCodeLibrary

import tetrion
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.numba_internals import FIRST_VERSION, LAST_VERSION, SUPPORTS_NESTED, NestedCodeLibrary

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


@pytest.mark.parametrize("name", ["event.Listener", "caching.NullCache"])
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


@compile_separate
def count_down(number: int) -> int:
    """Return the sum of the numbers from `number` down to 1."""
    total = 0
    while number:
        total += number
        number -= 1
    return total


@compile_inline
def double_sum(number: int) -> int:
    """Return twice the sum of the numbers up to `number`."""
    return 2 * count_down(number)


@compile_inline
def triple_sum(number: int) -> int:
    """Return three times the sum of the numbers up to `number`."""
    return double_sum(number) + count_down(number)


def test_only_the_entry_point_becomes_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SUPPORTS_NESTED, "with this version of Numba, compiling the engine takes longer"
    machine_code: list[str] = []
    nested: list[str] = []
    emit = JITCodeLibrary._finalize_specific
    simplify = NestedCodeLibrary._finalize_final_module

    def record_machine_code(library: JITCodeLibrary) -> None:
        machine_code.append(library.name)
        emit(library)

    def record_nested(library: NestedCodeLibrary) -> None:
        nested.append(library.name)
        simplify(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", record_machine_code)
    monkeypatch.setattr(NestedCodeLibrary, "_finalize_final_module", record_nested)
    assert numba.njit(lambda number: triple_sum(number))(10) == 165
    assert nested == ["count_down", "double_sum", "triple_sum"]
    assert not set(machine_code).intersection(nested)
    assert machine_code[-1].endswith("<lambda>")
