"""`tetrion bench`: its output, files and error messages."""

import csv
import errno
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_runner import tetrion_here
from tetrion.agents import WeightedAgent, load_agent
from tetrion.cli import bench_command
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError
from tetrion.evaluation import Evaluation, evaluate, splitting
from tetrion.evaluation.number_format import format_duration
from tetrion.evaluation.progress_bar import describe_progress
from tetrion.progress import Progress

SMALL = ["--rules", "standard-10x10", "--games", "6"]
KEYS = [
    *("agent", "rules", "rules_version", "seed", "games", "deaths", "capped", "lines", "score", "pieces"),
    *("points_per_line", "normalised_variance", "tetris_rate", "difference_to_first", "pieces_per_second"),
]
WEAK = '{"format": 1, "kind": "linear", "weights": {"landing_height": -1}}'


@pytest.fixture
def weak_agent(tmp_path: Path) -> str:
    file = tmp_path / "weak.json"
    file.write_text(WEAK, encoding="utf-8")
    return str(file)


def test_table_and_all_output_files(tmp_path: Path) -> None:
    out = [str(tmp_path / name) for name in ("result.json", "games.csv", "plot.png")]
    files = ["--json", out[0], "--csv", out[1], "--plot", out[2]]
    printed = tetrion_here("bench", "dellacherie", "du", *SMALL, "--seed", "2", *files).stdout
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
    assert {(row["rules"], row["seed"], row["status"]) for row in rows} == {("standard-10x10", "2", "over")}
    for row in rows:
        clears = [int(row[name]) for name in ("singles", "doubles", "triples", "tetrises")]
        assert int(row["lines"]) == sum(rows_at_once * count for rows_at_once, count in enumerate(clears, 1))
    assert sum(int(row["lines"]) for row in rows[:6]) / 6 == pytest.approx(first["lines"]["mean"])
    assert Path(out[2]).read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.csv", "plot.png", "result.json"]


def test_a_file_on_standard_output_is_the_only_output() -> None:
    (result,) = json.loads(tetrion_here("bench", "du", "--games", "2", "--pieces", "100", "--json", "-").stdout)
    assert (result["capped"], result["deaths"], result["pieces"]["mean"]) == (2, 0, None)
    assert result["pieces"]["ci95"] == [pytest.approx(200 / 3), None]
    assert result["pieces"]["median"] == 100
    printed = tetrion_here("bench", "du", "--games", "2", "--pieces", "100", "--csv", "-").stdout
    _, *rows = csv.reader(io.StringIO(printed))
    assert [row[:6] for row in rows] == [["du", "standard", "0", str(game), "capped", "100"] for game in range(2)]


def test_means_of_capped_games_are_marked(weak_agent: str) -> None:
    printed = tetrion_here("bench", "du", weak_agent, "--games", "20", "--pieces", "60").stdout
    assert "> 400 *" in printed  # 20 × 60 / 3 pieces
    assert "total / deaths" in printed
    assert "in capped games" in printed


def test_precision_is_reached_and_independent_of_workers(weak_agent: str, tmp_path: Path) -> None:
    results = []
    for workers in ("1", "3"):
        out = tmp_path / f"{workers}.json"
        tetrion_here("bench", weak_agent, "--precision", "8%", "--workers", workers, "--json", str(out))
        (result,) = json.loads(out.read_text(encoding="utf-8"))
        results.append({name: value for name, value in result.items() if name != "pieces_per_second"})
    assert results[0] == results[1]
    mean, (low, high) = results[0]["lines"]["mean"], results[0]["lines"]["ci95"]
    assert (high - low) / 2 <= 0.08 * mean
    assert 100 < results[0]["games"] < 5000


def test_an_agent_listed_twice_gets_a_number() -> None:
    printed = tetrion_here("bench", "du", "du", *SMALL).stdout
    assert "\ndu\n" in printed
    assert "\ndu (2)\n" in printed
    assert "du (2) clears exactly as many lines as du in each of 6 games." in printed


