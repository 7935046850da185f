"""History files of a run: the metrics and the incumbent of each step, appended step by step.

A checkpoint states the number of steps and their checksum, so that its size does not grow with the run. Steps after
the last checkpoint, which a killed process may leave, are ignored and removed when the run is resumed. Every step is in
two files, so that a run can be resumed if one of them is damaged.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from tetrion.atomic_files import write_atomically
from tetrion.data_files import open_regular_file
from tetrion.errors import RunError
from tetrion.training.checkpoint import CHECKPOINT_FILES, read_checkpoint_file
from tetrion.training.learner import MAX_STEPS, VALIDATION_COLUMN, Learner
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays, check_state
from tetrion.training.run import check_whole_numbers
from tetrion.training.run_schema import MAX_MEASURED_NUMBER

HISTORY_FILE = "history.bin"
HISTORY_COPY_FILE = "history.copy.bin"
HISTORY_FILES = (HISTORY_FILE, HISTORY_COPY_FILE)
_STEPS_ARRAY = "history.steps"
_CHECKSUM_ARRAY = "history.sha256"
_FORMER_ARRAYS = ("rows", "favourites")  # the history in checkpoints of earlier versions: metrics and incumbents
_NUMBER_TYPE = np.dtype("<f8")


class HistoryWriter:
    """Appends the steps of a learner to the history files of a run."""

    def __init__(self, folder: Path, learner: Learner) -> None:
        self.folder = folder
        self.learner = learner
        self.step_count = len(learner.metric_rows)
        content = encode_steps(learner, 0)
        self.byte_count = len(content)
        self.checksum = hashlib.sha256(content)

    def write_files(self) -> None:
        """Write the history files with all steps of the learner, unless they have this content already."""
        content = encode_steps(self.learner, 0)
        for name in HISTORY_FILES:
            if not has_content(self.folder / name, content):
                write_atomically(self.folder / name, content, durable=True)

    def append_steps(self) -> None:
        """Append the steps that the learner has recorded since the last call; return after they are on disk."""
        content = encode_steps(self.learner, self.step_count)
        for name in HISTORY_FILES:
            with (self.folder / name).open("r+b") as file:  # not "ab", which would create a missing file
                file.seek(self.byte_count)
                file.write(content)
                file.flush()
                if name == HISTORY_FILE:  # the copy is for damaged disks, not for power failures
                    os.fsync(file.fileno())
        self.step_count = len(self.learner.metric_rows)
        self.byte_count += len(content)
        self.checksum.update(content)

    def get_state(self) -> StateArrays:
        """Return the arrays with which a checkpoint refers to the history."""
        checksum = np.frombuffer(self.checksum.digest(), np.uint8)
        return {_STEPS_ARRAY: np.array(self.step_count), _CHECKSUM_ARRAY: checksum}


def encode_steps(learner: Learner, first: int) -> bytes:
    """Return the steps of a learner from `first` (counted from 0): its metrics and its incumbent, as numbers."""
    steps = [
        [*row, *incumbent]
        for row, incumbent in zip(learner.metric_rows[first:], learner.incumbents[first:], strict=True)
    ]
    return np.array(steps, _NUMBER_TYPE).tobytes()


def has_content(path: Path, content: bytes) -> bool:
    """Return whether a file exists, is not a link to another one, and has exactly this content."""
    try:
        with open_regular_file(path) as file:
            return (
                not path.is_symlink()
                and os.fstat(file.fileno()).st_size == len(content)
                and file.read(len(content)) == content
            )
    except OSError:
        return False


def restore_history(learner: Learner, folder: Path, state: StateArrays) -> StateArrays:
    """Restore the history to which a checkpoint refers; return the other arrays of the checkpoint."""
    if _FORMER_ARRAYS[0] in state:
        rows, incumbents = (state[name] for name in _FORMER_ARRAYS)
    else:
        steps = read_steps(learner, folder, state)
        rows, incumbents = np.split(steps, [len(learner.columns)], axis=1)
    check_history(learner, rows, incumbents)
    learner.restore_history(rows, incumbents)
    return {
        name: array for name, array in state.items() if name not in (*_FORMER_ARRAYS, _STEPS_ARRAY, _CHECKSUM_ARRAY)
    }


def read_steps(learner: Learner, folder: Path, state: StateArrays) -> NumpyArray:
    """Return the steps to which a checkpoint refers, one row per step, from the first file that has them."""
    expected = {_STEPS_ARRAY: np.array(0), _CHECKSUM_ARRAY: np.zeros(hashlib.sha256().digest_size, np.uint8)}
    arrays = check_state("the history", expected, {name: state[name] for name in expected if name in state})
    count = int(arrays[_STEPS_ARRAY])
    width = len(learner.columns) + len(learner.parameter_names)
    size = count * width * _NUMBER_TYPE.itemsize
    if count > MAX_STEPS:
        raise RunError(f"the number of steps must be from 0 to {MAX_STEPS:,}; given {count}")
    for name in HISTORY_FILES:
        content = read_start(folder / name, size)
        if hashlib.sha256(content).digest() == arrays[_CHECKSUM_ARRAY].tobytes():
            return np.frombuffer(content, _NUMBER_TYPE).reshape(count, width)
    raise RunError(f"{' and '.join(HISTORY_FILES)} are missing or damaged")


def read_start(path: Path, size: int) -> bytes:
    """Return the first bytes of a file; nothing if it is shorter or cannot be read."""
    try:
        with open_regular_file(path) as file:
            return file.read(size) if os.fstat(file.fileno()).st_size >= size else b""
    except OSError:
        return b""


def check_history(learner: Learner, rows: NumpyArray, incumbents: NumpyArray) -> None:
    """Raise RunError if the metrics and incumbents of a checkpoint do not fit the learner or are not numbers."""
    count = len(rows)
    expected = [(count, len(learner.columns)), (count, len(learner.parameter_names))]
    if [rows.shape, incumbents.shape] != expected or count > MAX_STEPS:
        raise RunError("the history is that of another learner or agent")
    score_index = learner.columns.index(VALIDATION_COLUMN)
    is_valid = np.abs(np.column_stack([rows, incumbents])) <= MAX_MEASURED_NUMBER
    is_valid[:, score_index] |= np.isnan(rows[:, score_index])  # no validation games were due
    if not is_valid.all() or rows[:, 0].tolist() != list(range(1, count + 1)):
        raise RunError("the history has invalid numbers")
    for name in learner.integer_metrics:
        check_whole_numbers(name, rows[:, learner.columns.index(name)])


def count_saved_steps(folder: Path) -> int | None:
    """Return the number of steps from which a run can be resumed; None if its folder was moved, deleted or damaged."""
    for name in CHECKPOINT_FILES:
        with suppress(RunError, ArithmeticError, KeyError, TypeError, ValueError):
            state = read_checkpoint_file(folder / name)
            former_rows = state.get(_FORMER_ARRAYS[0])
            return int(state[_STEPS_ARRAY]) if former_rows is None else len(former_rows)
    return None
