"""Tests of Gavrilov's report: its special games, and findings and answers that follow from the results."""

from itertools import accumulate
from typing import Any

import pytest

from tetrion import Game
from tetrion.agents import RandomKeysAgent
from tetrion.engine.pieces import SHAPES
from tetrion.evaluation import evaluate
from tetrion.lab.papers.gavrilov import gavrilov_answers, gavrilov_evolution, gavrilov_findings, gavrilov_games
from tetrion.lab.papers.gavrilov.gavrilov_measurements import GAVRILOV_MEASUREMENTS, format_added_features_change
from tetrion.lab.papers.gavrilov.gavrilov_paper import GAVRILOV_PAPER
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
    records, bug_count = gavrilov_games.play_with_bug("gavrilov", 20, 1, 1500)
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


SEEDS = 20  # runs in the tests of findings over seeds


def make_medians(first: list[int | None]) -> dict[str, Any]:
    """Return an evolution whose generations reach the maximum first in the given generations; None: never."""
    rows = [[335.0 if start is not None and number >= start else 50.0 for number in range(12)] for start in first]
    return make_evolution(median=rows)


@pytest.mark.parametrize(
    ("first", "holds", "ends"),
    [
        ([3, 4, 5] * 7, True, "3 to 5"),
        ([6, 7, 8] * 7, False, "6 to 8"),
        ([1, 4, 10] * 7, None, "1 to 10"),
        ([3, 4, None] * 7, None, "3 to not within 12 generations"),
        ([None] * 20, False, "not within 12 generations to not within 12 generations"),
    ],
)
def test_first_generation_is_compared_with_the_range_over_seeds(
    first: list[int | None], holds: bool | None, ends: str
) -> None:
    ours = gavrilov_evolution.check_first_generation("median", 4, make_medians(first))
    assert ours.holds is holds
    assert ours.text.endswith(f"({ends})")
    assert f"({ends})" in ours.evidence


@pytest.mark.parametrize(("first", "holds"), [([5.0] * 3, True), ([200.0, 201.0, 202.0], False), ([1, 9, 90], None)])
def test_first_generation_is_poor_below_a_tenth_of_the_lines(first: list[float], holds: bool | None) -> None:
    results = make_evolution(mean=[[mean] for mean in first], max_pieces=[[850.0]] * 3)
    assert gavrilov_evolution.check_first_generation_poor(results).holds is holds


@pytest.mark.parametrize(("last", "holds"), [(400.0, True), (200.0, False), (305.0, None)])
def test_mean_rises_only_if_each_gain_is_significant(last: float, holds: bool | None) -> None:
    means = [
        [5.0 + run % 2] * 4 + [200.0] * 4 + [300.0 + 10 * (run % 3)] * 6 + [last + 30 * (run % 4 - 1.5)]
        for run in range(SEEDS)
    ]
    if holds is None:
        means = [[*row[:14], row[8] + (60.0 if run % 2 else -55.0)] for run, row in enumerate(means)]
    ours = gavrilov_evolution.check_mean_rises(make_evolution(mean=means, max_pieces=[[1150.0] * 15] * SEEDS))
    assert ours.holds is holds
    assert "200 (43 %)" in ours.text


def test_mean_does_not_rise_only_because_games_become_longer() -> None:
    means = [[5.0] * 4 + [170.0] * 4 + [230.0] * 7] * SEEDS
    limits = [[850.0] * 8 + [1150.0] * 7] * SEEDS
    ours = gavrilov_evolution.check_mean_rises(make_evolution(mean=means, max_pieces=limits))
    assert ours.holds is False, "half of the possible lines in generations 4, 8 and 14"


@pytest.mark.parametrize(("late", "holds"), [([5.0], True), ([90.0], False), ([0.0, 100.0], None)])
def test_spread_narrows_only_if_significant(late: list[float], holds: bool | None) -> None:
    upper = [[50.0 + run % 3] * 10 + [late[run % len(late)] + run % 3] * 5 for run in range(SEEDS)]
    results = make_evolution(mean=[[100.0] * 15] * SEEDS, q1=[[0.0] * 15] * SEEDS, q3=upper)
    assert gavrilov_evolution.check_spread_narrows(results).holds is holds


