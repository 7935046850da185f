"""The state from which a run is resumed: checkpoints, the history of its steps, and the restoring of its learner.

A checkpoint is an .npz file of plain arrays without compression. Its archive comment has a checksum of all other bytes,
so that a damaged file is recognised before any part of it is used. The last two states are kept in two files, so that
at least one is complete at any moment.

The metrics and the incumbent of each step are appended to history files, so that a checkpoint does not grow with the
run: it states the number of steps and their checksum. Steps after the last checkpoint, which a killed process may
leave, are ignored and removed when the run is resumed. Every step is in two files, so that a run can be resumed if one
of them is damaged.

When a run is resumed, only the settings that decide when training ends may change.
"""

import hashlib
import io
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, open_regular_file, parse_toml, read_data_file
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.training.learner import MAX_STEPS, VALIDATION_COLUMN, Learner
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays, check_state
from tetrion.training.recipe import Recipe, find_setting, get_sections
from tetrion.training.run import MAX_MEASURED_NUMBER, Run, check_whole_numbers

CHECKPOINT_FILE = "checkpoint.npz"
PREVIOUS_CHECKPOINT_FILE = "checkpoint.before.npz"
CHECKPOINT_FILES = (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE)  # in the order in which they are tried
CHECKPOINT_FORMAT = 1
_FORMAT_ARRAY = "format"
_PARTIAL_CHECKPOINT_FILE = ".checkpoint.npz.part"
_MAX_CHECKPOINT_BYTES = 256_000_000  # a population of 100,000 candidates with 60 parameters takes 100,000,000
_MAX_ARRAYS = 200
_MAX_HEADER_SIZE = 1000  # characters that describe the type and shape of an array
_NUMBER_KINDS = "biuf"  # booleans, integers and floats; beside texts, but no objects, which would need pickle
_MAX_NUMBER_BYTES = 8  # longer floats are other numbers on other machines, and linear algebra does not support them
_CHECKSUM_LABEL = b"sha256:"
_CHECKSUM_LENGTH = len(_CHECKSUM_LABEL) + hashlib.sha256().digest_size * 2
_ENCRYPTED_FLAG = 1
# What the standard library and NumPy raise for damaged archives and arrays.
_DAMAGE_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    OSError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def write_checkpoint(folder: Path, state: StateArrays) -> None:
    """Write a state, and keep the previous one in a second file."""
    path = folder / CHECKPOINT_FILE
    partial = folder / _PARTIAL_CHECKPOINT_FILE
    write_checkpoint_file(partial, state)
    if path.exists():
        path.replace(folder / PREVIOUS_CHECKPOINT_FILE)
    partial.replace(path)


def write_checkpoint_file(path: Path, state: StateArrays) -> None:
    """Write a state to a file; equal states give equal bytes."""
    write_atomically(path, encode_checkpoint(state), durable=True)


def encode_checkpoint(state: StateArrays) -> bytes:
    """Return the content of the checkpoint file of a state."""
    buffer = io.BytesIO()
    np.savez(buffer, **(state | {_FORMAT_ARRAY: np.array(CHECKPOINT_FORMAT)}))
    # The last two bytes of an archive without a comment are the length of the comment.
    content = buffer.getvalue()[:-2] + struct.pack("<H", _CHECKSUM_LENGTH)
    return content + compute_checksum(content)


def compute_checksum(content: bytes) -> bytes:
    """Return the archive comment for the bytes before it."""
    return _CHECKSUM_LABEL + hashlib.sha256(content).hexdigest().encode()


def read_checkpoint_file(path: Path) -> StateArrays:
    """Return the arrays of a checkpoint file; raise RunError with the rest of a sentence if it cannot be read."""
    try:
        content = read_data_file(path, _MAX_CHECKPOINT_BYTES)
    except FileNotFoundError:
        raise RunError("is missing") from None
    except DataFileError as error:
        raise RunError(f"cannot be read: {str(error).rstrip('.')}") from None
    archive, checksum = content[:-_CHECKSUM_LENGTH], content[-_CHECKSUM_LENGTH:]
    if checksum != compute_checksum(archive):
        raise RunError("is damaged")
    try:
        state = read_arrays(content)
        version = int(state.pop(_FORMAT_ARRAY))
    except _DAMAGE_ERRORS:
        raise RunError("is damaged") from None
    if version != CHECKPOINT_FORMAT:
        raise RunError("was written by another version of Tetrion")
    return state


