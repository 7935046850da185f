"""The plots: files that open, and pixels in the colours of their agents."""

import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from tetrion.drawing.palette import GROUND, SERIES, series
from tetrion.engine.play import CAPPED, OVER, new_games
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation import Evaluation
from tetrion.lab.plots import Scale, distributions, drawing, picture


def result(agent: str, mean: float, games: int = 300, cap: float | None = None, points: int = 1) -> Evaluation:
    played = new_games(games, 0)
    lengths = np.random.default_rng(len(agent)).exponential(mean, games)
    played["status"] = OVER
    if cap is not None:
        played["status"][lengths > cap] = CAPPED
        lengths = np.minimum(lengths, cap)
    played["lines"] = lengths
    played["score"] = played["lines"] * points
    played["pieces"] = played["lines"] * 5 // 2
    return Evaluation.of(agent, Rules.preset("standard"), 0, played, 1.0, stopped=False)


def pixels(results: list[Evaluation]) -> Any:
    return (imread(io.BytesIO(picture(results, "png")))[:, :, :3] * 255).round().astype(int)


def share(image: Any, color: str) -> float:
    """How much of an image is near a colour."""
    wanted = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)])
    return float((np.abs(image - wanted).max(axis=2) <= 6).mean())


def words_of(results: list[Evaluation]) -> list[str]:
    drawn = drawing(results)
    texts = [*drawn.texts, *(text for axes in drawn.axes for text in axes.texts)]
    return [text.get_text() for text in texts] + [axes.get_title(loc="left") for axes in drawn.axes]


def test_colours_are_the_agents() -> None:
    image = pixels([result("a", 100), result("bb", 200)])
    assert share(image, GROUND) > 0.7
    assert (image[[0, 0, -1, -1], [0, -1, 0, -1]] == [0x0E, 0x11, 0x16]).all()
    assert share(image, series(0)) > 0.001
    assert share(image, series(1)) > 0.001
    assert share(image, series(2)) == 0
    assert series(len(SERIES)) == series(0)


def test_a_panel_for_the_score_where_it_is_not_the_lines() -> None:
    assert len(drawing([result("a", 100)]).axes) == 1
    both = [result("a", 100, points=40)]
    assert len(drawing(both).axes) == 2
    assert {"Lines a game", "Score a game"} <= set(words_of(both))


def test_orders_of_magnitude_make_the_scale_logarithmic() -> None:
    assert "Lines a game" in words_of([result("a", 1000), result("b", 3000)])
    far = [result("a", 5), result("b", 5000)]
    assert "Lines a game (logarithmic scale)" in words_of(far)
    for number in far:
        scale = Scale.of([number.lines for number in far], 300)
        counts, _ = np.histogram(number.per_game["lines"], scale.edges())
        assert counts.sum() == 300  # zeros included
    assert (np.diff(scale.places_of_edges(scale.edges())) > 0).all()


def test_capped_games_are_marked() -> None:
    words = words_of([result("a", 100, cap=120), result("b", 100, cap=0.5)])
    assert any(text.endswith(" *") and text[0].isdigit() for text in words)
    assert any("hatched: games that were cut short" in text for text in words)
    assert not any("hatched" in text for text in words_of([result("a", 100)]))


@pytest.mark.parametrize(
    "results",
    [
        [result("one", 100, games=1)],
        [result("none", 0.01)],
        [result("capped", 1e6, cap=100)],
        [result("capped", 1e9, cap=10), result("weak", 3)],
        [result("a" * 40, 3e7, points=1200)],
        [result(f"agent {number}", 4.0**number) for number in range(12)],
    ],
    ids=["one game", "no lines", "no deaths", "no deaths and weak", "long name", "twelve agents"],
)
def test_odd_results_are_drawn(results: list[Evaluation]) -> None:
    image = pixels(results)
    assert image.shape[1] > image.shape[0] / 2
    assert share(image, series(0)) > 0.0002


@pytest.mark.parametrize("name", ["plot.png", "plot.svg", "PLOT.PDF"])
def test_files(name: str, tmp_path: Path) -> None:
    results, file = [result("a", 100), result("b", 150)], tmp_path / name
    distributions(results, file)
    content = file.read_bytes()
    assert content == picture(results, file.suffix.lower()[1:])  # equal results, equal bytes
    assert content.startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[file.suffix.lower()])
    if file.suffix == ".svg":
        assert ElementTree.fromstring(content).tag.endswith("svg")


@pytest.mark.parametrize("name", ["plot.jpg", "plot", ".png.txt"])
def test_other_endings_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TetrionError, match=r"\.png, \.svg or \.pdf"):
        distributions([result("a", 100)], tmp_path / name)
