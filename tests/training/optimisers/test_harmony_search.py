"""Tests of harmony search: how harmonies are improvised, and which are kept in the memory."""

from typing import Any

import numpy as np

from tetrion.training.optimisers.harmony_search import HarmonySearch, HarmonySettings
from tetrion.training.optimisers.optimiser import NumpyArray

MEMORY = np.array([[100.0, 200.0], [110.0, 210.0], [120.0, 220.0], [130.0, 230.0]])
COUNT = 10_000
TOLERANCE = 0.025  # five standard deviations of a share of COUNT


def make_search(**settings: Any) -> HarmonySearch:
    optimiser = HarmonySearch(HarmonySettings(memory_size=4, improvisations=COUNT, **settings), 2, 0)
    optimiser.memory = MEMORY
    return optimiser


def improvise(**settings: Any) -> NumpyArray:
    candidates = make_search(**settings).ask()
    assert np.array_equal(candidates[:4], MEMORY)
    assert candidates.shape == (4 + COUNT, 2)
    return np.asarray(candidates[4:])


def test_numbers_come_from_their_column_of_the_memory() -> None:
    numbers = improvise(memory_rate=1, adjust_rate=0)
    for column, memory_column in zip(numbers.T, MEMORY.T, strict=True):
        values, counts = np.unique(column, return_counts=True)
        assert values.tolist() == memory_column.tolist()
        assert np.abs(counts / COUNT - 1 / 4).max() < TOLERANCE
    assert len(np.unique(numbers, axis=0)) == 16  # members are mixed


def test_rates_of_memory_and_adjustment() -> None:
    numbers = improvise(memory_rate=0.8, adjust_rate=0.3, bandwidth=2, initial_range=10)
    from_memory = numbers > 50
    adjusted = from_memory & (numbers % 10 != 0)
    assert np.abs(from_memory.mean(axis=0) - 0.8).max() < TOLERANCE
    assert np.abs(adjusted.sum(axis=0) / from_memory.sum(axis=0) - 0.3).max() < TOLERANCE
    change = (numbers[adjusted] + 5) % 10 - 5
    assert 1.98 < np.abs(change).max() <= 2
    assert abs(change.mean()) < 0.1
    random_numbers = numbers[~from_memory]
    assert 9.9 < np.abs(random_numbers).max() <= 10
    assert abs(random_numbers.std() - 10 / np.sqrt(3)) < 0.2


def test_memory_keeps_the_best_of_old_and_new_harmonies() -> None:
    optimiser = make_search()
    candidates = optimiser.ask()
    fitness = np.zeros(len(candidates))
    fitness[[2, 50, 70, 9]] = [5, 7, 3, 4]
    optimiser.tell(fitness)
    assert np.array_equal(optimiser.memory, candidates[[50, 2, 9, 70]])
    assert np.array_equal(optimiser.ask()[:4], candidates[[50, 2, 9, 70]])
    assert np.array_equal(optimiser.get_incumbent(), candidates[50])


def test_harmony_whose_fitness_falls_leaves_the_memory() -> None:
    optimiser = make_search()
    optimiser.ask()
    optimiser.tell(np.r_[9.0, np.zeros(3 + COUNT)])
    assert np.array_equal(optimiser.get_incumbent(), MEMORY[0])
    optimiser.ask()
    optimiser.tell(np.r_[0.0, np.ones(3 + COUNT)])
    assert not (optimiser.memory == MEMORY[0]).all(axis=1).any()