def test_agents_for_different_rules_play_under_a_default() -> None:
    result = tetrion_here("bench", "lee", "du", "--games", "3", "--pieces", "20")
    assert result.stderr == (
        "These agents were made for different rules; all of them play under standard-10x10. Choose others with "
        "--rules.\n"
    )
    assert "rules standard-10x10, seed 0" in result.stdout
    assert "Choose the rules for all" in tetrion_here("bench", "lee", "medico", expect=2).stderr


def test_long_games_suggest_what_takes_less_time(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[Progress] = []
    observe = bench_command.suggest_less_work(load_agent("dellacherie"), Rules.parse("standard"), shown.append)
    begun = Progress(task="dellacherie", planned=100, seconds=1, pieces=10**6, pieces_left=10**9)
    for progress in (begun, replace(begun, seconds=10, pieces=10**7), replace(begun, seconds=20, pieces=10**7)):
        observe(progress)
    assert len(shown) == 3
    assert capsys.readouterr().err == (
        "The games of dellacherie take 16:40 more. Faster: --rules standard-10x10 or --splitting or --pieces 10000.\n"
    )
    observe = bench_command.suggest_less_work(load_agent("modern-1"), Rules.parse("guideline"), shown.append)
    observe(replace(begun, seconds=10, pieces_left=None))
    assert capsys.readouterr().err == "The games of modern-1 take an unknown time more. Faster: --pieces 10000.\n"


def test_agents_that_cannot_be_loaded_do_not_stop_the_others(tmp_path: Path, weak_agent: str) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    result = tetrion_here("bench", "dellacherei", weak_agent, str(broken), "--games", "5", expect=2)
    assert "Error: Unknown agent 'dellacherei'. Did you mean 'dellacherie'?" in result.stderr
    assert f"Error: {broken}:" in result.stderr
    assert "5 games, 5 deaths" in result.stdout
    assert tetrion_here("bench", "dellacherei", "dt", expect=2).stdout == ""


def test_a_file_that_cannot_be_written_does_not_affect_other_files(
    tmp_path: Path, weak_agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.csv"
    old.write_text("old content", encoding="utf-8")
    replace = Path.replace

    def replace_on_full_disk(part: Path, target: Path) -> Path:
        if target.name == "old.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(part, target)

    monkeypatch.setattr(Path, "replace", replace_on_full_disk)
    result = tetrion_here("bench", weak_agent, "--games", "3", "--json", str(old), "--csv", str(new), expect=2)
    assert "No space left on device. Give another file to --json." in result.stderr
    assert "3 games" in result.stdout
    assert old.read_text(encoding="utf-8") == "old content"
    assert len(new.read_text(encoding="utf-8").splitlines()) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "old.json", "weak.json"]


def test_score_is_left_out_where_it_is_the_number_of_lines(weak_agent: str) -> None:
    printed = tetrion_here("bench", weak_agent, weak_agent, "--rules", "standard", "--games", "3").stdout
    assert printed.count("score") == printed.count("score = lines under these rules") == 1
    assert "points" not in printed
    printed = tetrion_here("bench", weak_agent, "--rules", "nes", "--games", "3", "--pieces", "5").stdout
    assert "\n  score" in printed
    assert "score = lines" not in printed


def test_progress_line() -> None:
    progress = Progress(task="du", done=30, planned=120, seconds=20, pieces=600_000, details=("± 7.3 %",))
    assert describe_progress(progress) == ["30 of 120 games", "30,000 pieces/s", "1:00 left", "± 7.3 %"]
    resumed = Progress(task="small", done=30, planned=40, unit="generation", seconds=20, done_before=20)
    assert describe_progress(resumed) == ["30 of 40 generations", "0:20 left"]
    assert describe_progress(Progress(task="becker  writing the report")) == []
    running = Progress(task="du", planned=120, seconds=2, pieces=60_000)
    assert describe_progress(running) == ["0 of 120 games", "30,000 pieces/s", "no game has ended yet"]
    assert format_duration(3_785) == "1:03:05"


def test_splitting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weak_agent: str) -> None:
    """Means by splitting; an agent with short games is reported."""
    monkeypatch.setattr(splitting, "DEFAULT_REPLICATES", 6)
    file = tmp_path / "result.json"
    arguments = ["bench", "du", weak_agent, "--rules", "standard-10x10", "--splitting", "--seed", "4"]
    result = tetrion_here(*arguments, "--json", str(file), expect=2)
    assert re.search(r"du\n  lines   +\d,\d+ [±−].*\n  pieces .*\n  6 replicates, \d levels · ", result.stdout)
    assert "rules standard-10x10, seed 4; means per game by splitting" in result.stdout
    assert "weak.json: The games of" not in result.stderr
    assert re.search(r"Error: The games of weak are too short for splitting: \d+ of 256", result.stderr)
    (written,) = json.loads(file.read_text(encoding="utf-8"))
    assert (written["agent"], written["method"], written["replicates"]) == ("du", "splitting", 6)
    low, high = written["lines"]["ci95"]
    assert low < written["lines"]["mean"] < high
    (printed,) = json.loads(tetrion_here(*arguments, "--json", "-", expect=2).stdout)
    assert printed["lines"] == written["lines"]


