"""Tests of Gavrilov's report: its special games, and findings and answers that follow from the results."""

from typing import Any

import numpy as np
import pytest

from tetrion import Game
from tetrion.agents import RandomKeysAgent
from tetrion.engine.pieces import SHAPES
from tetrion.evaluation import evaluate
from tetrion.lab.papers.gavrilov import gavrilov_evolution, gavrilov_findings, gavrilov_games
from tetrion.lab.papers.gavrilov.gavrilov_paper import (
    GAVRILOV_MEASUREMENTS,
    GAVRILOV_PAPER,
    format_added_features_change,
)
from tetrion.training.learner import INCUMBENT_PREFIX


def make_games(mean: float, half: float = 0.0, lines: list[int] | None = None) -> dict[str, Any]:
    """Return the summary of games with the given mean lines."""
    summary = {"mean": mean, "ci95": [mean - half, mean + half], "deviation": half}
    return {"games": 100, "capped": 0, "lines": summary, "sample": {"lines": lines or []}}


def make_training(*means: float) -> dict[str, Any]:
    """Return a training with the given mean lines, one per seed."""
    return {"runs": [{"result": {"uncorrected": {"lines": {"mean": mean, "ci95": [mean, mean]}}}} for mean in means]}


def make_evolution(**metrics: list[list[float]]) -> dict[str, Any]:
    """Return an evolution with the given metrics, one row per run."""
    count = len(next(iter(metrics.values())))
    names = {
        name: f"{INCUMBENT_PREFIX}{name}" if name in gavrilov_findings.GAVRILOV_FEATURE_NAMES else name
        for name in metrics
    }
    runs = [{"metrics": {names[name]: rows[run] for name, rows in metrics.items()}} for run in range(count)]
    return {"evolution": {"runs": runs, "time": {"seconds": [2.0] * count}}}


def test_bug_leaves_partial_row_above_empty_row() -> None:
    assert gavrilov_games.clear_rows_with_bug([0b111, 0b101], 0b101) == [0b010, 0b000]
    # The cells that move down are merged with the partial row.
    assert gavrilov_games.clear_rows_with_bug([0b10101, 0b01101], 0b101) == [0b00100, 0b00010]


def test_bug_has_no_effect_on_adjacent_full_rows() -> None:
    assert gavrilov_games.clear_rows_with_bug([0b10111], 0b0011) == [0b101]


def test_full_rows_include_the_placed_piece() -> None:
    board = [0b1] * 6 + [0] * 4
    flat = next(number for number, shape in enumerate(SHAPES) if list(shape) == [1, 1, 1, 1])
    assert gavrilov_games.find_full_rows(board, (flat, 6, 0)) == ([1] * 10, 1)
    assert gavrilov_games.find_full_rows(board, (flat, 5, 1))[1] == 0


def test_games_piece_by_piece_equal_whole_games() -> None:
    *_, (_, records) = gavrilov_games.play_piece_by_piece("gavrilov-4", "gavrilov", 20, 3, 10_000)
    expected = evaluate("gavrilov-4", "gavrilov", 20, 3, workers=1).per_game
    assert records["lines"].tolist() == expected["lines"].tolist()


def test_bug_occurs_rarely() -> None:
    records, bug_count = gavrilov_games.play_with_bug(20, 1, 1500)
    assert 0 < bug_count < records["lines"].sum() / 50


def test_fewer_keys_per_second_mean_more_time_per_key() -> None:
    game_at_rate = {}
    for rate in (15, 60):
        game_at_rate[rate] = game = Game("gavrilov")
        game.play(RandomKeysAgent("mine", keys_per_second=rate), 1)
    frames_between = {rate: game.events[1][0] - game.events[0][0] for rate, game in game_at_rate.items()}
    assert frames_between == {15: 67, 60: 17}, "frames of a thousandth of a second"


def test_longest_wait_and_streak() -> None:
    assert gavrilov_games.find_longest_wait("TIIOST") == 4
    assert gavrilov_games.find_longest_streak("TIIIOT") == 3


def test_longest_wait_of_a_bag_is_at_most_twelve() -> None:
    assert gavrilov_games.find_longest_wait(gavrilov_games.record_piece_sequence("bag", 1)) <= 12


def test_first_generation_that_reaches_a_value() -> None:
    assert gavrilov_evolution.find_first_generation(np.array([[0, 1, 1], [0, 0, 0]], bool)).tolist() == [1, 3]


def test_best_candidate_reaches_maximum_before_half_of_generation() -> None:
    results = make_evolution(max=[[10.0, 338.0, 339.0]] * 3, median=[[1.0, 50.0, 335.0]] * 3)
    assert gavrilov_evolution.compute_best_full_game_generation(results).value == 1
    assert gavrilov_evolution.compute_median_full_game_generation(results).value == 2


@pytest.mark.parametrize(("late", "holds"), [(400.0, True), (440.0, False)])
def test_gain_after_stop_follows_results(late: float, holds: bool) -> None:
    means = [[float(400 + run % 3)] * 16 + [late + run] * 14 for run in range(-2, 3)]
    assert gavrilov_evolution.check_no_gain_after_stop(make_evolution(mean=means)).holds is holds


