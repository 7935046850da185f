"""Checkpoints with valid checksums and hostile values: training continues, or a `TetrionError` names the run.

Every case is really resumed until the end of its run, in a child process, because compiled code that is given invalid
indices may end the process. `python -m tests.fuzzing.test_checkpoint_values FOLDER SEED END` repeats a case with the
runs in FOLDER, which are made if it does not exist.
"""

import hashlib
import json
import shutil
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.fuzzing.child_processes import PROBLEM, list_problems, parametrise_cases, print_outcomes, run_cases
from tests.training.small_recipes import get_length_setting, make_small_recipe
from tetrion.engine.records import GameRecord
from tetrion.errors import TetrionError
from tetrion.training.checkpoint import (
    CHECKPOINT_FILE,
    CHECKPOINT_FILES,
    HISTORY_FILES,
    encode_checkpoint,
    read_checkpoint_file,
)
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays
from tetrion.training.trainer import resume, train
from tetrion.training.training_progress import TrainingProgress

# Runs of every learner: the name of the learner, and changes of its small recipe.
RUNS: dict[str, tuple[str, ...]] = {
    "genetic": ("genetic",),
    "genetic-crowds": ("genetic", "crowd.kind=both", "genetic.normalise=true", "genetic.mutation=swap"),
    "genetic-average": ("genetic", "genetic.crossover=average", "genetic.elitism=0.4", "stop.patience=2"),
    "cross-entropy": ("cross-entropy", "cross-entropy.noise=decreasing"),
    "cma": ("cma",),
    "cma-modes": ("cma", "agent.design=modes", "agent.features=[]"),
    "harmony": ("harmony",),
    "q-learning": ("q-learning", "q-learning.average_from=2", "q-learning.epsilon=0.1"),
    "td": ("td",),
    "td-bag": ("td", "rules=standard:height=8,randomiser=bag,preview=2", "td.depth=2"),
    "td-nes": ("td", "rules=nes:movement=drop", "td.garbage=0.5"),
    "td-counts": ("td", "rules=standard:height=8,randomiser=nes-counts,preview=1"),
    "td-script": ("td", "rules=standard:height=10,randomiser=script-TIJ,game_over=top-row", "td.episode_pieces=7"),
}
_STEPS = 4
_FLOATS = (*(0.0, -0.0, 1.0, -1.0, 0.5, np.nan, np.inf, -np.inf, 1e-320, 1e-300, 1e-30, 1e15, 1e30, -1e32, 1e63, 1e64),)
_LARGE_FLOATS = (1e65, 1e100, -1e154, 1e160, 1.7e308, -1.7e308, 2.0**31, 2.0**63, -(2.0**63), 1e20)
_INTEGERS = (0, 1, 2, 3, -1, -2, 7, 8, 127, 128, 255, 256, 1000, 2**15, 2**16, 2**31 - 1, 2**31, 2**32, 2**40, 2**53)
_LARGE_INTEGERS = (10**12, 10**15, 10**15 + 1, 2**62 - 1, 2**62, 2**62 + 1, 2**63 - 1, -(2**63), -(2**31), -(10**15))
_BAGS = (6, 7, 127, 128, 0xFFFF, 7 << 16, (8 << 16) - 1, 8 << 16, 1 << 32, 10**15, -(1 << 16), -1)
_TEXTS = ("", "\0", "\ud800", "{}", "[" * 900, "9" * 900, "W" * 3000)


def make_runs(folder: Path) -> None:
    """Write the stopped runs whose checkpoints are changed, one step before their end, without compiling again."""

    def stop(progress: TrainingProgress) -> None:
        if progress.done == _STEPS - 1:
            raise KeyboardInterrupt

    for name, (learner, *changes) in RUNS.items():
        length = f"{get_length_setting(learner)}={_STEPS}"
        recipe = make_small_recipe(learner, length, "validation.every=1", *changes)
        with pytest.raises(KeyboardInterrupt):
            train(recipe, folder / name, workers=1, on_progress=stop)


def write_case(runs: Path, target: Path, seed: int) -> str:
    """Copy one of the runs, change values of its checkpoint or history, and describe the changes."""
    random = Random(seed)
    name = random.choice(sorted(path.name for path in runs.iterdir()))
    shutil.copytree(runs / name, target)
    state = read_checkpoint_file(target / CHECKPOINT_FILE)
    descriptions = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        with suppress(
            ValueError, TypeError, LookupError, AttributeError, StopIteration
        ):  # what an earlier change makes impossible
            descriptions.append(random.choice(_MUTATORS)(state, target, random))
    for file in CHECKPOINT_FILES:
        (target / file).unlink(missing_ok=True)
    (target / CHECKPOINT_FILE).write_bytes(encode_checkpoint(state))
    if random.random() < 0.1:  # a previous checkpoint that is intact
        shutil.copy(runs / name / CHECKPOINT_FILES[1], target / CHECKPOINT_FILES[1])
    return f"{name}: {'; '.join(descriptions)}"


def choose_number(kind: str, random: Random) -> Any:
    if kind == "f":
        return random.choice((*_FLOATS, *_LARGE_FLOATS, random.gauss(0, 1) * 10.0 ** random.randint(-20, 60)))
    return random.choice((*_INTEGERS, *_LARGE_INTEGERS, *_BAGS, random.randrange(-(2**63), 2**63)))


