"""Reports: pages that stand alone, are well formed, and say what the run's own files say."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from lab.small_runs import mark_unfinished, render_empty_images, train_small_run
from tetrion.agents import load_weighted_agent
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation import evaluate
from tetrion.evaluation.number_format import format_number
from tetrion.lab.html_elements import make_data_url, render_bar, render_table
from tetrion.lab.run_summary import format_held_out_mean
from tetrion.lab.seeds_report import render_seeds_report
from tetrion.lab.training_report import format_bench_command, render_game_images, render_training_report
from tetrion.training.run import Run
from tetrion.training.trainer import train

EMPTY = {"meta", "img", "source"}
LARGEST = 3_000_000  # bytes


class PageParser(HTMLParser):
    """Checks that all that is opened is closed, and notes what there is."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page.decode())
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def every(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_small_run(tmp_path_factory.mktemp("runs") / "a <run>", more=("crowd.kind=both",))


@pytest.fixture(scope="module")
def page(run: Run) -> bytes:
    return render_training_report(run, render_empty_images)


def read_result(run: Run) -> dict[str, Any]:
    assert run.result is not None
    return run.result


def test_the_page_stands_alone(page: bytes) -> None:
    read = PageParser(page)
    assert len(page) < LARGEST
    assert not re.search(rb"(src|href|srcset)=\"(?!data:)", page)
    assert b"url(" not in page
    assert b"@import" not in page
    assert not re.search(rb"https?://(?!www\.w3\.org)", page)
    assert [attributes for attributes in read.every("img") if not attributes.get("alt")] == []
    assert len(read.every("img")) == 6
    assert {attributes["scope"] for attributes in read.every("th")} == {"row", "col"}
    assert "http-equiv" not in str(read.tags)


def test_the_same_run_gives_the_same_page(run: Run, page: bytes) -> None:
    assert render_training_report(Run(run.folder), render_empty_images) == page


def test_the_figures_are_those_of_the_files(run: Run, page: bytes) -> None:
    words, result = PageParser(page).words, read_result(run)
    for name in ("lines", "score", "pieces"):
        mean, _, interval = format_held_out_mean(result, name).partition(" ")
        assert f"{mean} {interval}" in words
    assert "neither trained nor chose anybody" in words
    assert all(name in words for name in result["finalists"])
    assert "The crowd beside its experts" in words
    assert format_number(result["crowd"]["average expert"]) in words
    assert f"numpy {run.meta['versions']['numpy']}" in words
    assert 'features = ["piece_top", "holes", "bumpiness", "lines"]' in words
    assert "piece top" in words
    assert words.count("1st quartile") == 1
    assert "Not finished" not in words


def test_the_command_repeats_the_figure(run: Run) -> None:
    held_out = read_result(run)["held_out"]
    given = format_bench_command(run, held_out)
    options = dict(re.findall(r"--(\w+) (\S+)", given))
    assert f"'{run.folder}'" in given  # quoted, for its name has a space
    again = evaluate(
        load_weighted_agent(run.folder),
        options["rules"],
        int(options["games"]),
        int(options["seed"]),
        max_pieces=int(options["pieces"]),
    )
    assert again.lines.to_json() == held_out["lines"]


def test_a_limit_of_lines_is_part_of_the_command(tmp_path: Path) -> None:
    run = train_small_run(tmp_path / "run", 1, more=("games.max_lines=7",))
    assert format_bench_command(run, read_result(run)["held_out"]).count("--lines 7") == 1


def test_unfinished_runs_of_one_generation(tmp_path: Path) -> None:
    run = mark_unfinished(train_small_run(tmp_path / "run", 1))
    words = PageParser(render_training_report(run, render_empty_images)).words
    assert "Not finished (stopped)." in words
    assert "tetrion train --resume" in words
    assert "the best judged so far" in words
    assert "The final" not in words


def test_a_run_without_its_notes(run: Run, tmp_path: Path) -> None:
    shutil.copytree(run.folder, tmp_path / "run")
    (tmp_path / "run" / "meta.json").unlink()
    words = PageParser(render_training_report(Run(tmp_path / "run"), render_empty_images)).words
    assert format_held_out_mean(read_result(run), "score") in words
    assert "training took –" in words


def test_a_run_that_diverged_says_so(run: Run, tmp_path: Path) -> None:
    shutil.copytree(run.folder, tmp_path / "run")
    result = tmp_path / "run" / "result.json"
    text = result.read_text("utf-8").replace('"note": ""', '"note": "Weights <ran> away."')
    result.write_text(text, encoding="utf-8")
    page = render_training_report(Run(tmp_path / "run"), render_empty_images)
    assert "Weights <ran> away." in PageParser(page).words
    assert b"Weights &lt;ran&gt; away." in page


def test_seeds_are_compared_and_linked(tmp_path: Path) -> None:
    runs = [train_small_run(tmp_path / f"seed-{seed}", 2, seed) for seed in range(2)]
    runs.append(mark_unfinished(train_small_run(tmp_path / "seed-2", 2, 2)))
    read = PageParser(render_seeds_report(runs, tmp_path / "elsewhere" / "page.html"))
    assert [link["href"] for link in read.every("a")] == [f"../seed-{seed}/report.html" for seed in range(3)]
    assert "1 of 3 have not finished" in read.words
    assert format_held_out_mean(read_result(runs[1]), "lines") in read.words


def test_the_moving_picture_is_of_the_agent(run: Run) -> None:
    with patch("tetrion.lab.training_report._ANIMATION_PIECES", 8):
        pictures = render_game_images(run.best_agent, Rules.parse(run.recipe.rules), 0)
    assert make_data_url(pictures.gif).startswith("data:image/gif;base64,")
    assert make_data_url(pictures.png).startswith("data:image/png;base64,")


def test_pieces_of_a_page() -> None:
    assert make_data_url(b"RIFF0000WEBP").startswith("data:image/webp")
    with pytest.raises(TetrionError, match="GIF, PNG, WebP or SVG"):
        make_data_url(b"BM00")
    assert "left:25.0%;width:25.0%" in render_bar(-1, 2, is_signed=True)
    assert 'class="loss"' in render_bar(-1, 2, is_signed=True)
    assert "left:0.0%;width:50.0%" in render_bar(1, 2, is_signed=False)
    assert "width:0.0%" in render_bar(0, 0, is_signed=True)
    assert 'class="best"' in render_table(["a", "b"], [["1", "2"]], row_classes={0: "best"})


def test_figures_of_an_episode_are_told_from_weights_of_the_same_name(tmp_path: Path) -> None:
    recipe = tmp_path / "learn.toml"
    settings = "[q-learning]\nepisodes = 3\npieces = 40\nlimit = 1e9\n[judge]\ngames = 1\npieces = 50\nfinal = 3\n"
    recipe.write_text(f'format = 1\nrules = "tetrais"\nlearner = "q-learning"\n{settings}', encoding="utf-8")
    run = train(recipe, tmp_path / "run", workers=1)
    assert run.parameter_names[0] == "lines"
    assert (run.metrics["lines"] >= 0).all()
    words = PageParser(render_training_report(run, render_empty_images)).words
    assert "Episodes" in words
    assert words.count("Points") == 2  # of the held-out games, and a column
