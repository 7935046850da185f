"""`tetrion perft`."""

import json
from pathlib import Path

import pytest

from tests.cli.command_runner import tetrion_here
from tetrion import Board, Rules
from tetrion.cli import perft_command
from tetrion.cli.perft_command import PerftCount
from tetrion.interrupts import EXIT_STOPPED
from tetrion.progress import Observer, Progress


def test_counts_of_each_depth_in_a_table_and_in_json() -> None:
    lines = tetrion_here("perft", "iOLJSZT", "--depth", "3").stdout.splitlines()
    assert lines[0].split() == ["depth", "sequences", "seconds", "sequences/s", "boards/s"]
    assert [line.split()[:2] for line in lines[1:4]] == [["1", "17"], ["2", "153"], ["3", "5,266"]]
    result = json.loads(tetrion_here("perft", "TI", "--json", "-").stdout)
    assert (result["queue"], result["rules"]) == ("TI", "perft")
    assert [(row["depth"], row["sequences"], row["boards"]) for row in result["depths"]] == [(1, 34, 1), (2, 600, 35)]
    assert all(row["seconds"] > 0 for row in result["depths"])


def test_ctrl_c_shows_the_finished_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    count = perft_command.count_sequences

    def stop_at_depth_3(board: Board, queue: str, rules: Rules, on_progress: Observer[Progress]) -> PerftCount:
        if len(queue) == 3:
            raise KeyboardInterrupt
        return count(board, queue, rules, on_progress)

    monkeypatch.setattr(perft_command, "count_sequences", stop_at_depth_3)
    printed = tetrion_here("perft", "IOLJ", expect=EXIT_STOPPED)
    assert [line.split()[:2] for line in printed.stdout.splitlines()[1:3]] == [["1", "17"], ["2", "153"]]
    assert printed.stderr == "Stopped. These are the results so far.\n"
    result = json.loads(tetrion_here("perft", "IOLJ", "--json", "-", expect=EXIT_STOPPED).stdout)
    assert [row["sequences"] for row in result["depths"]] == [17, 153]


def test_spins_and_spawn_row(tmp_path: Path) -> None:
    """A T below an overhang has more placements if spins are told apart."""
    file = tmp_path / "board.txt"
    file.write_text("##........\n#...######\n##.#######\n", encoding="utf-8")
    counts = []
    for spins in ("none", "t"):
        arguments = ("perft", "T", "--board", str(file), "--rules", f"perft:height=6,spins={spins}", "--json", "-")
        counts.append(json.loads(tetrion_here(*arguments).stdout)["depths"][0]["sequences"])
    assert counts[0] < counts[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["IOX"], "Unknown piece 'X'"),
        (["I" * 17], "has 17 pieces"),
        (["IO", "--depth", "3"], "--depth 3 needs a queue of at least 3 pieces; the queue 'IO' has 2 pieces"),
        (["I", "--rules", "nes"], "requires movement=drop or movement=reach"),
        (["I", "--board", "missing.txt"], "missing.txt: the file cannot be read"),
    ],
)
def test_mistakes(arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error = " ".join(tetrion_here("perft", *arguments, expect=2).stderr.split())
    assert message in error
