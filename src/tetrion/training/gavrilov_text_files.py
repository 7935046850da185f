"""Gavrilov's text files: three files per generation, for the population, its fitnesses and its best individual.

Gavrilov 2023, section 8.6 and Figure 65. His program overwrites the population of a generation with its children; here
the three files with the same number describe the same population.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, read_data_file
from tetrion.errors import RunError
from tetrion.text_cleaning import clean_name
from tetrion.training.number_tables import MAX_TABLE_BYTES
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run

_POPULATION_FILE_PATTERN = re.compile(r"population_generation_(\d+)\.txt", re.ASCII)


def export_text(run: Run, folder: Path) -> int:
    """Write each generation of a run as text files into a folder; return the number of generations."""
    if not run.has_population:
        raise RunError(f"{run.folder} has no population to export: {run.recipe.learner} trains a single agent.")
    check_weights_design(run.recipe)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(run.generation_count):
            candidates, fitness, _ = run.load_population(number)
            best = candidates[int(np.argmax(fitness))]
            write_rows(folder / f"population_generation_{number}.txt", candidates)
            write_rows(folder / f"fitnesses_generation_{number}.txt", fitness[:, None])
            write_rows(folder / f"best_individual_generation_{number}.txt", [best])
    except OSError as error:
        raise RunError(f"{folder} cannot be written: {error.strerror}. Choose another folder.") from None
    return run.generation_count


def check_weights_design(recipe: Recipe) -> None:
    """Raise RunError unless the candidates of a recipe are weights, as in Gavrilov's text files."""
    if recipe.agent.design != "weights":
        raise RunError(
            f"Gavrilov's text files require agent.design = weights; {recipe.name} has {recipe.agent.design}."
        )


def write_rows(path: Path, rows: Iterable[NumpyArray]) -> None:
    """Write rows of numbers, separated by spaces."""
    write_atomically(path, "".join(" ".join(map(repr, row.tolist())) + "\n" for row in rows).encode())


def import_text(folder: Path, parameter_names: tuple[str, ...]) -> NumpyArray:
    """Return the population of the last generation in a folder, one row per individual."""
    if not folder.is_dir():
        raise RunError(
            f"`first_population` must be a folder with files population_generation_N.txt; {folder} is not a folder."
        )
    try:
        paths = {
            int(match[1]): path for path in folder.iterdir() if (match := _POPULATION_FILE_PATTERN.fullmatch(path.name))
        }
    except OSError as error:
        raise RunError(f"{folder} cannot be read: {error.strerror or error}.") from None
    if not paths:
        raise RunError(f"{folder} has no files population_generation_N.txt.")
    path = paths[max(paths)]
    rows = [(number, line.split()) for number, line in enumerate(read_lines(path), 1) if line.strip()]
    if not rows:
        raise RunError(f"{path} is empty; expected one individual per line.")
    return np.array([parse_candidate(path, number, cells, parameter_names) for number, cells in rows])


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file."""
    try:
        return read_data_file(path, MAX_TABLE_BYTES).decode().splitlines()
    except FileNotFoundError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from None
    except DataFileError as error:
        raise RunError(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise RunError(f"{path} is not a text file: {error}.") from None


def parse_candidate(path: Path, line: int, cells: list[str], names: tuple[str, ...]) -> list[float]:
    """Return the numbers of an individual; raise RunError if a number is missing or invalid."""
    expected = f"{len(names)} numbers ({', '.join(names)})"
    given = clean_name(" ".join(cells))
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        raise RunError(f"{path}, line {line}: expected {expected}; given '{given}'.") from None
    if len(values) != len(names) or not np.isfinite(values).all():
        raise RunError(f"{path}, line {line}: expected {expected}; given {len(values)}: '{given}'.")
    return values
