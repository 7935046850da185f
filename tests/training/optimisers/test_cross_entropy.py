"""The cross-entropy method: the start, the fit to the best, and the noise by its numbers."""

from typing import Any

import numpy as np
import pytest

from tetrion.errors import RecipeError
from tetrion.training.optimisers.cross_entropy import CrossEntropy, CrossEntropySettings


def method(seed: int = 0, **settings: Any) -> CrossEntropy:
    return CrossEntropy(CrossEntropySettings(**settings), 3, seed)


def test_the_start_is_wide_and_around_zero() -> None:
    candidates = method(population=20_000).ask()
    assert np.abs(candidates.mean(axis=0)).max() < 0.3
    assert np.abs(candidates.var(axis=0) - 100).max() < 5
    assert method().get_incumbent().tolist() == [0, 0, 0]


def test_the_distribution_is_fitted_to_the_best() -> None:
    optimiser = method()
    candidates = optimiser.ask()
    best = candidates[np.argsort(candidates[:, 1])[-10:]]
    optimiser.tell(candidates[:, 1])
    assert np.allclose(optimiser.get_incumbent(), best.sum(axis=0) / 10, rtol=1e-12)
    assert np.allclose(optimiser.variance, ((best - optimiser.mean) ** 2).sum(axis=0) / 10, rtol=1e-12)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"noise": "none"}, {0: 0, 1: 0, 80: 0}),
        ({"noise": "constant"}, {0: 4, 1: 4, 80: 4}),
        ({"noise": "constant", "noise_level": 2.5}, {0: 2.5, 80: 2.5}),
        ({"noise": "decreasing"}, {0: 5, 1: 4.9, 10: 4, 49: 0.1, 50: 0, 80: 0}),
        ({"noise": "decreasing", "noise_start": 3, "noise_steps": 2}, {0: 3, 1: 2.5, 5: 0.5, 6: 0, 7: 0}),
    ],
)
def test_noise_is_added_to_every_variance(settings: dict[str, Any], expected: dict[int, float]) -> None:
    optimiser = method(**settings)
    for generation in range(max(expected) + 1):
        candidates = optimiser.ask()
        optimiser.tell(np.arange(100.0))
        added = optimiser.variance - candidates[-10:].var(axis=0)
        if generation in expected:
            assert np.allclose(added, expected[generation], rtol=0, atol=1e-9)


def test_a_variance_needs_two() -> None:
    with pytest.raises(RecipeError, match=r"at least two candidates.*0.1 of 10, which is 1"):
        method(population=10)
    assert method(population=20).elite_count == 2
