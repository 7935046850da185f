"""Training runs that take about a second, and empty images."""

from pathlib import Path
from unittest.mock import patch

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.lab.training_report import ChartImages, GameImages, render_training_report
from tetrion.training.run import Run
from tetrion.training.trainer import train

SMALL_RUN_CHANGES = (
    "population=6",
    "tournament_size=3",
    "games.max_pieces=[20, 60]",
    "validation.games=2",
    "validation.max_pieces=200",
    "final_games=5",
)
EMPTY_GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"
EMPTY_PNG = b"\x89PNG\r\n\x1a\n"


def train_small_run(folder: Path, generations: int = 3, seed: int = 0, extra_changes: tuple[str, ...] = ()) -> Run:
    changes = (*SMALL_RUN_CHANGES, f"generations={generations}", *extra_changes)
    return train("gavrilov", folder, seed=seed, changes=changes, workers=1)


def mark_unfinished(run: Run) -> Run:
    """Return the run as it is before its final evaluation."""
    (run.folder / "result.json").unlink()
    meta = run.folder / "meta.json"
    meta.write_text(meta.read_text("utf-8").replace('"finished"', '"stopped"'), encoding="utf-8")
    return Run(run.folder)


def render_empty_images(agent: WeightedAgent, rules: Rules, seed: int) -> GameImages:
    return GameImages(EMPTY_GIF, EMPTY_PNG)


def render_report_without_pictures(run: Run) -> bytes:
    """Return the report of a run without its charts and animation, which take seconds."""
    with patch("tetrion.lab.training_report.draw_chart", lambda plot: ChartImages(EMPTY_GIF, EMPTY_GIF, "")):
        return render_training_report(run, render_empty_images)
