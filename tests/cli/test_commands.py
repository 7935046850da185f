"""The commands as a person types them, mistakes included."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tetrion.engine.features import FEATURES

SMALL = ["--rules", "standard-10x10", "--games", "6"]
KEYS = [
    *("agent", "rules", "rules_version", "seed", "games", "deaths", "capped", "lines", "score", "pieces"),
    *("points_per_line", "normalised_variance", "tetris_rate", "difference_to_first", "pieces_per_second"),
]


def tetrion(*arguments: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from tetrion.cli import main; main()", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == expect, done.stderr
    assert "Traceback" not in done.stderr
    return done


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


def test_bench_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    printed = tetrion("bench", "dellacherie", "du", *SMALL, "--seed", "2", "--json", str(out)).stdout
    assert "dellacherie" in printed
    assert "rules standard-10x10, seed 2" in printed
    first, second = json.loads(out.read_text(encoding="utf-8"))
    assert list(first) == list(second) == KEYS
    assert (first["agent"], first["games"], first["deaths"], first["difference_to_first"]) == (
        "dellacherie",
        6,
        6,
        None,
    )
    assert list(first["lines"]) == ["mean", "ci95", "median", "q1", "q3", "min", "max"]
    assert second["difference_to_first"]["mean"] == pytest.approx(second["lines"]["mean"] - first["lines"]["mean"])


def test_bench_to_the_standard_output_is_json_alone() -> None:
    (result,) = json.loads(tetrion("bench", "du", "--games", "2", "--pieces", "100", "--json", "-").stdout)
    assert (result["capped"], result["deaths"], result["pieces"]["mean"]) == (2, 0, 100.0)


def test_bench_of_an_own_file(tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text('{"format": 1, "kind": "linear", "weights": {"holes": -4, "lines": 1}}', encoding="utf-8")
    assert "mine" in tetrion("bench", str(mine), *SMALL).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bnech"], "Did you mean 'bench'"),
        (["bench"], "Missing argument"),
        (["bench", "delacherie"], "Did you mean 'dellacherie'"),
        (["bench", "du", "--rules", "standrad"], "Did you mean 'standard'"),
        (["bench", "du", "--rules", "standard:height=99"], "from 4 to 28"),
        (["bench", "du", "--games", "0"], "0 is not in the range"),
        (["bench", "du", "--seed", "seven"], "not a valid integer"),
        (["bench", "du", "--games", "10000000000000"], "is not in the range"),
        (["bench", "du", "--pieces", "1" + "0" * 30], "is not in the range"),
        (["bench", "du", "--rules", "standard:height=--5"], "whole number"),
        (["bench", "du", "--rules", "standard:height=" + "5" * 5000], "whole number"),
        (["bench", "du", "--seed", "-1"], "A seed lies between"),
        (["bench", "nowhere.json"], "no such file"),
        (["bench", "du", *SMALL, "--json", "/nowhere/at/all.json"], "cannot be written"),
        (["bench", "du", "--gmaes", "3"], "--games"),
        (["list", "feature"], "features"),
    ],
)
def test_mistakes_get_help_and_exit_code_2(arguments: list[str], message: str) -> None:
    assert message in tetrion(*arguments, expect=2).stderr


def test_a_console_that_knows_few_letters() -> None:
    command = [sys.executable, "-c", "from tetrion.cli import main; main()", "list", "features"]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "cp1252"})
    assert done.returncode == 0, done.stderr


def test_ctrl_c_shows_what_was_measured(tmp_path: Path) -> None:
    """In the middle of the second agent: the first one's figures stay, the second's are those until then."""
    out = tmp_path / "out.json"
    weak = tmp_path / "weak.json"
    weak.write_text('{"format": 1, "kind": "linear", "weights": {"landing_height": -1}}', encoding="utf-8")
    program = "from tetrion.cli import main; main()"
    command = [sys.executable, "-c", program, "bench", str(weak), "du", "dt10", "--games", "8", "--json", str(out)]
    tetrion("bench", "du", *SMALL)  # so that nothing is compiled while we wait
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(6)
    running.send_signal(signal.SIGINT)
    printed, beside = running.communicate(timeout=20)
    assert running.returncode == 130, beside
    assert "Stopped" in beside
    assert "Traceback" not in beside
    assert "dt10" not in printed
    first, second = json.loads(out.read_text(encoding="utf-8"))
    assert (first["agent"], first["deaths"], second["agent"], second["difference_to_first"]) == ("weak", 8, "du", None)
