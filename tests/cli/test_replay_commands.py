"""`tetrion review` and `tetrion replay`, as a person types them."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from cli.command_runner import tetrion_here
from evaluation.sample_replays import record_agent_game, record_key_game, record_random_game
from tetrion import Game, Replay, WeightedAgent
from tetrion.cli import review_command
from tetrion.cli.board_text import format_board, join_boards
from tetrion.evaluation.replay_review import GradedMove, grade_moves
from tetrion.lab.replay_page import render_replay_page


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "game.json"
    record_random_game("standard", 20).save(path)
    return str(path)


def test_a_review_tells_the_game_the_summary_and_the_costliest_moves(file: str) -> None:
    printed = tetrion_here("review", file, "--agent", "du", "--worst", "2").stdout
    assert "a player under standard, seed 5, game 2: 20 pieces, 0 lines, 0 points, not played to its end" in printed
    assert "Graded by du, all 20 moves." in printed
    assert "The player seldom plays like du." in printed
    assert "The costliest 2 moves:" in printed
    assert printed.count("before       made         better\n") == 2


def test_boards_show_the_move_made_and_the_better_one(file: str) -> None:
    replay = Replay.load(file)
    told = json.loads(tetrion_here("review", file, "--json", "-").stdout)
    number = told["costliest"][0]
    printed = tetrion_here("review", file, "--worst", "1").stdout
    assert f"Move {number}, {replay.placements[number - 1].piece}:" in printed
    board, made = replay.play(number - 1).board, replay.placements[number - 1]
    rows = printed.split("better\n")[1].splitlines()
    shown = format_board(board, made, len(rows)).splitlines()
    assert [row.split()[1] for row in rows] == shown
    assert [row.split()[0] for row in rows] == format_board(board, rows=len(rows)).splitlines()
    assert sum(row.split()[2].count(made.piece) for row in rows) == 4


def test_json_holds_every_move(file: str, tmp_path: Path) -> None:
    printed = tetrion_here("review", file, "--json", str(tmp_path / "review.json")).stdout
    told = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))
    assert "Graded by dellacherie" in printed
    assert (told["agent"], told["player"], told["moves"], len(told["graded"])) == ("dellacherie", None, 20, 20)
    lost = [move["points_lost"] for move in told["graded"]]
    assert told["mean_points_lost"] == pytest.approx(sum(lost) / 20)
    assert min(lost) >= 0
    assert told["summary"].endswith("plays like dellacherie")
    assert told["best_move_share"] == sum(move["is_best"] for move in told["graded"]) / 20
    assert {move["verdict"] for move in told["graded"]} == {"listed"}
    assert told["graded"][0]["placement"].keys() == {"piece", "rotation", "column", "row"}
    assert told["costliest"] == sorted(range(1, 21), key=lambda move: -lost[move - 1])[:5]


def test_an_agent_reviewed_by_itself_and_an_empty_game(tmp_path: Path) -> None:
    record_agent_game("medico", "medico", 10).save(tmp_path / "own.json")
    printed = tetrion_here("review", str(tmp_path / "own.json")).stdout
    assert "medico plays exactly like medico.\n  Best moves    100 %, 10 of 10" in printed
    assert "costliest" not in printed
    Replay.from_game(Game()).save(tmp_path / "empty.json")
    assert "no move to grade" in tetrion_here("review", str(tmp_path / "empty.json")).stdout


def test_tucks_are_counted(tmp_path: Path) -> None:
    record_key_game("gavrilov").save(tmp_path / "keys.json")
    printed = tetrion_here("review", str(tmp_path / "keys.json"), "--worst", "0").stdout
    assert "not among the agent's placements, but scored in the same way." in printed
    assert "costliest" not in printed


def test_ctrl_c_shows_what_was_graded(file: str) -> None:
    def interrupted(replay: Replay, agent: WeightedAgent) -> Iterator[GradedMove]:
        moves = grade_moves(replay, agent)
        yield from (next(moves) for _ in range(7))
        raise KeyboardInterrupt

    with patch.object(review_command, "grade_moves", interrupted):
        printed = tetrion_here("review", file, expect=130).stdout
    assert "the first 7 of 20 moves until you stopped it" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.json"], "missing.json cannot be read: No such file"),
        (["{broken}"], "broken.json: this is no replay"),
        (["{file}", "--agent", "dux"], "Did you mean 'du'"),
        (["{file}", "--agent", "medico"], "looks at 2 pieces"),
        (["{file}", "--agent", "random-keys"], "not a weighted agent"),
        (["{file}", "--json", "no/such/folder.json"], "cannot be written"),
        (["{file}", "--worst", "-1"], "--worst"),
    ],
)
def test_mistakes_in_a_review(arguments: list[str], message: str, file: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    given = [part.format(file=file, broken=tmp_path / "broken.json") for part in arguments]
    assert message in tetrion_here("review", *given, expect=2).stderr


def test_boards_of_different_width_stand_side_by_side() -> None:
    assert join_boards({"a": "xx\nyy", "long": "z\nz"}) == "a    long\nxx   z\nyy   z"


def test_a_replay_becomes_a_page(file: str, tmp_path: Path) -> None:
    assert tetrion_here("replay", file, "--html", str(tmp_path / "game.html")).stdout == f"{tmp_path / 'game.html'}\n"
    page = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert page == render_replay_page(Replay.load(file))
    assert tetrion_here("replay", file, "--html", "-").stdout == page


def test_the_page_of_the_docs_is_what_their_command_makes() -> None:
    folder = Path(__file__).parents[2] / "docs" / "replays"
    written = (folder / "medico.html").read_text(encoding="utf-8")
    remedy = "tetrion replay docs/replays/medico.json --html docs/replays/medico.html"
    assert written == render_replay_page(Replay.load(folder / "medico.json")), remedy
    assert len(written.encode()) <= 300_000


def test_without_a_page_the_window_opens(file: str) -> None:
    opened: list[tuple[object, ...]] = []
    start = ModuleType("tetrion.app.launcher")
    start.__dict__["open_window"] = lambda screen, **options: opened.append((screen, options))
    with patch.dict(sys.modules, {"tetrion.app": ModuleType("tetrion.app"), "tetrion.app.launcher": start}):
        tetrion_here("replay", file)
    assert opened == [("replay", {"file": file})]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.json", "--html", "{out}"], "missing.json cannot be read: No such file"),
        (["{broken}", "--html", "{out}"], "broken.json: this is no replay"),
        (["{file}", "--html", "no/such/page.html"], "cannot be written"),
    ],
)
def test_mistakes_in_a_page(arguments: list[str], message: str, file: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    places = {"file": file, "broken": tmp_path / "broken.json", "out": tmp_path / "out.html"}
    assert message in tetrion_here("replay", *(part.format(**places) for part in arguments), expect=2).stderr
    assert not (tmp_path / "out.html").exists()
