"""Gavrilov's report: the printed weights, the counting of his bug, and the calculations over seeds."""

from collections.abc import Sequence
from typing import Any

import pytest

from tetrion.engine.pieces import SHAPES
from tetrion.evaluation import evaluate
from tetrion.papers.gavrilov import measure
from tetrion.papers.gavrilov.measure import FEATURE_LABELS, TRAINED_WEIGHTS
from tetrion.training.learner import INCUMBENT_PREFIX

SEEDS = 20


def make_training(**metrics: Sequence[float]) -> dict[str, Any]:
    """Return a training whose runs have the same metrics; those of features are weights of the best candidate."""
    named = {f"{INCUMBENT_PREFIX}{name}" if name in FEATURE_LABELS else name: line for name, line in metrics.items()}
    return {"runs": [{"metrics": named}] * SEEDS}


@pytest.mark.parametrize(("full", "expected"), [(0b0, False), (0b110, False), (0b1010, True), (0b1011, True)])
def test_rows_hang_if_the_full_rows_are_not_adjacent(full: int, expected: bool) -> None:
    upright = next(number for number, shape in enumerate(SHAPES) if tuple(shape) == (0b1111,))
    assert measure.leaves_hanging_row([full] * 9 + [0], (upright, 9, 0)) is expected


def test_bugs_are_counted_in_the_games_of_the_engine() -> None:
    counts = measure.count_hanging_clears("gavrilov-2", 20, 3, 10_000)
    played = evaluate("gavrilov-2", "gavrilov:clearing=hanging", 20, 3, workers=1)
    assert counts["lines"] == played.per_game["lines"].sum()
    assert measure.lines_per_bug(counts) == pytest.approx(31, abs=10)


def test_lines_of_generations() -> None:
    training = make_training(
        mean=[4.0, 34.0, 340.0],
        max_pieces=[850.0, 850.0, 1150.0],
        median=[0.0, 330.0, 340.0],
        q1=[1, 17, 310],
        q3=[3, 51, 344],
    )
    assert measure.generation_lines(training, 1) == [34] * SEEDS
    assert measure.line_shares(training, 1) == pytest.approx([0.1] * SEEDS)
    assert measure.interquartile_shares(training, 1, 2) == pytest.approx([0.55] * SEEDS)
    assert str(measure.first_full_generation(training, "median")) == "generation 1 (1 to 1)"
    assert "never" in str(measure.first_full_generation(training, "q1"))
    gain = measure.training_gain(make_training(mean=[100.0] * 20 + [110.0] * 10))
    assert gain.value == pytest.approx(1.1)
    assert gain.interval == pytest.approx((1.1, 1.1))


def test_long_games_of_seeds() -> None:
    earlier = [{"lines": 100 * lines, "deaths": 100} for lines in range(1, 101)]
    later = [{"lines": 2 * games["lines"], "deaths": 100} for games in earlier]
    typical = measure.typical_lines(earlier)
    assert (typical.value, typical.interval) == (50.5, (40, 61))  # of 100 values, the 40th and the 61st
    assert measure.quantile_of_seeds(earlier, 10) == pytest.approx(10.9)
    assert measure.long_gain(later, earlier).value == pytest.approx(2)
    assert measure.lines_of_seeds([{"lines": 7, "deaths": 0}, {"lines": 6, "deaths": 2}]) == [3, 7]


def test_weights_are_compared_with_his() -> None:
    doubled = {name: [0.0, *[2 * weight] * 14] for name, weight in TRAINED_WEIGHTS.items()}
    training = make_training(**doubled)
    assert measure.multiples(training, "lines") == pytest.approx([2] * SEEDS)
    assert measure.multiples(training, "lines", "holes") == pytest.approx([1] * SEEDS)
    assert measure.relative_weights(training, "lines") == pytest.approx([6.5773 / -9.3289] * SEEDS, abs=1e-4)
    assert measure.size_leads(training, ["holes"], ["piece_top", "lines"])[0] == pytest.approx(
        2 * (9.3289 - 3.5605), abs=1e-3
    )
    assert measure.weight_changes(training, "bumpiness") == pytest.approx([-3.4712] * SEEDS, abs=1e-4)
    assert measure.weight_steps(training, "bumpiness", 0, 2) == pytest.approx([1.7356] * SEEDS, abs=1e-4)
    assert min(measure.step_leads(training, "holes", "piece_top")) > 0


def test_training_time_is_that_of_seeds_as_good_as_his() -> None:
    training = make_training(pieces=[8640.0] * 20, mean=[450.0] * 20)
    assert measure.good_run_pieces(training) == 15 * 8640
    days = measure.training_days(training, {"training_seconds_per_piece": 1.0})
    assert (days.value, str(days)) == (1.5, "1.5 days (1.5 to 1.5): 129,600 pieces of 1.00 s")
    poor = make_training(pieces=[8640.0] * 20, mean=[100.0] * 20)
    assert measure.training_days(poor, {"training_seconds_per_piece": 1.0}).value is None
