"""Distribution plots: readable files, and pixels in the colours of the agents; the colours of the light theme."""

import io
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from matplotlib.text import Text

from tetrion.drawing.palette import BACKGROUND, SERIES_COLOURS, get_series_colour
from tetrion.engine.batch_play import make_games
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation import Evaluation
from tetrion.lab.distribution_plot import (
    compute_bin_edges,
    draw_distribution_figure,
    render_distribution_plot,
    validate_plot_file_type,
)
from tetrion.lab.figure_charts import apply_chart_style, get_text_scale


def make_evaluation(agent: str, mean: float, games: int = 300, cap: float | None = None, points: int = 1) -> Evaluation:
    played = make_games(games, 0)
    lengths = np.random.default_rng(len(agent)).exponential(mean, games)
    played["status"] = STATUS_OVER
    if cap is not None:
        played["status"][lengths > cap] = STATUS_CAPPED
        lengths = np.minimum(lengths, cap)
    played["lines"] = lengths
    played["score"] = played["lines"] * points
    played["pieces"] = played["lines"] * 5 // 2
    return Evaluation.from_games(agent, Rules("standard"), 0, played, seconds=1.0)


def render_pixels(results: list[Evaluation], theme: str = "dark") -> Any:
    content = render_distribution_plot(results, "png", theme=theme)
    return (imread(io.BytesIO(content))[:, :, :3] * 255).round().astype(int)


def compute_colour_share(image: Any, color: str) -> float:
    """Return the share of pixels that are close to a colour."""
    expected = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)])
    return float((np.abs(image - expected).max(axis=2) <= 6).mean())


def find_texts(results: list[Evaluation]) -> list[str]:
    with apply_chart_style():
        figure = draw_distribution_figure(results)
    return [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]


def test_pixels_have_the_agents_colours() -> None:
    image = render_pixels([make_evaluation("a", 100), make_evaluation("bb", 200)])
    assert compute_colour_share(image, BACKGROUND) > 0.7
    assert (image[[0, 0, -1, -1], [0, -1, 0, -1]] == [0x0E, 0x11, 0x16]).all()
    assert compute_colour_share(image, get_series_colour(0)) > 0.001
    assert compute_colour_share(image, get_series_colour(1)) > 0.001
    assert compute_colour_share(image, get_series_colour(2)) == 0
    assert get_series_colour(len(SERIES_COLOURS)) == get_series_colour(0)


def test_score_panel_only_if_score_differs_from_lines() -> None:
    both = [make_evaluation("a", 100, points=40)]
    with apply_chart_style():
        assert len(draw_distribution_figure([make_evaluation("a", 100)]).axes) == 1
        assert len(draw_distribution_figure(both).axes) == 2
    assert {"Lines per game", "Score per game"} <= set(find_texts(both))


def test_scale_is_logarithmic_for_different_orders_of_magnitude() -> None:
    assert "Lines per game" in find_texts([make_evaluation("a", 1000), make_evaluation("b", 3000)])
    results = [make_evaluation("a", 5), make_evaluation("b", 5000)]
    assert "Lines per game (logarithmic scale)" in find_texts(results)


@pytest.mark.parametrize("is_logarithmic", [False, True])
def test_every_game_is_in_a_bin(is_logarithmic: bool) -> None:
    samples = [make_evaluation(name, mean).per_game["lines"] for name, mean in (("a", 5), ("b", 5000), ("c", 3e7))]
    edges = compute_bin_edges(samples, is_logarithmic)
    assert (np.diff(edges) > 0).all()
    for sample in samples:
        assert np.histogram(sample, edges)[0].sum() == 300  # zeros included


def test_capped_games_are_marked() -> None:
    texts = find_texts([make_evaluation("a", 100, cap=120), make_evaluation("b", 100, cap=0.5)])
    assert any(text.endswith(" *") and text[0].isdigit() for text in texts)
    assert any("Hatched: capped games" in text for text in texts)
    assert not any("Hatched" in text for text in find_texts([make_evaluation("a", 100)]))


@pytest.mark.parametrize(
    "results",
    [
        [make_evaluation("one", 100, games=1)],
        [make_evaluation("none", 0.01), make_evaluation("capped", 1e9, cap=10)],
        [make_evaluation(f"{'agent' * 8} {number}", 4.0**number, points=1200) for number in range(4)],
    ],
    ids=["one game", "no lines and no deaths", "agents with long names"],
)
def test_unusual_results_are_drawn(results: list[Evaluation]) -> None:
    image = render_pixels(results)
    assert image.shape[1] > image.shape[0] / 2
    assert compute_colour_share(image, get_series_colour(0)) > 0.0002


@pytest.mark.parametrize("name", ["plot.png", "plot.svg", "PLOT.PDF"])
def test_plot_file_content_matches_its_ending(name: str) -> None:
    results = [make_evaluation("a", 100), make_evaluation("b", 150)]
    file_type = validate_plot_file_type(name)
    content = render_distribution_plot(results, file_type, theme="light")
    assert content == render_distribution_plot(results, file_type, theme="light")  # equal results, equal bytes
    assert content.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[file_type])
    for other in ("plot.jpg", "plot"):
        with pytest.raises(TetrionError, match=r"\.png, \.svg or \.pdf"):
            validate_plot_file_type(other)


def test_pdf_fits_a_column_and_embeds_the_font() -> None:
    results = [make_evaluation("an agent with a long name", 100, points=40), make_evaluation("b", 1e6, points=40)]
    content = render_distribution_plot(results, "pdf", theme="light")
    assert b"/MediaBox [ 0 0 252 " in content  # 3.5 inches
    assert b"/Subtype /TrueType" in content or b"/CIDFontType2" in content
    assert b"SourceSansPro-Regular" in content
    assert b"/Type3" not in content
    assert b"DejaVu" not in content
    assert b"/Subtype /Image" not in content
    with pytest.raises(TetrionError, match=r"^width must be a number of inches from 3 to 20; given"):
        render_distribution_plot(results, "pdf", width=-1)
    with pytest.raises(TetrionError, match=r"Unknown theme 'ligth'\. Did you mean 'light'"):
        render_distribution_plot(results, "png", theme="ligth")


def test_texts_of_a_narrow_plot_do_not_overlap() -> None:
    width = 3
    results = [make_evaluation(f"agent {number}", 40.0**number, points=40) for number in range(1, 4)]
    with apply_chart_style(get_text_scale(width)):
        figure = draw_distribution_figure(results, width)
        figure.draw_without_rendering()
        boxes = [
            text.get_window_extent()
            for text in figure.findobj(Text)
            if isinstance(text, Text) and text.get_text() and text.get_visible()
        ]
    limits = figure.bbox
    assert all(limits.x0 <= box.x0 and box.x1 <= limits.x1 + 1 and box.y1 <= limits.y1 for box in boxes)
    overlaps = [(first, second) for first, second in combinations(boxes, 2) if first.shrunk(0.9, 0.9).overlaps(second)]
    assert overlaps == []
