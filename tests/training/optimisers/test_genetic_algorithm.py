"""Tests of the genetic algorithm: its operators, exactly where they are deterministic, else statistically."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tetrion.errors import TetrionError
from tetrion.training.optimisers.genetic_algorithm import CROSSOVER_MASKS, SELECTIONS, GeneticAlgorithm, GeneticSettings
from tetrion.training.optimisers.optimiser import NumpyArray

PARENTS = np.array([[1.0, 2, 3, 4, 5, 6], [-1.0, -2, -3, -4, -5, -6]])
COUNT = 4000
TOLERANCE = 0.04  # five standard deviations of a share of COUNT


def make_algorithm(
    dimension: int = 4, seed: int = 0, population_rows: NumpyArray | None = None, **settings: Any
) -> GeneticAlgorithm:
    """Return an optimiser, which begins with these rows if they are given."""
    algorithm = GeneticAlgorithm(GeneticSettings(**settings), dimension, seed)
    if population_rows is not None:
        algorithm.population = population_rows
    return algorithm


def repeat_row(row: list[float], count: int = COUNT) -> NumpyArray:
    return np.tile(np.array(row, dtype=np.float64), (count, 1))


def get_next_generation(optimiser: GeneticAlgorithm, fitness: NumpyArray | None = None) -> NumpyArray:
    candidates = optimiser.ask()
    optimiser.tell(np.zeros(len(candidates)) if fitness is None else fitness)
    return optimiser.ask()


def make_generator() -> np.random.Generator:
    return np.random.default_rng(1)


# The first generation


def test_uniform_first_generation() -> None:
    numbers = make_algorithm(population=COUNT, initial_range=7).ask()
    assert numbers.shape == (COUNT, 4)
    assert 6.9 < numbers.max() < 7
    assert -7 < numbers.min() < -6.9
    assert abs(numbers.std() - 7 / np.sqrt(3)) < 0.1


# Selection


def test_tournament_of_all_candidates_selects_the_best() -> None:
    fitness = np.array([-3.0, 0, 2, -1])
    assert SELECTIONS["two-tournaments"](fitness, 4, make_generator()).tolist() == [2, 2]
    assert SELECTIONS["best-two"](fitness, 4, make_generator()).tolist() == [2, 1]


def test_tournaments_are_drawn_without_replacement() -> None:
    """In tournaments of two out of four, the candidates win with probability 1/2, 1/3, 1/6 and 0."""
    generator, fitness = make_generator(), np.array([3.0, 2, 1, 0])
    winners = np.array([SELECTIONS["two-tournaments"](fitness, 2, generator) for _ in range(COUNT)])
    for column in winners.T:
        assert np.abs(np.bincount(column, minlength=4) / COUNT - [1 / 2, 1 / 3, 1 / 6, 0]).max() < TOLERANCE
    assert not (winners == 3).any()
    assert (
        abs((winners[:, 0] == winners[:, 1]).mean() - (1 / 4 + 1 / 9 + 1 / 36)) < TOLERANCE
    )  # the tournaments are independent


@pytest.mark.parametrize("selection", SELECTIONS)
def test_candidates_of_equal_fitness_are_selected_equally_often(selection: str) -> None:
    generator = make_generator()
    chosen = np.concatenate([SELECTIONS[selection](np.zeros(5), 3, generator) for _ in range(COUNT)])
    assert np.abs(np.bincount(chosen, minlength=5) / (2 * COUNT) - 1 / 5).max() < TOLERANCE


# Crossover


@pytest.mark.parametrize("crossover", CROSSOVER_MASKS)
def test_two_children_exchange_genes_of_their_parents(crossover: str) -> None:
    optimiser = make_algorithm(6, crossover=crossover)
    exchanges = 0
    for _ in range(50):
        children = optimiser.cross(PARENTS, np.zeros(2))
        assert np.array_equal(np.abs(children), np.abs(PARENTS))
        assert np.array_equal(children[0], -children[1])
        exchanges += not np.array_equal(children, PARENTS)
    assert exchanges > 40


def draw_masks(crossover: str, parents: NumpyArray = PARENTS) -> NumpyArray:
    generator = make_generator()
    return np.array([CROSSOVER_MASKS[crossover](parents, generator) for _ in range(COUNT)])


def test_one_point_exchanges_the_genes_after_the_point() -> None:
    masks = draw_masks("one-point")
    points = Counter(6 - masks.sum(axis=1))
    assert all(mask.tolist() == sorted(mask) for mask in masks)
    assert set(points) == {1, 2, 3, 4, 5}
    assert all(abs(count / COUNT - 1 / 5) < TOLERANCE for count in points.values())


def test_two_point_exchanges_the_genes_between_the_points() -> None:
    masks = draw_masks("two-point")
    assert not masks[:, [0, 5]].any()
    blocks = Counter((int(mask.argmax()), int(mask.sum())) for mask in masks)
    assert all(mask[begin : begin + size].all() for mask, (begin, size) in ((m, (m.argmax(), m.sum())) for m in masks))
    assert len(blocks) == 10  # pairs of five points
    assert all(abs(count / COUNT - 1 / 10) < TOLERANCE for count in blocks.values())


def test_uniform_exchanges_each_gene_with_probability_one_half() -> None:
    masks = draw_masks("uniform")
    assert np.abs(masks.mean(axis=0) - 1 / 2).max() < TOLERANCE
    assert len({tuple(mask) for mask in masks}) == 64


def test_hux_exchanges_half_of_the_differing_genes() -> None:
    parents = PARENTS.copy()
    parents[1, 2] = parents[0, 2]
    masks = draw_masks("hux", parents)
    assert not masks[:, 2].any()
    assert (masks.sum(axis=1) == 2).all()  # of five, rounded down
    assert np.abs(masks.mean(axis=0)[[0, 1, 3, 4, 5]] - 2 / 5).max() < TOLERANCE
    assert not draw_masks("hux", np.ones((2, 6))).any()


@pytest.mark.parametrize(
    ("fitness", "expected"), [((1, 3), 1.5), ((0, 4), 1.0), ((0, 0), 2.0), ((-1, 3), 2.0), ((1e308, 1e308), 2.0)]
)
def test_average_is_weighted_by_non_negative_fitness(fitness: tuple[float, float], expected: float) -> None:
    children = make_algorithm(2, crossover="average").cross(np.array([[3.0, 30], [1.0, 10]]), np.array(fitness))
    assert children.shape == (1, 2)
    assert np.allclose(children, np.array([1, 10]) * expected, rtol=1e-15)


# Mutation, tested on the children of identical parents


def test_each_gene_mutates_at_its_rate_and_within_its_step() -> None:
    start = repeat_row([1, -2, 0, 4])
    changes = get_next_generation(make_algorithm(population_rows=start, population=COUNT)) - start
    assert np.abs((changes != 0).mean(axis=0) - 0.1).max() < TOLERANCE / 2
    assert 0.099 < np.abs(changes).max() <= 0.1 + 1e-9
    assert abs(changes[changes != 0].mean()) < 0.01
    assert abs((changes > 0).sum() / (changes != 0).sum() - 1 / 2) < 0.1


def test_one_gene_moves_by_exactly_one_step() -> None:
    start = repeat_row([1, -2, 0, 4])
    settings: dict[str, Any] = {"mutation": "one-gene", "mutation_rate": 0.5, "mutation_step": 0.25}
    changes = get_next_generation(make_algorithm(population_rows=start, population=COUNT, **settings)) - start
    mutated = (changes != 0).sum(axis=1)
    assert set(mutated) == {0, 1}
    assert abs(mutated.mean() - 0.5) < TOLERANCE
    assert set(np.unique(changes)) == {-0.25, 0, 0.25}
    assert np.abs((changes > 0).mean(axis=0) - 1 / 16).max() < TOLERANCE / 2
    assert np.abs((changes < 0).mean(axis=0) - 1 / 16).max() < TOLERANCE / 2


def test_signed_mutation_moves_away_from_zero() -> None:
    start = repeat_row([1, -2, 0, 4])
    settings: dict[str, Any] = {"mutation": "signed", "mutation_rate": 1, "mutation_step": 0.25}
    changes = get_next_generation(make_algorithm(population_rows=start, population=COUNT, **settings)) - start
    assert ((changes != 0).sum(axis=1) == 1).all()
    assert [set(np.unique(column)) for column in changes.T] == [{0, 0.25}, {-0.25, 0}, {-0.25, 0, 0.25}, {0, 0.25}]
    assert np.abs((changes != 0).mean(axis=0) - 1 / 4).max() < TOLERANCE


def test_swap_takes_genes_from_the_best_of_the_first_generation() -> None:
    start = repeat_row([0, 0, 0, 0])
    start[:400] = np.arange(1, 401)[:, np.newaxis] + [0, 1000, 2000, 3000]  # the best tenth
    optimiser = make_algorithm(
        population_rows=start, population=COUNT, mutation="swap", mutation_rate=1, tournament_size=1
    )
    optimiser.ask()
    optimiser.tell((np.arange(COUNT) < 400).astype(float))
    optimiser.population = repeat_row([-1, -1, -1, -1])
    for _ in range(2):  # the pool of the first generation does not change later
        children = get_next_generation(optimiser)
        mutated = children != -1
        assert (mutated.sum(axis=1) == 1).all()
        assert np.abs(mutated.mean(axis=0) - 1 / 4).max() < TOLERANCE
        gene = mutated.argmax(axis=1)
        donors = children[np.arange(COUNT), gene] - 1000 * gene
        assert donors.min() >= 1
        assert donors.max() <= 400
        assert len(set(donors)) > 390
        optimiser.tell(np.arange(COUNT, dtype=float))
        optimiser.population = repeat_row([-1, -1, -1, -1])


# A generation


def test_elite_is_carried_over_unchanged() -> None:
    optimiser = make_algorithm(population=20, elitism=0.15, mutation_rate=1)
    candidates = optimiser.ask()
    optimiser.tell(-np.abs(np.arange(20.0) - 7))
    next_population = optimiser.ask()
    assert np.array_equal(next_population[:3], candidates[[7, 6, 8]])
    assert not (next_population[3:, np.newaxis] == candidates).all(axis=2).any()
    assert np.array_equal(optimiser.get_incumbent(), candidates[7])


@pytest.mark.parametrize("crossover", ["uniform", "average"])
def test_normalised_candidates_have_length_one(crossover: str) -> None:
    optimiser = make_algorithm(normalise=True, crossover=crossover, mutation_rate=0.5, elitism=0.1)
    for _ in range(3):
        candidates = optimiser.ask()
        assert np.allclose(np.linalg.norm(candidates, axis=1), 1, rtol=1e-12)
        optimiser.tell(candidates[:, 0])
    assert not np.allclose(np.linalg.norm(make_algorithm().ask(), axis=1), 1)


# Invalid settings


@pytest.mark.parametrize(
    ("settings", "dimension", "message"),
    [
        ({"population": 4}, 4, r"at most the population \(4\); given 5"),
        ({"selection": "best-two", "tournament_size": 1}, 4, "at least 2"),
        ({"elitism": 0.995}, 4, "carries over 50 of 50"),
        ({"crossover": "two-point"}, 2, 'requires at least 3 numbers per candidate; given 2. Use "uniform"'),
    ],
)
def test_invalid_settings_raise_errors(settings: dict[str, Any], dimension: int, message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        make_algorithm(dimension, **settings)