def set_numbers(array: NumpyArray, random: Random) -> str:
    """Set one or all numbers of an array; integers that do not fit into it lose their upper bits."""
    kind = array.dtype.kind
    number = choose_number(kind, random)
    if kind in "iu":
        number = int(number) & (2 ** (8 * array.dtype.itemsize) - 1)
        number = np.array(number, f"<u{array.dtype.itemsize}").astype(array.dtype)
    if random.random() < 0.5 or not array.size:
        array[...] = number
        return f"all {number}"
    index = random.randrange(array.size)
    array.reshape(-1)[index] = number
    return f"{index} {number}"


def change_numbers(state: StateArrays, folder: Path, random: Random) -> str:
    """Set numbers of an array; those that are stored as bytes are numbers of another type."""
    numeric = [name for name in state if state[name].dtype.kind in "iufb"]
    of_learner = [name for name in numeric if name.startswith(("learner.", "optimiser.", "rung"))]
    name = random.choice(of_learner if of_learner and random.random() < 0.95 else numeric)
    name = "learner.games" if "learner.games" in numeric and random.random() < 0.5 else name
    array = state[name] = state[name].copy()
    if name == "learner.games":
        return f"{name} {change_games(array.view(GameRecord.dtype), random)}"
    if array.dtype == np.uint8 and name.startswith("learner."):
        array = array.view(np.int32 if "tables" in name else np.int64)
    return f"{name} {set_numbers(array, random)}"


def change_games(games: Any, random: Random) -> str:
    """Change a field of one game or all games, most often one that compiled code uses as an index."""
    games = games if random.random() < 0.5 else games[random.randrange(len(games)) :][:1]
    field = random.choice((*games.dtype.names, *("board", "bag", "known", "queue") * 6))
    column = games[field]
    if field == "board":
        rows = random.choice((1, 5, 8, 10, 20, 24, 27, 28, 31))
        column[...] = [random.choice((2**rows - 1, random.getrandbits(rows), 1 << rows - 1)) for _ in range(10)]
    elif field == "bag":
        column[...] = random.choice((*_BAGS, random.getrandbits(63)))
    elif field in ("known", "queue"):
        column[...] = random.choice((-1, 0, 1, 2, 3, 6, 7, 8, 9, 19, 1000, 2**62, -(2**62)))
    else:
        return f"{field} {set_numbers(column, random)}"
    return f"{field} {column[0]}"


def change_text(state: StateArrays, folder: Path, random: Random) -> str:
    """Change the state of a random generator."""
    name = next(name for name in state if name.endswith("generator"))
    content = json.loads(str(state[name]))
    place = random.choice([content, content["state"]])
    place[random.choice(list(place))] = random.choice((None, -1, 0, 1, 2**32, 2**127, 2**200, "x", [], {}, 1.5, True))
    state[name] = np.array(random.choice((json.dumps(content), json.dumps(content), *_TEXTS)))
    return f"{name} {str(state[name])[:60]!r}"


def change_shape(state: StateArrays, folder: Path, random: Random) -> str:
    """Change the shape or the type of an array, remove it, or exchange it with another one."""
    name = random.choice(list(state))
    array = state[name]
    shapes: list[Callable[[], NumpyArray]] = [
        lambda: array[np.newaxis],
        lambda: array.reshape(-1),
        lambda: array.reshape(-1)[:-1],
        lambda: np.concatenate([array.reshape(-1)] * 2),
        lambda: np.asfortranarray(array.T),
        lambda: array.reshape(-1)[0],
        lambda: np.zeros((0, 5), array.dtype),
        lambda: array.astype(random.choice(("<f4", ">f8", "<i4", ">i8", "<u8", "?", "<U5"))),
        lambda: state[random.choice(list(state))],
    ]
    del state[name]
    if random.random() < 0.9:
        state[random.choice((name, name, name, "x"))] = changed = np.array(random.choice(shapes)())
        return f"{name} of shape {changed.shape} and type {changed.dtype}"
    return f"remove {name}"


def change_history(state: StateArrays, folder: Path, random: Random) -> str:
    """Change numbers of the history, whose checksum is in the checkpoint."""
    content = bytearray((folder / HISTORY_FILES[0]).read_bytes())
    description = set_numbers(np.frombuffer(content, "<f8"), random)
    for name in HISTORY_FILES:
        (folder / name).write_bytes(content)
    state["history.sha256"] = np.frombuffer(hashlib.sha256(content).digest(), np.uint8)
    return f"history {description}"


_Mutator = Callable[[StateArrays, Path, Random], str]
_MUTATORS: list[_Mutator] = [
    *[change_numbers] * 8,
    change_text,
    change_shape,
    *[change_history] * 2,
]


def check_case(runs: Path, seed: int) -> str:
    """Resume the run of a case; return what is wrong with the outcome, or nothing."""
    target = runs.parent / "case"
    shutil.rmtree(target, ignore_errors=True)
    description = write_case(runs, target, seed)
    try:
        with warnings.catch_warnings(record=True):
            resume(target, workers=1, allow_other_versions=True)
    except TetrionError as error:
        if str(target) not in str(error):
            return f"{PROBLEM} case {seed}, {description}: the message does not name the run: {error}"
    except BaseException:
        return f"{PROBLEM} case {seed}, {description}: {traceback.format_exc()}"
    return ""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "runs"
    make_runs(folder)
    return folder


@parametrise_cases(30, 8000)
def test_hostile_values(cases: range, runs: Path) -> None:
    assert list_problems(run_cases("tests.fuzzing.test_checkpoint_values", cases, str(runs))) == []


def main() -> None:
    """Check the cases of the command line with the runs in its folder."""
    np.seterr(all="ignore")
    folder = Path(sys.argv[1])
    if not folder.exists():
        make_runs(folder)
    print_outcomes(partial(check_case, folder))


if __name__ == "__main__":
    main()
