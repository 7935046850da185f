"""The genetic algorithm: every operator does what it says, exactly where chance has no part, else on average."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tetrion.errors import RecipeError, TetrionError
from tetrion.training.optimisers.genetic_algorithm import CROSSOVER_MASKS, SELECTIONS, GeneticAlgorithm, GeneticSettings
from tetrion.training.optimisers.optimiser import NumpyArray

PARENTS = np.array([[1.0, 2, 3, 4, 5, 6], [-1.0, -2, -3, -4, -5, -6]])
MANY = 4000
NEAR = 0.04  # five standard deviations of a share of MANY


def algorithm(dimension: int = 4, seed: int = 0, first: NumpyArray | None = None, **settings: Any) -> GeneticAlgorithm:
    return GeneticAlgorithm(GeneticSettings(**settings), dimension, seed, first_population=first)


def clones(row: list[float], count: int = MANY) -> NumpyArray:
    return np.tile(np.array(row, dtype=np.float64), (count, 1))


def next_generation(optimiser: GeneticAlgorithm, fitness: NumpyArray | None = None) -> NumpyArray:
    candidates = optimiser.ask()
    optimiser.tell(np.zeros(len(candidates)) if fitness is None else fitness)
    return optimiser.ask()


def generator() -> np.random.Generator:
    return np.random.default_rng(1)


# The start


def test_a_uniform_start() -> None:
    numbers = algorithm(population=MANY, spread=7).ask()
    assert numbers.shape == (MANY, 4)
    assert 6.9 < numbers.max() < 7
    assert -7 < numbers.min() < -6.9
    assert abs(numbers.std() - 7 / np.sqrt(3)) < 0.1


def test_a_normal_start_stays_within_its_range() -> None:
    numbers = algorithm(population=MANY, spread=6, start="normal").ask()
    assert 5 < np.abs(numbers).max() <= 6  # of 16,000 numbers some 40 lie outside at first
    assert abs(numbers.std() - 2) < 0.05
    assert abs(numbers.mean()) < 0.1


def test_a_given_start() -> None:
    first = np.arange(12.0).reshape(3, 4)
    optimiser = algorithm(population=3, tournament=2, first=first)
    first[:] = 0
    assert np.array_equal(optimiser.ask(), np.arange(12).reshape(3, 4))
    with pytest.raises(RecipeError, match=r"3 candidates of 4 numbers; given an array of shape \(2, 4\)"):
        algorithm(population=3, tournament=2, first=np.zeros((2, 4)))
    with pytest.raises(RecipeError, match="finite"):
        algorithm(population=3, tournament=2, first=np.full((3, 4), np.nan))


# Selection


def test_a_tournament_of_all_has_known_winners() -> None:
    fitness = np.array([-3.0, 0, 2, -1])
    assert SELECTIONS["two-tournaments"](fitness, 4, generator()).tolist() == [2, 2]
    assert SELECTIONS["best-two"](fitness, 4, generator()).tolist() == [2, 1]


def test_tournaments_are_drawn_without_replacement() -> None:
    """Of pairs of four, the best is in one half, the second wins one third, the third one sixth, the last none."""
    chance, fitness = generator(), np.array([3.0, 2, 1, 0])
    winners = np.array([SELECTIONS["two-tournaments"](fitness, 2, chance) for _ in range(MANY)])
    for column in winners.T:
        assert np.abs(np.bincount(column, minlength=4) / MANY - [1 / 2, 1 / 3, 1 / 6, 0]).max() < NEAR
    assert not (winners == 3).any()
    assert abs((winners[:, 0] == winners[:, 1]).mean() - (1 / 4 + 1 / 9 + 1 / 36)) < NEAR  # two separate tournaments


def test_the_best_two_are_different_and_in_order() -> None:
    chance, fitness = generator(), np.array([3.0, 2, 1, 0])
    pairs = Counter(tuple(SELECTIONS["best-two"](fitness, 3, chance).tolist()) for _ in range(MANY))
    assert set(pairs) == {(0, 1), (0, 2), (1, 2)}
    assert abs(pairs[0, 1] / MANY - 1 / 2) < NEAR


@pytest.mark.parametrize("selection", SELECTIONS)
def test_among_equals_everyone_has_a_chance(selection: str) -> None:
    chance = generator()
    chosen = np.concatenate([SELECTIONS[selection](np.zeros(5), 3, chance) for _ in range(MANY)])
    assert np.abs(np.bincount(chosen, minlength=5) / (2 * MANY) - 1 / 5).max() < NEAR


def test_the_size_of_a_tournament() -> None:
    assert algorithm(population=50).tournament_size == 5
    assert algorithm(population=50, tournament_share=0.2).tournament_size == 10
    assert algorithm(population=50, tournament_share=0.01).tournament_size == 2


# Crossover


@pytest.mark.parametrize("crossover", CROSSOVER_MASKS)
def test_two_children_share_out_their_parents_genes(crossover: str) -> None:
    optimiser = algorithm(6, crossover=crossover)
    exchanges = 0
    for _ in range(50):
        children = optimiser.cross(PARENTS, np.zeros(2))
        assert np.array_equal(np.abs(children), np.abs(PARENTS))
        assert np.array_equal(children[0], -children[1])
        exchanges += not np.array_equal(children, PARENTS)
    assert exchanges > 40


def exchanged_genes(crossover: str, parents: NumpyArray = PARENTS) -> NumpyArray:
    chance = generator()
    return np.array([CROSSOVER_MASKS[crossover](parents, chance) for _ in range(MANY)])


def test_one_point_exchanges_what_follows_it() -> None:
    masks = exchanged_genes("one-point")
    points = Counter(6 - masks.sum(axis=1))
    assert all(mask.tolist() == sorted(mask) for mask in masks)
    assert set(points) == {1, 2, 3, 4, 5}
    assert all(abs(count / MANY - 1 / 5) < NEAR for count in points.values())


def test_two_point_exchanges_what_lies_between() -> None:
    masks = exchanged_genes("two-point")
    assert not masks[:, [0, 5]].any()
    blocks = Counter((int(mask.argmax()), int(mask.sum())) for mask in masks)
    assert all(mask[begin : begin + size].all() for mask, (begin, size) in ((m, (m.argmax(), m.sum())) for m in masks))
    assert len(blocks) == 10  # pairs of five points
    assert all(abs(count / MANY - 1 / 10) < NEAR for count in blocks.values())


def test_uniform_exchanges_each_with_one_half() -> None:
    masks = exchanged_genes("uniform")
    assert np.abs(masks.mean(axis=0) - 1 / 2).max() < NEAR
    assert len({tuple(mask) for mask in masks}) == 64


def test_hux_exchanges_half_of_what_differs() -> None:
    parents = PARENTS.copy()
    parents[1, 2] = parents[0, 2]
    masks = exchanged_genes("hux", parents)
    assert not masks[:, 2].any()
    assert (masks.sum(axis=1) == 2).all()  # of five, rounded down
    assert np.abs(masks.mean(axis=0)[[0, 1, 3, 4, 5]] - 2 / 5).max() < NEAR
    assert not exchanged_genes("hux", np.ones((2, 6))).any()


@pytest.mark.parametrize(
    ("fitness", "expected"),
    [((1, 3), 1.5), ((0, 4), 1.0), ((0, 0), 2.0), ((-1, 3), 2.0), ((-2, -2), 2.0), ((1e308, 1e308), 2.0)],
)
def test_the_average_is_weighted_where_that_makes_sense(fitness: tuple[float, float], expected: float) -> None:
    children = algorithm(2, crossover="average").cross(np.array([[3.0, 30], [1.0, 10]]), np.array(fitness))
    assert children.shape == (1, 2)
    assert np.allclose(children, np.array([1, 10]) * expected, rtol=1e-15)


# Mutation, seen in the children of parents that are all alike


def test_each_gene_mutates_at_its_rate_and_within_its_step() -> None:
    start = clones([1, -2, 0, 4])
    changes = next_generation(algorithm(first=start, population=MANY)) - start
    assert np.abs((changes != 0).mean(axis=0) - 0.1).max() < NEAR / 2
    assert 0.099 < np.abs(changes).max() <= 0.1 + 1e-9
    assert abs(changes[changes != 0].mean()) < 0.01
    assert abs((changes > 0).sum() / (changes != 0).sum() - 1 / 2) < 0.1


def test_one_gene_moves_by_exactly_a_step() -> None:
    start = clones([1, -2, 0, 4])
    settings: dict[str, Any] = {"mutation": "one-gene", "mutation_rate": 0.5, "mutation_step": 0.25}
    changes = next_generation(algorithm(first=start, population=MANY, **settings)) - start
    struck = (changes != 0).sum(axis=1)
    assert set(struck) == {0, 1}
    assert abs(struck.mean() - 0.5) < NEAR
    assert set(np.unique(changes)) == {-0.25, 0, 0.25}
    assert np.abs((changes > 0).mean(axis=0) - 1 / 16).max() < NEAR / 2
    assert np.abs((changes < 0).mean(axis=0) - 1 / 16).max() < NEAR / 2


def test_signed_moves_away_from_zero() -> None:
    start = clones([1, -2, 0, 4])
    settings: dict[str, Any] = {"mutation": "signed", "mutation_rate": 1, "mutation_step": 0.25}
    changes = next_generation(algorithm(first=start, population=MANY, **settings)) - start
    assert ((changes != 0).sum(axis=1) == 1).all()
    assert [set(np.unique(column)) for column in changes.T] == [{0, 0.25}, {-0.25, 0}, {-0.25, 0, 0.25}, {0, 0.25}]
    assert np.abs((changes != 0).mean(axis=0) - 1 / 4).max() < NEAR


def test_swap_takes_genes_of_the_best_of_the_first_generation() -> None:
    start = clones([0, 0, 0, 0])
    start[:400] = np.arange(1, 401)[:, np.newaxis] + [0, 1000, 2000, 3000]
    optimiser = algorithm(first=start, population=MANY, mutation="swap", mutation_rate=1, tournament=1)
    optimiser.ask()
    optimiser.tell((np.arange(MANY) < 400).astype(float))
    optimiser.population = clones([-1, -1, -1, -1])
    for _ in range(2):  # the first generation is remembered, whatever comes after
        children = next_generation(optimiser)
        struck = children != -1
        assert (struck.sum(axis=1) == 1).all()
        assert np.abs(struck.mean(axis=0) - 1 / 4).max() < NEAR
        gene = struck.argmax(axis=1)
        donors = children[np.arange(MANY), gene] - 1000 * gene
        assert donors.min() >= 1
        assert donors.max() <= 400
        assert len(set(donors)) > 390
        optimiser.tell(np.arange(MANY, dtype=float))
        optimiser.population = clones([-1, -1, -1, -1])


@pytest.mark.parametrize("mutation", ["each-gene", "one-gene", "signed", "swap"])
def test_a_rate_of_zero_is_no_mutation_and_one_is_always(mutation: str) -> None:
    start = clones([1, -2, 3, 4], 100)
    still = algorithm(first=start, population=100, mutation=mutation, mutation_rate=0)
    assert np.array_equal(next_generation(still), start)
    optimiser = algorithm(population=100, mutation=mutation, mutation_rate=1)
    optimiser.pool = -optimiser.pool
    child = np.array([1.0, -2, 3, 4])
    assert all((optimiser.mutate(child) != child).any() for _ in range(50))
    assert np.array_equal(child, [1, -2, 3, 4])


# A generation


def test_the_elite_is_carried_over_unchanged() -> None:
    optimiser = algorithm(population=20, elitism=0.15, mutation_rate=1)
    candidates = optimiser.ask()
    optimiser.tell(-np.abs(np.arange(20.0) - 7))
    following = optimiser.ask()
    assert np.array_equal(following[:3], candidates[[7, 6, 8]])
    assert not (following[3:, np.newaxis] == candidates).all(axis=2).any()
    assert np.array_equal(optimiser.get_incumbent(), candidates[7])


def test_a_small_elite_is_at_least_one() -> None:
    optimiser = algorithm(population=20, elitism=0.001)
    best = optimiser.ask()[11]
    optimiser.tell((np.arange(20) == 11).astype(float))
    assert np.array_equal(optimiser.ask()[0], best)


def test_without_an_elite_nobody_is_carried_over() -> None:
    optimiser = algorithm(population=20, mutation_rate=1)
    candidates = optimiser.ask()
    optimiser.tell(np.arange(20.0))
    assert not (optimiser.ask()[:, np.newaxis] == candidates).all(axis=2).any()


@pytest.mark.parametrize("crossover", [*CROSSOVER_MASKS, "average"])
@pytest.mark.parametrize(("population", "elitism"), [(7, 0), (8, 0.2), (6, 0.9)])
def test_a_generation_stays_as_large(crossover: str, population: int, elitism: float) -> None:
    optimiser = algorithm(population=population, elitism=elitism, crossover=crossover)
    for _ in range(3):
        candidates = optimiser.ask()
        assert candidates.shape == (population, 4)
        optimiser.tell(candidates[:, 0])


def test_children_come_in_pairs_of_the_same_parents() -> None:
    optimiser = algorithm(population=10, mutation_rate=0)
    candidates = optimiser.ask()
    optimiser.tell(np.zeros(10))
    following = optimiser.ask()
    assert np.isin(following, candidates).all()
    genes = [{tuple(sorted(pair)) for pair in following[i : i + 2].T} for i in range(0, 10, 2)]
    owner = {value: row for row, values in enumerate(candidates) for value in values}
    assert all(len({frozenset(owner[value] for value in pair) for pair in pairs}) == 1 for pairs in genes)


@pytest.mark.parametrize("mutation", ["each-gene", "one-gene", "signed", "swap"])
@pytest.mark.parametrize("crossover", ["uniform", "average"])
def test_normalised_candidates_have_length_one(crossover: str, mutation: str) -> None:
    optimiser = algorithm(normalise=True, crossover=crossover, mutation=mutation, mutation_rate=0.5, elitism=0.1)
    for _ in range(3):
        candidates = optimiser.ask()
        assert np.allclose(np.linalg.norm(candidates, axis=1), 1, rtol=1e-12)
        optimiser.tell(candidates[:, 0])
    assert not np.allclose(np.linalg.norm(algorithm().ask(), axis=1), 1)


def test_a_given_start_is_normalised_and_zero_stays_zero() -> None:
    first = np.array([[3.0, 4.0], [0.0, 0.0]])
    optimiser = algorithm(2, population=2, tournament=2, normalise=True, first=first)
    assert np.allclose(optimiser.ask(), first / 5, rtol=1e-15)


# What cannot be


@pytest.mark.parametrize(
    ("settings", "dimension", "message"),
    [
        ({"population": 4}, 4, "at most the population; given 5 of 4"),
        ({"selection": "best-two", "tournament": 1}, 4, "at least 2"),
        ({"elitism": 1.0}, 4, "carries over 50 of 50"),
        ({"elitism": 0.995}, 4, "carries over 50 of 50"),
        ({}, 1, '"one-point" needs at least 2 numbers a candidate; given 1. Use "average"'),
        ({"crossover": "two-point"}, 2, 'needs at least 3 numbers a candidate; given 2. Use "uniform"'),
        ({"crossover": "hux"}, 1, "needs at least 2"),
        ({"mutation_step": 0}, 4, "mutation_step"),
        ({"mutation_rate": 1.5}, 4, "mutation_rate"),
        ({"crossover": "one_point"}, 4, "Did you mean 'one-point'"),
    ],
)
def test_impossible_settings(settings: dict[str, Any], dimension: int, message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        algorithm(dimension, **settings)