def test_agents_that_fail_or_are_interrupted_keep_the_other_results(
    tmp_path: Path, weak_agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C during the third agent keeps its first pieces; the second agent fails, and the fourth is not measured."""

    def press_ctrl_c(progress: Progress) -> None:
        if progress.pieces:
            raise KeyboardInterrupt

    def interrupted_evaluate(agent: WeightedAgent, *arguments: Any, **options: Any) -> Evaluation:
        if agent.name == "lee":
            raise AgentError("The time limit was exceeded.")
        return evaluate(
            agent, *arguments, **(options | {"on_progress": press_ctrl_c} if agent.name == "du" else options)
        )

    monkeypatch.setattr(bench_command, "evaluate", interrupted_evaluate)
    out, rows = tmp_path / "out.json", tmp_path / "rows.csv"
    command = ("bench", weak_agent, "lee", "du", "dt10", "--rules", "standard", "--games", "8")
    result = tetrion_here(*command, "--json", str(out), "--csv", str(rows), expect=130)
    assert result.stderr.splitlines() == [
        "Error: lee: The time limit was exceeded.",
        "Stopped. These are the results so far. du has not finished its games. Not measured: dt10.",
    ]
    assert "dt10" not in result.stdout
    assert "du and weak did not complete the same games" in result.stdout
    first, second = json.loads(out.read_text(encoding="utf-8"))
    assert (first["agent"], first["deaths"], second["agent"], second["difference_to_first"]) == ("weak", 8, "du", None)
    assert ",stopped," in rows.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument"),
        (["du", "--rules", "standrad"], "Did you mean 'standard'"),
        (["du", "--games", "0"], "games must be a whole number from 1 to 10,000,000; given 0.\n"),
        (["du", "--pieces", "1" + "0" * 30], "is not in the range"),
        (["du", "--rules", "standard:height=" + "5" * 5000], "whole number"),
        (["du", "--seed", "-1"], "A seed must be"),
        (["nowhere.json"], "no such file"),
        (["du", "--gmaes", "3"], "--games"),
        (["du", "--precision", "5%", "--games", "10"], "not both"),
        (["du", "--precision", "five"], "such as 5% or 0.05; given 'five'"),
        (["du", "--precision", "5"], "500 %"),
        (["du", "--csv", "."], "Give another file to --csv"),
        (["du", "--json", "a\0b"], "Give another file to --json"),
        (["du", "--plot", "plot.jpg"], ".png, .svg or .pdf; given 'plot.jpg'"),
        (["du", "--json", "same", "--csv", "./same"], "--json and --csv both write to"),
        (["du", "--splitting", "--pieces", "5", "--csv", "-"], "cannot be combined with --pieces and --csv. Omit them"),
        (["du", "--splitting", "--rules", "medico"], "Splitting supports movement=drop without "),
    ],
)
def test_mistakes_are_reported_before_any_game(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench_command, "evaluate", lambda *_, **__: pytest.fail("a game was played"))
    monkeypatch.chdir(tmp_path)
    result = tetrion_here("bench", *arguments, expect=2)
    assert message in result.stderr
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []
