"""The table of the learners' results has one row per learner and number of steps, whatever files are in the folder."""

import json
from pathlib import Path

import pytest

from benchmarks import learners


def save_result(folder: Path, learner: str, seed: int, steps: int | None, mean: float) -> None:
    seconds = steps / 100 if steps else None
    result = {"learner": learner, "task": "jumanji", "seed": seed, "steps": steps, "seconds": seconds, "games": 100}
    result |= {"metric": "score", "mean": mean, "low": mean - 10, "high": mean + 10}
    (folder / f"{learner}-{steps}-{seed}.json").write_text(json.dumps(result), encoding="utf-8")


def test_seeds_of_a_learner_share_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "LEARNERS_FOLDER", tmp_path)
    save_result(tmp_path, "strong", 2, 6000, 900)
    save_result(tmp_path, "strong", 1, 6000, 700)
    save_result(tmp_path, "strong", 1, 60, 200)
    save_result(tmp_path, "agent", 0, None, 300)
    rows = [line for line in learners.format_learners().splitlines() if line.startswith(("| strong", "| agent"))]
    assert rows == [
        "| strong | 200 | 200 ± 10 | 100 | 60 | 1 s |",
        "| agent | 300 | 300 ± 10 | 100 | – | – |",
        "| strong | 800 | 700 ± 10, 900 ± 10 | 200 | 6,000 | 1.0 min |",
    ]
