"""Statistics of games: known results, and confidence intervals that contain the true mean as often as they should."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from tetrion.engine.batch_play import make_full_games, make_games
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import Rules
from tetrion.evaluation import Evaluation, PairedDifference, SummaryStatistics
from tetrion.evaluation.confidence_intervals import (
    NORMAL_QUANTILE,
    Interval,
    SampleArray,
    compute_censored_interval,
    compute_chi_squared_quantile,
    compute_difference_interval,
    compute_mean_interval,
    get_student_quantile,
)
from tetrion.evaluation.game_statistics import as_results, has_attack
from tetrion.evaluation.number_format import (
    format_mean_interval,
    format_number,
    format_percent,
    format_range,
    format_speed,
)

STANDARD = Rules("standard")


def make_records(lines: list[int], status: list[int] | None = None) -> GameRecords:
    games = make_games(len(lines), 0)
    games["lines"] = lines
    games["score"] = np.multiply(lines, 3)
    games["pieces"] = np.multiply(lines, 10)
    games["status"] = STATUS_OVER if status is None else status
    return games


def make_evaluation(lines: list[int], status: list[int] | None = None, **options: Any) -> Evaluation:
    return Evaluation.from_games("x", STANDARD, 0, make_records(lines, status), seconds=2.0, **options)


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (999, 1.962)]
)
def test_student_quantiles_match_tables(freedom: int, expected: float) -> None:
    assert get_student_quantile(freedom) == pytest.approx(expected, rel=0.003)


@pytest.mark.parametrize(
    ("freedom", "low", "high"),
    [(2, 0.0506, 7.378), (6, 1.237, 14.449), (20, 9.591, 34.170), (100, 74.222, 129.561), (2000, 1877.9, 2125.8)],
)
def test_chi_squared_quantiles_match_tables(freedom: int, low: float, high: float) -> None:
    assert compute_chi_squared_quantile(freedom, -NORMAL_QUANTILE) == pytest.approx(low, rel=0.03)
    assert compute_chi_squared_quantile(freedom, NORMAL_QUANTILE) == pytest.approx(high, rel=0.002)


def measure_coverage(
    compute_interval: Callable[[Any], Interval | None], draw_sample: Callable[[np.random.Generator], Any]
) -> float:
    """Return the share of random samples, with a true mean of 1, whose interval contains that mean."""
    generator = np.random.default_rng(7)
    hits = 0
    samples = 4000
    for _ in range(samples):
        interval = compute_interval(draw_sample(generator))
        hits += interval is not None and interval[0] <= 1 <= interval[1]
    return hits / samples


@pytest.mark.parametrize(("games", "minimum"), [(3, 0.93), (20, 0.92)])
def test_coverage_for_exponential_games(games: int, minimum: float) -> None:
    coverage = measure_coverage(compute_mean_interval, lambda generator: generator.exponential(1, games))
    assert minimum <= coverage <= 0.965


def test_coverage_for_differences() -> None:
    def draw_sample(generator: np.random.Generator) -> SampleArray:
        return generator.exponential(3, 30) - generator.exponential(2, 30)

    assert 0.93 <= measure_coverage(compute_difference_interval, draw_sample) <= 0.965


@pytest.mark.parametrize(("games", "cap"), [(10, 0.5), (100, 1.0)])
def test_coverage_for_capped_games(games: int, cap: float) -> None:
    """Lifetimes are censored at a cap; the interval is slightly too wide rather than too narrow."""

    def draw_sample(generator: np.random.Generator) -> SampleArray:
        return generator.exponential(1, games)

    def compute_interval(lifetimes: SampleArray) -> Interval:
        return compute_censored_interval(float(np.minimum(lifetimes, cap).sum()), int((lifetimes <= cap).sum()))

    assert 0.94 <= measure_coverage(compute_interval, draw_sample) <= 0.995


def test_rule_of_three() -> None:
    """With a mean at the lower end of the interval, the probability of no death in a hundred games is 5 %."""
    low, high = compute_censored_interval(100.0, 0)
    assert math.exp(-100 / low) == pytest.approx(0.05, abs=0.001)
    assert high == math.inf


def test_summary_by_hand() -> None:
    lines = SummaryStatistics.from_numbers(np.array([1, 2, 3, 4, 10]))
    assert (lines.mean, lines.median, lines.q1, lines.q3, lines.min, lines.max) == (4.0, 3.0, 2.0, 4.0, 1, 10)
    factor = math.exp(2.776 * math.sqrt(12.5) / math.sqrt(5) / 4)
    assert lines.ci95 == pytest.approx((4 / factor, 4 * factor), rel=0.01)
    assert lines.precision == pytest.approx((factor - 1 / factor) / 2, rel=0.01)


def test_summary_of_a_single_game_and_of_equal_games() -> None:
    one, equal, none = (SummaryStatistics.from_numbers(np.array(numbers)) for numbers in ([7], [7, 7, 7], [0, 0, 0]))
    assert (one.mean, one.has_interval, one.precision) == (7.0, False, None)
    assert all(map(math.isnan, one.ci95))
    assert one.to_json()["ci95"] is None
    assert (equal.ci95, equal.precision) == ((7.0, 7.0), 0.0)
    assert (none.mean, none.ci95, none.precision) == (0.0, (0.0, 1.0), None)  # rule of three: fewer than 3 in 3 games


def test_capped_games_by_hand() -> None:
    result = make_evaluation([1, 2, 3, 4, 10], [STATUS_OVER, STATUS_OVER, STATUS_OVER, STATUS_CAPPED, STATUS_PLAYING])
    assert (result.games, result.deaths, result.capped, result.pieces_per_second) == (5, 3, 2, 100.0)
    for summary, scale in ((result.lines, 1), (result.score, 3), (result.pieces, 10)):
        assert summary.mean == pytest.approx(scale * 20 / 3)
        assert summary.ci95 == pytest.approx((scale * 40 / 17.535, scale * 40 / 1.237), rel=0.03)
        assert (summary.median, summary.max) == (3 * scale, 10 * scale)  # uncorrected


def test_mean_is_infinite_without_deaths() -> None:
    result = make_evaluation([10, 20, 30], [STATUS_CAPPED] * 3)
    assert (result.lines.mean, result.lines.ci95, result.lines.precision) == (math.inf, (20.0, math.inf), None)
    content = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert (content["lines"]["mean"], content["lines"]["ci95"], content["capped"]) == (None, [20.0, None], 3)


def test_statistics_from_papers() -> None:
    result = make_evaluation([1, 2, 3, 4, 10])
    result.per_game["clears"][:, 3] = [0, 0, 0, 1, 1]
    assert (result.points_per_line, result.tetris_rate) == (3.0, 0.4)
    assert result.normalised_variance == pytest.approx((9 + 4 + 1 + 0 + 36) / 5 / 16)
    no_lines = make_evaluation([0])
    assert (no_lines.points_per_line, no_lines.tetris_rate, no_lines.normalised_variance) == (None, None, None)


def test_difference_uses_the_games_that_both_played() -> None:
    first = make_evaluation([1, 2, 3, 4], [STATUS_OVER, STATUS_OVER, STATUS_OVER, STATUS_OVER])
    other = make_evaluation([40, 20, 30], [STATUS_OVER, STATUS_OVER, STATUS_OVER], game_numbers=np.array([3, 1, 2]))
    difference = other.compare_to(first)
    assert difference is not None
    assert (difference.mean, difference.games, difference.capped) == (27.0, 3, False)
    assert make_evaluation([1], game_numbers=np.array([9])).compare_to(first) is None
    assert replace(other, was_stopped=True).compare_to(first) is None  # the finished games are the short ones
    capped = make_evaluation([5, 6], [STATUS_OVER, STATUS_CAPPED]).compare_to(first)
    assert capped is not None
    assert capped.capped
    assert other.to_json(first)["difference_to_first"] == {"mean": 27.0, "ci95": difference.ci95}


def describe_difference(lines: list[int], first: list[int], capped: bool = False) -> str:
    return PairedDifference.from_lines(np.array(lines), np.array(first), capped).describe("du", "lee")


def test_descriptions_of_differences() -> None:
    assert describe_difference([1503, 1702, 1601, 1600], [1, 2, 3, 0]) == (
        "du clears 1,600 more lines per game than lee (95 % interval 1,471 to 1,729): "
        "the difference is statistically significant."
    )
    assert describe_difference([1, 2, 3, 0], [13, 12, 14, 11], capped=True) == (
        "du clears 11.0 fewer lines per game than lee in capped games (95 % interval 9.7 to 12.3): "
        "the difference is statistically significant."
    )
    assert describe_difference([5, 9, 2, 8], [9, 1, 8, 3]).endswith(
        "not statistically significant; about 650 games would be needed."
    )
    assert "even 10,000,000 games might not be enough" in describe_difference([0, 2], [1, 1])
    assert describe_difference([3, 4], [3, 4]) == "du clears exactly as many lines as lee in each of 2 games."
    assert describe_difference([3], [5]) == (
        "du and lee have one game in common (−2 lines): too few games to compare them."
    )


def test_estimated_games_detect_the_difference() -> None:
    """The power is about 80 % if the true difference is as large as the measured one."""
    generator = np.random.default_rng(3)
    sample = generator.normal(0.3, 1, 30)
    sample += 0.3 - sample.mean()
    difference = PairedDifference(float(sample.mean()), compute_difference_interval(sample), len(sample), False)
    games = difference.estimate_games_needed()
    assert games is not None
    deviation = float(sample.std(ddof=1))
    intervals = [compute_difference_interval(generator.normal(0.3, deviation, games)) for _ in range(1000)]
    assert 0.74 <= np.mean([interval is not None and interval[0] > 0 for interval in intervals]) <= 0.9


def read_mean_interval(text: str) -> tuple[float, float, float, float]:
    """Return the mean, both ends of the interval and the largest error of rounding from the text of a mean."""
    match = re.fullmatch(r"(−?[\d,.]+)(?: ± ([\d,.]+)| −([\d,.]+) \+([\d,.]+))( M| × 10¹²)?", text)
    assert match, text
    mean, both, below, above = (
        float((group or "0").replace("−", "-").replace(",", "")) for group in match.groups()[:4]
    )
    unit = {None: 1, " M": 1e6, " × 10¹²": 1e12}[match[5]]
    decimals = len(match[1].partition(".")[2])
    return mean * unit, (mean - both - below) * unit, (mean + both + above) * unit, 0.5 * unit / 10**decimals


def test_mean_with_interval_has_one_unit_and_can_be_read_back() -> None:
    random = Random("means with intervals")
    for number in range(5000):
        mean = random.choice([-1, 1]) * 10 ** random.uniform(-6, 15)
        arms = [abs(mean) * 10 ** random.uniform(-3, 3) for _ in range(2)]
        low, high = mean - arms[0], mean + (arms[0] if number % 4 == 0 else arms[1])
        text = format_mean_interval(mean, (low, high), millions_threshold=random.choice([10**6, 10**8]))
        read_mean, read_low, read_high, rounding = read_mean_interval(text)
        assert abs(read_mean - mean) <= 1.001 * rounding, (text, mean)
        tolerance = 2.001 * rounding + (0.051 * max(arms) if "±" in text else 0)  # ± shows the mean of both arms
        assert abs(read_low - low) <= tolerance, (text, mean, low)
        assert abs(read_high - high) <= tolerance, (text, mean, high)


def test_number_formats() -> None:
    assert [format_number(n) for n in (0, 1.234, 12.34, 1234.5, -5.5, 184.2e6, -1.05e15)] == (
        ["0", "1.23", "12.3", "1,234", "−5.50", "184 M", "−1,050 × 10¹²"]
    )
    ranges = [(12, 17), (223_488e6, 1_051_523e6), (1.5e6, 250e6)]
    assert [format_range(*ends) for ends in ranges] == ["12–17", "0.22–1.05 × 10¹²", "1.50–250.00 M"]
    assert format_mean_interval(2285.3, (2222.0, 2350.0)) == "2,285 ± 64"
    assert format_mean_interval(2285.3, (1800.0, 2950.0)) == "2,285 −485 +665"
    assert format_mean_interval(184.2e6, (150e6, 250e6)) == "184 −34 +66 M"
    assert format_mean_interval(39_229, (15_323, 210_000_000)) == "39,229 −23,906 +209,960,771"
    assert format_mean_interval(None, (1333.0, math.inf)) == "> 1,333"
    assert format_mean_interval(7.0, None) == "7.00"
    assert [format_percent(share) for share in (0.001, 0.073, 0.47)] == ["0.1 %", "7.3 %", "47 %"]
    assert (format_speed(2_345_678), format_speed(850)) == ("2.3 M pieces/s", "850 pieces/s")


def test_results_are_columns_of_the_records() -> None:
    games = make_full_games(2, seed=1)
    games["lines"], games["score"], games["attack"], games["status"] = [1, 2], [2**40, 5], [3, 4], STATUS_CAPPED
    games["clears"] = [[1, 2, 3, 4], [0, 0, 0, 2**40]]
    results, full_results = as_results(games, Rules()), as_results(games, Rules("guideline"))
    assert not has_attack(results)
    assert has_attack(full_results)
    assert full_results["attack"].tolist() == [3, 4]
    for name in ("lines", "score", "clears", "status"):
        assert (results[name] == games[name]).all()
    assert as_results(results, Rules()) is results
