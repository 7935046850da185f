"""Tests of damaged and hostile checkpoints: the previous one is used, and nothing is allocated."""

import io
import os
import random
import struct
import tracemalloc
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from tests.training.small_recipes import make_small_recipe, make_stopped_run, read_run_files
from tetrion.errors import RunError
from tetrion.training.checkpoint import (
    CHECKPOINT_FILE,
    HISTORY_COPY_FILE,
    HISTORY_FILE,
    HISTORY_FILES,
    encode_checkpoint,
    read_checkpoint_file,
    restore_learner,
)
from tetrion.training.learner import Learner
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.run import METRICS_FILE, Run
from tetrion.training.trainer import resume, train

MAX_BYTES = 20_000_000  # of memory that reading a hostile checkpoint may take


@pytest.fixture(scope="module")
def finished_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of the uninterrupted run."""
    return read_run_files(train(make_small_recipe(), tmp_path_factory.mktemp("runs") / "run", workers=1).folder)


@pytest.fixture
def stopped_run(tmp_path: Path) -> Path:
    """Return the folder of the same run, stopped after three generations."""
    return make_stopped_run(tmp_path / "run")


def describe_state(learner: Learner) -> tuple[object, ...]:
    """Return everything that training continues from, in a form that can be compared."""
    state = {name: array.tolist() for name, array in learner.get_state().items()}
    return str(state), str(learner.metric_rows), str([incumbent.tolist() for incumbent in learner.incumbents])


def flip_bits(folder: Path, name: str, bits: Iterable[int]) -> None:
    """Flip one bit of a file after another; each time, one of the two checkpoints must be restored."""
    run = Run(folder)
    content = (folder / name).read_bytes()
    newer = describe_state(restore_learner(run, run.recipe).learner)
    (folder / CHECKPOINT_FILE).rename(folder / "newer")
    older = describe_state(restore_learner(run, run.recipe).learner)
    (folder / "newer").rename(folder / CHECKPOINT_FILE)
    assert newer != older
    for bit in bits:
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        (folder / name).write_bytes(damaged)
        learner, is_from_last_checkpoint = restore_learner(run, run.recipe)
        assert describe_state(learner) == (newer if is_from_last_checkpoint else older), f"bit {bit} of {name}"
    (folder / name).write_bytes(content)


def test_run_with_any_flipped_bit_is_restored(stopped_run: Path) -> None:
    for name in (CHECKPOINT_FILE, HISTORY_FILE):
        bits = (stopped_run / name).stat().st_size * 8
        flip_bits(stopped_run, name, random.Random(0).sample(range(bits), 15))


@pytest.mark.slow
def test_run_with_every_flipped_bit_is_restored(stopped_run: Path) -> None:
    for name in (CHECKPOINT_FILE, *HISTORY_FILES):
        flip_bits(stopped_run, name, range((stopped_run / name).stat().st_size * 8))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *((name, "flip") for name in (CHECKPOINT_FILE, HISTORY_FILE, METRICS_FILE)),
        (CHECKPOINT_FILE, "cut"),
        (CHECKPOINT_FILE, "delete"),
        (HISTORY_FILE, "delete"),
        (HISTORY_FILE, "extend"),
    ],
)
def test_run_with_one_damaged_file_is_resumed_bit_identically(
    name: str, damage: str, stopped_run: Path, finished_files: dict[str, bytes]
) -> None:
    path = stopped_run / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    if damage == "flip":
        path.write_bytes(content)
    elif damage == "cut":
        os.truncate(path, len(content) - 1)
    elif damage == "extend":  # a process that was killed while it appended
        path.write_bytes(path.read_bytes() + b"12")
    else:
        path.unlink()
    resume(stopped_run, workers=1)
    assert read_run_files(stopped_run) == finished_files


def test_readable_checkpoint_that_does_not_fit_is_replaced_by_the_previous_one(
    stopped_run: Path, finished_files: dict[str, bytes]
) -> None:
    state = read_checkpoint_file(stopped_run / CHECKPOINT_FILE)
    state["optimiser.population"] = state["optimiser.population"][:2]
    (stopped_run / CHECKPOINT_FILE).write_bytes(encode_checkpoint(state))
    resume(stopped_run, workers=1)
    assert read_run_files(stopped_run) == finished_files


def test_damaged_history_raises_error(stopped_run: Path) -> None:
    for name in HISTORY_FILES:
        (stopped_run / name).write_bytes(b"")
    with pytest.raises(RunError, match=f"{HISTORY_FILE} and {HISTORY_COPY_FILE} are missing or damaged"):
        resume(stopped_run, workers=1)


def make_archive(arrays: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """Return an archive with these members."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", array)
    return content.getvalue()


def make_array(shape: str, kind: str = "<f8", data: bytes = b"") -> bytes:
    """Return an .npy file with any header."""
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def save_array(array: NumpyArray) -> bytes:
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


FORMAT = save_array(np.array(1))
HOSTILE_CHECKPOINTS = {
    "shape of 10^15": make_archive({"format": FORMAT, "rows": make_array("(1000000000000000,)")}),
    "negative shape": make_archive({"format": FORMAT, "rows": make_array("(-2, -4)", data=b"0" * 64)}),
    "nested shape": make_archive({"format": FORMAT, "rows": make_array("(" * 400 + ")" * 400)}),
    "empty texts": make_archive({"format": FORMAT, "rows": make_array("(1000000000000,)", "<U0")}),
    "objects": make_archive({"format": FORMAT, "rows": make_array("(1,)", "|O", b"cos\nsystem\n(S'true'\ntR.")}),
    "zip bomb": make_archive({"format": FORMAT, "rows": save_array(np.zeros(10_000_000))}, zipfile.ZIP_DEFLATED),
    "many arrays": make_archive({"format": FORMAT} | {f"a{number}": FORMAT for number in range(300)}),
    "format as text": make_archive({"format": save_array(np.array("one"))}),
    "no format": make_archive({"rows": FORMAT}),
    "no archive": b"hello",
    "empty": b"",
}


@pytest.mark.parametrize("name", HOSTILE_CHECKPOINTS)
def test_hostile_checkpoint_is_damaged_and_takes_no_memory(name: str, tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT_FILE).write_bytes(HOSTILE_CHECKPOINTS[name])
    tracemalloc.start()
    try:
        with pytest.raises(RunError, match=r"^is damaged$"):
            read_checkpoint_file(tmp_path / CHECKPOINT_FILE)
        assert tracemalloc.get_traced_memory()[1] < MAX_BYTES
    finally:
        tracemalloc.stop()
