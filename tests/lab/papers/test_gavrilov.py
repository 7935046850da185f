"""Gavrilov's report: its own games, how figures are read, and answers that follow the numbers."""

from typing import Any

import numpy as np
import pytest

from tetrion.agents import RandomKeysAgent
from tetrion.engine.pieces import SHAPES
from tetrion.evaluation import evaluate
from tetrion.lab.papers.gavrilov import gavrilov_evolution, gavrilov_findings, gavrilov_games
from tetrion.lab.papers.gavrilov.gavrilov_paper import (
    GAVRILOV_MEASUREMENTS,
    GAVRILOV_PAPER,
    format_added_features_change,
)


def played(mean: float, half: float = 0.0, lines: list[int] | None = None) -> dict[str, Any]:
    """Games as a measurement tells them."""
    told = {"mean": mean, "ci95": [mean - half, mean + half], "deviation": half}
    return {"games": 100, "capped": 0, "lines": told, "sample": {"lines": lines or []}}


def trained(*means: float) -> dict[str, Any]:
    """Seeds as a training tells them."""
    return {"runs": [{"result": {"uncorrected": {"lines": {"mean": mean, "ci95": [mean, mean]}}}} for mean in means]}


def evolved(**metrics: list[list[float]]) -> dict[str, Any]:
    """Runs with metrics, a row a run."""
    count = len(next(iter(metrics.values())))
    names = {
        name: f"incumbent {name}" if name in gavrilov_findings.GAVRILOV_FEATURE_NAMES else name for name in metrics
    }
    runs = [{"metrics": {names[name]: rows[run] for name, rows in metrics.items()}} for run in range(count)]
    return {"evolution": {"runs": runs, "time": {"seconds": [2.0] * count}}}


def test_a_partial_row_between_two_full_ones_stays_above_an_empty_row() -> None:
    assert gavrilov_games.clear_rows_with_bug([0b111, 0b101], 0b101) == [0b010, 0b000]
    assert gavrilov_games.clear_rows_with_bug([0b10101, 0b01101], 0b101) == [
        0b00100,
        0b00010,
    ]  # what comes down joins the partial row


def test_rows_next_to_each_other_leave_nothing_hanging() -> None:
    assert gavrilov_games.clear_rows_with_bug([0b10111], 0b0011) == [0b101]


def test_full_rows_are_those_of_the_board_with_the_piece() -> None:
    board = [0b1] * 6 + [0] * 4
    flat = next(number for number, shape in enumerate(SHAPES) if list(shape) == [1, 1, 1, 1])
    assert gavrilov_games.find_full_rows(board, (flat, 6, 0)) == ([1] * 10, 1)
    assert gavrilov_games.find_full_rows(board, (flat, 5, 1))[1] == 0


def test_piece_by_piece_the_games_are_the_same() -> None:
    *_, (_, records) = gavrilov_games.play_piece_by_piece("gavrilov-4", "gavrilov", 20, 3, 10_000)
    whole = evaluate("gavrilov-4", "gavrilov", 20, 3, workers=1).per_game
    assert records["lines"].tolist() == whole["lines"].tolist()


def test_rows_hang_now_and_then() -> None:
    records, hung = gavrilov_games.play_with_bug(20, 1, 1500)
    assert 0 < hung < records["lines"].sum() / 50


def test_sixty_keys_a_second_are_the_random_player() -> None:
    ours, known = (
        evaluate(agent, "gavrilov", 4, 1, workers=1).per_game["lines"].tolist()
        for agent in (gavrilov_games.RandomKeysAtRate("mine", keys_per_second=60), RandomKeysAgent("known"))
    )
    assert ours == known


def test_waits_and_streaks() -> None:
    assert gavrilov_games.find_longest_wait("TIIOST") == 4
    assert gavrilov_games.find_longest_streak("TIIIOT") == 3


def test_a_bag_never_lets_one_wait_for_more_than_twelve() -> None:
    assert gavrilov_games.find_longest_wait(gavrilov_games.record_piece_sequence("bag", 1)) <= 12


def test_the_first_generation_where_something_holds() -> None:
    assert gavrilov_evolution.find_first_generation(np.array([[0, 1, 1], [0, 0, 0]], bool)).tolist() == [1, 3]


def test_the_maximum_is_reached_by_the_best_before_half_reach_it() -> None:
    results = evolved(max=[[10.0, 338.0, 339.0]] * 3, median=[[1.0, 50.0, 335.0]] * 3)
    assert gavrilov_evolution.compute_best_full_game_generation(results).value == 1
    assert gavrilov_evolution.compute_median_full_game_generation(results).value == 2


