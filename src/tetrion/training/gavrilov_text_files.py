"""Gavrilov's own text files: a population, its fitnesses and its best individual, a file a generation each.

Gavrilov 2023, section 8.6 and Figure 65. His program overwrites the population of a generation with its children; here
population, fitnesses and best individual of one number belong together.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tetrion.atomic_files import write_atomically
from tetrion.errors import RunError
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run

_POPULATION_FILE_PATTERN = re.compile(r"population_generation_(\d+)\.txt")


def export_text(run: Run, folder: Path) -> int:
    """Write every generation of a run as text files; tells how many generations there were."""
    if not run.has_population:
        raise RunError(f"{run.folder} has no generations of candidates: {run.recipe.learner} trains a single one.")
    check_weights_design(run.recipe)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(run.generation_count):
            candidates, fitness, _ = run.load_population(number)
            best = candidates[int(np.argmax(fitness))]
            write_rows(folder / f"population_generation_{number}.txt", candidates)
            write_rows(folder / f"fitnesses_generation_{number}.txt", fitness[:, None])
            write_rows(folder / f"best_individual_generation_{number}.txt", [best])
    except OSError as problem:
        raise RunError(
            f"{folder} cannot be written: {problem.strerror}. Give another place to --export-text."
        ) from None
    return run.generation_count


def check_weights_design(recipe: Recipe) -> None:
    """Make sure that a recipe's individuals are weights, as those of the text files are."""
    if recipe.agent.design != "weights":
        raise RunError(f"Gavrilov's text files hold weights; {recipe.name} has the design {recipe.agent.design}.")


def write_rows(path: Path, rows: Iterable[NumpyArray]) -> None:
    """Write rows of numbers with spaces between them."""
    write_atomically(path, "".join(" ".join(map(repr, row.tolist())) + "\n" for row in rows).encode())


def import_text(folder: Path, parameter_names: tuple[str, ...]) -> NumpyArray:
    """The population of the last generation that a folder has."""
    if not folder.is_dir():
        raise RunError(f"--import-text takes a folder with files population_generation_N.txt; {folder} is no folder.")
    found = {
        int(match[1]): path for path in folder.iterdir() if (match := _POPULATION_FILE_PATTERN.fullmatch(path.name))
    }
    if not found:
        raise RunError(f"{folder} has no files population_generation_N.txt.")
    path = found[max(found)]
    rows = [(number, line.split()) for number, line in enumerate(read_lines(path), 1) if line.strip()]
    if not rows:
        raise RunError(f"{path} is empty; it has an individual a line.")
    return np.array([parse_candidate(path, number, cells, parameter_names) for number, cells in rows])


def read_lines(path: Path) -> list[str]:
    """The lines of a text file."""
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise RunError(f"{path} cannot be read: {problem}.") from None


def parse_candidate(path: Path, line: int, cells: list[str], names: tuple[str, ...]) -> list[float]:
    """The numbers of an individual, or the error that says what is wrong with its line."""
    expected = f"{len(names)} numbers ({', '.join(names)})"
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        raise RunError(f"{path}, line {line}: an individual is {expected}; given '{' '.join(cells)}'.") from None
    if len(values) != len(names) or not np.isfinite(values).all():
        raise RunError(f"{path}, line {line}: an individual is {expected}; given {len(values)}: '{' '.join(cells)}'.")
    return values
