"""Tests of the cross-entropy method: the initial distribution, the fit to the best, and the noise."""

from typing import Any

import numpy as np
import pytest

from tetrion.training.optimisers.cross_entropy import CrossEntropy, CrossEntropySettings


def make_cross_entropy(seed: int = 0, **settings: Any) -> CrossEntropy:
    return CrossEntropy(CrossEntropySettings(**settings), 3, seed)


def test_initial_distribution_has_mean_0_and_deviation_10() -> None:
    candidates = make_cross_entropy(population=20_000).ask()
    assert np.abs(candidates.mean(axis=0)).max() < 0.3
    assert np.abs(candidates.var(axis=0) - 100).max() < 5
    assert make_cross_entropy().get_incumbent().tolist() == [0, 0, 0]


def test_distribution_is_fitted_to_the_best_candidates() -> None:
    optimiser = make_cross_entropy()
    candidates = optimiser.ask()
    best = candidates[np.argsort(candidates[:, 1])[-10:]]
    optimiser.tell(candidates[:, 1])
    assert np.allclose(optimiser.get_incumbent(), best.sum(axis=0) / 10, rtol=1e-12)
    assert np.allclose(optimiser.variance, ((best - optimiser.mean) ** 2).sum(axis=0) / 10, rtol=1e-12)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"noise": "none"}, {0: 0, 5: 0}),
        ({"noise": "constant", "noise_level": 2.5}, {0: 2.5, 5: 2.5}),
        ({"noise": "decreasing", "noise_start": 3, "noise_generations": 2}, {0: 3, 1: 2.5, 5: 0.5, 6: 0, 7: 0}),
    ],
)
def test_noise_is_added_to_each_variance(settings: dict[str, Any], expected: dict[int, float]) -> None:
    optimiser = make_cross_entropy(**settings)
    for generation in range(max(expected) + 1):
        candidates = optimiser.ask()
        optimiser.tell(np.arange(100.0))
        added = optimiser.variance - candidates[-10:].var(axis=0)
        if generation in expected:
            assert np.allclose(added, expected[generation], rtol=0, atol=1e-9)