def read_arrays(content: bytes) -> StateArrays:
    """Return the arrays of an .npz file without compression; raise an error if they need more memory than the file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if len(members) > _MAX_ARRAYS or sum(member.file_size for member in members) > len(content):
            raise ValueError("the arrays are larger than the file")
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & _ENCRYPTED_FLAG:
                raise ValueError("an array is compressed or encrypted")
        return {member.filename.removesuffix(".npy"): read_array(archive.read(member)) for member in members}


def read_array(content: bytes) -> NumpyArray:
    """Return the array of an .npy file; its type and shape must agree with the number of bytes."""
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("the array has another version")
    shape, is_fortran, kind = np.lib.format.read_array_header_1_0(file, max_header_size=_MAX_HEADER_SIZE)
    size = len(content) - file.tell()
    is_known = kind.kind == "U" or (kind.kind in _NUMBER_KINDS and kind.itemsize <= _MAX_NUMBER_BYTES)
    if not is_known or not kind.itemsize or math.prod(shape) * kind.itemsize != size:
        raise ValueError("the type or the shape of the array does not match its size")
    array = np.ndarray(shape, kind, content, file.tell(), order="F" if is_fortran else "C")
    return array.astype(kind.newbyteorder("="))


HISTORY_FILE = "history.bin"
HISTORY_COPY_FILE = "history.copy.bin"
HISTORY_FILES = (HISTORY_FILE, HISTORY_COPY_FILE)
_STEPS_ARRAY = "history.steps"
_CHECKSUM_ARRAY = "history.sha256"
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
    rows, incumbents = np.split(read_steps(learner, folder, state), [len(learner.columns)], axis=1)
    check_history(learner, rows, incumbents)
    learner.restore_history(rows, incumbents)
    return {name: array for name, array in state.items() if name not in (_STEPS_ARRAY, _CHECKSUM_ARRAY)}


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
            return int(read_checkpoint_file(folder / name)[_STEPS_ARRAY])
    return None


RECIPE_ARRAY = "recipe"  # the recipe in a checkpoint, as the bytes of its TOML text
_OTHER_RECIPE = "has another recipe"


def change_end(run: Run, changes: Mapping[str, Any]) -> Recipe:
    """Return the recipe of a run with other settings of its end; raise RunError if another setting would change.

    The changed run must be the one that these settings give from the start, so they may not have ended it before its
    last finished step.
    """
    recipe = run.recipe
    try:
        names = [".".join(filter(None, find_setting(name, recipe.learner))) for name in changes]
        changed = recipe.replace(changes)
    except TetrionError as error:
        raise RunError(f"{run.folder}: {error}") from None
    if refused := [name for name in names if name not in recipe.learner_type.end_settings]:
        end_settings = ", ".join(list_end_settings(recipe))
        raise RunError(
            f"Only these settings can change when a run is resumed: {end_settings}{'; and ' * bool(end_settings)}"
            f"`workers`, `executor` and `device`, which do not affect the result. Given {', '.join(refused)}. Start a "
            "new run for other settings."
        )
    if changed != recipe and (reason := recipe.learner_type.length_dependence):
        raise RunError(f"{run.folder} cannot become longer or shorter: {reason}. Start a new run instead.")
    check_end(restore_learner(run, changed).learner, run)
    return changed


def check_end(learner: Learner, run: Run) -> None:
    """Raise RunError if the settings of a learner would have ended its run before the last finished step."""
    replayed = learner.recipe.learner_type(learner.recipe)
    for row, incumbent in zip(learner.metric_rows[:-1], learner.incumbents, strict=False):
        replayed.add_step(row, incumbent)
        if replayed.has_reached_limit():
            finished = format_count(len(learner.metric_rows), f"finished {run.step_name}")
            raise RunError(
                f"{run.folder} has {finished} already; with these settings it would have ended after "
                f"{format_count(len(replayed.metric_rows), run.step_name)}. Choose a later end, or start a new run."
            )


class RestoredLearner(NamedTuple):
    """A learner in the state of a checkpoint, and whether this is the last checkpoint of the run."""

    learner: Learner
    is_from_last_checkpoint: bool


def restore_learner(run: Run, recipe: Recipe) -> RestoredLearner:
    """Return a learner with the last state of a run; `recipe` may differ from that of the run in the end of training.

    The previous checkpoint is used if the last one cannot be restored: resuming from it repeats the lost step exactly.
    """
    problems: list[str] = []
    for name in CHECKPOINT_FILES:
        try:
            return RestoredLearner(restore_checkpoint(run, recipe, name), name == CHECKPOINT_FILE)
        except RunError as error:
            problems.append(f"{name} {str(error).rstrip('.')}")
    if any(problem.endswith(_OTHER_RECIPE) for problem in problems):
        end_settings = ", ".join(list_end_settings(run.recipe))
        remedy = f"only {end_settings} may change. Undo the other changes" if end_settings else "undo the changes"
        raise RunError(
            f"{run.folder / CONFIG_FILE} differs from the recipe of the run; {remedy}, or start a new run with this "
            "file as its recipe."
        )
    raise RunError(
        f"{run.folder} cannot be resumed: {'; '.join(problems)}. Its finished {run.step_name}s are in metrics.csv and "
        "population/. To train again from the start, start a new run with its config.toml as the recipe."
    )


def restore_checkpoint(run: Run, recipe: Recipe, name: str) -> Learner:
    """Return a learner with the state of a checkpoint; raise RunError with the rest of a sentence if it is unusable."""
    state = read_checkpoint_file(run.folder / name)
    saved_recipe = read_recipe(state)
    if saved_recipe is None:
        raise RunError("is damaged")
    if reset_end_settings(saved_recipe) != reset_end_settings(run.recipe):
        raise RunError(_OTHER_RECIPE)
    learner = recipe.learner_type(recipe)
    try:
        state = restore_history(learner, run.folder, state)
        learner.restore({name: array for name, array in state.items() if name != RECIPE_ARRAY})
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:
        raise RunError(f"cannot be restored ({str(error).rstrip('.')})") from None
    return learner


def encode_recipe(recipe: Recipe) -> StateArrays:
    """Return the array with which a checkpoint stores a recipe."""
    return {RECIPE_ARRAY: np.frombuffer(recipe.to_toml().encode(), np.uint8)}


def read_recipe(state: StateArrays) -> Recipe | None:
    """Return the recipe in a checkpoint, or None if it cannot be read."""
    try:
        return Recipe.from_mapping(parse_toml(state[RECIPE_ARRAY].tobytes()), "")
    except (KeyError, TetrionError):
        return None


def update_checkpoint_recipe(path: Path, recipe: Recipe) -> None:
    """Replace the recipe in a checkpoint file by one with another end; a missing or damaged file is left unchanged."""
    try:
        state = read_checkpoint_file(path)
    except RunError:
        return
    if read_recipe(state) != recipe:
        write_checkpoint_file(path, state | encode_recipe(recipe))


def list_end_settings(recipe: Recipe) -> list[str]:
    """Return the settings of a recipe that may change when its run is resumed; none if its steps depend on them."""
    if recipe.learner_type.length_dependence:
        return []
    sections = get_sections(recipe.learner)
    return [name for name in recipe.learner_type.end_settings if name.partition(".")[0] in sections]


def reset_end_settings(recipe: Recipe | None) -> Recipe | None:
    """Return a recipe with the default values of the settings that decide when training ends."""
    if recipe is None:
        return None
    for name in list_end_settings(recipe):
        section, _, key = name.rpartition(".")
        settings = recipe.get_section(section)
        default = next(setting.default for setting in fields(settings) if setting.name == key)
        attribute = "settings" if section == recipe.learner else section
        recipe = replace(recipe, **{attribute: replace(settings, **{key: default})})
    return recipe
