"""Operations on candidates and their fitness that several optimisers share."""

import numpy as np

from tetrion.errors import TetrionError
from tetrion.training.optimisers.optimiser import NumpyArray


def validate_fitness(fitness: NumpyArray, count: int) -> NumpyArray:
    """Return the fitness as an array with one number per candidate; raise TetrionError if it is invalid."""
    try:
        numbers = np.array(fitness, dtype=np.float64)
    except (TypeError, ValueError):
        raise TetrionError(f"Fitness must be a list of {count:,} numbers; given {fitness!r}.") from None
    if numbers.shape != (count,):
        raise TetrionError(
            f"Fitness must be one number for each of the {count:,} candidates; given an array of shape {numbers.shape}."
        )
    invalid = np.flatnonzero(np.isnan(numbers) | (numbers == np.inf))
    if invalid.size:
        index = invalid[0]
        raise TetrionError(
            f"Fitness must not be NaN or +inf; given {numbers[index]} for candidate {index} of {count:,}."
        )
    return numbers


def rank_best_first(fitness: NumpyArray) -> NumpyArray:
    """Return the indices of the candidates, best first; among equals the earlier one comes first."""
    return np.argsort(-fitness, kind="stable")


def compute_weighted_mean(candidates: NumpyArray, fitness: NumpyArray) -> NumpyArray:
    """Return the mean of candidates weighted by fitness; unweighted if a fitness is negative or all are zero."""
    if fitness.min() < 0 or fitness.max() == 0:
        return np.asarray(candidates.mean(axis=0))
    return np.asarray(np.average(candidates, axis=0, weights=fitness / fitness.max()))


def normalise_candidates(candidates: NumpyArray) -> NumpyArray:
    """Return the candidates scaled to unit length; a candidate of length zero is unchanged."""
    length = np.linalg.norm(candidates, axis=-1, keepdims=True)
    return np.asarray(candidates / np.where(length > 0, length, 1))


def count_share(count: int, share: float) -> int:
    """Return a share of `count`, rounded; at least 1 unless the share is 0."""
    return max(1, round(share * count)) if share else 0