@pytest.mark.parametrize(("late", "holds"), [(404.0, True), (440.0, False), (420.0, None)])
def test_gain_after_stop_follows_results(late: float, holds: bool | None) -> None:
    means = [[400.0] * 16 + [late + run % 3 - 1] * 14 for run in range(6)]
    assert gavrilov_evolution.check_no_gain_after_stop(make_evolution(mean=means)).holds is holds


def make_final_weights(height: float, other_height: float = 0.0, other_runs: int = 0) -> dict[str, Any]:
    """Return an evolution whose weights have the order of the report, except for the weight of height in some runs."""
    heights = [[other_height if run < other_runs else height] * 15 for run in range(SEEDS)]
    others = {"holes": -9.0, "bumpiness": -1.7, "lines": 6.0}
    return make_evolution(piece_top=heights, **{name: [[value] * 15] * SEEDS for name, value in others.items()})


@pytest.mark.parametrize(("other_runs", "holds"), [(0, True), (20, False), (10, None)])
def test_findings_about_weights_need_most_seeds(other_runs: int, holds: bool | None) -> None:
    results = make_final_weights(0.5, -12.0, other_runs)
    assert gavrilov_evolution.check_height_positive(results).holds is holds
    assert gavrilov_evolution.check_weight_signs(results).holds is holds
    assert gavrilov_evolution.check_largest_weight("holes", results).holds is holds
    assert gavrilov_evolution.check_smaller_weight("piece_top", ("lines",), results).holds is holds
    assert gavrilov_evolution.check_smaller_weight("piece_top", ("holes", "bumpiness", "lines"), results).holds is holds


def make_weight_path(early_step: float, late_step: float) -> list[float]:
    """Return a weight that changes by one step per generation until generation 3 and by another one after it."""
    steps = [0.0] + [early_step] * 3 + [late_step] * 11
    return list(accumulate(steps))


@pytest.mark.parametrize(("late", "holds"), [((0.1, 0.2), True), ((0.9, 1.0), False), ((0.0, 1.0), None)])
def test_weight_settles_if_it_changes_less_than_half_as_much(late: tuple[float, float], holds: bool | None) -> None:
    paths = [make_weight_path(1.0, late[run % 2]) for run in range(SEEDS)]
    assert gavrilov_evolution.check_weight_settles("bumpiness", make_evolution(bumpiness=paths)).holds is holds


@pytest.mark.parametrize(("height", "holds"), [((0.1, 0.2), True), ((2.0, 2.1), False), ((0.0, 2.0), None)])
def test_steadier_weight_changes_less_in_most_seeds(height: tuple[float, float], holds: bool | None) -> None:
    paths = [make_weight_path(height[run % 2], height[run % 2]) for run in range(SEEDS)]
    results = make_evolution(piece_top=paths, holes=[make_weight_path(1.0, 1.0)] * SEEDS)
    ours = gavrilov_evolution.check_steadier_weight("piece_top", "holes", results)
    assert ours.holds is holds
    assert "holes by 1.00 per generation" in ours.text


def test_weight_change_is_the_median_over_seeds() -> None:
    paths = [[-3.0] * 14 + [-3.0 - run] for run in range(5)]
    assert gavrilov_evolution.compute_weight_change("holes", make_evolution(holes=paths)).value == -2


def test_training_days_in_real_time_follow_from_pieces_and_time_per_piece() -> None:
    real_time = {"real-time": {"60": {"training_seconds_per_piece": 0.5}}}
    pieces = [[86_400.0 / 15] * 20, [86_400.0] * 20]
    results = make_evolution(pieces=pieces, mean=[[450.0] * 20, [100.0] * 20]) | real_time
    ours = gavrilov_evolution.compute_real_time_training_days(60, results)
    assert ours.value == pytest.approx(0.5), "only the successful run counts"
    assert ours.formatted == "0.5 days (0.5 to 0.5): 86,400 pieces of 0.50 s"
    unsuccessful = make_evolution(pieces=pieces, mean=[[100.0] * 20] * 2) | real_time
    assert gavrilov_evolution.compute_real_time_training_days(60, unsuccessful).value is None


@pytest.mark.parametrize(("leads", "holds"), [(0, True), (20, False), (10, None)])
def test_ten_games_show_only_large_differences(leads: int, holds: bool | None) -> None:
    near, far = [10, 12, 8, 11, 9] * 2, [30, 33, 27, 31, 29] * 2
    first = [line for series in range(SEEDS) for line in (far if series < leads else near)]
    results = {"a": make_games(20, 1, first), "b": make_games(10, 1, near * SEEDS)}
    assert gavrilov_findings.check_significance_in_ten_games("a", "b", results).holds is holds


