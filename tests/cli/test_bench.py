"""`tetrion bench` as a person types it, mistakes included."""

import csv
import errno
import io
import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from cli.command_runner import PROGRAM, tetrion, tetrion_here
from tetrion.agents import WeightedAgent
from tetrion.cli import bench_command
from tetrion.cli.bench_results import format_table, list_notes
from tetrion.cli.progress_bar import format_progress
from tetrion.errors import AgentError
from tetrion.evaluation import Evaluation, EvaluationProgress, agent_evaluation, evaluate
from tetrion.evaluation.number_format import format_duration

SMALL = ["--rules", "standard-10x10", "--games", "6"]
KEYS = [
    *("agent", "rules", "rules_version", "seed", "games", "deaths", "capped", "lines", "score", "pieces"),
    *("points_per_line", "normalised_variance", "tetris_rate", "difference_to_first", "pieces_per_second"),
]
WEAK = '{"format": 1, "kind": "linear", "weights": {"landing_height": -1}}'


@pytest.fixture
def weak(tmp_path: Path) -> str:
    file = tmp_path / "weak.json"
    file.write_text(WEAK, encoding="utf-8")
    return str(file)


def test_a_table_and_every_file(tmp_path: Path) -> None:
    out = [str(tmp_path / name) for name in ("result.json", "games.csv", "plot.png")]
    files = ["--json", out[0], "--csv", out[1], "--plot", out[2]]
    printed = tetrion("bench", "dellacherie", "du", *SMALL, "--seed", "2", *files).stdout
    assert "rules standard-10x10, seed 2" in printed
    assert "6 games, 6 deaths, 0 capped" in printed
    assert "du clears" in printed
    first, second = json.loads(Path(out[0]).read_text(encoding="utf-8"))
    assert list(first) == list(second) == KEYS
    assert (first["agent"], first["games"], first["deaths"]) == ("dellacherie", 6, 6)
    assert first["difference_to_first"] is None
    assert list(first["lines"]) == ["mean", "ci95", "median", "q1", "q3", "min", "max"]
    assert second["difference_to_first"]["mean"] == pytest.approx(second["lines"]["mean"] - first["lines"]["mean"])
    rows = list(csv.DictReader(io.StringIO(Path(out[1]).read_text(encoding="utf-8"))))
    assert [(row["agent"], row["game"]) for row in rows] == [
        (a, str(g)) for a in ("dellacherie", "du") for g in range(6)
    ]
    assert {(row["rules"], row["seed"], row["ended"]) for row in rows} == {("standard-10x10", "2", "over")}
    for row in rows:
        clears = [int(row[name]) for name in ("one", "two", "three", "four")]
        assert int(row["lines"]) == sum(rows_at_once * count for rows_at_once, count in enumerate(clears, 1))
    assert sum(int(row["lines"]) for row in rows[:6]) / 6 == pytest.approx(first["lines"]["mean"])
    assert Path(out[2]).read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.csv", "plot.png", "result.json"]


def test_json_to_the_standard_output_is_json_alone() -> None:
    (result,) = json.loads(tetrion_here("bench", "du", "--games", "2", "--pieces", "100", "--json", "-").stdout)
    assert (result["capped"], result["deaths"], result["pieces"]["mean"]) == (2, 0, None)
    assert result["pieces"]["ci95"] == [pytest.approx(200 / 3), None]
    assert result["pieces"]["median"] == 100


def test_csv_to_the_standard_output_is_csv_alone() -> None:
    printed = tetrion_here("bench", "du", "--games", "2", "--pieces", "100", "--csv", "-").stdout
    head, *rows = csv.reader(io.StringIO(printed))
    assert head[:5] == ["agent", "rules", "seed", "game", "ended"]
    assert [row[:6] for row in rows] == [["du", "standard", "0", str(game), "capped", "100"] for game in range(2)]


def test_capped_means_are_marked(weak: str) -> None:
    printed = tetrion_here("bench", "du", weak, "--games", "20", "--pieces", "60").stdout
    assert "> 400 *" in printed  # 20 × 60 / 3 pieces
    assert "total / deaths" in printed
    assert "in capped games" in printed


