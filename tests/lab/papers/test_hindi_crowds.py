"""Tests of the claims of Hindi et al. about Table III and crowds: each check holds, does not hold and is undecided."""

import numpy as np
import pytest

from tests.lab.papers.hindi_runs import (
    FALLING,
    OUTCOMES,
    RISING,
    make_curves,
    make_run,
)
from tetrion.lab.papers.hindi.hindi_crowds import (
    AVERAGE_EXPERT,
    LAST_POPULATION,
    MEAN_CROWD,
    WEIGHTED_CROWD,
    check_crowd_affects_generations,
    check_crowd_against_experts,
    check_experts_ahead,
    get_crowd_gains,
    make_crowd_better_check,
    make_game_share_check,
)
from tetrion.lab.papers.hindi.hindi_games import (
    EXPERT_SELECTIONS,
)
from tetrion.lab.papers.hindi.hindi_measurements import (
    CROWDS_TRAINING,
    FIVE_GAMES_CROWDS_TRAINING,
    WEIGHTED_CROWDS_TRAINING,
    WITHOUT_CROWDS_TRAINING,
)
from tetrion.lab.papers.hindi.hindi_paper import HINDI_PAPER
from tetrion.lab.papers.hindi.hindi_table_iii import (
    TABLE_III_COLUMNS,
    fit_curve,
    fit_own_curves,
    get_published_columns,
    make_table_iii_check,
    make_table_iii_column_rows,
)


def test_own_runs_are_counted_without_themselves() -> None:
    curves = np.array([[float(number)] * 4 for number in range(11)])
    fit = fit_curve(np.array([5.0, 11, 0, -1]), curves)
    assert fit.generations_within == 1
    assert fit > fit_curve(np.array([5.0, 11, 0, -5]), curves)
    assert [each.generations_within for each in fit_own_curves(curves)] == [0, *[4] * 9, 0]


@pytest.mark.parametrize(("factor", "width", "expected"), list(zip((1, 3, 1), (0.2, 0.2, 6), OUTCOMES, strict=True)))
def test_columns_of_table_iii_are_judged_together(factor: float, width: float, expected: bool | None) -> None:
    metrics = ["max", "mean"]
    generator = np.random.default_rng(1)
    runs = []
    for _ in range(40):
        change = factor * np.exp(generator.uniform(-width, width))
        runs.append({"metrics": {name: (change * get_published_columns([name])).tolist() for name in metrics}})
    results = {CROWDS_TRAINING: {"runs": runs}}
    assert len(get_published_columns(metrics)) == 52
    assert make_table_iii_check(CROWDS_TRAINING, metrics)(results).holds is expected
    for few in (18, 1):
        results = {CROWDS_TRAINING: {"runs": runs[:few]}}
        assert make_table_iii_check(CROWDS_TRAINING, metrics)(results).holds is None


@pytest.mark.parametrize(("runs", "counts"), [(20, ["26 of 26", "26", "20 of 20"]), (3, ["–", "–", "–"])])
def test_columns_of_table_iii_are_shown(runs: int, counts: list[str]) -> None:
    metrics = {name: get_published_columns([name]).tolist() for name in TABLE_III_COLUMNS}
    rows = make_table_iii_column_rows({CROWDS_TRAINING: {"runs": [{"metrics": metrics}] * runs}}, CROWDS_TRAINING)
    assert len(rows) == 6
    assert all(row[1:4] == counts for row in rows)
    assert rows[-1][4:] == ["5,404", "5,404"]


def test_table_iii_is_one_claim() -> None:
    rows = [claim for claim in HINDI_PAPER.claims if claim.location == "Table III"]
    assert len(rows) == 1


def test_averages_of_five_games_are_compared_per_game() -> None:
    runs = [make_run([0, 500 + seed], crowd={MEAN_CROWD: 110, AVERAGE_EXPERT: 90}) for seed in (0, 5, 10)]
    gains = get_crowd_gains(
        {FIVE_GAMES_CROWDS_TRAINING: {"runs": runs}}, MEAN_CROWD, LAST_POPULATION, FIVE_GAMES_CROWDS_TRAINING
    )
    assert gains.tolist() == [10, 9, 8]


@pytest.mark.parametrize(("gain", "expected"), list(zip((9, -9, 0), OUTCOMES, strict=True)))
def test_crowd_is_compared_with_average_expert_and_population(gain: float, expected: bool | None) -> None:
    crowds = [
        {MEAN_CROWD: 100 + gain + seed, WEIGHTED_CROWD: 100 + gain - seed, AVERAGE_EXPERT: 100} for seed in (-1, 0, 1)
    ]
    training = {"runs": [make_run([0, 100], crowd=crowd) for crowd in crowds]}
    results = {CROWDS_TRAINING: training, WEIGHTED_CROWDS_TRAINING: training}
    for other in (AVERAGE_EXPERT, LAST_POPULATION):
        for kind in (MEAN_CROWD, WEIGHTED_CROWD):
            assert make_crowd_better_check(other, kind)(results).holds is expected
    assert check_crowd_against_experts(results).holds is expected


@pytest.mark.parametrize(
    ("gain", "text"), [(9, "there is a gain"), (-9, "there is a loss"), (0, "it is undecided too")]
)
def test_reason_of_the_crowd_names_the_weighted_one(gain: float, text: str) -> None:
    crowds = [{WEIGHTED_CROWD: 100 + gain + seed, MEAN_CROWD: 150 + seed, AVERAGE_EXPERT: 100} for seed in (-1, 0, 1)]
    training = {"runs": [make_run([0, 100], crowd=crowd) for crowd in crowds]}
    measured = check_crowd_against_experts({CROWDS_TRAINING: training, WEIGHTED_CROWDS_TRAINING: training})
    assert measured.holds
    assert text in measured.evidence
    assert measured.text.startswith("a difference of 50")
    assert measured.text.endswith("if weighted by score")


@pytest.mark.parametrize(("ahead", "expected"), list(zip((20, 0, 10), OUTCOMES, strict=True)))
def test_best_expert_is_compared_with_crowd(ahead: int, expected: bool | None) -> None:
    crowds = [{MEAN_CROWD: 10, "best expert": 11 if number < ahead else 9} for number in range(20)]
    results = {CROWDS_TRAINING: {"runs": [make_run([0, 1], crowd=crowd) for crowd in crowds]}}
    assert check_experts_ahead(results).holds is expected


def test_crowd_does_not_affect_equal_generations() -> None:
    results = {CROWDS_TRAINING: make_curves([RISING]), WITHOUT_CROWDS_TRAINING: make_curves([RISING])}
    assert check_crowd_affects_generations(results).holds is False
    results[WITHOUT_CROWDS_TRAINING] = make_curves([FALLING])
    assert check_crowd_affects_generations(results).holds


@pytest.mark.parametrize(("score", "bound"), [("strong", 0.9), ("high", 0.25)])
def test_shares_of_games_of_crowds(score: str, bound: float) -> None:
    for change, expected in zip((0.1, -0.1, 0.0), OUTCOMES, strict=True):
        shares = [bound + change - 0.01, bound + change, bound + change + 0.01]
        results = {"choices": {score: {EXPERT_SELECTIONS[0]: shares}, "games": 9}}
        assert make_game_share_check(score)(results).holds is expected
