"""`tetrion review` and `tetrion replay`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.cli.command_runner import tetrion_here
from tests.evaluation.sample_replays import record_agent_game, record_random_game
from tetrion import Game, Replay, WeightedAgent
from tetrion.agents import load_weighted_agent
from tetrion.cli import review_command
from tetrion.cli.boards import format_board
from tetrion.evaluation.replay_review import GradedMove, grade_moves, review_replay
from tetrion.lab.replay_page import render_replay_page


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "game.json"
    record_random_game("standard", 20).save(path)
    return str(path)


def test_review_shows_the_game_the_summary_and_the_costliest_moves(file: str) -> None:
    printed = tetrion_here("review", file, "--agent", "du", "--worst", "2").stdout
    summary = "a player, rules standard, seed 5, game 2: 20 pieces, 0 lines, 0 points, not finished"
    assert summary in " ".join(printed.split())
    assert "Graded by du: all 20 moves." in printed
    assert "The player rarely plays like du." in printed
    assert "per move in du's evaluation" in printed
    assert len(re.findall(r"^Move .*: [a-z]+, lost [\d.,]+ in du's evaluation, rank ", printed, re.MULTILINE)) == 2
    counts = re.findall(r"^  (?:Best|Good|Inaccuracy|Mistake|Blunder) +(\d+) +\d+ %$", printed, re.MULTILINE)
    assert sum(map(int, counts)) == 20
    assert len(counts) == 5
    assert "The costliest 2 moves:" in printed
    assert printed.count("before       played       best\n") == 2


def test_boards_show_the_played_and_the_best_move(file: str) -> None:
    replay = Replay.load(file)
    review = json.loads(tetrion_here("review", file, "--json", "-").stdout)
    number = review["costliest"][0]
    printed = tetrion_here("review", file, "--worst", "1").stdout
    assert f"Move {number}, {replay.placements[number - 1].piece}:" in printed
    board, placement = replay.play(number - 1).board, replay.placements[number - 1]
    rows = printed.split("best\n")[1].splitlines()
    assert [row.split()[1] for row in rows] == format_board(board, placement, len(rows)).splitlines()
    assert [row.split()[0] for row in rows] == format_board(board, rows=len(rows)).splitlines()
    assert sum(row.split()[2].count(placement.piece) for row in rows) == 4


def test_json_contains_every_move(file: str, tmp_path: Path) -> None:
    printed = tetrion_here("review", file, "--json", str(tmp_path / "review.json")).stdout
    review = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))
    assert "Graded by dellacherie" in printed
    assert (review["agent"], review["player"], review["moves"], len(review["graded"])) == ("dellacherie", None, 20, 20)
    points_lost = [move["points_lost"] for move in review["graded"]]
    assert review["mean_points_lost"] == pytest.approx(sum(points_lost) / 20)
    assert min(points_lost) >= 0
    assert sum(review["grades"].values()) == 20
    costliest = [review["graded"][number - 1] for number in review["costliest"]]
    order = [(list(review["grades"]).index(move["grade"]), move["points_lost"]) for move in costliest]
    assert order == sorted(order, reverse=True)
    assert len(order) == 5


def test_review_of_an_agent_by_itself_and_of_an_empty_game(tmp_path: Path) -> None:
    record_agent_game("medico", "medico", 10).save(tmp_path / "own.json")
    printed = tetrion_here("review", str(tmp_path / "own.json")).stdout
    assert "medico plays exactly like medico.\nmedico graded its own moves; --agent NAME asks another" in printed
    assert "\n  Best            10   100 %\n" in printed
    assert "costliest" not in printed
    Replay.from_game(Game()).save(tmp_path / "empty.json")
    assert "no move to grade" in tetrion_here("review", str(tmp_path / "empty.json")).stdout


def test_ctrl_c_shows_the_moves_graded_so_far(file: str) -> None:
    def interrupted_grade_moves(replay: Replay, agent: WeightedAgent) -> Iterator[GradedMove]:
        moves = grade_moves(replay, agent)
        yield from (next(moves) for _ in range(7))
        raise KeyboardInterrupt

    with patch.object(review_command, "grade_moves", interrupted_grade_moves):
        printed = tetrion_here("review", file, expect=130).stdout
    assert "the first 7 of 20 moves (stopped by Ctrl-C)" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{broken}"], "broken.json is not a saved game"),
        (["{file}", "--agent", "medico"], "looks at 2 pieces"),
        (["{file}", "--html", "no/such/folder.html"], "cannot be written"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], message: str, file: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    formatted = [part.format(file=file, broken=tmp_path / "broken.json") for part in arguments]
    assert message in tetrion_here("review", *formatted, expect=2).stderr


def test_games_are_exported_as_pages(file: str, tmp_path: Path) -> None:
    assert tetrion_here("replay", file, "--html", str(tmp_path / "game.html")).stdout == f"{tmp_path / 'game.html'}\n"
    page = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert page == render_replay_page(Replay.load(file))
    assert tetrion_here("replay", file, "--html", "-").stdout == page
    review = review_replay(Replay.load(file), load_weighted_agent("dellacherie"))
    assert tetrion_here("review", file, "--html", "-").stdout == render_replay_page(review.replay, review)


def test_page_in_the_docs_matches_its_command() -> None:
    folder = Path(__file__).parents[2] / "docs" / "replays"
    page = (folder / "medico.html").read_text(encoding="utf-8")
    update_command = "tetrion replay docs/replays/medico.json --html docs/replays/medico.html"
    assert page == render_replay_page(Replay.load(folder / "medico.json")), update_command
    assert len(page.encode()) <= 300_000