@pytest.mark.parametrize(("height", "holds"), [(0.5, True), (3.0, False)])
def test_weight_order_is_the_most_frequent_one(height: float, holds: bool) -> None:
    finals = {"piece_top": height, "holes": -9.0, "bumpiness": -1.7, "lines": 6.0}
    results = make_evolution(**{name: [[value] * 15] * 3 for name, value in finals.items()})
    ours = gavrilov_evolution.check_weight_order(results)
    assert ours.holds is holds
    assert ("most frequent" in ours.text) is not holds
    assert gavrilov_evolution.check_weight_signs(results).holds
    assert gavrilov_evolution.check_largest_weight("holes", results).holds


def test_ten_games_show_only_large_differences() -> None:
    near, far = [10, 12, 8, 11, 9] * 40, [30, 33, 27, 31, 29] * 40
    results = {"a": make_games(30, 1, far), "b": make_games(10, 1, near), "c": make_games(10.5, 1, near)}
    assert not gavrilov_findings.check_significance_in_ten_games("a", "b", results).holds
    assert gavrilov_findings.check_significance_in_ten_games("c", "b", results).holds


@pytest.mark.parametrize(("heavy", "holds"), [(4000.0, True), (20.0, False)])
def test_equal_weights_are_the_cause_only_if_other_weights_help(heavy: float, holds: bool) -> None:
    results = {
        "gavrilov-2": make_games(80, 2),
        "gavrilov-3": make_games(13, 1),
        "weighed-holes-10": make_games(heavy, 5),
    }
    assert gavrilov_findings.check_equal_weights_cause(results).holds is holds


def test_added_features_are_better_only_if_significant() -> None:
    results = {
        "evolution": make_training(900, 1000, 1100),
        **{name: make_training(950, 1000, 1040) for name in gavrilov_findings.ADDED_FEATURES},
    }
    assert gavrilov_findings.describe_added_features(results).endswith("none is significantly better.")
    results["with-wells"] = make_training(1500, 1510, 1520)
    answer = gavrilov_findings.describe_added_features(results)
    assert "with wells 1,510 ± 25 (more)" in answer
    assert answer.endswith("these are significantly better: wells.")


def test_reachable_placements_may_give_fewer_lines() -> None:
    results = {"gavrilov": make_games(100, 5), "reach": make_games(50, 5)}
    results |= {"evolution": make_training(900, 1000, 1100), "evolution-reach": make_training(950, 1000, 1040)}
    answer = gavrilov_findings.describe_reachable_placements(results)
    assert "100 ± 5 (all reachable placements: fewer)" in answer
    assert answer.count("no difference was found") == 1


@pytest.mark.parametrize(
    ("bag", "verdict"), [(10_000, "the better an agent plays"), (150, "matters. "), (100, "was not found")]
)
def test_effect_of_randomiser_follows_results(bag: float, verdict: str) -> None:
    results = {
        gavrilov_findings.format_randomiser_measurement_name(agent, kind): make_games(100, 2)
        for agent in gavrilov_findings.GAVRILOV_AGENT_NAMES
        for kind in gavrilov_findings.GAVRILOV_RANDOMISERS
    }
    results["gavrilov"], results["gavrilov-2"] = make_games(bag, 2), make_games(200, 4)
    assert verdict in gavrilov_findings.describe_randomisers(results)


@pytest.mark.parametrize(("less", "verdict"), [(200, "costs lines"), (50, "this weight helps"), (101, "no difference")])
def test_weight_optimality_follows_results(less: float, verdict: str) -> None:
    results = {
        "gavrilov": make_games(100, 5),
        **{
            gavrilov_findings.format_ablation_name(name): make_games(less, 5)
            for name in gavrilov_findings.GAVRILOV_FEATURE_NAMES
        },
    }
    assert verdict in gavrilov_findings.describe_weight_optimality(results)


def test_every_game_claim_is_checked_for_ten_games() -> None:
    assert gavrilov_findings.check_every_game_above_1500({"gavrilov": make_games(0, 0, [2000] * 97 + [100] * 3)}).holds
    assert not gavrilov_findings.check_every_game_above_1500({"gavrilov": make_games(0, 0, [2000] * 9 + [100])}).holds


def test_measurement_names_are_unique_and_features_come_in_order() -> None:
    names = [measurement.name for measurement in GAVRILOV_MEASUREMENTS]
    assert len(names) == len(set(names))
    assert {
        gavrilov_findings.format_randomiser_measurement_name(agent, kind)
        for agent in gavrilov_findings.GAVRILOV_AGENT_NAMES
        for kind in gavrilov_findings.GAVRILOV_RANDOMISERS
    } <= set(names)
    assert (
        format_added_features_change(("wells",))
        == 'agent.features=["piece_top", "holes", "bumpiness", "lines", "wells"]'
    )


def test_every_claim_has_a_location() -> None:
    assert all(claim.location.startswith("Section") for claim in GAVRILOV_PAPER.claims)
    assert len({claim.statement for claim in GAVRILOV_PAPER.claims}) == len(GAVRILOV_PAPER.claims)