@pytest.mark.parametrize(("late", "holds"), [(400.0, True), (440.0, False)])
def test_whether_there_is_something_to_gain_after_the_halt(late: float, holds: bool) -> None:
    means = [[float(400 + run % 3)] * 16 + [late + run] * 14 for run in range(-2, 3)]
    assert gavrilov_evolution.check_no_gain_after_stop(evolved(mean=means)).holds is holds


@pytest.mark.parametrize(("height", "holds"), [(0.5, True), (3.0, False)])
def test_the_order_of_weights_is_the_most_frequent_one(height: float, holds: bool) -> None:
    finals = {"piece_top": height, "holes": -9.0, "bumpiness": -1.7, "lines": 6.0}
    results = evolved(**{name: [[value] * 15] * 3 for name, value in finals.items()})
    ours = gavrilov_evolution.check_weight_order(results)
    assert ours.holds is holds
    assert ("most often" in ours.text) is not holds
    assert gavrilov_evolution.check_weight_signs(results).holds
    assert gavrilov_evolution.check_largest_weight("holes", results).holds


def test_ten_games_show_what_is_far_apart() -> None:
    near, far = [10, 12, 8, 11, 9] * 40, [30, 33, 27, 31, 29] * 40
    results = {"a": played(30, 1, far), "b": played(10, 1, near), "c": played(10.5, 1, near)}
    assert not gavrilov_findings.check_significance_in_ten_games("a", "b", results).holds
    assert gavrilov_findings.check_significance_in_ten_games("c", "b", results).holds


@pytest.mark.parametrize(("heavy", "holds"), [(4000.0, True), (20.0, False)])
def test_equal_weights_are_the_cause_only_if_others_help(heavy: float, holds: bool) -> None:
    results = {"gavrilov-2": played(80, 2), "gavrilov-3": played(13, 1), "weighed-holes-10": played(heavy, 5)}
    assert gavrilov_findings.check_equal_weights_cause(results).holds is holds


def test_more_features_are_told_apart_from_no_difference() -> None:
    results = {
        "evolution": trained(900, 1000, 1100),
        **{name: trained(950, 1000, 1040) for name in gavrilov_findings.ADDED_FEATURES},
    }
    assert gavrilov_findings.describe_added_features(results).endswith("none is better for certain.")
    results["with-wells"] = trained(1500, 1510, 1520)
    words = gavrilov_findings.describe_added_features(results)
    assert "with wells 1,510 ± 25 (more)" in words
    assert words.endswith("better than the four for certain: wells.")


def test_every_end_position_may_be_worth_less() -> None:
    results = {"gavrilov": played(100, 5), "reach": played(50, 5)}
    results |= {"evolution": trained(900, 1000, 1100), "evolution-reach": trained(950, 1000, 1040)}
    words = gavrilov_findings.describe_reachable_placements(results)
    assert "100 ± 5: fewer" in words
    assert words.count("no difference was found") == 1


@pytest.mark.parametrize(
    ("bag", "verdict"), [(10_000, "the more, the better"), (150, "matters. "), (100, "was not found")]
)
def test_what_the_randomiser_is_worth(bag: float, verdict: str) -> None:
    results = {
        gavrilov_findings.format_randomiser_measurement_name(agent, kind): played(100, 2)
        for agent in gavrilov_findings.GAVRILOV_AGENT_NAMES
        for kind in gavrilov_findings.GAVRILOV_RANDOMISERS
    }
    results["gavrilov"], results["gavrilov-2"] = played(bag, 2), played(200, 4)
    assert verdict in gavrilov_findings.describe_randomisers(results)


@pytest.mark.parametrize(("less", "verdict"), [(200, "costs lines"), (50, "has its use"), (101, "no difference")])
def test_whether_the_trained_weights_are_optimal(less: float, verdict: str) -> None:
    results = {
        "gavrilov": played(100, 5),
        **{
            gavrilov_findings.format_ablation_name(name): played(less, 5)
            for name in gavrilov_findings.GAVRILOV_FEATURE_NAMES
        },
    }
    assert verdict in gavrilov_findings.describe_weight_optimality(results)


def test_every_game_is_meant_of_ten() -> None:
    assert gavrilov_findings.check_every_game_above_1500({"gavrilov": played(0, 0, [2000] * 97 + [100] * 3)}).holds
    assert not gavrilov_findings.check_every_game_above_1500({"gavrilov": played(0, 0, [2000] * 9 + [100])}).holds


def test_measurements_have_names_of_their_own_and_his_features_come_first() -> None:
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


def test_every_claim_says_where_it_stands() -> None:
    assert all(claim.location.startswith("Section") for claim in GAVRILOV_PAPER.claims)
    assert len({claim.statement for claim in GAVRILOV_PAPER.claims}) == len(GAVRILOV_PAPER.claims)
