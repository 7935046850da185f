"""Runs that take a second, and a moving picture that takes none."""

from pathlib import Path

from tetrion.agents import DataAgent
from tetrion.engine.rules import Rules
from tetrion.lab.report import Pictures
from tetrion.training.run import Run
from tetrion.training.trainer import train

SMALL = ("population=6", "tournament=3", "games.pieces=[20, 60]", "judge.games=2", "judge.pieces=200", "final=5")
GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"
PNG = b"\x89PNG\r\n\x1a\n"


def small_run(folder: Path, generations: int = 3, seed: int = 0, more: tuple[str, ...] = ()) -> Run:
    changes = (*SMALL, f"generations={generations}", *more)
    return train("gavrilov", folder, seed=seed, changes=changes, workers=1)


def unfinished(run: Run) -> Run:
    """The same run as it is before its end is judged."""
    (run.folder / "result.json").unlink()
    meta = run.folder / "meta.json"
    meta.write_text(meta.read_text("utf-8").replace('"finished"', '"stopped"'), encoding="utf-8")
    return Run(run.folder)


def film(agent: DataAgent, rules: Rules, seed: int) -> Pictures:
    return Pictures(GIF, PNG)
