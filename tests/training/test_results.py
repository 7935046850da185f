"""What the recipes have been measured to come to, as the pages show it."""

import json
from pathlib import Path
from typing import Any

RESULTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "benchmarks" / "results" / "training.json").read_text(encoding="utf-8")
)


def means(name: str) -> list[float]:
    return [seed["mean"] for seed in RESULTS[name]["seeds"]]


def test_gavrilovs_recipe_takes_seconds_and_has_its_bad_seeds() -> None:
    assert len(means("gavrilov")) == 20
    assert max(seed["seconds"] for seed in RESULTS["gavrilov"]["seeds"]) < 15


def test_gavrilov_plus_reaches_1500_lines() -> None:
    seeds = RESULTS["gavrilov-plus"]["seeds"]
    assert sum(seed["goal"] >= 9 for seed in seeds) >= 4
    assert max(seed["seconds"] for seed in seeds) < 60


def test_the_next_piece_helps_and_so_does_noise() -> None:
    assert RESULTS["hindi-lookahead"]["mean"] > RESULTS["hindi"]["mean"]
    without = RESULTS["cross-entropy, no noise"]["ci95"][1]
    assert RESULTS["cross-entropy, short"]["ci95"][0] > without
    assert RESULTS["cross-entropy, constant noise"]["ci95"][0] > without


def test_q_learning_and_cma() -> None:
    assert min(means("tetrais-q")) >= 1000
    assert sum(mean >= 4500 for mean in means("cma-dt")) >= 2
