"""What every optimiser promises: it finds a simple optimum, repeats itself, goes on from a file, and names mistakes."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.errors import RunError, TetrionError
from tetrion.training.optimisers import OPTIMISERS
from tetrion.training.optimisers.cma_es import CmaEs, CmaSettings
from tetrion.training.optimisers.optimiser import NumpyArray, Optimiser, StateArrays

TARGET = np.array([3.0, -1.0, 4.0, -1.0, 5.0])
START, CLOSE = 7.0, 0.05  # how far every start is from the target at least, and how far every end at most
SUITED: dict[str, dict[str, Any]] = {
    "genetic": {"elitism": 0.1, "crossover": "uniform", "mutation_rate": 0.3, "mutation_step": 0.5},
    "harmony": {"bandwidth": 0.2},
}
every = pytest.mark.parametrize("name", OPTIMISERS)


def made(name: str, seed: int = 0, dimension: int = TARGET.size, **changes: Any) -> Optimiser:
    entry = OPTIMISERS[name]
    return entry.make_optimiser(entry.settings_type(**SUITED.get(name, {}) | changes), dimension, seed)


def sphere(candidates: NumpyArray) -> NumpyArray:
    return np.asarray(-((candidates - TARGET) ** 2).sum(axis=1))


def run(optimiser: Optimiser, generations: int) -> list[NumpyArray]:
    """Everything that an optimiser asks and favours."""
    seen = []
    for _ in range(generations):
        seen.append(optimiser.ask())
        optimiser.tell(sphere(seen[-1]))
        seen.append(optimiser.get_incumbent())
    return seen


def equal(some: list[NumpyArray], others: list[NumpyArray]) -> bool:
    return len(some) == len(others) and all(map(np.array_equal, some, others))


def through_a_file(state: StateArrays, path: Path) -> StateArrays:
    np.savez(path, allow_pickle=False, **state)
    with np.load(path, allow_pickle=False) as saved:
        return dict(saved)


@every
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_finds_the_middle_of_a_sphere(name: str, seed: int) -> None:
    optimiser = made(name, seed)
    assert np.linalg.norm(optimiser.get_incumbent() - TARGET) > START
    run(optimiser, 200)
    assert np.linalg.norm(optimiser.get_incumbent() - TARGET) < CLOSE


@every
def test_candidates_are_rows_of_numbers(name: str) -> None:
    optimiser = made(name, dimension=3)
    candidates = optimiser.ask()
    assert candidates.dtype == np.float64
    assert candidates.shape == (len(candidates), 3)
    assert optimiser.get_incumbent().shape == (3,)


@every
def test_a_seed_is_a_course(name: str) -> None:
    assert equal(run(made(name, 7), 6), run(made(name, 7), 6))
    assert not equal(run(made(name, 7), 1)[:1], run(made(name, 8), 1)[:1])


@every
def test_what_a_caller_does_to_the_candidates_changes_nothing(name: str) -> None:
    careful, careless = made(name), made(name)
    for _ in range(3):
        candidates = careless.ask()
        fitness = sphere(candidates)
        candidates[:] = 0
        careless.tell(fitness)
        careless.get_incumbent()[:] = 0
    run(careful, 3)
    assert np.array_equal(careful.ask(), careless.ask())


@pytest.mark.parametrize("generations", [0, 1, 5])
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        *((name, {}) for name in OPTIMISERS),
        ("genetic", {"mutation": "swap", "crossover": "average", "normalise": True}),
        ("cross-entropy", {"noise": "decreasing"}),
    ],
)
def test_goes_on_from_a_file(name: str, changes: dict[str, Any], generations: int, tmp_path: Path) -> None:
    alone, killed, used, fresh = (made(name, seed, **changes) for seed in (3, 3, 5, 4))
    run(alone, generations)
    run(killed, generations)
    state = through_a_file(killed.get_state(), tmp_path / "state.npz")
    fresh.restore(state)
    run(used, 2)
    used.ask()  # whatever it was in the middle of
    used.restore(state)
    assert np.array_equal(fresh.get_incumbent(), alone.get_incumbent())
    expected = run(alone, 5)
    assert equal(run(fresh, 5), expected)
    assert equal(run(used, 5), expected)
    for other in (fresh, used):
        assert other.get_state().keys() == alone.get_state().keys()
        assert all(np.array_equal(other.get_state()[key], value) for key, value in alone.get_state().items())


@every
def test_a_state_does_not_change_afterwards(name: str) -> None:
    optimiser = made(name)
    run(optimiser, 2)
    state = optimiser.get_state()
    copies = {key: value.copy() for key, value in state.items()}
    run(optimiser, 2)
    assert all(np.array_equal(state[key], value) for key, value in copies.items())
    assert not all(np.array_equal(optimiser.get_state()[key], value) for key, value in copies.items())


@every
@pytest.mark.parametrize("fitness", [0.0, -5.0, -np.inf, 1e308])
def test_equal_fitness(name: str, fitness: float) -> None:
    optimiser = made(name)
    for _ in range(20):
        optimiser.tell(np.full(len(optimiser.ask()), fitness))
    assert np.isfinite(optimiser.ask()).all()
    assert np.isfinite(optimiser.get_incumbent()).all()


@every
def test_bad_tells_are_named_and_can_be_mended(name: str) -> None:
    optimiser, twin = made(name), made(name)
    with pytest.raises(TetrionError, match=r"call ask\(\) before"):
        optimiser.tell(np.zeros(5))
    candidates = optimiser.ask()
    right = sphere(candidates)
    for wrong, message in [
        (right[1:], "one number for each of the"),
        (np.append(right, 0), "one number for each of the"),
        (right[:, np.newaxis], "one number for each of the"),
        (np.where(np.arange(right.size) == 2, np.nan, right), "given nan for candidate 2"),
        (np.where(np.arange(right.size) == 3, np.inf, right), "given inf for candidate 3"),
        (np.full(right.size, "many"), "list of"),
    ]:
        with pytest.raises(TetrionError, match=message):
            optimiser.tell(wrong)
    with pytest.raises(TetrionError, match=r"call tell\(fitness\) before"):
        optimiser.ask()
    with pytest.raises(TetrionError, match="a state is taken after tell"):
        optimiser.get_state()
    optimiser.tell(right)
    with pytest.raises(TetrionError, match=r"call ask\(\) before"):
        optimiser.tell(right)
    run(twin, 1)
    assert np.array_equal(optimiser.ask(), twin.ask())


@every
def test_states_of_others_are_refused(name: str) -> None:
    optimiser = made(name)
    for other in OPTIMISERS:
        stranger = made(other, dimension=4 if other == name else TARGET.size)
        with pytest.raises(RunError, match="Use the settings that it was made with"):
            optimiser.restore(stranger.get_state())
    with pytest.raises(RunError, match="given no '"):
        optimiser.restore({})


@every
def test_settings_are_checked_and_have_meanings(name: str) -> None:
    with pytest.raises(TetrionError, match="given 0"):
        made(name, dimension=0)
    for key, value in vars(OPTIMISERS[name].settings_type()).items():
        wrong: Any = "wrong" if isinstance(value, str) else -1
        with pytest.raises(TetrionError, match=f"{name}.{key}"):
            made(name, **{key: wrong})


def test_the_registry_does_not_load_cmaes() -> None:
    program = "import sys, tetrion.training.optimisers; print('cmaes' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "False"


def test_without_cmaes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(TetrionError, match="pip install cmaes"):
        made("cma")


def test_the_population_of_cma() -> None:
    assert len(made("cma").ask()) == 8  # 4 + 3 log 5, rounded down: Hansen, equation 48
    assert len(made("cma", population=11).ask()) == 11
    with pytest.raises(TetrionError, match="0 or at least 4"):
        made("cma", population=3)
    assert np.isfinite(run(made("cma", population=4), 50)[-1]).all()


def test_the_start_of_cma() -> None:
    settings = CmaSettings(population=2000, sigma=0.5)
    candidates = CmaEs(settings, 5, 0, mean=TARGET).ask()
    assert np.abs(candidates.mean(axis=0) - TARGET).max() < 0.05
    assert np.abs(candidates.std(axis=0) - 0.5).max() < 0.05
    with pytest.raises(TetrionError, match="has 5 finite numbers"):
        CmaEs(settings, 5, 0, mean=TARGET[1:])


def flee(optimiser: Optimiser) -> None:
    for _ in range(1000):
        optimiser.tell(optimiser.ask()[:, 0])


def test_cma_survives_convergence_and_names_flight() -> None:
    optimiser = CmaEs(CmaSettings(), 5, 0)
    run(optimiser, 300)
    optimiser.cma._sigma = 5e-324  # the smallest number above zero, which some thousand generations lead to
    run(optimiser, 50)
    assert np.allclose(optimiser.get_incumbent(), TARGET, rtol=1e-9)
    optimiser = CmaEs(CmaSettings(), 5, 0)
    with pytest.raises(TetrionError, match="grown beyond"):
        flee(optimiser)
