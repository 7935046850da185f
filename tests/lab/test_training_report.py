"""Training reports: self-contained, well-formed pages with the numbers of the run's files."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.lab.browser import Browser, needs_browser
from tests.lab.small_runs import mark_unfinished, render_empty_images, render_report_without_pictures, train_small_run
from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.engine.rules import Rules
from tetrion.evaluation import evaluate
from tetrion.evaluation.number_format import format_number
from tetrion.lab.page_templates import make_data_url
from tetrion.lab.run_summary import format_held_out_mean
from tetrion.lab.training_report import (
    GameImages,
    count_report_pictures,
    format_bench_command,
    render_game_images,
    render_seeds_report,
    render_training_report,
)
from tetrion.training.run import Run
from tetrion.training.trainer import train

VOID_ELEMENTS = {"meta", "img", "input", "source"}
MAX_PAGE_BYTES = 3_000_000
HOSTILE_TEXT = "</title><b onclick='x'>&amp;</b></style>"
HOSTILE_FOLDER = "<b>'run'"


class PageParser(HTMLParser):
    """Checks that all elements are closed, and collects elements and texts."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.open_tags: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page.decode())
        self.close()
        assert self.open_tags == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID_ELEMENTS:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def find_all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_small_run(tmp_path_factory.mktemp("runs") / "a <run>", extra_changes=("crowd.kind=both",))


@pytest.fixture(scope="module")
def page(run: Run) -> bytes:
    return render_training_report(run, render_empty_images)


def read_result(run: Run) -> dict[str, Any]:
    assert run.result is not None
    return run.result


def test_page_is_self_contained(page: bytes) -> None:
    parser = PageParser(page)
    assert len(page) < MAX_PAGE_BYTES
    assert not re.search(rb"(src|href|srcset)=\"(?!data:)", page)
    assert b"url(" not in page
    assert b"@import" not in page
    assert not re.search(rb"https?://(?!www\.w3\.org)", page)
    assert [attributes for attributes in parser.find_all("img") if not attributes.get("alt")] == []
    assert len(parser.find_all("img")) == 6
    assert {attributes["scope"] for attributes in parser.find_all("th")} == {"row", "col"}
    assert {attributes.get("http-equiv") for attributes in parser.find_all("meta")} == {None, "Content-Security-Policy"}


def test_page_shows_the_results_of_the_files(run: Run, page: bytes) -> None:
    text, result = PageParser(page).text, read_result(run)
    for metric in ("lines", "score", "pieces"):
        mean, _, interval = format_held_out_mean(result, metric).partition(" ")
        assert f"{mean} {interval}" in text
    assert "not used for training or selection" in text
    assert all(metric in text for metric in result["finalists"])
    assert "Crowd compared with its experts" in text
    assert format_number(result["crowd"]["average expert"]) in text
    assert f"numpy {run.meta['versions']['numpy']}" in text
    assert 'features = ["piece_top", "holes", "bumpiness", "lines"]' in text
    assert "piece top" in text
    assert text.count("1st quartile") == 1
    assert "Not finished" not in text


def test_bench_command_repeats_the_result(run: Run) -> None:
    held_out = read_result(run)["held_out"]
    command = format_bench_command(run, held_out)
    options = dict(re.findall(r"--(\w+) (\S+)", command))
    assert f"'{run.folder}'" in command  # quoted, because the name has a space
    again = evaluate(
        load_weighted_agent(run.folder),
        options["rules"],
        int(options["games"]),
        int(options["seed"]),
        max_pieces=int(options["pieces"]),
    )
    assert again.lines.to_json() == held_out["lines"]


def test_unfinished_run_of_one_generation(tmp_path: Path) -> None:
    run = mark_unfinished(train_small_run(tmp_path / "run", 1))
    text = PageParser(render_report_without_pictures(run)).text
    assert "Not finished (stopped)." in text
    assert "tetrion train --resume" in text
    assert "the best in validation so far" in text
    assert "Finalists" not in text


