"""Plots of training runs: their content, unusual runs, and equal bytes for equal runs."""

import io
import json
import re
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from matplotlib.text import Text

from tests.lab.small_runs import mark_unfinished, train_small_run
from tetrion.errors import TetrionError
from tetrion.lab.figure_charts import Chart, FigureSize, apply_chart_style
from tetrion.lab.training_plots import DEFAULT_PLOT_SIZE, Plot, make_run_plots, make_seeds_plot
from tetrion.training.run import Run

PLOT_NAMES = ["individuals", "quartiles", "weights", "held-out"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_small_run(tmp_path_factory.mktemp("runs") / "run")


def find_texts(plot: Plot) -> list[str]:
    with apply_chart_style():
        figure = plot.draw(DEFAULT_PLOT_SIZE)
    return [text.get_text().replace("\n", " ") for text in figure.findobj(Text) if isinstance(text, Text)]


def copy_with_metrics(run: Run, folder: Path, edit: Any) -> Run:
    """Return a copy of a run whose metrics are edited row by row; `edit` gets the headers and the cells."""
    shutil.copytree(run.folder, folder)
    header, *rows = (folder / "metrics.csv").read_text("utf-8").splitlines()
    edited = [",".join(edit(header.split(","), row.split(","))) for row in rows]
    (folder / "metrics.csv").write_text("\n".join([header, *edited]) + "\n", encoding="utf-8")
    return Run(folder)


def test_lines_are_labelled_with_names_and_last_values(run: Run) -> None:
    plots = dict(zip(PLOT_NAMES, make_run_plots(run), strict=True))
    assert [plot.name for plot in plots.values()] == PLOT_NAMES
    texts = find_texts(plots["weights"])
    assert {"piece top", "holes", "bumpiness", "lines"} <= set(texts)
    last = run.incumbents[-1]
    assert {f"{value:.2f}".replace("-", "−") for value in last} <= set(texts)
    assert {"Mean", "1st quartile", "3rd quartile"} <= set(find_texts(plots["quartiles"]))
    assert "Result" in find_texts(plots["held-out"])
    assert not any("_" in text for plot in plots.values() for text in find_texts(plot))


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_equal_runs_give_equal_bytes(run: Run, ending: str) -> None:
    first, again = (make_run_plots(Run(run.folder))[0].render(ending, FigureSize(300, 200)) for _ in range(2))
    assert first == again
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])


def test_pdf_fits_a_column_with_vector_points_and_embedded_font(run: Run, tmp_path: Path) -> None:
    many = copy_with_metrics(run, tmp_path / "many", lambda headers, row: row)
    for number in range(many.generation_count):
        population = many.folder / "population" / f"generation_{number + 1:05}.csv"
        header, *rows = population.read_text("utf-8").splitlines()
        population.write_text("\n".join([header, *rows * 100]) + "\n", encoding="utf-8")
    plot = make_run_plots(many)[0]
    content = plot.render("pdf", theme="light")
    width = float(re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ", content)[0])
    assert width == pytest.approx(3.5 * 72, abs=1)
    assert b"SourceSansPro-Regular" in content
    assert b"/Type3" not in content
    assert b"/Subtype /Image" not in content  # the points are not a bitmap
    assert b"<image" in plot.render("svg")
    with pytest.raises(TetrionError, match=r"^width must be a number of inches from 3 to 20; given 1"):
        plot.render("pdf", width=1)
    with pytest.raises(TetrionError, match=r"Unknown theme 'bright'\."):
        plot.render("pdf", theme="bright")


def test_narrow_plot_is_a_scaled_plot(run: Run) -> None:
    plot = make_run_plots(run)[2]
    dark, light = (plot.render("png", theme=theme, width=3.5) for theme in ("dark", "light"))
    images = [imread(io.BytesIO(content))[:, :, :3] for content in (dark, light)]
    assert images[0].shape == images[1].shape
    assert abs(images[0].shape[1] - 3.5 * 192) <= 2
    assert np.allclose(images[0][0, 0], [0x15 / 255, 0x19 / 255, 0x20 / 255])
    assert (images[1][0, 0] == 1).all()
    assert images[1].mean() > 0.85  # mostly white


def test_kept_generation_is_marked_in_all_plots(run: Run, tmp_path: Path) -> None:
    assert run.result is not None
    kept = f"{run.result['origin']} is kept"
    assert re.fullmatch(r"generation \d is kept", kept)
    for plot in make_run_plots(run):
        assert kept in find_texts(plot)
    shutil.copytree(run.folder, tmp_path / "crowd")
    result = json.loads((run.folder / "result.json").read_text("utf-8"))
    (tmp_path / "crowd" / "result.json").write_text(json.dumps(result | {"origin": "crowd (mean)"}), encoding="utf-8")
    for plot in make_run_plots(Run(tmp_path / "crowd")):
        assert not any("is kept" in text for text in find_texts(plot))


def test_held_out_plot_mentions_capped_games(run: Run) -> None:
    assert run.result is not None
    assert run.result["held_out"]["capped"] == 2
    sentence = "2 of them were capped; the mean is not corrected for this. Estimate without the cap: "
    assert sentence in " ".join(find_texts(make_run_plots(run)[-1]))
    assert "some held-out games were capped" in " ".join(find_texts(make_seeds_plot([run, run])))


def test_placeholder_is_shown_for_one_generation(tmp_path: Path) -> None:
    candidates, *others = make_run_plots(train_small_run(tmp_path / "one", generations=1))
    assert "Best" in find_texts(candidates)
    for plot in others:
        assert "Appears after the second generation." in find_texts(plot)


def test_unfinished_and_unvalidated_runs(run: Run, tmp_path: Path) -> None:
    shutil.copytree(run.folder, tmp_path / "stopped")
    stopped = find_texts(make_run_plots(mark_unfinished(Run(tmp_path / "stopped")))[-1])
    assert "Incumbent" in stopped
    assert "Result" not in stopped

    def remove_validation(headers: list[str], row: list[str]) -> list[str]:
        return ["" if header == "validation" else value for header, value in zip(headers, row, strict=True)]

    texts = find_texts(make_run_plots(copy_with_metrics(run, tmp_path / "never", remove_validation))[-1])
    assert "Result" in texts
    assert any("No incumbent was validated" in text for text in texts)


def test_seeds_are_compared(run: Run, tmp_path: Path) -> None:
    other = train_small_run(tmp_path / "other", 2, seed=1)
    assert {"Seed 0", "Seed 1", "Mean"} <= set(find_texts(make_seeds_plot([run, other])))
    many_runs = [run] * 14
    assert {"Best", "Mean", "Worst"} <= set(find_texts(make_seeds_plot(many_runs)))


def test_line_labels_do_not_overlap() -> None:
    with apply_chart_style():
        chart = Chart(FigureSize(600, 300), "Lines", "by generation", "A legend of many words " * 9)
        for number in range(8):
            chart.draw_line(f"Line {number}", np.array([0.0, 100 + number]), "#000000")
        figure = chart.finish()
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in chart.axes.texts if text.get_text().startswith("Line")]
    assert not any(box.shrunk(1, 0.7).overlaps(other.shrunk(1, 0.7)) for box, other in combinations(boxes, 2))
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
