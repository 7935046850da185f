"""Tests of wisdom of artificial crowds: the mean of all experts, and the consensus, which ignores outliers."""

import numpy as np
import pytest

from tetrion.errors import TetrionError
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.optimisers.wisdom_of_crowds import make_consensus_crowd, make_mean_crowd


def test_mean_of_normalised_experts() -> None:
    experts = np.array([[3.0, 4.0], [0.0, 10.0]])
    assert np.allclose(make_mean_crowd(experts), np.array([0.3, 0.9]) / np.hypot(0.3, 0.9), rtol=1e-15)
    assert make_mean_crowd(experts, normalise=False).tolist() == [1.5, 7.0]


def test_mean_can_be_weighted_by_fitness() -> None:
    experts = np.array([[3.0, 4.0], [0.0, 10.0]])
    weighted = make_mean_crowd(experts, np.array([3.0, 1.0]))
    assert np.allclose(weighted, np.array([0.45, 0.85]) / np.hypot(0.45, 0.85), rtol=1e-15)
    assert make_mean_crowd(experts, np.array([1.0, 0.0]), normalise=False).tolist() == [3.0, 4.0]
    assert make_mean_crowd(experts, np.zeros(2)).tolist() == make_mean_crowd(experts).tolist()
    with pytest.raises(TetrionError, match="each of the 2 candidates"):
        make_mean_crowd(experts, np.ones(3))


def test_outlier_moves_the_mean_and_not_the_consensus() -> None:
    crowd = np.array([[1.0, -2.0], [1.1, -2.1], [0.9, -1.9], [1.0, -2.0], [1.05, -2.05]])
    with_outlier = np.array([*crowd, [300.0, 100.0]])
    fitness = np.ones(6)
    for normalise in (False, True):
        mean_change = make_mean_crowd(with_outlier, normalise=normalise) - make_mean_crowd(crowd, normalise=normalise)
        without_outlier = make_consensus_crowd(crowd, fitness[:5], normalise=normalise)
        consensus_change = make_consensus_crowd(with_outlier, fitness, normalise=normalise) - without_outlier
        assert np.linalg.norm(mean_change) > 0.1
        assert np.linalg.norm(consensus_change) < 0.05
    assert np.abs(make_consensus_crowd(with_outlier, fitness, normalise=False) - [1, -2]).max() < 0.1


def compute_consensus(values: list[float], fitness: list[float], share: float) -> float:
    experts: NumpyArray = np.array(values)[:, np.newaxis]
    return float(make_consensus_crowd(experts, np.array(fitness), share, normalise=False)[0])


@pytest.mark.parametrize(
    ("values", "fitness", "share", "expected"),
    [
        ([5, 0, 1, 9], [1, 1, 1, 1], 0.5, 0.5),  # 0 and 1 agree most
        ([5, 0, 1, 9], [1, 1, 3, 1], 0.5, 0.75),  # weighted by fitness
        ([5, 0, 1, 9], [7, 0, 0, 7], 0.5, 0.5),  # unweighted if both have fitness 0
        ([5, 0, 1, 9], [1, 1, 1, 1], 0.51, 2.0),  # three must agree
        ([5, 0, 1, 9], [1, 1, 1, 1], 1.0, 3.75),
        ([5, 0, 1, 9], [1, 1, 1, 1], 0.01, 0.5),  # at least two must agree
        ([0, 1, 2, 3, 4], [1, 1, 1, 1, 1], 0.6, 2.0),  # the middle of equally short ranges
        ([7], [0], 0.5, 7.0),
    ],
)
def test_range_of_agreement(values: list[float], fitness: list[float], share: float, expected: float) -> None:
    assert compute_consensus(values, fitness, share) == pytest.approx(expected, rel=1e-15)


def test_agreement_is_found_for_each_number_separately() -> None:
    experts = np.array([[0.0, 9.0], [0.1, 5.0], [7.0, 5.2]])
    assert np.allclose(make_consensus_crowd(experts, np.ones(3), normalise=False), [0.05, 5.1], rtol=1e-15)
    assert np.linalg.norm(make_consensus_crowd(experts, np.ones(3))) == pytest.approx(1)


@pytest.mark.parametrize("experts", [np.zeros((0, 3)), np.array([[np.nan]])])
def test_invalid_experts_raise_errors(experts: NumpyArray) -> None:
    with pytest.raises(TetrionError, match="one or more rows of finite numbers"):
        make_mean_crowd(experts)
    with pytest.raises(TetrionError, match="one or more rows of finite numbers"):
        make_consensus_crowd(experts, np.ones(len(experts)))
