"""The literature: published numbers are transcribed consistently, calculations give known results, a few games."""

from pathlib import Path

import numpy as np
import pytest

from tetrion.evaluation import start_threads
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_number
from tetrion.papers import PAPERS
from tetrion.papers.literature import measure
from tetrion.papers.literature.measure import (
    MDP_TETRIS_MEANS,
    PUBLISHED_MEANS,
    PUBLISHED_MEANS_ON_TEN_ROWS,
    wells_with_all_cells_below,
)
from tetrion.papers.measurements import MeasurementContext

PAPER = PAPERS["literature"]
LOGGED_LINES = {  # of MdpTetris: mean of 30 games of the mean weights after generation 80, of ten runs
    "none": (116, 248, 400, 466, 1478, 1944, 348, 231, 312, 227),
    "constant": (76_602, 132_962, 80_441, 79_870, 147_344, 98_575, 88_018, 100_188, 92_879, 131_821),
    "decreasing": (157_410, 3002, 126_747, 24_974, 4040, 113_415, 49_988, 6547, 129_674, 118_205),
}


@pytest.mark.parametrize("noise", LOGGED_LINES)
def test_logs_of_cross_entropy_are_transcribed(noise: str) -> None:
    claim = PAPER.get_claim(f"log-{noise}")
    means = np.array(LOGGED_LINES[noise])
    interval = compute_mean_interval(means)
    assert interval == pytest.approx((claim.criterion.parameters["low"], claim.criterion.parameters["high"]), rel=2e-3)
    numbers = (means.mean(), *(interval or ()), means.min(), means.max())
    assert claim.quotation.startswith("mean of ten runs ")
    assert all(format_number(number, 0) in claim.quotation for number in numbers)


def test_figures_show_the_means_that_are_judged() -> None:
    claims = {claim.name: claim for claim in PAPER.claims}
    for rows, means in ((20, PUBLISHED_MEANS), (10, PUBLISHED_MEANS_ON_TEN_ROWS)):
        for name, published in means.items():
            claim = claims.get(f"{name}-10x{rows}-table", claims[f"{name}-10x{rows}"])
            assert published.lines == claim.criterion.parameters["value"]
            assert published.margin == claim.criterion.parameters.get("margin", 0.2)
            assert f"{published.lines:,.0f}" in claim.quotation


def test_means_of_mdptetris_in_the_appendix_are_those_that_are_compared() -> None:
    assert PAPER.folder is not None
    text = (PAPER.folder / "tables.md.jinja").read_text("utf-8")
    for name, (mean, (low, high)) in MDP_TETRIS_MEANS.items():
        margin = (high - low) / 2
        assert f'("{name.replace("-", "_")}", "{mean:,.0f} ± {margin:,.0f}")' in text
    same = [
        {"method": "splitting", "lines": {"mean": mean, "ci95": ends}, "pieces_played": 1}
        for mean, ends in MDP_TETRIS_MEANS.values()
    ]
    assert [ratio.value for ratio in measure.ratios_to_mdptetris(*same)] == [1] * len(MDP_TETRIS_MEANS)


def test_wells_of_the_documentation_of_mdptetris() -> None:
    drawing = ("...X....", "...XX...", ".X.XX...", ".XXXXX.X", ".XXXXX.X", "XXXXX..X", "...XXX.X", "X.X..X.X")

    class Example:
        """The board of the example, eight columns wide, between two full columns."""

        rows = len(drawing)
        columns = tuple(
            sum((row[column] == "X") << height for height, row in enumerate(reversed(drawing)))
            for column in range(len(drawing[0]))
        )

    expected = {0: 3 + 2 + 1, 1: 1, 2: 1, 6: 5 + 4 + 3 + 2 + 1}  # the last one is 12 as Dellacherie's feature
    full = (1 << (Example.rows + 4)) - 1
    Example.columns = (*Example.columns, full, full)
    assert wells_with_all_cells_below(Example()) == sum(expected.values())  # type: ignore[arg-type]


def test_alternating_game_has_known_length(tmp_path: Path) -> None:
    expected = {"dellacherie-alternating": 253, "du-alternating": 67}  # pieces
    with start_threads(1) as workers:
        context = MeasurementContext(tmp_path, 1, True, workers)
        found = {part.name: part.measure(context) for part in measure.MEASUREMENTS if part.name in expected}
    assert {name: games["pieces"]["max"] for name, games in found.items()} == expected
