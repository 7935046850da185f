"""What several optimisers do with candidates and their fitness: check, rank, weigh, normalise."""

import numpy as np

from tetrion.errors import TetrionError
from tetrion.training.optimisers.optimiser import NumpyArray


def validate_fitness(fitness: NumpyArray, count: int) -> NumpyArray:
    """One number a candidate, or the error that says what is wrong."""
    try:
        numbers = np.array(fitness, dtype=np.float64)
    except (TypeError, ValueError):
        raise TetrionError(f"Fitness is a list of {count:,} numbers; given {fitness!r}.") from None
    if numbers.shape != (count,):
        raise TetrionError(
            f"Fitness is one number for each of the {count:,} candidates; given an array of shape {numbers.shape}."
        )
    wrong = np.flatnonzero(np.isnan(numbers) | (numbers == np.inf))
    if wrong.size:
        raise TetrionError(f"Fitness is a number; given {numbers[wrong[0]]} for candidate {wrong[0]} of {count:,}.")
    return numbers


def rank_best_first(fitness: NumpyArray) -> NumpyArray:
    """The numbers of the candidates from the fittest to the least fit; of equals the earlier comes first."""
    return np.argsort(-fitness, kind="stable")


def compute_weighted_mean(candidates: NumpyArray, fitness: NumpyArray) -> NumpyArray:
    """The mean of candidates weighted by their fitness; the plain one where a fitness is negative or all are zero."""
    if fitness.min() < 0 or fitness.max() == 0:
        return np.asarray(candidates.mean(axis=0))
    return np.asarray(np.average(candidates, axis=0, weights=fitness / fitness.max()))


def normalise_candidates(candidates: NumpyArray) -> NumpyArray:
    """Every candidate at length one; one of length zero stays as it is."""
    length = np.linalg.norm(candidates, axis=-1, keepdims=True)
    return np.asarray(candidates / np.where(length > 0, length, 1))


def count_share(count: int, share: float) -> int:
    """How many a share of so many is: none only if the share is 0."""
    return max(1, round(share * count)) if share else 0
