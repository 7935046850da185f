"""Tests of the export and import of Gavrilov's text files."""

from pathlib import Path

import numpy as np
import pytest

from tests.training.small_recipes import make_small_recipe
from tetrion.errors import RunError, TetrionError
from tetrion.training.gavrilov_text_files import export_text, import_text
from tetrion.training.run import Run
from tetrion.training.trainer import train

NAMES = ("height", "holes", "bumpiness", "clearing")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(make_small_recipe(), tmp_path_factory.mktemp("runs") / "run", workers=1)


def test_exported_population_is_imported(run: Run, tmp_path: Path) -> None:
    assert export_text(run, tmp_path) == 5
    assert len(list(tmp_path.iterdir())) == 15
    candidates, fitness, _ = run.load_population(4)
    lines = (tmp_path / "population_generation_4.txt").read_text("utf-8").splitlines()
    assert [[float(cell) for cell in line.split(" ")] for line in lines] == candidates.tolist()
    exported_fitness = (tmp_path / "fitnesses_generation_4.txt").read_text("utf-8").split()
    assert [float(cell) for cell in exported_fitness] == fitness.tolist()
    best = (tmp_path / "best_individual_generation_4.txt").read_text("utf-8").split()
    assert [float(cell) for cell in best] == candidates[fitness.argmax()].tolist()
    assert import_text(tmp_path, run.parameter_names).tolist() == candidates.tolist()


def test_run_begins_with_an_imported_population(run: Run, tmp_path: Path) -> None:
    export_text(run, tmp_path / "texts")
    second_run = train(make_small_recipe(), tmp_path / "run", workers=1, first_population=tmp_path / "texts")
    assert second_run.load_population(0).candidates.tolist() == run.load_population(4).candidates.tolist()


def test_last_generation_is_found_by_its_number(tmp_path: Path) -> None:
    for number in (2, 9, 10):
        (tmp_path / f"population_generation_{number}.txt").write_text(f"{number} 0 0 0\n\n1 1 1 1\n", encoding="utf-8")
    (tmp_path / "population_generation_x.txt").write_text("?", encoding="utf-8")
    assert np.array_equal(import_text(tmp_path, NAMES), [[10, 0, 0, 0], [1, 1, 1, 1]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("1 2 3\n", r"line 1: expected 4 numbers \(height, holes, bumpiness, clearing\); given 3"),
        ("1 2 3 4\n1 2 3 x\n", "line 2: expected 4 numbers.*given '1 2 3 x'"),
        ("1 2 3 nan\n", "line 1"),
        ("[1, 2, 3, 4]\n", "line 1"),
    ],
)
def test_invalid_text_files_raise_errors(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "population_generation_0.txt").write_text(content, encoding="utf-8")
    with pytest.raises(RunError, match=message):
        import_text(tmp_path, NAMES)


def test_population_that_does_not_match_raises_error(run: Run, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a folder"):
        import_text(tmp_path / "nowhere", NAMES)
    with pytest.raises(RunError, match="has no files"):
        import_text(tmp_path, NAMES)
    export_text(run, tmp_path)
    with pytest.raises(TetrionError, match="population"):
        train(make_small_recipe("genetic", "population=8"), tmp_path / "run", first_population=tmp_path)
    with pytest.raises(TetrionError, match="requires a genetic algorithm"):
        train(make_small_recipe("cma"), tmp_path / "run", first_population=tmp_path)
    assert not (tmp_path / "run").exists()


def test_q_learning_has_no_population_to_export(tmp_path: Path) -> None:
    q_learning_run = train(make_small_recipe("q-learning"), tmp_path / "run", workers=1)
    with pytest.raises(RunError, match="has no population to export"):
        export_text(q_learning_run, tmp_path / "texts")
