"""Tests of the measured results of the recipes in benchmarks/results/training.json, which the documentation shows."""

import json
from pathlib import Path
from typing import Any

RESULTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "benchmarks" / "results" / "training.json").read_text(encoding="utf-8")
)


def get_means(name: str) -> list[float]:
    return [seed["mean"] for seed in RESULTS[name]["seeds"]]


def test_gavrilov_trains_within_seconds() -> None:
    assert len(get_means("gavrilov")) == 20
    assert max(seed["seconds"] for seed in RESULTS["gavrilov"]["seeds"]) < 15


def test_gavrilov_plus_reaches_1500_lines() -> None:
    seeds = RESULTS["gavrilov-plus"]["seeds"]
    assert sum(seed["goal"] >= 9 for seed in seeds) >= 4
    assert max(seed["seconds"] for seed in seeds) < 60


def test_lookahead_and_noise_improve_the_result() -> None:
    assert RESULTS["hindi-lookahead"]["mean"] > RESULTS["hindi"]["mean"]
    without_noise = RESULTS["cross-entropy, no noise"]["ci95"][1]
    assert RESULTS["cross-entropy, short"]["ci95"][0] > without_noise
    assert RESULTS["cross-entropy, constant noise"]["ci95"][0] > without_noise


def test_q_learning_and_cma_reach_their_goals() -> None:
    assert min(get_means("tetrais-q")) >= 1000
    assert sum(mean >= 4500 for mean in get_means("cma-dt")) >= 2


def test_two_features_learn_the_same_from_every_seed() -> None:
    means = get_means("tsitsiklis")
    assert len(means) >= 5
    assert min(means) > 30  # about the published mean
    assert max(means) < 1.2 * min(means)


def test_a_limit_of_lines_trains_for_more_points_per_line() -> None:
    def get_unlimited_means(limit: str, name: str) -> float:
        results = [seed["line_limits"]["unlimited"][name] for seed in RESULTS[f"shahar-west, {limit}"]["seeds"]]
        assert len(results) >= 5
        return float(sum(results) / len(results))

    points = [get_unlimited_means(limit, "points_per_line") for limit in ("100", "1000", "unlimited")]
    lines = [get_unlimited_means(limit, "lines") for limit in ("100", "1000", "unlimited")]
    assert points[0] > points[1] > points[2]
    assert lines[0] < lines[1] < lines[2]