def test_precision(weak: str, tmp_path: Path) -> None:
    results = []
    for workers in ("1", "3"):
        out = tmp_path / f"{workers}.json"
        tetrion_here("bench", weak, "--precision", "8%", "--workers", workers, "--json", str(out))
        (result,) = json.loads(out.read_text(encoding="utf-8"))
        results.append({name: value for name, value in result.items() if name != "pieces_per_second"})
    assert results[0] == results[1]
    mean, (low, high) = results[0]["lines"]["mean"], results[0]["lines"]["ci95"]
    assert (high - low) / 2 <= 0.08 * mean
    assert 100 < results[0]["games"] < 5000


def test_a_precision_that_is_not_reached_is_told(weak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_evaluation, "MAX_GAMES_FOR_PRECISION", 150)
    printed = tetrion_here("bench", weak, "--precision", "0.01").stdout
    assert "weak: the precision of 1 % was not reached within 150 games (±" in printed


def test_the_same_agent_twice() -> None:
    printed = tetrion_here("bench", "du", "du", *SMALL).stdout
    assert "\ndu\n" in printed
    assert "\ndu (2)\n" in printed
    assert "du (2) clears exactly as many lines as du in each of 6 games." in printed


def test_agents_that_cannot_be_loaded_do_not_stop_the_others(tmp_path: Path, weak: str) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    done = tetrion_here("bench", "dellacherei", weak, str(broken), "--games", "5", expect=2)
    assert "Error: dellacherei: There is no agent named 'dellacherei'. Did you mean 'dellacherie'?" in done.stderr
    assert f"Error: {broken}:" in done.stderr
    assert "5 games, 5 deaths" in done.stdout
    assert tetrion_here("bench", "dellacherei", "dt", expect=2).stdout == ""


