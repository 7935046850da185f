"""`tetrion explain` and `tetrion list agents`."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.command_runner import tetrion_here
from tetrion import Board, Placement, Position
from tetrion.position import validate_placement

BOARD = "#.........\n##.#.####.\n#########.\n####.#####\n"


@pytest.fixture
def board(tmp_path: Path) -> str:
    (tmp_path / "board.txt").write_text(BOARD, encoding="utf-8")
    return str(tmp_path / "board.txt")


def test_best_placement_and_its_features_are_shown(board: str) -> None:
    printed = tetrion_here("explain", "du", "--board", board, "--piece", "t").stdout
    assert "#TTT......\n##T#.####.\n#########.\n####.#####\n" in printed
    assert "du: piece T, rules standard, 34 placements" in printed
    assert "row_transitions" in printed
    rows = {words[0]: words[1:] for line in printed.splitlines() if (words := line.split())}
    best = Placement("T", int(rows["rotation"][0]), int(rows["column"][0]), int(rows["row"][0]))
    assert best == Placement("T", 2, 1, 2)
    assert validate_placement(Position.from_board(Board.from_text(BOARD), "T"), best) == best
    assert "Rotations count from 0" in " ".join(printed.split())
    printed = tetrion_here("explain", "medico", "--board", board, "--piece", "T", "--next", "L").stdout
    assert "medico in scoring mode: piece T, rules medico" in printed
    assert "Expected continuation: L" in printed


def test_scores_have_all_digits_and_idle_features_share_a_row() -> None:
    command = ("explain", "modern-1:depth=3,beam=20", "--piece", "L", "--hold", "T", "--next", "IOSZJ")
    printed = tetrion_here(*command).stdout
    best = json.loads(tetrion_here(*command, "--json", "-").stdout)["best"]
    rows = [line.split() for line in printed.splitlines()]
    assert ["score", *(f"{candidate['score']:,.0f}".replace("-", "−") for candidate in best)] in rows
    names = best[0]["contributions"]
    idle = [name for name in names if not any(candidate["contributions"][name] for candidate in best)]
    assert len(idle) > 1
    assert [str(len(idle)), "others", *["0"] * len(best)] in rows
    assert {row[0] for row in rows if row} & set(names) == set(names) - set(idle)


def test_json_output(board: str) -> None:
    arguments = ("explain", "becker", "--board", board, "--piece", "T", "--best", "2", "--json", "-")
    explanation = json.loads(tetrion_here(*arguments).stdout)
    facts = (explanation["agent"], explanation["mode"], explanation["placements"], len(explanation["best"]))
    assert facts == ("becker", "", 34, 2)
    first = explanation["best"][0]
    assert first["score"] == pytest.approx(sum(first["contributions"].values()))
    assert set(first["values"]) == {"holes", "aggregate_height", "bumpiness", "max_height"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["du"], "--piece"),
        (["du", "--piece", "X"], "Unknown piece 'X'"),
        (["du", "--piece", "T", "--board", "."], "cannot be read"),
        (["medico", "--piece", "T"], "Give the next pieces"),
        (["du:depth=2", "--piece", "T", "--next", "L"], "Use standard:preview=1"),
        (["random-keys", "--piece", "T"], "is not a weighted agent"),
        (["dellacherie", "--piece", "L", "--combo", "2"], "needs modern rules, such as guideline; given standard"),
        (["du", "--piece", "T", "--board", "-"], "-: standard input is closed. Give a text file"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert message in tetrion_here("explain", *arguments, expect=2).stderr


def test_full_and_invalid_boards_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("over.txt").write_text(20 * "#########.\n", encoding="utf-8")
    assert "the game is over" in tetrion_here("explain", "du", "--board", "over.txt", "--piece", "T").stdout
    row = ".........#\n"
    for text, message in (
        ("\n" + row + "#" * 11, "line 3: a row must have 10 cells; this one has 11: ###########"),
        (f"\n{row * 40}", "line 2: the board is too high. Under these rules it has at most 20 rows; the file has 40"),
        (f"{row}\n{'#' * 10}\n{row}", "line 3: the row is full, so it would already be cleared. Leave one cell"),
    ):
        (tmp_path / "rows.txt").write_text(text, encoding="utf-8")
        error = tetrion_here("explain", "du", "--piece", "T", "--board", "rows.txt", expect=2).stderr
        assert error.startswith(f"Error: rows.txt: {message}")
    (tmp_path / "letters.txt").write_text("\n  ..........\n  IOTSZJL#.x\n", encoding="utf-8")
    error = tetrion_here("explain", "du", "--piece", "T", "--board", "letters.txt", expect=2).stderr
    assert "letters.txt: line 3, column 12: 'x' is not a cell. Write . for an empty cell, and # or a piece" in error
    (tmp_path / "letters.txt").write_text("  IOTSZJL#..\n", encoding="utf-8")
    assert "########" in tetrion_here("explain", "du", "--piece", "T", "--board", "letters.txt").stdout
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    assert "not a text file" in tetrion_here("explain", "du", "--piece", "T", "--board", "bytes.txt", expect=2).stderr


def test_combo_and_back_to_back_change_the_attack(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("..#.......\n##...#####\n###.######\n")
    command = f"explain modern-1 --board {board} --piece L --hold t --best 1 --json -".split()
    values = []
    for options in ((), ("--combo", "2", "--back-to-back", "1")):
        best = json.loads(tetrion_here(*command, *options).stdout)["best"][0]
        assert (best["piece"], best["spin"], best["hold"]) == ("T", "full", True)
        values.append((best["values"]["attack"], best["values"]["combo"]))
    assert values == [(4, 1), (5, 3)]
