"""Links at random places of run and reproduction folders: no file outside of them changes, appears or vanishes.

A failure names the seed of its case; `python -m tests.fuzzing.test_links SEED` repeats it.
"""

import io
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from tests.fuzzing.child_processes import parametrise_cases
from tests.training.small_recipes import make_small_recipe
from tetrion.agents import WeightedAgent
from tetrion.atomic_files import get_part_path
from tetrion.cli import main
from tetrion.errors import TetrionError
from tetrion.evaluation import start_threads
from tetrion.lab.figure_charts import FigureSize
from tetrion.papers.charts import ForestRow, draw_forest_plot
from tetrion.papers.definition import Paper, PaperFigure
from tetrion.papers.measured_values import compute_mean
from tetrion.papers.measurements import GameMeasurement, TrainingMeasurement
from tetrion.papers.report import write_report
from tetrion.papers.reproduction import reproduce
from tetrion.training.run import Run
from tetrion.training.run_writer import copy_run
from tetrion.training.trainer import train
from tetrion.training.training_progress import TrainingProgress

_STEPS = 3
# Places where a command writes, whether or not a folder has them already.
_RUN_PLACES = (
    *("report.html", "plots", "plots/weights.png", "population", "population/generation_00003.csv", "result.json"),
    *("best.json", "checkpoint.npz", "checkpoint.before.npz", "history.bin", "history.copy.bin", "metrics.csv"),
)
_PLACES = {
    "seeds": ("report.html", "plots", "seed-0", "seed-1", *(f"seed-0/{place}" for place in _RUN_PLACES)),
    "links": (
        *("figures", "figures/links-lines.svg", "measurements", "measurements/flat.json", "runs", "runs/bred"),
        *("runs/bred/seed-1", "runs/bred/seed-1/population", "report.html", "report.md", "report.json", "results.md"),
    ),
}


class StubPlot:
    """A plot whose file is quickly made."""

    name = "weights"

    def render(self, file_type: str, *more: object, **options: object) -> bytes:
        return b"plot"


def render_stub_report(run: Run, **options: object) -> bytes:
    return f"page of {run.folder}".encode()


def draw_figure(results: Mapping[str, Any], size: FigureSize) -> Any:
    return draw_forest_plot(size, "Lines", "standard", [ForestRow("flat", compute_mean(results["flat"]), (0, 2))])


def make_paper(recipe: Path) -> Paper:
    """Return a paper whose games are saved, with a training run and a figure."""
    agent = WeightedAgent("flat", {"bumpiness": -1.0}, rules="standard")
    return Paper(
        name="links",
        title="Links",
        source="",
        description="",
        rules="standard",
        measurements=[
            GameMeasurement("flat", agent, 4, 2, max_pieces=20),
            TrainingMeasurement("bred", str(recipe), 1),
        ],
        claims=[],
        figures=[PaperFigure("lines", "Lines", "A caption", draw_figure)],
    )