def test_best_of_ten_games() -> None:
    results = {"a": make_games(10, 1, [*range(10), *range(10, 20)])}
    assert gavrilov_findings.compute_best_of_ten("a", results).value == 14


@pytest.mark.parametrize(("heavy", "holds"), [(4000.0, True), (20.0, False), (82.0, None)])
def test_equal_weights_are_the_cause_only_if_other_weights_help(heavy: float, holds: bool | None) -> None:
    results = {
        "gavrilov-2": make_games(80, 2),
        "gavrilov-3": make_games(13, 1),
        "weighed-holes-10-bumpiness-0": make_games(80, 2),
        "weighed-holes-10": make_games(heavy, 5),
    }
    assert gavrilov_findings.check_equal_weights_cause(results).holds is holds


@pytest.mark.parametrize(("more", "holds"), [(30, True), (15, False), (20, None)])
def test_more_lines_by_a_factor(more: float, holds: bool | None) -> None:
    results = {"a": make_games(more, 1), "b": make_games(10, 0.5)}
    assert gavrilov_findings.check_more_lines("a", "b", results, factor=2).holds is holds


@pytest.mark.parametrize(("fastest", "holds"), [(2, True), (8, False), (5, None)])
def test_random_keys_are_beaten_only_if_at_every_key_rate(fastest: float, holds: bool | None) -> None:
    rates = {"120": make_games(1, 0.1), "200": make_games(1, 0.1), "400": make_games(fastest, 0.5)}
    results = {"lowest": make_games(10, 0.1), "random-keys": make_games(1, 0.1), "key-rates": rates}
    ours = gavrilov_findings.check_beats_random_keys("lowest", results, factor=2)
    assert ours.holds is holds
    assert ours.text.endswith("(100 games) at 500")


def test_played_keys_per_second_follow_from_whole_milliseconds() -> None:
    assert [gavrilov_games.format_key_rate(rate) for rate in (8, 60, 200, 400)] == ["8", "59", "200", "500"]


def make_agents(*means: float) -> dict[str, Any]:
    """Return the games of the agents with one to four features."""
    names = gavrilov_findings.AGENTS_BY_FEATURE_COUNT
    return {name: make_games(mean, 1) for name, mean in zip(names, means, strict=True)}


@pytest.mark.parametrize(("means", "best", "second"), [((6, 81, 14, 18), True, True), ((90, 81, 14, 70), False, False)])
def test_rank_of_an_agent(means: tuple[float, ...], best: bool, second: bool) -> None:
    assert gavrilov_findings.check_rank("gavrilov-2", (), make_agents(*means)).holds is best
    assert gavrilov_findings.check_rank("gavrilov-4", ("gavrilov-2",), make_agents(*means)).holds is second


def test_rank_is_undecided_if_intervals_overlap() -> None:
    assert gavrilov_findings.check_rank("gavrilov-4", ("gavrilov-2",), make_agents(6, 81, 17.5, 18)).holds is None


@pytest.mark.parametrize(
    ("means", "holds"), [((6, 14, 25, 40), True), ((6, 81, 14, 18), False), ((6, 14, 25, 25.5), None)]
)
def test_modest_improvement_needs_small_gains(means: tuple[float, ...], holds: bool | None) -> None:
    names = gavrilov_findings.AGENTS_BY_FEATURE_COUNT
    assert gavrilov_findings.check_modest_improvement(names, make_agents(*means)).holds is holds


def test_added_features_are_better_only_if_significant() -> None:
    results = {
        "evolution": make_training(900, 1000, 1100),
        **{name: make_training(950, 1000, 1040) for name in gavrilov_findings.ADDED_FEATURES},
    }
    assert gavrilov_answers.describe_added_features(results).endswith("none is significantly better.")
    results["with-wells"] = make_training(1500, 1510, 1520)
    answer = gavrilov_answers.describe_added_features(results)
    assert "with wells 1,510 ± 25 (more)" in answer
    assert answer.endswith("these are significantly better: wells.")


