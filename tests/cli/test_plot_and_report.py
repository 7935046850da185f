"""`tetrion plot` and `tetrion report`."""

import os
import re
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.cli.command_runner import tetrion_here
from tests.lab.small_runs import train_small_run
from tetrion.training.run import Run
from tetrion.training.trainer import create_run

PLOTS = ["held-out", "individuals", "quartiles", "weights"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_small_run(tmp_path_factory.mktemp("runs") / "run", 2)


def test_plots_are_written(run: Run) -> None:
    printed = tetrion_here("plot", str(run.folder)).stdout.splitlines()
    files = sorted((run.folder / "plots").iterdir())
    assert [file.name for file in files] == [f"{name}.png" for name in PLOTS]
    assert sorted(printed) == [str(file) for file in files]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)


def test_one_plot_is_written_to_a_file_in_the_light_theme(run: Run, tmp_path: Path) -> None:
    weights = tmp_path / "weights.pdf"
    printed = tetrion_here("plot", str(run.folder), "--theme", "light", "--out", str(weights)).stdout
    assert printed.strip() == str(weights)
    light = weights.read_bytes()
    assert light.startswith(b"%PDF")
    assert b"SourceSansPro-Regular" in light
    assert b"/Type3" not in light
    tetrion_here("plot", str(run.folder), "--out", str(weights))
    assert weights.read_bytes() != light
    other = tmp_path / "Figure 3.SVG"
    tetrion_here("plot", str(run.folder), "--only", "quartiles", "--width", "5", "--out", str(other))
    width = float(re.findall(rb'<svg [^>]*width="([\d.]+)pt"', other.read_bytes())[0])
    assert width == pytest.approx(5 * 72, abs=1)
    tetrion_here("plot", str(run.folder), "--only", "held-out", "--out", str(tmp_path / "folder"))
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["held-out.png"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "figure.jpg", "--only", "weights"], ".png, .svg or .pdf; given 'figure.jpg'"),
        (["--out", "figure.pdf"], "is one file, but there are 4 plots: individuals, quartiles, weights, held-out"),
        (["--only", "wieghts"], "Unknown plot 'wieghts'. Did you mean 'weights'"),
        (
            ["--only", "error"],
            "no plot error here, only individuals, quartiles, weights, held-out. Single runs of q-learning have that",
        ),
    ],
)
def test_mistakes_of_plots_are_explained(
    arguments: list[str], message: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in tetrion_here("plot", str(run.folder), *arguments, expect=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_report_is_written_to_the_run_or_to_another_file(run: Run, tmp_path: Path) -> None:
    with patch("tetrion.lab.video.render_gif", return_value=b"GIF89a"):
        assert tetrion_here("report", str(run.folder)).stdout.strip() == str(run.folder / "report.html")
        tetrion_here("report", str(run.folder), "--out", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_bytes()
    assert page == (run.folder / "report.html").read_bytes()
    assert page.startswith(b"<!DOCTYPE html>")


def test_several_seeds_are_compared(tmp_path: Path) -> None:
    for seed in range(2):
        train_small_run(tmp_path / f"seed-{seed}", 2, seed)
    create_run("gavrilov", tmp_path / "seed-10")
    assert tetrion_here("plot", str(tmp_path)).stdout.strip() == str(tmp_path / "plots" / "seeds.png")
    with patch("tetrion.lab.video.render_gif", return_value=b"GIF89a"):
        printed = tetrion_here("report", str(tmp_path)).stdout.splitlines()
    assert printed == [str(tmp_path / name / "report.html") for name in ("seed-0", "seed-1", "")]
    error = tetrion_here("plot", str(tmp_path), "--only", "weights", expect=2).stderr
    assert "There is no plot weights here, only seeds. Single runs of genetic" in error


@pytest.mark.parametrize("command", ["plot", "report"])
def test_mistakes_are_explained(command: str, run: Run, tmp_path: Path) -> None:
    assert f"No such folder: {tmp_path / 'none'}" in tetrion_here(command, str(tmp_path / "none"), expect=2).stderr
    assert "has no config.toml" in tetrion_here(command, str(tmp_path), expect=2).stderr
    new_run = create_run("gavrilov", tmp_path / "new_run")
    error = tetrion_here(command, str(new_run), expect=2).stderr
    assert "no finished generation yet" in error
    assert f"tetrion train --resume {new_run}" in error


def test_report_replaces_a_link_in_the_folder_of_a_run_and_follows_one_that_is_named(run: Run, tmp_path: Path) -> None:
    """A run may come from anyone, with a link in the place of its report."""
    folder = Path(shutil.copytree(run.folder, tmp_path / "run"))
    target = tmp_path / "mine.txt"
    target.write_text("mine", encoding="utf-8")
    page = folder / "report.html"
    page.unlink(missing_ok=True)
    page.symlink_to(target)
    os.utime(page, (0, 0))
    with patch("tetrion.cli.report_command.render_training_report", return_value=b"page"):
        tetrion_here("report", str(folder))
        assert target.read_text("utf-8") == "mine"
        assert not page.is_symlink()
        assert page.read_bytes() == b"page"
        page.unlink()
        page.symlink_to(target)
        tetrion_here("train", "--resume", str(folder), "--set", "generations=3", "--workers", "1")
        assert target.read_text("utf-8") == "mine"
        page.unlink(missing_ok=True)
        page.symlink_to(target)
        tetrion_here("report", str(folder), "--out", str(page))
        assert target.read_bytes() == b"page", "the user has named the link"
        page.unlink()
        os.mkfifo(page)  # would wait for a reader
        tetrion_here("report", str(folder))
    assert page.read_bytes() == b"page"


def test_linked_folders_of_plots_and_seeds_are_refused(run: Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run.folder, tmp_path / "run", ignore=shutil.ignore_patterns("plots")))
    other = tmp_path / "other"
    other.mkdir()
    (folder / "plots").symlink_to(other)
    assert "plots is a link. Replace it by the folder to" in tetrion_here("plot", str(folder), expect=2).stderr
    assert not list(other.iterdir())
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "seed-0").symlink_to(folder)
    for command in (["report"], ["plot"], ["train", "--resume"]):
        assert "seed-0 is a link" in tetrion_here(*command, str(tmp_path / "seeds"), expect=2).stderr
