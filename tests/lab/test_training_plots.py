"""Plots of runs: what they show, that odd runs can be drawn, and that equal runs give equal bytes."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.small_runs import mark_unfinished, train_small_run
from tetrion.drawing.chart_ticks import MIN_LABEL_DISTANCE, choose_round_values, choose_step_ticks, spread_labels
from tetrion.errors import RunError
from tetrion.lab.figure_charts import Chart, FigureSize, apply_chart_style, measure_text_width, wrap_text
from tetrion.lab.run_summary import (
    compute_held_out_fitness,
    compute_held_out_interval,
    compute_running_mean,
    get_held_out_mean,
)
from tetrion.lab.training_plots import DEFAULT_PLOT_SIZE, Plot, make_run_plots, make_seeds_plot
from tetrion.training.run import Run
from tetrion.training.trainer import create_run

NAMES = ["individuals", "quartiles", "weights", "held-out"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_small_run(tmp_path_factory.mktemp("runs") / "run")


def find_texts(plot: Plot) -> list[str]:
    with apply_chart_style():
        drawn = plot.draw(DEFAULT_PLOT_SIZE)
    texts = [*drawn.texts, *(text for axes in drawn.axes for text in axes.texts)]
    return [text.get_text() for text in texts]


def copy_with_metrics(run: Run, folder: Path, edit: Any) -> Run:
    """A copy of a run whose metrics are edited, a list of cells a row."""
    shutil.copytree(run.folder, folder)
    head, *rows = (folder / "metrics.csv").read_text("utf-8").splitlines()
    edited = [",".join(edit(head.split(","), row.split(","))) for row in rows]
    (folder / "metrics.csv").write_text("\n".join([head, *edited]) + "\n", encoding="utf-8")
    return Run(folder)


def test_names_and_last_values_stand_at_the_ends(run: Run) -> None:
    plots = dict(zip(NAMES, make_run_plots(run), strict=True))
    assert [plot.name for plot in plots.values()] == NAMES
    words = find_texts(plots["weights"])
    assert {"piece top", "holes", "bumpiness", "lines"} <= set(words)
    last = run.incumbents[-1]
    assert {f"{number:.2f}".replace("-", "−") for number in last} <= set(words)
    assert {"Mean", "1st quartile", "3rd quartile"} <= set(find_texts(plots["quartiles"]))
    assert "Result" in find_texts(plots["held-out"])
    assert not any("_" in word for plot in plots.values() for word in find_texts(plot))


def test_a_rise_of_the_most_pieces_is_marked(run: Run, tmp_path: Path) -> None:
    risen = copy_with_metrics(
        run, tmp_path / "risen", lambda heads, row: [row[0], "20" if row[0] == "1" else "60", *row[2:]]
    )
    assert "up to 60 pieces" in find_texts(make_run_plots(risen)[0])
    level = copy_with_metrics(run, tmp_path / "level", lambda heads, row: [row[0], "20", *row[2:]])
    assert not any("pieces" in word for word in find_texts(make_run_plots(level)[0]))


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_equal_runs_give_equal_bytes(run: Run, ending: str) -> None:
    first, again = (make_run_plots(Run(run.folder))[0].render(ending, FigureSize(300, 200)) for _ in range(2))
    assert first == again
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])


def test_one_generation_says_when_lines_appear(tmp_path: Path) -> None:
    individuals, *others = make_run_plots(train_small_run(tmp_path / "one", generations=1))
    assert "Best" in find_texts(individuals)
    for plot in others:
        assert "Appears after the second generation." in find_texts(plot)


def test_unfinished_and_never_judged_runs(run: Run, tmp_path: Path) -> None:
    shutil.copytree(run.folder, tmp_path / "stopped")
    stopped = find_texts(make_run_plots(mark_unfinished(Run(tmp_path / "stopped")))[-1])
    assert "Favourite" in stopped
    assert "Result" not in stopped

    def forget(heads: list[str], row: list[str]) -> list[str]:
        return ["" if head == "validation" else value for head, value in zip(heads, row, strict=True)]

    words = find_texts(make_run_plots(copy_with_metrics(run, tmp_path / "never", forget))[-1])
    assert "Result" in words
    assert any("No favourite was judged" in word for word in words)


def test_many_weights_show_the_largest(tmp_path: Path) -> None:
    features = [
        *("holes", "lines", "bumpiness", "wells", "hole_depth", "max_height", "min_height", "landing_height"),
        *("eroded_cells", "diversity", "piece_top", "row_transitions", "column_transitions", "rows_with_holes"),
    ]
    many = train_small_run(tmp_path / "many", 2, more=(f"agent.features={features}".replace("'", '"'),))
    words = find_texts(make_run_plots(many)[2])
    assert "The 12 largest of 14" in words
    left_out = [features[place].replace("_", " ") for place in np.argsort(np.abs(many.incumbents[-1]))[:2]]
    assert not set(left_out) & set(words)


def test_seeds_are_compared(run: Run, tmp_path: Path) -> None:
    other = train_small_run(tmp_path / "other", 2, seed=1)
    assert {"Seed 0", "Seed 1", "Mean"} <= set(find_texts(make_seeds_plot([run, other])))
    crowd = [run] * 14
    assert {"Best", "Mean", "Worst"} <= set(find_texts(make_seeds_plot(crowd)))


def test_nothing_to_draw_before_the_first_generation(tmp_path: Path) -> None:
    begun = Run(create_run("gavrilov", tmp_path / "begun"))
    for draw in (lambda: make_run_plots(begun), lambda: make_seeds_plot([begun])):
        with pytest.raises(RunError, match="nothing to draw"):
            draw()


def test_numbers_that_are_cut_short_are_counted_as_they_are(run: Run) -> None:
    result = {"uncorrected": {"lines": {"mean": 20.0, "ci95": [18.0, 22.0]}, "pieces": {"mean": 50.0, "ci95": None}}}
    assert get_held_out_mean(result, "lines") == 20
    assert compute_held_out_interval(run, result) == (18, 22)
    rate = replace(run.recipe, games=replace(run.recipe.games, fitness="lines-per-piece"))
    copy = Run(run.folder)
    copy.recipe = rate
    assert compute_held_out_fitness(copy, result) == pytest.approx(0.4)
    assert compute_held_out_interval(copy, result) is None


def test_names_are_moved_apart_and_keep_their_order() -> None:
    heights = [10.0, 11.0, 12.0, 200.0, 199.0]
    moved = spread_labels(heights, 0, 200)
    assert (np.diff(np.sort(moved)) >= MIN_LABEL_DISTANCE - 1e-9).all()
    assert np.argsort(moved, kind="stable").tolist() == np.argsort(heights, kind="stable").tolist()
    assert max(moved) == 200
    assert spread_labels([], 0, 1) == []


def test_scales() -> None:
    assert choose_step_ticks(7, 10) == [1, 2, 3, 4, 5, 6, 7]
    assert choose_step_ticks(30, 10) == [1, 5, 10, 15, 20, 25, 30]
    assert choose_step_ticks(300, 4) == [1, 100, 200, 300]
    assert choose_round_values(0, 340) == [0, 100, 200, 300]
    assert choose_round_values(-10.5, 9) == [-10, -5, 0, 5]
    assert compute_running_mean(np.array([2.0, 4.0, 6.0, 8.0]), 2).tolist() == [2, 3, 5, 7]
    chart = Chart(FigureSize(300, 200), "Title", "", 3)
    chart.choose_scale(np.array([1.0, 2.0, 1000.0]))
    assert chart.is_logarithmic
    chart.choose_scale(np.array([1.0, 2.0, 30.0, np.nan]))
    assert not chart.is_logarithmic


def test_words_are_wrapped_by_their_width() -> None:
    with apply_chart_style():
        lines = wrap_text("a few words that need more than one line", 90)
        assert " ".join(lines) == "a few words that need more than one line"
        assert len(lines) > 2
        assert all(measure_text_width(line) <= 90 for line in lines)