def test_reachable_placements_may_give_fewer_lines() -> None:
    results = {"gavrilov": make_games(100, 5), "reach": make_games(50, 5)}
    results |= {"evolution": make_training(900, 1000, 1100), "evolution-reach": make_training(950, 1000, 1040)}
    answer = gavrilov_answers.describe_reachable_placements(results)
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
    assert verdict in gavrilov_answers.describe_randomisers(results)


def make_ablations(height: float, holes: float, bumpiness: float, clearing: float) -> dict[str, Any]:
    """Return the games of the trained agent, which has 100 lines, and its games without each feature."""
    means = (height, holes, bumpiness, clearing)
    names = map(gavrilov_findings.format_ablation_name, gavrilov_findings.GAVRILOV_FEATURE_NAMES)
    return {"gavrilov": make_games(100, 5)} | {
        name: make_games(mean, 5) for name, mean in zip(names, means, strict=True)
    }


@pytest.mark.parametrize(("height", "holds"), [(50, True), (200, False), (101, None)])
def test_weights_are_optimal_only_if_each_helps(height: float, holds: bool | None) -> None:
    ours = gavrilov_findings.check_weights_optimal(make_ablations(height, 20, 30, 60))
    assert ours.holds is holds
    assert ("without height it clears more lines" in ours.evidence) is (holds is False)


@pytest.mark.parametrize(("without", "holds"), [(40, True), (95, False), (80, None)])
def test_feature_matters_if_a_fifth_of_the_lines_is_lost(without: float, holds: bool | None) -> None:
    results = make_ablations(50, 50, without, 50)
    assert gavrilov_findings.check_feature_matters("bumpiness", results).holds is holds


def test_feature_is_harmful_if_lines_are_gained_without_it() -> None:
    ours = gavrilov_findings.check_feature_matters("bumpiness", make_ablations(50, 50, 200, 50))
    assert ours.evidence.startswith("it is harmful: ")


@pytest.mark.parametrize(("holes", "holds"), [(20, True), (150, False), (30, None)])
def test_most_important_feature(holes: float, holds: bool | None) -> None:
    assert gavrilov_findings.check_most_important("holes", make_ablations(60, holes, 30, 90)).holds is holds


@pytest.mark.parametrize(
    ("above", "below", "holds"), [(1000, 0, True), (300, 700, False), (960, 40, None), (97, 0, None)]
)
def test_every_game_depends_on_the_number_of_games(above: int, below: int, holds: bool | None) -> None:
    lines = [2000] * above + [100] * below
    ours = gavrilov_findings.check_every_game_above(1500, {"gavrilov": make_games(0, 0, lines)})
    assert ours.holds is holds
    assert ("differs if he played many" in ours.evidence) is (holds is None)


@pytest.mark.parametrize(("bugs", "holds"), [(10, True), (1000, False), (100, None)])
def test_bug_is_rare_below_once_per_hundred_lines(bugs: int, holds: bool | None) -> None:
    found = {"bug_count": bugs, "cleared_lines": 10_000, "with": {"games": 100}}
    results = {"hanging-rows-gavrilov-2": found, "hanging-rows": {"bug_count": 1, "cleared_lines": 178}}
    ours = gavrilov_findings.check_bug_is_rare(results)
    assert ours.holds is holds
    assert ours.text.endswith("of the trained agent, once per 178 lines")


@pytest.mark.parametrize(("with_bug", "holds"), [(95, True), (50, False), (82, None)])
def test_bug_is_harmless_if_four_fifths_of_the_lines_remain(with_bug: float, holds: bool | None) -> None:
    results = {"hanging-rows-gavrilov-2": {"with": make_games(with_bug, 5)}, "gavrilov-2": make_games(100, 4)}
    assert gavrilov_findings.check_bug_is_harmless(results).holds is holds


@pytest.mark.parametrize(("wait", "holds"), [(40, True), (10, False)])
def test_bag_deals_evenly_if_waits_and_streaks_are_shorter(wait: int, holds: bool) -> None:
    bag = {"pieces": 100, "wait": 12, "streak": 2}
    results = {"sequences": {"bag": bag, "uniform": {"pieces": 100, "wait": wait, "streak": 4}}}
    assert gavrilov_findings.check_bag_deals_evenly(results).holds is holds


def test_decisions_are_combined() -> None:
    assert gavrilov_findings.decide_all([True, True]) is True
    assert gavrilov_findings.decide_all([True, None]) is None
    assert gavrilov_findings.decide_all([None, False]) is False


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
