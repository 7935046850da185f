"""Objects at the Python prompt and in notebooks: one short line, tables and pictures, and records for data frames."""

import csv
import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import tetrion
from tests.cli.command_runner import tetrion_here
from tests.training.small_recipes import make_small_recipe
from tetrion.agents import load_weighted_agent
from tetrion.agents.replay_agent import ReplayAgent
from tetrion.evaluation.replay_review import review_replay
from tetrion.training.trainer import create_run, train

VOID_TAGS = {"img", "path", "rect"}


class TagChecker(HTMLParser):
    """Checks that the tags of a fragment are balanced and collects its text."""

    def __init__(self) -> None:
        super().__init__()
        self.open_tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in VOID_TAGS:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID_TAGS:
            assert self.open_tags.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read_html(value: Any) -> str:
    """Return the text of an object's HTML, after checking its tags."""
    html = value._repr_html_()
    checker = TagChecker()
    checker.feed(html)
    checker.close()
    assert checker.open_tags == []
    assert "<script" not in html
    return " ".join(checker.texts)


def make_game() -> tetrion.Game:
    game = tetrion.Game("nes:preview=2", seed=3)
    game.play("dellacherie", 40)
    return game


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tetrion.Run:
    return train(make_small_recipe("genetic", "validation.every=2"), tmp_path_factory.mktemp("runs") / "run", workers=1)


@pytest.fixture(scope="module")
def evaluation() -> tetrion.Evaluation:
    return tetrion.evaluate("medico", games=50, seed=7, max_pieces=200, workers=1)


MAKERS: dict[str, Callable[[], Any]] = {
    "game": make_game,
    "position": lambda: make_game().position,
    "difference": lambda: tetrion.evaluate("el-tetris", "standard-10x10", games=9, workers=1).compare_to(
        tetrion.evaluate("dellacherie", "standard-10x10", games=8, workers=1)
    ),
    "replay": lambda: tetrion.Replay.from_game(make_game(), "dellacherie"),
    "review": lambda: review_replay(tetrion.Replay.from_game(make_game()), load_weighted_agent("medico:depth=1")),
    "explanation": lambda: load_weighted_agent("medico").explain(make_game().position),
    "agent": lambda: load_weighted_agent("medico"),
    "agent with tables": lambda: load_weighted_agent("becker"),
    "recipe": lambda: tetrion.Recipe.load("hindi-crowds"),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_html_has_the_facts_and_the_repr_is_one_line(kind: str) -> None:
    value = MAKERS[kind]()
    assert "\n" not in repr(value)
    assert repr(value).startswith((f"<{type(value).__name__} ", type(value).__name__))
    assert len(read_html(value)) > 20


def test_values_are_described(run: tetrion.Run, evaluation: tetrion.Evaluation) -> None:
    assert len(repr(evaluation)) <= 200
    assert repr(evaluation).startswith("<Evaluation medico: ")
    assert f"lines per game, 50 games, {evaluation.capped} capped, rules medico, seed 7>" in repr(evaluation)
    assert "quartiles" in read_html(evaluation)
    assert len(repr(run)) <= 200
    assert "recipe small, learner genetic" in repr(run)
    text = read_html(run)
    assert "held-out lines per game" in text
    assert run.result is not None
    held_out = run.result["held_out"]
    assert held_out["capped"]
    assert f"({held_out['capped']} of {held_out['games']} games capped)" in text
    assert "Estimate without the cap: " in text
    assert "data:image/svg+xml;base64," in run._repr_html_()
    game = make_game()
    assert repr(game).startswith("<Game nes:preview=2, seed 3: 40 pieces, ")
    assert f"piece {game.piece}, next {game.next}" in read_html(game.position)
    assert "<svg" in game._repr_html_()
    assert "seed 3" in read_html(game)
    explanation = load_weighted_agent("medico").explain(game.position)
    assert str(explanation.candidates[0].placement) in repr(explanation)
    assert "→" in read_html(explanation)
    assert f"medico in scoring mode: piece {game.piece}, rules nes:preview=2, " in read_html(explanation)
    assert explanation._repr_html_().count("<svg") == 1
    assert explanation._repr_html_().count("<rect") == game.position._repr_svg_().count("<rect")
    assert "score" in repr(explanation.candidates[0])
    replay = tetrion.Replay.from_game(game, "dellacherie")
    assert all(fact in read_html(replay) for fact in ("dellacherie", "nes:preview=2", "40", "not finished"))
    assert repr(ReplayAgent(replay)) == "<ReplayAgent dellacherie: 40 placements>"
    review = review_replay(replay, load_weighted_agent("medico:depth=1"))
    assert "40 moves, " in repr(review)
    assert repr(review.moves[0]).startswith("<GradedMove 1, ")
    assert repr(tetrion.Recipe.load("gavrilov")) == (
        "<Recipe gavrilov: genetic, rules gavrilov, 30 generations, seed 0>"
    )
    assert "genetic.population" in read_html(tetrion.Recipe.load("gavrilov"))


def test_run_without_generations_and_damaged_run_are_shown(tmp_path: Path) -> None:
    folder = create_run(make_small_recipe(), tmp_path / "new")
    assert "generations 0, status created" in repr(tetrion.Run(folder))
    assert "status" in read_html(tetrion.Run(folder))
    (folder / "metrics.csv").write_text("wrong", encoding="utf-8")
    assert repr(tetrion.Run(folder)).endswith("new: damaged>")
    assert "metrics.csv" in read_html(tetrion.Run(folder))


def test_game_records_are_those_of_the_csv_file(evaluation: tetrion.Evaluation, tmp_path: Path) -> None:
    records = evaluation.to_records()
    assert json.loads(json.dumps(records)) == records
    assert {type(value) for record in records for value in record.values()} == {int, str}
    assert [record["game"] for record in records] == list(range(50))
    assert sum(int(record["lines"]) for record in records) == evaluation.per_game["lines"].sum()
    file = tmp_path / "games.csv"
    tetrion_here(
        "bench", "medico", "--games", "50", "--seed", "7", "--pieces", "200", "--workers", "1", "--csv", str(file)
    )
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert rows == [{name: str(value) for name, value in record.items()} for record in records]


def test_training_records_are_the_rows_of_the_metrics_file(run: tetrion.Run) -> None:
    records = run.to_records()
    assert json.loads(json.dumps(records)) == records
    assert [record["generation"] for record in records] == [1, 2, 3, 4, 5]
    assert [record["validation"] is None for record in records] == [True, False, True, False, True]
    with (run.folder / "metrics.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == [{name: "" if value is None else str(value) for name, value in record.items()} for record in records]
