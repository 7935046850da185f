"""The commands as a person types them, mistakes included."""

import os
import subprocess
import sys

import pytest

from cli.command_runner import PROGRAM, tetrion
from tetrion.engine.features import FEATURES


def test_help_loads_neither_numba_nor_anything_heavy() -> None:
    program = """
import sys
sys.argv = ["tetrion", "--help"]
from tetrion.cli import main
try:
    main()
except SystemExit:
    pass
print([name for name in ("numba", "numpy", "rich", "pygame", "matplotlib", "gymnasium", "dask") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "bench" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_list_features_shows_every_one_whole() -> None:
    printed = tetrion("list", "features").stdout
    for feature in FEATURES.values():
        assert f"\n{feature.name} " in printed
    assert "…" not in printed
    assert "dellacherie" in tetrion("list", "agents").stdout
    assert "standard-10x10" in tetrion("list", "rules").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bnech"], "Did you mean 'bench'"),
        (["list", "feature"], "features"),
    ],
)
def test_mistakes_get_help_and_exit_code_2(arguments: list[str], message: str) -> None:
    assert message in tetrion(*arguments, expect=2).stderr


def test_a_console_that_knows_few_letters() -> None:
    done = subprocess.run(
        [*PROGRAM, "list", "features"], capture_output=True, env=os.environ | {"PYTHONIOENCODING": "cp1252"}
    )
    assert done.returncode == 0, done.stderr
