"""Tests of TetrAIs: resampled statistics, interpretations, and answers that follow from the results."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.board import Board, Placement
from tetrion.evaluation import start_threads
from tetrion.game import Game
from tetrion.lab.papers import load_paper
from tetrion.lab.papers.tetrais import (
    tetrais_answers,
    tetrais_measurements,
    tetrais_score_findings,
    tetrais_search_findings,
)
from tetrion.lab.papers.tetrais.tetrais_measurements import RUN_COUNTS
from tetrion.lab.papers.tetrais.tetrais_score_claims import (
    OTHER_AGENT_READINGS,
    STATISTIC_CLAIMS,
    make_published_statistic,
    make_statistic_claim,
)
from tetrion.lab.papers.tetrais.tetrais_score_findings import (
    MEAN_STATISTIC,
    TETRAIS_PUBLISHED_VALUES,
    VARIANCE_STATISTIC,
    ValueRange,
)
from tetrion.lab.papers.tetrais.tetrais_tables import make_cells_table, make_strategies_table
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.published_values import MeasuredValue, Verdict, decide_above
from tetrion.lab.reproduction.reproduction import compare_claim
from tetrion.position import Position


@pytest.fixture
def context(tmp_path: Path) -> Any:
    with start_threads(1) as workers:
        yield MeasurementContext(tmp_path, 1, True, workers)


def make_games(mean: float, low: float | None = None, high: float | None = None, capped: int = 0) -> dict[str, Any]:
    """Return the summary of ten games with the given mean lines and score, and their interval."""
    summary = {"mean": mean, "ci95": [low or 0.9 * mean, high or 1.1 * mean], "deviation": 1.0}
    summary |= {"played": summary["mean"], "played_ci95": summary["ci95"]}
    return {"games": 10, "capped": capped, "cap": 1000, "lines": summary, "score": dict(summary)}


def make_runs(*scores: float) -> dict[str, Any]:
    """Return training runs with these held-out scores."""
    summaries = [{"mean": score, "ci95": [0.9 * score, 1.1 * score]} for score in scores]
    return {"runs": [{"result": {"uncorrected": {"score": summary, "lines": summary}}} for summary in summaries]}


def test_ranges_become_narrower_with_more_games() -> None:
    scores = np.random.default_rng(1).integers(10, 50, 2000)
    statistics = tetrais_measurements.resample_statistics(scores, 1)
    widths = [statistics[runs]["mean"][2] - statistics[runs]["mean"][0] for runs in ("10", "100", "1000")]
    assert widths == sorted(widths, reverse=True)
    low, _, high = statistics["1000"]["mean"]
    assert low < scores.mean() < high
    # The margin of a mean of n values is 1.96 deviations over √n; the sample of 2,000 adds its own margin.
    expected = 2 * 1.96 * scores.std() * np.sqrt(1 / 1000 + 1 / 2000)
    assert high - low == pytest.approx(expected, rel=0.15)
    assert statistics == tetrais_measurements.resample_statistics(scores, 1)


def test_published_cells_are_formatted() -> None:
    assert make_published_statistic("random", 10, MEAN_STATISTIC).formatted == "24 (10 games)"
    assert make_published_statistic("greedy", 1000, MEAN_STATISTIC).formatted == "6,883.101 (1,000 games)"
    assert make_published_statistic("min-height-plain", 100, VARIANCE_STATISTIC).formatted == "0.464 (100 games)"
    assert all(len(cells) == 3 for figure in TETRAIS_PUBLISHED_VALUES.values() for cells in figure.values())


def make_statistics(mean: float) -> dict[str, Any]:
    """Return games whose mean score has a narrow range."""
    return {"games": 100, "score": {"mean": mean}, "runs": {"1000": {"mean": [0.95 * mean, mean, 1.05 * mean]}}}


@pytest.mark.parametrize(
    ("plain", "fitted", "verdict"),
    [(940, 59, Verdict.CHOSEN_READING), (940, 200, Verdict.DIFFERS), (59, 59, Verdict.AGREES)],
)
def test_min_height_agrees_by_its_plain_reading_or_only_by_a_chosen_one(
    plain: float, fitted: float, verdict: Verdict
) -> None:
    results = {"min-height-plain": make_statistics(plain), "min-height": make_statistics(fitted)}
    row = compare_claim(make_statistic_claim("min-height-plain", MEAN_STATISTIC), results)
    assert row.verdict == verdict
    assert ("`min-height`" in row.reason) == (verdict == Verdict.CHOSEN_READING)


def test_random_agent_never_agrees_by_itself_because_its_rules_were_fitted() -> None:
    results = {name: make_statistics(24.756) for name in ("random", "forty", "edge", "random-above")}
    row = compare_claim(make_statistic_claim("random", MEAN_STATISTIC), results)
    assert row.verdict == Verdict.CHOSEN_READING
    assert "was chosen by this agent's fit" in row.reason


def test_only_cells_of_1000_games_are_claims_and_a_table_has_all() -> None:
    assert len(STATISTIC_CLAIMS) == 6
    cells = {
        f"{runs}": {name: [40.0, 50.0, 60.0] for name in (MEAN_STATISTIC, VARIANCE_STATISTIC)} for runs in RUN_COUNTS
    }
    data = {"games": 100, "score": {"mean": 50.0}, VARIANCE_STATISTIC: 0.3, "runs": cells}
    results = dict.fromkeys(("random", "min-height-plain", "greedy", *OTHER_AGENT_READINGS), data)
    rows = make_cells_table(results)
    assert len(rows) == 18
    assert rows[0] == [
        "average score, random, 10 games",
        "24",
        "50.0",
        "40.0 to 60.0",
        "outside",
        "ten columns: 50.0, outside; columns 0 to 10: 50.0, outside; spawn above: 50.0, outside",
    ]
    assert rows[3][4:] == ["within", "`min-height`: 50.0, within"]


def test_piece_is_pushed_back_to_right_wall() -> None:
    game = Game("tetrais:randomiser=only-I")
    horizontal = {placement.column: placement for placement in game.placements() if placement.rotation == 0}
    assert tetrais_measurements.count_wall_push_columns(horizontal[0], 10) == 1
    assert tetrais_measurements.count_wall_push_columns(horizontal[6], 10) == 4  # columns 6, 7, 8 and 9
    assert tetrais_measurements.count_wall_push_columns(horizontal[6], 11) == 5
    assert tetrais_measurements.count_wall_push_columns(Placement("I", 1, 9, 0), 10) == 1
    placements = Game("tetrais:randomiser=only-T").placements()
    actions = sum(tetrais_measurements.count_wall_push_columns(placement, 10) for placement in placements)
    assert actions == 40  # as in the report


def test_wall_push_games_are_reproducible(context: MeasurementContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tetrais_measurements, "QUICK_WALL_PUSH_GAMES", 12)
    first, second = (tetrais_measurements.measure_wall_push_games(10, context) for _ in range(2))
    assert first == second
    assert first["games"] == 12
    assert 15 < first["score"]["mean"] < 35


def test_leftmost_of_equally_low_placements_comes_first(context: MeasurementContext) -> None:
    # An upright piece fits into the first column; a flat piece would lie as low, but further to the right.
    board = Board((0, 1, 0, 0, 0, 0, 1, 1, 1, 1), 22)
    chosen = tetrais_measurements.LeftmostLowestAgent().choose(Position.from_board(board, "I", rules="tetrais"))
    assert (chosen.rotation, chosen.column, chosen.row) == (1, 0, 0)
    assert tetrais_measurements.measure_leftmost_games(context)["score"]["mean"] > 300


def make_sample(in_range: int, games: int = 1000) -> dict[str, Any]:
    """Return games of which some have a score of 50, the others of 10."""
    return {"a": {"sample": {"score": [50] * in_range + [10] * (games - in_range)}}}


@pytest.mark.parametrize(("count", "holds"), [(10, True), (50, None), (100, False)])
def test_share_of_games_below_a_bound(count: int, holds: bool | None) -> None:
    check = tetrais_score_findings.make_share_check(
        "a", "score", ValueRange(40), tetrais_score_findings.decide_below, 0.05
    )
    assert check(make_sample(count)).holds is holds


@pytest.mark.parametrize(("count", "holds"), [(400, False), (500, None), (600, True)])
def test_share_of_games_above_a_bound(count: int, holds: bool | None) -> None:
    check = tetrais_score_findings.make_share_check("a", "score", ValueRange(40, 60), decide_above, 0.5)
    assert check(make_sample(count)).holds is holds


@pytest.mark.parametrize(("share", "holds"), [(0.0, False), (0.001, None), (0.01, True), (0.05, None), (0.5, False)])
def test_exceptional_games_are_some_but_few(share: float, holds: bool | None) -> None:
    data = {"a": {"many_lines": share, "games": 10_000}}
    assert tetrais_score_findings.make_exceptional_games_check("a")(data).holds is holds


@pytest.mark.parametrize(("won", "holds"), [(100, True), (97, None), (50, False)])
def test_series_of_ten_games_are_won(won: int, holds: bool | None) -> None:
    results = {
        "random": {"sample": {"score": [20] * 1000}},
        "min-height-plain": {"sample": {"score": [30] * 10 * won + [10] * 10 * (100 - won)}},
    }
    assert tetrais_score_findings.check_series_won(results).holds is holds


@pytest.mark.parametrize(("depth_two", "holds"), [(1e5, True), (6100, None), (1000, False)])
def test_order_of_the_agents_ends_with_the_depth_limited_one(depth_two: float, holds: bool | None) -> None:
    games = {"random": 20, "min-height-plain": 900, "greedy": 6000, "depth2": depth_two}
    results = {name: make_games(score) for name, score in games.items()} | {"q-report": make_runs(90, 91, 92)}
    ours = tetrais_score_findings.check_score_order(results)
    assert ours.holds is holds
    assert ours.evidence.startswith("minimum height scores more than random")
    assert "scores less than greedy and less than depth-limited, with which the report" in ours.evidence


@pytest.mark.parametrize(
    ("mean", "variance", "holds"),
    [(100, 0.3, True), (100, 0.2, None), (100, 0.1, False), (50, 0.3, None), (20, 0.3, False)],
)
def test_increase_of_average_and_variance(mean: float, variance: float, holds: bool | None) -> None:
    results = {}
    for name, cells in (("a", (50, 0.2)), ("greedy", (mean, variance))):
        ranges = {
            key: [0.9 * cell, cell, 1.1 * cell]
            for key, cell in zip((MEAN_STATISTIC, VARIANCE_STATISTIC), cells, strict=True)
        }
        score = {"mean": cells[0]}
        results[name] = {"games": 10, "score": score, VARIANCE_STATISTIC: cells[1], "runs": {"1000": ranges}}
    assert tetrais_score_findings.make_increase_check("a")(results).holds is holds


@pytest.mark.parametrize(("score", "holds"), [(1000, True), (200, None), (100, False)])
def test_impact_of_weights(score: float, holds: bool | None) -> None:
    results = {"greedy": make_games(100), "genetic-games": {"depth-1": make_games(score)}}
    assert tetrais_score_findings.check_weights_impact(results).holds is holds


def test_wide_censored_means_show_only_their_lower_end() -> None:
    wide, narrow = make_games(1000, 300, 3000, capped=9), make_games(1000, 900, 1100, capped=1)
    assert tetrais_score_findings.read_mean(wide).formatted == "> 300"
    assert tetrais_score_findings.read_mean(wide).value == 1000
    assert tetrais_score_findings.read_mean(narrow).formatted == "1,000 ± 100"
    assert tetrais_score_findings.read_mean(make_games(1000, 300, 3000)).formatted == "1,000 −700 +2,000"


def test_time_and_depth_checks() -> None:
    rates = {"1": 4000.0, "2": 200.0, "3": 8.0}
    results = {"thinking": {"time": {"decision": {"2": 0.02, "3": 0.5}, "pieces_per_second": rates}}}
    assert tetrais_search_findings.check_decision_time(3, 1.0, results).holds is True
    assert tetrais_search_findings.check_decision_time(3, 0.1, results).holds is False
    assert tetrais_search_findings.check_depth_two_too_slow(results).holds is False
    for third, holds in ((8.0, True), (5.0, None), (2.0, False)):
        rates["3"] = third
        assert tetrais_search_findings.check_time_growth(results).holds is holds


@pytest.mark.parametrize(
    ("fast", "at_once", "holds"), [(99, 100, True), (50, 50, False), (50, 100, None), (90, 90, None)]
)
def test_agents_keep_their_score_at_high_speed(fast: float, at_once: float, holds: bool | None) -> None:
    results = {}
    for agent in tetrais_measurements.INSTANT_KEY_AGENTS:
        for suffix, score in (("1000ms", 100), ("100ms", fast), ("100ms-at-once", at_once)):
            noise = [1, -1] * 10 if suffix == "100ms" else [0] * 20
            results[f"{agent}-{suffix}"] = {"sample": {"score": [score + part for part in noise]}}
    ours = tetrais_search_findings.check_high_speed(results)
    assert ours.holds is holds
    assert "gives no key rate" in ours.evidence


def test_paired_ratio_of_equal_games_is_exactly_one() -> None:
    first, second = ({"sample": {"score": scores}} for scores in ([10, 200, 30], [20, 400, 60]))
    equal = tetrais_search_findings.compute_paired_ratio(first, first)
    assert (equal.value, equal.ci95) == (1.0, (1.0, 1.0))
    half = tetrais_search_findings.compute_paired_ratio(first, second)
    assert (half.value, half.ci95) == (0.5, (0.5, 0.5))
    low, high = tetrais_search_findings.compute_paired_ratio(first, {"sample": {"score": [10, 190, 45]}}).interval
    assert low < 1 < high


@pytest.mark.parametrize(
    ("long_games", "ended", "holds"), [(10, 4, True), (10, 0, None), (5, 4, None), (0, 4, False), (0, 0, False)]
)
def test_long_games_end_nevertheless(long_games: int, ended: int, holds: bool | None) -> None:
    data = make_games(1000, capped=10 - ended) | {"sample": {"lines": [20_000] * long_games + [10] * (10 - long_games)}}
    ours = tetrais_search_findings.check_long_games({"depth2": data})
    assert ours.holds is holds
    assert ("does not hold literally" in ours.evidence) == bool(ended)


def make_strategies(*is_within: bool | None) -> dict[str, Any]:
    """Return results of the search for bars in wells of width 2 and more."""
    cells = {True: (4, 2, 4), False: (4, None, None), None: (None, None, None)}
    found = {}
    for width in range(2, 8):
        outcome = is_within[width - 2] if width - 2 < len(is_within) else True
        smallest, states, height = cells[outcome]
        found[str(width)] = {
            "published": [4, width],
            "smallest_height": smallest,
            "state_count": states,
            "state_height": height,
            "is_within": outcome,
        }
    return {"single-piece": {"Bar": found}}


@pytest.mark.parametrize("outcome", [True, False, None])
def test_strategies_of_figure_2(outcome: bool | None) -> None:
    results = make_strategies(True, outcome)
    assert tetrais_search_findings.make_strategy_check("Bar")(results).holds is outcome


@pytest.mark.parametrize(("smallest", "holds"), [(None, True), (3, False)])
def test_no_strategy_in_wells_of_odd_width(smallest: int | None, holds: bool) -> None:
    found = {"published": None, "searched_height": 5, "smallest_height": smallest}
    results = {"single-piece": {"Square": dict.fromkeys(("3", "5", "7"), found)}}
    assert tetrais_search_findings.make_no_strategy_check("Square")(results).holds is holds
    unproven = tetrais_search_findings.make_no_strategy_check("Tee")(
        {"single-piece": {"Tee": results["single-piece"]["Square"]}}
    )
    assert unproven.holds is (False if smallest else None)


def test_table_of_strategies() -> None:
    bars = make_strategies()["single-piece"]["Bar"]
    no_strategy = {"published": None, "searched_height": 5, "smallest_height": None}
    odd = {width: no_strategy if int(width) % 2 else data for width, data in bars.items()}
    results = {"single-piece": {"Square": odd, "Kink": odd, "Bar": bars, "Elbow": bars, "Tee": bars}}
    rows = make_strategies_table(results)
    assert rows[0] == ["Square", "2", "4", "2", "4", "2 (height 4)"]
    assert rows[1] == ["Square", "3", "no winning strategy", "–", "none up to 5", "–"]


def test_delta_of_the_report_is_our_bumpiness() -> None:
    assert tetrais_search_findings.measure_report_delta({}).value == 8


def test_comparisons_follow_intervals() -> None:
    few = MeasuredValue(100, (90, 110))
    many = MeasuredValue(200, (180, 220))
    unknown = MeasuredValue(None, (150, float("inf")))
    assert tetrais_score_findings.compare_by_ratio(many, few) == "more"
    assert tetrais_score_findings.compare_by_ratio(few, many) == "less"
    assert tetrais_score_findings.compare_by_ratio(few, MeasuredValue(105, (95, 115))) == "no different"
    assert tetrais_score_findings.compare_by_ratio(few, unknown) == "less"
    assert tetrais_score_findings.compare_by_ratio(many, unknown) == "no different"
    assert tetrais_answers.format_in_sentence(unknown) == "more than 150"


def test_answer_about_soft_drop_follows_results() -> None:
    results = {name: make_games(100) for name in ("greedy", "q-drop", "depth2")}
    results |= {f"{name}-stiff": make_games(100) for name in ("greedy", "q", "depth2")}
    results |= {"greedy-soft": make_games(200), "q-soft": make_games(50), "depth2-soft": make_games(104)}
    answer = tetrais_answers.describe_soft_drop(results)
    greedy, q, depth2, _ = answer.split(";")
    assert "it helps" in greedy
    assert "it harms" in q
    assert "no difference found" in depth2


@pytest.mark.parametrize(
    ("lines", "text"), [(5, "less than"), (1e6, "more than"), (1000, "not measurably more or less than")]
)
def test_answer_about_genetic_agent_follows_results(lines: float, text: str) -> None:
    games: dict[str, Any] = {name: make_games(lines) for name in ("depth-1", "looking-ahead", "learnt-ahead")}
    answer = tetrais_answers.describe_genetic_agent({"depth2": make_games(1000), "genetic-games": games})
    assert answer.count(text) == 3


@pytest.mark.parametrize(("rate", "rate_ahead", "holds"), [(40.0, 20.0, True), (3.0, 2.0, False), (40.0, 2.0, None)])
def test_genetic_agent_is_much_faster(rate: float, rate_ahead: float, holds: bool | None) -> None:
    results = {"genetic-games": {"time": {"depth-1": rate, "looking-ahead": rate_ahead, "by-hand": 2.0}}}
    assert tetrais_search_findings.check_genetic_speed(results).holds is holds


def test_copies_of_published_points() -> None:
    assert tetrais_search_findings.measure_report_points({}).holds is True
    assert tetrais_search_findings.compare_copies((1, 2), (1, 3)).holds is False


def test_measurement_names_are_unique() -> None:
    names = [measurement.name for measurement in load_paper("tetrais").measurements]
    assert len(names) == len(set(names))