def test_seeds_are_compared_and_linked(tmp_path: Path) -> None:
    runs = [train_small_run(tmp_path / f"seed-{seed}", 2, seed) for seed in range(2)]
    runs.append(mark_unfinished(train_small_run(tmp_path / "seed-2", 2, 2)))
    parser = PageParser(render_seeds_report(runs, tmp_path / "elsewhere" / "page.html"))
    assert [link["href"] for link in parser.find_all("a")] == [f"../seed-{seed}/report.html" for seed in range(3)]
    assert "1 of 3 runs have not finished" in parser.text
    assert format_held_out_mean(read_result(runs[1]), "lines") in parser.text


def test_animation_is_drawn_without_compiling_and_pictures_are_counted(run: Run) -> None:
    """The report compiles no further function: `play_pieces` and others of a `Game` are not called."""
    pictures: list[GameImages] = []
    counts: list[int] = []

    def render_game(agent: WeightedAgent, rules: Rules, seed: int) -> GameImages:
        pictures.append(render_game_images(agent, rules, seed))
        return pictures[-1]

    with (
        patch("tetrion.lab.training_report._ANIMATION_PIECES", 8),
        patch("tetrion.game.Game.__init__", side_effect=AssertionError("a Game compiles functions")),
    ):
        render_training_report(run, render_game, lambda: counts.append(1))
    (images,) = pictures
    assert len(counts) == count_report_pictures(run) == 5
    assert make_data_url(images.gif).startswith("data:image/gif;base64,")
    assert make_data_url(images.png).startswith("data:image/png;base64,")


@needs_browser
def test_button_stops_the_animation(page: bytes, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(page)
    find_visible = "[...document.querySelectorAll('.game img')].filter((e) => e.offsetParent).map((e) => e.className)"
    browser.errors.clear()
    browser.open_page(tmp_path / "page.html")
    for text, visible in (("Play", ["still"]), ("Stop", ["moving"])):
        browser.click(".game button")
        assert browser.evaluate("document.querySelector('.game button').textContent") == text
        assert browser.evaluate(find_visible) == visible
    assert browser.errors == []


def test_long_table_is_collapsed_and_leaves_rows_out(tmp_path: Path) -> None:
    run = train_small_run(tmp_path / "run", 13)
    with patch("tetrion.lab.training_report._MAX_TABLE_ROWS", 5):
        short = PageParser(render_report_without_pictures(run)).text
    assert "the best is highlighted. One of every 3 rows is shown; metrics.csv has all." in short


@pytest.mark.parametrize(
    ("recipe", "text"),
    [
        ("medico-tuned", "the weights depend on the board's mode"),  # more parameters than fit next to the game
        ("record-tables", "piecewise-linear"),
    ],
)
def test_pages_of_other_agents(recipe: str, text: str, tmp_path: Path) -> None:
    games = {"max_pieces": [20], "count": 1, "halving_rounds": 0}
    validation = {"max_pieces": 20, "games": 1, "final_games": 3}
    settings = {"generations": 1, "population": 4, "games": games, "validation": validation}
    run = train(recipe, tmp_path / "run", workers=1, changes=settings)
    assert text in PageParser(render_report_without_pictures(run)).text


def test_texts_from_files_are_escaped(run: Run, tmp_path: Path) -> None:
    shutil.copytree(run.folder, tmp_path / HOSTILE_FOLDER)
    config = tmp_path / HOSTILE_FOLDER / "config.toml"
    text = re.sub(r'^(name|summary) = ".*"$', rf'\1 = "{HOSTILE_TEXT}"', config.read_text("utf-8"), flags=re.MULTILINE)
    config.write_text(text, encoding="utf-8")
    hostile_run = Run(tmp_path / HOSTILE_FOLDER)
    assert hostile_run.recipe.name == hostile_run.recipe.summary == HOSTILE_TEXT
    result = hostile_run.folder / "result.json"
    result.write_text(result.read_text("utf-8").replace('"note": ""', f'"note": "{HOSTILE_TEXT}"'), encoding="utf-8")
    for page in (
        render_report_without_pictures(hostile_run),
        render_seeds_report([hostile_run], tmp_path / "page.html"),
    ):
        parser = PageParser(page)
        assert HOSTILE_TEXT in parser.text
        assert HOSTILE_FOLDER.encode() not in page
        assert "b" not in {tag for tag, _ in parser.tags}
        assert page.count(b"</title>") == 1