class LinkWorld:
    """Folders of runs and a reproduction from which cases are copied, and a folder of the user outside of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.samples = folder / "samples"
        self.outside = folder / "outside"
        self.case = folder / "case"
        self.recipe = folder / "small.toml"
        self.recipe.write_text(make_small_recipe("genetic", f"stop.generations={_STEPS}").to_toml(), encoding="utf-8")
        self.paper = make_paper(self.recipe)

        def stop(progress: TrainingProgress) -> None:
            if progress.done == _STEPS - 1:
                raise KeyboardInterrupt

        for name in ("run", "seeds/seed-0", "seeds/seed-1"):
            with suppress(KeyboardInterrupt):
                train(self.recipe, self.samples / name, workers=1, on_progress=stop)
        train(self.recipe, self.samples / "finished", workers=1)
        self.reproduce(self.samples / "links")
        for name in ("run", "seeds", "finished"):
            (self.samples / name / "report.html").write_text("earlier", encoding="utf-8")
            os.utime(self.samples / name / "report.html", (0, 0))
        self.make_outside()
        self.before = self.read_outside()

    def make_outside(self) -> None:
        """Write the folder of the user, with runs and a reproduction; its runs have other recipes."""
        shutil.copytree(self.samples, self.outside)
        (self.outside / "notes.txt").write_text("notes", encoding="utf-8")
        other_recipe = make_small_recipe("genetic", "genetic.population=7").to_toml()
        (self.outside / "links/runs/bred/seed-1/config.toml").write_text(other_recipe, encoding="utf-8")

    def reproduce(self, folder: Path) -> None:
        with start_threads(1) as workers:
            write_report(reproduce(self.paper, folder, workers), folder)

    def read_outside(self) -> dict[str, object]:
        """Return all files, folders and links outside the folders of the cases."""
        return {
            str(path): path.read_bytes() if path.is_file() else path.is_dir() for path in self.outside.rglob("*")
        } | {"names": sorted(path.name for path in self.folder.iterdir() if path != self.case)}


def run_command(*arguments: str) -> None:
    with (
        patch.object(sys, "argv", ["tetrion", *arguments]),
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
        suppress(SystemExit),
    ):
        main()


def list_actions(world: LinkWorld) -> dict[str, Callable[[Path], object]]:
    """Return what is done with a folder, by the name of the folder and of the action."""
    longer = f"stop.generations={_STEPS + 1}"
    return {
        "run resume": lambda folder: run_command("train", "--resume", str(folder), "--workers", "1"),
        "run report": lambda folder: run_command("report", str(folder)),
        "run plot": lambda folder: run_command("plot", str(folder)),
        "run copy": copy_run,
        "finished resume": lambda folder: run_command("train", "--resume", str(folder), "--set", longer),
        "seeds resume": lambda folder: run_command("train", "--resume", str(folder), "--workers", "1"),
        "seeds report": lambda folder: run_command("report", str(folder)),
        "links reproduce": world.reproduce,
        "links new": lambda folder: world.reproduce(forget_results(folder)),
        "new train": lambda folder: run_command("train", str(world.recipe), "--out", str(folder), "--workers", "1"),
    }


def forget_results(folder: Path) -> Path:
    """Remove results of a reproduction, which are then measured again, in a folder with the links of the case."""
    for name in ("measurements/flat.json", "measurements/bred.json", "runs/bred/seed-1/config.toml"):
        path = folder / name
        if not any(part.is_symlink() for part in (path, *path.parents)):
            path.unlink(missing_ok=True)
    return folder


def add_link(folder: Path, world: LinkWorld, random: Random) -> str:
    """Put a link in the place of a file or a folder, or where one will be written."""
    existing = [path for path in sorted(folder.rglob("*")) if not any(part.is_symlink() for part in path.parents)]
    places = [folder / place for place in _PLACES.get(folder.name, _RUN_PLACES)]
    place = random.choice(existing if existing and random.random() < 0.3 else places)
    if random.random() < 0.2:
        place = get_part_path(place)
    elif random.random() < 0.05:
        place = folder.with_name(f"{folder.name}-after-{random.choice((_STEPS - 1, _STEPS))}")
    if any(part.is_symlink() for part in place.parents):
        return "nothing"
    with suppress(FileExistsError, NotADirectoryError):
        place.parent.mkdir(parents=True, exist_ok=True)
    if not place.parent.is_dir():
        return "nothing"
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        shutil.rmtree(place)
    same = world.outside / place.relative_to(world.case)
    targets = [
        *(same, same, same, world.outside / "notes.txt", world.outside, world.outside / "run", world.outside / "links"),
        *(world.outside / "new.txt", world.outside / "links" / "runs", place, Path(), Path("..")),
    ]
    target = random.choice(targets)
    place.symlink_to(target)
    return f"{place.relative_to(world.case)} → {target}"


def run_case(world: LinkWorld, seed: int) -> str:
    """Add links to a copy of a folder and use it; return what is wrong with the outcome, or nothing."""
    random = Random(seed)
    shutil.rmtree(world.case, ignore_errors=True)
    world.case.mkdir()
    actions = list_actions(world)
    action = random.choice(sorted(actions))
    folder = world.case / action.partition(" ")[0]
    if (world.samples / folder.name).exists():
        shutil.copytree(world.samples / folder.name, folder)
    else:
        folder.mkdir()
    links = [add_link(folder, world, random) for _ in range(random.choice((1, 1, 2, 3)))]
    description = f"case {seed}, {action}, {'; '.join(links)}"
    problem = ""
    try:
        actions[action](folder)
    except (TetrionError, OSError):
        pass
    except Exception:
        problem = f"{description}: {traceback.format_exc()}"
    if (after := world.read_outside()) != world.before:
        changed = [path for path in after | world.before if after.get(path) != world.before.get(path)]
        problem += f"{description}: changed {changed}"
        shutil.rmtree(world.outside)
        world.make_outside()
    return problem


def find_problems(folder: Path, seeds: Sequence[int]) -> list[str]:
    """Return the problems of the cases."""
    world = LinkWorld(folder)
    with (
        patch("tetrion.papers.report.Plot", lambda *arguments: StubPlot()),
        patch("tetrion.cli.report_command.render_training_report", render_stub_report),
        patch("tetrion.cli.report_command.render_seeds_report", lambda runs, file: b"page"),
        patch("tetrion.cli.plot_command.make_run_plots", lambda run: [StubPlot()]),
    ):
        return [problem for seed in seeds if (problem := run_case(world, seed))]


@parametrise_cases(20, 1000)
def test_links(cases: range, tmp_path: Path) -> None:
    assert find_problems(tmp_path, cases) == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary_folder:
        print(find_problems(Path(temporary_folder), [int(sys.argv[1])]) or "no problem")
