"""Harmony search: how harmonies are improvised, and which are remembered."""

from typing import Any

import numpy as np

from tetrion.training.optimisers.harmony_search import HarmonySearch, HarmonySettings
from tetrion.training.optimisers.optimiser import NumpyArray

MEMORY = np.array([[100.0, 200.0], [110.0, 210.0], [120.0, 220.0], [130.0, 230.0]])
MANY = 10_000
NEAR = 0.025  # five standard deviations of a share of MANY


def search(**settings: Any) -> HarmonySearch:
    optimiser = HarmonySearch(HarmonySettings(memory_size=4, improvisations=MANY, **settings), 2, 0)
    optimiser.memory = MEMORY
    return optimiser


def improvised(**settings: Any) -> NumpyArray:
    candidates = search(**settings).ask()
    assert np.array_equal(candidates[:4], MEMORY)
    assert candidates.shape == (4 + MANY, 2)
    return np.asarray(candidates[4:])


def test_the_start_is_uniform() -> None:
    candidates = HarmonySearch(HarmonySettings(memory_size=MANY, initial_range=3), 2, 0).ask()[:MANY]
    assert 2.99 < np.abs(candidates).max() <= 3
    assert abs(candidates.std() - np.sqrt(3)) < 0.03


def test_numbers_come_from_the_memory_each_from_its_own_column() -> None:
    numbers = improvised(consider=1, adjust=0)
    for column, remembered in zip(numbers.T, MEMORY.T, strict=True):
        values, counts = np.unique(column, return_counts=True)
        assert values.tolist() == remembered.tolist()
        assert np.abs(counts / MANY - 1 / 4).max() < NEAR
    assert len(np.unique(numbers, axis=0)) == 16  # members are mixed


def test_as_many_are_considered_and_adjusted_as_the_rates_say() -> None:
    numbers = improvised(consider=0.8, adjust=0.3, bandwidth=2, spread=10)
    considered = numbers > 50
    adjusted = considered & (numbers % 10 != 0)
    assert np.abs(considered.mean(axis=0) - 0.8).max() < NEAR
    assert np.abs(adjusted.sum(axis=0) / considered.sum(axis=0) - 0.3).max() < NEAR
    change = (numbers[adjusted] + 5) % 10 - 5
    assert 1.98 < np.abs(change).max() <= 2
    assert abs(change.mean()) < 0.1
    invented = numbers[~considered]
    assert 9.9 < np.abs(invented).max() <= 10
    assert abs(invented.std() - 10 / np.sqrt(3)) < 0.2


def test_the_best_of_memory_and_newcomers_are_remembered() -> None:
    optimiser = search()
    candidates = optimiser.ask()
    fitness = np.zeros(len(candidates))
    fitness[[2, 50, 70, 9]] = [5, 7, 3, 4]
    optimiser.tell(fitness)
    assert np.array_equal(optimiser.memory, candidates[[50, 2, 9, 70]])
    assert np.array_equal(optimiser.ask()[:4], candidates[[50, 2, 9, 70]])
    assert np.array_equal(optimiser.get_incumbent(), candidates[50])


def test_a_newcomer_has_to_be_better() -> None:
    optimiser = search()
    optimiser.tell(np.full(len(optimiser.ask()), 1.0))
    assert np.array_equal(optimiser.memory, MEMORY)


def test_a_member_that_was_only_lucky_is_forgotten() -> None:
    optimiser = search()
    optimiser.ask()
    optimiser.tell(np.r_[9.0, np.zeros(3 + MANY)])
    assert np.array_equal(optimiser.get_incumbent(), MEMORY[0])
    optimiser.ask()
    optimiser.tell(np.r_[0.0, np.ones(3 + MANY)])
    assert not (optimiser.memory == MEMORY[0]).all(axis=1).any()
