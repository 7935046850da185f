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
from tetrion.errors import RunError, TetrionError
from tetrion.lab.figure_charts import Chart, FigureSize, apply_chart_style
from tetrion.lab.run_summary import (
    compute_running_mean,
)
from tetrion.lab.training_plots import DEFAULT_PLOT_SIZE, Plot, make_run_plots, make_seeds_plot
from tetrion.training.run import Run
from tetrion.training.trainer import create_run

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


def test_changes_of_the_piece_limit_are_marked(run: Run, tmp_path: Path) -> None:
    risen = copy_with_metrics(
        run, tmp_path / "risen", lambda headers, row: [row[0], "20" if row[0] == "1" else "60", *row[2:]]
    )
    assert "up to 60 pieces" in find_texts(make_run_plots(risen)[0])
    constant = copy_with_metrics(run, tmp_path / "level", lambda headers, row: [row[0], "20", *row[2:]])
    assert not any("pieces" in text for text in find_texts(make_run_plots(constant)[0]))


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
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
    width = 3.5
    for plot in make_run_plots(run)[1:3]:
        dark, light = (plot.render("png", theme=theme, width=width) for theme in ("dark", "light"))
        images = [imread(io.BytesIO(content))[:, :, :3] for content in (dark, light)]
        assert images[0].shape == images[1].shape
        assert abs(images[0].shape[1] - width * 192) <= 2
        assert np.allclose(images[0][0, 0], [0x15 / 255, 0x19 / 255, 0x20 / 255])
        assert (images[1][0, 0] == 1).all()
        assert images[1].mean() > 0.85  # mostly white


def test_annotations_of_the_piece_limit_do_not_overlap(run: Run, tmp_path: Path) -> None:
    limits = {"1": "20", "2": "60", "3": "90"}
    risen = copy_with_metrics(run, tmp_path / "risen", lambda headers, row: [row[0], limits[row[0]], *row[2:]])
    with apply_chart_style():
        figure = make_run_plots(risen)[0].draw(FigureSize(340, 240))
        figure.draw_without_rendering()
    texts = [text for axes in figure.axes for text in axes.texts if text.get_text().endswith(("pieces", "kept"))]
    boxes = [text.get_window_extent() for text in texts]
    assert len(boxes) == 3  # two limits and the kept generation
    assert not any(box.overlaps(other) for box, other in combinations(boxes, 2))


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


def test_held_out_plot_mentions_capped_games(run: Run, tmp_path: Path) -> None:
    assert run.result is not None
    assert run.result["held_out"]["capped"] == 2
    sentence = "2 of them were capped; the mean is not corrected for this. Estimate without the cap: "
    assert sentence in " ".join(find_texts(make_run_plots(run)[-1]))
    assert "some held-out games were capped" in " ".join(find_texts(make_seeds_plot([run, run])))
    shutil.copytree(run.folder, tmp_path / "ended")
    result = json.loads((run.folder / "result.json").read_text("utf-8"))
    result["held_out"]["capped"] = 0
    (tmp_path / "ended" / "result.json").write_text(json.dumps(result), encoding="utf-8")
    assert "capped" not in " ".join(find_texts(make_run_plots(Run(tmp_path / "ended"))[-1]))


def test_plots_have_a_short_repr_and_a_picture(run: Run) -> None:
    plot = make_run_plots(run)[0]
    assert repr(plot) == "<Plot individuals: Fitness of all candidates over 3 generations>"
    assert "data:image/svg+xml;base64," in plot._repr_html_()
    with pytest.raises(TetrionError, match=r"^make_run_plots needs a Run, such as .*; given 'DIR'"):
        make_run_plots("DIR")  # type: ignore[arg-type]


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


def test_largest_of_many_weights_are_shown(tmp_path: Path) -> None:
    features = [
        *("holes", "lines", "bumpiness", "wells", "hole_depth", "max_height", "min_height", "landing_height"),
        *("eroded_cells", "diversity", "piece_top", "row_transitions", "column_transitions", "rows_with_holes"),
    ]
    many = train_small_run(tmp_path / "many", 2, extra_changes=(f"agent.features={features}".replace("'", '"'),))
    texts = find_texts(make_run_plots(many)[2])
    assert "The 12 largest of 14" in texts
    left_out = [features[index].replace("_", " ") for index in np.argsort(np.abs(many.incumbents[-1]))[:2]]
    assert not set(left_out) & set(texts)


def test_seeds_are_compared(run: Run, tmp_path: Path) -> None:
    other = train_small_run(tmp_path / "other", 2, seed=1)
    assert {"Seed 0", "Seed 1", "Mean"} <= set(find_texts(make_seeds_plot([run, other])))
    many_runs = [run] * 14
    assert {"Best", "Mean", "Worst"} <= set(find_texts(make_seeds_plot(many_runs)))


def test_runs_without_a_generation_are_rejected(tmp_path: Path) -> None:
    begun = Run(create_run("gavrilov", tmp_path / "begun"))
    for draw in (lambda: make_run_plots(begun), lambda: make_seeds_plot([begun])):
        with pytest.raises(RunError, match="nothing to draw"):
            draw()


def test_running_means_and_scales() -> None:
    assert compute_running_mean(np.array([2.0, 4.0, 6.0, 8.0]), 2).tolist() == [2, 3, 5, 7]
    chart = Chart(FigureSize(300, 200), "Title", "")
    chart.choose_scale(np.array([1.0, 2.0, 30.0, np.nan]))
    assert not chart.is_logarithmic
    chart.choose_scale(np.array([1.0, 2.0, 1000.0]))
    assert chart.is_logarithmic


@pytest.mark.parametrize("first_step", [0, 1])
def test_steps_of_a_chart_are_whole_numbers(first_step: int) -> None:
    with apply_chart_style():
        chart = Chart(FigureSize(600, 400), "Lines", "by generation", first_step=first_step)
        chart.draw_line("Mean", np.arange(4.0), "#000000")
        axes = chart.finish().axes[0]
        shown = [text.get_text() for text in axes.get_xticklabels()]
    assert [text for text in shown if 0 <= int(text.replace("−", "-")) < 9][first_step : first_step + 4] == [
        str(first_step + step) for step in range(4)
    ]


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