def test_an_agent_that_fails_while_it_plays(weak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(agent: WeightedAgent, *arguments: Any, **options: Any) -> Evaluation:
        if agent.name == "du":
            raise AgentError("It took longer than it may.")
        return evaluate(agent, *arguments, **options)

    monkeypatch.setattr(bench_command, "evaluate", fails)
    done = tetrion_here("bench", weak, "du", weak, "--games", "5", expect=2)
    assert done.stderr.count("Error: du: It took longer than it may.") == 1
    assert "weak (2) clears exactly as many lines as weak" in done.stdout


def test_ctrl_c_before_an_agents_first_piece(weak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(agent: WeightedAgent, *arguments: Any, **options: Any) -> Evaluation:
        if agent.name == "du":
            raise KeyboardInterrupt
        return evaluate(agent, *arguments, **options)

    monkeypatch.setattr(bench_command, "evaluate", interrupted)
    done = tetrion_here("bench", weak, "du", "dt10", "--games", "5", expect=130)
    assert "Stopped" in done.stderr
    assert "5 games, 5 deaths" in done.stdout
    assert "dt10" not in done.stdout


def test_ctrl_c_shows_what_was_measured(tmp_path: Path, weak: str) -> None:
    """In the middle of the second agent: the first one's figures stay, the second's are those until then."""
    out, rows = tmp_path / "out.json", tmp_path / "rows.csv"
    tetrion_here("bench", "du", *SMALL)  # so that nothing is compiled while we wait
    files = ["--json", str(out), "--csv", str(rows)]
    command = [*PROGRAM, "bench", weak, "du", "dt10", "--games", "8", *files]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(6)
    running.send_signal(signal.SIGINT)
    printed, beside = running.communicate(timeout=20)
    assert running.returncode == 130, beside
    assert "Stopped" in beside
    assert "Traceback" not in beside
    assert "dt10" not in printed
    assert "du and weak were not played through the same games" in printed
    first, second = json.loads(out.read_text(encoding="utf-8"))
    assert (first["agent"], first["deaths"], second["agent"], second["difference_to_first"]) == ("weak", 8, "du", None)
    assert ",stopped," in rows.read_text(encoding="utf-8")


def test_a_file_that_fails_at_the_end_loses_nothing(tmp_path: Path, weak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.csv"
    old.write_text("precious", encoding="utf-8")
    replace = Path.replace

    def full(part: Path, target: Path) -> Path:
        if target.name == "old.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(part, target)

    monkeypatch.setattr(Path, "replace", full)
    done = tetrion_here("bench", weak, "--games", "3", "--json", str(old), "--csv", str(new), expect=2)
    assert "No space left on device. Give another place to --json." in done.stderr
    assert "3 games" in done.stdout
    assert old.read_text(encoding="utf-8") == "precious"
    assert len(new.read_text(encoding="utf-8").splitlines()) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "old.json", "weak.json"]


@pytest.mark.parametrize("columns", [80, 160])
def test_the_table_fits_the_terminal(columns: int) -> None:
    results = [evaluate(name, "nes:start_level=19", 4, max_pieces=2000) for name in ("du", "lee")]
    lines = [line.plain for line in format_table(results, columns)]
    assert max(map(len, lines)) <= columns
    assert [line for line in lines if not line.startswith(" ")] == ["du", "lee"]
    assert next(list_notes(results, None)).startswith("rules nes:start_level=19, seed 0")


def test_the_progress_line() -> None:
    standing = EvaluationProgress(games_done=30, games_planned=120, pieces=600_000, seconds=20, precision=0.073)
    assert format_progress(standing, None) == "30 of 120 games  30,000 pieces/s  1:00 left"
    assert format_progress(standing, 0.05) == "30 games  ± 7.3 %, goal 5 %  30,000 pieces/s  1:00 left"
    assert format_duration(3_785) == "1:03:05"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument"),
        (["du", "--rules", "standrad"], "Did you mean 'standard'"),
        (["du", "--rules", "standard:height=99"], "from 4 to 28"),
        (["du", "--games", "0"], "0 is not in the range"),
        (["du", "--seed", "seven"], "not a valid integer"),
        (["du", "--games", "10000000000000"], "is not in the range"),
        (["du", "--pieces", "1" + "0" * 30], "is not in the range"),
        (["du", "--rules", "standard:height=--5"], "whole number"),
        (["du", "--rules", "standard:height=" + "5" * 5000], "whole number"),
        (["du", "--seed", "-1"], "A seed lies between"),
        (["nowhere.json"], "no such file"),
        (["du", "--gmaes", "3"], "--games"),
        (["du", "--precision", "5%", "--games", "10"], "not both"),
        (["du", "--precision", "five"], "such as 5% or 0.05; given 'five'"),
        (["du", "--precision", "5"], "500 %"),
        (["du", "--precision", "0.01%"], "between 0.1 %"),
        (["du", "--precision", "nan"], "between 0.1 %"),
        (["du", "--precision", "-5%"], "between 0.1 %"),
        (["du", "--json", "/nowhere/at/all.json"], "Give another place to --json"),
        (["du", "--csv", "."], "Give another place to --csv"),
        (["du", "--json", ""], "Give another place to --json"),
        (["du", "--json", "a\0b"], "Give another place to --json"),
        (["du", "--plot", "/nowhere/at/all.png"], "Give another place to --plot"),
        (["du", "--plot", "plot.jpg"], ".png, .svg or .pdf file; given 'plot.jpg'"),
        (["du", "--plot", "plot"], ".png, .svg or .pdf"),
        (["du", "--plot", "-"], ".png, .svg or .pdf"),
        (["du", "--json", "-", "--csv", "-"], "--json and --csv both write to the standard output"),
        (["du", "--json", "same", "--csv", "./same"], "--json and --csv both write into"),
    ],
)
def test_mistakes_get_help_and_exit_code_2_before_any_game(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def played(*arguments: Any, **options: Any) -> Evaluation:
        raise AssertionError("a game was played")

    monkeypatch.setattr(bench_command, "evaluate", played)
    monkeypatch.chdir(tmp_path)
    done = tetrion_here("bench", *arguments, expect=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []
