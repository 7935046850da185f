"""`tetrion explain` and `tetrion list agents`."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.command_runner import tetrion_here
from tetrion import Board, Placement, Position
from tetrion.agents import WeightedAgent, save_agent
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
    assert (rows["rotation"][0], rows["column"][0], rows["row"][0]) == ("2", "1", "2")


def test_placements_are_numbered_as_in_python(board: str) -> None:
    printed = tetrion_here("explain", "du", "--board", board, "--piece", "t").stdout
    rows = {words[0]: words[1:] for line in printed.splitlines() if (words := line.split())}
    best = Placement("T", int(rows["rotation"][0]), int(rows["column"][0]), int(rows["row"][0]))
    assert validate_placement(Position.from_board(Board.from_text(BOARD), "T"), best) == best
    caption = " ".join(printed.split())
    assert "Rotations count from 0" in caption
    assert "column of the piece counts from 0 at the left, and its lowest row from 0 at the floor" in caption


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


def test_features_have_rows_of_their_own_if_none_contributes(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    save_agent(WeightedAgent("mine", {"lines": 1.0, "four_lines": 2.0}), file)
    printed = tetrion_here("explain", str(file), "--piece", "O", "--best", "2").stdout
    assert ["lines", "0", "→", "0", "0", "→", "0"] in [line.split() for line in printed.splitlines()]
    assert "others" not in printed


def test_mode_and_expected_continuation_are_shown(board: str) -> None:
    printed = tetrion_here("explain", "medico", "--board", board, "--piece", "T", "--next", "L").stdout
    assert "medico in scoring mode: piece T, rules medico" in printed
    assert "Expected continuation: L" in printed


def test_json_output(board: str) -> None:
    arguments = ("explain", "becker", "--board", board, "--piece", "T", "--best", "2", "--json", "-")
    explanation = json.loads(tetrion_here(*arguments).stdout)
    assert (explanation["agent"], explanation["mode"], explanation["placements"], len(explanation["best"])) == (
        "becker",
        "",
        34,
        2,
    )
    first = explanation["best"][0]
    assert first["score"] == pytest.approx(sum(first["contributions"].values()))
    assert set(first["values"]) == {"holes", "aggregate_height", "bumpiness", "max_height"}


def test_a_full_board_is_reported_as_game_over() -> None:
    full = "\n".join(["#########."] * 20)
    result = tetrion_here(
        "explain", "medico:depth=1", "--board", write_board(full), "--piece", "T", "--rules", "medico"
    )
    assert "the game is over" in result.stdout


def write_board(text: str) -> str:
    path = Path("over.txt")
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def _temporary_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "du"], "--piece"),
        (["explain", "du", "--piece", "X"], "Unknown piece 'X'"),
        (["explain", "dux", "--piece", "T"], "Did you mean 'du'"),
        (["explain", "du", "--piece", "T", "--board", "nothing.txt"], "cannot be read"),
        (["explain", "du", "--piece", "T", "--board", "."], "cannot be read"),
        (["explain", "medico", "--piece", "T"], "Give the next pieces"),
        (["explain", "du:depth=2", "--piece", "T", "--next", "L"], "Use standard:preview=1"),
        (["explain", "random-keys", "--piece", "T"], "is not a weighted agent"),
        (["explain", "du", "--piece", "T", "--next", "QQ"], "Unknown piece 'Q'"),
        (["explain", "du", "--piece", "T", "--rules", "nez"], "Did you mean 'nes'"),
        (["explain", "du", "--piece", "T", "--json", "no/such/folder.json"], "cannot be written"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], message: str) -> None:
    assert message in tetrion_here(*arguments, expect=2).stderr


def test_invalid_boards_are_rejected(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("command", [["explain", "du", "--piece", "T"], ["perft", "TS"]])
def test_closed_standard_input_is_explained(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    error = tetrion_here(*command, "--board", "-", expect=2).stderr
    assert error.startswith("Error: -: standard input is closed. Give a text file")


def test_combo_and_back_to_back_change_the_attack(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("..#.......\n##...#####\n###.######\n")
    command = (
        "explain",
        "modern-1",
        "--board",
        str(board),
        "--piece",
        "L",
        "--hold",
        "t",
        "--best",
        "1",
        "--json",
        "-",
    )
    values = []
    for options in ((), ("--combo", "2", "--back-to-back", "1")):
        best = json.loads(tetrion_here(*command, *options).stdout)["best"][0]
        assert (best["piece"], best["spin"], best["hold"]) == ("T", "full", True)
        values.append((best["values"]["attack"], best["values"]["combo"]))
    assert values == [(4, 1), (5, 3)]
    done = tetrion_here("explain", "dellacherie", "--piece", "L", "--combo", "2", expect=2)
    assert "needs modern rules, such as guideline; given standard" in done.stderr
