"""Tests of all optimisers: they find a simple optimum, are reproducible, continue from a file, and report errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.errors import RunError, TetrionError
from tetrion.training import LEARNERS, EvolutionaryLearner
from tetrion.training.optimisers.cma_es import CmaEs, CmaSettings
from tetrion.training.optimisers.optimiser import NumpyArray, Optimiser, StateArrays

TARGET = np.array([3.0, -1.0, 4.0, -1.0, 5.0])
MIN_START_DISTANCE = 7.0  # from the target
MAX_END_DISTANCE = 0.05
SUITABLE_SETTINGS: dict[str, dict[str, Any]] = {
    "genetic": {"elitism": 0.1, "crossover": "uniform", "mutation_rate": 0.3, "mutation_step": 0.5},
    "harmony": {"bandwidth": 0.2},
}
OPTIMISERS = {name: learner for name, learner in LEARNERS.items() if issubclass(learner, EvolutionaryLearner)}
all_optimisers = pytest.mark.parametrize("name", OPTIMISERS)


def make_optimiser(name: str, seed: int = 0, dimension: int = TARGET.size, **changes: Any) -> Optimiser:
    learner = OPTIMISERS[name]
    settings = learner.settings_type(**SUITABLE_SETTINGS.get(name, {}) | changes)
    optimiser: Optimiser = learner.optimiser_type(settings, dimension, seed)
    return optimiser


def compute_sphere_fitness(candidates: NumpyArray) -> NumpyArray:
    return np.asarray(-((candidates - TARGET) ** 2).sum(axis=1))


def run_generations(optimiser: Optimiser, generations: int) -> list[NumpyArray]:
    """Return the candidates and the incumbent of each generation."""
    history = []
    for _ in range(generations):
        history.append(optimiser.ask())
        optimiser.tell(compute_sphere_fitness(history[-1]))
        history.append(optimiser.get_incumbent())
    return history


def are_equal(first: list[NumpyArray], second: list[NumpyArray]) -> bool:
    return len(first) == len(second) and all(map(np.array_equal, first, second))


def save_and_load(state: StateArrays, path: Path) -> StateArrays:
    np.savez(path, allow_pickle=False, **state)
    with np.load(path, allow_pickle=False) as saved:
        return dict(saved)


@all_optimisers
def test_optimiser_finds_the_centre_of_a_sphere(name: str) -> None:
    optimiser = make_optimiser(name)
    assert np.linalg.norm(optimiser.get_incumbent() - TARGET) > MIN_START_DISTANCE
    run_generations(optimiser, 200)
    assert np.linalg.norm(optimiser.get_incumbent() - TARGET) < MAX_END_DISTANCE


@all_optimisers
def test_equal_seeds_give_equal_candidates(name: str) -> None:
    assert are_equal(run_generations(make_optimiser(name, 7), 6), run_generations(make_optimiser(name, 7), 6))
    assert not are_equal(
        run_generations(make_optimiser(name, 7), 1)[:1], run_generations(make_optimiser(name, 8), 1)[:1]
    )


@pytest.mark.parametrize("generations", [0, 5])
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        *((name, {}) for name in OPTIMISERS),
        ("genetic", {"mutation": "swap", "crossover": "average", "normalise": True}),
        ("cross-entropy", {"noise": "decreasing"}),
    ],
)
def test_optimiser_continues_from_a_saved_state(
    name: str, changes: dict[str, Any], generations: int, tmp_path: Path
) -> None:
    uninterrupted = make_optimiser(name, 3, **changes)
    interrupted = make_optimiser(name, 3, **changes)
    used = make_optimiser(name, 5, **changes)
    fresh = make_optimiser(name, 4, **changes)
    run_generations(uninterrupted, generations)
    run_generations(interrupted, generations)
    state = save_and_load(interrupted.get_state(), tmp_path / "state.npz")
    fresh.restore(state)
    run_generations(used, 2)
    used.ask()  # an open `ask` is discarded
    used.restore(state)
    assert np.array_equal(fresh.get_incumbent(), uninterrupted.get_incumbent())
    expected = run_generations(uninterrupted, 5)
    assert are_equal(run_generations(fresh, 5), expected)
    assert are_equal(run_generations(used, 5), expected)
    for other in (fresh, used):
        assert other.get_state().keys() == uninterrupted.get_state().keys()
        assert all(np.array_equal(other.get_state()[key], value) for key, value in uninterrupted.get_state().items())


@all_optimisers
@pytest.mark.parametrize("fitness", [0.0, -np.inf, 1e308])
def test_candidates_stay_finite_with_equal_fitness(name: str, fitness: float) -> None:
    optimiser = make_optimiser(name)
    for _ in range(20):
        optimiser.tell(np.full(len(optimiser.ask()), fitness))
    assert np.isfinite(optimiser.ask()).all()
    assert np.isfinite(optimiser.get_incumbent()).all()


@all_optimisers
def test_invalid_calls_raise_errors_and_can_be_corrected(name: str) -> None:
    optimiser = make_optimiser(name)
    twin = make_optimiser(name)
    with pytest.raises(TetrionError, match=r"call ask\(\) before"):
        optimiser.tell(np.zeros(5))
    candidates = optimiser.ask()
    fitness = compute_sphere_fitness(candidates)
    for invalid, message in [
        (fitness[1:], "one number for each of the"),
        (np.append(fitness, 0), "one number for each of the"),
        (fitness[:, np.newaxis], "one number for each of the"),
        (np.where(np.arange(fitness.size) == 2, np.nan, fitness), "given nan for candidate 2"),
        (np.where(np.arange(fitness.size) == 3, np.inf, fitness), "given inf for candidate 3"),
        (np.full(fitness.size, "many"), "list of"),
    ]:
        with pytest.raises(TetrionError, match=message):
            optimiser.tell(invalid)
    with pytest.raises(TetrionError, match=r"call tell\(fitness\) before"):
        optimiser.ask()
    with pytest.raises(TetrionError, match="take a state after tell"):
        optimiser.get_state()
    optimiser.tell(fitness)
    with pytest.raises(TetrionError, match=r"call ask\(\) before"):
        optimiser.tell(fitness)
    run_generations(twin, 1)
    assert np.array_equal(optimiser.ask(), twin.ask())


@all_optimisers
def test_state_of_another_optimiser_is_rejected(name: str) -> None:
    optimiser = make_optimiser(name)
    for other in OPTIMISERS:
        foreign_optimiser = make_optimiser(other, dimension=4 if other == name else TARGET.size)
        with pytest.raises(RunError, match="Use the settings with which the state was saved"):
            optimiser.restore(foreign_optimiser.get_state())
    with pytest.raises(RunError, match="given no '"):
        optimiser.restore({})


@all_optimisers
def test_invalid_settings_raise_errors(name: str) -> None:
    with pytest.raises(TetrionError, match="given 0"):
        make_optimiser(name, dimension=0)
    for key, value in vars(OPTIMISERS[name].settings_type()).items():
        invalid: Any = "invalid" if isinstance(value, str) else -1
        with pytest.raises(TetrionError, match=f"{name}.{key}"):
            make_optimiser(name, **{key: invalid})


def test_cmaes_has_the_private_attributes_that_checkpoints_need() -> None:
    optimiser = CmaEs(CmaSettings(), 5, 0)
    optimiser.ask()
    attributes = vars(optimiser.cma)
    assert {name for name, value in attributes.items() if np.shape(value) == (5, 5)} == {"_B", "_C"}
    assert np.array_equal(attributes["_D"], np.ones(5))
    assert not attributes["_funhist_values"].any()


def test_cma_population() -> None:
    assert len(make_optimiser("cma").ask()) == 8  # 4 + 3 log 5, rounded down: Hansen, equation 48
    assert len(make_optimiser("cma", population=11).ask()) == 11
    with pytest.raises(TetrionError, match="must be 0 or at least 4"):
        make_optimiser("cma", population=3)
    assert np.isfinite(run_generations(make_optimiser("cma", population=4), 50)[-1]).all()


def run_linear_fitness(optimiser: Optimiser) -> None:
    for _ in range(1000):
        optimiser.tell(optimiser.ask()[:, 0])


def test_cma_handles_convergence_and_reports_divergence() -> None:
    optimiser = CmaEs(CmaSettings(), 5, 0)
    run_generations(optimiser, 300)
    optimiser.cma._sigma = 5e-324  # the smallest positive number, reached after thousands of generations
    run_generations(optimiser, 50)
    assert np.allclose(optimiser.get_incumbent(), TARGET, rtol=1e-9)
    optimiser = CmaEs(CmaSettings(), 5, 0)
    with pytest.raises(TetrionError, match="grown beyond"):
        run_linear_fitness(optimiser)
