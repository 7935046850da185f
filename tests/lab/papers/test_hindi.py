"""The reproduction of Hindi et al.: what is read from tables and runs, and sentences that follow their numbers."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.agents import data_agent
from tetrion.evaluation.workers import threads
from tetrion.lab.papers.hindi.answers import consensus_words, early_words, stop_words, which
from tetrion.lab.papers.hindi.figures import FIGURES, TABLE_III, typical
from tetrion.lab.papers.hindi.findings import published_weights
from tetrion.lab.papers.hindi.paper import PAPER
from tetrion.lab.papers.hindi.runs import (
    CROWDS,
    GRID,
    LOOKING,
    MAIN,
    PIECES,
    RULES,
    STEPS,
    SWAP,
    TABLE_I,
    TABLE_II,
    best_of,
    more_name,
    pieces_placed,
    scores_of,
)
from tetrion.lab.papers.hindi.statistics import (
    OneRun,
    explained,
    spikes,
    trend,
)
from tetrion.lab.reproduction.measuring import Laboratory, Training
from tetrion.lab.reproduction.published import Ours
from tetrion.lab.reproduction.statistics import correlation_interval, rank_correlation, ranks
from tetrion.lab.reproduction.watching import Watcher
from tetrion.training.recipe import Recipe


def run(scores: Any, held_out: float = 1000.0, crowd: Mapping[str, float] | None = None) -> dict[str, Any]:
    """A made-up run whose generations have these averages and best scores."""
    result = {"as_played": {"score": {"mean": held_out, "ci95": [held_out, held_out]}}, "crowd": dict(crowd or {})}
    return {"metrics": {"mean": list(scores), "max": list(scores)}, "result": result}


def test_table_three_says_how_large_the_population_was() -> None:
    # a score is a multiple of 20, so that an average of 50 is one of 0.4; of 20 or 100 candidates it would not be
    assert len(TABLE_III) == 26
    assert all(score % 20 == 0 for row in TABLE_III for score in row[3:5])
    assert all(abs(row[5] / 0.4 - round(row[5] / 0.4)) < 1e-6 for row in TABLE_III)
    assert not all(abs(row[5] - round(row[5])) < 1e-6 for row in TABLE_III)
    assert all(least <= q1 <= median <= q3 <= most for median, q1, q3, least, most, _ in TABLE_III)


def test_scores_of_the_tables_are_multiples_of_twenty_and_within_one_game() -> None:
    # 500 pieces fill 200 rows at most; four at a time they bring 1,200 points times the level and one
    most = sum(1200 * (row // 10 + 1) for row in range(0, 4 * PIECES // 10, 4))
    assert all(row.score % 20 == 0 and row.score < most for row in (*TABLE_I, *TABLE_II))


def test_every_configuration_is_a_recipe() -> None:
    names = [measurement.name for measurement in PAPER.measurements]
    assert len(set(names)) == len(names)
    for measurement in PAPER.measurements:
        if isinstance(measurement, Training):
            recipe = Recipe.load(measurement.recipe, measurement.plan(True)[1])
            assert recipe.rules == RULES
    sizes = {(setup.population, setup.mutation, setup.elitism) for setup in GRID}
    assert len(sizes) == 27
    assert all(setup.generations in (14, 15) for setup in LOOKING)
    assert set(FIGURES) == {1, 2, 3, 4, 5, 6, 7, 10, 11}


def test_height_and_holes_are_one_feature_before_rows_are_removed(tmp_path: Path) -> None:
    low, high = published_weights("holes", "aggregate_height")
    assert (low, high) == pytest.approx((-0.81250625 - 0.32742803, -0.71291201 - 0.40281927))
    agent = data_agent("hindi-3")
    weights = ({"holes": -1.0, "aggregate_height": 0.0}, {"holes": 0.0, "aggregate_height": -1.0}, {"holes": 0.0})
    agents = [replace(agent, weights={**agent.weights, **changed}) for changed in weights]
    with threads(1) as workers:
        laboratory = Laboratory(tmp_path, 1, True, workers, Watcher())
        holes, height, less = (scores_of(one, 100, laboratory) for one in agents)
    assert (holes == height).all()
    assert not (holes == less).all()


def test_ranks_and_trends() -> None:
    assert ranks(np.array([5, 1, 5, 9])).tolist() == [1.5, 0, 1.5, 3]
    assert rank_correlation(np.arange(5), np.array([1, 4, 9, 16, 25])) == pytest.approx(1)
    assert rank_correlation(np.arange(5), np.ones(5)) == 0
    assert trend(run([5, 4, 3, 2, 1])) == pytest.approx(-1)
    assert spikes(run([100, 49, 30, 10, 20])) == 2
    assert correlation_interval(0.9, 4) == (-1, 1)
    low, high = correlation_interval(0.0, 103)
    assert (low, high) == pytest.approx((-0.194, 0.194), abs=0.002)


def test_variance_that_settings_explain() -> None:
    groups = [0, 0, 0, 1, 1, 1]
    assert explained(np.array([1.0, 1, 1, 5, 5, 5]), [groups]) == pytest.approx(1)
    assert explained(np.array([1.0, 5, 3, 1, 5, 3]), [groups]) < 0.01


def test_a_figure_of_one_run_lies_among_ours_or_not() -> None:
    ours = Ours(50, (10, 90))
    assert OneRun(value=90).verdict(ours).agrees
    assert "above" in OneRun(value=91).verdict(ours).reason
    assert "below" in OneRun(value=9).verdict(ours).reason


def test_the_best_of_more_games_is_higher() -> None:
    scores = np.arange(1000.0)
    bests = [best_of(scores, TABLE_I[2], count, 1) for count in (1, 2, 5)]
    assert all(first["high"] < second["low"] for first, second in pairwise(bests))
    assert bests[0]["high"] <= 999
    assert bests[0] == best_of(scores, TABLE_I[2], 1, 1)


def test_words_follow_the_interval() -> None:
    intervals = [(1.0, 9.0), (-9.0, -1.0), (-1.0, 11.0)]
    assert [which(Ours(0, ends), "more", "less", "unknown") for ends in intervals] == ["more", "less", "unknown"]


@pytest.mark.parametrize(("sign", "told"), [(1, "end weaker"), (-1, "end stronger")])
def test_poor_beginnings(sign: int, told: str) -> None:
    runs = [run([start, 5], held_out=sign * start + 100) for start in range(40)]
    assert told in early_words({MAIN.name: {"runs": runs}, SWAP.name: {"runs": runs}})


def test_no_connection_is_called_none() -> None:
    scores = np.random.default_rng(1).permutation(60)
    runs = [run([start, 5], held_out=float(score)) for start, score in enumerate(scores)]
    assert "No connection was found" in early_words({MAIN.name: {"runs": runs}, SWAP.name: {"runs": runs}})


def test_crowds_of_those_who_agree() -> None:
    crowds = [
        {"crowd (mean)": 50 + seed, "crowd (consensus)": 90 + 2 * seed, "average expert": 40, "best expert": 99 - seed}
        for seed in range(4)
    ]
    words = consensus_words({CROWDS: {"runs": [run([1, 2], crowd=crowd) for crowd in crowds]}})
    assert "against the mean of all experts (surely more)" in words
    assert "against the best (no difference was found)" in words


def test_the_curve_of_features_names_its_best() -> None:
    results = {
        more_name(learner, count): {"runs": [run([1], 1000 * place + seed) for seed in range(4)]}
        for learner in ("genetic", "entropy")
        for place, count in enumerate(STEPS if learner == "entropy" else STEPS[::-1], 1)
    }
    words = stop_words(with_lines(results))
    assert f"the cross-entropy method comes furthest with {STEPS[-1]} features" in words
    assert f"their algorithm comes furthest with {STEPS[0]} features" in words
    assert "surely falls off" in words


def with_lines(results: dict[str, Any]) -> dict[str, Any]:
    """The same with lines, whose number of seeds is named."""
    for training in results.values():
        for one in training["runs"]:
            one["result"]["as_played"]["lines"] = {"mean": 1.0, "ci95": [1.0, 1.0]}
    return results


def test_the_typical_run_is_the_middle_one() -> None:
    runs = [run([0, last]) for last in (9, 1, 5)]
    assert typical(runs) is runs[2]


def test_pieces_placed_choose_nothing(tmp_path: Path) -> None:
    with threads(1) as workers:
        found = pieces_placed(Laboratory(tmp_path, 1, True, workers, Watcher()))
    assert found["same"] == found["games"] > 0
